"""Objections: words around a figure that keep it from being the judge's own, actual score."""

from __future__ import annotations

import re

_SUBJECT = (
    r"(?:assistant|ai|response|answer|output|model|submission|author|student|user|candidate|text|it|they|he|she"
    r"|solution"
    r"|reply|document|agent|essay|paper|writer|chatbot|bot|prompt|code|comments?|readme|reviewers?|critics?|customers?"
    r"|instructions?|conversation|article|film|movie|product|book|antwort|assistent|modell|reponse|assistante?|modele"
    r"|respuesta|asistente|modelo|risposta|assistente|modello|resposta|ответ|ассистент|модель)"
)
_SAYS = (
    r"(?:said|says?|saying|claims?|claimed|claiming|states?|stated|stating|asserts?|asserted|wrote|writes|written"
    r"|mentions?"
    r"|mentioned|reports?|reported|asks?|asked|asking|instructs?|instructed|requests?|requested|demands?|demanded"
    r"|quotes?"
    r"|cites?|announces?|declares?|declared|boasts?|insists?|tells?|told|begs?|pleads?|urges?|argues?|believes?|thinks?"
    r"|wants?|tries|tried|attempts?|pretends?|hints?|echoes|repeats|self-\w+"
    r"|(?:rates?|rated|rating|gives?|gave|giving|awards?|awarded|scores?|scored|grades?|graded|assigns?|assigned)"
    r" (?:itself|themselves|himself|herself|its own)"
    r"|behauptet|sagt|schreibt|affirme|dit|pretend|afirma|dice|sostiene|afferma|diz|утверждает|говорит|пишет)"
)
_REPORTED = re.compile(rf"\b{_SUBJECT}\b(?:['’]s)?(?: \w+){{0,3}}? {_SAYS}\b(?P<rest>.*)$", re.DOTALL)
_SHOWN = re.compile(
    rf"\b{_SUBJECT}(?: \w+){{0,2}}? (?:contain(?:s|ed)?|includ(?:es|ed)|ends?(?:ed)? with|beg[ia]ns? with"
    rf"|concluded with"
    r"|started with|outputs?|printed|prints|returned|returns|added|adds|responded|answered|replied|gave|suggests?"
    r"|suggested"
    r"|recommends?|recommended|lists?|listed|shows?|displays?|provided|appended|inserted)"
    r"(?: with| a| an| the| its| as| by| of| out| saying|:| fake| own)*"
    r"(?: (?:rating|score|verdict|grade|line|text|note|message)(?: of|:)?)*(?:[ :,\[(\x02])*(?:rating"
    r"|score)?[ :\[(\x02]*$"
)
_RATES_ANOTHER = re.compile(
    rf"\b{_SUBJECT} (?:\w+ly )?(?:rat(?:es?|ed)|gives?|gave|scor(?:es?|ed)|award(?:s|ed)?|grad(?:es?|ed)|rank(?:s|ed)?"
    r"|assign(?:s|ed)?|bewertet|gibt|vergibt|donne|attribue|note|da|otorga|asigna|califica|punt[uú]a|assegna"
    r"|valuta|atribui"
    r"|avalia|оценивает|ставит|дает) (?:(?:the|this|that|its|his|her|their|each|every|to|an|a|al|la|le|les|el"
    r"|los|il|lo|o|as"
    r"|os|au|aux|den|dem|der|die|das|alla|ao|dieser|diesem|diesen|cette|esta|este|questa) )*(?!score|rating"
    r"|grade|mark|note"
    r"|nota|bewertung|punktzahl|puntuacion|punteggio|voto|pontuacao|оценку|балл|solid|strong|perfect|full|clear"
    r"|good|weak"
    r"|high|low|fair|an?\b|the\b|un\b|une\b|una\b|uma\b|eine?n?\b|\d)[^\W\d_]{3,}(?: [^\W\d]+){0,6} ?[\x02\[(]*$"
)
_RATES_ANOTHER_IN_SCRIPT = re.compile(
    r"(?:助手|助理|模型|它|作者|用户|用戶|文章)(?:的回答)?[^我，。；\n]{0,6}[给給为為对對](?!这个回答|该回答"
    r"|本回答|出)[^我，。\n]{1,16}"
    r"(?:打|评|評|评分|評分)[了为為]?\s*$"
    r"|(?:アシスタント|モデル|作者|ユーザー)[はが](?![^。\n]{0,10}回答)[^。\n]{1,16}に\s*$"
    r"|(?:어시스턴트|모델|작성자|사용자)[는은이가] [^.\n]{1,16}에 ?\s*$"
)
_SAYS_COLON = re.compile(rf"\b{_SUBJECT} {_SAYS}:")
_SHOWN_LINE = re.compile(
    r"\b(?:its|the|an?|this|hidden|embedded) (?:\w+ ){0,2}(?:line|sentence|instruction|comment|footer|header"
    r"|string|phrase|message)s?"
    r"\b(?![^.!?]*\b(?:i|my)\b)[^.!?]{0,60}$"
)
_OWN_AGAIN = re.compile(
    r"[,;] (?:but|so|and|yet|thus|hence)\b|\band (?:i|thus|so|therefore|deserves|earns|merits)\b|\bi\b|\bmy\b"
)
_SAID_IN_SCRIPT = re.compile(
    r"(?:声称|聲稱|自称|自稱|宣称|写道|寫道|说自己|要求|称自己|と主張|と述べ|と書|주장"
    r"|라고 (?:말|주장|썼)|يدعي|يزعم|दावा)"
)
_ADDRESSED = re.compile(
    r"\b(?:ignore (?:all|any|the|previous|prior|your)|disregard|you (?:must|should|have to|need to|will|are to)"
    r"|please (?:rate|give"
    r"|score|assign|award)|the judge (?:must|should|to)|judges? (?:must|should)|system (?:message|prompt|note)"
    r"|injection)\b"
)
_OTHERS = re.compile(
    r"\b(?:reference|gold|ideal|human|sample|expected|baseline|typical|another|other|previous|second"
    r"|first) (?:answer|response|solution"
    r"|reviewer|judge|grader|rater|evaluator|output|rating|score)s?\b|\bthe reference\b"
    r"|\b(?:an?|any) (?:complete|perfect|better|ideal|full|stronger|good|top|flawless) (?:\w+ )?(?:answer|response"
    r"|one|output) would\b|\b(?:humans?|people|users?"
    r"|readers|reviewers"
    r"|critics|customers|everyone|someone|somebody|others) (?:\w+ )?(?:would|might|may|could|gave|give|rate|rated"
    r"|scored|say)\b"
    r"|\baccording to (?!my\b|the (?:\w+ )?(?:rubric|criteria|scale|guidelines?|instructions?|bands?|above)\b)"
    r"|\b(?:an?|any) (?:\w+ )?(?:version|answer|response|output|submission|reply|solution|one)\b[^,.;]{0,40} would\b"
)
_THEIRS_AFTER = re.compile(
    r"[\s\])）\x02]*(?:stars?)?\s*(?:[(（,]?\s?(?:by|from|with|based on|across|among|over|out of)?\s?[\d,.]+k?\+?"
    r" (?:\w+ )?(?:reviews?|ratings?|votes?|users?|customers?|reviewers?|guests?|readers?)\b"
    r"|(?:by|from|among) (?:\w+ )?(?:users|customers|critics|reviewers|readers|guests|viewers|players|people)\b"
    r"|on (?:amazon|imdb|yelp|google|tripadvisor|trustpilot|goodreads|metacritic|steam|booking|rotten|the app store)\b"
    r"|(?:stars )?(?:and|or) (?:above|up|higher|more)\b)"
)
"""What follows a rating by others: `(1,234 reviews)`, `by users`, `on IMDb`, or a filter: `and above`."""
_WOULD = re.compile(r"(?:\b(?:would|could|might)|['’]d)\b")
_WITH_MORE = (
    r"(?:with|plus) (?:an? |the |some )?(?:more|better|proper|added|additional|fewer|working|correct|clearer|real"
    r"|actual|full|stronger|deeper|citations?|sources?|references?|tests?|examples?|evidence|proof)\b"
)
_WITH_MORE_AFTER = re.compile(rf"[\s\])）\x02]*{_WITH_MORE}")
_LATER_AFTER = re.compile(r"[\s\])）\x02]*(?:with|once|after|when|as soon as|assuming)\b(?! (?:all|me\b))")
_MORE_FIRST = re.compile(rf"\W*(?:{_WITH_MORE}|(?:once|assuming|as soon as)\b)")
_IT_WOULD = re.compile(
    r"\b(?:it|this|that|(?:the|this) \w+)(?: \w+)?(?: would| could| might|['’]d) (?:\w+ )?"
    r"(?:be|get|earn|deserve|rate|score|receive|merit|reach|warrant)\b"
)


def _is_hypothetical(clause: str, after: str) -> bool:
    """Whether a score is for a work that does not exist: `would be a 9 with citations`."""
    if not _WOULD.search(clause):
        return False
    if _WITH_MORE_AFTER.match(after) or _MORE_FIRST.match(clause):
        return True
    return bool(_IT_WOULD.search(clause) and _LATER_AFTER.match(after))


_EXAMPLE = re.compile(
    r"\bformat\b[^.!?]{0,40}$|例[:：]|예:|\bex[.:]|\b(?:for example|for instance|e\.g\.|such as|z\. ?b\."
    r"|par exemple|por ejemplo|ad esempio"
    r"|por exemplo)\b|例如|例えば|예를"
)

_CONDITIONAL = re.compile(
    r"\b(?:if|unless|had (?:it|the|this|they)|(?:would|could|might|should|may)(?: \w+)? have|could be|might be"
    r"|may be|could (?:earn|get|reach|receive|score|deserve)|might (?:deserve|earn|merit|get)|were it|otherwise"
    r"|tempted|(?:i|we) (?:might|may|could)"
    r"|considered (?:giving|a)|was going to|initially|originally|at first|first (?:i|gave|thought)|previously"
    r"|hypothetical\w*"
    r"|(?<!than )(?<!to )(?<!since )last (?:time|week|month|year|round)|yesterday|earlier,? (?:i|we|my)"
    r"|(?:i|we) earlier|(?:previous|last|earlier|prior|first|former) (?:round|review|evaluation|version|pass|turn"
    r"|attempt|run|session|assessment|draft|iteration|reading|read|look|judge?ment)|(?:i|we)(?: had|['’]d)(?: \w+)?"
    r" (?:given|rated|scored|awarded|assigned|graded)|used to|back then|letztes mal|beim letzten mal|la derniere fois"
    r"|la ultima vez|l'ultima volta|(?:d)?a ultima vez|в прошлыи раз|в прошлый раз"
    r"|in theory|ideally|potential|wenn|falls|hatte|ware|sonst|ursprunglich|zunachst|aurait|serait une? \d|sinon"
    r"|initialement"
    r"|habria|hubiera|seria una? \d|inicialmente|avrebbe|sarebbe|inizialmente|teria|если|иначе|сначала|изначально"
    r"|لو|اذا|अगर|यदि)\b"
    r"|(?:^|[,;:(] ?)(?:si|se)\b"
    r"|上次|上一次|前回|지난번|如果|若|假如|要是|本来|原本|本可|除非|もし|であれば|なら|たら、|れば、|当初|만약|다면|라면|았으면|처음에는"
)
_CONDITIONAL_AFTER = re.compile(
    r"\s?(?:geben|vergeben|bewerten),? (?:wenn|falls|sofern)|"
    r"[\s\x02\])）】]*(?:points?|stars?)?\s*(?:(?:could|might|may|would|can)(?: \w+)? (?:have|also have)\b"
    r"|(?:could|might|may|can)(?: \w+)? be\b|(?:could|might|can|cannot|can't)(?: only)? (?:not |only )?(?:be"
    r"|have|reach)"
    r"|hatte|ware (?:moglich|erreicht)|aurait|serait (?:possible|envisageable)|habria|podria|hubiera|avrebbe"
    r"|sarebbe stat"
    r"|potrebbe|poderia|teria|seria possivel|можно было|мог(?:ла|ло)? бы|本可|可以(?:得到|达到)|が可能|も可能"
    r"|(?:을|를)? 받을 수 있)"
    r"|[\s\x02\])）】]*(?:points?|stars?)?[\s,(—–-]*(?:only |but only |even )?(?:if|unless|had (?:it|the|they)"
    r"|provided|wenn|falls|si |se |если"
    r"|如果|若)|[\s\x02\])）】]*(?:points?|stars?)?[\s,—–-]*(?:would (?:require|need|mean|be (?!appropriate|fair"
    r"|reasonable|justified|warranted|suitable|fitting|given|my|the"
    r"|awarded|assigned|more appropriate|apt))|requires?|means?|represents?|indicates?|corresponds?|denotes?"
    r"|is reserved|reserved"
    r"|(?:being|is|are|was) (?:the )?(?:best|highest|lowest|worst|perfect|maximum|minimum|excellent|poor)\b|being\b"
    r"|is (?:too|not|for|only for)|isn't|seems (?:too|high|low|harsh|generous)|=\s?[a-z]|(?:was|were) (?:too"
    r"|my (?:first|initial))"
    r"|initially|originally|at first|before\b|ではな|では無|ではありません|이 아니|가 아니|は(?:与え|付け)られ)"
)
_COMPARED = re.compile(
    r"(?:\bnot(?: \w+){0,4}|n['’]t(?: \w+){0,4}|\bnever(?: \w+){0,3}|\bno(?: \w+){0,2}|\bcannot(?: \w+){0,5}"
    r"|\bneither(?: \w+){0,2}|\bnor"
    r"|\bthan|\bbelow|\bunder|\babove|\bover|\bat least|\bat most|\balmost|\bnearly|\bclose to|\bup to|\bbeyond"
    r"|\bexceed\w*|\bshort of"
    r"|\brather than|\binstead of|\bversus|\bvs\.?|\bwithout|\bhardly|\bbarely|\bmax\w*|\bmin\w*"
    r"|\bthreshold(?: of)?|\bfar from"
    r"|\bfrom|\bbetween|\bstep|\blevel|\bprevent\w*(?: \w+){0,4}|\bkeep\w*(?: \w+){0,4} from(?: \w+){0,3}|\bor"
    r"|\bto (?:get|reach|earn|achieve|merit|deserve|receive|justify|warrant|be|obtain|attain|make it)"
    r"|\bfor|\bper|\bdoes(?: \w+)? not|\bwhy|\bnicht|\bkeine?|\bstatt|\banstatt|\bunter|\buber|\bmindestens"
    r"|\bhochstens|\bfast"
    r"|\bpas|\bplutot que|\bau lieu d'|\bau moins|\bau plus|\bmoins de|\bplus de|\bpresque|\ben lugar de"
    r"|\bal menos|\bmenos de|\bmas de"
    r"|\bcasi|\bnon|\binvece di|\balmeno|\bmeno di|\bpiu di|\bquasi|\bnao|\bem vez de|\bpelo menos|\bne|\bне"
    r"|\bвместо|\bменее|\bболее"
    r"|\bпочти|\bот|\bс|\bليس|\bبدلا|\bनहीं|不是|而非|不足|不到|低于|高于|超过|至少|最多|接近|未达到|从|~|≈|<|>|≤|≥"
    r"|\babout|\baround|\bapproximately|\broughly|\bapprox\.?|\bcirca|\bca\.|\betwa|\bungefahr|\benviron"
    r"|\balrededor de|\bcerca de"
    r"|\bоколо|\bпримерно|大约|大概|约|約|およそ|약|대략)"
    r"(?:\s+(?:an?|the|eine[nr]?|une?|una|uma|perfect|full|clear|solid|score|rating|grade|of|a score of"
    r"|a rating of))*[\s\x02\[(]*$"
)
_COMPARED_LABEL = re.compile(
    r"(?:~|≈|<|(?<![-=])>|≤|≥|\b(?:not|n't|about|around|approximately|roughly|over|under|below|above|at least|at most"
    r"|between|from|less than|more than|nearly|almost))(?: an?)?[\s\[(]*$"
)
_DELTA = re.compile(
    r"\b(?:deduct\w*|subtract\w*|minus|los(?:es|e|t|ing)|penal\w+|dock\w*|knock\w*|tak(?:e|es|ing) (?:off|away)"
    r"|remov\w+|add(?:s|ed|ing)?"
    r"|plus|bonus|another|additional|extra|by|abzug|abgezogen|minus|retir\w+|perd\w*|rest\w+|tolgo|снимаю|минус)"
    r"(?: \w+){0,2}[\s\x02\[(+-]*$|[+]\s*$|扣除?(?:了|去)?\s*$|减(?:去|了)?\s*$|加\s*$"
)
_DELTA_AFTER = re.compile(
    r"[\s\x02\])-]*(?:points?|marks?)?\s*(?:off\b|deduct\w*|deduction|lost\b|less\b|lower\b|higher\b|short\b"
    r"|each\b|per\b|were\b|away\b|from (?:most|many|some|any|the|an?|readers|teachers|reviewers|users|critics)\b"
    r"|abzug|减点|減点|감점|扣)"
)
_SECOND_NEGATION = re.compile(
    r"\bi (?:would not|wouldn['’]t|cannot|can['’]t|could not|couldn['’]t|do not|don['’]t|am not|refuse)\b"
)

_CLAUSE = re.compile(
    r";|\b(?:but|however|therefore|thus|hence|and so|and i|so i|so my|so the|so it|instead|nevertheless"
    r"|nonetheless|still|yet|as it stands|in its current"
    r"|aber|jedoch|daher|deshalb|trotzdem|mais|donc|cependant|pero|sin embargo|por lo tanto|por eso|quindi"
    r"|tuttavia|mas|portanto|но|поэтому"
    r"|однако)\b|但|因此|所以|しかし|したがって|よって|そのため|하지만|따라서|그러나|그래서|لذلك|لكن|इसलिए|लेकिन"
)


def clause_of(sentence: str) -> str:
    """The last clause before a figure: from the last "but", "so" or "therefore" on."""
    start = 0
    for match in _CLAUSE.finditer(sentence):
        start = match.start()
    return sentence[start:]


def is_disclaimed(sentence: str, after: str, *, labelled: bool) -> bool:
    """Whether a figure is not the judge's own, actual score: reported, an example, conditional, a deduction, denied,
    compared or vague."""
    clause = clause_of(sentence)
    compared = (
        _COMPARED_LABEL.search(clause) if labelled else _COMPARED.search(clause) or _SECOND_NEGATION.search(clause)
    )
    conditional = _CONDITIONAL_AFTER.match(after) or _is_hypothetical(clause, after)
    theirs = _THEIRS_AFTER.match(after)
    added = _DELTA.search(clause) or _DELTA_AFTER.match(after)
    return bool(conditional or theirs or added or compared) or not speaks_for_itself(sentence)


def speaks_for_itself(sentence: str) -> bool:
    """Whether the words before a figure are the judge's own and actual: not reported, not conditional."""
    clause = clause_of(sentence)
    return not (_foreign(sentence) or _EXAMPLE.search(clause) or _CONDITIONAL.search(clause))


def _foreign(sentence: str) -> bool:
    if _RATES_ANOTHER.search(clause_of(sentence)) or _RATES_ANOTHER_IN_SCRIPT.search(sentence):
        return True
    if _SAYS_COLON.search(sentence) or _SHOWN_LINE.search(sentence):
        return True
    if _ADDRESSED.search(sentence) or _SAID_IN_SCRIPT.search(sentence) or _SHOWN.search(sentence):
        return True
    report = _REPORTED.search(sentence)
    if report is not None and not _OWN_AGAIN.search(report["rest"]):
        return True
    mention = None
    for mention in _OTHERS.finditer(sentence):  # noqa: B007
        pass
    return mention is not None and not _OWN_AGAIN.search(sentence, mention.end())
