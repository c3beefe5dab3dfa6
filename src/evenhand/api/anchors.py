"""The Python API's `add_anchors` and `run_anchors`: whether a judge has moved."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.options.model_options import ModelOptions

if TYPE_CHECKING:
    from evenhand.stats.trust.anchor_drift import AnchorReport
    from evenhand.store.protocol import Store


def add_anchors(
    store: Store,
    names: Iterable[str | Path],
    *,
    set: str = "default",
    rubric: str | None = None,
    task: str | None = None,
) -> int:
    """Freeze submissions in a store, by file or by the id of an evaluation; how many were new.

    >>> import tempfile, pathlib
    >>> from evenhand import open_store
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "answer.md").write_text("Restart the service.")
    >>> add_anchors(open_store(str(folder / "store.db")), [folder / "answer.md"], rubric="default")
    1
    """
    from evenhand.files.text import refuse_path
    from evenhand.trust import anchors as anchoring

    refuse_path("task", task)
    return anchoring.add_anchors(store, map(str, names), set_name=set, rubric=rubric, task=task)[0]


def run_anchors(
    store: Store,
    judge: str | None = None,
    *,
    set: str = "default",
    options: ModelOptions | None = None,
) -> AnchorReport:
    """Judge anchors again, and compare with the judge's first scores. Without `judge`, that of the set's last run is
    asked at the same address and in the same way, except for options given now.

    `report.alarm` is whether the judge moved, `report.moved` has each field, `report.changes` what changed about the
    judge. The run is kept in the store; nothing enters a skill's history.
    Raises Unavailable when the run cannot be finished.
    """
    from evenhand.trust import anchors as anchoring

    options = options or ModelOptions()
    options.refuse_for("anchors", "a run over anchors")
    return anchoring.run_anchors(store, options, judge=judge, set_name=set)
