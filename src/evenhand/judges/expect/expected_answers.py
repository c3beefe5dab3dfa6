"""Whether an answer is what a case expects. Pure.

The answer is the whole output, or what follows its last label such as "Final answer:". Nothing is guessed: where
several numbers could be the answer, it cannot be told.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from evenhand.judges.expect.expectation import Expectation, Verdict

_LABEL: Final = re.compile(r"(?im)^[ \t*_#>`-]*(?:the )?(?:final )?answer(?: is)?[*_` ]*[:=][\s*_`]*")
_NUMBER: Final = re.compile(
    r"(?<![\w.])[-+\u2212]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\w.])[-+\u2212]?\d*\.?\d+(?:[eE][-+]?\d+)?"
)
_FENCE: Final = re.compile(r"```[\w-]*\n(.*?)```", re.S)


def decide_answer(expectation: Expectation, output: str) -> Verdict:
    """One expectation about the answer."""
    value = expectation.value
    match expectation.rule:
        case "equals":
            return _among([value], output, exactly=True)
        case "is":
            return _among([value], output, exactly=False)
        case "one_of":
            return _among([str(item) for item in value], output, exactly=False)
        case "number":
            return _number(_decimal(value), expectation.options, output)
        case "matches":
            found = re.search(value, output)
            if found is None:
                return Verdict(False, "nothing in the output matches")
            return Verdict(True, "the output matches", found[0][:200].partition("\n")[0], found.start())
        case "contains" | "lacks":
            return contained(value, output, wanted=expectation.rule == "contains")
        case _:
            return _json(value, output, whole=expectation.rule == "json")


def contained(value: Any, text: str, *, wanted: bool, name: str = "the output") -> Verdict:
    """Whether a text contains every one, or none, of some texts."""
    texts = [value] if isinstance(value, str) else list(value)
    if wanted:
        missing = [item for item in texts if item not in text]
        if missing:
            return Verdict(False, f'{name} does not contain "{missing[0][:100]}"')
        return Verdict(True, f"{name} contains it", texts[0][:200].partition("\n")[0], text.find(texts[0]))
    for item in texts:
        place = text.find(item)
        if place >= 0:
            return Verdict(False, f'{name} contains "{item[:100]}"', item[:200].partition("\n")[0], place)
    return Verdict(True, f"{name} does not contain it")


def _among(wanted: list[str], output: str, *, exactly: bool) -> Verdict:
    answer = labelled(output)
    if exactly:
        met = output.strip() in wanted or (answer is not None and answer in wanted)
    else:
        met = bool({folded(output), folded(answer or "")} & {folded(item) for item in wanted})
    shown = (answer if answer is not None else output.strip()).partition("\n")[0][:200]
    return Verdict(met, f'the answer is "{shown[:100]}"', shown, output.find(shown) if shown else None)


def labelled(output: str) -> str | None:
    """What follows the last label such as "Answer:", up to the end of its line or the next one that says something."""
    labels = list(_LABEL.finditer(output))
    if not labels:
        return None
    rest = output[labels[-1].end() :].strip()
    return rest.partition("\n")[0].strip().strip("*_`") if rest else None


def folded(text: str) -> str:
    """A short answer without what does not matter: case, punctuation at its ends, articles, runs of white space."""
    text = unicodedata.normalize("NFKC", text).casefold()
    text = re.sub(r"\b(?:a|an|the)\b", " ", text)
    return " ".join(text.split()).strip(" .,;:!?\"'`*_()[]")


def _number(wanted: Decimal, options: Mapping[str, Any], output: str) -> Verdict:
    tolerance = _decimal(options.get("tolerance", 0))
    answer = labelled(output)
    text = output if answer is None else answer
    unit = options.get("unit")
    found = [
        (number, match)
        for match in _NUMBER.finditer(text)
        if (number := _parsed(match[0])) is not None and (unit is None or _has_unit(text, match, str(unit)))
    ]
    values = {number for number, _ in found}
    near = [match for number, match in found if abs(number - wanted) <= tolerance]
    with_unit = f" in {unit}" if unit else ""
    if not found:
        return Verdict(False, f"the answer states no number{with_unit}")
    if not near:
        return Verdict(False, f"the answer is {found[-1][1][0]}", found[-1][1][0], _offset(output, text, found[-1][1]))
    if len(values) > 1 and len({_parsed(match[0]) for match in near}) < len(values):
        return Verdict(None, f"{near[0][0]} is one of {len(values)} numbers{with_unit} in the output, none labelled")
    return Verdict(True, f"the answer is {near[-1][0]}", near[-1][0], _offset(output, text, near[-1]))


def _offset(output: str, text: str, match: re.Match[str]) -> int:
    return output.rfind(text) + match.start() if text is not output else match.start()


def _has_unit(text: str, match: re.Match[str], unit: str) -> bool:
    before = text[max(0, match.start() - len(unit) - 1) : match.start()].strip().casefold()
    after = text[match.end() :].lstrip(" \u00a0").casefold()
    wanted = unit.casefold()
    return (after.startswith(wanted) and not after[len(wanted) :][:1].isalpha()) or before == wanted


def _parsed(text: str) -> Decimal | None:
    try:
        return Decimal(text.replace(",", "").replace("\u2212", "-"))
    except InvalidOperation:
        return None


def _decimal(value: Any) -> Decimal:
    return value if isinstance(value, Decimal) else Decimal(str(value))


def _json(wanted: Any, output: str, *, whole: bool) -> Verdict:
    given = _read_json(output)
    if given is None:
        return Verdict(False, "the output is not JSON, and holds no single block of JSON")
    difference = differs(wanted, given[0], whole=whole)
    if difference:
        return Verdict(False, difference)
    return Verdict(True, "the JSON is as expected")


def _read_json(output: str) -> tuple[Any] | None:
    """The output as JSON, or its only code block that is JSON."""
    read = []
    for text in (output, *_FENCE.findall(output)):
        try:
            read.append((json.loads(text, parse_float=Decimal),))
        except (ValueError, RecursionError):
            continue
    return read[0] if len(read) == 1 else None


def differs(wanted: Any, given: Any, *, whole: bool, where: str = "") -> str:
    """The first difference between two values, in words; empty when there is none. Numbers compare by value, and a
    number is the same as its text. Unless `whole`, objects may have further keys."""
    place = where or "the value"
    if isinstance(wanted, Mapping):
        if not isinstance(given, Mapping):
            return f"{place} is {shown(given)}, not an object"
        for key, item in wanted.items():
            if key not in given:
                return f"{place} has no {key}"
            difference = differs(item, given[key], whole=whole, where=f"{where}.{key}" if where else str(key))
            if difference:
                return difference
        further = [key for key, item in given.items() if key not in wanted and item not in (None, "", [], {})]
        return f"{place} has a further key {further[0]}" if whole and further else ""
    if isinstance(wanted, list | tuple):
        if not isinstance(given, list | tuple) or len(wanted) != len(given):
            return f"{place} is {shown(given)}, expected {shown(wanted)}"
        pairs = zip(wanted, given, strict=True)
        found = (differs(one, two, whole=whole, where=f"{where}[{n}]") for n, (one, two) in enumerate(pairs))
        return next((difference for difference in found if difference), "")
    return "" if _same(wanted, given) else f"{place} is {shown(given)}, expected {shown(wanted)}"


def _same(wanted: Any, given: Any) -> bool:
    if isinstance(wanted, bool) or isinstance(given, bool) or wanted is None or given is None:
        return wanted is given or str(wanted).lower() == str(given).lower()
    numbers = [_parsed(str(item).strip()) for item in (wanted, given)]
    if None not in numbers:
        return numbers[0] == numbers[1]
    return unicodedata.normalize("NFC", str(wanted)).strip() == unicodedata.normalize("NFC", str(given)).strip()


def shown(value: Any) -> str:
    """A value in a message."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:77] + "..."
