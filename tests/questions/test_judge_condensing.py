"""A transcript longer than a judge's window: condensed in a stated order, marked, and never cut silently."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.core.finding import Place
from evenhand.judges.models.questions.shown_work import Shown, excerpt, show
from evenhand.providers.tokens import estimate_tokens
from evenhand.work.submission import Event, Submission, ToolCall

HERE = Place("run.jsonl", 1)


def message(text: str, role: str = "assistant") -> Event:
    return Event("message", role, text, HERE)


def call(n: int, arguments: str, result: str, failed: bool = False) -> Event:
    return Event("tool_call", "assistant", "", HERE, ToolCall(f"tool{n}", {"text": arguments}, "", result, failed))


def long_run(count: int = 60, size: int = 900) -> Submission:
    """So many calls whose words carry their numbers; number 30 failed."""
    events = [message("Please do the work.", "user")]
    for n in range(2, count):
        words = " ".join(f"w{n}-{part}" for part in range(size // 8))
        events.append(call(n, f"do thing {n}", words, failed=n == 30))
    events.append(message("All done, with the result below."))
    return Submission(output="The result is 42, as the log shows.", task="Do the work.", events=tuple(events))


def size_of(made: Shown) -> int:
    """With a nonce in each note."""
    return sum(estimate_tokens(text.replace("\ufdd0", "0" * 16)) for text in (made.task or "", made.text))


def test_what_fits_is_shown_whole():
    """No marks, no condensing."""
    run = long_run(5, 100)
    needed = size_of(show(run, window_tokens=None))
    assert show(run, window_tokens=needed) == show(run, window_tokens=None)
    assert show(run, window_tokens=needed).condensed is None
    assert show(run, window_tokens=needed - 1).condensed is not None


def test_the_counts_and_the_reason_are_given():
    """Every event is kept, shortened or elided, and the sentence says why."""
    made = show(long_run(), window_tokens=4000, judge_name="openai:x")
    facts = made.condensed
    assert facts is not None
    assert facts.judge == "openai:x"
    assert facts.kept + facts.shortened + facts.elided == 60
    assert facts.elided and facts.shortened
    assert f"of 60 events {facts.kept} are whole, {facts.shortened} shortened, {facts.elided} left out" in facts.why
    assert "room for 4,000" in facts.why


def test_output_task_failures_and_ends_come_first():
    """In a small window."""
    made = show(long_run(), window_tokens=2600)
    assert made.task == "Do the work."
    assert made.text.endswith("FINAL OUTPUT:\nThe result is 42, as the log shows.")
    assert "[30] failed with:" in made.text
    assert "[1] user:" in made.text and "[60] assistant:" in made.text
    assert "[20] " not in made.text


def test_calls_come_before_results():
    """In the middle of a run a call may be shown without its result, never the other way round."""
    made = show(long_run(), window_tokens=6600)
    assert re.search(
        r"\[10\] assistant calls tool \d+:\n  text: do thing 10\n\[10\] result:\n\[\ufdd0: [\d,]+ characters", made.text
    )


def test_what_is_left_out_is_marked_where_it_stood():
    """Runs of events by their numbers, middles of texts by their length."""
    made = show(long_run(), window_tokens=2600)
    assert re.search(r"\[\ufdd0: events \d+ to 29 left out\]\n\[30\]", made.text)
    assert re.search(r"\[\ufdd0: [\d,]+ characters left out\]", made.text)


def test_an_output_too_long_for_the_window_keeps_its_head_and_tail():
    """With a marked gap, and the task beside it."""
    output = "BEGIN " + "word " * 20_000 + "END"
    made = show(Submission(output=output, task="Say word often."), window_tokens=1000)
    assert made.task == "Say word often."
    assert made.text.startswith("BEGIN word")
    assert made.text.endswith("word END")
    assert re.search(r"\n\[\ufdd0: [\d,]+ characters left out\]\n", made.text)
    assert made.condensed is not None
    assert "the middle of the output is left out" in made.condensed.why
    assert 900 < size_of(made) <= 1000


def test_a_long_task_leaves_three_quarters_to_the_output():
    """The task is shortened before the output is when it is the longer one."""
    made = show(Submission(output="out " * 5000, task="task " * 50_000), window_tokens=4000)
    assert made.condensed is not None
    assert "the middle of the task is left out" in made.condensed.why
    assert estimate_tokens(made.text) > 2 * estimate_tokens(made.task or "")


def test_an_excerpt_is_two_thirds_head_and_one_third_tail():
    """Of 300 characters, 200 and 100."""
    made = excerpt("a" * 500 + "b" * 500, 300)
    assert made == "a" * 200 + "\n[\ufdd0: 700 characters left out]\n" + "b" * 100
    assert excerpt("short", 300) == "short"


words = st.text(alphabet="ab \n7{}漢é", max_size=2500)
runs = st.builds(
    lambda output, task, texts: Submission(
        output=output,
        task=task,
        events=tuple(
            message(first) if kind == "m" else call(1, first, second, kind == "f") for kind, first, second in texts
        ),
    ),
    words,
    st.none() | words,
    st.lists(st.tuples(st.sampled_from("mcf"), words, words), max_size=12),
)


@settings(max_examples=60)
@given(runs, st.integers(150, 6000))
def test_what_is_shown_fits_the_window(run, window):
    """By our own estimate, marks included, from the smallest window a judge may have."""
    assert size_of(show(run, window_tokens=window)) <= window


def pieces(made: Shown) -> list[str]:
    """What is shown, piece by piece, without marks."""
    return [line for line in re.split(r"\n|\[[^\n]*left out[^\n]*\]", made.text) if line.strip()]


@pytest.mark.slow
def test_a_larger_window_never_shows_less():
    """Every word of a result that a smaller window shows is shown by every larger one."""
    run = long_run(40, 6000)
    seen: set[str] = set()
    for window in (*range(400, 20_000, 700), *range(20_000, 300_000, 20_000)):
        now = set(re.findall(r"\bw\d+-\d+ ", show(run, window_tokens=window).text))
        assert seen <= now
        seen = now
    assert len(seen) == 38 * 749  # 38 calls of 750 words, of which the last has no space behind it


@settings(max_examples=40)
@given(runs, st.integers(150, 3000), st.integers(1, 3000))
def test_a_larger_window_never_shows_fewer_characters(run, window, more):
    """For any run."""
    small, large = (show(run, window_tokens=size) for size in (window, window + more))
    assert len("".join(pieces(small))) <= len("".join(pieces(large))) + 3
    if small.condensed and large.condensed:
        assert large.condensed.elided <= small.condensed.elided
        assert large.condensed.kept >= small.condensed.kept


def test_condensing_is_deterministic():
    """The same run and window give the same text."""
    assert show(long_run(), window_tokens=3000) == show(long_run(), window_tokens=3000)


@pytest.mark.slow
def test_a_hundred_megabytes_are_condensed():
    """20,000 calls of 5 kB each: shown in a window of 8,000 tokens."""
    line = "the build went through the usual steps and wrote its log to the folder\n"
    events = tuple(call(n, f"step {n}", line * 70) for n in range(20_000))
    made = show(Submission(output="Built.", task="Build it.", events=events), window_tokens=8000)
    assert 5000 < size_of(made) <= 8000
    assert made.condensed is not None
    assert made.condensed.elided > 19_000


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("abcd efg", 2),  # 8 common characters
        ("abcde", 2),  # 5 common ones
        ("A1!", 3),  # one each
        ("漢字", 3),  # 6 bytes
        ("é", 1),  # 2 bytes
        ("ab漢", 1 + 2),  # 2 common, 3 bytes
    ],
)
def test_tokens_are_estimated_high(text, tokens):
    """Four common characters a token, other ASCII one each, two bytes beyond ASCII."""
    assert estimate_tokens(text) == tokens


@given(st.text(), st.text())
def test_a_whole_costs_no_more_than_its_parts_and_no_less_than_either(first, second):
    """So that giving out room part by part never overruns."""
    whole = estimate_tokens(first + second)
    assert max(estimate_tokens(first), estimate_tokens(second)) <= whole
    assert whole <= estimate_tokens(first) + estimate_tokens(second)
