"""One run of a command or a function, from fresh folders to what is kept of it. Every failure of a run is a value."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from evenhand import clock
from evenhand.decisions.suite import Case, Command, Function
from evenhand.runs import function_call
from evenhand.runs.confinement import NO_WAY, Bounds, NoNetworkless, sentence, start
from evenhand.runs.known_agents import LOGINS
from evenhand.runs.limited_process import Ended, processes_are_shown, run_limited
from evenhand.runs.missed_paths import notes_on_missed
from evenhand.runs.planned import CHANGED, PlannedRun
from evenhand.runs.run_collection import collected, our_disk
from evenhand.runs.run_document import Aftermath
from evenhand.runs.run_environment import SAFE, Given, filled, variables, whole_prompt
from evenhand.runs.visible_paths import NOTHING_HIDDEN, Hidden, bounds_of
from evenhand.runs.workspaces.start_listing import SKILL_FOLDERS
from evenhand.runs.workspaces.workspace import PROMPT, STDIN, Changed, OwnFolders, fill
from evenhand.work.agent_run import AgentRun

PROCESSES_UNWATCHED = "its processes and its memory were not watched on this system"
_SHELL = "/bin/sh"


class NotStarted(Exception):
    """A run that never began; its text is the reason."""


class _Program(NamedTuple):
    """What is started: a command, with what comes through its standard input."""

    command: Command
    stdin: str | None = None


def execute(
    planned: PlannedRun,
    root: Path,
    into: Path,
    stop: threading.Event,
    inherited: Mapping[str, str] = os.environ,
    hidden: Hidden = NOTHING_HIDDEN,
) -> tuple[AgentRun, Aftermath]:
    """Run it in the new folder `root`, and write what is kept of it into the folder `into`, made if there is something.

    Paths in the returned run are relative to `into`; `inherited` are the variables of which it gets some; `hidden` is
    what it may not read. Interrupted when the user stops it, Unavailable when our disk is full.
    """
    run = AgentRun(planned.id, planned.key, "not started", planned.problem)
    if planned.problem:
        return run, Aftermath()
    with our_disk(root):
        folders = OwnFolders(root)
    try:
        run, aftermath = _executed(planned, run, folders, into, stop, inherited, hidden)
    finally:
        stuck = folders.remove()
    if stuck:
        run = run._replace(notes=(*run.notes, f"{stuck.replace(folders.root + '/', '')} could not be removed"))
    return run, aftermath


def _executed(
    planned: PlannedRun,
    run: AgentRun,
    folders: OwnFolders,
    into: Path,
    stop: threading.Event,
    inherited: Mapping[str, str],
    hidden: Hidden,
) -> tuple[AgentRun, Aftermath]:
    program = _program(planned)
    try:
        with our_disk(folders.root, only_full=True):
            fill(folders.workspace, planned.listing)
            if not program.command.own_home:
                folders.give_login(LOGINS)
            given = _given(planned, folders)
        environment = variables(program.command, given, inherited, home=folders.home, temporary=folders.temporary)
        bounds = bounds_of(
            planned.variant, hidden, environment.get("PATH", os.defpath), folders.writable, (given.prompt_file,)
        )
        started = clock.now()
        ended = _run(program, given, environment, folders, planned, bounds, stop)
    except Changed as change:
        return run._replace(reason=f"{change.path} {CHANGED}"), Aftermath()
    except NotStarted as reason:
        return run._replace(reason=str(reason)), Aftermath()
    limits = planned.variant.limits
    run = run._replace(
        outcome=ended.outcome,
        reason=ended.reason.replace(f"{folders.workspace}/", ""),  # every run has another, and reasons are counted
        exit_code=ended.exit_code,
        seconds=ended.seconds,
        started=started,
        notes=(
            sentence(network=limits.network, reads_anything=limits.reads is None),
            *ended.notes,
            *_unwatched(planned),
            *notes_on_missed(ended.errors, ended.output, bounds, hidden),
        ),
    )
    return collected(planned, run, ended, folders, into)


def _program(planned: PlannedRun) -> _Program:
    does = planned.variant.does
    if isinstance(does, Command):
        return _Program(does)
    assert isinstance(does, Function)
    import_paths = [entry or os.getcwd() for entry in sys.path]  # noqa: PTH109
    command = Command(
        (sys.executable, function_call.__file__, does.target),
        environment={"PYTHONPATH": os.pathsep.join(dict.fromkeys([*import_paths, os.getcwd()])), **does.environment},  # noqa: PTH109
        transcript=None,
        passed=does.passed,
    )
    return _Program(command, json.dumps(_case_fields(planned.case, planned)))


def _case_fields(case: Case, planned: PlannedRun) -> dict[str, object]:
    """What a function is given besides the prompt; its working folder is the workspace."""
    return {
        "id": case.id,
        "prompt": case.prompt,
        "conversation": [message._asdict() for message in case.conversation],
        "task": case.task,
        "tags": list(case.tags),
        "vars": dict(case.variables),
        "repeat": planned.id.repeat,
        "skill": _skill_folder(planned),
    }


def _skill_folder(planned: PlannedRun) -> str:
    return f"{SKILL_FOLDERS[0]}/{planned.skill}" if planned.skill else ""


def _given(planned: PlannedRun, folders: OwnFolders) -> Given:
    prompt = whole_prompt(planned.case)
    file = folders.write(PROMPT, prompt)
    skill = _skill_folder(planned)
    where = f"{folders.workspace}/{skill}" if skill else ""
    return Given(
        prompt, file, folders.workspace, planned.id.case, planned.id.repeat, where, dict(planned.case.variables)
    )


def _run(
    program: _Program,
    given: Given,
    environment: Mapping[str, str],
    folders: OwnFolders,
    planned: PlannedRun,
    bounds: Bounds,
    stop: threading.Event,
) -> Ended:
    command = program.command
    if command.shell:
        words = [_SHELL, "-c", *(filled(word, given, SAFE) for word in command.arguments)]
    else:
        words = [filled(word, given) for word in command.arguments]
    stdin = filled(command.stdin, given) if program.stdin is None else program.stdin
    try:
        find_program(words[0], folders.workspace, environment)  # bubblewrap could not say so well that there is none
        return run_limited(
            words,
            start=start(bounds, folders.workspace),
            folder=folders.workspace,
            environment=environment,
            stdin=folders.write(STDIN, stdin) if stdin else None,
            limits=planned.variant.limits,
            stop=stop,
            fills=folders.writable,
        )
    except NoNetworkless:
        raise NotStarted(NO_WAY) from None
    except (OSError, ValueError) as error:
        raise NotStarted(_why(words[0], error)) from None


def find_program(name: str, folder: str, environment: Mapping[str, str]) -> None:
    """OSError without a program of that name, found as a shell in that folder and environment would find it."""
    path = os.path.join(folder, name) if "/" in name else name  # noqa: PTH118
    if shutil.which(path, path=environment.get("PATH", os.defpath)) is None:
        code = errno.EACCES if os.path.isfile(path) else errno.ENOENT  # noqa: PTH113
        raise OSError(code, os.strerror(code), name)


def _why(name: str, error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"there is no command {name}"
    if isinstance(error, OSError) and error.errno == errno.E2BIG:
        return "the prompt is too long for an argument; use {prompt_file}, or {prompt} in stdin"
    if isinstance(error, ValueError):
        return f"{name} cannot be started: an argument or a variable holds the character NUL"
    return f"{name} cannot be started: {error.strerror or error}"


def _unwatched(planned: PlannedRun) -> tuple[str, ...]:
    limits = planned.variant.limits
    if processes_are_shown() or (limits.processes is None and limits.memory_bytes is None):
        return ()
    return (PROCESSES_UNWATCHED,)
