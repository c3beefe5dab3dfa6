"""A scorecard's document -> whether it still matches the methodology. Pure.

The scorecard carries its own inputs (scores, weights, flags, bonuses), so everything else on it is
recomputed and compared field by field. The receipt's hashes cover what arithmetic cannot: the words,
the quotes, the names. When the rubric or the output is given, their hashes are checked too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from evenhand.core.bounds import bounds_of
from evenhand.core.calibration import calibrate_card, misfit
from evenhand.core.curve import Calibration
from evenhand.core.judgement import PERSON, Judgement, Unscored
from evenhand.core.published import published
from evenhand.core.receipt import canonical_judgement, canonical_text, sha256, terms_of
from evenhand.core.rubric import Bonus, RedFlag, Rubric, Terms
from evenhand.core.rules import DIMENSIONS
from evenhand.core.scorecard import Receipt, Scorecard
from evenhand.documents.fields import NOT_WHOLE, contradictions
from evenhand.documents.restore import restore_plain, scorecard_numbers
from evenhand.documents.scorecard import covered, field_digests, scorecard_document
from evenhand.errors import DocumentError, Problem
from evenhand.files import codec
from evenhand.work.quotes import verify_judgement
from evenhand.work.submission import Submission, submission_sha256

_OFFICIAL_CHECKED = "the official score, from the raw one and the calibration that the scorecard carries"
_OFFICIAL_MISSING = "that there is no official score: the rubric asks for a calibrated one"


class Verification(NamedTuple):
    """The result of verifying a scorecard."""

    id: str
    differences: tuple[Difference, ...]
    checked: tuple[str, ...]
    """What was recomputed or rehashed, in words."""
    unchecked: tuple[str, ...]
    """What could not be checked, and what is needed to check it."""
    file: str = ""
    """The file it was read from, with the line where it holds several; empty for a scorecard at hand."""

    @property
    @published
    def ok(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    @property
    def name(self) -> str:
        """What it is called: its file, and its id."""
        return f"{self.file} ({self.id})" if self.file else self.id


def verification_document(result: Verification) -> dict[str, Any]:
    """A verification in its published JSON shape."""
    verdict = {"schema": "evenhand/verification/v1", "id": result.id, "ok": result.ok}  # first what a reader looks for
    return verdict | codec.document(result)


def verify(
    document: Mapping[str, Any],
    *,
    rubric: Rubric | None = None,
    submission: Submission | None = None,
    calibration: Calibration | None = None,
) -> Verification:
    """Check a scorecard's document. DocumentError when it is not a scorecard of this methodology, or when it was made
    with another calibration."""
    plain_document = scorecard_numbers(document)
    try:
        card, judgement, terms = restore_plain(plain_document)
    except DocumentError as error:
        return _unreadable(plain_document, error)
    differences = compared(
        _without_receipt(plain_document), _without_receipt(scorecard_document(card, audit="audit" in plain_document))
    )
    differences = _against_panel(judgement) + _against_criteria(judgement, terms) + differences
    named = {differing.field for differing in differences}
    differences += [differing for differing in _against_bounds(judgement) if differing.field not in named]
    differences = _hashes(plain_document, judgement, card, {differing.field for differing in differences}) + differences
    checked = [
        "the arithmetic, from the scores, weights, flags and bonuses on the scorecard",
        "the checksum of every field that the arithmetic does not cover",
    ]
    if card.official is not None:
        checked.append(_OFFICIAL_CHECKED if card.official.calibration else _OFFICIAL_MISSING)
    if terms.trees:
        checked.append("the scores of dimensions with criteria, from the verdict on each criterion")
    if judgement.panel is not None:
        checked.append("the official scores, flags and bonuses, from each panel judge's own scores and claims")
    unchecked: list[str] = []
    if rubric is None:
        unchecked.append(
            f"the rubric {terms.rubric}: the version it was scored with is not available (pass it with --rubric)"
        )
    else:
        differences += _against_rubric(terms_of(rubric), terms, judgement)
        checked.append(f"the rubric {terms.rubric}")
    if calibration is not None:
        differences += _against_calibration(plain_document, card, calibration, named)
        checked.append("the calibrated scores, from the calibration given")
    elif card.calibration is not None and card.official is None:
        unchecked.append("the calibrated scores: the calibration is not available (pass it with --calibration)")
    if submission is not None and card.receipt.submission is not None:
        differences += _against_output(judgement, card.receipt, submission)
        checked.append("the output and every quote from it")
    else:
        unchecked += _unchecked_output(card.receipt, submission)
    return Verification(id=card.id, differences=tuple(differences), checked=tuple(checked), unchecked=tuple(unchecked))


def _unchecked_output(receipt: Receipt, submission: Submission | None) -> list[str]:
    if submission is not None:
        return ["the output: this scorecard was made without it"]
    return [] if receipt.submission is None else ["the output: not available (pass it with --judged)"]


def _unreadable(document: dict[str, Any], error: DocumentError) -> Verification:
    """A scorecard whose inputs can no longer be read, but whose checksums show what was changed."""
    receipt = document.get("receipt")
    recorded = receipt.get("fields") if isinstance(receipt, dict) else None
    if not isinstance(recorded, dict) or not recorded:
        raise error
    changed = _changes(field_digests(document), recorded, set())
    if not changed:
        raise error  # unchanged, so it was never a scorecard this version can read
    problems = [_difference_of(problem) for problem in error.problems]
    return Verification(
        id=str(document.get("id")),
        differences=(*problems, *changed),
        checked=("the checksum of every field that the arithmetic does not cover",),
        unchecked=("the arithmetic: its inputs can no longer be read",),
    )


def _difference_of(problem: Problem) -> Difference:
    """A problem as a difference, which names the field by itself."""
    field = ".".join(map(str, problem.path))
    return Difference(field, problem.message.removeprefix(f"{NOT_WHOLE}: {field}").lstrip(": "))


def refuse_changed(document: Mapping[str, Any]) -> None:
    """DocumentError with the place of the first difference, when a scorecard is not as it was written."""
    differences = verify(document).differences
    if differences:
        field, problem = differences[0]
        raise DocumentError(Problem(f"the scorecard was changed: {field} {problem}", path=codec.field_path(field)))


def _hashes(document: dict[str, Any], judgement: Judgement, card: Scorecard, named: set[str]) -> list[Difference]:
    """Fields changed after the scorecard was written, except those the recomputation has already reported."""
    receipt = card.receipt
    calibration = None if card.official is None else card.official.calibration
    differences = _changes(field_digests(document), document["receipt"]["fields"], named)
    pairs = [
        ("receipt.methodology", receipt.methodology, document["methodology"]),
        ("receipt.rubric", receipt.rubric, document["rubric"]["sha256"]),
        ("receipt.judgement", receipt.judgement, sha256(canonical_judgement(judgement))),
        ("receipt.calibration", receipt.calibration, calibration and calibration.sha256),
    ]
    return differences + [
        difference(name, recorded, recomputed) for name, recorded, recomputed in pairs if recorded != recomputed
    ]


def _changes(digests: Mapping[str, str], recorded: Mapping[str, str], named: set[str]) -> list[Difference]:
    """Every field whose checksum differs from the recorded one."""
    return [
        Difference(field=name, problem=_changed(name, digests, recorded))
        for name in sorted({*digests, *recorded})
        if digests.get(name) != recorded.get(name) and name not in named
    ]


def _changed(name: str, digests: Mapping[str, str], recorded: Mapping[str, str]) -> str:
    if name not in recorded:
        return "was added after the scorecard was written"
    return "was changed after the scorecard was written" if name in digests else "was removed"


def _against_panel(judgement: Judgement) -> list[Difference]:
    """Whether the scores, flags and bonuses follow from those of the panel's judges."""
    if judgement.panel is None:
        return []
    from evenhand.core.panel import carried, official_ends, official_scores

    members, quorum = judgement.panel.members, judgement.panel.quorum
    differences = []
    caps = bounds_of(judgement)
    for name, median in official_scores(members, quorum).items():
        score = judgement.opinions[name].score
        if median is not None and name in caps:
            median = min(median, caps[name].at_most)
        if (None if isinstance(score, Unscored) else score) != median:
            actual = "unscored" if isinstance(score, Unscored) else score
            expected = "unscored: too few judges scored it" if median is None else f"{median}, the judges' median"
            differences.append(difference(f"dimensions.{name}.score", actual, expected))
        ends = official_ends(members, name, quorum)
        open_ends = None if ends is None or ends[0] == ends[1] else ends
        if isinstance(score, Unscored) and score.interval != open_ends:
            differences.append(difference(f"dimensions.{name}.interval", score.interval, open_ends))
    differences += [Difference(*contradiction) for contradiction in contradictions(judgement.panel)]
    for field, claims in (("red_flags", judgement.red_flags), ("bonuses", judgement.bonuses)):
        claimed, carried_ids = [claim.id for claim in claims], carried(members, field)  # type: ignore[arg-type]
        detected = _detected(judgement) if field == "red_flags" else set()
        differences += [
            Difference(f"{field}.{id}", "counts, but no majority of the judges raised it")
            for id in claimed
            if id not in carried_ids and id not in detected
        ]
        differences += [
            Difference(f"{field}.{id}", "is missing, but a majority of the judges raised it")
            for id in carried_ids
            if id not in claimed
        ]
    return differences


def _against_criteria(judgement: Judgement, terms: Terms) -> list[Difference]:
    """Whether the scores of dimensions that have criteria follow from the verdicts, judge by judge."""
    if not terms.trees:
        return []
    from evenhand.core.criteria import contradictions  # few rubrics have criteria

    return [Difference(field, problem) for field, problem in contradictions(judgement, terms.trees)]


def _detected(judgement: Judgement) -> set[str]:
    """The red flags that findings raised through `detect:`."""
    return {finding.flag for finding in judgement.checked.findings if finding.flag} if judgement.checked else set()


def _against_bounds(judgement: Judgement) -> list[Difference]:
    """Whether every score respects its dimension's bound, and was capped only where needed."""
    if judgement.checked is None:
        return []
    bounds, uncapped = bounds_of(judgement), judgement.checked.uncapped
    differences = []
    for name, opinion in judgement.opinions.items():
        score = opinion.score
        if isinstance(score, Unscored):
            continue
        cap = bounds[name].at_most if name in bounds else None
        readers = uncapped.get(name, score)
        expected = readers if cap is None else min(readers, cap)
        if score != expected or (name in uncapped and readers == expected):
            differences.append(
                difference(f"dimensions.{name}.score", score, f"{expected}, after capping for its faults")
            )
    raised = {claim.id for claim in judgement.red_flags}
    return differences + [
        Difference(f"red_flags.{id}", "is missing, but a finding raised it")
        for id in sorted(_detected(judgement) - raised)
    ]


def _against_rubric(rubric: Terms, terms: Terms, judgement: Judgement) -> list[Difference]:
    differences = []
    if rubric.official != terms.official and not judgement.judge.get("name", "").startswith(PERSON):
        differences.append(difference("official", f"the {terms.official} score", f"the {rubric.official} score"))
    if rubric.sha256 != terms.sha256:
        differences.append(difference("rubric.sha256", terms.sha256, rubric.sha256))
    for name in DIMENSIONS:
        if rubric.weights[name] != terms.weights[name]:
            differences.append(difference(f"dimensions.{name}.weight", terms.weights[name], rubric.weights[name]))
    if rubric.pass_mark != terms.pass_mark:
        differences.append(difference("pass_mark", terms.pass_mark, rubric.pass_mark))
    for id, flag in terms.red_flags.items():
        differences += _listed(f"red_flags.{id}", flag, rubric.red_flags.get(id))
    for id, bonus in terms.bonuses.items():
        differences += _listed(f"bonuses.{id}", bonus, rubric.bonuses.get(id))
    return differences


def _listed(field: str, on_card: RedFlag | Bonus, in_rubric: RedFlag | Bonus | None) -> list[Difference]:
    """Whether the rubric lists a flag or bonus as the scorecard does; one that did not count has no description."""
    if in_rubric is None:
        return [Difference(field, "is not in the rubric")]
    differences = []
    if on_card.description and on_card.description != in_rubric.description:
        differences.append(difference(f"{field}.description", on_card.description, in_rubric.description))
    if isinstance(on_card, RedFlag) and isinstance(in_rubric, RedFlag) and on_card.deduction != in_rubric.deduction:
        differences.append(difference(f"{field}.deduction", on_card.deduction, in_rubric.deduction))
    return differences


def _against_output(judgement: Judgement, receipt: Receipt, submission: Submission) -> list[Difference]:
    differences = []
    now = submission_sha256(submission)
    if receipt.submission != now:
        differences.append(difference("receipt.submission", receipt.submission, now))
    again = verify_judgement(judgement, submission)
    pairs = [
        (f"dimensions.{name}", opinion.evidence, again.opinions[name].evidence)
        for name, opinion in judgement.opinions.items()
    ]
    pairs += [
        (f"dimensions.{name}.criteria.{id}", verdict.evidence, again.opinions[name].verdicts[id].evidence)
        for name, opinion in judgement.opinions.items()
        for id, verdict in opinion.verdicts.items()
    ]
    pairs += [
        (f"red_flags.{c.id}", c.evidence, d.evidence) for c, d in zip(judgement.red_flags, again.red_flags, strict=True)
    ]
    pairs += [
        (f"bonuses.{c.id}", c.evidence, d.evidence) for c, d in zip(judgement.bonuses, again.bonuses, strict=True)
    ]
    if judgement.checked is not None and again.checked is not None:
        differences += [
            difference(f"findings.{place}", finding, rechecked)
            for place, (finding, rechecked) in enumerate(
                zip(judgement.checked.findings, again.checked.findings, strict=True)
            )
            if finding != rechecked
        ]
    for field, quotes, rechecked_quotes in pairs:
        for place, (quote, rechecked) in enumerate(zip(quotes, rechecked_quotes, strict=True)):
            if quote != rechecked:
                differences.append(difference(f"{field}.evidence.{place}", quote, rechecked))
    return differences


def _without_receipt(document: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != "receipt"}


def _against_calibration(
    document: Mapping[str, Any], card: Scorecard, calibration: Calibration, named: set[str]
) -> list[Difference]:
    """Every calibrated score that differs, except those already named. DocumentError when the scorecard was made with
    another calibration, or with none."""
    written = document.get("calibration")
    if not isinstance(written, dict):
        raise DocumentError(Problem("the scorecard has no calibrated scores to compare with", path=("calibration",)))
    if written.get("sha256") != calibration.sha256:
        message = (
            f"the scorecard was calibrated with {written.get('sha256')}, and this calibration is {calibration.sha256}; "
            "pass the file that was used"
        )
        raise DocumentError(Problem(message, path=("calibration", "sha256")))
    reason = misfit(calibration, card.judge, card.receipt.rubric)
    if reason is not None:
        return [Difference("calibration", f"does not fit the scorecard: {reason}")]
    expected = codec.document(calibrate_card(calibration, card))
    return [differing for differing in compared(written, expected, "calibration") if differing.field not in named]


# --- Two documents, field by field ------------------------------------------------------------------------------------


class Difference(NamedTuple):
    """A field with the wrong value."""

    field: str
    problem: str


def difference(field: str, actual: object, expected: object) -> Difference:
    """A field that says one thing and should say another."""
    return Difference(field=field, problem=f"says {_cut(actual)}, should say {_cut(expected)}")


_LONGEST = 300
"""The most characters of a value that are shown: a changed field may say anything."""


def _cut(value: object) -> str:
    text = " to ".join(map(str, value)) if type(value) is tuple else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"


def compared(actual: object, expected: object, field: str = "") -> list[Difference]:
    """Every leaf that differs, by its path."""
    if isinstance(actual, dict) and isinstance(expected, dict):
        differences = []
        for key in expected | actual:
            path = f"{field}.{key}" if field else str(key)
            if key in actual and key in expected:
                differences += compared(actual[key], expected[key], path)
            elif key in expected:
                differences.append(
                    Difference(field=path, problem=f"is missing, should say {_cut(canonical_text(expected[key]))}")
                )
            elif field or covered(key):  # other added fields are caught by their checksums
                differences.append(
                    Difference(field=path, problem=f"says {_cut(canonical_text(actual[key]))}, should not be there")
                )
        return differences
    if isinstance(actual, list) and isinstance(expected, list) and len(actual) == len(expected):
        return [
            differing
            for place, (left, right) in enumerate(zip(actual, expected, strict=True))
            for differing in compared(left, right, f"{field}.{place}")
        ]
    if canonical_text(actual) == canonical_text(expected):
        return []
    return [difference(field, canonical_text(actual), canonical_text(expected))]
