"""evenhand judges: which judges are available, and whether they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.judge_options import model_options
from evenhand.cli.presenter import console, format_option, markdown_table, present
from evenhand.cli.shared import DONE, OUT_OF_REACH, CommandWithCommands, chosen_store, say, store_option
from evenhand.work.printable import printable

if TYPE_CHECKING:
    from evenhand.providers.known import Standing
    from evenhand.providers.prices import Price
    from evenhand.stats.trust.judge_card import JudgeCard


@click.group("judges", cls=CommandWithCommands)
@click.argument("name", metavar="[NAME|SPEC]", required=False)
@store_option
@format_option()
def command(name: str | None, store: str | None, format: str) -> int:
    """Show the judges available here: the checks, and every model provider built in or named in evenhand.toml.

    Each provider that is set up is asked once for its list of models, with a short time-out. Agent commands are
    looked up, and by name tested, without asking a model. Nothing is judged, nothing costs money, and keys are not
    shown. With a name, the exit code is 4 if that one does not answer. Judges that were probed are listed with
    what was found (see: evenhand probe).

    \b
    Examples:
      evenhand judges
      evenhand judges ollama
      evenhand judges openai:some-model --format json
      evenhand judges check openai:some-model --base-url http://localhost:8000/v1
    """
    import asyncio

    from evenhand.options.settings import judge_tables
    from evenhand.providers.entries import configured
    from evenhand.providers.provider_status import standing, standings

    named = configured(judge_tables())
    judges = asyncio.run(standings(named)) if name is None else [asyncio.run(standing(name, named))]
    cards = _cards(store)
    _show(judges, cards if name is None else _of(judges[0], cards), format)
    return OUT_OF_REACH if name is not None and not judges[0].answers else DONE


@command.command("check")
@click.argument("spec", metavar="SPEC")
@model_options("judges")
@click.option("--images", is_flag=True, help="Make one more call, with a tiny picture.")
@format_option()
def check(spec: str, base_url: str | None, images: bool, format: str) -> int:
    """Ask one model one short question, and show what its server can do.

    It shows whether the server enforces a reply's form, accepts a seed, gives log-probabilities and reports cached
    tokens; how fast it is; and what a judgement would cost. Whether it accepts images is known from the model's name
    or from images in evenhand.toml. If it is not known, or with --images, the model is also asked for the colour of
    a picture of 64 by 64 pixels: one more call, whose cost is shown.

    \b
    Example:
      evenhand judges check openai:some-model --base-url http://localhost:8000/v1
    """
    from evenhand.cli.commands.judge.judge_check import check

    return check(spec, format, base_url, images=images)


def _cards(store: str | None) -> list[JudgeCard]:
    """The newest card of every judge that was probed; none when the store is out of reach."""
    from evenhand.errors import Unavailable
    from evenhand.trust.probes import read_card

    try:
        opened, _ = chosen_store(store)
        return [] if opened is None else [read_card(row) for row in opened.newest_judge_cards()]
    except Unavailable as error:
        say(f"warning: the cards of probed judges cannot be shown: {error}")
        return []


def _of(judge: Standing, cards: list[JudgeCard]) -> list[JudgeCard]:
    """The cards of one provider's judges."""
    return [card for card in cards if card.name == judge.name or card.name.startswith(f"{judge.name}:")]


def _show(judges: list[Standing], cards: list[JudgeCard], format: str) -> None:
    headings = ("judge", "answers", "price", "")

    def terminal() -> None:
        from rich.table import Table

        table = Table(box=None, pad_edge=False, header_style="dim")
        for heading, style in zip(headings, ("bold", "", "", "dim"), strict=True):
            table.add_column(heading, style=style, overflow="fold", no_wrap=heading == "answers")
        for judge in judges:
            table.add_row(*_cells(judge))
        screen = console()
        screen.print(table)
        for line in _card_lines(cards):
            screen.print(line)

    def markdown() -> str:
        from evenhand.reports.markdown_pieces import table_cell

        probed = "".join(f"\n- {table_cell(line)}\n" for line in _card_lines(cards))
        return markdown_table(headings, map(_cells, judges)) + probed

    present(
        format, lambda: [_document(judge, _of(judge, cards)) for judge in judges], terminal=terminal, markdown=markdown
    )


def _card_lines(cards: list[JudgeCard]) -> list[str]:
    from evenhand.reports.trust.judge_card import headline

    return [f"{printable(card.name)}, probed {card.created[:10]}: {headline(card)}" for card in cards]


def _cells(judge: Standing) -> tuple[str, str, str, str]:
    answers = {True: "yes", False: "no", None: "not set up"}[judge.answers]
    detail = f"{judge.address}: {judge.detail}" if judge.address is not None else judge.detail
    return printable(judge.name), answers, _price(judge), printable(detail)


def _price(judge: Standing) -> str:
    """In US dollars per million tokens, in and out."""
    if judge.price is not None:
        free = not judge.price.input and not judge.price.output
        return "free" if free else f"${judge.price.input:f} in, ${judge.price.output:f} out"
    return f"known for {', '.join(judge.prices)}" if judge.prices else "unknown"


def _document(judge: Standing, cards: list[JudgeCard]) -> dict[str, Any]:
    from evenhand.reports.trust.judge_card import sentence

    return {
        "name": judge.name,
        "answers": judge.answers,
        "detail": judge.detail,
        "address": judge.address,
        "model": judge.model,
        "models": list(judge.models),
        "price": _amounts(judge.price),
        "prices": {model: _amounts(price) for model, price in judge.prices.items()},
        "probed": [
            {
                "judge": card.name,
                "card": card.id,
                "created": card.created,
                "against": {result.probe.name: sentence(result) for result in card.against},
            }
            for card in cards
        ],
    }


def _amounts(price: Price | None) -> dict[str, float] | None:
    if price is None:
        return None
    return {name: float(amount) for name, amount in price._asdict().items() if amount is not None}
