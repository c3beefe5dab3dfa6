"""How long a command takes to start, as a multiple of `python -c pass`.

python benchmarks/start_up.py [--rounds 25]
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path
from statistics import median

from measuring import EVENHAND, PYTHON, Command, interleaved, table, verdict

EXAMPLE = "examples/review.yaml"
NOTHING = "python -c pass"
TARGETS = {"evenhand --version": 2.5, f"evenhand score {EXAMPLE}": 12}
"""At most so many times as long as Python takes to do nothing."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25, help="how often each command is run")
    rounds = max(15, parser.parse_args().rounds)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = interleaved(_commands(folder), rounds, folder)
    seconds = {name: median(run.seconds for run in taken) for name, taken in runs.items()}
    rows = []
    for name, taken in seconds.items():
        ratio = taken / seconds[NOTHING]
        target = TARGETS.get(name)
        wanted = (f"at most {target}", verdict(ratio <= target)) if target else ("", "")
        rows.append((name, f"{ratio:.1f}", *wanted, f"{taken * 1000:.0f} ms"))
    print(f"Start-up, medians of {rounds} interleaved runs\n")
    print(table(("command", f"times {NOTHING}", "target", "", "here"), rows))
    loaded = own_modules("score", EXAMPLE, "--store", "none")
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in loaded)
    print(f"\nevenhand score {EXAMPLE} loads {len(loaded)} of our modules, {lines:,} lines")


def own_modules(*arguments: str) -> list[Path]:
    """The files of the package that a command has loaded when it ends."""
    code = (
        "import sys, runpy, atexit\n"
        f"sys.argv = ['evenhand', *{arguments!r}]\n"
        "files = lambda: [m.__file__ for n, m in sys.modules.items() if n.partition('.')[0] == 'evenhand']\n"
        "atexit.register(lambda: print('\\nLOADED', *files(), sep='\\n'))\n"
        "runpy.run_module('evenhand', run_name='__main__', alter_sys=False)\n"
    )
    done = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=True)
    return [Path(line) for line in done.stdout.rpartition("LOADED\n")[2].splitlines() if line]


def _commands(folder: Path) -> dict[str, Command]:
    score = [EVENHAND, "score", EXAMPLE]
    return {
        NOTHING: [PYTHON, "-c", "pass"],
        'python -c "import evenhand"': [PYTHON, "-c", "import evenhand"],
        "evenhand --version": [EVENHAND, "--version"],
        f"evenhand score {EXAMPLE} --format json": [*score, "--format", "json"],
        "  the same, with a rubric file of one's own": [*score, "--format", "json", "--rubric", _own_rubric(folder)],
        f"evenhand score {EXAMPLE}": score,
    }


def _own_rubric(folder: Path) -> str:
    """A rubric that has to be parsed from its Markdown, unlike the built-in ones."""
    subprocess.run(
        [EVENHAND, "rubric", "new", "own", "--from", "code-review"], cwd=folder, check=True, capture_output=True
    )
    return str(folder / "evenhand" / "rubrics" / "own.md")


if __name__ == "__main__":
    main()
