"""mini-swe-agent trajectories: an object with `messages`, `info` and `trajectory_format`, or the bare list of messages.

Follows src/minisweagent/agents/default.py and models/utils (actions_text.py, actions_toolcall.py), v1 and v2. A command
is the one fenced block of an answer, or a tool call; what came back is the next message, with its `<returncode>`. The
output is what was submitted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from evenhand.errors import InputError
from evenhand.transcripts.draft import Draft, object_in, text_in
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_stream import Document, documents, within
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text
from evenhand.transcripts.shapes.messages import finish_run, take_message, usage_of
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Submission

FORMAT = "mini-swe-agent"
TITLE = "mini-swe-agent trajectory"
PLACE = 210
MARKS = "messages info trajectory_format exit_status"
LATE_MARKS = "trajectory_format mini_version"

_BEGINS = re.compile(r"```(?:bash|mswea_bash_command)\s*\n")
_ENDS = "\n```"
_RETURN_CODE = re.compile(r"\s*<returncode>(-?\d+)</returncode>")
_TIMED_OUT = re.compile(r"\s*The last command <command>.*?</command> timed out", re.DOTALL)


def sniff(head: Head) -> bool:
    """The name of the format, or commands in fenced blocks followed by return codes."""
    if any(text_in(value, "trajectory_format").startswith("mini-swe-agent") for value in head.objects):
        return True
    for value in head.objects:
        info, messages = value.get("info"), value.get("messages")
        if isinstance(info, dict) and isinstance(messages, list) and info.keys() & {"mini_version", "exit_status"}:
            return True
    texts = [(text_in(value, "role"), text_in(value, "content")) for value in head.objects]
    asks = any(role == "assistant" and _commands(text) for role, text in texts)
    return asks and any(role == "user" and _RETURN_CODE.match(text) for role, text in texts)


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every run of a file; usually one."""
    for document in documents(source, within("messages")):
        value, damage = document.value, source.take_problems()
        holder: dict[str, Any] = value if isinstance(value, dict) else {"messages": value}
        yield _Reader(Draft(source, FORMAT), document, holder).finish()._replace(problems=damage)


class _Reader:
    def __init__(self, draft: Draft, document: Document, value: dict[str, Any]) -> None:
        self.draft = draft
        self.document = document
        self.value = value
        self.info = object_in(value, "info")
        draft.id = text_in(value, "instance_id")
        self.model = text_in(object_in(self.info, "config").get("model"), "model_name")

    def finish(self) -> Submission:
        for message in self.draft.objects(self.value, "messages", "message"):
            self._message(message)
        return finish_run(self.draft, self.info, self.document.place(self.document.value))

    def _message(self, message: dict[str, Any]) -> None:
        role, draft = text_in(message, "role"), self.draft
        extra = object_in(message, "extra")
        place, text = self.document.place(message), result_text(message.get("content"))
        if role == "assistant":
            response = object_in(extra, "response")
            model = draft.saw_model(response.get("model") or self.model)
            if (usage := usage_of(response.get("usage"))) is not None:
                draft.usage[text_in(response, "id") or place] = usage
            if message.get("tool_calls"):
                take_message(draft, message, Speaker("", place, "", model))
            else:
                self._answer(text, Speaker("assistant", place, "", model))
        elif role in ("user", "tool", "exit"):
            self._result(message, extra, role, text, Speaker("", place))
        elif role == "system":
            draft.message("system", text, place)
        else:
            draft.count(f"role {role}" if role else "message without a role")

    def _answer(self, text: str, speaker: Speaker) -> None:
        """Text with one fenced command; with none or several, nothing is run."""
        commands = _commands(text)
        if len(commands) != 1:
            self.draft.message("assistant", text, speaker.place, "", speaker.model)
            return
        ((start, end, command),) = commands
        said = f"{text[:start]}{text[end:]}".strip()
        self.draft.message("assistant", said, speaker.place, "", speaker.model)
        self.draft.call("bash", {"command": command.strip()}, speaker.place, "", "", speaker.model)

    def _result(self, message: dict[str, Any], extra: dict[str, Any], role: str, text: str, speaker: Speaker) -> None:
        draft = self.draft
        code = _RETURN_CODE.match(text)
        failed = code[1] != "0" if code is not None else _TIMED_OUT.match(text) is not None
        failed = failed or extra.get("returncode", 0) not in (0, None) or bool(extra.get("exception_info"))
        id = text_in(message, "tool_call_id")
        index = draft.calls.get(id) if id else draft.open_call()
        if index is not None:
            draft.answer(index, text, speaker.place, failed)
        elif role == "user" and any(event.role == "assistant" for event in draft.events):
            draft.message("system", text, speaker.place)  # the program complains about an answer without a command
        else:
            draft.message("tool" if role != "user" else "user", text, speaker.place)


def _commands(text: str) -> list[tuple[int, int, str]]:
    """The fenced commands of an answer, each with its start and end: as the pattern BEGINS(.*?)ENDS, which takes time
    with the square of what is left open, finds them."""
    found = []
    at, end = 0, 0
    while begin := _BEGINS.search(text, at):
        at = begin.end()
        end = text.find(_ENDS, at) if end >= 0 else -1
        blank = text.rfind("\n", begin.start(), at - 1) + 1
        if end >= 0:
            found.append((begin.start(), end + len(_ENDS), text[at:end]))
        elif blank and text.startswith(_ENDS, at - 1):  # nothing but blank lines
            found.append((begin.start(), at - 1 + len(_ENDS), text[blank : at - 1]))
        else:
            continue
        at = found[-1][1]
    return found
