"""Trees of criteria scored a second time, from the rules alone, in plain dictionaries and fractions.

A node is `{"weight": w, "children": [...]}`; a leaf is `{"id", "weight", "verdict", "requires", "unmet"}`, where
`unmet` is what it becomes when a prerequisite failed: "no" or "does not apply". Nothing of the package is used here.
"""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

VERDICTS = ("yes", "no", "partly", "does not apply", "cannot tell")
Span = tuple[Fraction, Fraction]


def leaves(node: dict[str, Any]) -> list[dict[str, Any]]:
    if "children" not in node:
        return [node]
    return [leaf for child in node["children"] for leaf in leaves(child)]


def what_counts(roots: list[dict[str, Any]]) -> dict[str, str]:
    """The verdict of every leaf once its prerequisites are known."""
    by_id = {leaf["id"]: leaf for root in roots for leaf in leaves(root)}
    counted: dict[str, str] = {}
    failed: dict[str, bool] = {}

    def visit(id: str) -> None:
        if id in counted:
            return
        leaf = by_id[id]
        for other in leaf["requires"]:
            visit(other)
        if any(failed[other] for other in leaf["requires"]):
            counted[id], failed[id] = leaf["unmet"], True
        elif any(counted[other] == "cannot tell" for other in leaf["requires"]):
            counted[id], failed[id] = "cannot tell", False
        else:
            counted[id], failed[id] = leaf["verdict"], leaf["verdict"] == "no"

    for id in by_id:
        visit(id)
    return counted


def value(node: dict[str, Any], counted: dict[str, str], partly: Fraction) -> Span | None:
    """The least and the greatest a node can be worth; None when nothing in it applies."""
    if "children" not in node:
        none, all = Fraction(0), Fraction(1)
        known = {"yes": (all, all), "no": (none, none), "partly": (partly, partly), "cannot tell": (none, all)}
        return known.get(counted[node["id"]])
    parts = [(child["weight"], value(child, counted, partly)) for child in node["children"]]
    positive = [(w, v) for w, v in parts if v is not None and w > 0]
    negative = [(-w, v) for w, v in parts if v is not None and w < 0]
    lost_least = sum((w * v[0] for w, v in negative), Fraction(0))
    lost_most = sum((w * v[1] for w, v in negative), Fraction(0))
    if positive:
        whole = sum(w for w, _ in positive)
        least = sum((w * v[0] for w, v in positive), Fraction(0)) - lost_most
        most = sum((w * v[1] for w, v in positive), Fraction(0)) - lost_least
        return least / whole, most / whole
    if negative:
        whole = sum(w for w, _ in negative)
        return 1 - lost_most / whole, 1 - lost_least / whole
    return None


def score(root: dict[str, Any], counted: dict[str, str], partly: Fraction) -> tuple[int, int] | None:
    """The least and the greatest score, in hundredths; None when nothing applies."""
    span = value(root, counted, partly)
    if span is None:
        return None
    least, most = (min(max(end, Fraction(0)), Fraction(1)) for end in span)
    return _half_up((1 + 9 * least) * 100), _half_up((1 + 9 * most) * 100)


def _half_up(number: Fraction) -> int:
    return (number + Fraction(1, 2)).__floor__()


def random_root(chance: random.Random, name: str = "c") -> dict[str, Any]:
    """A tree of up to about forty leaves, up to five deep, with negative points and prerequisites."""
    ids: list[str] = []

    def leaf() -> dict[str, Any]:
        id = f"{name}{len(ids)}"
        requires = chance.sample(ids, min(len(ids), chance.choice([0, 0, 0, 1, 2])))
        ids.append(id)
        weight = chance.choice([*map(Fraction, (1, 1, 2, 3, 5, 10)), Fraction(1, 2), Fraction(1, 4)])
        return {
            "id": id,
            "weight": -weight if chance.random() < 0.25 else weight,
            "verdict": chance.choices(VERDICTS, chance.choice([(4, 3, 1, 1, 1), (4, 3, 1, 1, 0), (1, 0, 0, 4, 0)]))[0],
            "requires": requires,
            "unmet": chance.choice(["no", "no", "does not apply"]),
        }

    def group(depth: int) -> dict[str, Any]:
        children = []
        only_negative = chance.random() < 0.15
        for _ in range(chance.randint(1, 4)):
            if depth < 5 and chance.random() < 0.4:
                children.append(group(depth + 1))
            else:
                child = leaf()
                children.append({**child, "weight": -abs(child["weight"])} if only_negative else child)
        return {"weight": Fraction(chance.choice([1, 2, 3, 7])), "children": children}

    def shuffled(node: dict[str, Any]) -> dict[str, Any]:
        children = [shuffled(child) for child in node["children"]] if "children" in node else None
        return node if children is None else {**node, "children": chance.sample(children, len(children))}

    return shuffled(group(0))  # so that prerequisites come before and after what requires them
