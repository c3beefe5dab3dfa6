"""What follows a verdict, as reports show it: what to change, what got worse, the cost."""

from __future__ import annotations

from decimal import Decimal
from io import StringIO

from rich.console import Console

from evenhand import ResultsTable, Row, decide
from evenhand.decisions.values.answer import Answer, WorseCase
from evenhand.decisions.values.change import Change, Changes, Passage
from evenhand.reports.comparison.verdict_answer import answer_report, cost_text
from evenhand.reports.markdown import answer_markdown
from evenhand.reports.terminal.changes import print_answer

CHANGE = Change(
    says="Breaking changes are not listed first",
    kind="reason",
    dimension="consistency",
    cost=Decimal("0.90"),
    cases=("api-3", "api-4"),
    quotes=(Passage("### Added", "api-3", "output", 12),),
    wordings=("Breaking changes are not listed first",),
)
CHANGES = Changes(cases=8, is_read=True, skill=None, is_shown=False, changes=(CHANGE,))
WORSE = tuple(WorseCase(f"case-{place}", 8.1, 5.2) for place in range(5))
QUOTED = WorseCase("empty-diff", 8.1, 5.2, "the summary is missing", Passage("Nothing.", "empty-diff", "output", 4))


def report(answer, measure="final score", **options):
    return answer_report(answer, measure, **{"several": True, "cases": 8, **options})


def test_a_case_that_got_worse_has_both_values_the_reason_and_the_quote():
    told = report(Answer("new", CHANGES, (QUOTED,)))
    assert told.worse == ("empty-diff: 8.10 to 5.20: the summary is missing “Nothing.”, line 4",)


def test_shares_are_shown_as_percentages():
    told = report(Answer("new", None, (WorseCase("c", 1.0, 0.5),)), "expectations met")
    assert told.worse == ("c: 100.0% to 50.0%",)


def test_three_cases_are_shown_and_the_others_counted():
    """Five are here and two more were left out before: 5 + 2 - 3 = 4."""
    told = report(Answer("new", CHANGES, WORSE, left_out=2))
    assert (len(told.worse), told.worse[-1]) == (4, "and 4 more cases")
    assert report(Answer("new", CHANGES, WORSE[:3])).worse[-1].startswith("case-2")


def test_the_title_names_the_variant_where_there_is_a_choice():
    assert report(Answer("new", CHANGES, ())).changes.title.endswith("(new)")
    assert not report(Answer("new", CHANGES, ()), several=False).changes.title.endswith(")")


def test_that_only_some_cases_were_looked_at_is_said():
    assert (
        "from 8 of 9 cases: evenhand better looks at all of them"
        in report(Answer("new", CHANGES, ()), cases=9).changes.notes
    )
    assert not report(Answer("new", CHANGES, ()), cases=8).changes.notes


def priced(*costs):
    """Variants whose two runs cost so much in all, and whose judging cost so much."""
    rows = [
        Row(
            "case", name, repeat, cost=None if cost is None else cost / 2, judging_cost=judging and judging / 2, value=7
        )
        for name, cost, judging in costs
        for repeat in (1, 2)
    ]
    return decide(ResultsTable(rows, tuple(name for name, _, _ in costs)))


def test_the_cost_is_that_of_runs_and_judging_and_of_a_run_of_each_variant():
    """0.14 + 0.18 = 0.32 for four runs, and 0.05 + 0.06 = 0.11 for judging: 0.43; a run of old 0.14 / 2."""
    decision = priced(("old", Decimal("0.14"), Decimal("0.05")), ("new", Decimal("0.18"), Decimal("0.06")))
    assert cost_text(decision) == ("$0.4300: 4 runs $0.3200, judging $0.1100; a run of old $0.0700, of new $0.0900")


def test_what_is_not_known_is_not_part_of_the_cost():
    assert cost_text(priced(("old", None, Decimal("0.05")), ("new", None, None))) == "judging $0.0500"
    assert cost_text(priced(("old", None, None), ("new", Decimal("0.5"), None))) == "2 runs $0.5000"
    assert cost_text(priced(("old", None, None), ("new", None, None))) == ""


def test_a_terminal_shows_changes_then_what_got_worse_then_the_cost_within_80_columns():
    screen = StringIO()
    print_answer(report(Answer("new", CHANGES, (QUOTED,)), cost="$1.31"), Console(file=screen, width=80))
    text = screen.getvalue()
    places = [
        text.index(word)
        for word in ("What to change", "Breaking", "“### Added”", "Got worse  empty", "Cost       $1.31")
    ]
    assert places == sorted(places)
    assert max(map(len, text.splitlines())) <= 80


def test_markdown_numbers_the_changes_and_escapes_what_others_wrote():
    text = answer_markdown(report(Answer("new", CHANGES, (QUOTED,)), cost="$1.31"))
    assert (
        "\n1. Breaking changes are not listed first (-0.90 points, 2 of 8 cases)\n   - “\\#\\#\\# Added” case api-3"
        in text
    )
    assert "**Got worse**\n\n- empty-diff: 8.10 to 5.20" in text and "**Cost** $1.31" in text
    assert answer_markdown(None) == ""
