"""Write proposed files: all of them or none, and never over what someone else wrote.

A new file appears only if there is still none; a file is changed only if it still holds what was shown.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from evenhand.errors import InputError, Problem
from evenhand.projects.proposal import ProposedFile


def write_files(folder: Path, files: Sequence[ProposedFile]) -> None:
    """Write all files. InputError when one cannot be written; then everything is as before."""
    drafts: list[tuple[ProposedFile, Path, Path]] = []
    written: list[tuple[ProposedFile, Path]] = []
    folders: list[Path] = []
    current = ""
    try:
        for file in files:
            current = file.path
            target = _target(folder, file)
            folders += _make_folder(target.parent)
            draft = target.with_name(f".{target.name}.{os.getpid()}.new")
            with draft.open("xb") as opened:
                drafts.append((file, draft, target))
                opened.write(file.text.encode())
        for file, draft, target in drafts:
            current = file.path
            _put(file, draft, target)
            written.append((file, target))
    except (OSError, InputError) as error:
        _undo(written)
        for _, draft, _ in drafts:
            draft.unlink(missing_ok=True)
        _remove_empty(folders)
        if isinstance(error, InputError):
            raise
        raise InputError(Problem(f"cannot be written: {error.strerror}; nothing was written", current)) from None
    for _, draft, _ in drafts:
        draft.unlink(missing_ok=True)


def _target(folder: Path, file: ProposedFile) -> Path:
    """Where the file goes; a link must not lead out of the project."""
    target = folder / file.path
    if not target.parent.resolve().is_relative_to(folder.resolve()):
        raise InputError(Problem("would be outside the project, behind a link; nothing was written", file.path))
    return target


def _put(file: ProposedFile, draft: Path, target: Path) -> None:
    if file.before is None:
        try:
            os.link(draft, target)  # fails if there is a file by now
        except FileExistsError:
            raise InputError(Problem("was created meanwhile; nothing was written", file.path)) from None
        except OSError:  # a file system without links
            with target.open("xb") as opened:
                opened.write(file.text.encode())
        return
    if target.is_symlink() or target.read_bytes() != file.before.encode():
        raise InputError(Problem("has changed since it was shown; nothing was written", file.path))
    draft.chmod(target.stat().st_mode & 0o777)
    draft.replace(target)


def _undo(written: Sequence[tuple[ProposedFile, Path]]) -> None:
    for file, target in written:
        if file.before is None:
            target.unlink(missing_ok=True)
        else:
            target.write_bytes(file.before.encode())


def _make_folder(folder: Path) -> list[Path]:
    """Make a folder and those above it; returns the new ones, the deepest last."""
    new = []
    while not folder.exists():
        new.append(folder)
        folder = folder.parent
    for path in reversed(new):
        path.mkdir()
    return new[::-1]


def _remove_empty(folders: Sequence[Path]) -> None:
    for folder in reversed(folders):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
