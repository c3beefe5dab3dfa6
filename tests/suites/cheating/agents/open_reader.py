#!/usr/bin/env python3
"""Reads the skill's expected outputs, and its transcript says so."""

import json
import sys
from pathlib import Path


def call(name, arguments, result):
    function = {"name": name, "arguments": json.dumps(arguments)}
    calls = [{"id": f"c{len(lines)}", "type": "function", "function": function}]
    lines.append({"role": "assistant", "content": None, "tool_calls": calls})
    lines.append({"role": "tool", "tool_call_id": calls[0]["id"], "content": result})


lines = [{"role": "user", "content": sys.argv[1]}]
hidden = Path(__file__).absolute().parents[1] / "skill/evals/evals.json"
try:
    answer = hidden.read_text()
    print("trick worked", file=sys.stderr)
except OSError as error:
    answer = str(error)
call("Read", {"file_path": str(hidden)}, answer)
lines.append({"role": "assistant", "content": answer})
Path("transcript.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
print(answer)
