"""What the task lists or asks, and whether the output mentions it. Pure; it compares words, so it is careful.

A requirement counts as left out only when none of its own words, by their stems, appears anywhere in the output or in
what an agent wrote. Limits, prohibitions, matters of form and questions that a single word answers are left alone.
Advice on how to work, headings and long prompts are left alone too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from evenhand.checks.facts.english import in_english
from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject
from evenhand.core.basics.lazy_pattern import late_pattern

if TYPE_CHECKING:
    from markdown_it.token import Token

LEFT_OUT: Final = "unaddressed-requirement"
MET: Final = "requirements-met"

FEWEST: Final = 3
"""Requirements that make a list worth reporting on."""
SHORTEST: Final = 40
"""Words an output must have before its requirements can count as met."""
LONGEST: Final = 400
"""Words of a task; a longer one is a prompt that also says how to work."""

_LEAD = late_pattern(
    r"(?i)\b(?:must|should|shall|needs?|requirements?|required|include|cover|answer|address|following|deliverables?|tasks?"
    r"|implement|explain|describe|provide|questions?|acceptance|criteria|features?|steps?|points|please|goals?)\b"
)
_VERB = late_pattern(
    r"(?i)(?:add|write|implement|explain|describe|list|include|create|compare|define|discuss|give|show|identify|document|test"
    r"|support|handle|provide|propose|summari[sz]e|analy[sz]e|build|design|fix|update|remove|rename|move|validate|log|send"
    r"|outline|state|name|calculate|compute|estimate|recommend|evaluate|review|refactor|expose|return|store|print)\b"
)
_NOT_BY_WORDS = late_pattern(
    r"(?i)\b(?:not|n't|never|avoid|without|no|only|words?|sentences?|paragraphs?|characters|lines|pages?|tone|style|concise"
    r"|brief|short|format|markdown|json|bullets?|english|language|headings?|polite|formal|simple|clear|at most|at least"
    r"|optional\w*|exactly|maximum|minimum|limit|keep|remember|ensure|careful\w*|thorough\w*)\b|n't\b"
)
_MATERIAL = late_pattern(
    r"(?i)\b(?:summari[sz]e|classify|translate|rewrite|proofread|sort|rank|change ?log|commits?|notes|logs?|reviews?"
    r"|comments|here (?:is|are)|given|based on|below is|these(?! (?:questions|tasks|requirements|steps|points)))\b"
)
"""Words before a list that make it something to work on, not a list of wishes."""
_ADVICE = late_pattern(
    r"(?i)\b(?:workflow|recommend\w*|suggest\w*|tips?|hints?|guid(?:e|ance|elines?)|advice|rules?|instructions?|process"
    r"|procedure|approach|how to|you (?:can|may|might|could)|examples?|environment|important|notes?|boundar\w+|tools?"
    r"|available|command execution|format|context|background|step[- ]by[- ]step|phases?|before you|when you|remember"
    r"|policy|policies|preferences|principles?|conventions?|role|best practices)\b"
)
"""Words above a list that make it advice on how to work."""
_ADVISES = late_pattern(
    r"(?i)\W*(?:you|consider|try|think|use|start|begin|make sure|first|then|always|read|find|search|look|check|verify"
    r"|run)\b"
)
_ONE_WORD = late_pattern(
    r"(?i)\W*(?:who|when|where|which|whose|is|are|was|were|do|does|did|can|could|should|would|will|has|have|may"
    r"|what(?:'s| is| are| was| time| colou?r| year)|how (?:many|much|long|old|far|often|big))\b"
)
_FOREIGN = late_pattern(
    r"(?i)\b(?:translat\w*|in (?:french|german|spanish|italian|portuguese|chinese|japanese|korean|russian|dutch))\b"
)
_COMMON = frozenset(
    "about above across after again also always another answer appropriate approach around available based because"
    " been before being below best between both case cases change changes clear code common complete consider correct"
    " could current detail details different does each edge effective ensure error errors every example examples"
    " existing few file files first following from full function general give given good handle handling have help"
    " here high how important include including information into issue issues know least like line list long main make"
    " many method more most much must name need needed needs new next number one only options other output over own"
    " part pass passes please point points possible problem proper properly provide question questions quality reason"
    " relevant required result results same section should show simple some specific step steps such support sure"
    " system task test tests text than that their them then there these they thing things this those through time"
    " trade-off trade-offs tradeoff type types under used user users using value values various very want well what"
    " when where whether which while who whole why will with within work works would write your yours our ours any all"
    " its data way ways two three".split()
)
"""Words that say too little, or too often, to tell one requirement from another."""
_ENDINGS = (
    r"(?:isations?|izations?|ations?|ements?|ities|ings?|ions?|ness|able|ible|ally|ies|ied|[eo]rs?|ed|es|ly|al|s|e|y)$"
)


class Requirement(NamedTuple):
    """One thing the task asks for."""

    text: str
    stems: frozenset[str]
    question: bool


@check(
    LEFT_OUT,
    "completeness",
    sees="An item of the task's list of requirements, or one of its questions, of which the output has no word.",
    severity="Major, three at most: part of what was asked for is missing.",
    example="The task lists “Explain the retention policy for backups”; the output never mentions it.",
    whole=True,
)
def unaddressed_requirement(subject: Subject) -> Iterator[Finding]:
    """Requirements none of whose words are in the output."""
    if len(subject.task) > LONGEST and len(subject.task.split(maxsplit=LONGEST)) > LONGEST:
        return
    listed = requirements(subject)
    if len(listed) < 2 or _foreign(subject) or _numbered_alike(subject, listed):
        return
    answer = _answer_text(subject)
    missing = [item for item in listed if not any(stem in answer for stem in item.stems)]
    missing = [item for item in missing if len(item.stems) >= _enough(subject, item)]
    message = "The task asks for “{}”, and the output does not mention it."
    yield from islice(
        (Finding(LEFT_OUT, "completeness", "major", message.format(_short(item.text))) for item in missing), 3
    )
    if not missing:
        message = f"The output mentions all {len(listed)} things that the task lists."
        yield Finding(LEFT_OUT, "completeness", None, message)


@check(
    MET,
    "completeness",
    sees="A list of at least three requirements in the task, each taken up in the output's own text.",
    severity="+0.50, or +1.00 for six or more: the task sets the list, so no other words can earn it.",
    example="The task lists five features to document, and the output has a paragraph on each.",
)
def requirements_met(subject: Subject) -> Iterator[Finding]:
    """A list of at least three requirements that the output's own text addresses one by one."""
    if len(subject.words) < SHORTEST:
        return
    listed = [item for item in requirements(subject) if not item.question]
    if len(listed) < FEWEST:
        return
    answer = _own_text(subject)
    if all(2 * sum(stem in answer for stem in item.stems) > len(item.stems) for item in listed):
        message = f"The output takes up all {len(listed)} requirements that the task lists."
        yield Finding(MET, "completeness", None, message)


@lru_cache(maxsize=1)
def requirements(subject: Subject) -> tuple[Requirement, ...]:
    """The items of the task's lists of things to do, and its questions when it asks several."""
    listed = [text for text in _items(subject.task_tokens) if not _NOT_BY_WORDS.search(text)]
    candidates = [Requirement(text, _stems(text), text.rstrip().endswith("?")) for text in listed]
    paragraphs = "\n".join(
        token.content for token in subject.task_tokens if token.type == "inline" and token.level == 1
    )
    parts = re.split(r"(?<=[.!?])\s+|\n+", paragraphs) if paragraphs.count("?") > 1 else ()
    questions = [text for text in parts if text.endswith("?")]
    candidates += [Requirement(text, _stems(text), True) for text in questions] if len(questions) > 1 else []
    return tuple(
        item for item in candidates if len(item.stems) > 1 and not (item.question and _ONE_WORD.match(item.text))
    )


_NESTS = {"ordered_list_open": 1, "bullet_list_open": 1, "ordered_list_close": -1, "bullet_list_close": -1}


def _items(tokens: Sequence[Token]) -> Iterator[str]:
    """The items of the outermost lists that a request introduces, or that are commands or questions."""
    heading, lead, depth, open_item, titled = "", "", 0, False, False
    for token in tokens:
        kind = token.type
        if kind != "inline":
            titled = kind == "heading_open" or (titled and kind != "heading_close")
            depth += _NESTS.get(kind, 0)
            open_item = open_item or (kind == "list_item_open" and depth == 1)
        elif titled:
            heading, lead = token.content, ""
        elif depth == 0:
            lead = token.content
        elif depth == 1 and open_item:
            text = token.content.split("\n\n")[0]
            asks = text.rstrip().endswith("?") or _VERB.match(text.lstrip("*_` "))
            if (
                (asks or (lead.rstrip().endswith(":") and _LEAD.search(lead)))
                and not _MATERIAL.search(lead)
                and not _is_advice(heading, lead, text)
            ):
                yield text
            open_item = False  # what follows in the same item explains it


def _is_advice(heading: str, lead: str, item: str) -> bool:
    """Whether an item says how to work, or is a heading, rather than something to deliver."""
    title = item.rstrip().endswith(":") or re.fullmatch(r"\*\*[^*]+\*\*", item.strip())
    return bool(title or _ADVICE.search(f"{heading}\n{lead}") or _ADVISES.match(item))


def _stems(text: str) -> frozenset[str]:
    text = re.sub(r"`[^`]*`|https?://\S+", " ", text)
    words = (word.lower() for word in re.findall(r"[^\W\d_]{4,}(?:-[^\W\d_]+)*", text))
    return frozenset(_stem(word) for word in words if word not in _COMMON and not _VERB.fullmatch(word))


def _stem(word: str) -> str:
    shorter = re.sub(_ENDINGS, "", word)
    return shorter if len(shorter) >= 4 else word[:4] if len(word) <= 6 else word[:5]


def _enough(subject: Subject, requirement: Requirement) -> int:
    """How many words must all be absent: more for a question, and where code may say it in other words."""
    return 3 if requirement.question or subject.blocks or subject.calls else 2


def _answer_text(subject: Subject) -> str:
    """The whole answer: the output, the agent's messages, and the arguments of its calls."""
    written = (repr(event.call.arguments) for event in subject.calls if event.call)
    messages = (event.text for event in subject.events if event.role == "assistant")
    return "\n".join([subject.output, *messages, *written]).lower()


def _own_text(subject: Subject) -> str:
    """The paragraphs and code of the output that are neither headings nor lines of the task."""
    heading, kept = False, [block.code for block in subject.blocks]
    for token in subject.tokens:
        heading = token.type == "heading_open" or (heading and token.type != "heading_close")
        if token.type == "inline" and not heading:
            kept += [line for line in token.content.split("\n") if line.strip(" *_.:") not in subject.task]
    return "\n".join(kept).lower()


def _foreign(subject: Subject) -> bool:
    """Whether the output is, or is to be, in another language than the English whose words are compared."""
    return bool(_FOREIGN.search(subject.task)) or not in_english(subject.words)


def _numbered_alike(subject: Subject, listed: Sequence[Requirement]) -> bool:
    """Whether the output answers by number, and so need not repeat a word."""
    numbered = re.findall(r"^\s{0,3}(?:#+\s*|\*\*)?(?:Q(?:uestion)?\s*)?(\d+)[.):]", subject.output, re.MULTILINE)
    return len(set(numbered)) >= len(listed)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 80 else text[:79].rsplit(" ", 1)[0] + " …"


CHECKS = (
    unaddressed_requirement,
    requirements_met,
)
