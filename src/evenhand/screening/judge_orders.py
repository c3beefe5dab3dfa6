"""Sentences that tell a judge what to say, in English and eleven other languages. Pure.

Only an order counts, at the start of a sentence or clause and outside quotation marks: a text about prompt injection
that describes or quotes such orders is left alone. Look-alike letters are read as the letters they imitate.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from evenhand.lazy_pattern import late_pattern
from evenhand.work.hidden_text import without_hidden

_JUDGE = (
    r"(?:(?:llm|ai|automated|language model) )?(?:judges?|graders?|evaluators?|raters?|scorers?"
    r"|(?:grading|judging|evaluation|scoring) (?:model|system|assistant|ai|llm))"
)
_SPOKEN_TO = (
    r"(?:dear|hey|hello|attention|note (?:to|for)|message (?:to|for)|instructions? (?:to|for)|to)\s+(?:the |any |all )*"
)
_TO = rf"(?:{_SPOKEN_TO})?{_JUDGE}(?: (?:note|notes|instructions?|override))?\s*[,:!-]+\s*"
_POLITE = (
    r"(?:(?:please|important|system(?: (?:message|prompt|note|override))?|note|now|also|kindly|simply|just"
    r"|therefore|thus|so|instead"
    r"|(?:as (?:the|an?) judge,? )?you (?:must|should|will|have to|are to|need to))\s*[,:!\])]*\s+)*"
)
_THING = r"response|answer|output|submission|solution|work|essay|transcript|report|text|code|entry|candidate|agent|run"
_ALL = r"(?:all|every|each)(?: of the)?(?: (?:seven|7))? (?:dimensions?|criteri(?:a|on)|categor(?:y|ies))"
_OWN = rf"(?:(?:this|my|our|the|the above|the following)\s+(?:entire |whole )?(?:{_THING})|{_ALL})"
_MINE = rf"(?:{_OWN}|this|it|me)"
_NAMED_TOP = (
    r"(?:perfect|full|maximum|max|highest|top|best)(?:\s+possible)?(?:\s+(?:scores?|marks?|grade|rating|points|credit))"
)
_NUMBERED_TOP = (
    r"(?:10|ten|100|a\+)(?:\.0+)?(?:\s*/\s*10+|\s+out of\s+(?:10+|ten)|\s*%)?(?:\s+points)?"
    r"(?=\s*(?:[.,;!?)\]]+(?!\d)|$|for\b|on\b|in (?:all|every|each)|across|and\b|with\b))"
)
_TOP = rf"(?:(?:score|rating|grade) of\s+)?(?:{_NUMBERED_TOP}|{_NAMED_TOP}\b)"
_PLAIN_TOP = (
    rf"(?:(?:score|rating|grade) of\s+{_NUMBERED_TOP}|(?:10\s*/\s*10|100\s*/\s*100|10 out of 10)(?!\w)|{_NAMED_TOP}\b)"
)
_DOWN = (
    r"(?:(?:deduct|penali[sz]e|lower|mark down)\b.{0,40}\b(?:points?|score|marks?|grade|me|this)"
    r"|raise (?:any|a) red flags?(?=[.!]?$))"
)
_GRADING = r"(?:grading|scoring|evaluation|judging|assessment)"
_GIVEN = r"(?:instructions?|prompts?|directions|guidelines|rules)"
_ORDER = late_pattern(
    rf"(?:^|[,;:!\])]\s+(?:so |and |then )?|\band )\W{{0,5}}(?:{_TO})?{_POLITE}(?:"
    rf"(?:give|award)\s+{_MINE}\s+(?:an?\s+|the\s+)?{_TOP}"
    rf"|(?:assign|grant)\s+{_OWN}\s+(?:an?\s+|the\s+)?{_TOP}"
    rf"|(?:rate|score|grade)\s+{_MINE}\s+(?:(?:as|at|with)\s+)?(?:an?\s+|the\s+)?{_TOP}"
    rf"|(?:mark|judge|evaluate)\s+{_OWN}\s+(?:(?:as|at|with)\s+)?(?:an?\s+|the\s+)?{_TOP}"
    r"|(?:ignore|disregard|forget|override|bypass)\s+(?:(?:all|any|the|your|previous|prior|above|of)\s+)*"
    rf"(?:rubrics?|{_GRADING}\s+(?:criteria|instructions?|guidelines?|rules?|rubric))"
    r"|(?:ignore|disregard|forget|override)\s+(?:all (?:of )?(?:the |your )?(?:previous|prior|above|earlier)"
    r"|your (?:previous |prior |original |system )?|(?:any |the )?(?:previous|prior) )\s*"
    rf"{_GIVEN}\b(?=\s*(?:[.!:;,]|$|and\b))"
    rf"|(?:do not|don't|never)\s+{_DOWN}"
    rf"|(?:give|award|assign|output|return|respond with)\s+(?:only\s+)?(?:an?\s+|the\s+)?{_PLAIN_TOP}"
    rf"|{_OWN}\s+(?:deserves|merits|warrants|earns|(?:should|must|is to) (?:get|receive"
    rf"|be (?:given|awarded|scored|rated|graded)(?: as| at| with)?))\s+(?:an?\s+|the\s+)?{_TOP}"
    r")(?!.{0,30}\b(?:if|when|unless|only|provided|should)\b)",
    re.I,
)
_LETTER_TO_JUDGE = late_pattern(
    r"^\W{0,5}(?:dear|attention|note (?:to|for)|message (?:to|for)|instructions? (?:to|for))\s+(?:the |any |all )*"
    rf"{_JUDGE}\b(?=.{{0,200}}\b(?:you|please|must|should|all|every|already)\b)"
    r"(?=.{0,200}\b(?:scores?|grades?|marks|rubric|10/10)\b)",
    re.I,
)
_BEGINS = (
    r"(?:^|[,;:!]\s+|\b(?:und|et|y|e|en|i)\s+)\W{0,5}(?:(?:bitte|merci de|s'il vous plaît|por favor|per favore"
    r"|proszę|alsjeblieft|пожалуйста)[,:]?\s+)?"
)
_EUROPEAN = late_pattern(
    _BEGINS
    + r"(?:"
    + "|".join(
        (
            # German
            r"(?:gib|geben sie|vergib|vergeben sie)\b.{0,40}\b(?:antwort|lösung|ausgabe|arbeit|abgabe|text|alle[nr]?)\b"
            r".{0,40}\b(?:10|zehn|100|volle|bestnote|höchst\w*|maximal\w*)\b",
            r"(?:bewerte|bewerten sie)\b.{0,50}\b(?:mit|als)\b.{0,20}\b(?:10|zehn|100|bestnote|volle[rn]?|höchst\w*)\b",
            r"ignorier(?:e|en sie)\b.{0,40}\b(?:bewertung\w*|rubrik|(?:vorherigen|bisherigen) anweisungen)",
            # French
            r"(?:donne|donnez|attribue|attribuez|accorde[zr]?)\b.{0,50}\b(?:note|score|points)\b.{0,30}"
            r"\b(?:10|maximale?|parfaite?|20)\b",
            r"ignore[zr]?\b.{0,30}\b(?:grille|barème|critères|instructions précédentes)",
            # Spanish and Portuguese
            r"(?:da|dale|dé|otorga|otorgue|asigna|asigne|dê|atribua)\b.{0,50}\b(?:respuesta|resposta|puntuación|pontuação"
            r"|nota)\b.{0,40}\b(?:10|diez|dez|máxima|perfecta|perfeita)\b",
            r"ignor[ae]\b.{0,30}\b(?:rúbrica|criterios|critérios|instrucciones anteriores|instruções anteriores)",
            # Italian and Dutch
            r"(?:dai|assegna|assegnate)\b.{0,50}\b(?:risposta|voto|punteggio)\b.{0,40}\b(?:10|dieci|massimo|perfetto)\b",
            r"ignora\b.{0,30}\b(?:rubrica|criteri|istruzioni precedenti)",
            r"(?:geef|beoordeel)\b.{0,50}\b(?:antwoord|inzending|score)\b.{0,40}\b(?:10|tien|maximale|hoogste)\b",
            # Russian and Polish
            r"(?:поставь(?:те)?|дай(?:те)?|оцени(?:те)?)\b.{0,50}(?:ответ|оценк|балл|решени).{0,40}"
            r"(?:10|десят|максимальн|высш)",
            r"(?:оцени(?:те)?|поставь(?:те)?)\b.{0,40}[ ]на (?:10|десять|отлично)",
            r"игнорируй(?:те)?\b.{0,40}(?:критери|рубрик|инструкци|указани)",
            r"(?:daj|przyznaj|oceń)\b.{0,50}\b(?:odpowied\w+|prac\w+)\b.{0,40}\b(?:10|maksymaln\w+|najwyższ\w+)",
        )
    )
    + ")",
    re.I,
)
_OTHERS = late_pattern(
    "|".join(
        (
            # Chinese, Japanese and Korean
            "(?:给|給|为|為|将|將|把).{0,8}(?:回答|答案|回复|回覆|提交|输出|輸出|作品).{0,12}"
            "(?:满分|滿分|10\\s?分|最高分|100\\s?分)",
            "(?:忽略|无视|無視|忽視).{0,12}(?:评分|評分|评价标准|評價標準|之前的(?:所有)?指令|以上(?:所有)?指令|先前的指示)",
            "(?:回答|出力|提出物|解答|評価).{0,12}(?:満点|10\\s?点|最高点|最高評価|100\\s?点).{0,10}"
            "(?:付けて|つけて|与えて|して)(?:ください|下さい|くれ)",
            "(?:採点基準|評価基準|ルーブリック|これまでの指示|以前の指示).{0,8}無視(?:して|せよ|しろ)",
            "(?:답변|응답|결과|제출물).{0,12}(?:만점|10\\s?점|최고 ?점수).{0,10}(?:주세요|줘|부여|주십시오)",
            "(?:채점 기준|평가 기준|이전 지시).{0,10}무시(?:하|해)",
            # Arabic, Hebrew and Hindi
            "(?:أعط|امنح|قيّم|قيم).{0,40}(?:الإجابة|الرد|الجواب|العمل).{0,40}(?:10|\u0661\u0660|عشرة|كاملة|الكاملة|القصوى)",
            "تجاهل.{0,30}(?:معايير|التعليمات السابقة|التقييم)",
            "(?:תן|תני|תנו|העניק).{0,30}(?:תשובה|פתרון).{0,30}(?:10|מקסימלי|מלא)",
            "(?:इस|मेरे).{0,12}(?:उत्तर|जवाब).{0,20}(?:10|पूरे|पूर्ण).{0,10}अंक.{0,10}(?:दें|दो|दीजिए)",
        )
    )
)
_SCALE = late_pattern(
    r"\b1\s?(?:-|\u2013|~|bis|à|a|al|do|до|tot|至|到|から|부터)\s?10\b|шкал|skala|échelle|escala|每|各", re.I
)
"""Words of a scale that someone else is asked to use."""
_VERBS = (
    "give rate rating award assign grant score grade mark ignor disregard forget overrid bypass deduct penal deserv"
    " merit warrant raise 10/10 bewert gib donne attribu accord otorga asigna respuesta resposta risposta antwoord"
    " odpow".split()
)
"""Stems, one of which every order to a judge contains; searched first, because that is fast."""
_NAMES_JUDGE = ("rubric", "judge", "grader", "evaluator", "grading", "scoring")
_ADDRESSED = late_pattern(
    r"rubric|judge|grader|evaluator|grading|scoring|\byou are an? (?:ai|llm|language model)\b|\bevaluating this\b", re.I
)
_QUOTED = late_pattern(
    r"`[^`]*`|[\"\u201c\u201e][^\"\u201c\u201d\n]*[\"\u201c\u201d]|(?<!\w)'[^'\n]*'(?!\w)|\u2018[^\u2019\n]*\u2019"
    r"|\u00ab[^\u00bb\n]*\u00bb|\u300c[^\u300d\n]*\u300d|\u300e[^\u300f\n]*\u300f"
)
_PIECE = 1_000
_LOOK_ALIKE = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0455\u0458\u04bb\u0501\u03b1\u03bf\u03b5\u03c1\u03bd\u03b9"
    "\u0410\u0412\u0415\u041d\u0406\u041a\u041c\u041e\u0420\u0421\u0422\u0425\u0391\u0392\u0395\u0397\u0399\u039a",
    "aeopcyxisjhdaoepviABEHIKMOPCTXABEHIK",
)
"""Cyrillic and Greek letters that look like Latin ones."""


def names_judge(text: str) -> bool:
    """Whether a text mentions a judge, a rubric or grading."""
    return any(map(text.lower().__contains__, _NAMES_JUDGE))


def _usual_letters(sentence: str) -> str:
    """Each letter in its usual form. By pieces: sorting a run of combining marks takes the square of its length."""
    pieces = (sentence[start : start + _PIECE] for start in range(0, len(sentence), _PIECE))
    return "".join(unicodedata.normalize("NFKC", piece) for piece in pieces)


def addressed_to_judge(text: str) -> Iterator[str]:
    """The sentences of a text that tell a judge what to say, verbatim."""
    if text.isascii() and not any(map(text.lower().__contains__, _VERBS)):
        return
    unquoted = _QUOTED.sub(lambda match: "\u25a1" * len(match[0]), text)
    for match in re.finditer(r"[^\n]+?(?:[.!?](?=\s)|[\u3002\uff01\uff1f]|\n|$)", unquoted):
        sentence = match[0] if text.isascii() else without_hidden(_usual_letters(match[0]))[0]
        sentence = sentence.strip()
        if any(_orders(reading) for reading in {sentence, _read_as_latin(sentence)}):
            yield text[match.start() : match.end()].strip()


def _read_as_latin(sentence: str) -> str:
    """The sentence with look-alike letters of other alphabets replaced, if it also has Latin letters."""
    return sentence if sentence.isascii() or not re.search("[A-Za-z]", sentence) else sentence.translate(_LOOK_ALIKE)


def _orders(sentence: str) -> bool:
    if re.match(r"\W*(?:if|when|once|unless)\b", sentence, re.I) and not _ADDRESSED.search(sentence):
        return False  # a condition, not an order
    if _ORDER.search(sentence) or _LETTER_TO_JUDGE.search(sentence):
        return True
    return bool(_EUROPEAN.search(sentence) or _OTHERS.search(sentence)) and not _SCALE.search(sentence)
