"""One run of a command or a function: its workspace, its limits, what is kept of it; every failure is a value."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from decimal import Decimal
from pathlib import Path

import pytest

from evenhand.decisions.suite import Case, Command, Function, Limits, Message, Skill, StartFile
from evenhand.runs.confinement import sentence, way
from evenhand.runs.limited_process import Interrupted, processes_are_shown
from evenhand.runs.one_run import execute
from evenhand.runs.workspaces.rebuilt_workspace import rebuild
from suite_values import planned, run_once, shell

linux = pytest.mark.skipif(not processes_are_shown(), reason="needs /proc")


def test_a_command_that_prints_and_ends_is_finished(tmp_path):
    """Exit code 0, its standard output, how long it took, and that nobody watched what it wrote elsewhere."""
    run, _ = run_once(Command(("echo", "hello")), tmp_path)
    assert (run.outcome, run.reason, run.output, run.exit_code) == ("finished", "", "hello\n", 0)
    assert run.seconds is not None and run.seconds >= 0
    assert run.notes == (sentence(network=True, reads_anything=True),)
    assert run.changes is None


def test_placeholders_are_filled_once_and_never_read_by_a_shell(tmp_path):
    """A prompt with quotes, dollars and braces arrives as it is, as one argument."""
    prompt = "$(touch owned) {case} 'x' \"y\"; rm -rf ."
    case = Case("c-1", prompt)
    command = Command(("printf", "%s|", "{prompt}", "{case}:{repeat}", "{unknown}"))
    run, _ = run_once(command, tmp_path, case=case)
    assert run.output == f"{prompt}|c-1:1|{{unknown}}|"
    assert run.changes is None


def test_a_shell_gets_the_prompt_in_variables_only(tmp_path):
    """With `shell`, nothing of the case becomes part of the script."""
    run, _ = run_once(shell('printf "%s|" {case} "$EVENHAND_PROMPT"; cat "$EVENHAND_PROMPT_FILE"'), tmp_path)
    assert run.output == "{case}|Say hello.|Say hello."


def test_a_conversation_comes_before_the_prompt(tmp_path):
    """A command has one text to read: each turn with its speaker, the prompt last."""
    case = Case("c", "And now?", conversation=(Message("system", "Be brief."), Message("assistant", "Hello.")))
    run, _ = run_once(Command(("cat",), stdin="{prompt}"), tmp_path, case=case)
    assert run.output == "System: Be brief.\n\nAssistant: Hello.\n\nUser: And now?"


def test_the_workspace_is_a_copy_with_the_skill_where_agents_look(tmp_path):
    """The files of the case, and the skill for Claude Code and for others; the originals stay as they are."""
    (tmp_path / "start").mkdir()
    (tmp_path / "start" / "a.txt").write_text("one\n")
    skill = tmp_path / "greet"
    skill.mkdir()
    (skill / "SKILL.md").write_text("---\nname: greet\n---\n")
    case = Case("c", "p", files=(StartFile(str(tmp_path / "start"), "data"),))
    run, _ = run_once(
        shell('echo two > data/a.txt; find . -type f | sort; basename "$EVENHAND_SKILL"'),
        tmp_path,
        case=case,
        skill=Skill(str(skill)),
    )
    listed = "./.agents/skills/greet/SKILL.md\n./.claude/skills/greet/SKILL.md\n./data/a.txt\ngreet\n"
    assert run.output == listed
    assert (tmp_path / "start" / "a.txt").read_text() == "one\n"


def test_a_skill_of_a_git_revision_is_the_one_of_that_time(tmp_path):
    """Two versions of a skill are a folder and two revisions."""
    skill = tmp_path / "repository" / "greet"
    skill.mkdir(parents=True)
    git = ["git", "-C", str(skill.parent), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    for text in ("old", "new"):
        (skill / "SKILL.md").write_text(text)
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", text], check=True)
    command = Command(("cat", "{skill}/SKILL.md"))
    run, _ = run_once(command, tmp_path, skill=Skill(str(skill), "HEAD~1"))
    assert run.output == "old"
    wrong = planned(command, tmp_path, skill=Skill(str(skill), "no-such"))
    assert "git has no no-such of this folder" in wrong.problem


def test_home_is_empty_and_only_listed_variables_are_passed_on(tmp_path, monkeypatch):
    """Neither an agent's own settings nor a token leak into a run; what the suite lists does."""
    monkeypatch.setenv("SOME_API_KEY", "k")
    monkeypatch.setenv("GITHUB_TOKEN", "t")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/elsewhere")
    script = 'ls -A "$HOME"; echo "$SOME_API_KEY $CLAUDE_CONFIG_DIR$GITHUB_TOKEN"; echo x > "$HOME/y"'
    run, _ = run_once(shell(script, passed=("SOME_API_KEY",)), tmp_path)
    assert run.output == "k \n"
    for name in (".claude/.credentials.json", ".claude/settings.json", ".claude/plugins/p.json", ".codex/auth.json"):
        (tmp_path / "user" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "user" / name).write_text("x")
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    login, _ = run_once(shell('cd "$HOME"; find . -type f | sort', own_home=False), _folder(tmp_path, "second"))
    assert login.output == "./.claude/.credentials.json\n./.codex/auth.json\n"


def _folder(tmp_path: Path, name: str) -> Path:
    (tmp_path / name).mkdir()
    return tmp_path / name


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (Command(("no-such-command-anywhere",)), "there is no command no-such-command-anywhere"),
        (Command(("/etc/passwd",)), "/etc/passwd cannot be started: Permission denied"),
        (Command(("echo", "a\0b")), "echo cannot be started: an argument or a variable holds the character NUL"),
    ],
)
def test_a_command_that_cannot_be_started_says_why(command, reason, tmp_path):
    """Not started is not a failure of the agent."""
    run, _ = run_once(command, tmp_path)
    assert (run.outcome, run.reason, run.output) == ("not started", reason, None)


def test_a_prompt_too_long_for_an_argument_says_what_to_use_instead(tmp_path):
    """The system's limit is 128 KiB for one argument; a file has none."""
    case = Case("c", "x" * 200_000)
    run, _ = run_once(Command(("echo", "{prompt}")), tmp_path, case=case)
    assert run.reason == "the prompt is too long for an argument; use {prompt_file}, or {prompt} in stdin"
    by_file, _ = run_once(Command(("wc", "-c", "{prompt_file}")), _folder(tmp_path, "file"), case=case)
    assert by_file.output is not None and by_file.output.startswith("200000 ")


def test_an_exit_code_is_a_failure_with_the_last_words(tmp_path):
    """A failed run keeps what it printed."""
    run, into = run_once(shell("echo half; echo first >&2; echo 'no key' >&2; exit 3"), tmp_path)
    assert (run.outcome, run.exit_code) == ("failed", 3)
    assert run.reason == "it ended with exit code 3: no key; it printed: half"
    assert run.output == "half\n"
    assert (into / "errors.txt").read_text() == "first\nno key\n"


def test_files_of_the_workspace_are_named_without_it(tmp_path):
    """The folder is another one in each run; runs that fail for the same reason are counted together."""
    run, into = run_once(shell('echo "no file $PWD/in/agent.py" >&2; exit 2'), tmp_path)
    assert run.reason == "it ended with exit code 2: no file in/agent.py"
    assert (into / "errors.txt").read_text() != "no file in/agent.py\n"


def test_a_signal_is_a_failure_with_its_name(tmp_path):
    """A crash is not an exit code."""
    run, _ = run_once(shell("kill -SEGV $$"), tmp_path)
    assert (run.outcome, run.reason) == ("failed", "it was killed by SIGSEGV")


@pytest.mark.slow
def test_a_run_that_hangs_is_ended_at_its_time_limit(tmp_path):
    """What it printed until then is kept."""
    limits = Limits(seconds=Decimal("1.5"))
    run, _ = run_once(shell("echo begun; exec sleep 60"), tmp_path, limits=limits)
    assert (run.outcome, run.reason, run.output) == ("timed out", "it took longer than 1.5 s", "begun\n")


def test_a_flood_of_output_is_stopped_and_its_beginning_kept(tmp_path):
    """Exactly as many bytes as the limit allows, from both streams together."""
    run, _ = run_once(Command(("yes",)), tmp_path, limits=Limits(output_bytes=1001))
    assert (run.outcome, run.reason) == ("stopped by a limit", "it printed more than 1,001 bytes")
    assert run.output == ("y\n" * 501)[:1001]
    exact, _ = run_once(Command(("printf", "abc")), _folder(tmp_path, "exact"), limits=Limits(output_bytes=3))
    assert exact.outcome == "finished"


@linux
def test_more_processes_than_allowed_are_stopped(tmp_path):
    """A run that forks without end does not take the machine with it."""
    script = "for i in 1 2 3 4 5 6; do sleep 60 & done; wait"
    run, _ = run_once(shell(script), tmp_path, limits=Limits(processes=5))
    assert (run.outcome, run.reason) == ("stopped by a limit", "it had more than 5 processes at once")


@linux
def test_more_memory_than_allowed_is_stopped(tmp_path):
    """Counted over all its processes."""
    script = "import time; x = bytearray(80_000_000); time.sleep(60)"
    run, _ = run_once(Command((sys.executable, "-c", script)), tmp_path, limits=Limits(memory_bytes=60_000_000))
    assert run.outcome == "stopped by a limit"
    assert run.reason.endswith("bytes of memory, more than 60,000,000")


def test_a_run_that_deletes_its_workspace_has_a_diff_of_it(tmp_path):
    """Everything it started from is shown as gone."""
    (tmp_path / "a.txt").write_text("one\n")
    case = Case("c", "p", files=(StartFile(str(tmp_path / "a.txt"), "a.txt"),))
    run, into = run_once(shell('rm -r "$PWD"; echo gone'), tmp_path, case=case)
    assert (run.outcome, run.output) == ("finished", "gone\n")
    assert ("it deleted its workspace" in run.notes) is (way() == "none")
    assert (into / "changes.diff").read_text() == (
        "diff --git a/a.txt b/a.txt\ndeleted file mode 100644\n--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"
    )


def test_output_that_is_not_text_is_marked(tmp_path):
    """What can be read is kept, and a note says from where on it cannot."""
    run, _ = run_once(Command(("printf", r"ab\377c")), tmp_path)
    assert run.output == "ab\ufffdc"
    assert run.notes[-1] == "its output is not valid UTF-8, from byte 2 on; what cannot be read is marked"


def test_a_file_of_the_case_that_changed_meanwhile_stops_the_run(tmp_path):
    """What is copied must be what was planned, or results under one key would not be comparable."""
    (tmp_path / "a.txt").write_text("one\n")
    case = Case("c", "p", files=(StartFile(str(tmp_path / "a.txt"), "."),))
    plan = planned(Command(("true",)), tmp_path, case=case)
    (tmp_path / "a.txt").write_text("two\n")
    run, _ = execute(plan, tmp_path / "root", tmp_path, threading.Event())
    assert (run.outcome, run.exit_code) == ("not started", None)
    assert run.reason == f"{tmp_path}/a.txt changed while the suite was running; run it again"


def test_what_a_run_wrote_is_a_diff_and_can_be_put_back(tmp_path):
    """Text line by line, other files with size and hash; applied to the start it gives the workspace again."""
    start = _folder(tmp_path, "start")
    (start / "keep.txt").write_text("kept\n")
    (start / "edit.txt").write_text("a\nb\n")
    (start / "gone.txt").write_text("x")
    (start / "old").mkdir()
    (start / "old" / "in.txt").write_text("in\n")
    case = Case("c", "p", files=(StartFile(str(start), "."),))
    script = (
        "printf 'a\\nc\\n' > edit.txt; rm gone.txt; rm -r old; ln -s edit.txt old; mkdir new;"
        "printf '\\000\\001' > new/x;"
        "echo '#!/bin/sh' > run.sh; chmod +x run.sh; mkdir -p node_modules/m; echo 1 > node_modules/m/i.js"
    )
    plan = planned(shell(script), tmp_path, case=case)
    into = _folder(tmp_path, "kept")
    run, aftermath = execute(plan, tmp_path / "root", into, threading.Event())
    diff = (into / "changes.diff").read_text()
    assert "--- a/edit.txt\n+++ b/edit.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n" in diff
    assert (
        "deleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n"
        in diff
    )
    hash_of_two_bytes = "b413f47d13ee2fe6c845b2ee141af81de858df4ec549a58b7970bb96645bc8d2"
    assert f"Binary files a/new/x and b/new/x differ: now 2 bytes, SHA-256 {hash_of_two_bytes}\n" in diff
    assert "new file mode 100755\n--- /dev/null\n+++ b/run.sh\n" in diff
    assert "node_modules" not in diff and "keep.txt" not in diff
    assert "3 changes in folders such as .git are not in the diff" in run.notes
    from evenhand.runs.kept_runs import KeptRuns

    with KeptRuns(tmp_path / "runs") as kept:
        kept.keep(into, run, aftermath)
        found = kept.find(plan.key)
    assert found is not None
    rebuild(plan, found[1], tmp_path / "again")
    made = {
        path.relative_to(tmp_path / "again").as_posix(): path.read_bytes()
        for path in (tmp_path / "again").rglob("*")
        if path.is_file()
    }
    assert made == {
        "edit.txt": b"a\nc\n", "keep.txt": b"kept\n", "old": b"a\nc\n", "new/x": b"\0\1",
        "run.sh": b"#!/bin/sh\n", "node_modules/m/i.js": b"1\n",
    }  # fmt: skip
    assert (tmp_path / "again" / "old").is_symlink()
    assert os.access(tmp_path / "again" / "run.sh", os.X_OK)


def test_a_touched_file_with_the_same_bytes_is_not_a_change(tmp_path):
    """And one that is rewritten with other bytes of the same length and time is."""
    (tmp_path / "a.txt").write_text("one\n")
    case = Case("c", "p", files=(StartFile(str(tmp_path / "a.txt"), "a.txt"),))
    same, _ = run_once(shell("cp a.txt b; mv b a.txt"), tmp_path, case=case)
    assert same.changes is None
    other = _folder(tmp_path, "other")
    run, into = run_once(shell("touch -r a.txt t; printf 'two\\n' > a.txt; touch -r t a.txt; rm t"), other, case=case)
    assert run.changes is not None
    assert "+two" in (into / run.changes).read_text()


def test_the_output_may_be_a_file_of_the_workspace(tmp_path):
    """Missing, it is a failure; a link that leads outside is not followed."""
    run, _ = run_once(shell("echo answer > out.md; echo noise", output="out.md"), tmp_path)
    assert (run.outcome, run.output) == ("finished", "answer\n")
    missing, _ = run_once(Command(("true",), output="out.md"), _folder(tmp_path, "missing"))
    assert (missing.outcome, missing.reason) == ("failed", "it did not write out.md, which holds its output")
    link, _ = run_once(shell("ln -s /etc/passwd out.md", output="out.md"), _folder(tmp_path, "link"))
    assert (link.outcome, link.output) == ("failed", None)
    large, _ = run_once(
        shell("echo answer > out.md", output="out.md"), _folder(tmp_path, "large"), limits=Limits(output_bytes=3)
    )
    assert (large.outcome, large.output) == ("stopped by a limit", "ans")


@pytest.mark.parametrize("place", [".claude/projects/-w/s.jsonl", ".codex/sessions/2026/01/01/rollout-s.jsonl"])
def test_a_transcript_is_found_where_agents_write_it(place, tmp_path):
    """In the run's own HOME, with what belongs to it."""
    script = f'mkdir -p "$HOME/{Path(place).parent}"; echo "{{}}" > "$HOME/{place}"'
    run, into = run_once(shell(script), tmp_path)
    assert run.transcript == f"transcript/{Path(place).name}"
    assert (into / run.transcript).read_text() == "{}\n"


def test_a_transcript_may_be_named_by_a_pattern_or_be_what_is_printed(tmp_path):
    """A pattern without a match is noted."""
    run, into = run_once(shell("mkdir logs; echo 1 > logs/a.json", transcript="logs/*.json"), tmp_path)
    assert run.transcript is not None and (into / run.transcript).read_text() == "1\n"
    printed, into = run_once(Command(("echo", "{}"), transcript="stdout"), _folder(tmp_path, "printed"))
    assert printed.transcript is not None and (into / printed.transcript).read_text() == "{}\n"
    none, _ = run_once(Command(("true",), transcript="logs/*.json"), _folder(tmp_path, "none"))
    assert (none.transcript, none.notes[-1]) == (None, "no transcript matches logs/*.json")


def test_ctrl_c_ends_a_run_without_a_result(tmp_path):
    """It is neither a failure nor kept: the next command runs it again."""
    stop = threading.Event()
    stop.set()
    with pytest.raises(Interrupted):
        execute(planned(Command(("sleep", "60")), tmp_path), tmp_path / "root", tmp_path, stop)


FUNCTIONS = """
import os
def one(prompt):
    print("noise")
    return prompt.upper()
def two(prompt, case):
    open("made.txt", "w").write("x")
    return f"{case['id']} {case['repeat']} {case['tags']}"
def number(prompt):
    return 5
def fails(prompt):
    raise ValueError("boom")
def crashes(prompt):
    os.abort()
"""


@pytest.mark.parametrize(
    ("name", "outcome", "text"),
    [
        ("one", "finished", "SAY HELLO."),
        ("two", "finished", "c 1 []"),
        ("number", "failed", "returned int; it must return the output as a text"),
        ("fails", "failed", "it ended with exit code 1: ValueError: boom"),
        ("crashes", "failed", "it was killed by SIGABRT"),
        ("absent", "failed", "has no attribute 'absent'"),
    ],
)
def test_a_function_runs_in_a_process_of_its_own(name, outcome, text, tmp_path):
    """So a crash is a value, and what it prints is not its output."""
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    run, _ = run_once(Function(f"{tmp_path}/functions.py:{name}"), tmp_path)
    assert run.outcome == outcome
    assert text in (run.output if outcome == "finished" else run.reason)
    assert (run.changes is not None) is (name == "two")
