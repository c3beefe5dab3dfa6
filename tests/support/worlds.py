"""What a machine offers to confine runs with, made smaller: words to put before a command."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
from functools import cache
from pathlib import Path

WORLDS = ("bubblewrap", "Landlock", "nothing")

NOBODY = 65534
"""The number of a user who owns nothing, and of their group."""

AS_NOBODY = ("setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups")
"""Words with which root starts a command as an ordinary user."""

_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _NO_SUCH_CALL = 0x7FFF0000, 0x00050000 | 38
_LANDLOCK = (444, 445, 446)


def words(world: str, folder: Path) -> tuple[str, ...]:
    """A world in which runs are confined that way: without user namespaces bubblewrap does not work."""
    if world == "bubblewrap":
        return ()
    inside = ("bwrap", "--dev-bind", "/", "/", "--unshare-user", "--disable-userns", "--cap-drop", "ALL")
    if world == "Landlock":
        return (*inside, "--")
    program = [struct.pack("=HBBI", _LOAD, 0, 0, 0)]
    for number in _LANDLOCK:
        program += [struct.pack("=HBBI", _EQUAL, 0, 1, number), struct.pack("=HBBI", _RETURN, 0, 0, _NO_SUCH_CALL)]
    path = folder / "no-landlock.bpf"
    path.write_bytes(b"".join([*program, struct.pack("=HBBI", _RETURN, 0, 0, _ALLOW)]))
    return ("sh", "-c", f'exec {" ".join(inside)} --seccomp 9 -- "$@" 9<{path}', "sh")


@cache
def interpreter(user: tuple[str, ...] = ()) -> tuple[str, dict[str, str]]:
    """A Python that a user can start, with the variables by which it finds this installation; empty without one.

    This one may be in a home that others cannot enter; then the system's serves if it is of the same version.
    """
    packages = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    version = f"import sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
    for path, more in ((sys.executable, {}), ("/usr/bin/python3", packages)):
        words = [*user, "sh", "-c", 'exec "$0" "$@"', path, "-c", version]
        if subprocess.run(words, capture_output=True, env={**os.environ, **more}).returncode == 0:
            return path, more
    return "", {}


@cache
def way_in(world: str, folder: Path, user: tuple[str, ...] = ()) -> str:
    """How runs are confined in a world, as evenhand finds it; empty where it cannot be made here."""
    if sys.platform != "linux" or shutil.which("bwrap") is None or (user and os.geteuid() != 0):
        return ""
    python, more = interpreter(user)
    if not python:
        return ""
    code = "from evenhand.runs.confinement import way; print(way())"
    done = subprocess.run(
        [*user, *words(world, folder), python, "-c", code], capture_output=True, text=True, env={**os.environ, **more}
    )
    return done.stdout.strip()
