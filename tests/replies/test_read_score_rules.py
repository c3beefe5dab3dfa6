"""Rules of reading a score in prose: what is one, what is not, and which of several counts."""

from __future__ import annotations

import pytest

from evenhand.core.values.opinion import Unscored
from evenhand.judges import read_score
from every_case import every_case

NO_COLON = (
    ("**Score** 1", 5, 1),
    ("Score 3", 5, 3),
    ("Reasoning: fine.\n\nScore 3", 5, 3),
    ("1. **Reasoning**: ok.\n2. **Score** 2", 5, 2),
    ("Score 7 out of 10", 10, 7),
    ("Final score 8", 10, 8),
    ("Final grade 8", 10, 8),
    ("### Score 4", 10, 4),
    ("Score `4`", 5, 4),
    ("Score seven", 10, 7),
    ("Score 4 – solid work", 5, 4),
    ("Score 4 (solid)", 5, 4),
    ("Score 4, because it is solid.", 5, 4),
    ("Bewertung 7", 10, 7),
    ("Puntuación 6", 10, 6),
    ("评分 7", 10, 7),
    ("Оценка 7", 10, 7),
    ("점수 7", 10, 7),
    ("Accuracy: 8\nClarity: 9\nScore 8", 10, 8),
    ("Grade 4", 10, None),
    ("Evaluation 2", 10, None),
    ("Score 5 - excellent; Score 1 - bad.", 5, None),
    ("The hotel has a score 4 on Booking.", 5, None),
    ("It kept the score 3 to 1.", 10, None),
    ("The score 3 was displayed for Arsenal.", 10, None),
    ("Score 3 goals were noted", 10, None),
    ("In 2019 the test score 7 was reported.", 10, None),
)
CLOSING = (
    ("I would rate clarity 9/10 and depth 7/10.\n\nScore: 4", 10, 4),
    ("I was thinking 8/10. Score: 4", 10, 4),
    ("Rating: 8\nAfter checking the sources, they are invented.\nScore: 4", 10, 4),
    ("Score: 8\n\nThe code fails to compile.\n\nScore: 4", 10, 4),
    ("I'd say 8/10 for effort.\n\nThe code does not run.\n\nScore: 3", 10, 3),
    ("The rating is 3.7 stars, which is below the required 4 stars.\n\n2. **Score**: 1", 5, 1),
    ("1. **Reasoning**:\n- The ratings shown are 4 stars and above.\n\n2. **Score**: 4\n\nIt lacks clarity.", 5, 4),
    ("Score: 8\nScore: 4", 10, None),
    ("Score: 8. Score: 4.", 10, None),
    ("Final score: 8\n\nThe code fails to compile, though.\n\nScore: 4", 10, None),
    ("Score: 3\n\nI would rate it 8/10.", 10, None),
    ("Evidence use: It cites nothing at all.\nScore: 8\nRhetoric: It is fine.\nScore: 4", 10, None),
    ("## Evidence use\nIt cites nothing.\nScore: 8\n\n## Rhetoric\nIt is fine.\nScore: 4", 10, None),
    ("## Sound\nIt hums.\nScore: 8\n\n## Smell\nIt is fine.\nScore: 8", 10, None),
    ("Response 1\nScore: 8\n\nResponse 2\nScore: 4", 10, None),
)
THIRD_PARTIES = (
    ("The page has 5-star ratings (5.0).\n\n**Score** 3", 5, 3),
    ("The ratings for the audiologists shown are 4 stars and above.\n\n2. **Score**: 5", 5, 5),
    ("Users gave it a 4.8.\nRating: 2", 5, 2),
    ("GPT-4 rated it 9/10, but I give it a 5/10.", 10, 5),
    ("According to the rubric, the score is 7.", 10, 7),
    ("According to the reviewer, the score is 9.", 10, None),
    ("Rating of 4.7 stars (1,234 reviews).", 5, None),
    ("It has 4.8 out of 5 based on 312 reviews.", 5, None),
    ("Score: 9/10 on IMDb", 10, None),
    ("Reviewer rating: 9", 10, None),
    ("Trustpilot score: 4.2", 5, None),
    ("Customers rated the product 4/5.", 5, None),
    ("Another judge scored this 8/10.", 10, None),
)
HYPOTHETICAL = (
    ("It would be a 9 with citations. Score: 6", 10, 6),
    ("With better sources, this would be a 9. As written, I give it a 6.", 10, 6),
    ("A version with tests would get a 9. This one gets a 5.", 10, 5),
    ("I'd give it an 8 with minor reservations.", 10, 8),
    ("I would rate it 8/10 after considering everything.", 10, 8),
    ("Given its depth, I would give it an 8.", 10, 8),
    ("With its clear structure, I would rate this an 8/10.", 10, 8),
    ("This would be a 9/10 with citations.", 10, None),
    ("With citations this would be a 9/10.", 10, None),
    ("I'd give it a 9 with proper citations.", 10, None),
    ("Once the bug is fixed, it would be a 9/10.", 10, None),
    ("It would be a 9/10 once the bug is fixed.", 10, None),
)
PARTS = (
    ("For the introduction, 9/10. Overall 6/10.", 10, 6),
    ("In conclusion, 7/10.", 10, 7),
    ("In conclusion, I give it a 7.", 10, 7),
    ("The introduction gets a 9.", 10, None),
    ("The first paragraph deserves a 9/10.", 10, None),
    ("I give the introduction a 9/10.", 10, None),
    ("I'd give the code examples a 9 out of 10.", 10, None),
    ("9/10 for the introduction.", 10, None),
    ("The second half earns a 4/10 from me.", 10, None),
)
EARLIER = (
    ("Yesterday I rated this 9/10; today I rate it 6/10.", 10, 6),
    ("In the previous round I gave it a 9. Now I give it a 6.", 10, 6),
    ("Score: 9\n\nLast time I gave it 7.", 10, 9),
    ("Last time I gave it 9.", 10, None),
    ("In my previous review I scored it 8/10.", 10, None),
    ("Earlier I gave this response a 9/10.", 10, None),
    ("I had given it an 8 before I saw the bug.", 10, None),
    ("Letztes Mal gab ich ihm 9/10.", 10, None),
    ("La última vez le di un 9/10.", 10, None),
    ("上次我给了9分。", 10, None),
    ("В прошлый раз я поставил 9 из 10.", 10, None),
)
SCALES = (
    ("On a five-point scale, a 4.", 5, 4),
    ("On a 5-point scale I'd give it a 4.", 5, 4),
    ("On a ten-point scale, a 7.", 10, 7),
    ("On a scale from one to ten, I'd say a 7.", 10, 7),
    ("On a five-point scale, a 4.", 10, None),
    ("On a five-point scale, I'd give it a 4.", 10, None),
    ("On a 5-point scale this is a 4.", 10, None),
    ("I'd give it a 4 on a five-point scale.", 10, None),
    ("Scale of one to five: 4", 10, None),
    ("Auf einer Skala von 1 bis 5 eine 4.", 10, None),
    ("Sur une échelle de 1 à 5, je donne 4.", 10, None),
    ("En una escala de 1 a 5 le doy un 4.", 10, None),
    ("По пятибалльной шкале ставлю 4.", 10, None),
)
SOLUTIONS = (
    ("The solution is 4. The response correctly gets 4. I'd give it a 9/10.", 10, 9),
    ("The correct answer is 7. The response says 7.", 10, None),
    ("x = 7, so the answer is 7.", 10, None),
    ("The answer to the problem is 8. Well explained.", 10, None),
)


AFTER_A_DISMISSED_SCORE = (
    ("With citations this would be a 9. As it stands: 5.", 10, 5),
    ("Last time I gave it 9. The new version drops the error handling: 6.", 10, 6),
    ("The agent claims that its own work is a 10. I disagree: 3.", 10, 3),
    ("My score is 9. No, wait: the date is wrong. 7.", 10, 7),
    ("Score: 3. Edit: after checking the appendix, 6.", 10, 6),
    ('{"score": 8}\n\nOn rereading, the totals are wrong, so I must lower this to 5.', 10, 5),
    ("The sum of both is twice the first, so 4.", 10, None),
    ("Une note de 10 aurait été possible.\nPreferred: 2", 10, None),
)


def read(text: str, high: int) -> object:
    """The score from 1 to `high`, or None."""
    found = read_score(text, 1, high)
    return None if isinstance(found, Unscored) else found


@every_case(("text", "high", "score"), NO_COLON)
def test_a_noun_for_a_score_needs_no_colon_when_it_stands_alone(text, high, score):
    """`Score 3` is a score; `Score 3 goals` and `the score 3 was displayed` are not."""
    assert read(text, high) == score


@pytest.mark.parametrize(("text", "high", "score"), CLOSING)
def test_a_closing_score_line_overrules_what_came_before(text, high, score):
    """Unless it follows another `Score:` line without a reason, or belongs to a section of its own."""
    assert read(text, high) == score


@pytest.mark.parametrize(("text", "high", "score"), THIRD_PARTIES)
def test_a_rating_by_others_is_not_the_judges(text, high, score):
    """Customers, reviewers and sites rate what is judged too."""
    assert read(text, high) == score


@pytest.mark.parametrize(("text", "high", "score"), HYPOTHETICAL)
def test_a_score_for_a_better_version_is_not_the_score(text, high, score):
    """`Would be a 9 with citations` says what is missing."""
    assert read(text, high) == score


@pytest.mark.parametrize(("text", "high", "score"), PARTS)
def test_the_score_of_a_part_is_not_the_score_of_the_whole(text, high, score):
    """An introduction is not the work."""
    assert read(text, high) == score


@pytest.mark.parametrize(("text", "high", "score"), EARLIER)
def test_an_earlier_score_is_not_the_score(text, high, score):
    """What was given last time was given to something else."""
    assert read(text, high) == score


@pytest.mark.parametrize(("text", "high", "score"), SCALES)
def test_a_score_on_another_scale_is_not_read(text, high, score):
    """A 4 of 5 is not a 4 of 10, in digits or in words."""
    assert read(text, high) == score


@pytest.mark.parametrize(("text", "high", "score"), SOLUTIONS)
def test_the_answer_of_the_judged_problem_is_not_a_score(text, high, score):
    """A judge that checks an answer works it out."""
    assert read(text, high) == score


@pytest.mark.parametrize(("text", "high", "score"), AFTER_A_DISMISSED_SCORE)
def test_a_number_that_ends_a_text_counts_after_a_score_that_was_dismissed_or_taken_back(text, high, score):
    """Elsewhere it may be the solution of a problem, or a choice."""
    assert read(text, high) == score
