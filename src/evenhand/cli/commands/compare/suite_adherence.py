"""evenhand run audit --adherence: how far runs follow their own variant's skill, apart from any comparison."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.cli.presenter import present
from evenhand.cli.shared import DONE, chosen_store
from evenhand.errors import InputError
from evenhand.in_words import counted

if TYPE_CHECKING:
    from evenhand.suites.own_skills import OwnAdherence

MOST_CASES = 3
DECIDES_NOTHING = (
    "This decides nothing: in a comparison every variant, the one without a skill included, is judged by the same text."
)


def show_adherence(
    file: str,
    *,
    judges: tuple[str, ...],
    variants: tuple[str, ...],
    runs: str | None,
    yes: bool,
    dry_run: bool,
    store: str | None,
    format: str,
    asking: dict[str, Any],
) -> int:
    """Show how far each variant's runs follow its own skill, rule by rule.

    The rules are the list items of its SKILL.md; judges answer yes or no to each, with a quote. Kept runs are read, and
    nothing is run. It decides nothing: variants have different rules, and one without a skill has none.
    """
    import tempfile

    from evenhand.cli.sentence_run import Declined, read_sentences
    from evenhand.files import codec
    from evenhand.options.settings import runs_folder
    from evenhand.suites.checked_suite import read_suite
    from evenhand.suites.execution.run_order import narrowed
    from evenhand.suites.own_skills import own_adherence, own_runs

    suite = narrowed(read_suite(file), shard=None, only=(), variants=variants)
    folder = Path(runs) if runs is not None else runs_folder(chosen_store(store)[1].store)
    with tempfile.TemporaryDirectory(prefix="evenhand-revisions-") as revisions:
        found = list(own_runs(suite, folder, Path(revisions)))
    if not found:
        raise InputError(
            f"{file}: no kept run of a variant whose skill has rules: a list in its SKILL.md. Run it first: "
            f"evenhand run {file}"
        )
    works = [run.submission for run in found]
    try:
        cards = read_sentences(judges, works, asking, store=store, format=format, dry_run=dry_run, yes=yes)
    except Declined:
        return DONE
    readings = own_adherence(zip(found, cards, strict=True))
    present(
        format,
        lambda: {"variants": [codec.document(reading) for reading in readings]},
        plain=lambda: _lines(readings),
    )
    return DONE


def _lines(readings: tuple[OwnAdherence, ...]) -> Iterator[str]:
    for reading in readings:
        share = f"{100 * reading.met / reading.decided:.0f}%" if reading.decided else "nothing could be decided"
        yield f"{reading.variant} follows its own skill: {share} ({reading.met} of {reading.decided} answers, " + (
            f"{counted(reading.runs, 'run')})"
        )
        for rule in reading.rules:
            yield f"  {rule.met} of {rule.met + rule.unmet}  {rule.rule}"
            if rule.unmet:
                named = ", ".join(rule.broken_in[:MOST_CASES]) + (", ..." if len(rule.broken_in) > MOST_CASES else "")
                yield f"      not in {named}" + (f": “{rule.quote}”" if rule.quote else "")
    yield DECIDES_NOTHING
