"""The numbers and letters of the published shapes, with their bounds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from evenhand.core.basics.methodology import HIGHEST, LOWEST


class AtLeast:
    """A bound for the JSON Schema; the generator asks every annotation for its part."""

    def __init__(self, low: int) -> None:
        self._bounds = {"minimum": low}

    def __get_pydantic_json_schema__(self, shape: Any, handler: Any) -> Any:
        return handler(shape) | self._bounds


class Between(AtLeast):
    """Bounds on both sides."""

    def __init__(self, low: int, high: int) -> None:
        super().__init__(low)
        self._bounds["maximum"] = high


Number = int | float
"""A JSON number with at most two decimals; weights may have more."""

Score = Annotated[Number, Between(LOWEST // 100, HIGHEST // 100)]
Weight = Annotated[Number, Between(0, 1)]
Letter = Literal["A+", "A", "A-", "B+", "B", "B-", "C+", "C", "C-", "D+", "D", "F"]
