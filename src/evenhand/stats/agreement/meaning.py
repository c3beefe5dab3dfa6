"""What a coefficient is called, and what its value means, in a sentence. Pure."""

from __future__ import annotations

from typing import Final

from evenhand.stats.agreement.agreed import FieldAgreement
from evenhand.stats.agreement.coefficients import Coefficient

TITLES: Final = {
    "alpha-nominal": "Krippendorff's alpha, nominal",
    "alpha-ordinal": "Krippendorff's alpha, ordinal",
    "alpha-interval": "Krippendorff's alpha, interval",
    "alpha-ratio": "Krippendorff's alpha, ratio",
    "kappa": "Cohen's kappa",
    "kappa-linear": "Cohen's kappa, linear weights",
    "kappa-quadratic": "Cohen's kappa, quadratic weights",
    "kappa-fleiss": "Fleiss' kappa",
    "ac1": "Gwet's AC1",
    "ac2-linear": "Gwet's AC2, linear weights",
    "ac2-quadratic": "Gwet's AC2, quadratic weights",
    "icc-1-1": "ICC(1,1)",
    "icc-2-1": "ICC(2,1)",
    "icc-3-1": "ICC(3,1)",
    "icc-1-k": "ICC(1,k)",
    "icc-2-k": "ICC(2,k)",
    "icc-3-k": "ICC(3,k)",
    "spearman": "Spearman's rho",
    "kendall": "Kendall's tau-b",
    "exact": "Exact agreement",
    "adjacent": "Adjacent agreement",
    "bias": "Mean bias",
    "lower-limit": "Lower limit of agreement",
    "upper-limit": "Upper limit of agreement",
}
"""The name of each coefficient, in the order in which they are shown."""

RELIABLE: Final = 0.8
TENTATIVE: Final = 0.667
"""Krippendorff's limits for alpha: the first to rely on, the second for tentative conclusions."""

_LEVELS = {
    "nominal": "values are equal or not",
    "ordinal": "values have an order",
    "interval": "differences between values count",
    "ratio": "ratios of values count",
}
_DESIGNS = {
    "1": "each item rated by other people",
    "2": "a rater who gives more throughout disagrees",
    "3": "a rater who gives more throughout does not disagree",
}


def title(coefficient: Coefficient) -> str:
    """The coefficient's name."""
    return TITLES[coefficient.name]


def meaning(coefficient: Coefficient, compared: FieldAgreement) -> str:
    """What the value means, and why it or its interval is missing where one is."""
    value = coefficient.value
    if value is None:
        return f"Not computed: {coefficient.reason}."
    words = sentence(coefficient, value, compared)
    return words if coefficient.interval else f"{words} No interval: {coefficient.no_interval}."


def sentence(coefficient: Coefficient, value: float, compared: FieldAgreement) -> str:
    """What the value means."""
    kind, _, detail = coefficient.name.partition("-")
    if kind == "alpha":
        return _alpha(value, coefficient, _LEVELS[detail])
    if kind in ("kappa", "ac1", "ac2"):
        credit = {"linear": ", with part credit for near values", "quadratic": ", with much credit for near values"}
        model = "" if kind == "kappa" else "by Gwet's idea of chance, which skewed counts do not distort, "
        return f"{model}{_beyond_chance(value)}{credit.get(detail, '')}.".capitalize().replace("gwet", "Gwet")
    if kind == "icc":
        mean = f"the mean of {len(compared.raters) if compared.judge is None else 2} raters"
        crossed = compared.coefficient("icc-2-k")
        if crossed is not None and crossed.value is None:  # raters differ from item to item
            mean = "the mean of an item's ratings"
        whose = mean if detail[-1] == "k" else "one rating"
        share = max(0.0, value)
        return f"{share:.0%} of the variance of {whose} comes from the items themselves ({_DESIGNS[detail[0]]})."
    if kind in ("exact", "adjacent"):
        step = "one step" if compared.coefficient("alpha-interval") is None else "one point"
        what = "are equal" if kind == "exact" else f"are at most {step} apart"
        return f"{value:.0%} of the pairs of values {what}."
    if kind == "bias":
        return _bias(value, coefficient, compared)
    if kind in ("lower", "upper"):
        side = "above" if kind == "lower" else "below"
        return f"About 97.5% of the differences lie {side} {value:+.2f} points."
    if kind == "kendall":
        alike = "alike" if value >= 0 else "the other way round"
        return f"Two items are ordered {alike} {abs(value):.0%} more often than not, ties aside."
    if kind == "spearman":
        return (
            f"The orders in which they put the items correlate at {value:.2f} (1 is the same order, 0 is no relation)."
        )
    raise KeyError(f"{coefficient.name} has no sentence")


def _alpha(value: float, coefficient: Coefficient, level: str) -> str:
    avoided = f"{max(0.0, value):.0%} of the disagreement that chance would bring is avoided ({level})"
    if value < 0:
        return f"They disagree more than chance would make them ({level})."
    if value >= RELIABLE:
        below = coefficient.interval is not None and coefficient.interval.low < RELIABLE
        caution = ", but its interval reaches below" if below else ""
        return f"{avoided}; above .800, which Krippendorff asks for{caution}."
    if value >= TENTATIVE:
        return f"{avoided}; enough for tentative conclusions only (.667 to .800 by Krippendorff)."
    return f"{avoided}; too little to rely on (below .667 by Krippendorff)."


def _beyond_chance(value: float) -> str:
    if value <= 0:
        return "they agree no more than chance would make them"
    return f"they reach {value:.0%} of the agreement that is possible beyond chance"


def _bias(value: float, coefficient: Coefficient, compared: FieldAgreement) -> str:
    first, second = (compared.judge, "people") if compared.judge else compared.raters[:2]
    if round(value, 2) == 0:
        return f"{first} and {second} give the same on average."
    direction = "more" if value > 0 else "less"
    shown = f"{first} gives {abs(value):.2f} points {direction} than {second} on average"
    interval = coefficient.interval
    if interval is not None and interval.low <= 0 <= interval.high:
        return f"{shown}; the interval includes 0, so no bias is shown."
    return f"{shown}."
