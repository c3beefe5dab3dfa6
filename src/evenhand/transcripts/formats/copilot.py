"""Copilot CLI: the events of a session that it keeps (`events.jsonl`), or that its SDK emits.

Follows github/copilot-sdk `nodejs/src/generated/session-events.ts`. A call appears three times: requested in the
assistant's message, started, and completed; it is one call. Pieces of an answer count only if it is never completed.
Events of a sub-agent name the call that launched it, or the agent itself.
"""

from __future__ import annotations

from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_entries
from evenhand.transcripts.draft import count_of, list_in, object_in, text_in, usage_in
from evenhand.transcripts.json_text import maybe_json, written
from evenhand.transcripts.shapes.content_blocks import Speaker
from evenhand.transcripts.sources import Source
from evenhand.transcripts.times import moment
from evenhand.work.submission import Submission, Usage

FORMAT = "copilot"
TITLE = "Copilot CLI session"
PLACE = 60

_FAMILIES = (
    "session. user. assistant. tool. subagent. hook. system. permission. model. skill. user_input. elicitation. "
    "sampling. mcp. external_tool. command. auto_mode_switch. exit_plan_mode. session_limits_exhausted. factory."
).split()

_QUIET = frozenset(
    "session.resume session.remote_steerable_changed session.idle session.title_changed session.schedule_created "
    "session.schedule_cancelled session.schedule_rearmed session.autopilot_objective_changed session.info "
    "session.warning session.mode_changed session.mode_notice_delivered session.session_limits_changed "
    "session.permissions_changed session.plan_changed session.todos_changed session.workspace_file_changed "
    "session.handoff session.truncation session.snapshot_rewind session.usage_checkpoint session.context_changed "
    "session.usage_info session.context_cleared session.compaction_start session.task_complete "
    "session.auto_mode_resolved session.managed_settings_resolved session.managed_settings_enforced "
    "session.tools_updated session.background_tasks_changed session.skills_loaded session.custom_agents_updated "
    "session.mcp_servers_loaded session.mcp_server_status_changed session.extensions_loaded "
    "session.custom_notification session.limits_changed pending_messages.modified assistant.turn_start "
    "assistant.turn_end assistant.intent assistant.idle assistant.message_start assistant.reasoning_delta "
    "assistant.streaming_delta assistant.tool_call_delta assistant.server_tool_progress tool.execution_progress "
    "tool.execution_partial_result tool.search_activated subagent.configured subagent.completed subagent.selected "
    "subagent.deselected hook.start hook.end hook.progress permission.requested permission.completed "
    "user_input.requested user_input.completed elicitation.requested elicitation.completed sampling.requested "
    "sampling.completed mcp.oauth_required mcp.oauth_completed mcp.headers_refresh_required "
    "mcp.headers_refresh_completed external_tool.requested external_tool.completed command.queued command.execute "
    "command.completed commands.changed capabilities.changed auto_mode_switch.requested auto_mode_switch.completed "
    "session_limits_exhausted.requested session_limits_exhausted.completed exit_plan_mode.requested "
    "exit_plan_mode.completed model.call_finished".split()
)
"""Events that repeat something, or that do not describe what the agent did."""


# The tokens of a Copilot session: counted by request, or by model when the session ends. Input includes the cache.


_TOKENS = ("inputTokens", "outputTokens", "cacheReadTokens")


class Tokens:
    """Token counts from a session's events."""

    def __init__(self) -> None:
        self._requests: dict[object, Usage] = {}
        self._totals: dict[tuple[int, str], Usage] = {}
        self._run = 0
        """Which run of the session is counted: a resumed session may restart its count."""

    def request(self, id: str, data: dict[str, Any]) -> None:
        """Tokens of one request."""
        self._requests[id] = usage_in(data, *_TOKENS)

    def session(self, data: dict[str, Any]) -> None:
        """Tokens when a session ends. If a later total is not smaller, it includes the earlier one."""
        totals = _by_model(data)
        earlier = {model: usage for (run, model), usage in self._totals.items() if run == self._run}
        if any(usage.input < earlier.get(model, Usage()).input for model, usage in totals.items()):
            self._run += 1
        for model, usage in totals.items():
            self._totals[self._run, model] = usage

    def counted(self) -> dict[object, Usage]:
        """Every request once, or the totals where no request was counted."""
        return self._requests or dict(self._totals.items())


def _by_model(data: dict[str, Any]) -> dict[str, Usage]:
    totals: dict[str, Usage] = {}
    for model, metric in object_in(data, "modelMetrics").items():
        if isinstance(metric, dict) and isinstance(metric.get("usage"), dict):
            totals[model] = usage_in(metric["usage"], *_TOKENS)
    details = data.get("tokenDetails")
    if not totals and isinstance(details, dict):
        counts = {
            name: count_of(detail.get("tokenCount")) for name, detail in details.items() if isinstance(detail, dict)
        }
        cached = counts.get("cache_read", 0)
        sent = counts.get("input", 0) + cached + counts.get("cache_write", 0)
        totals[""] = Usage(sent, counts.get("output", 0), cached)
    return totals


def is_ours(value: dict[str, Any]) -> bool:
    """An event: a type with a dot in it, its data, an id and a time."""
    kind = value.get("type")
    if not isinstance(kind, str) or not isinstance(value.get("data"), dict) or "timestamp" not in value:
        return False
    return kind.startswith(tuple(_FAMILIES)) and bool(value.keys() & {"id", "parentId"})


class _Session(Reader):
    """The state of a session while its events are read, which are one per line, or one after another."""

    format = FORMAT

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.tokens = Tokens()
        self.agents: dict[str, str] = {}
        """The names of sub-agents, by the id of the call that launched them or by their own id."""
        self.thoughts: set[str] = set()
        """A thought is recorded as its own event and again in the next message."""
        self.pieces: dict[str, tuple[list[str], Speaker]] = {}
        """Pieces of answers, by message, until the complete answer arrives."""

    def take(self, value: dict[str, Any], place: Place) -> None:
        kind, data = text_in(value, "type"), object_in(value, "data")
        time = moment(value.get("timestamp"))
        self.draft.saw_time(time)
        speaker = Speaker("assistant", place, self.agent(value, data), "", time)
        self.draft.understood += 1
        if kind.startswith("tool."):
            self.tool(kind, data, speaker)
        elif kind.startswith("subagent."):
            self.subagent(kind, data, speaker)
        elif kind.startswith(("user.", "system.", "skill.")):
            self.incoming(kind, data, speaker)
        elif kind.startswith("assistant."):
            self.assistant(kind, data, speaker, text_in(value, "id"))
        else:
            self.session(kind, data, speaker)

    def unknown(self, kind: str) -> None:
        """Count an event of an unknown kind."""
        if kind not in _QUIET:
            self.draft.understood -= 1
            self.draft.count(kind or "line without a type")

    def agent(self, value: dict[str, Any], data: dict[str, Any]) -> str:
        """The sub-agent that an event comes from; empty for the main one."""
        id = text_in(value, "agentId") or text_in(data, "parentToolCallId")
        return self.agents.get(id, id)

    def incoming(self, kind: str, data: dict[str, Any], speaker: Speaker) -> None:
        """A message to the agent from the user, the program or a skill."""
        text = text_in(data, "content")
        source = text_in(data, "source")
        role = "user" if kind == "user.message" and source in ("", "user") else "system"
        if kind not in ("user.message", "system.message", "system.notification", "skill.invoked"):
            self.unknown(kind)
            return
        if role == "user" and self.draft.task is None and not speaker.agent and text.strip():
            self.draft.task = text
        for file in list_in(data, "attachments"):
            if isinstance(file, dict):
                names = (text_in(file, key) for key in ("path", "displayName", "filePath", "url", "title", "type"))
                text += f"\n[{next(filter(None, names), 'attachment')}]"
        self.draft.message(role, text, speaker.place, speaker.agent, "", speaker.time)

    def assistant(self, kind: str, data: dict[str, Any], speaker: Speaker, id: str) -> None:
        """The model's messages, thoughts and tool requests."""
        if kind == "assistant.message":
            model = self.draft.saw_model(data.get("model")) or ("" if speaker.agent else self.model)
            speaker = speaker._replace(model=model)
            self.pieces.pop(text_in(data, "messageId"), None)
            self.thought(text_in(data, "reasoningText"), speaker)
            self.draft.message("assistant", text_in(data, "content"), *speaker[1:])
            for request in list_in(data, "toolRequests"):
                if isinstance(request, dict):
                    self.call(request, text_in(request, "name"), speaker)
        elif kind == "assistant.reasoning":
            self.thought(text_in(data, "content"), speaker)
        elif kind == "assistant.message_delta":
            begun = self.pieces.setdefault(text_in(data, "messageId"), ([], speaker))
            begun[0].append(text_in(data, "deltaContent"))
        elif kind == "assistant.usage":
            self.draft.saw_model(data.get("model"))
            self.tokens.request(text_in(data, "apiCallId") or id or str(speaker.place), data)
        else:
            self.unknown(kind)

    def thought(self, text: str, speaker: Speaker) -> None:
        if text and text not in self.thoughts:
            self.thoughts.add(text)
            self.draft.reasoning(text, *speaker[1:])

    def tool(self, kind: str, data: dict[str, Any], speaker: Speaker) -> None:
        """A tool that starts or ends."""
        if kind in ("tool.execution_start", "tool.user_requested"):
            self.call(data, text_in(data, "toolName"), speaker._replace(model=text_in(data, "model")))
        elif kind == "tool.execution_complete":
            failed = data.get("success") is False
            id = text_in(data, "toolCallId")
            self.draft.result(id, _outcome(data, failed), speaker.place, failed, "", speaker.agent, speaker.time)
        else:
            self.unknown(kind)

    def call(self, data: dict[str, Any], name: str, speaker: Speaker) -> None:
        """A call; if it was already requested and has no result yet, it is the same call."""
        id = text_in(data, "toolCallId")
        if not self.draft.is_open(id):
            self.draft.call(name, maybe_json(data.get("arguments")), speaker.place, id, *speaker[2:])

    def subagent(self, kind: str, data: dict[str, Any], speaker: Speaker) -> None:
        if kind == "subagent.started":
            name = text_in(data, "agentName") or "agent"
            taken = sum(known.split(" (")[0] == name for known in set(self.agents.values()))
            shown = f"{name} ({taken + 1})" if taken else name
            for key in ("toolCallId", "agentId"):
                if id := text_in(data, key):
                    self.agents[id] = shown
        elif kind == "subagent.failed":
            self.draft.error(text_in(data, "error") or "the sub-agent failed", speaker.place, speaker.agent)
        else:
            self.unknown(kind)

    def session(self, kind: str, data: dict[str, Any], speaker: Speaker) -> None:
        """Events of the session as a whole."""
        if kind == "session.start":
            self.draft.id = text_in(data, "sessionId")
            self.model = text_in(data, "selectedModel")
        elif kind == "session.model_change":
            self.model = text_in(data, "newModel") or self.model
        elif kind in ("session.error", "model.call_failure"):
            text = text_in(data, "message") or written(data.get("errorMessage")) or kind
            self.draft.error(text, speaker.place, speaker.agent, text_in(data, "model"), speaker.time)
        elif kind == "abort":
            reason = text_in(data, "reason") or "no reason given"
            self.draft.error(f"the turn was aborted: {reason}", speaker.place, speaker.agent, "", speaker.time)
        elif kind == "session.compaction_complete":
            self.draft.message("system", text_in(data, "summaryContent"), speaker.place, "", "", speaker.time)
        elif kind == "session.shutdown":
            self.tokens.session(data)
        else:
            self.unknown(kind)

    def finish(self) -> Submission:
        """The submission for the whole session, with incomplete answers."""
        for texts, speaker in self.pieces.values():
            self.draft.message("assistant", "".join(texts), *speaker[1:])
        self.draft.usage.update(self.tokens.counted())
        return super().finish()


def _outcome(data: dict[str, Any], failed: bool) -> str:
    """A tool result: the text sent to the model, or the reason for the failure."""
    error, result = data.get("error"), data.get("result")
    if failed and isinstance(error, dict) and text_in(error, "message"):
        return text_in(error, "message")
    if isinstance(result, dict):
        return text_in(result, "content") or text_in(result, "detailedContent") or written(result.get("contents"))
    return written(result) or written(error)


read = read_entries(_Session)
