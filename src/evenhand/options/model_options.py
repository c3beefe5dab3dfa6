"""How models are asked. Every option is declared here and nowhere else: command line, Python, suites, settings and the
reference pages read this declaration.
"""
# ruff: noqa: RUF009 (a descriptor is not a default; it gives one)

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evenhand.errors import InputError, Problem, unknown
from evenhand.options.option_kinds import Dollars, File, Flag, Fraction, Language, Option, PerMillion, Text, Whole

MOST_EXAMPLES = 20
"""Judgements by people that a model is shown at most, from a file or from the store."""
_COMMANDS = "judge run probe anchors spark"
_READINGS = f"{_COMMANDS} suite settings"
_CRITERIA = f"{_READINGS} rubric"
_EVERYWHERE = f"{_CRITERIA} pairs"


SENT = ("temperature",)
"""Options that servers are sent with every call, as parameters of the same names. Once given, they are part of who
judged and of the keys of stored replies."""


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """How models are asked: all of it optional, and each value checked when it is given.

    >>> ModelOptions(samples=3, max_cost="$2.50").given()
    {'samples': 3, 'max_cost': Decimal('2.50')}
    """

    base_url: Text = Text(
        "The OpenAI-compatible server for openai:MODEL.",
        metavar="URL",
        # A file that comes with a project must not send a key to another server: only a person names one.
        used_by=f"{_COMMANDS} rubric pairs judges",
        asked=True,
    )
    thorough: Flag = Flag(
        "Ask a model about each dimension and each criterion in a call of its own.", used_by=_READINGS, asked=True
    )
    per_call: Whole[int] = Whole(
        4, "How many criteria of a dimension to ask about in one call.", low=1, high=4, used_by=_CRITERIA, asked=True
    )
    samples: Whole[int] = Whole(
        1, "How many times to ask each question.", low=1, high=100, used_by=_CRITERIA, asked=True
    )
    temperature: Fraction = Fraction(
        "The sampling temperature.", low=0, high=2, used_by=_EVERYWHERE, usually="0, or 1 with several samples",
        asked=True,
    )  # fmt: skip
    quorum: Whole[int | None] = Whole(
        None, "How many judges must score a dimension.", low=1, used_by="judge run suite settings spark",
        usually="more than half",
    )  # fmt: skip
    escalate_to: Text = Text(
        "A stronger judge, asked only where the others disagree or are unsure.", metavar="SPEC",
        # Nor may such a file send to another provider what a person has a local model judge.
        used_by="judge run suite spark",
    )  # fmt: skip
    concurrency: Whole[int | None] = Whole(
        None, "Calls at once to each provider.", low=1, used_by=_EVERYWHERE, usually="its setting, or 16"
    )
    max_calls: Whole[int | None] = Whole(
        None, "Stop before making more calls than this; retries count.", low=0, used_by=_EVERYWHERE
    )
    max_cost: Dollars = Dollars("Stop before a call that could bring the total above this.", used_by=_EVERYWHERE)
    price: PerMillion = PerMillion(
        "What the judges cost: US dollars per million tokens read and written.", used_by=_EVERYWHERE,
        usually="evenhand.toml, else the list price at the release of evenhand",
    )  # fmt: skip
    fresh: Flag = Flag("Ask again even where a reply is stored.", used_by="judge run pairs spark rubric")
    replies: File = File(
        "Where models' replies are kept.", metavar="FILE|none", used_by="judge run pairs spark probe anchors rubric",
        usually="replies.db next to the store",
    )  # fmt: skip
    batch: Flag = Flag(
        "Ask through OpenAI's or Anthropic's batch API: half the price, within a day.", used_by="judge pairs"
    )
    record: File = File(
        "Record every exchange in a file that replay:FILE can read; in a folder, each judge in a file of its own.",
        metavar="FILE|FOLDER", used_by="judge run pairs rubric",
    )  # fmt: skip
    replay: File = File(
        "A folder of recordings that answers in place of the models.",
        metavar="FOLDER",
        used_by="judge run pairs rubric",
    )
    language: Language = Language(
        "The language models write justifications in, such as German.", metavar="NAME",
        used_by="judge run suite settings spark pairs rubric", asked=True,
    )  # fmt: skip
    examples: File = File(
        "Judgements by people with their outputs, shown to models as examples.", used_by="judge run suite"
    )
    skill_file: File = File(
        "A SKILL.md, or its folder, that every output is held against; shown to models before the work.",
        used_by="judge run suite",
    )
    examples_from_store: Whole[int | None] = Whole(
        None, "How many judgements by people to show models from the store, those with the most similar tasks.",
        low=1, high=MOST_EXAMPLES, used_by="judge",
    )  # fmt: skip
    calibration: File = File(
        "A calibration of this judge, rubric and prompt: shows what people would give beside each score.",
        used_by="judge",
    )
    run_commands: Flag = Flag(
        "Run the commands and scripts that expectations name, in the workspace; a suite's commands always run.",
        used_by="judge run checks",
    )

    def __new__(cls, **given: Any) -> ModelOptions:
        """Refuse a misspelt name, which a dataclass would do without naming the right one."""
        for name in given:
            if name not in OPTIONS:
                raise TypeError(unknown("option", name, list(OPTIONS)))
        return super().__new__(cls)

    def given(self) -> dict[str, Any]:
        """What differs from the defaults."""
        return {name: value for name, value in vars(self).items() if value != OPTIONS[name].default}

    def sent(self) -> dict[str, Any]:
        """The options that a server is sent unchanged."""
        return {name: value for name in SENT if (value := getattr(self, name)) is not None}

    def refuse_for(self, use: str, what: str) -> None:
        """InputError when an option is given that has no effect in this use of models."""
        for name in self.given():
            if use not in OPTIONS[name].used_by:
                raise InputError(f"{name} has no effect on {what}; valid: {', '.join(used_by(use))}")


OPTIONS: Mapping[str, Option[Any, Any]] = {
    name: value for name, value in vars(ModelOptions).items() if isinstance(value, Option)
}
"""The declarations by name, in their order."""


def used_by(use: str) -> Mapping[str, Option[Any, Any]]:
    """The options of a command, or of a kind of file."""
    return {name: option for name, option in OPTIONS.items() if use in option.used_by}


def option_problems(written: Mapping[str, Any], use: str | None = None) -> Iterator[tuple[str, str]]:
    """What is wrong with options that were written in a file or handed over as data: each name with its message."""
    valid = OPTIONS if use is None else used_by(use)
    for name, value in written.items():
        if name not in valid:
            yield name, unknown("option", name, list(valid))
            continue
        try:
            valid[name].read(value)
        except ValueError as error:
            yield name, f"{name}: {error}"


def options_from(written: ModelOptions | Mapping[str, Any] | None) -> ModelOptions:
    """Options that were handed over, perhaps as data. InputError with everything that is wrong."""
    if isinstance(written, ModelOptions):
        return written
    written = written or {}
    problems = [Problem(message) for _, message in option_problems(written)]
    if problems:
        raise InputError(problems)
    return ModelOptions(**written)
