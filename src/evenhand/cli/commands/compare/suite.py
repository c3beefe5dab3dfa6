"""evenhand run new, check, audit, import: suites before they are run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.commands.compare.suite_adherence import show_adherence
from evenhand.cli.commands.compare.suite_pack import unpack
from evenhand.cli.commands.compare.suite_results import keep_plugin_results, merge_shards
from evenhand.cli.judge_options import model_options
from evenhand.cli.output_option import STDOUT, output_option, written_into
from evenhand.cli.presenter import format_option, present, write
from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import BAD_INPUT, DONE, SAID_NO, complain, say, store_option
from evenhand.errors import InputError
from evenhand.in_words import counted
from evenhand.reports.tree import Head, Item, Items, Line, Node, Report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenhand.core.scorecard import Scorecard
    from evenhand.suites.audit.flaws import Flaw, SuiteAudit
    from evenhand.work.submission import Submission

ROWS = 12
"""How many cases the terminal lists."""


@click.command()
@click.argument("folder", metavar="[FOLDER]", default=".")
@format_option()
def new(folder: str, format: str) -> None:
    """Start a suite: suite.yaml with comments, two cases, and recorded outputs to try it on.

    It works at once, without an agent, a key or a network. What exists is never overwritten.

    \b
    Examples:
      evenhand run new
      evenhand run new evals
    """
    from evenhand.suites.new_suite import new_suite
    from evenhand.work.names import slug

    path = Path(folder)
    files = [str(file) for file in new_suite(path, slug(path.absolute().name) or "my-suite")]
    present(format, lambda: {"files": files}, plain=lambda: files)
    say(f"edit it, then: evenhand run check {path / 'suite.yaml'}")


@click.command()
@click.argument("file", metavar="FILE")
@format_option()
def check(file: str, format: str) -> int:
    """Check a suite, and show what was understood: cases, variants, the number of runs, warnings.

    Nothing is run and no model is asked.

    \b
    Examples:
      evenhand run check suite.yaml
      evenhand run check suite.yaml --format json

    Exit code 2 when something is wrong; every problem is reported at once, with its file and line.
    """
    from evenhand.suites.checked_suite import read_suite
    from evenhand.suites.overview import overview

    document = overview(read_suite(file))
    present(format, lambda: document, plain=lambda: _lines(document))
    if format in ("terminal", "markdown"):
        for warning in document["warnings"]:
            say(f"warning: {warning}")
    return DONE


@click.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--judge", "judges", metavar="SPEC", multiple=True,
    help="Who decides sentences; repeat it for a panel. Without it they are left out.",
)  # fmt: skip
@click.option(
    "--adherence", is_flag=True,
    help="Show how far kept runs follow their own variant's skill instead, rule by rule; needs --judge.",
)  # fmt: skip
@setting_option("run.runs")
@click.option("--variant", "variants", metavar="NAME", multiple=True, help="With --adherence: only this variant.")
@click.option("--yes", is_flag=True, help="Ask the judges without asking first.")
@click.option("--dry-run", is_flag=True, help="Show what the judges would cost, and stop.")
@model_options("run")
@store_option
@format_option()
def audit(
    file: str,
    judges: tuple[str, ...],
    adherence: bool,
    runs: str | None,
    variants: tuple[str, ...],
    yes: bool,
    dry_run: bool,
    store: str | None,
    format: str,
    **asking: Any,
) -> int:
    """Find cases that can be passed without doing the work, and expectations that cannot fail.

    Each case is tried with agents that do nothing, print nothing, repeat the task, praise themselves, print what they
    find in their files and their skill, or edit the tests. Also found are expectations that cannot fail, references
    that do not meet them, duplicates, and cases copied from the skill. Sentences are left out and counted, unless
    --judge names who decides them: then the plan shows the cost. Commands run only
    with judge.run_commands.

    \b
    Examples:
      evenhand run audit suite.yaml
      evenhand run audit suite.yaml --set judge.run_commands=true --format markdown
      evenhand run audit suite.yaml --judge auto
      evenhand run audit suite.yaml --adherence --judge auto

    Exit code 1 when a problem was found.
    """
    if adherence:
        if not judges:
            raise click.UsageError("--adherence needs someone who reads the outputs; give --judge.")
        return show_adherence(
            file, judges=judges, variants=variants, runs=runs, yes=yes, dry_run=dry_run, store=store, format=format,
            asking=asking,
        )  # fmt: skip
    if runs is not None or variants:
        raise click.UsageError("run.runs and --variant go with --adherence.")
    from evenhand.files import codec
    from evenhand.suites.audit.audited_suite import audit_suite
    from evenhand.suites.checked_suite import read_suite

    suite = read_suite(file)
    if judges:
        from evenhand.cli.sentence_run import Declined, read_sentences

        def reader(works: Sequence[Submission]) -> list[bool]:
            return [
                _is_met(card)
                for card in read_sentences(judges, works, asking, store=store, format=format, dry_run=dry_run, yes=yes)
            ]

        try:
            found = audit_suite(suite, run_commands=bool(asking["run_commands"]), reader=reader)
        except Declined:
            return DONE
    elif dry_run or yes:
        raise click.UsageError("--dry-run and --yes go with --judge; without one nothing is asked.")
    else:
        found = audit_suite(suite, run_commands=bool(asking["run_commands"]))
    present(
        format,
        lambda: codec.document(found, "evenhand/suite-audit/v1"),
        report=lambda: _audit_report(found),
    )
    return SAID_NO if found.problems else DONE


def _is_met(card: Scorecard | InputError) -> bool:
    """Whether a judge says that an output meets every sentence."""
    expected = () if isinstance(card, InputError) or card.checked is None else card.checked.expectations
    return bool(expected) and all(expectation.result == "met" for expectation in expected)


@click.command("import")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@output_option("For an archive: the new folder.")
@click.option("--save", is_flag=True, help="For results of shards: also store the merged run.")
@store_option
@format_option()
def import_(
    files: tuple[str, ...], into: str | None, overwrite: bool, save: bool, store: str | None, format: str
) -> int:
    """Make a suite from another tool's, merge the results of shards, or unpack an archive of a run.

    From promptfoo configurations, waza's eval.yaml and a plugin's evals/ folder, the common part is imported: prompts
    or tasks, models, tests with their variables, assertions that can be decided here, repeats and time limits. What was
    left out or changed is listed on standard error with its line. An evals.json of skill-creator needs no import: name
    it under cases.

    Files of results, .jsonl, are merged into one run, whatever their order; those of different suites are refused.
    promptfoo's results.json is read as a finished run: its assertions decided, and nothing is judged again. So is
    an aggregate-result.json of claude plugin eval. An archive, .zip, is unpacked into a new folder, where every
    number is computed again.

    \b
    Examples:
      evenhand run import promptfooconfig.yaml -o suite.yaml
      evenhand run import my-plugin/evals -o suite.yaml
      evenhand run import results-*.jsonl -o results.jsonl --save
      evenhand run import results.json -o results.jsonl
      evenhand run import study.zip -o study

    Exit code 2 when the suite that was written still has mistakes, which are listed, or a number comes out differently.
    """
    if files[0].endswith(".zip"):
        if len(files) > 1 or into is None:
            raise click.UsageError("an archive is unpacked into a new folder: evenhand run import ARCHIVE -o FOLDER.")
        unpack(files[0], into, format)
        return DONE
    from evenhand.suites.importing.claude_plugin_results import are_plugin_results
    from evenhand.suites.importing.promptfoo_results import are_promptfoo_results

    if are_plugin_results(files):
        keep_plugin_results(files, into=into, overwrite=overwrite, save=save, store=store)
        return DONE
    if files[0].endswith(".jsonl") or are_promptfoo_results(files[0]):
        merge_shards(files, into=into, overwrite=overwrite, save=save, store=store)
        return DONE
    if len(files) > 1 or save:
        raise click.UsageError("one suite is imported at a time; several files, and --save, are for results of shards.")
    return _import_suite(files[0], into, overwrite)


def _import_suite(file: str, into: str | None, overwrite: bool) -> int:
    """Make a suite from another tool's."""
    from evenhand.suites.importing.claude_plugin_evals import imported_suite
    from evenhand.suites.importing.known_tools import import_suite

    target = None if into in (None, STDOUT) else Path(into)
    read = imported_suite if Path(file).is_dir() else import_suite
    with written_into(into, overwrite=overwrite, keeps_own=True):
        imported = read(file, Path() if target is None else target.parent)
        write(imported.text)
    for note in imported.notes:
        say(str(note))
    say(f"from {imported.tool}: cases {imported.cases}, variants {imported.variants}")
    if target is not None and target.is_file():
        return _checked(target)
    return DONE if imported.variants else BAD_INPUT


def _checked(target: Path) -> int:
    """Read what was written, so that a mistake is known now."""
    from evenhand.suites.checked_suite import read_suite

    try:
        read_suite(target)
    except InputError as error:
        complain(error)
        return BAD_INPUT
    return DONE


def _audit_report(found: SuiteAudit) -> Report:
    """The answer, an entry for each problem, what was left out."""
    problems = tuple(
        Item(
            head=f"{', '.join(flaw.cases)}: {flaw.kind} ({_where(flaw)})",
            below=(Line(f"{flaw.problem} {flaw.change}"),),
            mark="bad",
        )
        for flaw in found.problems
    )
    nodes: list[Node] = [Head(title=_answer(found)), *([Items(problems)] if problems else [])]
    return Report("Audit of a suite", (*nodes, *map(Line, _left_out(found))))


def _answer(found: SuiteAudit) -> str:
    """What an audit comes to, in a sentence."""
    tried, passed = found.cases - found.not_tried, len(found.passed)
    some = f"{passed} of {counted(tried, 'case')}" if passed else f"None of the {counted(tried, 'case')}"
    answer = f"{some} can be passed without doing the work" if tried else "No case could be tried"
    if tried == 1 and not passed:
        answer = "The one case that was tried cannot be passed without doing the work"
    others = len({case for flaw in found.problems for case in flaw.cases} - set(found.passed))
    if others and passed:
        return f"{answer}, and {counted(others, 'other')} {'has a problem' if others == 1 else 'have problems'}."
    if others:
        return f"{answer}, but {others} {'has another problem' if others == 1 else 'have other problems'}."
    return f"{answer}." if found.problems else f"{answer}, and no other problem was found."


def _left_out(found: SuiteAudit) -> list[str]:
    lines = []
    if found.sentences:
        lines.append(f"Left out: {counted(found.sentences, 'expectation')} in words, which only a judge decides.")
    if found.commands:
        commands = counted(found.commands, "command or script", "commands and scripts")
        lines.append(f"Left out: {commands}; --set judge.run_commands=true runs them.")
    if found.not_tried:
        lines.append(
            f"Not tried, because nothing else decides them: {found.not_tried} of {counted(found.cases, 'case')}."
        )
    return lines


def _where(flaw: Flaw) -> str:
    file = flaw.file.removeprefix(f"{Path.cwd()}/")
    return file if flaw.line is None else f"{file}:{flaw.line}"


def _lines(document: dict[str, Any]) -> list[str]:
    """The overview for a terminal."""
    cases, variants = document["cases"], document["variants"]
    judges = ", ".join(document["judges"]) or "none: checks and expectations alone"
    counts = (len(cases), "case"), (len(variants), "variant"), (document["repeats"], "repeat")
    times = ", ".join(counted(*count) for count in counts)
    lines = [
        f"suite {document['suite']}",
        f"judges: {judges}",
        *([f"calibration: {document['calibration']}"] if document["calibration"] else []),
        f"runs: {document['runs']} ({times})",
        "",
        "variants:",
    ]
    for variant in variants:
        skill = f", with {variant['skill']}" if variant["skill"] else ""
        against = " (the others are compared with it)" if variant["name"] == document["compare_with"] else ""
        line = f"  {variant['name']}{against if len(variants) > 1 else ''}: {variant['does']}{skill}"
        is_script = variant["does"].startswith("shell: ")  # shown as it is: without a path it would do another thing
        lines.append(line if is_script else line.replace(f"{Path.cwd()}/", ""))
    lines += ["", "cases:"]
    for case in cases[:ROWS]:
        facts = [*case["tags"]]
        facts += [f"weight {case['weight']}"] if case["weight"] != 1 else []
        facts += ["files"] if case["files"] else []
        facts += ["expectations"] if case["expectations"] else []
        lines.append(f"  {case['id']}{': ' if facts else ''}{', '.join(facts)}")
    if len(cases) > ROWS:
        lines.append(f"  and {len(cases) - ROWS} more")
    return lines


COMMANDS = (new, check, audit, import_)
