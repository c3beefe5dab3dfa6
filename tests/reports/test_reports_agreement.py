"""Agreement as a reader sees it, whole: lines, Markdown, and where things are on the drawings."""

from __future__ import annotations

import pytest

from evenhand.reports.html.rater_agreement import agreement_page, confusion_view, overview, scatter
from evenhand.reports.trust.rater_agreement import agreement_lines, agreement_markdown, ceiling_lines, heading, headline
from evenhand.stats.agreement.agreed import AgreementReport, FieldAgreement
from evenhand.stats.agreement.coefficients import Coefficient
from evenhand.stats.agreement.interval import Interval
from evenhand.stats.agreement.verdict_measures import Confusion


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


def test_agreement_in_lines():
    """Who is compared, then each coefficient with what it means, then what is missing, confusion, and the ceiling."""
    assert agreement_lines(REPORT) == [
        "agreement in labels.csv",
        "",
        "final: people against people (human:ana, human:bo), 12 items, 24 values",
        "  Krippendorff's alpha, interval  0.900  (0.850 to 0.950; 12 items)",
        "    90% of the disagreement that chance would bring is avoided (differences between values count); above .800,"
        " which Krippendorff asks for.",
        "  Exact agreement                 0.500  (0.250 to 0.750; 12 items)",
        "    50% of the pairs of values are equal.",
        "",
        "final: replay:one against people (human:ana, human:bo), 12 items, 36 values",
        "  Krippendorff's alpha, interval  0.700  (0.500 to 0.800; 12 items)",
        "    70% of the disagreement that chance would bring is avoided (differences between values count); enough for "
        "tentative conclusions only (.667 to .800 by Krippendorff).",
        "  Mean bias                       -0.25  (-; 12 items)",
        "    replay:one gives 0.25 points less than people on average.",
        "  Lower limit of agreement        -2.00  (-; 12 items)",
        "    About 97.5% of the differences lie above -2.00 points.",
        "  Upper limit of agreement        +2.00  (-; 12 items)",
        "    About 97.5% of the differences lie below +2.00 points.",
        "  not computed: Spearman's rho: a rater gave every item the same value",
        "  no interval: Mean bias, Lower limit of agreement, Upper limit of agreement: fewer than 20 items",
        "  confusion, replay:one in rows, people in columns:",
        "          2    3    4",
        "     2    8    2    0",
        "     3    0    4    0",
        "     4    0    1    0",
        "",
        "intervals: 95%, items resampled 2,000 times (seed 3)",
        "final: replay:one agrees with people less than they do with each other (Krippendorff's alpha, interval: "
        "0.700 against 0.900)",
        "ana labelled twice",
    ]


def test_a_summary_has_the_coefficients_that_fit_and_names_the_way_to_the_rest():
    """Numbers: alpha and bias here, no limits of agreement, no confusion."""
    assert [entry.name for entry in headline(JUDGE)] == ["alpha-interval", "bias"]
    lines = agreement_lines(REPORT._replace(comparisons=(JUDGE,), brief=True))
    assert [line.split("  ")[1] for line in lines if line.startswith("  ") and line[2] != " "] == [
        "Krippendorff's alpha, interval",
        "Mean bias",
        "no interval: Mean bias: fewer than 20 items",
    ]
    assert (
        lines[-1] == "every coefficient, confusion and the worst disagreements: --full, or --field NAME for one field"
    )


def test_agreement_as_markdown():
    """Every coefficient in a table, a missing value as a dash; then confusion and the notes."""
    assert agreement_markdown(REPORT._replace(comparisons=(JUDGE,))).splitlines() == [
        "# Agreement in labels.csv",
        "",
        "## final: replay:one against people (human:ana, human:bo), 12 items, 36 values",
        "",
        "| coefficient | value | 95% interval | items | meaning |",
        "|---|---|---|---|---|",
        "| Krippendorff's alpha, interval | 0.700 | 0.500 to 0.800 | 12 | 70% of the disagreement that chance would "
        "bring is avoided (differences between values count); enough for tentative conclusions only (.667 to .800 by "
        "Krippendorff). |",
        "| Spearman's rho | - | - | 12 | Not computed: a rater gave every item the same value. |",
        "| Mean bias | -0.25 | - | 12 | replay:one gives 0.25 points less than people on average. No interval: fewer "
        "than 20 items. |",
        "| Lower limit of agreement | -2.00 | - | 12 | About 97.5% of the differences lie above -2.00 points. No "
        "interval: fewer than 20 items. |",
        "| Upper limit of agreement | +2.00 | - | 12 | About 97.5% of the differences lie below +2.00 points. No "
        "interval: fewer than 20 items. |",
        "",
        "| replay:one \\\\ people | 2 | 3 | 4 |",
        "|---|---|---|---|",
        "| 2 | 8 | 2 | 0 |",
        "| 3 | 0 | 4 | 0 |",
        "| 4 | 0 | 1 | 0 |",
        "",
        "- intervals: 95%, items resampled 2,000 times (seed 3)",
        "- ana labelled twice",
    ]


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


def test_agreement_by_field_is_drawn_on_an_axis_from_0_to_1():
    """0 is at 320 and 1 at 700, so 0.9 is at 320 + 0.9 * 380 = 662; a row is 26 high, with one above and one below."""
    alone = PEOPLE._replace(field="alone", coefficients=(coefficient("alpha-interval", -0.5),))
    odd = PEOPLE._replace(field="odd", coefficients=(coefficient("alpha-interval", 0.123),))  # 366.74, to a tenth
    valueless = PEOPLE._replace(coefficients=(Coefficient("exact", None, "why", None, "why", 0),))
    drawn = overview(REPORT._replace(comparisons=(PEOPLE, valueless, JUDGE, alone, odd)))
    assert drawn is not None
    assert [tuple(row[key] for key in ("name", "y", "x", "low", "high", "text")) for row in drawn["rows"]] == [
        ("final, people", 26, 662, 643, 681, "Krippendorff's alpha, interval 0.900 (0.850 to 0.950)"),
        ("final, replay:one and people", 52, 586, 510, 624, "Krippendorff's alpha, interval 0.700 (0.500 to 0.800)"),
        ("alone, people", 78, 320, None, None, "Krippendorff's alpha, interval -0.500"),
        ("odd, people", 104, 366.7, None, None, "Krippendorff's alpha, interval 0.123"),
    ]
    assert drawn["marks"] == [(320, "0"), (396, "0.2"), (472, "0.4"), (548, "0.6"), (624, "0.8"), (700, "1")]
    assert (drawn["width"], drawn["height"], drawn["left"]) == (720, 6 * 26, 320)
    assert drawn["label"].startswith(
        "Agreement by field: final, people Krippendorff's alpha, interval 0.900 (0.850 to "
    )
    assert overview(REPORT._replace(comparisons=(valueless,))) is None


def test_differences_are_drawn_against_means():
    """A square of 320 with margins of 36: means 5 to 9 over 248, so 62 a point, and -2 to +2 likewise from below."""
    drawn = scatter(JUDGE)
    assert drawn is not None
    assert drawn["dots"] == [(36, 98, 3), (160, 222, 3.4), (284, 160, 3)]  # two dots in one: 2 + root 2
    assert drawn["lines"] == [(175.5, "-0.25", True), (284, "-2.00", False), (36, "+2.00", False)]
    assert (drawn["size"], drawn["margin"], drawn["zero"]) == (320, 36, 160)
    assert (drawn["left"], drawn["right"]) == ("5", "9")
    assert drawn["caption"] == "replay:one minus people, against the mean of both"
    assert drawn["label"] == "4 differences between replay:one and people, mean -0.25"


def test_two_differences_are_drawn_and_one_is_not():
    """Zero is always on the drawing: at its upper edge where all differences are below; alike ones have a place too."""
    assert scatter(PEOPLE) is None
    below = scatter(PEOPLE._replace(differences=((5.0, -2.0), (6.0, -1.0))))
    assert below is not None
    assert (below["dots"], below["zero"]) == ([(36, 284, 3), (284, 160, 3)], 36)
    assert below["label"] == "2 differences between human:ana and human:bo, mean -"
    alike = scatter(PEOPLE._replace(differences=((5.0, 0.0), (5.0, 0.0))))
    assert alike is not None
    assert (alike["dots"], alike["zero"]) == ([(36, 284, 3.4)], 284)


def test_confusion_is_shaded_by_its_share_of_the_largest_count():
    """8 is the most, 2 a quarter of it. A value that only one of the two gave is there, one that nobody gave is not."""
    view = confusion_view(JUDGE)
    assert view is not None
    assert (view["first"], view["second"], view["labels"]) == ("replay:one", "people", ["2", "3", "4"])
    assert [[(cell["count"], cell["shade"], cell["same"]) for cell in row["cells"]] for row in view["rows"]] == [
        [(8, 1, True), (2, 0.25, False), (0, 0, False)],
        [(0, 0, False), (4, 0.5, True), (0, 0, False)],
        [(0, 0, False), (1, 0.12, False), (0, 0, True)],
    ]
    assert confusion_view(PEOPLE) is None


def test_the_page_has_a_section_for_each_comparison_with_every_coefficient():
    """A missing value is a dash, with the reason beside it."""
    page = agreement_page(REPORT)
    assert page.count("<h3>Confusion</h3>") == 1
    assert page.count("<h3>Bias against score</h3>") == 1
    assert (
        '<tr><th scope="row">Spearman&#39;s rho</th><td class="number">-</td><td class="number">-</td>'
        '<td class="number">12</td><td>Not computed: a rater gave every item the same value.</td></tr>'
    ) in page
