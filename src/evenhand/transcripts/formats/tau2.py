"""tau2 results: one file with the `simulations` of many tasks and trials, each a submission.

Follows data_model/simulation.py and data_model/message.py of sierra-research/tau2-bench. The simulated user may call
tools as well (`requestor: user`); those calls are kept apart from the agent's, as those of an agent named `user`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.errors import InputError
from evenhand.transcripts.draft import Draft, list_in, object_in, text_in
from evenhand.transcripts.json_stream import Document, documents, within
from evenhand.transcripts.json_text import written
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text, says_error, speak
from evenhand.transcripts.shapes.messages import take_call, usage_of
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Submission

FORMAT = "tau2"
TITLE = "tau2 results"
PLACE = 150
MARKS = "simulations tasks info reward_info"
LATE_MARKS = "simulations"

_ROLES = ("assistant", "user", "tool", "system")


def is_ours(value: dict[str, Any]) -> bool:
    """A results file, or one simulation of it."""
    runs = list_in(value, "simulations") or [value]
    return any(
        isinstance(run, dict) and "task_id" in run and "messages" in run and bool(run.keys() & _OF_A_RUN)
        for run in runs[:3]
    )


_OF_A_RUN = frozenset({"termination_reason", "reward_info"})


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every simulation of a file."""
    for document in documents(source, within("simulations", "messages", items=True)):
        damage = source.take_problems()
        models = object_in(object_in(document.value, "info"), "agent_info").get("llm")
        for run in list_in(document.value, "simulations") or [document.value]:
            if isinstance(run, dict) and "messages" in run:
                yield _simulation(Draft(source, FORMAT), document, run, models)._replace(problems=damage)


def _simulation(draft: Draft, document: Document, run: dict[str, Any], model: Any) -> Submission:
    model = draft.saw_model(model)
    for message in draft.objects(run, "messages", "message"):
        _message(draft, message, document, model)
    draft.saw_time(text_in(run, "start_time"))
    draft.saw_time(text_in(run, "end_time"))
    draft.saw_cost(run.get("agent_cost"))
    draft.id = f"task-{written(run.get('task_id'))}-trial-{written(run.get('trial', 0))}"
    reason = text_in(run, "termination_reason")
    if "error" in reason or reason == "max_steps":
        draft.error(f"the run ended with {reason}", document.place(run))
    return draft.finish()._replace(source=f"{draft.source.name}:{draft.id}")


def _message(draft: Draft, message: dict[str, Any], document: Document, model: str) -> None:
    role, place = text_in(message, "role"), document.place(message)
    if role not in _ROLES:
        draft.count(f"role {role}" if role else "message without a role")
        return
    if role == "tool":
        for result in list_in(message, "tool_messages") or [message]:
            text = result_text(result.get("content"))
            error = result.get("error")
            draft.result(text_in(result, "id"), text, place, says_error(text) if error is None else bool(error))
        return
    speaker = Speaker(role, place, "", model if role == "assistant" else "", text_in(message, "timestamp"))
    if message.get("content") is not None:
        speak(draft, message["content"], speaker)
    for call in draft.objects(message, "tool_calls", "tool call"):
        take_call(draft, call, speaker._replace(agent="user" if call.get("requestor") == "user" else ""))
    if role == "assistant":
        draft.saw_cost(message.get("cost"), id(message))
        if (usage := usage_of(message.get("usage"))) is not None:
            draft.usage[id(message)] = usage
