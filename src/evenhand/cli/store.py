"""evenhand store: the place where evaluations are kept."""

from __future__ import annotations

import sys
from typing import Any

import click

from evenhand.cli.progress import counted
from evenhand.cli.shared import (
    DONE,
    SAID_NO,
    format_option,
    harmless_json,
    indented,
    needed_store,
    one_line,
    say,
    store_option,
    write,
)
from evenhand.errors import InputError
from evenhand.output_files import OutputFile
from evenhand.reading.text import STDIN


@click.group("store")
def command() -> None:
    """The place where evaluations are kept.

    A SQLite file in the project by default, made on the first write; PostgreSQL for teams.

    \b
    Examples:
      evenhand store check
      evenhand store backup evaluations-backup.db
      evenhand store export evaluations.jsonl
      evenhand store migrate --store postgresql://host/evaluations
      evenhand store import .evenhand/evenhand.db --store postgresql://host/evaluations
    """


@command.command()
@store_option
@format_option()
def migrate(store: str | None, format: str) -> None:
    """Bring the store's tables up to date. A SQLite file does so by itself; a PostgreSQL server only on this request.

    \b
    Example:
      evenhand store migrate --store postgresql://host/evaluations
    """
    kept = needed_store(store)
    ran = kept.migrate()
    message = "\n".join(f"ran {name}" for name in ran) if ran else f"{kept.url} is up to date"
    _answer(message, {"store": kept.url, "ran": ran}, format)


@command.command()
@store_option
@format_option()
def check(store: str | None, format: str) -> int:
    """Check that the store is sound, and that every scorecard in it still verifies.

    \b
    Example:
      evenhand store check

    Exit code 1 when anything is wrong.
    """
    from evenhand.store.transfer import check_record

    kept = needed_store(store)
    wrong = kept.check()
    count = 0
    if not wrong:
        for record in counted(kept.evaluations()):
            count += 1
            wrong += check_record(record)
    for problem in wrong:
        say(f"wrong: {problem}")
    state = "sound" if not wrong else f"{len(wrong)} things wrong"
    message = f"{kept.url}: {count} evaluation{'' if count == 1 else 's'}, {state}"
    _answer(message, {"store": kept.url, "evaluations": count, "sound": not wrong, "wrong": wrong}, format)
    return SAID_NO if wrong else DONE


@command.command()
@click.argument("target", metavar="FILE")
@store_option
def backup(target: str, store: str | None) -> None:
    """Copy a SQLite store to a new file, also while it is in use.

    \b
    Example:
      evenhand store backup evaluations-backup.db
    """
    from evenhand.store.sqlite import SqliteStore

    kept = needed_store(store)
    if not isinstance(kept, SqliteStore):
        raise InputError("a PostgreSQL store is backed up with pg_dump, or copied with: evenhand store export FILE")
    kept.backup(target)
    print(target)


@command.command("export")
@click.argument("target", metavar="FILE")
@store_option
def export(target: str, store: str | None) -> None:
    """Write everything in the store as lines of JSON; '-' is standard output.

    Evaluations come first, oldest first, then labels, rounds of review, suites, judges' cards and anchors. The last
    line counts them.

    \b
    Example:
      evenhand store export evaluations.jsonl
    """
    from evenhand.store.sqlite import SqliteStore
    from evenhand.store.transfer import exported

    kept = needed_store(store)
    if isinstance(kept, SqliteStore) and not kept.exists:
        raise InputError(f"{kept.url}: there is no store to export")
    lines = counted(exported(kept.evaluations(), kept.kept_rows()), quiet=target == STDIN)
    if target == STDIN:
        shown = sys.stdout.isatty()  # a program gets the bytes that a file would
        sys.stdout.buffer.writelines((harmless_json(line) if shown else line).encode() for line in lines)
        return
    # For its owner only: an export holds what was judged.
    with OutputFile(target, refusal="exists already; name a new file", private=True).open() as file:
        file.writelines(line.encode() for line in lines)
    print(target)


@command.command("import")
@click.argument("source", metavar="FILE")
@store_option
@format_option()
def import_(source: str, store: str | None, format: str) -> None:
    """Add what an exported JSONL file or another SQLite store holds, all or nothing.

    What is in the store already is passed over. Every scorecard is verified first.

    \b
    Examples:
      evenhand store import evaluations.jsonl
      evenhand store import .evenhand/evenhand.db --store postgresql://host/evaluations
    """
    from evenhand.reading.documents import open_lines
    from evenhand.store.sqlite import SqliteStore, is_sqlite
    from evenhand.store.transfer import import_lines, import_records

    kept = needed_store(store)
    if source != STDIN and is_sqlite(source):
        other = SqliteStore(source)
        imported = import_records(kept, counted(other.evaluations()), other.kept_rows())
    else:
        imported = import_lines(kept, counted(open_lines(source)))
    added, known, rows_added, rows_known = imported
    beside = f"; beside evaluations {rows_added} added, {rows_known} were there already"
    answer = f"{added} added, {known} were there already{beside if rows_added or rows_known else ''}"
    _answer(answer, imported._asdict(), format)


def _answer(message: str, document: dict[str, Any], format: str) -> None:
    """The result, in words or for a program."""
    if format == "json":
        write(indented(document))
    elif format == "jsonl":
        write(one_line(document))
    else:
        print(message)
