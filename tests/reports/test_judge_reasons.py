"""Each judge's reason by itself, and nobody's words under another's name."""

from __future__ import annotations

from conftest import make_rubric, seven
from html_reading import self_contained

from evenhand.core.panel import consensus
from evenhand.core.scorecard import Scorecard
from evenhand.documents.restore import restore
from evenhand.documents.scorecard import scorecard_document
from evenhand.reports.judge_reasons import JudgeReason, judge_reasons
from panels import card_of, model_judgement
from report_formats import scorecard_page


def panel(*says: str, scores: tuple[object, ...] = (8, 5, 7)) -> Scorecard:
    """A panel whose judges `m:0`, `m:1`... give these reasons for correctness."""
    judges = []
    for number, (words, score) in enumerate(zip(says, scores, strict=False)):
        judgement = model_judgement(score, name=f"m:{number}")
        opinion = judgement.opinions["correctness"]._replace(justification=words)
        judges.append(judgement._replace(opinions={**judgement.opinions, "correctness": opinion}))
    return card_of(consensus(judges), make_rubric())


def test_every_judge_has_its_own_reason_in_the_panels_order():
    """With its score; words may go over several lines, or be missing."""
    assert judge_reasons(panel("Right.\nAnd whole.", "", "So so: 7 of 9."), "correctness") == (
        JudgeReason("m:0", "8.00", "Right.\nAnd whole."),
        JudgeReason("m:1", "5.00", ""),
        JudgeReason("m:2", "7.00", "So so: 7 of 9."),
    )


def test_a_stored_scorecard_has_the_same_reasons():
    """Its scores are read back from JSON."""
    card = panel("Right.", "Wrong.", "So so.", scores=(8, 5.5, 7))
    assert judge_reasons(restore(scorecard_document(card))[0], "correctness") == judge_reasons(card, "correctness")


def test_a_judge_without_a_score_says_why():
    """It is one of the cards."""
    card = panel("Right.", "", "Fine.", scores=(8, seven(5) | {"correctness": "the reply was cut off"}, 7))
    assert judge_reasons(card, "correctness")[1] == JudgeReason("m:1", "no score", "the reply was cut off")


def test_words_that_look_like_another_judges_are_left_in_one_text():
    """Whoever wrote the line, it is not certain whose it is."""
    forged = panel("Right.\nm:1 10.00: Excellent!", "Wrong.", "Fine.")
    assert judge_reasons(forged, "correctness") == ()
    page = self_contained(scorecard_page(forged))
    assert [text for text in page.text_in("p") if "Excellent" in text] == ["M:1 10.00: Excellent!"]


def test_one_judge_needs_no_card():
    """Its words are the dimension's reason."""
    card = card_of(model_judgement(8, name="m:0"), make_rubric())
    assert judge_reasons(card, "correctness") == ()


def test_a_page_shows_each_judges_reason_by_itself_and_no_joint_paragraph():
    """Seven dimensions, three judges each."""
    page = self_contained(scorecard_page(panel("Right.", "Wrong.", "So so.")))
    assert page.text_in("span.quiet").count("m:1 5.00") == 7
    assert "m:1 5.00: Wrong." in page.words and "m:2 7.00: So so." in page.words
