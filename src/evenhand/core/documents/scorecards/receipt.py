"""What of a submission, a rubric and a judgement is hashed, and the receipt made of it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from evenhand.core.basics.canonical import canonical_text, checksum, names_text, number_text, quoted, sha256, sha256_of
from evenhand.core.basics.methodology import DIMENSIONS, METHODOLOGY_VERSION
from evenhand.core.basics.numbers import plain
from evenhand.core.method.arithmetic import make_terms
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.opinion import Claim, Evidence, Opinion, Unscored, Verdict
from evenhand.core.values.rubric import RAW, Bonus, Criteria, RedFlag, Rubric, Terms
from evenhand.core.values.scorecard import Receipt
from evenhand.core.values.submission import Image, Submission

if TYPE_CHECKING:
    from evenhand.core.values.finding import Checked
    from evenhand.core.values.panel import Panel

_AT_ONCE = 256
"""How many events are written at once."""


def submission_sha256(submission: Submission) -> str:
    """The hash of what was judged: task, output, reference, pictures, and of a transcript all that happened."""
    return sha256_of(_canonical_parts(submission))


def _canonical_parts(submission: Submission) -> Iterator[str]:
    """The canonical text of a submission, some events at a time: a transcript may have hundreds of megabytes."""
    yield "{"
    for start in range(0, len(submission.events), _AT_ONCE):
        events = [
            [event.kind, event.role, event.agent, event.text]
            if event.call is None
            else [event.kind, event.role, event.agent, event.call.name, event.call.arguments, event.call.result]
            for event in submission.events[start : start + _AT_ONCE]
        ]
        yield ("," if start else '"events":[') + canonical_text(events)[1:-1]
    if submission.events:
        yield "],"
    if images := images_of(submission):
        pictures = [[place, image.media, image.sha256] for place, image in images]
        yield f'"images":{canonical_text(pictures)},'
    yield f'"output":{canonical_text(submission.output)},'
    if submission.reference is not None:
        yield f'"reference":{canonical_text(submission.reference)},'
    yield f'"task":{canonical_text(submission.task)}}}'


def images_of(submission: Submission) -> list[tuple[int, Image]]:
    """The pictures that could be read, each with the number of its event; 0 for the output."""
    pictures = [(0, image) for image in submission.images]
    pictures += [(number, image) for number, event in enumerate(submission.events, 1) for image in event.images]
    return [(place, image) for place, image in pictures if image.sha256]


def canonical_rubric(rubric: Rubric) -> dict[str, Any]:
    """Everything of a rubric that can shape a judgement or a score."""
    return {
        "name": rubric.name,
        "title": rubric.title,
        "domain": rubric.domain,
        "version": rubric.version,
        "summary": rubric.summary,
        "weights": {name: plain(weight) for name, weight in rubric.weights.items()},
        "pass_mark": plain(rubric.pass_mark),
        "pass_mark_reason": rubric.pass_mark_reason,
        "dimensions": {
            name: {
                "measures": criteria.measures,
                "bands": [{"low": b.low, "high": b.high, "criteria": b.criteria} for b in criteria.bands],
                **_tree(criteria),
            }
            for name, criteria in rubric.dimensions.items()
        },
        "red_flags": [
            {"id": flag.id, "description": flag.description, "deduction": plain(flag.deduction), **_detect(flag)}
            for flag in rubric.red_flags
        ],
        "bonuses": [{"id": bonus.id, "description": bonus.description, **_detect(bonus)} for bonus in rubric.bonuses],
        **({} if rubric.official == RAW else {"official": rubric.official}),
    }


def _tree(criteria: Criteria) -> dict[str, Any]:
    if criteria.tree is None:  # left out, so that the hashes of rubrics without criteria still hold
        return {}
    from evenhand.core.documents.criteria import tree_document  # few rubrics have any

    return {"criteria": tree_document(criteria.tree)}


def _detect(listed: RedFlag | Bonus) -> dict[str, str]:
    return {"detect": listed.detect} if listed.detect else {}


def canonical_judgement(judgement: Judgement) -> str:
    """A judgement as canonical text, without its id and without the results of checking its quotes."""
    scores = [f'"{name}":{_opinion(judgement.opinions[name])}' for name in _SORTED]
    return (
        f'{{"bonuses":{_claims(judgement.bonuses)},{_checked(judgement.checked)}"judge":{names_text(judgement.judge)},{_panel(judgement.panel)}'
        f'"red_flags":{_claims(judgement.red_flags)},"scores":{{{",".join(scores)}}},"skill":{quoted(judgement.skill)}}}'
    )


def terms_of(rubric: Rubric) -> Terms:
    """The part of a rubric that the arithmetic uses, with the hash of all of it."""
    return make_terms(
        rubric=rubric.name,
        sha256=sha256(canonical_text(canonical_rubric(rubric))),
        weights=rubric.weights,
        pass_mark=rubric.pass_mark,
        red_flags=rubric.red_flags,
        bonuses=rubric.bonuses,
        criteria=criteria_of(rubric),
        official=rubric.official,
        trees={name: criteria.tree for name, criteria in rubric.dimensions.items() if criteria.tree is not None},
    )


def criteria_of(rubric: Rubric) -> dict[str, str]:
    """A checksum of each thing a judge is asked about, to detect later what has changed."""
    criteria_texts: dict[str, Any] = {"summary": [rubric.title, rubric.domain, rubric.summary]}
    criteria_texts |= {
        name: [criteria.measures, criteria.bands, *_tree(criteria).values()]
        for name, criteria in rubric.dimensions.items()
    }
    criteria_texts |= {f"red_flags.{flag.id}": flag.description for flag in rubric.red_flags}
    criteria_texts |= {f"bonuses.{bonus.id}": bonus.description for bonus in rubric.bonuses}
    return {name: checksum(canonical_text(value)) for name, value in criteria_texts.items()}


def receipt_for(judgement: Judgement, terms: Terms, submission: Submission | None) -> Receipt:
    """The hashes of everything a scorecard depends on. `judgement` must be settled."""
    return Receipt(
        methodology=METHODOLOGY_VERSION,
        rubric=terms.sha256,
        judgement=sha256(canonical_judgement(judgement)),
        submission=None if submission is None else submission_sha256(submission),
    )


_SORTED = sorted(DIMENSIONS)


def _checked(checked: Checked | None) -> str:
    """The results of checks and expectations, as published: a score may depend on any of them."""
    if checked is None:
        return ""
    from evenhand.core.documents.scorecards.rare_fields import findings_json, records_json

    parts = {
        "checks": quoted(checked.checks),
        "coverage": canonical_text(list(checked.coverage)),
        "endings": records_json(checked.endings) if checked.endings else "",
        "expectations": records_json(checked.expectations) if checked.expectations else "",
        "findings": findings_json(checked.findings),
        "lifted": records_json(checked.lifted) if checked.lifted else "",
        "uncapped": canonical_text({name: plain(score) for name, score in checked.uncapped.items()}),
    }
    whole = ",".join([f'"{name}":{text}' for name, text in parts.items() if text])
    return f'"checked":{{{whole}}},'


def _panel(panel: Panel | None) -> str:
    if panel is None:
        return ""
    from evenhand.core.documents.scorecards.panel import canonical_panel  # only where models judged

    return f'"panel":{canonical_panel(panel)},'


def _opinion(opinion: Opinion) -> str:
    score, justification, evidence, _, verdicts = opinion
    if isinstance(score, Unscored):
        verdict = f'"unscored":{quoted(score.reason)}'
    else:
        verdict = f'"score":{number_text(score)}'
    if verdicts:
        verdict += f',"verdicts":{_verdicts(verdicts)}'
    return f'{{"evidence":{_quotes(evidence)},"justification":{quoted(justification)},{verdict}}}'


def _verdicts(verdicts: Mapping[str, Verdict]) -> str:
    """The answers, reasons and quotes; whether the quotes were found is not part of a judgement."""
    return canonical_text(
        {
            id: [verdict.answer, verdict.reason, [quote.quote for quote in verdict.evidence], verdict.by, verdict.votes]
            for id, verdict in verdicts.items()
        }
    )


def _claims(claims: tuple[Claim, ...]) -> str:
    return f"[{','.join(map(_claim, claims))}]" if claims else "[]"


def _claim(claim: Claim) -> str:
    return f'{{"evidence":{_quotes(claim.evidence)},"explanation":{quoted(claim.explanation)},"id":{quoted(claim.id)}}}'


def _quotes(evidence: tuple[Evidence, ...]) -> str:
    return f"[{','.join([quoted(item.quote) for item in evidence])}]" if evidence else "[]"
