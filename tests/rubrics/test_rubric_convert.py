"""evenhand rubric convert: what needs no invention is converted, everything else is listed with its line."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import evenhand
from evenhand import DIMENSIONS, RubricError
from evenhand.rubrics.check import parsed_rubric, weaknesses
from evenhand.rubrics.conversion.convert import convert_rubric
from evenhand.rubrics.rubric_file import parse_rubric

WEIGHTS = (40, 10, 10, 15, 10, 10, 5)
BANDS = {"9-10": "no fault", "7-8": "one slip", "5-6": "several slips", "3-4": "mostly wrong", "1-2": "all wrong"}
STEPS = {5: "no fault", 4: "one slip", 3: "several slips", 2: "mostly wrong", 1: "all wrong"}
TENS = {
    "90-100%": "no fault",
    "70-89%": "one slip",
    "50-69%": "several slips",
    "30-49%": "mostly wrong",
    "0-29%": "all wrong",
}


def document(levels=BANDS, weights=WEIGHTS, **more):
    """A rubric as data, with our seven dimensions as its criteria."""
    criteria = [
        {"name": name.capitalize(), "weight": weight, "description": f"How good the {name} is.", "levels": levels}
        for name, weight in zip(DIMENSIONS, weights, strict=True)
    ]
    flags = [{"id": "made-up", "description": "Makes it up", "deduction": 1.0}, "Leaves it out"]
    return {"title": "Notes", "description": "For notes.", "criteria": criteria, "red_flags": flags, **more}


@pytest.fixture
def convert(tmp_path):
    """Convert a value or a text, and return the result with its decisions as (line, message)."""

    def run(content, suffix="json"):
        path = tmp_path / f"notes.{suffix}"
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), encoding="utf-8")
        converted = convert_rubric(str(path))
        assert all(problem.source == str(path) for problem in converted.decisions)
        return converted.text, [(problem.line, problem.message) for problem in converted.decisions]

    return run


def load(text):
    return parse_rubric(text, "notes.md", name="notes").rubric


def decided(text):
    """The decisions that a reader of the result still refuses."""
    with pytest.raises(RubricError) as caught:
        load(text)
    return [problem.message for problem in caught.value.problems if problem.message.startswith("still to decide")]


@pytest.mark.parametrize(
    "levels", [BANDS, STEPS, TENS, dict(reversed(STEPS.items()))], ids=["1-10", "1-5", "percent", "up"]
)
def test_scales_that_fit_ours_are_converted(convert, levels):
    """Bands as they are, five steps onto the five bands, tens of percent onto tens."""
    text, decisions = convert(document(levels))
    assert decisions == []
    rubric = load(text)
    assert [(band.low, band.high, band.criteria) for band in rubric.dimensions["safety"].bands] == [
        (9, 10, "no fault"),
        (7, 8, "one slip"),
        (5, 6, "several slips"),
        (3, 4, "mostly wrong"),
        (1, 2, "all wrong"),
    ]
    assert [weight * 100 for weight in rubric.weights.values()] == list(WEIGHTS)
    assert rubric.dimensions["safety"].measures == "How good the safety is."
    assert (rubric.title, rubric.summary) == ("Notes", "For notes.")
    assert [(flag.id, str(flag.deduction)) for flag in rubric.red_flags] == [
        ("made-up", "1.00"),
        ("leaves-it-out", "0.50"),
    ]


@pytest.mark.parametrize(
    ("weights", "percent"),
    [
        ((0.4, 0.1, 0.1, 0.15, 0.1, 0.1, 0.05), WEIGHTS),
        (("40%", "10%", "10%", "15%", "10%", "10%", "5%"), WEIGHTS),
        ((8, 2, 2, 3, 2, 2, 1), WEIGHTS),  # of 20 points: 8 / 20 = 40 %
        ((80, 20, 20, 30, 20, 20, 10), WEIGHTS),  # of 200 points
    ],
)
def test_weights_that_are_exact_shares_are_converted(convert, weights, percent):
    """Fractions, percentages and points of any total that divides evenly."""
    text, decisions = convert(document(weights=weights))
    assert decisions == []
    assert [weight * 100 for weight in load(text).weights.values()] == list(percent)


@pytest.mark.parametrize(
    "weights",
    [
        (3, 1, 1, 1, 1, 1, 1),  # ninths have no end
        ("40%", "10%", "10%", "15%", "10%", "10%", "6%"),  # 101 %
        ("high", 10, 10, 15, 10, 10, 5),
        (50, -10, 10, 15, 10, 10, 15),
    ],
)
def test_weights_that_are_not_are_left_to_a_person(convert, weights):
    """Rounding would be an invention."""
    text, [(line, message)] = convert(document(weights=weights))
    assert (line, message.startswith("the weights (Correctness ")) == (5, True)
    assert decided(text) == [f"still to decide: {text.split('TODO(convert): ')[1].splitlines()[0]}"]


@pytest.mark.parametrize(
    ("levels", "why"),
    [
        ({"Excellent": "a", "Poor": "b"}, 'the level "Excellent" names no score'),
        ({4: "a", 3: "b", 2: "c", 1: "d"}, "the levels 4, 3, 2, 1 do not fit a scale from 1 to 10 without a choice"),
        ({"8-10": "a", "0-7": "b"}, "do not fit a scale"),
        ({10: "a", 8: "b", 6: "c", 4: "d", 2: "e"}, "do not fit a scale"),
        ({}, "it has no levels"),
        (["fine", "poor"], 'the level "" names no score'),
    ],
)
def test_levels_that_do_not_fit_are_left_to_a_person(convert, levels, why):
    """Their texts are kept beside the decision."""
    text, decisions = convert(document(levels))
    assert len(decisions) == 7
    assert all(
        why in message and message.endswith("write the bands 9-10, 7-8, 5-6, 3-4, 1-2") for _, message in decisions
    )
    assert len(decided(text)) == 7


def test_other_dimensions_are_listed_with_their_lines_and_texts(convert):
    """A hint names a likely dimension, and nothing is moved there by itself."""
    text, decisions = convert(
        "criteria:\n"
        "  - name: Accuracy\n"
        "    weight: 60%\n"
        "    description: Is it true?\n"
        "    levels: {5: yes it is, 1: not at all}\n"
        "  - {name: Tone, weight: 40%}\n",
        "yaml",
    )
    none = "is none of the seven dimensions; move its text to one"
    assert (2, f'"Accuracy", weight 60%, {none} (perhaps correctness), or drop it') in decisions
    assert (6, f'"Tone", weight 40%, {none} (perhaps consistency), or drop it') in decisions
    assert sum(message.startswith("no criterion covers ") for _, message in decisions) == 7
    assert "> Is it true?" in text and "> - 5: yes it is" in text
    assert len(decided(text)) == len(decisions) == 10


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            {"red_flags": [{"id": "made-up", "description": "Makes it up", "deduction": 3}]},
            '"Makes it up" costs 3; a deduction is',
        ),
        (
            {"red_flags": [{"id": "made-up", "description": "Makes it up", "deduction": "10%"}]},
            '"Makes it up" costs 10%; a dedu',
        ),
        ({"red_flags": {"made-up": 1}}, 'the red flag "made-up" has no description'),
        ({"hard_blocks": ["Makes it up"]}, '"Makes it up" fails outright; write it as a red flag'),
        (
            {"bonuses": [{"id": "found", "description": "Finds it", "points": 1}]},
            '"Finds it" earns 1, and every bonus is 0.25',
        ),
        ({"owner": "team a"}, '"owner: team a" has no place in a rubric'),
        ({"grading": {"A": 90}}, '"grading: (an object)" has no place in a rubric'),
        ({"pass_mark": 0.7}, 'the pass mark "0.7" is not a score from 1 to 10'),
        ({"pass_mark": "B"}, 'the pass mark "B" is not a score from 1 to 10'),
    ],
)
def test_what_has_no_exact_counterpart_is_left_to_a_person(convert, flags, message):
    """Each with its line, and the result is refused until it is settled."""
    text, decisions = convert(document(**flags))
    [(line, said)] = decisions
    assert said.startswith(message)
    assert line > 1
    assert len(decided(text)) == 1


@pytest.mark.parametrize(("written", "mark"), [(7.5, "7.5"), ("7.5/10", "7.5"), ("75%", "7.5"), ("75/100", "7.5")])
def test_a_pass_mark_on_a_plain_scale_is_converted(convert, written, mark):
    """Out of ten, or in percent."""
    text, decisions = convert(document(pass_mark=written))
    assert (decisions, load(text).pass_mark) == ([], Decimal(mark))


@pytest.mark.parametrize("name", ["code-review", "default", "writing"])
@pytest.mark.slow
def test_a_rubric_of_ours_as_json_comes_back_whole(evenhand_command, tmp_path, name):
    """What `rubric show --format json` prints can be converted again."""
    shown = evenhand_command("rubric", "show", name, "-f", "json").out
    (tmp_path / f"{name}.json").write_text(shown, encoding="utf-8")
    done = evenhand_command("rubric", "convert", f"{name}.json", "-o", f"{name}.md")
    assert (done.code, done.out, done.err) == (0, "", f"written: {name}.md\n")
    assert weaknesses(parsed_rubric(str(tmp_path / f"{name}.md"))) == []
    again, first = (evenhand.document(evenhand.load_rubric(where)) for where in (tmp_path / f"{name}.md", name))
    for field in ("name", "title", "version", "weights", "pass_mark", "dimensions", "red_flags", "bonuses"):
        assert again[field] == first[field], field


MATRIX = """\
# Notes

For notes.

| Criterion | Weight | Excellent (9-10) | Good (7-8) | Fair (5-6) | Weak (3-4) | Poor (1-2) |
|---|---|---|---|---|---|---|
{rows}

## Penalties

| Penalty | What | Points |
|---|---|---|
| made-up | Makes it up | -1.0 |

## Extra credit

- Finds a fault
"""


def test_a_table_with_a_row_for_each_criterion_is_converted(convert):
    """Levels across, criteria down, flags in a table of their own."""
    rows = "\n".join(
        f"| **{name.capitalize()}** | {weight}% | a | b | c | d | e |"
        for name, weight in zip(DIMENSIONS, WEIGHTS, strict=True)
    )
    text, decisions = convert(MATRIX.format(rows=rows), "md")
    assert decisions == []
    rubric = load(text)
    assert [band.criteria for band in rubric.dimensions["efficiency"].bands] == ["a", "b", "c", "d", "e"]
    assert [weight * 100 for weight in rubric.weights.values()] == list(WEIGHTS)
    assert (rubric.summary, rubric.red_flags[0].id, str(rubric.red_flags[0].deduction)) == (
        "For notes.",
        "made-up",
        "1.00",
    )
    assert rubric.bonuses[0].description == "Finds a fault"


def test_sections_with_other_dimensions_are_taken_apart(convert):
    """Each criterion with its own line, and prose that has no place is listed."""
    text, decisions = convert(
        "# Notes\n\nFor notes.\n\n## Accuracy (60%)\n\nIs it true?\n\n- 5: yes\n- 1: no\n\n## Safety (40%)\n\n"
        + "".join(f"- {label}: {said}\n" for label, said in BANDS.items())
        + "\n## Afterword\n\nWritten in May.\n",
        "md",
    )
    lines = {message.split(";")[0]: line for line, message in decisions}
    assert lines['"Accuracy", weight 60%, is none of the seven dimensions'] == 5
    assert lines['"Written in May." has no place in a rubric'] == 22
    assert "- 9-10: no fault" in text and "For notes." in text


def test_a_rubric_of_ours_in_markdown_stays_as_it_is(convert):
    """There is nothing to convert."""
    text, _ = convert(document())
    assert convert(text, "md") == (text, [])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("a.json", '{"a": 1}', "a.json: no criteria, red flags or bonuses found; is it a rubric?"),
        ("a.json", "{", "a.json:1: not valid JSON"),
        ("a.yaml", "a: [", "a.yaml:"),
        ("a.md", "# Shopping\n\nmilk\n", "a.md: no criteria, red flags or bonuses found"),
        ("a.yaml", "criteria: 7\n", "a.yaml: no criteria, red flags or bonuses found"),
    ],
)
def test_what_is_not_a_rubric_is_bad_input(evenhand_command, tmp_path, file, content, message):
    """Exit code 2, one line, and nothing is written."""
    (tmp_path / file).write_text(content, encoding="utf-8")
    done = evenhand_command("rubric", "convert", file, "-o", "out.md")
    assert (done.code, done.out) == (2, "")
    assert message in done.err and "Traceback" not in done.err
    assert not (tmp_path / "out.md").exists()


@pytest.mark.slow
def test_the_command_lists_decisions_and_never_overwrites(evenhand_command, tmp_path):
    """Exit code 1 with the lines on standard error; the result cannot score, and rubric check repeats them."""
    (tmp_path / "old.json").write_text(json.dumps(document(owner="team a"), indent=1), encoding="utf-8")
    done = evenhand_command("rubric", "convert", "old.json", "-o", "new.md")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("written: new.md\ndecide: old.json:") and '"owner: team a" has no place' in done.err
    assert "1 thing is left to decide; then: evenhand rubric check new.md" in done.err
    check = evenhand_command("rubric", "check", "new.md")
    assert check.code == 2 and "still to decide: old.json:" in check.err
    again = evenhand_command("rubric", "convert", "old.json", "-o", "new.md")
    assert (again.code, again.err) == (2, "error: new.md: already exists; name another file, or use --overwrite\n")
    assert evenhand_command("rubric", "convert", "old.json").out.startswith('---\nname: "old"\n')


texts = st.text(st.sampled_from("ab #>|-`*1.%():\n\u00e9<"), max_size=12)
values = st.recursive(
    texts | st.integers(-5, 200) | st.none() | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "criteria",
                    "name",
                    "weight",
                    "levels",
                    "description",
                    "red_flags",
                    "bonuses",
                    "id",
                    "deduction",
                    "score",
                    "hard_blocks",
                    "pass_mark",
                    "title",
                    "weights",
                    "1-2",
                    "5",
                    *DIMENSIONS,
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@pytest.mark.slow
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values, st.booleans())
def test_whatever_comes_is_converted_listed_or_refused(tmp_path, value, whole):
    """No crash; a result without decisions loads, and one with decisions does not."""
    path = tmp_path / "notes.json"
    path.write_text(json.dumps(document() | {"bonuses": value} if whole else value), encoding="utf-8")
    try:
        converted = convert_rubric(str(path))
    except RubricError:
        return
    if converted.decisions:
        with pytest.raises(RubricError):
            load(converted.text)
    else:
        load(converted.text)
