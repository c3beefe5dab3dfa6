"""Cases from folders, JSONL, CSV and skill-creator's evals.json."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

import evenhand
from evenhand.decisions.suite import StartFile

SUITE = "suite: s\ncases: {}\nvariants: {{v: {{command: [echo]}}}}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(path, text=""):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


def read(cases):
    put("suite.yaml", SUITE.format(cases))
    return evenhand.read_suite("suite.yaml")


def problems(cases):
    with pytest.raises(evenhand.InputError) as caught:
        read(cases)
    return str(caught.value)


# --- a folder --------------------------------------------------------------------------------------


def test_a_folder_holds_a_case_in_each_folder_and_yaml_file(folder):
    """In the order of their names; the name is the id, and each part has a file of its own."""
    put("cases/late/prompt.md", "Sum it up.\n")
    put("cases/late/task.md", "What is owed?\n")
    put("cases/late/reference.md", "12\n")
    put("cases/late/expect.yaml", "- answer: {contains: '12'}\n")
    put("cases/late/case.yaml", "tags: [fees]\nweight: 3\n")
    put("cases/late/files/in/voice.txt", "12")
    put("cases/early.yaml", "prompt: Hello\nfiles: late/files/in\n")
    put("cases/README.md")
    put("cases/.hidden/x")
    put("cases/_drafts/x")
    put("cases/notes.txt")
    suite = read("cases/")
    early, late = suite.cases
    assert (early.id, early.prompt) == ("early", "Hello")
    assert early.files == (StartFile(str(folder / "cases/late/files/in"), "."),)
    assert (late.id, late.prompt, late.task, late.reference) == ("late", "Sum it up.", "What is owed?", "12")
    assert (late.expect, late.tags, late.weight) == ([{"answer": {"contains": "12"}}], ("fees",), Decimal(3))
    assert late.files == (StartFile(str(folder / "cases/late/files"), "."),)
    assert suite.notes == ("cases: not cases, and not read: notes.txt",)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a/expects.yaml": ""}, "unknown part of a case \"expects.yaml\"; did you mean expect.yaml?"),
        ({"a/prompt.md": "x", "a/prompt.txt": "y"}, "cases/a/prompt.txt: prompt.md says the same"),
        ({"a/prompt.md": "x", "a/case.yaml": "prompt: y"}, "cases/a/prompt.md: prompt is in case.yaml too"),
        ({"a/task.md": "x"}, "cases/a: a case needs either a prompt"),
        ({"a/files/x": "x"}, "a case needs either a prompt"),
        ({"a/.keep": ""}, "cases/a: has no prompt.md and no case.yaml"),
        ({"a/prompt.md": "\n"}, "cases/a/prompt.md:1: prompt is empty"),
        ({"a/prompt.md": "x", "a/expect.yaml": "expect:\n  - anser: y"}, "a/expect.yaml:2: an expectation is"),
        ({"a/prompt.md": "x", "a/expect.yaml": "\n- answer: y\n- nix: z"}, "a/expect.yaml:3: an expectation is"),
        ({"a/case.yaml": "prompt: x\nwieght: 2"}, "cases/a/case.yaml:2: unknown key \"wieght\"; did you mean weight?"),
        ({"a/case.yaml": "- x"}, "cases/a/case.yaml:1: must be an object with the fields of a case"),
        ({"a.yaml": "id: b\nprompt: x"}, "cases/a.yaml:1: the id of this case is \"a\""),
        ({"a b.yaml": "prompt: x"}, "cases/a b.yaml:1: \"a b\" is not a name"),
        ({"a.yaml": "prompt: x", "a/prompt.md": "x"}, "the case \"a\" already exists"),
        ({"a.yaml": "prompt: [x"}, "cases/a.yaml:2: not valid YAML"),
        ({"README.md": "x"}, "suite.yaml:2: there are no cases in cases/"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_folder_is_reported_with_its_file(files, message):
    """A misspelt part is not passed over: an expectation would silently be lost."""
    for path, text in files.items():
        put(f"cases/{path}", text)
    assert message in problems("cases/")


# --- JSONL, YAML and JSON --------------------------------------------------------------------------


def test_jsonl_holds_a_case_on_each_line(folder):
    """With null for what a case does not have."""
    put("data/in.txt", "x")
    rows = [{"id": 1, "prompt": "x", "files": "in.txt", "tags": None}, {"id": "b", "prompt": "y", "weight": 0.5}]
    put("data/cases.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    first, second = read("data/cases.jsonl").cases
    assert (first.id, first.files) == ("1", (StartFile(str(folder / "data/in.txt"), "in.txt"),))
    assert (second.id, second.weight, second.place) == ("b", Decimal("0.5"), ("data/cases.jsonl", 2, None))


@pytest.mark.parametrize("name", ["more.yaml", "more.json"])
def test_a_list_of_cases_may_be_a_file_of_its_own(name):
    """And sources can be mixed with cases."""
    put(name, '[{"id": "a", "prompt": "x"}]')
    assert [case.id for case in read(f"[{name}, {{id: b, prompt: y}}]").cases] == ["a", "b"]
    assert 'the case "a" already exists, at ' in problems(f"[{name}, {{id: a, prompt: y}}]")


def test_a_case_that_is_a_folder_is_named_by_its_file():
    """It has no line there."""
    put("cases/a/prompt.md", "x")
    put("cases/a/task.md", "y")
    assert 'the case "a" already exists, at cases/a/prompt.md; give' in problems("[cases, {id: a, prompt: z}]")


def test_every_broken_line_is_reported():
    """With its number."""
    put("c.jsonl", '{"id": "a", "prompt": "x"}\n{"id": \n{"id": "b"}\n{"id": "a", "prompt": "x"}\n7\n')
    lines = problems("c.jsonl").splitlines()
    assert [line.split(":")[1] for line in lines] == ["2", "3", "4", "5"]
    assert "at c.jsonl:1" in lines[2]


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ("nix.jsonl", "suite.yaml:2: there is no file or folder nix.jsonl"),
        ("suite.txt", "suite.yaml:2: suite.txt: cases are in a folder or in .jsonl"),
        ("empty.jsonl", "empty.jsonl: is empty"),
        ("7", "cases must be a folder, a file, or a list"),
        ('"a\\0"', "cases holds the character NUL"),
        ("'" + "a" * 5000 + "'", "there is no file or folder"),
        ("[7]", "must be an object"),
    ],
)
def test_a_source_that_cannot_be_read_is_reported(cases, message):
    """At the line that names it."""
    put("suite.txt")
    put("empty.jsonl")
    assert message in problems(cases)


# --- CSV -------------------------------------------------------------------------------------------


def test_the_columns_of_a_table_are_the_fields_of_a_case(folder):
    """Several tags and files are separated by commas or semicolons; other columns are listed."""
    put("in.txt", "x")
    put("c.csv", "id,Prompt,tags,weight,files,expect,author\n"
        'a,"x, or\ny",fees;late,2,in.txt,It says hello.,ana\n'
        'b,NA,,,,"[{""answer"": {""equals"": ""Paris""}}]",bob\n')  # fmt: skip
    suite = read("c.csv")
    first, second = suite.cases
    assert (first.prompt, first.tags, first.weight) == ("x, or\ny", ("fees", "late"), Decimal(2))
    assert (first.files, first.expect) == ((StartFile(str(folder / "in.txt"), "in.txt"),), ["It says hello."])
    assert (second.prompt, second.expect, second.place.line) == ("NA", [{"answer": {"equals": "Paris"}}], 4)
    assert suite.notes == ("c.csv: these columns are not fields of a case and were not read: author",)


def test_a_table_may_have_one_column():
    """A list of prompts."""
    put("c.csv", "prompt\nSum it up\nAnd again\n")
    assert [case.prompt for case in read("c.csv").cases] == ["Sum it up", "And again"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,question\na,x\n", "c.csv:1: has no column named prompt; its columns: id, question"),
        ("id,prompt,weight\na,x,heavy\n", "c.csv:2: weight must be a number above 0"),
        ("id,prompt\na,x\na,y\n", "c.csv:3: the case \"a\" already exists, at c.csv:2"),
        ("id,prompt\na,x,z\n", "c.csv:2: has 3 cells"),
        ("id,prompt,expect\na,x,[{\n", "c.csv:2: not valid JSON"),
        ("id,prompt\na,\n", "c.csv:2: a case needs either a prompt"),
        ("id,prompt\n", "c.csv: has column names but no rows"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_table_is_reported_at_its_line(text, message):
    """With the table's name."""
    put("c.csv", text)
    assert message in problems("c.csv")


# --- skill-creator ---------------------------------------------------------------------------------


@pytest.mark.parametrize("spelling", ["expectations", "assertions"])
def test_evals_of_skill_creator_are_cases(folder, spelling):
    """Files are named from the skill's folder; the skill's name is the one results are filed under."""
    evals = [
        {"id": 1, "prompt": "x", "expected_output": "A table", "files": ["evals/files/a.pdf"], spelling: ["Has a sum"]},
        {"id": 2, "prompt": "y", "files": [], "difficulty": "hard"},
    ]
    put("skills/pdf/evals/files/a.pdf", "x")
    put("skills/pdf/evals/evals.json", json.dumps({"skill_name": "pdf", "evals": evals}, indent=1))
    suite = read("skills/pdf/evals/evals.json")
    first, second = suite.cases
    assert (suite.skill, first.id, first.reference, first.expect) == ("pdf", "1", "A table", ["Has a sum"])
    assert first.files == (StartFile(str(folder / "skills/pdf/evals/files/a.pdf"), "a.pdf"),)
    assert (second.expect, second.files) == (None, ())
    assert suite.notes == ("skills/pdf/evals/evals.json: these fields of evals were not read: difficulty",)


def test_an_assertion_in_evals_may_be_an_object_with_its_sentence():
    """As many write them, with an id and a type beside it, which are listed; our own forms stay what they are."""
    assertions = [
        {"id": "a", "text": "Is polite", "type": "semantic"},
        {"name": "b", "description": "Has a sum"},
        {"answer": {"contains": "4"}},
        "Is short",
    ]
    put("evals.json", json.dumps({"evals": [{"id": 1, "prompt": "x", "assertions": assertions}]}))
    suite = read("evals.json")
    assert suite.cases[0].expect == ["Is polite", "Has a sum", {"answer": {"contains": "4"}}, "Is short"]
    assert suite.notes == ("evals.json: these fields of assertions were not read: id, type, name",)


def test_a_mistake_in_evals_is_reported_at_its_line():
    """By the name that the field has there."""
    evals = [{"id": 1, "prompt": "x", "expected_output": 7}, 8, {"id": 1, "prompt": "x"}]
    put("evals.json", json.dumps({"evals": evals}, indent=1))
    message = problems("evals.json")
    assert "evals.json:6: reference must be text" in message
    assert "evals.json:8: an eval must be an object" in message
    assert 'evals.json:9: the case "1" already exists, at evals.json:3' in message
    put("evals.json", '{"evals": []}')
    assert "there are no cases in evals.json" in problems("evals.json")


@pytest.mark.slow
def test_ten_thousand_cases_are_read_with_their_expectations():
    """From one JSONL file, all of them."""
    rows = (
        {"id": f"c{n}", "prompt": f"Sum up {n}", "expect": [{"answer": str(n)}], "tags": ["a"]} for n in range(10_000)
    )
    put("c.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert len(read("c.jsonl").cases) == 10_000
