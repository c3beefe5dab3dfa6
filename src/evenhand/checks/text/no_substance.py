"""An output without an answer: empty, without a word, boilerplate only, or the task repeated back. Pure.

A short answer is an answer, a refusal may be the right one, and words to a judge are a matter of screening: all three
are left alone. So are friendly words to a user who only thanks, and a transcript that was not read to its end, that
records no words of the agent at all, or whose answer may be in a call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evenhand.checks.facts.actions.read_only_calls import only_looks
from evenhand.checks.facts.brought_back import ends_or_thinks
from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject
from evenhand.lazy_pattern import late_pattern
from evenhand.screening.judge_orders import addressed_to_judge

ID: Final = "no-substance"
DIMENSIONS: Final = ("correctness", "completeness", "adherence", "actionability")


# Whether an output holds anything to judge. Pure.
#
# One that is empty, boilerplate, a refusal, the task repeated back, or a letter to the judge does not. A short answer
# does, and so does a call that changed something, whatever the last message says.

REFUSAL: Final = "The output is only a refusal."
TO_JUDGE: Final = "The output only addresses the judge."

_SPACELESS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_WORD = late_pattern(rf"[{_SPACELESS}]{{1,2}}|[^\W_{_SPACELESS}]+(?:['\u2019.-][^\W_{_SPACELESS}]+)*")
"""A word; two characters of a script that puts no spaces between words count as one."""
_BOILERPLATE = late_pattern(
    r"(?:(?:my |the )?(?:thoughts?(?: process)?|thinking|reasoning|analysis|plan|approach|(?:final )?answer|response"
    r"|output|result|solution|explanation|summary|steps?|introduction|conclusion)\s*[:.\u2026-]*"
    r"|(?:sure|certainly|of course|absolutely|okay|ok|great|thank you|thanks|hello|hi)(?: thing| there)?[\s!,.:]*"
    r"|(?:(?:sure|certainly|of course|okay|ok)[!,.]?\s+)?(?:here(?:'s| is| are)|below is) (?:the|my|your|an?)"
    r"(?: \w+){0,4}[\s.:!\u2026]*"
    r"|(?:i(?:'d| would) be|i(?:'m| am)) (?:happy|glad|delighted|pleased|here) to (?:help|assist)\b.{0,60}"
    r"|i hope (?:this|that|it) (?:helps|was helpful|is helpful|answers|clarifies)\b.{0,40}"
    r"|(?:please )?(?:let me know|feel free to|don't hesitate to)\b.{0,90}"
    r"|(?:let me|let's|i will|i'll) (?:think|see|start|begin|work|look|help|answer)\b.{0,60}"
    r"|as an ai(?: language model| assistant)?[\s,.:]*"
    r"|i understand(?: (?:the|your) (?:task|question|request))?[.!]?|is there anything else\b.{0,40})",
    re.I,
)
_REFUSAL = late_pattern(
    r"(?:i(?:'m| am) (?:very |so |really )?sorry\b.{0,20}"
    r"|(?:i(?:'m| am) sorry,? but |unfortunately,? |as an ai\b.{0,40}?,? )?"
    r"i (?:can(?:'t|not| not)|won't|will not|am (?:not able|unable) to|must decline to|don't feel comfortable)\s*"
    r"(?:\w+ )?(?:help|assist|comply|provid|do (?:that|this|so)|fulfil|continue|creat|generat|writ|answer|engag|support"
    r"|complet|access|brows|open|discuss|participat|offer)\w*\b.{0,160})",
    re.I,
)
_SHORT_ANSWER = late_pattern(
    r"\b(?:one|a single|single|1|two|2)[- ]words?\b|\byes\W{1,3}or\W{1,3}no\b|\b(?:only|just) (?:the|a|with the) \w+"
    r"|\btrue or false\b|\?[\s\"')*_]*$|\bhow (?:many|much|old|long|far)\b|^\W{0,3}[A-E][).:]\s|\bmultiple[- ]choice\b"
    r"|\b(?:compute|calculate|evaluate|solve|find the (?:value|number|sum|product|area|probability))\b"
    r"|\bfinal answer\b|\banswer:\s*\S",
    re.I | re.M,
)
_COURTESY = late_pattern(
    r"\W*(?:(?:hi|hello|hey|good (?:morning|afternoon|evening|day|night)|thanks?|thank you|bye|goodbye|ok(?:ay)?"
    r"|great|perfect"
    r"|nice|cool|awesome|wonderful|that(?:['\u2019]s| is) (?:all|it|great|perfect)|no|nothing else|for now|there"
    r"|so much|very much"
    r"|a lot|again|have a (?:nice|good|great) day)\b\W*)+",
    re.I,
)
"""A message of a user who only greets or thanks."""
_REPEATS = late_pattern(r"\b(?:repeat|copy|echo|say|print|output|transcribe|proofread|translate|write) ", re.I)


def lacks_substance(subject: Subject) -> str | None:
    """Why there is nothing to judge; None when there is."""
    output = subject.output.strip()
    done = [event.call for event in subject.calls if event.call and event.call.result and not event.call.failed]
    if not all(map(only_looks, done)):
        return None
    if not output:
        return "The output is empty."
    if not _WORD.search(output):
        return "The output has no words."
    instructions = "\n".join([subject.task, *(event.text for event in subject.events if event.role == "system")])
    whole = len(subject.task.split()) <= 60  # in a longer one the question is at the start or the end
    short = bool(done) or bool(
        _SHORT_ANSWER.search(instructions if whole else f"{instructions[:300]}\n{subject.task[-400:]}")
    )
    if _repeats_task(subject.task, output):
        return "The output only repeats the task."
    return None if short and len(output.split()) <= 3 and output[-1] != ":" else _only_noise(subject, output)


def _only_noise(subject: Subject, output: str) -> str | None:
    """What the output is, when nothing is left without boilerplate, refusals and words to the judge."""
    taken = {"refusal": 0, "judge": 0}
    for line in output.splitlines():
        for sentence in re.split(r"(?<=[.!?])\s+", line.strip(" #*_>-")):
            if any(True for _ in addressed_to_judge(sentence)):
                taken["judge"] += 1
            elif _REFUSAL.fullmatch(sentence):
                taken["refusal"] += 1
            elif _WORD.search(sentence) and not _BOILERPLATE.fullmatch(sentence):
                return None
    if subject.blocks:  # checked last: a line or two settle it for most outputs, which then need no parsing
        return None
    if taken["judge"]:
        return TO_JUDGE
    if taken["refusal"]:
        return REFUSAL
    return None if _is_courtesy(subject) else "The output is only boilerplate, without an answer."


def _is_courtesy(subject: Subject) -> bool:
    """Whether friendly words are all that is due: the user only greets or thanks, or was answered before."""
    messages = [event for event in subject.events if event.kind == "message" and not event.agent]
    asked = [number for number, event in enumerate(messages) if event.role == "user"]
    if _COURTESY.fullmatch(messages[asked[-1]].text[:200] if asked else subject.task[:200]):
        return True
    between = messages[asked[0] : asked[-1]] if asked else []
    return any(
        event.role == "assistant"
        and any(_says_something(sentence) for sentence in re.split(r"(?<=[.!?])\s+|\n", event.text[:2000]))
        for event in between
    )


def _says_something(sentence: str) -> bool:
    return len(_WORD.findall(sentence)) > 4 and not _BOILERPLATE.fullmatch(sentence) and not sentence.endswith("?")


def _repeats_task(task: str, output: str) -> bool:
    if len(output) > 10 * len(task):  # far longer than the task
        return False
    task_words, output_words = ([word.lower() for word in _WORD.findall(text)] for text in (task, output))
    if len(task_words) < 5 or _REPEATS.search(task[:80]):
        return False
    return f" {' '.join(task_words)} " in f" {' '.join(output_words)} " and len(output_words) < len(task_words) + 3


@check(
    ID,
    *DIMENSIONS,
    sees="An output that is empty, has no words, is only boilerplate, or only repeats the task.",
    severity="Critical: there is no answer.",
    example="Sure! Here is the summary you asked for:",
    whole=True,
)
def no_substance(subject: Subject) -> Iterator[Finding]:
    """One critical fault for each dimension that needs an answer."""
    reason = lacks_substance(subject)
    if reason is None or reason in (REFUSAL, TO_JUDGE) or not _read_to_its_end(subject):
        return
    text = subject.output.strip()
    quote = text.partition("\n")[0].strip()[:200]
    for dimension in DIMENSIONS:
        yield Finding(ID, dimension, "critical", reason, quote, offset=subject.output.find(quote) if quote else None)


def _read_to_its_end(subject: Subject) -> bool:
    """Whether the output can be trusted to be all there is."""
    submission = subject.submission
    stopped = any(event.kind == "error" for event in subject.events)
    elsewhere = any(event.call and ends_or_thinks(event.call.name) for event in subject.events)
    recorded = bool(subject.events) or submission.format not in ("text", "diff", "submissions")
    silent = recorded and not any(
        event.role == "assistant" and event.kind == "message" and event.text for event in subject.events
    )
    return not (submission.unknown or stopped or elsewhere or silent)


CHECKS = (no_substance,)
