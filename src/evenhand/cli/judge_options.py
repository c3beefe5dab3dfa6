"""The options of commands that ask models, as `ModelOptions` declares them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from evenhand.core.basics.option_kinds import Flag, Option
from evenhand.core.values.model_options import OPTIONS, ModelOptions, used_by

Command = TypeVar("Command", bound=Callable[..., Any])


def model_options(use: str, *, without: Sequence[str] = ()) -> Callable[[Command], Command]:
    """The options of a command; each is None where it is not given."""

    def decorate(command: Command) -> Command:
        for name, option in reversed(list(used_by(use).items())):
            if name not in without:
                command = _click_option(option)(command)
        return command

    return decorate


def _click_option(option: Option[Any, Any]) -> Callable[[Command], Command]:
    flag = f"--{option.name.replace('_', '-')}"
    if not isinstance(option, Flag):
        return click.option(
            flag, option.name, type=_Checked(option), metavar=option.value_name, default=None, help=option.help
        )
    # What a project can switch on for all its runs can be switched off for one.
    names = f"{flag}/--no-{flag[2:]}" if "settings" in option.used_by else flag
    return click.option(names, option.name, is_flag=True, default=None, help=option.help)


class _Checked(click.ParamType[Any]):
    """A value that the option accepts, still as it was typed: `none` is not the same as nothing."""

    name = "value"

    def __init__(self, option: Option[Any, Any]) -> None:
        self._option = option

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            self._option.read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return value


def run_options(
    use: str, asking: Mapping[str, Any], store: str, *, suite: Mapping[str, Any] | None = None, as_before: bool = False
) -> ModelOptions:
    """How models are asked: the command's own options come first, then the suite's, then the project's.

    With `as_before`, the project's settings leave open what a model is asked: an earlier run decides that.
    """
    from evenhand.settings import option_defaults

    defaults = option_defaults(use).items()
    chosen = {name: value for name, value in defaults if not (as_before and OPTIONS[name].asked)}
    chosen |= suite or {}
    chosen |= {name: asking[name] for name in OPTIONS if asking.get(name) is not None}
    return ModelOptions(**{"replies": _next_to(store), **chosen})


def _next_to(store: str) -> str | None:
    """Where replies are kept unless told otherwise: next to the store, or nowhere if nothing is stored."""
    if store == "none":
        return None
    from evenhand.settings import DEFAULT_STORE, project_folder

    path = store.removeprefix("sqlite:///")
    folder = project_folder() / DEFAULT_STORE.parent if "://" in path else Path(path).parent
    return str(folder / "replies.db")
