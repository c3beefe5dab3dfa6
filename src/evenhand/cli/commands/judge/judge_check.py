"""`evenhand judge check`: one cheap call to a judge, and what it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.cli.model_run import plan_line
from evenhand.cli.presenter import console, markdown_table, present
from evenhand.cli.shared import DONE, OUT_OF_REACH, say
from evenhand.core.numbers import plain
from evenhand.errors import InputError
from evenhand.files import codec
from evenhand.in_words import dollars
from evenhand.work.printable import printable

if TYPE_CHECKING:
    from evenhand.judges.models.call_plan import Plan
    from evenhand.providers.trial import ImageTrial, Trial

TYPICAL_WORDS = 600
"""Words of the output that a judgement is priced for."""

_SUPPORT = {
    "schema": {
        "yes": "enforced: the reply has the form that was asked for",
        "partly": "enforced in a simpler form",
        "ignored": "accepted, but the reply does not have the form that was asked for",
        "refused": "refused: replies are read as they come",
    },
    "seed": {"yes": "accepted", "partly": "accepted", "ignored": "accepted", "refused": "refused"},
    "logprobs": {
        "yes": "given: one call shows how sure the judge is",
        "partly": "given for fewer tokens",
        "ignored": "not given: use judge.samples to see how sure the judge is",
        "refused": "refused: use judge.samples to see how sure the judge is",
    },
}
_IMAGES = {
    "yes": "accepted: the model named the colour of a picture",
    "ignored": "accepted, but the reply does not name the colour of the picture",
    "refused": "refused: images in a transcript are left out",
    "unknown": "not known: the call with a picture got no reply",
    "known": "accepted, as far as is known; --images makes a call to see",
    "off": "not sent: images = false in evenhand.toml",
    "none": "not accepted: this judge is given text only",
}


class Checked(NamedTuple):
    """What the calls to a judge showed."""

    address: str | None
    trial: Trial
    images: str
    """A key of `_IMAGES`."""
    image_trial: ImageTrial | None
    """None when no picture was sent."""


def check(spec: str, format: str, base_url: str | None, *, images: bool) -> int:
    """Call the judge once, and show what came of it."""
    import asyncio

    from evenhand.providers.exchange import CallFailed

    if spec in ("checks", "replay") or spec.startswith("replay:"):
        raise InputError(f"{spec} calls no model; there is nothing to check")
    spec = _chosen(spec)
    plan = _plan(spec, base_url)
    try:
        checked = asyncio.run(_try(spec, base_url, images=images))
    except CallFailed as failure:
        say(f"error: {failure}")
        return OUT_OF_REACH
    rows = [(name, printable(text)) for name, text in _rows(checked, plan)]

    def terminal() -> None:
        from rich.table import Table

        table = Table(box=None, pad_edge=False, show_header=False, title=printable(spec), title_justify="left")
        table.add_column(style="dim", no_wrap=True)
        table.add_column(overflow="fold")
        for row in rows:
            table.add_row(*row)
        console().print(table)

    present(
        format,
        lambda: {"name": spec, **_document(checked), "judgement": codec.document(plan)},
        terminal=terminal,
        markdown=lambda: markdown_table((printable(spec), ""), rows),
    )
    return DONE


def _chosen(spec: str) -> str:
    """The judge itself; for `auto` the one that it would choose, which is printed."""
    from evenhand.options.settings import judge_tables
    from evenhand.providers.entries import configured
    from evenhand.providers.provider_status import AUTO, choose

    if spec != AUTO:
        return spec
    choice = choose(configured(judge_tables()))
    say(f"auto: the judge is {choice.spec}; {choice.cost}")
    return choice.spec


async def _try(spec: str, base_url: str | None, *, images: bool) -> Checked:
    import aiohttp  # noqa: F401 (loaded before the call is timed)

    from evenhand.options.settings import judge_tables
    from evenhand.providers.entries import configured
    from evenhand.providers.hooks import Hooks
    from evenhand.providers.known import Configured
    from evenhand.providers.opened_provider import open_provider
    from evenhand.providers.sight import known_sight
    from evenhand.providers.specs import parse_spec
    from evenhand.providers.trial import try_out, try_picture

    named = configured(judge_tables())
    parsed = parse_spec(spec, named)
    provider = open_provider(parsed, named, base_url=base_url, hooks=Hooks(notice=say))
    known = known_sight(parsed.model, named.get(parsed.provider, Configured()).images)
    try:
        address, trial = provider.identity.get("address"), await try_out(provider)
        if not hasattr(provider, "no_pictures"):
            return Checked(address, trial, "none", None)
        if known is False or (known and not images):
            return Checked(address, trial, "known" if known else "off", None)
        seen = await try_picture(provider)
        return Checked(address, trial, seen.support, seen)
    finally:
        await provider.close()


def _plan(spec: str, base_url: str | None) -> Plan:
    """What a judgement of a typical output would take, with the default rubric."""
    from evenhand.judging.panels.panel import OpenPanel
    from evenhand.judging.panels.panel_judging import PanelJudging
    from evenhand.judging.steps import Steps
    from evenhand.options.model_options import ModelOptions
    from evenhand.work.submission import Submission

    sentence = "The export failed because the disk was full and nobody had looked at it. "
    output = sentence * (TYPICAL_WORDS // len(sentence.split()))
    judging = PanelJudging(OpenPanel((spec,), ModelOptions(base_url=base_url)), Steps())
    (_, [(_, plan)], _) = judging.plan([Submission(output=output, task="Find out why the export failed.")])
    return plan


def _rows(checked: Checked, plan: Plan) -> list[tuple[str, str]]:
    address, trial = checked.address, checked.trial
    cached = trial.cached_tokens
    caching = "not reported by the server" if cached is None else f"reported by the server: {cached:,} tokens this time"
    about = "about " if trial.estimated else ""
    speed = f"{trial.seconds:.1f} s for {about}{trial.input_tokens:,} tokens in and {trial.output_tokens:,} out"
    rate = f", {trial.output_tokens / trial.seconds:,.0f} out per second" if trial.seconds else ""
    return [
        *([("address", address)] if address else []),
        *([("model", trial.model)] if trial.model else []),
        ("schema", _SUPPORT["schema"][trial.schema]),
        ("seed", _SUPPORT["seed"][trial.seed]),
        ("log-probabilities", _SUPPORT["logprobs"][trial.logprobs]),
        ("cached tokens", caching),
        ("images", _image_row(checked)),
        ("speed", speed + rate),
        ("this check", dollars(trial.cost, 6)),
        ("a judgement", f"{plan_line(plan)}; for an output of {TYPICAL_WORDS} words and the default rubric"),
    ]


def _image_row(checked: Checked) -> str:
    """Whether images are accepted, and what the call cost that showed it."""
    text, trial = _IMAGES[checked.images], checked.image_trial
    if trial is None:
        return text
    why = f" ({trial.reason})" if trial.reason else ""
    if checked.images == "unknown":
        return text + why
    tokens = f"{trial.input_tokens:,} tokens in and {trial.output_tokens:,} out"
    return f"{text}{why}; one more call, {tokens}, {dollars(trial.cost, 6)}"


def _document(checked: Checked) -> dict[str, Any]:
    trial, image_trial = checked.trial, checked.image_trial
    return {
        "address": checked.address,
        "answers": True,
        "model": trial.model or None,
        "schema": trial.schema,
        "seed": trial.seed,
        "logprobs": trial.logprobs,
        "images": checked.images,
        "images_call": None
        if image_trial is None
        else {
            "input_tokens": image_trial.input_tokens,
            "output_tokens": image_trial.output_tokens,
            "cost": None if image_trial.cost is None else plain(image_trial.cost),
            "reason": image_trial.reason or None,
        },
        "cached_tokens": trial.cached_tokens,
        "seconds": round(trial.seconds, 3),
        "input_tokens": trial.input_tokens,
        "output_tokens": trial.output_tokens,
        "tokens_estimated": trial.estimated,
        "cost": None if trial.cost is None else plain(trial.cost),
    }
