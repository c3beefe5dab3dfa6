"""The outputs that every judge is tested with: short, of good and of mixed quality, with known ways to spoil each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple


class Item(NamedTuple):
    """One task with an output, its translation, and the ways it can be spoilt."""

    id: str
    task: str
    output: str
    task_german: str
    output_german: str
    spoilt: Mapping[str, str]
    """The output with a fact changed, a step left out, a unit wrong, or a claim that cannot be true."""


SPOILT = ("fact", "step", "unit", "claim")


@lru_cache(maxsize=1)
def probe_items() -> tuple[Item, ...]:
    """All of them, in their order."""
    text = files("evenhand.judges.probing").joinpath("probe_items.json").read_text(encoding="utf-8")
    document = json.loads(text)
    return tuple(_item(entry, document) for entry in document["items"])


def _item(entry: Mapping[str, Any], document: Mapping[str, Any]) -> Item:
    output = _joined(entry["output"])
    spoilt = {way: output.replace(*entry[way]) for way in ("fact", "step", "unit")}
    return Item(
        id=entry["id"],
        task=_joined([*entry["task"], document["note"]]),
        output=output,
        task_german=_joined([*entry["task_german"], document["note_german"]]),
        output_german=_joined(entry["output_german"]),
        spoilt={**spoilt, "claim": _joined([output, entry["claim"]])},
    )


def _joined(paragraphs: list[str]) -> str:
    return "\n\n".join(paragraphs)
