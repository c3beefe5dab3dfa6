"""Phrases: whether a clause gives a figure as the speaker's own score. `I would give it an 8`, `我给这个回答打8分`."""

from __future__ import annotations

import re

from evenhand.replies.prose.figures import Figure

_GIVE = (
    r"rate|rated|rating|give|given|gave|giving|score|scored|scoring|assign|assigned|assigning|award|awarded|awarding"
    r"|grade|graded|grant"
)
_DECIDE = (
    r"put|evaluate|evaluated|rank|mark|judge|say|place|set|go with|going with|settle on|settled on|land on|landed on"
    r"|recommend|propose|suggest|assess|arrive at|choose|chose|pick|settle for|lean towards"
)
"""Verbs that take other objects too: `I choose 2`, `I arrive at 7`."""
_FIRST_PERSON = r"\b(?:i|we|i'd|i’d|i'll|i’ll|i'm|i’m|we'd|i've|let me|let's)\b(?: \w+){0,4}? "
_OWN = re.compile(
    rf"{_FIRST_PERSON}(?:{_GIVE})\b"
    rf"|\b(?:my|our) (?:\w+ )?(?:rating|score|grade|verdict|assessment|evaluation)\b"
    r"|\b(?:vergebe|gebe|bewerte|wurde) ich\b|\bich (?:\w+ )?(?:wurde|vergebe|gebe|bewerte|bewertete|beurteile)\b"
    r"|\bich \w+ .{0,60}\bmit\b"
    r"|\bj(?:e |'|’)(?:lui |y |le |la |vais |te )?(?:\w+ )?(?:donn|attribu|mets|mettrais|not|accord|evalu)\w*"
    r"|\b(?:doy|daria|otorgo|otorgaria|asigno|asignaria|califico|calificaria|puntuo|puntuaria|pondria|pongo|evaluo)\b"
    r"|\b(?:darei|assegno|assegnerei|valuto|valuterei|attribuisco|attribuirei|do)\b.{0,40}\b(?:un|voto|punteggio)\b"
    r"|\b(?:dou|daria|atribuo|atribuiria|avalio|avaliaria|classifico)\b"
    r"|\b(?:ставлю|поставил|поставила|поставлю|даю|дал|дала|оцениваю|оценил|оценила|присваиваю)\b"
    r"|(?:اعطي|امنح|اقيم|ساعطي|اعط|سامنح)\w*|मैं\b"
)
_OWN_CHOICE = re.compile(rf"{_FIRST_PERSON}(?:{_DECIDE})\b")
_OF_A_SCORE = re.compile(
    r"\b(?:score|rating|grade|mark|points)\b|\ban? [0-9]|\bput (?:this|it) at\s*$"
    r"|\b(?:response|answer|output|submission|summary|essay|assistant|work|text|reply|solution|code|translation)"
    r"(?:['’]s \w+)? (?:as|at|with|on)(?: an?)?\s*[\x02\[(]*$"
)
_JUDGED = (
    r"(?:this(?: one| version)?|it|(?:the|this|its|your) (?:\w+ ){0,2}?(?:response|answer|assistant|ai|model|output"
    r"|submission|summary|essay|story|code|reply|text|solution|translation|report|work|document|agent|chatbot|performance|explanation"
    r"|review|poem"
    r"|email|post|article|implementation|attempt|candidate))"
    r"(?:['’]s (?:\w+ )?(?:response|answer|output|work|performance|reply|solution|code|summary|essay|explanation))?"
    r"(?:,[^,]{0,60},)?(?: (?:\w+ly|would|should|will|does|therefore|thus|still|only|also|just|overall|hence"
    r"|then)){0,3}"
)
_RECEIVES = re.compile(
    rf"\b{_JUDGED} (?:deserves?|merits?|earn(?:s|ed)?|gets?|receiv(?:es|ed|e)|scores?|scored|warrants?|rates?"
    r"|(?:is|be|was|been) (?:\w+ )?(?:rated|given|awarded|scored|assigned|graded|worth|an?))\b"
    r"|\b(?:deserving|earning|meriting|giving (?:it|this)|making (?:it|this)|resulting in|leading to|rating it"
    r"|scoring it"
    r"|warranting|justifying|results in|leads to|justif(?:y|ies)|warrants?)\b|\b(?:it|this|that"
    r"|one)['’]s (?:\w+ )?an?\b"
    r"|\bquality of [^.]{1,40} is\b|\b(?:score|rating|grade) is (?:rated|set)\b"
    r"|\b(?:erhalt|verdient|bekommt|merite|obtient|recoit|merece|obtiene|recibe|merita|ottiene|riceve|recebe|obtem)\b"
    r"|заслуживает|получает|оценивается|يستحق|يحصل"
)
_EARNS = re.compile(
    r"\b(?:deserv|merit|earn|warrant|rated|scored|graded|score |scores )|verdient|merece|merita|заслуживает"
)
_THEREFORE = re.compile(
    r"^\s*(?:(?:and|so|thus|therefore|hence|overall|finally|in conclusion|in summary|as such|for these reasons"
    r"|consequently|accordingly|on balance|to conclude|insgesamt|daher|globalement|en general|in totale"
    r"|no geral)[ ,]+)*"
    r"(?:an?|the|eine|une|una|uma)? ?(?:\w+ ){0,1}(?:score|rating|grade|mark|bewertung|note|nota|puntuacion|punteggio)"
    r" (?:of|von|de|di)(?: an?)?$"
)
_IS_FITTING = re.compile(
    r"[\s\]\)\x02]*(?:is|seems|feels|would be|appears|should be)(?: \w+)? (?:appropriate|fair|reasonable|justified"
    r"|warranted"
    r"|suitable|fitting|given|assigned|awarded|deserved|merited|apt|in order)"
)
_SCORE_OF = re.compile(
    r"\b(?:score|rating|grade|mark|bewertung|note|nota|puntuacion|punteggio|voto) (?:of|von|de|di)(?: an?)?$"
)
_ARTICLE = re.compile(r"\b(?:an?|eine[nr]?|un|une|una|um|uma)(?: \w+)?\s*[\x02\[(]*$")
_SCORE_IS = (
    r"(?:score|rating|grade|mark|note|nota|bewertung|voto|punteggio|puntuacion|calificacion|pontuacao|punktzahl"
    r"|оценку|балл)"
    r"(?: (?:of|is|as|at|to be|be|would be|to|von|de|di|в))?"
)
_CLOSE = re.compile(
    rf"\b(?:{_SCORE_IS}|deserves|earns|merits|scores|scored|rated|rates|worth)(?: (?:at|as))?\s*[\x02\[(]*$"
)
_LEADS = re.compile(
    rf"(?:\b(?:{_SCORE_IS}|as|at|it|this|that|with|response|answer|output|submission|summary|essay|story"
    r"|assistant|model|one|text|code|reply|work|solution|translation|mit|auf|bei|note|nota|voto|на|say|go with|antwort"
    r"|reponse|respuesta|risposta|resposta|ответ|ответу|gebe|vergebe|deserves|earns|gets|receives|scores|rated|scored"
    r"|awarded|given|rate|worth|choose|chose|pick|settle on|settled on|land on|landed on|going with|assign|award)"
    r"|:|as follows:)\s*[\x02\[(]*$"
)
_ALONE = re.compile(
    r"^[\s\x02\[(（*>•-]*(?:(?:so|thus|overall|therefore|hence|a|an|solid|strong|easy|easily|i'd say|weak|good"
    r"|final|fair"
    r"|insgesamt|alles in allem|in short|in conclusion|in summary|to conclude|on balance|all in all"
    r"|verdict|about)[\s,:—–-]*){0,4}[\s\x02\[(（]*$"
)
_ENDS = re.compile(
    r"[\s\x02\])）】'\"”*]*(?:$|[.,;:!?()\]}|\n\x01。，、；！（）】—–-]"
    r"|(?:because|since|after|as|due|for|given|overall|on|in|and|but|with|considering|based|which|to|from|rating|score"
    r"|here|at|rather|instead|not|out|while|though|although|awarded|total"
    r"|weil|da|geben|vergeben|bewerten|bewertet|einstufen|a|al|para|pour|pela|por|этому|за|from|aufgrund|car"
    r"|en raison|porque|debido|perche|poiche|так как|потому|из-за|和|因为|です|だ|입니다|à)\b"
    r"|である|です|だ|입니다|이다|을|를|と|を|に|の|で|으로|로|，)"
)
_GIVE_JOINED = re.compile(
    r"(?:打|得|给|給|评|評|为|為|给予|給予|打出|给出|給出|评为|评定为|获得|獲得|得到|到|的话|回答|答案|是|就"
    r"|出)(?:了|出|个|個|上|分)?\s*$"
)
_GIVE_JOINED_AFTER = re.compile(
    r"\s?(?:を(?:付|つ|与|差し上|あげ)|と(?:評価|し|判断|いたし|採点)|(?:을|를)?\s?(?:주|부여|드리|드립|매기|줍"
    r"|받|책정)"
    r"|로 (?:평가|매)|으로 (?:평가|매|책정))|\s?(?:दूंगा|दूँगा|देता|देती|दूंगी|देना|अंक (?:द|मिल))"
)
_JOINED_CONTEXT = re.compile(r"評価|スコア|点数|採点|회答|평가|점수|평점|답변|评|打分|得分|回答|分数")


def score_strength(clause: str, after: str, figure: Figure, before: str) -> str:
    """How a clause of the words before a figure, and what follows it, state it as a score.

    `phrase`, weakly `bare`, or empty for not at all.
    """
    if figure.word and figure.scale is None and figure.unit not in ("分", "星") and not _ARTICLE.search(clause):
        return ""
    if _joined(clause, after, figure):
        return "phrase"
    bare = clause.rstrip("[ \x02(")
    if _SCORE_OF.search(bare) and (_THEREFORE.match(bare) or _IS_FITTING.match(after)):
        return "phrase"
    if not _ENDS.match(after):
        return ""
    given = _near(_OWN.search(clause), clause)
    scaled = figure.scale is not None or figure.unit == "stars"
    pointed = bool(figure.unit) and not re.match(r"\s*(?:for|fur|pour|por|per|за)\b", after)
    if given and (scaled or pointed or _ARTICLE.search(clause) or _LEADS.search(clause)):
        return "phrase"
    chosen = _near(_OWN_CHOICE.search(clause), clause)
    if chosen and (
        scaled or pointed or _ARTICLE.search(clause) or (_OF_A_SCORE.search(before) and _LEADS.search(clause))
    ):
        return "phrase"
    received = _near(_RECEIVES.search(clause), clause)
    if received and (scaled or _ARTICLE.search(clause) or _CLOSE.search(clause)):
        return "phrase" if scaled or _EARNS.search(clause) or _CLOSE.search(clause) else "bare"
    return "phrase" if scaled and alone(clause, after) else ""


def ends(after: str) -> bool:
    """Whether what follows a figure ends its phrase, so that it counts nothing."""
    return bool(_ENDS.match(after))


def is_own(clause: str) -> bool:
    """Whether a clause has the judge giving a score: `I would rate`, `ich gebe`, `ставлю`."""
    return bool(_OWN.search(clause) or _OWN_CHOICE.search(clause))


def _near(verb: re.Match[str] | None, clause: str) -> bool:
    return verb is not None and len(clause) - verb.end() <= 110


def alone(clause: str, after: str) -> bool:
    """Whether a figure is all there is in its sentence."""
    return bool(_ALONE.match(clause)) and bool(
        re.match(r"[\s\x02\])）】*]*(?:です|だ|である|입니다|이다| (?:from|for) me| overall)?(?:[.!。！\n]|$)", after)
    )


def _joined(clause: str, after: str, figure: Figure) -> bool:
    """Scripts without spaces state scores by the characters around the unit."""
    if figure.unit not in ("分", "星", "点", "點", "점") and not (
        figure.scale is not None and _GIVE_JOINED_AFTER.match(after)
    ):
        return False
    if figure.scale is not None:
        return bool(
            _GIVE_JOINED.search(clause)
            or _GIVE_JOINED_AFTER.match(after)
            or _JOINED_CONTEXT.search(clause)
            or alone(clause, after)
        )
    if figure.unit in ("分", "星"):
        return bool(_GIVE_JOINED.search(clause)) and not re.match(r"[a-z0-9]", after)
    return bool(_GIVE_JOINED_AFTER.match(after) and _JOINED_CONTEXT.search(clause))
