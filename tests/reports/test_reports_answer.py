"""What follows a verdict, as reports show it: what to change, what got worse, the cost."""

from __future__ import annotations

from decimal import Decimal

from evenhand import ResultsTable, Row, decide
from evenhand.decisions.what_to_change import Answer, Change, Changes, Passage, WorseCase
from evenhand.reports.comparison.decision import MORE, Verdict, cost_text, verdict_report
from evenhand.reports.markdown import report_markdown
from report_formats import report_lines

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


def report(answer, measure="final score", *, is_brief=False, names=("old", "new"), cases=8):
    """A decision over so many cases, in each of which the second variant is worse by half a point."""
    values = {"final score": (8, 7.5), "expectations met": (1, 0.5)}[measure]
    rows = [
        Row(f"case-{place}", name, value=value)
        for place in range(cases)
        for name, value in zip(names, values, strict=False)
    ]
    decision = decide(ResultsTable(rows, names, measure=measure))
    says = [contrast.says for contrast in decision.contrasts] or ["one variant"]
    return verdict_report(Verdict(decision=decision, says=says, name="demo", answer=answer), is_brief=is_brief)


def lines(*arguments, **options):
    return report_lines(report(*arguments, **options), 200)


def test_a_case_that_got_worse_has_both_values_the_reason_and_the_quote():
    told = lines(Answer("new", CHANGES, (QUOTED,)))
    assert "  empty-diff: 8.10 to 5.20: the summary is missing “Nothing.”, line 4" in told


def test_shares_are_shown_as_percentages():
    told = lines(Answer("new", None, (WorseCase("c", 1.0, 0.5),)), "expectations met")
    assert "  c: 100.0% to 50.0%" in told


def test_three_cases_are_shown_and_the_others_counted():
    """Five are here and two more were left out before: 5 + 2 - 3 = 4."""
    told = lines(Answer("new", CHANGES, WORSE, left_out=2))
    place = next(place for place, line in enumerate(told) if line.startswith("Got worse"))
    assert told[place + 4] == "  and 4 more cases" and told[place + 3].startswith("  case-2")
    assert not any("more cases" in line for line in lines(Answer("new", CHANGES, WORSE[:3]))[place:])
    (brief,) = (line for line in lines(Answer("new", CHANGES, WORSE, left_out=2), is_brief=True) if "Got" in line)
    assert brief == "Got worse   7 cases, most case-0: 8.10 to 5.20"


def test_the_title_names_the_variant_where_there_is_a_choice():
    titles = [
        next(line for line in lines(Answer("new", CHANGES, ()), names=names) if line.startswith("What to change"))
        for names in (("old", "new"), ("new",))
    ]
    assert "(new)" in titles[0] and "(new)" not in titles[1]


def test_that_only_some_cases_were_looked_at_is_reported():
    note = "  from 8 of 9 cases: evenhand better looks at all of them"
    assert note in lines(Answer("new", CHANGES, ()), cases=9)
    assert note not in lines(Answer("new", CHANGES, ()))


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


def test_a_terminal_shows_changes_then_what_got_worse_within_80_columns():
    text = "\n".join(shown := report_lines(report(Answer("new", CHANGES, (QUOTED,)), is_brief=True), 80))
    words = ("new is worse than old", "What to change", "Breaking", "“### Added”", "Got worse   empty", MORE)
    places = [text.index(word) for word in words]
    assert places == sorted(places)
    assert max(map(len, shown)) <= 80


def test_markdown_numbers_the_changes_and_escapes_what_others_wrote():
    text = report_markdown(report(Answer("new", CHANGES, (QUOTED,))))
    assert (
        "\n1. Breaking changes are not listed first (-0.90 points, 2 of 8 cases)\n   - “\\#\\#\\# Added” case api-3"
        in text
    )
    assert "## Got worse\n\n- empty-diff: 8.10 to 5.20" in text
