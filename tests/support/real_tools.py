"""Other evaluation tools from their registries, installed once into a folder outside the repository.

The folder is EVENHAND_TOOLS, or one in the user's cache. Tests that need a tool are skipped with a message when it
cannot be installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def _folder(name: str) -> Path:
    chosen = os.environ.get("EVENHAND_TOOLS")
    return (Path(chosen) if chosen else Path.home() / ".cache" / "evenhand-test-tools") / name


def npm_tool(package: str) -> Path:
    """The command of an npm package."""
    return _from_npm(package, f".bin/{package}")


def npm_file(package: str, file: str) -> Path:
    """A file of an npm package."""
    return _from_npm(package, f"{package}/{file}")


def _from_npm(package: str, file: str) -> Path:
    folder = _folder(package)
    path = folder / "node_modules" / file
    if not path.exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip(f"npm is not installed, so {package} is not tested")
        _install(package, [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", package], folder)
    return path


def python_tool(package: str, module: str, *options: str) -> Path:
    """A folder for PYTHONPATH that holds a Python package and, without other options for pip, what it needs."""
    folder = _folder(package)
    if not (folder / module).exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", *options]
        _install(package, [*pip, "--target", str(folder), package], folder)
    return folder


def _install(package: str, command: list[str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=300)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        shutil.rmtree(folder, ignore_errors=True)
        words = (error.stderr or b"").decode(errors="replace").strip()[-200:]
        pytest.skip(f"{package} cannot be installed from its registry: {words}")
