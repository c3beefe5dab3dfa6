"""The batch APIs of OpenAI and Anthropic: submit many requests, see how far they are, fetch the results.

Submitting is the one step that must not happen twice, since every batch is paid for. So it is never retried blindly:
when its outcome is unknown, `find` looks for the batch among those that the service lists.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from evenhand.providers.exchange import CallFailed
from evenhand.providers.http.client import Client, written
from evenhand.providers.http.failures import Failed, one_line, parsed

LISTED = 100
"""Batches that are looked through for one whose submission was interrupted."""

CLOCKS_APART = 300.0
"""Seconds by which the service's clock may be behind ours."""

_STATUS_OF = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
}


class Progress(NamedTuple):
    """How far a batch is."""

    ended: bool
    done: int
    total: int
    failure: str = ""
    """Why the batch as a whole was refused; then none of its requests was answered, or paid for."""


class Result(NamedTuple):
    """What became of one request."""

    id: str
    status: int
    """As if it had been a separate call: 200 for a reply; 0 when it was not processed."""
    body: Any


class NotSubmitted(CallFailed):
    """A batch that the service refused, so that there certainly is none."""


class BatchApi(Protocol):
    """One service's batches."""

    async def submit(self, name: str, requests: Sequence[tuple[str, dict[str, Any]]]) -> str:
        """Submit requests with their ids; the batch's own id. NotSubmitted when it was refused; any other CallFailed
        leaves open whether there is a batch."""

    async def find(self, name: str, count: int, since: float) -> str | None:
        """The id of a batch whose submission was interrupted, if there is one."""

    async def look(self, batch: str) -> Progress:
        """How far a batch is."""

    def results(self, batch: str) -> AsyncIterator[Result]:
        """The results of a batch that has ended."""


class OpenAIBatches:
    """OpenAI's: a file of requests goes up, a file of results comes down."""

    def __init__(self, client: Client, judge: str) -> None:
        self._client = client
        self._judge = judge

    async def submit(self, name: str, requests: Sequence[tuple[str, dict[str, Any]]]) -> str:
        """Upload the file, then create the batch, marked with our name for it."""
        url = "/v1/chat/completions"
        lines = [written({"custom_id": id, "method": "POST", "url": url, "body": body}) for id, body in requests]
        data, kind = _form("\n".join(lines).encode(errors="replace"), boundary=name)
        uploaded = _done(await self._client.send_once("files", data, _id, kind), self._judge, certain=True)
        order = {
            "input_file_id": uploaded,
            "endpoint": url,
            "completion_window": "24h",
            "metadata": {"evenhand": name},
        }
        return _done(await self._client.send_once("batches", written(order).encode(), _id), self._judge)

    async def find(self, name: str, count: int, since: float) -> str | None:
        """The batch that is marked with our name for it."""
        batches = await self._client.get(f"batches?limit={LISTED}", _listed)
        marked = (batch for batch in batches if (batch.get("metadata") or {}).get("evenhand") == name)
        return next((_id(batch) for batch in marked), None)

    async def look(self, batch: str) -> Progress:
        """How far a batch is."""
        document = await self._client.get(f"batches/{batch}", _object)
        counts = document.get("request_counts") or {}
        done = counts.get("completed", 0) + counts.get("failed", 0)
        status = document.get("status")
        failure = ""
        if status == "failed":
            errors = (document.get("errors") or {}).get("data") or [{}]
            failure = one_line(str(errors[0].get("message") or "no reason given"), None)
        ended = status in ("failed", "completed", "expired", "cancelled")
        return Progress(ended, done, counts.get("total", 0), failure)

    async def results(self, batch: str) -> AsyncIterator[Result]:
        """Replies and errors, which are in two files; requests that are in neither were not processed."""
        document = await self._client.get(f"batches/{batch}", _object)
        for file in (document.get("output_file_id"), document.get("error_file_id")):
            if file:
                async for line in self._client.lines(f"files/{file}/content"):
                    entry = parsed(line)
                    response = entry.get("response") or {"status_code": 0, "body": {"error": entry.get("error")}}
                    yield Result(entry["custom_id"], response["status_code"], response["body"])


class AnthropicBatches:
    """Anthropic's: the requests are in the call that creates the batch."""

    def __init__(self, client: Client, judge: str) -> None:
        self._client = client
        self._judge = judge

    async def submit(self, name: str, requests: Sequence[tuple[str, dict[str, Any]]]) -> str:
        """Create the batch. It cannot be marked with a name."""
        entries = ", ".join(written({"custom_id": id, "params": body}) for id, body in requests)
        data = f'{{"requests": [{entries}]}}'.encode(errors="replace")
        return _done(await self._client.send_once("messages/batches", data, _id), self._judge)

    async def find(self, name: str, count: int, since: float) -> str | None:
        """A batch of that size which is not older. Whether it is the right one shows in the ids of its results."""
        for batch in await self._client.get(f"messages/batches?limit={LISTED}", _listed):
            recent = _epoch(batch.get("created_at")) >= since - CLOCKS_APART
            if recent and sum((batch.get("request_counts") or {}).values()) == count:
                return _id(batch)
        return None

    async def look(self, batch: str) -> Progress:
        """How far a batch is."""
        document = await self._client.get(f"messages/batches/{batch}", _object)
        counts = document.get("request_counts") or {}
        total = sum(counts.values())
        return Progress(document.get("processing_status") == "ended", total - counts.get("processing", 0), total)

    async def results(self, batch: str) -> AsyncIterator[Result]:
        """One line for every request. They are fetched from the configured address, whatever the batch names."""
        async for line in self._client.lines(f"messages/batches/{batch}/results"):
            entry = parsed(line)
            result = entry["result"]
            if result["type"] == "succeeded":
                yield Result(entry["custom_id"], 200, result["message"])
            elif result["type"] == "errored":
                error = result["error"].get("error") or result["error"]
                yield Result(entry["custom_id"], _STATUS_OF.get(error.get("type"), 500), {"error": error})
            else:  # expired or cancelled
                yield Result(entry["custom_id"], 0, {"error": {"message": result["type"]}})


def _done(outcome: str | Failed, judge: str, *, certain: bool = False) -> str:
    """The id that a step returned. `certain`: a failure of this step submits nothing, whatever it was."""
    if not isinstance(outcome, Failed):
        return outcome
    error = outcome.error(judge)
    if certain or outcome.kind in ("rejected", "limited"):
        raise NotSubmitted(str(error), kind=error.kind)
    raise error


def _form(file: bytes, *, boundary: str) -> tuple[bytes, str]:
    """A form with a file in it, and its content type."""
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="requests.jsonl"\r\n'
        "Content-Type: application/jsonl\r\n\r\n"
    )
    return head.encode() + file + f"\r\n--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


def _object(document: Any) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise ValueError("the reply is not an object")
    return document


def _id(document: Any) -> str:
    id = _object(document).get("id")
    if not isinstance(id, str) or not id.replace("-", "").replace("_", "").isalnum():
        raise ValueError("the reply has no valid id")
    return id


def _listed(document: Any) -> list[dict[str, Any]]:
    entries = _object(document).get("data")
    if not isinstance(entries, list):
        raise ValueError("the reply is not a list of batches")
    return [entry for entry in entries if isinstance(entry, dict)]


def _epoch(text: Any) -> float:
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except ValueError:
        return 0.0
