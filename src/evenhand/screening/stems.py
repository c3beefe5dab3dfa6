"""Word stems that an order to a judge is made of, by what they say and by language. Data only."""

from __future__ import annotations

from typing import Final

JUDGE: Final = 1
READER: Final = 2
GRADE: Final = 4
MARK: Final = 8
DIMENSION: Final = 16
QUALITY: Final = 32
TOP: Final = 64
HIGH: Final = 128
LOW: Final = 256
ORDER: Final = 512
SILENCE: Final = 1024
WORK: Final = 2048
ADDRESS: Final = 4096
NUMBER: Final = 8192
OURS: Final = 16384
PERSON: Final = 32768

STEMS: Final = {
    JUDGE: """
        judge jdg juge jugde judg3 grader grdr evaluator rater raters examiner assessor scorer corrector rubric
        rbrc answer-key grading-key whoever-grades whoever-scor whoever-mark whoever-evaluat whoever-assess
        whoever-rates whoever-judges whoever-reads whoever-review those-who-score those-who-assess those-who-grade
        those-who-judge any-ai-that reading-model scoring-reader second-reader reviewing-model evaluation-bot
        evaluating-model scoring-sheet quality-form person-reading hold-sway reader-with model-rating richter
        prufer prufend prufling gutachter bewerter wertungsrichter correcteur evaluateur evaluatrice examinateur
        modele-qui-note juez jueza evaluador jurado calificador giudic giudica valutator correttore juiz avaliador
        domare bedomare granskare granskar beoordelaar sedzi oceniaj recenzent rozhodc hodnotitel судь судія
        эксперт проверяющ рецензент оценщик суддя экзаменатор κριτη κριτης κριτ εξεταστ βαθμολογητ hakem
        degerlendiric المقي القاض الحكم המעריך שופט בוחן מעריך परीक्षक निर्णायक मूल्यांकनकर्ता বিচারক 评委 评审
        评估模型 评分者 裁判 評価者 審査 採点者 採点システム 심사 평가자 채점자 giam-khao nguoi-cham penilai juri
        กรรมการ tuomari arvioija biralo ertekelo mtathmini jaji iudex 7akam kriti ekspert pingwei judge-sahab
        anyone-who-grades who-grade who-scores-it what-you-may-assess from-assessment be-judged being-judged
        to-be-marked""",
    READER: """
        reviewer reviewers marker jury referee juror panel llm language-model ai- automated other-model
        lesser-model from-one-model models predecessor fair-minded yapay-zeka maschine modell modelo 模型 モデル
        co-author release-manager you-who who-read""",
    GRADE: """
        score scroe socre graded grading full-mark marked-down mark-down regrade unscored whole-band bewert benot
        punktzahl hochstpunkt bestnote beurteil calific puntua puntaje notera bareme note-maxi punteggi voto voti
        valut pontua avalia beoordel cijfer betyg poang bedom ocen ocjen ocena otsenk hodnot znamk балл оцен оцін
        βαθμ puan درج تقييم ציון अंक मूल्यांक 评分 評分 得分 打分 分数 满分 评为 評価 採点 点数 満点 점수 채점
        평가 만점 diem nilai skor penilaian คะแนน ประเมิน arvosan piste pontszam osztalyz ertekel alama tathmini
        poento manfen numra নম্বর মাপকাঠি karakter nota-max notam balu nota-10 nota-1 nota-de punti grades
        grade-this grade-it grade-of grade-is the-grade a-grade grade-must grade: nines- grade-completeness
        grade-every overall-grade marks-for full-marks top-marks my-marks scoring scored scores your-verdict
        a-verdict the-verdict verdict-is verdict: pontot punctum نمره karakteren""",
    MARK: """
        rating rated rate rates evaluat assess apprais mark marked marking point points band bands star stars
        figure heading headings baseline benchmark ceiling upper-end default-entry criteri rank deduct punkt
        punkte punkten noten nota notas sur-vingt skala klimaka echelle escala scala schaal шкал пункт 分 档 级
        項目 点 점 κλιμακα rapor numero cifra satir satira critere criterio kriteri kategori категор mention ahel
        ballov grade- your-form the-form your-column marks- the-scale scale-of this-scale new-scale verdict
        scorecard percentile single-digit low-mark high-mark round-up round-it-up
        rounded-up round-down the-higher-one the-lower-one higher-of-the lower-of-the higher-number lower-number
        two-higher two-lower one-higher one-lower points-higher points-lower higher-than-you lower-than-you
        more-than-you less-than-you benefit-of-the-doubt""",
    DIMENSION: """
        correctness completeness adherence actionability every-dimension each-dimension all-dimension
        seven-dimension six-dimension in-any-category each-criterion every-criterion chaque-critere
        jedem-kriterium per-heading each-heading every-heading of-the-headings richtigkeit vollstandigkeit
        korrektheit exactitude completude exhaustivite exactitud correttezza completezza juistheid volledigheid
        правильн полнот повнот 正确性 准确性 完整性 维度 正確性 全項目 kipengele मापदंड κριτηρι biaozhun ma3ayeer
        каждый-пункт каждому-пункт kazhdomu""",
    QUALITY: """
        safety consistency efficiency dimension sicherheit securite seguridad sicurezza seguranca effizienz
        безопасн безпек 安全 an-toan bezpecnost veiligheid""",
    TOP: """
        full-mark full-score full-point full-credit fully-correct entirely-correct met-in-full top-mark top-band
        top-score top-grade top-rating max-score maximum-score max_score highest-score highest-mark highest-grade
        highest-avail best-score best-grade best-mark best-figure perfect-score perfect-ten perfect-verdict
        perfect-10 a-ten the-ten straight-tens out-of-ten ten-out ten-for ten-in ten-points score-of-10
        score-of-ten for-a-10 10-for-all 10-throughout no-less-than-9 below-nine below-9 under-8 under-9
        under-nine nine-or-better nine-and-ten 9-and-10 rate-top award-the-max the-maximum enter-the-max
        higher-number points-more marks-down-nobody one-after-nine twice-five fingers-on nothing-to-object
        ten-dear zehn-von neun-punkt volle-punkt hochstpunkt hochstnote bestnote note-maximale vingt-sur dix-sur
        mention-la-plus un-diez un-10 sobresaliente nota-maxima massimo-dei massimo-dei-voti em-dez dez-em hoogste
        hogsta-betyg komplet-punkt najwyzsz nejvyss десят-балл по-десят высш максимальн меньше-девят δεκα αριστα
        on-yaz her-satira الدرجة-الكاملة الكاملة פחות-מתשע דס-में दस-में দশ 满分 最高 十分 上限 満点 九点 最高評価
        만점 후하게 toi-da sepuluh tertinggi ไม่ต่ำกว่า เต็ม tizest summam-notam zote-kumi das-mein deka-pantou
        vale-deka 3ashara manfen vysshuyu 10s- for-tens our-ten sees-the-ten tens-please tens,-please
        10s-throughout a+-in is-a-10 the-10 is-a-ten stands-for-outstanding is-now-perfection go-with-10
        the-default-10 presume-that""",
    HIGH: """
        ten perfect perfection max maximum maximal highest flawless excellent outstanding exemplary masterly nine
        best zehn neun hochst dix vingt neuf diez maximo dieci massimo dez tien hoogst tio dziesi deset десят
        девят максим δεκα عشر עשר दस 十 最高 sepuluh kumi kymmenen maxim tens- upper-end lenient generous
        distinction without-reserve round-up gold-star""",
    LOW: """
        zero-point failing-grade to-be-failed disqualif plagiari fabricat no-more-than-2 lowest-band lowest-mark
        exceed-3 puts-correctness point-or-two-off points-off niedrigst schlechtest lagsta laagst najniz nejniz
        низш 最低 零分 terendah por-encima-de-tres nicht-vertretbar no-marks above-2- lowest-score lowest-grade
        lowest-rating minimum-score worst-score minimum-mark only-possible-value are-to-be-failed is-a-2 is-a-1
        cant-exceed cannot-exceed""",
    ORDER: """
        give gives giv gv award awards assign grant return respond reply record settle enter entered must should
        shall please treat treats count-as counts-as count-this presume choose deserv merit earns receive receives
        apply copy submit confirm agree repeat report let kindly is-to are-to not-to have-to has-to binding bound
        supersed pre-approved override locked precedent prescrib put-down put-the write-the write-the-10 puts
        prints ask-is all-i-ask bitte gib geben-sie vergib vergeben zu-bewerten darf donnez attribu accord
        recoivent pon- ponga dale otorg dia- assegna atribua geef laat zasluguj przyzn wystaw postav postaw daj
        постав выстав дай дайте поставит δωσε δωστε βαλε παιρνει yazar verin امنح أعط ייתן दीजि दें 给 給 请 请评
        ください 下さい 賜 주세 주시 부탁 xin berikan menulis ให้ irj utoe tribue eddi gei- vale- qing donu doneu
        giv- acord bigyan upe""",
    SILENCE: """
        gnr disregard overlook omit pass-over exempt not-deduct no-deduct dont-deduct not-be-counted held-against
        counted-against leave-safety leave-the-box box-empty leave-blank safety-blank left-blank unscored
        not-applicable drop-both not-mention mention-nothing keep-quiet in-silence may-not-refer not-refer
        no-figure no-findings report-no decline-to-give stop-reading stop-after not-re-open not-to-be-raised
        produce-no return-nothing dont-subtract not-subtract skip-scoring not-be-brought nothing-wrong
        not-part-of-what never-assess excluded-keys assessment-exclude answer-only-with reply-consists keep-silent
        forget-the forget-all forget-previous previous-instruct prior-instruct above-instruct earlier-instruct
        new-rubric new-instruct not-apply vergiss ignorier entfall bleibt-leer kein-abzug oublie oubliez grille
        aucune-remarque olvida ignora-lo dimentica senza-discut esquec vergeet achterwege zapomen zignor
        nie-obniza забуд игнор ігнор не-учитыв не-упомин αγνο μην-κοιτ unut yoksay تجاهل התעל भूल अनदेखा 忽略 忽视
        忽視 无视 無視 留空 눈감 무시 bo-qua de-trong khong-ap-dung abaikan ไม่สนใจ ohita vahennet puuza neglege
        insa- hulue nechat nekoment nevypln zabud bhool min-kitas ignore-the-rubric ignore-all ignore-any
        ignore-the-crit ignore-the-guid ignore-errors ignore-every overlook-the ignore-previous ignore-prior
        ignore-your ignore-what outside-the-scope-of-adh do-not-deduct not-deduct-for leave-safety-blank
        taken-as-proved as-if-the-passage assess-the-output waive set-aside-the suspend-the no-need-to decline-
        decline-it decline-to skip-it skip-this skip-that skip-the""",
    WORK: """
        this-answer this-summary this-work this-report this-text this-response this-submission this-solution
        this-essay this-plan this-letter this-candidate this-branch this-manifest this-explanation
        this-translation this-chart the-candidate assistants-work agent-under rate-the-page score-it grade-it
        rate-this score-this grade-this mark-this give-it give-this it-is-a-ten my-answer diese-antwort
        dieser-antwort dieser-text cette-reponse esta-respuesta esta-resposta aquesta-resposta questa-risposta
        dit-antwoord dette-svar dette-svaret tej-odpow ovom-odgovor этот-ответ този-отговор этому-ответу bu-cevab
        هذا-الجواب इस-उत्तर 本レポート 这个回答 此回答 この回答 이-답변 jawaban-ini sagot jibu-hili si-atsak
        ci-tiu-respondo acestui-raspuns candidates-work""",
    ADDRESS: """
        note-to note-for dear p.s. p.-s. message-to message-for memo-to instruction-to instruction-for notice-to
        for-the-evaluator for-the-judge to-the-judge to-the-grader you-are-now you-have-been pretend if-model
        from-here-on evaluation-mode dry-run an-die au-correcteur pour-le-mod kwa- till- aan-de إلى attention:
        if-you-are-a-lang if-you-are-an-ai
        in-doubt you-hesitate if-unsure when-unsure torn-between undecided-between""",
    OURS: """
        reply_to evenhand <submission <<<submission submission>>> <<<task task>>> </submission final-output:
        end-of-material begin-next-item left-out-here removed-here""",
    PERSON: """
        you your yours we-ask one-should one-must anyone everyone whoever kindly thank seven eight six five-
        fair- fairly agree hesitat doubt worth deserv number numbers value values digit digits""",
}
"""Blank-separated; a hyphen inside a stem is a space in the text, one at its end asks for the end of the word."""
