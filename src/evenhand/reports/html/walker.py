"""A report as a page: one file, or the part of the dashboard's page that shows it."""

from __future__ import annotations

from itertools import count
from typing import Any

from markupsafe import Markup

from evenhand.reports.html.environment import Page, page, render
from evenhand.reports.html.texts.judged_text import JudgedText, Quoted, judged_text
from evenhand.reports.html.texts.rendered_text import rendered_text
from evenhand.reports.tree import Head, Node, Quote, Report, Work, quotes_in
from evenhand.work.answer_text import answer_text


def report_page(report: Report) -> Page:
    """One self-contained file."""
    return page(report.title, report_body(report))


def report_body(report: Report, ids: str = "part") -> Markup:
    """A report without the page around it; `ids` keeps the headings of several on one page apart."""
    return render("tree_page.html", view=View(report.nodes, ids))


class View:
    """A report as the macros take it: what is beside the judged text, and the numbers that its quotes have there."""

    def __init__(self, nodes: tuple[Node, ...], ids: str = "part") -> None:
        self.heads = [node for node in nodes if isinstance(node, Head)]
        others = [node for node in nodes if not isinstance(node, Head)]
        place = next((place for place, node in enumerate(others) if isinstance(node, Work)), len(others))
        self.first, self.rest = others[:place], others[place + 1 :]
        self.work = others[place] if place < len(others) else None
        self.text: JudgedText | None = None
        self.rendered: Markup | None = None
        self._numbers: dict[int, int] = {}
        self._again: dict[Any, int] = {}
        self._ids = (f"{ids}-{number}" for number in count(1))
        if isinstance(self.work, Work):
            self._number(self.work, nodes)

    def _number(self, work: Work, nodes: tuple[Node, ...]) -> None:
        quotes = [quote for quote in quotes_in(nodes) if not quote.shortened]
        marks = [Quoted(q.evidence, q.quoted_for, q.label, q.severity, q.message) for q in quotes]
        self.text = judged_text(work.submission, marks)
        output = work.submission.output
        answer = answer_text(output)
        self.rendered = rendered_text(answer, work.file_name, is_read_out=answer != output)
        for index, number in self.text.numbers.items():
            self._numbers[id(quotes[index])] = number
            self._again.setdefault(quotes[index].evidence, number)

    def number_of(self, quote: Quote) -> int | None:
        """The number a quote has in the judged text; None where that is not on the page."""
        return self._again.get(quote.evidence) if quote.shortened else self._numbers.get(id(quote))

    def next_id(self) -> str:
        """An id that no other heading of this report has."""
        return next(self._ids)
