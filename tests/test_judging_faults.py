"""evenhand judge on servers that misbehave: no wrong score, the reason shown, the right exit code, and an end."""

from __future__ import annotations

import json

import pytest
from fake_server import Asked, FakeServer, Fault, Step
from scripted_judge import answer, read_prompt

from evenhand import DIMENSIONS
from test_model_judging import ANSWER, cards_in, models, write_many

KEY = "a-key-that-must-stay-here-4711"
QUICK = "[judges.openai]\nconnect_timeout = 5\nfirst_byte_timeout = 1.5\ntotal_timeout = 3\n"


@pytest.fixture
def run(evenhand_command, fake_server, tmp_path):
    """Judge so many submissions, one call each, with short time-outs."""
    (tmp_path / "evenhand.toml").write_text(QUICK)

    def judge(count: int, *more: str):
        write_many(tmp_path, count)
        options = [*models(fake_server), "--economy", "-f", "jsonl", *more]
        return evenhand_command("judge", "many.jsonl", *options, OPENAI_API_KEY=KEY)

    return judge


def case_of(asked: Asked) -> int:
    """Which submission a request is about."""
    return int(read_prompt(asked.body).work.rsplit("Case ", 1)[1].split()[0])


def now_and_then(fault: Step, *, every: int = 3):
    """The first attempt goes wrong for every third submission, or as said; the next is answered with 8."""
    seen: set[int] = set()

    def step(asked: Asked) -> Step:
        case = case_of(asked)
        first = case not in seen
        seen.add(case)
        return fault if first and case % every == 0 else answer(asked)

    return step


CUT = Fault.cut(Step(body=b'{"choices": [{"message": {"content": "' + b"x" * 200 + b'"}}]}'), after=60)
TRICKLE = Fault.trickle(Step(body=b'{"choices": []}' + b" " * 200), every=0.2)
FAULTS = {
    "cut": (CUT, "cut off in the middle of the reply"),
    "silent": (Fault.silence, "silent for 1.5 s"),
    "trickle": (TRICKLE, "no whole reply within 3 s"),
    "slow head": (Fault.slow_head(Step(body=b"{}"), every=0.2), "no whole reply within 3 s"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_that_passes_costs_no_score(run, fake_server, name):
    """Four of twelve first attempts go wrong: twelve scorecards with 8, and twelve submissions paid for once."""
    fake_server.answer = now_and_then(FAULTS[name][0])
    done = run(12)
    assert done.code == 0, done.err
    assert [card["final"] for card in cards_in(done)] == [8] * 12
    assert fake_server.count == 12 + 4


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_that_stays_is_no_score_and_has_its_reason(run, fake_server, name):
    """One submission never gets a whole reply; the others are judged, and the exit code says that something is open."""
    fault, words = FAULTS[name]
    fake_server.answer = lambda asked: fault if case_of(asked) == 2 else answer(asked)
    done = run(4)
    cards = cards_in(done)
    assert done.code == 3
    assert [card["final"] for card in cards] == [8, 8, None, 8]
    assert {cards[2]["dimensions"][each]["score"] for each in DIMENSIONS} == {None}
    assert words in cards[2]["dimensions"]["safety"]["unscored"]
    assert "Traceback" not in done.err and KEY not in done.err + done.out


def test_what_stays_open_is_asked_again_by_the_next_run(run, fake_server):
    """And nothing else is."""
    fake_server.answer = lambda asked: Fault.silence if case_of(asked) == 1 else answer(asked)
    assert run(3).code == 3
    before = fake_server.count
    fake_server.answer = answer
    done = run(3)
    assert (done.code, [card["final"] for card in cards_in(done)]) == (0, [8, 8, 8])
    assert fake_server.count == before + 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_the_key_goes_nowhere(run, fake_server, status):
    """Exit code 4, one line that says where the server pointed to; that place hears nothing."""
    with FakeServer() as elsewhere:
        fake_server.answer = lambda asked: Fault.redirect(f"{elsewhere.url}/chat/completions", status)
        done = run(3)
        assert elsewhere.count == elsewhere.connections == 0
    assert (done.code, done.out) == (4, "")
    assert "redirects to http://127.0.0.1" in done.err and "not followed" in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert KEY not in done.err


def test_a_redirect_in_the_middle_of_a_run_leaves_one_open(run, fake_server):
    """The others are judged; where the key went is the one server alone."""
    with FakeServer() as elsewhere:
        away = Fault.redirect(f"{elsewhere.url}/chat/completions")
        fake_server.answer = lambda asked: away if case_of(asked) == 3 else answer(asked)
        done = run(5, "--concurrency", "1")
        assert elsewhere.connections == 0
    assert done.code == 3
    assert [card["final"] for card in cards_in(done)] == [8, 8, 8, None, 8]
    assert {asked.headers["authorization"] for asked in fake_server.asked} == {f"Bearer {KEY}"}


@pytest.mark.parametrize("fault", [Fault.silence, Fault.hang_up, CUT], ids=["silent", "hangs up", "cut"])
def test_a_server_that_only_fails_ends_the_run(evenhand_command, fake_server, tmp_path, fault):
    """No scorecard with a number, no hang; a panel's other judge is heard all the same."""
    (tmp_path / "evenhand.toml").write_text(QUICK)
    (tmp_path / "answer.md").write_text(ANSWER)
    fake_server.answer = lambda asked: fault
    done = evenhand_command("judge", "answer.md", *models(fake_server), "--economy", "-f", "jsonl", OPENAI_API_KEY=KEY)
    assert done.code in (3, 4)
    assert all(card["final"] is None for card in cards_in(done))
    assert done.out or done.err.startswith("error: openai:one")


def test_one_judge_of_three_that_fails_leaves_a_quorum(evenhand_command, fake_server, tmp_path):
    """7 and 9 of three judges: the median is 8, and the scorecard names who was silent and why."""
    (tmp_path / "evenhand.toml").write_text(QUICK)
    (tmp_path / "answer.md").write_text(ANSWER)

    def said(asked: Asked) -> Step:
        model = asked.body["model"]
        return Fault.silence if model == "mute" else answer(asked, score={"low": 7, "high": 9}[model])

    fake_server.answer = said
    options = [*models(fake_server, "low", "high", "mute"), "--economy", "-f", "json"]
    done = evenhand_command("judge", "answer.md", *options, OPENAI_API_KEY=KEY)
    card = json.loads(done.out)
    assert (done.code, card["final"]) == (0, 8)
    [mute] = [each for each in card["panel"]["members"] if each["judge"]["name"] == "openai:mute"]
    assert "silent for 1.5 s" in json.dumps(mute)
