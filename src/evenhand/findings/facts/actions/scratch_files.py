"""Files that an agent uses while it works and that are not part of the project. Pure."""

from __future__ import annotations

import posixpath
import re

from evenhand.lazy_pattern import late_pattern

_TEMPORARY = late_pattern(r"^/(?:(?:var/)?tmp|var/folders)(?:/|$)")
_AGENTS_OWN = late_pattern(r"^~|/\.claude/")


def is_scratch(path: str, project: str) -> bool:
    """Whether a file is temporary or the agent's own. One inside the project is not, even if the project itself is in a
    temporary folder; where the project is not known, every temporary file counts as scratch."""
    plain = _plain(path)
    if _AGENTS_OWN.search(plain):
        return True
    if not _TEMPORARY.search(plain):
        return False
    folder = _plain(project) if project else ""
    return not (_TEMPORARY.search(folder) and f"{plain}/".startswith(f"{folder.rstrip('/')}/"))


def _plain(path: str) -> str:
    """A path without /private before /tmp, which macOS links there."""
    return re.sub(r"^/private(?=/)", "", posixpath.normpath(path.strip()))
