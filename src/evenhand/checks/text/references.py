"""References that lead nowhere: to a section, a footnote, an anchor, code shown "above", a file nobody touched. Pure.

Only what the output says about itself is followed. "Section 3 of the RFC", links to the web and files that the
transcript or the task mentions are left alone; so is anything that could be meant another way.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final

from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject
from evenhand.core.values.finding import Severity
from evenhand.in_words import counted

if TYPE_CHECKING:
    from markdown_it.token import Token

ID: Final = "dangling-reference"
FOLLOWED: Final = 20
"""Linked files that are looked for in a transcript: each is searched for in all of it."""

_THING = r"(?:function|class|method|script|command|query|component|struct|type|helper|hook|constant|variable|macro)"
_SHOWN = r"(?:(?:shown|defined|given|listed|provided)\s+)?(?:above|below)"
_NAMED = rf"\b{_THING}\s+`([\w.:]+)(?:\(\))?`\s+{_SHOWN}\b|`([\w.:]+)(?:\(\))?`\s+{_THING}\s+{_SHOWN}\b"
_NUMBERED = r"\b[Ss]ee\s+(?:also\s+)?[Ss]ection\s+(\d+(?:\.\d+)*)(?!\s+(?:of|in)\b|\.\d)\b"
_TITLED = r"(?i)\bsee\s+(?:the\s+)?[\"“*]{1,2}([A-Z][\w -]{2,40})[\"”*]{1,2}\s+section\s+(?:above|below)\b"
_TABLE = r"\b[Tt]he\s+(?:following\s+)?table\s+(?:above|below)\b"
_FOOTNOTE = r"\[\^([\w-]{1,30})\](?!:)"
_FOOTNOTE_TEXT = r"(?m)^[ >]*\[\^([\w-]{1,30})\]:"
_IDENTITY = r"(?:\bid|\bname)\s*=\s*[\"']?([\w.:-]+)|\{#([\w.:-]+)\}"
_FILE = r"(?:\.{1,2}/)?(?:[\w@.-]+/)*[\w@.-]+\.[A-Za-z]\w{0,5}$"


@check(
    ID,
    "correctness",
    sees="A link, footnote, section, name or file that the output refers to and that is not there.",
    severity="Minor for a link, footnote, section or table; major for code or a file. Three at most.",
    example="Use the function `parse_rows` above. (No block or line of the output holds `parse_rows`.)",
    whole=True,
)
def dangling_reference(subject: Subject) -> Iterator[Finding]:
    """Everything the output points to within itself that is not there."""
    findings = [
        *_anchors(subject),
        *_footnotes(subject),
        *_sections(subject),
        *_code(subject),
        *_tables(subject),
    ]
    findings += _files(subject)
    yield from islice((finding for finding in findings if finding.severity), 3)
    if findings and not any(finding.severity for finding in findings):
        yield Finding(
            ID, "correctness", None, f"Followed {counted(len(findings), 'internal reference')}: none is broken."
        )


def _inside(subject: Subject) -> Iterator[Token]:
    """What is inside the lines that may hold a link, a picture or a footnote."""
    for token in subject.tokens:
        if token.type == "inline" and _may_refer(token.content, subject):
            yield from subject.inside(token)


def _may_refer(text: str, subject: Subject) -> bool:
    if "](" in text or "[^" in text or ("[" in text and subject.has_reference_links):
        return True
    return "<" in text and ">" in text and (":" in text or "@" in text)


def _result(exists: object, severity: Severity, message: str, quote: str, offset: int | None) -> Finding:
    return Finding(ID, "correctness", None if exists else severity, message, quote[:200], offset=offset)


def _linked(subject: Subject, link: str) -> tuple[str, int | None]:
    """A link as the output writes it, and where; empty when it is written in another way."""
    written = _as_written(subject, link)
    place = re.search(rf"\]\(<?{re.escape(written)}|\]:\s*<?{re.escape(written)}", subject.output) if written else None
    return written, place.end() - len(written) if place else subject.on_line(written, 1)


def _anchors(subject: Subject) -> Iterator[Finding]:
    links = [str(token.attrs.get("href", "")) for token in _inside(subject) if token.type == "link_open"]
    targets = {link[1:] for link in links if link.startswith("#") and len(link) > 1}
    if not targets:
        return
    known = {_letters(title) for title in _headings(subject)}
    known |= {_letters(first or second) for first, second in re.findall(_IDENTITY, subject.output)}
    ordered = sorted(known)
    for target in sorted(targets):
        wanted = _letters(target if "%" not in target else _as_written(subject, target) or target)
        wanted = wanted if wanted in known else re.sub(r"\d+$", "", wanted)
        place = bisect_left(ordered, wanted)
        exists = wanted in ("top", "") or (place < len(ordered) and ordered[place].startswith(wanted))
        message = f"A link points to `#{target}`, but the output has no such heading."
        yield _result(exists, "minor", message, *_linked(subject, f"#{target}"))


def _as_written(subject: Subject, link: str) -> str:
    """A link as the output writes it: the parser gives letters other than English ones as numbers."""
    from urllib.parse import unquote  # costs start-up time

    return link if link in subject.output else unquote(link) if unquote(link) in subject.output else ""


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def _headings(subject: Subject) -> list[str]:
    """The titles of the output, bold lines among them."""
    titles = [_plain(subject, after) for token, after in pairwise(subject.tokens) if token.type == "heading_open"]
    titles += re.findall(r"^ {0,3}#{1,6}[ \t]+(.+)", subject.rest, re.MULTILINE)
    return titles + re.findall(r"^[ \t]*(?:[-*\d.]+[ \t]+)?\*\*([^*\n]+)\*\*", subject.output, re.MULTILINE)


def _plain(subject: Subject, token: Token) -> str:
    return "".join(child.content for child in subject.inside(token) if child.type in ("text", "code_inline"))


def _footnotes(subject: Subject) -> Iterator[Finding]:
    if "[^" not in subject.output:
        return
    texts = [child.content for child in _inside(subject) if child.type == "text"]
    explained = set(re.findall(_FOOTNOTE_TEXT, subject.output))
    for label in dict.fromkeys(label for text in texts for label in re.findall(_FOOTNOTE, text)):
        message = f"Footnote `[^{label}]` is cited, but its text is missing."
        yield _result(label in explained, "minor", message, f"[^{label}]", subject.on_line(f"[^{label}]", 1))


def _sections(subject: Subject) -> Iterator[Finding]:
    titles = _headings(subject)
    numbers = [match[1] for title in titles if (match := re.match(r"(?:Section\s+)?(\d+(?:\.\d+)*)\b", title))]
    for match in re.finditer(_NUMBERED, subject.prose) if len(numbers) > 1 else ():
        message = f"The text refers to section {match[1]}, but there is no section {match[1]}."
        yield _in_prose(subject, match, match[1] in numbers, "minor", message)
    for match in re.finditer(_TITLED, subject.prose) if titles else ():
        exists = any(_letters(match[1]) in _letters(title) for title in titles)
        message = f"The text refers to a section “{match[1]}” that does not exist."
        yield _in_prose(subject, match, exists, "minor", message)


def _in_prose(subject: Subject, match: re.Match[str], exists: object, severity: Severity, message: str) -> Finding:
    quote = match[0].splitlines()[0][:200]
    return _result(exists, severity, message, quote, subject.in_prose(quote, match.start()))


def _code(subject: Subject) -> Iterator[Finding]:
    """Names that are supposedly shown above or below. Earlier messages and the task count as above."""
    named = list(re.finditer(_NAMED, subject.prose))
    written = Counter(re.findall(r"\w+", subject.output)) if named else Counter[str]()
    elsewhere: set[str] | None = None
    for match in named:
        name = (match[1] or match[2]).split(".")[-1].split(":")[-1]
        exists = written[name] > re.findall(r"\w+", match[0]).count(name)
        if not exists:
            elsewhere = _words_elsewhere(subject) if elsewhere is None else elsewhere
            exists = name in elsewhere
        message = f"The text says `{name}` is shown, but it appears nowhere else in the output."
        yield _in_prose(subject, match, exists, "major", message)


def _words_elsewhere(subject: Subject) -> set[str]:
    """The words of the task and of every message but the output."""
    texts = [subject.task, *(event.text for event in subject.events if event.text != subject.output)]
    return {word for text in texts for word in re.findall(r"\w+", text)}


def _tables(subject: Subject) -> Iterator[Finding]:
    match = re.search(_TABLE, subject.prose)
    if match and not subject.events and not subject.rest and "table" not in subject.task.lower():
        shown = any(token.type in ("table_open", "fence", "html_block", "image") for token in subject.tokens)
        shown = shown or any(token.type == "image" for token in _inside(subject)) or "|" in subject.output
        yield _in_prose(subject, match, shown, "minor", "The text refers to a table that is not there.")


def _files(subject: Subject) -> Iterator[Finding]:
    """Links to files that neither the task nor the transcript mentions."""
    if not subject.calls:
        return
    links = (str(token.attrs.get("href", "")) for token in _inside(subject) if token.type == "link_open")
    paths = {link: re.sub(r"[#?:].*$", "", link.replace("%20", " ")) for link in links if "://" not in link}
    paths = {link: path for link, path in paths.items() if re.fullmatch(_FILE, path) and not path.startswith("www.")}
    if len(paths) > FOLLOWED:
        note = f"{FOLLOWED} of the {len(paths)} files that the output links to were looked for in the transcript"
        subject.notes[note] = None
    paths = dict(islice(paths.items(), FOLLOWED))
    unknown = _never_spoken_of(subject, {path.rsplit("/", 1)[-1] for path in paths.values()})
    for link, path in paths.items():
        exists = path.rsplit("/", 1)[-1] not in unknown
        message = f"A link points to `{path}`, a file that nothing in the transcript mentions."
        yield _result(exists, "major", message, *_linked(subject, link))


def _never_spoken_of(subject: Subject, names: set[str]) -> set[str]:
    """Those names that are neither in the task nor in the transcript; each event is read once."""
    names = {name for name in names if name not in subject.task}
    for event in subject.events:
        if not names:
            break
        texts = [event.text] if event.text != subject.output else []
        if event.call:
            texts += [event.call.result or "", repr(event.call.arguments)]
        names = {name for name in names if not any(name in text for text in texts)}
    return names


CHECKS = (dangling_reference,)
