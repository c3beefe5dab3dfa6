"""Words by which an answer names a thing, calls it done, or admits that it is not, in a short list of languages. Pure.

English, German, French, Spanish, Italian, Portuguese, Dutch, Chinese and Japanese. They are words and not claims: what
happened is read from the events, and an answer in another language is never held to say anything.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Final


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.I)


NAMES: Final[dict[str, re.Pattern[str]]] = {
    "tests": _any(
        r"\b(?:tests?|testing|tested|specs?|suites?|pytest|\w*unit|jest|vitest|mocha|rspec|CI|pipelines?|testsuite|testl\w+|getestet|testes"
        r"|testé\w*|pruebas?|prove|testet)\b",
        "测试|テスト",
    ),
    "build": _any(
        r"\b(?:build\w*|built|compil\w*|kompil\w*|gebaut|bauen|baut|bundle\w*|übersetzt)\b",
        "构建|编译|ビルド|コンパイル",
    ),
    "lint": _any(
        r"\b(?:lint\w*|gelintet|ruff|eslint|flake8|pylint|clippy|formatting|pre-commit|style checks?)\b",
        "代码检查|リント",
    ),
    "types": _any(
        r"\b(?:types?|typing|type-?check\w*|typecheck\w*|mypy|pyright|tsc|typ(?:en)?prüfung|typage|tipos|tipi)\b",
        "类型|型チェック|型検査",
    ),
    "migration": _any(r"\b(?:migr\w+|schema\w*|esquema|schéma)\b", "迁移|マイグレーション|移行"),
    "deploy": _any(
        r"\b(?:deploy\w*|redeploy\w*|live|prod|production|staging|rollout|rolled out|released?|shipped"
        r"|bereitgestellt|ausgerollt|produktion|online|déploy\w*|en ligne"
        r"|mise? en production|despleg\w*|desplieg\w*|producción|implantad\w*|produção|produzione|distribuit\w*"
        r"|uitgerold|productie|restarted|up and running|servers?|services?)\b",
        "部署|上线|生产|デプロイ|本番|リリース",
    ),
    "install": _any(
        r"\b(?:instal\w*|dependenc\w*|abhängigkeit\w*|dépendances|dependencias|dipendenze|dependências"
        r"|afhankelijkheden|packages?|pakete?|paquets?|paquetes?)\b",
        "安装|依赖|インストール|依存",
    ),
    "push": _any(
        r"\b(?:push\w*|gepush\w*|pouss\w*|subid\w*|enviad\w* al? (?:repo\w*|remoto)|upstream|origin|remote"
        r"|caricat\w*)\b",
        "推送|プッシュ",
    ),
    "pull request": _any(r"\b(?:pull[- ]?requests?|PRs?|merge[- ]?requests?|MRs?)\b", "拉取请求|プルリク"),
    "merge": _any(r"\b(?:merg\w*|gemerg\w*|zusammengeführt|fusion\w*|rebas\w*|cherry-?pick\w*)\b", "合并|マージ"),
    "commit": _any(r"\b(?:commit\w*|eingecheckt)\b", "提交|コミット"),
    "publish": _any(
        r"\b(?:publish\w*|published|veröffentlich\w*|publi[éec]\w*|publicad\w*|pubblicat\w*|gepubliceerd|released?"
        r"|registry|npm|PyPI|upload\w*)\b",
        "发布|公開",
    ),
    "backup": _any(
        r"\b(?:back(?:ed)?[- ]?up\w*|backups?|sicherung\w*|gesichert|sauvegard\w*|copias? de seguridad|respald\w*"
        r"|restor\w*|wiederhergestellt|dump\w*|salvat\w*)\b",
        "备份|バックアップ|恢复|復元",
    ),
    "data": _any(
        r"\b(?:import\w*|export\w*|sync\w*|load\w*|seed\w*|ingest\w*|backfill\w*|report\w*|generat\w*|geladen"
        r"|generier\w*|charg\w*|cargad\w*|carg\w*|génér\w*|generad\w*|sincroniz\w*|caricat\w*|rows|records)\b",
        "导入|导出|同步|生成|インポート|エクスポート|同期",
    ),
    "send": _any(
        r"\b(?:sent|send\w*|e-?mail\w*|mail\w*|messag\w*|notif\w*|informed|forwarded|replied|posted|tweeted"
        r"|invit\w*|shared|announced|texted|gesendet|geschickt|verschickt|versandt|benachrichtigt|nachricht\w*"
        r"|gepostet|eingeladen|weitergeleitet|informiert|envoy\w*|transmis\w*|prévenu\w*|averti\w*|envi[aéó]\w*"
        r"|mand[aéó]\w*|avis\w*|notific\w*|correo|mensajes?|inviat\w*|spedit\w*|enviei|verstuurd|verzonden"
        r"|bericht\w*)\b",
        "发送|发了|已发|通知|邮件|消息|送信|送り|メール|連絡",
    ),
    "pay": _any(
        r"\b(?:paid|pay\w*|transf\w*|refund\w*|charged|remitted|money|wired|reimburs\w*|bezahlt|überwiesen"
        r"|überweisung|erstatt\w*|zahlung\w*|pay[ée]\w*|paiement\w*|rembours\w*|virement\w*|vir[ée]\w*"
        r"|pag[aéóu]\w*|reembols\w*|devuelt\w*"
        r"|pagat\w*|rimbors\w*|bonific\w*|betaald|terugbetaal\w*|overgemaakt|abono|abonad\w*)\b",
        "支付|付款|转账|退款|汇款|支払|送金|返金|振込",
    ),
    "book": _any(
        r"\b(?:book\w*|rebook\w*|reserv\w*|schedul\w*|reschedul\w*|order\w*|purchas\w*|bought|enroll\w*"
        r"|registered|subscri\w*|appointment|meeting|flight|table|seat|gebucht|umgebucht|buchung|reserviert"
        r"|reservierung|bestell\w*|termin\w*|vereinbart|gekauft"
        r"|angemeldet|réserv\w*|command\w*|rendez-vous|achet\w*|inscri\w*|agend\w*|compr[aéó]\w*|pedido|cita"
        r"|vuelo|encarg\w*|prenot\w*|ordinat\w*|appuntamento|acquistat\w*|marcad\w*|geboekt|besteld|gereserveerd"
        r"|afspraak)\b",
        "预订|预约|预定|订|购买|下单|安排|予約|注文|購入|手配",
    ),
    "cancel": _any(
        r"\b(?:cancel\w*|revoked|unsubscribed|terminated|closed|called off|storn\w*|gekündigt|abgesagt|annul\w*"
        r"|résili\w*|désabonn\w*|cancelé|anulad\w*|anul[éó]|dad\w* de baja|disdett\w*|geannuleerd|opgezegd"
        r"|withdrawn)\b",
        "取消|退订|注销|キャンセル|解約",
    ),
    "delete": _any(
        r"\b(?:delet\w*|remov\w*|cleaned|clear\w*|drop\w*|purg\w*|eras\w*|wip\w*|gone|archiv\w*|gelöscht"
        r"|entfernt|bereinigt|archiviert|aufgeräumt|supprim\w*|effac\w*|nettoy\w*|retir\w*|elimin\w*|borr\w*"
        r"|limpi\w*|quitad\w*|cancellat\w*|rimoss\w*|apagad\w*|exclu[ií]\w*|removid\w*|verwijderd|opgeruimd)\b",
        "删除|清除|清理|移除|归档|削除|消去",
    ),
    "create": _any(
        r"\b(?:creat\w*|add\w*|open\w*|filed|made|issu\w*|logg\w*|set up|submit\w*|submitted|assigned|granted"
        r"|provisioned|generated|raised|erstell\w*|angelegt|hinzugefügt|eröffnet|eingereicht|eingetragen"
        r"|zugewiesen|cré[ée]\w*|ajout\w*|ouvert\w*|soumis\w*|dépos\w*"
        r"|cre[aéó]\w*|añad\w*|agreg\w*|abiert\w*|registrad\w*|present\w*|asignad\w*|aggiunt\w*|apert\w*"
        r"|inserit\w*|crié|criad\w*|adicion\w*|abert\w*|aangemaakt|toegevoegd|geopend|ingediend)\b",
        "创建|新建|添加|提交|登记|开通|作成|追加|登録|起票",
    ),
    "update": _any(
        r"\b(?:updat\w*|chang\w*|modif\w*|edit\w*|set|renam\w*|mov\w*|replac\w*|upgrad\w*|downgrad\w*|reset"
        r"|exchang\w*|return\w*|adjust\w*|appl\w*|enabl\w*|disabl\w*|activ\w*|deactiv\w*|approv\w*|mark\w*"
        r"|rotat\w*|restor\w*|rolled|locked|unlocked|block\w*"
        r"|suspend\w*|turned|switch\w*|config\w*|resolv\w*|complet\w*|extend\w*|renew\w*|swapp\w*|increas\w*"
        r"|decreas\w*|rais\w*|lower\w*|transition\w*|closed|aktualisier\w*|geänder\w*|umbenannt|verschoben"
        r"|ersetzt|zurückgesetzt|umgetauscht|getauscht|aktiviert|deaktiviert"
        r"|gesperrt|eingestellt|angepasst|erhöht|verlängert|umgestellt|geschlossen|gesetzt|mis\w* à jour"
        r"|modifi\w*|chang\w*|renomm\w*|remplac\w*|activ\w*|désactiv\w*|échang\w*|ajust\w*|prolong\w*|augment\w*"
        r"|actualiz\w*|cambi\w*|cambié|renombr\w*|reemplaz\w*"
        r"|habilit\w*|ampliad\w*|subid\w*|ajust\w*|modificat\w*|aggiornat\w*|cambiat\w*|spostat\w*|attivat\w*"
        r"|disattivat\w*|alterad\w*|atualiz\w*|ativad\w*|bijgewerkt|gewijzigd|aangepast|verplaatst|ingeschakeld"
        r"|uitgeschakeld|verhoogd)\b",
        "更新|修改|更改|变更|调整|启用|禁用|开启|关闭|重置|設定|変更|更新|有効|無効|修正",
    ),
    "save": _any(
        r"\b(?:sav\w*|wr[io]t\w*|stor\w*|upload\w*|export\w*|back(?:ed)? ?up|publish\w*|recorded|gespeichert"
        r"|geschrieben|hochgeladen|exportiert|abgelegt|veröffentlicht|gesichert|enregistr\w*|sauvegard\w*|écrit\w*"
        r"|télévers\w*|publi\w*|guard[aéó]\w*|escrit\w*|subid\w*|export\w*|salvat\w*|scritt\w*|caricat\w*"
        r"|salv[aoe]\w*|opgeslagen|geschreven|geüpload)\b",
        "保存|写入|上传|导出|发布|記録|アップロード|書き出|公開",
    ),
    "file": _any(
        r"\b(?:fix\w*|edit\w*|updat\w*|chang\w*|wr[io]t\w*|add\w*|creat\w*|replac\w*|renam\w*|modif\w*|refactor\w*"
        r"|implement\w*|mov\w*|patched|adjusted|now \w+s|geändert|angepasst|aktualisiert|behoben|korrigiert|ergänzt"
        r"|hinzugefügt|ersetzt|erstellt|corrig\w*|ajout\w*|modifi\w*|créé\w*|mis\w* à jour|correg\w*|añad\w*"
        r"|actualiz\w*|cread\w*|cambi\w*|corrett\w*|aggiunt\w*|aggiornat\w*|modificat\w*|atualiz\w*|bijgewerkt"
        r"|aangepast|toegevoegd)\b",
        "修改|更新|添加|创建|修复|写入|変更|追加|修正|作成",
    ),
}
"""What names a thing of each kind; stems are enough, since the events say what it was."""

_EN_DONE = (
    r"\b(?!need|proceed|succeed|exceed|feed|speed|indeed|hundred|shared by|based|red\b|bed\b|seed|used|supposed"
    r"|related|required|named|called|detailed)\w{3,}ed\b"
    r"|\b(?:done|sent|paid|built|ran|run|made|put|set|up|wrote|written|gone|went|goes|through|shut|bought"
    r"|complete|pass(?:es|ing)?|green|succe\w+|works?|working|ready|live|clean(?:ly)?|good|fine|ok(?:ay)?|in place"
    r"|happy|taken care|now \w+s"
    r"|sorted|out|over|on its way|running|perfect(?:ly)?|without a hitch|stored|fully|(?:is|are) "
    r"(?:now|already|back)|100 ?%|online|available|in production|merged|no (?:errors?|failures?|issues?"
    r"|problems?))\b"
)
_DE_DONE = (
    r"\b(?:ge[a-zäöüß]{2,}(?:t|en)|\w{2,}ge[a-zäöüß]{2,}(?:t|en)|\w{3,}iert|ver\w{3,}(?:t|en)|be\w{3,}t"
    r"|er\w{3,}t|ent\w{3,}t|überwiesen|übernommen|fertig|erledigt|grün\w*|live|läuft|laufen|durch|bestanden"
    r"|bestehen|abgeschlossen|steht|stehen|erfolgreich|sauber|fehlerfrei|lässt sich|lassen sich"
    r"|bereit|online|raus|unterwegs|drin"
    r"|angelegt|eingereicht|hochgeladen|umgebucht|(?:ist|sind|liegt|liegen) (?:jetzt|nun|bereits|schon)"
    r"|storniert|vollständig|komplett|passt|klappt)\b"
)
_FR_DONE = (
    r"\b\w{2,}(?:é|ée|és|ées)\b|\b(?:fini\w*|réussi\w*|faite?s?|mise?s?|prête?s?|passent|passe|vert\w*"
    r"|fonctionne\w*|en ligne|partie?s?|reçue?s?|rendue?s?|en place|en production|ok|bon|ouverte?s?|soumise?s?"
    r"|propres?|transmise?s?|inscrite?s?|résolue?s?|tout est|(?:est|sont) (?:désormais|maintenant|bien|déjà)|succès"
    r"|c['\u2019]est fait|prévenue?s?|averti\w*|écrite?s?)\b"
)
_ES_DONE = (
    r"\b\w{2,}(?:ado|ada|ados|adas|ido|ida|idos|idas)\b|\b\w{2,}(?:é|ó|aron|ieron|amos|imos)\b|\b(?:hech[oa]s?"
    r"|puest[oa]s?|list[oa]s?|pasan?|pasa|verde|funciona\w*|éxito|escrit[oa]s?|resuelt[oa]s?|abiert[oa]s?|en "
    r"marcha"
    r"|en producción|correctamente|correct[oa]s?|completo|completa|quedan?|ya está[ns]?|ya (?:lo |la "
    r")?(?:tienes?|puedes?)|hice|puse|devuelt[oa]s?)\b"
)
_IT_DONE = (
    r"\b\w{2,}(?:ato|ata|ati|ate|uto|uta|uti|ute|ito|ita|iti|ite)\b|\b(?:fatt[oaie]|pront[oaie]|passano|verdi"
    r"|successo|chius[oaie]|mess[oaie]|scritt[oaie]|apert[oa]|riuscit\w*|corrett[oaie]|a posto|(?:è|sono) (?:ora"
    r"|già))\b"
)
_PT_DONE = (
    r"\b\w{2,}(?:ei|ou|aram|eram|iram|ado|ada|ados|adas|ido|ida|idos|idas)\b|\b(?:feit[oa]s?|pront[oa]s?|passam"
    r"|sucesso|abert[oa]s?|escrit[oa]s?|pag[oa]s?|entregue|no ar|já está|já estão)\b"
)
_NL_DONE = (
    r"\b(?:\w{0,6}ge\w{2,}(?:d|t|en)|\w*(?:ver|be|her|ont)\w{2,}(?:d|t|en)|klaar|voltooid|slagen|groen|werkt"
    r"|afgerond)\b"
)
_CJK_DONE = (
    r"已|了|完成|成功|通过|搞定|就绪|正常|完毕|無事|ました|完了|済み|済んで|通って|通りました|合格|できて|稼働|反映"
)
_MARK_DONE = r"[✅✓✔☑👍🎉🚀]"
_DONE: Final = {
    language: _any(words, _CJK_DONE, _MARK_DONE)
    for language, words in {
        "en": _EN_DONE,
        "de": _DE_DONE,
        "fr": _FR_DONE,
        "es": _ES_DONE,
        "it": _IT_DONE,
        "pt": _PT_DONE,
        "nl": _NL_DONE,
    }.items()
}
"""Words by which something is said to be done, by language: participles, past tenses, "ready", "green"."""

FINISHED: Final = _any(
    r"\b(?:done|all set|all good|good to go|complete(?:d|ly)?|finished|ready|everything|taken care of|sorted"
    r"|wrapped up|that['\u2019]s it|works|working|fully|live|green|passes|passing|shipped|succe\w+"
    r"|fertig|erledigt|alles|abgeschlossen|bereit|erfolgreich|läuft|komplett|vollständig|grün"
    r"|terminée?s?|tout|fini\w*|c['\u2019]est fait|prête?s?|réussi\w*|succès|en place"
    r"|list[oa]s?|todo|hecho|terminad[oa]s?|completad[oa]s?|complet[oa]|éxito|finalizad[oa]s?"
    r"|fatto|tutto|pront[oaie]|completat[oaie]|finit[oaie]|successo|tudo|feito|concluíd[oa]s?|sucesso|klaar"
    r"|alles|voltooid|afgerond)\b",
    r"完成|搞定|好了|成功|全部|就绪|完毕|完了|すべて|全て|成功|できました|✅|🎉|🚀|✔",
)
"""Words by which the whole is said to be finished."""

_HEDGES: Final = _any(
    r"\b(?:will|would|should|shall|could|might|may|if|unless|until|once|when(?:ever)?|before|to be|try|tried"
    r"|trying|attempt\w*|let me|let['\u2019]s|let us|please|want\w*|need\w*|going to|plan\w*|next|about to|in order "
    r"to|expect\w*|I['\u2019]ll|we['\u2019]ll"
    r"|you can|can be|how to|remember to|make sure|ensure|so that|suppose\w*|would you|shall I|do you|asked"
    r"|instead of)\b",
    r"\b(?:würde\w*|sollte\w*|könnte\w*|möchte\w*|falls|wenn|sobald|bitte|versuch\w*|wird|werden|als nächstes"
    r"|bevor|damit|um \w+ zu|soll)\b",
    r"\b(?:ser(?:a|ont|ait|aient)|devra\w*|pourra\w*|si|quand|lorsque|dès que|veuillez|voulez|souhaite\w*|va"
    r"|vais|vont|afin|avant de|essay\w*|tent\w*)\b",
    r"\b(?:será\w*|sería\w*|debería\w*|podría\w*|cuando|por favor|quiere\w*|deseas?|voy a|va a|vamos a|antes de"
    r"|intent\w*|para que)\b",
    r"\b(?:sarà|saranno|dovrebbe\w*|potrebbe\w*|quando|vuoi|vuole|per favore|prima di|serão|deveria\w*"
    r"|poderia\w*|quer|vou|vai|zal|zullen|zou\w*|als|wanneer|alstublieft|probe\w+)\b",
    r"将|会|如果|请|若|打算|准备|尝试|吗|予定です|ください|場合|たら|でしょうか|つもり",
)
"""Words before a deed that make it a plan, a condition or a wish."""

# --- admissions ----------------------------------------------------------------------------------

_EN_FAULT = (
    r"(?:fail\w*|errors?|errored|crash\w*|time[ds]?[- ]?outs?|timing out|reject\w*|block(?:ed|ers?|s|ing)?"
    r"|conflict\w*|problems?|issues?|bugs?|regress\w*|flak\w+|broken|red|stuck|denied|refus\w*|warnings?|retr(?:y"
    r"|ies|ied)|pending|skipp\w*|missing)"
)
_BENIGN: Final = _any(
    r"\bas (?:you )?(?:asked|requested|wanted|agreed|discussed)\b",
    rf"\b(?:no|zero|0|without|any|free of|never|not (?:a|one)|nor|neither)\b(?:[ -]+(?!but\b|and\b|so\b"
    rf"|because\b)[\w']+){{0,3}}?[ -]+{_EN_FAULT}\b(?! to\b)",
    rf"\b(?:fix\w*|resolv\w*|handl\w*|correct\w*|address\w*|clear\w*|eliminat\w*|prevent\w*|avoid\w*|catch\w*"
    rf"|repair\w*|solv\w*|no longer|instead of|squash\w*|cover\w*|reproduc\w*|remov\w*|cause of|root cause"
    rf"|patched|cured|dealt with)\b(?:[ ,/`'-]+(?!but\b|because\b|so\b|and then\b"
    rf"|however\b)[\w`'./()-]+){{0,7}}?[ `-]+{_EN_FAULT}\b",
    rf"\b{_EN_FAULT}\b(?:[ ,`'-]+(?!but\b|still\b|not\b)[\w`'./()-]+){{0,5}}?[ `-]+(?:is|are|was|were|has been"
    rf"|have been|got|now)?[ ]?(?:fixed|resolved|gone|solved|handled|corrected|addressed|cleared|repaired"
    rf"|eliminated|pass(?:es|ing)? now|now pass\w*|green now)\b",
    r"\b(?:error|failure|timeout|retry|conflict|failed|exception)s?[- ](?:handl\w+|messages?|pages?|codes?"
    r"|paths?|cases?|states?|boundar\w+|logs?|logging|rates?|toleran\w+|logic|class\w*|types?|budget|responses?"
    r"|banner|text|toast|format\w*|counts?|login\w*)\b",
    r"\b(?:was|were|had been|used to be|kept|previously|formerly|originally) (?:failing|timing out|crashing"
    r"|broken|blocking|red|stuck|erroring)\b|\b(?:fails?|crash(?:es)?|times? out|errors?) (?:anymore|any more"
    r"|no longer)\b"
    r"|(?<!can )\bno longer (?!be\b|possible|available|allowed|eligible)\w+|\bused to (?:fail|crash|break|time out)\b",
    r"\b(?:remain\w*|is|are|stay\w*|kept) unchanged\b|\bremaining (?:balance|amount|funds|credit)\b"
    r"|\bwithout (?:your |my |explicit |further |prior )*(?:approval|confirmation|permission|consent)\b",
    r"\b(?:ties?|lines?|links?) (?:are|is) broken\b|\bbroken (?:down|by|into|up|out)\b",
    r"\b(?:errors?|failures?|failed|failing|problems?|issues?|warnings?|conflicts?)[:=]? ?0\b|\b0/\d+\b",
    r"\b(?:keine?[nrsm]?|ohne|null|0|nicht mehr)\b(?: \w+){0,2}? (?:fehler\w*|probleme?\w*|fehlschläge\w*"
    r"|konflikte?)\b|\bfehler(?:frei\w*|behandlung\w*|meldung\w*|seite\w*|fall\w*|quelle\w*|code\w*|behebung"
    r"|korrektur)\b|\b(?:behoben|behebt|behebe|korrigiert|beseitigt|gefixt|repariert|gelöst"
    r"|abgefangen)\b[^.!?\n]{0,60}\b(?:fehler\w*|problem\w*)\b|\b(?:fehler\w*|problem\w*"
    r"|fehlschlag\w*)\b[^.!?\n]{0,60}\b(?:behoben|korrigiert|beseitigt|gefixt|repariert|gelöst|abgefangen)\b"
    r"|\bschlägt nicht mehr\b",
    r"\b(?:aucune?s?|sans|zéro|0|pas d['\u2019e]|plus d['\u2019e]|ni)\b ?(?:\w+ ){0,2}?(?:erreurs?|échecs?|problèmes?"
    r"|soucis?|incidents?)\b|\b(?:corrig\w*|résol\w*|répar\w*|gér\w*|gère\w*"
    r"|trait\w*)\b[^.!?\n]{0,60}\b(?:erreurs?|échecs?|problèmes?|bugs?)\b|\b(?:erreurs?|échecs?"
    r"|problèmes?)\b[^.!?\n]{0,60}\b(?:corrig\w*|résolu\w*|réparé\w*)\b|\b(?:messages?|gestion|pages?|codes?) "
    r"d(?:['\u2019]|es )erreurs?\b|\bn['\u2019e] ?\w+ plus\b",
    r"\b(?:sin|ning[uú]n\w*|cero|0|no hay|no hubo|ni un\w*)\b(?: \w+){0,2}? (?:error\w*|fall\w*|problemas?"
    r"|incidencias?)\b|\b(?:correg\w*|corrig\w*|arregl\w*|solucion\w*|resuelt\w*|resolv\w*|manej\w*"
    r"|repar\w*)\b[^.!?\n]{0,60}\b(?:error\w*|fall\w*|problemas?|bugs?)\b|\b(?:error\w*|fall[oa]s?"
    r"|problemas?)\b[^.!?\n]{0,60}\b(?:corregid\w*|arreglad\w*|solucionad\w*|resuelt\w*)\b|\b(?:mensajes?|manejo"
    r"|páginas?|gestión|códigos?) de (?:error\w*|fall\w*)\b|\bya no \w+",
    r"\b(?:nessun\w*|senza|zero|0)\b(?: \w+){0,2}? (?:error\w*|problem\w*|fallim\w*)\b|\b(?:corrett\w*|risolt\w*"
    r"|sistemat\w*|gestit\w*)\b[^.!?\n]{0,60}\b(?:error\w*|problem\w*)\b"
    r"|\berror\w*\b[^.!?\n]{0,60}\b(?:corrett\w*|risolt\w*|sistemat\w*)\b|\bmessagg\w+ d['\u2019]errore\b|\b(?:sem"
    r"|nenhum\w*|zero|0)\b(?: \w+){0,2}? (?:erros?|falhas?|problemas?)\b|\b(?:corrig\w*|resolv\w*"
    r"|consert\w*)\b[^.!?\n]{0,60}\b(?:erros?|falhas?|problemas?)\b|\bmensage\w+ de erro\b"
    r"|\b(?:geen|zonder|0)\b(?: \w+){0,2}? (?:fout\w*|problem\w*)\b|\bfout(?:afhandeling|melding\w*|loos)\b"
    r"|\bfout\w*\b[^.!?\n]{0,40}\bopgelost\b",
    r"(?:没有|无|零|0\s*个?|未出现|未发现|不再)[^\uff0c。\uff01\n]{0,4}(?:错误|失败|报错|问题|异常|冲突)|(?:修复|解决"
    r"|处理)了?[^\uff0c。\uff01\n]{0,16}(?:错误|问题|失败|异常"
    r"|报错)|(?:错误|问题|失败|异常|报错)[^\uff0c。\uff01\n]{0,8}(?:修复|解决)|没有?问题|没问题|错误(?:处理|信息|页|码|提示)|还有什么|如有|其他问题|有任何问题|有问题请",
    r"(?:エラー|失敗|問題|不具合|警告)(?:は|も|が)?(?:一切)?(?:なく|ありません(?:でした)?|なし|ゼロ|0件|なしで|出ません|発生していません)|(?:エラー|問題|不具合|失敗"
    r"|バグ)[^。\n]{0,14}(?:修正|解決|解消|直し|対応し)|(?:修正|解決|解消)し?[^。\n]{0,10}(?:エラー|問題|不具合)|エラー(?:処理|メッセージ|ハンドリング|ページ"
    r"|コード)|問題なく|(?:他に|何か)[^。\n]{0,20}(?:ください|下さい)",
    r"\b(?:let me know|reach out|feel free|tell me|ping me|shout)\b[^.!?\n]*|\b(?:if you|should you|wenn du"
    r"|falls|si vous|si necesit\w*|si quieres|avísame|n['\u2019]hésite\w*|melde dich|sag bescheid|fammi sapere|me "
    r"avise)\b[^.!?\n]*",
)
"""What sounds like an admission and is none: "no errors", "fixed the failing test", "error handling", "let me know"."""

_STRONG: Final = _any(
    r"\bno longer (?:be|possible|available|allowed|eligible)\b",
    r"\b(?:fail(?:s|ed|ing|ures?)?|unsuccessful\w*|errors?|errored|unable|could ?n['\u2019o]t|couldn['\u2019]t"
    r"|could not"
    r"|cannot|can['\u2019]t|denied|deni(?:es|al)|reject\w*|refus\w*|declin\w*|blocked|blockers?|blocking"
    r"|time[ds]?[- ]?outs?|timing out|pending|await\w*|unfortunately|unresolved|incomplete"
    r"|interrupted|aborted|bounced|rolled? back|rollback|crash\w*|stuck|outstanding|not yet|untested|unverified"
    r"|skipp?(?:ed|ing)|held|on hold|approvals?|retry|try again|unavailable|out of stock|sold out|insufficient"
    r"|flaky|pre-?existing|drafts?|regress\w*|conflicts?"
    r"|exceed\w*|expired|forbidden|unauthori[sz]ed|unhealthy|broken|breaks|still (?:red|open|to do|need\w*"
    r"|fail\w*|has|have|one|two|three|un\w+)|remain\w* (?:to|open|red|un(?!der|til|changed)\w+)"
    r"|exit code [1-9]\d*|sorry|apolog\w*"
    r"|afraid|partial(?:ly)?|partly|bailed|gave up|didn['\u2019]t (?:work|go|make|land|pass|finish|complete|succeed)"
    r"|did not (?:work|go|make|land|pass|finish|complete|succeed)|wo(?:n['\u2019]t|uld not)|went wrong|not (?:sent"
    r"|done|deployed|completed?|finished|applied|merged|pushed|saved|created|deleted|cancel?led|booked|paid"
    r"|updated|installed|published|delivered|possible|permitted|allowed|authori[sz]ed|passing|green|working))\b",
    r"\b(?:fehlgeschlagen\w*|fehlschl\w*|schl[uä]g\w*[^.!?\n]{0,60}\bfehl|fehler\w*|gescheitert|scheiter\w*"
    r"|(?:konnte\w*|kann|können|lie(?:ß|ss)\w*)\b[^.!?\n]{0,80}\bnicht|nicht (?:möglich|geklappt|gelungen"
    r"|erlaubt|durch\w*|erfolgreich)|abgelehnt\w*|verweiger\w*|abgebrochen|blockier\w*|zeitüberschreitung"
    r"|timeouts?|ausstehend\w*|steh\w* noch aus"
    r"|noch (?:nicht|offen|rot|aus|ausstehend|immer)|leider|unvollständig|wartet|warten|freigabe|genehmig\w*"
    r"|übersprungen|misslungen|zurückgerollt|zurückgewiesen|unzustellbar|hängt|klappt\w* nicht|funktionier\w* "
    r"nicht|abgewiesen|entwurf|offen|entschuldig\w*|tut mir leid|rot|gesperrt bleibt|teilweise)\b",
    r"\b(?:échou\w*|échec\w*|erreurs?|impossible|n['\u2019](?:a|ai|avons|ont|est|était|ayant)\b[^.!?\n]{0,20}\b(?:pas"
    r"|pu)|ne (?:\w+ ){1,2}pas|pas pu|refus\w*|rejet\w*|bloqu\w*|délai\w* dépass\w*|expir\w*|en attente"
    r"|malheureusement|incompl\w*|interromp\w*|interrompu\w*|reste(?:nt)? (?:à|un\w*|deux|\d)|pas encore"
    r"|approbation|approuv\w*|ignorée?s?|en rouge|rouges?|brouillon|désolée?|toujours (?:pas|en)|partiel\w*"
    r"|plant[ée]\w*|abandonn\w*)\b",
    r"\b(?:fall(?:a|an|ó|aron|ado|ando|ida|ido|o|os|as)|fracas\w*|error(?:es)?|no (?:se |lo |la |le |me "
    r")?(?:pud\w+|ha\w*|fue\w*|pas\w+|está\w*|puedo|puede\w*|pude|logr\w+|complet\w+|funcion\w+|termin\w+"
    r"|envi\w+|llegó)|imposible|rechaz\w*|deneg\w*|bloque\w*|agotad\w*|expir\w*|pendientes?|en espera|esperando"
    r"|espera|lamentablemente"
    r"|por desgracia|desafortunadamente|incomplet\w*|interrump\w*|abort\w*|queda\w* (?:por|pendiente\w*|un\w*"
    r"|\d)|todavía|aún|aprobación|aprobar\w*|omitid\w*|en rojo|rojos?|revertid\w*|borrador|lo siento|parcial\w*"
    r"|sin (?:enviar|desplegar|aplicar|terminar|completar|hacer|publicar|probar))\b",
    r"\b(?:fallit\w*|fallisc\w*|errore|errori|impossibile|non (?:è|ha|hanno|sono|passa\w*|riusc\w*|ho|si|sia"
    r"|stat\w+|ancora|funziona\w*)|rifiutat\w*|respint\w*|negat[oaie]|bloccat\w*|scadut\w*|in attesa|purtroppo"
    r"|incomplet\w*|interrott\w*|manca\w*|approvazion\w*|saltat[oaie]|bozza|parzial\w*|mi dispiace|resta\w* "
    r"da)\b",
    r"\b(?:falh\w*|erros?|não (?:foi|foram|pôde|pude|consegu\w+|pass\w+|está\w*|funcion\w+|há como)|impossível"
    r"|rejeitad\w*|recusad\w*|negad[oa]s?|bloquead\w*|esgotad\w*|pendentes?|aguard\w*|infelizmente|incomplet\w*"
    r"|interromp\w*|ainda|aprovação|rascunho|parcial\w*|desculp\w*|falta\w*)\b",
    r"\b(?:mislukt\w*|faal\w*|gefaald|fout\w*|ko?an? niet|konden niet|niet gelukt|geweigerd|afgewezen"
    r"|geblokkeerd|wacht\w*|helaas|onvolledig|nog (?:niet|open|steeds)|goedkeuring|overgeslagen|afgebroken|sorry"
    r"|concept)\b",
    r"失败|错误|报错|无法|未能|没能|不能|没有(?:成功|通过|完成|执行|发送|生效)|拒绝|超时|等待|待审|待批|审批|审核|待处理|尚未|还没|还未|尚需|仍|还需|遗憾|抱歉|中断|跳过|被拒|异常"
    r"|草稿|不可用|回滚|未(?:通过|完成|成功|发送|执行|部署|生效|推送)",
    r"失敗|エラー|できません|できなかった|できていません|されません|されていません|していません|なかった|拒否|却下|タイムアウト|保留|待ち|承認|まだ|残念|申し訳|中断|スキップ|ブロック|未(?:完了"
    r"|送信|実施|反映|達|解決|承認)|下書き|通っていません|ロールバック|落ちて",
    r"[❌✗✘⚠🚧⏳🔴🛑]",
)
"""Words of failure or remainder that count wherever they stand in the answer."""

_WEAK: Final = _any(
    r"\b(?:else|otherwise|(?:the )?others?|the rest|sonst|anderen?|übrige\w*|rest|autres?|sinon|demás|otr[oa]s"
    r"|resto|altr[ioe]|outr[oa]s"
    r"|andere|overige)\b|其他|其余|别的|他の|ほか",
    r"\b(?:not|never|none|but|however|though|although|except|apart from|aside from|other than|short of|only "
    r"(?:the|one|two|three|some|part|half|a few|\d)|still|remain\w*|left(?! side)|missing|needs? (?:to|a|your"
    r"|manual)"
    r"|requir\w+ (?:your|a|manual|another)|manual\w*|problems?|later|soon|tomorrow|waiting|yet|almost|nearly"
    r"|you(?:['\u2019]ll| will| should| must) (?:need|have|want|still)|kept|stays?|untouched|unchanged|as you "
    r"(?:wished|asked)|attempted|tried|trying|asked"
    r"|queued?|requested|out of \d+|down|under review|until|unless)\b|n['\u2019]t\b",
    r"\b(?:nicht|kein\w*|aber|jedoch|allerdings|außer|bis auf|nur (?:der|die|das|ein\w*|noch|\d)|noch|fehl\w*"
    r"|muss|müssen|manuell|bleib\w*|übrig|problem\w*|später|versuch\w*|ausnahme|prüfung|beantragt|weiterhin"
    r"|angefragt)\b",
    r"\b(?:pas|mais|cependant|toutefois|sauf|hormis|excepté|seul\w*|encore|manqu\w*|doit|faut|devez|manuel\w*"
    r"|reste\w*|problèmes?|plus tard|tent\w*|essay\w*|demand\w*|vérification|toujours|à part)\b",
    r"\b(?:no|pero|sin embargo|aunque|salvo|excepto|menos|solo (?:el|la|los|las|un|una|\d)|sólo (?:el|la|un|una"
    r"|\d)|falta\w*|debe\w*|hay que|necesit\w*|manual\w*|queda\w* (?!list|hech|en |\w+[ai]d[oa]s?\b)"
    r"|problemas?|luego|más tarde"
    r"|intent\w*|solicit\w*|revisión|sigue\w*|mantien\w*)\b",
    r"\b(?:non|ma|però|tuttavia|tranne|eccetto|solo|ancora|manca\w*|deve|devi|bisogna|manual\w*|resta(?:no|ndo|ti|te|vano)?"
    r"|problem\w*|invece|tentat\w*|richiest\w*|não|mas|porém|exceto|apenas|só|falta\w*|precis\w*|tent\w*"
    r"|solicit\w*|niet|geen|maar|echter|behalve|alleen|nog|moet\w*|handmatig|blijft|overig|geprobeerd"
    r"|aangevraagd)\b",
    r"没|不(?!过期|仅|但如此)|但|除了|只有|仅(?!仅)|需要|还|手动|剩|问题|稍后|尝试|申请|审|ません|ない|ただし|以外|のみ|だけ|残|必要|手動|後で|試み|申請|確認中|依頼",
)
"""Words of remainder that count only in a sentence about the thing itself."""

_AS_IT_WAS: Final = _any(
    r"\bunchanged\b|\bunverändert|\binchangé|\bsin cambios\b|\binvariat|\bongewijzigd\b", "不变|変更なし"
)
_PARTLY: Final = re.compile(
    r"(?<![\d.-])(\d{1,6})\s*(?:of(?: the)?|out of|/|von(?: den)?|sur(?: les)?|de(?: los| las)?|su(?:lle|i)?|van(?: "
    r"de)?|中的?)\s*(\d{1,6})(?![\d%/.-])"
)

PART: Final = _any(
    r"\b(?:new|newly|added|own|my|these|those|that|this|its|affected|relevant|related|targeted|remaining|other"
    r"|rest|unit|integration|existing|specific|focused|two|three|four|five|both)\b[^.,;]{0,24}\btests?\b"
    r"|\btests?\b[^.,;]{0,12}\b(?:for|in|of|i added|i wrote)\b"
    r"|\b(?:neue\w*|übrige\w*|anderen?|restliche\w*|diese\w*|eigene\w*)\b[^.,;]{0,20}\btests?\b|\b(?:nouveaux?"
    r"|autres|ces|ce)\b[^.,;]{0,20}\btests?\b|\b(?:nuev[oa]s|demás|otr[oa]s|est[oa]s)\b[^.,;]{0,20}\b(?:tests?"
    r"|pruebas?)\b|\b(?:tests?|pruebas?) (?:nuev[oa]s|ajouté\w*|nouveaux)\b|新增?的?测试|新しいテスト",
)
"""A claim about some of the tests."""

ALL: Final = _any(
    r"\b(?:all|both|every\w*|each|alle[nrms]?|beide\w*|jede\w*|sämtliche\w*|tous|toutes|tout|chaque|les deux"
    r"|chacun\w*|tod[oa]s?|amb[oa]s|cada|tutti|tutte|entramb\w*|ogni|ambas|iedereen|elke)\b",
    "全部|所有|都|全て|すべて|全員",
)

_FUNCTION_WORDS: Final = {
    "en": "the is are and to of in it for with was were has have been your you i now all that this on my as from at "
    "be an by its no not can so there here out up one we will any their them they our or but done fixed",
    "de": "der die das und ist sind wurde wurden ich habe hat den dem ein eine mit für auf auch jetzt alle alles zu "
    "im nicht wir sie es von des nun läuft",
    "fr": "le la les et est sont été j ai un une des pour avec dans vous votre tout tous maintenant nous sur au "
    "aux du ce cette que",
    "es": "el la los las y es son ha han he un una para con en su tu todo todos ya se fue fueron está están del al "
    "que lo",
    "it": "il lo la gli le e è sono stato stata ho ha un una per con nel tutto tutti ora che del della alla i",
    "pt": "o a os as e é são foi foram um uma para com em seu sua tudo todos já que do da no na está",
    "nl": "de het en is zijn een ik heb heeft voor met op alle alles nu van te dat",
}
_LANGUAGES_OF: Final = {
    word: [name for name, words in _FUNCTION_WORDS.items() if word in words.split()]
    for word in " ".join(_FUNCTION_WORDS.values()).split()
}
"""The languages that have each of these words."""
_WORD: Final = re.compile(r"(?<!\w)[^\W\d_]+(?:['\u2019][^\W\d_]+)?(?!\w)")
_APOSTROPHE: Final = re.compile("['\u2019]")
_CJK: Final = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_FOREIGN: Final = re.compile(r"[\u0370-\u1fff\uac00-\ud7af]|[ąćęłńśźżğőűășțčďěňřšťů]")
"""Scripts and letters of languages that are not in the list."""


@lru_cache(maxsize=64)
def languages(text: str) -> tuple[str, ...]:
    """The languages of the list that a text may be in; none when it is in another one."""
    if _CJK.search(text):
        return () if re.search("[\uac00-\ud7af]", text) else ("en",)
    if len(_FOREIGN.findall(text)) > 2:
        return ()
    words = [_APOSTROPHE.split(word)[0] for word in _WORD.findall(text.lower())]
    found = Counter(name for word in words for name in _LANGUAGES_OF.get(word, ()))
    counts = {name: found[name] for name in _FUNCTION_WORDS}
    best = max(counts.values())
    if len(words) <= 6 and best == 0:
        return tuple(counts)
    if 10 * best < len(words):
        return ()
    return tuple(name for name, count in counts.items() if count == best or (best < 2 and name == "en"))


@lru_cache(maxsize=256)
def without_benign(text: str) -> str:
    """A text with blanks in place of what only sounds like an admission."""
    for _ in range(2):
        text = _BENIGN.sub(lambda match: " " * len(match[0]), text)
    return text


@lru_cache(maxsize=256)
def admits(text: str) -> bool:
    """Whether a text has a word of failure or remainder anywhere."""
    if _STRONG.search(text) and _STRONG.search(without_benign(text)):
        return True
    return any(0 < int(part) < int(whole) <= 100_000 for part, whole in _PARTLY.findall(text))


@lru_cache(maxsize=1024)
def hesitates(sentence: str) -> bool:
    """Whether a sentence has a word of remainder, as one about the thing itself would."""
    return _WEAK.search(sentence) is not None and _WEAK.search(without_benign(sentence)) is not None


def says_unchanged(sentence: str) -> bool:
    """Whether a sentence says that something is as it was."""
    return _AS_IT_WAS.search(sentence) is not None


def says_done(sentence: str, spoken: Sequence[str], *, wholly: bool = False) -> bool:
    """Whether a sentence says that something is done, or with `wholly` everything; no question, plan or condition."""
    if re.search(r"[?\uff1f]\s*[\"'”)]*$", sentence):
        return False
    for words in (FINISHED,) if wholly else [_DONE[language] for language in spoken]:
        for match in words.finditer(sentence):
            clause = re.split(r"[,;:\u2013—、\uff0c]", sentence[: match.start()])[-1]
            if not _HEDGES.search(clause):
                return True
    return False


def numbers_in(sentence: str) -> Sequence[int]:
    """The whole numbers in a sentence, also those written as words up to twelve."""
    digits = [int(number) for number in re.findall(r"(?<![\w.,:/-])(\d{1,6})(?![\w:/%-]|[.,]\d)", sentence)]
    return [
        *digits,
        *(_NUMBER_WORDS[word] for word in (word.lower() for word in _WORD.findall(sentence)) if word in _NUMBER_WORDS),
    ]


_NUMBER_WORDS: Final = {
    word: number
    for words in (
        "two three four five six seven eight nine ten eleven twelve",
        "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "deux trois quatre cinq six sept huit neuf dix onze douze",
        "dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "due tre quattro cinque sei sette otto nove dieci undici dodici",
    )
    for number, word in enumerate(words.split(), 2)
}
