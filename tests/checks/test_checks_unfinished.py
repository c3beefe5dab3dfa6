"""The check `unfinished`: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from evenhand.checks.finding import Finding
from evenhand.checks.subject import Subject
from evenhand.checks.text.unfinished import CHECKS
from evenhand.core.values.submission import Event, Place, Submission, ToolCall
from every_case import every_case
from test_checks_commands import bound, in_place

(CHECK,) = CHECKS
TASK = "Write a Python script that issues refunds."
WHOLE = "Rewrite the code and give me the complete file."


def seen(output: str, task: str | None = TASK, events: tuple[Event, ...] = ()) -> list[Finding]:
    findings = list(CHECK.run(Subject(Submission(output=output, task=task, events=events))))
    assert all(in_place(finding, output) for finding in findings if finding.severity)
    return findings


def python(code: str) -> str:
    return f"Here it is.\n\n```python\n{code}\n```\n"


@pytest.mark.parametrize(
    ("output", "task", "severity", "quote"),
    [
        (python("def refund(order):\n    pass"), TASK, "major", "def refund(order):"),
        (python('def refund(order):\n    """Give it back."""\n    ...'), TASK, "major", "def refund(order):"),
        (
            python("class Shop:\n    def refund(self):\n        raise NotImplementedError"),
            TASK,
            "major",
            "def refund(self):",
        ),
        (
            python("import os\n# ... rest of the code unchanged ...\nrun()"),
            WHOLE,
            "major",
            "# ... rest of the code unchanged ...",
        ),
        ("```js\n// ... existing code ...\nrun()\n```", WHOLE, "major", "// ... existing code ..."),
        ("```go\n// your implementation here\n```", WHOLE, "major", "// your implementation here"),
        (
            python("def refund(order):\n    # TODO: check the amount\n    pay(order)"),
            TASK,
            "minor",
            "# TODO: check the amount",
        ),
        ("# Plan\n\nWe start.\n\n## Budget\n\nTBD\n", "Write a plan.", "minor", "TBD"),
        ("# Plan\n\nWe start.\n\n## Risks\n\nLorem ipsum dolor sit amet.", "Write a plan.", "minor", "Lorem ipsum"),
        ("# Plan\n\nWe start.\n\n## Risks\n\n## Budget\n\nTen.", "Write a plan.", "minor", "Risks"),
        ("# Plan\n\nWe start.\n\n## Risks\n", "Write a plan.", "minor", "Risks"),
        ("# Plan\n\nWe start.\n\n## Risks\n\n<!-- fill this in -->\n", "Write a plan.", "minor", "Risks"),
    ],
)
def test_what_is_left_undone_is_seen(output, task, severity, quote):
    """A stub or an omission is a major fault, an empty section or a note a minor one."""
    (finding,) = seen(output, task)
    assert (finding.dimension, finding.severity) == ("completeness", severity)
    assert finding.quote.startswith(quote)


@every_case(
    ("output", "task"),
    [
        (python("class RefundError(Exception):\n    pass"), TASK),
        (python("class Gateway(ABC):\n    @abstractmethod\n    def refund(self): ..."), TASK),
        (python("class BaseGateway:\n    def refund(self):\n        raise NotImplementedError"), TASK),
        (python("class Quiet(Handler):\n    def log_message(self, *args):\n        pass"), TASK),
        (python("try:\n    refund()\nexcept KeyError:\n    pass"), TASK),
        (python("@app.get('/')\ndef home(): ..."), TASK),
        (python("def refund(order: Order, *, reason: str = '') -> Receipt: ..."), TASK),
        (python("def refund(order):\n    pass"), "Explain what an empty function looks like."),
        (python("def refund(order):\n    pass"), None),
        (python("def refund(order):\n    pass"), "Write a skeleton of the code."),
        (python("def refund(order):\n    pass"), "Fix this code:\n\ndef refund(order):\n    pass"),
        (python("import os\n# ... existing code ...\nrun()"), "Fix the bug in this function."),
        ("I removed the TODO comments. The TODO list app is done.", TASK),
        ("| version | ends |\n|---|---|\n| 5 | TBD |", TASK),
        ("# Plan\n\n## Risks\n\nFew.\n\n### Money\n\nNone.\n", "Write a plan."),
        ("# Outline\n\n## Risks\n\n## Budget\n", "Give me an outline."),
        ("# Notes\n\n## [Unreleased]\n\n## 1.0\n\nFirst.", "Write release notes."),
        ("# API\n\nAll of it.\n\n### `get(url)`\n\n### `get(url, options)`\n\nFetches.", "Write the reference."),
        ("# Q\n\nOne.\n\n## Answer: 42\n", "Say it."),
        ("A paragraph that ends with a rule\n---\n", "Say it."),
        ("# A\n\nText.\n\n## B\n\n<!-- generated: options -->\n\n## C\n\nText.", "Write it."),
    ],
)
def test_what_is_meant_so_is_left_alone(output, task):
    """Bases, overrides, frames that were asked for, what the task itself holds, talk of things to do."""
    assert not [finding for finding in seen(output, task) if finding.severity]


def wrote(path: str, content: str, line: int = 3, result: str = "File created successfully") -> Event:
    call = ToolCall("Write", {"file_path": path, "content": content}, str(line), result)
    return Event("tool_call", "assistant", "", Place("run.jsonl", line), call)


def test_a_file_that_was_written_with_a_stub_is_seen_at_its_place():
    """What an agent wrote counts as much as what it says."""
    (finding,) = seen("Done.", "Add refunds.", (wrote("shop.py", "def refund(order):\n    pass\n"),))
    assert (finding.severity, finding.quote, finding.place) == ("major", "def refund(order):", Place("run.jsonl", 3))


def test_a_file_that_was_written_with_an_omission_is_seen():
    """A comment in place of code destroys what stood there, whether or not all of it was asked for."""
    (finding,) = seen("Done.", "Add refunds.", (wrote("shop.ts", "run()\n// rest of the file unchanged\n"),))
    assert (finding.severity, finding.quote) == ("major", "// rest of the file unchanged")


def test_a_stub_that_was_filled_later_is_left_alone():
    """Only the last state of a file counts."""
    edit = ToolCall("Edit", {"file_path": "shop.py", "old_string": "pass", "new_string": "pay()"}, "9", "updated")
    events = (wrote("shop.py", "def refund(o):\n    pass\n"), Event("tool_call", "assistant", "", Place("r", 9), edit))
    assert not [finding for finding in seen("Done.", "Add refunds.", events) if finding.severity]


def test_finished_code_is_in_order():
    """It is looked at, and moves nothing."""
    (finding,) = seen(python("def refund(order):\n    return pay(order)"))
    assert finding.severity is None


@pytest.mark.parametrize(
    "output",
    [
        "#!/bin/sh\n# Back up the folder\n#\n# Usage\n\n# Where to\n\n# End\n",
        "import os\n\n# Licence\n# All rights reserved\n\n# Helpers\n\n# Paths\n\ndef f(x):\n    return x\n",
        "[tool]\nname = 1\n\n# The user that runs it\n# and the group\n\n# Limits\nsize = 3\nmore = 4\n",
    ],
)
def test_the_comments_of_a_program_are_not_empty_sections(output):
    """A program may be given as it is, without a fence."""
    assert not [finding for finding in seen(output, "Write it.") if finding.severity]


def test_one_habit_is_reported_three_times_at_most():
    """Of five stubs three are enough to tell."""
    code = "\n".join(f"def f{n}():\n    pass" for n in range(5))
    assert [finding.severity for finding in seen(python(code))] == ["major"] * 3


def test_more_headings_never_raise_anything():
    """They can only be empty."""
    before = "# Plan\n\nWe start.\n\n## Risks\n\nFew.\n"
    after = before + "\n## Next\n\n## Later\n"
    assert bound(seen(after)) <= bound(seen(before))
