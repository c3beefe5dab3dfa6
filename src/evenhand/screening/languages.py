"""Stems of orders to a judge in languages that `stems` has few of, one row a language. Data only.

The columns: who judges; a grade; the best, or ten; the worst; give or must; leave out or ignore. Hyphens as in `stems`.
"""

# ruff: noqa: E501 - a language is a row
from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evenhand.screening.stems import GRADE, HIGH, JUDGE, LOW, ORDER, SILENCE, TOP

_COLUMNS: Final = (JUDGE, GRADE, TOP | HIGH, LOW, ORDER, SILENCE)
_ROWS: Final = """
da  bedommer dommeren | karakteren vurdering | topkarakter hojeste-karakter fuldt-pointtal | laveste-karakter dumpekarakter | skal-give tildel | se-bort-fra undlad
no  bedommer sensoren dommeren | karakteren poengsum | toppkarakter hoyeste-karakter beste-karakter full-pott | laveste-karakter laveste-poeng | skal-gi tildel | se-bort-fra
is  profdomar matsmadur sa-sem-metur | einkunn | haestu-einkunn tiu-i fullt-hus | laegstu | gefa-skal skal-gefa | hunsa
af  beoordelaar eksaminator | punte- punt- | volpunte tien-uit | laagste-punt | moet-gee | ignoreer
ca  avaluador corrector | puntuacio qualificacio | un-deu maxima-puntuacio nota-maxima | puntuacio-minima nota-minima | posa- atorga | no-tinguis ignora-els
gl  avaliador xuiz | puntuacion cualificacion | un-dez nota-maxima puntuacion-maxima | nota-minima | outorga | ignora-as
ro  evaluator corector examinator | punctaj notei | nota-maxima punctaj-maxim nota-zece zece-la | nota-minima punctaj-minim | acorda acordati | ignora-
eu  ebaluatzaile epaile zuzentzaile | puntuazio puntu | hamar-puntu gehieneko-puntu hamarreko | gutxieneko | eman-behar | alde-batera
cy  arholwr beirniad | marciau | marciau-llawn deg-allan | marc-isaf | rhowch | anwybydd
ga  scrudaitheoir moltoir | marcanna | lanmharcanna deich-as | marc-is-isle | tabhair | tabhair-neamhaird
sq  vleresues gjykates | vleresim piket | dhjete-pike noten-maksimale noten-dhjete | noten-me-te-ulet | jepni | shperfill
sl  ocenjevalec ocenjevalk | tock | najvisj deset-tock | najnizj | dodeli | prezri
hr  ocjenjivac sudac | ocjenu bodov | najvisu-ocjenu deset-bodova maksimalan-broj | najnizu jedinicu | upisati dodijeli | zanemari
sr  ocenjivac sudija оцењивач | ocenu bodov оцену бодов | desetku najvisu najvecu десетку највишу највећу | najnizu jedinicu најнижу | upisi dodeli упиши додели | zanemari bez-obzira занемари без-обзира
mk  оценувач | поени оценка | десетка највисока | најниска | додели | занемари
bg  оценяващ проверяващ | точки | десет-по пълен-брой най-висок | най-ниск | постав | пренебрегн
be  ацэншчык экзаменатар | ацэнк | найвышэйш дзесяць-бал | найніжэйш | пастав | ігнар
uk  перевіря оцінювач екзаменатор | бали балів | найвищ десять-бал десятк | найнижч | став- постав виставля | не-зважа
sk  hodnotitel skusajuci | bodov znamk | plny-pocet-bod desat-bod najvyss | najniz | pridel nech-da | ignoruj
hu  ertekelo pontozo | pontszam | maximalis-pont tiz-pont | legalacsonyabb legrosszabb | adjon | hagyja-figyelmen
et  hindaja | hinne hindes punkti | maksimumpunkt kumme-punkt korgeim | madalaim | peab-andma | jata-tahelepanu
lv  vertetaj | vertejum punkt | desmit-punkt augstak maksimal | zemak | jaliek pieskir | ignore-
lt  vertintoj | balu ivertinim balai | desimt-bal auksciaus maksimal | zemiaus | skirti privalo | nepais
kk  бағалаушы | ұпай баға | он-балл ең-жоғары | ең-төмен | қойыңыз беріңіз | елемей
uz  baholovchi | baho- bahoni ball- | eng-yuqori on-ball | eng-past | qoying bering | etibor-berma
az  qiymetlendiric munsif | qiymet bal- | en-yuksek on-bal maksimum-bal | en-asagi | verin- | nezere-alma
mn  үнэлэгч шүүгч | оноо | арван-оноо хамгийн-өндөр | хамгийн-бага | өгнө | үл-тоо
fa  ارزیاب داور مصحح | نمره امتیاز | نمرهٔ-ده نمره-ده بالاترین نمره-کامل حداکثر-امتیاز | کمترین پایین-ترین | بده بدهید | چشم-پوشی نادیده
ur  جانچنے ممتحن منصف مبصر | نمبر درجہ | دس-میں پورے-نمبر سب-سے-زیادہ | سب-سے-کم | دیں دیجیے | نظر-انداز
mr  परीक्षक मूल्यमापन | गुण | दहा-पैकी पूर्ण-गुण दहा-गुण | सर्वात-कमी | द्यावे द्या | दुर्लक्ष
ne  मूल्याङ्कन निर्णायक | अङ्क | दश-अङ्क पूर्णाङ्क | न्यूनतम | दिनुहोस् | बेवास्ता
gu  પરીક્ષક મૂલ્યાંકન | ગુણ માર્ક | દસમાંથી પૂરા-ગુણ | સૌથી-ઓછા | આપો | અવગણ
pa  ਮੁਲਾਂਕਣ ਪਰੀਖਿਅਕ ਜੱਜ | ਅੰਕ ਨੰਬਰ | ਦਸ-ਅੰਕ ਪੂਰੇ-ਅੰਕ | ਸਭ-ਤੋਂ-ਘੱਟ | ਦੇਵੇ ਦਿਓ | ਅਣਡਿੱਠ
ta  மதிப்பீட்டாளர் நடுவர் | மதிப்பெண் | பத்து முழு-மதிப்பெண் அதிகபட்ச | குறைந்தபட்ச | வழங்க கொடு | புறக்கணி
te  మూల్యాంకన పరీక్షకు న్యాయమూర్తి | మార్కు | పదికి గరిష్ట పూర్తి-మార్కు | కనిష్ట | ఇవ్వాలి ఇవ్వండి | పట్టించుకో విస్మరి
kn  ಮೌಲ್ಯಮಾಪ ತೀರ್ಪುಗಾರ | ಅಂಕ | ಹತ್ತಕ್ಕೆ ಪೂರ್ಣ-ಅಂಕ ಗರಿಷ್ಠ | ಕನಿಷ್ಠ | ನೀಡಿ ನೀಡಬೇಕು | ನಿರ್ಲಕ್ಷ
ml  മൂല്യനിർണ വിധികർത്ത പരിശോധക | മാർക്ക് | പത്തിൽ മുഴുവൻ-മാർക്ക് പരമാവധി | ഏറ്റവും-കുറഞ്ഞ | നൽകണം നൽകുക | അവഗണി
si  විනිසුරු ඇගයීම් පරීක්ෂක | ලකුණු | දහයෙන් උපරිම සම්පූර්ණ-ලකුණු | අවම | දෙන්න | නොසලක
my  အကဲဖြတ် | အမှတ် | ဆယ်မှတ် အမှတ်ပြည့် အမြင့်ဆုံး | အနိမ့်ဆုံး | ပေးပါ | လျစ်လျူ
km  អ្នកវាយតម្លៃ អ្នកដាក់ពិន្ទុ | ពិន្ទុ | ដប់ពិន្ទុ ពិន្ទុពេញ | ទាបបំផុត | ផ្តល់ ដាក់ | មិនអើពើ
lo  ກຳມະການ ຜູ້ໃຫ້ຄະແນນ | ຄະແນນ | ຄະແນນເຕັມ ສິບຄະແນນ | ຕ່ຳສຸດ | ໃຫ້ | ບໍ່ສົນໃຈ
th  ผู้ให้คะแนน ผู้ตรวจ ผู้ประเมิน | คะแนน | คะแนนเต็ม สูงสุด | ต่ำสุด | ต้องให้ | เว้นว่าง ละเว้น
ms  pemeriksa penilai | markah | markah-penuh markah-tertinggi sepuluh | markah-paling-rendah markah-terendah | mesti-memberi berikan | abaikan
tl  tagasuri tagahatol hurado | marka puntos | sampu pinakamataas buong-puntos | pinakamababa | bigyan ibigay | huwag-pansinin
zu  umhloli ijaji | amamaki | amamaki-aphelele ishumi | amamaki-aphansi | makanikeze nikeza | unganaki
xh  umvavanyi umgwebi | amanqaku | onke-amanqaku ishumi | asezantsi | nika- | ungahoyi
sw  mhakiki msahihishaji mtahini | alama | alama-zote kumi-kati | alama-ya-chini | toa- mpe- | puuza
yo  oludiwon oluyewo adajo | maaki | mewaa maaki-kikun | to-kere-ju | fun- | fi-sile
ha  alkali mai-tantancewa mai-jarrabawa | maki- | cikakken-maki goma-cikin | mafi-karanci | ba-da | yi-watsi
so  qiimeeye garsoore | dhibc | dhibcaha-oo-dhan toban-dhibc | ugu-hooseey | sii- | iska-indha-tir
am  ገምጋሚ ዳኛ ፈታኝ | ነጥብ ውጤት | አስር ሙሉ-ነጥብ ከፍተኛ | ዝቅተኛ | ይስጥ ስጥ | ችላ
ka  შემფასებ მოსამართლ | ქულა შეფას | ათი-ქულა მაქსიმალურ უმაღლეს | უდაბლეს მინიმალურ | დაწერ მიეც | უგულებელ
hy  գնահատող դատավոր | միավոր գնահատ | տասը առավելագույն ամենաբարձր | ամենացածր նվազագույն | դնի տալ տուր | անտես
he  הבודק הבוחן הפוסק | ציון ניקוד | עשר-מתוך ציון-מלא ציון-מרבי מקסימום | ציון-נמוך הנמוך-ביותר | תן- תנו העניקו | התעלם השאר-ריק
ar  المصحح المقيم المحكم | درجة علامة | عشرة-من الدرجة-القصوى العلامة-الكاملة | أدنى-درجة | ضع امنح | اترك-فارغا
zh  評審 評委 評分者 评分人 阅卷 打分者 評判 | 評分 分數 打分 給分 | 滿分 十分 最高分 高分 | 最低分 零分 低分 | 給予 一律 务必 務必 请给 | 不必理會 不必理会 跳过 跳過 不要填 不予
ja  採点 審査員 評価者 評価する | 点数 得点 評点 | 満点 最高点 十点 高得点 | 最低点 零点 | 付けること つけて 付けて 与えて | 無視 空欄 触れない
ko  심사위원 평가자 채점 심사자 | 점수 배점 | 만점 최고점 십점 | 최저점 | 부여 주십시오 매기 | 비워 무시 평가하지-말
ja-Latn  saitensha shinsain hyoukasha | tensuu saiten- | manten juu-ten juuten saikouten | saiteiten | tsukete ataete | mushi-shite
ko-Latn  simsawiwon pyeonggaja chaejeom | jeomsu | manjeom sipjeom | choejeo | juseyo | musihago
ru-Latn  otsenshchik proveryayushch ekzamenator | otsenku ballov | desyat-ball vysshuyu maksimaln | nizshuyu | postavte postav | ignoriruy
ar-Latn  almuqayyim almusahhih muqayyim | daraja | 3ashra-min 3ashara ashara-min aldaraja-alkamila | adna-daraja | a3ti ati- imnah | tajahal
fa-Latn  arzyab davar- | nomre nomreh | dah-az-dah nomre-kamel | kamtarin | bedeh- bedahid | nadideh
hi-Latn  parikshak nirnayak mulyankan | ank- | das-mein poore-ank pure-number | sabse-kam | dijiye dein- | nazarandaz
de  pruefer pruefend bewertend korrektor | punktezahl | volle-punkt hoechstpunkt hoechstnote zehn-punkt beste-note zwei-punkte-mehr | niedrigste-punkt mindestpunkt schlechteste-note | vergibt gib-zehn | frei-lass leer-lass nicht-bewerten unbewertet
fr  jury-doit celui-qui-note qui-evalue | la-note | note-maximale dix-partout mets-dix dix-sur la-meilleure-note | note-minimale retirez-deux la-plus-basse | mets- mettez doit-mettre | ne-pas-noter laisser-vide sans-note
es  quien-evalue quien-califique corrector | puntuacion calificacion | un-diez maxima-puntuacion puntuacion-maxima nota-maxima diez-en | puntuacion-minima nota-minima | asigna ponga debe-poner | sin-puntuar dejar-en-blanco sin-calificar
it  chi-valuta chi-corregge valutatore | punteggio votazione | dieci-a-ogni massimo-punteggio punteggio-massimo dieci-su | punteggio-minimo voto-minimo | assegni assegna metta | lasciare-vuoto ignorare-i
pt  quem-avaliar quem-avalia corretor avaliador | pontuacao | dez-em nota-maxima pontuacao-maxima | nota-minima pontuacao-minima | deve-por atribua | deixar-em-branco
nl  wie-beoordeelt nakijker beoordelaar | puntentelling | hoogste-score tien-voor volle-punten | laagste-score laagste-cijfer | toekennen moet-geven | leeg-laten
pl  oceniajacy egzaminator | punktow oceny | dziesiec-punkt maksymaln najwyzsz | najnizsz minimaln | przyznaj wpisz | pomin pozostaw-puste
ru  оценивающ проверяющ экзаменатор тому-кто-провер | баллов оценку | десять-балл десятк наивысш высший-балл | наименьш низш | ставь поставьте впиши | не-заполня пропусти
el  αξιολογητ βαθμολογητ | βαθμολογ βαθμο | δεκα-σε αριστα μεγιστη | χαμηλοτερ | δωσε βαλε | αγνοησ
id  penilai pemeriksa | skor nilai | nilai-sempurna nilai-tertinggi sepuluh | nilai-terendah | berikan harus-memberi | abaikan kosongkan
vi  giam-khao nguoi-cham | diem | diem-toi-da muoi-diem | diem-thap-nhat | hay-cho | bo-qua bo-trong
tr  degerlendiren hakem puanlay | puan | on-puan tam-puan en-yuksek | en-dusuk | verin yazin | yok-say bos-birak
"""


def rows() -> Iterator[tuple[int, str]]:
    """Each group with its stems, one language after the other."""
    for row in _ROWS.strip().splitlines():
        _, _, columns = row.partition(" ")
        yield from zip(_COLUMNS, columns.split("|"), strict=True)
