"""Verdicts in brackets, tags and labels: `[[A>>B]]`, `<verdict>B</verdict>`, `Winner: Assistant 2`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from evenhand.replies.prose.prose_lines import line_before, line_end, line_start
from evenhand.replies.verdicts.verdict_sides import LONE_SIDE, OTHER, side_of
from evenhand.replies.verdicts.verdict_words import ALIKE, BETTER, CONCLUDING, LABELS, TIE, any_of


class Choice(NamedTuple):
    """One statement of which output is better."""

    side: str
    """A, B, `tie`, or `other` for an output beyond the two."""
    place: int
    kind: str
    """bracket, label, phrase, preference (of the first person), ending or correction."""
    concluding: bool = False
    """Whether it is marked as the conclusion: final, overall, therefore."""


_ORDER = re.compile(r"(?P<left>[ab12])\s?(?P<sign>>{1,3}|<{1,3}|=|≫|≪|≈|~)\s?(?P<right>[ab12])")
_TIE = re.compile(rf"(?:an? )?(?:{TIE}|{ALIKE}|equal|both|same|neither(?: \w+ [12ab] nor \w+ [12ab])?|c)")
_SIDE = re.compile(
    rf"(?:(?:the|for|to|clearly|that of) )*{LONE_SIDE}(?:['’]s? \w+)?"
    r"(?:\s(?:is|was|ist|est|es|e)?\s?(?:\w+ly )?(?:better|wins|besser|best))?"
)
_BRACKET = re.compile(r"\[\[\s?([^\[\]\n]{1,40}?)\s?\]\]")
_CONDITION = re.compile(
    r"[\s\x01\x02\"'”»]*(?:(?:if|when|in case|wenn|falls|si|se|если)\b|如果|假如|若|もし|만약|의 경우|の場合)"
)
_LEADS_UP = re.compile(
    r"\b(?:final|verdict|decision|therefore|thus|conclusion|choose|wait|thoughts|reflection)\b|\.\.\."
)
_TAG = re.compile(
    r"<(verdict|answer|winner|choice|decision|judge?ment|preference|result|preferred"
    r"|better)>\s*([^<>\n]{1,40}?)\s*</\1>"
)
_LABEL = re.compile(
    rf"(?P<label>{LABELS})[\"'’\s)\]*]*(?:\((?P<note>[^()\n]{{0,40}})\)\s?)?"
    r"(?P<mark>:|=|->|=>|→|—|–|\bis\b|\bist\b|\best\b|\bes\b|\be\b|是|は|은|는|هو|هي)[:\s\"'\x02*\[({.]*"
    rf"(?P<value>[^\n.!?。;,}}\]\x02\"]{{1,60}})"
)
_WEAK = re.compile(
    any_of("answer result label conclusion choice selection best better overall antwort fazit ergebnis conclusión",
           "conclusione conclusão итог вывод 判断 结论 結論 결론 선택 选择 النتيجة الخلاصة निष्कर्ष final_answer")
)  # fmt: skip
"""Labels that the work itself may have: they count in the last line only."""
_CHOOSES = re.compile(
    any_of(
        "winner preferred preference better best choice decision pick selection vote chosen selected winning my_choice",
        "sieger gewinner bevorzugt entscheidung gagnant gagnante choix ganador ganadora elección vincitore",
        "scelta vencedor",
        "vencedora escolha победитель выбор 胜者 獲勝者 获胜者 选择 勝者 승자 선택 الفائز विजेता",
    )
)
"""Words for a choice, never for a score: only they make a bare number an output."""
_RESULT = re.compile(r"\[result\]\s*:?\s*\(?(?:(?:response|output|answer|assistant) )?\(?([ab])\b")
_TWO_SCORES = re.compile(r"\s*(10|\d(?:\.\d{1,2})?)[ ,]\s?(10|\d(?:\.\d{1,2})?)\s*(?:\n|$)")
"""Two scores on the first line, one for each output: JudgeLM's form."""
_NUMBER_AND_REASON = re.compile(r"\s*([12])\s*\n\s*reason:")
"""A number on the first line, then the reason under its heading: PandaLM's form."""
_NUMBERED = re.compile(r"\b(?:response|output|answer|assistant|model|candidate)s? ?\(?[12]\b")
_SAYS_MORE = re.compile(BETTER)
_CONCLUDES = re.compile(CONCLUDING)


def untagged(words: str) -> str:
    """The words with verdicts in tags put in brackets instead."""
    return _TAG.sub(r"[[\2]]", words)


def bracketed(words: str) -> Iterator[Choice]:
    """Verdicts in double brackets."""
    for match in _BRACKET.finditer(words):
        line = line_before(words, match.start())
        if match[1].strip().isdigit() and not _CHOOSES.search(line[-60:]):
            continue  # [[2]] is a rating
        if _CONDITION.match(words, match.end()):
            continue  # `[[A]] if assistant A is better` repeats the instruction
        if side := value_side(match[1]):
            yield Choice(side, match.start(), "bracket", bool(_CONCLUDES.search(line[-120:])))


def options(words: str, brackets: Sequence[Choice]) -> list[tuple[int, int]]:
    """Where a text lists the verdicts to choose from, from line to line: `[[A]], [[B]] or [[C]]`."""
    runs: list[list[Choice]] = []
    for choice in brackets:
        if runs and _continues(words[runs[-1][-1].place : choice.place]):
            runs[-1].append(choice)
        else:
            runs.append([choice])
    return [
        (line_start(words, run[0].place), line_end(words, run[-1].place))
        for run in runs
        if len(run) >= 3 and len({choice.side for choice in run}) >= 2
    ]


def _continues(gap: str) -> bool:
    """Whether one bracket and the next may be parts of a list."""
    return len(gap) <= 90 and "\n\n" not in gap and not _LEADS_UP.search(gap)


def labelled(words: str) -> Iterator[Choice]:
    """Verdicts after a label, and those that are all of the first or last line."""
    yield from _of_lines(words)
    yield from _losers(words)
    for match in _RESULT.finditer(words):
        yield Choice(value_side(match[1]), match.start(), "label", True)
    if numbered := _NUMBER_AND_REASON.match(words):
        yield Choice(value_side(numbered[1]), 0, "label", True)
    if scores := _TWO_SCORES.match(words):
        first, second = Decimal(scores[1]), Decimal(scores[2])
        yield Choice("A" if first > second else "B" if second > first else "tie", 0, "label", True)
    last_line = line_start(words, len(words.rstrip()))
    for match in _LABEL.finditer(words):
        label = match["label"]
        spoken = match["mark"] not in (":", "=", "->", "=>", "→", "—", "–")
        if _WEAK.fullmatch(label) and (match.start() < last_line or (spoken and len(words.strip()) > 40)):
            continue
        line = line_before(words, match.start())
        if re.search(r"\b(?:not|no|if|which|example|e\.g|format)\b", re.split(r"[.!?] ", line)[-1][-40:]):
            continue
        value = _REMARK.sub("", match["value"]).strip(" \"'()*|")
        if value.isdigit() and not _CHOOSES.search(label):
            continue  # `Verdict: 2` may be a score
        if side := value_side(value):
            yield Choice(side, match.start(), "label", bool(_CONCLUDES.search(line + label)) or not line.strip(" *#-"))


_REMARK = re.compile(r"(?<=\S)\s*\((?![a-f1-6]\)).*$")
"""What a label's value says in brackets: `Winner: A (it is shorter)`."""
_LOSER = re.compile(
    r"\b(?:loser|rejected(?: response)?|worse(?: response| answer| output)?|verlierer|perdant|perdedor|perdente)"
    r"[\"'’\s*]*(?:[:=]|\bis\b)[:\s\"'\x02*\[({.]*(?P<value>[^\n.!?。;,}\]\x02\"]{1,60})"
)


def _losers(words: str) -> Iterator[Choice]:
    """What a label names as the loser is a verdict for the other."""
    for match in _LOSER.finditer(words):
        side = value_side(match["value"])
        if side in ("A", "B"):
            yield Choice("B" if side == "A" else "A", match.start(), "label")


def _of_lines(words: str) -> Iterator[Choice]:
    lines = [(match.start(), match[0].strip(" *#.`")) for match in re.finditer(r"[^\n]+", words) if match[0].strip()]
    if len(lines) < 2:
        return
    for place, line in (lines[0], lines[-1]):
        side = value_side(line) if len(line) <= 20 and not _SAYS_MORE.search(line) else ""
        if side and (not line.isdigit() or _NUMBERED.search(words)) and line != "c":
            yield Choice(side, place, "label", True)


def value_side(value: str) -> str:
    """What a bracket or a label's value names: A, B, tie, other, or nothing."""
    value = value.strip(" .*'\"`|")
    if order := _ORDER.fullmatch(value):
        left, right = ("A" if order[name] in "a1" else "B" for name in ("left", "right"))
        if order["sign"] in "=≈~":
            return "tie"
        return "" if left == right else left if order["sign"][0] in ">≫" else right
    if _TIE.fullmatch(value):
        return "tie"
    if side := _SIDE.fullmatch(value):
        return side_of(side)
    if re.fullmatch(r"[d-f3-9]", value):
        return OTHER
    return ""
