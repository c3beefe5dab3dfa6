"""Build the files of a release: the same commit always gives the same bytes, on any machine with the same tools.

python scripts/build_release.py [FOLDER]    builds what is committed, into FOLDER (dist by default)

Three files: the source archive, the wheel, and SHA256SUMS. EVENHAND_PROJECT_URL is the address of the repository on a
server like GitHub: with it, the metadata say where things are, and links in the description lead there. To verify a
release, check out its tag, run this with the address as in SECURITY.md, and compare the sums.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOOK = "import sys; from hatchling.build import {0}; print({0}(sys.argv[1]))"
ENVIRONMENT = {"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
WORDS_ONLY, LINKED = r"replacement = '\1'", r"replacement = '[\1]({home}/blob/v{version}/\2)'"
"""What pyproject.toml makes of a link into the repository, and what a release makes of it."""
ADDRESSES = """
[project.urls]
Homepage = "{home}"
Documentation = "{home}/blob/v{version}/docs/index.md"
Source = "{home}/tree/v{version}"
Changelog = "{home}/blob/v{version}/CHANGELOG.md"
Issues = "{home}/issues"
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist")
    for path in build(ROOT, parser.parse_args().folder, os.environ.get("EVENHAND_PROJECT_URL")):
        print(path)


def build(repository: Path, target: Path, home: str | None) -> list[Path]:
    """The files of a release, made from what is committed."""
    if home and not re.fullmatch(r"https://[\w.-]+(:\d+)?(/[\w.~-]+)+", home):
        sys.exit(f"EVENHAND_PROJECT_URL is {home!r}; give an address such as https://HOST/OWNER/NAME, or unset it")
    when = _git(repository, "log", "-1", "--format=%ct").decode().strip()
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with tarfile.open(fileobj=io.BytesIO(_git(repository, "archive", "HEAD"))) as archive:
            archive.extractall(folder / "source", filter="data")
        if home:
            _address(folder / "source", home)
        source = _hook("build_sdist", folder / "source", target, when)
        with tarfile.open(source) as archive:
            archive.extractall(folder / "unpacked", filter="data")
        (unpacked,) = (folder / "unpacked").iterdir()
        files = [source, _hook("build_wheel", unpacked, target, when)]
    sums = target / "SHA256SUMS"
    sums.write_text("".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files))
    return [*files, sums]


def _address(source: Path, home: str) -> None:
    """Put the address of the repository into a copy of the project."""
    version = re.search(r'__version__ = "(.*)"', (source / "src/evenhand/_version.py").read_text(encoding="utf-8"))
    project = source / "pyproject.toml"
    text = project.read_text(encoding="utf-8")
    assert version is not None and text.count(WORDS_ONLY) == 1
    named = {"home": home, "version": version[1]}
    text = text.replace(WORDS_ONLY, LINKED.format(**named)) + ADDRESSES.format(**named)
    project.write_text(text, encoding="utf-8")


def _git(repository: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(repository), *arguments], check=True, capture_output=True).stdout


def _hook(name: str, source: Path, target: Path, when: str) -> Path:
    """What a hook of the build system makes of a source tree. Times of files are those of the commit."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment |= {**ENVIRONMENT, "SOURCE_DATE_EPOCH": when}
    command = [sys.executable, "-c", HOOK.format(name), str(target.resolve())]
    done = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stdout}{done.stderr}")
    return target / done.stdout.split()[-1]


if __name__ == "__main__":
    main()
