"""Run `claude plugin eval`: the plan with its cost, the calls of the client, and the traces kept from them.

Runs can be added until there is a verdict. The results are then looked at after each step of the plan, and each look
has its own part of the error rate, as with the looks of a suite: however often one looks, chance alone gives a verdict
at most 5 times in 100.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Final

from evenhand.clock import now
from evenhand.decisions.decide import LEVEL
from evenhand.decisions.looks import look_levels
from evenhand.errors import InputError, Unavailable
from evenhand.in_words import counted, listed
from evenhand.plugin_evals.result import Result
from evenhand.plugin_evals.result_files import (
    RESULT_FILE,
    TRACES,
    case_folders,
    evals_of,
    find_result,
    kept_trace,
    models_of,
    read_result,
)
from evenhand.plugin_evals.verdict import PluginVerdict, combined, plugin_verdict
from evenhand.stats.sign_test import fewest

_FIRST: Final = (2, 1, 269)
"""The first Claude Code that has the command."""
_STEPS: Final = 4
"""In how many steps runs are added at most."""
_ENOUGH: Final = 3
"""The spending limit as a multiple of the expected cost, where the user sets none."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user asked for."""

    runs: int = 3
    """Runs of each case and arm; of each step, where runs are added."""
    model: str = ""
    """The model to pin; empty: that of the latest result."""
    until_decided: bool = False
    jobs: int = 1
    max_cost: Decimal | None = None
    arguments: tuple[str, ...] = ()
    """Further arguments of `claude plugin eval`, such as --allow-tools."""


@dataclass(frozen=True, slots=True)
class EvalPlan:
    """What running a plugin's cases takes."""

    root: Path
    wanted: Wanted
    cases: int
    looks: tuple[int, ...]
    """After how many runs an arm the results are looked at; the last is after all of them."""
    model: str
    """Empty: whichever the client uses."""
    run_cost: Fraction | None
    """What a run cost in the latest result, grading included."""
    latest: PluginVerdict | None

    @property
    def runs(self) -> int:
        """All of them, in both arms."""
        return self.cases * 2 * self.looks[-1]

    @property
    def cost(self) -> Fraction | None:
        """What they would cost if they cost what those before did."""
        return None if self.run_cost is None else self.run_cost * self.runs

    @property
    def ceiling(self) -> Decimal | None:
        """The most that may be spent; None where neither the user nor an earlier result tells."""
        if self.wanted.max_cost is not None or self.cost is None:
            return self.wanted.max_cost
        expected = Decimal(self.cost.numerator) / Decimal(self.cost.denominator)
        return max(Decimal("0.01"), (expected * _ENOUGH).quantize(Decimal("0.01"), ROUND_UP))

    def lines(self) -> Iterator[str]:
        """The plan in sentences."""
        by = f" by {self.model}" if self.model else ""
        cost = "what a run costs is unknown"
        if self.cost is not None and self.run_cost is not None:
            cost = f"about ${float(self.cost):.2f}, as a run cost ${float(self.run_cost):.4f} in the latest result"
        most = "" if self.ceiling is None else f"; no run starts beyond ${self.ceiling}"
        runs = f"{counted(self.cases, 'case')} x 2 arms x {counted(self.looks[-1], 'run')}"
        yield f"{runs}, {self.runs} runs of claude plugin eval{by}, {cost}{most}"
        if self.wanted.until_decided:
            shares = [f"{float(level):.2%}" for level in look_levels(self.looks)]
            steps = [f"{look} (level {share})" for look, share in zip(self.looks, shares, strict=True)]
            yield f"it stops as soon as there is a verdict; looked at after this many runs an arm: {listed(steps)}"
        if self.latest is not None:
            yield f"so far: {self.latest.contrast.says}"
        if (least := fewest(LEVEL)) > self.cases:
            yield f"{counted(self.cases, 'case')} cannot give a verdict, however many runs: write at least {least}"
        if not self.model:
            yield "the model is not pinned; pin it with --set plugin.model=NAME, so that later results can be compared"


def eval_plan(root: Path, wanted: Wanted) -> EvalPlan:
    """The plan for a plugin. Raises InputError where there is nothing to run."""
    folders = list(case_folders(evals_of(root)))
    if not folders:
        raise InputError(f"{evals_of(root)}: there is no case to run. Write one with: claude plugin eval init")
    latest = find_result(root)
    verdict = None if latest is None else plugin_verdict(read_result(latest))
    model, cost = wanted.model, None
    if verdict is not None:
        (result,) = verdict.results
        models = models_of(result)
        model = model or (next(iter(models)) if len(models) == 1 else "")
        cost = _run_cost(result)
    looks: tuple[int, ...] = (wanted.runs,)
    if wanted.until_decided:
        looks = _looks(len(folders), wanted.runs)
    return EvalPlan(root, wanted, len(folders), looks, model, cost, verdict)


def _looks(cases: int, runs: int) -> tuple[int, ...]:
    """After how many runs an arm to look; a look at which so few cases can decide nothing is not made."""
    looks: tuple[int, ...] = ()
    last = _STEPS * runs
    for look in range(runs, last, runs):
        if fewest(look_levels((*looks, look, last))[len(looks)]) <= cases:
            looks = (*looks, look)
    return (*looks, last)


def _run_cost(result: Result) -> Fraction | None:
    runs = [run for case in result.cases for run in (*case.arms.with_plugin, *(case.arms.without or ()))]
    costs = [Fraction(run.cost) for run in runs if run.cost is not None]
    return sum(costs, Fraction(0)) / len(costs) if costs else None


@dataclass(frozen=True, slots=True)
class FinishedEvals:
    """The result files of the runs, and the verdict on all of them."""

    files: tuple[Path, ...]
    verdict: PluginVerdict


def run_evals(plan: EvalPlan) -> FinishedEvals:
    """Run each step of the plan until there is a verdict.

    Raises Unavailable where the client is missing or wrote no result.
    """
    client = _client()
    files: list[Path] = []
    results: list[Result] = []
    done, left = 0, plan.ceiling
    for look, level in zip(plan.looks, look_levels(plan.looks), strict=True):
        path = _run_client(client, plan, look - done, left)
        done = look
        files.append(path)
        results.append(read_result(path))
        verdict = plugin_verdict(combined(results), level=level)
        if left is not None:
            left -= results[-1].cost or Decimal(0)
        if verdict.contrast.verdict != "undecided" or results[-1].partial or (left is not None and left <= 0):
            break
    return FinishedEvals(tuple(files), verdict)


def _client() -> str:
    client = shutil.which("claude")
    if client is None:
        raise Unavailable(
            "there is no command claude; install it with: npm install -g @anthropic-ai/claude-code@latest"
        )
    told = subprocess.run([client, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"(\d+)\.(\d+)\.(\d+)", told)
    if version is not None and tuple(map(int, version.groups())) < _FIRST:
        first = ".".join(map(str, _FIRST))
        raise Unavailable(
            f"claude {version[0]} has no `claude plugin eval`; from {first} on it has: "
            "npm install -g @anthropic-ai/claude-code@latest"
        )
    return client


def _run_client(client: str, plan: EvalPlan, runs: int, ceiling: Decimal | None) -> Path:
    """Run the client once and return the path of its result."""
    folder = evals_of(plan.root).absolute() / "results" / now()[:19].replace(":", "-")
    while folder.exists():
        folder = folder.with_name(f"{folder.name}-2")
    file = folder / RESULT_FILE
    arguments = ["--runs", str(runs), "--no-publish", "--keep-temp", "--json", str(file), "--output-dir", str(folder)]
    arguments += ["--ablation", "with-without", "--concurrency", str(min(plan.wanted.jobs, 8))]
    arguments += ["--model", plan.model] if plan.model else []
    arguments += ["--max-cost-usd", str(ceiling)] if ceiling is not None else []
    folder.mkdir(parents=True)
    scratch = Path(tempfile.mkdtemp(prefix="evenhand-"))
    try:
        # What it prints is for people: stdout belongs to the answer.
        ended = subprocess.run(
            [client, "plugin", "eval", ".", *arguments, *plan.wanted.arguments],
            cwd=plan.root, env=os.environ | {"TMPDIR": str(scratch)}, stdout=2, check=False,
        )  # fmt: skip
        if not file.is_file():
            folder.rmdir()
            raise Unavailable(
                f"claude plugin eval ended with code {ended.returncode} and wrote no result; what it said is above"
            )
        _keep_traces(read_result(file), folder)
    finally:
        _removed(scratch)
    return file


def _keep_traces(result: Result, folder: Path) -> None:
    """Copy what the agents did beside the result: the client's own copies are removed."""
    for case in result.cases:
        for run in (*case.arms.with_plugin, *(case.arms.without or ())):
            trace = Path(run.trace_path)
            if run.trace_path and trace.is_file():
                (folder / TRACES).mkdir(exist_ok=True)
                shutil.copyfile(trace, kept_trace(folder, run.trace_path))


def _removed(scratch: Path) -> None:
    """The client closes folders that an agent could write to, so they are opened first."""
    for place, names, _ in os.walk(scratch):
        for path in (Path(place, name) for name in names):
            if not path.is_symlink():
                path.chmod(0o700)
    shutil.rmtree(scratch, ignore_errors=True)
