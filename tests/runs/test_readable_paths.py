"""What a run can read besides its own folders: the system, its own program and what is listed, never the answers."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pytest

from evenhand.decisions.values.suite import Case, Command, Function, Limits, Model, Recorded, Skill, Suite, Variant
from evenhand.runs import readable_paths as paths
from evenhand.runs.readable_paths import NOTHING_HIDDEN, Hidden, hidden_paths, readable_paths, unreadable, workspaces


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine of its own: a system with one folder, a HOME, a folder for temporary files."""
    for name in ("system", "home", "scratch"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(paths, "SYSTEM", (str(tmp_path / "system"), str(tmp_path / "absent")))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    for cached in (paths._paths, paths._system):
        cached.cache_clear()
    return tmp_path / "home"


@pytest.fixture(autouse=True)
def _nothing_is_remembered():
    yield
    for cached in (paths._paths, paths._system):
        cached.cache_clear()


def touched(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def read_by(does, root: Path, *, hidden: Hidden = NOTHING_HIDDEN, search: str = "", **limits) -> set[str]:
    """What a variant can read, relative to the machine's folder."""
    found = readable_paths(Variant("v", does, limits=Limits(**limits)), hidden, search)
    return {os.path.relpath(path, root) for path in found}


def test_a_command_reads_the_system_what_is_listed_and_nothing_else(home: Path, tmp_path: Path):
    """Folders to write in can be read too; what does not exist is left out, and what is inside another is not said."""
    listed = [touched(tmp_path / name / "f").parent for name in ("data", "out", "data/inner")]
    limits = {"reads": (str(listed[0]), str(listed[2]), str(tmp_path / "gone")), "writes": (str(listed[1]),)}
    assert read_by(Command(("x",)), tmp_path, **limits) == {"system", "data", "out"}
    assert read_by(Command(("x",)), tmp_path) == {"system"}


@pytest.mark.parametrize("does", [Model("openai:m"), Recorded("/x/{case}")])
def test_what_starts_no_program_reads_nothing(does, home: Path, tmp_path: Path):
    assert readable_paths(Variant("v", does, limits=Limits(reads=(str(tmp_path),))), Hidden(), "") == ()


def test_a_script_is_read_with_the_folder_it_is_in(home: Path, tmp_path: Path):
    """A word with a placeholder, a relative one and one that names no file are not scripts; nor is a shell's text."""
    script = str(touched(tmp_path / "tools" / "run.py"))
    other = str(touched(tmp_path / "more" / "{case}.py"))
    assert read_by(Command(("python", script, other, "run.py", f"{script}x")), tmp_path) == {"system", "tools"}
    assert read_by(Command((script,), shell=True), tmp_path) == {"system"}


def test_programs_on_path_are_read_with_what_is_beside_them(home: Path, tmp_path: Path):
    """`bin` with the folder above it, another folder alone; relative entries of PATH are not looked at."""
    touched(tmp_path / "tool" / "bin" / "agent")
    touched(tmp_path / "plain" / "agent")
    search = os.pathsep.join([str(tmp_path / "tool" / "bin"), str(tmp_path / "plain"), "plain"])
    assert read_by(Command(("other",)), tmp_path, search=search) == {"system", "tool", "plain"}


def test_a_program_is_followed_through_its_links(home: Path, tmp_path: Path):
    """From the folder on PATH over a relative link to where its libraries are."""
    touched(tmp_path / "lib" / "agent" / "bin" / "agent")
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "agent").symlink_to("../lib/agent/bin/agent")
    search = str(tmp_path / "first")
    assert read_by(Command(("agent",)), tmp_path, search=search) == {"system", "first", "lib/agent"}
    assert read_by(Command(("another",)), tmp_path, search=search) == {"system", "first"}


def test_links_in_a_circle_end(tmp_path: Path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert set(paths._link_folders(str(tmp_path / "a"))) == {str(tmp_path)}


def test_a_tool_in_home_is_read_whole_and_home_is_not(home: Path, tmp_path: Path):
    """`~/.tool` for a program in `~/.tool/versions/1`; `~/bin` alone, for HOME is above it."""
    touched(home / ".tool" / "versions" / "1" / "agent")
    touched(home / "bin" / "agent")
    search = os.pathsep.join([str(home / ".tool" / "versions" / "1"), str(home / "bin")])
    assert read_by(Command(("x",)), tmp_path, search=search) == {"system", "home/.tool", "home/bin"}


def test_an_agent_that_shares_home_reads_its_hidden_files(home: Path, tmp_path: Path):
    """Configuration and logins; not the user's documents."""
    touched(home / ".config" / "agent.toml")
    touched(home / ".netrc")
    touched(home / "letters" / "one.txt")
    assert read_by(Command(("x",), own_home=False), tmp_path) == {"system", "home/.config", "home/.netrc"}
    assert read_by(Command(("x",), own_home=True), tmp_path) == {"system"}


def test_a_function_is_read_with_its_folder_or_package(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """And with the Python that calls it."""
    file = touched(tmp_path / "agents" / "one.py")
    package = touched(tmp_path / "site" / "agent" / "__init__.py").parent
    touched(tmp_path / "site" / "other.py")
    assert "agents" in read_by(Function(f"{file}:answer"), tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site" / "absent"), ""])
    monkeypatch.chdir(tmp_path / "site")
    found = read_by(Function("agent.deep:answer"), tmp_path)
    assert os.path.relpath(package, tmp_path) in found and "site/other.py" not in found
    assert "site/other.py" in read_by(Function("other:answer"), tmp_path)
    for needed in (sys.prefix, str(Path(paths.__file__).parents[1])):
        real = os.path.realpath(needed)
        assert any(
            real == place or real.startswith(f"{place}/")
            for place in readable_paths(Variant("v", Function("other:answer")), Hidden(), "")
        )


def test_the_system_is_read_without_what_is_hidden_in_it(home: Path, tmp_path: Path):
    """Its other entries one by one, but for links, which could lead anywhere."""
    system = tmp_path / "system"
    for name in ("lib/a", "suite/answers.yaml", "suite/tool", "project/x"):
        touched(system / name)
    (system / "link").symlink_to(system / "suite")
    hidden = Hidden((str(system / "suite" / "answers.yaml"),), (str(system / "project"),))
    assert read_by(Command(("x",)), tmp_path, hidden=hidden) == {"system/lib", "system/suite/tool"}
    assert read_by(Command(("x",)), tmp_path, hidden=Hidden((str(system),))) == set()


@pytest.mark.parametrize(
    ("answers", "projects", "is_read"),
    [
        ((), (), True),
        (("project/answers",), (), False),  # the folder holds the answers
        ((), ("project",), False),  # the folder is the project
        ((), ("project/inner",), False),  # the folder holds the project
        ((), (".",), True),  # in a project, what belongs to the program is read
        (("project",), (), False),  # a folder among the answers
        (("other",), (), True),
    ],
)
def test_the_folder_of_a_script_is_not_read_where_the_answers_are(answers, projects, is_read, home, tmp_path):
    script = touched(tmp_path / "project" / "run.sh")
    real = [tuple(os.path.normpath(tmp_path / name) for name in names) for names in (answers, projects)]
    found = read_by(Command((str(script),)), tmp_path, hidden=Hidden(*real))
    assert ("project" in found) is is_read


def test_a_script_among_the_answers_is_read_alone_unless_it_is_one(home: Path, tmp_path: Path):
    script, answer = touched(tmp_path / "cases" / "run.sh"), touched(tmp_path / "cases" / "answer.sh")
    hidden = Hidden((str(tmp_path / "cases"),))
    assert read_by(Command(("sh", str(script))), tmp_path, hidden=hidden) == {"system", "cases/run.sh"}
    assert read_by(Command(("sh", str(answer))), tmp_path, hidden=Hidden((str(answer),))) == {"system"}


def test_what_is_hidden_of_a_suite(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What it was read from, the cases of its skills, kept runs with the store beside them, other runs; around it the
    repository, or else its folder."""
    suite_file = touched(tmp_path / "repo" / "suites" / "suite.yaml")
    runs = tmp_path / "repo" / ".evenhand" / "runs"
    elsewhere = tmp_path / "kept" / "runs"
    skill = touched(tmp_path / "skill" / "SKILL.md").parent
    variants = (Variant("v", Command(("x",)), skill=Skill(str(skill))), Variant("w", Command(("x",))))
    suite = Suite("s", (Case("c", "p"),), variants, source=str(suite_file))
    made = hidden_paths(suite, [runs, elsewhere])
    assert set(made.answers) == {
        str(suite_file),
        str(skill / "evals"),
        str(runs.parent),
        str(elsewhere),
        str(workspaces()),
    }
    assert made.projects == (str(suite_file.parent),)
    (tmp_path / "repo" / ".git").mkdir()
    assert hidden_paths(suite).projects == (str(tmp_path / "repo"),)
    assert hidden_paths(suite._replace(source="")).projects == ()
    assert workspaces() == tmp_path / "scratch" / f"evenhand-{os.getuid()}"


def test_paths_through_which_answers_could_be_read(tmp_path: Path):
    """The folder that holds them and all above it, also behind a link; not what is beside or inside."""
    answers = tmp_path / "cases" / "answers"
    answers.mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "cases")
    given = [str(path) for path in (answers, tmp_path / "cases", tmp_path, tmp_path / "link")]
    fine = [str(answers / "inner"), str(tmp_path / "cases" / "answers-not"), str(tmp_path / "other")]
    assert unreadable([*given, *fine], Hidden((str(answers),))) == given
    assert unreadable(given, Hidden((), (str(answers),))) == []
