"""Two evaluations, two skills, the variants of a suite: what differs is shown side by side and can be opened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browser import DESKTOPS, LOOKS
from conftest import make_rubric, seven
from dashboard import Dashboard
from web_stores import store_with_history

import evenhand
from evenhand.core.finding import Checked, Expected, Finding
from evenhand.core.panel import consensus
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import Keeper
from evenhand.judging.steps import Steps
from evenhand.store import open_store
from evenhand.work.submission import Submission
from panels import model_judgement
from test_web_browser import focused, quiet_routes, tab_to

SAME = "A line that stays.\n" * 20
BEFORE = f"The sum is 4 parts.\n{SAME}Delete everything.\n"
AFTER = f"The sum is 3 parts.\n{SAME}Move it away.\nThen resume.\n"


def keep_panel(keeper: Keeper, output: str, id: str, scores: tuple[int, int], words: str, *, wrong: bool) -> None:
    """An evaluation by two judges, of whom the second says the same both times, and a check."""
    judges = []
    for name, score, says in (("m:first", scores[0], words), ("m:second", scores[1], "As ever.")):
        judgement = model_judgement(score, name=name)
        opinion = judgement.opinions["correctness"]._replace(justification=says)
        judges.append(judgement._replace(opinions={**judgement.opinions, "correctness": opinion}))
    faults = (Finding("sums", "correctness", "major", "The sum is wrong.", quote="The sum is 4"),) if wrong else ()
    expected = Expected("it resumes", "unmet" if wrong else "met", "correctness", "minor", "looked at")
    checked = Checked(checks="c", findings=faults, expectations=(expected,))
    judgement = consensus(judges)._replace(checked=checked, skill="export")
    submission = Submission(output=output, task="Repair the export")
    card = Steps(make_rubric()).evaluate_written(judgement, submission=submission, id=id).card
    keeper.keep(Evaluated(card, submission, True))


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: Any) -> Iterator[Dashboard]:
    path = str(tmp_path_factory.mktemp("store") / "evaluations.db")
    store_with_history(path)
    keeper = Keeper(open_store(path))
    keep_panel(keeper, BEFORE, "was", (5, 7), "It adds up wrongly.", wrong=True)
    keep_panel(keeper, AFTER, "now", (9, 7), "It adds up.", wrong=False)
    for version, score in (("1", 6), ("2", 8)):
        for case in range(6):
            output = f"Version {version} does case {case}."
            judgement = {"skill": "notes", "task": f"case {case}", "scores": seven(score)}
            moment = f"2026-05-0{case + 1}T00:00:00Z"
            card = evenhand.score(judgement, output=output, id=f"v{version}-{case}", created=moment)
            keeper.keep(Evaluated(card._replace(skill_version=version), Submission(output=output), True))
    keeper.raise_if_not_kept()
    with Dashboard(path, routes=quiet_routes) as running:
        yield running


PAIR = "/evaluation?id=now&against=was"


def test_two_evaluations_show_the_words_that_changed_and_fold_the_rest(dashboard):
    """Lines that stay, far from a change, are behind a heading that counts them: 20 less 2 and 2."""
    text = dashboard.get(PAIR).text
    assert "The sum is <del>4</del> parts." in text and "The sum is <ins>3</ins> parts." in text
    assert "<ins>Then resume.</ins>" in text
    assert "16 lines without a change" in text


@pytest.mark.slow
def test_a_report_of_two_evaluations_shows_the_words_that_changed(evenhand_command, tmp_path):
    """As the dashboard does, as far as the store keeps the texts."""
    path = str(tmp_path / "two.db")
    keeper = Keeper(open_store(path))
    for id, output in (("was", "The sum is 4."), ("now", "The sum is 3.")):
        card = Steps(make_rubric()).evaluate_written(model_judgement(8), output=output, id=id).card
        keeper.keep(Evaluated(card, Submission(output=output), True))
    keeper.raise_if_not_kept()
    assert evenhand_command("better", "was", "now", "--store", path, "-o", "x.html").code == 0
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert "The sum is <del>4</del>." in page and "The sum is <ins>3</ins>." in page


def test_reasons_stand_side_by_side_by_dimension_and_judge(dashboard):
    """A judge who says the same both times is shown once."""
    text = dashboard.get(PAIR).text
    part = text.split('aria-labelledby="reasons"')[1].split("</section>")[0]
    assert (
        part.index("m:first") < part.index("It adds up wrongly.") < part.index("It adds up.<") < part.index("m:second")
    )
    assert part.count("As ever.") == 1 and "the same<" in part


def test_findings_and_expectations_that_changed_are_listed_and_in_the_json(dashboard):
    """A fault that is gone, an expectation that is met now."""
    assert dashboard.json(PAIR)["findings"] == [
        {"kind": "fault", "words": "The sum is wrong.", "before": "major", "after": None},
        {"kind": "expectation", "words": "it resumes", "before": "unmet", "after": "met"},
    ]
    assert "fault: The sum is wrong." in dashboard.get(PAIR).text


def test_a_side_without_its_text_is_compared_without_it(dashboard, tmp_path):
    """The store may keep only a hash."""
    path = str(tmp_path / "bare.db")
    keeper = Keeper(open_store(path))
    for id in ("x", "y"):
        card = Steps(make_rubric()).evaluate_written(model_judgement(8), output=f"text {id}", id=id).card
        keeper.keep(Evaluated(card, None, True))
    keeper.raise_if_not_kept()
    with Dashboard(path) as bare:
        answer = bare.get("/evaluation?id=y&against=x")
        assert (answer.status, "Outputs" in answer.text) == (200, False), answer.text
    assert "Both are evaluations of the same text." in dashboard.get("/evaluation?id=was&against=was").text


def test_two_versions_of_a_skill_are_compared_by_case_with_the_decisions_sentence(dashboard):
    """Six cases, each 2.00 better; every case leads to its two evaluations."""
    page = "/skill?name=notes&of_version=2&against_version=1"
    answer = dashboard.get(page)
    assert "notes 2 is better than notes 1: in 6 of 6 cases" in answer.text
    assert 'href="/evaluation?id=v2-0&amp;against=v1-0"' in answer.text
    assert dashboard.json(page)["contrasts"][0]["verdict"] == "better"
    missing = dashboard.get("/skill?name=notes&against_version=9")
    assert (missing.status, "has the version" in missing.text) == (404, True)


@pytest.mark.slow
@pytest.mark.parametrize("page", [PAIR, "/skill?name=notes&of_version=2&against_version=1"])
def test_a_comparison_has_no_barrier_and_every_control_can_be_clicked(browser, dashboard, page):
    """In light and dark, narrow and wide, folded and unfolded."""
    with browser.open(f"{dashboard.url}{page}") as opened:
        for is_open in ("false", "true"):
            opened.evaluate(f"document.querySelectorAll('main details').forEach(one => one.open = {is_open})")
            for width, scheme in LOOKS:
                opened.look(width, scheme)
                opened.check_width()
                opened.check_barriers()
        for width in (360, *DESKTOPS):
            opened.page.set_viewport_size({"width": width, "height": 900})
            opened.check_controls()
        opened.check(scripts=(f"{dashboard.url}/static/",))


@pytest.mark.slow
def test_from_two_versions_to_the_words_of_a_case_by_mouse_and_by_keyboard(browser, dashboard):
    """The case's name leads to its two outputs; what is folded opens with Enter."""
    with browser.open(f"{dashboard.url}/skill?name=notes&of_version=2&against_version=1") as opened:
        page = opened.page
        page.locator("#cases + .scroll a").first.click()
        page.wait_for_url("**/evaluation?id=v2-*&against=v1-*")
        assert page.locator(".diff del").first.inner_text() == "1"
        assert page.locator(".diff ins").first.inner_text() == "2"
        page.goto(f"{dashboard.url}{PAIR}")
        tab_to(opened, "16 lines without a change")
        assert not page.locator(".diff details .line").first.is_visible()
        page.keyboard.press("Enter")
        assert page.locator(".diff details .line").first.is_visible()
        assert focused(opened) == "16 lines without a change"


@pytest.mark.slow
def test_on_a_phone_a_line_that_stays_is_shown_once(browser, dashboard):
    """And a line that changed is above what it became."""
    with browser.open(f"{dashboard.url}{PAIR}", width=360) as opened:
        same = opened.page.locator(".line.same").first
        assert same.locator(".before").is_visible() and not same.locator(".after").is_visible()
        changed = opened.page.locator(".line.changed").first
        was, now = (changed.locator(side).bounding_box() for side in (".before", ".after"))
        assert was["y"] + was["height"] <= now["y"] and was["x"] == now["x"]
