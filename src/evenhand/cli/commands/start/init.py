"""evenhand init: propose settings, a rubric and a gate for a project."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.presenter import format_option, present
from evenhand.cli.shared import DONE, say

if TYPE_CHECKING:
    from pathlib import Path

    from evenhand.projects.proposal import Proposal, ProposedFile
    from evenhand.projects.proposed_gate import GateKind
    from evenhand.projects.survey import Survey


@click.command("init")
@click.option("--yes", is_flag=True, help="Write the files without asking.")
@click.option(
    "--gate",
    type=click.Choice(["github", "gitlab", "pytest", "script", "none"]),
    help="What the gate is made for. Default: what the project uses.",
)
@format_option()
def command(yes: bool, gate: GateKind | None, format: str) -> int:
    """Look at a project and propose settings, a rubric and a gate.

    Looks for skills of any agent, tests, CI, transcripts, rubrics and settings. Every file is shown in full before it
    is written, a change of an existing one as a diff. On a terminal it asks; elsewhere it writes only with --yes, which
    shows what it found and names what it wrote. What exists is never overwritten. No model and no network is used.

    \b
    Examples:
      evenhand init
      evenhand init --gate pytest
      evenhand init --yes
      evenhand init --format json
    """
    from evenhand.options.settings import project_folder
    from evenhand.projects.proposal import propose
    from evenhand.projects.survey import survey

    folder = project_folder()
    project = survey(folder)
    proposal = propose(project, gate)
    if yes and format in ("json", "jsonl"):
        _write(folder, proposal)
    text = lambda: _found(project, proposal) if yes else _proposed(project, proposal)  # noqa: E731
    present(format, lambda: _document(project, proposal, written=yes), terminal=text, markdown=text)
    if format in ("json", "jsonl"):
        return DONE
    if not proposal.files:
        say("nothing to write: everything is there")
    elif yes or _confirmed(len(proposal.files)):
        _write(folder, proposal)
    elif not _is_terminal():
        say("nothing was written; to write these files: evenhand init --yes")
        return DONE
    else:
        say("nothing was written")
        return DONE
    for step in proposal.next_steps:
        say(f"next: {step}")
    return DONE


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def _confirmed(count: int) -> bool:
    files = "this file" if count == 1 else f"these {count} files"
    return _is_terminal() and click.confirm(f"Write {files}?", default=False, err=True)


def _write(folder: Path, proposal: Proposal) -> None:
    from evenhand.projects.proposed_files import write_files

    write_files(folder, proposal.files)
    for file in proposal.files:
        say(f"{'written' if file.before is None else 'changed'}: {file.path} ({file.purpose})")


def _proposed(survey: Survey, proposal: Proposal) -> str:
    """For someone who has yet to agree: where it looked, and every file in full."""
    lines = [f"{name:<14}{_few(values) or 'none'}" for name, values in _rows(survey)]
    files = "".join(f"\n{_shown(file)}" for file in proposal.files)
    return "\n".join([*lines, *_remarks(survey, proposal)]) + "\n" + files


def _found(survey: Survey, proposal: Proposal) -> str:
    """What to show after --yes: what was found, and the diffs of existing files."""
    lines = [f"{name:<14}{_few(values)}" for name, values in _rows(survey) if values]
    diffs = [f"\n{_shown(file)}" for file in proposal.files if file.before is not None]
    return "".join(f"{line}\n" for line in [*lines, *_remarks(survey, proposal)]) + "".join(diffs)


def _rows(survey: Survey) -> list[tuple[str, list[str]]]:
    return [
        ("skills", [skill.name for skill in survey.skills]),
        ("tests", [*survey.tests, *(f"{path} (jest)" for path in survey.jest)]),
        ("CI", list(survey.ci)),
        ("transcripts", [f"{path} ({format})" for path, format in survey.transcripts.items()]),
        ("rubrics", list(survey.rubrics)),
        ("other rubrics", list(survey.foreign_rubrics)),
        ("evals", list(survey.evals)),
        ("promptfoo", list(survey.promptfoo)),
        ("suites", list(survey.suites)),
        ("settings", [survey.settings] if survey.settings else []),
    ]


def _remarks(survey: Survey, proposal: Proposal) -> list[str]:
    cut = ["The project is large: not every folder was looked at."] if survey.is_cut else []
    return [*cut, *(f"kept          {path}: {why}" for path, why in proposal.kept.items())]


def _few(values: list[str], most: int = 4) -> str:
    rest = f", and {len(values) - most} more" if len(values) > most else ""
    return ", ".join(values[:most]) + rest


def _shown(file: ProposedFile) -> str:
    if file.before is None:
        return f"--- new: {file.path} ({file.purpose})\n{file.text}"
    return f"--- change: {file.path} ({file.purpose})\n{_diff(file)}"


def _diff(file: ProposedFile) -> str:
    import difflib

    before = (file.before or "").splitlines(keepends=True)
    lines = difflib.unified_diff(before, file.text.splitlines(keepends=True), file.path, file.path)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _document(survey: Survey, proposal: Proposal, *, written: bool) -> dict[str, Any]:
    found = {
        "skills": [{"name": skill.name, "path": skill.path} for skill in survey.skills],
        "tests": survey.tests,
        "ci": survey.ci,
        "transcripts": survey.transcripts,
        "rubrics": survey.rubrics,
        "foreign_rubrics": survey.foreign_rubrics,
        "evals": survey.evals,
        "settings": survey.settings,
        "is_cut": survey.is_cut,
        "jest": survey.jest,
        "promptfoo": survey.promptfoo,
        "suites": survey.suites,
    }
    files = [
        {
            "path": file.path,
            "change": "new" if file.before is None else "change",
            "purpose": file.purpose,
            "text": file.text,
            "diff": None if file.before is None else _diff(file),
        }
        for file in proposal.files
    ]
    return {
        "folder": str(survey.folder),
        "found": found,
        "files": files,
        "kept": proposal.kept,
        "next_steps": proposal.next_steps,
        "written": written,
    }
