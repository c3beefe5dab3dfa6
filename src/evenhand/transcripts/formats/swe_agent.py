"""SWE-agent trajectories (`.traj`): one JSON object with `trajectory`, `history` and `info`.

Follows sweagent/agent/agents.py (save_trajectory, add_step_to_history) and sweagent/types.py, 0.x and 1.x. The history
has the model's messages and calls; the trajectory has the result of the last call, which the history lacks.
Demonstrations (`is_demo`) come from another run and are left out. The output is the patch that was submitted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.errors import InputError
from evenhand.transcripts.draft import Draft, list_in, listed, object_in, text_in, usage_in
from evenhand.transcripts.json_stream import Document, documents, within
from evenhand.transcripts.json_text import structured
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text, says_error
from evenhand.transcripts.shapes.messages import finish_run, take_call
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Submission

FORMAT = "swe-agent"
TITLE = "SWE-agent trajectory"
PLACE = 200
MARKS = "trajectory history action observation"
LATE_MARKS = "trajectory"


def is_ours(value: dict[str, Any]) -> bool:
    """A trajectory of steps with an action and an observation."""
    first = next((step for step in list_in(value, "trajectory") if isinstance(step, dict)), None)
    return first is not None and "action" in first and bool(first.keys() & {"observation", "response", "thought"})


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every run of a file; usually one."""
    for document in documents(source, within("trajectory", "history", items=True)):
        damage = source.take_problems()
        for value in listed(document.value):
            if isinstance(value, dict) and is_ours(value):
                yield _Reader(Draft(source, FORMAT), document, value).finish()._replace(problems=damage)


class _Reader:
    def __init__(self, draft: Draft, document: Document, value: dict[str, Any]) -> None:
        self.draft = draft
        self.document = document
        self.info = object_in(value, "info")
        self.steps = [step for step in list_in(value, "trajectory") if isinstance(step, dict)]
        self.history = [entry for entry in list_in(value, "history") if isinstance(entry, dict)]
        self.model = draft.saw_model(_model(value))
        self.main = next((text_in(entry, "agent") for entry in self.history if not entry.get("is_demo")), "")
        draft.id = text_in(value, "instance_id")

    def finish(self) -> Submission:
        if any(entry.get("role") == "assistant" and not entry.get("is_demo") for entry in self.history):
            for entry in self.history:
                if not entry.get("is_demo"):
                    self._entry(entry)
            self._last_result()
        else:
            for entry in self.history:
                self._entry(entry)
            for step in self.steps:
                self._step(step)
        usage = usage_in(object_in(self.info, "model_stats"), "tokens_sent", "tokens_received")
        if usage.input:
            self.draft.usage["total"] = usage
        return finish_run(self.draft, self.info, self.document.place(self.document.value))

    def _entry(self, entry: dict[str, Any]) -> None:
        role, draft = text_in(entry, "role"), self.draft
        agent = text_in(entry, "agent")
        speaker = Speaker(role, self.document.place(entry), "" if agent == self.main else agent)
        text = result_text(entry.get("content"))
        if role == "assistant":
            self._assistant(entry, speaker, text)
        elif role == "tool":
            ids = entry.get("tool_call_ids")
            for id in ids if isinstance(ids, list) else [entry.get("tool_call_id")]:
                draft.result(str(id or ""), text, speaker.place, says_error(text), "", speaker.agent)
        elif role == "user" and (index := draft.open_call()) is not None:
            draft.answer(index, text, speaker.place, says_error(text))
        elif role in ("system", "user"):
            draft.message(role, text, speaker.place, speaker.agent)
        else:
            draft.count(f"role {role}" if role else "entry without a role")

    def _assistant(self, entry: dict[str, Any], speaker: Speaker, text: str) -> None:
        speaker = speaker._replace(model=self.model)
        action = text_in(entry, "action").strip()
        thought = entry.get("thought")
        spoken = thought if isinstance(thought, str) and (entry.get("tool_calls") or action) else text
        self.draft.message("assistant", spoken, speaker.place, speaker.agent, self.model)
        structured_calls = [call for call in list_in(entry, "tool_calls") if isinstance(call, dict)]
        for call in structured_calls:
            take_call(self.draft, call, speaker)
        if action and not structured_calls:
            self.draft.call("bash", {"command": action}, speaker.place, "", speaker.agent, self.model)

    def _last_result(self) -> None:
        """The last result is only in the trajectory."""
        index = self.draft.open_call()
        if index is not None and self.steps and isinstance(observation := self.steps[-1].get("observation"), str):
            self.draft.answer(index, observation, self.document.place(self.steps[-1]), says_error(observation))

    def _step(self, step: dict[str, Any]) -> None:
        """A step of a file without a history."""
        place = self.document.place(step)
        thought = text_in(step, "thought") or text_in(step, "response")
        self.draft.message("assistant", thought, place, "", self.model)
        action = text_in(step, "action").strip()
        observation = result_text(step.get("observation"))
        if action:
            index = self.draft.call("bash", {"command": action}, place, "", "", self.model)
            self.draft.answer(index, observation, place, says_error(observation))
        else:
            self.draft.message("tool", observation, place)


def _model(value: dict[str, Any]) -> str:
    """The model's name in the settings that 1.x keeps for a replay, as an object or as JSON text."""
    settings: Any = structured(value.get("replay_config"))
    return text_in(object_in(object_in(settings, "agent"), "model"), "name")
