"""The warnings of a scorecard about what its judge saw, quoted and left unexplained."""

from __future__ import annotations

from itertools import islice

from evenhand.core.judgement import Judgement
from evenhand.in_words import plural
from evenhand.work.submission import Submission

KINDS = 5
"""The most unrecognised kinds of entries a warning names; `evenhand show` lists all."""


def about_reading(judgement: Judgement, submission: Submission | None) -> tuple[str, ...]:
    """Warnings about quotes that are not in the output, and about what of its file the judge did not see."""
    return () if submission is None else (*_unverified(judgement), *_unread(submission))


def _unverified(judgement: Judgement) -> tuple[str, ...]:
    lists = [opinion.evidence for opinion in judgement.opinions.values()]
    lists += [claim.evidence for claim in (*judgement.red_flags, *judgement.bonuses)]
    missing = sum(not quote.verified for evidence in lists for quote in evidence)
    if not missing:
        return ()
    are = plural(missing, "quote is", "quotes are")
    return (f"{missing} {are} not in the output as written; see the marked evidence",)


def _unread(submission: Submission) -> tuple[str, ...]:
    warnings = [str(warning) for warning in submission.warnings]
    if submission.problems:
        of_how_many = f" (the first of {len(submission.problems)} problems)" if submission.problems[1:] else ""
        warnings.append(f"only partly judged, because the file is damaged: {submission.problems[0]}{of_how_many}")
    if submission.unknown:
        kinds = [f"{kind} ({count})" for kind, count in islice(submission.unknown.items(), KINDS)]
        of_how_many = f" and {len(submission.unknown) - KINDS} more kinds" if len(submission.unknown) > KINDS else ""
        warnings.append(f"not recognised, so not judged: {', '.join(kinds)}{of_how_many}")
    return tuple(warnings)


def unexplained(judgement: Judgement) -> tuple[str, ...]:
    """A warning for red flags without an explanation: no one can argue with a deduction that gives no reason."""
    bare = [claim.id for claim in judgement.red_flags if not claim.explanation.strip()]
    if not bare:
        return ()
    return (f"no explanation was given for the {plural(len(bare), 'red flag')} {', '.join(bare)}",)
