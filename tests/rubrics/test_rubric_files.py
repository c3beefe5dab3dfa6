"""A rubric file in its two forms, and every mistake in one with its file and line."""

from __future__ import annotations

import decimal
import json
import re
from decimal import Decimal
from fractions import Fraction

import pytest
from conftest import SHARED_DATA
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand import DIMENSIONS, RubricError
from evenhand.core.rules import DEFAULT_WEIGHTS
from evenhand.core.values import Band, Bonus, Criteria, RedFlag, Rubric
from evenhand.reading.text import DOCUMENT_LIMIT
from evenhand.reports.markdown import rubric_markdown
from evenhand.rubrics.library import load_file
from evenhand.rubrics.rubric_file import parse_rubric
from evenhand.rubrics.weights import WeightError, weights_from

PERCENT = (25, 20, 15, 15, 10, 10, 5)
TABLE = """\
| Score | Criteria |
|-------|----------|
| 9-10  | nothing is wrong |
| 7-8   | one slip in a detail |
| 5-6   | several slips |
| 3-4   | the main point is wrong |
| 1-2   | nothing is right |
"""
FLAGS = "- Invented a source\n- Left the work unfinished\n"
BONUSES = "- Found a fault nobody asked about\n"


def rubric_text(front="", weights=PERCENT, bands=TABLE, flags=FLAGS, bonuses=BONUSES, headings=None):
    """A rubric file; `weights` go into the headings, `headings` replaces a heading by another."""
    marks = [f" (Weight: {each}%)" for each in weights] if weights else [""] * 7
    parts = [front, "# Notes\n\nFor notes taken in a meeting.\n"]
    for name, mark in zip(DIMENSIONS, marks, strict=True):
        heading = (headings or {}).get(name, f"### {name.capitalize()}{mark}")
        parts.append(f"{heading}\n\n**Measures:** how good the {name} is.\n\n{bands}")
    parts += [f"## Red Flags\n\n{flags}", f"## Bonuses\n\n{bonuses}"]
    return "\n".join(part for part in parts if part)


def front_matter(*lines):
    return "\n".join(["---", *lines, "---", ""])


def front_weights(*weights):
    return ["weights:", *(f"  {name}: {each}" for name, each in zip(DIMENSIONS, weights, strict=True))]


def parse(text, source="notes.md"):
    return parse_rubric(text, source, name="notes").rubric


def problems(text):
    """The problems of a rubric text as (line, message)."""
    with pytest.raises(RubricError) as caught:
        parse(text)
    assert all(problem.source == "notes.md" for problem in caught.value.problems)
    return [(problem.line, problem.message) for problem in caught.value.problems]


def line_of(text, words):
    """The line some words first stand on."""
    return text[: text.index(words)].count("\n") + 1


# --- the two forms -------------------------------------------------------------------------------

FRONT = front_matter(
    "name: meeting-notes",
    "title: Meeting notes",
    "domain: Notes of a meeting",
    "version: 2.10",
    *front_weights(30, 20, 10, 15, 10, 10, 5),
    "pass_mark: 6.5",
    "pass_mark_reason: Below it the notes",
    "  must be taken again.",
    "red_flags:",
    "  - id: invented-source",
    "    deduction: 1.25",
    "  - id: unfinished",
    "    description: Left the work unfinished",
    "  - wrong-date",
    "bonuses:",
    "  - id: fault-found",
    "  - decisions-first",
)


def test_everything_can_stand_in_the_front_matter():
    """Name, title, domain, version, weights, pass mark and its reason, flags with amounts, bonuses."""
    text = rubric_text(
        FRONT,
        weights=None,
        flags="- `invented-source`: Names a source nobody mentioned\n- `wrong-date` (2): Gives a wrong date\n",
        bonuses="- `decisions-first`: Puts decisions first\n- `fault-found` - Found a fault\n",
    )
    rubric = parse(text)
    assert rubric.name == "meeting-notes"
    assert (rubric.title, rubric.domain, rubric.version) == ("Meeting notes", "Notes of a meeting", "2.10")
    assert list(rubric.weights.values()) == list(map(Decimal, "0.30 0.20 0.10 0.15 0.10 0.10 0.05".split()))
    assert rubric.pass_mark == Decimal("6.5")
    assert rubric.pass_mark_reason == "Below it the notes must be taken again."
    assert rubric.red_flags == (
        RedFlag("invented-source", "Names a source nobody mentioned", Decimal("1.25")),
        RedFlag("unfinished", "Left the work unfinished", Decimal("0.50")),
        RedFlag("wrong-date", "Gives a wrong date", Decimal("2.00")),
    )
    assert rubric.bonuses == (Bonus("fault-found", "Found a fault"), Bonus("decisions-first", "Puts decisions first"))


def test_everything_can_stand_in_the_prose():
    """Weights come from the headings, ids are slugs of the bullets, the title is the first heading."""
    rubric = parse(rubric_text(weights=(35, 5, 10, 15, 10, 20, 5)))
    assert (rubric.name, rubric.title, rubric.version) == ("notes", "Notes", "1")
    assert rubric.summary == "For notes taken in a meeting."
    assert list(rubric.weights.values()) == list(map(Decimal, "0.35 0.05 0.10 0.15 0.10 0.20 0.05".split()))
    assert rubric.pass_mark == Decimal("7.00")
    assert rubric.red_flags == (
        RedFlag("invented-a-source", "Invented a source", Decimal("0.50")),
        RedFlag("left-the-work-unfinished", "Left the work unfinished", Decimal("0.50")),
    )
    assert rubric.bonuses == (Bonus("found-a-fault-nobody-asked-about", "Found a fault nobody asked about"),)
    assert rubric.dimensions["safety"].measures == "how good the safety is."
    assert rubric.dimensions["safety"].bands[0] == Band(9, 10, "nothing is wrong")
    assert list(rubric.dimensions) == list(DIMENSIONS)


def test_weights_left_out_everywhere_are_the_default_ones():
    """R6: a rubric without weights of its own uses those of the specification."""
    assert parse(rubric_text(weights=None)).weights == DEFAULT_WEIGHTS


def test_weights_may_be_said_twice_if_they_agree():
    """0.25 in the front matter and 25% in a heading are the same weight."""
    text = rubric_text(front_matter(*front_weights(0.25, 0.2, 0.15, 0.15, 0.1, 0.10, 0.05)))
    assert parse(text).weights == DEFAULT_WEIGHTS


@pytest.mark.parametrize(
    "heading",
    [
        "### {name} (Weight: {percent}%)",
        "### {name} (weight {percent} %)",
        "### {name} (weight 0.{percent:02})",
        "### {name} (WEIGHT = 0.{percent:02})",
        "### {name} ({percent}%)",
        "### {name} [{percent}%]",
        "### {name} (0.{percent:02})",
        "### {name}: {percent}%",
        "### {name} \u2014 {percent}%",
        "## 3. **{name}** (Weight: {percent}%, counted once)",
        "# {name} (Weight: {percent}.00%)",
    ],
)
def test_a_heading_can_say_its_weight_in_many_ways(heading):
    """With or without the word, in percent or as a fraction, in round or square brackets or after a dash."""
    weights = (35, 5, 10, 15, 10, 20, 5)
    headings = {
        name: heading.format(name=name.capitalize(), percent=percent)
        for name, percent in zip(DIMENSIONS, weights, strict=True)
    }
    assert [weight * 100 for weight in parse(rubric_text(headings=headings)).weights.values()] == list(weights)


@pytest.mark.parametrize("heading", ["### Safety (carries some weight)", "### Safety (5.1, 5.2)", "### Safety - first"])
def test_a_heading_that_merely_mentions_weight_sets_none(heading):
    """Words in a heading are not weights."""
    assert parse(rubric_text(weights=None, headings={"safety": heading})).weights == DEFAULT_WEIGHTS


@pytest.mark.parametrize("title", ["Safety", "Consistency (Weight: 5%)", "Red flag finder", "Bonus checks"])
def test_the_title_of_a_rubric_is_not_one_of_its_sections(title):
    """A rubric may be about safety, or about red flags, and say so in its title."""
    rubric = parse(rubric_text().replace("# Notes", f"# {title}\n\n- a bullet\n", 1))
    assert (rubric.title, rubric.weights) == (title, DEFAULT_WEIGHTS)
    assert (len(rubric.red_flags), len(rubric.bonuses)) == (2, 1)
    assert rubric.summary == "For notes taken in a meeting."


@pytest.mark.parametrize(
    ("bullet", "id", "amount", "description"),
    [
        ("`made-up`: Makes it up", "made-up", "0.50", "Makes it up"),
        ("`made-up` Makes it up", "made-up", "0.50", "Makes it up"),
        ("`made-up` \u2014 Makes it up", "made-up", "0.50", "Makes it up"),
        ("`made-up` (1): Makes it up", "made-up", "1.00", "Makes it up"),
        ("`made-up` (-0.75): Makes it up", "made-up", "0.75", "Makes it up"),
        ("`made-up` (\u22121.5 points) - Makes it up", "made-up", "1.50", "Makes it up"),
        ("`made-up` (1 point) Makes it up", "made-up", "1.00", "Makes it up"),
        ("Makes it up", "makes-it-up", "0.50", "Makes it up"),
        ("Makes it up (-1.0)", "makes-it-up", "1.00", "Makes it up"),
        ("Makes it up (0.75 points).", "makes-it-up", "0.75", "Makes it up."),
        ("Misses a fault (CVSS 9.0+)", "misses-a-fault-cvss-9-0", "0.50", "Misses a fault (CVSS 9.0+)"),
        ("Misses rule (5.1)", "misses-rule-5-1", "0.50", "Misses rule (5.1)"),
        ("`eval()` on input", "eval-on-input", "0.50", "`eval()` on input"),
        ("Doesn't stop\n  when asked", "doesnt-stop-when-asked", "0.50", "Doesn't stop when asked"),
        ("Fällt über Größe", "fällt-über-größe", "0.50", "Fällt über Größe"),
    ],
)
def test_a_red_flag_bullet(bullet, id, amount, description):
    """An id in code, then an amount in brackets, then the text; without an id the words are the id."""
    flag = parse(rubric_text(flags=f"- {bullet}\n")).red_flags[0]
    assert (flag.id, flag.deduction, flag.description) == (id, Decimal(amount), description)


def test_lists_may_have_headings_of_their_own():
    """Flags under a deeper heading are still flags."""
    flags = "- First\n\n### Grave ones\n\n- `second` (2): Second\n\n#### Graver\n\n1. Third\n"
    assert [flag.id for flag in parse(rubric_text(flags=flags)).red_flags] == ["first", "second", "third"]


@pytest.mark.parametrize(
    "bands",
    [
        TABLE,
        re.sub(r"(\d)-(\d)", "\\1\u2013\\2", TABLE),
        re.sub(r"\| (\d+-\d+) ", r"| **\1** ", TABLE),
        "- 9-10: nothing is wrong\n- 7-8: one slip in a detail\n- 5-6: several slips\n"
        "- 3-4: the main point is wrong\n- 1-2: nothing is right\n",
        "- **9-10**: nothing is wrong\n- **7-8:** one slip in a detail\n- 5 to 6: several slips\n"
        "- 3-4 - the main point is wrong\n- 1\u20132 \u2014 nothing is right\n",
        "- `9-10` nothing is wrong\n- `7-8`: one slip in a detail\n- `5-6` - several slips\n"
        "- `3-4`: the main point is wrong\n- `1-2`: nothing is right\n",
        "#### Bands\n\n- a bullet of another kind\n- `eval` is such a one\n\n" + TABLE,
    ],
    ids=["table", "dashes", "bold", "list", "mixed list", "code list", "under a heading"],
)
def test_bands_may_be_a_table_or_a_list(bands):
    """The same five bands, however they are set."""
    read = parse(rubric_text(bands=bands)).dimensions["safety"].bands
    assert read == parse(rubric_text()).dimensions["safety"].bands
    assert [(band.low, band.high) for band in read] == [(9, 10), (7, 8), (5, 6), (3, 4), (1, 2)]


@pytest.mark.parametrize("make", [lambda t: t.replace("\n", "\r\n"), lambda t: "\ufeff" + t], ids=["CRLF", "BOM"])
def test_line_ends_and_a_byte_order_mark_change_nothing(tmp_path, make):
    """A rubric saved on another system is the same rubric."""
    plain = rubric_text(front_matter("title: Meeting notes"))
    path = tmp_path / "notes.md"
    path.write_bytes(make(plain).encode())
    assert load_file(str(path)) == parse(plain)


# --- weights -------------------------------------------------------------------------------------

BAD_WEIGHTS = [
    ((0.24, 0.2, 0.15, 0.15, 0.1, 0.1, 0.05), None, "weights sum to 0.99, 0.01 too little; the seven must sum"),
    ((0.3, 0.2, 0.15, 0.15, 0.1, 0.1, 0.05), None, "weights sum to 1.05, 0.05 too much; the seven must sum"),
    ((24, 20, 15, 15, 10, 10, 5), None, "weights sum to 99, 1 too little; the seven must sum to exactly 100"),
    ((30, 20, 15, 15, 10, 10, 5), None, "weights sum to 105, 5 too much; the seven must sum to exactly 100"),
    ((0.35, 0.2, 0.15, 0.15, 0.1, 0.1, -0.05), "consistency", "consistency is -0.05; a weight is 0 or more"),
    ((0.25, 20, 15, 15, 10, 10, 5), None, "weights mix percentages and fractions: correctness below 1"),
    (("25%", 20, 15, 15, 10, 10, 5), None, "weights mix percentages and fractions: no % on completeness, adherence"),
    (("1%", "0%", "0%", "0%", "0%", "0%", "0%"), None, "sum to 1%, 99% too little; the seven must sum to exactly 100%"),
    (
        (0.25000000001, 0.19999999999, 0.15, 0.15, 0.1, 0.1, 0.05),
        "correctness",
        "correctness has more than 10 decimals",
    ),
    (("1e-999999999", 1, 0, 0, 0, 0, 0), "correctness", "correctness has more than 10 decimals"),
    (("1e999999999", 20, 15, 15, 10, 10, 5), "correctness", "correctness is 1E+999999999; a weight is at most 100 %"),
    (("many", 20, 15, 15, 10, 10, 5), "correctness", 'correctness is not usable: "many" is not a number'),
    (("true", 20, 15, 15, 10, 10, 5), "correctness", "correctness is not usable: true is not a number"),
    (("", 20, 15, 15, 10, 10, 5), "correctness", "correctness is not usable: it is null"),
]


@pytest.mark.parametrize(("weights", "at", "message"), BAD_WEIGHTS)
def test_R6_bad_weights_in_the_front_matter_are_refused_on_their_line(weights, at, message):
    """The error shows the sum and the difference, or the one weight that is wrong."""
    text = rubric_text(front_matter("title: Notes", *front_weights(*weights)), weights=None)
    [(line, said)] = problems(text)
    assert message in said
    assert line == line_of(text, f"  {at}:" if at else "weights:")


@pytest.mark.parametrize(
    ("weights", "at", "message"),
    [
        ((24, 20, 15, 15, 10, 10, 5), "correctness", "in the headings: weights sum to 99%, 1% too little"),
        ((30, 20, 15, 15, 10, 10, 5), "correctness", "in the headings: weights sum to 105%, 5% too much"),
        ((30, 20, 15, 15, 10, 15, -5), "consistency", "the weight of consistency is -5; a weight is 0 or more"),
        (("25.00000000001", 20, 15, 15, 10, 10, 5), "correctness", "has more than 10 decimals"),
        (("most of all: 25", 20, 15, 15, 10, 10, 5), "correctness", "is not a number"),
        (("1.2.3", 20, 15, 15, 10, 10, 5), "correctness", '"1.2.3" is not a number'),
    ],
)
def test_R6_bad_weights_in_the_headings_are_refused_on_their_line(weights, at, message):
    """A weight that cannot be read is an error, never the default."""
    text = rubric_text(weights=weights)
    [(line, said)] = problems(text)
    assert message in said
    assert line == line_of(text, f"### {at.capitalize()}")


def test_R6_weights_in_some_headings_only_are_refused():
    """All seven or none."""
    text = rubric_text(headings={"safety": "### Safety", "adherence": "### Adherence"})
    [(line, said)] = problems(text)
    assert said == ("in the headings: no weight for adherence, safety; give all seven, or none for the defaults")
    assert line == line_of(text, "### Correctness")


def test_R6_percent_and_fraction_in_the_headings_are_refused():
    """0.25 among percentages is a slip, not a quarter of a percent."""
    text = rubric_text(headings={"correctness": "### Correctness (Weight: 0.25)"})
    [(_, said)] = problems(text)
    assert "weights mix percentages and fractions: no % on correctness; write all seven the same way" in said


@pytest.mark.parametrize(
    ("front", "message", "at"),
    [
        (["weights:", "  correctness: 1"], "no weight for completeness, adherence, actionability,", "weights:"),
        (["weights: {}"], "no weight for correctness, completeness,", "weights:"),
        (["weights: 7"], "weights must name the seven dimensions, each with a number", "weights:"),
        ([*front_weights(*PERCENT), "  style: 0"], 'unknown dimension "style"; valid: correctness,', "  style: 0"),
        ([*front_weights(*PERCENT), "  safty: 0"], 'unknown dimension "safty"; did you mean safety?', "  safty: 0"),
    ],
)
def test_R6_weights_name_exactly_the_seven(front, message, at):
    """A missing or unknown name is refused, the unknown one with the nearest."""
    text = rubric_text(front_matter(*front), weights=None)
    [(line, said)] = problems(text)
    assert message in said
    assert line == line_of(text, at)


def test_weights_that_contradict_between_front_matter_and_headings_show_both():
    """No place wins silently."""
    text = rubric_text(front_matter(*front_weights(20, 25, 15, 15, 10, 10, 5)))
    [(line, said)] = problems(text)
    assert said == (
        "two sets of weights contradict each other, notes.md (front matter) against notes.md (headings): "
        "correctness 20% against 25%, completeness 25% against 20%; keep one"
    )
    assert line == line_of(text, "### Correctness")


def beside(tmp_path, text, weights):
    """A rubric file with a weights file beside it."""
    path = tmp_path / "notes.md"
    path.write_text(text, encoding="utf-8")
    (tmp_path / "notes.weights.json").write_text(weights, encoding="utf-8")
    return str(path)


def weights_json(*weights):
    return json.dumps(dict(zip(DIMENSIONS, weights, strict=True)), indent=2)


def test_a_weights_file_beside_the_rubric_is_read(tmp_path):
    """NAME.weights.json gives the weights of NAME.md."""
    rubric = load_file(beside(tmp_path, rubric_text(weights=None), weights_json(0.2, 0.15, 0.1, 0.1, 0.05, 0.35, 0.05)))
    assert list(rubric.weights.values()) == list(map(Decimal, "0.2 0.15 0.1 0.1 0.05 0.35 0.05".split()))


def test_a_weights_file_that_contradicts_the_headings_shows_both(tmp_path):
    """The message names both files and both numbers."""
    path = beside(tmp_path, rubric_text(), weights_json(20, 15, 10, 10, 5, 35, 5))
    with pytest.raises(RubricError) as caught:
        load_file(path)
    [problem] = caught.value.problems
    assert f"{path} (headings) against {tmp_path / 'notes.weights.json'}: " in problem.message
    assert "safety 10% against 35%" in problem.message
    assert "consistency" not in problem.message
    assert problem.line == line_of(rubric_text(), "### Correctness")


@pytest.mark.parametrize(
    ("weights", "line", "message"),
    [
        (weights_json(24, 20, 15, 15, 10, 10, 5), 1, "weights sum to 99, 1 too little"),
        (weights_json(30, 20, 15, 15, 10, 10, -5), 8, "the weight of consistency is -5"),
        ('{\n "correctness": 1,\n "saftey": 0}', 3, 'unknown dimension "saftey"; did you mean safety?'),
        ('{"correctness": 1}', 1, "no weight for completeness"),
        ("[1, 0, 0, 0, 0, 0, 0]", 1, "weights must be an object that names the seven dimensions"),
        ('{\n "correctness": 1,\n "correctness": 0}', 3, 'the key "correctness" appears twice'),
        ('{\n "correctness": }', 2, "not valid JSON"),
        ("", None, "is empty"),
    ],
)
def test_a_bad_weights_file_is_refused_under_its_own_name(tmp_path, weights, line, message):
    """The problem is in the weights file, and is placed there."""
    path = beside(tmp_path, rubric_text(weights=None), weights)
    with pytest.raises(RubricError) as caught:
        load_file(path)
    [problem] = caught.value.problems
    assert problem.source == str(tmp_path / "notes.weights.json")
    assert message in problem.message
    assert problem.line == line


@given(
    st.lists(st.integers(0, 100_000), min_size=6, max_size=6).map(sorted),
    st.sampled_from([0, 0, 1, -1, 10, 100_000]),
    st.integers(0, 6),
    st.sampled_from([3, 5]),
)
def test_R6_weights_are_accepted_exactly_when_they_sum_to_1_or_100(cuts, nudge, nudged, places):
    """Seven numbers that share out 100,000 parts, one of them perhaps a little off."""
    parts = [high - low for low, high in zip([0, *cuts], [*cuts, 100_000], strict=True)]
    parts[nudged] = max(0, parts[nudged] + nudge)
    written = [f"{part // 10**places}.{part % 10**places:0{places}}" for part in parts]
    total = sum(map(Fraction, written))
    try:
        weights = weights_from(dict(zip(DIMENSIONS, written, strict=True)))
    except WeightError:
        assert total not in (1, 100)
    else:
        assert total in (1, 100)
        assert [Fraction(weight) for weight in weights.values()] == [Fraction(each) / total for each in written]


@given(st.lists(st.integers(0, 1000), min_size=6, max_size=6).map(sorted), st.sampled_from([0, 0, 1, -1]))
def test_R6_percentages_are_accepted_exactly_when_they_sum_to_100(cuts, nudge):
    """With percent signs the sum must be 100; 1 % together is not 1."""
    parts = [high - low for low, high in zip([0, *cuts], [*cuts, 1000 + nudge], strict=True)]
    written = {name: f"{part // 10}.{part % 10}%" for name, part in zip(DIMENSIONS, parts, strict=True)}
    if nudge == 0 and parts[-1] >= 0:
        assert sum(weights_from(written).values()) == 1
    else:
        with pytest.raises(WeightError):
            weights_from(written)


def test_R1_the_precision_a_caller_has_set_does_not_reach_the_sum():
    """1.001 is not 1 even for a caller who computes with two digits."""
    with decimal.localcontext() as context:
        context.prec = 2
        with pytest.raises(WeightError, match=r"sum to 1\.001, 0\.001 too much"):
            weights_from(dict(zip(DIMENSIONS, "0.251 0.2 0.15 0.15 0.1 0.1 0.05".split(), strict=True)))


def test_zeros_written_at_length_do_not_cost_anything():
    """A weight of 0e-999999999 is 0, and is not carried along with a billion decimals."""
    weights = weights_from(dict(zip(DIMENSIONS, ["1", "0e-999999999", "0", "0", "0", "0", "0"], strict=True)))
    assert all(weight.as_tuple().exponent >= -12 for weight in weights.values())


# --- red flags and bonuses -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("amount", "why"),
    [
        ("0", "0 is outside 0 to 2.00"),
        ("2.5", "2.5 is outside 0 to 2.00"),
        ("0.125", "0.125 has more than two decimals"),
        ("2.001", "2.001 is outside 0 to 2.00"),
        ("1e-999999999", "1E-999999999 has more than two decimals"),
        ("1e999999999", "1E+999999999 is outside 0 to 2.00"),
        ("-1", "-1 is outside 0 to 2.00"),
        ("half", '"half" is not a number'),
        ("true", "true is not a number"),
        ("[1]", "a list is not a number"),
    ],
)
def test_R8_an_amount_that_is_not_allowed_is_refused_on_its_line(amount, why):
    """More than 0, at most 2.00, at most two decimals."""
    front = front_matter("red_flags:", "  - id: made-up", f"    deduction: {amount}")
    text = rubric_text(front, flags="- `made-up`: Makes it up\n")
    [(line, said)] = problems(text)
    rule = "it is more than 0, at most 2.00, with at most two decimals"
    assert said == f"the deduction of made-up: {why}; {rule}"
    assert line == line_of(text, "deduction:")


@pytest.mark.parametrize("amount", ["0", "2.5", "0.125", "1.2.3", "0,125", "1,000"])
def test_R8_an_amount_in_the_prose_is_held_to_the_same_rule(amount):
    """A bullet's amount is refused on the bullet's line."""
    text = rubric_text(flags=f"- First\n- `made-up` (-{amount}): Makes it up\n")
    [(line, said)] = problems(text)
    assert said.startswith("the deduction of made-up: ")
    assert line == line_of(text, "- `made-up`")


@pytest.mark.parametrize("amount", ["0.01", "0.5", "0.50", "0.500", "2", "2.00", "1e0"])
def test_R8_amounts_up_to_the_cap_are_read_exactly(amount):
    """The smallest and the largest are allowed, and zeros at the end are not decimals."""
    front = front_matter("red_flags:", "  - id: made-up", f"    deduction: {amount}")
    text = rubric_text(front, flags="- `made-up`: Makes it up\n")
    assert parse(text).red_flags[0].deduction == Decimal(amount)


def test_two_amounts_for_one_flag_are_refused():
    """The front matter and the bullet must agree."""
    front = front_matter("red_flags:", "  - id: made-up", "    deduction: 1.0")
    assert parse(rubric_text(front, flags="- `made-up` (-1): Makes it up\n")).red_flags[0].deduction == 1
    text = rubric_text(front, flags="- `made-up` (-0.5): Makes it up\n")
    [(line, said)] = problems(text)
    assert said == "the red flag made-up has two amounts, 1.0 in the front matter against 0.5 here; keep one"
    assert line == line_of(text, "- `made-up`")


def test_R8_a_bonus_has_no_amount_of_its_own():
    """Every bonus is 0.25; saying so is allowed, saying something else is not."""
    assert parse(rubric_text(bonuses="- `found` (+0.25): Found it\n")).bonuses == (Bonus("found", "Found it"),)
    text = rubric_text(bonuses="- `found` (+0.5): Found it\n")
    assert problems(text) == [(line_of(text, "- `found`"), "the bonus found is given as 0.5; every bonus is 0.25")]
    front = front_matter("bonuses:", "  - id: found", "    bonus: 0.5")
    text = rubric_text(front, bonuses="- `found`: Found it\n")
    [(line, said)] = problems(text)
    assert said == 'the bonus found: unknown key "bonus"; valid: id, description, detect; every bonus is 0.25'
    assert line == line_of(text, "    bonus:")


@pytest.mark.parametrize("noun", ["red flag", "bonus"])
def test_R7_an_id_stands_once(noun):
    """Two bullets, or two entries of the front matter, with one id are refused with both lines."""
    lists = {"red flag": "flags", "bonus": "bonuses"}[noun]
    field = {"red flag": "red_flags", "bonus": "bonuses"}[noun]
    text = rubric_text(**{lists: "- `same`: One\n- `other`: Two\n- `same`: Three\n"})
    first = line_of(text, "- `same`: One")
    said = f"two {noun} entries have the id same (the other is on line {first}); rename one"
    assert problems(text) == [(first + 2, said)]
    front = front_matter(f"{field}:", "  - other", "  - same", "  - id: same")
    text = rubric_text(front, **{lists: "- `same`: One\n- `other`: Two\n"})
    assert problems(text) == [(5, f"two {noun} entries have the id same (the other is on line 4); rename one")]


def test_bullets_with_the_same_words_are_refused():
    """Slugs must differ as well."""
    text = rubric_text(flags="- Makes it up!\n- Makes it up\n")
    assert [line for line, _ in problems(text)] == [line_of(text, "- Makes it up!") + 1]


def test_a_flag_of_the_front_matter_needs_a_description():
    """An id alone tells a judge nothing."""
    text = rubric_text(front_matter("red_flags:", "  - made-up"), flags="")
    assert problems(text) == [(3, "the red flag made-up has no description; add a bullet: - `made-up`: what it is")]


def test_a_bullet_that_the_front_matter_does_not_list_is_refused():
    """With the nearest id when there is one."""
    front = front_matter("red_flags:", "  - id: made-up", "    description: Makes it up")
    text = rubric_text(front, flags="- `made-pu`: Makes it up\n- Runs off\n")
    line = line_of(text, "- `made-pu`")
    assert problems(text) == [
        (line, 'unknown red flag "made-pu"; did you mean made-up? add its id to red_flags in the front matter'),
        (line + 1, 'unknown red flag "runs-off"; add its id to red_flags in the front matter'),
    ]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("7", "an entry of red_flags must be an id, or have an id"),
        ("{deduction: 1}", "an entry of red_flags must be an id, or have an id"),
        ("{id: x, description: [y]}", "the description of x must be text"),
        (
            "{id: x, description: y, deducts: 1}",
            'the red flag x: unknown key "deducts"; did you mean deduction?',
        ),
        ("{id: Made Up, description: y}", 'the id "Made Up" must be lower-case words joined by hyphens; try made-up'),
    ],
)
def test_a_bad_entry_of_the_front_matter_is_refused_on_its_line(entry, message):
    """Whatever is wrong with an entry, its line is named."""
    text = rubric_text(front_matter("title: Notes", "red_flags:", f"  - {entry}"), flags="")
    assert (4, message) in [(line, said[: len(message)]) for line, said in problems(text)]


def test_a_list_that_is_not_a_list_is_refused():
    """red_flags: none is not a way to list no red flags."""
    text = rubric_text(front_matter("red_flags: none", "bonuses: 3"), flags="", bonuses="")
    assert problems(text) == [
        (2, "red_flags must be a list of ids, or of entries with an id"),
        (3, "bonuses must be a list of ids, or of entries with an id"),
    ]


def test_an_empty_bullet_and_a_table_of_flags_are_refused():
    """What would be lost without a word is said."""
    text = rubric_text(flags="- Makes it up\n-\n- ---\n")
    assert [said for _, said in problems(text)] == ["an empty red flag; say what it is"]
    text = rubric_text(flags="| id | what |\n|---|---|\n| made-up | Makes it up |\n")
    assert problems(text) == [
        (line_of(text, "| made-up"), "a red flag is in a table; write each as a bullet: - `id`: what it is")
    ]


# --- dimensions ----------------------------------------------------------------------------------


def test_two_sections_for_one_dimension_are_refused():
    """The error names the line of the first."""
    text = rubric_text(headings={"safety": "### Efficiency (again)"})
    first = line_of(text, "### Efficiency")
    assert problems(text)[-1] == (
        line_of(text, "### Efficiency (again)"),
        f"a second section for efficiency; the first is on line {first}; keep one",
    )


@pytest.mark.parametrize(
    ("heading", "hint"),
    [
        ("### Saftey", '; is "Saftey" meant for it?'),
        ("### Safety of people", '; is "Safety of people" meant for it?'),
        ("### Safty (how safe it is to follow)", '; is "Safty (how safe it is to follow)" meant for it?'),
        ("### Taste", ""),
    ],
)
def test_R5_a_missing_dimension_is_named_with_the_heading_near_to_it(heading, hint):
    """With no near heading there is no line to point to."""
    text = rubric_text(weights=None, headings={"safety": heading})
    line = line_of(text, heading) if hint else None
    said = f"no section for safety; each of the seven needs a heading with its bands{hint}"
    assert problems(text) == [(line, said)]


def test_a_weighted_heading_that_is_not_a_dimension_is_refused():
    """A weight on an eighth dimension would be lost."""
    text = rubric_text().replace("## Red Flags", f"### Taste (Weight: 5%)\n\n{TABLE}\n## Red Flags")
    [(line, said)] = problems(text)
    assert said.startswith('"Taste (Weight: 5%)" has a weight but is not one of the seven: correctness, completeness')
    assert line == line_of(text, "### Taste")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("| 11-12 | x |", "safety: the band 11-12 must lie within 1-10, the lower number first"),
        ("| 0-2 | x |", "safety: the band 0-2 must lie within 1-10, the lower number first"),
        ("| 8-7 | x |", "safety: the band 8-7 must lie within 1-10, the lower number first"),
        ("| good | x |", 'safety: "good" is not a band; write it like 7-8'),
        ("|  | x |", 'safety: "" is not a band; write it like 7-8'),
        ("| 7.5-8 | x |", 'safety: "7.5-8" is not a band; write it like 7-8'),
    ],
)
def test_a_band_off_the_scale_is_refused_on_its_line(row, message):
    """Bands are whole numbers from 1 to 10."""
    text = rubric_text()
    before, after = text.split("### Consistency")
    text = f"{before.rstrip()}\n{row}\n\n### Consistency{after}"
    assert problems(text) == [(line_of(text, row), message)]


def test_a_dimension_without_bands_is_refused():
    """A judge needs to know what earns a score."""
    text = rubric_text(bands="It should be good.\n")
    assert [said.partition(";")[0] for _, said in problems(text)] == [f"{name} has no bands" for name in DIMENSIONS]
    assert problems(text)[0][0] == line_of(text, "### Correctness")


# --- front matter --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("weigths", "did you mean weights? "),
        ("pass-mark", "did you mean pass_mark? "),
        ("Title", "did you mean title? "),
        ("zzz", ""),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest(key, hint):
    """And with all the valid ones."""
    text = rubric_text(front_matter("name: notes", f"{key}: 1"))
    [(line, said)] = problems(text)
    assert line == 3
    assert said == (
        f'unknown key "{key}"; {hint}valid: name, title, domain, version, weights, pass_mark, pass_mark_reason, '
        "red_flags, bonuses, official"
    )


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("0", "0 is outside 1 to 10"),
        ("10.01", "10.01 is outside 1 to 10"),
        ("7.125", "7.125 has more than two decimals"),
        ("1e999999999", "1E+999999999 is outside 1 to 10"),
        ("high", '"high" is not a number'),
        ("true", "true is not a number"),
        ("[7]", "a list is not a number"),
    ],
)
def test_a_pass_mark_is_a_score(value, why):
    """From 1 to 10, with at most two decimals."""
    text = rubric_text(front_matter("name: notes", f"pass_mark: {value}"))
    assert problems(text) == [(3, f"pass_mark: {why}; it is a score from 1 to 10")]


@pytest.mark.parametrize(
    ("front", "line", "message"),
    [
        ("---\nname: notes\n", 1, 'the front matter opened here is never closed; end it with a line "---"'),
        ("---\n- a\n- b\n---\n", 2, "the front matter must be a list of keys with values"),
        ("---\ntitle: a\nname: [\n---\n", 4, "not valid YAML: "),
        ("---\ntitle: a\nname: b\ntitle: c\n---\n", 4, 'the key "title" appears twice in one mapping; keep one'),
        ("---\nname: !secret x\n---\n", 2, "the tag !secret is not read; use plain values"),
        ("---\nname: Meeting Notes\n---\n", 2, 'the name "Meeting Notes" must be lower-case words joined by hyphens'),
        ("---\nname: notes\ndomain: [a]\n---\n", 3, "domain must be text"),
        ("---\nversion: {a: b}\n---\n", 2, "version must be text"),
    ],
)
def test_bad_front_matter_is_refused_on_its_line(front, line, message):
    """The lines are those of the file, not of the front matter."""
    [(at, said)] = problems(front + rubric_text())
    assert said.startswith(message)
    assert at == line


@pytest.mark.parametrize("mark", ["\u2028", "\x85"])
def test_lines_are_counted_as_an_editor_counts_them(mark):
    """A line separator inside a text of the front matter does not move the lines below it."""
    text = rubric_text(f"---\ndomain: 'one{mark}two'\n---\n", headings={"safety": "### Saftey"}, weights=None)
    [(line, _)] = problems(text)
    assert line == text.split("\n").index("### Saftey") + 1


def test_every_problem_is_reported_at_once_in_the_order_of_the_lines():
    """An author mends a file once, not once for each problem."""
    front = front_matter("nmae: notes", *front_weights(24, 20, 15, 15, 10, 10, 5), "pass_mark: 11")
    text = rubric_text(
        front,
        weights=None,
        flags="- `made-up` (3): Makes it up\n- `same`: One\n- `same`: Two\n",
        headings={"safety": "### Saftey"},
    ).replace("| 9-10  | nothing", "| 9-19  | nothing", 1)
    found = problems(text)
    assert [said.split(":")[0].split(";")[0] for _, said in found] == [
        'unknown key "nmae"',
        "weights sum to 99, 1 too little",
        "pass_mark",
        "correctness",
        "no section for safety",
        "the deduction of made-up",
        f"two red flag entries have the id same (the other is on line {line_of(text, '- `same`: One')})",
    ]
    lines = [line for line, _ in found]
    assert lines == sorted(lines)
    assert lines == [
        line_of(text, words)
        for words in ("nmae", "weights:", "pass_mark", "| 9-19", "### Saftey", "- `made-up`", "- `same`: Two")
    ]


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", None, "is empty; start a rubric with: evenhand rubric new NAME"),
        (b" \n\n\t\n", None, "is empty; start a rubric with: evenhand rubric new NAME"),
        (b"# Shopping\n\n- milk\n", 1, "not a rubric: none of the seven dimensions has a heading (correctness, compl"),
        (b'{"scores": {"correctness": 8}}', 1, "not a rubric: none of the seven dimensions has a heading"),
        (b"---\nname: x\n---\n", 1, "not a rubric: none of the seven dimensions has a heading"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 1, "is a binary file, not text; save it as UTF-8 text"),
        (b"# Notes\n\n### Correctness\0\n", 3, "is a binary file (it holds a NUL byte); text is needed"),
        ("# Notes\n\nPrüfung".encode("latin-1"), 3, "is not UTF-8; save it as UTF-8 text"),
        (b"\xff\xfe#\0 \0N\0", 1, "is a binary file, not text; save it as UTF-8 text"),
    ],
)
def test_a_file_that_is_not_a_rubric_is_refused(tmp_path, content, line, message):
    """With what it is instead, and what to do."""
    path = tmp_path / "notes.md"
    path.write_bytes(content)
    with pytest.raises(RubricError) as caught:
        load_file(str(path))
    [problem] = caught.value.problems
    assert problem.message.startswith(message)
    assert (problem.source, problem.line) == (str(path), line)


def test_a_directory_a_missing_file_and_a_huge_one_are_refused(tmp_path):
    """Each with its name and no line."""
    huge = tmp_path / "huge.md"
    with huge.open("wb") as file:
        file.truncate(DOCUMENT_LIMIT + 1)
    for path, message in (
        (tmp_path, "is a directory; name a file"),
        (tmp_path / "none.md", "no such file"),
        (huge, "larger than 16 MiB, the most that is read"),
    ):
        with pytest.raises(RubricError) as caught:
            load_file(str(path))
        assert str(caught.value) == f"{path}: {message}"


# --- rubrics written by others -------------------------------------------------------------------

OTHERS = SHARED_DATA / "rubrics"
LOADING = (
    "code-review content-writing custom-template data-analysis default devops documentation frontend-design "
    "research testing"
).split()


def others(name):
    path = OTHERS / name
    if not path.is_file():
        pytest.skip("the shared rubrics are not here")
    return path


def bullets_under(text, heading):
    """The bullets of a section, counted line by line, comments left out."""
    section = re.split(r"^## ", re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL), flags=re.MULTILINE)
    return [line for part in section if part.startswith(heading) for line in part.splitlines() if line.startswith("- ")]


@pytest.mark.parametrize("name", LOADING)
def test_rubrics_written_by_others_load_as_their_text_says(name):
    """Weights, number of flags and bonuses, bands: all as a plain search of the file finds them."""
    path = others(f"{name}.md")
    text = path.read_text(encoding="utf-8")
    rubric = load_file(str(path))
    said = {
        word.lower(): Fraction(int(percent), 100) for word, percent in re.findall(r"^### (\w+) .*?(\d+)%", text, re.M)
    }
    assert {dimension: Fraction(weight) for dimension, weight in rubric.weights.items()} == said
    assert len(said) == 7 and sum(said.values()) == 1
    assert len(rubric.red_flags) == len(bullets_under(text, "Red Flags")) >= 5
    assert len(rubric.bonuses) == len(bullets_under(text, "Domain-Specific Bonuses")) >= 4
    assert {flag.deduction for flag in rubric.red_flags} == {Decimal("0.50")}
    assert [f"- {flag.description}" for flag in rubric.red_flags] == bullets_under(text, "Red Flags")
    assert sum(len(criteria.bands) for criteria in rubric.dimensions.values()) == len(
        re.findall(r"^\| \d+-\d+ ", text, re.MULTILINE)
    )
    assert all(criteria.measures for criteria in rubric.dimensions.values())
    assert f"# {rubric.title}\n" in text


def test_a_rubric_whose_weights_file_contradicts_it_gets_a_complaint_that_shows_both():
    """security.md says 25, 20, 15, 15, 10, 10, 5 and its weights file 20, 15, 10, 10, 5, 35, 5."""
    path = others("security.md")
    with pytest.raises(RubricError) as caught:
        load_file(str(path))
    [problem] = caught.value.problems
    assert problem.message == (
        f"two sets of weights contradict each other, {path} (headings) against {OTHERS / 'security.weights.json'}: "
        "correctness 25% against 20%, completeness 20% against 15%, adherence 15% against 10%, "
        "actionability 15% against 10%, efficiency 10% against 5%, safety 10% against 35%; keep one"
    )
    assert problem.line == line_of(path.read_text(encoding="utf-8"), "### Correctness")


# --- written and read again ----------------------------------------------------------------------

words = st.text(st.sampled_from("abcdefgxyzäöçñ漢字жщ"), min_size=1, max_size=8)
texts = st.lists(words, min_size=1, max_size=6).map(" ".join)
ids = st.from_regex(r"[a-h][a-h0-9]{0,5}(-[a-h0-9]{1,5}){0,2}", fullmatch=True)


@st.composite
def weight_sets(draw):
    """Seven weights in percent with up to four decimals that sum to 1."""
    whole = 10 ** (2 + draw(st.integers(0, 4)))
    cuts = sorted(draw(st.lists(st.integers(0, whole), min_size=6, max_size=6)))
    parts = [high - low for low, high in zip([0, *cuts], [*cuts, whole], strict=True)]
    return {name: Decimal(part) / whole for name, part in zip(DIMENSIONS, parts, strict=True)}


@st.composite
def rubrics(draw):
    """Any valid rubric whose texts hold no Markdown."""
    lows = draw(st.lists(st.integers(1, 10), unique=True, max_size=4))
    edges = sorted({1, *lows}, reverse=True)
    ranges = list(zip(edges, [10, *(low - 1 for low in edges)], strict=False))
    unique = draw(st.lists(ids, unique=True, max_size=12))
    flags, bonuses = unique[::2], unique[1::2]
    return Rubric(
        name=draw(ids),
        title=draw(texts),
        domain=draw(st.just("") | texts),
        version=draw(st.sampled_from(["1", "2.10", "draft", "2024-01-01"])),
        summary=draw(st.lists(texts, max_size=2).map("\n\n".join)),
        weights=draw(weight_sets()),
        pass_mark=Decimal(draw(st.integers(100, 1000))) / 100,
        pass_mark_reason=draw(st.just("") | texts),
        dimensions={
            name: Criteria(
                measures=draw(st.just("") | texts),
                bands=tuple(Band(low, high, draw(st.just("") | texts)) for low, high in ranges),
            )
            for name in DIMENSIONS
        },
        red_flags=tuple(RedFlag(id, draw(texts), Decimal(draw(st.integers(1, 200))) / 100) for id in flags),
        bonuses=tuple(Bonus(id, draw(texts)) for id in bonuses),
    )


@pytest.mark.slow
@settings(max_examples=60)
@given(rubrics())
def test_a_rubric_written_as_markdown_is_read_as_the_same_rubric(rubric):
    """What `rubric show --format markdown` prints is a rubric file."""
    text = rubric_markdown(rubric)
    assert parse_rubric(text, "made.md", name="other").rubric == rubric


# --- spoilt at random ----------------------------------------------------------------------------

PIECES = [
    *"-|`(:[{#\n\t0\"'*&!%",
    "---\n",
    "**",
    "### Safety",
    "(Weight: 5%)",
    "1e999999",
    "weights:\n",
    "null",
    "<!--",
]


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.sampled_from(PIECES), st.integers(0, 20)), min_size=1, max_size=5))
@pytest.mark.slow
def test_a_spoilt_rubric_is_still_a_rubric_or_is_refused_with_its_name(spoilt):
    """Whatever is put in or cut out, there is no crash, and weights that are accepted sum to 1."""
    text = rubric_text(FRONT.replace("  - wrong-date\n", ""), weights=None, flags="- `invented-source`: Invents\n")
    for place, piece, cut in spoilt:
        at = place % len(text)
        text = text[:at] + piece + text[at + cut :]
    try:
        rubric = parse(text)
    except RubricError as error:
        sources = {problem.source for problem in error.problems}
    else:
        sources = {"notes.md"}
        assert sum(map(Fraction, rubric.weights.values())) == 1
        assert all(criteria.bands for criteria in rubric.dimensions.values())
    assert sources == {"notes.md"}
