"""A command within its limits: when it is looked at, when it is stopped, and that nothing of it is left."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evenhand.decisions.values.suite import Command, Limits
from evenhand.runs import limited_process, process_table
from evenhand.runs.confined_rights import READS_ANYTHING, UNWATCHED
from evenhand.runs.limited_process import Interrupted, _CommandUnderWay
from evenhand.runs.one_run import execute
from evenhand.runs.process_table import Process
from evenhand.runs.waits import Wait
from evenhand.runs.workspaces.own_folders import OwnFolders
from finished_work import finish
from suite_values import planned, run_once, shell

linux = pytest.mark.skipif(not process_table.is_available(), reason="needs /proc")

Piped = Callable[[], tuple[int, int]]


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that have passed, for the limits only: a command began at 100."""
    moment = [100.0]
    monkeypatch.setattr(limited_process, "clock", SimpleNamespace(elapsed=lambda: moment[0]))
    return moment


@pytest.fixture
def piped() -> Iterator[Piped]:
    """Makes pipes, the reading end first."""
    opened: list[int] = []

    def make() -> tuple[int, int]:
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        opened.extend((reading, writing))
        return reading, writing

    yield make
    for descriptor in opened:
        try:
            os.close(descriptor)
        except OSError:
            continue


class Running:
    """A process that does not end and cannot be hurt."""

    pid = 2**22 + 1
    returncode: int | None = None

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        return self.returncode or 0


def noting(notes: list[Any], result: Any) -> Callable[..., Any]:
    """A function that notes what it is asked for, or that it is asked."""

    def asked(*about: Any, **_: Any) -> Any:
        notes.extend(about or ["read"])
        return result

    return asked


def under_way(*streams: int, folders: str = "", process: Any = None, **limits: Any) -> _CommandUnderWay:
    given = Limits(**({"seconds": None, "output_bytes": None, "processes": None} | limits))
    return _CommandUnderWay(process or Running(), streams, given, "EVENHAND_RUN=/r/", 100.0, folders)


# --- time


def test_a_command_is_looked_at_now_and_then_and_at_its_limit(
    now: list[float], piped: Piped, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every quarter of a second here. Of 0.75 seconds, 0.0625 are left after 0.6875; at the limit itself, it is asked
    to end, and has a second for it."""
    output, _ = piped()
    ending, _ = piped()
    looks: list[float] = []
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(limited_process, "_TICK", 0.25)
    monkeypatch.setattr(_CommandUnderWay, "_look", lambda self: looks.append(now[0]))
    monkeypatch.setattr(limited_process, "_kill_group", lambda group, number: sent.append((group, number)))
    command = under_way(output, seconds=Decimal("0.75"))
    work = command._wait(ending, threading.Event())
    wait = next(work)
    assert (sorted(wait.descriptors), wait.seconds) == (sorted([output, ending]), 0.25)
    now[0] = 100.1875
    work.send([])
    assert looks == []
    now[0] = 100.25
    work.send([])
    assert looks == [100.25]
    now[0] = 100.6875
    assert work.send([]).seconds == 0.0625
    assert looks == [100.25, 100.6875]
    now[0] = 100.75
    wait = work.send([])
    assert (list(wait.descriptors), wait.seconds, sent) == ([ending], 1.0, [(Running.pid, signal.SIGTERM)])
    with pytest.raises(StopIteration):
        work.send([ending])
    assert command._stopped == ("timed out", "it took longer than 0.75 s")
    assert looks == [100.25, 100.6875]


def test_without_a_limit_of_time_a_command_is_looked_at_all_the_same(
    now: list[float], piped: Piped, monkeypatch: pytest.MonkeyPatch
) -> None:
    output, _ = piped()
    looks: list[float] = []
    monkeypatch.setattr(_CommandUnderWay, "_look", lambda self: looks.append(now[0]))
    command = under_way(output)
    work = command._wait(None, threading.Event())
    wait = next(work)
    assert (list(wait.descriptors), wait.seconds) == ([output], 0.2)
    now[0] = 10_000.0
    assert work.send([]).seconds == 0.2
    assert looks == [10_000.0]
    now[0] += 0.1
    work.send([])
    assert looks == [10_000.0]  # only 0.1 since then
    command._process.returncode = 0
    with pytest.raises(StopIteration):
        work.send([])


def test_a_limit_that_has_passed_is_not_waited_for(now: list[float], piped: Piped) -> None:
    """Less than no time would be an error."""
    output, _ = piped()
    command = under_way(output, seconds=Decimal("0.5"))
    now[0] = 100.75
    assert next(command._wait(None, threading.Event())).seconds == 0.0


def test_a_stop_is_noticed_while_a_command_runs_and_not_once_it_has_ended(now: list[float], piped: Piped) -> None:
    output, _ = piped()
    ending, _ = piped()
    stop = threading.Event()
    stop.set()
    ended = under_way(output)._wait(ending, stop)
    next(ended)
    with pytest.raises(StopIteration):
        ended.send([ending])
    running = under_way(output)._wait(ending, stop)
    next(running)
    with pytest.raises(Interrupted):
        running.send([output])


TRAP = "trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.01; done"


@pytest.mark.parametrize("has_descriptor", [True, False])
def test_a_command_beyond_its_time_is_asked_to_end_before_it_is_killed(
    has_descriptor: bool, now: list[float], piped: Piped, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it says then is kept. Its time is up as soon as it is ready."""
    if not has_descriptor:
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    monkeypatch.setattr(limited_process, "GRACE", 30.0)
    (output, output_end), (errors, errors_end) = piped(), piped()
    process = subprocess.Popen(
        ["/bin/sh", "-c", TRAP], stdout=output_end, stderr=errors_end, cwd=tmp_path, start_new_session=True
    )
    os.close(output_end)
    os.close(errors_end)
    os.set_blocking(output, True)
    begun = os.read(output, 100)
    command = under_way(output, errors, process=process, seconds=Decimal(1))
    now[0] = 101.0
    ended = finish(command.finish(threading.Event()))
    assert (begun, ended.output, ended.outcome, ended.exit_code) == (b"ready\n", b"bye\n", "timed out", 3)


def test_the_time_that_a_command_took_is_kept_to_the_millisecond(
    now: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From 100 to 101.23456: 1.235 seconds."""
    moments = iter([100.0])
    clock = SimpleNamespace(elapsed=lambda: next(moments, 101.23456))
    monkeypatch.setattr(limited_process, "clock", clock)
    run, _ = run_once(Command(("true",)), tmp_path)
    assert run.seconds == Decimal("1.235")


# --- disk


@pytest.mark.parametrize(("size", "stops"), [(1000, None), (1001, "it filled 1,001 bytes of disk, more than 1,000")])
def test_what_a_command_wrote_is_measured_from_its_first_second_on(
    size: int, stops: str | None, now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exactly the limit is allowed."""
    asked: list[str] = []
    monkeypatch.setattr(limited_process, "bytes_in", noting(asked, size))
    command = under_way(folders="/r", disk_bytes=1000)
    now[0] = 100.9375
    command._look()
    assert asked == []
    now[0] = 101.0
    command._look()
    assert asked == ["/r"]
    assert command._stopped == (None if stops is None else ("stopped by a limit", stops))


def test_looking_at_the_disk_takes_a_twentieth_of_the_time_at_most(
    now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It took half a second, so the next look comes ten seconds later; a quick one is made again after 0.2 seconds."""
    takes = [0.5]
    looks: list[float] = []

    def slowly(folder: str) -> int:
        looks.append(now[0])
        now[0] += takes[0]
        return 0

    monkeypatch.setattr(limited_process, "bytes_in", slowly)
    command = under_way(folders="/r", disk_bytes=1000)
    for moment in (101.0, 111.25):
        now[0] = moment
        command._measure()
    assert looks == [101.0]
    takes[0] = 0.0
    for moment in (111.5, 111.6875, 111.75):
        now[0] = moment
        command._measure()
    assert looks == [101.0, 111.5, 111.75]


@pytest.mark.parametrize(("folders", "limit"), [("", 1000), ("/r", None)])
def test_a_disk_without_a_limit_is_not_looked_at(
    folders: str, limit: int | None, now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limited_process, "bytes_in", lambda folder: pytest.fail("it was looked at"))
    now[0] = 1000.0
    under_way(folders=folders, disk_bytes=limit)._measure()


def test_a_run_that_fills_the_disk_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its workspace, its HOME and its temporary files count together."""
    monkeypatch.setattr(limited_process, "_FIRST_MEASURE", 0.0)
    monkeypatch.setattr(limited_process, "_TICK", 0.01)
    script = 'for at in . "$HOME" "$TMPDIR"; do head -c 100000 /dev/zero > "$at/x"; done; exec sleep 60'
    run, _ = run_once(shell(script), tmp_path, limits=Limits(disk_bytes=290_000))
    assert run.outcome == "stopped by a limit"
    assert run.reason.startswith("it filled ") and run.reason.endswith(" bytes of disk, more than 290,000")


# --- processes and memory


def test_the_table_is_not_read_where_neither_processes_nor_memory_have_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    monkeypatch.setattr(process_table, "processes", noting(read, ()))
    monkeypatch.setattr(process_table, "members", lambda table, session, mark: [])
    under_way(disk_bytes=None)._look()
    assert read == []
    under_way(disk_bytes=None, processes=1)._look()
    under_way(disk_bytes=None, memory_bytes=1)._look()
    assert read == ["read", "read"]


def test_processes_and_memory_are_those_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes of 600 bytes take 1,200; each limit is told with its own number."""
    asked: list[tuple[int, bytes]] = []

    def members(table: object, session: int, mark: bytes) -> list[Process]:
        asked.append((session, mark))
        return [Process(1, 1, 1, False, 600), Process(2, 1, 1, False, 600), Process(3, 1, 1, True, 600)]

    monkeypatch.setattr(process_table, "processes", lambda **_: ())
    monkeypatch.setattr(process_table, "members", members)
    fine = under_way(disk_bytes=None, processes=2, memory_bytes=1200)
    fine._look()
    assert (fine._stopped, asked) == (None, [(Running.pid, b"EVENHAND_RUN=/r/\0")])
    many = under_way(disk_bytes=None, processes=1)
    many._look()
    assert many._stopped == ("stopped by a limit", "it had more than 1 processes at once")
    large = under_way(disk_bytes=None, memory_bytes=1199)
    large._look()
    assert large._stopped == ("stopped by a limit", "it took 1,200 bytes of memory, more than 1,199")


def test_a_run_that_was_stopped_left_nothing_behind_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its processes ended with it because of the limit, which is not news."""
    member = Process(2**22 + 1, 1, 1, False, 0)
    monkeypatch.setattr(process_table, "has_orphans", lambda mark: True)
    monkeypatch.setattr(process_table, "members", lambda table, session, mark: [member])
    monkeypatch.setattr(limited_process, "GRACE", 0.01)
    monkeypatch.setattr(limited_process, "_TICK", 0.01)
    run, _ = run_once(Command(("sleep", "60")), tmp_path, limits=Limits(processes=0))
    assert (run.outcome, run.notes) == ("stopped by a limit", (UNWATCHED, READS_ANYTHING))


# --- output


def test_what_is_printed_counts_from_both_streams_up_to_the_limit(piped: Piped) -> None:
    """Five bytes of output and three of errors are eight; of the next three, two fit into ten."""
    (output, output_end), (errors, errors_end) = piped(), piped()
    command = under_way(output, errors, output_bytes=10)
    os.write(output_end, b"12345")
    os.write(errors_end, b"678")
    assert (command._take(output), command._take(errors), command._stopped) == (True, True, None)
    os.write(output_end, b"9ab")
    assert command._take(output) is True
    assert command._stopped == ("stopped by a limit", "it printed more than 10 bytes")
    assert [b"".join(pieces) for pieces in command._pieces.values()] == [b"123459a", b"678"]


def test_a_stream_without_anything_stays_open_and_one_that_ended_does_not(piped: Piped) -> None:
    (output, _), (errors, errors_end) = piped(), piped()
    command = under_way(output, errors)
    os.close(errors_end)
    assert (command._take(output), command._take(errors)) == (False, False)
    assert command._open == {output}
    os.close(output)
    assert command._take(output) is False  # an error of the pipe is its end
    assert command._open == set()


def test_what_is_left_in_the_pipes_is_read_to_the_limit_and_no_further(piped: Piped) -> None:
    """Also after a limit of time, which stays the reason."""
    (output, output_end), (errors, errors_end) = piped(), piped()
    command = under_way(output, errors)
    os.write(output_end, b"x" * 65_536)
    os.write(errors_end, b"y")
    command._drain()
    assert [sum(map(len, pieces)) for pieces in command._pieces.values()] == [65_536, 1]
    late = under_way(output, output_bytes=3)
    late._stopped = why = "timed out", "it took longer than 1 s"
    os.write(output_end, b"1234")
    late._drain()
    assert (b"".join(late._pieces[output]), late._stopped) == (b"123", why)


def test_somebody_who_goes_on_printing_is_not_read_for_ever(piped: Piped, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe holds 16 pieces at most; what comes after the end is not the command's."""
    output, _ = piped()
    read = os.read
    monkeypatch.setattr(os, "read", lambda stream, most: b"y" if stream == output else read(stream, most))
    command = under_way(output)
    command._drain()
    assert len(command._pieces[output]) == 16
    closed = under_way(output)
    closed._open.clear()
    closed._drain()
    assert closed._pieces[output] == []


def test_pipes_that_somebody_still_holds_are_waited_for_a_moment(now: list[float], piped: Piped) -> None:
    """0.02 seconds together; nobody waits once they are closed, or after a limit."""
    (output, output_end), (errors, errors_end) = piped(), piped()
    command = under_way(output, errors)
    work = command._wait_for_streams()
    wait = next(work)
    assert sorted(wait.descriptors) == sorted([output, errors])
    assert wait.seconds == pytest.approx(0.02)
    os.write(output_end, b"late")
    os.close(errors_end)
    now[0] = 100.015625
    wait = work.send([output, errors])
    assert list(wait.descriptors) == [output]
    assert wait.seconds == pytest.approx(0.004375)
    assert command._pieces[output] == [b"late"]
    now[0] = 100.02
    with pytest.raises(StopIteration):
        work.send([])
    assert list(_stopped(output)._wait_for_streams()) == []


def _stopped(output: int) -> _CommandUnderWay:
    command = under_way(output)
    command._stopped = "timed out", "it took longer than 1 s"
    return command


@pytest.mark.parametrize(
    ("errors", "output", "reason"),
    [
        (b"no key\n", b"half\n", "it ended with exit code 1: no key; it printed: half"),
        (b"same\n", b"same\n", "it ended with exit code 1: same"),
        (b"", b"half", "it ended with exit code 1: half"),
    ],
)
def test_the_last_words_are_of_the_errors_first_and_said_once(errors: bytes, output: bytes, reason: str) -> None:
    assert limited_process._ended(1, errors, output) == ("failed", reason)


@pytest.mark.parametrize(("blank", "words"), [(9_999, "x"), (10_000, "")])
def test_last_words_are_looked_for_in_the_last_ten_thousand_bytes(blank: int, words: str) -> None:
    assert limited_process._last_line(b"x" + b"\n" * blank) == words


# --- the end


class Ended(Running):
    returncode = 0


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is sent to processes and groups, none of which exist."""
    sent: list[Any] = []

    def group(group: int, number: int = signal.SIGKILL) -> bool:
        sent.append((-group, number))
        return False

    def gone(*_: int) -> tuple[int, int]:
        raise ChildProcessError

    monkeypatch.setattr(limited_process, "_kill_group", group)
    monkeypatch.setattr(os, "kill", lambda pid, number: sent.append((pid, number)))
    monkeypatch.setattr(os, "waitpid", gone)
    return sent


def test_what_is_left_is_killed_in_rounds_until_nothing_is(
    killed: list[Any], now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes at first, then one that was started meanwhile: two were left behind. The table is read anew."""
    tables = iter([(11, 12), (13,), ()])
    asked: list[dict[str, bool]] = []

    def processes(**how: bool) -> tuple[Process, ...]:
        asked.append(how)
        return tuple(Process(pid, 1, Ended.pid, False, 0) for pid in next(tables))

    monkeypatch.setattr(process_table, "has_orphans", lambda mark: True)
    monkeypatch.setattr(process_table, "processes", processes)
    monkeypatch.setattr(process_table, "_has_mark", lambda pid, mark: False)
    assert under_way(process=Ended()).end() == 2
    assert asked == [{"fresh": True}] * 3
    single = [pid for pid, number in killed if pid > 0 and number == signal.SIGKILL]
    assert (sorted(single[:2]), single[2:]) == ([11, 12], [13])


def test_what_does_not_end_is_given_up_after_a_while(
    killed: list[Any], now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second, as the clock says: it is looked at after 0.5 and 1 second."""

    def members(*_: object) -> list[Process]:
        now[0] += 0.5
        return [Process(11, 1, 1, False, 0)]

    monkeypatch.setattr(process_table, "has_orphans", lambda mark: True)
    monkeypatch.setattr(process_table, "processes", lambda **_: ())
    monkeypatch.setattr(process_table, "members", members)
    assert under_way(process=Ended()).end() == 1
    assert [pid for pid, _ in killed if pid > 0] == [11, 11]


@pytest.mark.parametrize(
    ("orphans", "seconds", "looks"),
    [(False, 9.0, False), (None, 0.25, False), (None, 0.3125, True), (True, 0.0, True)],
)
def test_processes_are_looked_for_where_there_may_be_some(
    orphans: bool | None,
    seconds: float,
    looks: bool,
    killed: list[Any],
    now: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where nobody can tell, only a command that was looked at, after 0.25 seconds here, may have started any."""
    monkeypatch.setattr(limited_process, "_TICK", 0.25)
    read: list[str] = []
    marks: list[bytes] = []
    monkeypatch.setattr(process_table, "has_orphans", noting(marks, orphans))
    monkeypatch.setattr(process_table, "processes", noting(read, ()))
    now[0] = 100.0 + seconds
    assert under_way(process=Ended()).end() == 0
    assert (bool(read), marks) == (looks, [b"EVENHAND_RUN=/r/\0"])


def test_a_group_with_nobody_in_it_cannot_be_sent_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor one of another user's."""
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "killpg", lambda group, number: sent.append((group, number)))
    assert limited_process._kill_group(7) is True
    assert limited_process._kill_group(7, signal.SIGTERM) is True
    assert sent == [(7, signal.SIGKILL), (7, signal.SIGTERM)]
    for error in (ProcessLookupError, PermissionError):

        def refuse(*_: int, error: type[OSError] = error) -> None:
            raise error

        monkeypatch.setattr(os, "killpg", refuse)
        assert limited_process._kill_group(7) is False


@pytest.fixture
def adopting() -> Iterator[None]:
    """Orphans come to this process, as in a suite."""
    was = process_table._adopts
    process_table.adopt_orphans()
    yield
    process_table._adopts = was


def children() -> set[int]:
    return {entry.pid for entry in process_table.processes(fresh=True) if entry.parent == os.getpid()}


@linux
@pytest.mark.parametrize(
    "script",
    [
        "sleep 60 >/dev/null 2>&1 &",  # its group is not empty
        "setsid sleep 60 & sleep 0.01",  # somebody still holds the output
    ],
)
def test_one_sign_of_a_process_that_was_left_is_enough(
    script: str, adopting: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though nobody is known to be an orphan. Its end is noticed, so that nothing of it stays in the table."""
    before = children()
    monkeypatch.setattr(process_table, "has_orphans", lambda mark: False)
    run, _ = run_once(shell(script), tmp_path)
    assert run.notes[0] == "it left a process running, which was ended"
    assert children() <= before | {pid for pid in children() if pid not in process_table.started and _is_guard(pid)}


def _is_guard(pid: int) -> bool:
    return b"guard.py" in Path(f"/proc/{pid}/cmdline").read_bytes()


# --- whoever ends it


class Noted:
    """A guard that notes what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []

    def expect(self, mark: str) -> None:
        self.told.append(("expect", mark))

    def watch(self, pid: int) -> None:
        self.told.append(("watch", pid))

    def forget(self, pid: int | None, mark: str) -> None:
        self.told.append(("forget", pid, mark))


def test_the_guard_knows_of_a_command_from_before_its_start_until_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of one that could not be started."""
    guard = Noted()
    monkeypatch.setattr(limited_process, "guard", guard)
    mark = f"EVENHAND_RUN={tmp_path}/root/"
    run, _ = run_once(shell("echo $$"), tmp_path)
    pid = int(run.output or "")
    assert guard.told == [("expect", mark), ("watch", pid), ("forget", pid, mark)]
    del guard.told[:]
    (tmp_path / "other").mkdir()
    run_once(Command(("no-such-command",)), tmp_path / "other")
    mark = f"EVENHAND_RUN={tmp_path}/other/root/"
    assert guard.told == [("expect", mark), ("forget", None, mark)]


def opened() -> set[str]:
    """What this process has open."""
    found = set()
    for path in Path("/proc/self/fd").iterdir():
        try:
            found.add(f"{path.name} {path.readlink()}")
        except OSError:
            continue
    return {entry for entry in found if "/proc/" not in entry}


@linux
def test_a_run_that_is_given_up_leaves_neither_processes_nor_descriptors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the user stops it or the work around it does."""
    guard = Noted()
    monkeypatch.setattr(limited_process, "guard", guard)
    before = opened()
    stop = threading.Event()
    stop.set()
    plan = planned(Command(("sleep", "60")), tmp_path)
    with pytest.raises(Interrupted):
        finish(execute(plan, OwnFolders(f"{tmp_path}/one"), tmp_path / "kept", stop))
    work = execute(plan, OwnFolders(f"{tmp_path}/two"), tmp_path / "kept", threading.Event())
    assert isinstance(next(work), Wait)
    work.close()
    pids = [told[1] for told in guard.told if told[0] == "watch"]
    assert len(pids) == 2
    assert not [entry for entry in process_table.processes(fresh=True) if entry.pid in pids]
    assert [told[0] for told in guard.told] == ["expect", "watch", "forget"] * 2
    assert opened() == before


@linux
def test_a_run_that_cannot_start_leaves_no_descriptor(tmp_path: Path) -> None:
    run_once(Command(("no-such-command",)), tmp_path)  # starts what stays open, such as the guard
    before = opened()
    (tmp_path / "again").mkdir()
    run_once(Command(("no-such-command",), stdin="x"), tmp_path / "again")
    assert opened() == before
