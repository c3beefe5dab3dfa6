"""An agent command as a provider: one request in, one reply out, each in its own empty folder."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from evenhand.errors import InputError
from evenhand.providers.commands.agent import Agent, Outcome, Prompt
from evenhand.providers.commands.process import Finished, Process, minimal
from evenhand.providers.commands.rehearsal import rehearse
from evenhand.providers.exchange import CallFailed, Reply, Request
from evenhand.providers.http.client import written
from evenhand.providers.known import Configured, KnownProvider, Standing
from evenhand.providers.limits import Slots
from evenhand.providers.prices import Price

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = 600.0
"""The time limit of a call, unless `total_timeout` is set: an agent command may think for minutes."""
CONCURRENCY = 2
"""Commands at once, unless `concurrency` is set: each is a program of a few hundred megabytes."""
QUICK = 20.0
"""Seconds for a command that asks no model, such as `--version`."""
MOST_PER_CALL = Decimal(1)
"""US dollars: what a call may cost at most when the whole run has a limit."""
LONGEST_ARGUMENT = 120_000
"""Bytes; Linux takes no argument above 128 KiB."""


class Installed(NamedTuple):
    """A command that is on the PATH."""

    path: str
    version: str
    environment: dict[str, str]

    def run(self, arguments: Sequence[str]) -> Finished:
        """Run it for something that asks no model."""
        with _folders() as (work, _, logs):
            process = Process([self.path, *arguments], folder=work, logs=logs, environment=self.environment)
            return process.finish(QUICK)


class AgentCommand:
    """A provider that asks an agent command."""

    def __init__(self, agent: Agent, installed: Installed, *, name: str, table: Configured) -> None:
        address = urlsplit(installed.environment.get(agent.address, ""))
        self.identity: Mapping[str, str] = {
            "name": name,
            "provider": agent.name,
            "model": agent.model,
            "version": installed.version,
            **(
                {"address": f"{address.scheme}://{address.netloc.rpartition('@')[2]}{address.path}"}
                if address.netloc
                else {}
            ),
        }
        self.window = table.window or agent.window
        self.price: Price | None = table.price(agent.model)
        self.reports_cost = agent.reports_cost
        """Whether its replies say what they cost."""
        self.most_per_call: Decimal | None = None
        self._agent = agent
        self._installed = installed
        self._seconds = table.total_timeout or SECONDS
        self._slots = Slots(table.concurrency or CONCURRENCY)

    def limit_cost(self, most: Decimal) -> None:
        """Let no call cost more than a quarter of the run's limit, or than a dollar. What a call may cost is reserved,
        so a whole limit for one call would leave nothing for the second."""
        self.most_per_call = min(most / 4, MOST_PER_CALL)

    async def ask(self, request: Request) -> Reply:
        """One reply; CallFailed when there is none."""
        async with self._slots:
            outcome = await self._answer(_prompt(request, self.most_per_call if self.reports_cost else None))
        if outcome.model not in ("", self.identity["model"]):
            expected = self.identity["model"]
            reason = f"{self._agent.name} used the model {outcome.model}, not {expected}; its reply is not counted"
            raise CallFailed(reason, kind="rejected")
        return outcome.reply

    async def models(self) -> tuple[str, ...]:
        """The model it uses."""
        return (self.identity["model"],)

    async def close(self) -> None:
        """Nothing to release: every process ends with its call."""

    async def _answer(self, prompt: Prompt) -> Outcome:
        with _folders() as (work, files, logs):
            call = self._agent.invocation(prompt, work, files)
            if any(len(argument.encode()) > LONGEST_ARGUMENT for argument in call.arguments):
                raise CallFailed(f"{self._agent.name}: the reply's schema is too long for a command", kind="rejected")
            process = Process(
                [self._installed.path, *call.arguments],
                folder=work,
                logs=logs,
                environment={**self._installed.environment, **call.environment},
                input_text=call.stdin,
            )
            try:
                finished = await asyncio.to_thread(process.finish, self._seconds)
            except asyncio.CancelledError:
                process.kill()
                raise
        if finished.timed_out:
            raise CallFailed(
                f"{self._agent.name} gave no reply within {self._seconds:g} seconds; "
                f"set total_timeout under [judges.{self._agent.name}] to wait longer",
                kind="timeout",
            )
        return self._agent.read(finished)


SETTINGS = ("model", "window", "concurrency", "price_input", "price_output", "prices", "total_timeout")
"""What `[judges.NAME]` may set for a command."""


def agent_provider(agent: type[Agent], title: str, *, place: int) -> KnownProvider:
    """The declaration of an agent command."""
    return KnownProvider(
        agent.name,
        f"{title}, an [agent command](model-judge.md#agent-commands) with its own login and no tools",
        form=f"{agent.name}[:MODEL]",
        place=place,
        kind="command",
        open=partial(open_command, agent),
        status=partial(command_status, agent),
        settings=SETTINGS,
        needs_model=False,
        auto="one call per submission, covered by your plan or billed to your key",
    )


def open_command(
    kind: type[Agent], text: str, model: str, table: Configured, environment: Mapping[str, str]
) -> AgentCommand:
    """The provider for an agent command, after a rehearsal. InputError when it is missing or could use tools."""
    installed = find(kind, environment)
    agent = kind(model, installed.run, installed.environment)
    rehearsed = rehearse(agent, installed.path, installed.environment)
    agent.model = rehearsed.model
    agent.window = agent.window or rehearsed.window
    return AgentCommand(agent, installed, name=text, table=table)


def command_status(kind: type[Agent], table: Configured, environment: Mapping[str, str], strict: bool) -> Standing:
    """Whether a command is installed, logged in, and with `strict` tested. No model is asked."""
    name, model = kind.name, table.model
    try:
        installed = find(kind, environment)
        ready = kind.logged_in(installed.run, installed.environment)
        detail = f"version {installed.version}, " + ("logged in" if ready else f"not logged in; {kind.login}")
        if strict:
            provider = open_command(kind, name, table.model or "", table, environment)
            model = provider.identity["model"]
            detail += f"; uses {model}; tested: no tools, cannot read files"
    except InputError as error:
        if strict:
            raise
        return Standing(name, answers=None, detail=str(error).removeprefix(f"{name} is "), prices=table.prices)
    price = table.price(model) if model else None
    return Standing(name, answers=ready, detail=detail, model=model, price=price, prices=table.prices)


def find(kind: type[Agent], environment: Mapping[str, str]) -> Installed:
    """A command on the PATH, with its version. InputError when it is not there or does not run."""
    name = kind.name
    if os.name == "nt":
        raise InputError(f"{name} can be a judge on Linux and macOS only; on Windows, use WSL")
    path = shutil.which(kind.executable, path=environment.get("PATH", ""))
    if path is None:
        raise InputError(
            f"{name} is not installed: there is no command {kind.executable}; "
            f"install it with: npm install -g {kind.package}"
        )
    variables = {**minimal(environment, kind.variables), **kind.configured(environment)}
    installed = Installed(str(Path(path).absolute()), "", variables)
    version = re.search(r"\d+\.\d+[\w.+-]*", installed.run(["--version"]).output)
    if version is None:
        raise InputError(f"{name} does not work: {path} --version prints no version; install it again")
    return installed._replace(version=version[0])


def _prompt(request: Request, most: Decimal | None) -> Prompt:
    """A request as one question. A rejected reply is left out; the repair request says what was wrong with it."""
    system = [message.content for message in request.messages if message.role == "system"]
    user = [message.content for message in request.messages if message.role == "user"]
    schema = None if request.schema is None else written(request.schema)
    return Prompt("\n\n".join(system), "\n\n".join(user), schema, most)


@contextmanager
def _folders() -> Iterator[tuple[Path, Path, Path]]:
    """An empty folder to work in, one for the files a command is given, and one for what it prints."""
    with TemporaryDirectory(prefix="evenhand-", ignore_cleanup_errors=True) as folder:
        places = [Path(folder) / name for name in ("work", "given", "logs")]
        for place in places:
            place.mkdir()
        yield places[0], places[1], places[2]
