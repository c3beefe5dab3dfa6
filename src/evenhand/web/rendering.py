"""Pages into HTML: one Jinja2 environment that escapes everything, and the frame around every page."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from jinja2 import ChoiceLoader, PackageLoader
from markupsafe import Markup, escape

from evenhand._version import __version__
from evenhand.reports.charts import spark
from evenhand.reports.comparison.word_diff import word_changes
from evenhand.reports.html.environment import make_environment, template_loader
from evenhand.store.in_list import State
from evenhand.web.page import Page
from evenhand.web.pages.cells import short_time
from evenhand.web.parameters import Parameters, link, quoted
from evenhand.web.refusal import Refused
from evenhand.web.static_files import static_files
from evenhand.work.printable import printable


class Entry(NamedTuple):
    """A page in the menu."""

    address: str
    name: str
    below: tuple[str, ...] = ()
    """The addresses of the pages that are reached from it."""

    def leads_to(self, path: str) -> bool:
        """Whether a page is this one or below it."""
        return path == self.address or path in self.below


MENU: Final = (
    Entry("/", "Overview", ("/skill",)),
    Entry("/evaluations", "Work", ("/evaluation",)),
    Entry("/suites", "Suites", ("/suite",)),
    Entry("/judges", "Judges"),
    Entry("/rubrics", "Rubrics"),
    Entry("/reviews", "Review", ("/review", "/review-round")),
)
"""The pages that every page links to; there is no review on a read-only dashboard."""


class Frame(NamedTuple):
    """What every page shows around its content."""

    parameters: Parameters
    store: str
    """Where the evaluations are; empty for who is not signed in."""
    read_only: bool
    person: str
    can_sign_out: bool
    form_token: str
    """Every form sends it back."""
    administers: bool = True
    """Whether the person may start rounds of review."""
    hidden: int = 0
    """Evaluations that are left out because the person is asked to review them."""


MOST_TEXTS: Final = 4
"""People for whom the text of a page is remembered."""

LONGEST_TEXT: Final = 200_000
"""Characters of a text that is remembered."""

_ANY_TOKEN: Final = secrets.token_hex(32)
"""Stands for a session's form token in a text that is remembered; no one who writes to a store can know it."""


class Renderer:
    """Renders with the templates of this package."""

    def __init__(self) -> None:
        loader = ChoiceLoader([PackageLoader("evenhand.web"), template_loader()])  # ours use the macros of the reports
        self._environment = make_environment(loader)
        self._environment.filters["moment"] = short_time
        self._environment.filters["grade"] = grade_mark
        self._environment.globals["rubric_mark"] = rubric_mark
        self._environment.globals["state_words"] = STATE_WORDS
        self._environment.filters["query"] = quoted
        self._environment.filters["found_in"] = found_in
        self._environment.filters["score"] = lambda number: "-" if number is None else f"{number:.2f}"
        self._environment.globals.update(
            spark=spark,
            word_changes=word_changes,
            link=link,
            menu=MENU,
            version=__version__,
            files={name: f.address for name, f in static_files().items()},
        )

    def page(self, page: Page, frame: Frame) -> str:
        """A page in its frame."""
        return self._render(page.template, frame, title=page.title, page=page, it=page.document, **page.shown)

    def page_again(self, page: Page, frame: Frame) -> str:
        """A page in its frame; one that is remembered is rendered once for each person."""
        if page.texts is None:
            return self.page(page, frame)
        of_anyone = frame._replace(form_token=_ANY_TOKEN)
        around = of_anyone[1:]  # all but the parameters: the page is remembered by those
        text = page.texts.get(around)
        if text is None:
            text = self.page(page, of_anyone)
            if len(page.texts) < MOST_TEXTS and len(text) <= LONGEST_TEXT:
                page.texts[around] = text
        return text.replace(_ANY_TOKEN, frame.form_token)

    def refusal(self, refused: Refused, frame: Frame) -> str:
        """A page that explains why a request was refused."""
        return self._render("refusal.html", frame, title=refused.what, page=None, refused=refused)

    def sign_in(self, frame: Frame, next: str, *, wrong: bool, unsent: str = "") -> str:
        """The form for a token, and the page to go on with; `unsent` is a form that came without a session, as JSON."""
        return self._render("sign_in.html", frame, title="Sign in", page=None, next=next, wrong=wrong, unsent=unsent)

    def unsent(self, frame: Frame, path: str, fields: Sequence[tuple[str, str]]) -> str:
        """What someone wrote before their session had ended, to be sent again."""
        exact = [(name, value, escape(value)) for name, value in fields]  # what is sent keeps what no reader sees
        return self._render("unsent.html", frame, title="Send it again", page=None, path=path, fields=exact)

    def _render(self, template: str, frame: Frame, **context: Any) -> str:
        return self._environment.get_template(template).render(frame=frame, **context)


STATE_WORDS: Final[dict[State, str]] = {
    "graded": "graded",
    "incomplete": "partly scored",
    "unread": "not read",
    "failed": "failed",
    "lost": "lost",
}
"""What stands in a list where there is no grade."""

_PLACES: Final = {"justification": "reason", "red_flags": "red flag", "bonuses": "bonus", "findings": "finding"}
_UNTOLD: Final = ("dimensions", "evidence")


@lru_cache(maxsize=256)
def found_in(where: str) -> str:
    """Where a text stands, for readers: `dimensions safety justification` is `safety reason`."""
    return " ".join(_PLACES.get(name, name) for name in where.split() if name not in _UNTOLD)


@lru_cache(maxsize=64)
def grade_mark(letter: str | None) -> Markup:
    """A grade in its colour."""
    if not letter:
        return Markup('<span class="soft">not graded</span>')
    tone = letter[0].lower() if letter[0] in "ABCDF" else "none"
    return Markup('<b class="grade grade-{}">{}</b>').format(tone, printable(letter))


@lru_cache(maxsize=64)
def rubric_mark(name: str, version: str) -> Markup:
    """A version of a rubric, with a link to its page; nothing where no one judged by any."""
    if not name:
        return Markup("")
    return Markup('<a href="{}">{}</a> <span class="soft">{}</span>').format(
        link("/rubrics", {"name": name, "to": version}), printable(name), printable(version[:8])
    )
