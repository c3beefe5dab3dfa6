"""Labels: what the words right before a figure call it: `Final score (1-10):`, `评分：`, `| Clarity |`."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from evenhand.replies.prose import words
from evenhand.replies.prose.figures import value_of


class Label(NamedTuple):
    """What a figure is called."""

    strong: bool = False
    """Marked by a colon, a dash, a bar, a bracket or `is`; not by `of` alone."""
    final: bool = False
    revised: bool = False
    name: str = ""
    """The criterion, or which of several outputs; empty for the whole."""
    output: bool = False
    """Whether the name identifies one of several outputs."""
    excluded: str = ""
    """Why it is not the verdict: the average, the maximum, an earlier one."""
    scale: Decimal | None = None
    noun: bool = False
    """Whether it contains a word for a score."""
    summed: bool = False
    """Whether it is a word for a sum or a result, which the judged problem may have too."""
    known: bool = True
    """False for a name that is neither a known criterion nor a word for a score."""


def mentions_a_score(text: str) -> bool:
    """Whether a text has a word for a score in it."""
    return bool(_NOUN.search(text) or _JOINED_NOUN.search(text))


def is_bare_label(before: str) -> bool:
    """Whether the words before a figure are a score's noun and nothing else: `**Score** 3`, `Final rating 8`."""
    *others, noun = before.strip(" \n\x01\x02[(（*•·>#|-0123456789.)").split() or [""]
    final = all(FINAL.fullmatch(word) or word in ("my", "our", "the") for word in others) and others not in (
        [],
        ["the"],
    )
    return bool(_NOUN.fullmatch(noun)) if final else not others and bool(_UNMISTAKABLE.fullmatch(noun))


def _any(table: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, table))


def _words(table: tuple[str, ...]) -> re.Pattern[str]:
    """Any of the words: whole ones where letters are spaced, anywhere in running script."""
    spaced = [word for word in table if not _RUNNING.search(word)]
    running = [word for word in table if _RUNNING.search(word)]
    parts = [rf"\b(?:{_any(tuple(spaced))})(?!\w)"] if spaced else []
    return re.compile("|".join([*parts, *map(re.escape, running)]))


_RUNNING = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
FINAL = _words(words.FINAL_WORDS)
REVISED = _words(words.REVISED_WORDS)
EXCLUDED = _words(words.NOT_THE_VERDICT)
CRITERION = _words(words.CRITERIA)
PART = _words(words.PARTS)
OUTPUT = re.compile(
    rf"(?:(?<![a-z])(?:{_any(words.OUTPUTS)}))\s?(?:no\.? ?|number |nr\. ?|#|\()?\s?"
    r"(?P<which>a(?=['’]s|:|\)|,|\||$| ?[–—=-]| (?:deserves|gets|receives|scores|earns|is)\b)|[b-d](?![a-z'])"
    r"|[0-9]{1,2}(?![0-9.,/])|one\b|two\b|three\b|甲|乙|一(?!致)|二|i{1,3}\b)"
)
_PLAIN = re.compile(rf"(?:{_any(words.PLAIN_WORDS)})(?!\w)")
_JOINED_PLAIN = re.compile("|".join(sorted(map(re.escape, words.JOINED_PLAIN), key=len, reverse=True)))
_NOUN = re.compile(rf"\b(?:{_any(words.NOUNS)})(?!\w)")
_UNMISTAKABLE = re.compile(_any(words.UNMISTAKABLE_NOUNS))
_JOINED_NOUN = re.compile(rf"(?:{_any(words.JOINED_NOUNS)})")
_PLURAL = re.compile(r"\bratings\b")
_FINAL_NOUN = re.compile(rf"(?:{_any(words.FINAL_NOUNS)})(?!\w)|{_any(words.JOINED_NOUNS)}|总计|総合|종합|최종|总结")
_JOINED_CRITERIA = re.compile("标准|標準|基準|基准|ポイント|기준|要点|要點|得分点|得分點|项目|項目|方法|方式|形式")
_SUMMED = _words(words.SUMS)

_LEAD = re.compile(
    r"(?:\b(?:an?|the|einen?|einer|ein|un|une|una|uno|um|uma|only|just|therefore|thus|hence|simply|clearly|solid|strong"
    r"|perfect|full|clear|good|weak|high|low|fair|generous|respectable|decent|mere|still|now|also|likely|la|le|el|il)"
    r"|:|\x02|\*|\[\[|\[|\(|（|【|\{|<|\s)+$"
)
_SEPARATOR = re.compile(
    r"\s*(?P<strong>(?:[:=|–—→]|=>|->|--?)(?:[\s|:=–—→>-]*))$"
    r"|\s(?P<is>is|was|are|be|would be|should be|will be|stands at|comes to|comes out to|equals|is set at|is set to"
    r"|est de|es de|e di|e de|ist|betragt|liegt bei|lautet|ware|est|serait|es|sera|seria|e|составляет|равна|هو|هي"
    r"|है)\s*$"
    r"|\s(?P<of>of|as|at|to|von|auf|mit|de|di|da|em|a|в|на)\s*$"
    r"|(?P<joined>为|是|為|は|が|은|는|이|을|를|:)\s*$"
)
_BRACKETED = re.compile(r"[(\[（【]{1,2}(?P<inside>[^()\[\]（）【】\n]{0,60})[)\]）】]{1,2}\s*$")
_SCALE_INSIDE = re.compile(r"(?P<low>[0-9]+)\s?(?:-|–|to|~|bis|a|до|到|至|から)\s?(?P<high>[0-9]+)|(?P<alone>[0-9]+)")
_DELIMITER = re.compile(r"[:;|,.!?\n{}\x01。，、；]|\s[–—-]\s|^\s*[-•·+]\s|[()（）\[\]](?=.)")


def label_before(before: str) -> Label | None:
    """The label that ends where a figure starts, or None."""
    text = _LEAD.sub("", before) if not before.endswith((":", "：")) else before
    opened = bool(re.search(r"[\[(（【|]\s?$", before))
    cut = _SEPARATOR.search(text) or _SEPARATOR.search(before.rstrip(" \x02[({（【"))
    kind = ""
    if cut:
        kind = str(cut.lastgroup)
        text = text[: cut.start()] if cut.string is text else before[: cut.start()]
    scale = None
    bracketed = False
    part = None
    if group := _BRACKETED.search(text):
        inside = group["inside"].strip()
        if _NOUN.search(inside) or _JOINED_NOUN.search(inside) or inside in ("result", "final", "overall"):
            text, bracketed = text[: group.start()] + " " + inside, True
        else:
            scale = _scale_inside(inside)
            text = text[: group.start()]
            part = CRITERION.search(inside) or OUTPUT.search(inside)
    segment = _segment(text.rstrip())
    strong = kind in ("strong", "is", "joined") or bracketed or opened
    label = _named(segment, kind, bracketed) if segment else None
    if label is None:
        return None
    if part and not label.name:
        label = label._replace(name=part[0], final=False, output=part.re is OUTPUT)
    return label._replace(strong=strong, scale=scale if scale is not None else label.scale)


def _scale_inside(inside: str) -> Decimal | None:
    match = _SCALE_INSIDE.search(inside)
    return value_of(match["high"] or match["alone"]) if match else None


def _segment(text: str) -> str:
    """The words after the last delimiter."""
    window = text[-90:]
    start = 0
    for match in _DELIMITER.finditer(window):
        start = match.end()
    return window[start:].strip()


def _named(segment: str, kind: str, bracketed: bool) -> Label | None:
    noun = None
    for noun in _NOUN.finditer(segment):  # noqa: B007
        pass
    if noun is not None and (noun.end() == len(segment) or kind in ("strong", "is")):
        return _judged(segment, segment[: noun.start()], segment[noun.end() :], kind)
    joined = None
    for joined in _JOINED_NOUN.finditer(segment):  # noqa: B007
        pass
    if joined is not None and len(segment) - joined.end() <= 12:
        return _judged_joined(segment, segment[: joined.start()])
    if kind in ("strong", "joined", "") and _only_final(segment):
        revised, summed = bool(REVISED.search(segment)), bool(_SUMMED.search(segment))
        return Label(final=True, revised=revised, summed=summed)
    if bracketed or segment in ("result", "final result", "endergebnis"):
        return Label(final="final" in segment, summed=not bracketed)
    if kind == "strong" and len(segment.split()) <= 5:
        return _criterion(segment)
    return None


def _judged(segment: str, prefix: str, middle: str, kind: str) -> Label | None:
    """A label with a noun for a score: whose, for what, and how final."""
    if len(middle) > 50 or (middle and kind == "of"):
        return None
    if kind != "strong" and _PLURAL.search(segment):
        return Label(excluded="several")
    if (
        excluded := EXCLUDED.search(prefix)
        or re.search(r"(?:['’]s|\bits|\btheir) own\b", prefix)
        or re.search(r"\b(?:range|scale|threshold|criteria|guide|key|level|format)\b", middle)
    ):
        return Label(excluded=excluded[0])
    if output := OUTPUT.search(segment if kind != "strong" else prefix.rstrip() or segment):
        return Label(name=output[0], output=True)
    if EXCLUDED.search(middle) or re.search(r"\d", middle):
        return None
    if criterion := CRITERION.search(prefix[-40:]) or CRITERION.search(middle):
        return Label(name=criterion[0])
    if re.fullmatch(r"\s?#?[a-d]", middle):
        return Label(name=middle.strip(), output=True)
    final = bool(FINAL.search(segment))
    revised = bool(REVISED.search(segment))
    others = [word for word in re.findall(r"[^\W\d]+(?:['’-][^\W\d]+)*", prefix) if not _is_plain(word)]
    if others and kind == "strong" and not final and len(prefix.split()) <= 3:
        return Label(name=" ".join(others), known=False, noun=True)
    return Label(final=final, revised=revised)


def _is_plain(word: str) -> bool:
    bare = re.sub(r"['’]s?$", "", word)
    return bool(_PLAIN.fullmatch(word) or _PLAIN.fullmatch(bare) or FINAL.fullmatch(word) or _NOUN.fullmatch(word))


def _judged_joined(segment: str, prefix: str) -> Label:
    """A label with a noun for a score, in a script without spaces between words."""
    if excluded := EXCLUDED.search(segment) or _JOINED_CRITERIA.search(segment, len(prefix)):
        return Label(excluded=excluded[0])
    if output := OUTPUT.search(segment):
        return Label(name=output[0], output=True)
    if criterion := CRITERION.search(prefix):
        return Label(name=criterion[0])
    final = bool(FINAL.search(segment))
    left = _JOINED_PLAIN.sub("", FINAL.sub("", _JOINED_NOUN.sub("", prefix))).strip()
    if left and len(left) <= 6 and not final and not re.search(r"[a-z0-9]", left):
        return Label(name=left, known=False, noun=True)
    return Label(final=final, revised=bool(REVISED.search(segment)))


def _only_final(segment: str) -> bool:
    """Whether a label says no more than overall, total, final verdict."""
    rest = _FINAL_NOUN.sub("", segment)
    if rest == segment:
        return False
    if re.search(
        r"\b(?:answer|output|result for|response|antwort|reponse|respuesta|risposta|resposta|ответ)\b", segment
    ):
        return False  # the final answer belongs to the work being judged
    return all(_is_plain(word) for word in re.findall(r"[^\W\d_]+", rest))


def _criterion(segment: str) -> Label | None:
    if output := OUTPUT.search(segment):
        return Label(name=output[0], output=True)
    if EXCLUDED.search(segment):
        return Label(excluded=segment)
    if CRITERION.search(segment):
        return Label(name=segment)
    if re.search(r"\d", segment):
        return None
    return Label(name=segment, known=False) if re.search(r"[^\W\d_]", segment) else None
