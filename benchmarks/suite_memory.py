"""Memory that a suite takes: recorded outputs judged by checks, stored, decided upon and reported, in a process each.

    python benchmarks/suite_memory.py [CASES]...

Every suite has two variants and three repeats. What may grow with the number of results is what the exact statistics
need: some numbers for each case and variant. Results themselves go to a file, the store and the report as they come.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

CASES = (1_000, 10_000)
VARIANTS, REPEATS = ("old", "new"), 3

SUITE = """suite: many
repeats: 3
cases: cases.jsonl
variants:
  old: {recorded: "old/{case}-{repeat}.md"}
  new: {recorded: "new/{case}-{repeat}.md"}
"""


def make_suite(base: Path, cases: int) -> None:
    """A suite in which every fifth run does not say what is expected."""
    line = '{"id": "c%d", "prompt": "Say yes.", "tags": ["t%d"], "expect": [{"answer": {"contains": "yes"}}]}\n'
    (base / "cases.jsonl").write_text("".join(line % (number, number % 7) for number in range(cases)))
    (base / "suite.yaml").write_text(SUITE)
    for place, variant in enumerate(VARIANTS):
        (base / variant).mkdir()
        for number in range(cases):
            for repeat in range(1, REPEATS + 1):
                answer = "yes" if (7 * number + 3 * repeat + place) % 5 else "no"
                (base / variant / f"c{number}-{repeat}.md").write_text(f"{answer}, here is number {number}.\n")


def peak_bytes(base: Path) -> int:
    """The most memory that `evenhand run` held at any moment."""
    command = [sys.executable, "-m", "evenhand", "run", "suite.yaml", "--store", "results.db", "-o", "report.html"]
    process = subprocess.Popen(command, cwd=base, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.returncode
    return used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> int:
    """Print the peak of each suite, and what a result costs beyond the smallest suite."""
    measured: list[tuple[int, int]] = []
    print("| cases | results | peak memory | report | for each further result |\n| --- | --- | --- | --- | --- |")
    for cases in [int(word) for word in sys.argv[1:]] or CASES:
        with tempfile.TemporaryDirectory() as folder:
            base = Path(folder)
            make_suite(base, cases)
            peak = peak_bytes(base)
            report = (base / "report.html").stat().st_size
        results = cases * len(VARIANTS) * REPEATS
        further = ""
        if measured:
            before, less = measured[0]
            further = f"{(peak - less) / (results - before):,.0f} bytes"
        measured.append((results, peak))
        print(f"| {cases:,} | {results:,} | {peak / 1e6:.0f} MB | {report / 1e6:.1f} MB | {further} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
