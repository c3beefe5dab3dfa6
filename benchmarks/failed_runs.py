"""Runs that failed by their benchmark's account though the agent says they succeeded: what is seen of them, by kind.

    python benchmarks/failed_runs.py ../shared/data/runs

Outcomes are read from beside the runs (`resolved.csv`) or from the runs themselves (`utility`, `reward`). What sounds
done is told by the list of `turned_results.py`; a patch that was submitted says so by itself. A fault seen in a failed
run need not be why it failed, and most failures (a wrong flight, a wrong patch) leave nothing that a program can know.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evenhand.findings.judge import ChecksJudge
from evenhand.transcripts import read
from evenhand.work.submission import Submission
from turned_results import ADMITS, SOUNDS_DONE


def main() -> None:
    """Print the failed runs of each family, how many say they succeeded, and what is seen of these."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    counts: dict[str, Counter[str]] = {}
    kinds: Counter[tuple[str, str]] = Counter()
    judge = ChecksJudge()
    for family, submission, passed in with_outcomes(parser.parse_args().folder):
        count = counts.setdefault(family, Counter())
        count["passed" if passed else "failed"] += 1
        if not says_done(submission.output):
            continue
        findings = [finding for finding in judge.look(submission)[0].findings if finding.severity is not None]
        faults = {finding.check for finding in findings if finding.is_fault}
        count[f"{'passed' if passed else 'failed'} and says done"] += 1
        count[f"{'passed' if passed else 'failed'}, says done, with a fault"] += bool(faults)
        if not passed:
            kinds.update((check, "fault") for check in faults)
            kinds.update((check, "note") for check in {finding.check for finding in findings} - faults)
    print(
        f"{'family':24}{'failed':>8}{'says done':>11}{'with fault':>12}{'passed':>8}{'says done':>11}{'with fault':>12}"
    )
    for family, count in [*counts.items(), ("all", sum(counts.values(), Counter[str]()))]:
        shown = [
            count[key]
            for state in ("failed", "passed")
            for key in (state, f"{state} and says done", f"{state}, says done, with a fault")
        ]
        print(f"{family:24}{shown[0]:8}{shown[1]:11}{shown[2]:12}{shown[3]:8}{shown[4]:11}{shown[5]:12}")
    print("\nfailed runs that say they succeeded, by what is seen:")
    for (check, weight), number in kinds.most_common():
        print(f"  {check:24}{weight:8}{number:5}")


def says_done(output: str) -> bool:
    """Whether an answer sounds as if the work were done; a patch does by being submitted."""
    is_patch = output.lstrip().startswith(("diff --git ", "--- a/"))
    return is_patch or (bool(SOUNDS_DONE.search(output)) and not ADMITS.search(output))


def with_outcomes(folder: Path) -> Iterator[tuple[str, Submission, bool]]:
    """The runs below a folder whose outcome is recorded, with their family and whether they passed."""
    listed = {
        row["instance_id"]: row["resolved"] == "True"
        for path in folder.rglob("resolved.csv")
        for row in csv.DictReader(path.open(encoding="utf-8"))
    }
    for path in sorted(folder.rglob("*.json.gz")):
        name = path.name.removesuffix(".json.gz").removesuffix(".traj")
        runs: list[bool | None] = [listed[name]] if name in listed else [_passed(run) for run in _runs(path)]
        family = path.parent.name if path.parent != folder else name
        submissions = [item for item in read(str(path), partial=True) if isinstance(item, Submission)]
        for submission, passed in zip(submissions, runs, strict=False):
            if passed is not None:
                yield family, submission, passed


def _runs(path: Path) -> list[Any]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        document = json.load(file)
    listed = document.get("simulations", [document]) if isinstance(document, dict) else document
    return list(listed)


def _passed(run: Any) -> bool | None:
    """What a benchmark says of a run; None where it says nothing."""
    if not isinstance(run, dict):
        return None
    if isinstance(run.get("utility"), bool):
        return bool(run["utility"])
    reward = (run.get("reward_info") or {}).get("reward", run.get("reward"))
    return None if reward is None else float(reward) >= 1


if __name__ == "__main__":
    main()
