"""References that do not meet the expectations of their own case. Pure.

A reference may say more than an answer has to: what is looked for may stand anywhere in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from evenhand.findings.expectations.expectation import Expectation
from evenhand.findings.expectations.expected_answers import decide_answer, folded

_NEGATED: Final = re.compile(r"(?i)\b(?:not?|never|without|avoids?|nor|lacks?|n't)\b[^.;\n]{0,40}$")


def contradicted(expectations: Sequence[Expectation], reference: str) -> Iterator[tuple[Expectation, str]]:
    """The expectations about the answer that a reference does not meet, each with the reason."""
    for expectation in expectations:
        if expectation.about != "answer":
            continue
        verdict = decide_answer(expectation, reference)
        if verdict.met is False and not _says_it_among_other_things(expectation, reference):
            yield expectation, verdict.message.replace("the output", "the reference").replace("answer", "reference")


def _says_it_among_other_things(expectation: Expectation, reference: str) -> bool:
    value = expectation.value
    match expectation.rule:
        case "equals" | "is" | "one_of":
            answers = [str(item) for item in ([value] if isinstance(value, str) else value)]
            whole = _words(reference)
            return any(f" {_words(answer)} " in f" {whole} " and _words(answer) != whole for answer in answers)
        case "matches":
            pieces = (*reference.split(), *reference.splitlines(), *re.split(r"[.,;:]\s+", reference))
            return any(re.search(value, piece) for piece in pieces)
        case "lacks":
            texts = [value] if isinstance(value, str) else value
            return all(
                _NEGATED.search(reference[: match.start()])
                for text in texts
                for match in re.finditer(re.escape(text), reference)
            )
        case _:
            return False


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", folded(text)))
