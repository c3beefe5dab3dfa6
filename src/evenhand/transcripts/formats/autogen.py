"""AutoGen, AG2 and Magentic-One: a conversation of several agents, each message with its author.

AgentChat messages (a TaskResult, a list, or one per line) follow autogen_agentchat/messages.py: `type`, `source`. The
form of the Who&When collection (ag2ai/Agents_Failure_Attribution) is an object with a `question` and a `history` whose
entries have a `name`, or in Magentic-One's runs a role such as `Orchestrator (thought)` or `Orchestrator (-> Coder)`.
The annotated mistakes are left out: a judge must not see what others thought of the work.
"""

from __future__ import annotations

import re
from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_conversations
from evenhand.transcripts.draft import list_in, text_in, usage_in
from evenhand.transcripts.json_stream import within
from evenhand.transcripts.json_text import maybe_json, written
from evenhand.transcripts.shapes.content_blocks import result_text, says_error
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Submission

FORMAT = "autogen"
TITLE = "AutoGen or Magentic-One conversation"
PLACE = 220
MARKS = "source type content"
LATE_MARKS = "mistake_agent ground_truth"

_SAID = frozenset(
    "TextMessage MultiModalMessage StopMessage HandoffMessage ToolCallSummaryMessage StructuredMessage "
    "CodeGenerationEvent".split()
)
_CALLS = frozenset(("ToolCallRequestEvent", "ToolCallMessage"))
_RESULTS = frozenset(("ToolCallExecutionEvent", "ToolCallResultMessage"))
_QUIET = frozenset("ModelClientStreamingChunkEvent UserInputRequestedEvent SelectSpeakerEvent SelectorEvent".split())
_TYPES = _SAID | _CALLS | _RESULTS | _QUIET | {"ThoughtEvent", "MemoryQueryEvent", "CodeExecutionEvent"}

_SPEAKER = re.compile(r"(.*?)\s*\((thought|termination condition|-> .*)\)\s*")
_TERMINALS = frozenset(("computer_terminal", "computerterminal", "executor", "code_executor"))
_USERS = frozenset(("human", "user", "user_proxy", "userproxy"))
_EXIT_CODE = re.compile(r"exitcode: (-?\d+)")
_END = re.compile(r"\s*TERMINATE\.?\s*$")


def is_ours(value: dict[str, Any]) -> bool:
    """A message with a type and a source, or a history of who said what."""
    return _is_message(value) or _held(value) is not None


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and text_in(value, "type") in _TYPES and isinstance(value.get("source"), str)


def _held(value: dict[str, Any]) -> list[Any] | None:
    """The messages of a TaskResult, or the history of who said what."""
    messages, history = list_in(value, "messages"), list_in(value, "history")
    if any(map(_is_message, messages[:20])):
        return messages
    if not value.keys() & {"question", "mistake_agent", "ground_truth", "is_correct"}:
        return None
    tells = any(isinstance(entry, dict) and "content" in entry and "role" in entry for entry in history[:20])
    return history if tells else None


class _Conversation(Reader):
    format = FORMAT
    stray = "message without a source"

    def __init__(self, source: Source, holder: dict[str, Any] | None = None) -> None:
        super().__init__(source, holder)
        self.is_history = bool(holder) and not any(map(_is_message, list_in(holder, "messages")[:20]))
        id = self.holder.get("question_ID" if self.is_history else "id")
        self.draft.id = written(id) if isinstance(id, str | int) else ""
        if self.is_history:
            self.stray = "entry without content"
            self.draft.task = text_in(holder, "question") or None

    def take(self, value: dict[str, Any], place: Place) -> None:
        if self.is_history:
            self._entry(value, place)
        else:
            self._message(value, place)

    # --- AgentChat -------------------------------------------------------------------------------

    def _message(self, value: dict[str, Any], place: Place) -> None:
        """A message or an event of AgentChat."""
        draft = self.draft
        if not _is_message(value):
            draft.count(text_in(value, "type") or self.stray)
            return
        draft.understood += 1
        kind, agent, content = value["type"], value["source"], value.get("content")
        time = text_in(value, "created_at")
        draft.saw_time(time)
        role = "user" if agent.lower() in _USERS else "assistant"
        if kind in _CALLS:
            for call in list_in(value, "content"):
                if isinstance(call, dict):
                    arguments = maybe_json(call.get("arguments"))
                    draft.call(text_in(call, "name"), arguments, place, text_in(call, "id"), agent, "", time)
        elif kind in _RESULTS:
            for result in list_in(value, "content"):
                if isinstance(result, dict):
                    text = result_text(result.get("content"))
                    failed = result.get("is_error")
                    failed = says_error(text) if failed is None else bool(failed)
                    id = text_in(result, "call_id")
                    draft.result(id, text, place, failed, text_in(result, "name"), agent, time)
        elif kind == "ThoughtEvent":
            draft.reasoning(result_text(content), place, agent, "", time)
        elif kind == "MemoryQueryEvent":
            draft.message("system", result_text(content), place, agent, "", time)
        elif kind == "CodeExecutionEvent":
            result = value.get("result")
            output = result.get("output") if isinstance(result, dict) else result
            draft.message("tool", result_text(output), place, agent, "", time)
        elif kind in _SAID:
            draft.message(role, _words(content), place, agent, "", time)
            pictures = list_in(value, "content")
            draft.attach([{"type": "image", **part} for part in pictures if isinstance(part, dict)])
        if isinstance(usage := value.get("models_usage"), dict):
            draft.usage[len(draft.usage)] = usage_in(usage, "prompt_tokens", "completion_tokens")

    # --- who said what ---------------------------------------------------------------------------

    def _entry(self, entry: dict[str, Any], place: Place) -> None:
        if "content" not in entry:
            self.draft.count(self.stray)
            return
        self.draft.understood += 1
        text = result_text(entry["content"])
        named = text_in(entry, "name") or text_in(entry, "role")
        speaker = _SPEAKER.fullmatch(named)
        agent, how = (speaker[1], speaker[2]) if speaker else (named, "")
        if agent.lower() in _USERS:
            self.draft.message("user", text, place)
        elif how == "thought":
            self.draft.reasoning(text, place, agent)
        elif agent.lower() in _TERMINALS or _EXIT_CODE.match(text):
            self.draft.message("tool", text, place, agent)
        else:
            self.draft.message("assistant", text, place, agent)

    def finish(self) -> Submission:
        """The submission. The output is the last agent message, without the word that ends the conversation."""
        answers = (_END.sub("", words) for words in self.draft.spoken("assistant"))
        self.draft.output = next((text for text in answers if text.strip()), "")
        if self.draft.task is None:
            self.draft.task = next(reversed(list(self.draft.spoken("user"))), None)
        return super().finish()


def _words(content: Any) -> str:
    """The text of a message; images become a note in brackets."""
    if isinstance(content, list):
        return "\n".join(part if isinstance(part, str) else "[image]" for part in content)
    return content if isinstance(content, str) else written(content)


read = read_conversations(_Conversation, within("messages", "history", items=True), _held)
