"""Every tool: its name, what it tells an agent about itself, its arguments, and the schema of its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from evenhand.core.bounds import NOT_READ
from evenhand.mcp import evaluation_tools, judging_tools, output_schemas
from evenhand.mcp.call import Reply
from evenhand.mcp.output_schemas import Schema


class Tool(NamedTuple):
    """A tool as clients see it, and the function behind it."""

    name: str
    title: str
    description: str
    arguments: dict[str, Schema]
    output_schema: Schema
    function: Callable[..., Reply]
    required: tuple[str, ...] = ()
    writes: bool = False
    """Whether it adds evaluations to the store; none changes or removes anything."""

    @property
    def input_schema(self) -> Schema:
        """The JSON Schema of its arguments."""
        return {
            "type": "object",
            "properties": self.arguments,
            "required": list(self.required),
            "additionalProperties": False,
        }


def _text(description: str) -> Schema:
    return {"type": "string", "description": description}


def _object(description: str) -> Schema:
    return {"type": "object", "description": description}


_OUTPUT = _text("The text to judge. Give this or file.")
_FILE = _text("A file in the server's folders: an output, or an agent transcript in any format evenhand reads.")
_ITEM: Schema = {"type": "integer", "minimum": 1, "description": "Which submission, when the file holds several."}
_TASK = _text("What was asked for.")
_RUBRIC = _text("A rubric's name (see the tool rubrics) or file. Without it, the skill's own or the default.")
_ENTRY = "a stored evaluation's id, or a file of scorecards or judgements"


_TOOLS = (
    Tool(
        "judge_begin",
        "Begin to judge",
        "Begin to judge an output or a transcript yourself. Returns the instructions, the rubric with its bands, "
        "the work, the schema of a judgement, and a handle. Then judge, and call judge_submit with the handle.",
        {
            "output": _OUTPUT,
            "file": _FILE,
            "item": _ITEM,
            "task": _TASK,
            "rubric": _RUBRIC,
            "skill": _text("The skill that produced the work; the scorecard is compared with its history."),
        },
        output_schemas.BEGUN,
        judging_tools.judge_begin,
    ),
    Tool(
        "judge_submit",
        "Submit a judgement",
        "Hand in the judgement for a handle from judge_begin. Every quote is checked against the work, the score "
        "is computed, and the scorecard is stored. If something must be fixed, the error lists all of it, and the "
        "handle stays open: fix it and call again.",
        {
            "handle": _text("The handle from judge_begin."),
            "judgement": _object("scores, red_flags and bonuses, as judge_begin describes them."),
            "judge": _text(
                "Your name, shown as agent:NAME on the scorecard. Without it, the client's name. A person's is refused."
            ),
        },
        output_schemas.published("scorecard"),
        judging_tools.judge_submit,
        ("handle", "judgement"),
        writes=True,
    ),
    Tool(
        "findings",
        "Find faults",
        "Run deterministic checks on an output or a transcript: faults with severity, quote and place. Needs no "
        f"model. It gives no grade, because {NOT_READ}, and stores nothing.",
        {"output": _OUTPUT, "file": _FILE, "item": _ITEM, "task": _TASK},
        output_schemas.published("scorecard"),
        judging_tools.findings,
    ),
    Tool(
        "score",
        "Score written judgements",
        "Turn judgements that are already written, by a person or an agent, into scorecards, and store them.",
        {
            "judgement": _object("A judgement. Give this or file."),
            "file": _text("A file of judgements: YAML, JSON, or JSONL with one a line."),
            "output": _text("The text that was judged, so that quotes can be checked; with judgement only."),
            "rubric": _RUBRIC,
        },
        output_schemas.list_of("scorecards", "scorecard"),
        evaluation_tools.score,
        writes=True,
    ),
    Tool(
        "rank",
        "Rank evaluations",
        "Put evaluations in order, best first, with the rule that decided between each pair of neighbours.",
        {
            "entries": {
                "type": "array",
                "items": {"type": "string"},
                "description": f"Each is {_ENTRY}.",
            },
            "rubric": _RUBRIC,
        },
        output_schemas.with_errors("ranking"),
        evaluation_tools.rank,
        ("entries",),
    ),
    Tool(
        "better",
        "Say which is better",
        "Say what moved between two evaluations and by how many points, or which of several sets of them is better and "
        "whether the difference is real. Of one alone, say what to change.",
        {
            "entries": {
                "type": "array",
                "items": {"type": "string"},
                "description": f"Each is {_ENTRY}, or a skill's name. The earliest comes first.",
            },
            "of": {
                "type": "string",
                "enum": ["evaluations", "skills"],
                "description": "What entries name; evaluations by default.",
            },
            "rubric": _RUBRIC,
        },
        output_schemas.one_of("comparison", "decision", "what-to-change"),
        evaluation_tools.better,
        ("entries",),
    ),
    Tool(
        "history",
        "Show a skill's history",
        "A skill's evaluations over time, oldest first; without a skill, every skill in the store. Do not read it "
        "before you judge: judge the work that is in front of you.",
        {
            "skill": _text("The skill's name."),
            "last": {"type": "integer", "minimum": 1, "description": "How many evaluations; 20 by default."},
        },
        output_schemas.HISTORY,
        evaluation_tools.history,
    ),
    Tool(
        "verify",
        "Verify scorecards",
        "Recompute scorecards from their own inputs and name every field that was changed.",
        {
            "scorecard": _object("A scorecard. Give this, file or id."),
            "file": _text("A file of scorecards."),
            "id": _text("The id of a stored evaluation."),
            "output": _text("The text that was judged, to check its hash and every quote."),
            "output_file": _text("The text that was judged, as a file."),
            "rubric": _RUBRIC,
        },
        output_schemas.list_of("verifications", "verification"),
        evaluation_tools.verify,
    ),
    Tool(
        "rubrics",
        "List rubrics",
        "All rubrics; with a name, that one with its bands, red flags and bonuses.",
        {"name": _text("A rubric's name or file.")},
        output_schemas.rubrics(),
        evaluation_tools.rubrics,
    ),
)

TOOLS = {tool.name: tool for tool in _TOOLS}
"""The tools by name, in the order in which clients list them."""
