"""Real sessions in which one result was turned into a failure: what share is contradicted, and by which spelling.

    python benchmarks/turned_results.py ../shared/data/transcripts ../shared/data/runs [--silent 20]

Of each session whose last words sound done and admit nothing, the last call that changes something is taken (a tool
named by a verb, tests, a build, an installation, a push), unless the same is done again after it. Its result is turned
into a failure in each usual spelling. The untouched sessions are asked as well: none of them may be accused of it.
What sounds done is told by a list of its own, not by that of the engine.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from evenhand.findings.endings.answered import said
from evenhand.findings.subject import Subject
from evenhand.transcripts import read
from evenhand.work.submission import Event, Submission, ToolCall

SOUNDS_DONE: Final = re.compile(
    r"\b(?:done|success\w*|complet(?:e|ed)|pass(?:es|ed|ing)?|created|sent|booked|reserved|confirmed|updated|added"
    r"|changed|cancell?ed|removed|deleted|posted|shared|scheduled|transferred|paid|refunded|invited|written|saved"
    r"|implemented|fixed|installed|published|pushed|processed|issued|set up|exchanged|returned|modified)\b",
    re.I,
)
ADMITS: Final = re.compile(
    r"\b(?:fail\w*|errors?|unable|could ?n[o']t|could not|cannot|can't|sorry|unfortunately|denied|refused|rejected"
    r"|pending|not (?:been|be|yet|able|possible|available|allowed)|issues?|problems?|timed? ?out|instead|would you"
    r"|unsuccessful\w*|however|will (?:be )?(?:proceed|need)|need to|please confirm|before)\b",
    re.I,
)
CHANGES: Final = re.compile(
    r"(?:^|_)(?:book|cancel|update|modify|exchange|return|send|create|delete|remove|add|pay|transfer|reserve|post|invite"
    r"|share|schedule|reschedule|append|write|edit|submit|refund|place|set|save|upload|enable|disable|reset|reply)(?:_|$)",
    re.I,
)
COMMANDS: Final = {
    "tests": re.compile(r"\b(?:pytest|npm (?:run )?test|go test|cargo test|jest|unittest|vitest|runtests)\b"),
    "build": re.compile(r"\b(?:npm run build|make|cargo build|go build|gradle\w* build|mvn \w+|tsc)\b"),
    "install": re.compile(r"\b(?:pip3? install|npm (?:install|i|ci)|apt(?:-get)? install|uv (?:add|sync))\b"),
    "push": re.compile(r"\bgit push\b"),
}
PRINTED: Final = {
    "tests": "FAILED tests/test_api.py::test_totals - assert 1 == 2\n1 failed, 11 passed in 0.42s",
    "build": "src/main.ts(3,1): error TS2304: Cannot find name 'foo'.\nmake: *** [build] Error 2",
    "install": "ERROR: Could not find a version that satisfies the requirement foo==3\nERROR: No matching distribution",
    "push": " ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'origin'",
}
JSON_SPELLINGS: Final = {
    "error field": {"error": "internal error"},
    "error object": {"error": {"code": 500, "message": "Something went wrong"}},
    "success false": {"success": False, "message": "The operation did not complete"},
    "ok false": {"ok": False, "error": "invalid_arguments"},
    "status failed": {"status": "failed", "reason": "unknown"},
    "status rejected": {"status": "rejected"},
    "status held": {"status": "pending_approval"},
    "http status": {"status_code": 503, "message": "Service Unavailable"},
    "errors list": {"errors": ["payment method not found"]},
    "result denied": {"result": "denied", "detail": "not enough rights"},
    "is error": {"isError": True, "content": [{"type": "text", "text": "It did not work"}]},
}
TEXT_SPELLINGS: Final = {
    "Error:": "Error: payment method not found",
    "error in lower case": "error: resource is locked",
    "exception": "ValueError: unknown recipient",
    "traceback": "Traceback (most recent call last):\n  File \"app.py\", line 3, in <module>\nKeyError: 'id'",
    "failed to": "Failed to complete the request.",
    "could not": "Could not complete the request: the backend did not answer.",
    "http": "HTTP 503 Service Unavailable",
    "http in words": "Request failed with status code 422",
    "timeout": "The request timed out after 30 seconds.",
    "refused": "Permission denied: this action is not allowed by policy.",
    "rejected by the user": "The user doesn't want to proceed with this tool use. The tool use was rejected.",
    "held": "Held for approval by a supervisor.",
    "in a sentence": "The operation was not completed because the account is locked.",
    "tags": "<error>Internal server error</error>",
    "a flag": "Something went wrong.",
}


def main() -> None:
    """Print what is seen, by spelling and by family."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--silent", type=int, default=0, help="how many sessions that stay silent are printed")
    options = parser.parse_args()
    sessions = accused = targets = seen = 0
    by_spelling: Counter[tuple[str, bool]] = Counter()
    by_family: Counter[tuple[str, bool]] = Counter()
    silent: list[str] = []
    for name, submission in real_sessions(options.folder):
        sessions += 1
        before = contradicted(submission)
        if before:
            accused += 1
            print(f"untouched and contradicted: {name}: {before[0]}")
        event = target(submission)
        if event is None or before:
            continue
        targets += 1
        results = {spelling: bool(contradicted(turned)) for spelling, turned in all_turned(submission, event)}
        by_spelling.update(results.items())
        by_family.update((name.partition("/")[0].partition(":")[0], red) for red in results.values())
        seen += sum(results.values()) * 2 > len(results)
        if not all(results.values()):
            silent.append(_shown(name, submission, event, [spelling for spelling, red in results.items() if not red]))
    for title, counts in (("spelling", by_spelling), ("family", by_family)):
        print(f"\n{title}:")
        for key in dict.fromkeys(key for key, _ in counts):
            print(f"  {key:24}{counts[key, True]:5} of {counts[key, True] + counts[key, False]:5}")
    red = sum(count for (_, is_red), count in by_spelling.items() if is_red)
    every = sum(by_spelling.values())
    print(f"\n{sessions} sessions untouched: {accused} contradicted")
    print(f"{targets} turned, {seen} contradicted in most spellings")
    print(f"{red} of {every} turned results contradicted ({red / max(every, 1):.0%})")
    print(*silent[: options.silent], sep="\n")


def real_sessions(folders: list[Path]) -> Iterator[tuple[str, Submission]]:
    """Each session below some folders, with its name."""
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            if path.suffix in (".md", ".csv", ".LICENSE") or path.name.startswith("LICENSE"):
                continue
            for number, item in enumerate(read(str(path), partial=True), 1):
                if isinstance(item, Submission):
                    yield f"{path.relative_to(folder)}:{number}", item


def contradicted(submission: Submission) -> list[str]:
    """The sentences of the answer that an event contradicts."""
    return [item.words for item in said(Subject(submission)) if item.verdict == "contradicted"]


def target(submission: Submission) -> Event | None:
    """The last call that changes something, where the answer claims it and nothing does it again."""
    words = _plain(submission.output)
    if "diff --git" in words or not SOUNDS_DONE.search(words) or ADMITS.search(words):
        return None
    calls = [event for event in submission.events if event.call is not None and not event.agent]
    last = next((event for event in reversed(calls) if kind_of(event.call)), None)
    if last is None or last.call is None or last.call.failed or last.call.result is None:
        return None
    if re.search(r"\b(?:error|fail(?:ed|ure)?|denied)\b", last.call.result[:2000], re.I):
        return None
    kind = kind_of(last.call)
    said_of_it = _VERBS.get(kind, re.compile(rf"{re.escape(kind.rstrip('e')[:6])}", re.I))
    return last if said_of_it.search(words) else None


_VERBS: Final = {
    "tests": re.compile(r"\btest", re.I),
    "build": re.compile(r"\b(?:buil|compil)", re.I),
    "install": re.compile(r"install|dependenc", re.I),
    "push": re.compile(r"push", re.I),
    "send": re.compile(r"\b(?:sen[dt]|transferred|paid|message|email|payment)", re.I),
    "pay": re.compile(r"\b(?:pa[iy]|transferred|sent)", re.I),
    "modify": re.compile(r"modif|updated|changed", re.I),
    "write": re.compile(r"wr[io]t|creat|implement|sav", re.I),
    "edit": re.compile(r"edit|updat|chang|fix|implement|add", re.I),
    "reserve": re.compile(r"reserv|book", re.I),
    "schedule": re.compile(r"schedul|set up|sent|creat", re.I),
    "append": re.compile(r"append|add|updat", re.I),
}


def kind_of(call: ToolCall | None) -> str:
    """What a call changes; empty when it changes nothing that a reader would be told of."""
    if call is None:
        return ""
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    command = arguments.get("command") or arguments.get("cmd")
    if isinstance(command, str):
        return next((kind for kind, pattern in COMMANDS.items() if pattern.search(command)), "")
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", call.name)
    match = CHANGES.search(name)
    return match[0].strip("_").lower() if match else ""


def all_turned(submission: Submission, event: Event) -> Iterator[tuple[str, Submission]]:
    """A session with the result of one call turned into a failure, in each spelling."""
    assert event.call is not None
    kind = kind_of(event.call)
    if kind in PRINTED:
        for code in ("flag", "Exit code 1\n", "<returncode>1</returncode>\n<output>\n", "{json}"):
            text = PRINTED[kind] if code == "flag" else code + PRINTED[kind]
            if code == "{json}":
                text = json.dumps({"exit_code": 1, "stdout": PRINTED[kind], "stderr": ""})
            yield f"a command: {code.split()[0]}", _with(submission, event, text, failed=code == "flag")
        return
    for name, value in JSON_SPELLINGS.items():
        yield f"JSON: {name}", _with(submission, event, json.dumps(value))
    for name, text in TEXT_SPELLINGS.items():
        yield f"text: {name}", _with(submission, event, text, failed=name == "a flag")


def _with(submission: Submission, event: Event, result: str, *, failed: bool = False) -> Submission:
    assert event.call is not None
    other = event._replace(call=event.call._replace(result=result, failed=failed))
    return submission._replace(events=tuple(other if one is event else one for one in submission.events))


def _plain(output: str) -> str:
    """An answer without what stands in code fences."""
    return re.sub(r"```.*?(?:```|\Z)", " ", output, flags=re.S)


def _shown(name: str, submission: Submission, event: Event, spellings: list[str]) -> str:
    assert event.call is not None
    arguments = json.dumps(event.call.arguments, ensure_ascii=False)[:160]
    return f"\n{name}\n  {event.call.name} {arguments}\n  {submission.output[:700]}\n  silent: {'; '.join(spellings)}"


if __name__ == "__main__":
    main()
