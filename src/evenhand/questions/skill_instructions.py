"""The instructions of a skill as a judge reads them, right after the rubric, so that servers can cache them. Pure.

They are fenced by lines with a code: a hash of the whole text, which it cannot contain.
"""

from __future__ import annotations

from hashlib import sha256

from evenhand.core.values.submission import Submission
from evenhand.questions import wording
from evenhand.questions.layout import NONCE_HERE
from evenhand.questions.showing import show


def skill_text(instructions: str) -> str:
    """A SKILL.md as it is shown, without what no reader sees; empty when there is none."""
    if not instructions.strip():
        return ""
    text = wording.SKILL.format(nonce=NONCE_HERE, text=show(Submission(instructions), window_tokens=None).text)
    return text.replace(NONCE_HERE, sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32])
