"""Pictures in a transcript or beside an output: embedded as base64, or a file in the same folder or below it.

Nothing is ever fetched: a picture at an address is listed with that as the reason. What is not a whole PNG, JPEG, GIF
or WebP picture, or is too large, is listed with the reason too.
"""

from __future__ import annotations

import re
from base64 import b64decode
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from evenhand.transcripts import limits
from evenhand.work.pictures import media_of
from evenhand.work.submission import Image

_PICTURES = frozenset("image image_url image-url input_image output_image computer_screenshot".split())
_PERHAPS = frozenset("file input_file blob uri data binary media".split())
"""Types of blocks that hold a picture if their media type says so."""
_MEDIA = ("media_type", "mediaType", "mimeType", "mime_type")
_HOLDERS = ("source", "inlineData", "inline_data", "image_url", "image", "file", "data", "base64", "url", "uri", "path")

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_DATA_URL = re.compile(r"data:(?P<media>[\w.+-]+/[\w.+-]+)?[^,]{0,200};base64,", re.IGNORECASE)
_MARKDOWN = re.compile(
    r"!\[[^\]\n]{0,500}\]\(\s*<?([^)\s>]+)|<img\s[^>]{0,500}?\bsrc\s*=\s*[\"\']([^\"\'\s>]+)", re.IGNORECASE
)

AT_AN_ADDRESS = "at an address, which is not fetched"
NOT_EMBEDDED = "not in the file"
NOT_WHOLE = "not a complete PNG, JPEG, GIF or WebP picture"
NO_FILE = "no such file in the folder of the submission"


def images_in(content: Any, folder: Path | None) -> tuple[Image, ...]:
    """The pictures among the blocks of a message or a result, in any vendor's form."""
    blocks = content if isinstance(content, list) else (content,)
    return tuple(_image(block, folder) for block in blocks if isinstance(block, dict) and _is_picture(block))


def _is_picture(block: dict[str, Any]) -> bool:
    named = block.get("type") or block.get("kind")
    kind = named if isinstance(named, str) else None
    if kind in _PICTURES:
        return True
    holders = [block, *(block[key] for key in _HOLDERS if isinstance(block.get(key), dict))]
    if kind not in _PERHAPS and len(holders) == 1:
        return False
    return any(str(holder.get(key, "")).startswith("image/") for holder in holders for key in _MEDIA)


def _image(block: dict[str, Any], folder: Path | None) -> Image:
    value: Any = block
    for _ in range(4):  # as deep as any of them is nested
        if not isinstance(value, dict):
            break
        value = next((value[key] for key in _HOLDERS if value.get(key)), None)
    return image_at(value, folder) if isinstance(value, str) else Image(problem=NOT_EMBEDDED)


def image_at(text: str, folder: Path | None) -> Image:
    """The picture that a text is or names: base64, a data URL, or a file in the folder or below it."""
    embedded = _DATA_URL.match(text)
    if embedded:
        return _decoded(text[embedded.end() :])
    if _ADDRESS.match(text) or text.startswith("//"):
        return Image(problem=AT_AN_ADDRESS)
    if len(text) < limits.NAME and re.search(r"\.\w{3,4}$", text):
        return _beside(text, folder)
    return _decoded(text)


def _decoded(text: str) -> Image:
    if len(text) * 3 // 4 > limits.IMAGE + 3:
        return Image(problem=_too_large())
    try:
        return image_of(b64decode("".join(text.split()), validate=True))
    except ValueError:
        return Image(problem=NOT_WHOLE)


def image_of(data: bytes) -> Image:
    """A picture from its bytes."""
    media = media_of(data)
    if media is None:
        return Image(problem=NOT_WHOLE)
    if len(data) > limits.IMAGE:
        return Image(problem=_too_large())
    return Image(media, data, sha256(data).hexdigest())


def _too_large() -> str:
    return f"larger than the limit of {limits.IMAGE / limits.MIB:g} MiB"


def _beside(name: str, folder: Path | None) -> Image:
    """A file in the folder or below it; links that lead out of it are not followed."""
    if folder is None:
        return Image(problem=NOT_EMBEDDED)
    try:
        path, inside = (folder / unquote(name)).resolve(), folder.resolve()
        if not path.is_relative_to(inside) or not path.is_file():
            return Image(problem=NO_FILE)
        if path.stat().st_size > limits.IMAGE:
            return Image(problem=_too_large())
        return image_of(path.read_bytes())
    except (OSError, ValueError):
        return Image(problem=NO_FILE)


def images_of_text(text: str, folder: Path | None) -> tuple[Image, ...]:
    """The pictures that a Markdown text shows, each once, in order."""
    names = dict.fromkeys(first or second for first, second in _MARKDOWN.findall(text))
    return bounded(image_at(name, folder) for name in list(names)[: limits.IMAGES])


def bounded(images: Any, size: int = 0) -> tuple[Image, ...]:
    """The pictures as long as all of them together are not too large; `size` is that of earlier ones."""
    kept = []
    for image in images:
        size += len(image.data)
        kept.append(image if size <= limits.ALL_IMAGES else Image(problem="too much together with those before it"))
    return tuple(kept)
