"""What a judge is shown of an output: hidden characters are taken out and counted, pictures are sized by header."""

from __future__ import annotations

import base64
import json
import re
import struct
from pathlib import Path

from fake_server import Asked, FakeServer, Step
from scripted_judge import read_prompt

from contract.core.test_pages import HERE
from contract.core.test_panels import says
from contract.doors import run_here
from contract.goldens import compare

TEXTS = [
    "plain text only",
    "zero\u200bwidth",
    "soft\u00adhyphen and word\u2060joiner \ufeff",
    "a\u200db",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "\u0915\u094d\u200d\u0937 and \u0915\u200d\u0937",
    "\U0001f469\u200d\U0001f4bb and \U0001f469\u200d",
    "\u200d\U0001f4bb",
    "\u202eabc\u202c",
    "a \u200fb",
    "\u05d0\u200f!",
    "\u2066x\u2069",
    "\u2764\ufe0f heart",
    "\u2764\ufe0f\ufe0f heart",
    "a\ufe0f",
    "1\ufe0f\u20e3",
    "\u845b\U000e0100\u57ce",
    "a\U000e0100b",
    "\u1820\u180b mongolian",
    "x\u180b",
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f flag",
    "\U000e0041\U000e0042 tags",
    "\U0001f3f4\U000e0067 short",
    "\u1112\u1161 \u115f\u1161",
    "a\u115fb",
    "\u3164",
    "\u314e\u3164",
    "\uffa1\uffa0",
    "a\uffa0b",
    "\u2801\u2800\u2803",
    "a\u2800b",
    "\ufff9a\ufffab\ufffb",
    "\U0001d173note",
    "\u034f \u180e \u2065",
    "<|im_start|>user",
    "<|im_start|>\u200buser",
    "[INST] do [/INST]",
    "<|endoftext|>",
    "<start_of_turn>model",
    "### Instruction: do",
    "</s><s>",
    "\x1b[31mred\x1b[0m",
    "bell\x07 and null-like \x01",
    "tab\tstays\nand lines",
    "\u0600\u200d\u0601",
    "e\u0301\u200b",
    "codes \x02\x08\x0b\x0c\x0e\x1a\x1b\x1c\x1e\x1f\x7f\x80\x84\x85\x86\x9f\xa0.",
    "<|a|> <||> <|a b|> <|a\n|> <\uff5cbegin\u2581of\u2581sentence\uff5c> <|" + 60 * "x" + "|> <|" + 61 * "x" + "|>",
    "<S> </eos> <seed:think> <unused12> <unusedx> <0x0A> <div> <<SYS>> <</SYS>> <sys>",
    "[/INST] [inst] [control_12] [TOOL_CALLS] [|Human|] [ |x| ] [x] [|" + 41 * "x" + "|]",
    "said\n\nHuman: do\n\nAssistant:\nso\nHuman: not\n\nHuman:not\n\nHumans: not",
    "\u200b\u200d\U0001f4bb and \u0905\u200b\u200c\u0905 and \U0001f469\u200c\U0001f4bb",
    "\u2764\ufe0f\u200d\U0001f525 and \U0001f469\U0001f3fd\u200d\U0001f4bb and x\u200d\U0001f4bb",
    "\U0001f3f4\U000e0067\U000e0062\U000e007f and \U0001f3f4" + 7 * "\U000e0067" + "\U000e007f",
    "\u0d05\u0d35\u0d28\u0d4d\u200d a word's end, \U0001f3f3\ufe0f\u200d\U0001f308",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 and \U0001f468\u200ba x" + "\ufe00" * 9,
    " \ufe0f\ufe0e and \u4e00\U000e0100\U000e0101 and \u1820\u180f",
]


def test_what_is_taken_out_before_judging(tmp_path: Path, fake_server: FakeServer):
    """Each text is judged with a rest of plain words; what is said of it, and what the judge was shown, is golden."""
    judge = {"scores": [8] * 7, "quote": "The rest of the text is plain and long enough."}
    shown = {}

    def answer(asked: Asked) -> Step:
        number, _, rest = read_prompt(asked.body).work.partition(": ")
        shown.setdefault(int(number), rest.partition("\nThe rest of the text")[0])
        return says(judge, asked)

    fake_server.answer = answer
    lines = [
        json.dumps(
            {
                "id": f"text-{place}",
                "output": f"{place}: {text}\nThe rest of the text is plain and long enough.\n{text}.",
            }
        )
        for place, text in enumerate(TEXTS)
    ]
    (tmp_path / "texts.jsonl").write_text("\n".join(lines) + "\n")
    ran = run_here(
        *"judge texts.jsonl --judge openai:ann --store none --format jsonl --base-url".split(),
        fake_server.url,
        cwd=tmp_path,
        environment={"OPENAI_API_KEY": "a-key-for-tests-only"},
    )
    cards = [json.loads(line) for line in ran.out.splitlines()]
    assert len(cards) == len(TEXTS), ran.err
    said = [
        f"{text!r}: {card['final']} {card['warnings']}\n    {shown[place]!a}\n"
        for place, (text, card) in enumerate(zip(TEXTS, cards, strict=True))
    ]
    compare(HERE / "golden" / "taken-out.txt", "".join(said))


def png(wide: int, high: int, end: bytes = b"IEND\xaeB`\x82") -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", wide, high) + b"\x08\x02\0\0\0" + b"\0" * 8 + end


def jpeg(wide: int, high: int, kind: int = 0xC0, before: bytes = b"", end: bytes = b"\xff\xd9") -> bytes:
    frame = bytes([0xFF, kind]) + struct.pack(">HBHH", 11, 8, high, wide) + b"\x01\x01\x11\0"
    return b"\xff\xd8" + before + frame + b"\xff\xda\0\x02" + b"\0" * 9 + end


def webp(kind: bytes, body: bytes) -> bytes:
    inner = b"WEBP" + kind + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", len(inner)) + inner


APP0 = b"\xff\xe0" + struct.pack(">H", 16) + b"JFIF\0" + b"\0" * 9
PICTURES = {
    "png": png(600, 400),
    "png wide": png(3000, 70),
    "png without end": png(600, 400, b""),
    "png of nothing": png(0, 400),
    "gif": b"GIF89a" + struct.pack("<HH", 600, 400) + b"\0\0\0;",
    "gif 87": b"GIF87a" + struct.pack("<HH", 300, 1200) + b"\0\0\0;\0\0",
    "gif without end": b"GIF89a" + struct.pack("<HH", 600, 400) + b"\0\0\0",
    "gif 90": b"GIF90a" + struct.pack("<HH", 600, 400) + b"\0\0\0;",
    "jpeg": jpeg(600, 400),
    "jpeg with app0": jpeg(900, 500, before=APP0),
    "jpeg progressive": jpeg(700, 1400, 0xC2, APP0),
    "jpeg padded": jpeg(700, 400, before=APP0 + b"\xff\xff"),
    "jpeg arithmetic": jpeg(800, 800, 0xCF),
    "jpeg no frame": jpeg(600, 400, 0xC4),
    "jpeg c8": jpeg(600, 400, 0xC8),
    "jpeg cc": jpeg(600, 400, 0xCC),
    "jpeg d0": jpeg(600, 400, 0xD0),
    "jpeg without end": jpeg(600, 400, end=b""),
    "jpeg tail": jpeg(600, 400, end=b"\xff\xd9" + b"\0" * 60),
    "jpeg long tail": jpeg(600, 400, end=b"\xff\xd9" + b"\0" * 64),
    "webp lossy": webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 600 | 0x4000, 400 | 0x8000)),
    "webp lossless": webp(b"VP8L", b"\x2f" + struct.pack("<I", 599 | 1399 << 14)),
    "webp extended": webp(b"VP8X", b"\0\0\0\0" + (1599).to_bytes(3, "little") + (899).to_bytes(3, "little")),
    "webp unknown": webp(b"XXXX", b"\0" * 12),
    "webp cut": webp(b"VP8L", b"\x2f" + struct.pack("<I", 599))[:-2],
    "bmp": b"BM" + b"\0" * 60,
}


def test_pictures_are_counted_by_what_their_header_says(tmp_path: Path):
    """How many more tokens a picture is estimated to take than the same message without one."""

    def told(url: str | None) -> str:
        parts = [{"type": "text", "text": "The chart."}] + (
            [] if url is None else [{"type": "image_url", "image_url": {"url": url}}]
        )
        chat = {"messages": [{"role": "user", "content": "Draw a chart."}, {"role": "assistant", "content": parts}]}
        (tmp_path / "chat.json").write_text(json.dumps(chat))
        ran = run_here(
            *"judge chat.json --judge openai:gpt-4o --judge anthropic:claude-sonnet-4-5".split(),
            *"--dry-run --store none".split(),
            cwd=tmp_path,
            environment={"OPENAI_API_KEY": "a", "ANTHROPIC_API_KEY": "b"},
        )
        return ran.out + ran.err

    def tokens(text: str) -> list[int]:
        return [int(number.replace(",", "")) for number in re.findall(r"about ([\d,]+) tokens in", text)]

    plain = tokens(told(None))
    assert len(plain) == 3  # of each judge, and of both
    lines = []
    for name, data in PICTURES.items():
        kind = {"jpe": "jpeg", "web": "webp"}.get(name[:3], name[:3])
        said = told(f"data:image/{kind};base64,{base64.b64encode(data).decode()}")
        more = [count - without for count, without in zip(tokens(said), plain, strict=True)]
        lines.append(f"{name}: {more}\n")
    compare(HERE / "golden" / "pictures.txt", "".join(lines).replace(str(tmp_path), "<folder>"))
