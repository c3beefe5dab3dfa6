"""What can be set for a command without being one of its options.

`--set judge.samples=3`, `EVENHAND_JUDGE_SAMPLES=3`, or a table of `evenhand.toml`. Each is declared here and nowhere
else; the reference page and the errors follow from it.

A setting is read from `--set` first, then from the environment, then from the project's file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from evenhand.core.calibration import FIELDS
from evenhand.errors import unknown
from evenhand.options.model_options import OPTIONS
from evenhand.options.option_kinds import Choice, File, Flag, Fraction, Many, Option, Text, Whole

TYPED: Final = ("base_url", "max_cost")
"""Options of asking models that every command which asks takes as such: `--base-url`, `--max-cost`."""


def _flag(sentence: str) -> Flag:
    return Flag(sentence, used_by="")


def _text(sentence: str, metavar: str = "NAME") -> Text:
    return Text(sentence, metavar=metavar, used_by="")


def _file(sentence: str, metavar: str = "FILE") -> File:
    return File(sentence, metavar=metavar, used_by="")


def _whole(sentence: str, low: int, high: int | None = None) -> Whole[int | None]:
    return Whole(None, sentence, low=low, high=high, used_by="")


_DECLARED: Final[Mapping[str, Option[Any, Any]]] = {
    "keep": Choice(("text", "hash", "transcript"), "What a store keeps of an output: its text, only its hash, or its "
                   "transcript too, without secrets and personal data.", usually="text"),
    "judge.checks": Many(_file("A Python file with your own checks.")),
    "judge.include": Many(_text("Which files of a folder to read, such as *.json.", "PATTERN")),
    "judge.exclude": Many(_text("Files of a folder to leave out.", "PATTERN")),
    "judge.partial": _flag("Use what can be read of a damaged file, with a warning."),
    "judge.workspace": _file("The folder the agent worked in, for expectations about files.", "DIR"),
    "judge.no_red_flag": Many(_text("Red if this red flag was raised.", "ID")),
    "judge.jobs": _whole("How many processes run the checks.", 1),
    "judge.show_prompt": _flag("Show the exact prompts, and stop."),
    "report.audit": _flag("Show every line of the arithmetic, and the receipt."),
    "report.brief": _flag("Show scores without reasons and quotes."),
    "report.full": _flag("Show full scorecards even when there are many."),
    "output.overwrite": _flag("Replace what is there even if it is not a report that evenhand wrote."),
    "score.allow_outputs": Many(_file("A folder whose files judgements may name as their output.", "FOLDER")),
    "score.judged_with": _text("For stored evaluations: the rubric they were judged with.", "NAME|FILE"),
    "score.checks": _flag("Run the checks on the outputs, or not."),
    "run.stop_early": _flag("Look after a quarter, half and three quarters of the cases; stop when all is decided."),
    "run.jobs": _whole("How many runs at once.", 1, 256),
    "run.runs": _file("Where finished runs are kept.", "FOLDER"),
    "plugin.model": _text("The model to pin. Default: the latest result's."),
    "plugin.arm_runs": Whole(3, "Runs of each case and arm.", low=1, high=100,
                         used_by=""),
    "plugin.until_decided": _flag("Add runs until there is a verdict."),
    "plugin.arguments": Many(_text("Arguments for claude plugin eval, such as --allow-tools=Write.", "TEXT")),
    "better.repeats": _whole("For skills: runs of each case.", 1, 1000),
    "better.last": _whole("For skills in the store: only this many of the latest evaluations.", 1),
    "better.variant": _text("For a run: say what to change in this variant, not in the best."),
    "better.reference": _text("Side by side: an answer to compare with, a file or the text itself.", "FILE|TEXT"),
    "better.from": _text("Side by side: the outputs' format. Default: recognised by content.", "FORMAT"),
    "gate.undecided": Choice(("5", "ok"), "The exit code when the data cannot tell: 5, or 0 with ok. Also of better "
                             "and run.", usually="5"),
    "gate.last": _whole("How many of the skill's latest evaluations.", 1),
    "gate.baseline": _text("With --suite: the baseline that its variants are compared with."),
    "gate.margin": Fraction("A drop up to this is allowed.", low=0, high=9, used_by="", usually="0.2"),
    "gate.rubric": _text("The rubric, by name or path.", "NAME|FILE"),
    "gate.min_agreement": Fraction("The lowest rank correlation with people to allow.", low=0, high=1,
                                   used_by="", usually=""),
    "gate.max_width": Fraction("The widest calibrated interval to allow, in points.", low=0, high=18, used_by="",
                               usually=""),
    "gate.max_age": _whole("How many days old the calibration may be.", 1),
    "labels.rows": _flag("Every row is an item, and no column names it."),
    "labels.by_place": _flag("No column names raters: an item's first value is by rater 1."),
    "labels.anonymous": _flag("No column names raters, and who rated is not known."),
    "labels.each": Many(_text("In JSON and Parquet: a row for each entry of a list.")),
    "labels.skip": _whole("Lines above the names of the columns, such as a title.", 0),
    "labels.fold_ids": _flag("Names of items and raters that differ in case, space, suffix or zeros are one."),
    "labels.missing": Many(_text("Another word for a missing value, as in 99 or -.", "WORD")),
    "labels.encoding": _text("The file's encoding when it is not UTF-8, as in latin-1."),
    "labels.separator": _text("What separates columns. Default: found by looking.", "CHARACTER"),
    "labels.decimal_comma": _flag("Numbers are written with a comma, as in 7,5."),
    "labels.no_header": _flag("The first row holds values; columns are called 1, 2, 3."),
    "labels.no_quotes": _flag("Quotation marks are part of the text."),
    "labels.join": Choice(("submission", "id", "text", "file"), "What the items are: hashes of submissions, ids, "
                          "outputs, or judged files.", usually="by the column's name, or else ids"),
    "labels.skip_bad": _flag("Leave out invalid values, and say how many."),
    "trust.worst": _whole("How many of the worst disagreements to list.", 0),
    "trust.pass_mark": Fraction("The score from which an output passes.", low=1, high=10, used_by="", usually=""),
    "trust.seed": _whole("Where resampling starts.", 0),
    "trust.resamples": _whole("How many times items are resampled.", 200, 100_000),
    "trust.field": Choice(FIELDS, "The score to estimate: final, or a dimension.", usually="final"),
    "trust.like": _text("The judge, rubric and prompt of this evaluation or scorecard.", "ID|FILE"),
    "trust.precision": Fraction("Also say how many labels would bring an estimate's interval to plus or minus this, in "
                                "points or as a share.", low=0, high=10, used_by="", usually=""),
    "trust.review_seed": _text("The same seed chooses the same items for review.", "TEXT"),
    "trust.columns": _text("The columns of a table that hold the judge's scores and people's.", "JUDGE,PEOPLE"),
    "trust.doubtful": _flag("Estimate for outputs that were chosen for review by doubt."),
    "trust.confidence": Fraction("How often the interval holds.", low=0, high=1, used_by="", usually="0.95"),
    "trust.outputs": _whole("How many outputs of a folder to probe with.", 5, 200),
    "table.engine": Choice(("duckdb", "spark"), "Where to compute: with DuckDB on this machine, or on a Spark cluster.",
                           usually="duckdb"),
    "table.master": _text("The cluster: spark://HOST:PORT, sc://HOST:PORT, yarn, local[N] and so on.", "URL"),
    "table.no_rank": _flag("Leave out the rank."),
    "table.no_history": _flag("Leave out the comparison with earlier evaluations."),
    "table.allow_rejects": _flag("Exit with 0 even if some rows could not be scored."),
    "table.memory": _text("How much memory to use, as in 2GB. Default: most of the machine's.", "SIZE"),
    "serve.public_url": _text("The address that people use when a proxy is in front.", "URL"),
    "serve.proxy_user": _text("The header in which a proxy in front names who signed in there.", "HEADER"),
    "serve.trusted_proxy": Many(_text("An address or a network of that proxy; the header is trusted only from there.",
                                      "ADDRESS")),
    "serve.proxy_role": Choice(("reader", "reviewer", "administrator"), "The role of whoever the proxy names and the "
                               "token file does not.", usually="reader"),
}  # fmt: skip

SETTINGS: Final[Mapping[str, Option[Any, Any]]] = {
    **{f"judge.{name}": option for name, option in OPTIONS.items() if name != "base_url"},
    **_DECLARED,
}
"""Every setting by its name."""

GROUPS: Final = tuple(dict.fromkeys(name.partition(".")[0] for name in SETTINGS if "." in name))
"""The tables of `evenhand.toml` that hold settings."""


def variable(name: str) -> str:
    """The variable of the environment that sets it."""
    return f"EVENHAND_{name.replace('.', '_').upper()}"


_FOR_ONCE: Final = ("better.last", "better.variant", "better.reference", "better.from", "run.stop_early", "trust.like",
                    "trust.review_seed")  # fmt: skip
"""Settings that make sense for one run, not for a project."""


def may_stand_in_a_file(name: str) -> bool:
    """Whether a project's file may set it.

    Such a file may come from someone else: it does not decide where a question is sent, which files of this machine
    are read, what is replaced, or who is let into the dashboard.
    """
    option = SETTINGS[name]
    if name.startswith("judge.") and name.removeprefix("judge.") in OPTIONS:
        return "settings" in option.used_by
    kept_out = ("output.overwrite", "score.allow_outputs", "judge.checks", "plugin.arguments", *_FOR_ONCE)
    return not isinstance(option, File) and name not in kept_out and not name.startswith("serve.")


def setting(name: str) -> Option[Any, Any]:
    """The declaration of a setting. ValueError, which says which was meant, when there is none of that name."""
    if name not in SETTINGS:
        raise ValueError(unknown("setting", name, list(SETTINGS), otherwise="see: evenhand docs settings"))
    return SETTINGS[name]


def table_problems(group: str, written: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What is wrong with a table of a project's file: each key with its message."""
    valid = [name.partition(".")[2] for name in SETTINGS if name.startswith(f"{group}.") and may_stand_in_a_file(name)]
    for key, value in written.items():
        if key not in valid:
            yield key, unknown("setting", key, valid, otherwise="" if valid else f"[{group}] has none")
            continue
        try:
            SETTINGS[f"{group}.{key}"].read(value)
        except ValueError as error:
            yield key, f"{key}: {error}"
