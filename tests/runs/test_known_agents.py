"""Known agents: which key they are given, what is said when they get none, and what they refuse as root."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from evenhand.core.finding import Place
from evenhand.decisions.suite import Command, Model, Variant
from evenhand.errors import Problem
from evenhand.runs.known_agents import AGENTS, missing_keys, needed_keys, refused_as_root

PLACE = Place("suite.yaml", 7)


@pytest.fixture(autouse=True)
def _nothing_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A user without keys and logins, on Linux, who is root."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for name in ("IS_SANDBOX", *(key for agent in AGENTS.values() for key in agent.keys)):
        monkeypatch.delenv(name, raising=False)


def variant(*words: str, name: str = "v", **more) -> Variant:
    return Variant(name, Command(words, **more), place=PLACE)


def said(*words: str, **more) -> list[str]:
    return [problem.message for problem in missing_keys([variant(*words, **more)])]


# --- the key that is needed


def test_an_agent_needs_its_usual_key_unless_another_is_listed():
    """By the name of its command, wherever that is; of two that are listed, the more usual one."""
    variants = [
        variant("claude", name="a"),
        variant("/opt/bin/claude", name="b", passed=("CLAUDE_CODE_OAUTH_TOKEN", "PATH")),
        variant("claude", name="c", environment={"ANTHROPIC_AUTH_TOKEN": "t", "CLAUDE_CODE_OAUTH_TOKEN": "t"}),
        variant("codex", name="d"),
        variant("gemini", name="e", passed=("GOOGLE_API_KEY",)),
        variant("claudette", name="other"),
        variant("claude", name="shell", shell=True),
        Variant("model", Model("openai:m")),
    ]
    assert list(needed_keys(variants)) == [
        ("a", "ANTHROPIC_API_KEY"),
        ("b", "CLAUDE_CODE_OAUTH_TOKEN"),
        ("c", "CLAUDE_CODE_OAUTH_TOKEN"),
        ("d", "OPENAI_API_KEY"),
        ("e", "GOOGLE_API_KEY"),
    ]


# --- no key


@pytest.mark.parametrize(("name", "key"), [("claude", "ANTHROPIC_API_KEY"), ("gemini", "GEMINI_API_KEY")])
def test_an_agent_that_is_given_nothing_has_a_problem_with_its_place(name, key):
    assert missing_keys([variant(f"/usr/bin/{name}", "-p", name="left")]) == [
        Problem(
            f'the variant "left" runs {name}, which gets no key: variables are passed on only if the suite lists them; '
            f"add environment: [{key}], or own_home: false to use your login",
            "suite.yaml",
            7,
        )
    ]
    (problem,) = missing_keys([variant(name)._replace(place=Place(""))])
    assert problem.source is None


def test_a_key_that_is_listed_and_not_set_is_named(monkeypatch):
    """The more usual one of two; an empty one is not set."""
    monkeypatch.setenv("OPENAI_API_KEY", "")
    assert said("codex", passed=("CODEX_API_KEY", "OPENAI_API_KEY")) == [
        'the variant "v" runs codex, which gets no key: OPENAI_API_KEY is listed and not set; set it, or log in with '
        "codex and write own_home: false"
    ]
    monkeypatch.setenv("CODEX_API_KEY", "k")
    assert said("codex", passed=("CODEX_API_KEY", "OPENAI_API_KEY")) == []
    assert len(said("codex")) == 1  # set, and not listed


def test_a_key_of_the_suites_own_is_enough_and_another_variable_is_not():
    assert said("codex", environment={"CODEX_API_KEY": "k"}) == []
    assert len(said("codex", environment={"CODEX_HOME": "/x"})) == 1


def test_a_login_is_enough_where_the_agent_shares_home(tmp_path):
    assert said("codex", own_home=False) == [
        f'the variant "v" runs codex, which gets no key: there is no login in {tmp_path}; log in with codex, or set '
        "OPENAI_API_KEY and list it under environment"
    ]
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "auth.json").touch()
    assert said("codex", own_home=False) == []
    assert len(said("codex")) == 1  # which has an empty HOME
    assert len(said("claude", own_home=False)) == 1  # whose login is elsewhere


def test_on_macos_a_login_may_be_in_the_key_chain(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert said("claude", own_home=False) == []
    assert len(said("claude")) == 1


@pytest.mark.parametrize(
    ("words", "problems"),
    [
        (("codex", "exec", "--oss"), 0),
        (("codex", "exec", "--profile", "local"), 0),
        (("codex", "exec", "-c", 'p={env_key="K"}'), 0),
        (("claude", "-p", "x", "--settings", "s.json"), 0),
        (("claude", "-p", "x", "--oss"), 1),  # an option of another agent's
        (("gemini", "-p", "x", "--settings"), 1),
    ],
)
def test_an_option_that_leads_to_a_key_is_trusted(words, problems):
    assert len(said(*words)) == problems


def test_every_variant_without_a_key_is_a_problem_of_its_own():
    found = missing_keys([variant("claude", name="a"), variant("true", name="b"), variant("codex", name="c")])
    assert [problem.message.split('"')[1] for problem in found] == ["a", "c"]
    assert said("claude", shell=True) == []


# --- root

ROOT = ("claude", "-p", "x", "--dangerously-skip-permissions")


def test_claude_code_that_skips_permissions_as_root_is_a_problem_with_its_place():
    assert refused_as_root([variant(*ROOT, name="left"), variant("codex", *ROOT[1:]), variant("claude", "-p")]) == [
        Problem(
            'the variant "left" runs claude as root, which refuses --dangerously-skip-permissions; in a container, '
            "where nothing can be harmed, set IS_SANDBOX=1 and list it under environment; elsewhere run it as another "
            "user",
            "suite.yaml",
            7,
        )
    ]
    (problem,) = refused_as_root([variant(*ROOT)._replace(place=Place(""))])
    assert problem.source is None


@pytest.mark.parametrize(
    ("is_set", "own", "passed", "refused"),
    [
        ("1", None, True, 0),
        ("1", None, False, 1),  # set, and not listed
        ("0", None, True, 1),
        (None, "1", False, 0),
        ("1", "0", True, 1),  # the suite's own counts
    ],
)
def test_root_is_let_through_where_nothing_can_be_harmed(is_set, own, passed, refused, monkeypatch):
    if is_set is not None:
        monkeypatch.setenv("IS_SANDBOX", is_set)
    environment = {} if own is None else {"IS_SANDBOX": own}
    made = variant(*ROOT, environment=environment, passed=("IS_SANDBOX",) if passed else ())
    assert len(refused_as_root([made])) == refused
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert refused_as_root([made]) == []
