"""The pytest plug-in: its options, marker, fixture and summary. Imports nothing of evenhand until a test uses it.

Every test run in an environment with the plug-in loads this file. So it is small, and outside the package, whose own
first file need not be read. The work is done in `evenhand.testing`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from evenhand.testing.fixture import Judging

MARKER = (
    "evenhand(rubric=, judges=, min_grade=, min_score=, no_red_flag=, no_fault=, expect=, not_worse_than=, "
    "better_than=, ...): what the test's judging requires; the arguments are those of the fixture evenhand"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options; all of them begin with --evenhand-."""
    group = parser.getgroup("evenhand", "evenhand: judging what agents produce")
    group.addoption(
        "--evenhand-live",
        action="store_true",
        help="Let model judges call their models. Without it, recordings answer.",
    )
    group.addoption(
        "--evenhand-record",
        action="store_true",
        help="Record what the models reply, replacing the recordings of the tests that run. Needs --evenhand-live.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and refuse options that contradict each other."""
    config.addinivalue_line("markers", MARKER)
    if config.option.evenhand_record and not config.option.evenhand_live:
        raise pytest.UsageError("--evenhand-record asks models, so it needs --evenhand-live as well")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Fail a marked test that could never judge anything; the other tests run."""
    __tracebackhide__ = True
    if item.get_closest_marker("evenhand") and "evenhand" not in getattr(item, "fixturenames", ()):
        pytest.fail("the test is marked evenhand but does not use the fixture evenhand", pytrace=False)


@pytest.fixture
def evenhand(request: pytest.FixtureRequest) -> Iterator[Judging]:
    """Judges outputs and fails the test when they are not good enough: `evenhand.judge(output, min_grade="B-")`."""
    from evenhand.testing.fixture import judging_in

    with judging_in(request.node) as judging:
        yield judging


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A line for each judged output, if there are any."""
    reports = [report for kind in terminalreporter.stats.values() for report in kind]
    if any(name == "evenhand" for report in reports for name, _ in getattr(report, "user_properties", ())):
        from evenhand.testing.run_summary import write_summary

        write_summary(terminalreporter, reports)
