"""Every expectation decided: met, unmet or undecided."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from evenhand.core.finding import NEEDS_A_READER, NO_TRANSCRIPT, Expected
from evenhand.findings.expectations.expectation import NOWHERE, Expectation, Rates, Surroundings, Verdict
from evenhand.findings.expectations.expected_answers import contained, decide_answer, follows_schema
from evenhand.findings.expectations.expected_calls import decide_calls
from evenhand.findings.expectations.expected_scripts import decide_script
from evenhand.findings.expectations.expected_skills import decide_skill
from evenhand.findings.expectations.skill_creator import decide_graded
from evenhand.findings.facts.files_written import files_written
from evenhand.findings.subject import Subject
from evenhand.runs.run_environment import without_secrets
from evenhand.runs.short_command import run_short
from evenhand.work.submission import Submission, Usage

# Whether a command ends as a case expects. It runs only when the user asked for it, without a shell unless the case
# says so, within a time limit, in a named folder, and without the keys in the environment: it may run what an agent
# wrote.

SECONDS = 60.0
"""The default time limit of a command."""

# What a run cost, as far as its transcript tells: stated there, or computed from its tokens and known prices. Pure.
#
# From tokens the cost is a range, because a transcript does not say how many of them were added to a cache. A limit
# inside the range is undecided.

_MILLION = Decimal(1_000_000)
_WRITE_AT_MOST = Decimal("1.25")
"""What vendors ask for a token that is added to a cache, as a share of the price of input."""


# Whether files are as a case expects: in the agent's working folder, or according to the transcript.

LARGEST = 50 * 1024 * 1024
"""The most bytes of a file that are read."""


def decide_file(expectation: Expectation, submission: Submission, surroundings: Surroundings) -> Verdict:
    """One expectation about a file. What the agent itself made impossible to decide is unmet."""
    folder = surroundings.folder
    name = expectation.options["path"]
    if expectation.rule == "unchanged":
        return _unchanged(name, submission, surroundings, required=expectation.value)
    if folder is None:
        return Verdict(None, "the agent's working folder is unknown; pass it with --set judge.workspace=DIR")
    if ".." in Path(name).parts or Path(name).is_absolute():
        return Verdict(None, f"{name} is outside {folder}")
    if expectation.rule == "exists" and "*" in name:
        return _any_file(name, folder, required=expectation.value)
    try:
        path = (folder / name).resolve()
    except (OSError, RuntimeError):  # a link to itself
        return Verdict(False, f"{name} is a link that leads nowhere")
    if not path.is_relative_to(folder.resolve()):
        return Verdict(False, f"{name} is a link that leads out of the agent's working folder")
    if surroundings.lost and not path.exists():
        return Verdict(False, f"{name} is not there: {surroundings.lost}")
    if expectation.rule == "exists":
        exists = path.exists()
        return Verdict(exists is expectation.value, f"{name} {'exists' if exists else 'does not exist'}")
    try:
        content = path.read_bytes() if path.stat().st_size <= LARGEST else None
    except OSError:
        return Verdict(False, f"{name} does not exist or cannot be read")
    if content is None:
        return Verdict(False, f"{name} is larger than {LARGEST // 1024 // 1024} MiB, the largest file that is checked")
    if expectation.rule == "sha256":
        digest = hashlib.sha256(content).hexdigest()
        return Verdict(digest == expectation.value.lower(), f"the SHA-256 of {name} is {digest}")
    text = content.decode("utf-8", "replace")
    if expectation.rule == "json_schema":
        return _schema(name, text, expectation.value, folder)
    verdict = contained(expectation.value, text, required=expectation.rule == "contains", name=name)
    return verdict._replace(quote="", offset=None)  # quotes come only from the output or the transcript


def _any_file(pattern: str, folder: Path, *, required: bool) -> Verdict:
    """Whether a file of a pattern is there: `*` is any name, `**` any folders."""
    literal = re.sub(r"[\[?]", lambda match: f"[{match[0]}]", pattern)  # `[id].tsx` is a name
    inside = folder.resolve()
    found = next(
        (path for path in folder.glob(literal) if path.is_file() and path.resolve().is_relative_to(inside)), None
    )
    says = f"no file matches {pattern}" if found is None else f"{found.relative_to(folder).as_posix()} exists"
    return Verdict((found is not None) is required, says)


def _unchanged(name: str, submission: Submission, surroundings: Surroundings, *, required: bool) -> Verdict:
    """By what was found in its folder, where that is known: a transcript shows only what went through a tool."""
    if surroundings.changed is not None:
        is_changed = name.removeprefix("./") in surroundings.changed
        if surroundings.lost and not is_changed:
            return Verdict(False, f"{name} may have been changed: {surroundings.lost}")
        return Verdict(is_changed is not required, f"{name} was {'changed' if is_changed else 'not changed'}")
    if not submission.events and submission.format != "diff":
        return Verdict(None, f"{NO_TRANSCRIPT}, so the written files are unknown")
    written = any(
        file.path == name or file.path.endswith(f"/{name.lstrip('./')}") for file in files_written(Subject(submission))
    )
    return Verdict(written is not required, f"{name} was {'changed' if written else 'not changed'}")


def _schema(name: str, text: str, schema: str, folder: Path) -> Verdict:
    try:
        document: Any = json.loads((folder / schema).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return Verdict(None, f"the schema {schema} cannot be read: {error}")
    return follows_schema(text, document, name, schema)


def decide_cost(limit: Decimal, submission: Submission, rates: Mapping[str, Rates]) -> Verdict:
    """Whether it cost no more than a limit in US dollars."""
    allowed = f"and ${limit:f} are allowed"
    if submission.cost is not None:
        return Verdict(submission.cost <= limit, f"its transcript says that it cost ${submission.cost:f}, {allowed}")
    if submission.usage is None:
        return Verdict(None, "the submission says neither what it cost nor how many tokens it took")
    if len(submission.models) != 1:
        models = "no model" if not submission.models else f"{len(submission.models)} models"
        return Verdict(None, f"the submission does not say what it cost, and names {models} for its tokens")
    (model,) = submission.models
    if model not in rates:
        return Verdict(
            None, f"the submission does not say what it cost, and the price of {model} is not in evenhand.toml"
        )
    low, high = _range(submission.usage, rates[model])
    cost = f"${high:f}" if low == high else f"between ${low:f} and ${high:f}"
    met = True if high <= limit else False if low > limit else None
    return Verdict(met, f"by its tokens and the price of {model} it cost {cost}, {allowed}")


def _range(usage: Usage, rates: Rates) -> tuple[Decimal, Decimal]:
    """The least and the most that the tokens can have cost."""
    cached = min(usage.cached, usage.input)
    plain = usage.input - cached
    write = rates.cache_write if rates.cache_write is not None else rates.input * _WRITE_AT_MOST
    dearest = max(rates.input, write)
    least = plain * rates.input + cached * (rates.cached or Decimal(0)) + usage.output * rates.output
    most = plain * dearest + cached * (rates.input if rates.cached is None else rates.cached)
    return least / _MILLION, (most + usage.output * rates.output) / _MILLION


def decide_command(expectation: Expectation, surroundings: Surroundings) -> Verdict:
    """Run a command and compare its exit code and output.

    Where a fresh copy can be made, it runs there, on the files that count. If it fails there and would pass with all
    that the agent left, given tests aside, the verdict says which files that is due to.
    """
    if not surroundings.run_commands:
        return Verdict(None, "commands run only with --set judge.run_commands=true")
    if surroundings.lost:
        return Verdict(False, f"it was not run: {surroundings.lost}")
    if surroundings.fresh is None:
        return _run(expectation, surroundings.folder)
    with surroundings.fresh(expectation, False) as copy:
        verdict = _run(expectation, copy.folder)
    if verdict.met is not False or not copy.left_out or "products" in expectation.options:
        return verdict
    with surroundings.fresh(expectation, True) as whole:
        as_left = _run(expectation, whole.folder)
    if not as_left.met:
        return as_left
    names = f"{', '.join(copy.left_out[:MOST_NAMED])}{' and others' if len(copy.left_out) > MOST_NAMED else ''}"
    why = f"it passes only with {names}, as the agent left it; if that counts, write products: [{copy.left_out[0]}]"
    return Verdict(False if copy.products else None, why)


MOST_NAMED = 3
"""Files that a verdict names."""


def _run(expectation: Expectation, folder: Path | None) -> Verdict:
    options = expectation.options
    where = folder if options.get("folder") is None else (folder or Path()) / options["folder"]
    if where is None or not where.is_dir():
        return Verdict(None, f"no folder to run it in: {where or 'pass one with --set judge.workspace=DIR'}")
    seconds = float(options.get("seconds", SECONDS))
    try:
        environment = without_secrets(os.environ, options.get("environment", ()))
        words = [expectation.value] if isinstance(expectation.value, str) else list(expectation.value)
        words = ["/bin/sh", "-c", *words] if options.get("shell") else words
        code, output = run_short(words, where, seconds, environment, root=folder)
    except (OSError, ValueError) as error:
        return Verdict(None, f"it could not be started: {getattr(error, 'strerror', None) or error}")
    if code is None:
        return Verdict(False, f"it did not end within {seconds:g} s and was stopped")
    expected = options.get("exit_code", 0)
    if code != expected:
        last = next((line for line in reversed(output.splitlines()) if line.strip()), "")[:200]
        return Verdict(False, f"it ended with exit code {code}, expected {expected}" + (f": {last}" if last else ""))
    missing = options.get("contains")
    texts = [missing] if isinstance(missing, str) else list(missing or ())
    for text in texts:
        if text not in output:
            return Verdict(False, f'its output does not contain "{text[:100]}"')
    return Verdict(True, f"it ended with exit code {code}")


def decide(
    expectations: Iterable[Expectation], submission: Submission, surroundings: Surroundings = NOWHERE
) -> tuple[Expected, ...]:
    """The result of each expectation, in order."""
    return tuple(_decided(expectation, submission, surroundings) for expectation in expectations)


def _decided(expectation: Expectation, submission: Submission, surroundings: Surroundings) -> Expected:
    verdict = _verdict(expectation, submission, surroundings)
    return Expected(
        words=expectation.words,
        result="undecided" if verdict.met is None else "met" if verdict.met else "unmet",
        dimension=expectation.dimension,
        severity=expectation.severity,
        message=verdict.message,
        quote=verdict.quote,
        place=verdict.place,
        offset=verdict.offset,
    )


def _verdict(expectation: Expectation, submission: Submission, surroundings: Surroundings) -> Verdict:
    match expectation.about:
        case "answer":
            return decide_answer(expectation, submission.output)
        case "calls":
            return decide_calls(expectation, submission.events)
        case "skill":
            return decide_skill(expectation, submission.events)
        case "file":
            return decide_file(expectation, submission, surroundings)
        case "command":
            return decide_command(expectation, surroundings)
        case "script":
            allowed = surroundings.run_commands if surroundings.run_scripts is None else surroundings.run_scripts
            return decide_script(expectation, submission, allowed=allowed)
        case "limit":
            return _limit(expectation, submission, surroundings)
        case "share":
            return _share(expectation, submission, surroundings)
        case "graded":
            return decide_graded({"text": expectation.value, **expectation.options}, submission)
        case _:
            return Verdict(None, NEEDS_A_READER)


def _share(expectation: Expectation, submission: Submission, surroundings: Surroundings) -> Verdict:
    """Whether enough of several expectations are met, by weight; undecided where that depends on undecided ones."""
    met = undecided = total = Decimal(0)
    failed: list[str] = []
    for part in expectation.value:
        results = [_decided(each, submission, surroundings) for each in part.expectations]
        total += part.weight
        if all(result.result == "met" for result in results):
            met += part.weight
        elif any(result.result == "unmet" for result in results):
            failed += [f"{result.words}: {result.message}" for result in results if result.result == "unmet"]
        else:
            undecided += part.weight
            failed += [result.message for result in results if result.result == "undecided"]
    needed = expectation.options["at_least"] * total
    told = f"{met.normalize():f} of {total.normalize():f} are met, and {needed.normalize():f} are needed"
    why = f"; {'; '.join(failed)}"[:300] if failed else ""
    if met >= needed:
        return Verdict(True, told)
    return Verdict(False if met + undecided < needed else None, told + why)


def _limit(expectation: Expectation, submission: Submission, surroundings: Surroundings) -> Verdict:
    limit = Decimal(str(expectation.value))
    if expectation.rule == "cost":
        return decide_cost(limit, submission, surroundings.rates)
    used = _used(expectation.rule, submission)
    if used is None:
        return Verdict(None, f"the submission does not say how many {expectation.rule} it took")
    return Verdict(used <= limit, f"it took {used.normalize():f} {expectation.rule}, and {limit} are allowed")


def _used(what: str, submission: Submission) -> Decimal | None:
    if what == "turns":
        turns = sum(event.kind == "message" and event.role == "assistant" for event in submission.events)
        return Decimal(turns) if submission.events else None
    if what == "calls" and submission.events:
        return Decimal(sum(event.call is not None for event in submission.events))
    if what == "tokens" and submission.usage is not None:
        return Decimal(submission.usage.input + submission.usage.output)
    if what == "seconds":
        try:
            span = datetime.fromisoformat(submission.ended) - datetime.fromisoformat(submission.started)
        except (ValueError, TypeError):
            return None
        return Decimal(str(span.total_seconds()))
    return None
