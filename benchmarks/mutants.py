"""Does a room's contract notice small mistakes? Makes them one by one in a copy of the project, and runs the contract.

python benchmarks/mutants.py --contract core                 120 mutants of the core, drawn anew
python benchmarks/mutants.py --contract store --sample 50    fewer, in another room
python benchmarks/mutants.py --contract core --seed 7        the mutants of an earlier run, whose seed it printed
python benchmarks/mutants.py --contract core --only ranking  every mutant of the files whose path contains this

Only the tests in tests/contract/ROOM count. Which of them run which functions is recorded first, with one run of the
contract. The tests are loaded once and forked for every mutant (see loaded_tests); what a fork does not notice is tried
again with everything loaded after the change. Every mutant is shown as soon as it is tried, in the order they were
drawn, so that a run that is stopped early is a smaller sample; Ctrl-C reports on it.
It runs in a namespace of its own for processes, since a mistake in code that ends some could end all of the user's.
A mutant that makes no difference counts as not caught all the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from compileall import compile_dir
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from loaded_tests import Loaded, Question, wait
from measuring import PROJECT, PYTHON, table, verdict
from mutating import Mutant, changed, mutants_of
from related_tests import RECORD, Related, forget, note_calls

CONTRACTS = PROJECT / "tests" / "contract"
ROOMS = sorted(
    folder.name
    for folder in CONTRACTS.iterdir()
    if (PROJECT / "src" / "evenhand" / folder.name / "__init__.py").exists()
)
"""The rooms that have a contract: a folder of tests with a room's name."""

ELSEWHERE = ("core/calibration.py",)
"""What lies in a room and is no part of what its contract states: in `core`, calibrations, which belong to trust."""

AIM = 70
"""Percent of a room's mutants that its contract catches, at the least: the lower end of the interval."""

BUDGET = 60.0
"""Seconds of tests, as recorded, that are run against one mutant; the quickest ones first."""

PATIENCE = 5
"""A mutant is an endless loop when its tests take so many times as long as they did, and half a minute."""

_APART = "EVENHAND_MUTANTS_APART"
"""Set where no other process is in danger."""

_COPIED = shutil.ignore_patterns(
    ".git", ".venv", ".*_cache", ".hypothesis", ".evenhand", "__pycache__", "build", "dist", "*.egg-info"
)
_SITE = f"""import os
if os.environ.get("{RECORD}") and os.environ.get("PYTEST_CURRENT_TEST"):
    import related_tests
    related_tests.watch_process()
"""


class Result(NamedTuple):
    """What became of a mutant."""

    mutant: Mutant
    how: str
    """failed, timed out, survived, or untested when no test of the contract runs the code."""
    seconds: float

    @property
    def caught(self) -> bool:
        return self.how in ("failed", "timed out")


def main() -> int:
    options = _options()
    _keep_to_ourselves()
    with tempfile.TemporaryDirectory(prefix="evenhand-mutants-") as scratch:
        record = options.record or Path(scratch, "record")
        record_tests(options.contract, record, Path(scratch, "recording"), options.jobs)
        related = Related(record, PROJECT / "src")
        jobs = [_job(mutant, related, options.timeout) for mutant in _sample(options)]
        results = []
        try:
            for result in _run_all(jobs, options, Path(scratch)):
                results.append(result)
        except KeyboardInterrupt:
            print("stopped", file=sys.stderr)
    print(f"seed {options.seed}")
    return _report(options.contract, sorted(results, key=lambda result: result.mutant))


class Job(NamedTuple):
    """A mutant with the tests to run against it."""

    mutant: Mutant
    tests: list[str]
    timeout: float


def _job(mutant: Mutant, related: Related, timeout: float | None) -> Job:
    tests = related.to(mutant.file, mutant.function, mutant.name, BUDGET)
    return Job(mutant, tests, timeout or 30 + PATIENCE * sum(related.seconds[test] for test in tests))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contract", required=True, choices=ROOMS, help="the room whose contract is tried")
    parser.add_argument("--sample", type=int, default=120, help="how many mutants (120)")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9), help="draws the mutants; new each time")
    parser.add_argument("--jobs", type=int, default=1, help="tests recorded, and mutants tested, at once (1)")
    parser.add_argument("--timeout", type=float, help="seconds for the tests of one mutant; else by what they took")
    parser.add_argument("--record", type=Path, help="a folder that keeps which tests are related")
    parser.add_argument("--only", help="part of a path: all mutants of the files it fits")
    return parser.parse_args()


def _keep_to_ourselves() -> None:
    """Start again where no other process can be seen: a mistake in code that ends processes could end all of the
    user's. Refuse to go on where the system offers no such place, unless the user says that it is a machine apart."""
    if os.environ.get(_APART):
        return
    own = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    for way in (own, [*own[:1], "--user", "--map-current-user", *own[1:]]):
        if shutil.which("unshare") and subprocess.run([*way, "true"], capture_output=True, check=False).returncode == 0:
            os.environ[_APART] = "namespace"
            os.execvp(way[0], [*way, PYTHON, *sys.argv])
    sys.exit(
        "mutants of code that ends processes could end all of yours, and this system has no namespace for processes; "
        f"in a container or a virtual machine of its own, set {_APART}=1"
    )


def copy_project(folder: Path) -> Path:
    """The project without what is made from it: the only tree that is ever changed."""
    shutil.copytree(PROJECT, folder, ignore=_COPIED)
    data = PROJECT.parent / "shared"
    if data.is_dir() and not (folder.parent / "shared").exists():  # the files of others that tests read
        (folder.parent / "shared").symlink_to(data.resolve())
    return folder


def record_tests(room: str, record: Path, scratch: Path, jobs: int) -> None:
    """Run the tests of the contract that are not recorded as they are now, and note which functions each calls.

    Its cases are data, so a change of any file beside the tests counts as one of all tests, golden files aside."""
    contract = PROJECT / "tests" / "contract" / room
    files = [path for path in sorted(contract.rglob("*")) if path.suffix not in (".pyc", ".txt") and path.is_file()]
    cases = b"".join(path.read_bytes() for path in files if not path.match("test_*.py"))
    current = {
        path.relative_to(PROJECT).as_posix(): hashlib.sha256(path.read_bytes() + cases).hexdigest()
        for path in files
        if path.match("test_*.py")
    }
    done = record / "recorded.json"
    known = json.loads(done.read_text(encoding="utf-8")) if done.exists() else {}
    new = [name for name, content in current.items() if known.get(name) != content]
    if not new:
        return
    print(f"recording which functions the contract runs: {len(new)} test files", file=sys.stderr)
    forget(record, set(new) | set(known) - set(current))
    tree = copy_project(scratch / "tree")
    note_calls(tree / "src")
    record.mkdir(parents=True, exist_ok=True)
    site = scratch / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(_SITE, encoding="utf-8")
    folders = [tree / "src", tree / "tests" / "support", tree / "benchmarks", site]
    command = [
        PYTHON,
        "-m",
        "pytest",
        "-p",
        "related_tests",
        "-p",
        "forked_command",
        "-p",
        "no:cacheprovider",
        "--continue-on-collection-errors",
    ]
    environment = os.environ | {RECORD: str(record.resolve()), "PYTHONPATH": os.pathsep.join(map(str, folders))}
    parts = [part for part in (new[number::jobs] for number in range(jobs)) if part]
    running = [subprocess.Popen([*command, *part], cwd=tree, env=environment, stdout=sys.stderr) for part in parts]
    for process in running:
        process.wait()
    done.write_text(json.dumps(current, indent=1), encoding="utf-8")


def _sample(options: argparse.Namespace) -> list[Mutant]:
    source = PROJECT / "src"
    package = source / "evenhand"
    mutants = [
        mutant
        for path in sorted((package / options.contract).rglob("*.py"))
        if not path.relative_to(package).as_posix().startswith(ELSEWHERE)
        for mutant in mutants_of(path.relative_to(source).as_posix(), path.read_text(encoding="utf-8"))
    ]
    if options.only:
        return [mutant for mutant in mutants if options.only in mutant.file]
    return sorted(mutants, key=lambda mutant: mutant.rank(options.seed))[: options.sample]


# --- running -------------------------------------------------------------------------------------


def _run_all(jobs: Sequence[Job], options: argparse.Namespace, scratch: Path) -> Iterator[Result]:
    forking = multiprocessing.get_context("fork")
    tests = sorted({test for job in jobs for test in job.tests})
    with forking.Pool(options.jobs, initializer=_start_worker, initargs=(scratch, tests)) as pool:
        unchanged = [
            job._replace(mutant=job.mutant._replace(after=job.mutant.before)) for job in jobs[:: len(jobs) // 4 or 1]
        ]
        for result in pool.imap_unordered(_try, unchanged):
            if result.caught:
                sys.exit(f"the tests fail without any change, so they can catch nothing: {_shown(result.mutant)}")
        for number, result in enumerate(pool.imap_unordered(_try, jobs), start=1):
            print(f"{number}/{len(jobs)} {result.how} {result.seconds:.1f} s {_shown(result.mutant)}", file=sys.stderr)
            yield result


class _Worker(NamedTuple):
    """A process with a tree of its own, and one beside it in which all tests are loaded."""

    tree: Path
    loaded: Connection

    def ask(self, question: Question) -> str:
        try:
            self.loaded.send(question)
            return str(self.loaded.recv())
        except (EOFError, OSError):
            raise RuntimeError("the tests cannot be loaded, or ended all tests: run pytest to see why") from None


_worker: list[_Worker] = []


def _start_worker(scratch: Path, tests: list[str]) -> None:
    """A tree of its own, and the packages that tests load, loaded once; evenhand itself is loaded after each change,
    and once in a process beside this one."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # NumPy starts no threads, which a fork would lose
    for package in ("aiohttp", "hypothesis.strategies", "jsonschema", "markdown_it", "pytest", "rich.table", "yaml"):
        import_module(package)

    tree = copy_project(scratch / f"worker-{os.getpid()}")
    paths = [str(tree / "src"), str(tree / "tests" / "support")]
    sys.path[:0] = paths
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    os.chdir(tree)
    for folder in ("src", "tests"):
        compile_dir(tree / folder, quiet=2)
    sys.dont_write_bytecode = True  # what was compiled just now is never overwritten by something changed
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    ours, theirs = multiprocessing.Pipe()
    _fork(tests, "-s", f"--basetemp={scratch}/files-{os.getpid()}", plugins=[Loaded(theirs, ours)])
    theirs.close()
    _worker[:] = [_Worker(tree, ours)]
    with suppress(EOFError):  # said again when it is asked something
        ours.recv()


def _try(job: Job) -> Result:
    """Make the change, run its tests in forks, undo the change."""
    mutant, tests, timeout = job
    begun = time.monotonic()
    if not tests:
        return Result(mutant, "untested", 0.0)
    worker = _worker[0]
    path = worker.tree / "src" / mutant.file
    source = path.read_text(encoding="utf-8")
    times = path.stat()
    after = changed(source, mutant)
    path.write_text(after, encoding="utf-8")
    try:
        how = worker.ask(Question(str(path), source, after, tests, timeout))
        if how == "unseen":
            how = _try_anew(tests, time.monotonic() + timeout)
    finally:
        path.write_text(source, encoding="utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    return Result(mutant, how, time.monotonic() - begun)


def _try_anew(tests: list[str], until: float) -> str:
    """Run the tests with everything loaded after the change."""
    for part in _near_and_far(tests):
        code = wait(_fork(part), until)
        if code != 0:
            return "timed out" if code is None else "failed"
    return "survived"


def _near_and_far(tests: list[str]) -> list[list[str]]:
    """The tests of the two files with the most of them, then the others: files take longer to load than tests to run,
    and what is caught is mostly caught by the nearest."""
    near = [file for file, _ in Counter(test.partition("::")[0] for test in tests).most_common(2)]
    parts = [[test for test in tests if (test.partition("::")[0] in near) == first] for first in (True, False)]
    return [part for part in parts if part]


def _fork(tests: list[str], *arguments: str, plugins: Sequence[object] = ()) -> int:
    """A process that runs pytest on these tests; its exit code is pytest's."""
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        os.setsid()
        # A worker of a pool may not start processes, and some tests do: they would fail whatever was changed.
        multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        import pytest

        files = sorted({test.partition("::")[0] for test in tests})
        words = ["-x", "-q", "--no-header", "--tb=no", "--assert=plain", "--hypothesis-seed=0", *arguments, *files]
        words += ["-p", "forked_command", "-p", "no:cacheprovider"]
        code = int(pytest.main(words, plugins=[_Chosen(tests), *plugins]))
    finally:
        os._exit(code)


class _Chosen:
    """A pytest plug-in: these tests only, in this order, without the search for the smallest failing example."""

    def __init__(self, tests: list[str]) -> None:
        self.order = {test: place for place, test in enumerate(tests)}

    def pytest_configure(self) -> None:
        from hypothesis import Phase, settings

        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("mutants", settings(settings.default, phases=phases, database=None))
        settings.load_profile("mutants")

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        chosen = [item for item in items if item.nodeid in self.order]
        items[:] = sorted(chosen, key=lambda item: self.order[item.nodeid])


# --- reporting -----------------------------------------------------------------------------------


def _report(room: str, results: list[Result]) -> int:
    caught = sum(result.caught for result in results)
    low, high = _interval(caught, len(results))
    row = (room, str(len(results)), str(caught), f"{caught / len(results):.1%}", f"{low:.1%} to {high:.1%}")
    print(table(("contract", "mutants", "caught", "share", "95 % interval"), [row]))
    print(f"lower end above {AIM} %: {verdict(100 * low > AIM)}")
    for result in results:
        if not result.caught:
            print(f"  {_shown(result.mutant)}{f' ({result.how})' if result.how != 'survived' else ''}")
            print(f"      {result.mutant.text}")
    return 0


def _interval(caught: int, tried: int) -> tuple[float, float]:
    """Clopper and Pearson's."""
    from scipy.stats import beta

    low = float(beta.ppf(0.025, caught, tried - caught + 1)) if caught else 0.0
    high = float(beta.ppf(0.975, caught + 1, tried - caught)) if caught < tried else 1.0
    return low, high


def _shown(mutant: Mutant) -> str:
    return f"{mutant.file}:{mutant.line}: {' '.join(mutant.before.split())[:60]} -> {mutant.after[:70]}"


if __name__ == "__main__":
    sys.exit(main())
