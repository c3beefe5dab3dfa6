"""ATIF, the trajectory format of Harbor: one JSON object with its steps, or one such object a line.

Follows harbor.models.trajectories (ATIF-v1.0 to v1.8): Trajectory, Step, ToolCall, Observation, Metrics. A result
is inside the step that called the tool. Steps marked `is_copied_context` repeat an earlier trajectory and are left
out; so are the trajectories of sub-agents in other files, which are counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.core.values.submission import Place, Submission, Usage
from evenhand.errors import InputError, Problem
from evenhand.transcripts.draft import Draft, count_of, text_in
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_stream import Document, documents
from evenhand.transcripts.json_text import Key
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text, says_error, speak
from evenhand.transcripts.sources import Source

FORMAT = "atif"
TITLE = "ATIF trajectory"
PLACE = 180
MARKS = "schema_version agent steps step_id"
LATE_MARKS = "schema_version"

_ROLES = {"system": "system", "user": "user", "agent": "assistant"}


def sniff(head: Head) -> bool:
    """The schema name, or an agent with steps that have a number and a source."""
    return any(_is_ours(value) for value in head.objects)


def _is_ours(value: dict[str, Any]) -> bool:
    if text_in(value, "schema_version").startswith("ATIF"):
        return True
    steps = value.get("steps")
    first = steps[0] if isinstance(steps, list) and steps else None
    return isinstance(value.get("agent"), dict) and isinstance(first, dict) and {"step_id", "source"} <= first.keys()


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every trajectory of a file."""
    for document in documents(source, _is_opened):
        values = document.value if isinstance(document.value, list) else [document.value]
        damage = source.take_problems()
        for value in values:
            if not isinstance(value, dict):
                place = document.place(value)
                yield InputError(Problem("a trajectory is not an object", place.file, place.line))
                continue
            trajectory = _Trajectory(Draft(source, FORMAT), document)
            trajectory.take(value)
            yield trajectory.finish(value)._replace(problems=damage)


def _is_opened(path: tuple[Key, ...]) -> bool:
    return not path or path[-1] == "steps" or (len(path) == 1 and isinstance(path[0], int))


class _Trajectory:
    def __init__(self, draft: Draft, document: Document) -> None:
        self.draft = draft
        self.document = document

    def take(self, value: dict[str, Any], name: str = "") -> None:
        """The steps of a trajectory; `name` is that of a sub-agent."""
        agent = value.get("agent")
        model = text_in(agent, "model_name") if isinstance(agent, dict) else ""
        steps = value.get("steps")
        for step in steps if isinstance(steps, list) else ():
            if isinstance(step, dict):
                self._step(step, name, model)
            else:
                self.draft.count("step that is not an object")
        inner = value.get("subagent_trajectories")
        for number, trajectory in enumerate(inner if isinstance(inner, list) else (), start=1):
            if isinstance(trajectory, dict):
                own = trajectory.get("agent")
                called = text_in(own, "name") if isinstance(own, dict) else ""
                self.take(trajectory, text_in(trajectory, "trajectory_id") or called or f"sub-agent {number}")

    def _step(self, step: dict[str, Any], name: str, model: str) -> None:
        if step.get("is_copied_context"):
            return
        draft, source = self.draft, text_in(step, "source")
        role = _ROLES.get(source)
        if role is None:
            draft.count(f"step of {source or 'nobody'}")
            role = "system"
        time = text_in(step, "timestamp")
        draft.saw_time(time)
        place = self.document.place(step)
        wrote = draft.saw_model(text_in(step, "model_name") or model) if role == "assistant" else ""
        speaker = Speaker(role, place, name, wrote, time)
        if isinstance(step.get("reasoning_content"), str) and step["reasoning_content"].strip():
            draft.reasoning(step["reasoning_content"], place, name, wrote, time)
        speak(draft, step.get("message"), speaker)
        calls = step.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                id = text_in(call, "tool_call_id")
                draft.call(text_in(call, "function_name"), call.get("arguments"), place, id, name, wrote, time)
            else:
                draft.count("tool call that is not an object")
        self._results(step, speaker)
        if isinstance(metrics := step.get("metrics"), dict):
            draft.usage[(name, place, str(step.get("step_id")))] = Usage(
                count_of(metrics.get("prompt_tokens")),
                count_of(metrics.get("completion_tokens")),
                count_of(metrics.get("cached_tokens")),
            )

    def _results(self, step: dict[str, Any], speaker: Speaker) -> None:
        """A tool result. Without the id of a call it is what the environment showed after the step."""
        observation = step.get("observation")
        results = observation.get("results") if isinstance(observation, dict) else None
        for result in results if isinstance(results, list) else ():
            if not isinstance(result, dict):
                self.draft.count("result that is not an object")
                continue
            id, text = text_in(result, "source_call_id"), result_text(result.get("content"))
            if id in self.draft.calls:
                self.draft.result(id, text, speaker.place, says_error(text), "", speaker.agent, speaker.time)
            else:
                self.draft.message("tool", text, speaker.place, speaker.agent, "", speaker.time)
            for _ in result.get("subagent_trajectory_ref") or ():
                self.draft.count("trajectory of a sub-agent in another file")

    def finish(self, value: dict[str, Any]) -> Submission:
        total = value.get("final_metrics")
        self.draft.saw_cost(total.get("total_cost_usd") if isinstance(total, dict) else None)
        if not self.draft.usage and isinstance(total, dict):
            keys = ("total_prompt_tokens", "total_completion_tokens", "total_cached_tokens")
            self.draft.usage["total"] = Usage(*(count_of(total.get(key)) for key in keys))
        if next_file := text_in(value, "continued_trajectory_ref"):
            self.draft.source.warn(
                f"the run goes on in {next_file[:200]}, which was not read", _line(self.document, value)
            )
        return self.draft.finish(id=text_in(value, "session_id") or text_in(value, "trajectory_id") or None)


def _line(document: Document, value: object) -> int | None:
    place: Place = document.place(value)
    return place.line
