"""What `evenhand trust agree` takes for 8,000 items by two people and a judge: processor time and peak memory.

python benchmarks/agree.py [--items 8000]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path
from random import Random

from measuring import EVENHAND, verdict

SECONDS, MEGABYTES = 3.0, 300.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=8_000)
    items = parser.parse_args().items
    draw = Random(1)
    with tempfile.TemporaryDirectory() as folder:
        with (Path(folder) / "ratings.csv").open("w", encoding="utf-8") as file:
            print("item,human:ana,human:bob,judge:j", file=file)
            for item in range(items):
                quality = draw.gauss(6, 1.5)
                scores = (min(10, max(1, round(quality + draw.gauss(0, noise)))) for noise in (1, 1, 1.2))
                print(f"o{item}", *scores, sep=",", file=file)
        command = [EVENHAND, "trust", "agree", "ratings.csv", "--field", "final", "--scale", "1-10"]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    seconds, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    print(f"processor time {seconds:.2f} s {verdict(seconds <= SECONDS)}")
    print(f"peak memory {megabytes:.0f} MB {verdict(megabytes <= MEGABYTES)}")


if __name__ == "__main__":
    main()
