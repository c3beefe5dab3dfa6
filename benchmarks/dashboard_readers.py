"""Readers of a dashboard, all at once: each opens one page after another, like people who follow links."""

from __future__ import annotations

import http.client
import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

CONNECTION_SECONDS = 60


class Answered(NamedTuple):
    """One request."""

    what: str
    """Its page, or what a reviewer did."""
    seconds: float
    problem: str
    """What went wrong; empty if nothing did."""


class Reader:
    """Someone with a token who opens pages."""

    def __init__(self, port: int, token: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=CONNECTION_SECONDS)
        self._headers = {"Authorization": f"Bearer {token}"}

    def open(self, address: str) -> Answered:
        """Open a page to its last byte."""
        begun = time.monotonic()
        problem = ""
        try:
            self._connection.request("GET", address, headers=self._headers)
            answer = self._connection.getresponse()
            answer.read()
            if answer.status != 200:
                problem = str(answer.status)
        except (OSError, http.client.HTTPException) as error:
            problem = type(error).__name__
            self._connection.close()
        return Answered(address.partition("?")[0], time.monotonic() - begun, problem)

    def close(self) -> None:
        self._connection.close()


def read_alone(port: int, token: str, pages: Sequence[str], times: int) -> list[Answered]:
    """A single reader opens every page so many times, after once to warm up."""
    reader = Reader(port, token)
    for address in pages:
        reader.open(address)
    answers = [reader.open(address) for _ in range(times) for address in pages]
    reader.close()
    return answers


def read_until(end: float, seed: int, reader: Reader, pages: Sequence[str]) -> list[Answered]:
    """Open pages in any order until a moment, with a short pause after each."""
    chance = random.Random(seed)
    answers = []
    while time.monotonic() < end:
        answers.append(reader.open(chance.choice(pages)))
        time.sleep(chance.uniform(0.2, 1.0))
    reader.close()
    return answers


def together(jobs: Sequence[Callable[[], list[Answered]]]) -> list[Answered]:
    """Run jobs at once, each in a thread; their answers. A job that raises is an answer with a problem."""
    answers: list[Answered] = []

    def run(job: Callable[[], list[Answered]]) -> None:
        try:
            answers.extend(job())
        except Exception as error:
            answers.append(Answered("(stopped)", 0.0, f"{type(error).__name__}: {error}"))

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers
