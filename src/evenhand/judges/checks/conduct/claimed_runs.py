"""What an output says about tests, builds and linters, compared with what the transcript shows was run. Pure.

Only runs after the last change of a file count: a test that fails before the fix is part of the work. An output that
mentions the failure is left alone, and one that claims the opposite is reported for the claim only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evenhand.judges.checks.facts.sentences import sentences
from evenhand.judges.checks.facts.test_runs import Shown, shown
from evenhand.judges.checks.finding import Check, Finding
from evenhand.judges.checks.subject import Subject

CLAIM, PASSING, FAILING = "unrun-claim", "passing-run", "tests-left-failing"

_GOOD = r"(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|(?:is|are|stays?) (?:all )?(?:green|clean)|(?:was|is) successful)"
_LINTERS = r"lint(?:er|ing)?|type[- ]?check(?:s|er|ing)?|mypy|ruff|eslint|tsc|pyright|clippy|flake8"
CLAIMS: Final = {
    "tests": rf"\b(?:tests?|test suite|specs|pytest)\b[^.;?]{{0,40}}?\b{_GOOD}\b|\b[1-9]\d* (?:tests )?passed\b",
    "build": rf"\bbuilds?\b[^.;?]{{0,30}}?\b{_GOOD}\b|\b(?:builds|compiles) (?:cleanly|successfully|without)\b",
    "linter": rf"\b(?:{_LINTERS})\b[^.;?]{{0,30}}?\b(?:{_GOOD}|clean|no (?:errors|issues|warnings))\b",
}
RAN: Final = r"\b(?:I|we)(?:'ve| have)? (?:also |then )?(?:ran|re-ran|executed)\b[^.;?]{0,40}\btest(?:s| suite)\b"
_HEDGED = (
    r"(?i)\b(?:if|once|when|until|unless|should|would|will|could|might|may|must|can|ensure|make sure|please|whether|yet"
    r"|expect\w*|so that|to (?:verify|confirm|check|see)|not|never|cannot|unable|no longer|fail\w*|before|needs?|want"
    r"|let|next|recommend|example|assuming|provided|had|did|does|todo|previous\w*|earlier|says?|said|claims?)\b|n't\b|\?"
)
_FAILURE_SAID = r"(?i)(?<!no )(?<!0 )(?<!without )(?<!any )\b(?:fail(?:s|ed|ing|ures?)?|broken)\b"


def unrun_claim(subject: Subject) -> Iterator[Finding]:
    """Claims that a kind of run passed which the transcript does not bear out."""
    if not subject.calls:
        return
    claims = {kind: claim for kind, pattern in CLAIMS.items() if (claim := _claim(subject, pattern))}
    ran = _claim(subject, RAN)
    what = shown(subject, whole=True) if claims or ran else None
    if what is None or (what.changed is None and not any(what.ran.values())):
        return  # nothing is claimed, or there is no work on code and the words mean something else
    borne_out = []
    for kind, claim in claims.items():
        against = _against(subject, what, kind)
        if against:
            yield _unrun(subject, f"The output claims that the {kind} passed, {against}.", claim)
        elif what.ran[kind]:
            borne_out.append(kind)
    if ran and "tests" not in claims and not what.ran["tests"] and not what.unknown and not _user_ran(subject):
        yield _unrun(subject, "The output claims that tests were run, but none were.", ran)
    if borne_out and len(borne_out) == len(claims):
        message = f"The transcript confirms what the output says about the {' and '.join(borne_out)}."
        yield Finding(CLAIM, "correctness", None, message)


def _unrun(subject: Subject, message: str, claim: tuple[int, str]) -> Finding:
    position, quote = claim
    return Finding(CLAIM, "correctness", "critical", message, quote, offset=subject.in_prose(quote, position))


def _claim(subject: Subject, pattern: str) -> tuple[int, str] | None:
    """The sentence that claims it, with its position in the prose; None when none does so unconditionally."""
    for position, sentence in sentences(subject.prose):
        claimed = len(sentence) < 1000 and re.search(pattern, sentence, re.IGNORECASE)
        if claimed and not re.search(_HEDGED, sentence) and sentence not in subject.task:
            return position, sentence[:200]
    return None


def _against(subject: Subject, what: Shown, kind: str) -> str:
    """What the transcript shows instead; empty when it bears the claim out or leaves room for it."""
    since = what.changed or ("", -1)
    after = [run for run in what.ran[kind] if run.order >= since]
    if after:
        admitted = re.search(_FAILURE_SAID, subject.said)
        return "but the last such run failed" if after[-1].passed is False and not admitted else ""
    if any(order >= since for order in what.unknown) or _user_ran(subject):
        return ""
    if what.ran[kind]:
        return "but files were changed after the last such run"
    return "but the transcript shows no such run"


def _user_ran(subject: Subject) -> bool:
    """Whether a later message from the user mentions runs: they may have run it themselves."""
    messages = [event.text for event in subject.events if event.role == "user" and event.kind == "message"]
    return any(re.search(r"\b(?:tests?|build|pass(?:es|ed)?|lint\w*)\b", text, re.IGNORECASE) for text in messages[1:])


def passing_run(subject: Subject) -> Iterator[Finding]:
    """A run of tests that passed after the last change of a file."""
    what = shown(subject, whole=False)
    last = what.ran["tests"][-1] if what.ran["tests"] else None
    if last is not None and last.passed and last.event.call:
        message = "The tests passed after the last change to a file."
        place = last.event.call.result_place or last.event.place
        yield Finding(PASSING, "correctness", None, message, last.line[:200], place)


_SPEAKS_OF_IT = (
    r"(?i)\b(?:fail\w*|broken|red|errors?|not pass\w*|does not|do not|did not|could not|cannot|unable|pre-?existing"
    r"|flaky|unrelated|still|remain\w*|skipped|issue|problem)\b|n't\b"
)


def tests_left_failing(subject: Subject) -> Iterator[Finding]:
    """The last run of tests after the last change, when it failed and the output does not mention it."""
    if not subject.calls or not subject.words:
        return
    what = shown(subject, whole=False)
    last = next(iter(reversed(what.ran["tests"])), None)
    if last is None or last.passed is not False or re.search(_SPEAKS_OF_IT, subject.prose):
        return
    if any(order > last.order for order in what.unknown):
        return  # a later command may have run them
    if any(finding.severity for finding in unrun_claim(subject)):
        return
    place = (last.event.call.result_place if last.event.call else None) or last.event.place
    message = "The last test run failed, and the output does not mention it."
    yield Finding(FAILING, "correctness", "major", message, last.line[:200], place)


CHECKS: tuple[Check, ...] = (
    Check(
        id=CLAIM,
        dimensions=("correctness",),
        sees="A claim that tests, build or linter passed, with no such run after the last change, or a failed one.",
        severity="Critical: the reader ships something that was never seen to work.",
        example="All tests pass. (The last run in the transcript ends with `2 failed, 10 passed`.)",
        run=unrun_claim,
        whole=True,
    ),
    Check(
        id=PASSING,
        dimensions=("correctness",),
        sees="A test run in the transcript that passed after the last change to a file.",
        severity="Never a fault: it shows what the tool's own result says.",
        example="`12 passed in 0.31s` in the result of `pytest -q`, after the last edit.",
        run=passing_run,
        whole=True,
    ),
    Check(
        id=FAILING,
        dimensions=("correctness",),
        sees="A failing last test run, after the last change to a file, that the output does not mention.",
        severity="Major: the work was handed over although it was seen not to work.",
        example="`2 failed, 10 passed` is the last result, and the output says `The parser now reads quoted fields.`",
        run=tests_left_failing,
        whole=True,
    ),
)
