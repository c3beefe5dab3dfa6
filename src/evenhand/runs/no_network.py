"""A command without network: in a network namespace of its own, where the system lets us make one."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import lru_cache

REFUSED = "it must run without network, which needs unshare or bubblewrap on this system"


@lru_cache(maxsize=1)
def without_network() -> tuple[str, ...] | None:
    """The words to put before a command; None when there is no way."""
    ways: list[tuple[str, ...]] = []
    if unshare := shutil.which("unshare"):
        # As root no user namespace is needed; others keep their own name in the new one.
        ways += [(unshare, "--net")] if os.geteuid() == 0 else []
        ways += [(unshare, "--user", "--map-current-user", "--net")]
    if bwrap := shutil.which("bwrap"):
        ways += [(bwrap, "--dev-bind", "/", "/", "--unshare-net")]
    return next((way for way in ways if _works(way)), None)


def _works(way: tuple[str, ...]) -> bool:
    try:
        return subprocess.run([*way, "true"], capture_output=True, timeout=10, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
