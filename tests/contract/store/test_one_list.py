"""Everything kept is one list: evaluations, attempts that failed, cells of suites; every door counts it alike."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from fake_server import FakeServer, chat

import evenhand
from contract.doors import served
from contract.goldens import compare
from contract.store.team import SILENT, evenhand_here, judgement, keep, run_suite, shown

GOLDEN = Path(__file__).parent / "golden"


def team(folder: Path, address: str) -> None:
    """Three graded notes, a mail, one checked by programs alone, one partly scored, an attempt that failed, a suite."""
    keep(
        address,
        judgement("first", 8),
        judgement("second", 7, day=2, judge="human:bo"),
        output="# Report {id}\n\nThe baggage is late.\n",
        task="Find the baggage of {id}.\nThen report.",
    )
    keep(address, judgement("mail", 6, skill="mails", day=3), output="Dear all,\nnothing was lost.")
    keep(address, judgement("half", [9, 9, 9, 9, 9, 9, SILENT], day=4), judgement("none", SILENT, day=5))
    with closing(evenhand.open_store(address)) as store:
        evenhand.check(evenhand.Submission("Cats sleep 12 hours.", id="checked", skill="notes"), store=store)
    done = evenhand_here(folder, address, "score", "second", "--rubric", "code-review", "--save")
    assert done.code == 0, done.err
    done = run_suite(folder, address)
    assert done.code == 5, done.err


def page(address: str, path: str, **asked: str) -> Any:
    with urlopen(f"{address}{path}?{urlencode(asked | {'format': 'json'})}") as answer:
        return json.load(answer)


def steady(text: str) -> str:
    """Without ids, moments and paths that differ between two runs."""
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f-]{21}", "<id>", text)
    text = re.sub(r"confined by \w+, network \w+", "confined as this system does", text)
    text = re.sub(r"20(?!26-01)\d\d-\d\d-\d\d[T ]\d\d:\d\d(:[\d.]+Z)?", "<now>", text)
    return re.sub(r"(postgresql:|/)\S*/(postgres|evaluations\.db|e\w+_\d+)", "<store>", text)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where that store is; it is only read."""
    folder = tmp_path_factory.mktemp("team")
    server = None if request.param == "sqlite" else request.getfixturevalue("postgresql_server")
    address = str(folder / "evaluations.db") if server is None else server.empty_database()
    team(folder, address)
    return address


@pytest.fixture(scope="module")
def dashboard(kept: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(kept, tmp_path_factory.mktemp("served")) as address:
        yield address


def test_every_door_counts_the_same(kept: str, dashboard: str, tmp_path: Path):
    """Six evaluations of notes and one of mails, one of them rescored; four cells of a suite, one of them lost."""
    spent = shown(tmp_path, kept, "history", "--cost")
    skills = {row["skill"]: row for row in shown(tmp_path, kept, "history")}
    rows, before = [], ""
    while True:
        part = page(dashboard, "/evaluations", **({"before": before} if before else {}))
        rows += part["listed"]
        before = part["next"]
        if not before:
            break
    with urlopen(f"{dashboard}/evaluations?format=csv") as answer:
        sheet = list(csv.DictReader(io.TextIOWrapper(answer, "utf-8")))
    found = {state: len(page(dashboard, "/evaluations", state=state)["listed"]) for state in STATES}
    notes = page(dashboard, "/skill", name="notes")
    suite = page(dashboard, "/evaluations", kind="suite", variant="old")["listed"]
    judges = page(dashboard, "/judges")
    assert len(rows) == len(sheet) == spent["total"]["evaluations"] == sum(found.values())
    assert Counter(row["state"] for row in rows) == Counter(row["state"] for row in sheet) == STATES
    assert found == STATES
    by_skill = Counter(row["skill"] for row in rows)
    assert by_skill == {entry["name"]: entry["evaluations"] for entry in spent["skills"]}
    assert by_skill == {name: row["evaluations"] + row["in_suites"] for name, row in skills.items()}
    assert by_skill["notes"] == notes["evaluations"] == len(notes["listed"])
    assert (skills["notes"]["failed"], skills["mails"]["failed"]) == (2, 0)
    assert sorted(row["state"] for row in suite) == ["lost", "unread"]
    assert judges["evaluations"] == len(rows) - STATES["lost"]


STATES = {"graded": 4, "incomplete": 1, "unread": 4, "failed": 1, "lost": 1}


def test_latest_works_wherever_an_id_does(tmp_path: Path):
    """The newest by time, whatever was added last; an evaluation that is itself called so comes first."""
    address = str(tmp_path / "evaluations.db")
    keep(address, judgement("older", 7), judgement("newer", 8, day=2))
    assert shown(tmp_path, address, "show", "latest")["id"] == "newer"
    ranked = shown(tmp_path, address, "rank", "older", "latest")
    assert [entry["id"] for entry in ranked["entries"]] == ["newer", "older"]
    keep(address, judgement("latest", 9))
    assert shown(tmp_path, address, "show", "latest")["final"] == 9


def test_a_row_says_what_it_is_without_being_opened(dashboard: str):
    rows = {row["id"]: row for row in page(dashboard, "/evaluations")["listed"]}
    lost = next(row for row in rows.values() if row["state"] == "lost")
    assert (lost["title"], lost["reason"], lost["variant"]) == (
        "Crash now.",
        "it ended with exit code 1: the engine stalled",
        "old",
    )
    first = rows["first"]
    assert (first["title"], first["preview"]) == ("Find the baggage of first.", "# Report first The baggage is late.")
    assert (rows["mail"]["title"], rows["mail"]["preview"]) == ("Dear all,", "nothing was lost.")
    assert (rows["none"]["title"], rows["none"]["state"]) == ("none", "failed")
    assert rows["none"]["reason"] == rows["half"]["reason"] == SILENT["unscored"]
    assert (first["judge"], first["kind"], first["grade"], first["cost"]) == ("human:ana", "output", "B+", 0)


@pytest.mark.parametrize(
    ("asked", "ids"),
    [
        ("baggage", ["first", "second"]),
        ("BAGG", ["first", "second"]),
        ("baggage first", ["first"]),
        ('"baggage is late"', ["first", "second"]),
        ('"baggage late"', []),
        ("fell asleep", ["half", "none"]),
        ("stalled", ["lost"]),
        ("nothing lost", ["mail"]),
        ("!?", []),
        ("zeppelin", []),
    ],
)
def test_a_search_finds_what_is_kept_by_its_words(dashboard: str, asked: str, ids: list[str]):
    found = page(dashboard, "/evaluations", q=asked)["listed"]
    names = [row["state"] if row["state"] == "lost" else row["id"] for row in found]
    assert sorted(set(names) & {"first", "second", "half", "none", "mail", "lost"}) == ids


@pytest.mark.parametrize(
    ("asked", "ids"),
    [
        ({"judge": "human:bo"}, {"second", "rescored"}),
        ({"rubric": "code-review"}, {"rescored"}),
        ({"grade": "B+"}, {"first"}),
        ({"grade": "none"}, {"half", "none", "checked", "suite"}),
        ({"min": "7", "max": "7.99"}, {"second", "rescored"}),
        ({"from": "2026-01-03", "to": "2026-01-04"}, {"mail", "half"}),
        ({"skill": "mails"}, {"mail"}),
        ({"sort": "worst", "kind": "output", "rubric": "default"}, ["mail", "second", "first"]),
        ({"sort": "best", "kind": "output", "rubric": "default"}, ["first", "second", "mail"]),
        ({"sort": "oldest", "kind": "output", "state": "graded", "to": "2026-01-09"}, ["first", "second", "mail"]),
    ],
)
def test_a_list_holds_matching_rows(dashboard: str, asked: dict[str, str], ids: Any):
    found = [
        "suite" if row["kind"] == "suite" else "rescored" if len(row["id"]) == 24 else row["id"]
        for row in page(dashboard, "/evaluations", **asked)["listed"]
    ]
    assert (found if isinstance(ids, list) else set(found)) == ids


def test_the_pages_of_a_team_s_store(kept: str, tmp_path: Path):
    """History, what failed, cost, a lost cell, and that all of it is sound."""
    lost = next(row["id"] for row in shown(tmp_path, kept, "history", "--failed") if row["state"] == "lost")
    commands = (
        ("history",),
        ("history", "notes"),
        ("history", "--failed"),
        ("history", "notes", "--failed", "--last", "1", "--format", "markdown"),
        ("history", "mails", "--failed"),
        ("history", "--failed", "--format", "html"),
        ("history", "--cost"),
        ("history", "--cost", "--since", "2026-01-03", "--format", "markdown"),
        ("show", lost),
        ("show", lost, "--format", "html"),
        ("show", "nowhere"),
        ("store", "check"),
    )
    text = ""
    for command in commands:
        done = evenhand_here(tmp_path, kept, *command)
        text += f"$ evenhand {' '.join(command)}\n{done.out}{done.err}(exit code {done.code})\n\n"
    text = re.sub(r"(?s)<style>.*?</style>", "<style></style>", text)  # how it looks is the pages' own contract
    text = re.sub(r"sha256-[\w+/]+=", "sha256-<style>", text)
    lines = (line.rstrip() for line in steady(text.replace(kept, "<store>")).splitlines())
    compare(GOLDEN / "team.txt", "\n".join(lines) + "\n")


PAGES = (
    ("/", {}),
    ("/skill", {"name": "notes", "from": "2026-01-01", "to": "2026-01-31"}),
    ("/skill", {"name": "mails"}),
    ("/judges", {}),
    ("/judges", {"name": "human:ana"}),
    ("/judges", {"skill": "notes"}),
    ("/suites", {}),
    ("/rubrics", {}),
    ("/rubrics", {"name": "default"}),
    ("/reviews", {}),
    ("/log", {}),
    ("/evaluation", {"id": "second", "against": "first"}),
    ("/evaluation", {"id": "first"}),
    ("/evaluation", {"id": "half"}),
)


def test_the_dashboard_says_the_same_of_either_store(dashboard: str):
    """Every page as data. The two variants of the suite ran at once, so which of them comes first is left out."""
    text = ""
    for path, asked in PAGES:
        shown_page = json.dumps(page(dashboard, path, **asked), indent=1, ensure_ascii=False)
        text += f"{path} {urlencode(asked)}\n{shown_page}\n"
    text = re.sub(r"\b20(?!26-01)\d\d-\d\d-\d\d\b", "<day>", steady(text))
    text = re.sub(r'\b(old|new)(?= luggage|")', "<variant>", text)
    compare(GOLDEN / "pages.txt", re.sub(r'(?<="sha256": ")[0-9a-f]{64}', "<sha256>", text))


def test_every_attempt_of_a_model_is_kept_with_what_it_cost(store_address: str, tmp_path: Path):
    """A model that cannot be read: two attempts at one output are two rows, in no history, with their calls."""
    (tmp_path / "work.md").write_text("The parcel is on its way.", encoding="utf-8")
    with closing(evenhand.open_store(store_address)) as store:
        store.create()
    with FakeServer() as server:
        server.answer = lambda asked: chat("I would rather not say.")
        for _ in range(2):
            done = evenhand_here(
                tmp_path,
                store_address,
                "judge",
                "work.md",
                "--task",
                "Send the parcel.",
                "--skill",
                "post",
                "--judge",
                "openai:m",
                "--base-url",
                server.url,
                "--set",
                "judge.replies=none",
            )
            assert done.code == 3, done.err
    rows = shown(tmp_path, store_address, "history", "--failed")
    assert [(row["title"], row["judge"], row["state"]) for row in rows] == [
        ("Send the parcel.", "openai:m", "failed")
    ] * 2
    paid = shown(tmp_path, store_address, "history", "--cost")["total"]
    assert sum(row["calls"] for row in rows) == paid["calls"] and paid["evaluations"] == 2
    assert all(row["calls"] and row["input_tokens"] and row["reason"] for row in rows)
    with closing(evenhand.open_store(store_address)) as store:
        assert store.window("post") == []
        assert store.skills() == [("post", 2)]
