"""JSON as it is read: exact numbers, nothing repeated, nothing endless, and the line of every mistake."""

from __future__ import annotations

import json
import math
import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.files.json_values import load_json
from evenhand.files.text import DEPTH_LIMIT
from every_case import every_case


def problem(text, **more):
    """The one problem of a text."""
    with pytest.raises(InputError) as caught:
        load_json(text, "a.json", **more)
    [found] = caught.value.problems
    assert found.source == "a.json"
    return found


# --- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Decimal("0.1")),
        ("7.50", Decimal("7.50")),
        ("8.049999999999999999999999999999999", Decimal("8.049999999999999999999999999999999")),
        ("1e1", Decimal("1E+1")),
        ("-0.5E-3", Decimal("-0.0005")),
        ("12345678901234567890123", 12345678901234567890123),
    ],
)
def test_R1_numbers_are_decimals_from_their_text(text, value):
    """No binary float stands in between, so no digit is lost and none is made up."""
    read = load_json(f'{{"score": {text}}}', "a.json").value["score"]
    assert read == value
    assert str(read) == str(value)
    assert not isinstance(read, float)


def test_an_integer_of_thousands_of_digits_is_read_or_refused_but_never_rounded():
    """4,000 digits are read; 5,000 are more than the interpreter reads, and are refused on their line."""
    assert load_json("9" * 4000, "a.json").value == 10**4000 - 1
    found = problem('{"a": 1,\n "b": ' + "9" * 5000 + "}")
    assert (found.line, found.message) == (2, "a number has too many digits, or too large an exponent, to be read")


@pytest.mark.parametrize("exponent", ["99999999999999999999", "-99999999999999999999"])
def test_an_endless_exponent_is_refused_on_its_line(exponent):
    """Decimals have an end too."""
    found = problem('{"a": [1,\n 2,\n 1e' + exponent + "]}")
    assert (found.line, found.message) == (3, "a number has too many digits, or too large an exponent, to be read")


def test_NaN_and_infinity_are_read_as_what_they_are_so_that_the_score_can_be_refused_by_name():
    """They are not numbers of JSON, but Python and JavaScript tools write them."""
    value = load_json('{"a": NaN, "b": Infinity, "c": -Infinity}', "a.json").value
    assert math.isnan(value["a"])
    assert (value["b"], value["c"]) == (math.inf, -math.inf)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.text(max_size=8),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=4), inside, max_size=4),
    max_leaves=12,
)


@given(json_values, st.sampled_from([None, 1, "\t"]), st.booleans())
@pytest.mark.slow
def test_what_is_read_is_what_was_written(value, indent, ascii_only):
    """However it is indented and escaped."""
    assert load_json(json.dumps(value, indent=indent, ensure_ascii=ascii_only), "a.json").value == value


# --- lines ---------------------------------------------------------------------------------------

DEEP = """\

{"skill": "x",
 "scores": {
   "correctness":
     {"score": 11,
      "evidence": ["one",
        "two", {"quote": "three"}
      ]}, "safety": 7
 },
 "empty": [], "none": {},
 "judge": null
}"""


@every_case("ends", ["\n", "\r\n"])
@every_case(
    ("path", "line"),
    [
        ((), 2),
        (("skill",), 2),
        (("scores",), 3),
        (("scores", "correctness"), 4),
        (("scores", "correctness", "score"), 5),
        (("scores", "correctness", "evidence"), 6),
        (("scores", "correctness", "evidence", 0), 6),
        (("scores", "correctness", "evidence", 1), 7),
        (("scores", "correctness", "evidence", 2, "quote"), 7),
        (("scores", "safety"), 8),
        (("empty",), 10),
        (("none",), 10),
        (("judge",), 11),
        (("scores", "adherence"), 3),  # what is missing is missing from what stands around it
        (("red_flags", 0, "id"), 2),
    ],
)
def test_every_value_knows_its_line(path, line, ends):
    """A key's line for what stands under a key, an item's own for what stands in a list."""
    assert load_json(DEEP.replace("\n", ends), "a.json").find_line(path) == line


def test_a_line_of_a_jsonl_file_has_one_line_for_everything():
    """The number it has in the file."""
    located = load_json('{"a": {"b": 1}}', "a.jsonl", line=17)
    assert located.find_line(("a", "b")) == 17
    assert problem('{"a":', line=17).line == 17
    assert problem('{"a": 1, "a": 2}', line=17).line == 17


@given(json_values)
@pytest.mark.slow
def test_lines_are_found_in_any_document(value):
    """Indented by one, each key and item has a line of its own, in order: the walk counts as the writer does."""
    text = json.dumps(value, indent=1)
    located = load_json(text, "a.json")
    lines = text.split("\n")

    def check(here, path):
        line = lines[located.find_line(path) - 1].strip()
        if path and isinstance(path[-1], str):
            assert line.startswith(json.dumps(path[-1]) + ":")
        elif not isinstance(here, dict | list):
            assert line.rstrip(",") == json.dumps(here)
        for key, item in here.items() if isinstance(here, dict) else enumerate(here) if isinstance(here, list) else ():
            check(item, (*path, key))

    check(value, ())


# --- mistakes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{"a": 1,\n "b": }', 2, "not valid JSON: Expecting value (column 7)"),
        ('{"a": 1\n "b": 2}', 2, "not valid JSON: Expecting ',' delimiter (column 2)"),
        ("{'a': 1}", 1, "not valid JSON: Expecting property name enclosed in double quotes (column 2)"),
        ('{"a": "x\ny"}', 1, "not valid JSON: Invalid control character at (column 9)"),
        ('{"a": 08}', 1, "not valid JSON: Expecting ',' delimiter (column 8)"),
        ('{"a": +1}', 1, "not valid JSON: Expecting value (column 7)"),
        (
            '{"a": 1}\n{"a": 2}',
            2,
            "not valid JSON: Extra data (column 1); a file of many documents, one on each line, ",
        ),
        ("", None, "is empty"),
        ("\n \n", None, "is empty"),
    ],
)
def test_rejects_what_is_not_json_on_its_line(text, line, message):
    """With the column, and with a hint where two documents stand in one file."""
    found = problem(text)
    assert found.line == line
    assert found.message.startswith(message)


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ('{"a": 1, "a": 2}', "a", 1),
        ('{"a": 1,\n "b": 2,\n "a": 1}', "a", 3),
        ('{"a": {"x": 1},\n "b": {"x": 1,\n  "y": 2,\n  "x": 3}}', "x", 4),
        ('{"a": 1,\n "a": {"x": 1,\n  "x": 2}}', "a", 2),  # the first one in the file
        ('[{"a": 1},\n {"a": 1, "\\u0061": 2}]', "a", 2),
        ('{"": 1,\n "": 2}', "", 2),
    ],
)
def test_a_repeated_key_is_refused_on_the_line_of_its_repeat(text, key, line):
    """The last one does not win silently, not even when both say the same."""
    found = problem(text)
    assert (found.message, found.line) == (f'the key "{key}" appears twice in one object; keep one', line)


def test_the_same_key_in_two_objects_is_not_a_repeat():
    """Each object has keys of its own."""
    assert load_json('[{"a": 1}, {"a": {"a": 2}}]', "a.json").value == [{"a": 1}, {"a": {"a": 2}}]


@pytest.mark.parametrize("levels", [DEPTH_LIMIT + 1, 900, 5_000, 100_000])
@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_nesting_is_refused_without_exhausting_the_interpreter(levels, opening):
    """Just beyond the limit as well as far beyond it, closed or not."""
    closing = "]" if opening == "[" else "}"
    found = problem(f"\n{opening * levels}1{closing * levels}")
    assert (found.message, found.line) == (f"nested more than {DEPTH_LIMIT} levels deep", 2)
    assert problem(f"\n{opening * levels}").line == 2


def test_a_repeated_key_far_down_is_refused_for_its_depth():
    """Looking for the line of a problem must not run out of stack either."""
    text = "[" * 900 + '{"a": 1, "a": 2}' + "]" * 900
    assert problem(text).message == f"nested more than {DEPTH_LIMIT} levels deep"


def test_nesting_up_to_the_limit_is_read():
    """A hundred levels are plenty; brackets in text are not levels."""
    text = "[" * DEPTH_LIMIT + '"[[[{{{"' + "]" * DEPTH_LIMIT
    assert load_json(text, "a.json").find_line((0,) * DEPTH_LIMIT) == 1
    assert len(load_json(json.dumps([[]] * 500), "a.json").value) == 500


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (r'{"a": "\ud800"}', 1),
        ('{"a": 1,\n "b": ["x",\n "\\udc00\\ud800"]}', 3),
        ('{"a": 1,\n "\\udfff": 2}', 2),
    ],
)
def test_half_of_a_surrogate_pair_is_refused_on_its_line(text, line):
    """It is not a character, and could not be written out again."""
    found = problem(text)
    assert found.message == "a \\u escape is half a character; write the whole pair"
    assert found.line == line


def test_a_whole_surrogate_pair_is_a_character():
    """As JSON writers escape what lies beyond the basic plane."""
    assert load_json(r'{"a": "\ud83d\ude00 \u00e9"}', "a.json").value == {"a": "\U0001f600 é"}


@pytest.mark.slow
def test_many_mistakes_in_a_large_document_take_time_in_proportion():
    """The text is walked once for all lines that are asked for, and a repeat is found without comparing all pairs."""
    text = json.dumps([{"scores": {"safety": place}} for place in range(20_000)], indent=1)
    located = load_json(text, "a.json")
    begun = time.process_time()
    assert located.find_line((0, "scores", "safety")) == 4
    once = time.process_time() - begun
    assert [located.find_line((place, "scores", "safety")) for place in range(20_000)] == list(range(4, 100_004, 5))
    assert time.process_time() - begun < 5 * once + 1
    many = ",".join(f'"k{place}": 1' for place in range(100_000))
    begun = time.process_time()
    assert "appears twice" in problem(f'{{{many}, "k99999": 2}}').message
    assert time.process_time() - begun < 20
