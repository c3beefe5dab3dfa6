"""The endings of files that a table or a comparison can be written to."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("name", ["table.doc", "table.latex", "table.TEXT"])
def test_an_unknown_ending_is_an_error_and_writes_nothing(evenhand_command, tmp_path, name):
    """It names the endings there are."""
    done = evenhand_command("run", "table", "latest", "-o", name)
    assert done.code == 2
    assert f"{name}: this command writes no {name[5:].lower()} file; endings: " in done.err.replace("\n", " ")
    assert ".tex" in done.err
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("name", ["table.tex", "table.csv"])
@pytest.mark.parametrize("command", ["better a b", "run suite.yaml"])
def test_a_comparison_asked_for_a_table_names_the_command_that_writes_it(evenhand_command, tmp_path, command, name):
    """An output judged by itself has none, so nothing is promised there."""
    done = evenhand_command(*command.split(), "-o", name)
    assert done.code == 2
    assert f"evenhand run table latest -o {name}." in " ".join(done.err.split())
    assert "run table" not in evenhand_command("judge", "a.md", "-o", name).err
