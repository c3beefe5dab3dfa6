"""evenhand store: the place where evaluations are kept."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.presenter import format_option, harmless_json, present
from evenhand.cli.progress import with_progress
from evenhand.cli.shared import DONE, SAID_NO, CommandGroup, needed_store, say, store_option
from evenhand.errors import InputError
from evenhand.files.output_files import OutputFile
from evenhand.files.text import STDIN
from evenhand.in_words import counted

if TYPE_CHECKING:
    from evenhand.store.databases.sqlite_store import SqliteStore

_COPY = ".db"
"""The ending of a copy of a SQLite store."""


@click.group("store", cls=CommandGroup)
def command() -> None:
    """The place where evaluations are kept.

    A SQLite file in the project by default, made on the first write; PostgreSQL for teams.

    \b
    Examples:
      evenhand store check
      evenhand store export evaluations-backup.db
      evenhand store export evaluations.jsonl
      evenhand store create --store postgresql://host/evaluations
      evenhand store import .evenhand/evenhand.db --store postgresql://host/evaluations
    """


@command.command()
@store_option
def create(store: str | None) -> int:
    """Make the store's tables. A SQLite file gets them on the first write; a PostgreSQL server only on this request.

    \b
    Example:
      evenhand store create --store postgresql://host/evaluations
    """
    kept = needed_store(store)
    say(f"{kept.url}: {'its tables were made' if kept.create() else 'it has its tables already'}")
    return DONE


@command.command()
@click.option(
    "--repair",
    is_flag=True,
    help="Write what is sound into a new SQLite file beside a damaged one, which stays as it is.",
)
@store_option
@format_option()
def check(store: str | None, repair: bool, format: str) -> int:
    """Check that the store is sound, and that every scorecard in it still verifies. Lists everything that is wrong.

    \b
    Examples:
      evenhand store check
      evenhand store check --repair

    Exit code 1 when anything is wrong; with --repair, when something could not be saved.
    """
    from evenhand.store.databases.sqlite_store import SqliteStore
    from evenhand.store.soundness import EVALUATIONS, examine

    kept = needed_store(store)
    if repair and not isinstance(kept, SqliteStore):
        raise InputError(
            "--repair is for SQLite files; save what is sound with: evenhand store export FILE --sound, "
            "and import it into an empty database"
        )
    wrong = kept.check()
    count = 0
    if not isinstance(kept, SqliteStore) or kept.exists:
        for item in with_progress(examine(kept)):
            count += item.table == EVALUATIONS
            wrong += [f"{item.name}: {problem}" for problem in item.problems]
        with kept.snapshot():
            wrong += kept.wrong_windows()
    for problem in wrong:
        say(f"wrong: {problem}")
    state = "sound" if not wrong else counted(len(wrong), "problem")
    lines = [f"{kept.url}: {counted(count, 'evaluation')}, {state}"]
    document = {"store": kept.url, "evaluations": count, "sound": not wrong, "wrong": wrong}
    if repair and wrong and isinstance(kept, SqliteStore) and kept.exists:
        return _repair(kept, lines, document, format)
    present(format, lambda: document, plain=lambda: lines)
    return SAID_NO if wrong else DONE


def _repair(kept: SqliteStore, lines: list[str], document: dict[str, Any], format: str) -> int:
    """Save what is sound, and say what was not and how to go on."""
    from evenhand.store.soundness import repair

    repaired = repair(kept)
    for line in repaired.lost:
        say(f"not saved: {line}")
    beside = f" and {counted(repaired.rows, 'other row')}" if repaired.rows else ""
    saved = f"{repaired.path}: {counted(repaired.evaluations, 'evaluation')}{beside} saved"
    if repaired.lost:
        saved += f", {len(repaired.lost)} not saved"
    steps = [
        f"{kept.url} stays as it is. Look at the new file with: evenhand store check --store {repaired.path}",
        "To use it, move the damaged file and those beside it (-wal, -shm) away, then give the new one its name.",
    ]
    document |= {
        "repaired": str(repaired.path),
        "saved": {"evaluations": repaired.evaluations, "rows": repaired.rows},
        "mended": repaired.mended,
        "lost": repaired.lost,
    }
    present(format, lambda: document, plain=lambda: [*lines, saved, *steps])
    return SAID_NO if repaired.lost else DONE


@command.command("export")
@click.argument("target", metavar="FILE")
@click.option("--sound", is_flag=True, help="Leave out what is damaged, and list it, instead of stopping there.")
@store_option
def export(target: str, sound: bool, store: str | None) -> int:
    """Write everything in the store as lines of JSON, or copy a SQLite store to a new file whose name ends with .db.

    The copy may be made while the store is in use. '-' is standard output. In lines, evaluations come first, oldest
    first, then labels, rounds of review, suites, judges' cards and anchors. The last line counts them.

    \b
    Examples:
      evenhand store export evaluations.jsonl
      evenhand store export evaluations.jsonl --sound
      evenhand store export evaluations-backup.db

    Exit code 1 when --sound left something out.
    """
    from evenhand.store.databases.sqlite_store import SqliteStore
    from evenhand.store.transfer import exported

    kept = needed_store(store)
    if target.endswith(_COPY):
        if sound:
            raise InputError("--sound writes lines of JSON; name the file FILE.jsonl")
        if not isinstance(kept, SqliteStore):
            raise InputError("a PostgreSQL store is copied with pg_dump, or as lines: evenhand store export FILE.jsonl")
        kept.backup(target)
        print(target)
        return DONE
    if isinstance(kept, SqliteStore) and not kept.exists:
        raise InputError(f"{kept.url}: there is no store to export")
    left_out: list[str] = []
    if sound:
        from evenhand.store.soundness import sound_evaluations, sound_rows

        whole = exported(sound_evaluations(kept, left_out), sound_rows(kept, left_out))
    else:
        whole = exported(kept.evaluations(), kept.kept_rows())
    lines = with_progress(whole, quiet=target == STDIN)
    if target == STDIN:
        shown = sys.stdout.isatty()  # a program gets the bytes that a file would
        sys.stdout.buffer.writelines((harmless_json(line) if shown else line).encode() for line in lines)
    else:
        # For its owner only: an export holds what was judged.
        with OutputFile(target, refusal="already exists; name a new file", private=True).open() as file:
            file.writelines(line.encode() for line in lines)
        print(target)
    for problem in left_out:
        say(f"wrong: {problem}")
    return SAID_NO if left_out else DONE


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
    from evenhand.files.documents import open_lines
    from evenhand.store.databases.sqlite_file import is_sqlite
    from evenhand.store.databases.sqlite_store import SqliteStore
    from evenhand.store.transfer import import_lines, import_records

    kept = needed_store(store)
    if source != STDIN and is_sqlite(source):
        source_store = SqliteStore(source)
        imported = import_records(kept, with_progress(source_store.evaluations()), source_store.kept_rows())
    else:
        imported = import_lines(kept, with_progress(open_lines(source)))
    added, known, rows_added, rows_known = imported
    beside = f"; beside evaluations {rows_added} added, {rows_known} were there already"
    line = f"{added} added, {known} were there already{beside if rows_added or rows_known else ''}"
    present(format, imported._asdict, plain=lambda: [line])
