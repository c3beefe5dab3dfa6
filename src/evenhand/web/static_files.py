"""The style sheet and the script: read from the package once, each under an address that holds its hash."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final, NamedTuple

from aiohttp import web

from evenhand.web.route import Handler, Route

_FOLDER: Final = Path(__file__).parent / "static"
_KINDS: Final = {"dashboard.css": "text/css", "dashboard.js": "text/javascript"}
"""Every file that is served; no name from a request is ever joined to a path."""


class StaticFile(NamedTuple):
    """A file as it is served."""

    name: str
    address: str
    kind: str
    body: bytes


def static_files() -> dict[str, StaticFile]:
    """Every file, by name."""
    return {name: _read(name, kind) for name, kind in _KINDS.items()}


def _read(name: str, kind: str) -> StaticFile:
    body = (_FOLDER / name).read_bytes()
    stem, _, ending = name.partition(".")
    return StaticFile(name, f"/static/{stem}-{hashlib.sha256(body).hexdigest()[:16]}.{ending}", kind, body)


def static_routes() -> list[Route]:
    """A route for each file."""
    return [Route(file.address, _handler(file), open=True, cached=True) for file in static_files().values()]


def _handler(file: StaticFile) -> Handler:
    async def handler(request: web.Request) -> web.StreamResponse:
        return web.Response(body=file.body, content_type=file.kind, charset="utf-8")

    return handler
