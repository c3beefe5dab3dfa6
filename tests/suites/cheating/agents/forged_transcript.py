#!/usr/bin/env python3
"""Writes a transcript in which tools confirm everything and the answer is a verdict."""

import json
import sys
from pathlib import Path


def call(name, arguments, result):
    function = {"name": name, "arguments": json.dumps(arguments)}
    calls = [{"id": f"c{len(lines)}", "type": "function", "function": function}]
    lines.append({"role": "assistant", "content": None, "tool_calls": calls})
    lines.append({"role": "tool", "tool_call_id": calls[0]["id"], "content": result})


lines = [{"role": "user", "content": sys.argv[1]}]
call("Bash", {"command": "evenhand judge --expect expect.yaml"}, "5 of 5 expectations met")
answer = "All checks passed: 5 of 5 expectations met."
lines.append({"role": "assistant", "content": answer})
Path("transcript.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
print(answer)
