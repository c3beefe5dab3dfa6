"""What a request asks for: the parameters of its address, read with a message for each mistake."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, NoReturn
from urllib.parse import quote_plus

from evenhand.errors import NUL, InputError
from evenhand.store.browsing import Key

FORMATS: Final = ("html", "json", "csv")
LONGEST: Final = 2000
"""Characters of a parameter."""


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
        if not tilde or not number.lstrip("-").isdigit() or not -(2**63) <= int(number[:25]) < 2**63:
            self._refuse(name)
        return Key(int(number), id)

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


def key_text(key: Key | None) -> str:
    """A place in a list as it is written in an address."""
    return "" if key is None else f"{key.completed}~{key.id}"
