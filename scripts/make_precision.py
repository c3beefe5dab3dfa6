"""Count the labels of `benchmarks/findings_labels.jsonl` by check and source: which checks give faults, which may cap.

python scripts/make_precision.py                     writes precision.json, and prints precision by check and source
python scripts/make_precision.py FOLDER...           also runs the checks on the runs in these folders, and lists labels
                                                     whose finding is gone, and faults that no one has labelled

A label names its run (the file below a folder, and its place in the file), the check and the quote of the finding.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evenhand.checks.precision import Count, lower_limit, makes_caps, makes_faults, total

ROOT = Path(__file__).parents[1]
LABELS = ROOT / "benchmarks" / "findings_labels.jsonl"
COUNTS = ROOT / "src" / "evenhand" / "checks" / "precision.json"


def labels() -> list[dict[str, Any]]:
    return [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]


def counted(rows: list[dict[str, Any]]) -> dict[str, dict[str, Count]]:
    """True and false findings of each check, by source."""
    counts: dict[str, dict[str, Count]] = {}
    for row in sorted(rows, key=lambda row: (row["check"], row["source"])):
        sources = counts.setdefault(row["check"], {})
        true, false = sources.get(row["source"], Count(0, 0))
        sources[row["source"]] = Count(true + row["true"], false + (not row["true"]))
    return counts


def as_json(counts: dict[str, dict[str, Count]]) -> str:
    plain = {check: {name: count._asdict() for name, count in sources.items()} for check, sources in counts.items()}
    return json.dumps(plain, indent=1) + "\n"


def table(counts: dict[str, dict[str, Count]]) -> Iterator[str]:
    yield f"{'check':24}{'true of all':>12}{'lower limit':>13}  {'gives':7}by source"
    for check, sources in counts.items():
        all_of_it = total(sources)
        gives = "caps" if makes_caps(sources) else "faults" if makes_faults(sources) else "notes"
        by_source = ", ".join(f"{name} {count.true} of {count.total}" for name, count in sources.items())
        limit = lower_limit(all_of_it.true, all_of_it.total)
        yield f"{check:24}{f'{all_of_it.true} of {all_of_it.total}':>12}{limit:>13.2f}  {gives:7}{by_source}"


def findings(folder: Path, runs: set[str]) -> Iterator[tuple[str, str, str]]:
    """Run, check and quote of each fault or note in the files that these runs are in."""
    from evenhand import transcripts
    from evenhand.checks.judge import ChecksJudge
    from evenhand.core.values.submission import Submission

    judge = ChecksJudge()
    for name in sorted({run.rpartition(":")[0] for run in runs}):
        path = folder / name
        if not path.is_file():
            continue
        for number, submission in enumerate(transcripts.read(str(path), partial=True), 1):
            if isinstance(submission, Submission):
                found = judge.look(submission)[0].findings
                yield from ((f"{name}:{number}", item.check, item.quote) for item in found if item.severity)


def compare(rows: list[dict[str, Any]], folders: list[Path]) -> None:
    labelled = {(row["run"], row["check"], row["quote"]) for row in rows}
    looked = {
        row["run"] for row in rows if any((folder / row["run"].rpartition(":")[0]).is_file() for folder in folders)
    }
    seen = {found for folder in folders for found in findings(folder, looked)}
    stale = sorted(key for key in labelled if key[0] in looked and key not in seen)
    print(f"\n{len(looked)} labelled runs found; {len(stale)} labels whose finding is gone")
    print("\n".join(f"  {run}  {check}  {quote[:60]!r}" for run, check, quote in stale))
    counts = counted(rows)
    given = {check for check, sources in counts.items() if makes_faults(sources)}
    unlabelled = sorted(key for key in seen - labelled if key[1] in given)
    print(f"{len(unlabelled)} faults without a label in those runs")
    print("\n".join(f"  {run}  {check}  {quote[:60]!r}" for run, check, quote in unlabelled[:20]))


if __name__ == "__main__":
    rows = labels()
    COUNTS.write_text(as_json(counted(rows)), encoding="utf-8")
    print("\n".join(table(counted(rows))))
    if folders := [Path(name) for name in sys.argv[1:]]:
        compare(rows, folders)
