"""Texts in which a judge compares two outputs, each with its author's label: made from pieces in every language.

The pieces before the verdict compare single aspects, quote, suppose and deny, as judges do; none of them is a verdict.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from unscored_texts import SOLUTIONS

REMARKS = (
    "{A} explains the idea.",
    "{B} gives three examples.",
    "{A}'s answer is more detailed.",
    "{B} is better structured.",
    "{A} has a better introduction.",
    "In terms of clarity, {B} is better.",
    "{A} is better at explaining the steps.",
    "{B} would be better if it cited sources.",
    "Which of {A} and {B} is better depends on the task.",
    "{A} is not better in every way.",
    "Both {A} and {B} follow the instruction.",
    '{B} writes "I am the better assistant".',
    "Some users may prefer {A}.",
    "The user asked for a better title.",
    "{A} makes the text better organized.",
    "At first, {B} seems better.",
    "{B} repeats itself, which makes it weaker in style.",
    "1. **Accuracy**: {A} is accurate.\n2. **Depth**: {B} goes deeper.",
    "{A} ist ausführlicher.",
    "{B} ist besser gegliedert.",
    "{A} wäre besser, wenn Quellen genannt wären.",
    "{A} est plus détaillée.",
    "{B} serait meilleure avec des sources.",
    "{A} es más detallada.",
    "{B} sería mejor con ejemplos.",
    "{A} è più dettagliata.",
    "{A} é mais detalhada.",
    "{A} подробнее.",
    "在清晰度方面，{B}更好。",
    "{A}更详细。",
    "{A}はより詳しいです。",
    "{B}은 더 자세합니다.",
    "{A} أكثر تفصيلا.",
    "{A} अधिक विस्तृत है।",
)
NAMES = (
    ("Assistant A", "Assistant B"),
    ("Response 1", "Response 2"),
    ("Output (a)", "Output (b)"),
    ("Model A", "Model B"),
    ("Answer 1", "Answer 2"),
    ("the first response", "the second response"),
    ("Assistant 1", "Assistant 2"),
    ("Candidate A", "Candidate B"),
    ("System 1", "System 2"),
)
WINS = (
    "[[{X}]]",
    "My final verdict is: [[{X}]]",
    "My final verdict is: [[{X}>>{Y}]]",
    "[[{X}>{Y}]]",
    "Final verdict: [[{Y}<{X}]]",
    "Therefore, {W} is better.",
    "Overall, {W} is better.",
    "So {W} wins.",
    "{W} is clearly better than {L}.",
    "Winner: {W}",
    "**Winner:** {W}",
    "The winner is {W}.",
    "I prefer {W}.",
    "In conclusion, {W} is stronger.",
    '{{"winner": "{W}"}}',
    "Thus, {W} is slightly better overall.",
    "Verdict: {W} is better.",
    "{L} is worse than {W}.",
    "Overall, {W} outperforms {L}.",
    "Preferred: {W}",
    "The better response is {W}.",
    "Overall, I would choose {W}.",
    "Final decision: {W}",
    "<verdict>{X}</verdict>",
    "My final verdict is: **[[{X}]]**",
    "Therefore, my verdict is [[{X}]].",
    "{W} provides a better answer overall.",
    "Daher ist Antwort {X} besser.",
    "Antwort {X} ist besser.",
    "Sieger: Antwort {X}",
    "Insgesamt gewinnt Antwort {X}.",
    "Donc, la réponse {X} est meilleure.",
    "Je préfère la réponse {X}.",
    "Por lo tanto, la respuesta {X} es mejor.",
    "Ganador: respuesta {X}",
    "Quindi la risposta {X} è migliore.",
    "Portanto, a resposta {X} é melhor.",
    "Поэтому ответ {X} лучше.",
    "Победитель: ответ {X}",
    "因此，回答{X}更好。",
    "最终判断：[[{X}]]",
    "胜者：助手{X}",
    "したがって、回答{X}の方が優れています。",
    "勝者：回答{X}",
    "따라서 답변 {X}가 더 좋습니다.",
    "승자: 답변 {X}",
    "لذلك الإجابة {X} أفضل.",
    "इसलिए उत्तर {X} बेहतर है।",
)
TIES = (
    "[[C]]",
    "[[A=B]]",
    "My final verdict is tie: [[A=B]]",
    "Overall, it's a tie.",
    "Therefore, both are equally good.",
    "Verdict: tie",
    "Winner: tie",
    "Overall, the two responses are of equal quality.",
    '{"winner": "tie"}',
    "Insgesamt sind beide Antworten gleich gut.",
    "Fazit: unentschieden.",
    "Donc, les deux réponses sont équivalentes.",
    "En conclusión, empate.",
    "In conclusione, è un pareggio.",
    "No geral, empate.",
    "Итог: ничья.",
    "总的来说，两个回答一样好。",
    "因此是平局。",
    "したがって引き分けです。",
    "따라서 무승부입니다.",
    "لذلك النتيجة تعادل.",
    "कुल मिलाकर, दोनों बराबर हैं।",
)


def verdict_texts(count: int, seed: int = 13) -> Iterator[tuple[str, str]]:
    """That many texts, each with its verdict: A, B or tie."""
    draw = random.Random(seed)
    for _ in range(count):
        names = draw.choice(NAMES)
        remarks = _remarks(draw, names)
        label = draw.choice(("A", "B", "B", "A", "tie"))
        yield f"{remarks}{draw.choice(SEPARATORS)}{_verdict(draw, names, label)}", label


def contradictory_texts(count: int, seed: int = 13) -> Iterator[str]:
    """That many texts with two different verdicts in the same form."""
    draw = random.Random(seed)
    for _ in range(count):
        names = draw.choice(NAMES)
        form = draw.choice(WINS)
        first, second = draw.sample((0, 1), 2)
        one, two = (_filled(form, names, side) for side in (first, second))
        yield f"{_remarks(draw, names)}\n\n{one}\n\n{two}"


SEPARATORS = ("\n\n", "\n\n", "\n", " ")


def _remarks(draw: random.Random, names: tuple[str, str]) -> str:
    parts = [
        draw.choice(REMARKS).replace("{A}", names[draw.randrange(2)]).replace("{B}", names[draw.randrange(2)])
        for _ in range(draw.randint(0, 4))
    ]
    if draw.random() < 0.2:
        parts.insert(0, draw.choice(SOLUTIONS).format(n=draw.randint(1, 10), m=10) + "\n\n")
    return draw.choice(("\n", "\n\n", " ")).join(parts)


def _verdict(draw: random.Random, names: tuple[str, str], label: str) -> str:
    return draw.choice(TIES) if label == "tie" else _filled(draw.choice(WINS), names, "AB".index(label))


def _filled(form: str, names: tuple[str, str], winner: int) -> str:
    return form.format(X="AB"[winner], Y="AB"[1 - winner], W=names[winner], L=names[1 - winner])
