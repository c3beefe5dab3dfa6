"""The options of commands that ask models, as `ModelOptions` declares them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from evenhand.cli.shared import Read, as_one
from evenhand.options.model_options import OPTIONS, ModelOptions, used_by
from evenhand.options.option_kinds import Flag, Option

Command = TypeVar("Command", bound=Callable[..., Any])


def model_options(*uses: str, without: Sequence[str] = ()) -> Callable[[Command], Command]:
    """The options of a command that asks models in these ways; each is None where it is not given."""
    wanted = {name for use in uses for name in used_by(use)}

    def decorate(command: Command) -> Command:
        for name, option in reversed([*OPTIONS.items()]):
            if name in wanted and name not in without:
                command = _click_option(option)(command)
        return command

    return decorate


def _click_option(option: Option[Any, Any]) -> Callable[[Command], Command]:
    flag = f"--{option.name.replace('_', '-')}"
    if not isinstance(option, Flag):
        return click.option(
            flag,
            option.name,
            type=Read("value", _checked(option)),
            metavar=option.value_name,
            default=None,
            help=option.help,
        )
    # What a project can switch on for all its runs can be switched off for one.
    names = f"{flag}/--no-{flag[2:]}" if "settings" in option.used_by else flag
    return click.option(names, option.name, is_flag=True, default=None, help=option.help)


def _checked(option: Option[Any, Any]) -> Callable[[Any], Any]:
    """Reads a value that the option accepts, still as it was typed: `none` is not the same as nothing."""

    def read(value: Any) -> Any:
        option.read(value)
        return value

    return read


def _reading(
    reference: str | None,
    source: str | None,
    partial: bool,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    **task: str | None,
) -> dict[str, Any]:
    from evenhand.files.text import text_or_file

    texts = {"reference": reference, **task}
    read = {name: None if text is None else text_or_file(text) for name, text in texts.items()}
    return {**read, "format": source, "partial": partial, "include": include, "exclude": exclude}


_TASK = click.option("--task", metavar="FILE|TEXT", help="What was asked for: a file, or the text itself.")
_READING = (
    click.option(
        "--reference", metavar="FILE|TEXT", help="An answer for models to compare with: a file, or the text itself."
    ),
    click.option("--from", "source", metavar="FORMAT", help="The outputs' format. Default: recognised by content."),
    click.option("--partial", is_flag=True, help="Use what can be read of a damaged file, with a warning."),
    click.option(
        "--include",
        multiple=True,
        metavar="PATTERN",
        help="Which files of a folder to read, such as '*.json'; repeatable. Default: all but logs, settings, READMEs.",
    ),
    click.option("--exclude", multiple=True, metavar="PATTERN", help="Files of a folder to leave out; repeatable."),
)
_NAMES = ("reference", "source", "partial", "include", "exclude")

reading_options = as_one("reading", _reading, ("task", *_NAMES), _TASK, *_READING)
"""--task, --reference, --from, --partial and the files of folders, as the parameter `reading`."""

pair_reading_options = as_one("reading", _reading, _NAMES, *_READING)
"""The same without --task, for a command that takes the tasks of many cases."""


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
