"""Generate the reference pages that follow from the code, and the pictures of a scorecard and of a history.

python scripts/make_docs.py            write docs/reference/{cli,checks,settings,python}.md, docs/images/*
python scripts/make_docs.py --check    exit 1 if any is out of date
python scripts/make_docs.py --check reference/cli.md    only this one
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any

import click

import evenhand
from agent_pictures import drawn, hook_picture, recording_console, skill_picture
from door_pictures import github_picture, mcp_picture, pytest_picture
from evenhand import errors, types
from evenhand.cli.main import evenhand as root_command
from evenhand.core import advice, comparison, curve, finding, judgement, ranking, rubric, scorecard
from evenhand.core import rules as methodology
from evenhand.decisions import changes, decision, gate, preference
from evenhand.documents import verification
from evenhand.judging.sets import compared_sets
from evenhand.options.option_kinds import Flag
from evenhand.reports.html.picture import chart_picture
from evenhand.reports.scorecard import scorecard_report
from evenhand.reports.skill_history import skill_chart
from evenhand.reports.terminal.walker import print_report
from evenhand.store import protocol, record
from evenhand.work import submission

ROOT = Path(__file__).parents[1]


# --- the command line ----------------------------------------------------------------------------

_CLI_INTRODUCTION = """\
# Command line

<!-- Made by scripts/make_docs.py from the commands themselves. Edit their docstrings, then run it. -->

Results go to standard output; errors, counts and advice go to standard error. A file named `-` is
standard input. Every command explains itself, with examples, with `-h` or `--help`. What the exit codes mean is on
the page [errors and exit codes](errors-and-exit-codes.md).
"""


def cli_page() -> str:
    """Every command with its arguments and options."""
    parts = [_CLI_INTRODUCTION, *_shared_section()]
    for path, command in commands(root_command, ("evenhand",)):
        parts += [f"## {' '.join(path)}\n", _usage(path, command), *_help(command), *_parameters(command)]
    return "\n".join(parts)


def _shared_section() -> Iterator[str]:
    yield "## Shared options\n"
    yield "\n".join(map(_option_line, shared_options().values())) + "\n"


def commands(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """A command and all beneath it."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from commands(found, (*path, name))


def _usage(path: tuple[str, ...], command: click.Command) -> str:
    words = [*path, "[OPTIONS]"]
    words += [_argument(each) for each in command.params if isinstance(each, click.Argument)]
    words += ["COMMAND"] if isinstance(command, click.Group) and command.subcommand_metavar else []
    return f"```text\n{' '.join(words)}\n```\n"


def _argument(argument: click.Argument) -> str:
    if isinstance(argument.type, click.Choice):
        return "|".join(map(str, argument.type.choices))
    name = argument.metavar or str(argument.name).upper()
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _help(command: click.Command) -> Iterator[str]:
    """The docstring without its examples: prose as it is, what is marked as laid out by hand in a block."""
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if not paragraph.startswith("\b"):
            yield paragraph + "\n"
            continue
        title, _, body = paragraph.removeprefix("\b\n").partition("\n")
        if not title.startswith("Example"):  # those are what --help is for
            yield f"{title}\n\n```text\n{dedent(body)}\n```\n"


def _parameters(command: click.Command) -> Iterator[str]:
    shared = shared_options()
    own: list[click.Option] = []
    known: list[click.Option] = []
    for option in _options(command):
        (known if (_names(option), option.help) in shared else own).append(option)
    if own:
        yield "\n".join(map(_option_line, own)) + "\n"
    if known:
        yield f"[Shared](#shared-options): {', '.join(map(_names, known))}.\n"
    if isinstance(command, click.Group):
        context = click.Context(command)
        names = [name for name in command.list_commands(context) if command.get_command(context, name)]
        yield f"Commands: {', '.join(f'`{name}`' for name in names)}.\n"


def _options(command: click.Command) -> list[click.Option]:
    return [
        each for each in command.params if isinstance(each, click.Option) and not each.hidden and each.name != "help"
    ]


def _option_line(option: click.Option) -> str:
    value = _value(option)
    said = "" if option.name == "format" else f": {option.help}"  # it lists the formats once more
    return f"- {_names(option)}{' ' * bool(value)}{value}{said}"


SHARED_BY = 3
"""An option that so many commands have, with the same sentence, is explained once."""


@cache
def shared_options() -> dict[tuple[str, str | None], click.Option]:
    """The options that several commands share, by their names and sentence."""
    seen = [
        ((_names(option), option.help), option)
        for _, command in commands(root_command, ("evenhand",))
        for option in _options(command)
    ]
    times = Counter(key for key, _ in seen)
    return {key: option for key, option in seen if times[key] >= SHARED_BY}


def _names(option: click.Option) -> str:
    return ", ".join(f"`{name}`" for name in sorted(option.opts, key=len, reverse=True))


def _value(option: click.Option) -> str:
    if option.is_flag:
        return ""
    if isinstance(option.type, click.Choice):
        default = option.default if isinstance(option.default, str) else None
        return ", ".join(f"`{each}`{' (default)' if each == default else ''}" for each in option.type.choices)
    default = f", default `{option.default}`" if isinstance(option.default, (str, int)) else ""
    kind = "NUMBER" if isinstance(option.type, click.IntRange) else option.type.name.upper()
    return f"`{option.metavar or kind}`{default}".replace("|", "\\|")


# --- the Python API ------------------------------------------------------------------------------

_PYTHON_INTRODUCTION = """\
# Python

<!-- Made by scripts/make_docs.py from the docstrings. Edit those, then run it. -->

What you call or make is in `evenhand`, what `evenhand trust` does in `evenhand.trust`, the other [values](#values) in
`evenhand.types`. Names load when they are first used: `import evenhand` costs next to nothing. Values are immutable;
numbers a person reads are `decimal.Decimal` with two places. The examples on this page assume:

```python
{imports}
```

How to put them to use: [use it from Python](../how-to/use-from-python.md).
"""

_CONSTANTS = {
    "METHODOLOGY_VERSION": "The version of the [methodology](../methodology.md). It changes whenever an old score "
    "would come out differently.",
    "__version__": "The version of the package.",
}
_GROUPS = (
    ("Functions", inspect.isfunction),
    ("Classes", lambda each: inspect.isclass(each) and not (_is_record(each) or issubclass(each, Exception))),
    ("Values", lambda each: _is_record(each)),
    ("Errors", lambda each: inspect.isclass(each) and issubclass(each, Exception)),
    ("Constants", lambda each: not callable(each)),
)


def python_page() -> str:
    """Every public name, and the values that hang on the public ones."""
    public = {name: getattr(evenhand, name) for name in evenhand.__all__}
    public |= {f"trust.{name}": getattr(evenhand.trust, name) for name in evenhand.trust.__all__}
    public |= {name: getattr(types, name) for name in types.__all__}
    public = dict(sorted(public.items()))
    parts = [_PYTHON_INTRODUCTION.format(imports=_imports(public))]
    for title, belongs in _GROUPS:
        parts.append(f"## {title}\n")
        for name, value in public.items():
            if belongs(value):
                parts += _entry(name, value)
    parts += [
        "## Values inside those\n",
        "Reached through the values above; not imported. `help(value)` says more about each field.\n",
    ]
    for name, value in _inner_values(public).items():
        parts.append(_inner_entry(name, value))
    return "\n".join(parts)


def _imports(public: dict[str, Any]) -> str:
    """The lines that import what the examples of the page use: constants, functions, and classes with an example."""
    used = [
        name
        for name, value in public.items()
        if name in evenhand.__all__
        and not name.startswith("_")
        and (">>>" in (value.__doc__ or "") or not inspect.isclass(value))
    ]
    lines = [f">>> from evenhand import {', '.join(some)}" for some in batched(used, 6)]
    return "\n".join([*lines, f">>> from evenhand.trust import {', '.join(evenhand.trust.__all__)}"])


def batched(names: list[str], size: int) -> Iterator[list[str]]:
    """So many at a time."""
    return (names[start : start + size] for start in range(0, len(names), size))


def _entry(name: str, value: Any) -> Iterator[str]:
    yield f"### {name}\n"
    if inspect.isfunction(value):
        yield f"```text\n{_signature(name, value)}\n```\n"
        yield _docstring(value)
    elif inspect.isclass(value):
        if issubclass(value, Exception):
            yield f"A kind of `{value.__bases__[0].__name__}`.\n"
        yield _docstring(value)
        yield from _fields(value)
    else:
        said = _CONSTANTS.get(name) or _assignment_docstrings(methodology)[name]
        shown = "" if name == "__version__" else f"\n```python\n>>> {name}\n{value!r}\n```\n"
        yield f"{said}\n{shown}"


def _signature(name: str, function: Callable[..., Any]) -> str:
    signature = inspect.signature(function)
    lines = []
    keyword_only = False
    for each in signature.parameters.values():
        if each.kind is each.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            lines.append("    *,")
        default = "" if each.default is each.empty else f" = {each.default!r}"
        lines.append(f"    {each.name}: {each.annotation}{default},")
    return "\n".join([f"{name}(", *lines, f") -> {signature.return_annotation}"])


def _docstring(value: Any) -> str:
    """Prose as it is; what starts with >>> in a block of its own."""
    paragraphs = (inspect.getdoc(value) or "").split("\n\n")
    shown = [f"```python\n{each}\n```" if each.startswith(">>>") else each for each in paragraphs]
    return "\n\n".join(shown) + "\n"


def _fields(value: type) -> Iterator[str]:
    """The fields of a named tuple, each with its type and the sentence under it; then its properties."""
    if value is evenhand.ModelOptions:
        yield "Each field with its limits and default is on the page [settings](settings.md#settings-of-commands).\n"
        return
    notes = [(name, kind, re.split(r"(?<=[.;]) ", note)[0].rstrip(";")) for name, kind, note in _class_notes(value)]
    lines = [f"- `{name}: {kind}`{f': {note}' if note else ''}" for name, kind, note in notes]
    if lines:
        yield "\n".join(lines) + "\n"


def _inner_entry(name: str, value: type) -> str:
    """A value that is only reached through others: its sentence, and the names of its fields with their types."""
    sentence = (inspect.getdoc(value) or "").partition("\n\n")[0].replace("\n", " ")
    fields = [f"`{field}`" for field, _, _ in _class_notes(value)]
    return f"**{name}**: {sentence} Fields: {', '.join(fields)}.\n"


def _class_notes(value: type) -> list[tuple[str, str, str]]:
    body = ast.parse(dedent(inspect.getsource(value))).body[0]
    assert isinstance(body, ast.ClassDef)
    found: list[tuple[str, str, str]] = []
    for place, statement in enumerate(body.body):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            note = _literal(body.body[place + 1]) if place + 1 < len(body.body) else ""
            if not ast.unparse(statement.annotation).startswith("ClassVar"):
                found.append((statement.target.id, _without_facts(statement.annotation), note))
        elif isinstance(statement, ast.FunctionDef) and not statement.name.startswith("_"):
            is_property = "property" in map(ast.unparse, statement.decorator_list)
            called = "" if is_property else f"({_parameters_of(statement)})"
            returns = ast.unparse(statement.returns or ast.Constant(None))
            found.append((statement.name + called, returns, _note(statement)))
    if value is protocol.Store:  # its methods are in the classes that it is made of, by subject
        methods = [entry for base in value.__mro__[1:-1] for entry in _class_notes(base) if "(" in entry[0]]
        found += [entry for entry in methods if entry[0] not in [name for name, _, _ in found]]
    return found


def _without_facts(annotation: ast.expr) -> str:
    """A type without what `Annotated` adds for a document."""
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "Annotated":
        assert isinstance(annotation.slice, ast.Tuple)
        return ast.unparse(annotation.slice.elts[0])
    return ast.unparse(annotation)


def _parameters_of(method: ast.FunctionDef) -> str:
    """The names a method is called with; those with a default in brackets."""
    plain = [each.arg for each in method.args.args[1:]]
    optional = len(method.args.defaults)
    names = [f"[{name}]" if place >= len(plain) - optional else name for place, name in enumerate(plain)]
    return ", ".join([*names, *(f"[{each.arg}=]" for each in method.args.kwonlyargs)])


def _note(function: ast.FunctionDef) -> str:
    return " ".join((ast.get_docstring(function) or "").split())


def _literal(statement: ast.stmt) -> str:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return " ".join(str(statement.value.value).split())
    return ""


def _assignment_docstrings(module: Any) -> dict[str, str]:
    """The sentence under each constant of a module."""
    body = ast.parse(inspect.getsource(module)).body
    return {
        statement.target.id: _literal(following)
        for statement, following in pairwise(body)
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    }


def _inner_values(public: dict[str, Any]) -> dict[str, type]:
    """The named tuples that public functions give and public values mention, and so on down."""
    values = (submission, advice, comparison, curve, finding, judgement, ranking, rubric, scorecard, preference)
    homes = (*values, verification, changes, decision, gate, compared_sets)
    known = {name: each for module in homes for name, each in vars(module).items() if _is_value(each)}
    known |= {"Store": protocol.Store, "Record": record.Record}
    found: dict[str, type] = {"Problem": errors.Problem}  # what the errors carry
    waiting = [_returned(each) if inspect.isfunction(each) else _mentioned(each) for each in public.values()]
    while waiting:
        for name in sorted(waiting.pop(0) & known.keys() - found.keys()):
            if public.get(name) is known[name]:
                continue
            found[name] = known[name]
            waiting.append(_mentioned(known[name]))
    return found


def _returned(function: Callable[..., Any]) -> set[str]:
    """The words of what a function gives."""
    return set(re.findall(r"\w+", str(inspect.signature(function).return_annotation)))


def _mentioned(value: Any) -> set[str]:
    """The words in the types of a value's fields."""
    return (
        {word for _, kind, _ in _class_notes(value) for word in re.findall(r"\w+", kind)} if _is_value(value) else set()
    )


def _is_value(each: Any) -> bool:
    return each is protocol.Store or _is_record(each)


def _is_record(each: Any) -> bool:
    """A named tuple, or a dataclass that only holds values."""
    if not inspect.isclass(each):
        return False
    return hasattr(each, "_fields") or (is_dataclass(each) and "__slots__" in vars(each))


# --- the map of the code --------------------------------------------------------------------------

# --- the pictures --------------------------------------------------------------------------------


def _measured(check: str, points: bool) -> str:
    """What is known about how often a check is right, in a sentence."""
    from evenhand.core.bounds import CLOSES_GATES
    from evenhand.findings.precision import counts, is_too_often_wrong, makes_caps, total

    sources = counts().get(check, {})
    true, false = total(sources)
    gives = (
        "notes"
        if not points or is_too_often_wrong(sources)
        else "faults that may cap"
        if makes_caps(sources)
        else "faults"
    )
    by_source = ", ".join(f"{name} {count.true} of {count.total}" for name, count in sources.items())
    if gives == "notes" and check in CLOSES_GATES:
        gives = "notes that close a gate by severity"
    if not sources:
        return f"Gives {gives}; none has been labelled yet."
    return f"Gives {gives}: {true} of {true + false} labelled findings are true ({by_source})."


def checks_page() -> str:
    """Every check of the judge that needs no model."""
    from evenhand.findings.registry import built_in

    lines = [
        "# Checks",
        "",
        "What `evenhand judge` looks for, with no model. Made from the checks themselves by `scripts/make_docs.py`.",
        "What can be pointed at gives faults, what is only likely gives notes, which bound no score",
        "([what a program can know](../what-a-program-can-know.md)).",
        "",
    ]
    for check in built_in():
        example = check.example.strip()
        shown = (
            ["````text", *example.splitlines(), "````"]
            if "\n" in example or "`" in example
            else [f"For example: `{example}`"]
        )
        lines += [f"## {check.id}", "", f"About {', '.join(check.dimensions)}. {check.sees}", ""]
        lines += [f"Severity: {check.severity}", "", _measured(check.id, check.points), "", *shown, ""]
    return "\n".join(lines)


def _providers() -> str:
    """Every provider, from the registry."""
    from evenhand.providers.registry import built_in_names, find_provider, providers

    lines = [
        "Besides these there are `checks` (no model), `auto` (the [first that is",
        "ready](../how-to/judge-with-a-model.md#find-a-judge)), and every server that evenhand.toml names:",
        "`NAME:MODEL`, or `NAME` for the model given there.",
        "",
        "| spec | who judges | key | address | API | batches | window |",
        "|---|---|---|---|---|---|---|",
    ]
    for provider in providers():
        if provider.name not in built_in_names():
            continue
        serves = provider.open is None
        home = find_provider(provider.kind) if serves else None
        batches = home is not None and home.serve is not None and provider.batches
        cells = [
            f"`{provider.spec_form}`",
            provider.title,
            f"`{provider.key}`" if provider.key else "",
            f"`{provider.address}`" if provider.address else "",
            f"`{provider.kind}`" if serves else "",
            "yes" if batches else "",
            str(provider.window or ""),
        ]
        lines.append(f"| {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |"))
    lines += ["", "An empty cell: no key is needed, there is no server, or the value is not known."]
    return "\n".join(lines)


def _settings() -> str:
    """Every setting of a command, with its limits and default."""
    from evenhand.options.command_settings import SETTINGS, may_stand_in_a_file, variable

    lines = []
    for name, option in SETTINGS.items():
        value = "yes or no" if isinstance(option, Flag) else f"`{option.value_name}`"
        limits = f", {option.limits}" if option.limits else ""
        default = f" Default: {option.usually}." if option.usually and option.usually != "none" else ""
        typed = "" if may_stand_in_a_file(name) else " †"
        lines.append(f"- `{name}` {value}{limits}: {option.sentence}{default}{typed}")
    example = variable("judge.samples")
    return "\n".join(
        [
            f"Any of these can be given once with `--set NAME=VALUE`, by a variable such as `{example}=3` in CI,",
            "and in `evenhand.toml` as a key of the table before the dot. Where two say something, the first of these",
            "counts. A suite goes before the file for how its judges are asked (`options` in a [suite](suite-file.md);",
            "in Python the same names are fields of `evenhand.ModelOptions`). † A file that comes with a project may",
            "come from someone else: it cannot set these.",
            "",
            "```toml",
            "[judge]",
            "thorough = true",
            "max_calls = 200",
            "",
            "[gate]",
            "margin = 0.3",
            "```",
            "",
            *lines,
        ]
    )


def settings_page() -> str:
    """The page about settings, with what follows from declarations put between its marks."""
    text = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    for name, made in (("settings", _settings()), ("providers", _providers())):
        mark = f"<!-- {name}: made by scripts/make_docs.py -->\n"
        before, _, rest = text.partition(mark)
        after = rest.partition("<!-- end -->")[2]
        text = f"{before}{mark}\n{made}\n\n<!-- end -->{after}"
    return text


def scorecard_pictures() -> tuple[str, str]:
    """A model's scorecard of the example as a terminal shows it: drawn, without fonts from elsewhere, and as plain text
    for where a picture cannot be shown. Replies are recorded."""
    examples = ROOT / "examples"
    output, task = ((examples / name).read_text(encoding="utf-8") for name in ("answer.md", "task.md"))
    judge = f"replay:{examples / 'recorded' / 'first.jsonl'}"
    result = evenhand.judge(output, task=task, rubric="devops", judges=[judge])
    console = recording_console()
    # The hashes in the judge's identity would be five lines of the picture.
    result = result._replace(id="example", created="2026-11-16T12:00:00Z", judge={"name": result.judge["name"]})
    print_report(scorecard_report(result), console)
    title = "evenhand judge answer.md --task task.md --rubric devops --judge replay:recorded/first.jsonl"
    lines = [line.rstrip() for line in console.export_text(clear=False).splitlines()]
    return drawn(console, title, "scorecard"), "\n".join([f"$ {title}", *lines]).rstrip() + "\n"


def history_picture() -> str:
    """The history that docs/start.md makes: ten evaluations, a usual one, an unsafe one, two that are worse."""
    page = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    block = re.search(r"```jsonl title=ten.jsonl\n(.*?)```", page, flags=re.DOTALL)
    assert block is not None
    judgements = [json.loads(line) for line in block[1].splitlines()]
    usual = judgements[-1]
    for changed in ({}, {"safety": 7}, {"correctness": 7, "completeness": 6}, {"correctness": 7, "completeness": 6}):
        judgements.append(usual | {"scores": usual["scores"] | changed})
    with tempfile.TemporaryDirectory() as folder:
        store = evenhand.open_store(f"{folder}/evenhand.db")
        cards = [
            evenhand.score(judgement, store=store, created=f"2026-11-{day:02}T12:00:00Z")
            for day, judgement in enumerate(judgements, start=1)
        ]
    return chart_picture("writing", skill_chart("writing", cards))


_TERMINALS = ("scorecard.svg", "pytest.svg", "github.svg", "mcp.svg")


def _told(path: Path, text: str) -> str:
    """What a file says: of a terminal's picture its words, since their placing is the drawing library's own affair."""
    return "\n".join(re.findall(r"<text[^>]*>([^<]*)</text>", text)) if path.name in _TERMINALS else text


def main() -> int:
    check = "--check" in sys.argv[1:]
    pictured = cache(scorecard_pictures)
    made: dict[str, Callable[[], str]] = {
        "reference/cli.md": cli_page,
        "reference/checks.md": checks_page,
        "reference/settings.md": settings_page,
        "reference/python.md": python_page,
        "images/scorecard.svg": lambda: pictured()[0],
        "images/scorecard.txt": lambda: pictured()[1],
        "images/history.svg": history_picture,
        "images/skill.svg": lambda: skill_picture(ROOT / "examples"),
        "images/hook.svg": hook_picture,
        "images/pytest.svg": pytest_picture,
        "images/github.svg": github_picture,
        "images/mcp.svg": mcp_picture,
    }
    stale = []
    for name in [name for name in sys.argv[1:] if name != "--check"] or made:
        target, text = ROOT / "docs" / name, made[name]()
        now = target.read_text(encoding="utf-8") if target.is_file() else ""
        if now == text or (check and _told(target, now) == _told(target, text)):
            continue
        stale.append(target.relative_to(ROOT).as_posix())
        if not check:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    if stale:
        print(f"{'out of date' if check else 'written'}: {', '.join(stale)}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
