"""A zip archive that may be hostile: nothing is unpacked to disk, and every size is bounded."""

from __future__ import annotations

import struct
import zipfile
import zlib
from typing import IO, Any

from evenhand.errors import InputError, Problem
from evenhand.transcripts import limits
from evenhand.transcripts.compression import undo_zstd
from evenhand.transcripts.sources import Source

_ZSTD_METHODS = (93, 20)
_LOCAL = struct.Struct("<4s22x2H")


class Archive:
    """The members of an archive by name."""

    def __init__(self, file: IO[bytes], source: Source) -> None:
        self._source = source
        self._left = limits.TOTAL
        try:
            self._zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error) as error:
            raise InputError(Problem(f"is a damaged zip archive: {error}", source.name)) from None
        listed = self._zip.infolist()
        if len(listed) > limits.MEMBERS:
            raise InputError(Problem(f"holds more than {limits.MEMBERS:,} files, the most that are read", source.name))
        self.names: dict[str, zipfile.ZipInfo] = {}
        for member in listed:
            if _leads_out(member.filename):
                source.problem(f"the member {member.filename!r} has a path outside the archive; it was left out")
            elif member.filename in self.names:
                source.problem(f"the member {member.filename!r} appears twice; the last one is read")
                self.names[member.filename] = member
            elif not member.is_dir():
                self.names[member.filename] = member

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *error: object) -> None:
        self._zip.close()

    def read(self, name: str) -> bytes | None:
        """A member's bytes; None, with a problem, when it is damaged or too large."""
        info = self.names[name]
        refused = self._refusal(info)
        if refused is None:
            try:
                data = self._data(info)
            except (
                zipfile.BadZipFile,
                zlib.error,
                OSError,
                EOFError,
                ValueError,
                RuntimeError,
                NotImplementedError,
            ) as error:
                refused = f"cannot be read: {error}"
            else:
                self._left -= len(data)
                if len(data) <= limits.DOCUMENT:
                    return data
                refused = f"is larger than {limits.DOCUMENT // limits.MIB} MiB, the most that is read"
        self._source.problem(f"the member {name!r} {refused}")
        return None

    def _refusal(self, info: zipfile.ZipInfo) -> str | None:
        """Why a member is not even opened."""
        if info.file_size > limits.DOCUMENT:
            return f"is larger than {limits.DOCUMENT // limits.MIB} MiB, the most that is read"
        if info.file_size > limits.MIB and info.file_size > limits.EXPANSION * info.compress_size:
            return f"expands to more than {limits.EXPANSION} times its size"
        if info.file_size > self._left:
            return f"is not read: the archive expands to more than {limits.TOTAL // limits.MIB} MiB"
        return None

    def _data(self, info: zipfile.ZipInfo) -> bytes:
        if info.compress_type in _ZSTD_METHODS and not hasattr(zipfile, "ZIP_ZSTANDARD"):
            return self._zstd(info)
        with self._zip.open(info) as member:
            return member.read(limits.DOCUMENT + 1)

    def _zstd(self, info: zipfile.ZipInfo) -> bytes:
        """A member compressed with zstd, which older versions of Python do not support."""
        file: Any = self._zip.fp
        file.seek(info.header_offset)
        magic, name, extra = _LOCAL.unpack(file.read(_LOCAL.size))
        if magic != b"PK\x03\x04":
            raise zipfile.BadZipFile("bad magic number for file header")
        file.seek(name + extra, 1)
        return undo_zstd(file.read(info.compress_size), limits.DOCUMENT + 1, self._source.name)


def _leads_out(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0]
