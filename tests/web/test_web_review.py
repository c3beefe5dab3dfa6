"""Review by people over HTTP: blind until decided, drafts kept, nobody overwritten, the result a judgement."""

from __future__ import annotations

import json
import re
import threading
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import seven
from dashboard import Answer, Dashboard
from web_stores import ATTACKS

import evenhand
from evenhand.core.judgement import Judgement, Opinion
from evenhand.core.scorecard import DOUBT, SAMPLE
from evenhand.errors import InputError
from evenhand.judging.keeper import keep_one
from evenhand.judging.kept.found_cards import cards_of_skill
from evenhand.judging.steps import Steps
from evenhand.store import open_store
from evenhand.store.record_check import check_record
from evenhand.store.stored_cards import card_of
from evenhand.store.tables.reviews import VERSIONS_KEPT
from evenhand.transcripts import read
from evenhand.trust.labels.judged_items import judged_items
from evenhand.trust.labels.review_rounds import Request, start_round
from evenhand.web.access.people import Person

ROOT = Path(__file__).parents[2]
ANA, BO = Person("ana", "ana-0123456789abcdefghij"), Person("bo", "bo-zyxwvutsrqponmlkjihgfe")
TEXT = "The loop never ends.\nIt has  no limit, and the\terror is lost.\n"


def fill(store, count=6, text=TEXT):
    """Evaluations by a model with telling words in them; half of them within 0.10 of a grade's edge."""
    for number in range(count):
        scores = {
            name: {"score": 7.5 if number % 2 else 7.7, "justification": "THE-REASON", "evidence": ["never ends"]}
            for name in evenhand.DIMENSIONS
        }
        judgement = {"scores": scores, "judge": "model:THE-JUDGE", "skill": "code-review", "task": "Find the bug."}
        evenhand.score(judgement, output=f"{text}Case {number}.", store=store, id=f"e{number}")


class Reviewer:
    """Someone who reviews over HTTP, with a session of their own."""

    def __init__(self, dashboard: Dashboard, person: Person | None = None) -> None:
        self._dashboard = dashboard
        if person is None:
            self._cookie = dashboard.get("/").cookie
        else:
            self._cookie = dashboard.sign_in(person.token).cookie

    def get(self, path: str) -> Answer:
        return self._dashboard.get(path, Cookie=self._cookie)

    def json(self, path: str):
        return self._dashboard.json(path, Cookie=self._cookie)

    @property
    def token(self) -> str:
        return re.search(r'name="form_token" value="(\w+)"', self.get("/reviews").text)[1]

    def post(self, path: str, body: dict[str, str], **headers: str) -> Answer:
        sent = {"form_token": self.token, **body}
        return self._dashboard.request(
            "POST", path, body=sent, Origin=self._dashboard.url, Cookie=self._cookie, **headers
        )

    def save(self, path: str, version: int, **fields: str) -> Answer:
        """As the script does."""
        return self.post(path, {**_named(fields), "version": str(version)}, Accept="application/json")

    def decide(self, path: str, version: int, fields: dict[str, str]) -> Answer:
        return self.post(path, {**fields, "version": str(version), "do": "decide"})


def _named(fields: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", ".", 1): value for name, value in fields.items()}


def whole(score: int = 4, **more: str) -> dict[str, str]:
    """A review with every score."""
    return {**{f"score.{name}": str(score) for name in evenhand.DIMENSIONS}, **_named(more)}


@pytest.fixture
def round_id(store):
    """A round of three items of six."""
    fill(store)
    return start_round(store, Request(SAMPLE, 3, seed="7"), "ana").round.id


@pytest.fixture
def dashboard(store_address, round_id):
    """Ana and Bo may review."""
    with Dashboard(store_address, people=(ANA, BO)) as running:
        yield running


def item(round_id: str, place: int = 1) -> str:
    return f"/review?round={round_id}&item={place}"


@pytest.mark.slow
def test_a_review_becomes_a_judgement_of_the_person_linked_to_what_it_reviews(dashboard, store, round_id):
    """Seven scores of 4 and one raised flag of 0.50: final 3.50; with its round, its item and the probability 3/6."""
    ana = Reviewer(dashboard, ANA)
    flag = re.search(r'name="flag\.([\w-]+)"', ana.get(item(round_id)).text)[1]
    fields = whole(4, why_safety="It can hang.", quotes_safety="It has no limit,\nnever ends")
    fields |= {f"flag.{flag}": "yes", f"flag-why.{flag}": "Lost.", f"flag-quotes.{flag}": "the error is lost"}
    answer = ana.decide(item(round_id), 0, fields)
    assert (answer.status, answer.headers["Location"]) == (303, item(round_id))
    [decision] = store.decisions(round_id, 1)
    record = store.get(decision.evaluation)
    document = json.loads(record.scorecard)
    assert document["judge"]["name"] == "human:ana"
    reviewed = store.review_items(round_id)[0].evaluation
    assert document["review"] == {"round": round_id, "of": reviewed, "method": "sample", "probability": 0.5}
    assert document["composite"] == 4.0
    assert document["deduction"]["applied"] > 0
    assert [quote["verified"] for quote in document["dimensions"]["safety"]["evidence"]] == [True, True]
    assert document["receipt"]["submission"] == json.loads(store.get(reviewed).scorecard)["receipt"]["submission"]
    assert check_record(record) == []


@pytest.mark.slow
def test_a_review_never_touches_the_skills_history(dashboard, store, round_id):
    """Neither its window nor its newest evaluation, or a set that is compared; labels and the list of all see it."""
    before = store.timeline("code-review"), store.window("code-review"), store.skills()
    graded, others = store.counts(["code-review"])["code-review"]
    newest = store.newest_of(["code-review"])["code-review"].id
    cards = [named.name for named in cards_of_skill(store, "code-review")]
    assert Reviewer(dashboard, ANA).decide(item(round_id), 0, whole(1)).status == 303
    [decision] = store.decisions(round_id, 1)
    assert before == (store.timeline("code-review"), store.window("code-review"), store.skills())
    assert store.counts(["code-review"])["code-review"] == (graded + 1, others), "one more is scored"
    assert store.newest_of(["code-review"])["code-review"].id == newest
    assert [named.name for named in cards_of_skill(store, "code-review")] == cards
    assert card_of(store.get(decision.evaluation)).history is None
    _, items = judged_items(store)
    assert [judged.people["final"] for judged in items if judged.people] == [1.0], "people's scores for agreement"
    assert {name for judged in items for name in judged.raters} == {"human:ana"}


@pytest.mark.slow
def test_everything_is_blind_until_one_has_decided(store_address, store):
    """Scores, judge, reasons, doubts and the other reviewer: in no form of any page of the round, then in all."""
    fill(store)
    round_id = start_round(store, Request(DOUBT, 2, seed="7"), "ana").round.id
    secrets = ("THE-JUDGE", "THE-REASON", "7.5", "7.50", "grade edge", "human:bo", "0.66", '"e1"', "id=e")
    pages = [
        f"{path}{form}"
        for path in (item(round_id), f"/review-round?id={round_id}")
        for form in ("", "&format=json", "&format=csv")
    ]
    with Dashboard(store_address, people=(ANA, BO)) as dashboard:
        ana, bo = Reviewer(dashboard, ANA), Reviewer(dashboard, BO)
        assert bo.decide(item(round_id), 0, whole(3, why_safety="BOS-REASON")).status == 303
        for page in pages:
            text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "", ana.get(page).text)  # 7.5 may be a part of a time,
            text = text.replace(round_id, "")  # and e the beginning of a round's name
            assert not [secret for secret in (*secrets, "BOS-REASON") if secret in text], page
        assert ana.decide(item(round_id), 0, whole(4)).status == 303
        shown = ana.get(pages[0]).text
        for secret in ("THE-JUDGE", "7.50", "near a grade edge", "human:bo", "probability 0.6666"):
            assert secret in shown
        columns = ana.json(item(round_id))["comparison"]
        assert [(column["judge"], column["scores"][0]) for column in columns] == [
            ("you", 4.0),
            ("model:THE-JUDGE", 7.5),
            ("human:bo", 3.0),
        ]
        assert "THE-JUDGE" not in ana.get(item(round_id, 2)).text


@pytest.mark.slow
def test_a_draft_is_kept_as_one_goes(dashboard, store, round_id):
    """Each save is a version; the page comes back with what was entered, and so does another server."""
    ana = Reviewer(dashboard, ANA)
    first = ana.save(item(round_id), 0, score_safety="8", why_safety="<b>so</b>")
    assert (first.status, first.json["version"]) == (200, 1)
    second = ana.save(item(round_id), 1, score_safety="9", quotes_safety="never  ends\nnot there")
    assert second.json["quotes"] == {"quotes.safety": [True, False]}
    page = ana.get(item(round_id)).text
    assert re.search(r'name="score.safety" value="9" checked', page)
    assert "never  ends\nnot there" in page
    assert 'name="version" value="2"' in page
    assert "&lt;b&gt;so&lt;/b&gt;" in ana.get(f"{item(round_id)}&version=1").text, "an earlier version can be opened"
    assert ana.json(f"/review-round?id={round_id}")["items"][0]["state"] == "draft"
    assert Reviewer(dashboard, BO).json(item(round_id))["draft"] == {}, "Bo has a draft of his own"


@pytest.mark.slow
def test_only_so_many_versions_of_a_draft_are_kept_and_none_after_the_decision(dashboard, store, round_id):
    """The newest ones."""
    ana = Reviewer(dashboard, ANA)
    for version in range(VERSIONS_KEPT + 3):
        assert ana.save(item(round_id), version, why_safety=f"text {version}").json["version"] == version + 1
    assert store.review_draft(round_id, 1, "ana", 3).version == 0
    assert store.review_draft(round_id, 1, "ana", 4).version == 4
    assert ana.decide(item(round_id), VERSIONS_KEPT + 3, whole()).status == 303
    assert store.review_draft(round_id, 1, "ana").version == 0


@pytest.mark.slow
def test_two_tabs_of_one_person_do_not_overwrite_each_other(dashboard, store, round_id):
    """The second to save is told, keeps what was entered, and may then use it; the script gets the version to use."""
    ana = Reviewer(dashboard, ANA)
    assert ana.save(item(round_id), 0, why_safety="from the first tab").status == 200
    script = ana.save(item(round_id), 0, why_safety="from the second tab")
    assert (script.status, script.json["version"]) == (409, 1)
    assert "Nothing was overwritten" in script.json["error"]
    page = ana.post(item(round_id), {"why.safety": "from the second tab", "version": "0", "do": "save"})
    assert page.status == 409
    assert "from the second tab" in page.text
    assert "Nothing was overwritten" in page.text
    assert 'name="version" value="1"' in page.text, "sent again, it builds on the newest"
    assert json.loads(store.review_draft(round_id, 1, "ana").content) == {"why.safety": "from the first tab"}
    again = ana.post(item(round_id), {"why.safety": "from the second tab", "version": "1", "do": "save"})
    assert again.status == 303
    assert json.loads(store.review_draft(round_id, 1, "ana").content) == {"why.safety": "from the second tab"}
    assert ana.decide(item(round_id), 1, whole()).status == 409, "nor does a decision overwrite a newer draft"


@pytest.mark.slow
def test_a_decision_is_made_once(dashboard, store, round_id):
    """Sent again, it leads to the comparison and adds nothing; a late save is refused."""
    ana = Reviewer(dashboard, ANA)
    assert ana.decide(item(round_id), 0, whole(4)).status == 303
    before = len(list(store.evaluations()))
    assert ana.decide(item(round_id), 0, whole(9)).status == 303
    assert len(list(store.evaluations())) == before
    late = ana.save(item(round_id), 0, why_safety="late")
    assert (late.status, late.json["decided"]) == (409, True)
    assert [decision.person for decision in store.decisions(round_id, 1)] == ["ana"]


@pytest.mark.slow
def test_the_same_review_in_two_rounds_is_two_reviews(dashboard, store, round_id):
    """Word for word: whether somebody says the same again is worth knowing, and each has its own probability."""
    whole_round = start_round(store, Request(SAMPLE, 6, seed="8"), "ana").round.id
    evaluation = store.review_items(round_id)[0].evaluation
    place = next(entry.place for entry in store.review_items(whole_round) if entry.evaluation == evaluation)
    ana = Reviewer(dashboard, ANA)
    assert ana.decide(item(round_id), 0, whole(4)).status == ana.decide(item(whole_round, place), 0, whole(4)).status
    records = [store.get(store.decisions(*where)[0].evaluation) for where in ((round_id, 1), (whole_round, place))]
    assert [json.loads(record.scorecard)["review"]["probability"] for record in records] == [0.5, 1]
    assert [check_record(record) for record in records] == [[], []]


@pytest.mark.slow
def test_two_people_on_one_item_each_have_their_own(dashboard, store, round_id):
    """Drafts and decisions."""
    ana, bo = Reviewer(dashboard, ANA), Reviewer(dashboard, BO)
    assert ana.save(item(round_id), 0, why_safety="Ana's").json["version"] == 1
    assert bo.save(item(round_id), 0, why_safety="Bo's").json["version"] == 1
    assert ana.decide(item(round_id), 1, whole(4)).status == bo.decide(item(round_id), 1, whole(6)).status == 303
    finals = {d.person: store.get(d.evaluation).final for d in store.decisions(round_id, 1)}
    assert finals == {"ana": 400, "bo": 600}


@pytest.mark.slow
def test_what_is_missing_or_wrong_is_listed_and_the_draft_is_kept(dashboard, store, round_id):
    """All at once, beside what was entered."""
    ana = Reviewer(dashboard, ANA)
    fields = whole(5, quotes_safety="never ends\nmade up words", score_efficiency="unscored", score_consistency="11")
    del fields["score.correctness"]
    flag = re.search(r'name="flag\.([\w-]+)"', ana.get(item(round_id)).text)[1]
    fields[f"flag-why.{flag}"] = "but not ticked"
    answer = ana.decide(item(round_id), 0, fields)
    assert answer.status == 422
    for problem in (
        "correctness: give a score",
        "efficiency: say why it cannot be scored",
        "consistency: a score is a whole number from 1 to 10",
        "safety: the quote &#34;made up words&#34; is not in the text word for word",
        f"{flag}: has an explanation or a quote, but is not ticked",
    ):
        assert problem in answer.text
    assert store.decisions(round_id, 1) == []
    assert "made up words" in store.review_draft(round_id, 1, "ana").content
    assert 'name="version" value="1"' in answer.text


@pytest.mark.slow
def test_a_dimension_may_be_left_unscored_with_a_reason(dashboard, store, round_id):
    """The scorecard then has an interval instead of a final score: never a zero."""
    fields = whole(8) | {"score.safety": "unscored", "why.safety": "no way to tell"}
    assert Reviewer(dashboard, ANA).decide(item(round_id), 0, fields).status == 303
    document = json.loads(store.get(store.decisions(round_id, 1)[0].evaluation).scorecard)
    assert (document["final"], document["dimensions"]["safety"]["unscored"]) == (None, "no way to tell")


@pytest.mark.slow
def test_a_round_is_started_on_the_page(dashboard, store):
    """And mistakes are named; a rubric is a name, never a path."""
    ana = Reviewer(dashboard, ANA)
    answer = ana.post("/reviews", {"method": "sample", "size": "2", "skill": "code-review", "rubric": "", "seed": "x"})
    assert answer.status == 303
    assert ana.get(answer.headers["Location"]).status == 200
    assert store.review_rounds()[0].person == "ana"
    for wrong in (
        {"method": "all"},
        {"size": "0"},
        {"size": "x"},
        {"rubric": "/etc/passwd"},
        {"skill": "no such"},
        {"skill": "a\0b"},
    ):
        assert ana.post("/reviews", {"method": "sample", "size": "2", **wrong}).status == 400, wrong


@pytest.mark.slow
def test_what_reviewers_do_is_logged_under_their_name(dashboard, store, round_id):
    """Starting a round, beginning a review, deciding; not each save."""
    ana = Reviewer(dashboard, ANA)
    ana.post("/reviews", {"method": "doubt", "size": "1"})
    ana.save(item(round_id), 0, why_safety="a")
    ana.save(item(round_id), 1, why_safety="b")
    ana.decide(item(round_id), 2, whole())
    entries = [(entry.person, entry.action, entry.subject) for _, entry in store.log_entries(limit=10)]
    assert entries[:3] == [
        ("ana", "reviewed", f"{round_id} item 1"),
        ("ana", "began review", f"{round_id} item 1"),
        ("ana", "started review round", store.review_rounds()[0].id),
    ]


@pytest.mark.slow
def test_read_only_mode_hides_the_review_queue(store_address, round_id):
    """Neither linked nor shown nor writable."""
    with Dashboard(store_address, read_only=True) as dashboard:
        assert "/reviews" not in dashboard.get("/").text
        for path in ("/reviews", f"/review-round?id={round_id}", item(round_id)):
            assert dashboard.get(path).status == 403
        assert dashboard.request("POST", item(round_id), body={}, Origin=dashboard.url).status == 403


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/review", 400),
        ("/review-round", 400),
        ("/review?round=nobody", 404),
        ("/review-round?id=nobody", 404),
        ("{item}9", 404),
        ("/review?round={round}&item=x", 400),
        ("/review?round={round}&item=0", 400),
    ],
)
@pytest.mark.slow
def test_a_wrong_address_gets_a_page_that_says_so(dashboard, round_id, path, status):
    """And no error of the server."""
    assert Reviewer(dashboard, ANA).get(path.format(item=item(round_id), round=round_id)).status == status


@pytest.mark.slow
def test_bad_fields_are_refused_and_unknown_ones_dropped(dashboard, store, round_id):
    """NUL, too much text, a version that is not a number; nothing is written."""
    ana = Reviewer(dashboard, ANA)
    assert ana.save(item(round_id), 0, why_safety="a\0b").status == 400
    assert ana.save(item(round_id), 0, why_safety="x" * 20_001).status == 400
    assert ana.post(item(round_id), {"version": "-1"}).status == 400
    assert ana.post(item(round_id), {"why.safety": "x"}).status == 400
    assert store.review_draft(round_id, 1, "ana").version == 0
    assert ana.save(item(round_id), 0, why_nothing="x", why_safety="y").status == 200
    assert json.loads(store.review_draft(round_id, 1, "ana").content) == {"why.safety": "y"}


@pytest.mark.slow
def test_a_quote_of_text_with_unseen_characters_is_found(tmp_path):
    """The page shows a sign in place of each; what is selected has the sign, the evidence has the character."""
    store = open_store(str(tmp_path / "x.db"))
    fill(store, 1, text="ends\u200b here \u202eand there")
    round_id = start_round(store, Request(SAMPLE, 1), "ana").round.id
    with Dashboard(str(tmp_path / "x.db")) as dashboard:
        someone = Reviewer(dashboard)
        assert "ends\ufffd here \ufffdand" in someone.get(item(round_id)).text
        assert someone.decide(item(round_id), 0, whole(5, quotes_safety="ends\ufffd here \ufffdand")).status == 303
    [quote] = json.loads(store.get(store.decisions(round_id, 1)[0].evaluation).scorecard)["dimensions"]["safety"][
        "evidence"
    ]
    assert (quote["quote"], quote["verified"]) == ("ends\u200b here \u202eand", True)


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.slow
def test_hostile_text_is_text_in_every_field(tmp_path, attack):
    """In the work, the task, the draft, the quotes, the decision, a round's seed and skill."""
    store = open_store(str(tmp_path / "x.db"))
    judgement = {
        "scores": seven(7),
        "judge": f"model:{attack}",
        "skill": attack,
        "rubric": "code-review",
        "task": attack,
    }
    evenhand.score(judgement, output=f"{attack}\nmore", store=store)
    with Dashboard(str(tmp_path / "x.db")) as dashboard:
        someone = Reviewer(dashboard)
        started = someone.post("/reviews", {"method": "sample", "size": "1", "seed": attack, "skill": attack})
        assert started.status == 303, started.text
        round_id = started.headers["Location"].partition("id=")[2]
        fields = whole(5, **{f"why_{name}": attack for name in evenhand.DIMENSIONS})
        assert (
            someone.save(item(round_id), 0, **{name.replace(".", "_", 1): text for name, text in fields.items()}).status
            == 200
        )
        before = someone.get(item(round_id)).text
        wrong = someone.decide(item(round_id), 1, {**fields, "quotes.safety": f"{attack} no"})
        assert wrong.status == 422
        quotable = attack.split("\u2028")[0]
        decided = someone.decide(item(round_id), 2, {**fields, "quotes.safety": quotable})
        assert decided.status == 303, decided.text
        after = someone.get(item(round_id)).text
        for text in (
            before,
            wrong.text,
            after,
            someone.get("/reviews").text,
            someone.get(started.headers["Location"]).text,
        ):
            assert Tags(text).hostile == []


class Tags(HTMLParser):
    """What on a page could act."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.hostile: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes) -> None:
        given = dict(attributes)
        own = tag != "script" or (given.get("src") or "").startswith("/static/")
        if tag in ("img", "iframe", "base", "object", "style") or not own or "http-equiv" in given:
            self.hostile.append(tag)
        self.hostile += [name for name in given if name.startswith("on") or name == "style"]
        links = [given.get(name) or "" for name in ("href", "src", "action", "formaction")]
        self.hostile += [link for link in links if link and not link.startswith(("/", "#", "data:,"))]


@pytest.mark.slow
def test_sixteen_saves_at_once_make_one_version(dashboard, store, round_id):
    """All build on nothing; one wins, fifteen are told, and none is half written."""
    ana = Reviewer(dashboard, ANA)
    token = ana.token
    statuses: list[int] = []

    def save(number: int) -> None:
        body = {"form_token": token, "why.safety": f"text {number}", "version": "0"}
        headers = {"Accept": "application/json", "Origin": dashboard.url, "Cookie": ana._cookie}
        statuses.append(dashboard.request("POST", item(round_id), body=body, **headers).status)

    threads = [threading.Thread(target=save, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200] + [409] * 15
    assert store.review_draft(round_id, 1, "ana").version == 1


@pytest.mark.slow
def test_five_reviewers_at_once_lose_nothing(postgresql_url):
    """Five people review the same 12 items, saving three times each; every decision is there, and whole."""
    store = open_store(postgresql_url)
    store.create()
    fill(store, 12)
    round_id = start_round(store, Request(SAMPLE, 12, seed="7"), "ana").round.id
    people = [Person(f"p{number}", f"p{number}-0123456789abcdefghijkl") for number in range(5)]
    problems: list[str] = []

    def review(dashboard: Dashboard, number: int) -> None:
        reviewer = Reviewer(dashboard, people[number])
        for place in range(1, 13):
            reason = f"{number} of {place}"
            for version in range(3):
                saved = reviewer.save(item(round_id, place), version, why_safety=f"{reason}, {version}")
                if (saved.status, saved.json.get("version")) != (200, version + 1):
                    problems.append(f"{reason}: {saved.text}")
            answer = reviewer.decide(item(round_id, place), 3, whole(number + 3, why_safety=reason))
            if answer.status != 303:
                problems.append(f"{reason}: {answer.status}")

    with Dashboard(postgresql_url, people=people) as dashboard:
        threads = [threading.Thread(target=review, args=(dashboard, number)) for number in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert problems == []
    for place in range(1, 13):
        decisions = store.decisions(round_id, place)
        assert sorted(decision.person for decision in decisions) == [person.name for person in people]
        for decision in decisions:
            document = json.loads(store.get(decision.evaluation).scorecard)
            assert document["dimensions"]["safety"]["justification"] == f"{decision.person[1]} of {place}"
            assert document["final"] == int(decision.person[1]) + 3
    assert [entry.action for _, entry in store.log_entries(limit=1000)].count("reviewed") == 60
    assert len(store.window("code-review")) == 10
    assert store.timeline("code-review").left_out == 0
    store.close()


@pytest.mark.slow
def test_a_transcript_is_reviewed_with_everything_that_happened(tmp_path, monkeypatch):
    """Read again from its file when the round starts; a quote from a tool's result is found at its line."""
    monkeypatch.chdir(tmp_path)
    lines = [
        {"role": "user", "content": "Find the bug."},
        {"role": "assistant", "content": "", "tool_calls": [_call("grep", {"pattern": "loop", "n": 1.5})]},
        {"role": "tool", "tool_call_id": "c1", "content": "client.py:88 while True"},
        {"role": "assistant", "content": "The loop never ends."},
    ]
    Path("run.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    [submission] = list(read("run.jsonl"))
    store = open_store(str(tmp_path / "x.db"))
    judgement = Judgement(
        {name: Opinion(Decimal(7)) for name in evenhand.DIMENSIONS}, {"name": "model:m"}, "code-review"
    )
    judgement = judgement._replace(task=submission.task, rubric="code-review")
    keep_one(store, Steps().evaluate_written(judgement, submission=submission, id="t1"))
    with pytest.raises(InputError, match="1 left out: the store does not have their text"):
        start_round(store, Request(SAMPLE, 1), "ana")
    round_id = start_round(store, Request(SAMPLE, 1, read_files=True), "ana").round.id
    Path("run.jsonl").unlink()
    with Dashboard(str(tmp_path / "x.db")) as dashboard:
        someone = Reviewer(dashboard)
        page = someone.get(item(round_id)).text
        assert "The transcript" in page and "while True" in page
        assert someone.decide(item(round_id), 0, whole(5, quotes_safety="88 while True")).status == 303
    document = json.loads(store.get(store.decisions(round_id, 1)[0].evaluation).scorecard)
    [quote] = document["dimensions"]["safety"]["evidence"]
    assert (quote["verified"], quote["source"]) == (True, "run.jsonl:3")
    assert document["receipt"]["submission"] == json.loads(store.get("t1").scorecard)["receipt"]["submission"]


def _call(name: str, arguments: dict) -> dict:
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


@pytest.mark.slow
def test_a_decision_is_corrected_and_the_earlier_one_stays(dashboard, store, round_id):
    """4, then 9 for a reason: 9 counts in agreement with people; both evaluations, the reason and the log are kept."""
    ana = Reviewer(dashboard, ANA)
    place = f"{item(round_id)}&correct=1"
    assert ana.decide(place, 0, whole(9)).headers["Location"] == item(round_id), "nothing to correct yet"
    assert store.decisions(round_id, 1) == []
    assert ana.decide(item(round_id), 0, whole(4, why_safety="It can hang.", quotes_safety="never ends")).status == 303
    [first] = store.decisions(round_id, 1)
    assert "&amp;correct=1" in ana.get(item(round_id)).text
    form = ana.get(place).text
    assert re.search(r'name="score.safety" value="4" checked', form), "it begins with what was decided"
    assert "It can hang." in form and "never ends" in form
    problems = ana.decide(place, 0, whole(9))
    assert problems.status == 422 and "say why you correct your decision" in problems.text
    version = store.review_draft(round_id, 1, "ana").version
    same = whole(4, why_safety="It can hang.", quotes_safety="never ends") | {"reason": "a slip"}
    assert "nothing differs from your decision" in ana.decide(place, version, same).text
    version = store.review_draft(round_id, 1, "ana").version
    done = ana.decide(place, version, whole(9) | {"reason": "I took 4 for 9"})
    assert (done.status, done.headers["Location"]) == (303, item(round_id))
    [second] = store.decisions(round_id, 1)
    assert [store.get(decision.evaluation).final for decision in (first, second)] == [400, 900]
    assert json.loads(store.get(second.evaluation).scorecard)["review"]["corrects"] == first.evaluation
    assert check_record(store.get(second.evaluation)) == []
    shown = ana.json(item(round_id))
    assert shown["comparison"][0]["scores"][-1] == 9.0
    assert [(one["evaluation"], one["reason"]) for one in shown["earlier"]] == [(first.evaluation, "I took 4 for 9")]
    _, items = judged_items(store)
    assert [judged.people["final"] for judged in items if judged.people] == [9.0]
    newest = store.log_entries(limit=1)[0][1]
    replaced = f"{second.evaluation} replaces {first.evaluation}"
    assert (newest.person, newest.action, replaced in newest.subject) == ("ana", "corrected review", True)
    again = ana.decide(place, 0, whole(4, why_safety="It can hang.", quotes_safety="never ends") | {"reason": "no, 4"})
    assert again.status == 303
    [third] = store.decisions(round_id, 1)
    assert third.evaluation not in (first.evaluation, second.evaluation), "what was replaced does not count again"
    assert store.get(third.evaluation).final == 400
    with pytest.raises(evenhand.errors.StoreUnavailable, match="only appended"), store.transaction():
        store._write("DELETE FROM review_corrections WHERE round = ?", [(round_id,)])


CY = Person("cy", "cy-0123456789abcdefghijk", "reviewer")
TOLD = ("THE-REASON", "THE-JUDGE", "7.5", "7.7", "id=e")


@pytest.mark.slow
def test_what_a_reviewer_is_asked_is_blind_on_every_page_until_they_have_decided(store_address, store):
    """All of a skill: no page, document, table or search tells a score, a reason or a judge; whoever may not review,
    or starts rounds, sees everything. One decision shows all evaluations of that work, by any judge, and no others."""
    fill(store, 2)
    round_id = start_round(store, Request(SAMPLE, 2, seed="7"), "ana").round.id
    works = {entry.place: entry.evaluation for entry in store.review_items(round_id)}
    number = works[1][1:]
    again = {name: {"score": 7.5, "justification": "THE-REASON"} for name in evenhand.DIMENSIONS}
    judgement = {"scores": again, "judge": "model:THE-JUDGE-2", "skill": "code-review", "task": "Find the bug."}
    evenhand.score(judgement, output=f"{TEXT}Case {number}.", store=store, id="later")
    pages = [
        "/?", "/evaluations?", "/evaluations?sort=best", "/evaluations?min=7", "/evaluations?grade=none",
        "/evaluations?q=THE-REASON", "/evaluations?q=bug", "/judges?", "/rubrics?", "/log?",
        "/skill?name=code-review&against=x", "/skill?name=code-review", "/evaluation?id=e0",
        "/evaluation?id=e1", "/evaluation?id=later", "/evaluation?id=e1&against=e0",
    ]  # fmt: skip
    with Dashboard(store_address, people=(ANA, CY)) as dashboard:
        ana, cy = Reviewer(dashboard, ANA), Reviewer(dashboard, CY)
        for page in pages:
            for form in ("", "&format=json", "&format=csv"):
                answer = cy.get(page + form)
                text = re.sub(
                    r"\d{4}-\d\d-\d\dT[\d:.]+Z?|q=THE-REASON|Search: THE-REASON|>THE-REASON <|THE-REASON\"",
                    "",
                    answer.text,
                )
                assert not [word for word in TOLD if word in text.replace(round_id, "")], page + form
                assert answer.status in (200, 400, 403, 404), page
        hidden = cy.get("/evaluation?id=later")
        assert hidden.status == 403
        assert f'href="/review?round={round_id}&amp;item=1"' in hidden.text, "and where to decide"
        assert cy.json("/evaluations")["hidden_until_reviewed"] == 3
        assert "3 evaluations are left out here until you have reviewed the work" in cy.get("/evaluations").text
        assert "7.5" in ana.get("/evaluation?id=later").text
        assert len(ana.json("/evaluations")["listed"]) == 3
        assert cy.decide(item(round_id), 0, whole(4)).status == 303
        own = [decision.evaluation for decision in store.decisions(round_id, 1)]
        assert {row["id"] for row in cy.json("/evaluations")["listed"]} == {works[1], "later", *own}
        assert cy.get(f"/evaluation?id={works[1]}").status == 200
        assert cy.get(f"/evaluation?id={works[2]}").status == 403
        assert cy.json("/skill?name=code-review")["evaluations"] == 3, "the work, judged twice, and the review"


def test_a_view_narrows_every_statement_that_reads_evaluations():
    """A statement that names the table in another way would show what is blind."""
    for path in (ROOT / "src/evenhand/store").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"JOIN\s+evaluations\b|FROM\s{2,}evaluations|FROM\s+\w+\s*,\s*evaluations\b", text), path
