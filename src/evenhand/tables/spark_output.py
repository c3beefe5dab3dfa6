"""The output of a cluster: OUT appears complete or not at all, as far as its file system allows.

In a regular session, everything is written under temporary names first, and renamed once it is complete.
Spark Connect offers no way to rename: there the results are written in place, and Spark's own `_SUCCESS` file in
OUT marks them as complete.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from evenhand.errors import InputError, Problem, Unavailable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Output(Protocol):
    """Writes results to OUT and rejected rows to OUT.rejected."""

    @property
    def written(self) -> str:
        """Where the results are written before they are published."""

    def write(self, results: DataFrame, rejected: DataFrame | None) -> None: ...

    def publish(self) -> None: ...

    def withdraw(self) -> None: ...


def output_at(session: SparkSession, target: str, overwrite: bool) -> Output:
    """The output at a path; an existing one is refused unless it may be overwritten."""
    target = target.rstrip("/")
    if type(session).__module__.startswith("pyspark.sql.connect"):
        return _InPlace(target, overwrite)
    output = _Renamed(session, target)
    if not overwrite:
        output.refuse_existing()
    return output


class _InPlace:
    """Output on Spark Connect, written in place."""

    def __init__(self, target: str, overwrite: bool) -> None:
        self.written, self._overwrite = target, overwrite

    def write(self, results: DataFrame, rejected: DataFrame | None) -> None:
        mode = "overwrite" if self._overwrite else "error"
        results.write.mode(mode).parquet(self.written)
        if rejected is not None:
            rejected.write.mode(mode).json(f"{self.written}.rejected")

    def publish(self) -> None:
        """Nothing to do: the output was written in place."""

    def withdraw(self) -> None:
        """Nothing to do: output without `_SUCCESS` does not count."""


class _Renamed:
    """Output renamed into place by the cluster's file system: a disk, HDFS, an object store."""

    def __init__(self, session: SparkSession, target: str) -> None:
        jvm: Any = session._jvm
        self._path = jvm.org.apache.hadoop.fs.Path
        self._system = self._path(target).getFileSystem(session._jsparkSession.sessionState().newHadoopConf())
        mark = uuid4().hex[:12]
        self._target, self._rejected = target, f"{target}.rejected"
        self.written, self._rejected_draft = f"{target}.{mark}.part", f"{target}.rejected.{mark}.part"
        self._old = f"{target}.{mark}.old"

    def refuse_existing(self) -> None:
        for path in (self._target, self._rejected):
            if self._exists(path):
                raise InputError(Problem("already exists; name another, or use `overwrite`", path))

    def write(self, results: DataFrame, rejected: DataFrame | None) -> None:
        if rejected is not None:
            rejected.write.json(self._rejected_draft)
        results.write.parquet(self.written)

    def publish(self) -> None:
        """Rename everything to its final name; the old output is deleted last."""
        had = self._exists(self._target)
        if had:
            self._rename(self._target, self._old)
        self._rename(self.written, self._target)
        self._delete(self._rejected)
        if self._exists(self._rejected_draft):
            self._rename(self._rejected_draft, self._rejected)
        if had:
            self._delete(self._old)

    def withdraw(self) -> None:
        """Remove partial output and restore what was there before."""
        with suppress(Exception):
            if self._exists(self._old) and not self._exists(self._target):
                self._rename(self._old, self._target)
            self._delete(self.written)
            self._delete(self._rejected_draft)

    def _exists(self, path: str) -> bool:
        return bool(self._system.exists(self._path(path)))

    def _delete(self, path: str) -> None:
        self._system.delete(self._path(path), True)

    def _rename(self, path: str, name: str) -> None:
        if not self._system.rename(self._path(path), self._path(name)):
            raise Unavailable(f"{path} could not be renamed to {name}")
