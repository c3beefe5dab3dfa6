"""The options of commands that ask models, as `ModelOptions` declares them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import Read, as_one
from evenhand.options.command_settings import TYPED, variable
from evenhand.options.model_options import OPTIONS, ModelOptions, used_by
from evenhand.options.option_kinds import Option

Command = TypeVar("Command", bound=Callable[..., Any])


def model_options(*uses: str, without: Sequence[str] = ()) -> Callable[[Command], Command]:
    """The options of a command that asks models in these ways; each is None where it is not given."""
    wanted = {name for use in uses for name in used_by(use)}

    def decorate(command: Command) -> Command:
        for name, option in reversed([*OPTIONS.items()]):
            if name not in wanted or name in without:
                continue
            command = _click_option(option)(command) if name in TYPED else setting_option(f"judge.{name}")(command)
        return command

    return decorate


def _click_option(option: Option[Any, Any]) -> Callable[[Command], Command]:
    return click.option(
        f"--{option.name.replace('_', '-')}", option.name, type=Read("value", _checked(option)),
        metavar=option.value_name, default=None, help=option.help, envvar=variable(f"judge.{option.name}"),
    )  # fmt: skip


def _checked(option: Option[Any, Any]) -> Callable[[Any], Any]:
    """Reads a value that the option accepts, still as it was typed: `none` is not the same as nothing."""

    def read(value: Any) -> Any:
        option.read(value)
        return value

    return read


def _reading(
    reference: str | None,
    source: str | None,
    partial: bool | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    **task: str | None,
) -> dict[str, Any]:
    from evenhand.files.text import text_or_file

    texts = {"reference": reference, **task}
    read = {name: None if text is None else text_or_file(text) for name, text in texts.items()}
    return {**read, "format": source, "partial": bool(partial), "include": include, "exclude": exclude}


_TASK = click.option("--task", metavar="FILE|TEXT", help="What was asked for: a file, or the text itself.")
_REFERENCE = click.option(
    "--reference", metavar="FILE|TEXT", help="An answer for models to compare with: a file, or the text itself."
)
_FROM = click.option("--from", "source", metavar="FORMAT", help="The outputs' format. Default: recognised by content.")
_FILES = (
    setting_option("judge.partial"),
    setting_option("judge.include"),
    setting_option("judge.exclude"),
)
_NAMES = ("reference", "source", "partial", "include", "exclude")

reading_options = as_one("reading", _reading, ("task", *_NAMES), _TASK, _REFERENCE, _FROM, *_FILES)
"""--task, --reference, --from, and which files of folders are read, as the parameter `reading`."""

pair_reading_settings = as_one(
    "reading",
    _reading,
    _NAMES,
    setting_option("better.reference"),
    setting_option("better.from", "source"),
    *_FILES,
)
"""The same as settings and without --task, for a command that takes the tasks of many cases."""


def run_options(
    use: str, asking: Mapping[str, Any], store: str, *, suite: Mapping[str, Any] | None = None, as_before: bool = False
) -> ModelOptions:
    """How models are asked: the command's own options come first, then the suite's, then the project's.

    With `as_before`, the project's settings leave open what a model is asked: an earlier run decides that.
    """
    from evenhand.options.settings import option_defaults, replies_beside

    defaults = option_defaults(use).items()
    chosen = {name: value for name, value in defaults if not (as_before and OPTIONS[name].asked)}
    chosen |= suite or {}
    chosen |= {name: asking[name] for name in OPTIONS if asking.get(name) is not None}
    return ModelOptions(**{"replies": replies_beside(store), **chosen})
