"""Source code with its keywords, strings, numbers and comments told apart. What is shown is always the code itself."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup, escape

from evenhand.work.printable import printable

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LONGEST: Final = 8_000
"""Characters of code on a page; what goes beyond is shown plain. Over some texts lexers need time with their square."""

_LANGUAGES: Final = frozenset(
    "bash c cpp csharp css dockerfile go html ini java javascript json kotlin lua php python ruby rust "
    "scss sql swift toml typescript xml yaml".split()
)
"""What is told apart, by Pygments' name for it. Of other languages the code is shown plain; so it is of diffs and
makefiles, whose lexers take minutes over some short texts."""


def highlighted(code: str, language: str) -> Markup:
    """A piece of code as HTML."""
    lexer = _lexer(language.strip().lower()[:40])
    if lexer is None or len(code) > LONGEST:
        return escaped(code)
    return Markup("").join(
        Markup('<span class="{}">{}</span>').format(kind, escaped(text)) if kind else escaped(text)
        for kind, text in _pieces(lexer, code)
    )


def language_of(file_name: str) -> str:
    """The language of a source file by its name; empty when it is not one. Files of JSON are transcripts too often."""
    from pygments.lexers import find_lexer_class_for_filename

    found = find_lexer_class_for_filename(file_name.rpartition("/")[2][-100:])
    names = set() if found is None else set(found.aliases) & _LANGUAGES - {"json"}
    return min(names) if names else ""


def escaped(text: str) -> Markup:
    """A text as a page shows it, without what no one would see."""
    return escape(text if text.isprintable() else printable(text))


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    return lexer if _LANGUAGES & set(lexer.aliases) else None


def _pieces(lexer: Lexer, code: str) -> list[tuple[str, str]]:
    """The code in pieces of one kind each; all of one kind if the lexer does not give back what it was given."""
    pieces: list[tuple[str, str]] = []
    for token, text in lexer.get_tokens(code):
        kind = _kind(token)
        if pieces and pieces[-1][0] == kind:
            pieces[-1] = (kind, pieces[-1][1] + text)
        else:
            pieces.append((kind, text))
    same = "".join(text for _, text in pieces) == code
    return pieces if same else [("", code)]


def _kind(token: Any) -> str:
    from pygments.token import Comment, Keyword, Literal, Name, Number, String

    kinds = (
        (Comment, "code-comment"),
        (Keyword, "code-word"),
        (Number, "code-number"),
        (String, "code-string"),
        (Literal, "code-number"),
        (Name.Tag, "code-word"),
        (Name.Builtin, "code-name"),
        (Name.Function, "code-name"),
        (Name.Class, "code-name"),
    )
    return next((kind for parent, kind in kinds if token in parent), "")
