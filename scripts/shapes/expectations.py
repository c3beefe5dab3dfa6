"""The published shape of expectations, as people write them: in a file, in a suite, or beside a transcript."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from evenhand.core.finding import Severity
from evenhand.core.rules import DIMENSIONS
from shapes.record_types import Keywords, Number
from shapes.suite import Text

OneOrMore = Text | Annotated[list[Text], Keywords(minItems=1)]
AtLeastZero = Annotated[Number, Keywords(minimum=0)]
AnyOrder = bool | OneOrMore


class CallInput(TypedDict):
    """A tool call."""

    name: Text
    arguments: NotRequired[dict[str, Any]]


class AnyOfCalls(TypedDict):
    """Calls of which one is expected."""

    one_of: Annotated[list[Text | CallInput], Keywords(minItems=1)]


OneCall = Text | CallInput | AnyOfCalls
Calls = list[OneCall]

AnswerRules = TypedDict(
    "AnswerRules",
    {
        "equals": NotRequired[str],
        "is": NotRequired[str],
        "one_of": NotRequired[Annotated[list[str | Number], Keywords(minItems=1)]],
        "number": NotRequired[Number | str],
        "matches": NotRequired[str],
        "json": NotRequired[Any],
        "json_contains": NotRequired[Any],
        "json_schema": NotRequired[dict[str, Any] | bool],
        "contains": NotRequired[OneOrMore],
        "lacks": NotRequired[OneOrMore],
        "tolerance": NotRequired[AtLeastZero],
        "unit": NotRequired[Text],
        "strict": NotRequired[bool],
        "any_order": NotRequired[AnyOrder],
        "ignore": NotRequired[OneOrMore],
    },
)
"""What is expected of the answer."""


class CallRules(TypedDict):
    """What is expected of the tool calls of a transcript."""

    made: NotRequired[OneCall | Calls]
    not_made: NotRequired[OneCall | Calls]
    in_order: NotRequired[Calls]
    exactly: NotRequired[Calls]
    tools: NotRequired[OneOrMore]
    exact: NotRequired[bool]
    any_order: NotRequired[AnyOrder]
    ignore: NotRequired[OneOrMore]
    tolerance: NotRequired[AtLeastZero]
    at_least: NotRequired[Annotated[int, Keywords(minimum=0)]]
    at_most: NotRequired[Annotated[int, Keywords(minimum=0)]]


class SkillRules(TypedDict):
    """What is expected of the skills that an agent used."""

    used: NotRequired[Text]
    unused: NotRequired[Text]


class FileRules(TypedDict):
    """What is expected of a file in the agent's working folder."""

    path: Text
    exists: NotRequired[bool]
    contains: NotRequired[OneOrMore]
    lacks: NotRequired[OneOrMore]
    sha256: NotRequired[Annotated[str, Keywords(pattern="^[0-9a-fA-F]{64}$")]]
    unchanged: NotRequired[bool]
    json_schema: NotRequired[Text]


class CommandRules(TypedDict):
    """What is expected of a command that is run in the working folder."""

    run: Text | Annotated[list[str], Keywords(minItems=1)]
    exit_code: NotRequired[int]
    contains: NotRequired[OneOrMore]
    folder: NotRequired[Text]
    seconds: NotRequired[AtLeastZero]
    shell: NotRequired[bool]
    environment: NotRequired[Annotated[list[Text], Keywords(minItems=1)]]
    products: NotRequired[Annotated[list[Text], Keywords(minItems=1)]]


class ScriptRules(TypedDict):
    """A script that decides."""

    javascript: NotRequired[str]
    python: NotRequired[str]
    vars: NotRequired[dict[str, Any]]
    test: NotRequired[dict[str, Any]]
    config: NotRequired[dict[str, Any]]
    threshold: NotRequired[AtLeastZero]
    negated: NotRequired[bool]
    seconds: NotRequired[AtLeastZero]


class LimitRules(TypedDict):
    """The most that a run may take."""

    turns: NotRequired[Annotated[int, Keywords(minimum=0, maximum=10**9)]]
    calls: NotRequired[Annotated[int, Keywords(minimum=0, maximum=10**9)]]
    tokens: NotRequired[Annotated[int, Keywords(minimum=0, maximum=10**15)]]
    cost: NotRequired[AtLeastZero]
    seconds: NotRequired[AtLeastZero]


class ShareRules(TypedDict):
    """Several expectations of which a share must be met, by weight."""

    of: Annotated[list[dict[str, Any]], Keywords(minItems=1)]
    at_least: Annotated[Number, Keywords(exclusiveMinimum=0, maximum=1)]
    weights: NotRequired[Annotated[list[Annotated[Number, Keywords(exclusiveMinimum=0)]], Keywords(minItems=1)]]


class TextRules(TypedDict):
    """A sentence that judges decide."""

    text: str


class GradedRules(TypedDict):
    """A sentence that another tool has graded."""

    text: str
    passed: NotRequired[bool]
    evidence: NotRequired[str]


class ExpectationInput(TypedDict):
    """One requirement: exactly one of answer, calls, skill, file, command, script, limit, share, text and graded."""

    answer: NotRequired[AnswerRules | str | Number]
    calls: NotRequired[CallRules]
    skill: NotRequired[SkillRules]
    file: NotRequired[FileRules]
    command: NotRequired[CommandRules]
    script: NotRequired[ScriptRules]
    limit: NotRequired[LimitRules]
    share: NotRequired[ShareRules]
    text: NotRequired[TextRules | str]
    graded: NotRequired[GradedRules]
    dimension: NotRequired[Annotated[str, Keywords(enum=list(DIMENSIONS))]]
    severity: NotRequired[Severity]


_ABOUT = ("answer", "calls", "skill", "file", "command", "script", "limit", "share", "text", "graded")
Expectation = Annotated[ExpectationInput, Keywords(oneOf=[{"required": [about]} for about in _ABOUT])]


class ExpectationsDocument(TypedDict):
    """A file of expectations; the list alone will do as well."""

    schema: NotRequired[Literal["evenhand/expectations/v1"]]
    expect: Annotated[list[str | Expectation], Keywords(minItems=1)]
