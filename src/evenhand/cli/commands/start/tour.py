"""evenhand try: a tour with examples from the package, in commands that anyone can repeat."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

import click

from evenhand.cli.packaged_files import packaged_folder
from evenhand.cli.shared import DONE, OUT_OF_REACH, say
from evenhand.core.bounds import NOT_READ
from evenhand.errors import InputError

_PANEL: Final = " ".join(f"--judge replay:recorded/{name}.jsonl" for name in ("first", "second", "third"))


class _Step(NamedTuple):
    says: str
    command: str
    """What follows `evenhand`."""
    codes: tuple[int, ...] = (0,)
    """Exit codes that belong to the example."""


_STEPS: Final = (
    _Step(
        f"What a program can find, with no model. It gives no grade: {NOT_READ}.",
        "judge answer.md --task task.md --rubric devops",
    ),
    _Step(
        "The same answer read by a panel of three judges. Recorded replies stand in for models here; with a model of\n"
        "yours, write --judge auto. Every quote was looked for in the answer.",
        f"judge answer.md --task task.md --rubric devops {_PANEL} --set report.brief=true",
    ),
    _Step(
        "Is the new prompt better than the old one? Eight release notes of each, judged and compared.",
        "better notes/old notes/new --tasks notes/tasks --judge replay:recorded/reader.jsonl --yes",
    ),
    _Step(
        "A gate for CI, here on a code review that a person has judged: exit code 1 stops the build.",
        "gate review.yaml --min-grade B- --no-red-flag false-run-claim",
        (1,),
    ),
)


@click.command("try")
@click.option("--files", "target", metavar="FOLDER", help="Copy the examples into a new folder, and run nothing.")
def command(target: str | None) -> int:
    """Take a tour: an output checked, graded by a panel, two versions compared, a gate.

    It runs four commands on examples from the package and shows each with what it prints. It needs no key
    and no network, and keeps nothing. With --files you get the examples, to repeat the commands and change
    them.

    \b
    Examples:
      evenhand try
      evenhand try --files examples
    """
    if target is not None:
        _copy(Path(target))
        say(f"written: {target}; next: cd {target}, then any command that evenhand try shows")
        return DONE
    with tempfile.TemporaryDirectory(prefix="evenhand-try-") as name:
        folder = Path(name, "examples")
        _copy(folder)
        (folder / ".git").mkdir()  # a project of its own: its store is gone with it
        for number, step in enumerate(_STEPS, 1):
            code = _run(number, step, folder)
            if code not in step.codes:
                say(f"error: step {number} ended with exit code {code}")
                return OUT_OF_REACH
    click.echo(
        "\nNext\n"
        "  evenhand try --files examples                     the files, to repeat this\n"
        "  evenhand judge FILE --task TASK --judge auto      an output of yours\n"
        "  evenhand docs start                               the same, explained"
    )
    return DONE


def _copy(target: Path) -> None:
    try:
        shutil.copytree(packaged_folder("examples"), target, ignore=shutil.ignore_patterns(".*"))
    except FileExistsError:
        raise InputError(f"{target} exists; name a folder that does not, so that nothing is replaced") from None
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror or error}") from None


def _run(number: int, step: _Step, folder: Path) -> int:
    click.echo(f"{'' if number == 1 else chr(10)}{number}. {step.says}\n\n$ evenhand {step.command}")
    sys.stdout.flush()
    environment = {name: value for name, value in os.environ.items() if name != "EVENHAND_STORE"}
    command = [sys.executable, "-m", "evenhand", *step.command.split()]
    return subprocess.run(command, cwd=folder, env=environment, check=False).returncode
