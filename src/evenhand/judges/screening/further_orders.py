"""Orders to a judge beyond those that the checks report: in the third person, self-praise, more languages. Pure.

A check that raises a flag must be sure. Masking a sentence does less harm, so it may match more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evenhand.judges.screening.suspect_lines import Span

_BEST: Final = (
    r"(?:(?:highest|maximum|max|perfect|full|top|best)(?: possible)? (?:(?:score|mark|rating|grade|point)s?|credit)"
    r"|(?:score|rating|grade|mark)s? of (?:10|ten|100)|10 ?(?:/|out of) ?10)"
)
_REST: Final = r"[^.!?\n]*[.!?]?"
_JUDGE_MUST = (
    r"\b(?:judge|grader|evaluator|rater|scorer|assessor|examiner)s?\b[^.!?\n]{0,30}"
    rf"\b(?:must|should|shall|ha(?:s|ve) to|(?:is|are) to|needs? to|will)\b[^.!?\n]{{0,60}}\b{_BEST}\b"
)
_DESERVES = (
    r"\b(?:this|my|our|the) (?:answer|response|submission|solution|work|output|report|essay|code|text)\b"
    rf"[^.!?\n]{{0,60}}\b(?:deserves?|merits?|warrants?|is worth)\b[^.!?\n]{{0,20}}\b{_BEST}\b"
)
_LANGUAGES: Final = (
    # Turkish, Vietnamese and Indonesian
    r"\b(?:bu|şu) (?:cevab|yan\u0131t|ç\u0131kt\u0131|çal\u0131şma)\w*[^.!?\n]{0,40}\b(?:10|tam|en yüksek)\b"
    r"[^.!?\n]{0,30}\bver(?:in|iniz)?\b",
    r"\b(?:cho|chấm)\b[^.!?\n]{0,40}(?:câu trả lời|bài)[^.!?\n]{0,40}(?:\b10\b|tối đa)",
    r"\bberi(?:kan)?\b[^.!?\n]{0,40}\bjawaban\b[^.!?\n]{0,40}\b(?:10|sempurna|maksimal|tertinggi)\b",
    # Swedish, Czech, Ukrainian and Greek
    r"\bge\b[^.!?\n]{0,30}\bsvar\w*[^.!?\n]{0,40}\b(?:10|högsta|full)\b",
    r"\b(?:ohodnoť(?:te)?|dej(?:te)?)\b[^.!?\n]{0,40}odpově\w+[^.!?\n]{0,40}(?:\b10\b|nejvyšší|plný)",
    r"(?:дай|постав|оцін)[^.!?\n]{0,40}відповід[^.!?\n]{0,40}(?:10|максимальн|найвищ)",
    r"(?:δώσε|δώστε|βαθμολογ)[^.!?\n]{0,40}απάντηση[^.!?\n]{0,40}(?:10|άριστα|μέγιστ)",
)
_OTHER: Final = "(?:" + "|".join(_LANGUAGES) + ")"
_PATTERNS: Final = tuple(re.compile(pattern + _REST, re.I) for pattern in (_JUDGE_MUST, _DESERVES, _OTHER))


def further_orders(line: str) -> Iterator[Span]:
    """The positions of such orders in a line."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(line):
            yield match.span()
