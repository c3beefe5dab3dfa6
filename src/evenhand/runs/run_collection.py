"""What a run has left, taken out of its folders: its output, its transcript, what it changed.

A run may leave anything: links without an end, pipes, folders nested beyond every path, a million files, names in any
bytes. None of it raises: it becomes the run's failure or a note. Only our own disk does, as Unavailable.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evenhand.decisions.suite import Command
from evenhand.errors import Unavailable
from evenhand.runs.known_agents import STDOUT, find_transcript
from evenhand.runs.limited_process import Ended
from evenhand.runs.planned import PlannedRun
from evenhand.runs.run_document import CHANGES, FILES, Aftermath
from evenhand.runs.workspaces.workspace import OwnFolders, copy_file, with_folders
from evenhand.runs.workspaces.workspace_changes import Change, changes, diff_text, is_kept, shown_name
from evenhand.work.agent_run import AgentRun

GIVEN_CHANGED = "it changed given files: "
"""How the note begins on a run that changed what its case gave it."""

DELETED = "it deleted its workspace"
MOST_NAMED = 5
GOES_ON = "finished runs are safe, and the same command goes on from there"

_OUR_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE}
"""What no run can bring about on a disk that has room for what its limits allow."""


@contextmanager
def our_disk(folder: str | Path, *, only_full: bool = False) -> Iterator[None]:
    """The error for a full or read-only disk, which is not the run's fault: everything stops and can be resumed.

    With `only_full`, other errors may be due to what a run left, and go on as they are.
    """
    try:
        yield
    except OSError as error:
        if only_full and error.errno not in _OUR_DISK:
            raise
        raise Unavailable(f"runs cannot be kept in {folder}: {error.strerror or error}; {GOES_ON}") from None


def collected(
    planned: PlannedRun, run: AgentRun, ended: Ended, folders: OwnFolders, into: Path
) -> tuple[AgentRun, Aftermath]:
    """A run with all that it left, copied into the folder `into`, which is made if there is something to keep."""
    does = planned.variant.does
    command = does if isinstance(does, Command) else None
    run = _with_output(run, command, ended, folders.workspace, planned.variant.limits.output_bytes)
    run = _with_transcript(run, command, folders, into, ended)
    if ended.errors:
        with our_disk(into):
            _made(into, "errors.txt").write_bytes(ended.errors)
    return _with_changes(planned, run, folders, into)


def _with_output(run: AgentRun, command: Command | None, ended: Ended, workspace: str, most: int | None) -> AgentRun:
    data = ended.output
    if command is not None and command.output is not None:
        try:
            data = _product(workspace, command.output, most)
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


def _product(workspace: str, name: str, most: int | None) -> bytes:
    """The bytes of a plain file in the workspace, one more than the limit at most. OSError for anything else."""
    path = os.path.realpath(f"{workspace}/{name}")
    if not path.startswith(f"{os.path.realpath(workspace)}/"):
        raise OSError(None, f"it leads out of the workspace, to {shown_name(path)}")
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(None, "it is not a plain file")
        with open(file, "rb", closefd=False) as stream:
            return stream.read(-1 if most is None else most + 1)
    finally:
        os.close(file)


def _with_transcript(run: AgentRun, command: Command | None, folders: OwnFolders, into: Path, ended: Ended) -> AgentRun:
    """Copy the transcript, and what Claude Code keeps of sub-agents in the folder of the session's name."""
    if command is None or command.transcript is None:
        return run
    if command.transcript == STDOUT:
        with our_disk(into):
            _made(into, "transcript.jsonl").write_bytes(ended.output)
        return run._replace(transcript="transcript.jsonl")
    path, notes = find_transcript(command.transcript, Path(folders.workspace), Path(folders.home))
    run = run._replace(notes=(*run.notes, *notes))
    if path is None:
        return run
    try:
        with our_disk(into, only_full=True):
            target = _made(into, "transcript")
            target.mkdir()
            copy_file(str(path), target / path.name, follows=False)
            for inner in path.with_suffix("").rglob("*.jsonl") if path.with_suffix("").is_dir() else ():
                beside = target / path.stem / inner.relative_to(path.with_suffix(""))
                beside.parent.mkdir(parents=True, exist_ok=True)
                copy_file(str(inner), beside, follows=False)
    except OSError as error:
        note = f"its transcript {shown_name(path.name)} could not be kept: {error.strerror or error}"
        return run._replace(notes=(*run.notes, note))
    return run._replace(transcript=f"transcript/{path.name}")


def _made(into: Path, name: str) -> Path:
    """A path in the folder of what is kept, which is created if needed."""
    into.mkdir(exist_ok=True)
    return into / name


def _with_changes(planned: PlannedRun, run: AgentRun, folders: OwnFolders, into: Path) -> tuple[AgentRun, Aftermath]:
    if not os.path.isdir(folders.workspace) or os.path.islink(folders.workspace):  # noqa: PTH112, PTH114
        run = run._replace(notes=(*run.notes, DELETED))
    changed, notes = changes(folders.workspace, with_folders(planned.listing))
    run = run._replace(notes=(*run.notes, *notes, *_given_changed(changed)))
    if not changed:
        return run, Aftermath(whole=not notes)
    text, hidden = diff_text(changed)
    if hidden:
        run = run._replace(notes=(*run.notes, f"{hidden:,} changes in folders such as .git are not in the diff"))
    with our_disk(into):
        _made(into, CHANGES).write_bytes(text.encode(errors="surrogateescape"))
    run = run._replace(changes=CHANGES)
    gone = tuple(change.target for change in changed if change.now is None)
    kept = [change for change in changed if is_kept(change) and _keep_file(change, into / FILES)]
    is_whole = not notes and len(kept) + len(gone) == len(changed)
    if not is_whole:
        note = "what it wrote is too much to keep, or cannot be read: some of it is lost"
        run = run._replace(notes=(*run.notes, note))
    return run, Aftermath(tuple(change.now for change in kept if change.now is not None), gone, is_whole)


def _given_changed(changed: list[Change]) -> tuple[str, ...]:
    """A note on given files that are no longer what they were."""
    names = [
        shown_name(change.target) for change in changed if change.before is not None and change.before.kind == "file"
    ]
    if not names:
        return ()
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return (f"{GIVEN_CHANGED}{', '.join(names[:MOST_NAMED])}{more}",)


def _keep_file(change: Change, into: Path) -> bool:
    """Copy the bytes of a changed file; whether that could be done."""
    if change.now is None or change.now.kind != "file":
        return change.now is not None
    target = into / change.target
    try:
        with our_disk(into, only_full=True):
            target.parent.mkdir(parents=True, exist_ok=True)
            copy_file(change.now.source, target, follows=False)
    except OSError:
        return False
    return True
