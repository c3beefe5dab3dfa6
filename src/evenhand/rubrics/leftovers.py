"""The account of a rubric: every heading, and every number that stands for the scoring, was read or is refused.

Prose is left alone: a number that counts things ("3 seconds") or stands in a band, a description or an example is text.
A heading that is not understood must not head a list; a weight, an amount, a limit, a pass mark, a gate or a formula
must have been read, or repeat what holds anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal

from evenhand.core.rules import DIMENSIONS
from evenhand.core.values import Rubric
from evenhand.in_words import shortened
from evenhand.rubrics.list_headings import is_example, is_for_readers, mentions_list
from evenhand.rubrics.outline import Piece, Section
from evenhand.rubrics.scoring_statements import setting_in, share_in
from evenhand.rubrics.sections import Draft
from evenhand.rubrics.unread_numbers import (
    DO,
    IN_EXAMPLES,
    IN_MEASURES,
    STILL,
    Place,
    beside_list,
    decimal_in,
    gives_weight,
    in_block,
    in_item,
    in_line,
    in_row,
    in_text,
    located,
    stated,
    states_other_pass_mark,
    unknown_setting,
)
from evenhand.rubrics.written_weights import NUMBER, plain

_LABEL_LINE = re.compile(r"\s*(?:\*\*|__).*(?:\*\*|__):?\s*|.*:\s*", re.DOTALL)


def refuse_leftovers(draft: Draft, dimensions: Mapping[str, list[Section]], rubric: Rubric) -> None:
    """Report every part of a rubric that seems to matter for the scoring but was not read."""
    inside = {id(section): name for name, sections in dimensions.items() for section in sections}
    above: list[Section] = []
    begun = False
    sound = not draft.problems  # with other problems, a heading may be a dimension misspelt
    for section in draft.sections:
        above = [parent for parent in above if parent.level < section.level] + [section]
        name = inside.get(id(section))
        headings = [parent.heading for parent in above if parent is not draft.title]
        begun = begun or name is not None
        if any(section is known for others in draft.criteria_sections.values() for known in others):
            continue  # its own reader refuses what it does not understand
        listed = section.read and name is None
        place = Place(name, any(map(is_example, headings)) and not listed, listed)
        reported = {problem.line for problem in draft.problems}
        for at, message in _leftovers(section, place, rubric):
            if at not in reported or message.startswith(STILL):
                draft.say(at, message)
                reported.add(at)
        if section is draft.title or section.level == 0:
            continue
        if name is None or dimensions[name][0] is not section:
            _check_heading(draft, section, place, rubric, reported)
        if sound and name is None and not section.read and not any(map(is_for_readers, headings)):
            _refuse_unknown(draft, section, rubric, begun)
    if not draft.weights_file and ("weights", DIMENSIONS[0]) not in draft.lines:
        _refuse_hidden_weights(draft, dimensions)
    if sound and not rubric.red_flags:
        _refuse_unknown_leads(draft)


def _leftovers(section: Section, place: Place, rubric: Rubric) -> Iterator[tuple[int, str]]:
    measures = _measures(section) if place.dimension else None
    for piece in section.paragraphs:
        kinds = IN_EXAMPLES if place.example else IN_MEASURES if piece is measures else tuple(DO)
        for offset, line in enumerate(piece.lines):
            settings = not (piece.read or piece is measures or place.example)
            problem = in_line(line, piece, place, rubric, settings) or (beside_list(line) if place.listed else None)
            yield from located(piece.line + offset, problem)
        text = piece.whole
        yield from located(piece.line, in_text(text, None if piece.read else place.dimension, rubric))
        yield from stated("\n".join(piece.lines), piece.line, kinds, place, rubric)
    for item in section.items:
        yield from in_item(item, place, rubric)
    for row in section.rows:
        yield from located(row.line, in_row(row, place, rubric))
    headers = {row.header: row.line - 2 for row in reversed(section.rows)}
    for header, at in headers.items():
        if any(gives_weight(cell, header) for cell in header):
            yield (
                at,
                f'the weight in the table header "{" | ".join(header)}" is not read; write it as a row or a heading',
            )
    for block in section.blocks:
        yield from located(block.line, in_block(block, place, rubric))


def _measures(section: Section) -> Piece | None:
    """The paragraph that says what a dimension measures."""
    labelled = [piece for piece in section.paragraphs if "measures" in piece.label.lower()]
    return labelled[0] if labelled else next((piece for piece in section.paragraphs if not piece.label), None)


def _refuse_hidden_weights(draft: Draft, dimensions: Mapping[str, list[Section]]) -> None:
    """Refuse seven numbers, one in the text of each dimension, that are 1 or 100 together: in whatever words.

    It only asks when no weights were read, and leaves bands and measures out.
    """
    first: dict[str, tuple[int, Decimal]] = {}
    for name, sections in dimensions.items():
        measures = _measures(sections[0])
        for section in sections:
            pieces = [*section.paragraphs, *section.items, *section.blocks]
            texts = [(piece.line, piece.whole) for piece in pieces if not piece.read and piece is not measures]
            if section is not sections[0]:
                texts.append((section.line, section.heading))
            for line, text in sorted(texts):
                number = re.search(rf"(?<![\w.,]){NUMBER}|(?<=[^\W0-9_a-zA-Z]){NUMBER}", plain(text))
                if number and name not in first and (value := decimal_in(number[0])) is not None:
                    first[name] = line, value
    if len(first) == len(DIMENSIONS) and sum(value for _, value in first.values()) in (1, 100):
        reported = {problem.line for problem in draft.problems}
        for name, (line, _) in first.items():
            if line not in reported:
                draft.say(
                    line, f"this number looks like the weight of {name}; write it in the heading, like (Weight: 40%)"
                )


def _check_heading(draft: Draft, section: Section, place: Place, rubric: Rubric, reported: set[int | None]) -> None:
    """Check the numbers in a heading that is not a dimension's own."""
    if states_other_pass_mark(plain(section.heading), rubric):
        draft.say(section.line, f'"{section.heading}" is not read; write pass_mark: in the front matter')
        return
    if not place.listed and section.line not in reported:
        if place.dimension and share_in(section.heading):
            message = f'"{section.heading}" gives a part of {place.dimension} a share, which is not read; leave it out'
            draft.say(section.line, message)
            return
        setting = None if place.example else setting_in(section.heading)
        if setting and (problem := unknown_setting(section.heading, setting, rubric)):
            draft.say(section.line, problem)
            return
        for at, message in stated(section.heading, section.line, tuple(DO), place, rubric):
            draft.say(at, message)
            return
    marked = next((item for item in section.items if item.code), None)
    if not section.read and mentions_list(section.heading) and marked is not None:
        draft.say(
            marked.line, f'cannot tell whether "{section.heading}" heads a list; name it "Red flags" or "Bonuses"'
        )


def _refuse_unknown(draft: Draft, section: Section, rubric: Rubric, begun: bool) -> None:
    """Refuse a list under a heading that may or may not mean red flags or bonuses.

    Behind the dimensions, and in a file that lacks one of the two lists, it probably does.
    """
    lists = any(not piece.read for piece in (*section.items, *section.rows))
    lacking = not rubric.red_flags or not rubric.bonuses
    if (lists and (begun or lacking)) or (section.paragraphs and begun and not rubric.red_flags):
        draft.say(
            section.line,
            f'cannot tell what "{section.heading}" is for; name it "Red flags" or "Bonuses" if it counts, '
            f'or "Notes: {section.heading}" if it only informs',
        )


def _refuse_unknown_leads(draft: Draft) -> None:
    """In a file without red flags, refuse a list under a line that may announce them: `**Things to avoid:**`."""
    reported = {problem.line for problem in draft.problems}
    seen: set[str] = set()
    for section in draft.sections:
        for item in section.items:
            lead = item.lead
            if not lead or lead in seen or item.read:
                continue
            seen.add(lead)
            if item.line in reported:
                continue
            if _LABEL_LINE.fullmatch(lead) and len(lead.split()) <= 8 and not is_for_readers(plain(lead)):
                draft.say(
                    item.line,
                    f'cannot tell what the list under "{shortened(lead)}" is for; if it counts, head it "## Red flags"',
                )
