"""YAML as it is read: plain values mean what JSON means by them, and nothing in a file is run or multiplied."""

from __future__ import annotations

import re
import time
from decimal import Decimal

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.files import yaml_values
from evenhand.files.text import DEPTH_LIMIT
from evenhand.files.yaml_values import ALIAS_LIMIT, REPEATED_LIMIT, load_all_yaml, load_yaml
from every_case import every_case

LOADERS = [yaml.SafeLoader] + ([yaml.CSafeLoader] if yaml.__with_libyaml__ else [])


@pytest.fixture(autouse=True, params=LOADERS, ids=lambda loader: loader.__name__)
def loader(request, monkeypatch):
    """Everything holds with the C library and, where it is missing, without it."""
    monkeypatch.setattr(yaml_values, "_Loader", request.param)
    return request.param


def problem(text, **more):
    """The one problem of a text."""
    with pytest.raises(InputError) as caught:
        load_yaml(text, "a.yaml", **more)
    [found] = caught.value.problems
    assert found.source == "a.yaml"
    return found


def read(text):
    return load_yaml(text, "a.yaml").value


# --- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["8", "0", "-1", "7.50", "0.1", "8.049999999999999999999999999999", "1e1", "2.5E-1"])
def test_R1_numbers_are_decimals_from_their_text(text):
    """No binary float stands in between: 0.1 is 0.1."""
    value = read(f"score: {text}")["score"]
    assert isinstance(value, Decimal)
    assert str(value) == str(Decimal(text))


@every_case(
    "word",
    [
        *("no", "NO", "yes", "Yes", "on", "off", "y", "n"),  # words, not truth values
        *("08", "007", "0x10", "0o17", "0b1", "1_000", "1:30", "190:20:30"),  # not octal, hexadecimal, sixty-based
        *("2024-01-01", "2024-01-01T10:00:00Z", "2024-01-01 10:00:00"),  # dates are text
        *(".5", "5.", "+5", ".inf", "-.inf", ".nan", "NaN", "Infinity"),  # what JSON does not call a number
        *("tRue", "nULL", "None", "\u0665", "1e", "1.2.3"),
    ],
)
def test_everything_that_json_does_not_know_is_text(word):
    """So that a skill called no is called no, and version 2024-01-01 keeps its dashes."""
    assert read(f"skill: {word}") == {"skill": word}


@every_case(
    ("text", "value"),
    [
        ("true", True),
        ("True", True),
        ("FALSE", False),
        ("null", None),
        ("~", None),
        ("", None),
        ('"8"', "8"),
        ("'true'", "true"),
        ("'null'", "null"),
        ("''", ""),
        ("|\n  8\n", "8\n"),
        (">-\n  one\n  two", "one two"),
        ("!!str no", "no"),
        ("[1, two, {three: 3}]", [Decimal(1), "two", {"three": Decimal(3)}]),
    ],
)
def test_truth_null_and_quoted_text(text, value):
    """What is quoted is text, whatever it looks like."""
    assert read(f"a: {text}") == {"a": value}


def test_keys_are_text_as_written():
    """Also those that look like something else."""
    assert read("no: 1\n8: 2\ntrue: 3\n2024-01-01: 4\n'quoted': 5\n") == {
        "no": 1,
        "8": 2,
        "true": 3,
        "2024-01-01": 4,
        "quoted": 5,
    }


EXPONENT_ALONE = re.compile(r"[-+]?\d+[eE][-+]?\d+")
"""A number since YAML 1.2 and here; the writer, which knows YAML 1.1, puts such a text in no quotes."""

texts = st.text(st.characters(codec="utf-8"), max_size=8).filter(lambda text: not EXPONENT_ALONE.fullmatch(text))
plain_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | texts,
    lambda inside: (
        st.lists(inside, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=4), inside, max_size=4)
    ),
    max_leaves=12,
)


@given(plain_values, st.booleans())
@pytest.mark.slow
def test_what_is_read_is_what_was_written(value, flow):
    """Whatever a YAML writer puts in quotes comes back as text, and the rest as it was."""
    text = yaml.safe_dump({"value": value}, default_flow_style=flow, allow_unicode=True)
    if yaml.safe_load(text) == {"value": value}:  # the writer itself loses some line ends
        assert read(text) == {"value": value}


# --- lines ---------------------------------------------------------------------------------------

DEEP = """\
# a comment

skill: x
scores:
  correctness:
    score: 11
    evidence:
      - one
      - "two
        still two"
      - {quote: three,
         line: 3}
  safety: 7
bonuses: [a,
  b]
"""


@every_case("ends", ["\n", "\r\n"])
@every_case(
    ("path", "line"),
    [
        ((), 3),
        (("skill",), 3),
        (("scores",), 4),
        (("scores", "correctness", "score"), 6),
        (("scores", "correctness", "evidence", 0), 8),
        (("scores", "correctness", "evidence", 1), 9),
        (("scores", "correctness", "evidence", 2, "line"), 12),
        (("scores", "safety"), 13),
        (("bonuses", 1), 15),
        (("scores", "adherence"), 4),  # what is missing is missing from what stands around it
        (("red_flags", 0), 3),
    ],
)
def test_every_value_knows_its_line(path, line, ends):
    """A key's line for what stands under a key, an item's own for what stands in a list."""
    assert load_yaml(DEEP.replace("\n", ends), "a.yaml").find_line(path) == line
    assert load_yaml(DEEP.replace("\n", ends), "a.yaml", first_line=11).find_line(path) == line + 10


def test_several_documents_keep_their_lines():
    """Lines are those of the file; null documents count as documents."""
    documents = load_all_yaml("a: 1\n---\nb: 2\nc: 3\n---\n...\n", "a.yaml")
    assert [document.value for document in documents] == [{"a": 1}, {"b": 2, "c": 3}, None]
    assert documents[1].find_line(("c",)) == 4
    assert load_all_yaml("# nothing\n", "a.yaml") == []


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("a: 1\n---\nb: 2\n", "holds 2 YAML documents; one is needed", 1),
        ("# nothing\n", "is empty", None),
    ],
)
def test_where_one_document_is_needed_another_number_is_refused(text, message, line):
    """Front matter is one document."""
    found = problem(text)
    assert (found.message, found.line) == (message, line)


# --- mistakes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1\nb: [1, 2\n", 3),
        ("a: 1\nb: 'open\n", 3),
        ("a:\n\t- b\n", 2),
        ("a: 1\n b: 2\n", 2),
        ("a: b: c\n", 1),
        ("a: *nowhere\n", 1),
        ("a: @x\n", 1),
        ("- a\nb: c\n", 2),
    ],
)
def test_rejects_what_is_not_yaml_on_its_line(text, line):
    """In one line of its own."""
    found = problem(text)
    assert found.message.startswith("not valid YAML: ")
    assert "\n" not in found.message
    assert found.line == line


def test_a_character_that_yaml_does_not_allow_is_named_with_its_line():
    """Not with its position in a stream."""
    found = problem("a: é\nb: 1\nc: x\x07y\n")
    assert (found.message, found.line) == ("not valid YAML: the character U+0007 is not allowed", 3)


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ("a: 1\na: 2\n", "a", 2),
        ("a:\n  x: 1\n  y: 2\n  x: 1\n", "x", 4),
        ("{a: 1,\n 'a': 2}", "a", 2),
        ("- a: 1\n- b: 1\n  b: 2\n", "b", 3),
    ],
)
def test_a_repeated_key_is_refused_on_the_line_of_its_repeat(text, key, line):
    """The last one does not win silently."""
    found = problem(text)
    assert (found.message, found.line) == (f'the key "{key}" appears twice in one mapping; keep one', line)


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("a: 1\nb: !secret x\n", "!secret"),
        ("a: 1\nb: !!python/object/apply:os.system [echo]\n", "!!python/object/apply:os.system"),
        ("a: 1\nb: !!python/name:os.system ''\n", "!!python/name:os.system"),
        ("a: 1\nb: !!binary aGk=\n", "!!binary"),
        ("a: 1\nb: !!set {x, y}\n", "!!set"),
        ("a: 1\nb: !!omap [x: 1]\n", "!!omap"),
    ],
)
def test_tags_are_refused_and_nothing_is_run(text, tag):
    """Plain values are all a judgement needs."""
    found = problem(text)
    assert (found.message, found.line) == (f"the tag {tag} is not read; use plain values", 2)


def test_a_key_that_is_not_a_word_is_refused():
    """A list or a mapping cannot be a key."""
    found = problem("a: 1\n? [b, c]\n: 2\n")
    assert (found.message, found.line) == ("a key must be a word", 2)


def test_an_endless_exponent_is_refused_on_its_line():
    """Decimals have an end too."""
    found = problem("a: 1\nb: 1e99999999999999999999\n")
    assert (found.message, found.line) == ("a number has too large an exponent to be read", 2)


def test_half_of_a_surrogate_pair_is_refused_on_its_line():
    """It is not a character, and could not be written out again."""
    assert problem('a: 1\nb: "\\ud800"\n').line == 2
    assert problem('a: 1\n"\\udfff": b\n').line == 2


# --- bombs ---------------------------------------------------------------------------------------


def test_an_alias_repeats_a_value():
    """In moderation, and of any size a person would write."""
    text = "a: &quotes [" + ", ".join(f"q{n}" for n in range(50)) + "]\nb: *quotes\nc: *quotes\n"
    value = read(text)
    assert value["a"] == value["b"] == value["c"]
    assert len(value["c"]) == 50


def test_aliases_up_to_the_limit_are_read_and_one_more_is_refused_on_its_line():
    """Twenty repeats are plenty."""
    text = "a: &a x\n" + "".join(f"k{n}: *a\n" for n in range(ALIAS_LIMIT))
    assert len(read(text)) == ALIAS_LIMIT + 1
    found = problem(text + "more: *a\n")
    assert found.message == f"repeats values with more than {ALIAS_LIMIT} aliases; write them out"
    assert found.line == ALIAS_LIMIT + 2


def test_a_bomb_of_aliases_is_refused_at_once():
    """Nine levels of nine would be a thousand million words."""
    levels = [
        f"{name}: &{name} [{', '.join(['*' + before] * 9)}]"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    begun = time.process_time()
    found = problem("\n".join(["a: &a [lol, lol, lol]", *levels]))
    assert found.message == f"repeats values with more than {ALIAS_LIMIT} aliases; write them out"
    assert found.line == 4  # 9 aliases on the second line, 18 on the third, the 21st on the fourth
    assert time.process_time() - begun < 5


def test_few_aliases_of_much_are_refused_too():
    """Twenty aliases that double a thousand values ten times over are a bomb as well."""
    levels = [f"{name}: &{name} [*{before}, *{before}]" for before, name in zip("abcdefghi", "bcdefghij", strict=True)]
    found = problem("\n".join(["a: &a [" + "x, " * 1000 + "]", *levels]))
    assert found.message == f"aliases repeat more than {REPEATED_LIMIT} values; write them out"


@pytest.mark.parametrize("text", ["a: &a [*a]", "a: &a {b: {c: *a}}", "&a [[*a]]"])
def test_a_value_that_holds_itself_is_refused(text):
    """There is no end to it."""
    assert problem(text).message == "a value holds an alias of itself; write it out"


@pytest.mark.slow
@pytest.mark.parametrize("levels", [DEPTH_LIMIT + 1, 1_000, 100_000])
@pytest.mark.parametrize("opening", ["[", "{a: "])
def test_deep_nesting_is_refused_without_exhausting_the_interpreter(levels, opening):
    """Just beyond the limit as well as far beyond it."""
    found = problem("a:\n " + opening * levels)
    assert (found.message, found.line) == (f"nested more than {DEPTH_LIMIT} levels deep", 2)


def test_deep_nesting_by_indentation_is_refused_on_its_line():
    """Each level on a line of its own: the limit is passed on the line after it."""
    found = problem("".join(f"{' ' * n}a:\n" for n in range(DEPTH_LIMIT + 10)))
    assert (found.message, found.line) == (f"nested more than {DEPTH_LIMIT} levels deep", DEPTH_LIMIT + 1)


def test_nesting_up_to_the_limit_is_read():
    """A hundred levels are plenty."""
    value = read("[" * DEPTH_LIMIT + "]" * DEPTH_LIMIT)
    for _ in range(DEPTH_LIMIT - 1):
        [value] = value
    assert value == []
