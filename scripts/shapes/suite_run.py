"""The published shape of a suite's run. Nothing here runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NotRequired

from evenhand.decisions.suite_run import RUN_SCHEMA, SuiteRun
from shapes.preferences import PreferencesDocument
from shapes.record_types import shape_of

if TYPE_CHECKING:
    SuiteRunDocument = dict[str, Any]
else:
    SuiteRunDocument = shape_of(SuiteRun, RUN_SCHEMA, pairs=NotRequired[PreferencesDocument])
