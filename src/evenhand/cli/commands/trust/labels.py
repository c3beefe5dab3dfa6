"""evenhand trust labels: what people said, joined to what was judged."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click

from evenhand.cli.commands.trust.table_options import all_ratings, rater_option, table_options
from evenhand.cli.presenter import format_option, lone, markdown_table, one_line, present, write
from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import BAD_INPUT, DONE, CommandGroup, needed_store, say, store_option, with_options
from evenhand.errors import Problem
from evenhand.in_words import counted
from evenhand.trust.labels.label_import import LabelImport
from evenhand.work.label import RATING

_LISTED = 20
"""How many problems of a kind are listed one by one; --format json has all."""


@click.group("labels", cls=CommandGroup)
def command() -> None:
    """People's judgements: import them, list them, write them out again.

    \b
    Examples:
      evenhand trust labels import labels.csv
      evenhand trust labels list
      evenhand trust agree
    """


@command.command("import")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@rater_option
@click.option("--field", metavar="FIELD", default=RATING, show_default=True, help="What raters in columns gave.")
@click.option(
    "--rule",
    "rules",
    metavar="[FIELD=]RULE",
    multiple=True,
    help="How that scale becomes 1 to 10: linear, inverted (the lowest is the best), or pairs such as 1=2,2=4 or "
    "poor=2,good=9. Never without a rule.",
)
@setting_option("labels.join")
@table_options
@click.option("--dry-run", is_flag=True, help="Read and join, list every problem, store nothing.")
@setting_option("labels.skip_bad", default=False)
@store_option
@format_option()
def import_(files: tuple[str, ...], store: str | None, format: str, **more: Any) -> int:
    """Read people's judgements from tables and join them to evaluations.

    FILE is CSV (any common separator), JSON, JSONL or Parquet, also in gzip. Either every row is one rater's judgement
    of one item, with columns for the item, the rater and the values; or every row is an item and every column a rater,
    or a list of values by several. Labels are kept apart from evaluations: they never enter a skill's history.

    Conflicts, duplicates and values off the scale are listed with their line, and then nothing is stored. Items that
    no one has judged yet are listed and stored; they join as soon as an evaluation has their id, submission, text or
    file. Of several files, all are stored or none.

    \b
    Examples:
      evenhand trust labels import labels.csv --dry-run
      evenhand trust labels import labels.csv --map case=item --map ana=human:ana:final
      evenhand trust labels import survey.csv --field final --scale 1-5 --rule linear
      evenhand trust labels import judgements.jsonl --set labels.join=submission
      evenhand trust labels import ana.csv bob.csv --rater ana --rater bob --set labels.join=file
      evenhand trust labels import other.csv --rater judge:other-model --field final
      evenhand trust labels import wide.csv --map "{field}_{rater}" --scale 1-5
      evenhand trust labels import summaries.jsonl --map doc=item --map model=item --map experts.tone=tone

    Exit code 2 if any row was refused.
    """
    from evenhand.trust.labels.label_import import import_files

    tables = all_ratings(files, more, raters=more["raters"], field=more["field"], join=more["join"])
    results = import_files(
        needed_store(store),
        tables,
        scales=more["scales"],
        rules=more["rules"],
        dry_run=more["dry_run"],
        skip_bad=more["skip_bad"],
    )
    for result in results:
        _list("error", result.problems)
        if result.unmatched and len(result.unmatched) == result.items:
            say(f"unmatched: no evaluation in the store has any of the {result.items} items yet")
            _list("unmatched", [problem for problem in result.unmatched if "`" in problem.message][:1])
        else:
            _list("unmatched", result.unmatched)
        for note in result.notes:
            say(f"note: {note}")
    names = [f"{result.source}: " if len(results) > 1 else "" for result in results]
    present(
        format,
        lambda: lone([_document(result) for result in results]),
        plain=lambda: (name + line for name, result in zip(names, results, strict=True) for line in _lines(result)),
    )
    wrong = any(result.problems for result in results)
    if wrong and not any(result.added for result in results) and not more["dry_run"]:
        say("nothing was stored; correct the rows above, or use --set labels.skip_bad=true to leave them out")
    return BAD_INPUT if wrong else DONE


@command.command("doctor")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@rater_option
@click.option("--field", metavar="FIELD", default=RATING, show_default=True, help="What raters in columns gave.")
@click.option("--cluster", metavar="COLUMN", help="The case or task of each item.")
@table_options
@format_option()
def doctor(files: tuple[str, ...], format: str, **more: Any) -> int:
    """Show what a file holds, before anything is imported, and what could be computed from it.

    Columns with their values; what the table is read as with these options; scale, raters and items of each
    field; the coefficients that have a value. What keeps it from being read is shown with the option that
    helps. Nothing is stored.

    \b
    Examples:
      evenhand trust labels doctor labels.csv
      evenhand trust labels doctor bench.json --set labels.each=instances --map id=item

    Exit code 2 if the file cannot be read as it is.
    """
    from evenhand.files import codec
    from evenhand.trust.label_doctor import SCHEMA, diagnose, diagnose_together, diagnosis_lines

    tables = all_ratings(files, more, raters=more["raters"], field=more["field"])
    diagnoses = [diagnose(table, options, cluster=more["cluster"]) for table, options in tables]
    wrong = any(diagnosis.problems for diagnosis in diagnoses)
    together = diagnose_together(tables, cluster=more["cluster"]) if len(tables) > 1 and not wrong else []
    lines = [line for diagnosis in diagnoses for line in (*diagnosis_lines(diagnosis), "")][:-1]
    present(
        format,
        lambda: lone([codec.document(diagnosis, SCHEMA) for diagnosis in diagnoses]),
        plain=lambda: map(with_options, [*lines, *(["", *together] if together else [])]),
    )
    return BAD_INPUT if wrong else DONE


@command.command("list")
@click.option("--field", "fields", metavar="FIELD", multiple=True, help="Only this field.")
@click.option("--rater", "raters", metavar="NAME", multiple=True, help="Only this rater, as in human:ana.")
@click.option("--all", "every", is_flag=True, help="Every label as a line of JSON, with where it came from.")
@store_option
@format_option()
def list_(fields: tuple[str, ...], raters: tuple[str, ...], every: bool, store: str | None, format: str) -> None:
    """Show which labels the store has: how many of each field by each rater, and on which scale.

    \b
    Examples:
      evenhand trust labels list --field final
      evenhand trust labels list --all > labels.jsonl
    """
    if every:
        from evenhand.trust.labels.label_export import label_document

        for label in needed_store(store).labels(fields=fields, raters=raters):
            write(one_line(label_document(label)))
        sys.stdout.flush()
        return
    counts: dict[tuple[str, str, str], int] = {}
    for label in needed_store(store).labels(fields=fields, raters=raters):
        key = (label.field, label.rater, label.scale)
        counts[key] = counts.get(key, 0) + 1
    rows = [
        {"field": field, "rater": rater, "scale": scale, "labels": count}
        for (field, rater, scale), count in sorted(counts.items())
    ]
    if not rows:
        say("no labels yet; add some with: evenhand trust labels import FILE")
    cells = [tuple(map(str, row.values())) for row in rows]
    headings = ("field", "rater", "scale", "labels")
    present(
        format,
        lambda: rows,
        terminal=lambda: _aligned([headings, *cells]) if rows else "",
        markdown=lambda: markdown_table(headings, cells) if rows else "",
    )


def _list(kind: str, problems: Iterable[Problem]) -> None:
    listed = list(problems)
    for problem in listed[:_LISTED]:
        say(f"{kind}: {problem}")
    if len(listed) > _LISTED:
        say(f"{kind}: and {len(listed) - _LISTED} more (all with --format json)")


def _lines(result: LabelImport) -> list[str]:
    layout = result.layout
    added = (
        f"{counted(len(result.labels), 'label')} would be added"
        if result.dry_run
        else f"{counted(result.added, 'label')} added"
    )
    return [
        f"read as {layout.shape}: {counted(result.items, 'item')}, raters {_few(result.raters) or 'none'}, "
        f"fields {', '.join(result.fields) or 'none'}, {layout.missing} missing",
        *([f"columns left out: {', '.join(layout.ignored)}"] if layout.ignored else []),
        f"{added}, {counted(result.known, 'was', 'were')} there already, {len(result.problems)} refused, "
        f"{counted(len(result.unmatched), 'item')} not judged yet",
    ]


def _few(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 8 else f"{', '.join(names[:5])} and {len(names) - 5} more"


def _document(result: LabelImport) -> dict[str, Any]:
    return {
        "schema": "evenhand/label-import/v1",
        "source": result.source,
        "read_as": result.layout.shape,
        "item_column": result.layout.item or None,
        "joined_by": result.layout.kind,
        "ignored_columns": list(result.layout.ignored),
        "items": result.items,
        "raters": list(result.raters),
        "fields": list(result.fields),
        "missing": result.layout.missing,
        "added": result.added,
        "known": result.known,
        "problems": [_placed(problem) for problem in result.problems],
        "unmatched": [_placed(problem) for problem in result.unmatched],
        "notes": list(result.notes),
    }


def _placed(problem: Problem) -> dict[str, Any]:
    return {"message": problem.message, "file": problem.source, "line": problem.line}


def _aligned(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "".join(f"{line}\n" for line in lines)
