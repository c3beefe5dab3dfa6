"""evenhand judge on servers that misbehave: no wrong score, the reason shown, the right exit code, and an end."""

from __future__ import annotations

import json
import sqlite3

import pytest
from fake_server import Asked, FakeServer, Fault, Step, chat
from scripted_judge import answer, read_prompt, reply_text

from evenhand import DIMENSIONS
from test_model_judging import ANSWER, cards_in, models, write_many

KEY = "a-key-that-must-stay-here-4711"
SHORT = "[judges.openai]\nconnect_timeout = 30\nfirst_byte_timeout = 3\ntotal_timeout = 6\n"
"""Only for servers that are silent or slow: a busy machine could be both for a moment."""


@pytest.fixture
def run(evenhand_command, fake_server, tmp_path):
    """Judge so many submissions, one call each, with the time-outs users have or with short ones."""

    def judge(count: int, *more: str, short: bool = False):
        if short:
            (tmp_path / "evenhand.toml").write_text(SHORT)
        write_many(tmp_path, count)
        options = [*models(fake_server), "-f", "jsonl", *more]
        return evenhand_command("judge", "many.jsonl", *options, OPENAI_API_KEY=KEY)

    return judge


def case_of(asked: Asked) -> int:
    """Which submission a request is about; -1 for a sample of our own."""
    _, case, rest = read_prompt(asked.body).work.rpartition("Case ")
    return int(rest.split()[0]) if case else -1


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
    "silent": (Fault.silence, "silent for 3 s"),
    "trickle": (TRICKLE, "no whole reply within 6 s"),
    "slow head": (Fault.slow_head(Step(body=b"{}"), every=0.2), "no whole reply within 6 s"),
}


A_FAULT = [pytest.param(name, marks=[pytest.mark.long] if name == "slow head" else []) for name in FAULTS]
"""A head in pieces ends by the same limit as a body in pieces."""


@pytest.mark.slow
@pytest.mark.parametrize("name", A_FAULT)
def test_a_fault_that_passes_costs_no_score(run, fake_server, name):
    """Four of twelve first attempts go wrong: twelve scorecards with 8, and every question is paid for once."""
    fake_server.answer = now_and_then(FAULTS[name][0])
    done = run(12, short=True)
    assert done.code == 0, done.err
    assert [card["final"] for card in cards_in(done)] == [8] * 12
    assert fake_server.count == 2 * 12 + 4


@pytest.mark.slow
@pytest.mark.parametrize("name", A_FAULT)
def test_a_fault_that_stays_is_not_a_score_and_has_its_reason(run, fake_server, name):
    """One submission never gets a whole reply; the others are judged, and the exit code says that something is open."""
    fault, words = FAULTS[name]
    fake_server.answer = lambda asked: fault if case_of(asked) == 2 else answer(asked)
    done = run(4, short=True)
    cards = cards_in(done)
    assert done.code == 3
    assert [card["final"] for card in cards] == [8, 8, None, 8]
    assert {cards[2]["dimensions"][each]["score"] for each in DIMENSIONS} == {None}
    assert words in cards[2]["dimensions"]["safety"]["unscored"]
    assert "Traceback" not in done.err and KEY not in done.err + done.out


@pytest.mark.slow
def test_what_stays_open_is_asked_again_by_the_next_run(run, fake_server):
    """And nothing else is."""
    fake_server.answer = lambda asked: Fault.silence if case_of(asked) == 1 else answer(asked)
    assert run(3, short=True).code == 3
    before = fake_server.count
    fake_server.answer = answer
    done = run(3, short=True)
    assert (done.code, [card["final"] for card in cards_in(done)]) == (0, [8, 8, 8])
    assert fake_server.count == before + 2


@pytest.mark.slow
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
        done = run(5, "--set", "judge.concurrency=1")
        assert elsewhere.connections == 0
    assert done.code == 3
    assert [card["final"] for card in cards_in(done)] == [8, 8, 8, None, 8]
    assert {asked.headers["authorization"] for asked in fake_server.asked} == {f"Bearer {KEY}"}


@pytest.mark.slow
@pytest.mark.parametrize("fault", [Fault.silence, Fault.hang_up, CUT], ids=["silent", "hangs up", "cut"])
def test_a_server_that_only_fails_ends_the_run(evenhand_command, fake_server, tmp_path, fault):
    """No scorecard, no hang, one line, and the exit code of a provider that never answered."""
    (tmp_path / "evenhand.toml").write_text(SHORT)
    (tmp_path / "answer.md").write_text(ANSWER)
    fake_server.answer = lambda asked: fault
    done = evenhand_command("judge", "answer.md", *models(fake_server), "-f", "jsonl", OPENAI_API_KEY=KEY)
    assert (done.code, done.out) == (4, "")
    assert done.err.startswith("error: openai:one") and len(done.err.splitlines()) == 1
    assert "tried again" not in done.err and "next try" not in done.err


@pytest.mark.slow
def test_one_judge_of_three_that_fails_leaves_a_quorum(evenhand_command, fake_server, tmp_path):
    """7 and 9 of three judges: the median is 8, and the scorecard names who was silent and why."""
    (tmp_path / "evenhand.toml").write_text(SHORT)
    (tmp_path / "answer.md").write_text(ANSWER)

    def said(asked: Asked) -> Step:
        model = asked.body["model"]
        return Fault.silence if model == "mute" else answer(asked, score={"low": 7, "high": 9}[model])

    fake_server.answer = said
    options = [*models(fake_server, "low", "high", "mute"), "-f", "json"]
    done = evenhand_command("judge", "answer.md", *options, OPENAI_API_KEY=KEY)
    card = json.loads(done.out)
    assert (done.code, card["final"]) == (0, 8)
    [mute] = [each for each in card["panel"]["members"] if each["judge"]["name"] == "openai:mute"]
    assert "silent for 3 s" in json.dumps(mute)


# --- refused, out of reach, or not ready ---------------------------------------------------------------

FILTERED = Fault.status(400, "The response was filtered due to the prompt triggering our policy", code="content_filter")
WAF = Fault.status(403, "blocked")
BAD = Fault.status(400, "cannot process")


@pytest.mark.parametrize("refusal", [FILTERED, Fault.status(413, "Payload Too Large"), WAF, BAD])
@pytest.mark.slow
def test_one_submission_that_is_refused_breaks_neither_a_run_nor_its_resume(run, fake_server, refusal):
    """The first of three, one call at a time: it stays unscored with the reason, and a second run asks for it alone."""
    fake_server.answer = lambda asked: refusal if case_of(asked) == 0 else answer(asked)
    done = run(3, "--set", "judge.concurrency=1")
    assert (done.code, [card["final"] for card in cards_in(done)]) == (3, [None, 8, 8]), done.err
    assert str(refusal.status) in cards_in(done)[0]["dimensions"]["safety"]["unscored"]
    before = fake_server.count
    again = run(3, "--set", "judge.concurrency=1")
    assert (again.code, [card["final"] for card in cards_in(again)]) == (3, [None, 8, 8]), again.err
    assert fake_server.count == before + 2


def test_a_server_that_refuses_everything_is_asked_only_so_often(run, fake_server):
    """Twenty refusals without a single reply: exit code 4, and no scorecards that say nothing."""
    fake_server.answer = lambda asked: WAF
    done = run(60, "--set", "judge.concurrency=1")
    assert (done.code, done.out) == (4, "")
    assert 20 <= fake_server.count < 25  # those that were waiting for their turn are sent as well
    assert done.err == "error: openai:one: HTTP 403: blocked\n"


def test_one_refused_submission_on_its_own_is_exit_code_4(run, fake_server):
    """The server never answered a question."""
    fake_server.answer = lambda asked: BAD
    done = run(1)
    assert (done.code, done.out, done.err) == (4, "", "error: openai:one: HTTP 400: cannot process\n")


@pytest.mark.slow
def test_a_judge_that_never_answers_and_leaves_no_quorum_is_exit_code_4(evenhand_command, fake_server, tmp_path):
    """Two judges, one silent: the scorecard shows who said what, and the exit code that one was never there."""
    (tmp_path / "evenhand.toml").write_text(SHORT)
    (tmp_path / "answer.md").write_text(ANSWER)
    fake_server.answer = lambda asked: Fault.silence if asked.body["model"] == "mute" else answer(asked)
    options = [*models(fake_server, "one", "mute"), "-f", "json"]
    done = evenhand_command("judge", "answer.md", *options, OPENAI_API_KEY=KEY)
    assert (done.code, json.loads(done.out)["final"]) == (4, None)
    assert "error: openai:mute: the server was silent for 3 s" in done.err


@pytest.mark.slow
def test_a_server_that_starts_late_is_waited_for_and_reported(run, fake_server):
    """Twelve times 503, more than the tries of other faults and than the breaker allows; then all are judged."""
    loading = Fault.status(503, "Loading model")
    fake_server.answer = lambda asked: loading if asked.number <= 12 else answer(asked)
    done = run(3)
    assert (done.code, [card["final"] for card in cards_in(done)]) == (0, [8, 8, 8]), done.err
    assert done.err == "openai:one is not ready: HTTP 503: Loading model; waiting for up to 5 min\n"


# --- limits ----------------------------------------------------------------------------------------------


def unmetered(asked: Asked) -> Step:
    """A reply without `usage`."""
    return chat(reply_text(read_prompt(asked.body)), usage=False)


def test_a_reply_without_usage_counts_towards_the_limit_of_money(run, fake_server, tmp_path):
    """At $100 a million tokens read, a question of some 3,000 tokens costs about $0.30: $1 is not enough for five."""
    (tmp_path / "evenhand.toml").write_text("[judges.openai]\nprice_input = 100\nprice_output = 0\n")
    fake_server.answer = unmetered
    done = run(5, "--max-cost", "1.00", "--set", "judge.concurrency=1")
    cards = cards_in(done)
    assert done.code == 3 and 1 <= len(cards) < 5
    assert "the next call could exceed the limit of $1.00" in done.err
    assert all(0.1 < card["panel"]["calls"]["cost"] < 1 for card in cards)
    assert sum(card["panel"]["calls"]["cost"] for card in cards) <= 1


def test_retries_count_towards_the_limit_of_calls(run, fake_server):
    """Seven requests, every other one of which fails, so four are answered: one work, and two first calls."""
    fake_server.answer = lambda asked: Fault.status(500) if asked.number % 2 == 0 else answer(asked)
    done = run(5, "--set", "judge.max_calls=7", "--set", "judge.concurrency=1")
    assert (done.code, fake_server.count, len(cards_in(done))) == (3, 7, 1)
    assert "limit of 7 calls" in done.err


def test_money_that_calls_in_flight_give_back_is_spent(run, fake_server, tmp_path):
    """Each may cost $0.2 and costs $0.002. Ten at once set aside more than the limit of $1, and all are judged."""
    (tmp_path / "evenhand.toml").write_text("[judges.openai]\nprice_input = 0\nprice_output = 100\n")
    fake_server.answer = answer
    fake_server.hold = lambda asked: 1 < fake_server.count < 5
    done = run(10, "--max-cost", "1", "--set", "judge.concurrency=10")
    assert (done.code, len(cards_in(done))) == (0, 10), done.err
    assert fake_server.most_at_once == 4  # 2048 tokens at $100 a million are $0.2048, and 5 would be $1.02


# --- what is said --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"tool_calls": [{"function": {"name": "search"}}]}, "the model called a tool (search) instead of answering"),
        ({"reasoning_content": "Hm."}, "the model reasoned and then gave no answer"),
    ],
)
def test_the_scorecard_says_what_came_instead_of_an_answer(run, fake_server, message, words):
    """Not that the reply was empty."""
    fake_server.answer = lambda asked: answer(asked) if case_of(asked) == 1 else chat(None, **message)
    done = run(2)
    assert words in cards_in(done)[0]["dimensions"]["safety"]["unscored"]


def test_a_key_that_the_server_echoes_in_escapes_is_shown_and_stored_nowhere(run, fake_server, tmp_path):
    """In the justification, which is JSON within JSON: not on the scorecard, not in the recording, not in the store."""
    escaped = "".join(f"\\u{ord(char):04x}" for char in KEY)

    def echo(asked: Asked) -> Step:
        reply = reply_text(read_prompt(asked.body)).replace("It does what was asked.", f"Your key is {escaped}.")
        return chat(reply)

    fake_server.answer = echo
    done = run(1, "--set", "judge.record=said.jsonl")
    assert done.code == 0 and "Your key is [key]." in done.out
    with sqlite3.connect(tmp_path / ".evenhand" / "replies.db") as kept:
        stored = str(kept.execute("SELECT * FROM replies").fetchall())
    for text in (done.out, done.err, (tmp_path / "said.jsonl").read_text(), stored):
        assert KEY not in text and escaped not in text and escaped.replace("\\", "\\\\") not in text
