"""Generate the published JSON Schemas from the types in the shapes of `evenhand.core`.

python scripts/make_schemas.py            write src/evenhand/schemas/*.json
python scripts/make_schemas.py --check    exit 1 if any is out of date
"""

from __future__ import annotations

import json
import sys
import typing
from pathlib import Path
from typing import Any

if sys.version_info < (3, 12):
    # Before 3.12 the standard TypedDict lacks what pydantic reads; the one of typing_extensions has it.
    import typing_extensions

    typing.TypedDict = typing_extensions.TypedDict

from pydantic import ConfigDict, TypeAdapter

from evenhand.core.documents.records import shape_of
from evenhand.core.documents.shapes import anchor_run as anchor_run_shapes
from evenhand.core.documents.shapes import calibration as calibration_shapes
from evenhand.core.documents.shapes import comparison as comparison_shapes
from evenhand.core.documents.shapes import judge_card as judge_card_shapes
from evenhand.core.documents.shapes import judgement as judgement_shapes
from evenhand.core.documents.shapes import preferences as preference_shapes
from evenhand.core.documents.shapes import rater_agreement as agreement_shapes
from evenhand.core.documents.shapes import review as review_shapes
from evenhand.core.documents.shapes import rubric as rubric_shapes
from evenhand.core.documents.shapes import run_documents as run_shapes
from evenhand.core.documents.shapes import scorecard as shapes
from evenhand.core.documents.shapes import submission as submission_shapes
from evenhand.core.documents.shapes import suite as suite_shapes
from evenhand.core.documents.shapes import suite_decision as suite_decision_shapes
from evenhand.core.documents.suite_results import RESULT_SCHEMA
from evenhand.core.documents.verification import Verification
from evenhand.core.values.agent_run import CaseResult
from evenhand.core.values.label import Label
from evenhand.core.values.ranking import Ranking

FOLDER = Path(__file__).parents[1] / "src" / "evenhand" / "schemas"
DOCUMENTS = {
    "judgement": judgement_shapes.JudgementDocument,
    "scorecard": shapes.ScorecardDocument,
    "ranking": shape_of(Ranking, "evenhand/ranking/v1"),
    "rubric": rubric_shapes.RubricDocument,
    "verification": shape_of(Verification, "evenhand/verification/v1"),
    "comparison": comparison_shapes.ComparisonDocument,
    "set-comparison": comparison_shapes.SetComparisonDocument,
    "gate": comparison_shapes.GateDocument,
    "transcript": submission_shapes.TranscriptDocument,
    "evaluation": submission_shapes.EvaluationDocument,
    "export": submission_shapes.ExportDocument,
    "stored-row": submission_shapes.StoredRowDocument,
    "plan": run_shapes.PlanDocument,
    "batch": run_shapes.BatchDocument,
    "suite-plan": run_shapes.SuitePlanDocument,
    "judged-table": run_shapes.JudgedTableDocument,
    "calibration": calibration_shapes.CalibrationDocument,
    "estimate": calibration_shapes.EstimateDocument,
    "anchor-run": anchor_run_shapes.AnchorRunDocument,
    "judge-card": judge_card_shapes.JudgeCardDocument,
    "preferences": preference_shapes.PreferencesDocument,
    "agreement": agreement_shapes.AgreementDocument,
    "label": shape_of(Label, "evenhand/label/v1"),
    "label-import": agreement_shapes.LabelImportDocument,
    "review-round": review_shapes.ReviewRoundDocument,
    "suite-run": suite_decision_shapes.SuiteRunDocument,
    "suite-result": shape_of(CaseResult, RESULT_SCHEMA),
    "suite-decision": suite_decision_shapes.SuiteDecisionDocument,
    "suite": suite_shapes.SuiteDocument,
    "suite-check": suite_shapes.SuiteCheckDocument,
}
CLOSED: dict[str, tuple[Any, ...]] = {
    "judgement": (
        judgement_shapes.JudgementDocument,
        judgement_shapes.ScoresInput,
        judgement_shapes.OpinionInput,
        judgement_shapes.ClaimInput,
        judgement_shapes.EvidenceInput,
    ),
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
}
"""What people write: an unknown key there is a mistake. What evenhand writes may gain fields."""


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of one document."""
    shape: Any = DOCUMENTS[name]
    for part in CLOSED.get(name, ()):
        part.__pydantic_config__ = ConfigDict(extra="forbid")
    made = TypeAdapter(shape).json_schema() | (suite_shapes.CASES_OR_TRIGGERS if name == "suite" else {})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"evenhand/{name}/v1",
        **made,
    }


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
