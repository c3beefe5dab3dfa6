"""Texts as the published pairwise judges write them, each with its author's label: MT-Bench, Arena-Hard, and others.

Every format has its own way to end, its own names for the two outputs and its known quirks: the instruction repeated
before the verdict, bold and code marks, words after the verdict, sections on single aspects that favour the other
side. `label` is A, B, tie, or None where a text states no verdict or two different ones.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

Draw = random.Random


class Labelled(NamedTuple):
    """A text, the format it follows, and what it says."""

    format: str
    text: str
    label: str | None


class Sides(NamedTuple):
    """How a format calls the two outputs."""

    a: str
    b: str

    def of(self, label: str) -> tuple[str, str]:
        """The winner's name and the loser's; for a tie the two in order."""
        return (self.b, self.a) if label == "B" else (self.a, self.b)


LETTERS = Sides("Assistant A", "Assistant B")
ASSISTANTS = Sides("Assistant 1", "Assistant 2")
RESPONSES = Sides("Response 1", "Response 2")
RESPONSE_LETTERS = Sides("Response A", "Response B")
OUTPUTS = Sides("Output (a)", "Output (b)")

ASPECTS = (
    "{a} gives a clear overview and covers the main points of the question.",
    "{b}'s explanation is easier to follow, and its examples are better chosen.",
    "{a} is more concise, while {b} goes into more depth.",
    "The code of {b} has an error in the loop and would not run as it is.",
    "{a} correctly identifies the column to drop and provides the correct code.",
    "{b} is better at explaining why the step is needed.",
    "In terms of creativity, {a} is stronger.",
    "{b} provides a more detailed list of sources, although two of them cannot be found.",
    "{a} makes a small mistake in the second step: 14 * 3 is 42, not 44.",
    "{b} repeats the question before answering it, which adds nothing.",
    "Both follow the instruction and stay on topic.",
    "{a} answers in 120 words and {b} in 310.",
    "{b} would be the better choice if the user had asked for a tutorial.",
    "While {a} is accurate, it is less helpful than it could be.",
    "It is worth noting that {b} mentions the limits of its method.",
    "{a} starts with a better title than {b}.",
    'The user asked "which one is better?", and {a} picks the first option.',
    "{a} claims that Python is better than Java, which is a matter of taste.",
    "{b} says the second algorithm wins for large inputs, which is true.",
)
SECTIONS = (
    "### Correctness\n{a}: the result is right.\n{b}: the result is right, but one case is missing.",
    "**Helpfulness:** {a} is helpful. {b} is somewhat more helpful because it names a library.",
    "1. **Accuracy**: {b} is accurate.\n2. **Relevance**: {a} is relevant.\n3. **Conciseness**: {a} is better.",
    "| Criterion | {a} | {b} |\n|---|---|---|\n| Depth | 7 | 8 |\n| Clarity | 9 | 8 |",
    "**{a}:**\n- Uses `vmalloc`, which is not suitable here.\n- The reply is concise.\n\n**{b}:**\n- Uses `ioremap`.\n"
    "- Explains the mapping.",
    "My own answer to the prompt:\n```python\nfor i in range(10):\n    print(i)\n```",
    "#### Strengths of {b}\n- Good structure\n- Better formatting\n\n#### Weaknesses of {a}\n- No example",
)
INSTRUCTIONS = (
    'I will output "[[A]]" if assistant A is better, "[[B]]" if assistant B is better, and "[[C]]" for a tie.',
    'After my explanation I output my final verdict by strictly following this format: "[[A]]" if assistant A is '
    'better, "[[B]]" if assistant B is better, and "[[C]]" for a tie.',
    "The possible verdicts are:\n1. Assistant A is significantly better: [[A>>B]]\n2. Assistant A is slightly better: "
    "[[A>B]]\n3. Tie, relatively the same: [[A=B]]\n4. Assistant B is slightly better: [[B>A]]\n5. Assistant B is "
    "significantly better: [[B>>A]]",
    "I have to choose one of [[A]], [[B]] and [[C]].",
    "The verdict must be [[A]], [[B]] or [[C]].",
)
"""What judges repeat of their instruction: options, none of them a verdict."""


def _body(draw: Draw, sides: Sides, most: int = 4) -> str:
    """A comparison of single aspects, for either side."""
    pieces = draw.sample((*ASPECTS, *SECTIONS), draw.randint(0, most))
    swapped = Sides(sides.b, sides.a) if draw.random() < 0.5 else sides
    joint = draw.choice((" ", "\n\n", "\n"))
    text, after_section = "", False
    for piece in pieces:
        apart = piece in SECTIONS or after_section
        text += ("\n\n" if apart else joint if text else "") + piece
        after_section = piece in SECTIONS
    text = text.lstrip().replace("{a}", swapped.a).replace("{b}", swapped.b)
    return text + ("\n\n" if pieces and pieces[-1] in SECTIONS else draw.choice((" ", "\n\n", "\n"))) if text else ""


def _label(draw: Draw) -> str:
    return draw.choice(("A", "A", "A", "B", "B", "B", "tie"))


def _reason(draw: Draw, sides: Sides, label: str) -> str:
    """A last sentence that agrees with the label; sometimes none."""
    if draw.random() < 0.4:
        return ""
    if label == "tie":
        return draw.choice(
            (
                "Since both made identical tool calls, this is essentially a tie. ",
                "Both responses are equally good. ",
                "Overall, there is no clear winner. ",
            )
        )
    best, other = sides.of(label)
    return draw.choice(
        (
            f"{best}'s answer is more accurate and complete. ",
            f"Therefore, {best}'s response is superior. ",
            f"In conclusion, {best} provides the correct and more helpful response, while {other}'s contains errors. ",
            f"Overall, {best} is better because it follows the instruction more closely than {other}. ",
            f"### Conclusion:\n{best}'s answer is more aligned with the prompt than {other}'s.\n\n",
            f"{best} ensures that all cases are covered; {other} does not, and will not give the desired result. ",
        )
    )


def _bold(draw: Draw, mark: str) -> str:
    return draw.choice((mark, mark, mark, f"**{mark}**", f"`{mark}`", f"*{mark}*", f"\n{mark}", f"{mark}."))


def mt_bench(draw: Draw) -> tuple[str, str | None]:
    """FastChat's pair-v2: [[A]], [[B]], [[C]]."""
    label = _label(draw)
    mark = _bold(draw, {"A": "[[A]]", "B": "[[B]]", "tie": "[[C]]"}[label])
    lead = draw.choice(
        ("Final verdict: ", "My final verdict is: ", "Therefore, my final verdict is ", "Verdict: ", "Final Verdict: ",
         "", "So, ", "Based on this, the final verdict is: ", "**Final Verdict:** ", "Thus, I would choose ")
    )  # fmt: skip
    trailing = draw.choice(
        ("", "", "", "\n", " for a tie." if label == "tie" else "", " (the other one has errors)", "\n\n---")
    )
    echo = draw.choice(INSTRUCTIONS) + "\n\n" if draw.random() < 0.15 else ""
    return echo + _body(draw, LETTERS) + _reason(draw, LETTERS, label) + lead + mark + trailing, label


def arena_hard(draw: Draw) -> tuple[str, str | None]:
    """Arena-Hard: [[A>>B]], [[A>B]], [[A=B]], [[B>A]], [[B>>A]]."""
    label = _label(draw)
    marks = {"A": ("[[A>>B]]", "[[A>B]]", "[[A > B]]"), "B": ("[[B>>A]]", "[[B>A]]", "[[A<B]]", "[[A<<B]]"),
             "tie": ("[[A=B]]", "[[A = B]]")}  # fmt: skip
    mark = _bold(draw, draw.choice(marks[label]))
    named = {"A": "Assistant A is better", "B": "Assistant B is better", "tie": "tie"}[label]
    lead = draw.choice(
        ("My final verdict is: ", "My final verdict is ", "Final Verdict: ", f"My final verdict is {named}: ",
         "### Final Verdict\n", f"Therefore, my final verdict is: {named}. ", "")
    )  # fmt: skip
    echo = draw.choice(INSTRUCTIONS) + "\n\n" if draw.random() < 0.15 else ""
    return echo + _body(draw, LETTERS) + _reason(draw, LETTERS, label) + lead + mark, label


def auto_j(draw: Draw) -> tuple[str, str | None]:
    """Auto-J: key factors, then `So, the final decision is Response 1.`"""
    label = _label(draw)
    factors = "1. The key factors to distinguish these two responses:\n\n"
    decided = {
        "A": ("Response 1", "Response 1."),
        "B": ("Response 2", "Response 2."),
        "tie": ("Tie", "Tie.", "neither Response 1 nor Response 2"),
    }
    end = f"2. The final decision: So, the final decision is {draw.choice(decided[label])}"
    return factors + _body(draw, RESPONSES) + end, label


def panda_lm(draw: Draw) -> tuple[str, str | None]:
    """PandaLM: the number alone first, then a reason and an answer of its own."""
    label = _label(draw)
    first = {"A": "1", "B": "2", "tie": "Tie"}[label]
    reason = _reason(draw, RESPONSES, label) or "The two were compared by the criteria. "
    reference = "\n\n### Reference: A good answer names the three causes." if draw.random() < 0.7 else ""
    return f"{first}\n\n### Reason: {_body(draw, RESPONSES, 2)}{reason.strip()}{reference}", label


def judge_lm(draw: Draw) -> tuple[str, str | None]:
    """JudgeLM and the Vicuna judge: two scores on the first line, for Assistant 1 and 2, then the reasons."""
    first, second = draw.choice(((8, 6), (7, 9), (8, 8), (8.5, 7), (3, 9), (10, 9)))
    label = "A" if first > second else "B" if second > first else "tie"
    return f"{first} {second}\n{_body(draw, ASSISTANTS)}{_reason(draw, ASSISTANTS, label)}".rstrip(), label


def prometheus(draw: Draw) -> tuple[str, str | None]:
    """Prometheus 2, relative: `Feedback: ... [RESULT] B`."""
    label = draw.choice("AB")
    lead = draw.choice(("Feedback: ", "### Feedback: ", ""))
    end = draw.choice(("[RESULT] {}", "[RESULT] {}\n", "[RESULT]: {}", "[RESULT] ({})", "[RESULT] Response {}"))
    return lead + _body(draw, RESPONSE_LETTERS) + _reason(draw, RESPONSE_LETTERS, label) + end.format(label), label


def alpaca_eval(draw: Draw) -> tuple[str, str | None]:
    """LLMBar and AlpacaEval: `Output (a)` or a sentence about it."""
    label = draw.choice("AB")
    best, other = OUTPUTS.of(label)
    end = draw.choice(
        (f"Therefore, {best} is better.", f"{best} is better.", f"Therefore, {best}.", f"Decision: {best}",
         f"So {best} is better than {other}.", f"**{best} is better.**")
    )  # fmt: skip
    return _body(draw, OUTPUTS) + end, label


def structured(draw: Draw) -> tuple[str, str | None]:
    """JSON and tags, as newer judges are asked for them."""
    label = _label(draw)
    value = {"A": "A", "B": "B", "tie": "tie"}[label]
    shown = draw.choice((value, value.lower())) if label != "tie" else draw.choice(("tie", "Tie", "TIE"))
    form = draw.choice(
        ('{{"reasoning": "see above", "winner": "{}"}}', '{{"choice": "{}"}}', "<answer>{}</answer>",
         "<verdict>{}</verdict>", '```json\n{{"verdict": "{}"}}\n```', "<answer>[[{}]]</answer>", "**Winner: {}**",
         "Preference: {}", "\\boxed{{{}}}")
    )  # fmt: skip
    return _body(draw, LETTERS) + _reason(draw, LETTERS, label) + "\n" + form.format(shown), label


WORDS: dict[str, tuple[Sides, tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "de": (
        Sides("Assistent A", "Assistent B"),
        (
            "{a} erklärt die Schritte.",
            "{b} ist ausführlicher.",
            "Beide halten sich an die Anweisung.",
            "{b} wäre besser, wenn Quellen genannt wären.",
        ),
        (
            "Daher ist {w} besser.",
            "Mein Urteil: [[{x}]]",
            "Insgesamt ist {w} deutlich besser als {l}.",
            "Endgültiges Urteil: [[{x}]]",
            "Ich bevorzuge {w}.",
        ),
        ("Insgesamt unentschieden: [[C]]", "Beide Antworten sind gleich gut."),
    ),
    "fr": (
        Sides("Assistant A", "Assistant B"),
        ("{a} explique les étapes.", "{b} est plus détaillé.", "Les deux suivent la consigne."),
        (
            "Verdict final : [[{x}]]",
            "Par conséquent, {w} est meilleur.",
            "Donc {w} est meilleur que {l}.",
            "Mon verdict final est : [[{x}]]",
        ),
        ("Verdict final : [[C]]", "Donc, les deux réponses sont équivalentes."),
    ),
    "es": (
        Sides("Asistente A", "Asistente B"),
        ("{a} explica los pasos.", "{b} es más detallado.", "Ambos siguen la instrucción."),
        (
            "Veredicto final: [[{x}]]",
            "Por lo tanto, {w} es mejor.",
            "En conclusión, {w} es mejor que {l}.",
            "Mi veredicto final es: [[{x}]]",
        ),
        ("Veredicto final: [[C]]", "En conclusión, es un empate."),
    ),
    "zh": (
        Sides("助手A", "助手B"),
        ("{a}解释了步骤。", "{b}更详细。", "两者都遵循了指示。", "在清晰度方面，{b}更好。"),
        ("最终判断：[[{x}]]", "因此，{w}更好。", "综上，{w}优于{l}。", "我的最终裁决是：[[{x}]]"),
        ("最终判断：[[C]]", "总的来说，两者一样好。"),
    ),
    "ja": (
        Sides("アシスタントA", "アシスタントB"),
        ("{a}は手順を説明しています。", "{b}はより詳しいです。", "どちらも指示に従っています。"),
        ("最終判定：[[{x}]]", "したがって、{w}の方が優れています。", "私の最終的な判定は [[{x}]] です。"),
        ("最終判定：[[C]]", "したがって引き分けです。"),
    ),
    "ru": (
        Sides("Ассистент А", "Ассистент Б"),
        ("{a} объясняет шаги.", "{b} подробнее.", "Оба следуют инструкции."),
        ("Итоговый вердикт: [[{x}]]", "Мой окончательный вердикт: [[{x}]]"),
        ("Итоговый вердикт: [[C]]",),
    ),
    "pt": (
        Sides("Assistente A", "Assistente B"),
        ("{a} explica os passos.", "{b} é mais detalhado.", "Ambos seguem a instrução."),
        ("Veredito final: [[{x}]]", "Portanto, {w} é melhor.", "No geral, {w} é melhor que {l}."),
        ("Veredito final: [[C]]", "No geral, é um empate."),
    ),
    "ko": (
        Sides("어시스턴트 A", "어시스턴트 B"),
        ("{a}는 단계를 설명합니다.", "{b}는 더 자세합니다."),
        ("최종 판정: [[{x}]]", "따라서 {w}가 더 좋습니다."),
        ("최종 판정: [[C]]", "따라서 무승부입니다."),
    ),
}


def languages(draw: Draw) -> tuple[str, str | None]:
    """MT-Bench's form in other languages."""
    sides, remarks, wins, ties = WORDS[draw.choice(sorted(WORDS))]
    label = _label(draw)
    best, other = sides.of(label)
    body = " ".join(draw.sample(remarks, draw.randint(0, len(remarks))))
    end = draw.choice(ties) if label == "tie" else draw.choice(wins)
    text = f"{body}\n\n{end}".replace("{w}", best).replace("{l}", other).replace("{x}", label)
    return text.replace("{a}", sides.a).replace("{b}", sides.b).strip(), label


def contradictory(draw: Draw) -> tuple[str, str | None]:
    """Two verdicts, each stated as final."""
    one, other = draw.sample(("A", "B", "tie"), 2)
    marks = {"A": ("[[A]]", "[[A>B]]"), "B": ("[[B]]", "[[B>>A]]"), "tie": ("[[C]]", "[[A=B]]")}
    first, second = draw.choice(marks[one]), draw.choice(marks[other])
    joint = draw.choice(("\n\n", " ... ", "\n\nOn second thoughts, ", " Wait. ", "\n\nFinal verdict: "))
    return _body(draw, LETTERS) + f"My final verdict is: {first}{joint}{second}", None


def silent(draw: Draw) -> tuple[str, str | None]:
    """No verdict: cut off, refused, the instruction alone, aspects alone, a quotation."""
    sides = draw.choice((LETTERS, RESPONSES, OUTPUTS, ASSISTANTS))
    end = draw.choice(
        (
            "", "", "", "My final verdict is:", "Final verdict: [[", "Therefore,", "Overall,",
            *INSTRUCTIONS,
            "I'm sorry, but I can't help with comparing these.",
            "As an AI language model, I cannot judge which of them is better.",
            "Please provide the second answer, so that I can compare them.",
            f"Which one is better, {sides.a} or {sides.b}? That depends on what the user needs.",
            f'{sides.a} ends with the words "the better assistant is [[A]]".',
            f'The text of {sides.b} contains "My final verdict is: [[B]]", which was not asked for.',
            "The matrix is [[1, 2], [3, 4]], and its determinant is -2.",
            "In the first step, list `[[a]]` is flattened.",
            f"To decide, I compare accuracy and depth of {sides.a} and {sides.b}.",
            f"If {sides.a} had cited its sources, it would be better.",
            f"I would rate {sides.a} 8/10.",
        )
    )  # fmt: skip
    return (_body(draw, sides) + end).strip() or "No comment.", None


QUOTES = ('"{}"', "“{}”", "‘{}’", "'{}'", "`{}`", "«{}»", "„{}“", "**“{}”**", "「{}」")
QUOTED_LEADS = ("Verdict: {}", "My verdict: {}.", "Final verdict: {}", "Winner: {}", "I choose {}.", "I prefer {}.",
                "The better response is {}.", "The winner is {}.", "Therefore, {} is better.", "{}")  # fmt: skip


def quoted(draw: Draw) -> tuple[str, str | None]:
    """A verdict in quotation marks; sometimes after an order in quotation marks that is not one."""
    label = draw.choice("AB")
    lead = draw.choice(QUOTED_LEADS)
    name = draw.choice((label, f"Assistant {label}", f"[[{label}]]" if "better" not in lead else f"Response {label}"))
    other = "B" if label == "A" else "A"
    order = draw.choice(
        ("", "", f'Assistant {other} contains the line "Verdict: {other}", which I disregard.\n\n',
         f"The second line of Assistant {other} reads “Assistant {other} is better”.\n\n")
    )  # fmt: skip
    body = order if lead == "{}" else order + _body(draw, LETTERS, 2)
    alone = lead == "{}" and not body
    text = lead.format(draw.choice(QUOTES).format(name))
    return (body + text, label) if alone or lead != "{}" else (draw.choice(QUOTES).format(name), label)


def torn(draw: Draw) -> tuple[str, str | None]:
    """A verdict and a whole sentence, label or reason for the other side: no verdict."""
    label = draw.choice("AB")
    other = "B" if label == "A" else "A"
    return draw.choice(
        (
            f"Winner: {label}\n\nAssistant {other} is better.",
            f"Assistant {other} is the better one. Final verdict: [[{label}]]",
            f"{other} is better in every respect. Therefore: {label}",
            f"Winner: {label} (Assistant {other} is the better answer)",
            f'{{"winner": "{label}", "loser": "{label}"}}',
            f'{{"winner": "{label}", "reason": "Response {other} is better."}}',
            f'{{"verdict": "{label}", "preferred": "{other}"}}',
            f"I prefer {label}. Overall, Assistant {other} is the better one.",
            f"Tie, but {label} wins.",
            f"{label} loses. Winner: {label}",
            f"Response {label} is worse. Verdict: {label}",
            f"[[{label}>{other}]]\nResponse {other} is better.",
            f"{label} beats {other}. Verdict: {other}",
            f"Verdict: “{label}”\n\nVerdict: “{other}”",
        )
    ), None


FORMATS: dict[str, Callable[[Draw], tuple[str, str | None]]] = {
    "MT-Bench": mt_bench,
    "Arena-Hard": arena_hard,
    "Auto-J": auto_j,
    "PandaLM": panda_lm,
    "JudgeLM": judge_lm,
    "Prometheus": prometheus,
    "AlpacaEval": alpaca_eval,
    "JSON and tags": structured,
    "other languages": languages,
    "two verdicts": contradictory,
    "no verdict": silent,
    "in quotation marks": quoted,
    "contradicting itself": torn,
}


def judge_texts(count: int, seed: int = 29) -> Iterator[Labelled]:
    """That many texts of every format."""
    for name, make in FORMATS.items():
        draw = Draw(f"{seed} {name}")
        for _ in range(count):
            yield Labelled(name, *make(draw))
