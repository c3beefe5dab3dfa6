"""One wording for a name that does not exist, and suggestions that never mean the opposite."""

from __future__ import annotations

from functools import cache

import pytest

from evenhand.errors import nearest, unknown


@cache
def vocabularies() -> dict[str, tuple[str, ...]]:
    """Every list of names from which evenhand suggests one."""
    from dataclasses import fields
    from importlib import import_module
    from inspect import signature

    import evenhand
    import evenhand.options.settings
    from evenhand.cli.main import _MODULES, _NAMES
    from evenhand.core.rules import DIMENSIONS
    from evenhand.findings.expectations.expectation import OPTIONS, RULES
    from evenhand.findings.registry import built_in
    from evenhand.judges import written
    from evenhand.judging.sets.gate import REQUIREMENTS
    from evenhand.providers.entries import READERS
    from evenhand.rubrics import library, rubric_file
    from evenhand.suites import case_entry, suite_file, variant_entry
    from evenhand.tables.columns import ROLES
    from evenhand.transcripts.registry import all_formats

    found = {
        "checks": tuple(check.id for check in built_in()),
        "commands": tuple(_NAMES),
        "dimensions": DIMENSIONS,
        "formats": tuple(format.name for format in all_formats()),
        "judgement": tuple(field.name for field in fields(written.WrittenJudgement)),
        "parameters": (*signature(evenhand.judge).parameters, *REQUIREMENTS),
        "provider": tuple(READERS),
        "roles": tuple(ROLES),
        "rubric": tuple(rubric_file.FRONT_KEYS),
        "rubrics": tuple(place.name for place in library.places()),
        "suite": suite_file.SUITE,
        "gate of a suite": suite_file.GATE,
        "case": case_entry.CASE,
        "variant": variant_entry.VARIANT,
        "settings": tuple(field.name for field in fields(evenhand.options.settings.ProjectFile)),
    }
    found |= {f"expectations of {about}": (*RULES[about], *OPTIONS[about]) for about in RULES}
    commands = [import_module(f"evenhand.cli.commands.{module}").command for module in _MODULES.values()]
    found["options"] = tuple({word: 1 for command in commands for param in command.params for word in param.opts})
    return found


def _typos(name: str) -> list[str]:
    middle = len(name) // 2
    return [
        name[:middle] + name[middle + 1 :],
        name[:middle] + name[middle] * 2 + name[middle + 1 :],
        name[: middle - 1] + name[middle] + name[middle - 1] + name[middle + 1 :],
        name.upper(),
        name.replace("_", "-"),
    ]


@pytest.mark.slow
def test_a_misspelt_name_of_any_vocabulary_is_recognised():
    """One letter left out, doubled or swapped, other case, other joints."""
    missed = {
        (vocabulary, typo): nearest(typo, names)
        for vocabulary, names in vocabularies().items()
        for name in names
        if len(name) >= 5
        for typo in _typos(name)
        if typo not in names and name not in nearest(typo, names, most=2)
    }
    assert missed == {}


@pytest.mark.slow
def test_no_suggestion_negates_what_was_typed():
    """For every name of every vocabulary: `not_NAME` and `no-NAME` suggest neither NAME nor what shares its words."""
    wrong = []
    for vocabulary, names in vocabularies().items():
        for name in names:
            bare = name.strip("-")
            for typed in (f"not_{bare}", f"no-{bare}", f"--no-{bare}", f"non_{bare}", f"without_{bare}"):
                near = nearest(typed, [valid for valid in names if valid != typed], most=len(names))
                negated = bare.startswith(("no-", "no_", "not_"))
                if not negated and any(valid.strip("-") == bare for valid in near):
                    wrong.append((vocabulary, typed, near))
    assert wrong == []


OPPOSITES = [
    ("not_contains", ("contains", "json_contains")),
    ("nto_contains", ("contains", "json_contains")),
    ("notContains", ("contains", "json_contains")),
    ("lacks", ("contains",)),
    ("made", ("not_made",)),
    ("not_made", ("made",)),
    ("fault", ("no_fault",)),
    ("min_cost", ("max_cost",)),
    ("--min-cost", ("--max-cost",)),
    ("min-csot", ("max-cost",)),
    ("unmet", ("met",)),
    ("unverfied", ("verified",)),
    ("invalid", ("valid",)),
    ("price_input", ("price_output",)),
    ("failed", ("passed",)),
    ("no-store", ("store",)),
]


@pytest.mark.parametrize(("typed", "valid"), OPPOSITES)
def test_the_opposite_is_not_suggested(typed, valid):
    """Neither way round."""
    assert nearest(typed, valid, most=3) == []
    assert [near for name in valid for near in nearest(name, [typed])] == []


@pytest.mark.parametrize(
    ("typed", "valid", "meant"),
    [
        ("not_contains", ("contains", "json_contains", "lacks"), "lacks"),
        ("not_passed", ("passed", "failed"), "failed"),
        ("not_mde", ("made", "not_made"), "not_made"),
        ("max_csot", ("min_cost", "max_cost"), "max_cost"),
        ("unverfied", ("verified", "unverified"), "unverified"),
        ("inpt", ("output", "input"), "input"),
    ],
)
def test_what_says_the_same_is_suggested(typed, valid, meant):
    """Also in other words."""
    assert nearest(typed, valid) == [meant]


def test_the_wording():
    """What, the word, what may be meant, what is valid or what to do."""
    assert (
        unknown("key", "rubrik", ("rubric", "task")) == 'unknown key "rubrik"; did you mean rubric? valid: rubric, task'
    )
    assert unknown("key", "x", ("rubric", "task")) == 'unknown key "x"; valid: rubric, task'
    assert unknown("rubric", "x", (), otherwise="see: the list") == 'unknown rubric "x"; see: the list'
    two = unknown("rubric", "review", ("code-review", "writing", "security-review"), most=3, otherwise="see: the list")
    assert two == 'unknown rubric "review"; did you mean code-review or security-review? see: the list'


def test_long_words_and_long_lists_are_cut():
    """40 characters and 40 names are shown whole."""
    names = [f"n{number}" for number in range(41)]
    assert unknown("key", "x" * 40, names[:40]).startswith(f'unknown key "{"x" * 40}"; valid: n0, ')
    assert unknown("key", "x" * 41, names[:40]).endswith("n38, n39")
    assert f'"{"x" * 37}..."' in unknown("key", "x" * 41, names)
    assert unknown("key", "zz", names).endswith(", n39 and 1 more")


def test_a_misspelt_option_is_answered_in_the_same_words(evenhand_command):
    """And never with the opposite, as click would."""
    done = evenhand_command("score", "--formt", "json")
    assert done.code == 2
    assert done.err == 'error: unknown option "--formt"; did you mean --format? see: evenhand score --help\n'
    assert "--max-cost" not in evenhand_command("judge", "x", "--min-cost", "1").err
