"""How labelled items were drawn, as far as it is recorded, and which labels an estimate may use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from evenhand.core.scorecard import DOUBT, SAMPLE
from evenhand.errors import InputError, Problem
from evenhand.files.tables import Row, Table
from evenhand.stats.trust.selection import doubts_of
from evenhand.store.protocol import Store
from evenhand.trust.labels.judged_items import JudgedItem

NOT_DECLARED = (
    "an estimate holds only if the labelled items were drawn at random from all judged ones; if they were, say so with "
    "`random_labels`; it is recorded where all come from one round of: evenhand trust review, or where a table "
    "has the chance of each item to be labelled in a column named probability"
)


def drawn_at_random(items: Sequence[JudgedItem], random_labels: bool) -> list[JudgedItem]:
    """The items with the labels of one random sample. InputError unless it is recorded or declared to be one.

    Labels of items that were chosen by doubt are left out if there is a round drawn at random, and refused if not.
    """
    labelled = [item for item in items if item.people]
    doubtful = sum(any(method == DOUBT for method, _ in item.rounds) for item in labelled)
    samples = Counter(round for item in labelled for method, round in item.rounds if method == SAMPLE)
    if doubtful and samples:
        chosen = min(samples, key=lambda round: (-samples[round], round))
        return [item if (SAMPLE, chosen) in item.rounds else item.unlabelled() for item in items]
    if doubtful:
        raise InputError(
            f"no estimate: {doubtful} of the labelled items were chosen for review by doubt, so they are not a random "
            "sample of all; review one with: evenhand trust review --sample N, or estimate the mean of the "
            "doubtful items alone with `doubtful`"
        )
    if not random_labels and (not labelled or max(samples.values(), default=0) < len(labelled)):
        raise InputError(NOT_DECLARED)
    return [*items]


def drawn_by_doubt(store: Store, items: Sequence[JudgedItem]) -> list[tuple[JudgedItem, float | None]]:
    """The items that were in doubt when the one round by doubt was drawn, and the chance of each that it chose.

    InputError when there is no such round, there are several, or the items it was drawn from cannot be told any more.
    """
    rounds = {round for item in items for method, round in item.rounds if method == DOUBT}
    if len(rounds) != 1:
        how = "several rounds" if rounds else "no round"
        raise InputError(f"no estimate: {how} of doubtful items were reviewed; `doubtful` needs exactly one")
    (id,) = rounds
    round = store.review_round(id)
    if round is None:
        raise InputError(f"no estimate: the round {id} was started in another store; estimate there")
    doubtful = [
        item
        for item in items
        if item.record.created <= round.created and doubts_of(item.record.document, item.record.final)
    ]
    if len(doubtful) != round.population:
        raise InputError(
            f"no estimate: the round {id} was drawn from {round.population} doubtful items, and {len(doubtful)} of "
            "this judge, rubric and skill are in the store; choose those it was drawn from with `skill`, `judge` and "
            "`rubric`"
        )
    kept = [item if (DOUBT, id) in item.rounds else item.unlabelled() for item in doubtful]
    return [(item, item.chances.get(id) if item.people else None) for item in kept]


def table_chances(table: Table) -> list[float | None] | None:
    """The chance of each row to be labelled, where a table records different ones; None where they are all the same.

    Every labelled row needs one, above 0 and at most 1.
    """
    if "probability" not in table.columns:
        return None
    problems: list[Problem] = []
    recorded = recorded_at_random(table)
    chances = [_chance(table, row, recorded, problems) for row in table.rows]
    if problems:
        raise InputError(problems)
    given = [chance for chance in chances if chance is not None]
    return None if all(left == right for left, right in pairwise(given)) else chances


def recorded_at_random(table: Table) -> bool:
    """Whether a table records the chance of its items to be labelled."""
    return "probability" in table.columns and any(row.cells["probability"] is not None for row in table.rows)


def _chance(table: Table, row: Row, recorded: bool, problems: list[Problem]) -> float | None:
    text = row.cells["probability"]
    if text is None:
        labelled = any(cell is not None for name, cell in row.cells.items() if name.startswith("people"))
        if labelled and recorded:
            problems.append(table.problem("this label has no probability; give its sampling probability", row))
        return None
    try:
        chance = float(text)
    except ValueError:
        chance = 0.0
    if not 0 < chance <= 1:
        problems.append(table.problem(f'probability is "{text}"; it must be above 0 and at most 1', row))
    return chance
