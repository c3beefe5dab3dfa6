"""A scorecard's document -> whether it still says what the methodology says. Pure.

The scorecard carries its own inputs (scores, weights, flags, bonuses), so everything else on it is
computed again and compared field by field. The receipt's hashes then cover what arithmetic cannot:
the words, the quotes, the names. With the rubric or the output at hand, their hashes are checked too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from evenhand.core.basics.canonical import canonical_text, sha256
from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.documents.receipt import canonical_judgement, canonical_submission, terms_of
from evenhand.core.documents.restore import SCHEMA, is_scorecard, plain_numbers, restore
from evenhand.core.documents.scorecard import FOLLOWING, field_digests, scorecard_document
from evenhand.core.text.evidence import verify_judgement
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.opinion import Unscored
from evenhand.core.values.rubric import Bonus, RedFlag, Rubric, Terms
from evenhand.core.values.scorecard import Receipt
from evenhand.core.values.submission import Submission
from evenhand.errors import DocumentError


class Difference(NamedTuple):
    """A field that does not say what it should."""

    field: str
    problem: str


class Verification(NamedTuple):
    """What checking a scorecard found."""

    id: str
    differences: tuple[Difference, ...]
    checked: tuple[str, ...]
    """What was recomputed or hashed again, in words."""
    unchecked: tuple[str, ...]
    """What could not be, and what would make it possible."""

    @property
    def ok(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


def verify(
    document: Mapping[str, Any], *, rubric: Rubric | None = None, submission: Submission | None = None
) -> Verification:
    """Check a scorecard's document. DocumentError when it is not a scorecard of this methodology at all."""
    stated = plain_numbers(document)
    if not is_scorecard(stated):
        raise DocumentError(f'not a scorecard: "schema" must be "{SCHEMA}"')
    try:
        card, judgement, terms = restore(stated)
    except DocumentError as error:
        return _spoilt(stated, error)
    found = _compare(_without_receipt(stated), _without_receipt(scorecard_document(card, audit="audit" in stated)))
    found = _against_panel(judgement) + found
    found = _hashes(stated, judgement, card.receipt, {each.field for each in found}) + found
    checked = [
        "the arithmetic, from the scores, weights, flags and bonuses on the scorecard",
        "the checksum of every field that the arithmetic does not cover",
    ]
    unchecked = []
    if judgement.panel is not None:
        checked.append("the official scores, flags and bonuses, from what each judge of the panel said")
    if rubric is None:
        unchecked.append(f"the rubric {terms.rubric}: the one scored with is not at hand (give it with --rubric)")
    else:
        found += _against_rubric(terms_of(rubric), terms)
        checked.append(f"the rubric {terms.rubric}")
    if submission is not None and card.receipt.submission is None:
        unchecked.append("the output: this scorecard was made without it")
    elif submission is not None:
        found += _against_output(judgement, card.receipt, submission)
        checked.append("the output and every quote from it")
    elif card.receipt.submission is not None:
        unchecked.append("the output: not at hand (give it with --output)")
    return Verification(id=card.id, differences=tuple(found), checked=tuple(checked), unchecked=tuple(unchecked))


def _spoilt(stated: dict[str, Any], error: DocumentError) -> Verification:
    """A scorecard whose inputs can no longer be read, but whose checksums tell what was changed."""
    receipt = stated.get("receipt")
    recorded = receipt.get("fields") if isinstance(receipt, dict) else None
    if not isinstance(recorded, dict) or not recorded:
        raise error
    changed = _changes(field_digests(stated), recorded, set())
    if not changed:
        raise error  # nothing was changed: it never was a scorecard this version can read
    problems = [Difference(field=".".join(map(str, each.path)), problem=each.message) for each in error.problems]
    return Verification(
        id=str(stated.get("id")),
        differences=(*problems, *changed),
        checked=("the checksum of every field that the arithmetic does not cover",),
        unchecked=("the arithmetic: its inputs cannot be read any more",),
    )


def _hashes(stated: dict[str, Any], judgement: Judgement, receipt: Receipt, named: set[str]) -> list[Difference]:
    """What was changed after the scorecard was written; fields the arithmetic has named already are left to it."""
    found = _changes(field_digests(stated), stated["receipt"]["fields"], named)
    pairs = [
        ("receipt.methodology", receipt.methodology, stated["methodology"]),
        ("receipt.rubric", receipt.rubric, stated["rubric"]["sha256"]),
        ("receipt.judgement", receipt.judgement, sha256(canonical_judgement(judgement))),
    ]
    return found + [_difference(name, said, now) for name, said, now in pairs if said != now]


def _changes(digests: Mapping[str, str], recorded: Mapping[str, str], named: set[str]) -> list[Difference]:
    """Every field whose checksum is not the recorded one."""
    digests = _since(digests, recorded)
    return [
        Difference(field=name, problem=_changed(name, digests, recorded))
        for name in sorted({*digests, *recorded})
        if digests.get(name) != recorded.get(name) and name not in named
    ]


def _since(digests: Mapping[str, str], recorded: Mapping[str, str]) -> Mapping[str, str]:
    """The checksums to look at: the first audits had none, and the arithmetic alone vouches for them."""
    return digests if "audit" in recorded else {name: digest for name, digest in digests.items() if name != "audit"}


def _changed(name: str, digests: Mapping[str, str], recorded: Mapping[str, str]) -> str:
    if name not in recorded:
        return "was added after the scorecard was written"
    return "was changed after the scorecard was written" if name in digests else "was removed"


def _against_panel(judgement: Judgement) -> list[Difference]:
    """Whether the scores, flags and bonuses are those that the judges of the panel come to."""
    if judgement.panel is None:
        return []
    from evenhand.core.panel.official import carried, official_scores  # only where models judged

    members, quorum = judgement.panel.members, judgement.panel.quorum
    found = []
    for name, median in official_scores(members, quorum).items():
        stated = judgement.opinions[name].score
        if (None if isinstance(stated, Unscored) else stated) != median:
            said = "unscored" if isinstance(stated, Unscored) else stated
            expected = "unscored: too few judges scored it" if median is None else f"{median}, the judges' median"
            found.append(_difference(f"dimensions.{name}.score", said, expected))
    for field, claims in (("red_flags", judgement.red_flags), ("bonuses", judgement.bonuses)):
        said_ids, won = [claim.id for claim in claims], carried(members, field)  # type: ignore[arg-type]
        found += [
            Difference(f"{field}.{id}", "counts, but no majority of the judges raised it")
            for id in said_ids
            if id not in won
        ]
        found += [
            Difference(f"{field}.{id}", "is missing, but a majority of the judges raised it")
            for id in won
            if id not in said_ids
        ]
    return found


def _against_rubric(rubric: Terms, terms: Terms) -> list[Difference]:
    found = []
    if rubric.sha256 != terms.sha256:
        found.append(_difference("rubric.sha256", terms.sha256, rubric.sha256))
    for name in DIMENSIONS:
        if rubric.weights[name] != terms.weights[name]:
            found.append(_difference(f"dimensions.{name}.weight", terms.weights[name], rubric.weights[name]))
    if rubric.pass_mark != terms.pass_mark:
        found.append(_difference("pass_mark", terms.pass_mark, rubric.pass_mark))
    for id, flag in terms.red_flags.items():
        found += _listed(f"red_flags.{id}", flag, rubric.red_flags.get(id))
    for id, bonus in terms.bonuses.items():
        found += _listed(f"bonuses.{id}", bonus, rubric.bonuses.get(id))
    return found


def _listed(field: str, here: RedFlag | Bonus, there: RedFlag | Bonus | None) -> list[Difference]:
    """Whether a rubric lists a flag or bonus as the scorecard has it, which has no words for one that did not count."""
    if there is None:
        return [Difference(field, "is not in the rubric")]
    found = []
    if here.description and here.description != there.description:
        found.append(_difference(f"{field}.description", here.description, there.description))
    if isinstance(here, RedFlag) and isinstance(there, RedFlag) and here.deduction != there.deduction:
        found.append(_difference(f"{field}.deduction", here.deduction, there.deduction))
    return found


def _against_output(judgement: Judgement, receipt: Receipt, submission: Submission) -> list[Difference]:
    found = []
    now = sha256(canonical_submission(submission))
    if receipt.submission != now:
        found.append(_difference("receipt.submission", receipt.submission, now))
    again = verify_judgement(judgement, submission)
    pairs = [
        (f"dimensions.{name}", said.evidence, again.opinions[name].evidence)
        for name, said in judgement.opinions.items()
    ]
    pairs += [
        (f"red_flags.{c.id}", c.evidence, d.evidence) for c, d in zip(judgement.red_flags, again.red_flags, strict=True)
    ]
    pairs += [
        (f"bonuses.{c.id}", c.evidence, d.evidence) for c, d in zip(judgement.bonuses, again.bonuses, strict=True)
    ]
    for field, stated, expected in pairs:
        for place, (said, now_said) in enumerate(zip(stated, expected, strict=True)):
            if said != now_said:
                found.append(_difference(f"{field}.evidence.{place}", said, now_said))
    return found


def _difference(field: str, stated: object, expected: object) -> Difference:
    return Difference(field=field, problem=f"says {stated}, should say {expected}")


def _compare(stated: object, expected: object, field: str = "") -> list[Difference]:
    """Every leaf that differs, by its path."""
    if isinstance(stated, dict) and isinstance(expected, dict):
        found = []
        for key in expected | stated:
            path = f"{field}.{key}" if field else str(key)
            if key in stated and key in expected:
                found += _compare(stated[key], expected[key], path)
            elif key in expected:
                found.append(Difference(field=path, problem=f"is missing, should say {_json(expected[key])}"))
            elif field or key in FOLLOWING:  # other fields may be added; their checksums are looked at
                found.append(Difference(field=path, problem=f"says {_json(stated[key])}, should not be there"))
        return found
    if isinstance(stated, list) and isinstance(expected, list) and len(stated) == len(expected):
        return [
            difference
            for place, (one, other) in enumerate(zip(stated, expected, strict=True))
            for difference in _compare(one, other, f"{field}.{place}")
        ]
    if _json(stated) == _json(expected):
        return []
    return [_difference(field, _json(stated), _json(expected))]


def _json(value: object) -> str:
    return canonical_text(value)


def _without_receipt(document: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != "receipt"}
