"""Cline and Roo Code: what a task sent to the model and got back, `api_conversation_history.json`.

Follows cline/cline `src/core/storage/disk.ts`, `src/core/assistant-message/parse-assistant-message.ts` and
`src/core/prompts/responses.ts`, and RooCodeInc/Roo-Code `src/core/task-persistence/apiMessages.ts`: messages of
Anthropic's API. Tools are called with `tool_use` blocks or, mostly, as XML in the answer; then the result is in
the user's next message, after `[tool for '...'] Result:`. The text of `attempt_completion` is the final answer.
"""

from __future__ import annotations

import re
from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_entries
from evenhand.transcripts.draft import listed, object_in, text_in, usage_apart
from evenhand.transcripts.shapes.content_blocks import Speaker, speak
from evenhand.transcripts.times import moment
from evenhand.work.submission import Submission

FORMAT = "cline-history"
TITLE = "Cline or Roo Code task, as sent"
PLACE = 120

_OWN_TOOLS = (
    "write_to_file replace_in_file apply_diff insert_content search_and_replace list_code_definition_names "
    "ask_followup_question attempt_completion plan_mode_respond act_mode_respond access_mcp_resource use_mcp_tool "
    "switch_mode new_task update_todo_list fetch_instructions codebase_search new_rule report_bug condense"
).split()
_TOOLS = (*_OWN_TOOLS, *"read_file list_files search_files execute_command browser_action web_fetch".split())

_CALL = re.compile(rf"<({'|'.join(_TOOLS)})>\n?(.*?)(?:</\1>|\Z)", re.DOTALL)
_ARGUMENT = re.compile(r"<(\w+)>(.*?)</\1>", re.DOTALL)
_THINKING = re.compile(r"<thinking>(.*?)</thinking>", re.DOTALL)
_RESULT = re.compile(r"\[(\w+)(?: for '.*?'| .*?)?\] Result:\s*", re.DOTALL)
_REQUEST = re.compile(
    r"<(?:task|feedback|user_message|answer)>\n?(.*?)\n?</(?:task|feedback|user_message|answer)>", re.DOTALL
)
_SURROUNDINGS = re.compile(r"<environment_details>.*?(?:</environment_details>|\Z)", re.DOTALL)
_FAILED = re.compile(r"\s*(?:The tool execution failed|<error>|Error:|\[ERROR\]|The user denied this operation)")
_FINAL = {
    "attempt_completion": "result",
    "plan_mode_respond": "response",
    "act_mode_respond": "response",
    "ask_followup_question": "question",
}
"""Tools whose argument is a message to the user."""


def is_ours(value: dict[str, Any]) -> bool:
    """Anthropic's messages with what only Cline puts in: its surroundings, its tools, or a time in milliseconds."""
    if value.get("role") not in ("user", "assistant") or "content" not in value or value.keys() & {"type", "id"}:
        return False
    if isinstance(value.get("ts"), int) and value["ts"] > 10**12:
        return True
    for block in listed(value["content"]):
        text = text_in(block, "text") if isinstance(block, dict) else block
        if isinstance(text, str) and (text.startswith("<task>\n") or "<environment_details>\n" in text):
            return True
        if isinstance(block, dict) and block.get("type") == "tool_use" and block.get("name") in _OWN_TOOLS:
            return True
    return False


class _History(Reader):
    """The state of a task while its messages are read."""

    format = FORMAT
    stray = "entry without a role"

    def take(self, value: dict[str, Any], place: Place) -> None:
        role = text_in(value, "role")
        if role not in ("user", "assistant"):
            self.draft.count(f"role {role}" if role else self.stray)
            return
        self.draft.understood += 1
        time = moment(value.get("ts"))
        self.draft.saw_time(time)
        model = self.draft.saw_model(object_in(value, "modelInfo").get("modelId")) if role == "assistant" else ""
        self.tokens(value, place)
        if value.get("isSummary"):
            role = "system"
        speaker = Speaker(role, place, "", model, time)
        blocks = listed(value.get("content"))
        if role == "user":
            self.from_user(blocks, speaker)
            return
        for block in blocks:
            text = text_in(block, "text") if isinstance(block, dict) and block.get("type") == "text" else block
            if isinstance(text, str) and role == "assistant":
                self.answer(text, speaker)
            elif block is not None:
                speak(self.draft, [block], speaker)

    def tokens(self, value: dict[str, Any], place: Place) -> None:
        tokens = object_in(value, "metrics").get("tokens")
        if isinstance(tokens, dict):
            self.draft.usage[place] = usage_apart(tokens, "prompt", "completion", "cached")

    def answer(self, text: str, speaker: Speaker) -> None:
        """The agent's text, its thoughts, and its calls in XML."""
        at = 0
        for match in sorted([*_CALL.finditer(text), *_THINKING.finditer(text)], key=lambda match: match.start()):
            if match.start() < at:
                continue  # quoted in a file's content, so not a call
            self.draft.message("assistant", text[at : match.start()].strip(), *speaker[1:])
            at = match.end()
            if match[0].startswith("<thinking>"):
                self.draft.reasoning(match[1].strip(), *speaker[1:])
            else:
                self.draft.call(match[1], _arguments(match[2]), speaker.place, "", *speaker[2:])
        self.draft.message("assistant", text[at:].strip(), *speaker[1:])

    def from_user(self, blocks: list[Any], speaker: Speaker) -> None:
        """Tool results, user input, and what Cline adds around both."""
        waiting: tuple[str, list[str]] | None = None
        """The tool whose result is being read, and its text so far."""
        for block in blocks:
            text = text_in(block, "text") if isinstance(block, dict) and block.get("type") == "text" else block
            if not isinstance(text, str):
                speak(self.draft, [block], speaker)
                continue
            for surroundings in _SURROUNDINGS.findall(text):
                self.draft.message("system", surroundings, *speaker[1:])
            text = _SURROUNDINGS.sub("", text).strip()
            if result := _RESULT.match(text):
                self.result(waiting, speaker)
                waiting = (result[1], [text[result.end() :]])
            elif waiting is not None and not _REQUEST.match(text):
                waiting[1].append(text)
            else:
                self.typed(text, speaker)
        self.result(waiting, speaker)

    def result(self, waiting: tuple[str, list[str]] | None, speaker: Speaker) -> None:
        """The result of a call in XML."""
        if waiting is None:
            return
        name, texts = waiting
        text = "\n".join(filter(None, texts))
        failed = _FAILED.match(text) is not None
        index = self.draft.open_call(name)
        if index is not None:
            self.draft.answer(index, text, speaker.place, failed)
        else:
            self.draft.result("", text, speaker.place, failed, name, "", speaker.time)
        for request in _REQUEST.findall(text):
            self.draft.message("user", request, *speaker[1:])

    def typed(self, text: str, speaker: Speaker) -> None:
        """What the user typed, perhaps in a wrapper."""
        request = "\n".join(_REQUEST.findall(text))
        wrapper = text.startswith(("[TASK RESUMPTION]", "[ERROR]", "<explicit_instructions")) and not request
        self.draft.message("system" if wrapper else "user", request or text, *speaker[1:])
        if self.draft.task is None and text and not wrapper:
            self.draft.task = request or text

    def finish(self) -> Submission:
        """The submission for the whole task. A message sent through a tool is the answer, if nothing follows."""
        for event in reversed(self.draft.events):
            if event.kind == "message" and event.role == "assistant":
                break
            if event.call and event.call.name in _FINAL and isinstance(event.call.arguments, dict):
                self.draft.output = text_in(event.call.arguments, _FINAL[event.call.name]) or None
                break
        return super().finish()


def _arguments(text: str) -> dict[str, str]:
    """The arguments of a call in XML; a file's content runs to its last closing tag."""
    arguments: dict[str, str] = {}
    content = re.search(r"<(content|diff)>\n?(.*)\n?</\1>", text, re.DOTALL)
    rest = text
    if content:
        rest = text[: content.start()] + text[content.end() :]
    for name, value in _ARGUMENT.findall(rest):
        arguments[name] = value.strip()
    if content:
        arguments[content[1]] = content[2].removesuffix("\n")
    return arguments


read = read_entries(_History)
