"""Folders that runs use one after another, and programs that are started without holding up other threads."""

from __future__ import annotations

import mmap
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from evenhand.decisions.values.suite import StartFile
from evenhand.runs import process_start
from evenhand.runs.scratch import Scratch
from evenhand.runs.workspaces.own_folders import with_folders
from evenhand.runs.workspaces.run_folders import FolderPool
from evenhand.runs.workspaces.start_listing import list_start
from evenhand.runs.workspaces.workspace import Changed, fill, state_of
from evenhand.runs.workspaces.workspace_changes import changes, is_untouched


@pytest.fixture
def pool(tmp_path):
    """Folders inside a scratch folder of their own."""
    with Scratch(tmp_path / "scratch") as scratch:
        yield FolderPool(scratch)


def paths(folders):
    """The root, the workspace, HOME and the folder of temporary files."""
    return [Path(folder) for folder in (folders.root, folders.workspace, folders.home, folders.temporary)]


def inodes(folders):
    """Which folders they are."""
    return [folder.stat().st_ino for folder in paths(folders)]


def test_folders_are_emptied_and_used_again_under_a_new_name(pool):
    """Nothing of the run before is left, neither its files nor its path."""
    first = pool.take()
    made = inodes(first)
    root, workspace, home, _ = paths(first)
    (root / "stdin.txt").write_text("p")
    (workspace / "src").mkdir()
    (workspace / "src" / "a.txt").write_text("a")
    (home / ".cache").symlink_to(workspace)
    pool.give_back(first)
    second = pool.take()
    assert second.root != str(root) and not root.exists()
    assert inodes(second) == made
    assert [sorted(item.name for item in folder.iterdir()) for folder in paths(second)] == [
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


def contents(folders):
    """The text of every file in a workspace, by its path."""
    workspace = Path(folders.workspace)
    return {str(path.relative_to(workspace)): path.read_text() for path in workspace.rglob("*") if path.is_file()}


def inode_of(folders, name):
    """Which file it is."""
    return (Path(folders.workspace) / "in" / name).stat().st_ino


def ended(pool, folders):
    """Folders whose run has ended and was compared with its start; returns what it has changed."""
    changed = [change.target for change in folders.changes()]
    pool.give_back(folders)
    return changed


def test_files_that_a_run_did_not_touch_are_written_again(pool, tmp_path):
    """The next run that starts from the same paths gets its own bytes, of its own length, in the same files."""
    folders = pool.take()
    folders.fill(listing_of(tmp_path / "one", a="long text", b="b", c="c"))
    inode = inode_of(folders, "a")
    assert ended(pool, folders) == []
    folders = pool.take()
    folders.fill(listing_of(tmp_path / "two", a="short", b="d", c="c"))
    assert contents(folders) == {"in/a": "short", "in/b": "d", "in/c": "c"}
    assert inode_of(folders, "a") == inode


def test_files_with_the_bytes_of_the_next_run_stay_as_they_are(pool, tmp_path):
    """Nothing is copied for a run that starts from the files that the last one has left untouched."""
    folders = pool.take()
    folders.fill(listing_of(tmp_path / "one", a="a", b="b"))
    assert ended(pool, folders) == []
    listing = listing_of(tmp_path / "one", a="a", b="b")
    for name in "ab":
        (tmp_path / "one" / name).unlink()  # cannot be copied any more
    folders = pool.take()
    folders.fill(listing)
    assert contents(folders) == {"in/a": "a", "in/b": "b"}


def test_a_workspace_that_was_not_compared_with_its_start_is_emptied(pool, tmp_path):
    """A run that was interrupted may have left anything, also after one that has touched nothing."""
    listing = listing_of(tmp_path / "one", a="a", b="b")
    for _ in range(2):
        folders = pool.take()
        folders.fill(listing)
        assert ended(pool, folders) == []
        folders = pool.take()
        folders.fill(listing)
        write(Path(folders.workspace))
        pool.give_back(folders)
        assert contents(folders) == {}


@pytest.mark.parametrize("names", ["ab", "bc"])
def test_a_workspace_that_could_not_be_filled_is_emptied(names, pool, tmp_path):
    """A file has changed since it was listed: the run does not start, and the next one finds nothing of it."""
    listing = listing_of(tmp_path / "one", a="a", b="b")
    folders = pool.take()
    folders.fill(listing)
    assert ended(pool, folders) == []
    other = listing_of(tmp_path / "two", **dict.fromkeys(names, "x"))
    (tmp_path / "two" / names[1]).write_text("y")
    folders = pool.take()
    with pytest.raises(Changed):
        folders.fill(other)
    pool.give_back(folders)
    assert contents(folders) == {}
    folders = pool.take()
    folders.fill(listing)
    assert contents(folders) == {"in/a": "a", "in/b": "b"}


def write(workspace):
    """Other bytes of the same length."""
    (workspace / "in" / "a").write_text("z")


def remove(workspace):
    """A file less."""
    (workspace / "in" / "a").unlink()


def set_back(workspace):
    """Other bytes, and the time of the old ones: `ls` shows no difference."""
    before = (workspace / "in" / "a").stat()
    (workspace / "in" / "a").write_text("z")
    os.utime(workspace / "in" / "a", ns=(before.st_atime_ns, before.st_mtime_ns))


def come_and_go(workspace):
    """A file that is gone again."""
    (workspace / "in" / "new").write_text("x")
    (workspace / "in" / "new").unlink()


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


def pipe(workspace):
    """Something that can be neither kept nor copied."""
    os.mkfifo(workspace / "in" / "pipe")


def open_up(workspace):
    """A folder that others may write into."""
    (workspace / "in").chmod(0o777)


def mark_inside(workspace):
    """A folder with an attribute that `ls` does not show."""
    os.setxattr(workspace / "in", "user.mark", b"1")


def replace_inside(workspace):
    """The same files in another folder."""
    (workspace / "in").rename(workspace / "old")
    (workspace / "in").mkdir()
    for path in (workspace / "old").iterdir():
        path.rename(workspace / "in" / path.name)
    (workspace / "old").rmdir()


@pytest.mark.parametrize("is_old", [False, True], ids=["new", "old"])
@pytest.mark.parametrize(
    ("touch", "changed", "left"),
    [
        (write, ["in/a"], "b"),
        (remove, ["in/a"], "b"),
        (set_back, ["in/a"], "b"),
        (come_and_go, [], "ab"),
        (link, [], "b"),
        (rights, [], "b"),
        (add, ["in/new"], "ab"),
        (swap, ["in/a"], "b"),
        (pipe, [], "ab"),
        (open_up, [], ""),
        (mark_inside, [], ""),
        (replace_inside, [], ""),
    ],
)
def test_what_a_run_touched_is_removed_and_the_rest_stays(touch, changed, left, is_old, pool, tmp_path):
    """Whatever it changed is noticed, in files that were just copied and in others, and gone when the next starts."""
    listing = listing_of(tmp_path / "one", a="a", b="b")
    folders = pool.take()
    folders.fill(listing)
    if is_old:
        assert ended(pool, folders) == []
        time.sleep(0.05)
        folders = pool.take()
        folders.fill(listing)
    try:
        touch(Path(folders.workspace))
    except OSError:
        pytest.skip("this file system has no extended attributes")
    assert ended(pool, folders) == changed
    if contents(folders) != {f"in/{name}": name for name in left} and not is_old and touch is link:
        pytest.skip("the times of this system's files are too coarse for this")
    assert contents(folders) == {f"in/{name}": name for name in left}
    assert {path.name for path in Path(folders.workspace).rglob("*")} == {*left, *(["in"] if left else [])}
    folders = pool.take()
    folders.fill(listing)
    assert contents(folders) == {"in/a": "a", "in/b": "b"}
    assert [path.stat().st_mode & 0o777 for path in sorted(Path(folders.workspace).rglob("*"))] == [0o755, 0o644, 0o644]
    assert ended(pool, folders) == [] and folders.is_untouched


def test_bytes_that_changed_in_the_same_moment_as_they_were_copied_are_noticed(tmp_path):
    """Where the clock of files is coarse, the state of such a file tells nothing, so its bytes are compared."""
    listing = listing_of(tmp_path / "one", a="a", b="b")
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    fill(workspace, listing)
    write(workspace)
    states = fill(workspace, (), {path: state_of((workspace / path).lstat()) for path in ("in", "in/a", "in/b")})
    moment = max(state.status_changed for state in states.values())
    where = workspace, with_folders(listing), states
    assert not is_untouched(*where, moment, times_tell=True)
    changed, same = changes(*where, moment)
    assert ([change.target for change in changed], same) == (["in/a"], {"", "in", "in/b"})
    assert not is_untouched(*where, moment + 1, times_tell=False)
    assert is_untouched(*where, moment + 1, times_tell=True)  # the clock has gone on
    add(workspace)
    states |= {path: state_of((workspace / path).lstat()) for path in states}
    changed, same = changes(*where, moment + 10**9)
    assert ([change.target for change in changed], same) == (["in/new"], {"", "in/a", "in/b"})


def test_bytes_that_were_changed_through_memory_are_noticed_on_a_ram_disk():
    """There the times of a file do not tell, so its bytes are compared after every run."""
    if not (Path("/dev/shm").is_dir() and os.access("/dev/shm", os.W_OK)):
        pytest.skip("needs a RAM disk at /dev/shm")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as base, Scratch(Path(base) / "scratch") as scratch:
        pool, listing = FolderPool(scratch), listing_of(Path(base) / "one", a="a", b="b")
        folders = pool.take()
        folders.fill(listing)
        assert ended(pool, folders) == []
        time.sleep(0.05)
        folders = pool.take()
        folders.fill(listing)
        with (
            open(f"{folders.workspace}/in/a", "r+b") as file,
            mmap.mmap(file.fileno(), 0) as memory,
        ):
            memory[:] = memory[:].upper()
        assert ended(pool, folders) == ["in/a"]
        assert contents(folders) == {"in/b": "b"}


def test_a_run_that_starts_from_other_paths_finds_none_of_the_earlier_ones(pool, tmp_path):
    """Files that were left untouched are removed when they are not wanted."""
    folders = pool.take()
    folders.fill(listing_of(tmp_path / "one", a="a", b="b"))
    assert ended(pool, folders) == []
    folders = pool.take()
    folders.fill(listing_of(tmp_path / "one", b="b"))
    assert contents(folders) == {"in/b": "b"}


def test_a_prompt_is_written_into_a_plain_file_only(pool, tmp_path):
    """A run that puts a link in the place of its prompt does not get the next prompt written elsewhere."""
    folders = pool.take()
    prompt = Path(folders.write_prompt(b"Say hello."))
    prompt.unlink()
    prompt.symlink_to(tmp_path / "elsewhere")
    pool.give_back(folders)
    folders = pool.take()
    assert not os.path.lexists(f"{folders.root}/prompt.txt")
    assert Path(folders.write_prompt(b"Say hello again.")).read_text() == "Say hello again."
    pool.give_back(folders)
    assert Path(pool.take().write_prompt(b"Bye.")).read_text() == "Bye."


def chmod(folders):
    """Everybody may read HOME."""
    Path(folders.home).chmod(0o755)


def mark(folders):
    """An attribute that `ls` does not show."""
    os.setxattr(folders.workspace, "user.mark", b"1")


def replace(folders):
    """Another folder in the place of the workspace."""
    Path(folders.workspace).rename(f"{folders.root}/old")
    Path(folders.workspace).mkdir(mode=0o700)


def delete(folders):
    """No workspace at all."""
    Path(folders.workspace).rmdir()


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
    assert not Path(first.root).exists()
    second = pool.take()
    assert [folder.stat().st_mode & 0o777 for folder in paths(second)] == [0o700] * 4
    if hasattr(os, "listxattr"):
        assert not any(os.listxattr(folder) for folder in paths(second))


def test_a_link_in_the_place_of_a_folder_is_not_followed(pool, tmp_path):
    """A run that links its HOME to somebody's files must not have them removed."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("x")
    folders = pool.take()
    Path(folders.home).rmdir()
    Path(folders.home).symlink_to(precious)
    pool.give_back(folders)
    assert (precious / "file").read_text() == "x"
    assert not Path(folders.root).exists()


WAYS = ["posix_spawn", "subprocess"]


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """Both ways in which a program is started."""
    if request.param == "subprocess":
        monkeypatch.setattr(process_start, "_library", lambda: None)
    elif process_start._library() is None:
        pytest.skip("this C library cannot do it")


def output_of(*arguments: str, folder: Path, environment: dict[str, str] | None = None) -> tuple[int, str]:
    """The exit code of a program, and what it printed."""
    reading, writing = os.pipe()
    given = os.open(os.devnull, os.O_RDONLY)
    try:
        process = process_start.start(
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
    process = process_start.start(("sleep", "60"), folder=tmp_path, environment=dict(os.environ), **ends)
    os.close(quiet)
    assert process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired) as late:
        process.wait(0.02)
    assert (tuple(late.value.cmd), late.value.timeout) == (("sleep", "60"), 0.02)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == process.returncode == -signal.SIGKILL
