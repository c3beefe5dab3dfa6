"""Can this judge be used for this? One verdict for each use, from people's labels. Pure.

A judge can serve three uses, and labels of outputs say which:

    level     its scores say how good an output is: the correlation with people's scores over all outputs
    compare   it orders the outputs of one case: of the pairs that people order, the share that it orders the same way
              less the share that it turns round
    gate      it passes and fails near the pass mark as people do: Youden's index (of what people pass, the share that
              it passes, less that share of what they fail) on outputs within `NEAR` points of the mark

Each is *yes* when the lower bound of its interval is above the least useful value, *no* when the upper bound is below
what a judge worth having reaches, and else *not shown yet*, with the number of labels that would tell if it goes on
like this. Each bound errs in at most a third of 2 % of samples, so that a judge that serves no use is called fit for
one in at most 2 %. Outputs of one case count as one, as far as they are alike.

Probes bring no labels, so they never say yes: see `probe_uses`. `benchmarks/judge_uses.py` counts all verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from math import atanh, sqrt, tanh
from statistics import NormalDist
from typing import Final, NamedTuple

from evenhand.core.curve import Use, UseAnswer, UseVerdict
from evenhand.in_words import counted
from evenhand.stats.student import quantile

USES: Final[tuple[Use, ...]] = ("compare", "level", "gate")
"""In the order in which they are shown."""

LEVEL: Final = 0.02 / 3
"""How often each bound may be wrong."""
LEAST_USEFUL: Final[Mapping[Use, float]] = {"level": 0.35, "compare": 0.2, "gate": 0.1}
NO_USE_BELOW: Final[Mapping[Use, float]] = {"level": 0.5, "compare": 0.25, "gate": 0.2}
NEAR: Final = 2.0
"""Points around the pass mark within which a gate is put to the test: what is far from it anyone tells."""
LEAST_CASES: Final = 10
"""With labels from fewer cases nothing is said."""
ASKED_CASES: Final = 25
"""How many cases should get a second labelled output, where none has one."""
MOST_ASKED: Final = 10_000
_NORMAL: Final = NormalDist().inv_cdf(1 - LEVEL)
LEAST_SEEN: Final = 0.5
"""Net share of the faults put into outputs that a judge worth having marks down."""


class LabelledOutput(NamedTuple):
    """An output that a judge scored and people labelled."""

    case: Hashable
    judge: float | None
    people: float | None
    """People's mean score."""
    judge_passes: bool | None = None
    people_pass: bool | None = None
    mark: float | None = None
    """The pass mark it was held to."""
    points: float = 1.0
    """How many points of a scale from 1 to 10 one of its scale is worth."""


Bounds = Callable[[float], tuple[float, float]]
"""The interval with that many times the labels, all else equal."""


def judge_uses(outputs: Iterable[LabelledOutput]) -> tuple[UseVerdict, ...]:
    """The verdict on a judge for every use."""
    known = [*outputs]
    return compare_verdict(known), level_verdict(known), gate_verdict(known)


# --- level ------------------------------------------------------------------------------------------------------------


def level_verdict(outputs: Sequence[LabelledOutput]) -> UseVerdict:
    """Whether its scores say how good an output is."""
    rows = [(row.case, row.judge, row.people) for row in outputs if row.judge is not None and row.people is not None]
    n = len(rows)
    cases = len({case for case, _, _ in rows})
    if cases < LEAST_CASES:
        return _untold("level", n, _few(n, cases), 2 * LEAST_CASES - n)
    judge, people = _standardised([row[1] for row in rows]), _standardised([row[2] for row in rows])
    if people is None:
        return _untold("level", n, f"people gave all {n} outputs the same score", None)
    if judge is None:
        says = f"it gave all {n} outputs the same score, whatever people gave them"
        return UseVerdict("level", "no" if n >= 2 * LEAST_CASES else "not-shown", None, None, None, n, says)
    value = max(-0.9999, min(0.9999, sum(x * y for x, y in zip(judge, people, strict=True)) / n))
    shares = [x * y - value * (x * x + y * y) / 2 for x, y in zip(judge, people, strict=True)]
    spread = _clustered_variance(shares, [row[0] for row in rows], cases) / n**2 / (1 - value**2) ** 2
    error = sqrt(max(spread, 1 / (cases - 3)) if cases < n else max(spread, 1 / (n - 3)))

    def bounds(times: float) -> tuple[float, float]:
        reach = _quantile(cases * times - 2) * error / sqrt(times)
        return tanh(atanh(value) - reach), tanh(atanh(value) + reach)

    verdict, more = _decided("level", bounds, n)
    low, high = bounds(1)
    if high < 0:
        way = "fall as people's rise"
    elif low > 0:
        way = "rise too little with people's" if verdict == "no" else "rise with people's"
    else:
        way = "are not shown to rise with people's"
    says = f"its scores {way}: correlation {value:.2f} ({low:.2f} to {high:.2f}) over {n} outputs"
    return UseVerdict("level", verdict, value, low, high, n, says, more)


def _standardised(values: Sequence[float]) -> list[float] | None:
    mean = sum(values) / len(values)
    deviation = sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    return None if deviation < 1e-9 else [(value - mean) / deviation for value in values]


# --- compare ----------------------------------------------------------------------------------------------------------


class OrderedPairs(NamedTuple):
    """The pairs of one case that people order."""

    same: int
    """Those that the judge orders in the same way."""
    turned: int
    pairs: int
    outputs: int


def compare_verdict(outputs: Sequence[LabelledOutput]) -> UseVerdict:
    """Whether it orders the outputs of one case as people do."""
    by_case: dict[Hashable, list[tuple[float, float]]] = {}
    for row in outputs:
        if row.judge is not None and row.people is not None:
            by_case.setdefault(row.case, []).append((row.judge, row.people))
    if all(len(rows) < 2 for rows in by_case.values()):
        return _untold("compare", 0, "no case has two labelled outputs to put in order", ASKED_CASES)
    ordered = [pairs for rows in by_case.values() if (pairs := _ordered(rows)) is not None]
    return net_share_verdict("compare", ordered)


def _ordered(rows: Sequence[tuple[float, float]]) -> OrderedPairs | None:
    same = turned = pairs = 0
    for (judge_a, people_a), (judge_b, people_b) in combinations(rows, 2):
        if people_a != people_b:
            pairs += 1
            way = (judge_a - judge_b) * (people_a - people_b)
            same += way > 0
            turned += way < 0
    return OrderedPairs(same, turned, pairs, len(rows)) if pairs else None


def net_share_verdict(use: Use, cases: Sequence[OrderedPairs]) -> UseVerdict:
    """The verdict on an order within cases: pairs in the same order less those turned round, of all of them."""
    total = sum(case.pairs for case in cases)
    if len(cases) < LEAST_CASES:
        says = f"{counted(len(cases), 'case has', 'cases have')} two outputs that people put in order"
        return _untold(use, total, says, ASKED_CASES - len(cases))
    same, turned = (sum(getattr(case, side) for case in cases) for side in ("same", "turned"))
    value = (same - turned) / total
    bounds = _net_bounds(cases, value, (same + turned + 1) / (total + 2))
    verdict, more = _decided(use, bounds, total)
    low, high = bounds(1)
    says = (
        f"it orders two outputs of one case as people do in {same} of {total} pairs, the other way in {turned}: "
        f"net {value:.2f} ({low:.2f} to {high:.2f}) in {len(cases)} cases"
    )
    return UseVerdict(use, verdict, value, low, high, total, says, more)


def _net_bounds(cases: Sequence[OrderedPairs], value: float, decided: float) -> Bounds:
    """The net shares that a score test does not reject. The scatter is never taken as less than independent pairs would
    have if the share in question were true: all pairs the same way do not prove that there is none."""
    total = sum(case.pairs for case in cases)
    moves = [case.same - case.turned - value * case.pairs for case in cases]
    seen = sum(move**2 for move in moves) * len(cases) / (len(cases) - 1) / total**2
    apart = sum(case.outputs // 2 for case in cases)  # pairs that share no output

    def rejected(share: float, times: float) -> bool:
        # The scatter of independent pairs is known, as a coin's is; the one seen between cases is estimated.
        least = (max(decided, abs(share)) - share**2) / min(apart, total)
        reach = max(_quantile(len(cases) * times - 1) * sqrt(seen), _NORMAL * sqrt(least))
        return abs(value - share) > reach / sqrt(times)

    def bounds(times: float) -> tuple[float, float]:
        return (
            _edge(lambda share: rejected(share, times), -1.0, value),
            _edge(lambda share: rejected(share, times), 1.0, value),
        )

    return bounds


def _edge(rejected: Callable[[float], bool], outer: float, inner: float) -> float:
    """Where rejection ends between an end of the scale and the estimate."""
    if not rejected(outer):
        return outer
    for _ in range(40):
        middle = (outer + inner) / 2
        if rejected(middle):
            outer = middle
        else:
            inner = middle
    return (outer + inner) / 2


# --- gate -------------------------------------------------------------------------------------------------------------


def gate_verdict(outputs: Sequence[LabelledOutput]) -> UseVerdict:
    """Whether it passes and fails near the mark as people do."""
    rows = [row for row in outputs if row.judge_passes is not None and row.people_pass is not None and _near(row)]
    marks = {row.mark for row in outputs if row.mark is not None}
    where = f" within {NEAR:g} points of {_mark(marks)}" if marks else ""
    if not rows and not any(row.judge_passes is not None for row in outputs):
        return _untold("gate", 0, "no pass mark is known, and no verdicts of pass or fail", None)
    sides = {passed: [row for row in rows if row.people_pass is passed] for passed in (True, False)}
    n, cases = len(rows), len({row.case for row in rows})
    for passed, name in ((True, "pass"), (False, "fail")):
        if not sides[passed]:
            says = f"of {counted(n, 'labelled output')}{where} there is none that people {name}"
            return _untold("gate", n, says, 2 * LEAST_CASES if n < 2 * LEAST_CASES else None)
    if cases < LEAST_CASES:
        return _untold("gate", n, _few(n, cases) + where, 2 * LEAST_CASES - n)
    shares = {passed: sum(bool(row.judge_passes) for row in sides[passed]) / len(sides[passed]) for passed in sides}
    value = shares[True] - shares[False]
    likeness = _likeness(rows, shares, sides, cases)
    kept = len(rows) / sum(row.judge_passes is not None and row.people_pass is not None for row in outputs)

    def bounds(times: float) -> tuple[float, float]:
        ends = {
            passed: _wilson(shares[passed], len(sides[passed]) * times / likeness, _quantile(cases * times - 2))
            for passed in sides
        }
        (pass_low, pass_high), (fail_low, fail_high) = ends[True], ends[False]
        low = value - sqrt((shares[True] - pass_low) ** 2 + (fail_high - shares[False]) ** 2)
        high = value + sqrt((pass_high - shares[True]) ** 2 + (shares[False] - fail_low) ** 2)
        return low, high

    verdict, more = _decided("gate", bounds, round(n / kept))
    low, high = bounds(1)
    right = {passed: sum(row.judge_passes is passed for row in sides[passed]) for passed in sides}
    says = (
        f"of {len(sides[False])} outputs that people fail{where} it fails {right[False]}, of {len(sides[True])} that "
        f"they pass it passes {right[True]}: Youden's index {value:.2f} ({low:.2f} to {high:.2f})"
    )
    return UseVerdict("gate", verdict, value, low, high, n, says, more)


def _near(row: LabelledOutput) -> bool:
    return row.mark is None or row.people is None or abs(row.people - row.mark) * row.points <= NEAR


def _mark(marks: set[float]) -> str:
    return f"the mark of {next(iter(marks)):.2f}" if len(marks) == 1 else "their pass marks"


def _likeness(
    rows: Sequence[LabelledOutput],
    shares: Mapping[bool, float],
    sides: Mapping[bool, Sequence[LabelledOutput]],
    cases: int,
) -> float:
    """How many times the variance is what independent outputs would have; at least 1."""
    alone = sum(shares[passed] * (1 - shares[passed]) / len(sides[passed]) for passed in sides)
    if not alone or cases == len(rows):
        return 1.0
    moves = [
        (bool(row.judge_passes) - shares[bool(row.people_pass)])
        / len(sides[bool(row.people_pass)])
        * (1 if row.people_pass else -1)
        for row in rows
    ]
    return max(1.0, _clustered_variance(moves, [row.case for row in rows], cases) / alone)


def _wilson(share: float, n: float, reach: float) -> tuple[float, float]:
    squared = reach**2 / n
    centre = (share + squared / 2) / (1 + squared)
    half = reach * sqrt(share * (1 - share) / n + squared / (4 * n)) / (1 + squared)
    return max(0.0, centre - half), min(1.0, centre + half)


# --- probes -----------------------------------------------------------------------------------------------------------


def probe_uses(faults: Mapping[str, Sequence[float]]) -> tuple[UseVerdict, ...]:
    """What a self-test says of each use. `faults` are, by output, the changes of the score with every fault of content
    that was put into it.

    It never says yes, since no one's labels are in it. It says no where the judge marks down so few of the faults that
    one worth having would have seen more.
    """
    changes = [value for values in faults.values() for value in values]
    n, outputs = len(changes), sum(bool(values) for values in faults.values())
    if outputs < LEAST_CASES:
        says = f"a fault put into {counted(outputs, 'output')} got a score; {LEAST_CASES} are needed to tell"
        return tuple(_untold(use, n, says, None) for use in USES)
    down, up = sum(value < 0 for value in changes), sum(value > 0 for value in changes)
    cases = [
        OrderedPairs(
            sum(value < 0 for value in values), sum(value > 0 for value in values), len(values), 2 * len(values)
        )
        for values in faults.values()
        if values
    ]
    value = (down - up) / n
    low, high = _net_bounds(cases, value, (down + up + 1) / (n + 2))(1)
    says = f"it marks down {down} of {n} faults put into {counted(outputs, 'output')}, and marks up {up}"
    if high < LEAST_SEEN:
        says = f"{says}: net {value:.2f} ({low:.2f} to {high:.2f}), where a reader sees at least half"
        return tuple(UseVerdict(use, "no", value, low, high, n, says) for use in USES)
    return tuple(
        UseVerdict(use, "not-shown", value, low, high, n, f"{says}; whether it agrees with people, labels tell")
        for use in USES
    )


def together(by_labels: Sequence[UseVerdict], by_probes: Sequence[UseVerdict]) -> tuple[UseVerdict, ...]:
    """The verdict from both: labels decide where they can, and what probes rule out stays ruled out elsewhere."""
    probed = {verdict.use: verdict for verdict in by_probes}
    return tuple(
        probed[verdict.use]
        if verdict.verdict == "not-shown" and verdict.use in probed and probed[verdict.use].verdict == "no"
        else verdict
        for verdict in by_labels
    )


# --- shared -----------------------------------------------------------------------------------------------------------


def _decided(use: Use, bounds: Bounds, labels: int) -> tuple[UseAnswer, int | None]:
    """The answer of an interval, or how many more labels would give one."""

    def answer(times: float) -> UseAnswer:
        low, high = bounds(times)
        return "yes" if low > LEAST_USEFUL[use] else "no" if high < NO_USE_BELOW[use] else "not-shown"

    found = answer(1)
    if found != "not-shown":
        return found, None
    times = 1.0
    while answer(times) == "not-shown":
        times *= 2
        if labels * times > 2 * MOST_ASKED:
            return found, None
    enough, few = times, times / 2
    for _ in range(20):
        middle = (enough + few) / 2
        if answer(middle) == "not-shown":
            few = middle
        else:
            enough = middle
    return found, max(1, round(labels * (enough - 1)))


def _untold(use: Use, labels: int, says: str, more: int | None) -> UseVerdict:
    return UseVerdict(use, "not-shown", None, None, None, labels, says, None if more is None else max(1, more))


def _few(labels: int, cases: int) -> str:
    of = "" if cases == labels else f" of {counted(cases, 'case')}"
    return f"{counted(labels, 'labelled output')}{of}; at least {LEAST_CASES} are needed"


def _clustered_variance(shares: Sequence[float], cases: Sequence[Hashable], count: int) -> float:
    """The sum of squares of shares added up by case."""
    sums: dict[Hashable, float] = {}
    for share, case in zip(shares, cases, strict=True):
        sums[case] = sums.get(case, 0.0) + share
    return sum(value**2 for value in sums.values()) * count / max(1, count - 1)


def _quantile(freedom: float) -> float:
    """Student's, for one bound."""
    return _student(max(1, min(400, int(freedom))))


@lru_cache(maxsize=512)
def _student(freedom: int) -> float:
    return quantile(LEVEL, freedom)
