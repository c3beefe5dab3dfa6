"""Which column of a table holds which role, as --map says."""

from __future__ import annotations

from evenhand.errors import InputError


def roles_of(mapped: tuple[str, ...]) -> dict[str, str]:
    """The columns by role: {"correctness": "acc"}."""
    pairs = {}
    for pair in mapped:
        role, _, column = pair.partition("=")
        if not role or not column:
            raise InputError(f'--map "{pair}" is not ROLE=COLUMN, such as correctness=acc')
        pairs[role] = column
    return pairs
