"""Our NamedTuple behaves as the one of `typing`, which it replaces because it is declared sooner."""

from __future__ import annotations

import copy
import pickle
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from every_case import every_case


class Ours(NamedTuple):
    """A score and its reason."""

    name: str
    score: int = 7
    reason: str | None = None

    @property
    def passed(self) -> bool:
        """Whether it is enough."""
        return self.score >= 7

    def __str__(self) -> str:
        return f"{self.name} {self.score}"


class Theirs(typing.NamedTuple):
    """A score and its reason."""

    name: str
    score: int = 7
    reason: str | None = None

    @property
    def passed(self) -> bool:
        """Whether it is enough."""
        return self.score >= 7

    def __str__(self) -> str:
        return f"{self.name} {self.score}"


class Derived(Ours):
    """A class derived from a record."""


def _matched(record: Any) -> object:
    match record:
        case Ours(name, score) | Theirs(name, score):
            return name, score
    return None


SAME: dict[str, Callable[[Any], object]] = {
    "by place": lambda kind: tuple(kind("a", 6, "r")),
    "by name": lambda kind: tuple(kind(score=6, name="a")),
    "defaults": lambda kind: tuple(kind("a")),
    "fields": lambda kind: (kind("a").name, kind("a").score, kind("a").reason),
    "names": lambda kind: (kind._fields, kind._field_defaults, kind.__doc__, kind.__module__),
    "shown": lambda kind: repr(kind("a")).removeprefix(kind.__name__),
    "text": lambda kind: str(kind("a")),
    "method": lambda kind: (kind("a").passed, kind("a", 6).passed),
    "equal to a tuple": lambda kind: kind("a") == ("a", 7, None),
    "hash": lambda kind: hash(kind("a")),
    "order": lambda kind: kind("a", 6) < kind("a", 7),
    "dictionary": lambda kind: kind("a")._asdict(),
    "replaced": lambda kind: tuple(kind("a")._replace(score=3)),
    "made": lambda kind: tuple(kind._make(["a", 1, "r"])),
    "copied": lambda kind: (type(copy.deepcopy(kind("a"))) is kind, tuple(copy.copy(kind("a")))),
    "pickled": lambda kind: pickle.loads(pickle.dumps(kind("a"))) == kind("a"),
    "matched": lambda kind: _matched(kind("a")),
    "annotations": lambda kind: list(kind.__annotations__),
    "no dictionary of its own": lambda kind: hasattr(kind("a"), "__dict__"),
    "a tuple": lambda kind: issubclass(kind, tuple),
}


@every_case("what", SAME)
def test_is_like_the_one_of_typing(what: str) -> None:
    assert SAME[what](Ours) == SAME[what](Theirs)


WRONG: dict[str, Callable[[Any], object]] = {
    "too few": lambda kind: kind(),
    "too many": lambda kind: kind("a", 1, "r", 4),
    "unknown": lambda kind: kind("a", grade="B"),
    "twice": lambda kind: kind("a", name="a"),
    "made of too few": lambda kind: kind._make(["a"]),
    "replaced unknown": lambda kind: kind("a")._replace(grade="B"),
    "assigned": lambda kind: setattr(kind("a"), "score", 3),
    "new attribute": lambda kind: setattr(kind("a"), "grade", "B"),
}


@pytest.mark.parametrize("what", WRONG)
def test_refuses_what_the_one_of_typing_refuses(what: str) -> None:
    errors = []
    for kind in (Ours, Theirs):
        with pytest.raises((TypeError, ValueError, AttributeError)) as caught:
            WRONG[what](kind)
        errors.append(caught.type)
    assert errors[0] is errors[1]


def test_a_field_without_a_default_cannot_follow_one_with() -> None:
    with pytest.raises(TypeError, match="Wrong: a field without a default"):
        type(Ours)(
            "Wrong", (NamedTuple,), {"__annotations__": {"a": "int", "b": "int"}, "a": 1, "__module__": __name__}
        )


def test_classes_with_as_many_fields_keep_their_names_and_defaults_apart() -> None:
    class First(NamedTuple):
        a: int
        b: int = 1

    class Second(NamedTuple):
        b: int
        a: int = 2

    assert (First(b=5, a=4), First(a=4)) == ((4, 5), (4, 1))
    assert (Second(b=5, a=4), Second(b=5)) == ((5, 4), (5, 2))


@pytest.mark.parametrize("count", [1, 2, 3, 12, 13, 14, 40])
def test_any_number_of_fields(count: int) -> None:
    """Constructors with 2 to 13 fields are written out, the others made; every value is in its own place."""
    fields = [f"field_{place}" for place in range(count)]
    body: dict[str, Any] = {"__annotations__": dict.fromkeys(fields, "int"), fields[-1]: -1, "__module__": __name__}
    made: Any = type(Ours)("Made", (NamedTuple,), body)
    assert made(*range(count)) == tuple(range(count))
    assert made(**{field: place for place, field in enumerate(reversed(fields))}) == tuple(reversed(range(count)))
    assert made(*range(count - 1)) == (*range(count - 1), -1)
    with pytest.raises(TypeError):
        made(*range(count + 1))


def test_a_derived_class_has_the_fields_of_its_base() -> None:
    assert Derived("a").score == 7
    assert Derived("a")._replace(score=3) == ("a", 3, None)
    assert type(Derived("a")._replace(score=3)) is Derived
