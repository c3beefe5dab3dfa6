"""The fields of a scorecard's document, each declared once, in the order in which they are written. Pure.

To add a field: its value on `Scorecard`, and a line here. Its type says what may be read, and is published in the JSON
Schema; its origin says how it is restored, and what vouches for it. The panel is written and read by
`documents.fields`, criteria by `documents.criteria`: most of what they publish is computed.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from operator import attrgetter
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    NotRequired,
    TypedDict,
    get_args,
    get_origin,
    get_type_hints,
)

from evenhand.core.advice import Recommendation
from evenhand.core.comparison import Comparison
from evenhand.core.curve import CalibratedScores
from evenhand.core.finding import Bound, Ended, Expected, Finding, Lifted
from evenhand.core.judgement import Agreement, Panel, Unscored
from evenhand.core.numbers import exact, hundredths, plain
from evenhand.core.published import CENTS, LETTERS, NO_NUL
from evenhand.core.receipt import canonical_text, checksum
from evenhand.core.rules import DEDUCTION_CAP, DIMENSIONS
from evenhand.core.scorecard import (
    AuditLine,
    Award,
    Deduction,
    Interval,
    NextStep,
    Receipt,
    Review,
    Scorecard,
    ScoredDimension,
    SuitePlace,
    Total,
)
from evenhand.errors import DocumentError, Problem
from evenhand.files import codec

Origin = Literal["scorecard", "judgement", "checks", "rubric", "parts", "receipt", "computed"]
"""Where a field's value comes from, and with that how it is restored and what vouches for it:

scorecard  made with the scorecard, and kept as it is; the receipt has its checksum
judgement  the same, and part of the judgement that is scored again
checks     the same, and together what programs contributed to the judgement
rubric     the same, and part of the terms it is scored with
parts      several values of the judgement and the rubric, each with its own checksum
receipt    the hashes themselves
computed   follows from the other fields; it is computed again, and never read"""


@dataclass(frozen=True, slots=True)
class From:
    """Where a field comes from, beside its type."""

    origin: Origin
    get: Callable[[Scorecard], Any] | None = None
    """How the value is got where it is not the one of this name."""
    on_request: bool = False
    """Left out unless asked for."""


SCHEMA: Final = "evenhand/scorecard/v1"

SCORECARD, JUDGEMENT, RUBRIC = From("scorecard"), From("judgement"), From("rubric")
RESULT, REQUESTED = From("computed"), From("computed", on_request=True)
COMPUTED = {"computed": True}


NOT_WHOLE: Final = "not a whole scorecard"


def malformed(field: str, valid: str) -> DocumentError:
    """What is wrong with a document that should be a scorecard, where its types are right."""
    return DocumentError(Problem(f"{NOT_WHOLE}: {field} must be {valid}", path=codec.field_path(field)))


class RubricName(NamedTuple):
    """Which rubric was used."""

    name: Annotated[str, NO_NUL]
    sha256: Annotated[str, NO_NUL]


def _checks(name: str) -> From:
    """A part of what programs contributed; None when they did not run or contributed nothing to it."""

    def get(card: Scorecard) -> Any:
        value = None if card.checked is None else getattr(card.checked, name)
        return None if name in ("expectations", "lifted", "endings") and not value else value

    return From("checks", get)


def _bounds(card: Scorecard) -> Any:
    return None if card.checked is None else card.bounds


def _panel(card: Scorecard) -> Any:
    return None if card.panel is None or card.agreement is None else (card.panel, card.agreement)


def _rubric(card: Scorecard) -> RubricName:
    return RubricName(card.rubric, card.receipt.rubric)


def _grade(part: str) -> From:
    return From("computed", lambda card: None if card.grade is None else getattr(card.grade, part))


class ScorecardDocument(TypedDict):
    """The methodology applied to one judgement."""

    id: Annotated[str, NO_NUL, SCORECARD]
    case: NotRequired[Annotated[str | None, NO_NUL, SCORECARD]]
    skill: Annotated[str, NO_NUL, JUDGEMENT]
    created: Annotated[str, NO_NUL, SCORECARD]
    rubric: Annotated[RubricName, From("rubric", _rubric)]
    methodology: Annotated[str, COMPUTED, From("computed", attrgetter("receipt.methodology"))]
    judge: Annotated[Mapping[str, str], JUDGEMENT]
    dimensions: Annotated[
        Mapping[str, ScoredDimension], {"keys": DIMENSIONS, "lacks": "{above} lacks {name}"}, From("parts")
    ]
    composite: Annotated[Decimal | None, CENTS, COMPUTED, RESULT]
    red_flags: Annotated[tuple[Deduction, ...], From("parts")]
    deduction: Annotated[Total, COMPUTED, RESULT]
    after_deductions: Annotated[Decimal | None, CENTS, COMPUTED, RESULT]
    bonuses: Annotated[tuple[Award, ...], From("parts")]
    bonus: Annotated[Total, COMPUTED, RESULT]
    final: Annotated[Decimal | None, CENTS, COMPUTED, RESULT]
    grade: Annotated[str | None, LETTERS, COMPUTED, _grade("letter")]
    label: Annotated[str | None, COMPUTED, _grade("label")]
    pass_mark: Annotated[Decimal, CENTS, RUBRIC]
    passed: Annotated[bool | None, COMPUTED, RESULT]
    next_step: Annotated[NextStep | None, COMPUTED, RESULT]
    warnings: Annotated[tuple[str, ...], SCORECARD]
    task: NotRequired[Annotated[str | None, JUDGEMENT]]
    reference: NotRequired[Annotated[str | None, JUDGEMENT]]
    output: NotRequired[Annotated[str | None, JUDGEMENT]]
    rescored_from: NotRequired[Annotated[str | None, NO_NUL, SCORECARD]]
    rubric_version: NotRequired[Annotated[str | None, SCORECARD]]
    skill_version: NotRequired[Annotated[str | None, SCORECARD]]
    history: Annotated[Comparison | None, SCORECARD]
    calibration: NotRequired[Annotated[CalibratedScores | None, SCORECARD]]
    official: NotRequired[Annotated[Any, RUBRIC]]
    review: NotRequired[Annotated[Review | None, SCORECARD]]
    suite: NotRequired[Annotated[SuitePlace | None, SCORECARD]]
    checks: NotRequired[Annotated[str | None, _checks("checks")]]
    findings: NotRequired[Annotated[tuple[Finding, ...] | None, _checks("findings")]]
    coverage: NotRequired[Annotated[tuple[str, ...] | None, _checks("coverage")]]
    expectations: NotRequired[Annotated[tuple[Expected, ...] | None, _checks("expectations")]]
    lifted: NotRequired[Annotated[tuple[Lifted, ...] | None, _checks("lifted")]]
    endings: NotRequired[Annotated[tuple[Ended, ...] | None, _checks("endings")]]
    bounds: NotRequired[Annotated[Mapping[str, Bound] | None, COMPUTED, From("computed", _bounds)]]
    interval: NotRequired[Annotated[Interval | None, COMPUTED, RESULT]]
    audit: NotRequired[Annotated[tuple[AuditLine, ...] | None, COMPUTED, REQUESTED]]
    recommendations: NotRequired[
        Annotated[tuple[Recommendation, ...] | None, COMPUTED, From("computed", on_request=True)]
    ]
    panel: NotRequired[Annotated[Panel | None, From("parts", _panel)]]
    receipt: Annotated[Receipt, From("receipt")]


def _declared(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is NotRequired else hint


ORIGINS: dict[str, From] = {
    name: next(part for part in get_args(_declared(hint)) if isinstance(part, From))
    for name, hint in get_type_hints(ScorecardDocument, include_extras=True).items()
}
"""Each field's, in the order in which they are written; the receipt comes last: it has the checksums of all others."""

CHECKSUMMED = frozenset(
    name
    for name, source in ORIGINS.items()
    if source.on_request or source.origin in ("scorecard", "judgement", "checks", "rubric")
)
"""The fields of which the receipt holds a checksum: nothing else vouches for them, or that they are there."""


# --- A panel, and the checksums of its parts --------------------------------------------------------------------------


FOLLOWING: Final = frozenset(("spread", "disputed", "decisive", "grade_probabilities"))
"""The fields computed from the others."""


def panel_json(panel: Panel, agreement: Agreement) -> tuple[str, dict[str, str]]:
    """A panel and its agreement as canonical text, in the published shape, and the checksums of its parts."""
    document = codec.document(panel)
    members = [
        canonical_text({**member, "grade": grade})
        for member, grade in zip(document.pop("members"), agreement.member_grades, strict=True)
    ]
    document |= {
        "spread": {name: plain(width) for name, width in agreement.spread.items()},
        "disputed": list(agreement.disputed),
        "decisive": list(agreement.decisive),
        "grade_probabilities": {letter: plain(exact(chance)) for letter, chance in agreement.grades.items()},
        "deductions": {id: plain(amount) for id, amount in agreement.deductions.items()},
    }
    parts = {name: canonical_text(value) for name, value in document.items()}
    checksums = {f"panel.members.{place}": checksum(text) for place, text in enumerate(members)}
    checksums |= {f"panel.{name}": checksum(text) for name, text in parts.items() if name not in FOLLOWING}
    parts["members"] = f"[{','.join(members)}]"
    return "{" + ",".join([f'"{name}":{parts[name]}' for name in sorted(parts)]) + "}", checksums


def panel_checksums(document: Any) -> dict[str, str]:
    """A checksum of each part of a panel's document that cannot be recomputed, by field."""
    if not isinstance(document, Mapping):
        return {"panel": checksum(canonical_text(document))}
    checksums: dict[str, str] = {}
    for key, value in document.items():
        if key == "members" and isinstance(value, list):
            checksums |= {
                f"panel.members.{place}": checksum(canonical_text(member)) for place, member in enumerate(value)
            }
        elif key not in FOLLOWING:
            checksums[f"panel.{key}"] = checksum(canonical_text(value))
    return checksums


def deductions_from(document: Mapping[str, Any], where: str = "panel") -> dict[str, Decimal]:
    """The deduction of each red flag that some judge of the panel raised."""
    try:
        amounts = {id: exact(amount) for id, amount in document["deductions"].items() if not isinstance(amount, str)}
    except (KeyError, AttributeError, ValueError):
        raise malformed(f"{where}.deductions", "amounts by red flag") from None
    if len(amounts) < len(document["deductions"]) or any(
        not 0 < hundredths(amount) <= DEDUCTION_CAP for amount in amounts.values()
    ):
        raise malformed(f"{where}.deductions", "numbers above 0 and at most 2")
    return amounts


def contradictions(panel: Panel) -> Iterator[tuple[str, str]]:
    """Where a judge that read the work several times does not have the scores of the reading that counts."""
    members = {member.judge["name"]: member.scores for member in panel.members}
    for place, influence in enumerate(panel.influence):
        by_variant = {reading.variant: reading.scores for reading in influence.readings}
        scores = by_variant[influence.counts] if influence.counts is not None else {}
        for name, verdict in members.get(influence.judge, {}).items():
            if _number_of(verdict) != _number_of(scores.get(name)):
                reading = influence.counts or "no reading"
                yield f"panel.influence.{place}", f"{reading} counts, which gives {influence.judge} another {name}"


def _number_of(verdict: Decimal | Unscored | None) -> Decimal | None:
    return None if isinstance(verdict, Unscored) else verdict
