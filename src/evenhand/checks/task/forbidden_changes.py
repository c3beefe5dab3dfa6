"""The files an agent wrote, and whether the task forbade changing them. Pure.

A file counts as written when the call that wrote it returned without an error. A rule counts only when the task
names a path, or the tests, right after "do not change" or "only change"; a sentence with an exception is left alone.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from itertools import islice, takewhile
from typing import NamedTuple

from evenhand.checks.facts.files_written import Written, files_written
from evenhand.checks.facts.scratch_files import is_scratch
from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject
from evenhand.core.basics.lazy_pattern import late_pattern
from evenhand.in_words import counted


class Rule(NamedTuple):
    """What the task says about files."""

    only: bool
    """True when nothing but these may change; False when these may not."""
    paths: tuple[str, ...]
    """As written; `TESTS` for the tests, `ALL` for every file."""
    sentence: str


_NAMED = r"[\w./*-]+\.(?:\w{1,5}\b)|[\w.*-]+(?:/[\w.*-]*)+|Dockerfile|Makefile|LICENSE"
_PATH = rf"`(?:{_NAMED})`|\"(?:{_NAMED})\"|(?:{_NAMED})"
_LEAD = r"(?:(?:the|any|my|our|existing|files?|anything|code|contents?|of|in|under|inside|folder|directory)\s+)*"
_PATHS = rf"{_LEAD}((?:{_PATH})(?:(?:\s*,\s*|\s+)(?:(?:and|or|nor)\s+)?{_LEAD}(?:{_PATH}))*)(?!'s|\w)"
_VERB = r"(?:modif|chang|touch|edit|alter|updat|delet|renam|overwrit|rewrit)(?:y|e|ing|ying)?"
_NOT = rf"\b(?:do not|don['\u2019]t|never|must not|should not|shouldn['\u2019]t|without)\s+{_VERB}\s+"
_FORBIDDEN = late_pattern(_NOT + _PATHS, re.I)
_FORBIDDEN_TESTS = late_pattern(
    rf"{_NOT}(?:(?:the|any|my|our|existing|unit)\s+)*tests?(?: files?| suite)?\s*(?:[.,;!)]|$)", re.I
)
_FORBIDDEN_ALL = late_pattern(rf"{_NOT}(?:any|the)\s+(?:existing\s+)?(?:files?|code|source code)\s*(?:[.,;!)]|$)", re.I)
_LIMIT = r"(?:limit|restrict|confine)\s+(?:\w+\s+)?(?:changes|edits|modifications)\s+to\s+"
_ONLY = late_pattern(rf"(?:\bonly\s+{_VERB}\s+|\b{_VERB}\s+only\s+|{_LIMIT}){_PATHS}", re.I)
_EXCEPTION = late_pattern(r"\b(?:unless|except|beyond|other than|apart from|until|if|when|directly)\b", re.I)
_TEST = late_pattern(r"(?:^|/)(?:tests?|__tests__|spec)/|(?:^|/)test_[^/]*$|_test\.\w+$|\.(?:test|spec)\.\w+$")


def rules(subject: Subject) -> Iterator[Rule]:
    """The rules about files in the task's own prose."""
    for token in subject.task_tokens:
        for sentence in re.split(r"(?<=[.!?])\s+|\n", token.content) if token.type == "inline" else ():
            if _EXCEPTION.search(sentence):
                continue
            for only, pattern in ((False, _FORBIDDEN), (True, _ONLY)):
                for match in pattern.finditer(sentence):
                    paths = tuple(path.strip('`"').rstrip(".") for path in re.findall(_PATH, match[1]))
                    yield Rule(only, paths, sentence)
            if _FORBIDDEN_TESTS.search(sentence):
                yield Rule(False, ("TESTS",), sentence)
            if _FORBIDDEN_ALL.search(sentence):
                yield Rule(False, ("ALL",), sentence)


def _covers(rule_path: str, written: Written) -> bool:
    path = posixpath.normpath(written.path)
    if rule_path == "ALL":
        return True
    if rule_path == "TESTS":
        return bool(_TEST.search(path)) and not written.is_new
    named_path = rule_path.removeprefix("./").strip("/")
    pattern = re.escape(named_path).replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
    return bool(re.search(rf"(?:^|/){pattern}(?:/|$)", path))


def _later_messages(subject: Subject) -> str:
    """What the user said beyond the task, in lower case; the message that holds the task is not later."""
    messages = (event.text for event in subject.events if event.role == "user" and event.kind == "message")
    return "\n".join(text for text in messages if text.strip() not in subject.task and subject.task not in text).lower()


def _was_there(subject: Subject, written: Written) -> bool:
    """Whether a file is known to be older than this write: it was edited, or mentioned before."""
    arguments = written.event.call.arguments if written.event and written.event.call else {}
    if (
        written.event is None
        or not isinstance(arguments, Mapping)
        or "old_string" in arguments
        or "old_str" in arguments
    ):
        return True
    name = posixpath.basename(written.path)
    if name in subject.task:
        return True
    earlier = takewhile(lambda event: event is not written.event, subject.calls)
    calls = (event.call for event in earlier if event.call)
    return any(name in repr(call.arguments) or name in (call.result or "") for call in calls)


@check(
    "forbidden-change",
    "adherence",
    sees="Files written although the task forbids it: by edit tools, patches, shell commands or in a diff.",
    severity="Major, three at most: the task ruled it out in words.",
    example='Task: "Do not modify tests/." Transcript: Edit tests/test_api.py',
)
def _forbidden(subject: Subject) -> Iterator[Finding]:
    stated = list(rules(subject))
    if not stated:
        return
    later = _later_messages(subject)
    stated = [
        rule for rule in stated if not any(posixpath.basename(path.lower().strip("/")) in later for path in rule.paths)
    ]
    folder = subject.submission.folder
    changed = [file for file in files_written(subject) if not is_scratch(file.path, folder)]
    findings: dict[str, Finding] = {}
    for file in changed:
        for rule in stated:
            covered = any(_covers(path, file) for path in rule.paths)
            if rule.paths == ("TESTS",) and covered and not _was_there(subject, file):
                continue  # a new test modifies none
            if covered != rule.only:
                message = f'{file.path} was changed, although the task says: "{rule.sentence.strip()[:120]}".'
                place = file.event.place if file.event else None
                offset = subject.on_line(file.quote, 1) if place is None else None
                findings.setdefault(
                    file.path, Finding("forbidden-change", "adherence", "major", message, file.quote, place, offset)
                )
    yield from islice(findings.values(), 3)
    if stated and changed and not findings:
        message = f"Looked at {counted(len(changed), 'file change')}: the task allows all of them."
        yield Finding("forbidden-change", "adherence", None, message)


CHECKS = (_forbidden,)
