"""Whether an answer is what a case expects. Pure.

The answer is the whole output, or what follows its last label such as "Final answer:". Nothing is guessed: when
several numbers could be the answer, the expectation stays undecided.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NamedTuple

from evenhand.core.finding import AMBIGUOUS
from evenhand.errors import shortened
from evenhand.findings.expectations.expectation import Expectation, Verdict

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
            hit = re.search(value, output)
            if hit is None:
                return Verdict(False, "nothing in the output matches")
            return Verdict(True, "the output matches", hit[0][:200].partition("\n")[0], hit.start())
        case "contains" | "lacks":
            return contained(value, output, required=expectation.rule == "contains")
        case "json_schema":
            return follows_schema(output, value, "the output", "the schema")
        case "json" if expectation.options.get("strict"):
            return _strict_json(value, output)
        case _:
            return _json(value, output, whole=expectation.rule == "json", leeway=leeway_of(expectation.options))


def contained(value: Any, text: str, *, required: bool, name: str = "the output") -> Verdict:
    """Whether a text contains every one, or none, of some texts."""
    texts = [value] if isinstance(value, str) else list(value)
    if required:
        missing = [item for item in texts if item not in text]
        if missing:
            return Verdict(False, f'{name} does not contain "{missing[0][:100]}"')
        return Verdict(True, f"{name} contains it", texts[0][:200].partition("\n")[0], text.find(texts[0]))
    for item in texts:
        place = text.find(item)
        if place >= 0:
            return Verdict(False, f'{name} contains "{item[:100]}"', item[:200].partition("\n")[0], place)
    return Verdict(True, f"{name} does not contain it")


def _among(expected: list[str], output: str, *, exactly: bool) -> Verdict:
    answer = labelled(output)
    if exactly:
        met = output.strip() in expected or (answer is not None and answer in expected)
    else:
        met = bool(
            {folded(text) for text in (output, answer) if text is not None} & {folded(item) for item in expected}
        )
    shown = (answer if answer is not None else output.strip()).partition("\n")[0][:200]
    return Verdict(met, f'the answer is "{shown[:100]}"', shown, output.find(shown) if shown else None)


def labelled(output: str) -> str | None:
    """What follows the last label such as "Answer:": the rest of its line, or else the next line that is not empty."""
    labels = list(_LABEL.finditer(output))
    if not labels:
        return None
    rest = output[labels[-1].end() :].strip()
    return rest.partition("\n")[0].strip().strip("*_`") if rest else None


def folded(text: str) -> str:
    """A short answer without what does not matter: case, punctuation at its ends, articles, runs of white space."""
    text = unicodedata.normalize("NFKC", text).casefold()
    without_articles = _bare(re.sub(r"\b(?:a|an|the)\b", " ", text))
    return without_articles or _bare(text)  # the answer "A" is a letter


def _bare(text: str) -> str:
    return " ".join(text.split()).strip(" .,;:!?\"'`*_()[]")


def _number(expected: Decimal, options: Mapping[str, Any], output: str) -> Verdict:
    tolerance = _decimal(options.get("tolerance", 0))
    answer = labelled(output)
    text = output if answer is None else answer
    unit = options.get("unit")
    numbers = [
        (number, match)
        for match in _NUMBER.finditer(text)
        if (number := _parsed(match[0])) is not None and (unit is None or _has_unit(text, match, str(unit)))
    ]
    values = {number for number, _ in numbers}
    near = [match for number, match in numbers if abs(number - expected) <= tolerance]
    with_unit = f" in {unit}" if unit else ""
    if not numbers:
        return Verdict(False, f"the answer states no number{with_unit}")
    if not near:
        return Verdict(
            False, f"the answer is {numbers[-1][1][0]}", numbers[-1][1][0], _offset(output, text, numbers[-1][1])
        )
    if len(values) > 1 and len({_parsed(match[0]) for match in near}) < len(values):
        return Verdict(None, f"{near[0][0]} is one of {len(values)} numbers{with_unit} {AMBIGUOUS}")
    return Verdict(True, f"the answer is {near[-1][0]}", near[-1][0], _offset(output, text, near[-1]))


def _offset(output: str, text: str, match: re.Match[str]) -> int:
    return output.rfind(text) + match.start() if text is not output else match.start()


def _has_unit(text: str, match: re.Match[str], unit: str) -> bool:
    before = text[max(0, match.start() - len(unit) - 1) : match.start()].strip().casefold()
    after = text[match.end() :].lstrip(" \u00a0").casefold()
    folded_unit = unit.casefold()
    return (after.startswith(folded_unit) and not after[len(folded_unit) :][:1].isalpha()) or before == folded_unit


def _parsed(text: str) -> Decimal | None:
    try:
        return Decimal(text.replace(",", "").replace("\u2212", "-"))
    except InvalidOperation:
        return None


def _decimal(value: Any) -> Decimal:
    return value if isinstance(value, Decimal) else Decimal(str(value))


def _json(expected: Any, output: str, *, whole: bool, leeway: Leeway) -> Verdict:
    parsed = _read_json(output)
    if parsed is None:
        return Verdict(False, "the output is not JSON, and holds no single block of JSON")
    difference = differs(expected, parsed[0], whole=whole, leeway=leeway)
    if difference:
        return Verdict(False, difference)
    return Verdict(True, "the JSON is as expected")


def follows_schema(text: str, schema: Any, name: str, schema_name: str) -> Verdict:
    """Whether a text is JSON, all of it, and follows a JSON Schema."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Verdict(False, f"{name} is not JSON")
    if schema is True or schema == {}:
        return Verdict(True, f"{name} is JSON")
    try:
        import jsonschema  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        return Verdict(None, "checking a schema needs jsonschema: pip install 'evenhand[expect]'")
    try:
        jsonschema.validate(value, _plain(schema))
    except jsonschema.SchemaError as error:
        return Verdict(None, f"{schema_name} is not a valid schema: {error.message}")
    except jsonschema.ValidationError as error:
        return Verdict(False, f"{name} does not follow {schema_name}: {error.message[:200]}")
    return Verdict(True, f"{name} follows {schema_name}")


def _plain(value: Any) -> Any:
    """A schema from a suite file without exact numbers, which jsonschema does not know."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return (int(value) if value == value.to_integral_value() else float(value)) if isinstance(value, Decimal) else value


def _strict_json(expected: Any, output: str) -> Verdict:
    try:
        met = _identical(expected, json.loads(output, parse_float=Decimal))
    except (ValueError, RecursionError):
        return Verdict(False, "the output is not JSON")
    return Verdict(met, f"the JSON is {'exactly' if met else 'not exactly'} as expected")


def _identical(left: Any, right: Any) -> bool:
    """Whether two JSON values are the same, with their types; the order of keys does not count."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(_identical(item, right[key]) for key, item in left.items())
    if isinstance(left, list | tuple) and isinstance(right, list):
        return len(left) == len(right) and all(map(_identical, left, right))
    numbers = [isinstance(item, int | float | Decimal) and not isinstance(item, bool) for item in (left, right)]
    return _decimal(left) == _decimal(right) if all(numbers) else type(left) is type(right) and left == right


def _read_json(output: str) -> tuple[Any] | None:
    """The output as JSON, or its only code block that is JSON."""
    read = []
    for text in (output, *_FENCE.findall(output)):
        try:
            read.append((json.loads(text, parse_float=Decimal),))
        except (ValueError, RecursionError):
            continue
    return read[0] if len(read) == 1 else None


class Leeway(NamedTuple):
    """What does not count when an expected value is compared with an actual one."""

    any_order: bool | tuple[str, ...] = False
    """Whether lists may come in any order: all, or those under these keys."""
    ignore: tuple[str, ...] = ()
    """Keys that are not compared: by name anywhere, or by a path such as `payment.id`."""
    tolerance: Decimal = Decimal(0)
    """How far two numbers may be apart."""

    def lists_in_any_order(self, where: str) -> bool:
        """Whether the list at a place may come in any order."""
        return self.any_order if isinstance(self.any_order, bool) else _is_named(where, self.any_order)

    def passes_over(self, where: str) -> bool:
        """Whether what is at a place is not compared."""
        return _is_named(where, self.ignore)


NO_LEEWAY: Final = Leeway()


def leeway_of(options: Mapping[str, Any]) -> Leeway:
    """The leeway that an expectation's options give."""
    order = options.get("any_order", False)
    return Leeway(
        order if isinstance(order, bool) else _names(order),
        _names(options.get("ignore", ())),
        _decimal(options.get("tolerance", 0)),
    )


def _names(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(map(str, value))


def _is_named(where: str, names: tuple[str, ...]) -> bool:
    """Whether a place such as `passengers[0].dob` has one of the names: of its last key, or of its whole path."""
    path = re.sub(r"\[\d+\]", "", where)
    return bool(names) and (path in names or path.rpartition(".")[2] in names)


def differs(expected: Any, actual: Any, *, whole: bool, where: str = "", leeway: Leeway = NO_LEEWAY) -> str:
    """The first difference between two values, in words; empty when there is none. Numbers compare by value, and a
    number is the same as its text. Unless `whole`, objects may have extra keys. An expected `{one_of: [...]}` is
    any one of these values."""
    place = where or "the value"
    if isinstance(expected, Mapping) and expected.keys() == {"one_of"} and isinstance(expected["one_of"], list | tuple):
        fits = any(not differs(item, actual, whole=whole, where=where, leeway=leeway) for item in expected["one_of"])
        return "" if fits else f"{place} is {shown(actual)}, expected one of {shown(expected['one_of'])}"
    if isinstance(expected, Mapping):
        if not isinstance(actual, Mapping):
            return f"{place} is {shown(actual)}, not an object"
        for key, item in expected.items():
            inner = f"{where}.{key}" if where else str(key)
            if leeway.passes_over(inner):
                continue
            if key not in actual:
                return f"{place} has no {key}"
            if difference := differs(item, actual[key], whole=whole, where=inner, leeway=leeway):
                return difference
        extra = [key for key, item in actual.items() if key not in expected and item not in (None, "", [], {})]
        extra = [key for key in extra if not leeway.passes_over(f"{where}.{key}" if where else str(key))]
        return f"{place} has an extra key {extra[0]}" if whole and extra else ""
    if isinstance(expected, list | tuple):
        if not isinstance(actual, list | tuple) or len(expected) != len(actual):
            return f"{place} is {shown(actual)}, expected {shown(expected)}"
        if leeway.lists_in_any_order(where):
            return _unmatched(expected, actual, whole, where, leeway)
        pairs = enumerate(zip(expected, actual, strict=True))
        differences = (
            differs(left, right, whole=whole, where=f"{where}[{n}]", leeway=leeway) for n, (left, right) in pairs
        )
        return next((difference for difference in differences if difference), "")
    if _same(expected, actual) or _is_near(expected, actual, leeway.tolerance):
        return ""
    return f"{place} is {shown(actual)}, expected {shown(expected)}"


def _unmatched(expected: Sequence[Any], actual: Sequence[Any], whole: bool, where: str, leeway: Leeway) -> str:
    """The first item of a list in any order that no other item is left for; each item is used once.

    An item that fits several is moved to another when a later one needs its place.
    """
    taken: dict[int, int] = {}
    fitting = [
        [
            n
            for n, item in enumerate(actual)
            if not differs(left, item, whole=whole, where=f"{where}[{k}]", leeway=leeway)
        ]
        for k, left in enumerate(expected)
    ]

    def place(k: int, seen: set[int]) -> bool:
        for n in fitting[k]:
            if n not in seen:
                seen.add(n)
                if n not in taken or place(taken[n], seen):
                    taken[n] = k
                    return True
        return False

    missing = next((left for k, left in enumerate(expected) if not place(k, set())), None)
    return "" if missing is None else f"{where or 'the list'} has no {shown(missing)}"


def _is_near(expected: Any, actual: Any, tolerance: Decimal) -> bool:
    if not tolerance or isinstance(expected, bool) or isinstance(actual, bool):
        return False
    left, right = (_parsed(str(item).strip()) for item in (expected, actual))
    return left is not None and right is not None and abs(left - right) <= tolerance


def _same(expected: Any, actual: Any) -> bool:
    if isinstance(expected, bool) or isinstance(actual, bool) or expected is None or actual is None:
        return expected is actual or str(expected).lower() == str(actual).lower()
    numbers = [_parsed(str(item).strip()) for item in (expected, actual)]
    if None not in numbers:
        return numbers[0] == numbers[1]
    return unicodedata.normalize("NFC", str(expected)).strip() == unicodedata.normalize("NFC", str(actual)).strip()


def shown(value: Any, most: int = 80) -> str:
    """A value as shown in a message: as JSON, whatever file it came from."""
    return shortened(json.dumps(_plain(value), ensure_ascii=False, default=str), most)
