"""What a judge can be used for, in words. Every door says it with these. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from evenhand.core.curve import Use, UseAnswer, UseVerdict
from evenhand.in_words import counted
from evenhand.reports.tree import Column, Row, Span, Table

NAMES: Final[dict[Use, str]] = {
    "compare": "to compare outputs of a case",
    "level": "to give a level",
    "gate": "to gate at the pass mark",
}
ANSWERS: Final[dict[UseAnswer, str]] = {"yes": "yes", "no": "no", "not-shown": "not shown yet"}
_WIDTH: Final = max(map(len, NAMES.values()))


def uses_lines(uses: Sequence[UseVerdict]) -> list[str]:
    """A line for each use: the answer, and what it rests on. A self-test has one answer for all of them."""
    if len(uses) > 1 and len({(entry.verdict, entry.says) for entry in uses}) == 1:
        return [f"for any use  {ANSWERS[uses[0].verdict]}: {uses[0].says}"]
    return [f"{NAMES[entry.use]:<{_WIDTH}}  {ANSWERS[entry.verdict]:<13}  {evidence(entry)}" for entry in uses]


def uses_sentences(uses: Sequence[UseVerdict]) -> list[str]:
    """The same, each as a sentence that stands among others."""
    return [f"{NAMES[entry.use]}: {ANSWERS[entry.verdict]}; {evidence(entry)}" for entry in uses]


def uses_rows(uses: Sequence[UseVerdict]) -> list[tuple[str, str, str]]:
    """The same as the cells of a table."""
    if len(uses) > 1 and len({(entry.verdict, entry.says) for entry in uses}) == 1:
        return [("any use", ANSWERS[uses[0].verdict], uses[0].says)]
    return [(NAMES[entry.use], ANSWERS[entry.verdict], evidence(entry)) for entry in uses]


def uses_table(uses: Sequence[UseVerdict]) -> Table:
    """The same as a node of a report."""
    rows = tuple(
        Row((use, (Span(answer, "strong" if answer == ANSWERS["no"] else "plain"),), rests_on))
        for use, answer, rests_on in uses_rows(uses)
    )
    return Table((Column("use"), Column("answer"), Column("evidence")), rows)


def evidence(entry: UseVerdict) -> str:
    """What an answer rests on, and how many labels would tell."""
    return entry.says if entry.more is None else f"{entry.says}; {asked(entry)}"


def asked(entry: UseVerdict) -> str:
    """How many labels would tell if it goes on like this."""
    if entry.more is None:
        return ""
    if entry.use == "compare" and entry.value is None:
        return f"label a second output of {counted(entry.more, 'case')}"
    if entry.use == "compare":
        return f"about {counted(entry.more, 'more pair')} of labelled outputs would tell"
    return f"about {counted(entry.more, 'more label')} would tell"


def answers_in_short(answers: Mapping[str, UseAnswer]) -> str:
    """All answers in one line."""
    return "; ".join(f"{name}: {ANSWERS[answers[use]]}" for use, name in NAMES.items() if use in answers)
