"""One run from its start to what is kept of it: output, transcript, changes and notes, in every case."""

from __future__ import annotations

import json
import mmap
import os
import sys
from pathlib import Path

import pytest

from evenhand.decisions.values.suite import (
    Case,
    Command,
    Function,
    Limits,
    Message,
    Recorded,
    Skill,
    StartFile,
    Variant,
)
from evenhand.runs import function_call, one_run
from evenhand.runs.confined_rights import READS_ANYTHING, UNWATCHED
from evenhand.runs.planned import LARGEST_PROGRAM, Planner, recorded_path
from evenhand.runs.scratch import Scratch
from evenhand.runs.workspaces import workspace_changes
from evenhand.runs.workspaces.run_folders import FolderPool, times_tell
from evenhand.runs.workspaces.start_listing import list_start
from evenhand.work.agent_run import RunId
from suite_values import planned, run_once, shell

# --- output


def folder(tmp_path: Path, name: str) -> Path:
    (tmp_path / name).mkdir()
    return tmp_path / name


@pytest.mark.parametrize(
    ("script", "outcome", "output", "reason"),
    [
        ("echo answer > out.md", "finished", "answer\n", ""),
        ("echo answer > out.md; exit 3", "failed", "answer\n", "it ended with exit code 3: printed"),
        ("true", "failed", None, "it did not write out.md, which holds its output"),
        ("exit 3", "failed", None, "it ended with exit code 3: printed"),
        ("mkdir out.md", "failed", None, "Is a directory: out.md, which holds its output"),
        ("ln -s /etc/passwd out.md", "failed", None, "it leads out of the workspace: out.md, which holds its output"),
        ("echo x > real; ln -s real out.md", "finished", "x\n", ""),
        ("printf '' > out.md", "finished", "", ""),
    ],
)
def test_an_output_may_be_a_file_of_the_workspace(tmp_path, script, outcome, output, reason):
    """What it prints is not its output then."""
    run, _ = run_once(shell(f"echo printed; {script}", output="out.md"), tmp_path)
    assert (run.outcome, run.output, run.reason) == (outcome, output, reason)


@pytest.mark.parametrize(
    ("size", "outcome", "reason"),
    [(5, "finished", ""), (6, "stopped by a limit", "out.md is larger than 5 bytes")],
)
def test_an_output_file_is_limited_too(tmp_path, size, outcome, reason):
    command = shell(f"printf '%s' {'x' * size} > out.md", output="out.md")
    run, _ = run_once(command, tmp_path, limits=Limits(output_bytes=5))
    assert (run.outcome, run.reason, run.output) == (outcome, reason, "xxxxx")
    free, _ = run_once(command, folder(tmp_path, "free"), limits=Limits(output_bytes=None))
    assert free.output == "x" * size


def test_a_failed_run_without_a_word_has_no_output(tmp_path):
    """An empty answer is an answer only if the run finished."""
    assert run_once(shell("exit 1"), folder(tmp_path, "a"))[0].output is None
    assert run_once(shell("true"), folder(tmp_path, "b"))[0].output == ""
    assert run_once(shell("echo half; exit 1"), folder(tmp_path, "c"))[0].output == "half\n"


def test_output_that_is_not_utf_8_is_marked_from_its_first_bad_byte(tmp_path):
    run, _ = run_once(Command(("printf", "abc\\377d")), tmp_path)
    assert run.output == "abc\ufffdd"
    assert "its output is not valid UTF-8, from byte 3 on; what cannot be read is marked" in run.notes


def test_what_it_printed_as_errors_is_kept_beside(tmp_path):
    run, into = run_once(shell("echo oops >&2"), tmp_path)
    assert (into / "errors.txt").read_text() == "oops\n"
    quiet, kept = run_once(shell("true"), folder(tmp_path, "quiet"))
    assert not (kept / "errors.txt").exists() and quiet.notes == (UNWATCHED, READS_ANYTHING)
    assert run.started and run.exit_code == 0


# --- what it is given


def test_standard_input_is_what_the_variant_says(tmp_path):
    case = Case("c", "The prompt.")
    run, _ = run_once(Command(("cat",), stdin="<{prompt}> {case}"), tmp_path, case=case)
    assert run.output == "<The prompt.> c"
    assert run_once(Command(("cat",)), folder(tmp_path, "none"), case=case)[0].output == ""


def test_a_shell_is_given_only_what_we_make_ourselves(tmp_path):
    """A prompt in the script could run anything."""
    script = "echo {repeat} {case} {prompt}; cat {prompt_file}; test -d {workspace} && echo there"
    run, _ = run_once(shell(script), tmp_path, case=Case("c", "$(id)"))
    assert run.output == "1 {case} {prompt}\n$(id)there\n"


def test_a_skill_is_in_the_workspace_and_its_place_is_told(tmp_path):
    skill = folder(tmp_path, "review")
    (skill / "SKILL.md").write_text("Review.")
    command = shell('cat "$EVENHAND_SKILL/SKILL.md"; cat .agents/skills/review/SKILL.md')
    run, _ = run_once(command, folder(tmp_path, "run"), skill=Skill(str(skill)))
    assert run.output == "Review.Review."
    without, _ = run_once(shell('echo "<$EVENHAND_SKILL>"'), folder(tmp_path, "without"))
    assert without.output == "<>\n"


def test_a_function_gets_the_prompt_and_if_it_wants_the_case(tmp_path):
    """In a process of its own, in the workspace; what it prints is not its result."""
    (tmp_path / "f.py").write_text(
        "import os\n"
        "def one(prompt):\n    print('noise')\n    return f'<{prompt}> {os.path.basename(os.getcwd())}'\n"
        "def two(prompt, case):\n    return ' '.join(sorted(case))\n"
        "def none(prompt):\n    return 3\n"
    )
    one, _ = run_once(Function(f"{tmp_path}/f.py:one"), folder(tmp_path, "a"), case=Case("c", "Hi."))
    assert one.output == "<Hi.> workspace"
    two, _ = run_once(Function(f"{tmp_path}/f.py:two"), folder(tmp_path, "b"), case=Case("c", "Hi."))
    assert "prompt" in two.output.split()
    none, _ = run_once(Function(f"{tmp_path}/f.py:none"), folder(tmp_path, "c"))
    assert none.outcome == "failed" and "returned int; it must return the output as a text" in none.reason


# --- transcript


def test_a_session_is_copied_with_what_belongs_to_it(tmp_path):
    """Claude Code keeps its sub-agents in a folder of the session's name."""
    place = "$HOME/.claude/projects/-w"
    script = f'mkdir -p "{place}/s/subagents"; echo "{{}}" > "{place}/s.jsonl"; echo x > "{place}/s/subagents/a.jsonl"'
    run, into = run_once(shell(script), tmp_path)
    assert run.transcript == "transcript/s.jsonl"
    assert (into / "transcript/s/subagents/a.jsonl").read_text() == "x\n"


def test_a_transcript_may_be_printed_named_or_absent(tmp_path):
    printed, into = run_once(Command(("echo", "{}"), transcript="stdout"), folder(tmp_path, "a"))
    assert (printed.transcript, (into / "transcript.jsonl").read_text()) == ("transcript.jsonl", "{}\n")
    none, _ = run_once(
        shell("mkdir -p $HOME/.claude/projects/x; echo > $HOME/.claude/projects/x/s.jsonl", transcript=None),
        folder(tmp_path, "b"),
    )
    assert none.transcript is None
    named, into = run_once(shell("echo 1 > log.json", transcript="*.json"), folder(tmp_path, "c"))
    assert (named.transcript, (into / "transcript/log.json").read_text()) == ("transcript/log.json", "1\n")


# --- changes


def test_changes_are_a_diff_and_the_files_that_were_written(tmp_path):
    run, into = run_once(shell("mkdir d; echo a > d/a.txt; mkdir .git; echo b > .git/x"), tmp_path)
    assert run.changes == "changes.diff"
    text = (into / "changes.diff").read_text()
    assert "+++ b/d/a.txt" in text and ".git" not in text
    assert (into / "files/d/a.txt").read_text() == "a\n" and (into / "files/.git/x").exists()
    assert "2 changes in folders such as .git are not in the diff" in run.notes


def test_what_is_too_much_to_keep_is_noted(tmp_path, monkeypatch):
    monkeypatch.setattr(workspace_changes, "MOST_FILES", 1)
    run, into = run_once(shell("echo a > a; echo b > b"), tmp_path)
    assert [path.name for path in (into / "files").iterdir()] == ["a"] and (into / "changes.diff").exists()
    assert run.notes[-1] == "what it wrote is too much to keep, or cannot be read: some of it is lost"


def test_a_deleted_workspace_is_noted(tmp_path):
    run, _ = run_once(shell('cd /; rm -r "$OLDPWD"'), tmp_path)
    assert one_run.DELETED in run.notes
    assert one_run.DELETED not in run_once(shell("rm -rf *"), folder(tmp_path, "b"))[0].notes


def test_a_problem_of_the_plan_is_the_reason_that_it_did_not_start(tmp_path):
    case = Case("c", "p", files=(StartFile(str(tmp_path / "absent"), "x"),))
    run, into = run_once(shell("echo ran"), folder(tmp_path, "run"), case=case)
    assert run.outcome == "not started" and "absent" in run.reason
    assert list(into.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (FileNotFoundError(2, "No such file"), "there is no command x"),
        (
            OSError(7, "Argument list too long"),
            "the prompt is too long for an argument; use {prompt_file}, or {prompt} in stdin",
        ),
        (ValueError("embedded null byte"), "x cannot be started: an argument or a variable holds the character NUL"),
        (PermissionError(13, "Permission denied"), "x cannot be started: Permission denied"),
        (OSError("odd"), "x cannot be started: odd"),
    ],
)
def test_why_a_command_cannot_be_started(error, why):
    assert one_run._why("x", error) == why


# --- plans


def key(tmp_path: Path, does, *, case: Case | None = None, repeat: int = 1, **variant) -> str:
    chosen = Variant(variant.pop("name", "v"), does, **variant)
    made = Planner([chosen], tmp_path / "revisions").plan(case or Case("c", "p"), chosen, repeat)
    assert made.problem == "" and len(made.key) == 64
    return made.key


def test_a_key_changes_with_whatever_a_run_depends_on(tmp_path):
    base = Command(("echo", "x"))
    keys = [
        key(tmp_path, base),
        key(tmp_path, base._replace(arguments=("echo", "y"))),
        key(tmp_path, base._replace(shell=True)),
        key(tmp_path, base._replace(stdin="s")),
        key(tmp_path, base._replace(output="o")),
        key(tmp_path, base._replace(transcript=None)),
        key(tmp_path, base._replace(own_home=False)),
        key(tmp_path, base._replace(environment={"A": "1"})),
        key(tmp_path, base, repeat=2),
        key(tmp_path, base, limits=Limits(processes=9)),
        key(tmp_path, base, limits=Limits(writes=())),
        key(tmp_path, base, limits=Limits(network=False)),
        key(tmp_path, base, case=Case("d", "p")),
        key(tmp_path, base, case=Case("c", "q")),
        key(tmp_path, base, case=Case("c", "p", variables=(("n", "v"),))),
        key(tmp_path, Function("module:f")),
    ]
    assert len(set(keys)) == len(keys)
    assert key(tmp_path, base, name="other") == keys[0]
    assert key(tmp_path, base, case=Case("c", "p", task="t", tags=("x",), rubric="r")) == keys[0]


@pytest.mark.parametrize(("size", "counts"), [(LARGEST_PROGRAM, True), (LARGEST_PROGRAM + 1, False)])
def test_a_program_counts_with_its_bytes_up_to_a_million(tmp_path, size, counts):
    script = tmp_path / "script"
    script.write_bytes(b"x" * size)
    first = key(tmp_path, Command((str(script),)))
    script.write_bytes(b"y" * size)
    assert (key(tmp_path, Command((str(script),))) != first) is counts


def test_variants_that_differ_in_name_alone_do_not_share_their_runs(tmp_path):
    variants = [Variant(name, Command(("x",))) for name in "abc"] + [Variant("d", Command(("y",)))]
    planner = Planner(variants, tmp_path)
    assert len({planner.plan(Case("c", "p"), variant, 1).key for variant in variants}) == 4
    assert (
        planner.plan(Case("c", "p"), variants[0], 1).key
        == Planner(variants[:1], tmp_path).plan(Case("c", "p"), variants[0], 1).key
    )


def test_all_runs_of_a_case_start_from_the_same_files(tmp_path):
    path = tmp_path / "a"
    path.write_text("one")
    case = Case("c", "p", files=(StartFile(str(path), "a"),))
    variant = Variant("v", Command(("x",)))
    planner = Planner([variant], tmp_path)
    assert planner.plan(case, variant, 1).problem == ""
    path.write_text("two!")
    late = planner.plan(case, variant, 2)
    assert (late.key, late.problem) == ("", f"{path} changed while the suite was running; run it again")


def test_a_recorded_run_is_known_by_its_bytes_its_case_and_its_repeat(tmp_path):
    recorded = Recorded(str(tmp_path / "{case}-{repeat}.md"))
    assert recorded_path(recorded, RunId("a", "v", 2)) == str(tmp_path / "a-2.md")
    for name in ("a-1.md", "a-2.md", "b-1.md"):
        (tmp_path / name).write_text("same")
    planner, variant = Planner([], tmp_path), Variant("v", recorded)
    keys = [planner.plan(Case(case, "p"), variant, repeat).key for case, repeat in (("a", 1), ("a", 2), ("b", 1))]
    assert len(set(keys)) == 3
    (tmp_path / "a-1.md").write_text("else")
    assert planner.plan(Case("a", "p"), variant, 1).key != keys[0]
    assert planner.plan(Case("x", "p"), variant, 1).problem == f"{tmp_path}/x-1.md: No such file or directory"
    (tmp_path / "d-1.md").mkdir()
    assert (
        planner.plan(Case("d", "p"), variant, 1).problem
        == f"{tmp_path}/d-1.md is a folder; a recorded output is a file"
    )
    nul = planner.plan(Case("c", "p"), Variant("v", Recorded("/x\0{case}")), 1)
    assert nul.problem.endswith("is not a path")


def test_what_is_not_unicode_cannot_be_planned(tmp_path):
    made = planned(Command(("x",)), tmp_path, case=Case("c", "\ud800"))
    assert made.problem.startswith(
        "the prompt, or the name of a file it starts from, holds characters that are not valid"
    )


# --- folders


def test_folders_given_back_are_empty_and_used_again(tmp_path):
    with Scratch(tmp_path / "scratch") as scratch:
        pool = FolderPool(scratch)
        first = pool.take()
        assert (first.has_empty_home() and first.is_untouched is False) or True
        (Path(first.home) / "x").touch()
        assert not first.has_empty_home()
        first.fill(())
        assert first.changes() == []
        pool.give_back(first)
        again = pool.take()
        assert again is first and again.has_empty_home()
        assert sorted(path.name for path in Path(again.root).iterdir()) == ["home", "tmp", "workspace"]
        other = pool.take()
        assert other is not again and other.root != again.root
        assert isinstance(times_tell(tmp_path), bool) and not (tmp_path / "times").exists()


def test_a_prompt_file_is_written_again_for_the_next_run(tmp_path):
    (tmp_path / "a").write_text("a")
    listing = list_start([StartFile(str(tmp_path / "a"), "in/a")])
    with Scratch(tmp_path / "scratch") as scratch:
        pool = FolderPool(scratch)
        for text in (b"a long prompt", b"short"):
            folders = pool.take()
            folders.fill(listing)
            path = folders.write_prompt(text)
            assert Path(path).read_bytes() == text
            assert (Path(folders.workspace) / "in/a").read_text() == "a"
            assert [change.target for change in folders.changes()] == []
            pool.give_back(folders)


def test_a_function_is_given_all_of_its_case(tmp_path, monkeypatch, capfd):
    """As JSON through its standard input; a function by its module or by its file."""
    case = Case("c", "Hi.", conversation=(Message("user", "Before."),), task="t", tags=("x",), variables=(("n", "v"),))
    program = one_run._program(planned(Function("m:f"), tmp_path, case=case))
    assert program.command.arguments[1:] == ("-m", "evenhand.runs.function_call", "m:f")
    assert json.loads(program.stdin) == {
        "id": "c",
        "prompt": "Hi.",
        "conversation": [{"role": "user", "text": "Before."}],
        "task": "t",
        "tags": ["x"],
        "vars": {"n": "v"},
        "repeat": 1,
        "skill": "",
    }
    assert (program.command.own_home, program.command.transcript) == (False, None)
    assert function_call._function("json:dumps") is json.dumps
    (tmp_path / "mine.py").write_text("import beside\ndef f():\n    return beside.WORD\n")
    (tmp_path / "beside.py").write_text("WORD = 'found'\n")
    monkeypatch.setattr(sys, "path", list(function_call.sys.path))
    assert function_call._function(f"{tmp_path}/mine.py:f")() == "found"


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="there is no shared memory here")
def test_what_others_use_in_shared_memory_was_not_left_by_a_run():
    """A database or a browser may come and go while an agent runs."""
    names = {"left": f"/dev/shm/evenhand-test-left-{os.getpid()}", "used": f"/dev/shm/evenhand-test-used-{os.getpid()}"}
    before = one_run._shared_memory()
    try:
        Path(names["left"]).write_text("x")
        with Path(names["used"]).open("w+b") as file:
            file.write(b"x" * 4096)
            file.flush()
            with mmap.mmap(file.fileno(), 4096):
                notes = one_run._left_in_memory(before)
        assert len(notes) == 1 and Path(names["left"]).name in notes[0]
        assert Path(names["used"]).name not in notes[0]
    finally:
        for path in names.values():
            Path(path).unlink(missing_ok=True)
