"""Suites tried before a run: which cases can be passed without the work, and what stands in them twice or by mistake."""
