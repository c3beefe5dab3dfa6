"""What a critical reader tried: each was wrong once."""

from __future__ import annotations

import json

import pytest
from conftest import judged, make_rubric, seven

import evenhand
from evenhand.core.judgement import Evidence
from evenhand.errors import DocumentError, JudgementError
from evenhand.work.quotes import Quotable


def line(scores, **more) -> str:
    return json.dumps({"scores": scores, **more}) + "\n"


@pytest.mark.slow
def test_another_judgement_under_an_id_is_a_further_evaluation_of_the_case(evenhand_command):
    """The scorecard has an id of its own, and the user is told so."""
    assert evenhand_command("score", "-", "-f", "json", stdin=line(seven(8), id="a1")).err == ""
    done = evenhand_command("score", "-", "-f", "json", stdin=line(seven(3), id="a1"))
    assert json.loads(done.out)["final"] == 3
    assert done.err == "stored as a further evaluation of the same case: a1~2\n"
    for id, final in (("a1", 8), ("a1~2", 3)):
        shown = json.loads(evenhand_command("show", id, "-f", "json").out)
        assert (shown["id"], shown["case"], shown["final"]) == (id, "a1", final)


def test_an_evaluation_that_comes_again_is_shown_under_the_id_it_is_stored_under(evenhand_command, tmp_path):
    """So that `show` finds what was printed."""
    (tmp_path / "o.md").write_text("text")
    judgement = json.loads(line(seven(8), output="o.md"))
    judgement.pop("id", None)
    (tmp_path / "x.json").write_text(json.dumps(judgement))
    stored = json.loads(evenhand_command("score", "x.json", "-f", "json").out)["id"]
    done = evenhand_command("score", "x.json", "-f", "json")
    assert json.loads(done.out)["id"] == stored
    assert done.err == f"already stored: {stored}\n"


@pytest.mark.parametrize("command", [["gate", "--min-grade", "A"], ["rank"], ["better"]])
def test_a_tampered_scorecard_is_refused_wherever_scorecards_are_read(evenhand_command, tmp_path, command):
    """What verify rejects, no other command accepts."""
    card = evenhand.document(judged(seven(4), id="a"))
    for dimension in card["dimensions"].values():
        dimension["score"] = 9
    (tmp_path / "forged.json").write_text(json.dumps(card))
    files = ["forged.json", "forged.json"] if command == ["better"] else ["forged.json"]
    done = evenhand_command(command[0], *files, *command[1:])
    assert done.code == 2
    assert "forged.json:1: the scorecard was changed" in done.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (["dimensions", "correctness", "weight"], 0.29, "dimensions.correctness"),
        (["dimensions", "safety", "score"], 11, "dimensions.safety.score"),
        (["dimensions", "safety", "score"], "8", "dimensions.safety.score"),
        (["dimensions", "safety", "evidence"], [{"quote": "q", "verified": True}], "dimensions.safety.evidence.0"),
        (["dimensions", "safety"], None, "dimensions.safety"),
        (["pass_mark"], "7", "pass_mark"),
        (["created"], 5, "created"),
    ],
)
def test_verify_names_the_field_also_when_the_scorecard_cannot_be_recomputed(evenhand_command, path, value, named):
    """Exit code 1: a changed scorecard is a no, not a usage error."""
    card = evenhand.document(judged(seven(8), id="a"))
    place = card
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    done = evenhand_command("show", "--verify", "-", "-f", "json", stdin=json.dumps(card))
    assert done.code == 1
    assert named in [difference["field"] for difference in json.loads(done.out)["differences"]]


def test_verify_says_when_the_scorecard_was_made_without_the_output(evenhand_command, tmp_path):
    """Nothing was changed, so nothing differs."""
    (tmp_path / "o.md").write_text("text")
    card = json.dumps(evenhand.document(judged(seven(8))))
    done = evenhand_command("show", "--verify", "-", "--judged", "o.md", "-f", "json", stdin=card)
    assert done.code == 0
    assert "the output: this scorecard was made without it" in json.loads(done.out)["unchecked"]


@pytest.mark.parametrize("wrong", [None, 5, [], "x", {"schema": "evenhand/scorecard/v1"}])
def test_verify_refuses_what_is_not_a_scorecard(wrong):
    """Through the API too."""
    with pytest.raises(DocumentError):
        evenhand.verify(wrong)


def rubric_with(tmp_path, replace: str, by: str):
    text = (evenhand.rubrics.library.BUILTIN / "default.md").read_text(encoding="utf-8")
    start, end = text.index("weights:"), text.index("pass_mark:")
    text = text[:start] + text[end:]
    assert replace in text
    path = tmp_path / "own.md"
    path.write_text(text.replace(replace, by, 1), encoding="utf-8")
    return path


def test_weights_in_a_paragraph_are_read(tmp_path):
    """Never the defaults in silence."""
    path = rubric_with(tmp_path, "\n### Correctness\n", "\n### Correctness\n\n**Weight:** 40%\n")
    with pytest.raises(evenhand.RubricError, match="no weight for completeness"):
        evenhand.load_rubric(path)
    text = path.read_text(encoding="utf-8")
    for name in ("Completeness", "Adherence", "Actionability", "Efficiency", "Safety", "Consistency"):
        text = text.replace(f"\n### {name}\n", f"\n### {name}\n\n**Weight:** 10%\n")
    path.write_text(text, encoding="utf-8")
    assert str(evenhand.load_rubric(path).weights["correctness"]) == "0.40"


def test_a_quote_that_is_only_part_of_a_letter_is_not_in_the_output():
    """The output says cafe with an accent; a bare cafe is another word."""
    assert Quotable("The cafe\u0301 is open").check(Evidence("cafe")).verified is False
    assert Quotable("The cafe\u0301 is open").check(Evidence("caf\u00e9")).verified is True


def test_the_gate_is_undecided_when_nothing_could_be_read(evenhand_command):
    """Neither open nor closed."""
    done = evenhand_command("gate", "-", "--min-score", "8", "-f", "json", stdin="{broken")
    assert done.code == 2
    assert json.loads(done.out)["errors"]


def test_a_misspelt_red_flag_is_refused(evenhand_command, tmp_path):
    """It would never close the gate."""
    (tmp_path / "j.json").write_text(line(seven(8), rubric="code-review"))
    done = evenhand_command("gate", "j.json", "--no-red-flag", "fals-run-claim")
    assert done.code == 2
    assert "did you mean false-run-claim?" in done.err


def test_importing_what_cannot_be_read_makes_no_store(evenhand_command, tmp_path):
    """Nothing half-written."""
    (tmp_path / "junk.jsonl").write_text("{broken\n")
    for name in ("nothing.jsonl", "junk.jsonl"):
        assert evenhand_command("store", "import", name).code == 2
    assert not (tmp_path / ".evenhand").exists()


def test_exporting_a_store_that_is_not_there_is_an_error(evenhand_command, tmp_path):
    """A mistyped name must not yield an empty backup."""
    assert evenhand_command("store", "export", "e.jsonl", "--store", "typo.db").code == 2
    assert not (tmp_path / "e.jsonl").exists()


def test_a_wrong_usage_is_one_line(evenhand_command):
    """What is wrong and where to look."""
    done = evenhand_command("score")
    assert done.code == 2
    assert done.err == "error: Missing argument 'JUDGEMENT|ID...'. See: evenhand score --help\n"
    done = evenhand_command("trust", "probe", "openai:x", "--set", "judge.samples=101")
    assert done.code == 2
    assert done.err.endswith("give a whole number, 1 to 100. See: evenhand trust probe --help\n")


def test_an_empty_store_option_is_refused(evenhand_command):
    """An unset variable in a CI job."""
    done = evenhand_command("score", "-", "--store", "", stdin=line(seven(8)))
    assert done.code == 2
    assert "--store is empty" in done.err


def test_every_unknown_flag_and_bonus_is_reported():
    """All problems at once."""
    with pytest.raises(JudgementError) as caught:
        evenhand.score({"scores": seven(8), "red_flags": ["n1", "n2"], "bonuses": ["n3"]}, rubric=make_rubric())
    assert [problem.path for problem in caught.value.problems] == [("red_flags", 0), ("red_flags", 1), ("bonuses", 0)]


def test_blank_names_are_not_names():
    """White space is not an id."""
    card = evenhand.score({"id": " ", "skill": "  ", "scores": seven(8)})
    assert (card.skill, card.id.strip()) == ("unnamed", card.id)
    assert card.id


def test_a_small_probability_does_not_look_like_none(tmp_path):
    """Strength keeps the digits that count."""
    store = evenhand.open_store(str(tmp_path / "e.db"))
    for number in range(10):
        evenhand.score({"skill": "s", "scores": seven(8 + number % 2 / 10)}, store=store)
    card = evenhand.score({"skill": "s", "scores": seven(7)}, store=store)
    assert 0 < evenhand.document(card)["history"]["dimensions"]["safety"]["strength"] < 1e-6


def test_the_history_field_is_always_there():
    """Null without a store."""
    assert evenhand.document(judged(seven(8)))["history"] is None


def test_a_merge_key_is_refused(evenhand_command):
    """It would be taken for a dimension."""
    text = "base: &b {safety: 8}\nscores:\n  <<: *b\n"
    assert "a merge key (<<) is not read" in evenhand_command("score", "-", stdin=text).err


def test_weights_a_little_above_one_are_compared_with_one(tmp_path):
    """Not with a hundred."""
    from evenhand.rubrics.weights import WeightError, weights_from

    with pytest.raises(WeightError, match=r"sum to 1.05, 0.05 too much; the seven must sum to exactly 1$"):
        weights_from(seven("1.05", "0", "0", "0", "0", "0", "0"))
