"""Some work of a run done at once: most tests wait for nothing else."""

from __future__ import annotations

from evenhand.runs.waits import Result, Together, Work


def finish(work: Work[Result]) -> Result:
    """Do some work from beginning to end."""
    together: Together[Result] = Together()
    try:
        together.add(work)
        while not (done := together.step()):
            pass
        return done[0]
    finally:
        together.close()
