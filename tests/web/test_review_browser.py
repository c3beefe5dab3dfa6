"""The whole review in a real browser: by keys alone, without scripts, in two tabs, through a crash."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from browser import DESKTOPS, LOOKS
from web_stores import ATTACKS

import evenhand
from evenhand.core.scorecard import SAMPLE
from evenhand.options.settings import user_name
from evenhand.store import open_store
from evenhand.store.tables.web_log import LogEntry
from evenhand.trust.labels.review_rounds import Request, start_round
from evenhand.trust.labels.reviews import decide, open_task

pytestmark = pytest.mark.slow

SAVED = re.compile("^Saved")
TEXT = "The loop never ends.\n\nIt has no limit, and the error is lost.\nUse three attempts."


class Server:
    """`evenhand serve` as a process of its own."""

    command: tuple[str, ...] = ()
    """How `evenhand` is started."""

    def __init__(self, store: Path, port: int = 0) -> None:
        self._process = subprocess.Popen(
            [*self.command, "serve", "--store", str(store), "--port", str(port)],
            stderr=subprocess.PIPE,
            text=True,
        )
        line = self._process.stderr.readline()
        self.url = re.search(r"http://[\d.:]+", line)[0]
        self.port = int(self.url.rpartition(":")[2])

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        """At once, as a crash does."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(30)
        self._process.stderr.close()


@pytest.fixture(autouse=True)
def warm(warm_evenhand: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Server, "command", tuple(warm_evenhand))


def fill(path: Path, texts: tuple[str, ...] = (TEXT, f"{TEXT} Again.", f"{TEXT} At last.")) -> str:
    """A round of as many items as there are texts; its id."""
    store = open_store(str(path))
    for number, text in enumerate(texts):
        scores = dict.fromkeys(evenhand.DIMENSIONS, 7)
        judgement = {"scores": scores, "judge": "model:m", "skill": "code-review", "task": "Find the bug."}
        evenhand.score(judgement, output=text, store=store, id=f"e{number}")
    id = start_round(store, Request(SAMPLE, len(texts), seed="1"), "ana").round.id
    store.close()
    return id


@pytest.fixture
def filled(tmp_path: Path) -> tuple[Path, str]:
    path = tmp_path / "x.db"
    return path, fill(path)


def decided(path: Path, round_id: str, place: int = 1) -> dict[str, Any]:
    """The scorecard of the only review of an item."""
    store = open_store(str(path))
    [decision] = store.decisions(round_id, place)
    document: dict[str, Any] = json.loads(store.get(decision.evaluation).scorecard)
    store.close()
    return document


def check(opened: Any, server: Server) -> None:
    opened.check(scripts=(f"{server.url}/static/",))
    opened.check_width()
    opened.check_barriers()


def test_every_control_of_a_review_can_be_clicked_at_every_width(browser: Any, filled: tuple[Path, str]):
    """Also beside the work, which stays in view, and above the bar that ends the page."""
    path, round_id = filled
    with Server(path) as server, browser.open(f"{server.url}/reviews") as opened:
        for page in (f"/review-round?id={round_id}", f"/review?round={round_id}&item=1"):
            opened.page.goto(f"{server.url}{page}")
            for width, height in ((360, 900), *((width, height) for width in DESKTOPS for height in (500, 900))):
                opened.page.set_viewport_size({"width": width, "height": height})
                opened.check_controls()


def test_a_whole_review_by_keys_alone(browser: Any, filled: tuple[Path, str]):
    """Start at the list of rounds, score, write, quote, decide, compare, go on to the next; no barrier on any page, the
    form in both looks."""
    path, round_id = filled
    narrow, wide = LOOKS
    with Server(path) as server, browser.open(f"{server.url}/reviews", scheme=wide[1], width=wide[0]) as opened:
        page = opened.page
        check(opened, server)
        tab_to(page, f"/review-round?id={round_id}")
        page.keyboard.press("Enter")
        page.wait_for_url("**/review-round*")
        check(opened, server)
        tab_to(page, f"/review?round={round_id}&item=1")
        page.keyboard.press("Enter")
        page.wait_for_url("**/review?*")
        page.wait_for_selector("form.scripted")
        check(opened, server)
        assert "model:m" not in page.content()
        for number, name in enumerate(evenhand.DIMENSIONS):
            assert page.locator(".current").get_attribute("data-part") == name
            page.keyboard.press(str((number + 4) % 10))  # 4, 5, 6, 7, 8, 9, 0, and 0 is 10
            if name == "safety":
                page.keyboard.press("w")
                page.keyboard.type("It hangs: 123 jk")
                page.keyboard.press("Escape")
                page.keyboard.press("t")
                for key in ("ArrowDown", "ArrowDown", "ArrowDown", "Shift+ArrowDown", "q"):
                    page.keyboard.press(key)
            page.keyboard.press("j")
        state(page, SAVED)
        opened.look(*narrow)
        check(opened, server)
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("table.compared")
        check(opened, server)
        assert "model:m" in page.content()
        assert page.evaluate("document.activeElement.textContent") == "Next: item 2"
        page.keyboard.press("Enter")
        page.wait_for_url("**item=2")
    document = decided(path, round_id)
    scores = [document["dimensions"][name]["score"] for name in evenhand.DIMENSIONS]
    assert scores == [4, 5, 6, 7, 8, 9, 10]
    safety = document["dimensions"]["safety"]
    assert safety["justification"] == "It hangs: 123 jk"
    assert [quote["verified"] for quote in safety["evidence"]] == [True]


def test_a_decision_is_corrected_by_keys_alone(browser: Any, filled: tuple[Path, str]):
    """From the decided item to the form with what was decided, a new score, the reason, and back."""
    path, round_id = filled
    with closing(open_store(str(path))) as store:
        fields = {f"score.{name}": "6" for name in evenhand.DIMENSIONS}
        fields |= {f"why.{name}": "Fine." for name in evenhand.DIMENSIONS}
        task = open_task(store, round_id, 1)
        first = decide(store, task, user_name(), fields, 0, LogEntry("2026-01-01T00:00:00Z", "ana", "", "reviewed", ""))
    item = f"/review?round={round_id}&item=1"
    with Server(path) as server, browser.open(f"{server.url}{item}") as opened:
        page = opened.page
        tab_to(page, f"{item}&correct=1")
        page.keyboard.press("Enter")
        page.wait_for_selector("form.scripted")
        check(opened, server)
        assert page.locator(".current").get_attribute("data-part") == "correctness"
        page.keyboard.press("9")
        for _ in range(120):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.name") == "reason":
                break
        page.keyboard.type("I missed the second fix.")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("table.compared")
        check(opened, server)
        assert "I missed the second fix." in page.locator("main").inner_text()
    document = decided(path, round_id)
    assert document["dimensions"]["correctness"]["score"] == 9
    assert document["dimensions"]["safety"]["score"] == 6
    assert document["review"]["corrects"] == first


def state(page: Any, text: Any) -> None:
    """Wait until the form says how far it has saved."""
    page.locator("#state").filter(has_text=text).wait_for()


def tab_to(page: Any, address: str) -> None:
    """Press Tab until the link to an address has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('href')") == address:
            return
    raise AssertionError(f"no link to {address} is reached by Tab")


def test_selected_text_is_quoted_for_the_current_dimension(browser: Any, filled: tuple[Path, str]):
    """With the mouse, over several lines; a quote that is typed and not there is marked at once."""
    path, round_id = filled
    with Server(path) as server, browser.open(f"{server.url}/review?round={round_id}&item=1") as opened:
        page = opened.page
        page.wait_for_selector("form.scripted")
        page.locator("#d-adherence legend").click()
        page.locator("#d-adherence label", has_text="6").first.click()
        opened.evaluate(
            "(() => { const l = [...document.querySelectorAll('.lines > li')];"
            "getSelection().setBaseAndExtent(l[0].firstChild, 4, l[2].firstChild, 15); })()"
        )
        page.locator("button.quote").click()
        area = page.locator("textarea[name='quotes.adherence']")
        assert area.input_value() == "loop never ends. It has no limit"
        area.press_sequentially("\nmade up")
        page.wait_for_selector("[data-checks='quotes.adherence'] .bad")
        marks = page.locator("[data-checks='quotes.adherence'] span").all_text_contents()
        assert marks == ["quote 1 found", "quote 2 is not in the text"]
        opened.check(scripts=(f"{server.url}/static/",))


def test_single_keys_can_be_turned_off(browser: Any, filled: tuple[Path, str]):
    """For those who speak to their computer; it is remembered."""
    path, round_id = filled
    with Server(path) as server, browser.open(f"{server.url}/review?round={round_id}&item=1") as opened:
        page = opened.page
        page.wait_for_selector("form.scripted")
        page.keyboard.press("?")
        page.locator("#single-keys").uncheck()
        page.locator("h1").click()
        page.keyboard.press("7")
        assert page.locator(".scores input:checked").count() == 0
        page.reload()
        page.wait_for_selector("form.scripted")
        page.keyboard.press("7")
        assert page.locator(".scores input:checked").count() == 0


def test_the_server_is_killed_and_the_draft_is_there_again(browser: Any, filled: tuple[Path, str]):
    """What was saved is shown by the next server; what was typed meanwhile is saved once it answers."""
    path, round_id = filled
    server = Server(path)
    with browser.open(f"{server.url}/review?round={round_id}&item=1") as opened:
        page = opened.page
        page.wait_for_selector("form.scripted")
        page.keyboard.press("8")
        page.locator("textarea[name='why.correctness']").fill("before the crash")
        state(page, SAVED)
        server.kill()
        page.locator("textarea[name='why.correctness']").press_sequentially(" and after")
        state(page, "does not answer")
        assert page.locator("textarea[name='why.correctness']").input_value() == "before the crash and after"
        with Server(path, server.port):
            state(page, SAVED)
            page.reload()
            assert page.locator("textarea[name='why.correctness']").input_value() == "before the crash and after"
            assert page.locator("[name='score.correctness']:checked").get_attribute("value") == "8"


def test_two_tabs_of_one_person_lose_nothing(browser: Any, filled: tuple[Path, str]):
    """The second is told, shows what it has, and may keep it."""
    path, round_id = filled
    with Server(path) as server, browser.open(f"{server.url}/review?round={round_id}&item=1") as opened:
        first = opened.page
        second = first.context.new_page()
        second.goto(first.url)
        for page, text in ((first, "from the first tab"), (second, "from the second tab")):
            page.wait_for_selector("form.scripted")
            page.locator("textarea[name='why.correctness']").fill(text)
            state(page, re.compile("^Saved|changed elsewhere"))
        assert "Nothing was overwritten" in second.locator(".notice.conflict").inner_text()
        assert second.locator("textarea[name='why.correctness']").input_value() == "from the second tab"
        second.get_by_role("button", name="Keep what is here").click()
        state(second, re.compile("^Saved, version 2"))
        first.goto(f"{first.url}&version=1")
        assert first.locator("textarea[name='why.correctness']").input_value() == "from the first tab"


def test_everything_works_without_scripts(browser: Any, filled: tuple[Path, str]):
    """Plain forms: save a draft, be told what is missing, decide."""
    path, round_id = filled
    address = f"/review?round={round_id}&item=1"
    with Server(path) as server, browser.without_scripts(f"{server.url}{address}") as page:
        page.locator("textarea[name='why.safety']").fill("It hangs.")
        page.get_by_role("button", name="Save draft").click()
        assert page.locator("textarea[name='why.safety']").input_value() == "It hangs."
        page.get_by_role("button", name="Decide").click()
        assert "correctness: give a score" in page.locator(".notice").inner_text()
        for name in evenhand.DIMENSIONS:
            page.locator(f"[name='score.{name}'][value='6']").check(force=True)
        page.locator("textarea[name='quotes.safety']").fill("It has no limit")
        page.get_by_role("button", name="Decide").click()
        assert page.locator("table.compared").count() == 1
    assert decided(path, round_id)["final"] == 6.0


def test_nothing_in_a_hostile_work_runs_or_leaves(browser: Any, tmp_path: Path, long: bool):
    """Attacks as the work, the reasons and the quotes of a review, before and after the decision; in a short run every
    other one."""
    path = tmp_path / "attacks.db"
    attacks = ATTACKS if long else ATTACKS[::2]
    round_id = fill(path, attacks)
    with Server(path) as server, ExitStack() as pages:
        address = f"{server.url}/review?round={round_id}&item="
        opened = [pages.enter_context(browser.open(f"{address}{place}")) for place in range(1, len(attacks) + 1)]
        for attack, page in zip(attacks, (each.page for each in opened), strict=True):
            page.wait_for_selector("form.scripted")
            text = page.locator(".lines > li").first.inner_text()
            page.evaluate("document.querySelectorAll('.scores input[value=\"6\"]').forEach(score => score.click())")
            page.locator("[name='score.consistency'][value='6']").focus()
            page.locator("#d-consistency textarea").first.fill(attack)
            page.locator("#d-consistency textarea").last.fill(text)
        for each in opened:
            state(each.page, SAVED)
            each.page.keyboard.press("Control+Enter")
        for each in opened:
            each.page.wait_for_selector("table.compared")
        opened[-1].page.wait_for_timeout(100)
        for each in opened:
            each.check(scripts=(f"{server.url}/static/",), idle=False)
            assert each.page.title().startswith("Item")
