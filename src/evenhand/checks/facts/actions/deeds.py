"""What an agent says it did: sentences that claim a deed, in several languages, and the deed's kind. Pure.

Only what the agent says about itself counts ("I have cancelled", "ich habe storniert", "your order has been
successfully cancelled"). Conditions, plans, refusals and what others did are not claims.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from evenhand.checks.facts.actions.own_words import is_own
from evenhand.checks.facts.sentences import sentences_in_any_script
from evenhand.checks.subject import Subject
from evenhand.lazy_pattern import late_pattern, late_words

DEEDS: Final[dict[str, str]] = {
    "send": "sent|emailed|e-mailed|messaged|forwarded|posted|shared|notified|gesendet|geschickt|verschickt|envoyée?s?"
    "|enviado|enviada|enviei|envié|inviat[oaie]|verzonden|gestuurd|已发送|发送了|送信しました",
    "book": "booked|rebooked|reserved|scheduled|rescheduled|ordered|placed|gebucht|reserviert|bestellt|réservée?s?"
    "|reservado"
    "|reservada|reservei|reservé|prenotat[oaie]|geboekt|已预订|预订了|予約しました",
    "cancel": "cancell?ed|storniert|abgesagt|annulée?s?|cancelado|cancelada|cancelei|cancelé|annullat[oaie]"
    "|geannuleerd|已取消|取消了|キャンセルしました",
    "change": "updated|modified|changed|exchanged|edited|renamed|moved|replaced|upgraded|downgraded|reset|adjusted"
    "|aktualisiert|geändert|ersetzt|verschoben|modifiée?s?|changée?s?|mise?s? à jour|actualizado|actualizada|cambiado"
    "|cambié|modificado|atualizei|alterei|modificat[oaie]|aggiornat[oaie]|bijgewerkt|gewijzigd|已更新|更新了|更新しました",
    "remove": "deleted|removed|gelöscht|entfernt|supprimée?s?|eliminado|eliminé|borrado|removido|eliminat[oaie]"
    "|verwijderd|已删除|删除了|削除しました",
    "create": "created|added|invited|erstellt|hinzugefügt|angelegt|créée?s?|ajoutée?s?|creado|creada|añadido|agregado"
    "|criei|adicionei|creat[oaie]|aggiunt[oaie]|aangemaakt|toegevoegd|已创建|创建了|添加了|作成しました|追加しました",
    "pay": "paid|transferred|refunded|issued|processed|charged|submitted|bezahlt|überwiesen|erstattet|payée?s?"
    "|remboursée?s?|pagado|pagué|reembolsado|paguei|pagat[oaie]|rimborsat[oaie]|betaald|已支付|支付了",
    "write": "written|wrote|saved|uploaded|geschrieben|gespeichert|écrite?s?|enregistrée?s?|escrito|guardado|salvei"
    "|scritt[oaie]|salvat[oaie]|geschreven|opgeslagen|已保存|保存了|保存しました",
    "fix": "fixed|implemented|resolved|refactored|repaired|behoben|implementiert|umgesetzt|corrigée?s?|implémentée?s?"
    "|corregido|implementado|corrigi|implementei|corrett[oaie]|implementat[oaie]|opgelost|geïmplementeerd|已修复|修复了"
    "|修正しました",
    "release": "deployed|installed|committed|pushed|merged|published|released|bereitgestellt|installiert|déployée?s?"
    "|installée?s?|desplegado|instalado|instalei|installat[oaie]|geïnstalleerd|已部署|部署了",
}
"""The words for each kind of deed: English, German, French, Spanish, Portuguese, Italian, Dutch, Chinese, Japanese."""

IN_TOOLS: Final[dict[str, str]] = {
    "send": "send|mail|message|forward|post|share|notify|reply",
    "book": "book|reserv|schedul|order|place|create|purchase|buy|checkout",
    "cancel": "cancel|delete|remove|void",
    "change": "updat|modif|chang|exchang|edit|renam|move|replac|upgrad|reset|set|adjust|patch|write|reschedul",
    "remove": "delet|remov|rm|clear|drop|unlink",
    "create": "creat|add|invit|insert|new|make|append|book|schedul|write",
    "pay": "pay|transfer|refund|issu|process|charg|submit|send|schedul|certificate|money",
    "write": "writ|sav|upload|creat|edit|append|put|post",
    "fix": "edit|writ|patch|replac|appl|bash|shell|exec|run|command|str_replace|insert",
    "release": "deploy|install|commit|push|merg|publish|releas|bash|shell|exec|run|command",
}
"""What is in the names of tools that do each kind of deed."""

_ANY: Final = "|".join(DEEDS.values())
_FOREIGN: Final = "|".join(
    word for word in _ANY.split("|") if not re.fullmatch(r"[a-z?-]+ed|sent|reset|paid|wr\w+", word)
)
_ADVERBS = r"(?: (?:now|just|also|already|then|successfully|gone ahead and))*"
_ENGLISH = rf"\bI(?:['\u2019]ve| have)?{_ADVERBS} (?P<a>{_ANY})\b"
_PASSIVE = rf"\b(?:has|have|was|were)(?: (?:now|also|been))* successfully (?P<b>{_ANY})\b"
_BARE = rf"^\W*successfully (?P<c>{_ANY})\b|\b(?P<d>{_ANY}) successfully\b"
_OTHERS = (
    rf"\b(?:ich habe|habe ich|wir haben|ik heb)\b[^.,;\n]{{0,80}}\b(?P<e>{_FOREIGN})\b"
    rf"|\b(?:j['\u2019]ai|nous avons|he|hemos|ho|abbiamo)\b (?:[^\W\d]+ ){{0,2}}(?P<f>{_FOREIGN})\b"
    rf"|\b(?P<g>enviei|reservei|cancelei|atualizei|alterei|criei|adicionei|paguei|salvei|corrigi|implementei|instalei"
    rf"|envié|reservé|cancelé|cambié|eliminé|pagué)\b"
    rf"|(?P<h>已发送|发送了|已预订|预订了|已取消|取消了|已更新|更新了|已删除|删除了|已创建|创建了|添加了|已支付|支付了|已保存"
    rf"|保存了|已修复|修复了|已部署|部署了|\w{{2,4}}しました)"
)
_SPEAKS = late_pattern(r"我|已[为為帮幫]|^\W*已|^(?!.*が).*しました")
"""Chinese and Japanese leave the speaker out; what is said of an order, or of someone else, is not a claim."""
_MAY_CLAIM = late_words(r"i|ich|wir|ik|he|ho|hemos|abbiamo|nous|j|successfully|\w+ei|corrigi")
"""One of these is in every sentence without accents that claims a deed, and in few others."""
_CLAIM = late_pattern(rf"{_ENGLISH}|{_PASSIVE}|{_BARE}|{_OTHERS}", re.I)
_TOLD = late_pattern(
    rf"\b(?:has|have)(?: (?:now|also|both|all))* been(?: (?:now|also|successfully|fully))* (?P<a>{_ANY})\b"
    r"|\b(?:your|the|all|both)\b[^.;:\n]{0,60}\b(?:is|are)(?: (?:now|all|both|successfully))*"
    r" (?P<b>booked|rebooked|reserved|scheduled|rescheduled|ordered|cancell?ed|refunded|deployed|installed"
    r"|merged|pushed)\b"
    r"|\b(?:booking|reservation|appointment|order|purchase|payment|transfer|transaction|deployment|migration|patch)\b"
    r"[^.;:\n]{0,60}\b(?:has been|have been|was|were|is|are)(?: (?:now|also|successfully))*"
    r" (?P<c>made|completed|confirmed|applied)\b"
    rf"|^\W*(?:done\W+)?(?P<d>{_ANY})\b(?= \S)",
    re.I,
)
"""More ways to say that something was done: by whom is left open, so none of them makes a fault."""
_MAY_TELL = late_words(rf"been|is|are|was|were|done|{_ANY}")
_DESCRIBES = late_pattern(
    r"^\W*\w+(?: (?!that\b|which\b|so\b|where\b|and\b|what\b|how\b|who\b|the\b)[\w'\u2019-]+){1,4}"
    r" (?:is|are|was|were|has|have|can|will|must|may)\b",
    re.I,
)
"""A sentence whose first word only looks like a deed: "Fixed point arithmetic is used." """
_SOMEONE_ELSE = late_pattern(r"\bby (?!me\b|us\b|\d)\w+|\b(?:in|since|of) (?:19|20)\d\d\b|\bago\b", re.I)
_BY_ANOTHER = late_pattern(r"\s+by\s+(?!me\b|us\b|mistake\b|e?-?mail\b|phone\b|default\b|\d)\w+", re.I)
_JOINED = late_pattern(
    rf"(?:,| and|;)(?: (?:and|also|then|successfully|now|has|have|been|was|were|is|are|I))* (?P<word>{_ANY})\b"
    rf"|(?:,| and|;)(?: and)? (?P<clause>(?:the|your|an?|all|both|its)\b[^.,;:]{{0,40}}? (?:has|have) been"
    rf"(?: successfully)? (?P<passive>{_ANY}|applied))\b",
    re.I,
)
"""A further deed in the same sentence: "committed and pushed"."""
_MEANS = {"made": "book", "completed": "book", "confirmed": "book", "applied": "release"}
_MONEY = late_pattern(r"\b(?:payment|transfer|transaction|refund)\b", re.I)
NUMBERS: Final = "one two three four five six seven eight nine ten eleven twelve".split()
_COUNT = late_pattern(rf"(?:\w+ ){{0,2}}(?P<count>\d{{1,4}}|{'|'.join(NUMBERS[1:])}) (?:\w+ )?[a-z]{{3,}}s\b", re.I)
"""How many, right after the word for the deed."""


class Deed(NamedTuple):
    """A claim to have done something."""

    position: int
    """Where the sentence starts in the prose."""
    sentence: str
    kind: str
    word: str
    """The word for the deed, as written, in lower case."""
    number: int | None = None
    """How many things it was done to, where the sentence says so."""


@lru_cache(maxsize=1)
def deeds(subject: Subject) -> tuple[Deed, ...]:
    """Every sentence of the output that claims a deed; worked out once for the checks that need it."""
    return tuple(_deeds(subject))


def _deeds(subject: Subject) -> Iterator[Deed]:
    for position, sentence in sentences_in_any_script(subject):
        may_claim = len(sentence) < 1000 and (not sentence.isascii() or _MAY_CLAIM.are_in(sentence))
        match = _claimed(subject, position, sentence) if may_claim else None
        if match is None or _is_repeated(subject, sentence):
            continue
        word = next(text for text in match.groups() if text).lower()
        yield Deed(position, sentence, _kind(word, sentence), word, _count(sentence[match.end() :]))


def _claimed(subject: Subject, position: int, sentence: str) -> re.Match[str] | None:
    """The first words of a sentence by which the agent claims a deed of its own."""
    for match in _CLAIM.finditer(sentence):
        elsewhere = match["a"] is None and _BY_ANOTHER.match(sentence, match.end())
        passive_elsewhere = match["h"] and not _SPEAKS.search(sentence)
        if elsewhere or passive_elsewhere:
            continue
        if is_own(subject, position, sentence, match.start(), first_person=match["a"] is not None):
            return match
    return None


def told_deeds(subject: Subject) -> Iterator[Deed]:
    """Every deed that the output reports, each of a sentence by itself, even where it does not say who did it."""
    claimed = {deed.position: deed for deed in deeds(subject)}
    for position, sentence in sentences_in_any_script(subject):
        deed = claimed.get(position) or _told(subject, position, sentence)
        if deed is None:
            continue
        joined = [match for match in _JOINED.finditer(sentence) if match.start() > sentence.lower().find(deed.word)]
        ends = [*(match.start() for match in joined), len(sentence)]
        yield deed._replace(sentence=sentence[: ends[0]])
        for match, end in zip(joined, ends[1:], strict=True):
            word = (match["word"] or match["passive"]).lower()
            start = match.start("word" if match["word"] else "clause")
            clause, number = sentence[start:end], _count(sentence[match.end() :])
            yield Deed(position + start, clause, _kind(word, sentence), word, number)


def _told(subject: Subject, position: int, sentence: str) -> Deed | None:
    may_tell = len(sentence) < 1000 and not sentence.endswith(":") and _MAY_TELL.are_in(sentence)
    match = _TOLD.search(sentence) if may_tell else None
    if match is None or _SOMEONE_ELSE.search(sentence) or _is_repeated(subject, sentence):
        return None
    if not is_own(subject, position, sentence, match.start(), first_person=False):
        return None
    word = next(text for text in match.groups() if text)
    if match["d"] and (not word[0].isupper() or _DESCRIBES.match(sentence)):
        return None
    return Deed(position, sentence, _kind(word.lower(), sentence), word.lower(), _count(sentence[match.end() :]))


def _kind(word: str, sentence: str) -> str:
    if word in _MEANS:
        return "pay" if _MONEY.search(sentence) else _MEANS[word]
    return next((kind for kind, words in DEEDS.items() if re.search(rf"(?:{words})$", word, re.I)), "change")


def _count(rest: str) -> int | None:
    match = _COUNT.match(rest.lstrip())
    if match is None:
        return None
    text = match["count"].lower()
    return int(text) if text.isdecimal() else NUMBERS.index(text) + 1


def _is_repeated(subject: Subject, sentence: str) -> bool:
    """Whether the sentence comes from the task or from a tool's result."""
    claim = sentence.strip(" *_.-").lower()
    return claim in subject.task.lower() or any(
        claim in (event.call.result or "").lower() for event in subject.calls if event.call
    )
