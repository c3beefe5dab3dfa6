"""Sentences of suites put to judges: audits with a judge, and how far variants follow their own skill."""

from __future__ import annotations

import json
import sys

import pytest

from test_criteria_judging import server_that, verdict
from test_model_judging import KEY, models

pytestmark = pytest.mark.slow

AGENT = """\
import pathlib
name = next(pathlib.Path(".claude/skills").glob("*"), None)
print("Hello, Ada Lovelace." if name else "hi")
"""


@pytest.fixture
def suite(tmp_path):
    """Two cases with sentences; one variant without a skill, and two with a skill of their own."""
    (tmp_path / "agent.py").write_text(AGENT)
    for name, rules in (("old", "- Use the full name.\n"), ("new", "- Use the full name.\n- End with thanks.\n")):
        (tmp_path / name / "greet").mkdir(parents=True)
        (tmp_path / name / "greet" / "SKILL.md").write_text(f"---\nname: greet\ndescription: Greet.\n---\n{rules}")
    plain = {"command": [sys.executable, "./agent.py"]}
    document = {
        "suite": "greetings",
        "cases": [
            {"id": "vague", "prompt": "Greet Ada.", "expect": ["Is a fine answer"]},
            {"id": "strict", "prompt": "Greet Ada.", "files": [], "expect": ["Names Ada Lovelace in full"]},
        ],
        "variants": {
            "without": plain,
            "old": {**plain, "skill": "./old/greet"},
            "new": {**plain, "skill": "./new/greet"},
        },
    }
    (tmp_path / "suite.json").write_text(json.dumps(document))
    return "suite.json"


def lenient(id, sentence, asked):
    """A judge that finds anything fine, and looks into the work for the rest."""
    text = asked.body["messages"][1]["content"]
    if "fine answer" in sentence:
        return verdict("yes", absent=True)
    wanted = "Lovelace" if "full" in sentence else "thanks you very much"
    return verdict("yes", "Hello, Ada Lovelace.") if f"Hello, Ada {wanted}" in text else verdict("no", absent=True)


def test_an_audit_with_a_judge_tries_sentences_too(suite, evenhand_command, fake_server):
    """Every trivial agent passes the vague case, none the strict one. Without a judge both are left out."""
    fake_server.answer = server_that(lenient)
    alone = json.loads(evenhand_command("run", "audit", suite, "-f", "json").out)
    assert (alone["passed"], alone["sentences"], alone["not_tried"]) == ([], 2, 2)
    asked = ("run", "audit", suite, *models(fake_server), "-f", "json")
    ran = evenhand_command(*asked, "--yes", OPENAI_API_KEY=KEY)
    found = json.loads(ran.out)
    assert (ran.code, found["passed"], found["sentences"], found["not_tried"]) == (1, ["vague"], 0, 0)
    assert "passes-nothing-done" in found["problems"][0]["agents"]


def test_nothing_is_asked_before_the_plan_is_agreed_to(suite, evenhand_command, fake_server):
    """There is no terminal here; a dry run needs no key."""
    words = ("run", "audit", suite, *models(fake_server))
    refused = evenhand_command(*words, OPENAI_API_KEY=KEY)
    assert refused.code == 2 and "give --yes" in refused.err and "calls" in refused.err
    planned = json.loads(evenhand_command(*words, "--dry-run", "-f", "json").out)
    assert planned["calls"] > 0 and fake_server.count == 0
    assert evenhand_command("run", "audit", suite, "--yes").code == 2


def test_each_variant_is_held_to_its_own_skill_apart_from_any_comparison(suite, evenhand_command, fake_server):
    """Four runs with a skill: old follows its one rule in both cases, new one of its two in both."""
    fake_server.answer = server_that(lenient)
    words = ("run", "audit", suite, "--adherence", *models(fake_server), "--yes", "-f", "json")
    assert "Run it first" in evenhand_command(*words, OPENAI_API_KEY=KEY).err
    evenhand_command("run", suite)
    before = evenhand_command("run", "show", "latest", "-f", "json").out
    ran = evenhand_command(*words, OPENAI_API_KEY=KEY)
    old, new = json.loads(ran.out)["variants"]
    assert (old["variant"], old["met"], old["decided"], old["runs"]) == ("old", 2, 2, 2)
    assert (new["variant"], new["met"], new["decided"], new["runs"]) == ("new", 2, 4, 2)
    assert [(rule["rule"], rule["unmet"]) for rule in new["rules"]] == [
        ("End with thanks.", 2),
        ("Use the full name.", 0),
    ]
    assert evenhand_command("run", "show", "latest", "-f", "json").out == before
    text = evenhand_command(*words[:-2], OPENAI_API_KEY=KEY).out
    assert "new follows its own skill: 50% (2 of 4 answers, 2 runs)" in text
    assert "This decides nothing" in text
