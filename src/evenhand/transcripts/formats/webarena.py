"""WebArena runs as Invariant's Explorer keeps them: a line of metadata, then a list of messages for each run.

Follows the traces of invariantlabs-ai/explorer (tests/data/webarena.jsonl) and the actions of web-arena-x/webarena
(browser_env/actions.py). A tool message is what the browser shows: it is the result of the action before it, and the
first one belongs to no action. The output is the answer that the agent stopped with.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.core.finding import Place
from evenhand.errors import InputError
from evenhand.transcripts.draft import Draft, list_in, object_in, text_in
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_text import written
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text, says_error
from evenhand.transcripts.shapes.messages import open_call, take_message
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Submission

FORMAT = "webarena"
TITLE = "WebArena runs"
PLACE = 310
MARKS = "role tool_calls function metadata"

_ACTIONS = frozenset(
    "click type hover press scroll goto go_back go_forward new_tab tab_focus page_focus close_tab page_close stop note "
    "select_option check".split()
)
_STOP = "stop"


def sniff(head: Head) -> bool:
    """A list of messages whose calls are actions in a browser, without ids."""
    return head.is_lines and any(_is_run(value) for value in head.values)


def _is_run(value: Any) -> bool:
    names = [name for message in value if (name := _action(message))] if isinstance(value, list) else []
    return bool(names) and all(name in _ACTIONS for name in names)


def _action(message: Any) -> str:
    """The name of the first call of a message, if it has no id."""
    call = next(iter(list_in(message, "tool_calls")), None)
    return text_in(object_in(call, "function"), "name") if isinstance(call, dict) and not call.get("id") else ""


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every run of a file."""
    for value, place in source.json_lines():
        yield from map(InputError, source.take_problems())
        if isinstance(value, list):
            yield _run(Draft(source, FORMAT), value, place)


def _run(draft: Draft, messages: list[Any], place: Place) -> Submission:
    for message in messages:
        if not isinstance(message, dict):
            draft.count("message that is not an object")
        elif message.get("role") == "tool":
            text = result_text(message.get("content"))
            index = open_call(draft, "")
            if index is None:
                draft.message("tool", text, place)
            else:
                draft.answer(index, text, place, says_error(text))
        else:
            take_message(draft, message, Speaker("", place))
    stops = [event.call for event in draft.events if event.call is not None and event.call.name == _STOP]
    if stops and isinstance(stops[-1].arguments, dict):
        draft.output = written(stops[-1].arguments.get("answer"))
    return draft.finish()._replace(source=f"{draft.source.name}:{place.line}")
