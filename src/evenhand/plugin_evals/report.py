"""What is shown of a plugin's results: one value that is the document, and its report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Annotated, ClassVar, Literal

from evenhand.core.curve import UseVerdict
from evenhand.decisions.decision import Decision
from evenhand.decisions.instructions import Instructions
from evenhand.decisions.words import shown
from evenhand.errors import shortened_line
from evenhand.in_words import counted
from evenhand.plugin_evals.graders import Failure, advisories, declared, failures, hurt, silent, spent, splits
from evenhand.plugin_evals.result import Result, label
from evenhand.plugin_evals.runner_judge import JudgeCheck
from evenhand.plugin_evals.verdict import MEASURE, PluginVerdict, moved, remarks
from evenhand.reports.comparison.decision import LABEL
from evenhand.reports.comparison.what_to_change import LINE, TITLE
from evenhand.reports.tree import (
    Facts,
    Head,
    Item,
    Items,
    Line,
    Node,
    Report,
    Section,
    Span,
    Weight,
    Words,
    spans,
    text_of,
)
from evenhand.reports.trust.judge_uses import uses_sentences
from evenhand.work.printable import printable

SIX = {"places": 6, "point": False}
_FEW = 3
"""How many entries of a list are shown when brief."""
Colour = Literal["green", "red", "grey"]
COLOURS = {"green": "#2e7d32", "red": "#c62828", "grey": "#5f6368"}
"""Each with a contrast of at least 4.5 to white."""
_CHARACTER, _PADDING = 7, 12
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Change:
    """What to change: one entry a grader, however many cases it fails in."""

    grader: str
    """Its name."""
    failed: int
    """In how many runs with the plugin it failed."""
    runs: int
    """How many runs it graded."""
    cost: Annotated[float, SIX]
    """What its failures cost the mean score over all cases."""
    cases: tuple[str, ...]
    """Where it failed, the most costly first."""
    reason: str
    """What the runner says of it most often."""
    evidence: str = ""
    """What it looked at, where the file says so."""
    instruction: str = ""
    """The line of SKILL.md that it touches, as "SKILL.md:14: Breaking changes come first."; empty where none does."""


@dataclass(frozen=True, slots=True)
class Worse:
    """A case whose mean is lower with the plugin."""

    case: str
    """Its name."""
    by: Annotated[float, SIX]
    """The difference, which is below zero."""


@dataclass(frozen=True, slots=True)
class Uninformative:
    """A grader that cannot tell the arms apart, or whose own votes disagree."""

    grader: str
    """Its name."""
    why: str
    """What it does, in a sentence."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What one run takes, on average."""

    runs: int
    """How many there are."""
    cost: Annotated[float | None, SIX] = None
    """US dollars."""
    turns: Annotated[float | None, SIX] = None
    """How many turns the agent took, on average."""
    seconds: Annotated[float | None, SIX] = None
    """From start to end."""


@dataclass(frozen=True, slots=True)
class PluginReport:
    """What results of `claude plugin eval` show."""

    SCHEMA: ClassVar = "evenhand/plugin-eval/v1"

    decision: Decision
    """Whether the plugin is better than none, or one version better than the other."""
    anchor: Decision | None
    """For two versions: the same comparison of their arms without the plugin, which should not differ."""
    moved: str
    """What the anchor says: that something besides the plugin changed. Empty where nothing shows that."""
    remarks: tuple[str, ...]
    """What a reader has to know of the runs: partial results, runs that ended badly, a model not recorded."""
    changes: tuple[Change, ...]
    """What to change, the most costly first."""
    worse: tuple[Worse, ...]
    """Cases in which the plugin does harm, the worst first."""
    uninformative: tuple[Uninformative, ...]
    """Graders from which nothing can be learned."""
    with_plugin: Spent
    """What runs with the plugin take."""
    without: Spent
    """What runs without it take."""
    judge_check: JudgeCheck | None = None
    """How far another judge agrees with the runner's, where one was asked."""
    judge_uses: tuple[UseVerdict, ...] = ()
    """Whether the runner's judge can be used, by people's labels beside the result."""


def report(
    verdict: PluginVerdict,
    skill: Instructions | None = None,
    *,
    also: tuple[str, ...] = (),
    judge_check: JudgeCheck | None = None,
    judge_uses: tuple[UseVerdict, ...] = (),
) -> PluginReport:
    """All that is known; of two versions the newer one is what can be changed."""
    result = verdict.results[-1]
    with_plugin, without = (Spent(arm.runs, *map(_float, (arm.cost, arm.turns, arm.seconds))) for arm in spent(result))
    return PluginReport(
        verdict.decision,
        verdict.anchor,
        moved(verdict),
        (*also, *remarks(verdict)),
        tuple(_change(failure, result, skill) for failure in failures(result)),
        tuple(Worse(case, float(by)) for case, by in hurt(result)),
        tuple(_uninformative(result)),
        with_plugin,
        without,
        judge_check,
        judge_uses,
    )


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _change(failure: Failure, result: Result, skill: Instructions | None) -> Change:
    grader = declared(result, failure.grader)
    criteria = str((grader.config or {}).get("criteria", "")) if grader is not None else ""
    said = [text for text in (criteria, failure.grader.replace("-", " "), failure.reason) if text]
    line = None if skill is None else skill.alike(said)
    return Change(
        failure.grader,
        failure.failed,
        failure.runs,
        float(failure.cost),
        failure.cases,
        failure.reason,
        failure.evidence,
        "" if line is None else f"SKILL.md:{line.line}: {line.text}",
    )


def _uninformative(result: Result) -> Iterator[Uninformative]:
    for entry in silent(result):
        yield Uninformative(entry.grader, entry.why)
    for split in splits(result):
        turned = round(split.turned)
        yield Uninformative(
            split.grader,
            f"its three votes differ in {split.split} of {split.graded} verdicts; asked again, about {turned} would "
            "come out the other way",
        )
    for case, text in advisories(result):
        yield Uninformative(case, text)


def plugin_report(found: PluginReport, result: Result, *, is_brief: bool = False) -> Report:
    """The answer first; when brief, the first few of everything."""
    first, *others = (_capital(contrast.says) for contrast in found.decision.contrasts)
    nodes: list[Node] = [Line(f"{_capital(found.moved)}.", "alarm")] if found.moved else []
    nodes.append(Head(title=f"{first}."))
    notes = [Item(head=f"{says}.") for says in others]
    remarks = [f"{_capital(remark)}." for remark in found.remarks]
    if is_brief:
        left = len(remarks) - _FEW + 1
        remarks = remarks if left < 2 else [*remarks[:-left], f"And {left} more: --full."]
        remarks = [shortened_line(remark, LINE) for remark in remarks]
    notes += [Item(head=remark, mark="unusual") for remark in remarks]
    if notes:
        nodes.append(Items(tuple(notes)))
    # When brief, the whole answer has twelve lines: each remark takes the place of a change.
    most = max(1, _FEW - len(notes)) if is_brief else None
    if found.changes:
        items = Items(
            tuple(_change_item(change, result, is_brief=is_brief) for change in found.changes[:most]), ordered=True
        )
        nodes.append(Section(title=TITLE, nodes=(items,)))
    if facts := [*_facts(found, is_brief=is_brief)]:
        nodes.append(Facts(tuple(facts)))
    nodes += _of_judge(found, most)
    return Report(f"{first}.", tuple(nodes))


def _facts(found: PluginReport, *, is_brief: bool) -> Iterator[tuple[str, Words, Weight]]:
    """Where it does harm, which graders tell little, what a run takes; when brief, each on one line."""
    worse = ", ".join(f"{worse.case} {shown(worse.by, MEASURE)}" for worse in found.worse)
    little = [(Span(entry.grader, "code"), f" {entry.why}") for entry in found.uninformative]
    if is_brief:
        worse = shortened_line(worse, LINE - LABEL)
        left = f"; {len(little) - 1} more: --full" if len(little) > 1 else ""
        room = LINE - LABEL - len("Weak grader") - len(left)
        little = [(name, f" {shortened_line(why, room - len(name.text))}{left}") for name, why in little[:1]]
    if worse:
        yield "Got worse", worse, "plain"
    for words in little:
        yield "Weak grader", words, "plain"
    with_plugin, without = found.with_plugin, found.without
    if with_plugin.cost is not None:
        beside = "" if without.cost is None else f", ${without.cost:.4f}{_turns(without)} without"
        yield "A run takes", f"${with_plugin.cost:.4f}{_turns(with_plugin)} with it{beside}", "plain"


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def badge(verdict: PluginVerdict) -> str:
    """The verdict with its count, for a README; never a difference alone."""
    contrast = verdict.contrast
    against = f" than {contrast.reference}" if len(verdict.results) > 1 else ""
    differ = contrast.better + contrast.worse
    cases = counted(differ, "case") + (" that differ" if contrast.equal else "")
    colour: Colour = "grey"
    if moved(verdict):
        text = "the model or the judge changed"
    elif contrast.verdict == "better":
        text, colour = f"better{against} in {contrast.better} of {cases}", "green"
    elif contrast.verdict == "worse":
        text, colour = f"worse{against} in {contrast.worse} of {cases}", "red"
    elif contrast.verdict == "no difference shown":
        text = f"no difference shown in {counted(contrast.cases, 'case')}"
    elif differ:
        text = f"undecided: better{against} in {contrast.better} of {cases}"
    else:
        text = f"undecided: {counted(contrast.cases, 'case')} compared"
    return _badge_svg(contrast.variant, text, colour)


def _badge_svg(label: str, text: str, colour: Colour) -> str:
    """A picture that needs nothing from elsewhere: its texts are fitted into their halves, whatever the font."""
    shown = [printable(" ".join(part.split()))[:_LONGEST] for part in (label, text)]
    widths = [len(part) * _CHARACTER for part in shown]
    label, text = map(escape, shown)
    left, right = (width + _PADDING for width in widths)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="badge" role="img" width="{left + right}" height="20" '
        f'aria-label="{label}: {text}"><title>{label}: {text}</title>'
        f'<clipPath id="r"><rect width="{left + right}" height="20" rx="3"/></clipPath><g clip-path="url(#r)">'
        f'<rect width="{left}" height="20" fill="#3c4043"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{COLOURS[colour]}"/></g>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{_PADDING // 2}" y="14" textLength="{widths[0]}">{label}</text>'
        f'<text x="{left + _PADDING // 2}" y="14" textLength="{widths[1]}">{text}</text></g></svg>\n'
    )


def _of_judge(found: PluginReport, most: int | None) -> Iterator[Node]:
    """What is known of the runner's judge: by people's labels, and by another judge."""
    nodes: list[Node] = [*map(Line, uses_sentences(found.judge_uses))]
    check = found.judge_check
    if check is not None:
        nodes.append(Line(check.says))
        items = []
        for entry in check.differences[:most]:
            quote = f" “{' '.join(entry.quote.split())[:80]}”" if entry.quote else ""
            split = ", by split votes" if entry.split else ""
            says = f": {entry.runner}{split}; {entry.judge}: {entry.why}{quote}"
            items.append(Item(head=(f"{entry.case}, run {entry.run} {entry.arm}, ", Span(entry.grader, "code"), says)))
        nodes += [Items(tuple(items))] if items else []
    if nodes:
        yield Section(title="Its judge", nodes=tuple(nodes))


def change_lines(change: Change, result: Result) -> list[str]:
    """A grader that fails: how often and where, what it costs; why; the instruction that it touches."""
    item = _change_item(change, result, is_brief=False)
    below = (text_of(node.words) for node in item.below if isinstance(node, Line))
    head = "".join(f"`{span.text}`" if span.weight == "code" else span.text for span in spans(item.head))
    return [f"{head} ({item.amount})", *below]


def _change_item(change: Change, result: Result, *, is_brief: bool) -> Item:
    cases = ", ".join(change.cases[:2]) + (f" and {len(change.cases) - 2} more" if len(change.cases) > 2 else "")
    by = "" if is_brief else f" with {label(result)}"
    fails = f" fails in {change.failed} of {counted(change.runs, 'run')}{by}: {cases}"
    amount = shown(-change.cost, MEASURE)
    lines = [_said(change), change.instruction]
    if is_brief:
        fails = shortened_line(fails, LINE - len(change.grader) - len(amount))
        # On one line: the instruction in just over half of it, the reason in what is left.
        instruction = shortened_line(change.instruction, LINE // 2 + 5)
        reason = shortened_line(_said(change), LINE - len(instruction) - 3)
        lines = [" · ".join(filter(None, (reason, instruction)))]
    below = tuple(Line(text, "quiet") for text in lines if text)
    return Item(head=(Span(change.grader, "code"), f" {fails.strip()}"), amount=amount, mark="bad", below=below)


def _said(change: Change) -> str:
    """The runner's reason; for votes that say nothing, what they were about."""
    if change.reason.startswith("judge votes") and change.evidence:
        return f"{change.reason} on “{' '.join(change.evidence.split())[:80]}”"
    return change.reason


def _turns(spent: Spent) -> str:
    return "" if spent.turns is None else f" and {spent.turns:.1f} turns"
