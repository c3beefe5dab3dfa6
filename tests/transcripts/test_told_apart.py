"""Every sample of every format is claimed by one format, and by none besides."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import SHARED_DATA

from evenhand.transcripts import registry, sniff
from evenhand.transcripts.registry import BUILT_IN
from evenhand.transcripts.sources import open_source
from every_case import every_case
from transcript_reading import FIXTURES, SAMPLES, needs_samples

GENERAL = getattr(registry, "GENERAL", frozenset(("openai", "submissions")))
"""Formats that are asked after all others, since others look like them."""

FOLDERS = {
    "aider": "aider",
    "copilot": "copilot",
    "cursor-stream-json": "cursor-stream",
    "cursor-transcript": "cursor",
    "gemini": "gemini",
    "goose": "goose",
    "openclaw": "pi",
    "opencode-export": "opencode",
    "opencode-run-json": "opencode",
    "pi": "pi",
    "qwen": "qwen",
    "claude_code": "claude-code",
    "inspect": "inspect",
    "traces": "otel",
    "openai_chat": "openai",
}
OWN = {
    "aider.md": "aider",
    "chat.json": "openai",
    "cline-history.json": "cline-history",
    "cline.json": "cline",
    "codex.jsonl": "codex",
    "copilot.jsonl": "copilot",
    "cursor-stream.jsonl": "cursor-stream",
    "cursor.jsonl": "cursor",
    "gemini-stream.jsonl": "gemini-stream",
    "gemini.json": "gemini",
    "gemini.jsonl": "gemini",
    "goose-first.jsonl": "goose",
    "goose.jsonl": "goose",
    "opencode-run.jsonl": "opencode",
    "opencode.json": "opencode",
    "otlp.json": "otel",
    "pi.jsonl": "pi",
    "qwen.jsonl": "qwen",
    "stream.jsonl": "claude-code",
}
AGENTS = set(FOLDERS.values()) - {"inspect", "otel", "openai"} | {"cline", "cline-history", "gemini-stream", "codex"}


def claims(path: Path) -> list[str]:
    """The formats that claim a file; general ones only when no other does."""
    with open_source(str(path)) as source:
        names = [format.name for format in BUILT_IN if format.sniff(source.head)]
    return [name for name in names if name not in GENERAL] or [name for name in names if name != "messages"] or names


def samples() -> list[Path]:
    folders = [SAMPLES, *(SHARED_DATA / name for name in ("claude_code", "inspect", "otel/traces", "openai_chat"))]
    files = [path for folder in folders if folder.is_dir() for path in sorted(folder.rglob("*")) if path.is_file()]
    return [path for path in files if not path.name.startswith(("README", "LICENSE"))]


@needs_samples
@every_case("path", samples(), ids=lambda path: f"{path.parent.name}/{path.name[:40]}")
def test_a_sample_is_claimed_by_its_own_format_and_no_other(path: Path):
    """One claim where the format is known here; elsewhere no claim by an agent's format."""
    names = claims(path)
    expected = FOLDERS.get(path.parent.name)
    if path.parent.name == "cline":
        expected = "cline-history" if "history" in path.name else "cline"
    if expected is None:
        assert not AGENTS & set(names), names
    else:
        assert names == [expected]


@every_case(("name", "format"), OWN.items())
def test_a_file_of_our_own_is_claimed_by_its_own_format_and_no_other(name: str, format: str):
    """The same for small files, without the samples."""
    assert claims(FIXTURES / name) == [format]


@pytest.mark.parametrize("name", [name for name in OWN if name.endswith(".jsonl") and "first" not in name])
def test_marks_that_come_after_other_lines_are_found(name: str, tmp_path: Path):
    """Lines of no known kind stand first, as when a log begins with something else."""
    late = tmp_path / "late.jsonl"
    late.write_bytes(b'{"note": "a line of something else"}\n' * 30 + (FIXTURES / name).read_bytes())
    assert sniff(str(late)).name == OWN[name]
