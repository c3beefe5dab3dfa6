"""Inspect logs: `.json`, or `.eval`, a zip archive of headers and samples. Each sample is a submission.

Scores, targets and metadata stay out: a judge must not see what others thought of a sample.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from evenhand.core.values.submission import Submission, Usage
from evenhand.errors import InputError, Problem
from evenhand.transcripts import limits
from evenhand.transcripts.draft import Draft, text_in
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_stream import Document, whole_documents
from evenhand.transcripts.json_text import Key, written
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text
from evenhand.transcripts.shapes.messages import take_message, usage_of
from evenhand.transcripts.sources import Source

if TYPE_CHECKING:
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
        samples = log.get("samples")
        samples = samples if isinstance(samples, list) else []
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


def _is_opened_sample(path: tuple[Key, ...]) -> bool:
    return not path or path == ("messages",)


def _why(log: dict[str, Any]) -> str:
    error = log.get("error")
    status = text_in(log, "status")
    message = text_in(error, "message") if isinstance(error, dict) else ""
    return f"; its status is {status}{': ' + message if message else ''}" if status else ""


# --- one sample ----------------------------------------------------------------------------------


def _sample(
    source: Source, sample: Any, log: dict[str, Any], document: Document, *, alone: bool
) -> Submission | InputError:
    if not isinstance(sample, dict):
        place = document.place(sample)
        return InputError(Problem("a sample is not an object", place.file, place.line))
    draft = Draft(source, FORMAT)
    evaluation = log.get("eval")
    model = text_in(evaluation, "model") if isinstance(evaluation, dict) else ""
    messages = sample.get("messages")
    attached = _attachments(sample)
    for message in messages if isinstance(messages, list) else ():
        place = document.place(message)
        if isinstance(message, dict):
            take_message(draft, _resolved(message, attached), Speaker("", place, "", model))
        else:
            draft.count("message that is not an object")
    if any(event.role == "assistant" for event in draft.events) and not draft.models:
        draft.saw_model(model)
    _errors(draft, sample, document)
    _times(draft, sample)
    _usage(draft, sample, log if alone else {})
    return draft.finish(task=_task(sample, attached), output=_output(sample, attached), id=_id(sample))


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
        transcript = sample.get("transcript")
        events = transcript.get("events") if isinstance(transcript, dict) else None
    for value in (sample, *(events[:1] + events[-1:] if isinstance(events, list) else ())):
        if isinstance(value, dict):
            for key in ("started_at", "timestamp", "completed_at"):
                draft.saw_time(text_in(value, key))


def _usage(draft: Draft, sample: dict[str, Any], log: dict[str, Any]) -> None:
    """Tokens of the sample; for a log with one sample, those of the log."""
    stats = log.get("stats")
    for used in (sample.get("model_usage"), stats.get("model_usage") if isinstance(stats, dict) else None):
        if isinstance(used, dict) and used:
            for model, usage in used.items():
                draft.usage[model] = usage_of(usage) or Usage()
            return
    output = sample.get("output")
    usage = usage_of(output.get("usage")) if isinstance(output, dict) else None
    if usage is not None:
        draft.usage[""] = usage


def _task(sample: dict[str, Any], attached: dict[str, str]) -> str | None:
    request = sample.get("input")
    if isinstance(request, str):
        return _resolved(request, attached) or None
    requests = (
        [message for message in request if isinstance(message, dict) and message.get("role") == "user"]
        if isinstance(request, list)
        else []
    )
    return result_text(_resolved(requests[-1].get("content"), attached)) if requests else None


def _output(sample: dict[str, Any], attached: dict[str, str]) -> str | None:
    output = sample.get("output")
    choices = output.get("choices") if isinstance(output, dict) else None
    for choice in choices if isinstance(choices, list) else ():
        message = choice.get("message") if isinstance(choice, dict) else None
        content = _resolved(message.get("content"), attached) if isinstance(message, dict) else None
        if isinstance(content, list):
            content = "\n".join(
                text_in(block, "text") for block in content if isinstance(block, dict) and text_in(block, "text")
            )
        if isinstance(content, str) and content.strip():
            return content
    return None


def _id(sample: dict[str, Any]) -> str | None:
    id, epoch = sample.get("id"), sample.get("epoch")
    if not isinstance(id, str | int):
        return None
    return f"{id}_epoch_{epoch}" if isinstance(epoch, int) and epoch > 1 else str(id)


def _attachments(sample: dict[str, Any]) -> dict[str, str]:
    """Long texts that are stored once and referred to."""
    transcript = sample.get("transcript")
    older = transcript.get("content") if isinstance(transcript, dict) else None
    return {
        key: text
        for texts in (older, sample.get("attachments"))
        if isinstance(texts, dict)
        for key, text in texts.items()
        if isinstance(text, str)
    }


def _resolved(value: Any, attached: dict[str, str]) -> Any:
    """The same value with references replaced by what they refer to."""
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
    from evenhand.transcripts.shapes.inspect_pieces import put_together, shells

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
        yield from whole_documents(source, data, _is_opened_sample, name=f"{source.name}:{name}")
