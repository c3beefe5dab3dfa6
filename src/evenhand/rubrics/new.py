"""A new rubric in the project, made from a built-in one."""

from __future__ import annotations

import re
from pathlib import Path

from evenhand.core.names import is_id, slug
from evenhand.errors import InputError
from evenhand.rubrics.library import PROJECT, find, load_rubric, project_folder


def new_rubric(name: str, base: str) -> Path:
    """Write `evenhand/rubrics/NAME.md`; an existing file is never touched."""
    if not is_id(name):
        raise InputError(
            f'the name "{name}" must be lower-case words joined by hyphens; try {slug(name) or "my-rubric"}'
        )
    load_rubric(base)  # says what is wrong with it, and which names are near
    place = find(base)
    text = place.path.read_text(encoding="utf-8") if place else Path(base).read_text(encoding="utf-8")
    folder = project_folder() or PROJECT
    path = folder / f"{name}.md"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(_renamed(text, name))
    except FileExistsError:
        raise InputError(f"{path} exists already; edit it, or choose another name") from None
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
    return path


def _renamed(text: str, name: str) -> str:
    title = name.replace("-", " ").capitalize()
    for pattern, line in (
        (r"name:.*", f"name: {name}"),
        (r"title:.*", f"title: {title}"),
        (r"version:.*", "version: 1"),
    ):
        text = re.sub(rf"\A(---\n(?:(?!---\n).*\n)*?){pattern}", rf"\g<1>{line}", text, count=1)
    return re.sub(r"^# .*", f"# {title}", text, count=1, flags=re.MULTILINE)
