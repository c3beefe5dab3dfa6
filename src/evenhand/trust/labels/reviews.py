"""One review: what a person has filled in, saved as a draft, and in the end made an ordinary judgement of theirs.

Every person has their own draft and judgement. A save names the version of the draft that it builds on; when
there is a newer one, from another tab, nothing is written and `DraftConflict` is raised.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple

from evenhand import clock
from evenhand.core.judgement import PERSON, Claim, Evidence, Judgement, Opinion, Unscored
from evenhand.core.receipt import canonical_text, sha256
from evenhand.core.rubric import Rubric
from evenhand.core.rules import DIMENSIONS
from evenhand.core.scorecard import Review
from evenhand.errors import NUL, InputError, Problem, shortened
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import Keeper
from evenhand.judging.steps import Steps
from evenhand.rubrics.resolved import ResolvedRubric
from evenhand.store.protocol import Store
from evenhand.store.record import Record, kept_submission
from evenhand.store.submission_text import transcript_from
from evenhand.store.tables.reviews import Correction, Decision, Draft, ReviewItem, ReviewRound
from evenhand.store.tables.web_log import LogEntry
from evenhand.trust.labels.review_rounds import rubric_of
from evenhand.work.label import FINAL
from evenhand.work.printable import printable
from evenhand.work.quotes import Quotable, checker
from evenhand.work.submission import Submission, submission_sha256

CANNOT_SCORE: Final = "unscored"
"""The value of a score that a person does not want to give."""

LONGEST: Final = 20_000
"""Characters of one field."""

Fields = Mapping[str, str]
"""What was filled in, by the name of the field: `score.safety`, `why.safety`, `quotes.safety`, and for claims
`flag.ID`, `flag-why.ID`, `flag-quotes.ID`, and the same with `bonus`. Empty fields are left out. One quote a line."""


class DraftConflict(Exception):
    """The draft was saved elsewhere since; `version` is the newest."""

    def __init__(self, version: int) -> None:
        super().__init__(f"a newer version of this draft was saved elsewhere (version {version})")
        self.version = version


class AlreadyDecided(Exception):
    """This person has decided on this item; a decision is not changed, only replaced by a correction."""


class NotDecided(Exception):
    """There is no decision of this person to correct."""


class Task(NamedTuple):
    """An item as its reviewer gets it: what was judged and by which rubric, and nothing that anyone said about it."""

    round: ReviewRound
    item: ReviewItem
    record: Record
    """The evaluation under review; its scores are shown only after the decision."""
    submission: Submission
    rubric: ResolvedRubric


def open_task(store: Store, round: str, place: int) -> Task:
    """An item of a round. LookupError when there is none."""
    started = store.review_round(round)
    if started is None:
        raise LookupError(f'There is no round of review "{round}".')
    items = store.review_items(round)
    if not 1 <= place <= len(items):
        raise LookupError(f"The round has items from 1 to {len(items)}, and no item {place}.")
    item = items[place - 1]
    record = store.get(item.evaluation)
    submission = None if record is None else _submission(store, record)
    if record is None or submission is None:
        raise LookupError(f"The text of item {place} is no longer in the store.")
    return Task(started, item, record, submission, rubric_of(store, item.rubric_sha256))


def round_rows(store: Store, round: str, person: str) -> list[dict[str, str]]:
    """A round as a table of labels: a row for each item with its text, and what everyone who decided on it gave.

    Where no one has, a column waits for the final score of `person`. LookupError when there is no such round.
    """
    rows: list[dict[str, str]] = []
    given: list[dict[str, str]] = []
    for place in range(1, max(1, len(store.review_items(round))) + 1):
        task = open_task(store, round, place)
        receipt = task.record.document["receipt"]
        rows.append(
            {
                "submission": str(receipt["submission"]),
                "skill": task.record.skill,
                "asked": task.submission.task or "",
                "output": task.submission.output,
                "probability": task.item.probability,
            }
        )
        given.append({})
        for decision in store.decisions(round, place):
            record = store.get(decision.evaluation)
            scores = () if record is None else (record.final, *record.scores)
            for field, score in zip((FINAL, *DIMENSIONS), scores, strict=False):
                given[-1][f"{decision.person}:{field}"] = "" if score is None else f"{Decimal(score) / 100:.2f}"
    columns = sorted({name for scores in given for name in scores}) or [f"{person}:{FINAL}"]
    return [row | {name: scores.get(name, "") for name in columns} for row, scores in zip(rows, given, strict=True)]


def _submission(store: Store, record: Record) -> Submission | None:
    """What was judged: an output that was kept with its evaluation, or a transcript that was kept with the round."""
    if record.submission is not None:
        return kept_submission(json.loads(record.submission))
    digest = record.document["receipt"]["submission"]
    text = store.review_text(digest)
    kept = None if text is None else transcript_from(text)
    return kept if kept is not None and submission_sha256(kept) == digest else None  # never another text


def field_names(rubric: Rubric) -> list[str]:
    """Every field of the form."""
    names = [f"{part}.{name}" for name in DIMENSIONS for part in ("score", "why", "quotes")]
    for kind, claims in (("flag", rubric.red_flags), ("bonus", rubric.bonuses)):
        names += [f"{part}.{claim.id}" for claim in claims for part in (kind, f"{kind}-why", f"{kind}-quotes")]
    return names


def cleaned(form: Mapping[str, Any], rubric: Rubric) -> dict[str, str]:
    """The fields of the form and no others, empty ones left out. InputError for what no form of ours sends."""
    fields = {}
    for name in field_names(rubric):
        value = form.get(name, "")
        if not isinstance(value, str):
            raise InputError(f"{name} must be text")
        text = value.replace("\r\n", "\n").replace("\r", "\n")
        if "\0" in text:
            raise InputError(f"{name} {NUL}")
        if len(text) > LONGEST:
            raise InputError(f"{name} has {len(text)} characters; {LONGEST} are allowed")
        if not text.isascii() and text != text.encode("utf-8", "replace").decode():
            raise InputError(f"{name} is not valid Unicode")
        if text.strip():
            fields[name] = text
    return fields


def draft_fields(draft: Draft) -> dict[str, str]:
    """What a draft holds."""
    fields: dict[str, str] = json.loads(draft.content)
    return fields


def fields_of(record: Record) -> dict[str, str]:
    """What was filled in for a review that was decided, as its scorecard has it."""
    document = record.document
    fields: dict[str, str] = {}
    for name, line in document["dimensions"].items():
        fields[f"score.{name}"] = CANNOT_SCORE if line["score"] is None else str(line["score"])
        fields[f"why.{name}"] = str(line.get("unscored") or line["justification"])
        fields[f"quotes.{name}"] = _quote_lines(line)
    for kind, claims in (("flag", document["red_flags"]), ("bonus", document["bonuses"])):
        for claim in claims:
            id = claim["id"]
            fields |= {f"{kind}.{id}": "yes", f"{kind}-why.{id}": str(claim.get("explanation") or "")}
            fields[f"{kind}-quotes.{id}"] = _quote_lines(claim)
    return {name: text for name, text in fields.items() if text.strip()}


def _quote_lines(line: Mapping[str, Any]) -> str:
    return "\n".join(" ".join(str(entry["quote"]).split("\n")) for entry in line.get("evidence") or ())


def save_draft(
    store: Store,
    task: Task,
    person: str,
    fields: Fields,
    based_on: int,
    entry: LogEntry,
    *,
    correcting: bool = False,
) -> Draft:
    """The draft as it was saved. Only the first save of an item is logged."""
    where = (task.item.round, task.item.place, person)
    content = canonical_text(dict(fields))
    with store.transaction():
        current = _checked(store, task, person, based_on, correcting=correcting)
        if current.version and current.content == content:
            return current
        draft = Draft(current.version + 1, clock.now(), content)
        store.add_draft(*where, draft)
        if current.version == 0:
            store.add_log(entry)
    return draft


def decide(store: Store, task: Task, person: str, fields: Fields, based_on: int, entry: LogEntry) -> str:
    """Keep a review for good: an evaluation by `human:PERSON`, linked to what it reviews. Returns its id."""
    evaluated = evaluated_review(task, person, fields)
    with store.transaction():
        _checked(store, task, person, based_on)
        keeper = Keeper(store)
        card = keeper.keep_within(evaluated)
        keeper.raise_if_not_kept()
        store.add_decision(Decision(task.item.round, task.item.place, person, clock.now(), card.id))
        store.add_log(entry)
    return card.id


def correct(store: Store, task: Task, person: str, fields: Fields, based_on: int, reason: str, entry: LogEntry) -> str:
    """Replace a person's decision by another, with the reason; the earlier one stays. Returns the id of the new one."""
    problems = [] if reason.strip() else [Problem("say why you correct your decision")]
    try:
        evaluated_review(task, person, fields)
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)
    where = (task.item.round, task.item.place, person)
    with store.transaction():
        _checked(store, task, person, based_on, correcting=True)
        earlier = decision_of(store, task, person)
        if earlier is None:
            raise NotDecided
        before = store.get(earlier.evaluation)
        evaluated = evaluated_review(task, person, fields, corrects=earlier.evaluation)
        if before is not None and evaluated.card.receipt.judgement == before.document["receipt"]["judgement"]:
            raise InputError("nothing differs from your decision; change something, or leave it as it is")
        keeper = Keeper(store)
        card = keeper.keep_within(evaluated)
        keeper.raise_if_not_kept()
        store.add_correction(Correction(*where, clock.now(), card.id, earlier.evaluation, reason.strip()))
        store.add_log(entry._replace(subject=f"{entry.subject}: {card.id} replaces {earlier.evaluation}"))
    return card.id


def decision_of(store: Store, task: Task, person: str) -> Decision | None:
    """The decision of a person on an item that counts."""
    decisions = store.decisions(task.item.round, task.item.place)
    return next((decision for decision in decisions if decision.person == person), None)


def _checked(store: Store, task: Task, person: str, based_on: int, *, correcting: bool = False) -> Draft:
    """The newest draft, if that is the one to build on, and nothing is decided unless that is what is corrected."""
    decided = decision_of(store, task, person) is not None
    if decided and not correcting:
        raise AlreadyDecided
    if correcting and not decided:
        raise NotDecided
    current = store.review_draft(task.item.round, task.item.place, person)
    if current.version != based_on:
        raise DraftConflict(current.version)
    return current


def evaluated_review(task: Task, person: str, fields: Fields, *, corrects: str | None = None) -> Evaluated:
    """A finished review scored. InputError with everything that is missing or wrong."""
    judgement = _judgement(task, person, fields)
    id = f"review-{sha256(canonical_text([task.item.round, task.item.place, person]))[:20]}"
    evaluated = Steps().evaluate_written(judgement, submission=task.submission, id=id, rubric=task.rubric)
    review = Review(task.item.round, task.item.evaluation, task.round.method, Decimal(task.item.probability), corrects)
    return evaluated._replace(card=evaluated.card._replace(review=review))


def _judgement(task: Task, person: str, fields: Fields) -> Judgement:
    problems: list[Problem] = []
    quotes = {name: _evidence(checks, name, problems) for name, checks in quote_checks(task.submission, fields).items()}
    opinions = {name: _opinion(name, fields, quotes, problems) for name in DIMENSIONS}
    rubric = task.rubric.rubric
    flags = _claims("flag", [flag.id for flag in rubric.red_flags], fields, quotes, problems)
    bonuses = _claims("bonus", [bonus.id for bonus in rubric.bonuses], fields, quotes, problems)
    if problems:
        raise InputError(problems)
    return Judgement(
        opinions=opinions,
        judge={"name": f"{PERSON}{person}"},
        skill=task.record.skill,
        red_flags=flags,
        bonuses=bonuses,
        rubric=task.rubric.found_as,
        task=task.submission.task,
        reference=task.submission.reference,
    )


def _opinion(name: str, fields: Fields, quotes: Mapping[str, tuple[Evidence, ...]], problems: list[Problem]) -> Opinion:
    value, why = fields.get(f"score.{name}", ""), fields.get(f"why.{name}", "").strip()
    score: Decimal | Unscored = Unscored(why)
    if value == CANNOT_SCORE:
        if not why:
            problems.append(Problem(f"{name}: say why it cannot be scored"))
    elif value in _SCORES:
        score = Decimal(value)
    else:
        wrong = "give a score" if not value else "a score is a whole number from 1 to 10"
        problems.append(Problem(f"{name}: {wrong}, or say that it cannot be scored"))
    return Opinion(score, "" if isinstance(score, Unscored) else why, quotes.get(f"quotes.{name}", ()))


_SCORES: Final = frozenset(map(str, range(1, 11)))


def _claims(
    kind: str,
    ids: Sequence[str],
    fields: Fields,
    quotes: Mapping[str, tuple[Evidence, ...]],
    problems: list[Problem],
) -> tuple[Claim, ...]:
    claims = []
    for id in ids:
        why, evidence = fields.get(f"{kind}-why.{id}", "").strip(), quotes.get(f"{kind}-quotes.{id}", ())
        if f"{kind}.{id}" in fields:
            claims.append(Claim(id, why, evidence))
        elif why or evidence:
            problems.append(Problem(f"{id}: has an explanation or a quote, but is not ticked; tick it or empty them"))
    return tuple(claims)


class QuoteCheck(NamedTuple):
    """A quote as it was given, and the passage of the submission that it is; None when there is none."""

    quote: str
    passage: str | None


def quote_checks(submission: Submission, fields: Fields) -> dict[str, list[QuoteCheck]]:
    """Every quote of every field looked up in the submission."""
    find = _finder(submission)
    return {
        name: [QuoteCheck(quote, find(quote)) for line in text.split("\n") if (quote := line.strip())]
        for name, text in fields.items()
        if name.split(".")[0].endswith("quotes")
    }


def _finder(submission: Submission) -> Any:
    check = checker(submission)
    shown = printable(submission.output)
    quotable = Quotable(shown) if shown != submission.output else None

    def find(quote: str) -> str | None:
        if check(Evidence(quote)).verified:
            return quote
        # A page shows a sign in place of each character that nobody could see; what was selected has those signs.
        span = None if quotable is None else quotable.span(quote)
        return None if span is None else submission.output[span[0] : span[1]]

    return find


def _evidence(checks: Sequence[QuoteCheck], field: str, problems: list[Problem]) -> tuple[Evidence, ...]:
    name = field.partition(".")[2]
    for check in checks:
        if check.passage is None:
            start = shortened(check.quote, 60)
            problems.append(Problem(f'{name}: the quote "{start}" is not in the text word for word; select it again'))
    return tuple(Evidence(check.passage) for check in checks if check.passage is not None)
