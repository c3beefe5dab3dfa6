"""When a gate is red: every gate's limits and decisions, in the sentences of `gate_words`. Pure.

A gate looks at scores, grades, named red flags, faults and expectations, and at a drop against a baseline that is both
larger than a margin and hard to explain by chance. It never looks at the literal history flag (R17). Whatever asks
(`evenhand gate`, `judge`, `run`, `suite show`, a test, a bridge, the dashboard) is answered here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Literal, NamedTuple

from evenhand.core.numbers import hundredths, points
from evenhand.core.ranking import contender, rank_contenders
from evenhand.core.rules import GRADES, grade_of
from evenhand.core.scoring import HIGHEST_WITH, NONE_READ, failures, unread_reason
from evenhand.core.values import NEEDS_A_READER, Checked, Scorecard, Severity
from evenhand.decisions.gate_words import SENTENCES, change, exactly, measured, say
from evenhand.decisions.sets.weighted import by_cluster, compare_cases, fell_by, mirrored, weighted_mean
from evenhand.decisions.values.decision import CaseDifference, Contrast, Decision, Measure, VariantFacts
from evenhand.decisions.values.suite import SuiteGate
from evenhand.in_words import counted

LEVEL = 0.02
"""How rarely chance alone may turn a gate red: one-sided, so that six cases out of six, 1 in 64, are enough."""

Colour = Literal["green", "red", "undecided", "unscored"]


class Ruling(NamedTuple):
    """A gate's verdict on one scorecard, or on all of them."""

    name: str
    colour: Colour
    says: str


class Gate(NamedTuple):
    """The limits to apply to a scorecard; None means no limit."""

    min_score: Decimal | None = None
    min_grade: str | None = None
    no_red_flags: tuple[str, ...] | Literal["any"] = ()
    no_fault: Severity | None = None
    """The lowest severity at which a fault found by checks turns the gate red."""
    margin: Decimal = Decimal("0.2")
    all_expected: bool = False
    """Whether every expectation must be met; one that cannot be decided is not."""
    criteria: tuple[str, ...] = ()
    """The criteria that must be met: ids in the rubric, or sentences that a judge was asked about."""


class Reasons(NamedTuple):
    """Why a scorecard does not pass."""

    broken: list[str]
    open: list[str]
    """What cannot be told."""


class Outcome(NamedTuple):
    """What all rulings come to."""

    word: Literal["red", "green", "undecided"]
    says: str


def outcome(rulings: Sequence[Ruling], errors: int = 0) -> Outcome:
    """Red if one ruling is; green only if all are: what cannot be read or told does not open a gate."""
    colours = {ruling.colour for ruling in rulings}
    if "red" in colours:
        return Outcome("red", SENTENCES["closed"])
    if errors:
        return Outcome("undecided", say("unread files", errors=errors))
    return Outcome("undecided", SENTENCES["undecided"]) if colours - {"green"} else Outcome("green", say("is open"))


def judge_card(card: Scorecard, gate: Gate, *, uncalibrated: str | None = None) -> Ruling:
    """One scorecard against the limits. `uncalibrated` is why its final score is not calibrated, if it must be."""
    broken, questions = reasons(card, gate)
    if uncalibrated is not None:
        broken.append(uncalibrated)
    if broken:
        return Ruling(card.id, "red", "; ".join(broken))
    if questions:
        return Ruling(card.id, "unscored", "; ".join(questions))
    if card.unread:
        return Ruling(card.id, "green", say("no fault", unread=unread_reason(card)))
    worst, best = _ends(card)
    return Ruling(card.id, "green", f"{worst}" if worst == best else f"{worst} to {best}")


def reasons(card: Scorecard, gate: Gate) -> Reasons:
    """Every limit that a scorecard misses, or may miss; an interval is judged at both ends.

    Work that no one has read is never treated as read.
    """
    worst, best = _ends(card)
    broken, questions, unknown = [], [], []
    limits = [] if gate.min_score is None else [(gate.min_score, f"{best}", f"{gate.min_score}")]
    if gate.min_grade is not None:
        limits.append((_lowest(gate.min_grade), grade_of(hundredths(best)).letter, gate.min_grade))
    for limit, reached, required in limits:
        if best < limit:
            broken.append(say("below", reached=reached, required=required))
        elif worst < limit or card.unread:
            questions.append(say("limit open", required=required))
    for flag in card.red_flags:
        if gate.no_red_flags == "any" or flag.id in gate.no_red_flags:
            broken.append(say("flag", id=flag.id, why=flag.explanation or flag.description))
    if gate.no_red_flags and card.unread:
        questions.append(say("flags open"))
    if questions:
        why = unread_reason(card) if card.unread else say("unscored dimension")
        if card.no_official is not None:
            why = say("no official score", reason=card.no_official)
        unknown.append(say("open", why=why, questions="; ".join(questions)))
    if gate.no_fault is not None:
        if card.checked is None:
            unknown.append(say("no checks"))
        else:
            broken += failures(card.checked, gate.no_fault)
            unknown += _undecided_sentences(card.checked)
    if gate.all_expected:
        broken += _expectations(card)
    if gate.criteria:
        missed, open = _criteria(card, gate.criteria)
        broken += missed
        unknown += open
    return Reasons(broken, unknown)


def _criteria(card: Scorecard, ids: Sequence[str]) -> Reasons:
    from evenhand.core.criteria import criterion_result  # few gates name criteria

    broken, unknown = [], []
    for id in ids:
        result, why = criterion_result(card, id) or ("", "")
        if result in ("missed", "partly met"):
            broken.append(say("criterion", id=id, result=result, why=why))
        elif result == "undecided":
            unknown.append(say("criterion open", id=id, why=why))
        elif not result:
            unknown.append(say("no criterion", id=id))
    return Reasons(broken, unknown)


def _undecided_sentences(checked: Checked) -> list[str]:
    """Sentences that need a judge, or that one could not tell: what is undecided does not pass."""
    left = [
        expected.words
        for expected in checked.expectations
        if expected.result == "undecided" and (expected.by or expected.message == NEEDS_A_READER)
    ]
    if not left:
        return []
    return [say("sentences open", sentences=counted(len(left), "sentence is", "sentences are"), which="; ".join(left))]


def worse(card: Scorecard, baseline: Scorecard, *, better: bool) -> list[str]:
    """Why a scorecard is worse than another, or with `better` not better, by the rules that order a ranking."""
    ranking = rank_contenders([contender(card, "this output"), contender(baseline, "the baseline")])
    if ranking.unranked:
        return [say("not comparable", name=entry.id, reason=entry.reason) for entry in ranking.unranked]
    first = ranking.entries[0]
    finals = f"{card.final} against {baseline.final}"
    if first.equivalent_to:
        return [say("equal", finals=finals)] if better else []
    if first.id == "this output":
        return []
    return [say("worse", rule=(first.decided_by or "").replace("_", " "), finals=finals)]


def unread_drop(name: str) -> Ruling:
    """What a gate says of a comparison with a baseline when no one has read the work: nothing passes unread."""
    return Ruling(name, "unscored", say("unread cases", unread=NONE_READ))


def unscored_drop(name: str, missing: int, number: int) -> Ruling:
    """The ruling on a drop where some of the outputs have no final score, so that they were not compared."""
    return Ruling(name, "unscored", say("unscored cases", missing=missing, outputs=counted(number, "output")))


def judge_drop(differences: Sequence[Fraction], margin: Decimal) -> Ruling:
    """Paired differences to a baseline, in hundredths, now minus then: red only for a real and large drop."""
    cases = [CaseDifference("", difference, Fraction(1)) for difference in differences]
    return _drop("against the baseline", cases, margin, "final score", LEVEL)


def judge_suite(decision: Decision, gate: SuiteGate) -> list[Ruling]:
    """The rulings on every variant but the reference; on the only one when there is no other."""
    level = LEVEL / max(1, len(decision.contrasts))
    rulings = [
        _contrast(contrast, decision.measure, gate.margin, level * contrast.part) for contrast in decision.contrasts
    ]
    candidates = [decision.facts(contrast.variant) for contrast in decision.contrasts] or list(decision.variants)
    for facts in candidates:
        rulings += _variant(facts, decision.measure, gate)
    return rulings


def margin_of(measure: Measure, margin: Decimal) -> Decimal:
    """The margin in the unit of the measure: points of ten, or a tenth of that as a share of expectations."""
    return margin if measure == "final score" else margin / 10


def _contrast(contrast: Contrast, measure: Measure, margin: Decimal, level: float) -> Ruling:
    name = f"{contrast.variant} against {contrast.reference}"
    least = margin_of(measure, margin)
    hidden = any(scenario.losses == "this variant's" and scenario.verdict == "worse" for scenario in contrast.what_if)
    is_worse = contrast.verdict == "worse"
    ruling = _drop(name, contrast.differences, least, measure, level, hidden=hidden, is_worse=is_worse)
    doubt = doubt_of(contrast, measure)
    if doubt and ruling.colour == "green":
        return Ruling(name, "undecided", say("doubt", says=ruling.says, doubt=doubt))
    return ruling


def doubt_of(contrast: Contrast, measure: Measure) -> str:
    """Why a comparison is not to be relied on, in words; empty when it is."""
    if contrast.seen:
        return say("seen", runs=counted(contrast.seen, "run"))
    if measure == "expectations met" and contrast.is_mostly_left_out:
        return say("mostly left out", counted=f"{contrast.counted:,}", expectations=f"{contrast.expectations:,}")
    if contrast.turned:
        return say("turned")
    return say("contradicted") if contrast.contradicted else ""


def _drop(
    name: str,
    differences: Sequence[CaseDifference],
    margin: Decimal,
    measure: Measure,
    level: float,
    *,
    hidden: bool = False,
    is_worse: bool = False,
) -> Ruling:
    """Red beyond the margin and at most `level` by chance; green where such a drop is ruled out or would be detected.

    The test is that of a decision: how many cases are worse, or the mean where many are and they are not skewed.

    Runs without a value that may hide a drop (`hidden`) cannot make it green, nor can a variant that a decision at a
    higher level calls worse (`is_worse`).
    """
    cases, differences = len(differences), by_cluster(differences)
    unit = "case" if len(differences) == cases else "cluster"
    if len(differences) < 2:
        return Ruling(name, "undecided", say("one case" if differences else "no case"))
    beyond = -weighted_mean(differences) > 100 * Fraction(margin)
    # A one-sided test at this level detects what a two-sided one at twice the level does.
    result = compare_cases(differences, 2 * level)
    assert result.mean is not None
    chance = fell_by(differences)
    counts = say("counts", better=result.better, worse=result.worse) if result.claim == "cases" else ""
    summary = change(result.mean, len(differences), measure, unit) + counts + say("chance", chance=chance)
    limit = exactly(margin, measure)
    if chance <= level and beyond:
        return Ruling(name, "red", summary + say("drop", margin=limit))
    if hidden:
        return Ruling(name, "undecided", summary + say("hidden drop"))
    if is_worse and beyond:
        return Ruling(name, "undecided", summary + say("worse by chance", level=level))
    if beyond:
        return Ruling(name, "undecided", summary + say("drop by chance", margin=limit))
    if result.error and fell_by(mirrored(differences), -100 * Fraction(margin)) <= level:
        return Ruling(name, "green", summary + say("ruled out", margin=limit))
    if result.detectable is None or result.detectable > float(margin):
        visible = "no drop"
        if result.detectable is not None:
            visible = f"only a drop of {measured(result.detectable, measure, sign=False)} or more"
        return Ruling(name, "undecided", summary + say("too few", visible=visible))
    return Ruling(name, "green", summary + say("no drop", margin=limit))


def _variant(facts: VariantFacts, measure: Measure, gate: SuiteGate) -> Iterator[Ruling]:
    """The limits that a variant is held to by itself."""
    colour: Colour
    if gate.min_score is not None:
        name = f"{facts.name}: mean score"
        if measure != "final score" or facts.exact_mean is None:
            yield Ruling(name, "unscored", say("no mean score", unread=NONE_READ, least=gate.min_score))
        else:
            colour = "red" if facts.exact_mean < Fraction(gate.min_score) else "green"
            says = say("mean score", mean=facts.mean, cases=facts.cases, least=gate.min_score)
            yield Ruling(name, colour, says)
    if gate.max_failed is not None:
        failed = facts.failed > Fraction(gate.max_failed) * facts.runs
        colour = "unscored" if not facts.runs else "red" if failed else "green"
        says = say("failed runs", failed=facts.failed, runs=facts.runs, most=gate.max_failed)
        yield Ruling(f"{facts.name}: failed runs", colour, says)
    if gate.no_fault is not None:
        counted = dict(facts.faults)
        severities: list[str] = list(HIGHEST_WITH)
        forbidden = reversed(severities[severities.index(gate.no_fault) :])
        faults = ", ".join(f"{counted[name]} {name}" for name in forbidden if counted.get(name))
        says = say("faults", faults=faults) if faults else say("no faults", least=gate.no_fault)
        yield Ruling(f"{facts.name}: faults", "red" if faults else "green", says)


def _expectations(card: Scorecard) -> list[str]:
    if card.checked is None or not card.checked.expectations:
        return [say("no expectations")]
    return [
        say("expectation", result=expected.result, line=expected.line)
        for expected in card.checked.expectations
        if expected.result != "met"
    ]


def _ends(card: Scorecard) -> tuple[Decimal, Decimal]:
    """The lowest and the highest final score that a scorecard leaves open."""
    if card.interval is not None:
        return card.interval.low, card.interval.high
    assert card.final is not None
    return card.final, card.final


def _lowest(letter: str) -> Decimal:
    return points(next(grade.lower for grade in GRADES if grade.letter == letter))
