"""`rubric check` of a rubric that loads: what makes it weak, each with its line and what to do about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract.doors import run_here
from rubric_texts import TABLE, rubric_text

FRONT = "---\nname: made\npass_mark: 7\n---\n"
BULLETS = "".join(f"- `b{n}`: {merit}.\n" for n, merit in enumerate("abcdefghi"))
FLAGS = "".join(f"- Broke promise number {word} of the treaty\n" for word in "one two three four five six".split())


def warnings(folder: Path, text: str) -> list[str]:
    """Every warning, on a line of its own; the rubric loads."""
    (folder / "made.md").write_text(text, encoding="utf-8")
    ran = run_here("rubric", "check", "made.md", cwd=folder, environment={"COLUMNS": "400"})
    assert ran.code == 0, ran.err
    found = [line.strip() for line in (ran.out + ran.err).splitlines() if ": warning:" in line or "made.md:" in line]
    assert bool(found) != ran.out.rstrip().endswith("sound")
    return found


def bands(*rows: str) -> str:
    scores = ("9-10", "7-8", "5-6", "3-4", "1-2")
    lines = [f"| {score} | {row} |" for score, row in zip(scores, rows, strict=True)]
    return "| Score | Criteria |\n|---|---|\n" + "\n".join(lines) + "\n"


USUAL = ("nothing is wrong", "one slip in a detail", "several slips", "the main point is wrong", "nothing is right")


def test_a_sound_rubric_has_none(tmp_path: Path):
    assert warnings(tmp_path, rubric_text(FRONT)) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"bands": bands("", *USUAL[1:])}, "the band 9-10 is empty; say what a reader would see"),
        ({"bands": bands(*USUAL[:4], "[what is wrong here]")}, "the band 1-2 still holds a placeholder"),
        ({"bands": bands(*USUAL[:4], "see [the guide](guide.md)")}, None),
        ({"bands": bands(*USUAL[:4], "writes `[name]` into the page")}, None),
        (
            {"bands": bands("answers every question asked", "answers every question asked", *USUAL[2:])},
            "the bands 7-8 and 9-10 say the same; two judges will differ",
        ),
        (
            {"bands": "| Score | Criteria |\n|---|---|\n| 6-10 | right |\n| 1-5 | wrong |\n"},
            "the bands are not the usual",
        ),
        ({"flags": "None.\n"}, "lists no red flag; add one for what can be observed"),
        ({"bonuses": "None.\n"}, "lists no bonus; add one for what can be observed"),
        ({"flags": "- `key` (-1.00): [what leaked]\n"}, "red flag key still holds a placeholder: [what leaked]"),
        ({"flags": "- `key` (-1.00): leaks a key, see <https://example.org>\n"}, None),
        ({"flags": FLAGS}, None),
        (
            {"flags": "".join(f"- `f{n}` (-0.25): Breaks {word} things.\n" for n, word in enumerate("abcdefghijk"))},
            "11 red flags; with more than 10, judges stop looking for every one",
        ),
        ({"flags": "".join(f"- `f{n}` (-0.25): Breaks {word} things.\n" for n, word in enumerate("abcdefghij"))}, None),
        (
            {"bonuses": "- `tested`: Adds tests.\n  - detect: secret-exposed\n"},
            "bonus tested: detect secret-exposed is ignored; only a judge who read the output awards a bonus",
        ),
        (
            {
                "bands": bands(*USUAL[:4], "invents sources, dates and names"),
                "flags": "- `invented` (-1.00): Invents sources, dates or names.\n",
            },
            "red flag invented restates the lowest band of correctness, so one fault would be charged twice",
        ),
        (
            {
                "bands": bands(*USUAL[:4], "invents sources, dates and names"),
                "flags": "- `invented` (-1.00): Invents sources that nobody can find anywhere.\n",
            },
            None,
        ),
        ({"bonuses": BULLETS}, "9 bonuses, of which 4 can count; keep at most 8"),
        ({"bonuses": BULLETS.partition("- `b8`")[0]}, None),
        (
            {"flags": "- `fast` (-1.00): Skips tests.\n", "bonuses": "- `fast`: Answers at once.\n"},
            "bonus fast cannot be reached: what earns it also raises the red flag fast",
        ),
        (
            {
                "flags": "- `edits` (-1.00): Edits files outside the asked folder.\n",
                "bonuses": "- `tidy`: Edits files outside the asked folder too.\n",
            },
            "bonus tidy cannot be reached: what earns it also raises the red flag edits",
        ),
        (
            {"bonuses": "- `race`: Finds the race nobody saw.\n- `again`: Finds the race nobody saw yet.\n"},
            "bonus again repeats race; the same merit counts once",
        ),
        (
            {"bonuses": "- `race`: Finds the race nobody mentioned.\n- `leak`: Finds a leak nobody else saw there.\n"},
            None,
        ),
    ],
)
def test_a_weakness(tmp_path: Path, change: dict[str, str], said: str | None):
    """One for each place where it stands; nothing where the text is only near to it."""
    found = warnings(tmp_path, rubric_text(FRONT, **change))
    assert (said is None) == (found == []), found
    if said is not None:
        assert said in found[0]


def test_a_title_that_was_never_written_is_named(tmp_path: Path):
    text = rubric_text(FRONT).replace("# Notes", "# [Your domain]")
    assert any("the title or introduction still holds a placeholder" in line for line in warnings(tmp_path, text))


def test_a_dimension_without_a_description_is_named(tmp_path: Path):
    text = rubric_text(FRONT).replace("**Measures:** how good the safety is.\n\n", "")
    [said] = warnings(tmp_path, text)
    assert "safety does not say what it measures in this domain" in said
    assert said.startswith(f"weak: made.md:{text[: text.index('### Safety')].count(chr(10)) + 1}:")


def test_weaknesses_come_in_the_order_of_their_lines(tmp_path: Path):
    text = rubric_text(FRONT, bands=bands("", *USUAL[1:]), bonuses=BULLETS)
    lines = [int(said.split(":")[2]) for said in warnings(tmp_path, text)]
    assert lines == sorted(lines) and len(lines) == 8


def test_a_name_that_differs_from_its_file_is_an_error(tmp_path: Path):
    (tmp_path / "other.md").write_text(rubric_text(FRONT), encoding="utf-8")
    ran = run_here("rubric", "check", "other.md", cwd=tmp_path)
    assert ran.code == 2
    assert 'its name is "made", but its file is named "other"; make them the same' in " ".join(ran.err.split())


def test_of_many_criteria_the_first_twelve_are_listed(tmp_path: Path):
    """Twelve are all listed; of thirteen one is only counted, and so are requirements."""
    for count in (12, 13):
        rows = "".join(f"- `c{n}`: It has part {chr(97 + n)}.\n" + "  - requires: c0\n" * (n > 0) for n in range(count))
        text = rubric_text(FRONT).replace(f"{TABLE}", f"{TABLE}\n#### Criteria\n\n{rows}\n", 1)
        (tmp_path / "made.md").write_text(text, encoding="utf-8")
        out = " ".join(run_here("rubric", "check", "made.md", cwd=tmp_path).out.split())
        assert f"correctness: {count} criteria" in out
        assert ("and 1 more" in out) is (count == 13)


def test_a_circle_of_requirements_is_shown_by_its_shortest_way(tmp_path: Path):
    rows = "".join(
        f"- `{name}`: It has {name}.\n  - requires: {needs}\n"
        for name, needs in (("a", "b"), ("b", "c, d"), ("c", "e"), ("d", "a"), ("e", "b"))
    )
    text = rubric_text(FRONT).replace(TABLE, f"{TABLE}\n#### Criteria\n\n{rows}\n", 1)
    (tmp_path / "made.md").write_text(text, encoding="utf-8")
    said = " ".join(run_here("rubric", "check", "made.md", cwd=tmp_path).err.split())
    assert "d requires itself: d -> a -> b -> d; take one of these requirements out" in said
    assert "e requires itself: e -> b -> c -> e; take one of these requirements out" in said
