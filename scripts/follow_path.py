"""Follow a submission through the code, on a real run of `evenhand judge` with a model server in another thread.

python scripts/follow_path.py           the figures as a table
python scripts/follow_path.py --list    the functions on the way too, in the order in which they are entered

A function is on the way when it is handed the file that the user named, its submission, the submission's texts, or what
is made of it: the judgement, the scorecard, the record in the store. It counts once, when it is entered first. The way
ends where a report is made: how a report is laid out is a path of its own.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "evenhand"
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "src")]

from example_judges import answer  # noqa: E402
from fake_server import FakeServer  # noqa: E402

OUTPUT, TASK = ((ROOT / "examples" / name).read_text(encoding="utf-8") for name in ("answer.md", "task.md"))
GIVEN = {"answer.md", OUTPUT, OUTPUT.strip(), TASK, TASK.strip()}
MADE_OF_IT = {"Submission", "Shown", "Judgement", "Scorecard", "Record"}
OF_A_METHOD = ("self", "cls")
BEYOND = ("reports/",)
"""Where the way ends."""


class Stop(NamedTuple):
    """A function on the way."""

    file: str
    function: str
    beside: tuple[str, ...]
    """Its other parameters."""


class Route(NamedTuple):
    """The whole way."""

    stops: list[Stop]
    names: set[str]

    @property
    def files(self) -> list[str]:
        """The files in the order in which they are entered; one that is left and entered again comes again."""
        entered = [stop.file for stop in self.stops]
        return [file for before, file in zip(["", *entered], entered, strict=False) if file != before]


class Follower:
    """Watches calls and notes those that are handed the submission."""

    def __init__(self) -> None:
        self.path = Route([], set())
        self._seen: set[Any] = set()
        self._beyond = 0
        """How many calls deep the run is behind the end of the way."""

    def watch(self, frame: FrameType, event: str, argument: object) -> None:
        """What `sys.setprofile` calls."""
        if event not in ("call", "return"):
            return
        file = _file(frame)
        if file is not None and file.startswith(BEYOND):
            self._beyond += 1 if event == "call" else -1
        if file is None or self._beyond or frame.f_code.co_name.startswith("<"):
            return
        carried = {name for name, value in frame.f_locals.items() if is_it(value)}
        if event == "call":
            self._enter(frame, file, carried)
        elif frame.f_code in self._seen:
            self.path.names.update(name for name in carried if name not in OF_A_METHOD)

    def _enter(self, frame: FrameType, file: str, carried: set[str]) -> None:
        code = frame.f_code
        parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        more = frame.f_locals.get(code.co_varnames[len(parameters)], {}) if code.co_flags & 0x08 else {}
        if code in self._seen or not carried.intersection(parameters):
            return
        self._seen.add(code)
        beside = [name for name in (*parameters, *(more if isinstance(more, dict) else ())) if name not in carried]
        beside = [name for name in beside if name not in OF_A_METHOD]
        self.path.stops.append(Stop(file, code.co_qualname, tuple(beside)))


def _file(frame: FrameType) -> str | None:
    try:
        return Path(frame.f_code.co_filename).relative_to(SOURCE).as_posix()
    except ValueError:
        return None


def is_it(value: object, depth: int = 2) -> bool:
    """Whether a value is the submission, a part of it, what was made of it, or a tuple or list with one of these."""
    if isinstance(value, str):
        return value in GIVEN
    if type(value).__name__ in MADE_OF_IT:
        return True
    if isinstance(value, tuple | list) and depth:
        return any(is_it(part, depth - 1) for part in value[:20])
    return False


def follow() -> Route:
    """Judge the example with a panel of one, kept in a new store, and follow it."""
    from evenhand.cli.main import run

    follower = Follower()
    with FakeServer() as server, tempfile.TemporaryDirectory() as folder, chdir(folder):
        server.answer = answer
        os.environ["OPENAI_API_KEY"] = "none"
        for name, text in (("answer.md", OUTPUT), ("task.md", TASK)):
            Path(name).write_text(text, encoding="utf-8")
        asked = ["judge", "answer.md", "--task", "task.md", "--rubric", "devops", "--judge", "openai:first"]
        sys.argv = ["evenhand", *asked, "--base-url", server.url, "--store", "store.db"]
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as complaints:
            sys.setprofile(follower.watch)
            try:
                code = run()
            finally:
                sys.setprofile(None)
    if code:
        sys.exit(f"evenhand judge ended with {code}: {complaints.getvalue()}")
    return follower.path


def main(arguments: list[str]) -> int:
    """Print the figures."""
    path = follow()
    files = path.files
    if arguments == ["--list"]:
        for stop in path.stops:
            print(f"{stop.file}: {stop.function}({', '.join(stop.beside)})")
        print("names:", ", ".join(sorted(path.names)))
    most = max(path.stops, key=lambda stop: len(stop.beside))
    beside = {name for stop in path.stops for name in stop.beside}
    for what, count in (
        ("functions entered", len(path.stops)),
        ("files entered", len(set(files))),
        ("returns to a file already left", len(files) - len(set(files))),
        ("names of the submission, its parts and what is made of it", len(path.names)),
        ("other values carried beside it, of different names", len(beside)),
        (f"the most beside it at once, in {most.function}", len(most.beside)),
    ):
        print(f"{count:>5}  {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
