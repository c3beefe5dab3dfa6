"""Agents and commands that were started here end when evenhand is killed, however that comes about."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from evenhand.providers.commands import guard

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only process groups are ended")

PATIENCE = 60.0
"""Seconds for what takes a moment, on a machine that is busy."""


def wait_until(is_so: Callable[[], bool], what: str) -> None:
    for _ in range(int(PATIENCE / 0.02)):
        if is_so():
            return
        threading.Event().wait(0.02)
    pytest.fail(f"not within {PATIENCE:g} s: {what}")


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and that no one has asked about is not alive."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def pids_in(folder: Path, count: int) -> list[int]:
    """The process ids that a program has written into files of a folder, once all are there."""

    def written() -> list[str]:
        return [text for file in folder.glob("*.pid") if (text := file.read_text()).endswith("\n")]

    wait_until(lambda: len(written()) == count, f"{count} processes in {folder}: {written()}")
    return [int(text) for text in written()]


FAMILY = (
    "echo $$ > {0}/agent.tmp; mv {0}/agent.tmp {0}/agent.pid; "
    "sleep 1000 & echo $! > {0}/child.tmp; mv {0}/child.tmp {0}/child.pid; "
    "setsid sh -c 'echo $$ > {0}/own.tmp; mv {0}/own.tmp {0}/own.pid; sleep 1000; true' & wait"
)
"""A program with a child, and a grandchild in a session of its own."""


def named(mark: str) -> list[int]:
    """The processes with a mark in their command line: a namespace gives them other numbers inside."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [int(path.parent.name)] if mark.encode() in path.read_bytes() else []
        except OSError:
            continue
    return [pid for pid in found if is_alive(pid)]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("jobs", ["1", "3"])
def test_agents_end_when_evenhand_is_killed(tmp_path, number, jobs):
    """Each with its children, also those that left its session; runs are started in other threads than the first."""
    mark = f"agent-{uuid.uuid4().hex}"
    (tmp_path / "ready").mkdir()
    child = f"sh -c 'sleep 1000; true' {mark}"
    suite = {
        "suite": "s",
        "cases": [{"id": case, "prompt": "x"} for case in "abc"],
        "variants": {
            "v": {"command": f"{child} & setsid {child} & touch {tmp_path}/ready/$EVENHAND_CASE; wait", "shell": True}
        },
        "limits": {"writes": [f"{tmp_path}/ready"]},
    }
    (tmp_path / "suite.yaml").write_text(json.dumps(suite))
    command = [sys.executable, "-m", "evenhand", "run", "suite.yaml", "--store", "none", "--jobs", jobs]
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as evenhand:
        wait_until(lambda: len([*(tmp_path / "ready").iterdir()]) == int(jobs), f"{jobs} runs")
        assert len(named(mark)) >= 3 * int(jobs)
        evenhand.send_signal(number)
    wait_until(lambda: not named(mark), f"the end of {named(mark)}")


@pytest.mark.slow
def test_a_judges_command_ends_when_evenhand_is_killed(tmp_path):
    """A fake Claude Code that never answers once it judges."""
    (tmp_path / "pids").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "claude").write_text(
        f'#!/bin/sh\nif [ "$1" = --version ]; then echo 2.1.0; exit; fi\n{FAMILY.format(tmp_path / "pids")}\n'
    )
    (tmp_path / "bin" / "claude").chmod(0o755)
    (tmp_path / "answer.md").write_text("An answer.\n")
    environment = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "evenhand", "judge", "answer.md", "--judge", "claude-code", "--store", "none"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as evenhand:  # fmt: skip
        pids = pids_in(tmp_path / "pids", 3)
        evenhand.kill()
    wait_until(lambda: not any(map(is_alive, pids)), f"the end of {pids}")


def in_a_process(program: str) -> subprocess.Popen[str]:
    """A program that starts and watches others, in a process of its own."""
    start = "import os, subprocess, sys, time\nfrom evenhand.providers.commands import guard\n"
    return subprocess.Popen(
        [sys.executable, "-c", start + program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


SLEEPER = "subprocess.Popen(['sleep', '1000'], start_new_session=True)"


@pytest.mark.slow
def test_what_is_forgotten_is_left_alone():
    """Only what is on the list when the end comes is ended."""
    program = (
        f"one, two = {SLEEPER}, {SLEEPER}\nguard.watch(one.pid)\nguard.watch(two.pid)\nguard.forget(one.pid)\n"
        "print(one.pid, two.pid, flush=True)\nsys.stdin.read()\nos._exit(0)\n"
    )
    with in_a_process(program) as process:
        one, two = map(int, process.stdout.readline().split())
        process.kill()
    wait_until(lambda: not is_alive(two), "the end of the one that is watched")
    assert is_alive(one)
    os.kill(one, signal.SIGKILL)


@pytest.mark.slow
def test_a_fork_neither_keeps_the_guard_waiting_nor_shares_its_list():
    """The fork outlives the process, and what it watches itself stays until it ends."""
    program = (
        f"first = {SLEEPER}\nguard.watch(first.pid)\n"
        "if os.fork() == 0:\n"
        f"    own = {SLEEPER}\n    guard.watch(own.pid)\n    print(first.pid, own.pid, os.getpid(), flush=True)\n"
        "    time.sleep(1000)\n"
        "sys.stdin.read()\n"
    )
    with in_a_process(program) as process:
        first, own, fork = map(int, process.stdout.readline().split())
        process.kill()
    wait_until(lambda: not is_alive(first), "the end of what the first process watched")
    assert is_alive(own)
    os.kill(fork, signal.SIGKILL)
    wait_until(lambda: not is_alive(own), "the end of what the fork watched")


@pytest.mark.slow
def test_a_guard_that_was_ended_is_replaced():
    """By the next process to watch; the new one knows of the others."""
    program = (
        f"first = {SLEEPER}\nguard.watch(first.pid)\n"
        "import signal\n"
        "children = set(map(int, open(f'/proc/self/task/{os.getpid()}/children').read().split())) - {first.pid}\n"
        "(helper,) = children\nos.kill(helper, signal.SIGKILL)\nos.waitpid(helper, 0)\n"
        f"second = {SLEEPER}\nguard.watch(second.pid)\n"
        "print(first.pid, second.pid, flush=True)\nsys.stdin.read()\n"
    )
    with in_a_process(program) as process:
        pids = [*map(int, process.stdout.readline().split())]
        process.kill()
    wait_until(lambda: not any(map(is_alive, pids)), f"the end of {pids}")


def test_without_a_way_to_start_it_nothing_is_watched(monkeypatch):
    """A system that has no such program still runs agents."""
    made = guard._Guard()
    monkeypatch.setattr(os, "posix_spawn", lambda *_, **__: (_ for _ in ()).throw(OSError("no")))
    made.add("process 1")
    made.add("process 2")
    made.remove(["process 1", "process 3"])
    assert (made._pipe, made._is_possible, [*made._listed]) == (None, False, ["process 2"])


def test_the_guard_ends_what_is_on_its_list():
    """Nothing else."""
    sleepers = [subprocess.Popen(["sleep", "1000"], start_new_session=True) for _ in range(2)]
    listed, other = sleepers
    try:
        assert guard._left({listed.pid}) == {listed.pid}
        assert guard._left(set()) == set()
        guard._end({listed.pid})
        assert listed.wait() == -signal.SIGKILL
        assert other.poll() is None
    finally:
        for sleeper in sleepers:
            sleeper.kill()
            sleeper.wait()
