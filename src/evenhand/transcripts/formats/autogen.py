"""AutoGen, AG2 and Magentic-One: a conversation of several agents, each message with its author.

AgentChat messages (a TaskResult, a list, or one per line) follow autogen_agentchat/messages.py: `type`, `source`. The
form of the Who&When collection (ag2ai/Agents_Failure_Attribution) is an object with a `question` and a `history` whose
entries have a `name`, or in Magentic-One's runs a role such as `Orchestrator (thought)` or `Orchestrator (-> Coder)`.
The annotated mistakes are left out: a judge must not see what others thought of the work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from evenhand.core.values.submission import Submission, Usage
from evenhand.errors import InputError
from evenhand.transcripts.draft import Draft, count_of, text_in
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_stream import Document, documents
from evenhand.transcripts.json_text import Key, maybe_json, written
from evenhand.transcripts.shapes.content_blocks import result_text, says_error
from evenhand.transcripts.sources import Source

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


def sniff(head: Head) -> bool:
    """A message with a type and a source, or a history of who said what."""
    return any(_is_message(value) or _is_result(value) or _is_history(value) for value in head.objects)


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and text_in(value, "type") in _TYPES and isinstance(value.get("source"), str)


def _is_result(value: dict[str, Any]) -> bool:
    messages = value.get("messages")
    return isinstance(messages, list) and any(_is_message(message) for message in messages[:20])


def _is_history(value: dict[str, Any]) -> bool:
    history = value.get("history")
    if not isinstance(history, list) or not value.keys() & {"question", "mistake_agent", "ground_truth", "is_correct"}:
        return False
    return any(isinstance(entry, dict) and "content" in entry and "role" in entry for entry in history[:20])


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every conversation of a file."""
    running: _Conversation | None = None
    for document in documents(source, _is_opened):
        values = document.value if isinstance(document.value, list) else [document.value]
        for value in values:
            if isinstance(value, dict) and (_is_result(value) or _is_history(value)):
                submission = _Conversation(Draft(source, FORMAT), document).whole(value)
                yield (
                    submission._replace(source=f"{source.name}:{document.place(value).line}")
                    if document.is_line
                    else submission
                )
                continue
            running = running or _Conversation(Draft(source, FORMAT), document)
            running.document = document
            running.message(value)
    if running:
        yield running.finish(None, None)


def _is_opened(path: tuple[Key, ...]) -> bool:
    return not path or path[-1] in ("messages", "history") or (len(path) == 1 and isinstance(path[0], int))


class _Conversation:
    def __init__(self, draft: Draft, document: Document) -> None:
        self.draft = draft
        self.document = document
        self.understood = 0

    def whole(self, value: dict[str, Any]) -> Submission:
        """A conversation in one object."""
        if _is_result(value):
            for message in value["messages"]:
                self.message(message)
            return self.finish(None, value.get("id"))
        for entry in value["history"]:
            self._entry(entry)
        return self.finish(text_in(value, "question") or None, value.get("question_ID"))

    # --- AgentChat -------------------------------------------------------------------------------

    def message(self, value: Any) -> None:
        """A message or an event of AgentChat."""
        draft = self.draft
        if not _is_message(value):
            kind = text_in(value, "type") if isinstance(value, dict) else ""
            draft.count(kind or "message without a source")
            return
        self.understood += 1
        kind, agent, content = value["type"], value["source"], value.get("content")
        place, time = self.document.place(value), text_in(value, "created_at")
        draft.saw_time(time)
        role = "user" if agent.lower() in _USERS else "assistant"
        if kind in _CALLS:
            for call in content if isinstance(content, list) else ():
                if isinstance(call, dict):
                    arguments = maybe_json(call.get("arguments"))
                    draft.call(text_in(call, "name"), arguments, place, text_in(call, "id"), agent, "", time)
        elif kind in _RESULTS:
            for result in content if isinstance(content, list) else ():
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
            pictures = content if isinstance(content, list) else ()
            draft.attach([{"type": "image", **part} for part in pictures if isinstance(part, dict)])
        usage = value.get("models_usage")
        if isinstance(usage, dict):
            tokens = (count_of(usage.get("prompt_tokens")), count_of(usage.get("completion_tokens")))
            draft.usage[len(draft.usage)] = Usage(*tokens)

    # --- who said what ---------------------------------------------------------------------------

    def _entry(self, entry: Any) -> None:
        if not isinstance(entry, dict) or "content" not in entry:
            self.draft.count("entry without content")
            return
        self.understood += 1
        text, place = result_text(entry["content"]), self.document.place(entry)
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

    def finish(self, task: str | None, id: Any) -> Submission:
        """The submission. The output is the last agent message, without the word that ends the conversation."""
        events = self.draft.events
        requests = (event.text for event in events if event.kind == "message" and event.role == "user")
        spoken = (event.text for event in reversed(events) if event.kind == "message" and event.role == "assistant")
        output = next((text for text in (_END.sub("", words) for words in spoken) if text.strip()), "")
        submission = self.draft.finish_if_any(self.understood, task=task or next(requests, None))
        return submission._replace(output=output, id=written(id) if isinstance(id, str | int) else None)


def _words(content: Any) -> str:
    """The text of a message; images become a note in brackets."""
    if isinstance(content, list):
        return "\n".join(part if isinstance(part, str) else "[image]" for part in content)
    return content if isinstance(content, str) else written(content)
