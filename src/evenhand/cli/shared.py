"""Shared by all commands: options, formats, exit codes, where output goes.

Machine output goes to standard output, everything else to standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from evenhand.errors import InputError, unknown

if TYPE_CHECKING:
    from evenhand.decisions.decision import Decision
    from evenhand.decisions.gate import Ruling
    from evenhand.judging.keeper import Keeper
    from evenhand.options.settings import Keep, Settings
    from evenhand.store.evaluation_store import EvaluationStore
    from evenhand.store.protocol import Store

DONE, SAID_NO, BAD_INPUT, NOT_SCORED, OUT_OF_REACH, UNDECIDED = 0, 1, 2, 3, 4, 5
"""Exit codes. Any other goes before the last: nothing else went wrong, and still the data cannot tell."""

Item = TypeVar("Item")
Command = TypeVar("Command", bound=Callable[..., Any])
Opened = TypeVar("Opened", bound="EvaluationStore | None")


class Read(click.ParamType[Any]):
    """A value that a function makes of what was typed; its ValueError is the message."""

    def __init__(self, name: str, read: Callable[[Any], Any]) -> None:
        self.name = name
        self._read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return self._read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def agreed() -> bool:
    """Whether the person at the terminal wants what was just shown; without a terminal no one can say so."""
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        say("error: nothing was run: there is no terminal to ask on; to go on without asking, give --yes")
        return False
    if click.confirm("Go on?", default=False, err=True):
        return True
    say("nothing was run")
    return False


def as_one(
    parameter: str, make: Callable[..., Any], names: Sequence[str], *options: Callable[..., Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Options that a command is given as one parameter, made by a function that takes them by their names."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def decorated(*arguments: Any, **given: Any) -> Any:
            value = make(**{name: given.pop(name) for name in names})
            return command(*arguments, **{parameter: value}, **given)

        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


_running: list[click.Command] = []
"""The command that was called last, whose options its errors name: they are shown when it has ended."""


class RememberingGroup(click.Group):
    """A group that remembers which of its commands was called."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"{unknown('command', args[0], self.list_commands(ctx))}.")
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            _running.append(command)
        return name, command, rest


class CommandGroup(RememberingGroup):
    """Commands under one name, each listed with its whole first sentence."""

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, command.get_short_help_str(limit=999)) for name, command in self.commands.items()]
            )


class CommandWithCommands(CommandGroup):
    """A command with others below it: `evenhand run SUITE` and `evenhand run show`."""

    allow_extra_args = False
    allow_interspersed_args = True

    def __init__(self, **options: Any) -> None:
        super().__init__(**options | {"invoke_without_command": True, "subcommand_metavar": ""})

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the command that the first word names, or else of this one."""
        if args and args[0] in self.commands:
            _running.append(self.commands[args[0]])
            return self.commands[args[0]].make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


rubric_option = click.option(
    "--rubric", "-r", metavar="NAME|FILE", help="The rubric, by name or path. See: evenhand rubric list"
)
store_option = click.option(
    "--store",
    metavar="FILE|URL|none",
    help="Where evaluations are kept: a SQLite file, a PostgreSQL URL, or none. "
    "Default: $EVENHAND_STORE, the project's settings, or .evenhand/evenhand.db in the project.",
)
audit_option = click.option("--audit", is_flag=True, help="Show every line of the arithmetic, and the receipt.")

full_option = click.option("--full", is_flag=True, help="Show all changes, and what the answer rests on.")
suite_cluster_option = click.option(
    "--cluster",
    metavar="FILE:COLUMN",
    help="Cases that belong together count once: by a column of a table with a column id, such as "
    "cases.csv:repository. It goes before the clusters that the suite's cases name.",
)
files_argument = click.argument("files", metavar="FILE...", nargs=-1, required=True)


def chosen_store(store: str | None, *, keep: Keep | None = None) -> tuple[Store | None, Settings]:
    """The store given on the command line, or the project's."""
    from evenhand.options.settings import load_settings
    from evenhand.store import open_store

    settings = load_settings(store=store, keep=keep)
    return _closed_at_the_end(open_store(settings.store)), settings


def scoring_store(store: str | None, *, keep: Keep | None) -> tuple[EvaluationStore | None, Settings]:
    """The evaluations of the chosen store, for a command that needs nothing else of it and should start quickly."""
    from evenhand.options.settings import load_settings
    from evenhand.store import open_evaluations

    settings = load_settings(store=store, keep=keep)
    return _closed_at_the_end(open_evaluations(settings.store)), settings


def _closed_at_the_end(opened: Opened) -> Opened:
    if opened is not None:
        click.get_current_context().call_on_close(opened.close)
    return opened


def needed_store(store: str | None) -> Store:
    """The chosen store, for a command that cannot do without one."""
    opened, _ = chosen_store(store)
    if opened is None:
        raise InputError("this command needs a store; name one with --store")
    return opened


def gate_code(rulings: Sequence[Ruling], errors: int = 0, *, undecided: str = "5") -> int:
    """The exit code of a gate: 1 when it is red, 2 when something could not be read, 3 when something has no score.

    5 when the data cannot tell, unless `undecided` is ok.
    """
    colours = {ruling.colour for ruling in rulings}
    if "red" in colours:
        return SAID_NO
    if errors:
        return BAD_INPUT
    if "unscored" in colours:
        return NOT_SCORED
    return UNDECIDED if "undecided" in colours and undecided != "ok" else DONE


def decision_code(decision: Decision, undecided: str) -> int:
    """The exit code of a comparison: 3 when nothing could be scored, 5 when it is undecided unless that is ok."""
    if decision.is_unscored:
        return NOT_SCORED
    return UNDECIDED if decision.is_undecided and undecided != "ok" else DONE


def end_gate(rulings: Sequence[Ruling], code: int = DONE, *, undecided: str = "5") -> int:
    """Say what the rulings of a suite's gate come to, if it has one; returns the exit code.

    `code` is what the command would end with otherwise: a gate is not open while something has no score.
    """
    if rulings:
        from evenhand.decisions.gate import SENTENCES, outcome

        result = outcome(rulings)
        say(SENTENCES["undecided"] if result.word == "green" and code != DONE else result.says)
    of_gate = gate_code(rulings, undecided=undecided)
    return code or of_gate if of_gate in (DONE, UNDECIDED) else of_gate


def sorted_out(results: Iterable[Item | InputError]) -> tuple[list[Item], list[InputError]]:
    """What could be read, and the errors, which are reported here."""
    good: list[Item] = []
    bad = []
    for result in results:
        if isinstance(result, InputError):
            complain(result)
            bad.append(result)
        else:
            good.append(result)
    return good, bad


def open_keeper(kept_in: Store, settings: Settings) -> Keeper:
    """What keeps evaluations as the settings say."""
    from evenhand.judging.keeper import Keeper

    return Keeper(kept_in, keep=settings.keep)


def not_stored(keeper: Keeper | None, code: int) -> int:
    """Report what was in the store already and what could not be stored; returns the exit code."""
    if keeper is not None and keeper.renamed and keeper.failure is None:
        count = len(keeper.renamed)
        cases = f"{keeper.renamed[0]}" + (f" and {count - 1} more" if count > 1 else "")
        say(f"stored as a further evaluation of the same case: {cases}")
    if keeper is not None and keeper.already_stored:
        count = len(keeper.already_stored)
        singular = f"already stored: {keeper.already_stored[0]}"
        say(singular if count == 1 else f"{count} were already stored; nothing was added twice")
    if keeper is None or keeper.failure is None:
        return code
    say(f"error: not stored: {keeper.failure}")
    return OUT_OF_REACH if code in (DONE, NOT_SCORED) else code


def complain(error: InputError) -> None:
    """Report every problem on its own line, on standard error."""
    for problem in error.problems:
        say(f"error: {problem}")


_OTHER_NAMES = {
    "judges": "--judge", "format": "--from", "roles": "--map", "scale": "--scale", "rule": "--rule", "field": "--field",
    "skip_bad": "labels.skip_bad",
}  # fmt: skip
"""Parameters of Python that have another name on the command line, or the name of several values there."""


def with_options(text: str) -> str:
    """A message that names parameters, as Python knows them, with the options of the command line in their place.

    `skip`=1 becomes an option or a setting with its value.
    """
    if "`" not in text:
        return text
    import re

    from evenhand.options.command_settings import SETTINGS, TYPED
    from evenhand.options.model_options import OPTIONS
    from evenhand.options.option_kinds import Flag

    params = _running[-1].params if _running else ()
    names = {name: f"judge.{name}" if name not in TYPED else f"--{name.replace('_', '-')}" for name in OPTIONS}
    options = [param for param in params if isinstance(param, click.Option) and not param.hidden]
    names |= {param.opts[0].lstrip("-").replace("-", "_"): param.opts[0] for param in options}
    names |= {str(param.name): param.opts[0] for param in options} | _OTHER_NAMES
    names |= {name.rpartition(".")[2]: name for param in params if (name := getattr(param, "setting_name", ""))}

    def typed(match: re.Match[str]) -> str:
        name, value = names.get(match[1]), match[2]
        if value is None and isinstance(SETTINGS.get(name or ""), Flag):
            value = "true"
        if name is None or value is None:
            return match[0] if name is None else name
        if not name.startswith("--"):
            return f"--set {name}={value}"
        return name if value == "true" else f"{name} {value}"

    return re.sub(r"`(\w+)`(?:=([^\s;,)]+))?", typed, text)


def say(text: str) -> None:
    """A line on standard error."""
    text = with_options(text)
    print("".join(char if char.isprintable() else "\ufffd" for char in text), file=sys.stderr)
