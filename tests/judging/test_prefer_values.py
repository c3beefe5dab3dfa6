"""References and languages in comparisons of pairs, and `evenhand.side_by_side` from Python."""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import Any

import pytest
from batch_server import BatchServer
from fake_server import FakeServer
from jsonschema import Draft202012Validator

import evenhand
import flat_calls
from evenhand.types import Preferences
from evenhand.work.submission import Submission
from test_prefer import BAD, GOOD, SCHEMA, careful, judge

REFERENCE = "Wait until the health check has passed, else roll back."


@pytest.fixture
def server(fake_server: FakeServer) -> FakeServer:
    return fake_server


def _prefer(systems: dict[str, Any], server: FakeServer, **more: Any) -> Preferences:
    return flat_calls.prefer(systems, judges="openai:one", base_url=server.url, **more)


@pytest.mark.slow
def test_reference_and_language_reach_the_model_from_the_command_line(evenhand_command, server, tmp_path):
    """The identity names the language, and another reference is another question."""
    server.answer = judge(careful)
    (tmp_path / "a.md").write_text(GOOD)
    (tmp_path / "b.md").write_text(BAD)
    (tmp_path / "reference.md").write_text(REFERENCE)
    asked = (
        "better",
        "--side-by-side",
        "--set",
        "gate.undecided=ok",
        "a.md",
        "b.md",
        "--judge",
        "openai:one",
        "--base-url",
        server.url,
        "--format",
        "json",
    )
    ran = evenhand_command(*asked, "--set", "better.reference=reference.md", "--set", "judge.language=German")
    assert json.loads(ran.out)["judges"][0]["language"] == "German"
    system, user = (server.asked[0].body["messages"][place]["content"] for place in (0, 1))
    assert "in German" in system and f"\n{REFERENCE}\nreference" in user
    assert server.count == 2
    evenhand_command(*asked, "--set", "better.reference=reference.md", "--set", "judge.language=German")
    assert server.count == 2  # from the store
    evenhand_command(*asked, "--set", "better.reference=Another one.", "--set", "judge.language=German")
    assert server.count == 4


def test_different_references_make_no_pair(evenhand_command, server, tmp_path):
    """One of them would be unfair; the option decides."""
    for name, reference in (("a", "one"), ("b", "two")):
        line = {"id": "1", "task": "Deploy.", "output": GOOD, "reference": reference}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(line))
    server.answer = judge(careful)
    asked = (
        "better",
        "--side-by-side",
        "--set",
        "gate.undecided=ok",
        "a.jsonl",
        "b.jsonl",
        "--judge",
        "openai:one",
        "--base-url",
        server.url,
    )
    ran = evenhand_command(*asked)
    assert ran.code == 2 and "a.jsonl and b.jsonl have different references" in ran.err and server.count == 0
    assert evenhand_command(*asked, "--set", f"better.reference={REFERENCE}").code == 0


def test_two_outputs_are_compared_from_python(server):
    """In both orders; the result has the published shape."""
    server.answer = judge(careful)
    made = _prefer({"old": BAD, "new": GOOD}, server, task="Deploy.", reference=REFERENCE, language="German")
    assert [(result.a, result.b, result.outcome) for result in made.results] == [("old", "new", "b")]
    assert server.count == 2 and made.judges[0]["language"] == "German"
    document = evenhand.document(made)
    Draft202012Validator(json.loads(SCHEMA.read_text())).validate(json.loads(json.dumps(document)))


def test_several_outputs_are_matched_by_id_or_else_by_order(server):
    """Ids only count if all outputs have one."""
    server.answer = judge(careful)
    ids = {
        "old": [Submission(BAD, id="1"), Submission(GOOD, id="2")],
        "new": [Submission(BAD, id="2"), Submission(GOOD, id="1")],
    }
    made = _prefer(ids, server)
    assert [(result.item, result.outcome) for result in made.results] == [("1", "b"), ("2", "a")]
    made = _prefer({"old": [BAD, GOOD], "new": [GOOD, BAD]}, server)
    assert [(result.item, result.outcome) for result in made.results] == [("output 1", "b"), ("output 2", "a")]


@pytest.mark.parametrize(
    ("systems", "problem"),
    [
        ({"one": GOOD}, "at least two"),
        ({"one": [GOOD], "two": [GOOD, BAD]}, "different numbers of outputs"),
        ({"one": [Submission(GOOD, id="1")] * 2, "two": [Submission(GOOD, id="1")] * 2}, "same id"),
        ({"one": Submission(GOOD, task="a"), "two": Submission(BAD, task="b")}, "different tasks"),
    ],
)
def test_what_cannot_be_matched_is_an_input_error(server, systems, problem):
    """Before any model is asked."""
    with pytest.raises(evenhand.InputError, match=problem):
        _prefer(systems, server)
    assert server.count == 0


def test_many_comparisons_share_the_callers_event_loop(server):
    """Each with limits of its own."""
    server.answer = judge(careful)

    async def both() -> list[Preferences]:
        made = (
            flat_calls.prefer_async(systems, judges=["openai:one"], base_url=server.url, max_calls=2)
            for systems in ({"old": BAD, "new": GOOD}, {"old": GOOD, "new": BAD})
        )
        return await asyncio.gather(*made)

    assert [made.results[0].outcome for made in asyncio.run(both())] == ["b", "a"]


def test_a_limit_leaves_pairs_out_and_counts_them(server):
    """What was compared before is returned; with nothing compared it is an error."""
    server.answer = judge(careful)
    made = _prefer({"old": [BAD, BAD], "new": [GOOD, GOOD + "!"]}, server, max_calls=2, concurrency=1)
    assert len(made.results) + made.left_out == 2 and made.left_out
    with pytest.raises(evenhand.Unavailable, match="calls"):
        _prefer({"old": BAD, "new": GOOD}, server, max_calls=0)


def test_both_ways_to_compare_take_the_same_arguments():
    """`prefer` and `prefer_async` differ in nothing."""
    one, other = (inspect.signature(way).parameters for way in (evenhand.side_by_side, evenhand.side_by_side_async))
    assert list(one.values()) == list(other.values())


def test_a_batch_needs_a_store_and_replies(server):
    """It is noted there until it is done."""
    with pytest.raises(evenhand.InputError, match="needs a store"):
        _prefer({"old": BAD, "new": GOOD}, server, batch=True)
    with pytest.raises(evenhand.InputError, match="needs a store"):
        flat_calls.judge(GOOD, judges="openai:one", base_url=server.url, batch=True)


@pytest.mark.slow
def test_pairs_go_through_a_batch_from_python(server, tmp_path):
    """The first question is asked directly; the others are submitted together, at half the price."""
    batches = BatchServer(judge(careful))
    server.answer = batches.step
    store = evenhand.open_store(str(tmp_path / "evaluations.db"))
    systems = {"old": [BAD, BAD], "new": [GOOD, GOOD + " Always."]}
    made = _prefer(systems, server, batch=True, store=store, replies=tmp_path / "replies.db")
    assert [result.outcome for result in made.results] == ["b", "b"]
    assert batches.direct == 1 and sum(batches.paid.values()) == 3
