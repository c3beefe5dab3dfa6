"""evenhand better, of what has been judged: runs of a suite, scorecards, stored evaluations, skills of the store."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from evenhand.cli.commands.compare.suite_outcome import show_run
from evenhand.cli.presenter import present
from evenhand.cli.shared import BAD_INPUT, DONE, decision_code, sorted_out
from evenhand.errors import EvenhandError, InputError, unknown

if TYPE_CHECKING:
    from evenhand.core.scorecard import Scorecard
    from evenhand.decisions.what_to_change import Changes
    from evenhand.judging.files import Named
    from evenhand.reports.tree import Report
    from evenhand.store.protocol import Store
    from evenhand.work.submission import Submission

Kind = Literal["run", "evaluations", "output"]

_WORDS = {"run": "a run of a suite", "evaluations": "evaluations", "output": "outputs or a skill"}


@dataclass(frozen=True, slots=True)
class Judged:
    """How what has been judged is looked up, compared and shown."""

    kept: Store | None
    rubric: str | None
    skill_file: str | None
    cluster: str | None
    last: int | None
    format: str
    full: bool
    undecided: str

    @property
    def is_brief(self) -> bool:
        """Whether only the answer is shown."""
        return self.format == "terminal" and not self.full


def kind_of(names: Sequence[str], kept: Store | None) -> Kind:
    """The kind that all of these names have. InputError when they are of several."""
    kinds = {name: _kind(name, kept) for name in names if name != "none"}
    if len({*kinds.values()}) > 1:
        for name, kind in kinds.items():
            if kind == "output" and not os.path.exists(name) and not set(name) & {"*", "@"}:  # noqa: PTH110
                raise InputError(f"{name}: no such file or folder")
        said = " and ".join(f"{name} is {_WORDS[kind]}" for name, kind in kinds.items())
        unread = [name for name, kind in kinds.items() if kind == "output" and os.path.isfile(name)]  # noqa: PTH113
        step = f"; judge it first: evenhand judge {unread[0]}" if unread and "run" not in kinds.values() else ""
        raise InputError(f"only things of one kind can be compared, and {said}{step}")
    return next(iter(kinds.values()), "output")


def _kind(name: str, kept: Store | None) -> Kind:
    if os.path.exists(name):  # noqa: PTH110 (a name that is too long is not a file)
        return _kind_of_file(Path(name))
    suite, at, baseline = name.rpartition("@")
    if kept is not None:
        if name == "latest" and next(iter(kept.suite_runs(limit=1)), None) is not None:
            return "run"
        if _is_skill(name, kept) or kept.get(name) is not None:
            return "evaluations"
        if at and any(row.name == baseline for row in kept.baselines(suite)):
            return "run"
        if kept.suite_run(name) is not None:
            return "run"
    return "output" if set(name) & {"@", "*", os.sep, "."} else "evaluations"


def _is_skill(name: str, kept: Store) -> bool:
    """Whether a skill has this name, and no evaluation has it as its whole id; as the start of one it may have."""
    return name in dict(kept.skills()) and kept.find(name, None) is None


def _kind_of_file(path: Path) -> Kind:
    from evenhand.files.documents import open_documents
    from evenhand.judging.wrong_files import output_instead

    if path.suffix not in (".json", ".jsonl", ".yaml", ".yml") or not path.is_file():
        return "output"
    try:
        first = next(open_documents(str(path)).documents)
    except (EvenhandError, StopIteration):
        return "output"
    value = None if isinstance(first, EvenhandError) else first.value
    if not isinstance(value, dict):
        return "output"
    if value.get("schema") == "evenhand/suite-run/v1":
        return "run"
    if "variants" in value:
        raise output_instead(str(path), InputError(f"{path}: not a judgement"), value)
    return "evaluations" if "scores" in value or value.get("schema") == "evenhand/scorecard/v1" else "output"


def compare_runs(names: Sequence[str], judged: Judged) -> int:
    """The later of two runs of a suite against the earlier one."""
    from evenhand.suites.results.suite_results import clustered_run

    if len(names) > 2:
        raise InputError("more than two runs of a suite; give two, or one run with more variants")
    before, after = (clustered_run(name, judged.kept, judged.cluster) for name in names)
    if before.run.suite != after.run.suite:
        raise InputError(
            f"{names[0]} is a run of the suite {before.run.suite} and {names[1]} one of {after.run.suite}: their cases "
            "are not the same; give two runs of one suite"
        )
    decision, _ = show_run(
        after,
        judged.kept,
        judged.format,
        before=before,
        label=names[0],
        skill_file=judged.skill_file,
        full=judged.full,
    )
    return decision_code(decision, judged.undecided)


def compare_evaluations(names: Sequence[str], judged: Judged) -> int:
    """Two evaluations side by side, or sets of them decided."""
    sets = [_cards(name, judged) for name in names]
    if not all(sets):
        return BAD_INPUT
    if len(sets) == 2 and all(len(cards) == 1 for cards in sets):
        for option, value in (("judge.skill_file", judged.skill_file), ("--cluster", judged.cluster)):
            if value is not None:
                raise click.UsageError(f"{option} goes with sets; these are two single evaluations")
        _show_two(judged, sets[0][0].card, sets[1][0].card)
        return DONE
    return _show_sets(judged, names, sets)


def show_changes(name: str, kind: Kind, variant: str | None, judged: Judged) -> int:
    """Show what to change in the evaluations that one name stands for."""
    from evenhand.judging.sets.set_answer import changes_of
    from evenhand.judging.skill_file import read_skill
    from evenhand.reports.comparison.what_to_change import MOST, changes_document, changes_report

    skill = None if judged.skill_file is None else read_skill(judged.skill_file)
    if kind == "output":
        raise InputError(
            f"{name} has not been judged: judge it first with evenhand judge, or name what to compare it to"
        )
    if kind == "run":
        of, changes = _of_run(name, variant, judged.kept, skill)
    else:
        if variant is not None:
            raise click.UsageError("better.variant goes with a run of a suite")
        cards = _cards(name, judged)
        if not cards:
            return BAD_INPUT
        of, changes = "", changes_of(cards, skill)
    most = None if judged.full else MOST
    present(judged.format, lambda: changes_document(changes), report=lambda: changes_report(changes, of=of, most=most))
    return DONE


def _of_run(name: str, variant: str | None, kept: Store | None, skill: tuple[str, str] | None) -> tuple[str, Changes]:
    from evenhand.suites.results.run_answer import stored_complaints
    from evenhand.suites.results.suite_results import decision_on, find_run

    opened = find_run(name, kept)
    if variant is not None and variant not in opened.run.variants:
        raise InputError(unknown("variant", variant, opened.run.variants))
    chosen = variant or decision_on(opened.run, opened.results).advised_variant
    collected = {} if kept is None else stored_complaints(kept, find_run(name, kept).results)
    if chosen not in collected:
        raise InputError(f"no scorecard of {chosen} is stored; run the suite again with a store")
    return chosen, collected[chosen].changes(skill)


def _cards(name: str, judged: Judged) -> list[Named]:
    """The evaluations that a name stands for: of a file, of an id, or of a skill of the store."""
    from evenhand.judging.kept.found_cards import cards_of_skill, find_cards

    kept = judged.kept
    if kept is not None and not Path(name).exists() and _is_skill(name, kept):
        return cards_of_skill(kept, name, last=judged.last)
    good, bad = sorted_out(find_cards([name], kept, rubric=judged.rubric))
    if bad:
        return []
    if not good:
        raise InputError(f"{name} holds nothing to compare")
    return good


def _show_two(judged: Judged, before: Scorecard, after: Scorecard) -> None:
    """Two evaluations side by side; on a page with both outputs, as far as a store keeps them."""
    from evenhand.decisions.changes import changes
    from evenhand.reports.comparison.changes import change_document, changes_report
    from evenhand.store.stored_cards import stored_submission

    moved, kept = changes(before, after), judged.kept

    def text(card: Scorecard) -> Submission | None:
        record = None if kept is None else kept.find(card.id, None)
        same = record is not None and record.document["receipt"].get("submission") == card.receipt.submission
        return stored_submission(kept, record) if kept is not None and record is not None and same else None

    def report() -> Report:
        texts = (text(before), text(after)) if judged.format == "html" else (None, None)
        return changes_report(before, after, moved, texts, is_brief=judged.is_brief)

    present(judged.format, lambda: change_document(before, after, moved), report=report, full=judged.full)


def _show_sets(judged: Judged, names: Sequence[str], sets: Sequence[list[Named]]) -> int:
    """Sets of evaluations: the verdicts, what to change and what got worse, then what it rests on."""
    from evenhand.decisions.changes import criteria_shares
    from evenhand.judging.sets.case_clusters import read_clusters
    from evenhand.judging.sets.compared_sets import compare_sets
    from evenhand.judging.sets.set_answer import set_answer
    from evenhand.judging.skill_file import read_skill
    from evenhand.reports.comparison.sets import set_document, sets_report
    from evenhand.reports.exchange.junit import junit_xml
    from evenhand.reports.exchange.suite_tests import decision_cases

    skill = None if judged.skill_file is None else read_skill(judged.skill_file)
    cluster_of = None if judged.cluster is None else read_clusters(judged.cluster)
    result = compare_sets(names, sets, cluster_of=cluster_of)
    answer = set_answer(result, sets, skill)
    shares = criteria_shares(*([entry.card for entry in cards] for cards in sets)) if len(sets) == 2 else ()
    present(
        judged.format,
        lambda: set_document(result, answer, shares),
        report=lambda: sets_report(result, answer, shares, is_brief=judged.is_brief),
        junit=lambda: junit_xml("evenhand better", decision_cases(result.decision)),
    )
    return decision_code(result.decision, judged.undecided)
