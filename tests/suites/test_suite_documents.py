"""A suite's run and results as documents: written, read back, refused where a field is wrong; and for skill-creator."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from conftest import judged, seven

from evenhand.core.finding import Checked, Expected
from evenhand.decisions.suite import SuiteGate
from evenhand.decisions.suite_run import SuiteRun, result_document, result_from, run_document, run_from
from evenhand.errors import DocumentError
from evenhand.reports.exchange.skill_creator import grading_document, run_summary, suite_benchmark, suite_row
from evenhand.work.agent_run import CaseResult, RunId
from every_case import every_case
from suite_cases import result

RUN = SuiteRun(
    "id", "suite", "ab" * 32, "2026-01-01T00:00:00Z", ("old", "new"), "old", 3, 40, "skill", ("judge one", "judge two"),
    SuiteGate("base", Decimal("0.3"), Decimal("7.5"), Decimal("0.1"), "major"), ("a note",), (20, 40),
)  # fmt: skip

RESULT = CaseResult(
    RunId("case", "variant", 2), "failed", "exit code 1", ("tag", "other"), Decimal("1.5"), 710, 600, 800, "B-",
    (("correctness", 700), ("safety", None)), 3, 4, (("check", "major"), ("other", "minor")), "evaluation", "why not",
    Decimal("1.25"), 1234, Decimal("0.5"), Decimal("0.25"), "key", ("watched",),
)  # fmt: skip


def test_a_run_and_a_result_are_the_same_when_read_back():
    """Every field of either, each with a value of its own."""
    assert len(set(map(str, RUN[:-1]))) == len(RUN) - 1
    assert run_from(run_document(RUN)) == RUN
    assert result_from(result_document(RESULT)) == RESULT


def test_what_is_empty_is_empty_when_read_back():
    """No gate, no skill, no limit; a result with its defaults."""
    bare = SuiteRun("id", "suite", "", "", (), "old", 1, 1)
    assert run_from(run_document(bare)) == bare
    assert "pairs" not in run_document(bare)
    only = bare._replace(gate=SuiteGate(margin=Decimal(1)))
    assert run_from(run_document(only)) == only
    plain = CaseResult(RunId("c", "v", 1), "finished")
    assert result_from(result_document(plain)) == plain


def test_numbers_are_written_as_text_and_hundredths_as_whole_numbers():
    """So that no float is on the way."""
    document = result_document(RESULT)
    assert [document[name] for name in ("weight", "seconds", "cost", "judging_cost")] == ["1.5", "1.25", "0.5", "0.25"]
    assert [document[name] for name in ("final", "low", "high", "tokens")] == [710, 600, 800, 1234]
    gate = run_document(RUN)["gate"]
    assert gate == {
        "baseline": "base", "margin": "0.3", "min_score": "7.5", "max_failed": "0.1", "no_fault": "major",
        "require": None,
    }  # fmt: skip


def test_a_gate_without_a_margin_has_the_usual_one():
    """As files of other programs may have it."""
    document = run_document(RUN) | {"gate": {"min_score": "6"}}
    assert run_from(document).gate == SuiteGate(min_score=Decimal(6))


@every_case(
    ("field", "wrong", "valid"),
    [
        ("case", 1, "text"),
        ("variant", None, "text"),
        ("repeat", "1", "a whole number"),
        ("repeat", True, "a whole number"),
        ("outcome", "ended", "valid: finished, failed, timed out, stopped by a limit, not started"),
        ("reason", None, "text"),
        ("tags", "tag", "a list"),
        ("tags", [1], "text"),
        ("weight", "0", "above 0"),
        ("weight", "-1", "above 0"),
        ("weight", None, "a decimal number as text"),
        ("weight", 1, "a decimal number as text"),
        ("seconds", "NaN", "a decimal number as text"),
        ("cost", "Infinity", "a decimal number as text"),
        ("cost", "much", "a decimal number as text"),
        ("final", "700", "a whole number"),
        ("final", False, "a whole number"),
        ("grade", 1, "text"),
        ("dimensions", [], "an object"),
        ("dimensions", {"safety": True}, "a whole number"),
        ("faults", {}, "a list"),
        ("faults", [["check"]], "a list of 2"),
        ("faults", [["check", 1]], "text"),
        ("faults", [["a", "b", "c"]], "a list of 2"),
        ("met", None, "a whole number"),
        ("notes", [None], "text"),
    ],
)
def test_a_result_with_a_wrong_field_is_refused_by_its_name(field: str, wrong: Any, valid: str):
    """With what would be right there."""
    with pytest.raises(DocumentError) as refused:
        result_from(result_document(RESULT) | {field: wrong})
    message = str(refused.value)
    assert message.startswith(f"not a whole result of a suite: {field}") and message.endswith(valid), message
    assert refused.value.problems[0].path[0] == field


@pytest.mark.parametrize(
    ("field", "wrong", "valid"),
    [
        ("id", None, "text"),
        ("repeats", 1.5, "a whole number"),
        ("cases", None, "a whole number"),
        ("variants", None, "a list"),
        ("judges", [1], "text"),
        ("skill", 1, "text"),
        ("looks", 1, "a list"),
        ("gate", [], "an object"),
    ],
)
def test_a_run_with_a_wrong_field_is_refused_by_its_name(field: str, wrong: Any, valid: str):
    """With what would be right there."""
    with pytest.raises(DocumentError) as refused:
        run_from(run_document(RUN) | {field: wrong})
    message = str(refused.value)
    assert message.startswith(f"not a whole run of a suite: {field}") and message.endswith(valid), message


@pytest.mark.parametrize("read", [run_from, result_from])
def test_another_document_is_refused(read):
    """Also one that is not an object."""
    for wrong in (None, [], {}, {"schema": "evenhand/scorecard/v1"}):
        with pytest.raises(DocumentError, match='"schema" must be "evenhand/suite-'):
            read(wrong)


# --- skill-creator ---------------------------------------------------------------------------------------------------

EXPECTED = (
    Expected("It adds.", "met", "correctness", "major", "found", "2 + 2 = 4"),
    Expected("It tests", "unmet", "correctness", "minor", "no test"),
    Expected("It ran", "met", "correctness", "minor", "a call"),
    Expected("It is fast.", "undecided", "efficiency", "minor", "no time was recorded"),
)


def graded(*expectations: Expected):
    return judged(seven(7))._replace(checked=Checked("c", expectations=expectations), warnings=("look here",))


def test_a_grading_counts_what_was_decided():
    """Two of three are met: 0.6667. What is undecided is an uncertainty, and warnings are to be reviewed."""
    document = grading_document(graded(*EXPECTED))
    assert document["summary"] == {"passed": 2, "failed": 1, "total": 3, "pass_rate": 0.6667}
    assert document["expectations"] == [
        {"text": "It adds.", "passed": True, "evidence": 'found: "2 + 2 = 4"'},
        {"text": "It tests", "passed": False, "evidence": "no test"},
        {"text": "It ran", "passed": True, "evidence": "a call"},
    ]
    assert document["user_notes_summary"] == {
        "uncertainties": ["It is fast: no time was recorded"],
        "needs_review": ["look here"],
        "workarounds": [],
    }


@pytest.mark.parametrize("card", [judged(seven(7)), graded(EXPECTED[3])])
def test_nothing_decided_is_a_rate_of_zero_and_no_row(card):
    """No checks ran, or none could tell."""
    assert grading_document(card)["summary"] == {"passed": 0, "failed": 0, "total": 0, "pass_rate": 0.0}
    assert suite_row(result("c", "v"), card, 1) is None


def test_a_row_has_the_run_its_numbers_and_its_expectations():
    """Time as a number, or null when nobody took it."""
    made = result("case", "new", 2, seconds=Decimal("1.5"), tokens=900)
    row = suite_row(made, graded(*EXPECTED), 7)
    assert row is not None
    assert (row["eval_id"], row["eval_name"], row["configuration"], row["run_number"]) == (7, "case", "new", 2)
    assert row["result"] == {
        "passed": 2, "failed": 1, "total": 3, "pass_rate": 0.6667,
        "time_seconds": 1.5, "tokens": 900, "tool_calls": None, "errors": None,
    }  # fmt: skip
    assert row["expectations"] == grading_document(graded(*EXPECTED))["expectations"]
    assert row["notes"] == ["It is fast: no time was recorded"]
    bare = suite_row(result("case", "new"), graded(*EXPECTED), 7)
    assert bare is not None
    assert (bare["result"]["time_seconds"], bare["result"]["tokens"]) == (None, None)


def row_of(configuration: str, rate: float, seconds: float | None = None, tokens: int | None = None, number: int = 1):
    numbers = {"pass_rate": rate, "time_seconds": seconds, "tokens": tokens}
    return {"eval_id": number, "configuration": configuration, "result": numbers}


def test_a_benchmark_names_the_skill_or_else_the_suite():
    """Its evaluations once each, in their order; the notes of the run before further ones."""
    rows = [row_of("new", 1.0, number=number) for number in (2, 1, 2)]
    document = suite_benchmark(RUN, rows, ["further"])
    assert document["metadata"] == {
        "generator": "evenhand",
        "skill_name": "skill",
        "skill_path": "",
        "executor_model": "",
        "analyzer_model": "judge one, judge two",
        "timestamp": "2026-01-01T00:00:00Z",
        "evals_run": [2, 1],
        "runs_per_configuration": 3,
    }
    assert (document["runs"], document["notes"]) == (rows, ["a note", "further"])
    assert document["run_summary"] == run_summary(rows)
    assert suite_benchmark(RUN._replace(skill=None), rows, [])["metadata"]["skill_name"] == "suite"


def test_a_summary_has_mean_deviation_and_ends_and_the_difference_of_the_first_two():
    """0.5 and 1.0: mean 0.75, deviation 0.3536; one value has none. Rates with two places, seconds one, tokens none."""
    rows = [row_of("b", 0.5, 10, 100), row_of("a", 1.0, 4.25, 90), row_of("b", 1.0, 13, None), row_of("c", 0.0)]
    summary = run_summary(rows)
    assert list(summary) == ["a", "b", "c", "delta"]
    assert summary["b"] == {
        "pass_rate": {"mean": 0.75, "stddev": 0.3536, "min": 0.5, "max": 1.0},
        "time_seconds": {"mean": 11.5, "stddev": 2.1213, "min": 10, "max": 13},
        "tokens": {"mean": 100, "stddev": 0.0, "min": 100, "max": 100},
    }
    assert summary["c"] == {"pass_rate": {"mean": 0.0, "stddev": 0.0, "min": 0.0, "max": 0.0}}
    assert summary["delta"] == {"pass_rate": "+0.25", "time_seconds": "-7.2", "tokens": "-10"}
    assert run_summary([row_of("a", 1.0), row_of("b", 1.0, 3)])["delta"] == {"pass_rate": "+0.00"}
    assert "delta" not in run_summary([row_of("a", 1.0)])
