"""A judgement already written by a person or an agent.

A plain value in, a `Judgement` out, or every problem with it at once. Numbers become exact scores
here (R4), missing and unknown dimensions are refused here (R5); nothing is imputed.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.basics.numbers import ALLOWED, score
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.opinion import Claim, Evidence, Opinion, Unscored, Verdict
from evenhand.errors import NUL, JudgementError, Path, Problem
from evenhand.in_words import shortened_line

UNNAMED = "unnamed"
"""The skill and the judge of a judgement that does not name them."""

KEYS = ("schema", "id", "skill", "rubric", "judge", "output", "task", "scores", "red_flags", "bonuses")
_OPINION_KEYS = frozenset({"score", "unscored", "justification", "evidence", "criteria"})
_VERDICT_KEYS = frozenset({"answer", "reason", "evidence"})
_CLAIM_KEYS = frozenset({"id", "explanation", "evidence"})
_EVIDENCE_KEYS = frozenset({"quote", "verified", "line", "offset", "source"})
_KNOWN = frozenset(KEYS)
_SCORECARD_KEYS = frozenset({"receipt", "dimensions"})
"""Keys by which a scorecard is recognised when it does not say what it is."""
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
            self._report((), f"a judgement is an object with the key scores, not {_kind(document)}")
            return Judgement(opinions={}, judge={}, skill="")
        schema = document.get("schema")
        if schema is not None and schema != "evenhand/judgement/v1":
            # Other problems do not matter for another kind of document.
            self._report(
                ("schema",),
                f'"{shortened_line(str(schema))}" is not a judgement; its schema is "evenhand/judgement/v1"',
            )
            return Judgement(opinions={}, judge={}, skill="")
        if schema is None and document.keys() >= _SCORECARD_KEYS:
            self._report(("schema",), 'looks like a scorecard without its schema, "evenhand/scorecard/v1"')
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
            kind = "missing" if scores is None else _kind(scores)
            self._report(
                ("scores",),
                f"scores is {kind}; it must be an object with the seven dimensions: {', '.join(DIMENSIONS)}",
            )
            return {}
        if scores.keys() != _SEVEN:
            self._unknown_keys(scores, _SEVEN, ("scores",), noun="dimension")
            for name in DIMENSIONS:
                if name not in scores:
                    self._report(("scores",), f"{name} is missing; all seven dimensions are needed; none is filled in")
        return {name: self._opinion(name, scores[name]) for name in DIMENSIONS if name in scores}

    def _opinion(self, name: str, value: object) -> Opinion:
        path = ("scores", name)
        if type(value) is int or type(value) is Decimal or not isinstance(value, Mapping):
            return Opinion(self._score(name, value, path))
        if not value.keys() <= _OPINION_KEYS:
            self._unknown_keys(value, _OPINION_KEYS, path)
        opinion = Opinion(
            self._verdict(name, value, path),
            self._text(value, "justification", path),
            self._evidence(value["evidence"], path) if "evidence" in value else (),
        )
        if "criteria" not in value:
            return opinion
        return opinion._replace(verdicts=self._verdicts(value["criteria"], (*path, "criteria")))

    def _verdicts(self, value: object, path: Path) -> dict[str, Verdict]:
        """The answers to a dimension's criteria by id, each alone or in an object with its reason and quotes."""
        from evenhand.core.values.criterion import ANSWERS, answer_from  # few rubrics have criteria

        if not isinstance(value, Mapping) or not value:
            self._report(path, f"criteria is {_kind(value)}; it must be an object with an answer for each criterion")
            return {}
        verdicts = {}
        for id, given in value.items():
            entry = given if isinstance(given, Mapping) else {"answer": given}
            if not entry.keys() <= _VERDICT_KEYS:
                self._unknown_keys(entry, _VERDICT_KEYS, (*path, id))
            answer = entry.get("answer")
            if isinstance(answer, bool):  # what YAML makes of yes and no
                answer = "yes" if answer else "no"
            try:
                verdicts[str(id)] = Verdict(
                    answer_from(answer),
                    self._text(entry, "reason", (*path, id)),
                    self._evidence(entry.get("evidence"), (*path, id)),
                )
            except ValueError:
                self._report((*path, id), f"{id} is answered with one of {', '.join(ANSWERS)}, not {_shown(answer)}")
        return verdicts

    def _verdict(self, name: str, entry: Mapping[str, Any], path: Path) -> Decimal | Unscored:
        if entry.get("unscored") is None:
            if "criteria" in entry:
                if "score" in entry:
                    self._report(path, f"{name} has both a score and criteria, which give its score; keep one")
                return Unscored("")  # until its criteria are scored
            if "score" in entry:
                return self._score(name, entry["score"], (*path, "score"))
            self._report(path, f"{name} has no score; give {ALLOWED}")
            return Unscored("")
        if entry.get("score") is not None:
            self._report(path, f"{name} is both scored and unscored; keep one")
        reason = self._text(entry, "unscored", path)
        if isinstance(entry["unscored"], str) and not reason.strip():
            self._report((*path, "unscored"), f"{name} is unscored without a reason; say why")
        return Unscored(reason)

    def _score(self, name: str, value: object, path: Path) -> Decimal | Unscored:
        try:
            return score(value)
        except ValueError as error:
            self._report(path, f"{name}: {error}; a score is {ALLOWED}")
            return Unscored("")

    def _claims(self, document: Mapping[str, Any], field: str) -> tuple[Claim, ...]:
        claims = document.get(field)
        if not claims and (claims is None or claims == []):
            return ()
        if not isinstance(claims, list | tuple):
            self._report((field,), f"{field} is {_kind(claims)}; it must be a list of ids, or of objects with an id")
            return ()
        return tuple(self._claim(claim, (field, place)) for place, claim in enumerate(claims))

    def _claim(self, value: object, path: Path) -> Claim:
        if isinstance(value, str) and value and "\0" not in value:
            return Claim(id=value)
        if isinstance(value, str) and value:
            value = {"id": value}
        if not isinstance(value, Mapping):
            self._report(path, f"{path[0]} holds {_kind(value)}; give an id, or an object with an id")
            return Claim(id="")
        if not value.keys() <= _CLAIM_KEYS:
            self._unknown_keys(value, _CLAIM_KEYS, path)
        id = self._text(value, "id", path)
        if not id:
            self._report(path, f"an entry of {path[0]} has no id")
        return Claim(
            id=id,
            explanation=self._text(value, "explanation", path),
            evidence=self._evidence(value["evidence"], path) if "evidence" in value else (),
        )

    def _evidence(self, quotes: object, path: Path) -> tuple[Evidence, ...]:
        if quotes is None:
            return ()
        if isinstance(quotes, str):
            quotes = [quotes]
        if not isinstance(quotes, list | tuple):
            self._report((*path, "evidence"), f"evidence is {_kind(quotes)}; it must be a list of verbatim quotes")
            return ()
        evidence = []
        for place, quote in enumerate(quotes):
            if type(quote) is not str and isinstance(quote, Mapping):
                if not quote.keys() <= _EVIDENCE_KEYS:
                    self._unknown_keys(quote, _EVIDENCE_KEYS, (*path, "evidence", place))
                quote = quote.get("quote")
            if type(quote) is str and quote and not quote.isspace():
                evidence.append(Evidence(quote))
            else:
                self._report((*path, "evidence", place), f"a quote must be text from the output, not {_kind(quote)}")
        return tuple(evidence)

    def _judge(self, value: object) -> dict[str, str]:
        if value is None:
            return {"name": UNNAMED}
        name = value.get("name") if isinstance(value, Mapping) else value
        if isinstance(name, str) and name.strip().lower() == "checks":
            self._report(("judge",), "checks have not read the work, so they give no scores; name who did: human:ana")
            return {"name": UNNAMED}
        if isinstance(value, str) and value.strip():
            return {"name": value}
        if isinstance(value, Mapping) and all(isinstance(text, str) for text in value.values()) and value.get("name"):
            return dict(value)
        self._report(("judge",), "judge must be a name, or an object of texts with a name")
        return {"name": UNNAMED}

    def _text(self, entry: Mapping[str, Any], key: str, path: Path) -> str:
        value = entry.get(key)
        if value is None:
            return ""
        if type(value) is str:
            if "\0" in value and key in _NAMES:  # elsewhere it is only words
                self._report((*path, key), f"{key} {NUL}")
            return value
        self._report((*path, key), f"{key} is {_kind(value)}; it must be text")
        return ""

    def _unknown_keys(self, entry: Mapping[Any, Any], valid: frozenset[str], path: Path, noun: str = "key") -> None:
        from evenhand.reading.entry import Entry  # only mistakes need it

        outside = [key for key in entry if not path and key in _SEVEN]
        for key in outside:
            self._report((key,), f'"{key}" is outside scores; put all seven dimensions under scores')
        others = {key: value for key, value in entry.items() if key not in outside}
        names = dict.fromkeys(name for name in (*DIMENSIONS, *KEYS, *sorted(valid)) if name in valid)
        Entry(others, path, self.problems).known(names, noun)

    def _report(self, path: Path, message: str) -> None:
        self.problems.append(Problem(message, path=path))


def _shown(value: object) -> str:
    return f'"{shortened_line(value)}"' if isinstance(value, str) else _kind(value)


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
