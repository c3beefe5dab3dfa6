"""OpenHands: the events of a conversation, of V0 (a list, or `history` of an evaluation) and of V1 (the SDK's events).

V0 follows openhands/events/serialization (event.py, action.py, observation.py): an event has `action` with `args`, or
`observation` with `content`, `extras` and the id of its action as `cause`. V1, which openhands_v1.py reads, follows
openhands-sdk's event classes: `kind` names the class.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.core.values.submission import Submission
from evenhand.errors import InputError
from evenhand.transcripts.draft import Draft, text_in
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_stream import documents
from evenhand.transcripts.json_text import Key, maybe_json
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text
from evenhand.transcripts.shapes.messages import usage_of
from evenhand.transcripts.shapes.openhands_v1 import KINDS, take_event
from evenhand.transcripts.sources import Source

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


def sniff(head: Head) -> bool:
    """An event, or a list of them under a known key."""
    return any(_is_event(value) or _holder(value) is not None for value in head.objects)


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
        listed = value.get(key) if isinstance(value, dict) else None
        if not isinstance(listed, list):
            continue
        flat = [part for item in listed for part in (item if isinstance(item, list) else [item])]
        if any(_is_event(part) for part in flat[:20]):
            return flat
    return None


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every conversation of a file: each line of an evaluation, or all separate events together."""
    running: _Conversation | None = None
    for document in documents(source, _is_opened):
        values = document.value if isinstance(document.value, list) else [document.value]
        for value in values:
            events = _holder(value)
            if events is not None:
                conversation = _Conversation(Draft(source, FORMAT))
                for event in events:
                    conversation.take(event, Speaker("", document.place(event)))
                instruction = text_in(value, "instruction") or None
                submission = conversation.finish(instruction, value.get("instance_id"))
                yield (
                    submission._replace(source=f"{source.name}:{document.place(value).line}")
                    if document.is_line
                    else submission
                )
                continue
            running = running or _Conversation(Draft(source, FORMAT))
            running.take(value, Speaker("", document.place(value)))
    if running:
        yield running.finish(None, None)


def _is_opened(path: tuple[Key, ...]) -> bool:
    return not path or path[-1] in _LISTS


class _Conversation:
    """One conversation while its events are read."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.calls: dict[str, int] = {}
        """The event index of the call, by the id of its action."""
        self.output: str | None = None
        self.totals: Any = None
        self.understood = 0

    def take(self, event: Any, speaker: Speaker) -> None:
        if not isinstance(event, dict):
            self.draft.count("event that is not an object")
            return
        time = text_in(event, "timestamp")
        self.draft.saw_time(time)
        speaker = speaker._replace(time=time)
        self.understood += 1
        if text_in(event, "kind") in KINDS:
            self.output = take_event(self.draft, event, speaker, self.calls) or self.output
        elif isinstance(event.get("observation"), str):
            self._observation(event, speaker)
        elif isinstance(event.get("action"), str):
            self._action(event, speaker)
        else:
            self.understood -= 1
            self.draft.count(text_in(event, "kind") or "event without a kind")

    # --- V0 --------------------------------------------------------------------------------------

    def _action(self, event: dict[str, Any], speaker: Speaker) -> None:
        draft, action = self.draft, str(event["action"])
        raw = event.get("args")
        args: dict[str, Any] = raw if isinstance(raw, dict) else {}
        by_user = event.get("source") == "user"
        speaker = speaker._replace(model=self._requested(event))
        if action == "message":
            text = text_in(args, "content") or text_in(event, "message")
            draft.message(
                "user" if by_user else "assistant",
                text,
                speaker.place,
                "",
                "" if by_user else speaker.model,
                speaker.time,
            )
        elif action == "system":
            draft.message("system", text_in(args, "content"), speaker.place, "", "", speaker.time)
        elif action == "finish":
            text = text_in(args, "final_thought") or text_in(args, "thought") or text_in(event, "message")
            draft.message("assistant", text, speaker.place, "", speaker.model, speaker.time)
            self.output = text or self.output
        elif action == "reject":
            draft.message(
                "assistant",
                text_in(event, "message") or result_text(args),
                speaker.place,
                "",
                speaker.model,
                speaker.time,
            )
        elif action == "think":
            draft.reasoning(text_in(args, "thought"), speaker.place, "", speaker.model, speaker.time)
        elif action not in _QUIET:
            if not by_user:
                draft.message("assistant", text_in(args, "thought"), speaker.place, "", speaker.model, speaker.time)
            self._call(event, action, args, speaker, "user" if by_user else "")

    def _call(self, event: dict[str, Any], action: str, args: dict[str, Any], speaker: Speaker, agent: str) -> None:
        metadata = event.get("tool_call_metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        id = text_in(metadata, "tool_call_id")
        arguments = _written_arguments(metadata, id)
        if arguments is None:
            arguments = {key: value for key, value in args.items() if key not in _NOT_ARGUMENTS}
        name = text_in(metadata, "function_name") or action
        index = self.draft.call(name, arguments, speaker.place, id, agent, speaker.model, speaker.time)
        self.calls[str(event.get("id"))] = index

    def _observation(self, event: dict[str, Any], speaker: Speaker) -> None:
        draft, kind = self.draft, str(event["observation"])
        raw = event.get("extras")
        extras: dict[str, Any] = raw if isinstance(raw, dict) else {}
        text = text_in(event, "content") or (text_in(event, "message") if kind == "error" else "")
        index = self.calls.get(str(event.get("cause")))
        call = draft.events[index].call if index is not None else None
        if index is not None and call is not None and call.result is None:
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
        metadata = event.get("tool_call_metadata")
        response = metadata.get("model_response") if isinstance(metadata, dict) else None
        metrics = event.get("llm_metrics")
        if isinstance(metrics, dict):
            self.totals = metrics.get("accumulated_token_usage")
            self.draft.saw_cost(metrics.get("accumulated_cost"))
        if not isinstance(response, dict):
            return ""
        if (usage := usage_of(response.get("usage"))) is not None:
            self.draft.usage[text_in(response, "id") or id(response)] = usage
        return self.draft.saw_model(response.get("model"))

    def finish(self, task: str | None, id: Any) -> Submission:
        if not self.draft.usage and (total := usage_of(self.totals)) is not None:
            self.draft.usage["total"] = total
        submission = self.draft.finish_if_any(self.understood, task=task, id=str(id) if id is not None else None)
        return submission if self.output is None else submission._replace(output=self.output)


def _written_arguments(metadata: dict[str, Any], id: str) -> Any:
    """The arguments as the model wrote them, before the program translated them."""
    response = metadata.get("model_response")
    choices = response.get("choices") if isinstance(response, dict) else None
    for choice in choices if isinstance(choices, list) else ():
        message = choice.get("message") if isinstance(choice, dict) else None
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict) and call.get("id") == id and isinstance(call.get("function"), dict):
                return maybe_json(call["function"].get("arguments"))
    return None


def _failed(kind: str, extras: dict[str, Any]) -> bool:
    metadata = extras.get("metadata")
    code = metadata.get("exit_code") if isinstance(metadata, dict) else extras.get("exit_code")
    return kind in ("error", "user_rejected") or extras.get("error") is True or code not in (0, None, -1)
