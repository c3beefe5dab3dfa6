"""A calibration whose judge moved on the anchors since: the warning that every command gives that applies one."""

from __future__ import annotations

from evenhand.cli.shared import say
from evenhand.core.curve import Calibration
from evenhand.store.protocol import Store
from evenhand.trust.anchors import moved_since


def warn_of_stale(calibration: Calibration, kept_in: Store | None) -> str | None:
    """Why it no longer holds, which is also said; None when it does, or without a store, where nobody knows."""
    out_of_date = None if kept_in is None else moved_since(kept_in, calibration)
    if out_of_date is not None:
        say(f"warning: {out_of_date}")
    return out_of_date
