"""Tables of labels as people have them, one a file: each is read right, or refused with what to do; none is misread.

A case has the options of `evenhand trust labels import`, the table, and then either every label that it holds or what
the refusal must name.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import evenhand
from contract.doors import run_here

CASES = sorted(Path(__file__).with_name("tables").glob("*.txt"))


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_a_table_is_read_right_or_refused_with_advice(case, tmp_path):
    """A refusal stores nothing, is one line for each problem, and says what to do."""
    options, _, rest = case.read_bytes().decode().partition("\n--- table\n")
    table, kind, expected = rest.rpartition("\n--- read\n")
    if not kind:
        table, kind, expected = rest.rpartition("\n--- refused\n")
    (tmp_path / "labels.csv").write_bytes(f"{table}\n".encode())
    store = evenhand.open_store(str(tmp_path / "s.db"))
    store.create()
    store.close()
    ran = run_here("trust", "labels", "import", "labels.csv", *shlex.split(options), "--store", "s.db", cwd=tmp_path)
    exported = run_here("trust", "labels", "list", "--all", "--store", "s.db", cwd=tmp_path)
    labels = [json.loads(line) for line in exported.out.splitlines()]
    found = [" ".join(label[name] for name in ("item", "rater", "field", "value")) for label in labels]
    if "read" in kind:
        assert (ran.code, ran.err.count("error")) == (0, 0), ran.err
        assert sorted(found) == sorted(expected.splitlines())
    else:
        assert (ran.code, found) == (2, [])
        for part in expected.splitlines():
            assert part.replace("line ", "labels.csv:") in ran.err.replace("\n", " "), ran.err
