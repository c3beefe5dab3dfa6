"""A judge that is asked in batches: questions are gathered, submitted together, and answered within a day.

Every question has an id, the hash of everything that shapes its reply. A journal on disk says which ids are in which
batch, so a run that was killed finds its batches again, waits for them and pays for nothing twice. The first question
of a run is asked directly, so that a wrong key or an unknown parameter shows at once.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

from evenhand.core.receipt import sha256
from evenhand.errors import StoreUnavailable
from evenhand.providers.batch.batch_api import BatchApi, NotSubmitted, Result
from evenhand.providers.exchange import CallFailed, Reply, Request, Stopped
from evenhand.providers.hooks import Hooks
from evenhand.providers.http.client import written
from evenhand.providers.http.failures import Rejected, http_failure
from evenhand.providers.http.served import Served
from evenhand.providers.limits import Timing

QUIET = 1.0
"""Seconds without a new question after which those gathered are submitted."""
FIRST_LOOK, LONGEST_LOOK = 1.0, 60.0
"""Seconds between two looks at a batch: at first, and at most."""
MOST_REQUESTS, MOST_BYTES = 10_000, 50_000_000
"""The largest batch; the services allow several times as much."""
SUBMISSIONS = 3
"""How often a question is submitted that its batch did not get to."""


class OpenBatch(Protocol):
    """An entry of the journal."""

    @property
    def name(self) -> str: ...
    @property
    def batch(self) -> str | None: ...
    @property
    def created(self) -> float: ...
    @property
    def requests(self) -> int: ...
    @property
    def process(self) -> int: ...


class Journal(Protocol):
    """Where batches are noted; see store/batch_journal.py."""

    def begin(self, name: str, owner: str, requests: Sequence[str], created: float) -> list[str]: ...
    def submitted(self, name: str, batch: str) -> None: ...
    def drop(self, name: str) -> None: ...
    def open_batches(self, owner: str) -> Sequence[OpenBatch]: ...
    def requests(self, name: str) -> set[str]: ...
    def holds(self, request: str) -> bool: ...
    def collect(self, name: str, results: Iterable[tuple[str, str]]) -> None: ...
    def result(self, request: str) -> str | None: ...
    def forget(self, requests: Iterable[str]) -> None: ...
    def close(self) -> None: ...


class Batched:
    """A provider whose questions go through a batch API, at half the price."""

    batched = True

    def __init__(
        self, served: Served, api: BatchApi, journal: Journal, *, hooks: Hooks, timing: Timing | None = None
    ) -> None:
        self.identity: Mapping[str, str] = served.identity
        self.window = served.window
        self.price = served.price
        self.no_pictures = served.no_pictures
        self.status = ""
        """How far the batches are, in words."""
        self._served = served
        self._api = api
        self._journal = journal
        self._hooks = hooks
        self._timing = timing or Timing()
        self._owner = sha256(json.dumps(dict(served.identity), sort_keys=True))
        self._direct = asyncio.Lock()
        self._proven = False  # whether the server has answered in this run
        self._waiting: dict[str, asyncio.Future[None]] = {}
        self._gathered: dict[str, Request] = {}
        self._forms: dict[str, tuple[int, ...]] = {}
        self._arrived = 0
        self._used: list[str] = []
        self._worker: asyncio.Task[None] | None = None
        self._recovered = False

    async def ask(self, request: Request) -> Reply:
        """One reply, in its own time; CallFailed when there is none."""
        id = self._id(request)
        for attempt in range(SUBMISSIONS):
            kept = self._journal.result(id)
            if kept is None:
                direct = None if self._journal.holds(id) else await self._ask_directly(request)
                if direct is not None:
                    return direct
                await self._until_collected(id, request)
                kept = self._journal.result(id)
            reply = None if kept is None else self._read(id, request, Result(id, *json.loads(kept)))
            if reply is not None:
                self._used.append(id)
                return reply
            if attempt + 1 < SUBMISSIONS:
                self._hooks.before_retry()
            self._journal.forget([id])
        raise CallFailed(f"{self.identity['name']}: {SUBMISSIONS} batches ended before this question", kind="server")

    async def models(self) -> tuple[str, ...]:
        """The models the server offers."""
        return await self._served.models()

    def abandon(self, reason: str) -> None:
        """Stop waiting; batches that were submitted stay in the journal."""
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(Stopped(reason))

    async def close(self) -> None:
        """Stop looking at batches, and close connections."""
        if self._worker is not None:
            self._worker.cancel()
            with suppress(asyncio.CancelledError):
                await self._worker
        with suppress(StoreUnavailable):
            self._journal.forget(self._used)  # these replies are in the store of replies by now
        self._journal.close()
        await self._served.close()

    def _id(self, request: Request) -> str:
        messages = [[message.role, message.content] for message in request.messages]
        settings = request._replace(messages=(), schema=None)
        return sha256(written([self._owner, messages, settings]) + written(request.schema))

    async def _ask_directly(self, request: Request) -> Reply | None:
        """The reply to the first question of this run; None for all others."""
        # A wrong key or model is told now, and not after a day in which a batch of such questions fails.
        async with self._direct:
            if self._proven:
                return None
            reply = await self._served.ask(request)
            self._proven = True
            return reply

    async def _until_collected(self, id: str, request: Request) -> None:
        waiting = self._waiting.get(id)
        if waiting is None:
            waiting = self._waiting[id] = asyncio.get_running_loop().create_future()
            if not self._journal.holds(id):
                self._gathered[id] = request
            self._arrived += 1
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())
        try:
            # Shielded, since several callers may wait for one question: if one is cancelled, the others still wait.
            await asyncio.shield(waiting)
        finally:
            if waiting.done():
                self._waiting.pop(id, None)

    def _read(self, id: str, request: Request, result: Result) -> Reply | None:
        """The reply in a result; None when the question has to be submitted again. CallFailed when it was refused."""
        name = self.identity["name"]
        if result.status == 200:
            try:
                reply = self._served.read(result.body)._replace(discounted=True)
                forms = self._forms.get(id)
                return reply if forms is None else self._served.marked(reply, request, forms)
            except ValueError:
                return None
        if not 400 <= result.status < 500 or result.status in (408, 429):
            return None
        body = json.dumps(result.body).encode()
        refusal = http_failure(result.status, {}, body, key=None, now=0.0).error(name)
        forms = self._forms.get(id) or self._served.body(request)[1]
        if isinstance(refusal, Rejected) and self._served.ladders.step_down(refusal, forms, request):
            return None
        self._journal.forget([id])
        raise refusal

    # --- the worker: submits what was gathered, looks at open batches, collects those that have ended

    async def _work(self) -> None:
        try:
            if not self._recovered:
                self._recovered = True
                await self._recover()
            wait = FIRST_LOOK
            while self._waiting:
                if self._gathered:
                    await self._until_quiet()
                    await self._submit_gathered()
                    wait = FIRST_LOOK
                if not await self._collect_ended():
                    await self._timing.sleep(wait)
                    wait = min(wait * 1.5, LONGEST_LOOK)
        except (CallFailed, StoreUnavailable) as failure:
            self._give_up(str(failure))
        except Exception as error:  # nobody else would notice, and all would wait forever
            self._give_up(f"{self.identity['name']}: a batch cannot be read ({type(error).__name__}: {error})")

    def _give_up(self, reason: str) -> None:
        self._hooks.stop(f"{reason}; batches that were submitted are noted, and the same command collects them")
        self.abandon(reason)

    async def _until_quiet(self) -> None:
        arrived = -1
        while arrived != self._arrived:
            arrived = self._arrived
            await self._timing.sleep(QUIET)

    async def _submit_gathered(self) -> None:
        gathered, self._gathered = self._gathered, {}
        requests: list[tuple[str, dict[str, Any]]] = []
        size = 0
        for id, request in gathered.items():
            body, self._forms[id] = self._served.body(request)
            length = len(written(body))
            if requests and (len(requests) >= MOST_REQUESTS or size + length > MOST_BYTES):
                await self._submit(requests)
                requests, size = [], 0
            requests.append((id, body))
            size += length
        if requests:
            await self._submit(requests)

    async def _submit(self, requests: list[tuple[str, dict[str, Any]]]) -> None:
        # Noted before it is submitted, under a name that the service keeps: if this process is killed in between, the
        # next one finds the batch by its name, and no one pays for it twice.
        name = f"evenhand-{secrets.token_hex(12)}"
        created = self._timing.epoch_seconds()
        free = set(self._journal.begin(name, self._owner, [id for id, _ in requests], created))
        if not free:
            return  # another process has submitted them
        try:
            batch = await self._api.submit(name, [entry for entry in requests if entry[0] in free])
        except NotSubmitted:
            self._journal.drop(name)
            raise
        self._journal.submitted(name, batch)
        self._hooks.notice(
            f"{self.identity['name']}: batch {batch} submitted with {len(free):,} questions; it may take up to a day. "
            "Ctrl-C leaves it running, and the same command collects it"
        )

    async def _recover(self) -> None:
        """Find the batches whose submission was interrupted, or strike them out."""
        for entry in self._journal.open_batches(self._owner):
            if entry.batch is not None:
                self._hooks.notice(f"{self.identity['name']}: waiting for batch {entry.batch}, submitted earlier")
            elif not _alive(entry.process):
                known = {other.batch for other in self._journal.open_batches(self._owner)}
                batch = await self._api.find(entry.name, entry.requests, entry.created)
                if batch is None or batch in known:
                    self._drop(entry.name)
                else:
                    self._journal.submitted(entry.name, batch)

    def _drop(self, name: str) -> None:
        """Strike out a batch without results; its questions are submitted again if they are still asked."""
        ids = self._journal.requests(name)
        self._journal.drop(name)
        self._wake(ids)

    async def _collect_ended(self) -> bool:
        """Collect the batches that have ended; whether there were any."""
        entries = self._journal.open_batches(self._owner)
        states, ended = [], False
        for entry in entries:
            if entry.batch is None:
                continue
            progress = await self._api.look(entry.batch)
            states.append(f"{progress.done:,} of {progress.total:,}")
            if progress.failure:
                self._journal.drop(entry.name)
                raise CallFailed(f"{self.identity['name']}: batch {entry.batch}: {progress.failure}", kind="rejected")
            if progress.ended:
                await self._collect(entry, self._api.results(entry.batch))
                ended = True
        self.status = f"batch {', '.join(states)}" if states else ""
        if not entries:  # another process collected them
            self._wake(set(self._waiting) - set(self._gathered))
            return True
        return ended

    async def _collect(self, entry: OpenBatch, results: AsyncIterator[Result]) -> None:
        ids = self._journal.requests(entry.name)
        kept = [(result.id, json.dumps([result.status, result.body])) async for result in results if result.id in ids]
        self._journal.collect(entry.name, kept)
        self._wake(ids)

    def _wake(self, ids: Iterable[str]) -> None:
        for id in ids:
            waiting = self._waiting.pop(id, None)
            if waiting is not None and not waiting.done():
                waiting.set_result(None)


def _alive(process: int) -> bool:
    """Whether another process that was submitting still runs."""
    if process == os.getpid():
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
