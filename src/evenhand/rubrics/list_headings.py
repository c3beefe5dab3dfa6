"""Recognises headings of red-flag and bonus lists in their many spellings. Pure."""

from __future__ import annotations

import re
from enum import Enum


class ListKind(Enum):
    """What the list under a heading holds."""

    RED_FLAGS = "red_flags"
    BONUSES = "bonuses"
    BOTH = "both"
    """Red flags and bonuses in one list; the sign of the amount tells them apart."""
    FAILS = "fails"
    """Reasons to fail outright: red flags only if each has an amount."""


_RED_FLAGS = r"red[ -]?flags?"
_BONUS = r"bonus(?:es)?|boni"
_FLAGS = "|".join(
    (
        _RED_FLAGS,
        r"(?:auto|score|point)?[ -]?deductions?|penalt(?:y|ies)|penali[sz]ations?|demerits?|malus|subtractions?",
        r"(?:minus|negative|lost)[ -]points?|points?[ -](?:lost|off|deducted)|loss(?:es)? of points",
        r"abz[uü]ge?|punkteabz[uü]ge?|minuspunkte|rote flaggen",
        r"warnsignale?|warnzeichen|warning signs?|drapeaux rouges|signaux d['\u2019]alerte|signaux d['\u2019]alarme",
        r"se[nñ]ales de (?:alerta|alarma)|banderas rojas|segnali d['\u2019]allarme|bandiere rosse",
        r"sinais de alerta|bandeiras vermelhas",
        r"rode vlaggen|r[oö]da flaggor|czerwone flagi|красные флаги",
        r"危険信号|レッドフラグ|危险信号|红旗|警告信号|레드 플래그",
        r"p[eé]nalit[eé]s?|d[eé]ductions?|penalizaci(?:[oó]n|ones)|扣分\w*|减分\w*",
    )
)
_BONUSES = "|".join(
    (
        _BONUS,
        r"bonus[ -]points?|extra[ -](?:credits?|points?|marks)|additional (?:credit|points)",
        r"(?:plus|positive|brownie)[ -]points?|green[ -]?flags?|kudos|above and beyond",
        r"zusatzpunkte|pluspunkte|bonuspunkte|加分\w*",
        r"bonificaci(?:[oó]n|ones)|puntos extra|punti bonus|pontos b[oô]nus|ボーナス|бонус\w*",
    )
)
_FAILS = "|".join(
    (
        r"hard[ -]?(?:blocks?|blockers?|fails?|failures?|stops?|gates?|limits?)|blockers?",
        r"blocking (?:issues?|conditions?|faults?)|zero[ -]tolerance|veto(?:es|s)?|ausschlusskriterien",
        r"auto(?:matic(?:ally)?)?[ -]?(?:fail(?:s|ures?|ing|ed)?|reject(?:s|ions?|ed)?|zero(?:s|es)?|disqualif\w+)",
        r"(?:instant|immediate|outright)[ -](?:fail(?:s|ures?)?|reject(?:s|ions?)?)|disqualif\w+",
        r"(?:deal|show)[ -]?(?:breakers?|stoppers?|killers?)|knock[ -]?outs?(?: criteria)?",
        r"k\.?o\.?[ -](?:criteria|kriterien)|fail(?:ure|ing)?[ -](?:conditions?|criteria|if|when)",
        r"(?:critical|fatal|catastrophic)[ -](?:fail(?:ure)?s?|errors?|flaws?|faults?|violations?)",
        r"(?:score|grade) caps?",
    )
)
_ABOUT = re.compile(
    r"\s*(?:\d+[.)]\s*)?(?:how|why|about|notes?|explanation|explaining|background|using|examples?)\b", re.IGNORECASE
)
_WORDS = re.compile(r"[^\W_]+")
_MOST_WORDS = 8
"""A longer line is a sentence that mentions flags, not a heading over them."""


def list_kind(heading: str) -> ListKind | None:
    """Which list a heading announces."""
    if _ABOUT.match(heading):
        return None
    flags, bonuses = _has(_FLAGS, heading), _has(_BONUSES, heading)
    if flags and bonuses:
        return ListKind.BOTH
    if _has(_FAILS, heading) and not _has(_RED_FLAGS, heading):
        return ListKind.FAILS
    if flags:
        return ListKind.RED_FLAGS
    if bonuses:
        return ListKind.BONUSES
    signed = _SIGNED.search(heading)
    if signed is None:
        return None
    return ListKind.BONUSES if signed["sign"] == "+" else ListKind.RED_FLAGS


_SIGNED = re.compile(
    r"(?:[(\[:,]|\s)\s*(?P<sign>[-\u2212+])[0-9]+(?:[.,][0-9]+)?\s*"
    r"(?:points?|pts?\.?|punkte?|puntos)?\s*(?:each|apiece|je|chacun|cada uno)?\s*[)\]]?:?$",
    re.IGNORECASE,
)
"""A heading with an amount heads a list whatever its words are: `Anti-patterns (-0.5 each)`."""

_FOR_READERS = re.compile(
    r"(?<![^\W_])(?:overview|introduction|intro|summary|abstract|purpose|scope|background|context|audience|when|who|where"
    r"|usage|use|instructions?|guid(?:es?|ance|elines?)|process|procedure|workflow|steps?|method\w*|notes?|remarks?|tips?"
    r"|advice|hints?|faq|questions?|q&a|terms|terminology|definitions?|vocabulary|sources|further reading|links"
    r"|resources|credits|acknowledge?ments?|authors?|contacts?|maintainers?|dimensions?|scoring|scores?|scale|bands?"
    r"|levels?|legend|weights?|weighting|outputs?|format|inputs?|principles?|philosophy|rationale|assumptions?|limitations?"
    r"|evidence|checklists?|domain|tasks?|judges?|judging|reviewers?|evaluators?|evaluation|graders?|grading|raters?"
    r"|persona|role|readers?|anchors?|environment|setup|team|people|tools?|pass mark|contents|appendix|see also"
    r"|hinweise?|[uü]berblick|[uü]bersicht|einleitung|einf[uü]hrung|zweck|anleitung|glossar|quellen|anmerkungen"
    r"|bemerkungen|gewichte|dimensionen|remarques?|aper[cç]u|pr[eé]sentation|contexte|objectifs?|r[eé]f[eé]rences"
    r"|notas|resumen|introducci[oó]n|contexto|objetivos?|referencias|panoramica|概要|说明|説明|背景|メモ|备注|参考)(?![^\W_])"
    r"|^\W*(?:[0-9.]+\s*)?(?:how|why|about|what\b(?! (?:costs?|loses?|fails?|earns?|counts? against))"
    r"|in scope|out of scope)",
    re.IGNORECASE,
)
_EXAMPLES = re.compile(
    r"(?<![^\W_])(?:examples?|samples?|calibration|illustrations?|changelog|changes|history|versions?|revisions?"
    r"|references?|bibliography|glossary|licen[cs]e|beispiele?|exemples?|ejemplos?|esempio?|exemplos?|voorbeeld(?:en)?"
    r"|示例|例|[aä]nderungen)(?![^\W_])",
    re.IGNORECASE,
)


_CRITERIA = re.compile(
    r"\W*(?:[0-9.]+\s*)?(?:(?:dimension|scoring|evaluation|assessment|grading|judging)\s*)?criteria\W*", re.I
)
_FAULTS = re.compile(
    r"(?<![^\W_])(?:bad|forbid\w*|reject\w*|violat\w*|errors?|fail\w*|problems?|faults?|exclu\w*|mistakes?|offen[cs]es?"
    r"|breach\w*|abuse|misuse"
    r"|wrong|never|avoid\w*|don'?t|must not|unaccept\w*|penal\w*|reduc\w*|negativ\w*|contra|dangers?|smells?"
    r"|anti-?patterns?|lies|gates?"
    r"|multipliers?|caps?|fehler|verbot\w*|erreurs?|errores)(?![^\W_])",
    re.IGNORECASE,
)
_OF_JUDGES = re.compile(
    r"(?<![^\W_])(?:notes?|judges?|judging|reviewers?|graders?|raters?|evaluators?)(?![^\W_])", re.I
)


def is_for_readers(heading: str) -> bool:
    """Whether a heading says that its text only informs: Overview, Notes, How to judge, Changelog."""
    if _FAULTS.search(heading) and not _OF_JUDGES.search(heading):
        return False
    return bool(_FOR_READERS.search(heading) or _CRITERIA.fullmatch(heading)) or is_example(heading)


def is_example(heading: str) -> bool:
    """Whether the numbers under a heading are those of an example or of another document."""
    return _EXAMPLES.search(heading) is not None


def lead_kind(lead: str) -> ListKind | None:
    """Which list a short line right above it announces: `**Deductions:**`, `Automatic fail if:`."""
    short = len(_WORDS.findall(lead)) <= _MOST_WORDS
    heading_like = lead.rstrip().endswith((":", "**", "__"))
    return list_kind(lead) if short and heading_like else None


def is_ours(heading: str) -> bool:
    """Whether a heading uses our own words, red flags or bonuses."""
    return _has(_RED_FLAGS, heading) or _has(_BONUS, heading)


def mentions_list(heading: str) -> bool:
    """Whether a heading is about red flags or bonuses, without announcing a list of them."""
    return list_kind(heading) is None and any(_has(words, heading) for words in (_FLAGS, _BONUSES, _FAILS))


def _has(words: str, text: str) -> bool:
    return re.search(rf"(?<![^\W_])(?:{words})(?![^\W_])", text, re.IGNORECASE) is not None
