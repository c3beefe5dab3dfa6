"""The dashboard's pages: what each shows, as HTML, JSON and CSV."""

from __future__ import annotations

import csv
import html
import io
import json
from decimal import Decimal
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from conftest import judged, make_rubric, seven
from dashboard import Dashboard
from postgresql_server import behind_the_back
from web_stores import ATTACKS, keep, store_of_attacks, store_with_history

import evenhand
from evenhand.core.receipt import canonical_rubric, canonical_text, sha256
from evenhand.core.rubric import Rubric
from evenhand.documents.scorecard import scorecard_document
from evenhand.judging.keeper import Keeper
from evenhand.judging.kept.rubric_versions import known_version, version_differences
from evenhand.reports.charts import Scored, date_text, spark, time_chart
from evenhand.reports.comparison.word_diff import word_changes
from evenhand.store import open_store
from evenhand.store.figures.fault_counts import FaultCounts
from evenhand.store.figures.judge_use import judge_figures
from evenhand.store.tables.reviews import ReviewRound
from evenhand.web.pages.rubrics import rubric as rubric_page
from evenhand.web.parameters import Parameters, link
from evenhand.web.rendering import MENU


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory):
    """Two skills over two weeks, two judges for every output."""
    path = str(tmp_path_factory.mktemp("store") / "evaluations.db")
    store_with_history(path)
    with Dashboard(path) as running:
        yield running


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    """Every text of every evaluation is an attack."""
    path = str(tmp_path_factory.mktemp("store") / "attacks.db")
    store_of_attacks(path)
    with Dashboard(path) as running:
        yield running


def address(path: str, **parameters: object) -> str:
    return f"{path}?{urlencode(parameters, doseq=True)}"


PAGES = (
    "/",
    "/skill?name=code",
    "/skill?name=prose&from=2026-01-05&to=2026-01-13&sort=best",
    "/evaluations",
    "/evaluations?skill=prose&sort=worst&min=3&max=8&from=2026-01-02&flag=drift",
    "/evaluation?id=code-0-ana",
    "/evaluation?id=code-1-ana&against=code-0-ana",
    "/suites",
    "/suite?run=run-demo",
    "/suite?run=run-demo&baseline=v1",
    "/judges",
    "/judges?name=human:ana",
    "/rubrics",
    "/rubrics?name=made",
    "/evaluations?finding=secrets",
    "/evaluations?q=expires",
    "/reviews",
    "/log",
)


@pytest.mark.slow
def test_every_route_that_shows_a_page_is_among_those_tested_here(dashboard):
    """So that no page is forgotten below."""
    shown = {urlsplit(page).path for page in PAGES}
    others = {
        "/changes",
        "/note",
        "/sign-in",
        "/sign-out",
        "/review-round",
        "/review",
    }  # the last two: see test_web_review
    routes = {route.resource.canonical for route in dashboard.app.router.routes()}
    assert {path for path in routes if not path.startswith("/static/")} - others == shown
    assert [entry.address for entry in MENU if entry.address not in routes] == []


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.slow
def test_a_page_comes_as_html_json_and_csv(dashboard, page):
    """With a title, the links to its other forms, and downloads under a harmless name."""
    shown = dashboard.get(page)
    assert (shown.status, shown.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    links = Links(shown.text)
    assert links.title.endswith("· evenhand")
    forms = {tuple(parse_qs(urlsplit(link).query).get("format", ())) for link in links.all}
    assert {("json",), ("csv",)} <= forms
    joined = f"{page}{'&' if '?' in page else '?'}format="
    document = dashboard.get(f"{joined}json")
    assert (document.status, document.headers["Content-Type"]) == (200, "application/json; charset=utf-8")
    assert isinstance(document.json, dict)
    assert "Content-Disposition" not in document.headers
    kept = dashboard.get(f"{joined}json&download=1").headers["Content-Disposition"]
    assert kept.startswith('attachment; filename="evenhand-') and kept.endswith('.json"')
    sheet = dashboard.get(f"{joined}csv")
    assert sheet.headers["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.reader(io.StringIO(sheet.text)))
    assert len({len(row) for row in rows if row}) <= 1, "every row has as many cells as the heading"


class Links(HTMLParser):
    """The links and the title of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.all: list[str] = []
        self.title = ""
        self._in_title = False
        self.feed(text)

    def handle_starttag(self, tag: str, attributes) -> None:
        self._in_title = tag == "title" and not self.title
        self.all += [value for name, value in attributes if name in ("href", "action", "src") and value is not None]

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
            self._in_title = False


def test_a_run_of_a_suite_links_to_its_evaluation_and_shows_its_scorecard(dashboard):
    """One of the runs has a stored scorecard."""
    text = dashboard.get("/suite?run=run-demo").text
    assert text.count('href="/evaluation?id=code-0-ana"') == 1
    assert text.count("<summary>Scorecard</summary>") == 1


def test_a_run_of_a_suite_shows_how_judges_compared_its_outputs(dashboard):
    """On the page and in its JSON, beside the contrasts."""
    assert "<li>demo: prefers demo2</li>" in dashboard.get("/suite?run=run-demo").text
    document = dashboard.json("/suite?run=run-demo")
    assert [pair["outcome"] for pair in document["pairs"]["pairs"]] == ["b"]
    assert "pairs" not in document["run"]


@pytest.mark.parametrize("value", [*ATTACKS, "plain-name_1.0~", "with space", "\u00e9", "a\nb", "\ud800"])
def test_a_value_in_an_address_is_read_back_as_it_was(value):
    """Whatever its characters; half of a surrogate pair, which no address can hold, becomes a question mark."""
    query = link("/skill", {"name": value, "empty": ""}).partition("?")[2]
    assert parse_qs(query) == {"name": [value.replace("\ud800", "?")]}


@pytest.mark.slow
def test_every_link_leads_to_a_page_of_this_server(dashboard):
    """From the first page on, to the last of them; nothing leads elsewhere."""
    waiting, seen = ["/"], {"/skill", "/evaluation"}  # forms lead there, with fields
    while waiting:
        link = waiting.pop()
        if link in seen or len(seen) > 400:
            continue
        seen.add(link)
        answer = dashboard.get(link)
        assert answer.status == 200, link
        if answer.headers["Content-Type"].startswith("text/html"):
            for found in Links(answer.text).all:
                assert found.startswith(("/", "#", "data:,")) and not found.startswith("//"), found
                path = found.partition("#")[0]
                if path.startswith("/") and path not in ("/sign-out", "/note"):
                    waiting.append(path)
    assert {urlsplit(link).path for link in seen} >= {urlsplit(page).path for page in PAGES}


@pytest.mark.slow
def test_both_databases_give_the_same_pages(dashboard, postgresql_url):
    """Byte for byte, as JSON and CSV."""
    store_with_history(postgresql_url)
    with Dashboard(postgresql_url) as other:
        for page in PAGES:
            for format in ("json", "csv"):
                joined = f"{page}{'&' if '?' in page else '?'}format={format}"
                assert other.get(joined).body == dashboard.get(joined).body, joined


# --- what the pages say


def test_the_first_page_has_every_skill_with_grade_trend_and_alarms(dashboard):
    """The falling scores of `prose` are an alarm on its line."""
    rows = dashboard.json("/")["skills"]
    assert [(row["skill"], row["evaluations"], row["graded"]) for row in rows] == [("code", 28, 28), ("prose", 28, 28)]
    assert [row["latest"]["id"] for row in rows] == ["code-13-bo", "prose-13-bo"]
    assert len(rows[0]["trend"]) == 20
    assert "drift" in [alarm["kind"] for alarm in rows[1]["alarms"]]
    assert "drift" not in [alarm["kind"] for alarm in rows[0]["alarms"]]
    text = dashboard.get("/").text
    assert '<li class="drift"' in text and "100%" in text


@pytest.mark.slow
def test_many_skills_are_paged_by_name(tmp_path):
    """25 on a page; the next begins after the last."""
    path = str(tmp_path / "many.db")
    keeper = Keeper(open_store(path))
    for number in range(30):
        keep(
            keeper,
            f"{number}",
            skill=f"skill-{number:02d}",
            scores=seven(8),
            id=f"{number}",
            created="2026-01-01T00:00:00Z",
        )
    with Dashboard(path) as dashboard:
        first = dashboard.json("/")
        assert (len(first["skills"]), first["next"]) == (25, "skill-24")
        second = dashboard.json("/?after=skill-24")
        assert (second["skills"][0]["skill"], second["next"]) == ("skill-25", None)
        assert "More skills" in dashboard.get("/").text
        assert "First page" in dashboard.get("/?after=skill-24").text


def test_a_skill_is_shown_over_time_and_filtered_by_its_judge(dashboard):
    """The chart has as many points as the list has scores."""
    document = dashboard.json("/skill?name=code")
    assert (document["evaluations"], len(document["listed"]), document["next"]) == (28, 28, None)
    assert dashboard.get("/skill?name=code").text.count("<circle") == 28
    ana = dashboard.json("/skill?name=code&judge=human:ana")
    assert {row["judge"] for row in ana["listed"]} == {"human:ana"}
    assert len(ana["listed"]) == 14
    assert dashboard.json("/skill?name=code&judge=nobody")["listed"] == []
    sheet = list(csv.DictReader(io.StringIO(dashboard.get("/skill?name=prose&format=csv").text)))
    assert (sheet[0]["id"], sheet[0]["final"], sheet[0]["correctness"]) == (
        "prose-13-bo",
        "3.45",
        "3.0",
    )  # 3 + .20 + .15 + .10


@pytest.mark.slow
def test_a_long_list_of_a_skill_is_paged_by_key(tmp_path):
    """50 on a page, and every evaluation on exactly one."""
    path = str(tmp_path / "long.db")
    keeper = Keeper(open_store(path))
    for number in range(120):
        keep(keeper, f"{number}", skill="long", scores=seven(8), id=f"{number:03d}", created="2026-01-01T00:00:00Z")
    with Dashboard(path) as dashboard:
        for page, name in (("/skill?name=long", "listed"), ("/evaluations?skill=long", "listed")):
            found, before = [], ""
            for _ in range(3):
                part = dashboard.json(f"{page}&{urlencode({'before': before})}")
                found += [row["id"] for row in part[name]]
                before = part["next"] or ""
            assert found == [f"{number:03d}" for number in reversed(range(120))]
            assert before == ""


def test_an_evaluation_is_its_report_and_its_document(dashboard):
    """The JSON version is the stored scorecard; the start of an id is enough."""
    document = dashboard.json("/evaluation?id=code-0-ana")
    assert (document["schema"], document["id"]) == ("evenhand/scorecard/v1", "code-0-ana")
    assert evenhand.verify(document).ok
    text = dashboard.get("/evaluation?id=code-1-b").text
    assert "It never expires." in text
    assert "compare with it" in text


@pytest.mark.slow
def test_two_evaluations_and_two_sets_are_compared(dashboard):
    """One id on each side shows what moved; skills and several ids are sets."""
    two = dashboard.json("/evaluation?id=prose-13-ana&against=prose-0-ana")
    assert two["schema"] == "evenhand/comparison/v1"
    assert two["final"] == pytest.approx(-3.1, abs=1.1)
    paired = dashboard.json("/evaluation?id=code-0-bo+code-1-bo&against=code-0-ana+code-1-ana")
    assert (paired["schema"], paired["cases"]) == ("evenhand/decision/v1", 2)
    assert dashboard.get("/skill?name=code&against=prose").status == 400, "two skills have no case in common"
    same = dashboard.get("/skill?name=code&against=code")
    assert (same.status, "both sides are code" in same.text) == (400, True)


def test_comparisons_are_those_of_the_reports(dashboard):
    """One body for the file of `better` and for the page; here names lead to the other pages."""
    two = dashboard.get("/evaluation?id=prose-13-ana&against=prose-0-ana").text
    assert ">What moved</h2>" in two
    assert '<a href="/evaluation?id=prose-0-ana">prose-0-ana</a>' in two
    sets = dashboard.get("/evaluation?id=code-0-bo+code-1-bo&against=code-0-ana+code-1-ana").text
    assert "What the data show, and what they do not" in sets
    assert 'aria-label="Every pair as a line from set A to set B' in sets


def test_judges_with_what_they_did_and_how_far_they_agree(dashboard):
    """Every output was scored by both: seven scores each, one point apart every time."""
    document = dashboard.json("/judges")
    assert [(row["judge"], row["evaluations"], row["scored"]) for row in document["judges"]] == [
        ("human:ana", 28, 196),
        ("human:bo", 28, 196),
    ]
    (pair,) = document["pairs"]
    assert (pair["first"], pair["second"], pair["submissions"], pair["scores"]) == ("human:ana", "human:bo", 28, 196)
    assert (pair["mean_difference"], pair["within_a_point"], pair["disputed"]) == (1.0, 0.0, 0.0)
    assert dashboard.json("/judges?last=3")["evaluations"] == 3


def test_a_search_shows_the_place(dashboard):
    """The field and the words around it; the words of the format itself are not found."""
    found = dashboard.json("/evaluations?q=NEVER+EXP&skill=code")["listed"]
    assert len(found) == 20
    assert found[0]["places"][0] == {"where": "output", "text": ["Output 13 of code.\nIt ", "never exp", "ires.\n"]}
    assert dashboard.json("/evaluations?q=justification")["listed"] == []
    assert dashboard.json("/evaluations?q=never+said")["listed"] == []


def test_the_rubric_page_shows_what_changed_between_versions(tmp_path):
    """As far as scorecards tell: weights, pass mark, amounts."""
    path = str(tmp_path / "versions.db")
    keeper = Keeper(open_store(path))
    other = make_rubric(
        seven("0.20", "0.20", "0.20", "0.15", "0.10", "0.10", "0.05"), amounts=["0.75"], pass_mark="6.00"
    )
    for number, rubric in enumerate((make_rubric(), other)):
        given = {"scores": seven(8), "skill": "code", "red_flags": ["f0"]}
        keep(keeper, f"{number}", rubric=rubric, id=f"{number}", created=f"2026-01-0{number + 1}T00:00:00Z", **given)
    with Dashboard(path) as dashboard:
        document = dashboard.json("/rubrics?name=made")
        assert [tuple(change.values()) for change in document["differences"]] == [
            ("pass mark", "7", "6"),
            ("weight of correctness", "25%", "20%"),
            ("weight of adherence", "15%", "20%"),
            ("amount of red flag f0", "0.5", "0.75"),
        ]
        assert [row["evaluations"] for row in dashboard.json("/rubrics")["versions"]] == [1, 1]
        old, new = document["from"], document["to"]
        turned = dashboard.json(address("/rubrics", name="made", **{"from": new[:16], "to": old[:16]}))
        assert turned["differences"][0] == {"what": "pass mark", "before": "6", "after": "7"}


@pytest.fixture
def reworded(tmp_path):
    """Evaluations by two versions of a rubric whose wording, flags and bonuses differ; the texts are not kept."""
    store = open_store(str(tmp_path / "versions.db"))
    store.create()
    before = make_rubric(bonuses=1)
    bands = tuple(band._replace(criteria="every claim is backed") for band in before.dimensions["safety"].bands[:1])
    after = before._replace(
        summary="Now with an introduction.",
        dimensions={**before.dimensions, "safety": before.dimensions["safety"]._replace(bands=bands)},
        red_flags=before.red_flags[1:],
        bonuses=(before.bonuses[0]._replace(description="bonus zero"),),
        official="calibrated",
    )
    for number, rubric in enumerate((before, after)):
        created = f"2026-01-0{number + 1}T00:00:00Z"
        keep(Keeper(store), f"{number}", rubric=rubric, id=f"{number}", created=created, scores=seven(8), skill="code")
    yield store, before, after
    store.close()


def keep_text(store, rubric: Rubric, **changes: str) -> None:
    """Keep a rubric's text as a round of review does, with some parts changed behind everyone's back."""
    canonical = canonical_rubric(rubric)
    round = ReviewRound(rubric.version, "", "", "sample", 1, 1, "", None, None)
    with store.transaction():
        text = canonical_text(canonical | changes)
        store.add_round(round._replace(id=sha256(text)), [], {sha256(canonical_text(canonical)): text}, {})


@pytest.mark.slow
def test_versions_of_a_rubric_that_are_kept_whole_are_compared_word_for_word(reworded):
    """Texts, flags that came or went, descriptions: also what no scorecard shows."""
    store, before, after = reworded
    for rubric in (before, after):
        keep_text(store, rubric)
    with Dashboard(store.url) as dashboard:
        document = dashboard.json("/rubrics?name=made")
        page = dashboard.get("/rubrics?name=made").text
    assert document["texts_known"] == {"from": True, "to": True}
    assert [tuple(change.values()) for change in document["differences"]] == [
        ("introduction", "empty", "Now with an introduction."),
        ("official score", "raw", "calibrated"),
        ("safety, 9 to 10", "criteria 9", "every claim is backed"),
        *((f"safety, {low} to {low + 1}", f"criteria {low}", "not there") for low in (7, 5, 3, 1)),
        ("red flag f0", "flag 0", "not there"),
        ("description of bonus b0", "bonus 0", "bonus zero"),
    ]
    assert "bonus <del>0</del>" in page and "bonus <ins>zero</ins>" in page
    assert document["text"]["sha256"] == document["to"]


@pytest.mark.slow
def test_a_rubric_known_whole_on_one_side_only_is_compared_by_what_scorecards_show(reworded):
    """Scorecards show neither its wording nor flags that nobody raised, so nothing is claimed about those."""
    store, _, after = reworded
    keep_text(store, after)
    with Dashboard(store.url) as dashboard:
        document = dashboard.json("/rubrics?name=made")
        page = dashboard.get("/rubrics?name=made").text
    assert (document["texts_known"], document["differences"]) == ({"from": False, "to": True}, [])
    assert "Only one of the two versions is known in full" in page


def test_a_rubric_is_remembered_once_its_texts_are_known(reworded):
    """A text that is kept later is shown although no evaluation was added; with both there is nothing left to find."""
    store, before, after = reworded
    parameters = Parameters("/rubrics", {"name": ("made",)})
    keep_text(store, after)
    assert rubric_page(store, parameters).document["texts_known"] == {"from": False, "to": True}
    keep_text(store, before)
    page = rubric_page(store, parameters)
    assert page.document["texts_known"] == {"from": True, "to": True}
    assert page.texts is not None and rubric_page(store, parameters) is page


def test_a_kept_rubric_that_was_changed_is_not_shown(reworded):
    """Its hash is no longer that of the version."""
    store, _, after = reworded
    keep_text(store, after, title="Another")
    with Dashboard(store.url) as dashboard:
        document = dashboard.json("/rubrics?name=made")
    assert document["texts_known"] == {"from": False, "to": False}
    assert document["text"] is None


def test_changed_words_are_told_apart():
    """Both texts are whole, put together again; texts beyond 5,000 characters are not compared."""
    assert word_changes("one thing", "another")[0] == [("one thing", True)]  # nothing in common
    before, after = word_changes("a red flag, twice", "a blue flag")
    assert before == [("a ", False), ("red", True), (" flag", False), (", twice", True)]
    assert after == [("a ", False), ("blue", True), (" flag", False)]
    assert word_changes("x" * 5_000, "y")[1] == [("y", True)]
    assert word_changes("x" * 5_001, "y")[1] == [("y", False)]


@pytest.mark.slow
def test_findings_are_counted_by_check_and_listed(tmp_path, evenhand_command):
    """Over all runs; each fault with its quote and its evaluation."""
    key = "AKIA" + "Z7Q2M5XW3K9JH4TB"
    for number in range(2):
        (tmp_path / f"{number}.md").write_text(f"Run {number}\n\naws_access_key_id = '{key}'\n")
        done = evenhand_command("judge", f"{number}.md", "--skill", "leaky", "--store", "findings.db")
        assert done.code in (0, 3), done.err
    with Dashboard(str(tmp_path / "findings.db")) as dashboard:
        document = dashboard.json("/judges")
        assert (document["evaluations"], document["checked"]) == (2, 2)
        first = document["checks"][0]
        assert (first["faults"], first["evaluations_with_faults"]) == (2, 2)
        listed = dashboard.json(address("/evaluations", finding=first["check"]))["listed"]
        assert [row["skill"] for row in listed] == ["leaky", "leaky"]
        assert [row["places"][0]["where"] for row in listed] == ["critical", "critical"]
        assert dashboard.get(address("/evaluations", finding=first["check"])).text.count("<q>") == 2
        skills = dashboard.json("/")["skills"]
        assert (skills[0]["graded"], skills[0]["latest"]["grade"]) == (0, None)
        assert "not graded" in dashboard.get("/").text


# --- bad input


@pytest.mark.parametrize(
    ("page", "status", "says"),
    [
        ("/evaluation?id=nope", 404, 'no evaluation with the id "nope"'),
        ("/evaluation", 400, "needs the id of an evaluation"),
        ("/evaluation?id=code-1", 400, "more than one id"),
        ("/skill?name=cod", 404, "did you mean code?"),
        ("/skill?name=code&before=x", 400, "first page"),
        ("/skill?name=code&name=prose", 400, "given 2 times"),
        ("/rubrics?name=none", 404, "No recent evaluation used"),
        ("/rubrics?name=made&to=zz", 404, "no recent version"),
        ("/skill?name=code&against=none", 404, 'Unknown skill "none"'),
        ("/skill?name=code&against=prose&last=0", 400, "whole number from 1"),
        ("/judges?last=x", 400, "whole number from 1"),
        ("/judges?last=99999999999999999999", 400, "whole number from 1"),
        ("/?format=xml", 400, "html, json, csv"),
        ("/?after=%00", 400, "NUL"),
        ("/log?before=-1", 400, "whole number"),
        ("/nowhere", 404, "no such page"),
        ("/evaluation?id=nope&against=code-0-ana", 404, "nope"),
    ],
)
def test_a_mistake_in_an_address_gets_a_page_that_says_what_to_do(dashboard, page, status, says):
    """And the same as JSON for a program."""
    answer = dashboard.get(page)
    assert (answer.status, says in html.unescape(answer.text)) == (status, True)
    assert '<a href="/">' in answer.text
    if "format" not in page:
        document = dashboard.get(f"{page}{'&' if '?' in page else '?'}format=json")
        assert (document.status, says in document.json["error"]) == (status, True)
        assert document.json["advice"]


@pytest.mark.slow
def test_a_damaged_row_gets_a_page_that_says_so(tmp_path):
    """It is not a fault of who asks: 503, and the command that tells more."""
    path = str(tmp_path / "damaged.db")
    store_with_history(path, evaluations=1)
    behind_the_back(path, "UPDATE evaluations SET scorecard = '{'")
    with Dashboard(path) as dashboard:
        answer = dashboard.get("/evaluation?id=code-0-ana")
        assert (answer.status, "evenhand store check" in answer.text) == (503, True)
        assert dashboard.get("/evaluations").status == 200


@pytest.mark.slow
def test_a_connection_that_was_lost_is_made_again(postgresql_server):
    """The page that comes after is shown as if nothing had happened; while the server is away, a page says so."""
    url = postgresql_server.empty_database()
    store_with_history(url, evaluations=1)
    with Dashboard(url) as dashboard:
        assert dashboard.get("/").status == 200
        others = "pid <> pg_backend_pid() AND backend_type = 'client backend'"
        behind_the_back(url, f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE {others}")
        assert dashboard.get("/").status == 200
        postgresql_server.stop()
        try:
            answer = dashboard.get("/")
            assert (answer.status, answer.headers["Retry-After"]) == (503, "2")
            assert "never-shown" not in answer.text
        finally:
            postgresql_server.start()
        assert dashboard.get("/").status == 200


@pytest.mark.slow
def test_five_megabytes_on_one_page(tmp_path):
    """A very long output is shown, and other pages are answered meanwhile."""
    path = str(tmp_path / "long.db")
    keep(
        Keeper(open_store(path)),
        "A line of an output that is long.\n" * 150_000,
        skill="long",
        scores=seven(8),
        id="long",
        created="2026-01-01T00:00:00Z",
    )
    with Dashboard(path) as dashboard:
        answer = dashboard.get("/evaluation?id=long")
        assert answer.status == 200
        assert len(answer.body) > 1_000_000
        assert len(dashboard.get("/evaluations?q=is+long").body) < 20_000


# --- hostile texts


def attack_pages(attack: str) -> list[str]:
    """Every page that shows an attack, or takes it from the address."""
    return [
        "/",
        "/evaluations",
        address("/skill", name=attack),
        address("/skill", name=attack, judge=attack, rubric=attack),
        address("/evaluation", id=f"{attack}0"),
        address("/evaluation", id=f"{attack}1", against=f"{attack}0"),
        "/suites",
        address("/suite", run=f"run-{attack}"),
        address("/suite", run=f"run-{attack}", baseline="v1"),
        "/judges",
        address("/judges", skill=attack),
        "/rubrics",
        address("/rubrics", name=attack),
        address("/evaluations", finding=attack),
        address("/evaluations", q=attack[:20]),
        address("/evaluations", skill=attack, judge=attack),
        address("/evaluation", id=f"no {attack}"),
        address("/skill", name=f"no {attack}"),
        address("/", after=attack),
        address("/skill", name=attack, against=attack, of_version=attack),
    ]


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.slow
def test_judged_text_is_text_on_every_page(attacked, attack):
    """Whatever field it is in: no tag and no attribute of it reaches the page, and no header is split."""
    for page in attack_pages(attack):
        answer = attacked.get(page)
        assert answer.status in (200, 400, 404), page
        for tag in (
            "<script>",
            "<img",
            "<iframe",
            "<svg onload",
            "<b>bold",
            "<meta http-equiv",
            "<base",
            "<form action=https",
        ):
            assert tag not in answer.text, (page, tag)
        assert "Set-Cookie: a=b" not in str(answer.headers)
        assert "49" not in Links(answer.text).title
        for target in Links(answer.text).all:
            assert target.startswith(("/", "#", "data:,")) and not target.startswith("//"), target


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.slow
def test_downloads_of_judged_text_are_harmless(attacked, attack):
    """JSON that no browser takes for a page, CSV without formulas, file names of plain letters."""
    for page in attack_pages(attack)[:-5]:
        joined = f"{page}{'&' if '?' in page else '?'}format="
        document = attacked.get(f"{joined}json&download=1")
        assert b"<" not in document.body
        json.loads(document.body)
        name = document.headers["Content-Disposition"].partition('filename="')[2].removesuffix('"')
        assert all(char.isalnum() or char in "-_." for char in name) and name.isascii(), name
        for row in csv.reader(io.StringIO(attacked.get(f"{joined}csv").text)):
            assert not any(cell.lstrip(" ").startswith(("=", "+", "@", "\t")) for cell in row), row


# --- new evaluations


@pytest.mark.slow
def test_news_come_as_soon_as_an_evaluation_is_added(tmp_path):
    """The question waits; the answer is the place of the newest."""
    import threading
    import time

    path = str(tmp_path / "news.db")
    store_with_history(path, evaluations=1)
    with Dashboard(path) as dashboard:
        seen = dashboard.get("/").text.partition('data-live="')[2].partition('"')[0]
        seen = html.unescape(seen)
        assert dashboard.get(address("/changes", after="other")).json == {"newest": seen}
        answers: list[object] = []

        def wait() -> None:
            answers.append(dashboard.get(address("/changes", after=seen)).json["newest"])

        waiting = threading.Thread(target=wait)
        waiting.start()
        time.sleep(0.5)
        assert answers == []
        keep(Keeper(open_store(path)), "new", skill="new", scores=seven(8), id="new", created="2026-03-01T00:00:00Z")
        waiting.join(20)
        assert [str(answer).partition("~")[2] for answer in answers] == ["new"]


# --- figures


def test_two_panels_and_a_person_on_one_submission_agree_pairwise():
    """Members of one panel are compared with one another and with who judged before, never with themselves."""
    person = scorecard_document(judged(seven(8), judge="human:ana"))
    person["receipt"]["submission"] = "s"
    member = {"unscored": {}, "abstained": None}
    panel = json.loads(json.dumps(person, default=float))
    panel["judge"] = {"name": "panel"}
    panel["panel"] = {
        "members": [
            {"judge": {"name": "m1"}, "scores": seven(6), **member},
            {"judge": {"name": "m2"}, "scores": {**seven(8), "safety": None}, **member, "abstained": "timed out"},
        ],
        "calls": {"asked": 2, "stored": 1, "repairs": 0, "input_tokens": 10, "output_tokens": 5, "cost": 0.25},
    }
    figures = judge_figures([json.loads(json.dumps(person, default=float)), panel])
    pairs = {(pair.first, pair.second): (pair.scores, pair.same, pair.disputed) for pair in figures.pairs}
    assert pairs == {("human:ana", "m1"): (7, 0, 7), ("human:ana", "m2"): (6, 6, 0), ("m1", "m2"): (6, 0, 6)}
    use = {use.name: use for use in figures.judges}
    assert (use["panel"].asked, use["panel"].cost, use["m2"].failures, use["m2"].unscored) == (
        2,
        Decimal("0.25"),
        1,
        1,
    )


def test_findings_are_counted_once_for_each_and_once_for_each_evaluation():
    """Two faults of one check in one evaluation are two faults in one evaluation."""
    fault = {"check": "c", "severity": "major"}
    counts = FaultCounts()
    kept = [{"findings": [fault, fault, {"check": "c", "severity": None}]}, {"findings": []}, {}]
    assert list(counts.counting(kept)) == kept
    assert counts.checked == 2
    (count,) = counts.checks()
    assert (count.major, count.faults, count.in_order, count.evaluations) == (2, 2, 1, 1)


def test_a_changed_wording_is_known_by_its_checksum_only():
    """Where models judged by both versions; a criterion that came or went is named as such."""
    base = {"pass_mark": 7, "dimensions": {"safety": {"weight": 1}}, "red_flags": [], "bonuses": []}
    old = known_version("a", [{**base, "panel": {"criteria": {"safety": "1", "gone": "2", "same": "3"}}}])
    new = known_version("b", [{**base, "panel": {"criteria": {"safety": "9", "here": "2", "same": "3"}}}])
    assert [tuple(change) for change in version_differences(old, new)] == [
        ("wording of gone", "there", "not there"),
        ("wording of here", "not there", "there"),
        ("wording of safety", "there", "another text"),
    ]
    assert version_differences(known_version("a", [base]), new) == []
    assert known_version("a", []) is None


def test_a_chart_spans_its_times_and_scores():
    """The first point at the left, the last at the right, higher scores higher; one point in the middle."""
    day = 86_400_000_000
    chart = time_chart([Scored(str(n), n * day, 500 + 100 * n, "", "point") for n in range(3)])
    xs, ys = [dot.x for dot in chart.dots], [dot.y for dot in chart.dots]
    assert xs == sorted(xs) and ys == sorted(ys, reverse=True)
    assert (xs[0], xs[-1]) == (48.0, 916.0)
    assert chart.days[0].label == "1 Jan 00:00"
    assert time_chart([Scored("1", 5, 800, "", "point")]).dots[0].x == 482.0
    assert time_chart([]) is None
    assert date_text(2**62) == ""


@pytest.mark.slow
def test_a_sparkline_leaves_out_evaluations_without_a_score():
    """It shows four points around the scores, or as many as they span."""
    assert spark([1, None, 10]) == "2.0,22.0 98.0,2.0"
    assert spark([5.5]) == "2,12.0 98,12.0"
    assert spark([7, 9]) == "2.0,17.0 98.0,7.0"  # half of four points, in the middle
    assert spark([None]) == spark([]) == ""
