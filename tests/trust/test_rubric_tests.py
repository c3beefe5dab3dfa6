"""A rubric tested with golden examples, against a real server on a real socket and from recorded replies."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_server import Asked, FakeServer, Step, chat
from jsonschema import validate

import evenhand
from evenhand.rubrics.library import load_rubric
from evenhand.trust.golden_examples import golden_examples
from test_criteria_judging import criteria_in, server_that, verdict
from test_model_judging import KEY

CRITERIA = """#### Criteria

- `names-ticket` (2 points): The answer names the ticket.
- `polite` (1 point): The answer is polite.
- `first` (1 point): The ticket comes first.
  - requires: names-ticket
- `names-pytest` (1 point): It names pytest.
  - decided by: expect {answer: {contains: pytest}}

"""
GOLDEN = """- name: good
  output: Ticket 41 is fixed in client.py. Please run pytest, thank you.
  verdicts:
    names-ticket: yes
    polite: yes
    first: {answer: yes, why: It is the first word.}
    names-pytest: yes
- name: bad
  output: It works now. What else do you want from me?
  verdicts:
    names-ticket: {answer: no, why: No ticket is named.}
    polite: {answers: [no, no, partly]}
    first: no
    names-pytest: no
"""
QUOTES = {"good": "Ticket 41 is fixed in client.py.", "bad": "It works now. What else do you want"}


@pytest.fixture
def rubric(tmp_path: Path) -> Path:
    """A rubric with criteria, and its examples beside it."""
    from evenhand.rubrics.new import rubric_text

    text = rubric_text("mine", "default")
    place = text.index("### Completeness")
    path = tmp_path / "mine.md"
    path.write_text(text[:place] + CRITERIA + text[place:])
    path.with_name("mine.golden.yaml").write_text(GOLDEN)
    return path


def which(asked: Asked) -> str:
    return "good" if "Ticket 41" in asked.body["messages"][1]["content"] else "bad"


def right(id: str, sentence: str, asked: Asked) -> dict[str, object]:
    name = which(asked)
    return verdict("yes", QUOTES[name]) if name == "good" else verdict("no", absent=True)


@pytest.fixture
def run(evenhand_command: Any, fake_server: FakeServer, rubric: Path) -> Callable[..., Any]:
    def run_test(*options: str, judges: tuple[str, ...] = ("openai:one",), code: int = 0) -> Any:
        asked = [part for judge in judges for part in ("--judge", judge)]
        done = evenhand_command(
            "rubric", "test", str(rubric), *asked, "--base-url", fake_server.url, "--store", "none", *options,
            "-f", "json", OPENAI_API_KEY=KEY,
        )  # fmt: skip
        assert done.code == code, done.err
        return json.loads(done.out) if done.out else done.err

    return run_test


def by_id(result: dict[str, Any]) -> dict[str, Any]:
    return {one["id"]: one for one in result["criteria"]}


def test_a_judge_that_agrees_passes(run: Callable[..., Any], fake_server: FakeServer):
    """Three criteria of the good example and two of the bad one are asked, one at a time; pytest is decided."""
    fake_server.answer = server_that(right)
    result = run()
    assert result["passed"] and (result["agreed"], result["verdicts"]) == (7, 7)
    asked = sorted((which(asked), [id for id, _ in criteria_in(asked)]) for asked in fake_server.asked)
    assert asked == [
        ("bad", ["names-ticket"]),
        ("bad", ["polite"]),  # first is not asked: people say that its prerequisite is not met
        ("good", ["first"]),
        ("good", ["names-ticket"]),
        ("good", ["polite"]),
    ]
    found = by_id(result)
    assert found["names-ticket"]["separates"] is True
    assert found["first"]["separates"] is None  # one verdict separates nothing
    assert found["names-pytest"]["decided_by"] == "expectation"
    assert found["polite"]["split_people"] == ["bad"]
    validate(
        result,
        json.loads(Path(evenhand.__file__).with_name("schemas").joinpath("rubric-test.v1.schema.json").read_text()),
    )


def test_a_miss_fails_and_says_what_was_expected_and_why(run: Callable[..., Any], fake_server: FakeServer):
    """The judge says yes to names-ticket on both: 1 of 2, and it separates nothing."""
    fake_server.answer = server_that(
        lambda id, sentence, asked: (
            verdict("yes", QUOTES[which(asked)]) if id == "names-ticket" else right(id, "", asked)
        )
    )
    result = run(code=1)
    assert not result["passed"] and (result["agreed"], result["verdicts"]) == (6, 7)
    assert by_id(result)["names-ticket"]["separates"] is False
    assert result["missed"] == [
        {
            "example": "bad",
            "criterion": "names-ticket",
            "judge": "openai:one",
            "expected": "no",
            "answer": "yes",
            "why": "No ticket is named.",
            "reason": "It says yes.",
        }
    ]
    assert run("--set", "rubric.min_agreement=0.5")["passed"]  # 1 of 2 is half


def test_samples_that_differ_make_a_criterion_ambiguous(run: Callable[..., Any], fake_server: FakeServer):
    """One of three samples says yes to polite on the bad example: no counts, and it is ambiguous there."""
    fake_server.answer = server_that(
        lambda id, sentence, asked: (
            verdict("yes", QUOTES["bad"])
            if (id, which(asked), asked.body.get("seed")) == ("polite", "bad", 0)
            else right(id, "", asked)
        )
    )
    polite = by_id(run("--set", "judge.samples=3"))["polite"]
    assert (polite["agreed"], polite["verdicts"], polite["split_samples"]) == (2, 2, ["bad"])


def test_judges_that_differ_make_a_criterion_ambiguous(run: Callable[..., Any], fake_server: FakeServer):
    fake_server.answer = server_that(
        lambda id, sentence, asked: (
            verdict("no", absent=True) if asked.body["model"] == "two" and id == "polite" else right(id, "", asked)
        )
    )
    result = run(judges=("openai:one", "openai:two"), code=1)
    polite = by_id(result)["polite"]
    assert (polite["agreed"], polite["verdicts"], polite["split_judges"]) == (3, 4, ["good"])
    assert [(judge["judge"], judge["agreed"]) for judge in result["judges"]] == [("openai:one", 5), ("openai:two", 4)]


def test_what_asking_several_at_once_costs(run: Callable[..., Any], fake_server: FakeServer):
    """Together, the judge says no to polite on the good example: 4 of 5 instead of 5; the result is that of asking
    one at a time."""
    fake_server.answer = server_that(
        lambda id, sentence, asked: (
            verdict("no", absent=True) if len(criteria_in(asked)) > 1 and id == "polite" else right(id, "", asked)
        )
    )
    result = run("--set", "judge.per_call=4")
    assert result["passed"] and result["together"] == {
        "per_call": 4,
        "verdicts": 5,
        "alone": 5,
        "together": 4,
        "lost": 1,
        "gained": 0,
        "unanswered": 0,
    }
    assert by_id(result)["polite"]["together"] == 1 and fake_server.count == 5 + 2


def broken(asked: Asked) -> Step:
    return chat("I would rather not say.")


def test_no_answer_is_not_a_verdict(run: Callable[..., Any], fake_server: FakeServer):
    """Nothing disagrees, and the test has not passed."""

    def some(asked: Asked) -> Step:
        ids = [id for id, _ in criteria_in(asked)]
        return broken(asked) if ids in ([], ["polite"]) else server_that(right)(asked)

    fake_server.answer = some
    result = run(code=3)
    polite = by_id(result)["polite"]
    assert (polite["verdicts"], polite["unanswered"], result["missed"]) == (0, 2, [])


def test_it_works_from_recorded_replies(
    run: Callable[..., Any], fake_server: FakeServer, rubric: Path, evenhand_command: Any, tmp_path: Path
):
    fake_server.answer = server_that(right)
    recorded = str(tmp_path / "replies.jsonl")
    first = run("--set", f"judge.record={recorded}", "--set", "judge.per_call=4")
    count = fake_server.count
    done = evenhand_command(
        "rubric",
        "test",
        str(rubric),
        "--judge",
        f"replay:{recorded}",
        "--set",
        "judge.per_call=4",
        "--store",
        "none",
        "-f",
        "json",
    )
    again = json.loads(done.out)
    assert (done.code, fake_server.count) == (0, count)
    assert again["criteria"] == first["criteria"] and again["together"] == first["together"]


def test_on_a_terminal(run: Callable[..., Any], fake_server: FakeServer, evenhand_command: Any, rubric: Path):
    fake_server.answer = server_that(lambda id, sentence, asked: verdict("yes", QUOTES[which(asked)]))
    done = evenhand_command(
        "rubric", "test", str(rubric), "--judge", "openai:one", "--base-url", fake_server.url, OPENAI_API_KEY=KEY
    )
    assert done.code == 1
    text = " ".join(done.out.split())
    assert "mine: not passed: 5 of 7 verdicts as expected, 2 examples, openai:one" in text
    assert 'names-ticket 1 of 2 never separates good from bad: every answer is "yes"' in text
    assert "names-ticket, bad: expected no, openai:one says yes expected because: No ticket is named." in text
    done = evenhand_command("rubric", "test", str(rubric), "--judge", "openai:one", "--dry-run", OPENAI_API_KEY=KEY)
    assert done.code == 0 and "5 calls" in done.out


def test_examples_in_the_rubric_itself(evenhand_command: Any, rubric: Path):
    """A block under the heading, in a file that is still sound; errors have the line of the file."""
    rubric.with_name("mine.golden.yaml").unlink()
    text = rubric.read_text()
    rubric.write_text(
        f"{text}\n## Golden examples\n\nTwo of them.\n\n```yaml\n{GOLDEN}```\n\n## Notes\n\n```\nx: 1\n```\n"
    )
    assert "sound" in evenhand_command("rubric", "check", str(rubric)).out
    done = evenhand_command("rubric", "test", str(rubric))
    assert (done.code, done.err) == (2, "error: 3 criteria of mine need a judge; name one with --judge\n")
    rubric.write_text(rubric.read_text().replace("    names-pytest: no", "    names-pytst: no"))
    line = rubric.read_text().splitlines().index("    names-pytst: no") + 1
    done = evenhand_command("rubric", "test", str(rubric))
    assert f'{rubric}:{line}: unknown criterion "names-pytst"; did you mean names-pytest?' in done.err
    done = evenhand_command("rubric", "check", str(rubric))
    assert done.code == 2 and f'error: {rubric}:{line}: unknown criterion "names-pytst"' in done.err


@pytest.mark.parametrize(
    ("golden", "message"),
    [
        ("- {name: a, output: x, verdicts: {polite: perhaps}}", "one of yes, no, partly, does not apply, cannot tell"),
        ("- {name: a, verdicts: {polite: yes}}", "as text, under output, or in a file, under file; give one"),
        ("- {name: a, output: x}", "an example needs verdicts"),
        ("- {name: a, output: x, verdicts: {polite: {why: y}}}", "give answer, or answers"),
        ("- {name: a, output: x, verdict: {polite: yes}}", 'unknown key "verdict"; did you mean verdicts?'),
        ("- {name: a, file: nowhere.md, verdicts: {polite: yes}}", "nowhere.md: "),
        ("- just text", "an example is an object with named fields"),
        (
            "- {name: a, output: x, verdicts: {polite: yes}}\n- {name: a, output: y, verdicts: {polite: no}}",
            'two examples are named "a"',
        ),
    ],
)
def test_a_wrong_example_is_refused_with_its_line(evenhand_command: Any, rubric: Path, golden: str, message: str):
    path = rubric.with_name("mine.golden.yaml")
    path.write_text(golden)
    done = evenhand_command("rubric", "test", str(rubric), "--judge", "openai:one", OPENAI_API_KEY=KEY)
    assert done.code == 2 and message in done.err and f"{path}:" in done.err


def test_a_rubric_without_examples_or_criteria(evenhand_command: Any, rubric: Path):
    rubric.with_name("mine.golden.yaml").unlink()
    done = evenhand_command("rubric", "test", str(rubric), "--judge", "openai:one", OPENAI_API_KEY=KEY)
    assert done.code == 2 and "it has no golden examples; write some into mine.golden.yaml beside it" in done.err
    other = rubric.with_name("other.yaml")
    other.write_text(GOLDEN)
    done = evenhand_command("rubric", "test", "default", "--set", f"rubric.golden={other}", "--judge", "openai:one")
    assert done.code == 2 and "rubric default has no criteria, so there is nothing to test" in done.err


def test_people_who_are_divided_expect_nothing(evenhand_command: Any, rubric: Path):
    """names-pytest is decided by a program: without an expected answer nothing agrees, and nothing passes."""
    golden = "- {name: a, output: Run pytest., verdicts: {names-pytest: [yes, no]}}"
    rubric.with_name("mine.golden.yaml").write_text(golden)
    done = evenhand_command("rubric", "test", str(rubric), "-f", "json")
    result = json.loads(done.out)
    assert done.code == 3 and not result["passed"]
    assert by_id(result)["names-pytest"]["split_people"] == ["a"] and result["untested"] == [
        "names-ticket",
        "polite",
        "first",
    ]


def test_an_example_in_a_file(evenhand_command: Any, rubric: Path):
    rubric.with_name("out.md").write_text("Run pytest.\n")
    rubric.with_name("mine.golden.yaml").write_text("examples:\n- {file: out.md, verdicts: {names-pytest: yes}}\n")
    done = evenhand_command("rubric", "test", str(rubric), "-f", "json")
    assert done.code == 0 and json.loads(done.out)["agreed"] == 1


def test_an_example_s_own_task_and_reference_go_before_those_of_its_file(rubric: Path):
    """What the example does not give is the file's; a task from the file was read, one from the example was not."""
    record = {"output": "Run pytest.", "task": "of the file", "reference": "of the file"}
    rubric.with_name("out.jsonl").write_text(json.dumps(record) + "\n")
    loaded = load_rubric(str(rubric))
    found = []
    for more in ("", "task: mine, ", "reference: mine, "):
        text = f"- {{name: a, file: out.jsonl, {more}verdicts: {{names-pytest: yes}}}}\n"
        rubric.with_name("mine.golden.yaml").write_text(text)
        (example,) = golden_examples(str(rubric), loaded).examples
        found.append((example.submission.task, example.submission.reference, example.submission.output))
    assert found == [
        ("of the file", "of the file", "Run pytest."),
        ("mine", "of the file", "Run pytest."),
        ("of the file", "mine", "Run pytest."),
    ]
