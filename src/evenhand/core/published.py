"""What annotations say of a field's published form; `files.codec` says which facts there are. Nothing here computes."""

from collections.abc import Callable
from typing import Annotated, Any, Final, TypeVar

from evenhand.core.rules import DIMENSIONS, GRADES, HIGHEST, LOWEST

ALWAYS: Final = {"always": True}


SCORE: Final = {"minimum": LOWEST // 100, "maximum": HIGHEST // 100}


NO_NUL: Final = {"nul": False}
"""Of what things are looked up by or compared with."""
CENTS: Final = {**SCORE, "places": 2}


BARE: Final = {"point": False}


SHARE: Final = {"minimum": 0, "maximum": 1}


LETTERS: Final = {"enum": tuple(grade.letter for grade in GRADES)}


SOURCE: Final = {"file": "source", "line": "source_line"}
"""A place in the transcript's file, beside a quote from it."""


EVENT: Final = {"file": "event_source", "line": "event_line"}
"""The place of the event that contradicts a quote."""


Count = Annotated[int, {"minimum": 0}]


DOLLARS: Final = {"minimum": 0}


SIX_PLACES: Final = {"places": 6}


SixPlaces = Annotated[float, SIX_PLACES]


_Getter = TypeVar("_Getter", bound=Callable[[Any], Any])


def published(getter: _Getter) -> _Getter:
    """Marks a property that is published beside the fields; it is computed, and never read."""
    getter.published = True  # type: ignore[attr-defined]
    return getter


def _dimension(value: object) -> str:
    if not isinstance(value, str) or value not in DIMENSIONS:
        raise ValueError(f"it must be one of the dimensions: {', '.join(DIMENSIONS)}")
    return value


Dimension = Annotated[str, {"read": _dimension}]


def at_least(low: int) -> Callable[[object], int]:
    def read(value: object) -> int:
        if type(value) is not int or value < low:
            raise ValueError(f"it must be a whole number from {low}")
        return value

    return read
