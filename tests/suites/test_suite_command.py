"""`evenhand run new` and `suite check`, and the published schema of a suite file."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

import evenhand
from evenhand.cli.main import run as run_command
from evenhand.suites.new_suite import FILES
from evenhand.suites.results.suite_results import suite_run
from every_case import every_case

SCHEMAS = Path(evenhand.__file__).parent / "schemas"


def validator(name):
    return Draft202012Validator(json.loads((SCHEMAS / f"{name}.v1.schema.json").read_text(encoding="utf-8")))


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """The command in an empty folder, in this process: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["evenhand", *arguments])
        code = run_command()
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


# --- new and check ---------------------------------------------------------------------------------


def test_a_new_suite_is_sound_and_all_its_outputs_are_there(command):
    """It can be used before anything is edited: no error, no warning, every file printed."""
    code, out, err = command("run", "new", "my evals")
    assert (code, len(out.splitlines())) == (0, 1 + len(FILES))
    assert "edit it, then: evenhand run check" in err
    assert command("run", "check", "my evals/suite.yaml")[::2] == (0, "")
    suite = evenhand.read_suite("my evals/suite.yaml")
    assert (suite.name, [case.id for case in suite.cases]) == ("my-evals", ["late-fee", "no-fee"])
    assert validator("suite").is_valid(yaml.safe_load(Path("my evals/suite.yaml").read_text()))


def test_a_line_in_the_comments_of_a_new_suite_works(command):
    """The one that most people will uncomment."""
    command("run", "new")
    text = Path("suite.yaml").read_text()
    line = next(line.removeprefix("#   ") for line in text.splitlines() if line.startswith("#   variants:"))
    Path("skills/mine").mkdir(parents=True)
    Path("skills/mine/SKILL.md").write_text("x")
    Path("suite.yaml").write_text(text.partition("variants:\n")[0] + line)
    assert [variant.name for variant in evenhand.read_suite("suite.yaml").variants] == ["without_skill", "with_skill"]


@pytest.mark.parametrize("there", ["suite.yaml", "cases/no-fee.yaml"])
def test_a_new_suite_overwrites_nothing(command, there):
    """And nothing is half written."""
    Path(there).parent.mkdir(exist_ok=True)
    Path(there).write_text("mine")
    code, _, err = command("run", "new")
    assert (code, f"{there} already exists" in err, Path(there).read_text()) == (2, True, "mine")
    assert not Path("outputs").exists()


def test_check_shows_what_was_understood(command):
    """Cases, variants, and how many runs there will be: 2 cases, 2 variants, 3 repeats, 12 runs."""
    command("run", "new")
    text = Path("suite.yaml").read_text().replace("# repeats", "repeats").replace("{case}.md", "{case}-{repeat}.md")
    Path("suite.yaml").write_text(text)
    code, out, err = command("run", "check", "suite.yaml")
    assert (code, "runs: 12 (2 cases, 2 variants, 3 repeats)" in out) == (0, True)
    assert "  before (the others are compared with it): recorded: outputs/before/{case}-{repeat}.md\n" in out
    assert "  no-fee: easy, expectations\n" in out
    assert "warning: after: 6 recorded outputs are missing: " in err


def test_check_as_json_fits_its_schema(command):
    """With the warnings in it."""
    command("run", "new")
    Path("suite.yaml").write_text(Path("suite.yaml").read_text().replace("outputs/after", "nowhere"))
    code, out, err = command("run", "check", "suite.yaml", "--format", "json")
    document = json.loads(out)
    validator("suite-check").validate(document)
    assert (code, err, document["runs"], document["tags"]) == (0, "", 4, {"easy": 1})
    assert len(document["warnings"]) == 1


@pytest.mark.parametrize(
    ("variants", "warning"),
    [
        ("{v: {command: [a]}}", "no judges and no expectations"),
        ("{v: {command: [a]}}", "one variant and no baseline"),
        ("{v: {command: [no-such-agent]}}", "v: there is no command no-such-agent on this machine"),
        ("{v: {command: [a, '{skill}']}}", "v: the command names {skill}, but this variant has no skill"),
    ],
)
def test_check_warns_about_what_is_allowed_but_useless(command, variants, warning):
    """Exit code 0 all the same."""
    Path("s.yaml").write_text(f"suite: s\ncases: [{{prompt: x}}]\nvariants: {variants}\n")
    code, _, err = command("run", "check", "s.yaml")
    assert (code, warning in err) == (0, True)


def test_a_script_is_shown_as_it_is_and_paths_elsewhere_are_short(command, tmp_path):
    """What a shell runs may be copied; a recorded output is named from here."""
    Path("s.yaml").write_text(
        f"suite: s\ncases: [{{prompt: x}}]\nvariants:\n  v: {{command: 'cat {tmp_path}/x', shell: true}}\n"
        f"  w: {{recorded: '{tmp_path}/{{case}}.md'}}\n"
    )
    _, out, _ = command("run", "check", "s.yaml")
    assert f": shell: cat {tmp_path}/x\n" in out
    assert "  w: recorded: {case}.md\n" in out


@pytest.mark.parametrize("does", ["[sh]", "[./own]", "['{vars.x}']", "no-such-agent --yes\n    shell: true"])
def test_a_command_that_is_there_or_cannot_be_looked_for_is_not_a_warning(command, does):
    """A path counts from the suite's folder, a placeholder is filled in later, and a shell has commands of its own."""
    cases = "[{prompt: x, vars: {x: sh}, expect: [{answer: {contains: x}}]}]"
    Path("own").write_text("#!/bin/sh\n")
    Path("s.yaml").write_text(f"suite: s\ncases: {cases}\nvariants:\n  v:\n    command: {does}\n")
    code, _, err = command("run", "check", "s.yaml")
    assert (code, "there is no command" in err) == (0, False), err


@pytest.mark.parametrize(
    ("judges", "expect", "is_warned"),
    [
        ("", "[Is kind]", True),
        ("judges: [checks]\n", "[{text: Is kind}]", True),
        ("judges: ['openai:m']\n", "[Is kind]", False),
        ("", "[{answer: x}]", False),
    ],
)
def test_sentences_that_nobody_decides_are_a_warning_before_and_a_note_after(command, judges, expect, is_warned):
    """Before money is spent on runs whose expectations nobody reads, and in the report of the run."""
    text = "suite: s\n{}cases: [{{id: a, prompt: x, expect: {}}}]\nvariants: {{v: {{command: [echo, x]}}}}\n"
    Path("s.yaml").write_text(text.format(judges, expect))
    assert ("sentences, which only a model judge decides" in command("run", "check", "s.yaml")[2]) == is_warned
    notes = suite_run(evenhand.read_suite("s.yaml")).notes
    assert any("sentences, which only a model judge decides" in note for note in notes) == is_warned


def test_check_reports_every_mistake_and_exits_with_2(command):
    """On standard error, with file and line; nothing on standard output."""
    Path("s.yaml").write_text("suite: s\nrepeats: 0\ncases: [{}]\nvariants: {v: {like: v}}\n")
    code, out, err = command("run", "check", "s.yaml", "--format", "json")
    assert (code, out, [line.split(":")[2] for line in err.splitlines()]) == (2, "", ["2", "3", "4"])
    assert command("run", "check", "nix.yaml")[0] == 2


# --- the schema ------------------------------------------------------------------------------------

CASES = "cases: [{id: a, prompt: x}]"
VARIANTS = "variants: {v: {command: [a]}}"
GOOD = [
    f"{CASES}\n{VARIANTS}",
    f"schema: evenhand/suite/v1\n{CASES}\n{VARIANTS}\nskill: k\nrubric: default\njudges: [openai:m]\npairs: true",
    f"{CASES}\n{VARIANTS}\njudges: openai:m\nrepeats: 1000\ncompare_with: v",
    f"{CASES}\n{VARIANTS}\nlimits: {{seconds: 0.5, output: 1MB, processes: 1, memory: 2 GiB, network: false}}",
    f"{CASES}\n{VARIANTS}\nlimits: {{writes: [~/.npm, ../cache]}}",
    f"{CASES}\n{VARIANTS}\nlimits: {{writes: []}}",
    f"{CASES}\n{VARIANTS}\nlimits: {{reads: null}}",
    f"{CASES}\n{VARIANTS}\nlimits: {{seconds: null, output: null, processes: null, memory: 1000}}",
    f"{CASES}\n{VARIANTS}\ngate: {{baseline: main, margin: 0, min_score: 10, max_failed: 1, no_fault: minor}}",
    f"cases: cases/\n{VARIANTS}",
    f"cases: [cases/, {{prompt: x}}]\n{VARIANTS}",
    f"cases: [{{id: 1, prompt: x, files: in.txt, task: t, reference: r, tags: a, weight: 0.5}}]\n{VARIANTS}",
    f"cases: [{{prompt: x, files: [in.txt, {{from: in.txt, to: a/b}}], tags: [a, b]}}]\n{VARIANTS}",
    f"cases: [{{conversation: [{{role: system, content: ''}}, {{role: user, content: x}}]}}]\n{VARIANTS}",
    f"cases: [{{prompt: x, expect: It is so.}}, {{prompt: y, expect: [It is so., {{answer: z}}]}}]\n{VARIANTS}",
    f"{CASES}\nvariants: {{v: {{command: 'echo', shell: true}}, w: {{like: v, skill: skills/x}}}}",
    f"{CASES}\nvariants: {{v: {{command: [a], environment: {{A: b}}, stdin: '', output: o, transcript: null}}}}",
    f"{CASES}\nvariants: {{v: {{command: [a], own_home: false, skill: {{path: skills/x, revision: v1}}}}}}",
    f"{CASES}\nvariants: {{v: {{command: [a], skill: null, limits: {{seconds: 1}}}}}}",
    f"{CASES}\nvariants: {{v: {{model: openai:m, prompt: 'Q: {{prompt}}', system: ''}}}}",
    f"{CASES}\nvariants: {{v: {{function: 'json:dumps'}}, w: {{recorded: '{{case}}.md'}}}}",
    f"{CASES}\nvariants: {{command: [a], skill: skills/x, versions: [none, v1, ./skills/x, now]}}",
]
BAD = [
    CASES,
    VARIANTS,
    f"cases: []\n{VARIANTS}",
    f"cases: 7\n{VARIANTS}",
    f"cases: [7]\n{VARIANTS}",
    f"{CASES}\nvariants: {{}}",
    f"{CASES}\nvariants: []",
    f"{CASES}\n{VARIANTS}\nrubrik: x",
    f"{CASES}\n{VARIANTS}\nschema: x",
    f"{CASES}\n{VARIANTS}\nrepeats: 0",
    f"{CASES}\n{VARIANTS}\nrepeats: 1001",
    f"{CASES}\n{VARIANTS}\nrepeats: 1.5",
    f"{CASES}\n{VARIANTS}\nrepeats: '3'",
    f"{CASES}\n{VARIANTS}\njudges: [7]",
    f"{CASES}\n{VARIANTS}\npairs: 1",
    f"{CASES}\n{VARIANTS}\nskill: ''",
    f"{CASES}\n{VARIANTS}\ncompare_with: a b",
    f"{CASES}\n{VARIANTS}\nlimits: {{seconds: 0}}",
    f"{CASES}\n{VARIANTS}\nlimits: {{memory: 2XB}}",
    f"{CASES}\n{VARIANTS}\nlimits: {{processes: 0}}",
    f"{CASES}\n{VARIANTS}\nlimits: {{network: null}}",
    f"{CASES}\n{VARIANTS}\nlimits: {{writes: anywhere}}",
    f"{CASES}\n{VARIANTS}\nlimits: {{writes: [3]}}",
    f"{CASES}\n{VARIANTS}\nlimits: {{second: 3}}",
    f"{CASES}\n{VARIANTS}\ngate: {{margin: -0.1}}",
    f"{CASES}\n{VARIANTS}\ngate: {{min_score: 0.9}}",
    f"{CASES}\n{VARIANTS}\ngate: {{max_failed: 1.1}}",
    f"{CASES}\n{VARIANTS}\ngate: {{no_fault: bad}}",
    f"{CASES}\n{VARIANTS}\ngate: {{marign: 0}}",
    f"cases: [{{id: a}}]\n{VARIANTS}",
    f"cases: [{{id: a b, prompt: x}}]\n{VARIANTS}",
    f"cases: [{{id: a, prompt: ''}}]\n{VARIANTS}",
    f"cases: [{{prompt: x, conversation: [{{role: user, content: x}}]}}]\n{VARIANTS}",
    f"cases: [{{conversation: []}}]\n{VARIANTS}",
    f"cases: [{{conversation: [{{role: nobody, content: x}}]}}]\n{VARIANTS}",
    f"cases: [{{prompt: x, weight: 0}}]\n{VARIANTS}",
    f"cases: [{{prompt: x, weight: null}}]\n{VARIANTS}",
    f"cases: [{{prompt: x, tags: [1]}}]\n{VARIANTS}",
    f"cases: [{{prompt: x, files: [{{from: in.txt}}]}}]\n{VARIANTS}",
    f"cases: [{{prompt: x, expect: []}}]\n{VARIANTS}",
    f"cases: [{{prompt: x, expect: 7}}]\n{VARIANTS}",
    f"{CASES}\nvariants: {{v: {{}}}}",
    f"{CASES}\nvariants: {{v: 7}}",
    f"{CASES}\nvariants: {{v: {{command: [a], model: openai:m}}}}",
    f"{CASES}\nvariants: {{v: {{command: []}}}}",
    f"{CASES}\nvariants: {{v: {{command: [7]}}}}",
    f"{CASES}\nvariants: {{v: {{command: [a], shell: 1}}}}",
    f"{CASES}\nvariants: {{v: {{command: [a], environment: {{A: 1}}}}}}",
    f"{CASES}\nvariants: {{v: {{command: [a], skill: {{revision: v1}}}}}}",
    f"{CASES}\nvariants: {{v: {{command: [a], skill: {{path: skills/x, revision: -v}}}}}}",
    f"{CASES}\nvariants: {{v: {{command: [a], skil: skills/x}}}}",
    f"{CASES}\nvariants: {{v: {{model: openai:m, prompt: x}}}}",
    f"{CASES}\nvariants: {{v: {{function: x}}}}",
    f"{CASES}\nvariants: {{command: [a], versions: [none]}}",
    f"{CASES}\nvariants: {{command: [a], skill: skills/x, versions: []}}",
    f"{CASES}\nvariants: {{skill: skills/x, versions: [now]}}",
]


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in ("cases/c.yaml", "skills/x/SKILL.md", "in.txt"):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("prompt: z\n")


@every_case("text", GOOD)
def test_the_schema_and_the_reader_accept_the_same(project, text):
    """Editors use the schema, commands the reader."""
    Path("s.yaml").write_text(f"suite: s\n{text}\n")
    evenhand.read_suite("s.yaml")
    validator("suite").validate(yaml.safe_load(Path("s.yaml").read_text()))


@every_case("text", BAD)
def test_the_schema_and_the_reader_refuse_the_same(project, text):
    """What an editor underlines is what the command reports."""
    Path("s.yaml").write_text(f"suite: s\n{text}\n")
    with pytest.raises(evenhand.InputError):
        evenhand.read_suite("s.yaml")
    assert not validator("suite").is_valid(yaml.safe_load(Path("s.yaml").read_text()))
