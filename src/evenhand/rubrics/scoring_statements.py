"""Sentences that state how a score is made: a weight, an amount, a limit, a pass mark, a gate, a formula. Pure.

A number counts things ("3 seconds", "80% of the claims") or stands alone. One that stands alone beside a word about
scoring is a statement: either what holds anyway, or something the reader of rubrics cannot carry out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from evenhand.core.rules import DIMENSIONS
from evenhand.rubrics.written_weights import WORD, plain

NAMES = "|".join(DIMENSIONS)
GRADE = r"[A-F][+-]?(?![\w'])"

_PERCENT = r"(?:%|per\s?cent\b|pct\b|prozent\b|pour\s?cent\b|por\s?ciento\b)"
_POINTS = r"(?:points?\b|pts?\b\.?|punkte?n?\b|puntos?\b|punti\b|pontos?\b|marks?\b|\u5206|\u70b9)"
_TOTAL = (
    r"(?:final|total|overall|whole|composite|grade|score|mark|result|gesamt\w*|end(?:note|ergebnis\w*)|note|nota"
    r"|punktzahl|puntuaci[oó]n|punteggio|pontua[cç][aã]o)"
)
_OF_TOTAL = rf"\s+(?:of|der|des|de|del|della|da|do|du|von)\s+(?:the\s+|la\s+|le\s+|l'|el\s+|il\s+|der\s+)?{_TOTAL}"
_FUNCTION = (
    r"(?:or|and|else|otherwise|if|when|for|to|each|apiece|per|at|in|is|are|will|must|pass\w*|fails?|failed|comes?|than|on"
    r"|from|overall|total|off|deducted|deduction|penalty|bonus|as|by|out|bestanden|und|oder|ist|sind|bei|f[uü]r|et|ou|pour"
    r"|est|y|o|para|es|e|here|there|only|again|now|[eè])\b"
)
_MORE = (
    r"(?:\s+(?:or|and|oder|ou|o)\s+(?:more|less|fewer|better|worse|above|below|higher|lower|up|over"
    r"|under|mehr|plus|m[aá]s))"
)
VALUE = (
    r"(?<![\w#$\u20ac\u00a3\u00a5\u00a7/.,:])(?<!\w-)(?<!default )"
    r"(?P<number>[0-9]+(?:[.,][0-9]+)*)(?![\w]|[.,:/-][0-9])"
    r"(?!\s+(?:or|and|to|bis|oder)\s+[0-9]+(?:[.,][0-9]+)?\s+(?!or\b|and\b|is\b|are\b|for\b|in\b|to\b|points?\b)[a-z])"
    rf"(?:\s*(?P<unit>{_PERCENT}|{_POINTS}|/\s*100?\b|out\s+of\s+100?\b))?{_MORE}?"
    rf"(?={_OF_TOTAL}|\s*(?:$|-->|[.,;:)\]!?|\"\u201d\u2013\u2014<>=])|\s+-\s|\s+{_FUNCTION})"
)
"""A number that stands alone, with or without a unit: not "3 seconds", "80% of the claims", "$5" or "ISO 27001"."""

_WEIGHS = (
    rf"(?:{WORD}|weigh\w*|worth|counts?(?!\s+of\b)|accounts?\s+for|makes?\s+up|contributes?|carries|z[aä]hlt|wiegt|vaut|comptes?|p[eè]se"
    r"|cuenta|vale|pesa|conta|share|portion|responsible\s+for)"
)
_TAKES = (
    r"(?:deduct\w*|subtract\w*|minus|dock(?:s|ed)?|los(?:e|es|ing)|costs?|penali[sz]\w*|penalt\w+|takes?\s+off|points?\s+off"
    r"|malus|abzug|abz[uü]ge|abziehen|abgezogen|retir\w+|enl[eè]v\w+|rest(?:a|an|ar)|quit(?:a|an|ar)|p[eé]nalit\w+)"
)
_GIVES = r"(?:bonus(?:es)?|boni|awards?|awarded|adds?|extra\s+(?:credit|points?)|zusatzpunkte?)"
_LIMITS = (
    r"(?:caps?|capped|limit(?:s|ed)?|max(?:imum|\.)?|cannot\s+(?:go|be|rise)\s+(?:above|over|higher\s+than)|at\s+most|up\s+to|no\s+(?:more|higher|better)\s+than|cannot\s+exceed"
    r"|never\s+(?:more|higher)\s+than|ceiling|floor|h[oö]chstens|gedeckelt|begrenzt|au\s+plus|plafonn\w+|como\s+m[aá]ximo)"
)
_LIMITED = r"(?:scores?|grades?|totals?|overall|deductions?|bonus(?:es)?|penalt\w+|points?|marks?|note|nota|punkte?)"
_PASSES = (
    r"(?:(?<!tests )(?<!checks )(?<!builds )(?<!cases )pass(?:es|ed|ing)?"
    r"|fail(?:s|ed|ing)?|thresholds?|cut-?offs?|veto|rejected|disqualif\w+|bestanden|bestehen|besteht|schwelle"
    r"|durchgefallen|mindestpunkt\w*|seuil|r[eé]uss\w+|[eé]chou\w+|aprob\w+|suspend\w+|reprob\w+|umbral|soglia|limiar)"
)
_COMPARED = (
    r"(?:at\s+least|at\s+most|below|under|above|over|less\s+than|more\s+than|fewer\s+than|minimum|min\.?|no\s+less\s+than"
    r"|mindestens|unter|[uü]ber|au\s+moins|moins\s+de|al\s+menos|menos\s+de|almeno|sotto|>=?|<=?|\u2265|\u2264)"
)
_TIMES = (
    r"(?:double|twice|triple|thrice|half(?:\s+as\s+much)?|doppelt|dreifach|halb|doble|triple|le\s+double"
    r"|[x\u00d7]\s?[0-9]|[0-9]+(?:\.[0-9]+)?\s?(?:x\b|times))"
)
_RESULT = r"(?:final|overall|total|composite|end)\s*(?:score|grade|mark|result)?"
_COMBINED = r"(?:average|mean|median|sum|minimum|maximum|lowest|highest|worst|best|product)"

_CLAUSE = re.compile(r"(?<=[.;!?])\s+|;\s*|\n")
_NUMBER_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER_WORD = re.compile(
    rf"(?:(?<=\ban )|(?<=\ba )|(?<=than )|(?<=least )|(?<=most )|(?<=below )|(?<=under )|(?<=above ))"
    rf"(?:{'|'.join(_NUMBER_WORDS)})\b"
    rf"|\b(?:{'|'.join(_NUMBER_WORDS)})(?=\s+(?:or\s+(?:more|better|above|higher)|to\s+pass)\b)",
    re.IGNORECASE,
)
"""A number in words where a rule would have it: "eight or more", "more than three"."""
_NAMED_NUMBERS = re.compile(
    r"\b(?:[A-Z]{2,}|Python|Node|Java|Ruby|Go|PHP|Rust|Django|React|Bootstrap|Top|Level|Section|Chapter|Figure|Table|Page|Step|Phase|Rule"
    r"|Article|Annex|Room|Version|section|chapter|rule|page|version)"
    r"\s+[0-9][0-9.]*(?:(?:,|,? and|,? or)\s+[0-9][0-9.]*)*(?![\w%])"
)
"""Numbers that are names: ISO 27001, Python 3.11 and 3.12, section 3.1."""
_NUMBER_SPAN = re.compile(r"`[-+]?[0-9.,]+`")
_VALUE = re.compile(VALUE, re.IGNORECASE)
_SUMS = re.compile(r"\b(?:sum|add|adds|total|together|zusammen|ergeben|somme|suma)\b", re.IGNORECASE)


def _near(first: str, second: str, most: int = 40) -> str:
    """Two things within some characters of each other, in either order."""
    second_first = re.sub(r"\(\?P<(\w+)>", r"(?P<\1_>", second)
    return rf"(?:\b{first}\b.{{0,{most}}}?{second}|{second_first}.{{0,{most}}}?\b{first}\b)"


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


class Statement(NamedTuple):
    """A part of a text that says how a score is made."""

    kind: str
    """weight, amount, limit, pass mark, gate, scale, multiplier or formula."""
    words: str
    clause: str
    numbers: tuple[str, ...] = ()
    """The numbers that stand alone in its clause, with their units."""


_FRACTION = r"(?:third|quarter|fifth|sixth|seventh|eighth|ninth|tenth|twentieth)s?"
_WEIGHT = (
    _compiled(rf"\b{_WEIGHS}\b(?!\s+against).{{0,40}}?{VALUE}"),
    _compiled(rf"(?<![0-9.,])[0-9][0-9.,]*\s*(?:{_PERCENT}|{_POINTS})?{_OF_TOTAL}"),
    _compiled(
        rf"\b{_WEIGHS}\b.{{0,20}}?\b(?:ten|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|five|fifteen|half|{_FRACTION})"
        rf"(?:\s*{_PERCENT}|{_OF_TOTAL})"
    ),
)
_PART = r"(?:an?\s+)?(?:half|quarter|third|tenth)(?:\s+of)?(?:\s+an?)?"
_IN_WORDS = (
    rf"\b(?:{_PART}|an?|one|two|three|four|five)(?:\s+and\s+a\s+half)?\s+(?:full\s+|whole\s+|extra\s+|bonus\s+)?points?\b"
    r"(?!\s+of\b)"
)
_AMOUNT = (
    _compiled(_near(rf"(?:{_TAKES}|{_GIVES})", VALUE)),
    _compiled(_near(rf"(?:{_TAKES}|{_GIVES}|takes?\s+away|earns?|gains?|gets?|extra|each|apiece)", _IN_WORDS, 20)),
)
TAKES, GIVES = _compiled(rf"\b{_TAKES}\b"), _compiled(rf"\b{_GIVES}\b")
_LISTED = r"(?:red\s+flags?|deduct\w*|bonus(?:es)?|penalt\w+|abz[uü]ge?)"
_LIMIT = (
    _compiled(rf"\A(?=.*\b{_LISTED}\b).*\b(?:{_LIMITS}|more\s+than|fewer\s+than|less\s+than|at\s+least)\b.*?[0-9]"),
    _compiled(
        rf"\b{_LISTED}\b.{{0,20}}?\b(?:not\s+capped|uncapped|unlimited|no\s+(?:cap|limit)|without\s+(?:a\s+)?(?:cap|limit))\b"
    ),
    _compiled(rf"\A(?=.*\b{_LIMITED}\b).*\b{_LIMITS}.{{0,25}}?{VALUE}"),
    re.compile(rf"(?i:\b{_LIMITS}\b).{{0,25}}?\b(?i:grade|at|to|of)\s+(?:an?\s+)?{GRADE}"),
)
_PASS = (
    _compiled(rf"(?:^|\s){_COMPARED}\s+[0-9]+(?:[.,][0-9]+)?\s*:(?![0-9])"),
    re.compile(r"\b[A-F][+-]?\s*(?:=|:|\u2265|>=)\s*[0-9]"),
    re.compile(r"(?:\u5408\u683c|\u53ca\u683c|\ud569\uaca9).{0,10}?[0-9]|[0-9].{0,10}?(?:\u5408\u683c|\u53ca\u683c)"),
    _compiled(rf"{_near(_PASSES, VALUE, 60)}"),
    re.compile(rf"(?:^|\s|\()(?:[Aa]n?\s+)?{GRADE}\s+(?:or\s+(?:better|above|higher)\s+)?(?i:{_PASSES})\b"),
    re.compile(
        rf"\b(?:[Aa]n?\s+|graded\s+){GRADE}\s*(?i:or\s+(?:better|above|higher)|requires?|needs?|starts?|begins?)\b"
    ),
    re.compile(rf"(?i:\b{_PASSES}\b.{{0,20}}?\b(?:at|from|with|of|is|a|an)\s+){GRADE}"),
)
_NORM = _compiled(
    r"\b(?:must|may|requires?|required|needs?|accept\w*|reject\w*|return(?:s|ed)?|merge[ds]?|approv\w+|ship(?:s|ped)?"
    r"|releas\w+|reach(?:es)?|minimum|min\.?|target|goal|muss|mindestens|doit|debe|deve)(?!\w)"
)
"""Words that make a rule of a number."""
_SCORED = _compiled(
    r"\b(?:dimensions?|scor(?:e|es|ed|ing)|grade[ds]?|totals?|overall|outputs?|results?|marks?|answers?|dimensionen|note|nota)\b"
)
_ACCEPTED = _compiled(rf"^\W*(?:accept|approve|merge|ship|release|reject)\w*\b.{{0,12}}?{VALUE}")
_NAMED = re.compile(
    r"(?:[A-Z][\w.+-]*|version|section|rule|pages?|chapter|room|step|phase|level|table|figure|item|code|status|error|port|lines?"
    r"|top|number|no\.?|nr\.?|between|and|from|to|about|around|of|or)\s+$"
)
"""What makes a number a name, or part of a range: ISO 27001, Python 3.12, section 3.1, between 5 and 7."""
_GATE = _compiled(_near(rf"(?:{NAMES})", rf"\s?{_COMPARED}\s*(?:an?\s+|of\s+)?{VALUE}", 20))
_GATE_ZERO = _compiled(rf"\b(?:zero|0)\s+(?:points?\s+)?(?:for|in|on)\s+(?:{NAMES})\b")
_GATE_FLAG = _compiled(
    r"\b(?:any|one|a(?:\s+single)?)\s+red\s+flags?\b.{0,20}?\b(?:cannot|can't|never|does\s+not|must\s+not|may\s+not)\s+pass"
    r"|\b(?:any|one|a(?:\s+single)?)\s+red\s+flag\s+(?:means|is|gives|fails)\b"
)
_GATE_AFTER = _compiled(rf"\b(?:{_COMPARED})\s*{VALUE}.{{0,12}}?\b(?:{NAMES})\b")
_SCALE = _compiled(
    r"\A(?=.*\b(?:scal(?:e|ed)|scor(?:e|es|ed|ing)|rat(?:e|ed|es|ing))\b).*(?<![\w.,-])"
    r"(?:0\s*(?:-|\u2013|to|bis)\s*[0-9]+|1\s*(?:-|\u2013|to|bis)\s*(?:5|7|20|100))\b(?!\s*(?:-|[a-z]+s\b))"
)
_OUT_OF = _compiled(
    r"\b(?:scor(?:e|es|ed|ing)|rat(?:e|ed|es|ing)|points?)\b.{0,20}?\bout\s+of\s+(?!10\b)[0-9]+(?!\s+[a-z]+s\b)"
    r"|\b(?:scale|skala|[eé]chelle|escala)\W+(?:(?:of|from|is|von|de)\W+)*[01]\s*(?:-|\u2013|to|bis|[aà])\s*(?!10\b)[0-9]+"
)
_MULTIPLIER = (
    _compiled(rf"\b{_WEIGHS}\b(?:\s+\w+){{0,3}}?\s+{_TIMES}(?!\w)"),
    _compiled(rf"\b(?:{NAMES})\s*[:\u2013\u2014-]?\s*{_TIMES}(?!\w)"),
    _compiled(
        r"\b(?:equal|same)\s+weights?\b|\bequally\s+weighted\b|\b(?:weigh\w*|counts?)\s+(?:equally|the\s+same|alike)\b"
        r"|\b(?:double|twice|half|three\s+times|3\s+times)\s+as\s+(?:important|heavy|much)\b"
        rf"|\bonly\s+(?:{NAMES})\b.{{0,40}}?\bcounts?\b|\b(?:{NAMES})\b.{{0,15}}?\b(?:not|never)\s+(?:counted|scored|weighted)\b"
    ),
    _compiled(rf"\b{_WEIGHS}\s+as\s+much\s+as\b|\b(?:{NAMES})\s+{_TIMES}(?!\w)"),
    _compiled(
        r"\b(?:score|grade|mark|total)s?\s+(?:is|are|gets?)\s+(?:halved|doubled|tripled|zeroed)\b"
        r"|\b(?:halve|double|triple|zero)s?\s+(?:out\s+)?the\s+(?:score|grade|mark|total)\b"
    ),
    _compiled(r"\b(?:multipl\w+|faktor|factor)\W*(?:by|of|is|von)?\W*[x\u00d7]?\s*[0-9.,]+\W*$"),
)
_NUMBER = r"[0-9]+(?:[.,][0-9]+)?\s*%?"
_OPERATOR = r"\s*[*\u00d7x\u00b7+/]\s*"
_FORMULA = (
    _compiled(
        rf"(?<![\w/])(?:{_NUMBER}|(?:{NAMES})\)?){_OPERATOR}\(?(?:{NAMES})\b|\b(?:{NAMES})\)?{_OPERATOR}\(?(?:{NAMES}|{_NUMBER})"
    ),
    _compiled(r"\b(?:scores?|grades?|totals?|marks?)\b.{0,25}?\bround(?:ed|ing)?\b.{0,30}?(?:[0-9]|half|whole)"),
    _compiled(rf"\b{_COMBINED}\b.{{0,12}}?\band\s+drop\b"),
    _compiled(
        r"\b(?:drop|ignore|discard|exclude)\b.{0,8}?\b(?:lowest|highest|worst|best)\s+(?:dimension|score|mark)s?\b"
    ),
    _compiled(rf"^\W*(?:{_RESULT}|score|grade)\s*(?:score|grade)?\s*:?=\s*\S"),
    _compiled(
        rf"\b{_RESULT}\b.{{0,20}}?\b(?:is|equals|=|by)\b.{{0,20}}?(?<!weighted )\b{_COMBINED}\b"
        rf"|\b{_COMBINED}\b.{{0,25}}?\b(?:decides|determines|sets|gives|is|becomes)\b.{{0,12}}?\b{_RESULT}\b"
    ),
)
_KINDS: tuple[tuple[str, tuple[re.Pattern[str], ...]], ...] = (
    ("formula", _FORMULA),
    ("multiplier", _MULTIPLIER),
    ("gate", (_GATE, _GATE_AFTER, _GATE_ZERO, _GATE_FLAG)),
    ("pass mark", _PASS),
    ("weight", _WEIGHT),
    ("limit", _LIMIT),
    ("amount", _AMOUNT),
    ("scale", (_SCALE, _OUT_OF)),
)
_LONGEST = 600
"""A longer clause is searched at its ends only."""


def statements(text: str) -> Iterator[Statement]:
    """What a text says about the making of scores, at most one statement a clause."""
    text = _NUMBER_WORD.sub(lambda match: str(_NUMBER_WORDS.index(match[0].lower()) + 2), text)
    readable = _NAMED_NUMBERS.sub("name", plain(_NUMBER_SPAN.sub("number", text)))
    for clause in _CLAUSE.split(readable):
        if len(clause) > _LONGEST:
            clause = f"{clause[: _LONGEST // 2]} {clause[-_LONGEST // 2 :]}"
        statement = _statement(clause)
        if statement is not None:
            yield statement


_MAYBE = re.compile(
    rf"[0-9=+*\u00d7]|\b[A-F]\b|{_COMBINED}|double|twice|triple|thrice|half|halv|halb|doppelt|dreifach|doble"
    r"|points?|as (?:much|important|heavy)|percent|quarter|third|equal|same|only"
    r"|(?:fif|six|seven|eigh|nin|ten|twentie)ths?\b"
    r"|counted|scored|weighted|alike|zero|capped|limit|red flag",
    re.IGNORECASE,
)
"""Without any of these a clause states nothing, and most clauses have none."""


def _statement(clause: str) -> Statement | None:
    if not _MAYBE.search(clause):
        return None
    numbers = tuple(f"{match['number']}{(match['unit'] or '').strip()}" for match in _VALUE.finditer(clause))
    rule = _rule(clause)
    if rule is not None:
        return Statement("pass mark", rule, clause, numbers)
    for kind, patterns in _KINDS:
        for pattern in patterns:
            match = pattern.search(clause)
            if match and not (kind in ("weight", "amount") and _is_sum(clause, numbers)):
                return Statement(kind, match[0].strip(), clause, numbers)
    return None


def _rule(clause: str) -> str | None:
    """A rule that a score must meet: "No dimension may score below 5", "Outputs scoring less than 7.5 are returned"."""
    accepted = _ACCEPTED.search(clause)
    if accepted:
        return accepted[0].strip()
    if not (_NORM.search(clause) and _SCORED.search(clause)):
        return None
    for match in _VALUE.finditer(clause):
        on_scale = re.fullmatch(r"(?:[0-9]|10)(?:[.,][0-9]{1,2})?", match["number"])
        named = _NAMED.search(clause[: match.start()])
        if match["unit"] or (on_scale and not (named and not _NORM.match(named[0]))):
            return clause.strip()
    return None


def _is_sum(clause: str, numbers: tuple[str, ...]) -> bool:
    """Whether a clause says what the weights sum to, which holds for all."""
    return bool(_SUMS.search(clause)) and all(number.rstrip("% ") in ("1", "1.0", "100") for number in numbers)


_SETTING = re.compile(
    r"(?P<label>[^\W\d][^:=]{0,50}?)\s*(?:[:=]|\s[\u2013\u2014-]\s)\s*[-+~\u2248<>=\u2265\u2264]*\s*[x\u00d7]?\s?"
    rf"(?P<number>[0-9]+(?:[.,][0-9]+)*)\s*(?P<unit>{_PERCENT}|{_POINTS}|/\s*100?|x\b)?\W*"
    r"|:\s*(?P<bare>[0-9]+(?:[.,][0-9]+)*)\s*(?:%|points?)?\W*",
    re.IGNORECASE,
)
_DATA = re.compile(
    r"(?:v|version|date|updated|last\s+(?:updated|changed|reviewed)|year|pages?|rev(?:ision)?|created|changed|since|reviewed|issue|ticket|id"
    r"|room|section|chapter|figure|table|edition|phone|port|step|no\.?|nr\.?|number|example|run|sample|score|rating|stand|datum|seite|jahr"
    r"|fecha|p[aá]gina|n[uú]mero|a[nñ]o|ann[eé]e|date|schema|sdk|python|seed|temperature)(?:\s+(?:date|number|id))?",
    re.IGNORECASE,
)
"""Labels whose number is data about the rubric, not a setting of it."""


class Setting(NamedTuple):
    """A line that is a label and a number, and nothing else."""

    label: str
    number: str


def setting_in(line: str) -> Setting | None:
    """The setting that a line is: `Threshold: 8`, `Max = 40 points`; None for a sentence, a version or a date."""
    text = re.sub(r"^[-+*>#\s{(\[]+:?\s*(?=[^\W\d])|[})\]]+$", "", plain(line[:200].replace('"', ""))).rstrip("., ")
    match = _SETTING.fullmatch(text)
    if match is None:
        return None
    label = (match["label"] or "").strip()
    if len(label.split()) > 5 or _DATA.fullmatch(label):
        return None
    return Setting(label, match["bare"] or f"{match['number']}{(match['unit'] or '').strip()}")


_LONE = re.compile(
    rf"\W*x?\s*[0-9]+(?:[.,][0-9]+)*\s*(?:{_PERCENT}|{_POINTS}|x\b|/\s*100?\b)?"
    r"(?:\s+(?:available|max|maximum|total|possible|each|in total))?\W*",
    re.IGNORECASE,
)
_YEAR_OR_PLACE = re.compile(r"[0-9]{4}|[0-9]+[.)]")


def lone_number(line: str) -> str | None:
    """The number that a line consists of: `**40%**`, `(40 points)`; None for any other line."""
    text = plain(line[:80])
    return text if _LONE.fullmatch(text) and not _YEAR_OR_PLACE.fullmatch(text) else None


_IN_DIMENSION = re.compile(
    r"\b(?:cap(?:s|ped)?|at\s+most|never|no\s+more\s+than|not\s+(?:score|give|go|award)\s+(?:above|over|more\s+than)|max(?:imum)?"
    rf"|at\s+least|less\s+than|automatic(?:ally)?|limit(?:ed|s)?)\b.{{0,25}}?{VALUE}",
    re.IGNORECASE,
)


def limit_in_dimension(text: str) -> str | None:
    """A limit for the score of the dimension it stands under: "cap this at 4", "at most 5 if no tests exist"."""
    for clause in _CLAUSE.split(plain(text)):
        match = _IN_DIMENSION.search(clause[:_LONGEST])
        if match and re.fullmatch(r"(?:[0-9]|10)(?:[.,][0-9]{1,2})?", match["number"]):
            return match[0].strip()
    return None


_PART_SHARE = re.compile(
    rf"(?P<label>[^\W\d]\w*(?:\s+[^\W\d]\w*){{0,3}})\s*[(\[]?\s*(?P<number>[0-9]+(?:[.,][0-9]+)?)\s*(?P<unit>{_PERCENT}|{_POINTS})\s*[)\]]?",
    re.IGNORECASE,
)
_WORD_WEIGHT = re.compile(
    rf"{WORD}\W*[:=]\W*(?:very\s+)?(?:high|low|medium|mid|normal|major|minor|double|half|hoch|mittel|niedrig|[\u2605\u2606\u25cf\u25cb]+)\W*",
    re.IGNORECASE,
)
_WITHOUT_LETTERS = re.compile(r"(?=.*[0-9])(?=.*[^\s.,:;/()0-9\u2013\u2014+#-])[^a-zA-Z]*")


def share_in(line: str) -> str | None:
    """A line that is a part with its share, a weight in words, or signs and numbers: `Sources (60%)`."""
    text = re.sub(r"^[-+*>#\s]+", "", plain(line[:200]))
    if _PART_SHARE.fullmatch(text) or _WORD_WEIGHT.fullmatch(text):
        return text
    without = _WITHOUT_LETTERS.fullmatch(text) and not any(sign.isalpha() for sign in text)
    return text if without else None
