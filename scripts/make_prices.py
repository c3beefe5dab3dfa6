"""Copy the list prices of models from the package genai-prices, which is maintained, into the package.

python scripts/make_prices.py    write src/evenhand/providers/price_table.json; needs `pip install genai-prices`

Run it before a release. A key is the name of a model, or with a star at its end the beginning of names. Prices are US
dollars per million tokens read, written, and read from and written to the server's cache, as text. Where a vendor asks
more for very long prompts, this is the price of shorter ones.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any

from evenhand.providers.prices import VENDORS, listed_price

TABLE = Path(__file__).parents[1] / "src" / "evenhand" / "providers" / "price_table.json"
FIELDS = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok")


def main() -> None:
    from genai_prices.data import providers

    now = datetime.now(UTC)
    vendors = {provider.id: _models(provider.models, now) for provider in providers if provider.id in VENDORS.values()}
    document = {"date": now.date().isoformat(), "source": f"genai-prices {version('genai-prices')}", "prices": vendors}
    lines = json.dumps(document, sort_keys=True).replace("], ", "],\n").replace("{", "{\n").replace("}", "\n}")
    TABLE.write_text(f"{lines}\n", encoding="utf-8")
    listed_price.cache_clear()
    wrong = sorted(_misread(providers, now))
    print(f"{sum(map(len, vendors.values()))} names of models of {len(vendors)} vendors written")
    if wrong:
        sys.exit(f"these would be read with the price of another model: {', '.join(wrong)}")


def _models(models: list[Any], now: datetime) -> dict[str, list[str | None]]:
    rows: dict[str, list[str | None]] = {}
    for model in models:
        price = _price(model, now)
        if price is not None:
            rows |= dict.fromkeys(
                [*_names(model.match), *([model.id] if model.match.is_match(model.id) else [])], price
            )
    return rows


def _names(match: Any) -> Iterator[str]:
    """The names that a clause takes, as far as they can be written down."""
    kind = type(match).__name__
    if kind == "ClauseOr":
        for part in match.or_:
            yield from _names(part)
    elif kind == "ClauseEquals":
        yield match.equals
    elif kind == "ClauseStartsWith":
        yield f"{match.starts_with}*"


def _price(model: Any, now: datetime) -> list[str | None] | None:
    """What a model of text costs; None for one that is not paid by tokens read and written."""
    prices = model.get_prices(now)
    amounts = [_amount(getattr(prices, name, None)) for name in FIELDS]
    return None if amounts[0] is None or amounts[1] is None else amounts


def _amount(value: Any) -> str | None:
    base = getattr(value, "base", value)
    return None if base is None else f"{Decimal(base).normalize():f}"


def _misread(providers: list[Any], now: datetime) -> Iterator[str]:
    """Names for which the table gives another price than the source."""
    addresses = {vendor: address for address, vendor in VENDORS.items()}
    for provider in providers:
        if provider.id not in addresses:
            continue
        for model in provider.models:
            names = {name.rstrip("*") for name in (*_names(model.match), model.id)}
            for name in names:
                first = next((one for one in provider.models if one.match.is_match(name)), None)
                known = listed_price(f"https://{addresses[provider.id]}/v1", name)
                if first is not None and known is not None:
                    asked = [None if amount is None else f"{amount.normalize():f}" for amount in known]
                    if asked != _price(first, now):
                        yield f"{provider.id}:{name}"


if __name__ == "__main__":
    main()
