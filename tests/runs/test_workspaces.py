"""Workspaces: what a run starts from, what it changed, and the workspace made again as it was at the end."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from evenhand import InputError
from evenhand.decisions.values.suite import Case, Command, StartFile, Variant
from evenhand.runs.kept_runs import KeptRuns
from evenhand.runs.planned import PlannedRun
from evenhand.runs.run_document import Aftermath
from evenhand.runs.scratch import Scratch
from evenhand.runs.workspaces import workspace_changes
from evenhand.runs.workspaces.own_folders import keep_untouched, with_folders
from evenhand.runs.workspaces.rebuilt_workspace import rebuild
from evenhand.runs.workspaces.start_listing import Entry, file_hash, hash_now, list_start, listing_hash, skill_files
from evenhand.runs.workspaces.workspace import (
    Changed,
    bytes_in,
    fill,
    remove,
    remove_inside,
    state_of,
    with_parents,
    write_new,
    write_over,
)
from evenhand.runs.workspaces.workspace_changes import Change, changes, diff_text, fits, is_untouched, keepable
from evenhand.work.agent_run import RunId

LATER = 1 << 62
"""A time at which everything has settled."""


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two files, one in a folder and executable, an empty folder, and a link."""
    made = tmp_path / "source"
    (made / "src").mkdir(parents=True)
    (made / "empty").mkdir()
    (made / "a.txt").write_text("one\ntwo\n")
    (made / "src" / "run.sh").write_text("echo hi\n")
    (made / "src" / "run.sh").chmod(0o755)
    (made / "link").symlink_to("a.txt")
    return made


def copied(source: Path, tmp_path: Path, name: str = "workspace"):
    """A workspace that was filled from the source, its start and its states."""
    workspace = tmp_path / name
    workspace.mkdir()
    listing = list_start([StartFile(str(source), ".")])
    return workspace, with_folders(listing), fill(workspace, listing)


# --- what a run starts from


def test_a_listing_has_every_file_folder_and_link_sorted_with_its_bytes(source):
    assert list_start([StartFile(str(source), ".")]) == (
        Entry("a.txt", "file", str(source / "a.txt"), sha("one\ntwo\n")),
        Entry("empty", "folder", ""),
        Entry("link", "link", "a.txt"),
        Entry("src", "folder", ""),
        Entry("src/run.sh", "file", str(source / "src/run.sh"), sha("echo hi\n"), executable=True),
    )


def test_a_file_or_folder_may_have_another_place_and_the_later_counts(source):
    (source / "b.txt").write_text("b")
    listing = list_start(
        [
            StartFile(str(source / "a.txt"), "x/y.txt"),
            StartFile(str(source / "b.txt"), "x/y.txt"),
            StartFile(str(source / "src"), "tools"),
            StartFile(str(source / "b.txt"), "."),
        ]
    )
    assert [(entry.target, entry.kind) for entry in listing] == [
        ("b.txt", "file"),
        ("tools", "folder"),
        ("tools/run.sh", "file"),
        ("x/y.txt", "file"),
    ]
    assert listing[-1].sha256 == sha("b")


@pytest.mark.parametrize("target", ["../x", "/etc/x", "a/../../x"])
def test_a_target_outside_the_workspace_is_refused(source, target):
    with pytest.raises(InputError, match=f"the target {target} lies outside the workspace"):
        list_start([StartFile(str(source / "a.txt"), target)])


def test_what_is_neither_file_nor_folder_is_refused(source):
    os.mkfifo(source / "pipe")
    for path in (source / "pipe", source):
        with pytest.raises(InputError, match="is neither a file nor a folder, so no run can start from it"):
            list_start([StartFile(str(path), "x")])
    with pytest.raises(InputError):
        list_start([StartFile(str(source / "absent"), "x")])


def test_a_skill_is_put_where_agents_look_for_it():
    assert [file.target for file in skill_files("/skills/review", "review")] == [
        ".claude/skills/review",
        ".agents/skills/review",
    ]


def test_the_hash_of_a_listing_is_of_names_kinds_bytes_and_rights():
    """Not of where the files come from; of a link it is what it points to."""
    base = Entry("a", "file", "/x", "h")
    assert listing_hash((base,)) == listing_hash((base._replace(source="/y"),))
    others = [
        base._replace(target="b"),
        base._replace(sha256="i"),
        base._replace(executable=True),
        Entry("a", "folder", ""),
        Entry("a", "link", "x"),
        Entry("a", "link", "y"),
    ]
    assert len({listing_hash((entry,)) for entry in (base, *others)}) == 7


def test_a_file_that_changed_is_hashed_again(tmp_path):
    path = tmp_path / "a"
    path.write_text("one")
    assert file_hash(str(path)) == hash_now(str(path)) == sha("one")
    path.write_text("two!")
    assert file_hash(str(path)) == sha("two!")


# --- filling and removing


def test_a_workspace_is_a_copy_with_rights_and_links(source, tmp_path):
    workspace, start, states = copied(source, tmp_path)
    assert (workspace / "a.txt").read_text() == "one\ntwo\n"
    assert os.readlink(workspace / "link") == "a.txt"  # noqa: PTH115
    assert (workspace / "src/run.sh").stat().st_mode & 0o777 == 0o755
    assert (workspace / "a.txt").stat().st_mode & 0o777 == 0o644
    assert (workspace / "empty").is_dir()
    assert set(states) == {*start, ""}
    assert all(state == state_of(os.lstat(workspace / path)) for path, state in states.items())


@pytest.mark.parametrize("harm", ["change", "remove"])
def test_a_file_that_is_no_longer_as_it_was_listed_stops_the_copy(source, tmp_path, harm):
    listing = list_start([StartFile(str(source), ".")])
    path = source / "a.txt"
    path.write_text("other") if harm == "change" else path.unlink()
    (tmp_path / "w").mkdir()
    with pytest.raises(Changed) as error:
        fill(tmp_path / "w", listing)
    assert error.value.path == str(path)


def test_what_is_there_with_the_same_bytes_is_not_written_again(source, tmp_path):
    workspace, _, states = copied(source, tmp_path)
    listing = list_start([StartFile(str(source), ".")])
    (source / "a.txt").unlink()
    again = fill(workspace, listing, {path: states[path] for path in ("a.txt", "src/run.sh")})
    assert again["a.txt"] == states["a.txt"]
    (workspace / "longer").write_text("a much longer text than the other")
    (source / "longer").write_text("short")
    fill(workspace, list_start([StartFile(str(source / "longer"), "longer")]))
    assert (workspace / "longer").read_text() == "short"


def test_parents_are_all_folders_above_but_for_the_workspace():
    assert list(with_parents("a/b/c")) == ["a/b/c", "a/b", "a"]
    assert list(with_parents("")) == []
    assert set(with_folders((Entry("a/b/c", "file", "x", "h"),))) == {"a", "a/b", "a/b/c"}


def test_a_folder_is_removed_with_all_it_holds_and_links_are_not_followed(source, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    (source / "out").symlink_to(outside)
    (source / "src").chmod(0o500)
    remove(source)
    assert not source.exists() and (outside / "kept").exists()
    remove(source)  # gone already
    remove_inside(outside, keep=["kept"])
    assert (outside / "kept").exists()
    remove_inside(outside)
    assert list(outside.iterdir()) == []


def test_a_new_file_is_never_written_over_and_another_is(tmp_path):
    path = tmp_path / "a"
    write_new(path, b"long text")
    with pytest.raises(FileExistsError):
        write_new(path, b"x")
    state = write_over(path, b"x")
    assert (path.read_bytes(), state) == (b"x", state_of(os.lstat(path)))
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(OSError, match="symbolic"):
        write_over(tmp_path / "link", b"y")
    assert path.read_bytes() == b"x"


# --- changes


def test_nothing_changed_is_nothing(source, tmp_path):
    workspace, start, states = copied(source, tmp_path)
    assert changes(workspace, start, states, LATER) == ([], set(states))
    assert is_untouched(workspace, start, states, LATER, times_tell=True)
    assert is_untouched(workspace, start, states, LATER, times_tell=False)
    assert not is_untouched(workspace, start, states, 0, times_tell=True)


def test_every_kind_of_change_is_found_sorted_by_path(source, tmp_path):
    """New, changed, gone, other rights, another kind, another target."""
    workspace, start, states = copied(source, tmp_path)
    (workspace / "a.txt").write_text("one\nthree\n")
    (workspace / "new").mkdir()
    (workspace / "new/b.txt").write_text("b")
    (workspace / "empty").rmdir()
    (workspace / "link").unlink()
    (workspace / "link").symlink_to("elsewhere")
    (workspace / "src/run.sh").chmod(0o644)
    changed, same = changes(workspace, start, states, LATER)
    assert [
        (change.target, change.now and change.now.kind, change.before and change.before.kind) for change in changed
    ] == [
        ("a.txt", "file", "file"),
        ("empty", None, "folder"),
        ("link", "link", "link"),
        ("new", "folder", None),
        ("new/b.txt", "file", None),
        ("src/run.sh", "file", "file"),
    ]
    assert changed[0].now.sha256 == sha("one\nthree\n") and changed[0].size == 10
    assert changed[2].now.source == "elsewhere"
    assert not changed[5].now.executable
    assert same == {"src"}
    assert not is_untouched(workspace, start, states, LATER, times_tell=True)


def test_a_file_written_with_the_same_bytes_is_not_a_change_but_is_touched(source, tmp_path):
    workspace, start, states = copied(source, tmp_path)
    (workspace / "a.txt").write_text("one\ntwo\n")
    os.utime(workspace / "a.txt", ns=(0, 0))
    changed, same = changes(workspace, start, states, LATER)
    assert (changed, "a.txt" in same) == ([], False)


def test_a_workspace_that_is_gone_has_lost_everything(source, tmp_path):
    workspace, start, states = copied(source, tmp_path)
    remove(workspace)
    changed, same = changes(workspace, start, states, LATER)
    assert sorted(change.target for change in changed) == sorted(start)
    assert (same, {change.now for change in changed}) == (set(), {None})
    assert not is_untouched(workspace, start, states, LATER, times_tell=True)


def test_a_pipe_is_nothing_that_could_be_kept(source, tmp_path):
    workspace, start, states = copied(source, tmp_path)
    os.mkfifo(workspace / "pipe")
    changed, same = changes(workspace, start, states, LATER)
    assert changed == [] and "" not in same


def test_bytes_that_changed_without_a_trace_are_found_where_times_tell_nothing(source, tmp_path):
    """On a RAM disk a file may be written through memory without a new time; only its bytes tell."""
    workspace, start, states = copied(source, tmp_path)
    other = {path: entry._replace(sha256=sha("else")) if path == "a.txt" else entry for path, entry in start.items()}
    assert is_untouched(workspace, other, states, LATER, times_tell=True)
    assert not is_untouched(workspace, other, states, LATER, times_tell=False)
    assert [change.target for change in changes(workspace, other, states, 0)[0]] == ["a.txt"]


# --- as a diff


def entry(path: Path, target: str, executable: bool = False) -> Entry:
    return Entry(target, "file", str(path), hashlib.sha256(path.read_bytes()).hexdigest(), executable)


@pytest.fixture
def files(tmp_path):
    """Two files as they were and are."""
    (tmp_path / "old").write_bytes(b"one\ntwo\n")
    (tmp_path / "new").write_bytes(b"one\nthree")
    return entry(tmp_path / "old", "a.txt"), entry(tmp_path / "new", "a.txt")


def test_a_changed_file_is_a_unified_diff(files):
    old, new = files
    assert diff_text([Change("a.txt", new, old, 9)]) == (
        "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"
        "\\ No newline at end of file\n",
        0,
    )


def test_new_and_deleted_files_come_from_and_go_to_nowhere(files):
    old, _ = files
    text, _ = diff_text([Change("a.txt", old, None, 8)])
    assert text.startswith(
        "diff --git a/a.txt b/a.txt\nnew file mode 100644\n--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,2 @@\n"
    )
    text, _ = diff_text([Change("a.txt", None, old._replace(executable=True))])
    assert text.startswith("diff --git a/a.txt b/a.txt\ndeleted file mode 100755\n--- a/a.txt\n+++ /dev/null\n")
    folder = Entry("a.txt", "folder", "")
    assert "new file mode 100644\n" in diff_text([Change("a.txt", old, folder, 8)])[0]
    assert "deleted file mode 100644\n" in diff_text([Change("a.txt", folder, old)])[0]


def test_rights_and_links_show_their_modes(files):
    old, _ = files
    text, _ = diff_text([Change("a.txt", old._replace(executable=True), old, 8)])
    assert text == "diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n"
    link = diff_text([Change("l", Entry("l", "link", "b"), Entry("l", "link", "a"))])[0]
    assert "-a\n" in link and "+b\n" in link and "mode" not in link
    turned = diff_text([Change("a.txt", Entry("a.txt", "link", "b"), old)])[0]
    assert "old mode 100644\nnew mode 120000\n" in turned


@pytest.mark.parametrize("data", [b"a\0b", b"\xff\xfe", b"x" * (1024 * 1024 + 1)])
def test_what_is_not_text_or_too_long_is_named_with_size_and_hash(tmp_path, data):
    (tmp_path / "x").write_bytes(data)
    made = entry(tmp_path / "x", "x")
    assert diff_text([Change("x", made, None, len(data))])[0] == (
        f"diff --git a/x b/x\nnew file mode 100644\nBinary files a/x and b/x differ: now {len(data):,} bytes, "
        f"SHA-256 {made.sha256}\n"
    )
    assert diff_text([Change("x", None, made)])[0].endswith("Binary files a/x and b/x differ\n")


def test_a_text_of_one_mebibyte_is_shown_and_one_that_changed_since_is_not(tmp_path):
    (tmp_path / "x").write_bytes(b"x" * 1024 * 1024)
    assert "Binary" not in diff_text([Change("x", entry(tmp_path / "x", "x"), None, 1024 * 1024)])[0]
    stale = entry(tmp_path / "x", "x")._replace(sha256=sha("other"))
    assert "Binary" in diff_text([Change("x", stale, None, 1)])[0]
    assert "Binary" in diff_text([Change("x", stale._replace(source=str(tmp_path / "absent")), None, 1)])[0]


def test_folders_show_through_their_files_and_those_of_tools_are_counted(files):
    old, new = files
    changed = [
        Change("a.txt", new, old, 9),
        Change("dir", Entry("dir", "folder", ""), None),
        Change("gone", None, Entry("gone", "folder", "")),
        Change(".git/index", new, None, 9),
        Change("x/node_modules/y", new, None, 9),
        Change("node_modules.txt", new._replace(target="node_modules.txt"), None, 9),
    ]
    text, hidden = diff_text(changed)
    assert [line for line in text.splitlines() if line.startswith("diff")] == [
        "diff --git a/a.txt b/a.txt",
        "diff --git a/node_modules.txt b/node_modules.txt",
    ]
    assert hidden == 2


@pytest.mark.parametrize(("count", "size", "does"), [(3, 10, True), (4, 1, False), (2, 15, True), (2, 16, False)])
def test_only_so_much_is_kept(monkeypatch, count, size, does):
    """Three files and thirty bytes at most; what is gone takes no room."""
    monkeypatch.setattr(workspace_changes, "MOST_FILES", 3)
    monkeypatch.setattr(workspace_changes, "MOST_BYTES", 30)
    made = [Change(f"{n}", Entry(f"{n}", "file", "/x", "h"), None, size) for n in range(count)]
    gone = [Change(f"g{n}", None, Entry(f"g{n}", "file", "/x", "h"), 100) for n in range(5)]
    assert fits([*made, *gone]) is does


def test_a_file_that_cannot_be_read_cannot_be_kept():
    assert not fits([Change("a", Entry("a", "file", "/x", ""), None, 1)])
    assert fits([Change("a", Entry("a", "link", "x"), None), Change("b", Entry("b", "folder", ""), None)])


# --- made again


def planned(source: Path) -> PlannedRun:
    listing = list_start([StartFile(str(source), ".")])
    return PlannedRun(RunId("c", "v", 1), Case("c", "p"), Variant("v", Command(("x",))), "key", listing)


def test_a_workspace_is_made_again_as_it_was_at_the_end(source, tmp_path):
    """What was written, what is gone, what became something else."""
    (tmp_path / "kept").write_text("echo bye\n")
    written = (
        Entry("src/run.sh", "file", str(tmp_path / "kept"), executable=True),
        Entry("a.txt", "folder", ""),
        Entry("a.txt/in", "file", str(tmp_path / "kept")),
        Entry("link", "link", "src"),
        Entry("empty", "file", str(tmp_path / "kept")),
        Entry("deep/er/new", "file", str(tmp_path / "kept")),
    )
    folder = tmp_path / "made"
    rebuild(planned(source), Aftermath(written, gone=("link",)), folder)
    found = sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
    assert found == ["a.txt", "a.txt/in", "deep", "deep/er", "deep/er/new", "empty", "link", "src", "src/run.sh"]
    assert (folder / "src/run.sh").read_text() == "echo bye\n"
    assert (folder / "src/run.sh").stat().st_mode & 0o777 == 0o755
    assert (folder / "empty").stat().st_mode & 0o777 == 0o644
    assert os.readlink(folder / "link") == "src"  # noqa: PTH115


def test_gone_folders_go_with_all_they_held(source, tmp_path):
    rebuild(planned(source), Aftermath(gone=("src", "a.txt", "never-there")), tmp_path / "made")
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == ["empty", "link"]


def test_a_folder_that_stays_keeps_what_it_held(source, tmp_path):
    rebuild(planned(source), Aftermath((Entry("src", "folder", ""),)), tmp_path / "made")
    assert (tmp_path / "made/src/run.sh").exists()


# --- for the next run


def test_only_what_nobody_touched_stays_for_the_next_run(source, tmp_path):
    """A folder stays if it is the one that was made; what is new in it goes."""
    workspace, start, states = copied(source, tmp_path)
    (workspace / "src/new").write_text("n")
    (workspace / "a.txt").write_text("changed")
    (workspace / "empty").rmdir()
    (workspace / "empty").mkdir()
    (workspace / "empty/in").touch()
    _, same = changes(workspace, start, states, LATER)
    kept = keep_untouched(str(workspace), states, same)
    left = sorted(str(path.relative_to(workspace)) for path in workspace.rglob("*"))
    assert set(left) - {"empty"} == {"link", "src", "src/run.sh"}
    assert not (workspace / "empty/in").exists()
    assert {path for path in kept if path} == set(left)
    assert kept[""] == state_of(os.lstat(workspace))
    assert kept["src/run.sh"] == states["src/run.sh"]


def test_a_folder_with_other_rights_does_not_stay(source, tmp_path):
    workspace, _, states = copied(source, tmp_path)
    (workspace / "src").chmod(0o777)
    keep_untouched(str(workspace), states, set(states))
    assert not (workspace / "src").exists()
    assert (workspace / "a.txt").exists()


# --- descriptors


def open_under(folder: Path) -> list[str]:
    """The files and folders below a folder that this process has open."""
    found = []
    for path in Path("/proc/self/fd").iterdir():
        try:
            target = str(path.readlink())
        except OSError:
            continue
        if target.startswith(f"{folder}/"):
            found.append(target)
    return found


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_nothing_stays_open(source, tmp_path):
    """A suite makes thousands of runs in one process."""
    workspace, start, states = copied(source, tmp_path)
    hash_now(str(source / "a.txt"))
    write_new(tmp_path / "new", b"x")
    write_over(tmp_path / "new", b"y")
    changes(workspace, start, states, 0)
    listing = list_start([StartFile(str(source), ".")])
    (source / "a.txt").write_text("changed")
    (tmp_path / "w").mkdir()
    with pytest.raises(Changed):
        fill(tmp_path / "w", listing)
    (tmp_path / "base" / "abandoned").mkdir(parents=True)
    with Scratch(tmp_path / "base"), KeptRuns(tmp_path / "kept"):
        assert not any("abandoned" in path for path in open_under(tmp_path))
    assert open_under(tmp_path) == []


# --- what is kept of too many changes


def written_file(target: str, size: int = 1, *, sha256: str = "0" * 64, kind: Any = "file") -> Change:
    return Change(target, Entry(target, kind, "", sha256), None, size)


def test_of_too_many_changes_the_smallest_are_kept_in_the_order_of_their_names(monkeypatch):
    """Three files at most, five bytes at most: 1 + 2 + 2 are five."""
    monkeypatch.setattr(workspace_changes, "MOST_FILES", 3)
    monkeypatch.setattr(workspace_changes, "MOST_BYTES", 5)
    sizes = {"e": 2, "d": 2, "c": 1, "b": 9}
    changes = [written_file(target, size) for target, size in sizes.items()]
    assert [change.target for change in keepable(changes)] == ["c", "d", "e"]
    assert [change.target for change in keepable([*changes, written_file("a", 0)])] == ["a", "c", "d"]
    monkeypatch.setattr(workspace_changes, "MOST_BYTES", 4)
    assert [change.target for change in keepable(changes)] == ["c", "d"]


def test_what_is_gone_installed_or_unreadable_is_not_kept():
    """A link and a folder have no hash, and are kept."""
    changes = [
        Change("gone", None, Entry("gone", "file", "")),
        written_file("node_modules/a/b.js"),
        written_file("src/__pycache__/a.pyc"),
        written_file("unreadable", sha256=""),
        written_file("link", sha256="", kind="link"),
        written_file("folder", sha256="", kind="folder"),
        written_file("node_modules.txt"),
    ]
    assert [change.target for change in keepable(changes)] == ["folder", "link", "node_modules.txt"]


def test_the_bytes_of_a_folder_are_those_of_all_it_holds(tmp_path):
    """A file of one byte takes a whole block of the disk; what links lead to is elsewhere."""
    (tmp_path / "inner").mkdir()
    before = bytes_in(str(tmp_path))
    for place in ("a", "inner/b"):
        (tmp_path / place).write_bytes(b"x" * 100_000)
    (tmp_path / "link").symlink_to(tmp_path / "inner")
    size = sum((tmp_path / place).stat().st_blocks * 512 for place in ("a", "inner/b"))
    links = (tmp_path / "link").lstat().st_blocks * 512
    assert bytes_in(str(tmp_path)) == before + size + links
    assert size >= 200_000
    assert bytes_in(str(tmp_path / "absent")) == 0
