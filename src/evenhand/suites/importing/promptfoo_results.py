"""promptfoo's results.json as a finished run of a suite: what its assertions decided, counted and compared here.

Nothing is judged again. A test with the same variables and assertions as an earlier one is a repeat of it, which is how
promptfoo writes its own repeats. A grader that failed decided nothing; a provider that failed is a lost run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from evenhand.core.numbers import exact
from evenhand.core.receipt import canonical_text
from evenhand.decisions.values.suite_run import SuiteRun
from evenhand.errors import InputError, Problem
from evenhand.files.json_values import load_json
from evenhand.files.text import read_text
from evenhand.suites.importing.imported_expectations import unique
from evenhand.suites.importing.promptfoo_templates import text_of
from evenhand.suites.results.suite_results import StoredResults
from evenhand.work.agent_run import CaseResult, RunId
from evenhand.work.names import slug

_HEAD = 4096
_ERROR = 2
"""promptfoo's number for a row whose provider failed; 1 is an assertion that did."""

_LONGEST = 60
_NOTE = "imported from promptfoo: its own assertions decided; how its runs were confined is not known"
_GRADER = "promptfoo's grader failed"


def are_promptfoo_results(path: str) -> bool:
    """Whether a file begins as promptfoo's results do."""
    if not path.endswith(".json") or not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        head = file.read(_HEAD)
    return b'"evalId"' in head and b'"results"' in head


def promptfoo_results(path: str) -> StoredResults:
    """The run in a file of results; InputError when something in it is not as promptfoo writes it."""
    document = load_json(read_text(path), path).value
    try:
        evaluation = document["results"]
        variants = _variants(evaluation["prompts"])
        results = list(_results(sorted(evaluation["results"], key=_order), variants))
        created = str(evaluation["timestamp"])
        config = canonical_text(json.loads(json.dumps(document.get("config") or {}, default=str)))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        what = f"is not as promptfoo writes results ({type(error).__name__}: {error})"
        raise InputError(Problem(what, path)) from None
    if not results:
        raise InputError(Problem("holds no results", path))
    run = SuiteRun(
        id=f"promptfoo-{slug(str(document['evalId']))}",
        suite=slug(str((document.get("config") or {}).get("description") or "promptfoo"))[:_LONGEST],
        sha256=hashlib.sha256(config.encode()).hexdigest(),
        created=created,
        variants=tuple(variants),
        reference=variants[0],
        repeats=max(result.id.repeat for result in results),
        cases=len({result.id.case for result in results}),
        notes=(_NOTE,),
    )
    return StoredResults(run, results)


def _order(row: Mapping[str, Any]) -> tuple[int, int]:
    return row["testIdx"], row["promptIdx"]


def _variants(prompts: Sequence[Mapping[str, Any]]) -> list[str]:
    """A name for each prompt of each provider, in promptfoo's order."""
    labels = {str(prompt["label"]) for prompt in prompts}
    taken: set[str] = set()
    names = []
    for prompt in prompts:
        name = slug(str(prompt["provider"]))[:_LONGEST] or "provider"
        names.append(unique(name if len(labels) == 1 else f"{name}-{slug(str(prompt['label']))[:30]}", taken))
    return names


def _results(rows: Sequence[Mapping[str, Any]], variants: Sequence[str]) -> Iterator[CaseResult]:
    cases: dict[str, str] = {}
    taken: set[str] = set()
    repeats: dict[tuple[str, int], int] = {}
    for row in rows:
        test = row["testCase"]
        key = canonical_text(
            json.loads(json.dumps([row["vars"], test.get("description"), test.get("assert")], default=str))
        )
        if key not in cases:
            words = str(test.get("description") or " ".join(text_of(value) for value in row["vars"].values()))
            cases[key] = unique(slug(words)[:_LONGEST].strip("-") or f"test-{len(cases) + 1}", taken)
        place = row["promptIdx"]
        repeat = repeats[key, place] = repeats.get((key, place), 0) + 1
        yield _result(row, RunId(cases[key], variants[place], repeat))


def _result(row: Mapping[str, Any], id: RunId) -> CaseResult:
    asserted = row["testCase"].get("assert") or []
    tokens = (row.get("tokenUsage") or {}).get("total") or None
    result = CaseResult(
        id,
        "finished",
        seconds=None if row.get("latencyMs") is None else exact(row["latencyMs"]) / Decimal(1000),
        tokens=tokens,
        cost=exact(row["cost"]) if tokens and row.get("cost") is not None else None,
    )
    if row.get("failureReason") == _ERROR:
        reason = str(row.get("error") or "promptfoo gives no reason").splitlines()[0][:300]
        return result._replace(
            outcome="failed", reason=reason, verdicts=("unmet",) * len(asserted), expectations=len(asserted)
        )
    verdicts = tuple(map(_verdict, _components((row.get("gradingResult") or {}).get("componentResults") or [])))
    met = verdicts.count("met")
    unscored = "" if verdicts else "promptfoo asserted nothing of it"
    return result._replace(verdicts=verdicts, met=met, expectations=met + verdicts.count("unmet"), unscored=unscored)


def _verdict(component: Mapping[str, Any]) -> str:
    if (component.get("metadata") or {}).get("graderError"):
        return _GRADER
    return "met" if component["pass"] else "unmet"


def _components(components: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """What decided each assertion: of a set only the whole, whose parts follow it once more."""
    rest = iter(components)
    for component in rest:
        yield component
        for _ in range(_parts(component)):
            next(rest, None)


def _parts(component: Mapping[str, Any]) -> int:
    return sum(1 + _parts(part) for part in component.get("componentResults") or ())
