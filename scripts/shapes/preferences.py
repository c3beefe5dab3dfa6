"""The published shape of a comparison of systems, pair by pair. Nothing here runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

from evenhand.decisions.preference import Interval, PairCalls, Preferences, Strength, Tally
from evenhand.decisions.preferences import SCHEMA
from shapes.record_types import shape_of

if TYPE_CHECKING:
    ShareDocument = dict[str, Any]
    PreferencesDocument = dict[str, Any]
else:
    ShareDocument = shape_of(Interval)


class PositionDocument(TypedDict):
    """How often a judge preferred what it was shown first, among its verdicts that prefer one; and the sign test on the
    pairs whose verdict changed with the order."""

    judge: str
    preferences: int
    first: int
    share: ShareDocument | None
    flips_to_first: NotRequired[int]
    flips_to_second: NotRequired[int]
    p: NotRequired[float | None]
    favours: NotRequired[Literal["first", "second"] | None]


if not TYPE_CHECKING:
    PreferencesDocument = shape_of(
        Preferences,
        SCHEMA,
        contrasts=list[dict[str, Any]],
        tallies=list[shape_of(Tally, a=str, b=str, win_rate=ShareDocument | None)],
        strengths=list[shape_of(Strength)],
        position=list[PositionDocument],
        calls=PairCalls,
    )
