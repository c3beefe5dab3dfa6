"""A folder as it was at a git revision, through `git archive`: the user's own files are neither read nor touched."""

from __future__ import annotations

import subprocess
import tarfile
from io import BytesIO
from pathlib import Path

from evenhand.errors import InputError, Problem


def resolved_revision(folder: str, revision: str) -> str:
    """The commit that a revision names; a branch may move, a commit does not."""
    if revision.startswith("-"):
        raise InputError(Problem(f'"{revision}" is not a git revision', folder))
    return _git(folder, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", what=revision).decode().strip()


def extract(folder: str, commit: str, target: Path) -> None:
    """Write the folder's files at a commit into a new folder."""
    prefix = _git(folder, "rev-parse", "--show-prefix", what=commit).decode().strip() or "./"
    data = _git(folder, "archive", "--format=tar", commit, "--", ".", what=f"{commit[:12]} ({prefix})")
    target.mkdir(parents=True)
    with tarfile.open(fileobj=BytesIO(data)) as archive:
        archive.extractall(target, filter="data")


def _git(folder: str, *words: str, what: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", folder, *words], capture_output=True, check=False)
    except FileNotFoundError:
        raise InputError(Problem("a git revision is named, and git is not installed", folder)) from None
    if done.returncode != 0:
        words_of_git = done.stderr.decode(errors="replace").strip().splitlines()
        why = f": {words_of_git[-1][:200]}" if words_of_git else ""
        raise InputError(Problem(f"git has no {what} of this folder{why}", folder))
    return done.stdout
