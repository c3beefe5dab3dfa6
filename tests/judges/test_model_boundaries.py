"""A model as a judge, at the boundaries of what is shown to it, asked of it and read from it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fake_server import Asked, FakeServer, chat
from scripted_judge import quote_of, read_prompt, scored

import evenhand
import flat_calls
from evenhand.core.finding import Place
from evenhand.judges.models.questions.layout import FINAL, Entry, Names, Part, arguments_text, entries, heading
from evenhand.judges.models.questions.shown_work import (
    _cost,
    _lay_out,
    _marked_cost,
    _order,
    condense,
    excerpt,
    fitted,
)
from evenhand.judges.models.replies.json_objects import Twice, find_objects
from evenhand.judges.models.replies.reply import LONGEST, _unusable
from evenhand.providers.exchange import Reply
from evenhand.providers.tokens import estimate_tokens
from evenhand.work.submission import Event

WORK = "The cache kept entries for an hour although prices change every minute.\nWe now write through.\n"


# --- what is shown -----------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [0, 99, 100, 160])
def test_a_text_that_a_mark_would_not_shorten_is_shown_whole(length: int):
    """A hundred characters are asked for; the mark takes up to sixty."""
    assert excerpt("a" * length, 100) == "a" * length


def test_an_excerpt_has_two_thirds_from_the_start_and_says_how_much_is_left_out():
    """Of 161 characters: 67 from the start, 33 from the end, 61 left out."""
    text = "a" * 67 + "b" * 61 + "c" * 33
    assert excerpt(text, 100) == f"{'a' * 67}\n[\ufdd0: 61 characters left out]\n{'c' * 33}"
    assert "[\ufdd0: 10,000 characters left out]" in excerpt("a" * 10_100, 100)


def test_what_fits_is_shown_whole_and_what_does_not_is_marked_as_cut():
    """The judge is told of the output and of the task, each for itself."""
    whole = condense("Do it.", (), "Done.", 1_000)
    assert (whole.task, whole.text, whole.output_whole, whole.task_whole) == ("Do it.", "Done.", True, True)
    assert (whole.kept, whole.shortened, whole.elided) == (0, 0, 0)
    long_output = condense("Do it.", (), "word " * 5_000, 1_000)
    assert (long_output.output_whole, long_output.task_whole) == (False, True)
    assert "characters left out" in long_output.text
    long_task = condense("word " * 5_000, (), "Done.", 1_000)
    assert (long_task.output_whole, long_task.task_whole) == (True, False)
    assert condense(None, (), "Done.", 1_000).task_whole


# --- what is read ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "objects", "unfinished", "given_up"),
    [
        ("", 0, False, False),
        ("{}", 1, False, False),
        ('{"a": {"b": 1}} and {"c": 2}', 2, False, False),
        ('{"a": 1', 0, True, False),
        ('{"a": "cut he', 0, True, False),
        ('{"a": 1, ', 0, True, False),
        ("{a} {}", 1, False, False),
        ('{"a": NaN} {"b": 1}', 1, False, False),
        ("{" * 5_000, 0, False, True),
    ],
)
def test_the_objects_of_a_reply(text: str, objects: int, unfinished: bool, given_up: bool):
    """Complete ones, outermost only; one that was begun and never ended is known."""
    search = find_objects(text)
    assert (len(search.objects), search.unfinished, search.given_up) == (objects, unfinished, given_up)


Judge = Callable[..., evenhand.Scorecard]


@pytest.fixture
def ask(fake_server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Judge:
    """Judge a short text with a model; `says` gives what it says of every dimension, from a quote of the work."""
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-for-tests-only")
    monkeypatch.chdir(tmp_path)

    def judge(says: Callable[[str], dict[str, Any]], **options: Any) -> evenhand.Scorecard:
        def answer(asked: Asked):
            prompt = read_prompt(asked.body)
            reply: dict[str, Any] = {"reply_to": prompt.nonce, "red_flags": {}, "bonuses": {}}
            reply["dimensions"] = {name: says(quote_of(prompt.work)) for name in prompt.dimensions}
            for key, ids in (("red_flags", prompt.red_flags), ("bonuses", prompt.bonuses)):
                reply[key] = {id: {"quotes": [], "explanation": "No.", "present": False} for id in ids}
            return chat(json.dumps(reply))

        fake_server.answer = answer
        return flat_calls.judge(WORK, judges=["openai:one"], base_url=fake_server.url, **options)

    return judge


@pytest.mark.parametrize(
    ("quotes", "counts"),
    [
        (lambda quote: [quote], True),
        (lambda quote: quote, True),
        (lambda quote: ["", 7, None, quote], True),
        (lambda quote: {"quote": quote}, False),
        (lambda quote: ["  "], False),
        (lambda quote: None, False),
        (lambda quote: ["prices never change"], False),
        (lambda quote: ["The"], False),
    ],
    ids=["a list", "a text", "among others", "an object", "blank", "none", "not there", "too short"],
)
def test_a_high_score_counts_only_with_a_quote_that_shows_something(ask: Judge, quotes: Any, counts: bool):
    """In whatever form a model gives it."""
    card = ask(lambda quote: scored(8, []) | {"quotes": quotes(quote)}, fresh=True)
    assert (card.dimensions["safety"].score is not None) is counts


@pytest.mark.parametrize(("score", "counts"), [(0, False), (1, True), (6, True), (11, False), (5.5, True), ("6", True)])
def test_a_score_off_the_scale_is_not_a_score(ask: Judge, score: Any, counts: bool):
    """Neither the next lower nor a zero."""
    card = ask(lambda quote: scored(6, [quote]) | {"score": score, "band": None}, fresh=True)
    given = card.dimensions["safety"]
    assert (given.score is not None) is counts
    if counts:
        assert float(given.score) == float(score)


def without_usage(step: Any) -> Any:
    document = json.loads(step.body)
    del document["usage"]
    return step._replace(body=json.dumps(document).encode())


def run_here(*arguments: str) -> int:
    from evenhand.cli.main import run

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["evenhand", *arguments])
        return run()


# --- how calls are laid out, and what replies hold ------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ("ls -a", "ls -a"),
        ({"command": "ls\n-a", "n": 3, "deep": {"é": [1]}}, 'command: ls\n-a\nn: 3\ndeep: {"é": [1]}'),
        (["ls", 1], '["ls", 1]'),
        (None, "null"),
        ({}, ""),
    ],
)
def test_the_arguments_of_a_call_are_shown_so_that_they_can_be_quoted(arguments: Any, shown: str):
    """Texts as they are; everything else as JSON."""
    assert arguments_text(arguments) == shown


@pytest.mark.parametrize(
    "text", ['{"a": [1, {"b": 2}], "a": [1, {"b": 2}]}', '{"a": "x", "a": "y"}', '{"a": 1, "a": 1}']
)
def test_a_key_that_is_there_twice_is_marked(text: str):
    """Whether or not its values agree."""
    (found,) = find_objects(text).objects
    assert isinstance(found.value["a"], Twice)


@pytest.mark.parametrize(("length", "scored_at_all"), [(LONGEST, True), (LONGEST + 1, False)])
def test_a_reply_of_exactly_the_greatest_length_is_read(length: int, scored_at_all: bool):
    """One character more is not."""
    text = "Score: 8".ljust(length, ".")
    assert (_unusable(Reply(text)) is None) is scored_at_all


@pytest.mark.parametrize(("objects", "given_up"), [(2_000, False), (2_001, True)])
def test_two_thousand_objects_of_a_reply_are_looked_at(objects: int, given_up: bool):
    """One more, and the search is given up: no reply holds that many."""
    search = find_objects("{} " * objects)
    assert (len(search.objects), search.given_up) == (2_000, given_up)


# --- what fits a window ------------------------------------------------------------------------------


def events_of(*texts: str) -> list[Entry]:
    """A transcript of messages as a judge is shown it."""
    messages = [Event("message", "assistant", text, Place("run.jsonl", line)) for line, text in enumerate(texts, 1)]
    return list(entries(messages, "Done.", Names()))


def least_rooms(events: list[Entry], most: int) -> list[int]:
    """The tokens from which one event is shown whole, two, and so on."""
    kept = {room: condense(None, events, "Done.", room).kept for room in range(180, 600)}
    return [min(room for room, count in kept.items() if count >= number) for number in range(1, most + 1)]


def test_an_event_takes_the_room_of_its_heading_its_text_and_the_gap_it_ends():
    """In the order 1, 20, 2, 19: the first two stand alone, and need sixty tokens more for the mark of a gap."""
    events = events_of(*["word " * 20] * 20)
    part = events[0].parts[0]
    alone = estimate_tokens(heading(events[0], part)) + 2 + estimate_tokens(part.text)
    wider = estimate_tokens(heading(events[19], events[19].parts[0])) - estimate_tokens(heading(events[0], part))
    rooms = least_rooms(events, 4)
    assert [later - earlier for earlier, later in pairwise(rooms)] == [alone + wider + 60, alone, alone + wider]


@pytest.mark.parametrize(("length", "whole"), [(460, True), (461, False)])
def test_a_text_that_a_mark_would_not_shorten_takes_no_room_for_one(length: int, whole: bool):
    """400 characters of a text are shown at first, and a mark takes up to sixty."""
    events = events_of("a" * (length - 2), "b" * 4_000)  # shown indented by two spaces
    needed = estimate_tokens(heading(events[0], events[0].parts[0])) + 2 + estimate_tokens("a" * length) + 60
    fixed = 2 * 60 + 60 + estimate_tokens("Done.") + estimate_tokens(FINAL)
    assert [condense(None, events, "Done.", fixed + needed - less).kept for less in (0, 1)] == [int(whole), 0]


def test_more_room_than_a_transcript_needs_shows_all_of_it():
    """However often a text could grow."""
    made = condense(None, events_of("a" * 5_000, "b"), "Done.", 100_000)
    assert (made.kept, made.shortened, made.elided) == (2, 0, 0)


# --- what is shown of a long transcript, in which order ----------------------------------------------


def entry(number: int, *texts: str, failed: bool = False, reasoning: bool = False) -> Entry:
    return Entry(number, tuple(Part(f"part {place}", text) for place, text in enumerate(texts)), failed, reasoning)


def test_failures_come_first_then_the_ends_then_the_middle_and_reasoning_last():
    """Newest failure first; three from the start and five from the end, the outermost first; calls before results."""
    made = [entry(number, "call", "result") for number in range(12)]
    made[4] = entry(4, "call", "error", failed=True)
    made[6] = entry(6, "call", "error", failed=True)
    made[5] = entry(5, "thought", reasoning=True)
    order = list(_order(made))
    failed = [(place, part, 0) for place in (6, 4) for part in (0, 1)]
    ends = [(place, part, 0) for place in (0, 11, 1, 10, 2, 9, 8, 7) for part in (0, 1)]
    inward = [0, 11, 1, 10, 2, 9, 3, 8, 4, 7, 5, 6]
    spoken = [place for place in inward if place != 5]
    assert order[: len(failed) + len(ends)] == failed + ends
    assert order[len(failed) + len(ends) :] == [
        *((place, 0, 0) for place in spoken), *((place, 1, 0) for place in spoken), (5, 0, 0),
    ]  # fmt: skip


def test_longer_texts_are_shown_four_times_as_long_with_each_round():
    """Of 400 characters there is no second round; 401 have one, 1,601 two. Failures first, then inward."""
    made = [entry(0, "a" * 400), entry(1, "b" * 401, "c" * 1601), entry(2, "d" * 401, failed=True)]
    rounds = [unit for unit in _order(made) if unit[2]]
    assert rounds == [(2, 0, 1), (1, 0, 1), (1, 1, 1), (1, 1, 2)]


@pytest.mark.parametrize("room", [0, 1, 10, 50, 51, 200])
def test_the_longest_excerpt_that_fits_is_found(room: int):
    """As trying every length finds it; a text that fits is whole."""
    text = "Some words, and more of them; numbers 1234 too. " * 12
    if estimate_tokens(text) <= room:
        assert fitted(text, room) == text
        return
    sizes = [size for size in range(len(text)) if _cost(text, size) <= room]
    assert fitted(text, room) == excerpt(text, max(sizes, default=0))


def test_a_part_costs_its_text_and_its_mark():
    """What is left out costs the mark alone, and nothing costs nothing."""
    assert (_marked_cost("", None), _marked_cost("word", None)) == (0, 60)
    assert _marked_cost("word", 400) == estimate_tokens("word")
    assert _marked_cost("a" * 460, 400) == estimate_tokens("a" * 460)
    assert _marked_cost("a" * 461, 400) == estimate_tokens("a" * 267) + estimate_tokens("a" * 133) + 60


def test_gaps_are_named_by_their_events_and_parts_that_are_left_out_by_their_length():
    """One event or several; a part without a text is a heading alone."""
    made = [entry(1, "one"), entry(2, "two"), entry(3, "three", "x" * 50, ""), entry(4, "four")]
    lines, kept, shortened = _lay_out(made, {(2, 0): 400})
    assert lines == [
        "[\ufdd0: events 1 to 2 left out]", "[3] part 0:", "three", "[3] part 1:", "[\ufdd0: 50 characters left out]",
        "[3] part 2", "[\ufdd0: event 4 left out]",
    ]  # fmt: skip
    assert (kept, shortened) == (0, 1)
    assert _lay_out(made, {(0, 0): 400})[1:] == (1, 0)
