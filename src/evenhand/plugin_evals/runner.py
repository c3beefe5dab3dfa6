"""The user's own `claude plugin eval`, called for more runs: what it would do, and doing it."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

from evenhand.errors import InputError, Unavailable
from evenhand.plugin_evals.graders import spent
from evenhand.plugin_evals.result import Result, read_result
from evenhand.plugin_evals.traces import models_of

USUAL_RUNS = 3
"""How often the runner runs each arm of a case when nothing is said."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One call of the runner."""

    plugin: Path
    runs: int
    """Of each arm of each case."""
    model: str
    """The pin; empty where nothing tells which model ran before."""
    ceiling: Decimal | None
    """The most it may cost, in dollars; None where no earlier result tells what a run costs."""

    @property
    def command(self) -> list[str]:
        """What is called, but for the file of the result."""
        words = ["claude", "plugin", "eval", str(self.plugin), "--runs", str(self.runs), "--no-publish", "--keep-temp"]
        words += ["--trust-plugin"]
        words += ["--model", self.model] if self.model else []
        return words + (["--max-cost-usd", f"{self.ceiling:.2f}"] if self.ceiling is not None else [])


def plan(plugin: Path, earlier: Result | None, runs: int, ceiling: Decimal | None = None, model: str = "") -> Plan:
    """What a call with so many runs an arm would do; an earlier result tells the model and the price of a run."""
    models = models_of(earlier) if earlier is not None else frozenset[str]()
    pinned = model or (next(iter(models)) if len(models) == 1 else "")
    if ceiling is None and earlier is not None:
        price = run_price(earlier)
        arms = sum(1 if case.arms.without is None else 2 for case in earlier.cases)
        ceiling = None if price is None else (2 * price * runs * arms).quantize(Decimal("0.01")) or Decimal("0.01")
    return Plan(plugin, runs, pinned, ceiling)


def run_price(result: Result) -> Decimal | None:
    """What one run cost on average, its graders included, in dollars."""
    arms = spent(result)
    runs = sum(arm.runs for arm in arms)
    return None if result.cost is None or not runs else result.cost / runs


def run(plan: Plan) -> Result:
    """Call the runner and read what it wrote. Its progress goes to the caller's standard error.

    It ends with 1 where a case is below its threshold, which is a result like any other.
    """
    program = shutil.which("claude")
    if program is None:
        raise InputError(
            "there is no command claude; install Claude Code 2.1.269 or later: npm i -g @anthropic-ai/claude-code"
        )
    with TemporaryDirectory(prefix="evenhand-plugin-eval-") as folder:
        file = Path(folder, "result.json")
        command = [program, *plan.command[1:], "--json", str(file)]
        ended = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False, env=dict(os.environ)
        )
        if not file.exists():
            raise Unavailable(
                f"claude plugin eval ended with {ended.returncode} and wrote no result; call it yourself to see why: "
                + " ".join(plan.command)
            )
        return read_result(file)
