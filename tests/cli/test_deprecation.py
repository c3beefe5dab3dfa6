"""A name that goes away works and warns first; what cannot work says so."""

from __future__ import annotations

import json
import re
import sys
import tomllib

import pytest
from conftest import ROOT

import evenhand
from evenhand import __main__ as door
from evenhand.cli import main


def test_a_deprecated_command_works_and_warns(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]):
    """Standard output is that of the new name alone."""
    outputs = []
    monkeypatch.setitem(main._DEPRECATED_COMMANDS, "old-name", "docs schema")
    for words in (["docs", "schema", "judgement"], ["old-name", "judgement"]):
        monkeypatch.setattr(sys, "argv", ["evenhand", *words])
        assert main.run() == 0
        outputs.append(capfd.readouterr())
    assert outputs[0].out == outputs[1].out != ""
    assert (outputs[0].err, outputs[1].err) == (
        "",
        "warning: evenhand old-name is deprecated; use: evenhand docs schema\n",
    )


def test_a_deprecated_python_name_works_and_warns(monkeypatch: pytest.MonkeyPatch):
    """The value is that of the new name; the warning points to the caller."""
    monkeypatch.setitem(evenhand._DEPRECATED, "old_name", "DIMENSIONS")
    with pytest.warns(
        DeprecationWarning, match=r"evenhand\.old_name is deprecated; use evenhand\.DIMENSIONS"
    ) as warned:
        assert evenhand.old_name is evenhand.DIMENSIONS
    assert warned[0].filename == __file__


def test_what_is_deprecated_has_a_successor_and_is_in_the_changelog():
    """Each name, and that it will go away."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for old in (*evenhand._DEPRECATED, *main._DEPRECATED_COMMANDS):
        assert re.search(rf"deprecated.*{re.escape(old)}|{re.escape(old)}.*deprecated", changelog)
    assert set(evenhand._DEPRECATED.values()) <= set(evenhand.__all__)


def test_windows_is_refused_in_one_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Before anything is loaded that is not there; exit code 2."""
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SystemExit) as refused:
        door.main()
    assert refused.value.code == 2
    assert re.fullmatch(r"error: evenhand does not run on Windows: .*WSL.*\n", capsys.readouterr().err)


def test_one_version_everywhere():
    """The package, the citation, the plug-in for pytest, and a dated entry in the changelog."""
    version = evenhand.__version__
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    pytest_package = tomllib.loads((ROOT / "packages/pytest-evenhand/pyproject.toml").read_text(encoding="utf-8"))
    assert pytest_package["project"]["version"] == version
    assert f"evenhand=={version}" in pytest_package["project"]["dependencies"]
    plugin = (ROOT / "src/evenhand/agents/plugin/.claude-plugin/plugin.json").read_text(encoding="utf-8")
    assert json.loads(plugin)["version"] == version
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changelog, flags=re.MULTILINE)
