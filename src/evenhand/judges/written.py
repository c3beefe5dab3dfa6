"""The judge that has already spoken: a judgement written by a person or an agent.

A plain value in, a `Judgement` out, or every problem with it at once. Numbers become exact scores
here (R4), missing and unknown dimensions are refused here (R5); nothing is imputed.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.basics.names import nearest
from evenhand.core.basics.numbers import ALLOWED, score
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.opinion import Claim, Evidence, Opinion, Unscored
from evenhand.errors import NUL, JudgementError, Path, Problem

UNNAMED = "unnamed"
"""The skill, and the judge, of a judgement that names none."""

KEYS = ("schema", "id", "skill", "rubric", "judge", "output", "task", "scores", "red_flags", "bonuses")
_OPINION_KEYS = frozenset({"score", "unscored", "justification", "evidence"})
_CLAIM_KEYS = frozenset({"id", "explanation", "evidence"})
_EVIDENCE_KEYS = frozenset({"quote", "verified", "line", "offset", "source"})
_KNOWN = frozenset(KEYS)
_NAMES = frozenset({"id", "skill", "rubric", "output"})
"""What other things are looked up by: rows of a store, files."""

_SEVEN = frozenset(DIMENSIONS)


def judgement_from(document: object) -> Judgement:
    """The judgement a document describes. JudgementError carries every problem, each with its path."""
    reader = _Reader()
    judgement = reader.judgement(document)
    if reader.problems:
        raise JudgementError(reader.problems)
    return judgement


class _Reader:
    """Collects problems instead of stopping at the first, so that the author sees all of them."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def judgement(self, document: object) -> Judgement:
        if not isinstance(document, Mapping):
            self._say((), f"a judgement is an object with the key scores, not {_kind(document)}")
            return Judgement(opinions={}, judge={}, skill="")
        schema = document.get("schema")
        if schema is not None and schema != "evenhand/judgement/v1":
            # Of another kind of document, nothing else is worth saying.
            self._say(("schema",), f'"{_cut(schema)}" is not a judgement; its schema is "evenhand/judgement/v1"')
            return Judgement(opinions={}, judge={}, skill="")
        if not document.keys() <= _KNOWN:
            self._unknown_keys(document, _KNOWN, ())
        id = document.get("id")
        return Judgement(
            opinions=self._opinions(document),
            red_flags=self._claims(document, "red_flags"),
            bonuses=self._claims(document, "bonuses"),
            judge=self._judge(document.get("judge")),
            skill=self._text(document, "skill", ()).strip() or UNNAMED,
            id=None if id is None else str(id) if _is_number(id) else self._text(document, "id", ()).strip() or None,
            rubric=self._text(document, "rubric", ()) or None,
            output=self._text(document, "output", ()) or None,
            task=self._text(document, "task", ()) or None,
        )

    def _opinions(self, document: Mapping[str, Any]) -> dict[str, Opinion]:
        scores = document.get("scores")
        if not isinstance(scores, Mapping):
            found = "missing" if scores is None else _kind(scores)
            self._say(
                ("scores",),
                f"scores is {found}; it must be an object with the seven dimensions: {', '.join(DIMENSIONS)}",
            )
            return {}
        if scores.keys() != _SEVEN:
            self._unknown_keys(scores, _SEVEN, ("scores",), noun="dimension")
            for name in DIMENSIONS:
                if name not in scores:
                    self._say(("scores",), f"{name} is missing; all seven dimensions are needed, and none is made up")
        return {name: self._opinion(name, scores[name]) for name in DIMENSIONS if name in scores}

    def _opinion(self, name: str, said: object) -> Opinion:
        path = ("scores", name)
        if type(said) is int or type(said) is Decimal or not isinstance(said, Mapping):
            return Opinion(self._score(name, said, path))
        if not said.keys() <= _OPINION_KEYS:
            self._unknown_keys(said, _OPINION_KEYS, path)
        return Opinion(
            self._verdict(name, said, path),
            self._text(said, "justification", path),
            self._evidence(said["evidence"], path) if "evidence" in said else (),
        )

    def _verdict(self, name: str, said: Mapping[str, Any], path: Path) -> Decimal | Unscored:
        if said.get("unscored") is None:
            if "score" in said:
                return self._score(name, said["score"], (*path, "score"))
            self._say(path, f"{name} has no score; give {ALLOWED}")
            return Unscored("")
        if said.get("score") is not None:
            self._say(path, f"{name} is both scored and unscored; keep one")
        reason = self._text(said, "unscored", path)
        if isinstance(said["unscored"], str) and not reason.strip():
            self._say((*path, "unscored"), f"{name} is unscored without a reason; say why")
        return Unscored(reason)

    def _score(self, name: str, value: object, path: Path) -> Decimal | Unscored:
        try:
            return score(value)
        except ValueError as error:
            self._say(path, f"{name}: {error}; a score is {ALLOWED}")
            return Unscored("")

    def _claims(self, document: Mapping[str, Any], field: str) -> tuple[Claim, ...]:
        claims = document.get(field)
        if not claims and (claims is None or claims == []):
            return ()
        if not isinstance(claims, list | tuple):
            self._say((field,), f"{field} is {_kind(claims)}; it must be a list of ids, or of objects with an id")
            return ()
        return tuple(self._claim(each, (field, place)) for place, each in enumerate(claims))

    def _claim(self, said: object, path: Path) -> Claim:
        if isinstance(said, str) and said and "\0" not in said:
            return Claim(id=said)
        if isinstance(said, str) and said:
            said = {"id": said}
        if not isinstance(said, Mapping):
            self._say(path, f"{path[0]} holds {_kind(said)}; give an id, or an object with an id")
            return Claim(id="")
        if not said.keys() <= _CLAIM_KEYS:
            self._unknown_keys(said, _CLAIM_KEYS, path)
        id = self._text(said, "id", path)
        if not id:
            self._say(path, f"an entry of {path[0]} has no id")
        return Claim(
            id=id,
            explanation=self._text(said, "explanation", path),
            evidence=self._evidence(said["evidence"], path) if "evidence" in said else (),
        )

    def _evidence(self, quotes: object, path: Path) -> tuple[Evidence, ...]:
        if quotes is None:
            return ()
        if isinstance(quotes, str):
            quotes = [quotes]
        if not isinstance(quotes, list | tuple):
            self._say((*path, "evidence"), f"evidence is {_kind(quotes)}; it must be a list of verbatim quotes")
            return ()
        found = []
        for place, each in enumerate(quotes):
            if type(each) is not str and isinstance(each, Mapping):
                if not each.keys() <= _EVIDENCE_KEYS:
                    self._unknown_keys(each, _EVIDENCE_KEYS, (*path, "evidence", place))
                each = each.get("quote")
            if type(each) is str and each and not each.isspace():
                found.append(Evidence(each))
            else:
                said = f"a quote must be text that stands in the output, not {_kind(each)}"
                self._say((*path, "evidence", place), said)
        return tuple(found)

    def _judge(self, said: object) -> dict[str, str]:
        if said is None:
            return {"name": UNNAMED}
        if isinstance(said, str) and said.strip():
            return {"name": said}
        if isinstance(said, Mapping) and all(isinstance(each, str) for each in said.values()) and said.get("name"):
            return dict(said)
        self._say(("judge",), "judge must be a name, or an object of texts with a name")
        return {"name": UNNAMED}

    def _text(self, said: Mapping[str, Any], key: str, path: Path) -> str:
        value = said.get(key)
        if value is None:
            return ""
        if type(value) is str:
            if "\0" in value and key in _NAMES:  # elsewhere it is only words
                self._say((*path, key), f"{key} {NUL}")
            return value
        self._say((*path, key), f"{key} is {_kind(value)}; it must be text")
        return ""

    def _unknown_keys(self, said: Mapping[Any, Any], valid: frozenset[str], path: Path, noun: str = "key") -> None:
        for key in said:
            if key in valid:
                continue
            if not path and key in _SEVEN:
                self._say((key,), f'"{key}" stands outside scores; put all seven dimensions under scores')
                continue
            names = [name for name in (*DIMENSIONS, *KEYS, *sorted(valid)) if name in valid]
            guess = nearest(str(key), names)
            hint = f"did you mean {guess}? " if guess else ""
            self._say((*path, key), f'unknown {noun} "{_cut(key)}"; {hint}valid: {", ".join(dict.fromkeys(names))}')

    def _say(self, path: Path, message: str) -> None:
        self.problems.append(Problem(message, path=path))


def _is_number(value: object) -> bool:
    return not isinstance(value, bool | str) and hasattr(value, "__int__")


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "empty text" if not value.strip() else "text"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    return "a number" if _is_number(value) else f"a {type(value).__name__}"


def _cut(value: object) -> str:
    """A value as a message shows it: on one line, and not for pages."""
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else text[:57] + "..."
