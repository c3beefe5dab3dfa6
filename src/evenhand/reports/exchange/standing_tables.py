"""Standings as tables for papers: CSV, LaTeX with booktabs, Markdown, and a picture with intervals. Pure.

Numbers have two decimals, p-values three; every format says the same.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any
from xml.sax.saxutils import escape

from evenhand.decisions.suites.standings import PairDifference, Standing, Standings
from evenhand.reports.markdown_pieces import lines_markdown, table_markdown

Tables = Sequence[tuple[str, Standings]]
"""By judge."""

HEAD = ("variant", "mean", "95% interval", "rank", "group", "cases", "runs", "missing")
PAIR_HEAD = ("pair", "difference", "95% interval", "p", "p (Holm)")
COLUMNS = ("judge", "kind", "name", "mean", "low", "high", "rank_low", "rank_high", "group", "cases", "p", "p_holm")
"""Of the CSV table."""
LATEX_HEAD = "% made by evenhand suite table; needs \\usepackage{booktabs}"
NOTE = (
    "Means over cases; intervals by Student's t over cases, the runs of a case counting once, within "
    "the scale; none where all cases are alike. "
    "All pairs of variants are one family (Holm). Variants that share a letter are not told apart; "
    "a rank interval has the ranks that the pairs told apart leave."
)
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


def standing_row(row: Standing) -> tuple[str, ...]:
    """A variant as the cells of a table."""
    ranks = str(row.first_rank) if row.first_rank == row.last_rank else f"{row.first_rank}-{row.last_rank}"
    counts = (str(row.cases), str(row.runs), str(row.missing))
    return (row.variant, _number(row.mean), _interval(row.low, row.high), ranks, row.groups, *counts)


def pair_row(pair: PairDifference) -> tuple[str, ...]:
    """A pair as the cells of a table."""
    name = f"{pair.second} - {pair.first}"
    return (name, _signed(pair.mean), _interval(pair.low, pair.high), _p(pair.p_value), _p(pair.adjusted))


def standings_document(tables: Tables) -> list[dict[str, Any]]:
    """Everything as JSON, with unrounded numbers."""
    return [{"judge": judge, **_document(standings)} for judge, standings in tables]


def _document(standings: Standings) -> dict[str, Any]:
    return {
        "measure": standings.measure,
        "variants": [row._asdict() for row in standings.variants],
        "pairs": [pair._asdict() | {"told_apart": pair.told_apart} for pair in standings.pairs],
    }


def standings_markdown(tables: Tables) -> str:
    """Two tables for each judge."""
    parts = []
    for judge, standings in tables:
        parts.append(lines_markdown([f"Judged by {judge}: {standings.measure}"]))
        parts.append(table_markdown(HEAD, map(standing_row, standings.variants)))
        if standings.pairs:
            parts.append(table_markdown(PAIR_HEAD, map(pair_row, standings.pairs)))
    return "\n".join([*parts, f"{NOTE}\n"])


def standings_csv(tables: Tables) -> str:
    """A row for each variant and each pair, by judge."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for judge, standings in tables:
        for row in standings.variants:
            numbers = map(_exact, (row.mean, row.low, row.high))
            writer.writerow(
                (judge, "variant", row.variant, *numbers, row.first_rank, row.last_rank, row.groups, row.cases, "", "")
            )
        for pair in standings.pairs:
            numbers = map(_exact, (pair.mean, pair.low, pair.high))
            tests = map(_exact, (pair.p_value, pair.adjusted))
            name = f"{pair.second} - {pair.first}"
            writer.writerow((judge, "pair", name, *numbers, "", "", "", pair.cases, *tests))
    return text.getvalue()


def standings_latex(tables: Tables) -> str:
    """Tables for `\\usepackage{booktabs}`."""
    parts = [LATEX_HEAD]
    for judge, standings in tables:
        rows = [[_tex(cell) for cell in standing_row(row)] for row in standings.variants]
        parts.append(_tabular("lrlllrrr", HEAD, rows, f"Judged by {judge}: {standings.measure}. {NOTE}"))
        if standings.pairs:
            pairs = [[_tex(cell) for cell in pair_row(pair)] for pair in standings.pairs]
            parts.append(_tabular("lrlrr", PAIR_HEAD, pairs, f"All pairs, judged by {judge}."))
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


def standings_svg(tables: Tables) -> str:
    """The means with their intervals, one line for each variant, on one scale."""
    rows = [(judge, row) for judge, standings in tables for row in standings.variants if row.mean is not None]
    ends = [value for _, row in rows for value in (row.low, row.high, row.mean) if value is not None] or [0.0, 1.0]
    low, high = min(ends), max(ends)
    margin = (high - low) * 0.08 or 0.5
    low, high = low - margin, high + margin
    left, width, line = 220, 400, 26
    marks: list[str] = []
    y, title = 8, ""
    for judge, row in rows:
        if judge != title:
            y, title = y + line, judge
            marks.append(f'<text x="10" y="{y}" class="judge">{escape(judge)}</text>')
        y += line
        marks += _marks(row, y, lambda value: left + width * (value - low) / (high - low))
    height = y + 52
    axis = "".join(
        f'<text x="{left + width * part / 4:.1f}" y="{y + 36}" class="axis" text-anchor="middle">'
        f"{low + (high - low) * part / 4:.2f}</text>"
        for part in range(5)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="standings" viewBox="0 0 {left + width + 30} {height}" '
        f'role="img" aria-label="Means with 95% intervals" font-family="sans-serif" font-size="13">'
        "<style>.judge{font-weight:bold}.axis{fill:#555;font-size:11px}</style>"
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(marks)}'
        f'<line x1="{left}" x2="{left + width}" y1="{y + 20}" y2="{y + 20}" stroke="#999"/>{axis}</svg>\n'
    )


def _marks(row: Standing, y: int, at: Any) -> list[str]:
    label = f"{row.variant} ({row.groups})" if row.groups else row.variant
    marks = [f'<text x="10" y="{y}">{escape(label)}</text>']
    if row.low is not None and row.high is not None:
        marks.append(
            f'<line x1="{at(row.low):.1f}" x2="{at(row.high):.1f}" y1="{y - 4}" y2="{y - 4}" stroke="#333" '
            'stroke-width="2"/>'
        )
    marks.append(f'<circle cx="{at(row.mean):.1f}" cy="{y - 4}" r="4.5" fill="#1f5fa8"><title>')
    marks[-1] += f"{escape(label)}: {_number(row.mean)}, {_interval(row.low, row.high)}</title></circle>"
    return marks


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{value:+.2f}"


def _interval(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"{low:.2f} to {high:.2f}"


def _p(value: float | None) -> str:
    return "-" if value is None else "<0.001" if value < 0.0005 else f"{value:.3f}"


def _exact(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _tex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)
