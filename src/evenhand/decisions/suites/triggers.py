"""How well a skill is activated: at the prompts that it is for (recall), and at no others (precision). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from evenhand.decisions.sets.preferences import wilson
from evenhand.decisions.suites.board import CaseEntry
from evenhand.decisions.values.decision import Share, TriggerPrompt, Triggers
from evenhand.decisions.values.suite import SHOULD, SHOULD_NOT


def triggers(cases: Iterable[tuple[str, CaseEntry]], variant: str) -> Triggers | None:
    """From the runs of a variant whose activation is known; None when no case is a prompt that tries it.

    A prompt counts once, by the share of its runs in which the skill was activated: runs of one prompt are alike, and
    taking them for independent would make the intervals too narrow.
    """
    prompts = []
    for name, entry in sorted(cases, key=lambda item: item[0]):
        cell = entry.cells.get(variant)
        # Only runs that finished: one that did not has neither activated the skill nor passed it over.
        known = 0 if cell is None else min(len(cell.shares), cell.counted)
        if cell is None or not known or not {SHOULD, SHOULD_NOT} & set(entry.tags):
            continue
        wanted = SHOULD in entry.tags
        as_wanted = sum(share == 100 for share in cell.shares)
        prompts.append(TriggerPrompt(name, wanted, as_wanted if wanted else known - as_wanted, known))
    if not prompts:
        return None
    hits = sum((Fraction(prompt.activated, prompt.runs) for prompt in prompts if prompt.wanted), Fraction(0))
    alarms = sum((Fraction(prompt.activated, prompt.runs) for prompt in prompts if not prompt.wanted), Fraction(0))
    return Triggers(
        recall=_share(hits, Fraction(sum(prompt.wanted for prompt in prompts))),
        precision=_share(hits, hits + alarms),
        prompts=tuple(prompts),
    )


def _share(some: Fraction, all_of_them: Fraction) -> Share | None:
    interval = wilson(float(some), float(all_of_them))
    return None if interval is None else Share(*interval)
