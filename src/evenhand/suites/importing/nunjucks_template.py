"""promptfoo's templates, in nunjucks: variables, filters, `if`, `for`, comments and raw text.

What is not done here exactly as nunjucks does it raises NotRendered, so that no import means another thing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from evenhand.suites.importing.template_expressions import expression
from evenhand.suites.importing.template_values import MISSING, NotRendered, is_true, text_of

_TAG = re.compile(r"\{%-?\s*raw\s*-?%\}(.*?)\{%-?\s*endraw\s*-?%\}|\{\{(-?)(.*?)(-?)\}\}|\{%(-?)(.*?)(-?)%\}|\{#.*?#\}",
                  re.DOTALL)  # fmt: skip
_OPENING = re.compile(r"\{\{|\{%|\{#")
_PARTIAL = re.compile(r"(?m)\{%[^%]*$|\{\{[^}]*$|\{#[^#]*$")
_FOR = re.compile(r"for\s+([A-Za-z_]\w*)(?:\s*,\s*([A-Za-z_]\w*))?\s+in\s+(.*)", re.DOTALL)
_LARGEST = 1_000_000
"""The most characters that a template may make."""

Scope = Mapping[str, Any]
Part = Callable[[Scope], Iterator[str]]


def rendered(text: str, variables: Scope) -> str:
    """A template with its variables; one that is not there is empty, as in promptfoo."""
    if not _OPENING.search(text) or _PARTIAL.search(text):
        return text
    pieces: list[str] = []
    length = 0
    for piece in _parsed(text)(variables):
        pieces.append(piece)
        length += len(piece)
        if length > _LARGEST:
            raise NotRendered("a text of more than a million characters")
    return "".join(pieces)


def check_template(text: str) -> None:
    """Raise NotRendered for a template with other things in it."""
    if _OPENING.search(text) and not _PARTIAL.search(text):
        _parsed(text)


class _Token(NamedTuple):
    kind: str
    """text, show or do."""
    source: str


@lru_cache(maxsize=256)
def _parsed(text: str) -> Part:
    parser = _Parser(_tokens(text))
    try:
        part = parser.sequence()
    except RecursionError:
        raise NotRendered("too deep a nesting") from None
    if parser.tokens:
        raise NotRendered(f"{{% {parser.tokens[0].source.strip()[:40]} %}}")
    return part


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    end = 0
    strip_next = False
    for match in _TAG.finditer(text):
        raw, show_start, shown, show_end, do_start, done, do_end = match.groups()
        between = text[end : match.start()]
        if _OPENING.search(between) or between.endswith("{"):
            raise NotRendered("a tag that is not closed")
        between = between.lstrip() if strip_next else between
        tokens.append(_Token("text", between.rstrip() if show_start or do_start else between))
        strip_next = bool(show_end or do_end)
        if raw is not None:
            if "-%}" in match[0] or "{%-" in match[0]:
                raise NotRendered("raw text without the space around it")
            tokens.append(_Token("text", raw))
        elif shown is not None:
            tokens.append(_Token("show", shown))
        elif done is not None:
            tokens.append(_Token("do", done))
        end = match.end()
    rest = text[end:]
    if _OPENING.search(rest):
        raise NotRendered("a tag that is not closed")
    tokens.append(_Token("text", rest.lstrip() if strip_next else rest))
    return [token for token in tokens if token.source or token.kind != "text"]


class _Parser:
    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens

    def sequence(self, *ends: str) -> Part:
        """Everything up to one of some words, which stays."""
        parts: list[Part] = []
        while self.tokens and not (self.tokens[0].kind == "do" and _word(self.tokens[0]) in ends):
            token = self.tokens.pop(0)
            if token.kind == "text":
                parts.append(_literal(token.source))
            elif token.kind == "show":
                parts.append(_shown(token.source))
            elif _word(token) == "if":
                parts.append(self.choice(token))
            elif _word(token) == "for":
                parts.append(self.loop(token))
            else:
                raise NotRendered(f"{{% {token.source.strip()[:40]} %}}")
        if ends and not self.tokens:
            raise NotRendered("a block without its end")

        def render(scope: Scope) -> Iterator[str]:
            for part in parts:
                yield from part(scope)

        return render

    def choice(self, token: _Token) -> Part:
        condition = expression(token.source.strip().partition("if")[2])
        then = self.sequence("elif", "elseif", "else", "endif")
        following = self.tokens.pop(0)
        otherwise: Part = _literal("")
        if _word(following) in ("elif", "elseif"):
            otherwise = self.choice(following)
        elif _word(following) == "else":
            otherwise = self.sequence("endif")
            self.tokens.pop(0)
        return lambda scope: (then if is_true(condition(scope)) else otherwise)(scope)

    def loop(self, token: _Token) -> Part:
        match = _FOR.fullmatch(token.source.strip())
        if match is None:
            raise NotRendered(f"{{% {token.source.strip()[:40]} %}}")
        name, second, source = match.groups()
        items = expression(source)
        body = self.sequence("else", "endfor")
        otherwise: Part = _literal("")
        if _word(self.tokens.pop(0)) == "else":
            otherwise = self.sequence("endfor")
            self.tokens.pop(0)

        def render(scope: Scope) -> Iterator[str]:
            rows = _rows(items(scope), name, second)
            for number, row in enumerate(rows):
                yield from body({**scope, **row, "loop": _loop(number, len(rows))})
            if not rows:
                yield from otherwise(scope)

        return render


def _word(token: _Token) -> str:
    return (token.source.split() or [""])[0]


def _literal(text: str) -> Part:
    return lambda _: iter((text,))


def _shown(source: str) -> Part:
    value = expression(source)
    return lambda scope: iter((text_of(value(scope)),))


def _rows(value: Any, name: str, second: str | None) -> list[dict[str, Any]]:
    """The variables of a loop in each round. A text is a list of its characters; an object has keys or no round."""
    if value is None or value is MISSING:
        return []
    if second is None:
        return [{name: item} for item in value] if isinstance(value, list | str) else []
    if isinstance(value, Mapping):
        return [{name: key, second: item} for key, item in value.items()]
    if isinstance(value, list) and all(isinstance(item, list) and len(item) == 2 for item in value):
        return [{name: first, second: following} for first, following in value]
    raise NotRendered("a loop with two variables over something other than an object")


def _loop(number: int, length: int) -> dict[str, Any]:
    return {
        "index": number + 1,
        "index0": number,
        "revindex": length - number,
        "revindex0": length - number - 1,
        "first": number == 0,
        "last": number == length - 1,
        "length": length,
    }
