"""Which complaints say the same, what they cost, and which of their words are quoted: one rule at a time."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from evenhand.decisions.grouped_complaints import what_to_change
from evenhand.decisions.what_to_change import Change, Complaint, Passage

SKILL = """# Notes

- Name the person who approved each release.
- Keep every entry under twenty words.
"""
QUOTING = 'It ignores "Name the person who approved each release".'
"""Alike to `UNQUOTED`: name, person and approved of it."""
UNQUOTED = "No entry names the person who approved it."
LONG = 'Against "Keep every entry under twenty words", one entry has forty.'


def reason(text: str, *, case: str = "a", dimension: str = "completeness", cost: int = 1, **more: Any) -> Complaint:
    return Complaint(case, "reason", "", dimension, text, Fraction(cost), **more)


def grouped(*complaints: Complaint, skill: bool = True) -> tuple[Change, ...]:
    cases: dict[str, list[list[Complaint]]] = {}
    for one in complaints:
        cases.setdefault(one.case, [[]])[0].append(one)
    return what_to_change(cases, is_read=True, skill=("SKILL.md", SKILL) if skill else None).changes


def wordings(changes: tuple[Change, ...]) -> set[frozenset[str]]:
    return {frozenset(change.wordings) for change in changes}


def test_a_reason_without_a_quotation_joins_the_one_that_quotes_and_keeps_its_instruction() -> None:
    """Whichever is met first."""
    for first, second in ((QUOTING, UNQUOTED), (UNQUOTED, QUOTING)):
        (change,) = grouped(reason(first), reason(second, case="b"))
        assert set(change.wordings) == {QUOTING, UNQUOTED}
        assert change.instruction is not None
        assert (change.instruction.line, change.instruction.named_by) == (3, "judge")


def test_reasons_that_quote_the_same_instruction_are_one_whatever_else_they_say() -> None:
    other = 'Contradicts "Name the person who approved each release", as any reader can see.'
    assert wordings(grouped(reason(QUOTING), reason(other, dimension="clarity"))) == {frozenset({QUOTING, other})}


def test_reasons_that_quote_different_instructions_stay_apart() -> None:
    """However alike the rest of their words."""
    first = 'The entry about the parser ignores "Name the person who approved each release".'
    second = 'The entry about the parser ignores "Keep every entry under twenty words".'
    assert len(grouped(reason(first), reason(second))) == 2
    assert len(grouped(reason(first), reason(second), skill=False)) == 1


def test_two_stems_in_common_are_the_fewest() -> None:
    """`parser` alone is not enough, `parser` and `crashed` are, which is at least three tenths of both."""
    assert len(grouped(reason("The parser crashed."), reason("A parser exists."))) == 2
    assert len(grouped(reason("The parser crashed."), reason("Again a crashed parser."))) == 1


def test_the_most_costly_comes_first_and_speaks_for_its_group() -> None:
    """Two cases of one run each: 3 / 2 and (1 + 4) / 2; at the same cost the words decide."""
    found = grouped(
        reason("The summary is vague.", cost=3),
        reason("The parser crashed.", cost=1),
        reason("Again a crashed parser.", case="b", cost=4),
    )
    assert [(change.says, change.cost) for change in found] == [
        ("Again a crashed parser.", Decimal("2.50")),
        ("The summary is vague.", Decimal("1.50")),
    ]
    assert found[0].cases == ("a", "b")
    tied = grouped(reason("Two typos."), reason("One broken link.", dimension="clarity"))
    assert [change.says for change in tied] == ["One broken link.", "Two typos."]


def test_each_case_counts_alike_however_many_runs_it_has() -> None:
    """Of two cases, one has two runs, of which one complains: 2 / (2 x 2) = 0.50; a case without a run says nothing."""
    runs = {"a": [[reason("Vague.", cost=2)], []], "b": [[]]}
    assert what_to_change(runs, is_read=True).changes[0].cost == Decimal("0.50")
    assert what_to_change(runs | {"c": []}, is_read=True).changes[0].cost == Decimal("0.33")


def test_the_dimension_is_where_most_of_the_cost_lies() -> None:
    said = 'It breaks "Keep every entry under twenty words".'
    (change,) = grouped(
        reason(said, dimension="clarity", cost=2),
        reason(said, case="b", dimension="completeness", cost=3),
        reason(said, case="c", dimension="clarity", cost=2),
    )
    assert (change.dimension, change.cost) == ("clarity", Decimal("2.33"))


def test_the_outputs_own_words_are_quoted_first_one_of_each_case_before_a_second() -> None:
    """Two at most, and never the same words twice."""

    def words(text: str, case: str, source: Any = "output") -> Passage:
        return Passage(text, case, source)

    said = "The summary is vague."
    (change,) = grouped(
        reason(said, quotes=(words("judge says", "a", "judge"), words("one", "a"), words("two", "a"))),
        reason(said, case="b", quotes=(words("three", "b"),)),
    )
    assert [quote.text for quote in change.quotes] == ["three", "one"]
    (change,) = grouped(
        reason(said, quotes=(words("one", "a"), words("two", "a"))), reason(said, case="b", quotes=(words("one", "b"),))
    )
    assert [quote.text for quote in change.quotes] == ["one", "two"]
    (change,) = grouped(reason(said, quotes=(words("judge says", "a", "judge"),)))
    assert [quote.source for quote in change.quotes] == ["judge"]


def test_without_a_skill_no_instruction_is_named() -> None:
    made = what_to_change({"a": [[reason(LONG)]]}, is_read=False)
    assert (made.skill, made.is_read, made.is_shown, made.cases) == (None, False, False, 1)
    assert made.changes[0].instruction is None
    shown = what_to_change({"a": [[reason(LONG)]]}, is_read=True, skill=("SKILL.md", SKILL), is_shown=True)
    assert (shown.skill, shown.is_shown) == ("SKILL.md", True)
    assert shown.changes[0].instruction is not None and shown.changes[0].instruction.line == 4
