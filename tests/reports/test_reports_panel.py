"""What reports say of the judges behind a score, compared with golden files (UPDATE_GOLDEN=1 writes them anew)."""

from __future__ import annotations

import json
import shutil
from decimal import Decimal

import pytest
from conftest import ROOT, make_rubric, seven
from rich.cells import cell_len

from evenhand.core.judgement import NOT_ASKED, Calls, Discounted, Escalation
from evenhand.core.panel import consensus
from evenhand.reports.exchange.junit import card_case
from evenhand.reports.panel import calls_line, disputed_line, panel_report, percent
from evenhand.reports.skill_history import SkillLine
from evenhand.reports.terminal.reports import print_card_line
from panels import card_of, model_judgement, panel_of
from report_formats import (
    history_markdown,
    overview_markdown,
    print_history,
    print_overview,
    print_scorecard,
    scorecard_markdown,
    scorecard_page,
)
from test_panel_document import full_card
from test_reports import compare, shown

RUBRIC = make_rubric()


def line(card, label):
    """What a report says under a label."""
    return [sentence for name, sentence, _ in panel_report(card).lines if name == label]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_terminal_scorecard_of_a_panel(width):
    """Judge by judge, by number where the names do not fit, and it fits its width."""
    text = shown(lambda console: print_scorecard(full_card(), console), width)
    assert max(map(cell_len, text.splitlines())) <= width
    compare(f"panel.{width}.txt", text)


def test_the_terminal_scorecard_of_a_panel_with_its_audit():
    """The claims that did not count come with their words and quotes."""
    compare("panel.audit.txt", shown(lambda console: print_scorecard(full_card(), console, audit=True), 80))


def test_the_markdown_report_of_a_panel():
    """With a table of who said what."""
    compare("panel.md", scorecard_markdown(full_card()))


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_panel_of_nine_fits_any_terminal(width):
    """The table goes on below where it is too wide, and every judge stands in it."""
    judges = [model_judgement(n, name=f"a-provider-with-a-long-name:model-{n}-\u5927") for n in range(1, 10)]
    card = card_of(consensus(judges), RUBRIC)
    text = shown(lambda console: print_scorecard(card, console), width)
    assert max(map(cell_len, text.splitlines())) <= width
    table = text[text.index("The judges \u2500") :].split("The arithmetic")[0]
    assert all(f"{n}.00" in table for n in range(1, 10))
    assert table.count(" panel") == 1


def test_one_judge_has_no_table():
    """All it said stands on the scorecard already; without doubts of its own nothing is said of the grade."""
    card = card_of(model_judgement(8), RUBRIC)
    assert (panel_report(card).rows, panel_report(card).lines) == ((), ())
    doubtful = card_of(model_judgement(8, distributions={"correctness": {700: 1, 900: 1}}), RUBRIC)
    assert line(doubtful, "grades") == ["B+ 50%, B 50%; A- is 0.50 away"]


@pytest.mark.parametrize(
    ("chance", "said"),
    [(1.0, "100%"), (0.9999, "over 99%"), (0.62, "62%"), (0.01, "1%"), (0.0001, "under 1%")],
)
def test_what_is_not_certain_never_looks_certain(chance, said):
    """Rounding never makes 100 or 0 of it."""
    assert percent(chance) == said


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        (Calls(), ""),
        (Calls(stored=8), "none made, 8 answered from stored replies; no cost"),
        (Calls(asked=1, cost=Decimal(0)), "1 made; cost $0.00"),
        (
            Calls(asked=1200, repairs=2, input_tokens=1, cost=Decimal("12.345")),
            "1,200 made, 2 of them second tries; 1 token in, 0 out; cost $12.35",
        ),
        (Calls(asked=7, cost=Decimal("0.000123")), "7 made; cost $0.00012"),
        (Calls(asked=7), "7 made; cost unknown"),
    ],
)
def test_calls_and_costs_in_words(calls, said):
    """Small sums keep two figures, and an unknown price is not a small one."""
    assert calls_line(calls) == said


def test_a_stronger_judge_that_was_not_needed():
    """What was saved is said."""
    card = card_of(consensus([model_judgement(8)], escalation=Escalation("strong", {}, 1)), RUBRIC)
    assert line(card, "escalated") == ["strong was not needed; 1 call to it saved"]


def test_dimensions_escalated_for_one_reason_share_it():
    """The reason stands once."""
    why = {"correctness": "near a boundary", "safety": "near a boundary", "adherence": "a quote failed"}
    strong = model_judgement(dict.fromkeys(why, 8), name="strong", abstained=NOT_ASKED)
    card = card_of(consensus([model_judgement(8), strong], escalation=Escalation("strong", why, 4)), RUBRIC)
    assert line(card, "escalated") == [
        "strong was asked about correctness and safety (near a boundary); adherence (a quote failed); "
        "4 calls to it saved"
    ]


def test_disputes_and_decisive_judges_are_named():
    """Few by name with how far they are apart; many by their number."""
    few = card_of(panel_of(8, seven(8) | {"safety": 5}), RUBRIC)
    assert line(few, "disputed") == ["safety (3.00): the judges are 2 or more apart"]
    many = card_of(panel_of(9, seven(6) | {"safety": 5}), RUBRIC)
    assert line(many, "disputed") == ["7 dimensions, safety most (4.00): the judges are 2 or more apart"]
    assert line(many, "decisive") == ["without a or b the grade would change"]


def test_what_judges_noticed_outside_the_rubric_is_told_apart():
    """It is not a claim; few are shown, and how many more there are is said."""
    seen = tuple(Discounted("observation", "", "a", "unlisted", f"thing {n}") for n in range(7))
    card = card_of(model_judgement(8, name="a", discounted=seen), RUBRIC)
    assert line(card, "not counted") == []
    assert line(card, "noticed") == [
        "a: thing 0 (not in the rubric, so it does not count)",
        *(f"a: thing {n}" for n in range(1, 5)),
        "and 2 more",
    ]


def test_a_test_report_tells_how_sure_the_grade_is():
    """A CI job shows it beside the score."""
    said = card_case(full_card()).failure
    assert "grades: B 3%, B- 24%, C+ 41%, C 27%, C- 5%; B- is 0.30 away" in said
    assert "decisive: without anthropic:medium the grade would change" in said


def test_judges_that_agree_have_no_line_about_disputes():
    """Empty text, so that it can be left out."""
    assert disputed_line(card_of(consensus([model_judgement(8, name=name) for name in "ab"]), RUBRIC).agreement) == ""


def test_names_of_judges_cannot_write_to_the_report():
    """A name is text, in a table cell and on a terminal."""
    card = card_of(consensus([model_judgement(8, name="a|b\x1b[31m"), model_judgement(8, name="c")]), RUBRIC)
    assert "a\\|b" in scorecard_markdown(card)
    assert "\x1b" not in shown(lambda console: print_scorecard(card, console), 80)


def test_lists_mark_what_is_disputed_and_say_what_the_mark_means():
    """Behind the grade, on a terminal, in Markdown and on a line of many; without a dispute there is no mark."""
    agreed, apart = card_of(panel_of(8, 8), RUBRIC), card_of(panel_of(9, 6), RUBRIC)  # 7.50 is a B
    means = "? the judges are 2 or more apart in some dimension"
    for cards, grade in (([agreed], "B+"), ([agreed, apart], "B?")):
        lines = [SkillLine(name="s", evaluations=len(cards), finals=[800], newest=cards[-1])]
        lists = [
            shown(lambda console, cards=cards: print_history("s", cards, console), 80),
            shown(lambda console, lines=lines: print_overview(lines, console), 80),
            history_markdown("s", cards),
            overview_markdown(lines),
        ]
        for text in lists:
            assert grade in text and (means in text) == (len(cards) == 2)
    assert shown(lambda console: print_card_line(apart, console), 80).startswith(" B? ")
    assert shown(lambda console: print_card_line(agreed, console), 80).startswith(" B+ ")


@pytest.mark.slow
def test_commands_that_list_evaluations_mark_the_disputed_ones(evenhand_command, tmp_path):
    """The panel of the examples: stored, listed as JSON and on a page, rescored with a line each."""
    shutil.copytree(ROOT / "examples", tmp_path, dirs_exist_ok=True)
    judge = ["judge", "answer.md", "--task", "task.md", "--rubric", "devops", "--skill", "ops"]
    panel = [option for name in ("first", "second", "third") for option in ("--judge", f"replay:recorded/{name}.jsonl")]
    for judges in (panel[:2], panel):
        assert evenhand_command(*judge, *judges).code == 0
    rows = json.loads(evenhand_command("history", "ops", "-f", "json").out)
    assert [row["disputed"] for row in rows] == [[], ["adherence", "safety", "consistency"]]
    page = evenhand_command("history", "ops", "-f", "html").out
    assert page.count(">F?<") == 1 and "? the judges are 2 or more apart" in page
    listed = evenhand_command("score", "ops", "--rubric", "devops")
    assert [line[:4] for line in listed.out.splitlines()] == [" F  ", " F? "]
    assert "\n? the judges are 2 or more apart in some dimension\n" in listed.err


def test_a_grade_is_not_called_sure_beside_judges_that_dispute():
    """Two judges are two points apart on consistency alone, which weighs 5 %: the grade is the same by either."""
    strict, mild = (model_judgement(seven("7.8") | {"consistency": score}, name=f"m{score}") for score in (7, 9))
    card = card_of(consensus([strict, mild]), RUBRIC)
    assert card.agreement.disputed == ("consistency",) and max(card.agreement.grades.values()) == 1
    assert line(card, "grades") == []
    assert "How sure the grade is" not in scorecard_page(card)
