"""What may go wrong with a store: crashes, crowds, full and read-only disks, damaged files, servers out of reach.

Nothing acknowledged is ever lost; what cannot be stored is still scored, shown, and said not to be stored.
"""

from __future__ import annotations

import json
import os
import random
import shlex
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from conftest import Ran, seven
from postgresql_server import behind_the_back

import evenhand
from evenhand.errors import StoreUnavailable
from evenhand.judges.written import judgement_from
from evenhand.judging.keeper import BATCH_SIZE, Keeper
from evenhand.judging.steps import Steps
from evenhand.store.databases import postgresql, sqlite_file

PAGE = 4096

EVENHAND = [sys.executable, "-m", "evenhand"]
SCORE = ("score", "three.jsonl", "--format", "jsonl", "--store")


def judgement(id: str) -> dict[str, object]:
    return {"id": id, "skill": "code", "rubric": "default", "scores": seven(8)}


def write_judgements(folder: Path, name: str, ids: list[str]) -> None:
    (folder / name).write_text("".join(json.dumps(judgement(id)) + "\n" for id in ids))


def filled(path: Path, count: int = 50) -> Path:
    """A store with so many evaluations, closed."""
    steps = Steps()
    texts = (f"What was judged, number {n}. " * 20 for n in range(count))
    made = (steps.evaluate_written(judgement_from(judgement(f"old-{n}")), output=text) for n, text in enumerate(texts))
    with closing(evenhand.open_store(str(path))) as store:
        assert len(list(Keeper(store).keep_each(made))) == count
    return path


def make_tables(address: str) -> None:
    with closing(evenhand.open_store(address)) as store:
        store.create()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with three judgements."""
    (tmp_path / ".git").mkdir()
    write_judgements(tmp_path, "three.jsonl", ["a", "b", "c"])
    return tmp_path


def scored_but_not_stored(done: Ran, *said: str) -> None:
    """All scorecards on standard output; one line on standard error says why they were not stored; exit code 4."""
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == ["a", "b", "c"], done.err
    assert [json.loads(line)["final"] for line in done.out.splitlines()] == [8, 8, 8]
    assert done.err.startswith("error: not stored: ")
    assert done.err.count("\n") == 1, done.err
    for words in said:
        assert words in done.err
    assert done.code == 4


# --- crashes

KILLED_WRITERS = """
import json, os, random, select, signal, sys, time
from pathlib import Path
from evenhand import open_store
from evenhand.judges.written import judgement_from
from evenhand.judging.keeper import Keeper
from evenhand.judging.steps import Steps

folder, rounds, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
judgement = judgement_from(json.loads(sys.argv[4]))
steps = Steps("default")

def write_for_ever(path, pipe, chance):
    keeper = Keeper(open_store(path))
    while True:
        size = chance.choice((1, 1, 1, 20))
        texts = (chance.randbytes(chance.choice((40, 40_000))).hex() for _ in range(size))
        made = (steps.evaluate_written(judgement, output=text) for text in texts)
        cards = list(keeper.keep_each(made)) if size > 1 else [keeper.keep(next(made))]
        assert keeper.failure is None, keeper.failure
        os.write(pipe, "".join(card.id + chr(10) for card in cards).encode())

def kill_a_writer(path, after_one):
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(reading)
            write_for_ever(path, writing, random.Random(f"{seed} {path} {os.getpid()}"))
        finally:
            os._exit(9)
    os.close(writing)
    if after_one:  # however slow the machine is, something is acknowledged before the kill
        select.select([reading], [], [], 60)
    time.sleep(chance.uniform(0, 0.08))
    os.kill(pid, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with open(reading) as said:
        return status, said.read().split()

acknowledged = {}
result = {"failed": [], "lost": [], "unsound": [], "acknowledged": 0, "stored": 0}
for number in range(rounds):
    path = str(folder / f"{number // 20}.db")  # a new file now and then: its making may be cut short too
    status, ids = kill_a_writer(path, after_one=number % 5 == 4)
    if status != -signal.SIGKILL:
        result["failed"].append(number)
    acknowledged.setdefault(path, []).extend(ids)
    store = open_store(path)
    if Path(path).exists() and store.check():
        result["unsound"].append([number, store.check()])
    result["lost"] += [id for id in ids if store.find(id, None) is None]
    store.close()
for path, ids in acknowledged.items():
    store = open_store(path)
    stored = [record.id for record in store.evaluations()]
    result["lost"] += sorted(set(ids) - set(stored))
    result["acknowledged"] += len(ids)
    result["stored"] += len(stored)
    store.close()
print(json.dumps(result))
"""


@pytest.mark.parametrize("rounds", [15, pytest.param(200, marks=[pytest.mark.slow, pytest.mark.long])])
def test_a_writer_killed_at_any_moment_loses_nothing_it_acknowledged(tmp_path, rounds):
    """kill -9 while the file is made, while one or twenty are appended; the file is sound after each."""
    text = json.dumps({"skill": "code", "scores": seven(8)})
    command = [sys.executable, "-c", KILLED_WRITERS, str(tmp_path), str(rounds), "3", text]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    result = json.loads(done.stdout)
    assert (result["lost"], result["unsound"], result["failed"]) == ([], [], [])
    assert result["stored"] >= result["acknowledged"] > 0


@pytest.mark.parametrize("seconds", [0.0, 0.05])
@pytest.mark.slow
def test_every_scorecard_that_score_printed_is_stored_when_it_is_killed(tmp_path, seconds):
    """Three batches, killed after the first came out or a little later; a line cut short does not count."""
    count = 3 * BATCH_SIZE
    write_judgements(tmp_path, "many.jsonl", [f"run-{n}" for n in range(count)])
    command = [*EVENHAND, "score", "many.jsonl", "--format", "jsonl", "--store", "kept.db"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        whole = (first + process.stdout.read()).splitlines(keepends=True)
    printed = {json.loads(line)["id"] for line in whole if line.endswith(b"\n")}
    assert 0 < len(printed) < count
    store = evenhand.open_store(str(tmp_path / "kept.db"))
    stored = [record.id for record in store.evaluations()]
    assert printed <= set(stored)
    assert stored == [f"run-{n}" for n in range(len(stored))]
    assert len(stored) % BATCH_SIZE == 0  # whole batches only
    store.close()


@pytest.mark.slow
def test_a_thousand_scorecards_are_all_stored_in_their_order(tmp_path, evenhand_command):
    """Everything printed is in the store, and nothing else."""
    write_judgements(tmp_path, "many.jsonl", [f"run-{n}" for n in range(1000)])
    done = evenhand_command("score", "many.jsonl", "--format", "jsonl", "--store", "kept.db")
    store = evenhand.open_store(str(tmp_path / "kept.db"))
    kept = [json.loads(record.scorecard) for record in store.evaluations()]
    shown = [json.loads(line) for line in done.out.splitlines()]
    for card in shown:  # what is kept leaves out what follows from the rest
        del card["recommendations"], card["receipt"]["fields"]["recommendations"]
    assert kept == shown
    assert (done.code, done.err, len(done.out.splitlines())) == (0, "", 1000)
    store.close()


# --- crowds

APPENDER = """
import json, sys
from evenhand import open_store
from evenhand.judges.written import judgement_from
from evenhand.judging.keeper import Keeper
from evenhand.judging.steps import Steps

address, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
steps = Steps("default")
keeper = Keeper(open_store(address))
print("ready", flush=True)
sys.stdin.readline()
for n in range(count):
    said = json.loads(sys.argv[4]) | {"id": f"{name}-{n}", "skill": ("shared", name)[n % 2]}
    print(keeper.keep(steps.evaluate_written(judgement_from(said))).id)
"""


def append_at_once(address: str, processes: int, each: int) -> list[str]:
    """Let so many processes append so many each, all from the same moment on; every id they acknowledged."""
    text = json.dumps({"scores": seven(8)})
    running = [
        subprocess.Popen(
            [sys.executable, "-c", APPENDER, address, f"writer-{n}", str(each), text],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for n in range(processes)
    ]
    for process in running:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.stdin.write("\n")  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]
    said = [process.communicate(timeout=300) for process in running]
    assert [(process.returncode, err) for process, (_, err) in zip(running, said, strict=True)] == [(0, "")] * processes
    return [id for out, _ in said for id in out.split()]


CROWDS = [("sqlite", 4, 50), ("postgresql", 4, 50), pytest.param("sqlite", 8, 100, marks=pytest.mark.long)]


@pytest.mark.slow
@pytest.mark.parametrize(("store_address", "processes", "each"), CROWDS, indirect=["store_address"])
def test_many_processes_append_at_once_and_none_is_lost_or_refused(store_address, processes, each):
    """A SQLite file is even made by all of them at once; each skill has its evaluations in one order."""
    if store_address.startswith("postgresql:"):
        make_tables(store_address)
    acknowledged = append_at_once(store_address, processes, each)
    store = evenhand.open_store(store_address)
    records = list(store.evaluations())
    assert len(acknowledged) == processes * each
    assert sorted(record.id for record in records) == sorted(acknowledged)
    moments = [(record.skill, record.completed) for record in records]
    assert len(set(moments)) == len(moments)
    assert dict(store.skills())["shared"] == processes * each // 2
    for n in range(processes):  # each process's own order is kept
        own = [record.id for record in records if record.id.startswith(f"writer-{n}-")]
        assert own == [f"writer-{n}-{place}" for place in range(each)]
    shared = [json.loads(record.scorecard)["history"]["n"] for record in records if record.skill == "shared"]
    assert shared == [min(place, 10) for place in range(len(shared))]  # each saw all those before it
    assert store.check() == []
    store.close()


def test_readers_go_on_while_another_process_writes(tmp_path):
    """A transaction that is open for long keeps nobody from reading what was there before."""
    path = filled(tmp_path / "kept.db", 3)
    writer, reader = evenhand.open_store(str(path)), evenhand.open_store(str(path))
    with writer.transaction():
        writer.add(next(iter(writer.evaluations()))._replace(id="new", fingerprint=None))
        assert reader.skills() == [("code", 3)]
        assert len(reader.window("code")) == len(list(reader.evaluations())) == 3
    assert reader.skills() == [("code", 4)]
    writer.close()
    reader.close()


# --- locks

IMPATIENT = (
    "from evenhand.store.databases import sqlite_file as f; f.PATIENCE = 0.2; import evenhand.__main__ as m; m.main()"
)


@pytest.mark.slow
def test_a_locked_file_is_waited_for_and_then_said_to_be_locked(folder, monkeypatch):
    """Another program holds it; the scorecards are shown all the same."""
    path = filled(folder / "kept.db", 1)
    monkeypatch.setattr(sqlite_file, "PATIENCE", 0.2)
    holding, opened = sqlite3.connect(path, isolation_level=None), evenhand.open_store(str(path))
    with closing(holding) as holder, closing(opened) as store:
        holder.execute("BEGIN EXCLUSIVE")
        begun = time.monotonic()
        with pytest.raises(StoreUnavailable, match=r"kept\.db: database is locked; another process is using it"):
            evenhand.score(judgement("a"), store=store)
        assert time.monotonic() - begun >= 0.2
        command = [sys.executable, "-c", IMPATIENT, *SCORE, "kept.db"]
        done = Ran(subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=60))
    scored_but_not_stored(done, "kept.db: database is locked; another process is using it; try again when it is done")


@pytest.mark.slow
def test_a_server_on_which_another_appends_for_too_long_says_so(postgresql_url, monkeypatch):
    """The wait has an end there too."""
    monkeypatch.setattr(postgresql, "PATIENCE", 0.2)
    holder, waiting = evenhand.open_store(postgresql_url), evenhand.open_store(postgresql_url)
    holder.create()
    with holder.transaction(), pytest.raises(StoreUnavailable, match="lock timeout"):
        evenhand.score(judgement("a"), store=waiting)
    assert evenhand.score(judgement("a"), store=waiting).history.n == 0
    holder.close()
    waiting.close()


def test_all_versions_wait_for_one_another_by_the_same_lock(postgresql_url, monkeypatch):
    """The number is part of the format: another one would let two versions append at once."""
    monkeypatch.setattr(postgresql, "PATIENCE", 0.2)
    with closing(evenhand.open_store(postgresql_url)) as store:
        store.create()
        with store.transaction():
            held = behind_the_back(postgresql_url, "SELECT classid, objid FROM pg_locks WHERE locktype = 'advisory'")
    assert [high << 32 | low for high, low in held] == [7_305_106_946]


# --- files that cannot be used


def random_bytes(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(20_000))


def truncated(path: Path) -> None:
    data = filled(path).read_bytes()
    path.write_bytes(data[: len(data) // 2])


def noise_after_the_first_page(path: Path) -> None:
    data = filled(path).read_bytes()
    path.write_bytes(data[:4096] + random.Random(1).randbytes(len(data) - 4096))


def a_folder(path: Path) -> None:
    path.mkdir()


def made_by_another_version(path: Path) -> None:
    behind_the_back(str(filled(path, 1)), "PRAGMA user_version = 99")


def another_programs(path: Path) -> None:
    behind_the_back(str(path), "CREATE TABLE customers (name TEXT)")


UNUSABLE = {
    random_bytes: "kept.db: file is not a database; the file is not a SQLite database; move it away",
    truncated: "kept.db: database disk image is malformed; the file is damaged, and nothing is added to it; restore",
    noise_after_the_first_page: "kept.db: database disk image is malformed; the file is damaged, and nothing is added",
    a_folder: "kept.db: unable to open database file; the file cannot be opened; look at the path",
    made_by_another_version: "kept.db was made by another version of evenhand (its tables have number 99",
    another_programs: "kept.db is another program's database; choose another file with --store",
}


@pytest.mark.parametrize("spoil", UNUSABLE, ids=lambda spoil: spoil.__name__)
def test_a_file_that_cannot_be_used_is_named_and_the_scorecards_are_shown(folder, evenhand_command, spoil):
    """Damaged, no database, no file: what it is, what to do, exit code 4."""
    spoil(folder / "kept.db")
    scored_but_not_stored(evenhand_command(*SCORE, "kept.db"), UNUSABLE[spoil])
    store = evenhand.open_store(str(folder / "kept.db"))
    for call in (store.skills, lambda: store.window("code"), lambda: store.get("old"), store.check):
        if spoil in (truncated, noise_after_the_first_page) and call == store.check:
            continue
        with pytest.raises(StoreUnavailable):
            call()
    store.close()


def test_nothing_is_added_to_a_damaged_file(folder, evenhand_command):
    """One page in the middle is noise, and the new row would not touch it: the file stays as it is, byte for byte."""
    path = folder / "kept.db"
    data = bytearray(filled(path, 40).read_bytes())
    middle = len(data) // PAGE // 2 * PAGE
    data[middle : middle + PAGE] = random.Random(1).randbytes(PAGE)
    path.write_bytes(data)
    scored_but_not_stored(evenhand_command(*SCORE, "kept.db"), "kept.db: database disk image is malformed")
    assert path.read_bytes() == data


def test_damage_that_reading_finds_stops_appending(folder, monkeypatch):
    """A large file is not looked through beforehand; what a query stumbles over is remembered."""
    monkeypatch.setattr("evenhand.store.databases.sqlite.LOOKED_THROUGH", 0)
    path = folder / "kept.db"
    data = bytearray(filled(path, 40).read_bytes())
    data[4096:-4096] = random.Random(1).randbytes(len(data) - 8192)
    path.write_bytes(data)
    with closing(evenhand.open_store(str(path))) as store:
        with pytest.raises(StoreUnavailable):
            list(store.evaluations())
        with pytest.raises(StoreUnavailable, match="malformed"), store.transaction():
            pytest.fail("nothing may be appended")
    assert path.read_bytes() == data


def test_a_large_file_that_was_cut_off_is_not_appended_to(folder, monkeypatch):
    """SQLite sees that from its header."""
    monkeypatch.setattr("evenhand.store.databases.sqlite.LOOKED_THROUGH", 0)
    path = folder / "kept.db"
    data = filled(path, 40).read_bytes()[:-4096]
    path.write_bytes(data)
    with (
        closing(evenhand.open_store(str(path))) as store,
        pytest.raises(StoreUnavailable, match="malformed"),
    ):
        evenhand.score(judgement("new"), store=store)
    assert path.read_bytes() == data


@pytest.mark.parametrize("command", [("history",), ("show", "a"), ("store", "check"), ("store", "export", "-")])
def test_a_command_about_a_store_out_of_reach_says_why_in_one_line(folder, evenhand_command, command):
    """Exit code 4, nothing on standard output."""
    random_bytes(folder / "kept.db")
    done = evenhand_command(*command, "--store", "kept.db")
    assert (done.code, done.out) == (4, "")
    assert done.err == f"error: {UNUSABLE[random_bytes]}, or choose another with --store\n"


@pytest.mark.parametrize("spoil", [truncated, noise_after_the_first_page], ids=lambda spoil: spoil.__name__)
def test_store_check_finds_damage(folder, evenhand_command, spoil):
    """It says what is wrong and exits with 1, or with 4 when the file cannot even be looked at."""
    spoil(folder / "kept.db")
    done = evenhand_command("store", "check", "--store", "kept.db")
    assert done.code in (1, 4)
    assert "\ufffd" not in done.err
    assert done.err.startswith(("wrong: ", "error: kept.db: database disk image is malformed"))


def test_a_few_flipped_bytes_in_the_middle_are_found_by_check_and_never_crash(folder, evenhand_command):
    """In a scorecard's text, where SQLite itself cannot see them."""
    path = filled(folder / "kept.db")
    data = bytearray(path.read_bytes())
    at = data.index(b'"composite":8', len(data) // 2)
    data[at : at + 12] = bytes(byte ^ 1 for byte in data[at : at + 12])
    path.write_bytes(bytes(data))
    done = evenhand_command("store", "check", "--store", "kept.db")
    assert done.code == 1
    assert done.out == "kept.db: 50 evaluations, 1 problem\n"
    assert done.err.startswith("wrong: old-")
    name = done.err.split(":")[1].strip()
    assert evenhand_command("show", name, "--store", "kept.db").code == 4


def test_a_folder_that_cannot_be_made_is_reported(folder, evenhand_command):
    """A file stands where the folder should be."""
    (folder / "taken").write_text("a file")
    scored_but_not_stored(evenhand_command(*SCORE, "taken/kept.db"), "taken/kept.db: the folder cannot be created: ")


def test_a_batch_with_a_bad_line_is_scored_and_reported_when_nothing_can_be_stored(folder, evenhand_command):
    """The bad line has the last word on the exit code: 2, as without a store."""
    (folder / "kept.db").mkdir()
    with open(folder / "three.jsonl", "a", encoding="utf-8") as file:
        file.write('{"scores": {}}\n')
    done = evenhand_command(*SCORE, "kept.db")
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == ["a", "b", "c"]
    assert done.code == 2
    assert "error: not stored: kept.db: unable to open" in done.err


@pytest.mark.slow
@pytest.mark.parametrize("format", ["terminal", "json", "markdown", "junit"])
def test_one_scorecard_is_whole_in_every_format_when_it_is_not_stored(folder, evenhand_command, format):
    """What stands on standard output is what `--store none` gives, but for the time."""
    (folder / "kept.db").mkdir()
    (folder / "one.json").write_text(json.dumps(judgement("a")))
    done = evenhand_command("score", "one.json", "--format", format, "--store", "kept.db")
    plain = evenhand_command("score", "one.json", "--format", format, "--store", "none")
    assert len(done.out) == len(plain.out) > 100
    assert done.err.startswith("error: not stored: kept.db: unable to open")
    assert (done.code, plain.code) == (4, 0)


# --- read-only and full disks


@pytest.fixture
def bound_command(folder: Path) -> Callable[..., Ran]:
    """Run the command as one whom permissions bind; root has to give up the right to pass over them."""
    before = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.getuid() == 0 else []
    if before and subprocess.run([*before, "true"], capture_output=True, check=False).returncode:
        pytest.skip("root may not give up the right to pass over permissions here")

    def run(*arguments: str) -> Ran:
        return Ran(subprocess.run([*before, *EVENHAND, *arguments], cwd=folder, capture_output=True, check=False))

    return run


@pytest.mark.slow
def test_a_read_only_file_is_reported_and_can_still_be_read(folder, bound_command):
    """The scorecards are shown; the history is too."""
    filled(folder / "kept.db", 2).chmod(0o444)
    done = bound_command(*SCORE, "kept.db")
    scored_but_not_stored(done, "kept.db: attempt to write a readonly database; the file or its folder is read-only;")
    assert bound_command("history", "--store", "kept.db").code == 0


@pytest.mark.slow
def test_a_read_only_folder_is_reported(folder, bound_command):
    """With a store in it, with none, and where its folder cannot be made."""
    filled(folder / "kept.db", 2)
    folder.chmod(0o555)
    for store, said in (
        ("kept.db", "kept.db: "),
        ("new.db", "new.db: unable to open database file; the file cannot be opened; look at the path and its perm"),
        (".evenhand/new.db", ".evenhand/new.db: the folder cannot be created: Permission denied"),
    ):
        scored_but_not_stored(bound_command(*SCORE, store), said)
    folder.chmod(0o755)


@pytest.mark.slow
def test_a_folder_that_may_not_be_looked_into_is_reported(folder, bound_command):
    """Not taken for a folder without a store."""
    (folder / "closed").mkdir()
    filled(folder / "closed" / "kept.db", 1)
    (folder / "closed").chmod(0o000)
    done = bound_command(*SCORE, "closed/kept.db")
    read = bound_command("history", "--store", "closed/kept.db")
    (folder / "closed").chmod(0o755)
    assert (read.code, read.out) == (4, "")
    assert read.err.startswith("error: closed/kept.db: unable to open database file; the file cannot be opened;")
    scored_but_not_stored(done, "closed/kept.db: unable to open database file; the file cannot be opened; look at")


@pytest.mark.slow
def test_a_file_that_may_not_grow_is_reported(folder):
    """The limit on a file's size, which stands for a full disk where nobody may make one."""
    write_judgements(folder, "many.jsonl", [f"run-{n}" for n in range(600)])
    score = shlex.join([*EVENHAND, "score", "many.jsonl", "--format", "jsonl", "--store", "kept.db"])
    done = Ran(subprocess.run(["sh", "-c", f"ulimit -f 1500; {score}"], cwd=folder, capture_output=True, check=False))
    stored_in_part(
        done, folder / "kept.db", "kept.db: disk I/O error; the disk cannot be read or written; it may be full"
    )


def stored_in_part(done: Ran, path: Path, said: str) -> None:
    """All are shown; whole batches are stored or not; the file is sound."""
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == [f"run-{n}" for n in range(600)]
    assert done.err.startswith(f"error: not stored: {said}"), done.err
    assert done.code == 4
    store = evenhand.open_store(str(path))
    stored = [record.id for record in store.evaluations()]
    assert stored == [f"run-{n}" for n in range(len(stored))]
    assert len(stored) in (0, 256, 512)
    assert store.check() == []
    store.close()


@pytest.mark.slow
def test_a_full_disk_is_reported(folder):
    """A disk of one megabyte; what was stored before it was full is safe."""
    disk = folder / "disk"
    disk.mkdir()
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, check=False)
    if mount.returncode:
        pytest.skip("this user may not mount a small disk")
    try:
        write_judgements(folder, "many.jsonl", [f"run-{n}" for n in range(600)])
        score = [*EVENHAND, "score", "many.jsonl", "--format", "jsonl", "--store", "disk/kept.db"]
        done = Ran(subprocess.run(score, cwd=folder, capture_output=True, check=False))
        stored_in_part(done, disk / "kept.db", "disk/kept.db: database or disk is full; the disk is full; make room")
        (disk / "rest").write_bytes(b"")
        with pytest.raises(OSError, match="No space"), open(disk / "rest", "wb") as file:
            file.write(bytes(5_000_000))
        new = evenhand.open_store(str(disk / ".evenhand" / "new.db"))
        with pytest.raises(StoreUnavailable, match=r"new\.db: "):
            evenhand.score(judgement("a"), store=new)
    finally:
        subprocess.run(["umount", disk], check=True)


# --- servers out of reach


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_a_server_that_does_not_answer_is_reported(folder, evenhand_command):
    """Where it should be, without the password."""
    port = closed_port()
    done = evenhand_command(*SCORE, f"postgresql://ana:s3cret@127.0.0.1:{port}/evaluations")
    scored_but_not_stored(done, f"postgresql://ana:***@127.0.0.1:{port}/evaluations: connection failed", "refused")
    assert "s3cret" not in done.err + done.out


def test_a_wrong_password_is_reported_and_never_shown(folder, evenhand_command, postgresql_server):
    """The server's own words, and stars."""
    done = evenhand_command(*SCORE, postgresql_server.url(password="wr0ng-s3cret"))
    scored_but_not_stored(done, "password authentication failed", ":***@127.0.0.1")
    assert "wr0ng-s3cret" not in done.err + done.out


def test_a_server_without_tables_does_not_keep_score_from_showing(folder, evenhand_command, postgresql_url):
    """It says how to make them."""
    scored_but_not_stored(evenhand_command(*SCORE, postgresql_url), "evenhand store create --store")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ana:s3cret%zz@127.0.0.1:{}/db",
        "postgresql://ana:s3c@ret@127.0.0.1:{}/db",
        "postgresql://ana:s3cret/more@127.0.0.1:{}/db",
        "postgresql://ana:s3cret more@127.0.0.1:{}/db",
        "postgresql://ana:s3cret@127.0.0.1:port/db",
        "postgresql://127.0.0.1:{}/db?user=ana&password=s3cret",
        "postgres://127.0.0.1:{}/db?password=s3cret&user=ana&nonsense",
        "postgresql://ana:s3cret@[::1/db",
    ],
)
def test_no_password_is_shown_however_wrong_the_address(url):
    """The library's own messages repeat what they were given; ours do not."""
    store = evenhand.open_store(url.format(closed_port()))
    with pytest.raises(StoreUnavailable) as refused:
        store.skills()
    for part in ("s3c", "ret@", "ret/", "more"):
        assert part not in f"{refused.value} {store.url}"
    assert "127.0.0.1" in str(refused.value) or "::1" in str(refused.value)


@pytest.mark.slow
def test_a_server_that_stops_in_the_middle_does_not_stop_the_scoring(folder, postgresql_server, postgresql_url):
    """What came before is stored, what comes after is shown, and one line says so."""
    make_tables(postgresql_url)
    lines = [json.dumps(judgement(id)) + "\n" for id in "abc"]
    command = [*EVENHAND, "score", "-", "--format", "jsonl", "--store", postgresql_url]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, cwd=folder, text=True, bufsize=1, **pipes)  # type: ignore[call-overload]
    assert process.stdin is not None
    process.stdin.write(lines[0] + lines[1])  # two, because the first alone may be the start of one long document
    process.stdin.flush()
    until = time.monotonic() + 30
    while len(behind_the_back(postgresql_url, "SELECT id FROM evaluations")) < 2 and time.monotonic() < until:
        time.sleep(0.02)
    postgresql_server.stop()
    try:
        out, err = process.communicate(lines[2], timeout=60)
    finally:
        postgresql_server.start()
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["a", "b", "c"]
    assert err.startswith("error: not stored: postgresql://evenhand:***@127.0.0.1")
    assert err.count("\n") == 1, err
    assert process.returncode == 4
    assert behind_the_back(postgresql_url, "SELECT id FROM evaluations ORDER BY id") == [("a",), ("b",)]


def test_a_store_whose_server_comes_back_works_again(postgresql_server, postgresql_url):
    """One call fails; the next one connects anew. A transaction cut short left nothing."""
    store = evenhand.open_store(postgresql_url)
    store.create()
    first = evenhand.score(judgement("a"), store=store)

    def cut_short():
        with store.transaction():
            store.add(store.find("a", None)._replace(id="half", fingerprint=None))
            behind_the_back(
                postgresql_server.url(),
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'evenhand'",
            )

    with pytest.raises(StoreUnavailable):
        cut_short()
    assert [record.id for record in store.evaluations()] == [first.id]
    assert evenhand.score(judgement("b"), store=store).history.n == 1
    store.close()


def test_an_error_of_one_statement_keeps_the_connection(postgresql_url):
    """Only a connection that was lost is made anew."""
    with closing(evenhand.open_store(postgresql_url)) as store:
        store.create()
        before = store._rows("SELECT pg_backend_pid()")  # type: ignore[attr-defined]
        with pytest.raises(StoreUnavailable, match="no_such_table"):
            store._rows("SELECT 1 FROM no_such_table")  # type: ignore[attr-defined]
        assert store._rows("SELECT pg_backend_pid()") == before  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", ["not JSON", "[]", "{}", '{"receipt": 7}'])
@pytest.mark.parametrize(
    "command",
    [
        ["show", "one"],
        ["show", "one", "--format", "jsonl"],
        ["show", "one", "--format", "json"],
        ["history", "unnamed"],
        ["history"],
        ["better", "one", "two"],
        ["gate", "one", "--min-grade", "F"],
        ["score", "again.json"],
    ],
)
@pytest.mark.slow
def test_a_damaged_row_is_the_store_s_fault(evenhand_command, tmp_path, command, text):
    """Exit code 4, since nothing that the user wrote is wrong; one line says where to look."""
    path = tmp_path / "kept.db"
    for id in ("one", "two"):
        (tmp_path / "again.json").write_text(json.dumps({"id": id, "scores": seven(8)}))
        assert evenhand_command("score", "again.json", "--store", str(path)).code == 0
    (tmp_path / "again.json").write_text(json.dumps({"id": "one", "scores": seven(8)}))
    with closing(sqlite3.connect(path)) as changed, changed:
        changed.execute("UPDATE evaluations SET scorecard = ? WHERE id = 'one'", [text])
    done = evenhand_command(*command, "--store", str(path))
    assert (done.code, done.err.count("\n")) == (4, 1), done.err
    assert "the stored scorecard one is damaged" in done.err and "evenhand store check" in done.err
