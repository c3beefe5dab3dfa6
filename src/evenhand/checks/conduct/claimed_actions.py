"""Actions that an output claims, each compared with what the calls returned. Pure.

A claim is a fault only where nothing can have done it: every call that may change something failed, or every call of
the kind it needs failed and no other has to do with it. A tool that is not known may have done anything, and a result
that says that it was done counts, whatever the tool is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from evenhand.checks.conduct.lookups import unmade_lookup, words_of_lookup
from evenhand.checks.facts.actions.deeds import DEEDS, IN_TOOLS, Deed, deeds
from evenhand.checks.facts.actions.effects import failed, may_change, runs_program, says_done
from evenhand.checks.facts.actions.own_words import asks_for_action, made_here, only_words_asked
from evenhand.checks.facts.actions.read_only_calls import in_words
from evenhand.checks.facts.brought_back import arguments_text
from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject
from evenhand.core.values import ClaimVerdict as Verdict
from evenhand.lazy_pattern import late_pattern
from evenhand.work.submission import Event, ToolCall

ID: Final = "undone-claim"

NOTHING_CHANGED: Final = "no tool call in the transcript changed anything"
ALL_FAILED: Final = "every call that could have done it failed"
SAYS_SO: Final = "the result of a lookup says so"

_WORD = late_pattern(r"[^\W_]{4,}|\d{2,}")
_FIRST_PERSON = late_pattern(
    r"\b(?:I|we|ich|wir|je|j['\u2019]ai|nous|ik|he|hemos|ho|abbiamo|\w+ei)\b|我|しました", re.I
)
_SCREEN = late_pattern(r"(?:^|_)(?:computer|browser|click|playwright)(?:_|$)", re.I)
_COMMON = frozenset(
    "have been successfully with that this from your their them they were will also each into about been made done and"
    " following details please email message event file calendar reservation order user channel request account".split()
)


class Record(NamedTuple):
    """The calls that bear on an action."""

    done: Sequence[Event]
    """Calls that may have done something, and did not fail."""
    tried: Sequence[Event]
    """Calls that may have done something, had they not failed."""
    looked: Sequence[Event] = ()
    """Calls that only looked, and what they found may tell of it."""


class Support(NamedTuple):
    """What the record says about a claimed action."""

    verdict: Verdict
    event: Event | None
    reason: str
    is_fault: bool = False


def record(subject: Subject) -> Record:
    """The calls of a transcript that may have done something."""
    done: list[Event] = []
    tried: list[Event] = []
    looked: list[Event] = []
    for event in subject.calls:
        if event.call is not None and (may_change(event.call) or says_done(event.call)):
            (tried if failed(event.call) else done).append(event)
        else:
            looked.append(event)
    return Record(done, tried, looked)


def support(deed: Deed, calls: Record) -> Support:
    """What supports a claimed action, or speaks against it."""
    related = [event for event in calls.done if event.call and _fits(deed, event.call)]
    if related:
        if deed.number is not None and 1 < len(related) < deed.number and _one_each(related):
            return Support("unsupported", related[-1], f"it says {deed.number}, and {len(related)} calls did it")
        return Support(
            "supported", max(related, key=lambda event: (_shared(deed, event.call), _is_named(deed, event))), ""
        )
    if (told := _told_by(deed, calls.looked)) is not None:
        return Support("supported", told, SAYS_SO)
    attempts = [event for event in calls.tried if event.call and _names(deed, event.call)]
    other = next((event for event in reversed(calls.done) if event.call and _can_do_anything(event.call)), None)
    if attempts and other is not None:
        return Support("unsupported", other, "a call that could have done it failed, and another may have done it")
    if attempts:
        return Support("contradicted", attempts[-1], ALL_FAILED, is_fault=True)
    if not calls.done:
        return Support("unsupported", calls.tried[-1] if calls.tried else None, NOTHING_CHANGED, is_fault=True)
    return Support("unsupported", None, "no call that succeeded has to do with it")


def _told_by(deed: Deed, looked: Sequence[Event]) -> Event | None:
    """The lookup whose result may tell of a deed that the output does not say was the agent's: "was processed"."""
    if _FIRST_PERSON.search(deed.sentence):
        return None
    words = rf"\b(?:{DEEDS[deed.kind]}|complete[ds]?|confirmed|success\w*)\b"
    return next((event for event in looked if event.call and re.search(words, event.call.result or "", re.I)), None)


def _can_do_anything(call: ToolCall) -> bool:
    """Whether a call ran a program, or used a screen: it may have done what another tool failed to do."""
    return runs_program(call) or _SCREEN.search(in_words(call.name)) is not None


def _one_each(events: Sequence[Event]) -> bool:
    """Whether each call does one thing: none of them takes a list."""
    calls = [event.call for event in events if event.call]
    return not any("[" in arguments_text(call.arguments) for call in calls)


def _names(deed: Deed, call: ToolCall) -> bool:
    """Whether a tool's name is that of such a deed, or its first word is in the claim: "the exchange was processed"."""
    verb = in_words(call.name).lower().split("_")[0]
    said = len(verb) > 3 and re.search(rf"\b{re.escape(verb.rstrip('e'))}", deed.sentence, re.I)
    return bool(said) or re.search(IN_TOOLS[deed.kind], call.name, re.I) is not None


def _is_named(deed: Deed, event: Event) -> bool:
    """Whether the deed's own word is in the tool's name, and not only one like it."""
    return event.call is not None and deed.word.removesuffix("ed")[:5] in event.call.name.lower()


def _fits(deed: Deed, call: ToolCall) -> bool:
    """Whether a call has to do with a deed: by its name, by what it returned, or by what it was about."""
    told = re.search(rf"\b(?:{DEEDS[deed.kind]})\b", (call.result or "")[:2000], re.I)
    return not call.name or _names(deed, call) or bool(told) or _shared(deed, call) > 0


def _shared(deed: Deed, call: ToolCall | None) -> int:
    """How many telling words a claim shares with a call and its result."""
    if call is None:
        return 0
    text = f"{arguments_text(call.arguments)[:5000]} {(call.result or '')[:2000]}".lower()
    said = {word.lower() for word in _WORD.findall(deed.sentence)} - _COMMON - {deed.word}
    return len(said & set(_WORD.findall(text)))


def told_only(subject: Subject, deed: Deed, calls: Record) -> bool:
    """Whether a claim is about the output itself, or part of what the user asked to be told, and no call tried it."""
    if calls.done or any(event.call and _names(deed, event.call) for event in calls.tried):
        return False
    if not asks_for_action(subject) or only_words_asked(subject, deed.kind):
        return True
    return made_here(subject, deed.kind, deed.sentence)


@check(
    ID,
    "correctness",
    sees="A claim to have done something that no call did, or whose calls failed; a lookup announced and never made.",
    severity="Critical: the reader believes in something that never happened. Major for a lookup: a guess is presented"
    " as a finding.",
    example="`I have cancelled your order.` in a run whose only calls are `get_order` and `get_user`.",
    whole=True,
)
def undone_claim(subject: Subject) -> Iterator[Finding]:
    """The first action that is claimed although nothing did it, or the first lookup that was never made."""
    calls = [event.call for event in subject.calls if event.call]
    if not calls or any(call.result is None for call in calls):
        return
    claimed = deeds(subject)
    bearing = record(subject) if claimed else Record((), ())
    for deed in claimed:
        found = support(deed, bearing)
        if found.is_fault and not told_only(subject, deed, bearing):
            message = f"The output claims this was done, but {found.reason}."
            quote = deed.sentence[:200]
            offset = subject.in_prose(quote, deed.position)
            yield Finding(ID, "correctness", "critical", message, quote, offset=offset)
            return
    event = unmade_lookup(subject)
    if event is not None:
        message = "The agent says that it looks this up, but no tool call returned any information."
        yield Finding(ID, "correctness", "major", message, words_of_lookup(event, subject), event.place)


CHECKS = (undone_claim,)
