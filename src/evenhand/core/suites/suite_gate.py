"""A decision and a suite's gate -> rulings: red, green, underpowered or unscored. Pure.

Like every gate here it is red for a drop only when the drop is larger than the margin and hard to explain by chance,
and green only when such a drop would have been seen. Runs that failed cannot turn it green.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from evenhand.core.history.gate import LEVEL, Ruling
from evenhand.core.method.bounds import HIGHEST_WITH
from evenhand.core.suites.weighted import compare_cases, fell_by, mirrored
from evenhand.core.values.decision import Contrast, Decision, Measure, VariantFacts
from evenhand.core.values.suite import SuiteGate


def suite_gate(decision: Decision, gate: SuiteGate) -> list[Ruling]:
    """The rulings on every variant but the reference; on the only one when there is no other."""
    level = LEVEL / max(1, len(decision.contrasts))
    rulings = [_judge_drop(contrast, decision.measure, gate.margin, level) for contrast in decision.contrasts]
    candidates = [decision.facts(contrast.variant) for contrast in decision.contrasts] or list(decision.variants)
    for facts in candidates:
        rulings += _limits(facts, decision.measure, gate)
    return rulings


def is_red(rulings: list[Ruling]) -> bool:
    """Whether the gate is closed."""
    return any(ruling.colour == "red" for ruling in rulings)


def is_open(rulings: list[Ruling]) -> bool:
    """Whether every ruling is green: what the data cannot tell does not open a gate."""
    return all(ruling.colour == "green" for ruling in rulings)


def margin_of(measure: Measure, margin: Decimal) -> Decimal:
    """The margin in the unit of the measure: points of ten, or a tenth of that as a share of expectations."""
    return margin if measure == "final score" else margin / 10


def _judge_drop(contrast: Contrast, measure: Measure, margin: Decimal, level: float) -> Ruling:
    name = f"{contrast.variant} against {contrast.reference}"
    differences = contrast.differences
    if contrast.difference.test == "anytime":
        return _judge_watched_drop(name, contrast, measure, float(margin_of(measure, margin)), level)
    if len(differences) < 2:
        cases = "no case" if not differences else "one case only"
        return Ruling(name, "underpowered", f"{cases} has a value on both sides")
    hundredths = 100 * Fraction(margin_of(measure, margin))
    least = float(margin_of(measure, margin))  # compared with floats: 0.2 as a float is more than Decimal("0.2")
    # A one-sided test at this level detects what a two-sided one at twice the level does.
    result = compare_cases(differences, 2 * level)
    assert result.mean is not None
    chance = fell_by(differences)
    summary = (
        f"mean change {_shown(result.mean, measure)} over {result.cases} cases, chance of such a drop {chance:.3f}"
    )
    limit = _shown(least, measure, sign=False)
    if chance <= level and -result.mean > least:
        return Ruling(name, "red", f"{summary}; the drop exceeds the margin of {limit}")
    hidden = next((one for one in contrast.what_if if one.losses == "this variant's"), None)
    if hidden is not None and hidden.verdict == "worse":
        return Ruling(name, "underpowered", f"{summary}; counted as losses, the runs without a value would be a drop")
    if contrast.verdict == "worse" and -result.mean > least:
        return Ruling(name, "underpowered", f"{summary}; only a chance of at most {level:.3f} makes a gate red")
    if result.error and fell_by(mirrored(differences), -hundredths) <= level:
        return Ruling(name, "green", f"{summary}; a drop beyond the margin of {limit} is ruled out")
    if result.detectable is None or result.detectable > least:
        visible = (
            "no drop"
            if result.detectable is None
            else f"only a drop of {_shown(result.detectable, measure, sign=False)} or more"
        )
        return Ruling(
            name, "underpowered", f"{summary}; with cases this few or this scattered, {visible} would be seen"
        )
    return Ruling(name, "green", f"{summary}; no drop beyond the margin of {limit} was seen")


def _judge_watched_drop(name: str, contrast: Contrast, measure: Measure, least: float, level: float) -> Ruling:
    """The same for a run that stopped early, by what holds at any time."""
    difference = contrast.difference
    assert difference.mean is not None and difference.p_value is not None
    summary = f"mean change {_shown(difference.mean, measure)} over {difference.cases} cases"
    limit = _shown(least, measure, sign=False)
    if -difference.mean > least and difference.p_value <= level:
        return Ruling(name, "red", f"{summary}; the drop exceeds the margin of {limit}")
    if any(one.losses == "this variant's" and one.verdict == "worse" for one in contrast.what_if):
        return Ruling(name, "underpowered", f"{summary}; counted as losses, the runs without a value would be a drop")
    if contrast.verdict == "better" or (difference.low is not None and difference.low >= -least):
        return Ruling(name, "green", f"{summary}; a drop beyond the margin of {limit} is ruled out")
    return Ruling(name, "underpowered", f"{summary}; a drop beyond the margin of {limit} is not ruled out")


def _limits(facts: VariantFacts, measure: Measure, gate: SuiteGate) -> Iterator[Ruling]:
    if gate.min_score is not None:
        yield _judge_score(facts, measure, gate.min_score)
    if gate.max_failed is not None:
        share = Fraction(facts.failed, facts.runs) if facts.runs else Fraction(0)
        text = f"{facts.failed} of {facts.runs} runs failed; at most {gate.max_failed:%} may"
        colour = "unscored" if not facts.runs else "red" if share > Fraction(gate.max_failed) else "green"
        yield Ruling(f"{facts.name}: failed runs", colour, text)  # type: ignore[arg-type]
    if gate.no_fault is not None:
        severities = list(HIGHEST_WITH)
        counted = dict(facts.faults)
        wanted = [name for name in severities if severities.index(name) >= severities.index(gate.no_fault)]  # type: ignore[arg-type]
        faults = [f"{counted[name]} {name}" for name in reversed(wanted) if counted.get(name)]
        text = f"faults found: {', '.join(faults)}" if faults else f"no {gate.no_fault} fault or worse was found"
        yield Ruling(f"{facts.name}: faults", "red" if faults else "green", text)


def _judge_score(facts: VariantFacts, measure: Measure, least: Decimal) -> Ruling:
    name = f"{facts.name}: mean score"
    if measure != "final score" or facts.mean is None:
        return Ruling(name, "unscored", f"nobody has read its work, so there is no score to compare with {least}")
    colour = "red" if facts.mean < float(least) else "green"
    return Ruling(name, colour, f"{facts.mean:.2f} over {facts.cases} cases; at least {least} is required")  # type: ignore[arg-type]


def _shown(value: float, measure: Measure, *, sign: bool = True) -> str:
    plus = "+" if sign else ""
    return f"{value:{plus}.2f}" if measure == "final score" else f"{100 * value:{plus}.1f}%"
