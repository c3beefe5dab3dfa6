"""Other tools that let a model judge, each in its own documented way; model_judges.py runs those that are installed.

    pip install deepeval && pip install inspect-ai && pip install openevals

Each sends its own prompt, one call for a submission, and asks for one score; the stub server answers with a reply
that it can read. Telemetry, caches and displays are off. A run counts only when every submission got a score.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

IN_FLIGHT = 64
KEY = "a-key-for-benchmarks"
CRITERION = "The answer says why the cache went stale, and every step of it holds."
REASON = "The steps follow from one another, and the last one names the cause."

Case = dict[str, str]
"""A submission: `id`, `task` and `output`."""
Judge = Callable[[list[Case]], list[Any]]
"""Gives every case a score, or None."""


class Peer(NamedTuple):
    """A tool that may be installed."""

    package: str
    make: Callable[[str], Judge]
    """A judge that asks the server at this address."""
    reply: str
    """What a model would say to it."""


def inspect_ai(address: str) -> Judge:
    """A task whose solver hands in what was written before, and Inspect's own scorer; it writes its log."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import GenerateConfig, ModelOutput, get_model
    from inspect_ai.scorer import model_graded_qa
    from inspect_ai.solver import Generate, Solver, TaskState, solver

    @solver
    def hand_in() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            state.output = ModelOutput.from_content("hand_in", state.metadata["output"])
            return state

        return solve

    def judge(cases: list[Case]) -> list[Any]:
        samples = [
            Sample(id=case["id"], input=case["task"], target=CRITERION, metadata={"output": case["output"]})
            for case in cases
        ]
        task = Task(dataset=samples, solver=hand_in(), scorer=model_graded_qa())
        config = GenerateConfig(max_connections=IN_FLIGHT, cache=False)
        model = get_model("openai-api/stub/judge", base_url=address, api_key=KEY, config=config, memoize=False)
        log = eval(task, model=model, max_samples=IN_FLIGHT, display="none", log_dir="logs")[0]
        assert log.status == "success", log.error
        return [_grade(sample.scores) for sample in log.samples or []]

    return judge


def _grade(scores: Any) -> Any:
    """The only score of a sample, as Inspect has it; a reply that it cannot read is not a C and no I."""
    values = [score.value for score in (scores or {}).values()]
    return values[0] if values and values[0] in ("C", "I") else None


def deepeval(address: str) -> Judge:
    """G-Eval with its steps given, so that it need not ask for them."""
    os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="1", DEEPEVAL_NO_INSPECT_PROMPT="1", DEEPEVAL_DISABLE_DOTENV="1")
    from deepeval import evaluate
    from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
    from deepeval.metrics import GEval
    from deepeval.models import LocalModel
    from deepeval.test_case import LLMTestCase, SingleTurnParams

    shown = [SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT]
    model = LocalModel(model="judge", base_url=address, api_key=KEY)
    metric = GEval(name="quality", evaluation_steps=[CRITERION], evaluation_params=shown, model=model)

    def judge(cases: list[Case]) -> list[Any]:
        done = evaluate(
            [LLMTestCase(name=case["id"], input=case["task"], actual_output=case["output"]) for case in cases],
            [metric],
            async_config=AsyncConfig(max_concurrent=IN_FLIGHT),
            display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
            cache_config=CacheConfig(write_cache=False, use_cache=False),
        )
        return [result.metrics_data[0].score for result in done.test_results]

    return judge


def openevals(address: str) -> Judge:
    """Its judge on an OpenAI client. It has no runner of its own, so the calls are gathered here."""
    os.environ.update(LANGSMITH_TRACING="false", LANGCHAIN_TRACING_V2="false")
    from openai import AsyncOpenAI
    from openevals.llm import create_async_llm_as_judge

    prompt = CRITERION + "\nTo what degree is that so?\n\nTask: {inputs}\n\nAnswer: {outputs}"

    async def judge(cases: list[Case]) -> list[Any]:
        slots = asyncio.Semaphore(IN_FLIGHT)
        async with AsyncOpenAI(base_url=address, api_key=KEY) as client:
            ask = create_async_llm_as_judge(prompt=prompt, judge=client, model="judge", continuous=True)

            async def one(case: Case) -> Any:
                async with slots:
                    return (await ask(inputs=case["task"], outputs=case["output"]))["score"]

            return await asyncio.gather(*map(one, cases))

    return lambda cases: asyncio.run(judge(cases))


PEERS = {
    "deepeval": Peer("deepeval", deepeval, json.dumps({"reason": REASON, "score": 8})),
    "inspect_ai": Peer("inspect-ai", inspect_ai, f"{REASON}\n\nGRADE: C"),
    "openevals": Peer("openevals", openevals, json.dumps({"reasoning": REASON, "score": 0.8})),
}
"""By the name of the module, in the order in which pip installs them best."""


def installed() -> list[str]:
    """The peers that this environment has."""
    return [name for name in PEERS if find_spec(name)]


def title(name: str) -> str:
    """The peer's package and version."""
    package = PEERS[name].package
    return f"{package} {metadata.version(package)}"


def reply_at(path: str) -> str | None:
    """What the stub server answers at this path; None when it is not a peer's."""
    _, first, name, *_ = path.split("/")
    return PEERS[name].reply if first == "peer" else None


def measure(name: str, address: str, file: Path) -> tuple[float, float, dict[str, Any]]:
    """The wall time and the processor time to judge a file, and why it does not count, if so."""
    cases = [json.loads(line) for line in file.read_text().splitlines()]
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(sys.stderr):
        os.environ.update(HOME=folder, NO_PROXY="127.0.0.1", no_proxy="127.0.0.1")  # what they write goes away with it
        try:
            return *_timed(PEERS[name].make(address.replace("/v1", f"/peer/{name}/v1")), cases), {}
        except Exception as failure:  # another version may be driven otherwise; ours is measured all the same
            return 0.0, 0.0, {"failed": " ".join(f"{type(failure).__name__}: {failure}".split())}


def _timed(judge: Judge, cases: list[Case]) -> tuple[float, float]:
    judge(cases[:2])  # not counted: what is imported late is in place after it
    begun, used = time.perf_counter(), time.process_time()
    scores = judge(cases)
    wall, cpu = time.perf_counter() - begun, time.process_time() - used
    scored = sum(score is not None for score in scores)
    assert scored == len(cases), f"{scored} of {len(cases)} submissions have a score"
    return wall, cpu
