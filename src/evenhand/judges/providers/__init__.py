"""Providers of models: servers, local files and recordings. Nothing here is imported before a model is asked.

    named = configured(judge_tables())              # [judges.NAME] of evenhand.toml
    spec = parse_spec("openai:some-model", named)   # which judge
    provider = open_provider(spec, named)           # a Provider, with its limits, price and key

The judge `checks` has no provider: a spec of that kind runs the checks instead.
"""

from __future__ import annotations

from evenhand.judges.providers.configured import Configured, configured
from evenhand.judges.providers.opening import open_provider
from evenhand.judges.providers.specs import Spec, parse_spec

__all__ = ["Configured", "Spec", "configured", "open_provider", "parse_spec"]
