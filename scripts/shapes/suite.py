"""The published shapes of a suite file, as people write it, and of what `suite check` understood."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from evenhand.decisions.suite import Limits
from evenhand.options.model_options import used_by
from shapes.record_types import Keywords, Number, Score, Weight, Whole, shape_of

Text = Annotated[str, Keywords(pattern=r"\S")]
Name = Annotated[str, Keywords(pattern=r"^[^\s/\\:_.-][^\s/\\:]*$", maxLength=100)]
AboveZero = Annotated[Number, Keywords(minimum=0.001, maximum=1_000_000)]
Size = (
    Annotated[int, Keywords(minimum=1, maximum=10**15)]
    | Annotated[str, Keywords(pattern=r"^[0-9]+(\.[0-9]+)? ?([kKMGT]i?)?B?$")]
)

StartFileInput = TypedDict("StartFileInput", {"from": Text, "to": Text})
"""A file or folder, and where it goes in the workspace."""


class MessageInput(TypedDict):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class CaseInput(TypedDict):
    """One thing to be done, by every variant."""

    id: NotRequired[Name | int]
    prompt: NotRequired[Text]
    conversation: NotRequired[Annotated[list[MessageInput], Keywords(minItems=1)]]
    files: NotRequired[Text | list[Text | StartFileInput]]
    task: NotRequired[Text]
    rubric: NotRequired[Text]
    reference: NotRequired[Text]
    expect: NotRequired[Text | dict[str, Any] | Annotated[list[str | dict[str, Any]], Keywords(minItems=1)]]
    tags: NotRequired[Text | list[Text]]
    cluster: NotRequired[Text]
    weight: NotRequired[AboveZero]
    vars: NotRequired[dict[str, str | Number]]


OneCase = Annotated[CaseInput, Keywords(oneOf=[{"required": ["prompt"]}, {"required": ["conversation"]}])]


class LimitsInput(TypedDict):
    """What one run may use; null means no limit."""

    seconds: NotRequired[AboveZero | None]
    output: NotRequired[Size | None]
    processes: NotRequired[Annotated[int, Keywords(minimum=1, maximum=1_000_000)] | None]
    memory: NotRequired[Size | None]
    disk: NotRequired[Size | None]
    network: NotRequired[bool]
    reads: NotRequired[list[Text] | None]
    writes: NotRequired[list[Text]]


class SkillInput(TypedDict):
    """A skill's folder at a git revision."""

    path: Text
    revision: NotRequired[Annotated[str, Keywords(pattern=r"^[^\s-]\S*$")]]


class DoingInput(TypedDict):
    """What a variant does, and within which limits."""

    command: NotRequired[Text | Annotated[list[str], Keywords(minItems=1)]]
    shell: NotRequired[bool]
    environment: NotRequired[list[Text] | dict[str, str | None]]
    stdin: NotRequired[str]
    output: NotRequired[Text]
    transcript: NotRequired[Text | None]
    own_home: NotRequired[bool]
    function: NotRequired[Annotated[str, Keywords(pattern=r"^.+:[^\s:]+$")]]
    model: NotRequired[Text]
    prompt: NotRequired[Annotated[str, Keywords(pattern=r"\{prompt\}")]]
    system: NotRequired[str]
    recorded: NotRequired[Text]
    limits: NotRequired[LimitsInput]


class VariantInput(DoingInput):
    """What is run on every case: a command, a function, a model, or outputs that are recorded."""

    like: NotRequired[Name]
    skill: NotRequired[Text | SkillInput | None]


_ONE_KIND = [{"required": [kind]} for kind in ("command", "function", "model", "recorded")]
OneVariant = Annotated[VariantInput, Keywords(anyOf=[{"required": ["like"]}, {"oneOf": _ONE_KIND}])]
Variants = Annotated[dict[str, OneVariant], Keywords(minProperties=1)]


class VersionsInput(DoingInput):
    """The versions of one skill, each a variant."""

    versions: Annotated[list[Text], Keywords(minItems=1)]
    """`none`, `now`, a git revision, or another folder that starts with a dot or a slash."""
    skill: Text


OneLine = Annotated[VersionsInput, Keywords(oneOf=_ONE_KIND)]


class SuiteGateInput(TypedDict):
    """When a suite is red."""

    baseline: NotRequired[Name]
    margin: NotRequired[Annotated[Number, Keywords(minimum=0, maximum=9)]]
    min_score: NotRequired[Score]
    max_failed: NotRequired[Weight]
    no_fault: NotRequired[Literal["minor", "major", "critical"]]
    expectations: NotRequired[Literal["all"]]
    """`all`: every expectation of every run must be met."""
    require: NotRequired[Literal["confined"]]


AskingInput = Annotated[
    dict[str, Any],
    Keywords(
        properties={name: {**option.schema, "description": option.help} for name, option in used_by("suite").items()},
        additionalProperties=False,
    ),
]


class TriggersInput(TypedDict):
    """Prompts that try when a skill is activated."""

    skill: NotRequired[Name]
    """The name in SKILL.md; absent: the one skill that variants are given."""
    should: NotRequired[Text | list[Text]]
    should_not: NotRequired[Text | list[Text]]


class SuiteDocument(TypedDict):
    """Cases, the variants that are run on them, how often, and who judges."""

    schema: NotRequired[Literal["evenhand/suite/v1"]]
    suite: Name | int
    skill: NotRequired[Text]
    rubric: NotRequired[Text]
    judges: NotRequired[Text | list[Text]]
    calibration: NotRequired[Text]
    """The file of a calibration of the judges; its path starts at the suite file."""
    options: NotRequired[AskingInput]
    """How the judges are asked."""
    pairs: NotRequired[bool]
    repeats: NotRequired[Annotated[int, Keywords(minimum=1, maximum=1000)]]
    limits: NotRequired[LimitsInput]
    cases: NotRequired[Text | Annotated[list[Text | OneCase], Keywords(minItems=1)]]
    triggers: NotRequired[TriggersInput]
    """Instead of cases."""
    variants: OneLine | Variants
    compare_with: NotRequired[Name]
    gate: NotRequired[SuiteGateInput | Literal["all"]]


CASES_OR_TRIGGERS = {"oneOf": [{"required": ["cases"]}, {"required": ["triggers"]}]}
"""A rule of the whole suite, for its schema."""


class CheckedCaseDocument(TypedDict):
    """A case that was understood."""

    id: str
    tags: list[str]
    weight: Number
    files: Whole
    """How many files and folders it starts from."""
    expectations: bool
    """Whether it has any."""
    cluster: NotRequired[str]


CheckedLimitsDocument: Any = shape_of(Limits)


class CheckedVariantDocument(TypedDict):
    """A variant that was understood."""

    name: str
    does: str
    skill: str | None
    limits: CheckedLimitsDocument


class SuiteCheckDocument(TypedDict):
    """What `suite check` understood."""

    schema: Literal["evenhand/suite-check/v1"]
    suite: str
    source: str
    sha256: str
    skill: str | None
    rubric: str | None
    judges: list[str]
    calibration: NotRequired[str | None]
    """The file of a calibration of the judges."""
    pairs: bool
    repeats: Whole
    cases: list[CheckedCaseDocument]
    tags: dict[str, Whole]
    """How many cases have each tag."""
    variants: list[CheckedVariantDocument]
    compare_with: str
    """The variant that the others are compared with."""
    runs: Whole
    """Cases times variants times repeats."""
    warnings: list[str]
