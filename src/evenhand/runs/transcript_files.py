"""The transcript that an agent wrote during a run: found where known agents write theirs, or by a pattern."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

AUTO = "auto"
STDOUT = "stdout"
"""The transcript is what the command prints."""

KNOWN = (
    ".claude/projects/*/*.jsonl",  # Claude Code
    ".codex/sessions/**/*.jsonl",  # Codex
    ".gemini/tmp/*/chats/*.json*",  # Gemini CLI
    ".qwen/projects/*/chats/*.jsonl",  # Qwen Code
)
"""Where agents write their sessions, under HOME."""

_HEAD = 65536
"""The bytes in which a session names the folder it ran in."""


def find_transcript(
    pattern: str, workspace: Path, home: Path, *, own_home: bool, since: float
) -> tuple[Path | None, tuple[str, ...]]:
    """The session's file and notes about it. In a HOME that others use, only a new one that names the workspace."""
    if pattern == AUTO:
        paths = [path for known in KNOWN for path in _files(home, known)]
        if not own_home:
            paths = [path for path in paths if path.stat().st_mtime >= since and _names(path, workspace)]
    else:
        paths = [*_files(workspace, pattern), *(_files(home, pattern) if own_home else ())]
    if not paths:
        return None, () if pattern == AUTO else (f"no transcript matches {pattern}",)
    newest = max(paths, key=lambda path: (path.stat().st_mtime_ns, str(path)))
    note = f"{len(paths)} transcripts were written; the newest is used"
    return newest, (note,) if len(paths) > 1 else ()


def _files(folder: Path, pattern: str) -> Iterator[Path]:
    """Files in a folder by pattern; links that lead out of it are left out."""
    inside = folder.resolve()
    try:
        for path in folder.glob(pattern):
            if path.is_file() and path.resolve().is_relative_to(inside):
                yield path
    except (OSError, ValueError, NotImplementedError):  # an absolute pattern, or a folder that cannot be read
        return


def _names(path: Path, workspace: Path) -> bool:
    try:
        with path.open("rb") as file:
            return str(workspace).encode() in file.read(_HEAD)
    except OSError:
        return False
