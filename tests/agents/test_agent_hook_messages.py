"""The hook on last messages of many kinds that could be true: it says nothing."""

from __future__ import annotations

from pathlib import Path

from test_agent_hook import Session

from evenhand.agents import hook
from every_case import every_case
from hook_messages import INNOCENT, Case


def faults_of(case: Case, folder: Path) -> list[str]:
    """What the hook finds in the session of a case."""
    session = Session(folder / "session.jsonl")
    steps = case.steps
    if not steps or steps[0][0] != "asked":
        steps = (("asked", "Fix the parser."), *steps)
    for kind, *values in steps:
        match kind:
            case "asked" | "user" | "shown":
                session.user(values[0])
            case "read":
                session.runs("Read", values[1], file_path=f"/w/{values[0]}")
            case "bash":
                session.runs("Bash", values[1], command=values[0], failed="failed" in values[1])
            case "refused":
                words = "The user doesn't want to proceed with this tool use. The tool use was rejected."
                session.runs("Bash", words, command=values[0], failed=True)
            case "edit":
                session.edits(f"/w/{values[0]}")
            case "failed edit":
                arguments = {"file_path": f"/w/{values[0]}", "old_string": "a", "new_string": "b"}
                session.runs("Edit", "String to replace not found in file.", failed=True, **arguments)
            case "tool":
                session.runs(values[0], values[2], **values[1])
            case _:
                raise ValueError(kind)
    session.says(case.message)
    found = [fault.check for fault in hook._faults(str(session.path), case.message)]
    session.path.unlink()
    return found


@every_case("case", INNOCENT, ids=lambda case: case.name)
def test_no_message_is_accused_that_could_be_true(tmp_path: Path, case: Case):
    """A run by anyone, a condition, a quotation, words that mean something else."""
    assert faults_of(case, tmp_path) == []
