"""All commands in one group; errors become exit codes here and nowhere else."""

from __future__ import annotations

import errno
import sys
from importlib import import_module
from shlex import quote
from typing import Any, Final

import click

from evenhand._version import __version__
from evenhand.cli.shared import BAD_INPUT, DONE, OUT_OF_REACH, RememberingGroup, complain, say
from evenhand.errors import InputError, Unavailable, shortened, unknown

COMMANDS: Final = {
    "Start": {
        "try": "Take a tour with examples: no key, no network.",
        "init": "Propose settings, a rubric and a gate for a project.",
        "docs": "Print a page of the documentation, or a JSON Schema.",
    },
    "Judge": {
        "judge": "Judge an output or an agent transcript.",
        "score": "Turn written judgements into scorecards.",
        "rubric": "List, show, check and write rubrics: what good means.",
    },
    "Compare and decide": {
        "better": "Is B better than A, and what should change?",
        "run": "Run the agents of a suite on its cases, and judge them.",
        "gate": "Pass or fail a build.",
        "rank": "Put evaluations in order, best first.",
    },
    "Follow over time": {
        "show": "Show an evaluation or a transcript, or verify scorecards.",
        "history": "Show the evaluations of a skill over time, and costs.",
        "serve": "Open a dashboard over the store in the browser.",
        "store": "Back up, check, export and import the store.",
    },
    "Trust the judge": {
        "trust": "Find out whether a judge can be used: labels, agreement, probes.",
    },
    "Use it elsewhere": {
        "agent": "Install skills, hooks and tools for Claude Code, Codex and others.",
        "table": "Score a table of evaluations.",
    },
}
"""What `evenhand --help` lists, by task; `docs/index.md` has the same groups.

Each is a module with a `command` in a folder of `commands`, that of its task's first word. It is imported when it is
called: help needs none of them.
"""

_MODULES: Final = {
    name: f"{task.split()[0].lower()}.{name}" for task, commands in COMMANDS.items() for name in commands
}
_MODULES["try"] = "start.tour"  # Python keeps the other name for itself
_MODULES["table"] = "use.score_table"
_NAMES: Final = list(_MODULES)

_OTHER_WORDS: Final = {
    "check": "judge FILE (without --judge, only the checks run)",
    "eval": "judge FILE --judge auto, or for a suite: evenhand run SUITE",
    "evaluate": "judge FILE --judge auto, or for a suite: evenhand run SUITE",
    "test": "run SUITE, or for a gate: evenhand gate FILE",
    "grade": "judge FILE --judge auto",
    "view": "serve (a dashboard), or for one evaluation: evenhand show ID",
    "dashboard": "serve",
    "report": "show ID -o report.html",
    "diff": "better A B",
    "judges": "judge list, or to ask one: evenhand judge check JUDGE",
    "transcript": "show FILE",
    "rescore": "score ID --rubric CHANGED",
    "verify": "show SCORECARD --verify",
    "cost": "history --cost",
    "suite": "run new, run check, run show latest; see: evenhand run --help",
    "probe": "trust probe JUDGE",
    "labels": "trust labels import TABLE",
    "review": "trust review",
    "agree": "trust agree",
    "calibrate": "trust calibrate JUDGE",
    "estimate": "trust estimate JUDGE",
    "anchors": "trust anchors run",
    "hook": "agent hook",
    "mcp": "agent mcp",
    "batch": "table IN OUT",
    "skill": "agent skill install",
    "settings": "docs settings",
    "help": "--help, or for a page of the documentation: evenhand docs TOPIC",
    "version": "--version",
}
"""What people type who know other tools, or this one's Python functions, with the command that does it."""


_BETTER: Final = {"compare": "better", "prefer": "better --side-by-side", "advise": "better"}
"""What `better` does as well, by the word that people look for."""

_JUDGED: Final = "evenhand judge OUTPUT --judge openai:MODEL"
_OTHER_OPTIONS: Final[dict[str, tuple[dict[str, str], str]]] = {
    "--model": ({"--judge": "--judge openai:MODEL"}, _JUDGED),
    "--provider": ({"--judge": "--judge openai:MODEL"}, _JUDGED),
    "--threshold": ({"--min-score": "--min-score", "--min-grade": "--min-grade"}, "evenhand gate FILE --min-grade B-"),
    "--fail-under": ({"--min-grade": "--min-grade", "--min-score": "--min-score"}, "evenhand gate FILE --min-grade B-"),
    "--fail-on": ({"--no-fault": "--no-fault"}, "evenhand gate FILE --no-fault"),
    "--budget": ({"--max-cost": "--max-cost DOLLARS"}, "evenhand judge OUTPUT --max-cost DOLLARS"),
    "--html": ({"-o": "-o FILE.html"}, "evenhand show ID -o FILE.html"),
    "--out": ({"-o": "-o FILE"}, "evenhand show ID -o FILE"),
    "--json": ({"--format": "--format json"}, "evenhand show ID --format json"),
    "--verbose": (
        {"--full": "--full", "--audit": "--audit", "report.full": "--set report.full=true"},
        "evenhand show ID --audit",
    ),
    "--quiet": ({"report.brief": "--set report.brief=true", "--format": "--format json"}, "evenhand show ID"),
    "--prompt": ({"--task": "--task", "--tasks": "--tasks"}, "evenhand judge OUTPUT --task FILE"),
    "--config": ({"--set": "--set NAME=VALUE"}, "the project's evenhand.toml"),
    "-v": (
        {"--full": "--full", "--audit": "--audit", "report.full": "--set report.full=true"},
        "evenhand show ID --audit",
    ),
    "--parallel": ({"judge.concurrency": "--set judge.concurrency=N"}, "--set judge.concurrency=N"),
    "--workers": ({"judge.concurrency": "--set judge.concurrency=N"}, "--set judge.concurrency=N"),
    "--api-key": ({}, "export OPENAI_API_KEY=..., or a key in the keyring; see: evenhand docs judge-with-a-model"),
    "--n": ({"better.repeats": "--set better.repeats=N"}, "repeats: N in a suite"),
}
"""Options of other tools, with what does it here: the options or settings that a command may have, and where else."""

_IN_THE_SUITE: Final = {
    "--judge": "the suite names its judges, as in: judges: [openai:MODEL]",
    "--rubric": "the suite names its rubric, as in: rubric: NAME",
    "--baseline": "the suite names it under gate, as in: gate: {baseline: NAME}; "
    "for a run that exists: evenhand run show latest --baseline NAME --gate",
}
"""Options of other commands that are given to `evenhand run`."""


def _show_help(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        click.echo(context.get_help(), color=context.color)
        context.exit()


def _show_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        click.echo(f"evenhand {__version__}")
        context.exit()


# As click's own, which look their help texts up among translations: that alone takes as long as reading a judgement.
_help_option = click.option(
    "-h", "--help", is_flag=True, is_eager=True, expose_value=False, callback=_show_help,
    help="Show this message and exit.",
)  # fmt: skip
_version_option = click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version,
    help="Show the version and exit.",
)  # fmt: skip


class _Commands(RememberingGroup):
    """A group that imports a command only to run it or to show its own help."""

    def list_commands(self, context: click.Context) -> list[str]:
        return _NAMES

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, _NAMES))
        for task, commands in COMMANDS.items():
            with formatter.section(task):
                formatter.write_dl([(f"{name:{width}}", summary) for name, summary in commands.items()])

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        module = _MODULES.get(name)
        if module is None:
            return None
        command: click.Command = import_module(f"evenhand.cli.commands.{module}").command
        return command if command.get_help_option_names(context) == [] else _help_option(command)

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] in _BETTER:
            line = " ".join([_BETTER[args[0]], *map(quote, args[1:] or ["A", "B"])])
            context.fail(f'there is no command "{args[0]}"; did you mean better? Type: evenhand {line}')
        if args and args[0] in _OTHER_WORDS:
            context.fail(f'there is no command "{args[0]}"; did you mean: evenhand {_OTHER_WORDS[args[0]]}')
        return super().resolve_command(context, args)

    def invoke(self, context: click.Context) -> Any:
        """Keep a broken pipe from click, which would exit with 1: for a gate, that means red.

        It is not one of the output: there, a reader that leaves is not an error (see `streams`).
        """
        try:
            return super().invoke(context)
        except BrokenPipeError:
            raise Unavailable("another program or server closed a connection that was in use; try again") from None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@_version_option
@_help_option
def evenhand() -> None:
    """An even-handed judge for what agents and their skills produce.

    \b
    Start with:
      evenhand try                        a tour; needs no key, no network
      evenhand judge OUTPUT --judge auto  let a model that is ready judge
      evenhand better A B --judge auto    say which of two versions is better
      evenhand docs start                 the first steps; which command for what

    \b
    Shell completion for bash (for zsh and fish, put their name in place of bash):
      eval "$(_EVENHAND_COMPLETE=bash_source evenhand)"
    """


def run() -> int:
    """Run the command and return its exit code."""
    try:
        try:
            code = evenhand(prog_name="evenhand", standalone_mode=False)
        except click.exceptions.NoArgsIsHelpError as bare:
            click.echo(bare.format_message())
            code = DONE
        sys.stdout.flush()
        return code if isinstance(code, int) else DONE
    except click.exceptions.Exit as exit:
        return exit.exit_code
    except click.NoSuchOption as error:
        say(f"error: {_unknown_option(error)}")
        return error.exit_code
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "evenhand"
        say(f"error: {_unknown_choice(error) or error.format_message().removesuffix('.')}. See: {command} --help")
        return error.exit_code
    except click.ClickException as error:
        say(f"error: {error.format_message()}")
        return error.exit_code
    except InputError as error:
        complain(error)
        return BAD_INPUT
    except Unavailable as error:
        say(f"error: {error}")
        return OUT_OF_REACH
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        say(f"error: {shortened(str(error.filename))}: no such file; the name is too long for one")
        return BAD_INPUT
    except (KeyboardInterrupt, click.Abort):
        return 130


def _unknown_choice(error: click.UsageError) -> str:
    """What is wrong with a word that is not one of several, or is missing; empty for other mistakes.

    click would list them twice, suggest none, and show those of a missing word on lines of their own.
    """
    param = error.param if isinstance(error, click.BadParameter) else None
    if param is None or not isinstance(param.type, click.Choice):
        return ""
    name, choices = param.opts[0] if isinstance(param, click.Option) else "argument", [*map(str, param.type.choices)]
    if isinstance(error, click.MissingParameter):
        return f"{name if isinstance(param, click.Option) else 'an argument'} is missing; valid: {', '.join(choices)}"
    quoted, is_not, _ = error.message.partition(" is not ")
    return unknown(name, quoted[1:-1], choices) if is_not and quoted[:1] in "'\"" else ""


def _value_typed(option: str) -> str:
    """What was typed as the value of an option, to repeat it in the line to type instead."""
    for word, following in zip(sys.argv, [*sys.argv[1:], ""], strict=True):
        if word == option:
            return "" if following.startswith("-") else following
        if word.startswith(f"{option}="):
            return word.removeprefix(f"{option}=")
    return ""


def _unknown_option(error: click.NoSuchOption) -> str:
    """What is wrong with an option; click would suggest `--max-cost` for `--min-cost`."""
    from evenhand.cli.setting_options import Setting  # only a mistake needs it

    params = error.ctx.command.get_params(error.ctx) if error.ctx else []
    typed = [param for param in params if not getattr(param, "hidden", False)]
    names = [name for param in typed for name in (*param.opts, *param.secondary_opts) if name.startswith("-")]
    path = error.ctx.command_path if error.ctx else "evenhand"
    if path == "evenhand run" and error.option_name in ("--model", "--provider"):
        return f"evenhand run has no {error.option_name}; {_IN_THE_SUITE['--judge']}"
    settings = [param.setting_name for param in params if isinstance(param, Setting)]
    if error.option_name in _OTHER_OPTIONS:
        ours, elsewhere = _OTHER_OPTIONS[error.option_name]
        usable = [typed for name, typed in ours.items() if name in names or name in settings]
        advice = f"use {' or '.join(usable)}" if usable else f"did you mean: {elsewhere}"
        if (model := _value_typed(error.option_name)) and "openai:MODEL" in advice:
            vendor = "anthropic" if model.startswith("claude-") else "openai"
            advice = advice.replace("openai:MODEL", model if ":" in model else f"{vendor}:{model}")
        return f"there is no {error.option_name}; {advice}; see: {path} --help"
    if path == "evenhand run" and error.option_name in _IN_THE_SUITE:
        return f"evenhand run has no {error.option_name}; {_IN_THE_SUITE[error.option_name]}"
    for param in params:
        if isinstance(param, Setting) and error.option_name.replace("--no-", "--") in param.opts:
            return f"{path} has no {error.option_name}; it is a setting: --set {param.setting_name}=VALUE"
    return unknown("option", error.option_name, names, otherwise=f"see: {path} --help")
