"""The published JSON Schemas fit what is written, and refuse what is not a document."""

from __future__ import annotations

import json
import re
from functools import cache

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import ROOT, judged, seven
from hypothesis import given
from jsonschema import Draft202012Validator
from test_laws import scorecards

import evenhand
from evenhand.judges.written import judgement_from
from evenhand.store import open_store
from evenhand.store.tables.reviews import Decision
from evenhand.store.transfer import exported
from evenhand.work.label import Label


@cache
def validator(name: str) -> Draft202012Validator:
    schema = json.loads((ROOT / "src" / "evenhand" / "schemas" / f"{name}.v1.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@given(scorecards())
@pytest.mark.slow
def test_every_scorecard_fits_its_schema(made):
    """Scored, unscored, with and without an output."""
    validator("scorecard").validate(evenhand.document(made[0], audit=True))


def test_every_built_in_rubric_fits_its_schema():
    """As `rubric show --format json` prints it."""
    for name in ("default", "agent-run"):
        validator("rubric").validate(evenhand.document(evenhand.load_rubric(name)))


def test_a_ranking_fits_its_schema():
    """With equals, and with one that cannot be ranked."""
    unscored = judged(seven(8) | {"safety": {"unscored": "no answer"}}, id="u")
    ranking = evenhand.rank([judged(seven(8), id="a"), judged(seven(8), id="b"), unscored])
    validator("ranking").validate(evenhand.document(ranking))


def test_a_verification_fits_its_schema(evenhand_command):
    """As `verify --format json` prints it."""
    card = json.dumps(evenhand.document(judged(seven(8))))
    validator("verification").validate(
        json.loads(evenhand_command("show", "--verify", "-", "--format", "json", stdin=card).out)
    )


GOOD = [
    {"scores": seven(8)},
    {"scores": seven("8.5")},
    {"skill": "s", "rubric": "r", "id": 7, "judge": {"name": "j", "model": "m"}, "scores": seven({"score": 7})},
    {"scores": seven({"unscored": "why"}), "red_flags": ["x", {"id": "y", "explanation": "z", "evidence": ["q"]}]},
    {"scores": seven({"score": 7, "evidence": [{"quote": "q", "verified": True, "line": 1, "offset": 0}]})},
]
BAD = [
    {},
    {"scores": seven(0)},
    {"scores": seven(11)},
    {"scores": seven(True)},
    {"scores": seven(None)},
    {"scores": {"safety": 8}},
    {"scores": seven(8), "red_flag": []},
    {"scores": seven({"score": 8, "reason": "x"})},
    {"scores": seven(8), "red_flags": "x"},
    {"scores": seven(8), "bonuses": [{"explanation": "no id"}]},
]


@pytest.mark.parametrize("document", GOOD)
def test_the_judgement_schema_accepts_what_is_read(document):
    """Schema and reader agree on what is right."""
    validator("judgement").validate(document)
    judgement_from(document)


@pytest.mark.parametrize("document", BAD)
def test_the_judgement_schema_refuses_what_is_refused(document):
    """Schema and reader agree on what is wrong."""
    assert not validator("judgement").is_valid(document)
    with pytest.raises(evenhand.JudgementError):
        judgement_from(document)


def test_the_example_judgement_fits(evenhand_command):
    """The file a newcomer sees first."""
    import yaml

    validator("judgement").validate(yaml.safe_load((ROOT / "examples" / "review.yaml").read_text(encoding="utf-8")))


def cards(tmp_path, name, *scores):
    """A file of scorecards, one for each score, with an id and a task of its own each."""
    lines = [judged(seven(score), id=f"{name}-{number}", task=f"task {number}") for number, score in enumerate(scores)]
    path = tmp_path / f"{name}.jsonl"
    path.write_text("".join(json.dumps(evenhand.document(card)) + "\n" for card in lines))
    return path.name


@pytest.mark.parametrize("flags", [0, 2])
@pytest.mark.slow
def test_a_comparison_fits_its_schema(evenhand_command, tmp_path, flags):
    """As `compare --format json` prints it: with moves, with flags, with a side that is unscored."""
    unscored = {"scores": seven(8) | {"safety": {"unscored": "why"}}, "output": "o.md"}
    quoted = {"scores": seven({"score": 7, "evidence": ["held"]}), "output": "o.md"}
    (tmp_path / "o.md").write_text("The lock is held.")
    for name, judgement in (("a", quoted), ("b", unscored)):
        listed = ["fabricated-source", "secret-exposed"][:flags]
        (tmp_path / f"{name}.json").write_text(json.dumps(judgement | {"red_flags": listed if name == "a" else []}))
    for pair in (("a.json", "b.json"), ("b.json", "a.json"), ("a.json", "a.json")):
        shown = evenhand_command("better", *pair, "--format", "json", "--store", "none")
        validator("comparison").validate(json.loads(shown.out))


@pytest.mark.parametrize(("before", "after"), [((8, 7, 9, 6), (8, 8, 9, 9)), ((8, 6), (7, 6)), ((8, 7), (7, 6, 5))])
@pytest.mark.slow
def test_a_comparison_of_sets_fits_its_schema(evenhand_command, tmp_path, before, after):
    """Paired, whole, and with too few to tell."""
    names = cards(tmp_path, "one", *before), cards(tmp_path, "two", *after)
    shown = evenhand_command("better", *names, "--format", "json", "--store", "none")
    validator("decision").validate(json.loads(shown.out))


@pytest.mark.slow
def test_a_gate_fits_its_schema(evenhand_command, tmp_path):
    """Green, red, against a baseline, and with a file that cannot be read."""
    now, then = cards(tmp_path, "now", 8, 5), cards(tmp_path, "then", 8, 9)
    for more in (["--min-score", "6"], ["--against", then], ["missing.json", "--min-grade", "F"]):
        shown = evenhand_command("gate", now, *more, "--format", "json", "--store", "none")
        document = json.loads(shown.out)
        validator("gate").validate(document)
        assert document["rulings"]
    assert document["errors"]


def test_an_exported_row_and_a_last_line_that_counts_it_fit_their_schemas():
    """A label, which is a row beside evaluations."""
    row = dict.fromkeys(Label._fields, "") | {"rule": None, "imported": 1}
    line, last = exported([], [("labels", row)])
    validator("stored-row").validate(json.loads(line))
    validator("export").validate(json.loads(last))
    assert json.loads(last)["rows"] == 1


@pytest.mark.slow
def test_an_exported_evaluation_fits_its_schema(evenhand_command, tmp_path):
    """With the text of the output, and with its hash only."""
    (tmp_path / "o.md").write_text("The lock is held while the profile is loaded.")
    for keep in ("text", "hash"):
        evenhand_command("judge", "o.md", "--store", f"{keep}.db", "--set", f"keep={keep}")
        line, last = evenhand_command("store", "export", "-", "--store", f"{keep}.db").out.splitlines()
        validator("evaluation").validate(json.loads(line))
        validator("export").validate(json.loads(last))
        assert (json.loads(line)["submission"] is None) == (keep == "hash")


@pytest.mark.parametrize("format", ["json", "jsonl"])
@pytest.mark.slow
def test_a_plan_fits_its_schema(evenhand_command, tmp_path, format):
    """As `judge --dry-run` prints it: without prices, with them, with a stronger judge; one line as JSONL."""
    (tmp_path / "o.md").write_text("The lock is held while the profile is loaded.")
    run = ["judge", "o.md", "--judge", "openai:a", "--judge", "openai:b", "--base-url", "http://localhost:9/v1"]
    unpriced = evenhand_command(*run, "--dry-run", "--format", format)
    (tmp_path / "evenhand.toml").write_text("[judges.openai]\nprice_input = 0.4\nprice_output = 1.6\n")
    priced = evenhand_command(*run, "--set", "judge.escalate_to=openai:c", "--dry-run", "--format", format)
    for shown in (unpriced, priced):
        validator("plan").validate(json.loads(shown.out))
        assert (shown.code, shown.out.count("\n") == 1) == (0, format == "jsonl")
    assert json.loads(unpriced.out)["cost_at_most"] is None
    assert json.loads(priced.out)["escalation_calls"] > 0


@pytest.mark.parametrize("more", [{}, {"red_flags": 1}])
@pytest.mark.slow
def test_a_scored_table_fits_its_schema(evenhand_command, tmp_path, more):
    """As `batch --format json` prints it: with a row rejected, and with a warning that flags are only counted."""
    rows = [seven(8) | more, seven(8) | {"safety": 11} | more]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "in.parquet")
    shown = evenhand_command("table", "in.parquet", "out.csv", "--set", "table.no_history=true", "--format", "json")
    document = json.loads(shown.out)
    validator("batch").validate(document)
    assert (document["rows"], document["scored"], document["rejected"]) == (2, 1, 1)
    assert bool(document["warnings"]) == bool(more)


@pytest.mark.slow
def test_every_document_has_a_published_schema():
    """A name that the code writes under `schema` is one that `evenhand schema` prints; settings have no such key."""
    folders = (ROOT / "src" / "evenhand", ROOT / "scripts" / "shapes")
    sources = "".join(path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("*.py"))
    assert set(re.findall(r'"evenhand/([a-z-]+)/v1"', sources)) == set(SCHEMAS) - {"settings"}


FIXTURES = sorted((ROOT / "tests" / "fixtures" / "transcripts").glob("*.*"))


@pytest.mark.parametrize("path", [path for path in FIXTURES if path.suffix != ".zst"], ids=lambda path: path.name)
@pytest.mark.slow
def test_a_transcript_fits_its_schema(evenhand_command, path):
    """As `transcript show --format jsonl` prints it, in every format there is."""
    shown = evenhand_command("show", str(path), "--format", "jsonl")
    documents = [json.loads(line) for line in shown.out.splitlines()]
    assert documents
    for document in documents:
        validator("transcript").validate(document)


SCHEMAS = sorted(path.name.split(".")[0] for path in (ROOT / "src" / "evenhand" / "schemas").glob("*.json"))


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.slow
def test_the_command_prints_each_schema(evenhand_command, name):
    """For editors and other tools; each refuses what is not such a document."""
    schema = json.loads(evenhand_command("docs", "schema", name).out)
    assert schema["$id"] == f"evenhand/{name}/v1"
    assert not validator(name).is_valid({"schema": f"evenhand/{name}/v1"})


@pytest.mark.slow
def test_a_round_of_review_fits_its_schema(evenhand_command, tmp_path):
    """As `trust review` prints it: at random, by doubt, with some left out and some done."""
    kept = open_store(str(tmp_path / "s.db"))
    kept.create()
    for judge, text in (("a", "one"), ("a", "two"), ("b", "two")):  # 7.5 is within 0.10 of a grade's edge
        evenhand.score({"scores": seven(7.5), "skill": "notes", "judge": judge}, output=text, store=kept)
    for how in (["--sample", "1", "--set", "trust.review_seed=1"], ["--doubtful", "2", "--skill", "notes"]):
        shown = evenhand_command("trust", "review", *how, "--format", "json", "--store", "s.db")
        started = json.loads(shown.out)
        validator("review-round").validate(started)
        assert started.keys() == validator("review-round").schema["properties"].keys()
        assert started["items"] and started["left_out"]
    kept.add_decision(Decision(started["id"], 1, "ana", "2026-01-01T00:00:00Z", "an id"))
    kept.close()
    listed = json.loads(evenhand_command("trust", "review", "--format", "json", "--store", "s.db").out)
    for round in listed:
        validator("review-round").validate(round)
    assert {round["id"]: round["done"] for round in listed}[started["id"]] == {"ana": 1}
    assert not validator("review-round").is_valid(listed[0] | {"method": "whim"})


SETTINGS_FILES = [
    ('store = "none"\n[judge]\nsamples = 3\ntemperature = 0.5\nexclude = ["*.lock"]\n', True),
    ('[better]\nrepeats = 3\n[gate]\nundecided = "ok"\nmargin = 0.3\n', True),
    ('[judge]\nsmaples = 3\n', False),
    ('[better]\nrepeats = 0\n', False),
    ('[serve]\nproxy_user = "X-User"\n', False),
    ('[output]\noverwrite = true\n', False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "is_valid"), SETTINGS_FILES)
def test_the_schema_of_settings_agrees_with_their_reader(text, is_valid, tmp_path, monkeypatch):
    """What a project may set, by declared names and limits; who gets into a dashboard is not among it."""
    import tomllib

    from evenhand.options.settings import command_settings

    (tmp_path / "evenhand.toml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert validator("settings").is_valid(tomllib.loads(text)) is is_valid
    if is_valid:
        command_settings()
        return
    with pytest.raises(evenhand.InputError):
        command_settings()
