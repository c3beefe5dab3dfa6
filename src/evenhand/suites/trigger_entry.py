"""`triggers:` of a suite: prompts at which a skill should be activated, and prompts at which it should not.

Each is a case with one expectation, so that everything that runs, keeps and compares cases does so with them.
"""

from __future__ import annotations

from pathlib import Path

from evenhand.decisions.values.suite import SHOULD, SHOULD_NOT, Case, Variant
from evenhand.suites.located_entry import SuiteEntry
from evenhand.work.names import slug

TRIGGERS = ("skill", *(tag.replace("-", "_") for tag in (SHOULD, SHOULD_NOT)))
_WORDS = 40
"""Characters of a prompt that are part of its case's name."""


def trigger_cases(entry: SuiteEntry, variants: tuple[Variant, ...]) -> list[Case]:
    """A case for each prompt."""
    entry.known(TRIGGERS)
    skill = entry.name("skill") or _only_skill(entry, variants)
    cases = []
    for tag, rule in ((SHOULD, "used"), (SHOULD_NOT, "unused")):
        key = tag.replace("-", "_")
        for number, prompt in enumerate(entry.texts(key)):
            name = f"{tag}-{number + 1}-{slug(prompt)[:_WORDS].strip('-')}".strip("-")
            expect = [{"skill": {rule: skill}, "dimension": "adherence"}]
            cases.append(Case(name, prompt, expect=expect, tags=(tag,), place=entry.place_of(key, number)))
    if not cases:
        entry.refuse(f"triggers needs prompts under {TRIGGERS[1]}, {TRIGGERS[2]}, or both")
    return cases


def _only_skill(entry: SuiteEntry, variants: tuple[Variant, ...]) -> str:
    """The name of the one skill that variants are given; versions of a skill have its name."""
    names = sorted({Path(variant.skill.path).name for variant in variants if variant.skill is not None})
    if len(names) != 1:
        given = f"variants have {', '.join(names)}" if names else "no variant has one"
        entry.refuse(f"triggers needs skill, the name in SKILL.md of the skill that is tried: {given}")
        return ""
    return names[0]
