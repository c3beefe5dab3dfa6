"""Where the names on a page lead: to other pages of the dashboard; in a file by itself, nowhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple


class Links(NamedTuple):
    """The addresses of evaluations by id, and of skills by name; empty where there is no such page."""

    evaluation: Callable[[str], str]
    skill: Callable[[str], str]


NO_LINKS: Final = Links(lambda id: "", lambda name: "")
