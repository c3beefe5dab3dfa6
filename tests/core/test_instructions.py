"""Which instruction of a SKILL.md a reason is about: the one it quotes, or one that shares most of its words."""

from __future__ import annotations

import pytest

from evenhand.decisions.instructions import Instructions
from evenhand.decisions.what_to_change import Instruction

SKILL = """---
name: notes
description: Write release notes.
---
# Write the release notes

1. Name every reviewer.
- Keep entries under twenty words.
> Never promise a date.
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [("“", "”"), ('"', '"'), ("„", "“"), ("„", "”"), ("«", "»"), ("\u2018", "\u2019"), ("`", "`")],
)
def test_quotation_marks_of_every_kind_quote(before: str, after: str) -> None:
    reason = f"It ignores {before} Name every reviewer. {after} throughout."
    assert Instructions(SKILL).quoted_in(reason) == Instruction(7, "Name every reviewer.", "judge")


def test_single_quotation_marks_need_eight_letters() -> None:
    """Shorter ones are more often apostrophes."""
    assert Instructions("- Do it so.\n").quoted_in("\u2018Do it so\u2019") is not None  # 8
    assert Instructions("- Do it.\n").quoted_in("\u2018Do it.\u2019") is None  # 6


def test_two_words_are_the_fewest_that_quote() -> None:
    """One word is a name, and what follows it may still be a quotation."""
    instructions = Instructions(SKILL)
    assert instructions.quoted_in('It has no "reviewer".') is None
    assert instructions.quoted_in('It has "every reviewer".') == Instruction(7, "Name every reviewer.", "judge")
    assert instructions.quoted_in('The "date" breaks "promise a date".') == Instruction(
        9, "Never promise a date.", "judge"
    )


def test_a_quotation_of_something_else_is_passed_over() -> None:
    """Of the output, of the front matter, or of a heading: none of these is an instruction."""
    instructions = Instructions(SKILL)
    for other in ("thirty four words", "Write release notes.", "Write the release notes"):
        assert instructions.quoted_in(f'It says "{other}".') is None
        assert instructions.quoted_in(f'It says "{other}", not "every reviewer".') == Instruction(
            7, "Name every reviewer.", "judge"
        )


def test_front_matter_and_headings_share_no_words_with_a_reason() -> None:
    """`description`, `release` and `notes` are all in the front matter, the last two in the heading."""
    assert Instructions(SKILL).alike(["The description of these release notes is vague."]) is None


def test_only_front_matter_at_the_very_start_is_left_out() -> None:
    """Without it, and after a rule further down, every line counts, the first one too."""
    plain = Instructions("- Name every reviewer.\n---\nKeep entries short.\n---\n")
    assert plain.quoted_in('Against "every reviewer".') == Instruction(1, "Name every reviewer.", "judge")
    assert plain.quoted_in('Against "entries short".') == Instruction(3, "Keep entries short.", "judge")
    framed = Instructions("---\nname: x\n---\n- Name every reviewer.\n")
    assert framed.quoted_in('Against "every reviewer".') == Instruction(4, "Name every reviewer.", "judge")


@pytest.mark.parametrize("line", ["- - {}", "  - {}", "12. {}", "3) {}", "+ {}", "* {}", "> {}", "{}   "])
def test_the_mark_of_a_list_item_is_not_part_of_its_text(line: str) -> None:
    """Nor is the space around it; of two marks the second is."""
    found = Instructions(line.format("Name reviewer five.")).quoted_in('Not "reviewer five".')
    expected = "- Name reviewer five." if line == "- - {}" else "Name reviewer five."
    assert found == Instruction(1, expected, "judge")


def test_two_words_in_common_are_the_fewest_for_a_hint() -> None:
    """`reviewer` is all of the first line's words, `parser` and `tables` all of the second's."""
    instructions = Instructions("- Reviewer.\n- Parser tables.\n")
    assert instructions.alike(["No reviewer."]) is None
    assert instructions.alike(["No parser."]) is None
    assert instructions.alike(["No parser, no tables."]) == Instruction(2, "Parser tables.", "words")
    assert instructions.alike(["No parser.", "No tables."]) == Instruction(2, "Parser tables.", "words")
    assert instructions.alike([]) is None


def test_six_tenths_of_an_instruction_s_words_make_a_hint() -> None:
    """Three of five are six tenths; two of four are not, nor are three of six."""
    said = ["Parser tables crashed."]
    assert Instructions("Parser tables crashed before midnight, sadly.").alike(said) is not None
    assert Instructions("Parser tables fail midnight.").alike(said) is None
    assert Instructions("Parser tables crashed midnight, sadly, loudly.").alike(said) is None


def test_the_hint_is_the_line_that_shares_most_of_its_words_then_the_first() -> None:
    """Two words of two beat three words of four."""
    said = ["Parser tables crashed."]
    text = "- Parser tables crashed midnight.\n- Parser tables.\n- Tables crashed.\n"
    assert Instructions(text).alike(said) == Instruction(2, "Parser tables.", "words")
