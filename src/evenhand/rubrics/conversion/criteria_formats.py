"""Files of other tools that list criteria: what each calls its parts. One declaration for reading and writing.

All but PaperBench's trees are flat lists. Whatever a file says beside the parts named here is kept as notes, so that it
can be written back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from evenhand.rubrics.weights import stray_amount

ROOT_FORMAT: Final = "format"
"""The note at the top of an imported tree that says where it came from."""


class CriteriaFormat(NamedTuple):
    """How a tool writes criteria."""

    name: str
    items: str
    """The key of the list; empty when the document is the list."""
    sentence: tuple[str, ...]
    """The key of the sentence, the usual one first; empty when an item is the sentence itself."""
    points: str = ""
    """The key of the points or the weight; empty when all count the same."""
    id: str = ""
    requires: str = ""
    entries: str = ""
    """The key of the entries of which each has criteria of its own, such as the tests of a configuration."""
    suffix: str = ".json"
    negative: bool = False
    """Whether points may be negative."""
    title: str = ""


PAPERBENCH: Final = CriteriaFormat("paperbench", "", (), "weight")  # a tree, which has a reader and a writer of its own
DEVAI: Final = CriteriaFormat(
    "devai", "requirements", ("criteria",), id="requirement_id", requires="prerequisites", title="name"
)
HEALTHBENCH: Final = CriteriaFormat("healthbench", "rubrics", ("criterion",), "points", negative=True)
HARBOR: Final = CriteriaFormat("harbor", "criterion", ("description",), "weight", "id", suffix=".toml")
LIST: Final = CriteriaFormat("list", "", ("criteria", "criterion"), "weight", negative=True)
SENTENCES: Final = CriteriaFormat("sentences", "", ("text",))
POINTS: Final = CriteriaFormat("points", "", ("criterion", "criteria"), "points", negative=True)
SKILL_CREATOR: Final = CriteriaFormat("skill-creator", "expectations", ("text",), entries="evals", title="prompt")
PROMPTFOO: Final = CriteriaFormat("promptfoo", "assert", ("value",), "weight", entries="tests", suffix=".yaml")

FORMATS: Final = (PAPERBENCH, DEVAI, HEALTHBENCH, HARBOR, LIST, POINTS, SENTENCES, SKILL_CREATOR, PROMPTFOO)
NAMES: Final = tuple(format.name for format in FORMATS)
_OTHER_RUBRIC: Final = {"name", "title", "levels", "bands", "scale", "dimension"}
"""Keys of a rubric whose criteria have levels, which is converted another way."""


def format_of(value: Any) -> CriteriaFormat | None:
    """Which of these files a value is from; None when it is none of them."""
    if isinstance(value, list):
        if value and all(isinstance(item, str) and item.strip() and not stray_amount(item) for item in value):
            return SENTENCES
        return next((format for format in (LIST, POINTS) if _lists(value, format)), None)
    if not isinstance(value, Mapping):
        return None
    if isinstance(value.get("requirements"), str) and isinstance(value.get("sub_tasks"), list):
        return PAPERBENCH
    if _lists(value.get("requirements"), DEVAI):
        return DEVAI
    if _lists(value.get("rubrics"), HEALTHBENCH):
        return HEALTHBENCH
    if _lists(value.get("criterion"), HARBOR):
        return HARBOR
    if isinstance(value.get("evals"), list) and any(_has_list(entry, "expectations") for entry in value["evals"]):
        return SKILL_CREATOR
    tests = value.get("tests")
    if isinstance(tests, list) and ("providers" in value or "prompts" in value or "defaultTest" in value):
        return PROMPTFOO if any(_has_list(entry, "assert") for entry in tests) else None
    return None


def lists_one_each(values: list[Any]) -> bool:
    """Whether several documents are each one criterion of a list, as the lines of a JSONL file."""
    return any(_lists(values, format) for format in (LIST, POINTS))


def _has_list(entry: Any, key: str) -> bool:
    return isinstance(entry, Mapping) and isinstance(entry.get(key), list)


def _lists(value: Any, format: CriteriaFormat) -> bool:
    """Whether a value is a list of items that have a sentence, and points where the format has only those."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(item, Mapping)
            and any(isinstance(item.get(key), str) for key in format.sentence)
            and (format is HARBOR or not item.keys() & _OTHER_RUBRIC)
            and (format.items or format.points in item)
            for item in value
        )
    )
