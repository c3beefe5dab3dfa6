"""A judgement already written by a person or an agent.

The classes here are the file: what it may hold, and what is said of every mistake. Numbers become exact scores here
(R4), missing and unknown dimensions are refused here (R5); nothing is imputed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, ClassVar, get_args

from evenhand.core.judgement import Claim, Evidence, Judgement, Opinion, Unscored, Verdict
from evenhand.core.numbers import ALLOWED, score
from evenhand.core.published import SCORE
from evenhand.core.rubric import Answer
from evenhand.core.rules import DIMENSIONS
from evenhand.errors import NUL, JudgementError, Problem
from evenhand.files import codec
from evenhand.files.forms import kind_of

UNNAMED = "unnamed"
"""The skill and the judge of a judgement that does not name them."""

_SCORECARD_KEYS = frozenset({"receipt", "dimensions"})
"""Keys by which a scorecard is recognised when it does not say what it is."""

_NAME = {"nul": False}
"""For texts by which rows of a store or files are looked up."""
_NO_QUOTE = "a quote must be text from the output, not {kind}"
_QUOTES = {"single": True, "is": "a list of verbatim quotes"}
_ANSWERS: tuple[Answer, ...] = get_args(Answer)


def _answer(value: object) -> Answer:
    if isinstance(value, bool):  # what YAML makes of yes and no
        return "yes" if value else "no"
    return _ANSWERS[_ANSWERS.index(value)]


def _id(value: object) -> str | None:
    if not isinstance(value, str):
        if isinstance(value, bool) or not hasattr(value, "__int__"):
            raise ValueError(f"id is {kind_of(value)}; it must be text")
        return str(value)
    if "\0" in value:
        raise ValueError(f"id {NUL}")
    return value.strip() or None


def _judge(value: object) -> dict[str, str]:
    name = value.get("name") if isinstance(value, Mapping) else value
    if isinstance(name, str) and name.strip().lower() == "checks":
        raise ValueError("checks have not read the work, so they give no scores; name who did: human:ana")
    if isinstance(value, str) and value.strip():
        return {"name": value}
    if isinstance(value, Mapping) and all(isinstance(text, str) for text in value.values()) and value.get("name"):
        return dict(value)
    raise ValueError("judge must be a name, or an object of texts with a name")


@dataclass(frozen=True, slots=True)
class WrittenQuote:
    """A quote; its other fields are ignored and determined again."""

    FACTS: ClassVar = {"closed": True, "bare": "quote", "wrong": _NO_QUOTE}

    quote: Annotated[str, {"empty": False, "wrong": _NO_QUOTE}]
    """Verbatim from the output."""
    verified: bool | None = None
    """Ignored."""
    line: int | None = None
    """Ignored."""
    offset: int | None = None
    """Ignored."""
    source: str | None = None
    """Ignored."""


@dataclass(frozen=True, slots=True)
class WrittenVerdict:
    """The answer to one criterion, with the reason and quotes."""

    FACTS: ClassVar = {"closed": True, "bare": "answer"}

    answer: Annotated[
        Answer | bool,
        {"read": _answer, "wrong": f"{{above}} is answered with one of {', '.join(_ANSWERS)}, not {{shown}}"},
    ]
    """YAML reads yes and no as true and false."""
    reason: str = ""
    """Why."""
    evidence: Annotated[tuple[WrittenQuote, ...], _QUOTES] = ()
    """Quotes that show it."""


@dataclass(frozen=True, slots=True)
class WrittenOpinion:
    """A judge's opinion on one dimension: a score, the reason why there is none, or an answer to each criterion where
    the rubric has some."""

    FACTS: ClassVar = {"closed": True, "bare": "score"}

    score: Annotated[
        Decimal | str | None, SCORE, {"read": score, "wrong": f"{{above}}: {{why}}; a score is {ALLOWED}"}
    ] = None
    """From 1 to 10; kept with two decimals."""
    unscored: str | None = None
    """Why there is no score."""
    criteria: Annotated[
        Mapping[str, WrittenVerdict] | None, {"empty": False, "is": "an object with an answer for each criterion"}
    ] = None
    """The answer to each criterion, by its id; the score follows from them."""
    justification: str = ""
    """Why this score."""
    evidence: Annotated[tuple[WrittenQuote, ...], _QUOTES] = ()
    """Quotes that show it."""

    def problems(self) -> Iterator[Problem]:
        """Exactly one of a score, a reason for none, and answers."""
        if self.unscored is not None:
            if self.score is not None:
                yield Problem("{name} is both scored and unscored; keep one")
            if not self.unscored.strip():
                yield Problem("{name} is unscored without a reason; say why", path=("unscored",))
        elif self.criteria is not None and self.score is not None:
            yield Problem("{name} has both a score and criteria, which give its score; keep one")
        elif self.criteria is None and self.score is None:
            yield Problem(f"{{name}} has no score; give {ALLOWED}")


@dataclass(frozen=True, slots=True)
class WrittenClaim:
    """A red flag raised or a bonus earned."""

    FACTS: ClassVar = {
        "closed": True,
        "bare": "id",
        "wrong": "{name} holds {kind}; give an id, or an object with an id",
    }

    id: Annotated[
        str,
        {
            "nul": False,
            "empty": False,
            "missing": "an entry of {above} has no id",
            "blank": "an entry of {above} has no id",
        },
    ]
    """As the rubric lists it."""
    explanation: str = ""
    """Why it is raised or earned."""
    evidence: Annotated[tuple[WrittenQuote, ...], _QUOTES] = ()
    """Quotes that show it."""


_CLAIMS = {"is": "a list of ids, or of objects with an id"}


@dataclass(frozen=True, slots=True)
class WrittenJudgement:
    """What a judge writes: seven scores, the red flags raised and the bonuses earned."""

    SCHEMA: ClassVar = "evenhand/judgement/v1"
    FACTS: ClassVar = {
        "closed": True,
        "wrong": "a judgement is an object with the key scores, not {kind}",
        "elsewhere": {
            name: f'"{name}" is outside scores; put all seven dimensions under scores' for name in DIMENSIONS
        },
    }

    id: Annotated[str | int | None, {"read": _id}] = None
    """An id of its own; one is made where there is none."""
    skill: Annotated[str, _NAME] = ""
    """What made the output."""
    rubric: Annotated[str, _NAME] = ""
    """A rubric's name or file."""
    judge: Annotated[str | Mapping[str, str], {"read": _judge}] = field(default_factory=lambda: {"name": UNNAMED})
    """Who judged: a name, or an object of texts with a name."""
    output: Annotated[str, _NAME] = ""
    """The file of what was judged."""
    task: str = ""
    """What was asked for."""
    scores: Annotated[
        Mapping[str, WrittenOpinion],
        {
            "keys": DIMENSIONS,
            "closed": True,
            "noun": "dimension",
            "is": f"an object with the seven dimensions: {', '.join(DIMENSIONS)}",
            "lacks": "{name} is missing; all seven dimensions are needed; none is filled in",
        },
    ] = field(kw_only=True)
    """All seven; a bare number may replace each object."""
    red_flags: Annotated[tuple[WrittenClaim, ...], _CLAIMS] = ()
    """Those raised; a bare id may replace each object."""
    bonuses: Annotated[tuple[WrittenClaim, ...], _CLAIMS] = ()
    """Those earned; a bare id may replace each object."""


def judgement_from(document: object) -> Judgement:
    """The judgement a document describes. JudgementError carries every problem, each with its path."""
    if isinstance(document, Mapping) and document.get("schema") is None and document.keys() >= _SCORECARD_KEYS:
        said = 'looks like a scorecard without its schema, "evenhand/scorecard/v1"'
        raise JudgementError(Problem(said, path=("schema",)))
    written: Any = codec.read(WrittenJudgement, document, error=JudgementError)
    return Judgement(
        opinions={name: _opinion(written.scores[name]) for name in DIMENSIONS},
        red_flags=tuple(Claim(claim.id, claim.explanation, _quotes(claim.evidence)) for claim in written.red_flags),
        bonuses=tuple(Claim(claim.id, claim.explanation, _quotes(claim.evidence)) for claim in written.bonuses),
        judge=written.judge,
        skill=written.skill.strip() or UNNAMED,
        id=written.id,
        rubric=written.rubric or None,
        output=written.output or None,
        task=written.task or None,
    )


def _opinion(written: Any) -> Opinion:
    verdict = written.score if written.unscored is None else Unscored(written.unscored)
    return Opinion(
        Unscored("") if verdict is None else verdict,  # until its criteria are scored
        written.justification,
        _quotes(written.evidence),
        verdicts={
            id: Verdict(given.answer, given.reason, _quotes(given.evidence))
            for id, given in (written.criteria or {}).items()
        },
    )


def _quotes(written: tuple[WrittenQuote, ...]) -> tuple[Evidence, ...]:
    return tuple(Evidence(quote.quote) for quote in written)
