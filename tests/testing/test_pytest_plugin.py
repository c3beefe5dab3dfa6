"""The pytest plug-in, in a pytest of its own: what it asserts, what it shows, what it asks, what it costs others.

The plug-in is loaded with -p, as the environment of these tests may not have pytest-evenhand installed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from textwrap import dedent
from xml.etree import ElementTree

import pytest
import warm_command
from conftest import ROOT, judged, seven
from example_judges import answer
from fake_server import FakeServer

import evenhand
import flat_calls
from evenhand.documents.scorecard import scorecard_json
from evenhand.errors import InputError
from evenhand.testing.fixture import assert_requirements
from test_criteria_judging import server_that, verdict

GOOD = '"Cats sleep 12 to 16 hours a day.", task="How long do cats sleep?"'
MEASURED = "from evenhand.findings import judge\njudge.pointed = lambda: frozenset(['data-does-not-parse'])\n"
"""Has a check's findings count as faults."""
WRONG = r'"```json\n[44 - 41]\n```"'


class Suite:
    """A test suite in a folder, and how to run it."""

    def __init__(self, folder: Path, warm: list[str]) -> None:
        self.folder = folder
        self._warm = warm
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        self.environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"

    def run(self, text: str, *arguments: str, warm: bool = True) -> subprocess.CompletedProcess[str]:
        """Run the tests in `text` with the plug-in, in a process that has what it imports unless `warm` is false."""
        (self.folder / "test_it.py").write_text(f"import pytest\n{text}", encoding="utf-8")
        command = self._warm if warm else [sys.executable, "-m", "pytest"]
        return subprocess.run(
            [*command, "-p", "no:cacheprovider", "-p", "evenhand_pytest", *arguments],
            cwd=self.folder,
            env={**self.environment, "COLUMNS": "100", warm_command.MODULE: "pytest"},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def suite(tmp_path: Path, warm_evenhand: list[str]) -> Suite:
    (tmp_path / ".git").mkdir()  # a project of its own
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return Suite(tmp_path, warm_evenhand)


@pytest.mark.slow
def test_a_fault_fails_the_test_with_the_scorecard_and_the_quote(suite: Suite):
    """The message says what is wrong, and shows the quote and its line."""
    done = suite.run(f"{MEASURED}def test_sum(evenhand):\n    evenhand.judge({WRONG}, no_fault='major')\n")
    assert done.returncode == 1
    assert "AssertionError: major: This JSON does not parse: expecting ',' delimiter on line 2." in done.stdout
    assert "line 2 “[44 - 41]”" in done.stdout
    assert "evenhand/testing" not in done.stdout, "only the test's own line is in the traceback"


@pytest.mark.slow
def test_the_marker_gives_the_requirements_and_the_call_overrides_them(suite: Suite):
    """The nearest marker counts, then the call."""
    done = suite.run(
        f"""
{MEASURED}
pytestmark = pytest.mark.evenhand(no_fault="minor")
def test_module(evenhand):
    evenhand.judge({WRONG})
@pytest.mark.evenhand(no_fault="critical")
def test_nearer(evenhand):
    evenhand.judge({WRONG})
def test_call(evenhand):
    evenhand.judge({WRONG}, no_fault=None)
""",
        "-rA",
    )
    assert "1 failed, 2 passed" in done.stdout
    assert "FAILED test_it.py::test_module" in done.stdout


@pytest.mark.slow
def test_the_summary_appears_only_if_something_was_judged(suite: Suite):
    """A test suite that judges nothing looks as it did before."""
    assert "evenhand" not in suite.run("def test_nothing(): pass\n").stdout
    done = suite.run(f"def test_one(evenhand):\n    evenhand.judge({GOOD})\n    evenhand.judge({WRONG})\n")
    assert done.returncode == 0
    assert "at best A+, no one has read this output  default, checks  test_it.py::test_one" in done.stdout
    assert "2 judged" in done.stdout


@pytest.mark.slow
def test_nothing_of_evenhand_is_loaded_until_a_test_uses_it(suite: Suite):
    """Only the plug-in itself, not even the package."""
    done = suite.run(
        "import sys\ndef test_it():\n"
        "    assert {n for n in sys.modules if n.startswith('evenhand')} == {'evenhand_pytest'}\n"
        "    assert not {'asyncio', 'aiohttp', 'rich', 'click', 'yaml'} & set(sys.modules)\n",
        warm=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_it_works_in_several_processes_and_sets_junit_properties(suite: Suite):
    """Workers judge, the controller sums up and writes the properties."""
    tests = f"""
{MEASURED}
@pytest.mark.parametrize("n", range(4))
def test_many(evenhand, n):
    evenhand.judge({GOOD})
    evenhand.judge({WRONG})
"""
    done = suite.run(tests, "-p", "xdist", "-n", "2", "--junitxml", "out.xml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8 judged" in done.stdout
    cases = ElementTree.parse(suite.folder / "out.xml").findall(".//testcase")
    for case in cases:
        properties = {p.get("name"): p.get("value") for p in case.findall("properties/property")}
        assert properties["evenhand.rubric"] == "default"
        assert (properties["evenhand.faults"], properties["evenhand.2.faults"]) == ("0", "1")
        assert properties["evenhand.2.id"] == f"test_it.py::{case.get('name')}#2"


JUDGED = """
from pathlib import Path
EXAMPLES = Path({examples!r})
def test_answer(evenhand):
    card = evenhand.judge(EXAMPLES / "answer.md", task=(EXAMPLES / "task.md").read_text(), rubric="devops",
        judges={judges!r}, options={{"base_url": {url!r}}}, min_score={least!r})
    print(card.final)
"""


def judging_test(url: str, *judges: str, least: str = "1") -> str:
    return JUDGED.format(examples=str(ROOT / "examples"), judges=judges, url=url, least=least)


@pytest.mark.slow
def test_recorded_replies_answer_and_no_model_is_asked(suite: Suite, fake_server: FakeServer):
    """A panel is recorded judge by judge, replayed without a request, and gives the same score."""
    fake_server.answer = answer
    suite.environment["OPENAI_API_KEY"] = "none"
    text = judging_test(fake_server.url, "openai:first", "openai:second")
    recorded = suite.run(text, "--evenhand-live", "--evenhand-record", "-s")
    assert recorded.returncode == 0, recorded.stdout
    asked = fake_server.count
    assert asked > 0
    folder = suite.folder / "evenhand-replies" / "test_it" / "test_answer"
    assert sorted(path.name for path in folder.iterdir()) == ["openai+first.jsonl", "openai+second.jsonl"]
    assert not folder.with_name("test_answer.new").exists()
    del suite.environment["OPENAI_API_KEY"]
    replayed = suite.run(text, "-s")
    assert replayed.returncode == 0, replayed.stdout
    assert fake_server.count == asked, "a recording answers without a request"
    finals = [next(line for line in done.stdout.splitlines() if line[:1].isdigit()) for done in (recorded, replayed)]
    assert finals[0] == finals[1]


@pytest.mark.slow
def test_the_project_s_options_are_used_unless_the_test_has_its_own(suite: Suite, fake_server: FakeServer):
    """Here a limit of one call, which a judgement does not fit into; checks take no such option, and run without it."""
    fake_server.answer = answer
    suite.environment["OPENAI_API_KEY"] = "none"
    (suite.folder / "evenhand.toml").write_text("[judge]\nmax_calls = 1\n", encoding="utf-8")
    text = judging_test(fake_server.url, "openai:first")
    stopped = suite.run(text, "--evenhand-live")
    assert stopped.returncode == 1 and "is reached" in stopped.stdout
    assert suite.run(text.replace('"base_url"', '"max_calls": 99, "base_url"'), "--evenhand-live").returncode == 0
    assert suite.run("def test_sum(evenhand):\n    evenhand.judge('2 + 2 = 4')\n").returncode == 0


@pytest.mark.slow
def test_without_a_recording_the_test_fails_and_says_how_to_make_one(suite: Suite, fake_server: FakeServer):
    """No model is asked unless --evenhand-live says so."""
    fake_server.answer = answer
    done = suite.run(judging_test(fake_server.url, "openai:first"))
    assert done.returncode == 1
    assert "no recorded replies of openai:first in evenhand-replies/test_it/test_answer" in done.stdout
    assert "pytest --evenhand-live --evenhand-record" in done.stdout
    assert fake_server.count == 0


@pytest.mark.slow
def test_a_question_that_was_not_recorded_is_not_a_bad_score(suite: Suite, fake_server: FakeServer):
    """After a change of the task the recording does not answer, and the message says so."""
    fake_server.answer = answer
    suite.environment["OPENAI_API_KEY"] = "none"
    text = judging_test(fake_server.url, "openai:first")
    assert suite.run(text, "--evenhand-live", "--evenhand-record").returncode == 0
    changed = suite.run(text.replace('(EXAMPLES / "task.md").read_text()', '"Another task"'))
    assert "some questions have no recorded reply; record them with" in changed.stdout


@pytest.mark.slow
def test_a_failed_recording_leaves_the_old_one(suite: Suite, fake_server: FakeServer):
    """A judge that cannot be reached costs nothing that was recorded before."""
    fake_server.answer = answer
    suite.environment["OPENAI_API_KEY"] = "none"
    text = judging_test(fake_server.url, "openai:first")
    assert suite.run(text, "--evenhand-live", "--evenhand-record").returncode == 0
    (recording,) = (suite.folder / "evenhand-replies").rglob("*.jsonl")
    before = recording.read_bytes()
    unreachable = suite.run(
        text.replace(fake_server.url, "http://127.0.0.1:9/v1"), "--evenhand-live", "--evenhand-record"
    )
    assert unreachable.returncode == 1
    assert recording.read_bytes() == before


@pytest.mark.slow
def test_a_score_below_the_minimum_shows_the_judges_words(suite: Suite, fake_server: FakeServer):
    """Reasons and quotes are in the message."""
    fake_server.answer = answer
    suite.environment["OPENAI_API_KEY"] = "none"
    done = suite.run(judging_test(fake_server.url, "openai:first", least="10"), "--evenhand-live")
    assert done.returncode == 1
    assert "is below 10.00" in done.stdout
    assert "“" in done.stdout and "correctness" in done.stdout
    assert not (suite.folder / "evenhand-replies").exists(), "only --evenhand-record writes"


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("def test_it(): pass\n", ["--evenhand-record"], "--evenhand-record asks models, so it needs --evenhand-live"),
        ("@pytest.mark.evenhand(min_grade='B')\ndef test_it(): pass\n", [], "does not use the fixture evenhand"),
        ("@pytest.mark.evenhand(min_grade='B')\ndef test_it(evenhand): pass\n", [], "but the test judged nothing"),
        ("@pytest.mark.evenhand(min_grad='B')\ndef test_it(evenhand): pass\n", [], "did you mean min_grade?"),
        ("def test_it(evenhand):\n    evenhand.judge('x', no_fault='mayor')\n", [], "valid: True, minor, major"),
        ("def test_it(evenhand):\n    evenhand.judge('x', judges='auto')\n", ["--evenhand-live"], "auto"),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_mistakes_are_refused_with_what_is_valid(suite: Suite, text: str, arguments: list[str], message: str):
    """A requirement that could never fail does not pass."""
    suite.environment["PATH"] = ""
    done = suite.run(text, *arguments)
    assert done.returncode != 0
    assert message in done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [[], ["-p", "xdist.plugin", "-n", "1"]], ids=["one process", "a worker"])
def test_a_marked_test_without_the_fixture_fails_alone(suite: Suite, arguments: list[str]):
    """It fails with the reason, its body does not run, and the other tests pass."""
    text = """
    def test_before(): pass

    @pytest.mark.evenhand(min_grade='B')
    def test_marked(): raise SystemExit("its body ran")

    @pytest.mark.evenhand(no_fault='critical')
    class TestMarked:
        def test_inside(self): raise SystemExit("its body ran")
        def test_judging(self, evenhand): evenhand.judge('Cats sleep.')

    @pytest.mark.evenhand(min_grade='B')
    @pytest.mark.skip
    def test_skipped(): pass

    def test_after(): pass
    """
    done = suite.run(dedent(text), *arguments)
    assert done.returncode == 1
    assert "2 failed, 3 passed, 1 skipped" in done.stdout
    assert done.stdout.count("the test is marked evenhand but does not use the fixture evenhand") >= 2
    assert "its body ran" not in done.stdout


def test_auto_is_not_recorded_or_replayed():
    """It may choose another judge next time."""
    with pytest.raises(InputError, match="name the judge that was recorded"):
        evenhand.judge("Cats sleep.", judges="auto", options=evenhand.ModelOptions(replay="anywhere"))


# --- requirements on a scorecard ----------------------------------------------------------------------------------


def shortcomings(card: evenhand.Scorecard, **required: object) -> str:
    try:
        assert_requirements(card, required)
    except AssertionError as error:
        return str(error)
    return ""


def test_limits_are_met_exactly():
    """Seven sevens give 7.00, B-: reached, and a hundredth more is not."""
    card = judged(seven(7))
    assert shortcomings(card, min_score="7.00", min_grade="B-") == ""
    assert shortcomings(card, min_score="7.01").startswith("7.00 is below 7.01")
    assert shortcomings(card, min_grade="B").startswith("B- is below B")


def test_red_flags_by_name_or_all_of_them():
    """An id forbids one flag, True all of them."""
    card = judged(seven(7), flags=1)
    assert "red flag f0 was raised" in shortcomings(card, no_red_flag=True)
    assert "red flag f0 was raised" in shortcomings(card, no_red_flag="f0")
    assert shortcomings(card, no_red_flag=["f1"]) == ""
    unread = evenhand.check("Cats sleep 12 to 16 hours a day.")
    assert "only a reader can tell" in shortcomings(unread, no_red_flag=True)


def test_a_misspelt_red_flag_is_refused():
    """It could never be raised."""
    card = evenhand.score({"scores": seven(7)}, rubric="code-review")
    with pytest.raises(InputError, match="did you mean false-run-claim"):
        assert_requirements(card, {"no_red_flag": "false-run-clam"})


def test_faults_need_checks():
    """What no check looked at is not free of faults."""
    assert 'no checks ran on it, so its faults are unknown; add the judge "checks"' in shortcomings(
        judged(seven(9)), no_fault=True
    )


def test_an_expectation_must_be_met_and_decided():
    """Unmet and undecided both fail; one without expectations fails too."""
    met = [{"answer": {"contains": "12"}}]
    unmet = [{"answer": {"contains": "14"}}]
    undecided = [{"command": {"run": ["true"]}}]
    for expect, start in ((met, ""), (unmet, "unmet: "), (undecided, "undecided: ")):
        card = evenhand.check("Cats sleep 12 hours a day.", expect=expect)
        assert shortcomings(card, expect=expect).startswith(start)
        assert bool(shortcomings(card, expect=expect)) == bool(start)
    assert shortcomings(judged(seven(9)), expect=met).startswith("no expectation was looked at")


def test_a_baseline_decides_by_the_rules_of_a_ranking(tmp_path: Path):
    """Equal is not worse and not better; at the same final score the first dimension decides."""
    baseline = tmp_path / "baseline.jsonl"
    same, other = judged(seven(7), id="same"), judged(seven(8), id="other")
    baseline.write_text("".join(f"{scorecard_json(card)}\n" for card in (same, other)), encoding="utf-8")
    card = judged(seven(7), id="same")
    assert shortcomings(card, not_worse_than=baseline) == ""
    assert shortcomings(card, better_than=baseline).startswith("not better than the baseline: equal in everything")
    assert shortcomings(judged(seven("7.1"), id="same"), better_than=baseline) == ""
    worse = shortcomings(judged(seven("7.9"), id="other"), not_worse_than=baseline)
    assert worse.startswith("worse than the baseline: decided by final (7.90 against 8.00)")
    with pytest.raises(InputError, match='holds 2 scorecards, and none has the id "new"'):
        assert_requirements(judged(seven(7), id="new"), {"not_worse_than": baseline})


def test_unread_work_is_not_compared_with_a_baseline(tmp_path: Path):
    """No one has read it, so nobody can prefer it."""
    baseline = tmp_path / "baseline.json"
    baseline.write_text(scorecard_json(judged(seven(7))), encoding="utf-8")
    unread = evenhand.check("Cats sleep 12 to 16 hours a day.")
    assert "this output cannot be compared" in shortcomings(unread, not_worse_than=baseline)


# --- packaging ----------------------------------------------------------------------------------------------------


def test_the_distribution_with_the_entry_point_follows_evenhand():
    """Same version, one entry point, no code of its own."""
    project = tomllib.loads((ROOT / "packages" / "pytest-evenhand" / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == evenhand.__version__
    assert project["project"]["dependencies"][0] == f"evenhand=={evenhand.__version__}"
    assert project["project"]["entry-points"]["pytest11"] == {"evenhand": "evenhand_pytest"}
    main = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "pytest11" not in main["project"].get("entry-points", {}), "pytest would read all of evenhand's file list"


@pytest.mark.slow
def test_a_folder_of_recordings_keeps_judges_apart(tmp_path: Path, fake_server: FakeServer, monkeypatch):
    """Two judges are asked the same questions; each file has one judge's replies."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    fake_server.answer = answer
    output, task = (Path(ROOT, "examples", name).read_text(encoding="utf-8") for name in ("answer.md", "task.md"))
    options = {
        "task": task,
        "rubric": "devops",
        "judges": ["openai:first", "openai:third"],
        "base_url": fake_server.url,
    }
    card = flat_calls.judge(output, **options, record=tmp_path)
    models = {
        path.name: {json.loads(line)["reply"]["model"] for line in path.read_text(encoding="utf-8").splitlines()}
        for path in tmp_path.iterdir()
    }
    others = {"first", "third"}
    assert {name: found & others for name, found in models.items()} == {
        "openai+first.jsonl": {"first"},
        "openai+third.jsonl": {"third"},
    }
    again = flat_calls.judge(output, **options, replay=tmp_path)
    assert (again.final, again.grade) == (card.final, card.grade)


@pytest.mark.slow
def test_a_sentence_takes_one_line_and_no_rubric(suite: Suite, fake_server: FakeServer):
    """Asked live and recorded, then replayed without a server; a no fails the test with its reason."""
    work = "Cats sleep 12 to 16 hours a day, most of it at dusk."
    line = (
        f'def test_cats(evenhand): evenhand.judge("{work}", expect=["gives hours"], judges="openai:one", '
        f'options={{"base_url": "{fake_server.url}"}})\n'
    )
    suite.environment["OPENAI_API_KEY"] = "none"
    fake_server.answer = server_that(lambda *_: verdict("yes", work))
    live = suite.run(line, "--evenhand-live", "--evenhand-record")
    assert live.returncode == 0, live.stdout
    assert fake_server.count == 1
    assert suite.run(line).returncode == 0
    assert fake_server.count == 1
    fake_server.answer = server_that(lambda *_: verdict("no", absent=True))
    denied = suite.run(line, "--evenhand-live")
    assert denied.returncode == 1
    assert "unmet: gives hours: It says no." in denied.stdout
    missing = suite.run(line.replace("gives hours", "gives minutes"))
    assert missing.returncode == 1
    assert "some questions have no recorded reply; record them with" in missing.stdout
