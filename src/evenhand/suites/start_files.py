"""The files that a case starts from: inside the suite's folder on one side, inside the workspace on the other."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from evenhand.decisions.suite import StartFile
from evenhand.errors import shortened_line
from evenhand.suites.located_entry import SuiteEntry
from evenhand.suites.paths import absolute, is_file, is_folder, real


class SuiteFolder:
    """The folder of the suite file. Nothing outside it is copied: cases may come from somebody else."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._real = root.resolve()
        self._checked: dict[Path, str | None] = {}

    def start_files(self, entry: SuiteEntry, base: Path | None = None) -> tuple[StartFile, ...]:
        """What is under `files`. A folder's contents go into the workspace, a file goes there under its own name.

        Relative paths start at `base`, or else where the entry was written.
        """
        if "files" not in entry.value:
            return ()
        value = entry.value["files"]
        files: list[StartFile] = []
        for number, item in enumerate(value if isinstance(value, list) else [value]):
            steps = ("files", number) if isinstance(value, list) else ("files",)
            file = self._one(entry, item, steps, base)
            if file is None:
                continue
            if file.target != "." and file.target in (earlier.target for earlier in files):
                entry.refuse(
                    f"two files go to {shortened_line(file.target)}; give one another place with {{from:, to:}}", *steps
                )
            files.append(file)
        return tuple(files)

    def _one(
        self, entry: SuiteEntry, item: object, steps: tuple[str | int, ...], base: Path | None
    ) -> StartFile | None:
        target: str | None = None
        if isinstance(item, dict):
            pair = entry.inside(*steps)
            pair.known(("from", "to"))
            if item.keys() < {"from", "to"}:
                pair.refuse("a file is its path, or an object with from and to")
                return None
            written, target = pair.text("from"), _target(pair)
            if target is None:
                return None
        else:
            written = entry.text_at(item, *steps)
        if written is None:
            return None
        source = entry.at(written) if base is None else absolute(base, written)
        problem = self._problem(source)
        if problem is not None:
            entry.refuse(f"{shortened_line(written)} {problem}", *steps)
            return None
        return StartFile(str(source), target or ("." if is_folder(source) else source.name))

    def _problem(self, source: Path) -> str | None:
        """What keeps a path from being copied. Looked up once: many cases may share a folder."""
        if source not in self._checked:
            self._checked[source] = self._look(source)
        return self._checked[source]

    def _look(self, source: Path) -> str | None:
        path = real(source)
        if path is None:
            return "does not exist"
        if not path.is_relative_to(self._real):
            return f"lies outside {self.root}, the suite's folder; move it there, or the suite file further up"
        if not is_folder(path):
            return None if is_file(path) else "is neither a file nor a folder"
        for folder, folders, files in os.walk(path):
            for name in (*folders, *files):
                link = Path(folder, name)
                if link.is_symlink() and not ((end := real(link)) and end.is_relative_to(self._real)):
                    return f"holds a link that leads out of the suite's folder: {link.relative_to(path)}"
        return None


def _target(entry: SuiteEntry) -> str | None:
    text = entry.text("to")
    if text is None:
        return None
    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or "\\" in text:
        entry.refuse(
            f"{shortened_line(text)} leaves the workspace; name a place inside it, with / between folders", "to"
        )
        return None
    return str(path)
