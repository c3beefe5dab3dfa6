"""E-mail addresses that a call acts on and that nothing in the transcript names. Pure.

Only arguments that are an address as a whole count, and only of calls that may change something: an address inside a
text, a script or a search may be an example. Whoever made it up sends to a stranger. An address of a domain that is
reserved for examples counts only where something is sent to it: in a form that is tried out it is the right one.
The files of coding agents leave out the system message and the memory, from which the agent may know it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from evenhand.findings.endings.effects import may_change
from evenhand.findings.facts.calls import in_words
from evenhand.findings.finding import Finding, check
from evenhand.findings.subject import Subject

ID: Final = "invented-address"

_KEEP_NO_SYSTEM_MESSAGE: Final = frozenset(
    "claude-code codex gemini gemini-stream qwen cursor cursor-stream copilot opencode goose cline"
    " cline-history aider pi".split()
)
_RESERVED = re.compile(r"@(?:[\w-]+\.)*(?:example\.\w+(?:\.\w+)?|example|test|invalid|localhost)$", re.I)
_SENDS = re.compile(
    r"(?:^|_)(?:e?mail|send|sent|invite|share|forward|reply|notify|message|participants?|attendees?|recipients?|guests?)(?:_|$)",
    re.I,
)
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


@check(
    ID,
    "correctness",
    sees="A call that sends to, invites or shares with an e-mail address that nothing before it names.",
    severity="Major: what was sent went to a stranger, or to no one.",
    example="`invite_user(email='dora@example.com')`, where neither the task nor any result has an address of Dora",
    whole=True,
    most=3,
    points=True,
)
def invented_address(subject: Subject) -> Iterator[Finding]:
    """Each address that a call is the first to name."""
    if subject.submission.format in _KEEP_NO_SYSTEM_MESSAGE:
        return
    known = [subject.task]
    reported: set[str] = set()
    for event in subject.events:
        call = event.call
        if call is None:
            known += [event.text] if event.role != "assistant" else []
            continue
        addresses = list(_addresses(call.arguments))
        for address in addresses if addresses and may_change(call) else ():
            tried_out = _RESERVED.search(address) and not _SENDS.search(in_words(call.name))
            if not tried_out and address not in reported and not _is_named(address, known):
                reported.add(address)
                message = f"The call to `{call.name}` uses an e-mail address that nothing before it names."
                yield Finding(ID, "correctness", "major", message, address[:200], event.place)
        known.append(call.result or "")


def _is_named(address: str, known: list[str]) -> bool:
    """Whether an address is in a text, spelled out in it, or follows from it: Emma Johnson of Blue Sparrow Tech."""
    text = " ".join(" ".join(known).lower().split())
    if address.lower() in text:
        return True
    person, _, host = address.lower().partition("@")
    if re.sub(r"\W", "", f"{person}at{host}".replace(".", "dot")) in re.sub(r"\W", "", text):
        return True  # as one says it: "j, o, e, 5 at gmail dot com"
    company = re.sub(r"\W", "", host.split(".")[0])
    names = [name for name in re.split(r"[\W_\d]+", person) if len(name) > 1]
    return len(names) > 0 and company in re.sub(r"\W", "", text) and all(name in text for name in names)


def _addresses(arguments: object) -> Iterator[str]:
    values = arguments.values() if isinstance(arguments, Mapping) else arguments if isinstance(arguments, list) else ()
    for value in values:
        if isinstance(value, str):
            if "@" in value and re.fullmatch(_ADDRESS.pattern, value.strip()):
                yield value.strip()
        else:
            yield from _addresses(value)


CHECKS = (invented_address,)
