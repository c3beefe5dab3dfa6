"""Suite files: what is read, and every mistake with its file and line."""

from __future__ import annotations

import json
import os
from decimal import Decimal
from pathlib import Path

import pytest

import evenhand
from evenhand.decisions.suite import Command, Function, Limits, Message, Model, Recorded, Skill, StartFile
from every_case import every_case

WHOLE = """\
suite: invoices
skill: invoice-summary
rubric: default
judges: [openai:gpt-5-mini]
options: {thorough: true, samples: 2, max_cost: $5, examples: people.yaml}
pairs: true
repeats: 3
limits: {seconds: 300, output: 1MB, processes: null, memory: 2GiB, network: false, writes: [cache, /x/../y, ~/z]}
cases:
  - id: late-fee
    prompt: Summarise the invoice.
    files: fixtures/late-fee
    task: What the customer owes.
    rubric: rubrics/own.md
    reference: 12 euros
    expect: [{answer: {contains: "12"}}]
    tags: [fees, late]
    weight: 2
  - conversation:
      - {role: system, content: Be brief.}
      - {role: user, content: Hello}
      - {role: assistant, content: Hi}
      - {role: user, content: Summarise this.}
variants:
  without_skill:
    command: [claude, -p, "{prompt}"]
    environment: {MODE: quick}
    stdin: "{prompt_file}"
    output: out.md
    transcript: null
    own_home: false
  with_skill: {like: without_skill, skill: skills/x}
  old: {like: with_skill, skill: {path: skills/x, revision: v1.2}, limits: {seconds: 9}}
  model: {model: openai:gpt-5-mini, prompt: "Q: {prompt}", system: Be kind.}
  function: {function: "agent.py:answer"}
  recorded: {recorded: "outputs/{case}/{repeat}.md"}
compare_with: with_skill
gate: {baseline: main, margin: 0.1, min_score: 7, max_failed: 0.05, no_fault: major}
"""

SMALL = "suite: s\ncases: [{id: a, prompt: x}]\nvariants: {v: {command: [echo, hello]}}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A project with a skill, a rubric and files, in which we are."""
    monkeypatch.chdir(tmp_path)
    for path in ("skills/x", "skills/y", "fixtures/late-fee", "rubrics"):
        Path(path).mkdir(parents=True)
    for skill in ("x", "y"):
        Path(f"skills/{skill}/SKILL.md").write_text("---\nname: x\n---\n")
    Path("fixtures/late-fee/invoice.txt").write_text("Late fee: 12\n")
    Path("rubrics/own.md").write_text(
        (Path(evenhand.__file__).parent / "rubrics/builtin/default.md").read_text(encoding="utf-8")
    )
    Path("agent.py").write_text("def answer(prompt, case):\n    return prompt\n")
    return tmp_path


def read(text, name="suite.yaml"):
    Path(name).write_text(text, encoding="utf-8")
    return evenhand.read_suite(name)


def problems(text, name="suite.yaml"):
    with pytest.raises(evenhand.InputError) as caught:
        read(text, name)
    return str(caught.value)


def test_everything_in_a_suite_file_is_read(folder):
    """Each field arrives in its value, paths absolute, limits by unit."""
    suite = read(WHOLE)
    assert (suite.name, suite.skill, suite.rubric, suite.repeats) == ("invoices", "invoice-summary", "default", 3)
    assert (suite.judges, suite.pairs, suite.reference) == (("openai:gpt-5-mini",), True, "with_skill")
    examples = str(folder / "people.yaml")
    assert suite.options == {"thorough": True, "samples": 2, "max_cost": "$5", "examples": examples}
    late, talk = suite.cases
    assert late.files == (StartFile(str(folder / "fixtures/late-fee"), "."),)
    assert late[4:9] == (
        "What the customer owes.",
        str(folder / "rubrics/own.md"),
        "12 euros",
        [{"answer": {"contains": "12"}}],
        ("fees", "late"),
    )
    assert (late.weight, late.place.line) == (Decimal(2), 10)
    assert talk.conversation == (Message("system", "Be brief."), Message("user", "Hello"), Message("assistant", "Hi"))
    assert talk.prompt == "Summarise this."
    writes = (str(folder / "cache"), "/y", str(Path.home() / "z"))
    shared = Limits(Decimal(300), 1_000_000, None, 2 * 1024**3, False, writes, reads=())
    without, with_skill, old, model, function, recorded = suite.variants
    assert without.does == Command(
        ("claude", "-p", "{prompt}"), False, {"MODE": "quick"}, "{prompt_file}", "out.md", None, False
    )
    assert (without.skill, without.limits) == (None, shared)
    assert (with_skill.does, with_skill.skill) == (without.does, Skill(str(folder / "skills/x")))
    assert (old.skill, old.limits) == (Skill(str(folder / "skills/x"), "v1.2"), shared._replace(seconds=Decimal(9)))
    assert model.does == Model("openai:gpt-5-mini", "Q: {prompt}", "Be kind.")
    assert function.does == Function(f"{folder / 'agent.py'}:answer")
    assert recorded.does == Recorded(str(folder / "outputs/{case}/{repeat}.md"))
    assert suite.gate == ("main", Decimal("0.1"), 7, Decimal("0.05"), "major", False, None)
    assert (suite.source, len(suite.sha256)) == (str(folder / "suite.yaml"), 64)


def test_a_small_suite_has_the_usual_settings(folder):
    """Three keys are enough; JSON is read as well."""
    suite = read(SMALL)
    document = {"suite": "s", "cases": [{"id": "a", "prompt": "x"}], "variants": {"v": {"command": ["echo", "hello"]}}}
    same = read(json.dumps(document), "suite.json")
    assert (suite.cases[0].weight, suite.repeats, suite.gate, suite.variants[0].limits) == (
        1,
        1,
        None,
        Limits(reads=()),
    )
    assert [case._replace(place=suite.cases[0].place) for case in same.cases] == list(suite.cases)


@every_case(
    ("line", "message"),
    [
        ("suite: a b", "1: \"a b\" is not a name; names are letters, digits and . _ - without spaces; try a-b"),
        ("suite: " + "a" * 101, "longer than 100 characters"),
        ("suite: ../x", "is not a name"),
        ('suite: "a\\0"', "is not a name"),
        ("rubrik: default", "4: unknown key \"rubrik\"; did you mean rubric? valid: schema, suite"),
        ("rubric: defalt", "4: unknown rubric \"defalt\"; did you mean default?"),
        ("rubric: none.md", "4: "),
        ("judges: [opena:x]", "did you mean openai?"),
        ("judges: [7]", "4: judges must be text"),
        ("pairs: true", "4: pairs needs a model judge"),
        ("calibration: c.json", "4: calibration needs a model judge"),
        ("judges: [checks]\ncalibration: c.json", "5: calibration needs a model judge"),
        ("judges: openai:x\ncalibration: none.json", "none.json"),
        ("options: {sampels: 2}", "4: unknown option \"sampels\"; did you mean samples?"),
        ("options: {samples: 101}", "4: samples: 101 is not valid; give a whole number, 1 to 100"),
        ("options: {thorough: yes please}", "4: thorough: \"yes please\" is not true or false"),
        ("options: {base_url: http://elsewhere.example}", "4: unknown option \"base_url\""),
        ("options: {replies: r.db}", "4: unknown option \"replies\""),
        ("options: 3", "4: must be an object"),
        ("repeats: 0", "4: repeats is 0; it must be a whole number from 1 to 1000"),
        ("repeats: 1001", "4: repeats is 1001"),
        ("repeats: 1.5", "4: repeats is 1.5"),
        ("repeats: true", "4: repeats must be a whole number"),
        ("limits: {seconds: 0}", "4: seconds is 0; it must be a number above 0"),
        ("limits: {memory: 2XB}", "4: memory is \"2XB\"; write a size such as 500MB"),
        ("limits: {output: 0}", "4: output is \"0\""),
        ("limits: {second: 3}", "did you mean seconds?"),
        ("limits: {writes: yes}", '4: writes is "yes"; write a list of folders in which runs can write besides'),
        ("limits: {writes: [1]}", "4: writes must be text"),
        ("limits: 3", "4: must be an object"),
        ("compare_with: w", "4: unknown variant \"w\"; valid: v"),
        ("gate: {margin: -0.1}", "4: margin is -0.1; it must be a number from 0 to 9"),
        ("gate: {min_score: 11}", "4: min_score is 11; it must be a number from 1 to 10"),
        ("gate: {max_failed: 1.01}", "4: max_failed is 1.01; it must be a share from 0 to 1"),
        ("gate: {no_fault: majr}", "did you mean major?"),
        ("schema: evenhand/suite/v9", "4: schema must be evenhand/suite/v1"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_suite_is_reported_at_its_line(folder, line, message):
    """What is wrong, where, and what is valid."""
    key = line.partition(":")[0]
    text = SMALL.replace("suite: s", line) if key == "suite" else SMALL + line + "\n"
    assert message in problems(text)


@every_case(
    ("case", "message"),
    [
        ("{id: a}", "3: a case needs either a prompt or a conversation"),
        ("{id: a, prompt: x, conversation: [{role: user, content: x}]}", "either a prompt or a conversation"),
        ("{id: a, prompt: '  '}", "3: prompt is empty"),
        ('{id: a, prompt: "a\\0b"}', "3: prompt holds the character NUL"),
        ("{id: a, prompt: 7}", "3: prompt must be text; quote numbers"),
        ("{id: a b, prompt: x}", "try a-b"),
        ("{id: true, prompt: x}", "3: id must be text"),
        ("{id: a, promt: x}", "did you mean prompt?"),
        ("{id: a, prompt: x, weight: 0}", "3: weight is 0; it must be a number above 0"),
        ("{id: a, prompt: x, weight: -1}", "weight is -1"),
        ("{id: a, prompt: x, tags: [1]}", "3: tags must be text"),
        ("{id: a, prompt: x, expect: [{anser: y}]}", "3: an expectation is about exactly one of"),
        ("{id: a, prompt: x, expect: []}", "3: expectations are a list"),
        ("{id: a, prompt: x, rubric: nix}", "3: unknown rubric \"nix\""),
        ("{id: a, prompt: x, files: ../other}", "does not exist"),
        ("{id: a, prompt: x, files: /etc}", "3: /etc lies outside"),
        ("{id: a, prompt: x, files: nix.txt}", "3: nix.txt does not exist"),
        ("{id: a, prompt: x, files: [{from: agent.py, to: ../agent.py}]}", "3: ../agent.py leaves the workspace"),
        ("{id: a, prompt: x, files: [{from: agent.py, to: /agent.py}]}", "leaves the workspace"),
        ("{id: a, prompt: x, files: [{from: agent.py}]}", "3: a file is its path, or an object with from and to"),
        ("{id: a, prompt: x, files: [agent.py, {from: rubrics/own.md, to: agent.py}]}", "two files go to agent.py"),
        ("{id: a, prompt: x, vars: {1a: b}}", "3: a variable's name has letters, digits and underscores"),
        ("{id: a, prompt: x, vars: {a: [b]}}", "3: a must be text"),
        ("{id: a, conversation: []}", "3: conversation must be a list"),
        ("{id: a, conversation: [{role: user, content: x}, {role: assistant, content: y}]}", "must be the user's"),
        ("{id: a, conversation: [{role: usr, content: x}]}", "did you mean user?"),
        ("{id: a, conversation: [{content: x}]}", "a message needs a role"),
        ("{id: a, conversation: [{role: user}]}", "a message needs its content"),
        ("7", "3: must be an object with named fields"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_case_is_reported_at_its_line(folder, case, message):
    """The line is that of the case."""
    assert message in problems(f"suite: s\ncases:\n  - {case}\nvariants: {{v: {{command: [echo]}}}}\n")


@every_case(
    ("variant", "message"),
    [
        ("{like: v}", "4: the variant \"v\" is like itself"),
        ("{like: w}\n  w: {like: v}", "4: the variant \"w\" is like itself, through v"),
        ("{like: x}", "4: unknown variant \"x\""),
        ("{}", "4: a variant is exactly one of command, function, model, recorded; or like another"),
        ("{command: [a], model: openai:b}", "exactly one of command, function, model, recorded, not command and model"),
        ("{command: a b}", "4: command must be a list of arguments, such as [claude, -p, '{prompt}']"),
        ("{command: []}", "command must be a list"),
        ("{command: ['']}", "name a program"),
        ("{command: [a, 7]}", "4: command must be text"),
        ("{command: [a, '{promt}']}", "unknown placeholder \"{promt}\"; did you mean {prompt}?"),
        ("{command: [a, '{{prompt}}']}", "{prompt} cannot be written literally here"),
        ("{command: [a, '{vars.word}']}", '2: the case "a" has no word in vars, which the variant "v" uses'),
        ("{command: 'a {vars.word}', shell: true}", "a shell would run what is in {vars.NAME}"),
        ("{recorded: 'out/{vars.word}.md'}", "unknown placeholder \"{vars.word}\""),
        ("{command: [a], stdin: '{nix}'}", "unknown placeholder \"{nix}\""),
        ("{command: 'echo {prompt}', shell: true}", "a shell would run what is in the prompt"),
        ("{command: [echo], shell: true}", "with shell: true, command is a single text"),
        ("{command: [a], shell: maybe}", "shell must be true or false"),
        ("{command: [a], system: x}", "\"system\" does not go with command; valid beside it: shell"),
        ("{command: [a], environment: {A: 7}}", "A must be text"),
        ("{command: [a], environment: {'A=B': c}}", "a variable's name must not"),
        ("{command: [a], output: ../x}", "output must be a file inside the workspace"),
        ("{command: [a], output: /x}", "output must be a file inside the workspace"),
        ("{command: [a], skill: skills/z}", "4: there is no SKILL.md in skills/z"),
        ("{command: [a], skill: {revision: v1}}", "a skill needs the path of its folder"),
        ("{command: [a], skill: {path: skills/x, revision: --upload-pack=x}}", "a git revision is a tag"),
        ("{command: [a], commnd: [b]}", "did you mean command?"),
        ("{model: openai}", "needs a model: openai:MODEL"),
        ("{model: checks}", "\"checks\" is not a model"),
        ("{model: openai:x, prompt: hello}", "prompt must hold {prompt}"),
        ("{model: openai:x, prompt: '{prompt} {workspace}'}", "unknown placeholder \"{workspace}\""),
        ("{function: answer}", "function must be file.py:name or package.module:name"),
        ("{function: 'nix.py:answer'}", "there is no file nix.py"),
        ("{function: 'agent.py:1x'}", "function must be file.py:name"),
        ("{function: 'agent.py:a.b'}", "function must be file.py:name"),
        ("{recorded: 'out/{nr}.md'}", "unknown placeholder \"{nr}\""),
        ("7", "4: must be an object"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_variant_is_reported_at_its_line(folder, variant, message):
    """The line is that of the variant."""
    assert message in problems(f"suite: s\ncases: [{{id: a, prompt: x}}]\nvariants:\n  v: {variant}\n")


def test_all_problems_are_reported_at_once_in_the_order_of_lines(folder):
    """Nobody mends a file one error at a time."""
    text = "suite: a b\nrepeats: 0\ncases:\n  - {id: a}\n  - {id: a, prompt: x}\nvariants: {v: {like: v}}\n"
    lines = [line.split(":")[1] for line in problems(text).splitlines()]
    assert lines == ["1", "2", "4", "5", "6"]


@pytest.mark.parametrize("text", ["7", "[]", "null", "suite: s", "{}", "a: b: c", "", "\0", "a\n---\nb"])
def test_rejects_what_is_not_a_suite(folder, text):
    """With the name of the file."""
    assert problems(text).startswith("suite.yaml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "prompts: [x]\nproviders: [echo]\ntests: []\n",
            "f.yaml: is a file of promptfoo, not a suite; make one from it with: "
            "evenhand run import f.yaml -o suite.yaml",
        ),
        (
            "name: n\ntasks: [tasks/*.yaml]\n",
            "f.yaml: is a file of waza, not a suite; make one from it with: evenhand run import f.yaml -o suite.yaml",
        ),
        (
            "{skill_name: s, evals: []}",
            "f.yaml: is skill-creator's evals.json; a suite names it as it is: cases: evals.json",
        ),
    ],
)
def test_a_file_of_another_tool_is_told_the_way_in(folder, text, message):
    """In one line: a list of unknown keys would not help."""
    assert problems(text, "f.yaml") == message


def test_a_folder_stands_for_the_suite_in_it(folder):
    """`evenhand run evals` is `evenhand run evals/suite.yaml`; a folder without one is refused."""
    Path("evals").mkdir()
    Path("evals/suite.yaml").write_text(SMALL)
    assert evenhand.read_suite("evals") == evenhand.read_suite("evals/suite.yaml")
    with pytest.raises(evenhand.InputError, match="skills: is a directory; name a file"):
        evenhand.read_suite("skills")


def test_a_suite_without_cases_or_variants_is_refused(folder):
    """Nothing would be run."""
    assert "2: cases must be a folder, a file, or a list" in problems(SMALL.replace("[{id: a, prompt: x}]", "[]"))
    assert "3: a suite needs at least one variant" in problems(SMALL.replace("{v: {command: [echo, hello]}}", "{}"))


def test_one_recorded_output_is_not_counted_several_times(folder):
    """A pattern without {case} or {repeat} is refused where it would serve for several."""
    text = "suite: s\nrepeats: {}\ncases: [{}]\nvariants: {{v: {{recorded: '{}'}}}}\n"
    one, two = "{id: a, prompt: x}", "{id: a, prompt: x}, {id: b, prompt: y}"
    assert read(text.format(1, one, "out.md")).variants[0].does == Recorded(str(folder / "out.md"))
    assert '"v" needs {case}' in problems(text.format(1, two, "out.md"))
    assert '"v" needs {repeat} in its path: all 2 repeats' in problems(text.format(2, one, "out.md"))
    assert read(text.format(2, two, "{case}-{repeat}.md")).repeats == 2


def test_braces_that_are_not_placeholders_stay(folder):
    """JSON in an argument, a word in double braces, and a shell's own braces."""
    text = SMALL.replace("[echo, hello]", "[a, '{\"x\": 1}', '{{print}}', '${HOME}']")
    assert read(text).variants[0].does.arguments == ("a", '{"x": 1}', "{print}", "${HOME}")
    shell = SMALL.replace("[echo, hello]", "'echo ${X} {a,b} {y}', shell: true")
    assert read(shell).variants[0].does.arguments == ("echo ${X} {a,b} {y}",)


def test_versions_of_a_skill_are_one_line(folder):
    """None, a revision, another folder, and as it is now."""
    line = "variants: {command: [claude, -p, '{prompt}'], skill: skills/x, versions: [none, v1.2, ./skills/y, now]}\n"
    suite = read("suite: s\ncases: [{id: a, prompt: x}]\n" + line)
    path, other = str(folder / "skills/x"), str(folder / "skills/y")
    assert [(variant.name, variant.skill) for variant in suite.variants] == [
        ("without_skill", None),
        ("v1.2", Skill(path, "v1.2")),
        ("y", Skill(other)),
        ("with_skill", Skill(path)),
    ]
    assert {variant.does.arguments for variant in suite.variants} == {("claude", "-p", "{prompt}")}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{command: [a], versions: [none]}", "versions needs the skill's folder"),
        ("{command: [a], skill: skills/x, versions: []}", "versions is empty"),
        ("{command: [a], skill: skills/x, versions: [now, now]}", "two versions are named \"with_skill\""),
        ("{command: [a], skill: skills/z, versions: [now]}", "there is no SKILL.md in skills/z"),
        ("{command: [a], skill: skills/x, versions: [7]}", "versions must be text"),
        ("{command: [a], skill: skills/x, versions: ['-x']}", "a git revision is a tag"),
        ("{command: [a], like: b, skill: skills/x, versions: [now]}", "unknown key \"like\""),
        ("{skill: skills/x, versions: [now]}", "a variant is exactly one of"),
    ],
)  # fmt: skip
def test_a_mistake_in_versions_is_reported(folder, line, message):
    """As in variants that are written out."""
    assert message in problems(f"suite: s\ncases: [{{id: a, prompt: x}}]\nvariants: {line}\n")


def test_a_case_without_an_id_gets_one_from_its_prompt(folder):
    """Its first words and a hash: the order of cases does not matter."""
    text = "suite: s\ncases: [{prompt: Sum up the long invoice}, {prompt: '!'}]\nvariants: {v: {command: [a]}}\n"
    first, second = read(text).cases
    assert first.id.startswith("sum-up-the-long-")
    assert read(text.replace("{prompt: '!'}", "{id: b, prompt: c}")).cases[0].id == first.id
    assert len(second.id) == 6
    assert "give one of them an id" in problems(text.replace("'!'", "Sum up the long invoice"))


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links here")
def test_links_out_of_the_suites_folder_are_refused(folder, tmp_path_factory):
    """The link itself, and one inside a folder that is copied; links that stay inside are fine."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret").write_text("x")
    text = "suite: s\ncases: [{id: a, prompt: x, files: FILES}]\nvariants: {v: {command: [a]}}\n"
    Path("link").symlink_to(outside / "secret")
    assert "link lies outside" in problems(text.replace("FILES", "link"))
    Path("fixtures/late-fee/inside").symlink_to("invoice.txt")
    assert read(text.replace("FILES", "fixtures")).cases
    Path("fixtures/late-fee/out").symlink_to(outside)
    message = "fixtures holds a link that leads out of the suite's folder: late-fee/out"
    assert message in problems(text.replace("FILES", "fixtures"))
    Path("loop").symlink_to("loop")
    assert "loop does not exist" in problems(text.replace("FILES", "loop"))


def test_paths_start_at_the_suite_file(folder, monkeypatch):
    """Wherever the command is run."""
    Path("deep/er").mkdir(parents=True)
    text = WHOLE.replace("fixtures/late-fee", "er")
    for name in ("skills/", "agent.py", "rubrics/"):
        text = text.replace(name, f"../{name}")
    Path("deep/suite.yaml").write_text(text)
    suite = evenhand.read_suite("deep/suite.yaml")
    assert suite.cases[0].files == (StartFile(str(folder / "deep/er"), "."),)
    assert suite.variants[1].skill == Skill(str(folder / "skills/x"))
    monkeypatch.chdir(folder / "skills")
    assert evenhand.read_suite("../deep/suite.yaml").cases[0].files == suite.cases[0].files


def test_recordings_of_judges_are_found_beside_the_suite(folder):
    """replay:FILE is a path like any other."""
    suite = read(SMALL + "judges: replay:recorded/a.jsonl\n")
    assert suite.judges == (f"replay:{folder / 'recorded/a.jsonl'}",)
