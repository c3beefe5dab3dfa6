"""Whether a sentence is what the agent says it did itself: not denied, supposed, quoted, or part of a text. Pure.

An output often holds words that are not about the run: a letter it was asked to draft, what someone wrote, a story.
And what an agent says it wrote or changed may be the output itself: a plan, a summary, some code.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from evenhand.checks.facts.actions.shell import request_text
from evenhand.checks.facts.actions.told_runs import asks_for_words
from evenhand.checks.facts.english import has_foreign_word, in_english
from evenhand.checks.facts.sentences import is_json, is_quoted, sentences_in_any_script
from evenhand.checks.subject import Subject
from evenhand.lazy_pattern import late_pattern

_DENIED = late_pattern(
    r"\b(?:not|no|never|neither|nor|nothing|none|zero|hardly|barely|cannot|wenn|falls|nicht|kein\w*|nie|niemals|nichts"
    r"|nirgends|weder|sobald|würde|si|ne|pas|rien|aucune?|jamais|cuando|tampoco|nunca|ning[uú]n\w*|nada|jam[aá]s|não|nem"
    r"|nenhum\w*|se|non|mai|nessun\w*|niente|nulla|neanche|als|niet|geen|nooit|niets|nergens|noch)\b"
    r"|n['\u2019]t\b|\bn['\u2019](?=[aeiouhéêà])|\?|如果|没|不|未|无法|ない|ません|なかった|とのこと|そうです|によると|と言|という",
    re.I,
)
_SUPPOSED = late_pattern(
    r"\b(?:if|once|when|would|could|should|draft|(?<![@.\w-])example(?!\.(?:com|org|net))|already|earlier|previously|below"
    r"|above|following|here|after|unless|until|before|suppose|imagine|pretend|hypothetical\w*|assum(?:e|ing)|ago|yesterday"
    r"|(?<!like )(?<!as )last (?:week|month|year|night|time|spring|summer|autumn|fall|winter))\b",
    re.I,
)
_OPENS = late_pattern(
    r"(?:^|[^\w\s'\"\u2018\u201c«]|\b(?:and|so|but|then|now|also|because|since|as|while|however|therefore|thus|hence|finally|yes"
    r"|ok(?:ay)?|sure|done|great|perfect|today|instead|additionally|next|meanwhile|too|well|report|say|confirm"
    r"|good news"
    r"|(?:confirm|note|know|say|tell you|inform you|report|sure|happy|glad|pleased|see) that))\s*$",
    re.I,
)
"""What comes before a main clause. "The mails I sent" and "the one that I booked" are no claims."""
_TEXT = (
    r"(?:reply|response|message|e-?mail|letter|post|tweet|caption|draft|text|template|transcript|transcription|translation"
    r"|quote|quotation|statement|comment|announcement|speech|story|writes|wrote|says|said|replied|states|reads"
    r"|dice|dicono|scrive|schreibt|sagt|lautet|dit|écrit|escribe|diz|zegt|说|写道|称"
    r"|english|german|french|spanish|italian|portuguese|dutch|chinese|japanese|korean|russian)"
)
_LEADS = late_pattern(
    rf"(?:\b|(?=[说写称])){_TEXT}(?: (?:is|to|for|from|in|of|by)(?: [\w'\u2019-]+){{0,4}})?"
    r"[\W_]*[:\uff1a](?:[\W_]|$)",
    re.I,
)
"""A line, or the beginning of one, that introduces a text."""
_TELLS = late_pattern(
    r"\b(?:complet\w+|done|did|finish\w*|follow\w*|carried|tasks?|actions?|steps?|changes?|updates?|results?)\b", re.I
)
"""A line with one of these introduces what the agent did, not a text: "I completed the tasks in Ana's email:"."""
_GREETING = late_pattern(
    r"\W*(?:dear|hi|hello|hey|sehr geehrte\w*|liebe\w*|hallo|bonjour|ch[eè]re?|estimad[oa]|hola|car[oa]|gentile"
    r"|prezad[oa])\b"
    r"[^\n.!?:]{0,40},\W*",
    re.I,
)
_ASKED: Final[dict[str, str]] = {
    "send": r"send|forward|share|notify|reply to|invite|(?:post|e-?mail|message) (?:it|this|that|them|him|her|me|the"
    r"|to)\b",
    "book": "book|reserv|schedul|order|purchase|buy",
    "cancel": "cancel",
    "change": "updat|modif|chang|exchang|edit|renam|replac|upgrad|reset|adjust|reschedul|move",
    "remove": "delet|remov|clear|drop",
    "create": "creat|add|invit|insert|set up|make a new",
    "pay": "pay|transfer|refund|charge|submit",
    "write": "save|store|upload|file",
    "fix": "fix|implement|resolv|refactor|repair|solve",
    "release": "deploy|install|commit|push|merge|publish|release",
}
"""With what a user asks for a deed of each kind."""
_ANY_ASKED = late_pattern(
    rf"\b(?:{'|'.join(_ASKED.values())}|put|set|turn|start|stop|enable|disable|apply|register|sign up|log|return"
    rf"|mark|rotate"
    r"|post|mail|e-?mail|message|write (?:down|to|it)|append|build|run|make (?:a |an |the )?(?:reservation|payment"
    r"|booking"
    r"|appointment|change|ticket|order|transfer|call|event)|arrange|organi[sz]e|go ahead|proceed|confirm|yes"
    r"|do (?:it|that|this|so)"
    r"|fail(?:s|ed|ing|ure)?|bugs?|errors?|broken|crash(?:es|ed)?|issues?|problems?|traceback|exception)",
    re.I,
)
_WORDS = late_pattern(r"[^\W\d_]+")
_READ: Final = 5_000
"""Characters of a request that tell its language."""
_OF_TEXTS = ("write", "create", "change", "remove", "fix")
_ELSEWHERE = late_pattern(
    r"\b(?:calendar|events?|appointments?|meetings?|reminders?|files?|folders?|director(?:y|ies)|drive|channels?|accounts?"
    r"|passwords?|profiles?|address(?:es)?|databases?|rows?|records?|tickets?|issues?|orders?|carts?|wish ?list"
    r"|pages?|wiki"
    r"|web ?sites?|repo\w*|branch(?:es)?|commits?|pull requests?|PRs?|servers?|bookings?|reservations?|transactions?"
    r"|payments?|users?|contacts?|e-?mails?|inbox|groups?|boards?|cards?|tasks?|to-?dos?|subscriptions?|invoices?|crm"
    r"|spreadsheets?|slack|jira|notion|your (?:\w+ ){0,2}list|systems?|devices?|settings?)\b"
    r"|(?<![\w@/-])[\w/-]*[\w-]\.[A-Za-z][A-Za-z0-9]{0,5}(?![\w(])",
    re.I,
)
"""Where a deed leaves something outside the output."""
_A_TEXT = late_pattern(
    r"\b(?:summar(?:y|ies)|reports?|tables?|lists?|plans?|itinerar(?:y|ies)|outlines?|answers?|responses?|stor(?:y|ies)|poems?"
    r"|scripts?|code|functions?|quer(?:y|ies)|messages?|translations?|comparisons?|sections?|paragraphs?|analys[ie]s"
    r"|overviews?|guides?|checklists?|versions?|schedules?|steps?|bullets?|letters?|proposals?|recipes?|essays?|days?)\b",
    re.I,
)
_FILE = late_pattern(r"(?<![\w@/-])[\w/-]{1,80}\.(?:[a-z]{1,4}|json|yaml|toml)\b(?![(/])")
_FEWEST_WORDS: Final = 6
"""Words of an output beside the claim that can be what was made."""


def is_own(subject: Subject, position: int, sentence: str, start: int, *, first_person: bool) -> bool:
    """Whether words at a place of a sentence are the agent's own statement of a deed."""
    if _DENIED.search(sentence) or _SUPPOSED.search(sentence):
        return False
    before = sentence[:start]
    if is_json(subject):
        before = re.sub(r".*\"", "", before)  # a key is not a word of the agent's
    if first_person and not _OPENS.search(before):
        return False
    if _LEADS.search(before) or is_quoted(subject, position + start):
        return False
    return not (_text_begins(subject) <= position)


@lru_cache(maxsize=1)
def _text_begins(subject: Subject) -> int:
    """Where in the prose a text begins that is meant for others, or that others wrote; after the prose if none does."""
    for number, (position, sentence) in enumerate(sentences_in_any_script(subject)):
        if sentence.rstrip("*_ ").endswith(":") and _LEADS.search(f"{sentence} ") and not _TELLS.search(sentence):
            return position + 1
        if _GREETING.fullmatch(sentence) and (number or asks_for_words(subject)):
            return position
    return len(subject.prose) + 1


@lru_cache(maxsize=1)
def asks_for_action(subject: Subject) -> bool:
    """Whether the user asks for any deed, or may do so in another language; else a deed is told of something else."""
    asked = request_text(subject)
    words = _WORDS.findall(asked[:_READ])
    return not words or not in_english(words) or has_foreign_word(words) or _ANY_ASKED.search(asked) is not None


def only_words_asked(subject: Subject, kind: str) -> bool:
    """Whether the user asks for a text and for no deed of that kind, so that what the text tells is part of it."""
    return asks_for_words(subject) and not re.search(rf"\b(?:{_ASKED[kind]})", request_text(subject))


def is_elsewhere(sentence: str) -> bool:
    """Whether a deed left something that is neither in the output nor just in the files at hand: an event, a ticket."""
    return _ELSEWHERE.search(sentence) is not None


def made_here(subject: Subject, kind: str, sentence: str) -> bool:
    """Whether what a claim says was written or changed may be the output itself: a plan, a summary, some code."""
    if kind not in _OF_TEXTS or is_elsewhere(sentence):
        return False
    if subject.blocks:
        return True
    rest = len(subject.words) - len(sentence.split())
    if kind == "fix" or rest < _FEWEST_WORDS or _names_files(subject):
        return False
    structured = any(token.type in ("list_item_open", "table_open", "heading_open") for token in subject.tokens)
    several = sum(token.type == "paragraph_open" for token in subject.tokens) > 2
    return structured or several or _A_TEXT.search(sentence) is not None


@lru_cache(maxsize=1)
def _names_files(subject: Subject) -> bool:
    return _FILE.search(subject.prose) is not None
