"""Replies in every shape that servers send, and what they come to: scores or a reason why not, and the cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_server import Asked, FakeServer, Fault, Step, chat, said
from scripted_judge import read_prompt, reply_text

from contract.goldens import compare_json
from contract.providers.asking import KEY, ask, golden, result

HERE = Path(__file__).parent


def text(asked: Asked) -> str:
    return reply_text(read_prompt(asked.body))


def changed(step: Step, change: Callable[[dict[str, Any]], Any]) -> Step:
    document = json.loads(step.body)
    change(document)
    return step._replace(body=json.dumps(document).encode())


def usage(**counts: Any) -> Callable[[Asked], Step]:
    return lambda asked: changed(chat(text(asked)), lambda document: document.update(usage=counts))


def details(name: str, amount: int) -> Callable[[Asked], Step]:
    return usage(prompt_tokens=5000, completion_tokens=40, prompt_tokens_details={name: amount})


OPENAI: dict[str, Callable[[Asked], Step]] = {
    "a text": lambda asked: chat(text(asked)),
    "parts of a text": lambda asked: chat([{"type": "text", "text": text(asked)[:40]}, {"type": "image"}, 5,
                                           {"text": text(asked)[40:]}]),  # type: ignore[arg-type]
    "a NUL and half a letter": lambda asked: chat(text(asked).replace("It does", "It\\u0000 \\ud800does")),
    "no usage": lambda asked: chat(text(asked), usage=False),
    "usage of another kind": usage(prompt_tokens="many", completion_tokens=True),
    "thoughts in the total": usage(prompt_tokens=100, completion_tokens=20, total_tokens=400),
    "cached": details("cached_tokens", 4000),
    "written to a cache": details("cache_write_tokens", 1000),
    "cached as DeepSeek says": usage(prompt_tokens=5000, completion_tokens=40, prompt_cache_hit_tokens=3000),
    "cached as llama.cpp says": lambda asked: changed(
        chat(text(asked), tokens=(5000, 40)), lambda document: document.update(timings={"cache_n": 2000})),
    "no model's name": lambda asked: chat(text(asked), model=""),
    "a finish of no known kind": lambda asked: chat(text(asked), finish="eos"),
    "ends at the limit": lambda asked: chat(text(asked)[:200], finish="length"),
    "filtered": lambda asked: chat("", finish="content_filter"),
    "refused": lambda asked: chat(None, refusal="I cannot help with that."),
    "nothing": lambda asked: chat(None),
    "blank": lambda asked: chat("  \n"),
    "a tool called": lambda asked: chat(None, tool_calls=[{"function": {"name": "search", "arguments": "{}"}}]),
    "an answer to a tool": lambda asked: chat(None, tool_calls=[{"function": {"name": "answer",
                                                                          "arguments": text(asked)}}]),
    "answers to two tools": lambda asked: chat(None, tool_calls=2 * [{"function": {"name": "answer",
                                                                               "arguments": text(asked)}}]),
    "a function called": lambda asked: chat(None, function_call={"name": "search"}),
    "a tool without a name": lambda asked: chat(None, tool_calls=[{}]),
    "thoughts alone": lambda asked: chat(None, reasoning_content="Let me see."),
    "no choices": lambda asked: Step(body=b'{"choices": []}'),
    "an error in place of a choice": lambda asked: Step(body=b'{"error": {"message": "no  such\\nmodel"}}'),
    "an error in a choice": lambda asked: Step(body=b'{"choices": [{"error": "busy", "message": {"content": "x"}}]}'),
    "broken off": lambda asked: chat(text(asked), finish="error"),
    "a list": lambda asked: Fault.not_an_object,
    "a key twice": lambda asked: Step(body=b'{"choices": [], "choices": []}'),
    "not JSON": lambda asked: Fault.web_page,
}  # fmt: skip
ANTHROPIC: dict[str, Callable[[Asked], Step]] = {
    "a text": lambda asked: said({"type": "text", "text": text(asked)}),
    "texts": lambda asked: said({"type": "text", "text": text(asked)[:50]}, {"type": "text", "text": text(asked)[50:]}),
    "a tool's input": lambda asked: said({"type": "tool_use", "name": "answer", "input": json.loads(text(asked))},
                                         stop="tool_use"),
    "thoughts before": lambda asked: said({"type": "thinking", "thinking": "x"}, {"type": "text", "text": text(asked)}),
    "thoughts alone": lambda asked: said({"type": "redacted_thinking", "data": "x"}),
    "another tool": lambda asked: said({"type": "tool_use", "name": "Bash", "input": {}}, stop="tool_use"),
    "an answer to another tool": lambda asked: said({"type": "tool_use", "name": "reply",
                                                     "input": json.loads(text(asked))}, stop="tool_use"),
    "ends at the limit": lambda asked: said({"type": "text", "text": text(asked)[:99]}, stop="max_tokens"),
    "ends with the window": lambda asked: said({"type": "text", "text": "{"}, stop="model_context_window_exceeded"),
    "refused": lambda asked: said({"type": "text", "text": "No."}, stop="refusal"),
    "cached": lambda asked: changed(said({"type": "text", "text": text(asked)}), lambda document: document.update(
        usage={"input_tokens": 500, "output_tokens": 40, "cache_read_input_tokens": 4000,
               "cache_creation_input_tokens": 700})),
    "no usage": lambda asked: changed(said({"type": "text", "text": text(asked)}),
                                      lambda document: document.pop("usage")),
    "an error": lambda asked: Step(body=b'{"type": "error", "error": {"message": "Overloaded"}}'),
    "nothing": lambda asked: said(),
}  # fmt: skip
PRICED = """[judges.mine]
base_url = "{url}"
kind = "{kind}"
key_env = "MINE"
price_input = 2
price_output = 10
price_cached = 0.5
price_cache_write = 3
"""
AGAIN = ("no choices", "an error in place of a choice", "an error in a choice", "broken off", "a list", "a key twice",
         "not JSON", "an error")  # fmt: skip
"""What a server may send once by mistake: asked again after a wait."""


@pytest.mark.parametrize(
    ("kind", "name"), [*(("openai", name) for name in OPENAI), *(("anthropic", name) for name in ANTHROPIC)]
)
def test_a_reply(kind: str, name: str, tmp_path: Path, fake_server: FakeServer):
    """$2 a million tokens in, $10 out, $0.50 from the cache, $3 into it."""
    shape = (OPENAI if kind == "openai" else ANTHROPIC)[name]
    good = (OPENAI if kind == "openai" else ANTHROPIC)["a text"]
    fake_server.answer = (lambda asked: shape(asked) if asked.number == 1 else good(asked)) if name in AGAIN else shape
    settings = PRICED.format(url=fake_server.url, kind=kind)
    ran = ask(tmp_path, "--judge", "mine:one", settings=settings, environment={"MINE": KEY})
    shown = {**result(ran), "requests": fake_server.count}
    compare_json(golden(HERE, f"{kind}-{name}"), shown)
    assert shown.get("scores", []) in ([], [8])
