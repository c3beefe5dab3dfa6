"""How an answer may call a thing of each kind. Pure."""

from __future__ import annotations

import re
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
