"""Evaluations moved between stores: byte for byte, all or nothing; checks that find what was changed; backups."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from conftest import seven
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from postgresql_server import behind_the_back

import evenhand
from evenhand.core.receipt import sha256
from evenhand.errors import InputError, StoreUnavailable
from evenhand.files.documents import open_lines
from evenhand.judges.written import judgement_from
from evenhand.judging.keeper import Keeper
from evenhand.judging.steps import Steps
from evenhand.store.record import record_of
from evenhand.store.record_check import check_record
from evenhand.store.transfer import exported, import_lines, import_records

UNSCORED = seven(8) | {"safety": {"unscored": 'the judge said "no" \u2713'}}


def fill(address: str) -> None:
    """A store with every kind of evaluation: long histories, flags, drift, text or hash, no score, odd letters."""
    with closing(evenhand.open_store(address)) as store:
        store.create()
        for n in range(14):
            scores = seven(*(1 + (n * step) % 19 / 2 for step in (1, 2, 3, 5, 7, 11, 13)))
            evenhand.score({"skill": "code", "judge": f"model {n % 3}", "scores": scores}, store=store)
        evenhand.score({"skill": "code", "scores": UNSCORED}, store=store)
        odd = 'line\r\nbreak \u2028 tab\t "quotes" \\ nul\0 na\u00efve \U0001f600 \x7f'
        evenhand.score({"skill": odd.replace("\0", ""), "scores": seven(7.13)}, output=odd, task=odd, store=store)
        evenhand.score({"id": "zero", "scores": seven(1)}, output="", store=store)
        said = {"score": 9, "justification": odd, "evidence": ["not there", "na\u00efve"]}
        flags = [{"id": "missed-crash", "explanation": odd}]
        judgement = {"rubric": "code-review", "scores": seven(said), "red_flags": flags, "bonuses": ["race-found"]}
        evaluated = Steps().evaluate_written(judgement_from(judgement), output=odd)
        Keeper(store, keep="hash").keep(evaluated)


def lines_of(address: str) -> list[str]:
    with closing(evenhand.open_store(address)) as store:
        return list(exported(store.evaluations()))


@pytest.fixture
def sqlite_path(tmp_path: Path) -> str:
    return str(tmp_path / "first.db")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The lines of a filled store."""
    path = str(tmp_path_factory.mktemp("source") / "source.db")
    fill(path)
    return lines_of(path)


def write_lines(path: Path, lines: list[str]) -> str:
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    return str(path)


def ended(lines: list[str]) -> list[str]:
    """Some lines of an export as an export of their own: with a last line that counts them."""
    whole = [line for line in lines if "evenhand/export/v1" not in line]
    digests = "".join(json.loads(line)["sha256"] for line in whole)
    ending = {"schema": "evenhand/export/v1", "evaluations": len(whole), "sha256": sha256(digests)}
    return [*whole, json.dumps(ending) + "\n"]


# --- out and in again


@pytest.mark.slow
def test_from_sqlite_to_postgresql_and_back_every_byte_is_the_same(
    tmp_path, sqlite_path, postgresql_url, evenhand_command
):
    """Export, import, export, import, export: three equal files, and both stores are sound."""
    fill(sqlite_path)
    steps = [
        ("export", "1.jsonl", "--store", sqlite_path),
        ("create", "--store", postgresql_url),
        ("import", "1.jsonl", "--store", postgresql_url),
        ("export", "2.jsonl", "--store", postgresql_url),
        ("import", "2.jsonl", "--store", "back.db"),
        ("export", "3.jsonl", "--store", "back.db"),
    ]
    for step in steps:
        done = evenhand_command("store", *step)
        assert done.code == 0, done.err
    one, two, three = ((tmp_path / f"{n}.jsonl").read_bytes() for n in (1, 2, 3))
    assert one == two == three
    assert one.count(b"\n") == 19  # 14 + unscored + odd + zero + hash, and the line that counts them
    for address in (sqlite_path, postgresql_url, "back.db"):
        done = evenhand_command("store", "check", "--store", address)
        assert (done.code, done.err) == (0, "")
        assert done.out.endswith(": 18 evaluations, sound\n")
    assert rows(sqlite_path) == rows(postgresql_url) == rows(str(tmp_path / "back.db"))


def rows(address: str) -> list[tuple]:
    with closing(evenhand.open_store(address)) as store:
        return list(store.evaluations())


@pytest.mark.slow
def test_a_team_moves_to_postgresql_with_two_commands(sqlite_path, postgresql_url, evenhand_command):
    """Make the tables, then import the SQLite file itself; the history goes on where it was."""
    fill(sqlite_path)
    assert evenhand_command("store", "create", "--store", postgresql_url).code == 0
    done = evenhand_command("store", "import", sqlite_path, "--store", postgresql_url)
    assert (done.code, done.out) == (0, "18 added, 0 were there already\n")
    assert lines_of(postgresql_url) == lines_of(sqlite_path)
    last = [evenhand.open_store(address) for address in (sqlite_path, postgresql_url)]
    cards = [evenhand.score({"skill": "code", "scores": seven(2)}, store=store) for store in last]
    assert cards[0].history == cards[1].history
    assert cards[0].history.n == 10
    for store in last:
        store.close()


@pytest.mark.slow
def test_importing_again_adds_nothing(store_address, tmp_path):
    """Not from a file, not from another store, not into the store it came from."""
    fill(store_address)
    before = lines_of(store_address)
    path = write_lines(tmp_path / "all.jsonl", before)
    with closing(evenhand.open_store(store_address)) as store:
        assert import_lines(store, open_lines(path)) == (0, 18, 0, 0)
        assert import_records(store, store.evaluations()) == (0, 18, 0, 0)
    assert lines_of(store_address) == before


def test_an_import_fills_in_what_is_missing(tmp_path, source, store):
    """Evaluations come into the order of time, beside those already there."""
    half = write_lines(tmp_path / "half.jsonl", ended(source[::2]))
    whole = write_lines(tmp_path / "whole.jsonl", source)
    assert import_lines(store, open_lines(half)) == (9, 0, 0, 0)
    assert import_lines(store, open_lines(whole)) == (9, 9, 0, 0)
    assert list(exported(store.evaluations())) == source


@pytest.mark.slow
def test_an_empty_store_exports_an_empty_file_that_can_be_imported(tmp_path, store, store_address, evenhand_command):
    """Nothing out, nothing in."""
    assert evenhand_command("store", "export", "none.jsonl", "--store", store_address).code == 0
    assert (tmp_path / "none.jsonl").read_bytes() == b""
    done = evenhand_command("store", "import", "none.jsonl", "--store", store_address)
    assert (done.code, done.out) == (0, "0 added, 0 were there already\n")


words = some.text(some.characters(exclude_categories=["Cs"]), max_size=30)
scores = some.one_of(some.integers(100, 1000).map(lambda cents: cents / 100), some.just({"unscored": "no"}))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    skill=words.map(lambda text: text.replace("\0", "")),
    judge=words.filter(str.strip),
    words=words,
    output=some.none() | words,
    # where nothing is scored there is nothing to store
    scores=some.tuples(*[scores] * 7).filter(lambda row: not all(isinstance(score, dict) for score in row)),
)
@pytest.mark.slow
def test_whatever_a_judge_writes_survives_the_way_out_and_in(store, tmp_path, skill, judge, words, output, scores):
    """Any letters, any scores; the file's bytes and the rows are equal."""
    path = tmp_path / "between.jsonl"
    said = {name: {"score": each, "justification": words} for name, each in seven(*scores).items()}
    for each in said.values():
        if isinstance(each["score"], dict):
            each |= {"score": None, **each["score"]}
    card = evenhand.score({"skill": skill, "judge": judge, "scores": said}, output=output, task=words, store=store)
    record = store.find(card.id, None)
    path.write_text("".join(exported([record])), encoding="utf-8", newline="\n")
    other = tmp_path / "other.db"
    other.unlink(missing_ok=True)
    with closing(evenhand.open_store(str(other))) as copy:
        assert import_lines(copy, open_lines(str(path))) == (1, 0, 0, 0)
        assert list(copy.evaluations()) == [record]
        assert "".join(exported(copy.evaluations())).encode() == path.read_bytes()
    assert check_record(record) == []


@pytest.mark.slow
def test_export_never_overwrites_and_leaves_no_half_file(tmp_path, sqlite_path, evenhand_command):
    """An existing file is named; '-' is standard output, with the same bytes."""
    fill(sqlite_path)
    (tmp_path / "there.jsonl").write_text("mine")
    done = evenhand_command("store", "export", "there.jsonl", "--store", sqlite_path)
    assert (done.code, done.err) == (2, "error: there.jsonl: already exists; name a new file\n")
    assert (tmp_path / "there.jsonl").read_text() == "mine"
    assert evenhand_command("store", "export", "-", "--store", sqlite_path).out == "".join(lines_of(sqlite_path))
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix != ".db") == ["there.jsonl"]


# --- all or nothing


def with_final(line: str) -> str:
    return line.replace('"final":', '"final":1', 1)


def with_justification(line: str) -> str:
    return line.replace('"justification":""', '"justification":"well done"', 1)


def with_task(line: str) -> str:
    document = json.loads(line)
    document["submission"] = {"output": "", "task": "another"}
    return json.dumps(document) + "\n"


def with_output(line: str) -> str:
    return with_task(line).replace('"output": ""', '"output": "another"').replace('"another"}', "null}")


def without_schema(line: str) -> str:
    return line.replace("evenhand/evaluation/v1", "evenhand/evaluation/v9")


def with_completed(line: str) -> str:
    return line.replace('"completed":', f'"completed":{2**64}')


def with_another_moment(line: str) -> str:
    return re.sub(r'"completed":(\d+)', lambda found: f'"completed":{int(found[1]) + 1}', line, count=1)


def with_an_unknown_field(line: str) -> str:
    return line.replace('"completed":', '"note":"mine","completed":', 1)


def without_hash(line: str) -> str:
    return re.sub(r',"sha256":"[0-9a-f]{64}"}\n$', "}\n", line)


def cut_short(line: str) -> str:
    return line[: len(line) // 2] + "\n"


def another_with_the_same_id(line: str) -> str:
    with_other_scores = evenhand.score({"id": "zero", "scores": seven(2)}, output="other")
    return next(exported([record_of(with_other_scores, completed=1, submission=None, keep_text=False)]))


CHANGES = {
    with_final: "the evaluation was changed: final says 11, should say 1",
    with_justification: "the evaluation was changed: dimensions.",
    with_task: "the evaluation was changed: the task or the reference of the submission does not match the scorecard",
    with_output: "the evaluation was changed: receipt.submission says",
    without_schema: 'not an exported evaluation: "schema" must be "evenhand/evaluation/v1"',
    with_completed: "not a complete evaluation: it needs completed, a whole number of 64 bits, and a scorecard",
    with_another_moment: "the evaluation was changed: its sha256 does not match",
    with_an_unknown_field: 'unknown field "note"; valid: schema, completed, scorecard, submission, listed, sha256',
    without_hash: "the evaluation has no sha256",
    cut_short: "not valid JSON: ",
    another_with_the_same_id: ' already has a different evaluation with the id "zero"',
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_one_bad_line_and_nothing_is_imported(tmp_path, source, store, change):
    """The file and the line are named, and what was in the store stays."""
    place = next(n for n, line in enumerate(source) if '"id":"zero"' in line)
    changed = change(source[place])
    assert changed != source[place]
    if change is another_with_the_same_id:
        place = len(source)
    path = write_lines(tmp_path / "changed.jsonl", [*source[:place], changed, *source[place + 1 :]])
    evenhand.score({"id": "mine", "scores": seven(5)}, store=store)
    with pytest.raises(InputError) as refused:
        import_lines(store, open_lines(path))
    message = str(refused.value).replace(f"{store.url} already", " already")
    assert message.startswith(f"{path}:{place + 1}: {CHANGES[change]}")
    assert [record.id for record in store.evaluations()] == ["mine"]


@pytest.mark.slow
def test_a_missing_row_is_found(tmp_path, source, store):
    """Any line but the last, the last line, and two lines in another order."""
    assert json.loads(source[-1])["evaluations"] == len(source) - 1 == 18
    swapped = [source[1], source[0], *source[2:]]
    for lines in ([*source[:3], *source[4:]], source[1:], swapped):
        with pytest.raises(InputError, match=r"the export is incomplete: 1[78] evaluations came before this line"):
            import_lines(store, open_lines(write_lines(tmp_path / "missing.jsonl", lines)))
    with pytest.raises(InputError, match="its last line, which counts the evaluations, is missing"):
        import_lines(store, open_lines(write_lines(tmp_path / "missing.jsonl", source[:-1])))
    assert list(store.evaluations()) == []


def test_exports_one_after_another_are_imported(tmp_path, source, store):
    """Files of two stores may be joined."""
    joined = write_lines(tmp_path / "joined.jsonl", [*source, *source])
    assert import_lines(store, open_lines(joined)) == (18, 18, 0, 0)
    assert list(exported(store.evaluations())) == source


@pytest.mark.slow
def test_the_import_command_names_the_bad_line(tmp_path, source, store, store_address, evenhand_command):
    """One line on standard error, exit code 2; without the bad line it works."""
    write_lines(tmp_path / "changed.jsonl", [*source[:5], cut_short(source[5]), *source[6:]])
    done = evenhand_command("store", "import", "changed.jsonl", "--store", store_address)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: changed.jsonl:6: not valid JSON: ")
    assert done.err.count("\n") == 1
    write_lines(tmp_path / "changed.jsonl", ended([*source[:5], *source[6:]]))
    done = evenhand_command("store", "import", "changed.jsonl", "--store", store_address)
    assert (done.code, done.out, done.err) == (0, "17 added, 0 were there already\n", "")


def test_a_differing_evaluation_in_the_store_already_is_not_overwritten(tmp_path, source, store):
    """The same id with another judgement: the line is named, nothing is added."""
    path = write_lines(tmp_path / "all.jsonl", source)
    evenhand.score({"id": "zero", "scores": seven(5)}, store=store)
    with pytest.raises(InputError, match=r'all\.jsonl:17: .* already has a different evaluation with the id "zero"'):
        import_lines(store, open_lines(path))
    assert [record.final for record in store.evaluations()] == [500]
    assert "never-shown" not in store.url


def test_a_changed_sqlite_file_is_not_imported(tmp_path, sqlite_path, store):
    """Its evaluations are checked like those of a JSONL file."""
    fill(sqlite_path)
    behind_the_back(sqlite_path, "UPDATE evaluations SET final = 1000 WHERE id = 'zero'")
    source = evenhand.open_store(sqlite_path)
    with pytest.raises(InputError, match="zero: the column final says 1000, the scorecard 100"):
        import_records(store, source.evaluations())
    source.close()
    assert list(store.evaluations()) == []


@pytest.mark.slow
def test_an_import_cut_off_by_the_store_adds_nothing(tmp_path, sqlite_path, postgresql_url, postgresql_server):
    """The connection is lost after ten of eighteen."""
    fill(sqlite_path)
    target = evenhand.open_store(postgresql_url)
    target.create()

    def cut_off_after_ten():
        with closing(evenhand.open_store(sqlite_path)) as source:
            for n, record in enumerate(source.evaluations()):
                if n == 10:
                    ours = "application_name = 'evenhand'"
                    stop = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {ours}"
                    behind_the_back(postgresql_server.url(), stop)
                yield record

    with pytest.raises(StoreUnavailable):
        import_records(target, cut_off_after_ten())
    assert list(target.evaluations()) == []
    target.close()


# --- check


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("final = 1000", "zero: the column final says 1000, the scorecard 100"),
        ("grade = 'A'", "zero: the column grade says A, the scorecard F"),
        ("skill = 'other'", "zero: the column skill says other, the scorecard unnamed"),
        ("safety = NULL", "zero: the column safety says None, the scorecard 100"),
        ("judge = '{}'", 'zero: the column judge says {}, the scorecard {"name":"unnamed"}'),
        ("fingerprint = NULL", "zero: the column fingerprint says None, the scorecard "),
        ("created = '2020-01-01T00:00:00Z'", "zero: the column created says 2020-01-01T00:00:00Z, the scorecard "),
        ("rubric_sha256 = 'x'", "zero: the column rubric_sha256 says x, the scorecard "),
        ("scorecard = replace(scorecard, '\"final\":1', '\"final\":9')", "zero: final says 9, should say 1"),
        ('scorecard = replace(scorecard, \'"justification":""\', \'"justification":"x"\')', "zero: dimensions."),
        ("scorecard = '{}'", "zero: not a scorecard: "),
        ("scorecard = 'not JSON'", "zero: the stored scorecard zero is damaged"),
        ('submission = \'{"output":"other","task":null}\'', "zero: receipt.submission says "),
        (
            'submission = \'{"output":"","task":"x"}\'',
            "zero: the task or the reference of the submission does not match the scorecard",
        ),
        ("submission = 'not JSON'", "zero: "),
        ("id = 'one'", "one: the column id says one, the scorecard zero"),
    ],
)
def test_check_finds_a_changed_scorecard_and_a_changed_column(store, store_address, change, said):
    """Which evaluation, which field, what it says and what it should."""
    evenhand.score({"id": "other", "scores": seven(1)}, output="", task="t", store=store)
    evenhand.score({"id": "zero", "scores": seven(1)}, output="", store=store)
    assert [check_record(record) for record in store.evaluations()] == [[], []]
    behind_the_back(store_address, f"UPDATE evaluations SET {change} WHERE id = 'zero'")
    sound, wrong = [check_record(record) for record in store.evaluations()]
    assert sound == []
    assert wrong[0].startswith(said)


@pytest.mark.slow
def test_store_check_says_what_is_wrong_and_exits_with_one(tmp_path, store_address, evenhand_command):
    """Each on a line of standard error; the sum on standard output."""
    fill(store_address)
    done = evenhand_command("store", "check", "--store", store_address)
    assert (done.code, done.err) == (0, "")
    behind_the_back(store_address, "UPDATE evaluations SET final = 1000 WHERE id = 'zero'")
    done = evenhand_command("store", "check", "--store", store_address)
    assert done.code == 1
    assert done.err == "wrong: zero: the column final says 1000, the scorecard 100\n"
    assert done.out.endswith(": 18 evaluations, 1 problem\n")
    assert "never-shown" not in done.out


# --- backup

WRITE_FOR_EVER = """
import sys
from itertools import count
from evenhand import DIMENSIONS, open_store, score
store = open_store(sys.argv[1])
for n in count():
    judgement = {"scores": dict.fromkeys(DIMENSIONS, 8)}
    print(score(judgement, output=f"What was judged, number {n}. " * 99, store=store).id, flush=True)
"""


@pytest.mark.slow
def test_a_backup_made_while_another_process_writes_is_sound(tmp_path, sqlite_path):
    """It holds everything that was acknowledged before it began, and what is in it verifies."""
    command = [sys.executable, "-c", WRITE_FOR_EVER, sqlite_path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        acknowledged = set()
        try:
            for number in range(3):
                acknowledged |= {writer.stdout.readline().strip() for _ in range(20)}
                with closing(evenhand.open_store(sqlite_path)) as store:
                    store.backup(tmp_path / f"backup-{number}.db")  # type: ignore[attr-defined]
                with closing(evenhand.open_store(str(tmp_path / f"backup-{number}.db"))) as copy:
                    assert copy.check() == []
                    assert acknowledged <= {record.id for record in copy.evaluations()}
                    assert [wrong for record in copy.evaluations() for wrong in check_record(record)] == []
            assert writer.poll() is None  # it went on all the while
        finally:
            writer.kill()


@pytest.mark.slow
def test_backup_never_overwrites(tmp_path, sqlite_path, evenhand_command):
    """Not a file, not a folder, not a link that leads nowhere; and it copies only what is there."""
    fill(sqlite_path)
    (tmp_path / "file.db").write_bytes(b"mine")
    (tmp_path / "folder.db").mkdir()
    (tmp_path / "link.db").symlink_to(tmp_path / "nowhere")
    for name in ("file.db", "folder.db", "link.db"):
        done = evenhand_command("store", "export", name, "--store", sqlite_path)
        assert (done.code, done.err) == (2, f"error: {name} already exists; name a new file\n")
    assert (tmp_path / "file.db").read_bytes() == b"mine"
    done = evenhand_command("store", "export", "missing/new.db", "--store", sqlite_path)
    assert (done.code, done.err) == (2, "error: missing/new.db cannot be created: No such file or directory\n")
    done = evenhand_command("store", "export", "new.db", "--store", "nothing.db")
    assert (done.code, done.err) == (2, "error: nothing.db: there is no store to back up\n")
    assert not (tmp_path / "new.db").exists()
    done = evenhand_command("store", "export", "new.db", "--store", sqlite_path)
    assert (done.code, done.out) == (0, "new.db\n")
    assert lines_of(str(tmp_path / "new.db")) == lines_of(sqlite_path)


def test_half_a_backup_does_not_stay(tmp_path, sqlite_path):
    """A damaged store cannot be copied whole, and then there is no copy."""
    fill(sqlite_path)
    data = Path(sqlite_path).read_bytes()
    Path(sqlite_path).write_bytes(data[: len(data) // 2 - 100])
    with closing(evenhand.open_store(sqlite_path)) as store, pytest.raises(StoreUnavailable):
        store.backup(tmp_path / "copy.db")  # type: ignore[attr-defined]
    assert not (tmp_path / "copy.db").exists()


def test_a_postgresql_store_is_backed_up_otherwise(evenhand_command):
    """The message says how, without asking the server."""
    done = evenhand_command("store", "export", "copy.db", "--store", "postgresql://127.0.0.1:1/db")
    assert done.code == 2
    assert "pg_dump" in done.err
