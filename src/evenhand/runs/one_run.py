"""One run of a command or a function, from a fresh workspace to what is kept of it. Every failure is a value."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from evenhand import clock
from evenhand.decisions.values.suite import Case, Command, Function
from evenhand.runs import process_table
from evenhand.runs.confined_rights import (
    CONFINED,
    MOST_NAMED,
    MOST_READ,
    READS_ANYTHING,
    REFUSED,
    TRIED,
    UNWATCHED,
    confined_to,
    is_possible,
    notes_on_refusals,
    refused_paths,
)
from evenhand.runs.landlock import SHARED_MEMORY, Rights
from evenhand.runs.limited_process import Ended, run_limited
from evenhand.runs.planned import CHANGED, PlannedRun
from evenhand.runs.process_start import find_program
from evenhand.runs.readable_paths import NOTHING_HIDDEN, Hidden, readable_paths
from evenhand.runs.run_document import CHANGES, FILES, Aftermath
from evenhand.runs.run_environment import SAFE, Given, filled, variables, whole_prompt
from evenhand.runs.transcript_files import AUTO, STDOUT, find_transcript
from evenhand.runs.waits import Work
from evenhand.runs.workspaces.own_folders import OwnFolders
from evenhand.runs.workspaces.start_listing import SKILL_FOLDERS
from evenhand.runs.workspaces.workspace import Changed, write_new
from evenhand.runs.workspaces.workspace_changes import Change, diff_text, fits, keepable
from evenhand.work.agent_run import AgentRun

PROCESSES_UNWATCHED = "its processes and its memory were not watched on this system"
LOOKS = (0.0, 0.05, 0.2)
"""Seconds before each look at who uses what is in shared memory."""
LEFT_IN_MEMORY = "while it ran, files were left in shared memory, where other runs can read them: "
DELETED = "it deleted its workspace"
_SHELL = "/bin/sh"


class NotStarted(Exception):
    """A run that never began; its text is the reason."""


class _Program(NamedTuple):
    """What is started: a command, with what comes through its standard input."""

    command: Command
    stdin: str | None = None


def execute(
    planned: PlannedRun,
    folders: OwnFolders,
    into: Path,
    stop: threading.Event,
    inherited: Mapping[str, str] = os.environ,
    hidden: Hidden = NOTHING_HIDDEN,
) -> Work[tuple[AgentRun, Aftermath]]:
    """Run it in new folders, and write what is kept of it into the folder `into`, made if there is something to keep.

    Paths in the returned run are relative to `into`; `inherited` are the variables of which it gets some; `hidden` is
    what it may not read. Interrupted when the user stops it.
    """
    run = AgentRun(planned.id, planned.key, "not started", planned.problem)
    if planned.problem:
        return run, Aftermath()
    program = _program(planned)
    try:
        folders.fill(planned.listing)
        given = _given(planned, folders)
        started, since = clock.now(), clock.epoch_seconds()
        shared = _shared_memory()
        environment = _environment(program.command, given, inherited, folders)
        rights = _rights(program.command, folders, planned, hidden, environment)
        ended = yield from _run(program, given, environment, folders, planned, rights, stop)
    except Changed as change:
        return run._replace(reason=f"{change.path} {CHANGED}"), Aftermath()
    except NotStarted as reason:
        return run._replace(reason=str(reason)), Aftermath()
    run = run._replace(
        outcome=ended.outcome,
        reason=ended.reason.replace(f"{folders.workspace}/", ""),  # every run has another, and reasons are counted
        exit_code=ended.exit_code,
        seconds=ended.seconds,
        started=started,
        notes=(*ended.notes, *_watched(rights, planned), *_unwatched(planned), *_left_in_memory(shared)),
    )
    run = _with_output(run, program.command, ended, Path(folders.workspace), planned.variant.limits.output_bytes)
    run = _with_transcript(run, program.command, folders, into, ended, since)
    if ended.errors:
        _made(into, "errors.txt").write_bytes(ended.errors)
    if rights is not None:
        run = run._replace(notes=(*run.notes, *_refusals(run, ended, rights, planned, into)))
    return _with_changes(run, folders, into)


def _program(planned: PlannedRun) -> _Program:
    does = planned.variant.does
    if isinstance(does, Command):
        return _Program(does)
    assert isinstance(does, Function)
    import_paths = [entry or os.getcwd() for entry in sys.path]  # noqa: PTH109
    command = Command(
        (sys.executable, "-m", "evenhand.runs.function_call", does.target),
        environment={"PYTHONPATH": os.pathsep.join(dict.fromkeys([*import_paths, os.getcwd()])), **does.environment},  # noqa: PTH109
        transcript=None,
        own_home=False,
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
    file = folders.write_prompt(prompt.encode())
    skill = _skill_folder(planned)
    where = f"{folders.workspace}/{skill}" if skill else ""
    return Given(
        prompt, file, folders.workspace, planned.id.case, planned.id.repeat, where, dict(planned.case.variables)
    )


def _environment(command: Command, given: Given, inherited: Mapping[str, str], folders: OwnFolders) -> dict[str, str]:
    home = folders.home if command.own_home else None
    return variables(command, given, inherited, home=home, temporary=folders.temporary, mark=f"{folders.root}/")


def _run(
    program: _Program,
    given: Given,
    environment: Mapping[str, str],
    folders: OwnFolders,
    planned: PlannedRun,
    rights: Rights | None,
    stop: threading.Event,
) -> Work[Ended]:
    command = program.command
    given_in = f"{folders.root}/stdin.txt"
    if command.shell:
        arguments = [_SHELL, "-c", *(filled(word, given, SAFE) for word in command.arguments)]
    else:
        arguments = [filled(word, given) for word in command.arguments]
    name = arguments[0]
    before: tuple[str, ...] = ()
    if not planned.variant.limits.network:
        network = without_network()
        if network is None:
            raise NotStarted(NO_WAY)
        # It may need rights that the run does not have, so it comes first.
        before, rights = (*network, *(() if rights is None else confined_to(rights))), None
    stdin = filled(command.stdin, given) if program.stdin is None else program.stdin
    if stdin:
        write_new(given_in, stdin.encode())
    try:
        if before:
            find_program(name, folders.workspace, environment)  # what comes before it could not say this so well
        return (
            yield from run_limited(
                [*before, *arguments],
                folder=folders.workspace,
                environment=environment,
                stdin=given_in if stdin else None,
                limits=planned.variant.limits,
                stop=stop,
                rights=rights,
                folders=folders.root,
            )
        )
    except (OSError, ValueError) as error:
        raise NotStarted(_why(name, error)) from None


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
    if process_table.is_available() or (limits.processes is None and limits.memory_bytes is None):
        return ()
    return (PROCESSES_UNWATCHED,)


def _shared_memory() -> set[str]:
    """The names of what all programs share, which is not a folder of the run's own."""
    with contextlib.suppress(OSError):
        return set(os.listdir(SHARED_MEMORY))  # noqa: PTH208
    return set()


def _left_in_memory(before: set[str]) -> tuple[str, ...]:
    """A note on what is in shared memory since the run began: programs need it, so it cannot be taken away.

    What another user made, or a program still uses, was not left by this run, which has ended.
    """
    new = [name for name in sorted(_shared_memory() - before) if _is_own(f"{SHARED_MEMORY}/{name}")]
    used = {f"{SHARED_MEMORY}/{name}" for name in new}
    for wait in LOOKS:  # another run may only be reading it; a program whose file it is keeps it open
        if used:
            time.sleep(wait)
            used &= process_table.files_in_use(f"{SHARED_MEMORY}/")
    new = [name for name in new if f"{SHARED_MEMORY}/{name}" not in used]
    return (f"{LEFT_IN_MEMORY}{', '.join(new[:MOST_NAMED])}",) if new else ()


def _is_own(path: str) -> bool:
    try:
        return os.lstat(path).st_uid == os.geteuid()
    except OSError:
        return False


def _rights(
    command: Command, folders: OwnFolders, planned: PlannedRun, hidden: Hidden, environment: Mapping[str, str]
) -> Rights | None:
    """What it can read and write; None when nothing is confined, or cannot be on this system."""
    limits = planned.variant.limits
    if (limits.reads is None and limits.writes is None) or not is_possible():
        return None
    home = folders.home if command.own_home else str(Path.home())
    writable = [folders.workspace, folders.temporary, *([folders.home] if command.own_home else [])]
    if limits.reads is None:
        return Rights(None, [*writable, home, *(limits.writes or ())])
    reads = [folders.root, *readable_paths(planned.variant, hidden, environment.get("PATH", os.defpath))]
    # Where nothing is said of writing, it can write whatever it can read.
    return Rights(reads, [*writable, *reads[1:]] if limits.writes is None else [*writable, home, *limits.writes])


def _watched(rights: Rights | None, planned: PlannedRun) -> tuple[str, ...]:
    """The notes on what was confined."""
    writes = UNWATCHED if rights is None or planned.variant.limits.writes is None else CONFINED
    return (writes,) if rights is not None and rights.reads is not None else (writes, READS_ANYTHING)


def _refusals(run: AgentRun, ended: Ended, rights: Rights, planned: PlannedRun, into: Path) -> tuple[str, ...]:
    texts = [ended.errors]
    if run.transcript is not None:
        with (into / run.transcript).open("rb") as file:
            texts.append(file.read(MOST_READ))
    read = [] if rights.reads is None else refused_paths(texts, rights.reads, os.R_OK)
    writes = planned.variant.limits.writes
    written = [] if writes is None else refused_paths(texts, rights.writes, os.W_OK)
    return (
        *notes_on_refusals(written, TRIED),
        *notes_on_refusals([path for path in read if path not in written], REFUSED),
    )


def _with_output(run: AgentRun, command: Command, ended: Ended, workspace: Path, most: int | None) -> AgentRun:
    data = ended.output
    if command.output is not None:
        path = workspace / command.output
        try:
            if not path.resolve().is_relative_to(workspace.resolve()):
                raise OSError(None, "it leads out of the workspace")
            with path.open("rb") as file:
                data = file.read(-1 if most is None else most + 1)
        except OSError as error:
            if run.outcome != "finished":
                return run
            why = "it did not write" if isinstance(error, FileNotFoundError) else f"{error.strerror}:"
            return run._replace(outcome="failed", reason=f"{why} {command.output}, which holds its output")
        if most is not None and len(data) > most:
            data = data[:most]
            reason = f"{command.output} is larger than {most:,} bytes"
            run = run._replace(outcome="stopped by a limit", reason=reason) if run.outcome == "finished" else run
    if not data and run.outcome != "finished":
        return run
    try:
        return run._replace(output=data.decode())
    except UnicodeDecodeError as error:
        note = f"its output is not valid UTF-8, from byte {error.start:,} on; what cannot be read is marked"
        return run._replace(output=data.decode(errors="replace"), notes=(*run.notes, note))


def _with_transcript(
    run: AgentRun, command: Command, folders: OwnFolders, into: Path, ended: Ended, since: float
) -> AgentRun:
    """Copy the transcript, and what Claude Code keeps of sub-agents in the folder of the session's name."""
    if command.transcript is None:
        return run
    if command.transcript == STDOUT:
        _made(into, "transcript.jsonl").write_bytes(ended.output)
        return run._replace(transcript="transcript.jsonl")
    if command.transcript == AUTO and command.own_home and folders.has_empty_home():
        return run  # most commands write nothing there, and looking takes time
    home = Path(folders.home) if command.own_home else Path.home()
    path, notes = find_transcript(
        command.transcript, Path(folders.workspace), home, own_home=command.own_home, since=since - 1
    )
    run = run._replace(notes=(*run.notes, *notes))
    if path is None:
        return run
    target = _made(into, "transcript")
    target.mkdir()
    shutil.copyfile(path, target / path.name)
    if path.with_suffix("").is_dir():
        shutil.copytree(path.with_suffix(""), target / path.stem, symlinks=True)
    return run._replace(transcript=f"transcript/{path.name}")


def _made(into: Path, name: str) -> Path:
    """A path in the folder of what is kept, which is created if needed."""
    into.mkdir(exist_ok=True)
    return into / name


def _with_changes(run: AgentRun, folders: OwnFolders, into: Path) -> tuple[AgentRun, Aftermath]:
    changed = folders.changes()
    if not os.path.isdir(folders.workspace):  # noqa: PTH112
        run = run._replace(notes=(*run.notes, DELETED))
    if not changed:
        return run, Aftermath()
    text, hidden = diff_text(changed)
    if hidden:
        run = run._replace(notes=(*run.notes, f"{hidden:,} changes in folders such as .git are not in the diff"))
    _made(into, CHANGES).write_bytes(text.encode(errors="surrogateescape"))
    run = run._replace(changes=CHANGES)
    gone = tuple(change.target for change in changed if change.now is None)
    is_whole = True
    if not fits(changed):
        note = "what it wrote is too much to keep, or cannot be read: some of it is lost"
        run = run._replace(notes=(*run.notes, note))
        is_whole, changed = False, keepable(changed)
    _keep_files(changed, into / FILES)
    return run, Aftermath(tuple(change.now for change in changed if change.now is not None), gone, is_whole)


def _keep_files(changed: list[Change], into: Path) -> None:
    for change in changed:
        if change.now is not None and change.now.kind == "file":
            target = into / change.target
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(change.now.source, target)


NO_WAY = "it must run without network, which needs unshare or bubblewrap on this system"


@lru_cache(maxsize=1)
def without_network() -> tuple[str, ...] | None:
    """The words to put before a command; None when there is no way."""
    ways: list[tuple[str, ...]] = []
    if unshare := shutil.which("unshare"):
        # As root no user namespace is needed; others keep their own name in the new one.
        ways += [(unshare, "--net")] if os.geteuid() == 0 else []
        ways += [(unshare, "--user", "--map-current-user", "--net")]
    if bwrap := shutil.which("bwrap"):
        ways += [(bwrap, "--dev-bind", "/", "/", "--unshare-net")]
    return next((way for way in ways if _works(way)), None)


def _works(way: tuple[str, ...]) -> bool:
    try:
        return subprocess.run([*way, "true"], capture_output=True, timeout=10, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
