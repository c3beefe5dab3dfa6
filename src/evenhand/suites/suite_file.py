"""Read a suite file. Every problem is reported at once, each with its file and line."""

from __future__ import annotations

import hashlib
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

from evenhand.core.finding import Severity
from evenhand.core.numbers import ALLOWED, HIGHEST_SCORE, LOWEST_SCORE
from evenhand.decisions.suite import (
    SHOULD,
    SHOULD_NOT,
    Case,
    Command,
    Model,
    Recorded,
    Suite,
    SuiteGate,
    Variant,
)
from evenhand.errors import InputError, Problem, unknown
from evenhand.files.json_values import load_json
from evenhand.files.located import Located
from evenhand.files.text import read_text
from evenhand.options.model_options import OPTIONS, option_problems
from evenhand.options.option_kinds import File
from evenhand.suites import placeholders
from evenhand.suites.allowances import USUAL, limits_from
from evenhand.suites.case_entry import CaseReader, Validators
from evenhand.suites.case_sources import Source, cases_from
from evenhand.suites.importing.other_tools import EVALS, tool_of
from evenhand.suites.located_entry import SuiteEntry
from evenhand.suites.start_files import SuiteFolder
from evenhand.suites.variant_entry import VariantReader, absolute_spec
from evenhand.work.names import slug

SCHEMA = "evenhand/suite/v1"
REQUIRED = ("suite", "cases", "variants")
SUITE = (
    "schema",
    "suite",
    "skill",
    "rubric",
    "judges",
    "calibration",
    "options",
    "pairs",
    "repeats",
    "limits",
    "environment",
    "cases",
    "triggers",
    "variants",
    "compare_with",
    "gate",
)
GATE = ("baseline", "margin", "min_score", "max_failed", "no_fault", "expectations", "require")
MOST_REPEATS = 1000


def read_suite(path: str, validators: Validators | None = None) -> Suite:
    """The suite in a file, YAML or JSON. InputError carries every problem.

    `validators` check what other rooms define: expectations, rubrics and judges.
    """
    text = read_text(path)
    document = _load(text, path)
    _refuse_other_files(document)
    problems: list[Problem] = []
    suite = _suite(document, problems, validators or Validators())
    if problems:
        raise InputError(_in_order(problems, path))
    return suite._replace(sha256=hashlib.sha256(text.encode()).hexdigest())


def _refuse_other_files(document: Located) -> None:
    """A judgement, or a file of another tool, gets one line, not one for each key."""
    if not isinstance(document.value, dict) or document.value.keys() & set(REQUIRED):
        return
    if "scores" in document.value:
        how = f"evenhand score {document.source}"
        raise InputError(Problem(f"looks like a judgement, not a suite; to score it: {how}", document.source))
    tool = tool_of(document.value.keys())
    if tool == "skill-creator":
        raise InputError(Problem(EVALS, document.source))
    if tool is not None:
        how = f"evenhand run import {document.source} -o suite.yaml"
        raise InputError(Problem(f"is a file of {tool}, not a suite; make one from it with: {how}", document.source))


def _load(text: str, path: str) -> Located:
    if path.lower().endswith(".json"):
        return load_json(text, path)
    from evenhand.files.yaml_values import load_yaml

    return load_yaml(text, path)


def _suite(document: Located, problems: list[Problem], validators: Validators) -> Suite:
    entry = SuiteEntry.of(document, problems)
    if not isinstance(document.value, dict):
        return Suite("", (), ())
    entry.known(SUITE)
    tried = entry.inner("triggers")
    for key in REQUIRED:
        if key not in entry.value and not (key == "cases" and "triggers" in entry.value):
            entry.refuse(f"{key} is missing; a suite needs {', '.join(REQUIRED)}")
    if entry.value.get("schema", SCHEMA) != SCHEMA:
        entry.refuse(f"schema must be {SCHEMA}", "schema")
    reader = CaseReader(SuiteFolder(entry.folder), validators)
    limits = limits_from(entry.inner("limits"), USUAL)
    whole = entry.inner("variants")
    variants = () if whole is None else VariantReader(limits, validators.judge, entry).variants(whole)
    source = cases_from(entry, reader) if "cases" in entry.value else Source([], [])
    if tried is not None:
        for key in ("cases", "judges"):
            if key in entry.value:
                entry.refuse(f"{key} cannot stand beside triggers: put the triggers into a suite of their own", key)
        source = Source(trigger_cases(tried, variants), [])
    repeats = entry.count("repeats", MOST_REPEATS) or 1
    _check_recorded(entry, variants, source.cases, repeats)
    _check_variables(variants, source.cases, problems)
    return Suite(
        name=entry.name("suite") or "",
        cases=tuple(source.cases),
        variants=variants,
        reference=_compare_with(entry, variants),
        skill=_one_line(entry, "skill") or source.skill,
        rubric=reader.rubric(entry),
        repeats=repeats,
        judges=_judges(entry, validators),
        calibration=_calibration(entry, validators),
        options=_options(entry.inner("options")),
        pairs=_pairs(entry),
        gate=SuiteGate(all_expected=True) if entry.value.get("gate") == "all" else _gate(entry.inner("gate")),
        source=str(Path(document.source).absolute()),
        notes=tuple(source.notes),
        sources=source.paths,
    )


def _one_line(entry: SuiteEntry, key: str) -> str | None:
    text = entry.text(key)
    if text is not None and not text.isprintable():
        entry.refuse(f"{key} must be one line of printable text", key)
    return text


def _judges(entry: SuiteEntry, validators: Validators) -> tuple[str, ...]:
    judges = [absolute_spec(entry, judge) for judge in entry.texts("judges")]
    for number, judge in enumerate(judges):
        try:
            validators.judge(judge)
        except InputError as error:
            entry.refuse_all(error, "judges", *([number] if isinstance(entry.value["judges"], list) else []))
    return tuple(judges)


def _calibration(entry: SuiteEntry, validators: Validators) -> str | None:
    path = entry.text("calibration")
    if path is None:
        return None
    if not set(entry.texts("judges")) - {"checks"}:
        entry.refuse("calibration needs a model judge; name the one it was made for under judges", "calibration")
    try:
        validators.calibration(str(entry.at(path)))
    except InputError as error:
        entry.refuse_all(error, "calibration")
    return str(entry.at(path))


def _options(entry: SuiteEntry | None) -> dict[str, Any]:
    """How the judges are asked. A path in it starts from the suite's folder."""
    if entry is None:
        return {}
    for name, message in option_problems(entry.value, "suite"):
        entry.refuse(message, name)
    files = {name for name, option in OPTIONS.items() if isinstance(option, File)}
    return {
        name: str(entry.at(value)) if name in files and isinstance(value, str) else value
        for name, value in entry.value.items()
    }


def _pairs(entry: SuiteEntry) -> bool:
    pairs = entry.yes_no("pairs", False)
    if pairs and not entry.value.get("judges"):
        entry.refuse("pairs needs a model judge; name one under judges", "pairs")
    return pairs


def _compare_with(entry: SuiteEntry, variants: tuple[Variant, ...]) -> str | None:
    name = entry.text("compare_with")
    names = [variant.name for variant in variants]
    if name is not None and name not in names and variants:
        entry.refuse(unknown("variant", name, names), "compare_with")
    return name


def _gate(entry: SuiteEntry | None) -> SuiteGate | None:
    if entry is None:
        return None
    entry.known(GATE)
    margin = entry.number("margin", "a number from 0 to 9", "0", "9")
    return SuiteGate(
        baseline=entry.name("baseline"),
        margin=Decimal("0.2") if margin is None else margin,
        min_score=entry.number("min_score", ALLOWED, str(LOWEST_SCORE), str(HIGHEST_SCORE)),
        max_failed=entry.number("max_failed", "a share from 0 to 1", "0", "1"),
        no_fault=entry.choice("no_fault", get_args(Severity), what="severity"),
        all_expected=entry.choice("expectations", ("all",), what="choice") is not None,
        require=entry.choice("require", ("confined",), what="requirement"),
    )


def _check_recorded(entry: SuiteEntry, variants: tuple[Variant, ...], cases: list[Case], repeats: int) -> None:
    """One recorded output must not be counted several times."""
    for variant in variants:
        if not isinstance(variant.does, Recorded):
            continue
        pattern = variant.does.pattern
        steps = ("variants", *([variant.name] if variant.name in entry.value["variants"] else []))
        if len(cases) > 1 and not placeholders.has(pattern, "case"):
            entry.refuse(f'"{variant.name}" needs {{case}} in its path: all cases would have the same output', *steps)
        if repeats > 1 and not placeholders.has(pattern, "repeat"):
            entry.refuse(
                f'"{variant.name}" needs {{repeat}} in its path: all {repeats} repeats would be the same output', *steps
            )


def _check_variables(variants: tuple[Variant, ...], cases: list[Case], problems: list[Problem]) -> None:
    """Every case has the variables that variants use."""
    for variant in variants:
        used = set[str]().union(*map(placeholders.variables_in, _texts(variant)))
        for case in cases:
            for name in sorted(used - dict(case.variables).keys()):
                message = f'the case "{case.id}" has no {name} in vars, which the variant "{variant.name}" uses'
                problems.append(Problem(message, case.place.file, case.place.line))


def _texts(variant: Variant) -> tuple[str, ...]:
    does = variant.does
    if isinstance(does, Model):
        return does.template, does.system
    return (*does.arguments, does.stdin) if isinstance(does, Command) and not does.shell else ()


def _in_order(problems: list[Problem], path: str) -> list[Problem]:
    """Each problem once, the suite file's own first, by line."""
    unique = list(dict.fromkeys(problem._replace(path=()) for problem in problems))
    return sorted(unique, key=lambda problem: (problem.source != path, problem.source or "", problem.line or 0))


# `triggers:`: prompts at which a skill should be activated, and prompts at which it should not. Each is a case with one
# expectation, so that everything that runs, keeps and compares cases does so with them.

TRIGGERS = ("skill", *(tag.replace("-", "_") for tag in (SHOULD, SHOULD_NOT)))
_WORDS = 40
"""Characters of a prompt that are part of its case's name."""


def trigger_cases(entry: SuiteEntry, variants: tuple[Variant, ...]) -> list[Case]:
    """A case for each prompt."""
    entry.known(TRIGGERS)
    skill = entry.name("skill") or _only_skill(entry, variants)
    cases = []
    for tag, rule in ((SHOULD, "used"), (SHOULD_NOT, "unused")):
        key = tag.replace("-", "_")
        for number, prompt in enumerate(entry.texts(key)):
            name = f"{tag}-{number + 1}-{slug(prompt)[:_WORDS].strip('-')}".strip("-")
            expect = [{"skill": {rule: skill}, "dimension": "adherence"}]
            cases.append(Case(name, prompt, expect=expect, tags=(tag,), place=entry.place_of(key, number)))
    if not cases:
        entry.refuse(f"triggers needs prompts under {TRIGGERS[1]}, {TRIGGERS[2]}, or both")
    return cases


def _only_skill(entry: SuiteEntry, variants: tuple[Variant, ...]) -> str:
    """The name of the one skill that variants are given; versions of a skill have its name."""
    names = sorted({Path(variant.skill.path).name for variant in variants if variant.skill is not None})
    if len(names) != 1:
        given = f"variants have {', '.join(names)}" if names else "no variant has one"
        entry.refuse(f"triggers needs skill, the name in SKILL.md of the skill that is tried: {given}")
        return ""
    return names[0]
