"""Files that commands write: complete or not at all, and never in place of someone's work.

A regular file is replaced in one step, when all of its new content is on the disk. Whatever else a name leads to (a
device, a FIFO) is written to and stays what it is. A link stays a link: what it leads to is written.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO

from evenhand.errors import InputError, Problem, Unavailable
from evenhand.files.checked_file import CheckedFile

NAME_ANOTHER = "name another file, or use --set output.overwrite=true"
"""What to do about a file that must not be replaced."""

_WRONG_NAME = frozenset(
    (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG,
     errno.ELOOP, errno.EINVAL)
)  # fmt: skip
"""Why a file cannot be opened that another name would help against; the other reasons may be gone on a retry."""


def never(path: Path) -> bool:
    """Nothing may be replaced."""
    return False


class OutputFile:
    """A file to write, looked at before anything is done: an InputError says why it must not be written.

    `replaceable` tells by its content whether an existing file may be replaced; an empty one always may. With
    `overwrite` any regular file may. `private` makes a new file readable by its owner only. `check` is called before
    that, for a regular file or a new one.
    """

    def __init__(
        self,
        name: str | Path,
        *,
        overwrite: bool = False,
        replaceable: Callable[[Path], bool] = never,
        refusal: str = f"already exists; {NAME_ANOTHER}",
        private: bool = False,
        check: Callable[[OutputFile], None] | None = None,
    ) -> None:
        self.name = str(name)
        self._overwrite, self._replaceable, self._refusal = overwrite, replaceable, refusal
        self._private = private
        self._before = self._look()
        self.path = Path(os.path.realpath(self.name))
        """Where the file really is, behind all links."""
        self.is_written_through = self._before is not None and not self._is_regular(self._before)
        """Whether it is not a regular file with a name of its own: then it is written to, and never replaced."""
        if check is not None and not self.is_written_through:
            check(self)
        self._refuse_replacing()

    @property
    def exists(self) -> bool:
        """Whether there was a file when it was looked at."""
        return self._before is not None

    def _look(self) -> os.stat_result | None:
        if not self.name:
            raise InputError("the name of the file to write is empty")
        try:
            state = Path(self.name).stat()
        except FileNotFoundError:
            state = None
        except (OSError, ValueError) as error:
            raise unwritable(self.name, error) from None
        if self.name.endswith(("/", os.sep)) or (state is not None and stat.S_ISDIR(state.st_mode)):
            raise InputError(Problem(f"is a folder; name a file, such as {Path(self.name, 'report.html')}", self.name))
        return state

    def _is_regular(self, state: os.stat_result) -> bool:
        """Whether this is a regular file under its real name: /dev/stdout may lead to one that has none any more."""
        if not stat.S_ISREG(state.st_mode):
            return False
        try:
            return os.path.samestat(self.path.stat(), state)
        except OSError:
            return False

    def _refuse_replacing(self) -> None:
        if self._before is None or self.is_written_through:
            return
        if not os.access(self.path, os.W_OK):
            raise InputError(Problem("cannot be written: it is write-protected", self.name))
        if not self._before.st_size or self._overwrite:
            return
        try:
            may_be_replaced = self._replaceable(self.path)
        except OSError:
            may_be_replaced = False
        if not may_be_replaced:
            raise InputError(Problem(self._refusal, self.name))

    def is_same(self, other: str | bytes | Path) -> bool:
        """Whether another name leads to this file, also through links."""
        try:
            state = os.stat(other)  # noqa: PTH116 (asked for each file that a command opens)
        except FileNotFoundError:
            return self._before is None and os.path.realpath(os.fsdecode(other)) == str(self.path)
        except (OSError, ValueError):
            return False
        return self._before is not None and os.path.samestat(state, self._before)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The file to write into. What is written appears under the name at the end of the `with`, if all went well."""
        if self.is_written_through:
            with self._errors():
                descriptor = os.open(self.name, os.O_WRONLY | os.O_CLOEXEC | os.O_NOCTTY)
            with _closed(descriptor), self._written(CheckedFile(descriptor, self.name)) as file:
                yield file
            return
        draft, descriptor = self._draft()
        try:
            with _closed(descriptor), self._written(CheckedFile(descriptor, self.name)) as file:
                yield file
                file.flush()
                with self._errors():
                    self._keep_mode(descriptor)
                    os.fsync(descriptor)
            self._put(draft)
        finally:
            draft.unlink(missing_ok=True)

    def put(self, finished: Path) -> None:
        """Give a finished file on the same disk this name, or write its content through."""
        if self.is_written_through:
            with finished.open("rb") as source, self.open() as file:
                while part := source.read(1 << 20):
                    file.write(part)
            return
        with self._errors():
            descriptor = os.open(finished, os.O_RDONLY | os.O_CLOEXEC)
            with _closed(descriptor):
                self._keep_mode(descriptor)
        self._put(finished)

    def remove(self) -> None:
        """Remove what an earlier command wrote under this name; what is not a regular file stays."""
        if self.exists and not self.is_written_through:
            with self._errors():
                self.path.unlink(missing_ok=True)

    @contextmanager
    def _written(self, raw: CheckedFile) -> Iterator[BinaryIO]:
        """A buffered file; a failure to write that was passed over on the way is raised at the end."""
        with io.BufferedWriter(raw, 1 << 16) as file:
            yield file
            file.flush()
            if raw.failure is not None:
                raise raw.failure

    def _draft(self) -> tuple[Path, int]:
        """A new hidden file next to the one to write, open for writing."""
        with self._errors():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            for number in count():
                draft = self.path.with_name(f".evenhand-{os.getpid()}-{number}.new")
                with suppress(FileExistsError):
                    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
                    return draft, os.open(draft, flags, 0o600 if self._private else 0o666)
        raise AssertionError("the numbers have no end")

    def _keep_mode(self, descriptor: int) -> None:
        """The new file is readable by whom the old one was, and belongs to the same owner where that is allowed."""
        if self._before is not None:
            with suppress(OSError):
                os.fchown(descriptor, self._before.st_uid, self._before.st_gid)
            os.fchmod(descriptor, stat.S_IMODE(self._before.st_mode))

    def _put(self, draft: Path) -> None:
        """Give the finished file its name; if someone wrote a file of that name meanwhile, leave both."""
        now = self._look()
        if now is not None and (self._before is None or _version(now) != _version(self._before)):
            self._before = now
            try:
                if not self._is_regular(now):
                    raise InputError("it is not a regular file any more")
                self._refuse_replacing()
            except InputError:
                raise Unavailable(
                    f"{self.name}: was changed by another program meanwhile and is left as it is; "
                    f"the result is in {_kept(draft)}"
                ) from None
        with self._errors():
            draft.replace(self.path)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:
            raise unwritable(self.name, error) from None


def _version(state: os.stat_result) -> tuple[int, ...]:
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns


def _kept(draft: Path) -> Path:
    """A draft under a name that is not hidden and not cleaned up."""
    kept = draft.with_name(draft.name.removeprefix("."))
    draft.replace(kept)
    return kept


@contextmanager
def _closed(descriptor: int) -> Iterator[None]:
    try:
        yield
    finally:
        os.close(descriptor)


def refuse_input(source: str, target: str) -> None:
    """Refuse an output that would replace what it is made from: a file or folder of this machine, also behind links."""
    from glob import glob

    target_path = Path(target.removeprefix("file://"))
    name = source.removeprefix("file://")
    for file in map(Path, [name] if Path(name).exists() else glob(name, recursive=True)):  # noqa: PTH207, a whole path
        same = target_path.exists() and target_path.samefile(file)
        if same or target_path.resolve() in (file.resolve(), *file.resolve().parents):
            raise InputError(Problem("is an input of this command, which is never replaced; name another", target))


def unwritable(name: str, error: OSError | ValueError) -> InputError | Unavailable:
    """One line: a name that cannot be written to is bad input, a full or failing disk is out of reach."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    problem = Problem(f"cannot be written: {reason}", name)
    wrong_name = not isinstance(error, OSError) or error.errno in _WRONG_NAME
    return InputError(problem) if wrong_name else Unavailable(str(problem))
