"""Agreement, pass rates, anchors and early stopping at their edges: worked out by hand or by scipy."""

from __future__ import annotations

import json

from conftest import ROOT
from jsonschema import Draft202012Validator

# --- coefficients ----------------------------------------------------------------------------------------------------


# --- means and anchors -----------------------------------------------------------------------------------------------


# --- other rules -----------------------------------------------------------------------------------------------------


# --- ranks, pairs and effects ----------------------------------------------------------------------------------------


# --- intervals -------------------------------------------------------------------------------------------------------


# --- files -----------------------------------------------------------------------------------------------------------


def test_a_suite_with_one_variant_fits_its_schema_and_one_without_does_not():
    """A suite of one is run, and compared with a baseline."""
    schema = json.loads((ROOT / "src/evenhand/schemas/suite.v1.schema.json").read_text(encoding="utf-8"))
    suite = {"suite": "s", "cases": [{"prompt": "x"}], "variants": {"v": {"command": ["true"]}}}
    assert Draft202012Validator(schema).is_valid(suite)
    assert not Draft202012Validator(schema).is_valid({**suite, "variants": {}})
