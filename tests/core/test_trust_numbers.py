"""Calibration, estimates, scales, probes, anchors: every number again in plain steps, every limit at its boundary."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.stats.trust.probe_effects import (
    holm,
)

# --- curves ----------------------------------------------------------------------------------------------------------


# --- a calibration and a scorecard -----------------------------------------------------------------------------------


# --- scales ----------------------------------------------------------------------------------------------------------


# --- estimates -------------------------------------------------------------------------------------------------------


# --- probes and anchors ----------------------------------------------------------------------------------------------


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=6))
@settings(max_examples=40)
def test_holm_rejects_what_stepping_down_rejects(p_values):
    """At any level: the smallest at level / m, the next at level / (m - 1), until one is not rejected."""
    known = [p for p in p_values if p is not None]
    adjusted = holm(p_values)
    for level in (0.01, 0.05, 0.2):
        rejected = 0
        while rejected < len(known) and sorted(known)[rejected] * (len(known) - rejected) <= level:
            rejected += 1
        assert sum(p is not None and p <= level for p in adjusted) == rejected
    assert [p is None for p in adjusted] == [p is None for p in p_values]


# --- alpha of many different values ----------------------------------------------------------------------------------


# --- what coefficients mean ------------------------------------------------------------------------------------------
