"""A small stand-in for `claude`: a real process that misbehaves as told.

    fake_claude(folder, "quota")      # writes an executable `claude` into the folder; put that on the PATH

In a rehearsal it talks to the address it is given; otherwise it answers by itself, as `scripted_judge` does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

MODEL = "claude-fake-9"


def fake_claude(folder: Path, mode: str = "good") -> Path:
    """An executable `claude` that behaves as `mode` says."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "claude"
    support = str(Path(__file__).parent)
    path.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {support!r})\n"
        f"import fake_agent\nsys.exit(fake_agent.main({mode!r}, {str(folder)!r}))\n",
        encoding="utf-8",
    )
    path.chmod(0o755)
    return path


def main(mode: str, folder: str) -> int:
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        print("" if mode == "no version" else "9.9.9 (Claude Code)")
        return 0
    if arguments == ["auth", "status"]:
        return 1 if mode == "no login" else 0
    prompt = sys.stdin.read()
    rehearsal = os.environ.get("ANTHROPIC_API_KEY") == "rehearsal"
    return _rehearse(mode, prompt) if rehearsal else _judge(mode, prompt, Path(folder))


def _rehearse(mode: str, prompt: str) -> int:
    if mode == "never asks":
        return 0
    tools = [{"name": "StructuredOutput"}, *([{"name": "Read"}] if mode == "tools" else [])]
    body: dict[str, Any] = {"model": MODEL, "tools": tools, "messages": [{"role": "user", "content": prompt}]}
    calls = [event["content_block"]["name"] for event in _post(body) if event["type"] == "content_block_start"]
    assert calls == ["Read", "Bash"]
    canary = prompt.split()[3]
    content = Path(canary).read_text(encoding="utf-8") if mode == "leaks" else "no such tool"
    body["messages"].append({"role": "user", "content": [{"type": "tool_result", "content": content}]})
    _post(body)
    _print_start()
    _print_result({"content": "unknown"})
    return 0


def _post(body: dict[str, Any]) -> list[dict[str, Any]]:
    address = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages?beta=true"
    with urllib.request.urlopen(urllib.request.Request(address, json.dumps(body).encode())) as response:
        lines = response.read().decode().splitlines()
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]


def _judge(mode: str, prompt: str, folder: Path) -> int:
    seen = {
        "arguments": sys.argv[1:],
        "environment": dict(os.environ),
        "folder": [path.name for path in Path().iterdir()],
        "prompt": prompt,
    }
    (folder / "seen.json").write_text(json.dumps(seen), encoding="utf-8")
    if mode == "hangs":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        (folder / "pids").write_text(f"{os.getpid()} {child.pid}", encoding="utf-8")
        time.sleep(60)
    if mode == "crashes":
        print("Segmentation fault", file=sys.stderr)
        return 139
    if mode == "garbage":
        print("\x1b[31m{not json\n[1, 2]\n")
        return 0
    _print_start(
        model="claude-other-1" if mode == "other model" else MODEL, tools=["Read"] if mode == "late tools" else []
    )
    if mode == "no login":
        _print_error("authentication_failed", "Not logged in · Please run /login")
        return 1
    if mode == "quota":
        _print_error("rate_limit", "You've hit your session limit")
        return 1
    if mode == "budget":
        print(json.dumps({"type": "result", "subtype": "error_max_budget_usd", "is_error": True}))
        return 1
    from scripted_judge import read_prompt, reply_text

    answer = json.loads(reply_text(read_prompt({"messages": [{"role": "user", "content": prompt}]})))
    _print_result(answer, stop="refusal" if mode == "refuses" else "tool_use")
    return 0


def _print_start(model: str = MODEL, tools: list[str] | None = None) -> None:
    tools = ["StructuredOutput", *(tools or [])]
    print(json.dumps({"type": "system", "subtype": "init", "tools": tools, "mcp_servers": [], "model": f"{model}[1m]"}))
    message = {"model": model, "content": [{"type": "tool_use", "name": "StructuredOutput", "input": {}}]}
    print(json.dumps({"type": "assistant", "message": message}))


def _print_error(error: str, text: str) -> None:
    message = {"model": "<synthetic>", "content": [{"type": "text", "text": text}]}
    print(json.dumps({"type": "assistant", "message": message, "error": error}))
    print(json.dumps({"type": "result", "subtype": "success", "is_error": True, "result": text}))


def _print_result(answer: Any, stop: str = "tool_use") -> None:
    usage = {"input_tokens": 100, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 7, "output_tokens": 20}
    result = {"type": "result", "subtype": "success", "is_error": False, "stop_reason": stop, "usage": usage}
    result |= {"total_cost_usd": 0.0125, "structured_output": answer, "modelUsage": {MODEL: {"contextWindow": 50_000}}}
    print(json.dumps(result))
