"""What a request asks for: the parameters of its address, read with a message for each mistake."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final, NamedTuple, NoReturn
from urllib.parse import quote_plus

from evenhand.errors import NUL, InputError
from evenhand.store.tables.browsed_lists import Key, ScoreKey

FORMATS: Final = ("html", "json", "csv")
LONGEST: Final = 2000
"""Characters of a parameter."""


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SCORE: Final = re.compile(r"[0-9]{1,2}(\.[0-9]{1,2})?", re.ASCII)

_PLAIN: Final = re.compile(r"[A-Za-z0-9_.~-]*", re.ASCII)
"""What needs no quoting; lists hold hundreds of such values."""


class NotFound(Exception):
    """What was asked for is not there; the message says what to do."""


class Parameters(NamedTuple):
    """The parameters of one request."""

    path: str
    values: Mapping[str, tuple[str, ...]]

    def text(self, name: str) -> str:
        """A parameter, or the empty text."""
        values = self.values.get(name, ())
        if len(values) > 1:
            raise InputError(f'"{name}" is given {len(values)} times; give it once')
        return self._checked(name, values[0]) if values else ""

    def texts(self, name: str) -> list[str]:
        """Every value of a parameter that may be repeated, empty ones left out."""
        return [self._checked(name, value) for value in self.values.get(name, ()) if value]

    def needed(self, name: str, what: str) -> str:
        """A parameter without which there is nothing to show."""
        value = self.text(name)
        if not value:
            raise InputError(f'this page needs {what}: add "?{name}=..." to its address')
        return value

    def number(self, name: str, default: int, *, most: int) -> int:
        """A whole number from 1 on."""
        value = self.text(name)
        if not value:
            return default
        if not (value.isascii() and value.isdigit() and len(value) < 20) or not 1 <= int(value) <= most:
            raise InputError(f'"{name}" must be a whole number from 1 to {most}')
        return int(value)

    def key(self, name: str) -> Key | None:
        """A place in a long list."""
        value = self.text(name)
        if not value:
            return None
        number, tilde, id = value.partition("~")
        if not tilde:
            self._refuse(name)
        return Key(self._whole(name, number), id)

    def score_key(self, name: str) -> ScoreKey | None:
        """A place in a list by final score."""
        value = self.text(name)
        if not value:
            return None
        final, _, rest = value.partition("~")
        completed, tilde, id = rest.partition("~")
        if not tilde:
            self._refuse(name)
        return ScoreKey(self._whole(name, final), self._whole(name, completed), id)

    def moment(self, name: str, *, end: bool = False) -> int | None:
        """A date, or a moment, in microseconds since 1970; with `end`, a date stands for the end of its day."""
        value = self.text(name).strip()
        if not value:
            return None
        try:
            read = datetime.fromisoformat(value)
            read = read if read.tzinfo is not None else read.replace(tzinfo=UTC)
            if end and len(value) <= len("2026-01-31"):
                read += timedelta(days=1)
            return (read - _EPOCH) // timedelta(microseconds=1)
        except (ValueError, OverflowError):
            raise InputError(
                f'"{name}" must be a date such as 2026-01-31, or a moment such as 2026-01-31T12:00Z'
            ) from None

    def score(self, name: str) -> int | None:
        """A score from 0 to 10 with at most two decimals, in hundredths."""
        value = self.text(name).strip()
        if not value:
            return None
        if not _SCORE.fullmatch(value) or Decimal(value) > 10:
            raise InputError(f'"{name}" must be a score from 0 to 10, such as 7 or 6.5')
        return int(Decimal(value) * 100)

    def one_of(self, name: str, allowed: Sequence[str]) -> str:
        """A parameter that is one of these words; the first if none is given."""
        value = self.text(name) or allowed[0]
        if value not in allowed:
            raise InputError(f'"{name}" must be one of {", ".join(allowed)}')
        return value

    @property
    def format(self) -> str:
        """How to answer."""
        value = self.text("format") or "html"
        if value not in FORMATS:
            raise InputError(f'"format" must be one of {", ".join(FORMATS)}')
        return value

    def address(self, **changes: str | None) -> str:
        """The address of this page with some parameters changed, or left out if None."""
        kept = [(name, value) for name, values in self.values.items() for value in values if name not in changes]
        return link(self.path, [*kept, *((name, value) for name, value in changes.items() if value)])

    def _whole(self, name: str, number: str) -> int:
        digits = number.removeprefix("-")
        if not (digits.isascii() and digits.isdigit()) or len(digits) > 19 or not -(2**63) <= int(number) < 2**63:
            self._refuse(name)
        return int(number)

    def _refuse(self, name: str) -> NoReturn:
        raise InputError(f'"{name}" is not a place in this list; go back to its first page')

    def _checked(self, name: str, value: str) -> str:
        if "\0" in value:
            raise InputError(f'"{name}" {NUL}')
        if len(value) > LONGEST:
            raise InputError(f'"{name}" is longer than {LONGEST} characters')
        return value


def quoted(value: str) -> str:
    """A value as written in an address."""
    return value if _PLAIN.fullmatch(value) else quote_plus(value, errors="replace")


def link(path: str, parameters: Iterable[tuple[str, str]] | Mapping[str, str]) -> str:
    """An address on this server; names may hold anything, so they are parameters and never parts of a path."""
    pairs = parameters.items() if isinstance(parameters, Mapping) else parameters
    query = "&".join([f"{quoted(name)}={quoted(value)}" for name, value in pairs if value])
    return f"{path}?{query}" if query else path


def key_text(key: Key | ScoreKey | None) -> str:
    """A place in a list as it is written in an address."""
    return "" if key is None else "~".join(map(str, key))
