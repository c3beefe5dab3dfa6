"""Sessions, and the token that every form carries: signed, so that a restart forgets no one.

A session is a cookie `CONTENT.SIGNATURE`. It names the person and holds a mark of the token they signed in with, and
counts only as long as that person has that token. The token against forged requests is a signature of the session's
id: another site can neither read nor compute it. Only sessions that were signed out are kept, in the store's log.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from evenhand.store.protocol import Store
from evenhand.web.access.people import Person, Role

LIFETIME: Final = 12 * 3600
"""Seconds after which one has to sign in again."""


class Session(NamedTuple):
    """Who sends a request."""

    id: str
    name: str
    """The person's name: what they write is logged under it."""
    expires: int
    token_mark: str = ""
    """A mark of the token that the person signed in with; empty where no one has to sign in."""
    role: Role = "administrator"
    """The person's role at this moment, whatever it was when the session began."""


class Sessions:
    """Makes and reads the cookies of one server."""

    def __init__(self, secret: bytes, ended: Mapping[str, float] | None = None) -> None:
        self._key = hmac.digest(secret, b"evenhand web sessions", hashlib.sha256)
        self._ended = dict(ended or {})
        """The marks of sessions that were signed out, until they would have expired."""

    def begin(self, person: Person, now: float) -> Session:
        """A new session; of someone without a token where nobody has to sign in."""
        id, expires = secrets.token_urlsafe(16), int(now) + LIFETIME
        return Session(id, person.name, expires, self._token_mark(person), person.role)

    def cookie(self, session: Session) -> str:
        """The session as the value of a cookie."""
        content = base64.urlsafe_b64encode(json.dumps(session[:4]).encode()).decode().rstrip("=")
        return f"{content}.{self._signature('session', content)}"

    def read(self, cookie: str, people: Sequence[Person], now: float) -> Session | None:
        """The session of a cookie; None when it is not ours, has expired, was signed out, or when no one of these
        people has the name and the token that it began with. Without people, it must have begun without a token."""
        content, _, signature = cookie.partition(".")
        if not hmac.compare_digest(self._signature("session", content).encode(), signature.encode()):
            return None
        try:
            session = Session(*json.loads(base64.urlsafe_b64decode(content + "=="))[:4])
        except (ValueError, TypeError, binascii.Error):
            return None
        if session.expires <= now or session_mark(session) in self._ended:
            return None
        if not people:
            return session if not session.token_mark else None
        for person in people:
            if person.name == session.name and self._token_mark(person) == session.token_mark:
                return session._replace(role=person.role)
        return None

    def end(self, session: Session, now: float) -> None:
        """Sign out: the cookie is invalid from now on."""
        self._ended = {mark: expires for mark, expires in self._ended.items() if expires > now}
        self._ended[session_mark(session)] = session.expires

    def form_token(self, session: Session) -> str:
        """The token that every form of this session carries."""
        return self._signature("form", session.id)

    def is_form_token(self, session: Session, token: str) -> bool:
        """Whether a form came from one of our pages."""
        return hmac.compare_digest(self.form_token(session).encode(), token.encode())

    def _token_mark(self, person: Person) -> str:
        return self._signature("token", person.token)[:32] if person.token else ""

    def _signature(self, purpose: str, content: str) -> str:
        return hmac.digest(self._key, f"{purpose}:{content}".encode(), "sha256").hex()


SIGNED_OUT: Final = "signed out"
"""What the log calls the end of a session; its subject is the session's mark."""


def session_mark(session: Session) -> str:
    """Tells a session apart in the log, which everyone can read."""
    return hashlib.sha256(session.id.encode()).hexdigest()[:16]


def signed_out(store: Store, now: float, part: int = 1000) -> dict[str, float]:
    """The marks of sessions that were signed out and could still be sent, from the log, with when that ends."""
    ended: dict[str, float] = {}
    before: int | None = None
    while entries := store.log_entries(before=before, limit=part):
        recent = [entry for _, entry in entries if _epoch(entry.moment) + LIFETIME > now]
        ended |= {entry.subject: _epoch(entry.moment) + LIFETIME for entry in recent if entry.action == SIGNED_OUT}
        if not recent:
            break
        before = entries[-1][0]
    return ended


def _epoch(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()
