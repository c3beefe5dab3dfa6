"""What `evenhand better` says of results of `claude plugin eval`: read as they are, counted again, decided."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from contract.doors import run_here
from contract.plugin_evals import making

EXAMPLE = Path(__file__).parents[3] / "examples" / "plugin"


def test_a_plugin_that_helps_in_every_case_is_better(tmp_path: Path) -> None:
    """Eight cases with .8 against .5 in every run: better in 8 of 8, by .3."""
    making.write(tmp_path, making.steady([("888", "555")] * 8))
    ran = run_here("better", "result.json", "--format", "json", cwd=tmp_path)
    (contrast,) = json.loads(ran.out)["decision"]["contrasts"]
    assert (ran.code, contrast["verdict"], contrast["better"], contrast["estimate"]) == (0, "better", 8, 0.3)


def test_runs_repeat_a_case_and_are_not_cases(tmp_path: Path) -> None:
    """Fifteen runs of one case are one case: undecided, with exit code 5."""
    making.write(tmp_path, making.steady([("8" * 15, "5" * 15)]))
    ran = run_here("better", "result.json", cwd=tmp_path)
    assert ran.code == 5
    assert "undecided" in ran.out


def test_the_example_is_decided_from_its_folder(tmp_path: Path) -> None:
    """One command in a plugin, nothing to write; what to change comes with the line of SKILL.md."""
    ran = run_here("better", str(EXAMPLE), cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "better than no plugin: in 8 of the 9 cases that differ, 1 equal" in " ".join(ran.out.split())
    assert "SKILL.md:8: Name the version at the top." in ran.out
    assert "Got worse   empty-diff -0.50" in ran.out


def test_a_failed_harness_is_unscored_and_never_a_zero(tmp_path: Path) -> None:
    """Without them: 8 of 8. With three broken runs in the plugin's arm of one case it is carried at both ends."""
    value = making.steady([("888", "555")] * 7)
    broken = making.case("cut", [making.broken("no answer from the API")] * 3, [making.run({"g": True})] * 3)
    making.write(tmp_path, making.document([*value["cases"], broken]))
    ran = run_here("better", "result.json", "--format", "json", cwd=tmp_path)
    (contrast,) = json.loads(ran.out)["decision"]["contrasts"]
    assert (contrast["unscored"], contrast["better"]) == (3, 7)


def test_a_changed_score_is_not_decided(tmp_path: Path) -> None:
    """The file's score contradicts its own graders."""
    value = making.steady([("888", "555")] * 8)
    value["cases"][0]["arms"]["with"][0]["score"] = 1
    making.write(tmp_path, value)
    ran = run_here("better", "result.json", cwd=tmp_path)
    assert ran.code == 2
    assert "case-1, run 1 with the plugin: is 1 in the file and 0.8 by its graders" in ran.err


def test_a_change_without_the_plugin_is_reported_first(tmp_path: Path) -> None:
    """Both arms rose by .2 in eight cases: the model or the judge changed."""
    making.write(tmp_path, making.steady([("666", "333")] * 8), "v1.json")
    making.write(tmp_path, making.steady([("888", "555")] * 8, "1.1.0"), "v2.json")
    ran = run_here("better", "v1.json", "v2.json", cwd=tmp_path)
    first = ran.out.splitlines()[0]
    assert first.startswith("Without any plugin the score rose by 0.20 between the two")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schemaVersion": 2}, "schemaVersion is 2; results of version 1 are understood"),
        ({"cases": []}, "has no case: the suite ran nothing"),
    ],
)
def test_a_result_that_cannot_be_used_is_one_line(tmp_path: Path, change: dict[str, object], words: str) -> None:
    making.write(tmp_path, making.steady([("8", "5")]) | change)
    ran = run_here("better", "result.json", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err and len(ran.err.splitlines()) == 1


def test_two_cases_of_one_name_are_refused(tmp_path: Path) -> None:
    value = making.steady([("8", "5")] * 2)
    value["cases"][1]["name"] = "case-1"
    making.write(tmp_path, value)
    ran = run_here("better", "result.json", cwd=tmp_path)
    assert ran.code == 2
    assert 'case "case-1" appears twice' in ran.err


def test_its_cases_become_a_suite_for_other_agents(tmp_path: Path) -> None:
    """What means the same becomes an expectation; what does not is listed with its file and line."""
    graders = tmp_path / "mine" / "evals" / "notes" / "graders"
    graders.mkdir(parents=True)
    (graders.parent / "prompt.md").write_text("---\nmax_turns: 4\n---\n\nWrite the notes.\n")
    (graders / "names-version.md").write_text("---\ntype: regex\nflags: i\n---\n\n^v\\d+\n")
    (graders / "as-before.md").write_text("---\ntype: baseline\nbaseline_file: old.jsonl\n---\n\nNot worse.\n")
    ran = run_here("run", "import", "mine", "-o", "suite.yaml", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "- answer: {matches: '(?i)^v[0-9]+'}" in (tmp_path / "suite.yaml").read_text()
    assert "graders/as-before.md:2: left out: the grader as-before of type baseline" in ran.err


def test_patterns_in_files_and_skill_graders_are_imported(tmp_path: Path) -> None:
    """A command looks into the file; a skill that must stay unused in both arms is an expectation; what the runner does
    not score is a suite of triggers that can be checked once it is copied out of its comment."""
    place = tmp_path / "mine" / "evals" / "notes"
    (tmp_path / "mine" / "skills" / "notes").mkdir(parents=True)
    (tmp_path / "mine" / "skills" / "notes" / "SKILL.md").write_text("---\nname: notes\n---\nWrite.\n")
    for name, prompt, graders in (
        ("on", "Write the notes.", {"heading": "regex\ntarget: {source: file, path: N.md}\npattern: '^# v\\d'",
                                    "fired": "tool_used\ntool: Skill"}),
        ("off", "What is 2 + 2?", {"quiet": "tool_used\ntool: Skill\nmin: 0\nmax: 0\narm: both"}),
    ):  # fmt: skip
        folder = place.parent / name / "graders"
        folder.mkdir(parents=True)
        (folder.parent / "prompt.md").write_text(prompt)
        for grader, text in graders.items():
            (folder / f"{grader}.md").write_text(f"---\ntype: {text}\n---\n")
    ran = run_here("run", "import", "mine", "-o", "suite.yaml", cwd=tmp_path)
    assert ran.code == 0, ran.err
    suite, _, comment = (tmp_path / "suite.yaml").read_text().partition("\n#\n")
    assert "''^# v[0-9]''" in suite and "products: [N.md]" in suite and "skill: {unused: notes}" in suite
    (tmp_path / "triggers.yaml").write_text(
        "".join(line.removeprefix("# ") for line in comment.splitlines(keepends=True))
    )
    checked = run_here("run", "check", "triggers.yaml", cwd=tmp_path)
    assert checked.code == 0 and "runs: 2 (2 cases" in checked.out, checked.err


@pytest.mark.parametrize(
    ("scores", "code", "kind"),
    [
        ([("8", "5")] * 8, 0, None),
        ([("5", "8")] * 8, 1, "failure"),
        ([("8", "5")] * 3, 5, "error"),
    ],
)
def test_a_gate_is_open_only_for_a_difference_that_is_real(
    tmp_path: Path, scores: list[tuple[str, str]], code: int, kind: str | None
) -> None:
    """Better in 8 of 8, worse in 8 of 8, and three cases, which cannot tell: green, red, undecided, in JUnit too."""
    making.write(tmp_path, making.steady(scores))
    done = run_here("gate", "result.json", "--better", "--format", "junit", cwd=tmp_path)
    assert done.code == code, done.err
    (test,) = ElementTree.fromstring(done.out).iter("testcase")
    assert [child.tag for child in test if child.tag != "system-out"] == ([] if kind is None else [kind])
    assert "no plugin" in done.out


def test_a_gate_on_the_difference_refuses_what_is_not_a_result(tmp_path: Path) -> None:
    """One line."""
    (tmp_path / "a.json").write_text("{}")
    done = run_here("gate", "a.json", "--better", cwd=tmp_path)
    assert done.code == 2 and "--better goes with a result of claude plugin eval" in done.err


def test_a_gate_against_an_earlier_result_compares_the_arms_with_the_plugin(tmp_path: Path) -> None:
    """From .8 to .6 in eight cases: red, whatever the plugin is worth beside none; the other way round green."""
    making.write(tmp_path, making.steady([("8", "5")] * 8), "then.json")
    making.write(tmp_path, making.steady([("6", "5")] * 8), "now.json")
    fell = run_here("gate", "now.json", "--against", "then.json", "--format", "json", cwd=tmp_path)
    (ruling,) = json.loads(fell.out)["rulings"]
    assert fell.code == 1 and "typically by -0.20" in ruling["says"] and "the margin of 0.02" in ruling["says"]
    assert run_here("gate", "then.json", "--against", "now.json", cwd=tmp_path).code == 0


@pytest.mark.parametrize(("least", "code"), [("0.8", 0), ("0.81", 1), ("1", 1), ("8", 2)])
def test_a_gate_holds_the_mean_score_of_the_arm_with_the_plugin(tmp_path: Path, least: str, code: int) -> None:
    """.8 in every case; a limit in points of ten is refused."""
    making.write(tmp_path, making.steady([("888", "555")] * 4))
    done = run_here("gate", "result.json", "--min-score", least, cwd=tmp_path)
    assert done.code == code, done.err
    if code == 2:
        assert "scores of claude plugin eval go from 0 to 1, such as 0.8" in done.err


def test_a_share_is_not_a_limit_for_scorecards(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    done = run_here("gate", "a.json", "--min-score", "0.8", cwd=tmp_path)
    assert done.code == 2 and "--min-score 0.8 is a share; final scores go from 1 to 10" in done.err


def test_a_mean_score_with_a_run_that_broke_is_not_a_pass(tmp_path: Path) -> None:
    """.8 in seven cases and an unscored one: between 5.6 / 8 and 6.6 / 8."""
    value = making.steady([("888", "555")] * 7)
    broken = making.case("cut", [making.broken("no answer from the API")] * 3, [making.run({"g": True})] * 3)
    making.write(tmp_path, making.document([*value["cases"], broken]))
    done = run_here("gate", "result.json", "--min-score", "0.75", "--format", "json", cwd=tmp_path)
    (ruling,) = json.loads(done.out)["rulings"]
    assert (done.code, ruling["colour"]) == (3, "unscored")
    assert "between 0.70 and 0.82" in ruling["says"]


def test_a_gate_on_github_is_given_a_result_by_the_environment(tmp_path: Path) -> None:
    """As the action sets it: all three limits; the summary says what to change."""
    making.write(tmp_path, making.steady([("888", "555")] * 8), "then.json")
    making.write(tmp_path, making.steady([("666", "555")] * 8, "1.1.0"), "now.json")
    given = {"FILES": "now.json", "BETTER": "true", "AGAINST": "then.json", "MIN_SCORE": "0.5", "STORE": "none"}
    environment = {f"EVENHAND_GATE_{name}": value for name, value in given.items()}
    done = run_here("gate", "--github", cwd=tmp_path, environment=environment | {"GITHUB_STEP_SUMMARY": "summary.md"})
    summary = (tmp_path / "summary.md").read_text()
    assert done.code == 1, done.err
    rows = [line.split(" | ")[:2] for line in summary.splitlines() if line.startswith(("| red", "| green"))]
    assert rows == [["| red", "notes 1.1.0 against notes 1.0.0"], ["| green", "notes 1.1.0 against no plugin"],
                    ["| green", "notes 1.1.0: mean score"]]  # fmt: skip
    assert "### What to change" in summary and "g6\\` fails in 24 of 24 runs with notes 1.1.0" in summary


def test_not_worse_than_says_first_that_the_other_arm_moved(tmp_path: Path) -> None:
    """Both arms fell by .2: red, and the plugin is not to blame."""
    making.write(tmp_path, making.steady([("888", "555")] * 8), "v1.json")
    making.write(tmp_path, making.steady([("666", "333")] * 8, "1.1.0"), "v2.json")
    done = run_here("gate", "v2.json", "--not-worse-than", "v1.json", "--format", "json", cwd=tmp_path)
    (ruling,) = json.loads(done.out)["rulings"]
    assert done.code == 1 and ruling["says"].startswith("without any plugin the score fell by 0.20")


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([("8", "5")] * 8, "better in 8 of 8 cases"),
        ([("5", "8")] * 8, "worse in 8 of 8 cases"),
        ([("8", "5")] * 3 + [("5", "5")], "undecided: better in 3 of 3 cases that differ"),
    ],
)
def test_a_badge_says_the_verdict_with_its_count(tmp_path: Path, scores: list[tuple[str, str]], words: str) -> None:
    """Its name is the plugin's with the version, made harmless; a second one replaces the first."""
    value = making.steady(scores)
    value["suite"]["plugins"][0]["name"] = "a<b&c"
    making.write(tmp_path, value)
    for _ in range(2):
        done = run_here("better", "result.json", "-o", "badge.svg", cwd=tmp_path)
        assert done.code in (0, 5), done.err
    picture = ElementTree.fromstring((tmp_path / "badge.svg").read_text())
    assert picture.attrib["aria-label"] == f"a<b&c 1.0.0: {words}"


def test_a_badge_of_two_versions_says_when_the_model_moved(tmp_path: Path) -> None:
    making.write(tmp_path, making.steady([("666", "333")] * 8), "v1.json")
    making.write(tmp_path, making.steady([("888", "555")] * 8, "1.1.0"), "v2.json")
    done = run_here("better", "v1.json", "v2.json", "--format", "svg", cwd=tmp_path)
    assert "notes 1.1.0: the model or the judge changed" in done.out


@pytest.mark.parametrize("versions", [1, 2])
def test_the_answer_is_on_twelve_lines(versions: int, tmp_path: Path) -> None:
    """At 80 columns, with long names, many graders that fail, cases that fell and split votes; all with --full."""
    long = "a-case-with-a-name-that-is-far-longer-than-anybody-would-write-by-hand"
    names = []
    for version in range(versions):
        value = making.steady([("8", "5")] * 5 + [("3", "9")] * 3, f"1.{version}.0")
        value["partial"], value["partialReason"] = True, "cost_ceiling"
        for case in value["cases"]:
            case["name"] = f"{long}-{case['name']}"
            for run in (*case["arms"]["with"], *case["arms"]["without"]):
                run["error"] = "the agent was stopped after 300 seconds because it had not come to an end"
                for grader in run["graders"]:
                    grader["judgeVotes"] = [True, False, True]
                    grader["explanation"] = "pattern not found in last_message, " * 9
        names.append(making.write(tmp_path, value, f"{version}.json").name)
    brief, full = (run_here("better", *names, *more, cwd=tmp_path).out for more in ((), ("--full",)))
    lines = [[line for line in text.splitlines() if line.strip()] for text in (brief, full)]
    assert "What to change" in brief and "Got worse" in brief
    assert len(lines[0]) <= 12 < len(lines[1]), brief
    assert max(map(len, lines[0])) <= 80
