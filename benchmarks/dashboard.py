"""The dashboard on a large store: the first pages beside the bare queries they need, and peak memory.

python benchmarks/dashboard.py [--rows 1000000] [--rounds 15] [--store URL] [--processor]

Each page is compared with rendering it from values in memory. The bare queries are the very statements that it runs, on
a connection of the database's own driver. What else a page takes is reading (rows into what the page shows), rendering,
and the exchange over HTTP with its checks. Memory is the most that the server ever held, with the rows asked for and
with 10,000. A store that is named is filled if it is empty, and measured as it is otherwise. The first opening of a
page is listed apart: figures over the same evaluations are worked out once. The last row is a file of a few lines: what
an exchange takes with nothing to read or to render. With --processor, the processor's time counts in place of the
clock's, of the server and of rendering: on a busy machine the clock says little. A database's own is not in it.
"""

from __future__ import annotations

import argparse
import http.client
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from evenhand.judges.written import judgement_from
from evenhand.judging.steps import Steps
from evenhand.store import open_store
from evenhand.store.protocol import Store
from evenhand.store.record import Record, record_of
from evenhand.web.pages.evaluations import evaluations
from evenhand.web.pages.judge_list import judges
from evenhand.web.pages.rubrics import rubrics
from evenhand.web.pages.skill import skill
from evenhand.web.pages.skill_list import skills
from evenhand.web.parameters import Parameters
from evenhand.web.rendering import Frame, Renderer
from evenhand.web.static_files import static_files
from judgement_files import typical
from measuring import PYTHON, table, verdict

FEW, SKILLS, PATTERNS = 10_000, 200, 500
MOST_TIMES = 3
"""Times rendering the same page from values in memory."""
PAGES: tuple[tuple[Callable[..., Any], str, dict[str, str]], ...] = (
    (skills, "/", {}),
    (skill, "/skill", {"name": "skill-000"}),
    (evaluations, "/evaluations", {}),
    (evaluations, "/evaluations", {"q": "cache"}),
    (judges, "/judges", {}),
    (rubrics, "/rubrics", {}),
    (rubrics, "/rubrics", {"name": "code-review"}),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000, help="evaluations in the store")
    parser.add_argument("--rounds", type=int, default=15, help="how often each page is opened")
    parser.add_argument("--store", help="a store to fill unless it is filled; a file in a temporary folder without it")
    parser.add_argument("--processor", action="store_true", help="take the processor's time instead of the clock's")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        url = options.store or str(Path(name) / "large.db")
        fill(url, options.rows)
        rows, large = _pages(url, options.rounds, processor=options.processor)
        small = str(Path(name) / "small.db")
        fill(small, FEW)
        _, little = _pages(small, 3)
    share = large / little
    rows.append(
        ("peak memory", f"{share:.2f}", "at most 1.2", verdict(share <= 1.2), f"{large / 1024:.0f} MiB", *[""] * 5)
    )
    print(f"The dashboard over {options.rows:,} evaluations, medians; the columns on the right in milliseconds\n")
    print(table(("what", "times", "target", "", "page", "first", "queries", "reading", "rendering", "HTTP"), rows))


def fill(url: str, count: int) -> None:
    """A store with so many evaluations of many skills, the first of them with a fifth of all."""
    store = open_store(url)
    assert store is not None
    store.create()
    if store.newest() is not None:
        store.close()
        return
    chance = random.Random(1)
    steps = Steps()
    patterns = [_pattern(steps, chance, place) for place in range(PATTERNS)]
    for start in range(0, count, 5_000):
        with store.transaction():
            store.add_all([_row(patterns, chance, number) for number in range(start, min(count, start + 5_000))])
    store.close()


def _pattern(steps: Steps, chance: random.Random, place: int) -> Record:
    evaluated = steps.evaluate_written(judgement_from(typical(chance, place)))
    return record_of(evaluated.card, completed=0, submission=None, keep_text=True)


def _row(patterns: list[Record], chance: random.Random, number: int) -> Record:
    pattern = patterns[number % len(patterns)]
    skill = f"skill-{0 if number % 5 == 0 else chance.randrange(SKILLS):03d}"
    moment = 1_700_000_000_000_000 + number * 1_000_000
    read = int(number % 20 > 0)
    return pattern._replace(id=f"{number:09d}", skill=skill, completed=moment, fingerprint=None, in_history=read)


def _pages(url: str, rounds: int, *, processor: bool = False) -> tuple[list[tuple[str, ...]], int]:
    """Each page beside its queries, and the server's peak memory in KiB."""
    rows = []
    store, renderer = open_store(url), Renderer()
    assert store is not None
    with served(url) as (port, process):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        cookie: dict[str, str] = {}
        clock = time.thread_time if processor else time.perf_counter
        server_clock = partial(processor_time, process.pid) if processor else time.perf_counter
        for make, path, values in PAGES:
            parameters = Parameters(path, {name: (value,) for name, value in values.items()})
            statements = _statements(url, make, parameters)
            bare, made, rendered, page = [], [], [], []
            for _ in range(rounds + 1):
                bare.append(_timed(partial(_bare, url, statements), clock)[0])
                seconds, shown = _timed(partial(make, store, parameters), clock)
                made.append(seconds)
                frame = Frame(parameters, url, False, "reader", False, "")
                rendered.append(_timed(partial(renderer.page, shown, frame), clock)[0])
                page.append(_timed(partial(_open, connection, parameters.address(), cookie), server_clock)[0])
            middle = (median(seconds[1:]) for seconds in (page, bare, made, rendered))
            rows.append(_row_of(parameters.address(), page[0], *middle))
        files = [static_files()["dashboard.js"].address] * (rounds + 1)
        exchange = median([_timed(partial(_open, connection, file, cookie), server_clock)[0] for file in files][1:])
        rows.append(("open a file", "", "", "", f"{exchange * 1000:.2f}", *[""] * 5))
        connection.close()
        peak = peak_memory(process.pid)
    store.close()
    return rows, peak


def _row_of(address: str, first: float, page: float, bare: float, made: float, rendered: float) -> tuple[str, ...]:
    times = page / rendered
    target = (f"at most {MOST_TIMES}", verdict(times <= MOST_TIMES))
    parts = (page, first, bare, max(0.0, made - bare), rendered, max(0.0, page - made - rendered))
    return (f"open {address}", f"{times:.1f}", *target, *(f"{part * 1000:.2f}" for part in parts))


def _timed(job: Callable[[], Any], clock: Callable[[], float]) -> tuple[float, Any]:
    begun = clock()
    result = job()
    return clock() - begun, result


def processor_time(process: int) -> float:
    """The seconds that all threads of a process have run, on Linux."""
    threads = Path(f"/proc/{process}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


def _statements(url: str, make: Callable[..., Any], parameters: Parameters) -> list[tuple[str, Any]]:
    """What a page asks its store."""
    store = open_store(url)
    assert isinstance(store, Store)
    noted: list[tuple[str, Any]] = []
    run = store._rows

    def note(statement: str, values: Any = ()) -> list[tuple[Any, ...]]:
        noted.append((statement, tuple(values)))
        return run(statement, values)

    store._rows = note  # type: ignore[method-assign]
    make(store, parameters)
    store.close()
    return noted


_connections: dict[str, Any] = {}


def _bare(url: str, statements: list[tuple[str, Any]]) -> None:
    """The same on a bare connection."""
    connection = _connections.get(url) or _connections.setdefault(url, _connect(url))
    mark = "%s" if "://" in url else "?"
    for statement, values in statements:
        connection.execute(statement.replace("?", mark), values).fetchall()


def _connect(url: str) -> Any:
    if "://" in url:
        import psycopg

        return psycopg.connect(url, autocommit=True)
    import sqlite3

    return sqlite3.connect(url)


def _open(connection: http.client.HTTPConnection, path: str, cookie: dict[str, str]) -> None:
    """Open a page as a browser does, which sends back the cookie that it was given."""
    connection.request("GET", path, headers=cookie)
    answer = connection.getresponse()
    body = answer.read()
    given = answer.headers.get("Set-Cookie", "").partition(";")[0]
    if given:
        cookie["Cookie"] = given
    if answer.status != 200:
        sys.exit(f"{path} gave {answer.status}: {body[:300]!r}")


@contextmanager
def served(url: str, *options: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """The dashboard as a process of its own, and its port."""
    command = [PYTHON, "-m", "evenhand", "serve", "--port", "0", "--store", url, *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.search(r"http://[^/]*:(\d+)/", line)
        if found is None:
            sys.exit(f"the dashboard did not start: {line}")
        yield int(found[1]), process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        process.stderr.close()


def peak_memory(process: int) -> int:
    """The most memory that a process ever held, in KiB."""
    status = Path(f"/proc/{process}/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s+(\d+)", status.read_text())[1])  # type: ignore[index]
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


if __name__ == "__main__":
    try:
        main()
    finally:
        for connection in _connections.values():
            with closing(connection):
                pass
