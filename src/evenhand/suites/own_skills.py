"""How far the runs of a suite follow their own variant's skill. It decides nothing: variants without a skill have no
such measure, and a skill that asks for little is easily followed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from evenhand.core.scorecard import Scorecard
from evenhand.decisions.suite import Suite
from evenhand.errors import InputError
from evenhand.judging.skill_file import SKILL, SkillFile
from evenhand.runs.kept_runs import KeptRuns
from evenhand.runs.planned import PlannedRun, Planner
from evenhand.runs.workspaces.kept_back import kept_back
from evenhand.runs.workspaces.start_listing import SKILL_FOLDERS
from evenhand.suites.execution.agent_runs import SuiteWork
from evenhand.suites.execution.run_order import in_order
from evenhand.suites.judgement.run_submissions import submission_of
from evenhand.suites.skill_rules import skill_rules
from evenhand.work.submission import Submission


class OwnRun(NamedTuple):
    """A finished run with the rules of its variant's own skill."""

    variant: str
    case: str
    submission: Submission
    """Its `expect` holds the rules."""


class Rule(NamedTuple):
    """How often a rule of a skill was followed."""

    rule: str
    met: int
    unmet: int
    undecided: int
    broken_in: tuple[str, ...]
    """The cases in which it was not followed."""
    quote: str
    """A quote from the first of these outputs; empty where nothing can be quoted."""


class OwnAdherence(NamedTuple):
    """How far a variant's runs follow its own skill."""

    variant: str
    runs: int
    met: int
    decided: int
    """Rules times runs, as far as a judge could tell."""
    rules: tuple[Rule, ...]


def own_runs(suite: Suite, folder: Path, revisions: Path) -> Iterator[OwnRun]:
    """The kept runs of the variants that have a skill with rules. Nothing is run."""
    planner = Planner(suite.variants, revisions, kept_back(suite))
    with KeptRuns(folder) as kept:
        work = SuiteWork(suite, kept, jobs=1)
        for case, variant, repeat in in_order(suite):
            if variant.skill is None:
                continue
            planned = planner.plan(case, variant, repeat)
            skill = own_skill(planned)
            rules = [] if skill is None else skill_rules(skill.text)
            run = work.found(planned)
            if rules and run is not None and run.outcome == "finished":
                submission = submission_of(suite, case, variant, run)
                yield OwnRun(variant.name, case.id, submission._replace(expect=rules, reference=None))


def own_skill(planned: PlannedRun) -> SkillFile | None:
    """The instructions that a run finds in its workspace; None without a skill."""
    target = f"{SKILL_FOLDERS[0]}/{planned.skill}/{SKILL}"
    source = next((entry.source for entry in planned.listing if entry.target == target), None)
    return None if source is None else SkillFile(SKILL, Path(source).read_text(encoding="utf-8", errors="replace"))


def own_adherence(runs: Iterable[tuple[OwnRun, Scorecard | InputError]]) -> tuple[OwnAdherence, ...]:
    """The readings of runs, added up by variant and rule."""
    found: dict[str, dict[str, Rule]] = {}
    counts: dict[str, int] = {}
    for run, card in runs:
        if isinstance(card, InputError) or card.checked is None:
            continue
        counts[run.variant] = counts.get(run.variant, 0) + 1
        rules = found.setdefault(run.variant, {})
        for expected in card.checked.expectations:
            rule = rules.get(expected.words, Rule(expected.words, 0, 0, 0, (), ""))
            if expected.result == "met":
                rule = rule._replace(met=rule.met + 1)
            elif expected.result == "unmet":
                rule = rule._replace(
                    unmet=rule.unmet + 1,
                    broken_in=tuple(dict.fromkeys((*rule.broken_in, run.case))),
                    quote=rule.quote or expected.quote,
                )
            else:
                rule = rule._replace(undecided=rule.undecided + 1)
            rules[expected.words] = rule
    return tuple(
        OwnAdherence(
            variant,
            counts[variant],
            sum(rule.met for rule in rules.values()),
            sum(rule.met + rule.unmet for rule in rules.values()),
            tuple(sorted(rules.values(), key=lambda rule: -rule.unmet)),
        )
        for variant, rules in found.items()
    )
