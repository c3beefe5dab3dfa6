"""A suite that stops as soon as the answer is clear, and what it then says."""

from __future__ import annotations

import json
import sys

import pytest

from evenhand.cli.main import run as command_line

SUITE = """
suite: answers
cases: cases.jsonl
variants:
  old: {recorded: "old/{case}.md"}
  new: {recorded: "new/{case}.md"}
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Sixty cases; the new answers are right, the old ones are not."""
    (tmp_path / "suite.yaml").write_text(SUITE)
    cases = [{"id": f"c{n}", "prompt": "Say yes.", "expect": [{"answer": {"equals": "yes"}}]} for n in range(60)]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    for variant, text in (("old", "no"), ("new", "yes")):
        (tmp_path / variant).mkdir()
        for case in cases:
            (tmp_path / variant / f"{case['id']}.md").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(monkeypatch, capfd, *arguments: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["evenhand", *arguments])
    code = command_line()
    return (code, *capfd.readouterr())


@pytest.mark.slow
def test_alike_variants_are_run_to_the_end(project, monkeypatch, capfd):
    """Nothing differs: sixty equal cases, and no false better or worse."""
    for path in (project / "old").iterdir():
        path.write_text("yes")
    _, output, _ = command(monkeypatch, capfd, "run", "suite.yaml", "--set", "run.stop_early=true", "--format", "json")
    assert json.loads(output)["contrasts"][0]["verdict"] in ("no difference shown", "undecided")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--shard", "1/2"], "needs all cases on one machine"),
        (["--variant", "old"], "there is only one"),
    ],
)
def test_what_would_spoil_the_stopping_is_refused(project, monkeypatch, capfd, arguments, message):
    """Exit code 2, before anything runs."""
    code, _, errors = command(monkeypatch, capfd, "run", "suite.yaml", "--set", "run.stop_early=true", *arguments)
    assert (code, message in errors) == (2, True)
