"""One mapping, key by key: every problem is collected with its place, and nothing is raised."""

from __future__ import annotations

from decimal import Decimal

import pytest

from evenhand.errors import InputError, Problem
from evenhand.files.entry import Entry
from evenhand.files.json_values import load_json

TEXT = """{
 "name": 3,
 "tags": ["a", "", 5],
 "size": 101,
 "half": 1.5,
 "kind": "smal",
 "deep": {"flag": "yes", "flga": 1},
 "list": []
}"""


def read(text: str = TEXT) -> tuple[Entry, list[Problem]]:
    problems: list[Problem] = []
    return Entry.of(load_json(text, "f.json"), problems), problems


@pytest.mark.parametrize(
    ("what", "value", "problem"),
    [
        (lambda entry: entry.text("name"), None, "f.json:2: name must be text; quote numbers and true or false"),
        (
            lambda entry: entry.count("size", 100),
            None,
            "f.json:4: size is 101; it must be a whole number from 1 to 100",
        ),
        (lambda entry: entry.count("half", 2), None, "f.json:5: half is 1.5; it must be a whole number from 1 to 2"),
        (lambda entry: entry.number("name", "2 or less", high="2"), None, "f.json:2: name is 3; it must be 2 or less"),
        (lambda entry: entry.number("kind", "a number"), None, "f.json:6: kind must be a number"),
        (
            lambda entry: entry.choice("kind", ("small", "large"), "large", "size"),
            "large",
            'f.json:6: unknown size "smal"; did you mean small? valid: small, large',
        ),
        (lambda entry: entry.inner("deep").yes_no("flag", True), True, "f.json:7: flag must be true or false"),
        (lambda entry: entry.inner("list").text("x"), None, "f.json:8: must be an object with named fields"),
        (
            lambda entry: entry.inner("deep").known(("flag",)),
            None,
            'f.json:7: unknown key "flga"; did you mean flag? valid: flag',
        ),
    ],
)
def test_a_wrong_value_is_reported_with_its_line_and_what_is_valid(what, value, problem):
    """And replaced by the usual one, so that reading goes on."""
    entry, problems = read()
    assert what(entry) == value
    assert list(map(str, problems)) == [problem]


def test_an_absent_value_is_not_a_problem():
    """Every reader gives what stands for nothing."""
    entry, problems = read()
    assert (entry.text("x"), entry.number("x", "1"), entry.count("x", 2), entry.inner("x")) == (None, None, None, None)
    assert (entry.texts("x"), entry.yes_no("x", True), entry.choice("x", ("a",), "b")) == ((), True, "b")
    assert problems == []


def test_the_limits_themselves_are_valid():
    """The smallest and the largest value."""
    entry, problems = read('{"a": 1, "b": 100, "c": 0.5}')
    assert (entry.count("a", 100), entry.count("b", 100)) == (1, 100)
    assert entry.number("c", "0.5", low="0.5", high="0.5") == Decimal("0.5")
    assert problems == []


def test_a_list_of_texts_keeps_what_is_right():
    """One text stands for a list of one."""
    entry, problems = read()
    assert (entry.texts("tags"), entry.texts("kind")) == (("a",), ("smal",))
    assert [problem.message.split(";")[0] for problem in problems] == ["tags is empty", "tags must be text"]


def test_problems_of_others_keep_their_place():
    """With a file as they are; without one, inside this document."""
    entry, problems = read()
    entry.refuse_all(InputError([Problem("there", "other.md", 9), Problem("here", path=("flag",))]), "deep")
    assert list(map(str, problems)) == ["other.md:9: there", "f.json:7: here"]


def test_without_a_document_problems_have_a_path_only():
    """Whoever has the document places them."""
    problems: list[Problem] = []
    Entry({"a": {"b": 1}}, ("top",), problems).inside("a").text("b")
    assert problems == [Problem("b must be text; quote numbers and true or false", path=("top", "a", "b"))]
