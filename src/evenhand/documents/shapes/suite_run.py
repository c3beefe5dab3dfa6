"""The published shape of a suite's run. Nothing here runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NotRequired

from evenhand.decisions.values.suite_run import SuiteRun
from evenhand.documents.shapes.preferences import PreferencesDocument
from evenhand.documents.suite_results import RUN_SCHEMA
from evenhand.files.shapes import shape_of

if TYPE_CHECKING:
    SuiteRunDocument = dict[str, Any]
else:
    SuiteRunDocument = shape_of(SuiteRun, RUN_SCHEMA, pairs=NotRequired[PreferencesDocument])
