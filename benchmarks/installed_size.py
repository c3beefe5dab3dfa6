"""How much disk a plain installation takes: evenhand and everything it depends on, package by package.

python benchmarks/installed_size.py                  build a wheel, install it in a fresh environment, print sizes
python benchmarks/installed_size.py --wheel FILE     install this wheel instead
python benchmarks/installed_size.py --into FOLDER    keep the environment there

The environment has no pip of its own, so all of it is evenhand's. It needs a package index.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from importlib.metadata import Distribution, distributions
from pathlib import Path

from measuring import PROJECT, PYTHON, table, verdict

MOST = 85
"""Megabytes (MiB) that a plain installation may take."""

PIP = (PYTHON, "-m", "pip", "--disable-pip-version-check", "--quiet")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=Path, help="an evenhand wheel; without it, one is built")
    parser.add_argument("--into", type=Path, help="where to make the environment and keep it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        wheel = options.wheel or build_wheel(Path(scratch))
        environment = options.into or Path(scratch) / "environment"
        install(wheel, environment)
        report(environment)
    return 0


def build_wheel(folder: Path) -> Path:
    """A wheel of the project as it is now."""
    _run(*PIP, "wheel", "--no-deps", "--wheel-dir", str(folder), str(PROJECT))
    (wheel,) = folder.glob("evenhand-*.whl")
    return wheel


def install(wheel: Path, environment: Path) -> None:
    """The wheel and what it depends on, in an environment of its own, as a user gets it."""
    _run(PYTHON, "-m", "venv", "--without-pip", str(environment))
    _run(*PIP, "--python", str(environment / "bin" / "python"), "install", str(wheel))


def report(environment: Path) -> None:
    """The sizes on disk, largest first, and their sum."""
    (packages,) = environment.glob("lib/python*/site-packages")
    sizes = _sizes(packages)
    rows = [(name, f"{size / 2**20:.1f}") for name, size in sizes.most_common() if size >= 2**19]
    rest = sum(size for size in sizes.values() if size < 2**19)
    total = sum(sizes.values()) / 2**20
    rows += [(f"{sum(size < 2**19 for size in sizes.values())} smaller ones", f"{rest / 2**20:.1f}")]
    print(table(("package", "MB"), rows))
    print(f"\ninstalled size: {total:.1f} MB; at most {MOST} MB: {verdict(total <= MOST)}")


def _sizes(packages: Path) -> Counter[str]:
    """Blocks on disk of every file, by the distribution that brought it; compiled modules too."""
    owners = {path: _name(found) for found in distributions(path=[str(packages)]) for path in _folders(found)}
    sizes = Counter[str]()
    for path in packages.rglob("*"):
        top = path.relative_to(packages).parts[0]
        sizes[owners.get(top, top)] += path.lstat().st_blocks * 512
    return sizes


def _folders(found: Distribution) -> set[str]:
    return {path.parts[0] for path in found.files or () if path.parts[0] != ".."}


def _name(found: Distribution) -> str:
    return re.sub(r"[-_.]+", "-", found.metadata["Name"]).lower()


def _run(*command: str) -> None:
    """Without the caller's PYTHONPATH, which would show pip packages that are not in the environment."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, env=kept, check=False, text=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr.strip()}")


if __name__ == "__main__":
    sys.exit(main())
