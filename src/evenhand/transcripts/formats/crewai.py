"""CrewAI: the events of its event bus, one per line or in a list.

Follows lib/crewai/src/crewai/events/types (crew_events.py, task_events.py, agent_events.py, tool_usage_events.py,
llm_events.py) of crewAIInc/crewAI. `type` names the event; an agent goes by its role. What a model is sent repeats the
conversation so far and is left out, as are parts of a stream; an answer repeated by several events counts once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.core.finding import Place
from evenhand.errors import InputError
from evenhand.transcripts.conversation import Reader
from evenhand.transcripts.draft import list_in, listed, object_in, text_in
from evenhand.transcripts.json_stream import documents, within
from evenhand.transcripts.json_text import maybe_json, written
from evenhand.transcripts.shapes.content_blocks import result_text
from evenhand.transcripts.shapes.messages import usage_of
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Submission

FORMAT = "crewai"
TITLE = "CrewAI events"
PLACE = 300
MARKS = "type timestamp task_name"

_PREFIXES = (
    "crew_",
    "task_",
    "agent_",
    "lite_agent_",
    "tool_",
    "llm_",
    "flow_",
    "memory_",
    "knowledge_",
    "method_",
    "mcp_",
)
_TYPES = frozenset(
    "crew_kickoff_started crew_kickoff_completed crew_kickoff_failed task_started task_completed task_failed "
    "agent_execution_started agent_execution_completed agent_execution_error lite_agent_execution_started "
    "lite_agent_execution_completed lite_agent_execution_error tool_usage_started tool_usage_finished "
    "tool_usage_error llm_call_started llm_call_completed llm_call_failed".split()
)
_QUIET = frozenset(
    "crew_kickoff_started llm_call_started llm_stream_chunk llm_thinking_chunk task_evaluation agent_logs_started "
    "agent_logs_execution flow_started flow_created flow_finished flow_plot crew_test_started crew_test_completed "
    "tool_failure_detected".split()
)


def is_ours(value: dict[str, Any]) -> bool:
    """An event of a known type with a time."""
    return text_in(value, "type") in _TYPES and "timestamp" in value


def read(source: Source) -> Iterator[Submission | InputError]:
    """One run of a crew."""
    crew = _Crew(source)
    for document in documents(source, within("events")):
        value = document.value
        crew.take_all(list_in(value, "events") or listed(value), document)
    yield crew.finish()


class _Crew(Reader):
    format = FORMAT
    stray = "entry without a type"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.agent = ""

    def take(self, event: dict[str, Any], place: Place) -> None:
        kind = text_in(event, "type")
        if not kind.startswith(_PREFIXES):
            self.draft.count(kind or self.stray)
            return
        self.draft.understood += 1
        time = text_in(event, "timestamp")
        self.draft.saw_time(time)
        agent = text_in(event, "agent_role") or text_in(event.get("agent"), "role")
        if kind.endswith(("_failed", "_error")) and not kind.startswith("tool_"):
            self.draft.error(written(event.get("error")) or kind, place, agent or self.agent, "", time)
        elif kind == "task_started":
            inner = object_in(event, "task") or event
            text = text_in(inner, "description") or text_in(event, "task_name") or text_in(inner, "name")
            self.draft.task = self.draft.task or text or None
            self.draft.message("user", text, place, "", "", time)
        elif kind in ("agent_execution_started", "lite_agent_execution_started"):
            self.agent = agent
            self.draft.task = self.draft.task or text_in(event, "task_prompt") or text_in(event, "task_name") or None
            self.draft.message("user", text_in(event, "task_prompt"), place, agent, "", time)
        elif kind.startswith("tool_"):
            self._tool(kind, event, place, agent or self.agent, time)
        elif kind == "llm_call_completed":
            self._answered(event, place, agent or self.agent, time)
        elif kind in ("agent_execution_completed", "lite_agent_execution_completed", "task_completed"):
            self._agent_message(_raw(event.get("output")), place, agent or self.agent, time)
        elif kind == "crew_kickoff_completed":
            self.draft.output = _raw(event.get("output"))
            self._agent_message(self.draft.output, place, "", time)
        elif kind not in _QUIET and not kind.endswith(("_started", "_completed")):
            self.draft.count(kind)

    def _tool(self, kind: str, event: dict[str, Any], place: Place, agent: str, time: str) -> None:
        draft, name = self.draft, text_in(event, "tool_name")
        arguments = maybe_json(event.get("tool_args"))
        if kind == "tool_usage_started":
            draft.call(name, arguments, place, "", agent, "", time)
            return
        failed = kind != "tool_usage_finished" or bool(event.get("failure"))
        text = result_text(event.get("output")) if kind == "tool_usage_finished" else written(event.get("error"))
        index = self._open(name, arguments)
        if index is not None:
            draft.answer(index, text, place, failed)
        elif kind == "tool_usage_finished" or kind == "tool_usage_error":
            draft.answer(draft.call(name, arguments, place, "", agent, "", time), text, place, failed)
        elif kind not in _QUIET:
            draft.error(text or kind, place, agent, "", time)

    def _open(self, name: str, arguments: Any) -> int | None:
        """The call that a result answers: the one with the same arguments, or the first open one with its name."""
        same = list(self.draft.open_calls(name))[::-1]
        exact = [index for index in same if (call := self.draft.events[index].call) and call.arguments == arguments]
        return next(iter(exact or same), None)

    def _answered(self, event: dict[str, Any], place: Place, agent: str, time: str) -> None:
        model = self.draft.saw_model(event.get("model"))
        usage = usage_of(event.get("usage"))
        if usage is not None:
            self.draft.usage[text_in(event, "call_id") or place] = usage
        response = event.get("response")
        if isinstance(response, str):
            self._agent_message(response, place, agent, time, model)

    def _agent_message(self, text: str, place: Place, agent: str, time: str, model: str = "") -> None:
        last = next((event.text for event in reversed(self.draft.events) if event.kind == "message"), "")
        if text.strip() and text.strip() not in (last.strip(), last.rpartition("Final Answer:")[2].strip()):
            self.draft.message("assistant", text, place, agent, model, time)

    def finish(self) -> Submission:
        if self.draft.output is None:
            self.draft.output = next(self.draft.spoken("assistant"), "")
        return super().finish()


def _raw(output: Any) -> str:
    """What was produced: the text, or the `raw` of an output object."""
    if isinstance(output, dict):
        return text_in(output, "raw") or written(output)
    return result_text(output)
