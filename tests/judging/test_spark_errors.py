"""What `evenhand table --set table.engine=spark` says when there is no Spark to be had."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Ran
from spark_cluster import need_spark

pytestmark = pytest.mark.slow

BATCH = ("table", "in.parquet", "out.parquet", "--set", "table.engine=spark")


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@pytest.mark.parametrize("scheme", ["spark", "sc", "k8s://https"])
def test_a_master_that_does_not_answer_is_out_of_reach(evenhand_command: Callable[..., Ran], scheme: str):
    """One line with the address and the reason, exit code 4."""
    need_spark(*(["grpc", "grpc_status", "zstandard", "pandas"] if scheme == "sc" else []))
    port = free_port()
    ran = evenhand_command(*BATCH, "--set", f"table.master={scheme}://127.0.0.1:{port}")
    assert (ran.code, ran.out) == (4, "")
    assert ran.err == (
        f"error: no Spark answers at {scheme}://127.0.0.1:{port} (127.0.0.1:{port}: Connection refused); "
        "is it running, and can it be reached?\n"
    )


@pytest.mark.parametrize("master", ["loca[2]", "local[x]", "spark://", "spark://host:port", "http://127.0.0.1:80"])
def test_an_address_that_is_none_is_bad_input(evenhand_command, master):
    """Exit code 2, with what is valid."""
    need_spark()
    ran = evenhand_command(*BATCH, "--set", f"table.master={master}")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f'error: "{master}" is not the address of a Spark master; valid: local[N], ')
    assert ran.err.count("\n") == 1


def test_without_java_the_line_says_what_to_install(evenhand_command, tmp_path):
    """Neither on the PATH nor where JAVA_HOME says."""
    need_spark()
    said = "install Java 17 or later (a headless JRE is enough), or set JAVA_HOME to where it is\n"
    ran = evenhand_command(*BATCH, "--set", "table.master=local[1]", JAVA_HOME="", PATH=str(tmp_path))
    assert (ran.code, ran.err) == (
        2,
        f"error: the Spark engine needs Java, which was not found: no java on the PATH; {said}",
    )
    ran = evenhand_command(*BATCH, "--set", "table.master=local[1]", JAVA_HOME=str(tmp_path))
    there = tmp_path / "bin" / "java"
    assert (ran.code, ran.err) == (
        2,
        f"error: the Spark engine needs Java, which was not found: {there} does not exist; {said}",
    )


def test_a_java_that_is_too_old_is_named(evenhand_command, tmp_path):
    """Java 8 calls itself 1.8."""
    need_spark()
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_392\"' >&2\n")
    java.chmod(0o755)
    ran = evenhand_command(*BATCH, "--set", "table.master=local[1]", JAVA_HOME=str(tmp_path))
    assert ran.code == 2
    assert f"needs Java 17 or later; {java} is Java 8; install Java 17" in ran.err


def test_without_the_package_the_line_says_how_to_get_it(evenhand_command, tmp_path):
    """As if pyspark had never been installed."""
    absent = tmp_path / "path" / "pyspark"
    absent.mkdir(parents=True)
    Path(absent, "__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'pyspark'\", name='pyspark')\n")
    path = os.pathsep.join([str(absent.parent), os.environ.get("PYTHONPATH", "")])
    ran = evenhand_command(*BATCH, "--set", "table.master=local[1]", PYTHONPATH=path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: the Spark engine needs the package pyspark; pip install 'evenhand[spark]'\n"


def test_memory_is_not_for_a_cluster(evenhand_command):
    """A cluster's memory is set where the cluster is."""
    ran = evenhand_command(*BATCH, "--set", "table.memory=2GB")
    assert ran.code == 2
    assert "table.memory is for one machine" in ran.err
