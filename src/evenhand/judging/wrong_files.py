"""A file of the wrong kind: a judgement where an output is expected, or an output where a judgement is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from evenhand.core.rules import DIMENSIONS
from evenhand.documents.restore import is_scorecard
from evenhand.errors import InputError, Problem
from evenhand.files.json_values import load_json
from evenhand.files.text import STDIN, shown_name
from evenhand.work.submission import Submission

_LARGEST = 1024 * 1024
"""The most characters that are examined: judgements are short."""

_DATA = (".yaml", ".yml", ".json", ".jsonl", ".ndjson")
"""File name endings of judgements and scorecards."""

_JUDGEMENT_KEYS = frozenset({"scores", "red_flags", "bonuses", "judge", "rubric", *DIMENSIONS})
"""Keys that only a judgement has."""

_JUDGEMENT_LINE = re.compile(rf"""(?m)^[\s{{,]*["']?(?:scores|red_flags|{"|".join(DIMENSIONS)})["']?\s*:""")
_ENOUGH = 4
"""How many dimensions under `scores` make a text a judgement."""


def judgement_instead(submission: Submission) -> InputError | None:
    """Why a submission should not be judged: its text is a judgement or a scorecard. None when it is neither."""
    if submission.format == "submissions":
        keys = submission.unknown.keys()
        kind = "judgement" if "scores" in keys else "scorecard" if {"receipt", "dimensions"} <= keys else None
    elif submission.format == "text":
        kind = _kind_of_text(submission.output, submission.source or "")
    else:
        kind = None
    if kind is None:
        return None
    name = submission.source or "<stdin>"
    file = "FILE" if name.startswith("<") else name.rsplit(":", 1)[0] if submission.format == "submissions" else name
    step = (
        f"to score it: evenhand score {file}" if kind == "judgement" else f"to check it: evenhand show --verify {file}"
    )
    return InputError(Problem(f"looks like a {kind}, not an output; {step} (to judge it anyway: --from text)", name))


def skill_instead(path: str, submission: Submission) -> InputError | None:
    """Why a file should not be judged: it is a skill, which tells an agent what to do. None when it is not."""
    if PurePath(path).name.lower() != "skill.md" or submission.format != "text":
        return None
    folder = PurePath(path).parent
    skill = folder.name or "my-skill"
    return InputError(
        Problem(
            "is a skill: instructions for an agent, not an output of one. Judge what an agent makes with it: "
            f"evenhand judge OUTPUT --skill {skill} --judge auto --set judge.skill_file={path}; or compare it with an "
            f"earlier version: evenhand better {folder}@HEAD~1 {folder} --tasks TASKS --agent claude-code "
            "(to judge the file itself: --from text)",
            path,
        )
    )


def output_instead(path: str, error: InputError, value: object = None) -> InputError:
    """The error to report for a file that holds no judgement: that it is an output or a suite, or `error` itself.

    `value` is its first document, when it could be read.
    """
    if isinstance(value, Mapping) and "variants" in value and value.keys() & {"cases", "triggers"}:
        step = f"run it with: evenhand run {path}; what to do with the run: evenhand run --help"
        return InputError(Problem(f"this is a suite; {step}", shown_name(path)))
    if isinstance(value, Mapping) and (is_scorecard(value) or value.keys() & _JUDGEMENT_KEYS):
        return error
    if path != STDIN and Path(path).is_dir():
        step = f"evenhand judge {path} --format jsonl > scorecards.jsonl"
        return InputError(Problem(f"is a directory; name a file, or judge the outputs in it first: {step}", path))
    if not _looks_like_an_output(path, value):
        return error
    step = "evenhand judge FILE" if path == STDIN else f"evenhand judge {path}"
    return InputError(Problem(f"this looks like an output; judge it first: {step}", shown_name(path)))


def _kind_of_text(text: str, name: str) -> str | None:
    """ "judgement" or "scorecard" when the whole text is one; a judgement may have a mistake in it."""
    if len(text) > _LARGEST or ("scores" not in text and "evenhand/scorecard/" not in text):
        return None
    document = _document(text)
    if document is None:
        broken = PurePath(name).suffix.lower() in _DATA and len(_JUDGEMENT_LINE.findall(text)) >= _ENOUGH
        return "judgement" if broken else None
    if is_scorecard(document):
        return "scorecard"
    scores = document.get("scores")
    return "judgement" if isinstance(scores, Mapping) and len(scores.keys() & {*DIMENSIONS}) >= _ENOUGH else None


def _document(text: str) -> Mapping[str, Any] | None:
    """The first object in the text, if JSON, JSONL or YAML is all there is to it."""
    try:
        if not text.lstrip().startswith("{"):
            from evenhand.files.yaml_values import load_all_yaml

            documents = load_all_yaml(text, "")
        else:
            try:
                documents = [load_json(text, "")]
            except InputError:
                documents = [load_json(text.lstrip().splitlines()[0], "")]
    except InputError:
        return None
    value = documents[0].value if documents else None
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, Mapping) else None


def _looks_like_an_output(path: str, value: object) -> bool:
    """Whether a file that is not a judgement is a transcript by its content, or prose or code by its name."""
    if path == STDIN:
        return isinstance(value, str)
    from evenhand.transcripts import sniff
    from evenhand.transcripts.sources import open_source

    try:
        format = sniff(path).name
        if (
            format == "submissions" and value is None
        ):  # cannot be parsed: what is damaged in it helps more than its kind
            return False
        if format != "text":
            return True
        with open_source(path) as source:
            head = source.head.data.decode(errors="replace")
    except InputError:
        return False
    return PurePath(path).suffix.lower() not in _DATA and bool(head.strip()) and not _JUDGEMENT_LINE.search(head)
