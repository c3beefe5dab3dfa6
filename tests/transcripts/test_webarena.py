"""WebArena runs, which are chats: what the browser shows, actions, and the answer the agent stops with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from transcript_samples import all_in, calls, lines, only, real_files, samples, story


def action(name: str, **arguments: Any) -> dict[str, Any]:
    call = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def test_a_page_answers_the_action_before_it(tmp_path: Path):
    """The first page answers none: no call is invented for it."""
    messages = [
        {"role": "user", "content": "Which brand?"},
        {"role": "tool", "content": "Tab 0: Dashboard"},
        {"role": "assistant", "content": "I click."},
        action("click", element="[1]"),
        {"role": "tool", "content": "Tab 0: Report"},
        action("stop", answer="Sprite"),
    ]
    run = only(lines(tmp_path / "x", {"metadata": {"description": "d"}}, messages))
    assert story(run) == [
        ("user", "Which brand?"),
        ("tool", "Tab 0: Dashboard"),
        ("assistant", "I click."),
        ("click", "Tab 0: Report"),
        ("stop", "..."),
    ]
    assert (run.format, run.task, run.output, run.source) == (
        "openai",
        "Which brand?",
        "Sprite",
        f"{tmp_path / 'x'}:2",
    )


@real_files
@pytest.mark.parametrize("path", samples("webarena"), ids=lambda path: path.name)
def test_real_runs(path: Path):
    """A submission for every list; its calls are those of the raw messages, and all but the last are answered."""
    raw = [value for value in map(json.loads, path.read_bytes().splitlines()) if isinstance(value, list)]
    runs = all_in(path)
    assert len(runs) == len(raw)
    for run, messages in zip(runs, raw, strict=True):
        made = sum(len(message.get("tool_calls") or ()) for message in messages)
        assert calls(run)[:2] == (made, made - 1)
        assert run.output == messages[-1]["tool_calls"][0]["function"]["arguments"]["answer"]
