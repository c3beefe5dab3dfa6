"""A run of a suite as one archive: everything its numbers come from, checked again wherever it is unpacked.

The archive is the same, byte for byte, for the same run. It holds scorecards with what was judged, results, rubrics,
the suite's files, recorded replies, settings and versions, and no secrets: a file with one is left out, and a
scorecard with one stops the packing.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from evenhand._version import __version__
from evenhand.core.rules import METHODOLOGY_VERSION
from evenhand.decisions.suite_run import SuiteRun
from evenhand.documents.scorecard import rubric_document
from evenhand.errors import InputError
from evenhand.files.documents import open_lines
from evenhand.files.text import readable
from evenhand.findings.safety.secrets import secrets_in
from evenhand.in_words import counted
from evenhand.reports.exchange.decision_tables import tables_csv
from evenhand.rubrics.resolved import rubric_used
from evenhand.store.databases.sqlite_store import SqliteStore
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.store.stored_cards import card_of
from evenhand.store.tables.suites import StoredSuite, SuiteResultRow
from evenhand.store.transfer import exported, import_lines
from evenhand.suites.judgement.run_judgements import with_numbers
from evenhand.suites.results.judge_decisions import judge_decisions
from evenhand.suites.results.suite_results import stored_run
from evenhand.work.agent_run import CaseResult

FORMAT = "evenhand run archive, version 1"
MANIFEST, EVALUATIONS, TABLE = "manifest.json", "evaluations.jsonl", "table.csv"
_LARGEST = 10_000_000
"""Bytes of a file beside the suite that is packed."""
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)


class Packed(NamedTuple):
    """What an archive holds."""

    run: str
    evaluations: int
    files: int
    notes: tuple[str, ...]
    """What was left out, and why."""


class Unpacked(NamedTuple):
    """What was reproduced from an archive."""

    run: str
    store: str
    evaluations: int
    """Scorecards that were computed again from the judges' scores, and came out the same."""
    results: int
    """Results that follow from those scorecards."""


def pack(store: Store, name: str, target: Any, *, suite: Path | None = None, replies: Path | None = None) -> Packed:
    """Write the archive of a stored run to an open file; `suite` is its file, `replies` what a run recorded."""
    opened = stored_run(store, name)
    results = list(opened.results)
    records = list(_records(store, results))
    _refuse_secrets(records)
    notes: list[str] = []
    missing = sum(result.evaluation is not None for result in results) - len(records)
    if missing:
        verb = "is" if missing == 1 else "are"
        notes.append(f"{counted(missing, 'scorecard')} of the run {verb} not in the store")
    contents = {
        EVALUATIONS: "".join(exported(records, _rows(store, opened.run))).encode(),
        TABLE: _table(opened.run, results, store),
        **_rubrics(records, notes),
        **_settings(notes),
    }
    if suite is not None:
        contents |= _files(suite.parent, "suite", notes)
    if replies is not None:
        contents |= _files(replies, "replies", notes)
    manifest = _manifest(opened.run, contents, notes)
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for path, content in {MANIFEST: manifest, **dict(sorted(contents.items()))}.items():
            archive.writestr(ZipInfo(path, _FIRST_DAY), content, ZIP_DEFLATED)
    return Packed(opened.run.id, len(records), len(contents), tuple(notes))


def unpack(source: str, folder: Path) -> Unpacked:
    """Write an archive's files into a new folder, and compute everything again. InputError when a number differs."""
    contents, manifest = _contents(source)
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise InputError(f"{folder} already exists; name a new folder") from None
    for path, content in contents.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    address = folder / "evenhand.db"
    store = SqliteStore(address)
    try:
        imported = import_lines(store, open_lines(str(folder / EVALUATIONS)))  # verifies every scorecard
        opened = stored_run(store, manifest["run"])
        results = list(opened.results)
        for result in results:
            _refuse_other_numbers(store, result)
        if _table(opened.run, results, store) != contents[TABLE]:
            raise InputError(f"{source}: the table comes out differently; it was packed by evenhand {_maker(manifest)}")
    finally:
        store.close()
    return Unpacked(opened.run.id, str(address), imported.added, len(results))


def _maker(manifest: dict[str, Any]) -> str:
    return str(manifest.get("versions", {}).get("evenhand", "of an unknown version"))


def _records(store: Store, results: Iterable[CaseResult]) -> Iterator[Record]:
    for result in results:
        record = None if result.evaluation is None else store.find(result.evaluation, None)
        if record is not None:
            yield record


def _rows(store: Store, run: SuiteRun) -> Iterator[tuple[str, dict[str, Any]]]:
    row = store.suite_run(run.id)
    assert row is not None
    yield "suite_runs", StoredSuite._asdict(row)
    for result in store.suite_results(run.id):
        yield "suite_results", SuiteResultRow._asdict(result)


def _table(run: SuiteRun, results: list[CaseResult], store: Store) -> bytes:
    return tables_csv(judge_decisions(run, results, store)).encode()


def _refuse_other_numbers(store: Store, result: CaseResult) -> None:
    """InputError when a result does not follow from its scorecard."""
    record = None if result.evaluation is None else store.find(result.evaluation, None)
    if record is not None and with_numbers(result, card_of(record)) != result:
        raise InputError(
            f"the result of {', '.join(map(str, result.id))} does not follow from its scorecard {record.id}"
        )


def _refuse_secrets(records: Iterable[Record]) -> None:
    for record in records:
        for kind, *_ in secrets_in(f"{record.scorecard}\n{record.submission or ''}"):
            raise InputError(
                f"the evaluation {record.id} holds what looks like a secret ({kind}); a scorecard cannot be "
                "changed, so no archive is written"
            )


def _rubrics(records: Iterable[Record], notes: list[str]) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    for record in records:
        path = f"rubrics/{record.rubric}-{record.rubric_sha256[:12]}.json"
        if path in contents or any(path in note for note in notes):
            continue
        rubric = rubric_used(card_of(record))
        if rubric is None:
            notes.append(
                f"{path}: the rubric with this hash is not on this machine; its hash and weights are on the scorecards"
            )
        else:
            contents[path] = _json(rubric_document(rubric))
    return contents


def _settings(notes: list[str]) -> dict[str, bytes]:
    path = Path("evenhand.toml")
    return _one(path, f"settings/{path}", notes) if path.is_file() else {}


def _files(folder: Path, inside: str, notes: list[str]) -> dict[str, bytes]:
    """The files below a folder, or one file; hidden ones and large ones are left out."""
    if folder.is_file():
        return _one(folder, f"{inside}/{folder.name}", notes)
    contents: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(part.startswith(".") for part in parts):
            contents |= _one(path, str(PurePosixPath(inside, *parts)), notes)
    return contents


def _one(path: Path, name: str, notes: list[str]) -> dict[str, bytes]:
    if path.stat().st_size > _LARGEST:
        notes.append(f"{name}: left out, larger than {_LARGEST:,} bytes")
        return {}
    content = path.read_bytes()
    kind = next((kind for kind, *_ in secrets_in(content.decode(errors="replace"))), None)
    if kind is not None:
        notes.append(f"{name}: left out, holds what looks like a secret ({kind})")
        return {}
    return {name: content}


def _manifest(run: SuiteRun, contents: dict[str, bytes], notes: list[str]) -> bytes:
    return _json(
        {
            "format": FORMAT,
            "run": run.id,
            "suite": run.suite,
            "suite_sha256": run.sha256,
            "variants": list(run.variants),
            "judges": list(run.judges),
            "versions": {
                "evenhand": __version__,
                "methodology": METHODOLOGY_VERSION,
                "python": platform.python_version(),
            },
            "files": {name: sha256(content).hexdigest() for name, content in sorted(contents.items())},
            "notes": notes,
        }
    )


def _contents(source: str) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The files of an archive, each with the hash that its manifest states."""
    try:
        with readable(source):
            archive = ZipFile(source)
        with archive:
            contents = {info.filename: archive.read(info) for info in archive.infolist() if not info.is_dir()}
        manifest = json.loads(contents.pop(MANIFEST))
    except (OSError, BadZipFile, KeyError, ValueError):
        raise InputError(f"{source} is not an archive that evenhand run pack wrote") from None
    stated = manifest.get("files", {}) if manifest.get("format") == FORMAT else {}
    for path, content in contents.items():
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts or "\\" in path:
            raise InputError(f"{source}: the name {path} leads out of the folder")
        if stated.get(path) != sha256(content).hexdigest():
            raise InputError(f"{source}: {path} was changed since it was packed")
    if stated.keys() != contents.keys() or not {EVALUATIONS, TABLE} <= contents.keys():
        raise InputError(f"{source} is not complete: a file that its manifest lists is missing")
    return contents, manifest


def _json(document: Any) -> bytes:
    return (json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()
