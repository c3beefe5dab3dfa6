"""Aider: histories of chats in Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand.transcripts import sniff
from evenhand.work.submission import Usage
from transcript_reading import FIXTURES, SAMPLES, all_of, calls, needs_samples, one, places_are_exact, rows

REPORT = """## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in cart.py
<<<<<<< SEARCH
price = 1
>>>>>>> REPLACE"""


def test_each_chat_of_a_history_is_told_in_order():
    """A heading or a quotation in an answer is the answer's; an edit is a call that was applied, or failed to match."""
    first, _ = all_of(FIXTURES / "aider.md")
    told = rows(first)
    assert [row for row in told if row[1] != "system"] == [
        ("message", "user", "Fix the cart:\nthe price is missing."),
        ("message", "assistant", told[4][2]),
        ("tool_call", "edit", f"FAILED {REPORT}"),
        ("message", "assistant", "Here is the block again."),
        ("tool_call", "edit", "Applied edit to cart.py"),
    ]
    assert told[4][2].startswith("I will set the price.\n\n#### A heading of the answer\n\n> a quotation of the answer")
    assert told[4][2].endswith(">>>>>>> REPLACE\n```")
    assert ("error", "system", "The LLM did not conform to the edit format.") in told
    assert ("message", "system", "/add cart.py") in told


def test_an_edit_holds_what_it_puts_into_the_file():
    """A block that failed stands in aider's report; an answer without blocks is the edit itself."""
    first, _ = all_of(FIXTURES / "aider.md")
    assert [call.arguments for call in calls(first)] == [
        {"path": "cart.py", "edit": "<<<<<<< SEARCH\nprice = 1\n>>>>>>> REPLACE"},
        {"path": "cart.py", "edit": "Here is the block again."},
    ]


def test_a_chat_has_its_own_task_model_time_and_tokens():
    """4.2k + 4,300 sent, of which 1k from the cache; a chat without a message is not a submission, but counted."""
    first, second = all_of(FIXTURES / "aider.md")
    assert first.usage == Usage(4200 + 4300, 120 + 90, 1000)
    assert (first.task, first.models) == ("Fix the cart:\nthe price is missing.", ("claude-sonnet-4-5",))
    assert (first.started, first.output) == ("2026-03-02T09:00:00", "Here is the block again.")
    assert (second.task, second.output) == ("what does total do?", "It adds the prices.")
    assert (second.usage, second.models) == (Usage(1000, 20, 0), ("gpt-5",))
    assert (second.source or "").endswith("aider.md:53")
    assert second.unknown == {"chat without a message": 1}
    assert places_are_exact(FIXTURES / "aider.md", first)


def test_a_history_whose_trailing_spaces_are_gone_is_read(tmp_path: Path):
    """An editor may strip them; then every line with a mark is taken at its word."""
    stripped = tmp_path / "history.md"
    text = "# aider chat started at 2026-03-02 09:00:00\n\n> Aider v0.86.1\n\n#### Hi\n#### there\n\nHello.\n"
    stripped.write_text(text, encoding="utf-8")
    assert [row for row in rows(one(stripped)) if row[1] != "system"] == [
        ("message", "user", "Hi\nthere"),
        ("message", "assistant", "Hello."),
    ]


def test_markdown_that_is_not_a_history_stays_text(tmp_path: Path):
    """Headings of the fourth level and quotations are common."""
    page = tmp_path / "page.md"
    page.write_text("# Aider\n\n#### Use\n\n> Aider is a tool.\n", encoding="utf-8")
    assert sniff(str(page)).name == "text"


@needs_samples
@pytest.mark.parametrize("path", sorted((SAMPLES / "aider").glob("*")), ids=lambda path: path.name)
def test_a_sample_is_read_with_nothing_lost(path: Path):
    """Edits that were applied and that failed, tokens, and every line of the file in some event."""
    lines = path.read_text(encoding="utf-8").splitlines()
    chats = all_of(path)
    made = [call for chat in chats for call in calls(chat)]
    assert {chat.format for chat in chats} == {"aider"}
    assert len(chats) == max(1, sum(line.startswith("# aider chat started") for line in lines))
    assert sum(not call.failed for call in made) == sum(line.startswith("> Applied edit to ") for line in lines)
    assert sum(call.failed for call in made) == sum("SearchReplaceNoExactMatch" in line for line in lines)
    sent = [int(line.split()[1]) for line in lines if " prompt tokens, " in line]
    assert sum(chat.usage.input for chat in chats if chat.usage) == sum(sent)
    edits = [(call.arguments["path"], call.arguments["edit"]) for call in made]
    assert all(path in edit or "<<<<<<<" in edit for path, edit in edits)
    told = "\n".join(text for chat in chats for row in rows(chat) for text in row)
    for line in lines:
        words = line.removeprefix("####").removeprefix("> ").strip()
        assert words in told or line.startswith("# aider chat started"), line
