"""A rubric in another format -> one of ours as far as nothing has to be invented, and a list of decisions to make.

Texts, levels with clear scores, exact weights and allowed amounts are kept. Everything else becomes a decision:
a line `TODO(convert)` in the result, which the reader refuses, so that a half-converted rubric cannot be used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from evenhand.core.numbers import cents, exact, points, score, shown
from evenhand.core.rules import BONUS, DEDUCTION_CAP, DIMENSIONS
from evenhand.core.values import Band
from evenhand.errors import InputError, Problem, RubricError, nearest
from evenhand.in_words import shortened
from evenhand.names import is_id, slug
from evenhand.reading.text import read_text
from evenhand.rubrics.conversion.converted_levels import bands_from
from evenhand.rubrics.conversion.converted_weights import converted_weights
from evenhand.rubrics.conversion.foreign import Claim, Criterion, Foreign
from evenhand.rubrics.rubric_file import parse_rubric
from evenhand.rubrics.unread_numbers import TO_DECIDE
from evenhand.rubrics.weights import shown_percent

_SIMILAR = {
    "correctness": "accuracy accurate factuality factual truth truthfulness validity right faithfulness groundedness",
    "completeness": "coverage thoroughness depth comprehensiveness recall",
    "adherence": "instruction instructions following compliance relevance requirements format scope",
    "actionability": "usefulness helpfulness usability utility practicality",
    "efficiency": "concision conciseness brevity economy performance cost",
    "safety": "harm harmlessness security privacy toxicity ethics risk",
    "consistency": "coherence style tone uniformity",
}
"""Words that often mean a dimension of ours: a hint to the person who decides, never a decision."""


class Converted(NamedTuple):
    """A rubric file's text, and what is left to decide before it can be used."""

    text: str
    decisions: tuple[Problem, ...]


def convert_rubric(path: str, *, name: str | None = None) -> Converted:
    """Convert a YAML, JSON or Markdown rubric. `name` is the name of the result; by default, the file's."""
    text = read_text(path)
    name = name or slug(Path(path).stem) or "converted"
    if _is_ours(text, path, name):
        return Converted(text, ())
    foreign = _read(text, path)
    if not foreign.criteria and not foreign.red_flags and not foreign.bonuses:
        raise RubricError(Problem("no criteria, red flags or bonuses found; is it a rubric?", path))
    return _Writer(foreign, name).write()


def _is_ours(text: str, path: str, name: str) -> bool:
    """Whether a Markdown file already is one of our rubrics with this name."""
    if Path(path).suffix.lower() in (".json", ".yaml", ".yml"):
        return False
    try:
        return parse_rubric(text, path, name=name).rubric.name == name
    except RubricError:
        return False


def _read(text: str, path: str) -> Foreign:
    from evenhand.reading.json_values import load_json
    from evenhand.reading.yaml_values import load_yaml
    from evenhand.rubrics.conversion.foreign_data import read_data
    from evenhand.rubrics.conversion.foreign_markdown import read_markdown

    suffix = Path(path).suffix.lower()
    try:
        if suffix == ".json" or (
            suffix not in (".md", ".markdown", ".yaml", ".yml") and text.lstrip()[:1] in ("{", "[")
        ):
            return read_data(load_json(text, path))
        if suffix in (".yaml", ".yml"):
            return read_data(load_yaml(text, path))
    except InputError as error:
        raise RubricError(error.problems) from None
    return read_markdown(text, path)


class _Writer:
    def __init__(self, foreign: Foreign, name: str) -> None:
        self._foreign = foreign
        self._name = name
        self._decisions: list[Problem] = []
        self._body: list[str] = []

    def write(self) -> Converted:
        placed = dict.fromkeys(DIMENSIONS) | {
            criterion.name.strip().lower(): criterion
            for criterion in self._foreign.criteria
            if criterion.name.strip().lower() in DIMENSIONS
        }
        others = [criterion for criterion in self._foreign.criteria if criterion.name.strip().lower() not in DIMENSIONS]
        front = self._front()
        weights = converted_weights(self._foreign.criteria, self._decide)
        if weights is not None:
            front += ["weights:", *(f"  {name}: {shown_percent(weight)[:-1]}" for name, weight in weights.items())]
        for criterion in others:
            self._place(criterion)
        self._body += ["## Dimensions", ""]
        for name in DIMENSIONS:
            self._dimension(name, placed[name], bool(others))
        front += self._claims("red_flags", self._foreign.red_flags, self._flag)
        front += self._claims("bonuses", self._foreign.bonuses, self._bonus)
        self._rest()
        title = self._foreign.texts.get("title") or self._name.replace("-", " ").capitalize()
        summary = "\n\n".join(map(_paragraph, self._foreign.texts.get("summary", "").split("\n\n")))
        head = ["---", *front, "---", "", f"# {title}", "", *([summary, ""] if summary else [])]
        return self._checked("\n".join([*head, *self._body]).rstrip() + "\n")

    def _front(self) -> list[str]:
        texts = self._foreign.texts
        front = [f"name: {_quoted(self._name)}"]
        front += [f"{key}: {_quoted(texts[key])}" for key in ("title", "domain", "version") if texts.get(key)]
        if self._foreign.pass_mark is not None:
            written, line = self._foreign.pass_mark
            mark = _pass_mark(written)
            if mark is None:
                self._decide(
                    f'the pass mark "{written}" is not a score from 1 to 10; write pass_mark: in the front matter', line
                )
            else:
                front.append(f"pass_mark: {shown(mark)}")
        if texts.get("pass_mark_reason"):
            front.append(f"pass_mark_reason: {_quoted(texts['pass_mark_reason'])}")
        return front

    def _decide(self, message: str, line: int, *notes: str) -> None:
        """Note a decision, and write it where the person will work on it."""
        problem = Problem(" ".join(message.split()), self._foreign.source, line)
        self._decisions.append(problem)
        self._body += [f"{TO_DECIDE}: {problem}", "", *([*notes, ""] if notes else [])]

    def _place(self, criterion: Criterion) -> None:
        """A criterion that is none of the seven."""
        words = set(slug(criterion.name).split("-"))
        near = [name for name, similar in _SIMILAR.items() if words & {name, *similar.split()}]
        guess = near or nearest(criterion.name, DIMENSIONS)
        hint = f" (perhaps {guess[0]})" if guess else ""
        weight = f", weight {criterion.weight}," if criterion.weight is not None else ""
        text = [f"- {level.label}: {level.text}" for level in criterion.levels]
        self._decide(
            f'"{criterion.name}"{weight} is none of the seven dimensions; move its text to one{hint}, or drop it',
            criterion.line,
            *([f"> {_paragraph(criterion.measures)}", ""] if criterion.measures else []),
            *(["> " + line for line in text]),
        )

    def _dimension(self, name: str, criterion: Criterion | None, others: bool) -> None:
        self._body += [f"### {name.capitalize()}", ""]
        if criterion is None:
            source = "; one of the criteria above may belong here" if others else ""
            self._decide(f"no criterion covers {name}: write its bands, 9-10, 7-8, 5-6, 3-4, 1-2{source}", 1)
            return
        if criterion.measures:
            self._body += [f"**Measures:** {criterion.measures}", ""]
        bands = bands_from(criterion.levels)
        if isinstance(bands, str):
            levels = [f"> {level.label}: {level.text}" for level in criterion.levels]
            self._decide(f"{name}: {bands}; write the bands 9-10, 7-8, 5-6, 3-4, 1-2", criterion.line, *levels)
            return
        self._body += [*(f"- {_range(band)}: {band.criteria}" for band in bands), ""]

    def _claims(self, field: str, claims: Sequence[Claim], write: Callable[[Claim], str | tuple[str]]) -> list[str]:
        """Write a list of flags or bonuses; returns its front matter, only needed for checks that detect them."""
        if not claims:
            return []
        self._body += [f"## {field.replace('_', ' ').capitalize()}", ""]
        bullets: list[str] = []
        front = [f"{field}:"]
        for claim in claims:
            written = write(claim)
            if isinstance(written, str):
                self._decide(written, claim.line)
                continue
            bullets += written
            front.append(f"  - id: {_quoted(_id(claim))}")
            front += [f"    detect: {_quoted(claim.detect)}"] if claim.detect else []
        self._body += [*bullets, ""]
        return front if any(claim.detect for claim in claims) else []

    def _flag(self, claim: Claim) -> str | tuple[str]:
        """The bullet of a red flag, or what has to be decided about it."""
        shown_text = claim.text or claim.id
        if not claim.text:
            return f'the red flag "{claim.id}" has no description; write one, or drop it'
        if claim.amount is None:
            if claim.fails:
                most = points(DEDUCTION_CAP)
                return f'"{shown_text}" fails outright; write it as a red flag with a deduction of at most {most}'
            return (_bullet(claim, ""),)
        amount = _amount(claim.amount)
        if amount is None or not 0 < amount <= points(DEDUCTION_CAP) or cents(amount) != amount:
            limit = f"a deduction is more than 0, at most {points(DEDUCTION_CAP)}, with two decimals"
            return f'"{shown_text}" costs {claim.amount}; {limit}: choose its amount'
        return (_bullet(claim, f" (-{cents(amount)})"),)

    def _bonus(self, claim: Claim) -> str | tuple[str]:
        if not claim.text:
            return f'the bonus "{claim.id}" has no description; write one, or drop it'
        if claim.amount is not None and _amount(claim.amount) != points(BONUS):
            return (
                f'"{claim.text}" earns {claim.amount}, and every bonus is {points(BONUS)}: keep it at that, or drop it'
            )
        return (_bullet(claim, ""),)

    def _rest(self) -> None:
        """What does not fit into one of our rubrics."""
        if self._foreign.left:
            self._body += ["## Not carried over", ""]
        for part in self._foreign.left:
            self._decide(
                f'"{shortened(part.text, 120)}" has no place in a rubric; move it to a text above, or drop it',
                part.line,
            )

    def _checked(self, text: str) -> Converted:
        """A result with nothing left to decide must load."""
        try:
            parse_rubric(text, self._foreign.source, name=self._name)
        except RubricError as error:
            if not self._decisions:
                self._decisions = [
                    Problem(f"line {problem.line} of the result: {problem.message}", self._foreign.source)
                    for problem in error.problems
                ]
        return Converted(text, tuple(sorted(self._decisions, key=lambda problem: problem.line or 0)))


def _bullet(claim: Claim, amount: str) -> str:
    return f"- `{_id(claim)}`{amount}: {' '.join(claim.text.split())}"


def _id(claim: Claim) -> str:
    return claim.id if is_id(claim.id) else slug(claim.id or claim.text)


def _amount(written: str) -> Decimal | None:
    text = written.strip().lstrip("-\u2212+ ")
    for unit in ("points", "point", "pts", "pt"):
        text = text.removesuffix(unit).rstrip()
    try:
        return exact(text)
    except ValueError:
        return None


def _pass_mark(written: str) -> Decimal | None:
    """A pass mark on our scale: 7.5, 7.5/10, 75%, 75/100."""
    text = written.replace(" ", "")
    tenth = text.endswith(("%", "/100"))
    try:
        number = exact(text.removesuffix("%").removesuffix("/100").removesuffix("/10"))
        number = number / 10 if tenth else number
        return number if score(number) == number else None
    except ValueError:
        return None


def _paragraph(text: str) -> str:
    """Text escaped so that it starts no heading, list, table or block."""
    return f"\\{text}" if text[:1] in tuple("#>|`~*+-=<") or re.match(r"[0-9]+[.)]\s", text) else text


def _range(band: Band) -> str:
    return f"{band.low}-{band.high}" if band.low != band.high else str(band.low)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
