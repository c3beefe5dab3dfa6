"""A suite for a skill, and the criteria of a rubric, from the skill's own rules. Writes nothing.

Every case expects the rules of its SKILL.md, and a model judge decides whether they are met. What to ask
the agent for is a person's to write: the first case
is a start.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final

from evenhand.projects.survey import Skill
from evenhand.suites.skill_rules import skill_rules
from evenhand.suites.suite_text import suite_text
from evenhand.work.names import slug

SUITE: Final = "evenhand/suite.yaml"

_HEADER: Final = (
    "A suite for the skill {name}: does it help? Write your own prompts under cases, then:\n"
    "#   evenhand run check {path}\n"
    "#   evenhand run {path} --dry-run\n"
    "# Every case expects the skill's own rules; sentences are decided by the model under judges."
)


def skill_suite(skill: Skill) -> str:
    """A suite that compares an agent with the skill and without it."""
    description = re.search(r"^description:[ \t]*[|>]?-?[ \t]*(.*(?:\n[ \t]+\S.*)*)", skill.words, re.MULTILINE)
    purpose = " ".join(description[1].split()).strip("\"'") if description else ""
    rules = skill_rules(skill.words)
    case = {
        "id": "first",
        "prompt": f"{purpose or 'Do what this skill is for.'} (Replace this with a task as your users would put it.)",
        **({"expect": rules} if rules else {}),
    }
    folder = PurePosixPath("..") / PurePosixPath(skill.path).parent
    whole = {
        "suite": slug(skill.name) or "our-skill",
        "skill": skill.name,
        "judges": ["auto"],
        "cases": [case],
        "variants": {
            "command": ["claude", "-p", "{prompt}", "--output-format", "json", "--dangerously-skip-permissions"],
            "own_home": False,
            "skill": str(folder),
            "versions": ["none", "now"],
        },
    }
    return suite_text(whole, _HEADER.format(name=skill.name, path=SUITE))


def with_criteria(rubric: str, rules: list[str]) -> str:
    """A rubric's text with rules as criteria of adherence; unchanged without rules or where they have no place."""
    section = re.search(r"^### .*adherence.*\n(?:(?!^##).*\n)*", rubric, re.MULTILINE | re.IGNORECASE)
    if section is None or not rules:
        return rubric
    names: dict[str, str] = {}
    for rule in rules:
        name = "-".join(slug(rule).split("-")[:5]) or "rule"
        names.setdefault(name if name not in names else f"{name}-{len(names) + 1}", rule)
    listed = "".join(f"- `{name}` (1 point): {rule}\n" for name, rule in names.items())
    return f"{rubric[: section.end()].rstrip()}\n\n#### Criteria\n\n{listed}\n{rubric[section.end() :]}"
