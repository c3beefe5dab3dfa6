"""evenhand run pack: a run as one archive, and its numbers computed again elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evenhand.cli.output_option import output_option, written_into
from evenhand.cli.presenter import format_option, present
from evenhand.cli.shared import needed_store, say, store_option
from evenhand.errors import InputError
from evenhand.in_words import counted

if TYPE_CHECKING:
    from evenhand.suites.results.suite_archive import Packed


@click.command()
@click.argument("run", metavar="RUN")
@click.option("--suite", metavar="FILE", help="The suite's file: the files of its folder are packed too.")
@click.option("--replies", metavar="FOLDER", help="What a run recorded with judge.record: packed too.")
@output_option("It is a .zip file.")
@store_option
@format_option()
def pack(
    run: str,
    suite: str | None,
    replies: str | None,
    into: str | None,
    overwrite: bool,
    store: str | None,
    format: str,
) -> None:
    """Write a run as one archive: scorecards, outputs, results, rubrics, settings, versions.

    Unpacked on any machine, even offline, it reproduces every number. Secrets are not packed: a file with one is left
    out and named, and a scorecard with one stops the packing.

    \b
    Examples:
      evenhand run pack latest -o study.zip
      evenhand run pack latest --suite evals/suite.yaml --replies replies -o study.zip
    """
    from evenhand.suites.results.suite_archive import pack as write_archive

    kept = needed_store(store)
    with written_into(into, overwrite=overwrite, keeps_own=True):
        if into is not None and Path(into).suffix.lower() not in ("", ".zip"):
            raise click.UsageError(f"{into}: an archive is a .zip file.")
        if sys.stdout.isatty():
            raise InputError("an archive is not text; name a file, such as -o study.zip")
        packed = write_archive(
            kept,
            run,
            sys.stdout.buffer,
            suite=None if suite is None else Path(suite),
            replies=None if replies is None else Path(replies),
        )
    for note in packed.notes:
        say(f"note: {note}")
    if into is not None and format != "terminal":
        present(format, lambda: {"file": into, **packed._asdict()}, plain=lambda: [_said(packed)])
    else:
        say(_said(packed))


def _said(packed: Packed) -> str:
    return f"packed: {counted(packed.evaluations, 'scorecard')}, {counted(packed.files, 'file')}"


def unpack(archive: str, folder: str, format: str) -> None:
    """Unpack an archive into a new folder, and compute every number again. No model is asked.

    Each scorecard is computed again from the judges' scores, each result from its scorecard, and the table from the
    results. InputError when anything comes out differently.
    """
    from evenhand.suites.results.suite_archive import unpack as read_archive

    unpacked = read_archive(archive, Path(folder))
    lines = [
        f"{counted(unpacked.evaluations, 'scorecard')} and {counted(unpacked.results, 'result')} computed again: "
        "all numbers are the same, and so is the table",
        f"evenhand run table {unpacked.run} --store {unpacked.store}",
    ]
    present(format, unpacked._asdict, plain=lambda: lines)


COMMANDS = (pack,)
