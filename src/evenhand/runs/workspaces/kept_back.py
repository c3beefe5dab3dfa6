"""What of a skill's folder is not copied into a workspace: the suite's own files, in which an agent would find answers.

A skill is often developed beside its cases: `evals/` with expected outputs inside its folder, the suite, the store, the
history in `.git`. Left out are those names, and whatever a suite was read from, found by its path, as the same file
under another name, by the same bytes, or behind a link.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from evenhand.decisions.suite import Recorded, Suite
from evenhand.runs.workspaces.start_listing import Entry, Listing, file_hash

EVALS = "evals"
"""The folder of a skill in which skill-creator and others keep its cases, with the outputs they expect."""

NEVER = (".evenhand", ".git")
"""Folders that hold results, or earlier versions of everything: wherever they are in a skill."""


MOST_FOLDERS = 20_000
LARGEST_COPY = 1_000_000
"""Folders of a suite, and bytes of a file in them, that are looked at so that copies are found."""


class KeptBack:
    """The files and folders that no agent may see."""

    def __init__(self, paths: Iterable[str] = (), given: Iterable[str] = ()) -> None:
        """`given` is what agents start from, though it is in one of the folders: copies of it may be seen."""
        self._given = {_real(path) for path in given}
        self._paths: set[str] = set()
        """Real paths, without regard to upper and lower case, as some file systems have it."""
        self._nodes: set[tuple[int, int]] = set()
        self._hashes: set[str] = set()
        for path in paths:
            self._add(path)

    def _add(self, path: str) -> None:
        self._paths.add(_real(path))
        try:
            status = os.stat(path)  # noqa: PTH116
            self._nodes.add((status.st_dev, status.st_ino))
            if stat.S_ISREG(status.st_mode) and status.st_size:
                self._hashes.add(file_hash(path, status))
            elif stat.S_ISDIR(status.st_mode):
                self._hashes.update(self._hashes_in(path))
        except (OSError, ValueError):  # it was named, and is not there any more
            return

    def _hashes_in(self, folder: str) -> Iterator[str]:
        """The hashes of the files in a folder, so that copies are found elsewhere."""
        for path, folders, names in islice(os.walk(folder), MOST_FOLDERS):
            folders[:] = [name for name in folders if name not in NEVER and _real(f"{path}/{name}") not in self._given]
            for name in names:
                file = f"{path}/{name}"
                with contextlib.suppress(OSError):
                    status = os.lstat(file)
                    is_small = stat.S_ISREG(status.st_mode) and 0 < status.st_size <= LARGEST_COPY
                    if is_small and _real(file) not in self._given:
                        yield file_hash(file, status)

    def split(self, listing: Listing, folders: Iterable[str], copied_from: str, path: str) -> Split:
        """A skill's listing in what is copied and what is left out.

        `folders` are the places of the skill in a workspace, `copied_from` is where its files are, and `path` is its
        folder, which is another than `copied_from` when they come from a git revision.
        """
        starts = [f"{folder}/" for folder in folders]
        kept: list[Entry] = []
        left_out: dict[str, None] = {}
        for entry in listing:
            start = next((start for start in starts if entry.target.startswith(start)), None)
            inside = "" if start is None else entry.target.removeprefix(start)
            above = next((parent for parent in _parents(inside) if parent in left_out), None)
            if above is not None:
                continue
            if inside and self._holds(entry, inside, copied_from, path):
                left_out[inside] = None
            else:
                kept.append(entry)
        return Split(tuple(kept), tuple(left_out))

    def _holds(self, entry: Entry, inside: str, copied_from: str, path: str) -> bool:
        if _is_kept_back(inside) or self._has(os.path.join(path, inside)):  # noqa: PTH118
            return True
        place = os.path.join(copied_from, inside)  # noqa: PTH118
        if entry.kind == "file":
            return entry.sha256 in self._hashes or self._has(place)
        return self._leads_here(place, copied_from, path) if entry.kind == "link" else self._has(place)

    def _has(self, place: str) -> bool:
        """Whether a path is one of the files, or is or lies in one of the folders."""
        real = _real(place)
        if any(parent in self._paths for parent in _with_parents(real)):
            return True
        try:
            status = os.lstat(place)
        except (OSError, ValueError):
            return False
        return (status.st_dev, status.st_ino) in self._nodes

    def _leads_here(self, link: str, copied_from: str, path: str) -> bool:
        """Whether a link leads to what is kept back, or to a folder that holds it."""
        target = _real(link)
        for root in {_real(copied_from), _real(path)}:
            if root == target or root.startswith(f"{target}/") or target == "/":
                return True
            if target.startswith(f"{root}/") and _is_kept_back(target.removeprefix(f"{root}/")):
                return True
        return self._has(os.path.realpath(link)) or any(known.startswith(f"{target}/") for known in self._paths)


class Split(NamedTuple):
    """A skill's listing without what is left out, and the paths of that inside the skill's folder."""

    listing: Listing
    left_out: tuple[str, ...]


def kept_back(suite: Suite) -> KeptBack:
    """Everything that a suite was read from, but for folders in which a skill is: it is copied."""
    above = {
        parent for variant in suite.variants if variant.skill for parent in _with_parents(_real(variant.skill.path))
    }
    given = {file.source for case in suite.cases for file in case.files}
    return KeptBack((path for path in answer_paths(suite) if _real(path) not in above), given)


def answer_paths(suite: Suite) -> list[str]:
    """Everything that a suite was read from: its file, its cases, rubrics, calibration and recorded outputs."""
    rubrics = {suite.rubric, *(case.rubric for case in suite.cases)}
    named = {suite.source, suite.calibration, *suite.sources, *(case.place.file for case in suite.cases)}
    named |= {rubric for rubric in rubrics if rubric is not None and os.path.isabs(rubric)}  # noqa: PTH117
    named |= {_outputs_of(variant.does.pattern) for variant in suite.variants if isinstance(variant.does, Recorded)}
    return [os.path.abspath(name) for name in named if name]  # noqa: PTH100


def _outputs_of(pattern: str) -> str:
    """The folder of recorded outputs, up to the first part that differs by case or repeat; or the one output."""
    return pattern.partition("{")[0].rpartition("/")[0] if "{" in pattern else pattern


def _is_kept_back(inside: str) -> bool:
    parts = inside.casefold().split("/")
    return parts[0] == EVALS or any(part in NEVER for part in parts)


def _real(path: str) -> str:
    return os.path.realpath(path).casefold()


def _parents(inside: str) -> list[str]:
    parts = inside.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _with_parents(path: str) -> list[str]:
    return [*_parents(path), path]
