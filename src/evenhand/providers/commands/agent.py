"""What an agent command is to a judge: how to ask it without tools, and how to read what it prints."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, NoReturn

from evenhand.providers.commands.process import Finished
from evenhand.providers.commands.wire import Wire
from evenhand.providers.exchange import CallFailed, Reply
from evenhand.providers.http.failures import one_line


class Prompt(NamedTuple):
    """One question to a command."""

    system: str
    user: str
    schema: str | None = None
    """The reply's JSON Schema, as JSON."""
    most: Decimal | None = None
    """The most the call may cost, in US dollars."""


Run = Callable[[Sequence[str]], Finished]
"""Runs the command with these arguments and a short time limit."""


class Invocation(NamedTuple):
    """How a command is called."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    """Variables in addition to those passed on."""
    stdin: str
    """Standard input."""


class Outcome(NamedTuple):
    """What came of a call."""

    reply: Reply
    model: str = ""
    """The model that the command says it uses; empty when it does not say."""
    window: int | None = None


class Agent(ABC):
    """One of the commands, with the model it is to use."""

    name: ClassVar[str]
    executable: ClassVar[str]
    package: ClassVar[str]
    """Its npm package."""
    login: ClassVar[str]
    """How to log in."""
    variables: ClassVar[tuple[str, ...]]
    """The environment variables in which a login or an address may be."""
    address: ClassVar[str]
    """The variable that names another server than the command's own."""
    wire: ClassVar[Wire]
    """The API it uses to talk to its model."""
    harmless: ClassVar[frozenset[str]]
    """Tools that reach nothing: the one that delivers a structured reply."""
    reports_cost: ClassVar[bool] = False
    """Whether its replies say what they cost."""
    model: str
    window: int | None
    """How many tokens the model takes; None when unknown."""

    @classmethod
    def configured(cls, environment: Mapping[str, str]) -> dict[str, str]:
        """Variables in addition to `variables` that the user's own configuration of the command needs. InputError when
        it names a server to which a judge cannot be sent."""
        return {}

    @abstractmethod
    def __init__(self, model: str, run: Run, environment: Mapping[str, str]) -> None:
        """With the model that the user named, or an empty name; `run` asks the command about its models."""

    @abstractmethod
    def invocation(self, prompt: Prompt, work: Path, files: Path, address: str | None = None) -> Invocation:
        """The call that asks a question. `work` is its working folder, `files` one for files it needs; `address` is
        that of a scripted model."""

    @abstractmethod
    def read(self, finished: Finished) -> Outcome:
        """The reply in its output; CallFailed when there is none, or when it has tools."""

    def memory(self, body: Any, prompt: Prompt) -> str:
        """What of the user's own instructions a request shows, and how to avoid it; empty when nothing is shown."""
        return ""

    @staticmethod
    @abstractmethod
    def logged_in(run: Run, environment: Mapping[str, str]) -> bool:
        """Whether it has a login or a key, without asking a server."""


def events(output: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a command's output, one per line; other lines are skipped."""
    for line in output.splitlines():
        if line.startswith("{"):
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict):
                yield event


_CAUSES = (
    (r"not logged in|please run /login|log ?in again|\b401\b|unauthorized|authenticat|invalid.{0,9}api key|auth method",
     "rejected", "is not logged in"),
    (r"usage limit|quota|rate.?limit|\b429\b|resource.?exhausted|too many requests|credit|billing", "limited",
     "is out of quota"),
    (r"too long|too large|context (length|window)|maximum context", "rejected", "cannot take a question this long"),
    (r"model.{0,40}(not|isn't|does not) (exist|found|available|supported|have access)|\b404\b", "rejected",
     "cannot use this model"),
    (r"unable to connect|connection|network|ENOTFOUND|ECONNREFUSED|timed? out|stream disconnected", "unreachable",
     "cannot reach its server"),
)  # fmt: skip
"""What went wrong, by the command's own words: the kind of failure, and how to put it."""


def fail(agent: Agent, reason: str) -> NoReturn:
    """Raise CallFailed in plain words, with the command's own words after them."""
    for pattern, kind, words in _CAUSES:
        if re.search(pattern, reason, re.IGNORECASE):
            hint = f"; {agent.login}" if "logged in" in words else ""
            raise CallFailed(f"{agent.name} {words}{hint}: {one_line(reason, None)}", kind=kind)  # type: ignore[arg-type]
    raise CallFailed(f"{agent.name} gave no reply: {one_line(reason, None) or 'it printed nothing'}", kind="server")


def has_tools(agent: Agent, tools: Sequence[str]) -> NoReturn:
    """Raise CallFailed: a judge must not do anything but read and answer."""
    listed = ", ".join(tools)
    raise CallFailed(f"{agent.name} has tools although they were turned off: {listed}", kind="rejected")
