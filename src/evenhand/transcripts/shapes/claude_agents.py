"""The files of Claude Code's sub-agents: in the folder with the session's name, or beside the session."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from evenhand.errors import InputError
from evenhand.transcripts.draft import text_in
from evenhand.transcripts.sources import open_source

_COPIES = ("acompact", "aprompt_suggestion", "aside_question")
"""Agents that Claude Code itself starts on a copy of the conversation, to summarise it for instance."""


def agent_files(session: Path) -> dict[str, Path]:
    """The files of a session's sub-agents by agent: in the folder with the session's name, or beside the session.

    Copies of the conversation are left out: everything in them would count twice.
    """
    return {agent: path for agent, path in _all_files(session).items() if not agent.startswith(_COPIES)}


def _all_files(session: Path) -> dict[str, Path]:
    folder = session.with_name(_stem(session)) / "subagents"
    if folder.is_dir():
        return {_stem(path).removeprefix("agent-"): path for path in sorted(folder.rglob("agent-*.jsonl*"))}
    return dict(_agents_beside(session.parent, session.parent.stat().st_mtime_ns).get(_stem(session), {}))


@lru_cache(maxsize=4)
def _agents_beside(folder: Path, changed: int) -> dict[str, dict[str, Path]]:
    """The sub-agent files in a folder, by session and agent, as older versions stored them."""
    agents: dict[str, dict[str, Path]] = {}
    for path in sorted(folder.glob("agent-*.jsonl*")):
        try:
            with open_source(str(path)) as source:
                first = next((entry for entry in source.head.objects if text_in(entry, "sessionId")), None)
        except InputError:
            continue
        if first and first.get("isSidechain"):
            agents.setdefault(first["sessionId"], {})[_stem(path).removeprefix("agent-")] = path
    return agents


def _stem(path: Path) -> str:
    return path.name.split(".jsonl")[0]


def belongs_to_a_session(path: Path) -> bool:
    """Whether a file belongs to a sub-agent of a session next to it, and is read with that session."""
    if not path.name.startswith("agent-") or ".jsonl" not in path.name:
        return False
    beside = _agents_beside(path.parent, path.parent.stat().st_mtime_ns)
    sessions = {_stem(file) for file in path.parent.glob("*.jsonl*")}
    return any(path in agents.values() and session in sessions for session, agents in beside.items())
