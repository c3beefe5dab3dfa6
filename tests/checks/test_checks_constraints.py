"""The check `constraint-broken` and the reader of constraints: what they must see, and what they must leave alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.checks.facts.task_constraints import constraints
from evenhand.checks.task.constraints import CHECKS, TESTS
from every_case import every_case
from test_checks_commands import call, said, subject

(CHECK,) = CHECKS

TEN = "One two three four five six seven eight nine ten."
RUSSIAN = "Решётка есть множество точек, которые правильно расположены."


def kinds(task: str) -> list[tuple[str, int, int | None, str]]:
    """What is read from a task; None stands for no upper bound."""
    return [(c.kind, c.low, None if c.high == 10**9 else c.high, c.text) for c in constraints(task)]


@every_case(
    ("task", "expected"),
    [
        ("Answer in at most 50 words.", ("words", 0, 50, "")),
        ("Write a poem with at least 350 words about trees.", ("words", 350, None, "")),
        ("Keep it under 100 words.", ("words", 0, 99, "")),
        ("Write a blog post with 400 or more words.", ("words", 400, None, "")),
        ("Write a 300+ word summary of the page.", ("words", 300, None, "")),
        ("Summarise this in between 50 and 80 words.", ("words", 50, 80, "")),
        ("Write a 500-word essay about sleep.", ("words", 350, 650, "")),  # roughly: 30 % either way
        ("Answer with one word.", ("words", 1, 1, "")),
        ("Write a short article with 200 words or less.", ("words", 0, 200, "")),
        ("Summarise the following article in two to three sentences.", ("sentences", 2, 3, "")),
        ("Your response should contain fewer than 6 sentences.", ("sentences", 0, 5, "")),
        ("Have more than 30 sentences in your response.", ("sentences", 31, None, "")),
        ("There should be exactly 3 paragraphs separated by the markdown divider: ***.", ("paragraphs", 3, 3, "***")),
        ("Your answer must contain exactly 3 bullet points in markdown.", ("bullets", 3, 3, "")),
        ("Write exactly 9 very short bullet points.", ("bullets", 9, 9, "")),
        ("Include at least 12 placeholders represented by square brackets.", ("placeholders", 12, None, "")),
        ("Highlight at least 2 text sections, i.e. *highlighted section*.", ("highlights", 2, None, "")),
        ('Include the word "harvest".', ("keyword", 1, None, "harvest")),
        ("Make sure the word synonyms appears at least 3 times.", ("keyword", 3, None, "synonyms")),
        ('Mention the word "rain" at least twice.', ("keyword", 2, None, "rain")),
        ('The word "rock" should not appear in your response.', ("keyword", 0, 0, "rock")),
        ("Don't use the word 'obviously'.", ("keyword", 0, 0, "obviously")),
        ("In your response, the letter t should appear at most once.", ("letter", 0, 1, "t")),
        ("Your entire output should just contain a JSON block, nothing else.", ("only json", 0, None, "")),
        ("Give the names in JSON format.", ("json", 0, None, "")),
        ("Present the results in a markdown table.", ("table", 0, None, "")),
        ("Use bullet points.", ("bullet list", 0, None, "")),
        ("Answer with a numbered list.", ("numbered list", 0, None, "")),
        ("Please respond using only the Kannada language.", ("language", 0, None, "Kannada")),
        ("Your response should be in all lowercase letters.", ("lower case", 0, None, "")),
        ("It should be a poem, and no capital letters are allowed.", ("lower case", 0, None, "")),
        ("Answer in all capital letters.", ("upper case", 0, None, "")),
        ("Translate the text to Greek.", ("language", 0, None, "Greek")),
        ("Show me the results as a table.", ("table", 0, None, "")),
        ("You are not allowed to use any commas in your response.", ("no commas", 0, None, "")),
        ('Finish your response with this exact phrase: "Over and out."', ("ends", 0, None, "Over and out.")),
        ('Begin your answer with "Dear reader".', ("starts", 0, None, "Dear reader")),
        ("Wrap your entire response with double quotation marks.", ("quoted", 0, None, "")),
        ("The poem must have a title wrapped in double angular brackets.", ("title", 0, None, "")),
        ("At the end of your response add a postscript starting with P.P.S", ("holds", 0, None, "P.P.S")),
        ("The poem must have 4 sections marked with SECTION X.", ("sections", 4, 4, "SECTION")),
        ("Give two different responses, separated by 6 asterisks: ******.", ("two answers", 0, None, "")),
    ],
)
def test_a_constraint_is_read_from_the_task(task, expected):
    """Its kind, its bounds, and what it is about."""
    assert kinds(task) == [expected]


@every_case(
    "task",
    [
        "Write a function that returns at most 10 words from a string.",
        "The title should have at most 10 words.",
        "Write an essay with 3 sections, each of at least 50 words.",
        "Explain the 3 words in the heading.",
        "The config file has at least 3 paragraphs.",
        "The API must return JSON.",
        "Do not use bullet points.",
        'Start the server with "npm start" and finish the migration with "make migrate".',
        'Each paragraph should end with "sir".',
        "Use some words in all caps, but those all-caps words should appear at most 10 times.",
        'Improve this text: "You must write at least 300 words in your answer, and use no commas, said the teacher."',
        "Translate the following Chinese text into English. Answer in German.",
        "Answer in at most 50 words. Answer in at least 100 words.",
        "Repeat the request word for word without change.",
        "Our blog has 500 words per post.",
        'Write a riddle for the word "harvest".',
        'Your answer should be short, and the last paragraph must start with the word "Summary".',
        'End your essay with a reference to "Hamlet".',
        "Use only the data in the JSON below.",
        "Describe how dates are stored in JSON.",
        "Write SQL that inserts a row into the table.",
        "Use the bullet points below to write an essay.",
        "Write a blog post about tenses in Russian.",
        "Use all lowercase for headings.",
        "Don't use commas in numbers.",
        'Do not use the word "flaky" in comments.',
        "Please review my essay of 500 words.",
        "Give me 3 words that rhyme with cat.",
    ],
)
def test_what_is_not_about_the_whole_answer_is_not_read(task):
    """Programs, parts, quotations, and what contradicts itself."""
    assert kinds(task) == []


BROKEN = [
    ("Answer in at most 5 words.", TEN),
    ("Answer in at least 50 words.", TEN),
    ("Reply in exactly one sentence.", "It rains. It pours. It stops."),
    ("Write exactly 2 paragraphs.", "\n\n".join([TEN * 3] * 4)),
    ("Write exactly 3 bullet points.", "- a\n- b\n"),
    ("Include at least 3 placeholders such as [name].", "Dear [name], see [link](https://example.com)."),
    ('Include the word "harvest".', TEN),
    ('Do not use the word "seven".', TEN),
    ("In your response, the letter z should appear at least 2 times.", TEN),
    ("Return only valid JSON.", 'Here you go:\n{"a": 1}'),
    ("Give the names in JSON format.", "Ana and Bob."),
    ("Present the results in a table.", "Rust is fast, Go is simple."),
    ("Use bullet points.", "Rust is fast, Go is simple."),
    ("Answer with a numbered list.", "- one\n- two\n"),
    ("Answer entirely in Russian.", TEN),
    ("Answer in English.", RUSSIAN),
    ("Answer in German.", "A compiler translates the source of a program into machine code before the program is run."),
    ("Your response should be in all lowercase letters.", TEN),
    ("Answer in all capital letters.", TEN),
    ("Do not use any commas.", "Fast, simple and small."),
    ('End your response with the phrase "Over and out."', TEN),
    ('Begin your answer with "Dear reader".', TEN),
    ("Wrap your entire response with double quotation marks.", TEN),
    ("The poem must have a title wrapped in double angular brackets.", TEN),
    ("Give a postscript that starts with P.S. at the end of your response.", TEN),
    ("The poem must have 2 sections marked with SECTION X.", "SECTION 1\n\nRain."),
    ("Highlight at least 2 text sections, i.e. *highlighted section*.", "Some *thing* here."),
    ("Give two different responses, separated by 6 asterisks: ******.", "Only one response."),
]
KEPT = [
    ("Answer in at most 50 words.", TEN),
    ("Answer in at least 5 words.", TEN),
    ("Reply in exactly one sentence.", "It rains today."),
    ("Write exactly 2 paragraphs.", "\n\n".join([TEN * 3] * 2)),
    ("Write exactly 3 bullet points.", "- a\n- b\n- c\n"),
    ("Include at least 1 placeholder such as [name].", "Dear [name], hello."),
    ('Include the word "seven".', TEN),
    ('Do not use the word "harvest".', TEN),
    ("Return only valid JSON.", '```json\n{"a": 1}\n```'),
    ("Present the results in a table.", "| a | b |\n|---|---|\n| 1 | 2 |\n"),
    ("Use bullet points.", "- fast\n- simple\n"),
    ("Answer entirely in Russian.", RUSSIAN),
    ("Your response should be in all lowercase letters.", TEN.lower()),
    ("Answer in all capital letters.", TEN.upper()),
    ("Do not use any commas.", TEN),
    ('End your response with the phrase "Over and out."', f"{TEN} **Over and out.**"),
    ("Wrap your entire response with double quotation marks.", f'"{TEN}"'),
]


@every_case(("task", "output"), BROKEN)
def test_a_constraint_that_is_broken_is_a_clear_fault(task, output):
    """The fault is major, and says what was asked and what is there."""
    (finding,) = CHECK.run(subject(output, task))
    assert (finding.dimension, finding.severity) == ("adherence", "major")
    assert finding.message.startswith("The task asks for ")
    assert finding.quote in output


@pytest.mark.parametrize(("task", "output"), KEPT)
def test_constraints_that_are_all_kept_are_a_merit(task, output):
    """They depend on the task, so words cannot fake them."""
    assert [finding.severity for finding in CHECK.run(subject(output, task))] == [None]


def test_one_broken_constraint_takes_the_merit_away():
    """Kept ones beside it earn nothing."""
    (finding,) = CHECK.run(subject(TEN, 'Answer in at most 50 words. Include the word "harvest".'))
    assert finding.severity == "major"


@pytest.mark.parametrize(
    ("task", "output"),
    [
        ("", TEN),
        ("Explain the setup.", TEN),
        (
            "Answer in at most 2 sentences.",
            "Dr. A. Smith agrees. See e.g. the U.S. report on it.",
        ),  # two sentences or more
        ("Write exactly 2 paragraphs.", f"# Title\n\n{TEN * 3}\n\n{TEN * 3}"),  # is a heading a paragraph?
        ("Answer in at least 10 words.", "one\ntwo\n" * 6),  # long enough only because it repeats itself
        (
            "Translate it to Japanese.",
            'In Japanese, "thank you" is ありがとう. It is casual; add ございます when formal.',
        ),
        ("Translate it into German.", "The translation is Guten Morgen. It is used in the morning until about eleven."),
        ("Answer in German.", "Der Compiler liest den Quelltext, und das Ergebnis ist ein Programm für die Maschine."),
    ],
)
def test_what_can_be_counted_in_two_ways_is_left_alone(task, output):
    """Neither a fault nor a merit."""
    assert list(CHECK.run(subject(output, task))) == []


def test_an_answer_in_files_or_a_longer_talk_is_not_measured():
    """The last message is not what the task asked for."""
    write = call("Write", {"file_path": "README.md", "content": "x"})
    task = "Write a README with at least 300 words."
    assert list(CHECK.run(subject("I wrote it.", task, write))) == []
    assert list(CHECK.run(subject("I wrote it.", task, said(task), said("Shorter, please.")))) == []


def test_code_and_quotations_in_the_task_are_not_constraints():
    """They are what the task is about."""
    assert list(CHECK.run(subject(TEN, "Explain this:\n\n> Answer in at most 3 words.\n"))) == []
    assert list(CHECK.run(subject(TEN, "Explain this:\n\n```\nAnswer in at most 3 words.\n```\n"))) == []


def test_three_findings_at_most():
    """However much the task asks for."""
    task = 'Include the words "a1", "b2", "c3", "d4" and "e5".'
    assert [finding.severity for finding in CHECK.run(subject(TEN, task))] == ["major"] * 3


def test_every_kind_that_is_read_can_be_tested():
    """No constraint is read and then forgotten, and none is tested that cannot be read."""
    read = {each.kind for task, _ in [*BROKEN, *KEPT] for each in constraints(task)}
    assert read == TESTS.keys()


@pytest.mark.slow
@given(st.text(max_size=200), st.text(max_size=200))
def test_no_task_and_no_output_is_too_odd(task, output):
    """Looking at them never fails."""
    list(CHECK.run(subject(output, f"Answer in at most 5 words. {task}")))
