"""The Action's first step, run as a runner does: its own script, in a copy of the repository, from nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from conftest import ROOT

import evenhand

LEFT_OUT = shutil.ignore_patterns(
    ".[!cem]*", ".coverage*", ".evenhand", ".mypy_cache", "__pycache__", "build", "dist", "*.egg-info", "*.so", "tests"
)


@pytest.mark.slow
def test_the_install_step_gives_the_command_of_this_version(tmp_path: Path):
    """Without a version asked for, the one of the action itself; its pages are there."""
    (install,) = [
        step for step in yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["runs"]["steps"]
        if step["name"] == "Install evenhand"
    ]  # fmt: skip
    shutil.copytree(ROOT, tmp_path / "action", ignore=LEFT_OUT)
    (tmp_path / "temp").mkdir()
    environment = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "GITHUB_ACTION_PATH": str(tmp_path / "action"),
        "EVENHAND_VERSION": "",
        "PIP_NO_COMPILE": "1",  # most of what comes with it is never imported here
    }
    shell = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", install["run"]]
    done = subprocess.run(shell, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    if done.returncode and "No matching distribution" in done.stderr and os.environ.get("CI") != "true":
        pytest.skip("no package index can be reached, so evenhand's dependencies cannot be installed")
    assert done.returncode == 0, done.stdout + done.stderr
    command = tmp_path / "temp" / "evenhand" / "bin" / "evenhand"
    shown = subprocess.run([command, "--version"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert shown.stdout.strip() == f"evenhand {evenhand.__version__}"
    pages = subprocess.run(
        [command, "docs", "start", "-f", "markdown"], cwd=tmp_path, env=environment, capture_output=True
    )
    assert pages.stdout.startswith(b"# Start")
