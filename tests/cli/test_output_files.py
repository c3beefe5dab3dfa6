"""Files that commands write: what is replaced, what is written through, what is a report of ours."""

from __future__ import annotations

import errno
import io
import json
import os
import stat
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import judged, seven
from hypothesis import given
from hypothesis import strategies as st

from evenhand.cli.output_option import OutputAsInput, output_into
from evenhand.documents.scorecard import scorecard_json
from evenhand.errors import InputError, Unavailable
from evenhand.files.checked_file import CheckedFile
from evenhand.files.output_files import OutputFile, refuse_input
from evenhand.reports.report_file import REPORTS, add_mark, is_report

SCHEMAS = Path(__file__).parents[2] / "src" / "evenhand" / "schemas"


def write(output: OutputFile, data: bytes = b"new") -> None:
    with output.open() as file:
        file.write(data)


def test_a_new_file_appears_at_the_end_with_its_folders(tmp_path: Path):
    """Until then there is nothing under its name."""
    target = tmp_path / "a" / "b" / "report.txt"
    with OutputFile(target).open() as file:
        file.write(b"x" * 200_000)
        assert not target.exists()
    assert target.read_bytes() == b"x" * 200_000
    assert [path.name for path in target.parent.iterdir()] == ["report.txt"]


def test_a_failure_keeps_the_old_file(tmp_path: Path):
    """And nothing beside it."""
    target = tmp_path / "report.txt"
    target.write_text("old")
    with suppress(KeyError), OutputFile(target, overwrite=True).open() as file:
        file.write(b"half")
        raise KeyError
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("report.txt", "old")]


def test_only_reports_are_replaced(tmp_path: Path):
    """An empty file always, another only if it is told to be replaceable, or if that is asked for."""
    target = tmp_path / "f"
    target.touch()
    write(OutputFile(target))
    with pytest.raises(InputError, match=r"f: already exists; name another file, or use --set output.overwrite=true"):
        OutputFile(target)
    with pytest.raises(InputError, match="f: mine"):
        OutputFile(target, replaceable=lambda path: path.read_bytes() != b"new", refusal="mine")
    write(OutputFile(target, replaceable=lambda path: path.read_bytes() == b"new"), b"newer")
    write(OutputFile(target, overwrite=True), b"newest")
    assert target.read_bytes() == b"newest"


def test_a_chain_of_links_leads_to_the_file(tmp_path: Path):
    """Every link stays; one that leads in a circle is bad input."""
    (tmp_path / "there").mkdir()
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("there/file")
    write(OutputFile(tmp_path / "one"))
    assert (tmp_path / "one").is_symlink() and (tmp_path / "two").is_symlink()
    assert (tmp_path / "there" / "file").read_bytes() == b"new"
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(InputError, match="Too many levels of symbolic links"):
        OutputFile(tmp_path / "a")


def test_a_file_without_a_name_is_written_through(tmp_path: Path):
    """What /dev/fd/N leads to may be deleted already."""
    with (tmp_path / "gone").open("w+b") as file:
        (tmp_path / "gone").unlink()
        output = OutputFile(f"/proc/self/fd/{file.fileno()}")
        assert output.is_written_through
        write(output)
        assert os.pread(file.fileno(), 10, 0) == b"new"
    assert list(tmp_path.iterdir()) == []


def test_a_socket_is_left_alone(tmp_path: Path):
    """It cannot be opened as a file."""
    import socket

    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        with pytest.raises(Unavailable, match=r"s: cannot be written: "):
            write(OutputFile(tmp_path / "s", overwrite=True))
        assert stat.S_ISSOCK((tmp_path / "s").stat().st_mode)


def test_a_file_that_someone_writes_meanwhile_is_left_as_it_is(tmp_path: Path):
    """The result is kept beside it: it may have been expensive."""
    target = tmp_path / "report.txt"
    written = OutputFile(target).open()
    written.__enter__().write(b"result")
    target.write_text("theirs")
    with pytest.raises(Unavailable, match=r"changed by another program meanwhile .*the result is in") as caught:
        written.__exit__(None, None, None)
    assert target.read_text() == "theirs"
    assert Path(str(caught.value).rpartition(" is in ")[2]).read_bytes() == b"result"


def test_a_report_that_another_command_writes_meanwhile_is_replaced(tmp_path: Path):
    """Two runs of one command: the last one counts."""
    target = tmp_path / "report.txt"
    with OutputFile(target, replaceable=lambda path: True).open() as file:
        file.write(b"result")
        target.write_text("another report")
    assert target.read_bytes() == b"result"
    assert [path.name for path in tmp_path.iterdir()] == ["report.txt"]


def test_two_writers_do_not_share_a_draft(tmp_path: Path):
    """Even in one process."""
    with OutputFile(tmp_path / "a").open() as first, OutputFile(tmp_path / "b").open() as second:
        first.write(b"first")
        second.write(b"second")
    assert (tmp_path / "a").read_bytes() == b"first"
    assert (tmp_path / "b").read_bytes() == b"second"


def test_names_of_one_file(tmp_path: Path):
    """A link, a hard link and another spelling are the same file; a copy is not. A name without a file counts too."""
    (tmp_path / "f").write_text("x")
    (tmp_path / "soft").symlink_to("f")
    (tmp_path / "hard").hardlink_to(tmp_path / "f")
    (tmp_path / "copy").write_text("x")
    output = OutputFile(tmp_path / "soft", overwrite=True)
    same = [name for name in ("f", "soft", "hard", "./f", "copy", "none") if output.is_same(tmp_path / name)]
    assert same == ["f", "soft", "hard", "./f"]
    assert output.is_same(f"{tmp_path}/../{tmp_path.name}/f".encode())
    new = OutputFile(tmp_path / "none")
    assert new.is_same(f"{tmp_path}/./none") and not new.is_same(tmp_path / "f") and not new.exists
    assert not output.is_same("a\0b")


def test_an_input_of_a_table_is_never_its_output(tmp_path: Path):
    """Nor is a folder that it is in: that would be replaced as a whole."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "part.parquet").touch()
    (tmp_path / "link").symlink_to("in")
    pattern = str(tmp_path / "in" / "*.parquet")
    for source, target in ((tmp_path / "in", "in"), (tmp_path / "in", "link"), (pattern, "in"), (pattern, "link/")):
        with pytest.raises(InputError, match="is an input of this command, which is never replaced"):
            refuse_input(str(source), f"{tmp_path}/{target}")
    with pytest.raises(InputError, match="never replaced"):
        refuse_input(f"file://{tmp_path}/in", str(tmp_path / "in"))
    refuse_input(pattern, str(tmp_path / "in" / "new"))
    refuse_input(str(tmp_path / "in"), str(tmp_path / "out"))
    refuse_input("hdfs://host/in", "hdfs://host/out")


def read_in_spite(target: Path, reader: Path) -> None:
    """Write into a file, while a part of the program opens another name of it and goes on without."""
    with output_into(str(target), overwrite=True) as file:
        file.write(b"new")
        with suppress(OutputAsInput):
            reader.read_bytes()


def test_a_reader_that_goes_on_without_its_input_does_not_lose_it(tmp_path: Path):
    """What is read on the way is never replaced, even if its reader takes the refusal for a failure of its own."""
    target, link = tmp_path / "notes.md", tmp_path / "link"
    target.write_text("mine")
    link.symlink_to(target)
    with pytest.raises(OutputAsInput, match=r"notes.md: is used by this command, and never replaced by it"):
        read_in_spite(target, link)
    assert target.read_text() == "mine"
    (tmp_path / "other").write_text("x")
    read_in_spite(target, tmp_path / "other")
    assert target.read_bytes() == b"new"


# --- failures to write


def failing(monkeypatch: pytest.MonkeyPatch, error: OSError, after: int) -> None:
    """Writing fails after so many bytes."""
    written = 0
    real = os.write

    def write(descriptor: int, data: memoryview) -> int:
        nonlocal written
        if written >= after:
            raise error
        done = real(descriptor, data[: after - written])
        written += done
        return done

    monkeypatch.setattr(os, "write", write)


def write_much(output: OutputFile, goes_on: bool) -> None:
    with output.open() as file:
        try:
            file.write(b"x" * 200_000)
            file.flush()
        except Unavailable:
            if not goes_on:
                raise


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG])
def test_a_disk_that_fails_is_out_of_reach_and_the_old_file_stays(tmp_path: Path, monkeypatch, number: int):
    """Also if whoever writes catches the failure and goes on."""
    target = tmp_path / "report.txt"
    target.write_text("old")
    for goes_on in (False, True):
        with monkeypatch.context() as patched:
            failing(patched, OSError(number, os.strerror(number)), after=70_000)
            with pytest.raises(Unavailable, match=f"report.txt: cannot be written: {os.strerror(number)}"):
                write_much(OutputFile(target, overwrite=True), goes_on)
        assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("report.txt", "old")]


def test_a_reader_that_left_is_not_a_failure():
    """What is written is dropped, and counted as written."""
    reading, writing = os.pipe()
    os.close(reading)
    raw = CheckedFile(writing, "out")
    with io.BufferedWriter(raw) as file:
        for _ in range(3):
            file.write(b"x" * 100_000)
            file.flush()
        assert (file.tell(), raw.failure) == (300_000, None)
    os.close(writing)


def test_a_failure_is_raised_once():
    """Python flushes at its end, when no one can catch it any more."""
    full = os.open("/dev/full", os.O_WRONLY)
    raw = CheckedFile(full, "standard output")
    file = io.TextIOWrapper(io.BufferedWriter(raw), "utf-8")
    file.write("x")
    with pytest.raises(Unavailable, match=r"^standard output: cannot be written: No space left on device$"):
        file.flush()
    file.write("y")
    file.close()
    assert isinstance(raw.failure, Unavailable)
    os.close(full)


def test_a_pipe_that_does_not_block_is_waited_for():
    """Everything arrives."""
    from threading import Thread

    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    received: list[bytes] = []

    def read() -> None:
        with open(reading, "rb") as file:
            received.append(file.read())

    thread = Thread(target=read)
    raw = CheckedFile(writing, "out")
    data = os.urandom(1_000_000)
    thread.start()
    assert raw.write(data) == len(data)
    os.close(writing)
    thread.join()
    assert received == [data]


# --- reports, told by their content


def marked(path: Path, text: str, format: str) -> Path:
    with OutputFile(path, overwrite=True).open() as file:
        file.write(text.encode())
        add_mark(file, file.fileno(), format)
    return path


@pytest.mark.parametrize("format", ["markdown", "terminal"])
def test_a_text_is_a_report_until_someone_changes_it(tmp_path: Path, format: str):
    """Before the mark, after it, or in it."""
    path = marked(tmp_path / "r", "# notes: B\n\nAll is well.\n", format)
    assert is_report(path)
    text = path.read_text()
    for changed in (
        text + "I do not agree.\n",
        text.replace("well", "bad"),
        text[:-1],
        " " + text,
        text.replace("e", "3"),
    ):
        path.write_text(changed)
        assert not is_report(path), changed


@given(st.binary(min_size=1, max_size=200).filter(lambda data: b"[" not in data))
def test_no_text_at_all_is_a_report_by_chance(tmp_path_factory: pytest.TempPathFactory, data: bytes):
    """Whatever the bytes are; only an empty list of JSON has nothing to lose."""
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(data)
    assert not is_report(path)


def test_other_formats_and_empty_reports_get_no_mark(tmp_path: Path):
    """A mark would break JSON; nothing needs none."""
    assert marked(tmp_path / "j", "[1]", "json").read_text() == "[1]"
    assert marked(tmp_path / "e", "", "markdown").read_bytes() == b""


NOT_REPORTS = {
    "evaluation", "expectations", "export", "judgement", "label", "review-round", "rubric", "settings", "stored-row",
    "suite",
}  # fmt: skip
"""The documents that people write, and those that a store is restored from."""


def test_every_published_document_is_a_report_or_is_not():
    """A new schema must be put on one side."""
    names = {path.name.removesuffix(".v1.schema.json") for path in SCHEMAS.glob("*.v1.schema.json")}
    assert not REPORTS & NOT_REPORTS
    assert names <= REPORTS | NOT_REPORTS


def card() -> str:
    return scorecard_json(judged(seven(8)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (card() + "\n", True),
        (json.dumps(json.loads(card()), indent=2), True),
        (f"[\n{card()},\n{card()}\n]\n", True),
        (f"{card()}\n{card()}\n", True),
        (f"{card()}\nI keep this line here.\n", False),
        (f'{card()}\n{{"schema":"evenhand/label/v1"}}\n', False),
        ('{"schema": "evenhand/judgement/v1", "scores": {}}', False),
        ('{"schema": "evenhand/rubric/v1"}', False),
        (f'{{"schema":"evenhand/evaluation/v1","scorecard":{card()}}}\n{{"schema":"evenhand/export/v1"}}\n', False),
        ('{"schema": "other/scorecard/v1"}', False),
        (f'{{"mine": {card()}}}', False),
        (f"# How a scorecard looks\n\n{card()}\n", False),
        ('{"name": "a", "colour": "red", "says": "no"}\n', True),
        ('{"name": "a", "colour": "red", "says": "no", "mine": 1}\n', False),
        ('{"runs": [{"tool": {"driver": {"name": "ruff"}}}]}', False),
        ('{"runs": [{"tool": {"driver": {"name": "evenhand"}}}]}', True),
        ('{"expectations": [], "summary": {}, "user_notes_summary": {}}', False),
        ('<?xml version="1.0"?>\n<testsuites tests="1">\n<testsuite name="pytest">', False),
        ("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Mine</title>", False),
        ("id,skill,case\n", False),
        ("::error title=evenhand red: a::no\n", True),
        ("::error title=other::no\n", False),
        ("PAR1 something else PAR1", False),
        ("{" * 100_000, False),
        ("[" * 100_000, False),
        ("\ufeff", False),
    ],
)  # fmt: skip
def test_what_is_a_report(tmp_path: Path, text: str, expected: bool):
    """Someone's document that shows or holds one of ours is not."""
    path = tmp_path / "f"
    path.write_text(text, encoding="utf-8")
    assert is_report(path) is expected


@pytest.mark.slow
def test_a_large_file_is_told_by_its_ends(tmp_path: Path):
    """More than is parsed: what the first and the last line name."""
    line = card() + "\n"
    many = line * (17 * 1024 * 1024 // len(line))
    (tmp_path / "f").write_text(many)
    assert is_report(tmp_path / "f")
    (tmp_path / "f").write_text(many + '{"schema": "evenhand/export/v1"}\n')
    assert not is_report(tmp_path / "f")
    (tmp_path / "f").write_text("x" * 17 * 1024 * 1024)
    assert not is_report(tmp_path / "f")
