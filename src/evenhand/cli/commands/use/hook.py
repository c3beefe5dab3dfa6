"""evenhand agent hook: called by Claude Code and Codex when an agent stops."""

from __future__ import annotations

import sys

import click

from evenhand.cli.presenter import write
from evenhand.cli.shared import DONE


@click.command("hook")
def command() -> int:
    """Compare what an agent says it did with what its transcript shows; called by Claude Code and Codex.

    Reads a Stop or SubagentStop event as JSON on standard input, and the transcript it names. Prints nothing when
    nothing is wrong, else one JSON object: a message to the user, or, with block = "critical" under [hook] in
    evenhand.toml, a request to go on, once for each fault. Only the last turn is reported. It exits with 0 whatever
    it finds (4 if its answer could not be written), takes at most two seconds, and uses no network; a session too
    long for that is reported, once. The plug-in sets it up: see evenhand agent skill check --path.

    \b
    Example:
      echo '{"hook_event_name": "Stop", "transcript_path": "session.jsonl", "session_id": "1"}' | evenhand agent hook
    """
    from evenhand.agents.hook import LARGEST, SECONDS, answer, late_answer, within

    event = sys.stdin.buffer.read(LARGEST)
    text = within(SECONDS, lambda early: answer(event, early), lambda early: late_answer(event, early))
    if text:
        write(text + "\n")
    return DONE
