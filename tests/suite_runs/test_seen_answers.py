"""Runs that may have seen the answers, by their transcripts; keys that agents need; secrets in what is kept."""

from __future__ import annotations

import pytest

from evenhand.core.values.agent_run import ALIKE, KEPT_FROM, SEEN, AgentRun, RunId
from evenhand.core.values.submission import Event, Place, ToolCall
from evenhand.core.values.suite import Case, Command, Function, Recorded, Skill, StartFile, Variant
from evenhand.runs.known_agents import missing_keys, needed_keys
from evenhand.runs.limited_process import _ended
from evenhand.runs.planned import Planner
from evenhand.runs.readable_paths import Hidden
from evenhand.runs.redaction import redacted
from evenhand.runs.run_environment import secrets
from evenhand.suite_runs.seen_answers import LENGTH, AnswerTraces

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
    """A program of its own may print the answer. What came over the network, or from a HOME with earlier sessions, may
    have been an answer.
    """
    printed = ({"command": "python3 fees.py"}, REFERENCE)
    assert note(tmp_path, printed).startswith(SEEN)
    assert note(tmp_path, printed, is_confined=True).startswith(ALIKE)
    assert note(tmp_path, ({"command": "curl https://example.org/fees"}, REFERENCE), is_confined=True).startswith(SEEN)
    assert note(tmp_path, ({"query": "late fee"}, REFERENCE), name="WebSearch", is_confined=True).startswith(SEEN)
    at_home = Variant("v", Command(("true",), own_home=False))
    assert note(tmp_path, printed, variant=at_home, is_confined=True).startswith(SEEN)
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


def test_a_known_agent_without_a_key_is_a_problem():
    """Unless the suite lists one, or names another way."""
    bare = Variant("v", Command(("claude", "-p", "{prompt}")))
    (problem,) = missing_keys([bare, VARIANT])
    assert "environment: [ANTHROPIC_API_KEY]" in problem.message
    assert [*needed_keys([bare, VARIANT])] == [("v", "ANTHROPIC_API_KEY")]
    for more in ({"passed": ("CLAUDE_CODE_OAUTH_TOKEN",)}, {"environment": {"ANTHROPIC_API_KEY": "k"}}):
        assert missing_keys([bare._replace(does=bare.does._replace(**more))]) == []
    assert missing_keys([Variant("v", Command(("codex", "exec", "--config", 'p={env_key="K"}')))]) == []


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
