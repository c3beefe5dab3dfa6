"""YAML and JSON rubrics in other formats -> their contents: criteria, weights, levels, flags, bonuses, and the rest."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from evenhand.errors import Path
from evenhand.reading.located import Located
from evenhand.rubrics.conversion.foreign import Claim, Criterion, Foreign, Left, Level
from evenhand.rubrics.list_headings import ListKind, list_kind

_CRITERIA = (
    "criteria criterion dimensions dimension categories metrics aspects rubric scoring_criteria evaluation_criteria"
)
_TEXTS = {"title": "title", "name": "title", "description": "summary", "summary": "summary", "overview": "summary"} | {
    key: key for key in ("domain", "version", "pass_mark_reason")
}
_PASS_MARK = (
    "pass_mark passing_score pass_score pass_threshold passing_threshold passing_grade pass_grade threshold min_score"
)
_NAME = "name id title criterion dimension category label key"
_WEIGHT = "weight weights weighting weightage points max_points max_score maximum percentage percent share gewicht"
_MEASURES = "measures description definition question what asks prompt"
_LEVELS = "bands levels scale scores ratings anchors rubric descriptors performance_levels grades"
_LABEL = "score value range band level points label name rating grade"
_TEXT = "criteria description text descriptor meaning definition criterion"
_FLAG_TEXT = "description text criteria when condition explanation reason name title"
_AMOUNT = "deduction amount penalty points value cost bonus score"


def read_data(document: Located) -> Foreign:
    """The contents of a YAML or JSON document."""
    reader = _Reader(document)
    value: Any = document.value
    path: Path = ()
    if isinstance(value, Mapping) and len(value) == 1 and isinstance(only := next(iter(value.values())), Mapping):
        path = (next(iter(value)),)
        if any(_is(key, _CRITERIA) for key in only):
            value = only
        else:
            path = ()
    if isinstance(value, Mapping):
        reader.top(value, path)
    elif isinstance(value, list):
        reader.criteria(value, path)
    return reader.foreign


class _Reader:
    def __init__(self, document: Located) -> None:
        self._document = document
        self.foreign = Foreign(document.source)

    def top(self, value: Mapping[str, Any], path: Path) -> None:
        ours = value.get("schema") == "evenhand/rubric/v1"
        for key, part in value.items():
            at = (*path, key)
            kind = list_kind(str(key).replace("_", " "))
            if (ours and key in ("schema", "sha256")) or (key == "name" and "title" in value):
                continue
            if kind in (ListKind.RED_FLAGS, ListKind.BONUSES, ListKind.FAILS):
                self._claims(part, at, kind)
            elif _is(key, "weights") and isinstance(part, Mapping):
                self._weights(part, at)
            elif _is(key, _CRITERIA) and isinstance(part, list | Mapping):
                self.criteria(part, at)
            elif _is(key, _PASS_MARK) and _plain(part):
                self.foreign.pass_mark = str(part), self._line(at)
            elif _slug(key) in _TEXTS and _plain(part):
                self.foreign.texts.setdefault(_TEXTS[_slug(key)], _one_line(part))
            else:
                self._left(key, part, at)

    def criteria(self, part: list[Any] | Mapping[str, Any], path: Path) -> None:
        entries = part.items() if isinstance(part, Mapping) else enumerate(part)
        for key, entry in entries:
            name = key if isinstance(key, str) else ""
            criterion = self._criterion(name, entry, (*path, key))
            if criterion is not None:
                self._add(criterion)

    def _criterion(self, name: str, entry: Any, path: Path) -> Criterion | None:
        line = self._line(path)
        if isinstance(entry, Decimal | int) or (isinstance(entry, str) and re.fullmatch(r"[\d.]+\s*%?", entry)):
            if name:
                return Criterion(name, line, weight=str(entry))
            self._left("entry", entry, path)
            return None
        if isinstance(entry, str):
            return Criterion(name, line, measures=_one_line(entry)) if name else Criterion(_one_line(entry), line)
        if not isinstance(entry, Mapping):
            self._left(name or "entry", entry, path)
            return None
        parts: dict[str, Any] = {}
        for key, value in entry.items():
            roles = ((("name", _NAME),) if not name else ()) + (("weight", _WEIGHT), ("measures", _MEASURES))
            role = next((role for role, keys in roles if _is(key, keys) and role not in parts and _plain(value)), None)
            if role:
                parts[role] = _one_line(value)
            elif (
                isinstance(value, list | Mapping)
                and (_is(key, _LEVELS) or _is(key, "criteria"))
                and "levels" not in parts
            ):
                parts["levels"] = self._levels(value, (*path, key))
            elif _level_label(key) and _plain(value):
                parts["levels"] = (
                    *parts.get("levels", ()),
                    Level(str(key), _one_line(value), self._line((*path, key))),
                )
            else:
                self._left(f"{name or parts.get('name', 'entry')}: {key}", value, (*path, key))
        if not (name or parts.get("name")):
            self._left("entry without a name", entry, path)
            return None
        return Criterion(
            name or parts["name"], line, parts.get("weight"), parts.get("measures", ""), tuple(parts.get("levels", ()))
        )

    def _levels(self, value: list[Any] | Mapping[str, Any], path: Path) -> tuple[Level, ...]:
        if isinstance(value, Mapping):
            return tuple(Level(str(key), _one_line(text), self._line((*path, key))) for key, text in value.items())
        return tuple(self._level(entry, (*path, place)) for place, entry in enumerate(value))

    def _level(self, entry: Any, path: Path) -> Level:
        line = self._line(path)
        if not isinstance(entry, Mapping):
            return Level("", _one_line(entry), line)
        if "low" in entry and "high" in entry:
            label = f"{entry['low']}-{entry['high']}"
        else:
            label = next((str(entry[key]) for role in _LABEL.split() for key in entry if _slug(key) == role), "")
        text = next((_one_line(entry[key]) for role in _TEXT.split() for key in entry if _slug(key) == role), "")
        known = {*_LABEL.split(), *_TEXT.split(), "low", "high"}
        for key, value in entry.items():
            if _slug(key) not in known:
                self._left(f"level {label}: {key}", value, (*path, key))
        return Level(label, text, line)

    def _claims(self, part: Any, path: Path, kind: ListKind) -> None:
        claims = self.foreign.bonuses if kind is ListKind.BONUSES else self.foreign.red_flags
        fails = kind is ListKind.FAILS
        if not isinstance(part, list | Mapping):
            if part is not None:
                self._left(str(path[-1]), part, path)
            return
        for key, entry in part.items() if isinstance(part, Mapping) else enumerate(part):
            at, line = (*path, key), self._line((*path, key))
            id = key if isinstance(key, str) else ""
            if isinstance(entry, Mapping):
                claims.append(self._claim(id, entry, at, fails))
            elif isinstance(entry, Decimal | int):
                claims.append(Claim("", line, id, str(entry), fails))
            elif _plain(entry):
                claims.append(Claim(_one_line(entry), line, id, None, fails))
            else:
                self._left(id or "entry", entry, at)

    def _claim(self, id: str, entry: Mapping[str, Any], path: Path, fails: bool) -> Claim:
        texts = [key for role in _FLAG_TEXT.split() for key in entry if _slug(key) == role and _plain(entry[key])]
        amount = next((key for key in entry if _is(key, _AMOUNT) and _plain(entry[key])), None)
        named = next((key for key in entry if _is(key, "id key slug")), None)
        detect = entry.get("detect") if isinstance(entry.get("detect"), str) else None
        used = {amount, named, *texts[:1], "detect" if detect else None}
        if named is None and not id and len(texts) > 1 and _is(texts[1], "name title"):
            named = texts[1]
            used.add(named)
        for key, value in entry.items():
            if key not in used:
                self._left(f"{id or entry.get('id', 'entry')}: {key}", value, (*path, key))
        return Claim(
            _one_line(entry[texts[0]]) if texts else "",
            self._line(path),
            id or (str(entry[named]) if named else ""),
            None if amount is None else str(entry[amount]),
            fails,
            detect or "",
        )

    def _weights(self, part: Mapping[str, Any], path: Path) -> None:
        for name, weight in part.items():
            if _plain(weight):
                self._add(Criterion(name, self._line((*path, name)), weight=str(weight)))
            else:
                self._left(f"weight of {name}", weight, (*path, name))

    def _add(self, criterion: Criterion) -> None:
        """Merge what several places give for one criterion."""
        for place, known in enumerate(self.foreign.criteria):
            if _slug(known.name) == _slug(criterion.name):
                weight = known.weight if known.weight is not None else criterion.weight
                if criterion.weight not in (None, weight):
                    self.foreign.left.append(
                        Left(f"a second weight for {criterion.name}: {criterion.weight}", criterion.line)
                    )
                self.foreign.criteria[place] = Criterion(
                    known.name,
                    known.line,
                    weight,
                    known.measures or criterion.measures,
                    known.levels or criterion.levels,
                )
                return
        self.foreign.criteria.append(criterion)

    def _left(self, key: str, value: Any, path: Path) -> None:
        text = _one_line(value) if _plain(value) else f"({'a list' if isinstance(value, list) else 'an object'})"
        self.foreign.left.append(Left(f"{key}: {text}", self._line(path)))

    def _line(self, path: Path) -> int:
        return self._document.find_line(path) or 1


def _plain(value: Any) -> bool:
    return isinstance(value, str | int | Decimal) and not isinstance(value, bool)


def _one_line(value: Any) -> str:
    return " ".join(str(value).split())


def _slug(key: Any) -> str:
    return re.sub(r"[\s-]+", "_", str(key).strip().lower())


def _is(key: Any, keys: str) -> bool:
    return _slug(key) in keys.split()


def _level_label(key: Any) -> bool:
    return re.fullmatch(r"[0-9]{1,3}(?:\s*(?:-|\u2013|to)\s*[0-9]{1,3})?\s*%?", str(key).strip()) is not None
