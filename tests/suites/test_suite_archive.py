"""A run of a suite packed into one archive, and every number of it computed again elsewhere."""

from __future__ import annotations

import io
import json
import platform
import random
import zipfile
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from conftest import make_rubric

import evenhand
from evenhand.core.rules import METHODOLOGY_VERSION
from evenhand.core.scorecard import SuitePlace
from evenhand.decisions.suite_run import SuiteRun
from evenhand.errors import InputError
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import Keeper
from evenhand.judging.steps import Steps
from evenhand.store import open_store
from evenhand.suites.judgement.run_judgements import with_numbers
from evenhand.suites.results import suite_archive
from evenhand.suites.results.suite_results import save_run
from panels import OUTPUT, panel_of
from suite_cases import failed, result

SECRET = "AKIA" + "QWERTYUIOPASDFGH"


def stored_run(
    path: Path, *, variants: int, cases: int, output: str = OUTPUT, more: int = 0, and_failed: bool = False
) -> None:
    """A stored run judged by a panel of two: every evaluation with its output, every result from its scorecard."""
    chance = random.Random(30)
    names = tuple(f"v{number}" for number in range(variants))
    run = SuiteRun("run-1", "study", "ab" * 32, "2026-01-01T00:00:00Z", names, "v0", 1, cases, judges=("a", "b"))
    steps = Steps(make_rubric())
    results = []
    with closing(open_store(str(path))) as store:
        waiting = []
        for place, name in enumerate(names):
            for case in range(cases):
                scores = (chance.randint(4, 8) + place * 0.5, chance.randint(4, 8) + place * 0.5)
                id = f"{name}-{case}"
                evaluated = steps.evaluate_written(panel_of(*scores), output=f"{output}\n{id}", id=id)
                card = evaluated.card._replace(suite=SuitePlace("run-1", f"c{case}", name, 1), case=f"c{case}")
                waiting.append(Evaluated(card, evaluated.submission, True))
                numbers = with_numbers(result(f"c{case}", name), card)
                results.append(numbers._replace(final=(numbers.final or 0) + more))
        Keeper(store).keep_batch(waiting)
        if and_failed:
            results.append(failed("c9", names[0]))
        save_run(store, run, results)


def test_what_is_not_in_the_archive_is_in_its_notes(tmp_path, monkeypatch):
    """A scorecard that the store has lost, a file that is too large; hidden files are not even named."""
    monkeypatch.chdir(tmp_path)
    stored_run(tmp_path / "s.db", variants=2, cases=2)
    study = tmp_path / "study"
    (study / "cases").mkdir(parents=True)
    (study / "suite.yaml").write_text("suite: study\n")
    (study / "cases" / "one.md").write_text("A case.")
    (study / ".hidden").write_text("x")
    monkeypatch.setattr(suite_archive, "_LARGEST", 15)
    (study / "just.txt").write_text("x" * 15)
    (study / "over.txt").write_text("x" * 16)
    with closing(open_store(str(tmp_path / "s.db"))) as store:
        whole = suite_archive.pack(store, "run-1", io.BytesIO())
        assert (whole.run, whole.evaluations, whole.files) == ("run-1", 4, 3)  # a rubric, the evaluations and the table
        assert [note for note in whole.notes if "scorecard" in note and "not in the store" in note] == []
        find = store.find
        monkeypatch.setattr(store, "find", lambda id, print: None if id == "v0-0" else find(id, print))
        target = io.BytesIO()
        packed = suite_archive.pack(store, "run-1", target, suite=study / "suite.yaml")
    assert packed.evaluations == 3
    assert packed.notes[0] == "1 scorecard of the run is not in the store"
    assert "suite/over.txt: left out, larger than 15 bytes" in packed.notes
    with zipfile.ZipFile(target) as archive:
        inside = {name for name in archive.namelist() if name.startswith("suite/")}
        assert json.loads(archive.read("manifest.json"))["notes"] == list(packed.notes)
    assert inside == {"suite/suite.yaml", "suite/cases/one.md", "suite/just.txt"}


def test_an_archive_is_the_same_bytes_with_the_names_and_hashes_of_all_that_it_holds(tmp_path, monkeypatch):
    """The manifest first, the other files by name, as of the first day that the format knows; compressed."""
    monkeypatch.chdir(tmp_path)
    stored_run(tmp_path / "s.db", variants=2, cases=3)
    Path("evenhand.toml").write_text("[store]\n")
    Path("replies.jsonl").write_text("{}\n")
    targets = [io.BytesIO(), io.BytesIO()]
    with closing(open_store(str(tmp_path / "s.db"))) as store:
        for target in targets:
            suite_archive.pack(store, "run-1", target, replies=Path("replies.jsonl"))
    assert targets[0].getvalue() == targets[1].getvalue()
    with zipfile.ZipFile(targets[0]) as archive:
        infos = archive.infolist()
        contents = {info.filename: archive.read(info) for info in infos}
    names = list(contents)
    assert names[0] == "manifest.json" and names[1:] == sorted(names[1:])
    assert {name for name in names if "/" in name and not name.startswith("rubrics/")} == {
        "settings/evenhand.toml", "replies/replies.jsonl",
    }  # fmt: skip
    assert {info.date_time for info in infos} == {(1980, 1, 1, 0, 0, 0)}
    assert {info.compress_type for info in infos} == {zipfile.ZIP_DEFLATED}
    manifest = json.loads(contents["manifest.json"])
    assert manifest["files"] == hashes(contents)
    assert (manifest["format"], manifest["run"], manifest["suite"], manifest["suite_sha256"]) == (
        "evenhand run archive, version 1", "run-1", "study", "ab" * 32,
    )  # fmt: skip
    assert (manifest["variants"], manifest["judges"], manifest["notes"]) == (["v0", "v1"], ["a", "b"], [])
    assert manifest["versions"] == {
        "evenhand": evenhand.__version__, "methodology": METHODOLOGY_VERSION, "python": platform.python_version(),
    }  # fmt: skip
    assert contents["manifest.json"].endswith(b"}\n")


def test_a_rubric_that_is_not_on_this_machine_is_noted_once(tmp_path, monkeypatch):
    """Four scorecards have it; the archive has their weights, not its words."""
    monkeypatch.chdir(tmp_path)
    stored_run(tmp_path / "s.db", variants=2, cases=2)
    monkeypatch.setattr(suite_archive, "rubric_used", lambda card: None)
    with closing(open_store(str(tmp_path / "s.db"))) as store:
        packed = suite_archive.pack(store, "run-1", io.BytesIO())
    (note,) = packed.notes
    assert note.startswith("rubrics/made-") and note.endswith("its hash and weights are on the scorecards")
    assert (packed.evaluations, packed.files) == (4, 2)


def test_hidden_files_and_folders_and_files_with_secrets_are_left_out(tmp_path, monkeypatch):
    """Hidden ones without a word; a secret with its kind."""
    monkeypatch.chdir(tmp_path)
    stored_run(tmp_path / "s.db", variants=1, cases=1)
    study = tmp_path / "study"
    for folder in ("cases/deep", ".git", "cases/.cache"):
        (study / folder).mkdir(parents=True)
        (study / folder / "x.txt").write_text("x")
    (study / "suite.yaml").write_text("suite: study\n")
    (study / "key.env").write_text(f"aws_access_key_id = {SECRET}\n")
    target = io.BytesIO()
    with closing(open_store(str(tmp_path / "s.db"))) as store:
        packed = suite_archive.pack(store, "run-1", target, suite=study / "suite.yaml")
    with zipfile.ZipFile(target) as archive:
        names = {name for name in archive.namelist() if name.startswith("suite/")}
    assert names == {"suite/suite.yaml", "suite/cases/deep/x.txt"}
    (note,) = packed.notes
    assert note.startswith("suite/key.env: left out, holds what looks like a secret (")


def test_a_submission_with_a_secret_stops_the_packing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    stored_run(tmp_path / "s.db", variants=1, cases=1, output=f"{OUTPUT}\naws_access_key_id = {SECRET}")
    target = io.BytesIO()
    refused = pytest.raises(InputError, match=r"the evaluation v0-0 holds what looks like a secret \(.*so no archive")
    with closing(open_store(str(tmp_path / "s.db"))) as store, refused:
        suite_archive.pack(store, "run-1", target)
    assert target.getvalue() == b""


def test_a_run_of_which_some_results_have_no_scorecard_is_packed_without_a_note(tmp_path, monkeypatch):
    """A run that failed was never judged: nothing is missing. It comes back with the others."""
    monkeypatch.chdir(tmp_path)
    stored_run(tmp_path / "s.db", variants=1, cases=1, and_failed=True)
    target = io.BytesIO()
    with closing(open_store(str(tmp_path / "s.db"))) as store:
        packed = suite_archive.pack(store, "run-1", target)
    assert (packed.evaluations, packed.notes) == (1, ())
    Path("a.zip").write_bytes(target.getvalue())
    done = suite_archive.unpack("a.zip", tmp_path / "deep" / "new")
    assert (done.evaluations, done.results) == (1, 2)


def archive_of(tmp_path: Path, *, more: int = 0) -> dict[str, bytes]:
    """The files of an archive of a run with two scorecards, each result some hundredths above its scorecard."""
    stored_run(tmp_path / "s.db", variants=2, cases=1, more=more)
    target = io.BytesIO()
    with closing(open_store(str(tmp_path / "s.db"))) as store:
        suite_archive.pack(store, "run-1", target)
    with zipfile.ZipFile(target) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(path: Path, contents: dict[str, bytes], **manifest: object) -> str:
    """An archive with these files, and what its manifest says changed."""
    stated = json.loads(contents["manifest.json"]) | manifest
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {**contents, "manifest.json": json.dumps(stated).encode()}.items():
            archive.writestr(name, content)
    return str(path)


def hashes(contents: dict[str, bytes]) -> dict[str, str]:
    return {name: sha256(content).hexdigest() for name, content in contents.items() if name != "manifest.json"}


def test_an_archive_is_unpacked_whole_or_refused(tmp_path, monkeypatch):
    """Not an archive, another format, a file too many or too few, a path that leads out, a folder that is there."""
    monkeypatch.chdir(tmp_path)
    contents = archive_of(tmp_path)
    path = tmp_path / "a.zip"
    done = suite_archive.unpack(written(path, contents), tmp_path / "whole")
    assert (done.run, done.evaluations, done.results) == ("run-1", 2, 2)
    assert done.store == str(tmp_path / "whole" / "evenhand.db")
    assert (tmp_path / "whole" / "table.csv").read_bytes() == contents["table.csv"]

    def refused(archive: str, folder: str = "x") -> str:
        with pytest.raises(InputError) as caught:
            suite_archive.unpack(archive, tmp_path / folder)
        return str(caught.value)

    assert refused(str(path), "whole").endswith("whole already exists; name a new folder")
    (tmp_path / "text.zip").write_text("no")
    assert refused("text.zip") == "text.zip is not an archive that evenhand run pack wrote"
    assert refused("absent.zip") == "absent.zip: no such file"
    no_manifest = {name: content for name, content in contents.items() if name != "manifest.json"}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("table.csv", no_manifest["table.csv"])
    assert "is not an archive that evenhand run pack wrote" in refused(str(path))
    assert refused(written(path, contents, format="other")).endswith("was changed since it was packed")
    assert refused(written(path, {**contents, "more.txt": b""})).endswith("more.txt was changed since it was packed")
    for missing in ("table.csv", "evaluations.jsonl"):
        fewer = {name: content for name, content in contents.items() if name != missing}
        assert refused(written(path, fewer)).endswith("a file that its manifest lists is missing")
        assert refused(written(path, fewer, files=hashes(fewer))).endswith("is missing")
    rubric = next(name for name in contents if name.startswith("rubrics/"))
    without = {name: content for name, content in contents.items() if name != rubric}
    assert refused(written(path, without)).endswith("a file that its manifest lists is missing")
    for name in ("/etc/x", "../x", "a/../../x", "a\\x"):
        outside = {**contents, name: b"x"}
        assert refused(written(path, outside, files=hashes(outside))).endswith(f"{name} leads out of the folder")
    assert not (tmp_path / "x").exists()


def test_numbers_that_come_out_differently_are_refused(tmp_path, monkeypatch):
    """A result that does not follow from its scorecard; a table that does not follow from the results."""
    monkeypatch.chdir(tmp_path)
    contents = archive_of(tmp_path)
    contents["table.csv"] += b"more\n"
    made = written(tmp_path / "a.zip", contents, files=hashes(contents), versions={"evenhand": "0.9"})
    with pytest.raises(InputError, match=r"the table comes out differently; it was packed by evenhand 0\.9$"):
        suite_archive.unpack(made, tmp_path / "one")
    made = written(tmp_path / "a.zip", contents, files=hashes(contents), versions={})
    with pytest.raises(InputError, match="it was packed by evenhand of an unknown version"):
        suite_archive.unpack(made, tmp_path / "two")


def test_a_result_that_does_not_follow_from_its_scorecard_is_refused(tmp_path, monkeypatch):
    """One hundredth more than the scorecard has, in the store and the table alike."""
    monkeypatch.chdir(tmp_path)
    contents = archive_of(tmp_path, more=1)
    with pytest.raises(InputError, match=r"the result of c0, v0, 1 does not follow from its scorecard v0-0$"):
        suite_archive.unpack(written(tmp_path / "a.zip", contents), tmp_path / "x")


@pytest.mark.slow
def test_three_variants_forty_cases_and_two_judges_give_the_same_table_elsewhere(evenhand_command, tmp_path):
    """Byte for byte, in another folder, from the archive alone; packed twice it is the same archive."""
    stored_run(tmp_path / "s.db", variants=3, cases=40)
    packed = evenhand_command("run", "pack", "latest", "--store", "s.db", "-o", "study.zip")
    assert (packed.code, packed.out) == (0, ""), packed.err
    said = packed.err.splitlines()
    assert (said[0], said[-1]) == ("written: study.zip", "packed: 120 scorecards, 2 files")
    told = evenhand_command("run", "pack", "latest", "--store", "s.db", "-o", "third.zip", "-f", "json")
    assert json.loads(told.out).items() >= {"file": "third.zip", "evaluations": 120, "files": 2}.items()
    evenhand_command("run", "pack", "latest", "--store", "s.db", "-o", "again.zip")
    assert (tmp_path / "study.zip").read_bytes() == (tmp_path / "again.zip").read_bytes()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "study.zip").rename(elsewhere / "study.zip")
    unpacked = evenhand_command("run", "import", "study.zip", "-o", "study", cwd=elsewhere)
    assert unpacked.code == 0, unpacked.err
    assert "120 scorecards and 120 results computed again" in unpacked.out
    for format in ("latex", "csv", "json", "svg", "markdown", "terminal"):
        here = evenhand_command("run", "table", "latest", "--store", "s.db", "-f", format)
        there = evenhand_command("run", "table", "latest", "--store", "study/evenhand.db", "-f", format, cwd=elsewhere)
        assert here.out == there.out
        assert here.out
    assert "the panel" in here.out and "Judged by a" in here.out


def test_an_archive_that_was_changed_is_refused(evenhand_command, tmp_path):
    """By the hash of a file, or because a result does not follow from its scorecard; nothing passes for reproduced."""
    stored_run(tmp_path / "s.db", variants=2, cases=2)
    evenhand_command("run", "pack", "latest", "--store", "s.db", "-o", "study.zip")
    with zipfile.ZipFile(tmp_path / "study.zip") as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    contents["table.csv"] = contents["table.csv"].replace(b"v1", b"v9")
    with zipfile.ZipFile(tmp_path / "changed.zip", "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    done = evenhand_command("run", "import", "changed.zip", "-o", "x")
    assert done.code == 2 and "table.csv was changed since it was packed" in done.err
    (tmp_path / "no.zip").write_text("no archive")
    assert (
        "is not an archive that evenhand run pack wrote" in evenhand_command("run", "import", "no.zip", "-o", "x").err
    )
    assert not (tmp_path / "x").exists()


def test_secrets_are_not_packed(evenhand_command, tmp_path):
    """A file beside the suite with one is left out and named; a scorecard with one stops the packing."""
    stored_run(tmp_path / "s.db", variants=2, cases=1)
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "suite.yaml").write_text("suite: study\n")
    (tmp_path / "evals" / "notes.txt").write_text(f"aws_access_key_id = {SECRET}\n")
    done = evenhand_command("run", "pack", "latest", "--store", "s.db", "--suite", "evals/suite.yaml", "-o", "a.zip")
    assert done.code == 0, done.err
    assert "note: suite/notes.txt: left out, holds what looks like a secret" in done.err
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        names = [name for name in archive.namelist() if not name.startswith("rubrics/")]  # those this process knows
        assert sorted(names) == ["evaluations.jsonl", "manifest.json", "suite/suite.yaml", "table.csv"]
        manifest = json.loads(archive.read("manifest.json"))
        assert manifest["run"] == "run-1" and set(manifest["versions"]) == {"evenhand", "methodology", "python"}
        assert SECRET.encode() not in b"".join(map(archive.read, archive.namelist()))
    stored_run(tmp_path / "t.db", variants=2, cases=1, output=f"aws_access_key_id = {SECRET}")
    refused = evenhand_command("run", "pack", "latest", "--store", "t.db", "-o", "b.zip")
    assert refused.code == 2 and "holds what looks like a secret" in refused.err
    assert not (tmp_path / "b.zip").exists()
