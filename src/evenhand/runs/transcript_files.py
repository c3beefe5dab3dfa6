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


def find_transcript(pattern: str, workspace: Path, home: Path) -> tuple[Path | None, tuple[str, ...]]:
    """The session's file in a run's own folders, and notes about it."""
    patterns = KNOWN if pattern == AUTO else (pattern,)
    paths = [path for place in patterns for path in _files(home, place)]
    if pattern != AUTO:
        paths += _files(workspace, pattern)
    if not paths:
        return None, () if pattern == AUTO else (f"no transcript matches {pattern}",)
    newest = max(paths, key=lambda path: (path.lstat().st_mtime_ns, str(path)))
    note = f"{len(paths)} transcripts were written; the newest is used"
    return newest, (note,) if len(paths) > 1 else ()


def _files(folder: Path, pattern: str) -> Iterator[Path]:
    """Plain files in a folder by pattern; links are left out."""
    try:
        for path in folder.glob(pattern):
            if not path.is_symlink() and path.is_file() and path.resolve().is_relative_to(folder.resolve()):
                yield path
    except (OSError, ValueError, NotImplementedError, RuntimeError):  # an absolute pattern, or folders without an end
        return
