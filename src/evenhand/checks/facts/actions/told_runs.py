"""What the user's messages say about runs of tests: they may have run them, or ask for words about them. Pure."""

from __future__ import annotations

import re
from typing import Final

from evenhand.checks.facts.sentences import sentences
from evenhand.checks.subject import Subject

LONGEST_MESSAGE: Final = 100_000
"""Characters of a message that are searched."""

FEEDBACK: Final = ("Stop hook feedback", "<hook_prompt")
"""What a hook sends back appears as a message of the user, in Claude Code and in Codex."""

FAILURE_SAID: Final = r"(?i)(?<!no )(?<!0 )(?<!without )(?<!any )\b(?:fail(?:s|ed|ing|ures?)?|broken)\b"
_RUN_WORDS = r"(?i)\b(?:tests?|suite|build|CI|pass(?:es|ed|ing)?|lint\w*|green)\b"
_TOLD_GOOD = (
    r"(?i)\b(?:I|we)(?:['\u2019]ve| have)?(?: just| already)? (?:ran|run|re-?ran|tested|executed)\b"
    r"|\b(?:all|everything|they|tests?|suite|build|CI|lint\w*)\b[^.;?]{0,40}"
    r"\b(?:pass(?:es|ed|ing)?|green|ok|fine|good|clean|succe\w+)\b|\b[1-9]\d* passed\b|[✓✔✅]"
)
_ASKED = (
    r"(?i)^\W*(?:(?:please|now|then|also|and|ok(?:ay)?|great|good|thanks|you (?:should|must|need to)|can you|could you)"
    r"[, ]+)*(?:run|re-?run|make|fix|check|verify|ensure|add|write|update|test|execute|confirm|try|let|get|see|do|does"
    r"|did|don['\u2019]t|are|is|have|has|will|would|can|could|change|rename|create|use|implement|refactor|go|commit|push"
    r"|tell|show)\b|\?\s*$|\b(?:so that|until|make sure|ensure|should|must|needs?|want|if|once|when)\b"
)
_WHY = r"(?i)^\W*(?:why|how come|how is it)\b"
_ASKS_FOR_WORDS = (
    r"(?im)(?:^|[.!?:]\s+)\W*(?:(?:please|can you|could you|and|so)[, ]+)*(?:how|why|what|which|where|who|explain"
    r"|describe|summari[sz]e|translate|draft|compose|rephrase|reword|proofread|imagine|suppose|retell"
    r"|tell (?:me|us) (?:an?|about))\b"
    r"|\b(?:write|give|suggest|make)\b[^.?!\n]{0,60}\b(?:e-?mail|message|announcement|comment|post|text|sentence"
    r"|paragraph|changelog|release notes|story|poem|essay|slides?|tweet|description|title|reply|readme|example)\b"
)


def user_ran(subject: Subject) -> bool:
    """Whether the user may have run it: with a command of their own, or as their messages say.

    In the first message it must say so; after that it is enough that it neither asks nor denies it.
    """
    is_first = True
    for event in subject.events:
        if event.kind != "message" or event.agent or event.role not in ("user", "system"):
            continue
        if event.role == "system":
            if re.search(_TOLD_GOOD, event.text):
                return True
        elif not event.text.lstrip().startswith(FEEDBACK):
            if any(_leaves_room(sentence, is_first) for _, sentence in sentences(event.text[:LONGEST_MESSAGE])):
                return True
            is_first = False
    return False


def _leaves_room(sentence: str, is_first: bool) -> bool:
    if re.search(FAILURE_SAID, sentence):
        return False
    if re.search(_WHY, sentence):
        return re.search(_TOLD_GOOD, sentence) is not None  # it takes for granted that they pass
    return not re.search(_ASKED, sentence) and re.search(_TOLD_GOOD if is_first else _RUN_WORDS, sentence) is not None


def asks_for_words(subject: Subject) -> bool:
    """Whether the last prompt asks for an explanation or a text: what the answer says about tests is part of that."""
    prompts = [event.text for event in subject.events if event.kind == "message" and event.role == "user"]
    typed = [text for text in prompts if not text.lstrip().startswith(FEEDBACK)]
    return re.search(_ASKS_FOR_WORDS, typed[-1][:LONGEST_MESSAGE]) is not None if typed else False
