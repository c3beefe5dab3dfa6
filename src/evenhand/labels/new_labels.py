"""New labels against what a store has: already there, in conflict, matched to an evaluation or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evenhand.errors import Problem, shortened
from evenhand.labels.label_matches import Index, path_parts
from evenhand.labels.rating_tables import folded, name_key
from evenhand.store.protocol import Store
from evenhand.work.label import Label


def new_ones(labels: Sequence[Label], store: Store) -> tuple[list[Label], int, list[Problem], list[Label]]:
    """Labels that the store does not have; how many it has; those that it has with another value; all it has."""
    stored = {label.key: label for label in store.labels()}
    new, known, problems = [], 0, []
    for label in labels:
        match = stored.get(label.key)
        if match is None:
            new.append(label)
        elif match.value == label.value:
            known += 1
        else:
            source, _, line = label.source.rpartition(":")
            message = (
                f"conflict: {label.field} by {label.rater} of {short_text(label.item)} is {label.value} here and "
                f"{match.value} in the store (from {match.source}); labels are never replaced"
            )
            problems.append(Problem(message, source, int(line)))
    return new, known, problems, [*stored.values()]


def shared_elsewhere(labels: Sequence[Label], others: Sequence[Label], source: str, index: Index) -> list[str]:
    """Two files may number different items alike; where no evaluation ties them together, a person must look."""
    files: dict[tuple[str, str, str], str] = {}
    for label in others:
        file = label.source.rpartition(":")[0]
        if file != source and index.item_of(label) is None:
            files[label.kind, label.item, label.field] = file
    shared = {label.item: files[key] for label in labels if (key := (label.kind, label.item, label.field)) in files}
    if not shared:
        return []
    named = ", ".join(sorted(set(shared.values())))
    return [
        f"{len(shared)} items have labels from {named} too and are taken as the same items; if they are others, "
        "import them into another store or under another `field`"
    ]


def joined(
    labels: Sequence[Label],
    written_as: Mapping[str, str],
    lines: Mapping[str, int],
    index: Index,
    source: str,
    *,
    fold_ids: bool = False,
) -> tuple[list[Label], list[Problem], list[Problem]]:
    """Labels that may be kept, those whose item differs hardly from one in the store, and items unmatched.

    With `fold_ids`=true, such labels get the id in the store, where only one is meant.
    """
    near: dict[str, str] = {}
    several: set[str] = set()
    for id in index.ids:
        known = near.setdefault(name_key(id), id)
        several |= {known} if known != id else set()
    texts = {folded(output): hashed for hashed, output in index.outputs.items()}
    kept: list[Label] = []
    conflicts: dict[str, Problem] = {}
    unmatched: dict[str, Problem] = {}
    for label in labels:
        if index.item_of(label) is not None:
            kept.append(label)
            continue
        written = written_as[label.item]
        close = {"id": near, "text": texts}.get(label.kind, {}).get(
            name_key(written) if label.kind == "id" else folded(written)
        )
        files = index.files(written) if label.kind in ("file", "id") else []
        id = near.get(name_key(path_parts(written)[-1])) if label.kind == "file" and path_parts(written) else None
        id = near.get(name_key(written)) if label.kind in ("text", "submission") else id
        if label.kind == "file" and len(files) > 1:
            some = ", ".join(files[:3])
            message = (
                f"conflict: {short_text(written)} is the end of several judged files ({some}); write the whole path"
            )
            conflicts[label.item] = Problem(message, source, lines[label.item])
        elif id is not None and fold_ids and id not in several:
            kept.append(label._replace(kind="id", item=id))
        elif close is None:
            kept.append(label)
            hint = "; it is the name of a file that was judged: `join` file" if files else ""
            if id is not None:
                hint = f'; there is the id "{id}": join them with `fold_ids`=true'
            message = f"no evaluation has the {label.kind} {short_text(written)}{hint}"
            unmatched[label.item] = Problem(message, source, lines[label.item])
        elif fold_ids and label.kind == "id" and close not in several:
            kept.append(label._replace(item=close))
        else:
            what, advice = "the output of an evaluation in white space", "make them the same"
            if label.kind == "id":
                alike = folded(written) == folded(close)
                what = f'the id "{close}" in ' + ("white space" if alike else "case, suffix or leading zeros")
                advice += ", or join them with `fold_ids`=true"
            message = f"conflict: {short_text(written)} differs from {what} only; {advice}"
            conflicts[label.item] = Problem(message, source, lines[label.item])
    return kept, list(conflicts.values()), list(unmatched.values())


def short_text(text: str) -> str:
    """A text in quotes on one line, cut where it is long."""
    line = text if text.isprintable() else repr(text)[1:-1]
    return f'"{shortened(line, 40)}"'
