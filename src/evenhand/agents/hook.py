"""The Stop and SubagentStop hook of Claude Code and Codex: the event as JSON in, at most one JSON object out.

It informs, or blocks once if the project's settings say so. It never blocks because it failed itself, never
while work goes on in the background, never when a hook is what keeps the agent going, and never twice for the same
fault. Only fields that both agents know are written: Codex refuses any other.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evenhand.core.finding import Finding

if TYPE_CHECKING:
    from evenhand.work.submission import Submission

SECONDS: Final = 1.4
"""The hook's own limit in processor time, so a busy machine does not count. Then it reports what it has."""
PATIENCE: Final = 3
"""How many times as long it may take by the clock: agents stop waiting for a hook after five seconds."""
LONG: Final = 8 * 1024 * 1024
"""Bytes of a session from which on its last turn is looked at first, in case that the whole takes too long."""
LONGEST_QUIET: Final = 1_000_000
"""Bytes of a session below which its length is not the reason when time runs out, and nothing is said of it."""
LARGEST: Final = 64 * 1024 * 1024
"""The most bytes of input that are read."""
LARGEST_SESSION: Final = 512 * 1024 * 1024
"""Bytes of a session that are held in memory."""
MOST: Final = 3
"""Faults in one message."""
EVENTS: Final = ("Stop", "SubagentStop")


LOG_VARIABLE: Final = "EVENHAND_HOOK_LOG"
"""Names a file for what the hook finds, in an environment variable; a path from the folder the agent works in."""

TOO_LONG: Final = "too-long"
"""The id under which it is remembered that a session was said to be too long."""


def answer(data: bytes, early: Callable[[str], None] = lambda _: None) -> str:
    """What to print for an event; empty when there is nothing to say. Any error is passed on to the caller.

    In a long session, `early` is first given what the last turn alone shows, for `late_answer`.
    """
    event = _event(data)
    if event is None:
        return ""
    path, last_message = event["path"], event.get("last_assistant_message")
    if Path(path).stat().st_size > LARGEST_SESSION:
        return late_answer(data, "")
    if Path(path).stat().st_size > LONG:
        with suppress(Exception):  # the whole may still be read
            early(json.dumps(_last_turns_faults(path, last_message)))
    faults = _faults(path, last_message)
    return _message(event, faults) if faults else ""


def late_answer(data: bytes, early: str) -> str:
    """What to print when there was no time for the whole session: the faults of its last turn, and once that it is
    too long."""
    event = _event(data)
    if event is None:
        return ""
    faults = [Finding(*fields) for fields in json.loads(early or "[]")]
    size = Path(event["path"]).stat().st_size
    told = "only its last turn was" if early else "it was not"
    note = f"this session ({size / 1_000_000:.0f} MB) could not be read in time: {told} checked."
    return _message(event, faults, note if size >= LONGEST_QUIET else "")


def _event(data: bytes) -> dict[str, Any] | None:
    """The event with the `path` of its transcript; None when there is nothing to look at."""
    event = json.loads(data)
    if not isinstance(event, dict) or event.get("hook_event_name") not in EVENTS or _is_pending(event):
        return None
    name = "agent_transcript_path" if event["hook_event_name"] == "SubagentStop" else "transcript_path"
    path = event.get(name)
    if not isinstance(path, str) or not Path(path).is_file():
        return None
    event["path"] = str(Path(path).absolute())
    folder = event.get("cwd")
    if isinstance(folder, str) and Path(folder).is_dir():
        os.chdir(folder)  # the settings are those of the project the agent works in
    return event


def _last_turns_faults(path: str, last_message: Any) -> list[Finding]:
    """The faults that need nothing but the last turn."""
    from evenhand import transcripts
    from evenhand.agents.earlier_turns import all_but_last_turn
    from evenhand.agents.last_turn import faults_without_the_rest
    from evenhand.work.submission import Submission

    submission = next(transcripts.read(path, left_out=all_but_last_turn(Path(path).read_bytes())), None)
    if not isinstance(submission, Submission) or not submission.events or submission.problems:
        return []
    if isinstance(last_message, str) and last_message.strip():
        submission = submission._replace(output=last_message)
    return faults_without_the_rest(submission)


def _faults(path: str, last_message: Any) -> list[Finding]:
    from evenhand.agents.earlier_turns import needless_lines
    from evenhand.agents.last_turn import needs_everything

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
    from evenhand.work.submission import Submission

    submission = next(transcripts.read(path, left_out=left_out), None)
    if not isinstance(submission, Submission) or not submission.events or not is_whole(data, submission):
        return None, []  # unreadable, damaged, empty, or without its beginning: nothing is known
    if isinstance(last_message, str) and last_message.strip():
        submission = submission._replace(output=last_message)  # the file may not have the last message yet
    return submission, faults(submission)


def _message(event: dict[str, Any], faults: list[Finding], note: str = "") -> str:
    from evenhand.agents.last_turn import BLOCKING
    from evenhand.agents.reported import Reported
    from evenhand.options.settings import hook_blocks

    reported = Reported(f"{event.get('session_id')} {event.get('agent_id', '')}")
    new = reported.new(faults)[:MOST]
    notes = reported.new([Finding(TOO_LONG, "", None, "")]) if note else []
    if not new and not notes:
        return ""
    remembered = reported.add([*new, *notes])
    grave = [fault for fault in new if fault.check in BLOCKING]
    blocks = bool(grave and remembered and not event.get("stop_hook_active") and hook_blocks())
    _log(event, grave if blocks else new, blocks)
    if blocks:
        return json.dumps({"decision": "block", "reason": _reason(grave)})
    return json.dumps({"systemMessage": "evenhand: " + " ".join([*map(_sentence, new), *([note] if notes else [])])})


def _log(event: dict[str, Any], faults: list[Finding], blocked: bool) -> None:
    """Append the faults to the file that LOG_VARIABLE names: a run without a screen shows no message of a hook."""
    path = os.environ.get(LOG_VARIABLE)
    if not path or not faults:
        return
    session = event.get("session_id")
    lines = [
        {"session": session, "check": fault.check, "message": fault.message, "quote": fault.quote, "blocked": blocked}
        for fault in faults
    ]
    with suppress(OSError), open(path, "a", encoding="utf-8") as log:
        log.write("".join(json.dumps(line) + "\n" for line in lines))


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
    """Whether background work is still running, so that the turn has not really ended."""
    return any(event.get(name) for name in ("background_tasks", "session_crons"))


def within(
    seconds: float, work: Callable[[Callable[[str], None]], str], late: Callable[[str], str] = lambda _: ""
) -> str:
    """The result of `work`; if it takes too long, what `late` makes of its early output; empty if it fails.

    It runs in a separate process, since no signal ends a long search inside a regular expression.
    """
    if not hasattr(os, "fork"):
        return _quietly(lambda: work(lambda _: None))
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _limit_processor_time(seconds)
        with os.fdopen(writing, "wb") as pipe:

            def early(text: str) -> None:
                pipe.write(text.encode(errors="replace") + _END)
                pipe.flush()

            pipe.write(_quietly(lambda: work(early)).encode(errors="replace"))
            pipe.flush()
            os._exit(0)
    os.close(writing)
    output, is_done = _read_until(reading, child, PATIENCE * seconds)
    first, _, rest = output.rpartition(_END)
    return rest.decode() if is_done else _quietly(lambda: late(first.decode()))


_END: Final = b"\0"
"""Ends the message early; JSON has no such byte."""


def _limit_processor_time(seconds: float) -> None:
    """Have this process ended once it has worked for so long, whatever it is doing."""
    import signal

    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _read_until(reading: int, child: int, seconds: float) -> tuple[bytes, bool]:
    """What a process writes, and whether it came to its end in time; if not, it is killed."""
    import select
    import signal
    import time

    ends = time.monotonic() + seconds
    pieces: list[bytes] = []
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        while (left := ends - time.monotonic()) > 0 and select.select([pipe], [], [], left)[0]:
            piece = pipe.read(65536)
            if not piece:
                return b"".join(pieces), os.waitpid(child, 0)[1] == 0
            pieces.append(piece)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return b"".join(pieces), False


def _quietly(work: Callable[[], str]) -> str:
    """Swallow any error: a fault in evenhand must not disturb the agent."""
    try:
        return work()
    except Exception:
        return ""
