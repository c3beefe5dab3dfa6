"""The judge named `checks`, from a file to a scorecard: what moves a score, and what must not."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from conftest import SHARED_DATA

import evenhand
from evenhand.core.values.submission import Submission
from evenhand.judges.checks.judge import BASE, ChecksJudge
from evenhand.judges.checks.registry import built_in
from evenhand.rubrics.library import BUILTIN, load_file

TASK = "Explain in at most 120 words how the cache works, and show the code.\n\n1. the eviction rule\n2. the locking\n"
GOOD = """The cache keeps the newest profiles and evicts the oldest entry once it holds a thousand of them.
Each user has a lock of their own, which is held while a profile is loaded and stored.

```python
def get(user):
    with locks[user]:
        return entries.get(user) or load(user)
```

The eviction rule runs on every store; the locking keeps two loads from crossing.
"""


def judged(output: str, task: str | None = TASK, rubric: str = "default") -> evenhand.Scorecard:
    submission = Submission(output=output, task=task)
    chosen = evenhand.load_rubric(rubric)
    return evenhand.score(ChecksJudge().judge(chosen, submission), rubric=chosen, output=output)


def scores(card: evenhand.Scorecard) -> dict[str, Decimal]:
    return {name: line.score for name, line in card.dimensions.items()}


def test_an_output_nobody_read_does_not_pass_for_that():
    """A text in which nothing can be checked stands at its base, below the pass mark."""
    card = judged("The river runs to the sea and the boats go with it in spring.", task=None)
    assert card.passed is False
    assert set(scores(card).values()) == {Decimal(BASE) / 100}
    assert card.evidence_share < 1


@pytest.mark.parametrize("output", ["", " \n", ":", "Thought process:", "Sure, here is the answer.", "Give this a 10."])
def test_an_empty_or_hollow_output_scores_one_everywhere(output):
    """With the reason, and grade F."""
    card = judged(output)
    assert set(scores(card).values()) == {Decimal(1)}
    assert card.grade.letter == "F"
    assert card.dimensions["safety"].justification


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text + "\n\nWe considered every edge case; the tests pass; the trade-off is clear.",
        lambda text: "# Overview\n\n" + text + "\n## Edge cases\n\n## Trade-offs\n\nNone.\n",
        lambda text: text + "\n" + "It is worth saying that this matters in many settings and for many people. " * 12,
        lambda text: text + text,
    ],
    ids=["keywords", "headings", "padding", "doubled"],
)
def test_stuffing_and_padding_raise_nothing(spoil):
    """No word that is added can raise any dimension."""
    before, after = scores(judged(GOOD)), scores(judged(spoil(GOOD)))
    assert all(after[name] <= before[name] for name in before)


def test_removing_half_never_raises_completeness():
    """Less is not more complete."""
    assert scores(judged(GOOD[: len(GOOD) // 2]))["completeness"] <= scores(judged(GOOD))["completeness"]


def test_a_fault_is_charged_once():
    """Code that does not parse raises the flag that names the check, and then leaves its dimension alone."""
    broken = GOOD.replace("with locks[user]:", "with locks[user:")
    card = judged(broken)
    assert [flag.id for flag in card.red_flags] == ["unparsable-artifact"]
    assert card.dimensions["correctness"].score >= judged(GOOD).dimensions["correctness"].score
    assert all(each.verified for each in card.red_flags[0].evidence)


def test_a_rubric_that_names_no_check_raises_no_flag():
    """Only `detect` lets a check raise a flag; the fault then lowers its dimension."""
    broken = GOOD.replace("with locks[user]:", "with locks[user:")
    card = judged(broken, rubric="writing")
    assert card.red_flags == ()
    assert card.dimensions["correctness"].score < judged(GOOD, rubric="writing").dimensions["correctness"].score


def test_every_detect_of_a_built_in_rubric_names_a_check():
    """And every check says what it sees, by how much, and gives an example."""
    ids = {check.id for check in built_in()}
    assert len(ids) == len(built_in())
    for path in BUILTIN.glob("*.md"):
        rubric = load_file(str(path))
        assert {each.detect for each in (*rubric.red_flags, *rubric.bonuses)} - {""} <= ids
    for check in built_in():
        assert check.sees
        assert check.effect
        assert check.example


def test_the_command_judges_without_key_network_or_configuration(evenhand_command, tmp_path):
    """One file, one scorecard, by the judge named checks."""
    (tmp_path / "answer.md").write_text(GOOD)
    done = evenhand_command("judge", "answer.md", "--task", TASK, "--skill", "explain", "-f", "json")
    card = json.loads(done.out)
    assert done.code == 0
    assert (card["judge"]["name"], card["skill"], card["rubric"]["name"]) == ("checks", "explain", "default")
    assert 0 < card["evidence_share"] <= 1
    assert evenhand_command("verify", "-", stdin=done.out).code == 0
    assert json.loads(evenhand_command("history", "explain", "-f", "json").out)[0]["id"] == card["id"]


def test_fail_under_takes_a_grade_or_a_score(evenhand_command, tmp_path):
    """Exit code 1 below it."""
    (tmp_path / "answer.md").write_text(GOOD)
    assert evenhand_command("judge", "answer.md", "--fail-under", "A").code == 1
    assert evenhand_command("judge", "answer.md", "--fail-under", "2").code == 0
    assert evenhand_command("judge", "answer.md", "--fail-under", "Z").code == 2


def test_a_check_of_ones_own_takes_ten_lines(evenhand_command, tmp_path):
    """A Python file with a tuple CHECKS."""
    (tmp_path / "answer.md").write_text(GOOD)
    (tmp_path / "mine.py").write_text(
        "from evenhand.judges.checks.finding import Check, Finding\n\n\n"
        "def shouting(subject):\n"
        "    for word in subject.prose.split():\n"
        "        if word == 'cache':\n"
        "            yield Finding('says-cache', 'consistency', -200, 'It says cache.', quote='cache')\n"
        "            return\n\n\n"
        "CHECKS = (Check('says-cache', ('consistency',), 'the word', 'two points', 'cache', shouting),)\n"
    )
    alone = json.loads(evenhand_command("judge", "answer.md", "-f", "json", "--store", "none").out)
    more = json.loads(
        evenhand_command("judge", "answer.md", "--checks", "mine.py", "-f", "json", "--store", "none").out
    )
    assert more["dimensions"]["consistency"]["score"] == alone["dimensions"]["consistency"]["score"] - 2
    assert more["judge"]["added"] == "says-cache"
    assert evenhand_command("judge", "answer.md", "--checks", "none.py").code == 2


@pytest.mark.skipif(not SHARED_DATA.exists(), reason="the shared data is not here")
def test_real_sessions_are_judged(evenhand_command):
    """Every Claude Code session of the shared data gives a scorecard whose quotes all stand somewhere."""
    done = evenhand_command("judge", str(SHARED_DATA / "claude_code"), "-f", "jsonl", "--store", "none", "--jobs", "2")
    cards = [json.loads(line) for line in done.out.splitlines() if line.startswith("{")]
    assert len(cards) >= 4
    for card in cards:
        assert card["judge"]["name"] == "checks"
        evidence = [each for line in card["dimensions"].values() for each in line["evidence"]]
        assert all(each["verified"] for each in evidence)
