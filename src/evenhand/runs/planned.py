"""Runs planned: what each one starts from, and the key by which it is kept and found again."""

from __future__ import annotations

import os
import subprocess
import tarfile
import threading
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.core.receipt import canonical_text, sha256
from evenhand.decisions.suite import Case, Command, Function, Recorded, Skill, Variant
from evenhand.errors import InputError, Problem
from evenhand.runs.workspaces.kept_back import KeptBack
from evenhand.runs.workspaces.start_listing import Listing, file_hash, hash_now, list_start, listing_hash, skill_files
from evenhand.work.agent_run import RunId

KEY_VERSION = 2
"""Raised when runs under the same key would no longer be the same."""

CHANGED = "changed while the suite was running; run it again"
"""Variants are compared on the same files, so no run starts from others than the first run of its case."""

LARGEST_PROGRAM = 1_000_000
"""Bytes up to which a file that an argument names counts with its bytes: a script does, an interpreter does not."""


class PlannedRun(NamedTuple):
    """One run that is to be made, or found."""

    id: RunId
    case: Case
    variant: Variant
    key: str
    """Empty when it cannot start."""
    listing: Listing = ()
    skill: str = ""
    """The name of the skill's folder; empty without one."""
    problem: str = ""
    """Why it cannot start; empty when it can."""


class Planner:
    """Plans the runs of a suite. A skill and its revision are looked up once, when the first run needs them."""

    def __init__(self, variants: Sequence[Variant], folder: Path, kept_back: KeptBack | None = None) -> None:
        """`folder` is where skills are put that come from a git revision; of what is `kept_back`, no skill has a
        copy."""
        self._folder = folder
        self._kept_back = kept_back or KeptBack()
        self.left_out: dict[Skill, tuple[str, ...]] = {}
        """What was not copied of each skill, by its paths in the skill's folder."""
        self._skills: dict[Skill, Listing | InputError] = {}
        self._looking = threading.Lock()
        self._starts: dict[str, str] = {}
        """The hash of what the runs of a case start from."""
        self._twins = {
            variant.name: sum(_same_definition(variant, earlier) for earlier in variants[:place])
            for place, variant in enumerate(variants)
        }

    def plan(self, case: Case, variant: Variant, repeat: int) -> PlannedRun:
        """One run. What it starts from is hashed now, and compared when it is copied."""
        id = RunId(case.id, variant.name, repeat)
        if isinstance(variant.does, Recorded):
            return _recorded(id, case, variant)
        name = "" if variant.skill is None else Path(variant.skill.path).name
        try:
            files = list_start(case.files)
            hashed = listing_hash(files)
            if self._starts.setdefault(case.id, hashed) != hashed:
                sources = " or ".join(file.source for file in case.files)
                return PlannedRun(id, case, variant, "", problem=f"{sources} {CHANGED}")
            listing = files
            if variant.skill is not None:
                start = {entry.target: entry for entry in (*files, *self._skill(variant.skill))}
                listing = tuple(start[target] for target in sorted(start))
                hashed = listing_hash(listing)
            key = self._key(case, variant, repeat, hashed, name)
        except InputError as error:
            return PlannedRun(id, case, variant, "", problem=str(error.problems[0]))
        except UnicodeEncodeError:
            problem = "the prompt, or the name of a file it starts from, holds characters that are not valid Unicode"
            return PlannedRun(id, case, variant, "", problem=problem)
        return PlannedRun(id, case, variant, key, listing, name)

    def _skill(self, skill: Skill) -> Listing:
        with self._looking:
            if skill not in self._skills:
                try:
                    self._skills[skill] = self._listed(skill)
                except InputError as error:
                    self._skills[skill] = error
            listing = self._skills[skill]
        if isinstance(listing, InputError):
            raise listing
        return listing

    def _listed(self, skill: Skill) -> Listing:
        """A skill's files without what is kept back."""
        copied_from = self._files_of(skill)
        places = skill_files(copied_from, Path(skill.path).name)
        split = self._kept_back.split(list_start(places), [place.target for place in places], copied_from, skill.path)
        self.left_out[skill] = split.left_out
        return split.listing

    def _files_of(self, skill: Skill) -> str:
        if skill.revision is None:
            return skill.path
        commit = resolved_revision(skill.path, skill.revision)
        target = self._folder / f"{commit}-{sha256(skill.path)[:12]}"
        if not target.exists():
            extract(skill.path, commit, target)
        return str(target)

    def _key(self, case: Case, variant: Variant, repeat: int, start: str, skill: str) -> str:
        dependencies = {
            "version": KEY_VERSION,
            "kind": type(variant.does).__name__,
            "does": _plain(variant.does._asdict()),
            "programs": _programs(variant.does),
            "limits": _plain(variant.limits._asdict()),
            "case": case.id,
            "prompt": case.prompt,
            "conversation": [list(message) for message in case.conversation],
            "start": start,
            "skill": skill,
            "repeat": repeat,
            "twin": self._twins[variant.name],
        } | ({"vars": dict(case.variables)} if case.variables else {})
        return sha256(canonical_text(dependencies))


def recorded_path(recorded: Recorded, id: RunId) -> str:
    """The file of a recorded output."""
    return recorded.pattern.replace("{case}", id.case).replace("{repeat}", str(id.repeat))


def _recorded(id: RunId, case: Case, variant: Variant) -> PlannedRun:
    assert isinstance(variant.does, Recorded)
    path = recorded_path(variant.does, id)
    try:
        if os.path.isdir(path):  # noqa: PTH112
            return PlannedRun(id, case, variant, "", problem=f"{path} is a folder; a recorded output is a file")
        key = sha256(canonical_text({"recorded": hash_now(path), "case": id.case, "repeat": id.repeat}))
        return PlannedRun(id, case, variant, key)
    except OSError as error:
        return PlannedRun(id, case, variant, "", problem=f"{path}: {error.strerror or error}")
    except ValueError:  # a NUL in the path
        return PlannedRun(id, case, variant, "", problem=f"{path!r} is not a path")


def _same_definition(left: Variant, right: Variant) -> bool:
    """Whether two variants differ only in name. They must not share runs: they are there to be compared."""
    return left._replace(name="", place=right.place) == right._replace(name="")


def _programs(does: Any) -> dict[str, str]:
    """The hashes of files that a command or a function is made of, as far as they are named."""
    if isinstance(does, Command):
        names = [argument for argument in does.arguments if argument.startswith("/")]
    elif isinstance(does, Function):
        names = [does.target.rpartition(":")[0]]
    else:
        names = []
    files = [name for name in names if os.path.isfile(name)]  # noqa: PTH113
    return {name: file_hash(name) for name in files if os.path.getsize(name) <= LARGEST_PROGRAM}  # noqa: PTH202


def _plain(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields as plain JSON values."""
    return {
        name: value if value is None or isinstance(value, bool | int | str) else _plain_value(value)
        for name, value in fields.items()
    }


def _plain_value(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if hasattr(value, "items") else str(value)


def resolved_revision(folder: str, revision: str) -> str:
    """The commit that a revision names; a branch may move, a commit does not."""
    if revision.startswith("-"):
        raise InputError(Problem(f'"{revision}" is not a git revision', folder))
    return _git(folder, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", what=revision).decode().strip()


def extract(folder: str, commit: str, target: Path) -> None:
    """Write the folder's files at a commit into a new folder."""
    prefix = _git(folder, "rev-parse", "--show-prefix", what=commit).decode().strip() or "./"
    data = _git(folder, "archive", "--format=tar", commit, "--", ".", what=f"{commit[:12]} ({prefix})")
    target.mkdir(parents=True)
    with tarfile.open(fileobj=BytesIO(data)) as archive:
        archive.extractall(target, filter="data")


def _git(folder: str, *words: str, what: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", folder, *words], capture_output=True, check=False)
    except FileNotFoundError:
        raise InputError(Problem("a git revision needs git, which is not installed", folder)) from None
    if done.returncode != 0:
        git_error = done.stderr.decode(errors="replace").strip().splitlines()
        why = f": {git_error[-1][:200]}" if git_error else ""
        raise InputError(Problem(f"git has no {what} of this folder{why}", folder))
    return done.stdout
