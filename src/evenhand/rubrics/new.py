"""A new rubric in the project, made from a built-in one and what its author answers to three questions."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

from evenhand.core.rules import DIMENSIONS
from evenhand.errors import InputError
from evenhand.files.text import read_text
from evenhand.rubrics.library import PROJECT, find, is_path, load_rubric, project_folder, weights_path
from evenhand.work.names import is_id, slug


class Answers(NamedTuple):
    """What the author of a rubric says about it; empty where nothing."""

    domain: str = ""
    """What is judged."""
    first: str = ""
    """The dimension that matters most."""
    never: str = ""
    """What must never happen."""


def new_rubric(name: str, base: str, answers: Answers = Answers()) -> Path:  # noqa: B008
    """Write `evenhand/rubrics/NAME.md`; an existing file is never touched."""
    if not is_id(name):
        raise InputError(
            f'the name "{name}" must be lower-case words joined by hyphens; try {slug(name) or "my-rubric"}'
        )
    load_rubric(base)  # raises with the reason and similar names
    source = _source(base)
    folder, current = project_folder() or PROJECT, Path.cwd()
    path = (folder.relative_to(current) if folder.is_relative_to(current) else folder) / f"{name}.md"
    texts = {path: _answered(rubric_text(name, base), answers)}
    if weights_path(source).is_file() and not answers.first:
        texts[weights_path(path)] = _text(weights_path(source))
    for target in texts:
        if target.exists():
            raise InputError(f"{target} already exists; edit it, or choose another name")
    for target, text in texts.items():
        _write(target, text)
    return path


def is_rubric(written: str) -> bool:
    """Whether a text names a rubric rather than describing what is judged."""
    return is_path(written) or " " not in written.strip()


def _answered(text: str, answers: Answers) -> str:
    """The text with the answers in it: the domain, 40 % for what matters most, a red flag of 1.00."""
    if answers.domain:
        domain = json.dumps(" ".join(answers.domain.split()), ensure_ascii=False)
        text = re.sub(r"^domain:.*\n", "", text, count=1, flags=re.MULTILINE)
        text = text.replace("---\n", f"---\ndomain: {domain}\n", 1)
    if answers.first:
        weights = "".join(f"  {name}: {40 if name == answers.first else 10}\n" for name in DIMENSIONS)
        text = re.sub(
            r"^weights:.*\n(?:[ \t]+.*\n)*", lambda _: f"weights:\n{weights}", text, count=1, flags=re.MULTILINE
        )
    if answers.never:
        flag = " ".join(answers.never.split())
        bullet = f"- `{slug(flag)[:40].strip('-') or 'never'}` (-1.00): {flag}\n"
        text = re.sub(r"^(## Red flags.*\n\n)", lambda head: head[1] + bullet, text, count=1, flags=re.M | re.I)
    return text


def rubric_text(name: str, base: str) -> str:
    """The text of a rubric under a new name."""
    return _renamed(_text(_source(base)), name)


def _source(base: str) -> Path:
    place = None if is_path(base) else find(base)
    return place.path if place else Path(base)


def _text(path: Path) -> str:
    return read_text(str(path)).replace("\r\n", "\n")


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None


def _renamed(text: str, name: str) -> str:
    title = name.replace("-", " ").capitalize()
    quote = "" if name[0].isalpha() and name not in ("null", "true", "false") else '"'
    front = re.match(r"---\n(?:(?!---\n).*\n)*---\n", text)
    head, body = (front[0], text[front.end() :]) if front else ("", text)
    for key, value in (("name", f"{quote}{name}{quote}"), ("title", f"{quote}{title}{quote}"), ("version", "1")):
        head = re.sub(rf"^{key}:.*", f"{key}: {value}", head, count=1, flags=re.MULTILINE)
    return head + re.sub(r"^# .*", f"# {title}", body, count=1, flags=re.MULTILINE)
