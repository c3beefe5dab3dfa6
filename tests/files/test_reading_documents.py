"""Files of documents: their form is found out, a bad line does not stop the others, nothing endless is swallowed."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import seven
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.files import documents, text
from evenhand.files.documents import open_documents
from evenhand.files.text import DOCUMENT_LIMIT, decode, read_text

GOOD = {"scores": seven(8)}
LINE = json.dumps(GOOD)


@pytest.fixture
def file(tmp_path):
    """Write a file and open it as documents."""

    def make(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return open_documents(str(path))

    return make


def said(opened):
    """Each document as its value, or as the line and message of what is wrong with it."""
    return [
        each.value if not isinstance(each, InputError) else (each.problems[0].line, each.problems[0].message)
        for each in opened.documents
    ]


def refused_or_said(open_it):
    """The same, also for a file that is refused before its first document."""
    try:
        return said(open_it())
    except InputError as error:
        return [(error.problems[0].line, error.problems[0].message)]


@pytest.fixture
def small_limit(monkeypatch):
    """A limit of 1,000 bytes, so that what happens beyond it can be seen in small."""
    monkeypatch.setattr(documents, "DOCUMENT_LIMIT", 1000)


# --- forms ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "one"),
    [
        ("a.json", LINE, True),
        ("a.JSON", json.dumps(GOOD, indent=2), True),
        ("a.yaml", "scores: {}", True),
        ("a.yml", LINE, True),  # JSON is YAML
        ("a.jsonl", LINE, False),
        ("a.ndjson", LINE + "\n", False),
        ("a.json", f"[{LINE}]", False),
        ("a.yaml", "- scores: {}\n", False),
        ("a.yaml", "a: 1\n---\na: 2\n", False),
        ("a.txt", LINE, True),
        ("a.txt", json.dumps(GOOD, indent=2), True),
        ("a", "scores: {}\n", True),
        ("a", f"{LINE}\n{LINE}\n", False),
        ("a", f"\n\n{LINE}\n\n\n{LINE}\n", False),
        ("a", f"\ufeff{LINE}\n{LINE}\n", False),
        ("a", f"[{LINE},\n{LINE}]", False),
        ("a", '{\n"a": {}\n}', True),
    ],
)
def test_the_form_comes_from_the_suffix_or_else_from_the_first_lines(file, name, content, one):
    """A single document is told from any number of them, also where the name says nothing."""
    opened = file(name, content)
    assert opened.one == one
    assert all(not isinstance(each, InputError) for each in opened.documents)


def test_a_list_is_so_many_documents_each_with_its_own_lines(file):
    """In JSON and in YAML; the lines are those of the file."""
    for name, content in (
        ("a.json", '[\n {"a": 1},\n {"a": 2,\n  "b": 3}\n]'),
        ("a.yaml", "\n- a: 1\n- a: 2\n  b: 3\n"),
    ):
        first, second = file(name, content).documents
        assert (first.value, second.value) == ({"a": 1}, {"a": 2, "b": 3})
        assert (first.find_line(("a",)), second.find_line(()), second.find_line(("b",))) == (2, 3, 4)


def test_several_yaml_documents_are_so_many_documents(file):
    """Lists among them are opened too, and an empty one is a problem of its own."""
    opened = file("a.yaml", "a: 1\n---\n- a: 2\n- a: 3\n---\n[]\n---\na: 4\n")
    assert said(opened) == [{"a": 1}, {"a": 2}, {"a": 3}, (6, "holds an empty list"), {"a": 4}]


@pytest.mark.parametrize("name", ["a.json", "a.yaml", "a"])
def test_an_empty_list_is_a_value_among_the_others(file, name):
    """It does not stop a run over many files."""
    assert said(file(name, "\n[]")) == [(2, "holds an empty list")]


@pytest.mark.parametrize("name", ["a.json", "a.yaml", "a.jsonl", "a"])
@pytest.mark.parametrize("content", ["", " \n\t\n"])
def test_an_empty_file_is_reported_as_empty(file, name, content):
    """Whatever its form."""
    assert refused_or_said(lambda: file(name, content)) == [(None, "is empty")]


def test_a_yaml_file_of_comments_is_reported_as_empty(file):
    """Comments are nothing to judge."""
    with pytest.raises(InputError, match="is empty"):
        file("a.yaml", "# later\n")


def test_a_file_with_a_byte_order_mark_and_foreign_line_ends_is_read(file):
    """As other systems save it."""
    for name in ("a.json", "a.yaml", "a"):
        assert said(file(name, b"\xef\xbb\xbf" + b'{"a": 1,\r\n "b": 2}\r\n')) == [{"a": 1, "b": 2}]
    assert said(file("a.jsonl", b'\xef\xbb\xbf{"a": 1}\r\n\r\n{"a": 2}\r\n')) == [{"a": 1}, {"a": 2}]


# --- lines ---------------------------------------------------------------------------------------


def test_a_bad_line_is_reported_with_its_number_and_the_others_are_read(file):
    """Blank lines are skipped but counted."""
    content = b'{"a": 1}\n\n  \n{"a": \n[1\n{"a": 2, "a": 3}\n{"a": "\xff"}\n{"a": "\0"}\n{"a": 4}'
    found = said(file("a.jsonl", content))
    assert [each for each in found if isinstance(each, dict)] == [{"a": 1}, {"a": 4}]
    assert [
        (line, message.split(" (")[0]) for line, message in (each for each in found if isinstance(each, tuple))
    ] == [
        (4, "not valid JSON: Expecting value"),
        (5, "not valid JSON: Expecting ',' delimiter"),
        (6, 'the key "a" appears twice in one object; keep one'),
        (7, "is not UTF-8; save it as UTF-8 text"),
        (8, "is a binary file"),
    ]


def test_a_line_over_the_limit_is_reported_and_the_next_is_read(file, small_limit):
    """The rest of the long line is passed over, not read as lines of its own."""
    long = json.dumps({"a": "x" * 5000})
    fits = json.dumps({"a": "x" * (999 - len('{"a": ""}'))})
    assert len(fits) + len("\n") == 1000
    found = said(file("a.jsonl", "\n".join([long, LINE, fits[:-2] + 'y"}', fits, long])))
    too_long = "one line larger than 0 MiB, the most that is read"
    assert [each if isinstance(each, tuple) else len(json.dumps(each)) for each in found] == [
        (1, too_long),
        len(LINE),
        (3, too_long),
        999,
        (5, too_long),
    ]


def test_a_document_over_the_limit_is_refused(file, small_limit):
    """As a whole, whatever its form."""
    fits = json.dumps({"a": "x" * (1000 - len('{"a": ""}'))})
    for name in ("a.json", "a.yaml", "a"):
        assert said(file(name, fits)) == [json.loads(fits)]
        with pytest.raises(InputError, match="one document larger than 0 MiB, the most that is read"):
            file(name, fits + " ")


def test_endless_blank_lines_are_refused_before_they_fill_the_memory(small_limit):
    """While the form is still being found out."""
    begun = io.BytesIO(b"\n" * 100_000)
    assert len(documents._first_lines(begun, "a")) <= 1001


def test_a_long_second_line_does_not_hide_that_these_are_lines(file, small_limit):
    """The form is told from how a line begins."""
    found = said(file("a", "\n".join([LINE, json.dumps({"a": "x" * 5000}), LINE])))
    assert [isinstance(each, tuple) for each in found] == [False, True, False]


def test_lines_are_handed_out_as_they_come():
    """A pipe that stays open, as a shell gives one for `<(command)`, does not hold back what it has sent."""
    reading, writing = os.pipe()
    arrived = threading.Event()
    late = []

    def send():
        with os.fdopen(writing, "w", encoding="utf-8") as pipe:
            pipe.write('{"a": 1}\n{"a": 2}\n')
            pipe.flush()
            late.append(not arrived.wait(20))
            pipe.write('{"a": 3}\n')

    sender = threading.Thread(target=send)
    sender.start()
    opened = open_documents(f"/dev/fd/{reading}").documents
    assert [next(opened).value, next(opened).value] == [{"a": 1}, {"a": 2}]
    arrived.set()
    assert next(opened).value == {"a": 3}
    assert list(opened) == []
    sender.join()
    os.close(reading)
    assert late == [False]


def test_any_number_of_files_may_wait_for_their_turn(tmp_path):
    """A file of lines is opened when it is read, not before, and closed after."""
    paths = [tmp_path / f"{n}.jsonl" for n in range(50)]
    for path in paths:
        path.write_text(LINE, encoding="utf-8")
    open_files = Path("/proc/self/fd")
    if not open_files.is_dir():
        pytest.skip("this system does not show what a process has open")
    before = len(list(open_files.iterdir()))
    opened = [open_documents(str(path)) for path in paths]
    assert len(list(open_files.iterdir())) == before
    assert [said(each) for each in opened] == [[GOOD]] * 50
    assert len(list(open_files.iterdir())) == before


# --- files that cannot be read -------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.json", "a.yaml", "a.jsonl", "a"])
def test_a_directory_and_a_missing_file_are_refused(tmp_path, name):
    """Whatever their names promise."""
    path = tmp_path / name
    assert refused_or_said(lambda: open_documents(str(path))) == [(None, "no such file")]
    path.mkdir()
    assert refused_or_said(lambda: open_documents(str(path))) == [(None, "is a directory; name a file")]


def test_a_file_that_breaks_while_it_is_read_is_an_error_and_no_traceback():
    """Linux lets the memory of a process be opened, but not be read from its beginning."""
    if not Path("/proc/self/mem").exists():
        pytest.skip("this system has no file that opens and then refuses")
    for read in (open_documents, read_text):
        with pytest.raises(InputError, match="/proc/self/mem: cannot be read: "):
            read("/proc/self/mem")


def test_a_name_that_cannot_be_a_file_is_refused():
    """A NUL byte in a name, or a name longer than the system allows."""
    for name in ("a\0b", "x" * 5000):
        with pytest.raises(InputError, match="cannot be read: "):
            read_text(name)


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"one\ntwo \xff", 2, "is not UTF-8; save it as UTF-8 text"),
        ("zwölf".encode("latin-1"), 1, "is not UTF-8; save it as UTF-8 text"),
        ("zwölf".encode("utf-16"), 1, "is a binary file, not text; save it as UTF-8 text"),
        (b"one\n\n\0", 3, "is a binary file (it holds a NUL byte); text is needed"),
        (b"\x1f\x8b\x08\0\0", 1, "is a binary file, not text; save it as UTF-8 text"),
        (b"\xed\xa0\x80", 1, "is not UTF-8; save it as UTF-8 text"),  # half a surrogate pair
    ],
)
def test_rejects_what_is_not_utf8_text_with_its_line(data, line, message):
    """And with what to do about it."""
    with pytest.raises(InputError) as caught:
        decode(data, "a.txt")
    assert caught.value.problems[0][:3] == (message, "a.txt", line)


def test_reading_stops_at_the_limit(tmp_path):
    """One byte more than is allowed is too much; exactly as much is not."""
    path = tmp_path / "a.txt"
    path.write_text("é" * 50, encoding="utf-8")
    assert read_text(str(path), limit=100) == "é" * 50
    with pytest.raises(InputError, match="larger than 0 MiB, the most that is read"):
        read_text(str(path), limit=99)
    assert text.OUTPUT_LIMIT > DOCUMENT_LIMIT == 16 * 1024 * 1024


@given(
    st.binary(max_size=40) | st.text(max_size=40).map(str.encode),
    st.sampled_from([".json", ".jsonl", ".yaml", ""]),
    st.integers(0, len(LINE)),
)
def test_whatever_a_file_holds_is_read_or_refused_with_its_name(tmp_path_factory, content, suffix, cut):
    """Any bytes, alone and in the middle of a judgement."""
    folder = tmp_path_factory.mktemp("any")
    for place, data in enumerate([content, LINE[:cut].encode() + content + LINE[cut:].encode()]):
        path = folder / f"{place}{suffix}"
        path.write_bytes(data)
        try:
            found = list(open_documents(str(path)).documents)
        except InputError as error:
            found = [error]
        assert found
        assert all(
            problem.source == str(path) for each in found if isinstance(each, InputError) for problem in each.problems
        )


# --- standard input ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "count"),
    [
        (LINE, 1),
        (json.dumps(GOOD, indent=2), 1),
        (f"{LINE}\n{LINE}\n{LINE}\n", 3),
        (f"\ufeff{LINE}\r\n\r\n{LINE}\r\n", 2),
        (f"[{LINE}, {LINE}]", 2),
        ("scores:\n" + "".join(f"  {name}: 8\n" for name in GOOD["scores"]), 1),
    ],
)
def test_standard_input_is_read_whatever_its_form(evenhand_command, sent, count):
    """JSON, JSON lines, a list, or YAML."""
    done = evenhand_command("score", "-", "--format", "jsonl", stdin=sent)
    assert (done.code, done.err) == (0, "")
    assert [json.loads(line)["final"] for line in done.out.splitlines()] == [8] * count


@pytest.mark.slow
def test_standard_input_that_is_empty_bad_or_closed_is_an_error(evenhand_command):
    """Under the name <stdin>, with the line where there is one."""
    done = evenhand_command("score", "-")
    assert (done.code, done.out, done.err) == (2, "", "error: <stdin>: is empty\n")
    done = evenhand_command("score", "-", stdin=f"{LINE}\nnot json\n{LINE}\n".replace("not", "{not"))
    assert (done.code, done.out.count("\n")) == (2, 2)
    assert "error: <stdin>:2: not valid JSON: " in done.err
    command = f"exec {sys.executable} -m evenhand score - <&-"
    closed = subprocess.run(["sh", "-c", command], capture_output=True, check=False, timeout=60)
    assert (closed.returncode, closed.stderr) == (2, b"error: <stdin>: cannot be read: it is closed\n")


# --- one line of a hundred megabytes -------------------------------------------------------------


PEAK = """
import re, sys
from pathlib import Path
from evenhand.cli.main import run

code = run()
print("peak", re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1], file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.slow
def test_a_line_of_100_MB_is_reported_in_bounded_memory(tmp_path):
    """The lines around it are scored, and the process never holds more than a part of it."""
    if not Path("/proc/self/status").exists():
        pytest.skip("this system does not show the peak memory of a process")
    with (tmp_path / "many.jsonl").open("wb") as file:
        file.write(LINE.encode() + b'\n{"task": "')
        for _ in range(100):
            file.write(b"x" * 1_000_000)
        file.write(b'", "scores": {}}\n' + LINE.encode() + b"\n")
    (tmp_path / "two.jsonl").write_text(f"{LINE}\n{LINE}\n", encoding="utf-8")

    def score(name):
        command = [sys.executable, "-c", PEAK, "score", name, "--format", "jsonl"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
        *errors, peak = done.stderr.splitlines()
        return done, errors, int(peak.split()[1]) / 1024

    _, errors, small = score("two.jsonl")
    assert errors == []
    done, errors, large = score("many.jsonl")
    assert done.returncode == 2
    assert [json.loads(line)["final"] for line in done.stdout.splitlines()] == [8, 8]
    assert errors == ["error: many.jsonl:2: one line larger than 16 MiB, the most that is read"]
    assert large - small < 48  # MiB: the 16 that may be read, while they are put together; the line has 95
