"""Which files of a folder are read: outputs and transcripts, and what patterns choose."""

from __future__ import annotations

import pytest

from evenhand import transcripts
from evenhand.errors import InputError


@pytest.fixture
def folder(tmp_path):
    """Two outputs among what lies beside them."""
    for name in ("answer.md", "runs/deep.md", "agent.log", "suite.yaml", "README.md", "LICENSE"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("Sales rose by a tenth.\n")
    return tmp_path


@pytest.mark.parametrize(
    ("include", "exclude", "names"),
    [
        ((), (), ["answer.md", "deep.md"]),
        (("*.log",), (), ["agent.log"]),
        (("*.md",), (), ["README.md", "answer.md", "deep.md"]),
        ((), ("runs/*",), ["answer.md"]),
        (("runs/*", "*.log"), ("agent.*",), ["deep.md"]),
    ],
)
def test_logs_settings_and_readmes_are_left_out_unless_they_are_chosen(folder, include, exclude, names):
    """A pattern fits a name, or a path below the folder."""
    read = transcripts.read(str(folder), include=include, exclude=exclude)
    assert sorted(submission.source.rsplit("/", 1)[-1] for submission in read) == names


def test_a_folder_with_nothing_to_read_names_what_was_left_out(folder):
    """And the setting that chooses it."""
    (problem,) = transcripts.read(str(folder), include=["*.md"], exclude=["*.md"])
    assert isinstance(problem, InputError)
    assert "holds no file to read" in str(problem) and "--set judge.include=PATTERN" in str(problem)


def test_a_file_that_is_named_is_read_whatever_it_is_called(folder):
    """Patterns are about folders."""
    (submission,) = transcripts.read(str(folder / "agent.log"), exclude=["*.log"])
    assert submission.output.startswith("Sales")
