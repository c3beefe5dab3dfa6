"""What GitHub shows of a gate: annotations, summary, outputs, one comment; SARIF and CTRF; the action itself."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from conftest import ROOT, judged, seven
from fake_server import Asked, FakeServer, Fault, Step

import evenhand
import flat_calls
from evenhand.cli.commands.compare.github import environment_arguments
from evenhand.cli.locations import located_remarks
from evenhand.decisions.gate import Gate, Ruling, judge_card
from evenhand.documents.scorecard import scorecard_json
from evenhand.reports.exchange.github import GateRow, annotation, annotation_lines, gate_markdown
from evenhand.reports.exchange.sarif import MOST, sarif_document

WRONG = "Fine so far.\n```json\n[44 - 41]\n```\n"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))

TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
SARIF: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "maxItems": 20,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["tool"],
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "invocations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["executionSuccessful"],
                            "properties": {
                                "executionSuccessful": {"type": "boolean"},
                                "toolExecutionNotifications": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "required": ["message"],
                                        "properties": {"message": TEXT},
                                    },
                                },
                            },
                        },
                    },
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "additionalProperties": False,
                                "required": ["name"],
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {"type": "object", "required": ["id"]},
                                    },
                                },
                            }
                        },
                    },
                    "results": {
                        "type": "array",
                        "maxItems": 25_000,
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["message", "locations", "partialFingerprints"],
                            "properties": {
                                "ruleId": {"type": "string"},
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": TEXT,
                                "partialFingerprints": {
                                    "type": "object",
                                    "additionalProperties": {"type": "string"},
                                    "minProperties": 1,
                                },
                                "locations": {
                                    "type": "array",
                                    "minItems": 1,
                                    "items": {
                                        "type": "object",
                                        "required": ["physicalLocation"],
                                        "properties": {
                                            "physicalLocation": {
                                                "type": "object",
                                                "additionalProperties": False,
                                                "required": ["artifactLocation", "region"],
                                                "properties": {
                                                    "artifactLocation": {
                                                        "type": "object",
                                                        "required": ["uri"],
                                                        "properties": {
                                                            "uri": {"type": "string", "pattern": "^[^/ ][^ ]*$"}
                                                        },
                                                    },
                                                    "region": {
                                                        "type": "object",
                                                        "additionalProperties": False,
                                                        "required": ["startLine"],
                                                        "properties": {
                                                            "startLine": {"type": "integer", "minimum": 1},
                                                            "snippet": TEXT,
                                                        },
                                                    },
                                                },
                                            }
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}
"""The part of SARIF 2.1.0 that is written; nothing else is allowed."""

WHOLE = {"type": "integer", "minimum": 0}
COUNTS = ("tests", "passed", "failed", "pending", "skipped", "other", "start", "stop")
CTRF: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["reportFormat", "specVersion", "results"],
    "properties": {
        "reportFormat": {"const": "CTRF"},
        "specVersion": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
        "results": {
            "type": "object",
            "additionalProperties": False,
            "required": ["tool", "summary", "tests"],
            "properties": {
                "tool": {"type": "object", "required": ["name"]},
                "summary": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": list(COUNTS),
                    "properties": dict.fromkeys(COUNTS, WHOLE),
                },
                "tests": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["name", "status", "duration"],
                        "properties": {
                            "name": {"type": "string"},
                            "status": {"enum": ["passed", "failed", "skipped", "pending", "other"]},
                            "duration": WHOLE,
                            "suite": {"type": "array", "items": {"type": "string"}},
                            "message": {"type": "string"},
                        },
                    },
                },
            },
        },
    },
}
"""The part of CTRF that is written; nothing else is allowed."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an output that has a fault on line 3."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.md").write_text(WRONG, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


pytestmark = pytest.mark.usefixtures("every_check_measured")

EVENHAND = [sys.executable, "-m", "evenhand"]
"""How to start the command; the tests start it the quick way."""


@pytest.fixture(autouse=True)
def _quick_command(warm_evenhand: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "EVENHAND", warm_evenhand)


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "EVENHAND_"))}
    command = [*EVENHAND, *arguments]
    return subprocess.run(command, env={**kept, **environment}, capture_output=True, text=True, check=False)


def scorecards(project: Path) -> str:
    (project / "cards.jsonl").write_text(
        run("judge", "a.md", "--store", "none", "--format", "jsonl").stdout, encoding="utf-8"
    )
    return "cards.jsonl"


# --- annotations ----------------------------------------------------------------------------------------------------


def test_texts_cannot_end_an_annotation_or_start_another():
    """Per cent signs, line ends, colons and commas are escaped as the runner reads them."""
    line = annotation("error", "50 %\r\n::set-env name=A::b", title="a:b,c\n", file="x,y.md", line=3)
    assert line == "::error file=x%2Cy.md,line=3,title=a%3Ab%2Cc%0A::50 %25%0A::set-env name=A::b"
    assert "\n" not in line and "\r" not in line
    assert annotation("notice", "plain") == "::notice::plain"


def test_no_more_annotations_than_github_shows():
    """Ten errors; the rest is counted in a notice."""
    rows = [GateRow(f"case {n}", Ruling(f"case {n}", "red", "B is below A"), None) for n in range(13)]
    lines = annotation_lines(rows, [])
    assert sum(line.startswith("::error") for line in lines) == 10
    assert lines[-1].endswith("::3 more are in the job's summary")


@pytest.mark.slow
def test_a_fault_is_annotated_at_its_file_and_line(project: Path):
    """`judge --format github` prints the command that the runner reads."""
    done = run("judge", "a.md", "--store", "none", "--format", "github")
    assert done.stdout == (
        "::warning file=a.md,line=3,title=evenhand%3A data-does-not-parse::"
        "This JSON does not parse: expecting ',' delimiter on line 3.%0A“[44 - 41]”\n"
    )


# --- places -------------------------------------------------------------------------------------------------------


def test_a_place_that_the_file_does_not_confirm_is_dropped(project: Path):
    """The final answer of a transcript has lines of its own, which are not those of the file."""
    card = flat_calls.judge(evenhand.Submission(output=WRONG, source="a.md"))
    assert [remark.place and remark.place.line for remark in located_remarks([card])] == [3]
    Path("a.md").write_text(f"\n{WRONG}", encoding="utf-8")
    assert [remark.place for remark in located_remarks([card])] == [None]
    Path("a.md").unlink()
    assert [remark.place for remark in located_remarks([card])] == [None]


def test_a_file_outside_the_folder_is_not_a_place_of_the_repository(project: Path):
    """SARIF and annotations name files of the repository only."""
    inside = project / "inside"
    inside.mkdir()
    os.chdir(inside)
    for source in (str(project / "a.md"), "../a.md"):
        card = flat_calls.judge(evenhand.Submission(output=WRONG, source=source))
        assert [remark.place for remark in located_remarks([card])] == [None]


# --- SARIF and CTRF -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["judge", "gate"])
@pytest.mark.slow
def test_sarif_has_findings_with_a_place(project: Path, command: str):
    """File, line, quote, and a fingerprint that stays the same."""
    entries = ["gate", scorecards(project), "--no-fault"] if command == "gate" else ["judge", "a.md"]
    document = json.loads(run(*entries, "--store", "none", "--format", "sarif").stdout)
    jsonschema.validate(document, SARIF, format_checker=jsonschema.FormatChecker())
    (result,) = document["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a.md"
    assert place["region"] == {"startLine": 3, "snippet": {"text": "[44 - 41]"}}
    assert result["partialFingerprints"] == {"evenhandFinding/v1": "data-does-not-parse-258f31c9"}


@pytest.mark.slow
def test_sarif_keeps_the_worst_of_too_many(project: Path):
    """GitHub takes 5,000 results of a run; how many were left out is recorded."""
    card = flat_calls.judge(evenhand.Submission(output=WRONG, source="a b.md"))
    Path("a b.md").write_text(WRONG, encoding="utf-8")
    (remark,) = located_remarks([card])
    many = [remark._replace(id=f"f{n}") for n in range(MOST + 2)] + [remark._replace(id="worst", level="error")]
    document = sarif_document(many)
    jsonschema.validate(document, SARIF)
    results = document["runs"][0]["results"]
    assert len(results) == MOST
    assert results[0]["partialFingerprints"] == {"evenhandFinding/v1": "worst"}
    assert results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b.md"
    assert "3 more" in json.dumps(document["runs"][0]["invocations"])


@pytest.mark.slow
def test_ctrf_counts_what_passed_failed_and_has_no_result(project: Path):
    """Red fails, an unreadable file is neither passed nor failed, and the counts add up."""
    for name, scores in (("good", seven(9)), ("bad", seven(3))):
        Path(f"{name}.json").write_text(scorecard_json(judged(scores, id=name)), encoding="utf-8")
    Path("broken.json").write_text("{", encoding="utf-8")
    done = run("gate", "good.json", "bad.json", "broken.json", "--min-grade", "B", "--format", "ctrf")
    document = json.loads(done.stdout)
    jsonschema.validate(document, CTRF)
    summary = document["results"]["summary"]
    assert [summary[name] for name in COUNTS[:6]] == [3, 1, 1, 0, 0, 1]
    judged_alone = json.loads(run("judge", "a.md", "--store", "none", "--format", "ctrf").stdout)
    jsonschema.validate(judged_alone, CTRF)
    assert judged_alone["results"]["tests"][0]["status"] == "failed"


# --- the summary ----------------------------------------------------------------------------------------------------


def test_the_summary_shows_the_table_and_the_worst_quotes_and_notifies_nobody(project: Path):
    """Red first; @names and markup in judged text stay text."""
    Path("a.md").write_text("```json\n[@all]\n```\n", encoding="utf-8")
    card = flat_calls.judge(evenhand.Submission(output=Path("a.md").read_text(), source="a.md"))
    rows = [
        GateRow("@team|x", Ruling("x", "green", "7.00"), judged(seven(7))),
        GateRow("a.md", Ruling("a.md", "red", "<script> @all"), card),
    ]
    text = gate_markdown(rows, located_remarks([card]), ["broken.json: not JSON"], longest=10_000)
    lines = text.splitlines()
    assert lines[0] == "## evenhand: red"
    assert lines[4] == "| red | a.md | 1.00 to 9.00 |  | \\<script\\> @&#8203;all |"
    assert lines[5] == "| green | @&#8203;team\\|x | 7.00 | B- | 7.00 |"
    assert (
        "- **data-does-not-parse**, a.md:2: This JSON does not parse: expecting value on line 2. “\\[@&#8203;all\\]”"
        in lines
    )
    assert "- broken.json: not JSON" in lines
    assert not re.search("@(?!&#8203;)", text)


def test_a_long_summary_is_cut_at_a_line():
    """Never longer than GitHub takes, counted in bytes."""
    rows = [GateRow("ä" * 300, Ruling("x", "red", "ö" * 300), None) for _ in range(100)]
    text = gate_markdown(rows, [], [], longest=20_000)
    assert len(text.encode()) <= 20_000
    assert text.endswith("|\n\n(cut here: too long for GitHub)\n")


# --- gate --github ----------------------------------------------------------------------------------------------------


def test_inputs_come_from_the_environment_and_are_never_options(project: Path):
    """An empty input is not set; a pattern is expanded; a file cannot pass for an option."""
    Path("-x.jsonl").write_text("", encoding="utf-8")
    Path("b.jsonl").write_text("", encoding="utf-8")
    arguments = environment_arguments(
        {
            "EVENHAND_GATE_MIN_GRADE": " B- ",
            "EVENHAND_GATE_MARGIN": "",
            "EVENHAND_GATE_NO_RED_FLAG": "one\n two\n",
            "EVENHAND_GATE_FILES": "*.jsonl\nmissing*.json",
        }
    )
    assert arguments == [
        "--min-grade=B-", "--no-red-flag=one", "--no-red-flag=two", "./-x.jsonl", "b.jsonl", "missing*.json",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "arguments"),
    [
        ("", []),
        ("false", []),
        ("true", ["--require-calibration="]),
        (" True ", ["--require-calibration="]),
        ("judge.json", ["--require-calibration=judge.json"]),
    ],
)
def test_a_calibration_is_required_by_true_or_by_its_file(value: str, arguments: list[str]):
    """`true` asks for one at judging; anything else is the file that must fit."""
    assert environment_arguments({"EVENHAND_GATE_REQUIRE_CALIBRATION": value}) == arguments


@pytest.mark.slow
def test_gate_on_github_is_red_without_a_calibration(project: Path):
    """The input reaches the gate as an option, and the files after it stay files."""
    scorecards(project)
    environment = github_environment(project, EVENHAND_GATE_NO_FAULT="", EVENHAND_GATE_REQUIRE_CALIBRATION="true")
    done = run("gate", "--github", **environment)
    assert done.returncode == 1, done.stderr
    assert "its judge is not calibrated" in Path("summary.md").read_text(encoding="utf-8")


def github_environment(project: Path, server: FakeServer | None = None, **more: str) -> dict[str, str]:
    event = {"pull_request": {"number": 7}}
    (project / "event.json").write_text(json.dumps(event), encoding="utf-8")
    api = {} if server is None else {"GITHUB_API_URL": server.url, "EVENHAND_GITHUB_TOKEN": "secret-token"}
    return {
        "GITHUB_STEP_SUMMARY": str(project / "summary.md"),
        "GITHUB_OUTPUT": str(project / "output.txt"),
        "GITHUB_EVENT_PATH": str(project / "event.json"),
        "GITHUB_REPOSITORY": "ana/project",
        "EVENHAND_GATE_FILES": "cards.jsonl",
        "EVENHAND_GATE_NO_FAULT": "major",
        **api,
        **more,
    }


@pytest.mark.slow
def test_gate_on_github_writes_summary_outputs_annotations_and_files(project: Path):
    """Everything in one run, and the exit code of the gate."""
    scorecards(project)
    also = "junit=reports/junit.xml\nsarif=reports/findings.sarif"
    done = run("gate", "--github", **github_environment(project, EVENHAND_GATE_ALSO=also))
    assert done.returncode == 1, done.stderr
    assert "::error title=evenhand red%3A a.md::major: This JSON does not parse" in done.stdout
    assert "::warning file=a.md,line=3," in done.stdout
    assert Path("summary.md").read_text(encoding="utf-8").startswith("## evenhand: red")
    assert Path("output.txt").read_text(encoding="utf-8") == "result=red\nred=1\njudged=1\n"
    assert "<failure" in Path("reports/junit.xml").read_text(encoding="utf-8")
    jsonschema.validate(json.loads(Path("reports/findings.sarif").read_text(encoding="utf-8")), SARIF)


def test_judged_text_gives_the_runner_no_commands(project: Path):
    """Commands are stopped while results are printed for people, with a token nobody could know."""
    Path("::warning::x.json").write_text(scorecard_json(judged(seven(3), id="::error::id")), encoding="utf-8")
    environment = {"EVENHAND_GATE_FILES": "::warning::x.json", "EVENHAND_GATE_MIN_GRADE": "B"}
    lines = run("gate", "--github", **environment).stdout.splitlines()
    stopped = next(n for n, line in enumerate(lines) if line.startswith("::stop-commands::"))
    token = lines[stopped].removeprefix("::stop-commands::")
    resumed = lines.index(f"::{token}::")
    assert len(token) >= 32
    assert stopped == 0 and any("::error::id" in line for line in lines[:resumed])
    assert [
        line for line in lines[resumed + 1 :] if not line.startswith("::error title=evenhand red%3A %3A%3Aerror")
    ] == []


@pytest.mark.slow
def test_the_command_line_overrides_the_environment(project: Path):
    """As for every other setting."""
    scorecards(project)
    assert run("gate", "--github", "--no-fault=critical", **github_environment(project)).returncode == 0


class Issue:
    """The comments of a pull request, as GitHub's API keeps them."""

    def __init__(self, *comments: dict[str, Any]) -> None:
        self.comments = list(comments)
        self.calls: list[str] = []

    def answer(self, asked: Asked) -> Step:
        self.calls.append(f"{asked.method} {asked.path.partition('/repos')[2]}")
        assert asked.headers["authorization"] == "Bearer secret-token"
        if asked.method == "GET":
            page = int(re.findall(r"[?&]page=(\d+)", asked.path)[0])
            return Step(body=json.dumps(self.comments[100 * (page - 1) : 100 * page]).encode())
        if asked.method == "POST":
            self.comments.append(comment(len(self.comments), asked.body["body"]))
        else:
            id = int(asked.path.rpartition("/")[2])
            next(known for known in self.comments if known["id"] == id)["body"] = asked.body["body"]
        return Step(body=b"{}")


def comment(id: int, body: str, login: str = "github-actions[bot]") -> dict[str, Any]:
    return {"id": id, "body": body, "user": {"login": login}}


@pytest.mark.slow
def test_one_comment_is_written_and_then_updated(project: Path, fake_server: FakeServer):
    """Found among many by its hidden first line; the same words from somebody else are left alone."""
    scorecards(project)
    marker = "<!-- evenhand gate -->"
    issue = Issue(comment(1000, f"{marker}\nfake", login="mallory"), *(comment(n, "hello") for n in range(150)))
    fake_server.answer = issue.answer
    first = run("gate", "--github", **github_environment(project, fake_server))
    assert first.returncode == 1
    assert len(issue.comments) == 152
    assert issue.comments[-1]["body"].startswith(f"{marker}\n## evenhand: red")
    second = run("gate", "--github", "--no-fault=critical", **github_environment(project, fake_server))
    assert second.returncode == 0
    assert len(issue.comments) == 152
    assert issue.comments[-1]["body"].startswith(f"{marker}\n## evenhand: green")
    assert issue.comments[0]["body"] == f"{marker}\nfake"
    assert issue.calls[-1] == "PATCH /ana/project/issues/comments/151"
    assert "secret-token" not in first.stdout + first.stderr + Path("summary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (Fault.status(403, "Resource not accessible by integration"), "the token may not write comments (status 403)"),
        (Fault.redirect("http://127.0.0.1:9/elsewhere"), "GitHub refused it (status 307)"),
        (Fault.hang_up, "GitHub could not be reached"),
        (Step(body=b'{"message": "x"}'), "GitHub did not answer with a list of comments"),
    ],
)
@pytest.mark.slow
def test_a_comment_that_cannot_be_written_changes_nothing(project: Path, fake_server: FakeServer, step: Step, why: str):
    """A fork's token may only read: the summary has everything, and the exit code stays the gate's."""
    scorecards(project)
    fake_server.answer = lambda asked: step
    done = run("gate", "--github", "--no-fault=critical", **github_environment(project, fake_server))
    assert done.returncode == 0
    assert f"::notice title=evenhand%3A no comment::{why}" in done.stdout
    assert "secret-token" not in done.stdout + done.stderr


@pytest.mark.slow
def test_the_token_is_never_sent_unencrypted(project: Path):
    """Neither to another machine without TLS, nor for a repository that is none."""
    scorecards(project)
    environment = github_environment(project, EVENHAND_GITHUB_TOKEN="secret-token", GITHUB_API_URL="http://example.org")
    assert "the token would be sent unencrypted" in run("gate", "--github", **environment).stdout
    environment |= {"GITHUB_API_URL": "https://example.invalid", "GITHUB_REPOSITORY": "../x"}
    assert "is not the name of a repository" in run("gate", "--github", **environment).stdout


@pytest.mark.slow
def test_no_comment_without_a_pull_request_or_a_token(project: Path, fake_server: FakeServer):
    """Nothing is asked of the network."""
    scorecards(project)
    environment = github_environment(project, fake_server)
    Path("event.json").write_text('{"ref": "refs/heads/main"}', encoding="utf-8")
    assert run("gate", "--github", **environment).returncode == 1
    assert (
        run("gate", "--github", **(github_environment(project, fake_server) | {"EVENHAND_GITHUB_TOKEN": ""})).returncode
        == 1
    )
    assert fake_server.count == 0


@pytest.mark.slow
def test_a_further_format_must_be_one(project: Path):
    """The message lists those there are."""
    done = run("gate", scorecards(project), "--no-fault", "--also", "pdf=x.pdf")
    assert done.returncode == 2
    assert "the formats are json, jsonl, junit, ctrf, sarif, github, otlp, markdown, html" in done.stderr


# --- the action -----------------------------------------------------------------------------------------------------


def test_the_action_puts_no_input_into_a_script():
    """Inputs arrive through the environment; actions are pinned by their commit."""
    used = set()
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert "uses" not in step or re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"])
        assert "run" not in step or step["shell"] == "bash"
        used |= set(re.findall(r"inputs\.([\w-]+)", json.dumps(step)))
    assert used == set(ACTION["inputs"])
    assert all(given["description"] for given in ACTION["inputs"].values())


def action_environment(project: Path, **inputs: str) -> dict[str, str]:
    """The environment of the step that judges and gates, with every input at its default or as given."""
    values = (
        {name: given.get("default", "") for name, given in ACTION["inputs"].items()} | {"github-token": ""} | inputs
    )
    step = next(step for step in ACTION["runs"]["steps"] if step.get("id") == "gate")
    filled = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: values[match[1]], text)
        for name, text in step["env"].items()
        if name != "EVENHAND_GITHUB_TOKEN"
    }
    folder = project / "bin"
    folder.mkdir(exist_ok=True)
    (folder / "evenhand").write_text(f'#!/bin/sh\nexec {shlex.join(EVENHAND)} "$@"\n', encoding="utf-8")
    (folder / "evenhand").chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "EVENHAND_"))}
    return {
        **kept,
        **filled,
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "RUNNER_TEMP": str(project / "temp"),
        "GITHUB_STEP_SUMMARY": str(project / "summary.md"),
        "GITHUB_OUTPUT": str(project / "output.txt"),
    }


def act(project: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    script = ["bash", str(ROOT / "scripts" / "gate_on_github.sh")]
    environment = action_environment(project, **inputs)
    return subprocess.run(script, cwd=project, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_action_judges_outputs_and_gates_on_findings(project: Path):
    """Scorecards, JUnit, CTRF and SARIF are in the reports folder; a hostile file name is only a name."""
    hostile = "$(touch owned) `touch owned`.md"
    Path(hostile).write_text("Cats sleep 12 to 16 hours a day.", encoding="utf-8")
    done = act(project, outputs=f"a.md\n{hostile}\n", **{"no-fault": "major"})
    assert done.returncode == 1, done.stderr
    assert not Path("owned").exists()
    reports = project / "temp" / "evenhand-reports"
    names = {"scorecards.jsonl", "junit.xml", "ctrf.json", "findings.sarif", "report.html"}
    assert {path.name for path in reports.iterdir()} == names
    assert len((reports / "scorecards.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    assert f"reports={reports}\n" in Path("output.txt").read_text(encoding="utf-8")
    assert "red=1\njudged=2" in Path("output.txt").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_action_judges_with_a_calibration(project: Path):
    """The input reaches the judge: its scores are calibrated and the gate that asks for it is green; a file that is
    none is an error, not a green gate."""
    examples = ROOT / "examples"
    for name in ("answer.md", "task.md"):
        (project / name).write_text((examples / name).read_text(encoding="utf-8"), encoding="utf-8")
    judge = f"replay:{examples}/recorded/first.jsonl"
    judged = run("judge", "answer.md", "--task", "task.md", "--rubric", "devops", "--store", "none", "--judge", judge,
                 "-f", "json")  # fmt: skip
    Path("card.json").write_text(judged.stdout, encoding="utf-8")
    pairs = "".join(f"{2 + place / 25:.2f},{1.2 - place % 2 / 5 + place / 25:.2f}\n" for place in range(200))
    Path("pairs.csv").write_text(f"judge,people\n{pairs}", encoding="utf-8")
    assert (
        run("trust", "calibrate", "--table", "pairs.csv", "--set", "trust.like=card.json", "-o", "c.json").returncode
        == 0
    )
    inputs = {"outputs": "answer.md", "task": "task.md", "rubric": "devops", "judges": judge, "min-score": "3",
              "require-calibration": "true"}  # fmt: skip
    done = act(project, calibration="c.json", **inputs)
    assert done.returncode == 0, done.stdout + done.stderr
    (card,) = (project / "temp/evenhand-reports/scorecards.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(card)["calibration"]["scores"]["final"]["calibrated"] == pytest.approx(
        2.38, abs=0.2
    )  # the judge gave 3.38
    assert act(project, calibration="none.json", **inputs).returncode == 2
    wide = act(project, calibration="c.json", **inputs | {"require-calibration": "c.json", "max-width": "0.01"})
    assert wide.returncode == 1, wide.stdout


@pytest.mark.slow
def test_the_action_is_green_when_nothing_is_wrong_and_patterns_are_expanded(project: Path):
    """One good output, found by a pattern."""
    Path("runs").mkdir()
    Path("runs/good.md").write_text("Cats sleep 12 to 16 hours a day.", encoding="utf-8")
    done = act(project, outputs="runs/*.md", **{"no-fault": "minor"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert Path("summary.md").read_text(encoding="utf-8").startswith("## evenhand: green")


@pytest.mark.slow
def test_the_action_is_not_green_when_an_output_cannot_be_read(project: Path):
    """What could not be judged has no scorecard that the gate could see."""
    Path("good.md").write_text("Cats sleep 12 to 16 hours a day.", encoding="utf-8")
    done = act(project, outputs="good.md\nmissing.md", **{"no-fault": "minor"})
    assert done.returncode == 2, done.stdout + done.stderr
    assert "result=undecided\nred=0\njudged=1\n" in Path("output.txt").read_text(encoding="utf-8")
    assert "- missing.md: no such file" in Path("summary.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_action_names_the_real_cause(project: Path):
    """No file matched, or no key: as an annotation, not as an empty gate."""
    done = act(project, outputs="nowhere/*.md", **{"no-fault": "minor"})
    assert done.returncode == 2
    assert "::error title=evenhand%3A no file matched::nowhere/*.md" in done.stdout
    Path("good.md").write_text("Cats sleep 12 to 16 hours a day.", encoding="utf-8")
    done = act(project, outputs="good.md", judges="openai:gpt-4o", **{"min-grade": "C"})
    assert done.returncode == 2
    summary = Path("summary.md").read_text(encoding="utf-8")
    assert "- nowhere/\\*.md: no such file" in summary and "- openai:gpt-4o needs a key" in summary
    (cause,) = [line for line in done.stdout.splitlines() if line.startswith("::error")]
    assert cause.startswith("::error title=evenhand could not judge this::openai:gpt-4o needs a key")
    assert "is empty" not in done.stdout + summary


@pytest.mark.slow
def test_names_with_newlines_are_judged_by_the_action(project: Path):
    """A pattern finds them, and each stays one name."""
    Path("runs").mkdir()
    for name in ("a\nb.md", "c d.md"):
        (Path("runs") / name).write_text("Cats sleep 12 to 16 hours a day.", encoding="utf-8")
    done = act(project, outputs="runs/*.md", **{"no-fault": "minor"})
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (project / "temp/evenhand-reports/scorecards.jsonl").read_text(encoding="utf-8").splitlines()
    assert sorted(json.loads(line)["output"] for line in lines) == ["runs/a\nb.md", "runs/c d.md"]


@pytest.mark.slow
def test_the_action_runs_a_suite(project: Path):
    """Its decision is in the summary, its cases are tests, and its gate decides the job."""
    assert run("run", "new", "evals").returncode == 0
    done = act(project, suite="evals/suite.yaml")
    reports = project / "temp" / "evenhand-reports"
    assert "<testcase" in (reports / "suite.xml").read_text(encoding="utf-8"), done.stdout + done.stderr
    assert Path("summary.md").read_text(encoding="utf-8").strip()
    word = {0: "green", 1: "red"}.get(done.returncode, "undecided")
    assert f"result={word}\n" in Path("output.txt").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_suite_that_did_not_run_is_in_the_summary_with_its_cause(project: Path):
    done = act(project, suite="nowhere.yaml")
    assert done.returncode == 2
    assert "::error title=evenhand::nowhere.yaml: no such file" in done.stdout
    assert "did not run\n\n- nowhere.yaml: no such file\n" in Path("summary.md").read_text(encoding="utf-8")


def test_the_comment_says_what_to_change():
    """For a red scorecard, the change that would help most, with its effect."""
    card = judged(seven(4, 8, 8, 8, 8, 8, 8), id="case-1")
    ruling = judge_card(card, Gate(min_grade="A"))
    text = gate_markdown([GateRow("case-1", ruling, card)], [], [], longest=10_000)
    assert "### What to change" in text
    (line,) = [line for line in text.splitlines() if line.startswith("- **case-1**: Raise correctness from 4.00")]
    assert ")). " in f"{line} "
