"""The commands as a user meets them: formats, exit codes, standard output and error."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT, seven

from evenhand.cli.main import COMMANDS

EXAMPLES = ROOT / "examples"


@pytest.fixture
def folder(tmp_path):
    """A folder with the example judgement and its output."""
    for name in ("review.yaml", "review.md"):
        shutil.copy(EXAMPLES / name, tmp_path)
    return tmp_path


def line(scores, **more) -> str:
    return json.dumps({"scores": scores, **more}) + "\n"


def test_score_shows_the_example_as_the_readme_promises(evenhand_command, folder):
    """Grade, final score, a checked quote, the arithmetic, the next step."""
    done = evenhand_command("score", "review.yaml")
    assert done.code == 0
    for part in (
        "B    7.80 of 10",
        "\u2713 line 6",
        "composite 8.05 \u2212 0.50 (1 red flag) = 7.55 after deductions + 0.25",
        "What would help most",
        "B+ is 0.20 away",
    ):
        assert part in done.out
    assert done.err == ""
    assert "\x1b[" not in done.out  # colour only on a terminal


def test_score_as_json_keeps_the_published_contract(evenhand_command, folder):
    """Every field of the contract, as a number where a number is promised."""
    card = json.loads(evenhand_command("score", "review.yaml", "--format", "json").out)
    assert card["schema"] == "evenhand/scorecard/v1"
    assert (card["skill"], card["rubric"]["name"], card["methodology"]) == ("code-review", "code-review", "1")
    assert (card["composite"], card["after_deductions"], card["final"]) == (8.05, 7.55, 7.8)
    assert (card["grade"], card["label"]) == ("B", "Above Average")
    assert card["deduction"] == {"nominal": 0.5, "applied": 0.5}
    assert card["bonus"] == {"nominal": 0.25, "applied": 0.25}
    correctness = card["dimensions"]["correctness"]
    assert (correctness["score"], correctness["weight"], correctness["points"]) == (9, 0.3, 2.7)
    assert correctness["evidence"] == [
        {"quote": "Any user whose entry expires gets a 500.", "verified": True, "line": 6, "offset": 249}
    ]
    assert card["red_flags"][0]["id"] == "false-run-claim"
    assert card["red_flags"][0]["deduction"] == 0.5
    assert card["bonuses"][0]["bonus"] == 0.25
    assert "audit" not in card


def test_score_with_audit_adds_the_arithmetic_to_json(evenhand_command, folder):
    """Seven products first, the grade last."""
    card = json.loads(evenhand_command("score", "review.yaml", "--format", "json", "--audit").out)
    assert card["audit"][0] == {"rule": "R1", "text": "correctness 9 x 0.3 = 2.7"}
    assert card["audit"][-1] == {"rule": "R3", "text": "grade = B (Above Average), from 7.50"}


def test_score_many_as_jsonl_keeps_the_order_and_skips_bad_lines(evenhand_command, tmp_path):
    """A bad line is reported with its number, the others are scored, the exit code is 2."""
    lines = [line(seven(9), id="a"), "{broken\n", line(seven(0), id="b"), line(seven(5), id="c")]
    (tmp_path / "many.jsonl").write_text("".join(lines))
    done = evenhand_command("score", "many.jsonl", "--format", "jsonl")
    assert done.code == 2
    assert [json.loads(each)["id"] for each in done.out.splitlines()] == ["a", "c"]
    errors = done.err.splitlines()
    assert errors[0].startswith("error: many.jsonl:2: not valid JSON")
    assert errors[1].startswith("error: many.jsonl:3: correctness: 0 is outside 1 to 10")
    assert len(errors) == 8  # one for the broken line, one for each of seven scores


@pytest.mark.slow
def test_score_many_as_json_is_a_list(evenhand_command, tmp_path):
    """One document is an object; a file of many, or several files, a list."""
    (tmp_path / "many.jsonl").write_text(line(seven(9), id="a"))
    (tmp_path / "one.json").write_text(line(seven(9), id="b"))
    assert [card["id"] for card in json.loads(evenhand_command("score", "many.jsonl", "-f", "json").out)] == ["a"]
    both = json.loads(evenhand_command("score", "many.jsonl", "one.json", "-f", "json").out)
    assert [card["id"] for card in both] == ["a", "b"]
    assert json.loads(evenhand_command("score", "one.json", "-f", "json").out)["id"] == "b"


def test_score_many_on_a_terminal_is_a_line_each_and_a_count(evenhand_command, tmp_path):
    """Whole scorecards only with --full."""
    (tmp_path / "many.jsonl").write_text(line(seven(9), id="a") + line(seven(5), id="b"))
    done = evenhand_command("score", "many.jsonl")
    assert len(done.out.splitlines()) == 2
    assert done.err == "2 scored: 1 A, 1 D+\n"
    assert len(evenhand_command("score", "many.jsonl", "--full").out.splitlines()) > 20


@pytest.mark.slow
def test_score_reads_standard_input(evenhand_command):
    """JSON, JSONL and YAML alike."""
    assert json.loads(evenhand_command("score", "-", "-f", "json", stdin=line(seven(8))).out)["final"] == 8
    two = evenhand_command("score", "-", "-f", "jsonl", stdin=line(seven(8)) + line(seven(7))).out
    assert len(two.splitlines()) == 2
    text = "scores:\n" + "".join(f"  {name}: 8.5\n" for name in seven(8))
    assert json.loads(evenhand_command("score", "-", "-f", "json", stdin=text).out)["final"] == 8.5


@pytest.mark.slow
def test_score_marks_a_quote_that_is_not_in_the_output_in_every_format(evenhand_command, folder):
    """Unverified evidence is never shown as if it were fine."""
    text = (folder / "review.yaml").read_text().replace("gets a 500.", "gets a 404.")
    (folder / "review.yaml").write_text(text)
    assert "NOT IN THE OUTPUT" in evenhand_command("score", "review.yaml").out
    assert "NOT IN THE OUTPUT" in evenhand_command("score", "review.yaml", "-f", "markdown").out
    card = json.loads(evenhand_command("score", "review.yaml", "-f", "json").out)
    assert card["dimensions"]["correctness"]["evidence"][0]["verified"] is False
    assert card["warnings"] == ["1 quote is not in the output as written; see the marked evidence"]


def test_score_with_an_unscored_dimension_gives_an_interval_and_exit_code_3(evenhand_command):
    """No verdict is not a zero: 8*0.9 is 7.2, plus 0.1 to 1.0 from safety."""
    done = evenhand_command(
        "score", "-", "-f", "json", stdin=line(seven(8) | {"safety": {"unscored": "no answer"}}, rubric="default")
    )
    card = json.loads(done.out)
    assert done.code == 3
    assert (card["composite"], card["final"], card["grade"]) == (None, None, None)
    assert card["interval"] == {"low": 7.3, "high": 8.2, "grades": ["B-", "B+"]}
    assert (card["dimensions"]["safety"]["score"], card["dimensions"]["safety"]["unscored"]) == (None, "no answer")


def test_score_takes_no_rubric_that_merely_looks_alike(evenhand_command):
    """A skill code-review-v2 gets the default, and a word on what is near."""
    card = json.loads(evenhand_command("score", "-", "-f", "json", stdin=line(seven(8), skill="code-review-v2")).out)
    assert card["rubric"]["name"] == "default"
    assert card["warnings"] == [
        'no rubric is named "code-review-v2", so the default rubric was used; similar names: '
        "code-review, code-change, security-review (choose one with --rubric)"
    ]


def test_score_says_when_the_command_overrides_the_judgements_rubric(evenhand_command):
    """The option wins, and the scorecard says so."""
    judgement = line(seven(8), rubric="writing")
    card = json.loads(evenhand_command("score", "-", "-f", "json", "--rubric", "default", stdin=judgement).out)
    assert card["rubric"]["name"] == "default"
    assert card["warnings"] == ["scored with rubric default as asked; the judgement names writing"]


def test_store_none_is_accepted(evenhand_command):
    """The contract of the command line."""
    assert evenhand_command("score", "-", "--store", "none", stdin=line(seven(8))).code == 0


def test_rank_takes_scorecards_and_judgements_alike(evenhand_command, folder):
    """A scorecard keeps its id; a judgement without one goes by its file."""
    (folder / "card.json").write_text(evenhand_command("score", "review.yaml", "-f", "json").out)
    (folder / "other.json").write_text(line(seven(8), rubric="code-review"))
    done = evenhand_command("rank", "other.json", "card.json", "-f", "json")
    ranking = json.loads(done.out)
    assert done.code == 0
    assert ranking["schema"] == "evenhand/ranking/v1"
    assert [(e["rank"], e["final"], e["decided_by"]) for e in ranking["entries"]] == [(1, 8, "final"), (2, 7.8, None)]
    assert ranking["entries"][0]["id"] == "other.json"


def test_rank_refuses_an_id_that_appears_twice(evenhand_command, tmp_path):
    """One place for each id."""
    (tmp_path / "two.jsonl").write_text(line(seven(8), id="a") + line(seven(7), id="a"))
    done = evenhand_command("rank", "two.jsonl", "-f", "json")
    assert done.code == 2
    assert 'the id "a" appears twice' in done.err
    assert len(json.loads(done.out)["entries"]) == 1


def test_rank_leaves_out_what_has_no_final_score(evenhand_command, tmp_path):
    """It is named, and the exit code is 3."""
    (tmp_path / "two.jsonl").write_text(
        line(seven(8), id="a") + line(seven(8) | {"safety": {"unscored": "timed out"}}, id="b")
    )
    done = evenhand_command("rank", "two.jsonl", "-f", "json")
    assert done.code == 3
    (row,) = json.loads(done.out)["unranked"]
    assert (row["id"], row["reason"]) == ("b", "safety unscored: timed out")
    assert (row["at_best"], row["below"], row["above"]) == (8.2, 0, 0)  # 8 x 0.9 + 10 x 0.1, and a has 8


def test_rank_warns_when_rubrics_differ(evenhand_command, tmp_path):
    """A rank compares like with like."""
    (tmp_path / "two.jsonl").write_text(
        line(seven(8), id="a", rubric="writing") + line(seven(8), id="b", rubric="devops")
    )
    assert "2 different rubrics" in evenhand_command("rank", "two.jsonl").out


def test_verify_holds_for_a_scorecard_just_made(evenhand_command, folder):
    """With the output at hand, everything is checked and nothing is left open."""
    card = evenhand_command("score", "review.yaml", "-f", "json").out
    done = evenhand_command("show", "--verify", "-", "--judged", "review.md", "-f", "json", stdin=card)
    result = json.loads(done.out)
    assert done.code == 0
    assert (result["ok"], result["differences"], result["unchecked"]) == (True, [], [])


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (["final"], 9.9, "final"),
        (["grade"], "A", "grade"),
        (["dimensions", "safety", "score"], 10, "dimensions.safety"),
        (["dimensions", "safety", "justification"], "nicer", "dimensions.safety"),
        (["red_flags"], [], "receipt.judgement"),
        (["red_flags", 0, "deduction"], 0.25, "red_flags.false-run-claim"),
        (["dimensions", "correctness", "evidence", 0, "verified"], False, "dimensions.correctness"),
        (["created"], "2020-01-01T00:00:00Z", "created"),
        (["id"], "another", "id"),
        (["skill"], "another", "skill"),
        (["judge", "name"], "human:eve", "judge"),
        (["rubric", "sha256"], "0" * 64, "rubric"),
        (["receipt", "submission"], "0" * 64, "receipt"),
        (["warnings"], ["all good"], "warnings"),
        (["extra"], "field", "extra"),
        (["interval"], {"low": 1, "high": 10, "grades": ["F", "A+"]}, "interval"),
    ],
)
@pytest.mark.slow
def test_verify_names_the_field_that_was_changed(evenhand_command, folder, path, value, named):
    """Exit code 1 and the name of the field."""
    card = json.loads(evenhand_command("score", "review.yaml", "-f", "json").out)
    place = card
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    done = evenhand_command("show", "--verify", "-", "-f", "json", stdin=json.dumps(card))
    fields = [each["field"] for each in json.loads(done.out)["differences"]]
    assert done.code == 1
    assert named in fields


def test_verify_fails_when_the_output_is_not_the_one_that_was_judged(evenhand_command, folder):
    """Another output has another hash, and its quotes move."""
    card = evenhand_command("score", "review.yaml", "-f", "json").out
    (folder / "review.md").write_text("A line more.\n" + (folder / "review.md").read_text())
    done = evenhand_command("show", "--verify", "-", "--judged", "review.md", stdin=card)
    assert done.code == 1
    assert "receipt.submission" in done.out
    assert "dimensions.correctness.evidence.0" in done.out


def test_verify_fails_when_the_given_rubric_is_another(evenhand_command, folder):
    """Named weights and hash."""
    card = evenhand_command("score", "review.yaml", "-f", "json").out
    done = evenhand_command("show", "--verify", "-", "--rubric", "default", "-f", "json", stdin=card)
    fields = {each["field"] for each in json.loads(done.out)["differences"]}
    assert done.code == 1
    assert {"rubric.sha256", "dimensions.correctness.weight"} <= fields


@pytest.mark.slow
def test_verify_says_when_the_rubric_is_not_at_hand(evenhand_command, tmp_path):
    """It is neither a failure nor silent."""
    assert evenhand_command("rubric", "new", "mine").code == 0
    card = evenhand_command("score", "-", "--rubric", "mine", "-f", "json", stdin=line(seven(8))).out
    shutil.rmtree(tmp_path / "evenhand")
    done = evenhand_command("show", "--verify", "-", "-f", "json", stdin=card)
    assert done.code == 0
    assert json.loads(done.out)["unchecked"] == [
        "the rubric mine: the version it was scored with is not available (pass it with --rubric)"
    ]


@pytest.mark.parametrize("wrong", ["{}", "[]", '"x"', '{"schema": "evenhand/scorecard/v1"}', line(seven(8))])
def test_verify_refuses_what_is_not_a_scorecard(evenhand_command, wrong):
    """Exit code 2."""
    done = evenhand_command("show", "--verify", "-", stdin=wrong)
    assert done.code == 2
    assert done.err.startswith("error: <stdin>")
    assert "Traceback" not in done.err


@pytest.mark.parametrize("command", [["rubric", "list"], ["rubric", "show", "writing"]])
@pytest.mark.parametrize("format", ["terminal", "markdown", "json", "jsonl"])
def test_every_format_works_wherever_something_is_shown(evenhand_command, command, format):
    """--format json everywhere."""
    done = evenhand_command(*command, "--format", format)
    assert done.code == 0
    assert "writing" in done.out.lower()
    if format == "json":
        json.loads(done.out)


def test_an_unknown_command_suggests_the_nearest(evenhand_command):
    """Exit code 2, as for any wrong usage."""
    done = evenhand_command("scor", "x")
    assert done.code == 2
    assert "did you mean score?" in done.err


def test_help_lists_every_command_by_task_within_80_columns(evenhand_command):
    """No summary is cut off."""
    help = evenhand_command("--help", COLUMNS="80").out
    assert max(map(len, help.splitlines())) <= 80 and "..." not in help.partition("Options:")[2]
    for task, commands in COMMANDS.items():
        section = help.partition(f"\n{task}:\n")[2].partition("\n\n")[0]
        assert [line.split()[0] for line in section.splitlines()] == list(commands)


@pytest.mark.parametrize("group", ["agent", "run", "store", "trust", "judge"])
def test_help_of_a_group_lists_whole_sentences(evenhand_command, group):
    """Wrapped where they are long."""
    commands = evenhand_command(group, "--help", COLUMNS="80").out.partition("\nCommands:\n")[2]
    assert commands and "..." not in commands and max(map(len, commands.splitlines())) <= 80


@pytest.mark.parametrize(
    "command", [[], ["score"], ["rank"], ["show", "--verify"], ["rubric"], ["rubric", "check"], ["docs"]]
)
def test_every_help_text_has_an_example(evenhand_command, command):
    """Help that can be copied."""
    done = evenhand_command(*command, "--help")
    assert done.code == 0
    assert "  evenhand " in done.out


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_not_an_error(tmp_path):
    """`evenhand ... | head -1` ends quietly."""
    many = "".join(line(seven(8)) for _ in range(200))
    with subprocess.Popen(
        [sys.executable, "-m", "evenhand", "score", "-", "-f", "jsonl"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    ) as process:
        process.stdout.close()
        _, err = process.communicate(many.encode())
    assert b"Traceback" not in err
    assert b"BrokenPipe" not in err


def test_shell_completion_offers_the_commands(evenhand_command):
    """For bash, as the help says."""
    done = evenhand_command(_EVENHAND_COMPLETE="bash_complete", COMP_WORDS="evenhand hist", COMP_CWORD="1")
    assert "history" in done.out


def test_version(evenhand_command):
    """Both the quick way and the long way."""
    import evenhand

    assert evenhand_command("--version").out == f"evenhand {evenhand.__version__}\n"
    assert evenhand_command("--version", "score").out == f"evenhand {evenhand.__version__}\n"


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("score", "-", "-f", "json", "--store", "none"), ("score", "none.yaml"), ("x",)])
def test_a_forked_command_does_as_a_fresh_one(evenhand_command, arguments):
    """Most tests run forked commands; Python started anew prints the same and ends with the same code."""
    text = json.dumps({"id": "a", "scores": seven(8)})
    forked = evenhand_command(*arguments, stdin=text)
    fresh = evenhand_command(*arguments, stdin=text, PYTHONHASHSEED="0")
    dates = re.compile(r'"(created|id)": "[^"]*"')
    assert (forked.code, dates.sub("", forked.out), forked.err) == (fresh.code, dates.sub("", fresh.out), fresh.err)
