"""Judged Markdown laid out for reading, and judged source code with its words told apart.

The text is someone else's: raw HTML in it stays text, a picture becomes its description and its address, and the
address of a link is shown instead of followed. Every element on the page is one of those written here, none has an
attribute that the text could fill, and all text is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from evenhand.reports.html.texts.highlighting import LONGEST as LONGEST_CODE
from evenhand.reports.html.texts.highlighting import escaped, highlighted, language_of

if TYPE_CHECKING:
    from markdown_it.token import Token

LONGEST: Final = 60_000
"""Characters of a text that is laid out; a longer one is shown as it was written only."""

_PLAIN: Final = frozenset("p em strong s ul ol li blockquote table thead tbody tr td".split())
"""The elements that Markdown makes, opened and closed as they are."""

_SHOWN_AS: Final = {"th": ("td", "head")} | {f"h{depth}": ("p", f"heading depth-{depth}") for depth in range(1, 7)}
"""Headings of a text or of its tables are none of the page's: they look like it, and are not listed among them."""

_ORDINARY: Final = frozenset(("paragraph_open", "paragraph_close", "inline"))


def rendered_text(text: str, file_name: str = "", *, is_read_out: bool = False) -> Markup | None:
    """The text laid out; None when there is nothing to lay out, or too much.

    A text that is read out of another, such as an answer in JSON, is laid out even where it is plain.
    """
    if not text.strip() or len(text) > LONGEST:
        return None
    language = language_of(file_name) if file_name else ""
    if language:
        return Markup('<pre class="code"><code>{}</code></pre>').format(highlighted(text, language))
    tokens = _parsed(text)
    return None if _is_plain(tokens) and not is_read_out else Markup("").join(_blocks(tokens))


def _parsed(text: str) -> list[Token]:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).enable(["table", "strikethrough"]).parse(text)


def _is_plain(tokens: Sequence[Token]) -> bool:
    """Whether a text consists of paragraphs only, so that laid out it would look as it does already."""
    return all(token.type in _ORDINARY for token in tokens) and not any(
        child.type not in ("text", "softbreak", "hardbreak") for token in tokens for child in token.children or ()
    )


def _blocks(tokens: Sequence[Token]) -> Iterator[Markup]:
    left = LONGEST_CODE
    for token in tokens:
        if token.type == "inline":
            yield from _inline(token.children or ())
        elif token.type in ("fence", "code_block"):
            language = token.info.split()[0] if token.info.split() and len(token.content) <= left else ""
            code = highlighted(token.content, language)
            left -= len(token.content) if language else 0
            yield Markup('<pre class="code"><code>{}</code></pre>').format(code)
        elif token.type == "hr":
            yield Markup("<hr>")
        elif token.hidden:  # the paragraph of an item in a tight list
            continue
        elif token.tag in _PLAIN or token.tag in _SHOWN_AS:
            yield _element(token)
        else:
            yield escaped(token.content)


def _element(token: Token) -> Markup:
    tag, kind = _SHOWN_AS.get(token.tag, (token.tag, ""))
    if token.nesting < 0:
        return Markup(f"</{tag}>")
    start = token.attrGet("start") if tag == "ol" else None
    if isinstance(start, int):
        return Markup(f'<ol start="{start}">')
    return Markup(f'<{tag} class="{kind}">' if kind else f"<{tag}>")


def _inline(tokens: Sequence[Token]) -> Iterator[Markup]:
    addresses: list[str] = []
    for token in tokens:
        if token.type == "text":
            yield escaped(token.content)
        elif token.type == "softbreak":
            yield Markup("\n")
        elif token.type == "hardbreak":
            yield Markup("<br>")
        elif token.type == "code_inline":
            yield Markup("<code>{}</code>").format(escaped(token.content))
        elif token.type == "image":
            address = str(token.attrGet("src") or "")
            yield Markup('<span class="where">picture: {} {}</span>').format(escaped(token.content), escaped(address))
        elif token.type == "link_open":
            addresses.append(str(token.attrGet("href") or ""))
            yield Markup('<span class="linked">')
        elif token.type == "link_close":
            address = addresses.pop()
            where = Markup(' <span class="where">{}</span>').format(escaped(address))
            yield Markup("</span>") + ("" if token.info == "auto" else where)  # there the address is the text
        elif token.tag in _PLAIN:
            yield _element(token)
        else:
            yield escaped(token.content)
