"""Count the labels of `benchmarks/findings_labels.jsonl` by check and family: what is a fault, what caps.

python scripts/make_precision.py                     writes precision.json, and prints precision by check and family
python scripts/make_precision.py FOLDER              also runs every check on every run below the folder, and prints how
                                                     many faults are true by family, and which are not labelled

A label names its run (the file below the folder, and its place in the file), the check, the quote of the finding, and
what each of two readers made of it without knowing the other's answer. It counts as true when both say so. Runs that
someone made up (`"real": false`) count for no check.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.findings.precision import FEW, Count, is_too_often_wrong, lower_limit, makes_caps, total

ROOT = Path(__file__).parents[1]
LABELS = ROOT / "benchmarks" / "findings_labels.jsonl"
COUNTS = ROOT / "src" / "evenhand" / "findings" / "precision.json"
FAMILIES = {"drift": "agentdojo", "tau2": "tau", "tau-bench": "tau"}
"""What different packagings of one benchmark are called."""


def labels(path: Path = LABELS) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def counted(rows: list[dict[str, Any]]) -> dict[str, dict[str, Count]]:
    """True and false findings of each check on real runs, by family."""
    counts: dict[str, dict[str, Count]] = {}
    for row in sorted(rows, key=lambda row: (row["check"], row["source"])):
        if not row.get("real", True):
            continue
        families = counts.setdefault(row["check"], {})
        family = FAMILIES.get(row["source"], row["source"])
        true, false = families.get(family, Count(0, 0))
        agreed = all(row["readings"])
        families[family] = Count(true + agreed, false + (not agreed))
    return counts


def as_json(counts: dict[str, dict[str, Count]]) -> str:
    plain = {check: {name: count._asdict() for name, count in sources.items()} for check, sources in counts.items()}
    return json.dumps(plain, indent=1) + "\n"


def table(counts: dict[str, dict[str, Count]]) -> Iterator[str]:
    yield f"{'check':24}{'true of all':>12}{'lower limit':>13}  {'gives':7}by family"
    for check, families in counts.items():
        all_of_it = total(families)
        gives = "notes" if is_too_often_wrong(families) else "caps" if makes_caps(families) else "stands"
        shown = ((name, count, " (few)" if count.total < FEW else "") for name, count in families.items())
        by_family = ", ".join(f"{name} {count.true} of {count.total}{few}" for name, count, few in shown)
        limit = lower_limit(all_of_it.true, all_of_it.total)
        yield f"{check:24}{f'{all_of_it.true} of {all_of_it.total}':>12}{limit:>13.2f}  {gives:7}{by_family}"


class Found(NamedTuple):
    """A finding on a run."""

    run: str
    check: str
    quote: str


def findings(folder: Path) -> Iterator[tuple[Found, bool]]:
    """Each finding on a run below the folder once, and whether it is a fault. What is not a transcript is left out."""
    from evenhand import transcripts
    from evenhand.errors import InputError
    from evenhand.findings.judge import ChecksJudge
    from evenhand.work.submission import Submission

    judge = ChecksJudge()
    seen = set()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".md"):
        name = path.relative_to(folder).as_posix()
        try:
            for number, submission in enumerate(transcripts.read(str(path), partial=True), 1):
                if not isinstance(submission, Submission) or submission.format == "text":
                    continue
                for item in judge.look(submission)[0].findings:
                    found = Found(f"{name}:{number}", item.check, item.quote)
                    if item.severity and found not in seen:
                        seen.add(found)
                        yield found, item.is_fault
        except InputError:
            continue


def source_of(run: str) -> str:
    """The source of a run: its folder, or its file where a file holds many runs."""
    parts = run.split("/")
    return parts[1].partition(".")[0] if parts[0] == "runs" else parts[0]


def compare(rows: list[dict[str, Any]], folder: Path) -> None:
    found = dict(findings(folder))
    read = {Found(row["run"], row["check"], row["quote"]): all(row["readings"]) for row in rows}
    faults = [item for item, is_fault in found.items() if is_fault]
    print(f"\nFaults in {folder}, by source: true of those read by two readers")
    for source in sorted({source_of(item.run) for item in faults}):
        here = [item for item in faults if source_of(item.run) == source]
        known = [read[item] for item in here if item in read]
        share = f"{sum(known)} of {len(known)} true" if known else "none read"
        more = f", {len(here) - len(known)} not read" if len(known) < len(here) else ""
        print(f"  {source:36}{share}{more}")
    known = [read[item] for item in faults if item in read]
    print(f"  {'all':36}{sum(known)} of {len(known)} true, by {len({item.check for item in faults})} checks")
    for item in sorted(item for item in faults if item not in read):
        print(f"  not read: {item.run}  {item.check}  {item.quote[:60]!r}")
    print("Findings by check: " + ", ".join(f"{name} {n}" for name, n in Counter(item.check for item in found).items()))
    stale = [item for item in read if (folder / item.run.rpartition(":")[0]).is_file() and item not in found]
    print(f"{len(stale)} labels whose finding is gone")
    for item in stale:
        print(f"  {item.run}  {item.check}  {item.quote[:60]!r}")


if __name__ == "__main__":
    rows = labels()
    COUNTS.write_text(as_json(counted(rows)), encoding="utf-8")
    print("\n".join(table(counted(rows))))
    for name in sys.argv[1:]:
        compare(rows, Path(name))
