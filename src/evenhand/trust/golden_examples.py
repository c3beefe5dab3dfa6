"""Golden examples of a rubric: outputs with the verdict that people expect on each criterion, and why.

They stand in the rubric's own file, in blocks of YAML under the heading "Golden examples", or in a file beside it:
`mine.golden.yaml` beside `mine.md`. No judge is shown them.

- name: names the ticket
  output: Fixed in client.py, ticket 41.
  verdicts:
    names-ticket: yes
    invents: {answer: no, why: There is no number in it but that of the ticket.}
    polite: {answers: [yes, yes, no]}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.core.rubric import NO, YES, Answer, Rubric, answer_from
from evenhand.errors import InputError, Problem, shortened, unknown
from evenhand.files.entry import Entry
from evenhand.files.json_values import load_json
from evenhand.files.located import Located
from evenhand.files.text import read_text
from evenhand.files.yaml_values import load_yaml
from evenhand.rubrics.library import locate
from evenhand.stats.trust.golden import GoldenExample, GoldenVerdict
from evenhand.transcripts import read
from evenhand.work.submission import Submission

ENDINGS = (".golden.yaml", ".golden.yml", ".golden.json", ".golden.jsonl")
"""What the names of files beside a rubric end with, in place of `.md`."""
KEYS = ("name", "task", "output", "file", "reference", "verdicts")
VERDICT_KEYS = ("answer", "answers", "why")
_HEADING = re.compile(r"(?P<level>#{1,6})\s+(?P<text>.*?)\s*#*")
_TITLE = re.compile(r"\W*golden examples?\W*", re.IGNORECASE)
_FENCE = re.compile(r"\s{0,3}(?P<fence>`{3,}|~{3,})\s*(?P<language>\w*)\s*")


class GoldenSet(NamedTuple):
    """The examples of a rubric, and where they stand."""

    examples: tuple[GoldenExample, ...]
    sources: tuple[str, ...]


def golden_examples(name_or_path: str, rubric: Rubric, golden: str | None = None) -> GoldenSet:
    """The examples in a rubric and beside it, or in the file `golden`. InputError when there are none, or when one is
    wrong."""
    path = locate(name_or_path).path
    documents = [*_file(golden)] if golden is not None else _of_rubric(path)
    if not documents:
        beside = path.name.removesuffix(".md") + ENDINGS[0]
        message = f'it has no golden examples; write some into {beside} beside it, or under a heading "Golden examples"'
        raise InputError(Problem(message, str(path)))
    return _read(documents, rubric)


def golden_problems(path: Path, rubric: Rubric) -> list[Problem]:
    """What is wrong with the golden examples in a rubric's file and beside it; nothing where there are none."""
    try:
        documents = _of_rubric(path)
        if documents:
            _read(documents, rubric)
    except InputError as error:
        return [*error.problems]
    return []


def _of_rubric(path: Path) -> list[Located]:
    return [*_blocks(path), *_beside(path)]


def _read(documents: list[Located], rubric: Rubric) -> GoldenSet:
    problems: list[Problem] = []
    reader = _Reader(rubric, problems)
    examples = [example for document in documents for example in reader.examples(document)]
    if problems:
        raise InputError(sorted(problems, key=lambda problem: (problem.source or "", problem.line or 0)))
    return GoldenSet(tuple(examples), tuple(dict.fromkeys(document.source for document in documents)))


def _beside(path: Path) -> Iterator[Located]:
    for ending in ENDINGS:
        beside = path.with_name(path.name.removesuffix(".md") + ending)
        if beside.is_file():
            yield from _file(str(beside))


def _file(path: str) -> Iterator[Located]:
    text = read_text(path)
    if path.endswith((".jsonl", ".ndjson")):
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                yield load_json(line, path, line=number)
    else:
        yield load_json(text, path) if path.endswith(".json") else load_yaml(text, path)


def _blocks(path: Path) -> Iterator[Located]:
    """The blocks of YAML under the heading in a rubric's own file, each with its line."""
    if not path.is_file():
        return
    inside, fence = 0, ""
    block: list[str] = []
    for number, line in enumerate(read_text(str(path)).splitlines(), 1):
        mark = _FENCE.fullmatch(line)
        if fence:
            if mark and mark["fence"].startswith(fence) and not mark["language"]:
                if inside:
                    yield load_yaml("\n".join(block), str(path), first_line=number - len(block))
                fence = ""
            block.append(line)
        elif mark:
            fence, block = mark["fence"], []
        elif heading := _HEADING.fullmatch(line):
            level = len(heading["level"])
            if _TITLE.fullmatch(heading["text"]):
                inside = level
            elif level <= inside:
                inside = 0


class _Reader:
    """Documents to examples; problems are collected."""

    def __init__(self, rubric: Rubric, problems: list[Problem]) -> None:
        trees = [part.tree for part in rubric.dimensions.values() if part.tree is not None]
        self._known = [criterion.id for tree in trees for criterion in tree.criteria()]
        if not self._known:
            raise InputError(f"rubric {rubric.name} has no criteria, so there is nothing to test")
        self._problems = problems
        self._names: set[str] = set()

    def examples(self, document: Located) -> Iterator[GoldenExample]:
        """The examples of a document: a list of them, an object with such a list under `examples`, or one alone."""
        value = document.value
        if isinstance(value, Mapping) and "examples" in value:
            Entry.of(document, self._problems).known(("examples",))
            steps: tuple[str | int, ...] = ("examples",)
            value = value["examples"]
        else:
            steps = ()
        listed = value if isinstance(value, list) else [value]
        for place, item in enumerate(listed):
            path = (*steps, place) if isinstance(value, list) else steps
            entry = Entry(item, path, self._problems, document, otherwise="an example is an object with named fields")
            if entry.value:
                example = self._example(entry, document)
                if example is not None:
                    yield example

    def _example(self, entry: Entry, document: Located) -> GoldenExample | None:
        entry.known(KEYS)
        name = entry.text("name") or f"example {len(self._names) + 1}"
        if name in self._names:
            entry.refuse(f'two examples are named "{name}"; give each its own name', "name")
        self._names.add(name)
        submission = self._submission(entry, document)
        verdicts = self._verdicts(entry)
        return None if submission is None else GoldenExample(name, submission, verdicts)

    def _submission(self, entry: Entry, document: Located) -> Submission | None:
        if ("output" in entry.value) == ("file" in entry.value):
            entry.refuse("an example has its output as text, under output, or in a file, under file; give one of them")
            return None
        task, reference = entry.text("task"), entry.text("reference")
        if "output" in entry.value:
            output = entry.text("output", empty=True)
            return None if output is None else Submission(output=output, task=task, reference=reference)
        file = entry.text("file")
        if file is None:
            return None
        found = [*read(str(Path(document.source).parent / file))]
        errors = [problem for one in found if isinstance(one, InputError) for problem in one.problems]
        if errors or len(found) != 1:
            what = errors[0].message if errors else f"holds {len(found)} submissions; an example has one"
            entry.refuse(f"{file}: {what}", "file")
            return None
        submission = found[0]
        assert isinstance(submission, Submission)
        return submission._replace(
            task=submission.task if task is None else task,
            task_read=submission.task_read and task is None,
            reference=submission.reference if reference is None else reference,
        )

    def _verdicts(self, entry: Entry) -> dict[str, GoldenVerdict]:
        given = entry.value.get("verdicts")
        if not isinstance(given, Mapping) or not given:
            entry.refuse("an example needs verdicts: the id of a criterion with the expected answer", "verdicts")
            return {}
        verdicts = {}
        for id, written in given.items():
            if id not in self._known:
                entry.refuse(unknown("criterion", id, self._known), "verdicts", id)
            elif (verdict := self._verdict(entry, id, written)) is not None:
                verdicts[str(id)] = verdict
        return verdicts

    def _verdict(self, entry: Entry, id: str, written: Any) -> GoldenVerdict | None:
        if not isinstance(written, Mapping):
            written = {"answers": written} if isinstance(written, list) else {"answer": written}
        inner = Entry(written, (*entry.path, "verdicts", id), self._problems, entry.document)
        inner.known(VERDICT_KEYS)
        if ("answer" in written) == ("answers" in written):
            inner.refuse("give answer, or answers for those of several people")
            return None
        given = written["answers"] if "answers" in written else [written["answer"]]
        if not isinstance(given, list) or not given:
            inner.refuse("answers must be a list, with one answer for each person", "answers")
            return None
        answers = [self._answer(inner, answer) for answer in given]
        why = inner.text("why") or ""
        return None if None in answers else GoldenVerdict(tuple(filter(None, answers)), why)

    @staticmethod
    def _answer(entry: Entry, written: Any) -> Answer | None:
        if isinstance(written, bool):  # what YAML makes of yes and no
            return YES if written else NO
        try:
            return answer_from(written)
        except ValueError as error:
            entry.refuse(f"the expected answer is {error}, not {shortened(str(written))}")
            return None
