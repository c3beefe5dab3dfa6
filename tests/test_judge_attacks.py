"""Attacks on a model judge, with judges that fall for everything they can read."""

from __future__ import annotations

import pytest
from attacks import ATTACKS, HONEST, JUDGES, TASK, WEAK, inventing, obeying
from conftest import make_rubric

from evenhand.core.values.submission import Event, Place, Submission, ToolCall
from evenhand.judges.model.question.prompt import messages, questions
from evenhand.judges.model.question.showing import Shown, nothing_to_judge, quotable, show
from evenhand.judges.model.reply.reply import Answer, read_reply
from evenhand.judges.providers.exchange import Request

NONCE = "f3a91c77d2e84b60"
RUBRIC = make_rubric()
QUESTION = questions(RUBRIC)[0]


def judged(shown: Shown, judge) -> Answer | None:
    """What a scripted judge's reply comes to; None when it cannot be used."""
    reply = judge(Request(messages(RUBRIC, shown, QUESTION, NONCE)))
    found = read_reply(reply, RUBRIC, QUESTION, NONCE, shown)
    return found if isinstance(found, Answer) else None


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
@pytest.mark.parametrize("judge", ["obeying", "echoing"])
def test_an_attack_in_the_output_gains_nothing(attack, judge):
    """Whatever the judge does, no score above the honest one comes out."""
    submission = Submission(output=attack.text, task=TASK)
    if nothing_to_judge(submission):
        return
    found = judged(show(submission, window_tokens=None), JUDGES[judge])
    assert found is None or found.dimensions["correctness"].score <= HONEST


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_in_a_transcript_gains_nothing(attack):
    """In what a tool gave back, and in the file the agent wrote."""
    here = Place("run.jsonl", 1)
    events = (
        Event("tool_call", "assistant", "", here, ToolCall("read", {"path": "a.md"}, "", attack.text)),
        Event("tool_call", "assistant", "", here, ToolCall("write", {"content": attack.text}, "", "ok")),
        Event("message", "assistant", attack.text, here),
    )
    shown = show(Submission(output=WEAK, task=TASK, events=events), window_tokens=None)
    found = judged(shown, obeying)
    assert found is None or found.dimensions["correctness"].score <= HONEST


def test_the_scripted_judge_does_obey_what_it_can_read():
    """Otherwise these tests could not fail: shown without defences, the attacks get through."""
    through = 0
    for attack in ATTACKS:
        found = judged(Shown(TASK, attack.text), obeying)
        through += found is not None and found.dimensions["correctness"].score == 10
    assert through >= 20


def test_an_honest_output_is_judged_as_before():
    """The defences do not stand in the way of a judge that judges."""
    found = judged(show(Submission(output=WEAK, task=TASK), window_tokens=None), obeying)
    assert found is not None
    assert found.dimensions["correctness"].score == HONEST
    assert all(
        quotable(show(Submission(output=WEAK), window_tokens=None), quote)
        for quote in found.dimensions["correctness"].quotes
    )


def test_quotes_that_do_not_exist_are_no_evidence():
    """A score of 10 stands on nothing then."""
    shown = show(Submission(output=WEAK, task=TASK), window_tokens=None)
    found = judged(shown, inventing)
    assert found is not None
    assert not any(quotable(shown, quote) for quote in found.dimensions["correctness"].quotes)
