"""Prices: the list that is copied at a release, and what overrides it."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from evenhand.providers import price_table
from evenhand.providers.price_table import listed_price, table_date
from evenhand.providers.prices import Price

TABLE = json.loads(Path(price_table.__file__).with_name("price_table.json").read_text(encoding="utf-8"))
OPENAI = "https://api.openai.com/v1"


def planned(evenhand_command, folder: Path, *options: str):
    (folder / "answer.md").write_text("The cache kept entries for an hour although prices change every minute.\n")
    done = evenhand_command("judge", "answer.md", *options, "--dry-run", "-f", "json", "--store", "none")
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_the_list_has_a_date_and_the_models_that_people_use():
    """Dated, and at least 150 models of vendors; beginnings of names are not counted."""
    models = {(vendor, name) for vendor, rows in TABLE["prices"].items() for name in rows if not name.endswith("*")}
    assert len(models) >= 150
    assert table_date() == TABLE["date"] >= "2026-11-01"
    assert all(Decimal(amount) >= 0 for rows in TABLE["prices"].values() for row in rows.values() for amount in row[:2])


@pytest.mark.parametrize(
    ("address", "model", "price"),
    [
        (OPENAI, "gpt-4o", Price(Decimal("2.5"), Decimal(10), Decimal("1.25"))),
        (OPENAI, "gpt-4o-2024-11-20", Price(Decimal("2.5"), Decimal(10), Decimal("1.25"))),
        (
            "https://api.anthropic.com/v1",
            "claude-sonnet-4-5-20250929",
            Price(Decimal(3), Decimal(15), Decimal("0.3"), Decimal("3.75")),
        ),
        (OPENAI, "a-model-of-tomorrow", None),
        ("https://gateway.example/v1", "gpt-4o", None),
    ],
)
def test_a_price_is_that_of_the_vendor_s_own_address(address: str, model: str, price: Price | None):
    """A gateway may ask anything for the same model."""
    assert listed_price(address, model) == price


@pytest.mark.slow
def test_a_first_run_with_a_well_known_model_knows_its_cost(evenhand_command, tmp_path):
    """Nothing is set: the list price counts; judge.price overrides it, and so does evenhand.toml."""
    run = ("--judge", "openai:gpt-4o")
    listed = planned(evenhand_command, tmp_path, *run)
    read, written = listed["input_tokens"], listed["output_tokens_at_most"]
    most = (2.5 * read + 10 * written) / 1e6
    assert most < listed["cost_at_most"] < 1.3 * most
    given = planned(evenhand_command, tmp_path, *run, "--set", "judge.price=5/20")
    assert given["cost_at_most"] > 1.9 * listed["cost_at_most"]
    (tmp_path / "evenhand.toml").write_text("[judges.openai]\nprice_input = 0\nprice_output = 4\n")
    settings = planned(evenhand_command, tmp_path, *run)
    assert settings["cost_at_most"] == pytest.approx(4 * written / 1e6)
    again = planned(evenhand_command, tmp_path, *run, "--set", "judge.price=5/20")
    assert again["cost_at_most"] == given["cost_at_most"]


@pytest.mark.slow
def test_a_limit_of_money_for_a_model_without_a_price_is_refused_before_the_first_call(
    evenhand_command, fake_server, tmp_path
):
    """With what to do: give the price, or limit the calls."""
    (tmp_path / "answer.md").write_text("The cache kept entries for an hour.\n")
    run = ["judge", "answer.md", "--judge", "openai:gpt-4o", "--base-url", fake_server.url, "--max-cost", "1"]
    done = evenhand_command(*run, OPENAI_API_KEY="k")
    assert (done.code, fake_server.count) == (2, 0)
    assert "the price of openai:gpt-4o is unknown; give judge.price, as in --set judge.price=2.50/10" in done.err


@pytest.mark.parametrize("price", ["2.50", "a/b", "-1/2", "1/2/3", ""])
def test_rejects_what_is_not_a_price(evenhand_command, tmp_path, price: str):
    """In one line that shows the form."""
    (tmp_path / "answer.md").write_text("The cache kept entries for an hour.\n")
    done = evenhand_command(
        "judge", "answer.md", "--judge", "openai:gpt-4o", "--set", f"judge.price={price}", "--dry-run"
    )
    assert done.code == 2 and "such as 2.50/10" in done.err
    assert len(done.err.splitlines()) == 1
