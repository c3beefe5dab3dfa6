"""One HTTP client for every provider that is a server: limits, retries, time-outs, a circuit breaker; no redirects.

A call holds one of the provider's slots from its first attempt to its last, including waits, so a server that answers
"too many" gets fewer and fewer requests without a special rule. Nothing is sent anywhere but to the configured address.
Exceptions contain neither the key nor the request: failures are passed as values, and no aiohttp exception is chained.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import urlsplit

from evenhand.core.receipt import quoted
from evenhand.in_words import duration
from evenhand.providers.exchange import CallFailed, WrittenSchema
from evenhand.providers.hooks import Hooks
from evenhand.providers.http.failures import Failed, connection_failure, http_failure, parsed
from evenhand.providers.keys import Key
from evenhand.providers.limits import Limits, Pace, Slots, Timeouts, Timing

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

Value = TypeVar("Value")
Method = Literal["GET", "POST"]
JSON = "application/json"

FIRST_WAIT, LONGEST_WAIT, LONGEST_WAIT_FOR_START = 0.5, 30.0, 5.0
"""Seconds: the longest wait after the first failure, after any, and between two looks at a server that is not ready."""


NOTICE_AFTER, NOTICE_EVERY = 15.0, 60.0
"""Seconds of nothing but "too many requests" until the user hears of it, and then from one notice to the next."""

_ENCODER = json.JSONEncoder(ensure_ascii=False)
_LIMITS, _TIMEOUTS, _TIMING, _HOOKS = Limits(), Timeouts(), Timing(), Hooks()


class Client:
    """A client for one server. Create it anywhere; use it in one event loop."""

    def __init__(
        self,
        name: str,
        address: str,
        *,
        headers: Mapping[str, str] | None = None,
        key: Key | None = None,
        limits: Limits = _LIMITS,
        timeouts: Timeouts = _TIMEOUTS,
        timing: Timing = _TIMING,
        proxy: str | None = None,
        hooks: Hooks = _HOOKS,
    ) -> None:
        self._name = name
        self.hooks = hooks
        self._base, _, self._query = address.rstrip("/").partition("?")
        parts = urlsplit(self._base)
        self._server = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        self._headers = dict(headers or {})
        self._key = key
        self._limits = limits
        self._timeouts = timeouts
        self._timing = timing
        self._proxy = proxy
        self._slots = Slots(limits.concurrency)
        per_minute, tokens = limits.requests_per_minute, limits.tokens_per_minute
        self._requests = Pace(per_minute, timing) if per_minute else None
        self._tokens = Pace(tokens, timing) if tokens else None
        self._breaker = Breaker(name, timing)
        self._session: ClientSession | None = None
        self._waiting_for_start = False  # whether the user was informed
        self._answered = False  # a server that has answered is not loading any more
        self._limited_since: float | None = None  # since when every answer is "too many requests"
        self._next_notice = 0.0

    @property
    def counts_tokens(self) -> bool:
        """Whether there is a limit on tokens per minute."""
        return self._tokens is not None

    async def post(
        self,
        path: str,
        body: Mapping[str, Any],
        read: Callable[[Any], Value],
        *,
        tokens: int = 0,
        used: Callable[[Value], int | None] = lambda value: None,
        retry: bool = False,
    ) -> Value:
        """What `read` returns for the JSON in the response. A ValueError from it means a bad reply, which is retried.

        `tokens` is the most the call may use, for the limit on tokens per minute; `used` gives the actual number.
        `retry` says that the same question was sent before, in another form.
        """
        data = written(body).encode(errors="replace")  # half a surrogate pair cannot be sent
        async with self._slots:
            entry = await self._tokens.take(tokens) if self._tokens is not None else None
            value = await self._until_answered("POST", path, data, read, retry=retry)
            really = used(value)
            if self._tokens is not None and entry is not None and really is not None:
                self._tokens.correct(entry, really)
            return value

    async def look(self, path: str, read: Callable[[Any], Value]) -> Value:
        """One GET without retries, to see whether the server answers."""
        outcome = await self._attempt("GET", path, None, read)
        if isinstance(outcome, Failed):
            raise outcome.error(self._name)
        return outcome

    async def get(self, path: str, read: Callable[[Any], Value]) -> Value:
        """What `read` returns for the JSON at a path; retried like a call."""
        return await self._until_answered("GET", path, None, read, retry=False)

    async def send_once(self, path: str, data: bytes, read: Callable[[Any], Value], kind: str = JSON) -> Value | Failed:
        """One POST without retries, for requests that must not be made twice; a failure is returned."""
        return await self._attempt("POST", path, data, read, kind)

    async def lines(self, path: str) -> AsyncIterator[bytes]:
        """The lines of a file at a path, however long it is, without the key."""
        session, rest = self._session or self._connect(), b""
        failed: Failed | None = None
        try:
            async with session.get(self._url(path), allow_redirects=False, proxy=self._proxy) as response:
                if response.status != 200:
                    content = await self._content(response)
                    headers, now = response.headers, self._timing.epoch_seconds()
                    body = content if isinstance(content, bytes) else b""
                    failed = http_failure(response.status, headers, body, key=self._key, now=now)
                else:
                    async for piece in response.content.iter_any():
                        *whole, rest = (rest + piece).split(b"\n")
                        for line in whole:
                            yield self._scrubbed(line)
        except Exception as error:
            failed = connection_failure(error, self._timeouts, self._name.partition(":")[0], self._server)
        if failed is not None:
            raise failed.error(self._name)
        if rest.strip():
            yield self._scrubbed(rest)

    async def close(self) -> None:
        """Close connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _until_answered(
        self, method: Method, path: str, data: bytes | None, read: Callable[[Any], Value], *, retry: bool
    ) -> Value:
        start: float | None = None
        tries = put_off = 0
        while True:
            if retry or start is not None:
                self.hooks.before_retry()
            if self._requests is not None:
                await self._requests.take()
            start = start or self._timing.elapsed()
            outcome = await self._guarded(method, path, data, read, start + self._limits.patience)
            if not isinstance(outcome, Failed):
                return outcome
            if outcome.put_off:
                put_off += 1
            else:
                tries += 1
            wait = self._wait(outcome, tries, put_off)
            patience = self._limits.not_ready if outcome.not_ready else self._limits.patience
            if wait is None or self._timing.elapsed() + wait > start + patience:
                raise self._given_up(outcome).error(self._name, tries + put_off)
            if outcome.not_ready and not self._waiting_for_start:
                self._waiting_for_start = True
                self.hooks.notice(
                    f"{self._name} is not ready: {outcome.reason}; waiting for up to {duration(patience)}"
                )
            if outcome.kind == "limited":
                self._note_limit(outcome.reason)
            await self._timing.sleep(wait)

    def _note_limit(self, reason: str) -> None:
        """Tell the user now and then that the server keeps answering "too many requests"."""
        now = self._timing.elapsed()
        if self._limited_since is None:
            self._limited_since, self._next_notice = now, now + NOTICE_AFTER
        elif now >= self._next_notice:
            self._next_notice = now + NOTICE_EVERY
            waited, most = duration(now - self._limited_since), duration(self._limits.patience)
            self.hooks.notice(f"{self._name} limits requests ({reason}); no reply for {waited}, gives up after {most}")

    def _given_up(self, failed: Failed) -> Failed:
        """The last failure of a call, with how long the server asked to wait; that concerns every other call too."""
        wait = failed.retry_after or 0.0
        if wait > self._limits.patience:
            failed = failed._replace(reason=f"{failed.reason}; it asks for a wait of {duration(wait)}")
        elif failed.not_ready:
            failed = failed._replace(reason=f"{failed.reason}; not ready after {duration(self._limits.not_ready)}")
        elif failed.kind == "limited" and self._limited_since is not None:
            # It answered nobody for as long as one call may wait: the next ones would wait as long, and in vain.
            waited = duration(self._timing.elapsed() - self._limited_since)
            failed = failed._replace(reason=f"{failed.reason}; limited without a reply for {waited}")
            self._breaker.trip(failed.reason, 2 * self._limits.patience)  # longer than a call begun soon would wait
        elif failed.kind == "limited":
            self._breaker.failure(failed.reason)
        if wait > self._limits.patience or failed.not_ready:
            self._breaker.trip(failed.reason, wait)
        return failed

    async def _guarded(
        self, method: Method, path: str, data: bytes | None, read: Callable[[Any], Value], deadline: float
    ) -> Value | Failed:
        """One attempt, if the circuit breaker allows it; reports the outcome to the breaker."""
        probe = await self._breaker.enter(deadline)
        try:
            outcome = await self._attempt(method, path, data, read)
        except BaseException:
            if probe:
                self._breaker.abandon()
            raise
        if isinstance(outcome, Failed) and outcome.not_ready and self._answered:
            outcome = outcome._replace(not_ready=False)
        if not isinstance(outcome, Failed):
            self._answered, self._limited_since = True, None
        if not isinstance(outcome, Failed) or not outcome.counts:
            self._breaker.success()
        elif probe or not outcome.not_ready:
            self._breaker.failure(outcome.reason, probe=probe)
        return outcome

    def _wait(self, failed: Failed, tries: int, put_off: int) -> float | None:
        """Seconds until the next attempt: what the server asked for, plus full jitter; None when there is none."""
        allowed = self._limits.timeout_tries if failed.kind == "timeout" else self._limits.tries
        if not failed.again or tries >= allowed:
            return None
        longest = LONGEST_WAIT_FOR_START if failed.not_ready else LONGEST_WAIT
        most: float = min(FIRST_WAIT * 2 ** (tries + put_off - 1), longest)
        return (failed.retry_after or 0.0) + self._timing.chance() * most

    async def _attempt(
        self, method: Method, path: str, data: bytes | None, read: Callable[[Any], Value], kind: str = JSON
    ) -> Value | Failed:
        """One request and its reply, or what went wrong, as a value."""
        session = self._session or self._connect()
        headers = None if kind == JSON else {"Content-Type": kind}
        try:
            async with session.request(
                method, self._url(path), data=data, headers=headers, allow_redirects=False, proxy=self._proxy
            ) as response:
                content = await self._content(response)
                if isinstance(content, Failed):
                    return content
                status, reply_headers = response.status, response.headers
        except Exception as error:  # may contain the key, so it is replaced by a message of our own
            return connection_failure(error, self._timeouts, self._name.partition(":")[0], self._server)
        if not 200 <= status < 300:
            return http_failure(status, reply_headers, content, key=self._key, now=self._timing.epoch_seconds())
        try:
            return read(parsed(content))
        except (ValueError, RecursionError) as error:
            return self._unreadable(error, reply_headers.get("Content-Type", ""))

    def _url(self, path: str) -> str:
        base, separator = f"{self._base}/{path}", "&" if "?" in path else "?"
        return f"{base}{separator}{self._query}" if self._query else base

    def _unreadable(self, error: Exception, kind: str) -> Failed:
        decoding = isinstance(error, json.JSONDecodeError | UnicodeDecodeError | RecursionError)
        reason = f"the reply is not JSON ({kind or 'of no stated type'})" if decoding else str(error)
        return Failed(self._key.scrub(reason) if self._key else reason, "server", again=True, counts=True)

    async def _content(self, response: ClientResponse) -> bytes | Failed:
        """The whole body, up to the limit, whatever length the server stated; any copy of the key is removed."""
        pieces, size = [], 0
        while piece := await response.content.readany():
            pieces.append(piece)
            size += len(piece)
            if size > self._limits.largest:
                response.close()
                mib = self._limits.largest / 1024 / 1024
                return Failed(f"the reply is larger than the limit of {mib:g} MiB", "server", counts=True)
        return self._scrubbed(b"".join(pieces))

    def _scrubbed(self, content: bytes) -> bytes:
        return self._key.scrub_bytes(content) if self._key is not None else content

    def _connect(self) -> ClientSession:
        import aiohttp  # slow to import, so only when a server is asked

        from evenhand._version import __version__

        timeouts = self._timeouts
        self._session = aiohttp.ClientSession(
            # We limit concurrency ourselves; aiohttp verifies certificates by default.
            connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
            timeout=aiohttp.ClientTimeout(
                total=timeouts.total, connect=timeouts.connect, sock_read=timeouts.first_byte, ceil_threshold=60
            ),
            headers={
                "Content-Type": JSON,
                "Accept": "application/json",
                "Accept-Encoding": "identity",  # replies are small, and no decompression bomb is possible
                "User-Agent": f"evenhand/{__version__}",
                **self._headers,
            },
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,  # it would also read .netrc and send those credentials instead of the key
        )
        return self._session


def written(value: Any) -> str:
    """A value as JSON; a schema with cached JSON is not serialised again."""
    if isinstance(value, WrittenSchema):
        return value.text
    kind = type(value)
    if kind is str:
        return quoted(value)
    if kind is int:  # an encoder of its own for every number would take most of the time
        return str(value)
    if kind is list:
        return "[" + ", ".join(map(written, value)) + "]"
    if kind is dict:
        return "{" + ", ".join([f"{quoted(key)}: {written(item)}" for key, item in value.items()]) + "}"
    return _ENCODER.encode(value)


THRESHOLD = 10
COOL_DOWN = 15.0
LONGEST = 60.0
WAITED_FOR = 3


class Breaker:
    """One per provider."""

    def __init__(self, name: str, timing: Timing, *, threshold: int = THRESHOLD, cool_down: float = COOL_DOWN) -> None:
        self._name = name
        self._timing = timing
        self._threshold = threshold
        self._cool_down = cool_down
        self._in_a_row = 0
        self._answered = False
        self._open_until: float | None = None
        self._probes_failed = 0
        self._probing = False
        self._reason = ""
        self._stated = False  # whether the provider itself said that it is unavailable
        self._changed = asyncio.Event()

    async def enter(self, deadline: float) -> bool:
        """Wait until a call may be sent; True if it is the probe. CallFailed when waiting would not help."""
        while self._open_until is not None:
            now = self._timing.elapsed()
            if now >= self._open_until and not self._probing:
                self._probing = True
                return True
            if not self._answered or self._probes_failed >= WAITED_FOR or self._open_until > deadline:
                raise self._refusal()
            # Woken or not, the loop looks again: the probe may have failed, or another call may have become the probe.
            if self._probing:
                await self._changed.wait()
            else:
                await self._timing.sleep(self._open_until - now)
        return False

    def success(self) -> None:
        """A reply arrived: close the breaker."""
        self._in_a_row = 0
        self._answered = True
        if self._open_until is not None:
            self._open_until = None
            self._stated = False
            self._probes_failed = 0
            self._release_waiters()

    def failure(self, reason: str, *, probe: bool = False) -> None:
        """An attempt failed."""
        self._in_a_row += 1
        self._reason = reason
        if probe:
            self._probes_failed += 1
        if probe or (self._open_until is None and self._in_a_row >= self._threshold):
            pause = min(self._cool_down * 2**self._probes_failed, LONGEST)
            self._open_until = self._timing.elapsed() + pause
            self._release_waiters()

    def trip(self, reason: str, seconds: float = 0.0) -> None:
        """Open at once, for as long as the provider asked, because further calls would have to wait as well."""
        self._stated = True
        self._reason = reason
        until = self._timing.elapsed() + max(seconds, self._cool_down)
        self._open_until = max(until, self._open_until or until)
        self._release_waiters()

    def abandon(self) -> None:
        """A probe was cancelled without a result; the next call becomes the probe."""
        self._release_waiters()

    def _release_waiters(self) -> None:
        # A new event for those who come later: one that was cleared again could be missed by a waiter that has not run.
        self._probing = False
        self._changed.set()
        self._changed = asyncio.Event()

    def _refusal(self) -> CallFailed:
        if self._stated:
            return CallFailed(f"{self._name}: not asked: {self._reason}", kind="unreachable")
        reason = f"{self._name}: {self._reason} ({self._in_a_row} failures in a row, so it was not asked again)"
        return CallFailed(reason, kind="unreachable")
