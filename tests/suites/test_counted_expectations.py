"""One denominator: both sides of a comparison are measured by the same expectations."""

from __future__ import annotations

import json
import sys

import pytest
from conftest import judged, seven

from evenhand.cli.main import run as command_line
from evenhand.core.finding import AMBIGUOUS, NO_TRANSCRIPT, Checked, Expected
from evenhand.decisions.suite import Case, Command, Function, Model, Recorded, Variant
from evenhand.suites.judgement.counted_expectations import card_verdicts, failed_verdicts, with_verdicts
from evenhand.work.agent_run import CaseResult, RunId

EXPECT = "[{answer: {contains: hello}}, {file: {path: out.txt, contains: hi}}]"
CASES = "".join(f"  - {{id: c{number}, prompt: P, expect: {EXPECT}}}\n" for number in range(8))


def decision(tmp_path, monkeypatch, capfd, variants: str) -> dict:
    """What a suite of eight cases decides, each with a text and a file that is expected."""
    (tmp_path / "suite.yaml").write_text(f"suite: s\ncases:\n{CASES}variants:\n{variants}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["evenhand", "run", "suite.yaml", "--format", "json", "--store", "none"])
    command_line()
    return json.loads(capfd.readouterr().out)


@pytest.mark.slow
def test_the_same_texts_recorded_and_from_a_function_do_not_differ(tmp_path, monkeypatch, capfd):
    """A recorded text has no workspace: the file counts on neither side. It was -50 % in every case."""
    (tmp_path / "texts").mkdir()
    for number in range(8):
        (tmp_path / "texts" / f"c{number}.md").write_text("hello\n")
    (tmp_path / "agent.py").write_text("def answer(prompt, case):\n    return 'hello'\n")
    variants = '  recorded: {recorded: "texts/{case}.md"}\n  function: {function: "agent.py:answer"}\n'
    (contrast,) = decision(tmp_path, monkeypatch, capfd, variants)["contrasts"]
    assert contrast["mean"] == 0
    assert contrast["expectations"] == 16 and [entry["expectations"] for entry in contrast["left_out"]] == [8]
    assert contrast["verdict"] not in ("better", "worse", "no difference shown")  # half of them: fewer than two thirds


@pytest.mark.slow
@pytest.mark.parametrize("trick", ["ln -s /etc/passwd out.txt", "truncate -s 60M out.txt", "truncate -s 60M other"])
def test_what_a_run_makes_undecidable_it_has_not_met(trick, tmp_path, monkeypatch, capfd):
    """1 of 2, as without the trick; it was 1 of 1."""
    variants = f"  plain: {{command: [sh, -c, 'echo hello']}}\n  tricks: {{command: [sh, -c, 'echo hello; {trick}']}}\n"
    document = decision(tmp_path, monkeypatch, capfd, variants)
    assert [(facts["met"], facts["expectations"]) for facts in document["variants"]] == [(8, 16), (8, 16)]
    assert document["contrasts"][0]["mean"] == 0


def run(case: int, variant: str, *verdicts: str, repeat: int = 1, **more) -> CaseResult:
    counts = {"met": verdicts.count("met"), "expectations": verdicts.count("met") + verdicts.count("unmet")}
    fields = {"outcome": "finished", "verdicts": verdicts, **counts, **more}
    return CaseResult(RunId(f"c{case}", variant, repeat), **fields)


# --- what of a judged run counts


def expected(result: str, message: str = "") -> Expected:
    return Expected("A line", result, "correctness", "major", message)


def verdicts(does: object, *expectations: Expected, has_transcript: bool = False) -> tuple[str, ...]:
    card = judged(seven(8))._replace(checked=Checked("0" * 64, expectations=expectations))
    return card_verdicts(card, Variant("v", does), has_transcript=has_transcript)


def test_what_is_decided_counts_as_it_is_and_the_rest_gives_its_reason():
    """In the order of the expectations; a card without checks has none."""
    mixed = [expected("unmet"), expected("undecided", "no judge"), expected("met", NO_TRANSCRIPT)]
    assert verdicts(Command(("x",)), *mixed) == ("unmet", "no judge", "met")
    assert card_verdicts(judged(seven(8)), Variant("v", Command(("x",))), has_transcript=True) == ()


def test_numbers_that_a_run_does_not_label_are_its_own_doing():
    """Of any variant, with or without a transcript; the reason must end so, not only hold the words."""
    ambiguous, within = f"3 numbers {AMBIGUOUS}", f"{AMBIGUOUS}, it seems"
    for does in (Command(("x",)), Function("m:f"), Recorded("/x")):
        for has_transcript in (True, False):
            both = [expected("undecided", ambiguous), expected("undecided", within)]
            assert verdicts(does, *both, has_transcript=has_transcript) == ("unmet", within)


@pytest.mark.parametrize(
    ("does", "has_transcript", "counts"),
    [
        (Command(("x",), transcript="log.jsonl"), False, True),
        (Command(("x",), transcript="log.jsonl"), True, False),
        (Command(("x",), transcript="auto"), False, False),
        (Command(("x",), transcript=None), False, False),
        (Function("m:f"), False, False),
        (Recorded("/x/{case}"), False, False),
    ],
    ids=["named and missing", "named and there", "looked for", "none", "a function", "recorded"],
)
def test_a_command_that_names_its_transcript_and_writes_none_has_not_met_what_needs_it(does, has_transcript, counts):
    """Where none was promised, there is only nothing to look at."""
    missing = f"{NO_TRANSCRIPT}, so the calls are unknown"
    made = verdicts(does, expected("undecided", missing), has_transcript=has_transcript)
    assert made == (("unmet",) if counts else (missing,))


# --- what of a run that did not finish counts

TEXT = {"text": "It is polite."}
CALLS = {"calls": {"made": "search"}}
SKILL = {"skill": {"used": "search"}}
FILE = {"file": {"path": "out.txt", "exists": True}}
SCRIPT = {"command": {"run": ["true"]}}
ANSWER = {"answer": {"contains": "hello"}}
NO_CALLS_OF = f"{NO_TRANSCRIPT} of a "
NO_FILES_OF = "a model has no workspace"


@pytest.mark.parametrize(
    ("does", "calls", "files"),
    [
        (Command(("x",)), "unmet", "unmet"),
        (Function("m:f"), f"{NO_CALLS_OF}function", "unmet"),
        (Model("openai:m"), f"{NO_CALLS_OF}model", NO_FILES_OF),
    ],
    ids=["a command", "a function", "a model"],
)
def test_a_run_that_did_not_finish_has_not_met_what_its_variant_could_meet(does, calls, files):
    """Tool calls need an agent, files a workspace; an answer can come from all three."""
    case = Case("c", "p", expect=[CALLS, SKILL, FILE, SCRIPT, ANSWER])
    made = failed_verdicts(case, Variant("v", does), has_judge=True)
    assert made == (calls, calls, files, files, "unmet")
    assert failed_verdicts(Case("c", "p"), Variant("v", does), has_judge=True) == ()


def test_a_sentence_counts_where_a_judge_could_have_decided_it():
    case = Case("c", "p", expect=[TEXT, ANSWER])
    variant = Variant("v", Command(("x",)))
    assert failed_verdicts(case, variant, has_judge=True) == ("unmet", "unmet")
    without = "only a model judge can decide it, and the suite names none"
    assert failed_verdicts(case, variant, has_judge=False) == (without, "unmet")


def test_a_share_does_not_count_where_one_of_its_expectations_could_not_be_met():
    """Of an answer and a file, a model could meet the first alone; a command both."""
    case = Case("c", "p", expect=[{"share": {"of": [ANSWER, FILE], "at_least": 0.5}}])
    assert failed_verdicts(case, Variant("v", Model("openai:m")), has_judge=True) == (NO_FILES_OF,)
    assert failed_verdicts(case, Variant("v", Command(("x",))), has_judge=True) == ("unmet",)


def test_verdicts_are_counted_without_those_that_give_a_reason():
    """1 met + 2 unmet are 3 expectations, of four."""
    counted = with_verdicts(run(1, "v"), ("met", "a reason", "unmet", "unmet"))
    assert (counted.met, counted.expectations) == (1, 3)
    assert counted.verdicts == ("met", "a reason", "unmet", "unmet")
