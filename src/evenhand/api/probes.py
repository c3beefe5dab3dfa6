"""The Python API's `probe`: a judge's self-test."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.core.numbers import own_number
from evenhand.core.rubric import Rubric
from evenhand.errors import InputError
from evenhand.options.model_options import ModelOptions

if TYPE_CHECKING:
    from evenhand.store.protocol import Store
    from evenhand.trust.probes import ProbeOutcome


def probe(
    judge: str,
    *,
    quick: bool = False,
    on: str | Path | Sequence[str | Path] | None = None,
    rubric: str | Path | Rubric | None = None,
    outputs: int = 10,
    store: Store | None = None,
    options: ModelOptions | None = None,
) -> ProbeOutcome:
    """Test a judge with built-in outputs that are changed in known ways; see `evenhand trust probe`.

    `on` names files or folders of your own outputs to test it with, judged by `rubric`; `outputs` is how many.

    `outcome.card.against` is what speaks against the judge, `outcome.card.results` has every probe with its effects.
    With a `store`, the card is kept and compared with the last one of the same judge: `outcome.since` and
    `outcome.changes`. `document` gives its published JSON shape. `options.replies` is a file in which a
    test that was stopped goes on; it is removed when the test is finished. Nothing enters a skill's history.
    Raises Unavailable when the judge cannot be reached, or a limit is hit before the end.
    """
    from evenhand.trust.probes import ProbeTest, own_material, probe_judge

    options = options or ModelOptions()
    options.refuse_for("probe", "a self-test")
    material = None
    if on is not None:
        paths = [on] if isinstance(on, str | Path) else [*on]
        material = own_material([str(path) for path in paths], rubric=rubric, most=own_number(outputs))
    elif rubric is not None:
        raise InputError("`rubric` goes with `on`; the built-in outputs have their own")
    return probe_judge(ProbeTest(judge, options, quick=quick, on=material), store)
