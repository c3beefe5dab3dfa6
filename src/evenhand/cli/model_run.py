"""`evenhand judge` with models: the run, its progress, its plan and its prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.cli.judge_options import run_options
from evenhand.cli.presenter import present, write
from evenhand.cli.progress import Counter
from evenhand.cli.shared import DONE, NOT_SCORED, OUT_OF_REACH, SAID_NO, say
from evenhand.core.scorecard import Scorecard
from evenhand.errors import InputError
from evenhand.files import codec
from evenhand.in_words import counted, dollars
from evenhand.judges.models.call_plan import Plan, add_plans
from evenhand.judging.panels.concurrency import INTERRUPTED
from evenhand.judging.panels.panel import OpenPanel
from evenhand.judging.panels.panel_judging import PanelJudging
from evenhand.judging.steps import Steps
from evenhand.work.submission import Submission

if TYPE_CHECKING:
    from evenhand.judges.program import ProgramJudge
    from evenhand.judging.keeper import Keeper
    from evenhand.providers.exchange import Message
    from evenhand.store.protocol import Store

INTERRUPTED_CODE = 130


def counted_results(
    judging: PanelJudging, submissions: Iterable[Submission | InputError], total: Callable[[], int | None]
) -> Iterator[Scorecard | InputError]:
    """Scorecards as they are made, with a line that counts them and what was spent."""
    panel = judging.panel

    def spent() -> str:
        batches = f", {panel.batches()}" if panel.batches() else ""
        cost = f", {dollars(panel.budget.cost)}" if panel.budget.any_reply else ""
        return f"{counted(panel.budget.calls, 'call')}{cost}{batches}"

    return Counter(total, more=spent, activity=panel.activity).count(judging.results(submissions))


def write_prompts(prompts: Iterable[tuple[str, str, Sequence[Message]]], note: str = "") -> int:
    """The exact prompts: for each its judge, its question and the messages; returns the exit code."""
    for judge, question, messages in prompts:
        write(f"===== {judge}, {question}{note}\n")
        for message in messages:
            write(f"----- {message.role}\n{message.content}\n")
    return DONE


def model_judging(
    specs: Sequence[str],
    asking: dict[str, Any],
    *,
    program: ProgramJudge,
    rubric: str | None,
    store: str,
    keeper: Keeper | None,
    kept_in: Store | None = None,
    only_criteria: bool = False,
) -> PanelJudging:
    """The judging that the options ask for; `kept_in` is the store itself."""
    options = run_options("judge", asking, store)
    calibration = None
    if options.calibration is not None:
        from evenhand.judging.calibration import load_calibration

        calibration = load_calibration(options.calibration)
    out_of_date = None
    if calibration is not None and kept_in is not None:
        from evenhand.cli.stale_calibration import warn_of_stale

        out_of_date = warn_of_stale(calibration, kept_in)
    steps = Steps(rubric, calibration=calibration, out_of_date=out_of_date, keeper=keeper)
    secret = None if keeper is None else keeper.secret
    is_asked = not (asking.get("dry_run") or asking.get("show_prompt"))
    panel = OpenPanel(
        specs,
        options,
        program=program,
        notice=say,
        store=kept_in,
        secret=secret,
        needs_key=is_asked,
        only_criteria=only_criteria,
    )
    if panel.chosen is not None:
        say(f"auto: the judge is {panel.chosen.spec}; {panel.chosen.cost}")
    return PanelJudging(panel, steps)


def ended(panel: OpenPanel, code: int) -> int:
    """Report how the judging ended; returns the exit code."""
    if panel.stopped is None:
        silent = panel.never_answered if code == NOT_SCORED else None
        if silent is None:
            return code
        say(f"error: {silent}")
        return OUT_OF_REACH
    again = "replies already paid for are kept; run the same command again to continue"
    if not panel.keeps_replies:
        again = "no replies are kept without a store; with judge.replies=FILE a second run would not pay for them again"
    if panel.stopped == INTERRUPTED:
        say(f"interrupted; everything shown above is complete; {again}")
        return INTERRUPTED_CODE
    if panel.out_of_reach:
        say(f"error: {panel.stopped}")
        return SAID_NO if code == SAID_NO else OUT_OF_REACH
    say(f"stopped: {panel.stopped}; {again}")
    return NOT_SCORED if code == DONE else code


def write_plan(plans: Sequence[tuple[str, Plan]], format: str, counts: dict[str, int], more: int = 0) -> None:
    """What a run would take: for each judge and together, with what is counted under `counts`."""
    total = add_plans(plan for _, plan in plans)

    def document() -> dict[str, Any]:
        judges = [{"judge": name, **codec.document(plan)} for name, plan in plans]
        whole = {**counts, "judges": judges, **codec.document(total), "escalation_calls": more}
        return {"schema": "evenhand/plan/v1", **whole}

    def lines() -> Iterator[str]:
        for name, plan in plans:
            yield f"{name}: {plan_line(plan)}"
        if len(plans) != 1:
            yield f"together: {plan_line(total)}"
        if more:
            yield f"up to {counted(more, 'more call')} to the stronger judge, where the others are unsure"
        noun, count = list(counts.items())[-1]
        yield (
            f"{counted(count, noun[:-1])}. Input tokens are estimated from the length of the text, "
            "output tokens are the most a reply may have; second tries are not counted."
            + (
                " Give --set judge.price=IN/OUT, or price_input and price_output in evenhand.toml, to see dollars."
                if total.cost is None
                else ""
            )
        )

    present(format, document, plain=lines)


def plan_line(plan: Plan) -> str:
    """A plan in words."""
    stored = f" ({plan.stored:,} more are already stored)" if plan.stored else ""
    cost = "cost unknown" if plan.cost is None else f"at most ${plan.cost:.4f}"
    cost += f" by the price list of {plan.listed}" if plan.cost and plan.listed else ""
    cached = f" ({plan.cached_tokens:,} of them seen before by a server that caches)" if plan.cached_tokens else ""
    tokens = f"about {plan.input_tokens:,} tokens in{cached} and at most {plan.output_tokens:,} out"
    return f"{counted(plan.calls, 'call')}{stored}, {tokens}, {cost}"
