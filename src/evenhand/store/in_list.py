"""A store's one list of all it keeps: what each entry is, how it went, what it cost. Pure."""

from __future__ import annotations

from decimal import Decimal
from typing import Final, Literal, NamedTuple, get_args

from evenhand.core.scorecard import Scorecard
from evenhand.errors import InputError
from evenhand.work.answer_text import answer_text
from evenhand.work.submission import Submission

Kind = Literal["output", "agent run", "review", "suite", "pairs"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""An output alone, an agent's whole run, a person's review, the cell of a suite, and the pairs that a suite's judges
compared, which are one entry for each run of the suite."""

State = Literal["graded", "incomplete", "unread", "failed", "lost"]
STATES: Final[tuple[State, ...]] = get_args(State)
"""With a final score; with a dimension that lacks one; checked by programs alone; an attempt in which no dimension was
scored; a cell of a suite in which the agent itself failed."""

TITLE: Final = 90
"""Characters of a title."""

PREVIEW: Final = 160
BILLIONTHS: Final = 1_000_000_000
_LARGEST: Final = 2**63


class InList(NamedTuple):
    """The columns from `state` on."""

    state: str
    kind: str
    title: str
    """How the task begins, else the output, else the file it came from."""
    preview: str
    """How the output begins, where its text may be kept."""
    reason: str
    """Why it has no final score."""
    judge_name: str
    case_id: str
    """The id that was given, or its own."""
    suite_run: str | None
    variant: str | None
    asked: int | None
    """Replies that were paid for; None when no model was asked."""
    input_tokens: int
    output_tokens: int
    cost: int | None
    """What judges cost, in billionths of a dollar; None when a price is unknown."""


def in_list(card: Scorecard, submission: Submission | None, *, preview: str | None) -> InList:
    """A scorecard's place in the list; `preview` is of the output, None where no text of it may be kept."""
    asked, input_tokens, output_tokens, cost = _calls(card)
    place = card.suite
    output = "" if preview is None else answer_text(preview)
    task = card.task or (submission.task if submission is not None and preview is not None else None) or ""
    lines = card.dimensions.values()
    return InList(
        _state(card),
        _kind(card, submission),
        first_line(task) or first_line(output) or first_line(card.output or "") or card.id,
        _shown_preview(card, task, output),
        "" if card.final is not None else plain(next(filter(None, (line.unscored for line in lines)), "")),
        plain(str(card.judge.get("name", ""))),
        plain(card.id if card.case is None else card.case),
        None if place is None else plain(place.run),
        None if place is None else plain(place.variant),
        asked,
        input_tokens,
        output_tokens,
        cost,
    )


def _shown_preview(card: Scorecard, task: str, output: str) -> str:
    """How the output begins, after the line that is the title; of a judgement alone its first reason."""
    if output.strip():
        return flat(output if first_line(task) else output.strip().partition("\n")[2], PREVIEW)
    return flat(next((line.justification for line in card.dimensions.values() if line.justification), ""), PREVIEW)


def nothing_scored(card: Scorecard) -> bool:
    """Whether it is an attempt: someone or some model was to read the work, and no dimension was scored."""
    none_scored = all(line.score is None for line in card.dimensions.values())
    return none_scored and (card.checked is None or card.panel is not None)


def _state(card: Scorecard) -> State:
    if card.final is not None:
        return "graded"
    if nothing_scored(card):
        return "failed"
    return "unread" if card.unread else "incomplete"


def _kind(card: Scorecard, submission: Submission | None) -> Kind:
    if card.review is not None:
        return "review"
    if card.suite is not None:
        return "suite"
    return "agent run" if submission is not None and submission.events else "output"


def _calls(card: Scorecard) -> tuple[int | None, int, int, int | None]:
    """What models were asked. A rescored evaluation asked no one: what was paid for stands where it was."""
    if card.panel is None or card.rescored_from is not None:
        return None, 0, 0, None
    calls = card.panel.calls
    numbers = calls.asked, calls.input_tokens, calls.output_tokens, billionths(calls.cost)
    for number in numbers:
        if number is not None and not 0 <= number < _LARGEST:
            raise InputError(f"{number} calls, tokens or billionths of a dollar are more than a store can count")
    return numbers


def billionths(dollars: Decimal | None) -> int | None:
    """A cost as it is kept."""
    return None if dollars is None else round(dollars * BILLIONTHS)


def first_line(text: str) -> str:
    """The first line that says something, without the signs of a heading, shortened to a title."""
    for line in text[: 20 * TITLE].splitlines():
        words = line.strip().lstrip("#").strip()
        if words:
            return flat(words, TITLE)
    return ""


def plain(text: str) -> str:
    """A text as both databases take it: without NUL and halves of surrogate pairs."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def flat(text: str, most: int) -> str:
    """A text in one line, shortened between words."""
    words = " ".join(plain(text[: 10 * most]).split())
    if len(words) <= most:
        return words
    cut = words[:most].rpartition(" ")[0] or words[:most]
    return f"{cut} …"
