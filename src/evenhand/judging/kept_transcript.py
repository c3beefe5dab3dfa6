"""A transcript as a store keeps it when asked: without secrets and personal data, and not too long.

A finding never repeats what it found; neither does what is kept. The receipt has the hash of what was judged, whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from evenhand.core.finding import Place
from evenhand.core.receipt import canonical_text
from evenhand.findings.safety.secrets import secrets_in
from evenhand.store.submission_text import submission_text
from evenhand.work.submission import Event, Submission, ToolCall

LONGEST_TEXT: Final = 20_000
"""Characters of one text: of a message, an argument or a result."""

LONGEST: Final = 2_000_000
"""Characters of the whole, as JSON; events in the middle are left out beyond it."""

REDACTED: Final = "[redacted]"

_PRIVATE_KEY: Final = r"-----BEGIN[A-Z ]*PRIVATE KEY-----.*?(?:-----END[A-Z ]*PRIVATE KEY-----|\Z)"


def kept_transcript(submission: Submission) -> str:
    """The JSON that is kept of a transcript."""
    kept = submission._replace(
        output=_shorter(redacted(submission.output)),
        task=None if submission.task is None else _shorter(redacted(submission.task)),
        reference=None if submission.reference is None else _shorter(redacted(submission.reference)),
        events=tuple(_event(event) for event in submission.events),
    )
    text = submission_text(kept)
    if len(text) <= LONGEST:
        return text
    whole = json.loads(text)
    sizes = [len(canonical_text(event)) for event in whole["events"]]
    left = LONGEST - (len(text) - sum(sizes))
    first, last = 0, len(sizes)  # as many from either end as there is room for
    while first < last:
        at_front = first <= len(sizes) - last
        left -= sizes[first if at_front else last - 1] + 1
        if left < 0:
            break
        first, last = (first + 1, last) if at_front else (first, last - 1)
    note = f"{last - first:,} events are left out here: a kept transcript has at most {LONGEST:,} characters."
    gap = Event("message", "system", note, kept.events[first].place if first < len(kept.events) else Place(""))
    return submission_text(kept._replace(events=(*kept.events[:first], gap, *kept.events[last:])))


def redacted(text: str) -> str:
    """A text without the secrets and the personal data that are found in it."""
    if "PRIVATE KEY" in text:
        text = re.sub(_PRIVATE_KEY, REDACTED, text, flags=re.DOTALL)
    for _, secret, _ in list(secrets_in(text)):
        text = text.replace(secret, REDACTED)
    for data in personal_data_in(text):
        text = text.replace(data, REDACTED)
    return text


def _shorter(text: str) -> str:
    left_out = len(text) - LONGEST_TEXT
    if left_out <= 0:
        return text
    half = LONGEST_TEXT // 2
    return f"{text[:half]}\n[{left_out:,} characters left out]\n{text[-half:]}"


def _event(event: Event) -> Event:
    call = event.call
    if call is not None:
        call = ToolCall(
            call.name,
            _each_text(call.arguments, lambda text: _shorter(redacted(text))),
            call.id,
            None if call.result is None else _shorter(redacted(call.result)),
            call.failed,
            call.result_place,
        )
    return event._replace(text=_shorter(redacted(event.text)), call=call)


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    """A plain value with every text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(str(key)): _each_text(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_each_text(item, change) for item in value]
    return value


# --- Personal data, which are not kept --------------------------------------------------------------------------------


_BEFORE_AT = re.compile(r"(?<![\w.+:/<-])[A-Za-z0-9][\w.+-]*$")
_AFTER_AT = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}(?![\w/:@-])")
_PRIVATE_MAIL = re.compile(
    r"(?:gmail|googlemail|yahoo|hotmail|outlook|live|icloud|me|aol|gmx|web|proton(?:mail)?|qq|163|yandex|mail)\.[a-z.]{2,6}",
    re.I,
)
_ATTRIBUTION = re.compile(
    r"copyright|licen[cs]e|author|maintain|written by|developed by|signed-off|reported|contribut|\(c\)", re.I
)
_NO_PERSON = re.compile(
    r"(?:no-?reply|do-?not-?reply|info|support|contact|admin|sales|help\w*|security|hello|team|press|privacy|billing|abuse"
    r"|webmaster|postmaster|office|mail|git|user\w*|name|first\w*|you|your\w*|me|someone|email|test\w*|foo|bar|jane\W?doe"
    r"|john\W?doe|jdoe|alice|bob|root|service|notifications?|news\w*|feedback|careers|jobs|legal|dev|ops|bot)\d*",
    re.I,
)
_NO_PLACE = re.compile(
    r"(?:.+\.)?(?:example\.\w+|\w+\.(?:example|test|invalid|local|localhost)|(?:your)?(?:domain|company|org|site|email|corp)"
    r"\.\w+|acme\.\w+|users\.noreply\.github\.com|foo\.\w+|bar\.\w+)",
    re.I,
)
_PHONE = re.compile(r"(?<![\w.])(?:\+\d{1,3}[ .-]?)?(?:\(\d{2,4}\)[ .-]?)?\d{2,8}(?:[ .-]\d{2,8}){1,4}(?!\w|\.\d)")
_PRIVATE = re.compile(
    r"\b(?:mobile|cell(?:phone)?|home phone|private (?:number|phone)|personal (?:number|phone))\b", re.I
)
_NO_PHONE = re.compile(r"555|7700\D?900|7946\D?0|^\+?1?\D?(?:800|888|877|866|855|844|833)|(\d)\1{5}|1234567|0123456")
_CARD = re.compile(r"(?<![\w.-])(?:\d{4}([ -])\d{4}\1\d{4}\1\d{4}|\d{4}([ -])\d{6}\2\d{5}|\d{15,16})(?![\w-]|\.\d)")
_CARD_WORD = re.compile(r"\b(?:card|visa|mastercard|amex|american express|credit|debit|cvv)\b", re.I)
_TEST_CARDS = re.compile(
    r"4111|4242|4012888888881881|4000|5555555555554444|5105|37(?:82|14)|6011(?:1111|0009)|4532015112830366"
)
_IBAN = re.compile(r"(?<!\w)([A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?)(?!\w)")
_TEST_IBANS = re.compile(
    r"DE89370400440532013000|GB(?:82WEST|29NWBK|33BUKB)|FR14200410100505|NL91ABNA0417164300|ES9121000418|BE68539007547034"
    r"|CH9300762011623852957|AT611904300234573201|IT60X0542811101|DE75512108001245126199|IE29AIBK|PL61109010140000071219812874"
)


def _emails(text: str) -> Iterator[str]:
    """Addresses that name a person: by a first and last name, or at a provider of private mail."""
    for line in text.splitlines() if "@" in text else ():
        for at in re.finditer("@", line) if "@" in line and not _ATTRIBUTION.search(line) else ():
            name, host = _BEFORE_AT.search(line[max(0, at.start() - 64) : at.start()]), _AFTER_AT.match(line, at.end())
            if not name or not host or _NO_PERSON.fullmatch(name[0]) or _NO_PLACE.fullmatch(host[0]):
                continue
            if re.fullmatch(r"[a-z]{2,}[._][a-z]{2,}\d*", name[0], re.I) or _PRIVATE_MAIL.fullmatch(host[0]):
                yield f"{name[0]}@{host[0]}"


def _phones(text: str) -> Iterator[str]:
    for line in text.splitlines() if _PRIVATE.search(text) else ():
        for match in _PHONE.finditer(line) if _PRIVATE.search(line) else ():
            near = line[max(0, match.start() - 60) : match.end() + 30]
            if _PRIVATE.search(near) and 9 <= len(re.sub(r"\D", "", match[0])) <= 15 and not _NO_PHONE.search(match[0]):
                yield match[0]


def _luhn(digits: str) -> bool:
    doubled = [int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(digits))]
    return sum(value // 10 + value % 10 for value in doubled) % 10 == 0


def _cards(text: str) -> Iterator[str]:
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        around = text[max(0, match.start() - 60) : match.end() + 60]
        known = re.match(r"4|5[1-5]|2[2-7]|3[47]|6(?:011|5)", digits) and not _TEST_CARDS.match(digits)
        if known and _luhn(digits) and len(set(digits)) > 4 and _CARD_WORD.search(around):
            yield match[0]


def _ibans(text: str) -> Iterator[str]:
    for match in _IBAN.finditer(text):
        account = match[1].replace(" ", "")
        turned = int("".join(str(int(character, 36)) for character in account[4:] + account[:4]))
        if 15 <= len(account) <= 34 and turned % 97 == 1 and not _TEST_IBANS.match(account):
            yield match[0]


def personal_data_in(text: str) -> list[str]:
    """Payment cards, bank accounts, e-mail addresses and private phone numbers in a text, code in it included."""
    return list(chain(_cards(text), _ibans(text), _emails(text), _phones(text)))
