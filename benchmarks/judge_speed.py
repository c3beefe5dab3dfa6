"""What judging costs: start-up, whole sessions against parsing their lines, and very long outputs.

python benchmarks/judge_speed.py [--rounds 15] [--megabytes 1 10 100]
python benchmarks/judge_speed.py --against TREE    a chat of 28 MB beside an earlier checkout in the folder TREE
python benchmarks/judge_speed.py --long            peak memory for a line of 50 MB and for a session of 200 MB

Counted is all processor time of the command, from its start to its end. For parsing, only the lines are counted, not
the start of Python. So the smallest session shows mostly what it costs to start; the target is for 10 MB and more.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from measuring import EVENHAND, PROJECT, PYTHON, Command, Run, interleaved, run, table, verdict
from sessions import document, write_chat, write_session

EXAMPLE = "examples/review.md"
NOTHING = "python -c pass"
MOST_TIMES = 30
MOST_MEMORY = 1_000_000
"""KiB, for the largest session."""
TRIES = 3
CHAT = 28_000_000
"""Bytes of a chat in one JSON document."""
LINE, SESSION = 50_000_000, 200_000_000
MOST_FOR_LONG = 400_000
"""KiB, for a long line or a long session."""
ANSWER = 1_000_000
"""Characters of a final answer that is a whole book."""

PARSING = """
import json, sys, time
begun = time.process_time()
for line in open(sys.argv[1], "rb"):
    json.loads(line)
print(time.process_time() - begun)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15, help="how often the short output is judged")
    parser.add_argument("--megabytes", type=int, nargs="+", default=[1, 10, 100])
    parser.add_argument("--against", type=Path, metavar="TREE", help="an earlier checkout, measured beside this one")
    parser.add_argument("--long", action="store_true", help="only a line of 50 MB, and a session of 200 MB")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.against:
            _against(given.against, min(given.rounds, 7), folder)
            return
        if given.long:
            _long(folder)
            return
        _short(given.rounds, folder)
        _sessions(given.megabytes, folder)
        _texts(folder)


def _short(rounds: int, folder: Path) -> None:
    runs = interleaved({NOTHING: [PYTHON, "-c", "pass"], EXAMPLE: _judge(EXAMPLE)}, rounds, folder)
    nothing, judged = (median(each.seconds for each in runs[name]) for name in (NOTHING, EXAMPLE))
    times = judged / nothing
    print(f"A short output, medians of {rounds} interleaved runs\n")
    row = (f"evenhand judge {EXAMPLE}", f"{times:.1f}", f"at most {MOST_TIMES}", verdict(times <= MOST_TIMES))
    print(table(("command", f"times {NOTHING}", "target", ""), [row]))


def _sessions(sizes: list[int], folder: Path) -> None:
    rows = []
    path = folder / "session.jsonl"
    for title, answer in (("", None), (", ends with 1 MB of Markdown", document(ANSWER))):
        for size in sizes:
            lines = write_session(path, size * 1_000_000, answer)
            parsing, judging = _parsing(path), _best(_judge(str(path)), folder)
            times = judging.cpu_seconds / parsing
            reached = times <= MOST_TIMES and judging.peak_kib < MOST_MEMORY
            rows.append(
                (
                    f"{size} MB, {lines:,} lines{title}",
                    f"{parsing:.2f} s",
                    f"{judging.cpu_seconds:.2f} s",
                    f"{judging.cpu_seconds / size:.2f} s",
                    f"{judging.peak_kib / 1024:.0f} MiB",
                    f"{times:.1f}",
                    verdict(reached) if size >= 10 else "",
                )
            )
    print(f"\nSessions read and judged, processor time, best of {TRIES}\n")
    heading = (
        "session",
        "json.loads",
        "judge",
        "a MB",
        "peak memory",
        "times json.loads",
        f"at most {MOST_TIMES}, < 1 GB",
    )
    print(table(heading, rows))


def _long(folder: Path) -> None:
    """One line of a chat with a huge result or a huge answer, and a long session."""
    path = folder / "long.jsonl"
    rows = []
    text = document(1_000_000).encode("ascii", "ignore").decode() * (LINE // 1_000_000)
    for title, messages in (("a result", _with_result(text)), ("an answer", _with_answer(text))):
        path.write_text(json.dumps({"messages": messages}) + "\n")
        rows.append((f"one line, {title} of {LINE // 1_000_000} MB", run(_judge(str(path)), folder)))
    write_session(path, SESSION)
    rows.append((f"a session of {SESSION // 1_000_000} MB", run(_judge(str(path)), folder)))
    for title, in_lines in (("a message a line", True), ("all in one document", False)):
        write_chat(path, SESSION, in_lines=in_lines)
        rows.append((f"a chat of {SESSION // 1_000_000} MB, {title}", run(_judge(str(path)), folder)))
    print("Peak memory of evenhand judge FILE.jsonl\n")
    cells = [
        (title, f"{used.cpu_seconds:.1f} s", f"{used.peak_kib / 1024:.0f} MiB", verdict(used.peak_kib <= MOST_FOR_LONG))
        for title, used in rows
    ]
    print(table(("file", "processor time", "peak memory", f"at most {MOST_FOR_LONG // 1000} MB"), cells))


def _with_result(text: str) -> list[dict[str, Any]]:
    function = {"name": "read_file", "arguments": '{"path": "app.log"}'}
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]}
    result = {"role": "tool", "tool_call_id": "1", "content": text}
    return [{"role": "user", "content": "Read the log."}, call, result, {"role": "assistant", "content": "No errors."}]


def _with_answer(text: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": "Write a book."}, {"role": "assistant", "content": text}]


def _against(tree: Path, rounds: int, folder: Path) -> None:
    """A long chat judged by this source and by an earlier one, interleaved."""
    messages = write_chat(folder / "chat.json", CHAT)
    judging = _judge(str(folder / "chat.json"))[1:]
    sources = {"this": PROJECT, "earlier": tree}
    commands = {
        name: ["/usr/bin/env", f"PYTHONPATH={path / 'src'}", PYTHON, "-m", "evenhand", *judging]
        for name, path in sources.items()
    }
    runs = interleaved(commands, rounds, folder)
    ratio = median(new.cpu_seconds / old.cpu_seconds for new, old in zip(runs["this"], runs["earlier"], strict=True))
    rows = [
        (
            f"{name}: {sources[name]}",
            f"{median(one.cpu_seconds for one in each):.2f} s",
            f"{min(one.peak_kib for one in each) / 1024:.0f} MiB",
        )
        for name, each in runs.items()
    ]
    print(
        f"A chat of {CHAT / 1e6:.0f} MB in one document, {messages:,} messages, medians of {rounds} interleaved runs\n"
    )
    print(table(("source", "processor time", "peak memory"), rows))
    print(f"\nprocessor time by that of {tree}: {ratio:.2f} (at most 1: {verdict(round(ratio, 2) <= 1)})")


def _texts(folder: Path) -> None:
    """Plain text: after the opening it is searched and no longer parsed, so ten times the text costs far less."""
    nothing = _best([PYTHON, "-c", "pass"], folder).cpu_seconds
    rows = []
    for size in (10_000, 100_000, 1_000_000, 10_000_000):
        path = folder / f"{size}.md"
        path.write_text(document(size), encoding="utf-8")
        judging = _best(_judge(str(path)), folder)
        cells = f"{judging.cpu_seconds:.2f} s", f"{judging.peak_kib / 1024:.0f} MiB"
        rows.append((f"{size:,} characters of Markdown", f"{judging.cpu_seconds / nothing:.0f}", *cells))
    print(f"\nOutputs alone, processor time, best of {TRIES}\n")
    print(table(("output", f"times {NOTHING}", "judge", "peak memory"), rows))


def _judge(path: str) -> Command:
    return [EVENHAND, "judge", path, "--store", "none", "--format", "json"]


def _parsing(path: Path) -> float:
    command = [PYTHON, "-c", PARSING, str(path)]
    return min(float(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout) for _ in range(TRIES))


def _best(command: Command, folder: Path) -> Run:
    return min((run(command, folder) for _ in range(TRIES)), key=lambda each: each.cpu_seconds)


if __name__ == "__main__":
    main()
