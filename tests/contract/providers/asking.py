"""One output judged by a server, a file or a command, through `evenhand judge`: what was asked, what came of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from fake_server import Asked, FakeServer, Step, chat, said
from scripted_judge import read_prompt, reply_text

from contract.doors import Ran, run_here

KEY: Final = "sk-contract-0123456789abcdef"
OUTPUT: Final = (
    "The export failed because the disk of host a was full.\nRemove what is older than a week, and run it again."
)


def ask(folder: Path, *options: str, settings: str = "", environment: Mapping[str, str] | None = None) -> Ran:
    """`evenhand judge` of one output, in JSON, with nothing stored unless told otherwise."""
    (folder / "evenhand.toml").write_text(settings, encoding="utf-8")
    (folder / "out.md").write_text(OUTPUT, encoding="utf-8")
    store = () if "--store" in options else ("--store", "none")
    names = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, **(environment or {})}
    form = () if "-f" in options else ("-f", "json")
    return run_here("judge", "out.md", *options, *store, *form, cwd=folder, environment=names)


def golden(folder: Path, name: str) -> Path:
    """The golden file of a case."""
    return folder / "golden" / f"{name.replace(' ', '-').replace(chr(39), '')}.json"


def at(server: FakeServer) -> tuple[str, ...]:
    """The options for a model behind a server with OpenAI's API."""
    return ("--judge", "openai:one", "--base-url", server.url)


def good(asked: Asked) -> Step:
    """A reply that gives 8, in the form of the API that was asked."""
    body = asked.body
    if not asked.path.partition("?")[0].endswith("/messages"):
        return chat(reply_text(read_prompt(body)))
    text = reply_text(read_prompt(body))
    if "tools" in body:
        return said({"type": "tool_use", "name": "answer", "input": json.loads(text)}, stop="tool_use")
    return said({"type": "text", "text": text})


def outline(asked: Asked) -> dict[str, Any]:
    """A request without what differs from run to run, and with long texts as their lengths in lines."""
    names = {name: value for name, value in asked.headers.items() if name not in ("host", "content-length")}
    names = {name: re.sub(r"evenhand/\S+", "evenhand", value) for name, value in names.items()}
    return {"method": asked.method, "path": asked.path, "headers": names, "body": _short(asked.body)}


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        if "properties" in value:
            return f"a schema of {', '.join(value['properties'])}"
        return {key: _short(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_short(item) for item in value]
    if isinstance(value, str) and "\n" in value:
        return f"{len(value.splitlines())} lines"
    return value


def result(ran: Ran) -> dict[str, Any]:
    """What a command came to: scores, reasons, calls, tokens, cost."""
    shown: dict[str, Any] = {"code": ran.code, "says": re.sub(r"127\.0\.0\.1:\d+", "HOST", ran.err).splitlines()}
    if ran.out.strip():
        card = json.loads(ran.out)
        lines = card["dimensions"].values()
        shown["scores"] = sorted({line["score"] for line in lines if line["score"] is not None})
        shown["unscored"] = sorted({line["unscored"] for line in lines if line.get("unscored")})
        shown["calls"] = (card.get("panel") or {}).get("calls")
        if (shown["calls"] or {}).get("estimated"):  # by the length of a prompt with a code that differs each time
            shown["calls"] = {key: shown["calls"][key] for key in ("asked", "estimated", "repairs")}
        shown["warnings"] = card["warnings"]
    return shown


def parameters(asked: Asked) -> list[str]:
    """What a request sets beside the conversation, with short values."""
    found = []
    for key, value in asked.body.items():
        if key not in ("model", "messages", "system"):
            kind = value.get("type") if isinstance(value, dict) else None
            limits = " without limits" if kind == "json_schema" and "maxItems" not in json.dumps(value) else ""
            found.append(
                f"{key}={kind}{limits}" if kind else f"{key}={value}" if not isinstance(value, dict | list) else key
            )
    return found


def refusing(word: Callable[[dict[str, Any]], bool], step: Step) -> Callable[[Asked], Step]:
    """A server that refuses requests like this, and answers others."""
    return lambda asked: step if word(asked.body) else good(asked)
