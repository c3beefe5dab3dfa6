"""Where an agent command sends its questions as a judge: where the user's own goes, or nowhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evenhand.errors import InputError
from evenhand.providers.builtin.claude_code import ClaudeCode
from evenhand.providers.builtin.codex import Configuration, configuration
from evenhand.providers.builtin.gemini_cli import GeminiCli
from evenhand.providers.commands.process import minimal


def codex(tmp_path: Path, config: str) -> Configuration:
    """What a judge takes of a configuration."""
    home = tmp_path / ".codex"
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(config)
    return configuration({"HOME": str(tmp_path)})


def test_codex_gets_the_model_and_the_login_of_the_user(tmp_path):
    """What the chosen profile says wins; nothing else of the file is handed on."""
    config = (
        'profile = "p"\ncli_auth_credentials_store = "keyring"\nmodel = "a"\n[profiles.p]\nmodel = "b"\n[tui]\nx = 1\n'
    )
    assert codex(tmp_path, config) == Configuration("b", ('cli_auth_credentials_store="keyring"',))
    assert configuration({"HOME": str(tmp_path), "CODEX_HOME": str(tmp_path / "other")}) == Configuration()


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ("model = ", "it cannot be read"),
        ('model_provider = "mine"', "its model_provider sends questions to another server"),
        ('openai_base_url = "https://me:k3y@models.example"', "its openai_base_url sends questions to another server"),
        ('profile = "p"\n[profiles.p]\nmodel_provider = "mine"', "its model_provider sends"),
    ],
)
def test_codex_set_up_for_another_server_is_refused(tmp_path, config, reason):
    """A judge's questions would go to Codex's own server. In one line that names the file, and never with a key."""
    with pytest.raises(InputError, match=r"codex is not used as a judge: .*config\.toml: ") as refused:
        codex(tmp_path, config)
    assert reason in str(refused.value)
    assert "k3y" not in str(refused.value) and "\n" not in str(refused.value)


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
