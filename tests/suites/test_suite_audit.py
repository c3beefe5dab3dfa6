"""evenhand run audit: cases that can be passed without the work, and expectations that cannot fail."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand
from evenhand.cli.main import evenhand as command_line
from evenhand.runs.confinement import way
from evenhand.suites.audit.audited_suite import audit_suite
from evenhand.suites.audit.flaws import KINDS
from every_case import every_case

FOLDER = Path(__file__).parent / "audit"
WRITTEN = tomllib.loads((FOLDER / "flaws.toml").read_text(encoding="utf-8"))


@every_case("flaw", WRITTEN["flaw"], ids=lambda flaw: flaw["suite"].removeprefix("flawed/"))
def test_finds_the_planted_flaw_and_nothing_else(flaw):
    """The right kind on the right case, and no alarm about the sound cases beside it."""
    suite = evenhand.read_suite(FOLDER / flaw["suite"])
    problems = audit_suite(suite, run_commands=flaw.get("needs_commands", False)).problems
    assert problems
    assert {problem.kind for problem in problems} <= {flaw["kind"], *flaw.get("also", ())}
    assert {case for problem in problems for case in problem.cases} == set(flaw["cases"])


@every_case("clean", WRITTEN["clean"], ids=lambda clean: clean["suite"].removeprefix("clean/"))
def test_a_clean_suite_raises_no_alarm(clean):
    """A false alarm is worse than a missed flaw."""
    assert audit_suite(evenhand.read_suite(FOLDER / clean["suite"]), run_commands=True).problems == ()


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


VARIANTS = {"v": {"command": ["echo"]}}


def audit(*cases, variants=VARIANTS, run_commands=False, **files):
    for path, text in files.items():
        target = Path(path.replace("__", "/").replace("_", "."))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    listed = [{"id": f"c{number}", "prompt": "Do it.", **case} for number, case in enumerate(cases)]
    Path("suite.json").write_text(json.dumps({"suite": "s", "cases": listed, "variants": variants}), encoding="utf-8")
    return audit_suite(evenhand.read_suite("suite.json"), run_commands=run_commands)


def kinds(*expect, run_commands=False, variants=VARIANTS, given=None, **case):
    if given:
        case["files"] = sorted(name.replace("_", ".") for name in given)
    found = audit({"expect": list(expect), **case}, run_commands=run_commands, variants=variants, **(given or {}))
    return [problem.kind for problem in found.problems]


# --- agents that do not do the work ------------------------------------------------------------------


def answer(**rules):
    return {"answer": rules}


def file(path, **rules):
    return {"file": {"path": path, **rules}}


@pytest.mark.parametrize(
    ("expect", "case", "expected"),
    [
        ([answer(contains="Done")], {}, ["passes-nothing-done"]),
        ([answer(contains="done")], {}, ["passes-judge-addressed"]),  # capitals count
        ([answer(matches=r"\A\Z")], {}, ["passes-empty-output"]),
        ([answer(contains="drought")], {"prompt": "Mention the drought."}, ["passes-repeated-task"]),
        ([answer(contains="drought"), answer(contains="rain")], {"prompt": "Mention the drought."}, []),
        ([answer(number=12)], {"prompt": "24 jars, half break. Is it 12?"}, ["passes-repeated-task"]),
        ([answer(number=12)], {"prompt": "24 jars, half break: 11 or 12?"}, []),  # which of them is the question
        ([answer(**{"is": "mouse"})], {"prompt": "Which is smaller?\nwhale\nmouse"}, []),
        ([answer(contains="no")], {"prompt": "Is a whale a fish?"}, []),
        ([{"limit": {"turns": 1, "tokens": 2, "cost": 0}}], {}, ["passes-nothing-done"]),
        ([{"limit": {"tokens": 1}}], {}, []),
        ([{"calls": {"made": ["Read"]}}], {}, []),
    ],
)
def test_an_agent_that_does_not_do_the_work(expect, case, expected):
    """Each is named by the simplest agent that passes."""
    assert kinds(*expect, **case) == expected


def test_lists_every_agent_that_passes_a_case_in_one_row():
    """One problem is one row, however many ways there are to cheat."""
    (problem,) = audit({"expect": [answer(lacks="sorry")]}).problems
    assert problem.agents == KINDS[:4]
    assert problem.problem == (
        'An agent passes that changes nothing and says "Done"; so does one that prints nothing, repeats the task or '
        "only praises itself."
    )


def test_no_one_passes_a_case_of_which_something_is_undecided():
    """A sentence or a command may be what fails them."""
    for left_out in ("It is polite.", {"command": {"run": ["false"]}}):
        found = audit({"expect": [answer(lacks="sorry"), left_out]})
        assert (found.passed, found.problems, found.not_tried) == ((), (), 1)


@pytest.mark.parametrize(
    ("expect", "given", "expected"),
    [
        ([answer(**{"is": "piano"})], {"solution_txt": "piano\n"}, ["passes-search"]),
        ([answer(**{"is": "yew"})], {"trees_txt": "oak\nyew\n"}, []),  # which line is the question
        ([answer(contains="Ferrand")], {"Ferrand_txt": "?"}, ["passes-search"]),
        ([answer(contains=["oak", "yew"])], {"a_txt": "oak", "b_txt": "yew"}, ["passes-search"]),
        ([answer(contains="oak", lacks="yew")], {"a_txt": "oak and yew"}, []),
    ],
)
def test_searches_what_an_agent_is_given(expect, given, expected):
    """Whole files and the names of files; to choose a line may be the task."""
    assert kinds(*expect, given=given) == expected


def test_which_of_several_files_to_print_may_be_the_task():
    """From three files on, in a folder that the prompt names."""
    case = {"prompt": "Which drink do most in votes/ choose?", "files": "all", "expect": [answer(**{"is": "tea"})]}
    files = {"all__votes__1_txt": "tea", "all__votes__2_txt": "coffee"}
    assert [problem.kind for problem in audit(case, **files).problems] == ["passes-search"]
    assert audit(case, **files, all__votes__3_txt="tea").problems == ()


def skilled(*cases, **files):
    return audit(*cases, variants={"v": {"command": ["echo"], "skill": "helper"}}, **files)


def test_searches_the_skill_but_not_what_is_kept_back_from_runs():
    """evals/ is not copied into a workspace."""
    case = {"expect": [answer(contains="WILLOW-88")]}
    skill = "---\nname: helper\ndescription: d\n---\n"
    assert skilled(case, helper__SKILL_md=skill, helper__evals__a_md="WILLOW-88").problems == ()
    (problem,) = skilled(case, helper__SKILL_md=skill, helper__references__a_md="WILLOW-88").problems
    assert problem.kind == "passes-search"
    assert "references/a.md of its skill" in problem.problem


@pytest.mark.parametrize(
    ("run", "prompt", "protected", "expected"),
    [
        (["sh", "verify.sh"], "Repair it.", [], ["passes-edited-tests"]),
        (["sh", "verify.sh"], "Repair it.", ["verify.sh"], []),
        (["sh", "verify.sh"], "Repair verify.sh.", [], []),  # it is the work
        (["sh", "verify.sh"], "Repair it. Do not change verify.sh.", [], ["passes-edited-tests"]),
        (["sh", "app.sh"], "The program crashes. Repair it.", [], []),
        (["sh", "app.sh"], "Repair it so that app.sh succeeds.", [], ["passes-edited-tests"]),
        (["sh", "-c", "sh verify.sh && true"], "Repair it.", [], ["passes-edited-tests"]),
        (["cmp", "out.html", "golden.html"], "Write out.html.", [], ["passes-edited-tests"]),
        (["cmp", "out.html", "golden.html"], "Write out.html.", ["golden.html"], []),
    ],
)
def test_edits_what_decides_unless_it_is_protected_or_the_work(run, prompt, protected, expected):
    """Commands run, because that was asked for, and here on all that the agent wrote."""
    given = {"verify_sh": "exit 1\n", "app_sh": "exit 1\n", "golden_html": "<h1>Tea</h1>\n"}
    expect = [{"command": {"run": run, "products": ["*"]}}, *(file(path, unchanged=True) for path in protected)]
    assert kinds(*expect, prompt=prompt, given=given, run_commands=True) == expected


def test_an_edited_test_is_not_there_when_it_runs_on_what_the_case_asks_for():
    """The task names what counts, or `products` does."""
    expect = {"command": {"run": ["sh", "verify.sh"]}}
    given = {"verify_sh": "grep -q done out.txt\n"}
    assert kinds(expect, prompt="Write out.txt.", given=given, run_commands=True) == []
    expect["command"]["products"] = ["out.txt"]
    assert kinds(expect, prompt="Do it.", given=given, run_commands=True) == []


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("import solution\nassert solution.add(1, 2) == 3\n", ["passes-forged-result"]),
        (
            "import subprocess, sys\ncode = 'import solution; print(solution.add(1, 2))'\n"
            "assert subprocess.run([sys.executable, '-c', code], capture_output=True).stdout == b'3\\n'\n",
            [],
        ),
    ],
    ids=["imported", "compared from a process of its own"],
)
def test_a_result_that_the_tested_code_can_forge_is_found(test, expected):
    """Code that is loaded into the test can end it with success; a printed value cannot be guessed."""
    expect = {"command": {"run": ["python3", "check.py"], "products": ["solution.py"]}}
    found = kinds(expect, prompt="Write add(a, b).", given={"check_py": test}, run_commands=True)
    assert found == expected


@pytest.mark.parametrize("found", ["it's right", ["it's right"], ["sum: ", "it's right"]])
def test_words_that_a_given_test_prints_are_forged(found):
    """The agent can read there what is looked for."""
    test = 'import solution\nassert solution.add(1, 2) == 3\nprint("sum: 3, it\'s right")\n'
    run = {"run": ["python3", "check.py"], "contains": found, "products": ["solution.py"]}
    assert kinds({"command": run}, prompt="Write add(a, b).", given={"check_py": test}, run_commands=True) == [
        "passes-forged-result"
    ]


def test_to_print_what_the_task_asks_for_is_not_a_forgery():
    """There is no test whose result could be forged."""
    run = {"run": ["python3", "hello.py"], "contains": "hello, world", "products": ["hello.py"]}
    assert kinds({"command": run}, prompt="Print hello, world by hello.py.", run_commands=True) == []


def test_runs_no_command_unless_asked():
    """The suite may be somebody else's. What it runs can write in its own folder alone."""
    marker = Path("ran").absolute()
    expect = [{"command": {"run": ["sh", "-c", f"touch here; touch {marker}; test -e here"]}}]
    found = audit({"expect": expect})
    assert (found.commands, found.not_tried, marker.exists()) == (1, 1, False)
    assert [problem.kind for problem in audit({"expect": expect}, run_commands=True).problems] == [
        "passes-nothing-done"
    ]
    assert marker.exists() is (way() == "none")


def test_a_trigger_is_not_tried():
    """Where a skill must not be used, doing nothing is right."""
    found = audit({"expect": [{"skill": {"unused": "helper"}}]})
    assert (found.problems, found.not_tried) == ((), 1)
    assert kinds({"skill": {"unused": "helper"}}, answer(lacks="sorry")) == ["passes-nothing-done"]


# --- expectations that cannot fail --------------------------------------------------------------------

SOUND = answer(contains="MCMXCIV")


@pytest.mark.parametrize(
    ("expectation", "fails"),
    [
        (answer(contains=""), False),
        (answer(contains=["", "ox"]), True),
        (answer(number=450, tolerance=4500), False),
        (answer(number=450, tolerance=4499), True),
        (answer(number=10, tolerance=100), False),
        (answer(number=9, tolerance=99), True),
        (answer(number=0, tolerance=1_000_000), False),
        (answer(number=0, tolerance=999_999), True),
        ({"limit": {"seconds": 600}}, False),  # at which a run is stopped unless the suite says otherwise
        ({"limit": {"seconds": 599}}, True),
        ({"calls": {"not_made": []}}, False),
        ({"command": {"run": ["true"]}}, False),
        ({"command": {"run": ["true"], "exit_code": 1}}, True),
        ({"command": {"run": "make check || true", "shell": True}}, False),
        ({"command": {"run": "make check && true", "shell": True}}, True),
    ],
)
def test_an_expectation_that_cannot_fail(expectation, fails):
    """Beside one that can, so that nobody passes the case without the work."""
    assert kinds(SOUND, expectation) == ([] if fails else ["cannot-fail"])


def test_a_run_that_is_not_stopped_may_exceed_any_limit():
    """Of recorded outputs, and without a limit."""
    for variant in ({"recorded": "{case}.md"}, {"command": ["echo"], "limits": {"seconds": None}}):
        assert kinds(SOUND, {"limit": {"seconds": 9999}}, variants={"v": variant}) == []


@pytest.mark.parametrize(
    ("prompt", "rules", "expected"),
    [
        ("Is 91 prime? Answer yes or no.", {"one_of": ["yes", "no"]}, ["cannot-fail"]),
        ("Is 91 prime?", {"one_of": ["yes", "no"]}, ["cannot-fail"]),
        ("Is 91 prime? Answer yes or no.", {"matches": "(?i)^(yes|no)$"}, ["cannot-fail"]),
        ("Is 91 prime? Answer yes or no.", {"one_of": ["no", "nope"]}, []),
        ("Which? Answer A, B or C.", {"one_of": ["A", "B", "C"]}, ["cannot-fail"]),
        ("Which? Answer A, B or C.", {"one_of": ["A", "B"]}, []),
    ],
)
def test_accepting_every_offered_answer_cannot_fail(prompt, rules, expected):
    """All of those the prompt offers, or both of a pair."""
    assert kinds(answer(**rules), prompt=prompt) == expected


# --- references, duplicates, copies ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reference", "rules", "contradicted"),
    [
        ("Canberra", {"is": "Sydney"}, True),
        ("It is Canberra, not Sydney.", {"is": "Canberra"}, False),
        ("henry thoreau", {"equals": "Henry Thoreau"}, True),
        ("henry thoreau", {"is": "Henry Thoreau"}, False),
        ("Flour and butter.", {"contains": ["Flour", "salt"]}, True),
        ("36 eggs", {"number": 39}, True),
        ("3 dozen are 36", {"number": 36}, False),  # two numbers: undecided
        ("31.4", {"number": 31, "tolerance": 0.4}, False),
        ("31.4", {"number": 31, "tolerance": 0.3}, True),
        ("36, because 3 * 12 is 36", {"matches": r"^\d+,?$"}, False),
        ("thirty-six", {"matches": r"^\d+$"}, True),
        ("Unfortunately it broke.", {"lacks": "Unfortunately"}, True),
        ("It must not say Unfortunately.", {"lacks": "Unfortunately"}, False),
    ],
)
def test_a_reference_that_does_not_meet_its_expectations(reference, rules, contradicted):
    """It may say more than the answer has to."""
    assert ("contradicted-reference" in kinds(answer(**rules), reference=reference)) is contradicted


@pytest.mark.parametrize(
    ("left", "right", "alike"),
    [
        ({"prompt": "Which gas?"}, {"prompt": "  which\nGAS? "}, True),
        ({"prompt": "Which gas?"}, {"prompt": "Which gas is it?"}, False),
        ({"prompt": "Is it polish?"}, {"prompt": "Is it Polish?", "expect": [answer(contains="people")]}, False),
        (
            {"prompt": "Valid?\n  a:\n    b"},
            {"prompt": "Valid?\n  a:\n  b", "expect": [answer(contains="indent")]},
            False,
        ),
        ({"prompt": "Go on.", "vars": {"a": "1"}}, {"prompt": "Go on.", "vars": {"a": "2"}}, False),
        ({"prompt": "Go on.", "files": "a.txt"}, {"prompt": "Go on.", "files": "b.txt"}, False),
        ({"prompt": "Go on.", "files": "one/a.txt"}, {"prompt": "Go on.", "files": "two/a.txt"}, True),
    ],
)
def test_cases_that_stand_twice(left, right, alike):
    """White space and capitals aside, unless they may be what is asked about."""
    same = {"expect": [answer(contains="MCMXCIV")]}
    files = {"a_txt": "A", "b_txt": "A", "one__a_txt": "A", "two__a_txt": "A"}
    found = audit(same | left, same | right, **files).problems
    assert [(problem.cases, problem.kind) for problem in found] == ([(("c0", "c1"), "duplicate")] if alike else [])


@pytest.mark.parametrize(
    ("page", "case", "copied"),
    [
        ("Q: *Which is the longest river there?* A: x", {"prompt": "which is the longest river there"}, True),
        ("Q: Which is the longest river?", {"prompt": "Which is the longest river?"}, False),  # five words
        ("Q: Which is the longest river there, then?", {"prompt": "Which is the shortest river there, then?"}, False),
        ('{"q": "Which is\\nthe longest river there?"}', {"prompt": "Which is the longest river there?"}, True),
        ("a b c d e f g h", {"reference": "A B C D E F G H"}, True),
        ("a b c d e f g", {"reference": "A B C D E F G"}, False),
    ],
)
def test_cases_that_are_in_the_skill(page, case, copied):
    """Word for word, but not by chance."""
    found = skilled({"expect": [answer(contains="MCMXCIV")], **case}, helper__SKILL_md="# Help\n", helper__e_md=page)
    assert ("copied-from-skill" in [problem.kind for problem in found.problems]) is copied


def test_what_users_ask_in_a_description_is_not_an_example():
    """It says when the skill is used."""
    ask = "please write me a design document"
    page = f"---\nname: helper\ndescription: Use for '{ask}'.\n---\n# Help\n"
    assert skilled({"prompt": ask, "expect": [answer(contains="MCMXCIV")]}, helper__SKILL_md=page).problems == ()


@pytest.mark.parametrize(("place", "copied"), [("examples__in_csv", True), ("assets__in_csv", False)])
def test_an_input_file_of_the_skill(place, copied):
    """An example gives its answer away; what the skill works with may be given."""
    text = "name,balance\nLarkspur,-44\n"
    case = {"files": "accounts.csv", "expect": [answer(**{"is": "Larkspur"})]}
    found = skilled(case, accounts_csv=text, helper__SKILL_md="# Help\n", **{f"helper__{place}": text})
    assert [problem.kind for problem in found.problems] == (["copied-from-skill"] if copied else [])


# --- the command ----------------------------------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(command_line, ["run", "audit", *arguments], standalone_mode=False)


def test_the_answer_comes_first_and_decides_the_exit_code():
    """1 with problems, 0 without."""
    audit(
        {"expect": [answer(lacks="sorry")]},
        {"prompt": "Else.", "expect": [SOUND]},
        {"prompt": "O.", "expect": ["Good."]},
    )
    done = run("suite.json")
    assert done.return_value == 1
    first, problem, *rest = [" ".join(part.split()) for part in done.output.replace("\n  ", " ").splitlines() if part]
    assert first == "1 of 2 cases can be passed without doing the work."
    assert problem.endswith(
        'c0: passes-nothing-done (suite.json:1) An agent passes that changes nothing and says "Done"; so does one that '
        "prints nothing, repeats the task or only praises itself. Expect something that is there only when the work "
        "was done."
    )
    assert rest == [
        "Left out: 1 expectation in words, which only a judge decides.",
        "Not tried, because nothing else decides them: 1 of 3 cases.",
    ]
    audit({"expect": [SOUND]})
    done = run("suite.json")
    assert done.return_value == 0
    assert " ".join(done.output.split()) == (
        "The one case that was tried cannot be passed without doing the work, and no other problem was found."
    )


def test_the_suite_that_suite_new_writes_is_clean():
    """What people start from sets the example."""
    from evenhand.suites.new_suite import new_suite

    new_suite(Path("evals"), "evals")
    assert audit_suite(evenhand.read_suite("evals")).problems == ()


def test_formats_for_programs_and_for_comments():
    """JSON follows its schema; Markdown is a list."""
    jsonschema = pytest.importorskip("jsonschema")
    audit(
        {"expect": [answer(lacks="sorry")]},
        {"prompt": "Else.", "expect": [answer(contains="a|b"), answer(contains="")]},
    )
    document = json.loads(run("suite.json", "--format", "json").output)
    schemas = Path(evenhand.__file__).parent / "schemas"
    jsonschema.validate(document, json.loads((schemas / "suite-audit.v1.schema.json").read_text(encoding="utf-8")))
    assert [problem["kind"] for problem in document["problems"]] == ["passes-nothing-done", "cannot-fail"]
    assert document["passed"] == ["c0"]
    markdown = run("suite.json", "--format", "markdown").output
    assert markdown.startswith("# 1 of 2 cases can be passed without doing the work, and 1 other has a problem")
