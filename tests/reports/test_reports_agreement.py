"""Agreement as a reader sees it, whole: lines, Markdown, and where things are on the drawings."""

from __future__ import annotations

import re

import pytest
from html_reading import self_contained

from evenhand.reports.charts import DifferenceChart, difference_chart
from evenhand.reports.trust.rater_agreement import answer, ceiling_lines, heading, headline
from evenhand.stats.agreement.agreed import AgreementReport, FieldAgreement
from evenhand.stats.agreement.coefficients import Coefficient
from evenhand.stats.agreement.interval import Interval
from evenhand.stats.agreement.verdict_measures import Confusion
from golden import compare
from report_formats import agreement_lines, agreement_markdown, agreement_page


def coefficient(name: str, value: float, low: float | None = None, high: float | None = None) -> Coefficient:
    """Over 12 items, with an interval if it is given."""
    made = None if low is None or high is None else Interval(low, high, "bca", 2000)
    return Coefficient(name, value, "", made, "" if made else "fewer than 20 items", 12)


PEOPLE = FieldAgreement(
    "people",
    "final",
    "1 to 10",
    None,
    ("human:ana", "human:bo"),
    12,
    24,
    (coefficient("alpha-interval", 0.9, 0.85, 0.95), coefficient("exact", 0.5, 0.25, 0.75)),
    None,
    ((8.0, 0.5),),
)
JUDGE = FieldAgreement(
    "judge and people",
    "final",
    "1 to 10",
    "replay:one",
    ("human:ana", "human:bo"),
    12,
    36,
    (
        coefficient("alpha-interval", 0.7, 0.5, 0.8),
        Coefficient("spearman", None, "a rater gave every item the same value", None, "", 12),
        coefficient("bias", -0.25),
        coefficient("lower-limit", -2.0),
        coefficient("upper-limit", 2.0),
    ),
    Confusion(("1", "2", "3", "4"), ((0, 0, 0, 0), (0, 8, 2, 0), (0, 0, 4, 0), (0, 0, 1, 0))),
    ((5.0, 1.0), (7.0, -1.0), (7.0, -1.0), (9.0, 0.0)),
)
REPORT = AgreementReport("labels.csv", (PEOPLE, JUDGE), ("ana labelled twice",), seed=3, resamples=2000)


def test_agreement_says_the_same_in_every_format():
    """Who is compared, each coefficient with what it means, what is missing, confusion, the ceiling; then the notes."""
    compare("whole/agreement.txt", "".join(f"{line}\n" for line in agreement_lines(REPORT)))
    words = [
        " ".join(text.split()).lower()  # a sentence begins with a capital, an entry of a list does not
        for text in (self_contained(agreement_page(REPORT)).words, "\n".join(agreement_lines(REPORT)))
    ]
    for text in words:
        assert "not computed: spearman's rho: a rater gave every item the same value" in text
        assert "no interval: mean bias, lower limit of agreement, upper limit of agreement: fewer than 20 items" in text
        assert "replay:one gives 0.25 points less than people on average." in text
        assert "replay:one agrees with people less than they do with each other" in text
        assert "ana labelled twice" in text


def test_a_summary_has_the_coefficients_that_fit_and_names_the_way_to_the_rest():
    """Numbers: alpha and bias here, no limits of agreement, no confusion."""
    assert [entry.name for entry in headline(JUDGE)] == ["alpha-interval", "bias"]
    text = agreement_markdown(REPORT._replace(comparisons=(JUDGE,), brief=True))
    assert re.findall(r"^- (?:\*\*)?([A-Za-z' ,]+)", text, re.MULTILINE)[:3] == [
        "Krippendorff's alpha, interval ",
        "Mean bias ",
        "no interval",
    ]
    assert "Lower limit" not in text and "Confusion" not in text
    assert "Every coefficient, confusion and the worst disagreements: --full, or --field NAME for one field." in text


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.8, 0.9, "yes: "),
        (0.799, 0.9, "enough for tentative conclusions: "),
        (0.667, 0.9, "enough for tentative conclusions: "),
        (0.666, 0.9, "not shown yet: "),
        (0.5, 0.667, "not shown yet: "),
        (0.5, 0.666, "too little to rely on: "),
    ],
)
def test_the_interval_decides_whether_raters_agree(low: float, high: float, words: str):
    """Both of Krippendorff's limits hold from the value itself on; a judge is answered for elsewhere."""
    people = PEOPLE._replace(coefficients=(coefficient("alpha-interval", 0.66, low, high),))
    assert answer(people).startswith(f"do they agree? {words}")
    judge = JUDGE._replace(coefficients=people.coefficients)
    assert "do they agree?" not in " ".join(agreement_lines(REPORT._replace(comparisons=(judge,)))).lower()


def test_raters_without_a_coefficient_are_told_why():
    empty = PEOPLE._replace(coefficients=(Coefficient("alpha-interval", None, "every value is the same", None, "", 0),))
    assert answer(empty) == "do they agree? not known: every value is the same"


@pytest.mark.parametrize(
    ("value", "words"), [(0.89, "less than"), (0.9, "at least as much as"), (0.95, "at least as much as")]
)
def test_a_judge_is_held_against_people_among_themselves(value: float, words: str):
    """People reach 0.900: a judge that reaches exactly as much is not below them."""
    judge = JUDGE._replace(coefficients=(coefficient("alpha-interval", value),))
    assert ceiling_lines(REPORT._replace(comparisons=(PEOPLE, judge))) == [
        f"final: replay:one agrees with people {words} they do with each other (Krippendorff's alpha, interval: "
        f"{value:.3f} against 0.900)"
    ]


def test_only_people_on_the_same_field_are_a_ceiling():
    """Not other judges, not people on another field, and not people whose coefficient has no value."""
    judges = PEOPLE._replace(between="judges")
    elsewhere = PEOPLE._replace(field="safety")
    empty = PEOPLE._replace(coefficients=(Coefficient("alpha-interval", None, "why", None, "why", 0),))
    for other in (judges, elsewhere, empty):
        assert ceiling_lines(REPORT._replace(comparisons=(other, JUDGE))) == []


@pytest.mark.parametrize(
    ("raters", "shown"),
    [
        ([f"r{n}" for n in range(6)], "6 raters (r0, r1, r2, r3, r4, r5)"),
        ([f"r{n}" for n in range(7)], "7 raters (r0, r1, r2, r3, r4 and 2 more)"),
        (["anonymous 1", "anonymous 2"], "raters (at most 2 an item, not known by name)"),
        (["anonymous 1"], "1 rater (anonymous 1)"),
        (["anonymous 1", "ana"], "2 raters (anonymous 1, ana)"),
    ],
)
def test_six_raters_are_named_and_of_more_the_first_five(raters: list[str], shown: str):
    """Raters without a name are counted."""
    compared = PEOPLE._replace(between="raters", raters=tuple(raters))
    assert heading(compared) == f"final: {shown}, 12 items, 24 values"


def test_anonymous_people_are_counted_where_people_are_compared():
    """The comparison keeps its name."""
    compared = PEOPLE._replace(raters=("human:anonymous 1", "human:anonymous 2"))
    assert heading(compared).startswith("final: people against people (at most 2 an item, not known by name), ")


def test_agreement_by_field_is_drawn_from_one_end_of_the_scale_to_the_other():
    """-1 is at 10 and 1 at 630, so 0.9 is at 320 + 0.9 * 310 = 599; without a value there is no row."""
    alone = PEOPLE._replace(field="alone", coefficients=(coefficient("alpha-interval", -0.5),))
    valueless = PEOPLE._replace(coefficients=(Coefficient("exact", None, "why", None, "why", 0),))
    page = agreement_page(REPORT._replace(comparisons=(PEOPLE, valueless, JUDGE, alone)))
    assert re.findall(r'<circle class="value-point" cx="([\d.]+)"', page) == ["599.0", "537.0", "165.0"]
    assert "final, people: Krippendorff&#39;s alpha, interval 0.900 (0.850 to 0.950); final, replay:one and" in page
    assert "value-point" not in agreement_page(REPORT._replace(comparisons=(valueless,))).split("<body>")[1]


def drawn(differences) -> DifferenceChart:
    return difference_chart(differences, ("human:ana", "human:bo"), None, (None, None))


def test_differences_are_drawn_against_means():
    """A square of 320 with margins of 36: means 5 to 9 over 248, so 62 a point, and -2 to +2 likewise from below."""
    chart = difference_chart(JUDGE.differences, ("replay:one", "people"), -0.25, (-2.0, 2.0))
    assert chart.dots == [(36, 98, 3), (160, 222, 3.4), (284, 160, 3)]  # two dots in one: 2 + root 2
    assert chart.levels == [(175.5, "-0.25", True), (284, "-2.00", False), (36, "+2.00", False)]
    assert (chart.zero, chart.ends) == (160, ("5", "9"))
    assert chart.label == "4 differences between replay:one and people, mean -0.25"


def test_two_differences_are_drawn_and_one_is_not():
    """Zero is always on the drawing: at its upper edge where all differences are below; alike ones have a place too."""
    assert agreement_page(REPORT).count("Bias against score") == 1
    below = drawn(((5.0, -2.0), (6.0, -1.0)))
    assert (below.dots, below.zero) == ([(36, 284, 3), (284, 160, 3)], 36)
    assert below.label == "2 differences between human:ana and human:bo, mean -"
    alike = drawn(((5.0, 0.0), (5.0, 0.0)))
    assert (alike.dots, alike.zero) == ([(36, 284, 3.4)], 284)


def test_confusion_has_the_values_that_occur():
    """A value that only one of the two gave is there, one that nobody gave is not."""
    text = agreement_markdown(REPORT)
    assert text.count("Confusion") == 1
    assert "|  | 2 | 3 | 4 |\n|---|---:|---:|---:|\n| 2 | 8 | 2 | 0 |\n| 3 | 0 | 4 | 0 |\n| 4 | 0 | 1 | 0 |\n" in text
