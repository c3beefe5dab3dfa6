"""Opens a Spark session at an address, or fails with a one-line reason within a bounded time.

Spark itself waits for minutes, or forever, and answers with pages of Java stack traces. So the things that may be
missing are checked first: the package, Java, and a server that listens at the address of the master.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from evenhand.errors import InputError, Unavailable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OLDEST_JAVA = 17
CONNECT_SECONDS = 10.0
"""How long a master may take to accept a connection."""
PATIENCE = 180.0
"""How long a cluster may take to finish a tiny job: it may have to wait in a queue first."""

MASTERS = (
    "local[N], local-cluster[N,CORES,MEGABYTES], spark://HOST:PORT, k8s://https://HOST:PORT, yarn, "
    "or sc://HOST:PORT for Spark Connect"
)
_LOCAL = r"local|local\[(\d+|\*)(, *(\d+|\*))?\]|local-cluster\[ *\d+ *, *\d+ *, *\d+ *\]"
_DEFAULT_PORTS = {"sc": 15002, "spark": 7077, "https": 443, "http": 80}
_SETTINGS = {
    "spark.app.name": "evenhand",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",  # other readers expect times in UTC
}


@contextmanager
def spark_session(master: str, *, patience: float = PATIENCE) -> Iterator[SparkSession]:
    """A session on a master, stopped at the end; an existing session of this process is reused and left running."""
    existing = _existing()
    if existing is not None:
        yield existing
        return
    _need_package(master)
    if not master.startswith("sc://"):
        _need_java()
    _need_answer(master)
    session = _started(master, patience)
    try:
        yield session
    finally:
        session.stop()


def _existing() -> SparkSession | None:
    if "pyspark.sql" not in sys.modules:
        return None
    kind: Any = sys.modules["pyspark.sql"].SparkSession
    session: SparkSession | None = kind.getActiveSession()
    if session is None:  # it is active in the thread that started it, and exists in all of them
        session = kind._instantiatedSession
        if session is not None and session.sparkContext._jsc is None:
            return None  # stopped
    return session


def _need_package(master: str) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns about a newer pandas, which we do not use
            import pyspark.sql
            import pyspark.testing

            if master.startswith("sc://"):
                import pyspark.sql.connect.session  # noqa: F401
        logging.getLogger("SQLQueryContextLogger").disabled = True  # what it logs is raised as well
    except ImportError as error:
        if (error.name or "").startswith("pyspark"):
            raise InputError("the Spark engine needs the package pyspark; pip install 'evenhand[spark]'") from None
        raise InputError(f"Spark Connect needs more: {first_line(error)} pip install 'evenhand[spark]'") from None


def _need_java() -> None:
    """Check the version of the `java` that Spark would use."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    install = f"install Java {OLDEST_JAVA} or later (a headless JRE is enough), or set JAVA_HOME to where it is"
    if java is None or not Path(java).exists():
        where = f"{java} does not exist" if java else "no java on the PATH"
        raise InputError(f"the Spark engine needs Java, which was not found: {where}; {install}")
    printed = subprocess.run([java, "-version"], capture_output=True, text=True, errors="replace", check=False).stderr
    match = re.search(r'version "(?:1\.)?(\d+)', printed)
    if match is None or int(match[1]) < OLDEST_JAVA:
        version = f"Java {match[1]}" if match else "not Java"
        raise InputError(f"the Spark engine needs Java {OLDEST_JAVA} or later; {java} is {version}; {install}")


def _need_answer(master: str) -> None:
    """Something must listen at one of the addresses, if the master has any."""
    if master == "yarn" or re.fullmatch(_LOCAL, master):
        return
    addresses = list(_addresses(master))
    reasons = []
    for host, port in addresses:
        try:
            socket.create_connection((host, port), timeout=CONNECT_SECONDS).close()
            return
        except OSError as error:
            reasons.append(f"{host}:{port}: {error.strerror or error}")
    raise Unavailable(f"no Spark answers at {master} ({'; '.join(reasons)}); is it running, and can it be reached?")


def _addresses(master: str) -> Iterator[tuple[str, int]]:
    scheme, separator, rest = master.partition("://")
    wrong = InputError(f'"{master}" is not the address of a Spark master; valid: {MASTERS}')
    if not separator or scheme not in ("spark", "sc", "k8s"):
        raise wrong
    if scheme == "k8s":
        scheme, _, rest = rest.partition("://") if "://" in rest else ("https", "", rest)
    if scheme not in _DEFAULT_PORTS:
        raise wrong
    for address in rest.split("/")[0].split(","):
        try:
            parts = urlsplit(f"//{address}")
            host, port = parts.hostname, parts.port or _DEFAULT_PORTS[scheme]
        except ValueError:
            raise wrong from None
        if not host:
            raise wrong
        yield host, port


def _started(master: str, patience: float) -> SparkSession:
    """A session that has run a job on an executor. Started in a thread, since Spark may wait forever."""
    result: list[Any] = []

    def start() -> None:
        try:
            result.append(_start(master))
        except Exception as error:
            result.append(error)

    thread = threading.Thread(target=start, daemon=True)
    thread.start()
    thread.join(patience)
    if not result:
        raise Unavailable(f"Spark at {master} did not respond within {patience:g} seconds; is an executor free?")
    if isinstance(result[0], Exception):
        raise Unavailable(f"Spark at {master} could not be started: {first_line(result[0])}") from None
    session: SparkSession = result[0]
    return session


def _start(master: str) -> SparkSession:
    from pyspark.sql import SparkSession

    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # executors need what is installed here
    builder = SparkSession.builder
    if master.startswith("sc://"):
        session = builder.remote(master).getOrCreate()
        for name, value in _SETTINGS.items():
            if name.startswith("spark.sql."):  # the rest is the server's own
                session.conf.set(name, value)
    else:
        builder = builder.master(master)
        for name, value in (_SETTINGS | _local_settings(master)).items():
            builder = builder.config(name, value)
        with _quiet():
            session = builder.getOrCreate()
    session.sql("SELECT COUNT(*) FROM RANGE(1)").collect()
    return session


def _local_settings(master: str) -> dict[str, str]:
    """On one machine a few partitions are enough; on a cluster its own settings apply."""
    if not master.startswith("local"):
        return {}
    settings = {"spark.sql.shuffle.partitions": "16"}
    if not master.startswith("local-cluster") and not os.environ.keys() & {"PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR"}:
        quarter = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4 // 2**20
        settings["spark.driver.memory"] = f"{max(1024, quarter)}m"
    return settings


@contextmanager
def _quiet() -> Iterator[None]:
    """Hide the standard error of what is started here: Java is noisy, and real errors arrive as exceptions."""
    sys.stderr.flush()
    kept = os.dup(2)
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


def first_line(error: BaseException) -> str:
    """The message of a Spark error, without the Java stack trace."""
    lines = [line.strip() for line in str(error).splitlines()]
    if lines and "Python worker" in lines[0]:  # a Python traceback follows, with the reason last
        reason = next((line for line in reversed(lines) if re.match(r"[\w.]+: ", line)), lines[0])
        return f"an executor failed: {reason}"
    telling = [line.removeprefix(": ") for line in lines if line and not line.startswith("An error occurred while")]
    text = re.sub(r"^(?:[\w$]+\.)+[\w$]+: ", "", telling[0] if telling else type(error).__name__)
    return re.sub(r" SQLSTATE: \w+\.?$", "", text)
