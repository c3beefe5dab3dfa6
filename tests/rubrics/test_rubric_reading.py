"""A rubric is read completely or refused: other spellings of weights, amounts and lists; prose is left alone."""

from __future__ import annotations

from decimal import Decimal

import pytest
from conftest import SHARED_DATA

from evenhand import DIMENSIONS
from evenhand.core.rules import DEFAULT_WEIGHTS
from every_case import every_case
from test_rubric_files import BONUSES, FLAGS, PERCENT, TABLE, front_matter, line_of, parse, problems, rubric_text

WEIGHTS = (40, 10, 10, 15, 10, 10, 5)


def headed(heading, weights=WEIGHTS):
    """A rubric whose headings are written in another way; {name} and {weight} are filled in."""
    pairs = zip(DIMENSIONS, weights, strict=True)
    return rubric_text(
        weights=None,
        headings={name: "### " + heading.format(name=name.capitalize(), weight=weight) for name, weight in pairs},
    )


def percent(text):
    return [weight * 100 for weight in parse(text).weights.values()]


# --- weights -------------------------------------------------------------------------------------


@every_case(
    "heading",
    [
        "{name} ({weight} points)",
        "{name} ({weight} pts)",
        "{name} - {weight} points",
        "{name} (max {weight} points)",
        "{name} (worth {weight} points)",
        "{name} x{weight}",
        "{name} (x{weight})",
        "{name} \u00d7{weight}",
        "{name} ({weight}x)",
        "{name} {weight}/100",
        "{name} ({weight}/100)",
        "{name} ({weight} / 100 points)",
        "{name} ({weight} of 100)",
        "{name} (Gewicht: {weight}%)",
        "{name} (Gewichtung: {weight} %)",
        "{name} - Gewicht {weight} %",
        "{name} (Poids : {weight} %)",
        "{name} (Peso: {weight}%)",
        "{name}\uff08\u6743\u91cd\uff1a{weight}\uff05\uff09",
        "{name} {weight}%",
        "{name} [weight={weight}%]",
        "{name} (weighting: {weight}%)",
        "{name} ({weight} percent)",
        "{name} ({weight}% of total)",
        "{name} ({weight}% of the final grade)",
        "{name} ({weight}% weight)",
        "{name} | {weight}%",
        "{name}, weight {weight}%",
        "{name} ({weight})",
        "{name}: {weight}",
        "{name} (critical, {weight}%)",
        "**{name}** (**{weight}%**)",
        "1. {name} ({weight}%)",
        "Dimension 1: {name} ({weight}%)",
        "{name} (1-10, weight {weight}%)",
    ],
)
def test_weights_in_headings_in_other_spellings(heading):
    """The seven weights come out as written, whatever surrounds the number."""
    assert percent(headed(heading)) == list(WEIGHTS)


def test_a_share_of_ten_is_a_tenth_each():
    """4/10 is 0.4: 4 + 1 + 1 + 1 + 1 + 1 + 1 = 10."""
    assert percent(headed("{name} ({weight}/10)", (4, 1, 1, 1, 1, 1, 1))) == [40, 10, 10, 10, 10, 10, 10]


@every_case(
    "line",
    [
        "Weight: 0.{weight:02}",
        "weight = 0.{weight:02}",
        "**Weight:** {weight}%",
        "*Weight*: {weight}%",
        "**Weight**: {weight}% - set by the board",
        "- Weight: {weight}%",
        "> Weight: {weight}%",
        "Gewicht: {weight}%",
        "Weight {weight}%",
        "Weight: {weight}/100",
        "Weight: {weight} points",
        "Weighting: {weight}%.",
    ],
)
@every_case("apart", ["\n\n", "\n"])
def test_a_weight_on_a_line_of_its_own(line, apart):
    """Under the heading, as a paragraph or as the first line of one."""
    text = rubric_text(weights=None)
    for name, weight in zip(DIMENSIONS, WEIGHTS, strict=True):
        text = text.replace(
            f"### {name.capitalize()}\n\n", f"### {name.capitalize()}\n\n{line.format(weight=weight)}{apart}"
        )
    assert percent(text) == list(WEIGHTS)


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("| Dimension | Weight |", "| {name} | {weight}% |"),
        ("| Dimension | Weight |", "| **{name}** | {weight} |"),
        ("| Weight | Dimension |", "| 0.{weight:02} | {name} |"),
        ("| # | Dimension | Weight |", "| 3 | {name} | {weight}% |"),
        ("| Dimension | Gewicht | Why |", "| {name} | {weight} % | asked for by 3 of 4 |"),
        ("| Dimension | Points |", "| {name} | {weight} points |"),
        (None, "- {name}: {weight}%"),
        (None, "- **{name}**: {weight}%"),
        (None, "- {name} ({weight}%): what it is about"),
        (None, "- {name} = 0.{weight:02}"),
        (None, "1. {name} \u2014 {weight} points"),
        (None, "{name}: {weight}%"),
    ],
)
def test_weights_in_a_table_or_list_of_their_own(header, row):
    """Before the dimensions, in whatever order the columns have."""
    rows = [row.format(name=name.capitalize(), weight=weight) for name, weight in zip(DIMENSIONS, WEIGHTS, strict=True)]
    head = [header, "|---" * (header.count("|") - 1) + "|"] if header else []
    block = "\n".join(["## Weights", "", *head, *rows, ""])
    assert percent(rubric_text(weights=None).replace("### Correctness", f"{block}\n### Correctness", 1)) == list(
        WEIGHTS
    )


@pytest.mark.parametrize(
    "heading",
    [
        "{name} (accounts for {weight})",
        "{name} (at least {weight}% right)",
        "{name} (40% or {weight}%)",
        "{name} - up to {weight}",
        "{name} ({weight}-50%)",
    ],
)
def test_a_number_that_may_be_a_weight_is_refused_with_the_heading(heading):
    """What cannot be told is neither dropped nor guessed."""
    found = problems(headed(heading, (41, 10, 10, 14, 10, 10, 5)))
    assert len(found) == 7
    assert all('"Correctness' in found[0][1] and "may" in said for _, said in found)


@pytest.mark.parametrize(
    "heading",
    [
        "{name} (5.1, 5.2)",
        "{name} (1-10)",
        "{name} (score 1 to 10)",
        "{name} (out of 10)",
        "{name} (ISO 27001)",
        "{name} (OWASP Top 10)",
        "{name}: see section 3.1",
        "{name} (rule R5)",
        "{name} - how much weight it bears",
        "{name}: the first thing",
    ],
)
def test_other_numbers_in_a_heading_are_not_weights(heading):
    """References and scales are left alone, and the default weights hold."""
    assert parse(headed(heading)).weights == DEFAULT_WEIGHTS


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("Weight: 0.40", '"Weight: 0.40" is a weight without a dimension'),
        (
            "The weights are correctness 40%, safety 10% and the rest alike.",
            "gives correctness a weight of 40%, but 25%",
        ),
        ("Correctness carries a weight of 40% here.", "gives correctness a weight of 40%"),
        ("```yaml\nweights:\n  correctness: 40\n```", '"weights:" is in a code block, which is not read'),
        ("<table><tr><td>Correctness</td><td>40%</td></tr></table>", "HTML is not read"),
        ("| Dimension | Least |\n|---|---|\n| Safety | 8 |\n| Correctness | - |", "no weight for correctness"),
    ],
)
def test_weights_in_a_place_that_is_not_read_are_refused(before, words):
    """Rather than scored with the default ones."""
    text = rubric_text(weights=None).replace("### Correctness", f"{before}\n\n### Correctness", 1)
    assert any(words in said for _, said in problems(text)), problems(text)


def test_prose_may_repeat_the_weights_that_count():
    """25% in the text and 25% in the heading."""
    text = rubric_text().replace(
        "### Correctness", "Correctness weighs 25%, safety 10%: weights of the house.\n\n### Correctness", 1
    )
    assert parse(text).weights == DEFAULT_WEIGHTS


def test_a_weight_in_a_dimension_s_sentence_must_be_its_own():
    """A sentence that says otherwise is refused on its line."""
    text = rubric_text().replace("**Measures:** how good the safety is.", "This dimension carries a weight of 35%.")
    [(line, said)] = problems(text)
    assert said.startswith('"This dimension carries a weight of 35%." gives safety a weight of 35%, but 10% counts')
    assert line == line_of(text, "This dimension")


@pytest.mark.parametrize("heading", ["Taste (5%)", "Taste (5 points)", "Taste: 5%", "Taste (Gewicht: 5%)"])
def test_an_eighth_dimension_is_refused_however_its_weight_is_written(heading):
    """A weight on another heading would be lost."""
    text = rubric_text().replace("## Red Flags", f"### {heading}\n\n{TABLE}\n## Red Flags")
    assert any("is not one of the seven" in said for _, said in problems(text))


# --- amounts -------------------------------------------------------------------------------------


@every_case(
    "bullet",
    [
        "`made-up` (-1.0): Makes it up",
        "`made-up` [-1.00]: Makes it up",
        "`made-up` -1.0: Makes it up",
        "`made-up`: -1.0: Makes it up",
        "`made-up` (deduct 1.0): Makes it up",
        "`made-up` (penalty: 1): Makes it up",
        "`made-up` **(-1.0)**: Makes it up",
        "`made-up`: Makes it up (-1.0)",
        "`made-up`: Makes it up [-1.00]",
        "`made-up`: Makes it up \u2014 -1.0",
        "-1.0: Makes it up",
        "-1.0 Makes it up",
        "[-1.00] Makes it up",
        "(-1) Makes it up",
        "**-1.0** Makes it up",
        "**-1.0:** Makes it up",
        "`-1.0` Makes it up",
        "-1 point: Makes it up",
        "\u22121.0 points for Makes it up",
        "1.0 points: Makes it up",
        "Deduct 1.0 if Makes it up",
        "Makes it up (-1.0)",
        "Makes it up [-1.00]",
        "Makes it up: -1.0",
        "Makes it up \u2014 \u22121.0 points",
        "Makes it up -> -1.0",
        "Makes it up \u2192 -1",
        "Makes it up (1 point)",
        "Makes it up (1.0 deduction)",
        "Makes it up (minus 1)",
        "Makes it up **(-1.0)**",
        "[ ] Makes it up (-1.0)",
    ],
)
def test_amounts_of_red_flags_in_other_spellings(bullet):
    """Before or behind the text, in any bracket or none, with a sign, a unit or a verb."""
    [flag] = parse(rubric_text(flags=f"- {bullet}\n")).red_flags
    assert (flag.deduction, flag.description.rstrip(".")) == (1, "Makes it up")
    assert flag.id in ("made-up", "makes-it-up")


@pytest.mark.parametrize(
    "bullet",
    [
        "Makes it up (-10%)",
        "Makes it up: -10%",
        "Makes it up -1.0",
        "Makes it up - 1.0",
        "Makes it up (-0.5 each)",
        "Makes it up (-0.5 per occurrence)",
        "Makes it up (-0.5 to -1.0)",
        "Makes it up (minus one point)",
        "Makes it up; deduct half a point",
        "Makes it up (+0.5)",
        "Makes it up: automatic fail",
        "Makes it up (auto-fail)",
        "Makes it up -> score capped at 4",
        "`made-up` (cap at 5): Makes it up",
        "Makes it up and loses 2 points in the end",
        "Faults:\n  - `made-up` (-1.0): Makes it up\n  - `left-out`: Leaves it out",
    ],
)
def test_an_amount_that_cannot_be_read_is_refused_with_the_bullet(bullet):
    """Never charged at the usual 0.50 without a word."""
    text = rubric_text(flags=f"- First fault\n- {bullet}\n")
    found = problems(text)
    assert found and all(line >= line_of(text, "- First fault") + 1 for line, _ in found)
    assert any(word in found[0][1] for word in ("Makes it up", "made-up"))


@pytest.mark.parametrize(
    "bullet",
    [
        "Returns -1 where an error was to be raised",
        "Misses a fault (CVSS 9.0+)",
        "Opens the network to 0.0.0.0/0 (any address)",
        "Uses UTF-8 where UTF-16 was asked for",
        "Cites pages 3 \u2013 4 instead of 5",
        "Breaks layout at common sizes (320px, 768px)",
        "Claims that the build cannot fail automatically",
        "Answers 3 of 7 questions",
        "Fails at a ratio of 2:1",
        "Raises the limit of the queue without a reason",
    ],
)
def test_numbers_in_a_flag_s_text_are_left_alone(bullet):
    """A number is not an amount because it stands in a bullet."""
    [flag] = parse(rubric_text(flags=f"- {bullet}\n")).red_flags
    assert (flag.description, flag.deduction) == (bullet, Decimal("0.50"))


@pytest.mark.parametrize(
    ("heading", "bullet", "amount"),
    [
        ("## Red flags (-1.0 each)", "Makes it up", "1.00"),
        ("## Red flags (-1.0 each)", "Makes it up (-2.0)", "2.00"),
        ("## Penalties: -0.75 points each", "Makes it up", "0.75"),
        ("## Red flags (max 2.0)", "Makes it up", "0.50"),
        ("## Red flags\n\n**Grave (-1.5 each):**", "Makes it up", "1.50"),
        ("## Red flags\n\n### Grave (-1.5)", "Makes it up", "1.50"),
        ("## Red flags\n\nEach takes 0.5 points, 2.0 at most.", "Makes it up", "0.50"),
    ],
)
def test_a_heading_may_give_the_amount_of_its_list(heading, bullet, amount):
    """For every bullet that gives none itself; the limits that hold anyway may be repeated."""
    text = rubric_text().replace(f"## Red Flags\n\n{FLAGS}", f"{heading}\n\n- {bullet}\n\n")
    [flag] = parse(text).red_flags
    assert (flag.description, flag.deduction) == ("Makes it up", Decimal(amount))


@every_case(
    "section",
    [
        "## Red flags\n\nEach takes 1.0 points.\n\n- Makes it up",
        "## Red flags (max 3.0)\n\n- Makes it up",
        "## Red flags\n\nMakes it up (-1.0)",
        "## Red flags\n\nMakes it up, or leaves half of it out.",
        "## Red flags\n\n**Invention** (-1.0): Makes it up",
        "## Red flags\n\n`made-up`: Makes it up",
        "## Red flags\n\n### Invention\n\nMakes it up",
        "## Red flags\n\n| Flag | Amount |\n|---|---|\n| Makes it up | -1.0 |",
        "## Red flags\n\n- `made-up`",
        "## Red flags\n\n- `made-up`:",
        "## Red flags\n\n- `made-up` (-1.0)",
        "## Automatic fail\n\n- Makes it up",
        "## Hard blocks\n\n- Makes it up",
        "## Deal-breakers\n\n- Makes it up",
        "## Disqualifiers\n\n- Makes it up",
        "## Notes\n\n**Deductions:**\n\n- Makes it up",
        "## Notes\n\nAutomatic fail if:\n\n- it is made up",
        "## Notes\n\n- Makes it up (-1.0)",
        "## Notes\n\n- -1.0: Makes it up",
        "## Notes\n\nDeduct 1.0 for every invention.",
        "## Notes\n\n| Fault | Costs |\n|---|---|\n| Makes it up | -1.0 |",
        "## Notes\n\n| Penalty | When |\n|---|---|\n| one | Makes it up |",
        "## How red flags work\n\n- `made-up`: Makes it up",
        "## Pass mark: 8.5",
        "## Notes\n\nPass mark: 8.5",
        "## Notes\n\n**Passing score:** 85%",
        "## Red flags and bonuses\n\n- Makes it up",
        "## Notes\n\nTODO(convert): decide what this is",
    ],
)
def test_what_counts_and_is_not_read_is_refused_with_its_line(section):
    """Dropped without a word it would be lost from every score."""
    text = rubric_text().replace(f"## Red Flags\n\n{FLAGS}", f"{section}\n\n")
    found = problems(text)
    assert found
    assert all(line >= line_of(text, section.splitlines()[0]) for line, _ in found)


@pytest.mark.parametrize(
    "heading",
    [
        "Deductions",
        "Penalties",
        "Auto-deductions",
        "Score Deductions",
        "Demerits",
        "Minus points",
        "Abz\u00fcge",
        "\U0001f6a9 Red Flags",
    ],
)
def test_other_headings_of_red_flags(heading):
    """Words that can mean nothing else."""
    assert len(parse(rubric_text().replace("## Red Flags", f"## {heading}")).red_flags) == 2


@pytest.mark.parametrize(
    "heading", ["Extra credit", "Bonus points", "Plus points", "Pluspunkte", "Domain-Specific Bonuses"]
)
def test_other_headings_of_bonuses(heading):
    """Words that can mean nothing else."""
    assert len(parse(rubric_text().replace("## Bonuses", f"## {heading}")).bonuses) == 1


@pytest.mark.parametrize("heading", ["Automatic fail", "Hard blocks", "Deal-breakers", "Critical failures"])
def test_reasons_to_fail_with_amounts_are_red_flags(heading):
    """Each says what it costs, so nothing has to be made up."""
    text = rubric_text(flags="- Makes it up (-2.0)\n- `left-out` (-1.5): Leaves it out\n").replace("Red Flags", heading)
    assert [(flag.id, str(flag.deduction)) for flag in parse(text).red_flags] == [
        ("makes-it-up", "2.00"),
        ("left-out", "1.50"),
    ]


def test_flags_and_bonuses_in_one_list_are_told_apart_by_their_signs():
    """A minus takes, a plus gives."""
    text = rubric_text().replace(
        f"## Red Flags\n\n{FLAGS}\n## Bonuses\n\n{BONUSES}",
        "## Bonuses and penalties\n\n- Makes it up (-1.0)\n- Finds it (+0.25)\n",
    )
    rubric = parse(text)
    assert [(flag.id, str(flag.deduction)) for flag in rubric.red_flags] == [("makes-it-up", "1.00")]
    assert [bonus.id for bonus in rubric.bonuses] == ["finds-it"]


def test_deductions_inside_a_dimension_are_refused():
    """They would be taken from the final score instead of the dimension's."""
    text = rubric_text().replace("### Completeness", "#### Deductions\n\n- Makes it up (-1.0)\n\n### Completeness", 1)
    assert any("no dimension has a list of its own" in said for _, said in problems(text))


@pytest.mark.parametrize("noun", ["flags", "bonuses"])
def test_an_entry_without_a_description_is_refused(noun):
    """An id alone tells a judge nothing."""
    text = rubric_text(**{noun: "- `made-up`\n"})
    name = {"flags": "red flag", "bonuses": "bonus"}[noun]
    said = f"the {name} made-up has no description; write: - `made-up`: what it is"
    assert problems(text) == [(line_of(text, "- `made-up`"), said)]


# --- prose ---------------------------------------------------------------------------------------


@every_case(
    "prose",
    [
        "Use it for answers of up to 10 pages.",
        "A score of 10 is rare; most answers earn 5 to 7 points.",
        "- Read the task first.\n- Then read the answer twice.\n- Score from 1 to 10.",
        "It weighs speed against care, and bears some weight in reviews.",
        "The consistency score is docked by `consistency_dock` (default 3), not granted a `+1` bonus.",
        "| Word | Meaning |\n|---|---|\n| Change | what is judged |\n| Run | one of 3 tries |",
        '```json\n{"scores": {"correctness": 8, "safety": 9}}\n```',
        "<!-- Red flags: none yet. Weights: to be discussed. -->",
        "## Overview\n\n- For reviews of 1 to 50 files.\n- Penalises nobody for brevity.",
        "## How it was made\n\n1. 30 reviews were read.\n2. 4 people agreed.",
        "## Pass mark\n\nBelow it a reader notices the faults first.",
        "Pass mark: 7",
        "## Examples\n\n> The temperature fell to -5 degrees (-3 at noon).",
        "## Common mistakes\n\n- Reading too fast\n- Judging the author",
        "## Version history\n\n- 1.2: sharper bands\n- 1.1: first",
        "| Dimension | Score |\n|---|---|\n| Correctness | 8 |\n| Safety | 9 |",
        "| Dimension | Asks |\n|---|---|\n| Correctness | Is it true? |\n| Safety | Is it safe? |",
        "- Correctness: is it true?\n- Safety: could 1 person be hurt?",
    ],
)
def test_ordinary_prose_is_left_alone(prose):
    """It reads like prose, so it is prose, and nothing about the scoring changes."""
    plain = parse(rubric_text())
    text = rubric_text().replace("### Correctness", f"{prose}\n\n### Correctness", 1)
    rubric = parse(text)
    assert rubric._replace(summary="") == plain._replace(summary="")


def test_the_shared_rubrics_and_the_built_in_ones_raise_no_alarm():
    """The ten that load do so with the default weights or those their headings give."""
    folder = SHARED_DATA / "rubrics"
    if not folder.is_dir():
        pytest.skip("the shared rubrics are not here")
    for path in sorted(folder.glob("*.md")):
        assert sum(parse(path.read_text(encoding="utf-8")).weights.values()) == 1


def test_everything_wrong_is_named_at_once():
    """A number in a heading, an amount and a stray list, each on its line."""
    text = rubric_text(
        flags="- Makes it up (-10%)\n", headings={"safety": "### Safety (accounts for 10)"}, weights=PERCENT
    )
    assert [line for line, _ in problems(text)] == [line_of(text, "### Safety"), line_of(text, "- Makes it up")]


def test_front_matter_descriptions_count_as_descriptions():
    """A flag may be described in the front matter alone."""
    front = front_matter("red_flags:", "  - id: made-up", "    description: Makes it up")
    assert parse(rubric_text(front, flags="")).red_flags[0].description == "Makes it up"


@pytest.mark.parametrize("line", ["Pass mark: 7", "Passing score: 70%", "**Pass mark:** 7.0/10", "Pass mark: 70/100"])
def test_prose_may_repeat_the_pass_mark_that_counts(line):
    """7 of 10 is 70 of 100, and the pass mark is 7.00."""
    text = rubric_text().replace("### Correctness", f"{line}\n\n### Correctness", 1)
    assert parse(text).pass_mark == Decimal("7.00")


def test_a_heading_and_a_line_under_it_may_not_give_two_weights():
    """Neither wins without a word."""
    text = rubric_text().replace("### Safety (Weight: 10%)\n", "### Safety (Weight: 10%)\n\nWeight: 35%\n")
    assert problems(text) == [
        (
            line_of(text, "Weight: 35%"),
            '"Weight: 35%" states a weight, and the heading of safety above it states 10%; keep one',
        )
    ]
