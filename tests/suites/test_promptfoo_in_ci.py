"""A promptfoo file in CI: imported, run on two commits in a row, stored, paired and gated; JUnit names the reasons."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from contextlib import closing
from pathlib import Path

import pytest

import evenhand

CASES = 30


def configuration(folder: Path) -> None:
    """Thirty tests of a prompt; the model is a program in the repository, so that each commit answers differently."""
    tests = "".join(
        f"  - vars: {{number: '{number}'}}\n    assert: [{{type: contains, value: 'answer {number}'}}]\n"
        for number in range(CASES)
    )
    (folder / "promptfooconfig.yaml").write_text(
        f"prompts: ['Say the answer to {{{{number}}}}.']\nproviders: ['exec: python answer.py']\ntests:\n{tests}"
    )


def commit(folder: Path, wrong: int) -> None:
    """The program as this commit has it: it fails on the first so many cases."""
    (folder / "answer.py").write_text(
        "import re, sys\n"
        "number = int(re.search(r'[0-9]+', sys.argv[1])[0])\n"
        f"print('nothing' if number < {wrong} else f'answer {{number}}')\n"
    )


@pytest.mark.slow
def test_two_commits_are_stored_paired_and_gated(evenhand_command, tmp_path):
    """The second commit breaks twelve of thirty cases: its gate against the first is red, and JUnit says which."""
    configuration(tmp_path)
    commit(tmp_path, wrong=0)
    imported = evenhand_command("run", "import", "promptfooconfig.yaml", "-o", "suite.yaml")
    assert imported.code == 0, imported.err
    text = (tmp_path / "suite.yaml").read_text()
    first = evenhand_command("run", "suite.yaml", "--store", "s.db", GITHUB_SHA="first")
    assert first.code == 0, first.err
    assert evenhand_command("run", "show", "latest", "--name", "main", "--store", "s.db").code == 0
    commit(tmp_path, wrong=12)
    (tmp_path / "suite.yaml").write_text(text + "gate: {baseline: main}\n")
    second = evenhand_command("run", "suite.yaml", "--store", "s.db", GITHUB_SHA="second")
    assert second.code == 1, second.err
    shown = evenhand_command("run", "show", "latest", "--gate", "--store", "s.db", "-f", "junit")
    cases, decision = ElementTree.fromstring(shown.out).findall("testsuite")
    tests = cases.findall("testcase")
    assert (len(tests), cases.get("tests"), cases.get("failures")) == (CASES, "30", "12")
    assert [test.get("classname") for test in decision.findall("testcase")] == ["gate"]
    failures = [test.find("failure") for test in tests if test.find("failure") is not None]
    assert len(failures) == 12
    assert all("contain" in failure.get("message") for failure in failures)
    with closing(evenhand.open_store(str(tmp_path / "s.db"))) as store:
        records = list(store.evaluations())
        assert len(records) == 2 * CASES
        assert len({record.case_id for record in records}) == CASES, "a case over time"
        assert {json.loads(record.scorecard)["skill_version"] for record in records} == {"first", "second"}
        assert store.window(records[0].skill) == []
