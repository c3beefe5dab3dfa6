"""Servers that people really run: llama.cpp's own, with a small real model, and LiteLLM's proxy in front of a stub.

LiteLLM is large, so it is used only where it is installed: as `litellm` on the PATH, or where EVENHAND_LITELLM says.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Ran
from fake_server import Asked, FakeServer, Fault, Step
from scripted_judge import answer

from evenhand.core.values.model_options import ModelOptions
from evenhand.core.values.submission import Submission
from evenhand.judging.panels.panel import OpenPanel
from evenhand.judging.panels.panel_judging import PanelJudging
from evenhand.judging.steps import Steps
from evenhand.providers.configured import Configured
from evenhand.providers.exchange import Reply, Request
from evenhand.providers.opened_provider import open_provider
from evenhand.providers.specs import parse_spec
from test_local_judging import short_rubric
from test_local_model import model_file, smallest_model
from test_model_judging import ANSWER, KEY

pytestmark = pytest.mark.slow
__all__ = ["model_file", "smallest_model"]

WORK = "".join(f"Step {n}: the cache drops entry {n} and reads the price again.\n" for n in range(40))


# --- llama.cpp ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def llama(smallest_model: str) -> Iterator[str]:
    """llama.cpp's server as it comes, with its counters switched on: its address."""
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = smallest_model
    settings.n_ctx = 8192
    settings.n_parallel = 1
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.verbosity = -1
    settings.warmup = False
    settings.endpoint_metrics = True
    server = xllamacpp.Server(settings)
    yield str(server.listening_address)
    del server


def tokens_read(address: str) -> int:
    """How many tokens of prompts the server has worked through, by its own count."""
    with urllib.request.urlopen(f"{address}/metrics") as response:
        counted = re.search(r"^llamacpp:prompt_tokens_total (\d+)", response.read().decode(), re.M)
    assert counted is not None
    return int(counted[1])


def test_llama_reads_a_submission_once_for_all_questions(llama: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Of each later question at least three quarters are in the cache, and its own counters agree on the rest.

    The work is kept short, because the model reads slowly; the longer the work, the larger the share.
    """
    (tmp_path / "short.md").write_text(short_rubric())
    (tmp_path / "evenhand.toml").write_text(f'[judges.near]\nbase_url = "{llama}/v1"\nmodel = "smollm2"\n')
    monkeypatch.chdir(tmp_path)
    judging = PanelJudging(OpenPanel(["near"], ModelOptions()), Steps("short.md"))
    prompts = [messages for _, _, messages in judging.prompts(Submission(output=WORK, task="Mend the cache."))]
    assert len(prompts) == 7
    before = tokens_read(llama)

    async def ask() -> list[Reply]:
        named = {"near": Configured(base_url=f"{llama}/v1", model="smollm2", first_byte_timeout=600)}
        provider = open_provider(parse_spec("near", named), named)
        try:
            return [await provider.ask(Request(messages=messages, max_tokens=1)) for messages in prompts]
        finally:
            await provider.close()

    replies = asyncio.run(ask())
    counts = [(reply.input_tokens or 0, reply.cached_tokens or 0) for reply in replies]
    assert all(cached >= 0.75 * tokens for tokens, cached in counts[1:]), counts
    assert tokens_read(llama) - before == sum(tokens - cached for tokens, cached in counts)


def test_check_of_a_real_server(llama: str, evenhand_command: Callable[..., Ran], tmp_path: Path):
    """llama.cpp enforces a schema, gives probabilities, and says what it had in its cache."""
    settings = f'[judges.near]\nbase_url = "{llama}/v1"\nmodel = "smollm2"\nfirst_byte_timeout = 100\n'
    (tmp_path / "evenhand.toml").write_text(settings)
    done = evenhand_command("judges", "check", "near", "--format", "json")
    document = json.loads(done.out)
    assert (document["schema"], document["seed"], document["logprobs"]) == ("yes", "yes", "yes"), done.err
    assert document["cached_tokens"] is not None and document["seconds"] > 0 and document["output_tokens"] > 3


# --- LiteLLM -----------------------------------------------------------------------------------------

MASTER_KEY = "sk-of-the-proxy-0123456789"


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, FakeServer]]:
    """LiteLLM's proxy, and the stub behind it."""
    command = os.environ.get("EVENHAND_LITELLM") or shutil.which("litellm")
    if command is None:
        pytest.skip("LiteLLM is not installed; put litellm[proxy] into a venv and name its command in EVENHAND_LITELLM")
    folder = tmp_path_factory.mktemp("litellm")
    with FakeServer() as stub, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        model = {"model": "openai/any", "api_base": stub.url, "api_key": "none"}
        config = {
            "model_list": [{"model_name": "judge", "litellm_params": model}],
            "litellm_settings": {"num_retries": 0},
        }
        (folder / "config.yaml").write_text(json.dumps(config))
        environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MASTER_KEY": MASTER_KEY}
        environment.pop("PYTHONPATH", None)
        arguments = [
            command,
            "--config",
            "config.yaml",
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            "--telemetry",
            "False",
        ]
        with open(folder / "log", "wb") as log:
            process = subprocess.Popen(arguments, cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            _until_alive(f"http://127.0.0.1:{port}/health/liveliness", process, folder / "log")
            yield f"http://127.0.0.1:{port}/v1", stub
        finally:
            process.terminate()
            process.wait(timeout=30)


def _until_alive(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 240
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.3)
    pytest.fail(f"the proxy did not start: {log.read_text()[-2000:]}")


def judge(run: Callable[..., Ran], folder: Path, address: str, *options: str) -> Ran:
    (folder / "answer.md").write_text(ANSWER)
    text = f'[judges.proxy]\nbase_url = "{address}"\nmodel = "judge"\nkey_env = "PROXY_KEY"\n'
    (folder / "evenhand.toml").write_text(text)
    return run("judge", "answer.md", "--judge", "proxy", "--economy", "-f", "json", *options, PROXY_KEY=MASTER_KEY)


def test_a_judgement_through_litellm(proxy: Any, evenhand_command: Callable[..., Ran], tmp_path: Path):
    """The proxy passes the question, the schema and the seed on, and the reply and its tokens back."""
    address, stub = proxy
    stub.answer = answer
    done = judge(evenhand_command, tmp_path, address)
    card = json.loads(done.out)
    assert (done.code, card["final"]) == (0, 8), done.err
    calls = card["panel"]["calls"]
    assert (calls["input_tokens"], calls["output_tokens"]) == (100 * calls["asked"], 20 * calls["asked"])
    sent = stub.asked[-1].body
    assert sent["response_format"]["type"] == "json_schema" and "seed" in sent
    assert MASTER_KEY not in done.out + done.err and KEY not in done.out


def test_a_parameter_that_the_server_behind_litellm_refuses_is_left_out(
    proxy: Any, evenhand_command: Callable[..., Ran], tmp_path: Path
):
    """The proxy wraps the refusal in words of its own."""
    address, stub = proxy

    def picky(asked: Asked) -> Step:
        return Fault.status(400, "logprobs is not supported") if "logprobs" in asked.body else answer(asked)

    stub.answer = picky
    done = judge(evenhand_command, tmp_path, address, "--fresh")
    assert (done.code, json.loads(done.out)["final"]) == (0, 8), done.err


def test_a_wrong_model_and_a_wrong_key_at_litellm_are_exit_code_4(
    proxy: Any, evenhand_command: Callable[..., Ran], tmp_path: Path
):
    """One line with its reason, no scorecard."""
    address, _ = proxy
    done = judge(evenhand_command, tmp_path, address, "--judge", "proxy:nobody", "--quorum", "2", "--fresh")
    assert done.code == 4 and "proxy:nobody" in done.err, done.err
    text = (tmp_path / "evenhand.toml").read_text()
    (tmp_path / "evenhand.toml").write_text(text)
    wrong = evenhand_command(
        "judge", "answer.md", "--judge", "proxy", "--economy", "-f", "json", "--fresh", PROXY_KEY="sk-wrong-0123456789"
    )
    assert (wrong.code, wrong.out) == (4, "") and "sk-wrong-0123456789" not in wrong.err
