"""First steps from an installed package: the tour, the pages, words of other tools."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Ran

from evenhand.cli.main import COMMANDS
from evenhand.cli.manual import find_page, read_pages, search

Command = Callable[..., Ran]


@pytest.mark.slow
def test_the_tour_shows_a_check_a_grade_a_comparison_and_a_gate(evenhand_command: Command, tmp_path: Path):
    """In an empty folder, which stays empty; exit code 0 though the gate of the example is red."""
    done = evenhand_command("try", cwd=tmp_path)
    assert done.code == 0, done.err
    places = [
        done.out.index(part)
        for part in (
            "not graded: no one has read this output",
            "3.44 of 10",
            "new is better than old",
            "red flag false-run-",
        )
    ]
    assert places == sorted(places)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_examples_can_be_had_and_replace_nothing(evenhand_command: Command, tmp_path: Path):
    """A second time is an error, with what to do."""
    assert evenhand_command("try", "--files", "mine", cwd=tmp_path).code == 0
    assert (tmp_path / "mine" / "notes" / "old" / "api.md").is_file()
    assert not (tmp_path / "mine" / ".evenhand").exists()
    again = evenhand_command("try", "--files", "mine", cwd=tmp_path)
    assert again.code == 2 and "mine exists; name a folder that does not" in again.err


def test_there_are_at_most_17_commands():
    """More than that, no one finds the right one."""
    assert sum(map(len, COMMANDS.values())) <= 17


@pytest.mark.parametrize(
    ("word", "instead"),
    [
        ("check", "evenhand judge FILE (without"),
        ("eval", "evenhand run SUITE"),
        ("view", "evenhand serve (a dashboard)"),
    ],
)
def test_a_word_of_another_tool_names_the_command(evenhand_command: Command, word: str, instead: str):
    """What promptfoo, Inspect and this tool's own Python call it."""
    done = evenhand_command(word, "x.md")
    assert done.code == 2
    assert f'there is no command "{word}"; did you mean:' in done.err and instead in done.err


def test_docs_lists_every_page_and_prints_one(evenhand_command: Command):
    """As Markdown word for word, as JSON with its title."""
    names = [page["name"] for page in json.loads(evenhand_command("docs", "--format", "json").out)]
    assert sorted(names) == sorted(path.stem for path in (ROOT / "docs").rglob("*.md"))
    printed = evenhand_command("docs", "limits", "--format", "markdown").out
    assert printed == (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    assert json.loads(evenhand_command("docs", "limits", "-f", "json").out)["title"] == "What it cannot judge"
    assert "What it cannot judge" in evenhand_command("docs", "limits").out
    shown = evenhand_command("docs", "index")
    assert "…" not in shown.out  # nothing is cut off in 80 columns
    assert ".md" not in shown.out and "names in brackets are pages: evenhand docs NAME" in shown.err
    assert evenhand_command("docs", "../reference/install.md#windows").out == evenhand_command("docs", "install").out


def test_a_topic_is_a_name_or_words_of_a_title():
    """Exactly one page, or else it is looked for."""
    pages = read_pages()
    assert find_page("Gate a CI job", pages).name == "gate-a-ci-job"
    assert find_page("reference/install.md", pages).name == "install"
    assert find_page("model judge", pages).name == "model-judge"
    assert find_page("judge", pages) is None and find_page("xyzzy", pages) is None


@pytest.mark.parametrize(
    ("topic", "page"),
    {
        "delete an evaluation": "store",
        "ignore a false alarm": "what-a-program-can-know",
        "langfuse": "use-with-other-tools",
        "cost": "judge-with-a-model",
        "retry": "model-judge",
        "jupyter": "use-from-python",
        "rate limit": "model-judge",
        "api key": "settings",
        "privacy": "judge-with-a-model",
        "windows": "install",
        "how do I calibrate": "trust-a-judge",
        "postgres": "store",
        "sarif": "gate-a-ci-job",
    }.items(),
)
def test_other_words_find_the_section_that_speaks_of_them(topic: str, page: str):
    """One of the first three is the page that explains it."""
    assert page in [hit.page for hit in search(topic, read_pages())[:3]]


def test_docs_shows_where_words_are(evenhand_command: Command):
    """The section with its line; what no page speaks of is an error."""
    shown = evenhand_command("docs", "delete", "an", "evaluation")
    assert shown.code == 0
    assert shown.out.splitlines()[0] == "store: Delete an evaluation"
    (first, *_) = json.loads(evenhand_command("docs", "waives", "-f", "json").out)
    assert first["page"] == "what-a-program-can-know" and "waives" in first["line"]
    unknown = evenhand_command("docs", "xyzzy")
    assert unknown.code == 2 and 'unknown page "xyzzy"' in unknown.err


def test_the_readme_shows_what_auto_says_where_nothing_is_ready(evenhand_command: Command, tmp_path: Path):
    """The lines of the README are those of the command."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"^error: .*$", readme, flags=re.MULTILINE)
    (tmp_path / "answer.md").write_text("An answer of some length, for someone to read.\n")
    done = evenhand_command(
        "judge", "answer.md", "--judge", "auto", "--store", "none", cwd=tmp_path, PATH=os.devnull, HOME=str(tmp_path)
    )
    assert done.code == 2 and len(shown) == 2
    assert [line for line in shown if line not in done.err.splitlines()] == []


def test_figures_of_the_readme_are_in_the_page_that_explains_them():
    """Shares that commands print are quoted once more where their conditions are."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Measured")[2].partition("\n## ")[0]
    methodology = (ROOT / "docs" / "methodology.md").read_text(encoding="utf-8")
    shares = re.findall(r"\d+\.\d+%", readme)
    assert len(shares) >= 2
    assert [share for share in shares if share not in methodology] == []
    commands = re.findall(r"python ((?:benchmarks|scripts)/\w+\.py)", readme)
    assert len(commands) >= 3 and all((ROOT / command).is_file() for command in commands)
