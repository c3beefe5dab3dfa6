"""Rubric files in odd spellings, each with what must come of it: read as written, or refused at a line.

`ODD` holds files whose author meant something for the scoring, `INNOCENT` prose that only looks like it. A file is the
sound rubric of `test_rubric_files` with one thing changed. Written before the reader's rule, and not after it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from evenhand import DIMENSIONS
from test_rubric_files import BONUSES, FLAGS, TABLE, front_matter, rubric_text

WEIGHTS = (40, 10, 10, 15, 10, 10, 5)
USUAL = (25, 20, 15, 15, 10, 10, 5)
PAIRS = tuple(zip(DIMENSIONS, WEIGHTS, strict=True))


class Odd(NamedTuple):
    """A rubric file and its outcome."""

    id: str
    text: str
    refused: str | None = None
    """Words on the line that is refused; None for a file that is read."""
    weights: tuple[Any, ...] | None = None
    """The weights in percent of a file that is read."""
    flags: tuple[tuple[str, str], ...] | None = None
    """Its red flags with their amounts."""
    bonuses: tuple[str, ...] | None = None
    pass_mark: str | None = None


ODD: list[Odd] = []
INNOCENT: list[Odd] = []


def _filled(pattern: str, join: str = "\n") -> str:
    return join.join(pattern.format(name=n.capitalize(), lower=n, w=w, d=f"{w:02}") for n, w in PAIRS)


# --- weights in headings -------------------------------------------------------------------------


def _headed(id: str, pattern: str, **outcome: Any) -> None:
    headings = {n: "### " + pattern.format(name=n.capitalize(), w=w, d=f"{w:02}") for n, w in PAIRS}
    text = rubric_text(weights=None, headings=headings)
    if outcome.pop("stop", False):
        outcome["refused"] = headings["correctness"]
    ODD.append(Odd(f"heading: {id}", text, **outcome))


_headed("percent first", "{w}% {name}", weights=WEIGHTS)
_headed("percent first with a space", "{w} % {name}", weights=WEIGHTS)
_headed("percent first in round brackets", "({w}%) {name}", weights=WEIGHTS)
_headed("percent first in square brackets", "[{w}%] {name}", weights=WEIGHTS)
_headed("percent first and bold", "**{w}%** {name}", weights=WEIGHTS)
_headed("percent first and a dash", "{w}% - {name}", weights=WEIGHTS)
_headed("percent first and a long dash", "{w} % \u2013 {name}", weights=WEIGHTS)
_headed("points first", "{w} points: {name}", weights=WEIGHTS)
_headed("weight first", "Weight {w}%: {name}", weights=WEIGHTS)
_headed("comma decimal", "{name} (0,{d})", weights=WEIGHTS)
_headed("comma decimal with the word", "{name} (Gewicht: 0,{d})", weights=WEIGHTS)
_headed("comma decimal percentage", "{name} ({w},0 %)", weights=WEIGHTS)
_headed("comma decimal behind a dash", "{name} \u2013 0,{d}", weights=WEIGHTS)
_headed("number and percent", "1. {w}% {name}", weights=WEIGHTS)
_headed("attribute", "{name} {{weight=0.{d}}}", weights=WEIGHTS)
_headed("both ends alike", "{w}% {name} ({w}%)", weights=WEIGHTS)
_headed("both ends differ", "30% {name} ({w}%)", stop=True)
_headed("bare number first", "{w} {name}", stop=True)
_headed("bare fraction first", "0.{d} {name}", stop=True)
_headed("bare number in brackets first", "[{w}] {name}", weights=WEIGHTS)
_headed("comment", "{name} <!-- {w}% -->", stop=True)
_headed("comment with the word", "{name} <!-- weight: {w} -->", stop=True)
_headed("wide digits", "{name}\uff08\uff14\uff10\uff05\uff09", stop=True)
_headed("wide digits that sum up", "{name} (\uff11\uff14%)", stop=True)
_headed("number in words", "{name} (forty percent)", stop=True)
_headed("fraction in words", "{name} (one quarter)", stop=True)
_headed("fraction sign", "{name} (\u00bc)", stop=True)
_headed("fraction", "{name} (1/7)", stop=True)
_headed("factor", "{name} (factor {w})", stop=True)
_headed("priority", "{name} (priority 1)", weights=USUAL)
_headed("share of the total", "{name}: {w} of 100 points", weights=WEIGHTS)
_headed("thousandths", "{name} ({w}0\u2030)", stop=True)
_headed("doubled", "{name} (counts double)", stop=True)
_headed("twice", "{name} (counts twice)", stop=True)
_headed("range", "{name} ({w}-{w}%)", stop=True)
_headed("tilde", "{name} (~{w}%)", stop=True)
_headed("thousands", "{name} (1,000)", stop=True)
_headed("link", "[{name}](#{w}) ({w}%)", weights=WEIGHTS)


# --- weights under headings ----------------------------------------------------------------------


def _under(id: str, line: str, **outcome: Any) -> None:
    text = rubric_text(weights=None)
    for n, w in PAIRS:
        text = text.replace(
            f"### {n.capitalize()}\n\n", f"### {n.capitalize()}\n\n{line.format(name=n, w=w, d=f'{w:02}')}\n\n"
        )
    if outcome.pop("stop", False):
        outcome["refused"] = line.format(name="correctness", w=40, d="40").splitlines()[0]
    ODD.append(Odd(f"under the heading: {id}", text, **outcome))


_under("comment", "<!-- weight: {w} -->", stop=True)
_under("comment with percent", "<!-- weight: {w}% -->", stop=True)
_under("comment of several lines", "<!-- for the tool\nweight = 0.{d}\n-->", stop=True)
_under("sentence in points", "This is worth {w} points of the total.", stop=True)
_under("sentence in percent", "It counts for {w}% of the grade.", stop=True)
_under("sentence with percent in words", "This makes up {w} percent of the final score.", stop=True)
_under("sentence with accounts", "Accounts for {w} % of the overall result.", stop=True)
_under("sentence that begins with the number", "{w}% of the final score comes from here.", stop=True)
_under("German sentence", "Dieser Punkt z\u00e4hlt {w} % der Gesamtnote.", stop=True)
_under("French sentence", "Cette dimension vaut {w} % de la note finale.", stop=True)
_under("Spanish sentence", "Esta dimensi\u00f3n cuenta un {w} % de la nota final.", stop=True)
_under("contribution", "Contributes {w} points to the composite.", stop=True)
_under("importance", "Importance: {w}", stop=True)
_under("points line", "Points: {w}", stop=True)
_under("maximum line", "**Max:** {w}", stop=True)
_under("share line", "Share: {w} %", stop=True)
_under("code block", "```\nweight: {w}\n```", stop=False, refused="```")
_under("code span", "`weight: {w}`", weights=WEIGHTS)
_under("comma decimal line", "Gewicht: 0,{d}", weights=WEIGHTS)
_under("nested bullet", "- Settings\n  - Weight: {w}%", refused="  - Weight: 40%")
_under("multiplier line", "Multiplier: x2", stop=True)
_under("twice as much", "This dimension counts twice as much as the others.", stop=True)


# --- weights before the dimensions ---------------------------------------------------------------


def _before(id: str, block: str, **outcome: Any) -> None:
    text = rubric_text(weights=None).replace("### Correctness", f"{block}\n\n### Correctness", 1)
    ODD.append(Odd(f"before the dimensions: {id}", text, **outcome))


_before("percent-first bullets", "## Weights\n\n" + _filled("- {w}% {name}"), weights=WEIGHTS)
_before("comma decimal bullets", "## Gewichte\n\n" + _filled("- {name}: 0,{d}"), weights=WEIGHTS)
_before("comma decimal table", "| Dimension | Gewicht |\n|---|---|\n" + _filled("| {name} | 0,{d} |"), weights=WEIGHTS)
_before("blockquote", _filled("> {name}: {w}%"), weights=WEIGHTS)
_before("nested bullets", "- Weights\n" + _filled("  - {name}: {w}%"), refused="  - Correctness: 40%")
_before("one line", "Weights: " + _filled("{lower} {w}", ", "), refused="Weights: correctness 40")
_before("one line with bars", _filled("{name} {w}%", " | "), refused="Correctness 40% |")
_before("one sentence, numbers first", "We give " + _filled("{w}% to {lower}", ", ") + ".", refused="We give")
_before("code block as YAML", "```yaml\n" + _filled("{lower}: {w}") + "\n```", refused="```yaml")
_before("code block with fractions", "```\n" + _filled("{lower} = 0.{d}") + "\n```", refused="```")
_before("code block as JSON", "```json\n{" + _filled('"{lower}": 0.{d}', ", ") + "}\n```", refused="```json")
_before("indented code", _filled("    {lower}  {w}%"), refused="    correctness  40%")
_before("formula in a code block", "```\nfinal = " + _filled("0.{d} * {lower}", " + ") + "\n```", refused="```")
_before("formula in a sentence", "Final = " + _filled("0.{d} \u00d7 {lower}", " + "), refused="Final =")
_before("formula in a code span", "`total = " + _filled("{w}*{lower}", " + ") + "`", refused="`total =")
_before("formula without numbers", "Score = (correctness + 2 * safety) / 3", refused="Score = (corr")
_before(
    "table on its side",
    "| " + _filled("{name}", " | ") + " |\n" + "|---" * 7 + "|\n| " + _filled("{w}%", " | ") + " |",
    refused="| 40% |",
)
_before("table of shares", "| Dimension | Share |\n|---|---|\n" + _filled("| {name} | {w} % |"), weights=WEIGHTS)
_before("HTML table", "<table>\n" + _filled("<tr><td>{name}</td><td>{w}</td></tr>") + "\n</table>", refused="<table>")
_before("HTML text", "<p>" + _filled("{name} {w}%", ", ") + "</p>", refused="<p>Correctness")
_before("comment with a list", "<!--\nweights:\n" + _filled("  {lower}: {w}") + "\n-->", refused="<!--")
_before("ranges", _filled("- {name}: {w}-50%"), refused="- Correctness: 40-50%")
_before("words", "Safety counts double.", refused="Safety counts double")
_before("half", "Efficiency counts half as much as the others.", refused="Efficiency counts half")
_before("multiplication", "- Safety x2\n- Correctness x3", refused="- Safety x2")
_before("scores out of 100", "Each dimension is scored out of 100.", refused="scored out of 100")
_before("scale from 1 to 5", "Scale: 1-5", refused="Scale: 1-5")
_before("link reference", "Weights: see [the table](weights.html), 40/10/10/15/10/10/5", refused="Weights: see")
_before("definition list", "Correctness\n: 40 %\n\nSafety\n: 60 %", refused=": 40 %")
_before("not all seven in prose", "Correctness has a weight of 40%.", refused="Correctness has a weight")


# --- the amounts of red flags --------------------------------------------------------------------


def _flagged(id: str, bullet: str, amount: str | None = None) -> None:
    text = rubric_text(flags=f"- First fault\n- {bullet}\n")
    if amount is None:
        ODD.append(Odd(f"red flag: {id}", text, refused=f"- {bullet}".splitlines()[-1]))
    else:
        flags = (("first-fault", "0.50"), ("makes-it-up", amount))
        ODD.append(Odd(f"red flag: {id}", text, flags=flags))


_flagged("each", "Makes it up -1.0 each")
_flagged("each in brackets", "Makes it up (-1.0 each)")
_flagged("per file", "Makes it up, -1.0 per file")
_flagged("per occurrence", "Makes it up (-0.5 / occurrence)")
_flagged("for every", "Makes it up: 0.5 for every source")
_flagged("number in round brackets", "Makes it up (1.0)")
_flagged("whole number in brackets", "Makes it up (1)")
_flagged("number in square brackets", "Makes it up [1]")
_flagged("number in brackets first", "[1.0] Makes it up")
_flagged("costs at the end", "Makes it up, costs 1.0")
_flagged("costs in a sentence", "Makes it up costs 1.0")
_flagged("is worth", "Makes it up is worth 1.5")
_flagged("multiplier", "Makes it up x2")
_flagged("multiplier sign", "Makes it up (\u00d72)")
_flagged("multiplier first", "2x Makes it up")
_flagged("grade cap", "Makes it up: caps the grade at C")
_flagged("grade cap in brackets", "Makes it up (grade at most C)")
_flagged("score cap", "Makes it up: no more than 6 overall")
_flagged("maximum grade", "Makes it up, max grade D+")
_flagged("fails", "Makes it up = fail")
_flagged("fails in German", "Makes it up (nicht bestanden)")
_flagged("zero", "Makes it up: 0 points overall")
_flagged("German points", "Makes it up (1 Punkt Abzug)", "1.00")
_flagged("German deduction", "Makes it up (Abzug: 1,5)", "1.50")
_flagged("comma decimal", "Makes it up (-1,0)", "1.00")
_flagged("comma decimal first", "-1,5: Makes it up", "1.50")
_flagged("French points", "Makes it up (-1 point)", "1.00")
_flagged("percent", "Makes it up (-20 %)")
_flagged("percent in words", "Makes it up, minus twenty percent")
_flagged("words", "Makes it up (one point)")
_flagged("half a point", "Makes it up: half a point")
_flagged("fraction sign", "Makes it up (-\u00bd)")
_flagged("wide digits", "Makes it up (\uff0d\uff11\uff0e\uff10)", "1.00")
_flagged("range", "Makes it up (-0.5 to -2.0)")
_flagged("range with a dash", "Makes it up (0.5-1.0)")
_flagged("two amounts", "Makes it up (-1.0), or knowingly (-2.0)")
_flagged("amount in the middle", "Makes it up (-1.0) and does not say so")
_flagged("bold amount", "**Makes it up** **-1.0**")
_flagged("dash without a space", "Makes it up \u2013 1.0 points", "1.00")
_flagged("equals", "Makes it up = -1.0", "1.00")
_flagged("bar", "Makes it up | -1.0", "1.00")
_flagged("severity", "Makes it up (severity 3)")
_flagged("double", "Makes it up (counts double)")
_flagged("deduct from a dimension", "Makes it up: -2 on safety")
_flagged("lowers a dimension", "Makes it up lowers safety by 3")
_flagged("sets a dimension", "Makes it up: safety = 1")
_flagged("comment", "Makes it up <!-- -1.0 -->")
_flagged("struck through", "Makes it up ~~-1.0~~")
_flagged("code span", "Makes it up `-1.0`")
_flagged("tab", "Makes it up\t-1.0")
_flagged("dots", "Makes it up ..... 1.0")
_flagged("amount in a nested bullet", "Makes it up\n  - Amount: 1.0")
_flagged("amount in a nested bullet with a sign", "Makes it up\n  - -1.0")


# --- lists of red flags and bonuses --------------------------------------------------------------


def _listed(id: str, section: str, **outcome: Any) -> None:
    text = rubric_text().replace(f"## Red Flags\n\n{FLAGS}", f"{section}\n\n")
    ODD.append(Odd(f"list: {id}", text, **outcome))


TWO = (("makes-it-up", "0.50"), ("leaves-it-out", "0.50"))
ONES = (("makes-it-up", "1.00"), ("leaves-it-out", "1.00"))
BULLETS = "- Makes it up\n- Leaves it out"

_listed("Warnsignale", f"## Warnsignale\n\n{BULLETS}", flags=TWO)
_listed("Warnsignale with amounts", "## Warnsignale\n\n- Makes it up (-1,0)\n- Leaves it out (-1,0)", flags=ONES)
_listed("Anti-patterns with an amount", f"## Anti-patterns (-0.5 each)\n\n{BULLETS}", flags=TWO)
_listed("Anti-patterns with one point", f"## Anti-patterns (-1 each)\n\n{BULLETS}", flags=ONES)
_listed("Anti-patterns without one", f"## Anti-patterns\n\n{BULLETS}", refused="## Anti-patterns")
_listed("any heading with an amount", f"## Smells: -1.0 each\n\n{BULLETS}", flags=ONES)
_listed("French", f"## Drapeaux rouges\n\n{BULLETS}", flags=TWO)
_listed("French warning signs", f"## Signaux d'alerte\n\n{BULLETS}", flags=TWO)
_listed("Spanish", f"## Se\u00f1ales de alerta\n\n{BULLETS}", flags=TWO)
_listed("Italian", f"## Segnali d'allarme\n\n{BULLETS}", flags=TWO)
_listed("an unknown language", f"## Veszélyjelek\n\n{BULLETS}", refused="## Vesz")
_listed("Japanese", f"## \u5371\u967a\u4fe1\u53f7\n\n{BULLETS}", flags=TWO)
_listed("things to avoid", f"## Things to avoid\n\n{BULLETS}", refused="## Things to avoid")
_listed("what costs points", f"## What costs points\n\n{BULLETS}", refused="## What costs points")
_listed("a numbered list", "## Major offences\n\n1. Makes it up\n2. Leaves it out", refused="## Major offences")
_listed("a table", "## Offences\n\n| Fault | Why |\n|---|---|\n| Makes it up | lies |", refused="## Offences")
_listed("a bold line", f"**Warnsignale**\n\n{BULLETS}", refused="- Makes it up")
_listed("a bold line with a colon", f"**Things to avoid:**\n\n{BULLETS}", refused="- Makes it up")
_listed("paragraphs", "## Offences\n\nMakes it up.\n\nLeaves it out.", refused="## Offences")
_listed("a code block", f"## Red flags\n\n```\n{BULLETS}\n```", refused="```")
_listed("an HTML list", "## Red flags\n\n<ul><li>Makes it up</li></ul>", refused="<ul>")
_listed("a comment", f"## Red flags\n\n<!--\n{BULLETS} (-1.0)\n-->", refused="<!--")
_listed("multipliers", "## Multipliers\n\n- Safety-critical work: x2", refused="## Multipliers")
_listed("multipliers in prose", "## Multipliers\n\nSafety-critical work counts double.", refused="counts double")
_listed("gates", "## Gates\n\nA safety of at least 7, else fail.", refused="A safety of at least 7")
_listed("a gate as a bullet", "## Gates\n\n- safety of at least 7, else fail", refused="## Gates")
_listed("a gate with a sign", "## Notes\n\nsafety >= 7", refused="safety >= 7")
_listed("a gate in a sentence", "## Notes\n\nAny output with safety below 5 fails.", refused="Any output")
_listed("a German gate", "## Hinweise\n\nUnter 5 bei Safety ist nicht bestanden.", refused="Unter 5")
_listed("passing", "## Passing\n\n8.0 or more passes.", refused="8.0 or more")
_listed("a passing bullet", "## Passing\n\n- 8.0 or more passes", refused="8.0 or more")
_listed("a pass mark in words", "## Notes\n\nYou need 8 to pass.", refused="You need 8")
_listed("a pass mark of a grade", "## Notes\n\nA B or better passes.", refused="A B or better")
_listed("a threshold", "## Notes\n\nThreshold: 8", refused="Threshold: 8")
_listed("a German pass mark", "## Hinweise\n\nBestanden ab 8,0.", refused="Bestanden ab 8,0")
_listed("a French pass mark", "## Notes\n\nSeuil de r\u00e9ussite : 8", refused="Seuil")
_listed("a pass mark in percent", "## Notes\n\nAnything under 80% fails.", refused="Anything under 80%")
_listed("a pass mark in a heading", "## Passing score 8\n\nText.", refused="## Passing score 8")
_listed("a pass mark in a table", "| Setting | Value |\n|---|---|\n| Threshold | 8 |", refused="| Threshold | 8 |")
_listed("a pass mark in a code block", "```\npass_mark: 8\n```", refused="```")
_listed("the pass mark that holds", f"## Red flags\n\n{BULLETS}\n\n## Passing\n\n7.0 or more passes.", flags=TWO)
_listed("a cap in a sentence", "## Notes\n\nDeductions are capped at 3 points.", refused="Deductions are capped")
_listed("no cap", f"## Red flags (uncapped)\n\n{BULLETS}", refused="## Red flags (uncapped)")
_listed("grade boundaries", "| Grade | From |\n|---|---|\n| A | 9.5 |\n| B | 8.5 |", refused="| A | 9.5 |")
_listed("grade boundaries in a list", "## Grades\n\n- A: 9.5\n- B: 8.5", refused="- A: 9.5")
_listed("an average", "## Notes\n\nThe final score is the average of all seven.", refused="The final score is")
_listed("a minimum", "## Notes\n\nThe lowest dimension decides the final score.", refused="The lowest dimension")
_listed(
    "nested without amounts", "## Red flags\n\n- Sources\n  - Makes it up\n  - Leaves it out", refused="  - Makes it"
)
_listed("nested under a sentence", "## Red flags\n\n- Makes it up:\n  1. a name\n  2. a date", refused="  1. a name")
_listed("two paragraphs in one bullet", "## Red flags\n\n- Makes it up\n\n  -1.0", refused="- Makes it up")
_listed("an amount for all in a sentence", f"## Red flags\n\nEach costs 1.0.\n\n{BULLETS}", refused="Each costs 1.0")
_listed("an amount after the list", f"## Red flags\n\n{BULLETS}\n\nAll of these: -1.0", refused="All of these")
_listed("a blockquote list", "## Red flags\n\n> - Makes it up (-1.0)\n> - Leaves it out (-1.0)", flags=ONES)
_listed("severities", "## Red flags\n\n### Critical (-2.0)\n\n- Makes it up\n\n### Minor (-0.25)\n\n- Leaves it out",
        flags=(("makes-it-up", "2.00"), ("leaves-it-out", "0.25")))  # fmt: skip
_listed("severities in bold", "## Red flags\n\n**Critical: -2.0**\n\n- Makes it up",
        flags=(("makes-it-up", "2.00"),))  # fmt: skip


def _bonuses(id: str, section: str, **outcome: Any) -> None:
    text = rubric_text().replace(f"## Bonuses\n\n{BONUSES}", f"{section}\n\n")
    ODD.append(Odd(f"bonus: {id}", text, **outcome))


_bonuses("another amount", "## Bonuses (+0.5 each)\n\n- Goes further", refused="## Bonuses (+0.5")
_bonuses("its own amount", "## Bonuses (+0.25 each)\n\n- Goes further", bonuses=("goes-further",))
_bonuses("bare number", "## Bonuses\n\n- Goes further (0.5)", refused="- Goes further (0.5)")
_bonuses("comma decimal", "## Bonuses\n\n- Goes further (+0,25)", bonuses=("goes-further",))
_bonuses("up to", "## Bonuses\n\n- Goes further (up to 0.5)", refused="- Goes further (up to")
_bonuses("French", "## Points bonus\n\n- Goes further", bonuses=("goes-further",))
_bonuses("German", "## Zusatzpunkte\n\n- Goes further", bonuses=("goes-further",))
_bonuses("unknown heading", "## Delighters\n\n- Goes further", refused="## Delighters")
_bonuses("any heading with a plus", "## Delighters (+0.25 each)\n\n- Goes further", bonuses=("goes-further",))
_bonuses("nested", "## Bonuses\n\n- Goes further\n  - in depth\n  - in breadth", refused="  - in depth")
_bonuses("raises the grade", "## Bonuses\n\n- Goes further: one grade up", refused="- Goes further: one")


# --- front matter --------------------------------------------------------------------------------


def _front(id: str, front: str, refused: str | None, **outcome: Any) -> None:
    ODD.append(Odd(f"front matter: {id}", rubric_text(front, weights=None), refused=refused, **outcome))


_front("unknown key", front_matter("threshold: 8"), "threshold: 8")
_front("pass mark in percent", front_matter("pass_mark: 80%"), "pass_mark: 80%")
_front("pass mark with a comma", front_matter("pass_mark: 8,5"), "pass_mark: 8,5")
_front("weights as a list", front_matter("weights: [40, 10, 10, 15, 10, 10, 5]"), "weights:")
_front("weights as text", front_matter("weights: 40/10/10/15/10/10/5"), "weights:")
_front("weights with commas", front_matter("weights:", *(f"  {n}: '0,{w:02}'" for n, w in PAIRS)), None,
       weights=WEIGHTS)  # fmt: skip
_front("capital keys", front_matter("Weights: {correctness: 100}"), "Weights:")
_front("plus signs", "+++\npass_mark = 8\n+++\n", "pass_mark = 8")
_front("after an empty line", "\n" + front_matter("pass_mark: 8"), "pass_mark: 8")
_front("in a comment", "<!--\npass_mark: 8\n-->\n", "<!--")
_front("in a code block", "```yaml\npass_mark: 8\n```\n", "```yaml")
_front("a second block", front_matter("version: 2") + "\n" + front_matter("pass_mark: 8"), "pass_mark: 8")
_front("flags as a mapping", front_matter("red_flags: {made-up: 1.0}"), "red_flags:")
_front("flag with points", front_matter("red_flags:", "  - id: made-up", "    points: 1.0"), "    points: 1.0")


# --- innocent ------------------------------------------------------------------------------------


def _innocent(id: str, prose: str) -> None:
    text = rubric_text().replace("### Correctness", f"{prose}\n\n### Correctness", 1)
    INNOCENT.append(Odd(f"before: {id}", text))


def _at_the_end(id: str, prose: str) -> None:
    INNOCENT.append(Odd(f"at the end: {id}", f"{rubric_text()}\n{prose}\n"))


def _sentence(id: str, sentence: str) -> None:
    """As a measure, as a band and as a red flag: nowhere is it more than text."""
    measure = rubric_text().replace("how good the safety is.", sentence)
    INNOCENT.append(Odd(f"measure: {id}", measure))
    INNOCENT.append(Odd(f"band: {id}", rubric_text(bands=TABLE.replace("several slips", sentence))))
    INNOCENT.append(Odd(f"flag: {id}", rubric_text(flags=f"- {sentence}\n")))


_sentence("seconds", "It responds in under 3 seconds")
_sentence("citations", "It has at least 2 citations")
_sentence("percent of something", "Fewer than 80% of the claims are sourced")
_sentence("tests", "It fails 2 of 7 tests")
_sentence("version", "It uses Python 3.12 or TLS 1.2")
_sentence("limit", "It is longer than the 500 words that were asked for")
_sentence("exit code", "It returns -1 or exits with code 2")
_sentence("money", "It costs more than $5 a month to run")
_sentence("coverage", "Coverage falls below 90% without a reason")
_sentence("passes", "It passes 3 checks and fails the fourth")
_sentence("points of a list", "It leaves out 2 points of the agenda")
_sentence("date", "It was last changed on 2024-05-01")
_sentence("ratio", "Contrast is below 4.5:1")
_sentence("twice", "It says the same thing twice")
_sentence("half", "Half of the questions are left open")
_sentence("weight", "It gives too much weight to one source")
_sentence("double", "It double-counts revenue")
_sentence("range", "It gives 3-5 examples")
_sentence("multiplication", "It multiplies by 1.2 where 1.02 was meant")
_sentence("score of something", "Its Lighthouse score is below 90")
_innocent("paragraph", "For reviews of up to 400 lines, by 2 people or more.")
_innocent("top of the scale", "A score of 10 is rare; most answers earn between 5 and 7.")
_innocent("scale", "Scores range from 1 to 10.")
_innocent("scale as a line", "Scale: 1-10")
_innocent("nines", "Reserve 9 and 10 for work that needs no change.")
_innocent("sum of the weights", "The weights sum to 100%.")
_innocent("defaults", "It uses the default weights and the usual pass mark.")
_innocent("when to use", "## When to use it\n\n- For pull requests\n- For patches of 1 to 50 files")
_innocent("steps", "## How to judge\n\n1. Read the task.\n2. Read the output twice.\n3. Score from 1 to 10.")
_innocent("scope", "## Scope\n\n- Answers in English\n- At most 3 pages")
_innocent("overview table", "| Dimension | Asks |\n|---|---|\n| Correctness | Is it true? |")
_innocent("legend", "| Score | Meaning |\n|---|---|\n| 9-10 | Excellent |\n| 7-8 | Good |")
_innocent("legend as a list", "- 9-10: excellent\n- 7-8: good")
_innocent("version", "Version: 2.1\n\nUpdated: 2025-03-01")
_innocent("author", "Author: Ana, room 12")
_innocent("comment", "<!-- Reviewed by 3 people in 2024. -->")
_innocent("comment with a plan", "<!-- TODO next year: 2 more examples -->")
_innocent("example in code", '## Example\n\n```json\n{"correctness": 8, "safety": 9}\n```')
_innocent("code", "```python\nfor i in range(10):\n    total = i * 2\n```")
_innocent("shell", "```sh\nevenhand score review.yaml --rubric notes.md\n```")
_innocent("quotation", '> "It took 3 days and 2 people."')
_innocent("audience", "## Audience\n\n- Engineers with 2 years of practice")
_innocent("philosophy", "## Philosophy\n\nBeing right counts for more than being quick.")
_innocent("numbered headings", "## 1. Introduction\n\nText.\n\n## 2. Dimensions")
_innocent("German", "## Hinweise\n\nDie Antwort soll h\u00f6chstens 3 Seiten haben.")
_innocent("model", "Calibrated with 40 answers in 2 rounds.")
_innocent("link", "See [the guide](https://example.com/guide#section-3.1), section 3.1.")
_innocent("ISO", "Follows ISO 27001 and the OWASP Top 10.")
_innocent(
    "repeats the rule", "Each red flag costs 0.5 points, at most 2.0 in total; each bonus adds 0.25, at most 1.0."
)
_at_the_end("notes", "## Notes\n\n- Judges agreed in 9 of 10 cases.")
_at_the_end("changes", "## Changelog\n\n- 2.1: sharper bands\n- 2.0: first version")
_at_the_end("history", "## Version history\n\n| Version | Date | Change |\n|---|---|---|\n| 2 | 2025-01-01 | Bands |")
_at_the_end("references", "## References\n\n1. Smith 2021, pages 3-5\n2. RFC 9110")
_at_the_end("examples", "## Examples\n\n### A good one\n\n- Names 3 sources\n- Takes 2 pages")
_at_the_end("questions", "## FAQ\n\n**Is 7 a good score?** It is what most sound work earns.")
_at_the_end("calibration", "## Calibration\n\n- answer-1: correctness 8, safety 9\n- answer-2: correctness 3, safety 9")
_at_the_end("glossary", "## Glossary\n\n- Claim: a sentence that can be checked\n- Source: where it was found")
_at_the_end("prose", "## Why seven dimensions\n\nFewer than 7 hide faults; more tire the judge after 20 minutes.")
_at_the_end("licence", "## License\n\nCC BY 4.0")
