"""When a gate is red: every gate's limits, its rulings and every sentence it says. Pure.

A gate looks at scores, grades, named red flags, faults and expectations, and at a decision: a drop against a baseline
is red where the decision says worse, by more than a margin. It never looks at the literal history flag (R17). Whatever
asks (`evenhand gate`, `judge`, `run`, `suite show`, a test, a bridge, the dashboard) is answered here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final, Literal, NamedTuple

from evenhand.core.bounds import HIGHEST_WITH, NONE_READ, failures, unread_reason
from evenhand.core.finding import NEEDS_A_READER, Checked, Severity
from evenhand.core.history import changes_words
from evenhand.core.numbers import hundredths, points, shown
from evenhand.core.ranking import contender, rank_contenders
from evenhand.core.rules import GRADES, grade_of
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.decision import Contrast, Decision, SetComparison, VariantFacts
from evenhand.decisions.suite import SuiteGate
from evenhand.decisions.table import MeasureName
from evenhand.errors import shortened_line
from evenhand.in_words import counted

SENTENCES: Final = {
    # one scorecard
    "below": "{reached} is below {required}",
    "open": "{why}: {questions}",
    "limit open": "{required} may or may not be reached",
    "flag": "red flag {id} was raised: {why}",
    "flags open": "only a reader can tell whether a red flag applies",
    "no checks": 'no checks ran on it, so its faults are unknown; add the judge "checks"',
    "no expectations": "no expectation was looked at",
    "expectation": "{result}: {line}",
    "sentences open": "{sentences} undecided: {which}",
    "criterion": "criterion {id} is {result}: {why}",
    "criterion open": "criterion {id} could not be decided: {why}",
    "no criterion": "criterion {id} was not asked about",
    "not comparable": "{name} cannot be compared: {reason}",
    "worse": "worse than the baseline: decided by {rule} ({finals})",
    "equal": "not better than the baseline: equal in everything ({finals})",
    "unscored dimension": "a dimension is unscored",
    "no official score": "no official score ({reason})",
    "no fault": "no fault that the gate looks for; {unread}",
    # a drop
    "unread cases": "{unread}, so there is nothing to compare with the baseline",
    "drop": "; the drop exceeds the margin of {margin}",
    "small drop": "; whether by more than the margin of {margin} is unclear",
    "drop possible": "; a {kind} drop beyond the margin of {margin} is not ruled out",
    "ruled out": "; a {kind} drop beyond the margin of {margin} is ruled out",
    "unscored side": "; {unscored} of {runs} of {side} could not be scored",
    # a variant of a suite
    "mean score": "{mean:.2f} over {cases}; at least {least} is required",
    "open mean score": (
        "between {low:.2f} and {high:.2f}, as {unscored} of {runs} runs have no score; at least {least} is required"
    ),
    "no mean score": "{unread}, so there is no score to compare with {least}: name a judge",
    "unmet": "{unmet} of {expectations} expectations unmet, {lost} lost",
    "not all decided": "{runs} could not be decided",
    "all met": "all of {expectations} met",
    "failed runs": "{failed} of {runs} runs failed; at most {most:%} may",
    "faults": "faults found: {faults}",
    "no faults": "no {least} fault or worse was found",
    "no runs to look at": "no run finished, so there was nothing to find faults in",
    # all rulings together
    "closed": "red: the gate is closed",
    "unread files": "undecided: {errors} could not be read",
    "not scored": "undecided: a score is missing; this is not a pass",
    "undecided": "undecided: the data cannot tell; this is not a pass",
    "is open": "the gate is open",
}
"""Everything a gate says."""

TITLES: Final = {"red": "The gate is closed", "green": "The gate is open", "undecided": "Undecided"}
"""The heading of a page, by the result of a gate."""


def say(sentence: str, **values: object) -> str:
    """A sentence with its values."""
    return SENTENCES[sentence].format(**values)


def exactly(margin: Decimal, measure: MeasureName) -> str:
    """A margin with all its decimals."""
    return shown(margin) if measure in ("final score", "graders passed") else f"{shown(100 * margin)}%"


Colour = Literal["green", "red", "undecided", "unscored"]

MOST_QUOTED = 300
"""Characters of a reason or a quote in a ruling and in a test report."""


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
    if "unscored" in colours:
        return Outcome("undecided", SENTENCES["not scored"])
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
    if broken:
        broken += filter(None, [weakest(card, max(limit for limit, _, _ in limits))])
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


def weakest(card: Scorecard, limit: Decimal) -> str:
    """What keeps a scorecard below a limit: its lowest dimension, if that is below, with its reason and a quote.

    Empty where it has neither.
    """
    scored = [(line.score, name) for name, line in card.dimensions.items() if line.score is not None]
    score, name = min(scored, default=(limit, ""))
    if score >= limit:
        return ""
    line = card.dimensions[name]
    quotes = [found.quote for found in sorted(line.evidence, key=lambda found: not found.verified)]
    why = [shortened_line(line.justification, MOST_QUOTED)] if line.justification else []
    why += [f"“{shortened_line(quote, MOST_QUOTED)}”" for quote in quotes[:1]]
    return f"{name} {score}: {' '.join(why)}" if why else ""


def _criteria(card: Scorecard, ids: Sequence[str]) -> Reasons:
    from evenhand.core.criteria_results import criterion_result  # few gates name criteria

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


def judge_better(contrast: Contrast) -> Ruling:
    """A gate that is open only for what is shown to be better."""
    colour: Colour = "green" if contrast.verdict == "better" else "undecided"
    if contrast.verdict in ("worse", "no difference shown"):
        colour = "red"
    return Ruling(f"{contrast.variant} against {contrast.reference}", colour, contrast.says)


def judge_suite(decision: Decision, gate: SuiteGate) -> list[Ruling]:
    """The rulings on every variant but the reference; on the only one when there is no other.

    Where every pair of variants is compared, the first variant is what the others must not be worse than.
    """
    first = decision.variants[0].name
    against = [
        contrast for contrast in decision.contrasts if decision.reference is not None or contrast.reference == first
    ]
    rulings = [judge_drop(contrast, decision.measure, gate.margin) for contrast in against]
    candidates = [decision.facts(contrast.variant) for contrast in against] or list(decision.variants)
    for facts in candidates:
        rulings += _variant(facts, decision.measure, gate)
    return rulings


def judge_drop(contrast: Contrast, measure: MeasureName, margin: Decimal) -> Ruling:
    """Not worse than the reference: red where it is worse beyond the margin, green where such a drop is ruled out.

    Read off the one interval of the decision, so that a gate never says anything else than the report beside it.
    """
    name = f"{contrast.variant} against {contrast.reference}"
    least = margin_of(measure, margin)
    limit = exactly(least, measure)
    kind = "mean" if contrast.claim == "mean" else "typical"
    if not contrast.cases:
        return Ruling(name, "unscored", contrast.doubt)
    if contrast.open == contrast.units and contrast.estimate is None:
        return Ruling(name, "unscored", contrast.says)
    if contrast.verdict == "worse" and -Fraction(str(contrast.estimate)) > Fraction(least):
        return Ruling(name, "red", contrast.says + say("drop", margin=limit))
    if contrast.points_both_ways:  # rare large losses may outweigh the typical gain: nothing is ruled out
        return Ruling(name, "undecided", contrast.says)
    if contrast.low is not None and Fraction(str(contrast.low)) >= -Fraction(least):
        return Ruling(name, "green", contrast.says + say("ruled out", kind=kind, margin=limit))
    if contrast.verdict == "no difference shown":
        if contrast.low is None:
            return Ruling(name, "green", contrast.says)
        return Ruling(name, "undecided", contrast.says + say("drop possible", kind=kind, margin=limit))
    if contrast.verdict == "worse":
        return Ruling(name, "undecided", contrast.says + say("small drop", margin=limit))
    return Ruling(name, "undecided", contrast.says)


def judge_baseline(comparison: SetComparison, margin: Decimal) -> Ruling:
    """Evaluations not worse than those of a baseline; what no one has read does not pass."""
    decision, name = comparison.decision, "against the baseline"
    ruling = judge_drop(comparison.contrast, decision.measure, margin)
    says = ruling.says + "".join(
        say("unscored side", unscored=facts.unscored, runs=counted(facts.runs, "evaluation"), side=facts.name)
        for facts in decision.variants
        if facts.unscored
    )
    if decision.measure != "final score" and ruling.colour != "red":
        return Ruling(name, "unscored", say("unread cases", unread=NONE_READ))
    if decision.measure == "final score" and ruling.colour == "red" and comparison.changes:
        says += f"; also changed: {changes_words(comparison.changes)}"
    return Ruling(name, ruling.colour, says)


def margin_of(measure: MeasureName, margin: Decimal) -> Decimal:
    """The margin in the unit of the measure: points of ten, or a tenth of that as a share of expectations."""
    return margin if measure == "final score" else margin / 10


def _variant(facts: VariantFacts, measure: MeasureName, gate: SuiteGate) -> Iterator[Ruling]:
    """The limits that a variant is held to by itself."""
    if gate.min_score is not None:
        yield judge_mean(facts, measure, gate.min_score)
    if gate.max_failed is not None:
        failed = facts.lost > Fraction(gate.max_failed) * facts.runs
        colour: Colour = "unscored" if not facts.runs else "red" if failed else "green"
        says = say("failed runs", failed=facts.lost, runs=facts.runs, most=gate.max_failed)
        yield Ruling(f"{facts.name}: failed runs", colour, says)
    if gate.no_fault is not None:
        counted = dict(facts.faults)
        severities: list[str] = list(HIGHEST_WITH)
        forbidden = reversed(severities[severities.index(gate.no_fault) :])
        faults = ", ".join(f"{counted[name]} {name}" for name in forbidden if counted.get(name))
        says = say("faults", faults=faults) if faults else say("no faults", least=gate.no_fault)
        colour = "red" if faults else "green"
        if facts.runs == facts.lost:
            colour, says = "undecided", say("no runs to look at")
        yield Ruling(f"{facts.name}: faults", colour, says)
    if gate.all_expected:
        yield _all_met(facts)


def judge_mean(facts: VariantFacts, measure: MeasureName, least: Decimal) -> Ruling:
    """The mean of all cases, a lost run as the worst; where scores are missing, both ends must be on the same side."""
    name = f"{facts.name}: mean score"
    if measure not in ("final score", "graders passed") or facts.low is None or facts.high is None:
        return Ruling(name, "unscored", say("no mean score", unread=NONE_READ, least=least))
    limit, low, high = float(least), facts.low, facts.high
    cases = counted(facts.cases, "case")
    if low == high:
        says = say("mean score", mean=facts.mean, cases=cases, least=least)
    else:
        says = say("open mean score", low=low, high=high, unscored=facts.unscored, runs=facts.runs, least=least)
    # The limit is met by a mean that equals it; means are kept to six decimals.
    colour: Colour = "red" if round(high, 6) < limit else "green" if round(low, 6) >= limit else "unscored"
    return Ruling(name, colour, says)


def _all_met(facts: VariantFacts) -> Ruling:
    name, unmet = f"{facts.name}: expectations", facts.expectations - facts.met
    if unmet or facts.lost:
        says = say("unmet", unmet=unmet, expectations=facts.expectations, lost=counted(facts.lost, "run"))
        return Ruling(name, "red", says)
    if not facts.expectations or facts.unscored:
        return Ruling(name, "unscored", say("not all decided", runs=counted(facts.unscored, "run")))
    return Ruling(name, "green", say("all met", expectations=counted(facts.expectations, "expectation")))


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
