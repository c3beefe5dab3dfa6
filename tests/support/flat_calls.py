"""The functions of the Python API with everything as a keyword, which is shorter to write in a table of cases.

Fields of a submission and model options are put where they belong; without judges, the checks judge.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import evenhand
from evenhand.options.model_options import OPTIONS
from evenhand.types import AnchorReport, Preferences, ProbeOutcome

_OF_A_SUBMISSION = ("reference", "skill", "id", "workspace")


def judge(output: str | evenhand.Submission, **given: Any) -> evenhand.Scorecard:
    return evenhand.judge(_submission(output, given), **_arguments({"judges": "checks", **given}))


async def judge_async(output: str | evenhand.Submission, **given: Any) -> evenhand.Scorecard:
    return await evenhand.judge_async(_submission(output, given), **_arguments({"judges": "checks", **given}))


def prefer(systems: Mapping[str, Any], **given: Any) -> Preferences:
    return evenhand.side_by_side(systems, **_arguments(given, ()))


async def prefer_async(systems: Mapping[str, Any], **given: Any) -> Preferences:
    return await evenhand.side_by_side_async(systems, **_arguments(given, ()))


def probe(judge: str, **given: Any) -> ProbeOutcome:
    return evenhand.trust.probe(judge, **_arguments(given))


def run_anchors(store: evenhand.Store, *judge: str, **given: Any) -> AnchorReport:
    return evenhand.trust.run_anchors(store, *judge, **_arguments(given))


def _submission(output: str | evenhand.Submission, given: Mapping[str, Any]) -> evenhand.Submission:
    submission = output if isinstance(output, evenhand.Submission) else evenhand.Submission(output)
    own = {name: given[name] for name in _OF_A_SUBMISSION if given.get(name) is not None}
    return submission._replace(**own)


def _arguments(given: Mapping[str, Any], elsewhere: tuple[str, ...] = _OF_A_SUBMISSION) -> dict[str, Any]:
    options = {name: value for name, value in given.items() if name in OPTIONS}
    arguments = {name: value for name, value in given.items() if name not in OPTIONS and name not in elsewhere}
    return {**arguments, "options": evenhand.ModelOptions(**options)} if options else arguments
