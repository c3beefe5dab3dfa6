"""Where rubrics are found: by path, in the project, among the built-in ones; and how a new one is started."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest

import evenhand
from contract.doors import run_here
from rubric_texts import rubric_text

BUILTIN = Path(evenhand.__file__).parent / "rubrics" / "builtin"
BUILTIN_NAMES = sorted(path.stem for path in BUILTIN.glob("*.md"))
WEIGHTS = ("0.25", "0.20", "0.15", "0.15", "0.10", "0.10", "0.05")


def seven(*scores):
    """Seven scores by dimension; one score stands for all."""
    return dict(zip(evenhand.DIMENSIONS, scores if len(scores) == 7 else scores * 7, strict=True))


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty repository, entered."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def put_rubric(folder, name, title):
    """A rubric file in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.md"
    path.write_text(rubric_text(f"---\nname: {name}\ntitle: {title}\npass_mark: 7\n---\n"), encoding="utf-8")
    return path


def title_of(name):
    return evenhand.load_rubric(name).title


def listed():
    """Name and origin of every rubric that has a name."""
    ran = run_here("rubric", "list", "--format", "json", cwd=Path.cwd())
    return {row["name"]: row["origin"] for row in json.loads(ran.out)}


def new_rubric(name, base):
    """The path that the command prints; ValueError with what it says instead."""
    ran = run_here("rubric", "new", "--from", base, "--", name, cwd=Path.cwd())
    if ran.code:
        assert ran.out == ""
        raise ValueError(" ".join(ran.err.removeprefix("error: ").split()))
    return Path(ran.out.strip())


# --- lookup order --------------------------------------------------------------------------------


def test_a_path_comes_first(project):
    """What ends in .md or holds a slash is a file, whatever rubrics have that name."""
    put_rubric(project / "evenhand" / "rubrics", "writing", "of the project")
    put_rubric(project, "writing", "at hand")
    assert title_of("writing.md") == "at hand"
    assert title_of("./writing.md") == "at hand"
    assert title_of(project / "writing.md") == "at hand"
    assert title_of("evenhand/rubrics/writing.md") == "of the project"


def test_then_comes_the_project_and_hides_a_built_in_rubric(project):
    """A name means the project's rubric if it has one, else the built-in one."""
    assert title_of("writing") == evenhand.load_rubric(BUILTIN / "writing.md").title
    put_rubric(project / "evenhand" / "rubrics", "writing", "of the project")
    assert title_of("writing") == "of the project"
    assert listed()["writing"] == "project"
    assert title_of("research") == evenhand.load_rubric(BUILTIN / "research.md").title


def test_the_project_is_found_from_a_folder_inside_it(project, monkeypatch):
    """The nearest evenhand/rubrics/ here or above."""
    put_rubric(project / "evenhand" / "rubrics", "writing", "of the project")
    inside = project / "a" / "b"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    assert title_of("writing") == "of the project"
    put_rubric(project / "a" / "evenhand" / "rubrics", "writing", "of the part")
    assert title_of("writing") == "of the part"


@pytest.mark.parametrize("make_git", ["mkdir", "touch"])
def test_the_project_ends_at_the_top_of_its_repository(project, monkeypatch, make_git):
    """A repository inside another folder does not take that folder's rubrics; .git may be a file, as in a worktree."""
    put_rubric(project / "evenhand" / "rubrics", "writing", "of somebody else")
    repository = project / "vendored"
    (repository / "src").mkdir(parents=True)
    getattr(repository / ".git", make_git)()
    monkeypatch.chdir(repository / "src")
    assert set(listed().values()) == {"built-in"}
    assert title_of("writing") != "of somebody else"


def test_the_rubrics_of_a_repository_are_found_at_its_very_top(project):
    """The folder that holds .git may hold evenhand/rubrics/ too."""
    put_rubric(project / "evenhand" / "rubrics", "mine", "of the project")
    assert listed() == {"mine": "project", **dict.fromkeys(BUILTIN_NAMES, "built-in")}


def test_a_path_in_a_judgement_starts_from_the_judgement(project):
    """Judgement and rubric may be moved together."""
    put_rubric(project / "deep", "mine", "beside the judgement")
    judgement = {"skill": "x", "rubric": "./mine.md", "scores": seven(8)}
    (project / "deep" / "judgement.json").write_text(json.dumps(judgement), encoding="utf-8")
    done = run_here("score", "deep/judgement.json", "--format", "json", cwd=project)
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["rubric"]["name"] == "mine"


def test_the_list_shows_where_each_rubric_comes_from(project):
    """A project's rubric stands where it hides a built-in one."""
    put_rubric(project / "evenhand" / "rubrics", "writing", "of the project")
    put_rubric(project / "evenhand" / "rubrics", "mine", "of the project")
    done = run_here("rubric", "list", "--format", "json", cwd=project)
    rows = {row["name"]: row["origin"] for row in json.loads(done.out)}
    assert sorted(rows) == sorted(["mine", *BUILTIN_NAMES])
    assert {name for name, origin in rows.items() if origin == "project"} == {"mine", "writing"}


def test_a_broken_rubric_of_the_project_does_not_hide_the_list(project):
    """It is reported with its line, the others are listed, and the exit code is 2."""
    path = put_rubric(project / "evenhand" / "rubrics", "mine", "of the project")
    path.write_text(path.read_text(encoding="utf-8").replace("### Safety", "### Saftey"), encoding="utf-8")
    done = run_here("rubric", "list", "--format", "json", cwd=project)
    assert done.code == 2
    assert [row["name"] for row in json.loads(done.out)] == BUILTIN_NAMES
    assert "mine.md:" in done.err and "Saftey" in done.err


# --- names that are not there --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("code-reveiw", "did you mean code-review or code-change? "),
        ("writting", "did you mean writing or testing? "),
        ("review", "did you mean code-review or security-review? "),
        ("zzz", ""),
    ],
)
def test_an_unknown_name_is_refused_with_suggestions(project, name, hint):
    """Nothing is taken because it looks alike."""
    with pytest.raises(evenhand.RubricError) as caught:
        evenhand.load_rubric(name)
    assert str(caught.value) == f'unknown rubric "{name}"; {hint}see: evenhand rubric list'


def test_an_unknown_name_in_a_judgement_is_placed_in_its_file(project):
    """The judgement's author can fix it there."""
    judgement = {"rubric": "writting", "scores": seven(8)}
    (project / "j.json").write_text(json.dumps(judgement, indent=1), encoding="utf-8")
    done = run_here("score", "j.json", cwd=project)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith('error: j.json:2: unknown rubric "writting"; did you mean writing')


def test_a_skill_takes_the_rubric_of_exactly_its_name(project):
    """code-review takes code-review, without a warning."""
    card = evenhand.score({"skill": "code-review", "scores": seven(8)})
    assert (card.rubric, card.warnings) == ("code-review", ())


def test_a_skill_that_merely_looks_like_a_rubric_takes_the_default(project):
    """code-review-v2 is not code-review; the warning names the near ones."""
    card = evenhand.score({"skill": "code-review-v2", "scores": seven(8)})
    assert card.rubric == "default"
    [warning] = card.warnings
    assert warning.startswith('no rubric is named "code-review-v2", so the default rubric was used; ')
    assert "code-review, code-change, security-review" in warning


def test_a_skill_like_no_rubric_takes_the_default_and_says_so(project):
    """Nothing near, nothing suggested."""
    card = evenhand.score({"skill": "zzz", "scores": seven(8)})
    assert (card.rubric, card.warnings) == ("default", ('no rubric is named "zzz", so the default rubric was used',))


def test_a_judgement_that_names_no_skill_takes_the_default_without_a_word(project):
    """There is nothing to be mistaken about."""
    card = evenhand.score({"scores": seven(8)})
    assert (card.rubric, card.warnings) == ("default", ())


def test_a_skill_takes_a_rubric_of_the_project(project):
    """Exactly its name, in the project first."""
    put_rubric(project / "evenhand" / "rubrics", "code-review-v2", "of the project")
    card = evenhand.score({"skill": "code-review-v2", "scores": seven(8)})
    assert (card.rubric, card.warnings) == ("code-review-v2", ())


# --- a new rubric --------------------------------------------------------------------------------


def test_a_new_rubric_is_the_default_one_under_its_own_name(project):
    """It loads, is sound, and is found by its name at once."""
    path = new_rubric("api-design", "default")
    assert path.resolve() == project / "evenhand" / "rubrics" / "api-design.md"
    made, base = evenhand.load_rubric("api-design"), evenhand.load_rubric("default")
    assert (made.name, made.title, made.version) == ("api-design", "Api design", "1")
    assert made._replace(name=base.name, title=base.title, version=base.version) == base
    assert run_here("rubric", "check", "api-design", cwd=project).out.rstrip().endswith("sound")


@pytest.mark.parametrize("base", BUILTIN_NAMES)
def test_a_new_rubric_can_start_from_every_built_in_one(project, base):
    """Only name, title and version differ."""
    new_rubric("mine", base)
    made, source = evenhand.load_rubric("mine"), evenhand.load_rubric(base)
    assert made == source._replace(name="mine", title="Mine", version="1")


@pytest.mark.parametrize("name", ["mine", "null", "true", "1e5", "404", "größe", "设计"])
def test_a_new_rubric_keeps_its_name_whatever_yaml_would_make_of_it(project, name):
    """A name that looks like a number or a truth value is still a name."""
    new_rubric(name, "default")
    assert evenhand.load_rubric(name).name == name


def test_a_new_rubric_starts_from_a_file_and_its_weights(project):
    """Weights beside the file come along, and comments stay as they are, whatever system the file comes from."""
    source = put_rubric(project / "elsewhere", "base", "Base")
    text = rubric_text("---\n# a comment\nname: base\ntitle: Base\npass_mark: 7\n---\n", weights=None)
    source.write_bytes(f"\ufeff{text}".replace("\n", "\r\n").encode())
    weights = seven("50%", "50%", "0%", "0%", "0%", "0%", "0%")
    (source.parent / "base.weights.json").write_text(json.dumps(weights), encoding="utf-8")
    path = new_rubric("mine", "elsewhere/base.md")
    assert evenhand.load_rubric("mine").weights == evenhand.load_rubric(source).weights
    assert evenhand.load_rubric("mine").weights["completeness"] == Decimal("0.5")
    assert path.read_text(encoding="utf-8").startswith("---\n# a comment\nname: mine\ntitle: Mine\n")


def test_a_new_rubric_never_overwrites_a_file(project):
    """Not the rubric, and not weights that stand beside it."""
    path = put_rubric(project / "evenhand" / "rubrics", "mine", "dear to me")
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"mine\.md already exists; edit it, or choose another name"):
        new_rubric("mine", "default")
    assert path.read_bytes() == before
    put_rubric(project, "base", "Base")
    weights = json.dumps(seven(*WEIGHTS))
    (project / "base.weights.json").write_text(weights, encoding="utf-8")
    other = project / "evenhand" / "rubrics" / "other.weights.json"
    other.write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match=r"other\.weights\.json already exists"):
        new_rubric("other", "base.md")
    assert other.read_text(encoding="utf-8") == "{}"
    assert not (project / "evenhand" / "rubrics" / "other.md").exists()


def test_a_new_rubric_goes_into_the_folder_the_project_has(project, monkeypatch):
    """From a folder inside the project as well."""
    (project / "evenhand" / "rubrics").mkdir(parents=True)
    (project / "a").mkdir()
    monkeypatch.chdir(project / "a")
    assert new_rubric("mine", "default").resolve() == project / "evenhand" / "rubrics" / "mine.md"
    assert not (project / "a" / "evenhand").exists()


@pytest.mark.parametrize(
    ("name", "base", "message"),
    [
        ("My Rubric", "default", 'the name "My Rubric" must be lower-case words joined by hyphens; try my-rubric'),
        ("../mine", "default", 'the name "../mine" must be lower-case words joined by hyphens; try mine'),
        ("mine.md", "default", 'the name "mine.md" must be lower-case words joined by hyphens; try mine-md'),
        ("", "default", 'the name "" must be lower-case words joined by hyphens; try my-rubric'),
        ("mine", "code-reveiw", 'unknown rubric "code-reveiw"; did you mean code-review or code-change?'),
        ("mine", "none.md", "none.md: no such file"),
    ],
)
def test_a_bad_name_or_base_makes_no_file(project, name, base, message):
    """Refused, with the nearest good name, before anything is written."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        new_rubric(name, base)
    assert [each.name for each in project.iterdir()] == [".git"]


def test_a_folder_that_cannot_be_made_is_an_error(project):
    """A file stands where the folder should."""
    (project / "evenhand").write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match="cannot be written: "):
        new_rubric("mine", "default")


def test_the_new_command_prints_the_path_and_what_to_do_next(project):
    """The path alone on standard output, so that a script can use it."""
    done = run_here("rubric", "new", "our-reviews", "--from", "code-review", cwd=project)
    assert (done.code, done.out) == (0, "evenhand/rubrics/our-reviews.md\n")
    assert done.err == "edit it, then: evenhand rubric check evenhand/rubrics/our-reviews.md\n"
    again = run_here("rubric", "new", "our-reviews", "--from", "code-review", cwd=project)
    assert (again.code, again.out) == (2, "")
    assert again.err.endswith("evenhand/rubrics/our-reviews.md already exists; edit it, or choose another name\n")
