"""A decision's tables in the formats of papers: CSV, LaTeX with booktabs, and a picture with intervals. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any
from xml.sax.saxutils import escape

from evenhand.decisions.decision import Contrast
from evenhand.decisions.table import MeasureName
from evenhand.decisions.words import shown
from evenhand.reports.comparison.decision_tables import (
    CONTRAST_HEAD,
    HEAD,
    Tables,
    contrast_row,
    note,
    variant_row,
)

COLUMNS = (
    "judge", "kind", "name", "verdict", "claim", "estimate", "low", "high", "level", "p", "better", "worse", "equal",
    "open", "units", "unit", "cases", "unpaired", "runs", "lost", "unscored", "mean",
)  # fmt: skip
"""The columns of the CSV table."""
LATEX_HEAD = "% made by evenhand run table; needs \\usepackage{booktabs}"
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


def tables_csv(tables: Tables) -> str:
    """A row for each variant and each comparison, by judge."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for judge, decision in tables:
        for facts in decision.variants:
            row = {name: getattr(facts, name) for name in ("name", "cases", "runs", "lost", "unscored")}
            writer.writerow({"judge": judge, "kind": "variant", **row, "mean": _exact(facts.mean)})
        for contrast in decision.contrasts:
            numbers = {name: _exact(getattr(contrast, name)) for name in ("estimate", "low", "high", "level", "mean")}
            counts = ("verdict", "claim", "better", "worse", "equal", "open", "units", "unit", "cases", "unpaired")
            row = {name: getattr(contrast, name) for name in counts}
            lost = contrast.lost + contrast.reference_lost
            name = f"{contrast.variant} - {contrast.reference}"
            more = {"p": _exact(contrast.p_value), "lost": lost, "unscored": contrast.unscored}
            writer.writerow({"judge": judge, "kind": "contrast", "name": name, **row, **numbers, **more})
    return text.getvalue()


def tables_latex(tables: Tables) -> str:
    """Tables for `\\usepackage{booktabs}`."""
    parts = [LATEX_HEAD]
    for judge, decision in tables:
        rows = [[_tex(cell) for cell in variant_row(facts, decision.measure)] for facts in decision.variants]
        parts.append(_tabular("lrrrrr", HEAD, rows, f"Judged by {judge}: {decision.measure}."))
        if decision.contrasts:
            pairs = [[_tex(cell) for cell in contrast_row(entry, decision.measure)] for entry in decision.contrasts]
            says = " ".join(f"{contrast.says}." for contrast in decision.contrasts)
            caption = f"Compared, judged by {judge}. {says} {note(decision)}"
            parts.append(_tabular("lllrlrrrrrr", CONTRAST_HEAD, pairs, caption))
    return "\n".join(parts)


def _tabular(columns: str, head: Iterable[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        rf"{' & '.join(map(_tex, head))} \\",
        r"\midrule",
        *(rf"{' & '.join(row)} \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{_tex(caption)}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def tables_svg(tables: Tables) -> str:
    """Every comparison as its estimate with its interval, one line each, beside a line at zero."""
    rows = [
        (judge, contrast, decision.measure)
        for judge, decision in tables
        for contrast in decision.contrasts
        if contrast.estimate is not None
    ]
    ends = [value for _, one, _ in rows for value in (one.low, one.high, one.estimate) if value is not None]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    margin = (high - low) * 0.08 or 0.5
    low, high = low - margin, high + margin
    left, width, line = 260, 400, 26

    def at(value: float) -> float:
        return left + width * (value - low) / (high - low)

    marks: list[str] = []
    y, title = 8, ""
    for judge, contrast, measure in rows:
        if judge != title:
            y, title = y + line, judge
            marks.append(f'<text x="10" y="{y}" class="judge">{escape(judge)}</text>')
        y += line
        marks += _marks(contrast, measure, y, at)
    measure = rows[0][2] if rows else "final score"
    axis = "".join(
        f'<text x="{left + width * part / 4:.1f}" y="{y + 36}" class="axis" text-anchor="middle">'
        f"{shown(low + (high - low) * part / 4, measure)}</text>"
        for part in range(5)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="standings" viewBox="0 0 {left + width + 30} {y + 52}" '
        'role="img" aria-label="Differences with their intervals" font-family="sans-serif" font-size="13">'
        "<style>.judge{font-weight:bold}.axis{fill:#555;font-size:11px}</style>"
        f'<rect width="100%" height="100%" fill="#fff"/>'
        f'<line x1="{at(0):.1f}" x2="{at(0):.1f}" y1="14" y2="{y + 20}" stroke="#999" stroke-dasharray="4 3"/>'
        f'{"".join(marks)}<line x1="{left}" x2="{left + width}" y1="{y + 20}" y2="{y + 20}" stroke="#999"/>'
        f"{axis}</svg>\n"
    )


def _marks(contrast: Contrast, measure: MeasureName, y: int, at: Any) -> list[str]:
    label = f"{contrast.variant} - {contrast.reference}"
    marks = [f'<text x="10" y="{y}">{escape(label)}</text>']
    if contrast.low is not None and contrast.high is not None:
        marks.append(
            f'<line x1="{at(contrast.low):.1f}" x2="{at(contrast.high):.1f}" y1="{y - 4}" y2="{y - 4}" stroke="#333" '
            'stroke-width="2"/>'
        )
    marks.append(
        f'<circle cx="{at(contrast.estimate):.1f}" cy="{y - 4}" r="4.5" fill="#1f5fa8"><title>'
        f"{escape(contrast.says)}</title></circle>"
    )
    return marks


def _exact(value: float | None) -> str:
    return "" if value is None else f"{value:.9g}"


def _tex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)
