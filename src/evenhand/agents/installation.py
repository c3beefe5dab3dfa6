"""Put the skills where agents look for them, report what is there, and take it away again.

Next to each installed skill is a record of its files with their hashes. A file that differs from the record is the
user's own: it is neither overwritten nor removed unless that is asked for.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal, NamedTuple

from evenhand._version import __version__
from evenhand.agents.skills import Skill, problems_in, shipped_skills
from evenhand.errors import InputError, Problem

AGENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "claude": (".claude/skills",),
    "codex": (".agents/skills",),
    "copilot": (".agents/skills",),
    "gemini": (".agents/skills",),
    "cursor": (".cursor/skills",),
    "all": (".claude/skills", ".agents/skills"),
}
"""Where each agent looks, below the project's folder and below the home folder alike. Cursor reads the others too."""

RECORD: Final = ".evenhand.json"

State = Literal["current", "outdated", "changed", "missing", "foreign"]


class Place(NamedTuple):
    """A skill at one of the places where agents look."""

    skill: Skill
    folder: Path
    """The skill's own folder."""

    def state(self) -> State:
        """Whether it is there, as shipped; `changed` by hand, or `foreign`: not installed by evenhand."""
        if not self.folder.exists():
            return "missing"
        recorded = self._recorded()
        if recorded is None:
            return "foreign"
        if self.changed():
            return "changed"
        return "current" if recorded == self.skill.fingerprints else "outdated"

    def changed(self) -> list[Path]:
        """The recorded files that were edited since, and files that evenhand did not put there."""
        recorded = self._recorded() or {}
        present = {path.relative_to(self.folder).as_posix(): path for path in self.folder.rglob("*") if path.is_file()}
        present.pop(RECORD, None)
        return [
            path
            for name, path in sorted(present.items())
            if recorded.get(name) != sha256(path.read_bytes()).hexdigest()
        ]

    def version(self) -> str:
        """The version of evenhand that installed it."""
        return str(self._document().get("version", ""))

    def problems(self) -> list[str]:
        """What in its SKILL.md breaks the specification."""
        path = self.folder / "SKILL.md"
        if not path.is_file():
            return ["it has no SKILL.md"]
        return list(problems_in(self.folder.name, path.read_text(encoding="utf-8", errors="replace")))

    def install(self) -> None:
        """Write its files, and the record last."""
        old = self._recorded() or {}
        for name in old.keys() - self.skill.files.keys():
            (self.folder / name).unlink(missing_ok=True)
        for name, data in self.skill.files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        record = {"version": __version__, "files": self.skill.fingerprints}
        (self.folder / RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")

    def remove(self) -> None:
        """Delete the whole folder, and the folders above it that are then empty."""
        shutil.rmtree(self.folder)
        for folder in (self.folder.parent, self.folder.parent.parent):
            if any(folder.iterdir()):
                return
            folder.rmdir()

    def _recorded(self) -> dict[str, str] | None:
        files = self._document().get("files")
        return files if isinstance(files, dict) else None

    def _document(self) -> dict[str, object]:
        try:
            document = json.loads((self.folder / RECORD).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return document if isinstance(document, dict) else {}


def places(agents: Iterable[str], base: Path) -> list[Place]:
    """Every skill at every place where these agents look, each once."""
    folders = dict.fromkeys(folder for agent in agents for folder in AGENTS[agent])
    return [Place(skill, base / folder / skill.name) for folder in folders for skill in shipped_skills()]


def install(chosen: Iterable[Place], *, force: bool = False) -> list[tuple[Place, State]]:
    """Install the skills; returns what was there. InputError when a file is the user's own; nothing is written."""
    before = [(place, place.state()) for place in chosen]
    if not force:
        _refuse_own(before, "overwritten")
    for place, state in before:
        if state != "current":
            _written(place)
    return before


def remove(chosen: Iterable[Place], *, force: bool = False) -> list[tuple[Place, State]]:
    """Remove the skills; returns what was there. InputError when a file is the user's own; nothing is removed."""
    before = [(place, place.state()) for place in chosen]
    if not force:
        _refuse_own(before, "removed")
    for place, state in before:
        if state != "missing":
            place.remove()
    return before


def _written(place: Place) -> None:
    try:
        place.install()
    except OSError as error:
        raise InputError(Problem(f"cannot be written: {error.strerror}", str(place.folder))) from None


def _refuse_own(states: Iterable[tuple[Place, State]], verb: str) -> None:
    problems = []
    for place, state in states:
        if state == "foreign":
            problems.append(Problem(f"was not installed by evenhand and is not {verb}; use --force", str(place.folder)))
        elif state == "changed":
            names = ", ".join(path.relative_to(place.folder).as_posix() for path in place.changed())
            problems.append(Problem(f"{names} changed by hand and not {verb}; use --force", str(place.folder)))
    if problems:
        raise InputError(problems)
