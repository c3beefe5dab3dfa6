"""YAML and JSON rubrics of another form -> their parts, each with its line. What is not known is a part as well."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from evenhand.core.rules import DIMENSIONS
from evenhand.errors import Path
from evenhand.files.located import Located

_TEXTS = {"title": "title", "name": "title", "domain": "domain", "version": "version"}
_OVERVIEW = ("description", "summary", "overview")
_DIMENSIONS = ("dimensions", "criteria", "categories", "metrics", "rubric")
_FLAGS = ("red_flags", "deductions", "penalties")
_NAME = ("name", "dimension", "criterion", "id")
_MEASURES = ("description", "measures", "definition")
_LEVELS = ("levels", "bands", "scores", "scale", "scoring")
_LABEL = ("score", "band", "range", "level", "label")
_TEXT = ("criteria", "description", "text", "definition")
_AMOUNT = ("deduction", "amount", "penalty", "points", "bonus")


class Part(NamedTuple):
    """A part of a file."""

    kind: str
    """text, overview, pass mark, weight, measures, band, red flags, bonuses, or rest."""
    line: int
    text: str
    name: str = ""
    """The dimension, the key of a text, the id of a flag or bonus."""
    label: str = ""
    """The scores of a band, the amount of a flag or bonus."""
    detect: str = ""


def parts_of(document: Located) -> Iterator[Part]:
    """The parts of a file, in its order."""
    value = document.value
    while isinstance(value, Mapping) and len(value) == 1 and _is_around(inner := next(iter(value.values()))):
        document = _inside(document, next(iter(value)))
        value = inner
    if isinstance(value, list):
        value = {"criteria": value}
        yield from _dimensions(document, value["criteria"], ())
        return
    if not isinstance(value, Mapping):
        yield Part("rest", 1, _text(value))
        return
    words = {key: str(key).lower().replace("-", "_").replace(" ", "_") for key in value}
    for key, inner in value.items():
        word, line = words[key], document.find_line((key,)) or 1
        if word == "name" and "title" in words.values():
            continue  # a title beside it is the title
        if word in _TEXTS and _plain(inner):
            yield Part("text", line, _text(inner), _TEXTS[word])
        elif word in _OVERVIEW and isinstance(inner, str):
            yield Part("overview", line, inner)
        elif word == "pass_mark_reason" and isinstance(inner, str):
            yield Part("text", line, inner, word)
        elif word == "pass_mark" and _plain(inner):
            yield Part("pass mark", line, _text(inner))
        elif word == "weights" and isinstance(inner, Mapping):
            for name, weight in inner.items():
                yield _weight(str(name), weight, document.find_line((key, name)) or line)
        elif word in DIMENSIONS:
            yield from _dimension(document, word, inner, (key,))
        elif word in _DIMENSIONS and isinstance(inner, Mapping | list):
            yield from _dimensions(document, inner, (key,))
        elif word == "schema" or (word == "sha256" and "schema" in value):
            continue  # of a rubric as we publish it
        elif (word in _FLAGS or word == "bonuses") and isinstance(inner, list):
            kind = "bonuses" if word == "bonuses" else "red flags"
            for place, entry in enumerate(inner):
                yield _listed(kind, entry, document.find_line((key, place)) or line)
        else:
            yield Part("rest", line, f"{key}: {_text(inner)}")


def _is_around(inner: Any) -> bool:
    """Whether the only value of a file is the rubric itself, as in `rubric: {weights: ...}`."""
    return isinstance(inner, Mapping) and not any(str(key).lower() in (*DIMENSIONS, *_NAME) for key in inner)


def _inside(document: Located, key: Any) -> Located:
    return Located(document.value[key], document.source, lambda path: document.find_line((key, *path)))


def _weight(name: str, weight: Any, line: int) -> Part:
    known = name.lower() in DIMENSIONS
    return Part(
        "weight" if known else "rest",
        line,
        _text(weight) if known else f"weight of {name}: {_text(weight)}",
        name.lower(),
    )


def _dimensions(document: Located, value: Any, path: Path) -> Iterator[Part]:
    """Dimensions in a list or by name; one that is none of the seven is rest."""
    entries = enumerate(value) if isinstance(value, list) else value.items()
    for key, entry in entries:
        line = document.find_line((*path, key)) or 1
        name = _first(entry, _NAME) if isinstance(value, list) else key
        if str(name).strip().lower() in DIMENSIONS:
            yield from _dimension(document, str(name).strip().lower(), entry, (*path, key))
        else:
            yield Part("rest", line, f"{'' if isinstance(value, list) else f'{key}: '}{_text(entry)}")


def _dimension(document: Located, name: str, value: Any, path: Path) -> Iterator[Part]:
    line = document.find_line(path) or 1
    if not isinstance(value, Mapping):  # a number is its weight, as in a file of weights
        weight = _plain(value) and (not isinstance(value, str) or value.strip().endswith("%"))
        yield Part("weight", line, _text(value), name) if weight else Part("rest", line, f"{name}: {_text(value)}")
        return
    for key, inner in value.items():
        word, line = str(key).lower(), document.find_line((*path, key)) or line
        if word == "weight" and _plain(inner):
            yield Part("weight", line, _text(inner), name)
        elif word in _MEASURES and isinstance(inner, str):
            yield Part("measures", line, inner, name)
        elif word in _LEVELS and isinstance(inner, Mapping | list):
            yield from _levels(document, name, inner, (*path, key))
        elif word not in _NAME:
            yield Part("rest", line, f"{name}: {key}: {_text(inner)}")


def _levels(document: Located, name: str, value: Any, path: Path) -> Iterator[Part]:
    entries = enumerate(value) if isinstance(value, list) else value.items()
    for key, entry in entries:
        line = document.find_line((*path, key)) or 1
        if isinstance(entry, Mapping) and {*entry} == {"low", "high", "criteria"}:  # as we publish them
            yield Part("band", line, _text(entry["criteria"]), name, f"{entry['low']}-{entry['high']}")
            continue
        label, text = (_first(entry, _LABEL), _first(entry, _TEXT)) if isinstance(value, list) else (key, entry)
        more = [other for other in entry if other not in (*_LABEL, *_TEXT)] if isinstance(entry, Mapping) else []
        if _plain(label) and isinstance(text, str) and not more:
            yield Part("band", line, text, name, _text(label))
        else:
            yield Part("rest", line, f"{name}: {'' if isinstance(value, list) else f'{key}: '}{_text(entry)}")


def _listed(kind: str, entry: Any, line: int) -> Part:
    if isinstance(entry, str):
        return Part(kind, line, entry)
    text = _first(entry, _TEXT)
    known = (*_TEXT, *_AMOUNT, "id", "name", "detect")
    if not isinstance(text, str) or any(key not in known for key in entry):
        return Part("rest", line, f"{kind}: {_text(entry)}")
    amount = _first(entry, _AMOUNT)
    detect = entry.get("detect", "")
    return Part(
        kind, line, text, str(_first(entry, ("id", "name")) or ""), "" if amount is None else _text(amount), str(detect)
    )


def _first(entry: Any, keys: tuple[str, ...]) -> Any:
    return next((entry[key] for key in keys if key in entry), None) if isinstance(entry, Mapping) else None


def _plain(value: Any) -> bool:
    return isinstance(value, str | int | Decimal) and not isinstance(value, bool)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return str(value) if _plain(value) else json.dumps(value, default=str, ensure_ascii=False)
