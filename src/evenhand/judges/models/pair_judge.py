"""A model as a judge of pairs: ask it about two works in both orders, and check its quotes against each of them.

A preference needs a verified quote from each work that has anything to quote; without them it is asked for again once,
and then there is no verdict. No verdict is not a tie. Where passages of a work may be addressing the judge, the pair is
read again, in both orders, with their words masked. If that comes to the same, the first readings count; if not, the
readings without those passages do, and all of them are reported. Where little else is left of a work, there is no
verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from evenhand.core.judgement import Calls, Evidence
from evenhand.core.panel import add_calls
from evenhand.core.rubric import Rubric
from evenhand.decisions.preference import JudgePreference, PairReading
from evenhand.decisions.preferences import outcome
from evenhand.judges.models.asking import Asker
from evenhand.judges.models.attempts import Lacking, QuestionResult
from evenhand.judges.models.call_plan import Plan, add_plans
from evenhand.judges.models.passages import TOO_MUCH, passages_in, without
from evenhand.judges.models.questions import pair_prompt
from evenhand.judges.models.questions.questions import Question
from evenhand.judges.models.questions.shown_work import Shown, quotable, show
from evenhand.judges.models.replies.answers import Answer, Preference
from evenhand.judges.models.together import every
from evenhand.providers.exchange import Message
from evenhand.work.quotes import checker
from evenhand.work.submission import Submission

Name = Literal["a", "b"]
ORDERS: tuple[tuple[Name, Name], ...] = (("a", "b"), ("b", "a"))
"""Which work is shown first, and which second."""

QUESTION = Question("pair")
SAME = "passages that may address the judge made no difference: with their words masked, the outcome is the same"
CHANGED = (
    "passages that may address the judge made a difference: {first} with them, {without} masked; the latter counts"
)
NO_PICTURES = "pairs are compared by their text"
LEAST_ROOM = 100
"""The fewest tokens of a condensed work that a judge must see to compare it."""


class Compared(NamedTuple):
    """One judge's answers about a pair, and what they took."""

    preference: JudgePreference
    calls: Calls
    warnings: tuple[str, ...]


class _Side(NamedTuple):
    shown: Shown
    check: Callable[[Evidence], Evidence]
    submission: Submission

    def evidence(self, quotes: Sequence[str]) -> tuple[Evidence, ...]:
        """The quotes, verified where they occur in this work and prove something."""
        checked = [self.check(Evidence(quote)) for quote in dict.fromkeys(quotes)]
        return tuple(
            evidence
            if evidence.verified and quotable(self.shown, evidence.quote)
            else Evidence(evidence.quote, verified=False)
            for evidence in checked
        )


class PairJudge:
    """One model that compares two works. It may compare many pairs at once."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker.for_pairs()
        self.identity: Mapping[str, str] = self._asker.identity
        """The provider and model, the prompt's hash and the call settings."""

    async def compare(self, rubric: Rubric, a: Submission, b: Submission) -> Compared:
        """The model's verdicts in both orders, as far as its quotes back them up."""
        sides = self._sides(rubric, a, b)
        name = self.identity["name"]
        warnings = tuple(f"{which}: {note}" for which, side in sides.items() for note in side.shown.notes)
        if self._too_small(rubric, sides):
            why = f"the window of {self._asker.window:,} tokens leaves no room for two works; use a larger window"
            readings = tuple(PairReading(first, None, why) for first, _ in ORDERS)
            return Compared(JudgePreference(name, "undecided", readings), Calls(), warnings)
        hidden = _masked(sides)
        overfull = [which for which, side in (hidden or {}).items() if side is None]
        if overfull:
            readings = tuple(PairReading(first, None, f"{overfull[0]}: {TOO_MUCH}") for first, _ in ORDERS)
            return Compared(JudgePreference(name, "undecided", readings), Calls(), warnings)
        readings, calls = await self._read(rubric, sides)
        decided = outcome(readings)
        if hidden is None or decided == "undecided":
            return Compared(JudgePreference(name, decided, readings), calls, warnings)
        again, more = await self._read(rubric, {which: side for which, side in hidden.items() if side is not None})
        without = outcome(again)
        warnings += (f"{name}: {SAME if without == decided else CHANGED.format(first=decided, without=without)}",)
        return Compared(JudgePreference(name, without, readings, again), add_calls([calls, more]), warnings)

    async def _read(self, rubric: Rubric, sides: Mapping[Name, _Side]) -> tuple[tuple[PairReading, ...], Calls]:
        """The readings in both orders, and the calls they took."""
        results = await every(
            self._asker.ask(
                rubric,
                pair_prompt.joined(sides[first].shown, sides[second].shown),
                QUESTION,
                sample=0,
                lacking=lambda answer, first=first, second=second: Lacking(  # type: ignore[misc]
                    _lacking(answer, sides[first], sides[second])
                ),
            )
            for first, second in ORDERS
        )
        readings = tuple(
            _reading(result, sides, first, second) for result, (first, second) in zip(results, ORDERS, strict=True)
        )
        return readings, add_calls(result.calls for result in results)

    def plan(self, rubric: Rubric, a: Submission, b: Submission) -> Plan:
        """Estimate what comparing a pair in both orders would take, not counting repairs."""
        sides = self._sides(rubric, a, b)
        hidden = _masked(sides) or {}
        masked = {which: side for which, side in hidden.items() if side is not None}
        readings = [] if len(masked) < len(hidden) else [sides, *([masked] if masked else [])]
        works = [
            pair_prompt.joined(shown[first].shown, shown[second].shown)
            for shown in readings
            for first, second in ORDERS
        ]
        return add_plans(self._asker.plan(rubric, work, [QUESTION]) for work in works)

    def prompts(self, rubric: Rubric, a: Submission, b: Submission) -> Iterator[tuple[str, tuple[Message, ...]]]:
        """The question in both orders as the model gets it, with a placeholder for the nonce."""
        sides = self._sides(rubric, a, b)
        for first, second in ORDERS:
            work = pair_prompt.joined(sides[first].shown, sides[second].shown)
            yield f"{first} first", self._asker.first_messages(rubric, work, QUESTION)

    def _sides(self, rubric: Rubric, a: Submission, b: Submission) -> dict[Name, _Side]:
        room = self._room(rubric)
        sides: dict[Name, _Side] = {}
        for name, submission in (("a", a), ("b", b)):
            shown = show(submission, window_tokens=room, judge_name=self.identity["name"], no_pictures=NO_PICTURES)
            sides["a" if name == "a" else "b"] = _Side(shown, checker(submission), submission)
        return sides

    def _room(self, rubric: Rubric) -> int | None:
        settings = self._asker.settings
        return pair_prompt.room(rubric, self._asker.window, settings.max_tokens, language=settings.language)

    def _too_small(self, rubric: Rubric, sides: Mapping[Name, _Side]) -> bool:
        room = self._room(rubric)
        condensed = any(side.shown.condensed is not None for side in sides.values())
        return condensed and (room or 0) < LEAST_ROOM


def _masked(sides: Mapping[Name, _Side]) -> dict[Name, _Side | None] | None:
    """The works with the passages masked that may speak to a judge, None in place of one with little else; None where
    there are no such passages."""
    hidden: dict[Name, _Side | None] = dict(sides)
    for name, side in sides.items():
        passages = passages_in(side.shown, side.submission, of_two=True)
        if passages:
            shown = without(side.shown, passages)
            hidden[name] = None if shown is None else side._replace(shown=shown._replace(masked=False))
    return None if hidden == dict(sides) else hidden


def _lacking(answer: Answer, first: _Side, second: _Side) -> str:
    """What a preference lacks to count; empty when it lacks nothing. A tie needs no quotes."""
    preference = answer.preference
    if preference is None or preference.verdict == "tie":
        return ""
    quoted = (("first", first, preference.first_quotes), ("second", second, preference.second_quotes))
    missing = [
        f"the {which} work" for which, side, quotes in quoted
        if side.shown.text.strip() and not any(evidence.verified for evidence in side.evidence(quotes))
    ]  # fmt: skip
    return f"it has no quote that occurs in {' and in '.join(missing)}" if missing else ""


def _reading(result: QuestionResult, sides: Mapping[Name, _Side], first: Name, second: Name) -> PairReading:
    """The latest answer that can be used, or why there is none."""
    for answer, _ in result.answers:
        preference = answer.preference
        if preference is not None and not _lacking(answer, sides[first], sides[second]):
            return PairReading(
                first, preference.verdict, "", preference.justification, _evidence(preference, sides, first, second)
            )
    latest = result.answers[0][0].preference if result.answers else None
    evidence = {} if latest is None else _evidence(latest, sides, first, second)
    return PairReading(first, None, result.problem or "the reply states no verdict", evidence=evidence)


def _evidence(
    preference: Preference, sides: Mapping[Name, _Side], first: Name, second: Name
) -> dict[Name, tuple[Evidence, ...]]:
    quotes = {first: preference.first_quotes, second: preference.second_quotes}
    names: tuple[Name, ...] = ("a", "b")
    return {name: sides[name].evidence(quotes[name]) for name in names}
