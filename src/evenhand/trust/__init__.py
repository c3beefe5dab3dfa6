"""Whether a judge can be trusted: agreement with people, calibrations, estimates, anchors, probes.

The public functions are those of the commands `evenhand trust ...`; the modules beside them are not public.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from evenhand.api.trust import add_anchors as add_anchors
    from evenhand.api.trust import agree as agree
    from evenhand.api.trust import calibrate as calibrate
    from evenhand.api.trust import estimate as estimate
    from evenhand.api.trust import import_labels as import_labels
    from evenhand.api.trust import probe as probe
    from evenhand.api.trust import run_anchors as run_anchors


def __dir__() -> list[str]:
    return __getattr__("__all__")  # type: ignore[no-any-return]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    from evenhand.public_names import load, names

    if name == "__all__":
        return sorted(names(__name__))
    globals()[name] = load(__name__, name)[0]
    return globals()[name]
