"""Remove what a judge quotes: fences, block quotes, quotation marks, echoes of the prompt, thoughts.

`GAP` replaces what was removed, so that the words on either side are not joined. A quoted figure on its own may still
be the judge's (`Score: "7"`); `MARK` replaces its quotation marks. Each kind takes one pass over the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

GAP = "\x01"
MARK = "\x02"

Kept = Callable[[str, int, str], str]
"""From a text, where a quotation starts and what is inside it, to what to keep of it."""

_FENCE = re.compile(r" {0,12}(?:[-*+] |\d{1,2}[.)] )?(`{3,}|~{3,})(.*)")
_DATA = frozenset(("", "json", "text", "txt", "markdown", "md", "yaml", "xml", "plaintext"))
"""Languages of a fence that may hold the whole reply; a program or a session is never one."""
_THOUGHT = re.compile(r"</?(?:think|thinking|thought|thoughts|reasoning|scratchpad|analysis)>")
_ECHO = re.compile(r"(?:\[|<\|)the (start|end) of [^\[\]<>|\n]{1,60}(?:\]|\|>)")
_JUDGED = re.compile(
    r"<(/?)(response|output|submission|assistant|assistant_response|assistant_answer|model_response|model_output|quote"
    r"|blockquote|document|candidate|transcript|pre|code|user|prompt|instruction|question|conversation|context)"
    r"(?: [^<>\n]{0,80})?>"
)
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~|<(?:s|del|strike)>[^<\n]{0,200}</(?:s|del|strike)>")
_DIGIT = re.compile(r"\d|[★⭐🌟]")
_BARE = re.compile(r"[\s\[\]*]*-?\d+(?:[.,]\d+)?[\s\]*]*(?:(?:/|out of|von|sur|su|de|из)\s*\d+)?[\s\]*.%]*")
_NUMBER_WORD = re.compile(r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b")
_INTRODUCTION = re.compile(
    r"(?:here(?:'s|’s| is| are)|below is|my|final|the (?:json|evaluation|score|rating|result)|evaluation|score|rating)"
    r"\b[^\n]{0,100}:"
)
_REPORTS = re.compile(r"\b(?:said|says|wrote|writes|claim|output was|returned|printed|gave|produced|included|contains)")
_OWN_LEAD = re.compile(
    r"\b(?:i|my|we|our|ich|mein|meine|je|ma|mi|io|meu|minha|я|моя|rat(?:e|ed|ing)|score|verdict|grade)\b"
    r"[^.!?\n]{0,80}(?:: ?|as follows:? ?)$"
)


def own_words(text: str, kept: Kept | None = None) -> str:
    """Folded text without what it quotes; `kept` decides what to keep of a quotation, by default a lone figure."""
    kept = kept or _shown
    text = _STRUCK.sub("", text).replace('\\"', "'")
    text = _without_thoughts(text)
    text = _between(text, _ECHO, lambda match: match[1] == "start")
    text = _between(text, _JUDGED, lambda match: not match[1])
    text = _without_blocks(text)
    text = _whole_quote(text)
    text = _without_quotes(text, _DOUBLE, kept)
    text = _without_quotes(text, _SINGLE, kept)
    return _without_quotes(text, _TICKS, kept)


def _without_thoughts(text: str) -> str:
    """Only what follows the last thought; a thought that never ends is the rest of the text."""
    last = None
    for last in _THOUGHT.finditer(text):  # noqa: B007
        pass
    if last is None:
        return text
    if last[0].startswith("</"):
        return text[last.end() :]
    return text[: last.start()]


def _between(text: str, tag: re.Pattern[str], opens: object) -> str:
    """The text without anything between an opening and the next closing tag; unclosed tags are left alone."""
    assert callable(opens)
    kept, place, opened = [], 0, None
    for match in tag.finditer(text):
        if opens(match):
            opened = match if opened is None else opened
        elif opened is not None:
            kept += [text[place : opened.start()], GAP]
            place, opened = match.end(), None
    return "".join([*kept, text[place:]])


def _without_blocks(text: str) -> str:
    """Remove fenced blocks and block quotes; a block that is the whole reply is kept."""
    kept: list[str] = []
    block: list[str] | None = None
    blocks, fence, is_data = [], "", False
    for line in text.split("\n"):
        if block is not None:
            if _closes(line, fence):
                blocks.append("\n".join(block))
                block = None
            else:
                block.append(line)
            continue
        opened = _FENCE.match(line)
        if opened and not (opened[1][0] == "`" and "`" in opened[2]):
            fence, block = opened[1], []
            is_data = opened[2].strip() in _DATA
            kept.append(GAP)
        elif line.lstrip(" ").startswith(">"):
            kept.append(GAP)
        else:
            kept.append(line)
    outside = "\n".join(kept)
    if len(blocks) == 1 and block is None and is_data and _is_the_reply(outside):
        return outside.replace(GAP, "\n" + blocks[0] + "\n")
    return outside


def _closes(line: str, fence: str) -> bool:
    bare = line.strip()
    return len(bare) >= len(fence) and set(bare) == {fence[0]}


def _is_the_reply(outside: str) -> bool:
    """Whether a block has at most one introductory line before it and nothing after it."""
    before, _, after = outside.partition(GAP)
    before = before.strip().strip("*# ")
    introduced = _INTRODUCTION.fullmatch(before) and not _REPORTS.search(before)
    return not after.strip() and bool(introduced or not before)


_WHOLE = frozenset(('""', "''", "“”", "„“", "„”", "«»", "»«", "「」", "『』", "\u2018\u2019", "``"))


def _whole_quote(text: str) -> str:
    """Unwrap a reply that is one quotation from its first character to its last."""
    bare = text.strip(" \n*_")
    if len(bare) > 2 and bare[0] + bare[-1] in _WHOLE:
        inside = bare[1:-1]
        if bare[0] not in inside and bare[-1] not in inside:
            return inside
    return text


# --- quotation marks -----------------------------------------------------------------------------

_DOUBLE = re.compile(r"[\"“”„«»「」『』]|''|\n[ ]*\n")
_SINGLE = re.compile(r"['‘’]|\n[ ]*\n")
_TICKS = re.compile(r"`+|\n[ ]*\n")
_PAIRS = {"“": "”", "„": "“”", "«": "»", "「": "」", "『": "』", "‘": "’", "»": "«", "”": "”"}


def _without_quotes(text: str, marks: re.Pattern[str], shown: Kept) -> str:
    kept: list[str] = []
    place = 0
    for start, end, width in _spans(text, marks):
        inside = text[start + width : end - width]
        kept += [text[place:start], shown(text, start, inside)]
        place = end
    return "".join([*kept, text[place:]])


def _shown(text: str, start: int, inside: str) -> str:
    """What to keep of a quotation: all if it has no figures, a lone figure with its mark, nothing of a verdict."""
    if not _DIGIT.search(inside) and not (len(inside) < 60 and _NUMBER_WORD.search(inside)):
        return inside
    if len(inside) < 40 and _BARE.fullmatch(inside):
        return f"{MARK}{inside}{MARK}"
    before = text[max(0, start - 160) : start]
    if len(inside) < 40 and _OWN_LEAD.search(before) and not _REPORTS.search(before.rpartition(". ")[2]):
        return f"{MARK}{inside}{MARK}"
    return GAP


def _spans(text: str, marks: re.Pattern[str]) -> Iterator[tuple[int, int, int]]:
    """Where quotations start and end. A straight mark not closed before the next one opens does not count."""
    opened: re.Match[str] | None = None
    for match in marks.finditer(text):
        mark = match[0]
        if mark[0] == "\n":
            if opened is not None and opened[0] in "'‘`":
                opened = None
            continue
        if opened is None:
            if mark in _PAIRS or _can_open(text, match):
                opened = match
        elif _closed_by(opened[0], mark) and _can_close(text, match):
            yield opened.start(), match.end(), len(mark)
            opened = None
        elif mark == opened[0] and _can_open(text, match):
            opened = match


def _closed_by(opener: str, mark: str) -> bool:
    return mark in _PAIRS.get(opener, opener) if opener in _PAIRS else mark == opener


def _can_open(text: str, match: re.Match[str]) -> bool:
    before = text[match.start() - 1 : match.start()]
    after = text[match.end() : match.end() + 1]
    return (not before or not (before.isalnum() or before in "'’\"")) and bool(after) and not after.isspace()


def _can_close(text: str, match: re.Match[str]) -> bool:
    if match[0] in "”»」』“«":
        return True
    before = text[match.start() - 1 : match.start()]
    after = text[match.end() : match.end() + 1]
    return not before.isspace() and not (after.isalnum() and ord(after) < 0x2E80)
