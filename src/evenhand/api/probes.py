"""The Python API's `probe`: a judge's self-test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.core.values.model_options import ModelOptions

if TYPE_CHECKING:
    from evenhand.store.protocol import Store
    from evenhand.trust.probes import ProbeOutcome


def probe(
    judge: str,
    *,
    quick: bool = False,
    store: Store | None = None,
    options: ModelOptions | None = None,
) -> ProbeOutcome:
    """Test a judge with built-in outputs that are changed in known ways; see `evenhand probe`.

    `outcome.card.against` is what speaks against the judge, `outcome.card.results` has every probe with its effects.
    With a `store`, the card is kept and compared with the last one of the same judge: `outcome.since` and
    `outcome.changes`. `document` gives its published JSON shape. `options.replies` is a file in which a
    test that was stopped goes on; it is removed when the test is finished. Nothing enters a skill's history.
    Raises Unavailable when the judge cannot be reached, or a limit is hit before the end.
    """
    from evenhand.trust.probes import ProbeTest, probe_judge

    options = options or ModelOptions()
    options.refuse_for("probe", "a self-test")
    return probe_judge(ProbeTest(judge, options, quick=quick), store)
