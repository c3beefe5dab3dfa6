"""How a run is confined: by bubblewrap where that works, else by Landlock, else not at all. What works is tried once.

bubblewrap shows a run only what is mounted for it, in a process namespace that ends with it. Landlock refuses what is
not allowed, in one thread and all that it starts: it hides nothing inside a folder that is allowed, and sockets in the
file system stay in reach. Without both a run can do whatever its user can.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from evenhand.runs import supervisor
from evenhand.runs.supervised import Start, Supervised

Way = Literal["bubblewrap", "Landlock", "none"]

NOT_CONFINED = "not confined: the agent could read the answers"
"""How the note of a run begins that could."""

CONFINED = "confined by "

NO_WAY = "it must run without network, which needs bubblewrap or user namespaces, and neither works here"

SYSTEM = (
    "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/etc", "/opt", "/nix", "/gnu", "/snap", "/sys",
    "/var/lib", "/var/cache",
    "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager", "/run/current-system", "/run/opengl-driver",
)  # fmt: skip
"""Where systems keep programs, their libraries and their configuration. Of /run only what names servers is among them:
programs with a socket there act for whoever asks them, with more rights than a run has."""

_SYSTEM_LINKS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_TMPFS_BYTES = 1_000_000_000
"""What a run may put into /tmp itself and into /dev/shm, which are memory; its TMPDIR is on the disk."""


@dataclass(frozen=True)
class Bounds:
    """What a command can reach."""

    writes: tuple[str, ...]
    """The folders, with all in them, that it can write to."""
    reads: tuple[str, ...] | None
    """The files and folders that it can read besides; None for everything but what is hidden."""
    hidden: tuple[str, ...] = ()
    """What it cannot read even where it is in a folder that it can."""
    shown: tuple[str, ...] = ()
    """Files in hidden folders that it can read all the same."""
    network: bool = True


class NoNetworkless(Exception):
    """There is no way to run something without network here."""


@lru_cache(maxsize=1)
def way() -> Way:
    """The strongest way that works here, found by trying."""
    if sys.platform != "linux":
        return "none"
    with tempfile.TemporaryDirectory() as name:
        base = Path(os.path.realpath(name))
        for folder in (base / "in", base / "out"):
            folder.mkdir()
            (folder / "old").write_text("old")
        system = [os.path.realpath(path) for path in SYSTEM if Path(path).exists()]
        bounds = Bounds((f"{base}/in",), tuple(system))
        if _bubblewrap() is not None and _holds(_start("bubblewrap", bounds, f"{base}/in"), base):
            return "bubblewrap"
        if supervisor.landlock_version() >= supervisor.FILES_VERSION and _holds(_start("Landlock", bounds, ""), base):
            return "Landlock"
    return "none"


def sentence(*, network: bool, reads_anything: bool = False) -> str:
    """How runs are confined here, for a plan and for the record of each run."""
    reach = "network open" if network else "no network"
    if way() == "none" or (way() == "Landlock" and reads_anything):
        return f"{NOT_CONFINED}, {reach}"
    if way() == "Landlock" and supervisor.landlock_version() < supervisor.SCOPED_VERSION:
        return f"{CONFINED}Landlock, which does not contain its processes here, {reach}"
    return f"{CONFINED}{way()}, {reach}"


def start(bounds: Bounds, folder: str) -> Start:
    """How to start a command within its bounds. NoNetworkless where it must have no network and that cannot be."""
    return _start(way(), bounds, folder)


def _start(chosen: Way, bounds: Bounds, folder: str) -> Start:
    if chosen == "bubblewrap":
        return Start(sandbox=(str(_bubblewrap()), *_mounts(bounds), "--chdir", folder), machinery=2)
    rights = {"reads": None if bounds.reads is None else _allowed(bounds), "writes": list(bounds.writes)}
    if not bounds.network and not _can_be_offline():
        raise NoNetworkless
    return Start(offline=not bounds.network, rights=rights if chosen == "Landlock" else None)


def _mounts(bounds: Bounds) -> list[str]:
    """The arguments of bubblewrap: mounts are made in the order of their paths, so that inner ones come last."""
    words = ["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    words += ["--new-session", "--cap-drop", "ALL", *([] if bounds.network else ["--unshare-net"])]
    words += ["--ro-bind", "/", "/"] if bounds.reads is None else []
    # The settings of the kernel are root's, also without capabilities; bubblewrap leaves them writable.
    plan: dict[str, str] = {"/proc": "proc", "/proc/sys": "read", "/dev": "dev", "/dev/shm": "tmp", "/run": "hide"}
    if bounds.reads is not None:
        plan["/tmp"] = "tmp"
        for link in filter(os.path.islink, _SYSTEM_LINKS):
            words += ["--symlink", os.readlink(link), link]  # noqa: PTH115
    roots = bounds.reads or ("/",)
    plan |= dict.fromkeys((path for path in bounds.hidden if any(is_inside(path, root) for root in roots)), "hide")
    plan |= {path: "read" for path in bounds.reads or () if path not in plan and path != "/"}
    plan |= dict.fromkeys(bounds.shown, "read")
    plan |= dict.fromkeys(bounds.writes, "write")
    hidden_folders = []
    for path in sorted(plan):
        match plan[path]:
            case "proc" | "dev" as kind:
                words += [f"--{kind}", path]
            case "tmp":
                words += ["--size", str(_TMPFS_BYTES), "--tmpfs", path]
            case "read":
                words += ["--ro-bind-try", path, path]
            case "write":
                words += ["--bind-try", path, path]
            case "hide" if os.path.isdir(path):  # noqa: PTH112
                words += ["--tmpfs", path]
                hidden_folders.append(path)
            case "hide" if os.path.lexists(path):
                words += ["--ro-bind", os.devnull, path]
    # What lies in between is memory as well.
    return words + [word for path in (*hidden_folders, "/dev", "/") for word in ("--remount-ro", path)]


def _allowed(bounds: Bounds) -> list[str]:
    """Everything that may be read, minus what is hidden: Landlock only knows what is allowed."""
    assert bounds.reads is not None
    parts = [part for path in bounds.reads for part in without(path, bounds.hidden)]
    return [*parts, *bounds.shown, *bounds.writes]


def without(folder: str, hidden: Sequence[str]) -> list[str]:
    """The paths that make up a folder when the hidden ones in it are left out."""
    parts, waiting = [], [folder]
    while waiting:
        path = waiting.pop()
        if any(is_inside(path, inner) for inner in hidden):
            continue
        if not any(is_inside(inner, path) for inner in hidden):
            parts.append(path)
            continue
        try:
            with os.scandir(path) as entries:
                waiting += [entry.path for entry in entries if not entry.is_symlink()]
        except OSError:
            continue
    return parts


def is_inside(path: str, folder: str) -> bool:
    """Whether a path is a folder or in it."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


@lru_cache(maxsize=1)
def _bubblewrap() -> str | None:
    return shutil.which("bwrap")


@lru_cache(maxsize=1)
def _can_be_offline() -> bool:
    """Whether the network can be taken from a command where bubblewrap does not work."""
    return sys.platform == "linux" and _succeeds("true", Start(offline=True), "/")


_PROBE = (
    "cat old > new && mkdir -p sub && mv new sub/new && ! cat ../out/old && ! ls ../out && ! touch ../out/new"
    " && ! kill -0 $OUTSIDE"
)


def _holds(start: Start, base: Path) -> bool:
    """Whether what is outside is refused this way, and what is inside is not."""
    return _succeeds(_PROBE, start, f"{base}/in")


def _succeeds(script: str, start: Start, folder: str) -> bool:
    environment = {"PATH": os.defpath, "OUTSIDE": str(os.getpid())}
    nowhere = os.open(os.devnull, os.O_RDWR)
    try:
        words = ["/bin/sh", "-c", script]
        return Supervised(words, start, folder=folder, environment=environment, streams=(nowhere,) * 3).end().code == 0
    except OSError:
        return False
    finally:
        os.close(nowhere)
