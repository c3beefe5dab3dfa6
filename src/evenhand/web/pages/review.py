"""Review by people: the rounds, the items of a round, and one item, blind until its reviewer has decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from evenhand.core.numbers import plain
from evenhand.core.rules import DIMENSIONS
from evenhand.reports.html.texts.judged_text import judged_text
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.store.tables.reviews import Decision, Progress, ReviewRound
from evenhand.trust.labels.reviews import CANNOT_SCORE, Fields, Task, draft_fields, fields_of, open_task, quote_checks
from evenhand.web.page import Page, Sheet
from evenhand.web.pages.cells import judge_name, score_number
from evenhand.web.parameters import NotFound, Parameters, link

ROUNDS: Final = "/reviews"
ROUND: Final = "/review-round"
ITEM: Final = "/review"

MOST_ITEMS: Final = 10_000

CORRECT: Final = "correct"
"""The parameter of the page on which a decision is corrected."""

REASON: Final = "reason"
"""The field that says why."""

MOST_OF_A_REASON: Final = 500
"""Characters."""


class Notice(NamedTuple):
    """What a reviewer must know before going on."""

    kind: str
    """`problems` or `conflict`."""
    says: Sequence[str]


def rounds(store: Store, parameters: Parameters, person: str) -> Page:
    """Every round, newest first, with what this person and others have done; and the form to start one."""
    started = store.review_rounds()
    progress = store.review_progress([round.id for round in started])
    rows = [_round_row(round, progress[round.id], person) for round in started]
    return Page(
        name="reviews",
        title="Review",
        template="reviews.html",
        document={"rounds": rows},
        sheet=Sheet(
            ("id", "created", "method", "items", "done by you", "done by others"),
            [[r["id"], r["created"], r["method"], r["size"], r["done"], r["done_by_others"]] for r in rows],
        ),
        shown={"skills": store.skill_names(limit=200)},
    )


def _round_row(round: ReviewRound, progress: Sequence[Progress], person: str) -> dict[str, Any]:
    mine = [entry for entry in progress if entry.person == person]
    others = [entry for entry in progress if entry.person != person and entry.done]
    return {
        **round._asdict(),
        "done": sum(entry.done for entry in mine),
        "drafts": sum(not entry.done for entry in mine),
        "done_by_others": len(others),
        "reviewers": len({entry.person for entry in progress}),
    }


def round_page(store: Store, parameters: Parameters, person: str) -> Page:
    """The items of a round. Why an item was chosen would give its scores away, so that shows once it is decided."""
    id = parameters.needed("id", "the id of a round")
    started = store.review_round(id)
    if started is None:
        raise NotFound(f'There is no round of review "{id}".')
    progress = store.review_progress([id])[id]
    mine = {entry.place: entry.done for entry in progress if entry.person == person}
    decided: dict[int, int] = {}
    for entry in progress:
        decided[entry.place] = decided.get(entry.place, 0) + entry.done
    rows: list[dict[str, Any]] = []
    for item in store.review_items(id):
        done = mine.get(item.place, False)
        rows.append(
            {
                "item": item.place,
                "skill": item.skill,
                "state": "done" if done else "draft" if item.place in mine else "open",
                "reviewers": decided.get(item.place, 0),
                "probability": float(item.probability) if done or started.method == "sample" else None,
                "doubts": item.doubts if done else None,
            }
        )
    head = ("item", "skill", "state", "reviewers", "probability", "doubts")
    return Page(
        name=f"review-{id}",
        title="Round of review",
        template="review_round.html",
        document={"round": _round_row(started, progress, person), "items": rows},
        sheet=Sheet(head, [[row[name] for name in head] for row in rows]),
        shown={"next": _next_open(len(rows), mine, 0), "item_path": ITEM},
    )


def item_page(
    store: Store,
    parameters: Parameters,
    person: str,
    *,
    submitted: Fields | None = None,
    notice: Notice | None = None,
    reason: str = "",
) -> Page:
    """One item: blind with the person's draft, or what they have sent, or once they have decided the comparison.

    A decision is corrected on the same page, which begins with what was decided.
    """
    task = task_of(store, parameters)
    round, place = task.item.round, task.item.place
    decisions = store.decisions(round, place)
    mine = next((decision for decision in decisions if decision.person == person), None)
    progress = store.review_progress([round])[round]
    done = {entry.place: entry.done for entry in progress if entry.person == person}
    document = {
        "round": round,
        "item": place,
        "of": task.round.size,
        "done": sum(done.values()),
        "skill": task.record.skill,
        "rubric": task.rubric.rubric.name,
        "task": task.submission.task,
        "output": task.submission.output,
    }
    common = _common(task, done)
    correcting = mine is not None and bool(parameters.text(CORRECT))
    if mine is not None and not correcting:
        return _decided(store, task, mine, decisions, document, common)
    version = parameters.number("version", 0, most=2**31) or None
    newest = store.review_draft(round, place, person)
    draft = newest if version is None else store.review_draft(round, place, person, version)
    fields = draft_fields(draft) if submitted is None else submitted
    if mine is not None and submitted is None and draft.version == 0:
        fields = fields_of(decided_record(store, mine))
    if correcting:
        common["decided_address"] = common["own_address"]
        common["own_address"] = link(ITEM, {"round": round, "item": str(place), CORRECT: "1"})
    problems = notice is not None and notice.kind == "problems"
    return Page(
        name=f"review-{round}-{place}",
        title=f"Item {place} of {task.round.size}",
        template="review.html",
        document={**document, "decided": correcting, "version": newest.version, "draft": dict(fields)},
        sheet=Sheet(("field", "value"), sorted(fields.items())),
        shown={
            **common,
            "notice": notice,
            "saved": newest.saved,
            "fields": fields,
            "dimensions": _dimensions(task),
            "claims": _claims(task),
            "quotes": quote_checks(task.submission, fields),
            "cannot": CANNOT_SCORE,
            "earlier": version,
            "correcting": correcting,
            "reason_field": REASON,
            "most_of_a_reason": MOST_OF_A_REASON,
            "reason": reason,
        },
        status=200 if notice is None else 422 if problems else 409,
    )


def _common(task: Task, done: Mapping[int, bool]) -> dict[str, Any]:
    """What the page of an item shows before and after a decision: the text, and the way to other items."""
    round, place = task.item.round, task.item.place
    return {
        "text": judged_text(task.submission, ()),
        "previous": _address(round, place - 1) if place > 1 else "",
        "following": _address(round, place + 1) if place < task.round.size else "",
        "next_open": _next_open(task.round.size, done, place),
        "round_address": link(ROUND, {"id": round}),
        "own_address": _address(round, place),
        "item_path": ITEM,
    }


def task_of(store: Store, parameters: Parameters) -> Task:
    """The item that an address names."""
    round = parameters.needed("round", "a round of review")
    place = parameters.number("item", 1, most=MOST_ITEMS)
    try:
        return open_task(store, round, place)
    except LookupError as error:
        raise NotFound(str(error.args[0])) from None


def _address(round: str, place: int) -> str:
    return link(ITEM, {"round": round, "item": str(place)})


def _next_open(size: int, done: Mapping[int, bool], after: int) -> int | None:
    """The next item that this person has not decided, from one on and round again; None when all are."""
    order = [*range(after + 1, size + 1), *range(1, after + 1)]
    return next((place for place in order if not done.get(place, False)), None)


def _dimensions(task: Task) -> list[dict[str, Any]]:
    rubric = task.rubric.rubric
    return [
        {
            "name": name,
            "weight": f"{plain(100 * rubric.weights[name])}%",
            "measures": rubric.dimensions[name].measures,
            "bands": rubric.dimensions[name].bands,
        }
        for name in DIMENSIONS
    ]


def _claims(task: Task) -> list[dict[str, Any]]:
    rubric = task.rubric.rubric
    flags = [("flag", flag.id, flag.description) for flag in rubric.red_flags]
    bonuses = [("bonus", bonus.id, bonus.description) for bonus in rubric.bonuses]
    return [{"kind": kind, "id": id, "description": description} for kind, id, description in (*flags, *bonuses)]


def _decided(
    store: Store,
    task: Task,
    mine: Decision,
    decisions: Sequence[Decision],
    document: Mapping[str, Any],
    common: Mapping[str, Any],
) -> Page:
    """The comparison, which only those see who have decided."""
    review = decided_record(store, mine)
    others = [store.get(decision.evaluation) for decision in decisions if decision is not mine]
    columns = [_column("you", review), _column(judge_name(task.record.judge), task.record)]
    columns += [_column(judge_name(record.judge), record) for record in others if record is not None]
    rows = [
        [name, *(column["scores"][place] for column in columns)] for place, name in enumerate((*DIMENSIONS, "final"))
    ]
    chosen = {
        "method": task.round.method,
        "probability": float(task.item.probability),
        "doubts": task.item.doubts,
        "population": task.round.population,
    }
    return Page(
        name=f"review-{mine.round}-{mine.place}",
        title=f"Item {mine.place} of {task.round.size}, decided",
        template="review_decided.html",
        document={**document, "decided": True, "chosen": chosen, "comparison": columns, **_corrected(store, mine)},
        sheet=Sheet(("dimension", *(column["judge"] for column in columns)), rows),
        shown={**common, "rows": rows, "correct_address": link(ITEM, {**_where(mine), CORRECT: "1"})},
    )


def decided_record(store: Store, decision: Decision) -> Record:
    """The evaluation that a decision became."""
    record = store.get(decision.evaluation)
    if record is None:
        raise NotFound(f"The evaluation {decision.evaluation} of this review is no longer in the store.")
    return record


def _where(decision: Decision) -> dict[str, str]:
    return {"round": decision.round, "item": str(decision.place)}


def _corrected(store: Store, mine: Decision) -> dict[str, Any]:
    """What a person decided earlier, if they corrected it."""
    corrections = [one for one in store.corrections(mine.round, mine.place) if one.person == mine.person]
    rows = [{"evaluation": one.replaces, "corrected": one.decided, "reason": one.reason} for one in corrections]
    return {"earlier": rows} if rows else {}


def _column(judge: str, record: Record) -> dict[str, Any]:
    return {
        "judge": judge,
        "evaluation": record.id,
        "grade": record.grade,
        "scores": [score_number(score) for score in (*record.scores, record.final)],
    }
