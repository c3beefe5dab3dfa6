"""Rubrics: the versions that evaluations used, and how two versions differ."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from evenhand.core.rubric import Rubric
from evenhand.documents.scorecard import rubric_document
from evenhand.judging.kept.rubric_texts import ABSENT, EMPTY, known_whole, rubric_differences, whole_rubric
from evenhand.judging.kept.rubric_versions import Difference, KnownVersion, known_version, version_differences
from evenhand.reports.charts import date_text
from evenhand.store.figures.newest import newest_records
from evenhand.store.protocol import Store
from evenhand.store.tables.browsed_lists import REACH, VersionCount
from evenhand.store.tables.filter import Filter
from evenhand.web.page import Page, Sheet
from evenhand.web.pages.judge_list import evaluations_key
from evenhand.web.pages.remembered import MOST, Remembered, of_evaluations
from evenhand.web.parameters import NotFound, Parameters
from evenhand.web.responses import page_route

LOOKED_AT: Final = REACH * 4
READ: Final = 50
"""Scorecards of a version that are read to learn what it says."""


def rubrics(store: Store, parameters: Parameters) -> Page:
    """Every rubric of the newest evaluations with its versions; or one of them, by its name."""
    return rubric(store, parameters) if parameters.text("name") else _all(store, parameters)


@of_evaluations
def _all(store: Store, parameters: Parameters) -> Page:
    rows = [_row(version) for version in _versions(store)]
    by_name: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_name.setdefault(row["rubric"], []).append(row)
    return Page(
        name="rubrics",
        title="Rubrics",
        template="rubrics.html",
        document={"versions": rows},
        sheet=Sheet(tuple(rows[0]) if rows else ("rubric",), [list(row.values()) for row in rows]),
        shown={"by_name": by_name, "looked_at": LOOKED_AT},
    )


def _versions(store: Store) -> list[VersionCount]:
    """The versions in use, remembered until there are other evaluations."""
    key = evaluations_key(store, "", LOOKED_AT)
    return _remembered.of(key, lambda: store.rubric_versions(most=LOOKED_AT))


_remembered: Final[Remembered[list[VersionCount]]] = Remembered()


def _row(version: VersionCount) -> dict[str, Any]:
    return {
        "rubric": version.rubric,
        "sha256": version.sha256,
        "evaluations": version.evaluations,
        "first": date_text(version.first),
        "last": date_text(version.last),
        "newest": version.newest,
    }


def _rubric(store: Store, parameters: Parameters) -> Page:
    """One rubric: what its newest version says, and how it differs from an earlier one."""
    name = parameters.text("name")
    versions = [row for row in map(_row, _versions(store)) if row["rubric"] == name]
    if not versions:
        raise NotFound(f'No recent evaluation used a rubric "{name}".')
    chosen = [row["sha256"] for row in versions]
    after = _whole(parameters.text("to"), chosen) or chosen[0]
    before = _whole(parameters.text("from"), chosen) or next((sha for sha in chosen if sha != after), None)
    new = _version(store, name, after)
    old = _version(store, name, before) if before else None
    changes = _differences(old, new) if old else []
    known = new.known
    return Page(
        name=f"rubric-{name}",
        title=name,
        template="rubric.html",
        document={
            "rubric": name,
            "versions": versions,
            "from": before,
            "to": after,
            "texts_known": {"from": bool(old and old.whole), "to": new.whole is not None},
            "differences": [change._asdict() for change in changes],
            "pass_mark": known.pass_mark if known else None,
            "weights": known.weights if known else {},
            "text": rubric_document(new.whole) if new.whole else None,
        },
        sheet=Sheet(("what", "before", "after"), [list(change) for change in changes]),
        shown={
            "known": known,
            "absent": (ABSENT, EMPTY),
            "both_shown_to_models": bool(old and old.known and old.known.criteria and known and known.criteria),
        },
    )


def _has_texts(page: Page) -> bool:
    """Whether no text is missing that may still be found, such as in a file that someone adds."""
    known = page.document["texts_known"]
    return bool(known["to"] and (known["from"] or page.document["from"] is None))


rubric: Final = of_evaluations(_rubric, lasts=_has_texts)


class _Version(NamedTuple):
    """A version of a rubric: its whole text if that is kept, else what scorecards show."""

    whole: Rubric | None
    known: KnownVersion | None


def _version(store: Store, name: str, sha256: str) -> _Version:
    key = (store.url, sha256)
    known = _wholes.get(key)
    if known is None:
        whole = whole_rubric(store, name, sha256)
        known = None if whole is None else _Version(whole, known_whole(whole))
    if known is not None:
        while len(_wholes) >= MOST:
            _wholes.pop(next(iter(_wholes)), None)
        _wholes[key] = known
        return known

    def learn() -> KnownVersion | None:
        records = newest_records(store, Filter(rubric=name, version=sha256), most=READ)
        return known_version(sha256, (record.document for record in records))

    return _Version(None, _learnt.of((*evaluations_key(store, "", LOOKED_AT), name, sha256), learn))


_learnt: Final[Remembered[KnownVersion | None]] = Remembered()
_wholes: Final[dict[tuple[str, str], _Version]] = {}
"""By store and hash: a rubric with this hash is always the same."""


def _differences(old: _Version, new: _Version) -> list[Difference]:
    if old.whole and new.whole:
        return rubric_differences(old.whole, new.whole)
    return version_differences(old.known, new.known) if old.known and new.known else []


def _whole(start: str, hashes: Iterable[str]) -> str | None:
    """The version whose hash starts so."""
    if not start:
        return None
    matching = [sha256 for sha256 in hashes if sha256.startswith(start)]
    if not matching:
        raise NotFound(f'This rubric has no recent version "{start}".')
    return matching[0]


ROUTES: Final = (page_route("/rubrics", rubrics),)
