"""promptfoo's results.json as a finished run of a suite: what its assertions decided, counted and compared here.

Nothing is judged again. A test with the same variables and assertions as an earlier one is a repeat of it, which is how
promptfoo writes its own repeats. A grader that failed decided nothing; a provider that failed is a lost run. A run
passes when promptfoo says so: a test with a threshold is one expectation, and an assertion of weight 0 is none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from evenhand.core.numbers import exact
from evenhand.core.receipt import canonical_text
from evenhand.decisions.suite_run import SuiteRun
from evenhand.errors import InputError, Problem
from evenhand.files.json_values import load_json
from evenhand.files.text import read_text
from evenhand.runs.kept_runs import KeptRuns
from evenhand.runs.run_document import Aftermath
from evenhand.suites.importing.imported_expectations import text_of, unique
from evenhand.suites.results.suite_results import StoredResults
from evenhand.work.agent_run import AgentRun, CaseResult, RunId
from evenhand.work.names import slug

_HEAD = 4096
_ERROR = 2
"""promptfoo's number for a row whose provider failed; 1 is an assertion that did."""

_LONGEST = 60
_NOTE = "imported from promptfoo: its own assertions decided; how its runs were confined is not known"
_GRADER = "promptfoo's grader failed"
_TRANSCRIPT = "transcript.json"


def are_promptfoo_results(path: str) -> bool:
    """Whether a file begins as promptfoo's results do."""
    if not path.endswith(".json") or not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        head = file.read(_HEAD)
    return b'"evalId"' in head and b'"results"' in head


def promptfoo_results(path: str) -> StoredResults:
    """The run in a file of results; InputError when something in it is not as promptfoo writes it."""
    return _read(path)[0]


def keep_outputs(path: str, folder: Path) -> None:
    """Keep each row's prompt and output in a folder of runs, where pages look for them."""
    with KeptRuns(folder) as kept:
        for run, prompt in _read(path)[1]:
            into = kept.new()
            into.mkdir()
            turns = [{"role": "user", "content": prompt}, {"role": "assistant", "content": run.output}]
            (into / _TRANSCRIPT).write_text(json.dumps({"messages": turns}), encoding="utf-8")
            kept.keep(into, run, Aftermath())


def _read(path: str) -> tuple[StoredResults, list[tuple[AgentRun, str]]]:
    """The run in a file, and what each row that has an output was asked and answered."""
    document = load_json(read_text(path), path).value
    try:
        evaluation = document["results"]
        variants = _variants(evaluation["prompts"])
        rows = list(_identified(sorted(evaluation["results"], key=_order), variants, str(document["evalId"])))
        results = [_result(row, id, key) for row, id, key in rows]
        outputs = [
            (
                AgentRun(id, key, "finished", output=text_of(row["response"]["output"]), transcript=_TRANSCRIPT),
                str(row["prompt"]["raw"]),
            )
            for row, id, key in rows
            if (row.get("response") or {}).get("output") is not None
        ]
        created = str(evaluation["timestamp"])
        config = canonical_text(json.loads(json.dumps(document.get("config") or {}, default=str)))
        scores = _scores(rows)
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
        notes=(_NOTE, *scores),
    )
    return StoredResults(run, results), outputs


def _scores(rows: Sequence[tuple[Mapping[str, Any], RunId, str]]) -> tuple[str, ...]:
    """A note with the mean of each variant's scores, where they say more than how many assertions were met."""
    given: dict[str, list[Fraction]] = {}
    for row, id, _ in rows:
        given.setdefault(id.variant, []).append(Fraction(exact(row.get("score") or 0)))
    graded = any(part.get("score") not in (0, 1) for row, _, _ in rows for part in _counted(row))
    if not graded and all(_weight(item) == 1 for row, _, _ in rows for item in row["testCase"].get("assert") or ()):
        return ()
    means = [f"{variant} {_written(sum(scores, Fraction(0)) / len(scores))}" for variant, scores in given.items()]
    return (f"mean of promptfoo's own scores, which weigh its assertions: {', '.join(means)}",)


def _written(number: Fraction) -> str:
    return f"{Decimal(number.numerator) / Decimal(number.denominator):.4f}".rstrip("0").rstrip(".")


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


def _identified(
    rows: Sequence[Mapping[str, Any]], variants: Sequence[str], evaluation: str
) -> Iterator[tuple[Mapping[str, Any], RunId, str]]:
    """Each row with the run that it is, and its key."""
    cases: dict[str, str] = {}
    taken: set[str] = set()
    repeats: dict[tuple[str, int], int] = {}
    for row in rows:
        test = row["testCase"]
        same = canonical_text(
            json.loads(json.dumps([row["vars"], test.get("description"), test.get("assert")], default=str))
        )
        if same not in cases:
            words = str(test.get("description") or " ".join(text_of(value) for value in row["vars"].values()))
            cases[same] = unique(slug(words)[:_LONGEST].strip("-") or f"test-{len(cases) + 1}", taken)
        place = row["promptIdx"]
        repeat = repeats[same, place] = repeats.get((same, place), 0) + 1
        id = RunId(cases[same], variants[place], repeat)
        yield row, id, hashlib.sha256(canonical_text([evaluation, *id]).encode()).hexdigest()


def _result(row: Mapping[str, Any], id: RunId, key: str) -> CaseResult:
    asserted = row["testCase"].get("assert") or []
    tokens = (row.get("tokenUsage") or {}).get("total") or None
    result = CaseResult(
        id,
        "finished",
        seconds=None if row.get("latencyMs") is None else exact(row["latencyMs"]) / Decimal(1000),
        tokens=tokens,
        cost=exact(row["cost"]) if tokens and row.get("cost") is not None else None,
        key=key,
    )
    has_share = row["testCase"].get("threshold") is not None
    if row.get("failureReason") == _ERROR:
        reason = str(row.get("error") or "promptfoo gives no reason").splitlines()[0][:300]
        lost = 1 if has_share and asserted else sum(_weight(item) != 0 for item in asserted)
        return result._replace(outcome="failed", reason=reason, verdicts=("unmet",) * lost, expectations=lost)
    verdicts = tuple(map(_verdict, _counted(row)))
    if verdicts and has_share and _GRADER not in verdicts:
        verdicts = ("met" if row["success"] else "unmet",)
    elif has_share:
        verdicts = verdicts and (_GRADER,)
    met = verdicts.count("met")
    unscored = "" if verdicts else "promptfoo asserted nothing of it"
    return result._replace(verdicts=verdicts, met=met, expectations=met + verdicts.count("unmet"), unscored=unscored)


def _counted(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What decided each assertion that counts: one of weight 0 passes whatever it finds."""
    components = list(_components((row.get("gradingResult") or {}).get("componentResults") or []))
    asserted = row["testCase"].get("assert") or []
    if len(asserted) != len(components):
        asserted = [component.get("assertion") or {} for component in components]
    return [component for component, item in zip(components, asserted, strict=True) if _weight(item) != 0]


def _weight(assertion: Mapping[str, Any]) -> Decimal:
    return Decimal(1) if assertion.get("weight") is None else exact(assertion["weight"])


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
