"""People's labels from a table into a store: every problem listed with its line, nothing guessed, all or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evenhand import clock
from evenhand.core.judgement import PERSON
from evenhand.core.receipt import sha256
from evenhand.errors import NUL, InputError, Problem, shortened
from evenhand.files.tables import Table
from evenhand.stats.agreement.label_scales import TEN, TEN_SCALE, Rule, Scale, default_scale, on_scale, rule_from
from evenhand.store.protocol import Store
from evenhand.trust.labels.label_export import exported_labels, is_exported
from evenhand.trust.labels.label_matches import Index, path_parts
from evenhand.trust.labels.rating import REASON, Entry
from evenhand.trust.labels.rating_tables import folded, name_key, read_entries
from evenhand.trust.labels.table_layout import Layout, Options
from evenhand.trust.labels.value_scales import by_field, hint_for, refuse_other_marks, scale_of, scale_of_values
from evenhand.work.label import JUDGE, JUDGED_FIELDS, Label


class LabelImport(NamedTuple):
    """What an import found, and what it stored."""

    source: str
    layout: Layout
    labels: tuple[Label, ...]
    """The labels that are right, stored already or not."""
    items: int
    raters: tuple[str, ...]
    fields: tuple[str, ...]
    added: int
    """How many were stored now; 0 in a dry run."""
    dry_run: bool
    known: int
    """How many the store had already."""
    problems: tuple[Problem, ...]
    """Conflicts, duplicates and values off their scale; such rows are not stored."""
    unmatched: tuple[Problem, ...]
    """Items that no evaluation in the store has; they are kept, and join when one has."""
    notes: tuple[str, ...]


def import_labels(
    store: Store | None,
    table: Table,
    options: Options,
    *,
    scales: Sequence[str] = (),
    rules: Sequence[str] = (),
    dry_run: bool = False,
    skip_bad: bool = False,
) -> LabelImport:
    """Read labels, join them to a store's evaluations and keep them; with problems, none, unless `skip_bad`."""
    if is_exported(table):
        return _copied(store, table, dry_run=dry_run)
    entries, layout = read_entries(table, options)
    entries = [entry for entry in entries if entry.field != REASON]
    reasons = tuple(column for column, _, field in layout.values if field == REASON)
    layout = layout._replace(ignored=(*layout.ignored, *reasons))
    reader = _Reader(table, layout, _scales(table, entries, scales, layout, rules), rules)
    labels = reader.labels(entries)
    problems = list(reader.problems)
    known = 0
    notes: list[str] = []
    unmatched: list[Problem] = []
    if store is not None:
        index = Index(store.evaluations())
        labels, known, conflicts, others = new_ones(labels, store)
        labels, near, unmatched = joined(
            labels, reader.written, reader.lines, index, table.source, fold_ids=options.fold_ids
        )
        problems += conflicts + near
        notes = shared_elsewhere(labels, others, table.source, index)
    notes = [*reader.notes(labels), *notes]
    found = _Found(layout, labels, known, problems, unmatched, notes)
    return _kept(store, table, found, dry_run=dry_run, skip_bad=skip_bad)


def import_files(
    store: Store | None,
    tables: Sequence[tuple[Table, Options]],
    *,
    scales: Sequence[str] = (),
    rules: Sequence[str] = (),
    dry_run: bool = False,
    skip_bad: bool = False,
) -> list[LabelImport]:
    """Several files, as `import_labels` reads each: all of them are stored, or none where one has a problem."""

    def each(dry: bool) -> list[LabelImport]:
        return [
            import_labels(store, *read, scales=scales, rules=rules, dry_run=dry, skip_bad=skip_bad) for read in tables
        ]

    if len(tables) == 1:
        return each(dry_run)
    looked = _between_files(each(True))
    if dry_run or (any(result.problems for result in looked) and not skip_bad):
        return [result._replace(dry_run=dry_run) for result in looked]
    return each(False)


def _between_files(results: Sequence[LabelImport]) -> list[LabelImport]:
    """The results, with a problem for each label that an earlier file gives another value."""
    first: dict[tuple[str, ...], Label] = {}
    checked = []
    for result in results:
        problems = []
        for label in result.labels:
            known = first.setdefault(label.key, label)
            if known.value != label.value:
                message = (
                    f"conflict: {label.field} by {label.rater} of {short_text(label.item)} is {label.written} here and "
                    f"{known.written} in {known.source}; keep one"
                )
                source, _, line = label.source.rpartition(":")
                problems.append(Problem(message, source, int(line)))
        checked.append(result._replace(problems=(*result.problems, *problems)))
    return checked


def _copied(store: Store | None, table: Table, *, dry_run: bool) -> LabelImport:
    """Labels that `labels list --all` wrote, taken over as they are."""
    labels = exported_labels(table)
    known, problems = 0, list[Problem]()
    if store is not None:
        labels, known, problems, _ = new_ones(labels, store)
    layout = Layout("exported labels", ("item",), "id", "rater", "field", (("value", "", ""),), (), 0)
    return _kept(store, table, _Found(layout, labels, known, problems), dry_run=dry_run, skip_bad=False)


class _Found(NamedTuple):
    """What a table holds, as in `LabelImport`."""

    layout: Layout
    labels: list[Label]
    known: int
    problems: list[Problem]
    unmatched: Sequence[Problem] = ()
    notes: Sequence[str] = ()


def _kept(store: Store | None, table: Table, found: _Found, *, dry_run: bool, skip_bad: bool) -> LabelImport:
    """Store what was found, unless something is wrong with some of it."""
    labels = found.labels
    stored = store is not None and not dry_run and (not found.problems or skip_bad)
    if stored and store is not None and labels:
        with store.transaction():
            store.add_labels(labels)
    return LabelImport(
        source=table.source,
        layout=found.layout,
        labels=tuple(labels),
        items=len({(label.kind, label.item) for label in labels}),
        raters=tuple(dict.fromkeys(label.rater for label in labels)),
        fields=tuple(dict.fromkeys(label.field for label in labels)),
        added=len(labels) if stored else 0,
        dry_run=dry_run,
        known=found.known,
        problems=tuple(sorted(found.problems, key=lambda problem: problem.line or 0)),
        unmatched=tuple(found.unmatched),
        notes=tuple(found.notes),
    )


def _scales(
    table: Table, entries: Sequence[Entry], given: Sequence[str], layout: Layout, rules: Sequence[str]
) -> dict[str, Scale]:
    """The scale of each field: as given, as evaluations have it, or what the values are."""
    by_name: dict[str, list[Entry]] = {}
    for entry in entries:
        by_name.setdefault(entry.field, []).append(entry)
    named = by_field(given, by_name, "scale")
    scales = {}
    for field, rows in by_name.items():
        scale = scale_of(table, field, rows, layout.out_of.get(field, ""), named.get(field))
        if scale is None and default_scale(field) is TEN_SCALE and not rules:
            refuse_other_marks(table, field, rows)
        scales[field] = scale or default_scale(field) or scale_of_values(table, rows)
    return scales


class _Reader:
    """Entries into labels, with the problems met on the way."""

    def __init__(self, table: Table, layout: Layout, scales: Mapping[str, Scale], rules: Sequence[str]) -> None:
        self._table = table
        self._kind = layout.kind
        self._scales = scales
        self._rules: dict[str, Rule] = {}
        self.problems: list[Problem] = []
        self.written: dict[str, str] = {}
        """The items as the file has them, by their names in labels."""
        self.lines: dict[str, int] = {}
        for field, text in by_field(rules, scales, "rule").items():
            try:
                self._rules[field] = rule_from(text, scales[field])
            except ValueError as error:
                raise InputError(f"`rule`: {error}") from None
        self._refuse_other_scales()

    def _refuse_other_scales(self) -> None:
        """A field that judges score from 1 to 10 takes another scale only by a rule."""
        for field, scale in self._scales.items():
            default = default_scale(field)
            if default is None or field in self._rules or scale.name == default.name:
                continue
            if default is TEN_SCALE:
                pairs = "1=2,2=4,3=6,4=8,5=10" if scale.low is not None else "poor=2,fair=5,good=9"
                linear = "`rule` linear, or " if scale.low is not None else ""
                raise InputError(
                    f"{field} is scored from 1 to 10, and these labels are on {scale.name}; say how one becomes the "
                    f"other: {linear}pairs such as `rule` {pairs}"
                )
            raise InputError(f"{field} is on the scale {default.name}; labels on {scale.name} are another field")

    def labels(self, entries: Sequence[Entry]) -> list[Label]:
        now = clock.microseconds(clock.now())
        first: dict[tuple[str, ...], tuple[Label, int]] = {}
        for entry in entries:
            label = self._label(entry, now)
            if label is None:
                continue
            known, line = first.setdefault(label.key, (label, entry.line))
            if known is not label:
                self._twice(entry, known, line, label)
        wrong = {problem.path for problem in self.problems if problem.path}
        return [label for label, _ in first.values() if label.key not in wrong]

    def _label(self, entry: Entry, now: int) -> Label | None:
        scale, rule = self._scales[entry.field], self._rules.get(entry.field)
        try:
            if "\0" in entry.item + entry.rater + entry.text:
                raise ValueError(f"a value {NUL}")
            value = on_scale(entry.text, scale)
            moved = value if rule is None else rule.apply(value, scale)
        except ValueError as error:
            hint = hint_for(entry.text, entry.field, scale is not TEN_SCALE)
            self._problem(entry.line, f"{entry.field} by {entry.rater} of {short_text(entry.item)}: {error}{hint}")
            return None
        name = sha256(entry.item) if self._kind == "text" else entry.item
        self.written.setdefault(name, entry.item)
        self.lines.setdefault(name, entry.line)
        return Label(
            kind=self._kind,
            item=name,
            rater=entry.rater if entry.rater.startswith((PERSON, JUDGE)) else PERSON + entry.rater,
            field=entry.field,
            value=moved,
            scale=scale.name if rule is None else TEN,
            written=entry.written or entry.text,
            rule=None if rule is None else f"{scale.name} {rule.name}",
            source=f"{self._table.source}:{entry.line}",
            imported=now,
        )

    def _twice(self, entry: Entry, known: Label, line: int, label: Label) -> None:
        where = f"{entry.field} by {entry.rater} of {short_text(entry.item)} is on line {line} already"
        if known.value == label.value:
            self._problem(entry.line, f"duplicate: {where}; keep one")
        else:
            message = f"conflict: {where}, with {known.written} there and {label.written} here; keep one"
            self.problems.append(Problem(message, self._table.source, entry.line, label.key))

    def _problem(self, line: int, message: str) -> None:
        self.problems.append(Problem(message, self._table.source, line))

    def notes(self, labels: Sequence[Label]) -> list[str]:
        """What a person should look at, though nothing is wrong."""
        notes = []
        for field, scale in self._scales.items():
            values = {label.value for label in labels if label.field == field}
            low = scale is TEN_SCALE and field not in self._rules and len(values) > 1
            if low and all(float(value) <= 5 for value in values):
                notes.append(f"no {field} is above 5; if people rated from 1 to 5, use `scale` 1-5 `rule` linear")
            by_judges = any(label.field == field and label.rater.startswith(JUDGE) for label in labels)
            if field not in JUDGED_FIELDS and not by_judges:
                notes.append(
                    f'no judge scores "{field}", so it is compared among people only (see `roles` and `field`)'
                )
        return notes


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
        name = "".join(path_parts(written)[-1:]) if label.kind == "file" else written
        other = near.get(name_key(name)) if label.kind != "id" and not files else None
        if label.kind == "file" and len(files) > 1:
            some = ", ".join(files[:3])
            message = (
                f"conflict: {short_text(written)} is the end of several judged files ({some}); write the whole path"
            )
            conflicts[label.item] = Problem(message, source, lines[label.item])
        elif other is not None and fold_ids and other not in several:
            kept.append(label._replace(kind="id", item=other))
        elif close is None:
            kept.append(label)
            hint = "; it is the name of a file that was judged: `join` file" if files else ""
            if other is not None:
                hint = f'; there is the id "{other}": join them with `fold_ids`=true'
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
