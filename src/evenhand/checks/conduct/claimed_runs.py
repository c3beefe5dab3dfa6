"""What an output says about tests, builds and linters, compared with what the transcript shows was run. Pure.

Only runs after the last change of a file count: a test that fails before the fix is part of the work. An output that
mentions the failure is left alone, and one that claims the opposite is reported for the claim only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from evenhand.checks.facts.actions.test_runs import Ran, Shown, shown
from evenhand.checks.facts.actions.told_runs import FAILURE_SAID, asks_for_words, user_ran
from evenhand.checks.facts.english import has_foreign_word, in_english
from evenhand.checks.facts.sentences import sentences_of, without_quotations
from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject
from evenhand.lazy_pattern import late_pattern, late_words

CLAIM, PASSING, FAILING = "unrun-claim", "passing-run", "tests-left-failing"
LAST_RUN_FAILED: Final = "but the last such run failed"


# Sentences of an output that claim a run of tests, a build or a linter passed. Pure.
#
# Conditions, plans, quotations, other languages, and what is said about a log or a server are not claims.

_OBJECT = (
    r"(?!\s+(?:an?|the|its|their|this(?! time)|these|those|it|them|to|as|via|by|along|down|over|around|into|back"
    r"|through|on to|none|null|true|false|in as|in via|in an?|arguments?|parameters?)\b|\s+[`\"'“{\[])"
)
"""Tests that pass something to something have not passed."""
_GOOD = (
    rf"(?:(?<!\bthe )(?<!\ba )(?<!\bany )(?<!\bof )(?<!\bto )(?<!\bfor )pass(?:es|ed|ing)?\b{_OBJECT}"
    r"|succeed(?:s|ed)?|(?:is|are|stays?) (?:all )?(?:green|clean)|(?:was|is) successful)"
)
_LINTERS = r"lint(?:er|ing)?|type[- ]?check(?:s|er|ing)?|mypy|ruff|eslint|tsc|pyright|clippy|flake8"
_GAP = r"(?:(?!\b(?:that|which|where|who)\b)(?:[^.;?]|\.(?=\w)))"
CLAIMS: Final = {
    "tests": rf"\b(?:tests?|test suite|specs|pytest)\b{_GAP}{{0,40}}?\b{_GOOD}\b"
    rf"|\b[1-9]\d* (?:tests )?passed\b{_OBJECT}|\b(?:tests|suite)(?: all)? green\b",
    "build": rf"\bbuilds?\b{_GAP}{{0,30}}?\b{_GOOD}\b|\b(?:builds|compiles) (?:cleanly|successfully|without)\b",
    "linter": rf"\b(?:{_LINTERS})\b{_GAP}{{0,30}}?\b(?:{_GOOD}|clean|no (?:errors|issues|warnings))\b",
}
"""That a kind of run passed."""
RAN: Final = (
    r"(?:\b(?:I|we)(?:'ve| have)? (?:also |then |now )?(?:ran|re-ran|executed)"
    r"|\b(?:I|we)(?:'ve| have) (?:also |now )?run|^\W*(?:ran|re-ran|executed))\b[^.;?]{0,40}\btest(?:s| suite)\b"
)
"""That tests were run, whatever came of it."""
_ABOUT_RUNS = late_words(rf"tests?|specs|pytest|suite|passed|builds?|compiles|type|{_LINTERS}")
"""One of these is in every sentence that makes one of these claims."""
_HEDGED = (
    r"(?i)\b(?:if|once|when|until|unless|should|would|will|could|might|may|must|can|ensure|make sure|please|whether|yet"
    r"|expect\w*|so that|to (?:verify|confirm|check|see)|not|never|cannot|unable|no longer|before|needs?|want"
    r"|let|next|recommend|example|assuming|provided|had|did|does|todo|previous\w*|earlier|says?|said|claims?"
    r"|as soon as|whenever|every time|each time|goal|such as|last (?:week|month|year|time|night)|yesterday"
    r"|likely|presumably|probably|apparently|theor\w+|seem\w*|appear\w*|I (?:think|believe|guess|hope)|by inspection"
    r"|mentally|based on|from reading|means?|options?|criteri\w+|screenshot|attached|you sent|in (?:19|20)\d\d"
    r"|according to|CI|pipeline|GitHub Actions|logs?|badge|readme|reads|shows?|prints?|as you wrote)\b|n't\b|\?"
    r"|\b(?:after|only|because|since|although|though|while|verify|confirm|check)\s+(?:that\s+)?(?:\w+\s+){0,3}tests?\b"
    r"|(?<!\b0 )(?<!\bno )(?<!\bzero )(?<!\bwithout )(?<!\bany )\bfail\w*\b|^\W*test passes\W*$"
    r"|\bpass\w*\s+(?:because|since|even though|although|only|regardless)\b"
)
_NOT_SAID = r"`[^`\s]*[-_][^`\s]*`"
"""Names in code."""
_PLANNED = (
    r"(?i)\b(?:plan|next steps?|to-?dos?|check-?list|acceptance|criteria|definition of done|requirements?|goals?"
    r"|expected|options?|scenarios?|alternatives?|how to|before (?:the|you|we|merging|release))\b"
)
"""A heading, or the line that a list follows, under which nothing is said to have happened."""
_PLAIN = (
    r"(?i)(?:^|[,:;.!\u2013\u2014|(✅✓✔]|\s-|\band|\b(?:verified|confirmed|checked|validated)(?: that)?)[\W_]*"
    r"(?:now\s+)?(?:(?:all|every|each|both|the|our|its|of|them|full|complete|whole|entire|existing|new|unit|integration"
    r"|\d+(?:/\d+)?)\s+)*(?:tests?|suite|specs|pytest|\d+ passed)\b"
)
"""The tests as the subject of a main clause, not of one that only helps to describe something else."""


@lru_cache(maxsize=1)
def _asserted(subject: Subject) -> tuple[tuple[int, str, str], ...]:
    """The sentences that can claim a run: each with its position, and without what it quotes."""
    said = (
        (position, sentence, re.sub(_NOT_SAID, " ", without_quotations(subject, position, sentence)))
        for position, sentence in sentences_of(subject)
        if len(sentence) < 1000 and _ABOUT_RUNS.are_in(sentence)
    )
    return tuple(said)


@lru_cache(maxsize=8)
def claim_of(subject: Subject, pattern: str) -> tuple[int, str] | None:
    """The first sentence that claims it, with its position in the prose; None when none does so unconditionally."""
    for position, sentence, asserted in _asserted(subject):
        if not re.search(pattern, asserted, re.IGNORECASE) or re.search(_HEDGED, asserted):
            continue
        if has_foreign_word(re.findall(r"[^\W\d_]+", asserted.lower())):
            continue
        if sentence not in subject.task and not any(start <= position < end for start, end in _planned(subject)):
            return position, sentence[:200]
    return None


@lru_cache(maxsize=1)
def _planned(subject: Subject) -> list[tuple[int, int]]:
    """The parts of the prose that are under a heading or a line of plans, and boxes that are not ticked."""
    parts = []
    heading = line = ""
    start = quoted = 0
    for before, token in pairwise(subject.tokens):
        quoted += (before.type == "blockquote_open") - (before.type == "blockquote_close")
        if token.type != "inline" or quoted:
            continue
        end = start + len(token.content) + 2
        if before.type == "heading_open":
            heading, line = token.content, ""
        if any(re.search(_PLANNED, text) for text in (heading, line)) or token.content.startswith("[ ]"):
            parts.append((start, end))
        if token.level <= 1 and before.type != "heading_open":
            is_lead = token.content.rstrip("*_ ").endswith(":") or re.fullmatch(r"\*\*[^*]+\*\*", token.content)
            line = token.content if is_lead else ""
        start = end
    return parts


def is_plain(sentence: str) -> bool:
    """Whether a claim is the sentence's own: it has to be, where no work on code shows what it is about."""
    return re.search(_PLAIN, sentence) is not None


@check(
    CLAIM,
    "correctness",
    sees="A claim that tests, build or linter passed, with no such run after the last change, or a failed one.",
    severity="Critical: the reader ships something that was never seen to work.",
    example="All tests pass. (The last run in the transcript ends with `2 failed, 10 passed`.)",
    whole=True,
)
def unrun_claim(subject: Subject) -> Iterator[Finding]:
    """Claims that a kind of run passed which the transcript does not bear out."""
    if subject.calls:
        yield from _unrun_claims(subject, idle_counts=False)


def unrun_claim_in_session(subject: Subject) -> Iterator[Finding]:
    """Claims of a passed run in the whole session of a coding agent, where having run nothing is a fact as well."""
    yield from _unrun_claims(subject, idle_counts=True)


def _unrun_claims(subject: Subject, *, idle_counts: bool) -> Iterator[Finding]:
    claims = {kind: claim for kind, pattern in CLAIMS.items() if (claim := claim_of(subject, pattern))}
    ran = claim_of(subject, RAN)
    what = shown(subject, whole=True) if claims or ran else None
    if what is None:
        return
    if what.changed is None and not any(what.ran.values()):
        if not idle_counts or asks_for_words(subject):
            return  # there is no work on code, and the words mean something else
        claims = {kind: claim for kind, claim in claims.items() if kind == "tests" and is_plain(claim[1])}
    if "build" in claims and is_by_tests(subject, claims["build"][1]):
        del claims["build"]
    borne_out = []
    for kind, claim in claims.items():
        against = _against(subject, what, kind)
        if against:
            yield _unrun(subject, f"The output claims that the {kind} passed, {against}.", claim)
        elif what.ran[kind] and miscount(claim[1], what.ran[kind]) is None:
            borne_out.append(kind)
    if ran and "tests" not in claims and not what.ran["tests"] and not what.unknown and not user_ran(subject):
        yield _unrun(subject, "The output claims that tests were run, but none were.", ran)
    if borne_out and len(borne_out) == len(claims):
        message = f"The transcript confirms what the output says about the {' and '.join(borne_out)}."
        yield Finding(CLAIM, "correctness", None, message)


def run_record(subject: Subject, kind: str) -> tuple[Ran | None, str]:
    """The last run of a kind, and what the transcript shows against a claim that it passed; empty when nothing does."""
    what = shown(subject, whole=True)
    return (what.ran[kind][-1] if what.ran[kind] else None), _against(subject, what, kind)


NUMBER_SAID: Final = late_pattern(
    r"\ball (?P<all>\d{1,6}) tests (?:are |were |now |have |still |also )*pass(?:ed|es|ing)?\b"
    r"|(?<![\d./])(?P<some>\d{1,6}) tests (?:passed|passing|pass)\b",
    re.I,
)
"""How many tests passed, as an output says it; "3 new tests pass" may be about some of them."""
_NUMBER_SHOWN = late_pattern(r"\b(?P<count>\d{1,6}) (?:tests? )?(?:passed|passing)\b", re.I)
_COMPILED = late_pattern(r"\bbuilds\b|\bcompil\w+|\bbuild (?:succe\w+|was successful)", re.I)


def miscount(words: str, runs: Sequence[Ran]) -> tuple[str, str] | None:
    """How many tests a claim says passed and how many its runs say, when it says more than all of them together.

    A smaller number may be some of the tests that ran.
    """
    claimed = NUMBER_SAID.search(words)
    if claimed is None:
        return None
    most: dict[str, int] = {}
    for run in runs:
        shown = _NUMBER_SHOWN.search(run.line)
        if shown is None:
            return None
        most[run.text] = max(int(shown["count"]), most.get(run.text, 0))
    number = claimed["all"] or claimed["some"]
    return (number, str(sum(most.values()))) if most and int(number) > sum(most.values()) else None


def _unrun(subject: Subject, message: str, claim: tuple[int, str]) -> Finding:
    position, quote = claim
    return Finding(CLAIM, "correctness", "critical", message, quote, offset=subject.in_prose(quote, position))


def is_by_tests(subject: Subject, claim: str) -> bool:
    """Whether a green build is what tests showed that passed: to many, the build is what runs the tests."""
    what = shown(subject, whole=True)
    last = what.ran["tests"][-1] if what.ran["tests"] else None
    return last is not None and last.passed is True and _COMPILED.search(claim) is None


def _against(subject: Subject, what: Shown, kind: str) -> str:
    """What the transcript shows instead; empty when it bears the claim out or leaves room for it."""
    since = what.changed or ("", -1)
    after = [run for run in what.ran[kind] if run.order >= since]
    if after:
        admitted = re.search(FAILURE_SAID, subject.said)
        return LAST_RUN_FAILED if after[-1].passed is False and not admitted else ""
    if any(order >= since for order in what.unknown) or user_ran(subject):
        return ""
    if what.ran[kind]:
        return "but files were changed after the last such run"
    return "but the transcript shows no such run"


@check(
    PASSING,
    "correctness",
    sees="A test run in the transcript that passed after the last change to a file.",
    severity="Never a fault: it shows what the tool's own result says.",
    example="`12 passed in 0.31s` in the result of `pytest -q`, after the last edit.",
    whole=True,
)
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


@check(
    FAILING,
    "correctness",
    sees="A failing last test run, after the last change to a file, that the output does not mention.",
    severity="Major: the work was handed over although it was seen not to work.",
    example="`2 failed, 10 passed` is the last result, and the output says `The parser now reads quoted fields.`",
    whole=True,
)
def tests_left_failing(subject: Subject) -> Iterator[Finding]:
    """The last run of tests after the last change, when it failed and the output does not mention it."""
    if not subject.calls or not subject.words or subject.output.startswith("diff --git "):
        return  # a patch mentions nothing
    what = shown(subject, whole=False)
    last = next(iter(reversed(what.ran["tests"])), None)
    if last is None or last.passed is not False or re.search(_SPEAKS_OF_IT, subject.prose):
        return
    if not in_english(subject.words) or has_foreign_word(subject.words):
        return  # it may be mentioned in words that are not looked for
    if any(order > last.order for order in what.unknown):
        return  # a later command may have run them
    if any(finding.severity for finding in unrun_claim.run(subject)):
        return
    place = (last.event.call.result_place if last.event.call else None) or last.event.place
    message = "The last test run failed, and the output does not mention it."
    yield Finding(FAILING, "correctness", "major", message, last.line[:200], place)


CHECKS = (
    unrun_claim,
    passing_run,
    tests_left_failing,
)
