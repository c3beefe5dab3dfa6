"""evenhand better of one thing: what to change, over scorecards of files and stores."""

from __future__ import annotations

import json
from contextlib import closing

import pytest
from conftest import judged, seven
from fake_server import chat
from jsonschema import Draft202012Validator
from scripted_judge import read_prompt, reply_text

import evenhand
from evenhand.core.finding import Checked, Expected, Finding
from evenhand.decisions.suite_run import SuiteRun
from evenhand.errors import StoreUnavailable
from evenhand.judging.files import Named
from evenhand.judging.sets.set_answer import changes_of
from evenhand.reports.comparison.what_to_change import UNREAD, changes_report
from evenhand.suites.results.kept_results import SuiteKeeper
from evenhand.work.agent_run import CaseResult, RunId
from planted_weaknesses import SKILL, card, output, planted, reply
from report_formats import report_lines
from test_model_judging import KEY, models


@pytest.fixture
def scorecards(tmp_path):
    """The scorecards of all planted cases in a file."""
    lines = [json.dumps(evenhand.document(card(case))) for case in planted()["cases"]]
    (tmp_path / "cards.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return "cards.jsonl"


def test_json_lists_everything_and_fits_its_schema(evenhand_command, scorecards):
    ran = evenhand_command(
        "better", scorecards, "--set", f"judge.skill_file={SKILL}", "--store", "none", "--format", "json"
    )
    assert ran.code == 0
    document = json.loads(ran.out)
    Draft202012Validator(json.loads(evenhand_command("docs", "schema", "what-to-change").out)).validate(document)
    assert document["cases"] == 12 and document["skill"] == "SKILL.md"
    assert all(change["quotes"] for change in document["changes"])
    assert document["changes"][0]["instruction"]["line"] == 11


def test_text_shows_the_six_most_costly_within_80_columns(evenhand_command, scorecards):
    ran = evenhand_command("better", scorecards, "--store", "none")
    assert "−0.47 points, 4 of 12 cases" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


def test_a_missing_skill_file_is_an_error(evenhand_command, scorecards):
    ran = evenhand_command("better", scorecards, "--set", "judge.skill_file=nowhere/SKILL.md", "--store", "none")
    assert (ran.code, ran.err) == (2, "error: nowhere/SKILL.md: no such file\n")


def test_without_a_reader_only_checks_and_expectations_are_listed():
    """The unmet expectation bounds correctness at 6: 0.25 x (10 - 6) = 1.00. The fault, a minor one, costs 0.20 x 2."""
    scored = judged(seven(8))
    checked = Checked(
        "x",
        findings=(
            Finding("links", "completeness", "minor", "A link leads nowhere.", "[here]()", verified=True, line=2),
        ),
        expectations=(Expected('answer contains "412.00"', "unmet", "correctness", "major", "it is not there"),),
    )
    unread = {name: line._replace(score=None, justification="") for name, line in scored.dimensions.items()}
    changes = changes_of([Named("c", scored._replace(checked=checked, dimensions=unread, id="c"))])
    assert [(change.kind, str(change.cost)) for change in changes.changes] == [
        ("expectation", "1.00"),
        ("check", "0.40"),
    ]
    assert [quote.source for change in changes.changes for quote in change.quotes] == ["expectation", "output"]
    assert UNREAD in " ".join(report_lines(changes_report(changes)))


def test_a_fault_that_does_not_count_beside_readers_is_not_listed():
    scored = judged(seven(10))
    fault = Finding("links", "completeness", "minor", "A link leads nowhere.", "[here]()", verified=True)
    for is_precise in (False, True):
        checked = Checked("x", findings=(fault._replace(precise=is_precise),))
        assert bool(changes_of([Named("c", scored._replace(checked=checked))]).changes) is is_precise


def test_a_bare_number_says_nothing_to_change():
    report = changes_report(changes_of([Named("c", judged(seven(5)))]))
    assert report_lines(report)[1:] == ["nothing: no complaint with a quote or a reason was found"]


def test_repeated_runs_of_a_case_count_once_by_their_mean():
    """Two runs of one case, of which one lacks 4 points of safety: 0.10 x 4 / 2 = 0.20."""
    low = {**seven(10), "safety": {"score": 6, "justification": "No warning is given."}}
    runs = [Named("c", judged(low)), Named("c", judged(seven(10)))]
    assert [str(change.cost) for change in changes_of(runs).changes] == ["0.20"]


@pytest.mark.slow
@pytest.mark.parametrize("judges", [1, 2])
def test_the_six_planted_weaknesses_come_first_when_models_judged_two_folders(
    judges, evenhand_command, fake_server, tmp_path
):
    """By one judge and by a panel; the skill is not known, so words alone tell what belongs together."""
    fake_server.answer = lambda asked: (
        chat(reply_text(read_prompt(asked.body), score=3))
        if "Nothing else." in read_prompt(asked.body).work
        else reply(asked)
    )
    for case in planted()["cases"]:
        for folder, text in (("old", f"# Notes on {case}\n\nNothing else.\n"), ("new", output(case))):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / f"{case}.md").write_text(text)
    names = models(fake_server, *("gpt-4o", "gpt-4.1")[:judges])
    ran = evenhand_command("better", "old", "new", *names, "--yes", "--format", "json", OPENAI_API_KEY=KEY)
    document = json.loads(ran.out)
    assert document["contrasts"][0]["verdict"] == "better"
    changes = document["answer"]["changes"]["changes"]
    wordings = {name: set(weakness["wordings"]) for name, weakness in planted()["weaknesses"].items()}
    found = [{name for name, said in wordings.items() if said & {*change["wordings"]}} for change in changes[:6]]
    assert sorted(name for names in found for name in names) == sorted(wordings)
    assert all(len(names) == 1 for names in found)
    assert all(change["quotes"] for change in changes)
    assert json.loads(evenhand_command("better", "latest", "--format", "json").out)["changes"] == changes


@pytest.fixture
def two_folders(fake_server, tmp_path):
    """Seven outputs in two versions: the new ones are better, but for c6, which falls from 8 to 6."""

    def answer(asked):
        prompt = read_prompt(asked.body)
        was = 8 if "c6" in prompt.work else 4
        return chat(reply_text(prompt, score=was if "old" in prompt.work else 6))

    fake_server.answer = answer
    for side in ("old", "new"):
        (tmp_path / side).mkdir()
        for number in range(7):
            (tmp_path / side / f"c{number}.md").write_text(f"# c{number} of the {side} version\n\nIt works.\n")
    return models(fake_server, "gpt-4o")


@pytest.mark.parametrize("store", [[], ["--store", "none"]])
def test_one_command_says_whether_it_is_better_what_to_change_and_what_got_worse(evenhand_command, two_folders, store):
    """With a store or without one, the answer is the same."""
    ran = evenhand_command("better", "old", "new", *two_folders, "--yes", "--full", *store, OPENAI_API_KEY=KEY)
    assert ran.out.startswith("new against old: undecided: better in 6 of 7 cases, typically by")
    places = [
        ran.out.index(words) for words in ("What to change", " 1 ", "Got worse", "c6: 8.00 to 6.00", "measured by")
    ]
    assert places == sorted(places)


def test_the_page_of_a_run_and_of_a_comparison_have_the_same_answer(evenhand_command, two_folders, tmp_path):
    evenhand_command("better", "old", "new", *two_folders, "--yes", OPENAI_API_KEY=KEY)
    assert evenhand_command("run", "show", "latest", "-o", "run.html").code == 0
    for side in ("old", "new"):
        judged = evenhand_command("judge", side, *two_folders, "-f", "jsonl", "-o", f"{side}.jsonl", OPENAI_API_KEY=KEY)
        assert judged.code == 0
    compared = evenhand_command("better", "old.jsonl", "new.jsonl")
    assert ": 8.00 to 6.00" in compared.out
    assert evenhand_command("better", "old.jsonl", "new.jsonl", "-o", "sets.html").code == 5
    for name in ("run.html", "sets.html"):
        page = (tmp_path / name).read_text(encoding="utf-8")
        assert "What to change, most costly first" in page and "Got worse" in page, name
        assert page.index("What to change") < page.index("What the data show")


def test_a_comparison_as_json_has_the_answer_and_fits_its_schema(evenhand_command, scorecards):
    ran = evenhand_command("better", scorecards, scorecards, "--store", "none", "--format", "json")
    document = json.loads(ran.out)
    Draft202012Validator(json.loads(evenhand_command("docs", "schema", "decision").out)).validate(document)
    assert document["answer"]["changes"]["cases"] == 12 and document["answer"]["got_worse"] == []


@pytest.mark.slow
def test_skills_that_an_agent_runs_are_held_against_their_own_instructions(evenhand_command, fake_server, tmp_path):
    """The agent writes what its skill says; the judge quotes line 6 of the newer one."""

    def answer(asked):
        prompt = read_prompt(asked.body)
        said = json.loads(reply_text(prompt, score=6))
        for scored in said.get("scores", ()):
            if scored["dimension"] == "adherence":
                scored["justification"] = "“Name the migration step.” was not followed."
        return chat(json.dumps(said))

    fake_server.answer = answer
    for version, rule in (("v1", "Be brief."), ("v2", "Name the migration step.")):
        folder = tmp_path / version
        folder.mkdir()
        (folder / "SKILL.md").write_text(f"---\nname: notes\ndescription: Write notes.\n---\n\n{rule}\n")
    (tmp_path / "tasks").mkdir()
    for number in range(2):
        (tmp_path / "tasks" / f"c{number}.md").write_text(f"Write notes number {number}.\n")
    names = models(fake_server, "gpt-4o")
    ran = evenhand_command(
        "better", "v1", "v2", "--tasks", "tasks", "--agent", "echo {prompt}", *names, "--yes", "--format", "json",
        OPENAI_API_KEY=KEY,
    )  # fmt: skip
    changes = json.loads(ran.out)["answer"]["changes"]
    assert changes["skill"] == "SKILL.md"
    found = next(change for change in changes["changes"] if "adherence" in change["dimensions"])
    assert found["instruction"] == {"line": 6, "text": "Name the migration step.", "named_by": "judge"}
    assert "warning" not in ran.err
    alone = evenhand_command("better", "v1", "v2", "--tasks", "tasks", "--agent", "echo {prompt}", "--yes")
    assert "warning: without a judge, and with cases that expect nothing, no one can say which is better" in alone.err


def test_the_skill_file_is_refused_where_two_evaluations_are_compared(evenhand_command, scorecards, tmp_path):
    line = (tmp_path / scorecards).read_text(encoding="utf-8").splitlines()[0]
    (tmp_path / "one.jsonl").write_text(line, encoding="utf-8")
    ran = evenhand_command("better", "one.jsonl", "one.jsonl", "--set", f"judge.skill_file={SKILL}", "--store", "none")
    assert ran.code == 2 and "judge.skill_file goes with sets" in ran.err


def test_a_store_that_fails_at_the_end_does_not_keep_the_decision_back(tmp_path, monkeypatch):
    """It is read again for what to change; the run has been paid for."""
    run = SuiteRun("r", "s", "ab" * 32, "2026-01-01T00:00:00Z", ("old", "new"), "old", 1, 1)
    with closing(evenhand.open_store(str(tmp_path / "s.db"))) as store:
        keeper = SuiteKeeper(run, store)
        outcome = keeper.finish()

        def broken(id, rubric):
            raise StoreUnavailable("the disk is gone")

        keeper.results.add(CaseResult(RunId("c", "new", 1), "finished", evaluation="e"))
        keeper.cases["c"] = None
        monkeypatch.setattr(store, "find", broken)
        heard = []
        assert keeper.answer(outcome, lambda variant: None, heard.append) is None
    assert heard == ["the advice on what to change could not be made: the disk is gone"]
