"""verifiers: a judge that is plugged into a task's configuration.

    # our_judge.py, named by --env.taskset.task.judges '[{"id": "our_judge", "judge": "openai:gpt-4o"}]'
    from evenhand.bridges.verifiers import EvenhandJudge
    __all__ = ["EvenhandJudge"]

An output that nobody could score is an error, as verifiers expects, never a zero.
"""

from __future__ import annotations

import json
from typing import Any

from evenhand.bridges.rewards import Rewards, Work
from evenhand.errors import InputError, Unavailable

try:
    import verifiers.v1 as vf
except ImportError:
    raise InputError("the judge for verifiers needs verifiers: pip install verifiers") from None

__all__ = ["EvenhandJudge"]

_OPENED: dict[str, Rewards] = {}
"""verifiers makes a judge for every rollout; those of one configuration share cache and budget."""


class EvenhandJudgeConfig(vf.JudgeConfig):  # type: ignore[misc]
    """The settings of the judge, beside verifiers' own `name` and `weight`."""

    judge: str | list[str] = ""
    """Who judges, as after `evenhand judge --judge`; several make a panel."""
    rubric: str | None = None
    veto: float | None = 0.0
    """The reward of an output with a red flag; None takes the flags' deductions only."""
    reference_field: str | None = None
    """The field of the task that holds a reference answer."""
    view: vf.JudgeView = "last_reply"
    """What is judged: the last reply, or the whole trace as text."""
    options: dict[str, Any] = {}  # noqa: RUF012 (pydantic copies it)
    """Further arguments of `evenhand.judge`: max_calls, max_cost, replies, economy and so on."""


class EvenhandJudge(vf.Judge[Any, EvenhandJudgeConfig]):  # type: ignore[misc]
    """Judges a rollout with a rubric; the reward is a tenth of the final score."""

    async def score(self, task: vf.TaskData, trace: vf.Trace) -> float:
        """The reward; the dimensions become metrics. Raises when it could not be scored."""
        field = self.config.reference_field
        reference = None if field is None else str(getattr(task, field))
        output = trace.transcript if self.config.view == "full_trace" else trace.last_reply
        reward = await self._rewards().of_one(Work(output, task.prompt_text or None, reference))
        if reward.value is None:
            raise Unavailable(reward.reason)
        trace.record_metrics({f"evenhand/{name}": score for name, score in reward.dimensions.items()})
        trace.info.setdefault("evenhand", []).append({"reason": reward.reason, "red_flags": list(reward.red_flags)})
        return reward.value

    def _rewards(self) -> Rewards:
        config = self.config
        arguments = {"rubric": config.rubric, "veto": config.veto, **config.options}
        key = json.dumps([config.judge, arguments], sort_keys=True, default=str)
        if key not in _OPENED:
            _OPENED[key] = Rewards(config.judge or (), **arguments)
        return _OPENED[key]
