"""Everything evenhand raises on purpose.

    EvenhandError
    ├── InputError         the author must fix something        exit code 2
    │   ├── RubricError        in a rubric
    │   ├── JudgementError     in a judgement
    │   └── DocumentError      in a scorecard or another file
    └── Unavailable        a retry may help                     exit code 4
        └── StoreUnavailable   the store cannot be used now

The first split of the tree is who can help: the author of the input, or a retry.
Every problem says what is wrong, where, what is valid and what to do, in one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple


def shortened(text: str, most: int = 90) -> str:
    """A text shortened to a number of characters, with dots where something is missing."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def shortened_line(text: str, most: int = 40) -> str:
    """A text on one line, shortened to a number of characters."""
    return shortened(" ".join(text.split()), most)


Path = tuple[str | int, ...]
"""A path inside a document: ("scores", "safety", "score")."""


NUL = "holds the character NUL (U+0000), which no name has; take it out"
"""What is wrong with an id, a path or a hash that holds it: databases and file systems refuse it."""


class Problem(NamedTuple):
    """One thing that is wrong, and where."""

    message: str
    source: str | None = None
    """The file as the user named it, or None when the value came through the API."""
    line: int | None = None
    path: Path = ()
    """The place inside the document, from which the line can be found."""

    def __str__(self) -> str:
        if self.source is None:
            return self.message
        where = self.source if self.line is None else f"{self.source}:{self.line}"
        return f"{where}: {self.message}"


class EvenhandError(Exception):
    """The root: catching it catches everything evenhand raises on purpose."""


class InputError(EvenhandError):
    """Something the author of an input must fix. Carries every problem found, in file order."""

    def __init__(self, problems: str | Problem | Iterable[Problem]) -> None:
        if isinstance(problems, str):
            problems = Problem(problems)
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...]]]:
        """Keeps its problems when pickled to another process."""
        return type(self), (self.problems,)


class RubricError(InputError):
    """A rubric that cannot be used."""


class JudgementError(InputError):
    """A judgement that cannot be scored."""


class DocumentError(InputError):
    """A scorecard, or another document evenhand wrote, that cannot be read."""


class Unavailable(EvenhandError):
    """Something external is unavailable now; the same call may work later."""


class StoreUnavailable(Unavailable):
    """The store cannot be read or written: a locked, read-only, full, corrupt or unreachable one."""


_LISTED = 40
"""How many valid names a message lists."""

_NAME_LIMIT = 100
"""How much of a name is compared; a whole text pasted by mistake would take seconds."""

_PART = r"[^\W_]+"
_NEGATIONS = frozenset({"no", "not", "nto", "ont", "non", "never", "none", "without"})
_NEGATING = ("not", "non", "no", "un", "dis", "in", "im")
_OPPOSITES = (
    ("above", "below"), ("accept", "refuse"), ("add", "remove"), ("after", "before"), ("allow", "deny"),
    ("better", "worse"), ("contains", "lacks"), ("disable", "enable"), ("end", "start"), ("exclude", "include"),
    ("excludes", "includes"), ("fail", "pass"), ("failed", "passed"), ("false", "true"), ("first", "last"),
    ("high", "low"), ("highest", "lowest"), ("input", "output"), ("least", "most"), ("max", "min"),
    ("maximum", "minimum"), ("over", "under"), ("upper", "lower"),
)  # fmt: skip
_OPPOSITE = {word: opposite for pair in _OPPOSITES for word, opposite in (pair, pair[::-1])}


def unknown(what: str, word: object, valid: Iterable[str], *, most: int = 1, otherwise: str = "") -> str:
    """What is wrong with a word that is not one of the valid ones, and which of them may have been meant.

    `otherwise` is what to do instead of choosing from the list, where that would be too long or is elsewhere.
    """
    text, names = str(word), list(dict.fromkeys(valid))
    near = nearest(text, names, most)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    rest = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    listed = otherwise or (f"valid: {', '.join(names[:_LISTED])}{rest}" if names else "there is none to choose")
    return f'unknown {what} "{shortened_line(text)}"; {hint}{listed}'


def nearest(word: str, valid: Iterable[str], most: int = 1) -> list[str]:
    """Up to `most` valid names that look like a word, best first; a shared part counts as close.

    None that means the opposite: `max_cost` for `min_cost`, or `contains` for `not_contains`, which is `lacks`.
    """
    from difflib import get_close_matches  # costs start-up time, and only mistakes need it

    word = word[:_NAME_LIMIT].lower()
    names = list(valid)
    parts = {part for part in re.findall(_PART, word) if len(part) >= 3}
    sharing = [name for name in names if parts.intersection(re.findall(_PART, name.lower()))]
    suggested: list[str] = []
    for alike in (*(get_close_matches(reading, names, n=len(names) or 1) for reading in _readings(word)), sharing):
        suggested += [name for name in alike if not _opposed(word, name.lower())][:most]
    return list(dict.fromkeys(suggested))[:most]


def _readings(word: str) -> list[str]:
    """A word, and for a negated one what says the same without negation: `lacks` for `not_contains`."""
    parts = [part for part in re.findall(_PART, word) if part not in _NEGATIONS]
    pairs = [pair for pair in _OPPOSITE.items() if pair[0] in parts]
    if not pairs or len(parts) == len(re.findall(_PART, word)):
        return [word]
    return ["_".join(after if part == before else part for part in parts) for before, after in pairs] + [word]


def _opposed(word: str, name: str) -> bool:
    """Whether one of two names says the contrary of the other: an odd number of reversals between them."""
    typed, meant = re.findall(_PART, word), re.findall(_PART, name)
    if _one_slip("".join(typed), "".join(meant)):
        return False  # a slip of one letter or a joint reverses nothing
    for part in list(typed):
        if part in meant:
            typed.remove(part)
            meant.remove(part)
    reversals = sum(part in _NEGATIONS for part in (*typed, *meant))
    reversals += sum(meant.count(_OPPOSITE[part]) for part in set(typed) if part in _OPPOSITE)
    reversals += any(_negates(part, base) or _negates(base, part) for part in typed for base in meant)
    return reversals % 2 == 1


def _one_slip(typed: str, meant: str) -> bool:
    """Whether the other word has all letters of the longer one but one, in the same order."""
    from difflib import SequenceMatcher

    enough = max(len(typed), len(meant)) - 1
    if min(len(typed), len(meant)) < enough:
        return False
    return sum(block.size for block in SequenceMatcher(None, typed, meant).get_matching_blocks()) >= enough


def _negates(part: str, base: str) -> bool:
    """Whether a part is another with a negating prefix: `unmet` and `met`; the other may be misspelt."""
    from difflib import SequenceMatcher

    return (
        part.startswith(_NEGATING)
        and len(base) >= 3
        and any(
            part.startswith(prefix)
            and not base.startswith(prefix)
            and SequenceMatcher(None, part.removeprefix(prefix), base).ratio() >= 0.8
            for prefix in _NEGATING
        )
    )
