"""What aider prints into a chat's history: its models, tokens, edits that were applied or failed, errors.

Follows Aider-AI/aider `aider/coders/base_coder.py` (`show_usage_report`, `apply_updates`, `get_announcements`) and
`aider/coders/editblock_coder.py` (the report on blocks that failed to match).
"""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal

from evenhand.core.basics.lazy_pattern import late_pattern
from evenhand.core.values.submission import Place, Usage
from evenhand.transcripts.draft import Draft

_MODEL = late_pattern(r"(?:Models?|Main model): (\S+) with \S+ edit format")
_OLD_TOKENS = late_pattern(r"([\d,]+) prompt tokens, ([\d,]+) completion tokens")
_COUNT = r"([\d.,]+[kM]?)"
_TOKENS = late_pattern(
    rf"Tokens: {_COUNT} sent(?:, [\d.,]+[kM]? cache write)?(?:, {_COUNT} cache hit)?, {_COUNT} received"
)
_BLOCK = late_pattern(
    r"^<{5,9} (?:SEARCH|ORIGINAL|HEAD).*?^>{5,9} (?:REPLACE|UPDATED|updated).*?$", re.MULTILINE | re.DOTALL
)
_APPLIED = late_pattern(r"(?:Applied edit to|Did not apply edit to) (.+?)(?: \(--dry-run\))?$")
_FAILED = late_pattern(r"## \w*NoExactMatch: .* (?:in|match) (\S+)$")
_REPORT_ENDS = late_pattern(r"# The other \d+|Only \d+ reflections|Tokens: |[\d,]+ prompt tokens|Applied edit to")
_ERROR = late_pattern(
    r"(?:The LLM did not conform to the edit format|Only \d+ reflections allowed|\^C|"
    r"Model .+ has hit a token limit|The API provider|(?:litellm\.)?[\w.]*(?:Error|Exception)\b\s*:)"
)


class Prints:
    """What aider's output in one chat tells."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.model = ""
        self.seen = False
        self._answer = ""
        self._blocks: dict[str, list[str]] = {}
        """The blocks of the last answer that are not applied yet, by file."""

    def answered(self, text: str) -> None:
        """Remember an answer: it contains the edits that are applied next."""
        self._answer, self._blocks = text, {}
        for block in _BLOCK.finditer(text):
            above = [line.strip(" `*#:") for line in text[: block.start()].splitlines() if line.strip(" `*#:")]
            named = next((line for line in reversed(above[-2:]) if "." in line or "/" in line), "")
            self._blocks.setdefault(named, []).append(block[0])

    def _edit(self, path: str, times: int) -> str:
        """The content of an edit: the next block for the file in the last answer, or the whole answer."""
        blocks = self._blocks.get(path) or []
        if times > 1 and len(blocks) > 1:
            return blocks.pop(0)
        return "\n".join(blocks) or self._answer

    def take(self, lines: list[tuple[str, Place]]) -> None:
        """Consecutive output lines. Those that are neither an edit nor an error are system messages."""
        self.seen = True
        words: list[tuple[str, Place]] = []
        report: list[str] = []
        """The lines about a block that failed to match."""

        def flush() -> None:
            text = "\n".join(word for word, _ in words).strip()
            if text:
                self.draft.message("system", text, words[0][1])
            words.clear()

        times = Counter(match[1] for text, _ in lines if (match := _APPLIED.match(text)))
        index = None
        for text, place in lines:
            if index is not None and not _REPORT_ENDS.match(text) and not _FAILED.match(text):
                report.append(text)
                continue
            if index is not None:
                self._fail(index, report)
                index = None
            if failed := _FAILED.match(text):
                flush()
                index = self.draft.call("edit", {"path": failed[1], "edit": ""}, place, model=self.model)
                report = [text]
            elif applied := _APPLIED.match(text):
                flush()
                edit = self._edit(applied[1], times[applied[1]])
                call = self.draft.call("edit", {"path": applied[1], "edit": edit}, place, model=self.model)
                self.draft.answer(call, text, place, False)
            elif _ERROR.match(text):
                flush()
                self.draft.error(text, place)
            else:
                self.facts(text, place)
                words.append((text, place))
        if index is not None:
            self._fail(index, report)
        flush()

    def _fail(self, index: int, report: list[str]) -> None:
        """An edit that failed to match, with the block that the report shows."""
        event, text = self.draft.events[index], "\n".join(report).strip()
        block = _BLOCK.search(text)
        if event.call is not None:
            arguments = {**event.call.arguments, "edit": block[0] if block else self._answer}
            self.draft.events[index] = event._replace(call=event.call._replace(arguments=arguments))
        self.draft.answer(index, text, event.place, True)

    def facts(self, text: str, place: Place) -> None:
        """The model, and the tokens of a request."""
        if model := _MODEL.match(text):
            self.model = self.draft.saw_model(model[1])
        elif counts := _TOKENS.match(text):
            sent, cached, received = (_count(count) for count in counts.groups())
            self.draft.usage[place] = Usage(sent, received, cached)  # sent includes the cache
        elif old := _OLD_TOKENS.match(text):
            self.draft.usage[place] = Usage(_count(old[1]), _count(old[2]))


def _count(shown: str | None) -> int:
    """A number of tokens as aider shows it: 4,357 or 4.2k or 1.1M."""
    if not shown:
        return 0
    factor = {"k": 1_000, "M": 1_000_000}.get(shown[-1], 1)
    digits = shown.rstrip("kM").replace(",", "").strip(".")
    return int(Decimal(digits) * factor) if digits.replace(".", "", 1).isdecimal() else 0
