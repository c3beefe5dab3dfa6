"""What every report is made of: a closed set of nodes. A document is built of them once, and each walker shows all.

A node says what it is and never how it is drawn. What one format cannot draw it shows simply: a drawing has its numbers
in a node beside it, and where the judged text is at hand anyway only its quotes are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Literal

from evenhand.core.judgement import Evidence
from evenhand.work.submission import Submission

Weight = Literal[
    "plain", "strong", "quiet", "good", "bad", "alarm", "unusual", "open", "code", "gone", "new", "grade", "spark"
]
"""How loudly words are shown, and whether what they say is good; `gone` and `new`: what two texts do not share; a
grade's letter; a row of little bars."""

QuoteKind = Literal["score", "flag", "bonus", "fault", "other"]
"""What a quote is evidence for."""


@dataclass(frozen=True, slots=True)
class Span:
    """Some words of a line."""

    text: str
    weight: Weight = "plain"
    tag: bool = False
    """Whether they are a label: "major", "met"."""
    address: str = ""
    """Where they lead on a page; elsewhere they are words."""


Words = str | tuple[Span | str, ...]
"""A line, or the pieces of one."""


def spans(words: Words) -> tuple[Span, ...]:
    """The pieces of a line that show something."""
    pieces = (words,) if isinstance(words, str) else words
    return tuple(span for span in (Span(piece) if isinstance(piece, str) else piece for piece in pieces) if span.text)


def text_of(words: Words) -> str:
    """A line without its weights."""
    return "".join(span.text for span in spans(words))


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence, or a paragraph."""

    kind: ClassVar[str] = "line"
    words: Words
    weight: Weight = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The answer: what this is about, the grade or what stands in its place, and the sentences that belong to it."""

    kind: ClassVar[str] = "head"
    title: Words
    kicker: Words = ""
    """What a reader needs to find it again."""
    seal: str = ""
    """A letter, or very few words; empty where there is nothing of the kind."""
    tone: str = ""
    """The letter by which the seal is coloured; empty for none."""
    headline: Words = ""
    verdict: Span | None = None
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One entry of a list, with what belongs to it."""

    head: Words
    below: tuple[Node, ...] = ()
    mark: Weight = "plain"
    """Good, bad, open or unusual: a sign in front where there is one."""
    amount: str = ""
    """What it costs or brings, signed."""
    id: str = ""
    """What a link on the page leads to."""


@dataclass(frozen=True, slots=True)
class Items:
    """A list. The entries of a wide one are headings with text below."""

    kind: ClassVar[str] = "items"
    items: tuple[Item, ...]
    ordered: bool = False
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """Names with what belongs to each."""

    kind: ClassVar[str] = "facts"
    rows: tuple[tuple[str, Words, Weight], ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    right: bool = False
    """Whether it holds numbers."""
    whole: bool = False
    """Whether its cells stay in one piece, as what is copied does."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table; its first cell names it."""

    cells: tuple[Words, ...]
    weight: Weight = "plain"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named columns."""

    kind: ClassVar[str] = "table"
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    caption: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A score from 1 to 10 as a bar. Places are in hundredths of its length."""

    name: str
    start: float
    width: float
    known: bool
    """Whether it ends at a score; otherwise it covers every score that is possible."""
    mean: float | None = None
    """Where the mean of earlier evaluations is."""
    readers: float | None = None
    """The score that readers gave, where a fault capped it."""
    score: str
    sum: str = ""
    """ "x 25% = 2.00"."""
    compared: str = ""
    """What it is compared with: "mean 8.10 (deviation 0.30)"."""
    flag: str = ""
    """Why it is worth a look; empty when it is not."""
    weight: Weight = "plain"
    """How loudly that is said."""
    says: str = ""
    """One sentence about it."""
    address: str = ""


@dataclass(frozen=True, slots=True)
class Bars:
    """Scores under one another."""

    kind: ClassVar[str] = "bars"
    rows: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A passage of the judged text, with its place and whether it is there."""

    evidence: Evidence
    quoted_for: QuoteKind = "score"
    label: str = ""
    """What it is evidence for, in words."""
    severity: str = ""
    message: str = ""
    """For a finding: shown at the passage as well."""
    shortened: str = ""
    """What is shown of it where the whole of it stands elsewhere in the report."""


@dataclass(frozen=True, slots=True)
class Quotes:
    """Passages, one below the other."""

    kind: ClassVar[str] = "quotes"
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart. Its numbers stand in another node too, for those who do not see it."""

    kind: ClassVar[str] = "drawing"
    shape: str
    """The macro that draws it."""
    chart: object
    title: str = ""


@dataclass(frozen=True, slots=True)
class Work:
    """What was judged, with the report's quotes numbered in it; what follows stands beside it."""

    kind: ClassVar[str] = "work"
    submission: Submission
    file_name: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    """A command to copy."""

    kind: ClassVar[str] = "code"
    text: str


@dataclass(frozen=True, slots=True)
class Written:
    """A text as it was written, line for line."""

    kind: ClassVar[str] = "written"
    words: Words
    left_out: int = 0
    """How many more characters it has."""


@dataclass(frozen=True, slots=True)
class Diff:
    """Two texts beside each other, what differs marked."""

    kind: ClassVar[str] = "diff"
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """What an agent did, event by event. Only a page has room for it."""

    kind: ClassVar[str] = "transcript"
    submission: Submission


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What one column of a matrix has in one row."""

    value: str
    change: str = ""
    """How far that is from the column it is compared with, signed."""
    weight: Weight = "plain"
    """Whether the change is good."""
    problem: str = ""
    """Why something is missing here."""
    figures: tuple[str, ...] = ()
    beginning: str = ""
    """How the work begins."""
    opened: tuple[Node, ...] = ()
    """The work itself, which a page shows beside its rivals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A row of a matrix."""

    name: str
    tags: tuple[str, ...]
    cells: tuple[Cell, ...]
    is_worse: bool = False
    has_failed: bool = False


@dataclass(frozen=True, slots=True)
class Matrix:
    """Work, a row for each case and a column for each variant."""

    kind: ClassVar[str] = "matrix"
    columns: tuple[str, ...]
    cases: tuple[Case, ...]
    caption: str

    @property
    def table(self) -> Table:
        """Its numbers, for those who do not see the work."""
        rows = (Row((" ".join((case.name, *case.tags)), *map(_cell_words, case.cells))) for case in self.cases)
        return Table((Column("case"), *map(Column, self.columns)), tuple(rows), self.caption)


def _cell_words(cell: Cell) -> Words:
    changed = (" ", Span(cell.change, cell.weight)) if cell.change else ()
    rest = ", ".join(filter(None, (*cell.figures, cell.problem)))
    return (cell.value, *changed, Span(f" {rest}" if rest else "", "quiet"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Nodes under a heading. A folded one is for those who ask."""

    kind: ClassVar[str] = "section"
    title: Words
    nodes: tuple[Node, ...]
    folded: bool = False
    id: str = ""


Node = (
    Line
    | Head
    | Items
    | Facts
    | Table
    | Bars
    | Quotes
    | Drawing
    | Work
    | Code
    | Written
    | Diff
    | Transcript
    | Matrix
    | Section
)


@dataclass(frozen=True, slots=True)
class Report:
    """A whole document."""

    title: str
    """What its page is called."""
    nodes: tuple[Node, ...]


def is_drawn(section: Section) -> bool:
    """Whether only a page has something to show below this heading."""
    return all(isinstance(node, Drawing | Work | Transcript) for node in section.nodes)


def quotes_in(nodes: tuple[Node, ...]) -> Iterator[Quote]:
    """Every quote, in the order in which a reader meets them."""
    for node in nodes:
        if isinstance(node, Quotes):
            yield from node.quotes
        elif isinstance(node, Section):
            yield from quotes_in(node.nodes)
        elif isinstance(node, Items):
            for item in node.items:
                yield from quotes_in(item.below)


def evidence_note(evidence: Evidence) -> str:
    """Where a quote was found, or that it was not."""
    if evidence.verified is None:
        return "not checked"
    if not evidence.verified:
        return "NOT IN THE OUTPUT"
    return f"line {evidence.line}" if evidence.source is None else evidence.source


def sentence(text: str) -> str:
    """Words as prose has them: a capital first, and a full stop where nothing else ends them."""
    if not text:
        return ""
    return f"{text[0].upper()}{text[1:]}{'' if text[-1] in _ENDS else '.'}"


def prose(words: Words) -> Words:
    """A line as prose has it."""
    pieces = spans(words)
    if not pieces:
        return ""
    first = pieces[0]
    begun = replace(first, text=first.text[:1].upper() + first.text[1:])
    end = "" if pieces[-1].text.rstrip()[-1:] in _ENDS else "."
    return (begun, *pieces[1:], end)


_ENDS: Final = (".", "!", "?", ":", "\u2026")
