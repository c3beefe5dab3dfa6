"""A skill's history as people see it: loud where something happened, quiet where chance explains it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from decimal import Decimal

import pytest
from conftest import judged, seven
from rich.cells import cell_len

from evenhand.core.comparison import Past, Timeline
from evenhand.core.history import compare
from evenhand.core.numbers import points
from evenhand.reports.charts import sparkline
from evenhand.reports.exchange.junit import card_case
from evenhand.reports.history import history_lines, is_unusual
from evenhand.reports.notebook import scorecard_html
from evenhand.reports.scorecard import counts_line
from evenhand.reports.skill_history import chart_points
from report_formats import (
    history_markdown,
    history_page,
    history_svg,
    print_history,
    print_scorecard,
    scorecard_markdown,
    scorecard_page,
)
from test_reports import shown


def noisy_card():
    """One real flag (safety fell by five points) beside quiet ones, at the eleventh evaluation."""
    earlier = [Past((800, 700, 800, 800, 800, 800 + 10 * (n % 2), 800), "r", "j") for n in range(10)]
    earlier = [past._replace(scores=(780 + 40 * (n % 2), *past.scores[1:])) for n, past in enumerate(earlier)]
    scores = [845, 700, 800, 800, 800, 300, 800]
    timeline = Timeline(earlier, [800] * 10, [])
    comparison = compare(scores, 750, timeline, rubric="r", judge="j")
    return judged(seven(*map(points, scores)), id="eleventh", skill="s")._replace(history=comparison)


def test_a_flag_that_chance_explains_is_told_apart_from_a_real_one():
    """p above 0.05 is quiet, on the scorecard, in the table and on the chart; exactly 0.05 is not."""
    card = noisy_card()
    # correctness: mean 8.00, deviation 0.21, 8.45 is 2.13 deviations off: flagged, p about 0.4 for seven dimensions
    assert set(card.history.flags) == {"correctness", "safety"}
    weights = {line.split()[0]: weight for line, weight in history_lines(card.history)}
    assert (weights["safety"], weights["correctness"]) == ("unusual", "quiet")
    row = history_markdown("s", [card]).split("| eleventh | ")[1].partition("\n")[0]
    assert re.fullmatch(r"\*\*DRIFT\*\*, \*\*safety -5\.05 \(p \\<0\.001\)\*\*, by chance: correctness \+0\.45 \|", row)
    line = card.history.dimensions["safety"]
    assert is_unusual(replace(line, strength=0.05)) and not is_unusual(replace(line, strength=0.0500001))
    assert is_unusual(replace(line, strength=None)) and not is_unusual(replace(line, flagged=False))
    alone = card._replace(
        history=replace(card.history, dimensions={"correctness": card.history.dimensions["correctness"]})
    )
    calm = [one._replace(history=replace(one.history, drift=None)) for one in (card, alone)]
    assert [point.kind for point in chart_points([card, *calm])] == ["alarm", "flag", "chance"]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120])
def test_history_shows_every_evaluation_with_what_is_worth_a_look(width):
    """However narrow the terminal, with the real flag before the quiet one."""
    text = shown(lambda console: print_history("s", [noisy_card()] * 3, console), width)
    assert max(map(cell_len, text.splitlines())) <= width
    words = " ".join(text.split())
    assert [words.count(part) for part in ("eleventh", "DRIFT, safety", "by chance:")] == [3, 3, 3]


# safety: 8.00 and 8.10 in turn, deviation sqrt(10 x 0.05^2 / 9) = 0.0527; correctness: 7.80 and 8.20, 0.2108
BESIDE = {
    "correctness": "mean 8.00 (deviation 0.21)",
    "completeness": "mean 7.00 (deviation 0.00)",
    "adherence": "mean 8.00 (deviation 0.00)",
    "actionability": "mean 8.00 (deviation 0.00)",
    "efficiency": "mean 8.00 (deviation 0.00)",
    "safety": "mean 8.05 (deviation 0.05)",
    "consistency": "mean 8.00 (deviation 0.00)",
}


def test_the_scorecard_shows_mean_and_deviation_of_every_dimension():
    """On a terminal, in Markdown, as HTML and in a notebook; without a history none of them has any."""
    card = noisy_card()
    lines = shown(lambda console: print_scorecard(card, console), 80).splitlines()
    markdown, page, cell = scorecard_markdown(card), scorecard_page(card), scorecard_html(card)
    for name, words in BESIDE.items():
        assert [line.endswith(words) for line in lines if line[2:].startswith(f"{name} ")] == [True]
        assert words in next(line for line in markdown.splitlines() if line.startswith(f"| {name} |"))
        assert words in page.split(f"<span>{name}</span>")[1].split("</li>")[0]
        assert words in cell.split(f">{name}<")[1].split("</tr>")[0]
    narrow = shown(lambda console: print_scorecard(card, console), 60).splitlines()
    assert all(f"    {words}" in narrow for words in BESIDE.values())
    alone = card._replace(history=None)
    assert "mean" not in shown(lambda console: print_scorecard(alone, console), 60)
    assert "| dimension | score | points | why |" in scorecard_markdown(alone)
    assert "deviation" not in scorecard_page(alone).split("<body")[1]


def test_a_flagged_dimension_is_flagged_for_review_in_every_format():
    """In those words, at the top and at the dimension, with a mark that is not a colour; the chance stays beside it."""
    card = noisy_card()
    for width in (60, 80, 120):
        text = shown(lambda console: print_scorecard(card, console), width, "ascii")
        lines = text.splitlines()
        rows = [
            line for line in lines if line[2:].startswith(("correctness   #", "adherence     #", "safety        #"))
        ]
        assert [row[0] for row in rows] == ["!", " ", "!"]
        assert "    ! flagged for review: 5.05 below its mean" in lines
        assert "    ! flagged for review: 0.45 above its mean" in lines
        words = " ".join(text.split())
        assert "! safety is flagged for review: 5.05 below its mean of 8.05 (deviation 0.05); by chance, some" in words
    markdown = scorecard_markdown(card)
    assert "**Safety is flagged for review: 5.05 below its mean of 8.05 (deviation 0.05); by chance" in markdown
    assert "Correctness is flagged for review: 0.45 above its mean of 8.00 (deviation 0.21); by chance" in markdown
    assert "| **mean 8.05 (deviation 0.05), flagged for review: 5.05 below its mean** |" in markdown
    assert "| mean 7.00 (deviation 0.00) |" in markdown
    page = scorecard_page(card)
    assert page.count("flagged for review: 5.05 below its mean</strong>") == 1
    assert "Safety is flagged for review: 5.05 below its mean of 8.05 (deviation 0.05); by chance" in page
    assert page.count('<td data-label="flag">flagged for review</td>') == 2  # in the table of the history
    assert "<b>safety is flagged for review: 5.05 below" in scorecard_html(card)
    assert "safety is flagged for review: 5.05 below" in card_case(card).says


@pytest.mark.parametrize(("n", "provisional"), [(2, True), (9, True), (10, False)])
def test_a_flag_over_a_short_history_is_provisional(n, provisional):
    """R15: with fewer than ten earlier evaluations; zero deviation flags any difference."""
    timeline = Timeline([Past((800,) * 7, "r", "j")] * n, [], [])
    comparison = compare([800] * 6 + [799], 799, timeline, rubric="r", judge="j")
    card = judged(seven(8) | {"consistency": "7.99"})._replace(history=comparison)
    words = " ".join(shown(lambda console: print_scorecard(card, console), 100).split())
    assert "mean 8.00 (deviation 0.00)" in words
    assert "flagged for review: 0.01 below its mean" in words and "it had never changed before" in words
    assert ("its mean, provisional" in words, "provisional, as there are few" in words) == (provisional, provisional)


def test_one_earlier_evaluation_gives_differences_and_no_deviation():
    """R15; and without any, history starts here."""
    timeline = Timeline([Past((800,) * 7, "r", "j")], [], [])
    comparison = compare([800] * 6 + [750], 798, timeline, rubric="r", judge="j")
    card = judged(seven(8) | {"consistency": "7.5"})._replace(history=comparison)
    for text in (shown(lambda console: print_scorecard(card, console), 80), scorecard_markdown(card)):
        assert "8.00 before (-0.50)" in text and "8.00 before (+0.00)" in text
        assert "deviation" not in text and "flagged" not in text and "mean" not in text
    first = card._replace(history=compare([800] * 7, 800, Timeline([], [], []), rubric="r", judge="j"))
    for text in (shown(lambda console: print_scorecard(first, console), 80), scorecard_markdown(first)):
        assert "istory starts here" in text and "before (" not in text


def test_the_chart_has_a_background_of_its_own():
    """Readable on a dark page too: the background comes before everything drawn on it, and changes with the setting."""
    svg = history_svg("s", [noisy_card()])
    assert svg.index('<rect class="page"') < svg.index("<line") < svg.index("<circle")
    light, dark = svg.split("@media(prefers-color-scheme:dark)")
    assert ".page{fill:#fff}" in light and ".page{fill:#16191d}" in dark


@pytest.mark.parametrize(
    ("final", "bar"),
    [
        (100, "\u2581"),
        (212, "\u2581"),
        (213, "\u2582"),
        (549, "\u2584"),
        (550, "\u2585"),
        (887, "\u2587"),
        (888, "\u2588"),
        (1000, "\u2588"),
    ],
)
def test_a_bar_stands_for_an_eighth_of_the_scale(final, bar):
    """From 1 to 10 in eight steps of 112.5 hundredths; the last one has the top of the scale."""
    assert sparkline([final]) == bar


def test_the_chart_says_in_words_from_when_to_when():
    """In the drawing's alternative; the dates on the axis are hidden from it."""
    cards = [noisy_card()._replace(created=f"2026-01-0{day}T00:00:00Z") for day in (1, 2)]
    svg = history_svg("s", cards)
    final = cards[0].final
    assert f'aria-label="s: 2 final scores, from {final} on 2026-01-01 to {final} on 2026-01-02; ' in svg
    hidden = svg[svg.index('<g aria-hidden="true">') : svg.index("</g>")]
    assert svg.count(" Jan ") == hidden.count(" Jan ") >= 2
    assert history_svg("s", []).count("<circle") == 0


def test_the_picture_and_the_page_draw_the_same_chart():
    """Points, lines and marks of `history -f svg` are those of `history -o page.html`; alarms go before flags."""
    cards = [noisy_card()._replace(id=str(day), created=f"2026-01-0{day}T00:00:00Z") for day in (1, 2, 3)]
    drawn = [
        re.findall(r"<(?:circle|polyline|line) [^>]*", text)
        for text in (history_svg("s", cards), history_page("s", cards))
    ]
    assert drawn[0] == drawn[1] and len([part for part in drawn[0] if part.startswith("<circle")]) == 3


def test_outputs_judged_by_criteria_alone_are_counted_by_their_answers():
    """Results that no criterion has are left out, and so is a cost that is not known."""
    answers = Counter({"met": 5, "undecided": 1})
    assert counts_line(["-", "-"], answers=answers) == ("2 judged by criteria alone, none graded: 5 met, 1 undecided")
    answers["unmet"] = 2
    assert counts_line(["-"], Decimal("0.0312"), answers=answers) == (
        "1 judged by criteria alone, none graded: 5 met, 2 unmet, 1 undecided; $0.0312"
    )
