"""API keys: where they come from, and how they are kept out of everything that is shown or stored."""

from __future__ import annotations

import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Mapping, Sequence

from evenhand.errors import InputError

SERVICE = "evenhand"
"""The service name of our keys in a keyring; the user name is the provider's name."""

SHOWN = "[key]"
"""Replaces a key in a text."""


SHORTEST = 12
"""Shorter keys are placeholders such as "none" or "test" for local servers: not secret, and common words."""

_ESCAPED = re.compile(rb"\\(?:u00[2-7]|/)")
"""A character of a key that JSON need not escape, escaped; other characters, such as a quotation mark, always are."""


class Key:
    """A key that does not print itself: only `reveal` returns its text, for the header of a call."""

    __slots__ = ("_always_escaped", "_encoded", "_encoded_bytes", "_masked", "_text", "_whole", "_whole_bytes")

    def __init__(self, text: str) -> None:
        self._text = text
        self._always_escaped = any(char in text for char in '"\\')
        spelled = "".join(map(_in_any_escape, text))
        head, tail = "".join(map(_in_any_escape, text[:6])), re.escape(text[-4:])
        self._whole = re.compile(spelled)
        self._whole_bytes = re.compile(spelled.encode())
        self._encoded = re.compile("|".join(map(_in_any_escape_of_slash, _in_base64(text))))
        self._encoded_bytes = re.compile(self._encoded.pattern.encode())
        self._masked = re.compile(rf"{head}[^\s\"',;]*|[^\s\"',;]*\*[^\s\"',;]*{tail}")

    def reveal(self) -> str:
        """The key itself. Only what builds a request's headers calls this."""
        return self._text

    def scrub(self, text: str) -> str:
        """A text without the key, or words that start or end like it: servers echo keys half masked."""
        if len(self._text) < SHORTEST:
            return text
        return self._masked.sub(SHOWN, self._encoded.sub(SHOWN, self._whole.sub(SHOWN, text)))

    def scrub_bytes(self, content: bytes) -> bytes:
        """A response without the key, so that nothing stored of a reply contains it, however JSON spells it there, and
        not in base64 either."""
        if len(self._text) < SHORTEST:
            return content
        content = self._encoded_bytes.sub(SHOWN.encode(), content)
        # A quick look first: most replies have no such escapes.
        escapes = b"u00" in content or ("/" in self._text and b"\\/" in content)
        if self._always_escaped or (escapes and _ESCAPED.search(content)):
            return self._whole_bytes.sub(SHOWN.encode(), content)
        return content.replace(self._text.encode(), SHOWN.encode())

    def __repr__(self) -> str:
        return SHOWN

    def __reduce__(self) -> str:
        raise TypeError("a key cannot be serialised")


class Keys(Key):
    """Several secrets that are removed together, such as a key and the token of a gateway."""

    __slots__ = ("_all",)

    def __init__(self, keys: Sequence[Key]) -> None:
        super().__init__("")
        self._all = tuple(keys)

    def reveal(self) -> str:
        """There is not one text."""
        raise TypeError("several keys have no single text")

    def scrub(self, text: str) -> str:
        """A text without any of them."""
        for key in self._all:
            text = key.scrub(text)
        return text

    def scrub_bytes(self, content: bytes) -> bytes:
        """A response without any of them."""
        for key in self._all:
            content = key.scrub_bytes(content)
        return content


def _in_any_escape(char: str) -> str:
    """A pattern for a character as JSON may spell it, also in JSON that is itself a string in JSON."""
    return rf"(?:\\*{re.escape(char)}|\\+u(?i:{ord(char):04x}))"


def _in_base64(text: str) -> set[str]:
    """How a key reads inside base64, wherever it begins there, in both alphabets.

    The first and last character are left out where they depend on what is around the key.
    """
    spellings = set()
    for before in range(3):
        first = (8 * before + 5) // 6
        last = 8 * (before + len(text)) // 6
        for encode in (b64encode, urlsafe_b64encode):
            spellings.add(encode(b"\0" * before + text.encode() + b"\0" * 2).decode()[first:last])
    return spellings


def _in_any_escape_of_slash(text: str) -> str:
    """A pattern for base64 in JSON, which may escape a slash."""
    return re.escape(text).replace("/", r"\\*/")


def find_key(
    provider: str, variable: str | None, environment: Mapping[str, str], *, keyring: bool = True
) -> Key | None:
    """A provider's key: from its environment variable, else from a keyring if the package `keyring` is there."""
    text = (environment.get(variable) or "").strip() if variable else ""
    place = f"the environment variable {variable}"
    if not text and keyring:
        text, place = _from_keyring(provider), f"the keyring ({SERVICE}, {provider})"
    return checked_key(text, place) if text else None


def checked_key(text: str, place: str) -> Key:
    """A key that can be sent in a header; InputError names the place it came from, and never the text."""
    if not text.isascii() or not text.isprintable() or " " in text:
        raise InputError(f"{place} does not hold a valid key: it contains a character that no key has; set it again")
    return Key(text)


def _from_keyring(provider: str) -> str:
    try:
        import keyring
    except ImportError:
        return ""
    try:
        return (keyring.get_password(SERVICE, provider) or "").strip()
    except Exception:  # backends raise anything when a keyring is locked or missing
        return ""
