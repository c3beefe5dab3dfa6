"""The other pages: comparisons, a gate, a ranking, a history, pairs. What each shows, and that it loads nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest
from conftest import ROOT, judged, seven
from html_reading import PageReader, self_contained

import evenhand
from evenhand.core.judgement import Evidence
from evenhand.decisions.decision import SetComparison
from evenhand.decisions.preference import JudgePreference, PairReading, PairResult, Preferences
from evenhand.judging.files import Named
from evenhand.judging.sets.compared_sets import compare_sets
from evenhand.reports.charts import Measured, interval_chart
from evenhand.reports.comparison.sets import sets_report
from evenhand.reports.html.walker import report_page
from report_formats import changes_page, gate_page, history_page, preferences_page, ranking_page


def charts(page: PageReader) -> list[str]:
    """The text alternatives of the drawings; those without one are decoration."""
    drawings = [element for element in page.elements if element.tag == "svg"]
    for drawing in drawings:
        assert drawing.attributes.get("role") == "img" or drawing.attributes.get("aria-hidden") == "true"
    return [drawing.attributes["aria-label"] for drawing in drawings if "aria-label" in drawing.attributes]


def preferences(outcomes: str = "aab") -> Preferences:
    """Two systems compared on some items by one judge."""
    results = []
    for number, outcome in enumerate(outcomes):
        readings = tuple(
            PairReading(
                shown_first=first,  # type: ignore[arg-type]
                verdict="first" if first == outcome else "second",
                justification="It is shorter.",
                evidence={"a": (Evidence("short", True, 1, 0),)},
            )
            for first in "ab"
        )
        judge = JudgePreference("replay:one", outcome, readings)  # type: ignore[arg-type]
        results.append(PairResult(f"item {number}", "ours", "theirs", outcome, (judge,)))  # type: ignore[arg-type]
    return Preferences(("ours", "theirs"), tuple(results), ({"name": "replay:one"},), {"default": "hash"})


def test_a_comparison_of_two_scorecards_shows_what_moved_and_by_how_much():
    """Safety from 8 to 5 with a weight of 0.10: -0.30; a red flag of 0.50."""
    before, after = judged(seven(8)), judged(seven(8) | {"safety": 5}, flags=1)
    page = self_contained(changes_page(before, after))
    assert "8.00 (B+) → 7.20 (B-)" in page.words
    assert page.text_in("span.bad") == ["-0.30", "-0.50"]
    assert "-0.80" in page.words


def test_two_equal_scorecards_are_said_to_be_the_same():
    """An empty table would leave the question open."""
    card = judged(seven(8))
    assert "are the same" in self_contained(changes_page(card, card)).words


def test_a_gate_shows_every_ruling_with_what_is_not_green_first():
    """And the scorecards behind them."""
    cards = [judged(seven(score), id=f"case {score}") for score in (8, 5)]
    rulings = evenhand.gate(cards, min_grade="B")
    page = self_contained(gate_page("red", rulings, [(card.id, card) for card in cards], ["x.json: not JSON"]))
    assert "The gate is closed" in page.words and "x.json: not JSON" in page.words
    assert page.words.index("D+ is below B") < page.words.index("8.00", page.words.index("Rulings"))
    assert sum(element.attributes.get("class") == "one" for element in page.elements) == 2


def test_a_ranking_names_the_rule_that_decided_and_what_has_no_place():
    """Best first; what has no final score follows, with the reason."""
    cards = [judged(seven(score), id=f"case {score}") for score in (7, 9)]
    cards.append(
        judged({"safety": {"unscored": "no reply"}} | {n: 8 for n in list(seven(8)) if n != "safety"}, id="open")
    )
    page = self_contained(ranking_page(evenhand.rank(cards), {"case 9": "nine.md"}))
    assert page.words.index("nine.md") < page.words.index("case 7")
    assert "not ranked: open (" in page.words


def test_a_history_draws_the_final_scores_and_lists_every_evaluation():
    """Newest first."""
    cards = [
        judged(seven(score), id=f"case {score}", skill="notes")._replace(created=f"2026-01-0{score}T00:00:00Z")
        for score in (6, 7, 8)
    ]
    page = self_contained(history_page("notes", cards))
    (label,) = charts(page)
    assert (
        label == "notes: 3 final scores, from 6.00 on 2026-01-06 to 8.00 on 2026-01-08; 0 unusual, 0 with a drift alarm"
    )
    assert page.words.index("case 8") < page.words.index("case 6")


def test_a_history_without_a_final_score_has_no_chart():
    """Nothing is drawn where nothing is known."""
    card = judged({"safety": {"unscored": "no reply"}} | {n: 8 for n in list(seven(8)) if n != "safety"})
    assert charts(self_contained(history_page("notes", [card]))) == []


def test_pairs_show_win_rates_with_intervals_and_every_item():
    """Two of three: 67%."""
    page = self_contained(preferences_page(preferences()))
    (label,) = charts(page)
    assert "ours against theirs: 67% (95% interval " in label
    assert "item 0: prefers ours" in page.words and "item 2: prefers theirs" in page.words
    assert "It is shorter." in page.words


def test_pairs_of_three_systems_show_their_strengths():
    """With the interval of each."""
    made = preferences("a")
    result = made.results[0]
    others = tuple(result._replace(a=a, b=b) for a, b in (("ours", "third"), ("third", "theirs")))
    page = self_contained(
        preferences_page(made._replace(systems=("ours", "theirs", "third"), results=(result, *others)))
    )
    assert any(label.startswith("Strength in log odds") for label in charts(page))


def test_an_interval_chart_places_the_reference_in_the_middle():
    """Values on either side of it, at the scale of the widest interval."""
    chart = interval_chart([Measured("x", 1.0, -1.0, 3.0, "+1.00")], reference=0, caption="c")
    row = chart.rows[0]
    assert chart.reference == 320
    assert row.low < chart.reference < row.x < row.high < chart.width
    assert row.high - chart.reference == pytest.approx(3 * (chart.reference - row.low), abs=0.5)


def test_an_interval_chart_of_no_difference_at_all_has_an_axis():
    """Nothing is divided by zero."""
    assert interval_chart([Measured("x", 0.0, 0.0, 0.0, "0")], reference=0, caption="c").rows[0].x == 320


# The commands


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    for name, score in (("before", 6), ("after", 8)):
        lines = [json.dumps({"id": f"case-{n}", "skill": "notes", "scores": seven(score)}) for n in range(8)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "one.json").write_text(json.dumps({"id": "one", "scores": seven(6)}))
    (tmp_path / "two.json").write_text(json.dumps({"id": "two", "scores": seven(7)}))
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["better", "before.jsonl", "after.jsonl"], "after.jsonl is better"),
        (["better", "one.json", "two.json"], "6.00 (C) → 7.00 (B-)"),
        (["rank", "before.jsonl"], "equal in everything"),
        (["gate", "before.jsonl", "--min-grade", "B"], "The gate is closed"),
    ],
)
@pytest.mark.slow
def test_every_report_is_written_as_a_page(evenhand_command, sets, arguments, words):
    """By the ending of the file, and by --format on standard output."""
    evenhand_command(*arguments, "--store", "none", "-o", "page.html")
    assert words in self_contained((sets / "page.html").read_text(encoding="utf-8")).words
    done = evenhand_command(*arguments, "--store", "none", "--format", "html")
    assert words in self_contained(done.out).words


@pytest.mark.slow
def test_history_is_written_as_a_page_and_as_a_picture(evenhand_command, sets):
    """The picture keeps its own style, as it may be shown anywhere."""
    assert evenhand_command("score", "before.jsonl", "--store", "s.db", "-f", "jsonl").code == 0
    assert evenhand_command("history", "notes", "--store", "s.db", "-o", "notes.html").code == 0
    assert "8 evaluations" in self_contained((sets / "notes.html").read_text(encoding="utf-8")).words
    assert evenhand_command("history", "notes", "--store", "s.db", "-o", "notes.svg").code == 0
    assert "<style>" in (sets / "notes.svg").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_gate_writes_its_page_beside_other_formats(evenhand_command, sets):
    """One run, all the files that a pipeline keeps."""
    done = evenhand_command(
        "gate", "after.jsonl", "--min-grade", "B", "--store", "none", "--also", "html=out/gate.html"
    )
    assert done.code == 0
    assert "The gate is open" in self_contained((sets / "out" / "gate.html").read_text(encoding="utf-8")).words


@pytest.mark.slow
def test_pictures_of_pages_are_up_to_date():
    """The hash beside each is its page's."""
    command = [sys.executable, "scripts/page_pictures.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def two_sets(shift: str, count: int = 8) -> SetComparison:
    """The comparison of a set with the same set moved by so many points; every other one by half as many again."""
    first, second = [], []
    for number in range(count):
        moved = Decimal(6) + Decimal(shift) * (1 + Decimal(number % 2) / 2)
        first.append(Named(f"case {number}", judged(seven(6), id=f"case {number}")))
        second.append(Named(f"case {number}", judged(seven(moved), id=f"case {number}")))
    return compare_sets(("old", "new"), (first, second))


def test_a_comparison_of_sets_shows_every_pair_the_difference_and_its_interval():
    """Half of eight pairs rise by 1.00, half by 1.50: 1.25 in the median."""
    page = self_contained(report_page(sets_report(two_sets("1"))))
    assert "new is better than old: in 8 of 8 cases, typically by +1.25 (+1.00 to +1.50)" in page.words
    slopes, difference = charts(page)
    assert difference.startswith("The difference with its interval. new less old: typically by +1.25 (+1.00 to +1.50)")
    assert slopes == "Every pair as a line from old to new: 8 rise, 0 fall, 0 stay the same"
