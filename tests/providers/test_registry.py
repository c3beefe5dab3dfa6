"""Providers are found by listing a folder: a new file is a new provider."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evenhand.errors import InputError
from evenhand.files.located import Located
from evenhand.providers import builtin, registry
from evenhand.providers.entries import configured
from evenhand.providers.known import Configured
from evenhand.providers.opened_provider import open_provider
from evenhand.providers.specs import Spec, judge_forms, parse_spec

NEW = """
from evenhand.providers.known import KnownProvider

PROVIDER = KnownProvider(
    "brand-new", "a model of a new vendor", address="https://new.example.com/v1", key="NEW_KEY", window=9000
)
"""


def written(table: dict[str, Any]) -> Located:
    """A project's table for the new provider."""
    return Located({"brand-new": table}, "evenhand.toml", lambda path: None)


@pytest.fixture
def brand_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A file more in the folder of providers."""
    (tmp_path / "brand_new.py").write_text(NEW)
    monkeypatch.setattr(builtin, "__path__", [*builtin.__path__, str(tmp_path)])
    registry.built_in_names.cache_clear()
    yield
    monkeypatch.undo()
    registry.built_in_names.cache_clear()


def test_every_file_declares_the_provider_it_is_named_after():
    """And in lists they have an order of their own."""
    assert [provider.name for provider in registry.providers()] == [
        "openai", "anthropic", "claude-code", "codex", "gemini-cli", "ollama", "replay",
    ]  # fmt: skip
    assert sorted(provider.name for provider in registry.providers()) == list(registry.built_in_names())
    assert judge_forms() == [
        "checks", "openai:MODEL", "anthropic:MODEL", "claude-code[:MODEL]", "codex[:MODEL]", "gemini-cli[:MODEL]",
        "ollama:MODEL", "replay:FILE", "auto",
    ]  # fmt: skip


def test_a_new_file_is_a_new_provider(brand_new: None):
    """It can be named, opened with its key, configured but not sent elsewhere, and is listed."""
    spec = parse_spec("brand-new:big")
    assert spec == Spec("brand-new:big", "openai", "brand-new", "big")
    opened = open_provider(spec, environment={"NEW_KEY": "abc"})
    assert (opened.window, opened.identity["address"]) == (9000, "https://new.example.com/v1")
    with pytest.raises(InputError, match="needs a key: set the environment variable NEW_KEY"):
        open_provider(spec, environment={})
    assert configured(written({"window": 100})) == {"brand-new": Configured(window=100)}
    with pytest.raises(InputError, match="base_url: cannot be set for brand-new"):
        configured(written({"base_url": "https://elsewhere.example.com"}))
    assert "brand-new:MODEL" in judge_forms()
    with pytest.raises(InputError, match="did you mean brand-new"):
        parse_spec("brandnew:big")


@pytest.mark.slow
def test_naming_a_provider_loads_no_other():
    """A run pays for the providers it uses."""
    code = (
        "import json, sys\n"
        "from evenhand.providers.specs import parse_spec\n"
        "parse_spec('ollama:x')\n"
        "print(json.dumps([name for name in sys.modules if name.startswith('evenhand.providers.builtin.')]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["evenhand.providers.builtin.ollama"]
