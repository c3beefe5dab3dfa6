"""One version everywhere; where evenhand cannot run, it says so."""

from __future__ import annotations

import json
import re
import sys
import tomllib

import pytest
from conftest import ROOT

import evenhand
from evenhand import __main__ as door


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
