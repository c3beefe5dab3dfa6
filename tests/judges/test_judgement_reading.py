"""A written judgement: what is accepted, and every mistake in one with its name, its place and what is valid."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from fractions import Fraction

import pytest
from conftest import make_rubric, seven
from hypothesis import given
from hypothesis import strategies as st

import evenhand
from evenhand import DIMENSIONS, JudgementError
from evenhand.core.judgement import Claim, Evidence, Unscored
from evenhand.judges.written import judgement_from
from evenhand.judging.files import score_files
from every_case import every_case

RANGE = "a score is a number from 1 to 10"


def problems(document):
    """The problems of a judgement as (path, message)."""
    with pytest.raises(JudgementError) as caught:
        judgement_from(document)
    return [(problem.path, problem.message) for problem in caught.value.problems]


def with_score(value, name="safety"):
    return {"scores": {**seven(8), name: value}}


def without(*names):
    return {name: 8 for name in DIMENSIONS if name not in names}


# --- scores --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "score"),
    [
        (1, "1.00"),
        (10, "10.00"),
        (Decimal("8.5"), "8.50"),
        (8.1, "8.10"),  # R1: a float is taken by its shortest repr
        ("8.5", "8.50"),
        (" 8 ", "8.00"),
        ("08", "8.00"),
        ("+8", "8.00"),
        ("0.8e1", "8.00"),
        ("10.000", "10.00"),
        (Decimal("7.333"), "7.33"),
        (Decimal("7.125"), "7.13"),  # R4: half up
        (Decimal("7.135"), "7.14"),
        (Decimal("7.1249999999999999999999999999999"), "7.12"),
        (Decimal("9.999"), "10.00"),
    ],
)
def test_R4_a_score_is_any_decimal_from_1_to_10(value, score):
    """Bare, in an object, or as text; with exactly two places afterwards."""
    for written in (value, {"score": value}):
        assert str(judgement_from(with_score(written)).opinions["safety"].score) == score


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (True, "true is not a number"),
        (False, "false is not a number"),
        (math.nan, "NaN is not a finite number"),
        (math.inf, "Infinity is not a finite number"),
        (-math.inf, "-Infinity is not a finite number"),
        (0, "0 is outside 1 to 10"),
        (-8, "-8 is outside 1 to 10"),
        (11, "11 is outside 1 to 10"),
        (Decimal("10.01"), "10.01 is outside 1 to 10"),
        (Decimal("10.001"), "10.001 is outside 1 to 10"),  # never clamped, never rounded into range
        (Decimal("0.999"), "0.999 is outside 1 to 10"),
        pytest.param(10**4000, "1" + "0" * 36 + "... is outside 1 to 10", id="4001 digits"),
        (Decimal("1e-999999999"), "1E-999999999 is outside 1 to 10"),
        ("1e99999999999999999999", '"1e99999999999999999999" is not a finite number'),
        ("eight", '"eight" is not a number'),
        ("8/10", '"8/10" is not a number'),
        ("8,5", '"8,5" is not a number'),
        ("", '"" is not a number'),
        ("NaN", '"NaN" is not a number'),
        ("infinity", '"infinity" is not a number'),
        ("0x8", '"0x8" is not a number'),
        ("1_0", '"1_0" is not a number'),
        ("\u0668", '"\u0668" is not a number'),  # an Arabic eight
        ([8], "a list is not a number"),
    ],
)
def test_R4_anything_else_is_refused_with_the_name_and_the_range(value, why):
    """Bare and in an object; the place is that of the number."""
    assert problems(with_score(value)) == [(("scores", "safety"), f"safety: {why}; {RANGE}")]
    assert problems(with_score({"score": value})) == [(("scores", "safety", "score"), f"safety: {why}; {RANGE}")]


@given(st.decimals(allow_nan=True, allow_infinity=True) | st.floats() | st.integers())
def test_R4_a_number_is_a_score_exactly_when_it_lies_from_1_to_10(value):
    """Then it is rounded half up to two places, and otherwise refused."""
    finite = math.isfinite(value) if isinstance(value, float) else Decimal(value).is_finite()
    exact = (
        Fraction(repr(value) if isinstance(value, float) else value) if finite and abs(value) < 10**9 else Fraction(0)
    )
    try:
        score = judgement_from(with_score(value)).opinions["safety"].score
    except JudgementError:
        assert not 1 <= exact <= 10
    else:
        assert 1 <= exact <= 10
        assert Fraction(score) == Fraction(math.floor(exact * 100 + Fraction(1, 2)), 100)


def test_R5_each_missing_dimension_is_named():
    """Nothing is imputed."""
    assert problems({"scores": without("safety", "adherence")}) == [
        (("scores",), "adherence is missing; all seven dimensions are needed; none is filled in"),
        (("scores",), "safety is missing; all seven dimensions are needed; none is filled in"),
    ]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("saftey", "did you mean safety? "),
        ("Safety", "did you mean safety? "),
        ("complete", "did you mean completeness? "),
        ("zzz", ""),
    ],
)
def test_R5_an_unknown_dimension_is_refused_with_the_nearest(name, hint):
    """And with all seven."""
    [(path, said)] = problems({"scores": {**seven(8), name: 8}})
    assert path == ("scores", name)
    assert said == f'unknown dimension "{name}"; {hint}valid: {", ".join(DIMENSIONS)}'


@pytest.mark.parametrize(
    ("document", "found"),
    [
        ({}, "missing"),
        ({"scores": None}, "null"),
        ({"scores": [8] * 7}, "a list"),
        ({"scores": "8"}, "text"),
        ({"scores": 8}, "a number"),
        ({"scores": True}, "true"),
    ],
)
def test_R5_scores_must_be_an_object_of_the_seven(document, found):
    """The message says what was found instead."""
    said = f"scores is {found}; it must be an object with the seven dimensions: {', '.join(DIMENSIONS)}"
    assert problems(document) == [(("scores",), said)]


def test_dimensions_outside_scores_are_told_where_to_go():
    """The likeliest slip of all."""
    found = problems(seven(8))
    assert found[0] == (("correctness",), '"correctness" is outside scores; put all seven dimensions under scores')
    assert len(found) == 8  # seven dimensions, and scores itself is missing


@pytest.mark.parametrize(
    ("document", "found"),
    [([], "a list"), ("8", "text"), (None, "null"), (8, "a number"), (False, "false"), ("", "empty text")],
)
def test_a_judgement_must_be_an_object(document, found):
    """Whatever else a file holds is refused by its kind."""
    assert problems(document) == [((), f"a judgement is an object with the key scores, not {found}")]


# --- unscored ------------------------------------------------------------------------------------


def test_an_unscored_dimension_keeps_its_reason():
    """It is not a number, and needs no score beside it."""
    for written in ({"unscored": "no output to judge"}, {"unscored": "no output to judge", "score": None}):
        opinion = judgement_from(with_score({**written, "justification": "empty file"})).opinions["safety"]
        assert (opinion.score, opinion.justification) == (Unscored("no output to judge"), "empty file")


@pytest.mark.parametrize(
    ("written", "path", "message"),
    [
        ({"unscored": ""}, ("unscored",), "safety is unscored without a reason; say why"),
        ({"unscored": " \n"}, ("unscored",), "safety is unscored without a reason; say why"),
        ({"unscored": True}, ("unscored",), "unscored is true; it must be text"),
        ({"unscored": "why", "score": 8}, (), "safety is both scored and unscored; keep one"),
        ({"unscored": None}, (), "safety has no score; give a number from 1 to 10"),
        ({"justification": "fine"}, (), "safety has no score; give a number from 1 to 10"),
        ({}, (), "safety has no score; give a number from 1 to 10"),
        ({"score": None}, (), "safety has no score; give a number from 1 to 10"),
    ],
)
def test_an_unscored_dimension_needs_a_reason_and_no_score(written, path, message):
    """A reason is words."""
    assert problems(with_score(written)) == [(("scores", "safety", *path), message)]


# --- keys and texts ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "path", "message"),
    [
        ({"rubrik": "x"}, ("rubrik",), 'unknown key "rubrik"; did you mean rubric? valid: schema, id, skill, rubric,'),
        ({"flags": []}, ("flags",), 'unknown key "flags"; did you mean red_flags? valid: '),
        ({"zzz": 1}, ("zzz",), 'unknown key "zzz"; valid: '),
        ({"final": 9.5}, ("final",), 'unknown key "final"; valid: '),
        ({"a\nb": 1}, ("a\nb",), 'unknown key "a b"; valid: '),
        ({"x" * 500: 1}, ("x" * 500,), f'unknown key "{"x" * 37}..."; valid: '),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest(document, path, message):
    """What is not read is not passed over, and what is shown of it stays on one line."""
    [(where, said)] = problems({"scores": seven(8), **document})
    assert where == path
    assert said.startswith(message)


@pytest.mark.parametrize(
    ("document", "path", "message"),
    [
        (
            with_score({"score": 8, "reason": "x"}),
            ("scores", "safety", "reason"),
            'unknown key "reason"; valid: score, unscored, criteria, justification, evidence',
        ),
        (
            with_score({"score": 8, "justfication": "x"}),
            ("scores", "safety", "justfication"),
            'unknown key "justfication"; did you mean justification? '
            "valid: score, unscored, criteria, justification, evidence",
        ),
        (
            {"scores": seven(8), "red_flags": [{"id": "x", "explanaton": "y"}]},
            ("red_flags", 0, "explanaton"),
            'unknown key "explanaton"; did you mean explanation? valid: id, explanation, evidence',
        ),
        (
            with_score({"score": 8, "evidence": [{"quote": "x", "page": 3}]}),
            ("scores", "safety", "evidence", 0, "page"),
            'unknown key "page"; valid: quote, verified, line, offset, source',
        ),
    ],
)
def test_an_unknown_key_inside_is_refused_too(document, path, message):
    """In an opinion, in a claim, in a quote."""
    assert problems(document) == [(path, message)]


@pytest.mark.parametrize("key", ["skill", "rubric", "output", "task"])
@pytest.mark.parametrize(("value", "found"), [(7, "a number"), (["x"], "a list"), ({}, "an object"), (True, "true")])
def test_texts_must_be_text(key, value, found):
    """With the kind that was found."""
    assert problems({"scores": seven(8), key: value}) == [((key,), f"{key} is {found}; it must be text")]


def test_texts_may_be_left_out_or_null():
    """A judgement needs only its scores."""
    bare = judgement_from({"scores": seven(8)})
    nulls = dict.fromkeys(("id", "skill", "rubric", "judge", "output", "task", "red_flags", "bonuses", "schema"))
    assert judgement_from({"scores": seven(8), **nulls}) == bare
    assert (bare.skill, bare.judge, bare.id) == ("unnamed", {"name": "unnamed"}, None)


@pytest.mark.parametrize(
    ("id", "read"), [("a-1", "a-1"), (17, "17"), (Decimal("1.50"), "1.50"), ("", None), (None, None)]
)
def test_an_id_may_be_a_number(id, read):
    """YAML makes one of 17."""
    assert judgement_from({"scores": seven(8), "id": id}).id == read


def test_an_id_must_not_be_anything_else():
    """A truth value or a list names nothing."""
    assert problems({"scores": seven(8), "id": True}) == [(("id",), "id is true; it must be text")]
    assert problems({"scores": seven(8), "id": ["a"]}) == [(("id",), "id is a list; it must be text")]


@pytest.mark.parametrize(
    ("judge", "read"),
    [
        ("human:ana", {"name": "human:ana"}),
        ({"name": "ana", "model": "none"}, {"name": "ana", "model": "none"}),
    ],
)
def test_a_judge_is_a_name_or_an_object_with_one(judge, read):
    """More about the judge is kept."""
    assert judgement_from({"scores": seven(8), "judge": judge}).judge == read


@pytest.mark.parametrize(
    "judge", ["", " ", 7, [], {}, {"model": "x"}, {"name": ""}, {"name": 7}, {"name": "x", "n": 1}]
)
def test_a_judge_without_a_name_is_refused(judge):
    """Who judged is part of the scorecard."""
    said = "judge must be a name, or an object of texts with a name"
    assert problems({"scores": seven(8), "judge": judge}) == [(("judge",), said)]


def test_a_document_of_another_schema_is_refused():
    """A scorecard is not a judgement."""
    assert judgement_from({"schema": "evenhand/judgement/v1", "scores": seven(8)})
    assert problems({"schema": "evenhand/scorecard/v1", "scores": seven(8)}) == [
        (("schema",), '"evenhand/scorecard/v1" is not a judgement; its schema is "evenhand/judgement/v1"')
    ]


# --- evidence ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "quotes"),
    [
        (["one", "two"], ["one", "two"]),
        ("one", ["one"]),
        ([{"quote": "one", "verified": True, "line": 3, "offset": 7}], ["one"]),
        (["  kept as it is\n"], ["  kept as it is\n"]),
        ([], []),
        (None, []),
    ],
)
def test_evidence_is_a_list_of_quotes(written, quotes):
    """One alone may stand without the list; what an earlier check found is not believed."""
    opinion = judgement_from(with_score({"score": 8, "evidence": written})).opinions["safety"]
    assert opinion.evidence == tuple(map(Evidence, quotes))
    claims = judgement_from({"scores": seven(8), "red_flags": [{"id": "x", "evidence": written}]}).red_flags
    assert claims == (Claim("x", "", tuple(map(Evidence, quotes))),)


@pytest.mark.parametrize(
    ("written", "path", "message"),
    [
        ([""], (0,), "a quote must be text from the output, not empty text"),
        (["x", " "], (1,), "a quote must be text from the output, not empty text"),
        (["x", 7], (1,), "a quote must be text from the output, not a number"),
        ([None], (0,), "a quote must be text from the output, not null"),
        ([{}], (0, "quote"), "a quote must be text from the output, not null"),
        ([["x"]], (0,), "a quote must be text from the output, not a list"),
        (7, (), "evidence is a number; it must be a list of verbatim quotes"),
        ({"quote": "x"}, (), "evidence is an object; it must be a list of verbatim quotes"),
    ],
)
def test_evidence_that_is_not_a_quote_is_refused(written, path, message):
    """At its own place."""
    found = problems(with_score({"score": 8, "evidence": written}))
    assert found == [(("scores", "safety", "evidence", *path), message)]


# --- red flags and bonuses -----------------------------------------------------------------------


def test_claims_are_ids_or_objects_with_one():
    """Both forms may stand in one list."""
    judgement = judgement_from(
        {"scores": seven(8), "red_flags": ["f0", {"id": "f1", "explanation": "why"}], "bonuses": [{"id": "b0"}]}
    )
    assert judgement.red_flags == (Claim("f0"), Claim("f1", "why"))
    assert judgement.bonuses == (Claim("b0"),)


@every_case("field", ["red_flags", "bonuses"])
@every_case(
    ("written", "path", "message"),
    [
        ("f0", (), "{field} is text; it must be a list of ids, or of objects with an id"),
        ({"id": "f0"}, (), "{field} is an object; it must be a list of ids, or of objects with an id"),
        ({}, (), "{field} is an object; it must be a list of ids, or of objects with an id"),
        (0, (), "{field} is a number; it must be a list of ids, or of objects with an id"),
        (False, (), "{field} is false; it must be a list of ids, or of objects with an id"),
        ([7], (0,), "{field} holds a number; give an id, or an object with an id"),
        (["f0", None], (1,), "{field} holds null; give an id, or an object with an id"),
        ([""], (0,), "an entry of {field} has no id"),
        ([{"explanation": "x"}], (0, "id"), "an entry of {field} has no id"),
        ([{"id": ""}], (0, "id"), "an entry of {field} has no id"),
    ],
)
def test_a_list_of_claims_that_is_none_is_refused(field, written, path, message):
    """At its own place."""
    found = problems({"scores": seven(8), field: written})
    assert found == [((field, *path), message.format(field=field))]


@pytest.mark.parametrize(("field", "noun", "id"), [("red_flags", "red flag", "f1"), ("bonuses", "bonus", "b1")])
def test_R7_a_claim_made_twice_counts_once_with_a_warning(field, noun, id):
    """The first one is kept, whatever form the repeats have."""
    claims = [{"id": id, "explanation": "first"}, id, {"id": id, "explanation": "third"}]
    card = evenhand.score({"scores": seven(8), field: claims}, rubric=make_rubric())
    once = evenhand.score({"scores": seven(8), field: claims[:1]}, rubric=make_rubric())
    assert card.final == once.final == Decimal("7.50" if field == "red_flags" else "8.25")
    assert [each.explanation for each in getattr(card, field)] == ["first"]
    assert set(card.warnings) == {f"{noun} {id} is named more than once; it counts once"}
    assert once.warnings == ()


@pytest.mark.parametrize(
    ("field", "noun", "id", "valid"),
    [
        ("red_flags", "red flag", "f9", "f0, f1, f2, f3, f4, f5"),
        ("bonuses", "bonus", "x", "b0, b1, b2, b3, b4, b5"),
        ("bonuses", "bonus", "f0", "b0, b1, b2, b3, b4, b5"),  # a flag is not a bonus
    ],
)
def test_R7_an_unlisted_claim_is_refused_with_the_valid_ids(field, noun, id, valid):
    """It never deducts and never adds."""
    with pytest.raises(JudgementError) as caught:
        evenhand.score({"scores": seven(8), field: [id]}, rubric=make_rubric())
    [problem] = caught.value.problems
    assert problem.message.startswith(f'rubric made: unknown {noun} "{id}"; valid: ')
    assert problem.message.endswith(f"valid: {valid}")
    assert problem.path == (field, 0)


def test_R7_the_nearest_id_is_suggested():
    """A typo is the likeliest reason."""
    with pytest.raises(JudgementError, match="did you mean fabricated-source"):
        evenhand.score({"scores": seven(8), "red_flags": ["fabricated-sorce"]}, rubric="default")


def test_R7_a_rubric_without_flags_says_so():
    """There is no valid id to list."""
    with pytest.raises(JudgementError, match='rubric made: unknown red flag "x"; the rubric lists no red flag'):
        evenhand.score({"scores": seven(8), "red_flags": ["x"]}, rubric=make_rubric(amounts=[]))


# --- all problems, in their places ---------------------------------------------------------------

WRONG = {
    "judge": "",
    "bonuses": [7],
    "scores": {**without("safety", "adherence"), "correctness": 11, "saftey": 8, "efficiency": {"score": "ten"}},
    "red_flags": [{"id": "x", "evidence": [""]}],
    "colour": "blue",
}
EXPECTED = [
    ('  "judge"', "judge must be a name"),
    ("    7", "bonuses holds a number"),
    ('  "scores"', "adherence is missing"),
    ('  "scores"', "safety is missing"),
    ('    "correctness"', "correctness: 11 is outside 1 to 10"),
    ('      "score"', 'efficiency: "ten" is not a number'),
    ('    "saftey"', 'unknown dimension "saftey"; did you mean safety?'),
    ('        ""', "a quote must be text"),
    ('  "colour"', 'unknown key "colour"'),
]


def test_every_problem_is_reported_at_once_in_the_order_of_the_lines(tmp_path):
    """An author mends a file once, not once for each problem."""
    path = tmp_path / "wrong.json"
    text = json.dumps(WRONG, indent=2)
    path.write_text(text, encoding="utf-8")
    [error] = score_files([str(path)]).results
    assert isinstance(error, JudgementError)
    lines = text.split("\n")
    assert [problem.source for problem in error.problems] == [str(path)] * len(EXPECTED)
    for problem, (line, message) in zip(error.problems, EXPECTED, strict=True):
        assert problem.message.startswith(message)
        assert lines[problem.line - 1].startswith(line)


def test_a_problem_in_a_yaml_file_has_its_line(tmp_path):
    """Also one that needs the rubric to be seen."""
    path = tmp_path / "wrong.yaml"
    scores = "".join(f"  {name}: 8\n" for name in DIMENSIONS)
    path.write_text(
        f"skill: x\nrubric: default\nscores:\n{scores}red_flags:\n  - cut-off\n  - nope\n", encoding="utf-8"
    )
    [error] = score_files([str(path)]).results
    [problem] = error.problems
    assert (problem.source, problem.line) == (str(path), 13)
    assert problem.message.startswith('rubric default: unknown red flag "nope"; valid: fabricated-source, ')


def test_through_the_api_a_problem_has_its_path_and_no_file():
    """There is no file to name."""
    with pytest.raises(JudgementError) as caught:
        evenhand.score(with_score(0))
    assert str(caught.value) == f"safety: 0 is outside 1 to 10; {RANGE}"
    assert caught.value.problems[0].source is None
