"""What version 0.1.0 wrote before its parts were moved: scorecards, a store, a calibration and schemas still hold.

A phrase inside a stored scorecard is data. The files in tests/fixtures/first_version are never written again.
"""

from __future__ import annotations

import gzip
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import evenhand
from every_case import every_case

FOLDER = Path(__file__).parents[1] / "fixtures" / "first_version"
SCORECARDS = (
    "calibrated", "checks", "expectations", "hand-1", "hand-12", "one-judge", "panel", "rescored", "unscored",
)  # fmt: skip


def written(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return document


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The store of then: twelve reviews of one skill, and one evaluation of each other kind."""
    path = tmp_path / "kept.db"
    path.write_bytes(gzip.decompress((FOLDER / "store.db.gz").read_bytes()))
    return path


@pytest.mark.parametrize("name", SCORECARDS)
def test_a_scorecard_verifies(name: str):
    """Recomputed from its own inputs, whatever the sentences in it say."""
    assert evenhand.verify(written(name)).differences == ()


@pytest.mark.parametrize("name", [name for name in SCORECARDS if name not in ("checks", "expectations", "unscored")])
def test_a_scorecard_is_scored_again_as_it_was(name: str):
    """Its own rubric gives its own final score."""
    card = written(name)
    assert evenhand.rescore(card, rubric=card["rubric"]["name"]).final == Decimal(str(card["final"]))


def test_a_ranking_comes_out_as_it_was():
    """The same order, decided by the same rules."""
    cards = [written(name) for name in ("hand-1", "hand-12", "panel")]
    before = written("ranking")
    after = evenhand.document(evenhand.rank(cards))
    assert [entry | before["entries"][n] for n, entry in enumerate(after["entries"])] == after["entries"]


def test_the_store_is_sound_and_grows(evenhand_command, kept: Path, tmp_path: Path):
    """It is checked, listed, exported as it was, and compared with: the window holds the newest ten."""
    assert evenhand_command("store", "check", "--store", str(kept)).code == 0
    exported = evenhand_command("store", "export", "-", "--store", str(kept))
    before = [json.loads(line) for line in (FOLDER / "export.jsonl").read_text(encoding="utf-8").splitlines()]
    after = [json.loads(line) for line in exported.out.splitlines()]
    assert [line | before[n] for n, line in enumerate(after)] == after
    judgement = {"skill": "code-review", "rubric": "code-review", "scores": dict.fromkeys(evenhand.DIMENSIONS, 7)}
    with_history = evenhand.score(judgement, store=evenhand.open_store(str(kept)))
    assert with_history.history is not None and with_history.history.n == 10


def test_the_calibration_fits_its_judge(evenhand_command):
    """A gate that requires it takes the scorecard that was calibrated with it."""
    calibration, card = str(FOLDER / "judge.calibration.json"), str(FOLDER / "calibrated.json")
    done = evenhand_command("gate", card, "--min-score", "1", "--require-calibration", calibration)
    assert done.code == 0, done.err


def inlined(part: Any, definitions: dict[str, Any], inside: tuple[str, ...] = ()) -> Any:
    """A schema with its definitions in their places: what they are called does not matter to anyone. One that holds
    itself is left as it is there."""
    if isinstance(part, list):
        return [inlined(item, definitions, inside) for item in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        name = part["$ref"].removeprefix("#/$defs/")
        return part if name in inside else inlined(definitions[name], definitions, (*inside, name))
    return {name: inlined(value, definitions, inside) for name, value in part.items() if name != "$defs"}


def additions_only(before: Any, after: Any, path: str, *, is_input: bool = False) -> list[str]:
    """What a schema has lost or changed; new properties and new alternatives are additions.

    What people write may also be taken in more forms than before: none of what they wrote becomes invalid.
    """
    if is_input and isinstance(before, dict) and isinstance(after, dict) and "anyOf" in after and "anyOf" not in before:
        forms = [additions_only(before, {"title": None, **form}, path, is_input=True) for form in after["anyOf"]]
        return min(forms, key=len)
    if isinstance(before, dict) and isinstance(after, dict):
        lost = [f"{path}/{name}: removed" for name in before if name not in after]
        return lost + [
            problem
            for name, value in before.items()
            if name in after and name not in ("description", "title", "examples")
            for problem in additions_only(value, after[name], f"{path}/{name}", is_input=is_input)
        ]
    if isinstance(before, list) and isinstance(after, list):
        kept = [
            value for value in before if any(not additions_only(value, other, "", is_input=is_input) for other in after)
        ]
        return [f"{path}: {json.dumps(value)[:80]} removed" for value in before if value not in kept]
    return [] if before == after else [f"{path}: {before!r} became {after!r}"]


@every_case("path", sorted(FOLDER.glob("schemas/*.json")), ids=lambda path: path.name)
def test_a_published_schema_has_only_grown(path: Path):
    """A published field is neither renamed nor retyped, and none becomes optional that was always there.

    A suite is a file that people write, and one with `triggers` needs no cases: every earlier suite is still valid.
    """
    current = Path(evenhand.__file__).parent / "schemas" / path.name
    schemas = [json.loads(file.read_text(encoding="utf-8")) for file in (path, current)]
    before, after = (inlined(schema, schema.get("$defs", {})) for schema in schemas)
    is_suite = path.name == "suite.v1.schema.json"
    expected = ['/required: "cases" removed'] if is_suite else []
    assert additions_only(before, after, "", is_input=is_suite) == expected
