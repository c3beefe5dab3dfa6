# ruff: noqa: RUF001
"""Statements: every score a judge's own words state, with its scale, its strength and what it is of."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from evenhand.judges.prose.folding import folded
from evenhand.judges.prose.guards import clause_of, objection
from evenhand.judges.prose.labels import CRITERION, FINAL, OUTPUT, REVISED, Label, label_before
from evenhand.judges.prose.markup import plain
from evenhand.judges.prose.numbers import Figure, figures, value_of
from evenhand.judges.prose.phrases import alone, given
from evenhand.judges.prose.quoted import own_words
from evenhand.judges.prose.words import NEEDS_A_SCALE, STARS

WINDOW = 240
"""How many characters before a figure are looked at."""


class Statement(NamedTuple):
    """A score as it is stated."""

    value: Decimal
    scale: Decimal | None
    """The best value, where the text names it."""
    kind: str
    """boxed, label, phrase or bare: how it is marked as a score."""
    place: int
    """Where it stands in the plain text."""
    final: bool = False
    """Whether it is marked as the whole's: final, overall, total."""
    revised: bool = False
    """Whether it is marked as taking back an earlier one."""
    name: str = ""
    """The criterion it is of; empty for the whole."""
    output: str = ""
    """The one of several outputs it is of."""
    trouble: str = ""
    """Why it is not one number: a range, several, vague."""
    second: Decimal | None = None
    known: bool = True
    """False when its name is no known criterion."""


def statements(text: str) -> tuple[Statement, ...]:
    """What a judge's text states in its own words, in order; quotations, examples and conditions are left out."""
    return tuple(stated(plain_words(text)))


def plain_words(text: str) -> str:
    """The judge's own words, in one spelling and without decoration."""
    return plain(own_words(folded(text)))


_BREAK = re.compile(
    r"\n|[!?。！？]+|(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!approx)(?<!\bca)(?<!\bno)(?<!\bnr)(?<!\bz\.b)\.(?=[\s\x01\x02)\]\"'”]|$)"
)
_BOX = re.compile(r"[^\[\]\n]{0,30}\]{1,2}")
_SCALE_FIRST = re.compile(
    r"(?P<scale>[0-9]{1,3})\s?(?:点満点中|点満点で|点満点の?|段階(?:中|で)|점 ?만점에서?(?:는)?|점 ?만점 ?중|점 ?중|में से|分满分|分制|点中|分中)[、,，:\s]*$"
    r"|(?:满分|滿分|満点|out of|von|sur|sobre|su|из)\s?(?:为|為|是)?\s?(?P<full>[0-9]{1,3})\s?(?:分|点|점)?\s?[)）]?[,，、:：;\s]+"
    r"(?:[^\n0-9。.]{0,16})$"
)
_IS_A_SCALE = re.compile(r"\s?(?:点満点|段階|점 ?만점|में से|分满分|分制|点中|分中)|[- ]point scale|\s?점 ?중")
_FULL_BEFORE = re.compile(r"(?:满分|滿分|満点は?|만점은?|maximum(?: of)?|max\.?|scale of|scale from|out of)\s?(?:为|為|是|:)?\s?$")
_SCALE_MENTION = re.compile(
    r"(?:scale|skala|echelle|escala|scala|шкал[аеу])(?: (?:of|from|de|da|von|от))? [0-9]{1,3} ?(?:-|–|to|bis|a|à|до|al) ?(?P<high>[0-9]{1,3})"
    r"|(?P<low>[01]) ?(?:-|–|to) ?(?P<top>[0-9]{1,3}) scale"
)
_LIST_NUMBER = re.compile(r"[.)](?=\s)")
_REVISES = re.compile(r"\b(?:lower|reduc|chang|revis|adjust|drop|rais|increas|downgrad|upgrad|updat|mov|bring|correct|снижа|senk|baiss|abaiss|reduz|reduj)\w*"
                      r"[^.!?\n]{0,60}\b(?:from|von|de|da|с|от)\s+(?:an? )?[\[(\x02]*$|[从從由]\s?$")  # fmt: skip
_RUBRIC_LINE = re.compile(r"[\s\])]*[:：]\s*[^\s\d]|\s?[-–=]\s?(?:[a-z]+ )+")
_FOR_CRITERION = re.compile(r"[\s\])]*(?:for|in|on|in terms of|regarding|für|fur|pour|por|per|за)\s+(?:the |its |la |die )?(?P<name>\w+(?:-\w+)?)")
_TERMS_OF = re.compile(r"\b(?:in terms of|regarding|as for|with regard to|concerning|on|for)\s+(?:the |its )?(?P<name>\w+)[,: ]")


class _Text(NamedTuple):
    words: str
    breaks: list[int]
    """Where sentences end, each place just behind the mark."""

    def sentence(self, place: int) -> tuple[int, int]:
        index = bisect_right(self.breaks, place)
        start = self.breaks[index - 1] if index else 0
        end = self.breaks[index] if index < len(self.breaks) else len(self.words)
        return start, end


def stated(words: str) -> Iterator[Statement]:
    """Every statement of plain words."""
    text = _Text(words, [found.end() for found in _BREAK.finditer(words)])
    heading = _Headings(words)
    for figure in figures(words):
        statement = _statement(text, figure)
        if statement is not None:
            yield heading.placed(statement)


def _statement(text: _Text, figure: Figure) -> Statement | None:
    words = text.words
    start, _ = text.sentence(figure.start)
    _, end = text.sentence(max(figure.end - 1, figure.start))
    before = words[max(start, figure.start - WINDOW) : figure.start]
    after = words[figure.end : min(end, figure.end + WINDOW // 2)]
    if figure.value is None and not figure.trouble.startswith("is given"):
        return None
    value = figure.value if figure.value is not None else Decimal("NaN")
    if figure.second is not None and _REVISES.search(before):
        return Statement(figure.second, figure.scale, "phrase", figure.start, final=True, revised=True)
    if _IS_A_SCALE.match(words, figure.end) or _FULL_BEFORE.search(before):
        return None
    if not before.strip(" -•·\x01\x02[(（*") and start:
        before = _label_above(words, start) + before
    scale = figure.scale
    if first := _SCALE_FIRST.search(before):
        scale = scale or value_of(first["scale"] or first["full"])
        if first["scale"]:
            before = before[: first.start()]
        figure = figure._replace(scale=scale)
    boxed = bool(re.search(r"\[\[[^\[\]\n]{0,30}$", before) and _BOX.match(words, figure.start))
    label = label_before(before)
    found = _marked(before, after, figure, label, boxed)
    if found is None:
        return None
    kind, label = found
    if reason := objection(before, after, labelled=kind in ("boxed", "label")):
        del reason
        return None
    if kind == "phrase" and (name := _criterion_of(before, after)):
        label = label._replace(name=name, final=False)
    clause = clause_of(before)
    if scale is None:
        scale = label.scale or _mentioned(before) or (Decimal(5) if figure.unit in STARS else None)
    if figure.unit == "%":
        scale = Decimal(100) if scale is None else scale
    return Statement(
        value,
        scale,
        kind,
        figure.start,
        final=(label.final or (kind in ("phrase", "boxed") and bool(FINAL.search(before)))) and not label.name,
        revised=label.revised or (kind != "bare" and bool(REVISED.search(clause))),
        name="" if label.output else label.name,
        output=label.name if label.output else "",
        trouble=figure.trouble,
        second=figure.second,
        known=label.known,
    )


def _marked(before: str, after: str, figure: Figure, label: Label | None, boxed: bool) -> tuple[str, Label] | None:
    """How a figure is marked as a score, or None when it is not."""
    whole = Label(True)
    if label is not None and label.excluded:
        return None
    risky = figure.word in NEEDS_A_SCALE and figure.scale is None
    if boxed:
        named = label if label is not None and (label.known or not label.name) else whole
        return "boxed", named
    if risky:
        return None
    if label is not None and label.strong and _ends_well(after, figure) and not (label.name and not label.known and _loose(figure, label)):
        return "label", label
    if label is not None and not label.strong and not label.name and figure.scale is not None and not after[:1].isalpha():
        strong = re.search(r"\b(?:score|rating|grade|note|punktzahl|bewertung)\s*$", before)
        if strong and _ends_well(after, figure):
            return "label", label
    if given(clause_of(before), after, figure) or given(before, after, figure):
        return "phrase", label if label is not None and (label.known or not label.name) else whole
    if (figure.scale is not None or figure.unit in STARS) and alone(before, after):
        return "bare", whole
    return None


def _loose(figure: Figure, label: Label) -> bool:
    """A figure without a scale under a name nobody knows is just a number: `Steps: 7`."""
    return figure.scale is None and label.scale is None and not re.search(r"\b(?:score|rating|grade)\b", label.name)


def _ends_well(after: str, figure: Figure) -> bool:
    """Whether a labelled figure is not the start of something else: `Score: 3 issues`, `Score 4: good`."""
    if figure.word:
        return not re.match(r"\s*[^\W\d_]", after) or figure.scale is not None
    return True


def _label_above(words: str, start: int) -> str:
    """The line above a figure that begins its line, when it may be its label."""
    above = words[max(0, start - WINDOW) : start].rstrip()
    line = above.rpartition("\n")[2].strip()
    if not line or len(line) > 60 or line[-1] in ".!?。":
        return ""
    return line if line.endswith((":", "：", "|")) else line + ": "


def _mentioned(before: str) -> Decimal | None:
    last = None
    for last in _SCALE_MENTION.finditer(before):  # noqa: B007
        pass
    return value_of(last["high"] or last["top"]) if last else None


def _criterion_of(before: str, after: str) -> str:
    """The criterion a phrase speaks of: `8/10 for clarity`, `in terms of style, I give it a 7`, `its accuracy a 7`."""
    if (named := _FOR_CRITERION.match(after)) and CRITERION.fullmatch(named["name"]):
        return named["name"]
    clause = clause_of(before)
    for named in _TERMS_OF.finditer(clause):
        if CRITERION.fullmatch(named["name"]):
            return named["name"]
    near = re.search(r"\b(?:rate|give|score|for|its|the)\s+(?:the |its )?(?P<name>\w+)(?: of [\w' ]{0,40})?(?: (?:as|at|is|an?|with|:))*\s*[\[(\x02]*$", clause)
    if near and CRITERION.fullmatch(near["name"]):
        return near["name"]
    last = re.search(r"(?P<name>\w+)\s*[(\[]?$", clause)
    return last["name"] if last and CRITERION.fullmatch(last["name"]) else ""


class _Headings:
    """The criterion or output whose heading a statement stands under."""

    _LINE = re.compile(r"^[ \x01*•-]{0,6}(?:[0-9]{1,2}[.)] ?)?(?P<title>[^\n]{1,60}?):?[ ]*$", re.MULTILINE)

    def __init__(self, words: str) -> None:
        self.places: list[int] = []
        self.titles: list[str] = []
        for found in self._LINE.finditer(words):
            title = found["title"]
            if len(title.split()) <= 6 and title[-1] not in ".!?,;。" and re.search(r"[^\W\d]", title):
                self.places.append(found.end())
                self.titles.append(title)

    def placed(self, statement: Statement) -> Statement:
        """The statement, named after its heading when that names a criterion or an output and it does not itself."""
        index = bisect_left(self.places, statement.place)
        if not index or statement.name or statement.output or statement.final:
            return statement
        title = self.titles[index - 1]
        if re.search(r"[0-9]\s*/\s*[0-9]|:.*[0-9]", title):
            return statement
        if output := OUTPUT.search(title):
            return statement._replace(output="under " + output[0])
        if FINAL.search(title):
            return statement._replace(final=True)
        if criterion := CRITERION.search(title):
            return statement._replace(name="under " + criterion[0])
        return statement
