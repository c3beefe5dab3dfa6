"""A SKILL.md that outputs are held against: read, and screened for words to a judge."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from evenhand.errors import InputError, shortened_line
from evenhand.files.text import read_text
from evenhand.screening.screen import screened

SKILL = "SKILL.md"


class SkillFile(NamedTuple):
    """The instructions of a skill."""

    name: str
    text: str


def read_skill(path: str | Path) -> SkillFile:
    """A skill's file; of a folder, its SKILL.md."""
    file = Path(path)
    if file.is_dir():
        file = file / SKILL
        if not file.is_file():
            raise InputError(f"{path} holds no {SKILL}; name the skill's file or folder")
    return SkillFile(file.name, read_text(str(file)))


def instructions_for_judges(path: str, notice: Callable[[str], None]) -> str:
    """The text for judges. It is the user's, so it is trusted; `notice` hears of passages that may address a judge."""
    skill = read_skill(path)
    if not skill.text.strip():
        raise InputError(f"{path} is empty; there is nothing to hold outputs against")
    found = screened(skill.text)
    if found:
        quote = shortened_line(skill.text[slice(*found[0])], 120)
        notice(f'warning: {path} may address the judge: "{quote}"')
    return skill.text
