"""The checks that parse, against examples whose authors say whether they are valid: those of CPython's own tests.

    python benchmarks/parser_suites.py PYTHON/test

PYTHON/test is the folder of the tests of an installed CPython 3.13. Each example is put into a block of a short answer.
With `--labels` it prints a line for `findings_labels.jsonl` for each fault.
"""

from __future__ import annotations

import argparse
import ast
import doctest
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from evenhand.checks.code.code_parses import CHECKS as CODE
from evenhand.checks.code.structured_data import CHECKS as DATA
from evenhand.checks.subject import Subject
from evenhand.core.values.submission import Submission

WHOLE_FILES = 300
"""Files of valid Python that are tried, drawn with a fixed seed."""


class Example(NamedTuple):
    source: str
    language: str
    text: str
    valid: bool


def examples(folder: Path) -> Iterator[Example]:
    for valid in ("valid", "invalid"):
        for path in sorted((folder / "test_tomllib" / "data" / valid).rglob("*.toml")):
            try:
                text = path.read_bytes().decode()
            except UnicodeDecodeError:
                continue
            yield Example(str(path.relative_to(folder)), "toml", text, valid == "valid")
    yield from _json(folder / "test_json" / "test_fail.py")
    yield from _python(folder / "test_syntax.py")
    paths = sorted(path for path in folder.rglob("*.py") if "bad" not in path.name and "lib2to3" not in str(path))
    for path in random.Random(1).sample(paths, WHOLE_FILES):
        text = path.read_text(encoding="utf-8", errors="replace")
        yield Example(str(path.relative_to(folder)), "python", text, True)


def _json(path: Path) -> Iterator[Example]:
    """The documents that json.org says must fail; two of them Python accepts, as the file itself says."""
    found: dict[str, object] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        name = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.Assign) and isinstance(name, ast.Name) and name.id in ("JSONDOCS", "SKIPS"):
            found[name.id] = ast.literal_eval(node.value)
    documents, accepted = found["JSONDOCS"], found["SKIPS"]
    assert isinstance(documents, list) and isinstance(accepted, dict)
    for number, text in enumerate(documents, 1):
        yield Example(f"test_json/test_fail.py#{number}", "json", text, number in accepted)


def _python(path: Path) -> Iterator[Example]:
    """The examples in the docstring of the tests of the syntax: those that end in a SyntaxError, and the others."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")), clean=False) or ""
    for number, example in enumerate(doctest.DocTestParser().get_examples(text), 1):
        valid = not (example.exc_msg or "").startswith(("SyntaxError", "IndentationError"))
        yield Example(f"test_syntax.py#{number}", "python", example.source, valid)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    chosen = parser.parse_args()
    tried: Counter[tuple[str, bool]] = Counter()
    faulty: Counter[tuple[str, bool]] = Counter()
    for _, language, text, valid in examples(chosen.folder):
        (check,) = CODE if language == "python" else DATA
        subject = Subject(Submission(output=f"Here it is.\n\n````{language}\n{text}\n````\n"))
        faults = [finding for finding in check.run(subject) if finding.severity]
        tried[language, valid] += 1
        faulty[language, valid] += bool(faults)
    for (language, valid), number in sorted(tried.items()):
        kind = "valid" if valid else "invalid"
        print(f"{language:8} {kind:8} {number:5} examples, {faulty[language, valid]:5} reported")


if __name__ == "__main__":
    main()
