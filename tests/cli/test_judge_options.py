"""The options of commands that ask models: those that are declared, with the same limits everywhere."""

from __future__ import annotations

import click
import pytest

import flat_calls
from evenhand.cli.judge_options import run_options
from evenhand.cli.main import evenhand as commands
from evenhand.cli.setting_options import Setting
from evenhand.errors import InputError
from evenhand.options.model_options import OPTIONS, used_by
from every_case import every_case

ASKING = {
    "judge": ("judge",),
    "run": ("run",),
    "probe": ("trust", "probe"),
    "anchors": ("trust", "anchors", "run"),
    "better": ("better",),
}
USES = {name: used_by(name) for name in ASKING} | {"better": used_by("run") | used_by("pairs")}


def command(use: str) -> click.Command:
    found: click.Command = commands
    for name in ASKING[use]:
        assert isinstance(found, click.Group)
        inner = found.get_command(click.Context(found), name)
        assert inner is not None
        found = inner
    return found


@pytest.mark.parametrize("use", ASKING)
def test_a_command_has_the_options_that_are_declared_for_it(use: str):
    """With the sentence of the declaration; how a self-test keeps replies is its own affair."""
    own = {"replies"} if use in ("probe", "anchors") else {"skill_file"} if use == "better" else set()
    taken = {option.name: option for option in command(use).params if option.name in {*OPTIONS} - own}
    assert list(taken) == [name for name in OPTIONS if name in USES[use] and name not in own]
    for name, option in taken.items():
        if isinstance(option, Setting):
            assert (option.setting_name, option.help) == (f"judge.{name}", OPTIONS[str(name)].sentence)
        else:
            assert isinstance(option, click.Option) and option.help == OPTIONS[str(name)].help


@every_case("use", ASKING)
@every_case(
    ("option", "value", "message"),
    [
        ("--set", "judge.samples=101", "give a whole number, 1 to 100"),
        ("--set", "judge.samples=0", "give a whole number, 1 to 100"),
        ("--set", "judge.temperature=2.1", "give a number, 0 to 2"),
        ("--max-cost", "much", "give US dollars, such as 2.50"),
        ("--set", "judge.max_calls=-1", "give a whole number, 0 or more"),
        ("--set", "judge.concurrency=0", "give a whole number, 1 or more"),
    ],
)
def test_the_limits_are_the_same_in_every_command(use: str, option: str, value: str, message: str):
    name = value.partition("=")[0].removeprefix("judge.") if option == "--set" else "max_cost"
    if name not in USES[use]:
        return
    with pytest.raises(click.UsageError, match=message):
        command(use).make_context(use, ["x", option, value])


def test_a_command_comes_before_the_suite_and_the_suite_before_the_project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evenhand.toml").write_text(
        '[judge]\nthorough = true\nsamples = 2\nquorum = 1\nconcurrency = 3\nmax_cost = "$5"\n'
    )
    suite = {"samples": 4, "concurrency": 5}
    options = run_options("run", {"concurrency": "7", "thorough": False, "temperature": None}, "none", suite=suite)
    assert (options.samples, options.concurrency, options.quorum, options.thorough) == (4, 7, 1, False)
    assert str(options.max_cost) == "5" and options.replies is None
    assert run_options("pairs", {}, "none").quorum is None  # which has no effect there
    before = run_options("anchors", {}, "none", as_before=True)
    assert (before.samples, before.thorough, str(before.max_cost)) == (1, False, "5")


def test_replies_are_next_to_the_store_by_default(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_options("judge", {}, "kept/evenhand.db").replies == "kept/replies.db"
    assert run_options("judge", {}, "postgresql://host/db").replies == str(tmp_path / ".evenhand" / "replies.db")
    assert run_options("judge", {"replies": "none"}, "evenhand.db").replies is None
    assert run_options("judge", {"replies": "other.db"}, "none").replies == "other.db"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("[judge]\nsampels = 2\n", 'evenhand.toml:2: unknown setting "sampels"; did you mean samples?'),
        ("[judge]\nsamples = 101\n", "evenhand.toml:2: samples: 101 is not valid; give a whole number, 1 to 100"),
        ('[judge]\nbase_url = "http://x"\n', 'evenhand.toml:2: unknown setting "base_url"'),
        ("judge = 3\n", "evenhand.toml:1: judge must be a table"),
    ],
)
def test_a_mistake_in_the_project_s_options_is_reported(tmp_path, evenhand_command, written: str, message: str):
    (tmp_path / "evenhand.toml").write_text(written)
    (tmp_path / "answer.md").write_text("Restart the service.")
    run = evenhand_command("judge", "answer.md")
    assert (run.code, run.out) == (2, "")
    assert message in run.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("judge", "answer.md", "--fail-under", "B"), "there is no --fail-under; use --min-grade or --min-score"),
        (
            ("judge", "answer.md", "--fail-on=major"),
            "there is no --fail-on; use --no-fault; see: evenhand judge",
        ),
        (("run", "suite.yaml", "--budget", "5"), "there is no --budget; use --max-cost DOLLARS; see: evenhand run"),
    ],
)
def test_an_option_of_another_tool_names_ours(evenhand_command, arguments: tuple[str, ...], message: str):
    run = evenhand_command(*arguments)
    assert (run.code, run.out) == (2, "")
    assert message in run.err


def test_judge_has_the_limits_of_the_gate(evenhand_command, tmp_path):
    """The same options, whose sentences begin alike; a misspelt red flag is refused."""
    limits = ("min_score", "min_grade", "no_fault")
    gate = commands.get_command(click.Context(commands), "gate")
    assert gate is not None
    of_gate, of_judge = (
        {option.name: (option.opts, option.help) for option in params if isinstance(option, click.Option)}
        for params in (gate.params, command("judge").params)
    )
    for name in limits:
        assert of_gate[name][0] == of_judge[name][0]
        assert of_gate[name][1].startswith(of_judge[name][1].rstrip("."))
    (tmp_path / "answer.md").write_text("Restart the service.")
    run = evenhand_command("judge", "answer.md", "--set", "judge.no_red_flag=invnted-option", "--rubric", "devops")
    assert run.code == 2 and 'unknown red flag "invnted-option"; did you mean invented-option?' in run.err
    open_flag = evenhand_command(
        "judge", "answer.md", "--set", "judge.no_red_flag=invented-option", "--rubric", "devops"
    )
    assert open_flag.code == 3 and "only a reader can tell whether a red flag applies" in open_flag.err


def test_a_message_names_parameters_in_python_and_options_on_the_command_line(tmp_path, monkeypatch, evenhand_command):
    """Of the same error: a name in backquotes is the parameter, for which a command says its option."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"^`max_cost` needs a price.*or use `max_calls`$"):
        flat_calls.judge("Restart it.", judges="openai:some", max_cost=1, base_url="http://localhost:1/v1")
    (tmp_path / "answer.md").write_text("Restart it.")
    model = ("--judge", "openai:some", "--base-url", "http://localhost:1/v1")
    run = evenhand_command("judge", "answer.md", *model, "--max-cost", "1")
    assert run.code == 2 and run.err.startswith("error: --max-cost needs a price")
    assert run.err.endswith("or use judge.max_calls\n")
