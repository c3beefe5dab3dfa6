"""smolagents: the steps of an agent's memory, as `agent.memory.get_full_steps()` or a dump of them gives.

Follows huggingface/smolagents `src/smolagents/memory.py` (TaskStep, PlanningStep, ActionStep, FinalAnswerStep).
"""

from __future__ import annotations

from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_conversations
from evenhand.transcripts.draft import list_in, object_in, text_in, usage_in
from evenhand.transcripts.json_stream import within
from evenhand.transcripts.json_text import written
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text, says_error
from evenhand.transcripts.shapes.messages import take_call
from evenhand.work.submission import Submission

FORMAT = "smolagents"
TITLE = "smolagents steps"
PLACE = 215
MARKS = "step_number observations model_output"

_LISTS = ("steps", "full_steps", "memory", "logs", "intermediate_steps")
_ANSWERS = ("final_answer",)


def is_ours(value: dict[str, Any]) -> bool:
    """A step, or an object that holds some."""
    return _is_step(value) or _held(value) is not None


def _is_step(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    acts = {"model_output", "observations", "action_output", "code_action", "model_output_message"} & value.keys()
    return ("step_number" in value or "step" in value) and bool(acts)


def _held(value: dict[str, Any]) -> list[Any] | None:
    rows = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
    return rows if rows is not None and any(map(_is_step, rows[:20])) else None


class _Steps(Reader):
    """The steps of a run while they are read."""

    format = FORMAT

    def take(self, value: dict[str, Any], place: Place) -> None:
        if isinstance(task := value.get("task"), str) and not _is_step(value):
            self.draft.message("user", task, place)
        elif "system_prompt" in value and not _is_step(value):
            self.draft.message("system", written(value["system_prompt"]), place)
        elif "plan" in value and not _is_step(value):
            self.draft.message("assistant", result_text(value["plan"]), place)
        elif _is_step(value):
            self.step(value, place)
        elif "output" in value:
            self.draft.output = result_text(value["output"])
        else:
            self.draft.count("entry that is not a step")
            return
        self.draft.understood += 1

    def step(self, value: dict[str, Any], place: Place) -> None:
        """One step: what the model wrote, what it called, and what came back."""
        draft = self.draft
        said = value.get("model_output") or object_in(value, "model_output_message").get("content")
        draft.message("assistant", result_text(said) if said else "", place)
        calls = [call for call in list_in(value, "tool_calls") if isinstance(call, dict)]
        first = len(draft.events)
        for call in calls:
            take_call(draft, call, Speaker("assistant", place))
        if not calls and text_in(value, "code_action"):
            draft.call("python_interpreter", {"code": value["code_action"]}, place)
        error = value.get("error")
        shown = text_in(error, "message") if isinstance(error, dict) else written(error) if error else ""
        text = "\n".join(filter(None, [result_text(value["observations"]) if value.get("observations") else "", shown]))
        for index in range(first, len(draft.events)):
            draft.answer(index, text, place, failed=bool(error) or says_error(text))
        called = [event.call.name for event in draft.events[first:] if event.call is not None]
        final = value.get("is_final_answer") is True or any(name in _ANSWERS for name in called)
        if final and value.get("action_output") is not None:
            draft.output = result_text(value["action_output"])
        usage = usage_in(object_in(value, "token_usage"), "input_tokens", "output_tokens")
        if usage.input:
            draft.usage[str(value.get("step_number"))] = usage

    def finish(self) -> Submission:
        task = self.holder.get("task")
        if isinstance(task, str):
            self.draft.task = task
        for key in ("output", "final_answer", "result"):
            if self.draft.output is None and isinstance(self.holder.get(key), str | int | float):
                self.draft.output = str(self.holder[key])
        return self.draft.finish_if_any()


read = read_conversations(_Steps, within(*_LISTS, items=True), _held)
