"""Who may use the dashboard: everyone on this machine, or the people who hold a token."""

from __future__ import annotations

import ipaddress
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from hmac import compare_digest
from pathlib import Path
from typing import Final, Literal, NamedTuple

from evenhand.errors import InputError, Problem
from evenhand.in_words import listed

TOKEN_VARIABLE: Final = "EVENHAND_WEB_TOKEN"
"""Holds a token that readers must give; a file with one for each person is given with --token-file."""

SHORTEST_TOKEN: Final = 22
"""Characters of a token: 22 of base64 hold 128 bits."""

LOOPBACK_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")


Role = Literal["reader", "reviewer", "administrator"]
ROLES: Final[tuple[Role, ...]] = ("reader", "reviewer", "administrator")
"""Each may do what those before it may: read; write notes and review; start rounds of review."""


class Person(NamedTuple):
    """Someone who uses the dashboard."""

    name: str
    token: str = ""
    """What they sign in with; empty where nobody has to."""
    role: Role = "administrator"


def people_now(file: str | None, environment: Mapping[str, str] = os.environ) -> Callable[[], tuple[Person, ...]]:
    """A function that returns the current people, so that removing someone from the file takes effect at once.

    The file is read each time, since its time of change says nothing about two changes within one tick of the clock.
    """
    text = None if file is None else _text_of(file)
    people = people_from(file, environment)

    def now() -> tuple[Person, ...]:
        nonlocal text, people
        if file is not None and (current := _text_of(file)) != text:
            people = people_from(file, environment)
            text = current
        return people

    return now


def people_from(file: str | None, environment: Mapping[str, str] = os.environ) -> tuple[Person, ...]:
    """The people of a token file, and the holder of the token in the environment; none when neither is given."""
    people = [] if file is None else _people_in(file, _text_of(file))
    token = environment.get(TOKEN_VARIABLE, "")
    if token:
        problem = _weakness(token)
        if problem:
            raise InputError(f"{TOKEN_VARIABLE}: {problem}")
        people.append(Person("reader", token))
    return tuple(people)


def _text_of(file: str) -> str:
    """What a token file holds. InputError where everyone on this machine can read it, and so sign in as anyone."""
    try:
        if os.name == "posix" and Path(file).stat().st_mode & stat.S_IROTH:
            raise InputError(Problem(f"everyone on this machine can read the tokens; run: chmod o-r {file}", file))
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(Problem(f"the token file cannot be read: {why}", file)) from None


def _people_in(file: str, text: str) -> list[Person]:
    people: list[Person] = []
    problems = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        name, token = ("reader", words[0]) if len(words) == 1 else (words[0], words[1])
        role = next((role for role in ROLES if [role] == words[2:]), None) if len(words) > 2 else "administrator"
        wrong = _weakness(token) if role else f"a line is NAME TOKEN ROLE, or NAME TOKEN; a role is {_CHOICE}"
        if not wrong and any(person.token == token for person in people):
            wrong = "this token is on an earlier line; give every person a token of their own"
        if wrong:
            problems.append(Problem(wrong, file, number))
        people.append(Person(name, token, role or "reader"))
    if not people:
        problems.append(Problem("holds no token; write a line NAME TOKEN for each person", file))
    if problems:
        raise InputError(problems)
    return people


_CHOICE: Final = listed(ROLES, "or")


def _weakness(token: str) -> str:
    """Why a token can be guessed, or nothing."""
    if len(token) < SHORTEST_TOKEN or len(set(token)) < SHORTEST_TOKEN // 3:
        return f"the token is too easy to guess; make one of {SHORTEST_TOKEN} characters or more: openssl rand -hex 16"
    return "" if token.isascii() and token.isprintable() else "a token must consist of printable ASCII characters"


def holder(people: Sequence[Person], token: str) -> Person | None:
    """The person who holds a token. Compares every token, so that timing reveals nothing."""
    presented = token.encode()
    matches = [person for person in people if compare_digest(person.token.encode(), presented)]
    return matches[0] if matches else None


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def refuse_open_door(host: str, people: Sequence[Person]) -> None:
    """InputError when other machines could connect without a token."""
    if not people and not is_loopback(host):
        raise InputError(
            f"--host {host} lets other machines connect; set {TOKEN_VARIABLE} to a token they must give "
            f"(openssl rand -hex 16 makes one), or name a file of tokens with --token-file, or use 127.0.0.1"
        )
