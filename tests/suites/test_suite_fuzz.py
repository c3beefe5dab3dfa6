"""Suite files that nobody meant well: whatever is in them, the answer is a suite or an InputError."""

from __future__ import annotations

import json
import os
from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import evenhand
from evenhand.suites.importing.known_tools import import_suite

SUITE = {
    "suite": "s",
    "skill": "k",
    "rubric": "default",
    "judges": ["openai:m"],
    "repeats": 2,
    "limits": {"seconds": 3, "memory": "2GB", "network": False},
    "cases": [
        {"id": "a", "prompt": "x", "files": [{"from": "in.txt", "to": "a"}], "expect": [{"answer": "y"}], "weight": 2},
        {"conversation": [{"role": "user", "content": "x"}], "tags": ["t"]},
    ],
    "variants": {
        "v": {"command": ["a", "{prompt}"], "environment": {"A": "b"}, "skill": "skills/x", "limits": {"output": 5}},
        "w": {"like": "v", "skill": {"path": "skills/x", "revision": "v1"}},
        "m": {"model": "openai:m", "prompt": "{prompt}"},
        "f": {"function": "json:dumps"},
        "r": {"recorded": "{case}/{repeat}"},
    },
    "compare_with": "v",
    "gate": {"margin": 0.2, "no_fault": "major"},
}
LINE = {**SUITE, "variants": {"command": ["a"], "skill": "skills/x", "versions": ["none", "v1", "now"]}}
PROMPTFOO = {
    "description": "d",
    "prompts": ["{{q}}", {"raw": "a {{q}}", "label": "l"}],
    "providers": ["openai:chat:m", {"id": "exec: a b", "label": "e"}],
    "defaultTest": {"assert": [{"type": "cost", "threshold": 1}]},
    "tests": [{"vars": {"q": ["a", "b"]}, "assert": [{"type": "regex", "value": "a"}], "metadata": {"a": "b"}}],
    "evaluateOptions": {"repeat": 2, "timeoutMs": 10},
}
WAZA = {
    "name": "n",
    "skill": "s",
    "config": {"trials_per_task": 2, "timeout_seconds": 3, "model": "m", "skill_directories": ["skills"]},
    "graders": [
        {"type": "text", "config": {"contains": ["a"], "regex_match": ["b"]}},
        {"type": "behavior", "config": {"max_tokens": 3, "required_tools": ["a"]}},
        {"type": "tool_constraint", "config": {"expect_tools": [{"tool": "a"}]}},
    ],
    "tasks": ["*.task"],
}
TASK = {
    "id": "a",
    "inputs": {"prompt": "x", "files": [{"path": "in.txt"}], "context": {"fixture": "in.txt"}},
    "expected": {"output_contains": ["a"], "behavior": {"max_tokens": 4}},
    "graders": [{"type": "file", "config": {"must_exist": ["a"]}}],
    "tags": ["t"],
}

odd = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(
        ["", "..", "/", "../..", "a\0b", "{x}", "{{x}}", "~", "none", "-", "a" * 300, "é", "file://x", "*"]
    ),
    st.text(max_size=10),
    st.just([]),
    st.just({}),
    st.just([[]]),
    st.just({"a": {"b": [1]}}),
)


def paths(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from paths(item, (*path, key))


def mutated(whole, changes):
    """A copy with other values, without some keys, or with keys of other names, at some places."""
    whole = json.loads(json.dumps(whole))
    places = list(paths(whole))[1:]
    for place, what, value in changes:
        *way, last = places[place % len(places)]
        inner = whole
        try:
            for step in way:
                inner = inner[step]
            if what == "drop":
                del inner[last]
            elif what == "rename" and isinstance(inner, dict):
                inner[str(value)] = inner.pop(last)
            else:
                inner[last] = deepcopy(value)
        except (KeyError, IndexError, TypeError):
            continue
    return whole


changes = st.lists(
    st.tuples(st.integers(0, 200), st.sampled_from(["put", "drop", "rename"]), odd), min_size=1, max_size=4
)
quickly = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("skills/x").mkdir(parents=True)
    for path in ("skills/x/SKILL.md", "in.txt"):
        Path(path).write_text("x")


def read(text, name="s.yaml"):
    """A suite, or the problems; anything else fails the test."""
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    try:
        suite = evenhand.read_suite(name)
    except evenhand.InputError as error:
        refused = error
    else:
        assert suite.cases
        assert suite.variants
        return suite
    assert refused.problems
    assert all(problem.source and problem.message for problem in refused.problems)
    return None


@quickly
@given(st.sampled_from([SUITE, LINE]), changes)
@pytest.mark.slow
def test_a_changed_suite_is_read_or_refused(whole, made):
    """As YAML and as JSON, without a traceback; YAML refuses a few characters that JSON allows."""
    text = json.dumps(mutated(whole, made))
    if read(text) is not None:
        assert read(text, "s.json") is not None
    else:
        read(text, "s.json")


@quickly
@given(st.binary(max_size=200) | st.text(max_size=200))
@example(b"\xff\xfe")
@example("\ud800")
@example("suite: &a [*a]")
@pytest.mark.slow
def test_any_bytes_are_read_or_refused(content):
    """Not even text."""
    read(content)


@quickly
@given(st.sampled_from([".jsonl", ".csv", ".json", ".yaml"]), st.binary(max_size=200) | st.text(max_size=200))
@example(".csv", b";")
@example(".csv", 'prompt,expect\na,"[[[["\n')
@example(".json", '{"evals": [{"id": [], "prompt": {}, "files": 7}]}')
@pytest.mark.slow
def test_any_file_of_cases_is_read_or_refused(ending, content):
    """Tables, lines and documents."""
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    Path(f"c{ending}").write_bytes(data)
    read(f"suite: s\ncases: c{ending}\nvariants: {{v: {{command: [a]}}}}\n")


@quickly
@given(st.sampled_from([PROMPTFOO, WAZA]), changes, changes)
@pytest.mark.slow
def test_a_changed_configuration_of_another_tool_is_imported_or_refused(whole, made, made_too):
    """And what is imported has its notes."""
    Path("a.task").write_text(json.dumps(mutated(TASK, made_too)))
    Path("p.json").write_text(json.dumps(mutated(whole, made)))
    try:
        imported = import_suite("p.json", Path())
    except evenhand.InputError:
        return
    read(imported.text)


BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(15)
)


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        "suite: " + "[" * 5000,
        '{"suite": ' + "[" * 200 + "]" * 200 + "}",
        "suite: s\ncases: [" + "{prompt: x, expect: " + "[" * 90 + "]" * 90 + "}]\nvariants: {v: {command: [a]}}\n",
        "suite: \0",
        "suite: s\n" * 2,
        "!!python/object/apply:os.system [ls]",
        "suite: s\ncases: [{prompt: x, weight: 1e999999999}]\nvariants: {v: {command: [a]}}\n",
        "suite: s\nrepeats: 1e999\ncases: [{prompt: x}]\nvariants: {v: {command: [a]}}\n",
        "suite: s\nlimits: {memory: 1e400, seconds: 1e-400}\ncases: [{prompt: x}]\nvariants: {v: {command: [a]}}\n",
        "x" * (16 * 1024 * 1024 + 1),
    ],
    ids=lambda text: text[:20],
)
def test_a_hostile_file_is_refused(text):
    """Alias bombs, depth, NULs, tags, absurd numbers, more bytes than are read."""
    assert read(text) is None


def test_a_suite_that_is_not_a_file_is_refused(tmp_path):
    """A folder, a file that is missing, and a pipe that nobody writes to."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "nix", tmp_path / "pipe", "a\0b", "x" * 5000):
        with pytest.raises(evenhand.InputError):
            evenhand.read_suite(path)
