"""What follows from findings: bounds where no one has read the work, caps on models and agents, never on people.

Judgements are made of the public values, as a judge of one's own makes them. Whole documents are golden.
"""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import evenhand
from contract.core.making import CREATED, SHARED, seven, shared_rubric
from contract.core.test_pages import HERE
from contract.doors import run_here
from contract.goldens import compare
from contract.pages import as_shown, fits_its_schema, laid_out, steady
from evenhand import Judgement, Unscored
from evenhand.types import Checked, Claim, Evidence, Expected, Finding, Opinion

OUTPUT = (SHARED / "output.md").read_text(encoding="utf-8")
RUBRIC = SHARED / "detecting.md"


def fault(severity: str | None, dimension: str = "correctness", check: str = "dates", **more: Any) -> Finding:
    """A fault that a check saw; precise unless told otherwise."""
    given = {"message": f"A {severity} fault in {dimension}.", "quote": "every minute", "precise": True, **more}
    return Finding(check=check, dimension=dimension, severity=severity, **given)


def expected(result: str, severity: str = "major", **more: Any) -> Expected:
    given = {"words": "names the ticket", "dimension": "adherence", "message": f"it is {result}", **more}
    return Expected(result=result, severity=severity, **given)


UNREAD = dict.fromkeys(evenhand.DIMENSIONS, Unscored("no one has read this output"))
EIGHTS = {name: Decimal("8.00") for name in evenhand.DIMENSIONS}
EVERY = (
    fault("minor", "correctness"),
    fault("major", "completeness", quote="12 passed", offset=OUTPUT.index("12 passed")),
    fault("critical", "adherence", quote="nowhere in it"),
    fault("minor", "actionability", precise=False),
    fault("major", "safety", note=True),
    fault(None, "efficiency"),
    fault("major", "completeness", check="numbers", message="Another of the same weight."),
    fault("minor", "completeness", check="links", message="A lighter one."),
    fault("critical", "correctness", check="secret-exposed", message="A key is shown.", quote="prices change"),
    fault("minor", "consistency", quote="", message="Something is missing."),
)
MORE = (
    expected("unmet"),
    expected("met", dimension="safety"),
    expected("undecided", dimension="safety"),
    expected(
        "unmet", "critical", dimension="efficiency", words="is short.", by="openai:ann", votes={"no": 2, "yes": 1}
    ),
    expected(
        "unmet", "minor", dimension="efficiency", words="is brief", quote="an hour", offset=OUTPUT.index("an hour")
    ),
)
CASES: dict[str, tuple[str, dict[str, Any], Checked]] = {
    # who judges, their scores, what checks found
    "unread": ("checks", UNREAD, Checked("c0ffee", EVERY, ("dates", "numbers", "links"), MORE)),
    "unread-and-in-order": ("checks", UNREAD, Checked("c0ffee", (fault(None),), ("dates",))),
    "unread-by-imprecise-checks": (
        "checks",
        UNREAD,
        Checked("c0ffee", (fault("critical", precise=False), fault("major", "safety", precise=False))),
    ),
    "agent": ("agent:self", EIGHTS, Checked("c0ffee", EVERY, ("dates",), MORE)),
    "agent-below-its-caps": (
        "agent:self",
        {name: Decimal("4.00") for name in EIGHTS},
        Checked("c0ffee", EVERY, (), MORE),
    ),
    "agent-at-its-caps": (
        "agent:self",
        EIGHTS | {"correctness": Decimal("8.00"), "safety": Decimal("8.01")},
        Checked("c0ffee", (fault("minor"), fault("minor", "safety"))),
    ),
    "agent-partly-unscored": (
        "agent:self",
        EIGHTS | {"completeness": Unscored("no time"), "safety": Unscored("some", (Decimal("5.00"), Decimal("9.00")))},
        Checked("c0ffee", (*EVERY[:3], fault("major", "safety"))),
    ),
    "person": (
        "human:ana",
        EIGHTS | {"adherence": Decimal("7.00"), "correctness": Decimal("6.99"), "completeness": Unscored("no")},
        Checked("c0ffee", EVERY, ("dates",), MORE),
    ),
    "met-only": ("agent:self", EIGHTS, Checked("c0ffee", (), (), MORE[1:3])),
}


def card_of(name: str, **more: Any) -> evenhand.Scorecard:
    judge, scores, checked = CASES[name]
    opinions = {
        dimension: Opinion(score, f"About {dimension}.", () if isinstance(score, Unscored) else (Evidence("an hour"),))
        for dimension, score in scores.items()
    }
    judgement = Judgement(
        opinions=opinions, judge={"name": judge}, skill="notes", task="Say why.", checked=checked, **more
    )
    return evenhand.score(judgement, rubric=RUBRIC, output=OUTPUT, id=name, created=CREATED)


@pytest.mark.parametrize("name", CASES)
def test_bounds_flags_and_caps_follow_from_findings(name: str, tmp_path: Path):
    """The scorecard with its audit, as a document and as pages; it verifies, and is scored again like any other."""
    card = card_of(name, red_flags=(Claim("rude", "It is rude.", (Evidence("an hour"),)),), bonuses=(Claim("kind"),))
    document = evenhand.document(card, audit=True)
    (tmp_path / "card.json").write_text(json.dumps(document))
    (tmp_path / "output.md").write_text(OUTPUT)
    written = json.dumps(document, indent=1, ensure_ascii=False)
    fits_its_schema(written)
    shown = [laid_out(written)]
    for command in (
        f"show --verify card.json --judged output.md --rubric {RUBRIC}",
        f"score card.json --rubric {SHARED / 'small.md'} --store none --audit",
        f"score card.json --rubric {SHARED / 'strict.md'} --store none --format json",
        "rank card.json --store none --format json",
    ):
        ran = run_here(*command.split(), cwd=tmp_path)
        fits_its_schema(ran.out)
        shown.append(as_shown(command.replace(str(SHARED), "shared"), ran, hidden=False))
    compare(HERE / "golden" / f"findings-{name}.txt", steady("\n".join(shown), tmp_path))


def test_a_flag_that_a_check_and_a_judge_raise_is_charged_once():
    """`detect:` raises it where no one did; where the judge did, the judge's words stay."""
    alone = card_of("agent")
    both = card_of("agent", red_flags=(Claim("leaked", "The judge saw it.", (Evidence("an hour"),)),))
    numbers = ("broken", "Another of the same weight.")
    assert [(flag.id, flag.explanation) for flag in alone.red_flags] == [numbers, ("leaked", "A key is shown.")]
    assert [(flag.id, flag.explanation) for flag in both.red_flags] == [("leaked", "The judge saw it."), numbers]
    assert alone.final == both.final


def test_an_unlisted_claim_of_a_judgement_is_refused():
    with pytest.raises(evenhand.JudgementError, match='unknown red flag "odd"'):
        card_of("agent", red_flags=(Claim("odd"),))


def test_the_rubric_decides_what_is_detected():
    """Under one that detects nothing, the same fault bounds its dimension."""
    judge, scores, checked = CASES["agent"]
    judgement = Judgement(
        {name: Opinion(score) for name, score in scores.items()}, {"name": judge}, "notes", checked=checked
    )
    plain = evenhand.score(judgement, rubric=shared_rubric("small"), output=OUTPUT, id="x")
    assert plain.red_flags == ()
    assert str(plain.dimensions["correctness"].score) == "4.00"
    assert seven(8).keys() == plain.dimensions.keys()
