"""OpenAI chat and Responses, as JSON or JSONL: one conversation per file, one per line, or one message per line.

A conversation may have its own `expect` beside its messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.core.finding import Place
from evenhand.errors import InputError
from evenhand.transcripts.draft import Draft, listed, text_in
from evenhand.transcripts.json_stream import Document, documents, within
from evenhand.transcripts.json_text import written
from evenhand.transcripts.long_document import is_long_document, items
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text
from evenhand.transcripts.shapes.items import QUIET, TYPES, take_item
from evenhand.transcripts.shapes.messages import ROLES, take_display, take_message, usage_of
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Submission

FORMAT = "openai"
TITLE = "OpenAI chat or Responses"
PLACE = 320
IS_GENERAL = True
MARKS = "messages role content"

_LISTS = ("messages", "input", "traj", "trajectory", "conversation", "history", "output", "choices")
"""The keys of the lists of a conversation, in order."""

_INNER = ("body", "request", "response")
_ANSWERS = frozenset(("tool_call_id", "name", "function"))
"""Keys that say which call a tool's message answers."""


def is_ours(value: dict[str, Any]) -> bool:
    """A message, an item, or something that holds a list of them."""
    return _is_part(value) or _is_conversation(value)


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every conversation of a file."""
    if is_long_document(source) and (long := _LongConversation(source)).lists:
        yield long.read()
        return
    running: _Conversation | None = None
    some = False
    for document in documents(source, within(*_LISTS, *_INNER, items=True)):
        conversations = _conversations(document.value)
        if conversations is None:
            running = running or _Conversation(source)
            running.take_part(document.value, document)
            continue
        if document.is_line:
            yield from map(InputError, source.take_problems())
        waiting = source.take_problems()
        for value in conversations:
            submission, some = _Conversation(source).whole(value, document), True
            submission = submission._replace(problems=waiting)  # with several, it is unknown which one is affected
            if len(conversations) > 1 or document.is_line:
                submission = submission._replace(source=f"{source.name}:{document.place(value).line}")
            yield submission
    if running and (running.draft.understood or not some):  # a line about all conversations is none
        yield running.draft.finish_if_any()


def _conversations(value: Any) -> list[Any] | None:
    """The conversations in a value; None when it is one part of a conversation."""
    if isinstance(value, list):
        if any(_is_conversation(item) for item in value):
            return value
        return [value] if any(_is_part(item) for item in value) else None
    return [value] if _is_conversation(value) else None


def _is_part(value: Any) -> bool:
    """A message, or an item of a response."""
    if not isinstance(value, dict):
        return False
    role, kind = value.get("role"), value.get("type")
    if isinstance(role, str) and role.lower() in ROLES:
        return bool(value.keys() & {"content", "tool_calls", "function_call", "parts", "refusal"})
    if kind == "message":
        return "content" in value and "id" in value
    return isinstance(kind, str) and kind in TYPES and bool(value.keys() & {"call_id", "id", "summary"})


def _is_conversation(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("messages_display"), str):
        return True
    return any(_is_conversation(value.get(key)) for key in _INNER) or any(
        _is_list_of_parts(value.get(key)) for key in _LISTS
    )


def _is_list_of_parts(value: Any) -> bool:
    if not isinstance(value, list):
        return False
    return any(_is_part(part) or (isinstance(part, dict) and _is_part(part.get("message"))) for part in value[:20])


class _Conversation:
    """One conversation while it is read."""

    def __init__(self, source: Source) -> None:
        self.draft = Draft(source, FORMAT)
        self.model = ""

    def whole(self, value: Any, document: Document) -> Submission:
        """A conversation in one value."""
        if isinstance(value, dict):
            self.take_holder(value, document)
        else:
            for part in listed(value):
                self.take_part(part, document)
        self.draft.output = self.draft.handed_in()
        submission = self.draft.finish()
        return (
            submission._replace(expect=value["expect"]) if isinstance(value, dict) and "expect" in value else submission
        )

    def take_holder(self, value: dict[str, Any], document: Document) -> None:
        """An object with lists of parts in it: a request, a response, or both."""
        named = value.get("id", value.get("task_id", value.get("custom_id")))
        self.draft.id = self.draft.id or (written(named) if isinstance(named, str | int) else "")
        self.model = self.draft.saw_model(value.get("model")) or self.model
        self.draft.saw_tools(value.get("tools") or value.get("functions"))
        instructions = value.get("instructions") or value.get("system")
        if isinstance(instructions, str):
            self.draft.message("system", instructions, document.place(value))
        if isinstance(value.get("input"), str) and _is_list_of_parts(value.get("output")):
            self.draft.message("user", value["input"], document.place(value))
        if isinstance(value.get("messages_display"), str):
            take_display(self.draft, value["messages_display"], Speaker("", document.place(value)))
        for key in _LISTS:
            for part in value[key] if _is_list_of_parts(value.get(key)) else ():
                self.take_part(part, document)
        for key in _INNER:
            if isinstance(value.get(key), dict):
                self.take_holder(value[key], document)
        usage = usage_of(value.get("usage"))
        if usage is not None:
            self.draft.usage[id(value)] = usage
        if isinstance(error := value.get("error"), dict) and error:
            self.draft.error(text_in(error, "message") or written(error), document.place(value), model=self.model)

    def take_part(self, part: Any, document: Document) -> None:
        """A message, an item, or a choice with a message in it."""
        place = document.place(part)
        if not isinstance(part, dict):
            self.draft.count("entry that is not an object")
            return
        self.draft.understood += 1
        kind = text_in(part, "type")
        if isinstance(part.get("message"), dict):
            take_message(self.draft, part["message"], Speaker("", place, "", self.model))
        elif kind in TYPES and kind != "message":
            take_item(self.draft, part, Speaker("assistant", place, "", self.model))
        elif part.get("role") == "tool" and not part.keys() & _ANSWERS and self.draft.open_call() is None:
            self.draft.message("tool", result_text(part.get("content")), place)  # shown before anything was called
        elif "role" in part:
            take_message(self.draft, part, Speaker("", place, "", self.model))
        elif kind not in QUIET:
            self.draft.understood -= 1
            self.draft.count(f"{kind} entry" if kind else "entry without a role")


class _LongConversation:
    """A conversation in a document that is not held in memory: first what stands beside its lists, then their items."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.beside: dict[str, Any] = {}
        first: dict[str, list[Any]] = {}
        for item in items(source, _LISTS):
            if not item.is_listed:
                self.beside[item.key] = item.value
            elif len(first.setdefault(item.key, [])) < 20:
                first[item.key].append(item.value)
        source.take_problems()  # they are found again
        self.lists = [key for key in ("", *_LISTS) if _is_list_of_parts(first.get(key))]
        """The keys of the lists that hold parts, in order; empty for a document that is such a list itself."""

    def read(self) -> Submission:
        conversation = _Conversation(self.source)
        after = {key: self.beside[key] for key in (*_INNER, "usage", "error") if key in self.beside}
        before = {key: value for key, value in self.beside.items() if key not in after}
        begin = Place(self.source.name, 1, 0)
        document = Document(before, lambda _: begin)
        conversation.take_holder(before, document)
        if isinstance(before.get("input"), str) and "output" in self.lists:
            conversation.draft.message("user", before["input"], begin)
        for key in self.lists:
            self.source.take_problems()
            for item in items(self.source, _LISTS):
                if item.is_listed and item.key == key:
                    conversation.take_part(item.value, document._replace(place=lambda _, item=item: item.place))  # type: ignore[misc]
        conversation.take_holder(after, document)
        submission = conversation.draft.finish()
        if self.source.head.is_lines:
            submission = submission._replace(source=f"{self.source.name}:1")  # as any conversation on a line
        return submission._replace(expect=before["expect"]) if "expect" in before else submission
