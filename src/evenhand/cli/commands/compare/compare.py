"""evenhand compare: two evaluations, or two sets of them."""

from __future__ import annotations

from collections.abc import Sequence

import click

from evenhand.cli.presenter import console, present, print_sentences, report_option
from evenhand.cli.shared import (
    BAD_INPUT,
    DONE,
    chosen_store,
    rubric_option,
    skill_file_option,
    sorted_out,
    store_option,
)
from evenhand.core.values import Scorecard
from evenhand.decisions.sets.changes import changes, criteria_shares
from evenhand.errors import InputError
from evenhand.evaluations.comparisons import cards_of_skill, compare_sets, find_cards, stored_submission
from evenhand.judging.files import Named
from evenhand.reports.comparison.changes import (
    change_document,
    change_lines,
    set_document,
    set_lines,
    share_documents,
    share_lines,
)
from evenhand.store.protocol import Store
from evenhand.work.submission import Submission


@click.command("compare")
@click.argument("entries", metavar="[A B]", nargs=-1)
@click.option("--skill", "skills", metavar="NAME", multiple=True, help="A skill from the store; give it twice.")
@click.option("--suite", metavar="NAME", help="What runs of this suite evaluated of each skill.")
@click.option("--last", type=click.IntRange(min=1), help="Only this many of each skill's latest evaluations.")
@click.option(
    "--cluster",
    metavar="NAME",
    help="Cases that belong together count once: those of one task, skill or folder, or by a column of a table with "
    "a column id, such as cases.csv:repository.",
)
@skill_file_option
@rubric_option
@store_option
@report_option()
def command(
    entries: tuple[str, ...],
    skills: tuple[str, ...],
    suite: str | None,
    last: int | None,
    cluster: str | None,
    skill_file: str | None,
    rubric: str | None,
    store: str | None,
    format: str,
) -> int:
    """Compare two evaluations, or two sets of them: what moved, and whether the difference is real.

    A and B are ids of stored evaluations, or files of scorecards or judgements. Two single evaluations
    are shown side by side: what moved, by how many points, which evidence is new. Two sets are matched
    in pairs (by submission, id, file name or task) and tested; the answer may be "no difference shown".
    What to change in B and which cases got worse follow. Repeated runs of one case (the same task, or the
    same id but for "-run2" at its end) count once, by their mean: they are not independent. Nor are cases of one
    document or repository: --cluster takes those together.

    \b
    Examples:
      evenhand compare 0197f2c1 0197f2d4
      evenhand compare before.jsonl after.jsonl
      evenhand compare before.jsonl after.jsonl -o comparison.html
      evenhand compare --skill summarise-v1 --skill summarise-v2
      evenhand compare before.jsonl after.jsonl --cluster folder
    """
    kept = chosen_store(store)[0]
    if skills:
        if len(skills) != 2 or entries or kept is None:
            raise click.UsageError("give --skill twice, with a store and no other arguments")
        names = (skills[0], skills[1])
        sets = [cards_of_skill(kept, name, last=last, suite=suite) for name in names]
    else:
        if suite is not None:
            raise click.UsageError("--suite goes with --skill")
        if len(entries) != 2:
            raise click.UsageError("give two things to compare: ids or files, or --skill twice")
        names = (entries[0], entries[1])
        sets = [_cards(name, kept, rubric) for name in names]
    if not all(sets):
        return BAD_INPUT
    if not skills and len(sets[0]) == len(sets[1]) == 1:
        if skill_file is not None:
            raise click.UsageError("--skill-file goes with two sets; for one evaluation: evenhand advise ID")
        if cluster is not None:
            raise click.UsageError("--cluster goes with two sets")
        _show_two(format, sets[0][0].card, sets[1][0].card, kept)
    else:
        _show_sets(format, names, sets, skill_file, cluster)
    return DONE


def _show_two(format: str, before: Scorecard, after: Scorecard, kept: Store | None) -> None:
    """Two evaluations side by side; on a page with both outputs, as far as a store keeps them."""
    from evenhand.reports.html.comparison import changes_page

    moved = changes(before, after)

    def text(card: Scorecard) -> Submission | None:
        record = None if kept is None else kept.find(card.id, None)
        same = record is not None and record.document["receipt"].get("submission") == card.receipt.submission
        return stored_submission(kept, record) if kept is not None and record is not None and same else None

    present(
        format,
        lambda: change_document(before, after, moved),
        lines=lambda: change_lines(before, after, moved),
        html=lambda: changes_page(before, after, moved, submissions=(text(before), text(after))),
    )


def _show_sets(
    format: str,
    names: tuple[str, str],
    sets: Sequence[list[Named]],
    skill_file: str | None,
    cluster: str | None,
) -> None:
    """Two sets: the verdict, what to change and what got worse, then what it rests on."""
    from evenhand.evaluations.case_clusters import read_clusters
    from evenhand.evaluations.set_answer import set_answer
    from evenhand.judging.skill_file import read_skill
    from evenhand.reports.comparison.verdict_answer import answer_report
    from evenhand.reports.html.comparison import sets_page
    from evenhand.reports.markdown import answer_markdown
    from evenhand.reports.markdown_pieces import lines_markdown

    skill = None if skill_file is None else read_skill(skill_file)
    first, second = sets
    result = compare_sets(names, first, second, cluster_of=None if cluster is None else read_clusters(cluster))
    shares = criteria_shares(*([entry.card for entry in cards] for cards in sets))
    answer = set_answer(result, first, second, skill)
    decision = result.decision
    told = answer_report(answer, decision.measure, several=True, cases=result.contrast.cases)
    verdict, *shown = set_lines(result)
    notes = share_lines(shares)
    basis = [*shown, *notes]

    def terminal() -> None:
        from evenhand.reports.terminal.changes import print_answer

        print_sentences([verdict])
        print_answer(told, console())
        print_sentences(basis, plain=True)

    present(
        format,
        lambda: set_document(result, answer) | share_documents(shares),
        markdown=lambda: lines_markdown([verdict]) + answer_markdown(told) + lines_markdown(basis),
        html=lambda: sets_page(result, notes, told),
        terminal=terminal,
    )


def _cards(name: str, kept: Store | None, rubric: str | None) -> list[Named]:
    good, bad = sorted_out(find_cards([name], kept, rubric=rubric))
    if bad:
        return []
    if not good:
        raise InputError(f"{name} holds nothing to compare")
    return good
