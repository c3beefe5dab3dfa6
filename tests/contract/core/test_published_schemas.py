"""The published schemas are those that the package's own types give."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[3]


def test_no_published_schema_is_out_of_date():
    """As the build checks it."""
    done = subprocess.run(
        [sys.executable, "scripts/make_schemas.py", "--check"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
