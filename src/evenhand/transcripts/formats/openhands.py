"""OpenHands: the events of a conversation, of V0 (a list, or `history` of an evaluation) and of V1 (the SDK's events).

V0 follows openhands/events/serialization (event.py, action.py, observation.py): an event has `action` with `args`, or
`observation` with `content`, `extras` and the id of its action as `cause`. V1 follows
openhands-sdk's event classes: `kind` names the class.
"""

from __future__ import annotations

from typing import Any

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_conversations
from evenhand.transcripts.draft import Draft, list_in, listed, object_in, text_in, usage_in
from evenhand.transcripts.json_stream import within
from evenhand.transcripts.json_text import maybe_json
from evenhand.transcripts.shapes.content_blocks import Speaker, reasoning_text, result_text, speak
from evenhand.transcripts.shapes.messages import usage_of
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Submission

FORMAT = "openhands"
TITLE = "OpenHands events"
PLACE = 190
MARKS = "source timestamp action args"

_LISTS = ("history", "events", "trajectory")
_QUIET = frozenset(
    "null change_agent_state agent_state_changed recall pause resume stop start condensation condensation_request "
    "agent_thought".split()
)
"""Actions and observations that do not describe what the agent did."""

_NOT_ARGUMENTS = frozenset(
    "thought translated_ipython_code confirmation_state security_risk impl_source hidden blocking is_input".split()
)


# The events of OpenHands V1, as its SDK writes them: `kind` is the name of the event's class.

_QUIET_KINDS = frozenset(
    "ConversationStateUpdateEvent CondensationRequest PauseEvent TokenEvent LLMCompletionLogEvent "
    "InterruptEvent".split()
)
KINDS = _QUIET_KINDS | frozenset(
    "SystemPromptEvent MessageEvent ActionEvent ObservationEvent UserRejectObservation AgentErrorEvent Condensation "
    "CondensationSummaryEvent ConversationErrorEvent".split()
)


def take_event(draft: Draft, event: dict[str, Any], speaker: Speaker, calls: dict[str, int]) -> str | None:
    """Process one event; returns the final answer, if it is one. `calls` maps action ids to event indexes."""
    kind = text_in(event, "kind")
    if kind == "SystemPromptEvent":
        draft.message("system", result_text([event.get("system_prompt")]), speaker.place, "", "", speaker.time)
    elif kind == "MessageEvent":
        _message(draft, event, speaker)
    elif kind == "ActionEvent":
        return _action(draft, event, speaker, calls)
    elif kind in ("ObservationEvent", "UserRejectObservation", "AgentErrorEvent"):
        _result(draft, event, speaker, calls)
    elif kind == "ConversationErrorEvent":
        draft.error(text_in(event, "detail") or text_in(event, "code"), speaker.place, "", "", speaker.time)
    elif kind in ("Condensation", "CondensationSummaryEvent"):
        draft.message("system", text_in(event, "summary"), speaker.place, "", "", speaker.time)
    elif kind == "ConversationStateUpdateEvent":
        _statistics(draft, event)
    return None


def _message(draft: Draft, event: dict[str, Any], speaker: Speaker) -> None:
    message = event.get("llm_message")
    if not isinstance(message, dict):
        draft.count("message event without a message")
        return
    role = text_in(message, "role")
    role = role if role in ("user", "assistant", "system") else "tool"
    agent = text_in(event, "sender")
    _thoughts(draft, message, speaker._replace(agent=agent))
    speak(draft, message.get("content"), speaker._replace(role=role, agent=agent))


def _action(draft: Draft, event: dict[str, Any], speaker: Speaker, calls: dict[str, int]) -> str | None:
    _thoughts(draft, event, speaker)
    speak(draft, event.get("thought"), speaker._replace(role="assistant"))
    raw, call = event.get("action"), event.get("tool_call")
    action: dict[str, Any] = raw if isinstance(raw, dict) else {}
    inner: dict[str, Any] = call if isinstance(call, dict) else {}
    function = inner.get("function")
    written: dict[str, Any] = function if isinstance(function, dict) else inner
    arguments = maybe_json(written.get("arguments"))
    if arguments is None:
        arguments = {key: value for key, value in action.items() if key != "kind"}
    name = text_in(event, "tool_name") or text_in(written, "name") or text_in(action, "kind")
    index = draft.call(name, arguments, speaker.place, text_in(event, "tool_call_id"), "", "", speaker.time)
    calls[str(event.get("id"))] = index
    if text_in(action, "kind") == "FinishAction":
        return text_in(action, "message") or None
    return None


def _thoughts(draft: Draft, event: dict[str, Any], speaker: Speaker) -> None:
    if text_in(event, "reasoning_content").strip():
        draft.reasoning(text_in(event, "reasoning_content"), speaker.place, speaker.agent, "", speaker.time)
        return
    for block in (*list_in(event, "thinking_blocks"), event.get("responses_reasoning_item")):
        if isinstance(block, dict):
            draft.reasoning(reasoning_text(block), speaker.place, speaker.agent, "", speaker.time)


def _result(draft: Draft, event: dict[str, Any], speaker: Speaker, calls: dict[str, int]) -> None:
    observation = object_in(event, "observation")
    failed = event["kind"] != "ObservationEvent" or observation.get("is_error") is True
    failed = failed or observation.get("exit_code") not in (0, None, -1) or observation.get("error") not in (None, "")
    text = text_in(event, "error") or text_in(event, "rejection_reason")
    if not text:
        shown = next((observation[key] for key in ("content", "output", "error") if observation.get(key)), None)
        text = result_text(shown) if shown is not None else ""
    index = calls.get(str(event.get("action_id")), draft.calls.get(text_in(event, "tool_call_id")))
    if index is not None and draft.waits(index):
        draft.answer(index, text, speaker.place, failed)
    elif failed:
        draft.error(text, speaker.place, "", "", speaker.time)
    else:
        draft.message("tool", text, speaker.place, "", "", speaker.time)


def _statistics(draft: Draft, event: dict[str, Any]) -> None:
    """Tokens so far, by purpose; the last count is the total."""
    value = object_in(event, "value")
    for name, used in object_in(value.get("stats", value), "usage_to_metrics").items():
        if not isinstance(used, dict):
            continue
        draft.saw_cost(used.get("accumulated_cost"), name)
        if isinstance(tokens := used.get("accumulated_token_usage"), dict):
            draft.usage[name] = usage_in(tokens, "prompt_tokens", "completion_tokens", "cache_read_tokens")
            draft.saw_model(tokens.get("model") or used.get("model_name"))


def is_ours(value: dict[str, Any]) -> bool:
    """An event, or a list of them under a known key."""
    return _is_event(value) or _holder(value) is not None


def _is_event(value: Any) -> bool:
    if not isinstance(value, dict) or "source" not in value:
        return False
    if "kind" in value:
        return text_in(value, "kind") in KINDS and "timestamp" in value
    acts = isinstance(value.get("action"), str) and isinstance(value.get("args"), dict)
    return acts or (isinstance(value.get("observation"), str) and isinstance(value.get("extras"), dict))


def _holder(value: Any) -> list[Any] | None:
    """The events that an object holds; an old evaluation keeps pairs of an action and its observation."""
    for key in _LISTS:
        flat = [part for item in list_in(value, key) for part in listed(item)]
        if any(_is_event(part) for part in flat[:20]):
            return flat
    return None


class _Conversation(Reader):
    """One conversation while its events are read: a line of an evaluation, or all separate events together."""

    format = FORMAT
    stray = "event that is not an object"

    def __init__(self, source: Source, holder: dict[str, Any] | None = None) -> None:
        super().__init__(source, holder)
        self.calls: dict[str, int] = {}
        """The event index of the call, by the id of its action."""
        self.totals: Any = None
        self.draft.task = text_in(holder, "instruction") or None
        id = self.holder.get("instance_id")
        self.draft.id = "" if id is None else str(id)

    def take(self, event: dict[str, Any], place: Place) -> None:
        time = text_in(event, "timestamp")
        self.draft.saw_time(time)
        speaker = Speaker("", place, "", "", time)
        self.draft.understood += 1
        if text_in(event, "kind") in KINDS:
            self.draft.output = take_event(self.draft, event, speaker, self.calls) or self.draft.output
        elif isinstance(event.get("observation"), str):
            self._observation(event, speaker)
        elif isinstance(event.get("action"), str):
            self._action(event, speaker)
        else:
            self.draft.understood -= 1
            self.draft.count(text_in(event, "kind") or "event without a kind")

    # --- V0 --------------------------------------------------------------------------------------

    def _action(self, event: dict[str, Any], speaker: Speaker) -> None:
        draft, action = self.draft, str(event["action"])
        args = object_in(event, "args")
        by_user = event.get("source") == "user"
        speaker = speaker._replace(model=self._requested(event))
        if action == "message":
            text = text_in(args, "content") or text_in(event, "message")
            role, model = ("user", "") if by_user else ("assistant", speaker.model)
            draft.message(role, text, speaker.place, "", model, speaker.time)
        elif action == "system":
            draft.message("system", text_in(args, "content"), speaker.place, "", "", speaker.time)
        elif action == "finish":
            text = text_in(args, "final_thought") or text_in(args, "thought") or text_in(event, "message")
            draft.message("assistant", text, speaker.place, "", speaker.model, speaker.time)
            draft.output = text or draft.output
        elif action == "reject":
            draft.message("assistant", text_in(event, "message") or result_text(args), *speaker[1:])
        elif action == "think":
            draft.reasoning(text_in(args, "thought"), speaker.place, "", speaker.model, speaker.time)
        elif action not in _QUIET:
            if not by_user:
                draft.message("assistant", text_in(args, "thought"), speaker.place, "", speaker.model, speaker.time)
            self._call(event, action, args, speaker, "user" if by_user else "")

    def _call(self, event: dict[str, Any], action: str, args: dict[str, Any], speaker: Speaker, agent: str) -> None:
        metadata = object_in(event, "tool_call_metadata")
        id = text_in(metadata, "tool_call_id")
        arguments = _written_arguments(metadata, id)
        if arguments is None:
            arguments = {key: value for key, value in args.items() if key not in _NOT_ARGUMENTS}
        name = text_in(metadata, "function_name") or action
        index = self.draft.call(name, arguments, speaker.place, id, agent, speaker.model, speaker.time)
        self.calls[str(event.get("id"))] = index

    def _observation(self, event: dict[str, Any], speaker: Speaker) -> None:
        draft, kind = self.draft, str(event["observation"])
        extras = object_in(event, "extras")
        text = text_in(event, "content") or (text_in(event, "message") if kind == "error" else "")
        index = self.calls.get(str(event.get("cause")))
        if index is not None and draft.waits(index):
            draft.answer(index, text, speaker.place, _failed(kind, extras))
        elif kind == "error":
            draft.error(text, speaker.place, "", "", speaker.time)
        elif kind == "agent_state_changed" and extras.get("agent_state") == "error":
            draft.error(
                text_in(extras, "reason") or "the agent stopped with an error", speaker.place, "", "", speaker.time
            )
        elif kind not in _QUIET and kind != "think":
            draft.message("tool", text, speaker.place, "", "", speaker.time)

    def _requested(self, event: dict[str, Any]) -> str:
        """The model of the request behind an action; its tokens count once per request."""
        response = object_in(event, "tool_call_metadata").get("model_response")
        metrics = event.get("llm_metrics")
        if isinstance(metrics, dict):
            self.totals = metrics.get("accumulated_token_usage")
            self.draft.saw_cost(metrics.get("accumulated_cost"))
        if not isinstance(response, dict):
            return ""
        if (usage := usage_of(response.get("usage"))) is not None:
            self.draft.usage[text_in(response, "id") or id(response)] = usage
        return self.draft.saw_model(response.get("model"))

    def finish(self) -> Submission:
        if not self.draft.usage and (total := usage_of(self.totals)) is not None:
            self.draft.usage["total"] = total
        return super().finish()


def _written_arguments(metadata: dict[str, Any], id: str) -> Any:
    """The arguments as the model wrote them, before the program translated them."""
    for choice in list_in(metadata.get("model_response"), "choices"):
        for call in list_in(object_in(choice, "message"), "tool_calls"):
            if isinstance(call, dict) and call.get("id") == id and isinstance(call.get("function"), dict):
                return maybe_json(call["function"].get("arguments"))
    return None


def _failed(kind: str, extras: dict[str, Any]) -> bool:
    metadata = extras.get("metadata")
    code = metadata.get("exit_code") if isinstance(metadata, dict) else extras.get("exit_code")
    return kind in ("error", "user_rejected") or extras.get("error") is True or code not in (0, None, -1)


read = read_conversations(_Conversation, within(*_LISTS), _holder)
