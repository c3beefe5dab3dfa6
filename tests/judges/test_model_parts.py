"""The parts of a model judge by themselves: what is shown, planned, spent, waited for and weighed."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from typing import Any

import pytest

from evenhand.core.bounds import finding_id
from evenhand.core.finding import Finding
from evenhand.core.judgement import Calls, Claim, Opinion, Unscored
from evenhand.core.rules import DIMENSIONS
from evenhand.judges.models.attempts import QuestionResult
from evenhand.judges.models.budget import Activity, Budget
from evenhand.judges.models.call_plan import CallSettings, Plan, add_plans
from evenhand.judges.models.judge import ModelJudge, _report
from evenhand.judges.models.nonces import Nonces, _written
from evenhand.judges.models.pair_judge import _reading, _Side
from evenhand.judges.models.questions import pair_prompt
from evenhand.judges.models.questions.prompt import _in_question
from evenhand.judges.models.questions.questions import Question
from evenhand.judges.models.questions.shown_work import Shown
from evenhand.judges.models.replies.answers import Answer, ClaimAnswer, DimensionAnswer, Preference, Unlisted
from evenhand.judges.models.replies.distributions import _becomes_ten, _parts, mean, score_distribution
from evenhand.judges.models.replies.json_objects import Number, find_objects, number_span
from evenhand.judges.models.replies.score_lines import LONGEST_AFTER, contradicted
from evenhand.judges.models.together import every
from evenhand.judges.models.weighing import NOT_ANSWERED, RESTORED, Claims, Weighing
from evenhand.providers.exchange import Reply, Stopped, Token
from evenhand.providers.http import ladders
from evenhand.work.quotes import checker
from evenhand.work.submission import Submission
from every_case import every_case
from model_in_process import RUBRIC, SHOWN, WORK, Kept, Provider, ask, asker_of, at_once

# --- progress, plans, budgets ----------------------------------------------------------------------------------------


def test_a_line_of_progress_names_three_questions_and_counts_the_rest():
    """Questions of one name that are asked twice are waited for until both are done."""
    activity = Activity()
    assert activity.line() == "0 of 0 questions done"
    for name in ("a", "a", "b", "c", "d", "e"):
        activity.begin(name)
    assert activity.line() == "0 of 6 questions done, waiting for a, b, c and 2 more"
    activity.end("a")
    activity.end("e")
    activity.output_tokens = 1
    assert activity.line() == "2 of 6 questions done, waiting for a, b, c and 1 more, 1 token written"
    activity.end("a")
    activity.output_tokens = 1234
    assert activity.line() == "3 of 6 questions done, waiting for b, c, d, 1,234 tokens written"
    for name in ("b", "c", "d"):
        activity.end(name)
    assert activity.line() == "6 of 6 questions done, 1,234 tokens written"


def test_an_option_that_servers_are_sent_is_in_the_request_the_identity_and_the_key(monkeypatch):
    """Declared once: nothing between the declaration and the request names it. What is not given is in none of them."""
    monkeypatch.setattr(ladders, "SENT", ("temperature", "top_p"))
    settings = CallSettings(sampling=(("temperature", 0.0), ("top_p", 0.9)))
    provider = Provider()
    at_once(ask(asker_of(provider, settings)))
    (request,) = provider.requests
    body, _ = ladders.Ladders(ladders.sampling_ladders()).body(request)
    assert body == {"temperature": 0.0, "top_p": 0.9}
    assert (settings.named()["top_p"], settings.keyed()["top_p"]) == ("0.9", 0.9)
    assert "top_p" not in CallSettings().named() | CallSettings().keyed()
    assert ladders.Ladders(ladders.sampling_ladders()).body(request._replace(sampling=()))[0] == {}


def test_plans_add_up_and_one_unknown_price_makes_the_cost_unknown():
    """Each number by itself."""
    first, second = Plan(1, 2, 3, 4, 5, Decimal("0.1")), Plan(10, 20, 30, 40, 50, Decimal("0.2"))
    assert add_plans([first, second]) == Plan(11, 22, 33, 44, 55, Decimal("0.3"))
    assert add_plans([first, second._replace(cost=None)]).cost is None
    assert add_plans([]) == Plan(cost=Decimal(0))


def stopped(*calls: Any) -> str | None:
    """Why the last of some reservations was refused."""
    try:
        at_once(*calls)
    except Stopped as error:
        return str(error)
    return None


def test_a_limit_of_calls_counts_every_attempt():
    """Two, and not a third; a further attempt counts like a call."""
    budget = Budget(max_calls=2)
    heard: list[str] = []
    budget.on_stop.append(heard.append)
    assert stopped(budget.reserve(None)) is None
    budget.retry()
    assert budget.calls == 2
    assert stopped(budget.reserve(None)) == "the limit of 2 calls is reached"
    with pytest.raises(Stopped):
        budget.retry()
    assert (budget.calls, budget.broken, heard) == (2, False, ["the limit of 2 calls is reached"])


def test_a_limit_of_cost_holds_for_what_is_spent_and_reserved():
    """Exactly the limit may be reserved; a settled call gives back what it did not take."""
    budget = Budget(max_cost=Decimal("1.00"))
    assert stopped(budget.reserve(Decimal("1.00"))) is None
    budget.settle(Decimal("1.00"), Decimal("0.40"))
    assert budget.cost == Decimal("0.40")
    assert stopped(budget.reserve(Decimal("0.60"))) is None
    budget.settle(Decimal("0.60"), Decimal("0.10"), failed=True)
    assert budget.cost == Decimal("0.40"), "a failed call adds nothing"
    assert stopped(budget.reserve(Decimal("0.61"))) == "the next call could exceed the limit of $1.00"
    assert budget.stopped == "the next call could exceed the limit of $1.00"


def test_an_unknown_price_makes_the_cost_unknown_for_good():
    """None, and it stays."""
    budget = Budget()
    for cost in (Decimal(1), None, Decimal(1)):
        at_once(budget.reserve(None))
        budget.settle(None, cost)
    assert budget.cost is None


def test_a_call_that_might_go_beyond_the_limit_waits_for_those_in_flight():
    """The first returns most of what it reserved, so that the second may be made."""
    budget = Budget(max_cost=Decimal(1))
    order: list[str] = []

    async def first() -> None:
        await budget.reserve(Decimal("0.9"))
        await asyncio.sleep(0.01)
        order.append("first")
        budget.settle(Decimal("0.9"), Decimal("0.1"))

    async def second() -> None:
        await asyncio.sleep(0)
        await budget.reserve(Decimal("0.9"))
        order.append("second")

    at_once(first(), second())
    assert order == ["first", "second"]
    assert budget.calls == 2


def test_what_stops_a_run_first_is_the_reason():
    """A fault is told from a limit."""
    budget = Budget()
    budget.stop("the disk is full", broken=True)
    budget.stop("Ctrl-C")
    assert (budget.stopped, budget.broken) == ("the disk is full", True)
    assert stopped(budget.reserve(None)) == "the disk is full"


def test_all_results_come_in_order_and_a_failure_waits_for_the_others():
    """The first failure is raised."""
    done: list[int] = []

    async def one(number: int, fails: bool = False) -> int:
        await asyncio.sleep(0)
        done.append(number)
        if fails:
            raise ValueError(number)
        return number

    assert asyncio.run(every([one(1), one(2), one(3)])) == [1, 2, 3]
    assert asyncio.run(every([one(7)])) == [7]
    assert asyncio.run(every([])) == []
    done.clear()
    with pytest.raises(ValueError, match="2"):
        asyncio.run(every([one(1), one(2, fails=True), one(3)]))
    assert done == [1, 2, 3]


# --- caches and nonces -----------------------------------------------------------------------------------------------


def test_a_nonce_depends_on_everything_that_is_fenced_and_on_the_secret():
    """Where one text ends and the next begins, too; it never occurs in what it fences."""
    of = Nonces(lambda: b"secret").of
    works = [
        Shown("ab", "c"), Shown("a", "bc"), Shown("", "abc"), Shown(None, "abc"), Shown(None, "abc", reference="r"),
        Shown(None, "abc", reference=""),
    ]  # fmt: skip
    assert len({of(work) for work in works}) == len({_written(work) for work in works}) == len(works)
    assert of(works[0]) == of(Shown("ab", "c"))
    assert Nonces(lambda: b"other").of(works[0]) != of(works[0])
    assert len(of(works[0])) == 16
    assert Nonces().of(works[0]) != Nonces().of(works[0])
    calls: list[int] = []
    once = Nonces(lambda: calls.append(1) or b"secret")
    assert once.of(works[0]) == once.of(works[0]) == of(works[0])
    assert calls == [1]


# --- weighing --------------------------------------------------------------------------------------------------------

OTHER = "It lies between Sydney and Melbourne, three hours by road from either of them."
SUBMISSION = Submission(output=f"{WORK} {OTHER}")
SHOWN_ALL = Shown(None, SUBMISSION.output)


def weighing() -> Weighing:
    return Weighing(SUBMISSION, SHOWN_ALL, "model:m")


def result(*answers: Answer, problem: str = "") -> QuestionResult:
    return QuestionResult(tuple((answer, Reply("")) for answer in answers), problem, Calls(asked=1))


def raised(id: str = "f", *quotes: str, kind: str = "red_flag", present: bool = True, why: str = "why") -> ClaimAnswer:
    return ClaimAnswer(kind, id, present, quotes, why)


def test_a_claim_counts_in_more_than_half_of_the_samples_with_a_verified_quote():
    """Outvoted with a quote, unverified without one; absent claims are nothing."""
    samples = [
        result(
            Answer(claims=(raised("f", WORK, why="first"), raised("g", WORK), raised("h", "Not in it at all, no.")))
        ),
        result(Answer(claims=(raised("f", OTHER, why="second"), raised("b", WORK, kind="bonus")))),
        result(Answer(claims=(raised("b", WORK, kind="bonus"), raised("h", "Not in it at all, no.", present=False)))),
        result(problem="hung up"),
    ]
    made = weighing().claims(samples)
    assert [(claim.id, claim.explanation, [quote.quote for quote in claim.evidence]) for claim in made.red_flags] == [
        ("f", "first", [WORK, OTHER])
    ]
    assert [claim.id for claim in made.bonuses] == ["b"]
    assert [(one.kind, one.id, one.judge, one.reason) for one in made.discounted] == [
        ("red_flag", "g", "model:m", "outvoted"),
        ("red_flag", "h", "model:m", "unverified"),
    ]
    assert made.abstained is None


def test_exactly_half_of_the_samples_is_not_enough():
    """One of two."""
    samples = [result(Answer(claims=(raised("f", WORK),))), result(Answer())]
    made = weighing().claims(samples)
    assert (made.red_flags, [one.reason for one in made.discounted]) == ((), ["outvoted"])


def test_without_an_answer_a_judge_abstains_from_claims():
    """With the problem of its first sample."""
    assert weighing().claims([result(problem="one"), result(problem="two")]) == Claims(abstained="one")
    assert weighing().claims([]) == Claims(abstained=None)


def test_what_the_rubric_does_not_list_is_an_observation():
    """With its quotes; it counts for nothing."""
    made = weighing().claims([result(Answer(unlisted=(Unlisted("It is short.", (WORK,)),)))])
    (noticed,) = made.discounted
    assert (noticed.kind, noticed.id, noticed.judge, noticed.reason, noticed.explanation) == (
        "observation", "", "model:m", "unlisted", "It is short.",
    )  # fmt: skip
    assert [(quote.quote, quote.verified) for quote in noticed.evidence] == [(WORK, True)]


def scored(score: str, *quotes: str, name: str = "safety", **more: Any) -> Answer:
    return Answer({name: DimensionAnswer(Decimal(score), quotes, **more)})


def test_the_latest_answer_that_can_be_used_counts():
    """A repaired one before the first; the first where the repaired one lacks its quote."""
    opinion = weighing().opinion("safety", [result(scored("9", WORK), scored("5"))])
    assert (opinion.score, [quote.quote for quote in opinion.evidence]) == (9, [WORK])
    assert weighing().opinion("safety", [result(scored("9"), scored("5"))]).score == 5


@pytest.mark.parametrize(
    ("sample", "reason"),
    [
        (result(), NOT_ANSWERED),
        (result(problem="the server hung up"), "the server hung up"),
        (result(Answer()), "safety is missing from the reply (asked twice)"),
        (result(scored("9")), "safety: a score of 9 without a quote found in the submission (asked twice)"),
    ],
)
def test_a_dimension_without_a_usable_answer_says_why(sample, reason):
    """In the words of the reply's problem, or of the call's."""
    assert weighing().opinion("safety", [sample]).score == Unscored(reason)
    usable = result(scored("5"))
    assert weighing().opinion("safety", [usable, sample]).score == Unscored(reason), "one of two is half"
    assert weighing().opinion("safety", [usable, usable, sample]).score == 5


def test_a_mean_of_seven_needs_a_quote_though_no_sample_did():
    """6.99 and 7.01 would: the one with 7.01 has its quote, and it counts for both."""
    samples = [result(scored("6.99")), result(scored("7.01", WORK))]
    assert weighing().opinion("safety", samples).score == 7
    assert weighing().lacking(Answer()).problem == ""


def test_quotes_are_listed_once_and_those_that_prove_nothing_are_dropped():
    """Too short, or with spaces around; one that is not there is kept and marked."""
    opinion = weighing().opinion("safety", [result(scored("8", f" {WORK} ", WORK, "Canberra", "It is not in there."))])
    assert [(quote.quote, quote.verified) for quote in opinion.evidence] == [
        (WORK, True),
        ("It is not in there.", False),
    ]


def test_a_quote_across_hidden_characters_is_given_back_with_a_note():
    """Only when the verdict that counts has it."""
    written = "The capital of\u200b Australia is Canberra, as everybody knows."
    judge = Weighing(Submission(output=written), Shown(None, written.replace("\u200b", "")), "m")
    opinion = judge.opinion("safety", [result(scored("8", "capital of Australia is Canberra"))])
    assert [quote.quote for quote in opinion.evidence] == ["capital of\u200b Australia is Canberra"]
    assert judge.notes({"safety": opinion}, Claims()) == (RESTORED,)
    assert judge.notes({"safety": Opinion(Decimal(5))}, Claims()) == ()
    claim = Claim("f", "why", opinion.evidence)
    assert judge.notes({}, Claims(red_flags=(claim,))) == judge.notes({}, Claims(bonuses=(claim,))) == (RESTORED,)


# --- a judge as a whole ----------------------------------------------------------------------------------------------


def test_a_report_that_the_model_refutes_is_given_with_its_reason():
    """One call about the reports alone; a claim without a verified quote refutes nothing."""
    finding = Finding("tests", "correctness", "major", "No capital is named.", quote="Canberra")
    provider = Provider()
    judge = ModelJudge(asker_of(provider))
    id = finding_id(finding)

    def reply(quotes: list[str]) -> Reply:
        claim = {"quotes": quotes, "explanation": "It is named.", "present": True}
        return Reply(json.dumps({"reply_to": nonce, "red_flags": {id: claim}, "bonuses": {}}))

    nonce = Nonces(lambda: b"k").of(judge._show(RUBRIC, SUBMISSION))
    for quotes, refuted in (([WORK], {id: "It is named."}), (["Nobody has ever written this."], {})):
        provider = Provider()
        provider.replies = [reply(quotes), reply(quotes)]
        judge = ModelJudge(asker_of(provider, nonces=Nonces(lambda: b"k")))
        made, calls = asyncio.run(judge.refute(RUBRIC, SUBMISSION, [finding]))
        assert made == refuted
        assert calls.asked == len(provider.requests) == 1
        question = provider.requests[0].messages[-1].content
        assert "No capital is named." in question
    assert _report(finding).endswith('"No capital is named." It is about this passage: "Canberra"')
    assert _report(finding._replace(quote="")).endswith('shows that: "No capital is named."')


def test_served_models_and_stored_replies_are_noted():
    """A reply that is stored is not asked for again, and counts as stored."""
    kept = Kept()
    provider = Provider(model="m-2026")
    asker = asker_of(provider, replies=kept)
    first, second = at_once(ask(asker))[0], at_once(ask(asker))[0]
    assert (first.calls.asked, first.calls.stored) == (1, 0)
    assert (second.calls.asked, second.calls.stored) == (0, 1)
    assert (len(kept), len(provider.requests), asker.served) == (1, 1, {"m-2026"})
    again = asker_of(provider, replies=kept, fresh=True)
    assert at_once(ask(again))[0].calls.asked == 1


# --- pairs -----------------------------------------------------------------------------------------------------------


def side(text: str) -> _Side:
    return _Side(Shown(text=text, task=None), checker(Submission(output=text)), Submission(output=text))


def test_a_reading_of_a_pair_is_the_latest_that_can_be_used():
    """With the quotes from each work, whichever was shown first."""
    sides = {"a": side(WORK), "b": side(OTHER)}
    good = Answer(preference=Preference("second", (OTHER,), (WORK,), "better"))
    bad = Answer(preference=Preference("first", (WORK,), (OTHER,)))  # quotes from the wrong works
    made = _reading(result(bad, good), sides, "b", "a")
    assert (made.shown_first, made.verdict, made.reason, made.justification) == ("b", "second", "", "better")
    assert {name: [quote.quote for quote in quotes] for name, quotes in made.evidence.items()} == {
        "a": [WORK], "b": [OTHER],
    }  # fmt: skip
    none = _reading(result(bad, problem="no quote"), sides, "b", "a")
    assert (none.verdict, none.reason) == (None, "no quote")
    assert [quote.verified for quote in none.evidence["a"]] == [False]


def test_a_repair_request_about_a_pair_names_the_problem_and_the_code():
    """As a turn of the user."""
    message = pair_prompt.repair("it has no quote", "abcd1234")
    assert message.role == "user"
    assert message.content.startswith("Your reply could not be used: it has no quote. ")
    assert '"reply_to": "abcd1234"' in message.content


def test_two_works_are_joined_in_their_order_with_the_shorter_reference():
    """The task is that of the first."""
    first = Shown("task", "one", ("n1",), None, "a long reference")
    second = Shown("other", "two", ("n2",), None, "short")
    made = pair_prompt.joined(first, second)
    assert (made.task, made.text, made.notes, made.reference) == ("task", "one\0two", ("n1", "n2"), "short")
    assert pair_prompt.joined(second, first).reference == "short"
    assert pair_prompt.joined(first, second._replace(reference="")).reference == "a long reference"
    assert pair_prompt.joined(first._replace(reference=None), second._replace(reference=None)).reference is None


# --- after the object ------------------------------------------------------------------------------------------------

PAIR, SAFETY = Question("pair"), Question("scores", ("safety",))


def preferring(verdict: str) -> Answer:
    return Answer(preference=Preference(verdict))


@every_case(
    ("answer", "after", "is_corrected"),
    [
        (scored("6"), "", False),
        (scored("6"), "``` \n", False),
        (scored("6"), "Score: 6", False),
        (scored("6"), "Score: 7", True),
        (scored("6"), "Wait, make that a 7.", True),
        (scored("6"), "Wait, it stays a 6.", False),
        (scored("6"), "I looked at 7 files.", False),
        (scored("6"), "I would rate safety 7 out of 10.", True),
        (scored("6"), "I would rate safety 6 out of 10. As of 2024, line 12 is missing.", False),
        (scored("6"), "Score: 7" + " " * LONGEST_AFTER, False),
        (preferring("first"), "Actually, 7.", False),
        (Answer(claims=(raised("leak"),)), "LEAK is absent.", False),
    ],
)
def test_what_follows_an_object_may_correct_it(answer, after, is_corrected):
    """A sentence that ends in another score; of the dimension that it names, where there are several."""
    assert contradicted(answer, after, SHOWN) is is_corrected


def test_numbers_of_an_object_are_found_where_they_stand():
    """Not those inside texts, nor of another object."""
    text = 'x 5 {"a": "7", "b": [1, -2.5e3], "c": {"d": 44}} 9'
    (found,) = find_objects(text).objects
    places = [number_span(text, found, Number("", order)) for order in range(4)]
    assert [text[slice(*place)] for place in places[:3] if place] == ["1", "-2.5e3", "44"]
    assert places[3] is None
    assert found.value["b"] == [Number("1", 0), Number("-2.5e3", 1)]
    assert find_objects('{"a": NaN} {"b": 1}').objects[0].value == {"b": Number("1", 0)}


# --- distributions ---------------------------------------------------------------------------------------------------


def reply_with(
    score: str, first: dict[str, float], then: dict[str, float] | None = None
) -> tuple[Reply, DimensionAnswer]:
    from math import log

    tokens = [Token('{"score": ', {}), Token(score[0], {text: log(share) for text, share in first.items()})]
    if then is not None:
        tokens.append(Token(score[1:] or "}", {text: log(share) for text, share in then.items()}))
    text = "".join(one.text for one in tokens)
    return Reply(text, tokens=tuple(tokens)), DimensionAnswer(Decimal(score), span=(10, 10 + len(score)))


def test_half_of_the_probability_must_be_on_scores():
    """Exactly half is enough."""
    assert score_distribution(*reply_with("7", {"7": 0.5, "x": 0.5})) == {700: 1_000_000}
    assert score_distribution(*reply_with("7", {"7": 0.49, "x": 0.51})) is None


def test_a_bare_one_is_divided_by_what_follows_it():
    """A zero follows it with probability one quarter, which makes it a 10."""
    made = score_distribution(*reply_with("1", {"1": 0.8, "2": 0.2}, {"0": 0.25, "}": 0.75}))
    assert made == {100: 600_000, 200: 200_000, 1000: 200_000}
    assert _becomes_ten(()) is None
    assert _becomes_ten((Token("0", {}),)) is None


def test_a_band_leaves_out_what_lies_outside_and_tells_one_from_ten():
    """9-10: a bare 1 is a 10; 1-2: it is a 1; up to a hundredth of doubt is ignored."""
    reply, answer = reply_with("9", {"9": 0.6, "1": 0.2, "5": 0.2})
    assert score_distribution(reply, answer._replace(band="9-10")) == {900: 750_000, 1000: 250_000}
    assert score_distribution(reply, answer) is None
    low, lower = reply_with("2", {"2": 0.6, "1": 0.2, "5": 0.2})
    assert score_distribution(low, lower._replace(band="1-2")) == {100: 250_000, 200: 750_000}
    hardly, sure = reply_with("9", {"9": 0.995, "1": 0.005})
    assert score_distribution(hardly, sure) == {900: 1_000_000}
    assert score_distribution(reply, answer._replace(band="5-6")) is None, "the score itself is outside"


def test_parts_are_whole_and_the_largest_remainders_are_rounded_up():
    """Thirds: one of them gets the part that is left; the lowest of equal ones."""
    assert _parts({1: 1.0, 2: 1.0, 3: 1.0}) == {100: 333_334, 200: 333_333, 300: 333_333}
    assert _parts({5: 1e-9, 6: 1.0}) == {600: 1_000_000}
    assert mean({100: 1, 200: 1}) == Decimal("1.50")
    assert mean({100: 2, 101: 1, 102: 1}) == Decimal("1.01"), "1.0075, half up"


def test_a_prompt_shows_the_part_of_the_rubric_that_its_question_is_about():
    """One dimension; flags and bonuses only where they are asked about; reports instead of them."""
    claims, reports = Question("flags"), Question("reports", reports=RUBRIC.red_flags[:1])
    for question in (Question("all", DIMENSIONS), PAIR):
        assert _in_question(RUBRIC, question) == RUBRIC
    safety = _in_question(RUBRIC, SAFETY)
    assert (list(safety.dimensions), safety.red_flags, safety.bonuses) == (["safety"], (), ())
    asked = _in_question(RUBRIC, claims)
    assert (asked.dimensions, asked.red_flags, asked.bonuses) == ({}, RUBRIC.red_flags, RUBRIC.bonuses)
    reported = _in_question(RUBRIC, reports)
    assert (reported.dimensions, reported.red_flags, reported.bonuses) == ({}, (), ())


def test_a_judgement_names_what_was_judged():
    """Skill, task, reference and source; an id only of a file of submissions: a session keeps its id as it grows."""
    work = Submission(output=WORK, task="t", source="f.md", skill="s", id="i", reference="r")
    judge = ModelJudge(asker_of(Provider(), CallSettings()))
    for format, id in (("submissions", "i"), ("text", None)):
        (made,) = at_once(judge.judge(RUBRIC, work._replace(format=format)))
        assert (made.id, made.skill, made.task, made.reference, made.output) == (id, "s", "t", "r", "f.md")
    (unnamed,) = at_once(judge.judge(RUBRIC, Submission(output=WORK)))
    assert (unnamed.skill, unnamed.id) == ("unnamed", None)
    member = unnamed.panel.members[0]
    assert dict(member.scores) == {name: opinion.score for name, opinion in unnamed.opinions.items()}
    assert (member.judge, unnamed.judge) == (judge.identity, judge.identity)
    assert unnamed.panel.calls.asked == 2


def test_a_call_that_was_given_up_is_not_woken():
    """Its loop may be closed by now; the others are woken."""
    budget = Budget(max_cost=Decimal("1.00"))
    closed, open_loop = asyncio.new_event_loop(), asyncio.new_event_loop()
    given_up, waiting = closed.create_future(), open_loop.create_future()
    given_up.cancel()
    closed.close()
    budget._waiting += [given_up, waiting]
    budget._wake()
    open_loop.run_until_complete(asyncio.wait_for(waiting, 5))
    open_loop.close()
    assert budget._waiting == []
