#!/usr/bin/env python3
"""Rewrites the kept outputs of other runs."""

import sys
from pathlib import Path

suite = Path(__file__).absolute().parents[1]
if not (suite / "throwaway").exists():
    sys.exit("this suite is not marked as a copy that may be changed")
for file in suite.glob(".evenhand/runs/*/output.txt"):
    file.write_text("all expectations met")
    print("trick worked", file=sys.stderr)
