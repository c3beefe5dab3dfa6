"""Providers of models: servers, local files and recordings. What asks a model is imported only when one is asked.

    named = configured.configured(judge_tables())         # [judges.NAME] of evenhand.toml
    spec = specs.parse_spec("openai:some-model", named)   # which judge
    provider = opening.open_provider(spec, named)         # a Provider, with its limits, price and key

The judge `checks` has no provider: a spec of that kind runs the checks instead.
"""
