"""Remove decoration from a judge's own words: Markdown, LaTeX, HTML, JSON, rows of stars."""

from __future__ import annotations

import re

from evenhand.replies.prose.solved import with_boxes

_STARS = re.compile(r"([★⭐🌟✭✮]{1,20})([☆✩✰]{0,20})")
_TWICE = re.compile(r"\b([0-9]{1,2}/[0-9]{1,2})\s{0,4}\(\s?\1\s?\)")
_TAGGED = re.compile(r"<([a-z][\w-]{0,30})>\s{0,20}([^<>\n]{0,60}\d[^<>\n]{0,20})\s{0,20}</\1>")
_STYLE = re.compile(r"</?(?:b|i|u|em|strong|span|p|font|small|big|mark|sup|center|li|ul|ol|td|tr|table|h[1-6])"
                    r"(?: [^<>\n]{0,80})?/?>")  # fmt: skip
_SIMPLE = (
    (re.compile(r"<br ?/?>"), "\n"),
    (re.compile(r"<([0-9]{1,3}(?:\.[0-9]{1,2})?)>"), r"\1"),
    (re.compile(r"\\n(?![a-z])|\\n(?=(?:rating|score|final|overall|result)\b)"), "\n"),
    (re.compile(r"\\(?=[*_#%$~`\-])"), ""),
    (re.compile(r"\\\[\\\["), "[["),
    (re.compile(r"\\\]\\\]"), "]]"),
    (re.compile(r"\\[d]?frac\{ ?(\d{1,4}) ?\}\{ ?(\d{1,4}) ?\}"), r"\1/\2"),
    (re.compile(r"\\(?:text|textbf|mathbf|mathrm|textit|emph|bf|rm) ?\{([^{}\n]{0,60})\}"), r"\1"),
    (re.compile(r"\\(?:left|right|quad|,|;|:|!|\(|\)|\[|\])"), " "),
    (re.compile(r"\$(?![0-9])|(?<=[0-9])\$|\$(?=[0-9][0-9.,/]*\$)"), ""),  # what is left is money
    (re.compile(r"(?<=\d) ?\* ?(?=\d)"), "×"),
    (re.compile(r"\*+"), ""),
    (re.compile(r"_+"), " "),
    (re.compile(r"^[ ]*#{1,6} ", re.MULTILINE), ""),
    (re.compile(r"[✅❌✔✓✗🔹🔸📝🎯🏆📊👉⚖🏁💯➡]"), " "),
)
_ANSWER_TAGS = {"answer", "result", "judgment", "judgement", "verdict", "evaluation"}


def plain(text: str) -> str:
    """Words without their decoration: boxed text becomes [[ ]], rows of stars become figures."""
    text = with_boxes(_STYLE.sub("", text))
    text = _TAGGED.sub(_tagged, text)
    for pattern, replacement in _SIMPLE:
        text = pattern.sub(replacement, text)
    return _TWICE.sub(r"\1", _STARS.sub(_starred, text))


def _tagged(match: re.Match[str]) -> str:
    name = "score" if match[1] in _ANSWER_TAGS else match[1].replace("-", " ")
    return f"\n{name}: {match[2]}\n"


def _starred(match: re.Match[str]) -> str:
    full, empty = len(match[1]), len(match[2])
    if empty:
        return f" {full}/{full + empty} "
    return f" {full} stars " if full > 1 else " "
