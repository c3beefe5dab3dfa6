"""The declaration of model options: what each accepts, wherever it comes from."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, fields, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.options.model_options import OPTIONS, ModelOptions, options_from, used_by
from every_case import every_case

ACCEPTED = [
    ("samples", 1, 1),
    ("samples", 100, 100),
    ("samples", "100", 100),
    ("samples", np.int64(3), 3),
    ("samples", None, 1),
    ("temperature", 0, 0.0),
    ("temperature", "2", 2.0),
    ("temperature", np.float32(0.1), 0.1),
    ("quorum", 1, 1),
    ("concurrency", 1, 1),
    ("max_calls", 0, 0),
    ("max_cost", "$2.50", Decimal("2.50")),
    ("max_cost", " 2.50 ", Decimal("2.50")),
    ("max_cost", 2.5, Decimal("2.5")),
    ("max_cost", 0, Decimal(0)),
    ("max_cost", Decimal("0.01"), Decimal("0.01")),
    ("thorough", True, True),
    ("replies", Path("r.db"), "r.db"),
    ("replies", "none", None),
    ("language", "pt-BR", "pt-BR"),
    ("language", "x" * 40, "x" * 40),
    ("examples_from_store", 20, 20),
    ("base_url", "http://localhost:8000/v1", "http://localhost:8000/v1"),
]

REFUSED = [
    ("samples", 0, "0 is not valid; give a whole number, 1 to 100"),
    ("samples", 101, "101 is not valid; give a whole number, 1 to 100"),
    ("samples", 1.5, "1.5 is not valid; give a whole number, 1 to 100"),
    ("samples", "many", "is not valid; give a whole number, 1 to 100"),
    ("samples", True, "true is not valid; give a whole number, 1 to 100"),
    ("temperature", -0.01, "-0.01 is not valid; give a number, 0 to 2"),
    ("temperature", 2.01, "2.01 is not valid; give a number, 0 to 2"),
    ("quorum", 0, "0 is not valid; give a whole number, 1 or more"),
    ("concurrency", 0, "0 is not valid; give a whole number, 1 or more"),
    ("max_calls", -1, "-1 is not valid; give a whole number, 0 or more"),
    ("max_cost", "-0.01", "is not an amount; give US dollars, such as 2.50"),
    ("max_cost", "much", '"much" is not an amount; give US dollars, such as 2.50'),
    ("max_cost", float("nan"), "nan is not an amount"),
    ("thorough", 1, "1 is not true or false"),
    ("thorough", "yes", '"yes" is not true or false'),
    ("replies", "", "it is empty"),
    ("replies", 3, "3 is not a path"),
    ("language", "", "is not the name of a language"),
    ("language", "x" * 41, "is not the name of a language"),
    ("language", 3, "3 is not text"),
    ("escalate_to", " ", "it is empty"),
    ("escalate_to", "a\0b", "holds the character NUL"),
    ("examples_from_store", 0, "give a whole number, 1 to 20"),
    ("examples_from_store", 21, "give a whole number, 1 to 20"),
]


@every_case(("name", "given", "kept"), ACCEPTED)
def test_a_value_is_read_in_one_way(name: str, given: Any, kept: Any):
    value = getattr(ModelOptions(**{name: given}), name)
    assert (value, type(value)) == (kept, type(kept))


@every_case(("name", "given", "message"), REFUSED)
def test_a_value_beyond_the_limits_is_refused_by_name(name: str, given: Any, message: str):
    with pytest.raises(InputError) as refused:
        ModelOptions(**{name: given})
    assert str(refused.value).startswith(f"{name}: ") and message in str(refused.value)
    with pytest.raises(InputError):
        replace(ModelOptions(), **{name: given})


def test_a_misspelt_option_names_the_right_one():
    with pytest.raises(TypeError, match=r"unknown option .max_csot.; did you mean max_cost\?"):
        ModelOptions(max_csot=1)  # type: ignore[call-arg]
    with pytest.raises(InputError, match=r"unknown option .sample.; did you mean samples\?"):
        options_from({"sample": 1})
    with pytest.raises(InputError, match=r"(?s)unknown option .sample.*samples: 101 is not"):
        options_from({"sample": 1, "samples": 101})


def test_options_are_a_frozen_value_that_can_be_sent():
    """To the executors of a cluster, for example."""
    options = ModelOptions(samples=3, max_cost="$1")
    assert pickle.loads(pickle.dumps(options)) == options
    assert {options: 1}[replace(options)] == 1
    with pytest.raises(FrozenInstanceError):
        options.samples = 4  # type: ignore[misc]
    assert options.given() == {"samples": 3, "max_cost": Decimal(1)}


def test_every_option_has_a_sentence_and_somewhere_to_be_given():
    assert list(OPTIONS) == [field.name for field in fields(ModelOptions)]
    for name, option in OPTIONS.items():
        assert option.name == name
        assert option.sentence.endswith(".") and option.sentence[0].isupper(), name
        assert option.used_by and getattr(ModelOptions(), name) == option.default


def test_help_has_the_sentence_the_limits_and_the_default():
    assert OPTIONS["samples"].help == "How many times to ask each question (1 to 100). Default: 1."
    assert OPTIONS["max_calls"].help == "Stop before making more calls than this; retries count."
    assert OPTIONS["quorum"].help == "How many judges must score a dimension. Default: more than half."


def test_an_option_without_effect_is_refused():
    ModelOptions(max_cost=1, fresh=True).refuse_for("pairs", "a comparison in pairs")
    with pytest.raises(InputError, match=r"quorum has no effect on a comparison in pairs; valid: base_url, temp"):
        ModelOptions(quorum=2).refuse_for("pairs", "a comparison in pairs")


def test_no_file_of_a_project_can_send_a_key_to_another_server():
    """Only a person names an address, on the command line or in Python."""
    for use in ("settings", "suite"):
        assert not {"base_url", "run_commands", "replies", "record"} & used_by(use).keys()


def test_a_projects_settings_cannot_send_work_to_a_provider_that_no_one_named():
    """Who has a local model judge has not agreed to a second one; a suite names its judges itself."""
    assert "escalate_to" not in used_by("settings")
    assert "escalate_to" in used_by("suite")
