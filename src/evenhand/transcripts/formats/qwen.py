"""Qwen Code: the session that it keeps, one record per line.

Follows QwenLM/qwen-code `packages/core/src/services/chatRecordingService.ts` (`ChatRecord`): the lines look like Claude
Code's, but hold Google's parts. Records form a tree; a rewound branch happened, so it is kept. What the program
put into the user's messages (notifications, scheduled prompts) is a system message.
What Qwen Code prints with `--output-format stream-json` has the format of Claude Code, and is read as such.
"""

from __future__ import annotations

from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_lines
from evenhand.transcripts.draft import object_in, text_in
from evenhand.transcripts.json_text import written
from evenhand.transcripts.shapes.content_blocks import Speaker
from evenhand.transcripts.shapes.google_parts import response_of, responses, take_parts, text_of, usage_of
from evenhand.transcripts.times import moment
from evenhand.work.submission import Submission

FORMAT = "qwen"
TITLE = "Qwen Code session"
PLACE = 50

_TYPES = frozenset(("user", "assistant", "tool_result", "system"))
_QUIET = frozenset(
    "session_notes chat_compression at_command attribution_snapshot custom_title parent_session session_source "
    "session_execution_engine omni_recall session_model session_approval_mode rewind agent_bootstrap "
    "agent_launch_prompt agent_retry agent_session_ready file_history_snapshot user_text_elements "
    "session_artifact_event session_artifact_snapshot session_sources_snapshot branch_checkpoint goal_state "
    "goal_runtime goal_turn_end background_task_completed notification managed_session_header_v1 "
    "managed_session_event_v1 managed_session_commit_v1".split()
)
"""Records of the system that repeat something, or that do not describe what the agent did."""

_FROM_PROGRAM = frozenset(("notification", "cron", "background_task_completed", "goal_runtime", "agent_retry"))
_FAILED = frozenset(("error", "failed", "cancelled"))


def is_ours(value: dict[str, Any]) -> bool:
    """A record with Google's parts in its message, or with what only Qwen Code adds."""
    if text_in(value, "type") not in _TYPES or "sessionId" not in value or "uuid" not in value:
        return False
    message = value.get("message")
    if isinstance(message, dict) and "parts" in message:
        return True
    return "systemPayload" in value or "toolCallResult" in value


class _Session(Reader):
    """The state of a session while its records are read."""

    format = FORMAT

    def take(self, value: dict[str, Any], place: Place) -> None:
        kind, uuid = text_in(value, "type"), text_in(value, "uuid")
        if kind not in _TYPES:
            self.draft.count(kind or "line without a type")
            return
        self.draft.understood += 1
        if uuid and uuid in self.seen:
            return
        self.seen.add(uuid)
        self.draft.id = self.draft.id or text_in(value, "sessionId")
        time = moment(value.get("timestamp"))
        self.draft.saw_time(time)
        agent = text_in(value, "agentId") or text_in(value, "agentName") if value.get("isSidechain") else ""
        speaker = Speaker(kind, place, agent, "", time)
        if kind == "system":
            self.system(value, speaker)
        elif not isinstance(value.get("message"), dict):
            self.draft.count(f"{kind} record without a message")
        elif kind == "tool_result":
            self.results(value, speaker)
        elif kind == "user":
            self.from_user(value, speaker)
        else:
            self.from_assistant(value, speaker)

    def from_user(self, value: dict[str, Any], speaker: Speaker) -> None:
        """A message typed by the user, or written by the program for them."""
        content = value["message"].get("parts")
        program = text_in(value, "subtype") in _FROM_PROGRAM or value.get("provenance") in ("system", "goal_runtime")
        role = "system" if program else "user"
        if role == "user" and self.draft.task is None and not speaker.agent:
            typed = text_in(value.get("systemPayload"), "displayText")
            self.draft.task = typed.strip() or text_of(content).strip() or None
        take_parts(self.draft, content, speaker._replace(role=role))
        self.results(value, speaker)

    def from_assistant(self, value: dict[str, Any], speaker: Speaker) -> None:
        model = self.draft.saw_model(value.get("model"))
        take_parts(self.draft, value["message"].get("parts"), speaker._replace(role="assistant", model=model))
        if (usage := usage_of(value.get("usageMetadata"))) is not None:
            self.draft.usage[text_in(value, "uuid") or speaker.place] = usage

    def results(self, value: dict[str, Any], speaker: Speaker) -> None:
        """A tool result. The call is named in the response or beside it; without an id, the last open one answers."""
        beside = object_in(value, "toolCallResult")
        answers = responses(value["message"].get("parts"))
        failed = text_in(beside, "status") in _FAILED
        for response in answers:
            text, says_failed = response_of(response)
            id, name = text_in(response, "id"), text_in(response, "name")
            if len(answers) == 1 and (named := text_in(beside, "callId")) in self.draft.calls:
                id = named
            self.answer(id, name, text, failed or says_failed, speaker)
        if not answers and beside:
            error = beside.get("error")
            text = written(beside.get("resultDisplay")) or written(error)
            self.answer(text_in(beside, "callId"), "", text, failed or bool(error), speaker)

    def answer(self, id: str, name: str, text: str, failed: bool, speaker: Speaker) -> None:
        index = self.draft.calls.get(id)
        if index is None:
            index = self.draft.open_call(name)
        if index is not None and self.draft.waits(index):
            self.draft.answer(index, text, speaker.place, failed)
        else:
            self.draft.result(id, text, speaker.place, failed, name, speaker.agent, speaker.time)

    def system(self, value: dict[str, Any], speaker: Speaker) -> None:
        """System records; only errors and commands become events."""
        subtype, payload = text_in(value, "subtype"), object_in(value, "systemPayload")
        _, place, agent, _, time = speaker
        if subtype == "slash_command":
            if payload.get("phase") != "result":
                self.draft.message("system", text_in(payload, "rawCommand"), place, agent, "", time)
        elif subtype == "ui_telemetry":
            event = payload.get("uiEvent")
            if isinstance(event, dict) and text_in(event, "event.name").endswith(".api_error"):
                words = text_in(event, "error_message") or written(event.get("error"))
                self.draft.error(words, place, agent, text_in(event, "model"), time)
        elif subtype in ("turn_result", "realtime_message"):
            if isinstance(error := payload.get("error"), dict):
                self.draft.error(text_in(error, "message"), place, agent, "", time)
        elif subtype not in _QUIET:
            self.draft.count(f"system record {subtype}" if subtype else "system record without a subtype")

    def finish(self) -> Submission:
        """The submission for the whole session. In a file with only one sub-agent, it is the main agent."""
        events = self.draft.events
        agents = {event.agent for event in events}
        if len(agents) == 1 and agents != {""}:
            self.draft.events = [event._replace(agent="") for event in events]
        return super().finish()


read = read_lines(_Session)
