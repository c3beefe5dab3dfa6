"""The Stop and SubagentStop hook of Claude Code and Codex: the event as JSON in, at most one JSON object out.

It informs, or blocks once if the project's settings say so. It never blocks because it failed itself, never
while work goes on in the background, never when a hook is what keeps the agent going, and never twice for the same
fault. Only fields that both agents know are written: Codex refuses any other.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evenhand.core.values.finding import Finding

if TYPE_CHECKING:
    from evenhand.core.values.submission import Submission

SECONDS: Final = 1.4
"""The hook's own limit; with the start of Python it ends within two seconds. After that it says nothing."""
LARGEST: Final = 64 * 1024 * 1024
"""The most bytes of input that are read."""
LARGEST_SESSION: Final = 512 * 1024 * 1024
"""Bytes of a session that are held in memory."""
MOST: Final = 3
"""Faults in one message."""
EVENTS: Final = ("Stop", "SubagentStop")


def answer(data: bytes) -> str:
    """What to print for an event; empty when there is nothing to say. Any error is passed on to the caller."""
    event = json.loads(data)
    if not isinstance(event, dict) or event.get("hook_event_name") not in EVENTS or _is_pending(event):
        return ""
    name = "agent_transcript_path" if event["hook_event_name"] == "SubagentStop" else "transcript_path"
    path = event.get(name)
    if not isinstance(path, str) or not Path(path).is_file():
        return ""
    folder = event.get("cwd")
    if isinstance(folder, str) and Path(folder).is_dir():
        os.chdir(folder)  # the settings are those of the project the agent works in
    faults = _faults(path, event.get("last_assistant_message"))
    if not faults:
        return ""
    return _message(event, faults)


def _faults(path: str, last_message: Any) -> list[Finding]:
    from evenhand.agents.earlier_turns import needless_lines
    from evenhand.agents.last_turn import needs_everything

    if Path(path).stat().st_size > LARGEST_SESSION:
        return []
    data = Path(path).read_bytes()
    left_out = needless_lines(data)
    submission, faults = _read_faults(path, data, last_message, left_out)
    if left_out and submission is not None and needs_everything(submission, faults):
        submission, faults = _read_faults(path, data, last_message, frozenset())
    return faults


def _read_faults(
    path: str, data: bytes, last_message: Any, left_out: frozenset[int]
) -> tuple[Submission | None, list[Finding]]:
    """The session without some lines, and the faults of its last turn."""
    from evenhand import transcripts
    from evenhand.agents.last_turn import faults
    from evenhand.agents.whole_session import is_whole
    from evenhand.core.values.submission import Submission

    submission = next(transcripts.read(path, left_out=left_out), None)
    if not isinstance(submission, Submission) or not submission.events or not is_whole(data, submission):
        return None, []  # unreadable, damaged, empty, or without its beginning: nothing is known
    if isinstance(last_message, str) and last_message.strip():
        submission = submission._replace(output=last_message)  # the file may not have the last message yet
    return submission, faults(submission)


def _message(event: dict[str, Any], faults: list[Finding]) -> str:
    from evenhand.agents.last_turn import BLOCKING
    from evenhand.agents.reported import Reported
    from evenhand.settings import hook_blocks

    reported = Reported(f"{event.get('session_id')} {event.get('agent_id', '')}")
    new = reported.new(faults)[:MOST]
    if not new:
        return ""
    remembered = reported.add(new)
    grave = [fault for fault in new if fault.check in BLOCKING]
    if grave and remembered and not event.get("stop_hook_active") and hook_blocks():
        return json.dumps({"decision": "block", "reason": _reason(grave)})
    return json.dumps({"systemMessage": "evenhand: " + " ".join(map(_sentence, new))})


def _reason(faults: list[Finding]) -> str:
    listed = "".join(f"\n- {_sentence(fault)}" for fault in faults)
    return (
        f"evenhand compared this turn with its transcript and found:{listed}\n"
        "Do what is missing, or correct what you said. This is reported once."
    )


def _sentence(fault: Finding) -> str:
    quote = " ".join(fault.quote.split())
    return f'{fault.message} ("{quote}")' if quote else fault.message


def _is_pending(event: dict[str, Any]) -> bool:
    """Whether work goes on in the background, so that this is not the end of it."""
    return any(event.get(name) for name in ("background_tasks", "session_crons"))


def within(seconds: float, work: Callable[[], str]) -> str:
    """What `work` returns, or nothing if it fails or takes longer.

    It runs in a separate process, since no signal ends a long search inside a regular expression.
    """
    if not hasattr(os, "fork"):
        return _quietly(work)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(_quietly(work).encode(errors="replace"))
            pipe.flush()
            os._exit(0)
    os.close(writing)
    return _read_until(reading, child, seconds)


def _read_until(reading: int, child: int, seconds: float) -> str:
    import select
    import signal
    import time

    ends = time.monotonic() + seconds
    pieces: list[bytes] = []
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        while (left := ends - time.monotonic()) > 0 and select.select([pipe], [], [], left)[0]:
            piece = pipe.read(65536)
            if not piece:
                os.waitpid(child, 0)
                return b"".join(pieces).decode()
            pieces.append(piece)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return ""


def _quietly(work: Callable[[], str]) -> str:
    """An error in evenhand is no reason to disturb the agent."""
    try:
        return work()
    except Exception:
        return ""
