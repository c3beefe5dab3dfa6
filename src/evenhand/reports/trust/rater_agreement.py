"""Agreement in words and as data: a line for each coefficient, a sentence that says what it means. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evenhand.core.judgement import PERSON
from evenhand.errors import shortened
from evenhand.files import codec
from evenhand.in_words import counted
from evenhand.reports.markdown_pieces import table_cell, table_markdown
from evenhand.reports.trust.judge_uses import uses_lines, uses_rows
from evenhand.stats.agreement.agreed import AgreementReport, FieldAgreement
from evenhand.stats.agreement.coefficients import HEADLINES, Coefficient
from evenhand.stats.agreement.disagreements import Disagreement
from evenhand.stats.agreement.meaning import meaning, sentence, title
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


def agreement_lines(report: AgreementReport) -> list[str]:
    """The report as lines for a terminal."""
    in_full = not report.brief
    lines = [f"agreement in {report.source}"]
    for judge, uses in report.uses.items():
        lines += ["", f"{judge} beside people", *(f"  {line}" for line in uses_lines(uses))]
    for compared in report.comparisons:
        lines += ["", heading(compared)]
        rows = compared.coefficients if in_full else headline(compared)
        width = max((len(title(entry)) for entry in rows), default=0)
        for entry in rows:
            if entry.value is not None:
                data = f"{span(entry)}; {counted(entry.items, 'item')}"
                lines.append(f"  {title(entry):<{width}}  {number(entry)}  ({data})")
                lines.append(f"    {sentence(entry, entry.value, compared)}")
        lines += _missing_lines(rows)
        lines += [*_confusion_lines(compared), *_worst_lines(compared)] if in_full else []
    lines += ["", *footer(report)]
    if not in_full:
        lines.append("every coefficient, confusion and the worst disagreements: --full, or --field NAME for one field")
    return lines


def _missing_lines(rows: Sequence[Coefficient]) -> list[str]:
    """Why values or intervals are missing: each reason once, with all that it holds for."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for entry in rows:
        if entry.value is None:
            reasons.setdefault(("not computed", entry.reason), []).append(title(entry))
        elif entry.interval is None:
            reasons.setdefault(("no interval", entry.no_interval), []).append(title(entry))
    return [f"  {what}: {_named(names)}: {why}" for (what, why), names in reasons.items()]


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


def _confusion_lines(compared: FieldAgreement) -> list[str]:
    table = compared.confusion
    if table is None:
        return []
    used = _used(table.counts)
    labels = [table.labels[place] for place in used]
    width = max(4, *(len(label) for label in labels), *(len(str(count)) for row in table.counts for count in row))
    first, second = sides(compared)
    lines = [f"  confusion, {first} in rows, {second} in columns:"]
    lines.append("  " + " " * width + "".join(f" {label:>{width}}" for label in labels))
    for place in used:
        cells = "".join(f" {table.counts[place][column]:>{width}}" for column in used)
        lines.append(f"  {table.labels[place]:>{width}}{cells}")
    return lines + _verdict_lines(compared.verdicts)


def _worst_lines(compared: FieldAgreement) -> list[str]:
    """The items on which a judge and people differ most, each with what both said."""
    lines = ["  where they differ most:"] if compared.worst else []
    for entry in compared.worst:
        lines.append(f"    {disagreement(entry)}")
        lines += [f"      {line}" for line in reasons(entry)]
    return lines


def disagreement(entry: Disagreement) -> str:
    """One disagreement in words."""
    apart = "" if entry.difference is None else f" ({entry.difference:+.2f})"
    return f"{shortened(entry.item, 60)}: judge {entry.judge}, people {entry.people}{apart}"


def reasons(entry: Disagreement) -> list[str]:
    """What the judge and people wrote, a line each."""
    said = [] if entry.judge_reason is None else [f"judge: {entry.judge_reason}"]
    return [shortened(" ".join(line.split()), 200) for line in (*said, *entry.people_reasons)]


def _verdict_lines(found: VerdictMeasures | None) -> list[str]:
    """How well a judge's verdicts fit people's, where there are two."""
    if found is None:
        return []
    names = ("sensitivity", "specificity", "precision", "recall", "f1", "balanced_accuracy", "matthews")
    known = [(name.replace("_", " "), value) for name in names if (value := getattr(found, name)) is not None]
    return [f'  "{found.positive}" as positive: ' + ", ".join(f"{name} {value:.3f}" for name, value in known)]


def sides(compared: FieldAgreement) -> tuple[str, str]:
    """The two raters of a confusion: the judge and people, or the two there are."""
    return (compared.judge, "people") if compared.judge else (compared.raters[0], compared.raters[1])


def _used(counts: Sequence[Sequence[int]]) -> list[int]:
    """The values that occur."""
    return [place for place in range(len(counts)) if any(counts[place]) or any(row[place] for row in counts)]


def agreement_markdown(report: AgreementReport) -> str:
    """The report as Markdown: a table for each comparison."""
    parts = [f"# Agreement in {table_cell(report.source)}\n"]
    for judge, uses in report.uses.items():
        parts.append(f"\n## {table_cell(judge)} beside people\n\n")
        parts.append(table_markdown(("use", "answer", "evidence"), uses_rows(uses)))
    for compared in report.comparisons:
        parts.append(f"\n## {table_cell(heading(compared))}\n\n")
        rows = [
            (title(entry), number(entry), span(entry), str(entry.items), meaning(entry, compared))
            for entry in compared.coefficients
        ]
        parts.append(
            table_markdown(("coefficient", "value", f"{report.confidence:.0%} interval", "items", "meaning"), rows)
        )
        table = compared.confusion
        if table is not None:
            used = _used(table.counts)
            first, second = sides(compared)
            head = (f"{first} \\ {second}", *(table.labels[place] for place in used))
            cells = [(table.labels[place], *(str(table.counts[place][column]) for column in used)) for place in used]
            parts.append("\n" + table_markdown(head, cells))
        if compared.worst:
            shown = [(entry.item, entry.judge, entry.people, "; ".join(reasons(entry))) for entry in compared.worst]
            parts.append(
                "\nWhere they differ most:\n\n" + table_markdown(("item", "judge", "people", "reasons"), shown)
            )
    parts.append("\n" + "".join(f"- {table_cell(line)}\n" for line in footer(report)))
    return "".join(parts)


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
