"""Input that is out to do harm: escape sequences, NUL, FIFOs, names too long, files outside the judgement's folder."""

from __future__ import annotations

import csv
import json
import os
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import evenhand
from evenhand.cli.presenter import harmless_json
from evenhand.core.rules import DIMENSIONS
from evenhand.errors import NUL, InputError
from evenhand.store.replies import SqliteReplies

ATTACK = "\x1b]52;c;cm0gLXJmIC8K\x07 \x1b[2J \x9b31m \x85 \x7f \u202eevil\u2066 \u200f\u061c \U000e0041 plain"
"""OSC 52 writes the clipboard, CSI as one C1 control, marks of direction, a tag character."""

OBEYED = "\x1b\x07\x85\x9b\x7f\u202e\u2066\u200f\u061c\U000e0041"


def judgement(**more):
    said = {"score": 6, "justification": ATTACK, "evidence": [ATTACK]}
    flags = [{"id": "invented-facts", "explanation": ATTACK}]
    return {
        "id": f"id {ATTACK}",
        "skill": f"skill {ATTACK}",
        "judge": f"judge {ATTACK}",
        "task": ATTACK,
        "scores": dict.fromkeys(DIMENSIONS, said),
        "red_flags": flags,
    } | more


@pytest.fixture
def attacked(tmp_path, evenhand_command):
    """A folder with hostile judgements, and a store that holds them."""
    for name in ("one", "two"):
        text = json.dumps(judgement(id=f"{name} {ATTACK}", red_flags=[]))
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    assert evenhand_command("score", "one.json", "two.json", "-f", "jsonl").code == 0
    return evenhand_command


COMMANDS = [
    ("score", "one.json", "two.json", "--store", "none"),
    ("score", "one.json", "--store", "none"),
    ("score", "one.json", "--store", "none", "--audit"),
    ("history",),
    ("history", f"skill {ATTACK}"),
    ("better", "one.json", "two.json"),
    ("rank", "one.json", "two.json"),
    ("gate", "one.json", "--min-score", "5"),
    ("show", "one"),
    ("show", "one.json"),
    ("show", "--verify", "one.json"),
]


@pytest.mark.parametrize("format", ["terminal", "markdown", "json", "jsonl"])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:1]))
@pytest.mark.slow
def test_no_command_sends_judged_text_to_the_terminal_as_control_codes(attacked, command, format):
    """Whatever a judgement holds, nothing that a terminal obeys comes out, on either stream and in any format."""
    done = attacked(*command, "-f", format)
    assert not [char for char in done.out + done.err if char in OBEYED]


@pytest.mark.slow
def test_json_keeps_hostile_text_whole(attacked):
    """The escapes of JSON carry it: what a program reads is what was written."""
    document = json.loads(attacked("score", "one.json", "--store", "none", "-f", "json").out)
    assert document["dimensions"]["safety"]["justification"] == ATTACK
    line = attacked("show", "one", "-f", "jsonl").out
    assert json.loads(line)["id"] == f"one {ATTACK}"
    assert json.loads(harmless_json(json.dumps(ATTACK, ensure_ascii=False))) == ATTACK


@pytest.mark.slow
def test_a_prompt_is_shown_without_control_characters(tmp_path, evenhand_command):
    """The shown prompt has the words, and a mark in place of each control character."""
    (tmp_path / "answer.md").write_text(ATTACK, encoding="utf-8")
    done = evenhand_command(
        "judge",
        "answer.md",
        "--judge",
        "openai:m",
        "--base-url",
        "http://localhost:1/v1",
        "--set",
        "judge.show_prompt=true",
    )
    assert done.code == 0
    assert "plain" in done.out
    assert not [char for char in done.out if char in OBEYED]


# --- NUL


@pytest.mark.parametrize("key", ["id", "skill", "rubric", "output"])
@pytest.mark.parametrize("name", ["j.json", "j.yaml"])
def test_a_nul_character_is_an_error_with_its_line(tmp_path, evenhand_command, key, name):
    """In JSON and YAML, in whatever is a name; in free text it is one more character that nobody sees."""
    lines = ["{", f'"{key}": "a\\u0000b",', f'"scores": {json.dumps(dict.fromkeys(DIMENSIONS, 7))}', "}"]
    (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    done = evenhand_command("score", name)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"error: {name}:2: {key} {NUL}\n"


def test_a_nul_in_a_hash_of_a_scorecard_is_an_error(tmp_path, evenhand_command):
    """`verify` says so, instead of failing inside."""
    card = evenhand.document(evenhand.score({"scores": dict.fromkeys(DIMENSIONS, 7)}))
    card["receipt"]["judgement"] = "\0"
    (tmp_path / "card.json").write_text(json.dumps(card))
    done = evenhand_command("show", "--verify", "card.json")
    assert (done.code, done.err) == (1, "")
    assert "receipt.judgement" in done.out
    assert "NUL" in done.out


@pytest.mark.slow
def test_one_id_with_nul_does_not_stop_its_batch(store):
    """It is an error in its place; what stands before and after it is stored."""
    from evenhand.judges.written import judgement_from
    from evenhand.judging.keeper import Keeper
    from evenhand.judging.steps import Steps

    said = judgement_from({"scores": dict.fromkeys(DIMENSIONS, 7)})
    keeper = Keeper(store)
    kept = keeper.keep_batch([Steps().evaluate_written(said, id=id) for id in ("a", "b\0", "c")])
    assert [getattr(each, "id", None) for each in kept] == ["a", None, "c"]
    assert str(kept[1]) == f"the id of an evaluation {NUL}"
    assert keeper.failure is None
    assert [record.id for record in store.evaluations()] == ["a", "c"]


def test_the_python_api_refuses_nul():
    """Where no file was read, the judgement itself is looked at."""
    with pytest.raises(InputError, match="NUL"):
        evenhand.score({"skill": "a\0b", "scores": dict.fromkeys(DIMENSIONS, 7)})


# --- settings


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a = " + "[" * 3000 + "]" * 3000, "nested too deep"),
        ('store = "a\\u0000b"', f"store {NUL}"),
        ('[judges.mine]\nmodel = "a\\u0000b"', f"judges.mine.model {NUL}"),
    ],
)
def test_hostile_settings_are_an_error(tmp_path, evenhand_command, text, problem):
    """In one line, with the file."""
    (tmp_path / "evenhand.toml").write_text(text)
    done = evenhand_command("history")
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert problem in done.err
    assert "evenhand.toml" in done.err


# --- names and kinds of files


@pytest.mark.parametrize("length", [255, 256, 1000, 5000])
@pytest.mark.slow
def test_a_long_task_is_text(tmp_path, evenhand_command, length):
    """A name longer than a file may have is the task itself."""
    (tmp_path / "answer.md").write_text("An answer.")
    task = "w" * length
    done = evenhand_command("judge", "answer.md", "--task", task, "-f", "json", "--store", "none")
    assert json.loads(done.out)["task"] == task


def test_a_long_name_is_not_a_file(evenhand_command):
    """It is an error with the name, not a traceback."""
    name = "n" * 300
    done = evenhand_command("better", name, name)
    assert done.code == 2
    assert "no such file" in done.err


@pytest.mark.parametrize("command", ["score", "show --verify", "rank", "store import", "judge", "rubric check"])
def test_a_fifo_is_refused_instead_of_waited_for(tmp_path, evenhand_command, command):
    """Nobody writes to it, so reading would never end."""
    os.mkfifo(tmp_path / "pipe.json")
    done = evenhand_command(*command.split(), "pipe.json")
    assert done.code == 2
    assert "is a FIFO (a named pipe); to read from one, pipe it in and name the file -" in done.err


def test_a_device_is_refused(evenhand_command):
    """/dev/zero never ends."""
    done = evenhand_command("score", "/dev/zero")
    assert (done.code, done.err) == (
        2,
        "error: /dev/zero: is a device; to read from one, pipe it in and name the file -\n",
    )


@pytest.mark.skipif(not Path("/bin/bash").exists(), reason="needs bash")
@pytest.mark.slow
def test_pipes_opened_by_the_shell_are_read(tmp_path):
    """`<(command)` is a pipe that somebody writes to already, and so is /dev/stdin."""
    text = json.dumps({"scores": dict.fromkeys(DIMENSIONS, 7)})
    command = f"{sys.executable} -m evenhand score --store none -f jsonl"
    for script in (f"{command} <(echo '{text}')", f"echo '{text}' | {command} /dev/stdin"):
        done = subprocess.run(["/bin/bash", "-c", script], capture_output=True, cwd=tmp_path, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["final"] == 7


# --- SQL and spreadsheets


@pytest.mark.slow
def test_a_csv_cell_cannot_start_a_formula(tmp_path, evenhand_command):
    """An apostrophe comes before text that a spreadsheet would run; numbers stay numbers, also negative ones."""
    names = ["=1+1", "+cmd", "-cmd", "@sum", "\ttab", "fine", "-1.5", "+3"]
    rows = [{"id": name, "=note": name} | dict.fromkeys(DIMENSIONS, 7) for name in names]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = evenhand_command("table", "in.jsonl", "out.csv", "--set", "table.no_history=true")
    assert done.code == 0, done.err
    with (tmp_path / "out.csv").open(newline="") as file:
        written = list(csv.DictReader(file))
    expected = ["'=1+1", "'+cmd", "'-cmd", "'@sum", "'\ttab", "fine", "-1.5", "+3"]
    assert [row["id"] for row in written] == expected
    assert [row["'=note"] for row in written] == expected
    assert {row["final"] for row in written} == {"7.00"}
    assert evenhand_command("table", "in.jsonl", "out.jsonl", "--set", "table.no_history=true").code == 0
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == names  # only CSV needs it


# --- what a judgement may read


SCORES = dict.fromkeys(DIMENSIONS, 7)


@pytest.mark.slow
def test_a_judgement_reads_only_what_lies_in_its_own_folder(tmp_path, evenhand_command):
    """Not a path upwards, not an absolute one, not a link; what lies below is read."""
    folder = tmp_path / "judgements"
    (folder / "below").mkdir(parents=True)
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    (folder / "below" / "answer.md").write_text("an answer")
    (folder / "link.md").symlink_to(secret)
    for output in ("../secret.txt", str(secret), "link.md"):
        (folder / "j.json").write_text(json.dumps({"output": output, "scores": SCORES}))
        done = evenhand_command("score", "judgements/j.json")
        assert (done.code, done.out) == (2, "")
        assert "lies outside the judgement's folder; allow it with the setting score.allow_outputs" in done.err
    assert evenhand_command("history").out.count("secret") == 0
    for output in ("below/answer.md", str(folder / "below" / "answer.md"), "below/../below/answer.md"):
        (folder / "j.json").write_text(json.dumps({"output": output, "scores": SCORES}))
        assert evenhand_command("score", "judgements/j.json").code == 0


@pytest.mark.slow
def test_another_folder_is_read_when_it_is_allowed(tmp_path, evenhand_command, monkeypatch):
    """By an option, by the environment, or in Python; its neighbours are not."""
    for name in ("work", "work-of-others"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "answer.md").write_text("an answer")
    folder = tmp_path / "judgements"
    folder.mkdir()
    for name in ("work", "work-of-others"):
        (folder / f"{name}.json").write_text(json.dumps({"output": f"../{name}/answer.md", "scores": SCORES}))
    allowed = ("--store", "none", "--set", "score.allow_outputs=work")
    assert evenhand_command("score", "judgements/work.json", *allowed).code == 0
    assert evenhand_command("score", "judgements/work-of-others.json", *allowed).code == 2
    assert evenhand_command("rank", "judgements/work.json").code == 2
    monkeypatch.setenv("EVENHAND_ALLOW_OUTPUTS", str(tmp_path / "work"))
    assert evenhand_command("rank", "judgements/work.json").code == 0
    monkeypatch.delenv("EVENHAND_ALLOW_OUTPUTS")
    said = {"output": str(tmp_path / "work" / "answer.md"), "scores": SCORES}
    monkeypatch.chdir(folder)
    with pytest.raises(InputError, match="lies outside"):
        evenhand.score(said)
    assert evenhand.score(said, settings={"score.allow_outputs": [tmp_path / "work"]}).receipt.submission is not None


# --- who may read the store


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.slow
def test_new_files_of_a_store_are_their_owner_s_alone(tmp_path, evenhand_command):
    """The store, what SQLite puts beside it, a backup, an export, and the folder."""
    (tmp_path / "j.json").write_text(json.dumps({"scores": SCORES}))
    assert evenhand_command("score", "j.json").code == 0
    folder = tmp_path / ".evenhand"
    assert mode(folder) == 0o700
    assert evenhand_command("store", "export", "copy.db").code == 0
    assert evenhand_command("store", "export", "all.jsonl").code == 0
    other_db = str(tmp_path / "other.db")
    with closing(SqliteReplies(folder / "replies.db")) as replies, closing(evenhand.open_store(other_db)) as other:
        replies.put("key", "reply")
        evenhand.score({"scores": SCORES}, store=other)
        made = [tmp_path / name for name in ("copy.db", "all.jsonl", "other.db", "other.db-wal", "other.db-shm")]
        made += [folder / "evenhand.db", *folder.glob("replies.db*")]
        assert {path.name: mode(path) for path in made} == dict.fromkeys([path.name for path in made], 0o600)


@pytest.mark.slow
def test_files_that_are_there_keep_their_permissions(tmp_path, evenhand_command):
    """A team that shares a file has its reasons."""
    (tmp_path / "j.json").write_text(json.dumps({"scores": SCORES}))
    assert evenhand_command("score", "j.json", "--store", "shared.db").code == 0
    (tmp_path / "shared.db").chmod(0o664)
    assert evenhand_command("score", "j.json", "--store", "shared.db").code == 0
    assert mode(tmp_path / "shared.db") == 0o664


@pytest.mark.slow
def test_a_deleted_audit_is_found(tmp_path, evenhand_command):
    """The receipt has a checksum of it; a changed one is found by the arithmetic."""
    (tmp_path / "j.json").write_text(json.dumps({"scores": SCORES}))
    card = json.loads(evenhand_command("score", "j.json", "--audit", "-f", "json", "--store", "none").out)
    without = {name: value for name, value in card.items() if name != "audit"}
    changed = json.loads(json.dumps(card))
    changed["audit"][0]["text"] = "another"
    for document, differences in (
        (card, []),
        (without, ["audit"]),
        (changed, ["audit.0.text", "audit"]),
    ):
        (tmp_path / "card.json").write_text(json.dumps(document))
        done = evenhand_command("show", "--verify", "card.json", "-f", "json")
        assert {each["field"] for each in json.loads(done.out)["differences"]} == set(differences)
        assert done.code == (1 if differences else 0)
