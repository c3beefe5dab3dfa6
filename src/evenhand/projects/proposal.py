"""The files that a project needs to start with evenhand: settings, a rubric, a gate. Writes nothing.

A file that exists is left as it is, except that a line is added to .gitignore and a job to .gitlab-ci.yml.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from evenhand.projects.proposed_gate import OUTPUTS, GateKind, gate_files, judged_files
from evenhand.projects.proposed_suite import SUITE, skill_suite, with_criteria
from evenhand.projects.survey import Skill, Survey
from evenhand.rubrics.library import DEFAULT
from evenhand.rubrics.new import rubric_text
from evenhand.suites.skill_rules import skill_rules
from evenhand.work.names import slug

SETTINGS: Final = """\
# Settings of evenhand for this project.

store = ".evenhand/evenhand.db"  # where evaluations are kept
keep = "text"                    # "hash" keeps no output, only its hash

[hook]
block = "never"                  # "critical": evenhand agent hook sends an agent back once for a false claim

# A model server as a judge, for: evenhand judge OUTPUT --judge mine
# [judges.mine]
# base_url = "http://localhost:8000/v1"
# model = "my-model"
"""

_DOMAINS: Final = (
    ("security-review", r"security|vulnerab|threat|pentest"),
    ("code-review", r"review"),
    ("testing", r"tests?\b|testing|coverage|pytest"),
    ("devops", r"deploy|kubernetes|terraform|incident|devops|docker|pipeline"),
    ("data-analysis", r"data|sql|analy[sz]|spreadsheet|csv|chart"),
    ("frontend-design", r"frontend|front-end|css|design|ui\b"),
    ("documentation", r"docs?\b|documentation|readme|changelog"),
    ("research", r"research|literature|sources|fact-check"),
    ("code-change", r"code|coding|refactor|implement|bug|fix"),
    ("writing", r"writ|blog|e-?mail|summar|translat|edit"),
)
"""Words in a skill's name or description, and the built-in rubric they point to; the first that matches."""


class ProposedFile(NamedTuple):
    """A file to write."""

    path: str
    """From the project's folder."""
    text: str
    before: str | None
    """What the file holds now; None if there is none."""
    purpose: str


class Proposal(NamedTuple):
    """What to write, what is there already, and what to do next."""

    files: tuple[ProposedFile, ...]
    kept: dict[str, str]
    """What is left as it is, and why."""
    next_steps: tuple[str, ...]


def propose(survey: Survey, gate: GateKind | None = None) -> Proposal:
    """The files for this project; `gate` overrides what its CI suggests."""
    files: list[ProposedFile] = []
    kept: dict[str, str] = {}

    def add(path: str, text: str, purpose: str) -> None:
        if (survey.folder / path).exists() or (survey.folder / path).is_symlink():
            kept[path] = "already exists"
        else:
            files.append(ProposedFile(path, text, None, purpose))

    if survey.settings:
        kept[survey.settings] = "has the project's settings"
    else:
        add("evenhand.toml", SETTINGS, "settings")
    rubric = _rubric(survey)
    if survey.rubrics:
        kept["evenhand/rubrics"] = f"has {', '.join(survey.rubrics)}"
    else:
        name, base = rubric
        rules = skill_rules(survey.skills[0].words) if len(survey.skills) == 1 else []
        purpose = f"a rubric, made from the built-in {base}" + (", with the skill's rules as criteria" if rules else "")
        add(f"evenhand/rubrics/{name}.md", with_criteria(rubric_text(name, base), rules), purpose)
    name = survey.rubrics[0] if survey.rubrics else rubric[0]
    if survey.suites:
        kept[survey.suites[0]] = "is a suite"
    elif survey.skills and not survey.promptfoo:
        add(SUITE, skill_suite(survey.skills[-1]), f"a suite for the skill {survey.skills[-1].name}")
    notes: list[str] = []
    for file in gate_files(survey, name, gate):
        if isinstance(file, str):
            notes.append(file)
        elif file.before is None:
            add(file.path, file.text, file.purpose)
        else:
            files.append(ProposedFile(file.path, file.text, file.before, file.purpose))
    files += _ignored(survey.folder)
    return Proposal(tuple(files), kept, (_first_step(survey), *notes, *_next_steps(survey, name)))


def _rubric(survey: Survey) -> tuple[str, str]:
    """The new rubric's name, and the built-in one it is made from.

    A skill is judged with the rubric of its own name, so the only skill of a project gives the name.
    """
    if len(survey.skills) == 1:
        skill = survey.skills[0]
        return slug(skill.name) or "our-skill", base_for(skill)
    name = slug(survey.folder.resolve().name) or "our-work"
    return name, "agent-run" if survey.transcripts else DEFAULT


def base_for(skill: Skill) -> str:
    """The built-in rubric nearest to what a skill does; its name counts more than its description."""
    description = re.search(r"^description:(.*(?:\n[ \t]+.*)*)", skill.words, re.MULTILINE)
    for words in (skill.name, description[1] if description else ""):
        for base, pattern in _DOMAINS:
            if re.search(pattern, words, re.IGNORECASE):
                return base
    return DEFAULT


def _stated_name(skill: Skill) -> str:
    """The name in the front matter of a skill, else its folder's."""
    stated = re.search(r"^name:[ \t]*(\S.*)$", skill.words, re.MULTILINE)
    return stated[1].strip() if stated else skill.name


def _ignored(folder: Path) -> list[ProposedFile]:
    """The store belongs to one machine: keep it out of git."""
    path = folder / ".gitignore"
    if not (folder / ".git").exists() or path.is_symlink() or (path.exists() and not path.is_file()):
        return []
    try:
        before = path.read_bytes().decode() if path.exists() else None
    except (OSError, UnicodeDecodeError):
        return []
    if before is not None and re.search(r"^/?\.evenhand/?\s*$", before, re.MULTILINE):
        return []
    start = before or ""
    if start and not start.endswith("\n"):
        start += "\n"
    return [ProposedFile(".gitignore", f"{start}.evenhand/\n", before, "keeps the store out of git")]


def _first_step(survey: Survey) -> str:
    files = judged_files(survey)
    if files:
        return f"commit what the gate judges, so that CI has it: {' '.join(files)}"
    return f"put outputs or transcripts of your agent into {OUTPUTS}; the gate judges what is there"


def _next_steps(survey: Survey, rubric: str) -> list[str]:
    steps = [f"edit evenhand/rubrics/{rubric}.md, then: evenhand rubric check evenhand/rubrics/{rubric}.md"]
    if len(survey.skills) > 1:
        few = survey.skills[:3]
        commands = "; ".join(f"evenhand rubric new {slug(skill.name)} --from {base_for(skill)}" for skill in few)
        steps.append(f"a rubric for a skill of its own name: {commands}")
    if survey.foreign_rubrics:
        steps.append(f"convert your own rubric: evenhand rubric convert {survey.foreign_rubrics[0]}")
    if survey.promptfoo:
        steps.append(f"make a suite of your promptfoo tests: evenhand run import {survey.promptfoo[0]} -o suite.yaml")
    versions = [skill for skill in survey.skills if _stated_name(skill) == _stated_name(survey.skills[-1])]
    if len(versions) > 1:  # two folders that state one name are versions of a skill; others do different work
        first, second = (str(PurePosixPath(skill.path).parent) for skill in versions[-2:])
        steps.append(f"is one version better? evenhand better {first} {second} --tasks TASKS --agent claude-code")
    if survey.evals:
        steps.append(f"judge a run with the expectations of a skill: evenhand judge RUN --expect {survey.evals[0]}")
    steps.append("let agents judge too: evenhand agent skill install")
    return steps
