"""What a project holds that evenhand can use: skills, tests, CI, transcripts, rubrics, settings.

Bounded: links are not followed, folders of dependencies are left out, and after MOST entries the rest is not looked at.
"""

from __future__ import annotations

import io
import os
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from evenhand.errors import InputError

MOST: Final = 20_000
"""Entries of folders that are looked at."""
DEEPEST: Final = 8
"""Folders below the project's own."""
MOST_TRIED: Final = 60
"""Files that are opened to see whether they are transcripts."""
READ: Final = 256 * 1024
"""Bytes that are read of each."""

LEFT_OUT: Final = frozenset(
    "node_modules bower_components vendor venv env site-packages __pycache__ dist build target out coverage".split()
)
LOOKED_INTO: Final = frozenset(".claude .agents .codex .gemini .cursor .github".split())
"""Hidden folders that hold skills or CI."""
OWN_SKILLS: Final = ("evenhand-judge", "evenhand-rubric")

SKILL_READ: Final = 20_000
"""Bytes that are read of a SKILL.md."""

_PROMPTFOO = re.compile(r"promptfooconfig\.(?:ya?ml|json)")
_TRANSCRIPT = (".jsonl", ".json", ".jsonl.gz", ".jsonl.zst")
_TEST = re.compile(r"test_.*\.py|.*_test\.py")
_FOREIGN = re.compile(r"(?:.*[-_.])?rubrics?\.(?:md|ya?ml|json)", re.IGNORECASE)
_NOT_RUBRICS = frozenset(("evenhand", "docs", "doc"))
_SAMPLES = frozenset("test tests testdata fixtures __tests__ spec".split())
"""Folders whose transcripts are samples for tests, not work to judge."""


class Skill(NamedTuple):
    """A skill of the project."""

    name: str
    path: str
    """The path of its SKILL.md."""
    words: str
    """The beginning of that file, with its purpose and its instructions."""


class Survey(NamedTuple):
    """What was found. Every path starts from the project's folder, with slashes."""

    folder: Path
    skills: tuple[Skill, ...]
    tests: tuple[str, ...]
    """Folders with tests for pytest; the project's own is "."."""
    ci: tuple[str, ...]
    """Among them .github/workflows/ci.yml, .gitlab-ci.yml, Jenkinsfile."""
    transcripts: dict[str, str]
    """The format of each."""
    rubrics: tuple[str, ...]
    """Names of rubrics in evenhand/rubrics."""
    foreign_rubrics: tuple[str, ...]
    """Files that look like rubrics in another form."""
    evals: tuple[str, ...]
    """evals.json files of skill-creator."""
    settings: str | None
    """The file with settings."""
    is_cut: bool
    """Whether there was more than is looked at."""
    jest: tuple[str, ...] = ()
    """Files that configure jest."""
    promptfoo: tuple[str, ...] = ()
    """Configurations of promptfoo."""
    suites: tuple[str, ...] = ()
    """Suite files."""


def survey(folder: Path) -> Survey:
    """Look at a project. Reads no more than the beginning of a few files."""
    walk = _Walk(folder)
    paths = sorted(walk.files())
    in_rubrics = [path for path in paths if path.parent == PurePosixPath("evenhand/rubrics") and path.suffix == ".md"]
    return Survey(
        folder=folder,
        skills=tuple(_skills(folder, paths)),
        tests=_test_folders(folder, paths),
        ci=tuple(str(path) for path in paths if _is_ci(path)),
        transcripts=dict(_transcripts(folder, paths)),
        rubrics=tuple(path.stem for path in in_rubrics),
        foreign_rubrics=tuple(
            str(path) for path in paths if _FOREIGN.fullmatch(path.name) and not _NOT_RUBRICS & set(path.parts)
        ),
        evals=tuple(str(path) for path in paths if path.name == "evals.json"),
        settings=_settings(folder),
        is_cut=walk.is_cut,
        jest=tuple(str(path) for path in paths if _is_jest(folder, path)),
        promptfoo=tuple(str(path) for path in paths if _PROMPTFOO.fullmatch(path.name)),
        suites=tuple(str(path) for path in paths if path.name in ("suite.yaml", "suite.yml")),
    )


class _Walk:
    """The files of a project, the upper folders first."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.is_cut = False

    def files(self) -> Iterator[PurePosixPath]:
        waiting = deque([PurePosixPath()])
        entries_left = MOST
        while waiting:
            folder = waiting.popleft()
            for entry in _entries(self._folder / folder):
                entries_left -= 1
                if entries_left < 0:
                    self.is_cut = True
                    return
                path = folder / entry.name
                if entry.is_dir(follow_symlinks=False):
                    if not (entry.name in LEFT_OUT or (entry.name.startswith(".") and entry.name not in LOOKED_INTO)):
                        if len(path.parts) <= DEEPEST:
                            waiting.append(path)
                        else:
                            self.is_cut = True
                elif entry.is_file(follow_symlinks=False):
                    yield path


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []  # no permission, or gone meanwhile


def _skills(folder: Path, paths: list[PurePosixPath]) -> Iterator[Skill]:
    """Skills in any folder, the project's own included; one that is installed for several agents counts once."""
    names = set(OWN_SKILLS)
    for path in paths:
        if path.name == "SKILL.md" and not _SAMPLES & set(path.parts):
            words = _beginning(folder / path, SKILL_READ).decode(errors="replace")
            named = re.search(r"^name:[ \t]*[\"']?([\w-]+)", words, re.MULTILINE)
            name = path.parent.name or (named[1] if named else folder.resolve().name)
            if name not in names:
                names.add(name)
                yield Skill(name, str(path), words)


def _is_jest(folder: Path, path: PurePosixPath) -> bool:
    if path.name.startswith("jest.config."):
        return True
    return path.name == "package.json" and b'"jest"' in _beginning(folder / path, READ)


def _test_folders(folder: Path, paths: list[PurePosixPath]) -> tuple[str, ...]:
    tested = {str(path.parent) for path in paths if _TEST.fullmatch(path.name) or path.name == "conftest.py"}
    if not tested and "[tool.pytest" in _beginning(folder / "pyproject.toml", READ).decode(errors="replace"):
        tested = {"."}
    return tuple(sorted(tested, key=lambda path: ("test" not in path, path.count("/"), path)))


def _is_ci(path: PurePosixPath) -> bool:
    if path.parts[:2] == (".github", "workflows"):
        return path.suffix in (".yml", ".yaml")
    return str(path) in (".gitlab-ci.yml", "Jenkinsfile")


def _transcripts(folder: Path, paths: list[PurePosixPath]) -> Iterator[tuple[str, str]]:
    """Files that an agent wrote, by their content; lines of JSON first, which most agents write."""
    from evenhand.transcripts.shapes.claude_agents import belongs_to_a_session

    candidates = [
        path
        for path in paths
        if path.name.endswith(_TRANSCRIPT)
        and not _SAMPLES & set(path.parts)
        and not belongs_to_a_session(folder / path)
    ]
    for path in sorted(candidates, key=lambda path: (path.suffix == ".json", len(path.parts), path))[:MOST_TRIED]:
        format = _format(folder / path)
        if format is not None:
            yield str(path), format


def _format(path: Path) -> str | None:
    from evenhand.transcripts.registry import fitting
    from evenhand.transcripts.sources import Source

    data = _beginning(path, READ + 1)
    if len(data) > READ and not path.name.endswith((".gz", ".zst")):
        if path.suffix == ".json":
            return None  # a whole document is needed to recognise it
        data = data[: data.rfind(b"\n") + 1]
    try:
        with Source(path.name, io.BytesIO(data)) as source:
            name = fitting(source).name if source.head.data else "text"
    except InputError:
        return None
    return None if name in ("text", "diff") else name


def _settings(folder: Path) -> str | None:
    if (folder / "evenhand.toml").exists():
        return "evenhand.toml"
    return "pyproject.toml" if b"[tool.evenhand" in _beginning(folder / "pyproject.toml", READ) else None


def _beginning(path: Path, size: int) -> bytes:
    try:
        if not path.is_file():  # a FIFO would be waited for
            return b""
        with path.open("rb") as file:
            return file.read(size)
    except OSError:
        return b""
