"""Keys: where they come from, and how their text is kept out of everything that is shown or stored."""

from __future__ import annotations

import re
from collections.abc import Mapping

from evenhand.errors import InputError

SERVICE = "evenhand"
"""The name under which a keyring keeps our keys; the user is the provider's name."""

SHOWN = "[key]"
"""What stands in a text where a key stood."""


SHORTEST = 12
"""Shorter ones are words such as "none" or "test" that one's own servers are given: no secret, and in any text."""


class Key:
    """A key that shows itself to nobody: its text is had only by `reveal`, for the header of a call."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The key itself. Only what builds a request's headers calls this."""
        return self._text

    def scrub(self, text: str) -> str:
        """A text without the key, nor a word that begins or ends as the key does: servers echo keys half masked."""
        if len(self._text) < SHORTEST:
            return text
        text = text.replace(self._text, SHOWN)
        head, tail = re.escape(self._text[:6]), re.escape(self._text[-4:])
        return re.sub(rf"{head}[^\s\"',;]*|[^\s\"',;]*\*[^\s\"',;]*{tail}", SHOWN, text)

    def scrub_bytes(self, content: bytes) -> bytes:
        """What a server sent, without the whole key: nothing that is kept of a reply may hold it."""
        if len(self._text) < SHORTEST:
            return content
        return content.replace(self._text.encode(), SHOWN.encode())

    def __repr__(self) -> str:
        return SHOWN

    def __reduce__(self) -> str:
        raise TypeError("a key is not written down")


def find_key(
    provider: str, variable: str | None, environment: Mapping[str, str], *, keyring: bool = True
) -> Key | None:
    """A provider's key: from its environment variable, else from a keyring if the package `keyring` is there."""
    text = (environment.get(variable) or "").strip() if variable else ""
    place = f"the environment variable {variable}"
    if not text and keyring:
        text, place = _from_keyring(provider), f"the keyring ({SERVICE}, {provider})"
    if not text:
        return None
    if not text.isascii() or not text.isprintable() or " " in text:
        raise InputError(f"{place} holds no key: there is a character in it that no key has; set it again")
    return Key(text)


def _from_keyring(provider: str) -> str:
    try:
        import keyring
    except ImportError:
        return ""
    try:
        return (keyring.get_password(SERVICE, provider) or "").strip()
    except Exception:  # a locked or missing keyring has no key for us, whatever its backend raises
        return ""
