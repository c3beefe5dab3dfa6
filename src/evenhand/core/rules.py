"""Every constant of the methodology, each with the rule it comes from.

Amounts are whole hundredths of a point (R1: 50 is 0.50), so that nothing here or downstream
needs a binary float. `METHODOLOGY_VERSION` changes whenever an old score would come out differently.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final, NamedTuple

METHODOLOGY_VERSION: Final = "1"

DIMENSIONS: Final = (
    "correctness",
    "completeness",
    "adherence",
    "actionability",
    "efficiency",
    "safety",
    "consistency",
)
"""The seven dimensions, in the order every report shows them (R5: all seven are needed)."""

DEFAULT_WEIGHTS: Final = dict(zip(DIMENSIONS, map(Decimal, "0.25 0.20 0.15 0.15 0.10 0.10 0.05".split()), strict=True))
"""R6: used by every rubric that sets no weights."""

WEIGHT_DECIMALS: Final = 12
"""R6: how finely a weight may be written; more digits are refused rather than rounded."""

POINT: Final = 100
"""R1: a point in hundredths."""

LOWEST: Final = 100
"""R4, R10: the lowest dimension score, and the floor below which deductions do not reach."""

HIGHEST: Final = 1000
"""R4, R10: the highest dimension score, and the cap above which bonuses do not reach."""

DEDUCTION: Final = 50
"""R8: what a red flag takes away unless its rubric gives it another amount."""

DEDUCTION_CAP: Final = 200
"""R9: all red flags together take away no more than this; also the largest amount of one flag (R8)."""

BONUS: Final = 25
"""R8: what every bonus adds; a rubric cannot change it."""

BONUS_CAP: Final = 100
"""R9: all bonuses together add no more than this."""

PASS_MARK: Final = 700
"""The pass mark of a rubric that sets none: the lower edge of B-, the first grade that meets requirements."""


class Grade(NamedTuple):
    """One row of the grade table."""

    letter: str
    lower: int
    """R3: the lowest final score, in hundredths, that earns this grade; inclusive."""
    label: str
    meaning: str


GRADES: Final = (
    Grade("A+", 950, "Exceptional", "Next to flawless; better than asked in every dimension."),
    Grade("A", 900, "Excellent", "Outstanding; what is left to fix is trivial."),
    Grade("A-", 850, "Very Good", "Strong in every dimension; small issues only."),
    Grade("B+", 800, "Good", "Solid; a few issues show, none of them critical."),
    Grade("B", 750, "Above Average", "Competent; does what was expected and could do it better."),
    Grade("B-", 700, "Satisfactory", "Meets the basic requirements; some dimensions need work."),
    Grade("C+", 650, "Adequate", "Usable, but clearly short of professional work."),
    Grade("C", 600, "Mediocre", "Only just meets the minimum; several areas need work."),
    Grade("C-", 550, "Below Average", "Falls short of what was expected in several dimensions."),
    Grade("D+", 500, "Poor", "Serious shortcomings; needs to be reworked."),
    Grade("D", 400, "Very Poor", "Misses most requirements; something basic is wrong."),
    Grade("F", 100, "Failing", "Not usable; does not do the task."),
)
"""R3: best first. A score belongs to the first row whose lower edge it reaches, so no gap can exist."""

TIE_BREAKS: Final = (
    "correctness",
    "safety",
    "completeness",
    "actionability",
    "adherence",
    "efficiency",
    "consistency",
)
"""R11: the dimensions in the order they break a tie of final scores, whatever the weights."""

WINDOW: Final = 10
"""R13: how many of a skill's earlier evaluations one is compared with; also the size of the drift baseline."""

DEVIATIONS: Final = 2
"""R14: how many sample deviations from the mean a score may lie before it is flagged."""


def grade_of(final: int) -> Grade:
    """The grade of a final score in hundredths (R3)."""
    for grade in GRADES:
        if final >= grade.lower:
            return grade
    raise AssertionError(f"a final score is at least {LOWEST}, got {final}")


def grade_above(grade: Grade) -> Grade | None:
    """The next better grade, or None above the best."""
    place = GRADES.index(grade)
    return GRADES[place - 1] if place else None
