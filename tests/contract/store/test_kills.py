"""Four writers at one store, killed at any moment: what they were told is kept, is kept, and what is there is sound."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import evenhand
from contract.store.team import evenhand_here

WRITERS = 4
WRITE = """
import sys
from evenhand import DIMENSIONS, open_store, score
store, name, number = open_store(sys.argv[1]), sys.argv[2], 0
while True:
    number += 1
    scores = dict.fromkeys(DIMENSIONS, 6 + number % 3)
    judgement = {"skill": "notes", "scores": scores, "id": f"{name}-{number}"}
    card = score(judgement, output=f"{name} {number} " * 20, store=store)
    print(card.id, flush=True)
"""


def kill_writers(address: str, turn: int, seconds: float) -> list[str]:
    """The ids that four writers were told are kept before they were killed, the first after it was told of one."""
    command = [sys.executable, "-c", WRITE, address]
    writers = [
        subprocess.Popen([*command, f"w{turn}{number}"], stdout=subprocess.PIPE, text=True) for number in range(WRITERS)
    ]
    told = []
    try:
        assert writers[0].stdout is not None
        told.append(writers[0].stdout.readline())
        with suppress(subprocess.TimeoutExpired):
            writers[0].wait(seconds)
    finally:
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
    for writer in writers:
        assert writer.stdout is not None
        told += writer.stdout.readlines()
        writer.stdout.close()
        assert writer.wait(30) == -signal.SIGKILL
    return [line.strip() for line in told if line.endswith("\n")]


def test_everything_acknowledged_to_four_writers_is_kept(store_address: str, tmp_path: Path, long: bool):
    with closing(evenhand.open_store(store_address)) as store:
        if store_address.startswith("postgresql:"):
            store.create()
    chance, told = random.Random(4), []
    for turn in range(20 if long else 2):
        told += kill_writers(store_address, turn, chance.uniform(0, 0.5))
    with closing(evenhand.open_store(store_address)) as store:
        kept = [record.id for record in store.evaluations()]
    assert set(told) <= set(kept) and len(told) == len(set(told)) > 0
    assert len(kept) == len(set(kept))
    check = evenhand_here(tmp_path, store_address, "store", "check")
    assert (check.code, check.err) == (0, "")
