"""What to change: one entry for each complaint, most costly first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from contract.doors import run_here

SEVEN = ("correctness", "completeness", "adherence", "actionability", "efficiency", "safety", "consistency")


def changes_of(tmp_path: Path, judgements: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What `evenhand advise` says of judgements of outputs, as JSON."""
    (tmp_path / "j.jsonl").write_text("".join(json.dumps(one) + "\n" for one in judgements), encoding="utf-8")
    done = run_here("better", "j.jsonl", "--format", "json", cwd=tmp_path)
    assert done.code == 0, done.err
    found: list[dict[str, Any]] = json.loads(done.out)["changes"]
    return found


def judgement(id: str, tmp_path: Path, **scores: Any) -> dict[str, Any]:
    """Nines but for some dimensions, of an output with two lines to quote."""
    (tmp_path / f"{id}.md").write_text(f"# {id}\n\nWe did not test it.\n\nIt is fast.\n", encoding="utf-8")
    return {"id": id, "output": f"{id}.md", "judge": "human:ana", "scores": dict.fromkeys(SEVEN, 9) | scores}


def test_the_same_sentence_in_three_dimensions_is_one_entry_whose_costs_add_up(tmp_path: Path):
    """0.25 * 6 + 0.20 * 5 + 0.15 * 5 = 3.25, above another complaint of 0.25 * 7 = 1.75 in half of the cases."""
    said = {"justification": "Nothing was tested.", "evidence": ["We did not test it."]}
    cases = [
        judgement(
            name,
            tmp_path,
            correctness={"score": 4, **said},
            completeness={"score": 5, **said, "justification": "nothing was  tested"},
            adherence={"score": 5, **said},
        )
        for name in ("one", "two")
    ]
    found = changes_of(tmp_path, cases)
    assert [(change["cost"], sorted(change["dimensions"])) for change in found] == [
        (3.25, ["adherence", "completeness", "correctness"])
    ]
    assert found[0]["cases"] == ["one", "two"] and found[0]["quotes"][0]["text"] == "We did not test it."


def test_entries_are_sorted_by_what_they_cost_after_they_are_put_together(tmp_path: Path):
    """Twice the same quote in two cases costs more than the one larger complaint."""
    shared = {"evidence": ["We did not test it."]}
    one = judgement(
        "one",
        tmp_path,
        correctness={"score": 6, "justification": "Untested.", **shared},
        completeness={"score": 5, "justification": "No proof that it works.", **shared},
    )
    two = judgement(
        "two",
        tmp_path,
        correctness={"score": 6, "justification": "It was never run.", **shared},
        safety={"score": 1, "justification": "Speed is claimed.", "evidence": ["It is fast."]},
    )
    costs = [change["cost"] for change in changes_of(tmp_path, [one, two])]
    assert costs == sorted(costs, reverse=True) and len(costs) == 2


def test_an_entry_is_named_by_what_costs_most_in_all_its_cases(tmp_path: Path):
    """One costly sentence shares a quote with another, which two further cases share: it does not speak for these."""
    low, lower = {"evidence": ["We did not test it."]}, {"evidence": ["It is fast."]}
    cases = [
        judgement(
            "one",
            tmp_path,
            correctness={"score": 4, "justification": "The figure is in no commit.", **lower},
            actionability={"score": 5, "justification": "What to do is not said.", **lower},
        )
    ]
    for name in ("two", "three"):
        said = {"score": 3, "justification": "What to do is not said.", **low}
        cases.append(judgement(name, tmp_path, actionability=said))
    (change,) = changes_of(tmp_path, cases)
    assert (change["says"], len(change["cases"])) == ("What to do is not said.", 3)


def test_a_reason_at_or_above_the_pass_mark_is_not_a_complaint(tmp_path: Path):
    """An 8 with a reason and a quote passes."""
    said = {"justification": "Quick and clear.", "evidence": ["It is fast."]}
    assert changes_of(tmp_path, [judgement("one", tmp_path, correctness={"score": 8, **said})]) == []
    found = changes_of(tmp_path, [judgement("one", tmp_path, correctness={"score": 6.99, **said})])
    assert [change["says"] for change in found] == ["Quick and clear."]
