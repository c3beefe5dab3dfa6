"""Kinds of options. Each reads a value in the same way, whether it was typed, written in a file or passed from Python.

An option is a descriptor: the class that declares it gives its default, an instance the value that was read. Type
checkers take from `__set__` what may be given and from `__get__` what is kept, so that a price may be given as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar, Generic, Protocol, TypeVar, runtime_checkable

from evenhand.core.numbers import exact
from evenhand.errors import NUL, InputError, shortened, unknown

Given = TypeVar("Given")
Kept = TypeVar("Kept")


class Option(Generic[Given, Kept]):
    """One option: its name, default, limits and the sentence about it that every door shows."""

    metavar: ClassVar = "TEXT"
    schema: Mapping[str, Any] = {"type": "string"}
    """As JSON Schema."""

    def __init__(
        self, default: Kept, sentence: str, *, used_by: str, usually: str = "", metavar: str = "", asked: bool = False
    ) -> None:
        """`used_by` names the commands and files that take it; `usually` says what happens without it.

        `asked` options decide what a model is asked and where; the others limit a run or say where things are kept.
        """
        self.name = ""
        self.default = default
        self.sentence = sentence
        self.used_by = frozenset(used_by.split())
        self.usually = usually or ("" if default is None or default is False else str(default))
        self.asked = asked
        self.value_name = metavar or self.metavar

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object | None, owner: type | None = None) -> Kept:
        if instance is None:
            return self.default
        kept: Kept = instance.__dict__[self.name]
        return kept

    def __set__(self, instance: object, value: Given) -> None:
        try:
            instance.__dict__[self.name] = self.default if value is None else self.read(value)
        except ValueError as error:
            raise InputError(f"{self.name}: {error}") from None

    @property
    def limits(self) -> str:
        """The limits in words; empty without any."""
        return ""

    @property
    def help(self) -> str:
        """The sentence with the limits and the default."""
        limits = f" ({self.limits})" if " to " in self.limits else ""
        default = f" Default: {self.usually}." if self.usually else ""
        return f"{self.sentence.removesuffix('.')}{limits}.{default}"

    def read(self, value: Any) -> Any:
        """The value as it is kept. ValueError, which says what is valid, when it is not one of this kind."""
        raise NotImplementedError


class Flag(Option[bool | None, bool]):
    """Yes or no."""

    schema: Mapping[str, Any] = {"type": "boolean"}

    def __init__(self, sentence: str, *, used_by: str, asked: bool = False) -> None:
        super().__init__(False, sentence, used_by=used_by, asked=asked)

    def read(self, value: Any) -> bool:
        """True or False, and nothing that is merely true."""
        if not isinstance(value, bool):
            raise ValueError(f"{_short(value)} is not true or false")
        return value


class Whole(Option["int | str | None", Kept]):
    """A whole number within limits."""

    metavar = "NUMBER"

    def __init__(
        self, default: Kept, sentence: str, *, low: int, high: int | None = None, used_by: str, usually: str = "",
        asked: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(default, sentence, used_by=used_by, usually=usually, asked=asked)
        self.low, self.high = low, high
        most = {} if high is None else {"maximum": high}
        self.schema = {"type": "integer", "minimum": low} | most

    @property
    def limits(self) -> str:
        """From the lowest to the highest."""
        return f"{self.low} or more" if self.high is None else f"{self.low} to {self.high}"

    def read(self, value: Any) -> int:
        """The number, also from its digits."""
        number = _number(value)
        within = number is not None and number >= self.low and (self.high is None or number <= self.high)
        if number is None or not within or number != int(number):
            raise ValueError(f"{_short(value)} is not valid; give a whole number, {self.limits}")
        return int(number)


class Fraction(Option["float | str | None", "float | None"]):
    """A number within limits, with decimals."""

    metavar = "NUMBER"

    def __init__(self, sentence: str, *, low: int, high: int, used_by: str, usually: str, asked: bool = False) -> None:
        super().__init__(None, sentence, used_by=used_by, usually=usually, asked=asked)
        self.low, self.high = low, high
        self.schema = {"type": "number", "minimum": low, "maximum": high}

    @property
    def limits(self) -> str:
        """From the lowest to the highest."""
        return f"{self.low} to {self.high}"

    def read(self, value: Any) -> float:
        """The number, also from its digits."""
        number = _number(value)
        if number is None or not self.low <= number <= self.high:
            raise ValueError(f"{_short(value)} is not valid; give a number, {self.limits}")
        return float(number)


class Dollars(Option["Decimal | float | str | None", "Decimal | None"]):
    """An amount of US dollars."""

    metavar = "DOLLARS"
    schema: Mapping[str, Any] = {"anyOf": [{"type": "number", "minimum": 0}, {"type": "string"}]}

    def __init__(self, sentence: str, *, used_by: str) -> None:
        super().__init__(None, sentence, used_by=used_by)

    def read(self, value: Any) -> Decimal:
        """The exact amount, with or without a dollar sign."""
        try:
            amount = exact(value.strip().removeprefix("$") if isinstance(value, str) else value)
        except ValueError:
            amount = Decimal(-1)
        if amount < 0:
            raise ValueError(f"{_short(value)} is not an amount; give US dollars, such as 2.50")
        return amount


class PerMillion(Option["str | tuple[Decimal, Decimal] | None", "tuple[Decimal, Decimal] | None"]):
    """What a model costs: US dollars for a million tokens read, and for a million written."""

    metavar = "IN/OUT"
    schema: Mapping[str, Any] = {"type": "string", "pattern": r"^\$?\d+(\.\d+)?/\$?\d+(\.\d+)?$"}

    def __init__(self, sentence: str, *, used_by: str, usually: str) -> None:
        super().__init__(None, sentence, used_by=used_by, usually=usually)

    def read(self, value: Any) -> tuple[Decimal, Decimal]:
        """Both exact amounts."""
        parts = value.split("/") if isinstance(value, str) else value
        try:
            read, written = (exact(one.strip().removeprefix("$") if isinstance(one, str) else one) for one in parts)
        except (TypeError, ValueError):
            read = written = Decimal(-1)
        if read < 0 or written < 0:
            raise ValueError(f"{_short(value)} is not a price; give US dollars per million tokens, such as 2.50/10")
        return read, written


class Text(Option["str | None", "str | None"]):
    """A text that is not empty."""

    def __init__(self, sentence: str, *, metavar: str, used_by: str, usually: str = "", asked: bool = False) -> None:
        super().__init__(None, sentence, used_by=used_by, usually=usually, metavar=metavar, asked=asked)

    def read(self, value: Any) -> str:
        """The text as it is."""
        if not isinstance(value, str):
            raise ValueError(f"{_short(value)} is not text")
        if not value.strip():
            raise ValueError("it is empty")
        if "\0" in value:
            raise ValueError(f"it {NUL}")
        return value


class Language(Text):
    """The name of a language. It becomes part of the prompt, so it may not be a sentence."""

    def read(self, value: Any) -> str:
        """The name as it is."""
        import re

        name = value if value == "" else super().read(value)
        if not re.fullmatch(r"[^\W\d_][^\W_]*(?:[ -][^\W_]+){0,3}", name) or len(name) > 40:
            raise ValueError(f'"{name[:60]}" is not the name of a language; give one such as German, pt-BR or 日本語')
        return name


@runtime_checkable
class PathLike(Protocol):
    """A path, as the standard library's `os.PathLike`: `core` knows no files."""

    def __fspath__(self) -> str: ...


class File(Option["str | PathLike | None", "str | None"]):
    """A path; the text `none` stands for no file at all."""

    metavar = "FILE"

    def __init__(self, sentence: str, *, used_by: str, metavar: str = "", usually: str = "") -> None:
        super().__init__(None, sentence, used_by=used_by, metavar=metavar, usually=usually)

    def read(self, value: Any) -> str | None:
        """The path as text."""
        if not isinstance(value, str | PathLike):
            raise ValueError(f"{_short(value)} is not a path")
        path = value if isinstance(value, str) else value.__fspath__()
        if not path:
            raise ValueError("it is empty")
        return None if path == "none" else path


class Choice(Option["str | None", "str | None"]):
    """One of several words."""

    def __init__(self, choices: tuple[str, ...], sentence: str, *, used_by: str = "", usually: str = "") -> None:
        super().__init__(None, sentence, used_by=used_by, usually=usually, metavar="|".join(choices))
        self.choices = choices
        self.schema = {"enum": list(choices)}

    def read(self, value: Any) -> str:
        """The word as it is."""
        word = str(value)
        if word not in self.choices:
            raise ValueError(unknown("value", word, list(self.choices)))
        return word


class Many(Option["tuple[str, ...] | None", "tuple[str, ...]"]):
    """Values of one kind, each given by itself or as a list."""

    def __init__(self, kind: Option[Any, Any]) -> None:
        super().__init__((), kind.sentence, used_by=" ".join(kind.used_by), metavar=kind.value_name, usually="none")
        self.kind = kind
        self.schema = {"type": "array", "items": kind.schema}

    def read(self, value: Any) -> tuple[str, ...]:
        """All of them."""
        return tuple(self.kind.read(one) for one in (value if isinstance(value, (list, tuple)) else [value]))


def _number(value: Any) -> Decimal | None:
    """The exact number, also from its digits; None for what is not one."""
    try:
        return exact(value)
    except ValueError:
        return None


def _short(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()  # as in every file it may come from
    return shortened(f'"{value}"' if isinstance(value, str) else str(value), 40)
