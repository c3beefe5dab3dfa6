"""The check `failed-source`: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from evenhand.checks.conduct.failed_sources import CHECKS
from test_checks_commands import call, faults, said, subject

(CHECK,) = CHECKS
PAGE = "https://example.org/report-2020"
OUTPUT = f"The journal grew by a tenth (see [the report]({PAGE}))."


def fetch(result: str, *, failed: bool = False, url: str = PAGE):
    return call("visit_page", {"url": url}, result, failed=failed)


@pytest.mark.parametrize(
    "attempts",
    [
        [fetch("HTTP 404 Not Found", failed=True)],
        [fetch("Error: 403 Forbidden")],
        [fetch("404: no such page"), fetch("Request failed: timed out")],
        [fetch("HTTP 404", failed=True, url=f"{PAGE}/#part")],
    ],
)
def test_a_source_that_was_never_fetched_is_a_fault_where_it_is_cited(attempts):
    """However the address is written."""
    (finding,) = faults(CHECK, subject(OUTPUT, "Did it grow?", *attempts))
    assert (finding.dimension, finding.severity, finding.quote) == ("correctness", "major", PAGE)
    assert finding.offset == OUTPUT.index(PAGE)


@pytest.mark.parametrize(
    ("output", "events"),
    [
        (OUTPUT, [fetch("HTTP 404", failed=True), fetch("It grew by a tenth.")]),
        (OUTPUT, [fetch("It grew.")]),
        (OUTPUT, [call("web_search", {"q": "x"}, f"1. Report: {PAGE}"), fetch("HTTP 404", failed=True)]),
        (OUTPUT, [said(f"I read it at {PAGE}."), fetch("HTTP 404", failed=True)]),
        (f"{OUTPUT} The page could not be opened.", [fetch("HTTP 404", failed=True)]),
        (f"{PAGE} is inaccessible.", [fetch("HTTP 404", failed=True)]),
        (OUTPUT, [fetch("HTTP 404", failed=True, url="https://example.org/other")]),
        (OUTPUT, []),
    ],
)
def test_a_source_that_may_have_been_seen_is_left_alone(output, events):
    """Fetched at last, listed by a search, named by the user, or admitted."""
    assert not faults(CHECK, subject(output, "Did it grow?", *events))
