"""Every other report as a whole, against golden files: pages, comparisons, histories, decisions, documents."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from conftest import judged, seven
from test_html_pages import preferences, two_sets

import evenhand
from evenhand.decisions.changes import changes
from evenhand.decisions.gate import Ruling
from evenhand.decisions.what_to_change import Answer
from evenhand.reports.comparison.changes import change_document, changes_report
from evenhand.reports.comparison.decision_tables import tables_report
from evenhand.reports.comparison.preferences import preference_lines
from evenhand.reports.comparison.sets import set_document, sets_report
from evenhand.reports.exchange.ctrf import ctrf_document
from evenhand.reports.exchange.junit import card_case, junit_xml, ruling_case
from evenhand.reports.exchange.otlp import otlp_document
from evenhand.reports.markdown import report_markdown
from evenhand.reports.terminal.walker import print_report
from evenhand.stats.trust.anchor_drift import AnchorReport
from golden import body, coloured, compare
from report_formats import (
    agreement_markdown,
    agreement_page,
    anchors_page,
    card_markdown,
    cards_page,
    history_markdown,
    print_history,
    report_lines,
)
from scorecard_kinds import cards
from test_html_hostile import PAGES, two_variants
from test_reports_agreement import REPORT
from test_reports_answer import CHANGES, QUOTED, WORSE, report
from test_reports_trust import CARD, DOWN, JUDGE, NONE, ONE, STILL
from test_suite_page import report as suite_report

CREATED = "2026-01-02T03:04:05.678Z"
CARDS = {name: card._replace(created=CREATED) for name, card in cards().items()}


def dated(value: Any) -> Any:
    """The same value with all times replaced by one."""
    if isinstance(value, str):
        return CREATED if re.match(r"\d{4}-\d\d-\d\dT", value) else value
    if isinstance(value, tuple):
        items = [dated(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return [dated(item) for item in value] if isinstance(value, list) else value


def written(document: Any) -> str:
    """A document as JSON, a value on a line."""
    text = json.dumps(document, indent=1, default=str, ensure_ascii=False) + "\n"
    return text.replace(f'"{evenhand.__version__}"', '"VERSION"')


@pytest.mark.parametrize("name", PAGES)
def test_a_page(name):
    compare(f"whole/page-{name}.html", body(PAGES[name](dated)))


PAIRS = [("by-hand", "panel-and-checks"), ("panel", "by-hand"), ("unscored", "history"), ("checks-only", "official")]


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_two_scorecards_in_lines_and_as_a_document(before, after):
    """What moved, what is new and what is gone."""
    sides = CARDS[before], CARDS[after]
    made = changes(*sides)
    report = changes_report(*sides, made)
    document = written(change_document(*sides, made))
    compare(f"whole/{before}-{after}.txt", "".join(f"{line}\n" for line in report_lines(report)) + document)
    compare(f"whole/{before}-{after}.md", report_markdown(report))


@pytest.mark.parametrize(("name", "shift"), [("better", "1"), ("worse", "-2"), ("same", "0")])
def test_two_sets_in_lines_and_as_a_document(name, shift):
    made = two_sets(shift)
    report = sets_report(made)
    document = written(set_document(made))
    compare(f"whole/sets-{name}.txt", "".join(f"{line}\n" for line in report_lines(report)) + document)


def test_a_run_and_its_tables_on_a_terminal_and_as_markdown():
    """The matrix as its numbers; a page has the work as well."""
    decision = two_variants()
    for name, tree in (("suite", suite_report()), ("standings", tables_report("demo", [("judge", decision)]))):
        compare(f"whole/{name}.txt", "".join(f"{line}\n" for line in report_lines(tree)))
        compare(f"whole/{name}.md", report_markdown(tree))


def test_preferences_in_lines():
    compare("whole/preferences.txt", "".join(f"{line}\n" for line in preference_lines(preferences("aabaaab"))))


def test_a_history_with_colours():
    """Drift in red, unusual flags in yellow, flags that chance explains dim; a narrow terminal has fewer remarks."""
    several = [
        CARDS["history"]._replace(id="first-evaluation", created="2026-01-01T00:00:00Z"),
        judged(seven(8), flags=2, id="second-evaluation"),
        CARDS["unscored"]._replace(id="third-evaluation"),
        judged(seven(9), id="fourth-evaluation-with-a-long-id-of-its-own"),
    ]
    for width in (50, 80, 120):
        compare(
            f"whole/history.{width}.ansi", coloured(lambda console: print_history("notes", several, console), width)
        )
    compare("whole/history.table.md", history_markdown("notes", several))


def test_what_follows_a_verdict_with_colours_and_as_markdown():
    for name, answer in {
        "changes": Answer("new", CHANGES, (QUOTED,)),
        "worse": Answer("new", CHANGES, WORSE, left_out=2),
    }.items():
        for is_brief in (True, False):
            told = report(answer, is_brief=is_brief)
            shown = coloured(lambda console, told=told: print_report(told, console))
            compare(f"whole/answer-{name}{'.brief' if is_brief else ''}.ansi", shown)
        compare(f"whole/answer-{name}.md", report_markdown(told))


def test_agreement_and_judges_as_pages_and_markdown():
    compare("whole/agreement.html", body(agreement_page(REPORT)))
    compare("whole/agreement.md", agreement_markdown(REPORT))
    compare("whole/judge.html", body(cards_page([(CARD, None, ())])))
    compare("whole/judge.md", card_markdown(CARD))
    runs = [
        AnchorReport("default", JUDGE, (), "2026-01-02", 12, None, (), ()),
        AnchorReport("default", JUDGE, (), "2026-01-03", 12, "2026-01-02", (STILL,), ()),
        AnchorReport("default", JUDGE, (), "2026-01-04", 12, "2026-01-02", (DOWN, STILL, ONE, NONE), ()),
    ]
    compare("whole/anchors.html", body(anchors_page("default", runs)))


def test_scorecards_and_rulings_for_other_tools():
    cases = [card_case(card, name) for name, card in sorted(CARDS.items())]
    cases += [ruling_case(Ruling(colour, colour, "why")) for colour in ("red", "green", "undecided", "unscored")]
    compare("whole/tests.xml", junit_xml("suite", cases))
    compare("whole/tests.json", written(ctrf_document("suite", cases, moment=1_767_323_045_678)))
    compare("whole/otlp.json", written(otlp_document([CARDS["unscored"]])))
