"""Figures in a text, with their scale, unit and neighbours: 8/10, 7.5, seven out of ten, 7-8."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

from evenhand.replies.prose.words import NUMBER_WORDS, UNITS


class Figure(NamedTuple):
    """A number as written in the text."""

    start: int
    end: int
    """After its unit and scale."""
    value: Decimal | None
    """None unless it is a plain number with at most two decimals."""
    scale: Decimal | None = None
    """The best value, if the figure itself names it."""
    trouble: str = ""
    """Why it states no single number: a range, several, vague, too fine."""
    second: Decimal | None = None
    """The other end of a range or the next of several."""
    unit: str = ""
    word: str = ""
    """The word, if it is spelt out."""


_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))


def _any_of(words: Iterable[str]) -> str:
    """A pattern for any of many words, the longest that fits, with shared beginnings tried once."""
    endings: dict[str, list[str]] = {}
    for word in words:
        endings.setdefault(word[:1], []).append(word[1:])
    parts = [re.escape(first) + _any_of(rest) for first, rest in sorted(endings.items()) if first]
    if not parts:
        return ""
    return f"(?:{'|'.join(parts)}){'?' if '' in endings else ''}"


_WORDS = _any_of(NUMBER_WORDS)
_TOKEN = re.compile(
    r"(?P<digits>(?<![a-z0-9_.,/\\#@^×+$€£¥])-?[0-9]+(?:[.,][0-9]+)*)"
    r"|(?P<hanzi>[零一二三四五六七八九十百]{1,5}(?=\s?(?:分(?!钟|鐘|之|析|别|別)|星|点満点|点です)))"
    rf"|(?P<word>(?<![\w-])(?:{_WORDS})\b)"
)
_PLAIN = re.compile(r"-?[0-9]{1,6}(?:[.,][0-9]{1,2})?|-?[0-9]{1,6}\.[0-9]{1,2}0*")
_FINE = re.compile(r"-?[0-9]{1,6}[.,][0-9]{3,}")
_NOT_A_NUMBER = re.compile(r"[a-z_²³¹⁰⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉°^×‰]|:[0-9]|-(?!ish)[a-z]{2}")
_HANZI = re.compile(r"[一二三四五六七八九]?十[一二三四五六七八九]?|一?百")
_OTHER = rf"(?:-?[0-9]+(?:[.,][0-9]+)?|(?:{_WORDS})\b)"
_HALF = re.compile(
    r" (?:and a half|und ein halb|et demi|y medio|e mezzo|e meio|с половиной)\b|(?P<unit>[分点點])?半"
    r"|(?P<korean>점) ?반"
)
_UNITED = re.compile(rf"[ \]\)\x02-]{{0,3}}(?P<unit>{_UNIT}|%)(?![a-z])")
_SCALED = re.compile(
    r"(?P<close>[ \]\)】\x02]{0,4})\s?(?:[(\[（] ?)?"
    r"(?:(?:/|out of(?: a)?(?: possible| maximum| total)?(?: of)?|of a possible|of|von(?: maximal)?|auf einer skala bis"
    r"|sur|sobre|de un total de|de(?: un maximo de)?|em|su|из|от|من(?: اصل)?|over|/\s*满分) ?\[{0,2}"
    rf"(?P<scale>{_OTHER})"
    r"|(?:on|in|at|using|auf|sur|en|em|su|по|на) (?:a|an|the|einer|der|une|una|uma|l')? ?"
    r"(?:(?P<points>[0-9]{1,3})[ -]?(?:point|punkte|балльн)[a-zа-я]*[ -](?:scale|skala|шкал)[a-zа-я]*"
    r"|(?:[0-9]{1,3} ?(?:-|–|to) ?(?P<before>[0-9]{1,3}) (?:point )?(?:rating )?scale)"
    r"|(?:scale|skala|echelle|escala|scala|шкале)(?: of| from| de| da| von| от)? ?(?:[0-9]{1,3}"
    r" ?(?:-|–|to|bis|a|до) ?)?(?P<to>[0-9]{1,3}))"
    r"|[(\[（]? ?(?:[01] ?[-–] ?(?P<span>[0-9]{1,3})) ?(?=[)\]）])"
    r"|[(\[（] ?(?:max(?:imum|imal|imo|imum of)?|out of a max(?:imum)? of|hochstens|au maximum|макс(?:имум)?|最大|최대)"
    r"[.:]? ?(?P<most>[0-9]{1,3})(?= ?(?:points?|pts|punkte)? ?[)\]）])"
    r"|[(（,， ]{0,2}(?:满分|滿分|満点|총점|만점) ?(?:为|為|是|:)? ?(?P<full>[0-9]{1,3})"
    r")"
)
_RANGE = re.compile(
    r"[ \]\)\x02]{0,3}(?:(?: ?(?:-|–|~|〜|→|->|=>|&|至|到|或|から|または|또는|에서) ?)"
    r"| (?:to|or|and|bis|oder|und|a|à|ou|et|o|y|e|или|до|и|or even|maybe|perhaps) (?:an? |the |maybe |perhaps |even )?"
    r"|,? ?(?:or )?(?:possibly|maybe|perhaps|vielleicht|eventuell|peut-etre|quizas?|tal vez|forse|talvez|возможно|может"
    r"(?: быть)?,?|可能是?|也许是?|아마도?|ربما|शायद) (?:even )?(?:an? )?"
    rf"| ?— ?|(?P<loose> ?, ?| ?; ?| ?\| ?| ))\[{{0,2}}(?P<other>{_OTHER})"
)
_VAGUE_AFTER = re.compile(
    r"\+(?![0-9])|\.\.|\s?\?| ?(?:±|\+/-|\+-)|-(?=[ .,;)\n]|$)(?<! -)|-?ish\b|程度|左右|前後|くらい|ぐらい|정도"
    r"| or (?:so|higher|lower|more|less|above|below|better|worse)\b| plus\b| minus\b| (?:oder )?(?:mehr|weniger)\b"
)
_SLASH = re.compile(r"[ \])]{0,3}/")
_MORE = re.compile(r"[/.][0-9]")
_LETTER = re.compile(r"[a-z]")
_SUM = re.compile(r"[ \])]{0,3}[+×*/=-][0-9 +×*/().,-]{1,80}= ?(?P<sum>[0-9]+(?:[.,][0-9]+)?)")


def figures(text: str) -> Iterator[Figure]:
    """Every figure in a plain text, in order; a number that is the scale of another is not listed separately."""
    place = 0
    while match := _TOKEN.search(text, place):
        figure = _figure(text, match)
        place = max(figure.end, match.end())
        yield figure


def value_of(text: str) -> Decimal | None:
    """The value of a token, with comma or point; None for a version, a thousands separator or over two decimals."""
    if text in NUMBER_WORDS:
        return NUMBER_WORDS[text]
    if _HANZI.fullmatch(text):
        return _from_hanzi(text)
    if not _PLAIN.fullmatch(text):
        return None
    return Decimal(text.replace(",", "."))


def _from_hanzi(text: str) -> Decimal:
    """八 is 8, 十五 is 15, 九十五 is 95, 一百 is 100."""
    if text.endswith("百"):
        return Decimal(100)
    tens, ten, ones = text.rpartition("十")
    whole = (int(NUMBER_WORDS[tens]) if tens else 1) * 10 if ten else 0
    return Decimal(whole + (int(NUMBER_WORDS[ones]) if ones else 0))


def _figure(text: str, match: re.Match[str]) -> Figure:
    start, end = match.span()
    if text[start] == "-" and text[start - 1 : start].strip() and text[start - 1] not in ":=([|{,>":
        start += 1  # a hyphen between words, not a sign
    token = text[start:end]
    word = match["word"] or match["hanzi"] or ""
    value = value_of(token)
    if value is None:
        fine = _FINE.fullmatch(token)
        return Figure(start, end, None, trouble="is given to more than two decimals" if fine else "no plain number")
    if not match["hanzi"] and _NOT_A_NUMBER.match(text, end) and not _SUM.match(text, end):
        return Figure(start, end, None, trouble="no plain number")
    return _with_context(text, Figure(start, end, value, word=word))


def _with_context(text: str, figure: Figure) -> Figure:
    """The figure with its half, unit and scale, and any trouble in what follows: a range, several, vague."""
    value, end, unit, scale = figure.value, figure.end, "", None
    assert value is not None

    if (half := _HALF.match(text, end)) and value == value.to_integral_value():
        value, end = value + Decimal("0.5"), half.end()
        unit = half["unit"] or half["korean"] or ""
    if total := _SUM.match(text, end):
        value, end = value_of(total["sum"]), total.end()
    if not unit and (united := _UNITED.match(text, end)):
        unit, end = united["unit"], united.end()
    if scaled := _SCALED.match(text, end):
        named = next(
            filter(None, (scaled[name] for name in ("scale", "points", "before", "to", "span", "most", "full")))
        )
        scale, end = value_of(named), scaled.end()
        if _MORE.match(text, end):  # a date or a version
            return figure._replace(value=None, end=end, trouble="no plain number")
        if not unit and (united := _UNITED.match(text, end)):
            unit, end = united["unit"], united.end()
    elif _SLASH.match(text, end):
        return figure._replace(value=None, trouble="no plain number")
    done = figure._replace(value=value, end=end, unit=unit, scale=scale)
    if _VAGUE_AFTER.match(text, end):
        return done._replace(trouble="is vague")
    return _with_neighbour(text, done)


def _with_neighbour(text: str, figure: Figure) -> Figure:
    """A range, or several figures side by side, is not one score."""
    ranged = _RANGE.match(text, figure.end)
    if not ranged:
        return figure
    loose = ranged["loose"] is not None
    if loose and "]" in ranged[0]:
        return figure  # each has a bracket of its own
    if loose and (figure.scale is not None or figure.unit or figure.word or ranged["other"] in NUMBER_WORDS):
        return figure
    end = value_of(ranged["other"])
    if ranged[0].startswith("-") and end is not None and figure.value is not None and end <= figure.value:
        return figure._replace(value=None, end=ranged.end(), trouble="no plain number")  # 3-1, the result of a match
    if not loose and _LETTER.match(text, ranged.end()):
        return figure
    return figure._replace(
        end=ranged.end(),
        second=end,
        trouble="stands beside another" if loose else "is a range",
    )
