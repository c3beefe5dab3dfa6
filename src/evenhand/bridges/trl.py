"""TRL: an asynchronous reward function for GRPOTrainer and others that call reward functions alike.

    GRPOTrainer(model, reward_funcs=EvenhandReward("openai:gpt-4o", rubric="writing", max_cost="25"), ...)

Where nobody could score a completion the reward is None, which TRL leaves out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evenhand.bridges.rewards import Reward, Rewards, Work
from evenhand.errors import InputError, unknown


class EvenhandReward:
    """A reward function. It takes the arguments of `Rewards`, and the name of the column with a reference answer."""

    def __init__(self, judges: str | Sequence[str], *, reference: str | None = None, **options: Any) -> None:
        self._rewards = Rewards(judges, **options)
        self._reference = reference
        self.__name__ = "evenhand"

    async def __call__(
        self,
        prompts: Sequence[Any],
        completions: Sequence[Any],
        *,
        log_metric: Callable[[str, float], None] | None = None,
        log_extra: Callable[[str, list[Any]], None] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """A reward for each completion, in their order."""
        works = [
            Work(_completion_text(completion), _prompt_text(prompt) or None, reference)
            for prompt, completion, reference in zip(
                prompts, completions, self._references(columns, len(prompts)), strict=True
            )
        ]
        rewards = await self._rewards.of(works)
        if log_metric is not None:
            for name, mean in _means(rewards).items():
                log_metric(f"evenhand/{name}", mean)
        if log_extra is not None:
            log_extra("evenhand", [reward.reason for reward in rewards])
        return [reward.value for reward in rewards]

    def _references(self, columns: Mapping[str, Any], count: int) -> Sequence[str | None]:
        if self._reference is None:
            return [None] * count
        if self._reference not in columns:
            raise InputError(f"the dataset: {unknown('column', self._reference, sorted(columns))}")
        return [None if value is None else str(value) for value in columns[self._reference]]


def _means(rewards: Sequence[Reward]) -> dict[str, float]:
    """The mean of each dimension over those that have it, and the share of vetoes and of missing rewards."""
    names = dict.fromkeys(name for reward in rewards for name in reward.dimensions)
    means = {}
    for name in names:
        scores = [reward.dimensions[name] for reward in rewards if name in reward.dimensions]
        means[name] = sum(scores) / len(scores)
    if rewards:
        means["red_flagged"] = sum(bool(reward.red_flags) for reward in rewards) / len(rewards)
        means["not_judged"] = sum(reward.value is None for reward in rewards) / len(rewards)
    return means


def _prompt_text(prompt: Any) -> str:
    """What was asked for: the text, or the system's and the user's messages."""
    if isinstance(prompt, str):
        return prompt
    return "\n\n".join(_content(message) for message in prompt if message.get("role") != "assistant")


def _completion_text(completion: Any) -> str:
    """The text, or the last message of the assistant that has one."""
    if isinstance(completion, str):
        return completion
    texts = [_content(message) for message in completion if message.get("role") == "assistant"]
    return next((text for text in reversed(texts) if text.strip()), "")


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if isinstance(part, Mapping) and part.get("text"))
