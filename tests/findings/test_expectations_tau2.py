"""Expectations made from a benchmark's own data tell its good runs from its bad ones."""

from __future__ import annotations

import gzip
import json

import pytest
from conftest import SHARED_DATA

import evenhand
from evenhand import transcripts

READS = ("get_", "search_", "list_", "find_", "calculate", "think", "transfer_to_human")


@pytest.mark.slow
@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason=f"{SHARED_DATA} is absent")
def test_the_writes_of_a_task_tell_good_runs_from_bad_ones():
    """The area under the ROC curve of a yes and a no: the mean of both rates."""
    path = SHARED_DATA / "runs" / "tau2_airline.json.gz"
    with gzip.open(path) as file:
        runs = json.load(file)["simulations"]
    met: dict[bool, list[bool]] = {True: [], False: []}
    for run, submission in zip(runs, transcripts.read(str(path)), strict=True):
        actions = [check["action"] for check in run["reward_info"]["action_checks"] or []]
        writes = [
            {"name": action["name"], "arguments": action["arguments"]}
            for action in actions
            if not action["name"].startswith(READS)
        ]
        card = evenhand.check(submission, expect=[{"calls": {"exactly": writes}}])
        met[run["reward_info"]["reward"] == 1].append(card.checked.expectations[0].result == "met")
    hits, alarms = (sum(met[good]) / len(met[good]) for good in (True, False))
    assert (hits + 1 - alarms) / 2 >= 0.95
