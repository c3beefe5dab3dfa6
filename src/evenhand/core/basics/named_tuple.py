"""`NamedTuple` without a check of its annotations. Pure.

`typing.NamedTuple` compiles every annotation to see whether it may be a type, which mypy knows already. For the records
that `score` needs this takes longer than Python itself takes to start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from collections import namedtuple

    class _Declared(type):
        """Turns a class body of annotated fields, defaults and methods into a named tuple."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = body["__annotations__"]
            defaults = [body.pop(field) for field in fields if field in body]
            declared = namedtuple(name, fields, defaults=defaults, module=body.pop("__module__"))
            for key, value in body.items():
                setattr(declared, key, value)
            return declared

    class NamedTuple(metaclass=_Declared):
        """The base to declare a named tuple with."""


__all__ = ["NamedTuple"]
