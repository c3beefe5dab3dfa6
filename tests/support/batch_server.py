"""The batch APIs of OpenAI and Anthropic on loopback: a script for the fake server that remembers what was paid for.

batches = BatchServer(answer)          # `answer` replies to each request as it would to a call
fake_server.answer = batches.step
batches.ready = True                   # from now on, batches end
assert batches.paid == {...}           # how often each request was answered
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from fake_server import Asked, Fault, Step, said

Answer = Callable[[Asked], Step]


class BatchServer:
    """Both APIs; which one is used shows in the paths."""

    def __init__(self, answer: Answer, *, ready: bool = True) -> None:
        self.answer = answer
        self.ready = ready
        """Whether batches end as soon as they are looked at."""
        self.expire: set[int] = set()
        """The numbers of batches, from 0, whose requests are not processed."""
        self.lose_the_reply_to_submitting = False
        """Whether the connection breaks after the next batch was accepted."""
        self.refusal: Step | None = None
        """The reply to submitting, instead of a batch."""
        self.failure = ""
        """Why OpenAI's batches fail as a whole."""
        self.direct = 0
        """Calls outside batches."""
        self.looks = 0
        self.paid: Counter[str] = Counter()
        self.batches: dict[str, list[dict[str, Any]]] = {}
        self._marks: dict[str, Any] = {}
        self._files: dict[str, list[dict[str, Any]]] = {}
        self._results: dict[str, bytes] = {}

    def step(self, asked: Asked) -> Step:
        """What the server does with a request."""
        path = asked.path.removeprefix("/v1/")
        if path in ("chat/completions", "messages"):
            self.direct += 1
            return self._answer(asked)
        if asked.method == "POST":
            return self._post(path, asked)
        if path.startswith(("batches?", "messages/batches?")):
            return reply({"data": [self._shown(id) for id in reversed(self.batches)]})
        if found := re.fullmatch(r"files/out-(.*)/content", path) or re.fullmatch(
            r"messages/batches/(.*)/results", path
        ):
            return Step(body=self._results[found[1]])
        found = re.fullmatch(r"(?:messages/)?batches/(.*)", path)
        if found is None:
            return Fault.status(404)
        self.looks += 1
        if self.ready and found[1] not in self._results:
            self._process(found[1], anthropic=path.startswith("messages"))
        return reply(self._shown(found[1]))

    @property
    def sizes(self) -> list[int]:
        """How many questions are in each batch."""
        return [len(entries) for entries in self.batches.values()]

    def _answer(self, asked: Asked) -> Step:
        return self.answer(asked)

    def _post(self, path: str, asked: Asked) -> Step:
        if path == "files":
            file = f"file-{len(self._files)}"
            lines = re.search(rb"\r\n\r\n(\{.*\})\r\n--", asked.body, re.S)
            assert lines is not None and b'name="purpose"\r\n\r\nbatch' in asked.body
            self._files[file] = [json.loads(line) for line in lines[1].split(b"\n")]
            return reply({"id": file})
        if self.refusal is not None:
            return self.refusal
        id = f"batch_{len(self.batches)}"
        if path == "batches":
            assert asked.body["endpoint"] == "/v1/chat/completions" and asked.body["completion_window"] == "24h"
            self.batches[id] = self._files[asked.body["input_file_id"]]
            self._marks[id] = asked.body["metadata"]
        else:
            self.batches[id] = [
                {"custom_id": entry["custom_id"], "body": entry["params"]} for entry in asked.body["requests"]
            ]
        if self.lose_the_reply_to_submitting:
            self.lose_the_reply_to_submitting = False
            return Fault.hang_up
        return reply(self._shown(id))

    def _shown(self, id: str) -> dict[str, Any]:
        """A batch as both APIs describe it, at once."""
        total = len(self.batches[id])
        ended = id in self._results
        failed = {"data": [{"message": self.failure}]} if self.failure else None
        return {
            "id": id,
            "status": "failed" if failed else "completed" if ended else "in_progress",
            "errors": failed,
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": {"processing": 0 if ended else total, "succeeded": total if ended else 0}
            if id not in self._marks
            else {"total": total, "completed": total if ended else 0, "failed": 0},
            "metadata": self._marks.get(id),
            "output_file_id": f"out-{id}" if ended else None,
            "created_at": datetime.now(UTC).isoformat(),
        }

    def _process(self, id: str, *, anthropic: bool) -> None:
        expired = list(self.batches).index(id) in self.expire
        lines = []
        for entry in reversed(self.batches[id]):  # results come in any order
            asked = Asked("POST", "", {}, entry["body"], 0)
            step = None if expired else self._answer(asked)
            self.paid[entry["custom_id"]] += step is not None and step.status == 200
            make = _anthropic_result if anthropic else _openai_result
            lines.append(json.dumps({"custom_id": entry["custom_id"], **make(step)}))
        self._results[id] = "\n".join(lines).encode() + b"\n"


def _openai_result(step: Step | None) -> dict[str, Any]:
    if step is None:
        return {"response": None, "error": {"code": "batch_expired", "message": "expired"}}
    return {"response": {"status_code": step.status, "body": json.loads(step.body)}, "error": None}


def _anthropic_result(step: Step | None) -> dict[str, Any]:
    if step is None:
        return {"result": {"type": "expired"}}
    document = json.loads(step.body)
    if step.status == 200:
        return {"result": {"type": "succeeded", "message": document}}
    error = {"type": "invalid_request_error", "message": document["error"]["message"]}
    return {"result": {"type": "errored", "error": {"type": "error", "error": error}}}


def as_anthropic(text: str) -> Step:
    """A reply of Anthropic's with this text."""
    return said({"type": "text", "text": text})


def reply(document: Any) -> Step:
    return Step(body=json.dumps(document).encode())
