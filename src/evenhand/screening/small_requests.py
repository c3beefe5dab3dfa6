"""Short sentences that ask for a little more or less, and name neither a score nor a judge. Pure, linear.

"Shave a bit off for style." A recipe asks for such things too, so no sentence is suspicious for that; it is what to try
where a score needs an explanation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evenhand.screening.cues import letters

Span = tuple[int, int]

LONGEST: Final = 100
"""Characters of such a sentence; a longer one says what it is about."""

_LANGUAGES: Final = (
    # verbs of taking away or adding; the amount; what follows it, because a thing would: "a little salt"
    (
        "shave knock take trim dock deduct subtract drop cut pull strip nudge bump push lift raise lower tack throw "
        "put add round give grant allow slip ease dial bring mark go",
        r"(?:an?|one|another|half an?|an extra|the odd) (?:tiny |little |small |wee )?"
        r"(?:bit|little|touch|notch|tad|hair|shade|fraction|step|smidgen|point|mark)"
        r"|some|a few|a couple|one|two|three|slightly|one or two|\w+ points?",
        r"(?:off|on|up|down|more|less|extra|away|higher|lower|for|because|since)\b|[.!,?]|$",
    ),
    (
        "zieh ziehen nimm nehmen streich streiche leg legen schlag schlagen gib geben runde rechne",
        r"etwas|ein wenig|ein bisschen|eine kleinigkeit|ein paar|einen punkt|einen|zwei|\w+ punkte?",
        r"(?:ab|weg|drauf|dazu|hinzu|mehr|weniger|auf|herunter|runter|fur|wegen|vom|von)\b|[.!,?]|$",
    ),
    (
        "enleve enlevez retire retirez ote otez ajoute ajoutez rajoute rajoutez baisse baissez monte montez",
        r"un peu|un petit peu|un chouia|un point|un cran|quelque chose|\w+ points?",
        r"(?:pour|a cause|de plus|de moins|en)\b|[.!,?]|$",
    ),
    (
        "quita quitale quite resta reste suma sume anade anada agrega agregue baja baje sube suba pon ponle",
        r"un poco|un poquito|un pelin|algo|un punto|\w+ puntos?",
        r"(?:por|mas|menos|para|de mas)\b|[.!,?]|$",
    ),
    (
        "togli tolga leva levi aggiungi aggiunga abbassa abbassi alza alzi metti metta",
        r"un po'?|un pochino|qualcosa|un punto|\w+ punti",
        r"(?:per|in piu|in meno|di piu|di meno)\b|[.!,?]|$",
    ),
    (
        "tira tire retire acrescente acrescenta some baixe baixa suba desconte desconta ponha",
        r"um pouco|um pouquinho|um bocadinho|algo|um ponto|\w+ pontos?",
        r"(?:por|a mais|a menos|pela|pelo)\b|[.!,?]|$",
    ),
)
_REQUEST: Final = re.compile(
    "|".join(
        rf"\b(?:{verbs.replace(' ', '|')}) (?:\w+ ){{0,3}}?(?:{amounts})(?: |(?=[.!,?]|$))(?:{after})"
        for verbs, amounts, after in _LANGUAGES
    )
)
_ENDS: Final = re.compile(r"[.!?](?=\s|$)|\n")


def small_requests(text: str) -> Iterator[Span]:
    """The short sentences that ask for a little more or less."""
    plain = letters(text)
    start = 0
    for end in [*(match.end() for match in _ENDS.finditer(plain.text)), len(plain.text)]:
        sentence = plain.text[start:end].strip()
        if sentence and len(sentence) <= LONGEST and _REQUEST.search(sentence):
            first = plain.text.index(sentence, start)
            yield plain.origin(first), plain.origin(first + len(sentence) - 1) + 1
        start = end
