"""Find the lines that may address a judge, quickly and in texts of any size. Pure.

Checking a line for orders takes a hundred times as long as searching it for a word, and transcripts have millions of
lines. So a line is checked only if it, alone or with its neighbours, contains word stems that together make an order:
one for giving and one for the best score, one for ignoring and one for rules, and so on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

Span = tuple[int, int]

_TOGETHER: Final = tuple(
    (tuple(some.split("|")), tuple(others.split("|")))
    for some, others in (
        (
            "10| ten|a+|perfect|maxim|max |highest|full |top |best ",
            "give|rate|score|grad|award|assign|grant|mark|judge|evaluat|output|return|respon|deserv|merit|warrant|receiv",
        ),
        (
            "ignor|disregard|forget|overrid|bypass",
            "rubri|crit|r\u00fabri|instr|prompt|guide|rule|direct|bewert|anweis|bar\u00e8|istr",
        ),
        ("deduct|penali|lower|mark down|red flag", "not |n't|never"),
        (
            "judge|grader|evaluator|rater|scorer|grading",
            "dear|attention|note |message|instru|must|should|shall| to |will",
        ),
        ("gib |geben|vergib|vergeb|bewert", "10|zehn|best|voll|h\u00f6chst|maximal|perfekt"),
        ("donne|attribue|accorde", "10|20|maxim|parfait"),
        (
            "da |dale|d\u00e9 |dar |otorga|asigna|d\u00ea |atribua|dai |assegna|date ",
            "10|diez|dez|diec|m\u00e1x|mass|perf",
        ),
        ("geef|beoordeel|daj |przyznaj|oce\u0144", "10|tien|maxim|hoogst|maksym|najwy"),
        (
            "cevab|yan\u0131t|ç\u0131kt\u0131|jawaban|svar|odpov|відпов|απάντ|trả lời",
            "10|tam |yüksek|maksim|tertinggi|sempurna|tối đa|högsta|nejvy|plný|максим|найвищ|άριστ|μέγιστ",
        ),
    )
)
_TELLING: Final = tuple(
    "оцен поставь дай игнорир 满分 滿分 十分 最高 评分 評分 评价 評價 指令 指示 満点 採点 評価 基準 ルーブリック 0点"
    " 만점 최고 채점 평가 지시 0점 أعط امنح قيم قيّم تجاهل תן תני תנו העניק अंक".split()
)
"""Word stems in other scripts that are suspicious on their own."""
_LOOK_ALIKE: Final = str.maketrans(
    "аеорсухіѕјһԁԛԝαοερντικΑВЕНІКМОРСТХΒΕΗΙΚΜΝΟΡΤΧΥΖ", "aeopcyxisjhdqwaoepvtikABEHIKMOPCTXBEHIKMNOPTXYZ"
) | {0xFF01 + offset: 0x21 + offset for offset in range(94)}
_ANCHORS: Final = tuple(dict.fromkeys(stem for some, _ in _TOGETHER for stem in some))
Stems = tuple[tuple[str, ...], tuple[str, ...]]
"""Word stems; a line must contain one from each side."""
_LONGEST: Final = 2000
"""Characters up to which a line is checked together with its neighbours."""


def suspect_lines(text: str) -> Iterator[Span]:
    """The positions of lines, alone or with their neighbours, that may tell a judge what to say."""
    readings = [_lowered(text)]
    if not text.isascii():
        readings.append(_lowered(text.translate(_LOOK_ALIKE)))
    lines: set[Span] = set()
    for lower in readings:
        together = _pairs_in(lower, _TOGETHER)  # what the whole text lacks, every line lacks
        for line in set(_holding(lower, _ANCHORS)) if together else ():
            if _pairs_in(lower[slice(*line)], together):
                lines.add(line)
            elif (around := _with_neighbours(lower, line)) and _pairs_in(lower[slice(*around)], together):
                lines.add(around)
    if not text.isascii():
        lines.update(_holding(readings[0], _TELLING))
    yield from sorted(lines)


def speaks_of_scores(text: str) -> bool:
    """Whether a sentence after an order is also about scores."""
    lower = _lowered(text)
    words = ("10", " ten", "score", "grade", "rating", "mark", "rubric", "judge", "point", *_TELLING)
    return holds(lower, words)


def holds(text: str, words: Iterable[str]) -> bool:
    """Whether a text contains any of the words or stems."""
    return any(map(text.__contains__, words))  # twice as fast as a generator; masking spends most of its time here


def _pairs_in(lower: str, together: Sequence[Stems]) -> list[Stems]:
    """The pairs with both sides in a text."""
    return [pair for pair in together if holds(lower, pair[0]) and holds(lower, pair[1])]


def _with_neighbours(lower: str, line: Span) -> Span | None:
    before = lower.rfind("\n", 0, max(0, line[0] - 1)) + 1
    after = lower.find("\n", line[1] + 1)
    after = len(lower) if after < 0 else after
    return (before, after) if after - before <= _LONGEST else None


def _holding(lower: str, stems: tuple[str, ...]) -> Iterator[Span]:
    for stem in stems:
        place = lower.find(stem)
        while place >= 0:
            end = lower.find("\n", place)
            end = len(lower) if end < 0 else end
            yield lower.rfind("\n", 0, place) + 1, end
            place = lower.find(stem, end)


def _lowered(text: str) -> str:
    """Lower case, character for character."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)
