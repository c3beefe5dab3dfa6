"""How much memory `evenhand score FILE.jsonl --format jsonl` needs for few lines and for very many.

python benchmarks/memory.py [--lines 1000000]

Lines are read, scored and written one at a time, so a hundred times the lines must need no more memory.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from judgement_files import write_judgements
from measuring import EVENHAND, run, table

FEW = 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=1_000_000, help="lines of the long file")
    many = parser.parse_args().lines
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _peak(folder, 1)  # not counted: the first run also compiles the modules
        few, many_peak = (_peak(folder, lines) for lines in (FEW, many))
    rows = [
        (f"{FEW:,} lines", "1.00", _mib(few)),
        (f"{many:,} lines", f"{many_peak / few:.2f}", _mib(many_peak)),
    ]
    print("Peak resident memory of evenhand score FILE.jsonl --format jsonl\n")
    print(table(("scored", f"times {FEW:,} lines", "here"), rows))


def _peak(folder: Path, lines: int) -> int:
    path = folder / f"{lines}.jsonl"
    write_judgements(path, "bare", lines)
    return run([EVENHAND, "score", str(path), "--format", "jsonl"], folder).peak_kib


def _mib(kib: int) -> str:
    return f"{kib / 1024:.1f} MiB"


if __name__ == "__main__":
    main()
