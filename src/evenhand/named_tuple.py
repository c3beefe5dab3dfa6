"""`NamedTuple` that is declared quickly. Pure.

`typing.NamedTuple` compiles every annotation and a constructor for every class. For the records on the way of `score`
that takes longer than Python itself takes to start. Here annotations are left to mypy, and classes with the same number
of fields share the code of their constructor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from functools import cache
    from operator import itemgetter
    from types import FunctionType

    try:
        from _collections import _tuplegetter  # the descriptor that `collections.namedtuple` uses where there is one
    except ImportError:

        def _tuplegetter(place: int, description: str) -> property:
            return property(itemgetter(place), doc=description)

    class _Declared(type):
        """Makes a tuple with named places of a class body with annotated fields, defaults and methods."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            if hasattr(bases[0], "_fields"):  # derived from a declared one, as from any class
                return super().__new__(cls, name, bases, body)
            if bases[0] is not tuple:
                fields = tuple(body["__annotations__"])
                defaults = {field: body[field] for field in fields if field in body}
                if tuple(defaults) != fields[len(fields) - len(defaults) :]:
                    raise TypeError(f"{name}: a field without a default follows one that has one")
                body |= {field: _tuplegetter(place, f"Field {place}") for place, field in enumerate(fields)}
                body |= {"_fields": fields, "__match_args__": fields, "_field_defaults": defaults}
                body["__new__"] = _constructor(name, fields, tuple(defaults.values()))
            body["__slots__"] = ()
            return super().__new__(cls, name, bases, body)

    class NamedTuple(tuple, metaclass=_Declared):
        """The base to declare a tuple with named places."""

        @classmethod
        def _make(cls, values: Any) -> Any:
            record = tuple.__new__(cls, values)
            if len(record) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(record)}")
            return record

        def _replace(self, **changes: Any) -> Any:
            record = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"Got unexpected field names: {list(changes)!r}")
            return record

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self) -> str:
            values = ", ".join(f"{field}={value!r}" for field, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({values})"

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

    def _constructor(name: str, fields: tuple[str, ...], defaults: tuple[Any, ...]) -> Any:
        shared = _shared_constructor(len(fields))
        code = shared.__code__.replace(co_varnames=("_cls", *fields), co_name="__new__", co_qualname=name)
        return FunctionType(code, shared.__globals__, "__new__", defaults)

    _new = tuple.__new__
    _WRITTEN_OUT = {
        constructor.__code__.co_argcount - 1: constructor
        for constructor in (
            lambda _cls, a, b: _new(_cls, (a, b)),
            lambda _cls, a, b, c: _new(_cls, (a, b, c)),
            lambda _cls, a, b, c, d: _new(_cls, (a, b, c, d)),
            lambda _cls, a, b, c, d, e: _new(_cls, (a, b, c, d, e)),
            lambda _cls, a, b, c, d, e, f: _new(_cls, (a, b, c, d, e, f)),
            lambda _cls, a, b, c, d, e, f, g: _new(_cls, (a, b, c, d, e, f, g)),
            lambda _cls, a, b, c, d, e, f, g, h: _new(_cls, (a, b, c, d, e, f, g, h)),
            lambda _cls, a, b, c, d, e, f, g, h, i: _new(_cls, (a, b, c, d, e, f, g, h, i)),
            lambda _cls, a, b, c, d, e, f, g, h, i, j: _new(_cls, (a, b, c, d, e, f, g, h, i, j)),
            lambda _cls, a, b, c, d, e, f, g, h, i, j, k: _new(_cls, (a, b, c, d, e, f, g, h, i, j, k)),
            lambda _cls, a, b, c, d, e, f, g, h, i, j, k, m: _new(_cls, (a, b, c, d, e, f, g, h, i, j, k, m)),
            lambda _cls, a, b, c, d, e, f, g, h, i, j, k, m, n: _new(_cls, (a, b, c, d, e, f, g, h, i, j, k, m, n)),
        )
    }
    """Constructors by the number of fields: Python has compiled these, once, with this module."""

    @cache
    def _shared_constructor(count: int) -> Any:
        """A constructor with so many fields, whatever their names."""
        places = "".join(f"f{place}, " for place in range(count))
        return _WRITTEN_OUT.get(count) or eval(f"lambda _cls, {places}: _new(_cls, ({places}))", {"_new": _new})


__all__ = ["NamedTuple"]
