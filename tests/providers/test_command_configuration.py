"""Where an agent command sends its questions as a judge: where the user's own goes, or nowhere."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from evenhand.errors import InputError
from evenhand.providers.builtin.claude_code import ClaudeCode
from evenhand.providers.builtin.codex import Codex, CodexProvider, codex_provider
from evenhand.providers.builtin.gemini_cli import GeminiCli
from evenhand.providers.commands.agent import Prompt
from evenhand.providers.commands.process import Finished, minimal

MODELS = Finished(0, json.dumps({"models": [{"slug": "recommended", "visibility": "list", "priority": 0}]}), "")
MINE = """
model = "my-model"
model_provider = "mine"

[model_providers.mine]
name = "Mine"
base_url = "https://models.example/v1"
env_key = "MINE_KEY"
wire_api = "responses"
query_params = { api-version = "2026-01-01" }
env_http_headers = { "X-Team" = "MINE_TEAM" }
request_max_retries = 2

[model_providers.two]
base_url = "https://two.example/v1"
requires_openai_auth = true
"""


def codex(tmp_path: Path, config: str, **environment: str) -> tuple[CodexProvider, dict[str, str]]:
    """The provider in a configuration, and the environment it is read from."""
    home = tmp_path / ".codex"
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(config)
    environment = {"HOME": str(tmp_path), **environment}
    return codex_provider(environment), environment


def test_codex_without_a_configuration_has_its_own_provider(tmp_path):
    """Nothing is handed on, and the login is Codex's."""
    assert codex_provider({"HOME": str(tmp_path)}) == CodexProvider()
    assert codex(tmp_path, 'approval_policy = "never"\n[tui]\nx = 1\n')[0] == CodexProvider()


def test_codex_gets_the_provider_of_the_user(tmp_path):
    """Its whole table, as settings that mean what the file means; and the variables it names."""
    provider, _ = codex(tmp_path, MINE)
    settings = tomllib.loads("\n".join(provider.settings))
    written = tomllib.loads(MINE)
    assert settings == {"model_provider": "mine", "model_providers": {"mine": written["model_providers"]["mine"]}}
    assert all("\n" not in setting for setting in provider.settings)
    assert (provider.model, provider.variables, provider.key) == ("my-model", ("MINE_KEY", "MINE_TEAM"), "MINE_KEY")
    assert (provider.address, provider.has_login) == ("https://models.example/v1", False)


def test_codex_gets_the_provider_of_the_chosen_profile(tmp_path):
    """What the profile says wins over the rest of the file."""
    provider, _ = codex(tmp_path, f'profile = "p"\n{MINE}\n[profiles.p]\nmodel_provider = "two"\n')
    assert (provider.model, provider.address, provider.has_login) == ("my-model", "https://two.example/v1", True)


def test_codex_gets_another_address_of_its_own_provider(tmp_path):
    """`openai_base_url` is an address like any other."""
    provider, _ = codex(tmp_path, 'openai_base_url = "https://eu.example/v1"\ncli_auth_credentials_store = "keyring"\n')
    assert provider.settings == ('openai_base_url="https://eu.example/v1"', 'cli_auth_credentials_store="keyring"')
    assert (provider.address, provider.has_login) == ("https://eu.example/v1", True)


def test_codex_home_says_where_the_configuration_is(tmp_path):
    """Not the one in HOME."""
    codex(tmp_path, MINE)
    assert codex_provider({"HOME": str(tmp_path), "CODEX_HOME": str(tmp_path / "other")}) == CodexProvider()


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ("model = ", "it cannot be read"),
        ('profile = "p"', 'it chooses the profile "p", which it does not define'),
        ("model_provider = 3", "model_provider is 3, which is not the name of a provider"),
        ('model_provider = "m"\nmodel_providers.m = 3', "model_provider is 'm', which is not the name"),
        (
            'model_provider = "m"\n[model_providers.m.http_headers]\nAuthorization = "Bearer k3y"',
            "model_providers.m.http_headers.Authorization holds a key",
        ),
        ('model_provider = "m"\n[model_providers.m]\nexperimental_bearer_token = "k3y"', "holds a key"),
        ('model_provider = "m"\n[model_providers.m.query_params]\nsig = "k3y"', "query_params.sig holds a key"),
        ('openai_base_url = "https://me:k3y@models.example"', "openai_base_url holds a key"),
    ],
)
def test_a_configuration_that_cannot_be_handed_on_is_refused(tmp_path, config, reason):
    """In one line that names the file, and never with the key."""
    with pytest.raises(InputError, match=r"codex is not used as a judge: .*config\.toml: ") as refused:
        codex(tmp_path, config)
    assert reason in str(refused.value)
    assert "k3y" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_codex_is_called_with_the_users_provider_and_rehearsed_with_ours(tmp_path):
    """A rehearsal must not reach the user's server, and a question must not reach any other."""
    _, environment = codex(tmp_path, MINE, MINE_KEY="k3y", OTHER_KEY="other")
    passed = Codex.configured(environment)
    assert passed == {"MINE_KEY": "k3y"}
    agent = Codex("", lambda arguments: MODELS, environment)
    assert agent.model == "my-model"
    calls = []
    for number, address in enumerate((None, "http://127.0.0.1:1")):
        files = tmp_path / f"files{number}"
        files.mkdir()
        call = agent.invocation(Prompt("s", "u"), tmp_path, files, address)
        calls.append([word for word in call.arguments if word.startswith("model_provider")])
        assert "k3y" not in " ".join(call.arguments)
    asked, rehearsed = calls
    assert asked[0] == 'model_provider="mine"'
    assert "https://models.example/v1" in asked[1]
    assert rehearsed[0] == 'model_provider="rehearsal"'
    assert len(rehearsed) == 2
    assert "models.example" not in rehearsed[1]


def test_a_named_model_wins_over_the_configured_one(tmp_path):
    """`--judge codex:MODEL` asks the user's provider for that model."""
    _, environment = codex(tmp_path, MINE)
    assert Codex("named", lambda arguments: MODELS, environment).model == "named"


@pytest.mark.parametrize(("key", "ready"), [("k3y", True), ("", False)])
def test_codex_is_ready_when_the_providers_key_is_there(tmp_path, key, ready):
    """Its own login has nothing to do with another provider."""
    _, environment = codex(tmp_path, MINE, MINE_KEY=key)
    assert Codex.logged_in(lambda arguments: Finished(1, "", ""), environment) is ready


def claude_settings(tmp_path: Path, **settings: object) -> dict[str, str]:
    (tmp_path / ".claude").mkdir(exist_ok=True)
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps(settings))
    return {"HOME": str(tmp_path)}


def test_claude_code_gets_the_address_and_key_of_its_settings(tmp_path):
    """They win over the environment, as in Claude Code; nothing else of the settings is handed on."""
    own = {"ANTHROPIC_BASE_URL": "https://gate.example", "ANTHROPIC_AUTH_TOKEN": "k", "PATH": "/evil", "DEBUG": "1"}
    environment = claude_settings(tmp_path, env=own, hooks={"Stop": []}) | {
        "ANTHROPIC_BASE_URL": "https://other.example"
    }
    passed = {**minimal(environment, ClaudeCode.variables), **ClaudeCode.configured(environment)}
    assert passed["ANTHROPIC_BASE_URL"] == "https://gate.example"
    assert passed["ANTHROPIC_AUTH_TOKEN"] == "k"
    assert not {"DEBUG", "PATH"} & passed.keys()


@pytest.mark.parametrize(
    ("variable", "cloud"),
    [
        ("CLAUDE_CODE_USE_BEDROCK", "Amazon Bedrock"),
        ("CLAUDE_CODE_USE_VERTEX", "Google Vertex AI"),
        ("CLAUDE_CODE_USE_FOUNDRY", "Microsoft Foundry"),
    ],
)
@pytest.mark.parametrize("in_settings", [True, False])
def test_claude_code_set_up_for_a_cloud_is_refused(tmp_path, variable, cloud, in_settings):
    """Without that switch the work would go to the default address; 0 is off."""
    on = {variable: "1"}
    environment = claude_settings(tmp_path, env=on if in_settings else {}) | ({} if in_settings else on)
    with pytest.raises(
        InputError, match=rf"claude-code is not used as a judge: it is set up for {cloud} \({variable}\)"
    ):
        ClaudeCode.configured(environment)
    off = {variable: "0"}
    ClaudeCode.configured(claude_settings(tmp_path, env=off if in_settings else {}) | ({} if in_settings else off))


def test_claude_code_with_a_helper_for_its_key_is_refused(tmp_path):
    """Another login would pay for, and see, what is judged."""
    with pytest.raises(InputError, match="gets its key from apiKeyHelper"):
        ClaudeCode.configured(claude_settings(tmp_path, apiKeyHelper="/bin/key"))


def test_claude_code_with_settings_that_cannot_be_read_is_refused(tmp_path):
    """They may name another server."""
    environment = claude_settings(tmp_path)
    (tmp_path / ".claude" / "settings.json").write_text("{")
    with pytest.raises(InputError, match=r"settings\.json cannot be read"):
        ClaudeCode.configured(environment)


@pytest.mark.parametrize("name", ["GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL", "CODE_ASSIST_ENDPOINT"])
def test_gemini_gets_the_address_of_the_environment(name):
    """Its settings are the user's own; addresses come from variables."""
    assert minimal({name: "https://gate.example"}, GeminiCli.variables) == {name: "https://gate.example"}
