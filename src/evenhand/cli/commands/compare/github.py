"""`evenhand gate --github`: inputs from the environment; annotations, step summary, outputs and one comment.

Only the comment needs the network: GitHub's API, with the token in EVENHAND_GITHUB_TOKEN.
A comment that cannot be written, as on a pull request from a fork, is a notice: it never changes the gate's result.
"""

from __future__ import annotations

import glob
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from evenhand.cli.ci_formats import GateResult, gate_rows, gate_writers
from evenhand.cli.presenter import write, write_as
from evenhand.clock import new_id
from evenhand.errors import InputError

PREFIX = "EVENHAND_GATE_"
_OPTIONS = ("skill", "min-score", "min-grade", "no-fault", "against", "store")
"""Options that the action sets as variables; settings such as gate.margin have the same variables."""
LONGEST_SUMMARY = 1_000_000
LONGEST_COMMENT = 65_000
TOKEN = "EVENHAND_GITHUB_TOKEN"


def environment_arguments(environment: Mapping[str, str]) -> list[str]:
    """The gate's arguments from EVENHAND_GATE_MIN_GRADE and so on, as the action sets them; an empty one is not set."""
    arguments = []
    for option in _OPTIONS:
        value = environment.get(PREFIX + option.upper().replace("-", "_"), "").strip()
        if value:
            arguments.append(f"--{option}={value}")
    calibration = environment.get(f"{PREFIX}REQUIRE_CALIBRATION", "").strip()
    if calibration.lower() not in ("", "false"):
        arguments.append(f"--require-calibration={'' if calibration.lower() == 'true' else calibration}")
    if environment.get(f"{PREFIX}BETTER", "").strip().lower() == "true":
        arguments.append("--better")
    arguments += [f"--no-red-flag={flag}" for flag in _lines(environment.get(f"{PREFIX}NO_RED_FLAG", ""))]
    arguments += [f"--also={also}" for also in _lines(environment.get(f"{PREFIX}ALSO", ""))]
    return [*arguments, *_files(environment.get(f"{PREFIX}FILES", ""))]


def with_causes(result: GateResult, environment: Mapping[str, str] = os.environ) -> GateResult:
    """The result with why the step before could not judge: no file matched, no key, a server out of reach.

    Where it judged nothing, that is all there is to say: that its file of scorecards is empty tells no one anything.
    """
    causes = [InputError(cause) for cause in _lines(environment.get(f"{PREFIX}CAUSE", ""))]
    return result._replace(errors=[*causes, *(result.errors if result.cards else ())]) if causes else result


def _lines(text: str) -> Iterator[str]:
    return (line.strip() for line in text.splitlines() if line.strip())


def _files(text: str) -> Iterator[str]:
    """One file a line, or a pattern such as `scorecards/*.json`; a name is never taken for an option."""
    for line in _lines(text):
        paths = [line] if Path(line).exists() else sorted(glob.glob(line, recursive=True)) or [line]  # noqa: PTH207 (absolute patterns too)
        yield from (f"./{name}" if name.startswith("-") else name for name in paths)


@contextmanager
def no_commands() -> Iterator[None]:
    """What is printed inside is text for people: nothing that was judged can give the runner a command."""
    token = new_id()
    _print_now(f"::stop-commands::{token}\n")
    try:
        yield
    finally:
        _print_now(f"::{token}::\n")


def _print_now(text: str) -> None:
    sys.stderr.flush()
    write(text)
    sys.stdout.flush()


def report(result: GateResult, environment: Mapping[str, str] = os.environ) -> None:
    """Everything GitHub shows of a gate."""
    from evenhand.cli.locations import located_remarks
    from evenhand.reports.exchange.github import gate_markdown

    write_as("github", gate_writers(result))
    remarks = located_remarks(entry.card for entry in result.cards)
    errors = [str(error) for error in result.errors]
    rows = gate_rows(result)
    texts = {longest: gate_markdown(rows, remarks, errors, longest=longest, advice=result.advice)
             for longest in (LONGEST_SUMMARY, LONGEST_COMMENT)}  # fmt: skip
    _append(environment, "GITHUB_STEP_SUMMARY", texts[LONGEST_SUMMARY])
    red = sum(ruling.colour == "red" for ruling in result.rulings)
    _append(environment, "GITHUB_OUTPUT", f"result={result.outcome.word}\nred={red}\njudged={len(result.cards)}\n")
    _comment(texts[LONGEST_COMMENT], environment)


def _append(environment: Mapping[str, str], variable: str, text: str) -> None:
    path = environment.get(variable)
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise InputError(f"{variable} names {path}, which cannot be written: {error.strerror}") from None


def _comment(body: str, environment: Mapping[str, str]) -> None:
    """One comment on the pull request, updated on every run; none without a token or a pull request."""
    token, number = environment.get(TOKEN, "").strip(), _pull_request(environment)
    if not token or number is None:
        return
    key = "".join(c for c in environment.get("EVENHAND_COMMENT_KEY", "") if c.isalnum() or c in " ._-") or "gate"
    try:
        comments = Comments(
            environment.get("GITHUB_API_URL") or "https://api.github.com",
            environment.get("GITHUB_REPOSITORY", ""),
            token,
            author=environment.get("EVENHAND_COMMENT_AUTHOR") or "github-actions[bot]",
        )
        comments.put(number, f"<!-- evenhand {key} -->", body)
    except CommentFailed as failure:
        from evenhand.reports.exchange.github import annotation

        text = f"{failure}; the result is in the job's summary"
        write(annotation("notice", text, title="evenhand: no comment") + "\n")


def _pull_request(environment: Mapping[str, str]) -> int | None:
    path = environment.get("GITHUB_EVENT_PATH")
    try:
        event = json.loads(Path(path).read_text(encoding="utf-8")) if path else {}
        number = event["pull_request"]["number"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return number if isinstance(number, int) else None


TIMEOUT = 10.0
MOST_PAGES = 30
PAGE = 100


class CommentFailed(Exception):
    """The comment was not written; says why."""


class _NoRedirects(HTTPRedirectHandler):
    """The token goes to the address that was given and nowhere else."""

    def redirect_request(self, *arguments: Any) -> None:
        return None


class Comments:
    """The comments on a repository's pull requests."""

    def __init__(self, api: str, repository: str, token: str, *, author: str) -> None:
        host = urlsplit(api).hostname or ""
        if not api.startswith("https://") and host not in ("localhost", "127.0.0.1", "::1"):
            raise CommentFailed(f"the token would be sent unencrypted to {api}")
        if not re.fullmatch(r"[\w-]+/(?!\.\.?$)[\w.-]+", repository):
            raise CommentFailed(f'"{repository}" is not the name of a repository, such as owner/name')
        self._start = f"{api.rstrip('/')}/repos/{repository}/issues"
        self._token = token
        self._author = author
        self._opener = build_opener(_NoRedirects)

    def put(self, number: int, marker: str, body: str) -> None:
        """Update the comment that begins with the marker, or write a new one.

        Only a comment by our own author is touched: anybody can write one that begins with the marker.
        """
        text = f"{marker}\n{body}"
        known = self._find(number, marker)
        if known is None:
            self._call("POST", f"/{number}/comments", {"body": text})
        else:
            self._call("PATCH", f"/comments/{known}", {"body": text})

    def _find(self, number: int, marker: str) -> int | None:
        for page in range(1, MOST_PAGES + 1):
            comments = self._call("GET", f"/{number}/comments?per_page={PAGE}&page={page}")
            if not isinstance(comments, list):
                raise CommentFailed("GitHub did not answer with a list of comments")
            for comment in comments:
                match comment:
                    case {"id": int() as id, "body": str() as body, "user": {"login": login}} if login == self._author:
                        if body.startswith(marker):
                            return id
            if len(comments) < PAGE:
                break
        return None

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        request = Request(
            self._start + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self._token}",
                "Accept": "application/vnd.github+json",
                "Content-Type": "application/json",
                "User-Agent": "evenhand",
            },
        )
        try:
            with self._opener.open(request, timeout=TIMEOUT) as reply:
                return json.loads(reply.read())
        except HTTPError as error:
            why = "the token may not write comments" if error.code in (401, 403, 404) else "GitHub refused it"
            raise CommentFailed(f"{why} (status {error.code})") from None
        except (URLError, OSError, ValueError) as error:
            raise CommentFailed(f"GitHub could not be reached: {type(error).__name__}") from None
