"""Other evaluation tools from their registries, installed once into a folder outside the repository.

The folder is EVENHAND_TOOLS, or one in the user's cache. Tests that need a tool are skipped with a message when it
cannot be installed. Of several processes that need one at once the first installs it, in a folder that is renamed when
it is whole; the others wait.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

MOST_SECONDS = 800
"""How long an installation may take: once on a machine, and on a busy one minutes."""
NOT_INSTALLED: dict[str, str] = {}
"""What could not be installed, and why: not tried again by the same process."""


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
    npm = shutil.which("npm")
    path = Path("node_modules", file)
    if npm is None and not (_folder(package) / path).exists():
        pytest.skip(f"npm is not installed, so {package} is not tested")
    command = [str(npm), "install", "--no-audit", "--no-fund", package, "--prefix"]
    return _installed(package, path, lambda folder: [*command, str(folder)]) / path


def python_tool(package: str, module: str, *options: str) -> Path:
    """A folder for PYTHONPATH that holds a Python package and, without other options for pip, what it needs."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", *options, package, "--target"]
    return _installed(package, Path(module), lambda folder: [*pip, str(folder)])


def _installed(package: str, part: Path, command: Callable[[Path], list[str]]) -> Path:
    """The folder of a package, installed by a command into a folder unless a part of it is there."""
    folder = _folder(package)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{package}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / part).exists():
            unfinished = folder.with_name(f"{package}.unfinished")
            for leftover in (unfinished, folder):
                shutil.rmtree(leftover, ignore_errors=True)
            unfinished.mkdir()
            _install(package, command(unfinished))
            unfinished.rename(folder)
    return folder


def _install(package: str, command: list[str]) -> None:
    if package in NOT_INSTALLED:
        pytest.skip(NOT_INSTALLED[package])
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=MOST_SECONDS)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        words = (error.stderr or b"").decode(errors="replace").strip()[-200:]
        NOT_INSTALLED[package] = f"{package} cannot be installed from its registry: {words}"
        pytest.skip(NOT_INSTALLED[package])
