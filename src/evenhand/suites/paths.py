"""Looking at paths that users wrote: too long a name, a loop of links or no permission is "not there", not a crash."""

from __future__ import annotations

import os
from pathlib import Path


def absolute(folder: Path, text: str) -> Path:
    """A path as written in a file of this folder, made absolute; links are not followed."""
    return Path(os.path.normpath(folder.absolute() / text))


def shown(path: Path) -> str:
    """A path for messages: relative to the current folder when it lies in it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


def is_file(path: Path) -> bool:
    """Whether there is a file."""
    try:
        return path.is_file()
    except (OSError, RuntimeError):
        return False


def is_folder(path: Path) -> bool:
    """Whether there is a folder."""
    try:
        return path.is_dir()
    except (OSError, RuntimeError):
        return False


def real(path: Path) -> Path | None:
    """Where a path leads when links are followed; None when it leads nowhere."""
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError):
        return None
