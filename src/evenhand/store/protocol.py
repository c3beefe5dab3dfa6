"""What a store is: the evaluations and all that is kept beside them.

A command that only scores opens the evaluations alone (`open_evaluations`), since loading the rest takes longer than
scoring.
"""

from __future__ import annotations

from evenhand.store.anchors import Anchors
from evenhand.store.browsing import Browsing
from evenhand.store.evaluation_store import EvaluationStore
from evenhand.store.judge_cards import JudgeCards
from evenhand.store.kept_rows import KeptRows
from evenhand.store.labels import SqlLabels
from evenhand.store.notes import Notes
from evenhand.store.over_time import OverTime
from evenhand.store.reviews import Reviews
from evenhand.store.suites import Suites
from evenhand.store.web_log import WebLog


class Store(
    EvaluationStore,
    Anchors,
    Browsing,
    JudgeCards,
    KeptRows,
    Notes,
    OverTime,
    SqlLabels,
    Reviews,
    Suites,
    WebLog,
):
    """A whole store. Every method raises StoreUnavailable when the store is out of reach."""
