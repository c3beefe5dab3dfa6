"""The types of what the functions of `evenhand` give, and of what is inside of it: for annotations.

>>> from evenhand.types import Evidence
>>> Evidence("The cache never expires.").verified is None
True
"""

from __future__ import annotations

from evenhand.api.suites import SuiteResults as SuiteResults
from evenhand.core.comparison import Comparison as Comparison
from evenhand.core.curve import Calibration as Calibration
from evenhand.core.finding import Checked as Checked
from evenhand.core.finding import Expected as Expected
from evenhand.core.finding import Finding as Finding
from evenhand.core.judgement import Claim as Claim
from evenhand.core.judgement import Evidence as Evidence
from evenhand.core.judgement import Opinion as Opinion
from evenhand.core.scorecard import AuditLine as AuditLine
from evenhand.core.scorecard import Interval as Interval
from evenhand.core.scorecard import Receipt as Receipt
from evenhand.decisions.changes import Changes as Changes
from evenhand.decisions.decision import SetComparison as SetComparison
from evenhand.decisions.gate import Ruling as Ruling
from evenhand.decisions.preference import Preferences as Preferences
from evenhand.decisions.suite import Suite as Suite
from evenhand.documents.verification import Difference as Difference
from evenhand.documents.verification import Verification as Verification
from evenhand.errors import Problem as Problem
from evenhand.stats.agreement.agreed import AgreementReport as AgreementReport
from evenhand.stats.trust.anchor_drift import AnchorReport as AnchorReport
from evenhand.stats.trust.estimated import Estimated as Estimated
from evenhand.trust.labels.label_import import LabelImport as LabelImport
from evenhand.trust.probes import ProbeOutcome as ProbeOutcome
from evenhand.work.submission import Event as Event
from evenhand.work.submission import ToolCall as ToolCall

__all__ = [
    "AgreementReport",
    "AnchorReport",
    "AuditLine",
    "Calibration",
    "Changes",
    "Checked",
    "Claim",
    "Comparison",
    "Difference",
    "Estimated",
    "Event",
    "Evidence",
    "Expected",
    "Finding",
    "Interval",
    "LabelImport",
    "Opinion",
    "Preferences",
    "ProbeOutcome",
    "Problem",
    "Receipt",
    "Ruling",
    "SetComparison",
    "Suite",
    "SuiteResults",
    "ToolCall",
    "Verification",
]
