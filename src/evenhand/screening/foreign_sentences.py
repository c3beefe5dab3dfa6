"""Sentences in another script or language than the text around them. Pure, linear.

An order that no list of words knows is still a foreign body: the language of most of a text is told by its script and
its commonest words, and a sentence that has none of these words is something else. No sentence is suspicious for that;
it is what to try where a score needs an explanation.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

Span = tuple[int, int]

COMMON: Final = {
    language: frozenset(words.split())
    for language, words in {
        "en": """the a an of to and in is it for that was as with on at by be are this from not or have has had you i we
            they he she can will if but all so do does did what which when there one your its also than then into use
            used no more my our their his her only any may must should would could each every after before over under
            between both some how who where why just like make new two three first about out up other these those such
            because while until were been being them us me here now still very most many per via please let""",
        "de": "der die das und ist nicht ein eine mit für von zu auf dem den des im in es sich auch als wie bei aus "
        "sie wir ich er wird sind war nach oder aber wenn nur noch so an am zum zur einen einer einem kann hat haben",
        "fr": "le la les de des du un une et est pour dans que qui sur pas ne en au aux ce cette avec par il elle nous "
        "vous je se sont son sa ses ou mais plus",
        "es": "el la los las de del un una y es en que por para con no se su al lo como más o pero sus le ya este esta "
        "son",
        "it": "il lo la i gli le di del della un una e è in che per con non si sono da al come più ma o anche questo "
        "questa",
        "pt": "o a os as de do da dos das um uma e é em que por para com não se no na ao mais mas como foi são ou",
        "nl": "de het een van en is in op te dat niet met voor zijn er aan ook als maar om bij door naar uit wordt of",
        "pl": "i w na z nie się jest to że do o jak po co ale za od przez dla są tego może oraz",
        "sv": "och att det som en på är av för den med till i inte om ett har de så kan men",
        "tr": "ve bir bu için ile de da çok daha gibi olarak en ne var ama ya olan sonra",
        "id": "yang dan di untuk dengan ini itu dari ke pada tidak adalah dalam akan juga atau oleh",
    }.items()
}
"""The commonest words of languages that whole texts are written in."""
_ENDS = re.compile(r"[.!?;:](?=\s|$)|[\n。！？।｡։።]")
_WORDS = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_CODE = re.compile(r"[{}=<>\\|`@#$_/]|\w\(|::|->|https?:")
_MARKS: Final = "\"'.,:;!?()[]*\u201c\u201d\u201e\u2019\u2026-"
_SAMPLE: Final = 20_000
"""Characters that tell the language of a text."""
_SCRIPT_LETTERS: Final = 5
"""Letters of another script from which a sentence is in it."""
_LANGUAGE_WORDS: Final = 5
"""Words of a sentence from which on one of the commonest must be among them."""
_ENOUGH: Final = 12
"""Words that a text needs to be in a language."""
_SHARE: Final = 8
"""One word in so many at least is one of the commonest, in any ordinary text."""


def foreign(text: str) -> Iterator[Span]:
    """The sentences in another script or language than most of the text; none where less than half is in one."""
    script = _script(text[:_SAMPLE])
    common = _common(text[:_SAMPLE]) if script == "LATIN" else None
    for start, stop in _sentences(text):
        sentence = text[start:stop]
        other_script = script and not sentence.isascii() and _script(sentence) not in (script, "")
        if other_script or (common and _is_other_language(sentence, common)):
            yield start, stop


def _sentences(text: str) -> Iterator[Span]:
    start = 0
    for match in _ENDS.finditer(text):
        if text[start : match.end()].strip():
            yield start, match.end()
        start = match.end()
    if text[start:].strip():
        yield start, len(text)


@lru_cache(maxsize=8192)
def _script_of(letter: str) -> str:
    name = unicodedata.name(letter, "").partition(" ")[0]
    return "CJK" if name in ("HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA") else name


def _script(text: str) -> str:
    """The script of most letters of a text, symbols for letters included; empty with too few of them."""
    if text.isascii():
        return "LATIN"
    counts = Counter(_script_of(sign) for sign in text if sign.isalpha() or ord(sign) > 0x27FF)
    if not counts or counts.total() < _SCRIPT_LETTERS:
        return ""
    script, number = counts.most_common(1)[0]
    return script if 2 * number >= counts.total() else ""


def _common(text: str) -> frozenset[str] | None:
    """The commonest words of the language of a text, if that is known."""
    words = [word.lower() for word in _WORDS.findall(text)]
    if len(words) < _ENOUGH:
        return None
    hits = {language: sum(word in common for word in words) for language, common in COMMON.items()}
    best = max(hits, key=lambda language: hits[language])
    return COMMON[best] if _SHARE * hits[best] >= len(words) else None


def _is_other_language(sentence: str, common: frozenset[str]) -> bool:
    tokens = [token.strip(_MARKS) for token in sentence.split()]
    # Names, numbers and codes are in no language.
    words = [word for word in tokens if len(word) > 1 and word[1:].islower() and _WORDS.fullmatch(word)]
    if sum(word.islower() for word in words) < _LANGUAGE_WORDS - 1 or _CODE.search(sentence):
        return False
    words = [word.lower() for word in words]
    hits = sum(word in common for word in words)
    others = max(sum(word in language for word in words) for language in COMMON.values() if language is not common)
    if hits:
        return others >= 3 and others > 3 * hits
    return len(words) >= _LANGUAGE_WORDS + (0 if others or not sentence.isascii() else 2)
