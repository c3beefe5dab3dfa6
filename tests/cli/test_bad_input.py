"""Bad input at the command line: exit code 2, one line for each problem with file and line, and nothing changed."""

from __future__ import annotations

import json
import re

import pytest
from conftest import make_rubric, seven

from evenhand import DIMENSIONS
from evenhand.reports.markdown import rubric_markdown

GOOD = json.dumps({"scores": seven(8)})
RANGE = "a score is a number from 1 to 10"


def judgement(**scores):
    """A judgement as people write it, each score on a line of its own; safety is on line 7."""
    lines = [f'  "{name}": {json.dumps(scores.get(name, 8))}' for name in DIMENSIONS]
    return '{"scores": {\n' + ",\n".join(lines) + "\n}}\n"


def raw(value):
    """The same with something in place of the score of safety that is not JSON of Python's making."""
    return judgement(safety="@").replace('"@"', value)


def rubric(old="", new="", weights="25 20 15 15 10 10 5"):
    """A rubric file; its weights are on lines 5 to 12, its flags from line 14 on."""
    text = rubric_markdown(make_rubric(amounts=["0.5", "1"]))
    for name, usual, weight in zip(DIMENSIONS, "25 20 15 15 10 10 5".split(), weights.split(), strict=True):
        assert f"  {name}: {usual}\n" in text
        text = text.replace(f"  {name}: {usual}\n", f"  {name}: {weight}\n" if weight != "-" else "")
    assert old in text
    return text.replace(old, new, 1) if old else text


def unchanged(folder):
    """Everything in a folder, to compare with later."""
    return {path: path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


def complaints(done):
    """The problems on standard error, each as (where, message); anything else there is a failure."""
    assert "Traceback" not in done.err
    found = [re.fullmatch(r"error: (?:(\S+?): )?(.+)", line) for line in done.err.splitlines()]
    assert all(found), done.err
    return [(each[1], each[2]) for each in found]


def complained(done, file, line, message):
    """Whether one of the problems has this place and this message."""
    place = f"{file}:{line}" if line else file
    return any(where == place and said.startswith(message) for where, said in complaints(done))


JUDGEMENTS = {
    "missing": ('{"scores": {"correctness": 8}}', "1", "completeness is missing; all seven dimensions are needed"),
    "no scores": ('{"skill": "x"}', "1", "scores is missing; it must be an object with the seven dimensions"),
    "unknown": (judgement().replace("safety", "saftey"), "7", 'unknown dimension "saftey"; did you mean safety?'),
    "duplicated": (judgement().replace("consistency", "safety"), "8", 'the key "safety" appears twice in one object'),
    "null": (judgement(safety=None), "7", "safety has no score; give a number from 1 to 10"),
    "boolean": (judgement(safety=True), "7", f"safety: true is not a number; {RANGE}"),
    "NaN": (raw("NaN"), "7", f"safety: NaN is not a finite number; {RANGE}"),
    "infinite": (raw("Infinity"), "7", f"safety: Infinity is not a finite number; {RANGE}"),
    "minus infinite": (raw("-Infinity"), "7", f"safety: -Infinity is not a finite number; {RANGE}"),
    "beyond floats": (raw("1e400"), "7", f"safety: 1E+400 is outside 1 to 10; {RANGE}"),
    "0": (judgement(safety=0), "7", f"safety: 0 is outside 1 to 10; {RANGE}"),
    "10.01": (raw("10.01"), "7", f"safety: 10.01 is outside 1 to 10; {RANGE}"),
    "eight": (judgement(safety="eight"), "7", f'safety: "eight" is not a number; {RANGE}'),
    "unknown flag": (
        GOOD[:-1] + ',\n "red_flags": ["nope"]}',
        "2",
        'rubric default: unknown red flag "nope"; valid: fabricated-source, false-run-claim,',
    ),
    "unknown bonus": (
        GOOD[:-1] + ',\n "bonuses": [\n"recheck-suplied"]}',
        "3",
        'rubric default: unknown bonus "recheck-suplied"; did you mean recheck-supplied? valid: ',
    ),
    "unknown key": (GOOD[:-1] + ',\n "flags": []}', "2", 'unknown key "flags"; did you mean red_flags?'),
    "not JSON": ("{\n scores: }", "2", "not valid JSON: Expecting property name enclosed in double quotes (column 2)"),
    "a bare list": ("[[8, 8]]", "1", "a judgement is an object with the key scores, not a list"),
    "empty": ("", "", "is empty"),
    "binary": ("\0\x01\x02", "1", "is a binary file (it holds a NUL byte); text is needed"),
    "deep": ("[" * 100_000, "1", "nested more than 100 levels deep"),
    "half a character": (GOOD[:-1] + ',\n "task": "\\ud800"}', "2", "a \\u escape is half a character"),
    "missing output": (GOOD[:-1] + ',\n "output": "none.txt"}', "2", "the output none.txt: no such file"),
}


@pytest.mark.parametrize("name", JUDGEMENTS)
def test_a_bad_judgement_is_refused(evenhand_command, tmp_path, name):
    """No scorecard, no traceback, nothing written."""
    content, line, message = JUDGEMENTS[name]
    (tmp_path / "bad.json").write_text(content, encoding="utf-8")
    before = unchanged(tmp_path)
    done = evenhand_command("score", "bad.json")
    assert (done.code, done.out) == (2, "")
    assert complained(done, "bad.json", line, message)
    assert unchanged(tmp_path) == before


YAML = {
    "bomb": (
        "a: &a [x, x]\n"
        + "".join(f"{b}: &{b} [*{a}, *{a}, *{a}]\n" for a, b in zip("abcdefghi", "bcdefghij", strict=True)),
        "8",  # three aliases on each line from the second on: 18 up to line 7, the 21st on line 8
        "repeats values with more than 20 aliases; write them out",
    ),
    "duplicated": ("skill: x\nskill: y\n", "2", 'the key "skill" appears twice in one mapping; keep one'),
    "a tag": ("skill: !!python/object/apply:os.system ['touch x']\n", "1", "the tag !!python/object/apply:os.system"),
    "not YAML": ("a: 1\n b: 2\n", "2", "not valid YAML: "),
    "deep": ("a: " + "[" * 100_000, "1", "nested more than 100 levels deep"),
    "no": ("scores:\n" + "".join(f"  {name}: no\n" for name in DIMENSIONS), "2", 'correctness: "no" is not a number'),
    "binary": ("\x89PNG\0", "1", "is a binary file (it holds a NUL byte); text is needed"),
}


@pytest.mark.parametrize("name", YAML)
def test_bad_yaml_is_refused(evenhand_command, tmp_path, name):
    """Nothing in it is run or multiplied."""
    content, line, message = YAML[name]
    (tmp_path / "bad.yaml").write_text(content, encoding="utf-8")
    before = unchanged(tmp_path)
    done = evenhand_command("score", "bad.yaml", "--format", "json")
    assert done.code == 2
    assert "final" not in done.out
    assert complained(done, "bad.yaml", line, message)
    assert unchanged(tmp_path) == before


FLAG_LINE = str(rubric()[: rubric().index("- `f0`")].count("\n") + 1)
RUBRICS = {
    "sum 0.99": (rubric(weights="0.24 0.2 0.15 0.15 0.1 0.1 0.05"), "5", "weights sum to 0.99, 0.01 too little; the s"),
    "sum 1.05": (
        rubric(weights="0.3 0.2 0.15 0.15 0.1 0.1 0.05"),
        "5",
        "weights sum to 1.05, 0.05 too much; the seven",
    ),
    "negative": (
        rubric(weights="35 20 15 15 10 10 -5"),
        "12",
        "the weight of consistency is -5; a weight is 0 or more",
    ),
    "partial": (
        rubric(weights="25 20 15 15 15 10 -"),
        "5",
        "no weight for consistency; all seven are needed",
    ),
    "mixed": (rubric(weights="0.25 20 15 15 10 10 5"), "5", "weights mix percentages and fractions: correctness below"),
    "mixed signs": (
        rubric(weights="25% 20 15 15 10 10 5"),
        "5",
        "weights mix percentages and fractions: no % on compl",
    ),
    "amount 0": (
        rubric("`f0` (-0.50)", "`f0` (-0)"),
        FLAG_LINE,
        "the amount of f0: 0 is not an amount; it is more than 0",
    ),
    "amount 2.5": (rubric("`f0` (-0.50)", "`f0` (-2.5)"), FLAG_LINE, "the amount of f0: 2.5 is not an amount; it is"),
    "amount 0.125": (
        rubric("`f0` (-0.50)", "`f0` (-0.125)"),
        FLAG_LINE,
        "the amount of f0: 0.125 is not an amount; it is more",
    ),
    "two of a name": (
        rubric("### Safety", "### Efficiency"),
        "1",
        "no section for safety; write ",
    ),
    "two of an id": (
        rubric("- `f1` (", "- `f0` ("),
        str(int(FLAG_LINE) + 1),
        f"two red flags have the id f0; the other is on line {FLAG_LINE}",
    ),
    "not a rubric": ("# Shopping\n\n- milk\n", "1", "not a rubric: none of the seven dimensions has a heading"),
    "a judgement": (judgement(), "1", "not a rubric: none of the seven dimensions has a heading"),
    "empty": ("", "", "is empty; start a rubric with: evenhand rubric new NAME"),
    "binary": ("\x89PNG\0\0", "1", "is a binary file (it holds a NUL byte); text is needed"),
    "unclosed": ("---\nname: x\n", "1", "the front matter opened here is never closed"),
    "a bomb": (
        "---\na: &a [x]\nb: &b [" + "*a, " * 21 + "]\n---\n# x\n",
        "3",
        "repeats values with more than 20 aliases",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RUBRICS)
def test_a_bad_rubric_is_refused(evenhand_command, tmp_path, name):
    """A judgement is not scored with a rubric that is in doubt."""
    content, line, message = RUBRICS[name]
    (tmp_path / "bad.md").write_text(content, encoding="utf-8")
    (tmp_path / "good.json").write_text(GOOD, encoding="utf-8")
    before = unchanged(tmp_path)
    done = evenhand_command("score", "good.json", "--rubric", "bad.md")
    assert (done.code, done.out) == (2, "")
    assert complained(done, "bad.md", line, message)
    assert unchanged(tmp_path) == before


def test_a_second_section_for_a_dimension_is_reported_with_both_lines(evenhand_command, tmp_path):
    """Both problems that come of it, each on a line."""
    text = rubric("### Safety", "### Efficiency")
    (tmp_path / "bad.md").write_text(text, encoding="utf-8")
    first, second = [number for number, line in enumerate(text.split("\n"), start=1) if line == "### Efficiency"]
    done = evenhand_command("rubric", "show", "bad.md", "--format", "json")
    assert (done.code, done.out) == (2, "")
    assert complaints(done)[1] == (
        f"bad.md:{second}",
        f"a second section for efficiency; the first is on line {first}; keep one",
    )


def test_a_weights_file_that_contradicts_the_rubric_is_refused(evenhand_command, tmp_path):
    """Both sets of weights are shown."""
    (tmp_path / "bad.md").write_text(rubric(), encoding="utf-8")
    weights = seven(0.2, 0.25, 0.15, 0.15, 0.1, 0.1, 0.05)
    (tmp_path / "bad.weights.json").write_text(json.dumps(weights), encoding="utf-8")
    done = evenhand_command("rubric", "check", "bad.md")
    assert (done.code, done.out) == (2, "")
    assert "front matter against bad.weights.json: correctness 25% against 20%, completeness 20%" in done.err


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [("score",), ("rank",), ("show", "--verify"), ("rubric", "check"), ("rubric", "show")]
)
def test_a_directory_and_a_missing_file_are_refused_by_every_command(evenhand_command, tmp_path, command):
    """With the name of the file."""
    (tmp_path / "folder").mkdir()
    done = evenhand_command(*command, "./folder", "--format", "json")
    shown = done.out + done.err  # check has its findings on standard output
    assert done.code == 2
    assert "folder" in shown and "is a directory; name a file" in shown
    done = evenhand_command(*command, "./none.md", "--format", "json")
    shown = done.out + done.err
    assert done.code == 2
    assert "none.md" in shown and "no such file" in shown
    assert "final" not in shown and "Traceback" not in shown


def test_every_bad_judgement_at_once_leaves_the_good_ones_scored(evenhand_command, tmp_path):
    """In the order of the command line; the exit code is 2 all the same."""
    names = []
    for place, (content, _, _) in enumerate(JUDGEMENTS.values()):
        (tmp_path / f"bad{place}.json").write_text(content, encoding="utf-8")
        (tmp_path / f"good{place}.json").write_text(GOOD[:-1] + f', "id": "{place}"}}', encoding="utf-8")
        names += [f"bad{place}.json", f"good{place}.json"]
    done = evenhand_command("score", *names, "folder", "none.json", "--format", "jsonl")
    assert done.code == 2
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == [str(n) for n in range(len(JUDGEMENTS))]
    blamed = dict.fromkeys(where.split(":")[0] for where, _ in complaints(done))
    assert list(blamed) == [*names[::2], "folder", "none.json"]


def test_a_bad_line_of_many_is_reported_with_its_number_and_the_others_are_scored(evenhand_command, tmp_path):
    """Broken JSON, a bad score and an unknown flag, each on its line."""
    flagged = GOOD[:-1] + ', "red_flags": ["nope"]}'
    lines = [GOOD, "{", "", GOOD, raw("10.01").replace("\n", " "), flagged, "[]", GOOD]
    (tmp_path / "many.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = evenhand_command("score", "many.jsonl", "--format", "jsonl")
    assert done.code == 2
    assert [json.loads(line)["final"] for line in done.out.splitlines()] == [8, 8, 8]
    assert [where for where, _ in complaints(done)] == [f"many.jsonl:{number}" for number in (2, 5, 6, 7)]
    ranked = evenhand_command("rank", "many.jsonl", "--format", "json")
    assert ranked.code == 2
    assert [where for where, _ in complaints(ranked)] == [f"many.jsonl:{number}" for number in (2, 5, 6, 7)]


def test_bad_scorecards_are_refused_by_verify(evenhand_command, tmp_path):
    """A judgement, a list and broken JSON are not scorecards."""
    for place, content in enumerate([GOOD, "[1]", "{", "", '{"schema": "evenhand/scorecard/v1"}']):
        (tmp_path / f"{place}.json").write_text(content, encoding="utf-8")
    done = evenhand_command("show", "--verify", *(f"{place}.json" for place in range(5)), "--format", "jsonl")
    assert (done.code, done.out) == (2, "")
    assert [where.split(":")[0] for where, _ in complaints(done)] == [f"{place}.json" for place in range(5)]


def test_an_unknown_rubric_is_refused_with_suggestions(evenhand_command, tmp_path):
    """On the command line and in the judgement, where it has its line."""
    (tmp_path / "a.json").write_text(GOOD, encoding="utf-8")
    done = evenhand_command("score", "a.json", "--rubric", "code-reveiw")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith('error: unknown rubric "code-reveiw"; did you mean code-review')
    (tmp_path / "a.json").write_text(GOOD[:-1] + ',\n "rubric": "code-reveiw"}', encoding="utf-8")
    done = evenhand_command("score", "a.json")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith('error: a.json:2: unknown rubric "code-reveiw"; did you mean code-review')
