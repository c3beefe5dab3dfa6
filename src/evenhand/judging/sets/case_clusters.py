"""Cases that belong together: of one task, one skill, one folder, or as a table says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath

from evenhand.errors import InputError, unknown
from evenhand.files.tables import read_table
from evenhand.judging.files import Named
from evenhand.judging.sets.case_pairs import without_run

FIELDS: dict[str, Callable[[Named], str | None]] = {
    "task": lambda entry: entry.card.task,
    "skill": lambda entry: entry.card.skill,
    "folder": lambda entry: None if entry.card.output is None else PurePath(entry.card.output).parent.name,
}
"""What an evaluation itself says it has in common with others."""

ID = "id"

COLUMN = "a column of a table with a column id: cases.csv:repository"


def read_clusters(choice: str) -> Callable[[Named], str]:
    """The cluster of an evaluation, by `task`, `skill`, `folder`, or a column of a table: `cases.csv:repository`."""
    if choice in FIELDS:
        return lambda entry: _field(choice, entry)
    if not _is_column(choice):
        raise InputError(f"{unknown('cluster', choice, FIELDS)}; or {COLUMN}")
    cluster_of = listed_clusters(choice)
    return lambda entry: cluster_of(entry.case)


def listed_clusters(choice: str) -> Callable[[str], str]:
    """The cluster of a case by its id, from a column of a table: `cases.csv:repository`."""
    if not _is_column(choice):
        raise InputError(f'unknown cluster "{choice}"; valid for the cases of a suite: {COLUMN}')
    file, _, column = choice.rpartition(":")
    table = read_table(file)
    for needed in (ID, column):
        if needed not in table.columns:
            raise table.refusal(unknown("column", needed, table.columns))
    clusters: dict[str, str] = {}
    for row in table.rows:
        case, cluster = row.cells[ID], row.cells[column]
        if case is None or cluster is None:
            raise table.refusal(f"has no {ID if case is None else column}", row)
        if clusters.setdefault(case.strip(), cluster.strip()) != cluster.strip():
            raise table.refusal(f'has the case "{case}" again, in another cluster', row)
    return lambda case: _listed(clusters, file, case)


def _is_column(choice: str) -> bool:
    file, colon, column = choice.rpartition(":")
    return bool(file and colon and column)


def same_clusters(cluster_of: Callable[[Named], str], members: Sequence[Sequence[Sequence[Named]]]) -> list[str]:
    """The cluster of each case. Refuses a case whose evaluations are in several."""
    found: list[str] = []
    for sides in members:
        clusters = {cluster_of(entry): entry for side in sides for entry in side}
        if len(clusters) > 1:
            first, second = [*clusters][:2]
            raise InputError(
                f'{[*clusters.values()][1].label}: evaluations of this case are in two clusters, "{first}" and '
                f'"{second}"; a case is in one'
            )
        found.extend(clusters)
    return found


def _field(choice: str, entry: Named) -> str:
    value = FIELDS[choice](entry)
    if value is None:
        what = "judged file" if choice == "folder" else choice
        raise InputError(f"{entry.source or entry.label}: it names no {what}, so it has no cluster")
    return value


def _listed(clusters: dict[str, str], file: str, case: str) -> str:
    for name in (case, without_run(case)):
        if name in clusters:
            return clusters[name]
    raise InputError(f'{file} has no row with the {ID} "{case}"; each case needs its cluster')
