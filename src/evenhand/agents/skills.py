"""The skills shipped with evenhand, and the rules of the open specification that a SKILL.md must keep to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, NamedTuple

from evenhand.errors import unknown

KEYS: Final = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
"""The keys of the specification. Some agents know more; a strict validator refuses those."""
LONGEST: Final = {"name": 64, "description": 1024, "compatibility": 500}
MOST_LINES: Final = 500


class Skill(NamedTuple):
    """A skill: its name and its files, by their path inside the skill's folder."""

    name: str
    files: dict[str, bytes]

    @property
    def fingerprints(self) -> dict[str, str]:
        """The SHA-256 of each file."""
        return {path: sha256(data).hexdigest() for path, data in self.files.items()}


def plugin_folder() -> Path:
    """The plug-in as it is installed: manifest, marketplace file, skills, hooks, MCP server."""
    return Path(str(files("evenhand.agents") / "plugin"))


def shipped_skills() -> tuple[Skill, ...]:
    """The skills of this version."""
    folder = plugin_folder() / "skills"
    return tuple(
        Skill(
            skill.name,
            {
                path.relative_to(skill).as_posix(): path.read_bytes()
                for path in sorted(skill.rglob("*"))
                if path.is_file()
            },
        )
        for skill in sorted(folder.iterdir())
        if (skill / "SKILL.md").is_file()
    )


def problems_in(folder_name: str, text: str) -> Iterator[str]:
    """What in a SKILL.md breaks the specification."""
    parts = re.match(r"---\n(.*?)\n---\n(.*)", text, re.DOTALL)
    if parts is None:
        yield "it does not begin with keys between two lines ---"
        return
    keys = _keys(parts[1])
    if isinstance(keys, str):
        yield keys
        return
    for key in sorted(keys.keys() - set(KEYS)):
        yield unknown("key", key, KEYS)
    for key in ("name", "description"):
        if not keys.get(key):
            yield f"the key {key} is missing"
    for key, value in keys.items():
        if key == "metadata":
            if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
                yield "metadata must map text to text"
        elif not isinstance(value, str):
            yield f"{key} must be text"
        elif len(value) > LONGEST.get(key, len(value)):
            yield f"{key} is longer than {LONGEST[key]} characters"
    name = keys.get("name")
    if isinstance(name, str) and (not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) or name != folder_name):
        yield f"the name {name} must be the folder's name, in lower-case words joined by single hyphens"
    if re.search(r"[<>]", str(keys.get("description", ""))):
        yield "the description contains < or >, which some validators refuse"
    if parts[2].count("\n") >= MOST_LINES:
        yield f"the text has {MOST_LINES} lines or more"


def _keys(text: str) -> dict[str, Any] | str:
    """The keys, or what is wrong with their YAML."""
    import yaml

    try:
        keys = yaml.safe_load(text)
    except yaml.YAMLError as error:
        return f"its keys are not valid YAML: {str(error).splitlines()[0]}"
    return keys if isinstance(keys, dict) else "its keys are not a table"
