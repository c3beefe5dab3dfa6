"""What the tests share: judgements and rubrics made in a line, and the command as a process."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
import warm_command
from _pytest.runner import runtestprotocol
from fake_server import FakeServer
from hypothesis import HealthCheck, settings
from postgresql_server import PostgresqlServer, find_binaries

import evenhand
from evenhand.core.rubric import Band, Bonus, Criteria, RedFlag, Rubric
from evenhand.store.protocol import Store

ROOT = Path(__file__).parents[1]
SHARED_DATA = ROOT.parent / "shared" / "data"
for _name in ("EVENHAND_SKILL_VERSION", "GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"):
    os.environ.pop(_name, None)  # or every scorecard would have the commit that CI has checked out
gc.disable()  # until the tests are collected: nothing of all that is made for them is garbage
AT_START = dict(os.environ)
"""The environment that the tests were started with."""

settings.register_profile(
    "evenhand",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=os.environ.get("CI") == "true",  # so that a build says something about its commit, not about luck
)
settings.register_profile("quick", settings.get_profile("evenhand"), max_examples=20)
settings.load_profile("quick")


def seven(*scores: Any) -> dict[str, Any]:
    """Seven scores by dimension, in the order of the specification; one score stands for all."""
    values = scores if len(scores) == 7 else scores * 7
    return dict(zip(evenhand.DIMENSIONS, values, strict=True))


def make_rubric(
    weights: dict[str, str] | None = None, amounts: list[str] | None = None, bonuses: int = 6, pass_mark: str = "7.00"
) -> Rubric:
    """A rubric with flags f0, f1, ... of the given amounts and bonuses b0, b1, ..."""
    weights = weights or seven("0.25", "0.20", "0.15", "0.15", "0.10", "0.10", "0.05")
    bands = tuple(Band(low=low, high=low + 1, criteria=f"criteria {low}") for low in (9, 7, 5, 3, 1))
    return Rubric(
        name="made",
        title="Made",
        domain="",
        version="1",
        summary="",
        weights={name: Decimal(text) for name, text in weights.items()},
        pass_mark=Decimal(pass_mark),
        pass_mark_reason="",
        dimensions={name: Criteria(measures="", bands=bands) for name in evenhand.DIMENSIONS},
        red_flags=tuple(
            RedFlag(id=f"f{n}", description=f"flag {n}", deduction=Decimal(amount).quantize(Decimal("0.01")))
            for n, amount in enumerate(amounts if amounts is not None else ["0.5"] * 6)
        ),
        bonuses=tuple(Bonus(id=f"b{n}", description=f"bonus {n}") for n in range(bonuses)),
    )


def judged(
    scores: dict[str, Any], flags: int = 0, bonuses: int = 0, rubric: Rubric | None = None, **more: Any
) -> evenhand.Scorecard:
    """A scorecard for some scores with the first so many flags and bonuses of a made rubric."""
    judgement = {
        "scores": scores,
        "red_flags": [f"f{n}" for n in range(flags)],
        "bonuses": [f"b{n}" for n in range(bonuses)],
        **more,
    }
    return evenhand.score(
        judgement, rubric=rubric or make_rubric(), id=more.get("id", "x"), created="2026-01-01T00:00:00Z"
    )


class Ran:
    """What a command did."""

    def __init__(self, done: subprocess.CompletedProcess[bytes]) -> None:
        self.code = done.returncode
        self.out = done.stdout.decode()
        self.err = done.stderr.decode()


def _stores_of_the_project() -> list[tuple[str, int]]:
    """What is in the project's own folder of evaluations, and when it was last written."""
    try:
        with os.scandir(ROOT / ".evenhand") as files:
            return sorted((file.name, file.stat().st_mtime_ns) for file in files if ".db" in file.name)
    except FileNotFoundError:
        return []


class KeptInTheProject:
    """A test that judges in the project's own folder would leave its evaluations there, and find them the next time."""

    def __init__(self) -> None:
        self._before = _stores_of_the_project()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self) -> Iterator[None]:
        """After every test, as a hook: a fixture for each of 19,000 tests takes ten times as long."""
        yield
        before, self._before = self._before, _stores_of_the_project()
        assert self._before == before, f"the test wrote into {ROOT}/.evenhand; judge in tmp_path"


class FewReports:
    """Of a test that passed, its process sends one report to that which prints them, not five messages."""

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """What pytest does, without messages about the start, the end, and steps before and after that went well."""
        for report in runtestprotocol(item, log=False, nextitem=nextitem):
            if report.when == "call" or not report.passed:
                item.ihook.pytest_runtest_logreport(report=report)
        return True


def pytest_addoption(parser: pytest.Parser) -> None:
    """`./test --long` tries more examples of what every run tests already; no behaviour is tested there alone."""
    parser.addoption("--long", action="store_true", help="more examples, and tests marked long")


def pytest_configure(config: pytest.Config) -> None:
    """Sets up what runs around every test, and how many examples Hypothesis tries."""
    config.pluginmanager.register(KeptInTheProject())
    wanted = config.option
    if hasattr(config, "workerinput") and wanted.verbose < 0 and wanted.durations is None and not wanted.xmlpath:
        config.pluginmanager.register(FewReports())
    if wanted.long:
        settings.load_profile("evenhand")


@pytest.fixture(scope="session")
def warm_evenhand() -> Iterator[list[str]]:
    """How to start `evenhand` quickly, as the beginning of a command line; see tests/warm_command.py."""
    with TemporaryDirectory() as folder:
        address = f"{folder}/calls"
        serve = [sys.executable, warm_command.__file__, "serve", address]
        environment = {**AT_START, "PYTHONUTF8": "1"}
        with subprocess.Popen(serve, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment) as server:
            assert server.stdout is not None and server.stdout.readline() == b"ready\n"
            yield [sys.executable, "-I", "-S", warm_command.__file__, "call", address]
            server.terminate()


@pytest.fixture
def evenhand_command(tmp_path: Path, warm_evenhand: list[str]) -> Callable[..., Ran]:
    """Run `evenhand` as a process of its own, in an empty folder unless another is named."""
    cold_evenhand = [sys.executable, "-m", "evenhand"]
    usual = {**warm_command.settled(AT_START), "PYTHONUTF8": "1"}

    def run(*arguments: str, stdin: str | bytes = b"", cwd: Path | None = None, **environment: str) -> Ran:
        whole = {**os.environ, "COLUMNS": "80", "PYTHONUTF8": "1", **environment}
        evenhand = warm_evenhand if warm_command.settled(whole) == usual else cold_evenhand
        return Ran(
            subprocess.run(
                [*evenhand, *arguments],
                input=stdin.encode() if isinstance(stdin, str) else stdin,
                capture_output=True,
                cwd=cwd or tmp_path,
                env=whole,
                timeout=120,
                check=False,
            )
        )

    return run


@pytest.fixture
def fake_server() -> Iterator[FakeServer]:
    """A model server on a real socket that does as it is told; see tests/fake_server.py."""
    with FakeServer() as server:
        yield server


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgresqlServer]:
    """A PostgreSQL server, once for all tests. Without one, tests are skipped, but never in CI."""
    binaries = find_binaries()
    if binaries is None:
        missing = "no PostgreSQL server is installed here (no pg_ctl on the PATH or in /usr/lib/postgresql)"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    server = PostgresqlServer(binaries)
    try:
        server.make()
        yield server
    finally:
        server.throw_away()


@pytest.fixture
def postgresql_url(postgresql_server: PostgresqlServer) -> str:
    """The address of an empty PostgreSQL database, this test's own."""
    return postgresql_server.empty_database()


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A Spark cluster on this machine, once for all tests. Without one, tests are skipped, but never in CI."""
    from spark_cluster import cluster

    with cluster() as session:
        yield session


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, for the tests of one module; see tests/browser.py."""
    from browser import chromium

    with chromium() as opened:
        yield opened


@pytest.fixture(params=["sqlite", "postgresql"])
def store_address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new store may be: a file that is not there yet, and an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "evaluations.db")
    url: str = request.getfixturevalue("postgresql_url")
    return url


@pytest.fixture
def store(store_address: str) -> Iterator[Store]:
    """An empty store of either kind, ready for use."""
    opened = evenhand.open_store(store_address)
    opened.create()
    yield opened
    opened.close()


@pytest.fixture
def long(request: pytest.FixtureRequest) -> bool:
    """Whether this run tries more examples; see `pytest_addoption`."""
    return bool(request.config.option.long)


@pytest.fixture
def same_nonces(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same nonces, and so the same neutral samples, whenever a test runs. Benchmarks draw new ones."""
    monkeypatch.setattr(
        "evenhand.judges.models.nonces.secrets", SimpleNamespace(token_bytes=lambda count: bytes(count))
    )


LONGEST = (
    "test_spark.py",
    "test_spark_judging.py",
    "test_site.py",
    "test_agents_real.py",
    "test_docs.py",
    "test_web_browser.py",
    "test_attacks.py",
    "test_engine.py",
    "test_changed_scorecards.py",
    "test_review_browser.py",
    "test_following.py",
    "test_packaging.py",
    "test_html_hostile.py",
    "test_judging_faults.py",
    "test_cheating.py",
    "test_pytest_plugin.py",
    "test_promptfoo_rubrics.py",
    "test_action_install.py",
    "test_store_faults.py",
    "test_judge_condensing.py",
    "test_overview.py",
    "test_agent_plugin_real.py",
    "test_bridges.py",
    "test_web_load.py",
    "test_python_api.py",
    "test_conformance.py",
    "test_one_verdict.py",
    "test_judge_distributions.py",
    "test_real_servers.py",
)
"""Files that take longest, the worst first: run first, so that no process is left alone with one at the end."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The longest files first, the others in their order."""
    if not config.option.long:
        left_out = [item for item in items if item.get_closest_marker("long")]
        items[:] = [item for item in items if not item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=left_out)
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


def pytest_collection_finish() -> None:
    """From here on garbage is collected, and the tests themselves, which stay to the end, are not searched for it."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Whole files go to one process, and the files with a Spark cluster all to the same: starting one is expensive."""
    from xdist.scheduler import LoadFileScheduling

    class OneCluster(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return "spark" if Path(file).name in ("test_spark.py", "test_spark_judging.py") else file

    return OneCluster(config, log)


@pytest.fixture
def every_check_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Findings of every check are faults, as if all had been measured: for tests of what follows, commands included."""
    from evenhand.findings import judge

    monkeypatch.setattr(judge, "pointed", warm_command.every_check)
    monkeypatch.setenv(warm_command.MEASURED, "1")
