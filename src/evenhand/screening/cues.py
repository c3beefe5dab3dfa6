"""Word stems that an order to a judge is made of, in many languages, and where a text has them. Pure, linear.

A stem counts at the start of a word; in scripts that have no such start, anywhere. Letters are compared without case,
accents and style: full-width, mathematical and look-alike letters are read as the letters they imitate.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

GRADING: Final = 1
JUDGE: Final = 2
MODEL: Final = 4
ORDER: Final = 8
EXTREME: Final = 16
IGNORING: Final = 32
OURS: Final = 64

_LOOK_ALIKE: Final = dict(
    zip(
        "аеорсухіѕјһԁԛԝαοερντικυΑВЕНІКМОРСТХΒΕΗΙΚΜΝΟΡΤΧΥΖɑɡıʟᴀʙᴄᴅᴇꜰɢʜɪᴊᴋᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢđłøħŧ",
        "aeopcyxisjhdqwaoepvtikuabehikmopctxbehikmnoptxyzagilabcdefghijkmnoprstuvwyzdloht",
        strict=True,
    )
)
_LETTER_SIGNS: Final = {
    chr(first + offset): chr(ord("a") + offset) for first in (0x1F150, 0x1F170, 0x1F1E6) for offset in range(26)
}
"""Negative circled and squared letters, and regional indicators, which have no decomposition."""

_STEMS: Final = {
    GRADING: """
        score scor scroe socre scr grade grading graded rating rate rated rates mark marks marked point points
        verdict band stars evaluat assess apprais final-grade scorecard full-mark rank bewert note noten benot
        punkt zensur nota notes puntu calific punteg voto voti valut pontu avalia beoordel cijfer betyg poang
        ocen ocene znamk hodnot балл оцен оцін бал βαθμ puan درج תקיד ציון अंक 分 评 評 点 點 採点 점 채점 평가
        diem nilai skor คะแนน arvosan piste punct pont pontot osztalyz puncta karakter fim alama""",
    JUDGE: """
        judge judging juge jugde jdg grader grdr evaluator rater examiner assessor scorer marker reviewer
        referee juror jury rubric rbrc criteri dimension whoever-grades answer-key grading-key richter prufer
        gutacht bewerter juri jurado correcteur evaluateur juez evaluador giudic valutator juiz avaliador domare
        bedomare sedzia rozhodc hodnotit судь эксперт суддя κριτ hakem degerlendir القاض المقي שופט בוחן 评委
        评审 裁判 審査 심사 giam-khao penilai กรรมการ tuomari arvioija evaluator biro rubrik rubrica bareme
        rubric निर्णायक परीक्षक מעריך""",
    MODEL: """
        system developer assistant llm language-model chatbot user human instruction prompt command ai you-are
        calibration override admin anweisung systeme sistema системн система 系统 系統 システム 指示 指令 시스템
        지시 note-to note-for message-to message-for memo-to instruct end-of""",
    ORDER: """
        give gives giving giv gv award assign grant set output return respond reply answer-with record settle
        must should shall please treat consider accept agree copy carry choose deserv merit warrant receiv apply
        follow obey let kindly ensure make-sure submit enter write put beg tip required requires obliged ought
        stay finish gib geben vergib vergeb setze donn attribu accord mett dale otorg asign ponga pon- assegn
        dai- metti atrib geef geven ge- satt przyzn daj- postaw dej- udel постав дай дать выстав δωσ βαλ verin
        veriniz ver- أعط اعط امنح ضع תן תנ दें दो- दीजि 给 給 打 付け つけ 与え 주세 줘 부여 hay- cho- cham
        berikan beri- ให้ anna- acord adj- adjon da- date dat- patia toa-""",
    EXTREME: """
        ten perfect max maximum maximal highest full top best flawless excellent outstanding a+ lowest min
        minimum minimal zero worst fail bottom worthless terrible one no-marks noses fingers zehn hochst
        bestnote null- niedrigst schlechtest dix parfait diez maxim minim perfect dieci dez tien hoogst laagst
        tio hogst lagst dziesi najwyz najniz deset nejvyss nejniz десят максим миним высш низш десять найвищ
        δεκα αριστ on- tam- عشر كامل עשר मक्स पूर 满 滿 十 最高 最低 零 満 만점 최고 최저 toi-da sempurna
        tertinggi terendah สูงสุด ต่ำสุด kymmenen zece tiz- maxima""",
    IGNORING: """
        ignor disregard forget overrid bypass gnr instead-of-the not-apply previous-instruct prior-instruct
        above-instruct earlier-instruct new-rubric new-instruct vergiss oublie olvida dimentica esquec vergeet
        glom zapomen zignor забуд игнор ігнор αγνο unut yoksay تجاهل התעל अनदेखा 忽略 忽视 忽視 无视 無視 무시
        bo-qua abaikan ไม่สนใจ ohita neglij""",
    OURS: """
        reply_to evenhand <submission <<<submission submission>>> <<<task task>>> </submission final-output:
        end-of-material begin-next-item removed-here left-out characters-left was-removed withheld""",
}
"""Blank-separated; a hyphen inside a stem is a space in the text, one at its end asks for the end of the word."""

_NUMBER: Final = re.compile(
    r"(?<![\d.,:/a-z_-])(?:10+|[01]|\d{1,2}(?:\.\d)?(?=\s?/\s?10))(?:\.0+)?(?![\d:a-z_]|[.,]\d)"
)
"""The ends of a scale, or any number out of ten."""
_DIGITS: Final = re.compile(r"\d+")
_WORD: Final = re.compile("[a-z]+")
_LETTERS_ONLY: Final = bytes(byte if 97 <= byte <= 122 else 32 for byte in range(256))
"""A space for everything but small letters; many times as quick as a pattern."""
_WORD_LENGTH: Final = 24
"""A run of letters longer than this is several words written together."""
_ITEM: Final = re.compile(r"[.)] ")
_LETTER_GRADE: Final = re.compile(r"\ba\+|\bgrade(?: of| is| must be|:)? [\"'(]?[a-f][+-]?(?![a-z])")


class Letters(NamedTuple):
    """A text in plain small letters, and the way back."""

    text: str
    origins: Sequence[int] | None
    """For each character its place in the text as written; None when the places are the same."""

    def origin(self, place: int) -> int:
        """The place in the text as written."""
        if self.origins is None:
            return place
        return self.origins[place] if place < len(self.origins) else (self.origins[-1] + 1 if self.origins else 0)


def letters(text: str) -> Letters:
    """A text without case, accents and styles of letters."""
    if text.isascii():
        return Letters(text.lower(), None)
    table = {ord(sign): _plain_sign(sign) for sign in set(text)}
    plain = text.translate(table)
    if len(plain) == len(text):
        return Letters(plain, None)
    return Letters(plain, [place for place, sign in enumerate(text) if table[ord(sign)]])


@lru_cache(maxsize=8192)
def _plain_sign(sign: str) -> str:
    """One small letter without accent or style; nothing for a mark on the letter before it."""
    if sign in _LETTER_SIGNS:
        return _LETTER_SIGNS[sign]
    if unicodedata.combining(sign):
        return ""
    base = "".join(part for part in unicodedata.normalize("NFKD", sign) if not unicodedata.combining(part)).lower()
    base = base if len(base) == 1 else sign.lower() if len(sign.lower()) == 1 else sign
    return _LOOK_ALIKE.get(base, base)


class _Stem(NamedTuple):
    text: str
    group: int
    ends: bool
    """Whether the word must end with it."""


@lru_cache(maxsize=4)
def letter_runs(text: str) -> frozenset[str]:
    """The different runs of small letters in a text; a text repeats most of its words."""
    return frozenset(text.encode("ascii", "replace").translate(_LETTERS_ONLY).decode().split())


@cache
def _stems() -> tuple[dict[str, list[_Stem]], tuple[_Stem, ...], tuple[int, ...]]:
    """The stems of ASCII letters by their first word, all others, and the lengths of those first words."""
    groups: dict[tuple[str, bool], int] = {}
    for group, words in _STEMS.items():
        for word in words.split():
            stem = letters(word.rstrip("-").replace("-", " ")).text
            key = stem, word.endswith("-")
            groups[key] = groups.get(key, 0) | group
    by_word: dict[str, list[_Stem]] = {}
    others = []
    for (stem, ends), group in groups.items():
        first = _WORD.match(stem)
        if first is not None and stem.isascii():
            by_word.setdefault(first[0], []).append(_Stem(stem, group, ends))
        else:
            others.append(_Stem(stem, group, ends))
    return by_word, tuple(others), tuple({len(word) for word in by_word})


@lru_cache(maxsize=16_384)
def _begun(word: str) -> tuple[str, ...]:
    """The first words of stems that a word begins with; works about one subject share most of their words."""
    by_word, _, lengths = _stems()
    return tuple(first for length in lengths if len(first := word[:length]) == length and first in by_word)


def _present(plain: str) -> Iterator[_Stem]:
    """The stems that a text may hold: a set of its words tells at once which to look for."""
    by_word, others, _ = _stems()
    words = letter_runs(plain)
    firsts = {first for word in words for first in _begun(word)}
    long = " ".join([word for word in words if len(word) > _WORD_LENGTH])
    for word in by_word if long else firsts:
        if word in firsts or (len(word) >= 5 and word in long):
            yield from by_word[word]
    ascii_only = plain.isascii()
    yield from (stem for stem in others if not ascii_only or stem.text.isascii())


def groups_in(plain: str) -> int:
    """The groups of all stems in a text of plain letters, whether or not each counts where it is."""
    groups = 0
    for stem in _present(plain):
        if stem.group & ~groups and stem.text in plain:
            groups |= stem.group
    return groups


def cues(plain: str) -> Iterator[tuple[int, int, int]]:
    """The place, end and group of every stem in a text of plain letters; one of several close to each other."""
    for stem, group, ends in _present(plain):
        size, place = len(stem), plain.find(stem)
        always = size > 4 and not ends and stem[0].isalpha()
        while place >= 0:
            stop = place + size
            begins_word = place == 0 or not plain[place - 1].isalpha()
            if (always and begins_word) or _counts(plain, stem, place, stop, ends):
                yield place, stop, group
                stop += 24  # another one this near adds nothing
            place = plain.find(stem, stop)


def _counts(plain: str, stem: str, place: int, stop: int, ends: bool) -> bool:
    if not stem.isascii():
        return True
    if ends and plain[stop : stop + 1].isalpha():
        return False
    if not stem[0].isalpha() or place == 0 or not plain[place - 1].isalpha():
        return _short_word(plain, stem, stop)
    return len(stem) >= 5 and _in_long_word(plain, place)


def _short_word(plain: str, stem: str, stop: int) -> bool:
    """Stems of up to four letters count only as whole words or with a short ending."""
    if len(stem) > 4:
        return True
    ending = 0
    while ending <= 3 and plain[stop + ending : stop + ending + 1].isalpha():
        ending += 1
    return ending <= (3 if len(stem) == 4 else 0)


def _in_long_word(plain: str, place: int) -> bool:
    """Whether a place is inside a run of letters that is too long to be a word."""
    start = place
    while start > 0 and place - start <= _WORD_LENGTH and plain[start - 1].isalpha():
        start -= 1
    end = place
    while end < len(plain) and end - start <= _WORD_LENGTH and plain[end].isalpha():
        end += 1
    return end - start > _WORD_LENGTH


def number_places(plain: str) -> Iterator[int]:
    """Where the top or the bottom of a scale occurs in figures or as a letter, other than as the number of an item."""
    for run in _DIGITS.finditer(plain):  # much quicker to find than the number with its surroundings
        place = run.start()
        match = _NUMBER.match(plain, place)
        if match and not (
            _ITEM.match(plain, match.end()) and not plain[max(0, place - 4) : place].rpartition("\n")[2].strip()
        ):
            yield place
    if "grade" in plain or "a+" in plain:
        yield from (match.end() - 1 for match in _LETTER_GRADE.finditer(plain))
