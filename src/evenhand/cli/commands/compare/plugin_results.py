"""What `evenhand better` says of results of `claude plugin eval`."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.cli.presenter import present
from evenhand.cli.shared import DONE
from evenhand.files.codec import document
from evenhand.plugin_evals.given import instructions_of, results_in, verdict_of
from evenhand.plugin_evals.report import lines, report

UNDECIDED = 5


def show_plugin(paths: Sequence[str], format: str, undecided: str) -> int:
    """Show whether the plugin, or its newer version, is better; exit code 5 when that is undecided."""
    verdict = verdict_of(results_in(paths))
    newest = verdict.results[-1]
    found = report(verdict, instructions_of(paths, newest))
    present(
        format,
        lambda: document(found),
        terminal=lambda: "\n".join(lines(found, newest)) + "\n",
        markdown=lambda: "\n".join(lines(found, newest, full=True)) + "\n",
    )
    return UNDECIDED if verdict.contrast.verdict == "undecided" and undecided != "ok" else DONE
