"""ATIF, the trajectory format of Harbor: one JSON object with its steps, or one such object a line.

Follows harbor.models.trajectories (ATIF-v1.0 to v1.8): Trajectory, Step, ToolCall, Observation, Metrics. A result
is inside the step that called the tool. Steps marked `is_copied_context` repeat an earlier trajectory and are left
out; so are the trajectories of sub-agents in other files, which are counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.errors import InputError, Problem
from evenhand.transcripts.draft import Draft, list_in, listed, object_in, text_in, usage_in
from evenhand.transcripts.json_stream import Document, documents, within
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text, says_error, speak
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Submission

FORMAT = "atif"
TITLE = "ATIF trajectory"
PLACE = 180
MARKS = "schema_version agent steps step_id"
LATE_MARKS = "schema_version"

_ROLES = {"system": "system", "user": "user", "agent": "assistant"}


def is_ours(value: dict[str, Any]) -> bool:
    """The schema name, or an agent with steps that have a number and a source."""
    if text_in(value, "schema_version").startswith("ATIF"):
        return True
    first = next(iter(list_in(value, "steps")), None)
    return isinstance(value.get("agent"), dict) and isinstance(first, dict) and {"step_id", "source"} <= first.keys()


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every trajectory of a file."""
    for document in documents(source, within("steps", items=True)):
        damage = source.take_problems()
        for value in listed(document.value):
            if not isinstance(value, dict):
                place = document.place(value)
                yield InputError(Problem("a trajectory is not an object", place.file, place.line))
                continue
            trajectory = _Trajectory(Draft(source, FORMAT), document)
            trajectory.take(value)
            yield trajectory.finish(value)._replace(problems=damage)


class _Trajectory:
    def __init__(self, draft: Draft, document: Document) -> None:
        self.draft = draft
        self.document = document

    def take(self, value: dict[str, Any], name: str = "") -> None:
        """The steps of a trajectory; `name` is that of a sub-agent."""
        model = text_in(value.get("agent"), "model_name")
        for step in self.draft.objects(value, "steps", "step"):
            self._step(step, name, model)
        for number, trajectory in enumerate(list_in(value, "subagent_trajectories"), start=1):
            if isinstance(trajectory, dict):
                called = text_in(trajectory.get("agent"), "name")
                self.take(trajectory, text_in(trajectory, "trajectory_id") or called or f"sub-agent {number}")

    def _step(self, step: dict[str, Any], name: str, model: str) -> None:
        if step.get("is_copied_context"):
            return
        draft, source = self.draft, text_in(step, "source")
        role = _ROLES.get(source)
        if role is None:
            draft.count(f"step of {source or 'no source'}")
            role = "system"
        time = text_in(step, "timestamp")
        draft.saw_time(time)
        place = self.document.place(step)
        wrote = draft.saw_model(text_in(step, "model_name") or model) if role == "assistant" else ""
        speaker = Speaker(role, place, name, wrote, time)
        if isinstance(step.get("reasoning_content"), str) and step["reasoning_content"].strip():
            draft.reasoning(step["reasoning_content"], place, name, wrote, time)
        speak(draft, step.get("message"), speaker)
        for call in draft.objects(step, "tool_calls", "tool call"):
            id = text_in(call, "tool_call_id")
            draft.call(text_in(call, "function_name"), call.get("arguments"), place, id, name, wrote, time)
        self._results(step, speaker)
        if isinstance(metrics := step.get("metrics"), dict):
            request = (name, place, str(step.get("step_id")))
            draft.usage[request] = usage_in(metrics, "prompt_tokens", "completion_tokens", "cached_tokens")

    def _results(self, step: dict[str, Any], speaker: Speaker) -> None:
        """A tool result. Without the id of a call it is what the environment showed after the step."""
        for result in self.draft.objects(step.get("observation"), "results", "result"):
            id, text = text_in(result, "source_call_id"), result_text(result.get("content"))
            if id in self.draft.calls:
                self.draft.result(id, text, speaker.place, says_error(text), "", speaker.agent, speaker.time)
            else:
                self.draft.message("tool", text, speaker.place, speaker.agent, "", speaker.time)
            for _ in result.get("subagent_trajectory_ref") or ():
                self.draft.count("trajectory of a sub-agent in another file")

    def finish(self, value: dict[str, Any]) -> Submission:
        total = value.get("final_metrics")
        self.draft.saw_cost(object_in(value, "final_metrics").get("total_cost_usd"))
        if not self.draft.usage and isinstance(total, dict):
            keys = ("total_prompt_tokens", "total_completion_tokens", "total_cached_tokens")
            self.draft.usage["total"] = usage_in(total, *keys)
        if next_file := text_in(value, "continued_trajectory_ref"):
            message = f"the run goes on in {next_file[:200]}, which was not read"
            self.draft.source.warn(message, self.document.place(value).line)
        self.draft.id = text_in(value, "session_id") or text_in(value, "trajectory_id")
        return self.draft.finish()
