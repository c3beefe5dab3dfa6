"""How models are asked, as a value: what is accepted, and every refusal with what is valid."""

from __future__ import annotations

from typing import Any

import evenhand
from contract.core.test_pages import HERE
from contract.goldens import compare

VALUES: dict[str, list[Any]] = {
    "base_url": ["http://localhost:8000/v1", "", 8, "ftp://x", None],
    "thorough": [True, False, "yes", 1, None],
    "per_call": [1, 100, 0, 101, 2.0, 2.5, "3", True, None],
    "samples": [1, 100, 0, 101, "5", 1.5, True, None],
    "temperature": [0, 2, 2.01, -0.1, "0.7", "hot", True, None, float("nan")],
    "quorum": [1, 0, -1, 7, "2", 1.5, None],
    "escalate_to": ["openai:strong", "", 3, None],
    "concurrency": [1, 0, 1000000, "4", None],
    "max_calls": [0, 1, -1, "10", 2.5, None],
    "max_cost": [0, "0.50", -1, "$3", 2.505, float("inf"), "free", True, None],
    "fresh": [True, "true", 0],
    "replies": ["replies.db", "none", "", 7],
    "batch": [True, "no"],
    "record": ["said.jsonl", 4],
    "language": ["German", "de", "a" * 100, "x\ny", 4, ""],
    "examples_from_store": [1, 20, 0, 21, None],
    "run_commands": [True, "x"],
    "samplse": [3],
}


def test_every_option_and_value():
    """What each value is kept as, or why it is refused."""
    lines = []
    for name, values in VALUES.items():
        for value in values:
            try:
                made = evenhand.ModelOptions(**{name: value})
                said = f"{getattr(made, name)!r}, given {made.given()}"
            except (TypeError, ValueError, evenhand.EvenhandError) as error:
                said = f"{type(error).__name__}: {error}"
            lines.append(f"{name}={value!r}: {said}\n")
    lines.append(f"{evenhand.ModelOptions()!r}\n")
    compare(HERE / "golden" / "options.txt", "".join(lines))
