"""Tests, builds and linters that a transcript shows were run, and how they ended. Pure.

A command is a run only when the shell grammar says so: `pytest -q` is one, `grep pytest` and `pytest --version` are
not. A command or tool that is not known could be a run, so where one follows the last change nothing is reported.
"""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache
from typing import Final, NamedTuple

from evenhand.checks.facts.actions.files_written import files_written
from evenhand.checks.facts.actions.scratch_files import is_scratch
from evenhand.checks.facts.actions.shell import commands, runs, was_refused
from evenhand.checks.subject import Subject
from evenhand.work.submission import Event, ToolCall

_RUNNERS = {
    "tests": "pytest|py.test|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|unittest|cargo test|cargo nextest|go test"
    "|npm t|mix test|dotnet test|swift test|deno test|rails test|bazel test|mvn test|mvn verify|gradle test"
    "|gradle check|playwright test|manage.py test|npm *test*|npm run *test*|make *test*|make check",
    "build": "tsc|ninja|webpack|xcodebuild|cargo build|cargo check|go build|dotnet build|swift build|docker build"
    "|bazel build|mvn package|mvn compile|mvn verify|gradle build|vite build|next build|mix compile|poetry build"
    "|npm run *build*|npm build|make all|make *build*|make compile",
    "linter": "ruff|flake8|pylint|eslint|biome|black|prettier|mypy|pyright|tsc|golangci-lint|rubocop|shellcheck"
    "|stylelint|pre-commit|go vet|cargo clippy|npm run *lint*|npm *lint*|npm run *type*|make *lint*|make *type*",
}


RUNNERS: Final = {
    kind: rf"(?<!\S)(?:{entries.replace('.', '[.]').replace('*', '[^ ]*')})(?!\S)" for kind, entries in _RUNNERS.items()
}
"""What runs each kind: words that follow one another in a command, its options left out."""


_ALIKE = {
    "yarn": "npm",
    "pnpm": "npm",
    "bun": "npm",
    "just": "make",
    "rake": "make",
    "mvnw": "mvn",
    "gradlew": "gradle",
}


_NO_RUN = {"--version", "--help", "-h", "--collect-only", "--co", "--list", "--dry-run", "install", "add", "remove"}


_HARMLESS = frozenset(  # they look, move or fetch, and so test nothing
    "ls cat grep rg find fd head tail less wc sort uniq cut awk sed tr echo printf pwd cd mkdir touch cp mv rm ln git"
    " gh which file stat du df tree diff jq date sleep true false test export chmod kill ps pip pip3 nl tee"
    " apply_patch whoami uname basename dirname realpath column curl wget tar unzip [".split()
)


_NESTED = r"\$\(|`|<\(|xargs|-exec"


_QUIET_TOOL = (
    r"(?i)read|write|edit|grep|glob|search|fetch|list|^ls$|view|todo|plan|patch|open|find|think|replace|insert|create"
    r"|^Task(?:Update|Get|Stop)$"
)
_MAY_RUN_TOOL = r"(?i)run|test|exec|build|check|agent|dispatch|job|workflow|pipeline"
"""In the name of a tool that may run tests or show what became of them, whatever else the name says."""


_DOCUMENT = r"(?i)\.(?:md|txt|rst|log|adoc)$|^/dev/"
_IN_TMP = r"^/tmp/[^/]+$"
"""Where the project is not known, a file right in /tmp is scratch; one in a folder there could be the project's."""


_SOME = r"[1-9]\d{0,6}"


_FAILED = (
    rf"(?m)^=+ [^\n]{{0,99}}\b{_SOME} (?:failed|errors?)\b|^{_SOME} failed\b|^no tests ran|\bTests:? +{_SOME} failed"
    rf"|^ *{_SOME} failing|^FAILED \(|test result: FAILED|^(?:--- )?FAIL\b|, {_SOME} failures?\b|^FAILURES!"
    rf"|(?:Failures|Errors|Failed): +[1-9]|^# fail [1-9]|^not ok |BUILD FAIL|\berror TS\d+|^error\[E\d+\]|^make: \*\*"
    rf"|could not compile|Failed to compile|npm ERR!|^Found {_SOME} errors?\b|{_SOME} problems? \([1-9]\d* error"
)


_PASSED = (
    rf"(?m)\b{_SOME} (?:tests? )?(?:passed|passing)\b|^OK\b|test result: ok\. [1-9]|^ok[ \t]+\S|^# pass [1-9]|^Passed!"
    rf"|\b{_SOME} (?:examples?|tests?), 0 failures|Failures: 0, Errors: 0"
)


_SHOWS_RUN = rf"{_PASSED}|(?s:<testsuites?\b[^>]*\bfailures=\"0\")"
_STEMS = ("pass", "Pass", "\nOK", "\nok", "result: ok", "0 failures", "Failures: 0", "<testsuite")
"""One of these is in every text that shows a run, with the start of a line before it."""
_SHOWS_SUCCESS = r"(?i)\bpass(?:ed|es|ing)?\b|\bsucce\w+|\bgreen\b|[✓✔✅]"
_FROM_ELSEWHERE = r"(?i)fetch|browse|web|http|url"
"""In the name of a tool that brings pages: they show what ran elsewhere, in other words than a log."""


_NOT_THERE = r"(?i)command not found|No module named [\"']?(?:pytest|tox|nox|unittest)|: not found$|returncode>12[67]<"
_EXIT = r"(?i)exit(?:ed)?(?: with)?[ _]code\"?[: ]+(\d+)"


class Ran(NamedTuple):
    """One run of tests, a build or a linter."""

    order: tuple[str, int]
    event: Event
    text: str  # the shell text that ran it

    @property
    def passed(self) -> bool | None:
        """Whether it passed; None when the transcript does not show it."""
        return _outcome(self.event, self.text)[0]

    @property
    def line(self) -> str:
        """The line of its result that says whether it passed."""
        return _outcome(self.event, self.text)[1]


class Shown(NamedTuple):
    """What the transcript shows."""

    changed: tuple[str, int] | None  # when a file was last changed that a run could depend on
    ran: dict[str, list[Ran]]
    unknown: list[tuple[str, int]]  # when something ran that could have been anything, or showed a run by someone else


@lru_cache(maxsize=4096)
def kinds_of(text: str) -> frozenset[str]:
    """What a shell text runs; `unknown` for a program that could be anything."""
    kinds = set()
    for command in commands(text):
        script = command.words[0] == "test" and "/" in command.text.split()[0]  # `bin/test`, not the shell's own
        if (script or command.words[0] not in _HARMLESS) and not _NO_RUN & set(command.words):
            names = (posixpath.basename(word) for word in command.words if not word.startswith(("-", "+")))
            words = " ".join(_ALIKE.get(name, name) for name in names)
            kinds |= {kind for kind, runner in RUNNERS.items() if re.search(runner, words)} or {"unknown"}
    return frozenset(kinds)


def _outcome(event: Event, text: str) -> tuple[bool | None, str]:
    assert event.call is not None
    return _outcome_of((event.call.result or "")[-20_000:], event.call.failed, text)


@lru_cache(maxsize=64)
def _outcome_of(result: str, marked: bool, text: str) -> tuple[bool | None, str]:
    """Whether a run passed, and the line that says so. Without such a line only a single command's end counts."""
    result = result.replace("\\n", "\n")  # some tools return JSON
    if "git stash" in text or "git checkout" in text:
        return None, ""  # a run of other code, often to see it fail
    if re.search(_NOT_THERE, result[:2000]):
        return None, ""  # the runner is missing, so nothing was run
    bad, code = re.search(_FAILED, result), re.search(_EXIT, result)
    good = max(re.finditer(_PASSED, result), key=lambda match: match.start(), default=None)
    failed = marked or bool(code and code[1] != "0")
    later = bad and good and "\n" in result[bad.start() : good.start()]
    if bad and (failed or not later):
        return False, _line(result, bad.start())
    if good:
        return (None if bad or failed else True), _line(result, good.start())
    return (False if failed and len(commands(text)) == 1 else None), _line(result, 0)


def _line(text: str, place: int) -> str:
    return text[text.rfind("\n", 0, place) + 1 :].strip().partition("\n")[0].strip()


@lru_cache(maxsize=2)
def shown(subject: Subject, *, whole: bool) -> Shown:
    """What was changed and run, in the order it happened; what came before the last change only when asked for."""
    timed = all(event.time for event in subject.calls)
    order = {id(event): (event.time if timed else "", n) for n, event in enumerate(subject.calls)}
    changes = (w.event for w in files_written(subject) if w.event is not None and _is_code(w.path, subject))
    record = Shown(max((order[id(event)] for event in changes), default=None), {kind: [] for kind in RUNNERS}, [])
    texts = {id(run.event): run.text for run in runs(subject)}
    for event in sorted(subject.calls, key=lambda event: order[id(event)]):
        when, text = order[id(event)], texts.get(id(event))
        if not whole and (record.changed is None or when < record.changed):
            continue
        assert event.call is not None
        if text is None and not _is_quiet(event.call.name) and not was_refused(event.call):
            record.unknown.append(when)
        if (record.changed is None or when >= record.changed) and _shows_a_run(event.call, text):
            record.unknown.append(when)
        if text and "git commit" in text and re.search(r"Passed|hook|lint|test", event.call.result or ""):
            record.unknown.append(when)  # a hook may have run anything
        for kind in kinds_of(text) if text and not _at_a_glance_harmless(text) else ():
            if kind == "unknown":
                record.unknown.append(when)
            else:
                record.ran[kind].append(Ran(when, event, text or ""))
    return record


def _is_code(path: str, subject: Subject) -> bool:
    """Whether a run could depend on a file."""
    folder = subject.submission.folder
    scratch = is_scratch(path, folder) if folder else re.search(_IN_TMP, path)
    return not scratch and not re.search(_DOCUMENT, path)


@lru_cache(maxsize=256)
def _is_quiet(tool: str) -> bool:
    return re.search(_QUIET_TOOL, tool) is not None and re.search(_MAY_RUN_TOOL, tool) is None


def _shows_a_run(call: ToolCall, text: str | None) -> bool:
    """Whether a call that only looked brought back a run that passed: a log, a report, a page of a server."""
    result = call.result or ""
    if not result or call.failed or (text is not None and not _at_a_glance_harmless(text)):
        return False
    result = result if len(result) <= 8_000 else f"{result[:2_000]}\n{result[-6_000:]}"  # where reports and logs say so
    served = (
        re.search(r"\b(?:gh|glab|curl|wget)\b", text) if text is not None else re.search(_FROM_ELSEWHERE, call.name)
    )
    if served and re.search(_SHOWS_SUCCESS, result):
        return True
    if not any(map(f"\n{result}".__contains__, _STEMS)):
        return False
    return re.search(_SHOWS_RUN, result) is not None and re.search(_FAILED, result) is None


def _at_a_glance_harmless(text: str) -> bool:
    """Whether every part starts with a harmless word: most commands do, and need no grammar."""
    parts = re.split(r"&&|\|\||[;|\n]", text)
    return not re.search(_NESTED, text) and all(part.split()[0] in _HARMLESS for part in parts if part.strip())
