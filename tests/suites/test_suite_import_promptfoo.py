"""promptfoo configurations as people write them; what promptfoo 0.123 makes of each was seen with its echo provider."""

from __future__ import annotations

import pytest

from evenhand.decisions.values.suite import Command, Message, Model
from evenhand.errors import InputError
from evenhand.files.yaml_values import load_yaml
from test_suite_import import command, folder, imported, put  # noqa: F401

HEAD = "prompts: ['{{x}}']\nproviders: openai:m\n"


def expected(assertion):
    """The expectations that one assertion becomes, and the notes."""
    suite, notes = imported(f"{HEAD}tests:\n- vars: {{x: one, word: two}}\n  assert:\n  - {assertion}\n")
    return suite.cases[0].expect, [note.partition(": ")[2] for note in notes]


@pytest.mark.parametrize(
    ("cell", "wanted"),
    [
        ("Paris", {"answer": {"matches": r"\AParis\n?\Z"}}),
        (" contains: Paris ", {"answer": {"contains": "Paris"}}),
        ('"contains-all:a, b"', {"answer": {"contains": ["a", "b"]}}),
        ("not-contains:x", {"answer": {"lacks": ["x"]}}),
        ("is-json", {"answer": {"json_schema": True}}),
        ("fn: output.length > 3", {"script": {"javascript": "output.length > 3"}}),
        ("grade: is kind", {"text": "is kind"}),
        ("model-graded-closedqa: is kind", {"text": "is kind"}),
        ("latency(1500)", {"limit": {"seconds": 1.5}}),
        ("note: this", {"answer": {"matches": r"\Anote:\ this\n?\Z"}}),
    ],
)
def test_a_cell_is_the_assertion_that_promptfoo_reads(cell, wanted):
    """Also without a colon behind the type; only what begins with no known type must be equalled."""
    put("t.csv", f"x,__expected\none,{cell}\n")
    suite, _ = imported(f"{HEAD}tests: t.csv\n")
    assert suite.cases[0].expect == [wanted]


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("file://check.py:get_assert", "python"),
        ("levenshtein(5): hello", "levenshtein"),
        ("is-refusal", "is-refusal"),
        ("latency:1500", "latency"),
        ("similar(0.8): hello", "similar"),
    ],
)
def test_a_cell_without_a_counterpart_is_listed_and_never_a_text_to_equal(cell, kind):
    """A wrong expectation would fail every output."""
    put("t.csv", f"x,__expected\none,{cell}\n")
    suite, notes = imported(f"{HEAD}tests: file://t.csv\n")
    assert (suite.cases[0].expect, notes) == (None, [f"t.csv:2: left out: the assertion {kind}"])


def test_columns_of_promptfoos_own_are_read_or_listed():
    """A prefix is put before the prompt, several metadata are several tags, and a threshold is listed."""
    put("t.csv", 'x , __prefix,__suffix,__metadata:tag[],__threshold,__description\none,Say ,!,"a,b\\,c",0.5,First\n')
    suite, notes = imported(f"{HEAD}tests: t.csv\n")
    case = suite.cases[0]
    assert (case.id, case.prompt, case.tags) == ("first", "Say one!", ("tag:a", "tag:b,c"))
    assert notes == ["t.csv:2: left out: __threshold"]


def test_only_a_list_that_starts_with_a_text_is_multiplied():
    """A list of numbers or objects is one value, for loops in the template."""
    suite, _ = imported(
        "prompts: ['{% for n in numbers %}{{ n }};{% endfor %}{{ word }}{{ people[0].name }}']\nproviders: openai:m\n"
        "tests: [{vars: {numbers: [1, 2], word: [a, b], people: [{name: Ada}]}}]\n"
    )
    assert [case.prompt for case in suite.cases] == ["1;2;aAda", "1;2;bAda"]
    suite, _ = imported(
        "prompts: ['{{ word | join(\"+\") }}']\nproviders: openai:m\n"
        "tests: [{vars: {word: [a, b]}, options: {disableVarExpansion: true}}]\n"
    )
    assert [case.prompt for case in suite.cases] == ["a+b"]


def test_a_pattern_of_files_in_a_variable_is_a_case_for_each():
    """In the order of their names."""
    put("d/b.txt", "two\n")
    put("d/a.txt", "one\n")
    suite, notes = imported(f"{HEAD}tests: [{{vars: {{x: 'file://d/*.txt'}}}}]\n")
    assert ([case.prompt for case in suite.cases], notes) == (["one", "two"], [])


def test_a_test_whose_prompt_needs_an_unreadable_variable_is_left_out():
    """A picture that is missing from the prompt would be another question."""
    suite, notes = imported(f"{HEAD}tests: [{{vars: {{x: file://cat.png}}}}, {{vars: {{x: a, y: file://b.png}}}}]\n")
    assert [case.prompt for case in suite.cases] == ["a"]
    assert [note.partition(": ")[2] for note in notes] == [
        "left out: the variable x: only texts are loaded",
        "left out: the variable y: only texts are loaded",
        "left out: the test test-1, because its variable x could not be read",
    ]


def test_lines_of_dashes_separate_prompts_in_text_files_only():
    """In Markdown they are a rule, or the end of a head."""
    put("p/a.md", "# Title\n\n---\n\nSay {{x}}\n")
    put("p/b.txt", "One {{x}}\r\n---\r\nTwo {{x}}\r\n")
    suite, notes = imported("prompts: ['file://p/*']\nproviders: openai:m\ntests: [{vars: {x: hi}}]\n")
    assert [variant.does.template for variant in suite.variants] == [
        "# Title\n\n---\n\nSay {prompt}\n",
        "One {prompt}",
        "Two {prompt}",
    ]
    assert notes == []


@pytest.mark.parametrize(
    "prompt",
    [
        """'[{"role": "system", "content": "Be {{how}}."}, {"role": "user", "content": "{{x}}"}]'""",
        """"- role: system\\n  content: Be {{how}}.\\n- role: user\\n  content: '{{x}}'\"""",
        "file://chat.yaml",
        "chat.jsonl",
    ],
)
def test_a_conversation_may_be_written_inline_and_in_any_file(prompt):
    """promptfoo's models read JSON and YAML in a prompt as messages."""
    put("chat.yaml", "- {role: system, content: 'Be {{how}}.'}\n- {role: user, content: '{{x}}'}\n")
    put("chat.jsonl", '[{"role":"system","content":"Be {{how}}."},{"role":"user","content":"{{x}}"}]\n')
    suite, notes = imported(f"prompts: [{prompt}]\nproviders: openai:m\ntests: [{{vars: {{how: kind, x: Hi}}}}]\n")
    case = suite.cases[0]
    assert (case.conversation, case.prompt, notes) == ((Message("system", "Be kind."),), "Hi", [])


def test_a_table_of_prompts_and_names_for_files_are_read():
    """With their labels, as variants."""
    put("p.csv", 'prompt,label\n"Say {{x}}",say\n"Tell {{x}}, now",tell\n')
    suite, _ = imported("prompts: file://p.csv\nproviders: openai:m\ntests: [{vars: {x: hi}}]\n")
    assert {v.name: v.does.template for v in suite.variants} == {
        "openai-m-say": "Say {prompt}",
        "openai-m-tell": "Tell {prompt}, now",
    }
    put("a.txt", "A {{x}}")
    suite, _ = imported("prompts: {a.txt: first}\nproviders: openai:m\ntests: [{vars: {x: hi}}]\n")
    assert suite.variants[0].does == Model("openai:m", "A {prompt}")


def test_a_prompt_file_that_is_not_there_is_not_a_prompt():
    """Its name would be sent to the model; a sentence that ends like one is a prompt."""
    suite, notes = imported(
        "prompts: [gone.txt, 'Read {{x}} in notes.md']\nproviders: openai:m\ntests: [{vars: {x: a}}]\n"
    )
    assert suite.variants[0].does == Model("openai:m", "Read {prompt} in notes.md")
    assert len(notes) == 1
    assert "left out: the prompt gone.txt" in notes[0]


def test_templates_with_logic_beside_others_are_filled_in_for_each_case():
    """A plain one stays a template of the variant."""
    suite, notes = imported(
        "prompts: ['Say {{x}} {{y}}', '{{ x | upper }}{% if y %}!{% endif %}']\nproviders: openai:m\n"
        "tests: [{vars: {x: a, y: b}}, {vars: {x: c, y: ''}}]\n"
    )
    assert [v.does.template for v in suite.variants] == ["Say {vars.x} {vars.y}", "{vars.prompt_2}"]
    assert [dict(case.variables)["prompt_2"] for case in suite.cases] == ["A!", "C"]
    assert notes == []


def test_a_provider_gets_the_prompts_it_names():
    """By label, file, or the beginning of one."""
    put("a.txt", "A {{x}}")
    suite, notes = imported(
        "prompts: [{label: short, raw: 'S {{x}}'}, {label: 'long:1', raw: 'L {{x}}'}, file://a.txt]\n"
        "providers: [{id: openai:m, prompts: [short]}, {id: openai:n, prompts: ['long*', a.txt]}]\n"
        "tests: [{vars: {x: hi}}]\n"
    )
    assert [v.name for v in suite.variants] == ["openai-m-short", "openai-n-long-1", "openai-n-a"]
    assert notes == []


def test_a_provider_that_names_no_imported_prompt_is_listed():
    """Not silently gone."""
    suite, notes = imported(
        "prompts: [{label: short, raw: 'S {{x}}'}]\n"
        "providers:\n- {id: openai:m}\n- {id: openai:n, prompts: [gone]}\ntests: [{vars: {x: hi}}]\n"
    )
    assert [v.name for v in suite.variants] == ["openai-m"]
    assert [note.partition(": ")[2] for note in notes] == ["left out: a provider whose prompts were not imported"]


def test_references_are_followed():
    """Within the file and into another; one that leads nowhere is listed."""
    put("more.yaml", "short: {type: not-contains, value: '{{word}}'}\n")
    suite, notes = imported(
        "prompts: ['{{x}}']\nproviders: openai:m\n"
        "assertionTemplates: {kind: {type: llm-rubric, value: Is kind}}\n"
        "tests:\n- vars: {x: a, word: b}\n  assert:\n  - $ref: '#/assertionTemplates/kind'\n"
        "  - $ref: 'more.yaml#/short'\n  - $ref: '#/gone'\n"
    )
    assert suite.cases[0].expect == [{"text": "Is kind"}, {"answer": {"lacks": ["b"]}}]
    assert [note.partition(": ")[2] for note in notes] == [
        "left out: the reference #/gone: there is no gone",
        "left out: an assertion without a type",
    ]


def test_a_reference_that_leads_to_itself_ends():
    """As a note."""
    _, notes = imported(f"{HEAD}tests: [{{vars: {{x: a}}, assert: [{{$ref: '#/tests/0/assert/0'}}]}}]\n")
    assert any("leads back to itself" in note for note in notes)


def test_references_that_multiply_end():
    """Twenty lists of two references each would be a million."""
    lists = "".join(f"l{n}: [{{$ref: '#/l{n + 1}'}}, {{$ref: '#/l{n + 1}'}}]\n" for n in range(20))
    _, notes = imported(f"{HEAD}tests: [{{vars: {{x: a}}}}]\n{lists}l20: end\n")
    assert any("more than 1000 references are not followed" in note for note in notes)


@pytest.mark.parametrize(
    ("assertion", "note"),
    [
        ("{type: contains, value: a, weight: 0}", "left out: the assertion contains, because its weight is 0"),
        ("{type: regex, value: '{{ word | sort }}'}", "left out: the assertion regex, because of the filter sort"),
        ("{type: contains, value: file://v.json}",
         "left out: the assertion contains, because of v.json: of files with values, only .txt and .md are read"),
        ("{type: contains, value: ''}", "left out: the assertion contains"),
    ],
)  # fmt: skip
def test_an_assertion_that_means_something_else_here_is_listed(assertion, note):
    """With its reason, and it is not an expectation."""
    assert expected(assertion) == (None, [note])


@pytest.mark.parametrize(
    ("assertion", "expect", "notes"),
    [
        ("{type: llm-rubric, value: Kind, threshold: 0.8}", {"text": "Kind"}, ["left out: threshold"]),
        ("{type: contains, value: '{{ word | upper }}'}", {"answer": {"contains": "TWO"}}, []),
        ("{type: contains, value: a, weight: 1}", {"answer": {"contains": "a"}}, []),
        ("{type: llm-rubric, value: file://v.txt}", {"text": "Says {{word}}."}, []),
        ("{type: icontains-all, value: [a, B.]}", {"answer": {"matches": r"(?i)\A(?=[\s\S]*a)(?=[\s\S]*B\.)"}}, []),
        ("{type: not-icontains-any, value: [a, B]}", {"answer": {"matches": r"(?i)\A(?![\s\S]*(?:a|B))"}}, []),
        ("{type: regex, value: '^\\d+$'}", {"answer": {"matches": "^[0-9]+$"}}, []),
    ],
)
def test_an_assertion_keeps_its_meaning(assertion, expect, notes):
    """What is dropped from it is listed."""
    put("v.txt", "Says {{word}}.\n")
    assert expected(assertion) == ([expect], notes)


def test_assertions_about_a_transformed_output_are_left_out():
    """They would be decided on another text; limits stay."""
    suite, notes = imported(
        "prompts: ['{{x}}']\nproviders: openai:m\ndefaultTest:\n  options: {transform: output.slice(3), provider: p}\n"
        "  assert: [{type: cost, threshold: 1}]\ntests:\n- {vars: {x: a}, assert: [{type: contains, value: a}]}\n"
    )
    assert suite.cases[0].expect == [{"limit": {"cost": 1}}]
    assert [note.partition(": ")[2] for note in notes] == [
        "left out: provider",
        "left out: the assertion contains, because its output is transformed first",
    ]


def test_a_test_may_do_without_the_default_assertions():
    """As promptfoo's option says."""
    suite, notes = imported(
        f"{HEAD}defaultTest: {{assert: [{{type: contains, value: a}}]}}\n"
        "tests: [{vars: {x: a}}, {vars: {x: b}, options: {disableDefaultAsserts: true}}]\n"
    )
    assert [case.expect for case in suite.cases] == [[{"answer": {"contains": "a"}}], None]
    assert notes == []


def test_an_object_in_a_text_is_said_to_be_json():
    """promptfoo writes [object Object]; its members are as they are."""
    suite, notes = imported(
        "prompts: ['{{user}} {{user.name}} {{size}}']\nproviders: openai:m\n"
        "tests:\n- vars: {user: {name: Ada}, size: 1.50}\n"
    )
    assert suite.cases[0].prompt == '{"name":"Ada"} Ada 1.5'
    assert [note.partition(": ")[2] for note in notes] == [
        "changed: the variable user holds an object, which is written as JSON"
    ]


def test_without_a_provider_the_cases_are_imported_all_the_same(monkeypatch, capsys):
    """The suite is written without variants, the command says so, and its exit code is that of a mistake."""
    put("p.yaml", "prompts: ['{{x}}']\nproviders: [file://own.py]\ntests: [{vars: {x: a}}]\n")
    assert command(monkeypatch, capsys, "p.yaml")[0] == 2
    code, _, err = command(monkeypatch, capsys, "p.yaml", "-o", "s.yaml")
    assert code == 2
    assert "p.yaml:2: left out: every provider; write under variants what is to be run" in err
    assert "a suite needs at least one variant" in err


def test_the_echo_provider_is_a_command_that_prints_the_prompt():
    """As promptfoo's own does."""
    suite, notes = imported("prompts: ['{{x}}']\nproviders: [echo]\ntests: [{vars: {x: a}}]\n")
    assert (suite.variants[0].does, notes) == (Command(("printf", "%s", "{prompt}")), [])


def test_an_output_that_is_only_trimmed_can_be_judged():
    """White space around an output makes no difference to what is expected of it."""
    suite, _ = imported(
        f"{HEAD}defaultTest: {{options: {{transform: output.trim()}}}}\n"
        "tests: [{vars: {x: a}, assert: [{type: equals, value: b}]}]\n"
    )
    assert suite.cases[0].expect == [{"answer": {"matches": r"\A\s*b\s*\Z"}}]


def test_merge_keys_and_many_aliases_of_other_tools_are_read():
    """What is written beside a merge key counts, then the first of several; our own files stay without them."""
    tests = "".join(f"- vars: {{<<: [*b, *c], x: w{number}}}\n" for number in range(30))
    put("t.yaml", f"- vars: &b {{x: one, y: two}}\n- vars: &c {{y: three, z: four}}\n{tests}")
    suite, notes = imported("prompts: ['{{x}} {{y}} {{z}}']\nproviders: openai:m\ntests: file://t.yaml\n")
    assert [case.prompt for case in suite.cases[2:4]] == ["w0 two four", "w1 two four"]
    assert (len(suite.cases), len(notes)) == (32, 2)
    with pytest.raises(InputError, match="takes mappings only"):
        load_yaml("a: &a 1\nb: {<<: *a}\n", "x", foreign=True)
    with pytest.raises(InputError, match="is not read"):
        load_yaml("a: &a {b: 1}\nc: {<<: *a}\n", "x")


@pytest.mark.parametrize(
    "provider",
    [
        "openai:embedding:e",
        "anthropic:claude-agent-sdk",
        "openai:codex-sdk",
        "openai:chat:{{env.MODEL}}",
        "openai:chat",
    ],
)
def test_a_provider_that_is_not_a_model_by_name_is_listed(provider):
    """And not taken for a model of that name; a model's name may have a colon."""
    suite, notes = imported(
        f"prompts: ['{{{{x}}}}']\nproviders: ['{provider}', 'ollama:chat:l:8b']\ntests: [{{vars: {{x: a}}}}]\n"
    )
    assert [variant.does for variant in suite.variants] == [Model("ollama:l:8b", "{prompt}")]
    assert [note.partition(": ")[2] for note in notes] == [f"left out: the provider {provider}"]


def test_metadata_of_any_kind_are_tags_and_objects_are_listed():
    """Numbers and yes or no, too; a test's own replace those of defaultTest."""
    suite, notes = imported(
        f"{HEAD}defaultTest: {{metadata: {{team: a, area: x}}}}\n"
        "tests:\n- {vars: {x: a}, metadata: {area: y, level: 5, hard: true, of: [p, 2], more: {a: 1}}}\n"
    )
    assert suite.cases[0].tags == ("team:a", "area:y", "level:5", "hard:true", "of:p", "of:2")
    assert [note.partition(": ")[2] for note in notes] == ["left out: metadata more, which is an object"]
