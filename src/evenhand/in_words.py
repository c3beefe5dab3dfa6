"""Numbers and times in sentences: plurals, durations, amounts of money."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal


def plural(number: int, noun: str, several: str = "") -> str:
    """A noun, or words with their verb, as a number needs them: case or cases, row is or rows are."""
    return noun if number == 1 else several or f"{noun}s"


def counted(number: int, noun: str, several: str = "") -> str:
    """A number with its noun: 1 case, 1,200 cases."""
    return f"{number:,} {plural(number, noun, several)}"


def listed(names: Iterable[str], word: str = "and") -> str:
    """Names in a sentence: "a, b and c"."""
    *most, last = names
    return f"{', '.join(most)} {word} {last}" if most else last


def duration(seconds: float) -> str:
    """A time in words: 45 s, 2 min 5 s, 3 h 10 min."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [
        f"{hours} h" if hours else "",
        f"{minutes} min" if minutes else "",
        f"{rest} s" if rest and not hours else "",
    ]
    return " ".join(filter(None, parts)) or "0 s"


def stopwatch(seconds: float) -> str:
    """A time that runs: 0:45, 3:10:00."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def dollars(cost: Decimal | None, places: int = 4) -> str:
    """A cost, or that it is unknown."""
    return "cost unknown" if cost is None else f"${cost:.{places}f}"
