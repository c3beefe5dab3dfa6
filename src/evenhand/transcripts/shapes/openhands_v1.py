"""The events of OpenHands V1, as its SDK writes them: `kind` is the name of the event's class."""

from __future__ import annotations

from typing import Any

from evenhand.core.values.submission import Usage
from evenhand.transcripts.draft import Draft, count_of, object_in, text_in
from evenhand.transcripts.json_text import maybe_json
from evenhand.transcripts.shapes.content_blocks import Speaker, reasoning_text, result_text, speak

_QUIET = frozenset(
    "ConversationStateUpdateEvent CondensationRequest PauseEvent TokenEvent LLMCompletionLogEvent "
    "InterruptEvent".split()
)
KINDS = _QUIET | frozenset(
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
    blocks = event.get("thinking_blocks")
    item = event.get("responses_reasoning_item")
    for block in [*(blocks if isinstance(blocks, list) else ()), *([item] if isinstance(item, dict) else ())]:
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
    value = event.get("value")
    stats = value.get("stats", value) if isinstance(value, dict) else None
    metrics = stats.get("usage_to_metrics") if isinstance(stats, dict) else None
    for name, used in metrics.items() if isinstance(metrics, dict) else ():
        tokens = used.get("accumulated_token_usage") if isinstance(used, dict) else None
        draft.saw_cost(used.get("accumulated_cost") if isinstance(used, dict) else None, name)
        if isinstance(tokens, dict):
            keys = ("prompt_tokens", "completion_tokens", "cache_read_tokens")
            draft.usage[name] = Usage(*(count_of(tokens.get(key)) for key in keys))
            draft.saw_model(tokens.get("model") or used.get("model_name"))
