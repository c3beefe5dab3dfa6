"""Cline and Roo Code: what a task showed on the screen, `ui_messages.json`, or the lines that `cline --json` prints.

Follows cline/cline `src/shared/ExtensionMessage.ts` and RooCodeInc/Roo-Code `packages/types/src/message.ts`: entries
that `say` something or `ask` for permission. A tool is one `ask` or `say` entry; most tool results are only in
`api_conversation_history.json`. A `partial` entry is replaced by the next one that continues it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from evenhand.core.finding import Place
from evenhand.errors import InputError
from evenhand.transcripts.draft import Draft, count_of, listed, text_in
from evenhand.transcripts.json_stream import documents, within
from evenhand.transcripts.json_text import structured, written
from evenhand.transcripts.sources import Source
from evenhand.transcripts.times import moment
from evenhand.work.submission import Submission, Usage

FORMAT = "cline"
TITLE = "Cline or Roo Code task, as shown"
PLACE = 110

_QUIET = frozenset(
    "api_req_retried api_req_retry_delayed api_req_rate_limited api_req_deleted deleted_api_reqs checkpoint_created "
    "checkpoint_saved shell_integration_warning shell_integration_warning_with_suggestion task_progress hook_status "
    "hook_output_stream info conditional_rules_applied resume_task resume_completed_task load_mcp_documentation "
    "generate_explanation mcp_notification mcp_server_request_started sliding_window_truncation image "
    "browser_session_status user_edit_todos auto_approval_max_req_reached condense summarize_task report_bug".split()
)
"""Entries that do not describe what the agent did."""

_ANSWERS = frozenset(
    "text completion_result plan_completion_result followup plan_mode_respond act_mode_respond new_task".split()
)
_ERRORS = frozenset(
    "error error_retry diff_error clineignore_error rooignore_error command_permission_denied condense_context_error "
    "api_req_failed mistake_limit_reached".split()
)
_RESULTS = {
    "command_output": ("execute_command",),
    "mcp_server_response": ("use_mcp_tool", "access_mcp_resource"),
    "browser_action_result": ("browser_action",),
    "codebase_search_result": ("codebaseSearch",),
    "subtask_result": ("newTask",),
    "subagent": ("use_subagents",),
}
"""Entries with the result of a tool, and the tools they belong to."""

_SHOWS_RESULT = frozenset(
    "listFilesTopLevel listFilesRecursive listCodeDefinitionNames searchFiles webFetch webSearch".split()
)
"""Tools whose `content` is their result; for others it is what they wrote."""

_DONE = "HAS_CHANGES"


def is_ours(value: dict[str, Any]) -> bool:
    """A `say` or `ask` entry."""
    kind = value.get("type")
    return kind in ("say", "ask") and isinstance(value.get(kind), str) and bool(value.keys() & {"ts", "text"})


def read(source: Source) -> Iterator[Submission | InputError]:
    """One task."""
    entries: list[tuple[Any, Place]] = []
    for document in documents(source, within()):
        entries += [(value, document.place(value)) for value in listed(document.value)]
    task = _Task(Draft(source, FORMAT))
    for number, (value, place) in enumerate(entries, start=1):
        later = entries[number][0] if number < len(entries) else None
        if not isinstance(value, dict) or not isinstance(later, dict) or not _goes_on(value, later):
            task.entry(value, place)
    yield task.draft.finish_if_any()


def _goes_on(value: dict[str, Any], later: dict[str, Any]) -> bool:
    """Whether an entry is the beginning of the one after it."""
    kind = value.get("type")
    if not value.get("partial") or later.get("type") != kind or later.get(str(kind)) != value.get(str(kind)):
        return False
    begun = text_in(value, "text").rstrip(" .…\n")
    return value.get("ts") == later.get("ts") or (bool(begun) and text_in(later, "text").startswith(begun))


class _Task:
    """The state of a task while its entries are read."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.model = ""

    def entry(self, value: Any, place: Place) -> None:
        """Process one entry."""
        if not isinstance(value, dict) or not is_ours(value):
            kind = text_in(value, "type")
            if kind not in ("task_started", "task_completed"):
                self.draft.count(f"{kind} entry" if kind else "entry that neither says nor asks")
            return
        self.draft.understood += 1
        kind, text, time = str(value[value["type"]]), text_in(value, "text"), moment(value.get("ts"))
        self.draft.saw_time(time)
        if isinstance(info := value.get("modelInfo"), dict):
            self.model = self.draft.saw_model(info.get("modelId")) or self.model
        if text_in(value, "reasoning") and kind != "reasoning":
            self.draft.reasoning(value["reasoning"], place, "", self.model, time)
        if kind == "task" or (kind == "text" and self.draft.task is None and not self.draft.events):
            self.draft.message("user", text, place, "", "", time)
            self.draft.task = self.draft.task or text or None
            return
        handler = self.handler(kind)
        if handler is not None:
            handler(kind, value, text, place, time)
        elif kind not in _QUIET:
            self.draft.understood -= 1
            self.draft.count(f"{value['type']} {kind}")

    def handler(self, kind: str) -> Callable[[str, dict[str, Any], str, Place, str], None] | None:
        if kind in _ANSWERS:
            return self.answer
        if kind in ("user_feedback", "user_feedback_diff", "reasoning", "condense_context"):
            return self.words
        if kind in ("tool", "command", "use_mcp_server", "browser_action_launch", "browser_action", "use_subagents"):
            return self.call
        if kind in ("api_req_started", "api_req_finished", "subagent_usage"):
            return self.request
        if kind in _RESULTS:
            return self.result
        return self.error if kind in _ERRORS else None

    def answer(self, kind: str, value: dict[str, Any], text: str, place: Place, time: str) -> None:
        """A message of the agent. A result or a question appears as `say` and again as `ask`."""
        fields = structured(text)
        if kind != "text" and isinstance(fields, dict):
            keys = ("response", "question", "context")
            text = next((fields[key] for key in keys if isinstance(fields.get(key), str)), text)
        text = text.removesuffix(_DONE)
        texts = {
            event.text for event in self.draft.events[-3:] if event.kind == "message" and event.role == "assistant"
        }
        if kind == "text" or text not in texts:
            self.draft.message("assistant", text, place, "", self.model, time)

    def words(self, kind: str, value: dict[str, Any], text: str, place: Place, time: str) -> None:
        """User messages, thoughts, and summaries of the history."""
        if kind == "reasoning":
            self.draft.reasoning(text or text_in(value, "reasoning"), place, "", self.model, time)
        elif kind == "condense_context":
            summary = value.get("contextCondense")
            shown = text_in(summary, "summary") if isinstance(summary, dict) else text
            self.draft.message("system", shown, place, "", "", time)
        else:
            fields = structured(text) if kind == "user_feedback_diff" else text
            self.draft.message("user", text_in(fields, "diff") if isinstance(fields, dict) else text, place, time=time)

    def call(self, kind: str, value: dict[str, Any], text: str, place: Place, time: str) -> None:
        """A tool that the agent asked for, or that ran without asking."""
        fields = structured(text)
        fields = dict(fields) if isinstance(fields, dict) else {}
        if kind == "tool":
            name = str(fields.pop("tool", "") or "tool")
        elif kind == "command":
            name, fields = "execute_command", {"command": text}
        elif kind == "use_mcp_server":
            name = text_in(fields, "toolName") or text_in(fields, "type") or "use_mcp_tool"
            fields = {key: structured(field) for key, field in fields.items() if key != "type"}
        elif kind == "use_subagents":
            name = kind
        else:
            name, fields = "browser_action", fields or {"action": "launch", "url": text}
        result = fields.pop("content", None) if name in _SHOWS_RESULT else None
        index = self.draft.call(name, fields, place, f"{kind} {place.offset}", "", self.model, time)
        if isinstance(result, str):
            self.draft.answer(index, result, place, False)

    def result(self, kind: str, value: dict[str, Any], text: str, place: Place, time: str) -> None:
        """What a tool returned. The output of a command comes in pieces, which are joined."""
        prefix = {"mcp_server_response": "use_mcp_server", "command_output": "command"}.get(kind, "")
        names = _RESULTS[kind]
        for index in range(len(self.draft.events) - 1, max(-1, len(self.draft.events) - 50), -1):
            call = self.draft.events[index].call
            if call is None or (call.name not in names and not (prefix and call.id.startswith(f"{prefix} "))):
                continue
            if call.result is None or kind == "subagent":
                self.draft.answer(index, text, place, False)
            elif kind == "command_output":
                if text and text not in call.result:
                    self.draft.answer(index, f"{call.result}\n{text}" if call.result else text, place, False)
            else:
                break
            return
        if text:
            self.draft.message("system", text, place, "", "", time)

    def request(self, kind: str, value: dict[str, Any], text: str, place: Place, time: str) -> None:
        """Tokens of a request, and why it failed. Anthropic counts the cache separately from the input."""
        fields = structured(text)
        if not isinstance(fields, dict):
            return
        self.model = self.draft.saw_model(fields.get("model")) or self.model
        if "tokensIn" in fields or "tokensOut" in fields:
            cached = count_of(fields.get("cacheReads"))
            includes_cache = "openai" in (value.get("apiProtocol"), fields.get("apiProtocol"))
            apart = 0 if includes_cache else cached + count_of(fields.get("cacheWrites"))
            key = f"{kind} {time} {place.offset}"
            sent = count_of(fields.get("tokensIn")) + apart
            self.draft.usage[key] = Usage(sent, count_of(fields.get("tokensOut")), cached)
            self.draft.saw_cost(fields.get("cost"), key)
        if reason := text_in(fields, "streamingFailedMessage") or text_in(fields, "cancelReason"):
            self.draft.error(f"the request ended: {reason}", place, "", self.model, time)

    def error(self, kind: str, value: dict[str, Any], text: str, place: Place, time: str) -> None:
        fields = structured(text)
        if isinstance(fields, dict):
            text = text_in(fields, "errorMessage") or text_in(fields, "message") or written(fields)
        if kind not in ("error", "api_req_failed"):
            text = ": ".join(filter(None, (kind.replace("_", " "), text)))
        self.draft.error(text or "error", place, "", self.model, time)
