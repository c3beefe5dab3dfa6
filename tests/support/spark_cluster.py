"""A Spark cluster for the tests alone: a master, workers and executors in processes of their own, on this machine."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

EXECUTOR = b"CoarseGrainedExecutorBackend"
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
"""For Java that runs a minute: what it compiles well it would not have time to use, and Spark's classes are known."""
PLAIN = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""Without what makes large tables quick, and small ones slow: one partition, no code made, no changes of plan."""


CONNECT_PORT = "spark.connect.grpc.binding.port"


def need_spark(*modules: str) -> None:
    """Skip without Java or a package, but never in CI."""
    missing = [] if shutil.which("java") else ["Java"]
    for name in ("pyspark", *modules):
        try:
            __import__(name)
        except ImportError:
            missing.append(name)
    if missing:
        message = f"not installed here: {', '.join(missing)}"
        pytest.fail(message) if os.environ.get("CI") == "true" else pytest.skip(message)


@contextmanager
def cluster() -> Iterator[Any]:
    """A session on an executor of two cores, in a process of its own; it serves Spark Connect as well."""
    need_spark()
    from evenhand.tables.spark_session import spark_session

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    settings = {
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        CONNECT_PORT: port,
    }
    arguments = [f"--conf {name}={value}" for name, value in settings.items()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAVA_TOOL_OPTIONS", QUICK)
        patch.setenv("PYSPARK_SUBMIT_ARGS", " ".join([*arguments, "pyspark-shell"]))
        with spark_session("local-cluster[1,2,1024]") as session:
            session.conf.set("spark.sql.shuffle.partitions", "3")
            yield session


def executors() -> list[int]:
    """The processes of this test's executors, the youngest last."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
    mine = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in mine} - mine:
        mine |= more
    return sorted(pid for pid in mine if EXECUTOR in _command(pid))


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def kill_one_at_work(session: Any, running: Any) -> int:
    """Kill an executor as soon as both its cores have tasks, which `running` makes; says which stage they were of."""
    tracker = session.sparkContext.statusTracker()
    while not running.done():
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info is not None and info.numActiveTasks > 1:
                os.kill(executors()[0], signal.SIGKILL)
                return int(stage)
        time.sleep(0.002)
    raise AssertionError("the run was over before an executor could be killed")
