"""What was paid for is safe before anything can go wrong with what comes after it."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from evenhand.core.judgement import Calls
from evenhand.errors import StoreUnavailable
from evenhand.judges.models.asking import Asker
from evenhand.judges.models.attempts import Lacking, QuestionResult
from evenhand.judges.models.budget import Budget
from evenhand.judges.models.call_plan import CallSettings
from evenhand.judges.models.questions.questions import flags_question
from evenhand.judges.models.questions.shown_work import show
from evenhand.judges.models.replies.answers import Answer, DimensionAnswer
from evenhand.judges.models.weighing import Claims, Weighing
from evenhand.judging.panels.concurrency import InOrder
from evenhand.providers.builtin.replay import Recorder
from evenhand.providers.exchange import Reply
from evenhand.rubrics.library import load_rubric
from evenhand.work.submission import Submission


async def _made(value: Any) -> Any:
    if isinstance(value, Exception):
        raise value
    return value


def test_a_result_that_failed_waits_until_those_before_it_are_taken():
    """Three results are done and the fourth has failed: the three come first, then the error."""

    async def run() -> None:
        values = ["one", "two", "three", StoreUnavailable("gone"), "five"]
        in_order = InOrder(_made, Budget(), window=10)
        in_order._running.extend(asyncio.ensure_future(_made(value)) for value in values)
        await asyncio.wait(in_order._running)
        assert in_order._finished() == ["one", "two", "three"]
        with pytest.raises(StoreUnavailable, match="gone"):
            in_order._finished()
        assert in_order._finished() == ["five"]

    asyncio.run(run())


def test_a_reply_is_recorded_before_anything_can_be_cancelled(tmp_path: Path):
    """A run that is let go of right after a reply came has it in its recording."""
    replied: list[str] = []

    class Provider:
        identity = MappingProxyType({"name": "p", "provider": "p", "model": "m"})
        window = price = None

        async def ask(self, request: object) -> Reply:
            replied.append("{}")
            return Reply(text="{}")

    async def run() -> None:
        rubric = load_rubric("default")
        shown = show(Submission(output="Restart the service, then look at its log."), window_tokens=None)
        recorder = Recorder(str(tmp_path / "replies.jsonl"))
        asker = Asker(Provider(), CallSettings(), budget=Budget(), recorder=recorder)  # type: ignore[arg-type]
        question = flags_question()
        task = asyncio.ensure_future(asker.ask(rubric, shown, question, sample=0, lacking=lambda answer: Lacking()))
        while not replied:
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(run())
    assert (tmp_path / "replies.jsonl").read_text().count("\n") == 1


def test_a_note_on_restored_quotes_is_for_quotes_that_are_shown():
    """The first answer quoted across a hidden character; the one that counts does not."""
    output = "First we deploy with\u200b great care to the staging server. Then we roll back quickly if needed."
    submission = Submission(output=output)
    weighing = Weighing(submission, show(submission, window_tokens=None), "j")
    hidden = Answer(dimensions={"correctness": DimensionAnswer(Decimal(8), ("deploy with great care to the staging",))})
    plain = Answer(dimensions={"correctness": DimensionAnswer(Decimal(8), ("Then we roll back quickly if needed",))})
    assert weighing.lacking(hidden).problem == ""
    for answer, noted in ((plain, 0), (hidden, 1)):
        said = {"correctness": weighing.opinion("correctness", [QuestionResult(((answer, Reply("{}")),), "", Calls())])}
        assert len(said["correctness"].evidence) == 1
        assert len(weighing.notes(said, Claims())) == noted
