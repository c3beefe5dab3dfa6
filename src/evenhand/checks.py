"""What a check of your own is made of. Public.

>>> from evenhand.checks import Check, Finding, Subject
>>> def says_simply(subject: Subject):
...     if "simply" in subject.words:
...         yield Finding("says-simply", "consistency", -50, "It says simply.", quote="simply")
>>> check = Check("says-simply", ("consistency",), "The word simply.", "Half a point.", "Simply run it.", says_simply)
>>> [finding.quote for finding in check.run(Subject(Submission(output="You simply run it.")))]
['simply']
"""

from __future__ import annotations

from evenhand.core.values.submission import Place, Submission
from evenhand.judges.checks.finding import Check, Finding
from evenhand.judges.checks.subject import Subject

__all__ = ["Check", "Finding", "Place", "Subject", "Submission"]
