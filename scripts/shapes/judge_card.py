"""The published shape of a judge's card. Nothing here runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from evenhand.core.curve import UseVerdict
from evenhand.stats.trust.judge_card import SCHEMA, JudgeCard
from evenhand.stats.trust.probe_effects import Effect, Expectation, ProbeResult
from shapes.record_types import Weight, shape_of

if TYPE_CHECKING:
    JudgeCardDocument = dict[str, Any]


class ProbeWordsDocument(TypedDict):
    """What a judge does that scores the second variant higher, or lower."""

    up: str
    down: str


class EarlierCardDocument(TypedDict):
    """The card that this one is compared with."""

    id: str
    created: str
    served: list[str]


if not TYPE_CHECKING:
    JudgeCardDocument = shape_of(
        JudgeCard,
        SCHEMA,
        probes=list[
            shape_of(
                ProbeResult,
                name=str,
                expectation=Expectation,
                variants=list[str],
                says=ProbeWordsDocument,
                dimension=shape_of(Effect, name=str) | None,
            )
        ],
        uses=list[shape_of(UseVerdict)],
        since=EarlierCardDocument | None,
        changes=list[shape_of(Effect, probe=str, p_value=Weight, shown=bool)],
    )
