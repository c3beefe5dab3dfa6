"""Evaluations under a changed rubric: what is new, what stays, and what is said about it. No judge is asked."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from decimal import Decimal

import pytest
from conftest import make_rubric, seven

import evenhand
from evenhand.core.panel import consensus
from evenhand.core.rubric import Band, Bonus, Criteria, RedFlag
from evenhand.errors import InputError
from evenhand.judging.keeper import Keeper
from evenhand.judging.rescoring import Rescored, Rescorer, keep_rescored, rescore_each
from evenhand.judging.steps import Steps
from panels import card_of, model_judgement
from test_panel_document import full_card

OLD = make_rubric()


def changed(rubric=OLD, **more):
    """The rubric with some of it replaced."""
    return rubric._replace(**more)


def since(card):
    """What a rescored scorecard says beyond where it came from."""
    return [warning for warning in card.warnings if not warning.startswith("rescored from ")]


# --- the arithmetic ------------------------------------------------------------------------------


def test_weights_pass_mark_and_amounts_are_those_of_the_new_rubric():
    """Correctness 10 and the rest 6; all weight on correctness is 10.00, less a flag of 1.50 is 8.50, an A-."""
    card = card_of(model_judgement(seven(6) | {"correctness": 10}, red_flags=["f0"]), OLD)
    weights = seven(Decimal(0)) | {"correctness": Decimal(1)}
    flags = (OLD.red_flags[0]._replace(deduction=Decimal("1.50")), *OLD.red_flags[1:])
    again = evenhand.rescore(card, rubric=changed(weights=weights, red_flags=flags, pass_mark=Decimal("8.60")))
    assert (card.final, card.passed) == (Decimal("6.50"), False)  # 10 * 0.25 + 6 * 0.75 = 7, less 0.50
    assert (again.final, again.grade.letter, again.passed) == (Decimal("8.50"), "A-", False)
    assert again.composite == Decimal("10.00")
    assert since(again) == []


def test_what_was_said_stays_and_where_it_came_from_is_reported():
    """Words, quotes, judge, output and task; the receipt names the new rubric, and it holds."""
    card = full_card()
    new = changed(pass_mark=Decimal("6.00"))
    again = evenhand.rescore(card, rubric=new)
    assert [(line.justification, line.evidence) for line in again.dimensions.values()] == [
        (line.justification, line.evidence) for line in card.dimensions.values()
    ]
    assert (again.judge, again.receipt.submission) == (card.judge, card.receipt.submission)
    assert again.receipt.judgement == card.receipt.judgement
    assert again.receipt.rubric != card.receipt.rubric
    assert again.rescored_from == card.id != again.id
    assert again.warnings[0].startswith("rescored from x, which was 6.70 (C+) under rubric made (sha256 ")
    assert evenhand.verify(again, rubric=new).ok
    assert evenhand.document(again)["rescored_from"] == "x"


def test_the_members_of_a_panel_are_rescored_too():
    """Spread and probabilities follow the new weights: all on efficiency, where the judges gave 8, none and 7."""
    weights = seven(Decimal(0)) | {"efficiency": Decimal(1)}
    again = evenhand.rescore(full_card(), rubric=changed(weights=weights))
    assert again.agreement.grades == {"B": 0.5, "C+": 0.5}  # 8 or 7, less 0.50
    assert again.agreement.member_grades == ("B-", None, None)  # 8.00 - 1.00 + 0.25 = 7.25
    assert again.panel.members == full_card().panel.members


def test_a_flag_that_is_no_longer_listed_does_not_count():
    """It is named in a warning, each judge's vote is taken off, and the claim is told as unlisted."""
    again = evenhand.rescore(full_card(), rubric=changed(red_flags=OLD.red_flags[2:]))
    assert again.red_flags == ()
    assert again.final == Decimal("7.20")
    assert since(again) == ["the rubric no longer lists red flag f0; it does not count"]
    assert {(each.id, each.judge) for each in again.panel.discounted if each.reason == "unlisted" and each.id} == {
        ("f0", "openai:small"),
        ("f0", "anthropic:medium"),
        ("f1", "openai:small"),
    }
    assert all(not member.red_flags for member in again.panel.members)
    assert evenhand.verify(again).ok


def test_a_rubric_that_is_the_same_changes_nothing():
    """The scorecard stays what it is, id and all."""
    card = full_card()
    assert evenhand.rescore(card, rubric=OLD) == card


def test_rescored_twice_is_rescored_once():
    """By way of another rubric, the id and the numbers are those of the direct way."""
    new = changed(pass_mark=Decimal("5.00"))
    direct = evenhand.rescore(full_card(), rubric=new)
    detour = evenhand.rescore(evenhand.rescore(full_card(), rubric=changed(version="1.5")), rubric=new)
    assert (detour.id, detour.final, detour.rescored_from) == (direct.id, direct.final, "x")


def test_an_unscored_dimension_stays_unscored():
    """Its interval moves with the weights."""
    card = evenhand.score({"scores": seven(8) | {"safety": {"unscored": "refused"}}}, rubric=OLD)
    weights = OLD.weights | {"safety": Decimal("0.20"), "correctness": Decimal("0.15")}
    again = evenhand.rescore(card, rubric=changed(weights=weights))
    assert (again.interval.low, again.interval.high) == (Decimal("6.60"), Decimal("8.40"))  # 6.40 + 0.20 or + 2.00


# --- what is said of the criteria ----------------------------------------------------------------


def other_bands(*names):
    """The dimensions with other criteria in some."""
    other = Criteria(measures="something else", bands=(Band(low=1, high=10, criteria="anything"),))
    return {name: other if name in names else criteria for name, criteria in OLD.dimensions.items()}


def test_changed_criteria_are_named():
    """The scores answer the old ones; a panel's scorecard knows them without the old rubric at hand."""
    again = evenhand.rescore(full_card(), rubric=changed(dimensions=other_bands("safety", "adherence")))
    assert since(again) == [
        "the criteria for adherence and safety have changed since the judging; the scores are for the old criteria"
    ]


def test_new_flags_and_bonuses_are_named_as_never_asked():
    """And a flag that has other words now."""
    new = changed(
        red_flags=(OLD.red_flags[0]._replace(description="other words"), *OLD.red_flags[1:], _flag("f9")),
        bonuses=(*OLD.bonuses, Bonus("b9", "new")),
        summary="Read this first.",
    )
    assert since(evenhand.rescore(full_card(), rubric=new)) == [
        "reworded since the judging: red flag f0; the judges answered the old wording",
        "the rubric's introduction has changed since the judging; the scores are for the old one",
        "the judges were not asked about red flag f9 and bonus b9; the rubric did not list it then",
    ]


def _flag(id):
    return RedFlag(id, "new", Decimal("0.50"))


def test_without_the_old_rubric_it_says_that_it_cannot_tell():
    """A judgement somebody wrote does not carry what was asked; with the rubric given, it can be told."""
    card = evenhand.score({"scores": seven(8)}, rubric=OLD)
    new = changed(dimensions=other_bands("safety"))
    (told,) = since(evenhand.rescore(card, rubric=new))
    assert told.startswith(
        "changes to the criteria since the judging cannot be detected: the rubric made as it was then"
    )
    assert since(evenhand.rescore(card, rubric=new, judged_with=OLD)) == [
        "the criteria for safety have changed since the judging; the scores are for the old criteria"
    ]


def test_a_rubric_that_is_still_there_under_its_name_needs_not_be_given():
    """The built-in one is the very one that was judged with."""
    card = evenhand.score({"scores": seven(8)}, rubric="writing")
    writing = evenhand.load_rubric("writing")
    assert since(evenhand.rescore(card, rubric=writing._replace(pass_mark=Decimal("6.00")))) == []


def test_warnings_from_the_judging_are_kept():
    """Text addressed to the judge was there then, and still is."""
    said = model_judgement(8, warnings=("injection-suspected: line 3",))
    again = evenhand.rescore(card_of(said, OLD), rubric=changed(version="2"))
    assert again.warnings[0] == "injection-suspected: line 3"


# --- stores and files ----------------------------------------------------------------------------


@pytest.fixture
def kept(store):
    """A store with three evaluations of a skill, two by a panel and one written, and one of another skill."""
    keeper = Keeper(store)
    steps = Steps(OLD)
    for number in (7, 8):
        said = consensus([model_judgement(number, name=name) for name in "ab"])._replace(id=f"panel-{number}")
        keeper.keep(steps.evaluate_written(said, output="The lock is held."))
    evenhand.score({"scores": seven(9), "skill": "review", "id": "written"}, rubric=OLD, store=store)
    evenhand.score({"scores": seven(5), "skill": "other", "id": "review-1"}, rubric=OLD, store=store)
    return store


NEW = changed(version="2", pass_mark=Decimal("5.00"))


def names(results):
    return [str(each) if isinstance(each, InputError) else each.before.id for each in results]


def test_an_id_a_start_of_one_and_a_skill(kept):
    """A skill comes before the start of an id: review is a skill, though review-1 starts so."""
    rescorer = Rescorer(NEW)
    assert names(rescore_each(["panel-8"], kept, rescorer)) == ["panel-8"]
    assert names(rescore_each(["panel-7", "writ"], kept, rescorer)) == ["panel-7", "written"]
    assert names(rescore_each(["review"], kept, rescorer)) == ["panel-7", "panel-8", "written"]
    assert names(rescore_each(["review"], kept, rescorer, last=2)) == ["panel-8", "written"]
    (error,) = rescore_each(["nothing"], kept, rescorer)
    assert "no such file" in str(error) and "evenhand history" in str(error)


def test_nothing_is_kept_unless_asked(kept):
    """Showing is not storing."""
    list(rescore_each(["review"], kept, Rescorer(NEW)))
    assert dict(kept.skills()) == {"review": 3, "other": 1}


def test_what_is_kept_stands_beside_the_old_and_is_kept_once(kept):
    """With the submission's text; and rescoring the skill again takes the originals, not their copies."""
    for _ in range(2):
        keeper = Keeper(kept)
        made = list(rescore_each(["review"], kept, Rescorer(NEW), keeper=keeper))
        assert names(made) == ["panel-7", "panel-8", "written"]
        assert keeper.renamed == []
    assert len(keeper.already_stored) == 3
    assert dict(kept.skills())["review"] == 6
    stored = kept.get(made[0].card.id)
    assert json.loads(stored.submission)["output"] == "The lock is held."
    assert stored.document["rescored_from"] == "panel-7"
    assert evenhand.verify(stored.document, rubric=NEW).ok


def test_the_command_shows_one_scorecard_whole(evenhand_command, tmp_path):
    """From a file, panel and all."""
    card = tmp_path / "card.json"
    card.write_text(json.dumps(evenhand.document(full_card())), encoding="utf-8")
    done = evenhand_command("score", "card.json", "--rubric", "writing", "--store", "none")
    assert done.code == 0, done.err
    assert "rescored from x, which was 6.70 (C+)" in " ".join(done.out.split())
    assert "judges" in done.out
    again = evenhand_command("score", "card.json", "-r", "writing", "--store", "none", "--format", "json")
    assert json.loads(again.out)["rescored_from"] == "x"


def test_the_command_tells_of_many_together(evenhand_command, tmp_path):
    """A line each; changed grades and each warning once; what is not a scorecard is named, and the rest goes on."""
    cards = [evenhand.score({"scores": seven(n) | {"safety": 4}, "id": f"c{n}"}, rubric="default") for n in (6, 7, 8)]
    lines = [json.dumps(evenhand.document(card)) for card in cards]
    lines.insert(1, json.dumps({"scores": seven(8)}))
    (tmp_path / "many.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = evenhand_command("score", "many.jsonl", "--rubric", "security-review", "--store", "none")
    assert done.code == 2
    assert done.out.count("\n") == 3
    assert "many.jsonl:2: not a scorecard; a judgement is scored with: evenhand score FILE" in done.err
    assert "warning: 3 of 3: the criteria for " in done.err
    assert done.err.count("the criteria for") == 1
    assert "rescored: " in done.err


def test_a_changed_scorecard_is_refused(evenhand_command, tmp_path):
    """What was tampered with is not laundered by scoring it again."""
    document = evenhand.document(full_card())
    document["dimensions"]["safety"]["score"] = 10
    (tmp_path / "card.json").write_text(json.dumps(document), encoding="utf-8")
    done = evenhand_command("score", "card.json", "--rubric", "writing", "--store", "none")
    assert (done.code, done.out) == (2, "")
    assert "the scorecard was changed: " in done.err


@pytest.mark.slow
def test_the_command_keeps_with_save_only(evenhand_command, tmp_path):
    """And says what it has already."""
    judgement = json.dumps({"scores": seven(8), "skill": "notes", "rubric": "default", "id": "one"})
    assert evenhand_command("score", "-", stdin=judgement).code == 0

    def count():
        listed = evenhand_command("store", "export", "-")
        return listed.out.count("\n")

    before = count()
    evenhand_command("score", "notes", "--rubric", "writing")
    assert count() == before
    assert evenhand_command("score", "notes", "--rubric", "writing", "--save").code == 0
    assert count() == before + 1
    assert "already stored" in evenhand_command("score", "notes", "--rubric", "writing", "--save").err
    refused = evenhand_command("score", "notes", "--rubric", "writing", "--save", "--store", "none")
    assert (refused.code, "--save needs a store" in refused.err) == (2, True)


def test_a_rescored_evaluation_is_kept_beside_the_original_with_its_text(tmp_path):
    """The same rubric makes no other evaluation; the text is the original's, if that is what the store has."""
    weights = seven("0.10", "0.20", "0.15", "0.15", "0.10", "0.10", "0.20")
    with closing(evenhand.open_store(str(tmp_path / "s.db"))) as store:
        judgement = {"id": "a", "skill": "notes", "scores": seven(8, 8, 8, 8, 8, 4, 8)}
        card = evenhand.score(judgement, rubric=make_rubric(), output="The text.", store=store)
        assert evenhand.rescore(card, rubric=make_rubric(), store=store) == card
        assert [record.id for record in store.evaluations()] == ["a"]
        again = evenhand.rescore(card, rubric=make_rubric(weights=weights), store=store)
        record = store.get(again.id)
        assert record is not None and json.loads(record.submission)["output"] == "The text."
        assert (again.rescored_from, again.id != "a") == ("a", True)
        other = card._replace(id="unknown")
        kept = evenhand.rescore(other, rubric=make_rubric(weights=weights, pass_mark="6.00"), store=store)
        found = store.get(kept.id)
        assert found is not None and found.submission is None
        changed_text = card._replace(receipt=replace(card.receipt, submission="0" * 64))
        rescored = Rescored(changed_text, again._replace(id="another", receipt=changed_text.receipt))
        assert store.get(keep_rescored(store, rescored).id).submission is None
