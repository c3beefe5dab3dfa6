"""A reference answer: shown to models beside the work, fenced like it, and never evidence."""

from __future__ import annotations

import json
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from conftest import make_rubric
from fake_server import Asked, FakeServer, Step, chat
from scripted_judge import read_prompt, reply_text

import evenhand
import flat_calls
from evenhand.judges.models.questions.prompt import Question, messages
from evenhand.judges.models.questions.shown_work import Shown, quotable, show
from evenhand.work.submission import Submission, submission_sha256

ANSWER = "The cache kept entries for an hour although prices change every minute.\n"
REFERENCE = "The cache must be written through whenever a price changes.\n"
QUESTION = Question("scores", ("correctness",))
NONCE = "f3a91c77d2e84b60"


def _judge(evenhand_command, server: FakeServer, folder: Path, *more: str):
    (folder / "answer.md").write_text(ANSWER)
    return evenhand_command("judge", "answer.md", "--judge", "openai:one", "--base-url", server.url, *more)


def _works(server: FakeServer) -> list[str]:
    return [asked.body["messages"][1]["content"] for asked in server.asked]


@pytest.fixture
def server(fake_server: FakeServer) -> FakeServer:
    fake_server.answer = lambda asked: chat(reply_text(read_prompt(asked.body)))
    return fake_server


def test_a_reference_is_fenced_between_task_and_work():
    """With the nonce, and in words that say what it is for."""
    shown = show(Submission(output=ANSWER, task="Explain.", reference=REFERENCE), window_tokens=None)
    content = messages(make_rubric(), shown, QUESTION, NONCE)[1].content
    fence = f"<<<reference {NONCE}\n{REFERENCE}\nreference {NONCE}>>>"
    assert content.index(f"task {NONCE}>>>") < content.index(fence) < content.index(f"<<<submission {NONCE}")
    assert "It is not part of the work" in content
    without = messages(make_rubric(), shown._replace(reference=None), QUESTION, NONCE)[1].content
    assert "<<<reference" not in without


def test_a_nonce_that_occurs_in_the_reference_is_refused():
    """It fences that too."""
    with pytest.raises(ValueError, match="nonce"):
        messages(make_rubric(), Shown(None, "work", reference=f"a {NONCE} b"), QUESTION, NONCE)


def test_hidden_characters_are_taken_out_of_the_reference_too():
    """And said on the scorecard."""
    shown = show(Submission(output=ANSWER, reference="plain\u200b text"), window_tokens=None)
    assert shown.reference == "plain text"
    assert any("in the reference" in note for note in shown.notes)


def test_a_long_reference_takes_a_quarter_of_a_small_window_at_most():
    """The work keeps its place, and the scorecard says what was left out."""
    submission = Submission(output="word " * 2000, task="Write.", reference="other " * 4000)
    shown = show(submission, window_tokens=2000)
    assert shown.reference is not None and len(shown.reference) < 4 * 500 + 100
    assert len(shown.text) > 2 * len(shown.reference)
    assert shown.condensed is not None and "the middle of the reference is left out" in shown.condensed.why


def test_a_quote_from_the_reference_is_not_evidence(evenhand_command, fake_server: FakeServer, tmp_path: Path):
    """A judge that quotes the reference is asked again, then the dimension is unscored; from the work it counts."""

    def quoting(asked: Asked) -> Step:
        return chat(reply_text(read_prompt(asked.body)._replace(work=REFERENCE)))

    fake_server.answer = quoting
    run = _judge(evenhand_command, fake_server, tmp_path, "--reference", REFERENCE, "--format", "json")
    assert run.code == 3
    card = json.loads(run.out)
    assert all(line["score"] is None for line in card["dimensions"].values())
    assert "without a quote" in card["dimensions"]["correctness"]["unscored"]
    assert not quotable(Shown(None, ANSWER, reference=REFERENCE), REFERENCE.strip())


def test_text_that_work_and_reference_share_can_be_quoted(evenhand_command, server: FakeServer, tmp_path: Path):
    """It is in the work."""
    run = _judge(evenhand_command, server, tmp_path, "--reference", ANSWER + REFERENCE, "--format", "json")
    assert run.code == 0
    assert json.loads(run.out)["dimensions"]["correctness"]["evidence"][0]["verified"]


@pytest.mark.slow
def test_a_reference_comes_from_a_file_or_is_the_text_itself(evenhand_command, server: FakeServer, tmp_path: Path):
    """Like a task."""
    (tmp_path / "reference.md").write_text(REFERENCE)
    for given in ("reference.md", REFERENCE):
        assert _judge(evenhand_command, server, tmp_path, "--store", "none", "--reference", given).code == 0
    assert len(server.asked) == 2 * 2
    assert all(f"\n{REFERENCE}" in work for work in _works(server))


@pytest.mark.slow
def test_each_line_of_submissions_has_its_own_reference(evenhand_command, server: FakeServer, tmp_path: Path):
    """One may be without; a reference that is not text is refused with its line."""
    lines = [
        {"id": "a", "output": f"{ANSWER} One.", "reference": "First reference."},
        {"id": "b", "output": f"{ANSWER} Two."},
    ]
    (tmp_path / "many.jsonl").write_text("\n".join(map(json.dumps, lines)))
    judge = ["--judge", "openai:one", "--base-url", server.url]
    assert evenhand_command("judge", "many.jsonl", *judge).code == 0
    first, first_too, second, second_too = sorted(_works(server), key=lambda work: "Two." in work)
    assert all("\nFirst reference.\nreference " in work for work in (first, first_too))
    assert not any("<<<reference" in work for work in (second, second_too))
    (tmp_path / "wrong.jsonl").write_text(json.dumps({"id": "a", "output": ANSWER, "reference": ["x"]}))
    run = evenhand_command("judge", "wrong.jsonl", *judge)
    assert run.code == 2
    assert 'wrong.jsonl:1: "reference" must be text' in run.err


def test_checks_have_no_use_for_a_reference(evenhand_command, tmp_path: Path):
    """The option is refused rather than ignored."""
    (tmp_path / "answer.md").write_text(ANSWER)
    run = evenhand_command("judge", "answer.md", "--reference", REFERENCE)
    assert run.code == 2
    assert "--reference is for models" in run.err


def test_a_receipt_covers_the_reference_only_where_there_is_one():
    """Without one it has no place in what is hashed."""
    plain = Submission(output=ANSWER, task="Explain.")
    written = json.dumps({"output": ANSWER, "task": "Explain."}, separators=(",", ":"))
    assert submission_sha256(plain) == sha256(written.encode()).hexdigest()
    assert submission_sha256(plain._replace(reference=REFERENCE)) != submission_sha256(plain)


@pytest.mark.slow
def test_a_scorecard_with_a_reference_verifies_and_a_changed_one_does_not(
    evenhand_command, server: FakeServer, tmp_path: Path
):
    """With the output at hand, the reference on the scorecard must be the one that was hashed."""
    run = _judge(evenhand_command, server, tmp_path, "--reference", REFERENCE, "--format", "json")
    card = json.loads(run.out)
    assert card["reference"] == REFERENCE
    (tmp_path / "card.json").write_text(run.out)
    assert evenhand_command("show", "--verify", "card.json", "--judged", "answer.md").code == 0
    (tmp_path / "card.json").write_text(json.dumps({**card, "reference": "Another."}))
    assert evenhand_command("show", "--verify", "card.json", "--judged", "answer.md").code == 1


@pytest.mark.slow
def test_a_stored_evaluation_keeps_its_reference(evenhand_command, server: FakeServer, tmp_path: Path):
    """The store is sound, and an export can be imported elsewhere."""
    assert _judge(evenhand_command, server, tmp_path, "--reference", REFERENCE).code == 0
    assert evenhand_command("store", "check").code == 0
    (tmp_path / "export.jsonl").write_text(evenhand_command("store", "export", "-").out)
    assert evenhand_command("store", "import", "export.jsonl", "--store", "other.db").code == 0
    with closing(evenhand.open_store(str(tmp_path / "other.db"))) as store:
        (record,) = store.evaluations()
    assert json.loads(record.submission or "")["reference"] == REFERENCE


def test_python_takes_a_reference(server: FakeServer):
    """`flat_calls.judge(..., reference=...)`."""
    import os

    os.environ.setdefault("OPENAI_API_KEY", "k")
    card = flat_calls.judge(ANSWER, reference=REFERENCE, judges="openai:one", base_url=server.url)
    assert card.reference == REFERENCE
    assert f"\n{REFERENCE}\nreference " in _works(server)[0]
