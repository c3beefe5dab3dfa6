"""What gives a language away: its script, or the words that occur often in every longer text. Pure."""

from __future__ import annotations

from typing import Final

LATIN: Final = "A-Za-z\u00c0-\u024f\u1e00-\u1eff"
SCRIPTS: Final = {
    **dict.fromkeys(("Russian", "Bulgarian", "Ukrainian"), "\u0400-\u052f"),
    **dict.fromkeys(("Arabic", "Persian", "Farsi", "Urdu"), "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff"),
    **dict.fromkeys(("Hindi", "Marathi", "Nepali"), "\u0900-\u097f"),
    "Chinese": "\u3400-\u4dbf\u4e00-\u9fff",
    "Japanese": "\u3040-\u30ff\u4e00-\u9fff",
    "Korean": "\uac00-\ud7af\u1100-\u11ff",
    "Hebrew": "\u0590-\u05ff",
    "Greek": "\u0370-\u03ff\u1f00-\u1fff",
    "Thai": "\u0e00-\u0e7f",
    "Bengali": "\u0980-\u09ff",
    "Punjabi": "\u0a00-\u0a7f",
    "Gujarati": "\u0a80-\u0aff",
    "Tamil": "\u0b80-\u0bff",
    "Telugu": "\u0c00-\u0c7f",
    "Kannada": "\u0c80-\u0cff",
}
"""The characters that give a language away; the others are written in Latin letters."""
_COMMONEST: Final = {
    "English": frozenset("the and of to is in that it for with are as this on by be was not from so".split()),
    "German": frozenset(
        "der die das und ist nicht ein eine zu mit auf für von den dem sich auch es werden wird".split()
    ),
    "French": frozenset("le la les et est des une un du que pour dans qui pas sur avec ce il sont au".split()),
    "Spanish": frozenset("el la los las y es de que en un una por con para se del no su como al".split()),
    "Italian": frozenset("il la di e che è un una per non con sono del della le i si da come gli".split()),
    "Portuguese": frozenset("o a os as e de que em um uma para com não por do da se mais como é".split()),
    "Dutch": frozenset("de het een en van is dat niet op te met voor zijn er aan door ook worden die wordt".split()),
}
"""The words every longer text of a language is full of."""


def other_language(wanted: str, words: list[str]) -> str:
    """The language whose commonest words fill a text that has hardly any of the wanted language's."""
    if wanted not in _COMMONEST or len(words) < 15:
        return ""
    shares = {name: sum(word in common for word in words) * 100 // len(words) for name, common in _COMMONEST.items()}
    most = max(shares, key=lambda name: shares[name])
    return most if shares[most] >= 20 and shares[wanted] <= 4 else ""
