"""Jinja2 templates into HTML: text from outside is always escaped, and nothing unseen or obeyed is left in it.

Jinja2 is loaded when the first page is made: commands import the modules of pages whatever their format.
"""

from __future__ import annotations

from base64 import b64encode
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from evenhand.reports.comparison.word_diff import SAME, TOO_LONG, text_changes
from evenhand.reports.html.texts.judged_text import events_of
from evenhand.reports.tree import evidence_note, prose, sentence, spans
from evenhand.work.printable import printable

if TYPE_CHECKING:
    from jinja2 import Environment, PackageLoader


def make_environment(loader: Any) -> Environment:
    """Templates as every page of evenhand is made: escaped without exception, a missing value is an error."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=_shown,
    )
    environment.globals.update(
        spans=spans, prose=prose, sentence=sentence, evidence_note=evidence_note, text_changes=text_changes,
        SAME=SAME, TOO_LONG=TOO_LONG, events_of=events_of,
    )  # fmt: skip
    environment.filters["capitalised"] = lambda text: text[:1].upper() + text[1:]
    return environment


def _shown(value: Any) -> Any:
    """What an expression in a template becomes before it is escaped."""
    if isinstance(value, Markup):
        return value
    text = str(value)
    return text if text.isprintable() else printable(text)  # checked here, because a page has thousands of values


@lru_cache(maxsize=1)
def _environment() -> Environment:
    return make_environment(template_loader())


def template_loader() -> PackageLoader:
    """The templates of the reports, for a page of the dashboard that uses their macros."""
    from jinja2 import PackageLoader

    return PackageLoader("evenhand.reports.html")


def render(template: str, **values: Any) -> Markup:
    """A template filled in."""
    return Markup(_environment().get_template(template).render(**values))  # the template has escaped every value


@lru_cache(maxsize=1)
def stylesheet() -> str:
    """The one style sheet of all pages."""
    folder = files("evenhand.reports.html")
    names = ("page.css", "evaluation.css", "comparison.css")
    return "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)


class Page(str):
    """A self-contained page as text. The dashboard, which has its own frame, shows the `body` alone."""

    __slots__ = ("body",)
    body: Markup


def page(title: str, body: Markup) -> Page:
    """A self-contained page. Its policy lets the browser load nothing, run nothing and use this style sheet only."""
    css = stylesheet()
    digest = b64encode(sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    whole = Page(str(render("page.html", title=title, body=body, css=Markup(css), policy=policy)) + "\n")
    whole.body = body
    return whole
