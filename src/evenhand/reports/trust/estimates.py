"""Estimates in words and as JSON. Pure."""

from __future__ import annotations

from typing import Any

from evenhand.files import codec
from evenhand.reports.charts import Measured, interval_chart
from evenhand.reports.tree import Drawing, Head, Line, Report
from evenhand.stats.trust.estimated import Estimated
from evenhand.stats.trust.estimates import Estimate
from evenhand.stats.trust.pass_rate import PassRate


def estimate_report(estimated: Estimated) -> Report:
    """The estimate, with the labels alone beside it and what the judge alone would say as the reference line."""
    what, result = estimated.what, estimated.result
    unit = "{:.1%}" if isinstance(result, PassRate) else "{:+.2f}" if what == "difference" else "{:.2f}"

    def measured(name: str, value: float, low: float, high: float) -> Measured:
        text = f"{unit.format(value)} ({unit.format(low)} to {unit.format(high)})"
        return Measured(name, value, low, high, text)

    rows = [measured("judge and labels", result.value, result.low, result.high)]
    rows.append(measured("labels alone", *result.labels_alone))
    caption = f"{result.confidence:.0%} intervals; the line is what the judge alone says"
    chart = interval_chart(rows, reference=result.judge_alone, caption=caption, unit=unit)
    first, *rest = estimate_lines(estimated)
    return Report(first, (Head(title=first), Drawing("interval_chart", chart), *map(Line, rest)))


def estimate_lines(estimated: Estimated) -> list[str]:
    """The estimate first, then what it was made from, then the plan."""
    what, subject, result, labels, unlabelled, precision, needed = estimated
    lines = _rate_lines(subject, result) if isinstance(result, PassRate) else _mean_lines(what, subject, result)
    lines[1:1] = _beyond(what, result)
    of_clusters = "" if result.clusters is None else f"; the labelled ones come from {result.clusters} clusters"
    lines.append(f"from {labels} labelled and {unlabelled} other judged outputs{of_clusters}")
    if precision is not None:
        wish = f"{precision:.0%}" if isinstance(result, PassRate) else f"{precision:g}"
        lines.append(
            f"for plus or minus {wish}: not even labels for all of them would do; judge and label more outputs"
            if needed is None
            else f"for plus or minus {wish}: {needed} labels in all"
        )
    return lines


def _beyond(what: str, result: Estimate | PassRate) -> list[str]:
    """The interval beyond these outputs, where it is another; a difference's own interval is that one already."""
    form = ".1%" if isinstance(result, PassRate) else ".2f"
    these, beyond = (f"{low:{form}} to {high:{form}}" for low, high in ((result.low, result.high), result.beyond))
    if what == "difference" or these == beyond:
        return []
    return [f"the interval is for these outputs; for others like them it is {beyond}"]


def _counts(slope: float, one: str) -> str:
    """How far the judge is relied on."""
    return f"{one} of the judge's counts for {slope:.2f}" if slope else "the judge is not relied on"


def _mean_lines(what: str, subject: str, result: Estimate) -> list[str]:
    sign = "+" if what == "difference" else ""
    mean, low, high = result.labels_alone
    lines = [
        f"{subject}: people would give {result.value:{sign}.2f}, {result.confidence:.0%} interval "
        f"{result.low:{sign}.2f} to {result.high:{sign}.2f}",
        f"the judge alone says {result.judge_alone:{sign}.2f}; the labels alone {mean:{sign}.2f} "
        f"({low:{sign}.2f} to {high:{sign}.2f})",
        _counts(result.slope, "a point"),
    ]
    if what == "difference":
        shown = result.low > 0 or result.high < 0
        lines[0] = lines[0].replace("people would give", "people would see a difference of")
        lines.append("people would see a difference" if shown else "no difference shown")
    return lines


def _rate_lines(subject: str, result: PassRate) -> list[str]:
    rate, low, high = result.labels_alone
    errors = [
        f"{verdict} {share:.0%} of what people {people}"
        for verdict, people, share in (("passes", "pass", result.sensitivity), ("fails", "fail", result.specificity))
        if share is not None
    ]
    return [
        f"{subject}: people would pass {result.value:.1%}, {result.confidence:.0%} interval {result.low:.1%} to "
        f"{result.high:.1%}",
        f"the judge alone passes {result.judge_alone:.1%}; the labels alone {rate:.1%} ({low:.1%} to {high:.1%})",
        f"the judge {' and '.join(errors)}; {_counts(result.slope, 'a verdict')}",
    ]


def estimate_document(estimated: Estimated) -> dict[str, Any]:
    """An estimate as JSON."""
    what, subject, result, labels, unlabelled, precision, needed = estimated
    document = {"schema": "evenhand/estimate/v1", "what": what, "subject": subject, **codec.document(result)}
    document |= {"method": "ppi++", "labels": labels, "unlabelled": unlabelled}
    return document if precision is None else document | {"precision": precision, "labels_needed": needed}
