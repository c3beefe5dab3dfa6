"""One budget, one rate limit and one file of replies, shared by workers over a socket."""

from __future__ import annotations

import asyncio
import http.client
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from evenhand.errors import Unavailable
from evenhand.judges.models.budget import Budget
from evenhand.judging.tables.shared_limits import Address, SharedLimits
from evenhand.judging.tables.shared_limits_worker import Line, SharedBudget, SharedReplies, shared_pace
from evenhand.providers.exchange import Stopped
from evenhand.store.replies import SqliteReplies


@pytest.fixture
def limits(tmp_path: Path) -> SharedLimits:
    """Three calls, and one dollar."""
    return SharedLimits(Budget(max_calls=3, max_cost=Decimal(1)), SqliteReplies(tmp_path / "replies.db"))


@pytest.fixture
def address(limits: SharedLimits) -> Iterator[Address]:
    with limits.served("127.0.0.1") as served:
        yield served


def test_calls_are_counted_over_all_workers(limits: SharedLimits, address: Address):
    """Three are allowed: two by the first worker, one by the second, and the fourth by nobody."""

    async def calls() -> None:
        lines = [Line(address), Line(address)]
        first, second = map(SharedBudget, lines)
        await first.reserve(None)
        await first.reserve(None)
        await second.reserve(None)
        for budget in (first, second):
            with pytest.raises(Stopped, match="the limit of 3 calls is reached"):
                await budget.reserve(None)
            assert budget.stopped == "the limit of 3 calls is reached"
        with pytest.raises(Stopped):
            second.retry()
        for line in lines:
            await line.close()

    asyncio.run(calls())
    assert limits.budget.calls == 3


def test_a_reservation_waits_for_another_workers_settlement(limits: SharedLimits, address: Address):
    """$0.70 of $1 is reserved: $0.40 more must wait until the first call turns out to cost $0.10."""

    async def calls() -> list[str]:
        lines = [Line(address), Line(address)]
        first, second = map(SharedBudget, lines)
        order = []
        await first.reserve(Decimal("0.70"))

        async def other() -> None:
            await second.reserve(Decimal("0.40"))
            order.append("reserved")

        waiting = asyncio.create_task(other())
        await asyncio.sleep(0.1)
        order.append("settled")
        first.settle(Decimal("0.70"), Decimal("0.10"))
        await waiting
        second.settle(Decimal("0.40"), Decimal("0.20"))
        for line in lines:
            await line.close()
        return order

    assert asyncio.run(calls()) == ["settled", "reserved"]
    assert limits.budget.cost == Decimal("0.30")


def test_what_a_lost_worker_reserved_counts_as_spent(limits: SharedLimits, address: Address):
    """Its call may have been billed: $0.70 of $1 are gone, and another $0.40 are refused instead of waited for."""

    async def calls() -> None:
        lost = Line(address)
        await SharedBudget(lost).reserve(Decimal("0.70"))
        await lost.close()
        line = Line(address)
        with pytest.raises(Stopped, match=r"could exceed the limit of \$1"):
            await SharedBudget(line).reserve(Decimal("0.40"))
        await line.close()

    asyncio.run(calls())
    assert limits.budget.cost == Decimal("0.70")


def test_a_stop_reaches_every_worker(address: Address):
    """The second worker learns it with its next call."""

    async def calls() -> None:
        lines = [Line(address), Line(address)]
        first, second = map(SharedBudget, lines)
        first.stop("the key was refused", broken=True)
        with pytest.raises(Stopped, match="the key was refused"):
            await second.reserve(None)
        assert second.broken
        for line in lines:
            await line.close()

    asyncio.run(calls())


def test_a_rate_is_kept_over_all_workers(address: Address):
    """1000 tokens a minute: 800 by one worker; 300 by another have to wait, until 800 turn out to be 100."""

    async def calls() -> None:
        lines = [Line(address), Line(address)]
        first, second = (shared_pace(line)(1000, None, "model tokens") for line in lines)
        entry = await first.take(800)
        waiting = asyncio.create_task(second.take(300))
        done, _ = await asyncio.wait([waiting], timeout=0.2)
        assert not done
        waiting.cancel()
        first.correct(entry, 100)
        await second.take(300)
        for line in lines:
            await line.close()

    asyncio.run(calls())


def test_a_reply_is_seen_by_every_worker(address: Address):
    """And by the next run: it is in the file."""

    async def exchange() -> str | None:
        lines = [Line(address), Line(address)]
        first, second = map(SharedReplies, lines)
        assert second.get("key") is None
        first.put("key", "a reply")
        seen = second.get("key")
        for line in lines:
            await line.close()
        return seen

    assert asyncio.run(exchange()) == "a reply"


def test_a_stranger_gets_no_answer(address: Address):
    """The replies are private to whoever paid."""
    connection = http.client.HTTPConnection(address.host, address.port, timeout=10)
    connection.request("POST", "/get", '{"key": "key"}', {"Worker": "x", "Authorization": "Bearer guess"})
    response = connection.getresponse()
    assert (response.status, response.read()) == (401, b"")
    connection.close()


def test_a_worker_without_a_server_says_what_to_set():
    """The address of the driver is wrong more often than anything else."""
    with pytest.raises(Unavailable, match=r"cannot reach .* 127\.0\.0\.1:1: .*set spark\.driver\.host"):
        Line(Address("127.0.0.1", 1, "token"))
