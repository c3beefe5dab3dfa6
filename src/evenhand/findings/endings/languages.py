"""The few words of each language by which an answer calls something done, or admits that it is not. Pure.

They are words and not claims: what happened is read from the events, and an answer in a language that is not here is
never held to say anything. Every language has the same fields, and the same rules are made of them. A word that is
missing in `undone` or `remains` may accuse falsely; one that is missing in `done` only lets a claim pass.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple


class Language(NamedTuple):
    """The words of one language, as alternatives of a regular expression."""

    common: str
    """The most frequent words, by which the language is told."""
    done: str
    """Participles, past tenses and words such as "ready"."""
    whole: str
    """Words that say that the whole is finished."""
    plans: str
    """Words before a deed that make it a plan, a condition or a wish."""
    no: str
    """Words that deny what follows."""
    trouble: str
    """Nouns and verbs of failure. They admit one, unless they are denied ("no errors") or mended."""
    bother: str
    """Further words that are denied or mended like trouble; alone they count in a sentence about the thing only."""
    mended: str
    """Words of repair, before or after trouble; in Japanese also those that deny it, which follow it."""
    about: str
    """What has a word of trouble in it and speaks of none: "error handling", "let me know if you have problems"."""
    undone: str
    """Words of failure or remainder that count wherever they stand in the answer."""
    remains: str
    """Words of remainder that count only in a sentence about the thing itself."""
    did: str = ""
    """How the agent says that it did something itself; the group that matches is the deed."""
    passed: str = ""
    """A sentence that says that the tests pass, and nothing else."""
    but: str = "but"
    """Words that end what a denial or a repair reaches."""
    spaced: bool = True
    """Whether blanks stand between words."""


LANGUAGES: Final[dict[str, Language]] = {
    "en": Language(
        common="the is are and to of in it for with was were has have been your you i now all that this on my as from "
        "at be an by its no not can so there here out up one we will any their them they our or but done fixed",
        done=r"(?!need|proceed|succeed|exceed|feed|speed|indeed|hundred|shared by|based|red\b|bed\b|seed|used|supposed"
        r"|related|required|named|called|detailed)\w{3,}ed|done|sent|paid|built|ran|run|made|put|set|up|wrote|written"
        r"|told|gave|took|brought|drew|withdrew|chose|let \w+(?: \w+)? know|gone|went|goes|through|shut|bought"
        r"|complete|pass(?:es|ing)?|green|succe\w+|works?|working|ready|live|clean(?:ly)?|good|fine|ok(?:ay)?|in place"
        r"|happy|taken care|now \w+s|sorted|out|over|on its way|running|perfect(?:ly)?|without a hitch|stored|fully"
        r"|(?:is|are) (?:[\w.]+ ){0,4}?(?:now|already|back)|will now|100 ?%|online|available|in production|merged"
        r"|builds|compiles|up to date",
        whole=r"done|all set|all good|good to go|complete(?:d|ly)?|finished|ready|everything|taken care of|sorted"
        r"|wrapped up|that['\u2019]s it|works|working|fully|live|green|passes|passing|shipped|succe\w+",
        plans=r"will(?! now\b)|would|should|shall|could|might|may|if|unless|until|once|when(?:ever)?|before|to be|try"
        r"|tried|trying|attempt\w*|let me|let['\u2019]s|let us|please|want\w*|need\w*|going to|plan\w*|next|about to"
        r"|in order to|expect\w*|I['\u2019]ll|we['\u2019]ll|you can|can be|how to|remember to|make sure|ensure|so that"
        r"|suppose\w*|do you|asked|instead of",
        no=r"no|zero|0|none|nothing|without|any|free of|never|not (?:a|one)|nor|neither",
        trouble=r"fail(?:s|ed|ing|ures?)?|errors?|errored|crash\w*|time[ds]?[- ]?outs?|timing out|reject\w*|refus\w*"
        r"|block(?:ed|ers?|ing)|conflicts?|regress\w*|flaky|broken|breaks|stuck|denied|retry|pending|skipp?(?:ed|ing)",
        bother=r"problems?|issues?|bugs?|warnings?|red|retr(?:ies|ied)|missing",
        mended=r"fix\w*|resolv\w*|handl\w*|correct\w*|address\w*|clear\w*|eliminat\w*|prevent\w*|avoid\w*|catch\w*"
        r"|repair\w*|solv\w*|no longer|instead of|squash\w*|cover\w*|reproduc\w*|remov\w*|gone|(?:root )?cause of"
        r"|patched|cured|dealt with|pass(?:es|ing)? now|now pass\w*|green now",
        about=r"as (?:you )?(?:asked|requested|wanted|agreed|discussed)|(?:error|failure|timeout|retry|conflict|failed"
        r"|exception)s?[- ](?:handl\w+|messages?|pages?|codes?|paths?|cases?|states?|boundar\w+|logs?|logging|rates?"
        r"|toleran\w+|logic|class\w*|types?|budget|responses?|banner|text|toast|format\w*|counts?|login\w*)"
        r"|(?:was|were|had been|used to be|kept|previously|formerly|originally) (?:failing|timing out|crashing|broken"
        r"|blocking|red|stuck|erroring)|(?:fails?|crash(?:es)?|times? out|errors?) (?:anymore|any more|no longer)"
        r"|(?<!can )no longer (?!be\b|possible|available|allowed|eligible)\w+|used to (?:fail|crash|break|time out)"
        r"|(?:remain\w*|is|are|stay\w*|kept) unchanged|remaining (?:balance|amount|funds|credit)"
        r"|without (?:your |my |explicit |further |prior )*(?:approval|confirmation|permission|consent)"
        r"|(?:ties?|lines?|links?) (?:are|is) broken|broken (?:down|by|into|up|out)"
        r"|(?:errors?|failures?|failed|failing|problems?|issues?|warnings?|conflicts?)[:=]? ?0|0/\d+"
        r"|(?:let me know|reach out|feel free|tell me|ping me|shout|if you|should you)\b[^.!?\n]*",
        undone=r"no longer (?:be|possible|available|allowed|eligible)|unsuccessful\w*|unable|could ?n['\u2019o]t"
        r"|could not|cannot|can['\u2019]t|denial|declin\w*|await\w*|unfortunately|unresolved|incomplete|interrupted"
        r"|aborted|bounced|rolled? back|rollback|outstanding|not yet|untested|unverified|held|on hold|approvals?"
        r"|try again|unavailable|out of stock|sold out|insufficient|pre-?existing|drafts?|exceed\w*|expired|forbidden"
        r"|unauthori[sz]ed|unhealthy|still (?:red|open|to do|need\w*|fail\w*|has|have|one|two|three|un\w+)"
        r"|remain\w* (?:to|open|red|un(?!der|til|changed)\w+)|exit code [1-9]\d*|sorry|apolog\w*|afraid|partial(?:ly)?"
        r"|partly|bailed|gave up|did(?:n['\u2019]t| not) (?:work|go|make|land|pass|finish|complete|succeed)"
        r"|wo(?:n['\u2019]t|uld not)|went wrong|not (?:sent|done|deployed|completed?|finished|applied|merged|pushed"
        r"|saved|created|deleted|cancel?led|booked|paid|updated|installed|published|delivered|possible|permitted"
        r"|allowed|authori[sz]ed|passing|green|working)|read-only",
        remains=r"else|otherwise|(?:the )?others?|the rest|not|never|none|but|however|though|although|except|apart from"
        r"|aside from|other than|short of|only (?:the|one|two|three|some|part|half|a few|\d)|still|remain\w*"
        r"|left(?! side)|needs? (?:to|a|your|manual)|requir\w+ (?:your|a|manual|another)|manual\w*|later|soon"
        r"|tomorrow|waiting|yet|almost|nearly|you(?:['\u2019]ll| will| should| must) (?:need|have|want|still)|kept"
        r"|stays?|untouched|unchanged|as you (?:wished|asked)|attempted|tried|trying|asked|queued?|requested"
        r"|out of \d+|down|under review|until|unless|\w+n['\u2019]t",
        did=r"\b(?:I|we)(?:['\u2019]ve| have)?(?: (?:now|just|also|already|then|successfully|gone ahead and))* "
        r"(\w{3,}ed|ran|sent|paid|built|made|set up|wrote|written|run)\b"
        r"|^\W*(?:\w+ed\b[^.;:?\n]{0,80}\band )?(ran)\b",
        passed=r"(?:(?:and|now|so|also|then|finally|great|done|yes)\b,? )*"
        r"(?:(?:I|we)\b[^.;:?\n]{0,120}?(?:,|;| and)(?: and| so)? )?"
        r"(?:all|the|every|both|\d+)(?: \d+)?(?: (?:of|the|unit|existing|new))* (?:tests?|test suite|suite|specs?)"
        r"(?: (?:now|still|also|again|all|are|is|have|has|successfully|ran and))* (?:pass(?:es|ed|ing)?|green|succe\w+)"
        r"(?: (?:now|again|locally|successfully|too|cleanly|without errors?))*",
        but="but|because|so|and so|and then|however|still|not",
    ),
    "de": Language(
        common="der die das und ist sind wurde wurden ich habe hat den dem ein eine mit für auf auch jetzt alle alles "
        "zu im nicht wir sie es von des nun läuft",
        done=r"ge[a-zäöüß]{2,}(?:t|en)|\w{2,}ge[a-zäöüß]{2,}(?:t|en)|\w{3,}iert|ver\w{3,}(?:t|en)|be\w{3,}t|er\w{3,}t"
        r"|ent\w{3,}t|überwiesen|übernommen|fertig|erledigt|grün\w*|live|läuft|laufen|durch|bestanden|bestehen"
        r"|abgeschlossen|steht|stehen|erfolgreich|sauber|fehlerfrei|lässt sich|lassen sich|bereit|online|raus"
        r"|unterwegs|drin|angelegt|eingereicht|hochgeladen|umgebucht|(?:ist|sind|liegt|liegen) (?:jetzt|nun|bereits"
        r"|schon)|storniert|vollständig|komplett|passt|klappt|baut|auf dem (?:neuesten )?stand",
        whole=r"fertig|erledigt|alles|abgeschlossen|bereit|erfolgreich|läuft|komplett|vollständig|grün",
        plans=r"würde\w*|sollte\w*|könnte\w*|möchte\w*|falls|wenn|sobald|bitte|versuch\w*|wird|werden|als nächstes"
        r"|bevor|damit|um \w+ zu|soll",
        no=r"keine?[nrsm]?|ohne|null|0|nicht mehr|nichts",
        trouble=r"fehler\w*|fehlschl\w*|fehlgeschlagen\w*|timeouts?|blockier\w*",
        bother=r"problem\w*|konflikt\w*|rot\w*",
        mended=r"behoben|behebt|behebe|korrigiert|beseitigt|gefixt|repariert|gelöst|abgefangen",
        about=r"fehler(?:frei\w*|behandlung\w*|meldung\w*|seite\w*|fall\w*|quelle\w*|code\w*|behebung|korrektur)"
        r"|schlägt nicht mehr|(?:wenn du|falls|melde dich|sag bescheid)\b[^.!?\n]*",
        undone=r"schl[uä]g\w*[^.!?\n]{0,60}\bfehl|gescheitert|scheiter\w*|(?:konnte\w*|kann|können|lie(?:ß|ss)\w*)"
        r"\b[^.!?\n]{0,80}\bnicht|nicht (?:möglich|geklappt|gelungen|erlaubt|durch\w*|erfolgreich)|abgelehnt\w*"
        r"|verweiger\w*|abgebrochen|zeitüberschreitung|ausstehend\w*|steh\w* noch aus"
        r"|noch (?:nicht|offen|rot|aus|ausstehend|immer)|leider|unvollständig|wartet|warten|freigabe|genehmig\w*"
        r"|übersprungen|misslungen|zurückgerollt|zurückgewiesen|unzustellbar|hängt|klappt\w* nicht"
        r"|funktionier\w* nicht|abgewiesen|entwurf|offen|entschuldig\w*|tut mir leid|rot|teilweise",
        remains=r"sonst|anderen?|übrige\w*|rest|nicht|kein\w*|aber|jedoch|allerdings|außer|bis auf"
        r"|nur (?:der|die|das|ein\w*|noch|\d)|noch|fehl\w*|muss|müssen|manuell|bleib\w*|übrig|später|versuch\w*"
        r"|ausnahme|prüfung|beantragt|weiterhin|angefragt|unverändert",
        did=r"\b(?:ich habe|habe ich|wir haben)\b[^.,;\n]{0,80}\b(ge\w{2,}(?:t|en)|\w{3,}iert|ver\w{3,}(?:t|en)"
        r"|\w{2,}ge\w{2,}(?:t|en)|be\w{3,}t|er\w{3,}t|ent\w{3,}t|überwiesen)\b",
        passed=r"(?:alle|sämtliche)(?: \d+)? tests (?:bestehen|bestanden|sind (?:bestanden|grün)"
        r"|laufen(?: wieder)? durch)",
        but="aber|jedoch|noch|nicht|weil",
    ),
    "fr": Language(
        common="le la les et est sont été j ai un une des pour avec dans vous votre tout tous maintenant nous sur au "
        "aux du ce cette que",
        done=r"\w{2,}(?:é|ée|és|ées)|fini\w*|réussi\w*|faite?s?|mise?s?|prête?s?|passent|passe|vert\w*|fonctionne\w*"
        r"|en ligne|partie?s?|reçue?s?|rendue?s?|en place|en production|ok|bon|ouverte?s?|soumise?s?|propres?"
        r"|transmise?s?|inscrite?s?|résolue?s?|tout est|(?:est|sont) (?:désormais|maintenant|bien|déjà)|succès"
        r"|prévenue?s?|averti\w*|écrite?s?|compile|à jour",
        whole=r"terminée?s?|tout|fini\w*|c['\u2019]est fait|prête?s?|réussi\w*|succès|en place",
        plans=r"ser(?:a|ont|ait|aient)|devra\w*|pourra\w*|si|quand|lorsque|dès que|veuillez|voulez|souhaite\w*|va|vais"
        r"|vont|afin|avant de|essay\w*|tent\w*",
        no=r"aucune?s?|sans|zéro|0|pas d['\u2019e]|plus d['\u2019e]|ni",
        trouble=r"échou\w*|échec\w*|erreurs?|bloqu\w*|refus\w*|plant[ée]\w*",
        bother=r"problèmes?|soucis?|incidents?|bugs?",
        mended=r"corrig\w*|résol\w*|répar\w*|gér\w*|gère\w*|trait\w*",
        about=r"(?:messages?|gestion|pages?|codes?) d(?:['\u2019]|es )erreurs?|n['\u2019e] ?\w+ plus"
        r"|(?:si vous|n['\u2019]hésite\w*)\b[^.!?\n]*",
        undone=r"impossible|n['\u2019](?:a|ai|avons|ont|est|était|ayant)\b[^.!?\n]{0,20}\b(?:pas|pu)"
        r"|ne (?:\w+ ){1,2}pas|pas pu|rejet\w*|délai\w* dépass\w*|expir\w*|en attente|malheureusement|incompl\w*"
        r"|interromp\w*"
        r"|interrompu\w*|reste(?:nt)? (?:à|un\w*|deux|\d)|pas encore|approbation|approuv\w*|ignorée?s?|rouges?"
        r"|brouillon|désolée?|toujours (?:pas|en)|partiel\w*|abandonn\w*",
        remains=r"autres?|sinon|pas|mais|cependant|toutefois|sauf|hormis|excepté|seul\w*|encore|manqu\w*|doit|faut"
        r"|devez|manuel\w*|reste\w*|plus tard|tent\w*|essay\w*|demand\w*|vérification|toujours|à part|inchangé\w*",
        did=r"\b(?:j['\u2019]ai|nous avons)\b (?:[^\W\d]+ ){0,2}(\w{2,}(?:é|ée|és|ées|i|is|it)|mis|fait)\b",
        passed=r"tous les tests (?:passent|réussissent|sont (?:verts|au vert))",
        but="mais|encore|pas|car",
    ),
    "es": Language(
        common="el la los las y es son ha han he un una para con en su tu todo todos ya se fue fueron está están del "
        "al que lo",
        done=r"\w{2,}(?:ado|ada|ados|adas|ido|ida|idos|idas)|\w{2,}(?:é|ó|aron|ieron|amos|imos)|hech[oa]s?|puest[oa]s?"
        r"|list[oa]s?|pasan?|verde|funciona\w*|éxito|escrit[oa]s?|resuelt[oa]s?|abiert[oa]s?|en marcha|en producción"
        r"|correctamente|correct[oa]s?|complet[oa]|quedan?|ya está[ns]?|ya (?:lo |la )?(?:tienes?|puedes?)|hice|puse"
        r"|devuelt[oa]s?|compila|al día",
        whole=r"list[oa]s?|todo|hecho|terminad[oa]s?|completad[oa]s?|complet[oa]|éxito|finalizad[oa]s?",
        plans=r"será\w*|sería\w*|debería\w*|podría\w*|cuando|por favor|quiere\w*|deseas?|voy a|va a|vamos a|antes de"
        r"|intent\w*|para que",
        no=r"sin|ning[uú]n\w*|cero|0|no hay|no hubo|ni un\w*",
        trouble=r"fall(?:a|an|ó|aron|ado|ando|ida|ido|o|os|as)|fracas\w*|error(?:es)?|rechaz\w*|deneg\w*|bloque\w*",
        bother=r"problemas?|incidencias?|bugs?|fallos?",
        mended=r"correg\w*|corrig\w*|arregl\w*|solucion\w*|resuelt\w*|resolv\w*|manej\w*|repar\w*",
        about=r"(?:mensajes?|manejo|páginas?|gestión|códigos?) de (?:error\w*|fall\w*)|ya no \w+"
        r"|(?:si necesit\w*|si quieres|avísame)\b[^.!?\n]*",
        undone=r"no (?:se |lo |la |le |me )?(?:pud\w+|ha\w*|fue\w*|pas\w+|está\w*|puedo|puede\w*|pude|logr\w+"
        r"|complet\w+|funcion\w+|termin\w+|envi\w+|llegó)|imposible|agotad\w*|expir\w*|pendientes?|en espera|esperando"
        r"|espera|lamentablemente|por desgracia|desafortunadamente|incomplet\w*|interrump\w*|abort\w*"
        r"|queda\w* (?:por|pendiente\w*|un\w*|\d)|todavía|aún|aprobación|aprobar\w*|omitid\w*|rojos?|revertid\w*"
        r"|borrador|lo siento|parcial\w*|sin (?:enviar|desplegar|aplicar|terminar|completar|hacer|publicar|probar)",
        remains=r"demás|otr[oa]s|resto|no|pero|sin embargo|aunque|salvo|excepto|menos"
        r"|s[oó]lo (?:el|la|los|las|un|una|\d)|falta\w*|debe\w*|hay que|necesit\w*|manual\w*"
        r"|queda\w* (?!list|hech|en |\w+[ai]d[oa]s?\b)|luego|más tarde|intent\w*|solicit\w*|revisión|sigue\w*"
        r"|mantien\w*|sin cambios",
        did=r"\b(?:he|hemos)\b (?:[^\W\d]+ ){0,2}(\w{2,}(?:ado|ido)|hecho|escrito)\b",
        passed=r"tod[oa]s (?:las pruebas|los tests) (?:pasan|pasaron|están en verde)",
        but="pero|todavía|no|porque",
    ),
    "it": Language(
        common="il lo la gli le e è sono stato stata ho ha un una per con nel tutto tutti ora che del della alla i",
        done=r"\w{2,}(?:ato|ata|ati|ate|uto|uta|uti|ute|ito|ita|iti|ite)|fatt[oaie]|pront[oaie]|passano|verdi"
        r"|successo|chius[oaie]|mess[oaie]|scritt[oaie]|apert[oa]|riuscit\w*|corrett[oaie]|a posto"
        r"|(?:è|sono) (?:ora|già)",
        whole=r"fatto|tutto|pront[oaie]|completat[oaie]|finit[oaie]|successo",
        plans=r"sarà|saranno|dovrebbe\w*|potrebbe\w*|quando|vuoi|vuole|per favore|prima di",
        no=r"nessun\w*|senza|zero|0",
        trouble=r"fallit\w*|fallisc\w*|errore|errori|fallim\w*|rifiutat\w*|bloccat\w*",
        bother=r"problem\w*",
        mended=r"corrett\w*|risolt\w*|sistemat\w*|gestit\w*",
        about=r"messagg\w+ d['\u2019]errore|fammi sapere\b[^.!?\n]*",
        undone=r"impossibile|non (?:è|ha|hanno|sono|passa\w*|riusc\w*|ho|si|sia|stat\w+|ancora|funziona\w*)|respint\w*"
        r"|negat[oaie]|scadut\w*|in attesa|purtroppo|incomplet\w*|interrott\w*|manca\w*|approvazion\w*|saltat[oaie]"
        r"|bozza|parzial\w*|mi dispiace|resta\w* da",
        remains=r"altr[ioe]|non|ma|però|tuttavia|tranne|eccetto|solo|ancora|deve|devi|bisogna|manual\w*"
        r"|resta(?:no|ndo|ti|te|vano)?|invece|tentat\w*|richiest\w*|invariat\w*",
        did=r"\b(?:ho|abbiamo)\b (?:[^\W\d]+ ){0,2}(\w{2,}(?:ato|uto|ito)|fatto|scritto)\b",
        passed=r"tutti i test (?:passano|superati)",
        but="ma|però|ancora|non",
    ),
    "pt": Language(
        common="o a os as e é são foi foram um uma para com em seu sua tudo todos já que do da no na está",
        done=r"\w{2,}(?:ei|ou|aram|eram|iram|ado|ada|ados|adas|ido|ida|idos|idas)|feit[oa]s?|pront[oa]s?|passam|sucesso"
        r"|abert[oa]s?|escrit[oa]s?|pag[oa]s?|entregue|no ar|já está|já estão",
        whole=r"tudo|feito|concluíd[oa]s?|sucesso",
        plans=r"serão|deveria\w*|poderia\w*|quer|vou|vai",
        no=r"sem|nenhum\w*|zero|0",
        trouble=r"falh\w*|erros?|rejeitad\w*|recusad\w*|bloquead\w*",
        bother=r"problemas?",
        mended=r"corrig\w*|resolv\w*|consert\w*",
        about=r"mensage\w+ de erro|me avise\b[^.!?\n]*",
        undone=r"não (?:foi|foram|pôde|pude|consegu\w+|pass\w+|está\w*|funcion\w+|há como)|impossível|negad[oa]s?"
        r"|esgotad\w*|pendentes?|aguard\w*|infelizmente|incomplet\w*|interromp\w*|ainda|aprovação|rascunho|parcial\w*"
        r"|desculp\w*|falta\w*",
        remains=r"outr[oa]s|não|mas|porém|exceto|apenas|só|precis\w*|tent\w*|solicit\w*",
        passed=r"todos os testes (?:passam|passaram)",
        but="mas|ainda|não",
    ),
    "nl": Language(
        common="de het en is zijn een ik heb heeft voor met op alle alles nu van te dat",
        done=r"\w{0,6}ge\w{2,}(?:d|t|en)|\w*(?:ver|be|her|ont)\w{2,}(?:d|t|en)|klaar|voltooid|slagen|groen|werkt|afgerond",
        whole=r"klaar|alles|voltooid|afgerond",
        plans=r"zal|zullen|zou\w*|als|wanneer|alstublieft|probe\w+",
        no=r"geen|zonder|0",
        trouble=r"mislukt\w*|faal\w*|gefaald|fout\w*|geblokkeerd",
        bother=r"problem\w*",
        mended=r"opgelost",
        about=r"fout(?:afhandeling|melding\w*|loos)",
        undone=r"ko?an? niet|konden niet|niet gelukt|geweigerd|afgewezen|wacht\w*|helaas|onvolledig"
        r"|nog (?:niet|open|steeds)|goedkeuring|overgeslagen|afgebroken|sorry|concept",
        remains=r"andere|overige|niet|geen|maar|echter|behalve|alleen|nog|moet\w*|handmatig|blijft|overig|geprobeerd"
        r"|aangevraagd|ongewijzigd",
        passed=r"alle tests (?:slagen|geslaagd|zijn groen)",
        but="maar|nog|niet",
    ),
    "zh": Language(
        common="",
        done=r"已|了|完成|成功|通过|搞定|就绪|正常|完毕",
        whole=r"完成|搞定|好了|成功|全部|就绪|完毕",
        plans=r"将|会|如果|请|若|打算|准备|尝试|吗",
        no=r"没有|无|零|0\s*个?|未出现|未发现|不再",
        trouble=r"错误|失败|报错|异常|超时|拒绝",
        bother=r"问题|冲突",
        mended=r"修复|解决|处理",
        about=r"没有?问题|错误(?:处理|信息|页|码|提示)|还有什么|如有|其他问题|有任何问题|有问题请",
        undone=r"无法|未能|没能|不能|没有(?:成功|通过|完成|执行|发送|生效)|待审|待批|审批|审核|待处理|尚未|还没|还未|尚需|仍|还需|遗憾|抱歉|中断|跳过|被拒"
        r"|草稿|不可用|回滚|未(?:通过|完成|成功|发送|执行|部署|生效|推送)",
        remains=r"其他|其余|别的|没|不(?!过期|仅|但如此)|但|除了|只有|仅(?!仅)|需要|还|手动|剩|稍后|尝试|申请|审",
        did=r"(我?已(?:经|為您|为您|为您|帮您|帮你|为你)?(?:成功)?(?:发送|预订|取消|更新|删除|创建|添加|支付|保存|部署|运行))",
        passed=r"(?:所有|全部)的?测试(?:都|均|已|全部)*通过了?",
        spaced=False,
    ),
    "ja": Language(
        common="",
        done=r"無事|ました|完了|済み|済んで|通って|合格|できて|稼働|反映",
        whole=r"完了|すべて|全て|成功|できました",
        plans=r"予定です|ください|場合|たら|でしょうか|つもり",
        no=r"0件の",
        trouble=r"エラー|失敗|拒否|却下|タイムアウト",
        bother=r"問題|不具合|警告|バグ",
        mended=r"修正|解決|解消|直し|対応し|なく|ありません|なし|ゼロ|0件|出ません|発生していません",
        about=r"エラー(?:処理|メッセージ|ハンドリング|ページ|コード)|(?:他に|何か)[^。\n]{0,20}(?:ください|下さい)",
        undone=r"できません|できなかった|できていません|されません|されていません|していません|なかった|保留|待ち|承認|まだ|残念|申し訳|中断|スキップ|ブロック"
        r"|未(?:完了|送信|実施|反映|達|解決|承認)|下書き|通っていません|ロールバック|落ちて",
        remains=r"他の|ほか|ません|ない|ただし|以外|のみ|だけ|残|必要|手動|後で|試み|申請|確認中|依頼|変更なし",
        did=r"((?:送信|予約|取消|更新|削除|作成|追加|保存|実行|デプロイ|キャンセル)(?:を)?(?:いた)?しました)",
        passed=r"(?:全て|すべて|全部)の?テストが?(?:合格|成功|通)\w*",
        spaced=False,
    ),
}

_MARK_DONE: Final = r"[✅✓✔☑👍🎉🚀]"
_MARK_UNDONE: Final = r"[❌✗✘⚠🚧⏳🔴🛑]"


def _bounded(language: Language, words: str) -> str:
    return rf"\b(?:{words})\b" if language.spaced else f"(?:{words})"


def _denied(language: Language) -> str:
    """Trouble that is denied: "no errors", "none of the tests failed"."""
    trouble = f"{language.trouble}|{language.bother}"
    if not language.spaced:
        return rf"(?:{language.no})[^\uff0c。\uff01\n]{{0,4}}(?:{trouble})"
    between = rf"(?:[ -]+(?!(?:{language.but})\b)[\w'\u2019]+){{0,3}}?"
    return rf"\b(?:{language.no})\b{between}[ -]*(?:{trouble})\b(?! to\b)"


def _mended(language: Language) -> str:
    """Trouble that is mended, whichever comes first: "fixed the failing test", "the error is gone"."""
    trouble = f"{language.trouble}|{language.bother}"
    if not language.spaced:
        gap = r"[^\uff0c。\uff01\n]{0,14}"
        return rf"(?:{language.mended}){gap}(?:{trouble})|(?:{trouble}){gap}(?:{language.mended})"
    between = rf"(?:[ ,/`'\u2019-]+(?!(?:{language.but})\b)[\w`'\u2019./()-]+){{0,7}}?[ `'\u2019-]+"
    return rf"\b(?:{language.mended})\b{between}(?:{trouble})\b|\b(?:{trouble})\b{between}(?:{language.mended})\b"


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.I)


_ALL: Final = tuple(LANGUAGES.values())

# Compiled when an answer first needs them: together they would take longer than the checks of a short text.


@cache
def _done(name: str) -> re.Pattern[str]:
    language = LANGUAGES[name]
    return _any(_bounded(language, language.done), _denied(language), _MARK_DONE)


@cache
def finished() -> re.Pattern[str]:
    """Words by which the whole is said to be finished."""
    return _any(*(_bounded(language, language.whole) for language in _ALL), "✅|🎉|🚀|✔")


@cache
def _plans() -> re.Pattern[str]:
    return _any(*(_bounded(language, language.plans) for language in _ALL))


@cache
def _benign() -> re.Pattern[str]:
    """What sounds like an admission and is none."""
    about = (_bounded(language, language.about) for language in _ALL)
    return _any(*about, *map(_denied, _ALL), *map(_mended, _ALL))


@cache
def _undone() -> re.Pattern[str]:
    return _any(*(_bounded(language, f"{language.trouble}|{language.undone}") for language in _ALL), _MARK_UNDONE)


@cache
def _remains() -> re.Pattern[str]:
    return _any(*(_bounded(language, f"{language.bother}|{language.remains}") for language in _ALL))


@cache
def _did() -> tuple[re.Pattern[str], ...]:
    return tuple(_any(language.did) for language in _ALL if language.did)


@cache
def _passed() -> re.Pattern[str]:
    return _any(*(rf"\W*(?:{language.passed})\W*" for language in _ALL))


def deed_in(sentence: str) -> re.Match[str] | None:
    """Where a sentence says what the agent did itself; the last group that matched is the deed."""
    return next(filter(None, (did.search(sentence) for did in _did())), None)


def says_tests_pass(sentence: str) -> bool:
    """Whether a sentence says that the tests pass, and nothing else.

    One that goes on may give a condition, a reason or a source, or mean another kind of test.
    """
    return _passed().fullmatch(sentence) is not None


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
"""A claim about all things of a kind."""
_AS_IT_WAS: Final = _any(
    r"\bunchanged\b|\bunverändert|\binchangé|\bsin cambios\b|\binvariat|\bongewijzigd\b", "不变|変更なし"
)
_PARTLY: Final = re.compile(
    r"(?<![\d.-])(\d{1,6})\s*(?:of(?: the)?|out of|/|von(?: den)?|sur(?: les)?|de(?: los| las)?|su(?:lle|i)?"
    r"|van(?: de)?|中的?)\s*(\d{1,6})(?![\d%/.-])"
)

_LANGUAGES_OF: Final = {
    word: [name for name, language in LANGUAGES.items() if word in language.common.split()]
    for word in " ".join(language.common for language in _ALL).split()
}
"""The languages that have each of these words."""
_WORD: Final = re.compile(r"(?<!\w)[^\W\d_]+(?:['\u2019][^\W\d_]+)?(?!\w)")
_APOSTROPHE: Final = re.compile("['\u2019]")
_KANA: Final = re.compile(r"[\u3040-\u30ff]")
_CJK: Final = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_FOREIGN: Final = re.compile(r"[\u0370-\u1fff\uac00-\ud7af]|[ąćęłńśźżğőűășțčďěňřšťů]")
"""Scripts and letters of languages that are not in the list."""


@lru_cache(maxsize=64)
def languages(text: str) -> tuple[str, ...]:
    """The languages of the list that a text may be in; none when it is in another one."""
    if _CJK.search(text):
        return () if re.search("[\uac00-\ud7af]", text) else ("ja",) if _KANA.search(text) else ("zh", "en")
    if len(_FOREIGN.findall(text)) > 2:
        return ()
    words = [_APOSTROPHE.split(word)[0] for word in _WORD.findall(text.lower())]
    found = Counter(name for word in words for name in _LANGUAGES_OF.get(word, ()))
    counts = {name: found[name] for name, language in LANGUAGES.items() if language.common}
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
        text = _benign().sub(lambda match: " " * len(match[0]), text)
    return text


@lru_cache(maxsize=256)
def admits(text: str) -> bool:
    """Whether a text has a word of failure or remainder anywhere."""
    if _undone().search(text) and _undone().search(without_benign(text)):
        return True
    return any(0 < int(part) < int(whole) <= 100_000 for part, whole in _PARTLY.findall(text))


@lru_cache(maxsize=1024)
def hesitates(sentence: str) -> bool:
    """Whether a sentence has a word of remainder, as one about the thing itself would."""
    return _remains().search(sentence) is not None and _remains().search(without_benign(sentence)) is not None


def says_unchanged(sentence: str) -> bool:
    """Whether a sentence says that something is as it was."""
    return _AS_IT_WAS.search(sentence) is not None


def says_done(sentence: str, spoken: Sequence[str], *, wholly: bool = False) -> bool:
    """Whether a sentence says that something is done, or with `wholly` everything; no question, plan or condition."""
    if re.search(r"[?\uff1f]\s*[\"'”)]*$", sentence):
        return False
    for words in (finished(),) if wholly else map(_done, spoken):
        for match in words.finditer(sentence):
            clause = re.split(r"[,;:\u2013—、\uff0c]", sentence[: match.start()])[-1]
            if not _plans().search(clause):
                return True
    return False


def numbers_in(sentence: str) -> Sequence[int]:
    """The whole numbers in a sentence, also those written as words up to twelve."""
    digits = [int(number) for number in re.findall(r"(?<![\w.,:/-])(\d{1,6})(?![\w:/%-]|[.,]\d)", sentence)]
    words = (word.lower() for word in _WORD.findall(sentence))
    return [*digits, *(_NUMBER_WORDS[word] for word in words if word in _NUMBER_WORDS)]


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
