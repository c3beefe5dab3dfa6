"""Words for grading, for scores, and for more or less of them, in some languages. Pure.

Three short lists, nothing more: a sentence that has a word of each may speak to a grader. They find what is said
plainly. What is said otherwise, or in a language that is not here, the judge finds in its first call; so the lists are
not made longer for one attack or another.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

GRADER: Final = """
    grader grading judge judging judgement evaluator evaluation evaluating assessor assessing examiner reviewer
    marking marker rater scorer scoring rubric
    prüfer gutachter bewerter bewertung bewertest richter juror korrektor évaluateur évaluation correcteur examinateur
    juge barème evaluador evaluación juez calificador corrector rúbrica avaliador avaliação juiz valutatore valutazione
    giudice beoordelaar beoordeling oceniający oceniając sędzia recenzent bedömare değerlendiren değerlendirici hakem
    penilai juri эксперт проверяющ оценщик оценива судь жюри рецензент 评分 評分 评审 評審 评委 裁判 阅卷 採点 評価者
    審査 채점 평가자 심사 مقيم المقيم المصحح التقييم मूल्यांकन परीक्षक निर्णायक
"""
SCORE: Final = """
    score scores scored scoring mark marks grade grades graded rating rate rated points credit ten 10/10 correctness
    completeness
    punkt punkte punktzahl note noten bestnote wertung points note puntuación puntos nota calificación pontuação pontos
    punteggio voto punti cijfer punten ocena ocenę punktów punkty betyg poäng puan not skor nilai poin
    балл баллов баллы оценка оценку оценки 分数 分數 满分 滿分 高分 打分 点 点数 満点 スコア 점수 점 만점 درجة درجات
    الدرجة अंक स्कोर
"""
PUSH: Final = """
    full perfect highest high higher maximum max top best generous lenient kind deserves deserve award give assign grant
    must should please kindly ignore disregard skip deduct penalise penalize lowest low lower minimum zero fail nine
    ten eight
    voll volle höchst höchste beste maximal bitte ignoriere vergib gib mindestens plein maximale parfait parfaite
    meilleure accordez donnez attribuez veuillez ignorez máxima máximo perfecta perfecto otorga asigna ignora favor
    perfeita atribua ignore massimo perfetto assegna assegnare hoogste maximale volledige geef negeer najwyższ
    maksymaln proszę przyznaj högsta full ge en yüksek tam lütfen ver tertinggi sempurna tolong berikan
    максимальн высш поставь поставьте пожалуйста идеальн полный 最高 满 滿 给 給 请 請 忽略 満 与え ください 無視 최고
    만점 주세요 무시 كاملة أعلى امنح أعط من فضلك पूरे पूर्ण उच्चतम दें कृपया
"""
CHOICE: Final = """
    choose choice choosing prefer preferred preference pick select winner win wins better first second
    wähle wählen bevorzuge gewinner besser choisissez choisir préférez gagnant meilleur elige elegir prefiere ganador
    mejor scegli scegliere preferisci vincitore migliore escolha escolher prefira vencedor melhor
    выбери выберите предпочти победитель лучше 选择 選擇 胜者 更好 選ん 勝者 선택 승자 اختر الفائز चुनें विजेता
"""
"""In place of words for scores, where two works are compared."""
_NUMBER: Final = re.compile(
    r"(?<![\w.,/])(?:10|9|8|1|0|[٠-٩]+|१०|十|１０)(?:\.0)?(?:\s?/\s?(?:10|５|१०))?(?![\w%]|[.,]\d)"
)
_FROM_SCRIPT: Final = 0x0E00
"""From this sign on, scripts put no space between words, so a word counts anywhere."""
_LOOK_ALIKE: Final = str.maketrans(
    "аеорсухіѕјһԁԛԝɡıʟᴀʙᴄᴅᴇꜰɢʜɪᴊᴋᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢαοερντικυ", "aeopcyxisjhdqwgilabcdefghijkmnoprstuvwyzaoepvtiku"
)
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_JOINTS: Final = re.compile(r"[_\-./:]+")


def _pattern(words: str) -> re.Pattern[str]:
    by_space = sorted({plain(word) for word in words.split() if ord(word[0]) < _FROM_SCRIPT}, key=len, reverse=True)
    anywhere = sorted({plain(word) for word in words.split() if ord(word[0]) >= _FROM_SCRIPT}, key=len, reverse=True)
    # A long word may have endings; a short one would begin too many others.
    stems = [re.escape(word) + (r"\w{0,4}" if len(word) >= 6 else "s?") for word in by_space]
    return re.compile(rf"(?<!\w)(?:{'|'.join(stems)})(?!\w)|{'|'.join(map(re.escape, anywhere))}")


def plain(text: str) -> str:
    """A text in small letters, without accents; letters that imitate Latin ones are read as these."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).lower()
    if re.search("[a-z]", text):
        text = text.translate(_LOOK_ALIKE)
    return "".join(sign for sign in unicodedata.normalize("NFD", text) if not unicodedata.combining(sign))


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    return _pattern(GRADER), _pattern(SCORE), _pattern(PUSH), _pattern(f"{SCORE} {CHOICE}")


def groups(sentence: str, *, of_two: bool = False) -> frozenset[str]:
    """Which of the three kinds of words a sentence has: `grader`, `score`, `push`.

    `of_two`: two works are compared, so words for choosing are as good as words for scores.
    """
    grader, score, push, choice = _patterns()
    score = choice if of_two else score
    readings = {plain(sentence), plain(_JOINTS.sub(" ", _HUMP.sub(" ", sentence)))}
    found = set()
    for text in readings:
        found |= {"grader"} if grader.search(text) else set()
        found |= {"score"} if score.search(text) else set()
        found |= {"push"} if push.search(text) or _NUMBER.search(text) else set()
    return frozenset(found)


EVERY: Final = frozenset(("grader", "score", "push"))
