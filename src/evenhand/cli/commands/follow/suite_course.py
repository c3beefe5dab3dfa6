"""How a suite's stored runs went, one after the other: those of a plugin over its versions and models among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from evenhand.cli.presenter import console, markdown_table, present
from evenhand.decisions.decision import Decision
from evenhand.decisions.suite_run import SuiteRun
from evenhand.decisions.words import shown
from evenhand.errors import InputError
from evenhand.files.codec import document
from evenhand.in_words import counted, dollars
from evenhand.store.protocol import Store
from evenhand.suites.importing.claude_plugin_results import NOTE
from evenhand.suites.results.suite_results import decision_on, stored_run, stored_runs

_HEAD = ("when", "what ran", "mean", "verdict", "cost", "run")


@dataclass(frozen=True, slots=True)
class Step:
    """One run and what was decided of it."""

    run: SuiteRun
    decision: Decision

    @property
    def what(self) -> str:
        """What a reader has to know of the run: of a plugin its version and the model."""
        return ", ".join(note for note in self.run.notes if not note.endswith(NOTE))

    @property
    def cost(self) -> float | None:
        """What its agents and judges cost, as far as it is known."""
        known = [cost for facts in self.decision.variants for cost in (facts.cost, facts.judging_cost)
                 if cost is not None]  # fmt: skip
        return float(sum(known)) if known else None

    def cells(self) -> tuple[str, ...]:
        """The cells of its row."""
        measure = self.decision.measure
        means = [f"{facts.name} {shown(facts.mean, measure, sign=False)}" for facts in self.decision.variants
                 if facts.mean is not None]  # fmt: skip
        says, *others = (contrast.says for contrast in self.decision.contrasts) if self.decision.contrasts else ("",)
        says += f"; and {counted(len(others), 'more comparison')}" if others else ""
        cost = "unknown" if self.cost is None else dollars(Decimal(self.cost))
        return self.run.created[:16].replace("T", " "), self.what, ", ".join(means), says, cost, self.run.id

    def document(self) -> dict[str, Any]:
        """The same for a program."""
        return {
            "run": self.run.id,
            "suite": self.run.suite,
            "created": self.run.created,
            "what": self.what,
            "means": {facts.name: facts.mean for facts in self.decision.variants},
            "contrasts": [document(contrast) for contrast in self.decision.contrasts],
            "cost": self.cost,
        }


def course_of(kept: Store, suite: str, last: int) -> list[Step]:
    """The last runs of a suite, oldest first; none where the store has no such suite."""
    return [*_steps(kept, stored_runs(kept, suite=suite, limit=last)[::-1])]


def _steps(kept: Store, runs: list[SuiteRun]) -> Iterator[Step]:
    for run in runs:
        yield Step(run, decision_on(run, stored_run(kept, run.id).results))


def show_course(steps: list[Step], format: str) -> None:
    """Show them, a row for each run."""
    if format in ("html", "svg"):
        raise InputError(f"runs of a suite have no --format {format} here; use terminal, markdown, json or jsonl")

    def terminal() -> None:
        from rich.padding import Padding
        from rich.text import Text

        screen = console()
        for when, what, means, says, cost, run in (step.cells() for step in steps):
            screen.print(Text("  ".join(filter(None, (when, what, means, cost))), style="bold"))
            screen.print(Padding(Text(says or "one variant, so there is nothing to compare"), (0, 0, 0, 2)))
            screen.print(Text(f"  evenhand run show {run}", style="dim"))

    present(
        format,
        lambda: [step.document() for step in steps],
        markdown=lambda: markdown_table(_HEAD, [step.cells() for step in steps]),
        terminal=terminal,
    )
