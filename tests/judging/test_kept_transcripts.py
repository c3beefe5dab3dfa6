"""Transcripts kept when asked: without secrets, not too long, copied with the store, shown as a conversation."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from dashboard import Dashboard

import evenhand
from evenhand.core.finding import Place
from evenhand.core.judgement import Evidence
from evenhand.files.documents import open_lines
from evenhand.judging import kept_transcript as kept_transcripts
from evenhand.judging.kept_transcript import LONGEST_TEXT, REDACTED, kept_transcript, redacted
from evenhand.reports.html.environment import make_environment, template_loader
from evenhand.reports.html.texts.judged_text import Quoted, judged_text
from evenhand.store.stored_cards import stored_submission
from evenhand.store.submission_text import transcript_from
from evenhand.store.transfer import exported, import_lines
from evenhand.work.submission import Event, Submission, ToolCall

TOKEN = "ghp_" + "Zq8Lr2Xw5Vt1Bn7Md4Kc9Hj3Fs6Gp0Ay" + "QeRt"
BODY = "MIIEowIBAAKCAQEA7bq9Zr3Xw5Vt1Bn7Md4Kc9Hj3Fs6Gp0Ay" * 3
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY-----"
CARD = "4539 5787 6362 1486"  # made up; its check digit is right
ACCOUNT = "DE02 1203 0000 0000 2020 51"  # made up; its check digits are right
PERSON = "maria.keller1984@gmail.com"
PHONE = "030 4456 7891"


def chat(folder: Path) -> Path:
    """A task, a call that fails, and an answer that claims tests passed."""
    function = {"name": "bash", "arguments": json.dumps({"command": "pytest -q"})}
    call = {"id": "c1", "type": "function", "function": function}
    messages = [
        {"role": "user", "content": "Fix the bug and run the tests."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": f"Error: 1 failed\ntoken {TOKEN}"},
        {"role": "assistant", "content": "I fixed the bug. All tests pass."},
    ]
    path = folder / "chat.jsonl"
    path.write_text("".join(json.dumps(message) + "\n" for message in messages), encoding="utf-8")
    return path


def test_secrets_and_personal_data_are_not_kept():
    """A token, a private key whole, a payment card, a person's address and number; the rest of the line stays."""
    text = f"use {TOKEN} here\n{KEY}\npay with card {CARD} now"
    assert redacted(text) == f"use {REDACTED} here\n{REDACTED}\npay with card {REDACTED} now"
    assert redacted(f"Ask {PERSON}, twice: {PERSON}.") == f"Ask {REDACTED}, twice: {REDACTED}."
    assert redacted(f"to: `{PERSON}`") == f"to: `{REDACTED}`", "in code too"
    assert redacted(f"Her mobile is {PHONE}.") == f"Her mobile is {REDACTED}."


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("You can reach her at maria.keller84@firma.de for this.", "maria.keller84@firma.de"),
        ("Ask him directly: peterw1971@gmail.com knows more.", "peterw1971@gmail.com"),
        ("Her mobile number is +49 171 3920482, call after six.", "+49 171 3920482"),
        (f"Send the refund to {ACCOUNT} today.", ACCOUNT),
        (f"Her card is {CARD}; the task asked for an e-mail address.", CARD),
    ],
)
def test_data_of_a_person_are_not_kept(text, data):
    """An address that names someone, a number that is called private, an account whose check digits are right."""
    assert redacted(text) == text.replace(data, REDACTED)


@pytest.mark.parametrize(
    "text",
    [
        "nothing secret",
        "Write to support@tool.dev or info@firma.de.",
        "Send it to jane.doe@example.com, or user@yourdomain.com.",
        "Mails come from no-reply@github.com.",
        "Clone git@github.com:owner/repository.git first.",
        "Copyright 2020 Maria Keller (maria.keller84@firma.de)",
        f"Order {PHONE} has shipped.",
        "Call 555-0123 or +1 800 555 0199 from your mobile.",
        "The hotel's number is +49 30 3920482.",
        'The mobile client sent {"id": 1, "name": "' + "x" * 80 + '", "time": "1773 041 220 881"} to us.',
        "Use the test card 4242 4242 4242 4242, or 4111 1111 1111 1111.",
        "The card 4539 1488 0343 6468 fails its check digit.",
        "The order number is 4539148803436467.",
        "An example IBAN is DE89 3704 0044 0532 0130 00.",
        "The id AB12 3456 7890 1234 5678 is no account.",
        "Versions 1.2.3.4 and 10.20.30.40 were tested on 2024-05-01.",
    ],
)
def test_impersonal_data_is_kept(text):
    """Addresses of offices and examples, and numbers that the words around them do not call private."""
    assert redacted(text) == text


def test_python_keeps_a_transcript_when_asked(store, tmp_path):
    """Only then; an unknown choice is refused before anything is judged or stored."""
    (submission,) = evenhand.read_submissions(chat(tmp_path))
    assert isinstance(submission, Submission)
    plain = evenhand.check(submission, store=store)
    assert stored_submission(store, store.get(plain.id)) is None
    asked = evenhand.check(submission, store=store, keep="transcript")
    assert asked.id == plain.id, "the same evaluation, whatever is kept of it"
    kept = stored_submission(store, store.get(plain.id))
    assert kept is not None and kept.events[1].call is not None
    assert kept.events[1].call.result == f"Error: 1 failed\ntoken {REDACTED}"
    refused = r'keep: unknown choice "transcripts"; did you mean transcript\? valid: text, hash, transcript'
    with pytest.raises(evenhand.InputError, match=refused):
        evenhand.check("x", store=store, keep="transcripts")  # type: ignore[arg-type]
    with pytest.raises(evenhand.InputError, match='keep: unknown choice "hash"; valid: text, transcript'):
        evenhand.run("suite.yaml", store=store, settings={"keep": "hash"})
    assert len(list(store.evaluations())) == 1


def test_python_keeps_only_the_hash_when_asked(store):
    """No text; the receipt still has its hash."""
    card = evenhand.check("Cats sleep.", store=store, keep="hash")
    assert store.get(card.id).submission is None and card.receipt.submission


def event(text: str, call: ToolCall | None = None) -> Event:
    return Event("message" if call is None else "tool_call", "assistant", text, Place("t.jsonl", 1), call)


def test_a_long_text_says_what_is_left_out():
    """A text one character over its limit loses one."""
    exact, over = "x" * LONGEST_TEXT, "y" * (LONGEST_TEXT + 1)
    call = ToolCall("bash", {"command": over}, result=exact)
    kept = transcript_from(kept_transcript(Submission("done", events=(event(exact), event(over), event("", call)))))
    assert kept.events[0].text == exact
    assert "[1 characters left out]" in kept.events[1].text
    assert kept.events[2].call is not None
    assert "[1 characters left out]" in kept.events[2].call.arguments["command"]
    assert kept.events[2].call.result == exact


def kept_of(count: int, longest: int, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], str]:
    """The texts of what is kept of so many events in so many characters, and the whole text."""
    monkeypatch.setattr(kept_transcripts, "LONGEST", longest)
    text = kept_transcript(Submission("done", events=tuple(event(f"event {number}") for number in range(count))))
    return [one.text for one in transcript_from(text).events], text


def test_a_transcript_of_exactly_the_greatest_length_is_kept_whole(monkeypatch):
    """One character less, and an event is left out."""
    texts, whole = kept_of(5, 1_000_000, monkeypatch)
    assert texts == [f"event {number}" for number in range(5)]
    assert kept_of(5, len(whole), monkeypatch) == (texts, whole)
    shorter, _ = kept_of(5, len(whole) - 1, monkeypatch)
    assert len(shorter) == 5 and sum("left out here" in one for one in shorter) == 1


def test_events_are_left_out_of_the_middle_and_the_front_keeps_the_odd_one(monkeypatch):
    """With room for three of eight: 0, then 7, then 1; the note stands between, at the place of the first left out."""
    _, whole = kept_of(8, 1_000_000, monkeypatch)
    size = len(kept_of(9, 1_000_000, monkeypatch)[1]) - len(whole)
    for room, kept in ((0, []), (1, [0]), (2, [0, 7]), (3, [0, 1, 7]), (4, [0, 1, 6, 7])):
        texts, text = kept_of(8, len(whole) - (8 - room) * size + 8, monkeypatch)
        first = sum(number < 4 for number in kept)
        note = texts.pop(first)
        assert texts == [f"event {number}" for number in kept]
        assert note == (
            f"{8 - room} events are left out here: a kept transcript has at most "
            f"{len(whole) - (8 - room) * size + 8:,} characters."
        )
        assert transcript_from(text).events[first].role == "system"


def test_every_text_of_a_transcript_is_redacted_and_shortened():
    """Output, task, reference, messages, names and values of arguments at any depth, results; nothing else changes."""
    over = "y" * (LONGEST_TEXT + 2)
    arguments = {"token": TOKEN, "deep": [{TOKEN: over}, 3, None, True], "pair": ("a", TOKEN)}
    call = ToolCall("bash", arguments, "c1", f"use {TOKEN}", True, Place("t.jsonl", 7))
    submission = Submission(
        f"out {TOKEN}", task=f"task {TOKEN}", reference=f"reference {TOKEN}", events=(event(f"said {TOKEN}", call),)
    )
    text = kept_transcript(submission)
    assert TOKEN not in text
    kept = transcript_from(text)
    assert (kept.output, kept.task, kept.reference) == tuple(
        f"{name} {REDACTED}" for name in ("out", "task", "reference")
    )
    made = kept.events[0].call
    assert kept.events[0].text == f"said {REDACTED}" and made is not None
    half = "y" * (LONGEST_TEXT // 2)
    short = f"{half}\n[2 characters left out]\n{half}"
    assert made.arguments == {
        "token": REDACTED, "deep": [{REDACTED: short}, 3, None, True], "pair": ["a", REDACTED],
    }  # fmt: skip
    assert (made.name, made.result, made.failed) == ("bash", f"use {REDACTED}", True)
    bare = transcript_from(kept_transcript(Submission("x", events=(event("", ToolCall("bash", "ls")),))))
    assert (bare.task, bare.reference) == (None, None)
    assert bare.events[0].call is not None and bare.events[0].call.result is None


@pytest.mark.slow
def test_a_kept_transcript_is_a_conversation_and_is_copied(store_address, store, tmp_path, evenhand_command):
    """Only when asked; the call folded, its failure marked, the claim beside what contradicts it."""
    chat(tmp_path)
    plain = ["judge", "chat.jsonl", "--store", store_address, "--format", "json"]
    id = json.loads(evenhand_command(*plain).out)["id"]
    assert stored_submission(store, store.get(id)) is None, "nothing is kept unless it is asked for"
    assert evenhand_command(*plain, "--set", "keep=transcript").code == 0
    kept = stored_submission(store, store.get(id))
    assert kept is not None
    assert [one.kind for one in kept.events] == ["message", "tool_call", "message"]
    assert kept.events[1].call is not None and kept.events[1].call.result == f"Error: 1 failed\ntoken {REDACTED}"
    assert TOKEN not in json.dumps([row for _, row in store.kept_rows()])
    with Dashboard(store_address) as dashboard:
        page = dashboard.get(f"/evaluation?id={id}").text
    assert "The transcript" in page and "Fix the bug and run the tests." in page
    assert '<details class="call"' in page and "pytest -q" in page
    assert TOKEN not in page
    shown = evenhand_command("show", id, "--store", store_address, "--format", "html").out
    assert '<details class="call"' in shown
    assert "The transcript contradicts it: the last run of the tests failed: Error: 1 failed." in page
    lines = list(exported(store.evaluations(), store.kept_rows()))
    file = tmp_path / "export.jsonl"
    file.write_text("".join(lines), encoding="utf-8")
    with closing(evenhand.open_store(str(tmp_path / "copy.db"))) as copy:
        import_lines(copy, open_lines(str(file)))
        assert stored_submission(copy, copy.get(id)) == kept
    assert evenhand_command("store", "check", "--store", store_address).code == 0


def test_sub_agents_are_nested_and_a_call_that_is_quoted_is_open():
    """Two events of one sub-agent are one part of the page; of two calls the one with the quote is unfolded."""
    quoted = Event("tool_call", "assistant", "", Place("t", 2), ToolCall("bash", {"command": "make"}), agent="helper")
    failed = ToolCall("bash", {"command": "rm"}, failed=True)
    folded = Event("tool_call", "assistant", "", Place("t", 3), failed, "helper")
    submission = Submission("Done.", events=(event("I ask a helper."), quoted, folded, event("Done.")))
    views = judged_text(submission, [Quoted(Evidence("make", verified=True, source="t:2"), "score", "a")]).events
    assert [(view.agent, view.call, view.quoted, view.summary) for view in views] == [
        ("", False, False, ""), ("helper", True, True, "make"), ("helper", True, False, "rm"), ("", False, False, ""),
    ]  # fmt: skip
    parts: Any = make_environment(template_loader()).get_template("parts.html").module
    html = str(parts.events(views))
    assert html.count('class="sub-agent"') == html.count("</section>") == 1
    assert html.count('<details class="call" open>') == 1 and html.count('<details class="call">') == 1
    assert html.count('class="event failed"') == 1
