"""What a judgement costs before it is made and after it, and replies that are recorded and played again."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from fake_server import FakeServer

import evenhand
from contract.providers.asking import KEY, ask, at, good, result

TABLE = '[judges.openai.prices."gpt-4o"]\ninput = 1\noutput = 2\n'
OWN = '[judges.mine]\nbase_url = "http://localhost:9/v1"\nprice_input = 0.5\nprice_output = 2\n'


LIST = json.loads((Path(evenhand.__file__).parent / "providers" / "price_table.json").read_text(encoding="utf-8"))


def test_the_list_has_a_date_and_the_models_that_people_use(tmp_path: Path):
    """At least 150 models of vendors, beginnings of names not counted; a plan in words says of which day it is."""
    models = {(vendor, name) for vendor, rows in LIST["prices"].items() for name in rows if not name.endswith("*")}
    assert len(models) >= 150 and LIST["date"] >= "2026-11-01"
    assert all(Decimal(amount) >= 0 for rows in LIST["prices"].values() for row in rows.values() for amount in row[:2])
    ran = ask(tmp_path, "--judge", "openai:gpt-4o", "--dry-run", "-f", "terminal")
    assert f"by the price list of {LIST['date']}" in " ".join(ran.out.split())


@pytest.mark.parametrize("price", ["2.50", "a/b", "-1/2", "1/2/3", ""])
def test_what_is_not_a_price_is_refused(price: str, tmp_path: Path):
    """In one line that shows the form."""
    ran = ask(tmp_path, "--judge", "openai:gpt-4o", "--set", f"judge.price={price}", "--dry-run")
    assert ran.code == 2 and "such as 2.50/10" in ran.err and ran.err.count("\n") == 1


def planned(folder: Path, *options: str, settings: str = "") -> dict[str, Any]:
    ran = ask(folder, *options, "--dry-run", settings=settings)
    assert ran.code == 0, ran.err
    document: dict[str, Any] = json.loads(ran.out)
    return document


@pytest.mark.parametrize(
    ("judge", "settings", "more", "per_million"),
    [
        ("openai:gpt-4o", "", (), (2.5, 10)),
        ("openai:gpt-4o-2024-11-20", "", (), (2.5, 10)),
        ("openai:gpt-4o", TABLE, (), (1, 2)),
        ("openai:gpt-4o", TABLE, ("--set", "judge.price=3/4"), (3, 4)),
        ("anthropic:claude-sonnet-4-5", "", (), (3.75, 15)),
        ("mine:m", OWN, (), (0.5, 2)),
        ("ollama:llama3", "", (), (0, 0)),
        ("ollama:big-cloud", "", (), None),
        ("openai:a-model-of-tomorrow", "", (), None),
        ("mine:gpt-4o", OWN.replace("price_input = 0.5\nprice_output = 2\n", ""), (), None),
    ],
)
def test_the_price_of_a_plan(
    judge: str, settings: str, more: tuple[str, ...], per_million: tuple[float, float] | None, tmp_path: Path
):
    """The list's, unless settings say otherwise; at most what is written to a cache at a vendor that charges for it
    ($3 a million and a quarter more); nothing on this machine; unknown at a gateway."""
    plan = planned(tmp_path, "--judge", judge, *more, settings=settings)
    if per_million is None:
        assert plan["cost_at_most"] is None
        return
    read, written = per_million
    is_listed = not more and not settings and not judge.startswith("ollama")
    assert plan.get("prices_listed", "") == (LIST["date"] if is_listed else "")
    listed = (read * plan["input_tokens"] + written * plan["output_tokens_at_most"]) / 1e6
    assert listed <= plan["cost_at_most"] <= 1.4 * listed
    assert plan["calls"] == 2


def test_an_unknown_price_is_said_before_a_limit_could_fail(tmp_path: Path, fake_server: FakeServer):
    """Nothing is asked."""
    ran = ask(tmp_path, *at(fake_server), "--max-cost", "1")
    assert (
        ran.code == 2
        and "the price of openai:one is unknown; give judge.price, as in --set judge.price=2.50/10" in ran.err
    )
    assert fake_server.count == 0


def test_a_limit_on_costs_ends_a_run_before_it_is_passed(tmp_path: Path, fake_server: FakeServer):
    """$20 a million tokens out: the first call may cost four cents and a little, the second would pass six."""
    fake_server.answer = good
    ran = ask(tmp_path, *at(fake_server), "--max-cost", "0.05", "--set", "judge.price=0/20")
    assert (fake_server.count, ran.code) in ((1, 4), (2, 0)), ran.err
    ran = ask(tmp_path, *at(fake_server), "--max-cost", "0.01", "--set", "judge.price=0/20")
    assert fake_server.count <= 2 and ran.code != 0


def test_a_recording_is_played_again(tmp_path: Path, fake_server: FakeServer):
    """With the same scores and without a server; another output is not in it."""
    fake_server.answer = good
    first = ask(tmp_path, *at(fake_server), "--set", "judge.record=replies.jsonl")
    assert first.code == 0, first.err
    again = ask(tmp_path, "--judge", "replay:replies.jsonl")
    assert result(again)["scores"] == result(first)["scores"] == [8]
    assert fake_server.count == 2
    assert KEY not in (tmp_path / "replies.jsonl").read_text(encoding="utf-8")
    other = ask(tmp_path, "--judge", "replay:replies.jsonl", "--task", "Say why.")
    assert other.code == 3 and "scores" not in [
        key for key, value in result(other).items() if value and key == "scores"
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "nothing.jsonl"), ("{}\n", ":1"), ('{"key": "a"}\n[]\n', ":1"), ("not JSON\n", ":1")],
)
def test_a_file_of_replies_that_cannot_be_read(content: str | None, words: str, tmp_path: Path):
    """Its name and its line."""
    if content is not None:
        (tmp_path / "nothing.jsonl").write_text(content, encoding="utf-8")
    ran = ask(tmp_path, "--judge", "replay:nothing.jsonl")
    assert ran.code == 2 and words in ran.err and "Traceback" not in ran.err


def test_what_was_answered_is_not_asked_again(tmp_path: Path, fake_server: FakeServer):
    """By the file of replies beside the store, until a setting that shapes a reply is another."""
    fake_server.answer = good
    for expected, more in ((2, ()), (2, ()), (4, ("--set", "judge.fresh=true")), (6, ("--set", "judge.temperature=1"))):
        ran = ask(tmp_path, *at(fake_server), "--store", "e.db", *more)
        assert ran.code == 0, ran.err
        assert fake_server.count == expected
