"""`--set NAME=VALUE`: parameters of a command that are settings rather than options of their own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from evenhand.options.command_settings import SETTINGS, TYPED, may_stand_in_a_file, setting, variable
from evenhand.options.model_options import OPTIONS
from evenhand.options.option_kinds import Flag, Many

Command = TypeVar("Command", bound=Callable[..., Any])

_GIVEN, _WRITTEN = "evenhand.set", "evenhand.project"
_WORDS: Mapping[str, bool] = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class Setting(click.Option):
    """A parameter that is set, and not an option of its own."""

    def __init__(self, name: str, parameter: str, *, default: Any, read: Callable[[Any], Any] | None) -> None:
        self.setting_name = name
        self._declared = SETTINGS[name]
        self._read = read or self._declared.read
        self._default = default
        flag = f"--{name.rpartition('.')[2].replace('_', '-')}"
        super().__init__([flag, parameter], hidden=True, help=self._declared.sentence)

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Nothing: `--samples` is not typed."""

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, ParameterSource]:
        """What `--set` says, else the environment, else the project's file, else the default."""
        typed = ctx.meta.get(_GIVEN, {}).get(self.setting_name)
        if typed is None and (text := os.environ.get(variable(self.setting_name), "").strip()):
            typed = [text]
        if typed is not None:
            return self._from_text(typed, ctx), ParameterSource.COMMANDLINE
        if not self._is_of_models and may_stand_in_a_file(self.setting_name):
            written = _project(ctx).get(self.setting_name)
            if written is not None:
                return self._read(written), ParameterSource.DEFAULT_MAP
        return self._default, ParameterSource.DEFAULT

    def get_default(self, ctx: click.Context, call: bool = True) -> Any:
        """For a command that another one calls."""
        return self._default

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """It was read already."""
        return value

    @property
    def _is_of_models(self) -> bool:
        """Whether the option says how models are asked: a suite's own value then overrides the project's."""
        group, _, name = self.setting_name.partition(".")
        return group == "judge" and name in OPTIONS

    def _from_text(self, typed: list[str], ctx: click.Context) -> Any:
        try:
            if isinstance(self._declared, Many):
                return self._read(typed)
            text = typed[-1]
            value = _WORDS.get(text.lower(), text) if isinstance(self._declared, Flag) else text
            read = self._read(value)
        except ValueError as error:
            raise click.UsageError(f"{self.setting_name}: {error}.", ctx) from None
        # As it was typed: for a file, `none` is not the same as nothing.
        return value if self._is_of_models else read


def _project(ctx: click.Context) -> Mapping[str, Any]:
    """The settings of the project's file by name, read once for a command."""
    if _WRITTEN not in ctx.meta:
        from evenhand.options.settings import command_settings

        ctx.meta[_WRITTEN] = command_settings()
    written: Mapping[str, Any] = ctx.meta[_WRITTEN]
    return written


def _take(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> None:
    """Note what `--set` says; an unknown name, or one without effect on this command, is an error."""
    known = {each.setting_name for each in ctx.command.params if isinstance(each, Setting)}
    taken: dict[str, list[str]] = {}
    for text in given:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise click.UsageError(f'--set "{text}" is not NAME=VALUE, such as judge.samples=3.', ctx)
        try:
            setting(name)
        except ValueError as error:
            raise click.UsageError(f"{error}.", ctx) from None
        if name.removeprefix("judge.") in TYPED:
            raise click.UsageError(
                f"{name} is an option: --{name.removeprefix('judge.').replace('_', '-')} VALUE.", ctx
            )
        if name not in known:
            raise click.UsageError(f"{name} has no effect on {ctx.command_path}; see: evenhand docs settings.", ctx)
        taken.setdefault(name, []).append(value)
    ctx.meta[_GIVEN] = taken


_set_option = click.option(
    "--set", multiple=True, metavar="NAME=VALUE", is_eager=True, expose_value=False, callback=_take,
    help="A setting for this once, such as judge.samples=3. See: evenhand docs settings",
)  # fmt: skip


def setting_option(
    name: str, parameter: str = "", *, default: Any = None, read: Callable[[Any], Any] | None = None
) -> Callable[[Command], Command]:
    """A setting as a parameter of a command, and `--set` with the first of them.

    `read` makes another value of it than the declaration does.
    """

    def decorate(command: Command) -> Command:
        params: list[click.Parameter] = command.__dict__.setdefault("__click_params__", [])
        if not any(isinstance(each, Setting) for each in params):
            _set_option(command)
        declared = SETTINGS[name]
        kept = default if default is not None else () if isinstance(declared, Many) else None
        params.append(Setting(name, parameter or name.rpartition(".")[2], default=kept, read=read))
        return command

    return decorate
