"""evenhand trust review: choose what people review in the dashboard, and see how far they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.presenter import csv_text, format_option, markdown_table, present
from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import DONE, needed_store, say, store_option
from evenhand.errors import InputError
from evenhand.files import codec
from evenhand.in_words import counted

if TYPE_CHECKING:
    from evenhand.store.tables.reviews import Progress, ReviewRound


@click.command("review")
@click.argument("what", metavar="[ROUND|RESULT]", required=False)
@click.option("--sample", type=int, metavar="N", help="Choose N at random, each with the same probability.")
@click.option(
    "--doubtful",
    type=int,
    metavar="N",
    help="Choose N doubtful ones: disputed, within 0.10 of a grade's edge, with an alarm, or unscored.",
)
@click.option("--skill", metavar="NAME", help="Only evaluations of this skill.")
@click.option("--rubric", "-r", metavar="NAME|FILE", help="Only evaluations judged with this rubric.")
@setting_option("trust.review_seed", "seed")
@store_option
@format_option("csv")
def command(
    what: str | None,
    sample: int | None,
    doubtful: int | None,
    skill: str | None,
    rubric: str | None,
    seed: str | None,
    store: str | None,
    format: str,
) -> int:
    """Choose evaluations that people review in the dashboard, blind; without a choice, list the rounds.

    How likely each item was to be chosen is recorded. The list says how much of each round everyone has done.

    ROUND shows its items with everyone's scores, as a table that trust labels import reads. RESULT, of claude plugin
    eval, shows what its judge was asked: filled in and saved beside it, better and trust agree check that judge.

    Each piece of work is chosen once, by its latest evaluation. A transcript is read again from the file that was
    judged, and kept with the round. Evaluations whose text is gone, by people, or judged with a rubric that has
    changed since are left out, and counted.

    \b
    Examples:
      evenhand trust review --sample 50
      evenhand trust review --doubtful 20 --skill code-review
      evenhand trust review
      evenhand trust review 4c1f09d2a7be -f csv > round.csv
      evenhand trust review my-plugin/ -f csv > aggregate-result.labels.csv
    """
    from evenhand.core.scorecard import DOUBT, SAMPLE
    from evenhand.options.settings import user_name
    from evenhand.rubrics.resolved import resolve
    from evenhand.trust.labels.review_rounds import Request, start_round

    if what is not None:
        if sample is not None or doubtful is not None or skill or rubric or seed:
            raise click.UsageError("a round or a result is shown as it is; leave out what chooses one")
        return _table(what, store, format)
    if format == "csv":
        raise click.UsageError("--format csv is for one round or result; name it")
    if sample is None and doubtful is None:
        if skill or rubric or seed:
            raise InputError("say how many to choose: --sample N or --doubtful N")
        return _list(store, format)
    if sample is not None and doubtful is not None:
        raise InputError("say how to choose: either --sample N or --doubtful N")
    method, size = (SAMPLE, sample) if sample is not None else (DOUBT, doubtful)
    chosen = None if rubric is None else resolve(rubric)
    kept = needed_store(store)
    started = start_round(kept, Request(method, size or 0, skill, chosen, seed, read_files=True), user_name())
    for reason, count in started.left_out.items():
        if count:
            say(f"note: {counted(count, 'evaluation')} left out: {reason}")
    if not started.new:
        say("note: this round has been started already; nothing was added")
    document = {
        **_round_document(started.round, []),
        "items": [
            {"item": item.place, "skill": item.skill, "probability": float(item.probability)} for item in started.items
        ],
        "left_out": {reason: count for reason, count in started.left_out.items() if count},
    }
    present(format, lambda: document, plain=lambda: [f"round {started.round.id}: {_chosen(started.round)}"])
    say("review them with: evenhand serve --open, then Review")
    return DONE


def _table(what: str, store: str | None, format: str) -> int:
    """Write a round, or what the judge of a result was asked, as a table for people's labels."""
    from evenhand.options.settings import user_name
    from evenhand.plugin_evals.result_files import are_results, read_result, result_file
    from evenhand.plugin_evals.runner_judge import label_sheet, labels_path
    from evenhand.trust.labels.reviews import round_rows

    if are_results([what]):
        file = result_file(what)
        rows = label_sheet(read_result(file), user_name())
        if not rows:
            raise InputError(f"{file}: no text that the runner's judge was shown is recorded in this result")
        say(f"note: write pass or fail into the last column, and save the table as {labels_path(file)}")
    else:
        try:
            rows = round_rows(needed_store(store), what, user_name())
        except LookupError as error:
            raise InputError(str(error.args[0])) from None
    present(
        format,
        lambda: rows,
        csv=lambda: csv_text(rows),
        markdown=lambda: markdown_table(tuple(rows[0]), [tuple(row.values()) for row in rows]),
        terminal=lambda: csv_text(rows),
    )
    return DONE


def _list(store: str | None, format: str) -> int:
    """Show the rounds of review, newest first, and how much of each everyone has done."""
    kept = needed_store(store)
    rounds = kept.review_rounds()
    progress = kept.review_progress([round.id for round in rounds])
    documents = [_round_document(round, progress[round.id]) for round in rounds]
    if not rounds:
        say("no rounds of review yet; start one with: evenhand trust review --sample 50")
    present(format, lambda: documents, plain=lambda: map(_line, rounds, documents))
    return DONE


def _line(round: ReviewRound, document: dict[str, Any]) -> str:
    done = [f"{name} {count}" for name, count in document["done"].items()]
    return f"{round.id}  {round.created[:10]}  {_chosen(round)}; done: {', '.join(done) or 'none'}"


def _chosen(round: ReviewRound) -> str:
    how = "at random from" if round.method == "sample" else "from the doubtful, of which there are"
    what = "".join(
        f" {text}"
        for text in (round.skill and f"of skill {round.skill}", round.rubric and f"with rubric {round.rubric}")
        if text
    )
    return f"{counted(round.size, 'item')} chosen {how} {round.population}{what}"


def _round_document(round: ReviewRound, progress: list[Progress]) -> dict[str, Any]:
    done: dict[str, int] = {}
    for entry in progress:
        if entry.done:
            done[entry.person] = done.get(entry.person, 0) + 1
    return codec.document(round, "evenhand/review-round/v1") | {"done": done}
