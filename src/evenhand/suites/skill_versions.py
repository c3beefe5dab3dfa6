"""A skill's folder, as it is now or at a git revision; and the versions of one skill in their order."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from evenhand.decisions.suite import Skill
from evenhand.suites.located_entry import SuiteEntry
from evenhand.suites.paths import is_file
from evenhand.work.names import slug


def skill_from(entry: SuiteEntry, value: object, *steps: str | int) -> Skill | None:
    """A folder, a folder with a git revision, or none."""
    if value in (None, "none"):
        return None
    if not isinstance(value, Mapping):
        text = entry.text_at(value, *steps)
        return None if text is None else _folder(entry, text, None, *steps)
    inner = entry.inside(*steps)
    inner.known(("path", "revision"))
    path = inner.text("path")
    if "path" not in value:
        inner.refuse("a skill needs the path of its folder")
    revision = inner.text("revision")
    return None if path is None else _folder(inner, path, revision, "path" if revision is None else "revision")


def _folder(entry: SuiteEntry, written: str, revision: str | None, *steps: str | int) -> Skill:
    path = entry.at(written)
    if revision is None and not is_file(path / "SKILL.md"):
        entry.refuse(f"there is no SKILL.md in {written}; name the skill's folder", *steps)
    if revision is not None and (revision.startswith("-") or any(mark.isspace() for mark in revision)):
        entry.refuse("a git revision is a tag, a branch or a commit, without spaces", *steps)
    return Skill(str(path), revision)


def version_from(whole: SuiteEntry, version: str, path: str, *steps: str | int) -> tuple[str, Skill | None]:
    """The name and the skill of a version."""
    if version == "none":
        return "without_skill", None
    if version == "now":
        return "with_skill", _folder(whole, path, None, "skill")
    if version.startswith((".", "/")):
        folder = _folder(whole, version, None, *steps)
        return slug(Path(folder.path).name) or "folder", folder
    name = version.replace("/", "-").replace("~", "-").replace("^", "-").strip("-")
    whole.name_at(name, *steps)
    return name, _folder(whole, path, version, *steps)
