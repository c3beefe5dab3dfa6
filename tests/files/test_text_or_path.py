"""A task is a file or text. What looks like a path and leads nowhere is neither."""

from __future__ import annotations

import pytest

import evenhand
from evenhand import InputError
from evenhand.files.text import looks_like_path, text_or_file

PATHS = [
    "task.md",
    "tasks/one",
    "./task",
    "../tasks/api.txt",
    "/tmp/nowhere",
    "~/task.md",
    "C:\\tasks\\one.md",
    "/srv/my tasks/one.md",
    "prompt.YAML",
]
TEXTS = [
    "",
    "Why does it hang?",
    "Fix src/api.py",
    "Summarise README.md",
    "Explain and/or in one sentence",
    "What is 1/2 of 3.5?",
    "hello",
    "v1.2",
    "e.g.",
    "https://example.org/a.md",
    "Translate",
    "比较A/B两个方案",
    "请总结README.md",
    "Do it.\ntask.md",
    " task.md",
    "/",
    "~",
]


@pytest.mark.parametrize("value", PATHS)
def test_a_path_that_leads_nowhere_is_an_error(value, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="no such file; if this is meant as text"):
        text_or_file(value)


@pytest.mark.parametrize("value", TEXTS)
def test_text_stays_text(value, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert text_or_file(value) == value


def test_a_file_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "task.md").write_text("Why?")
    assert text_or_file("task.md") == "Why?"


def test_a_name_with_spaces_is_a_path_where_its_folder_exists(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert not looks_like_path("my tasks/one.md")
    (tmp_path / "my tasks").mkdir()
    assert looks_like_path("my tasks/one.md")


@pytest.mark.parametrize(
    "call",
    [
        lambda: evenhand.check("An answer.", task="task.md"),
        lambda: evenhand.judge("An answer.", task="tasks/one", judges="checks"),
        lambda: evenhand.side_by_side({"a": ["x"], "b": ["y"]}, judges="openai:m", task="task.md"),
    ],
)
def test_python_takes_text_and_refuses_a_path(call):
    """The judge would be told that the task was "task.md"."""
    with pytest.raises(InputError, match=r"`task` is text, and .* looks like a path: read the file first"):
        call()


@pytest.mark.parametrize(
    "command",
    [
        ("judge", "a.md"),
        ("better", "--side-by-side", "a.md", "b.md", "--judge", "openai:m"),
        ("trust", "anchors", "add", "a.md"),
    ],
)
@pytest.mark.slow
def test_every_command_refuses_it(command, evenhand_command, tmp_path):
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("An answer that says something about cats.")
    ran = evenhand_command(*command, "--task", "tsak.md")
    assert ran.code == 2
    assert ran.err.startswith("error: tsak.md: no such file")
