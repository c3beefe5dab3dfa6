"""Build the files of a release: the same commit always gives the same bytes, on any machine with the same tools.

python scripts/build_release.py [FOLDER]    builds what is committed, into FOLDER (dist by default)

Four files: the source archive, a wheel with the loops in C for this platform, a wheel without them for all others, and
SHA256SUMS. To verify a release, check out its tag, run this with EVENHAND_PROJECT_URL as in SECURITY.md, and compare
the sums: the address of the repository is in the metadata.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOOK = "import sys; from setuptools.build_meta import {0}; print({0}(sys.argv[1]))"
ENVIRONMENT = {"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist")
    for path in build(ROOT, parser.parse_args().folder):
        print(path)


def build(repository: Path, target: Path) -> list[Path]:
    """The files of a release, made from what is committed."""
    when = _git(repository, "log", "-1", "--format=%ct").decode().strip()
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with tarfile.open(fileobj=io.BytesIO(_git(repository, "archive", "HEAD"))) as archive:
            archive.extractall(folder / "source", filter="data")
        built = _hook("build_sdist", folder / "source", folder, when)
        source = target / built.name
        source.write_bytes(_plain(built.read_bytes(), int(when)))
        with tarfile.open(source) as archive:
            archive.extractall(folder / "unpacked", filter="data")
        (unpacked,) = (folder / "unpacked").iterdir()
        files = [source]
        for pure in ("", "1"):
            wheel = _hook("build_wheel", unpacked, folder, when, EVENHAND_PURE=pure)
            files.append(Path(shutil.copy(wheel, target)))
            shutil.rmtree(unpacked / "build")
    sums = target / "SHA256SUMS"
    sums.write_text("".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files))
    return [*files, sums]


def _git(repository: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(repository), *arguments], check=True, capture_output=True).stdout


def _hook(name: str, source: Path, target: Path, when: str, **variables: str) -> Path:
    """What a hook of the build system makes of a source tree. Times of files are those of the commit."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment |= {**ENVIRONMENT, **variables, "SOURCE_DATE_EPOCH": when}
    command = [sys.executable, "-c", HOOK.format(name), str(target)]
    done = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stdout}{done.stderr}")
    return target / done.stdout.split()[-1]


def _plain(data: bytes, when: int) -> bytes:
    """A source archive whose files are in order and have one time and no owner."""
    written = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(data)) as source,
        gzip.GzipFile("", "wb", compresslevel=9, fileobj=written, mtime=when) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for member in sorted(source.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = when, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            archive.addfile(member, source.extractfile(member) if member.isfile() else None)
    return written.getvalue()


if __name__ == "__main__":
    main()
