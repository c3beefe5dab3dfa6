"""One presenter for every command: the formats, and the writer that is chosen."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator

import click
import pytest

from evenhand.cli.main import evenhand
from evenhand.cli.presenter import lone, present

IN_A_FORM_OF_ITS_OWN = {
    *("agent hook", "store export"),  # JSON already
    "rubric convert",  # a rubric, a suite
    *("agent mcp", "serve", "try"),
    "store create",  # one line on standard error
}


def commands(command: click.Command, *names: str) -> Iterator[tuple[str, click.Command]]:
    """A command and all below it that do something themselves."""
    if not isinstance(command, click.Group) or command.invoke_without_command:
        yield " ".join(names), command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, *names, name)


def test_every_command_with_output_has_json():
    """Except those that write a document in a form of its own."""
    formats = {
        name: {choice for option in command.params if option.name == "format" for choice in option.type.choices}  # type: ignore[attr-defined]
        for name, command in commands(evenhand)
        if name
    }
    assert {name for name, offered in formats.items() if "json" not in offered} == IN_A_FORM_OF_ITS_OWN
    assert all({"terminal", "markdown", "json", "jsonl"} <= offered for offered in formats.values() if offered)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch):
    """What `present` writes."""

    def run(format: str, document: object, **writers: object) -> str:
        stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        monkeypatch.setattr(sys, "stdout", stream)
        present(format, lambda: document, **writers)
        stream.flush()
        return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]

    return run


def test_a_document_is_indented_json_or_lines_of_it(shown):
    """A list has a line for each entry, anything else is one line."""
    assert json.loads(shown("json", [{"a": 1}, 2])) == [{"a": 1}, 2]
    assert shown("json", {"a": 1}) == '{\n  "a": 1\n}\n'
    assert shown("jsonl", [{"a": 1}, 2]) == '{"a": 1}\n2\n'
    assert shown("jsonl", {"a": [1, 2]}) == '{"a": [1, 2]}\n'
    assert shown("jsonl", []) == ""


def test_one_document_stands_for_itself():
    """Several or none are a list."""
    assert lone([{"a": 1}]) == {"a": 1}
    assert lone(({"a": 1}, {"b": 2})) == [{"a": 1}, {"b": 2}]
    assert lone([]) == []


def test_lines_are_a_list_in_markdown_without_blank_ones(shown):
    """On a terminal they are shown as they are."""
    assert shown("markdown", {}, plain=lambda: ["a", "", "b"]) == "- a\n- b\n"
    long = "word " * 40
    assert shown("terminal", {}, plain=lambda: [long]) == f"{long}\n"


def test_only_the_writer_that_was_asked_for_runs(shown):
    """One of the command's own replaces a general one; one that prints returns nothing."""

    def fail() -> str:
        raise AssertionError("not asked for")

    assert shown("html", {}, plain=fail, html=lambda: "<p>", svg=fail) == "<p>"
    assert shown("markdown", {}, plain=fail, markdown=lambda: "# Own\n") == "# Own\n"
    assert shown("terminal", {}, plain=fail, terminal=lambda: None) == ""


def test_a_format_that_a_result_lacks_is_wrong_usage(shown):
    """With the formats that it has."""
    with pytest.raises(click.UsageError, match="--format html does not go with this; formats: json, jsonl, markdown"):
        shown("html", {}, plain=list)


@pytest.mark.parametrize(("name", "command"), [pytest.param(*entry, id=entry[0]) for entry in commands(evenhand)])
def test_help_fits_into_80_columns(name, command):
    """All but the examples, which are copied as they stand."""
    context = click.Context(command, info_name=f"evenhand {name}", terminal_width=80, max_content_width=80)
    lines = command.get_help(context).splitlines()
    assert [line for line in lines if len(line) > 80 and "evenhand" not in line] == []
