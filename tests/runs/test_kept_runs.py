"""Runs of a suite: in which order, kept by what they depend on, made once by however many processes."""

from __future__ import annotations

import multiprocessing
import os
import re
import subprocess
import sys
import threading
from collections import Counter
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import suite_values
from evenhand.decisions.suite import Case, Command, Limits, Message, Recorded, Skill, StartFile, Suite, Variant
from evenhand.errors import DocumentError, InputError, Unavailable
from evenhand.runs import kept_runs
from evenhand.runs.kept_runs import KeptRuns, KeyedLines
from evenhand.runs.planned import Planner
from evenhand.runs.scratch import Scratch
from evenhand.runs.workspaces import workspace
from evenhand.suites.execution.agent_runs import Reuse, SuiteWork
from evenhand.suites.execution.run_order import in_order, narrowed, read_shard, run_count
from evenhand.work.agent_run import RunId
from suite_values import all_runs, planned, shell


def suite_of(*variants: Variant, **more: Any) -> Suite:
    """A suite whose runs can write into the folders that their commands name."""
    opened = []
    for variant in variants:
        words = " ".join(variant.does.arguments) if isinstance(variant.does, Command) else ""
        folders = tuple(re.findall(r"> (/\S+)/(?:count|start\.txt)", words))
        opened.append(variant._replace(limits=variant.limits._replace(writes=folders)))
    return suite_values.suite_of(*opened, **more)


def counting(tmp_path: Path, then: str = "") -> Command:
    """A command that notes outside its workspace that it ran."""
    return shell(f'echo "$EVENHAND_CASE $EVENHAND_REPEAT" >> {tmp_path}/count; {then}')


def counted(tmp_path: Path) -> int:
    path = tmp_path / "count"
    return len(path.read_text().splitlines()) if path.exists() else 0


def test_variants_take_turns_and_repeats_come_last():
    """All first runs before all second ones; the variant that begins changes from case to case."""
    suite = suite_of(Variant("a", Command(("x",))), Variant("b", Command(("y",))), cases=2, repeats=2)
    order = [f"{case.id}{variant.name}{repeat}" for case, variant, repeat in in_order(suite)]
    assert order == ["c1a1", "c1b1", "c2b1", "c2a1", "c1b2", "c1a2", "c2a2", "c2b2"]
    assert run_count(suite) == 8


def test_shards_are_disjoint_complete_and_stable():
    """A case is in exactly one, which one depends on its id alone."""
    suite = suite_of(Variant("a", Command(("x",))), cases=100)
    parts = [narrowed(suite, shard=read_shard(f"{number}/8")).cases for number in range(1, 9)]
    assert sorted(case.id for part in parts for case in part) == sorted(case.id for case in suite.cases)
    assert all(parts)
    fewer = suite._replace(cases=suite.cases[50:])
    assert set(narrowed(fewer, shard=read_shard("3/8")).cases) <= set(parts[2])


@pytest.mark.parametrize("text", ["0/8", "9/8", "3", "a/b", "3/0", "-1/2", "1/2/3", ""])
def test_a_shard_that_is_none_is_refused(text):
    """With an example of what is valid."""
    with pytest.raises(InputError, match="such as 3/8"):
        read_shard(text)


def test_cases_and_variants_are_chosen_by_name():
    """By id or tag; a name that is not there is refused with a guess."""
    variants = Variant("old", Command(("x",))), Variant("new", Command(("y",)))
    suite = suite_of(*variants, cases=3)
    suite = suite._replace(cases=(*suite.cases[:2], suite.cases[2]._replace(tags=("hard",))))
    assert [case.id for case in narrowed(suite, only=["c1", "hard"]).cases] == ["c1", "c3"]
    assert [variant.name for variant in narrowed(suite, variants=["new"]).variants] == ["new"]
    with pytest.raises(InputError, match='unknown case or tag "hart"; did you mean hard'):
        narrowed(suite, only=["hart"])
    with pytest.raises(InputError, match="unknown variant"):
        narrowed(suite, variants=["v3"])


def test_a_finished_run_is_reused_and_fresh_makes_it_again(tmp_path):
    """With the same result, and the files it kept."""
    suite = suite_of(Variant("a", counting(tmp_path, "echo out; echo x > f")), cases=2, repeats=2)
    first = all_runs(suite, tmp_path / "runs")
    assert counted(tmp_path) == 4
    assert all_runs(suite, tmp_path / "runs") == first
    assert counted(tmp_path) == 4
    assert first[0].output == "out\n" and first[0].changes is not None
    assert Path(first[0].changes).read_text().endswith("+x\n")
    all_runs(suite, tmp_path / "runs", reuse=Reuse(fresh=True))
    assert counted(tmp_path) == 8
    again = all_runs(suite, tmp_path / "runs")
    assert [run._replace(started="", seconds=None) for run in again] == [
        run._replace(started="", seconds=None) for run in first
    ]
    assert counted(tmp_path) == 8
    kept = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert kept == sorted(["locks", "runs.jsonl", "unfinished", *(run.key for run in first)])
    assert list((tmp_path / "runs" / "unfinished").iterdir()) == []


def test_failed_runs_are_kept_and_retried_on_request_only(tmp_path):
    """They are values: running again until it works would count luck."""
    suite = suite_of(Variant("a", counting(tmp_path, f"test -e {tmp_path}/fixed")), cases=1)
    assert all_runs(suite, tmp_path / "runs")[0].outcome == "failed"
    (tmp_path / "fixed").write_text("")
    assert all_runs(suite, tmp_path / "runs")[0].outcome == "failed"
    assert counted(tmp_path) == 1
    retried = all_runs(suite, tmp_path / "runs", reuse=Reuse(retry_failed=True))
    assert retried[0].outcome == "finished"
    assert all_runs(suite, tmp_path / "runs", reuse=Reuse(retry_failed=True)) == retried
    assert counted(tmp_path) == 2


def test_a_run_that_never_started_is_not_kept(tmp_path):
    """Nothing ran, so there is nothing to reuse once the command is installed."""
    suite = suite_of(Variant("a", Command(("no-such-command-here",))))
    (run,) = all_runs(suite, tmp_path / "runs")
    assert run.outcome == "not started"
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["locks", "runs.jsonl", "unfinished"]
    assert (tmp_path / "runs" / "runs.jsonl").read_text() == ""


def _variations(tmp_path: Path) -> dict[str, str]:
    """The key of one run, and of runs that each differ from it in one thing."""
    (tmp_path / "skill").mkdir()
    (tmp_path / "skill" / "SKILL.md").write_text("one")
    (tmp_path / "a.txt").write_text("one")
    case = Case("c", "p", files=(StartFile(str(tmp_path / "a.txt"), "a.txt"),))
    variant = Variant("v", Command(("echo", "{prompt}")), Skill(str(tmp_path / "skill")))

    def key(case: Case = case, variant: Variant = variant, repeat: int = 1, variants: tuple[Variant, ...] = ()) -> str:
        return Planner([*variants, variant], tmp_path / "r").plan(case, variant, repeat).key

    keys = {
        "same": key(),
        "prompt": key(case._replace(prompt="q")),
        "case": key(case._replace(id="d")),
        "conversation": key(case._replace(conversation=(Message("user", "hi"),))),
        "repeat": key(repeat=2),
        "arguments": key(variant=variant._replace(does=Command(("echo", "{case}")))),
        "environment": key(variant=variant._replace(does=Command(("echo", "{prompt}"), environment={"A": "1"}))),
        "limits": key(variant=variant._replace(limits=Limits(seconds=Decimal(1)))),
        "no skill": key(variant=variant._replace(skill=None)),
        "twin": key(variants=(variant._replace(name="w"),)),
        "target": key(case._replace(files=(StartFile(str(tmp_path / "a.txt"), "b.txt"),))),
    }
    (tmp_path / "skill" / "SKILL.md").write_text("two")
    keys["skill"] = key()
    (tmp_path / "skill" / "SKILL.md").write_text("one")
    (tmp_path / "a.txt").chmod(0o755)
    keys["mode"] = key()
    (tmp_path / "a.txt").chmod(0o644)
    (tmp_path / "a.txt").write_text("two")
    keys["file"] = key()
    return keys


def test_a_key_depends_on_everything_that_a_run_depends_on(tmp_path):
    """The repeat's number too: two repeats with one key would be one run, counted twice."""
    keys = _variations(tmp_path)
    assert len(set(keys.values())) == len(keys)


def test_a_key_does_not_depend_on_names_and_judging(tmp_path):
    """Renaming a variant, or changing what is expected, runs nothing again."""
    command = Command(("true",))
    plan = planned(command, tmp_path)
    renamed = Variant("w", command)
    case = plan.case._replace(expect=[{"answer": {"is": "x"}}], tags=("t",), rubric="code-review", task="t")
    assert Planner([renamed], tmp_path).plan(case, renamed, 1).key == plan.key


def test_a_script_counts_with_its_bytes(tmp_path):
    """A command that names a file is another command once the file has changed."""
    script = tmp_path / "agent.py"
    script.write_text("print(1)")
    command = Command((sys.executable, str(script)))
    before = planned(command, tmp_path).key
    script.write_text("print(2)")
    assert planned(command, tmp_path).key != before


def test_a_recorded_output_is_read_where_it_lies(tmp_path):
    """Nothing is copied; a missing file is a run that never started, with its path."""
    (tmp_path / "c1-1.md").write_text("answer")
    suite = suite_of(Variant("a", Recorded(f"{tmp_path}/{{case}}-{{repeat}}.md")), repeats=2)
    first, second = all_runs(suite, tmp_path / "runs")
    assert (first.outcome, first.transcript) == ("finished", f"{tmp_path}/c1-1.md")
    assert (second.outcome, second.reason) == ("not started", f"{tmp_path}/c1-2.md: No such file or directory")


def _in_another_process(suite, folder):
    all_runs(suite, folder, jobs=4)


def test_two_processes_make_each_run_once(tmp_path):
    """The second waits for what the first is making, and makes what the first has not begun."""
    suite = suite_of(Variant("a", counting(tmp_path, "sleep 0.02")), cases=12)
    fork = multiprocessing.get_context("fork")
    others = [fork.Process(target=_in_another_process, args=(suite, tmp_path / "runs")) for _ in range(2)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    assert counted(tmp_path) == 12
    assert Counter(run.outcome for run in all_runs(suite, tmp_path / "runs")) == {"finished": 12}
    assert counted(tmp_path) == 12


def truncated(path: Path) -> None:
    """Empty, as a power cut may leave it."""
    path.write_bytes(b"")


def test_a_damaged_kept_run_is_an_error_with_its_path(tmp_path):
    """Running it again silently would pay twice for what somebody may want to repair."""
    suite = suite_of(Variant("a", Command(("echo", "done"))))
    (run,) = all_runs(suite, tmp_path / "runs")
    (tmp_path / "runs" / run.key / "run.json").write_text('{"version": 1')
    with pytest.raises(DocumentError, match="remove its folder to run it again"):
        all_runs(suite, tmp_path / "runs")


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (Path.unlink, r"output\.txt is missing"),
        (truncated, r"output\.txt changed since it was stored: 0 bytes, expected 5"),
    ],
)
def test_a_power_cut_that_shortened_a_file_is_noticed(tmp_path, harm, message):
    """The bytes of a file may not have reached the disk when the power went; a shorter output is not the agent's."""
    suite = suite_of(Variant("a", Command(("echo", "done"))))
    (run,) = all_runs(suite, tmp_path / "runs")
    harm(tmp_path / "runs" / run.key / "output.txt")
    with pytest.raises(DocumentError, match=message):
        all_runs(suite, tmp_path / "runs")


def test_a_full_disk_stops_everything_and_keeps_what_is_finished(tmp_path, monkeypatch):
    """It is not the agent's failure, so no run is counted as one; freed, the same command goes on."""
    suite = suite_of(Variant("a", counting(tmp_path, "echo done")), cases=3)
    real, calls = kept_runs.write_new, []

    def full(path: Path, data: bytes) -> None:
        calls.append(path.name)
        if calls.count("run.json") > 2:
            raise OSError(28, "No space left on device")
        real(path, data)

    monkeypatch.setattr(kept_runs, "write_new", full)
    with pytest.raises(Unavailable, match="No space left on device; finished runs are safe"):
        all_runs(suite, tmp_path / "runs", jobs=1)
    monkeypatch.undo()
    assert [run.outcome for run in all_runs(suite, tmp_path / "runs")] == ["finished"] * 3
    assert counted(tmp_path) == 4  # two kept, one lost to the full disk and made again, one more


def test_runs_that_left_no_files_are_lines_of_one_file(tmp_path):
    """They get no folder. Of two lines the later counts; a run that leaves files gets a folder, which counts then."""
    folder = tmp_path / "runs"
    suite = suite_of(Variant("a", counting(tmp_path, f"test ! -e {tmp_path}/speaks || echo done")), cases=2)
    first = all_runs(suite, folder)
    assert sorted(path.name for path in folder.iterdir()) == ["locks", "runs.jsonl", "unfinished"]
    assert all_runs(suite, folder) == first and counted(tmp_path) == 2
    second = all_runs(suite, folder, reuse=Reuse(fresh=True))
    assert all_runs(suite, folder) == second != first and counted(tmp_path) == 4
    (tmp_path / "speaks").write_text("")
    third = all_runs(suite, folder, reuse=Reuse(fresh=True))
    assert [run.output for run in all_runs(suite, folder)] == ["done\n"] * 2 and counted(tmp_path) == 6
    assert sorted(path.name for path in folder.iterdir() if path.is_dir()) == sorted(
        ["unfinished", *(run.key for run in third)]
    )
    (tmp_path / "speaks").unlink()
    all_runs(suite, folder, reuse=Reuse(fresh=True))
    assert [run.output for run in all_runs(suite, folder)] == [""] * 2 and counted(tmp_path) == 8


def test_a_line_that_a_killed_process_left_half_written_does_not_count(tmp_path):
    """Cut anywhere, the lines before it count, and so do those that are added after it."""
    path = tmp_path / "runs.jsonl"
    lines = [f'{{"key": "{letter}", "sizes": {{}}}}\n' for letter in "abc"]
    for length in range(len(lines[1]) - 1):
        path.unlink(missing_ok=True)
        file, other = KeyedLines(path), KeyedLines(path)
        file.add("a", lines[0])
        with path.open("a") as unfinished:
            unfinished.write(f"\n{lines[1][:length]}")
        assert file.find("b") is None and file.find("a") == {"key": "a", "sizes": {}}
        file.add("c", lines[2])
        assert [lines.find(letter) is not None for letter in "abc" for lines in (file, other)] == [
            True, True, False, False, True, True,
        ], length  # fmt: skip
        file.close()
        other.close()


def test_a_line_that_another_process_is_writing_counts_when_it_is_whole(tmp_path):
    """What was read of it before is not lost."""
    path = tmp_path / "runs.jsonl"
    lines = KeyedLines(path)
    for part, is_whole in (('\n{"key"', False), (': "a"}', False), ("\n", True)):
        with path.open("a") as other:
            other.write(part)
        assert (lines.find("a") is not None) is is_whole
    lines.close()


def test_a_line_for_which_the_disk_has_no_room_is_not_a_kept_run(tmp_path, monkeypatch):
    """Everything stops; what was kept before counts, and so does what is kept once there is room."""
    suite = suite_of(Variant("a", counting(tmp_path)), cases=3)
    real, calls = os.write, []

    def full(descriptor: int, data: bytes) -> int:
        calls.append(data)
        return real(descriptor, data if len(calls) < 2 else data[:100])

    monkeypatch.setattr(kept_runs, "os", SimpleNamespace(**{**vars(os), "write": full}))
    with pytest.raises(Unavailable, match="No space left on device; finished runs are safe"):
        all_runs(suite, tmp_path / "runs", jobs=1)
    monkeypatch.undo()
    assert [run.outcome for run in all_runs(suite, tmp_path / "runs")] == ["finished"] * 3
    assert counted(tmp_path) == 4  # one kept, one lost to the full disk and made again, one more


def test_a_damaged_line_is_an_error_with_its_path(tmp_path):
    """As for a folder: a line that is whole and yet no run was not left by a killed process."""
    suite = suite_of(Variant("a", Command(("true",))))
    all_runs(suite, tmp_path / "runs")
    path = tmp_path / "runs" / "runs.jsonl"
    path.write_text(path.read_text().replace('"finished"', '"splendid"'))
    with pytest.raises(DocumentError, match=r"runs\.jsonl: .*remove the line with its key to run it again"):
        all_runs(suite, tmp_path / "runs")


def test_a_full_disk_under_the_workspaces_is_not_a_failure_of_a_run(tmp_path, monkeypatch):
    """Copying what a run starts from fails: everything stops, nothing is counted, and the same command goes on."""
    (tmp_path / "start.txt").write_text("x")
    files = (StartFile(str(tmp_path / "start.txt"), "."),)
    suite = suite_of(Variant("a", counting(tmp_path)), cases=2, files=files)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(workspace, "_write", full)
    with pytest.raises(Unavailable, match="No space left on device; finished runs are safe"):
        all_runs(suite, tmp_path / "runs", jobs=1)
    monkeypatch.undo()
    assert [run.outcome for run in all_runs(suite, tmp_path / "runs")] == ["finished"] * 2
    assert counted(tmp_path) == 2


def test_all_runs_of_a_case_start_from_the_same_files(tmp_path):
    """The first run changes the original: later ones are not started, not kept, and made again next time."""
    (tmp_path / "start.txt").write_text("one")
    files = (StartFile(str(tmp_path / "start.txt"), "."),)
    script = f"cat start.txt; printf two > {tmp_path}/start.txt"
    suite = suite_of(Variant("a", shell(script)), Variant("b", shell("cat start.txt")), repeats=2, files=files)
    first, *others = all_runs(suite, tmp_path / "runs", jobs=1)
    assert (first.id, first.output) == (RunId("c1", "a", 1), "one")
    reason = f"{tmp_path}/start.txt changed while the suite was running; run it again"
    assert [(run.outcome, run.reason) for run in others] == [("not started", reason)] * 3
    assert [run.output for run in all_runs(suite, tmp_path / "runs", jobs=1)] == ["two"] * 4


def test_a_folder_that_another_process_removes_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    """The other one took it for abandoned: between making a folder and locking it nobody can tell."""
    opened, removed = os.open, []

    def remove_first(path, *flags):
        if not removed:
            Path(path).rmdir()
            removed.append(path)
        return opened(path, *flags)

    monkeypatch.setattr(os, "open", remove_first)
    with Scratch(tmp_path / "base") as scratch:
        assert scratch.folder.is_dir()
    assert len(removed) == 1 and removed[0] != scratch.folder


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path):
    """Its folders; its runs have ended with it."""
    code = (
        "import sys; from pathlib import Path; from evenhand.runs.scratch import Scratch\n"
        "scratch = Scratch(Path(sys.argv[1])); scratch.new().mkdir(); print('made', flush=True); sys.stdin.read()"
    )
    base = tmp_path / "scratch"
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(base)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    assert process.stdout.readline() == "made\n"
    with Scratch(base) as living:
        assert len(list(base.iterdir())) == 2  # the other one is alive, so its folder stays
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
        with Scratch(base) as next_one:
            assert {path.name for path in base.iterdir()} == {living.folder.name, next_one.folder.name}


def test_stopping_leaves_runs_under_way_unkept(tmp_path):
    """Ctrl-C: those that were finished are kept, and the same command goes on with the others."""
    begun = tmp_path / "begun"
    suite = suite_of(
        Variant("a", counting(tmp_path, f"test $EVENHAND_CASE = c1 || (touch {begun}; sleep 60)")), cases=2
    )
    with KeptRuns(tmp_path / "runs") as kept:
        runs = SuiteWork(suite, kept, jobs=1)
        results = runs.results()
        assert next(results).id == RunId("c1", "a", 1)
        while not begun.exists():
            threading.Event().wait(0.01)
        results.close()  # type: ignore[attr-defined]
        assert (
            kept.load(
                Planner(suite.variants, tmp_path).plan(suite.cases[1], suite.variants[0], 1).key, RunId("", "", 1)
            )
            is None
        )


@pytest.mark.slow
def test_a_killed_process_loses_nothing_and_repeats_nothing(tmp_path):
    """The benchmark with few kills: by the count of a file outside all workspaces."""
    script = Path(__file__).parents[2] / "benchmarks" / "suite_kills.py"
    done = subprocess.run([sys.executable, str(script), "5"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "200 of 200 runs kept, 0 lost, 0 run again although kept" in done.stdout


@pytest.mark.slow
def test_a_process_that_is_killed_while_models_judge_asks_for_no_stored_reply_again():
    """The benchmark with two kills: by the count of the models' server."""
    script = Path(__file__).parents[2] / "benchmarks" / "suite_judge_kills.py"
    done = subprocess.run([sys.executable, str(script), "2"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 of 4 outputs are scored; running it once more asked 0 questions" in done.stdout
