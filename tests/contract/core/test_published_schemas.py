"""The published schemas are those that the package's own types give."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import evenhand

PROJECT = Path(__file__).parents[3]


def test_no_published_schema_is_out_of_date():
    """As the build checks it."""
    done = subprocess.run(
        [sys.executable, "scripts/make_schemas.py", "--check"],
        cwd=PROJECT,
        env=os.environ | {"PYTHONPATH": str(Path(evenhand.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
