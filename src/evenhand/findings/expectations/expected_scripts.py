"""Whether a piece of JavaScript or Python says that an output passes. It runs only when the user asked for it, as
commands do, with the user's own node or python, in an empty folder of its own and without keys: it is often someone
else's. Where the system can do that, it reads nothing but that folder, the system and its program.

The code sees `output` and `context`: `vars`, `prompt` (the task), `test` and `config`. One line is an expression,
several are the body of a function. It passes with true, with a number above 0 or of at least the threshold, or with an
object whose `pass` is true: as promptfoo has it.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from evenhand.findings.expectations.expectation import Expectation, Verdict
from evenhand.runs.run_environment import only_passed_on
from evenhand.runs.short_command import run_short
from evenhand.work.submission import Submission

SECONDS = 60.0
"""The default time limit of a script."""

_FAILED: Final = 1
_JAVASCRIPT: Final = r"""
const given = JSON.parse(require('fs').readFileSync(0, 'utf8'));
function functionOf(code) {
  const make = (body) => new Function('output', 'context', 'process', body);
  if (code.includes('\n')) return make(code);
  const line = code.trim().replace(/;+\s*$/, '');
  if (!/^(const|let|var)\s/.test(line)) return make('return ' + line);
  for (let end = line.lastIndexOf(';'); end > 0; end = line.lastIndexOf(';', end - 1)) {
    try { return make(line.slice(0, end + 1) + ' return ' + line.slice(end + 1)); } catch (error) { continue; }
  }
  return make(line);
}
function passes(result) {
  if (typeof result === 'boolean') return result;
  if (typeof result === 'number' && Number.isFinite(result)) {
    return given.threshold === undefined ? result > 0 : result >= given.threshold;
  }
  if (result && typeof result === 'object' && typeof result.pass === 'boolean') return result.pass;
  throw new Error('it returned neither true or false, nor a number, nor an object with pass');
}
(async () => {
  const result = await functionOf(given.code.trimEnd())(given.output, given.context, process);
  process.exitCode = passes(result) !== given.negated ? 0 : 1;
})().catch((error) => { console.log(String(error)); process.exitCode = 3; });
"""
_PYTHON: Final = r"""
import json, math, sys, textwrap
given = json.load(sys.stdin)
code, threshold = given["code"].rstrip(), given.get("threshold")
body = textwrap.indent(code, "    ") if "\n" in code else "    return " + code
try:
    names = {}
    exec("import json\ndef main(output, context):\n" + body + "\n", names)
    result = names["main"](given["output"], given["context"])
    if isinstance(result, str) and result.lower() in ("true", "false"):
        result = result.lower() == "true"
    if isinstance(result, str) and result.startswith("{"):
        result = json.loads(result)
    if isinstance(result, dict):
        passed = result.get("pass", result.get("pass_"))
        if not isinstance(passed, bool):
            raise ValueError("it returned an object without pass")
        passed = passed and not (threshold is not None and result.get("score", 0) < threshold)
    elif isinstance(result, bool):
        passed = result
    else:
        number = float(result)
        if math.isnan(number):
            raise ValueError("it returned no number")
        passed = number > 0 if threshold is None else number >= threshold
except Exception as error:
    print(f"{type(error).__name__}: {error}")
    sys.exit(3)
sys.exit(0 if passed != given["negated"] else 1)
"""
_PROGRAMS: Final = {
    "javascript": (("node",), ("-e", _JAVASCRIPT)),
    # Without -I, a module that lies in the working folder would be taken for one of Python's own.
    "python": (("python3", "python"), ("-I", "-c", _PYTHON)),
}


def decide_script(expectation: Expectation, submission: Submission, *, allowed: bool) -> Verdict:
    """Run a script on an output."""
    if not allowed:
        return Verdict(None, "scripts run only with --set judge.run_commands=true")
    names, options_of_program = _PROGRAMS[expectation.rule]
    program = next((found for name in names if (found := shutil.which(name))), None)
    if program is None:
        return Verdict(None, f"there is no {names[0]} on this machine")
    options = expectation.options
    given = {
        "code": expectation.value,
        "output": submission.output,
        "context": _context(options, submission.task),
        "negated": options.get("negated") is True,
    } | ({"threshold": float(options["threshold"])} if "threshold" in options else {})
    seconds = float(options.get("seconds", SECONDS))
    with tempfile.TemporaryDirectory(prefix="evenhand-script-") as folder:
        words = [program, *options_of_program]
        text = json.dumps(given, default=_number).encode()
        try:
            code, said = run_short(words, Path(folder), seconds, only_passed_on(os.environ), text)
        except OSError as error:
            return Verdict(None, f"it could not be started: {error.strerror or error}")
    if code is None:
        return Verdict(False, f"it did not end within {seconds:g} s and was stopped")
    if code in (0, _FAILED):
        return Verdict(code == 0, f"the {expectation.rule} says that it {'passes' if code == 0 else 'does not pass'}")
    last = next((line for line in reversed(said.splitlines()) if line.strip()), "")[:200]
    return Verdict(False, f"the {expectation.rule} failed: {last}")


def _context(options: Mapping[str, Any], task: str | None) -> dict[str, Any]:
    """What promptfoo tells a script about the test, as far as it is known here."""
    variables = dict(options.get("vars") or {})
    context = {"vars": variables, "prompt": task, "test": {**(options.get("test") or {}), "vars": variables}}
    return context | ({"config": options["config"]} if "config" in options else {})


def _number(value: Any) -> float | str:
    """A value of a suite file for a program: JSON has no exact numbers."""
    return float(value) if isinstance(value, Decimal) else str(value)
