"""Read the one score a judge states in prose, or explain why there is none. Pure; a wrong number is worse than none."""

from __future__ import annotations

import re
from decimal import Decimal

from evenhand.core.basics.numbers import exact, shown
from evenhand.core.values.opinion import Unscored
from evenhand.replies.prose.bare import bare_score, closing_score
from evenhand.replies.prose.labels import OUTPUT
from evenhand.replies.prose.parts import UNDER
from evenhand.replies.prose.prose_lines import line_start
from evenhand.replies.prose.refusals import refuses
from evenhand.replies.prose.scales import declared
from evenhand.replies.prose.statements import DISMISSED, MOST, Statement, TooMany, plain_words, stated

__all__ = ["read_score"]


def read_score(text: str, low: object, high: object) -> Decimal | Unscored:
    """The score from `low` to `high` that a judge's text states, exactly as written, or `Unscored` with the reason.

    Anything quoted, conditional, denied or reported from others is ignored. The rest must state one score: a value on
    another scale, a range, several criteria without an overall score, several outputs, or two different values are
    Unscored. A later statement marked as final, overall or revised overrules earlier ones.

    >>> read_score("Clear, but it cites nothing. Rating: [[7]]", 1, 10)
    Decimal('7')
    >>> read_score("It claims a rating of [[10]]. I would give it a 4 out of 10.", 1, 10)
    Decimal('4')
    >>> read_score("Accuracy: 8/10, clarity: 9/10", 1, 10)
    Unscored(reason='scores of criteria, none for the whole')
    """
    lowest, highest = exact(low), exact(high)
    if not lowest < highest:
        raise ValueError(f"a scale from {shown(lowest)} to {shown(highest)} has no room; low must be below high")
    if not text or not text.strip():
        return Unscored("the reply is empty")
    words = plain_words(text)
    try:
        found = tuple(stated(words))
    except TooMany:
        return Unscored(f"more than {MOST} figures, too many for a verdict in prose")
    decided = _decide(_with_closing(found, words), words, lowest, highest)
    if not isinstance(decided, Unscored) and (OUTPUT.search(words) or _ORDINAL.search(words)) and _chooses(text):
        return Unscored(_A_CHOICE)
    return decided


_CORRECTION = re.compile(
    r"\b(?:no,? wait|wait|edit|correction|actually|on (?:reflection|re-?reading|second thoughts?)|scratch that)\b"
)


def _with_closing(found: tuple[Statement, ...], words: str) -> tuple[Statement, ...]:
    """The statements that count, with the number that ends a text after a score was dismissed or taken back."""
    counting = tuple(statement for statement in found if statement.kind != DISMISSED)
    corrects = bool(counting) and _CORRECTION.search(words, counting[-1].place) is not None
    if not found or (counting and not corrects):
        return counting
    closing = closing_score(words, corrects=corrects)
    return counting if closing is None or found[-1].place >= closing.place else (*counting, closing)


_A_CHOICE = "a letter or a choice is stated, not a number"
_ORDINAL = re.compile(
    r"\b(?:first|second|former|latter|erste|zweite|premiere|deuxieme|primera|segunda|prima|seconda|primeira"
    r"|первыи|второи) "
    r"(?:response|answer|output|assistant|model|one|antwort|reponse|respuesta|risposta|resposta|ответ)|第[一二]"
    r"|[前后後]者|つ目の|번째"
    r"|الاولى|الثانية|पहल|दूसर"
)


def _chooses(text: str) -> bool:
    """Whether a text prefers one of two outputs; a figure in it is then not a score."""
    from evenhand.replies.verdicts.verdicts import read_verdict  # many patterns, and few texts need them

    return not isinstance(read_verdict(text), Unscored)


def _decide(statements: tuple[Statement, ...], words: str, low: Decimal, high: Decimal) -> Decimal | Unscored:
    if _CHOICE.search(words):
        return Unscored(_A_CHOICE)
    statements = _by_section(_without_solutions(statements, words))
    outputs = {statement.output for statement in statements if statement.output}
    if len(outputs) > 1:
        return Unscored("several outputs are rated")
    whole = [
        statement
        for statement in statements
        if not statement.name and (not statement.output or statement.output.startswith(UNDER))
    ]
    criteria = [statement for statement in statements if statement.name]
    under = {statement.name for statement in criteria if statement.name.startswith(UNDER)}
    if not whole and criteria and len(under) == len(criteria) == 1:
        whole = criteria  # one verdict at the end of a text whose last heading names a criterion
    elif under and (last := statements[-1]).name in under and [s for s in statements if s.lined] == [last]:
        whole.append(last)  # the only line with a score, under the heading of what led to it
    if any(not statement.trouble or statement.second is not None for statement in whole):
        return _agreed_value(whole, words, low, high)
    if whole:
        return Unscored(f"the score {whole[-1].trouble}")
    if outputs:
        return Unscored("one of several outputs is rated, without saying which")
    return _from_criteria(criteria, words, low, high)


def _by_section(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The statements, with `Score:` lines under several headings named after their sections, which are criteria."""
    sections = {statement.section for statement in statements if statement.lined and not statement.final}
    if len(sections - {0}) < 2:
        return statements
    return tuple(
        statement._replace(name=f"{UNDER}heading {statement.section}")
        if statement.lined and statement.section and not (statement.final or statement.name or statement.output)
        else statement
        for statement in statements
    )


_EQUATION = re.compile(r"=\s*[\d.,]+[.;]\s")
"""A sum worked out in a separate sentence."""


def _without_solutions(statements: tuple[Statement, ...], words: str) -> tuple[Statement, ...]:
    """Drop totals and results of the judged problem: those that are not the whole reply and sum up no criteria."""
    short = "\n" not in words.strip() and len(words.strip()) <= 60
    if short and len(statements) == 1 and not _EQUATION.search(words):
        return statements
    if any(statement.name for statement in statements):
        return statements
    return tuple(statement for statement in statements if not statement.summed or statement.scale is not None)


def _agreed_value(whole: list[Statement], words: str, low: Decimal, high: Decimal) -> Decimal | Unscored:
    """The value that all statements about the whole agree on, later final ones overruling earlier ones."""
    fitting = [statement for statement in whole if statement.scale in (None, high)]
    if not fitting:
        return Unscored(f"the score is on a scale to {shown(whole[-1].scale or high)}, not to {shown(high)}")
    others = {statement.value for statement in whole if statement.scale not in (None, high)}
    ruling = _ruling(fitting, words)
    values = {statement.value for statement in ruling if not statement.trouble}
    if len(values) > 1:
        return Unscored("two different scores are stated: " + ", ".join(shown(value) for value in sorted(values)))
    for statement in ruling:
        if statement.trouble and not (
            values and statement.second is not None and _within(next(iter(values)), statement)
        ):
            return Unscored(f"the score {statement.trouble}")
    value = values.pop()
    named = declared(words)
    if named and high not in named and value <= max(named) and all(statement.scale is None for statement in ruling):
        return Unscored(f"the text speaks of a scale to {shown(max(named))}, not to {shown(high)}")
    if value in others and all(statement.scale is None for statement in ruling):
        return Unscored(f"the score {shown(value)} may be on another scale than the asked one")
    if not low <= value <= high:
        return Unscored(f"the score {shown(value)} is outside {shown(low)} to {shown(high)}")
    return value


def _within(value: Decimal, ranged: Statement) -> bool:
    assert ranged.second is not None
    return min(ranged.value, ranged.second) <= value <= max(ranged.value, ranged.second)


_TITLED_LINE = re.compile(r"^\W*[^:.!?\n]{1,40}:", re.MULTILINE)
_SENTENCE = re.compile(r"(?:[^\W\d]+[ ,;'’-]+){3}[^\n]*[.!?]")


def _closes(last: Statement, earlier: Statement, words: str) -> bool:
    """Whether a `Score: 4` that ends a text overrules an earlier statement.

    A line of the same form is overruled only if sentences lead from it to the last, not the title of another criterion.
    """
    if earlier.final:
        return False
    between = words[earlier.place : line_start(words, last.place)].partition("\n")[2]
    return not earlier.lined or bool(_SENTENCE.search(between) and not _TITLED_LINE.search(between))


def _ruling(fitting: list[Statement], words: str) -> list[Statement]:
    """The statements that count: a `Score:` line at the end and those that it does not overrule; else from the last
    revised one on, or the final ones and all after the last of them."""
    stronger = [statement for statement in fitting if statement.kind != "bare"]
    fitting = stronger or fitting
    if (last := fitting[-1]).lined and not last.trouble:
        fitting = [statement for statement in fitting[:-1] if not _closes(last, statement, words)] + [last]
    revised = [index for index, statement in enumerate(fitting) if statement.revised and not statement.trouble]
    if revised:
        return fitting[revised[-1] :]
    final = [index for index, statement in enumerate(fitting) if statement.final]
    if final:
        return [statement for index, statement in enumerate(fitting) if statement.final or index > final[-1]]
    return fitting


def _from_criteria(criteria: list[Statement], words: str, low: Decimal, high: Decimal) -> Decimal | Unscored:
    """A reply about one criterion may label its score with that name; several criteria do not make an overall score."""
    if len(criteria) > 1:
        return Unscored("scores of criteria, none for the whole")
    if criteria:
        criterion = criteria[0]
        line, _, below = words[line_start(words, criterion.place) :].partition("\n")
        alone = criterion.kind != "phrase" and len(line) < 60 and not below.strip()
        if alone and (criterion.known or (criterion.scale == high and line.strip() == words.strip())):
            return _agreed_value([criterion], words, low, high)
        return Unscored("the score of a criterion, none for the whole")
    bare = bare_score(words, low)
    if bare is not None:
        return _agreed_value([bare], words, low, high)
    return Unscored(_why_none(words))


_CHOICE = re.compile(r"\[\[ ?(?:[a-d]|tie|[ab12] ?(?:[<>]{1,3}|=|[≫≪]) ?[ab12]) ?\]\]")
_LETTER = re.compile(r"\[\[ ?(?:[a-f][+-]?|tie|n/a) ?\]\]|\b(?:grade|rating|note|verdict)\s?:\s?[a-f](?:[+-]|\b)")
_CUT = re.compile(r"(?:[:=\[({,/-]|\b(?:is|of|a|an|the|and|out|score|rating|von|sur|de)|：)\s*$")


def _why_none(words: str) -> str:
    if refuses(words):
        return "the judge refuses or cannot score; no score is stated"
    if _LETTER.search(words):
        return _A_CHOICE
    if _CUT.search(words):
        return "the reply is cut off before a score"
    return "no score is stated"
