"""The published shapes of a suite's results and of the decision on them. Nothing here runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NotRequired

from evenhand.decisions.gate import Ruling
from evenhand.decisions.values.answer import Answer
from evenhand.decisions.values.decision import Decision
from evenhand.decisions.values.suite_run import SuiteRun
from evenhand.documents.shapes.preferences import PreferencesDocument
from evenhand.documents.suite_results import RUN_SCHEMA
from evenhand.files.records import shape_of

if TYPE_CHECKING:
    SuiteRunDocument = dict[str, Any]
    SuiteDecisionDocument = dict[str, Any]
else:
    SuiteRunDocument = shape_of(SuiteRun, RUN_SCHEMA, pairs=NotRequired[PreferencesDocument])


if not TYPE_CHECKING:
    SuiteDecisionDocument = shape_of(
        Decision,
        "evenhand/suite-decision/v1",
        run=SuiteRunDocument,
        rulings=list[shape_of(Ruling)],
        answer=NotRequired[shape_of(Answer)],
        pairs=NotRequired[PreferencesDocument],
    )
