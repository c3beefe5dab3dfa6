"""Suites from promptfoo's configurations and waza's eval.yaml: what is imported, and what is said to be left out."""

from __future__ import annotations

import json
import sys
from decimal import Decimal
from pathlib import Path

import pytest

import evenhand
from evenhand.cli.main import run as run_command
from evenhand.decisions.values.suite import Command, Message, Model, StartFile
from evenhand.findings.expectations.decisions import decide
from evenhand.findings.expectations.expectation_list import expectations_from
from evenhand.suites.importing.known_tools import import_suite
from evenhand.suites.importing.promptfoo_assertions import comma_separated
from evenhand.work.submission import Submission


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(path, text=""):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


def imported(text, name="promptfooconfig.yaml"):
    """The suite that comes out of a file, and the notes as lines."""
    put(name, text if isinstance(text, str) else json.dumps(text))
    made = import_suite(name, Path())
    put("made.yaml", made.text)
    return evenhand.read_suite("made.yaml"), [str(note) for note in made.notes]


PROMPTFOO = """\
description: Capital cities
prompts:
  - 'Answer briefly: {{question}}'
  - {raw: 'Q: {{ question }}', label: Short}
providers:
  - openai:chat:gpt-5-mini
  - {id: 'anthropic:messages:claude-x', label: Claude, config: {temperature: 0}}
  - file://own.py
defaultTest:
  assert:
    - {type: cost, threshold: 0.002}
    - {type: latency, threshold: 1500}
tests:
  - description: France
    vars: {question: 'Capital of {France}?', answer: Paris}
    metadata: {level: easy}
    assert:
      - {type: equals, value: '{{answer}}'}
      - {type: icontains, value: PARIS, weight: 2}
      - {type: similar, value: Paris}
  - vars: {question: [Capital of Spain?, Capital of Peru?]}
    threshold: 0.5
    assert:
      - {type: llm-rubric, value: Names one city only}
evaluateOptions: {repeat: 3, timeoutMs: 30000, delay: 5}
nunjucksFilters: {shout: shout.js}
"""


def test_the_common_part_of_a_promptfoo_configuration_is_imported():
    """Prompts times providers are the variants, the shared variable is the case's prompt."""
    suite, notes = imported(PROMPTFOO)
    assert (suite.name, suite.repeats) == ("capital-cities", 3)
    assert {variant.name: variant.does for variant in suite.variants} == {
        "openai-chat-gpt-5-mini-1": Model("openai:gpt-5-mini", "Answer briefly: {prompt}"),
        "openai-chat-gpt-5-mini-short": Model("openai:gpt-5-mini", "Q: {prompt}"),
        "claude-1": Model("anthropic:claude-x", "Answer briefly: {prompt}"),
        "claude-short": Model("anthropic:claude-x", "Q: {prompt}"),
    }
    france, spain, peru = suite.cases
    limits = [{"limit": {"cost": Decimal("0.002")}}, {"limit": {"seconds": Decimal("1.5")}}]
    assert (france.id, france.prompt, france.tags) == ("france", "Capital of {France}?", ("level:easy",))
    assert france.expect == [*limits, {"answer": {"matches": r"\AParis\n?\Z"}}, {"answer": {"matches": "(?i)PARIS"}}]
    assert [(case.id, case.prompt) for case in (spain, peru)] == [
        ("test-2", "Capital of Spain?"),
        ("test-2-2", "Capital of Peru?"),
    ]
    assert peru.expect == [*limits, {"text": "Names one city only"}]
    assert suite.variants[0].limits.seconds == 30
    assert [note.removeprefix("promptfooconfig.yaml:") for note in notes] == [
        "7: left out: config",
        "8: left out: the provider file://own.py",
        "20: left out: the assertion similar",
        "22: left out: the threshold, because a sentence for a judge is among the assertions; each counts by itself",
        "25: left out: delay",
        "26: left out: nunjucksFilters",
    ]


SCENARIOS = """\
prompts: ['Into {{language}}: {{input}}']
providers: [openai:m]
defaultTest: {assert: [{type: contains, value: '.'}]}
scenarios:
  - description: Greetings
    config:
      - {vars: {language: Spanish, hello: Hola}, assert: [{type: not-contains, value: Hello}], metadata: {to: es}}
      - {vars: {language: French, hello: Bonjour}, provider: openai:n}
    tests:
      - {description: Hello, vars: {input: Hello}, assert: [{type: contains, value: '{{hello}}'}], providers: [m]}
      - {vars: {input: Bye, language: Latin}}
    order: random
  - file://more/*.yaml
  - no scenario
  - {config: {}}
"""


def test_every_set_of_data_of_a_scenario_meets_every_test():
    """As promptfoo merges them: default, then data, then test; filters by provider and other keys are noted."""
    put("more/one.yaml", "config: [{vars: {language: German, input: Thanks}}]\n")
    suite, notes = imported(SCENARIOS)
    assert [(case.id, case.prompt) for case in suite.cases] == [
        ("hello", "Into Spanish: Hello"),
        ("test-2", "Into Latin: Bye"),
        ("hello-2", "Into French: Hello"),
        ("test-4", "Into Latin: Bye"),
        ("test-5", "Into German: Thanks"),
    ]
    dot = {"answer": {"contains": "."}}
    assert suite.cases[0].expect == [
        dot,
        {"answer": {"lacks": ["Hello"]}},
        {"answer": {"contains": "Hola"}},
    ]
    assert (suite.cases[0].tags, suite.cases[2].tags) == (("to:es",), ())
    assert (suite.cases[2].expect, suite.cases[4].expect) == ([dot, {"answer": {"contains": "Bonjour"}}], [dot])
    assert [note.removeprefix("promptfooconfig.yaml:") for note in notes] == [
        "8: left out: provider; every variant is run on it",
        "10: left out: providers; every variant is run on it",
        "12: left out: order",
        "14: left out: scenarios in no scenario: only .yaml, .yml, .json, .jsonl, .csv are read",
        "15: left out: a scenario without a list of data under config",
    ]


def assertions(*items):
    tests = [{"vars": {"x": "1"}, "assert": list(items)}]
    suite, notes = imported(
        json.dumps({"prompts": ["{{x}}"], "providers": ["openai:m"], "tests": tests}), "promptfooconfig.json"
    )
    return suite.cases[0].expect, notes


@pytest.mark.parametrize(
    ("assertion", "expected"),
    [
        ({"type": "equals", "value": "a."}, {"matches": r"\Aa\.\n?\Z"}),
        ({"type": "equals", "value": 4}, {"matches": r"\A4\n?\Z"}),
        ({"type": "contains", "value": "a{{x}}"}, {"contains": "a1"}),
        ({"type": "contains-all", "value": ["a", "b"]}, {"contains": ["a", "b"]}),
        ({"type": "contains-any", "value": ["a.", "b"]}, {"matches": "a\\.|b"}),
        ({"type": "contains-any", "value": "a{{x}}, b"}, {"matches": "a1|b"}),
        ({"type": "contains-all", "value": "a, b"}, {"contains": ["a", "b"]}),
        ({"type": "not-equals", "value": "a."}, {"matches": r"\A(?!a\.\n?\Z)"}),
        ({"type": "not-starts-with", "value": "a."}, {"matches": "\\A(?!a\\.)"}),
        ({"type": "icontains-any", "value": ["a", "b"]}, {"matches": "(?i)a|b"}),
        ({"type": "not-contains", "value": "a"}, {"lacks": ["a"]}),
        ({"type": "regex", "value": "a+"}, {"matches": "a+"}),
        ({"type": "not-regex", "value": "a+"}, {"matches": "\\A(?![\\s\\S]*(?:a+))"}),
        ({"type": "not-icontains", "value": "a"}, {"matches": "(?i)\\A(?![\\s\\S]*(?:a))"}),
        ({"type": "starts-with", "value": "a."}, {"matches": "\\Aa\\."}),
        ({"type": "assert-set", "assert": [{"type": "contains", "value": "a"}]}, {"contains": "a"}),
    ],
)
def test_a_deterministic_assertion_becomes_an_expectation(assertion, expected):
    """With the same meaning, and nothing left to say."""
    assert assertions(assertion) == ([{"answer": expected}], [])


@pytest.mark.parametrize(
    "assertion",
    [
        {"type": "python", "value": "file://check.py"},
        {"type": "javascript", "value": "context.providerResponse.cached"},
        {"type": "javascript", "value": "const {provider} = context;\nreturn provider.id() === output"},
        {"type": "python", "value": "context.get('trace') is None"},
        {"type": "javascript", "value": "context.test.assert.length > 1"},
        {"type": "javascript", "value": ""},
        {"type": "similar", "value": "a", "threshold": 0.8},
        {"type": "regex", "value": "a("},
        {"type": "contains", "value": ["a", "b"]},
        {"type": "contains-any", "value": '"a'},
        {"type": "contains", "value": "file://x.txt"},
        {"type": "contains", "value": "a", "transform": "output.trim()"},
        {"type": "assert-set", "threshold": 0.5, "assert": []},
        {"type": "equals"},
        {"value": "a"},
        "a",
    ],
)
def test_an_assertion_without_a_counterpart_is_left_out_and_listed(assertion):
    """Nothing is guessed in its place."""
    expect, notes = assertions(assertion)
    assert expect is None
    assert len(notes) == 1
    assert "left out: " in notes[0]


@pytest.mark.parametrize(
    ("output", "met"),
    [
        ("a.", True), ("a.\n", True), (" a.", False), ("a. ", False), ("A.", False), ("Answer: a.", False), ("", False),
    ],
)  # fmt: skip
def test_equals_is_exact_as_in_promptfoo(output, met):
    """White space counts, but for the end of the line that a command prints."""
    assert holds({"type": "equals", "value": "a."}, output) is met
    assert holds({"type": "not-equals", "value": "a."}, output) is not met


@pytest.mark.parametrize(
    ("output", "met"),
    [
        ('{"b": [1, true], "a": "1"}', True),
        ('{"a": "1", "b": [1.0, true]}', True),
        ('{"a": 1, "b": [1, true]}', False),  # a number is not its text
        ('{"a": "1", "b": [1, 1]}', False),
        ('{"a": "1", "b": [true, 1]}', False),
        ('{"a": "1", "b": [1, true], "c": null}', False),
        ('```json\n{"a": "1", "b": [1, true]}\n```', False),
        ("no JSON", False),
    ],
)
def test_json_is_equalled_as_in_promptfoo(output, met):
    """Deeply and strictly, by the whole output."""
    assert holds({"type": "equals", "value": {"a": "1", "b": [1, True]}}, output) is met


@pytest.mark.parametrize(
    ("schema", "output", "met"),
    [
        (None, "[1]", True),
        (None, "```json\n{}\n```", False),
        ({"type": "object", "required": ["a"], "properties": {"a": {"minimum": 1.5}}}, '{"a": 2}', True),
        ({"type": "object", "required": ["a"], "properties": {"a": {"minimum": 1.5}}}, '{"a": 1}', False),
        ({"type": "object"}, "[1]", False),
        (False, "{}", False),
        ("file://shape.json", '{"a": 1}', True),
        ("file://shape.json", "{}", False),
    ],
)
def test_is_json_holds_to_its_schema(schema, output, met):
    """Inline or in a file; the whole output is JSON."""
    pytest.importorskip("jsonschema")
    put("shape.json", '{"required": ["a"]}')
    assert holds({"type": "is-json"} | ({} if schema is None else {"value": schema}), output) is met


def holds(assertion, output):
    """Whether an output meets the expectations that an assertion becomes."""
    expect, notes = assertions(assertion)
    assert notes == []
    return all(expected.result == "met" for expected in decide(expectations_from(expect), Submission(output)))


@pytest.mark.parametrize(
    ("assertion", "script"),
    [
        ({"type": "javascript", "value": "output.length > 3"}, {"javascript": "output.length > 3"}),
        ({"type": "not-python", "value": "'{{x}}' in output"}, {"python": "'1' in output", "negated": True}),
        ({"type": "python", "value": "0.5", "threshold": 0.4}, {"python": "0.5", "threshold": Decimal("0.4")}),
        (
            {"type": "javascript", "value": "output === context.vars.x"},
            {"javascript": "output === context.vars.x", "vars": {"x": "1"}},
        ),
        (
            {"type": "javascript", "value": "output.length < context.prompt.length"},
            {"javascript": "output.length < context.prompt.length", "vars": {"x": "1"}},
        ),
        (
            {"type": "python", "value": "len(output) < context['config']['most']", "config": {"most": 3}},
            {"python": "len(output) < context['config']['most']", "vars": {"x": "1"}, "config": {"most": 3}},
        ),
        (
            {"type": "javascript", "value": "const {vars, prompt} = context;\nreturn output === vars.x"},
            {"javascript": "const {vars, prompt} = context;\nreturn output === vars.x", "vars": {"x": "1"}},
        ),
    ],
)
def test_code_becomes_a_script(assertion, script):
    """With the test's variables, where it asks for them."""
    assert assertions(assertion) == ([{"script": script}], [])


def test_a_script_sees_the_test_it_belongs_to():
    """Metadata and options of defaultTest with those of the test; what the code does not mention is not repeated."""
    suite, notes = imported(
        "prompts: ['{{x}}']\nproviders: ['openai:m']\ndefaultTest: {metadata: {owner: ana}}\n"
        "tests:\n  - description: first\n    vars: {x: '1'}\n    metadata: {level: 2}\n    assert:\n"
        "      - {type: javascript, value: 'context.test.metadata.level === 2'}\n"
        "      - {type: javascript, value: 'output === context.vars.x'}\n",
        "promptfooconfig.yaml",
    )
    assert notes == []
    first, second = (entry["script"] for entry in suite.cases[0].expect)
    assert first["test"] == {"description": "first", "metadata": {"owner": "ana", "level": 2}}
    assert "test" not in second


@pytest.mark.parametrize(
    ("config", "expected", "left_out"),
    [
        ("{required_skills: [a, b], mode: any_order}", [{"used": "a"}, {"used": "b"}], False),
        ("{required_skills: [a], mode: in_order}", [{"used": "a"}], False),
        ("{required_skills: [a, b], mode: in_order}", [], True),
        ("{required_skills: [a, a], mode: any_order}", [], True),
        ("{required_skills: [a], mode: any_order, allow_extra: false}", [], True),
        ("{required_skills: [a], mode: exact_match, forbidden_skills: [c]}", [{"unused": "c"}], True),
    ],
)
def test_waza_skill_invocations(config, expected, left_out):
    """Skills that must be used, in any order, and those that must not."""
    put("tasks/a.yaml", "id: a\nname: A\ninputs: {prompt: x}\nexpected: {output_contains_any: [A., b]}\n")
    suite, notes = imported(
        f"name: n\nskill: s\nconfig: {{}}\ngraders: [{{type: skill_invocation, name: g, config: {config}}}]\n"
        "tasks: [tasks/a.yaml]\n",
        "eval.yaml",
    )
    any_of = {"answer": {"matches": r"(?i)A\.|b"}}
    skills = [{"skill": rule} for rule in expected]
    assert suite.cases[0].expect == [*skills, any_of]
    assert any("left out: skills in an order" in note for note in notes) is left_out


def test_several_prompts_with_several_variables_are_variants_with_templates():
    """Prompts times providers, as promptfoo compares them; cases have the variables, judges get the first prompt."""
    put("chat.json", json.dumps([{"role": "system", "content": "To {{b}}!"}, {"role": "user", "content": "{{a}}"}]))
    suite, notes = imported(
        "prompts: ['{{a}} to {{ b }}, {x}', {raw: 'Say {{a}} in {{b}}', label: Say}, file://chat.json]\n"
        "providers: [openai:m, 'exec:./agent']\ntests: [{vars: {a: cat, b: 'French {prompt}', c: z}}]\n"
    )
    [case] = suite.cases
    assert (case.prompt, dict(case.variables)) == ("cat to French {prompt}, {x}", {"a": "cat", "b": "French {prompt}"})
    assert {variant.name: variant.does for variant in suite.variants} == {
        "openai-m-1": Model("openai:m", "{vars.a} to {vars.b}, {x}"),
        "openai-m-say": Model("openai:m", "Say {vars.a} in {vars.b}"),
        "openai-m-chat": Model("openai:m", "{vars.a}", "To {vars.b}!"),
        "agent-1": Command(("./agent", "{vars.a} to {vars.b}, {x}")),
        "agent-say": Command(("./agent", "Say {vars.a} in {vars.b}")),
        "agent-chat": Command(("./agent", "To {vars.b}!\n\n{vars.a}")),
    }
    assert [note.rpartition(": ")[2][:20] for note in notes] == ["a program is given t", "the program is given"]


def test_a_prompt_that_cannot_be_a_template_beside_others_is_filled_in_for_each_case():
    """One without a variable, and one with a placeholder of ours in it; a longer conversation is left out."""
    turns = [("user", "{{a}}"), ("assistant", "b"), ("user", "{{b}}")]
    put("chat.json", json.dumps([{"role": role, "content": text} for role, text in turns]))
    suite, notes = imported(
        "prompts:\n- '{{a}} {{b}}'\n- '{{b}} {{a}}'\n- Hi\n- file://chat.json\n- '{{a}} {case}'\n"
        "providers: openai:m\ntests: [{vars: {a: x}}]\n"
    )
    assert [variant.does.template for variant in suite.variants] == [
        "{vars.a} {vars.b}", "{vars.b} {vars.a}", "{vars.prompt_3}", "{vars.prompt_4}",
    ]  # fmt: skip
    assert dict(suite.cases[0].variables) == {"a": "x", "b": "", "prompt_3": "Hi", "prompt_4": "x {case}"}
    advice = "; import it by itself, in a configuration of its own"
    assert [note.removeprefix("promptfooconfig.yaml:").removesuffix(advice) for note in notes] == [
        '5: left out: the prompt "chat": it is a longer conversation',
        "8: changed: the test test-1 has no variable b; it is empty",
    ]


def test_a_conversation_in_a_file_becomes_one():
    """With the variables filled in; what a program makes and a template with an unknown filter are left out."""
    messages = [{"role": "system", "content": "Be {{how}}."}, {"role": "user", "content": "{{x}}"}]
    put("chat.json", json.dumps(messages))
    put("texts.txt", "{{ x | shout }}\n")
    suite, notes = imported(
        "prompts: [file://chat.json, file://texts.txt, exec:./make.sh, langfuse://p]\n"
        "providers: ['exec: python agent.py --fast']\ntests: [{vars: {how: kind, x: Hello}}]\n"
    )
    assert (suite.cases[0].conversation, suite.cases[0].prompt) == ((Message("system", "Be kind."),), "Hello")
    assert suite.variants[0].does == Command(("python", "agent.py", "--fast", "{prompt}"))
    assert sum("a prompt with the filter shout in its template" in note for note in notes) == 1
    assert sum("left out: the prompt " in note for note in notes) == 2


@pytest.mark.parametrize(("into", "way"), [(".", "./tools/agent.py"), ("evals", "../tools/agent.py")])
def test_a_program_beside_the_configuration_is_found_from_the_suite(into: str, way: str):
    """promptfoo runs it in the configuration's folder, we run it in a workspace, from which it can read that folder.

    What is on PATH stays as it is.
    """
    put("tools/agent.py", "")
    put("python", "")
    put("config.yaml", "prompts: ['{{q}}']\nproviders: ['exec: python tools/agent.py -q']\ntests: [{vars: {q: x}}]\n")
    made = import_suite("config.yaml", Path(into))
    assert f"command: [python, {way}, -q, '{{prompt}}']" in made.text
    assert f"reads: [{'.' if into == '.' else '..'}]" in made.text
    put(f"{into}/suite.yaml", made.text)
    command = Command(("python", str(Path("tools/agent.py").absolute()), "-q", "{prompt}"))
    assert evenhand.read_suite(f"{into}/suite.yaml").variants[0].does == command


def test_tests_in_files_are_imported():
    """YAML, JSONL and CSV, in which columns that start with two underscores are promptfoo's own."""
    put("t/a.yaml", "- vars: {q: one}\n- vars: {q: file://t/long.txt}\n- 7\n")
    put("t/long.txt", "long\n\n")
    put("t/b.jsonl", '{"vars": {"q": "two"}, "assert": [{"type": "contains", "value": "b"}]}\n')
    put(
        "t/c.csv",
        "q,__expected,__description,__metadata:kind,__threshold\nthree,contains: c,Third,odd,0.5\nfour,4,,,\n",
    )
    suite, notes = imported(
        "prompts: ['{{q}}']\nproviders: [openai:m]\ntests: [file://t/*.yaml, t/b.jsonl, file://t/c.csv, file://t/d.js]\n"
    )
    assert [case.prompt for case in suite.cases] == ["one", "long", "two", "three", "four"]
    third, fourth = suite.cases[3:]
    assert (third.id, third.tags, third.expect) == ("third", ("kind:odd",), [{"answer": {"contains": "c"}}])
    assert fourth.expect == [{"answer": {"matches": r"\A4\n?\Z"}}]
    assert any("c.csv:2: left out: __threshold" in note for note in notes)
    assert any("left out: a test that is not an object" in note for note in notes)
    assert any("left out: tests in t/d.js: only .yaml" in note for note in notes)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ({"threshold": 0.5}, {"share": {"at_least": Decimal("0.5"), "of": ["a", "b"], "weights": [3, 1]}}),
        ({"threshold": 1}, "each"),
        ({"threshold": 0}, "none"),
        ({}, "each"),
    ],
)
def test_weights_count_where_there_is_a_threshold(test, expected):
    """As in promptfoo: without one each assertion must pass, and from 0 on every output does."""
    pair = [{"type": "contains", "value": "a", "weight": 1.5}, {"type": "contains", "value": "b", "weight": 0.5}]
    suite, _ = imported({"prompts": ["p"], "providers": ["openai:m"], "tests": [{"assert": pair, **test}]})
    each = [{"answer": {"contains": "a"}}, {"answer": {"contains": "b"}}]
    if isinstance(expected, dict):
        expected["share"]["of"] = each
        assert suite.cases[0].expect == [expected]
        assert expectations_from(suite.cases[0].expect)[0].words.startswith("at least 50% of: answer contains a; ")
    else:
        assert suite.cases[0].expect == {"each": each, "none": None}[expected]


def test_a_set_counts_with_the_mean_of_its_own_assertions():
    """In a test with a threshold; 2 x (1/4, 3/4) and 1 are 1/2, 3/2 and 1. Else it passes by its own threshold."""
    contains = [{"type": "contains", "value": letter, "weight": weight} for letter, weight in (("a", 1), ("b", 3))]
    group = {"type": "assert-set", "weight": 2, "threshold": 0.7, "assert": contains}
    test = {"assert": [group, {"type": "contains", "value": "c"}]}
    config = {"prompts": ["p"], "providers": ["openai:m"]}
    suite, notes = imported({**config, "tests": [{**test, "threshold": 0.6}]})
    (share,) = suite.cases[0].expect
    assert share["share"]["weights"] == [1, 3, 2] and not notes
    suite, notes = imported({**config, "tests": [test]})
    inner, last = suite.cases[0].expect
    assert (inner["share"]["at_least"], inner["share"]["weights"], last) == (
        Decimal("0.7"), [1, 3], {"answer": {"contains": "c"}},
    )  # fmt: skip
    assert not notes


def test_a_sentence_for_a_judge_is_not_part_of_a_share():
    """Each is asked by itself, and the threshold is listed."""
    listed = [{"type": "llm-rubric", "value": "Is polite"}, {"type": "contains", "value": "a"}]
    suite, notes = imported(
        {"prompts": ["p"], "providers": ["openai:m"], "tests": [{"assert": listed, "threshold": 0.5}]}
    )
    assert suite.cases[0].expect == [{"text": "Is polite"}, {"answer": {"contains": "a"}}]
    assert len(notes) == 1 and "threshold" in notes[0]


def test_variables_in_files_and_inside_one_another_are_resolved():
    """Files start at the configuration's folder; YAML in a variable is JSON; what a program makes is left out."""
    put("v/one.yaml", "who: Ada\nhello: 'Hello {{who}}, {{ unknown }}'\n")
    put("v/two.json", '{"who": "Bob"}')
    put("v/facts.yaml", "a: [1, ü]\n")
    put(
        "default.yaml",
        "vars: {end: '{{sign}}!', sign: '?'}\nassert: [{type: contains, value: '{{who}}'}]\nthreshold: 1\n",
    )
    suite, notes = imported(
        "prompts: ['{{hello}} {{end}} {{facts}}']\nproviders: openai:m\ndefaultTest: file://default.yaml\ntests:\n"
        "- vars: [v/one.yaml, v/two.json]\n"
        "- vars: {hello: Hi, who: Cy, facts: file://v/facts.yaml, more: file://more.py}\n"
        "- vars: v/gone.yaml\n- path: file://tests.py\n"
    )
    assert [case.prompt for case in suite.cases[:2]] == ["Hello Bob, {{ unknown }} ?! ", 'Hi ?! {"a":[1,"ü"]}']
    assert suite.cases[1].expect == [{"answer": {"contains": "Cy"}}]
    assert [note.partition("left out: ")[2][:35] for note in notes if "left out" in note] == [
        "the variable more: only texts are l",
        "the variables in v/gone.yaml: v/gon",
        "tests generated by a program",
        "the assertion contains",
    ]


def test_a_test_whose_prompt_is_empty_is_left_out():
    """A case has to ask for something."""
    suite, notes = imported("prompts: ['{{a}}']\nproviders: openai:m\ntests: [{vars: {a: x}}, {vars: {b: y}}]\n")
    assert [case.prompt for case in suite.cases] == ["x"]
    assert any("left out: the test test-2, because its prompt is empty" in note for note in notes)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("a, b ,,c", ["a", "b", "c"]),
        ('"a, b", c', ["a, b", "c"]),
        (r'"say ""hi""", "b\"c\\"', ['say "hi"', 'b"c\\']),
        ('"a" b', []),
        ('"a', []),
        (" , ", []),
    ],
)
def test_a_text_with_commas_is_split_as_promptfoo_does_it(text, fields):
    """Quotes may hold commas and quotes; what promptfoo refuses gives nothing."""
    assert comma_separated(text) == fields


def test_text_that_looks_like_something_else_stays_text():
    """What is written is read back the same: numbers, words of YAML, white space and other scripts."""
    texts = [
        "1e5",
        "08",
        "0x1F",
        "no",
        "null",
        "~",
        "2024-01-01",
        "1_000",
        "a: b",
        "- x",
        "# c",
        " x ",
        "a\n b\n\n",
        "日本",
        "'",
        "\t",
    ]
    tests = [{"vars": {"q": text + ("." if not text.strip() else "")}} for text in texts]
    suite, _ = imported(json.dumps({"prompts": ["{{q}}"], "providers": ["openai:m"], "tests": tests}), "p.json")
    expected = [test["vars"]["q"].removesuffix("\n") for test in tests]  # promptfoo takes one line's end off
    assert [case.prompt for case in suite.cases] == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1", "is neither a promptfoo configuration"),
        ("[]", "is not a configuration"),
        ('{"evals": []}', "a suite names it as it is: cases: evals.json"),
        ("providers: [x:y]\nprompts: [a]\n", "a suite needs at least one variant"),
        ("providers: [openai:m]\nprompts: ['{% x %}']\n", "no prompt could be imported"),
        ("providers: [openai:m]\nprompts: [a]\ntests: [7]\n", "no test could be imported"),
        ("name: x\ntasks: [nix/*.yaml]\n", "no task could be imported"),
        ("providers: [openai:m]\ntests:\n  - vars: {prompt: 1e999999999}\n", "x.yaml:3: a number is too large"),
        ("providers: [openai:m]\nprompts: [a]\nevaluateOptions: {repeat: 1e999999999}\n", "a number is too large"),
    ],
)
def test_what_cannot_be_imported_is_refused(text, message):
    """With the reasons collected so far."""
    with pytest.raises(evenhand.InputError, match=message.replace("(", r"\(")):
        imported(text, "x.yaml")


# --- waza ------------------------------------------------------------------------------------------

EVAL = """\
name: code-explainer-eval
description: Explains code
skill: code-explainer
version: "1.0"
config:
  trials_per_task: 3
  timeout_seconds: 300
  executor: copilot-sdk
  model: claude-sonnet-4.6
  mcp_servers: {}
metrics:
  - {name: completion, weight: 1.0, threshold: 0.8}
graders:
  - type: code
    name: has_output
    config: {assertions: ["len(output) > 10"]}
  - type: text
    name: no_errors
    config: {regex_not_match: ["(?i)fatal error"], contains: [Function], contains_cs: [API]}
tasks: ["tasks/*.yaml"]
"""

TASK = """\
id: explain-001
name: Explain
tags: [python]
inputs:
  prompt: Explain fib.py
  files:
    - path: fib.py
    - content: inline
  environment: {A: b}
expected:
  output_contains: [recursion]
  outcomes: [{type: task_completed}]
  behavior: {max_tokens: 5000, max_tool_calls: 20, required_tools: [view], max_response_time_ms: 1500}
graders:
  - type: file
    name: made
    config: {must_exist: [out.md], must_not_exist: [bad.md]}
  - type: tool_constraint
    name: tools
    config: {reject_tools: [{tool: bash}, {tool: edit, path_pattern: x}]}
  - type: action_sequence
    name: order
    config: {matching_mode: in_order_match, expected_actions: [view, edit]}
  - type: prompt
    name: quality
    config: {prompt: The base case is explained., model: x}
"""


def test_the_common_part_of_waza_is_imported(folder):
    """Tasks with files and graders; with the skill's folder found, the variants are without and with it."""
    put("evals/code-explainer/eval.yaml", EVAL)
    put("evals/code-explainer/tasks/a.yaml", TASK)
    put("evals/code-explainer/tasks/b.yaml", "id: off\nname: Off\nenabled: false\ninputs: {prompt: x}\n")
    put(
        "evals/code-explainer/tasks/c.yaml",
        "id: two\nname: Two\ninputs: {prompt_file: p.md, context: {fixture: fixtures}}\n",
    )
    put("evals/code-explainer/tasks/p.md", "From a file\n")
    put("evals/code-explainer/fixtures/fib.py", "x")
    put("skills/code-explainer/SKILL.md", "x")
    made = import_suite("evals/code-explainer/eval.yaml", Path())
    put("made.yaml", made.text)
    suite = evenhand.read_suite("made.yaml")
    notes = [str(note).removeprefix("evals/code-explainer/") for note in made.notes]
    assert (suite.name, suite.skill, suite.repeats, made.variants) == ("code-explainer-eval", "code-explainer", 3, 2)
    assert [variant.name for variant in suite.variants] == ["without_skill", "with_skill"]
    assert suite.variants[1].skill.path == str(folder / "skills/code-explainer")
    assert suite.variants[0].does.arguments[:3] == ("copilot", "-p", "{prompt}")
    assert (suite.variants[0].does.arguments[-1], suite.variants[0].limits.seconds) == (
        "--model=claude-sonnet-4.6",
        300,
    )
    first, second = suite.cases
    shared = [
        {"answer": {"matches": "(?i)Function"}},
        {"answer": {"contains": ["API"]}},
        {"answer": {"matches": "(?i)\\A(?![\\s\\S]*(?:fatal error))"}},
    ]
    assert (second.prompt, second.expect) == ("From a file", shared)
    assert second.files == (StartFile(str(folder / "evals/code-explainer/fixtures"), "."),)
    assert (first.id, first.tags) == ("explain-001", ("python",))
    assert first.files == (StartFile(str(folder / "evals/code-explainer/fixtures/fib.py"), "fib.py"),)
    assert first.expect == [
        *shared,
        {"answer": {"matches": "(?i)recursion"}},
        {"limit": {"tokens": 5000}},
        {"limit": {"calls": 20}},
        {"limit": {"seconds": Decimal("1.5")}},
        {"calls": {"made": ["view"]}},
        {"file": {"path": "out.md", "exists": True}},
        {"file": {"path": "bad.md", "exists": False}},
        {"calls": {"not_made": "bash"}},
        {"calls": {"in_order": ["view", "edit"]}},
        {"text": "The base case is explained."},
    ]
    for note in (
        "eval.yaml:10: left out: mcp_servers",
        "eval.yaml:11: left out: metrics",
        "eval.yaml:14: left out: the grader has_output (code)",
        "eval.yaml:8: changed: waza's executor is replaced by the copilot command; put your own agent in its place",
        "tasks/a.yaml:8: left out: a file written inline",
        "tasks/a.yaml:9: left out: environment",
        "tasks/a.yaml:12: left out: outcomes",
        "tasks/a.yaml:20: left out: a tool with a pattern for its arguments",
        "tasks/a.yaml:26: left out: model",
        "tasks/b.yaml:1: left out: this task: it is not enabled",
    ):
        assert note in notes


def test_a_skill_that_is_not_found_is_said_to_be_missing():
    """Then there is one variant."""
    put("tasks/a.yaml", "id: a\nname: A\ninputs: {prompt: 'x {{.Vars.y}}'}\n")
    suite, notes = imported("name: n\nskill: s\nconfig: {}\ntasks: [tasks/a.yaml, /etc/*, '']\n", "eval.yaml")
    assert [variant.name for variant in suite.variants] == ["copilot"]
    assert any("its folder was not found" in note for note in notes)
    assert any("template variables" in note for note in notes)
    assert sum("left out: the pattern of tasks" in note for note in notes) == 2


# --- the command -----------------------------------------------------------------------------------


def command(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["evenhand", "suite", "import", *arguments])
    code = run_command()
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def test_the_command_writes_the_suite_and_lists_what_was_left_out(monkeypatch, capsys):
    """To a file, which is checked, or to standard output; nothing is overwritten."""
    put("p.yaml", PROMPTFOO)
    code, out, err = command(monkeypatch, capsys, "p.yaml")
    assert (code, out.startswith("# Imported from p.yaml of promptfoo.")) == (0, True)
    assert err.endswith("from promptfoo: cases 3, variants 4\n")
    code, out, err = command(monkeypatch, capsys, "p.yaml", "-o", "new/suite.yaml")
    assert (code, out, "p.yaml:20: left out: the assertion similar" in err) == (0, "", True)
    assert err.startswith("written: new/suite.yaml\n")
    assert command(monkeypatch, capsys, "p.yaml", "-o", "new/suite.yaml")[0] == 2


def test_mistakes_that_stay_are_reported(monkeypatch, capsys):
    """Files outside the suite's folder, for one."""
    put("w/eval.yaml", "name: n\nskill: s\nconfig: {}\ntasks: [t.yaml]\n")
    put("w/t.yaml", "id: a\nname: A\ninputs: {prompt: x, files: [{path: f.txt}]}\n")
    put("w/fixtures/f.txt", "x")
    code, _, err = command(monkeypatch, capsys, "w/eval.yaml", "-o", "elsewhere/suite.yaml")
    assert (code, "lies outside" in err) == (2, True)


def test_wazas_older_patterns_and_evals_without_a_skill_are_read():
    """`regex` is `text` by another name; a scenario has no skill to look for; classes of POSIX are left out."""
    put("t.yaml", "id: a\nname: A\ninputs: {prompt: x}\n")
    suite, notes = imported(
        "name: n\nscenario: s\nconfig: {}\ntasks: [t.yaml]\ngraders:\n"
        "- {type: regex, name: r, config: {must_match: ['a+', '[[:alpha:]]'], must_not_match: [b]}}\n",
        "eval.yaml",
    )
    assert suite.cases[0].expect == [
        {"answer": {"matches": "a+"}},
        {"answer": {"matches": "\\A(?![\\s\\S]*(?:b))"}},
    ]
    assert [note.partition(": ")[2] for note in notes if "executor" not in note] == [
        "left out: scenario",
        "left out: the pattern [[:alpha:]]",
    ]


def test_numbers_in_wazas_lists_are_texts_and_what_is_not_a_list_is_listed():
    """Nothing that was to be found in the output is dropped without a word."""
    put("t.yaml", "id: a\nname: A\ninputs: {prompt: x}\nexpected: {output_contains: [5, {}], output_not_contains: b}\n")
    suite, notes = imported("name: n\nconfig: {}\ntasks: [t.yaml]\n", "eval.yaml")
    assert suite.cases[0].expect == [{"answer": {"matches": "(?i)5"}}]
    assert [note for note in notes if note.startswith("t.yaml")] == [
        "t.yaml:4: left out: an entry of output_contains that is not text",
        "t.yaml:4: left out: output_not_contains, which is not a list",
    ]
