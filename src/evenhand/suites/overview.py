"""A suite in short, as `suite check` shows it: what was understood, and what deserves a second look."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

from evenhand.core.numbers import plain
from evenhand.decisions.suite import Case, Command, Function, Model, Recorded, Suite, Variant
from evenhand.files import codec

MISSING_SHOWN = 3


def overview(suite: Suite) -> dict[str, Any]:
    """The document of a checked suite."""
    tags = Counter(tag for case in suite.cases for tag in case.tags)
    return {
        "schema": "evenhand/suite-check/v1",
        "suite": suite.name,
        "source": suite.source,
        "sha256": suite.sha256,
        "skill": suite.skill,
        "rubric": suite.rubric,
        "judges": list(suite.judges),
        "calibration": suite.calibration,
        "pairs": suite.pairs,
        "repeats": suite.repeats,
        "cases": [
            {
                "id": case.id,
                "tags": list(case.tags),
                "weight": plain(case.weight),
                "files": len(case.files),
                "expectations": case.expect is not None,
                **({"cluster": case.cluster} if case.cluster else {}),
            }
            for case in suite.cases
        ],
        "tags": dict(sorted(tags.items())),
        "variants": [_variant(variant) for variant in suite.variants],
        "compare_with": suite.reference or suite.variants[0].name,
        "runs": len(suite.cases) * len(suite.variants) * suite.repeats,
        "warnings": [*suite.notes, *_warnings(suite)],
    }


def _variant(variant: Variant) -> dict[str, Any]:
    skill = variant.skill
    shown = None if skill is None else skill.path + (f" at {skill.revision}" if skill.revision else "")
    return {"name": variant.name, "does": doing(variant), "skill": shown, "limits": codec.document(variant.limits)}


def doing(variant: Variant) -> str:
    """What a variant runs, in a line."""
    does = variant.does
    match does:
        case Command():
            return f"{'shell' if does.shell else 'command'}: {' '.join(does.arguments)}"
        case Function():
            return f"function: {does.target}"
        case Model():
            return f"model: {does.spec}"
        case Recorded():
            return f"recorded: {does.pattern}"


def undecided_sentences(suite: Suite) -> str:
    """A warning when sentences are expected and no judge decides them; empty otherwise."""
    if set(suite.judges) - {"checks"} or not any(map(_expects_sentence, suite.cases)):
        return ""
    return "some expectations are sentences, which only a model judge decides; the suite has none, so they do not count"


def _expects_sentence(case: Case) -> bool:
    listed = case.expect if isinstance(case.expect, list) else []
    return any(isinstance(item, str) or (isinstance(item, dict) and "text" in item) for item in listed)


def _warnings(suite: Suite) -> list[str]:
    warnings = [note] if (note := undecided_sentences(suite)) else []
    if not suite.judges and all(case.expect is None for case in suite.cases):
        warnings.append("no judges and no expectations: only the checks look at the outputs, and nothing is graded")
    if len(suite.variants) == 1 and (suite.gate is None or suite.gate.baseline is None):
        warnings.append("one variant and no baseline: there is nothing to compare it with")
    for variant in suite.variants:
        missing = _missing(suite, variant)
        if missing:
            listed = ", ".join(missing[:MISSING_SHOWN]) + (", ..." if len(missing) > MISSING_SHOWN else "")
            warnings.append(f"{variant.name}: {len(missing)} recorded outputs are missing: {listed}")
        if isinstance(variant.does, Command) and (name := _unknown_program(variant.does)):
            warnings.append(f"{variant.name}: there is no command {name} on this machine")
        if (
            isinstance(variant.does, Command)
            and "{skill}" in " ".join(variant.does.arguments)
            and variant.skill is None
        ):
            warnings.append(f"{variant.name}: the command names {{skill}}, but this variant has no skill")
    return warnings


def _unknown_program(command: Command) -> str:
    """The program of a command if it is not on PATH; empty when it is, or when that cannot be known beforehand."""
    name = command.arguments[0]
    can_tell = not command.shell and "/" not in name and "{" not in name and "PATH" not in command.environment
    return name if can_tell and shutil.which(name) is None else ""


def _missing(suite: Suite, variant: Variant) -> list[str]:
    """The recorded outputs that are not there."""
    if not isinstance(variant.does, Recorded):
        return []
    pattern = variant.does.pattern
    paths = (
        pattern.replace("{case}", case.id).replace("{repeat}", str(repeat))
        for case in suite.cases
        for repeat in range(1, suite.repeats + 1)
    )
    return [path for path in paths if not Path(path).exists()]
