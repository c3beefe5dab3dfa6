"""Judge specs and the providers of evenhand.toml: what is meant, and what is wrong, where."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from evenhand.errors import InputError
from evenhand.options.settings import judge_tables, load_settings
from evenhand.providers.entries import configured
from evenhand.providers.known import Configured
from evenhand.providers.opened_provider import _proxy, open_provider
from evenhand.providers.prices import Price
from evenhand.providers.specs import Spec, parse_spec

NAMED = {
    "mine": Configured(base_url="http://localhost:8000/v1", model="big"),
    "other": Configured(base_url="http://a/v1"),
}


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("checks", Spec("checks", "checks", "checks", "")),
        ("openai:gpt-x", Spec("openai:gpt-x", "openai", "openai", "gpt-x")),
        ("anthropic:claude-x", Spec("anthropic:claude-x", "anthropic", "anthropic", "claude-x")),
        ("ollama:llama3:8b", Spec("ollama:llama3:8b", "openai", "ollama", "llama3:8b")),
        ("replay:r.jsonl", Spec("replay:r.jsonl", "replay", "replay", "r.jsonl")),
        ("mine", Spec("mine:big", "openai", "mine", "big")),
        ("mine:small", Spec("mine:small", "openai", "mine", "small")),
    ],
)
def test_what_a_spec_means(text: str, spec: Spec):
    """Each form, with the model's name as it stands, colons and all."""
    assert parse_spec(text, NAMED) == spec


def test_the_kind_of_a_named_provider_decides_how_it_is_asked():
    """A server may speak as Anthropic's does."""
    named = {"mine": Configured(kind="anthropic", base_url="http://a/v1", model="m")}
    assert parse_spec("mine", named).kind == "anthropic"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("opnai:gpt", 'unknown judge "opnai"; did you mean openai? valid: checks, openai:MODEL'),
        ("min:big", "did you mean mine?"),
        ("xyz", "named in evenhand.toml: mine, other"),
        ("", 'unknown judge ""'),
        ("openai", "needs a model: openai:MODEL"),
        ("openai:", "needs a model: openai:MODEL"),
        ("other", "needs a model: other:MODEL"),
        ("mine:", "needs a model: mine:MODEL"),
        ("replay:", "needs a file: replay:FILE"),
        ("checks:all", "checks takes nothing after it"),
    ],
)
def test_a_bad_spec_says_what_is_valid(text: str, words: str):
    """With the nearest name."""
    with pytest.raises(InputError) as raised:
        parse_spec(text, NAMED)
    assert words in str(raised.value)


# --- evenhand.toml -------------------------------------------------------------------------------

WRITTEN = """\
store = "none"

[judges.mine]
base_url = "http://localhost:8000/v1/"
model = "big"
key_env = "MINE_KEY"
window = 32768
concurrency = 8
requests_per_minute = 600
tokens_per_minute = 100000
price_input = 0.15
price_output = 1
connect_timeout = 2.5
first_byte_timeout = 30
total_timeout = 60
extra = {top_k = 1, nested = {p = 0.5}}

[judges.openai]
requests_per_minute = 500

[judges.openai.prices."gpt-5.1"]
input = 1.25
output = 10
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Write a project's settings, and be there."""
    monkeypatch.chdir(tmp_path)

    def write(text: str, name: str = "evenhand.toml") -> None:
        (tmp_path / name).write_text(text, encoding="utf-8")

    return write


def test_the_providers_of_a_project(project: Callable[..., None]):
    """Every setting; prices are the decimals that were written."""
    project(WRITTEN)
    named = configured(judge_tables())
    assert named["mine"] == Configured(
        kind="openai",
        base_url="http://localhost:8000/v1",
        model="big",
        key_env="MINE_KEY",
        window=32768,
        concurrency=8,
        requests_per_minute=600,
        tokens_per_minute=100000,
        price_input=Decimal("0.15"),
        price_output=Decimal(1),
        connect_timeout=2.5,
        first_byte_timeout=30.0,
        total_timeout=60.0,
        extra={"top_k": 1, "nested": {"p": 0.5}},
    )
    assert named["openai"].price("gpt-5.1") == Price(Decimal("1.25"), Decimal(10))
    assert named["openai"].price("gpt-4") is None
    assert load_settings().store == "none"


def test_the_same_in_pyproject(project: Callable[..., None]):
    """Under [tool.evenhand], with the lines of that file."""
    project('[tool.evenhand.judges.mine]\nbase_url = "http://localhost:1/v1"\n', "pyproject.toml")
    assert configured(judge_tables())["mine"].base_url == "http://localhost:1/v1"
    project('[project]\nname = "x"\n[tool.evenhand.judges.mine]\nbase_url = "x"\n', "pyproject.toml")
    with pytest.raises(InputError, match=r"pyproject.toml:4: judges.mine: base_url: is not an address"):
        configured(judge_tables())


def test_a_project_without_judges(project: Callable[..., None]):
    """Nothing is named, with a file or without."""
    assert configured(judge_tables()) == {}
    project('keep = "hash"\n')
    assert configured(judge_tables()) == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("judges = 3", "judges must be a table of tables"),
        ("[judges]\nmine = 3", ":2: judges.mine must be a table: [judges.mine]"),
        ('[judges.mine]\nmodel = "x"', ":1: judges.mine: base_url is missing"),
        (
            '[judges.mine]\nbase_url = "http://a/v1"\nwindw = 3',
            ':3: judges.mine: unknown setting "windw"; did you mean window?',
        ),
        ('[judges.mine]\nbase_url = "ftp://a/v1"', ":2: judges.mine: base_url: is not an address"),
        ('[judges.mine]\nbase_url = "http://"', ":2: judges.mine: base_url: is not an address"),
        ('[judges.mine]\nbase_url = "http://a:99999/v1"', ":2: judges.mine: base_url: is not an address"),
        ('[judges.mine]\nbase_url = "http://a/v1/chat/completions"', "is too long"),
        ('[judges.mine]\nbase_url = "http://a/v1"\nwindow = 0', ":3: judges.mine: window: must be a whole number"),
        (
            '[judges.mine]\nbase_url = "http://a/v1"\nconcurrency = true',
            ":3: judges.mine: concurrency: must be a whole",
        ),
        ('[judges.mine]\nbase_url = "http://a/v1"\nprice_input = -1', "must be US dollars per million tokens"),
        ('[judges.mine]\nbase_url = "http://a/v1"\nprice_input = nan', "must be a number"),
        ('[judges.mine]\nbase_url = "http://a/v1"\nprice_input = 1', "price_output must be set together"),
        ('[judges.mine]\nbase_url = "http://a/v1"\ntotal_timeout = 0', "must be a number of seconds"),
        ('[judges.mine]\nbase_url = "http://a/v1"\nkind = "gemini"', "must be one of openai, anthropic"),
        ('[judges.mine]\nbase_url = "http://a/v1"\nextra = {stream = true}', "stream cannot be set here"),
        ('[judges.mine]\nbase_url = "http://a/v1"\nextra = {day = 2026-01-01}', "that JSON cannot represent"),
        ('[judges.checks]\nmodel = "x"', ':1: a provider cannot be named "checks": it is reserved'),
        ('[judges."a:b"]\nbase_url = "http://a/v1"', 'a provider cannot be named "a:b"'),
        ('[judges.openai]\nbase_url = "https://elsewhere.example/v1"', "base_url: cannot be set for openai"),
        ('[judges.anthropic]\nkey_env = "OTHER"', "key_env: cannot be set for anthropic"),
        ('[judges.ollama]\nkey_env = "OPENAI_API_KEY"', "key_env: cannot be set for ollama"),
        ("[judges.openai.prices]\nx = 1", "must be tables by model"),
        ("[judges.openai.prices.x]\ninput = 1", "x needs input and output"),
    ],
)
def test_a_mistake_in_the_settings_is_located(project: Callable[..., None], text: str, words: str):
    """File, line, what is wrong and what is valid."""
    project(text)
    with pytest.raises(InputError) as raised:
        configured(judge_tables())
    assert words in str(raised.value)
    assert str(raised.value).startswith(("evenhand.toml:", str(Path.cwd())))


def test_every_mistake_is_reported_at_once(project: Callable[..., None]):
    """In the order of the lines."""
    project('[judges.a]\nbase_url = "x"\nwindow = 0\n[judges.b]\nmodel = 1\n')
    with pytest.raises(InputError) as raised:
        configured(judge_tables())
    assert [problem.line for problem in raised.value.problems] == [2, 3, 4, 5]


def test_a_mistake_about_judges_does_not_stop_other_commands(project: Callable[..., None]):
    """Only what asks a model reads those tables."""
    project("[judges.mine]\nwindw = 3\n")
    assert load_settings().keep == "text"


# --- from a spec to a provider -------------------------------------------------------------------


def identity(text: str, named: dict[str, Configured] | None = None, **more: Any) -> dict[str, str]:
    return dict(open_provider(parse_spec(text, named), named, **more).identity)


def test_the_identity_of_a_judge():
    """The spec, the provider, the model; the address and extra parameters where they are not the usual."""
    key = {"OPENAI_API_KEY": "sk-1234567890abcdef"}
    plain = {"name": "openai:m", "provider": "openai", "model": "m"}
    assert identity("openai:m", environment=key) == plain
    elsewhere = identity("openai:m", environment=key, base_url="https://host.example/v1/")
    assert elsewhere == {**plain, "address": "https://host.example/v1"}
    named = {"mine": Configured(base_url="http://localhost:1/v1", model="m", extra={"b": 1, "a": 2})}
    assert identity("mine", named, environment={}) == {
        "name": "mine:m",
        "provider": "mine",
        "model": "m",
        "address": "http://localhost:1/v1",
        "extra": '{"a": 2, "b": 1}',
    }


def test_windows_that_are_known():
    """Ollama cuts beyond 4096 unless it is told otherwise; a table comes first."""
    key = {"OPENAI_API_KEY": "sk-1234567890abcdef", "ANTHROPIC_API_KEY": "sk-ant-1234567890"}
    assert open_provider(parse_spec("ollama:m"), environment=key).window == 4096
    assert open_provider(parse_spec("ollama:m"), {"ollama": Configured(window=9)}, environment=key).window == 9
    assert open_provider(parse_spec("anthropic:m"), environment=key).window == 200_000
    assert open_provider(parse_spec("openai:m"), environment=key).window is None


@pytest.mark.parametrize("url", ["localhost:80", "http://", "https://u:pw@here.example/v1", "http://a b/v1"])
def test_a_base_url_that_cannot_be_used(url: str):
    """It is not repeated: it may hold a password."""
    with pytest.raises(InputError, match=r"`base_url` (is not an address|contains a user)") as raised:
        open_provider(parse_spec("openai:m"), base_url=url, environment={})
    assert "pw" not in str(raised.value)


@pytest.mark.parametrize(
    ("environment", "proxy"),
    [
        ({"HTTPS_PROXY": "http://p:1"}, None),
        ({"HTTPS_PROXY": "http://p:1", "EVENHAND_TRUST_ENV": "1"}, "http://p:1"),
        ({"https_proxy": "http://p:1", "EVENHAND_TRUST_ENV": "1"}, "http://p:1"),
        ({"HTTP_PROXY": "http://p:1", "EVENHAND_TRUST_ENV": "1"}, None),
        ({"ALL_PROXY": "http://p:1", "EVENHAND_TRUST_ENV": "1"}, "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "x.org, .example.com", "EVENHAND_TRUST_ENV": "1"}, None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "ample.com", "EVENHAND_TRUST_ENV": "1"}, "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "*", "EVENHAND_TRUST_ENV": "1"}, None),
    ],
)
def test_a_proxy_of_the_environment_is_used_only_when_the_user_says_so(environment: dict[str, str], proxy: str | None):
    """For the scheme of the address, and not for hosts that are spared."""
    assert _proxy("https://api.example.com/v1", environment) == proxy
