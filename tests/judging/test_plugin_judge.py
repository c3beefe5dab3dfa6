"""`better RESULT --judge`: the judge of `claude plugin eval` beside another one, over the evidence in the result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fake_server import Asked, FakeServer

from contract.doors import Ran, run_here
from contract.plugin_evals import making
from test_criteria_judging import server_that, verdict
from test_model_judging import KEY

GOOD, BAD = "refactor: rename getUser to fetchUser", "I renamed a function, and that is all I did."
CRITERIA = "PASS if the reply names fetchUser. FAIL if it does not."


def graded(text: str, votes: tuple[bool, ...]) -> dict[str, Any]:
    """A run that an llm grader looked at."""
    made = making.run({"names": sum(votes) > 1})
    made["graders"][0] |= {"judgeVotes": list(votes), "evidence": text}
    return made


def result(folder: Path, *runs: dict[str, Any]) -> None:
    """One case with these runs in either arm."""
    graders = [{"name": "names", "type": "llm", "weight": 1, "config": {"criteria": CRITERIA}}]
    making.write(folder, making.document([making.case("one", list(runs), list(runs), graders=graders)]))


def asked_about(server: FakeServer, folder: Path, *options: str) -> Ran:
    """The answers of a judge that reads: yes with the words as its quote, else no."""

    def says(id: str, sentence: str, asked: Asked) -> dict[str, object]:
        assert sentence == "The reply names fetchUser."
        return verdict("yes", GOOD) if GOOD in asked.body["messages"][1]["content"] else verdict("no", absent=True)

    server.answer = server_that(says)
    return run_here(
        "better", "result.json", "--judge", "openai:one", "--base-url", server.url, "--store", "none", *options,
        cwd=folder, environment={"OPENAI_API_KEY": KEY},
    )  # fmt: skip


def test_where_the_two_judges_differ_is_shown_with_a_quote(tmp_path: Path, fake_server: FakeServer) -> None:
    """Right twice and wrong once in either arm, by split votes; each text is asked about once."""
    yes, no = (True, True, True), (False, False, False)
    result(tmp_path, graded(GOOD, yes), graded(GOOD, (True, False, False)), graded(BAD, no))
    ran = asked_about(fake_server, tmp_path, "--yes", "--format", "json")
    check = json.loads(ran.out)["judge_check"]
    assert (check["verdicts"], check["agreed"], check["untold"], check["unseen"]) == (6, 4, 0, 0), ran.err
    assert [(entry["arm"], entry["run"], entry["runner"], entry["judge"], entry["split"], entry["quote"])
            for entry in check["differences"]] == [
        ("with the plugin", 2, "FAIL", "met", True, GOOD), ("without the plugin", 2, "FAIL", "met", True, GOOD),
    ]  # fmt: skip
    assert fake_server.count == 2
    shown = " ".join(asked_about(fake_server, tmp_path, "--yes").out.split())
    assert "openai:one agrees with the runner's judge in 4 of 6 verdicts; in 2 of the 2 others" in shown


def test_the_judge_is_asked_only_after_the_plan_is_agreed_to(tmp_path: Path, fake_server: FakeServer) -> None:
    """A text that was not recorded is counted, and not made up."""
    result(tmp_path, graded(GOOD, (True, True, True)), graded("", (True, True, True)))
    ran = asked_about(fake_server, tmp_path)
    assert ran.code == 2 and "plan: 1 question to openai:one" in ran.err and "give --yes" in ran.err
    assert fake_server.count == 0
    check = json.loads(asked_about(fake_server, tmp_path, "--yes", "--format", "json").out)["judge_check"]
    assert (check["verdicts"], check["unseen"]) == (2, 2)


def test_a_result_without_a_judged_grader_has_nothing_to_check(tmp_path: Path, fake_server: FakeServer) -> None:
    making.write(tmp_path, making.steady([("8", "5")] * 8))
    ran = asked_about(fake_server, tmp_path, "--yes")
    assert ran.code == 2 and "this result does not record what the runner's judge was shown" in ran.err
