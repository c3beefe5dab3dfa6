"""Stage 1 of the plan: which rows can be scored, why the others cannot, and a row's numbers in whole hundredths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from evenhand.core.numbers import ALLOWED, HIGHEST_SCORE, LOWEST_SCORE, hundredths
from evenhand.core.rubric import Terms
from evenhand.core.rules import BONUS, DEDUCTION, DIMENSIONS
from evenhand.tables.columns import CLAIMS, Column, Layout
from evenhand.tables.dialect import Dialect

MOST = 999
"""The most flags or bonuses a count may claim: far more than any rubric lists, and small enough for a sort key."""


class Requirement(NamedTuple):
    """A condition every row must meet."""

    test: str
    """A condition that is true for a good row, and false or null for a bad one."""
    complaint: str
    """An expression for the reason that a bad row is given."""


class Claimed(NamedTuple):
    """The number and the total of a row's flags or bonuses, as expressions."""

    number: str
    """How many."""
    nominal: str
    """Before the cap, in hundredths (R9)."""


def requirements(terms: Terms, layout: Layout, sql: Dialect) -> Iterator[Requirement]:
    """Everything a row must meet, in the order of the columns."""
    for name in DIMENSIONS:
        yield _score_requirement(name, layout.roles[name], sql)
    for role in CLAIMS:
        if role in layout.roles:
            yield _claim_requirement(role, layout.roles[role], terms, sql)
    if layout.history:
        skill, created = layout.roles["skill"], layout.roles["created"]
        yield Requirement(f"{sql.name_of(skill.name)} IS NOT NULL", sql.text("skill is missing"))
        wrong = f"'created: ' || {sql.shown(created)} || ' is not a time'"
        test = f"{sql.time(created)} IS NOT NULL"
        yield Requirement(test, f"COALESCE({wrong}, {sql.text('created is missing')})")


def _score_requirement(name: str, column: Column, sql: Dialect) -> Requirement:
    """R4: a number from 1 to 10, never clamped."""
    number = sql.number(column)
    missing = sql.text(f"{name} is missing; a score is {ALLOWED}")
    wrong = f"'{name}: ' || {sql.shown(column)} || {sql.text(f' is not {ALLOWED}')}"
    test = f"{number} >= {LOWEST_SCORE} AND {number} <= {HIGHEST_SCORE}"
    if column.kind in ("double", "float"):
        # Parquet statistics leave NaN out, so an engine may skip the range check.
        test += f" AND {number} - {number} = 0"
    return Requirement(test, f"COALESCE({wrong}, {missing})")


def _claim_requirement(role: str, column: Column, terms: Terms, sql: Dialect) -> Requirement:
    """R7: ids that the rubric lists; or a count that is whole and not negative."""
    allowed = sql.text(f" is not a whole number from 0 to {MOST}")
    wrong_count = f"'{role}: ' || {sql.shown(column)} || {allowed}"
    if column.kind not in ("list", "text"):
        count = sql.name_of(column.name)
        whole = "" if column.kind == "integer" else f" AND {count} = FLOOR({count})"
        test = f"({count} IS NULL OR ({count} >= 0 AND {count} <= {MOST}{whole}))"
        return Requirement(test, wrong_count)
    valid = list(terms.red_flags if role == "red_flags" else terms.bonuses)
    noun = "red flag" if role == "red_flags" else "bonus"
    odd = sql.unlisted(column, valid)
    words = sql.text(f" is not a {noun} of rubric {terms.rubric}; valid ids: {', '.join(valid) or 'none'}")
    wrong_id = f"'{role}: ' || {odd} || {words}"
    if column.kind == "list":
        return Requirement(f"{odd} IS NULL", wrong_id)
    is_count = sql.is_count(column)
    test = f"(CASE WHEN {is_count} THEN {sql.count(column)} <= {MOST} ELSE {odd} IS NULL END)"
    return Requirement(test, f"CASE WHEN {is_count} THEN {wrong_count} ELSE {wrong_id} END")


def claimed(role: str, terms: Terms, layout: Layout, sql: Dialect) -> Claimed:
    """What a good row claims. A list counts each id once (R7); a count takes the usual amount for each (R8)."""
    column = layout.roles.get(role)
    if column is None:
        return Claimed("0", "0")
    if role == "red_flags":
        usual, amounts = DEDUCTION, {flag.id: hundredths(flag.deduction) for flag in terms.red_flags.values()}
    else:
        usual, amounts = BONUS, dict.fromkeys(terms.bonuses, BONUS)
    counted = Claimed(sql.count(column), f"{usual} * {sql.count(column)}")
    if column.kind not in ("list", "text"):
        return counted
    held = [(f"CASE WHEN {sql.holds(column, id)} THEN", amount) for id, amount in amounts.items()]
    count = " + ".join(f"{when} 1 ELSE 0 END" for when, _ in held) or "0"
    nominal = " + ".join(f"{when} {amount} ELSE 0 END" for when, amount in held) or "0"
    if column.kind == "list":
        return Claimed(count, nominal)
    when = f"CASE WHEN {sql.is_count(column)} THEN"
    return Claimed(f"{when} {counted.number} ELSE {count} END", f"{when} {counted.nominal} ELSE {nominal} END")
