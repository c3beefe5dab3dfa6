"""Which evaluations a list shows and in which order, as its address says; and how each row begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from evenhand.core.rules import GRADES
from evenhand.errors import InputError
from evenhand.store.figures.fault_counts import SEVERITIES
from evenhand.store.in_list import KINDS, STATES
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.store.tables.browsed_lists import Key, Listed, ScoreKey
from evenhand.store.tables.filter import KNOWN_FLAGS, NOT_GRADED, ORDERS, Filter, Order
from evenhand.web.parameters import Parameters

LOOKED_AT: Final = 200
"""The newest evaluations among which the choices of the filters are found."""

SKILLS: Final = 500
"""Skills that a field offers while someone types."""

FIELDS: Final = (
    "judge",
    "rubric",
    "version",
    "grade",
    "min",
    "max",
    "from",
    "to",
    "flag",
    "finding",
    "criterion",
    "tag",
    "state",
    "kind",
    "suite",
    "variant",
)
"""The parameters that narrow a list, the skill aside."""


def filter_of(parameters: Parameters, skill: str) -> Filter:
    """The filter of an address."""
    grade = parameters.text("grade")
    letters = [entry.letter for entry in GRADES]
    if grade and grade not in (*letters, NOT_GRADED):
        raise InputError(f'"grade" must be one of {", ".join(letters)}, {NOT_GRADED}')
    filter = Filter(
        skill=skill,
        judge=parameters.text("judge"),
        rubric=parameters.text("rubric"),
        version=parameters.text("version"),
        grade=grade,
        low=parameters.score("min"),
        high=parameters.score("max"),
        since=parameters.moment("from"),
        until=parameters.moment("to", end=True),
        flag=parameters.text("flag"),
        finding=parameters.text("finding"),
        criterion=parameters.text("criterion"),
        tag=parameters.text("tag"),
        state=_one_of("state", parameters.text("state"), STATES),
        kind=_one_of("kind", parameters.text("kind"), KINDS),
        suite=parameters.text("suite"),
        variant=parameters.text("variant"),
    )
    if filter.low is not None and filter.high is not None and filter.low > filter.high:
        raise InputError('"min" must not be above "max"')
    if filter.since is not None and filter.until is not None and filter.since >= filter.until:
        raise InputError('"from" must not be after "to"')
    return filter


def _one_of(name: str, value: str, valid: Sequence[str]) -> str:
    if value and value not in valid:
        raise InputError(f'"{name}" must be one of {", ".join(valid)}')
    return value


def chosen(parameters: Parameters, *names: str) -> dict[str, str]:
    """The parameters of a list that are given, as the address says them."""
    return {name: value for name in (*names, *FIELDS) if (value := parameters.text(name))}


def order_of(parameters: Parameters) -> Order:
    """The order of a list."""
    return ORDERS[ORDERS.index(parameters.one_of("sort", ORDERS))]


def place_of(parameters: Parameters, order: Order) -> Key | ScoreKey | None:
    """Where a part of a list begins."""
    return parameters.score_key("before") if order in ("best", "worst") else parameters.key("before")


def headings(parameters: Parameters, order: Order) -> dict[str, dict[str, str]]:
    """The headings that change the order: where each leads, and how the list is sorted by it now."""
    made = {}
    for name, first, second in (("when", "newest", "oldest"), ("final", "best", "worst")):
        follows = second if order == first else first
        address = parameters.address(sort=None if follows == ORDERS[0] else follows, before=None)
        sorted_by = {first: "descending", second: "ascending"}.get(order, "none")
        made[name] = {"address": address, "sorted": sorted_by, "next": f"{follows} first"}
    return made


def holds(filter: Filter, document: Mapping[str, Any]) -> bool:
    """Whether a scorecard has what only its document tells: a red flag, a fault of a check, a criterion not met."""
    flags, findings = document.get("red_flags") or (), document.get("findings") or ()
    lines = (document.get("dimensions") or {}).values()
    red_flag = filter.flag if filter.flag not in KNOWN_FLAGS else ""
    faults = [finding.get("check") for finding in findings if finding.get("severity") in SEVERITIES]
    return (
        (not red_flag or any(flag.get("id") == red_flag for flag in flags))
        and (not filter.finding or filter.finding in faults)
        and (not filter.criterion or any(_misses(line.get("criteria"), filter.criterion) for line in lines))
    )


def _misses(criteria: Any, id: str) -> bool:
    """Whether a criterion of this name is among some, or in a group among them, and is not wholly met."""
    if isinstance(criteria, Mapping):
        if criteria.get("id") == id and criteria.get("verdict") in ("no", "partly"):
            return True
        return _misses(criteria.get("criteria"), id)
    return (
        isinstance(criteria, Sequence)
        and not isinstance(criteria, str)
        and any(_misses(criterion, id) for criterion in criteria)
    )


def choices_of(store: Store, skill: str = "") -> dict[str, list[tuple[str, str]]]:
    """What can be chosen in filters: each value and its words, those used last first."""
    rows: Sequence[Listed] = store.listing(Filter(skill), limit=LOOKED_AT).rows
    judges = {row.judge_name: row.judge_name for row in rows if row.judge_name}
    rubrics = {row.rubric: row.rubric for row in rows if row.rubric}
    versions = {row.rubric_sha256: f"{row.rubric} {row.rubric_sha256[:8]}" for row in rows if row.rubric}
    return {
        "judge": list(judges.items()),
        "rubric": list(rubrics.items()),
        "version": [(sha256[:16], words) for sha256, words in versions.items()],
    }


GRADE_CHOICES: Final = [*((entry.letter, entry.letter) for entry in GRADES), (NOT_GRADED, "not graded")]
FLAG_CHOICES: Final = KNOWN_FLAGS


def is_asked_for(filter: Filter, record: Record | Listed) -> bool:
    """Whether an evaluation that the store found is one that the filter asks for."""
    return not (filter.needs_documents and isinstance(record, Record)) or holds(filter, record.document)
