"""The scorecard as an HTML page: what it shows, quotes in their place, links both ways, nothing loaded."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import ROOT, make_rubric, seven
from html_reading import self_contained

import evenhand
from evenhand.core.finding import Checked, Finding, Place
from evenhand.core.judgement import Evidence, Judgement, Opinion, Unscored
from evenhand.judging.steps import Steps
from evenhand.reports.html.environment import stylesheet
from evenhand.reports.html.texts.marked_text import MarkedLine, Note, Passage, marked_lines
from evenhand.reports.scorecard import MOST_UNFOLDED
from evenhand.work.quotes import Quotable
from evenhand.work.submission import Event, Submission, ToolCall
from panels import OUTPUT, card_of, model_judgement, panel_of, quote
from report_formats import scorecard_page, scorecards_page

TEMPLATES = Path(scorecard_page.__code__.co_filename).parent / "templates"


def example() -> str:
    """The page of the example."""
    text = (ROOT / "examples" / "review.md").read_text(encoding="utf-8")
    (result,) = evenhand_cards()
    return scorecard_page(result, Submission(output=text))


def evenhand_cards() -> list[evenhand.Scorecard]:
    from evenhand.judging.files import score_files

    return [card for card in score_files([str(ROOT / "examples" / "review.yaml")]).results if isinstance(card, tuple)]


def unread_card(output: str = OUTPUT, **finding: object) -> evenhand.Scorecard:
    """A scorecard of checks alone, with one major fault."""
    fault = Finding("made-up", "correctness", "major", "This is wrong.", quote="The lock is held", **finding)  # type: ignore[arg-type]
    judgement = Judgement(
        opinions={name: Opinion(score=Unscored("no one has read this output")) for name in evenhand.DIMENSIONS},
        judge={"name": "checks"},
        skill="review",
        checked=Checked(checks="c1", findings=(fault,)),
    )
    return Steps(make_rubric()).evaluate_written(judgement, output=output, id="x", created="2026-01-01T00:00:00Z").card


def test_the_example_shows_grade_arithmetic_flags_and_receipt():
    """Everything the terminal shows is on the page."""
    page = self_contained(example())
    for part in (
        "7.80 of 10 Above Average",
        "composite 8.05 \u2212 0.50 (1 red flag) = 7.55 after deductions + 0.25 (1 bonus) = 7.80",
        "correctness 9 x 0.3 = 2.7",
        "false-run-claim \u22120.50",
        "race-found +0.25",
        "Passes: the rubric code-review asks for 7.00.",
        "| evenhand show --verify -",
    ):
        assert part in page.words
    assert sum(element.attributes.get("class") == "bar" for element in page.elements) == 7


def test_every_verified_quote_is_marked_in_place_and_linked_both_ways():
    """From the dimension to the passage, and from the passage back to the dimension."""
    page = self_contained(example())
    ids = page.by_id()
    numbers = [name.removeprefix("quote-") for name in ids if name.startswith("quote-")]
    assert sorted(numbers) == ["1", "2", "3", "4", "5"]
    for number in numbers:
        assert ids[f"quote-{number}"].attributes["href"] == f"#from-{number}"
        assert f"#quote-{number}" in page.links()
        assert f"from-{number}" in ids
    assert page.text_in("mark.flag") == ["The tests pass on my machine."]
    assert "".join(page.text_in("mark.bonus")) == (
        "A slow first load then overwrites the newer profile   written by the second."  # two lines of the text
    )


def test_a_quote_that_is_not_in_the_output_is_shown_as_missing_and_not_linked():
    """Unverified evidence is never shown as if it were fine."""
    card = card_of(model_judgement(8, evidence=(quote("never written", verified=False),)), make_rubric())
    page = self_contained(scorecard_page(card, Submission(output=OUTPUT)))
    assert "NOT IN THE OUTPUT" in page.words
    assert not page.text_in("mark")


def test_a_page_without_the_submission_shows_quotes_without_links():
    """The store may keep only a hash."""
    page = self_contained(scorecard_page(evenhand_cards()[0]))
    assert "Any user whose entry expires gets a 500." in page.words
    assert all(link.startswith("#dimension-") for link in page.links())


def test_what_nobody_has_read_gets_no_letter():
    """Checks find faults and leave bounds: 10 less 0.25 * (10 - 6) is 9.00 at best."""
    page = self_contained(scorecard_page(unread_card(), Submission(output=OUTPUT)))
    assert "not graded: no one has read this output; at best A (9.00 of 10)" in page.words
    seals = [element.attributes["class"] for element in page.elements if "seal" in element.attributes.get("class", "")]
    assert seals == ["seal none words"]
    assert "At most: correctness 6.00 (made-up)." in page.words


def test_a_finding_is_shown_at_its_line():
    """The note follows the line that the passage starts on, and links to the list of findings."""
    page = self_contained(scorecard_page(unread_card(), Submission(output=OUTPUT)))
    assert page.text_in("mark.fault") == ["The lock is held"]
    (note,) = [element for element in page.elements if element.attributes.get("class") == "note major"]
    assert note.inside[-2:] == ("ol", "li")


def test_an_unscored_dimension_gives_an_interval_in_place_of_the_grade():
    """8 in six dimensions of weight 0.9: 7.2, plus 0.1 to 1.0 from safety: B- to B+."""
    card = card_of(model_judgement(seven(8) | {"safety": "the reply was cut off"}), make_rubric())
    page = self_contained(scorecard_page(card, Submission(output=OUTPUT)))
    assert "B- to B+" in page.words
    assert "between 7.30 and 8.20 of 10 (B- to B+)" in page.words
    assert "unscored; possible: 1 to 10" in page.words and "No score: the reply was cut off." in page.words


def test_a_panel_shows_who_gave_which_score_the_spread_and_the_chance_of_each_grade():
    """The chart has a text alternative and a table with the same numbers."""
    card = card_of(panel_of(9, 8, seven(8) | {"safety": 5}), make_rubric())
    page = self_contained(scorecard_page(card))
    assert "4.00 !" in page.words
    (chart,) = [element for element in page.elements if element.tag == "svg" and "role" in element.attributes]
    assert chart.attributes["aria-label"].startswith("Probability of each grade: ")
    assert card.agreement is not None
    for letter in card.agreement.grades:
        assert page.text_in("th").count(letter) == 1  # in the table behind the chart


def test_a_quote_in_a_transcript_is_marked_in_the_event_it_was_found_in():
    """In the words, in an argument of a call, or in its result."""
    events = (
        Event("message", "user", "Fix it.", Place("run.jsonl", 1)),
        Event(
            "tool_call",
            "assistant",
            "",
            Place("run.jsonl", 2),
            ToolCall("Bash", {"command": "make test", "n": 3}, result="2 failed", result_place=Place("run.jsonl", 3)),
        ),
        Event("message", "assistant", "All fixed.", Place("run.jsonl", 4)),
    )
    submission = Submission(output="All fixed.", events=events, source="run.jsonl")
    judgement = model_judgement(5, evidence=(Evidence("make test"), Evidence("2 failed"), Evidence("All fixed.")))
    card = Steps(make_rubric()).evaluate_written(judgement, submission=submission, id="x").card
    page = self_contained(scorecard_page(card, submission))
    assert sorted(set(page.text_in("mark.score"))) == ["2 failed", "All fixed.", "make test"]
    assert page.words.count("All fixed.") == 1 + 7  # once in the text, once at each dimension
    assert "The final answer, shown above." in page.words


def test_the_words_of_a_page_are_never_marked_safe():
    """The only unescaped value is the style sheet, which is ours."""
    for template in TEMPLATES.glob("*.html"):
        text = template.read_text(encoding="utf-8")
        assert "|safe" not in text.replace(" ", "")
        assert "autoescape" not in text
        assert " style=" not in text, template.name
        assert "<script" not in text
    assert "</" not in stylesheet()


def test_markup_template_syntax_and_unseen_characters_are_shown_as_text():
    """What is judged cannot become part of the page."""
    hostile = "<script>alert(1)</script>{{ 7*7 }}\u202eevil\x1b[31m</ol>"
    card = evenhand.score({"id": hostile, "skill": hostile, "scores": seven(8)}, rubric=make_rubric())
    page = self_contained(scorecard_page(card, Submission(output=hostile, task=hostile)))
    shown = "<script>alert(1)</script>{{ 7*7 }}\ufffdevil\ufffd[31m</ol>"
    assert shown in page.words
    assert not any(char in scorecard_page(card, Submission(output=hostile)) for char in "\u202e\x1b")


def test_a_scorecard_without_its_text_is_under_100_kb():
    """The example with a panel's worth of quotes."""
    many = tuple(quote("The lock is held") for _ in range(10))
    card = card_of(model_judgement(8, evidence=many), make_rubric())
    assert len(scorecard_page(card).encode()) < 100_000
    assert len(example().encode()) - len((ROOT / "examples" / "review.md").read_bytes()) < 100_000


def test_a_long_text_costs_little_more_than_its_length():
    """Five bytes for each line: 20,000 lines of 50 characters are 1 MB."""
    text = ("x" * 49 + "\n") * 20_000
    card = evenhand.score({"scores": seven(8)}, rubric=make_rubric(), output=text)
    assert len(scorecard_page(card, Submission(output=text))) < len(text) + 20_000 * 5 + 100_000


def test_a_set_lists_every_scorecard_and_unfolds_its_details():
    """With the errors of what could not be read above them."""
    cards = [(f"case {n}", evenhand.score({"scores": seven(n)}, rubric=make_rubric(), id=f"c{n}")) for n in (6, 8, 8)]
    page = self_contained(scorecards_page(cards, ["bad.json: not JSON"]))
    assert "3 scorecards" in page.words and "2 B+, 1 C" in page.words
    assert "bad.json: not JSON" in page.words
    assert (
        sum(element.tag == "details" and "one" in element.attributes.get("class", "") for element in page.elements) == 3
    )


def test_a_large_set_is_a_list_without_details():
    """So that the page can still be opened."""
    card = evenhand.score({"scores": seven(8)}, rubric=make_rubric(), id="c")
    page = self_contained(scorecards_page([("case", card)] * (MOST_UNFOLDED + 1)))
    assert not [element for element in page.elements if element.attributes.get("class") == "one"]
    assert page.words.count("case") == MOST_UNFOLDED + 1


def test_the_body_alone_is_what_the_page_holds():
    """The dashboard shows the very same thing."""
    card = evenhand_cards()[0]
    assert str(scorecard_page(card).body) in scorecard_page(card)


# The text with its passages


def lines_of(text: str, *passages: Passage) -> list[str]:
    """Each line with its passages in brackets and references as numbers."""
    shown = []
    for line in marked_lines(text, passages):
        if isinstance(line, str):
            shown.append(line)
            continue
        assert isinstance(line, MarkedLine)
        pieces = []
        for piece in line.pieces:
            numbers = "".join(f"{reference.number}:" for reference in piece.references)
            pieces.append(numbers + (f"[{piece.text}]" if piece.kind else piece.text))
        shown.append("".join(pieces) + "".join(f" <{note.message}>" for note in line.notes))
    return shown


def at(start: int, end: int, number: int, **more: object) -> Passage:
    return Passage(start, end, number, "score", "correctness", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "passages", "shown"),
    [
        ("one two", [at(4, 7, 1)], ["one 1:[two]"]),
        ("one\ntwo\nthree", [at(2, 9, 1)], ["on1:[e]", "[two]", "[t]hree"]),  # across lines
        ("abcd", [at(0, 3, 1), at(1, 4, 2)], ["1:[a]2:[bc][d]"]),  # overlapping
        ("abcd", [at(1, 3, 1), at(1, 3, 2)], ["a1:2:[bc]d"]),  # the same twice
        ("a\n\nb", [at(0, 4, 1)], ["1:[a]", "", "[b]"]),  # over an empty line
        ("a\r\nb\r\n", [at(0, 4, 1)], ["1:[a]", "[b]"]),
        ("ab\ncd", [at(2, 5, 1)], ["ab1:[]", "[cd]"]),  # from a line's very end
        ("ab\n", [], ["ab"]),  # the last line break ends the last line
        ("", [], [""]),
    ],
)
def test_passages_cut_lines_where_they_start_and_end(text, passages, shown):
    """Whatever overlaps, every character is shown once and every passage has its start."""
    assert lines_of(text, *passages) == shown


def test_a_note_follows_the_line_its_passage_starts_on():
    """Not the lines it goes on through."""
    note = Note(1, "major", "wrong")
    assert lines_of("one\ntwo", at(0, 7, 1, note=note)) == ["1:[one] <wrong>", "[two]"]


@pytest.mark.parametrize(
    ("text", "quoted", "offset", "passage"),
    [
        ("say it, say it", "say it", 8, "say it"),
        ("the  lock\n is held", "the lock is held", None, "the  lock\n is held"),
        ("caf\u0065\u0301 noir", "caf\u00e9", None, "caf\u0065\u0301"),
        ("x e\u0301 y e\u0301", "\u00e9  y \u00e9", None, "e\u0301 y e\u0301"),
        ("only here", "here", 0, "here"),  # an offset that does not hold
    ],
)
def test_a_quotes_span_is_in_the_text_as_given(text, quoted, offset, passage):
    """White space may differ, and so may the way an accent is written."""
    span = Quotable(text).span(quoted, offset)
    assert span is not None
    assert text[slice(*span)] == passage


def test_a_text_that_does_not_hold_the_quote_has_no_span():
    """Nothing is marked then."""
    assert Quotable("one").span("two") is None


# The commands


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("review.yaml", "review.md", "answer.md", "task.md"):
        shutil.copy(ROOT / "examples" / name, tmp_path)
    return tmp_path


@pytest.mark.slow
def test_o_writes_the_format_of_the_files_ending(evenhand_command, folder):
    """HTML, Markdown or JSON; standard output stays empty, and what was written is counted."""
    for name, start in (("r.html", "<!doctype html>"), ("r.md", "# review.md · code-review"), ("r.json", "{")):
        done = evenhand_command("score", "review.yaml", "--store", "none", "-o", name)
        assert (done.code, done.out, done.err) == (0, "", f"1 scored: 1 B\nwritten: {name}\n")
        assert (folder / name).read_text(encoding="utf-8").startswith(start)


def test_format_comes_before_the_files_ending(evenhand_command, folder):
    """And standard output takes HTML as well."""
    assert evenhand_command("score", "review.yaml", "-f", "markdown", "-o", "page.html").code == 0
    assert (folder / "page.html").read_text(encoding="utf-8").startswith("# review.md · code-review")
    self_contained(evenhand_command("score", "review.yaml", "--format", "html").out)


@pytest.mark.slow
def test_score_and_show_write_the_same_text_with_its_quotes(evenhand_command, folder):
    """The store keeps the output's text, so that a stored evaluation shows it again."""
    assert evenhand_command("score", "review.yaml", "-o", "judged.html").code == 0
    judged = self_contained((folder / "judged.html").read_text(encoding="utf-8"))
    assert judged.text_in("mark.flag") == ["The tests pass on my machine."]
    id = next(data for where, data in judged.texts if where == "code" and "evenhand show" in data).split()[2]
    assert evenhand_command("show", id, "-o", "shown.html").code == 0
    shown = self_contained((folder / "shown.html").read_text(encoding="utf-8"))
    assert shown.text_in("mark.flag") == ["The tests pass on my machine."]


def test_a_command_that_fails_leaves_the_file_as_it_was(evenhand_command, folder):
    """Nothing is half written."""
    (folder / "page.html").write_text("before")
    assert evenhand_command("show", "no-such-id", "-o", "page.html").code == 2
    assert (folder / "page.html").read_text() == "before"
    assert not list(folder.glob(".*.new"))


@pytest.mark.parametrize(
    ("name", "words"),
    [(".", "is a folder; name a file"), ("review.yaml/page.html", "review.yaml/page.html: cannot be written")],
)
def test_a_file_that_cannot_be_written_is_an_error_with_its_name(evenhand_command, folder, name, words):
    """Exit code 2, and no traceback."""
    done = evenhand_command("score", "review.yaml", "--store", "none", "-o", name)
    assert done.code == 2
    assert words in done.err
    assert len(done.err.splitlines()) == 1


def test_several_judgements_make_one_page(evenhand_command, folder):
    """A list with the details of each; one that cannot be read is named."""
    (folder / "bad.yaml").write_text("scores: {}\n")
    done = evenhand_command("score", "review.yaml", "bad.yaml", "--store", "none", "-o", "set.html")
    assert done.code == 2
    page = self_contained((folder / "set.html").read_text(encoding="utf-8"))
    assert "1 scorecard" in page.words and "bad.yaml" in page.words
