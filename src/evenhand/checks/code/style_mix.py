"""Things done in two ways in one text: heading levels, list markers, spelling. Pure.

Small matters; only what is certain is reported. A word that is also a name in code (`color`) is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from evenhand.checks.facts.raw_code import reads_like_code
from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject
from evenhand.core.values.finding import Severity

_BRITISH = {
    "colour": "color",
    "behaviour": "behavior",
    "favour": "favor",
    "honour": "honor",
    "neighbour": "neighbor",
    "centre": "center",
    "catalogue": "catalog",
    "grey": "gray",
    "travelling": "traveling",
    "modelling": "modeling",
    "labelled": "labeled",
    "cancelled": "canceled",
    "defence": "defense",
    "analyse": "analyze",
    **{
        f"{stem}ise": f"{stem}ize"
        for stem in "organ optim initial normal summar custom recogn util minim maxim priorit categor standard".split()
    },
}
"""British spellings with the American ones; pairs of which both are good British words are left out."""

_TERMS = (("email", "e-mail"), ("JavaScript", "Javascript"), ("TypeScript", "Typescript"), ("GitHub", "Github"))
_ENDINGS = r"(?:s|d|r|rs|ed|ing|ings|al|ation|ations|isation|ization)?"


def _plain(subject: Subject) -> str:
    """The prose with code, links and quotations blanked out, everything else in its place."""
    hidden = r"`[^`]*`|https?://\S+|[\"\u201c][^\"\u201d\n]*[\"\u201d]"
    return re.sub(hidden, lambda match: " " * len(match[0]), subject.prose)


def _headings(subject: Subject) -> Iterator[Finding]:
    level = 0
    for token in subject.tokens if not reads_like_code(subject.output) else ():
        if token.type == "heading_open" and token.level == 0 and token.map:
            now = int(token.tag[1])
            if level and now > level + 1:
                line = subject.lines[token.map[0]].strip()[:200]
                message = f"The headings jump from level {level} to level {now}."
                yield _finding("minor", message, line, subject.on_line(line, token.map[0] + 1))
                return
            level = now


def _lists(subject: Subject) -> Iterator[Finding]:
    markers: dict[str, int] = {}
    if subject.output.lstrip().startswith(("diff --git", "--- ")):
        return
    for token in subject.tokens:
        if token.type == "list_item_open" and token.level == 1 and token.markup in "*-" and token.map:
            markers.setdefault(token.markup, token.map[0])
    if len(markers) > 1:
        line = max(markers.values())
        shown = " and ".join(f'"{marker}"' for marker in markers)
        quote = subject.lines[line].strip()[:200]
        yield _finding("minor", f"Lists are marked with both {shown}.", quote, subject.on_line(quote, line + 1))


def _spelling(subject: Subject) -> Iterator[Finding]:
    prose = _plain(subject)
    lower = prose.lower()
    code = "\n".join(
        [subject.task, *(block.code for block in subject.blocks), *re.findall(r"`[^`]*`", subject.prose)]
    ).lower()
    for british, american in _BRITISH.items():
        if british.rstrip("e") not in lower or american.rstrip("e") not in lower:
            continue
        # "analyses" is also the plural of "analysis", in both spellings
        first = re.search(rf"\b(?!analyses\b){british.rstrip('e')}e?{_ENDINGS}\b", prose, re.I)
        second = re.search(rf"\b{american.rstrip('e')}e?{_ENDINGS}\b", prose)
        if first and second and american.rstrip("e") not in code:
            message = f'The text mixes British and American spelling: "{first[0]}" and "{second[0]}".'
            yield _finding("minor", message, second[0], subject.in_prose(second[0], second.start()))
            return
    for term, synonym in _TERMS:
        use = re.search(rf"\b{synonym}s?\b", prose) if synonym in prose else None
        if use and re.search(rf"\b{term}s?\b", prose):
            message = f'The text has both "{term}" and "{synonym}".'
            yield _finding("minor", message, synonym, subject.in_prose(synonym, use.start()))
            return


def _finding(severity: Severity | None, message: str, quote: str = "", offset: int | None = None) -> Finding:
    return Finding("mixed-style", "consistency", severity, message, quote, offset=offset)


@check(
    "mixed-style",
    "consistency",
    sees="Heading levels that are skipped, list markers that change, British and American spelling of one word.",
    severity="Minor for each kind: the text can still be followed.",
    example='"The colour is set first ... then the color is changed"',
)
def _mixed(subject: Subject) -> Iterator[Finding]:
    findings = [*_headings(subject), *_lists(subject), *_spelling(subject)]
    yield from findings
    if not findings and subject.output.strip():
        yield _finding(None, "Headings, lists and spelling are consistent.")


CHECKS = (_mixed,)
