"""The solution of the judged problem is not a rating: `\\boxed{7}`, `Total: 7`, `Result: 7`.

A judge that checks an answer often works the problem out first, in the form that the problem asks for. A box is
therefore a score only if a word for a score belongs to it, or if nothing before it solves anything. The reader decides
about totals and results.
"""

from __future__ import annotations

import re

from evenhand.replies.prose.quoted import GAP

_BOX = re.compile(r"\\f?boxed ?\{((?:[^{}\n]|\{[^{}\n]{0,40}\}){0,60})\}")
_SCORING = re.compile(
    r"(?:score|rating|grade|mark|verdict|points|punktzahl|bewertung|wertung|note|nota|puntuacion|calificacion|punteggio"
    r"|voto|pontuacao|avaliacao|оценк[аиу]|балл\w*|评分|得分|分数|打分|評分|評価|スコア|点数|점수|평점|평가"
    r"|التقييم|الدرجة|स्कोर|अंक"
    r"|\brate|/ ?(?:5|10|100)\b)"
)
_SOLVING = re.compile(
    r"[=≈]|\\(?:frac|sqrt|cdot|times|begin|sum|int|pi|pmod|equiv|implies|angle)|\b(?:solv(?:e|es|ed|ing)"
    r"|solution|equation"
    r"|calculat\w*|comput\w*|correct (?:answer|result|value|option)|reference answer|equals?|losung|gleichung|solucion"
    r"|soluzione|solucao|equacao|решени\w*|уравнени\w*)\b|解答|方程|正解|计算|풀이|정답|方程式"
)
_ANSWER_BEFORE = re.compile(
    r"\b(?:correct|right|true|actual|reference|gold|assistant's?|model's|student's|his|her|their"
    r"|its) (?:\w+ )?(?:answer"
    r"|solution|result|value)\b"
)
_SENTENCE_END = re.compile(r"[.!?](?=\s)|。|\n\s*\n")
WINDOW = 120
"""How many characters before a box are searched for a word for a score."""
_END = re.compile(r"[\s.$*`\\\])。]*")


def with_boxes(text: str) -> str:
    """The text with boxes that hold a rating as [[ ]], and without boxes that hold the problem's solution."""
    boxes = list(_BOX.finditer(text))
    if not boxes:
        return text
    kept, place = [], 0
    for box in boxes:
        kept += [text[place : box.start()], f"[[{box[1]}]]" if _is_rating(text, box) else GAP]
        place = box.end()
    return "".join([*kept, text[place:]])


def _is_rating(text: str, box: re.Match[str]) -> bool:
    if _SCORING.search(box[1]):
        return True
    sentence = _SENTENCE_END.split(text[max(0, box.start() - WINDOW) : box.start()])[-1]
    named = _SCORING.search("\n".join(sentence.rstrip().splitlines()[-2:]))
    only = len({candidate[1] for candidate in _BOX.finditer(text)}) == 1
    last = only and _END.fullmatch(text, box.end()) and not _SOLVING.search(text[: box.start()])
    return not _ANSWER_BEFORE.search(sentence) and bool(named or last)
