"""promptfoo's templates, as nunjucks 3.2 renders them, and its regular expressions, as JavaScript matches them."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from evenhand.suites.importing.javascript_patterns import in_python
from evenhand.suites.importing.promptfoo_templates import NotRendered, rendered
from every_case import every_case

VARIABLES = {
    "name": " anna bell ",
    "city": "Paris",
    "empty": "",
    "zero": 0,
    "half": Decimal("2.50"),
    "none": None,
    "letters": ["x", "y", "z"],
    "nothing": [],
    "user": {"first": "Ada", "tags": ["a", "b"]},
    "people": [{"name": "ab", "age": 1}, {"name": "cd", "age": 2}],
    "pairs": [["a", 1], ["b", 2]],
    "lines": "a\nb",
}


@every_case(
    ("template", "text"),
    [
        ("{{ city }} {{city}}{{missing}}.", "Paris Paris."),
        ("{{ half }} {{ zero }} {{ none }} {{ letters }} {{ missing.deep }}", "2.5 0  x,y,z "),
        ("{{ user.first }} {{ user['first'] }} {{ user.tags[1] }} {{ user.nope }}{{ letters[9] }}", "Ada Ada b "),
        ("{{ city.length }} {{ letters.length }}", "5 3"),
        ("{{ name | trim | title }}|{{ name | upper }}", "Anna Bell| ANNA BELL "),
        ("{{ 'heLLo' | capitalize }} {{ city | lower | replace('a', 'b') }}", "Hello pbris"),
        ("{{ missing | default('D') }} {{ empty | default('D') }} {{ empty | default('D', true) }}", "D  D"),
        ("{{ letters | join(', ') }} {{ people | length }} {{ 'x' if 'x' in letters }}", "x, y, z 2 x"),
        ("{{ letters | first }}{{ letters | last }} {{ user | dump }}", 'xz {"first":"Ada","tags":["a","b"]}'),
        ("{{ letters | dump(2) }}", '[\n  "x",\n  "y",\n  "z"\n]'),
        ("{% if city == 'Paris' and not missing %}yes{% else %}no{% endif %}", "yes"),
        ("{% if zero %}a{% elif nothing %}b{% else %}c{% endif %}", "b"),
        ("{{ 'a' if empty else 'b' }} {{ missing or 'c' }} {{ city and 'd' }} {{ 'x' in letters }}", "b c d true"),
        ("{{ missing is defined }} {{ city is defined }}", "false true"),
        ("{% for p in people %}{{ loop.index }}. {{ p.name }}{% if not loop.last %}, {% endif %}{% endfor %}",
         "1. ab, 2. cd"),
        ("{% for c in 'abc' %}{{ c }}-{% endfor %}{% for x in nothing %}{% else %}none{% endfor %}", "a-b-c-none"),
        ("a {# not this #} b", "a  b"),
        ("a {{- city -}} b {%- if true %} c{% endif %}", "aParisb c"),
        ("{% raw %}{{ city }}{% endraw %} { city } $5", "{{ city }} { city } $5"),
        ("an {{ open tag", "an {{ open tag"),
        ("a\r\n{{ city }}\r\n{% if zero %}{% elif city %}b{% endif %}\n", "a\r\nParis\r\nb\n"),
        ("{{ city != 'x' }} {{ 'x' not in letters }} {{ null }} {{ not city }} {{ 'i\\'t' }}", "true false  false i't"),
    ],
)  # fmt: skip
def test_a_template_is_what_nunjucks_makes_of_it(template, text):
    """Every line was rendered by nunjucks, but for the open tag, which promptfoo keeps as it is."""
    assert rendered(template, VARIABLES) == text


@every_case(
    "template",
    [
        "{{ city | shout }}", "{{ letters | sort }}", "{{ city.toUpperCase() }}", "{{ range(3) }}", "{{ env.HOME }}",
        "{% set x = 1 %}", "{% include 'a' %}", "{% macro a() %}{% endmacro %}", "{% if city %}", "{% endif %}",
        "{{ zero == '0' }}", "{{ 1 < 2 < 3 }}", "{{ not city == 'x' }}", "{{ 2 * 3 }}", "{{ zero | upper }}",
        "{{ city in zero }}", "{{ missing ~ 'a' }}", "{{ }}", "{{ 'a }}", "{{{ city }}}", "{% for x %}{% endfor %}",
        "{% for a, b in letters %}{% endfor %}", "{{ city | replace('', 'b') }}", "{{ missing | dump }}",
        "{{ 'a' if city else 'b' if zero else 'c' }}", "{{ zero == missing is defined }}", "{{ 1 + 2 ~ 'a' }}",
        "{{ True }}", "{{ 1 is not defined ~ city }}", "{%- raw %}a{% endraw %}", "{{ '\\d' }}", "{{ letters[0:1] }}",
        "{{ {'a': 1} }}",
        "{{ people | join('+', 'name') }}", "{{ lines | indent(2) }}", "{{ half > 2 }}", "{{ none == missing }}",
        "{% for k, v in user %}{% endfor %}", "{% for k in user %}{% endfor %}", "{{ 1 + 2 }}", "{{ 'a' ~ 'b' }}",
        "{% if zero %}{% elseif city %}b{% endif %}", "{{ none === missing }}", "{{ city.__class__ }}",
        "{{ city city }}", "{{ letters.map }}", "{{ letters.name }}",
        "{{ city | trim( }}", "{% if not city in letters %}{% endif %}",
    ],
)  # fmt: skip
def test_rejects_what_is_not_rendered_exactly(template):
    """Rather than rendered as something that nunjucks would not make of it."""
    with pytest.raises(NotRendered):
        rendered(template, VARIABLES)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}", "{% if 1 %}" * 3000 + "{% endif %}" * 3000]
)
def test_a_template_that_is_nested_too_deep_is_refused(text):
    """Not a crash."""
    with pytest.raises(NotRendered, match=r"too deep|error"):
        rendered(text, {})


@pytest.mark.slow
def test_a_template_that_would_fill_the_memory_is_refused():
    """Loops in loops over a long text end after a million characters."""
    loops = "{% for a in text %}{% for b in text %}{% for c in text %}{{ c }}{% endfor %}{% endfor %}{% endfor %}"
    with pytest.raises(NotRendered, match="a million"):
        rendered(loops, {"text": "x" * 1000})


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        (r"^\d+$", "12", "\u0661"),
        (r"^\w+$", "ab_1", "é"),
        (r"\bcaf\b", "café", "cafe"),
        (r"^[\w.-]+@[^\W]", None, None),
        (r"(?<year>\d{4})-\k<year>", "2024-2024", "2024-2025"),
        (r"(?<!a)b(?=c)", "bc", "abc"),
        (r"[^]x", "\nx", "x"),
        (r"^[[\]a]+$", "[a]", "b"),
        (r"\u00e9\/", "é/", "e/"),
        ("(?i)paris", "PARIS", "rome"),
        (r"\p{L}", None, None),
    ],
)
def test_a_pattern_matches_the_same_in_python(pattern, matching, other):
    r"""In JavaScript, \d and \w are ASCII only; a pattern without a counterpart is none."""
    made = in_python(pattern)
    if matching is None:
        assert made is None
        return
    assert re.search(made, matching)
    assert not re.search(made, other)
