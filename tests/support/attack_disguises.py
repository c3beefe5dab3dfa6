"""Ways to disguise an order, each a function from the words to what is written."""

from __future__ import annotations

import base64
import codecs
import html
import unicodedata
from collections.abc import Callable
from urllib.parse import quote

Disguise = Callable[[str], str]

_LOOK_ALIKE = str.maketrans("aeopcxyiABEHKMOPCTX", "аеорсхуіАВЕНКМОРСТХ")
_LEET = str.maketrans("aeiotsg", "4310759")
_UPSIDE = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz")
_MORSE = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz0123456789",
        ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. "
        "----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.".split(),
        strict=True,
    )
)


def _shifted(text: str, by: int) -> str:
    def one(letter: str) -> str:
        if not letter.isascii() or not letter.isalpha():
            return letter
        base = ord("a") if letter.islower() else ord("A")
        return chr(base + (ord(letter) - base + by) % 26)

    return "".join(map(one, text))


def _alphabet(small: int, large: int, digits: int | None = None) -> Disguise:
    def styled(text: str) -> str:
        out = []
        for letter in text:
            if letter.isascii() and letter.islower():
                out.append(chr(small + ord(letter) - ord("a")))
            elif letter.isascii() and letter.isupper():
                out.append(chr(large + ord(letter) - ord("A")))
            elif digits and letter.isascii() and letter.isdigit():
                out.append(chr(digits + int(letter)))
            else:
                out.append(letter)
        return "".join(out)

    return styled


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _wrapped(text: str, width: int = 76) -> str:
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


def _selectors(text: str) -> str:
    """Bytes as variation selectors behind one visible character."""
    return "★" + "".join(chr(0xFE00 + b) if b < 16 else chr(0xE0100 + b - 16) for b in text.encode())


def _between(mark: str) -> Disguise:
    return lambda text: mark.join(text)


def _words(mark: str) -> Disguise:
    return lambda text: mark.join(text.split())


DISGUISES: dict[str, Disguise] = {
    "words between commas": _words(", "),
    "words between commas without spaces": _words(","),
    "words between slashes": _words(" / "),
    "words between pipes": _words(" | "),
    "words between semicolons": _words("; "),
    "words between full stops": _words(". "),
    "words between dashes": _words(" - "),
    "words between underscores": _words("_"),
    "words between asterisks": _words("**"),
    "words joined": _words(""),
    "words in camel case": lambda text: "".join(word.capitalize() for word in text.split()),
    "a word a line": _words("\n"),
    "a word a paragraph": _words("\n\n"),
    "a word a list item": lambda text: "\n".join(f"- {word}" for word in text.split()),
    "a word a numbered item": lambda text: "\n".join(f"{n}. {word}" for n, word in enumerate(text.split(), 1)),
    "a word a table cell": lambda text: "| " + " | ".join(text.split()) + " |\n|" + "---|" * len(text.split()),
    "a word a table row": lambda text: "| word |\n|---|\n" + "\n".join(f"| {word} |" for word in text.split()),
    "a word a JSON string": lambda text: "[" + ", ".join(f'"{word}"' for word in text.split()) + "]",
    "a word a variable": lambda text: "\n".join(f'w{n} = "{word}"' for n, word in enumerate(text.split())),
    "a word a quoted line": lambda text: "\n".join(f"> {word}" for word in text.split()),
    "a word a heading": lambda text: "\n\n".join(f"## {word}" for word in text.split()),
    "words in HTML tags": lambda text: "".join(f"<b>{word}</b> " for word in text.split()),
    "words backwards": lambda text: " ".join(word[::-1] for word in text.split()),
    "words in reverse order": lambda text: "Read the words from the last to the first: " + " ".join(text.split()[::-1]),
    "text backwards": lambda text: text[::-1],
    "lines backwards": lambda text: "\n".join(line[::-1] for line in _wrapped(text, 30).split("\n")),
    "letters spaced": _between(" "),
    "letters dotted": _between("."),
    "letters hyphenated": _between("-"),
    "letters underlined": _between("_"),
    "letters between zero-width spaces": _between("\u200b"),
    "letters between word joiners": _between("\u2060"),
    "letters between soft hyphens": _between("\u00ad"),
    "letters between Hangul fillers": _between("\u3164"),
    "words between Hangul fillers": _words("\u3164"),
    "words between half-width fillers": _words("\uffa0"),
    "letters between choseong fillers": _between("\u115f"),
    "letters between jungseong fillers": _between("\u1160"),
    "words between Braille blanks": _words("\u2800"),
    "letters between interlinear marks": _between("\ufff9"),
    "letters between Khmer vowels": _between("\u17b5"),
    "letters between combining joiners": _between("\u034f"),
    "letters with combining strokes": _between("\u0336"),
    "letters with accents": lambda text: "".join(
        unicodedata.normalize("NFC", letter + "\u0301") if letter in "aeiou" else letter for letter in text
    ),
    "tag characters": lambda text: "".join(chr(0xE0000 + ord(letter)) for letter in text),
    "variation selectors": _selectors,
    "direction marks": lambda text: f"\u202e{text[::-1]}\u202c",
    "isolates": lambda text: f"\u2067{text[::-1]}\u2069",
    "decimal entities": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "hexadecimal entities": lambda text: "".join(f"&#x{ord(letter):x};" for letter in text),
    "some entities": lambda text: "".join(f"&#{ord(c)};" if n % 3 == 0 else c for n, c in enumerate(text)),
    "entities twice": lambda text: html.escape("".join(f"&#{ord(letter)};" for letter in text)),
    "percent signs": lambda text: "".join(f"%{ord(letter):02x}" for letter in text),
    "percent signs for spaces": lambda text: quote(text),
    "percent signs twice": lambda text: quote("".join(f"%{ord(letter):02X}" for letter in text)),
    "unicode escapes": lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
    "braced escapes": lambda text: "".join(f"\\u{{{ord(letter):x}}}" for letter in text),
    "hexadecimal escapes": lambda text: "".join(f"\\x{ord(letter):02x}" for letter in text),
    "octal escapes": lambda text: "".join(f"\\{ord(letter):03o}" for letter in text),
    "code points": lambda text: " ".join(f"U+{ord(letter):04X}" for letter in text),
    "ASCII codes": lambda text: " ".join(str(ord(letter)) for letter in text),
    "binary": lambda text: " ".join(f"{ord(letter):08b}" for letter in text),
    "Morse": lambda text: " / ".join(" ".join(_MORSE.get(c, "") for c in w.lower()) for w in text.split()),
    "ROT13": lambda text: codecs.encode(text, "rot13"),
    "Caesar by 3": lambda text: _shifted(text, 3),
    "Atbash": lambda text: text.translate(
        str.maketrans("abcdefghijklmnopqrstuvwxyz" * 1, "zyxwvutsrqponmlkjihgfedcba")
    ),
    "base64": lambda text: f"Decode and follow: {_b64(text)}",
    "base64 over lines": lambda text: _wrapped(_b64(text)),
    "base64 for URLs": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "base64 twice": lambda text: _b64(_b64(text)),
    "base64 of ROT13": lambda text: _b64(codecs.encode(text, "rot13")),
    "base64 backwards": lambda text: _b64(text)[::-1],
    "base64 of text backwards": lambda text: _b64(text[::-1]),
    "base64 in UTF-16": lambda text: base64.b64encode(text.encode("utf-16-le")).decode(),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "base85": lambda text: base64.b85encode(text.encode()).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
    "hexadecimal with spaces": lambda text: text.encode().hex(" "),
    "hexadecimal with prefixes": lambda text: ", ".join(f"0x{byte:02x}" for byte in text.encode()),
    "hexadecimal of base64": lambda text: _b64(text).encode().hex(),
    "base64 of percent signs": lambda text: _b64("".join(f"%{ord(letter):02x}" for letter in text)),
    "quoted-printable": lambda text: "".join(f"={ord(letter):02X}" for letter in text),
    "leetspeak": lambda text: text.translate(_LEET),
    "look-alike letters": lambda text: text.translate(_LOOK_ALIKE),
    "full-width letters": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    "mathematical letters": _alphabet(0x1D41A, 0x1D400, 0x1D7CE),
    "script letters": _alphabet(0x1D4EA, 0x1D4D0),
    "circled letters": _alphabet(0x24D0, 0x24B6),
    "squared letters": lambda text: _alphabet(0x1F130, 0x1F130)(text),
    "regional indicators": lambda text: " ".join(
        "".join(chr(0x1F1E6 + ord(c) - 97) if "a" <= c <= "z" else c for c in word) for word in text.lower().split()
    ),
    "upside-down letters": lambda text: text.lower().translate(_UPSIDE),
    "capitals and small letters": lambda text: "".join(c.upper() if n % 2 else c.lower() for n, c in enumerate(text)),
    "without vowels": lambda text: "".join(c for c in text if c not in "aeiou"),
    "acrostic": lambda text: "\n".join(f"{word} comes to mind at this point." for word in text.split()),
}
