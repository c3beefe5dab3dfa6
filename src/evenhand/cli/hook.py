"""evenhand hook: called by Claude Code and Codex when an agent stops."""

from __future__ import annotations

import sys

import click

from evenhand.cli.shared import DONE, write


@click.command("hook")
def command() -> int:
    """Compare what an agent says it did with what its transcript shows; called by Claude Code and Codex.

    Reads a Stop or SubagentStop event as JSON on standard input, and the transcript it names. Prints nothing when
    nothing is wrong, else one JSON object: a message to the user, or, with block = "critical" under [hook] in
    evenhand.toml, a request to go on, once for each fault. Only the last turn is reported. It always exits with
    0, takes at most two seconds, and uses no network. The plug-in sets it up: see evenhand agent path.

    \b
    Example:
      echo '{"hook_event_name": "Stop", "transcript_path": "session.jsonl", "session_id": "1"}' | evenhand hook
    """
    from evenhand.agents.hook import LARGEST, SECONDS, answer, within

    text = within(SECONDS, lambda: answer(sys.stdin.buffer.read(LARGEST)))
    if text:
        write(text + "\n")
    return DONE
