"""What makes a rubric weak: each weakness is seen on its line, and what only looks like one is left alone."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

import test_rubric_files as rubric_files
from evenhand import DIMENSIONS, RubricError
from evenhand.rubrics.account import Taken, account
from evenhand.rubrics.check import parsed_rubric
from evenhand.rubrics.check import weaknesses as weaknesses_of
from evenhand.rubrics.library import BUILTIN, parse_file

# Each dimension has words of its own, as a careful author would give it.
THEMES = {
    "correctness": "figures and claims",
    "completeness": "questions of the request",
    "adherence": "stated instructions",
    "actionability": "steps a reader takes",
    "efficiency": "words and minutes spent",
    "safety": "harm to people",
    "consistency": "terms across sections",
}
BANDS = (
    ("9-10", "Every part concerning {0} survives a second look."),
    ("7-8", "One slip about {0}, mended in a minute."),
    ("5-6", "Several slips about {0}; an hour of repair."),
    ("3-4", "Half of what concerns {0} has to be redone."),
    ("1-2", "Nothing about {0} can be kept."),
)
FLAGS = (
    "`invented-source`: Names a book that was never printed",
    "`wrong-language`: Answers in Dutch when asked in Danish",
)
BONUSES = (
    "`premise-caught`: Shows why the request rests on an error",
    "`undo-given`: Tells how to restore yesterday's state",
)


def rubric_text(flags=FLAGS, bonuses=BONUSES, title="Notes", summary="For notes.", measures="How {0} fare.", **bands):
    """A sound rubric; a dimension's name as keyword gives it bands of its own, as (range, criteria) pairs."""
    lines = [f"# {title}", "", summary, ""]
    for name in DIMENSIONS:
        lines += [f"### {name.capitalize()}", "", f"**Measures:** {measures.format(THEMES[name])}", ""]
        lines += ["| Score | Criteria |", "|---|---|"]
        lines += [f"| {scale} | {said.format(THEMES[name])} |" for scale, said in bands.get(name, BANDS)]
        lines.append("")
    lines += ["## Red flags", "", *(f"- {each}" for each in flags), ""]
    lines += ["## Bonuses", "", *(f"- {each}" for each in bonuses)]
    return "\n".join(lines) + "\n"


@pytest.fixture
def weaknesses(tmp_path):
    """The weaknesses of a rubric text as (line, message)."""

    def check(text):
        path = tmp_path / "notes.md"
        path.write_text(text, encoding="utf-8")
        found = weaknesses_of(parsed_rubric(str(path)))
        assert all(problem.source == str(path) for problem in found)
        return [(problem.line, problem.message) for problem in found]

    return check


def line_of(text, words, nth=0):
    return [place for place, line in enumerate(text.splitlines(), start=1) if words in line][nth]


def changed(*changes):
    """The usual bands with some of them changed: ("7-8", "criteria") pairs."""
    return tuple((scale, dict(changes).get(scale, said)) for scale, said in BANDS)


def test_a_sound_rubric_has_no_weakness(weaknesses):
    """The rubric the other tests spoil is sound to begin with."""
    assert weaknesses(rubric_text()) == []


# --- bands ---------------------------------------------------------------------------------------


def test_overlapping_bands_are_seen(weaknesses):
    """Two judges would take different bands for the same score."""
    text = rubric_text(safety=(*BANDS[:1], ("6-8", BANDS[1][1]), *BANDS[2:]))
    usual = "safety: the bands are not the usual five, 9-10, 7-8, 5-6, 3-4, 1-2; judges are asked to use those"
    assert weaknesses(text) == [
        (line_of(text, "### Safety"), usual),
        (line_of(text, "| 5-6", 5), "safety: the band 5-6 overlaps 6-8"),
    ]


def test_a_band_written_twice_is_seen(weaknesses):
    """The same range with two texts overlaps itself."""
    text = rubric_text(safety=(*BANDS, ("1-2", "Somebody is hurt.")))
    assert "safety: the band 1-2 overlaps 1-2" in [said for _, said in weaknesses(text)]


def test_an_empty_band_is_seen(weaknesses):
    """A range without a word tells nobody anything."""
    text = rubric_text(safety=changed(("5-6", "")))
    assert weaknesses(text) == [
        (line_of(text, "| 5-6", 5), "safety: the band 5-6 is empty; say what a reader would see")
    ]


def test_a_missing_band_is_seen(weaknesses):
    """Scores that no band describes are named."""
    text = rubric_text(safety=BANDS[:2] + BANDS[4:])
    assert weaknesses(text) == [(line_of(text, "### Safety"), "safety: no band for 3, 4, 5, 6")]


def test_unusual_bands_are_seen(weaknesses):
    """All ten scores covered, but not in the five bands judges are asked to use."""
    text = rubric_text(safety=(("6-10", "Harmless to people."), ("1-5", "Hurts somebody.")))
    [(line, said)] = weaknesses(text)
    assert said.startswith("safety: the bands are not the usual five, 9-10, 7-8, 5-6, 3-4, 1-2")
    assert line == line_of(text, "### Safety")


def test_two_bands_that_say_the_same_are_seen(weaknesses):
    """If 7-8 reads like 9-10, two judges will differ."""
    text = rubric_text(safety=changed(("7-8", BANDS[0][1])))
    assert weaknesses(text) == [
        (line_of(text, "| 7-8", 5), "safety: the bands 7-8 and 9-10 say the same; two judges will differ")
    ]


def test_bands_in_any_order_and_bands_that_grade_one_thing_are_left_alone(weaknesses):
    """Worst first is only another order, and bands naturally share some words."""
    graded = tuple(
        (scale, f"{count} of the warnings are missing")
        for scale, count in zip(
            ("9-10", "7-8", "5-6", "3-4", "1-2"),
            ("None", "One", "Up to three", "Most", "All, even the gravest,"),
            strict=True,
        )
    )
    assert weaknesses(rubric_text(safety=tuple(reversed(BANDS)))) == []
    assert weaknesses(rubric_text(safety=(graded[0], *BANDS[1:4], graded[4]))) == []


def test_a_dimension_that_does_not_say_what_it_measures_is_seen(weaknesses):
    """Seven dimensions without a meaning in the domain are seven weaknesses."""
    found = weaknesses(rubric_text(measures=""))
    assert [said for _, said in found] == [
        f"{name} does not say what it measures in this domain" for name in DIMENSIONS
    ]


# --- placeholders --------------------------------------------------------------------------------

LEFT_OVER = [
    "[what earns good marks?]",
    "Good in [Your Domain] work",
    "A <description of the band> follows",
    "TODO",
    "TODO: describe",
    "TBD later",
    "Say more, FIXME:",
    "XXX",
    "Lorem ipsum dolor sit amet",
    "Please insert criteria here and go on",
]
NOT_LEFT_OVER = [
    "Fills the template's `[name]` and `<address>`",
    'Leaves "insert name here" or \u201cTODO: explain\u201d unfilled',
    "Follows the [guide](https://example.org/guide) of the team",
    "Follows the [guide][team] of the team",
    "Sees <https://example.org> as its source",
    "Leaves TODO comments in delivered code",
    "TODO comments stay in delivered code",
    "Reads items[key] past the end",
    "Cites note [3] wrongly",
    "Loads in <200 ms and stays there",
    "Ranks a < b and c > d the wrong way",
]


@pytest.mark.parametrize("words", LEFT_OVER)
def test_a_placeholder_is_seen_wherever_it_stands(weaknesses, words):
    """In a band, in what a dimension measures, in a flag, a bonus, and the introduction."""
    text = rubric_text(safety=changed(("7-8", words)))
    assert weaknesses(text) == [(line_of(text, words), "safety: the band 7-8 still holds a placeholder")]
    found = weaknesses(rubric_text(measures=words))
    assert [said for _, said in found] == [f"{name}: what it measures still holds a placeholder" for name in DIMENSIONS]
    text = rubric_text(flags=(*FLAGS, f"`odd`: {words}"), bonuses=(*BONUSES, f"`rare`: {words}"))
    assert [(line, said) for line, said in weaknesses(text) if "placeholder" in said] == [
        (line_of(text, "`odd`"), f"red flag odd still holds a placeholder: {words}"),
        (line_of(text, "`rare`"), f"bonus rare still holds a placeholder: {words}"),
    ]
    for text in (rubric_text(summary=words), rubric_text(title=words)):
        assert weaknesses(text) == [(1, "the title or introduction still holds a placeholder")]


@pytest.mark.parametrize("words", NOT_LEFT_OVER)
def test_speaking_of_placeholders_is_left_alone(weaknesses, words):
    """Code, quotations, links, numbers and code comments are not placeholders."""
    assert weaknesses(rubric_text(safety=changed(("7-8", words)))) == []
    assert weaknesses(rubric_text(flags=(*FLAGS, f"`odd`: {words}"), summary=words)) == []


# --- red flags -----------------------------------------------------------------------------------


def test_a_flag_that_restates_a_lowest_band_is_seen(weaknesses):
    """One fault must not be charged twice."""
    lowest = ("1-2", "Reveals credentials, tokens or internal addresses of the customer.")
    flags = (*FLAGS, "`leak`: Credentials or Tokens of a Customer revealed")
    text = rubric_text(flags, safety=(*BANDS[:4], lowest))
    assert weaknesses(text) == [
        (
            line_of(text, "`leak`"),
            "red flag leak restates the lowest band of safety, so one fault would be charged twice",
        )
    ]


def test_a_flag_that_shares_a_subject_with_a_lowest_band_is_left_alone(weaknesses):
    """Speaking of the same matter is not saying the same."""
    lowest = ("1-2", "Reveals credentials, tokens or internal addresses of the customer.")
    flags = (*FLAGS, "`mail`: Sends mail to a customer before anybody approved its wording")
    assert weaknesses(rubric_text(flags, safety=(*BANDS[:4], lowest))) == []
    best = ("9-10", "Names a book that was printed.")
    assert weaknesses(rubric_text(safety=(best, *BANDS[1:]))) == []


OBSERVABLE = (
    "Deletes a database", "Mails strangers", "Buys domains", "Sings loudly", "Paints walls", "Digs holes",
    "Rents lorries", "Feeds pigeons", "Opens windows", "Eats lunch", "Cuts trees",
)  # fmt: skip


def test_more_than_ten_flags_are_seen(weaknesses):
    """Ten are left alone; the eleventh is where the line points."""
    assert weaknesses(rubric_text(OBSERVABLE[:10])) == []
    text = rubric_text(OBSERVABLE)
    assert weaknesses(text) == [
        (line_of(text, OBSERVABLE[10]), "11 red flags; with more than 10, judges stop looking for every one")
    ]


@pytest.mark.parametrize(("flags", "bonuses", "noun"), [((), BONUSES, "red flag"), (FLAGS, (), "bonus")])
def test_a_rubric_without_flags_or_bonuses_is_seen(weaknesses, flags, bonuses, noun):
    """It loads, but leaves what can be observed to impressions."""
    assert weaknesses(rubric_text(flags, bonuses)) == [(1, f"lists no {noun}; add one for what can be observed")]


# --- bonuses -------------------------------------------------------------------------------------


def test_more_bonuses_than_can_count_are_seen(weaknesses):
    """Four reach the cap of 1.00 (4 x 0.25); eight leave a choice, a ninth only dilutes it."""
    assert weaknesses(rubric_text(bonuses=OBSERVABLE[:8])) == []
    text = rubric_text(bonuses=OBSERVABLE[:9])
    assert weaknesses(text) == [(line_of(text, OBSERVABLE[8]), "9 bonuses, of which 4 can count; keep at most 8")]


def test_a_bonus_that_a_flag_takes_back_is_seen(weaknesses):
    """By the same id, or by the same words."""
    text = rubric_text(bonuses=(*BONUSES, "`invented-source`: Quotes an expert of renown"))
    said = "bonus invented-source cannot be reached: what earns it also raises the red flag invented-source"
    assert weaknesses(text) == [(line_of(text, "expert of renown"), said)]
    text = rubric_text(bonuses=(*BONUSES, "`rare-book`: Names a book never printed before"))
    said = "bonus rare-book cannot be reached: what earns it also raises the red flag invented-source"
    assert weaknesses(text) == [(line_of(text, "`rare-book`"), said)]


def test_two_bonuses_for_one_merit_are_seen(weaknesses):
    """One merit counts once."""
    text = rubric_text(bonuses=(*BONUSES, "`error-shown`: Shows an error on which the request rests, and why"))
    assert weaknesses(text) == [
        (line_of(text, "`error-shown`"), "bonus error-shown repeats premise-caught; the same merit counts once")
    ]


def test_bonuses_about_the_same_matter_as_a_flag_are_left_alone(weaknesses):
    """A book can be invented, and a book can be found."""
    bonuses = (*BONUSES, "`book-found`: Finds a forgotten book that settles the question")
    assert weaknesses(rubric_text(bonuses=bonuses)) == []


def test_checks_that_raise_or_earn_nothing_are_pointed_out(tmp_path):
    """Screening only warns, and nobody who has not read the output awards a bonus."""
    path = tmp_path / "research.md"
    flagged = load_text("default").replace(
        "  - id: grader-addressed\n", "  - id: grader-addressed\n    detect: injection-suspected\n"
    )
    rewarded = flagged.replace("  - reversal-path\n", "  - id: reversal-path\n    detect: passing-run\n")
    path.write_text(rewarded.replace("name: default", "name: research"), encoding="utf-8")
    flag, bonus = weaknesses_of(parsed_rubric(str(path)))
    assert "detect injection-suspected is ignored" in flag.message and "grader-addressed" in flag.message
    assert "detect passing-run is ignored" in bonus.message and "reversal-path" in bonus.message


def load_text(name: str) -> str:
    return (BUILTIN / f"{name}.md").read_text(encoding="utf-8")


# --- the command ---------------------------------------------------------------------------------


def test_weaknesses_come_in_the_order_of_the_lines(weaknesses):
    """From the top of the file to its end."""
    text = rubric_text(OBSERVABLE, title="[Title]", safety=changed(("5-6", "")), adherence=changed(("1-2", "TBD")))
    lines = [line for line, _ in weaknesses(text)]
    assert len(lines) == 4
    assert lines == sorted(lines)


def test_a_rubric_with_a_mistake_is_an_error_and_not_merely_weak(weaknesses):
    """Weaknesses are looked for in rubrics that load."""
    with pytest.raises(RubricError, match="no section for safety"):
        weaknesses(rubric_text().replace("### Safety", "### Taste"))


@pytest.mark.slow
def test_the_check_command_tells_sound_weak_and_wrong_apart(evenhand_command, tmp_path):
    """Exit code 0 for sound and weak, 1 for weak with --strict, 2 for an error."""
    (tmp_path / "sound.md").write_text(rubric_text(), encoding="utf-8")
    (tmp_path / "weak.md").write_text(rubric_text(OBSERVABLE), encoding="utf-8")
    (tmp_path / "wrong.md").write_text(rubric_text().replace("### Safety", "### Taste"), encoding="utf-8")
    sound = evenhand_command("rubric", "check", "sound.md", "code-review", "--strict")
    assert (sound.code, sound.err) == (0, "")
    assert sound.out.startswith("sound.md: sound\ntaken from sound.md:\n") and "code-review: sound\n" in sound.out
    weak = evenhand_command("rubric", "check", "weak.md", "--strict")
    assert (weak.code, weak.err) == (1, "")
    assert weak.out.startswith("weak: weak.md:") and weak.out.splitlines()[1] == "taken from weak.md:"
    assert evenhand_command("rubric", "check", "weak.md").code == 0
    wrong = evenhand_command("rubric", "check", "wrong.md", "weak.md", "sound.md", "--strict", "--format", "json")
    assert wrong.code == 2
    found = [(row["file"], row["kind"]) for row in json.loads(wrong.out) if row["kind"] != "taken"]
    assert found == [("wrong.md", "error"), ("weak.md", "weak")]
    assert "wrong.md" not in {row["file"] for row in json.loads(wrong.out) if row["kind"] == "taken"}


PARTLY = """\
---
pass_mark: 6.5
---
# Partly

## Red flags (-0.75 each)

- `made-up`: Makes it up
- `left-out` (-2.0): Leaves it out

## Penalties

- `late`: Comes late

## Bonuses

- `found-it`: Finds it

"""
"""A rubric with its pass mark, two kinds of amounts and a default; its dimensions follow."""


@pytest.fixture
def partly(tmp_path):
    bands = "".join(f"- {band}: text {band}\n" for band in ("9-10", "7-8", "5-6", "3-4", "1-2"))
    text = PARTLY + "".join(f"### {name.capitalize()}\n\nHow {name} it is.\n\n{bands}\n" for name in DIMENSIONS)
    (tmp_path / "partly.md").write_text(text, encoding="utf-8")
    return tmp_path / "partly.md"


def test_check_ends_with_what_was_taken_from_which_line(evenhand_command, partly):
    """An amount of a heading is on the heading's line; what the file leaves out is the default, and says so."""
    out = evenhand_command("rubric", "check", "partly.md").out
    taken = out[out.index("taken from partly.md:") :].splitlines()[1:]
    weights = zip(DIMENSIONS, (25, 20, 15, 15, 10, 10, 5), strict=True)
    assert [line.split(maxsplit=2) if line.startswith("  line") else line.strip() for line in taken] == [
        *(f"weight of {name} {weight}% (the default)" for name, weight in weights),
        ["line", "2", "pass mark 6.50"],
        ["line", "6", "red flag made-up -0.75"],
        ["line", "9", "red flag left-out -2.00"],
        ["line", "13", "red flag late -0.50 (the default)"],
        ["line", "17", "bonus found-it +0.25"],
    ]


def test_what_was_taken_as_json(evenhand_command, partly):
    """The value as a number, the line or null, and whether it is the default."""
    rows = json.loads(evenhand_command("rubric", "check", "partly.md", "-f", "json").out)
    taken = {(row["part"], row["name"]): row for row in rows if row["kind"] == "taken"}
    assert [taken["weight", "safety"][key] for key in ("line", "value", "default")] == [None, 0.1, True]
    assert [taken["pass_mark", ""][key] for key in ("line", "value", "default")] == [2, 6.5, False]
    assert [taken["red_flag", "made-up"][key] for key in ("line", "value", "default")] == [6, 0.75, False]
    assert [taken["red_flag", "late"][key] for key in ("line", "value", "default")] == [13, 0.5, True]
    assert taken["bonus", "found-it"]["message"] == "bonus found-it +0.25"
    assert len(taken) == 7 + 1 + 3 + 1


@pytest.mark.parametrize(
    ("place", "before", "lines"),
    [
        ("headings", None, [5, 17, 29, 41, 53, 65, 77]),
        ("front matter", "front", [2, 2, 2, 2, 2, 2, 2]),
        ("list", "list", [5, 6, 7, 8, 9, 10, 11]),
        ("table", "table", [7, 8, 9, 10, 11, 12, 13]),
    ],
)
def test_the_line_of_each_weight(tmp_path, place, before, lines):
    """Wherever the weights stand, the account names their lines."""
    percent = (25, 20, 15, 15, 10, 10, 5)
    pairs = list(zip(DIMENSIONS, percent, strict=True))
    text = rubric_files.rubric_text(weights=percent if before is None else None)
    if before == "front":
        text = f"---\nweights: {{{', '.join(f'{name}: {weight}' for name, weight in pairs)}}}\n---\n{text}"
    elif before == "list":
        block = "".join(f"- {name}: {weight}%\n" for name, weight in pairs)
        text = text.replace("### Correctness", f"{block}\n### Correctness", 1)
    elif before == "table":
        block = "| Dimension | Weight |\n|---|---|\n" + "".join(f"| {name} | {weight}% |\n" for name, weight in pairs)
        text = text.replace("### Correctness", f"{block}\n### Correctness", 1)
    (tmp_path / "notes.md").write_text(text, encoding="utf-8")
    taken = list(account(parse_file(str(tmp_path / "notes.md"))))
    assert [row.line for row in taken if row.part == "weight"] == lines, place
    assert not any(row.default for row in taken if row.part == "weight")


def test_weights_of_the_file_beside_are_named_with_that_file(tmp_path):
    """They have no line in the rubric, and are not a default."""
    (tmp_path / "notes.md").write_text(rubric_files.rubric_text(weights=None), encoding="utf-8")
    weights = dict(zip(DIMENSIONS, (40, 10, 10, 15, 10, 10, 5), strict=True))
    (tmp_path / "notes.weights.json").write_text(json.dumps(weights), encoding="utf-8")
    first = next(account(parse_file(str(tmp_path / "notes.md"))))
    assert first == Taken("weight", "correctness", Decimal("0.40"), str(tmp_path / "notes.weights.json"), None, False)
