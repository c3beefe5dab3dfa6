"""Agreement between raters: each coefficient with a sentence that says what it means, and as data. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evenhand.core.judgement import PERSON
from evenhand.errors import shortened
from evenhand.files import codec
from evenhand.in_words import counted
from evenhand.reports.charts import Measured, difference_chart, interval_chart
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
from evenhand.reports.trust.judge_uses import uses_table
from evenhand.stats.agreement.agreed import AgreementReport, FieldAgreement
from evenhand.stats.agreement.coefficients import HEADLINES, Coefficient
from evenhand.stats.agreement.disagreements import Disagreement
from evenhand.stats.agreement.meaning import RELIABLE, TENTATIVE, meaning, sentence, title
from evenhand.stats.agreement.ratings import ANONYMOUS
from evenhand.stats.agreement.verdict_measures import VerdictMeasures

SCHEMA = "evenhand/agreement/v1"


def headline(compared: FieldAgreement) -> list[Coefficient]:
    """The few coefficients that fit the kind of values, those without a value left out."""
    names = {entry.name for entry in compared.coefficients}
    kind = "numbers" if "alpha-interval" in names else "ordered" if "alpha-ordinal" in names else "categories"
    wanted = (compared.coefficient(name) for name in HEADLINES[kind])
    return [entry for entry in wanted if entry is not None and entry.value is not None]


def heading(compared: FieldAgreement) -> str:
    """Who is compared on what, with how much data."""
    raters = _named(compared.raters)
    if len(compared.raters) > 1 and all(_anonymous(name) for name in compared.raters):
        raters = f"at most {len(compared.raters)} an item, not known by name"
        if compared.between == "raters":
            return f"{compared.field}: raters ({raters}), {_size(compared)}"
    who = {
        "raters": f"{counted(len(compared.raters), 'rater')} ({raters})",
        "people": f"people against people ({raters})",
        "judges": f"judges against each other ({raters})",
        "judge and people": f"{compared.judge} against people ({raters})",
    }[compared.between]
    return f"{compared.field}: {who}, {_size(compared)}"


def _size(compared: FieldAgreement) -> str:
    return f"{counted(compared.items, 'item')}, {counted(compared.values, 'value')}"


def _anonymous(name: str) -> bool:
    return name.removeprefix(PERSON).startswith(f"{ANONYMOUS} ")


def _named(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 6 else f"{', '.join(names[:5])} and {len(names) - 5} more"


def number(coefficient: Coefficient) -> str:
    """A value as it is shown: three places, or two and a sign for points."""
    if coefficient.value is None:
        return "-"
    return _shown(coefficient, coefficient.value)


def span(coefficient: Coefficient) -> str:
    """The interval as it is shown."""
    interval = coefficient.interval
    return "-" if interval is None else f"{_shown(coefficient, interval.low)} to {_shown(coefficient, interval.high)}"


def _shown(coefficient: Coefficient, value: float) -> str:
    return f"{value:+.2f}" if coefficient.name in ("bias", "lower-limit", "upper-limit") else f"{value:.3f}"


def agreement_report(report: AgreementReport) -> Report:
    """What each judge can be used for, then every comparison with its coefficients and what they mean."""
    title = f"Agreement in {report.source}"
    nodes: list[Node] = [Head(title=title)]
    nodes += [Section(title=f"{judge} beside people", nodes=(uses_table(uses),)) for judge, uses in report.uses.items()]
    nodes += _by_field(report)
    nodes += [_section(compared, brief=report.brief) for compared in report.comparisons]
    nodes.append(Section(title="What this rests on", nodes=(Items(tuple(Item(head=line) for line in footer(report))),)))
    if report.brief:
        nodes.append(
            Line("every coefficient, confusion and the worst disagreements: --full, or --field NAME for one field")
        )
    return Report(title, tuple(nodes))


def _by_field(report: AgreementReport) -> Sequence[Node]:
    """The first coefficient that fits each comparison, drawn."""
    measured = []
    for compared in report.comparisons:
        best = next(iter(headline(compared)), None)
        if best is None or best.value is None:
            continue
        who = compared.between if compared.judge is None else f"{compared.judge} and people"
        low, high = (best.value, best.value) if best.interval is None else (best.interval.low, best.interval.high)
        text = f"{title(best)} {number(best)}" + ("" if best.interval is None else f" ({span(best)})")
        measured.append(Measured(f"{compared.field}, {who}", best.value, low, high, text))
    if not measured:
        return ()
    caption = "The first coefficient that fits each field; the line is what chance brings"
    chart = interval_chart(measured, reference=0, caption=caption, unit="{:+.1f}", span=1)
    return (Drawing("interval_chart", chart, "Agreement by field"),)


def answer(compared: FieldAgreement) -> str:
    """Whether raters who are all alike agree, by the first coefficient that fits: its interval beside Krippendorff's
    limits, and how many of their values are equal or how far apart they are."""
    fitting = headline(compared)
    if not fitting or not fitting[0].name.startswith("alpha"):
        return f"do they agree? not known: {compared.coefficients[0].reason}"
    best = fitting[0]
    name = f"{title(best)} is {number(best)}"
    beside = "".join(
        f"; {sentence(entry, entry.value, compared).removesuffix('.')}"
        for entry in fitting
        if entry.name in ("exact", "bias") and entry.value is not None
    )
    if best.interval is None:
        return f"do they agree? not shown yet: {name} ({best.no_interval}){beside}"
    if best.interval.low >= RELIABLE:
        said = f"yes: {name} ({span(best)}), above .800"
    elif best.interval.low >= TENTATIVE:
        said = f"enough for tentative conclusions: {name} ({span(best)}), above .667"
    elif best.interval.high < TENTATIVE:
        said = f"too little to rely on: {name} ({span(best)}), below .667"
    else:
        said = f"not shown yet: {name}, but its interval ({span(best)}) includes .667; more items would tell"
    return f"do they agree? {said}{beside}"


def _section(compared: FieldAgreement, *, brief: bool) -> Section:
    rows = headline(compared) if brief else compared.coefficients
    known = tuple(
        Item(
            head=(
                Span(f"{title(entry)}  {number(entry)}", "strong"),
                f"  ({_data(entry)})",
            ),
            below=(Line(sentence(entry, entry.value, compared)),),
        )
        for entry in rows
        if entry.value is not None
    )
    missing = tuple(Item(head=line, mark="open") for line in _missing_lines(rows))
    nodes: tuple[Node, ...] = (Items((*known, *missing)),)
    if compared.judge is None:  # what a judge can be used for is answered above all comparisons
        nodes = (Line(answer(compared), "strong"), *nodes)
    if not brief:
        nodes = (*nodes, *_drawn(compared), *_confusion(compared), *_worst(compared))
    return Section(title=heading(compared), nodes=nodes)


def _data(entry: Coefficient) -> str:
    interval = "" if entry.interval is None else f"{span(entry)}; "
    return f"{interval}{counted(entry.items, 'item')}"


def _drawn(compared: FieldAgreement) -> Sequence[Node]:
    if len(compared.differences) < 2:
        return ()
    bias, lower, upper = (
        None if entry is None else entry.value
        for entry in map(compared.coefficient, ("bias", "lower-limit", "upper-limit"))
    )
    chart = difference_chart(compared.differences, sides(compared), bias, (lower, upper))
    return (Drawing("difference_chart", chart, "Bias against score"),)


def _confusion(compared: FieldAgreement) -> Sequence[Node]:
    table = compared.confusion
    if table is None:
        return ()
    used = _used(table.counts)
    first, second = sides(compared)
    columns = (Column(""), *(Column(table.labels[place], right=True) for place in used))
    rows = tuple(Row((table.labels[place], *(str(table.counts[place][column]) for column in used))) for place in used)
    says = Line(f"{first} in rows, {second} in columns", "quiet")
    return (Section(title="Confusion", nodes=(says, Table(columns, rows), *_verdicts(compared.verdicts))),)


def _worst(compared: FieldAgreement) -> Sequence[Node]:
    """The items on which a judge and people differ most, each with what both said."""
    items = tuple(
        Item(head=disagreement(entry), below=tuple(Line(line, "quiet") for line in reasons(entry)))
        for entry in compared.worst
    )
    return (Section(title="Where they differ most", nodes=(Items(items),)),) if items else ()


def _missing_lines(rows: Sequence[Coefficient]) -> list[str]:
    """Why values or intervals are missing: each reason once, with all that it holds for."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for entry in rows:
        if entry.value is None:
            reasons.setdefault(("not computed", entry.reason), []).append(title(entry))
        elif entry.interval is None:
            reasons.setdefault(("no interval", entry.no_interval), []).append(title(entry))
    return [f"{what}: {_named(names)}: {why}" for (what, why), names in reasons.items()]


def footer(report: AgreementReport) -> list[str]:
    """How the intervals were made, and what the numbers rest on."""
    return [
        f"intervals: {report.confidence:.0%}, items resampled {report.resamples:,} times (seed {report.seed})",
        *ceiling_lines(report),
        *report.notes,
    ]


def ceiling_lines(report: AgreementReport) -> list[str]:
    """Each judge held against the ceiling: people among themselves, by the first coefficient that fits the values."""
    lines = []
    people = {compared.field: compared for compared in report.comparisons if compared.between == "people"}
    for compared in report.comparisons:
        ceiling = people.get(compared.field)
        judge = next(iter(headline(compared)), None) if compared.judge else None
        ceiling_value = ceiling.coefficient(judge.name) if ceiling and judge else None
        if judge is None or ceiling_value is None or judge.value is None or ceiling_value.value is None:
            continue
        less = "less than" if judge.value < ceiling_value.value else "at least as much as"
        lines.append(
            f"{compared.field}: {compared.judge} agrees with people {less} they do with each other "
            f"({title(judge)}: {number(judge)} against {number(ceiling_value)})"
        )
    return lines


def disagreement(entry: Disagreement) -> str:
    """One disagreement in words."""
    apart = "" if entry.difference is None else f" ({entry.difference:+.2f})"
    return f"{shortened(entry.item, 60)}: judge {entry.judge}, people {entry.people}{apart}"


def reasons(entry: Disagreement) -> list[str]:
    """What the judge and people wrote, a line each."""
    said = [] if entry.judge_reason is None else [f"judge: {entry.judge_reason}"]
    return [shortened(" ".join(line.split()), 200) for line in (*said, *entry.people_reasons)]


def _verdicts(found: VerdictMeasures | None) -> Sequence[Node]:
    """How well a judge's verdicts fit people's, where there are two."""
    if found is None:
        return ()
    names = ("sensitivity", "specificity", "precision", "recall", "f1", "balanced_accuracy", "matthews")
    known = [(name.replace("_", " "), value) for name in names if (value := getattr(found, name)) is not None]
    return (Line(f'"{found.positive}" as positive: ' + ", ".join(f"{name} {value:.3f}" for name, value in known)),)


def sides(compared: FieldAgreement) -> tuple[str, str]:
    """The two raters of a confusion: the judge and people, or the two there are."""
    return (compared.judge, "people") if compared.judge else (compared.raters[0], compared.raters[1])


def _used(counts: Sequence[Sequence[int]]) -> list[int]:
    """The values that occur."""
    return [place for place in range(len(counts)) if any(counts[place]) or any(row[place] for row in counts)]


def agreement_document(report: AgreementReport) -> dict[str, Any]:
    """The report in its published JSON shape."""
    return {**codec.document(report, SCHEMA), "comparisons": [_comparison(compared) for compared in report.comparisons]}


def _comparison(compared: FieldAgreement) -> dict[str, Any]:
    raters = len(compared.raters) + (compared.judge is not None)
    coefficients = [
        {**codec.document(entry), "title": title(entry), "raters": raters, "meaning": meaning(entry, compared)}
        for entry in compared.coefficients
    ]
    return {**codec.document(compared), "coefficients": coefficients}
