"""The task's text in, the constraints a program can check out. Pure.

A constraint is read only where its sentence is about the answer as a whole. One about a part ("each section"), about
a program ("the function returns at most 10 words") or within a long quotation does not constrain the answer.
When two of a kind contradict each other, neither is kept: they are about different things.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from evenhand.checks.facts.quantities import (
    LEAST,
    MANY,
    MOST,
    NUMBER,
    Constraint,
    bounds,
    number,
    quantities,
)
from evenhand.lazy_pattern import late_pattern

_ANSWER = (
    r"\b(?:response|answer|reply|output|essay|story|poem|summary|article|letter|e-?mail|post|text|speech|review|itinerary"
    r"|explanation|description|song|rap|haiku|limerick|resume|proposal|riddle|joke|tweet|slogan)\b"
)
_ABOUT_ANSWER = late_pattern(
    rf"{_ANSWER}|\b(?:your|it (?:should|must))\b"
    r"|^\W*(?:(?:please|now|then|also|finally|additionally|can you|first|\d)[,. ]+)*(?:write|create|compose|draft|give"
    r"|list|provide|explain|summari[sz]e|describe|answer|respond|reply|use|include|exclude|make|limit|keep|generate"
    r"|rewrite|tell|translate|elaborate|highlight|have|contain|do not|don['\u2019]t|ensure|put|end|finish|mention|avoid"
    r"|refrain|there should|no|in your|wrap|the word|the letter|the very|format|present|show|return|expand|suggest)\b",
    re.I,
)
_ABOUT_PROGRAM = late_pattern(
    r"\b(?:functions?|methods?|class|program|script|api|endpoint|fields?|inputs?|users?|columns?|variables?|parameters?"
    r"|password|strings?|regex|quer(?:y|ies)|filenames?|database|component|button|web ?page|config\w*|logs?|tests?)\b",
    re.I,
)
_NEGATED = late_pattern(r"\b(?:not|never|avoid(?:ing)?|without|refrain|exclud\w+|no)\b|n['\u2019]t\b", re.I)
_QUOTED = r"[\"\u201c]([^\"\u201c\u201d\n]{1,120})[\"\u201d]"
_ITEM = rf"(?:{_QUOTED}|(?<!\w)'([^'\n]{{1,60}})'(?!\w))"


_KEYWORD = late_pattern(
    r"\b(?:key ?)?(?P<noun>word|phrase|term|letter|name)(?P<many>s?)\b(?:\s+(?:such as|like|of))?\s*:?\s*[\[(]?"
    rf"(?:(?P<items>{_ITEM}(?:[\s,/]*(?:and |or |nor )?{_ITEM})*)|(?P<bare>[\w#-]+))",
    re.I,
)
_USED_BEFORE = late_pattern(
    r"\b(?:(?:includ|exclud|contain|mention|avoid)\w*|us(?:e|es|ing)|say(?:ing)?|ha(?:s|ve|ving)|add)(?:\s+\w+){0,4}\W*$",
    re.I,
)
_USED_AFTER = late_pattern(
    r"[\s,\])]*(?:(?:should|must)(?: not|n['\u2019]t)?|(?:doesn['\u2019]t )?appears?|to (?:appear|be used)|be used)\b",
    re.I,
)
_TIMES = late_pattern(
    rf"(?:\b(?P<before>{LEAST}|{MOST}|exactly|only)\s+)?(?<!or )(?P<number>once|twice|{NUMBER}(?= times?| or more))"
    r"(?P<after> or more)?(?P<plus>)(?P<upto>)",
    re.I,
)
_COMMON = set("in with that and of such all should to as at like which or the a not is for on you i we it".split())


def _keywords(sentence: str) -> Iterator[Constraint]:
    """Words and phrases the answer must hold, must not hold, or must hold so many times."""
    another = False
    for match in _KEYWORD.finditer(sentence):
        before = re.split(r"[;:]|\. |\bbut\b", sentence[: match.start()])[-1][-70:]
        rest = re.split(r"\b(?:word|phrase|letter|keyword)\b", sentence[match.end() :])[0][:50]
        used = _USED_AFTER.match(rest)
        if not (used or _USED_BEFORE.search(before) or (another and re.search(r"\band (?:the )?$", before))):
            continue
        if _IN_A_PART.match(sentence, match.end()):
            continue
        named = match[0].lower().startswith("key") or before.lower().endswith("the ")
        if match["bare"] and (match["many"] or not named or match["bare"].lower() in _COMMON):
            continue
        another, kind = True, "letter" if match["noun"].lower() == "letter" else "keyword"
        times = _TIMES.search(rest)
        low, high = bounds(times) if times else (1, MANY)
        if _NEGATED.search(before if not used else used[0]):
            low, high = (0, 0) if not times else (0, low - 1) if high == MANY else (0, MANY)
        often = f" {times[0].strip()}{'' if times[0].endswith('ce') else ' times'}" if times else ""
        quoted = [double or single for double, single in re.findall(_ITEM, match["items"] or "")]
        for item in quoted or [match["bare"]]:
            wants = f'no "{item}"' if high == 0 else f'the {match["noun"].lower()} "{item}"{often}'
            yield Constraint(kind, wants, low, high, item.strip(" .,"))


_UPPER = r"^(?!.*\bwords?\b[^.]*\ball[- ]cap).*\b(?:all (?:capital|upper-?\s?case)|all caps|capitali[sz]e every letter)"
_LOWER = (
    r"\ball (?:in |letters )?lower-?\s?case|(?:\bno |without .{0,10})capital letters|\bonly use lower-?\s?case"
    r"|\b(?:answer|respond|reply|response|output)\b[^.]{0,40}\bin lower-?\s?case"
)
_SHOW = r"\b(?:summari[sz]|present|show|list|compar|giv|provid|format|display|organi[sz]|return)\w*\b(?! how)"
_LISTED = r"\b(?:in|as|using|use|with|form of) (?:an? )?(?:short |concise |markdown |simple )?"
_GIVEN = r"(?! (?:below|above|provided|given|that|I)\b)"
_JSON = r"(?:only|just|nothing but) (?:(?:contain|be|use|return|output) )?(?:an? |the |valid |raw )*JSON\b(?! \w+s\b)"
_FLAGS = {
    Constraint("no commas", "no commas"): r"(?:\b(?:without|not?|avoid|refrain)|n['\u2019]t)\b[^.]{0,30}\bcommas?\b",
    Constraint("quoted", "double quotation marks around it all"): r"^(?=.*\b(?:entire|whole)\b).*double quot",
    Constraint("title", "a title in double angular brackets"): r"title\b[^.]*double angular brackets",
    Constraint("holds", "a postscript that starts with P.P.S", text="P.P.S"): r"post ?script\b.*\bP\. ?P\. ?S",
    Constraint("holds", "a postscript that starts with P.S.", text="P.S"): r"post ?script\b.*(?<!P\.)(?<!P\. )\bP\. ?S",
    Constraint("upper case", "capital letters only"): _UPPER,
    Constraint("lower case", "small letters only"): _LOWER,
    Constraint(
        "only json", "nothing but JSON"
    ): rf"\b(?:entire|whole)\b.*\bJSON\b|\b{_JSON}|\bJSON (?:only|and nothing else)\b",
    Constraint("json", "an answer in JSON"): (
        r"\b(?:in|as|use|using) (?:a )?(?:valid )?JSON (?:format|object|array)\b|\bas (?:valid )?JSON\b"
        r"|\b(?:respond|reply|answer|output|return)\b[^.]{0,60}\bin JSON\b"
    ),
    Constraint("table", "a table"): rf"{_SHOW}.{{0,80}}\b(?:in|as|using|form of) an? (?:\w+ )?table\b(?! of contents)",
    Constraint("bullet list", "bullet points"): rf"{_LISTED}(?:bullet(?:ed)? (?:points?|lists?)|bullets)\b{_GIVEN}",
    Constraint("numbered list", "a numbered list"): rf"{_LISTED}(?:numbered|ordered) lists?\b{_GIVEN}",
    Constraint("two answers", "two answers with ****** between them"): r"(?:two|2)\b.*(?<!\*)\*{6}(?!\*)",
}
_FORMS = {"json", "only json", "table", "bullet list", "numbered list"}
_SECTIONS = late_pattern(
    rf"\b(?P<number>{NUMBER}) (?:section|paragraph|part)s?\b.*\b(?P<name>section|paragraph|part|day|chapter) x\b", re.I
)
_EXACTLY = (
    rf"(?:\s+(?:the|this|exactly|exact|following|words?|phrase|sentence|line|of|like|read)){{0,5}}[\s:,]*{_QUOTED}"
)
_EDGES = {
    "ends": late_pattern(
        rf"\b(?:end|ends|finish|conclude|last sentence)\b[^\"\u201c]{{0,60}}?\b(?:with|by|should|must|be|is){_EXACTLY}",
        re.I,
    ),
    "starts": late_pattern(rf"\b(?:start|starts|begin|begins|open)\b[^\"\u201c]{{0,60}}?\bwith{_EXACTLY}", re.I),
}
_LANGUAGES = (
    "English|German|French|Spanish|Italian|Portuguese|Dutch|Polish|Vietnamese|Turkish|Russian|Bulgarian|Ukrainian|Arabic"
    "|Persian|Farsi|Urdu|Hindi|Marathi|Nepali|Chinese|Japanese|Korean|Hebrew|Greek|Thai|Bengali|Punjabi|Gujarati|Tamil"
    "|Telugu|Kannada"
)
_WRITTEN = (
    r"\b(?:answer|respond|reply|write|written|output)(?: (?:it|this|entirely|only|your \w+))*,? in (?:the )?"
    rf"|(?:{_ANSWER}|\bit\b)[^.]{{0,30}}\b(?:should|must|is|be)\b[^.]{{0,30}}\bin (?:the )?"
    r"|\btranslat\w+\b.{0,80}\b(?:in)?to |\b(?:entirely|only|exclusively) in (?:the )?"
    r"|\b(?:us(?:e|ing) only|only us(?:e|ing)) (?:the )?"
)
_LANGUAGE = late_pattern(rf"(?:{_WRITTEN})(?P<name>{_LANGUAGES})\b(?! (?:text|words?|style))", re.I)
_IN_A_PART = late_pattern(
    r"[\s,\])\"']*(?:in|for|as|inside|within|between|after) (?:the |all |any |your )?(?:comments?|code|titles?|head\w+"
    r"|subject|numbers?|variables?|files?|names?|first|last|second|each|every|keys?|csv|commit\w*|lists?)\b",
    re.I,
)


def _forms(sentence: str) -> Iterator[Constraint]:
    for constraint, pattern in _FLAGS.items():
        match = re.search(pattern, sentence, re.I)
        if not match or _IN_A_PART.match(sentence, match.end()):
            continue
        if constraint.kind not in _FORMS or not re.search(r"\bnot\b|n['\u2019]t\b", sentence[: match.end()], re.I):
            yield constraint
    if match := _SECTIONS.search(sentence):
        count = number(match["number"])
        yield Constraint("sections", f"{count} parts, each marked {match['name']} X", count, count, match["name"])
    if match := _LANGUAGE.search(sentence):
        yield Constraint("language", f"an answer in {match['name']}", text=match["name"].capitalize())


def _edges(sentence: str) -> Iterator[Constraint]:
    for kind, pattern in _EDGES.items():
        match = pattern.search(sentence)
        before = sentence[: match.start(1)] if match else ""
        if not match or not re.search(rf"{_ANSWER}|\b(?:phrase|sentence|exact|words?)\b", before, re.I):
            continue  # "start the server with ..." says nothing about the answer
        if not re.search(r"\b(?:each|every|section|paragraph|line|bullet|postscript|name)\b", before, re.I):
            yield Constraint(kind, f'an answer that {kind} with "{match[1]}"', text=match[1])


_SAME_THING = {"json": "only json", "bullet list": "bullets", "paragraphs": "sections"}  # the other says it all


def constraints(prose: str) -> list[Constraint]:
    """The constraints of a task's prose, in order; none of those that contradict one another."""
    candidates: dict[Constraint, None] = {}
    for sentence in re.split(r"(?<=[.!?])(?<!i\.e\.)(?<!e\.g\.)[\"'\u201d)]*\s+(?=[A-Z\"'(0-9])|\n", prose):
        if len(sentence) > 2000 or not _ABOUT_ANSWER.search(sentence) or _ABOUT_PROGRAM.search(sentence):
            continue
        plain = re.sub(r"[\"\u201c][^\"\u201d\n]{60,}[\"\u201d]", '""', sentence)
        candidates.update(dict.fromkeys((*quantities(plain), *_keywords(plain), *_forms(plain), *_edges(sentence))))
    kinds = {constraint.kind for constraint in candidates}
    divided = bool(re.search(r"(?<!\*)\*{3}(?!\*)", prose))
    return [
        constraint._replace(text="***") if divided and constraint.kind == "paragraphs" else constraint
        for constraint in candidates
        if _SAME_THING.get(constraint.kind) not in kinds
        and not any(_against(constraint, rival) for rival in candidates)
    ]


def _against(left: Constraint, right: Constraint) -> bool:
    """Whether two constraints of a kind cannot be about the same thing."""
    if left.kind == "language":
        return right.kind == "language" and left.text != right.text
    apart = left.low > right.high or right.low > left.high
    twice = left != right and ((left.low and right.low) or left.high == right.high < MANY)
    return left.kind == right.kind and left.text == right.text and bool(apart or twice)
