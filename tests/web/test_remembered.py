"""Pages are made again as soon as there are other evaluations, and only then; very many may be some seconds old."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from conftest import seven
from web_stores import keep

from evenhand.judging.keeper import Keeper
from evenhand.store.blind_view import BlindView
from evenhand.store.protocol import Store
from evenhand.store.tables.notes import TAGGED, Note
from evenhand.store.tables.reviews import ReviewItem, ReviewRound
from evenhand.web.page import Page, Sheet
from evenhand.web.pages import course, skill_list
from evenhand.web.pages.evaluations import evaluations
from evenhand.web.pages.judge_list import judges
from evenhand.web.pages.remembered import AGE, MOST, Figures, of_evaluations
from evenhand.web.pages.rubrics import rubrics
from evenhand.web.pages.skill import skill
from evenhand.web.pages.skill_list import skills
from evenhand.web.parameters import Parameters
from evenhand.web.rendering import MOST_TEXTS, Frame, Renderer


def add(store: Store, id: str, score: int = 8, created: str = "2026-03-01T00:00:00Z") -> None:
    keep(Keeper(store), f"output {id}", skill="s", scores=seven(score), id=id, created=created)


def asked(path: str, **values: str) -> Parameters:
    return Parameters(path, {name: (value,) for name, value in values.items()})


def test_the_state_changes_with_every_evaluation_whenever_it_was_made(store):
    """One that is older than all others too, as an import brings; reading changes nothing."""
    states = [store.state()]
    for id, created in (("a", "2026-03-01T00:00:00Z"), ("b", "2026-03-02T00:00:00Z"), ("c", "2020-01-01T00:00:00Z")):
        add(store, id, created=created)
        states.append(store.state())
        list(store.evaluations())
        assert store.state() == states[-1]
    assert len(set(states)) == 4


def test_the_state_of_a_view_changes_with_what_is_hidden(store):
    """A round of review begins: no evaluation is added, and still the reviewer sees other ones."""
    add(store, "a")
    view = BlindView(store, "ana")
    before = view.state()
    assert view.state() == before
    with store.transaction():
        round = ReviewRound("r", "2026-03-01T00:00:00Z", "ana", "sample", 1, 1, "1", None, None)
        store.add_round(round, [ReviewItem("r", 1, "a", "s", "", "1", "")], {}, {})
    assert view.state() != before and view.hidden() == 1


@pytest.mark.parametrize(
    ("page", "parameters", "listed"),
    [
        (skill, asked("/skill", name="s"), lambda document: [row["id"] for row in document["listed"]]),
        (evaluations, asked("/evaluations"), lambda document: [row["id"] for row in document["listed"]]),
        (skills, asked("/"), lambda document: [row["latest"]["id"] for row in document["skills"]]),
        (rubrics, asked("/rubrics"), lambda document: [row["newest"] for row in document["versions"]]),
    ],
    ids=["skill", "evaluations", "overview", "rubrics"],
)
def test_a_page_is_made_again_once_there_is_another_evaluation(store, page, parameters, listed):
    """As long as there is none, the page is the same whole, its spreadsheet included, however often it is read."""
    add(store, "a")
    first, again = page(store, parameters), page(store, parameters)
    assert first.document == again.document
    assert list(first.sheet.rows) == list(first.sheet.rows) == list(again.sheet.rows) != []
    add(store, "b", 5)
    assert set(listed(page(store, parameters).document)) - set(listed(first.document)) == {"b"}


def test_the_figures_of_judges_and_checks_count_every_new_evaluation(store):
    before = judges(store, asked("/judges")).document["evaluations"]
    add(store, "another")
    assert judges(store, asked("/judges")).document["evaluations"] == before + 1


def frame(person: str = "ana", token: str = "1", **more: Any) -> Frame:
    return Frame(asked("/rubrics"), "the store", False, person, True, token, **more)


def test_a_remembered_page_is_rendered_once_for_each_person_and_has_the_token_of_each_session(store, monkeypatch):
    """The text is the one that rendering gives, whatever was remembered before."""
    add(store, "a")
    page, renderer = rubrics(store, asked("/rubrics")), Renderer()
    rendered: list[str] = []
    render = Renderer.page

    def noted(self: Renderer, page: Page, frame: Frame) -> str:
        rendered.append(frame.person)
        return render(self, page, frame)

    monkeypatch.setattr(Renderer, "page", noted)
    frames = [frame(), frame(token="2"), frame("bo"), frame(administers=False), frame(hidden=3), frame("bo", "4")]
    texts = [renderer.page_again(page, one) for one in frames]
    assert rendered == ["ana", "bo", "ana", "ana"]
    assert texts == [render(renderer, page, one) for one in frames]
    assert [text.count('name="form_token" value="2"') for text in texts] == [0, 1, 0, 0, 0, 0]
    add(store, "b")
    assert renderer.page_again(rubrics(store, asked("/rubrics")), frame()) != texts[0]


@pytest.mark.parametrize(
    "other", [{"store": "another"}, {"read_only": True}, {"person": "bo"}, {"can_sign_out": False}, {"hidden": 3}]
)
def test_a_text_is_shown_again_only_where_all_around_the_page_is_the_same(store, other):
    """Someone whose role was changed gets the page of the new role with the next request."""
    add(store, "a")
    page, renderer = rubrics(store, asked("/rubrics")), Renderer()
    assert Frame._fields[0] == "parameters"
    for around in (frame(), frame()._replace(**other), frame()):
        assert renderer.page_again(page, around) == renderer.page(page, around)
    assert page.texts is not None and len(page.texts) == 2


def test_only_so_many_texts_of_a_page_are_remembered_and_none_that_is_long(store, monkeypatch):
    """The fifth person gets the page too, rendered anew."""
    add(store, "a")
    page, renderer = rubrics(store, asked("/rubrics")), Renderer()
    assert page.texts is not None
    for number in range(MOST_TEXTS + 2):
        assert f"<span>p{number}</span>" in renderer.page_again(page, frame(f"p{number}"))
    assert len(page.texts) == MOST_TEXTS
    page.texts.clear()
    text = renderer.page(page, frame(token="0" * 64))
    for longest, kept in ((len(text) - 1, 0), (len(text), 1)):
        monkeypatch.setattr("evenhand.web.rendering.LONGEST_TEXT", longest)
        assert renderer.page_again(page, frame(token="0" * 64)) == text
        assert len(page.texts) == kept


def test_a_list_by_tag_follows_the_tags(store):
    """They are put on and taken off without any evaluation being added."""
    add(store, "a")
    tagged = asked("/evaluations", tag="odd")
    assert evaluations(store, tagged).document["listed"] == []
    with store.transaction():
        store.add_note(Note("a", "2026-03-01T00:00:00Z", "ana", TAGGED, "odd"))
    assert [row["id"] for row in evaluations(store, tagged).document["listed"]] == ["a"]
    assert [row["id"] for row in skill(store, asked("/skill", name="s", tag="odd")).document["listed"]] == ["a"]


class Stand:
    """As much of a store as is looked at."""

    url = "stand"

    def __init__(self) -> None:
        self.number = 0

    def state(self) -> int:
        return self.number


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clock that stands still until it is moved."""
    now = SimpleNamespace(at=1000.0)
    monkeypatch.setattr("evenhand.clock.elapsed", lambda: now.at)
    return now


def test_figures_over_very_many_evaluations_may_be_ten_seconds_old(moment):
    """Exactly ten are too many; over few evaluations they are worked out for every new one."""
    store: Any = Stand()
    few: Figures[int] = Figures()
    many: Figures[int] = Figures()
    for number, later, seen in ((1, 0.0, 0), (2, AGE - 0.5, 0), (3, 0.5, 3), (4, 0.1, 3)):
        assert many.of(store, "key", lambda: store.number, many=True) == (0 if number < 4 else 3)
        store.number, moment.at = number, moment.at + later
        assert few.of(store, "key", lambda: store.number, many=False) == number
        assert many.of(store, "key", lambda: store.number, many=True) == seen


def test_figures_are_worked_out_once_while_nothing_is_added(moment):
    """However old they are; an error is not remembered, and only so many are."""
    store: Any = Stand()
    worked: list[str] = []
    figures: Figures[None] = Figures()
    for key in ("a", "a"):
        figures.of(store, key, lambda key=key: worked.append(key), many=False)  # type: ignore[misc]
        moment.at += 1e6
    assert worked == ["a"]
    with pytest.raises(ZeroDivisionError):
        figures.of(store, "b", lambda: 1 // 0, many=False)  # type: ignore[arg-type]
    for number in range(MOST):
        figures.of(store, number, lambda: None, many=False)
    figures.of(store, "a", lambda: worked.append("a"), many=False)
    assert worked == ["a", "a"]


def test_pages_of_two_addresses_are_kept_apart():
    """And so are those of two stores."""
    made: list[str] = []

    def make(store: Store, parameters: Parameters) -> Page:
        made.append(parameters.address())
        return Page("p", "P", "p.html", {"n": len(made)}, Sheet((), iter(())))

    page = of_evaluations(make)
    one: Any = Stand()
    other: Any = Stand()
    other.url = "other"
    numbers = [
        page(store, asked("/p", **values)).document["n"]
        for store, values in ((one, {}), (one, {"q": "x"}), (other, {}), (one, {}), (other, {}))
    ]
    assert numbers == [1, 2, 3, 1, 3]


@pytest.mark.parametrize("limit", [2, 5])
def test_only_a_page_with_very_many_evaluations_may_lag(store, monkeypatch, moment, limit):
    """Two evaluations where two are the most that are counted: the chart stays for ten seconds, the list does not."""
    monkeypatch.setattr(course, "MOST_COUNTED", limit)
    monkeypatch.setattr(course, "_courses", Figures())
    monkeypatch.setattr(skill_list, "COUNTED", limit)
    monkeypatch.setattr(skill_list, "_weeks", Figures())
    add(store, "a")
    add(store, "b")
    parameters = asked("/skill", name="s")
    skill(store, parameters), skills(store, asked("/"))
    add(store, "c")
    lags = limit == 2
    page = skill(store, parameters)
    assert [row["id"] for row in page.document["listed"]] == ["c", "b", "a"]
    assert sum(period["evaluations"] for period in page.document["periods"]) == (2 if lags else 3)
    overview = skills(store, asked("/")).document
    assert overview["week"]["evaluations"] == (2 if lags else 3)
    assert overview["skills"][0]["latest"]["id"] == "c"
    moment.at += AGE
    add(store, "d")
    assert sum(period["evaluations"] for period in skill(store, parameters).document["periods"]) == 4
    assert skills(store, asked("/")).document["week"]["evaluations"] == 4
