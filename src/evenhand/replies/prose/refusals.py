"""Whether a judge refuses to judge, in every supported language."""

from __future__ import annotations

import re

_REFUSED = re.compile(
    r"\bi(?:'m| am)? (?:sorry|cannot|can't|can’t|am unable|won't|will not|must decline|apologi[sz]e|'m unable)"
    r"|as an ai\b|unable to (?:rate|score|"
    r"evaluate|assess|assign|provide)|cannot (?:rate|score|evaluate|assess|assign|provide)|(?:es )?tut mir leid"
    r"|je suis desole|lo siento"
    r"|mi dispiace|desculpe|извините|не могу|抱歉|无法|無法|申し訳|できません|죄송|할 수 없|عذرا|لا يمكنني|क्षमा"
    r"|\bn/a\b"
)


def refuses(words: str) -> bool:
    """Whether plain words have a judge refusing or unable to judge."""
    return bool(_REFUSED.search(words))
