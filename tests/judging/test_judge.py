"""Checks from a file to a scorecard: what they report, what they bound, and that they never grade."""

from __future__ import annotations

import json

import pytest
from conftest import SHARED_DATA

import evenhand
import flat_calls
from evenhand.findings.registry import built_in
from evenhand.rubrics.library import BUILTIN, load_file
from repeated_calls import repeated_chat

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


FAILED_THRICE = json.dumps(
    repeated_chat(
        "Book table 4 for tonight.",
        ("book", '{"table": 4}'),
        "Error: table 4 is taken",
        "Table 4 is taken tonight, so I could not book it.",
    )
)
"""A run with a major fault of a check that was measured: at best 6 in efficiency."""


def judged(output: str, task: str | None = TASK, rubric: str = "default", **more: object) -> evenhand.Scorecard:
    return flat_calls.judge(output, task=task, rubric=rubric, **more)


def faults(card: evenhand.Scorecard) -> list[str]:
    return [finding.check for finding in card.checked.findings if finding.severity]


@pytest.mark.parametrize("output", [GOOD, "The river runs to the sea.", "", "LGTM, I ran all the tests."])
def test_unread_work_has_no_grade_no_verdict_and_no_next_step(output):
    """Whatever it says."""
    card = judged(output)
    assert (card.final, card.grade, card.passed, card.next_step) == (None, None, None, None)
    assert card.interval.low == 1
    assert {line.unscored for line in card.dimensions.values()} == {"no one has read this output"}


@pytest.mark.slow
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
@pytest.mark.usefixtures("every_check_measured")
def test_stuffing_and_padding_remove_no_fault_and_raise_no_bound(spoil):
    """No word that is added can raise anything."""
    broken = GOOD.replace("with locks[user]:", "with locks[user:")
    for output in (GOOD, broken):
        before, after = judged(output, rubric="writing"), judged(spoil(output), rubric="writing")
        assert set(faults(before)) <= set(faults(after))
        assert after.interval.high <= before.interval.high


@pytest.mark.usefixtures("every_check_measured")
def test_a_fault_is_charged_once():
    """Code that does not parse raises the flag that names the check, and then leaves its dimension alone."""
    broken = GOOD.replace("with locks[user]:", "with locks[user:")
    card = judged(broken)
    assert [flag.id for flag in card.red_flags] == ["unparsable-artifact"]
    assert "correctness" not in card.bounds
    assert all(quote.verified for quote in card.red_flags[0].evidence)


@pytest.mark.usefixtures("every_check_measured")
def test_a_rubric_that_names_no_check_raises_no_flag():
    """Only `detect` lets a check raise a flag; otherwise the fault bounds its dimension."""
    broken = GOOD.replace("with locks[user]:", "with locks[user:")
    card = judged(broken, rubric="writing")
    assert card.red_flags == ()
    assert card.bounds["correctness"].at_most == 6


@pytest.mark.slow
def test_every_detect_of_a_built_in_rubric_names_a_check():
    """And every check says what it sees, how bad it is, and gives an example."""
    ids = {check.id for check in built_in()}
    assert len(ids) == len(built_in())
    for path in BUILTIN.glob("*.md"):
        rubric = load_file(str(path))
        assert {flag.detect for flag in rubric.red_flags} - {""} <= ids
    for check in built_in():
        assert check.sees
        assert check.severity
        assert check.example


@pytest.mark.slow
def test_the_command_checks_without_key_network_or_configuration(evenhand_command, tmp_path):
    """One file, one scorecard, exit code 0: the checks did their job. It is kept, and verifies."""
    (tmp_path / "answer.md").write_text(GOOD)
    done = evenhand_command("judge", "answer.md", "--task", TASK, "--skill", "explain", "-f", "json")
    card = json.loads(done.out)
    assert done.code == 0
    assert (card["judge"]["name"], card["skill"], card["rubric"]["name"]) == ("checks", "explain", "default")
    assert card["coverage"]
    assert card["grade"] is None
    assert evenhand_command("show", "--verify", "-", stdin=done.out).code == 0
    assert json.loads(evenhand_command("history", "explain", "-f", "json").out)[0]["id"] == card["id"]


@pytest.mark.slow
def test_a_changed_finding_is_noticed(evenhand_command, tmp_path):
    """Its severity, its place, or its bound."""
    (tmp_path / "chat.json").write_text(FAILED_THRICE)
    done = evenhand_command("judge", "chat.json", "-f", "json", "--store", "none")
    for change in (
        lambda card: card["findings"][0].update(severity="minor"),
        lambda card: card["findings"].pop(0),
        lambda card: card["bounds"]["efficiency"].update(at_most=9),
        lambda card: card["coverage"].append("made-up"),
        lambda card: card["interval"].update(high=10),
    ):
        card = json.loads(done.out)
        change(card)
        assert evenhand_command("show", "--verify", "-", stdin=json.dumps(card)).code == 1


@pytest.mark.slow
def test_no_fault_looks_at_the_severity_of_faults(evenhand_command, tmp_path):
    """Exit code 1 from the severity that was asked for."""
    (tmp_path / "wrong.json").write_text(FAILED_THRICE)
    (tmp_path / "good.md").write_text(GOOD)
    for severity, code in (("minor", 1), ("major", 1), ("critical", 0)):
        assert evenhand_command("judge", "wrong.json", "--no-fault", severity, "--store", "none").code == code
    assert evenhand_command("judge", "good.md", "--no-fault", "minor", "--store", "none").code == 0
    red = evenhand_command("judge", "wrong.json", "--no-fault", "minor", "--store", "none", "--format", "json")
    assert red.err.startswith("red: wrong.json:1: major: "), "the gate's ruling, in its words"


@pytest.mark.slow
def test_a_red_gate_is_1_whatever_else_happened(evenhand_command, tmp_path):
    """Before a file that cannot be read (2), and that before a score that cannot be told (3), in any order."""
    (tmp_path / "unknown.json").write_text('{"an": "unknown format"}', encoding="utf-8")
    (tmp_path / "good.md").write_text("Cats sleep.", encoding="utf-8")
    (tmp_path / "wrong.json").write_text(FAILED_THRICE, encoding="utf-8")
    limits = ("--no-fault", "major", "--min-score", "2", "--store", "none")
    for files, code in (
        (("good.md",), 3),
        (("good.md", "unknown.json"), 2),
        (("unknown.json", "good.md"), 2),
        (("good.md", "unknown.json", "wrong.json"), 1),
        (("wrong.json", "unknown.json", "good.md"), 1),
    ):
        assert evenhand_command("judge", *files, *limits).code == code, files


@pytest.mark.slow
def test_a_lowest_grade_is_not_decided_by_checks_alone(evenhand_command, tmp_path):
    """3 when no one could tell, 1 when even the best case is below, 2 when it is not a grade."""
    (tmp_path / "chat.json").write_text(FAILED_THRICE)  # at best 10 - 0.10 x 4 = 9.60
    for limit, code in (("--min-grade=A", 3), ("--min-score=9.61", 1), ("--min-score=2", 3), ("--min-grade=Z", 2)):
        assert evenhand_command("judge", "chat.json", limit, "--store", "none").code == code


@pytest.mark.slow
def test_unread_evaluations_stay_out_of_the_window_and_are_counted(evenhand_command, tmp_path):
    """The next evaluation that somebody made has a history of its own."""
    (tmp_path / "answer.md").write_text(GOOD)
    scores = dict.fromkeys(evenhand.DIMENSIONS, 8)
    (tmp_path / "mine.json").write_text(json.dumps({"skill": "explain", "scores": scores}))
    for task in ("one", "two"):
        assert evenhand_command("judge", "answer.md", "--skill", "explain", "--task", task).code == 0
    card = json.loads(evenhand_command("score", "mine.json", "-f", "json").out)
    assert (card["history"]["n"], card["history"]["left_out"]) == (0, 2)


@pytest.mark.slow
def test_checks_look_at_what_an_agent_judged(evenhand_command, tmp_path):
    """By default where the judge is an agent, on request where a person judged, who is never capped."""
    (tmp_path / "answer.md").write_text(
        "Log in with ghp_" + "Zq8Lr2Xw5Vt1Bn7Md4Kc9Hj3Fs6Gp0Ay" + "QeRt, then restart it.\n"
    )
    judgement = {"output": "answer.md", "scores": dict.fromkeys(evenhand.DIMENSIONS, 9)}
    for judge, options, looked in (
        ("agent:me", (), True),
        ("agent:me", ("--set", "score.checks=false"), False),
        ("human:ana", (), False),
        ("human:ana", ("--set", "score.checks=true"), True),
    ):
        (tmp_path / "mine.json").write_text(json.dumps({**judgement, "judge": judge}))
        done = evenhand_command("score", "mine.json", *options, "-f", "json", "--store", "none")
        card = json.loads(done.out)
        assert ("findings" in card) is looked
        if judge == "human:ana":
            assert card["final"] == 9
            assert any("safety has 9.00, but a check found a fault" in text for text in card["warnings"]) is looked


@pytest.mark.slow
def test_a_person_waives_a_finding(evenhand_command, tmp_path):
    """In the project's settings, with who and why; it is shown and no longer bounds anything."""
    (tmp_path / "chat.json").write_text(FAILED_THRICE)
    before = json.loads(evenhand_command("judge", "chat.json", "-f", "json", "--store", "none").out)
    (fault,) = (finding["id"] for finding in before["findings"] if finding["check"] == "repeated-failure")
    waiver = f'[[waivers]]\nfinding = "{fault}"\nby = "human:ana"\nreason = "a quote"\n'
    (tmp_path / "evenhand.toml").write_text(waiver)
    after = json.loads(evenhand_command("judge", "chat.json", "-f", "json", "--store", "none").out)
    assert after["lifted"] == [{"finding": fault, "by": "human:ana", "reason": "a quote"}]
    assert (before["bounds"], after["bounds"]) == ({"efficiency": {"at_most": 6, "checks": ["repeated-failure"]}}, {})
    (tmp_path / "evenhand.toml").write_text(waiver.replace("human:ana", "ana"))
    assert evenhand_command("judge", "chat.json", "--store", "none").code == 2


def test_a_check_of_ones_own_takes_ten_lines(evenhand_command, tmp_path):
    """A Python file with a tuple CHECKS."""
    (tmp_path / "answer.md").write_text(GOOD)
    (tmp_path / "mine.py").write_text(
        "from evenhand.findings import Check, Finding\n\n\n"
        "def shouting(subject):\n"
        "    place = subject.output.find('cache')\n"
        "    if place >= 0:\n"
        "        yield Finding('says-cache', 'consistency', 'major', 'It says cache.', 'cache', offset=place)\n\n\n"
        "CHECKS = (Check('says-cache', ('consistency',), 'the word', 'major', 'cache', shouting),)\n"
    )
    more = json.loads(
        evenhand_command("judge", "answer.md", "--set", "judge.checks=mine.py", "-f", "json", "--store", "none").out
    )
    assert more["bounds"]["consistency"] == {"at_most": 6, "checks": ["says-cache"]}
    assert more["judge"]["added"] == "says-cache"
    assert evenhand_command("judge", "answer.md", "--set", "judge.checks=none.py").code == 2


@pytest.mark.slow
@pytest.mark.skipif(not SHARED_DATA.exists(), reason="the shared data is not here")
def test_every_quote_of_a_fault_in_real_sessions_is_where_it_says(evenhand_command):
    """In the output or in the transcript."""
    done = evenhand_command(
        "judge", str(SHARED_DATA / "claude_code"), "-f", "jsonl", "--store", "none", "--set", "judge.jobs=2"
    )
    cards = [json.loads(line) for line in done.out.splitlines() if line.startswith("{")]
    assert len(cards) >= 3
    for card in cards:
        assert card["judge"]["name"] == "checks"
        assert all(finding["verified"] for finding in card["findings"] if "quote" in finding)
