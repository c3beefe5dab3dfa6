"""What a store is: the evaluations and all that is kept beside them.

A command that only scores opens the evaluations alone (`open_evaluations`), since loading the rest takes longer than
scoring.
"""

from __future__ import annotations

from evenhand.store.evaluation_store import EvaluationStore
from evenhand.store.tables.anchors import Anchors
from evenhand.store.tables.browsed_lists import Browsing
from evenhand.store.tables.judge_cards import JudgeCards
from evenhand.store.tables.kept_rows import KeptRows
from evenhand.store.tables.labels import SqlLabels
from evenhand.store.tables.notes import Notes
from evenhand.store.tables.over_time import OverTime
from evenhand.store.tables.review_candidates import ReviewCandidates
from evenhand.store.tables.reviews import Reviews
from evenhand.store.tables.transcripts import Transcripts
from evenhand.store.tables.web_log import WebLog


class Store(
    EvaluationStore,
    Anchors,
    Browsing,
    JudgeCards,
    KeptRows,
    Notes,
    OverTime,
    SqlLabels,
    ReviewCandidates,
    Reviews,
    Transcripts,
    WebLog,
):
    """A whole store. Every method raises StoreUnavailable when the store is out of reach."""
