"""Checks and formats of other packages: found through their entry points, and harmless when they are broken."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Ran
from fake_server import FakeServer

CHECK = """
from evenhand.findings import Check, Finding


def says_simply(subject):
    if "simply" in subject.words:
        yield Finding("says-simply", "consistency", "minor", "It says simply.", quote="simply")


CHECKS = (Check("says-simply", ("consistency",), "The word simply.", "Half a point.", "Simply run it.", says_simply),)
"""
FORMAT = """
from evenhand.work.submission import Submission
from evenhand.transcripts.registry import Format


def read(source):
    for line in source.lines():
        yield Submission(output=line.data.decode().removeprefix("SAID: ").strip(), source=source.name, format="said")


said = Format("said", "things that were said", lambda head: head.text.startswith("SAID: "), read)
"""
ANSWER = "You simply hold the lock while the profile is loaded, and nobody else writes."

Judge = Callable[..., Ran]


@pytest.fixture
def judge(evenhand_command: Callable[..., Ran], tmp_path: Path) -> Judge:
    """Install a package with some entry points, as pip leaves it behind, and judge an answer where it is found."""

    def run(
        module: str, *arguments: str, entry: str = "[evenhand.findings]\nhouse = house:CHECKS\n", **environment: str
    ) -> Ran:
        site = tmp_path / "site"
        information = site / "house-1.0.dist-info"
        information.mkdir(parents=True)
        (site / "house.py").write_text(module)
        (information / "METADATA").write_text("Metadata-Version: 2.1\nName: house\nVersion: 1.0\n")
        (information / "RECORD").write_text("house.py,,\nhouse-1.0.dist-info/METADATA,,\n")
        (information / "entry_points.txt").write_text(entry)
        (tmp_path / "answer.md").write_text(ANSWER)
        (tmp_path / "said.txt").write_text(f"SAID: {ANSWER}\nSAID: {ANSWER.replace('simply ', '')}\n")
        path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
        return evenhand_command("judge", *arguments, "--store", "none", PYTHONPATH=path, **environment)

    return run


PROVIDER = """
import os

from evenhand.providers.known import KnownProvider

PROVIDER = KnownProvider("house", "a model of the house", address=os.environ.get("HOUSE_URL", ""), key="HOUSE_KEY")
"""
PROVIDERS = "[evenhand.providers]\nhouse = house:PROVIDER\n"


@pytest.mark.slow
def test_a_provider_of_a_package_is_asked_like_a_built_in_one(judge: Judge, fake_server: FakeServer):
    """At its address, with the key that it names; the scorecard says which provider judged."""
    environment = {"HOUSE_URL": fake_server.url, "HOUSE_KEY": "the-key-of-the-house"}
    arguments = ("answer.md", "--judge", "house:big", "--format", "json")
    done = judge(PROVIDER, *arguments, entry=PROVIDERS, **environment)
    identity = json.loads(done.out)["judge"]
    assert (identity["name"], identity["provider"], identity["address"]) == ("house:big", "house", fake_server.url)
    assert {asked.headers["authorization"] for asked in fake_server.asked} == {"Bearer the-key-of-the-house"}


@pytest.mark.parametrize(
    ("module", "says"),
    [
        ("raise OSError('no such luck')", "house = house:PROVIDER: cannot be loaded: OSError: no such luck"),
        ("PROVIDER = 7", "house = house:PROVIDER: does not lead to a KnownProvider"),
        (PROVIDER.replace('"house"', '"openai"'), "a provider cannot be named 'openai' here"),
        (PROVIDER, "needs an address and a kind of API, or a function that opens it"),
        (PROVIDER.replace('os.environ.get("HOUSE_URL", "")', '"http://localhost/v1", kind="house"'), "a kind of API"),
        (PROVIDER.replace('os.environ.get("HOUSE_URL", "")', '"http://localhost/v1", kind="x"'), "a kind of API"),
        (PROVIDER.replace('os.environ.get("HOUSE_URL", "")', '"https://example.com/v1"'), "variable HOUSE_KEY, or"),
    ],
)
@pytest.mark.slow
def test_a_package_whose_provider_cannot_be_used_is_refused(judge: Judge, module: str, says: str):
    """In one line that names it, before anything is asked."""
    done = judge(module, "answer.md", "--judge", "house:big", entry=PROVIDERS)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith("error: ") and says in done.err


@pytest.mark.slow
def test_a_check_of_a_package_is_used_like_a_built_in_one(judge: Judge):
    """It bounds its dimension, its quote is checked, and the judge's identity names it."""
    done = judge(CHECK, "answer.md", "--format", "json")
    card = json.loads(done.out)
    (finding,) = [finding for finding in card["findings"] if finding["check"] == "says-simply"]
    assert (finding["severity"], finding["quote"], finding["verified"]) == ("minor", "simply", True)
    assert card["bounds"]["consistency"] == {"at_most": 8, "checks": ["says-simply"]}
    assert card["judge"]["added"] == "says-simply"


@pytest.mark.slow
def test_a_rubric_can_name_a_check_of_a_package(judge: Judge, tmp_path: Path, evenhand_command: Callable[..., Ran]):
    """Then it raises the flag, and the dimension has no bound."""
    evenhand_command("rubric", "new", "own", "--from", "default")
    path = tmp_path / "evenhand" / "rubrics" / "own.md"
    path.write_text(re.sub(r"(?m)^- `forbidden-act`.*$", r"\g<0>\n  - detect: says-simply", path.read_text()))
    card = json.loads(judge(CHECK, "answer.md", "--format", "json", "--rubric", "own").out)
    assert [flag["id"] for flag in card["red_flags"]] == ["forbidden-act"]
    assert "consistency" not in card["bounds"]


@pytest.mark.parametrize(
    ("module", "says"),
    [
        ("raise OSError('no such luck')", "house = house:CHECKS: cannot be loaded: OSError: no such luck"),
        ("", "house = house:CHECKS: cannot be loaded: AttributeError"),
        ("CHECKS = 7", "house = house:CHECKS: does not lead to a tuple of checks"),
        ("CHECKS = (7,)", "7 is not a check"),
        (CHECK.replace('Check("says-simply"', 'Check("Says Simply"'), "'Says Simply' is not an id"),
        (CHECK.replace('("consistency",)', '("style",)'), "check says-simply: no dimension style; dimensions are corr"),
        (CHECK.replace('("consistency",)', "()"), "check says-simply: no dimensions; dimensions are corr"),
        (CHECK.replace("says_simply),)", "'says_simply'),)"), "check says-simply: its run is not a function"),
        (CHECK.replace("says-simply", "secret-exposed"), "a check named secret-exposed already exists"),
        (CHECK + "CHECKS *= 2", "a check named says-simply already exists"),
    ],
)
@pytest.mark.slow
def test_a_package_whose_checks_cannot_be_used_is_refused(judge: Judge, module: str, says: str):
    """In one line that names it, before anything is judged."""
    done = judge(module, "answer.md")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith("error: ") and says in done.err


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("raise KeyError('gone')", "KeyError: 'gone'"),
        ("return None", "TypeError: "),
        ("return 'nonsense'", "TypeError: it returned 'n', which is not a Finding"),
        (
            "return [Finding('other', 'consistency', 'minor', 'It is so.')]",
            "ValueError: its finding names the check 'other'",
        ),
        ("return [Finding('says-simply', 'safety', 'minor', 'It is so.')]", "its finding is about 'safety'"),
        ("return [Finding('says-simply', 'consistency', 0.5, 'It is so.')]", "the severity 0.5 is not minor"),
        ("return [Finding('says-simply', 'consistency', 'minor', None)]", "the message and the quote of a finding are"),
        ("raise RecursionError", "RecursionError: "),
    ],
)
@pytest.mark.slow
def test_a_check_that_fails_is_a_warning(judge: Judge, body: str, says: str):
    """With the reason on the scorecard; the other checks go on, and the exit code is 0."""
    module = CHECK.replace('    if "simply" in subject.words:\n', f"    {body}\n    if subject:\n")
    module = module.replace("        yield Finding", "        Finding") if body.startswith("return") else module
    done = judge(module, "answer.md", "--format", "json")
    card = json.loads(done.out)
    (warning,) = card["warnings"]
    assert (done.code, "says-simply" in card["coverage"]) == (0, False)
    assert warning.startswith("the check says-simply failed: ") and says in warning
    assert card["coverage"]
    assert "Traceback" not in done.err


SAID = "[evenhand.transcripts]\nsaid = house:said\n"


@pytest.mark.slow
def test_a_format_of_a_package_is_read_and_judged(judge: Judge):
    """Found by its content, each of its submissions with a scorecard of its own."""
    done = judge(FORMAT, "said.txt", "--format", "jsonl", entry=SAID)
    assert (done.code, len(done.out.splitlines()), done.err) == (0, 2, "")


@pytest.mark.parametrize(
    ("module", "says"),
    [
        (FORMAT.replace("        yield", "        raise KeyError('gone')\n        yield"), "failed: KeyError: 'gone'"),
        (FORMAT.replace("yield Submission(output=", "yield str("), "failed: TypeError"),
        (
            FORMAT.replace("        yield", "        yield 7\n        return\n        yield"),
            "it returned 7, which is not a Submission",
        ),
    ],
)
@pytest.mark.slow
def test_a_format_that_fails_is_named(judge: Judge, module: str, says: str):
    """One line, exit code 2, no traceback."""
    done = judge(module, "said.txt", entry=SAID)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert done.err.startswith("error: said.txt: the format 'said' of another package") and says in done.err


@pytest.mark.parametrize(
    ("module", "says"),
    [
        (FORMAT.replace('lambda head: head.text.startswith("SAID: ")', "lambda head: 1 / 0"), "ZeroDivisionError"),
        (FORMAT.replace('Format("said"', 'Format("codex"'), "there is one of that name already"),
        ("raise OSError('no such luck')", "cannot be loaded: no such luck"),
        ("said = 7", "is not a Format"),
    ],
)
@pytest.mark.slow
def test_a_format_that_cannot_be_used_is_left_out_and_named(judge: Judge, module: str, says: str):
    """The file is read as plain text, and the scorecard is made all the same."""
    done = judge(module, "said.txt", "--format", "json", entry=SAID)
    assert done.code == 0
    assert says in done.err + done.out
    assert "Traceback" not in done.err
