"""A thread that has given up its right to write elsewhere; the other threads keep theirs."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from evenhand.runs import confined_rights, landlock
from evenhand.runs.landlock import Rights


def version() -> int:
    """The version of Landlock here, asked for without the code under test; -1 without any."""
    if sys.platform != "linux":
        return -1
    create_ruleset, version_flag = 444, 1
    return int(ctypes.CDLL(None).syscall(create_ruleset, None, ctypes.c_size_t(0), version_flag))


pytestmark = pytest.mark.skipif(version() < 3, reason="this system has no Landlock that watches truncation")


def test_it_is_known_to_be_possible_here():
    """Found out by trying it, so that a run is confined wherever it can be."""
    confined_rights.is_possible.cache_clear()
    assert confined_rights.is_possible()


def in_a_thread(work: Callable[[], object]) -> object:
    """What some work returns or raises in a thread of its own, which alone is restricted."""
    results: list[object] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            results.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return results[0]


def rights(folder: str) -> str:
    """The right to write in one folder, as the program is given it."""
    return json.dumps({"reads": None, "writes": [folder]})


def tried(action: Callable[[], object]) -> str:
    """Whether something could be done."""
    try:
        action()
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return "done"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A folder to write in and another, each with a file and a folder in it."""
    made = tmp_path / "inside", tmp_path / "outside"
    for folder in made:
        (folder / "sub").mkdir(parents=True)
        (folder / "old").write_text("old")
    return made


ACTIONS: dict[str, Callable[[Path], object]] = {
    "make a file": lambda folder: (folder / "new").write_text("new"),
    "change a file": lambda folder: (folder / "old").write_text("other"),
    "append to a file": lambda folder: os.close(os.open(folder / "old", os.O_WRONLY | os.O_APPEND)),
    "empty a file": lambda folder: os.truncate(folder / "old", 0),
    "remove a file": lambda folder: (folder / "old").unlink(),
    "make a folder": lambda folder: (folder / "made").mkdir(),
    "remove a folder": lambda folder: (folder / "sub").rmdir(),
    "make a link": lambda folder: (folder / "link").symlink_to("old"),
    "make a pipe": lambda folder: os.mkfifo(folder / "pipe"),
    "move a file": lambda folder: (folder / "old").rename(folder / "sub" / "moved"),
    "give a file a second name": lambda folder: (folder / "sub" / "second").hardlink_to(folder / "old"),
}


@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS.keys())
def test_everything_can_be_done_inside_and_nothing_outside(folders, action):
    """Reading is not restricted; only the thread that asked for it is."""
    inside, outside = folders

    def work() -> tuple[str, str, str]:
        landlock.restrict(Rights(None, [str(inside)]))
        return tried(lambda: action(inside)), tried(lambda: action(outside)), (outside / "old").read_text()

    assert in_a_thread(work) in (("done", "EACCES", "old"), ("done", "EXDEV", "old"))
    assert tried(lambda: action(outside)) == "done"


def test_several_folders_may_be_written_in_and_one_that_is_absent_is_passed_by(folders, tmp_path):
    """A suite may list a cache that no run has made yet."""
    inside, outside = folders

    def work() -> list[str]:
        landlock.restrict(Rights(None, [str(tmp_path / "absent"), str(inside), str(outside)]))
        return [tried((folder / "new").touch) for folder in (inside, outside, tmp_path)]

    assert in_a_thread(work) == ["done", "done", "EACCES"]


def test_a_single_file_may_be_written_to_but_nothing_beside_it(folders):
    """Where a suite lists a file, it can be changed and emptied."""
    inside, _ = folders

    def work() -> list[str]:
        landlock.restrict(Rights(None, [str(inside / "old")]))
        return [tried(partial((inside / name).write_text, "x")) for name in ("old", "new")]

    assert in_a_thread(work) == ["done", "EACCES"]


def test_devices_and_shared_memory_stay_usable_and_nothing_new_is_made_among_devices(folders):
    """Programs write to /dev/null and to their own /proc, and share memory through /dev/shm."""
    name = f"evenhand-test-{os.getpid()}"

    def work() -> list[str]:
        landlock.restrict(Rights(None, [str(folders[0])]))
        return [
            tried(lambda: Path("/dev/null").write_text("x")),
            tried(lambda: Path(f"/proc/{os.getpid()}/comm").open("r+").close()),
            tried(lambda: Path(f"/dev/{name}").touch()),
            tried(lambda: Path(f"/dev/shm/{name}").touch()),
            tried(lambda: Path(f"/dev/shm/{name}").unlink()),
        ]

    assert in_a_thread(work) == ["done", "done", "EACCES", "done", "done"]


def test_no_descriptor_is_left_open(folders):
    """The program that is started afterwards gets neither the rules nor the folders."""

    def work() -> list[str]:
        landlock.restrict(Rights(None, [str(folder) for folder in folders]))
        return [target for path in Path("/proc/self/fd").iterdir() if (target := leads_to(path))]

    open_now = in_a_thread(work)
    assert isinstance(open_now, list)
    assert [path for path in open_now if "landlock" in path or path in map(str, folders)] == []


def leads_to(descriptor: Path) -> str:
    """What a descriptor is open on; empty when it was closed meanwhile."""
    try:
        return str(descriptor.readlink())
    except OSError:
        return ""


@pytest.mark.parametrize(
    ("version", "message"),
    [(2, "Landlock has version 2 here, and 3 is needed"), (1, "Landlock has version 1 here, and 3 is needed")],
)
def test_a_version_that_does_not_watch_truncation_is_refused(monkeypatch, version, message):
    """Versions 1 and 2 would let a run empty files elsewhere."""
    library = SimpleNamespace(syscall=lambda *words: version, prctl=lambda *words: 0)
    monkeypatch.setattr(landlock.ctypes, "CDLL", lambda *name, **more: library)
    with pytest.raises(OSError, match=message):
        landlock.restrict(Rights(None, []))


@pytest.mark.parametrize("refused", ["prctl", "restrict"])
def test_a_system_that_refuses_is_an_error_and_the_program_is_not_started(monkeypatch, refused, tmp_path):
    """Better no run than one that is not confined."""
    real = landlock.ctypes.CDLL(None, use_errno=True)
    last = 446  # landlock_restrict_self

    def syscall(number, *words):
        return -1 if refused == "restrict" and number.value == last else real.syscall(number, *words)

    library = SimpleNamespace(syscall=syscall, prctl=lambda *words: -1 if refused == "prctl" else 0)
    monkeypatch.setattr(landlock.ctypes, "CDLL", lambda *name, **more: library)
    monkeypatch.setattr(landlock.ctypes, "get_errno", lambda: errno.EPERM)
    monkeypatch.setattr(landlock.os, "execvp", lambda *words: pytest.fail("it was started"))
    ended = in_a_thread(lambda: landlock.main([rights(str(tmp_path)), "--", "true"]))
    assert isinstance(ended, SystemExit) and ended.code == 126
    with pytest.raises(PermissionError):
        landlock.restrict(Rights(None, [str(tmp_path)]))


def test_the_words_after_the_dashes_are_the_program_and_its_arguments(monkeypatch, folders):
    """Folders before them; dashes among the arguments are the program's own."""
    inside, outside = folders
    started: list[object] = []

    def execvp(*words: object) -> None:
        started.append((words, tried((inside / "made").touch), tried((outside / "made").touch)))

    monkeypatch.setattr(landlock.os, "execvp", execvp)
    in_a_thread(lambda: landlock.main([rights(str(inside)), "--", "tool", "-x", "--", str(outside)]))
    assert started == [(("tool", ["tool", "-x", "--", str(outside)]), "done", "EACCES")]


def test_a_program_that_is_not_there_ends_with_126_and_its_name(folders, capsys):
    """As a shell does with what it cannot start."""
    ended = in_a_thread(lambda: landlock.main([rights(str(folders[0])), "--", "no-such-program"]))
    assert isinstance(ended, SystemExit) and ended.code == 126
    assert capsys.readouterr().err == "no-such-program cannot be started: No such file or directory\n"
