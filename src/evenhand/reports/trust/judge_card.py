"""A judge's card in words: what speaks against the judge first, then every probe with its numbers. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from evenhand.core.history import two_sided
from evenhand.core.rules import DIMENSIONS
from evenhand.in_words import counted, dollars
from evenhand.reports.charts import Measured, interval_chart
from evenhand.reports.tree import (
    Column,
    Drawing,
    Head,
    Item,
    Items,
    Line,
    Node,
    Report,
    Row,
    Section,
    Span,
    Table,
)
from evenhand.reports.trust.judge_uses import uses_lines
from evenhand.stats.trust.judge_card import JudgeCard, ProbeChange
from evenhand.stats.trust.probe_effects import CARDS, LEAST_PAIRS, LEVEL, MARGIN, NOTICED, Effect, ProbeResult

HOW = (
    f'"shown" means: the 95 % interval excludes zero, the effect is at least {MARGIN} points, and the chance of even '
    f"one false accusation on this card is at most {LEVEL:.0%} (Holm's method)"
)


def headline(card: JudgeCard) -> str:
    """What speaks against the judge, in one line."""
    first = card.uses[0]
    if first.verdict == "no":
        return f"not to be used: {first.says}"
    if not card.against:
        return "nothing is shown against it"
    return "; ".join(sentence(result) for result in card.against)


def title(card: JudgeCard) -> str:
    """Whose card it is, and how much went into it."""
    cost = "" if card.cost is None else f", {dollars(card.cost)}"
    what = f"{card.size} probe of {card.created[:10]}"
    if card.outputs is not None:
        what = f"probe of {card.created[:10]} on {card.outputs}"
    return f"{card.name}: {what}, {card.readings} readings, {card.calls:,} calls{cost}"


def sentence(result: ProbeResult) -> str:
    """A probe's verdict in plain words."""
    probe, effect = result.probe, result.deciding
    if effect is None or effect.n < LEAST_PAIRS:
        n = 0 if effect is None else effect.n
        return f"too few to tell: {counted(n, 'usable output')}, {LEAST_PAIRS} are needed"
    if result.verdict == "described":
        return f"the same output again: {effect.mean:+.2f} {_brackets(effect)}"
    if result.verdict == "shown":
        does = probe.up if effect.mean > 0 else probe.down
        return f"{does} by {abs(effect.mean):.2f} {_brackets(effect, absolute=True)}"
    if result.verdict == "unnoticed":
        lowered = f"{-effect.mean:.2f}" if effect.mean < 0 else "nothing"
        return f"hardly {probe.down}: by {lowered} {_brackets(effect)}, where {NOTICED} is expected"
    short = "too few to tell" if result.verdict == "too-few" else "not shown"
    does = probe.down if probe.expectation in ("down", "noticed") else probe.up
    return f"{short} that it {does}: {effect.mean:+.2f} {_brackets(effect)}"


def _brackets(effect: Effect, *, absolute: bool = False) -> str:
    if not absolute:
        return f"[{effect.low:+.2f}, {effect.high:+.2f}]"
    low, high = sorted((abs(effect.low), abs(effect.high)))
    return f"[{low:.2f}, {high:.2f}]"


def effect_text(effect: Effect | None) -> str:
    """A mean with its interval, for a table."""
    return "-" if effect is None else f"{effect.mean:+.2f} {_brackets(effect)}"


def notes(card: JudgeCard, since: JudgeCard | None, changes: Sequence[ProbeChange]) -> list[str]:
    """Noise, use of the scale, what was skipped or missing, and what changed since the last card."""
    lines = [*_noise_lines(card), *_scale_lines(card)]
    missing = sum(result.missing for result in card.results)
    if missing:
        have = counted(missing, "comparison has", "comparisons have")
        lines.append(f"{have} no score on one side: left out, not counted as zero")
    lines += [f"{name}: not made: {reason}" for name, reason in card.skipped.items()]
    if card.false_accusations is not None:
        lines.append(
            f"an honest judge with this noise would be accused on {card.false_accusations:.1%} of such cards "
            f"({CARDS} simulated)"
        )
    if len(card.served) > 1:
        lines.append(f"several models answered: {', '.join(card.served)}")
    return lines + since_lines(card, since, changes)


def _noise_lines(card: JudgeCard) -> list[str]:
    noise = card.noise
    if noise is None:
        return ["repeatability: no output was scored twice"]
    return [
        f"repeatability: the same output again differs by {noise.mean_difference:.2f} on average, "
        f"{noise.largest:.2f} at most; {noise.same} of {noise.n} got the same score"
    ]


def _scale_lines(card: JudgeCard) -> list[str]:
    scale = card.scale
    if scale.highest is None or scale.lowest is None:
        return ["use of the scale: no score was given"]
    used = ", ".join(score for score, count in scale.counts.items() if count)
    never = [f"never {score}" for score in ("10", "1") if not scale.counts.get(score)]
    also = f"; {' and '.join(never)}" if never else ""
    return [
        f"use of the scale: {used}{also}; highest {scale.highest}, lowest {scale.lowest}; {scale.unscored} unscored"
    ]


def since_lines(card: JudgeCard, since: JudgeCard | None, changes: Sequence[ProbeChange]) -> list[str]:
    """How the card differs from the last one."""
    if since is None:
        return []
    when = since.created[:10]
    lines = []
    if since.served != card.served:
        lines.append(f"since {when} a different model answers: {', '.join(since.served)}, now {', '.join(card.served)}")
    if since.material != card.material:
        return [*lines, f"the card of {when} was made with other outputs; the two cannot be compared"]
    moved = [change for change in changes if change.shown]
    lines += [
        f"since {when} {change.name} changed by {change.effect.mean:+.2f} {_brackets(change.effect)}"
        for change in moved
    ]
    return lines or [f"no change is shown since {when}"]


def dimension_rows(card: JudgeCard) -> list[tuple[str, ...]]:
    """Each probe with the mean change of every dimension, starred where it is shown to differ from zero; empty where
    dimensions are not shown."""
    shown = [result for result in card.results if result.dimensions]
    tests = sum(len(result.dimensions) for result in shown if result.probe.expectation != "repeat")
    return [
        (result.probe.name, *(_starred(result.dimensions.get(name), tests) for name in DIMENSIONS)) for result in shown
    ]


def _starred(effect: Effect | None, tests: int) -> str:
    if effect is None:
        return "-"
    p_value = two_sided(effect.mean / (effect.deviation / sqrt(effect.n)), effect.n - 1)
    return f"{effect.mean:+.2f}{'*' if effect.n >= LEAST_PAIRS and p_value * tests <= LEVEL else ''}"


DIMENSION_HEADINGS = ("change of", *DIMENSIONS)
STARRED = "* shown to differ from zero, at most 5% false ones over this whole table (Bonferroni)"


def cards_report(outcomes: Sequence[tuple[JudgeCard, JudgeCard | None, Sequence[ProbeChange]]]) -> Report:
    """The cards of some judges, each with the one before it and what changed since."""
    if not outcomes:
        return Report("", ())
    if len(outcomes) == 1:
        card = outcomes[0][0]
        return Report(title(card), (Head(title=title(card), headline=headline(card)), *card_nodes(*outcomes[0])))
    sections = (
        Section(title=title(outcome[0]), nodes=(Line(headline(outcome[0]), "strong"), *card_nodes(*outcome)))
        for outcome in outcomes
    )
    return Report("Judges' cards", (Head(title="Judges' cards"), *sections))


def card_nodes(
    card: JudgeCard, since: JudgeCard | None = None, changes: Sequence[ProbeChange] = ()
) -> tuple[Node, ...]:
    """Every probe in words and in numbers, the use of the scale, and what else to know."""
    probes = tuple(
        Item(
            head=(Span(f"{result.probe.name}  ", "strong"), sentence(result)), mark="bad" if result.against else "plain"
        )
        for result in card.results
    )
    nodes: list[Node] = [
        Section(title="Probes", nodes=(Items(probes), *_drawing(card))),
        Section(title="Every effect", nodes=(_effects(card),), folded=True),
    ]
    if rows := dimension_rows(card):
        columns = (Column(DIMENSION_HEADINGS[0]), *(Column(name, right=True) for name in DIMENSION_HEADINGS[1:]))
        nodes.append(Section(title="By dimension", nodes=(Table(columns, tuple(map(Row, rows)), STARRED),)))
    counts = tuple(Column(score, right=True) for score in card.scale.counts)
    if counts:
        row = Row(("given", *(str(count) for count in card.scale.counts.values())))
        caption = "How often each score was given, over all dimensions of all readings"
        table = Table((Column("score"), *counts), (row,), caption)
        nodes.append(Section(title="Use of the scale", nodes=(table,), folded=True))
    lines = [*notes(card, since, changes), HOW, *uses_lines(card.uses)]
    nodes.append(Section(title="Notes", nodes=tuple(map(Line, lines))))
    return tuple(nodes)


def _drawing(card: JudgeCard) -> tuple[Node, ...]:
    measured = [
        Measured(result.probe.name, effect.mean, effect.low, effect.high, effect_text(effect))
        for result in card.results
        if (effect := result.deciding) is not None
    ]
    caption = "Change in points, with its 95 % interval"
    return (Drawing("interval_chart", interval_chart(measured, reference=0.0, caption=caption)),) if measured else ()


def _effects(card: JudgeCard) -> Table:
    names = ("change of the final score", "of the dimension concerned", "outputs")
    rows = tuple(
        Row(
            (
                result.probe.name,
                effect_text(result.final),
                f"{result.probe.dimension} {effect_text(result.dimension)}" if result.probe.dimension else "-",
                str(0 if result.deciding is None else result.deciding.n),
            )
        )
        for result in card.results
    )
    return Table((Column("probe"), *(Column(name, right=True) for name in names)), rows)
