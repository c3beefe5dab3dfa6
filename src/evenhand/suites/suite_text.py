"""A suite as YAML that the reader understands as it was meant: text that looks like a number is quoted."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import yaml

from evenhand.core.numbers import plain

_LOOKS_PLAIN = re.compile(r"-?[0-9][0-9.eE+-]*|~|null|true|false|", re.IGNORECASE)


class _Writer(yaml.SafeDumper):
    """Block style, long texts as blocks, no aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(writer: _Writer, text: str) -> yaml.Node:
    style = "'" if _LOOKS_PLAIN.fullmatch(text) else "|" if "\n" in text else None
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _number(writer: _Writer, number: Decimal) -> yaml.Node:
    value = plain(number)
    return writer.represent_int(value) if isinstance(value, int) else writer.represent_float(value)


_Writer.add_representer(str, _text)
_Writer.add_representer(Decimal, _number)


def suite_text(suite: dict[str, Any], header: str) -> str:
    """The text of a suite file, below a comment."""
    body: str = yaml.dump(
        suite, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=100, default_flow_style=None
    )
    return f"# {header}\n{body}"
