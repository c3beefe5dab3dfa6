"""Inspect logs: `.json`, or `.eval`, a zip archive of headers and samples. Each sample is a submission.

Scores, targets and metadata stay out: a judge must not see what others thought of a sample.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, Problem
from evenhand.transcripts import limits
from evenhand.transcripts.draft import Draft, list_in, object_in, text_in
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_stream import Document, whole_documents, within
from evenhand.transcripts.json_text import Key, written
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text
from evenhand.transcripts.shapes.messages import take_message, usage_of
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Submission, Usage

if TYPE_CHECKING:
    from evenhand.transcripts.archive import Archive
from evenhand.core.finding import Place
from evenhand.transcripts.archive import Archive

FORMAT = "inspect"
TITLE = "Inspect log"
PLACE = 160
MARKS = "eval version samples"

_ATTACHED = re.compile(r"(?:attachment|tc)://([0-9a-f]{32}|\d+)")
_NUMBERS = re.compile(r"(\d+)")


def sniff(head: Head) -> bool:
    """An archive that starts like Inspect's, or a document with an evaluation's header."""
    if head.is_archive:
        return any(name in head.data for name in (b"_journal/", b"header.json", b"samples/"))
    return any(_is_header(entry) for entry in head.objects[:1])


def _is_header(value: dict[str, Any]) -> bool:
    evaluation = value.get("eval")
    return isinstance(evaluation, dict) and "version" in value and bool(evaluation.keys() & {"task", "run_id", "model"})


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every sample of a log, in order."""
    if source.head.is_archive:
        yield from _read_archive(source)
        return
    has_samples, log = False, {}
    for document in whole_documents(source, source.data(limits.DOCUMENT), _is_opened_log):
        log = document.value if isinstance(document.value, dict) else {}
        samples = list_in(log, "samples")
        damage = source.take_problems()  # it is unknown which samples are affected
        for sample in samples:
            has_samples = True
            submission = _sample(source, sample, log, document, alone=len(samples) == 1)
            yield submission if isinstance(submission, InputError) else submission._replace(problems=damage)
    if not has_samples:
        yield InputError(Problem(f"holds no samples{_why(log)}", source.name))


def _is_opened_log(path: tuple[Key, ...]) -> bool:
    if len(path) < 2:
        return not path or path[0] == "samples"
    return path[0] == "samples" and (len(path) == 2 or (len(path) == 3 and path[2] == "messages"))


def _why(log: dict[str, Any]) -> str:
    status, message = text_in(log, "status"), text_in(log.get("error"), "message")
    return f"; its status is {status}{': ' + message if message else ''}" if status else ""


# --- one sample ----------------------------------------------------------------------------------


def _sample(
    source: Source, sample: Any, log: dict[str, Any], document: Document, *, alone: bool
) -> Submission | InputError:
    if not isinstance(sample, dict):
        place = document.place(sample)
        return InputError(Problem("a sample is not an object", place.file, place.line))
    draft = Draft(source, FORMAT)
    model = text_in(log.get("eval"), "model")
    attached = _attachments(sample)
    for message in draft.objects(sample, "messages", "message"):
        take_message(draft, _resolved(message, attached), Speaker("", document.place(message), "", model))
    if any(event.role == "assistant" for event in draft.events) and not draft.models:
        draft.saw_model(model)
    _errors(draft, sample, document)
    _times(draft, sample)
    _usage(draft, sample, log if alone else {})
    draft.task, draft.output = _task(sample, attached), _output(sample, attached)
    id, epoch = sample.get("id"), sample.get("epoch")
    if isinstance(id, str | int):
        draft.id = f"{id}_epoch_{epoch}" if isinstance(epoch, int) and epoch > 1 else str(id)
    return draft.finish()


def _errors(draft: Draft, sample: dict[str, Any], document: Document) -> None:
    error = sample.get("error")
    if isinstance(error, dict):
        draft.error(text_in(error, "message") or written(error), document.place(sample))
    limit = sample.get("limit")
    if isinstance(limit, dict):
        draft.error(f"stopped at the {text_in(limit, 'type')} limit of {limit.get('limit')}", document.place(sample))


def _times(draft: Draft, sample: dict[str, Any]) -> None:
    events = sample.get("events")
    if not isinstance(events, list):
        events = list_in(sample.get("transcript"), "events")
    for value in (sample, *events[:1], *events[-1:]):
        for key in ("started_at", "timestamp", "completed_at"):
            draft.saw_time(text_in(value, key))


def _usage(draft: Draft, sample: dict[str, Any], log: dict[str, Any]) -> None:
    """Tokens of the sample; for a log with one sample, those of the log."""
    by_model = object_in(sample, "model_usage") or object_in(log.get("stats"), "model_usage")
    for model, used in by_model.items():
        draft.usage[model] = usage_of(used) or Usage()
    if not by_model and (usage := usage_of(object_in(sample, "output").get("usage"))) is not None:
        draft.usage[""] = usage


def _task(sample: dict[str, Any], attached: dict[str, str]) -> str | None:
    request = sample.get("input")
    if isinstance(request, str):
        return _resolved(request, attached) or None
    requests = [message for message in list_in(sample, "input") if text_in(message, "role") == "user"]
    return result_text(_resolved(requests[-1].get("content"), attached)) if requests else None


def _output(sample: dict[str, Any], attached: dict[str, str]) -> str | None:
    for choice in list_in(sample.get("output"), "choices"):
        content = _resolved(object_in(choice, "message").get("content"), attached)
        if isinstance(content, list):
            content = "\n".join(filter(None, (text_in(block, "text") for block in content)))
        if isinstance(content, str) and content.strip():
            return content
    return None


def _attachments(sample: dict[str, Any]) -> dict[str, str]:
    """Long texts that are stored once and referred to."""
    texts = {**object_in(sample.get("transcript"), "content"), **object_in(sample, "attachments")}
    return {key: text for key, text in texts.items() if isinstance(text, str)}


def _resolved(value: Any, attached: dict[str, str]) -> Any:
    """A value with references replaced by what they refer to."""
    if not attached:
        return value
    if isinstance(value, str):
        match = _ATTACHED.fullmatch(value)
        return attached.get(match[1], value) if match else value
    if isinstance(value, list):
        return [_resolved(item, attached) for item in value]
    if isinstance(value, dict):
        return {key: _resolved(item, attached) for key, item in value.items()}
    return value


# --- the archive ---------------------------------------------------------------------------------


def _read_archive(source: Source) -> Iterator[Submission | InputError]:
    from evenhand.transcripts.archive import Archive

    with Archive(source.seekable(), source) as archive:
        log: dict[str, Any] = {}
        for name in ("header.json", "_journal/start.json"):
            if name in archive.names and not log:
                log = next(
                    (document.value for document in _member(source, archive, name) if isinstance(document.value, dict)),
                    {},
                )
        whole = [name for name in archive.names if _is_sample(name)]
        pieces = [name for name in shells(archive) if f"{name.removesuffix('/sample.json')}.json" not in archive.names]
        if (whole or pieces) and (left_out := source.take_problems()):
            yield InputError(left_out)
        has_samples = False
        for name in sorted([*whole, *pieces], key=_natural):
            reader = put_together if name in pieces else _member
            documents = 0
            for document in reader(source, archive, name):
                has_samples = True
                documents += 1
                yield _sample(source, document.value, log, document, alone=len(whole) + len(pieces) == 1)
            if not documents and len(whole) + len(pieces) > 1 and (damage := source.take_problems()):
                yield InputError(damage)
        if not has_samples:
            yield InputError(
                [Problem(f"holds no samples that can be read{_why(log)}", source.name), *source.take_problems()]
            )


def _is_sample(name: str) -> bool:
    """Sample ids may contain slashes; the epoch number distinguishes a sample file from a piece of another."""
    in_order = name.startswith("samples/") and name.endswith(".json")
    return in_order and (name.count("/") == 1 or re.search(r"_epoch_\d+\.json$", name) is not None)


def _natural(name: str) -> list[str]:
    """Numbers in a name as numbers, so that 10 comes after 9."""
    return [part.zfill(20) if part.isdecimal() else part for part in _NUMBERS.split(name)]


def _member(source: Source, archive: Archive, name: str) -> Iterator[Document]:
    data = archive.read(name)
    if data is not None:
        yield from whole_documents(source, data, within("messages"), name=f"{source.name}:{name}")


_SHELL = re.compile(r"(samples/.+_epoch_\d+)/sample\.json")
_CHUNK = re.compile(r"(?:messages|attachments)/(\d{1,12})\.json")

LONGEST = 1_000_000
"""The most messages in all ranges of one sample, since ranges can repeat the same messages."""


def shells(archive: Archive) -> list[str]:
    """The shells of the samples that are kept in pieces."""
    return [name for name in archive.names if _SHELL.fullmatch(name)]


def put_together(source: Source, archive: Archive, shell: str) -> Iterator[Document]:
    """A sample assembled from its pieces; every message keeps its place in its chunk."""
    folder = shell.removesuffix("sample.json")
    for document in _documents(source, archive, shell):
        if not isinstance(document.value, dict):
            yield document
            continue
        chunks = [chunk for chunk in _chunks(source, archive, f"{folder}messages/") if isinstance(chunk.value, list)]
        pool = [message for chunk in chunks for message in chunk.value]
        origin = {id(message): chunk for chunk in chunks for message in chunk.value}
        sample = {**document.value, "messages": _named(source, document, shell, pool)}
        texts = [
            text
            for chunk in _chunks(source, archive, f"{folder}attachments/")
            for text in (chunk.value if isinstance(chunk.value, list) else [])
        ]
        sample["attachments"] = {str(number): text for number, text in enumerate(texts)}

        def place(part: object, document: Document = document, origin: dict[int, Document] = origin) -> Place:
            return origin.get(id(part), document).place(part)

        yield Document(sample, place)


def _named(source: Source, document: Document, shell: str, pool: list[Any]) -> list[Any]:
    """The messages of the final conversation, in order."""
    messages: list[Any] = []
    for ref in list_in(document.value, "message_refs"):
        whole = isinstance(ref, list) and len(ref) == 2 and all(type(number) is int and number >= 0 for number in ref)
        if not whole or ref[1] > len(pool) or len(messages) + ref[1] - ref[0] > LONGEST:
            at = document.place(document.value)
            text = f"the sample refers to messages {ref!r:.60}, but {len(pool):,} are there"
            source.note(Problem(text, f"{source.name}:{shell}", at.line))
            continue
        messages += pool[ref[0] : ref[1]]
    return messages


def _chunks(source: Source, archive: Archive, folder: str) -> Iterator[Document]:
    """The chunks of a list, in the order of their numbers."""
    kind = folder.rstrip("/").rsplit("/", 1)[-1]
    numbers = {}
    for name in archive.names:
        match = _CHUNK.fullmatch(f"{kind}/{name.removeprefix(folder)}") if name.startswith(folder) else None
        if match:
            numbers[int(match[1])] = name
    for number in sorted(numbers):
        yield from _documents(source, archive, numbers[number])


def _documents(source: Source, archive: Archive, name: str) -> Iterator[Document]:
    data = archive.read(name)
    if data is not None:
        yield from whole_documents(source, data, within(), name=f"{source.name}:{name}")
