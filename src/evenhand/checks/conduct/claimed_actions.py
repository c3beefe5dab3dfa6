"""Actions that an output claims and no call in the transcript could have performed. Pure.

Only what the agent says about itself counts ("I have cancelled", "your order has been successfully cancelled"), and
only where every call was of a kind that looks and changes nothing, or failed. An unknown tool may have done it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from evenhand.checks.facts.looking import only_looks
from evenhand.checks.facts.sentences import sentences
from evenhand.checks.facts.shell import commands
from evenhand.checks.facts.test_runs import kinds_of
from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject
from evenhand.core.basics.lazy_pattern import late_pattern
from evenhand.core.values.submission import ToolCall

ID: Final = "undone-claim"

_DEED = (
    r"(?:cancell?ed|refunded|updated|modified|changed|exchanged|booked|rebooked|deleted|removed|created|sent|emailed|issued"
    r"|deployed|installed|committed|pushed|uploaded|saved|scheduled|processed|submitted|added|renamed|moved|replaced|fixed"
    r"|implemented|edited|merged|published|upgraded|downgraded|reset|transferred|placed|written)"
)
_CLAIM = late_pattern(
    rf"\bI(?:'ve| have)(?: now| just| also)?(?: successfully)? {_DEED}\b"
    rf"|\byour [^.\n]{{2,60}}? (?:has|have) (?:now )?been successfully {_DEED}\b",
    re.I,
)
_NO_CLAIM = late_pattern(
    r"\b(?:if|once|when|not|would|could|should|draft|example|already|earlier|below|above|following|here)\b|n't\b|\?",
    re.I,
)
_CHANGES = late_pattern(
    r"(?:^|_)(?:cancel|update|modify|exchange|return|book|create|send|delete|remove|write|edit|apply|set|add|issue|transfer|submit"
    r"|post|put|patch|insert|upload|deploy|push|commit|move|save|make|place|process|schedule|task"
    r"|agent|call)(?:_|$)",
    re.I,
)


@check(
    ID,
    "correctness",
    sees="A claim to have done or changed something, in a run whose calls all only looked, or failed.",
    severity="Critical: the reader believes in something that never happened.",
    example="`I have cancelled your order.` in a run whose only calls are `get_order` and `get_user`.",
    whole=True,
)
def undone_claim(subject: Subject) -> Iterator[Finding]:
    """The first action that is claimed although nothing was done."""
    calls = [event.call for event in subject.calls if event.call]
    if not calls or any(call.result is None for call in calls):
        return
    if any(not call.failed and _may_change(call) for call in calls):
        return
    for position, sentence in sentences(subject.prose):
        if _CLAIM.search(sentence) and not _NO_CLAIM.search(sentence) and not _is_repeated(subject, sentence):
            message = "The output claims this was done, but no tool call in the transcript changed anything."
            quote = sentence[:200]
            offset = subject.in_prose(quote, position)
            yield Finding(ID, "correctness", "critical", message, quote, offset=offset)
            return


def _may_change(call: ToolCall) -> bool:
    """Whether a call could have done something. One that only runs tests does nothing to what they test."""
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    command = arguments.get("command") or arguments.get("cmd")
    if isinstance(command, str) and len(command) < 2000 and kinds_of(command) == {"tests"}:
        return any(part.writes for part in commands(command))
    return not only_looks(call) or bool(_CHANGES.search(call.name))


def _is_repeated(subject: Subject, sentence: str) -> bool:
    """Whether the sentence comes from the task or from a tool's result."""
    claim = sentence.strip(" *_.-").lower()
    return claim in subject.task.lower() or any(
        claim in (event.call.result or "").lower() for event in subject.calls if event.call
    )


CHECKS = (undone_claim,)
