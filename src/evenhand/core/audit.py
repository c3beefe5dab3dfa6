"""A scorecard to every line of its arithmetic, with the rule behind it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from evenhand.core.criteria import node_value, score_of, shown_fraction, signed, tree_value
from evenhand.core.finding import Bound
from evenhand.core.judgement import Member
from evenhand.core.numbers import hundredths, points, ratio, shown
from evenhand.core.rubric import Answer, Criterion, Group, Tree
from evenhand.core.rules import BONUS_CAP, DEDUCTION_CAP, DIMENSIONS, HIGHEST, LOWEST, Grade, grade_of
from evenhand.core.scorecard import AuditLine, Scorecard, ScoredDimension, Span
from evenhand.core.scoring import Outcome, apply_claims, whole_units

# --- audit -----------------------------------------------------------------------------------------------------------
# A scorecard -> every line of its arithmetic, with the rule behind it. Pure.
#
# The lines need only the scorecard, so any scorecard can be explained at any time.


def audit(card: Scorecard) -> tuple[AuditLine, ...]:
    """Seven products, their sum, the rounding, each deduction, cap, floor, each bonus, cap, grade.

    >>> audit(score({"scores": dict.fromkeys(DIMENSIONS, 8)}))[-1].text
    'grade = B+ (Good), from 8.00'
    """
    units, scale = whole_units({name: card.dimensions[name].weight for name in DIMENSIONS})
    sums = [weighted_sum(card, units, best=best) for best in (False, True)]
    applied = hundredths(card.deduction.applied), hundredths(card.bonus.applied)
    low, high = (apply_claims(weighted, scale, *applied) for weighted in sums)
    exact_sums = [shown(ratio(weighted, 100 * scale)) for weighted in sums]
    lines = _criteria(card) + [_product(card, name, unit, scale) for name, unit in zip(DIMENSIONS, units, strict=True)]

    def add(rule: str, text: str) -> None:
        lines.append(AuditLine(rule, text))

    for name, score in (card.checked.uncapped if card.checked else {}).items():
        bound = card.bounds[name]
        add("cap", f"{name}: the readers' {score} is capped at {bound.at_most} ({_checks(bound)})")
    add("R1", f"sum of the products = {_both(*exact_sums)}")
    add("R2", f"composite = {_ends(low, high, 'composite')}, rounded once, halves up")
    for flag in card.red_flags:
        add("R8", f"red flag {flag.id} = -{flag.deduction}")
    add(
        "R9",
        f"deductions: {card.deduction.nominal} nominal, at most {points(DEDUCTION_CAP)}: "
        f"{card.deduction.applied} applied",
    )
    add("R10", f"after deductions = {_ends(low, high, 'after_deductions')}, not below {points(LOWEST)}")
    for bonus in card.bonuses:
        add("R8", f"bonus {bonus.id} = +{bonus.bonus}")
    add("R9", f"bonuses: {card.bonus.nominal} nominal, at most {points(BONUS_CAP)}: {card.bonus.applied} applied")
    add("R10", f"final = {_ends(low, high, 'final')}, not above {points(HIGHEST)}")
    add("R3", f"grade = {_grades(grade_of(low.final), grade_of(high.final))}")
    if card.official is not None:
        lines += _official(card)
    return tuple(lines)


def _official(card: Scorecard) -> list[AuditLine]:
    """How the official score follows from the raw one."""
    assert card.official is not None
    if card.official.unscored is not None:
        return [AuditLine("official", f"no official score: {card.official.unscored}")]
    calibration, raw = card.official.calibration, card.official.raw
    assert calibration is not None
    before = raw.final if raw.interval is None else _both(str(raw.interval.low), str(raw.interval.high))
    after = card.final if card.interval is None else _both(str(card.interval.low), str(card.interval.high))
    letters = card.grade.letter if card.grade else "no single grade"
    return [
        AuditLine(
            "official", f"official final = {after}, halves up: {before} by calibration {calibration.sha256[:12]}"
        ),
        AuditLine("official", f"official grade = {letters}"),
    ]


def weighted_sum(card: Scorecard, units: tuple[int, ...], *, best: bool) -> int:
    """The exact sum with every unscored dimension at its worst or at its best."""
    total = 0
    for name, unit in zip(DIMENSIONS, units, strict=True):
        score = card.dimensions[name].score
        if score is None:
            total += hundredths(_ends_of(card, name)[best]) * unit
        else:
            total += hundredths(score) * unit
    return total


def _criteria(card: Scorecard) -> list[AuditLine]:
    """Every line of the arithmetic under the dimensions that have criteria."""
    if all(line.criteria is None for line in card.dimensions.values()):
        return []

    members = () if card.panel is None else card.panel.members
    return [
        AuditLine("criteria", text)
        for name, line in card.dimensions.items()
        for text in criteria_lines(name, line, members)
    ]


def _ends_of(card: Scorecard, name: str) -> tuple[Decimal, Decimal]:
    """The lowest and the highest score that a dimension without one can have."""
    low, high = card.dimensions[name].interval or (points(LOWEST), points(HIGHEST))
    most = card.bounds[name].at_most if name in card.bounds else high
    return min(low, most), min(high, most)


def _product(card: Scorecard, name: str, unit: int, scale: int) -> AuditLine:
    line = card.dimensions[name]
    bound = card.bounds.get(name)
    if line.score is None:
        low, high = map(shown, _ends_of(card, name))
        within = "" if bound is None else f" ({_checks(bound)})"
        return AuditLine("R5", f"{name} is unscored: anything from {low} to {high}{within}")
    product: Decimal = ratio(hundredths(line.score) * unit, 100 * scale)
    return AuditLine("R1", f"{name} {shown(line.score)} x {shown(line.weight)} = {shown(product)}")


def _checks(bound: Bound) -> str:
    return ", ".join(bound.checks)


def _ends(low: Outcome, high: Outcome, step: str) -> str:
    return _both(str(points(getattr(low, step))), str(points(getattr(high, step))))


def _both(low: str, high: str) -> str:
    """A number, or its two ends when a dimension is unscored."""
    return low if low == high else f"{low} to {high}"


def _grades(low: Grade, high: Grade) -> str:
    if low is high:
        return f"{low.letter} ({low.label}), from {points(low.lower)}"
    return f"{low.letter} to {high.letter}: no single grade"


# --- audit lines -----------------------------------------------------------------------------------------------------
# The arithmetic of a dimension's criteria as lines that a person can follow. Pure.


def criteria_lines(name: str, line: ScoredDimension, members: Sequence[Member] = ()) -> Iterator[str]:
    """Every criterion with its answer and value, every group, and the score they give; of a panel, for each judge."""
    if line.criteria is None:
        return
    tree, verdicts, value = line.criteria
    if len(members) > 1:
        yield from _of_judges(name, tree, members)
        return
    answers = {id: verdict.answer for id, verdict in verdicts.items()}
    yield from _of_tree(name, tree, answers, {id: verdict.by for id, verdict in verdicts.items() if verdict.by}, value)


def _of_judges(name: str, tree: Tree, members: Sequence[Member]) -> Iterator[str]:
    """Each judge's answers and what they give; then how the panel's score follows."""
    for member in members:
        if name not in member.scores:
            continue
        answers = {node.id: member.verdicts[node.id] for node in tree.criteria() if node.id in member.verdicts}
        yield f"{name} by {member.judge['name']}:"
        if len(answers) < sum(1 for _ in tree.criteria()):
            yield "  no answers to its criteria"
            continue
        yield from _of_tree(name, tree, answers, {}, tree_value(tree, answers))
    yield f"{name}: the median of the judges' scores, of low and of high ends by themselves"


def _of_tree(
    name: str, tree: Tree, answers: Mapping[str, Answer], decided: Mapping[str, str], value: Span | None
) -> Iterator[str]:
    for child in tree.children:
        yield from _node(child, tree.partly, answers, decided, 1)
    if value is None:
        yield f"{name}: none of its criteria applies, so it has no score"
        return
    low, high = score_of(value.low), score_of(value.high)
    score = str(low) if low == high else f"{low} to {high}"
    yield f"{name} = {_shown(value)}{_clipping(value)}; 1 + 9 x that = {score}, halves up"


def _node(
    node: Criterion | Group, partly: Fraction, answers: Mapping[str, Answer], decided: Mapping[str, str], depth: int
) -> Iterator[str]:
    value = node_value(node, answers, partly)
    indent = "  " * depth
    if isinstance(node, Group):
        yield f"{indent}{node.id} weighs {shown_fraction(node.weight)}: {_shown(value)}"
        for child in node.children:
            yield from _node(child, partly, answers, decided, depth + 1)
        return
    why = f" ({decided[node.id]})" if node.id in decided else ""
    yield f"{indent}{node.id} {signed(node.points)} x {_shown(value)}: {answers[node.id]}{why}"


def _clipping(value: Span) -> str:
    return ", clipped to 0..1" if value.low < 0 or value.high > 1 else ""


def _shown(value: Span | None) -> str:
    if value is None:
        return "nothing"
    low, high = shown_fraction(value.low), shown_fraction(value.high)
    return low if low == high else f"{low} to {high}"
