"""A task that asks for steps, and an output that has none. Pure.

A step is something to do: a command, a list item that is more than a name, a sentence that tells the reader to do
something. Headings are not steps, and neither are words such as "step".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evenhand.checks.facts.actions.effects import failed, may_change
from evenhand.checks.facts.actions.files_written import files_written
from evenhand.checks.facts.english import in_english
from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject

ID: Final = "vague-steps"
SHORTEST: Final = 40
"""Words an output needs before it can be called vague; a shorter one may be the only step there is."""

_ASKS = (
    r"(?i)\bhow (?:do|can|should|would|could) (?:i|we|you|one)\b|\bstep[- ]by[- ]step\b|\bwalk me through\b"
    r"|(?:^|[.!?]\s+|\b(?:explain|show|tell|describe|write|know|learn|teach)\b.{0,30}?)how to\b"
    r"(?! (?:reproduce|contribute|replicate))"
    r"|\b(?:list|give|write|provide|describe|outline|what are)\b.{0,40}\b(?:steps|instructions|procedure|runbook"
    r"|checklist|guide|tutorial|action plan|migration plan|rollout plan|how-to)\b"
)
_DO = (
    "accept activate add adjust aim allow analyse analyze apply arrange ask assign attach avoid back bake begin"
    " boil book bring brush build buy call change check choose clean clear click clone close collect combine commit"
    " communicate compare compile conduct configure confirm connect consider contact convert cook copy create cut"
    " decide define delete deploy determine disable discuss document download draft drag drain draw drive eat edit"
    " enable ensure enter establish estimate evaluate execute exercise expand explain explore export fill find"
    " finish fix focus fold follow gather generate get give go grant heat hire hold hover identify implement import"
    " improve include increase initialize insert inspect install invest investigate invite join keep label launch"
    " learn leave let lift list listen load locate log look maintain make manage map mark measure meet merge migrate"
    " mix monitor move name navigate negotiate note notify open order organise organize outline pack pass paste pay"
    " perform pick place plan point pour practise preheat prepare press print prioritise prioritize provide publish"
    " pull purchase push put quit raise reach read rebuild record reduce refactor refer register reinstall relax"
    " release reload remember remove rename repeat replace report request research reset resolve restart restore"
    " retry review revise rinse roll rotate run save scan schedule scroll search season secure select send serve set"
    " share ship show sign sit soak sort speak spend split start stay stir stop store strip study submit subscribe"
    " summarise summarize swap switch tag take talk tap tell test think tie toggle track train translate try turn"
    " type uncheck uninstall unlock unpack unplug unzip update upgrade upload use validate verify view visit wait"
    " walk wash watch whisk wipe wire work wrap write zip"
)
_STEP = (
    r"(?i)(?:^|[.!:;]\s+|\n)\W*"
    r"(?:(?:first|second|third|then|next|now|finally|after that|afterwards|lastly|also)\b,?\s+)?"
    rf"(?:you (?:can|should|must|need to|will need to)\s+)?(?:{_DO.replace(' ', '|')})\b"
)
ENOUGH: Final = 2
"""How many steps an answer needs to count as instructions."""


@check(
    ID,
    "actionability",
    sees="A task that asks how to do something, and a long answer without a command, instruction or list of steps.",
    severity="Major: the reader still does not know what to do.",
    example="“How do I move the database?” answered with paragraphs on why moving databases matters.",
    whole=True,
)
def vague_steps(subject: Subject) -> Iterator[Finding]:
    """A long answer to a "how" question that does not tell the reader to do anything."""
    if files_written(subject) or any(
        event.call and may_change(event.call) and not failed(event.call) for event in subject.calls
    ):
        return  # an agent that did it need not say how
    if not subject.words or not _asks(subject):
        return
    if _steps(subject) >= ENOUGH:
        yield Finding(ID, "actionability", None, "The task asks for steps, and the output gives them.")
    elif not subject.rest and len(subject.words) >= SHORTEST and "the" in subject.words and in_english(subject.words):
        message = "The task asks for steps, but the output has no command, no instruction and no list of steps."
        yield Finding(ID, "actionability", "major", message)


def _asks(subject: Subject) -> bool:
    """Whether a sentence of the task asks how; the headings of a bug report ("How to reproduce") do not."""
    titled = False
    for token in subject.task_tokens:
        titled = token.type == "heading_open" or (titled and token.type != "heading_close")
        if token.type == "inline" and not titled and re.search(_ASKS, token.content):
            return True
    return False


def _steps(subject: Subject) -> int:
    """Different instructions and items of lists, headings left out; a block of code is enough by itself."""
    steps: set[str] = set()
    numbered = re.findall(r"^[ \t]*\d+[.)][ \t]+\S+(?: +\S+){3}.*", subject.output, re.MULTILINE)
    steps.update(numbered if len(set(numbered)) > ENOUGH else ())
    heading, depth = False, 0
    for token in subject.tokens:
        heading = token.type == "heading_open" or (heading and token.type != "heading_close")
        depth += (token.type in ("list_item_open", "tr_open")) - (token.type in ("list_item_close", "tr_close"))
        if token.type != "inline" or heading:
            continue
        steps.update(token.content[match.start() : match.end() + 40] for match in re.finditer(_STEP, token.content))
        if depth > 0 and re.search(r"`[^`]+`", token.content):
            steps.add(token.content)
    return ENOUGH if any(block.code.strip() for block in subject.blocks) else len(steps)


CHECKS = (vague_steps,)
