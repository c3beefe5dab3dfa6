"""A real local model as a variant of a suite. Its words make no sense; how its runs are made and kept does."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand.core.values.suites.suite import Case, Model, Suite, Variant
from evenhand.suite_runs.suite_run import OpenSuite, SuiteOptions
from test_local_model import model_file, small_model

__all__ = ["model_file", "small_model"]
pytestmark = pytest.mark.slow


def test_a_local_model_is_run_on_every_case_and_kept(small_model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Eight tokens at most for each case, counted by the model itself; a second command finds both runs."""
    monkeypatch.chdir(tmp_path)
    Path("evenhand.toml").write_text("[judges.local]\nwindow = 512\nthreads = 1\nmax_tokens = 8\n")
    cases = tuple(Case(word, "Say it.", variables=(("word", word),)) for word in ("cat", "dog"))
    suite = Suite("s", cases, (Variant("small", Model(f"local:{small_model}", "Say {vars.word}.", "Be brief.")),))

    def runs() -> tuple[list, int]:
        with OpenSuite(suite, tmp_path / "runs", SuiteOptions(2)) as running:
            return sorted(item.run for item in running.results()), running.budget.calls

    made, calls = runs()
    assert calls == 2
    assert [run.id.case for run in made] == ["cat", "dog"]
    for run in made:
        assert run.outcome in ("finished", "stopped by a limit"), run.reason
        assert run.output and run.input_tokens and 0 < run.output_tokens <= 8
    assert runs() == (made, 0)
