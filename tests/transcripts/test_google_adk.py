"""Google ADK sessions: events with authors and parts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from transcript_samples import calls, document, lines, only, real_files, samples, story


def event(author: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    role = "user" if author == "user" else "model"
    return {"author": author, "invocation_id": "i", "content": {"role": role, "parts": list(parts)}, **more}


EVENTS = [
    event("user", {"text": "Weather?"}, timestamp=1767261600.5),
    event("guide", {"text": "It", }, partial=True),
    event("guide", {"text": "Hm.", "thought": True}, {"text": "Look"}, {"text": "ing."}),
    event("guide", {"function_call": {"name": "weather", "args": {"city": "Tokyo"}}},
          {"function_call": {"name": "weather", "args": {"city": "Atlantis"}}},
          usage_metadata={"prompt_token_count": 10, "candidates_token_count": 3, "cached_content_token_count": 2}),
    event("guide", {"function_response": {"name": "weather", "response": {"sky": "rain"}}},
          {"function_response": {"name": "weather", "response": {"status": "error", "message": "no city"}}}),
    {"author": "guide", "invocation_id": "i", "error_code": "429", "error_message": "too many"},
    event("poet", {"text": "It rains."}),
]  # fmt: skip


def camel(value: Any) -> Any:
    """The same with names in camelCase, as the web's JSON has them."""
    if isinstance(value, list):
        return [camel(item) for item in value]
    if not isinstance(value, dict):
        return value
    names = {key: key.split("_")[0] + "".join(part.title() for part in key.split("_")[1:]) for key in value}
    return {names[key]: camel(item) for key, item in value.items()}


@pytest.mark.parametrize("shape", ["session", "camel", "lines"])
def test_a_session_is_its_events(shape: str, tmp_path: Path):
    """Responses without an id answer in the order of the calls; partial events are left out; authors have names."""
    path = tmp_path / "x"
    session = {"id": "s1", "app_name": "a", "events": EVENTS}
    if shape == "lines":
        lines(path, *EVENTS)
    else:
        document(path, camel(session) if shape == "camel" else session)
    run = only(path)
    assert story(run) == [
        ("user", "Weather?"),
        ("reasoning", "Hm."),
        ("assistant", "Looking."),
        ("weather", '{"sky": "rain"}'),
        ("weather", '{"status": "error", "message": "no city"}', "failed"),
        ("error", "429: too many"),
        ("assistant", "It rains."),
    ]
    assert [event.agent for event in run.events] == ["", *["guide"] * 5, "poet"]
    assert (run.format, run.task, run.output) == ("google-adk", "Weather?", "It rains.")
    assert (tuple(run.usage or ()), run.started) == ((10, 3, 2), "2026-01-01T10:00:00.500Z")


@real_files
@pytest.mark.parametrize("path", samples("google-adk"), ids=lambda path: path.name)
def test_real_sessions(path: Path):
    """A call for every function_call, an answer for every function_response, and every text that is not blank."""
    run, raw = only(path), json.loads(path.read_bytes())
    contents = [(event["author"], event["content"]["parts"]) for event in raw["events"] if event.get("content")]
    parts = [part for _, listed in contents for part in listed]
    made, answered = (sum(key in part for part in parts) for key in ("function_call", "function_response"))
    assert calls(run)[:2] == (made, answered)
    spoken = sum(any(part.get("text", "").strip() for part in listed) for _, listed in contents)
    assert sum(event.kind == "message" for event in run.events) == spoken
    answers = ["".join(part.get("text", "") for part in listed) for author, listed in contents if author != "user"]
    assert run.output == [text for text in answers if text.strip()][-1]
