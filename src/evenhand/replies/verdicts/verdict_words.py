"""The words of a choice between two outputs, in every supported language, spelt as `folding` spells them."""

from __future__ import annotations

import re

from evenhand.replies.prose.folded_text import folded

RUNNING = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\u0900-\u097f]")
"""Scripts whose words join or carry endings: found anywhere, not as whole words."""


def any_of(*lines: str) -> str:
    """A pattern for any of the words; `_` is a space."""
    words = sorted({folded(word).replace("_", " ") for line in lines for word in line.split()}, key=len, reverse=True)
    spaced = "|".join(re.escape(word) for word in words if not RUNNING.search(word))
    running = "|".join(re.escape(word) for word in words if RUNNING.search(word))
    return "(?:" + "|".join(part for part in (rf"\b(?:{spaced})\b" if spaced else "", running) if part) + ")"


OUTPUTS = any_of(
    "output response answer assistant model candidate option system ai agent completion reply summary essay text",
    "solution",
    "translation story bot version chatbot submission work works outputs responses answers assistants models",
    "antwort ausgabe assistent assistentin modell kandidat lösung text übersetzung zusammenfassung",
    "réponse sortie assistant modèle candidat solution résumé traduction",
    "respuesta salida asistente modelo candidato solución opción resumen",
    "risposta uscita assistente modello candidato soluzione opzione",
    "resposta saída assistente modelo candidato solução opção",
    "ответ ответа ответу вывод ассистент ассистента ассистенту модель вариант кандидат решение",
    "回答 答复 助手 助理 模型 输出 选项 答案 回复 回覆 アシスタント モデル 応答 出力 候補 解答",
    "응답 답변 어시스턴트 모델 출력 후보 답안 الإجابة الاستجابة الرد النموذج المساعد المخرج إجابة उत्तर",
    "प्रतिक्रिया मॉडल सहायक आउटपुट जवाब",
)

FIRST = any_of(
    "first former 1st erste ersten erster ersteres première premier primera primero primer prima primo primeira",
    "primeiro",
    "первый первого первая первому 第一个 第一個 第一位 第一 前者 最初の 1つ目の 一つ目の 첫_번째 첫번째 전자",
    "الأولى الأول पहला पहली पहले",
)
SECOND = any_of(
    "second latter 2nd zweite zweiten zweiter letztere deuxième seconde second segunda segundo seconda secondo",
    "второй второго вторая второму 第二个 第二個 第二位 第二 后者 後者 2つ目の 二つ目の 二番目の 두_번째 두번째",
    "후자 الثانية الثاني दूसरा दूसरी दूसरे",
)

BETTER = any_of(
    "better superior stronger preferable preferred best favored favoured wins won winner outperforms outshines",
    "surpasses beats",
    "prevails excels",
    "besser überlegen stärker gewinnt vorzuziehen bessere bevorzugt sieger gewinner beste",
    "meilleure meilleur supérieure supérieur gagne l'emporte préférable gagnante gagnant",
    "mejor superior gana preferible ganadora ganador vence",
    "migliore superiore vince preferibile vincitore vincitrice",
    "melhor superior vence ganha preferível vencedora vencedor",
    "лучше лучший лучшая лучшее превосходит побеждает выигрывает предпочтительнее победитель сильнее",
    "更好 更优 更優 更佳 较好 較好 更胜一筹 更勝一籌 胜出 勝出 优于 優於 获胜 獲勝 更强 最好 最佳",
    "より優れ 優れて 方が良い 方が優れ ほうが良い ほうが優れ 方がよい 勝ち 勝者 上回 より良い",
    "더_좋 더_낫 더_나 더_우수 더_뛰어 우수합 우세 이깁 이겼 승자 낫습니다",
    "أفضل يتفوق تتفوق الفائز الفائزة أقوى बेहतर विजेता जीत श्रेष्ठ अच्छा_है",
)
WORSE = any_of(
    "worse inferior weaker loses poorer schlechter unterlegen schwächer verliert moins_bonne moins_bon",
    "inférieure inférieur",
    "pire peor inferior pierde peggiore inferiore perde pior хуже уступает проигрывает слабее",
    "更差 较差 不如 逊于 劣る 劣って 더_나쁘 못합 뒤처 أسوأ أضعف बदतर कमतर",
)

TIE = any_of(
    "tie tied draw unentschieden gleichstand égalité match_nul ex_aequo empate empatados empatadas pareggio",
    "parità ничья",
    "平局 平手 不相上下 打平 引き分け 同点 무승부 동점 تعادل टाई बराबरी",
)
ALIKE = any_of(
    "equally_good equally_bad equally_strong equally_weak equally_helpful equally_well equally_correct equally_valid",
    "equal_quality equal_in_quality comparable_quality comparable_in_quality similar_quality similar_in_quality",
    "evenly_matched",
    "of_equal equivalent_in_quality equally_poor equally_accurate roughly_equal about_equal equally_effective",
    "gleich_gut gleichwertig gleich_schlecht ebenbürtig gleich_stark équivalentes aussi_bonnes d'égale_qualité",
    "de_même_qualité",
    "aussi_bonne_l'une_que_l'autre igual_de_buenas igual_de_bueno equivalentes igualmente_buenas igualmente_boas",
    "igualmente_bom equivalenti ugualmente_buone ugualmente_valide одинаково_хороши одинаково_хорошие равноценны равны",
    "одинакового_качества 一样好 一樣好 同样好 同樣好 难分高下 難分高下 质量相当 同等 甲乙つけがたい 同程度 동등",
    "비슷한_수준 우열을_가리기",
    "متساويتان متساويان متكافئتان بنفس_الجودة बराबर समान_रूप_से",
)

PREFER = any_of(
    "prefer choose pick select favor favour recommend vote_for go_with going_with lean_towards lean_toward",
    "side_with chose",
    "selected picked bevorzuge wähle entscheide_mich_für préfère choisis prefiero elijo preferisco scelgo",
    "prefiro escolho",
    "предпочитаю выбираю 我选择 我选 我更喜欢 選びます 選択します 선택합니다 أفضّل أختار चुनता चुनूंगा",
)

LABELS = any_of(
    "winner verdict decision choice preference preferred better best conclusion judgement judgment result answer pick",
    "selection better_response better_answer better_output better_assistant preferred_response preferred_answer",
    "preferred_output final_verdict final_decision final_answer final_choice my_choice overall_winner overall",
    "vote label",
    "better_model best_response winning_response chosen selected choice_made more_helpful preferred_model",
    "preferred_assistant",
    "sieger gewinner urteil entscheidung fazit ergebnis bevorzugt bessere_antwort gagnant gagnante verdict décision",
    "conclusion meilleure_réponse choix ganador ganadora veredicto decisión conclusión mejor_respuesta elección",
    "vincitore",
    "verdetto decisione conclusione migliore_risposta scelta vencedor vencedora veredito decisão conclusão",
    "melhor_resposta",
    "escolha победитель вердикт решение вывод итог лучший_ответ выбор",
    "胜者 獲勝者 获胜者 结论 結論 最终判断 判断 选择 判定 更好的回答 勝者 最終判定 最終的な判定 승자 판정 결론",
    "최종_판정 선택",
    "الفائز الحكم القرار الخلاصة النتيجة विजेता निर्णय निष्कर्ष",
)

CONCLUDING = any_of(
    "overall therefore thus hence so in_conclusion to_conclude in_summary to_summarize ultimately finally final",
    "all_in_all",
    "on_balance in_short consequently accordingly verdict as_a_result for_these_reasons taken_together",
    "all_things_considered",
    "insgesamt daher deshalb somit folglich also fazit abschliessend zusammenfassend alles_in_allem",
    "donc ainsi globalement en_conclusion finalement au_final en_résumé dans_l'ensemble par_conséquent",
    "por_lo_tanto por_tanto en_general en_conclusión en_resumen finalmente así_que en_definitiva",
    "quindi pertanto nel_complesso in_conclusione in_sintesi complessivamente",
    "portanto no_geral em_conclusão em_resumo assim no_final",
    "итак поэтому таким_образом в_целом в_итоге следовательно в_заключение",
    "因此 所以 总体 總體 总的来说 综上 綜上 总之 最终 最終 したがって よって 総合的 結論として 全体的に 따라서",
    "결론적으로 전반적으로 종합하면",
    "لذلك في_الختام بشكل_عام في_المجمل इसलिए कुल_मिलाकर अंततः निष्कर्षतः",
)

NO_ASPECT = any_of(
    "evaluation comparison explanation feedback reason reasons reasoning rationale analysis summary assessment review",
    "note thought thoughts opinion my_opinion my_take justification evidence recommendation",
    "bewertung begründung vergleich analyse zusammenfassung erklärung évaluation comparaison raison explication résumé",
    "evaluación comparación razón explicación análisis resumen valutazione confronto motivo spiegazione analisi",
    "avaliação comparação razão explicação análise resumo обоснование оценка анализ сравнение причина объяснение",
    "评价 评估 分析 比较 理由 解释 总结 評価 比較 説明 まとめ 평가 분석 비교 이유 설명 요약 التقييم التحليل السبب",
    "मूल्यांकन विश्लेषण कारण",
)
"""Labels of a whole comparison; any other, such as `Clarity:`, is about one aspect."""

NEGATION = any_of(
    "not never neither nor no cannot hardly nicht kein keine keiner weder pas ni aucune aucun tampoco ninguna",
    "ninguno non né nessuna nao não nem nenhuma не ни нельзя 不是 并不 没有 並不 沒有 不能说 ではな ではあり",
    "とは言え 言えません 아니 않 ليست ليس لا नहीं",
)
CONDITION = any_of(
    "if unless would_have could_have might_have would_be could_be might_be should_be had_it whether which_is",
    "which_one which",
    "initially originally at_first at_first_glance wenn falls wäre ob welche si serait aurait quelle sería habría cuál",
    "se sarebbe avrebbe quale seria teria qual если бы ли какой 如果 假如 哪个 哪個 もし どちら 만약 어느 لو إذا",
    "هل अगर यदि कौन",
)
