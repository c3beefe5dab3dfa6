"""The faults already reported to a session, so that none is reported twice. Kept in the user's state folder."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from evenhand.core.finding import Finding

KEPT_FOR: Final = 30 * 24 * 3600
"""Seconds; older files are removed."""


class Reported:
    """What was reported to one session."""

    def __init__(self, session: str, environment: Mapping[str, str] = os.environ) -> None:
        base = (
            environment.get("XDG_STATE_HOME") or Path(environment.get("HOME") or "~").expanduser() / ".local" / "state"
        )
        self._folder = Path(base) / "evenhand" / "hook"
        self._path = self._folder / f"{sha256(session.encode()).hexdigest()[:32]}.json"

    def new(self, faults: list[Finding]) -> list[Finding]:
        """The faults that were not reported yet."""
        known = self._known()
        return [fault for fault in faults if _key(fault) not in known]

    def add(self, faults: list[Finding]) -> bool:
        """Remember faults; False when that is not possible."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._forget_old()
            keys = sorted(self._known() | {_key(fault) for fault in faults})
            draft = self._path.with_suffix(f".{os.getpid()}")
            draft.write_text(json.dumps(keys), encoding="utf-8")
            draft.replace(self._path)
        except OSError:
            return False
        return True

    def _known(self) -> set[str]:
        try:
            keys = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return set()
        return set(map(str, keys)) if isinstance(keys, list) else set()

    def _forget_old(self) -> None:
        for path in self._folder.glob("*.json"):
            if path.stat().st_mtime < time.time() - KEPT_FOR:
                path.unlink(missing_ok=True)


def _key(fault: Finding) -> str:
    return sha256(f"{fault.check}\0{fault.message}\0{fault.quote}".encode()).hexdigest()[:32]
