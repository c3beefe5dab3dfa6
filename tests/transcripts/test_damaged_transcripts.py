"""Bad input: a clear error, or a complete result with what was wrong; never a hang, never a traceback."""

from __future__ import annotations

import gzip
import json
import os
import socket
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.transcripts import limits, read
from evenhand.work.submission import Event, Submission

FIXTURES = Path(__file__).parents[1] / "fixtures" / "transcripts"
SESSION = FIXTURES / "project" / "5f0c2a9e-1d7b-4c55-9a57-2b6f6f2f9a01.jsonl"
LINES = SESSION.read_bytes().splitlines(keepends=True)
ASKED, ANSWERED = LINES[4], LINES[-2]
"""Two lines of a session: what the user asked, and the last answer."""


def written(folder: Path, *parts: bytes, name: str = "file") -> Path:
    path = folder / name
    path.write_bytes(b"".join(parts))
    return path


def refusal(path: Path) -> str:
    """The one error that reading a file gives, without its name."""
    (error,) = read(str(path))
    assert isinstance(error, InputError), error
    return str(error).removeprefix(str(path))


def one(path: Path, format: str | None = None) -> Submission:
    """What can be read of a file, as --set judge.partial=true asks for it."""
    (found,) = read(str(path), format, partial=True)
    assert isinstance(found, Submission), found
    return found


def problems(submission: Submission) -> list[tuple[int | None, str]]:
    return [(problem.line, problem.message) for problem in submission.problems]


# --- not a transcript ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)), ": is a binary file, not a transcript and not text"),
        (bytes(10_000), ": is a binary file, not a transcript and not text"),
        (gzip.compress(bytes(range(256)) * 10), ": is a binary file, not a transcript and not text"),
        ("Hello\n".encode("utf-16"), ": is UTF-16 text; save it as UTF-8"),
        (b"\x1f\x8b\x08garbage", ": the compressed data is damaged"),
    ],
)
def test_rejects_what_is_not_text(data: bytes, message: str, tmp_path: Path):
    """In one line that says what it is."""
    assert refusal(written(tmp_path, data)).startswith(message)


def test_what_is_not_there_is_said_not_to_be_there(tmp_path: Path):
    """As every command says it; a name that no system takes is no different."""
    assert refusal(tmp_path / "none") == ": no such file"
    assert "cannot be read" in refusal(tmp_path / ("n" * 5000))
    assert "cannot be read" in str(*read("nul\0byte"))


def test_a_zip_archive_that_is_not_a_log_is_refused(tmp_path: Path):
    """Its members can be named instead."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("notes.txt", "hello")
    assert refusal(tmp_path / "a.zip") == ": is a zip archive, but not an Inspect log; name the files in it"


# --- cut off, damaged, mixed ---------------------------------------------------------------------


@pytest.mark.parametrize("cut", [40, len(ANSWERED) - ANSWERED.index(b"Done") - 2])
def test_a_last_line_that_is_still_being_written_is_a_warning(cut: int, tmp_path: Path):
    """Everything else is there and is judged: a session can be looked at while it runs."""
    whole = written(tmp_path, *LINES[:-3], name="whole")
    path = written(tmp_path, *LINES[:-3], ANSWERED[:-cut], name="growing")
    (growing,) = read(str(path))
    assert isinstance(growing, Submission)
    assert [event.text for event in growing.events] == [event.text for event in one(whole).events]
    assert growing.problems == ()
    assert list(map(str, growing.warnings)) == [
        f"{path}:{len(LINES) - 2}: the last line is still being written, or was cut off; it was left out"
    ]


def test_half_a_character_at_the_end_is_part_of_the_line_that_is_being_written(tmp_path: Path):
    """It is not a byte that cannot be decoded: the other half is on its way."""
    text = ASKED.replace(" → fix".encode(), " → fix".encode()[:3])
    path = written(tmp_path, ANSWERED, text[: text.index(b" \xe2\x86") + 2])
    (growing,) = read(str(path))
    assert isinstance(growing, Submission)
    assert [warning.line for warning in growing.warnings] == [2]


DAMAGED = {
    "a broken line": (b"".join((ASKED, b'{"type": "user", oops}\n', ANSWERED)), 2),
    "undecodable bytes": (b"".join((ANSWERED, ASKED.replace(" → fix".encode(), b" \xff fix"), ANSWERED)), 2),
    "a cut document": ((FIXTURES / "chat.json").read_bytes()[:-40], None),
    "a cut document of one line": (json.dumps(json.loads((FIXTURES / "chat.json").read_bytes()))[:-40].encode(), 1),
    "cut gzip": (gzip.compress(b"".join(LINES), mtime=0)[:-400], None),
    "text that is no UTF-8": ("Fine.\nGröße\n".encode("latin-1"), 2),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_refused_with_the_place_and_read_in_part_on_request(name: str, tmp_path: Path):
    """Without partial there is nothing to judge; with it there is a submission that lists the damage."""
    data, line = DAMAGED[name]
    path = written(tmp_path, data)
    (error,) = read(str(path))
    assert isinstance(error, InputError)
    assert error.problems[0].message.endswith("; to judge what can be read, use `partial`")
    assert error.problems[0].source == str(path)
    if line is not None:
        assert error.problems[0].line == line
    part = one(path)
    assert part.output
    assert [problem.line for problem in part.problems][:1] == [error.problems[0].line]


def test_a_broken_line_is_reported_with_its_number_and_the_rest_is_read(tmp_path: Path):
    """Blank lines count as lines."""
    session = one(written(tmp_path, ASKED, b"\n", b'{"type": "user", oops}\n', ANSWERED))
    assert [line for line, _ in problems(session)] == [3]
    assert (session.task or "").startswith("The total of the cart")
    assert session.output.startswith("Done:")


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("name", ["chat.json", "otlp.json", "responses.json"])
def test_a_truncated_document_keeps_what_stands_before_the_cut(name: str, indent: int | None, tmp_path: Path):
    """Over many lines or all on one."""
    text = json.dumps(json.loads((FIXTURES / name).read_bytes()), indent=indent, ensure_ascii=False)
    path = written(tmp_path, text[: len(text) * 9 // 10].encode())
    cut = one(path)
    assert len(cut.events) >= 3
    assert [message for _, message in problems(cut)] == [
        "could not be read to its end: it ends in the middle; the file may be cut off"
    ]


def test_truncated_gzip_is_read_as_far_as_it_goes(tmp_path: Path):
    """The cut falls into a line, which is warned of too."""
    packed = gzip.compress(b"".join(LINES), mtime=0)
    session = one(written(tmp_path, packed[:-400]))
    assert [problem.line for problem in session.problems] == [None]
    assert len(session.warnings) == 1
    assert "the compressed data ends in the middle; everything before that is read" in dict(problems(session)).values()
    assert session.events


def test_gzip_in_several_pieces_is_read_whole(tmp_path: Path):
    """As `cat a.gz b.gz` makes it, with padding behind."""
    session = one(written(tmp_path, gzip.compress(ASKED), gzip.compress(ANSWERED), bytes(512)))
    assert (session.problems, session.output[:5]) == ((), "Done:")


def test_lines_of_another_format_are_counted(tmp_path: Path):
    """A Codex rollout behind a Claude Code session."""
    rollout = (FIXTURES / "codex.jsonl").read_bytes()
    session = one(written(tmp_path, *LINES, rollout))
    assert session.format == "claude-code"
    assert session.unknown == {
        "starlight": 1,
        "session_meta": 1,
        "response_item": rollout.count(b'"response_item"'),
        "turn_context": 1,
        "event_msg": rollout.count(b'"event_msg"'),
        "compacted": 1,
    }


def test_a_line_that_is_not_utf_8_is_read_with_a_note(tmp_path: Path):
    """What could not be read is the replacement character."""
    session = one(written(tmp_path, ASKED.replace(" → fix".encode(), b" \xff fix"), ANSWERED))
    assert problems(session) == [(1, "the line is not UTF-8; what could not be read is shown as \ufffd")]
    assert session.task == "The total of the cart is wrong for two “naïve” discounts \ufffd fix it."


def test_text_that_is_not_utf_8_is_read_with_a_note(tmp_path: Path):
    """The line of the first such byte is named."""
    output = one(written(tmp_path, "Fine.\nGröße\n".encode("latin-1")))
    assert problems(output) == [(2, "is not UTF-8; what could not be read is shown as \ufffd")]
    assert output.output == "Fine.\nGr\ufffd\ufffde\n"


def test_half_a_character_in_json_does_not_get_in(tmp_path: Path):
    """A \\u escape for half a surrogate pair could not be written anywhere."""
    session = one(written(tmp_path, ANSWERED.replace(b"Done:", b"Done \\ud800 \\ud83d\\ude00:")))
    assert session.output.startswith("Done \ufffd \U0001f600:")


# --- too deep, too long, too much ----------------------------------------------------------------


@pytest.mark.parametrize("depth", [300, 100_000])
def test_a_line_nested_too_deep_is_reported(depth: int, tmp_path: Path):
    """The rest is read."""
    deep = ASKED[:-2] + b', "x": ' + b"[" * depth + b"]" * depth + b"}\n"
    session = one(written(tmp_path, deep, ANSWERED))
    assert problems(session) == [(1, f"the line could not be read: nested more than {limits.DEPTH} levels deep")]
    assert session.output.startswith("Done:")


@pytest.mark.parametrize("format", [None, "openai", "otel", "inspect", "submissions", "claude-code", "codex"])
@pytest.mark.parametrize("unit", [b"[", b'{"messages":', b'{"spans":[{"name":"a","span_id":"1","child_spans":['])
def test_a_document_nested_a_hundred_thousand_deep_is_handled(unit: bytes, format: str | None, tmp_path: Path):
    """Whatever it is read as: an error, or a result with the problem, or plain text."""
    path = written(tmp_path, unit * 100_000)
    for found in read(str(path), format):
        if isinstance(found, Submission) and found.format != "text":
            assert found.problems


def test_a_number_without_end_is_reported(tmp_path: Path):
    """Python reads no more than some thousand digits."""
    session = one(written(tmp_path, ASKED[:-2] + b', "x": ' + b"9" * 10_000 + b"}\n", ANSWERED))
    assert problems(session) == [(1, "the line could not be read: a number has too many digits to be read")]


@pytest.mark.slow
def test_a_line_of_200_megabytes_is_refused_with_its_number_and_the_rest_is_read(tmp_path: Path):
    """In a process of its own, whose memory stays well below the line's size."""
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        file.write(ASKED + b'{"type": "user", "x": "')
        for _ in range(200):
            file.write(b"x" * 1_000_000)
        file.write(b'"}\n' + ANSWERED)
    code = (
        "import sys\nfrom evenhand.transcripts import read\n"
        "(found,) = read(sys.argv[1], partial=True)\n"
        # Not ru_maxrss: that is never below the size of the process that started this one.
        "peak = next(int(line.split()[1]) for line in open('/proc/self/status') if line.startswith('VmHWM'))\n"
        "print(*found.problems, found.output[:5], peak < 190_000)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    told = "the line is longer than 64 MiB and was left out; write each message on a line of its own"
    assert done.stdout == f"{path}:2: {told} Done: True\n"


@pytest.mark.slow
def test_a_gzip_bomb_is_not_unpacked(tmp_path: Path):
    """What stands before the growth is read; the rest is not."""
    path = tmp_path / "bomb.jsonl.gz"
    with gzip.open(path, "wb") as file:
        file.write(ASKED)
        for _ in range(100):
            file.write(b" " * 1_000_000)
        file.write(b"\n" + ANSWERED)
    session = one(path)
    assert session.output == ""
    assert (None, "it expands to more than 250 times its size; the rest was not read") in problems(session)


@pytest.mark.slow
def test_a_zstd_bomb_is_not_unpacked(tmp_path: Path):
    """The same for zstd, which packs much denser."""
    zstandard = pytest.importorskip("zstandard", reason="zstandard is not installed")
    path = written(tmp_path, zstandard.compress(ASKED + b"\n" + b" " * 100_000_000))
    assert path.stat().st_size < 12_000
    assert (None, "it expands to more than 250 times its size; the rest was not read") in problems(one(path))


@pytest.mark.slow
def test_a_hundred_thousand_broken_lines_end_the_reading(tmp_path: Path):
    """The first problems are listed, the others counted."""
    session = one(written(tmp_path, ASKED, b"{broken\n" * (limits.BROKEN + 5), ANSWERED))
    assert len(session.problems) == limits.PROBLEMS + 1
    assert session.problems[-1].message == f"{limits.BROKEN - limits.PROBLEMS + 1:,} more problems are not listed"
    assert session.output == ""


def test_kinds_without_end_are_counted_together(tmp_path: Path):
    """A file cannot fill the report with made-up types."""
    made = (json.dumps({"type": f"made-up-{number}", "sessionId": "s"}).encode() + b"\n" for number in range(1000))
    session = one(written(tmp_path, ASKED, *made))
    assert len(session.unknown) == limits.KINDS + 1
    assert sum(session.unknown.values()) == 1000


@pytest.mark.parametrize(
    "text",
    [
        "Calling tools:\n[" + "(" * 100_000 + "]",
        "Calling tools:\n[" + "[" * 90 + "]" * 90 + "]",
        "Calling tools:\n[{'id': 'c', 'function': {'name': 'f', 'arguments': {1: {2}, (3,): b'4', 5: 1e999}}}]",
        "Calling tools:\n[{'id': 'c', 'function': '\\d'}]",
        "Calling tools:\n[__import__('os')]",
    ],
)
def test_calls_written_out_as_text_are_only_read(text: str, tmp_path: Path):
    """What is not a plain list of calls stays the message it is."""
    attributes = {"openinference.span.kind": "LLM", "input.value": "Q", "output.value": text}
    span = {"trace_id": "t", "span_id": "s", "name": "llm", "attributes": attributes}
    trace = one(written(tmp_path, json.dumps(span).encode()))
    assert [event.text for event in trace.events] == ["Q", text]


# --- hostile archives ----------------------------------------------------------------------------

GOOD = '{"id": 2, "epoch": 1, "input": "Q", "messages": [{"role": "assistant", "content": "A"}]}'


def archive_of(path: Path, members: Iterable[tuple[str, bytes | str]]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", '{"version": 2, "status": "success", "eval": {"task": "t"}}')
        for name, data in members:
            archive.writestr(name, data)
    return path


def test_members_whose_names_lead_out_of_the_archive_are_left_out(tmp_path: Path):
    """Nothing is ever unpacked to disk, and they are not read either."""
    inside = tmp_path / "inside"
    inside.mkdir()
    names = ("../../samples/1.json", "/samples/1.json", "samples/../../1.json", "C:/samples/1.json", "..\\1.json")
    path = archive_of(inside / "log.eval", [*((name, GOOD) for name in names), ("samples/2_epoch_1.json", GOOD)])
    error, found = read(str(path))
    assert isinstance(error, InputError) and isinstance(found, Submission)
    assert found.output == "A"
    left = [problem.message for problem in error.problems]
    assert len(left) == len(names) and all(
        "has a path outside the archive; it was left out" in message for message in left
    )
    assert [each.name for each in tmp_path.rglob("*")] == ["inside", "log.eval"]


@pytest.mark.slow
def test_a_member_that_grows_a_thousand_times_is_not_opened(tmp_path: Path):
    """The other samples are read."""
    bomb = b'{"id": 1, "x": "' + b"a" * 20_000_000 + b'"}'
    path = archive_of(tmp_path / "log.eval", [("samples/1_epoch_1.json", bomb), ("samples/2_epoch_1.json", GOOD)])
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("samples/1_epoch_1.json")
        assert info.file_size > 900 * info.compress_size
    error, found = read(str(path))
    assert isinstance(found, Submission) and found.output == "A"
    assert str(error) == f"{path}: the member 'samples/1_epoch_1.json' expands to more than 250 times its size"


def test_a_member_that_lies_about_its_size_is_reported(tmp_path: Path):
    """The size in the directory of the archive is one byte too small."""
    path = archive_of(tmp_path / "log.eval", [("samples/1_epoch_1.json", GOOD + " "), ("samples/2_epoch_1.json", GOOD)])
    data = path.read_bytes()
    true, false = ((len(GOOD) + size).to_bytes(4, "little") for size in (1, 0))
    directory = data.index(b"PK\x01\x02")
    path.write_bytes(data[:directory] + data[directory:].replace(true, false, 1))
    error, found = read(str(path))
    assert isinstance(found, Submission) and found.output == "A"
    assert "cannot be read: Bad CRC-32" in str(error)


def test_a_damaged_archive_is_refused(tmp_path: Path):
    """Cut off before its directory."""
    path = archive_of(tmp_path / "log.eval", [("samples/2_epoch_1.json", GOOD)])
    path.write_bytes(path.read_bytes()[:-30])
    assert refusal(path) == ": is a damaged zip archive: File is not a zip file"


@pytest.mark.slow
def test_too_many_members_are_refused(tmp_path: Path):
    """Before any is read."""
    path = archive_of(tmp_path / "log.eval", ((f"samples/{number}.json", "") for number in range(limits.MEMBERS)))
    assert refusal(path) == f": holds more than {limits.MEMBERS:,} files, the most that are read"


def test_a_sample_that_is_cut_off_keeps_its_first_messages(tmp_path: Path):
    """With a problem that names the member."""
    path = archive_of(tmp_path / "log.eval", [("samples/2_epoch_1.json", GOOD[:-3])])
    found = one(path)
    assert str(found.problems[0]) == (
        f"{path}:samples/2_epoch_1.json:1: could not be read to its end: it ends in the middle; the file may be cut off"
    )
    assert found.id == "2"


# --- what is not a file -----------------------------------------------------------------------------


@pytest.mark.slow
def test_a_fifo_is_refused_rather_than_waited_for(tmp_path: Path):
    """In a process of its own, so that waiting would be noticed."""
    os.mkfifo(tmp_path / "fifo")
    code = "import sys; from evenhand.transcripts import read; print(*read(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "fifo")], capture_output=True, text=True, timeout=20, check=True
    )
    assert done.stdout == (
        f"{tmp_path / 'fifo'}: is a FIFO (a named pipe); to read from one, pipe it in and name the file -\n"
    )


def test_a_device_is_refused():
    """/dev/zero has no end."""
    assert refusal(Path("/dev/zero")) == ": is a device; to read from one, pipe it in and name the file -"


def test_in_a_folder_fifos_and_sockets_are_left_out_and_loops_are_not_followed(tmp_path: Path):
    """Each with a word on it; everything else is read once."""
    (tmp_path / "a.md").write_text("A", encoding="utf-8")
    os.mkfifo(tmp_path / "b-fifo")
    (tmp_path / "c-inner").mkdir()
    (tmp_path / "c-inner" / "back").symlink_to(tmp_path)
    (tmp_path / "c-inner" / "text.md").write_text("C", encoding="utf-8")
    (tmp_path / "d-self").symlink_to("d-self")
    (tmp_path / "e-gone").symlink_to("nowhere")
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(tmp_path)  # the path of a socket may be no longer than some hundred bytes
        try:
            listening.bind("f-socket")
        finally:
            os.chdir(here)
        told = [
            each.output if isinstance(each, Submission) else str(each).removeprefix(f"{tmp_path}/")
            for each in read(str(tmp_path))
        ]
    assert told == [
        "A",
        "b-fifo: is a FIFO (a named pipe); left out",
        "c-inner/back: leads to a folder that was read already; left out",
        "C",
        "d-self: cannot be read: Too many levels of symbolic links",
        "e-gone: cannot be read: No such file or directory",
        "f-socket: is a socket; left out",
    ]


def test_a_link_to_itself_is_refused(tmp_path: Path):
    """Named directly."""
    (tmp_path / "self").symlink_to("self")
    assert refusal(tmp_path / "self") == ": cannot be read: Too many levels of symbolic links"


def test_an_agents_id_cannot_lead_to_other_files(tmp_path: Path):
    """Sub-agents' files are those that lie beside the session, whatever ids its lines name."""
    (tmp_path / "agent-x").mkdir()
    secret = written(tmp_path, ANSWERED, name="secret.jsonl")
    line = json.loads(LINES[12])
    line["toolUseResult"]["agentId"] = "x/../secret"
    session = one(written(tmp_path, ASKED, json.dumps(line).encode(), name="session.jsonl"))
    assert secret.name not in {Path(event.place.file).name for event in session.events}


# --- whatever happens to a line ------------------------------------------------------------------

ROLLOUT = (FIXTURES / "codex.jsonl").read_bytes().splitlines(keepends=True)


def read_bytes(data: bytes, format: str | None = None) -> list[Submission | InputError]:
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        return list(read(file.name, format, partial=True))


def happened(events: Iterable[Event]) -> set[tuple[Any, ...]]:
    """What each line says, without what a line of somebody else's adds to it."""
    return {(event.place.line, event.kind, event.role, event.text, event.call and event.call.id) for event in events}


@st.composite
def corruptions(draw: st.DrawFn, lines: list[bytes]) -> tuple[int, bytes]:
    """A line's number and what became of it: cut, or with some bytes changed, but still one line."""
    number = draw(st.integers(0, len(lines) - 1))
    line = bytearray(lines[number].rstrip(b"\n"))
    if draw(st.booleans()):
        return number, bytes(line[: draw(st.integers(0, len(line) - 1))]) + b"\n"
    for at in draw(st.lists(st.integers(0, len(line) - 1), min_size=1, max_size=5)):
        line[at] = draw(st.integers(0, 255).filter(lambda byte: byte not in b"\n\r"))
    return number, bytes(line) + b"\n"


@pytest.mark.parametrize(("format", "lines"), [("claude-code", LINES), ("codex", ROLLOUT)], ids=["claude", "codex"])
@pytest.mark.slow
def test_whatever_happens_to_a_line_it_is_reported_and_the_others_are_read(format: str, lines: list[bytes]):
    """All that the other lines say is still there, and a line that is no longer JSON is named."""
    (whole,) = read_bytes(b"".join(lines), format)
    assert isinstance(whole, Submission)
    expected = happened(whole.events)

    @settings(max_examples=120)
    @given(corruptions(lines))
    @example((0, b"\n"))
    def check(corruption: tuple[int, bytes]) -> None:
        number, line = corruption
        (found,) = read_bytes(b"".join([*lines[:number], line, *lines[number + 1 :]]), format)
        assert isinstance(found, Submission)
        assert {each for each in expected if each[0] != number + 1} <= happened(found.events)
        named = {problem.line for problem in found.problems}
        assert named <= {number + 1}
        try:
            json.loads(line or b"0", strict=False)
        except (ValueError, RecursionError):
            assert named == {number + 1} or not line.strip()

    check()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["text", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "id", "0", "content"]), inner)
    ),
    max_leaves=5,
)
DOCUMENTS = [
    *(json.loads((FIXTURES / name).read_bytes()) for name in ("chat.json", "otlp.json", "responses.json")),
    *(
        [json.loads(line) for line in path.read_bytes().splitlines()]
        for path in (SESSION, *sorted(FIXTURES.glob("*.jsonl")))
    ),
]


def paths_in(value: Any, here: tuple[Any, ...] = ()) -> Iterable[tuple[Any, ...]]:
    if here:
        yield here
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from paths_in(item, (*here, key))


@settings(max_examples=120)
@given(st.data())
@pytest.mark.slow
def test_whatever_stands_where_something_else_should_nothing_is_raised(data: st.DataObject):
    """A value of any kind in any place of any format: a result or an InputError, and only text that can be written."""
    original = data.draw(st.sampled_from(DOCUMENTS))
    document = json.loads(json.dumps(original))
    for _ in range(data.draw(st.integers(1, 3))):
        found = list(paths_in(document))
        if not found:
            break
        *above, last = data.draw(st.sampled_from(found))
        node = document
        for key in above:
            node = node[key]
        node[last] = data.draw(JSON)
    lines = isinstance(original, list)
    raw = "".join(f"{json.dumps(each)}\n" for each in document) if lines else json.dumps(document, indent=1)
    for submission in read_bytes(raw.encode()):
        if isinstance(submission, Submission):
            f"{submission.output}{submission.task}".encode()
            for event in submission.events:
                event.text.encode()
                assert all(isinstance(part, str) for part in (event.role, event.agent, event.model, event.time))
                if event.call is not None:
                    f"{event.call.name}{event.call.id}{event.call.result}".encode()


@settings(max_examples=100)
@given(st.binary(max_size=400), st.sampled_from([None, "claude-code", "codex", "openai", "otel", "inspect", "diff"]))
@pytest.mark.slow
def test_no_bytes_whatever_raise_anything(data: bytes, format: str | None):
    """Read as anything."""
    for found in read_bytes(data, format):
        assert isinstance(found, Submission | InputError)
