"""Readers of a dashboard, all at once: each opens one page after another, like people who follow links."""

from __future__ import annotations

import http.client
import random
import threading
import time
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple


class Reading(NamedTuple):
    """What the readers saw."""

    pages: int
    errors: int
    """Answers other than 200, and connections that broke."""
    median: float
    """Seconds for a page."""
    slow: float
    """Seconds within which 95 % of the pages came."""


def read_together(port: int, readers: int, seconds: float, pages: Sequence[str]) -> Reading:
    """Let so many readers open pages for so long, with a short pause after each."""
    end = time.monotonic() + seconds
    taken: list[float] = []
    errors: list[str] = []

    def read(seed: int) -> None:
        chance = random.Random(seed)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while time.monotonic() < end:
            begun = time.monotonic()
            try:
                connection.request("GET", chance.choice(pages))
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    errors.append(str(answer.status))
            except (OSError, http.client.HTTPException) as error:
                errors.append(type(error).__name__)
                connection.close()
            taken.append(time.monotonic() - begun)
            time.sleep(chance.uniform(0.2, 1.0))
        connection.close()

    threads = [threading.Thread(target=read, args=(number,)) for number in range(readers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ordered = sorted(taken)
    return Reading(len(taken), len(errors), median(ordered), ordered[int(len(ordered) * 0.95)])
