"""A submission prepared for the checks: parsed once, asked many times.

Everything here is worked out on demand and kept, so that a check costs only what it alone needs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from evenhand.work.submission import Event, Submission

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

OPENING: Final = 100_000
"""Characters of an output, or of a task, that are parsed as Markdown. An agent's final answer has some thousand, a long
report some ten thousand. Parsing costs the checks the most time, so a text of megabytes is not parsed whole."""

_SHARED: Final = 4_000
"""Characters of a section that other tasks may share."""

_HEADING = re.compile(r"\n(?=#{1,6} )")
_MARKDOWN = ("md", "markdown", "mdx")
_READS_ON = re.compile(r"(?m)^(?:#{1,6}|[-*]|\d+\.) |[.!?:][)\"'*_]*\Z")
"""What reads like the answer going on after a fence too many."""
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


class Block(NamedTuple):
    """A fenced code block of the output."""

    language: str
    """The first word after the fence, in lower case; empty when there is none."""
    code: str
    line: int
    """The line of the output that its first line of code is on, from 1."""


def outside_quotes(tokens: Iterable[Token]) -> Iterator[Token]:
    """The text in some Markdown that is not inside a quotation."""
    quoted = 0
    for token in tokens:
        quoted += (token.type == "blockquote_open") - (token.type == "blockquote_close")
        if token.type == "inline" and not quoted:
            yield token


class Subject:
    """What the checks look at."""

    def __init__(self, submission: Submission) -> None:
        self.submission = submission
        self.output = submission.output
        self.task = submission.task or ""
        self.notes: dict[str, None] = {}
        """What was not looked at, and why, each once; the scorecard warns about it."""
        if self.rest:
            self.notes[_note("output", self.output)] = None
        if len(self.task) > OPENING:
            self.notes[_note("task", self.task)] = None

    @property
    def events(self) -> Sequence[Event]:
        """Everything that happened; empty for an output alone."""
        return self.submission.events

    @cached_property
    def calls(self) -> list[Event]:
        """The tool calls, in order."""
        return [event for event in self.events if event.call is not None]

    @property
    def rest(self) -> str:
        """What follows the opening of a very long output: it is searched, but neither its Markdown nor its code is
        parsed. Where there is a rest, a check must not say that something is missing from tokens, blocks or prose."""
        return self.output[OPENING:]

    @cached_property
    def tokens(self) -> list[Token]:
        """The blocks of the output as Markdown, as far as its opening reaches."""
        return _markdown(self.output, _block_parser().parse)

    @cached_property
    def task_tokens(self) -> list[Token]:
        """The blocks of the task as Markdown, as far as its opening reaches; what is inside a line is not parsed, and
        where a block is in the task is not known."""
        return _markdown(self.task, _sections)

    @cached_property
    def blocks(self) -> list[Block]:
        """The fenced code blocks of the output."""
        return list(_blocks(self.tokens)) if "```" in self.output or "~~~" in self.output else []

    @cached_property
    def open_block(self) -> Block | None:
        """The last block, when its fence is never closed.

        Fences inside a Markdown block close it early. One without a language may be a fence too many, with words after
        it: it counts only when nothing that follows reads like words to the reader. A fence with words behind it does
        not close a block by the rules of Markdown, but its author may have meant it to.
        """
        if not self.blocks or self.rest or any(block.language in _MARKDOWN for block in self.blocks):
            return None
        token = [token for token in self.tokens if token.type == "fence" and token.map][-1]
        assert token.map is not None
        lines = self.output.rstrip().split("\n")
        fence = rf"[ >\t]*{re.escape(token.markup[0])}{{{len(token.markup)},}}"
        opens_there = token.map[0] >= len(lines) - 1
        if token.map[1] < len(lines) or (re.match(rf"{fence}\s*$", lines[-1]) and not opens_there):
            return None
        is_code = token.info.strip() or (token.content.strip() and not _READS_ON.search(token.content.strip()))
        return self.blocks[-1] if is_code and not re.search(rf"(?m)^{fence}", token.content) else None

    @cached_property
    def prose(self) -> str:
        """The output without code blocks, quotes and HTML: its author's own words."""
        return "\n\n".join(token.content for token in self._words_of_its_own)

    @cached_property
    def _words_of_its_own(self) -> list[Token]:
        """The tokens that the prose is made of."""
        return list(outside_quotes(self.tokens))

    @property
    def said(self) -> str:
        """The prose with the rest of a very long output: look here before reporting that something is missing."""
        return f"{self.prose}\n\n{self.rest}" if self.rest else self.prose

    @cached_property
    def words(self) -> list[str]:
        """The words of the prose, lower case."""
        return [word.lower() for word in _WORD.findall(self.prose)]

    def line_of(self, offset: int) -> int:
        """The line of the output that a character is on."""
        return bisect_right(self._line_starts, offset)

    def on_line(self, quote: str, line: int) -> int | None:
        """Where a quote starts, at or after the start of a line; None when it is not there as written."""
        start = self._line_starts[min(max(line, 1), len(self._line_starts)) - 1]
        place = self.output.find(quote, start) if quote else -1
        return place if place >= 0 else None

    def in_block(self, block: Block, number: int) -> tuple[str, int | None]:
        """A line of a block to quote, or the last one that is not blank if it is, and where it starts."""
        lines = block.code.split("\n")
        number = min(number, len(lines))
        if not lines[number - 1].strip():
            number = max(n for n, line in enumerate(lines, 1) if line.strip())
        quote = lines[number - 1].strip()[:200]
        return quote, self.on_line(quote, block.line + number - 1)

    def in_prose(self, quote: str, position: int) -> int | None:
        """Where in the output a quote starts whose first character is at a position of the prose."""
        number = max(bisect_right(self._prose_starts, position) - 1, 0)
        if not self._words_of_its_own or not (token := self._words_of_its_own[number]).map:
            return None
        before = token.content[: position - self._prose_starts[number]]
        row = token.content.split("\n")[before.count("\n")]
        column = len(before) - before.rfind("\n") - 1
        line = token.map[0] + before.count("\n")
        written = self.lines[line].find(row.strip()) - (len(row) - len(row.lstrip())) + column
        place = self._line_starts[line] + max(written, 0)
        return place if quote and self.output.startswith(quote, place) else self.on_line(quote, line + 1)

    @cached_property
    def _prose_starts(self) -> list[int]:
        """The position in the prose at which each of its tokens starts."""
        lengths = (len(token.content) + 2 for token in self._words_of_its_own)
        return list(accumulate(lengths, initial=0))[:-1]

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the output's opening as Markdown counts them; a token's map leads into this list."""
        return re.split(r"\r\n?|\n", self.output[:OPENING])

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer(r"\r\n?|\n", self.output))]


def _note(what: str, text: str) -> str:
    return (
        f"the {what} is very long: structure and code were looked at in the first {OPENING:,} of its {len(text):,} "
        "characters only"
    )


def _markdown(text: str, parse: Callable[[str], list[Token]]) -> list[Token]:
    """The tokens of a text's opening; when it goes on after that, without the block that may be cut in two."""
    if len(text) <= OPENING:
        return parse(text)
    end = max(text.rfind(" ", 0, OPENING), text.rfind("\n", 0, OPENING))  # no number and no word is cut in two
    tokens = parse(text[: end if end > 0 else OPENING])
    return tokens[: _whole(tokens)]


def _sections(text: str) -> list[Token]:
    """The blocks of a text, parsed section by section: the tasks of many runs share most of theirs.

    A heading at the start of a line ends every block except a fence and HTML, which a line further down may end.
    """
    tokens: list[Token] = []
    section = ""
    starts = [0, *(match.end() for match in _HEADING.finditer(text)), len(text)]
    for start, end in pairwise(starts):
        section += text[start:end]
        found = _section(section) if len(section) <= _SHARED else _block_parser().parse(section)
        last = found[-1] if found else None
        if last is None or last.type not in ("fence", "html_block") or _ends_before(last, section):
            tokens += found
            section = ""
    return tokens + (_block_parser().parse(section) if section else [])


def _ends_before(last: Token, section: str) -> bool:
    """Whether a line follows the last block, which has therefore ended."""
    return last.level > 0 or (last.map is not None and last.map[1] < section.count("\n"))


@lru_cache(maxsize=256)
def _section(text: str) -> list[Token]:
    return _block_parser().parse(text)


@cache
def _block_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # costs start-up time, and not every check needs it

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _whole(tokens: Sequence[Token]) -> int:
    """Where the last block begins, with the headings right before it, which would seem empty without it."""
    starts = [place for place, token in enumerate(tokens) if token.level == 0 and token.nesting >= 0]
    if len(starts) == 1 and tokens[0].type == "paragraph_open":
        return len(tokens)  # one endless paragraph: what there is of it can be read
    while len(starts) > 1 and tokens[starts[-2]].type == "heading_open":
        starts.pop()
    return starts[-1] if starts else 0


def _blocks(tokens: Sequence[Token]) -> Iterator[Block]:
    for token in tokens:
        if token.type == "fence" and token.map:
            language = token.info.strip().split()[0].lower() if token.info.strip() else ""
            yield Block(language.strip("{}.,"), _meant(token, language), token.map[0] + 2)


def _meant(token: Token, language: str) -> str:
    """The code of a fence up to a line that starts with the fence again: words behind it keep it from closing the
    block by the rules of Markdown, but its author meant it to. In Markdown, fences are part of the text."""
    if language in _MARKDOWN or token.markup not in token.content:
        return token.content
    return re.split(rf"(?m)^[ \t]*{re.escape(token.markup)}", token.content, maxsplit=1)[0]
