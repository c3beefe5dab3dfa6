"""The words that mark a score, in every supported language, spelt as `folding` spells them."""

from __future__ import annotations

from decimal import Decimal

from evenhand.replies.prose.folded_text import folded


def _table(*lines: str) -> tuple[str, ...]:
    """Words, or phrases joined by `_`, longest first."""
    words = {folded(word).replace("_", " ") for line in lines for word in line.split()}
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


_COUNTED = (
    "zero one two three four five six seven eight nine ten",
    "null eins zwei drei vier fünf sechs sieben acht neun zehn",
    "zéro un deux trois quatre cinq six sept huit neuf dix",
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez",
    "zero uno due tre quattro cinque sei sette otto nove dieci",
    "zero um dois três quatro cinco seis sete oito nove dez",
    "ноль один два три четыре пять шесть семь восемь девять десять",
    "零 一 二 三 四 五 六 七 八 九 十",
    "صفر واحد اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة",
    "शून्य एक दो तीन चार पांच छह सात आठ नौ दस",
)
_TENS = {
    "en": ("twenty thirty forty fifty sixty seventy eighty ninety", "-", " "),
    "de": ("zwanzig dreissig vierzig fünfzig sechzig siebzig achtzig neunzig",),
    "es": ("veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa", " y "),
    "it": ("venti trenta quaranta cinquanta sessanta settanta ottanta novanta", ""),
    "pt": ("vinte trinta quarenta cinquenta sessenta setenta oitenta noventa", " e "),
    "ru": ("двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто", " "),
}
"""Twenty to ninety, and what joins them to a digit; in German the digit comes first."""
_TEENS = (
    "eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
    "elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn",
    "onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf",
    "once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve",
    "undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove",
    "onze doze treze quatorze quinze dezesseis dezessete dezoito dezenove",
    "одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать",
)
_ROUND = {
    "hundred a_hundred one_hundred hundert einhundert cent cien ciento cento cem сто ста": 100,
    "десяти": 10, "пяти": 5, "vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60,
    "soixante-dix": 70, "quatre-vingt quatre-vingts": 80, "quatre-vingt-dix": 90,
}  # fmt: skip


def _compounds() -> dict[str, Decimal]:
    """Ninety-five, fünfundneunzig, quatre-vingt-quinze: read as a whole, so that no part of one is a score."""
    numbers: dict[str, Decimal] = {}
    digits = dict(zip(("en", "de", "fr", "es", "it", "pt", "ru"), _COUNTED, strict=False))
    for language, (tens, *joins) in _TENS.items():
        ones = digits[language].split()[1:10]
        for ten, word in enumerate(tens.split(), start=2):
            numbers[word] = Decimal(10 * ten)
            for unit, digit in enumerate(ones, start=1):
                if language == "de":
                    numbers[f"{'ein' if unit == 1 else digit}und{word}"] = Decimal(10 * ten + unit)
                for join in joins:
                    stem = word[:-1] if language == "it" and unit in (1, 8) else word
                    numbers[f"{stem}{join}{digit}"] = Decimal(10 * ten + unit)
    french = digits["fr"].split()[1:10]
    low = [*french, "dix", *_TEENS[2].split()]
    for base, stem, most in ((20, "vingt", 9), (30, "trente", 9), (40, "quarante", 9), (50, "cinquante", 9),
                             (60, "soixante", 19), (80, "quatre-vingt", 19)):  # fmt: skip
        for unit in range(1, most + 1):
            numbers[f"{stem}-{low[unit - 1]}"] = numbers[f"{stem} et {low[unit - 1]}"] = Decimal(base + unit)
    return numbers


NUMBER_WORDS = {
    folded(word).replace("_", " "): value
    for word, value in (
        *((word, Decimal(value)) for line in _COUNTED for value, word in enumerate(line.split())),
        *((word, Decimal(value)) for line in _TEENS for value, word in enumerate(line.split(), start=11)),
        *((word, Decimal(value)) for line, value in _ROUND.items() for word in line.split()),
        *_compounds().items(),
    )
}
NEEDS_A_SCALE = frozenset(
    {
        "one",
        "un",
        "um",
        "uno",
        "due",
        "sei",
        "sept",
        "null",
        "eins",
        "tre",
        "dos",
        "एक",
        "दो",
        "once",
        "elf",
        "cent",
        "cento",
        "cem",
        "venti",
        "vinte",
        "hundred",
        "сто",
        "ста",
    }
)
"""Number words with other meanings: read only when a scale follows."""

UNITS = _table(
    "points point pts pt stars star marks mark punkte punkten punkt sternen sterne stern étoiles étoile",
    "puntos punto estrellas estrella punti stelle stella pontos ponto estrelas estrela",
    "баллов балла балл баллы очков звезд звезды звезда",
    "分 星 点 點 점 نقاط نقطة نجوم درجات درجة अंक अंकों सितारे",
)
STARS = frozenset(
    _table("stars star sternen sterne stern étoiles étoile estrellas estrella stelle stella estrelas estrela",
           "звезд звезды звезда 星 نجوم सितारे")
)  # fmt: skip

NOUNS = _table(
    "score scores rating ratings grade mark points",
    "bewertung punktzahl wertung punkte note benotung punktwert punktestand bewertungspunktzahl",
    "gesamtbewertung gesamtpunktzahl gesamtnote gesamtwertung endnote endbewertung",
    "évaluation notation score note_finale appréciation",
    "puntuación puntaje calificación valoración nota evaluación",
    "punteggio voto valutazione",
    "pontuação nota avaliação classificação",
    "оценка оценку оценке оценкой балл баллы рейтинг",
    "تقييم التقييم الدرجة درجة النتيجة التقدير",
    "स्कोर अंक रेटिंग मूल्यांकन",
    "cijfer beoordeling waardering puan ocena wynik điểm betyg",
)
"""Words for a score, in languages with spaces between words."""

JOINED_NOUNS = _table(
    "评分 得分 分数 打分 评级 给分 總評 評分 得分 分數 打分 评价 總分 总分 总评",
    "スコア 評価 点数 得点 採点 評点 レーティング 採点結果 評価点",
    "점수 평점 평가 점수는 등급 총점 별점",
)
"""Such words in scripts without spaces."""

UNMISTAKABLE_NOUNS = _table(
    "score rating bewertung punktzahl wertung gesamtbewertung gesamtpunktzahl gesamtwertung endbewertung",
    "puntuación puntaje calificación valoración punteggio voto pontuação оценка рейтинг балл",
    "التقييم الدرجة स्कोर रेटिंग 评分 得分 分数 評分 分數 总分 總分 スコア 点数 評点 점수 평점",
)
"""Words for a score that need no colon: `Score 3`. A note, a grade or an evaluation may be numbered."""

FINAL_NOUNS = _table(
    "overall total verdict final gesamt insgesamt gesamturteil fazit ergebnis urteil endergebnis",
    "verdict_final total_général global globale résultat conclusion veredicto total complessivo verdetto totale",
    "veredito итог итого вердикт الإجمالي المجموع النهائي कुल",
)
"""Labels only when followed by a colon, a dash or a bar: `Overall: 8`."""

SUMS = _table(
    "total totals result sum ergebnis endergebnis summe résultat total_général résultat_final totale risultato",
    "resultado",
    "итог итого сумма результат المجموع الإجمالي कुल 总计 合計 합계",
)
"""Labels that the solution of a problem has as well."""

FINAL_WORDS = _table(
    "final overall total revised updated adjusted corrected ultimate aggregate composite holistic combined",
    "global finally conclusion conclude concluding summary ultimately altogether balance verdict",
    "all_things_considered taken_together in_total on_reflection second_thought all_in_all",
    "gesamt insgesamt endgültige endgültig abschliessend abschliessende zusammenfassend finale fazit alles_in_allem",
    "gesamtbewertung gesamtpunktzahl gesamtnote gesamtwertung endnote endbewertung revidierte korrigierte",
    "globale finale générale définitive conclusion au_total note_finale révisée corrigée globalement",
    "general definitiva conjunto en_general revisada corregida puntuación_final",
    "complessivo complessiva finale totale conclusione rivisto nel_complesso",
    "geral final no_geral conclusão revisada",
    "итоговая итоговую итоговый общая общую общий окончательная окончательную итого итог пересмотренная",
    "النهائي النهائية الإجمالي الإجمالية العام المجموع अंतिम कुल समग्र",
    "最终 最終 综合 綜合 总 總 整体 整體 总体 總體 总分 總分 总评 總評 総合 全体 修正 최종 종합 총 전체 총점",
)
"""A statement with one of these is about the whole."""

REVISED_WORDS = _table(
    "revised updated adjusted corrected revise correct lowered lower lowering reduced reduce raised raise changed",
    "change adjust upgrade downgrade actually reflection second_thought correction instead",
    "revidierte korrigierte révisée corrigée revisada corregida rivisto пересмотренная 修正 更正 修订",
)

NOT_THE_VERDICT = _table(
    "initial preliminary starting previous original first earlier former prior base baseline maximum max minimum min",
    "highest lowest possible potential average mean median threshold passing pass target expected reference human",
    "self user users customer customers imdb example sample tentative provisional draft raw old readers critics",
    "correct right true gold sentiment flesch flesch-kincaid kincaid",
    "f1 bleu rouge meteor bertscore auc perplexity player player's team game exam quiz sat cvss risk severity bert",
    "variable column field parameter default function property yelp google amazon tripadvisor metacritic goodreads",
    "movie movie's film film's hotel product product's restaurant book app store imdb's esrb 电影 商品 用户 网友 豆瓣",
    "reviewer reviewers colleague trustpilot glassdoor letterboxd steam guest guests aggregated app's app_store",
    "产品 酒店 餐厅 映画 ユーザー 영화 제품 사용자",
    "self-assessed self-rated self-reported claimed hypothetical confidence similarity test credit difficulty",
    "anfängliche vorläufige maximale durchschnittliche durchschnitt mögliche höchste ursprüngliche",
    "initiale provisoire maximale moyenne possible initial máxima máximo promedio media media inicial provisional",
    "iniziale massimo massima provvisorio média inicial máxima средняя средний максимальная максимальный начальная",
    "предварительная 满分 最高 平均 初始 初步 最大 最低 仮 平均 평균 최대 초기 만점 متوسط औसत",
)
"""A score with one of these is someone else's, an earlier one, or the end of the scale."""

PLAIN_WORDS = _table(
    "the my our your this its a an of for response responses response's answer answer's assistant assistant's model",
    "model's output submission overall's quality numeric numerical numerically evaluation judge judge's judging given",
    "assigned suggested recommended proposed llm ai's ai llm's and so thus therefore hence is hier meine mein die der",
    "das für diese ma la le votre cette mon mi su esta este il mio questa la mia minha meu a o esta моя мой ответа",
    "performance weighted result json here deserved appropriate fair single integer whole work essay code",
    "candidate agent likert point rubric review reply text summary story document feedback task",
    "solution translation as with antwort réponse respuesta risposta resposta ответ ответу",
    "des du de del della da do di en el les be would i give it that which to at in on under by from based considering",
)
"""Words that may precede a score's noun without making it a criterion's score."""

JOINED_PLAIN = (
    "我的 我 的 该 該 此 本 这个 這個 给出 給出 回答 回复 助手 模型 答案 质量 因此 所以 故 私の の 回答の は この "
    "その 応答 アシスタント この回答 나의 이 응답 답변 의 에 대한 따라서 그러므로 内容 您 对 對 为 個 点 5段階 10段階 "
    "段階 へ 判定 結果"
).split()

CRITERIA = _table(
    "accuracy accurate clarity relevance relevancy helpfulness depth creativity detail details coherence fluency",
    "consistency correctness completeness safety style grammar tone structure originality conciseness harmlessness",
    "honesty faithfulness factuality factual readability usefulness informativeness engagement engagingness",
    "groundedness comprehensiveness conciseness precision logic reasoning formatting format presentation naturalness",
    "adherence actionability efficiency robustness instruction-following truthfulness verbosity complexity",
    "organization organisation spelling vocabulary content language thoroughness specificity insightfulness",
    "toxicity bias commonsense understandability metacognition plausibility empathy professionalism",
    "succinctness evidence genauigkeit klarheit relevanz vollständigkeit korrektheit kreativität tiefe stil struktur",
    "précision clarté pertinence exhaustivité exactitude créativité style exactitud precisión claridad relevancia",
    "completitud creatividad accuratezza chiarezza pertinenza completezza precisione precisão clareza relevância",
    "completude точность ясность полнота релевантность креативность стиль",
    "准确性 准确度 清晰度 相关性 完整性 创造性 流畅性 事实正确性 满足用户需求 安全无害 清晰 准确 逻辑连贯性 丰富度",
    "正確性 関連性 明瞭さ 有用性 深さ 創造性 詳細さ 정확성 명확성 관련성 유용성 완전성 창의성 깊이",
    "الدقة الوضوح الصلة सटीकता स्पष्टता प्रासंगिकता",
)
"""Names of criteria."""

PARTS = _table(
    "introduction intro opening conclusion ending closing paragraph paragraphs section sections half chapter title",
    "headline heading headings abstract preamble footnote footnotes example examples citations references bibliography",
    "appendix sentence bullet bullets table tables chart diagram diagrams sample samples snippet snippets prose plot",
    "dialogue wording rhyme rhymes imagery pacing setup punchline hook formatting layout comments docstring docstrings",
    "tests naming sources research premise argument arguments",
    "einleitung schluss schlussteil absatz abschnitt beispiel beispiele titel überschrift hauptteil",
    "paragraphe exemple exemples titre accroche introducción conclusión párrafo sección ejemplo ejemplos título",
    "introduzione conclusione paragrafo sezione esempio esempi titolo introdução conclusão parágrafo seção exemplo",
    "вступление введение заключение абзац раздел пример примеры заголовок вывод",
)
"""Parts of a work, whose scores are not the score of the whole."""

OUTPUTS = _table(
    "assistant response answer model output text candidate system option ai agent completion reply essay summary bot",
    "assistent antwort modell réponse modèle assistente respuesta modelo asistente risposta modello resposta ответ",
    "ассистент модель 助手 回答 回复 模型 助理 アシスタント モデル 応答 응답 답변 어시스턴트 모델 إجابة मॉडल उत्तर",
    "turn question part section task sample example item query conversation story version essay draft",
)
"""Things numbered or lettered when several outputs are rated at once."""

DEGREES = frozenset(
    _table(
        "somewhat slightly moderately mostly largely very extremely fully completely totally partially partly",
        "rather quite",
        "not at all no yes never rarely sometimes often always neutral neither nor agree disagree strongly",
        "fairly barely",
        "good bad poor fair excellent great perfect average weak strong adequate inadequate acceptable",
        "unacceptable mediocre",
        "satisfactory unsatisfactory outstanding terrible awful decent high low medium moderate minor major",
        "minimal limited",
        "better worse best worst above below or and but a the of in to helpful unhelpful relevant irrelevant accurate",
        "inaccurate correct incorrect coherent incoherent consistent inconsistent fluent clear unclear useful useless",
        "complete incomplete safe unsafe harmful harmless insufficient sufficient okay ok solid exceptional",
        "superb marginal",
        "faithful unfaithful engaging natural understandable informative well badly poorly quality response answer",
        "one two three four five six seven eight nine ten",
        "gut schlecht mittel mittelmässig befriedigend ausreichend mangelhaft ungenügend ausgezeichnet",
        "hervorragend teilweise",
        "sehr eher kaum völlig überwiegend schwach stark neutral hilfreich",
        "bon bonne mauvais mauvaise moyen moyenne faible excellent excellente passable médiocre partiellement",
        "très assez plutôt",
        "bueno buena malo mala regular excelente deficiente aceptable parcialmente muy algo poco bastante",
        "buono buona cattivo scarso sufficiente insufficiente ottimo discreto eccellente abbastanza molto poco",
        "bom boa ruim mau razoável ótimo excelente fraco parcialmente muito pouco",
        "хорошо хороший хорошая плохо плохой отлично отличный удовлетворительно средне средний слабо слабый",
        "частично очень",
        "好 很好 较好 非常好 一般 较差 差 很差 优秀 良好 中等 及格 不及格 良い とても良い 普通 悪い 優れている",
        "やや良い やや悪い",
        "좋음 보통 나쁨 매우 우수 미흡 양호 훌륭함 جيد ممتاز ضعيف مقبول متوسط अच्छा खराब औसत उत्कृष्ट",
    )
)
"""Names of the levels of a scale, and the words they are made of."""
