"""Results as JUnit XML, which every CI system can show."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from evenhand.core.bounds import failures
from evenhand.core.rubric import Rubric
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.gate import Ruling
from evenhand.reports.advice import TITLE, advice_report
from evenhand.reports.cases import case_name
from evenhand.reports.history import flag_lines
from evenhand.reports.panel import panel_report
from evenhand.reports.scorecard import arithmetic, headline, verdict

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Case(NamedTuple):
    """One test case."""

    name: str
    group: str
    failure: str = ""
    """Why it failed; empty when it passed."""
    error: str = ""
    """Why there is no result; empty when there is one."""
    skipped: str = ""
    """Why a user left it out; empty when it was not."""
    says: str = ""


def junit_xml(suite: str, cases: Sequence[Case]) -> str:
    """A test suite."""
    return junit_suites({suite: cases})


def junit_suites(suites: Mapping[str, Sequence[Case]]) -> str:
    """Test suites by their names, each with its own counts."""
    bodies = [
        f"<testsuite name={_attribute(name)} {_counts(cases)}>\n" + "\n".join(map(_case, cases)) + "\n</testsuite>\n"
        for name, cases in suites.items()
    ]
    total = _counts([case for cases in suites.values() for case in cases])
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {total}>\n{"".join(bodies)}</testsuites>\n'


def _counts(cases: Sequence[Case]) -> str:
    return (
        f'tests="{len(cases)}" failures="{sum(bool(case.failure) for case in cases)}" '
        f'errors="{sum(bool(case.error) for case in cases)}" skipped="{sum(bool(case.skipped) for case in cases)}"'
    )


def _case(case: Case) -> str:
    inside = "".join(
        f"<{tag} message={_attribute(message)}>{_text(message)}</{tag}>"
        for tag, message in (("failure", case.failure), ("error", case.error), ("skipped", case.skipped))
        if message
    )
    if case.says:
        inside += f"<system-out>{_text(case.says)}</system-out>"
    return f"<testcase classname={_attribute(case.group)} name={_attribute(case.name)}>{inside}</testcase>"


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", text))


def card_case(card: Scorecard, name: str = "", rubric: Rubric | None = None) -> Case:
    """A scorecard, made with this rubric, as a test case: it passes when it reaches the pass mark.

    What no one has read fails when checks found a major fault, and is an error otherwise: it never passes.
    """
    report = panel_report(card)
    name = name or case_name(card)
    panel = [f"{label}: {sentence}" for label, sentence, _ in report.lines] if report is not None else []
    flagged = [line for line, _ in (flag_lines(card.history) if card.history is not None else ())]
    first = f"{headline(card)}; {verdict(card)}; {arithmetic(card)}"
    changes = [f"{TITLE}: {row.title}: {row.effect}" for row in advice_report(card, rubric).rows]
    summary = "\n".join((first, *flagged, *changes, *panel, *card.warnings))
    if card.unread and card.checked is not None:
        faults = "\n".join(failures(card.checked, "major"))
        case = Case(name, card.skill, failure=faults, says=summary)
        return case if faults else case._replace(error=headline(card))
    if card.final is None and card.passed is None:
        return Case(name, card.skill, error=summary)
    return Case(name, card.skill, failure="" if card.passed else summary, says=summary)


def ruling_case(ruling: Ruling) -> Case:
    """A gate's ruling as a test case; what is undecided or unscored is an error, not passed."""
    field = {"red": "failure", "unscored": "error", "undecided": "error", "green": "says"}[ruling.colour]
    return Case(ruling.name, "gate")._replace(**{field: ruling.says})
