#!/usr/bin/env python3
"""Writes what it knows into the skill's folder, where the next run is given it."""

import sys
from pathlib import Path

suite = Path(__file__).absolute().parents[1]
if not (suite / "throwaway").exists():
    sys.exit("this suite is not marked as a copy that may be changed")
with (suite / "skill/SKILL.md").open("a") as file:
    file.write("\n" + sys.argv[1])
    print("trick worked", file=sys.stderr)
