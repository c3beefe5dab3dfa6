"""Tables as CSV that a spreadsheet shows and never runs."""

from __future__ import annotations

import csv
import io
from typing import Final

from evenhand.web.page import Cell, Sheet

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""How a cell begins that spreadsheets take for a formula; the last four are the wide forms of the first."""


def csv_text(sheet: Sheet) -> str:
    """The rows under their heading. Text that would be a formula gets an apostrophe in front; numbers stay numbers."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow([_harmless(name) for name in sheet.head])
    writer.writerows([[_harmless(cell) for cell in row] for row in sheet.rows])
    return file.getvalue()


def _harmless(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\0", "\ufffd")
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text
