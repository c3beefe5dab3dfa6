"""Texts as judges write them that state no score: made from pieces in every language the reader knows.

Each text has a judge's habits that look like scores: numbered points, the judged problem worked out, counts, scales,
conditions, prices, other people's ratings, and a choice between two outputs. `unscored_texts` draws them from a seed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

HEADINGS = (
    "Evaluation:",
    "### Evaluation",
    "**Evaluation:**",
    "Rating:",
    "Scoring",
    "Assessment:",
    "Final evaluation:",
    "Verdict:",
    "Overall:",
    "### Score",
    "Final verdict:",
    "**Overall assessment**",
    "Bewertung:",
    "Gesamtbewertung:",
    "Fazit:",
    "Évaluation :",
    "Note globale :",
    "Conclusion :",
    "Evaluación:",
    "Puntuación:",
    "Valutazione:",
    "Voto finale:",
    "Avaliação:",
    "Nota final:",
    "Оценка:",
    "Итог:",
    "评价：",
    "评分：",
    "综合评价",
    "評価：",
    "総合評価:",
    "평가:",
    "총평:",
    "التقييم:",
    "मूल्यांकन:",
)
POINTS = (
    "The response is clear.",
    "**Correctness**: the code runs.",
    "It covers all {n} cases.",
    "Relevance: good.",
    "The answer follows the instruction.",
    "*Depth* - it explains {n} of the steps.",
    "Assistant A explains the idea.",
    "Assistant B gives {n} examples.",
    "Die Antwort ist klar.",
    "**Genauigkeit**: keine Fehler.",
    "La réponse est claire.",
    "**Clarté** : rien à redire.",
    "La respuesta es clara.",
    "**Claridad**: buena.",
    "La risposta è chiara.",
    "A resposta é clara.",
    "Ответ ясный.",
    "**Точность**: ошибок нет.",
    "回答很清楚。",
    "**准确性**：没有错误。",
    "回答は明確です。",
    "**正確性**：問題ありません。",
    "답변이 명확합니다.",
    "الإجابة واضحة.",
    "उत्तर स्पष्ट है।",
)
MARKERS = ("{i}. ", "{i}) ", "({i}) ", "{i}、", "- {i}. ", "**{i}.** ", "{i} - ", "{i}: ", "* {i}. ")
SOLUTIONS = (
    "First, my own answer. x + 2 = {m}, so x = {n}.\n\n\\boxed{{{n}}}",
    "The correct answer is $\\boxed{{{n}}}$.",
    "Solving gives\n\\[\n\\boxed{{{n}}}\n\\]\nwhich both assistants found.",
    "Adding up: 2 + {n} = {m}. Total: {m}",
    "3 apples and {n} pears.\nTotal: {n}\nBoth get it right.",
    "Let me compute it.\nResult: {n}",
    "The answer should be {n}.",
    "The final answer is {n}, and Assistant A found it.",
    "Answer: {n}",
    "The probability is {n}/{m}.",
    "Let me solve it: {n} * 2 = {m}.\n\nFinal answer: {n}",
    "Ergebnis: {n}\nBeide Antworten stimmen.",
    "Die richtige Lösung ist {n}.",
    "Résultat : {n}\nLes deux réponses sont justes.",
    "La bonne réponse est {n}.",
    "Resultado: {n}\nAmbas respuestas aciertan.",
    "La solución correcta es {n}.",
    "Risultato: {n}\nEntrambe le risposte sono giuste.",
    "Resultado: {n}\nAs duas respostas estão certas.",
    "Итого: {n}\nОба ответа верны.",
    "Правильный ответ: {n}.",
    "正确答案是{n}。",
    "总计：{n}\n两个回答都正确。",
    "正解は{n}です。",
    "合計：{n}\n両方とも正しいです。",
    "정답은 {n}입니다.",
    "합계: {n}\n두 답변 모두 맞습니다.",
    "الإجابة الصحيحة هي {n}.",
    "सही उत्तर {n} है।",
    "| item | count |\n|---|---|\n| apples | {n} |\n| Total | {m} |",
    "```python\nscore = {n}\nprint(score)\n```",
    "$$\\frac{{{n}}}{{{m}}} = 0.5$$",
)
FALSE_FRIENDS = (
    "The list is reduced from {m} to {n}.",
    "It lowers the price from {m} to {n} dollars.",
    "The count drops from {m} to {n}.",
    "The error rate is reduced to {n}.",
    "A score of {n} could have been achieved if it had cited a source.",
    "A rating of {n} could have been reached with an example.",
    "To earn a {n}, it would need a source.",
    "The scale runs from 1 to {m}.",
    "Ratings go from 1 (worst) to {m} (best).",
    "It has {n} steps and {m} lines.",
    "The user asked for {n} examples.",
    "The film is rated {n}/{m} by critics.",
    "The assistant rates the film {n} out of {m}.",
    "The answer gives itself a score of {n}.",
    "Chapter {n} is summarised.",
    "Version {n}.{m} is mentioned.",
    "Both cover {n} of the {m} points.",
    "It scores goals in minutes {n} and {m}.",
    "Step {n}: check the sum.",
    "Question {n} of {m} is answered.",
    "It would be a {n} if the sources were there.",
    "At least {n} facts are wrong.",
    'The sample review ends with "Rating: {n}/{m}".',
    "In the game, the final score was {m}-{n}.",
    "Possibly {n} of them are wrong.",
    "The temperature changes from {m} to {n} degrees.",
    "The team has {n} points.",
    "The product has {n} stars on the site.",
    "It is about {n} times longer.",
    "On day {n}, the plan repeats.",
    "The model gives the hotel {n} out of {m}.",
    "Der Assistent bewertet den Film mit {n} von {m}.",
    "Die Antwort gibt dem Film {n}/{m}.",
    "L'assistant donne au film {n}/{m}.",
    "El asistente da a la película un {n} de {m}.",
    "L'assistente assegna al film {n}/{m}.",
    "O assistente dá ao filme {n} de {m}.",
    "Ассистент ставит фильму {n} из {m}.",
    "助手给这部电影打{n}分。",
    "アシスタントは映画に{n}点を付けています。",
    "Der Preis sinkt von {m} auf {n}.",
    "Eine Bewertung von {n} wäre möglich gewesen.",
    "Es sind {n} von {m} Beispielen falsch.",
    "Die Anzahl wird auf {n} reduziert.",
    "Le prix passe de {m} à {n}.",
    "Une note de {n} aurait été possible.",
    "Il y a {n} erreurs sur {m}.",
    "El precio baja de {m} a {n}.",
    "Habría merecido un {n} con ejemplos.",
    "Hay {n} errores.",
    "Il prezzo scende da {m} a {n}.",
    "Avrebbe meritato un {n}.",
    "Ci sono {n} errori.",
    "O preço cai de {m} para {n}.",
    "Teria merecido um {n}.",
    "Há {n} erros.",
    "Цена снижается с {m} до {n}.",
    "В ответе {n} ошибок из {m}.",
    "Если бы были источники, было бы {n} из {m}.",
    "价格从{m}降到{n}。",
    "一共有{n}个步骤。",
    "如果有来源，可以得{n}分。",
    "需要{n}分钟。",
    "以下の{n}点が問題です。",
    "価格は{m}から{n}に下がります。",
    "出典があれば{n}点でした。",
    "가격이 {m}에서 {n}으로 내려갑니다.",
    "오류가 {n}개 있습니다.",
    "출처가 있었다면 {n}점이었을 것입니다.",
    "هناك {n} أخطاء.",
    "ينخفض السعر من {m} إلى {n}.",
    "इसमें {n} गलतियाँ हैं।",
    "कीमत {m} से {n} हो जाती है।",
)
CHOICES = (
    "[[A]]",
    "[[B]]",
    "[[C]]",
    "My final verdict is: [[A>>B]]",
    "My final verdict is: [[B>A]]",
    "[[A=B]]",
    "Therefore, Output (a) is better.",
    "Therefore, Output (b) is better.",
    "Assistant 2 wins.",
    "Response 1 is better.",
    "Winner: 1",
    "Winner: B",
    "The first response is stronger.",
    "Preferred: 2",
    "It's a tie.",
    "Both are equally good.",
    "Antwort 2 ist besser.",
    "La réponse 1 est meilleure.",
    "La respuesta 2 es mejor.",
    "La risposta 1 è migliore.",
    "A resposta 2 é melhor.",
    "Ответ 1 лучше.",
    "回答2更好。",
    "助手1的回答更好。",
    "回答1の方が優れています。",
    "답변 2가 더 좋습니다.",
    "الإجابة 1 أفضل.",
    "उत्तर 2 बेहतर है।",
    "",
    "I cannot decide.",
    "The response is helpful overall.",
)


def unscored_texts(count: int, seed: int = 13) -> Iterator[str]:
    """That many texts, the same ones for the same seed."""
    draw = random.Random(seed)
    for _ in range(count):
        yield _text(draw)


def _text(draw: random.Random, choices: tuple[str, ...] = CHOICES) -> str:
    parts = []
    if draw.random() < 0.5:
        parts.append(_filled(draw, draw.choice(SOLUTIONS)))
    for _ in range(draw.randrange(3)):
        parts.append(" ".join(_filled(draw, draw.choice(FALSE_FRIENDS)) for _ in range(draw.randint(1, 3))))
    if draw.random() < 0.7:
        parts.append(_points(draw))
    draw.shuffle(parts)
    parts.append(draw.choice(choices))
    return draw.choice(("\n\n", "\n\n", "\n")).join(part for part in parts if part) or "It is good."


def _points(draw: random.Random) -> str:
    marker = draw.choice(MARKERS)
    points = [
        marker.format(i=number) + _filled(draw, draw.choice(POINTS)) for number in range(1, draw.randint(2, 5) + 1)
    ]
    return draw.choice(HEADINGS) + draw.choice(("\n", "\n", "\n\n")) + "\n".join(points)


def _filled(draw: random.Random, piece: str) -> str:
    return piece.format(n=draw.randint(1, 10), m=draw.choice((5, 10, 10, 12, 100)))


STATEMENTS = (
    "Rating: [[{}]]",
    "[[{}]]",
    "Score: {}/10",
    "**Score:** {} / 10",
    "Final score: {}",
    "Overall rating: **{}**",
    "Score: \\boxed{{{}}}",
    "<score>{}</score>",
    '{{"score": {}}}',
    "I would give this response a {} out of 10.",
    "I'd rate it {}/10.",
    "Therefore, I give the answer a score of {}.",
    "Overall, this deserves a {}.",
    "Bewertung: {} von 10",
    "Ich gebe der Antwort {} von 10 Punkten.",
    "Note finale : {}/10",
    "Je donne à cette réponse la note de {}/10.",
    "Puntuación: {} de 10",
    "Le daría un {} de 10.",
    "Punteggio: {} su 10",
    "Pontuação: {} de 10",
    "Оценка: {} из 10",
    "Я ставлю этому ответу {} из 10.",
    "评分：{}分",
    "我给这个回答打{}分。",
    "スコア：{}",
    "10点満点中{}点です。",
    "점수: {}점",
    "التقييم: {} من 10",
    "स्कोर: {}/10",
)


def scored_texts(count: int, seed: int = 13) -> Iterator[tuple[str, int]]:
    """That many texts on a scale from 1 to 10 with the score that each states."""
    draw = random.Random(seed)
    for _ in range(count):
        score = draw.randint(1, 10)
        text = _text(draw, choices=("The response is helpful overall.", ""))
        first, second = draw.choice(STATEMENTS).format(score), text
        if draw.random() < 0.7:
            first, second = second, first
        yield f"{first}\n\n{second}", score
