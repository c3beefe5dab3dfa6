"""Pictures in a submission: read from it alone, passed to models that accept them, and accounted for otherwise."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from fake_server import Asked, FakeServer, Fault, Step, chat
from scripted_judge import read_prompt, reply_text

import flat_calls
from evenhand.transcripts import limits, read
from evenhand.transcripts.images import image_of, images_in
from evenhand.work.submission import Image, Submission, submission_sha256

ANSWER = "The chart shows that prices fell by a third between March and May.\n\n![Prices](chart.png)\n"


def png(wide: int = 2, high: int = 1, shade: int = 0) -> bytes:
    """A whole grey picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes([shade]) * wide for _ in range(high))
    header = struct.pack(">IIBBBBB", wide, high, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


PNG = png()
BASE64 = base64.b64encode(PNG).decode()
HASH = sha256(PNG).hexdigest()


@pytest.fixture
def server(fake_server: FakeServer) -> FakeServer:
    """Answers every question in the asked form."""
    fake_server.answer = lambda asked: chat(reply_text(read_prompt(asked.body)))
    return fake_server


def _judge(
    command: Any, server: FakeServer, folder: Path, *more: str, model: str = "gpt-4o", image: bytes = PNG
) -> Any:
    (folder / "answer.md").write_text(ANSWER)
    (folder / "chart.png").write_bytes(image)
    asked = ("--judge", f"openai:{model}", "--base-url", server.url, "--format", "json")
    return command("judge", "answer.md", *asked, *more)


def _about_the_work(server: FakeServer) -> list[Any]:
    """The user's turns about the work, not about the sample that every judge is tested with."""
    turns = [asked.body["messages"][1]["content"] for asked in server.asked]
    return [turn for turn in turns if "prices fell" in json.dumps(turn)]


def _pictures(turn: Any) -> list[str]:
    return [part["image_url"]["url"] for part in turn if part["type"] == "image_url"] if isinstance(turn, list) else []


# --- reading -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": BASE64}},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{BASE64}"}},
        {"type": "image_url", "image_url": f"data:image/png;base64,{BASE64}"},
        {"type": "input_image", "image_url": f"data:image/png;base64,{BASE64}", "detail": "auto"},
        {"type": "image", "data": BASE64, "mimeType": "image/png"},
        {"type": "file", "mediaType": "image/png", "url": f"data:image/png;base64,{BASE64}"},
        {"type": "image", "image": f"data:image/png;base64,{BASE64}"},
        {"type": "image", "source_type": "base64", "data": BASE64, "mime_type": "image/png"},
        {"inlineData": {"mimeType": "image/png", "data": BASE64}},
        {"kind": "binary", "media_type": "image/png", "data": BASE64},
    ],
)
def test_an_embedded_picture_is_read_in_every_vendors_form(block):
    """Whatever the media type says, the bytes decide."""
    assert images_in([{"type": "text", "text": "x"}, block], None) == (Image("image/png", PNG, HASH),)


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ({"type": "image_url", "image_url": {"url": "https://host.example/a.png"}}, "at an address"),
        ({"type": "image", "source": {"type": "url", "url": "http://127.0.0.1/a.png"}}, "at an address"),
        ({"type": "image_url", "image_url": {"url": "file:///etc/hostname"}}, "at an address"),
        ({"type": "input_image", "file_id": "file-1"}, "not in the file"),
        ({"type": "image", "source": {"type": "base64", "data": "..."}}, "not a complete"),
        ({"type": "image", "data": base64.b64encode(PNG[:-4]).decode()}, "not a complete"),
        ({"type": "image", "data": base64.b64encode(b"%PDF-1.7 not a picture").decode()}, "not a complete"),
        ({"type": "image", "data": "A" * (4 * limits.IMAGE // 3 + 100)}, "larger than the limit of 3.75 MiB"),
    ],
)
def test_a_picture_that_cannot_be_read_is_listed_with_the_reason(block, reason):
    """It is never fetched, and never dropped silently."""
    (image,) = images_in([block], None)
    assert not image.data and reason in image.problem


def test_a_document_is_not_a_picture():
    """Only what says that it is one."""
    assert images_in([{"type": "document", "source": {"type": "base64", "media_type": "application/pdf"}}], None) == ()
    assert images_in([{"type": "file", "mediaType": "text/plain", "url": "data:text/plain;base64,QQ=="}], None) == ()


def test_a_picture_of_exactly_the_limit_is_read_and_one_byte_more_is_not():
    """The limit itself is allowed."""
    padded = PNG[:-12] + b"\0" * (limits.IMAGE - len(PNG)) + PNG[-12:]
    assert len(padded) == limits.IMAGE and image_of(padded).data == padded
    assert "larger" in image_of(PNG[:-12] + b"\0" * (limits.IMAGE + 1 - len(PNG)) + PNG[-12:]).problem


def test_pictures_of_a_markdown_file_lie_beside_it_or_below(tmp_path):
    """Not above, not behind a link that leads out, and not at an address."""
    folder = tmp_path / "work"
    (folder / "images").mkdir(parents=True)
    (folder / "images" / "a b.png").write_bytes(PNG)
    (tmp_path / "secret.png").write_bytes(PNG)
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    names = [
        "images/a%20b.png",
        "../secret.png",
        "link.png",
        str(tmp_path / "secret.png"),
        "https://host.example/a.png",
    ]
    (folder / "answer.md").write_text("\n".join(f"![]({name})" for name in names) + '\n<img src="images/a%20b.png">\n')
    (submission,) = read(str(folder / "answer.md"), None)
    assert [image.sha256 for image in submission.images] == [HASH, "", "", "", ""]
    assert submission.images[-1].problem.startswith("at an address")


def test_a_file_of_many_submissions_names_its_pictures(tmp_path):
    """As files beside it, or as data URLs."""
    (tmp_path / "a.png").write_bytes(PNG)
    lines = [
        {"id": "1", "output": "One.", "images": ["a.png", f"data:image/png;base64,{BASE64}"]},
        {"id": "2", "output": "Two.", "images": "a.png"},
    ]
    (tmp_path / "many.jsonl").write_text("\n".join(map(json.dumps, lines)))
    first, second = read(str(tmp_path / "many.jsonl"), None)
    assert [image.sha256 for image in first.images] == [HASH, HASH] and not first.unknown
    assert "must be a list of texts" in str(second)


def test_a_transcripts_pictures_are_with_their_events(tmp_path):
    """With the message they are in, or the call that brought them back."""
    lines = [
        {"role": "user", "content": [{"type": "text", "text": "What is it?"}, _openai_part()]},
        {"role": "assistant", "content": None, "tool_calls": [_openai_call()]},
        {"role": "tool", "tool_call_id": "1", "content": [{"type": "text", "text": "done"}, _openai_part()]},
        {"role": "assistant", "content": "A grey line of two pixels."},
    ]
    (tmp_path / "chat.json").write_text(json.dumps({"messages": lines}))
    (submission,) = read(str(tmp_path / "chat.json"), None)
    assert [(event.kind, [image.sha256 for image in event.images]) for event in submission.events] == [
        ("message", [HASH]),
        ("tool_call", [HASH]),
        ("message", []),
    ]


def _openai_part() -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{BASE64}"}}


def _openai_call() -> dict[str, Any]:
    return {"id": "1", "type": "function", "function": {"name": "screenshot", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("qwen/moraine_session.jsonl", "not a complete"),
        ("cline/ctxray_api_conversation_history.json", "not a complete"),
    ],
)
def test_real_transcripts_whose_pictures_were_cut_say_so(file, reason):
    """Their authors replaced the data before they published them."""
    path = Path(__file__).parents[2].parent / "shared/data/transcripts" / file
    if not path.exists():
        pytest.skip("the real transcripts are not here")
    (submission,) = read(str(path), None)
    problems = [image.problem for event in submission.events for image in event.images]
    assert len(problems) == 1 and reason in problems[0]


def test_the_submissions_hash_covers_its_pictures():
    """And is what it was for one without any."""
    plain = Submission(output="x", task=None)
    one, other = (plain._replace(images=(image_of(png(shade=shade)),)) for shade in (0, 1))
    assert len({submission_sha256(each) for each in (plain, one, other)}) == 3
    assert submission_sha256(plain._replace(images=(Image(problem="gone"),))) == submission_sha256(plain)


# --- showing -----------------------------------------------------------------------------------------


# --- asking a server ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_picture_is_passed_to_a_model_that_accepts_it(evenhand_command, server, tmp_path):
    """As a data URL between two texts; the scorecard says so, and the store keeps the evaluation."""
    ran = _judge(evenhand_command, server, tmp_path)
    flags, scores = _about_the_work(server)
    assert _pictures(flags) == _pictures(scores) == [f"data:image/png;base64,{BASE64}"]
    card = json.loads(ran.out)
    assert "1 image passed to openai:gpt-4o; words in them are not screened" in " ".join(card["warnings"])
    assert evenhand_command("store", "check").code == 0
    again = _judge(evenhand_command, server, tmp_path)
    assert json.loads(again.out)["final"] == card["final"] and len(_about_the_work(server)) == 2  # from the store
    _judge(evenhand_command, server, tmp_path, image=png(shade=9))
    assert len(_about_the_work(server)) == 4


@pytest.mark.slow
def test_a_model_that_is_not_known_to_accept_pictures_gets_none(evenhand_command, server, tmp_path):
    """The scorecard says why, and which setting changes that."""
    ran = _judge(evenhand_command, server, tmp_path, model="gpt-3.5-turbo")
    assert not any(map(_pictures, _about_the_work(server)))
    (warning,) = [text for text in json.loads(ran.out)["warnings"] if "image" in text]
    assert warning == (
        "1 of 1 image not passed to openai:gpt-3.5-turbo: the model is not known to accept images; to pass them, set "
        "images = true under [judges.openai] in evenhand.toml"
    )


@pytest.mark.slow
def test_the_setting_decides_for_any_model(evenhand_command, server, tmp_path):
    """In both directions."""
    for value, model, count in (("true", "my-model", 1), ("false", "gpt-4o", 0)):
        (tmp_path / "evenhand.toml").write_text(f"[judges.openai]\nimages = {value}\n")
        _judge(evenhand_command, server, tmp_path, model=model)
        assert len(_pictures(_about_the_work(server)[-1])) == count
    (tmp_path / "evenhand.toml").write_text("[judges.openai]\nimages = 3\n")
    ran = _judge(evenhand_command, server, tmp_path)
    assert ran.code == 2 and "images: must be true or false" in ran.err


@pytest.mark.parametrize(
    "fault",
    [
        Fault.status(400, "Invalid content type. image_url is only supported by certain models."),
        Fault.status(400, "bad request"),
        Fault.status(404, "No endpoints found that support image input"),
        Fault.status(500, "image input is not supported - hint: you may need to provide the mmproj"),
    ],
)
@pytest.mark.slow
def test_a_server_that_refuses_pictures_is_asked_without_them(evenhand_command, server, tmp_path, fault):
    """It is remembered: pictures of submissions that come later are not even sent. Each scorecard says so."""
    plain = server.answer
    server.answer = lambda asked: fault if _pictures(asked.body["messages"][1]["content"]) else plain(asked)
    for number in range(9):
        (tmp_path / f"{number}.md").write_text(f"Text {number} about how prices fell too.\n\n![](chart.png)\n")
    names = [f"{number}.md" for number in range(9)]
    ran = _judge(evenhand_command, server, tmp_path, *names, "--set", "judge.concurrency=1", "--format", "jsonl")
    assert "refuses images" in ran.err
    for line in ran.out.splitlines():
        card = json.loads(line)
        assert card["final"] is not None
        assert "1 image not passed to openai:gpt-4o: the server refuses them" in " ".join(card["warnings"])
    assert sum(bool(_pictures(turn)) for turn in _about_the_work(server)) <= 4  # those that were under way at once
    assert all("could not be passed" in turn for turn in _about_the_work(server) if isinstance(turn, str))


@pytest.mark.slow
def test_one_refused_picture_does_not_switch_off_the_others(evenhand_command, server, tmp_path):
    """A damaged picture is about one submission."""
    plain = server.answer
    bad = base64.b64encode(png(shade=7)).decode()
    fault = Fault.status(400, "Could not process image")
    server.answer = lambda asked: fault if bad in json.dumps(asked.body) else plain(asked)
    (tmp_path / "bad.png").write_bytes(png(shade=7))
    (tmp_path / "a.md").write_text("First, about how prices fell in March.\n\n![](bad.png)\n")
    ran = _judge(evenhand_command, server, tmp_path, "--set", "judge.concurrency=1", "--format", "jsonl")
    more = evenhand_command(
        "judge", "a.md", "answer.md", "--judge", "openai:gpt-4o", "--base-url", server.url, "--set", "judge.fresh=true",
        "--set", "judge.concurrency=1", "--format", "jsonl",
    )  # fmt: skip
    assert ran.code == more.code == 0
    first, second = map(json.loads, more.out.splitlines())
    assert "refuses one of them: Could not process image" in " ".join(first["warnings"])
    assert "1 image passed" in " ".join(second["warnings"])


def test_show_prompt_lists_pictures_without_their_data(evenhand_command, server, tmp_path):
    """A line with place, type, size and hash."""
    ran = _judge(evenhand_command, server, tmp_path, "--set", "judge.show_prompt=true")
    assert f"1. In the output: image/png, 2 x 1 pixels, {len(PNG)} bytes, SHA-256 {HASH}" in ran.out
    assert BASE64 not in ran.out and server.count == 0


@pytest.mark.slow
def test_a_dry_run_counts_pictures(evenhand_command, server, tmp_path):
    """A large one takes more tokens than a small one."""
    small, large = (
        json.loads(_judge(evenhand_command, server, tmp_path, "--dry-run", image=picture).out)["judges"][0][
            "input_tokens"
        ]
        for picture in (png(), png(1500, 1500))
    )
    assert large - small > 1_000


@pytest.mark.slow
def test_a_recording_with_pictures_can_be_replayed(evenhand_command, server, tmp_path):
    """It knows that its judge was given pictures."""
    first = _judge(evenhand_command, server, tmp_path, "--set", "judge.record=seen.jsonl", "--store", "none")
    again = evenhand_command(
        "judge", "answer.md", "--judge", "replay:seen.jsonl", "--format", "json", "--store", "none"
    )
    assert json.loads(again.out)["final"] == json.loads(first.out)["final"] is not None


def test_anthropic_is_passed_a_picture_through_the_python_api(fake_server, tmp_path, monkeypatch):
    """Over a socket, as a block with a base64 source."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KEY_FOR_TEST", "secret-key-of-the-test")
    text = f'[judges.mine]\nbase_url = "{fake_server.url}"\nkind = "anthropic"\nkey_env = "KEY_FOR_TEST"\n'
    (tmp_path / "evenhand.toml").write_text(text)
    fake_server.answer = _anthropic
    submission = Submission(output=ANSWER, images=(image_of(PNG),))
    card = flat_calls.judge(submission, judges="mine:claude-sonnet-4-5")
    assert card.final is not None and any("1 image passed" in text for text in card.warnings)
    sent = [json.dumps(asked.body) for asked in fake_server.asked if "prices fell" in json.dumps(asked.body)]
    assert sent and all(f'"data": "{BASE64}"' in body for body in sent)


def _anthropic(asked: Asked) -> Step:
    reply = {
        "model": "claude",
        "content": [{"type": "text", "text": reply_text(read_prompt(asked.body))}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 9, "output_tokens": 9},
    }
    return Step(body=json.dumps(reply).encode())
