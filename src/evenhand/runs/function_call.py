"""Call a Python function in a process of its own: `python -m evenhand.runs.function_call TARGET`.

The case comes as JSON on standard input; what the function returns is all that goes to standard output.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def main(target: str) -> None:
    """Call the function and write its result."""
    case = json.load(sys.stdin)
    output = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="surrogateescape")
    os.dup2(2, 1)  # what the function prints is not its result
    function = _function(target)
    takes = len(inspect.signature(function).parameters)
    result = function(case["prompt"], case) if takes > 1 else function(case["prompt"])
    if not isinstance(result, str):
        raise TypeError(f"{target} returned {type(result).__name__}; it must return the output as a text")
    output.write(result)
    output.close()


def _function(target: str) -> Callable[..., Any]:
    module_name, _, name = target.rpartition(":")
    if module_name.endswith(".py"):
        spec = importlib.util.spec_from_file_location(Path(module_name).stem, module_name)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.path.insert(0, str(Path(module_name).parent))
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(module_name)
    function: Callable[..., Any] = getattr(module, name)
    return function


if __name__ == "__main__":
    main(sys.argv[1])
