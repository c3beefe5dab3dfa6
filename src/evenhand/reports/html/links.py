"""Where the names on a page lead: to other pages of the dashboard; in a file by itself, nowhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple


class Links(NamedTuple):
    """The addresses of evaluations by id, of skills by name, and of comparisons; empty where there is no such page."""

    evaluation: Callable[[str], str]
    skill: Callable[[str], str]
    compare: Callable[[Sequence[str], Sequence[str]], str] = lambda before, after: ""
    """The link to the comparison of evaluations with others, by their ids."""


NO_LINKS: Final = Links(lambda id: "", lambda name: "")
