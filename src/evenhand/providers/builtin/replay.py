"""Recorded replies: `Recorder` writes them as they arrive, `Replay` returns them without asking a model.

A line of the file is one exchange: `{"prompt": HASH, "nonce": TEXT, "sample": 0, "attempt": 0, "reply": {...}}`. The
nonce is kept because the reply may repeat it: a replay asks with the same one. The replies of several judges are kept
in a folder, one file for each.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from evenhand.errors import InputError, Problem
from evenhand.files.text import open_bytes, readable
from evenhand.providers.exchange import CallFailed, Reply, Request, Token
from evenhand.providers.known import Configured, KnownProvider
from evenhand.providers.prices import FREE

MISSING = "no recorded reply for this question; another prompt, rubric, task or output was asked about"
_FINISHES = ("stop", "length", "refused", "unknown")


def recording_in(folder: str, judge: str) -> str:
    """The file of a judge in a folder of recordings: `openai+gpt-4o.jsonl` for `openai:gpt-4o`."""
    return str(Path(folder, quote(judge, safe="").replace("%3A", "+") + ".jsonl"))


def reply_document(reply: Reply) -> dict[str, Any]:
    """A reply as JSON, without what is unknown or empty; the text is always there."""
    pairs = zip(Reply._fields, reply, strict=True)
    document: dict[str, Any] = {name: value for name, value in pairs if value or (value == 0 and value is not False)}
    document["text"] = reply.text
    if reply.tokens:
        document["tokens"] = [[token.text, dict(token.alternatives)] for token in reply.tokens]
    return document


def reply_from(document: Any) -> Reply:
    """The reply in a JSON document. ValueError when it is not one."""
    if not isinstance(document, dict) or not isinstance(document.get("text"), str):
        raise ValueError("reply must be an object with a text")
    unknown = document.keys() - set(Reply._fields)
    if unknown:
        raise ValueError(f"reply has no {', '.join(sorted(unknown))}")
    if document.get("finish", "stop") not in _FINISHES:
        raise ValueError(f"finish must be one of {', '.join(_FINISHES)}")
    for name in ("input_tokens", "output_tokens", "cached_tokens", "written_tokens"):
        value = document.get(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
            raise ValueError(f"{name} must be a whole number")
    if not isinstance(document.get("discounted", False), bool):
        raise ValueError("discounted must be true or false")
    for name in ("model", "instead", "unseen"):
        if not isinstance(document.get(name, ""), str):
            raise ValueError(f"{name} must be text")
    return Reply(**{**document, "tokens": tuple(map(_token, document.get("tokens", ())))})


def _token(written: Any) -> Token:
    match written:
        case [str() as text, dict() as alternatives] if all(
            isinstance(logarithm, int | float) for logarithm in alternatives.values()
        ):
            return Token(text, {name: float(logarithm) for name, logarithm in alternatives.items()})
    raise ValueError("a token is a text and its alternatives with their logarithms")


class Recorder:
    """Appends exchanges to a file, one line at a time."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        _refuse_other_files(self._path)
        self._torn = _is_torn(self._path)

    def add(
        self, prompt: str, reply: Reply, *, nonce: str, sample: int = 0, attempt: int = 0, pictures: bool = False
    ) -> None:
        """Append one exchange to the file; `pictures` says that its question has some."""
        line = {"prompt": prompt, "nonce": nonce, "sample": sample, "attempt": attempt, "reply": reply_document(reply)}
        line |= {"images": True} if pictures else {}
        text = json.dumps(line, ensure_ascii=False) + "\n"
        with readable(str(self._path)), self._path.open("a", encoding="utf-8") as file:
            file.write("\n" + text if self._torn else text)
        self._torn = False


def _refuse_other_files(path: Path) -> None:
    """InputError for a file that holds something else than exchanges: nothing is appended to what someone wrote."""
    if not path.is_file():
        return
    with readable(str(path)), path.open("rb") as file:
        first = next((line for line in file if line.strip()), b"")
    try:
        is_exchange = "prompt" in json.loads(first or b'{"prompt": ""}')
    except (ValueError, TypeError):
        is_exchange = first.startswith(b'{"prompt"')  # torn
    if not is_exchange:
        raise InputError(Problem("is not a recording, so nothing is recorded in it; name another file", str(path)))


def _is_torn(path: Path) -> bool:
    """Whether a file's last line is incomplete because its writer was interrupted."""
    if not path.is_file() or not path.stat().st_size:
        return False
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read(1) != b"\n"


class Replay:
    """A provider that only returns the replies recorded in a file."""

    price = FREE
    window = None
    no_pictures = "the recorded judge was not given any"

    def __init__(self, path: str) -> None:
        self._exchanges: dict[tuple[str, int, int], tuple[str, Reply]] = {}
        digest = hashlib.sha256()
        problems = []
        with open_bytes(path) as file, readable(path):
            for number, line in enumerate(file, start=1):
                digest.update(line)
                if line.strip():
                    try:
                        self._keep(json.loads(line))
                    except (ValueError, RecursionError) as error:
                        problems.append(Problem(f"not a recorded exchange: {_reason(error)}", path, number))
        if problems:
            raise InputError(problems[:20])
        self.identity: Mapping[str, str] = {
            "name": f"replay:{Path(path).name}",
            "provider": "replay",
            "model": Path(path).name,
            "recording": digest.hexdigest(),
        }

    def __len__(self) -> int:
        return len(self._exchanges)

    def get(self, prompt: str, sample: int = 0, attempt: int = 0) -> tuple[str, Reply] | None:
        """The nonce and the reply recorded for a question, or None."""
        return self._exchanges.get((prompt, sample, attempt))

    async def ask(self, request: Request) -> Reply:
        """Always fails: there is no model to ask."""
        raise CallFailed(f"{self.identity['name']}: {MISSING}", kind="rejected")

    async def models(self) -> tuple[str, ...]:
        """The recording itself."""
        return (self.identity["model"],)

    async def close(self) -> None:
        """Nothing to release."""

    def _keep(self, line: Any) -> None:
        match line:
            case {"prompt": str() as prompt, "nonce": str() as nonce, "reply": reply}:
                sample, attempt = line.get("sample", 0), line.get("attempt", 0)
                if not isinstance(sample, int) or not isinstance(attempt, int):
                    raise ValueError("sample and attempt must be whole numbers")
                if line.get("images") is True:
                    self.no_pictures = ""
                # The first one counts: recordings are append-only.
                self._exchanges.setdefault((prompt, sample, attempt), (nonce, reply_from(reply)))
            case _:
                raise ValueError("it needs prompt, nonce and reply")


def _reason(error: Exception) -> str:
    return (
        "it is not JSON"
        if isinstance(error, json.JSONDecodeError | UnicodeDecodeError | RecursionError)
        else str(error)
    )


def _open(spec: str, file: str, table: Configured, environment: Mapping[str, str]) -> Replay:
    return Replay(file)


PROVIDER = KnownProvider(
    "replay", "recorded replies", form="replay:FILE", place=8, kind="replay", open=_open, settings=(), takes="a file"
)
