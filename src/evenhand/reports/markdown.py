"""Reports as Markdown, to paste into a pull request or keep beside the output."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from evenhand.core.numbers import shown
from evenhand.core.rubric import RAW, Rubric
from evenhand.in_words import counted
from evenhand.reports.comparison.word_diff import SAME, TOO_LONG, changed_lines
from evenhand.reports.markdown_pieces import safe, table_cell
from evenhand.reports.tree import (
    Bars,
    Code,
    Diff,
    Drawing,
    Facts,
    Head,
    Item,
    Items,
    Line,
    Matrix,
    Node,
    Quote,
    Quotes,
    Report,
    Row,
    Section,
    Span,
    Table,
    Transcript,
    Words,
    Work,
    Written,
    evidence_note,
    is_drawn,
    prose,
    sentence,
    spans,
    text_of,
)
from evenhand.work.printable import printable

if TYPE_CHECKING:
    pass


def report_markdown(report: Report) -> str:
    """The whole report."""
    lines = [line for node in report.nodes for line in _block(node, 2)]
    return "\n".join(_one_blank(lines)).strip("\n") + "\n"


def _block(node: Node, level: int) -> Iterator[str]:
    """A node with an empty line after it; headings in it are of that level."""
    yield from _BLOCKS[type(node)](node, level)
    yield ""


def _head(head: Head, _: int) -> Iterator[str]:
    yield f"# {safe(text_of(head.title))}{f': {safe(head.seal)}' if head.seal else ''}"
    yield ""
    if head.headline:
        yield f"**{safe(sentence(' '.join(text_of(head.headline).split())))}**"
    if head.verdict is not None:
        yield safe(sentence(head.verdict.text))
    yield ""
    for line in head.lines:
        yield from _line(line, 0)
        yield ""
    if head.kicker:
        yield _words(head.kicker)


def _line(line: Line, _: int) -> Iterator[str]:
    yield _weighed(_words(prose(line.words)), line.weight)


def _items(items: Items, _: int) -> Iterator[str]:
    for place, item in enumerate(items.items, start=1):
        sign = f"{place}. " if items.ordered else "- "
        yield from _item(item, sign, wide=items.wide)


def _item(item: Item, sign: str, *, wide: bool = False) -> Iterator[str]:
    amount = f" ({safe(item.amount)})" if item.amount else ""
    head = _words(item.head)
    yield f"{sign}{head}{amount}"
    for node in item.below:
        for line in _nested(node):
            yield f"{' ' * len(sign)}{line}"


def _nested(node: Node) -> Iterator[str]:
    """A node inside a list, as a list."""
    if isinstance(node, Line):
        yield f"- {_weighed(_words(node.words), node.weight)}"
    elif isinstance(node, Section):
        yield f"- {_words(node.title)}"
        for below in node.nodes:
            yield from (f"  {line}" for line in _nested(below))
    else:
        yield from _BLOCKS[type(node)](node, 0)


def _facts(facts: Facts, _: int) -> Iterator[str]:
    for label, words, weight in facts.rows:
        yield f"- {safe(label)}: {_weighed(_words(words), weight)}"


def _table(table: Table, _: int) -> Iterator[str]:
    if table.caption:
        yield safe(sentence(table.caption))
        yield ""
    names = tuple(column.name for column in table.columns)
    yield f"| {' | '.join(map(table_cell, names))} |"
    yield f"|{''.join('---:|' if column.right else '---|' for column in table.columns)}"
    yield from map(_row, table.rows)


def _row(row: Row) -> str:
    cells = (_words(cell) for cell in row.cells)
    return f"| {' | '.join(_weighed(cell, row.weight) for cell in cells)} |"


def _bars(bars: Bars, _: int) -> Iterator[str]:
    compared = any(bar.compared for bar in bars.rows)
    names = ("dimension", "score", *(("history",) if compared else ()), "points", "why")
    rows = []
    for bar in bars.rows:
        history = safe(", ".join(filter(None, (bar.compared, bar.flag))))
        history = f"**{history}**" if bar.flag else history
        rows.append((safe(bar.name), bar.score, *((history,) if compared else ()), bar.sum, safe(bar.says)))
    yield f"| {' | '.join(names)} |"
    yield f"|{''.join('---:|' if name == 'score' else '---|' for name in names)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _quotes(quotes: Quotes, _: int) -> Iterator[str]:
    yield from (f"- {quote_text(quote)}" for quote in quotes.quotes)


def quote_text(quote: Quote) -> str:
    """A quote with its place."""
    text = quote.shortened or quote.evidence.quote
    return f"{safe(evidence_note(quote.evidence))}: “{safe(text)}”"


def _code(code: Code, _: int) -> Iterator[str]:
    yield f"    {safe_code(code.text)}"


def safe_code(text: str) -> str:
    """A command on one line; four spaces in front of it keep markup from being read."""
    return printable(" ".join(text.split()))


def _written(written: Written, _: int) -> Iterator[str]:
    yield ""
    yield from (f"    {printable(line)}" for line in text_of(written.words).splitlines())
    if written.left_out:
        yield ""
        yield f"And {counted(written.left_out, 'more character')}."


def _diff(diff: Diff, _: int) -> Iterator[str]:
    lines = changed_lines(diff.before, diff.after)
    yield ""
    yield from (f"    {sign} {printable(words)}" for sign, words in lines or ())
    if not lines:
        yield SAME if lines is not None else TOO_LONG


def _matrix(matrix: Matrix, _: int) -> Iterator[str]:
    yield from _table(matrix.table, 0)


def _section(section: Section, level: int) -> Iterator[str]:
    if is_drawn(section):
        return
    yield f"{'#' * min(level, 6)} {_words(section.title)}"
    yield ""
    for node in section.nodes:
        yield from _block(node, level + 1)


def _nothing(_: Node, __: int) -> Iterator[str]:
    """What only a page draws: its numbers or quotes stand beside it."""
    yield from ()


_BLOCKS: dict[type[Any], Callable[[Any, int], Iterator[str]]] = {
    Head: _head,
    Line: _line,
    Items: _items,
    Facts: _facts,
    Table: _table,
    Bars: _bars,
    Quotes: _quotes,
    Code: _code,
    Section: _section,
    Written: _written,
    Diff: _diff,
    Matrix: _matrix,
    Drawing: _nothing,
    Transcript: _nothing,
    Work: _nothing,
}


def _words(words: Words) -> str:
    return "".join(_span(span) for span in spans(words))


def _span(span: Span) -> str:
    inner = safe(span.text)
    if not inner:
        return " " if span.text else ""
    before = " " if span.text[:1].isspace() else ""
    after = " " if span.text[-1:].isspace() else ""
    if span.tag or span.weight in ("strong", "alarm", "unusual"):
        inner = f"**{inner}**"
    elif span.weight == "code":
        inner = f"`{safe_code(span.text)}`" if "`" not in span.text else inner
    return f"{before}{inner}{after}"


def _weighed(text: str, weight: str) -> str:
    loud = weight in ("strong", "alarm", "unusual") and text and "**" not in text
    return f"**{text}**" if loud else text


def _one_blank(lines: Iterable[str]) -> Iterable[str]:
    previous = ""
    for line in lines:
        if line or previous:
            yield line
        previous = line


def rubric_markdown(rubric: Rubric) -> str:
    """A rubric in the form its files have, weights and ids spelled out."""
    lines = ["---", f"name: {_yaml(rubric.name)}", f"title: {_yaml(rubric.title)}"]
    lines += [f"domain: {_yaml(rubric.domain)}"] if rubric.domain else []
    lines += [f"version: {_yaml(rubric.version)}", "weights:"]
    lines += [f"  {name}: {shown(weight * 100)}" for name, weight in rubric.weights.items()]
    lines.append(f"pass_mark: {shown(rubric.pass_mark)}")
    lines += [f"pass_mark_reason: {_yaml(rubric.pass_mark_reason)}"] if rubric.pass_mark_reason else []
    lines += [] if rubric.official == RAW else [f"official: {rubric.official}"]
    lines += ["---", "", f"# {rubric.title}", ""]
    lines += ["## Overview", "", rubric.summary, ""] if rubric.summary else []
    lines += ["## Dimensions", ""]
    for name, criteria in rubric.dimensions.items():
        lines += [
            f"### {name.capitalize()}",
            "",
            *([f"**Measures:** {criteria.measures}", ""] if criteria.measures else []),
        ]
        if criteria.bands:
            lines += ["| Score | Criteria |", "|-------|----------|"]
            lines += [f"| {_band(band.low, band.high):<5} | {_cell(band.criteria)} |" for band in criteria.bands]
        lines.append("")
        if criteria.tree is not None:
            from evenhand.documents.criteria import tree_lines  # few rubrics have any

            lines += ["#### Criteria", "", *tree_lines(criteria.tree), ""]
    lines += ["## Red Flags", ""]
    for flag in rubric.red_flags:
        lines += [f"- `{flag.id}` (-{flag.deduction}): {flag.description}", *_detect(flag.detect)]
    lines += [*([] if rubric.red_flags else ["None."]), "", "## Bonuses", ""]
    for bonus in rubric.bonuses:
        lines += [f"- `{bonus.id}` (+0.25): {bonus.description}", *_detect(bonus.detect)]
    lines += [] if rubric.bonuses else ["None."]
    return "\n".join(lines) + "\n"


def _detect(check: str) -> list[str]:
    return [f"  - detect: {check}"] if check else []


def _cell(text: str) -> str:
    """A text in a table, where a bar would end the cell."""
    return text if "|" not in text else re.sub(r"(?<!\\)\|", r"\|", text)


def _band(low: int, high: int) -> str:
    return f"{low}-{high}" if low != high else str(low)


def _yaml(text: str) -> str:
    """Text as a YAML value, quoted unless it is plainly a word or a phrase."""
    return text if _PLAIN.fullmatch(text) and text.lower() not in ("true", "false", "null") else json.dumps(text)


_PLAIN = re.compile(r"[A-Za-z](?:[A-Za-z0-9 ,.()/'-]*[A-Za-z0-9.)])?")
"""A letter first, and no colon or other sign that YAML might read as something else."""
