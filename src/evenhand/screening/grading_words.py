"""Words for grading, for scores, and for more or less of them, in some languages. Pure.

Three short lists, nothing more: a sentence that has a word of each may speak to a grader. They find what is said
plainly. What is said otherwise, or in a language that is not here, the judge finds in its first call; so the lists are
not made longer for one attack or another.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
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
    ten tens eight
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
    r"(?<![\w.,/])(?:10(?:\.0)?|9|8|1|0|[٠-٩]+|१०|十|１０)(?:\s?/\s?(?:10|５|१०))?(?![\w%]|[.,]\d)"
)
_SCALE: Final = re.compile(
    r"(?<![\d.,])[01]\s?(?:[-\u2013\u2014]|to|and|bis|und|à|a|et|al?|y|e|tot|en|do|до|и|到|至|から)\s?\d+"
)
"""A range names a scale without asking for a score on it."""
_FROM_SCRIPT: Final = 0x0E00
"""From this sign on, scripts put no space between words, so a word counts anywhere."""
_LOOK_ALIKE: Final = str.maketrans(
    "аеорсухіѕјһԁԛԝɡıʟᴀʙᴄᴅᴇꜰɢʜɪᴊᴋᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢαοερντικυ", "aeopcyxisjhdqwgilabcdefghijkmnoprstuvwyzaoepvtiku"
)
_WORD: Final = re.compile(r"\w+")
_PART: Final = re.compile(r"[^\W_]+")
_LONG: Final = 6
"""Letters of a word that may have endings."""
_MOST_MORE: Final = 4
_ENDING: Final = "s?"
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_JOINTS: Final = re.compile(r"(?<!\d)[_\-./:]+|[_\-./:]+(?!\d)")
"""What joins words; between figures it belongs to a number."""


class _Words:
    """One kind of words, looked up."""

    def __init__(self, words: str, *, plural: bool = True) -> None:
        listed = {plain(word) for word in words.split()}
        anywhere = {word for word in listed if ord(word[0]) >= _FROM_SCRIPT}
        simple = {word for word in listed - anywhere if _WORD.fullmatch(word)}
        # A long word may have endings; a short one would begin too many others.
        endings = ("", "s") if plural else ("",)
        self._short = {word + ending for word in simple if len(word) < _LONG for ending in endings}
        self._long = {word for word in simple if len(word) >= _LONG}
        joined = [rf"(?<!\w){re.escape(word)}(?:{_ENDING})(?!\w)" for word in sorted(listed - anywhere - simple)]
        self._rest = re.compile("|".join([*joined, *map(re.escape, sorted(anywhere))]) or r"(?!)")

    def is_one(self, word: str) -> bool:
        """Whether a word is of this kind."""
        if word in self._short:
            return True
        return any(word[:length] in self._long for length in range(max(_LONG, len(word) - _MOST_MORE), len(word) + 1))

    def in_text(self, text: str) -> bool:
        """Whether a text has one that is not a word between spaces: in another script, or with signs in it."""
        return self._rest.search(text) is not None


def plain(text: str) -> str:
    """A text in small letters, without accents; letters that imitate Latin ones are read as these."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).lower()
    if re.search("[a-z]", text):
        text = text.translate(_LOOK_ALIKE)
    return "".join(sign for sign in unicodedata.normalize("NFD", text) if not unicodedata.combining(sign))


@lru_cache(maxsize=1)
def _kinds() -> Mapping[str, _Words]:
    # Who asks says "give" and "award"; who tells what graders do says "gives" and "awards".
    push = _Words(PUSH, plural=False)
    return {"grader": _Words(GRADER), "score": _Words(SCORE), "push": push, "choice": _Words(CHOICE)}


@lru_cache(maxsize=16_384)
def _kinds_of(word: str) -> frozenset[str]:
    return frozenset(kind for kind, words in _kinds().items() if words.is_one(word))


def groups(sentence: str, *, of_two: bool = False) -> frozenset[str]:
    """Which of the three kinds of words a sentence has: `grader`, `score`, `push`.

    `of_two`: two works are compared, so words for choosing are as good as words for scores.
    """
    found: set[str] = set()
    for text in {plain(sentence), plain(_JOINTS.sub(" ", _HUMP.sub(" ", sentence)))}:
        found.update(*map(_kinds_of, set(_WORD.findall(text))))
        if not text.isascii() or "/" in text:
            found |= {kind for kind, words in _kinds().items() if kind not in found and words.in_text(text)}
        if "push" not in found and _NUMBER.search(_SCALE.sub(" ", text)):
            found.add("push")
    if of_two and "choice" in found:
        found.add("score")
    return EVERY & found


def may_speak(text: str, *, of_two: bool = False) -> bool:
    """Whether a text has any words for grading and for scores: a quick look, since most texts have not."""
    if not text.isascii():
        return True
    found: set[str] = set()
    for word in set(_PART.findall(text)):
        for part in (word,) if word.islower() else (word, *_HUMP.split(word)):
            found |= _kinds_of(part.lower())
    if "/" in text:
        found |= {kind for kind, words in _kinds().items() if words.in_text(text)}
    return "grader" in found and ("score" in found or (of_two and "choice" in found))


EVERY: Final = frozenset(("grader", "score", "push"))
