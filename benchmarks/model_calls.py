"""What a call to a model costs beside the wait: our client and bare aiohttp, against one server with a delay.

python benchmarks/model_calls.py [--calls 2000] [--rounds 5]
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import time
from collections.abc import Awaitable, Callable
from statistics import median

from evenhand.providers.exchange import Message, Request
from evenhand.providers.known import Configured
from evenhand.providers.opened_provider import open_provider
from evenhand.providers.specs import parse_spec
from measuring import PROJECT, PYTHON, table, verdict

IN_FLIGHT = 64
DELAY = "0.05"
QUESTION = Request(messages=(Message("system", "Judge."), Message("user", "some words to judge " * 300)))
MOST_MILLISECONDS, MOST_TIMES = 0.6, 1.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    command = [PYTHON, str(PROJECT / "tests" / "support" / "fake_server.py"), "--delay", DELAY]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        taken: dict[str, list[tuple[float, float]]] = {"bare aiohttp": [], "evenhand": []}
        for _ in range(options.rounds):
            taken["bare aiohttp"].append(_measured(_bare, address, options.calls))
            taken["evenhand"].append(_measured(_ours, address, options.calls))
        server.communicate()
    _print(taken, options.calls)


def _measured(ask: Callable[[str, int], Awaitable[None]], address: str, calls: int) -> tuple[float, float]:
    """Seconds by the clock on the wall, and of the processor."""
    wall, processor = time.perf_counter(), time.process_time()
    asyncio.run(_run(ask, address, calls))
    return time.perf_counter() - wall, time.process_time() - processor


async def _run(ask: Callable[[str, int], Awaitable[None]], address: str, calls: int) -> None:
    await ask(address, calls)


async def _bare(address: str, calls: int) -> None:
    import aiohttp

    slots = asyncio.Semaphore(IN_FLIGHT)
    turns = [{"role": message.role, "content": message.content} for message in QUESTION.messages]
    body = {"model": "m", "messages": turns, "max_tokens": QUESTION.max_tokens, "temperature": 0.0}
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def one() -> str:
            async with slots, session.post(f"{address}/chat/completions", json=body) as response:
                text: str = (await response.json())["choices"][0]["message"]["content"]
                return text

        await asyncio.gather(*(one() for _ in range(calls)))


async def _ours(address: str, calls: int) -> None:
    named = {"near": Configured(base_url=address, model="m", concurrency=IN_FLIGHT, key_env="KEY")}
    provider = open_provider(parse_spec("near", named), named, environment={"KEY": "0123456789abcdef"})
    await asyncio.gather(*(provider.ask(QUESTION) for _ in range(calls)))
    await provider.close()


def _print(taken: dict[str, list[tuple[float, float]]], calls: int) -> None:
    processor = {name: median(cpu for _, cpu in runs) / calls * 1000 for name, runs in taken.items()}
    wall = {name: median(seconds for seconds, _ in runs) for name, runs in taken.items()}
    times = processor["evenhand"] / processor["bare aiohttp"]
    good = processor["evenhand"] < MOST_MILLISECONDS and times <= MOST_TIMES
    rows = [
        (name, f"{processor[name]:.3f} ms", f"{wall[name]:.2f} s", verdict(good) if name == "evenhand" else "")
        for name in taken
    ]
    print(
        f"{calls} calls, {IN_FLIGHT} in flight, a server that takes {DELAY} s; {times:.2f} times the processor time\n"
    )
    print(table(("client", "processor time a call", "wall time", ""), rows))


if __name__ == "__main__":
    main()
