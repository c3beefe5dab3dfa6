"""evenhand score ID: evaluations under a changed rubric, without a judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice

import click

from evenhand.cli.cards import CardWriter, Layout
from evenhand.cli.shared import chosen_store, not_stored, say
from evenhand.core.scorecard import Scorecard
from evenhand.errors import InputError


def score_again(
    entries: tuple[str, ...],
    *,
    rubric: str,
    judged_with: str | None,
    calibration: str | None,
    last: int | None,
    save: bool,
    layout: Layout,
    store: str | None,
    format: str,
) -> int:
    """Score evaluations again under a changed rubric. No judge is asked, so it costs nothing.

    Takes ids of stored evaluations, skills (all their evaluations), or files of scorecards. Weights, pass mark and the
    amounts of red flags come from the new rubric; a flag or bonus that it no longer lists does not count. The judges'
    scores stay as they were: warnings say which criteria have changed since, and which flags and bonuses no judge was
    asked about.
    """
    from evenhand.cli.stale_calibration import warn_of_stale
    from evenhand.judging.calibration import load_calibration
    from evenhand.judging.keeper import Keeper
    from evenhand.judging.rescoring import Rescorer, rescore_each

    kept_in, settings = chosen_store(store)
    if save and kept_in is None:
        raise click.UsageError("--save needs a store, and none was chosen; give one with --store")
    keeper = Keeper(kept_in, keep=settings.text_or_hash) if save else None
    loaded = None if calibration is None else load_calibration(calibration)
    out_of_date = None if loaded is None else warn_of_stale(loaded, kept_in)
    rescorer = Rescorer(rubric, judged_with=judged_with, calibration=loaded, out_of_date=out_of_date)
    results = rescore_each(entries, kept_in, rescorer, last=last, keeper=keeper)
    first = list(islice(results, 2))
    single = len(first) == 1
    writer = CardWriter(format, one=single, layout=layout)
    tally = _Tally() if format == "terminal" and not (single or layout.full or layout.audit) else None

    def cards() -> Iterator[tuple[Scorecard | InputError, str]]:
        for result in chain(first, results):
            if isinstance(result, InputError):
                yield result, ""
            else:
                yield (result.card if tally is None else tally.count(result.before, result.card)), ""

    code = writer.write_all(cards())
    if tally is not None:
        tally.tell()
    return not_stored(keeper, code)


class _Tally:
    """How the grades of many scorecards changed."""

    def __init__(self) -> None:
        self._grades: Counter[tuple[str, str]] = Counter()
        self._warnings: Counter[str] = Counter()

    def count(self, before: Scorecard, card: Scorecard) -> Scorecard:
        """The scorecard without its warnings, which are summed up at the end."""
        old, new = (scorecard.grade.letter if scorecard.grade else "-" for scorecard in (before, card))
        self._grades[old, new] += 1
        self._warnings.update(
            warning
            for warning in card.warnings
            if warning not in before.warnings and not warning.startswith("rescored from ")
        )
        return card._replace(warnings=())

    def tell(self) -> None:
        """Report how many grades changed, and each warning once with how many scorecards have it."""
        total = self._grades.total()
        changed = [f"{count} from {old} to {new}" for (old, new), count in self._grades.items() if old != new]
        if total:
            say(f"rescored: {', '.join(changed) if changed else 'no grade changed'}")
        for warning, count in self._warnings.items():
            say(f"warning: {count} of {total}: {warning}")
