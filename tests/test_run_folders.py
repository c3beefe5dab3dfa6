"""Folders that runs use one after another, and programs that are started without holding up other threads."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from evenhand.core.values.suite import StartFile
from evenhand.runs import starting
from evenhand.runs.run_folders import RunFolders
from evenhand.runs.scratch import Scratch
from evenhand.runs.start_listing import list_start


@pytest.fixture
def pool(tmp_path):
    """Folders inside a scratch folder of their own."""
    with Scratch(tmp_path / "scratch") as scratch:
        yield RunFolders(scratch)


def inodes(folders):
    """Which folders they are."""
    return [folder.stat().st_ino for folder in folders]


def test_folders_are_emptied_and_used_again_under_a_new_name(pool):
    """Nothing of the run before is left, neither its files nor its path."""
    first = pool.take()
    made = inodes(first)
    (first.root / "stdin.txt").write_text("p")
    (first.workspace / "src").mkdir()
    (first.workspace / "src" / "a.txt").write_text("a")
    (first.home / ".cache").symlink_to(first.workspace)
    pool.give_back(first)
    second = pool.take()
    assert second.root != first.root and not first.root.exists()
    assert inodes(second) == made
    assert [sorted(item.name for item in folder.iterdir()) for folder in second] == [
        ["home", "tmp", "workspace"],
        [],
        [],
        [],
    ]


def listing_of(folder, **files):
    """Files in a folder, by name and text, as a run starts from them."""
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return list_start([StartFile(str(folder / name), f"in/{name}") for name in files])


def contents(workspace):
    """The text of every file, by its path."""
    return {str(path.relative_to(workspace)): path.read_text() for path in workspace.rglob("*") if path.is_file()}


def test_files_that_a_run_did_not_touch_are_written_again(pool, tmp_path):
    """The next run that starts from the same paths gets its own bytes, of its own length, in the same files."""
    folders = pool.take()
    pool.fill(folders, listing_of(tmp_path / "one", a="long text", b="b"))
    inode = (folders.workspace / "in" / "a").stat().st_ino
    pool.give_back(folders)
    folders = pool.take()
    pool.fill(folders, listing_of(tmp_path / "two", a="short", b="c"))
    assert contents(folders.workspace) == {"in/a": "short", "in/b": "c"}
    assert (folders.workspace / "in" / "a").stat().st_ino == inode


def write(workspace):
    """Other bytes of the same length."""
    (workspace / "in" / "a").write_text("z")


def link(workspace):
    """A second name, by which a later write would be seen."""
    os.link(workspace / "in" / "a", workspace.parent / "tmp" / "a")


def rights(workspace):
    """A file that others may write."""
    (workspace / "in" / "a").chmod(0o666)


def add(workspace):
    """One more file."""
    (workspace / "in" / "new").write_text("x")


def swap(workspace):
    """A link in the place of a file."""
    (workspace / "in" / "a").unlink()
    (workspace / "in" / "a").symlink_to(workspace / "in" / "b")


@pytest.mark.parametrize("touch", [write, link, rights, add, swap])
def test_a_workspace_that_a_run_touched_is_emptied(touch, pool, tmp_path):
    """Whatever it changed, nothing of it is there when the next run starts."""
    listing = listing_of(tmp_path / "one", a="a", b="b")
    folders = pool.take()
    pool.fill(folders, listing)
    touch(folders.workspace)
    pool.give_back(folders)
    assert contents(folders.workspace) == {}
    folders = pool.take()
    pool.fill(folders, listing)
    assert contents(folders.workspace) == {"in/a": "a", "in/b": "b"}
    assert (folders.workspace / "in" / "a").stat().st_mode & 0o777 == 0o644


def test_a_run_that_starts_from_other_paths_finds_none_of_the_earlier_ones(pool, tmp_path):
    """Files that were left untouched are removed when they are not wanted."""
    folders = pool.take()
    pool.fill(folders, listing_of(tmp_path / "one", a="a", b="b"))
    pool.give_back(folders)
    folders = pool.take()
    pool.fill(folders, listing_of(tmp_path / "one", b="b"))
    assert contents(folders.workspace) == {"in/b": "b"}


def test_a_prompt_is_written_into_a_plain_file_only(pool, tmp_path):
    """A run that puts a link in the place of its prompt does not get the next prompt written elsewhere."""
    folders = pool.take()
    (folders.root / "prompt.txt").symlink_to(tmp_path / "elsewhere")
    pool.give_back(folders)
    assert not os.path.lexists(pool.take().root / "prompt.txt")


def chmod(folders):
    """Everybody may read HOME."""
    folders.home.chmod(0o755)


def mark(folders):
    """An attribute that `ls` does not show."""
    os.setxattr(folders.workspace, "user.mark", b"1")


def replace(folders):
    """Another folder in the place of the workspace."""
    folders.workspace.rename(folders.root / "old")
    folders.workspace.mkdir(mode=0o700)


def delete(folders):
    """No workspace at all."""
    folders.workspace.rmdir()


@pytest.mark.parametrize("harm", [chmod, mark, replace, delete])
def test_a_folder_that_is_not_as_it_was_made_is_not_used_again(harm, pool):
    """Whatever a run did to the folders themselves, the next one gets new ones."""
    first = pool.take()
    if harm is mark and not hasattr(os, "setxattr"):
        pytest.skip("needs extended attributes")
    try:
        harm(first)
    except OSError:
        pytest.skip("this file system has no extended attributes")
    pool.give_back(first)
    assert not first.root.exists()
    second = pool.take()
    assert [folder.stat().st_mode & 0o777 for folder in second] == [0o700] * 4
    if hasattr(os, "listxattr"):
        assert not any(os.listxattr(folder) for folder in second)


def test_a_link_in_the_place_of_a_folder_is_not_followed(pool, tmp_path):
    """A run that links its HOME to somebody's files must not have them removed."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("x")
    folders = pool.take()
    folders.home.rmdir()
    folders.home.symlink_to(precious)
    pool.give_back(folders)
    assert (precious / "file").read_text() == "x"
    assert not folders.root.exists()


WAYS = ["posix_spawn", "subprocess"]


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """Both ways in which a program is started."""
    if request.param == "subprocess":
        monkeypatch.setattr(starting, "_library", lambda: None)
    elif starting._library() is None:
        pytest.skip("this C library cannot do it")


def output_of(*arguments: str, folder: Path, environment: dict[str, str] | None = None) -> tuple[int, str]:
    """The exit code of a program, and what it printed."""
    reading, writing = os.pipe()
    given = os.open(os.devnull, os.O_RDONLY)
    try:
        process = starting.start(
            arguments,
            folder=folder,
            environment={"PATH": os.environ["PATH"]} if environment is None else environment,
            stdin=given,
            stdout=writing,
            stderr=writing,
        )
        os.close(writing)
        writing = -1
        with open(reading, "rb", closefd=False) as stream:
            text = stream.read().decode()
        return process.wait(), text
    finally:
        for descriptor in (reading, given, *((writing,) if writing >= 0 else ())):
            os.close(descriptor)


def test_a_program_has_its_folder_its_environment_and_a_session_of_its_own(way, tmp_path):
    """And nothing besides: no variable, no ignored signal, no open file but three."""
    leaking = os.open(os.devnull, os.O_RDONLY)
    os.set_inheritable(leaking, True)
    script = (
        "import os, signal; print(os.getcwd(), sorted(n for n in os.environ if n != 'LC_CTYPE'), "
        "os.getsid(0) == os.getpid(), signal.getsignal(signal.SIGPIPE) == signal.SIG_DFL, "
        f"os.path.exists('/dev/fd/{leaking}'))"
    )
    # Python ignores SIGPIPE itself when it starts, so that a shell is asked as well.
    shown = output_of(sys.executable, "-S", "-c", script, folder=tmp_path, environment={"A": "b"})
    os.close(leaking)
    assert shown == (0, f"{tmp_path} ['A'] True False False\n")
    code, _ = output_of("sh", "-c", "kill -PIPE $$; echo alive", folder=tmp_path)
    assert code == -signal.SIGPIPE


@pytest.mark.parametrize(
    ("words", "path", "error"),
    [
        (("no-such",), None, FileNotFoundError),
        (("plain",), "{folder}", PermissionError),
        (("./plain",), None, PermissionError),
        (("true", "a\0b"), None, ValueError),
        (("tr\0ue",), None, ValueError),
    ],
)
def test_what_cannot_be_started_is_the_same_error_either_way(way, words, path, error, tmp_path):
    """A missing program, one that may not be run, a NUL."""
    (tmp_path / "plain").write_text("x")
    search = path.format(folder=tmp_path) if path else os.environ["PATH"]
    with pytest.raises(error):
        output_of(*words, folder=tmp_path, environment={"PATH": search})


def test_a_command_is_looked_for_along_the_path_of_its_own_environment(way, tmp_path):
    """Folders and files that cannot be run are passed by; a relative path counts from the workspace."""
    for name, is_program in (("one", False), ("two", True)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tool").write_text(f"#!/bin/sh\necho {name}\n")
        (tmp_path / name / "tool").chmod(0o755 if is_program else 0o644)
    (tmp_path / "tool").mkdir()
    environment = {"PATH": f"{tmp_path}:{tmp_path}/one:two"}
    assert output_of("tool", folder=tmp_path, environment=environment) == (0, "two\n")
    assert output_of("./two/tool", folder=tmp_path, environment={}) == (0, "two\n")


def test_waiting_for_a_program_has_an_end(way, tmp_path):
    """A program that goes on is told from one that has ended."""
    quiet = os.open(os.devnull, os.O_RDWR)
    ends = {"stdin": quiet, "stdout": quiet, "stderr": quiet}
    process = starting.start(("sleep", "60"), folder=tmp_path, environment=dict(os.environ), **ends)
    os.close(quiet)
    assert process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.02)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == process.returncode == -signal.SIGKILL
