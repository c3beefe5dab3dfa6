"""Runs that may have seen the answers, by their transcripts; keys that agents need; secrets in what is kept."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from evenhand.core.finding import Place
from evenhand.decisions.suite import Case, Command, Function, Recorded, Skill, StartFile, Variant
from evenhand.runs.known_agents import missing_keys, needed_keys, refused_as_root
from evenhand.runs.limited_process import _ended
from evenhand.runs.planned import Planner
from evenhand.runs.redaction import redacted
from evenhand.runs.run_environment import secrets
from evenhand.runs.visible_paths import Hidden, workspaces
from evenhand.suites.comparison_suite import comparison_suite, side_of
from evenhand.suites.judgement.seen_answers import LENGTH, AnswerTraces
from evenhand.work.agent_run import ALIKE, KEPT_FROM, SEEN, AgentRun, RunId
from evenhand.work.submission import Event, ToolCall

REFERENCE = "The late fee is five per cent of what is owed, and it is due on the first of May."
VARIANT = Variant("v", Command(("true",)))


def note(
    tmp_path,
    *calls: tuple[dict, str],
    case: Case | None = None,
    before: str = "",
    variant: Variant = VARIANT,
    name: str = "Bash",
    is_confined: bool = False,
) -> str:
    """What is noted on calls with these arguments and results, after the agent has written something."""
    traces = AnswerTraces(Hidden(("/work/suite/cases",)), Planner([variant], tmp_path))
    events = [Event("message", "assistant", before, Place(""))]
    events += [
        Event("tool_call", "assistant", "", Place(""), ToolCall(name, arguments, result=result))
        for arguments, result in calls
    ]
    case = case or Case("c", "What is the fee?", reference=REFERENCE)
    return traces.note(events, case, variant, 1, is_confined=is_confined)


@pytest.mark.parametrize(("length", "is_seen"), [(LENGTH - 1, False), (LENGTH, True)])
@pytest.mark.parametrize("start", [0, 7, 19, 20])
def test_forty_characters_of_a_reference_in_a_result_count(length, is_seen, start, tmp_path):
    """39 do not; wherever they begin, in the reference and in the result."""
    part = REFERENCE[start : start + length]
    found = note(tmp_path, ({"command": "x"}, f"{'#' * (start % 7)}{part}#"))
    assert found.startswith(SEEN) is is_seen and bool(found) is is_seen


@pytest.mark.parametrize(
    ("path", "is_named"),
    [
        ("cat /work/suite/cases/a/expect.yaml", True),
        ("cat ../../../../work/suite/cases/a", True),
        ("cat /work/suite/cases", True),
        ("cat /work/suite/cases-of-my-own", False),
        ("cat /other/work/suite/cases", False),
        ("ls cases", False),
    ],
)
def test_a_hidden_path_in_a_call_counts(path, is_named, tmp_path):
    assert note(tmp_path, ({"command": path}, "")).startswith(SEEN) is is_named


def test_what_an_agent_was_given_or_wrote_does_not_count(tmp_path):
    """The prompt, the case's files, its own words, and a path that the prompt names."""
    (tmp_path / "terms.txt").write_text(REFERENCE)
    reads = ({"command": "cat terms.txt"}, REFERENCE)
    files = (StartFile(str(tmp_path / "terms.txt"), "terms.txt"),)
    assert note(tmp_path, reads) != ""
    assert note(tmp_path, reads, case=Case("c", "P", files=files, reference=REFERENCE)) == ""
    assert note(tmp_path, reads, case=Case("c", f"Improve: {REFERENCE}", reference=REFERENCE)) == ""
    assert note(tmp_path, reads, before=f"I think: {REFERENCE}") == ""
    assert note(tmp_path, ({"content": REFERENCE}, "written"), reads) == ""
    told = Case("c", "Look at /work/suite/cases", reference=REFERENCE)
    assert note(tmp_path, ({"command": "ls /work/suite/cases"}, ""), case=told) == ""


def test_a_tool_may_repeat_what_it_was_called_with(tmp_path):
    """As one does that writes a file and shows it, or a shell that shows the command."""
    assert note(tmp_path, ({"content": REFERENCE}, f"written:\n1 {REFERENCE}")) == ""


def test_names_of_given_files_do_not_count(tmp_path):
    """`find` prints them, and an expectation may name one of more than 40 characters."""
    long = "src/components/dashboard/LatestOrdersTable.test.tsx"
    (tmp_path / "t").write_text("x")
    expect = [{"file": {"path": long, "contains": "render"}}]
    case = Case("c", "Add a test.", files=(StartFile(str(tmp_path / "t"), long),), expect=expect)
    assert note(tmp_path, ({"command": "find ."}, f"./{long}\n"), case=case) == ""
    assert note(tmp_path, ({"command": "find ."}, f"./{long}\n"), case=case._replace(files=())) != ""


def test_a_run_that_could_not_read_the_answers_is_not_said_to_have_seen_them(tmp_path):
    """A program of its own may print the answer. What came over the network may have been an answer."""
    printed = ({"command": "python3 fees.py"}, REFERENCE)
    assert note(tmp_path, printed).startswith(SEEN)
    assert note(tmp_path, printed, is_confined=True).startswith(ALIKE)
    assert note(tmp_path, ({"command": "curl https://example.org/fees"}, REFERENCE), is_confined=True).startswith(SEEN)
    assert note(tmp_path, ({"query": "late fee"}, REFERENCE), name="WebSearch", is_confined=True).startswith(SEEN)
    named = ({"command": "cat /work/suite/cases/a"}, "Permission denied")
    assert note(tmp_path, named, is_confined=True).startswith(KEPT_FROM)
    assert note(tmp_path, named, printed, is_confined=False).startswith(SEEN)


def test_a_path_that_was_left_out_of_a_skill_shows_nothing(tmp_path):
    """Its own instructions may name it."""
    skill = tmp_path / "greet"
    (skill / "evals").mkdir(parents=True)
    (skill / "SKILL.md").write_text("See evals/evals.json.")
    (skill / "evals" / "evals.json").write_text("[]")
    variant = Variant("v", Command(("true",)), Skill(str(skill)))
    found = note(tmp_path, ({"file_path": "/w/.claude/skills/greet/evals/evals.json"}, "none"), variant=variant)
    assert found == f"{KEPT_FROM}its call of Bash names .claude/skills/greet/evals"


def test_an_answer_may_be_in_a_given_file_that_is_not_a_text(tmp_path):
    """Such as a PDF, from which a tool takes the text."""
    (tmp_path / "terms.pdf").write_bytes(b"%PDF\0\1")
    files = (StartFile(str(tmp_path / "terms.pdf"), "terms.pdf"),)
    case = Case("c", "P", files=files, reference=REFERENCE)
    assert note(tmp_path, ({"command": "pdftotext terms.pdf -"}, REFERENCE), case=case).startswith(ALIKE)


def test_what_a_recorded_run_was_given_is_not_known(tmp_path):
    (tmp_path / "c.jsonl").write_text("")
    variant = Variant("v", Recorded(str(tmp_path / "{case}.jsonl")))
    assert note(tmp_path, ({"command": "git show"}, REFERENCE), variant=variant).startswith(ALIKE)


def event(role: str, text: str, call: ToolCall | None = None) -> Event:
    return Event("tool_call" if call else "message", role, text, Place(""), call)


def noted(tmp_path, *events: Event, hidden: tuple[str, ...] = (), case: Case | None = None) -> str:
    """What is noted on these events."""
    traces = AnswerTraces(Hidden(hidden), Planner([VARIANT], tmp_path))
    case = case or Case("c", "What is the fee?", reference=REFERENCE)
    return traces.note(events, case, VARIANT, 1, is_confined=False)


def test_a_result_without_its_call_counts_and_the_user_s_words_do_not(tmp_path):
    """Some transcripts have results as messages of their own. What the user said afterwards is given."""
    assert noted(tmp_path, event("tool", REFERENCE)).startswith(f"{SEEN}a result of a tool holds 81 characters")
    assert noted(tmp_path, event("user", REFERENCE)) == ""
    assert noted(tmp_path, event("user", REFERENCE), event("tool", REFERENCE)) == ""


def test_a_trace_is_quoted_with_its_length_and_its_first_sixty_characters(tmp_path):
    """81 characters of the reference, of which 60 are shown; white space counts as one space."""
    found = note(tmp_path, ({"command": "cat x"}, f"1:  {REFERENCE.replace(' ', chr(10))}"))
    assert len(REFERENCE) == 81
    assert found == f'{SEEN}a result of Bash holds 81 characters of one: "{REFERENCE[:60]}"'


def test_what_shows_more_is_noted_rather_than_what_came_first(tmp_path):
    """A path that was kept from it, then an answer from the network; of two that show less, the first."""
    kept = ({"command": "cat /work/suite/cases/a"}, "Permission denied")
    printed = ({"command": "python3 fees.py"}, REFERENCE)
    fetched = ({"command": "curl https://example.org"}, REFERENCE)
    assert note(tmp_path, kept, printed, fetched, is_confined=True).startswith(SEEN)
    assert note(tmp_path, kept, printed, is_confined=True).startswith(KEPT_FROM)
    assert note(tmp_path, printed, kept, is_confined=True).startswith(ALIKE)


def test_where_else_a_result_may_come_from_is_reported(tmp_path):
    """What is not known of a recorded run comes first, then files that are not texts, then what it could not read."""
    (tmp_path / "terms.pdf").write_bytes(b"%PDF\0\1")
    (tmp_path / "c.jsonl").write_text("")
    files = Case("c", "P", files=(StartFile(str(tmp_path / "terms.pdf"), "t.pdf"),), reference=REFERENCE)
    printed = ({"command": "python3 fees.py"}, REFERENCE)
    recorded = Variant("v", Recorded(str(tmp_path / "{case}.jsonl")))
    function = Variant("v", Function("module:function"))
    worked_out = "it could not read the answers, so it worked it out or found it in what it was given"
    says: list[tuple[dict[str, Any], str]] = [
        ({"variant": recorded, "case": files}, "what a recorded run was given is not known here"),
        ({"case": files, "is_confined": True}, "it was given files that cannot be read here as text"),
        ({"is_confined": True}, worked_out),
        ({"variant": function, "is_confined": True}, worked_out),
    ]
    for given, why in says:
        found = note(tmp_path, printed, **given)
        assert found.startswith(ALIKE) and found.endswith(f"; {why}")


@pytest.mark.parametrize(("length", "is_seen"), [(LENGTH, True), (LENGTH - 1, False)])
def test_an_answer_of_forty_characters_can_be_seen_and_a_shorter_one_is_not_a_trace(length, is_seen, tmp_path):
    """Nobody writes forty by chance; thirty-nine may be."""
    case = Case("c", "P", reference=REFERENCE[:length])
    assert bool(note(tmp_path, ({"command": "x"}, REFERENCE), case=case)) is is_seen


@pytest.mark.parametrize(
    ("expect", "is_seen"),
    [
        ([{"answer": {"contains": REFERENCE}}], True),
        ([{"any_of": [{"answer": {"equals": ("x", REFERENCE)}}]}], True),
        ([{REFERENCE: 1}], False),
        (None, False),
    ],
)
def test_every_text_in_an_expectation_is_an_answer_and_its_keys_are_not(expect, is_seen, tmp_path):
    case = Case("c", "P", expect=expect)
    assert bool(note(tmp_path, ({"command": "x"}, REFERENCE), case=case)) is is_seen


ANSWER = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRST"
"""56 different characters."""


@pytest.mark.parametrize(
    ("result", "length"),
    [
        (f"T{ANSWER[:44]}#", 44),  # what precedes it is the last character of the answer
        (f"{ANSWER[5:49]}e", 44),  # its last character is the one before the part in the answer
        (ANSWER[12:], 44),
        (f"{ANSWER}a", 56),  # after the end of the answer comes its first character
        (f"{ANSWER[:30]}#{ANSWER[10:52]}", 42),  # the first part is too short
    ],
)
def test_the_length_of_a_trace_is_what_both_have_in_common(result, length, tmp_path):
    """Characters before and after the part that both share are not counted."""
    found = note(tmp_path, ({"command": "x"}, result), case=Case("c", "P", reference=ANSWER))
    assert f"holds {length} characters of one" in found


def test_a_part_that_was_given_does_not_hide_another_that_was_not(tmp_path):
    """50 characters stand in the prompt; of the 60 after them the agent was told nothing."""
    told, secret = ANSWER[:50], "The password of the archive is a word that nobody would guess"
    case = Case("c", f"Use {told}.", reference=f"{told}|{secret}")
    assert f'"{secret[:57]}' in note(tmp_path, ({"command": "x"}, f"{told}#{secret}"), case=case)
    assert note(tmp_path, ({"command": "x"}, f"{told}#"), case=case) == ""


@pytest.mark.parametrize(("given", "is_seen"), [(slice(0, 45), True), (slice(0, 56), False), (slice(1, 56), True)])
def test_a_trace_needs_forty_characters_in_a_row_that_were_not_given(given, is_seen, tmp_path):
    """Of 56 characters, 45 or 55 were given: some forty in a row were not. All 56: none."""
    case = Case("c", f"Use {ANSWER[given]}.", reference=ANSWER)
    assert bool(note(tmp_path, ({"command": "x"}, ANSWER), case=case)) is is_seen


def test_forty_characters_in_a_row_may_come_from_several_given_texts(tmp_path):
    """56 characters: each forty of them stand in the first 45, which it was told, or in the last 51, which it wrote."""
    case = Case("c", f"Use {ANSWER[:45]}.", reference=ANSWER)
    calls = ({"command": "x"}, ANSWER)
    assert note(tmp_path, calls, case=case, before=ANSWER[5:]) == ""
    assert note(tmp_path, calls, case=case, before=ANSWER[7:]) != "", (
        "the forty that begin with the seventh are in none"
    )


def test_a_given_file_in_another_encoding_is_read_and_one_that_is_not_a_text_counts_for_all(tmp_path):
    (tmp_path / "a.pdf").write_bytes(b"%PDF\0\1")
    (tmp_path / "b.txt").write_bytes(f"G\xfcltig: {REFERENCE}".encode("latin-1"))
    case = Case("c", "P", files=(StartFile(str(tmp_path / "b.txt"), "b.txt"),), reference=REFERENCE)
    assert note(tmp_path, ({"command": "cat b.txt"}, REFERENCE), case=case) == ""
    both = case._replace(files=(StartFile(str(tmp_path / "a.pdf"), "a.pdf"), *case.files), reference=ANSWER)
    assert note(tmp_path, ({"command": "x"}, ANSWER), case=both).startswith(ALIKE)


def test_a_call_without_a_result_shows_nothing(tmp_path):
    assert noted(tmp_path, event("assistant", "", ToolCall("Bash", {"command": "ls"}, result=None))) == ""


def test_the_folder_in_which_all_runs_work_is_not_an_answer(tmp_path):
    """An agent names it in every call that has an absolute path."""
    own = str(Path(os.path.realpath(workspaces())))
    call = ToolCall("Bash", {"command": f"ls {own}/x /answers/y"}, result="")
    assert noted(tmp_path, event("assistant", "", call), hidden=(own,)) == ""
    assert noted(tmp_path, event("assistant", "", call), hidden=(own, "/answers")).endswith("names /answers")


def test_a_path_is_hidden_as_it_is_written_and_not_as_a_pattern(tmp_path):
    call = ToolCall("Bash", {"command": "cat /workXsuite"}, result="")
    assert noted(tmp_path, event("assistant", "", call), hidden=("/work.suite",)) == ""


def test_a_known_agent_without_a_key_is_a_problem(monkeypatch, tmp_path):
    """Unless the suite lists one that is set, or names another way."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    claude = Command(("claude", "-p", "{prompt}"))
    bare = Variant("v", claude)
    (problem,) = missing_keys([bare, VARIANT])
    assert "environment: [ANTHROPIC_API_KEY]" in problem.message
    assert [*needed_keys([bare, VARIANT])] == [("v", "ANTHROPIC_API_KEY")]
    listed = bare._replace(does=claude._replace(passed=("CLAUDE_CODE_OAUTH_TOKEN",)))
    assert "CLAUDE_CODE_OAUTH_TOKEN is listed and not set" in missing_keys([listed])[0].message
    at_home = bare._replace(does=claude._replace(own_home=False))
    assert f"there is no login in {tmp_path}" in missing_keys([at_home])[0].message
    monkeypatch.setenv("CLAUDE_CODE_OAUTH_TOKEN", "t")
    assert missing_keys([listed]) == []
    assert missing_keys([bare._replace(does=claude._replace(environment={"ANTHROPIC_API_KEY": "k"}))]) == []
    assert missing_keys([Variant("v", Command(("codex", "exec", "--config", 'p={env_key="K"}')))]) == []


def test_claude_code_as_root_is_refused_before_the_first_run(monkeypatch):
    """Unless it is told that nothing can be harmed; others are let through."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.delenv("IS_SANDBOX", raising=False)
    does = Command(("claude", "-p", "{prompt}", "--dangerously-skip-permissions"), passed=("IS_SANDBOX",))
    (problem,) = refused_as_root([Variant("v", does)])
    assert "set IS_SANDBOX=1 and list it under environment" in problem.message
    assert refused_as_root([Variant("v", does._replace(environment={"IS_SANDBOX": "1"}))]) == []
    assert refused_as_root([Variant("v", does._replace(arguments=("claude", "-p", "{prompt}")))]) == []
    monkeypatch.setenv("IS_SANDBOX", "yes")  # which Claude Code does not take for a yes
    assert len(refused_as_root([Variant("v", does)])) == 1
    monkeypatch.setenv("IS_SANDBOX", "1")
    assert refused_as_root([Variant("v", does)]) == []
    monkeypatch.delenv("IS_SANDBOX")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert refused_as_root([Variant("v", does)]) == []


@pytest.mark.parametrize(
    ("variables", "access"),
    [
        ({}, {"own_home": False}),
        ({"ANTHROPIC_API_KEY": "k"}, {"environment": ["ANTHROPIC_API_KEY"]}),
        ({"IS_SANDBOX": "1"}, {"environment": ["IS_SANDBOX"], "own_home": False}),
        (
            {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "http://x", "GITHUB_TOKEN": "t"},
            {"environment": ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"]},
        ),
    ],
)
def test_a_compared_skill_is_run_with_the_key_that_is_set_or_with_the_login(variables, access, monkeypatch, tmp_path):
    monkeypatch.setattr(os, "environ", variables)
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "SKILL.md").write_text("x")
    (tmp_path / "t.md").write_text("Greet.")
    made = comparison_suite(
        [side_of("none"), side_of(str(tmp_path / "s"))],
        beside=tmp_path,
        tasks=str(tmp_path / "t.md"),
        agent="claude-code",
    )
    variant = yaml.safe_load(made.text)["variants"]["s"]
    assert {name: variant[name] for name in ("environment", "own_home") if name in variant} == access


def test_listed_secrets_are_taken_out_of_what_is_kept(tmp_path):
    """Those whose names or values look secret; short ones and folders stay."""
    does = Function("m:f", environment={"JAVA_HOME": "/usr/lib/jvm", "PIN_KEY": "1234567"}, passed=("API_KEY", "URL"))
    found = secrets(does, {"API_KEY": "sk-12345", "URL": "https://u:pw@host", "GITHUB_TOKEN": "not-listed"})
    assert found == {"https://u:pw@host": "URL", "sk-12345": "API_KEY"}
    (tmp_path / "errors.txt").write_bytes(b"\xff sk-12345")
    run = AgentRun(RunId("c", "v", 1), "k", "failed", reason="bad sk-12345", output="a sk-12345 b")
    kept = redacted(run, tmp_path, found)
    assert (kept.reason, kept.output) == ("bad [API_KEY]", "a [API_KEY] b")
    assert (tmp_path / "errors.txt").read_bytes() == b"\xff [API_KEY]"


def test_a_reason_has_what_was_printed_on_both_streams():
    assert _ended(1, b"", b"Not logged in\n") == ("failed", "it ended with exit code 1: Not logged in")
    assert _ended(1, b"warn\n", b"bad\n")[1] == "it ended with exit code 1: warn; it printed: bad"
    assert _ended(1, b"same\n", b"same\n")[1] == "it ended with exit code 1: same"
