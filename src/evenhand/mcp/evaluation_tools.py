"""The tools that work with judgements and evaluations: score, rank, better, history, verify, rubrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evenhand.core.scorecard import Scorecard
from evenhand.decisions.changes import changes
from evenhand.documents.scorecard import rubric_document, scorecard_document
from evenhand.documents.verification import verification_document
from evenhand.errors import InputError
from evenhand.files import codec
from evenhand.files.text import read_text
from evenhand.judges.written import UNNAMED, judgement_from
from evenhand.judging.agent_judgement import judge_name
from evenhand.judging.files import Named, cards_from, rank_cards, score_files, verify_files
from evenhand.judging.keeper import Keeper
from evenhand.judging.kept.found_cards import cards_of_skill, not_found
from evenhand.judging.recommended import recommended_document
from evenhand.judging.rubric_choice import RubricChoice
from evenhand.judging.sets.compared_sets import compare_sets
from evenhand.judging.sets.set_answer import changes_of
from evenhand.judging.steps import Steps
from evenhand.judging.verification import verify as verify_card
from evenhand.mcp.call import Call, Reply
from evenhand.reports.comparison import changes as two_cards
from evenhand.reports.comparison.sets import set_document, sets_report
from evenhand.reports.comparison.what_to_change import changes_document, changes_report
from evenhand.reports.history import history_row
from evenhand.reports.markdown import report_markdown, rubric_markdown
from evenhand.reports.markdown_pieces import lines_markdown
from evenhand.reports.ranking import ranking_report
from evenhand.reports.scorecard import scorecard_report
from evenhand.reports.verification import verification_report
from evenhand.rubrics.library import locate, places
from evenhand.rubrics.resolved import resolve_place, rubric_used
from evenhand.store.stored_cards import card_of


def score(
    call: Call,
    *,
    judgement: Mapping[str, Any] | None = None,
    file: str | None = None,
    output: str | None = None,
    rubric: str | None = None,
) -> Reply:
    """Written judgements to scorecards, stored."""
    if (judgement is None) == (file is None):
        raise InputError("give either judgement (an object) or file (a path), and not both")
    chosen = call.confinement.rubric(rubric)
    folders = call.confinement.folders
    keeper = Keeper(call.store)
    results: Iterator[Scorecard | InputError]
    if judgement is not None:
        results = iter(keeper.keep_batch([_evaluate(call, judgement, output, chosen)]))
    else:
        assert file is not None
        if output is not None:
            raise InputError("output goes with judgement; a judgement in a file names its own output")
        path = call.confinement.file(file)
        results = score_files(
            [path], rubric=chosen, keeper=keeper, allow_outputs=folders, rubric_folders=folders
        ).results
    cards, errors = _sorted(_counted(call, results))
    if keeper.failure is not None:
        errors.append(f"not stored: {keeper.failure}")
    if not cards:
        raise InputError("\n".join(errors) or "the file holds no judgement")
    document = {"scorecards": [recommended_document(card) for card in cards], "errors": errors}
    texts = (report_markdown(scorecard_report(card, rubric_used(card))) for card in cards)
    return Reply(_noted(errors, "\n".join(texts)), document)


def _evaluate(call: Call, document: Mapping[str, Any], output: str | None, rubric: str | None) -> Any:
    """A judgement that came with the call. One that names no judge is the calling agent's."""
    judgement = judgement_from(document)
    if judgement.judge["name"] == UNNAMED:
        judgement = judgement._replace(judge={"name": judge_name(None, call.agent)})
    folders = call.confinement.folders
    steps = Steps(rubrics=RubricChoice(rubric, folders=folders), allow_outputs=folders)
    return steps.evaluate_written(judgement, base=folders[0], output=output)


def rank(call: Call, *, entries: Sequence[str], rubric: str | None = None) -> Reply:
    """Scorecards, judgements and stored evaluations in order."""
    ranking, failures = rank_cards(_counted(call, _cards(call, entries, rubric), len(entries)))
    errors = [str(failure) for failure in failures]
    if not ranking.entries and not ranking.unranked:
        raise InputError("\n".join(errors) or "entries is empty; name files or ids")
    return Reply(
        _noted(errors, report_markdown(ranking_report(ranking))), {**codec.document(ranking), "errors": errors}
    )


def better(call: Call, *, entries: Sequence[str], of: str = "evaluations", rubric: str | None = None) -> Reply:
    """What moved between two evaluations, whether sets or skills differ, or what to change in one of them."""
    if not entries:
        raise InputError("entries is empty; name files, ids or skills")
    if of == "skills":
        sets = [cards_of_skill(call.needed_store(), name) for name in entries]
    else:
        sets = [_all_cards(call, name, rubric) for name in entries]
    if len(sets) == 1:
        found = changes_of(sets[0])
        return Reply(report_markdown(changes_report(found)), changes_document(found))
    if of != "skills" and len(sets) == 2 and len(sets[0]) == len(sets[1]) == 1:
        first, second = sets[0][0].card, sets[1][0].card
        moved = changes(first, second)
        return Reply(
            report_markdown(two_cards.changes_report(first, second, moved)),
            two_cards.change_document(first, second, moved),
        )
    result = compare_sets(entries, sets)
    return Reply(report_markdown(sets_report(result)), set_document(result))


def history(call: Call, *, skill: str | None = None, last: int = 20) -> Reply:
    """A skill's evaluations, or every skill there is."""
    store = call.needed_store()
    if skill is None:
        rows = [{"skill": name, "evaluations": count} for name, count in store.skills()]
        lines = [f"{row['skill']}: {row['evaluations']}" for row in rows]
        return Reply(lines_markdown(lines or ["no evaluations yet"]), {"evaluations": [], "skills": rows})
    from evenhand.reports.markdown import report_markdown
    from evenhand.reports.skill_history import history_report

    cards = [named.card for named in cards_of_skill(store, skill, last=last)]
    return Reply(
        report_markdown(history_report(skill, cards)),
        {"evaluations": [history_row(card) for card in cards], "skills": []},
    )


def verify(
    call: Call,
    *,
    scorecard: Mapping[str, Any] | None = None,
    file: str | None = None,
    id: str | None = None,
    output: str | None = None,
    output_file: str | None = None,
    rubric: str | None = None,
) -> Reply:
    """Scorecards recomputed, every field compared."""
    if [scorecard, file, id].count(None) != 2:
        raise InputError("give one of scorecard (an object), file (a path) and id (of a stored evaluation)")
    if output is not None and output_file is not None:
        raise InputError("give output (the text) or output_file (a path), and not both")
    text = output if output_file is None else read_text(call.confinement.file(output_file))
    chosen = call.confinement.rubric(rubric)
    if file is not None:
        results = list(verify_files([call.confinement.file(file)], rubric=chosen, output=text))
    else:
        document = scorecard if scorecard is not None else scorecard_document(_stored(call, str(id)).card)
        results = [verify_card(document, rubric=chosen, output=text)]
    good, errors = _sorted(results)
    if not good:
        raise InputError("\n".join(errors) or "the file holds no scorecard")
    document = {"verifications": [verification_document(result) for result in good], "errors": errors}
    return Reply(_noted(errors, "\n".join(report_markdown(verification_report(result)) for result in good)), document)


def rubrics(call: Call, *, name: str | None = None) -> Reply:
    """The rubrics there are, or one of them complete."""
    if name is not None:
        place = locate(call.confinement.rubric(name) or name)
        rubric = resolve_place(place).rubric
        row = {"name": place.name, "origin": place.origin, "title": rubric.title, "domain": rubric.domain}
        document = {"rubrics": [{**row, "rubric": rubric_document(rubric)}], "errors": []}
        return Reply(rubric_markdown(rubric), document)
    rows, errors = [], []
    for place in places():
        try:
            rubric = resolve_place(place).rubric
        except InputError as error:
            errors.append(str(error))
            continue
        rows.append({"name": place.name, "origin": place.origin, "title": rubric.title, "domain": rubric.domain})
    lines = [f"{row['name']} ({row['origin']}): {row['domain'] or row['title']}" for row in rows]
    return Reply(_noted(errors, lines_markdown(lines)), {"rubrics": rows, "errors": errors})


def _cards(call: Call, entries: Sequence[str], rubric: str | None) -> Iterator[Named | InputError]:
    """Scorecards by file or by id; a file comes first."""
    folders = call.confinement.folders
    chosen = call.confinement.rubric(rubric)
    for entry in entries:
        try:
            path = call.confinement.find(entry)
            if path is None:
                yield _stored(call, entry)
                continue
        except InputError as error:
            yield error
            continue
        yield from cards_from([path], rubric=chosen, allow_outputs=folders, rubric_folders=folders)


def _stored(call: Call, id: str) -> Named:
    record = call.store.get(id) if call.store is not None else None
    if record is None:
        raise InputError(f"{id}: {not_found(id, call.store)}")
    return Named(record.id, card_of(record))


def _all_cards(call: Call, entry: str, rubric: str | None) -> list[Named]:
    cards = []
    for card in _cards(call, [entry], rubric):
        if isinstance(card, InputError):
            raise card
        cards.append(card)
    if not cards:
        raise InputError(f"{entry} holds nothing to compare")
    return cards


def _counted(call: Call, results: Iterator[Any], total: int = 0) -> Iterator[Any]:
    """Results as they come, each reported to the client."""
    for count, result in enumerate(results, start=1):
        call.report(count, max(total, count), f"{count} done")
        yield result


def _sorted(results: Any) -> tuple[list[Any], list[str]]:
    good, errors = [], []
    for result in results:
        if isinstance(result, InputError):
            errors.append(str(result))
        else:
            good.append(result)
    return good, errors


def _noted(errors: Sequence[str], text: str) -> str:
    """A text under the errors that belong with it."""
    return "".join(f"error: {error}\n" for error in errors) + ("\n" if errors else "") + text
