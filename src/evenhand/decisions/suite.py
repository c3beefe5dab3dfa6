"""A suite: cases, the variants that are run on them, how often, who judges. Immutable values; nothing here computes."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Final, Literal, NamedTuple

from evenhand.core.finding import Place
from evenhand.core.published import ALWAYS

SHOULD: Final = "should"
SHOULD_NOT: Final = "should-not"
"""Tags of the prompts under `triggers`: a skill should be activated, or should not."""


class StartFile(NamedTuple):
    """A file or folder that a run starts from."""

    source: str
    """Absolute path of the file or folder."""
    target: str
    """Where it goes, relative to the workspace; `.` for the workspace itself."""


class Message(NamedTuple):
    """One turn of a conversation that precedes the prompt."""

    role: Literal["system", "user", "assistant"]
    text: str


NO_RUBRIC: Final = "none"
"""In place of a suite's rubric: judges decide the expectations in words and nothing else."""


class Case(NamedTuple):
    """One thing to be done, by every variant."""

    id: str
    prompt: str
    """What the agent is told; the last message of a conversation."""
    conversation: tuple[Message, ...] = ()
    """The messages before the prompt; empty for a prompt alone."""
    files: tuple[StartFile, ...] = ()
    task: str | None = None
    """What judges are told was asked for; the prompt when None. Empty: it is not known, unless a transcript tells."""
    rubric: str | None = None
    """A name or an absolute path; the suite's when None."""
    reference: str | None = None
    expect: Any = None
    """Expectations as a plain value, already checked; None when there are none."""
    tags: tuple[str, ...] = ()
    weight: Decimal = Decimal(1)
    place: Place = Place("")
    """Where the case was written, for messages."""
    variables: tuple[tuple[str, str], ...] = ()
    """Name and text: what `{vars.NAME}` in a variant stands for."""
    cluster: str = ""
    """What it has in common with other cases: a document, a repository; they are then compared as one."""


class Limits(NamedTuple):
    """What one run may use. None means no limit."""

    seconds: Annotated[Decimal | None, ALWAYS] = Decimal(600)
    output_bytes: Annotated[int | None, ALWAYS] = 10_000_000
    """Standard output and standard error together."""
    processes: Annotated[int | None, ALWAYS] = 256
    memory_bytes: Annotated[int | None, ALWAYS] = 8_000_000_000
    network: Annotated[bool, ALWAYS] = True
    """False: the run has no network, on systems where that can be arranged; elsewhere it is refused."""
    writes: Annotated[tuple[str, ...], ALWAYS] = ()
    """The only folders, besides its own, in which a run can write, where the system can arrange that."""
    reads: Annotated[tuple[str, ...] | None, ALWAYS] = None
    """What a run can read besides its own folders, the system and its program, where the system can arrange that."""
    disk_bytes: Annotated[int | None, ALWAYS] = 10_000_000_000
    """What its own folders may hold."""


class Skill(NamedTuple):
    """A skill folder that a variant is given."""

    path: str
    """Absolute path of the folder that holds SKILL.md."""
    revision: str | None = None
    """A git revision of that folder; the files as they are when None."""


class Command(NamedTuple):
    """A variant: a command, run once for each case and repeat in a workspace of its own."""

    arguments: tuple[str, ...]
    """With placeholders: {prompt}, {prompt_file}, {workspace}, {case}, {repeat}, {skill}."""
    shell: bool = False
    """True: one argument, which a shell reads; the prompt is then available in variables only."""
    environment: Mapping[str, str] = {}
    """Variables to set."""
    stdin: str = ""
    """What is written to its standard input, with the same placeholders."""
    output: str | None = None
    """The file in the workspace that holds the output; standard output when None."""
    transcript: str | None = "auto"
    """A file or pattern in the workspace or its HOME; `auto` looks where known agents write; None: there is none."""
    own_home: bool = True
    """Whether its HOME is empty at the start; else the user's logins of known agents are copied into it."""
    passed: tuple[str, ...] = ()
    """Variables that it gets from our environment, besides those that every program needs."""


class Function(NamedTuple):
    """A variant: a Python function that is given the prompt and the case and returns the output."""

    target: str
    """`module:function` or `file.py:function`, the file as an absolute path."""
    environment: Mapping[str, str] = {}
    passed: tuple[str, ...] = ()
    """Variables as those of a command."""


class Model(NamedTuple):
    """A variant: a model that is asked with a template."""

    spec: str
    """As after --judge: `openai:gpt-5-mini`, `anthropic:...`, with its settings."""
    template: str = "{prompt}"
    system: str = ""


class Recorded(NamedTuple):
    """A variant: outputs or transcripts that exist already."""

    pattern: str
    """An absolute path with {case} and {repeat} in it."""


class Variant(NamedTuple):
    """What is run on every case."""

    name: str
    does: Command | Function | Model | Recorded
    skill: Skill | None = None
    """Copied into the workspace where agents look for skills."""
    limits: Limits = Limits()
    place: Place = Place("")


class SuiteGate(NamedTuple):
    """When a suite is red."""

    baseline: Annotated[str | None, ALWAYS] = None
    """A stored baseline that every variant is compared with; None: the suite's first variant."""
    margin: Annotated[Decimal, {"text": True, "always": True}] = Decimal("0.2")
    """A loss smaller than this is not counted."""
    min_score: Annotated[Decimal | None, {"text": True, "always": True}] = None
    max_failed: Annotated[Decimal | None, {"text": True, "always": True}] = None
    """The largest share of runs that may fail, from 0 to 1."""
    no_fault: Annotated[str | None, ALWAYS] = None
    """The lowest severity that turns it red."""
    all_expected: bool = False
    """Whether every expectation of every run must be met."""
    require: Annotated[str | None, ALWAYS] = None
    """`confined`: nothing is run where nothing keeps the answers from agents."""


class Suite(NamedTuple):
    """A suite file, read and checked."""

    name: str
    cases: tuple[Case, ...]
    variants: tuple[Variant, ...]
    """The first is the one the others are compared with, unless `reference` names another."""
    reference: str | None = None
    skill: str | None = None
    """The name under which results are filed."""
    rubric: str | None = None
    """Its name or the path of its file; `none` where judges decide the expectations in words and nothing else."""
    repeats: int = 1
    judges: tuple[str, ...] = ()
    """The judges, as after --judge; empty: checks and expectations alone."""
    calibration: str | None = None
    """The file of a calibration of the judges, absolute."""
    options: Mapping[str, Any] = {}
    """How the judges are asked, already checked: fields of `ModelOptions`."""
    pairs: bool = False
    """Whether the judges also compare the outputs of two variants side by side."""
    gate: SuiteGate | None = None
    source: str = ""
    sha256: str = ""
    """The hash of the suite file's bytes."""
    notes: tuple[str, ...] = ()
    """What a reader should know although nothing is wrong: columns and files that were not read."""
    sources: tuple[str, ...] = ()
    """The files and folders that its cases were read from, absolute."""

    @property
    def only_criteria(self) -> bool:
        """Whether judges decide the expectations in words and nothing else."""
        return self.rubric == NO_RUBRIC

    def rubric_of(self, case: Case) -> str | None:
        """The rubric that a case is judged by; None for the usual one."""
        rubric = case.rubric or self.rubric
        return None if rubric == NO_RUBRIC else rubric
