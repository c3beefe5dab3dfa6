"""People's labels of what the runner's judge was asked: the table to fill in, and what the judge can be used for."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from contract.doors import run_here
from contract.plugin_evals import making

CRITERIA = "PASS if the reply names fetchUser. FAIL if it does not."


def graded(text: str, *, passed: bool) -> dict[str, Any]:
    """A run that an llm grader looked at."""
    made = making.run({"names": passed})
    made["graders"][0] |= {"judgeVotes": [passed] * 3, "evidence": text}
    return made


def result(folder: Path, cases: int = 12) -> Path:
    """Cases with three runs an arm, each with a text of its own: the judge passes those with the plugin."""
    graders = [{"name": "names", "type": "llm", "weight": 1, "config": {"criteria": CRITERIA}}]
    made = [
        making.case(
            f"case-{number}",
            [graded(f"fetchUser {number} {run}", passed=True) for run in range(3)],
            [graded(f"I renamed it {number} {run}", passed=False) for run in range(3)],
            graders=graders,
        )
        for number in range(cases)
    ]
    suite = making.document(made)["suite"] | {"judgeModel": "haiku"}
    return making.write(folder, making.document(made, suite=suite))


def labelled(folder: Path, labels: list[str], name: str = "result.labels.csv") -> list[dict[str, str]]:
    """The table that the command writes, filled in by Ana."""
    shown = run_here("trust", "review", "result.json", "-f", "csv", "--store", "none", cwd=folder)
    rows = list(csv.DictReader(io.StringIO(shown.out)))
    assert "result.labels.csv" in shown.err, shown.err
    with (folder / name).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*list(rows[0])[:-1], "ana:pass"])
        for row, label in zip(rows, labels, strict=False):
            writer.writerow([*list(row.values())[:-1], label])
    return rows


def uses(folder: Path) -> list[tuple[str, str, int]]:
    shown = run_here("better", "result.json", "--store", "none", "-f", "json", cwd=folder)
    return [(use["use"], use["verdict"], use["labels"]) for use in json.loads(shown.out).get("judge_uses", ())]


def test_the_table_has_each_text_once_and_not_what_the_judge_said(tmp_path: Path) -> None:
    result(tmp_path)
    rows = labelled(tmp_path, [])
    assert len(rows) == 12 * 2 * 3
    assert rows[0]["criterion"] == "The reply names fetchUser." and rows[0]["text"] == "fetchUser 0 0"
    assert rows[0]["item"].endswith(" / case-0 / with the plugin / run 1 / names")
    assert not {"pass", "PASS", "True"} & {cell for row in rows for cell in row.values()}


def test_labels_beside_the_result_say_what_the_judge_is_worth_at_both_doors(tmp_path: Path) -> None:
    """Of 36 passes and 36 fails all as Ana has them: Youden's index 1; one that answers against her has -1."""
    result(tmp_path)
    right = ["pass" if row["text"].startswith("fetchUser") else "fail" for row in labelled(tmp_path, [])]
    turned = ["fail" if label == "pass" else "pass" for label in right]
    for labels, verdict in ((right, "yes"), (turned, "no")):
        labelled(tmp_path, labels)
        assert uses(tmp_path) == [("gate", verdict, 72)]
        agreed = run_here("trust", "agree", "result.json", "--store", "none", "-f", "json", cwd=tmp_path)
        (judge,) = json.loads(agreed.out)["uses"].items()
        assert judge[0] == "judge:haiku"
        assert [(use["use"], use["verdict"], use["labels"]) for use in judge[1]] == [("gate", verdict, 72)]
        shown = run_here("better", "result.json", "--store", "none", cwd=tmp_path).out
        assert f"to gate at the pass mark: {verdict}; of 36 outputs" in " ".join(shown.split())


def test_few_labels_leave_it_open_and_labels_elsewhere_are_named(tmp_path: Path) -> None:
    """Twelve labels of two cases tell nothing, however well they agree; cases count, not runs."""
    result(tmp_path)
    right = ["pass" if row["text"].startswith("fetchUser") else "fail" for row in labelled(tmp_path, [])]
    labelled(tmp_path, right[:12], "ana.csv")
    (tmp_path / "result.labels.csv").unlink()
    assert uses(tmp_path) == []
    alone = run_here("trust", "agree", "result.json", "--store", "none", cwd=tmp_path)
    assert alone.code == 2 and "evenhand trust review RESULT" in alone.err
    agreed = run_here("trust", "agree", "result.json", "ana.csv", "--store", "none", "-f", "json", cwd=tmp_path)
    ((use,),) = json.loads(agreed.out)["uses"].values()
    assert (use["verdict"], use["labels"]) == ("not-shown", 12) and "of 2 cases" in use["says"]


def test_an_empty_table_of_labels_is_named_and_stops_nothing(tmp_path: Path) -> None:
    result(tmp_path)
    labelled(tmp_path, [""] * 72)
    shown = run_here("better", "result.json", "--store", "none", cwd=tmp_path)
    assert shown.code == 0 and "better than no plugin" in shown.out
    assert "result.labels.csv: has no values" in shown.err


def test_what_chooses_a_round_does_not_go_with_one(tmp_path: Path) -> None:
    result(tmp_path)
    assert run_here("trust", "review", "result.json", "--sample", "3", "--store", "none", cwd=tmp_path).code == 2
    missing = run_here("trust", "review", "nothing", "--store", "new.db", cwd=tmp_path)
    assert missing.code == 2 and "nothing" in missing.err
