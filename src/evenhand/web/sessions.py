"""Sessions, and the token that every form carries: signed, so that nothing is kept and a restart forgets no one.

A session is a cookie `CONTENT.SIGNATURE`. The token against forged requests is a signature of the session's id:
another site can neither read nor compute it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from typing import Final, NamedTuple

LIFETIME: Final = 12 * 3600
"""Seconds after which one has to sign in again."""


class Session(NamedTuple):
    """Who sends a request."""

    id: str
    name: str
    """The person's name: what they write is logged under it."""
    expires: int


class Sessions:
    """Makes and reads the cookies of one server."""

    def __init__(self, secret: bytes) -> None:
        self._key = hmac.digest(secret, b"evenhand web sessions", hashlib.sha256)
        self._ended: dict[str, int] = {}
        """Sessions that were signed out, until they would have expired."""

    def begin(self, name: str, now: float) -> Session:
        """A new session."""
        return Session(secrets.token_urlsafe(16), name, int(now) + LIFETIME)

    def cookie(self, session: Session) -> str:
        """The session as the value of a cookie."""
        content = base64.urlsafe_b64encode(json.dumps(session).encode()).decode().rstrip("=")
        return f"{content}.{self._signature('session', content)}"

    def read(self, cookie: str, now: float) -> Session | None:
        """The session of a cookie; None when it is not ours, has expired or was signed out."""
        content, _, signature = cookie.partition(".")
        if not hmac.compare_digest(self._signature("session", content).encode(), signature.encode()):
            return None
        try:
            session = Session(*json.loads(base64.urlsafe_b64decode(content + "==")))
        except (ValueError, TypeError, binascii.Error):
            return None
        return None if session.expires <= now or session.id in self._ended else session

    def end(self, session: Session, now: float) -> None:
        """Sign out: the cookie is worth nothing from now on."""
        self._ended = {id: expires for id, expires in self._ended.items() if expires > now}
        self._ended[session.id] = session.expires

    def form_token(self, session: Session) -> str:
        """What every form of this session carries."""
        return self._signature("form", session.id)

    def is_form_token(self, session: Session, token: str) -> bool:
        """Whether a form came from one of our pages."""
        return hmac.compare_digest(self.form_token(session).encode(), token.encode())

    def _signature(self, purpose: str, content: str) -> str:
        return hmac.new(self._key, f"{purpose}:{content}".encode(), hashlib.sha256).hexdigest()
