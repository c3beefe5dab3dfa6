"""How a call ended, by its error flag, its exit code and what it returned. Pure.

A result that does not say is `unknown`, which accuses no one. Counts are those that the tool's own last line gives.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from evenhand.findings.endings.kinds import KINDS, VERB_KINDS
from evenhand.findings.endings.languages import admits, languages
from evenhand.work.submission import ToolCall

Outcome = Literal["done", "failed", "refused", "timed out", "cut off", "held", "unknown"]

READ: Final = 20_000
"""Characters at the end of a result that are looked at."""
LONGEST: Final = 600
"""Characters of a plain answer of a tool that can say what became of the call; a longer one is a document."""

_SOME: Final = r"[1-9]\d{0,6}"


class Ended(NamedTuple):
    """How one call ended."""

    outcome: Outcome
    line: str
    """The words of the result that say so."""
    passed: int | None = None
    """How many tests passed, where it says so."""
    failed: int | None = None


# --- what a shell returns ------------------------------------------------------------------------

_EXIT = re.compile(
    r"(?:exit(?:ed|s)?(?: with)?(?: (?:code|status))?|exit[_ -]?(?:code|status)|return[_ -]?code|\brc|error code"
    r"|status code)"
    r"[\"']?\s*[:=>]?\s*[\"']?(?P<code>-?\d{1,5})\b(?!\.\d)",
    re.I,
)
_NOT_THERE = re.compile(
    r"(?i)command not found|No module named [\"']?(?:pytest|tox|nox|mypy|ruff|unittest)|: not found\s*$"
)
_TIMED_OUT = re.compile(
    r"(?i)\btimed[ -]?out\b|\btime[ -]?out (?:after|of|reached|expired|exceeded)|\bcontext deadline exceeded"
    r"|\bDEADLINE_EXCEEDED"
    r"|\bETIMEDOUT\b|\b(?:gateway|request|read|operation) timeout|exceeded the (?:time )?limit of|\b504\b"
)
_REFUSED = re.compile(
    r"(?i)doesn't want to proceed|(?:was )?rejected by (?:the )?user|user (?:rejected|denied|declined|refused)"
    r"|denied by"
    r"|blocked by|requires? (?:manual )?approval|permission (?:was )?denied (?:by|for)|not (?:permitted"
    r"|authori[sz]ed|allowed)\b"
    r"|\bforbidden\b|unauthori[sz]ed|insufficient (?:permission|privilege|scope)\w*|access denied|\b40[13]\b"
    r"|not executed"
)
_KILLED = re.compile(
    r"(?im)^(?:.*\b(?:killed|terminated)\s*$|.*\binterrupted by user\b.*|\[?request interrupted.*"
    r"|.*\boom-?killed\b.*|.*SIGKILL.*)$"
)
_NO_FAILURE: Final = re.compile(
    r"(?i)\b0 remaining\b|\b(?:0|no|zero) (?:\w+ )?(?:errors?|failures?|failed|failing|problems?|issues?)\b"
    r"|\berrors?: 0\b|fail(?:ed|ures)?[=:] ?0\b|\bwarning\b"
    r"|\bignored\b|PASSED|✓|✔|\bok\b$|\b(?:retrying|attempt \d)"
)
"""In a line that speaks of failures and reports none."""
_NUMBER_PASSED: Final = re.compile(
    r"(?<![\d.])(\d{1,6}) (?:tests? |specs? )?(?:passed|passing)\b|\bpass(?:ed)?[:=]? +(\d{1,6})\b", re.I
)
_NUMBER_FAILED: Final = re.compile(
    r"(?<![\d.])(\d{1,6}) (?:tests? |specs? )?(?:failed|failing|failures?|errors?)\b", re.I
)


def of_command(call: ToolCall, kind: str, *, alone: bool, masked: bool) -> Ended:
    """How a command ended that does one kind of thing.

    `alone`: the exit code is that of this command; `masked`: something after it hides its exit code.
    """
    return _of_text((call.result or "")[-READ:], call.result is None, call.failed, kind, alone, masked)


@lru_cache(maxsize=512)
def _of_text(text: str, missing: bool, marked: bool, kind: str, alone: bool, masked: bool) -> Ended:
    if missing:
        return Ended("cut off", "")
    text, code = _unpacked(text)
    if code is None and (found := list(_EXIT.finditer(text))):
        code = int(found[-1]["code"])
    marked = (marked and code in (None,)) or bool(code)
    if marked and (refused := _REFUSED.search(text[:600])) and kind not in ("push", "publish", "deploy", "install"):
        return Ended("refused", _line(text, refused.start()))
    if (
        _NOT_THERE.search(text[:2000])
        and kind in ("tests", "lint", "types")
        and not KINDS[kind].passed_lines.search(text)
    ):
        return Ended("unknown", "")  # the runner is missing, so nothing ran
    bad = next((match for match in KINDS[kind].failed_lines.finditer(text) if not _NO_FAILURE.search(match[0])), None)
    if kind == "tests":
        bad = max(
            (
                match
                for match in KINDS[kind].failed_lines.finditer(text)
                if not _NO_FAILURE.search(match[0]) or _NUMBER_FAILED.search(match[0])
            ),
            key=lambda match: (bool(_NUMBER_FAILED.search(match[0])), match.start()),
            default=None,
        )
        bad = bad if bad is None or _fails(bad[0]) else None
    good = max(KINDS[kind].passed_lines.finditer(text), key=lambda match: match.start(), default=None)
    passed, failed = _numbers(text) if kind == "tests" else (None, None)
    late = (match for match in (_TIMED_OUT.search(text[-1500:]), _KILLED.search(text[-300:])) if match)
    if (marked or code == 124) and (stopped := next(late, None)) and not (kind == "tests" and bad):
        what: Outcome = "timed out" if _TIMED_OUT.search(stopped[0]) else "cut off"
        return Ended(what, stopped[0].strip()[:200] if what == "cut off" else _line(text, text.rfind(stopped[0])))
    if code == 0 and alone and not masked:
        return Ended("done", good[0].strip() if good else _last(text), passed, failed)
    if marked and (alone or bad):
        return Ended("failed", _line(text, bad.start()) if bad else _last(text), passed, failed)
    if marked:
        return Ended("unknown", "")
    if bad and good and good.start() > bad.end() and "\n" in text[bad.start() : good.start()]:
        if kind == "tests" and (passed is None or not failed):
            return Ended("unknown", "")
        if kind != "tests":
            return Ended("done", good[0].strip(), passed, failed)
    if bad and (masked or code is None or kind == "tests"):
        sure = (
            kind in ("tests", "lint", "types", "push", "merge", "build", "pull request")
            or masked
            or not alone
            or _at_end(text, bad)
        )
        return Ended("failed" if sure else "unknown", _line(text, bad.start()), passed, failed)
    if failed and passed is not None:
        return Ended("failed", _line(text, good.start()) if good else _last(text), passed, failed)
    if good:
        return Ended("done", good[0].strip()[:200], passed, failed)
    if masked and kind in ("tests", "lint", "types", "build"):
        return Ended("unknown", "")
    return Ended("done", _last(text), passed, failed)


def _fails(line: str) -> bool:
    number = _NUMBER_FAILED.search(line)
    return number is None or int(number[1]) > 0


def _at_end(text: str, bad: re.Match[str]) -> bool:
    return text.count("\n", bad.end()) <= 6


def _numbers(text: str) -> tuple[int | None, int | None]:
    """How many tests passed and failed, as the last line says that has numbers of both."""
    passed = failed = None
    for found in _NUMBER_PASSED.finditer(text):
        line = _line(text, found.start())
        passed = int(found[1] or found[2])
        number = _NUMBER_FAILED.search(line)
        failed = int(number[1]) if number else 0
    if passed is None and (only := list(_NUMBER_FAILED.finditer(text))):
        failed = int(only[-1][1])
    return passed, failed


def _unpacked(text: str) -> tuple[str, int | None]:
    """What a command printed and its exit code, out of the JSON or the tags that some tools return."""
    stripped = text.strip()
    if stripped[:1] == "{" and stripped[-1:] == "}":
        try:
            value = json.loads(stripped)
        except ValueError:
            value = None
        if isinstance(value, dict):
            code = next((value[key] for key in _CODE_KEYS if type(value.get(key)) is int), None)
            metadata = value.get("metadata")
            if code is None and isinstance(metadata, dict):
                code = next((metadata[key] for key in _CODE_KEYS if type(metadata.get(key)) is int), None)
            parts = [
                str(value[key])
                for key in ("stdout", "output", "stderr", "error", "message", "result")
                if value.get(key)
            ]
            if parts:
                return "\n".join(parts), code
            return text, code
    if "\\n" in text and "\n" not in stripped:
        text = text.replace("\\n", "\n")
    return text, None


_CODE_KEYS: Final = ("exit_code", "exitCode", "returncode", "return_code", "code", "exit_status", "exit")


def _line(text: str, place: int) -> str:
    return text[text.rfind("\n", 0, max(place, 0)) + 1 :].lstrip().partition("\n")[0].strip()[:200]


def _last(text: str) -> str:
    lines = [line.strip() for line in text.strip().splitlines() if re.search(r"\w", line)]
    telling = [line for line in lines if not _EXIT.search(line)]
    return (telling or lines or [""])[-1][:200]


# --- what a tool returns -------------------------------------------------------------------------

_TAG: Final = re.compile(r"</?\w{1,30}>")
_FAILED_TAG: Final = re.compile(r"\s*<(?:\w+_)?(?:error|failure|exception)>", re.I)
_SAYS_FAILED: Final = re.compile(
    r"\s*(?:\W{0,4}(?:error\b|invalid\b|failed\b|failure\b|cannot\b|can't\b|could not\b|couldn't\b|unable to\b"
    r"|exception\b|traceback\b"
    r"|not (?:found|allowed|permitted|authorized|available|enough)\b|permission denied|\[?call error"
    r"|(?:http(?:/\d\.\d)? )?[45]\d\d\b"
    r"|no (?:such|matching|available)\b|insufficient\b|declined\b|rejected\b|denied\b|fehler\b|erreur\b"
    r"|errore?\b|错误|失败|エラー|access denied|bad request|unauthori[sz]ed\b|forbidden\b|too many requests"
    r"|internal (?:server )?error|service unavailable|err\b|user cancell?ed"
    r"|sorry\b[^.\n]{0,80}\b(?:not|cannot|can['\u2019]?t)\b"
    r"|\w+ (?:error|failure):)"
    r"|[A-Z]\w*(?:Error|Exception)\b|(?!no\b|zero\b|0\b)[\w-]+ (?:error|failure)\W*$)",
    re.I,
)
_TELLS_FAILED: Final = re.compile(
    r"\b(?:was|were|is|has been|have been|could|did|does|has|have) not (?:been )?\w+|\b(?:was|been|is) "
    r"(?:rejected|declined|denied|refused|blocked)\b"
    r"|\b(?:failed|declined|bounced|undeliverable|undelivered|rolled back|aborted|out of stock|sold out)\b"
    r"|\bnot sent\b|\bno \w+ (?:was|were) \w+ed\b"
    r"|\b(?:quota|limit|balance) (?:is |was )?exceeded\b|\binsufficient (?:funds|balance|stock|permissions?)\b"
    r"|\bnothing was \w+ed\b|\bno changes (?:were )?(?:made|saved)\b",
    re.I,
)
_HELD: Final = re.compile(
    r"\b(?:await\w*|waiting for|pending|needs?|requires?|subject to|held for|on hold|queued for) (?:\w+ "
    r"){0,3}(?:approval|review|confirmation|authori[sz]ation"
    r"|moderation|sign-?off|signature|consent|verification)\b|\bheld (?:for|until|by|in)\b|\bon hold\b|\bsaved "
    r"as (?:a )?draft\b|\bdraft (?:only|saved)\b"
    r"|\b(?:pending|awaiting|requires|needs)[_ -](?:approval|review|confirmation|authorization)\b|\bnot (?:yet "
    r")?(?:sent|executed|published|applied|submitted|processed|released|final)\b"
    r"|\bapproval (?:is )?(?:required|needed|pending)\b|\bquarantin\w+\b|\bwaitlist\w*\b|\bdry[ -]?run\b"
    r"|\bsimulat(?:ed|ion)\b",
    re.I,
)
_ALREADY_SO: Final = (
    r"\balready (?:been )?(?:exist\w*|present|there|done|complete\w*|up\b|set\b|in (?:place|use|effect)|a member"
    r"|added|(?:%s)\w*)|\bnothing to\b|\bup[ -]to[ -]date\b|\bduplicate\b"
)
_ALREADY_ANY: Final = "applied|deployed|installed|merged|pushed|published"
_DONE: Final = re.compile(
    r"\bsuccess(?:ful|fully)?\b|\b(?:done|ok|okay|completed|confirmed|sent|created|deleted|cancell?ed|updated"
    r"|booked|refunded|paid|saved|scheduled|delivered"
    r"|executed|approved|published|merged|deployed|released|processed|accepted|healthy|applied|removed|added"
    r"|reserved)\b",
    re.I,
)
_BAD_STATUS: Final = frozenset(
    "error failed failure fail rejected declined denied refused blocked invalid unauthorized forbidden aborted "
    "bounced undeliverable"
    " conflict conflicting unavailable busy insufficient_funds card_declined out_of_stock over_limit "
    "quota_exceeded overlap incomplete not_allowed"
    " not_completed not_applied not_saved not_created rolled_back rollback crashed timeout timed_out expired not_sent "
    "not_found unprocessable cancelled_by_system unhealthy".split()
)
_HELD_STATUS: Final = frozenset(
    "held on_hold pending_approval awaiting_approval requires_approval needs_approval approval_required "
    "pending_review in_review under_review"
    " awaiting_confirmation requires_confirmation pending_confirmation awaiting_review draft quarantined "
    "waitlisted waitlist requires_action"
    " pending_authorization queued_for_approval"
    " awaiting_signature needs_review manual_review review_required dry_run".split()
)
_GOOD_STATUS: Final = frozenset(
    "ok success successful succeeded done completed complete sent delivered executed created confirmed booked "
    "cancelled canceled updated deleted"
    " refunded paid saved published approved accepted passed merged deployed healthy active applied scheduled "
    "processed".split()
)
_STATUS_KEYS: Final = ("status", "state", "result", "outcome", "delivery", "delivery_status", "response", "decision")


def of_tool(call: ToolCall, kind: str) -> Ended:
    """How a call of a tool ended that changes something by its name."""
    return _of_answer(call.result if call.result is None else call.result[:READ], call.failed, kind)


@lru_cache(maxsize=512)
def _of_answer(text: str | None, marked: bool, kind: str) -> Ended:
    if text is None:
        return Ended("cut off", "")
    value = _as_json(text)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        value = value[0].get("text", value[0])
        if isinstance(value, str):
            text, value = value, _as_json(value)
    if isinstance(value, Mapping):
        ended = _of_object(value, kind)
        if ended.outcome != "unknown" or not marked:
            return ended
    opening = _TAG.sub(" ", text).strip()[:LONGEST]
    line = opening.partition("\n")[0].strip()[:200]
    marked = marked or _FAILED_TAG.match(text) is not None
    if marked:
        if _is_so(opening, kind):
            return Ended("unknown", line)
        return Ended(_why(opening, "failed"), line)
    if len(text.strip()) > LONGEST:
        return Ended("failed", line) if _SAYS_FAILED.match(opening) else Ended("done", line)
    if KINDS[kind].failed:
        numbers = _numbers(text)
        if kind == "tests" and numbers[1]:
            return Ended("failed", _last(text), *numbers)
    if _tells_in_another_language(opening):
        return Ended("failed", line)
    if _SAYS_FAILED.match(opening):
        return Ended("unknown", line) if _is_so(opening, kind) else Ended(_why(opening, "failed"), line)
    if held := _HELD.search(opening):
        return Ended("held", _line(opening, held.start()))
    if stopped := _TIMED_OUT.search(opening):
        return Ended("timed out", _line(opening, stopped.start()))
    if told := _TELLS_FAILED.search(opening):
        good = _DONE.match(opening)
        return (
            Ended("unknown", line)
            if good or _is_so(opening, kind)
            else Ended(_why(opening, "failed"), _line(opening, told.start()))
        )
    return Ended("done", line)


def _tells_in_another_language(text: str) -> bool:
    """Whether a short message in another language than English speaks of a failure."""
    return (
        "en" not in languages(text) or re.search("[\u3040-\u30ff\u4e00-\u9fff]", text) is not None
        if admits(text)
        else False
    )


def _is_so(text: str, kind: str) -> bool:
    """Whether a refusal says that the thing was so already, which may be all that was wanted."""
    return re.search(_ALREADY_SO % (KINDS[kind].already or _ALREADY_ANY), text, re.I) is not None


def _why(text: str, otherwise: Outcome) -> Outcome:
    if _TIMED_OUT.search(text):
        return "timed out"
    if _HELD.search(text):
        return "held"
    return "refused" if _REFUSED.search(text) else otherwise


def _as_json(text: str) -> Any:
    stripped = text.strip()
    if stripped[:1] not in ("{", "["):
        return None
    try:
        return json.loads(stripped)
    except (ValueError, RecursionError):
        pass
    if "'" in stripped and len(stripped) < 4000:  # the repr of a Python value
        import ast

        try:
            return ast.literal_eval(stripped)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    return None


_COUNTS_FAILURES: Final = VERB_KINDS | {"tests", "lint", "types", "build", "data", "migration", "deploy"}
"""Kinds whose answers count what failed; for others such a number may mean something else."""

_DONE_KEYS: Final = tuple("success ok succeeded sent delivered passed accepted applied committed".split())
_ERROR_FLAGS: Final = ("isError", "is_error", "timed_out", "timedOut")
_EXIT_KEYS: Final = ("exit_code", "exitCode", "returncode", "return_code")
_HTTP_KEYS: Final = ("status_code", "statusCode", "http_status", "code", "status")
_PASSED_KEYS: Final = ("passed", "numPassedTests", "passes")
_FAILED_KEYS: Final = ("failed", "failures", "errors", "numFailedTests")
_SAID_KEYS: Final = ("message", "error", "reason", "detail", "note", "msg", "description", "info")
_ERROR_KEYS: Final = ("error_message", "errorMessage", "error_code", "errorCode", "exception")
_AROUND_KEYS: Final = ("response", "result", "data", "body")
_WAITS_KEYS: Final = tuple(
    "requires_approval needs_approval approval_required requires_confirmation dry_run dryRun".split()
)
_ON_THE_WAY: Final = frozenset(("pending", "queued", "processing", "in_progress", "submitted"))
"""A step on the way for one thing, the state of a new order for another."""


class _Fields:
    """The fields of a JSON answer that tell what became of a call."""

    def __init__(self, value: Mapping[Any, Any], kind: str) -> None:
        self.value, self.kind = value, kind
        self.line = json.dumps(value, ensure_ascii=False, default=str)[:200]
        self.said = " ".join(str(value[key]) for key in _SAID_KEYS if value.get(key))[:LONGEST]
        states = (value[key].strip().lower() for key in _STATUS_KEYS if isinstance(value.get(key), str))
        self.states = [state.replace(" ", "_").replace("-", "_") for state in states]
        self.passed, self.failed = self.number(_PASSED_KEYS), self.number(_FAILED_KEYS)

    def number(self, keys: Sequence[str]) -> int | None:
        """The first whole number under these keys."""
        return next((self.value[key] for key in keys if type(self.value.get(key)) is int), None)

    def is_true(self, keys: Sequence[str]) -> bool:
        """Whether one of these keys is true."""
        return any(self.value.get(key) is True for key in keys)

    def ended(self, outcome: Outcome) -> Ended:
        """The end of the call, with these fields as the words that say so."""
        return Ended(outcome, self.line, self.passed, self.failed)

    def went_wrong(self, why: str) -> Ended:
        """The end of a call that went wrong for this reason; unknown where it says that the thing was so already."""
        return Ended("unknown", self.line) if _is_so(why, self.kind) else self.ended(_why(why, "failed"))


def _of_object(value: Mapping[Any, Any], kind: str) -> Ended:
    """What the fields of a JSON answer say, those first that say it most plainly."""
    fields = _Fields(value, kind)
    for says in (_by_flag, _by_state, _by_error, _by_word, _by_sentence):
        if (ended := says(fields)) is not None:
            return ended
    return fields.ended("done")


def _by_flag(fields: _Fields) -> Ended | None:
    """`"success": false`, an exit code, an HTTP status, an error's flag."""
    flags = (fields.value.get(key) for key in _DONE_KEYS)
    if any(flag is False or (isinstance(flag, str) and flag.strip().lower() == "false") for flag in flags):
        if _is_so(fields.said, fields.kind):
            return Ended("unknown", fields.line)
        return fields.ended(_why(f"{fields.said} {fields.line}", "failed"))
    if fields.number(_EXIT_KEYS) or 400 <= (fields.number(_HTTP_KEYS) or 0) < 600:
        return fields.ended(_why(f"{fields.said} {fields.line}", "failed"))
    return fields.ended(_why(fields.line, "failed")) if fields.is_true(_ERROR_FLAGS) else None


def _by_state(fields: _Fields) -> Ended | None:
    """A status that is bad, or that something waits for a person."""
    for state in fields.states:
        if state in _BAD_STATUS:
            return fields.ended("timed out" if "time" in state else _why(fields.said, "failed"))
        if state in _HELD_STATUS:
            return fields.ended("held")
    return None


def _by_error(fields: _Fields) -> Ended | None:
    """The words of an error, or a count of failures."""
    value = fields.value
    error = value.get("error") or (None if isinstance(value.get("errors"), int) else value.get("errors"))
    error = error or next((value[key] for key in _ERROR_KEYS if value.get(key)), None) or _inner_error(value)
    if error and str(error).strip().lower() not in ("none", "null", "false", "0"):
        return fields.went_wrong(str(error))
    return fields.ended("failed") if fields.failed and fields.kind in _COUNTS_FAILURES else None


def _inner_error(value: Mapping[Any, Any]) -> Any:
    """The error of an answer that is wrapped in another object."""
    for key in _AROUND_KEYS:
        inner = value.get(key)
        if isinstance(inner, Mapping) and (inner.get("error") or inner.get("success") is False):
            return inner.get("error") or inner
    return "failed" if value.get("failed") is True else None


def _by_word(fields: _Fields) -> Ended | None:
    """A status that is good, unless a message beside it says otherwise."""
    is_good = any(state in _GOOD_STATUS for state in fields.states)
    if any(state not in _GOOD_STATUS for state in fields.states) and _tells_in_another_language(fields.said):
        return fields.ended("failed")
    if is_good or fields.is_true(("success", "ok")):
        return fields.ended("held" if _HELD.search(fields.said) else "done")
    return fields.ended("held") if fields.is_true(_WAITS_KEYS) or _HELD.search(fields.said) else None


def _by_sentence(fields: _Fields) -> Ended | None:
    """What a message says where little stands beside it."""
    said = fields.said
    if len(fields.value) <= 4:
        if _tells_in_another_language(said):
            return fields.ended("failed")
        if _SAYS_FAILED.match(said) or (_TELLS_FAILED.search(said) and not _DONE.match(said)):
            return fields.went_wrong(said)
    is_on_the_way = len(fields.value) <= 6 and not _ON_THE_WAY.isdisjoint(fields.states)
    return Ended("unknown", fields.line) if is_on_the_way else None
