"""`verify`: a scorecard that was not changed holds, and every change of one field is named.

Each leaf of a document is changed, and each key removed, one at a time; what verification says of it is a line of the
golden file. So is what it says of a rubric and an output other than those that were used.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import evenhand
from contract.core.making import CREATED, SHARED, seven, shared_rubric
from contract.core.test_findings import CASES as FOUND
from contract.core.test_findings import card_of
from contract.core.test_pages import HERE
from contract.doors import run_here
from contract.goldens import compare

OUTPUT = (SHARED / "output.md").read_text(encoding="utf-8")
BY_HAND = {
    "skill": "notes",
    "judge": {"name": "human:ana", "role": "tester"},
    "task": "Say why.",
    "scores": seven(8)
    | {
        "correctness": {"score": 8.25, "justification": "It holds.", "evidence": ["every minute", "nowhere"]},
        "safety": {"score": 6.5, "justification": "So-so."},
    },
    "red_flags": [{"id": "late", "explanation": "A day.", "evidence": ["an hour"]}, "rude"],
    "bonuses": [{"id": "kind", "explanation": "It is."}],
}
CRITERIA = {
    "scores": seven(8)
    | {
        "correctness": {
            "criteria": {
                "names-cause": {"answer": "yes", "reason": "It is there.", "evidence": ["The cache kept entries"]},
                "names-time": "partly",
                "invents": "no",
                "ran-tests": "no",
                "traced": "does not apply",
            }
        },
        "completeness": {"criteria": {"swears": "no"}},
    },
}
OPEN = BY_HAND | {"scores": BY_HAND["scores"] | {"adherence": {"unscored": "no time"}}}


def written(judgement: dict[str, Any], rubric: str = "small") -> dict[str, Any]:
    card = evenhand.score(judgement, rubric=shared_rubric(rubric), output=OUTPUT, id="x", created=CREATED)
    return evenhand.document(card, audit=True)


def documents() -> dict[str, dict[str, Any]]:
    return {
        "by-hand": written(BY_HAND),
        "open": written(OPEN),
        "criteria": written(CRITERIA, "criteria"),
        "findings": evenhand.document(card_of("agent")),
        "unread": evenhand.document(card_of("unread")),
        **{path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((HERE / "cards").glob("*.json"))},
    }


DOCUMENTS = documents()


def changes(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], str, Any]]:
    """Every leaf with another value, every key and every item without its own: the path, what is done, the value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key), "removed", None
            yield from changes(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield (*path, place), "removed", None
            yield from changes(inner, (*path, place))
    elif isinstance(value, bool):
        yield path, "changed", not value
    elif isinstance(value, int | float):
        yield path, "changed", round(value - 0.25, 4) if value > 1.25 else round(value + 0.25, 4)
    elif value in ("yes", "no", "partly", "cannot tell"):
        yield path, "changed", "no" if value == "yes" else "yes"
    elif isinstance(value, str):
        yield path, "changed", f"{value}x"
    else:
        yield path, "changed", "something"


def changed(document: dict[str, Any], path: tuple[Any, ...], done: str, value: Any) -> dict[str, Any]:
    made = copy.deepcopy(document)
    inner: Any = made
    for key in path[:-1]:
        inner = inner[key]
    if done == "removed":
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return made


def said(document: dict[str, Any], **against: Any) -> str:
    """What verification says, on one line."""
    try:
        result = evenhand.verify(document, **against)
    except evenhand.EvenhandError as error:
        return f"refused: {error}"
    named = "; ".join(f"{field} {problem}" for field, problem in ((d.field, d.problem) for d in result.differences))
    return re.sub(r"\s+", " ", named) or "holds"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_change_of_a_scorecard_is_named(name: str):
    """One line for each; of other kinds of scorecards for every second or third."""
    document = DOCUMENTS[name]
    assert said(document) == "holds"
    lines = []
    every = 1 if name == "by-hand" else 2 if name in ("criteria", "findings") else 3
    for path, done, value in islice(changes(document), 0, None, every):
        where = ".".join(map(str, path))
        lines.append(f"{where} {done}: {said(changed(document, path, done, value))[:400]}\n")
    assert not [line for line in lines if line.endswith(": holds\n")]
    compare(HERE / "golden" / f"changes-{name}.txt", "".join(lines))


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every leaf, and of every object and list."""
    if path:
        yield path
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*path, key))


OTHER_KINDS = (True, "x", [], None, {"a": 1}, -1, 1.5, "")


@pytest.mark.parametrize("name", ["panel-sampled-pair", "findings", "history", "official", "criteria"])
def test_a_value_of_another_kind_is_named(name: str):
    """A truth value for a number, a list for a text, nothing for an object, and so on in turn."""
    document = DOCUMENTS[name]
    lines = []
    for place, path in enumerate(leaves(document)):
        if place % 2 == 0 and path[0] not in ("audit", "receipt"):
            value = OTHER_KINDS[place // 2 % len(OTHER_KINDS)]
            shown = said(changed(document, path, "changed", value))[:300]
            lines.append(f"{'.'.join(map(str, path))} = {value!r}: {shown}\n")
    compare(HERE / "golden" / f"kinds-{name}.txt", "".join(lines))


def test_an_answer_that_is_none_of_the_five_is_named():
    """Of a panel's judge, and of one who answered by hand."""
    by_panel = ("panel", "members", 0, "verdicts", "traced")
    by_hand = ("dimensions", "correctness", "criteria", "criteria", 0, "verdict")
    for name, path in (("panel-by-criteria", by_panel), ("criteria", by_hand)):
        found = said(changed(DOCUMENTS[name], path, "changed", "perhaps"))
        wanted = 'unknown answer "perhaps"; valid: yes, no, partly, does not apply, cannot tell'
        assert found.startswith(f"{'.'.join(map(str, path))} {wanted}; "), found


def nested(times: int) -> dict[str, Any]:
    """A group in a group, so many times."""
    inner: dict[str, Any] = {"id": "leaf", "sentence": "It holds.", "points": 1, "verdict": "yes"}
    for depth in range(times):
        inner = {"id": f"g{depth}", "title": "", "weight": 1, "criteria": [inner]}
    return inner


TREE = DOCUMENTS["criteria"]["dimensions"]["correctness"]["criteria"]
CRITERIA_CHANGES: dict[str, dict[str, Any]] = {
    "an id twice": {"criteria": [*TREE["criteria"], TREE["criteria"][0]]},
    "no criteria": {"criteria": []},
    "groups 99 deep": {"criteria": [nested(99)]},
    "groups 100 deep": {"criteria": [nested(100)]},
    "groups 101 deep": {"criteria": [nested(101)]},
    **{
        f"points {points!r}": {"criteria": [TREE["criteria"][0] | {"points": points}, *TREE["criteria"][1:]]}
        for points in ("2/1", "2/0", "x", "1/3x", "-2", "2.0", "1e400", 2.5, Decimal("2.00"))
    },
    **{f"partly {partly!r}": {"partly": partly} for partly in ("1/2", "2/6", "0.5", "x", "", 0.5, None)},
    **{f"value {value!r}": {"value": value} for value in ("1", None, "2/6", {"low": "0", "high": "1"})},
    **{
        f"votes {votes!r}": {"criteria": [TREE["criteria"][0] | {"votes": votes}, *TREE["criteria"][1:]]}
        for votes in ({"yes": 2}, {"maybe": 1}, {"yes": "x"}, {"yes": 1.5}, {"yes": True})
    },
    "another key": {"criteria": [TREE["criteria"][0] | {"colour": "red"}, *TREE["criteria"][1:]]},
    "no sentence": {"criteria": [{**TREE["criteria"][0], "sentence": None}, *TREE["criteria"][1:]]},
}


def test_criteria_that_are_not_as_they_were_written_are_named():
    lines = []
    for name, change in CRITERIA_CHANGES.items():
        document = changed(DOCUMENTS["criteria"], ("dimensions", "correctness", "criteria"), "changed", TREE | change)
        lines.append(f"{name}: {said(document)[:400]}\n")
    compare(HERE / "golden" / "changes-criteria-more.txt", "".join(lines))


def test_a_changed_calibration_is_refused(tmp_path: Path):
    """A value of another kind for every leaf, object and list of the file, and every key removed."""
    document = json.loads((SHARED / "official.calibration.json").read_text(encoding="utf-8"))
    file, card = tmp_path / "changed.json", evenhand.score(BY_HAND, rubric=shared_rubric("small"))
    lines = []
    for place, path in enumerate(leaves(document)):
        values = [("removed", None)] if isinstance(path[-1], str) else []
        for done, value in [*values, ("changed", OTHER_KINDS[place % len(OTHER_KINDS)])]:
            file.write_text(json.dumps(changed(document, path, done, value)), encoding="utf-8")
            try:
                evenhand.gate([card], calibration=file)
                message = "taken"
            except evenhand.EvenhandError as error:
                message = str(error).replace(f"{file}: ", "")
            lines.append(f"{'.'.join(map(str, path))} {done} {value!r}: {message}\n")
    assert not [line for line in lines if line.endswith(": taken\n")]
    compare(HERE / "golden" / "changes-calibration.txt", "".join(lines))


ADDED = {
    "task": "another",
    "nonsense": 1,
    "interval": {"low": 1, "high": 2, "grades": ["F", "F"]},
    "final": "8",
    "grade": "B",
    "schema": "evenhand/scorecard/v2",
    "methodology": "2",
    "case": None,
    "red_flags": {},
    "dimensions": [],
    "history": {"n": 1},
    "created": "yesterday",
    "pass_mark": Decimal("1E+5000"),
    "composite": Decimal("8.00000000000000000000000000000000001"),
    "after_deductions": 10**60,
    "id": 7,
    "audit": [{"rule": "R1", "text": "nothing"}],
    "panel": {},
    "findings": {},
    "skill_version": "1",
    "judge": "x",
    "warnings": "x",
}


def test_what_is_added_or_of_another_kind_is_named():
    lines = [f"{key} = {value!r}: {said(DOCUMENTS['by-hand'] | {key: value})}\n" for key, value in ADDED.items()]
    compare(HERE / "golden" / "changes-added.txt", "".join(lines))


@pytest.mark.parametrize("name", sorted({*DOCUMENTS} & {"by-hand", "criteria", "findings", *FOUND}))
def test_a_scorecard_against_its_rubric_and_output_and_others(name: str):
    """What was checked, what could not be, and what differs."""
    document = DOCUMENTS[name]
    lines = []
    for rubric in (None, "small", "strict", "criteria", "detecting"):
        for output in (None, OUTPUT, OUTPUT.replace("an hour", "a day").replace("Tests", "The tests")):
            against: dict[str, Any] = {}
            if rubric is not None:
                against["rubric"] = SHARED / f"{rubric}.md"
            if output is not None:
                against["output"] = output
            result = evenhand.verify(document, **against)
            found = [f"  {difference.field} {difference.problem}" for difference in result.differences]
            checked = [f"  + {text}" for text in result.checked] + [f"  - {text}" for text in result.unchecked]
            number = None if output is None else len(output)
            lines.append("\n".join([f"{rubric}, output of {number}: {result.ok}", *found, *checked, ""]))
    compare(HERE / "golden" / f"against-{name}.txt", "".join(lines))


def test_an_unchanged_scorecard_holds_whatever_its_layout():
    """Keys in another order and numbers as text of JSON hash the same."""
    for document in DOCUMENTS.values():
        turned = json.loads(json.dumps(dict(reversed(document.items())), indent=7))
        assert said(turned) == "holds"
        assert said(json.loads(json.dumps(document, sort_keys=True))) == "holds"


def test_the_file_is_named_that_was_verified(tmp_path):
    """Two files may hold scorecards of one id."""
    whole = written(BY_HAND)
    (tmp_path / "a.json").write_text(json.dumps(whole), encoding="utf-8")
    (tmp_path / "b.json").write_text(json.dumps(whole | {"final": 9}), encoding="utf-8")
    ran = run_here("show", "--verify", "a.json", "b.json", cwd=tmp_path)
    assert ran.code == 1
    assert re.findall(r"^[^ ] (.*)$", ran.out, flags=re.MULTILINE) == ["a.json (x) holds", "b.json (x) does not hold"]
    results = json.loads(run_here("show", "--verify", "a.json", "b.json", "--format", "json", cwd=tmp_path).out)
    assert [(result["file"], result["id"], result["ok"]) for result in results] == [
        ("a.json", "x", True),
        ("b.json", "x", False),
    ]


def test_all_that_is_wrong_with_a_file_is_reported_at_once(tmp_path):
    """Each with its line and what is valid."""
    broken = written(BY_HAND)
    broken["judge"] = 3
    broken["dimensions"]["safety"]["score"] = "x"
    broken["dimensions"]["adherence"]["weight"] = None
    broken["pass_mark"] = "no"
    broken["receipt"] = {}
    text = json.dumps(broken, indent=1)
    (tmp_path / "card.json").write_text(text, encoding="utf-8")
    ran = run_here("show", "--verify", "card.json", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    said = [line for line in ran.err.splitlines() if "receipt" not in line]
    lines = [int(place) for place in re.findall(r"card\.json:(\d+)", "\n".join(said))]
    assert [text.splitlines()[line - 1].strip(" ,").split(":")[0] for line in lines] == [
        '"judge"',
        '"weight"',
        '"score"',
        '"pass_mark"',
    ]
    assert all(" must be " in line for line in said)


ODD_BANDS = "".join(f"- {band}: Band {band}.\n" for band in ("8-10", "6-7", "4-5", "2-3", "1-1"))


@pytest.mark.parametrize("bands", ["usual", "odd"])
def test_every_door_gives_the_same_recommendations(bands: str, tmp_path: Path):
    """The document, the page, the notebook, JUnit, CTRF and a gate's summary on GitHub, with a rubric of one's own."""
    text = Path(__file__).with_name("shared").joinpath("strict.md").read_text(encoding="utf-8")
    if bands == "odd":
        text = re.sub(r"(?:- \d+-\d+: .*\n)+", ODD_BANDS, text)
    (tmp_path / "mine.md").write_text(text, encoding="utf-8")
    scores = seven(7) | {"safety": 3}
    (tmp_path / "judgement.json").write_text(json.dumps({"id": "x", "scores": scores}), encoding="utf-8")
    score = ("score", "judgement.json", "--rubric", "mine.md", "--store", "none", "--format")
    card = run_here(*score, "json", cwd=tmp_path).out
    entries = json.loads(card)["recommendations"]
    said = [
        (f"Raise {entry['name']} from {entry['score']:.2f} to {entry['target']:.2f}", f"+{entry['effect']['gain']:.2f}")
        for entry in entries
    ]
    assert len(said) == 3
    (tmp_path / "card.json").write_text(card, encoding="utf-8")
    gate = ("gate", "--github", "card.json", "--min-grade", "A", "--store", "none")
    summary = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"), "GITHUB_ACTIONS": "true"}
    assert run_here(*gate, cwd=tmp_path, environment=summary).code == 1
    in_python = evenhand.score({"id": "x", "scores": scores}, rubric=evenhand.load_rubric(tmp_path / "mine.md"))
    doors = {
        name: run_here(*score, name, cwd=tmp_path).out for name in ("terminal", "markdown", "html", "junit", "ctrf")
    }
    doors["notebook"] = in_python._repr_html_()  # type: ignore[attr-defined]
    doors["GitHub"] = (tmp_path / "summary.md").read_text(encoding="utf-8")
    for door, shown in doors.items():
        lines = re.sub(r"<[^>]*>", "", shown)
        changes = re.findall(r"(Raise \w+ from [\d.]+ to [\d.]+\d)\W+(\+[\d.]+\d)", lines)
        # JUnit says why a case failed as an attribute, as a text and as its output.
        assert list(dict.fromkeys(changes)) == (said[:1] if door == "GitHub" else said), door


def test_a_changed_recommendation_is_named():
    """It is part of the document like any other field."""
    card = evenhand.document(evenhand.score({"scores": seven(8)}))
    card["recommendations"].pop()
    [differing] = evenhand.verify(card).differences
    assert differing.field == "recommendations"


def test_a_stored_evaluation_is_verified_by_its_id_with_its_output(tmp_path: Path):
    """By `latest`, its id or the start of it; a changed rubric is a difference, an unknown id an error."""
    (tmp_path / "out.md").write_text("It works.", encoding="utf-8")
    scores = {name: {"score": 8, "evidence": ["It works."]} for name in evenhand.DIMENSIONS}
    (tmp_path / "j.json").write_text(json.dumps({"output": "out.md", "scores": scores}), encoding="utf-8")
    kept = ("--store", "e.db")
    card = json.loads(run_here("score", "j.json", *kept, "--format", "json", cwd=tmp_path).out)
    for named in ("latest", card["id"], card["id"][:20]):
        ran = run_here("show", named, "--verify", *kept, cwd=tmp_path)
        assert (ran.code, "the output and every quote" in " ".join(ran.out.split())) == (0, True), ran.err
    assert run_here("show", "latest", "--verify", "--rubric", "devops", *kept, cwd=tmp_path).code == 1
    unknown = run_here("show", "nosuch", "--verify", *kept, cwd=tmp_path)
    assert (unknown.code, unknown.err.startswith("error: nosuch: no such file, and no evaluation in")) == (2, True)
