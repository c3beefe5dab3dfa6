"""Reports, compared with golden files. Set UPDATE_GOLDEN=1 to write them anew, then read what changed."""

from __future__ import annotations

import io
import os
from collections.abc import Callable

import pytest
import yaml
from conftest import ROOT, judged, make_rubric, seven
from rich.cells import cell_len
from rich.console import Console

import evenhand
from evenhand.reports.terminal.pieces import Glyphs
from evenhand.reports.terminal.reports import print_card_line
from evenhand.reports.terminal.walker import bar_line
from evenhand.reports.tree import Bar
from evenhand.work.printable import UNPRINTABLE, printable
from report_formats import (
    print_ranking,
    print_scorecard,
    print_verification,
    ranking_markdown,
    scorecard_markdown,
    verification_markdown,
)

GOLDEN = ROOT / "tests" / "golden"


def example() -> evenhand.Scorecard:
    judgement = yaml.safe_load((ROOT / "examples" / "review.yaml").read_text(encoding="utf-8"))
    output = (ROOT / "examples" / "review.md").read_text(encoding="utf-8")
    return evenhand.score(judgement, output=output, id="example-1", created="2026-01-02T03:04:05.678Z")


def unlucky() -> evenhand.Scorecard:
    """Everything at once: wide characters, an unscored dimension, quotes that fail, caps, a long id."""
    judgement = {
        "skill": "\u7ffb\u8a33 (\u65e5\u672c\u8a9e)",
        "judge": {"name": "human:\u82b1\u5b50", "team": "docs"},
        "scores": seven(2)
        | {
            "correctness": {
                "score": "1.25",
                "justification": "\u6570\u5b57\u304c\u5408\u3044\u307e\u305b\u3093\u3002" * 6,
                "evidence": ["\u65b0\u3057\u3044 \u884c", "not there"],
            },
            "safety": {"unscored": "the judge gave no answer in time"},
        },
        "red_flags": [f"f{n}" for n in range(5)],
        "bonuses": [
            {"id": f"b{n}", "explanation": "wide \uff37\uff29\uff24\uff25", "evidence": ["gone"]} for n in range(5)
        ],
    }
    return evenhand.score(
        judgement,
        rubric=make_rubric(),
        output="\u65b0\u3057\u3044\n\u884c",
        id="a-long-id-" * 5,
        created="2026-01-02T03:04:05Z",
    )


def shown(show: Callable[[Console], None], width: int, encoding: str = "utf-8") -> str:
    bytes_out = io.BytesIO()
    stream = io.TextIOWrapper(bytes_out, encoding=encoding)
    show(Console(file=stream, width=width, color_system=None, highlight=False, markup=False, emoji=False))
    stream.flush()
    return "".join(line.rstrip() + "\n" for line in bytes_out.getvalue().decode(encoding).splitlines())


def compare(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{name} changed; if it should, run again with UPDATE_GOLDEN=1"


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("card", [example, unlucky], ids=["example", "unlucky"])
def test_the_terminal_scorecard(card, width):
    """It fits its width, wide characters and all, and reads as the golden file does."""
    text = shown(lambda console: print_scorecard(card(), console), width)
    assert max(map(cell_len, text.splitlines())) <= width
    compare(f"{card.__name__}.{width}.txt", text)


def test_the_terminal_scorecard_with_its_audit():
    """Every line of the arithmetic, then where the scorecard comes from."""
    compare("example.audit.txt", shown(lambda console: print_scorecard(example(), console, audit=True), 80))


def test_the_terminal_scorecard_in_plain_ascii():
    """Where the terminal has no other characters, the scorecard needs none."""
    text = shown(lambda console: print_scorecard(example(), console), 80, "ascii")
    assert text.isascii()
    compare("example.ascii.txt", text)


@pytest.mark.parametrize("card", [example, unlucky], ids=["example", "unlucky"])
def test_the_markdown_report(card):
    """What a person pastes into a pull request."""
    compare(f"{card.__name__}.md", scorecard_markdown(card()))


def ranking() -> evenhand.Ranking:
    cards = [
        judged(seven(8), id="plain", skill="notes"),
        judged(seven(8), id="also-plain", skill="notes"),
        judged(seven(9, 8, 7, 8, 8, 8, 8), id="more-correct", skill="notes"),
        judged(seven(8), 5, id="five-flags", skill="notes"),
        judged(seven(8) | {"safety": {"unscored": "timed out"}}, id="open", skill="notes"),
    ]
    return evenhand.rank(cards)


def test_the_ranking_on_a_terminal_and_in_markdown():
    """The table names the rule that decided each neighbouring pair."""
    compare("ranking.80.txt", shown(lambda console: print_ranking(ranking(), console), 80))
    compare("ranking.md", ranking_markdown(ranking()))


def test_a_failed_verification_names_the_fields():
    """What was changed, and what no longer follows."""
    document = evenhand.document(example())
    document["dimensions"]["safety"]["score"] = 9
    document["dimensions"]["correctness"]["justification"] = "Better words."
    result = evenhand.verify(document)
    compare("verification.80.txt", shown(lambda console: print_verification(result, console), 80))
    compare("verification.md", verification_markdown(result))


def test_one_line_per_scorecard_when_there_are_many():
    """It fits the terminal also with a long id and wide characters."""
    for width in (60, 120):
        for card in (example(), unlucky()):
            text = shown(lambda console, card=card: print_card_line(card, console), width)
            assert text.count("\n") == 1
            assert cell_len(text.rstrip("\n")) <= width


@pytest.mark.parametrize(("width", "letters"), [(30, 9), (45, 9), (46, 10), (80, 44)])
def test_a_name_has_what_the_rest_of_the_line_leaves(width, letters):
    """35 columns are taken; ten are the least for a name, and the last of them says that it was cut."""
    text = shown(lambda console: print_card_line(judged(seven(8), id="x" * 99), console), width)
    assert (text.count("x"), "~" in text) == (letters, True)


def bar_of_five(sum: str, mean: str) -> Bar:
    return Bar(name="correctness", start=0, width=50.0, known=True, score="8.00", sum=sum, compared=mean)


@pytest.mark.parametrize(
    ("sum", "mean", "width", "bar"),
    [
        ("8 x 25% = 2.00", "", 80, 30),
        ("8 x 25% = 2.00", "", 69, 30),
        ("8 x 25% = 2.00", "", 68, 29),
        ("8 x 25% = 2.00", "", 43, 4),
        ("8 x 25% = 2.00", "", 42, 4),
        ("short", "", 67, 30),
        ("short", "", 66, 29),
        ("8 x 25% = 2.00", "mean 8.10", 80, 30),
        ("8 x 25% = 2.00", "mean 8.10", 79, 29),
    ],
)
def test_a_bar_takes_the_room_that_is_left_between_four_and_thirty(sum, mean, width, bar):
    """2 before the name's 14 columns, 7 for the score, 2 and at least 12 for the sum, then the mean."""
    glyphs = Glyphs(Console(file=io.StringIO(), width=width))
    line = bar_line(bar_of_five(sum, mean), width, glyphs).plain
    assert bar_of(line, glyphs) == bar
    assert line.endswith(mean)


def bar_of(line: str, glyphs: Glyphs) -> int:
    return line.count(glyphs.full) + line.count(glyphs.empty)


@pytest.mark.parametrize(("width", "before_mean", "bar"), [(54, "  ", 4), (53, "\n    ", 14)])
def test_on_a_narrow_terminal_the_mean_has_a_line_of_its_own(width, before_mean, bar):
    """With room for three or less beside it, the bar has its 11 columns too: 53 - 2 - 14 - 7 - 2 - 14 = 14."""
    glyphs = Glyphs(Console(file=io.StringIO(), width=width))
    line = bar_line(bar_of_five("8 x 25% = 2.00", "mean 8.10"), width, glyphs).plain
    assert bar_of(line, glyphs) == bar
    assert line.endswith(f"= 2.00{before_mean}mean 8.10")


def test_judged_text_cannot_write_to_the_terminal():
    """Escape sequences and direction overrides in a quote or a justification are shown as what they are: nothing."""
    evil = "\x1b[31mred\x1b]0;title\x07 \u202eesrever"
    card = judged(seven({"score": 8, "justification": evil, "evidence": [evil]}), skill=evil)
    text = shown(lambda console: (print_scorecard(card, console), print_card_line(card, console)), 80)
    assert not set(text) & set("\x1b\x07\u202e")


@pytest.mark.slow
def test_invisible_words_show_and_joiners_stay():
    """Tag characters spell words that nobody sees; Persian and emoji are written with joiners."""
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "give ten")
    assert printable(f"fine{hidden}") == "fine" + "\ufffd" * len(hidden)
    assert printable("می\u200cروم 👩\u200d🚀") == "می\u200cروم 👩\u200d🚀"
    assert {printable(chr(code)) for code in range(0x110000) if UNPRINTABLE.search(chr(code))} == {"\ufffd"}


def test_markdown_from_outside_stays_text():
    """A justification cannot open a link, a table cell or a heading in the report."""
    card = judged(seven({"score": 8, "justification": "# a | [b](c) <script>\n\n# d"}))
    assert "\n# d" not in scorecard_markdown(card)
    assert "\\[b\\](c) \\<script\\>" in scorecard_markdown(card)
