"""Verdicts in sentences: `Output (a) is better`, `I prefer the second answer`, `回答2更好`, `both are equally good`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evenhand.replies.prose.prose_lines import line_start
from evenhand.replies.verdicts.verdict_marks import Choice
from evenhand.replies.verdicts.verdict_sides import LONE_SIDE, SIDE, numbered, side_of
from evenhand.replies.verdicts.verdict_words import (
    ALIKE,
    BETTER,
    CONCLUDING,
    CONDITION,
    LABELS,
    NEGATION,
    NO_ASPECT,
    OUTPUTS,
    PREFER,
    RUNNING,
    TIE,
    WORSE,
    any_of,
)

_COPULA = any_of(
    "is was are were seems appears remains be been being has provides gives offers produces presents delivers",
    "comes_out_as did",
    "provided gave offered produced presented delivered had does would_be ranks ranked performs performed fares",
    "works worked",
    "answers answered responds responded comes_out",
    "clearly_is ist war wäre bleibt liefert bietet gibt hat est était reste fournit offre donne a es era ofrece da",
    "è era resta fornisce offre dà é foi oferece fornece dá является остается дает",
)
_ADVERB = any_of(
    "the a an slightly much clearly significantly marginally overall far bit somewhat generally definitely also",
    "still therefore",
    "thus considered deemed judged rated indeed simply just even notably considerably substantially ultimately",
    "by to_be as",
    "actually my only arguably obviously certainly really little lot quite objectively on_balance",
    "all_things_considered way",
    "two both strictly likely probably personal overall_the",
    "die der das eine deutlich etwas klar viel leicht insgesamt eindeutig daher also la le une un légèrement",
    "nettement bien",
    "globalement clairement donc el los una ligeramente claramente mucho notablemente en_general il lo leggermente",
    "decisamente nettamente nel_complesso o os uma ligeiramente muito claramente no_geral явно немного",
    "значительно гораздо",
    "намного в_целом заметно",
)
_OWNED = rf"(?:['’]s?)?(?:\s(?:own )?{OUTPUTS})?"
_GAP = rf"{_OWNED}[\s,()]*(?:(?:{_COPULA}|{_ADVERB})[\s,]*){{0,7}}"
_SCRIPT_GAP = r"[^.,。，、;；:\n]{0,14}?"
_GOES_ON = (
    r"(?=\s*(?:$|[.,;:!?)\]—–\n(\x01\x02|]|-\s)|\s(?:than|als|que|di|do que|della?|dell'|alla|da|чем|because"
    r"|since|as|due|overall|and|but|so|here"
    r"|for (?:these|this|the) (?:\w+ )?reasons?|in (?:this|every|all|both|my|general)|by|weil|car|porque|perche"
    r"|poiche|потому|من|لان|لانه|لانها"
    r"|insgesamt|globalement|of the two|of both|the (?:first|second|other|former|latter|better)|one|choice"
    r"|option|fit|match|because of|to|over|ответ\w*|модел\w+|thanks"
    rf"|in comparison|compared|when|with|too|as well|also|{OUTPUTS}|performance|quality|job(?! (?:of|at|in)))\b)"
)
_WINS = re.compile(rf"{SIDE}{_GAP}(?P<better>{BETTER}){_GOES_ON}")
_LONE_WINS = re.compile(rf"{LONE_SIDE}(?=\s(?:is|was|wins|ist|est|es|e)\b){_GAP}(?P<better>{BETTER}){_GOES_ON}")
_LOSES = re.compile(rf"{SIDE}{_GAP}(?:{WORSE}|not as good|nicht so gut|moins bien)(?: than| to| as|{_GOES_ON})")
_LONE_LOSES = re.compile(
    rf"{LONE_SIDE}\s(?:(?:is|was) (?:\w+ly )?(?:{WORSE})(?: than|{_GOES_ON})|(?:loses|lost)\b{_GOES_ON})"
)
_OVERCOMES = (
    r"(?:beats?|defeats?|outperforms?|outshines?|outdoes|surpasses|trumps|tops|edges out|wins over|schlagt|ubertrifft"
    r"|bat|surpasse|supera|batte|vence a|превосходит)"
)
_BEATS = re.compile(rf"{LONE_SIDE}\s(?:\w+ly )?{_OVERCOMES}\s(?:the |la |die )?{numbered(LONE_SIDE)}")
_IS_BEATEN = re.compile(
    rf"{LONE_SIDE}\s(?:is|was) (?:\w+ly )?(?:beaten|defeated|outperformed|outshone|outdone|surpassed|edged out) by\s"
    rf"(?:the )?{numbered(LONE_SIDE)}"
)
_SCRIPT_LONE_WINS = re.compile(
    rf"(?<![^\W_])\(?(?P<bare>[ab])\)?\s?(?:の方|のほう)?(?:が|は|가|이|는|은|更|比){_SCRIPT_GAP}(?P<better>{BETTER})"
)
_SCRIPT_WINS = re.compile(
    rf"{SIDE}(?!\s?(?:より|보다|से)){_SCRIPT_GAP}(?P<better>{BETTER})(?!地|的(?!回答|答案|选择|回复|那个|一个))"
)
_SCRIPT_LOSES = re.compile(rf"{SIDE}(?!\s?(?:より|보다|से)){_SCRIPT_GAP}{WORSE}")
_EDGE = re.compile(
    rf"{SIDE}{_GAP}(?:(?:slight |clear |small |narrow |strong )?(?:edge|advantage|upper hand)\b|edges? out\b"
    rf"|higher\b(?= than|\.|$)"
    rf"|ahead\b|did better\b{_GOES_ON})(?! in\b| at\b)"
)
_RANKS = re.compile(
    rf"\b(?:rank|rate|place|put|consider|find|deem)\s(?:the )?{SIDE}(?: \w+){{0,2}}? (?:higher|above|first|better)\b"
)
_SCRIPT_PREFERS = re.compile(rf"{SIDE}(?:の方)?(?:を|를|을|को)\s?(?:選|推奨|선택|추천|चुन)")
_CORRECTS = re.compile(
    r"\b(?:actually|correction|wait|scratch that|rather|on (?:reflection|second thoughts?)|no|i meant"
    r"|make that)[,:—– -]+"
    rf"(?:it(?:'s|’s| is) |the |make that |i meant )*{LONE_SIDE}(?=\s*(?:$|[.,;!]|is\b))"
)
_IF_FIRST = re.compile(r"\W*(?:(?:if|unless|wenn|falls|si|se|если)\b|如果|假如|若|もし|만약|لو |اذا |अगर|यदि)")
_BEST_IS = re.compile(
    rf"(?:{BETTER})\s(?:{OUTPUTS}|one|choice|option)?\s?(?:overall )?(?:is|was|goes to|ist|est|es|e|—|это)\s(?:\w+ly )?"
    rf"(?:the |die |la |el |der |a |that of |from |clearly )*{numbered(LONE_SIDE)}"
)
_FAVOUR = re.compile(
    rf"\b(?:in favou?r of|(?:victory|win|verdict|preference|point|edge|nod) goes to|advantage(?: goes)? to"
    rf"|zugunsten von"
    rf"|en faveur de|a favor de|a favore di|в пользу)\s(?:the |der |la |el )*{numbered(LONE_SIDE)}"
)
_WINNER_LAST = re.compile(
    r"\b(?:gewinnt|siegt|gana|vence|vince|gagne|выигрывает|побеждает|يفوز|تفوز|meglio|mejor|mieux|melhor"
    r"|besser ist|лучше)"
    rf"\s(?:die |der |la |el |le |il |a |o )*(?:{SIDE}|\(?(?P<bare>[ab])\)?(?=[\s,.;!]|$))"
)
_FIRST_PERSON = r"(?:\b(?:i|we|i'd|i’d|i'll|i’ll|ich|je|yo|io|eu|я)\b[^.,;:!?\n]{0,30}?|^[^\w]*)"
_PREFERS = re.compile(
    rf"{_FIRST_PERSON}{PREFER}\s?(?:the |die |der |la |el |a |o |for |fur |to |that |\w+ly )*"
    rf"(?:{numbered(SIDE)}|{numbered(LONE_SIDE)}(?=\s*(?:$|[.,;:!)]|over|because|as|since)))"
)
_TIED = re.compile(
    rf"(?:\b(?:it(?:'s|’s| is)|this is|call it|call this|is|as|declare|be|result|verdict|:|ends? in"
    rf"|consider (?:it|this))\s?:?\s"
    rf"(?:therefore |thus |essentially |basically |a |an |close to )*(?:tie|draw)\b(?! (?:a|the|up|to)\b))"
    rf"|^[\s*#>-]*(?:a |it's a |overall:? |verdict:? |final verdict:? )*(?:tie|draw)(?:[\s.!*]*$|\s?[,:;—–])"
    r"|[;:,—–]\s?(?:a )?(?:tie|draw)[\s.!]*$"
    rf"|\b(?:no clear|no obvious|no) (?:winner|difference in (?:overall )?quality)\b"
    rf"|\bneither (?:{OUTPUTS} |one |of (?:them|the two) )?(?:is|was) (?:\w+ )?(?:better|superior|stronger|preferable)"
)
_TIED_ABROAD = re.compile(TIE)
_BOTH = re.compile(
    r"\b(?:both|two|they|responses|answers|outputs|assistants|models|beide|antworten|deux|reponses|ambas|ambos"
    r"|respuestas|entrambe"
    r"|entrambi|risposte|duas|dois|respostas|оба|обе|ответы)\b|两个|兩個|两者|兩者|双方|両方|両者|どちらも|둘|두"
    r"|모두|كلا|كلتا|दोनों"
)
_ALIKE = re.compile(ALIKE)
_LABELLED = re.compile(r"[\W\d]*((?:[^\W\d_]+[ &/-]{0,3}){1,4}):[\s\x02]")
_WHOLE = re.compile(f"{LABELS}|{CONCLUDING}|{NO_ASPECT}")
_NAMES_SIDE = re.compile(SIDE)
_DEGREE = r"(?:slightly|narrowly|marginally|clearly|probably|definitely|easily|just|barely|by (?:a |far)[^.,;\n]{0,20})"
_ENDS_WITH_SIDE = re.compile(
    rf"(?:^|[\n.!?;:,—–]\s*)(?:(?:{CONCLUDING}|{_DEGREE})[,:]?\s|not (?:the )?{LONE_SIDE},? but )"
    rf"(?:the )?(?:{numbered(SIDE)}|\(?(?P<bare_last>[ab])\)?)(?:,? {_DEGREE})?[\s.!]*$"
    rf"|(?:^|[\n.!?]\s*)(?:{numbered(SIDE)}|\(?(?P<bare_end>[ab])\)?)(?:,? {_DEGREE})?[\s.!]*$"
)
"""A text that ends with a side: `Therefore: A`, `not A but B`, `Option B, slightly.`, `... B.`"""
_OTHERS_SAY = re.compile(
    r"\b(?:users?|people|some|others|readers|many|one|someone|reference|author|human|humans|instruction"
    r"|prompt) (?:\w+ )?(?:may|might|could"
    r"|would|can|asks?|said|says|claims?|states?|prefers?|thinks?|believes?)\b|\b(?:claims?|claimed|says|said"
    r"|states|asserts|suggests"
    r"|insists|argues|behauptet|affirme|afirma|sostiene|утверждает)\b(?: that)?"
)
_NOT = re.compile(NEGATION)
_NO_TIE = re.compile(r"\b(?:not|no (?:es|hay|e)|keine?n?|pas|non (?:e|c'e)|nao|не)\b|不是|并非|ではな|아니|ليس")
_AT_FIRST = re.compile(
    any_of("initially originally at_first at_first_glance first_impression zunächst auf_den_ersten_blick",
           "à_première_vue",
           "au_premier_abord a_primera_vista al_principio inicialmente a_prima_vista inizialmente",
           "à_primeira_vista сначала",
           "на_первый_взгляд 乍一看 起初 一見 最初は 처음에는 언뜻 للوهلة_الأولى पहली_नज़र")
)  # fmt: skip
_CONCEDES = re.compile(
    r"(?:^|[,;:])\W*(?:(?:while|although|though|even though|even if|whereas|despite|obwohl|wahrend|bien que"
    r"|meme si|aunque|sebbene"
    r"|anche se|embora|хотя)\b|虽然|雖然|尽管|たとえ|비록|رغم|हालांकि)[^,;，、]*$"
)
"""A concession: what it grants is not the verdict."""
_BUT = re.compile(r"\b(?:but|however|yet|aber|jedoch|mais|pero|ma|mas|но|однако)\b|但|しかし|が、|하지만|لكن|लेकिन")
_IF = re.compile(CONDITION)
_CONCLUDES = re.compile(CONCLUDING)
_SENTENCE = re.compile(r"[^\n.!?。！？।]*(?:\.(?=\d|[a-z]\b\.?)[^\n.!?。！？।]*)*[.!?。！？।]*")
_SCOPED = re.compile(
    r"\b(?:in terms of|regarding|with respect to|with regard to|when it comes to|in the (?:first|second|opening)"
    r"|at (?:\w+ing)"
    r"|hinsichtlich|in bezug auf|en termes de|en terminos de|en cuanto a|in termini di|em termos de"
    r"|с точки зрения)\b|在.{1,12}(?:方面|上)"
    r"|の(?:点|面)で(?:は)?|측면에서|من حيث|के मामले में"
)


def phrased(words: str) -> Iterator[Choice]:
    """Verdicts in sentences, in order."""
    for match in _SENTENCE.finditer(words):
        sentence = match[0]
        if len(sentence) < 3 or sentence.rstrip().endswith("?"):
            continue
        for choice in _of_sentence(sentence, match.start()):
            if choice.concluding or not _of_an_aspect(words, choice.place):
                yield choice
    if ends := _ENDS_WITH_SIDE.search(words):
        yield Choice(side_of(ends, last=True), ends.start(), "ending", True)


def _of_an_aspect(words: str, place: int) -> bool:
    """Whether a place is on a line that begins with the name of an aspect, such as `Clarity:`."""
    label = _LABELLED.match(words, line_start(words, place), place + 1)
    return label is not None and not (_WHOLE.search(label[1]) or _NAMES_SIDE.search(label[1]))


def _of_sentence(sentence: str, place: int) -> Iterator[Choice]:
    concluding = bool(_CONCLUDES.search(sentence))
    for match in _CORRECTS.finditer(sentence):
        yield Choice(side_of(match), place + match.start(), "correction", True)
    tied = _tied(sentence)
    if tied and not (_IF.search(sentence) or _SCOPED.search(sentence)):
        yield Choice("tie", place, "phrase", concluding)
        if not _BUT.search(sentence):
            return
    choices = list(_choices(sentence, place, concluding))
    unanimous = len({choice.side for choice in choices}) == 1
    yield from (choice._replace(concluding=concluding and unanimous) for choice in choices)


def _choices(sentence: str, place: int, concluding: bool) -> Iterator[Choice]:
    script = bool(RUNNING.search(sentence))
    forms = [
        (_WINS, False),
        (_LONE_WINS, False),
        (_LOSES, True),
        (_LONE_LOSES, True),
        (_BEATS, False),
        (_IS_BEATEN, True),
        (_EDGE, False),
        (_RANKS, False),
        (_BEST_IS, False),
        (_FAVOUR, False),
        (_PREFERS, False),
        (_WINNER_LAST, False),
    ]
    if script:
        forms = [
            (_SCRIPT_WINS, False),
            (_SCRIPT_LONE_WINS, False),
            (_SCRIPT_LOSES, True),
            (_PREFERS, False),
            (_SCRIPT_PREFERS, False),
        ]
    seen: set[str] = set()
    for form, loses in forms:
        for match in form.finditer(sentence):
            if _objection(sentence, match):
                continue
            side = side_of(match, last=form in (_BEST_IS, _FAVOUR, _PREFERS))
            if loses:
                side = {"A": "B", "B": "A"}.get(side, side)
            if side and side not in seen:
                seen.add(side)
                kind = "preference" if form is _PREFERS else "phrase"
                yield Choice(side, place + match.start(), kind, concluding)


def _tied(sentence: str) -> bool:
    if _TIED.search(sentence):
        return not re.search(r"\bnot a (?:tie|draw)", sentence)
    abroad = _TIED_ABROAD.search(sentence)
    if abroad and abroad[0] not in ("tie", "draw", "tied"):
        return not _NO_TIE.search(sentence[max(0, abroad.start() - 12) : abroad.start()])
    return bool(_ALIKE.search(sentence) and _BOTH.search(sentence)) and not _NOT.search(sentence)


def _objection(sentence: str, match: re.Match[str]) -> bool:
    """Whether a match is denied, conditional, somebody else's or about one aspect only."""
    inside = match[0]
    before = sentence[max(0, match.start() - 60) : match.start()]
    after = sentence[match.end() : match.end() + 40]
    if _NOT.search(inside) and "not as good" not in inside:
        return True
    if re.search(r"\b(?:not|n't|nor|neither|never|nicht|pas|non|nao|не)\b[^,;]{0,20}$|n['’]t\b[^,;]{0,20}$", before):
        return True
    if RUNNING.search(sentence) and _NOT.search(sentence, match.end(), match.end() + 14):
        return True
    if _IF_FIRST.match(_BUT.split(sentence[: match.start()])[-1]):
        return True
    if _CONCEDES.search(sentence[: match.start()]):
        return True
    if _AT_FIRST.search(_BUT.split(sentence[: match.start()])[-1]):
        return True
    clause = re.split(r"[,;:]", _BUT.split(before)[-1])[-1]
    if (
        _IF.search(clause)
        or _IF.search(inside)
        or re.match(r"\s*(?:only )?(?:if|unless|wenn|si|se|если)\b|如果", after)
    ):
        return True
    if _OTHERS_SAY.search(clause):
        return True
    return bool(_SCOPED.search(sentence)) or bool(
        re.match(r"\s*(?:in terms of|at \w+ing|regarding|in regard)\b", after)
    )
