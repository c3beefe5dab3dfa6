"""Generate the published JSON Schemas from the types in the shapes of `evenhand.core`.

python scripts/make_schemas.py            write src/evenhand/schemas/*.json
python scripts/make_schemas.py --check    exit 1 if any is out of date
"""

from __future__ import annotations

import json
import sys
import typing
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, Literal, NotRequired

if sys.version_info < (3, 12):
    # Before 3.12 the standard TypedDict lacks what pydantic reads; the one of typing_extensions has it.
    import typing_extensions

    typing.TypedDict = typing_extensions.TypedDict

from pydantic import ConfigDict, TypeAdapter

from evenhand.core.ranking import Ranking
from evenhand.core.rubric import Criteria, Rubric
from evenhand.decisions.decision import Decision
from evenhand.decisions.suite_run import RESULT_SCHEMA
from evenhand.decisions.what_to_change import Changes
from evenhand.documents.verification import Verification
from evenhand.files import codec
from evenhand.judges.models.call_plan import Plan
from evenhand.judges.written import WrittenJudgement
from evenhand.judging.batch import Summary
from evenhand.options.command_settings import GROUPS, SETTINGS, may_stand_in_a_file
from evenhand.options.settings import ProjectFile
from evenhand.plugin_evals.report import PluginReport
from evenhand.stats.trust.anchor_drift import AnchorReport
from evenhand.stats.trust.estimated import What
from evenhand.stats.trust.estimates import Estimate, MeanInterval
from evenhand.store.tables.reviews import ReviewRound
from evenhand.suites.audit.flaws import SuiteAudit
from evenhand.suites.suite_plan import SuitePlan
from evenhand.transcripts.summary import Summary as Counts
from evenhand.trust.label_doctor import Diagnosis
from evenhand.work.agent_run import CaseResult
from evenhand.work.label import Label
from shapes import comparison as comparison_shapes
from shapes import expectations as expectation_shapes
from shapes import judge_card as judge_card_shapes
from shapes import preferences as preference_shapes
from shapes import rater_agreement as agreement_shapes
from shapes import rubric as rubric_shapes
from shapes import scorecard as shapes
from shapes import submission as submission_shapes
from shapes import suite as suite_shapes
from shapes import suite_run as suite_run_shapes
from shapes.record_types import Weight, Whole, for_each_dimension, shape_of

FOLDER = Path(__file__).parents[1] / "src" / "evenhand" / "schemas"


class LeftOut(typing.TypedDict):
    """What is not copied of a skill's folder because it belongs to the suite, by its paths in that folder."""

    skill: str
    paths: list[str]


class ChosenItem(typing.TypedDict):
    """One item of a round, and how likely it was to be chosen."""

    item: int
    skill: str
    probability: Weight


def _with(shape: Any, **added: Any) -> Any:
    """A type with further fields."""
    whole: Any = typing.TypedDict(shape.__name__, typing.get_type_hints(shape, include_extras=True) | added)  # type: ignore[misc]
    whole.__doc__ = shape.__doc__
    return whole


_JUDGE_PLANS: Any = list[shape_of(Plan, judge=str)]  # type: ignore[misc]
DOCUMENTS = {
    "judgement": WrittenJudgement,
    "scorecard": shapes.ScorecardDocument,
    "ranking": Ranking,
    "rubric": shape_of(
        Rubric,
        "evenhand/rubric/v1",
        sha256=str,
        weights=for_each_dimension("WeightsDocument", "One for each dimension; together exactly 1.", Weight),
        dimensions=for_each_dimension(
            "BandsDocument",
            "What each dimension means.",
            shape_of(Criteria, criteria=NotRequired[rubric_shapes.TreeDocument]),
        ),
    ),
    "verification": shape_of(Verification, "evenhand/verification/v1"),
    "comparison": comparison_shapes.ComparisonDocument,
    "gate": comparison_shapes.GateDocument,
    "transcript": _with(submission_shapes.TranscriptDocument, counts=shape_of(Counts)),
    "evaluation": submission_shapes.EvaluationDocument,
    "export": submission_shapes.ExportDocument,
    "stored-row": submission_shapes.StoredRowDocument,
    "plan": shape_of(
        Plan,
        "evenhand/plan/v1",
        submissions=Whole,
        pairs=NotRequired[Whole],
        readings=NotRequired[Whole],
        judges=_JUDGE_PLANS,
        escalation_calls=Whole,
    ),
    "batch": shape_of(Summary, "evenhand/batch/v1"),
    "suite-plan": shape_of(
        SuitePlan,
        "evenhand/suite-plan/v1",
        judges=_JUDGE_PLANS,
        pairs=_JUDGE_PLANS,
        left_out=list[LeftOut],
    ),
    "calibration": shapes.CalibrationDocument,
    "estimate": shape_of(
        Estimate,
        "evenhand/estimate/v1",
        what=What,
        subject=str,
        method=Literal["ppi++"],
        labels_alone=NotRequired[MeanInterval],
        sensitivity=NotRequired[Weight],
        specificity=NotRequired[Weight],
        precision=NotRequired[float],
        labels_needed=NotRequired[int | None],
    ),
    "label-diagnosis": shape_of(Diagnosis, "evenhand/label-diagnosis/v1"),
    "anchor-run": shape_of(AnchorReport, "evenhand/anchor-run/v1", level=Weight, margin=float),
    "judge-card": judge_card_shapes.JudgeCardDocument,
    "preferences": preference_shapes.PreferencesDocument,
    "agreement": agreement_shapes.AgreementDocument,
    "label": shape_of(Label, "evenhand/label/v1"),
    "label-import": agreement_shapes.LabelImportDocument,
    "review-round": shape_of(
        ReviewRound,
        "evenhand/review-round/v1",
        done=dict[str, int],
        items=NotRequired[list[ChosenItem]],
        left_out=NotRequired[dict[str, int]],
    ),
    "suite-run": suite_run_shapes.SuiteRunDocument,
    "suite-result": shape_of(CaseResult, RESULT_SCHEMA),
    "decision": Decision,
    "plugin-eval": PluginReport,
    "what-to-change": shape_of(Changes, "evenhand/what-to-change/v1"),
    "suite": suite_shapes.SuiteDocument,
    "expectations": expectation_shapes.ExpectationsDocument,
    "suite-check": suite_shapes.SuiteCheckDocument,
    "suite-audit": shape_of(SuiteAudit, "evenhand/suite-audit/v1"),
    "settings": ProjectFile,
}
CLOSED: dict[str, tuple[Any, ...]] = {
    "suite": (
        suite_shapes.SuiteDocument,
        suite_shapes.CaseInput,
        suite_shapes.TriggersInput,
        suite_shapes.TriggersInput,
        suite_shapes.StartFileInput,
        suite_shapes.MessageInput,
        suite_shapes.LimitsInput,
        suite_shapes.SkillInput,
        suite_shapes.VariantInput,
        suite_shapes.VersionsInput,
        suite_shapes.SuiteGateInput,
    ),
    "expectations": (
        expectation_shapes.ExpectationsDocument,
        expectation_shapes.ExpectationInput,
        expectation_shapes.CallInput,
        expectation_shapes.AnyOfCalls,
        expectation_shapes.AnswerRules,
        expectation_shapes.CallRules,
        expectation_shapes.SkillRules,
        expectation_shapes.FileRules,
        expectation_shapes.CommandRules,
        expectation_shapes.ScriptRules,
        expectation_shapes.LimitRules,
        expectation_shapes.TextRules,
        expectation_shapes.GradedRules,
    ),
}
"""What people write: an unknown key there is a mistake. What evenhand writes may gain fields."""


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of one document."""
    shape: Any = DOCUMENTS[name]
    if shape is ProjectFile:
        return _settings_schema()
    if is_dataclass(shape):
        return codec.schema(shape)
    for part in CLOSED.get(name, ()):
        part.__pydantic_config__ = ConfigDict(extra="forbid")
    made = TypeAdapter(shape).json_schema() | (suite_shapes.CASES_OR_TRIGGERS if name == "suite" else {})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"evenhand/{name}/v1",
        **made,
    }


def _settings_schema() -> dict[str, Any]:
    """What `evenhand.toml` may hold: its tables of settings have the keys that are declared for commands."""
    whole = codec.schema(ProjectFile) | {"$id": "evenhand/settings/v1"}
    for group in GROUPS:
        names = [name for name in SETTINGS if name.startswith(f"{group}.") and may_stand_in_a_file(name)]
        if group in whole["properties"]:
            whole["properties"][group]["additionalProperties"] = False
            whole["properties"][group]["properties"] = {
                name.partition(".")[2]: {"description": SETTINGS[name].help, **SETTINGS[name].schema} for name in names
            }
    return whole


def main() -> int:
    check = "--check" in sys.argv[1:]
    stale = []
    FOLDER.mkdir(exist_ok=True)
    for name in DOCUMENTS:
        target = FOLDER / f"{name}.v1.schema.json"
        text = json.dumps(schema(name), indent=2) + "\n"
        if target.is_file() and target.read_text(encoding="utf-8") == text:
            continue
        stale.append(target.name)
        if not check:
            target.write_text(text, encoding="utf-8")
    if stale:
        print(f"{'out of date' if check else 'written'}: {', '.join(stale)}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
