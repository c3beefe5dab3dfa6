"""Memory that a suite takes: recorded outputs judged by checks, stored, decided upon and reported, in a process each.

    python benchmarks/suite_memory.py [CASES]...

Every suite has two variants and three repeats. What may grow is what each case needs: the case itself as it was read,
and its name among the results. Results go to a file, the store and the report as they come. The second table is
`evenhand run import` on as many results in two shards.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from evenhand.decisions.suite_run import SuiteRun
from evenhand.suites.results.suite_results import results_text
from evenhand.work.agent_run import CaseResult, RunId

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


def make_shards(base: Path, cases: int) -> None:
    """Results as `evenhand run --shard` writes them: every second case in each of two files."""
    head = SuiteRun("", "many", "ab" * 32, "2026-01-01T00:00:00Z", VARIANTS, "old", REPEATS, cases)
    for shard in (0, 1):
        results = (
            CaseResult(
                RunId(f"c{number}", variant, repeat), "finished", tags=(f"t{number % 7}",), met=1, expectations=1
            )
            for number in range(shard, cases, 2)
            for variant in VARIANTS
            for repeat in range(1, REPEATS + 1)
        )
        with (base / f"shard-{shard}.jsonl").open("w") as file:
            file.writelines(results_text(head._replace(id=f"s{shard}"), results))


def peak_bytes(base: Path, *words: str) -> int:
    """The most memory that a command held at any moment."""
    command = [sys.executable, "-m", "evenhand", *words]
    process = subprocess.Popen(command, cwd=base, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.returncode
    return used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def run_suite(base: Path, cases: int) -> int:
    """The peak of running, judging and reporting a suite."""
    make_suite(base, cases)
    return peak_bytes(base, "run", "suite.yaml", "--store", "results.db", "-o", "report.html")


def merge_shards(base: Path, cases: int) -> int:
    """The peak of merging its results."""
    make_shards(base, cases)
    return peak_bytes(base, "run", "import", "shard-0.jsonl", "shard-1.jsonl", "-o", "merged.jsonl")


def print_table(name: str, measure: Callable[[Path, int], int], sizes: Sequence[int]) -> None:
    """The peak for each number of cases, and what a result costs beyond the smallest of them."""
    measured: list[tuple[int, int]] = []
    print(f"\n{name}\n\n| cases | results | peak memory | for each further result |\n| --- | --- | --- | --- |")
    for cases in sizes:
        with tempfile.TemporaryDirectory() as folder:
            peak = measure(Path(folder), cases)
        results = cases * len(VARIANTS) * REPEATS
        measured.append((results, peak))
        before, less = measured[0]
        further = f"{(peak - less) / (results - before):,.0f} bytes" if results > before else ""
        print(f"| {cases:,} | {results:,} | {peak / 1e6:.0f} MB | {further} |", flush=True)


def main() -> int:
    """Print both tables."""
    sizes = [int(word) for word in sys.argv[1:]] or CASES
    print_table("evenhand run import", merge_shards, sizes)
    print_table("evenhand run", run_suite, sizes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
