"""-o and standard output, in every command: nothing is destroyed, and the exit code says what happened."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import click
import pytest
from conftest import ROOT, Ran, seven

from evenhand.cli.main import evenhand
from evenhand.reports.report_file import is_report

MINE = "What I wrote about it, all night long.\n"
NOT_OURS = "exists, and is not a report that evenhand wrote; name another file, or use --set output.overwrite=true"
pytestmark = pytest.mark.slow

NOWHERE = ("--judge", "openai:any", "--base-url", "http://127.0.0.1:1/v1")


class Row(NamedTuple):
    """A command that writes its result: its arguments, the endings of its formats, one of its inputs."""

    arguments: tuple[str, ...]
    endings: tuple[str, ...]
    input: str
    code: int = 0
    shown_code: int = 0
    """On standard output, where the result is not read again."""
    keeps_own: bool = False
    """Whether people go on writing what the command wrote, so that not even that is replaced."""


PAGES = ("html", "md", "json", "jsonl", "txt")

TABLE = {
    "judge": Row(("judge", "answer.md", "--task", "task.md", "--store", "none"), (*PAGES, "xml", "sarif"), "task.md"),
    "trust probe": Row(("trust", "probe", "--show", "--store", "s.db"), PAGES, "s.db"),
    "score": Row(("score", "review.yaml", "--store", "none"), (*PAGES, "xml", "sarif"), "review.md"),
    "history": Row(("history", "notes", "--store", "s.db"), (*PAGES, "svg"), "s.db"),
    "show": Row(("show", "case-1", "--store", "s.db"), PAGES, "s.db"),
    "rank": Row(("rank", "before.jsonl", "--store", "none"), PAGES, "before.jsonl"),
    "gate": Row(("gate", "before.jsonl", "--min-grade", "B", "--store", "none"), (*PAGES, "xml"), "before.jsonl", 1, 1),
    "trust agree": Row(
        ("trust", "agree", "ratings.csv", "--scale", "1-10", "--set", "trust.resamples=200"), PAGES, "ratings.csv"
    ),
    "trust calibrate": Row(
        ("trust", "calibrate", "--table", "pairs.csv", "--set", "trust.like=card.json"), PAGES, "pairs.csv"
    ),
    "trust anchors run": Row(("trust", "anchors", "run", "--show", "--store", "s.db"), ("html", "json"), "s.db"),
    "trust estimate": Row(
        ("trust", "estimate", "mean", "--table", "scores.csv", "--random-labels"), PAGES, "scores.csv"
    ),
    "rubric convert": Row(("rubric", "convert", "old.json"), ("md",), "old.json", keeps_own=True),
    "run import": Row(("run", "import", "eval.yaml"), ("yaml",), "eval.yaml", keeps_own=True),
    "run show": Row(
        ("run", "show", "results.jsonl", "--store", "none"), (*PAGES, "xml", "csv", "parquet"), "results.jsonl"
    ),
    "run table": Row(
        ("run", "table", "results.jsonl", "--store", "none"), (*PAGES, "csv", "tex", "svg"), "results.jsonl"
    ),
    "run pack": Row(
        ("run", "pack", "latest", "--suite", "evals/suite.yaml", "--store", "suite.db"),
        ("zip",), "evals/suite.yaml", keeps_own=True,
    ),
    "better": Row(
        ("better", "answer.md", "review.md", "--tasks", "task.md", "--store", "none", "--set", "run.jobs=1"),
        (*PAGES, "xml"), "review.md", 5, 5,
    ),
    "run": Row(("run", "evals/suite.yaml", "--store", "none", "--jobs", "1"), PAGES, "evals/cases/no-fee.yaml", 5, 5),
}  # fmt: skip


SHOWN = {
    name: (*row.arguments, *(("-f", "html") if name in ("trust anchors run", "trust probe") else ()))
    for name, row in TABLE.items()
}
"""The same, with something to show."""


def commands(command: click.Command, *names: str) -> Iterator[tuple[str, click.Command]]:
    yield " ".join(names), command
    if not isinstance(command, click.Group):
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from commands(found, *names, name)


def test_the_table_has_every_command_with_an_output_and_all_of_them_mean_a_file_to_write():
    """A new command with -o gets a row here."""
    found = {name: command for name, command in commands(evenhand) if any("-o" in p.opts for p in command.params)}
    assert found.keys() == TABLE.keys()
    for command in found.values():
        options = {parameter.name: parameter.opts for parameter in command.params}
        assert options["into"] == ["--output", "-o"]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory, warm_evenhand: list[str]) -> Path:
    """A folder with inputs for every command."""
    folder = tmp_path_factory.mktemp("inputs")
    for name in ("review.yaml", "review.md", "answer.md", "task.md"):
        shutil.copy(ROOT / "examples" / name, folder)
    for name, score in (("before", 6), ("after", 8)):
        lines = [json.dumps({"id": f"case-{n}", "skill": "notes", "scores": seven(score)}) for n in range(8)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    pairs = [f"{2 + place / 8:.2f},{1 + place / 8:.2f}" for place in range(64)]
    (folder / "pairs.csv").write_text("judge,people\n" + "\n".join(pairs))
    (folder / "scores.csv").write_text("judge,people\n" + "\n".join(pairs))
    (folder / "ratings.csv").write_text(
        "item,ana,model\n" + "".join(f"{n},{n % 5 + 3},{n % 4 + 4}\n" for n in range(12))
    )
    shutil.copy(ROOT / "src/evenhand/rubrics/builtin/writing.md", folder / "ours.md")
    (folder / "ours.md").write_text((folder / "ours.md").read_text().replace("name: writing", "name: ours"))
    (folder / "eval.yaml").write_text("name: n\nskill: s\nconfig: {}\ntasks: [t.yaml]\n")
    (folder / "t.yaml").write_text("id: a\nname: A\ninputs: {prompt: x}\n")

    def run(*arguments: str) -> str:
        done = subprocess.run([*warm_evenhand, *arguments], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("score", "before.jsonl", "--store", "s.db", "-f", "jsonl")
    run("trust", "anchors", "add", "answer.md", "--task", "task.md", "--store", "s.db")
    (folder / "card.json").write_text(run("score", "review.yaml", "--store", "none", "-f", "json"))
    (folder / "old.json").write_text('[{"criteria": "Names the cause of the failure.", "weight": 2}]\n')
    run("run", "new", "evals")
    shard = ("--shard", "1/1", "--format", "jsonl", "--store", "none")
    (folder / "results.jsonl").write_text(run("run", "evals/suite.yaml", *shard))
    run("run", "evals/suite.yaml", "--store", "suite.db", "--set", "gate.undecided=ok")
    return folder


@pytest.fixture
def folder(prepared: Path, tmp_path: Path) -> Path:
    shutil.copytree(prepared, tmp_path / "work")
    return tmp_path / "work"


@pytest.fixture
def run(evenhand_command: Callable[..., Ran], folder: Path) -> Callable[..., Ran]:
    return lambda *arguments, **more: evenhand_command(*arguments, cwd=folder, OPENAI_API_KEY="k", **more)


def state(path: Path) -> Any:
    """What must not change: what it is, where a link leads, and every byte of a regular file."""
    kind = stat.S_IFMT(path.lstat().st_mode)
    return kind, path.lstat().st_ino, path.readlink() if path.is_symlink() else None


def device(folder: Path, name: str, minor: int) -> Path:
    """A device of this test's own: root could destroy the machine's. Others cannot, and are given a link to it."""
    path = folder / name
    if os.geteuid():
        path.symlink_to(f"/dev/{name}")
        return path
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, minor))
        path.open("wb").close()
    except OSError:
        pytest.skip("devices cannot be made or used here")
    return path


def read_in_background(fifo: Path) -> tuple[Thread, list[bytes]]:
    """All that is written into a FIFO."""
    received: list[bytes] = []
    thread = Thread(target=lambda: received.append(fifo.read_bytes()), daemon=True)
    thread.start()
    return thread, received


@pytest.mark.parametrize("name", TABLE)
def test_a_repeated_command_replaces_its_own_report_in_every_format(run, folder, name):
    """But not one that someone has written into since, nor one that people go on writing."""
    row = TABLE[name]
    for ending in row.endings:
        target = folder / f"report.{ending}"
        first = run(*row.arguments, "-o", target.name)
        assert (first.code, first.out) == (row.code, ""), (ending, first.err)
        assert f"written: {target.name}\n" in first.err
        again = run(*row.arguments, "-o", target.name)
        if row.keeps_own:
            assert (
                again.code == 2 and "already exists; name another file, or use --set output.overwrite=true" in again.err
            )
        else:
            assert again.code == row.code and (not target.stat().st_size or is_report(target)), (ending, again.err)
    assert not list(folder.glob(".evenhand-*"))


@pytest.mark.parametrize("name", TABLE)
def test_a_file_of_someone_else_is_kept_unless_it_is_asked_for(run, folder, name):
    """Exit code 2 with one line that says how; an empty file may be replaced."""
    row = TABLE[name]
    target = folder / f"notes.{row.endings[0]}"
    target.write_text(MINE)
    refused = run(*row.arguments, "-o", target.name)
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert refused.err.startswith(f"error: {target.name}: ") and "--set output.overwrite=true" in refused.err
    assert target.read_text() == MINE
    assert run(*row.arguments, "-o", target.name, "--set", "output.overwrite=true").code == row.code
    assert target.read_bytes() != MINE.encode()
    (folder / "empty").touch()
    assert run(*row.arguments, "-o", "empty").code == row.code


@pytest.mark.parametrize("name", TABLE)
def test_what_is_not_a_regular_file_is_written_through(run, folder, name):
    """A device, a FIFO and a link stay what they are; what a link leads to is written."""
    row = TABLE[name]
    ending = row.endings[0]
    null = device(folder, "null", 3)
    before = state(null)
    assert run(*row.arguments, "-o", null.name, "--set", "output.overwrite=true").code == row.code
    assert state(null) == before
    fifo = folder / f"fifo.{ending}"
    os.mkfifo(fifo)
    before = state(fifo)
    thread, received = read_in_background(fifo)
    assert run(*row.arguments, "-o", fifo.name).code == row.code
    thread.join(30)
    assert received[0] and state(fifo) == before
    (folder / "elsewhere").mkdir()
    link, dangling = folder / f"link.{ending}", folder / f"dangling.{ending}"
    (folder / "elsewhere" / f"real.{ending}").touch()
    for path, there in ((link, f"elsewhere/real.{ending}"), (dangling, f"elsewhere/new.{ending}")):
        path.symlink_to(there)
        before = state(path)
        assert run(*row.arguments, "-o", path.name).code == row.code
        assert state(path) == before
        assert (folder / there).is_file() and (folder / there).stat().st_size


@pytest.mark.parametrize("name", TABLE)
def test_an_input_is_never_replaced(run, folder, name):
    """Under its own name, a link to it or another name of the same file, also with --set output.overwrite=true."""
    row = TABLE[name]
    if name == "trust probe":  # reads nothing but settings
        row = row._replace(input="evenhand.toml")
        (folder / "evenhand.toml").write_text("")
    source = folder / row.input
    if not source.stat().st_size:
        source.write_text("# mine\n")
    before = source.read_bytes()
    (folder / "symbolic").symlink_to(source)
    (folder / "hard").hardlink_to(source)
    for target in (row.input, "symbolic", "hard", str(source)):
        done = run(*row.arguments, "-o", target, "--set", "output.overwrite=true")
        assert done.code == 2, (target, done.err)
        assert "never replaced" in done.err and done.err.count("\n") == 1, done.err
        assert source.read_bytes() == before and source.stat().st_nlink == 2


@pytest.mark.parametrize("name", TABLE)
def test_a_full_device_behind_o_is_one_line_and_exit_code_4(run, folder, name):
    """Whatever the command is."""
    device(folder, "full", 7)
    done = run(*SHOWN[name], "-o", "full")
    assert (done.code, done.out) == (4, "")
    assert done.err.splitlines()[-1] == "error: full: cannot be written: No space left on device"
    assert "Traceback" not in done.err


def into(warm_evenhand: list[str], folder: Path, arguments: tuple[str, ...], output: int) -> tuple[int, str]:
    """The exit code and standard error of a command whose standard output is this descriptor."""
    environment = {**os.environ, "OPENAI_API_KEY": "k", "PYTHONUTF8": "1", "COLUMNS": "80"}
    command = [*warm_evenhand, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, stdout=output, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stderr.decode()


OTHERS = {
    "rubrics": ("rubric", "list"),
    "rubric show": ("rubric", "show", "writing"),
    "rubric check": ("rubric", "check", "ours.md"),
    "score of an evaluation": ("score", "case-1", "--store", "s.db", "--rubric", "writing"),
    "show --verify": ("show", "--verify", "card.json"),
    "show of a text": ("show", "answer.md"),
    "run check": ("run", "check", "evals/suite.yaml"),
    "trust labels list": ("trust", "labels", "list", "--store", "s.db", "-f", "json"),
    "store check": ("store", "check", "--store", "s.db"),
    "store export": ("store", "export", "-", "--store", "s.db"),
    "docs": ("docs",),
    "docs schema": ("docs", "schema", "judgement"),
    "help": ("--help",),
    "help of a command": ("judge", "--help"),
    "no command": (),
    "version": ("--version",),
    "version, the long way": ("--version", "score"),
}


@pytest.mark.parametrize("name", [*SHOWN, *OTHERS])
def test_standard_output_that_is_full_is_exit_code_4(folder, warm_evenhand, name):
    """One line, no traceback, and never 1: for a gate that means red."""
    full = os.open("/dev/full", os.O_WRONLY)
    code, errors = into(warm_evenhand, folder, (SHOWN | OTHERS)[name], full)
    os.close(full)
    assert code == 4, errors
    lines = [line for line in errors.splitlines() if line.startswith("error: ")]
    assert lines == ["error: standard output: cannot be written: No space left on device"]
    assert "Traceback" not in errors and "Exception ignored" not in errors


@pytest.mark.parametrize("name", [*SHOWN, *OTHERS])
def test_a_reader_that_leaves_changes_nothing(folder, warm_evenhand, name):
    """`| head`: the command's own exit code, and nothing is said about it; a gate that is red stays red."""
    reading, writing = os.pipe()
    os.close(reading)
    code, errors = into(warm_evenhand, folder, (SHOWN | OTHERS)[name], writing)
    os.close(writing)
    assert code == (TABLE[name].shown_code if name in TABLE else 0), errors
    assert not any(word in errors for word in ("Traceback", "Exception ignored", "ipe", "standard output"))


def cold(folder: Path, *arguments: str, closed: str = "", limit: int | None = None) -> tuple[int, str, str]:
    """A command started anew: what Python does about closed streams, it does at its start."""

    def limited() -> None:
        if limit is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = ["bash", "-c", f'exec "$@" {closed}', "bash", sys.executable, "-m", "evenhand", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, preexec_fn=limited)
    return done.returncode, done.stdout, done.stderr


def test_streams_that_are_closed(folder):
    """Standard output: 4 with one line. Standard error: what is said there is lost, and nothing else."""
    gate = TABLE["gate"].arguments
    error = "error: standard output: cannot be written: it is closed\n"
    for arguments in (gate, ("--version",), ("score", "review.yaml", "--store", "s.db")):
        code, out, err = cold(folder, *arguments, closed=">&-")
        assert (code, out) == (4, "") and err.endswith(error) and "Traceback" not in err
    usual = cold(folder, *gate)
    assert usual[0] == 1 and usual[2]
    assert cold(folder, *gate, closed="2>&-") == (1, usual[1], "")
    assert cold(folder, *gate, closed="2>/dev/full") == (1, usual[1], "")
    assert cold(folder, *gate, closed="<&-") == usual
    assert cold(folder, *gate, "-o", "gate.json", closed=">&- 2>&-") == (1, "", ""), "nothing was to be printed"
    assert json.loads((folder / "gate.json").read_text())["red"] is True
    done = cold(folder, "score", "none.yaml", closed="2>&-")
    assert done == (2, "", ""), "an error never goes to standard output"


@pytest.mark.parametrize("name", ["judge", "score", "gate", "run show"])
def test_a_disk_without_room_keeps_the_old_file(folder, name):
    """No file may grow beyond 100 bytes: one line, exit code 4, nothing hidden stays."""
    report = folder / "report.html"
    row = TABLE[name]
    assert cold(folder, *row.arguments, "-o", "report.html")[0] == row.code
    before = report.read_bytes()
    code, out, err = cold(folder, *row.arguments, "-o", "report.html", limit=100)
    assert (code, out) == (4, "")
    assert err.splitlines()[-1] == "error: report.html: cannot be written: File too large"
    assert report.read_bytes() == before
    assert not list(folder.glob(".evenhand-*"))


def test_a_disk_that_is_full_keeps_the_old_file(folder, run):
    """A real one, of 16 kB, where this may be made."""
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("needs the right to mount a file system")
    try:
        (disk / "report.json").write_text("[]\n")
        done = run("score", "before.jsonl", "--store", "none", "-o", "disk/report.json")
        assert done.code == 4
        assert done.err.splitlines()[-1] == "error: disk/report.json: cannot be written: No space left on device"
        assert [(path.name, path.read_text()) for path in disk.iterdir()] == [("report.json", "[]\n")]
    finally:
        subprocess.run(["umount", disk], check=True)


# --- more rules


def test_a_refusal_comes_before_any_model_is_asked(run, folder, fake_server):
    """Nothing is paid for a result that cannot be written."""
    model = ("--judge", "openai:any", "--base-url", fake_server.url, "--store", "none")
    for arguments in (
        ("judge", "answer.md", "review.md", "-o", "review.md", "--set", "output.overwrite=true"),
        ("judge", "answer.md", "-o", "task.md"),
        ("judge", "evals/outputs", "-o", "evals/outputs/after/no-fee.md", "--set", "output.overwrite=true"),
        ("judge", "evals/outputs", "-o", "evals/outputs/report.html"),
        ("judge", "answer.md", "--set", "judge.record=same.jsonl", "-o", "same.jsonl"),
        ("judge", "answer.md", "--set", "judge.record=review.md"),
        ("better", "--side-by-side", "answer.md", "review.md", "-o", "answer.md", "--set", "output.overwrite=true"),
    ):
        done = run(*arguments, *model)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done.err
    assert fake_server.asked == []
    assert not (folder / "same.jsonl").exists()


def test_a_comparison_is_not_written_among_the_outputs_it_compares(run, folder):
    """The next time it would be one of them."""
    for target in ("evals/outputs/before/new.html", "evals/outputs/after/no-fee.md"):
        done = run(
            "better", "evals/outputs/before", "evals/outputs/after", "-o", target, "--set", "output.overwrite=true"
        )
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done.err
        assert "of which every file is read; name a file outside of it" in done.err
    assert not (folder / "evals/outputs/before/new.html").exists()


def test_a_report_may_be_beside_what_is_judged_if_it_is_not_read(run, folder):
    """A hidden file of a judged folder is not, and a suite's folder is not read as a whole."""
    assert run("judge", "evals/outputs", "--store", "none", "-o", "evals/outputs/.report.html").code == 0
    for _ in range(2):
        assert run("run", "evals", "--store", "none", "-o", "evals/report.html").code == 5


def test_files_a_command_reads_are_inputs_too(run, folder):
    """Settings, a rubric of the project, the store, a file of checks, an output that a judgement names."""
    (folder / "evenhand.toml").write_text('store = "s.db"\n')
    (folder / "evenhand" / "rubrics").mkdir(parents=True)
    shutil.copy(ROOT / "src/evenhand/rubrics/builtin/writing.md", folder / "evenhand/rubrics/ours.md")
    text = (folder / "evenhand/rubrics/ours.md").read_text().replace("name: writing", "name: ours")
    (folder / "evenhand/rubrics/ours.md").write_text(text)
    for target in ("evenhand.toml", "evenhand/rubrics/ours.md", "s.db", "review.md"):
        before = (folder / target).read_bytes()
        rubric = ("--rubric", "ours") if "ours" in target else ()
        done = run("score", "review.yaml", *rubric, "-f", "json", "-o", target, "--set", "output.overwrite=true")
        assert (done.code, "never replaced" in done.err) == (2, True), (target, done.err)
        assert (folder / target).read_bytes() == before


def test_one_file_is_not_written_twice(run, folder):
    """`-o` and --also, under two names of it."""
    (folder / "link.xml").symlink_to("gate.xml")
    for also in ("junit=gate.xml", "junit=./gate.xml", "junit=link.xml"):
        done = run(*TABLE["gate"].arguments, "-o", "gate.xml", "--also", also)
        assert (done.code, "would be written twice" in done.err) == (2, True)


def test_also_follows_the_rules_of_o(run, folder):
    """Someone's file and an input are kept; its own is replaced, also in Markdown."""
    gate = TABLE["gate"].arguments
    (folder / "mine.xml").write_text(MINE)
    done = run(*gate, "--also", "junit=mine.xml")
    assert (done.code, done.err) == (2, f"error: mine.xml: {NOT_OURS}\n")
    done = run(*gate, "--also", "junit=before.jsonl", "--set", "output.overwrite=true")
    assert (done.code, "never replaced" in done.err) == (2, True)
    for _ in range(2):
        assert run(*gate, "--also", "junit=gate.xml", "--also", "markdown=gate.md").code == 1
    assert run(*gate, "--also", "junit=mine.xml", "--set", "output.overwrite=true").code == 1


def test_a_dash_is_standard_output(run, folder):
    """As it is standard input elsewhere."""
    done = run("score", "review.yaml", "--store", "none", "-f", "json", "-o", "-")
    assert json.loads(done.out)["skill"] == "code-review" and done.err == ""
    assert not (folder / "-").exists()


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (".", "is a folder; name a file, such as report.html"),
        ("new/", "is a folder; name a file, such as new/report.html"),
        ("review.yaml/r.html", "cannot be written: Not a directory"),
        ("x" * 300 + ".html", "cannot be written: File name too long"),
    ],
)
def test_a_name_that_no_file_can_have(run, target, message):
    """Bad input, in one line."""
    done = run("score", "review.yaml", "--store", "none", "-o", target)
    assert (done.code, done.err) == (2, f"error: {target}: {message}\n")


def test_the_mode_of_a_report_is_kept(run, folder):
    """Who could read the old one can read the new one, and no one else."""
    run("score", "review.yaml", "--store", "none", "-o", "r.html")
    (folder / "r.html").chmod(0o640)
    assert run("score", "review.yaml", "--store", "none", "-o", "r.html").code == 0
    assert stat.S_IMODE((folder / "r.html").stat().st_mode) == 0o640


def test_an_export_is_for_its_owner_only_and_replaces_nothing(run, folder):
    """Written through to what is not a file, as every output."""
    assert run("store", "export", "all.jsonl", "--store", "s.db").code == 0
    assert stat.S_IMODE((folder / "all.jsonl").stat().st_mode) == 0o600
    assert run("store", "export", "all.jsonl", "--store", "s.db").code == 2
    os.mkfifo(folder / "fifo")
    thread, received = read_in_background(folder / "fifo")
    assert run("store", "export", "fifo", "--store", "s.db").code == 0
    thread.join(30)
    assert received == [(folder / "all.jsonl").read_bytes()]


def test_batch_keeps_its_input_and_writes_through_links(run, folder):
    """Under every name of the input; OUT may be a link, which stays one."""
    table = "id," + ",".join(seven(1)) + "\n" + "\n".join(f"{n}," + ",".join("8765487") for n in range(3)) + "\n"
    (folder / "in.csv").write_text(table)
    (folder / "soft.csv").symlink_to("in.csv")
    (folder / "hard.csv").hardlink_to(folder / "in.csv")
    for target in ("in.csv", "soft.csv", "hard.csv"):
        done = run("table", "in.csv", target, "--set", "table.no_history=true", "--set", "output.overwrite=true")
        assert (done.code, "never replaced" in done.err) == (2, True)
    done = run("table", "*.csv", "hard.csv", "--set", "table.no_history=true", "--set", "output.overwrite=true")
    assert (done.code, "never replaced" in done.err) == (2, True)
    assert (folder / "in.csv").read_text() == table
    (folder / "out.csv").symlink_to("real.csv")
    assert run("table", "in.csv", "out.csv", "--set", "table.no_history=true").code == 0
    assert (folder / "out.csv").is_symlink() and (folder / "real.csv").read_text().startswith("id,")
    os.mkfifo(folder / "fifo.csv")
    thread, received = read_in_background(folder / "fifo.csv")
    assert run("table", "in.csv", "fifo.csv", "--set", "table.no_history=true").code == 0
    thread.join(30)
    assert received == [(folder / "real.csv").read_bytes()]
    assert stat.S_ISFIFO((folder / "fifo.csv").stat().st_mode)
