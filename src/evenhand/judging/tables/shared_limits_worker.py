"""The shared limits as a worker sees them: a budget, rate limits and replies that ask the server for everything."""

from __future__ import annotations

import http.client
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from evenhand.errors import Unavailable
from evenhand.judges.models.budget import Budget
from evenhand.judging.tables.shared_limits import Address
from evenhand.providers.exchange import Stopped
from evenhand.providers.limits import Timing

if TYPE_CHECKING:
    from aiohttp import ClientSession


class Line:
    """The connection of one worker to the server."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._headers = {"Authorization": f"Bearer {address.token}", "Worker": uuid4().hex}
        self._quick = http.client.HTTPConnection(address.host, address.port, timeout=60)
        self._alive = http.client.HTTPConnection(address.host, address.port)
        self._session: ClientSession | None = None
        try:
            self._alive.request("GET", "/worker", headers=self._headers)
            self._presence = self._alive.getresponse()
            self._presence.readline()
        except OSError as error:
            raise self._lost(error) from None

    def ask(self, action: str, **body: Any) -> dict[str, Any]:
        """Ask for something that takes no time."""
        data = json.dumps(body)
        for attempt in (1, 2):  # an idle connection may have been closed
            try:
                self._quick.request("POST", f"/{action}", data, self._headers)
                answer: dict[str, Any] = json.loads(self._quick.getresponse().read())
                return answer
            except (OSError, http.client.HTTPException) as error:
                self._quick.close()
                if attempt == 2:
                    raise self._lost(error) from None
        raise AssertionError

    async def wait(self, action: str, **body: Any) -> dict[str, Any]:
        """Ask for something that may have to wait."""
        from aiohttp import ClientError, ClientSession, ClientTimeout, TCPConnector

        if self._session is None:
            self._session = ClientSession(
                f"http://{self._address.host}:{self._address.port}",
                headers=self._headers,
                timeout=ClientTimeout(total=None),
                connector=TCPConnector(limit=0),
            )
        try:
            async with self._session.post(f"/{action}", json=body) as response:
                answer: dict[str, Any] = await response.json()
                return answer
        except ClientError as error:
            raise self._lost(error) from None

    async def close(self) -> None:
        """Leave."""
        if self._session is not None:
            await self._session.close()
        self._quick.close()
        self._alive.close()

    def _lost(self, error: Exception) -> Unavailable:
        return Unavailable(
            f"this executor cannot reach the run's own machine at {self._address.host}:{self._address.port}: {error}; "
            "set spark.driver.host to an address that executors can reach"
        )


class SharedBudget(Budget):
    """The budget of the whole run."""

    def __init__(self, line: Line) -> None:
        super().__init__()
        self._line = line

    def stop(self, reason: str, *, broken: bool = False) -> None:
        """Stop the whole run."""
        if self.stopped is None:
            self._line.ask("stop", reason=reason, broken=broken)
        super().stop(reason, broken=broken)

    async def reserve(self, most: Decimal | None) -> None:
        """Reserve calls from what is left for all executors."""
        answer = await self._line.wait("reserve", most=None if most is None else str(most))
        self._heed(answer)
        if not answer["result"]:
            raise Stopped(self.stopped or "the connection to the run was lost")

    def retry(self) -> None:
        """Count another attempt for all."""
        self._heed(self._line.ask("retry"))
        if self.stopped is not None:
            raise Stopped(self.stopped)

    def settle(self, most: Decimal | None, cost: Decimal | None, *, failed: bool = False) -> None:
        """Replace the reservation with the true cost, for all."""
        written = [None if amount is None else str(amount) for amount in (most, cost)]
        self._heed(self._line.ask("settle", most=written[0], cost=written[1], failed=failed))

    def _heed(self, answer: dict[str, Any]) -> None:
        if answer["stopped"] is not None:
            self.stopped, self.broken = answer["stopped"], answer["broken"]


class SharedPace:
    """A rate limit of the whole run."""

    def __init__(self, line: Line, limit: int, name: str) -> None:
        self._line, self._limit, self._name = line, limit, name

    async def take(self, amount: float = 1) -> list[float]:
        """Wait until `amount` may be used."""
        answer = await self._line.wait("take", name=self._name, limit=self._limit, amount=amount)
        return [answer["result"], amount]

    def correct(self, entry: list[float], amount: float) -> None:
        """Record what was actually used."""
        self._line.ask("correct", entry=entry[0], amount=amount)


class SharedReplies:
    """The replies of the whole run."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def get(self, key: str) -> str | None:
        """The reply stored under a key."""
        result: str | None = self._line.ask("get", key=key)["result"]
        return result

    def put(self, key: str, reply: str) -> None:
        """Store a reply; it is safe when this returns."""
        self._line.ask("put", key=key, reply=reply)

    def close(self) -> None:
        """The line is closed by its owner."""


def shared_pace(line: Line) -> Any:
    """Makes rate limits that all workers share."""

    def make(limit: int, timing: Timing, name: str = "") -> SharedPace:
        return SharedPace(line, limit, name)

    return make
