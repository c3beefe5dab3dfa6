"""Calibration examples from a store: people's judgements by the same rubric, the most similar tasks first."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from conftest import seven
from fake_server import FakeServer, chat
from scripted_judge import read_prompt, reply_text

import evenhand
import flat_calls
from evenhand.judging.panels.examples import StoredExamples, similarity, words
from evenhand.work.submission import Submission

RUBRIC = evenhand.load_rubric("writing")
WORK = Submission(
    output="The cache kept its entries for an hour.", task="Explain why the prices were wrong.", skill="explain"
)


def _put(store: Any, output: str, task: str | None = None, judge: str = "human:ana", **more: Any) -> None:
    judgement = {"judge": judge, "skill": more.pop("skill", "explain"), "scores": seven(more.pop("score", 4))}
    rubric = more.pop("rubric", "writing")
    evenhand.score(judgement, output=output, task=task, rubric=rubric, store=store, **more)


def _chosen(store: Any, count: int = 3, work: Submission = WORK) -> list[str]:
    return [example.submission.output for example in StoredExamples(store, count).choose(RUBRIC, work)]


def test_similarity_is_the_share_of_words_that_both_have():
    """Of five different words in all, two are in both."""
    assert similarity(words("Why did it fail?"), words("It did work")) == Fraction(2, 5)
    assert similarity(words("DID it, it DID"), words("it did")) == 1
    assert similarity(words("价格错误"), words("价格正确")) == Fraction(2, 6)
    assert similarity(words(None), words("it")) == similarity(words(""), words("")) == 0


def test_the_most_similar_tasks_come_first(store):
    """Shares of common words: 3 of 8, then 1 of 10, then none; the last of four is not shown."""
    _put(store, "Nothing in common.", "Translate this letter.")
    _put(store, "Half of it.", "Explain why the deploy failed.")
    _put(store, "A little.", "Find the cause of the crash.")
    _put(store, "No task is known.")
    assert _chosen(store) == ["Half of it.", "A little.", "No task is known."]


def test_ties_go_to_the_same_skill_then_to_the_newer(store):
    """All three tasks are equally unlike."""
    _put(store, "Older, same skill.", "Translate.")
    _put(store, "Newer, same skill.", "Translate.")
    _put(store, "Newest, other skill.", "Translate.", skill="other")
    assert _chosen(store) == ["Newer, same skill.", "Older, same skill.", "Newest, other skill."]


def test_only_people_who_judged_by_the_same_rubric_count(store):
    """No model, no agent, no other rubric, and nothing whose text is not kept."""
    _put(store, "By a model.", judge="openai:gpt-4o")
    _put(store, "By another rubric.", rubric="code-review")
    evenhand.score({"judge": "human:ana", "scores": seven(5)}, rubric="writing", store=store)
    _put(store, "By a person.")
    assert _chosen(store) == ["By a person."]


def test_the_work_itself_is_never_an_example(store):
    """Neither its text, however it is spaced, nor its id."""
    _put(store, "The cache  kept its\nentries for an hour.")
    _put(store, "An earlier version with the same id.", id="case-1")
    assert _chosen(store, work=WORK._replace(id="case-1")) == []
    assert _chosen(store) == ["An earlier version with the same id."]


def test_of_several_judgements_of_one_text_the_newest_counts(store):
    """One work is one example."""
    for score in (3, 9):
        _put(store, "The same text.", score=score)
    (example,) = StoredExamples(store, 3).choose(RUBRIC, WORK)
    assert example.scores["correctness"] == "9"


def _judge(evenhand_command: Any, server: FakeServer, folder: Path, *more: str) -> Any:
    server.answer = lambda asked: chat(reply_text(read_prompt(asked.body)))
    (folder / "answer.md").write_text(WORK.output)
    asked = ["judge", "answer.md", "--task", str(WORK.task), "--rubric", "writing", "--judge", "openai:one"]
    return evenhand_command(*asked, "--base-url", server.url, "--format", "json", *more)


@pytest.mark.slow
def test_the_examples_are_shown_and_part_of_the_identity(evenhand_command, fake_server, tmp_path):
    """Other examples make another judge; too few are mentioned on the scorecard."""
    (tmp_path / "earlier.md").write_text("The queue was full, so orders were dropped without a message.")
    judgement = {
        "judge": "human:ana",
        "rubric": "writing",
        "task": "Explain.",
        "output": "earlier.md",
        "scores": seven(4),
    }
    (tmp_path / "earlier.json").write_text(json.dumps(judgement))
    assert evenhand_command("score", "earlier.json").code == 0
    card = json.loads(_judge(evenhand_command, fake_server, tmp_path, "--set", "judge.examples_from_store=2").out)
    assert len(card["judge"]["examples"]) == 64 and card["final"] is not None
    assert any(text.startswith("1 of 2 stored examples shown to openai:one") for text in card["warnings"])
    content = fake_server.asked[0].body["messages"][1]["content"]
    assert content.index("orders were dropped") < content.index(WORK.output)
    ran = _judge(
        evenhand_command,
        fake_server,
        tmp_path,
        "--set",
        "judge.examples_from_store=1",
        "--set",
        "judge.show_prompt=true",
    )
    assert "orders were dropped" in ran.out
    plain = json.loads(_judge(evenhand_command, fake_server, tmp_path).out)
    assert "examples" not in plain["judge"]


def test_examples_come_from_one_place(evenhand_command, fake_server, tmp_path):
    """A store is needed, and a file beside it is refused."""
    ran = _judge(evenhand_command, fake_server, tmp_path, "--set", "judge.examples_from_store=2", "--store", "none")
    assert ran.code == 2 and "needs a store" in ran.err
    (tmp_path / "e.jsonl").write_text("{}")
    (tmp_path / "earlier.md").write_text("x")
    (tmp_path / "e.jsonl").write_text(json.dumps({"judge": "human:a", "output": "earlier.md", "scores": seven(4)}))
    ran = _judge(
        evenhand_command,
        fake_server,
        tmp_path,
        "--set",
        "judge.examples_from_store=2",
        "--set",
        "judge.examples=e.jsonl",
    )
    assert ran.code == 2 and "give one of judge.examples and judge.examples_from_store" in ran.err
    assert _judge(evenhand_command, fake_server, tmp_path, "--set", "judge.examples_from_store=21").code == 2


def test_a_small_window_gets_fewer_examples(store):
    """Half of it at most, the least similar left out first."""
    _put(store, "word " * 400, "Explain why.")
    _put(store, "other " * 400, "Translate.")
    examples = StoredExamples(store, 2)
    assert [examples.text(RUBRIC, WORK, window)[1] for window in (None, 2_200, 1_000)] == [2, 1, 0]


def test_python_takes_them_too(store, fake_server, tmp_path, monkeypatch):
    """`examples_from_store` is the option of the same name."""
    monkeypatch.chdir(tmp_path)  # a store on a server has its replies in the project's folder
    _put(store, "The queue was full, so orders were dropped.", "Explain.")
    fake_server.answer = lambda asked: chat(reply_text(read_prompt(asked.body)))
    card = flat_calls.judge(
        WORK,
        rubric="writing",
        judges="openai:one",
        base_url=fake_server.url,
        store=store,
        examples_from_store=1,
    )
    assert len(card.judge["examples"]) == 64
    with pytest.raises(evenhand.InputError, match="needs a store"):
        flat_calls.judge(WORK, judges="openai:one", base_url=fake_server.url, examples_from_store=1)
