"""How far raters agree: tables and stores, every awkward shape, reported and never divided by zero."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import ROOT, seven
from jsonschema import Draft202012Validator

import evenhand
from evenhand.errors import InputError
from evenhand.reports.trust.rater_agreement import agreement_document
from evenhand.stats.agreement.coefficients import coefficients, measures
from evenhand.stats.agreement.ratings import against_each, categories, numbers
from evenhand.stats.agreement.resampling import FEWEST, FEWEST_OF, Draws, interval

AGREEMENT = ROOT.parent / "shared" / "data" / "agreement"


def made(*columns, **options):
    """Ratings from a list of values for each rater."""
    rows = [[None if value is None else Fraction(str(value)) for value in row] for row in zip(*columns, strict=True)]
    return numbers([f"r{place}" for place in range(len(columns))], rows, **options)


def by_name(ratings, **options):
    return {entry.name: entry for entry in coefficients(ratings, **options)}


def noisy(items: int, raters: int = 2, noise: float = 1.0, seed: int = 1) -> list[list[int]]:
    """A column of whole scores for each rater."""
    chance = random.Random(seed)
    truths = [chance.uniform(1, 10) for _ in range(items)]
    return [[round(min(10, max(1, truth + chance.gauss(0, noise)))) for truth in truths] for _ in range(raters)]


# --- what is not defined is reported

AWKWARD = {
    "one value throughout": ([5, 5, 5], [5, 5, 5]),
    "a constant rater": ([1, 2, 3], [2, 2, 2]),
    "one rater": ([1, 2, 3],),
    "one item": ([1], [2]),
    "nothing shared": ([1, None, 2], [None, 3, None]),
    "ragged": ([1, None, 3, 4], [None, 2, 3, 5], [1, 2, None, None]),
    "all missing but one": ([None, None, 3], [None, None, None]),
    "huge values": ([10**12, 2 * 10**12], [10**12, 3 * 10**12]),
    "tiny values": (["0.000001", "0.000002"], ["0.000001", "0.000003"]),
    "below zero": ([-1, -2, -3], [-1, -2, -4]),
    "zero": ([0, 0, 1], [0, 1, 1]),
}


@pytest.mark.parametrize("name", AWKWARD)
def test_every_coefficient_has_a_value_or_a_reason(name):
    """Never a division by zero, never a number that is none."""
    for entry in coefficients(made(*AWKWARD[name]), Draws(resamples=200)):
        if entry.value is None:
            assert entry.reason, entry
        else:
            assert math.isfinite(entry.value), entry
        assert entry.interval is not None or entry.no_interval


def test_constant_raters_are_named():
    """All values alike, and one rater who never moves, are two things."""
    assert "every value is the same" in by_name(made([5, 5, 5], [5, 5, 5]))["alpha-interval"].reason
    entry = by_name(made([1, 2, 3], [2, 2, 2]))["spearman"]
    assert (entry.value, entry.reason) == (None, "a rater gave every item the same value")


def test_a_single_rater_agrees_with_nobody():
    """Nothing is computed from one column."""
    assert {entry.reason for entry in coefficients(made([1, 2, 3]))} == {"no item has values from two raters"}


def test_ratios_need_values_from_zero_up():
    """And the reason says so."""
    assert by_name(made([-1, 2, 3], [1, 2, 3]))["alpha-ratio"].reason == "a ratio needs values from zero up"


def test_categories_without_an_order_have_no_distances():
    """Neither ICC nor weights nor ranks nor bias."""
    ratings = categories(("a", "b"), [("x", "x"), ("y", "z"), ("z", "z")])
    assert set(by_name(ratings)) == {"alpha-nominal", "kappa", "kappa-fleiss", "ac1", "exact"}
    ordered = categories(("a", "b"), [("low", "low"), ("mid", "high")], order=("low", "mid", "high"))
    assert {"alpha-ordinal", "kappa-quadratic", "ac2-linear", "spearman", "adjacent"} <= set(by_name(ordered))


def test_measured_values_are_not_counted_as_categories():
    """With a hundred different values kappa and AC say why they are missing; alpha and ICC are there."""
    first = [Fraction(place, 7) for place in range(100)]
    found = by_name(numbers(("a", "b"), [(value, value + 1) for value in first]))
    assert "too many to count as categories" in found["kappa"].reason
    assert "too many to count as categories" in found["ac2-quadratic"].reason
    assert found["icc-3-1"].value == pytest.approx(1)
    assert found["alpha-ordinal"].value is not None


# --- bias, limits, shares, by hand


def test_bias_and_limits_by_hand():
    """Differences 1, 1, -1, 3: mean 1, deviation sqrt(8/3) = 1.633, limits 1 -+ 1.96 * 1.633."""
    found = by_name(made([3, 5, 4, 9], [2, 4, 5, 6]))
    assert found["bias"].value == pytest.approx(1)
    assert found["lower-limit"].value == pytest.approx(1 - 1.959964 * (8 / 3) ** 0.5, abs=1e-5)
    assert found["upper-limit"].value == pytest.approx(1 + 1.959964 * (8 / 3) ** 0.5, abs=1e-5)


def test_exact_and_adjacent_shares_by_hand():
    """Of four pairs one is equal and two more are one point apart; half a point counts as near."""
    found = by_name(made([3, 5, 4, 9], [3, 4, 5, 6]))
    assert (found["exact"].value, found["adjacent"].value) == (0.25, 0.75)
    assert by_name(made(["7.5", 4], [8, 6]))["adjacent"].value == 0.5


def test_three_raters_make_three_pairs_an_item():
    """1, 1, 2: one pair of three is equal."""
    assert by_name(made([1, 4], [1, 4], [2, 4]))["exact"].value == pytest.approx(4 / 6)


def test_a_judge_is_compared_with_each_person():
    """Two people and a judge make two pairs an item; the pairs of an item stay together."""
    pairs = against_each(made([8, 6], [7, 6], [9, None]), 0)
    assert pairs.rows == ((8, 7), (8, 9), (6, 6))
    assert pairs.items == (0, 0, 1)


# --- intervals


def test_too_few_items_say_how_many_are_needed():
    """One below the fewest has no interval; exactly the fewest has."""
    few, enough = (by_name(made(*noisy(count)), draws=Draws(resamples=300)) for count in (FEWEST - 1, FEWEST))
    assert few["alpha-interval"].no_interval == f"an interval needs at least {FEWEST} items, and there are {FEWEST - 1}"
    assert enough["alpha-interval"].interval is not None
    assert f"at least {FEWEST_OF['ac2-quadratic']} items" in enough["ac2-quadratic"].no_interval


@pytest.mark.slow
def test_equal_values_of_several_raters_need_more_items():
    """One below 40 has no interval, 40 has one; of two raters 20 are enough, and so they are for other coefficients."""
    few, enough = (by_name(made(*noisy(count, raters=3)), draws=Draws(resamples=300)) for count in (39, 40))
    for name in ("alpha-nominal", "kappa", "kappa-fleiss", "ac1", "exact"):
        assert few[name].no_interval == "an interval needs at least 40 items, and there are 39"
        assert enough[name].interval is not None
    assert few["alpha-interval"].interval is not None
    pairs = by_name(against_each(made(*noisy(39, raters=3)), 0), draws=Draws(resamples=300))
    assert (pairs["kappa"].interval, pairs["kappa-quadratic"].interval is None) == (None, False)
    assert by_name(made(*noisy(20)), draws=Draws(resamples=300))["kappa"].interval is not None


@pytest.mark.slow
def test_an_interval_is_the_same_for_the_same_seed_and_contains_the_value():
    """Whatever the order of the items' measures; another seed gives another."""
    first, again, other = (by_name(made(*noisy(60)), draws=Draws(seed, 300)) for seed in (0, 0, 1))
    for name, entry in first.items():
        assert entry.interval == again[name].interval
        if entry.interval is not None:
            assert entry.interval.low <= entry.value <= entry.interval.high, name
    assert first["icc-2-1"].interval != other["icc-2-1"].interval


@pytest.mark.slow
def test_more_items_make_a_narrower_interval():
    """Four times the items, about half the width."""
    widths = []
    for count in (50, 200):
        made_of = by_name(made(*noisy(count, seed=3)), draws=Draws(resamples=500))["bias"].interval
        widths.append(made_of.high - made_of.low)
    assert widths[1] / widths[0] == pytest.approx(0.5, abs=0.12)


def test_perfect_agreement_has_an_exact_share_and_no_resampled_interval():
    """30 of 30: the share is at least 0.05 ** (1/30) = 88.4 % with 97.5 % confidence; resampling would say 100 %."""
    column = [place % 10 + 1 for place in range(30)]
    found = by_name(made(column, column), draws=Draws(resamples=300))
    assert found["exact"].interval.low == pytest.approx(0.025 ** (1 / 30), abs=1e-6)
    assert found["exact"].interval.method == "binomial"
    assert (found["alpha-interval"].value, found["alpha-interval"].interval) == (1.0, None)


@pytest.mark.slow
def test_pairs_of_one_item_are_not_independent():
    """A judge against four people who say the same is no more certain than against one."""
    judge, person = noisy(40)
    alone = by_name(against_each(made(judge, person), 0), draws=Draws(resamples=400))["bias"]
    four = by_name(against_each(made(judge, person, person, person, person), 0), draws=Draws(resamples=400))["bias"]
    assert (four.interval.low, four.interval.high) == pytest.approx((alone.interval.low, alone.interval.high), abs=0.02)


@pytest.mark.slow
def test_resampled_ranks_follow_ranks_computed_anew():
    """The first-order shares give nearly the interval that ranking every resample gives."""
    from scipy.stats import bootstrap, spearmanr

    first, second = noisy(80, noise=2.0)
    ratings = made(first, second)
    measure = next(measure for measure in measures(ratings) if measure.name == "spearman")
    ours = interval(measure, measure.estimate, Draws(resamples=1000))
    theirs = bootstrap(
        (first, second), lambda a, b: spearmanr(a, b).statistic, paired=True, vectorized=False, n_resamples=500,
        random_state=1,
    ).confidence_interval  # fmt: skip
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.04)


# --- tables


def test_the_textbook_tables_give_the_published_values(evenhand_command):
    """Shrout and Fleiss 1979, Krippendorff 2011, through the command."""
    if not AGREEMENT.is_dir():
        pytest.skip("the shared data are not here")
    done = evenhand_command("trust", "agree", str(AGREEMENT / "shrout_fleiss_1979.csv"), "--format", "json")
    values = {entry["name"]: entry["value"] for entry in json.loads(done.out)["comparisons"][0]["coefficients"]}
    assert [round(values[f"icc-{form}"], 4) for form in ("1-1", "2-1", "3-1", "1-k", "2-k", "3-k")] == [
        0.1657, 0.2898, 0.7148, 0.4428, 0.6201, 0.9093,
    ]  # fmt: skip
    done = evenhand_command("trust", "agree", str(AGREEMENT / "krippendorff_2011.csv"), "--format", "json")
    values = {entry["name"]: entry["value"] for entry in json.loads(done.out)["comparisons"][0]["coefficients"]}
    assert [round(values[f"alpha-{level}"], 4) for level in ("nominal", "ordinal", "interval", "ratio")] == [
        0.7434, 0.8154, 0.8491, 0.7974,
    ]  # fmt: skip


@pytest.mark.slow
def test_labels_and_a_table_give_the_same(tmp_path):
    """`labels import` and then `agree`, or `agree` at once."""
    path = tmp_path / "ratings.csv"
    columns = noisy(40, raters=3)
    rows = [
        "item,ana,bob,cem",
        *(f"{place},{','.join(map(str, row))}" for place, row in enumerate(zip(*columns, strict=True))),
    ]
    path.write_text("\n".join(rows))
    store = evenhand.open_store(str(tmp_path / "store.db"))
    assert evenhand.trust.import_labels(store, path).added == 120
    stored, direct = (evenhand.trust.agree(source, resamples=200).comparisons[0] for source in (store, path))
    values = [{entry.name: entry.value for entry in compared.coefficients} for compared in (stored, direct)]
    assert values[0] == pytest.approx(values[1])
    assert len(stored.raters) == 3


def test_a_scale_tells_how_many_categories_there_are():
    """Gwet's chance agreement depends on it: three values seen, on a scale of ten."""
    seen, of_ten = (
        evenhand.trust.agree({"a": [1, 2, 3, 2], "b": [1, 2, 3, 3]}, scale=scale) for scale in (None, "1-10")
    )
    pe = (0.25 * 0.75 + 0.375 * 0.625 + 0.375 * 0.625) / 2  # shares 2/8, 3/8, 3/8; q = 3
    assert seen.comparisons[0].coefficient("ac1").value == pytest.approx((0.75 - pe) / (1 - pe))
    assert of_ten.comparisons[0].coefficient("ac1").value > seen.comparisons[0].coefficient("ac1").value


def test_a_table_with_a_judge_has_the_ceiling_beside_it(tmp_path):
    """People among themselves, the judge and people, and a sentence that holds one against the other."""
    ana, bob, model = noisy(40, raters=3)
    report = evenhand.trust.agree(
        {"ana": ana, "bob": bob, "model": model}, judges=["model"], scale="1-10", resamples=200
    )
    assert [(compared.between, compared.judge) for compared in report.comparisons] == [
        ("people", None),
        ("judge and people", "model"),
    ]
    assert report.comparisons[1].raters == ("ana", "bob")
    assert report.comparisons[1].values == 160  # 40 items, two pairs each


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("item,a,b\n1,2,3\n1,2,3\n", (), 'ratings.csv:3: a rated "1" on line 2 already; keep one'),
        ("item,a,b\n1,2,9\n", ("--scale", "1-5"), "ratings.csv:2: rating by b: 9 is outside the scale 1-5"),
        ("item,a,b\n1,2,3\n", ("--judge", "c"), 'no rater is named "c"; raters: a, b'),
        ("item,a,b\n1,2,3\n", ("--scale", "big"), '"big" is not a scale'),
        ("1,2,3\n2,3,3\n", (), "has no header"),
        ("item,rater,final\n1,a,2\n1,b,3\n", ("--field", "safety"), 'has no values of "safety"; fields: final'),
    ],
)
def test_a_bad_table_exits_with_2_and_the_line(evenhand_command, tmp_path, text, options, message):
    """And no traceback."""
    (tmp_path / "ratings.csv").write_text(text)
    done = evenhand_command("trust", "agree", "ratings.csv", *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err


# --- stores


@pytest.fixture
def judged_store(tmp_path):
    """24 cases, a judge that gives one point too much, two people, one of whom scored all dimensions."""
    store = evenhand.open_store(str(tmp_path / "store.db"))
    rows = [f"item,rater,{','.join(evenhand.DIMENSIONS)},pass"]
    for place in range(24):
        level = place % 7 + 2
        for judge, score in (("model:a", level + 1), ("model:b", level)):
            evenhand.score(
                {"skill": "s", "judge": judge, "scores": seven(score)}, output=f"output {place}",
                id=f"{judge}-{place}", store=store,
            )  # fmt: skip
        rows.append(f"model:a-{place},ana,{','.join([str(level)] * 7)},")
        rows.append(f"model:b-{place},bob,{level},,,,,,,{'yes' if level >= 7 else 'no'}")
    (tmp_path / "labels.csv").write_text("\n".join(rows))
    done = evenhand.trust.import_labels(store, tmp_path / "labels.csv")
    assert (done.problems, done.unmatched) == ((), ())
    return store


@pytest.mark.slow
def test_a_store_compares_judges_with_people_and_both_among_themselves(judged_store):
    """Labels of two evaluations of one output meet; final, grade and pass follow from seven scores."""
    report = evenhand.trust.agree(judged_store, resamples=50)
    found = {(compared.field, compared.between, compared.judge): compared for compared in report.comparisons}
    biased = found["correctness", "judge and people", "model:a"]
    assert biased.coefficient("bias").value == pytest.approx(1)
    assert (biased.items, biased.raters) == (24, ("human:ana", "human:bob"))
    assert found["correctness", "judge and people", "model:b"].coefficient("exact").value == 1
    assert found["correctness", "people", None].coefficient("alpha-interval").value == 1
    assert found["final", "judge and people", "model:a"].coefficient("bias").value == pytest.approx(1)
    assert found["safety", "judges", None].coefficient("bias").value == pytest.approx(1)
    assert found["pass", "people", None].coefficient("kappa").value == 1
    passes = found["pass", "judge and people", "model:a"].confusion
    assert passes.labels == ("fail", "pass")
    # levels 2 to 8 over 24 cases: 6 is given three times (place 4, 11, 18), where only the judge passes it
    assert passes.counts[1][0] == 6  # both people
    assert found["grade", "judge and people", "model:a"].coefficient("alpha-ordinal").value < 1


@pytest.mark.slow
def test_only_a_field_or_a_judge(judged_store):
    """And a name that nobody has is an error with those that there are."""
    report = evenhand.trust.agree(judged_store, fields=["final"], judges=["model:a"], resamples=50)
    assert {(compared.field, compared.judge) for compared in report.comparisons} == {("final", "model:a")}
    with pytest.raises(InputError, match=r'no judge "model:c" .* judges: model:a, model:b'):
        evenhand.trust.agree(judged_store, judges=["model:c"])
    with pytest.raises(InputError, match=r'no values of "tone"'):
        evenhand.trust.agree(judged_store, fields=["tone"])


@pytest.mark.slow
def test_of_two_evaluations_by_one_judge_the_newest_counts(judged_store):
    """And a note says how many were left out."""
    evenhand.score(
        {"skill": "s", "judge": "model:a", "scores": seven(2)}, output="output 0", id="again", store=judged_store
    )
    report = evenhand.trust.agree(judged_store, fields=["safety"], resamples=50)
    assert "1 earlier evaluations of the same item by the same judge are left out" in report.notes
    (biased,) = [compared for compared in report.comparisons if compared.judge == "model:a"]
    assert biased.coefficient("exact").value == pytest.approx(1 / 24)  # 2 as ana gave; the first time it was 3


def test_a_store_without_labels_says_what_to_do(tmp_path, evenhand_command):
    """The command that imports them."""
    done = evenhand_command("trust", "agree", "--store", str(tmp_path / "none.db"))
    assert done.code == 2
    assert "has no labels; add people's judgements with: evenhand trust labels import FILE" in done.err


# --- documents and pages


@pytest.mark.slow
def test_the_document_fits_its_schema(judged_store):
    """With intervals and without, with confusion and without."""
    schema = json.loads((ROOT / "src/evenhand/schemas/agreement.v1.schema.json").read_text(encoding="utf-8"))
    for report in (
        evenhand.trust.agree(judged_store, fields=["final", "pass"], resamples=50),
        evenhand.trust.agree({"a": [1, 2], "b": [1, None]}),
        evenhand.trust.agree({"a": ["x", "y"], "b": ["x", "x"]}),
    ):
        document = json.loads(json.dumps(agreement_document(report), allow_nan=False))
        Draft202012Validator(schema).validate(document)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.pictures: list[str] = []

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "br", "rect", "line", "circle"):
            self.open.append(tag)
        if tag == "svg" and dict(attributes).get("role") == "img":
            self.pictures.append(dict(attributes)["aria-label"])

    def handle_endtag(self, tag):
        if tag not in ("rect", "line", "circle"):
            assert self.open.pop() == tag


@pytest.mark.parametrize("name", ["judge", "<script>alert(1)</script>"])
def test_the_page_has_its_pictures_and_escapes_names(tmp_path, name):
    """Agreement by field, bias against score, confusion; a rater's name is text."""
    from report_formats import agreement_page

    first, second = noisy(30)
    text = agreement_page(evenhand.trust.agree({"ana": first, name: second}, judges=[name], scale="1-10", resamples=50))
    tags = _Tags()
    tags.feed(text)
    assert tags.open == []
    assert len(tags.pictures) == 2
    assert "Confusion" in text and "<script" not in text
    assert "30 items" in text and "object at" not in text


@pytest.mark.parametrize("format", ["terminal", "markdown", "json", "jsonl", "html"])
def test_every_format_is_written(evenhand_command, tmp_path, format):
    """On standard output, and nothing on standard error."""
    (tmp_path / "ratings.csv").write_text("item,a,b\n1,2,3\n2,4,4\n3,5,5\n")
    done = evenhand_command("trust", "agree", "ratings.csv", "--format", format)
    assert (done.code, done.err) == (0, "")
    assert "Spearman" in done.out


def test_two_raters_are_told_first_whether_they_agree(evenhand_command, tmp_path):
    """11 of 12 values are equal: too few for a verdict. The few coefficients that fit follow, the others on request."""
    rows = "".join(
        f"t{item},{'fail' if item % 3 else 'pass'},{'fail' if item % 3 or item == 9 else 'pass'}\n"
        for item in range(12)
    )
    (tmp_path / "labels.csv").write_text(f"item,ana,bo\n{rows}")
    done = evenhand_command("trust", "agree", "labels.csv")
    text = " ".join(done.out.replace("─", "").split())
    assert (
        "12 items, 24 values do they agree? not shown yet: Krippendorff's alpha, nominal is 0.807 (an interval needs "
        "at least 20 items, and there are 12); 92% of the pairs of values are equal"
    ) in text
    assert "Gwet's AC1" in done.out and "Fleiss" not in done.out
    assert "Fleiss" in evenhand_command("trust", "agree", "labels.csv", "--full").out
    assert "kappa-fleiss" in evenhand_command("trust", "agree", "labels.csv", "--format", "json").out


@pytest.mark.slow
def test_many_comparisons_are_summed_up(judged_store, evenhand_command, tmp_path):
    """And the last line says how to see all."""
    done = evenhand_command("trust", "agree", "--store", str(Path(judged_store.url)), "--set", "trust.resamples=200")
    assert done.code == 0, done.err
    assert "every coefficient, confusion and the worst disagreements: --full" in done.out
    assert "ICC(3,k)" not in done.out
    full = evenhand_command(
        "trust", "agree", "--store", judged_store.url, "--set", "trust.resamples=200", "--full", "--field", "pass"
    )
    assert "model:a in rows, people in columns" in full.out
