"""The exact prompts of a model judge. Pure: the nonce is an argument.

Everything is constant except the rubric's texts, the task and the submission; the last two are fenced by lines with the
nonce, and so are our own notes in them. `prompt_hash` covers the constant texts and the reply schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cache, lru_cache
from hashlib import sha256
from typing import Final

from evenhand.core.rubric import Band, Bonus, Criteria, RedFlag, Rubric
from evenhand.core.rules import DIMENSIONS
from evenhand.judges.models.questions import wording
from evenhand.judges.models.questions.criteria_wording import KEYS as CRITERIA_KEYS
from evenhand.judges.models.questions.criteria_wording import ask_criteria, criteria_hash
from evenhand.judges.models.questions.layout import NONCE_HERE, note
from evenhand.judges.models.questions.questions import Question, questions
from evenhand.judges.models.questions.reply_schema import schema
from evenhand.judges.models.questions.shown_work import NONCE_TOKENS, Shown
from evenhand.judges.models.questions.wording import PROMPT_VERSION, SYSTEM
from evenhand.providers.exchange import Message
from evenhand.providers.tokens import estimate_input, estimate_tokens

__all__ = [
    "PLACEHOLDER",
    "PROMPT_VERSION",
    "SYSTEM",
    "Question",
    "messages",
    "nonce_fits",
    "refuse_nonce",
    "prompt_key",
    "prompt_hash",
    "questions",
    "repair",
    "room",
    "schema",
]

PLACEHOLDER: Final = "<nonce>"
"""Replaces the nonce where a prompt is shown or hashed; no real nonce looks like it."""

_NONCE = re.compile(r"[0-9A-Za-z]{8,64}")
_SHARE: Final = 4
"""The whole rubric is shown if it takes at most this part of the window, a quarter."""
_NONCES: Final = 9
"""How often the nonce occurs in a prompt and a repair request, apart from notes."""


def messages(
    rubric: Rubric,
    shown: Shown,
    question: Question,
    nonce: str,
    *,
    window: int | None = None,
    language: str = "",
    examples: str = "",
) -> tuple[Message, ...]:
    """The conversation that asks one question. ValueError when the nonce is invalid or occurs in the fenced text.

    All questions about one submission share everything up to the last break of the user's message. In a small window
    the whole rubric would take the place of the work, so only the part in question is shown, with the question.
    `language` is that of the judge's own sentences; empty leaves it to the judge. `examples` is the text of
    calibration examples.
    """
    refuse_nonce(shown, nonce)
    whole = _shows_whole(rubric, window)
    criteria = (_shown_text(rubric, question) if whole else "") + examples
    work = criteria + fenced(shown, nonce)
    content = work + ("" if whole else _shown_text(_in_question(rubric, question), question))
    content += _question(question, nonce)
    breaks = (len(criteria), len(work)) if criteria else (len(work),)
    system = SYSTEM + (wording.LANGUAGE.format(language=language) if language else "")
    return Message("system", system), _with_pictures(Message("user", content, breaks), shown, nonce)


def _with_pictures(message: Message, shown: Shown, nonce: str) -> Message:
    """The turn with the pictures of the work, before the line that ends their list."""
    if not shown.pictures:
        return message
    at = message.content.rindex(f"pictures {nonce}>>>")
    missing = f"{_noted(note(wording.NO_PICTURES), nonce)}\n"
    return message._replace(pictures=shown.pictures, pictures_at=at, no_pictures=missing)


def prompt_key(
    rubric: Rubric,
    shown: Shown,
    question: Question,
    *turns: str,
    window: int | None = None,
    language: str = "",
    examples: str = "",
) -> str:
    """A hash of everything that makes up a prompt, apart from the nonce; `turns` follow in the conversation."""
    whole = _shows_whole(rubric, window)
    about = rubric_text(rubric if whole else _in_question(rubric, question))
    asked = [*question.dimensions, question.facts]
    asked += [part for report in question.reports for part in (report.id, report.description)]
    for one in question.criteria:
        asked += [criteria_hash(), one.id, one.sentence, *one.answers, one.applies_when]
    texts = [part for text in shown.fenced for part in (("some", text) if text else ("none",))]
    texts += ["masked"] if shown.masked else []
    parts = (prompt_hash(), language, str(whole), about, examples, *texts, question.kind, *asked, "then", *turns)
    return sha256("".join([f"{len(part)}:{part}" for part in parts]).encode("utf-8", "surrogatepass")).hexdigest()


def _shows_whole(rubric: Rubric, window: int | None) -> bool:
    return window is None or _SHARE * estimate_tokens(rubric_text(rubric)) <= window


def repair(question: Question, problem: str, nonce: str, lacking: Sequence[str] = ()) -> Message:
    """The request after an unusable reply: what was wrong with it, and the required form again; with `lacking`, only
    the scores of these dimensions."""
    problem = problem.rstrip(". ")
    if lacking:
        return Message("user", wording.REPAIR_SCORES.format(problem=problem, nonce=nonce, names=", ".join(lacking)))
    keys = CRITERIA_KEYS if question.criteria else wording.KEYS[question.kind]
    return Message("user", wording.REPAIR.format(problem=problem, nonce=nonce, keys=keys))


def refuse_nonce(shown: Shown, nonce: str) -> None:
    """ValueError for a nonce that cannot fence what is shown."""
    if nonce != PLACEHOLDER and not nonce_fits(shown, nonce):
        raise ValueError("the nonce is not 8 to 64 letters and digits, or occurs in the text that it must fence")


def nonce_fits(shown: Shown, nonce: str) -> bool:
    """Whether a nonce can fence a text: letters and digits that do not occur in it."""
    return bool(_NONCE.fullmatch(nonce)) and not any(nonce in text for text in shown.fenced if text)


def room(
    rubric: Rubric,
    candidates: Iterable[Question],
    window: int | None,
    reply_tokens: int,
    *,
    language: str = "",
    examples: str = "",
) -> int | None:
    """The tokens left for the task and the submission after the longest question; None if unbounded."""
    if window is None:
        return None
    empty = Shown(task=" ", text=" ", reference=" ")
    longest = max(
        estimate_input(
            messages(rubric, empty, question, PLACEHOLDER, window=window, language=language, examples=examples)
        )
        for question in candidates
    )
    return max(0, window - reply_tokens - longest - _NONCES * NONCE_TOKENS)


@cache
def prompt_hash() -> str:
    """SHA-256 of every constant text of the prompt and of the reply's shape."""
    return sha256("\0".join([*wording.TEXTS, json.dumps(_shape())]).encode()).hexdigest()


def _shape() -> object:
    """The schema of a reply to all questions at once, for a minimal rubric."""
    criteria = Criteria(measures="", bands=(Band(1, 10, ""),))
    rubric = Rubric("", "", "", "", "", {}, Decimal(7), "", dict.fromkeys(DIMENSIONS, criteria), (), ())
    listed = rubric._replace(red_flags=(RedFlag("flag", "", Decimal(1)),), bonuses=(Bonus("bonus", ""),))
    return schema(listed, Question("all", DIMENSIONS), PLACEHOLDER, bounded=True)


def _in_question(rubric: Rubric, question: Question) -> Rubric:
    """The part of the rubric that a question is about."""
    if question.kind in ("all", "pair"):
        return rubric
    dimensions = {name: criteria for name, criteria in rubric.dimensions.items() if name in question.dimensions}
    if question.kind == "flags":
        return rubric._replace(dimensions=dimensions)
    return rubric._replace(dimensions=dimensions, red_flags=(), bonuses=())


def _shown_text(rubric: Rubric, question: Question) -> str:
    """The rubric before a question; nothing where only criteria are asked about."""
    return "" if question.criteria and not (rubric.dimensions or rubric.red_flags) else rubric_text(rubric)


def rubric_text(rubric: Rubric) -> str:
    """The whole rubric as a judge reads it: the same in every question, whatever it asks about."""
    known = _rubric_texts.get(id(rubric))
    if known is None:
        if len(_rubric_texts) >= _MOST_RUBRICS:
            _rubric_texts.clear()
        dimensions = tuple((name, part._replace(tree=None)) for name, part in rubric.dimensions.items())
        text = _rubric_text(rubric.domain or rubric.title, dimensions, rubric.red_flags, rubric.bonuses)
        known = _rubric_texts[id(rubric)] = (rubric, text)
    return known[1]


_MOST_RUBRICS: Final = 64
_rubric_texts: dict[int, tuple[Rubric, str]] = {}
"""Each with its rubric, which keeps the id from being reused. To hash a rubric takes longer than to read this."""


@lru_cache(maxsize=_MOST_RUBRICS)
def _rubric_text(
    kind: str, dimensions: tuple[tuple[str, Criteria], ...], red_flags: tuple[RedFlag, ...], bonuses: tuple[Bonus, ...]
) -> str:
    qualities = "".join(f"\n{name}: {criteria.measures}\n{_bands(criteria)}\n" for name, criteria in dimensions)
    points = _points("red_flags (faults)", red_flags) + _points("bonuses (rare merits)", bonuses)
    return wording.RUBRIC.format(kind=kind, qualities=qualities, points=points)


def _bands(criteria: Criteria) -> str:
    return "\n".join(f"{band.low}-{band.high}: {band.criteria}" for band in criteria.bands)


def _points(title: str, points: Iterable[RedFlag | Bonus]) -> str:
    rows = "".join(f"- {point.id}: {point.description}\n" for point in points)
    return f"\n{title}:\n{rows}" if rows else ""


def fenced(shown: Shown, nonce: str) -> str:
    """The task and the work between their fences, with the nonce in our own notes."""
    task = wording.TASK.format(nonce=nonce, task=_noted(shown.task, nonce)) if shown.task else wording.NO_TASK
    reference = ""
    if shown.reference:
        reference = wording.REFERENCE.format(nonce=nonce, reference=_noted(shown.reference, nonce))
    text = shown.text if shown.text.strip() else note(wording.EMPTY)
    pictures = wording.PICTURES.format(nonce=nonce, listing=shown.listing) if shown.pictures else ""
    masked = wording.MASKED if shown.masked else ""
    return task + reference + wording.WORK.format(nonce=nonce, text=_noted(text, nonce)) + masked + pictures


def _noted(text: str, nonce: str) -> str:
    """A text with the nonce in our notes; nothing else in it can contain the mark, which `show` removes."""
    return text.replace(NONCE_HERE, nonce)


def _question(question: Question, nonce: str) -> str:
    if question.criteria:
        return ask_criteria(question, nonce)
    if question.kind == "reports":
        reports = "".join(f"- {report.id}: {report.description}\n" for report in question.reports)
        return wording.ASK_REPORTS.format(nonce=nonce, reports=reports)
    names = ", ".join(question.dimensions)
    facts = wording.FACTS.format(facts=_noted(question.facts, nonce)) if question.facts else ""
    ask = {"flags": wording.ASK_FLAGS, "scores": wording.ASK_SCORES, "all": wording.ASK_ALL}[question.kind]
    return ask.format(nonce=nonce, names=names, facts=facts)
