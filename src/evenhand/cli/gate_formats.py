"""A gate's result: its exit code, and every format but the terminal's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from evenhand.cli.shared import BAD_INPUT, DONE, NOT_SCORED, SAID_NO, indented, one_line, say
from evenhand.core.history.gate import Outcome, Ruling, outcome
from evenhand.errors import InputError
from evenhand.judging.files import Named

if TYPE_CHECKING:
    from evenhand.reports.ci.github import GateRow
    from evenhand.reports.ci.junit import Case


class GateResult(NamedTuple):
    """What a gate looked at, and what it ruled."""

    cards: Sequence[Named]
    rulings: Sequence[Ruling]
    """One for each scorecard if there are limits, then one on all of them if there is a baseline."""
    errors: Sequence[InputError]

    @property
    def outcome(self) -> Outcome:
        return outcome(self.rulings, len(self.errors))


def gate_code(rulings: Sequence[Ruling], errors: int = 0) -> int:
    """The exit code: 1 when the gate is red, 2 when something could not be read, 3 when something has no score."""
    colours = {ruling.colour for ruling in rulings}
    if "red" in colours:
        return SAID_NO
    return BAD_INPUT if errors else NOT_SCORED if "unscored" in colours else DONE


def end_gate(rulings: Sequence[Ruling]) -> int:
    """Say what the rulings of a suite's gate come to, if it has one; returns the exit code."""
    if rulings:
        say(outcome(rulings).says)
    return gate_code(rulings)


def gate_text(result: GateResult, format: str) -> str:
    """The result in a format."""
    return FORMATS[format](result)


def _json(result: GateResult) -> str:
    return indented(
        {
            "schema": "evenhand/gate/v1",
            "red": result.outcome.word == "red",
            "rulings": [ruling._asdict() for ruling in result.rulings],
            "errors": [str(error) for error in result.errors],
        }
    )


def _jsonl(result: GateResult) -> str:
    return "".join(one_line(ruling._asdict()) for ruling in result.rulings)


def _cases(result: GateResult) -> list[Case]:
    from evenhand.reports.ci.junit import Case, ruling_case

    unread = [Case(str(error.problems[0].source), "gate", error=str(error)) for error in result.errors]
    return [*map(ruling_case, result.rulings), *unread]


def _junit(result: GateResult) -> str:
    from evenhand.reports.ci.junit import junit_xml

    return junit_xml("evenhand gate", _cases(result))


def _ctrf(result: GateResult) -> str:
    from evenhand.clock import microseconds, now
    from evenhand.reports.ci.ctrf import ctrf_document

    moment = microseconds(now()) // 1000
    return indented(ctrf_document("evenhand gate", _cases(result), moment=moment))


def _sarif(result: GateResult) -> str:
    from evenhand.cli.locations import located_remarks
    from evenhand.reports.ci.sarif import sarif_document

    return indented(sarif_document(located_remarks(entry.card for entry in result.cards)))


def _otlp(result: GateResult) -> str:
    from evenhand.reports.otlp import otlp_document

    return one_line(otlp_document(entry.card for entry in result.cards))


def _github(result: GateResult) -> str:
    from evenhand.cli.locations import located_remarks
    from evenhand.reports.ci.github import annotation_lines

    remarks = located_remarks(entry.card for entry in result.cards)
    lines = annotation_lines(gate_rows(result), remarks, map(str, result.errors))
    return "".join(f"{line}\n" for line in lines)


def _markdown(result: GateResult) -> str:
    from evenhand.reports.markdown import lines_markdown

    return lines_markdown([f"{ruling.colour}: {ruling.name}: {ruling.says}" for ruling in result.rulings])


def _html(result: GateResult) -> str:
    from evenhand.reports.html.gate import gate_page

    named = [(entry.label, entry.card) for entry in result.cards]
    return gate_page(result.outcome.word, result.rulings, named, [str(error) for error in result.errors])


def gate_rows(result: GateResult) -> list[GateRow]:
    """A row for each scorecard with its ruling, and one for the baseline."""
    from evenhand.reports.ci.github import GateRow

    one_per_card = len(result.rulings) >= len(result.cards)
    rows = [
        GateRow(entry.label, result.rulings[place] if one_per_card else None, entry.card)
        for place, entry in enumerate(result.cards)
    ]
    others = result.rulings[len(result.cards) :] if one_per_card else result.rulings
    return [*rows, *(GateRow(ruling.name, ruling, None) for ruling in others)]


FORMATS: dict[str, Callable[[GateResult], str]] = {
    "json": _json,
    "jsonl": _jsonl,
    "junit": _junit,
    "ctrf": _ctrf,
    "sarif": _sarif,
    "github": _github,
    "otlp": _otlp,
    "markdown": _markdown,
    "html": _html,
}
