"""The rules of a skill: the list items of its SKILL.md; without a list, its sentences that begin a line. Pure."""

from __future__ import annotations

import re
from typing import Final

MOST_RULES: Final = 12
LONGEST: Final = 200

_FRONT = re.compile(r"\A---\n.*?\n---\n", re.S)
_CODE = re.compile(r"^```.*?^```", re.S | re.M)
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+(\S.*)$", re.M)
_SENTENCE = re.compile(r"^([A-Z][^\n|#>`]{8,}[.!])[ \t]*$", re.M)


def skill_rules(text: str) -> list[str]:
    """The rules of a SKILL.md, each on one line."""
    body = _CODE.sub("", _FRONT.sub("", text.replace("\r\n", "\n")))
    found = [match[1] for match in _ITEM.finditer(body)] or [match[1] for match in _SENTENCE.finditer(body)]
    plain = [re.sub(r"[*_`]{1,2}(\S[^*_`]*)[*_`]{1,2}", r"\1", rule).strip() for rule in found]
    rules = [rule for rule in plain if 8 <= len(rule) <= LONGEST and " " in rule and rule.isprintable()]
    return list(dict.fromkeys(rules))[:MOST_RULES]
