"""evenhand judges: who could judge here, and whether they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.shared import DONE, OUT_OF_REACH, console, format_option, indented, one_line, write
from evenhand.core.text.printable import printable

if TYPE_CHECKING:
    from evenhand.judges.providers.prices import Price
    from evenhand.judges.providers.standing import Standing


@click.command("judges")
@click.argument("name", metavar="[NAME|SPEC]", required=False)
@format_option()
def command(name: str | None, format: str) -> int:
    """Show who could judge here: the checks, and every model provider that is built in or named in evenhand.toml.

    Each one that is set up is asked for its list of models, once, with a short time-out. Nothing is judged and
    nothing is paid for. Keys are not shown. With a name, exits with code 4 when that one does not answer.

    \b
    Examples:
      evenhand judges
      evenhand judges ollama
      evenhand judges openai:some-model --format json
    """
    import asyncio

    from evenhand.judges.providers.configured import configured
    from evenhand.judges.providers.standing import standing, standings
    from evenhand.settings import judge_tables

    named = configured(judge_tables())
    found = asyncio.run(standings(named)) if name is None else [asyncio.run(standing(name, named))]
    _show(found, format)
    return OUT_OF_REACH if name is not None and not found[0].answers else DONE


def _show(found: list[Standing], format: str) -> None:
    if format == "json":
        write(indented([_document(each) for each in found]))
    elif format == "jsonl":
        write("".join(one_line(_document(each)) for each in found))
    elif format == "markdown":
        write("| judge | answers | price | |\n|---|---|---|---|\n")
        write("".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in _cells(each))} |\n" for each in found))
    else:
        from rich.table import Table

        table = Table(box=None, pad_edge=False, header_style="dim")
        table.add_column("judge", style="bold", overflow="fold")
        table.add_column("answers", no_wrap=True)
        table.add_column("price", overflow="fold")
        table.add_column("", overflow="fold", style="dim")
        for each in found:
            table.add_row(*_cells(each))
        console().print(table)


def _cells(each: Standing) -> tuple[str, str, str, str]:
    answers = {True: "yes", False: "no", None: "not set up"}[each.answers]
    detail = f"{each.address}: {each.detail}" if each.address is not None else each.detail
    return printable(each.name), answers, _price(each), printable(detail)


def _price(each: Standing) -> str:
    """In US dollars for a million tokens, in and out."""
    if each.price is not None:
        free = not each.price.input and not each.price.output
        return "free" if free else f"${each.price.input:f} in, ${each.price.output:f} out"
    return f"known for {', '.join(each.prices)}" if each.prices else "unknown"


def _document(each: Standing) -> dict[str, Any]:
    return {
        "name": each.name,
        "answers": each.answers,
        "detail": each.detail,
        "address": each.address,
        "model": each.model,
        "models": list(each.models),
        "price": _amounts(each.price),
        "prices": {model: _amounts(price) for model, price in each.prices.items()},
    }


def _amounts(price: Price | None) -> dict[str, float] | None:
    return None if price is None else {"input": float(price.input), "output": float(price.output)}
