"""What a test suite that does not use the pytest plug-in pays for it, as a share of pytest's own start-up.

python benchmarks/pytest_start_up.py [--rounds 60]

Builds evenhand and pytest-evenhand, unpacks them beside a bare pytest, and runs one empty test with and without
pytest-evenhand, in turn. Processor time counts: other programs on the machine disturb it less than the clock.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path
from statistics import median

from measuring import PROJECT, PYTHON, interleaved, table, verdict

MOST = 1.0
"""Per cent of pytest's start-up."""

_START = "import sys; sys.path[1:1] = sys.argv[1].split(';'); import pytest; sys.exit(pytest.main(sys.argv[2:]))"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60, help="how often each command is run")
    rounds = max(15, parser.parse_args().rounds)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pytest, evenhand, plugin = _bare_pytest(folder), *_installed(folder)
        test = folder / "test_nothing.py"
        test.write_text("def test_nothing(): pass\n", encoding="utf-8")
        start = [PYTHON, "-S", "-c", _START]
        arguments = ["-q", "-p", "no:cacheprovider", "--rootdir", str(folder), "-c", os.devnull, str(test)]
        commands = {
            "without": [*start, f"{pytest};{evenhand}", *arguments],
            "with": [*start, f"{pytest};{evenhand};{plugin}", *arguments],
        }
        runs = interleaved(commands, rounds, folder)
    seconds = {name: [run.cpu_seconds for run in taken] for name, taken in runs.items()}
    without, with_plugin = (median(seconds[name]) for name in commands)
    paired = median(b - a for a, b in zip(seconds["without"], seconds["with"], strict=True))
    share = 100 * paired / without
    print(f"One empty test in a bare pytest, processor time, medians of {rounds} interleaved runs\n")
    rows = [
        ("pytest", f"{without * 1000:.0f} ms", "", "", ""),
        (
            "pytest with pytest-evenhand",
            f"{with_plugin * 1000:.0f} ms",
            f"{share:+.2f} %",
            f"at most {MOST:.0f} %",
            verdict(share <= MOST),
        ),
    ]
    print(table(("", "here", "difference", "target", ""), rows))


def _installed(folder: Path) -> tuple[Path, Path]:
    """evenhand and pytest-evenhand, each installed into a folder of its own, without what they depend on."""
    places = []
    copy = folder / "copy"  # a build leaves files beside the sources
    shutil.copytree(PROJECT, copy, ignore=shutil.ignore_patterns(".*", "__pycache__", "build", "tests", "docs"))
    shutil.copytree(PROJECT / "docs" / "images", copy / "docs" / "images")
    for source, name in ((copy, "evenhand"), (copy / "packages" / "pytest-evenhand", "plugin")):
        quiet = [PYTHON, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        built = folder / f"{name}-wheel"
        subprocess.run([*quiet, "wheel", "--no-deps", "--no-build-isolation", "-w", built, source], check=True)
        subprocess.run([*quiet, "install", "--no-deps", "--target", folder / name, *built.iterdir()], check=True)
        places.append(folder / name)
    return places[0], places[1]


def _bare_pytest(folder: Path) -> Path:
    """pytest and what it needs, linked from this environment, and nothing else."""
    bare = folder / "pytest"
    bare.mkdir()
    for name in ("pytest", "pluggy", "iniconfig", "packaging", "pygments"):
        files = distribution(name).files or ()
        tops = {file.parts[0] for file in files if file.parts[0] not in ("..", "__pycache__")}
        for top in tops:
            (bare / top).symlink_to(Path(str(distribution(name).locate_file(top))))
    return bare


if __name__ == "__main__":
    sys.exit(main())
