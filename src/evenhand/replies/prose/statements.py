"""Statements: every score in a judge's own words, with its scale, its strength and what it applies to."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from evenhand.replies.prose.figures import Figure, figures
from evenhand.replies.prose.folded_text import folded
from evenhand.replies.prose.guards import clause_of, is_disclaimed, speaks_for_itself
from evenhand.replies.prose.labels import FINAL, REVISED, Label, is_bare_label, label_before, mentions_a_score
from evenhand.replies.prose.listed import is_list_marker
from evenhand.replies.prose.markup import plain
from evenhand.replies.prose.parts import Headings, lined, phrased
from evenhand.replies.prose.phrases import alone, ends, is_own, score_strength
from evenhand.replies.prose.prose_lines import line_before
from evenhand.replies.prose.quoted import own_words
from evenhand.replies.prose.scales import is_a_scale, mentioned, scale_first
from evenhand.replies.prose.words import NEEDS_A_SCALE, OUTPUTS, STARS

WINDOW = 240
"""How many characters before a figure are examined."""

MOST = 1000
"""How many figures a reply may contain; examining each one takes time."""


DISMISSED = "dismissed"
"""The kind of a score that is not the judge's, not actual or denied: it counts for nothing."""


class TooMany(ValueError):
    """More figures than a verdict in prose would have."""


class Statement(NamedTuple):
    """A score as stated."""

    value: Decimal
    scale: Decimal | None
    """The best value, where the text names it."""
    kind: str
    """boxed, label, phrase or bare: how it is marked as a score; or dismissed."""
    place: int
    """Its position in the plain text."""
    final: bool = False
    """Whether it is marked as the overall score: final, overall, total."""
    revised: bool = False
    """Whether it is marked as replacing an earlier one."""
    name: str = ""
    """The criterion it applies to; empty for the whole."""
    output: str = ""
    """Which of several outputs it applies to."""
    trouble: str = ""
    """Why it is not one number: a range, several, vague."""
    second: Decimal | None = None
    known: bool = True
    """False when its name is not a known criterion."""
    summed: bool = False
    """Whether it is called a total or a result, as the solution of the judged problem may be."""
    lined: bool = False
    """Whether a word for a score and the figure are a line of their own: `Score: 4`."""
    section: int = 0
    """Which heading it is under, counted from 1."""


def statements(text: str) -> tuple[Statement, ...]:
    """The scores in a judge's own words, in order; quotations, examples and conditions are ignored."""
    return tuple(statement for statement in stated(plain_words(text)) if statement.kind != DISMISSED)


def plain_words(text: str) -> str:
    """The judge's own words, in one spelling and without decoration."""
    return plain(own_words(folded(text)))


_BREAK = re.compile(
    r"\n|[!?。！？]+|(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!approx)(?<!\bca)(?<!\bno)(?<!\bnr)(?<!\bz\.b)\."
    r"(?=[\s\x01\x02)\]\"'”]|$)"
)
_MATRIX = re.compile(
    r"(?:\b(?:array|matrix|matrices|tensor|list|returns?|returned|reference|see|cites?|footnote|sources?"
    r"|refs?)\b[^.!?\n]{0,30}"
    r"|\w\s?=\s?|\()\[\[[^\[\]\n]{0,30}$"
)
_BOX_OPEN = re.compile(r"\[\[[^\[\]\n]{0,30}$")
_OPEN = re.compile(r"\[\s?$")
_CLOSE = re.compile(r"[^\[\]\n]{0,30}\]{1,2}")
_REVISES = re.compile(
    r"\b(?:(?:lower|adjust|correct)(?:ed|ing|s)?|(?:reduc|chang|revis|rais|increas|downgrad|upgrad|updat|mov)(?:e"
    r"|ed|es|ing)"
    r"|drop(?:s|ped|ping)?|bring(?:s|ing)?|brought|снижа\w+|senk\w+|(?:a?baiss|reduz|reduj)\w+)\b"
    r"[^.!?\n]{0,60}\b(?:from|von|de|da|с|от)\s+(?:an? )?[\[(\x02]*$|[从從由]\s?$"
)
_REVISES_TO = re.compile(
    r"\b(?:(?:lower|adjust|correct)(?:ed|ing|s)?|(?:reduc|chang|revis|rais|increas|downgrad|upgrad|updat)(?:e"
    r"|ed|es|ing)|drop(?:s|ped|ping)?|bring(?:s|ing)?|brought|gesenkt|reduziert|korrigiert|erhoht|(?:a?baiss"
    r"|rebaj|abass"
    r"|reduit|reduc|ridott|reduz|reduj)\w*|снижен\w*|снижаю|понижен\w*)(?: (?:it|this|that|the score|my score"
    r"|down|up))?"
    r" (?:down |up )?(?:to|auf|a|ad|para|до)\s+(?:an? |un |una |ein[es]? )?[\[(\x02]*$"
    r"|(?:降至|降到|降为|下调至|下调为|调整为|改为|修正为|提高到|に(?:下げ|引き下げ|変更))\s?$"
)
_I_REVISE_IT = re.compile(
    r"(?:^|[.,;!?)\n—–-]|\b(?:so|and|but|therefore|thus|hence))\s*i(?:['’]m| am|['’]ve| have)?"
    r"(?: now| then| therefore| thus| also| only| just| must| have to| will| would| should)?"
    r" (?:(?:lower|adjust|correct)(?:ed|ing)?"
    r"|(?:reduc|chang|revis|rais|increas|downgrad|upgrad)(?:e|ed|ing)|drop(?:ped|ping)?|bring(?:ing)?|brought)"
    r" (?:it|this|that)\b[^,;:.!?\n]*$"
)
_DECORATION = " -•·\x01\x02[](（）)*.\n。|"
_NUMBER_BELOW = re.compile(r"[^\S\n]*\n\s*[0-9]+(?:[.,][0-9]+)?[^\S\n]*(?:\n|$)")
_COUNTED = re.compile(
    r"\s+(?:issues?|errors?|problems?|facts?|examples?|mistakes?|steps?|items?|tests?|questions?|cases?|sentences?"
    r"|words?|times|reasons?|paragraphs?|criteria|requirements?|people|sources?|bugs?|files?|lines?|fehler|erreurs?"
    r"|errores|errori|erros|ошиб\w+)\b"
)
_CORRECTS = re.compile(
    r"^\s*(?:actually|correction|no|wait|scratch that|on reflection|on second thought|rather"
    r"|make that)[,:—–-]*\s*(?:an?|it's an?|make that an?)?\s*$"
)
_NUMBERED = re.compile(rf"(?:{'|'.join(map(re.escape, OUTPUTS))})\s?#?\(?$")
_SPELT_UNIT = re.compile(r"[a-zа-я]")
_FRACTION = re.compile(
    r"\b(?:probabilit\w+|fractions?|ratios?|odds|simplif\w+ to|wahrscheinlichkeit|bruch|verhaltnis|probabilite"
    r"|fraccion|frazione"
    r"|probabilidade?|probabilita|fracao|вероятност\w+|дроб\w+)\b|概率|分数は|確率|확률|분수"
)
_COUNTS = re.compile(
    r"\s+(?!(?:the|this|it|an?|i|my|its|because|since|as|and|but|with|for|is|was|here|overall|out|on|in|to|from"
    r"|very|not|no"
    r"|due|based|given|which|that|these|there)\b)(?:[a-z-]+ ){0,2}[a-z]{3,}s\b(?!:)|\s+(?:out )?of (?:the|these"
    r"|those|its|them|all)\b"
)
_ANOTHER_WORD = re.compile(r"\s*[^\W\d_]")
_SENTENCE_END = re.compile(r"[\s\])\x02]*(?:[.!。！\n]|$)")
_BARE_END = re.compile(
    r"[\s\])）\x02]*(?:$|[.!。\n]|[(（][^()\n]*[)）]\.?\s*$|[—–-] [^\d;]*$|, (?:because|since|as|due)\b)"
)
_LINE_START = re.compile(r"\W*(?:\d{1,2}[.)] ?)?(?:[ \"'’/*-]*[^\W\d]+){1,5}(?: ?\([^()\n]*\))?\W*")
_LINE_END = re.compile(r"[^\S\n]*[\])）}\x02\"',]*\.?[^\S\n]*(?:$|\n|[(（][^\n]*$)")
_NOUN_BEFORE = re.compile(r"\b(?:score|rating|grade|note|punktzahl|bewertung)\s*$")


class _Text(NamedTuple):
    words: str
    breaks: list[int]
    """Where sentences end: positions just after the mark."""

    def around(self, figure: Figure) -> tuple[str, str, str]:
        """The line above that may be its label, and the words of the same sentence before and after a figure."""
        index = bisect_right(self.breaks, figure.start)
        start = self.breaks[index - 1] if index else 0
        index = bisect_right(self.breaks, max(figure.end - 1, figure.start))
        end = self.breaks[index] if index < len(self.breaks) else len(self.words)
        before = self.words[max(start, figure.start - WINDOW) : figure.start]
        after = self.words[figure.end : min(end, figure.end + WINDOW // 2)]
        alone = not before.strip(_DECORATION) and not after.strip(_DECORATION)
        return self._label_above(start) if start and alone else "", before, after

    def _label_above(self, start: int) -> str:
        line = self.words[max(0, start - WINDOW) : start].rstrip().rpartition("\n")[2].strip()
        if not line or len(line) > 60 or line[-1] in ".!?。":
            return ""
        return line if line.endswith((":", "|")) else line + ": "


def stated(words: str) -> Iterator[Statement]:
    """Every statement in plain words."""
    text = _Text(words, [match.end() for match in _BREAK.finditer(words)])
    headings = Headings(words)
    for number, figure in enumerate(figures(words)):
        if number >= MOST:
            raise TooMany
        statement = _statement(text, figure)
        if statement is None:
            continue
        if statement.kind != DISMISSED and not (statement.name or statement.output or statement.final):
            statement = statement._replace(**headings.above(statement.place)._asdict())
        yield statement._replace(section=headings.section(statement.place))


def _statement(text: _Text, figure: Figure) -> Statement | None:
    """The statement a figure makes in its context, or None."""
    above, line, after = text.around(figure)
    before = above + line
    if figure.second is not None and _REVISES.search(before):
        if not (_about_the_score(before, after, figure) and speaks_for_itself(before)):
            return None
        return Statement(figure.second, figure.scale, "phrase", figure.start, final=True, revised=True)
    if _REVISES_TO.search(before):
        if not (_about_the_score(before, after, figure) and speaks_for_itself(before) and figure.value is not None):
            return None
        return Statement(
            figure.value, figure.scale, "phrase", figure.start,
            final=True, revised=True, trouble=figure.trouble, second=figure.second,
        )  # fmt: skip
    if not _may_be_a_score(text.words, figure, before):
        return None
    before, scale = scale_first(before)
    figure = figure._replace(scale=figure.scale or scale)
    boxed = bool(_BOX_OPEN.search(before) and _CLOSE.match(text.words, figure.start))
    label = label_before(before)
    if above.endswith(": ") and label is not None and not (label.known or label.noun):
        label = None  # a line of prose above, not a label
    marking = _marked(before, after, figure, label, boxed)
    if marking is None and label is None and (figure.scale is not None or figure.unit in STARS) and alone(line, after):
        marking = "bare", Label()
    if marking is None:
        return None
    if is_disclaimed(before, after, labelled=marking[0] in ("boxed", "label")):
        return Statement(figure.value or Decimal("NaN"), figure.scale, DISMISSED, figure.start)
    kind, label = marking
    if (
        kind in ("bare", "phrase")
        and alone(line, after)
        and not mentions_a_score(before)
        and _FRACTION.search(text.words)
    ):
        return None  # 3/5 may be the answer to the judged problem
    label = lined(label, text.words, figure.start) if kind in ("boxed", "label") else phrased(label, before, after)
    return Statement(
        figure.value if figure.value is not None else Decimal("NaN"),
        _scale(figure, label, before),
        kind,
        figure.start,
        final=(label.final or (kind in ("phrase", "boxed") and bool(FINAL.search(before)))) and not label.name,
        revised=label.revised or (kind != "bare" and bool(REVISED.search(clause_of(before)))),
        name="" if label.output else label.name,
        output=label.name if label.output else "",
        trouble=figure.trouble,
        second=figure.second,
        known=label.known or label.noun,
        summed=label.summed,
        lined=kind in ("boxed", "label") and _has_its_line(above + line_before(text.words, figure.start), after),
    )


def _has_its_line(before: str, after: str) -> bool:
    """Whether a line is a label and a score, with a remark in brackets at most."""
    return bool(_LINE_START.fullmatch(before) and mentions_a_score(before) and _LINE_END.match(after))


def _about_the_score(before: str, after: str, figure: Figure) -> bool:
    """Whether what is lowered, raised or corrected is the judge's score, not a price or a number of steps."""
    judges = is_own(before) or _I_REVISE_IT.search(before)
    scored = mentions_a_score(before) or judges or figure.unit in ("分", "점", "点", "點")
    return bool(scored) and ends(after) and not _COUNTED.match(after)


def _may_be_a_score(words: str, figure: Figure, before: str) -> bool:
    """Whether it is not a version, a date, a scale's end, one of a column of numbers, or cut off in its bracket."""
    numeric = figure.value is not None or figure.trouble.startswith("is given")
    counts = is_a_scale(words, figure.start, before) or is_list_marker(words, figure)
    column = _NUMBER_BELOW.match(words, figure.end) and not line_before(words, figure.start).strip(" -•·\x01\x02[(（*")
    cut_off = _OPEN.search(before) and not _CLOSE.match(words, figure.start)
    return numeric and not (counts or column or cut_off)


def _scale(figure: Figure, label: Label, before: str) -> Decimal | None:
    """The best value, from the figure itself, its label, its sentence or its unit."""
    scale = figure.scale or label.scale or mentioned(before)
    if scale is None and figure.unit in STARS:
        return Decimal(5)
    if scale is None and figure.unit == "%":
        return Decimal(100)
    return scale


def _marked(before: str, after: str, figure: Figure, label: Label | None, boxed: bool) -> tuple[str, Label] | None:
    """How a figure is marked as a score, or None when it is not."""
    if label is not None and label.excluded:
        return None
    named = label if label is not None and (label.known or not label.name) else Label()
    if boxed and not (label is not None and (label.noun or not label.name)) and _cited(before, after):
        return None
    if boxed:
        return "boxed", named
    if figure.word in NEEDS_A_SCALE and figure.scale is None:
        return None
    if label is not None and _labelled(before, after, figure, label):
        return "label", label
    if (
        label is not None and label.final and not (label.strong or label.name)
        and _SENTENCE_END.match(after) and not _NUMBERED.search(before)
    ):  # fmt: skip
        return "phrase", label
    strength = score_strength(clause_of(before), after, figure, before) or score_strength(before, after, figure, before)
    if strength:
        return strength, named
    if _CORRECTS.match(before) and alone("", after):
        return "phrase", Label(revised=True)
    return None


def _cited(before: str, after: str) -> bool:
    """Whether double brackets hold a matrix, a reference or an example instead of a verdict."""
    return bool(_MATRIX.search(before)) or bool(re.match(r"[^\[\]\n]{0,30}\]{1,2}\s+(?:is|was|are|as|for)\b", after))


def _labelled(before: str, after: str, figure: Figure, label: Label) -> bool:
    """Whether a label makes its figure a score: not `Score: 3 issues`, not `Steps: 7`, not `a score 7`."""
    scaled = figure.scale is not None
    counts = (
        (_SPELT_UNIT.match(figure.unit) and not ends(after))
        or (not figure.unit and _COUNTS.match(after))
        or (figure.word and _ANOTHER_WORD.match(after))
    )
    if label.strong:
        marked = label.known or label.noun or scaled or label.scale is not None
    else:
        bare = is_bare_label(before) and _BARE_END.match(after)
        of_scale = scaled and _NOUN_BEFORE.search(before) and not after[:1].isalpha()
        marked = not label.name and bool(bare or of_scale)
    return marked and not _COUNTED.match(after) and (scaled or not counts)
