"""A rubric is looked up once: what judged is what scores, through every door."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from conftest import make_rubric, seven
from scripted_judge import answer

import evenhand
import flat_calls
from evenhand import DIMENSIONS
from evenhand.core.receipt import terms_of
from evenhand.judging.files import score_files
from evenhand.reports.markdown import rubric_markdown

# The file foo.md calls itself "default", and puts all its weight on safety.
NAMED_DEFAULT = make_rubric(seven("0", "0", "0", "0", "0", "1", "0"), pass_mark="9.00")._replace(name="default")
DIFFERS = 'evenhand/rubrics/foo.md: its name is "default", but its file is named "foo"; make them the same'
SCORES = dict.fromkeys(DIMENSIONS, 8) | {"safety": 3}


@pytest.fixture
def foo(tmp_path, monkeypatch):
    """A project whose rubric foo.md is named default inside."""
    (tmp_path / ".git").mkdir()
    path = tmp_path / "evenhand" / "rubrics" / "foo.md"
    path.parent.mkdir(parents=True)
    path.write_text(rubric_markdown(NAMED_DEFAULT), encoding="utf-8")
    (tmp_path / "answer.md").write_text("Prices change every minute, so the cache went stale.\n", encoding="utf-8")
    (tmp_path / "judgement.json").write_text(json.dumps({"skill": "foo", "scores": SCORES}), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return path


def assert_from_foo(card, count=1):
    """The scorecard was made with foo.md, and warns of its name."""
    assert card["rubric"]["sha256"] == terms_of(NAMED_DEFAULT).sha256
    assert card["dimensions"]["safety"]["weight"] == 1
    assert [warning for warning in card["warnings"] if DIFFERS in warning] == card["warnings"][:count]
    assert sum(DIFFERS in warning for warning in card["warnings"]) == count


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [["--skill", "foo"], ["--rubric", "foo"], ["--rubric", "evenhand/rubrics/foo.md"]])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_checks_score_with_the_rubric_they_judged_with(evenhand_command, foo, chosen, jobs):
    """Found by skill, by name or by path, in one process or in several."""
    done = evenhand_command(
        "judge", "answer.md", "answer.md", *chosen, "--set", f"judge.jobs={jobs}", "-f", "jsonl", "--store", "none"
    )
    cards = [json.loads(line) for line in done.out.splitlines()]
    assert len(cards) == 2
    for card in cards:
        assert_from_foo(card)


@pytest.mark.slow
def test_models_and_replays_score_with_the_rubric_they_judged_with(evenhand_command, foo, fake_server):
    """Asked on a server, and answered from the record."""
    fake_server.answer = lambda asked: answer(asked, score=6)
    run = ("judge", "answer.md", "--skill", "foo", "-f", "json", "--store", "none")
    model = ("--judge", "openai:one", "--base-url", fake_server.url, "--set", "judge.record=said.jsonl")
    assert_from_foo(json.loads(evenhand_command(*run, *model, OPENAI_API_KEY="for-tests").out))
    assert_from_foo(json.loads(evenhand_command(*run, "--judge", "replay:said.jsonl").out))


@pytest.mark.parametrize("options", [[], ["--rubric", "foo"], ["--rubric", "evenhand/rubrics/foo.md"]])
def test_score_uses_the_rubric_of_the_file_s_name(evenhand_command, foo, options):
    """All weight is on safety: 1 x 3 = 3, where the built-in default would give 0.9 x 8 + 0.1 x 3 = 7.5."""
    card = json.loads(evenhand_command("score", "judgement.json", *options, "-f", "json", "--store", "none").out)
    assert_from_foo(card)
    assert card["final"] == 3


def test_the_inner_name_means_the_built_in_rubric(foo):
    """A judgement that names default gets the default: 0.9 x 8 + 0.1 x 3 = 7.5."""
    card = evenhand.score({"rubric": "default", "scores": SCORES})
    assert (str(card.final), card.warnings) == ("7.50", ())
    card = evenhand.score({"rubric": "default", "scores": SCORES}, rubric="foo")
    assert str(card.final) == "3.00"
    assert "scored with rubric foo as asked; the judgement names default" in card.warnings
    card = evenhand.score({"rubric": "foo", "scores": SCORES}, rubric="evenhand/rubrics/foo.md")
    assert len(card.warnings) == 1


def test_python_warns_wherever_the_rubric_comes_in(foo, caplog):
    """On scorecards as on those of the command, and through logging where there is no scorecard."""
    assert_from_foo(evenhand.document(evenhand.score({"skill": "foo", "scores": SCORES})))
    assert_from_foo(evenhand.document(flat_calls.judge("The cache went stale.", skill="foo")))
    assert_from_foo(evenhand.document(flat_calls.judge("The cache went stale.", rubric=foo)))
    again = evenhand.rescore(evenhand.score({"scores": SCORES}), rubric="foo")
    assert any(DIFFERS in warning for warning in again.warnings)
    assert evenhand.load_rubric("foo") == NAMED_DEFAULT
    table = pa.table({"id": ["a"], **{name: [score] for name, score in SCORES.items()}})
    assert str(evenhand.batch(table, rubric="foo", history=False)["final"][0].as_py()) == "3.00"
    assert [record.message.count(DIFFERS) for record in caplog.records] == [1, 1]


@pytest.mark.slow
def test_commands_without_a_scorecard_warn_on_stderr(evenhand_command, foo, tmp_path):
    """batch, rubric show and what it lists."""
    import pyarrow.parquet as pq

    pq.write_table(pa.table({name: [8] for name in DIMENSIONS}), tmp_path / "in.parquet")
    for command in (
        ("table", "in.parquet", "out.parquet", "--rubric", "foo", "--set", "table.no_history=true"),
        ("rubric", "show", "foo", "-f", "json"),
        ("rubric", "list", "-f", "json"),
    ):
        done = evenhand_command(*command)
        assert (done.code, done.err.count(DIFFERS), DIFFERS in done.out) == (0, 1, False), command


def test_rubric_check_refuses_a_name_that_is_not_the_file_s(evenhand_command, foo):
    """Exit code 2 with the line of the name, by path and by name."""
    for name in ("evenhand/rubrics/foo.md", "foo"):
        done = evenhand_command("rubric", "check", name)
        assert (done.code, done.out) == (2, "")
        assert 'foo.md:2: its name is "default", but its file is named "foo"' in done.err


@pytest.mark.parametrize("file", ["our-notes.md", "Our Notes.md"])
def test_a_file_without_an_inner_name_is_named_after_itself(evenhand_command, foo, file):
    """Nothing differs, so there is nothing to warn of."""
    text = rubric_markdown(NAMED_DEFAULT).replace("name: default\n", "")
    foo.with_name(file).write_text(text, encoding="utf-8")
    assert "is named" not in evenhand_command("rubric", "check", str(foo.with_name(file))).out
    assert evenhand.score({"scores": SCORES}, rubric=foo.with_name(file)).warnings == ()


def test_a_rubric_is_read_once_in_a_run(foo, monkeypatch):
    """A thousand judgements of one skill read its file once."""
    from evenhand.judges.written import judgement_from
    from evenhand.judging.steps import Steps
    from evenhand.rubrics import library

    reads = []
    load = library.load_file
    monkeypatch.setattr(library, "load_file", lambda path: reads.append(path) or load(path))
    steps = Steps()
    for _ in range(1000):
        steps.evaluate_written(judgement_from({"skill": "foo", "scores": SCORES}))
    assert len(reads) == 1


# --- a rubric with errors ------------------------------------------------------------------------


@pytest.fixture
def broken(foo):
    """A project whose rubric foo.md has seven errors: one band of each dimension is off the scale."""
    foo.write_text(foo.read_text(encoding="utf-8").replace("| 9-10 ", "| 9-11 "), encoding="utf-8")
    with pytest.raises(evenhand.RubricError) as caught:
        evenhand.load_rubric("foo")
    return len(caught.value.problems)


def many(tmp_path, count, **more):
    judgement = json.dumps({"skill": "foo", "scores": SCORES} | more)
    (tmp_path / "many.jsonl").write_text(f"{judgement}\n" * count, encoding="utf-8")


@pytest.mark.parametrize("more", [{}, {"rubric": "foo"}, {"rubric": "evenhand/rubrics/foo.md"}])
def test_the_errors_of_a_rubric_are_reported_once(evenhand_command, broken, tmp_path, more):
    """Of 300 judgements the first shows them all, each of the 299 others has one line."""
    many(tmp_path, 300, **more)
    done = evenhand_command("score", "many.jsonl", "--store", "none", "-f", "jsonl")
    errors = done.err.splitlines()
    assert (done.code, done.out) == (2, "")
    assert sum("9-11" in line for line in errors) == broken > 1
    assert len(errors) == broken + 299
    assert f"has {broken} errors, which are listed once above" in errors[-1]
    assert "many.jsonl:300: " in errors[-1] or "rubric" not in more


def test_the_run_stops_at_the_errors_of_the_rubric_it_was_given(evenhand_command, broken, tmp_path):
    """No judgement can be scored, so none is looked at."""
    many(tmp_path, 300)
    done = evenhand_command("score", "many.jsonl", "--rubric", "foo", "--store", "none")
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", broken)


def test_a_broken_rubric_is_read_once_in_a_run(broken, tmp_path, monkeypatch):
    """Whether it is found by the skill or named, and also when outputs are judged."""
    from evenhand.rubrics import library

    read = []
    load = library.load_file
    monkeypatch.setattr(library, "load_file", lambda path: read.append(path) or load(path))
    many(tmp_path, 50)
    assert all(isinstance(result, evenhand.RubricError) for result in score_files(["many.jsonl"]).results)
    assert len(read) == 1
    many(tmp_path, 50, rubric="foo")
    assert all(isinstance(result, evenhand.InputError) for result in score_files(["many.jsonl"]).results)
    assert len(read) == 2


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_judging_a_folder_reports_a_broken_rubric_once(evenhand_command, broken, foo, tmp_path, jobs):
    """The usual rubric of a submission is looked up once, with its errors."""
    foo.rename(foo.with_name("default.md"))
    for number in range(4):
        (tmp_path / f"answer-{number}.md").write_text("It works, as the log shows.\n", encoding="utf-8")
    files = [f"answer-{number}.md" for number in range(4)]
    done = evenhand_command("judge", *files, "--set", f"judge.jobs={jobs}", "--store", "none")
    assert done.code == 2
    lines = done.err.splitlines()
    assert sum("9-11" in line for line in lines) == broken
    assert sum("listed once above" in line for line in lines) == 3
