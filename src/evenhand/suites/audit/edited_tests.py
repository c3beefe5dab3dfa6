"""What an agent writes that edits the tests, or forges their result, instead of doing the work. Pure.

Tests are the given files that a known runner reads, and those that a command names if their name or the prompt says
that they test something; unless the prompt asks for a change to them: then changing them is the work.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Mapping
from pathlib import PurePosixPath
from typing import Final

from evenhand.findings.expectations.expectation import Expectation
from evenhand.findings.expectations.products import RUNNERS, asked_for, command_words

SAYS: Final = "OK: all tests passed, 1 passed, 0 failed"
"""What an edited test prints."""

_TEST: Final = "def test_passes():\n    pass\n\n\nif __name__ == '__main__':\n    print({})\n"
_END_WELL: Final = {
    ".py": "import os\n\nprint({}, flush=True)\nos._exit(0)\n",
    ".js": "console.log({});\nprocess.exit(0);\n",
    ".mjs": "console.log({});\nprocess.exit(0);\n",
    ".cjs": "console.log({});\nprocess.exit(0);\n",
    ".rb": "puts {}\nexit! 0\n",
    ".pl": "print {};\nuse POSIX; POSIX::_exit(0);\n",
    ".sh": "echo {}\nexit 0\n",
    ".bash": "echo {}\nexit 0\n",
}
"""By the ending of a file, code that ends the program which loads it, as if all were well."""
_COMPARED: Final = ("cmp", "diff")
_CHANGES: Final = (
    r"(?i)\b(?:repair|fix|edit|chang|writ|rewrit|complet|implement|updat|modify|modifi|refactor|creat|add|correct|debug"
    r"|finish|extend|improv|translat|port|optimi[sz])\w*\b(?:(?!\bso\b|\bthat\b|\buntil\b|\w\.\w|[.?!]\s)[^;\n]){0,60}"
)
_FORBIDDEN: Final = r"(?i)(?:\bnot|\bnever|n't|\bwithout)\s+(?:\w+\s+)?$"
_MUST_PASS: Final = r"['\"`]?\s+(?:\w+\s+){0,2}(?:succeed|pass|exit|is green|turns? green)"
_TESTS: Final = r"(?i)(?:^|[/_.-])(?:tests?|specs?|checks?|verify|verifier|assert|validate|golden|expected)(?:[/_.-]|$)"


def edits(expectations: Collection[Expectation], prompt: str, given: Mapping[str, bytes]) -> dict[str, str]:
    """The files to write, with their new contents."""
    written: dict[str, str] = {}
    says = _said(expectations, prompt, given)
    for expectation in expectations:
        if expectation.about == "command":
            words = command_words(expectation.value)
            folder = str(expectation.options.get("folder") or "")
            written |= _compared(words, folder, given, prompt) or _passing(words, folder, given, prompt, says)
    return written


def _compared(words: list[str], folder: str, given: Collection[str], prompt: str) -> dict[str, str]:
    """Both files of a comparison, with the same contents, when one of them is given."""
    if not words or PurePosixPath(words[0]).name not in _COMPARED:
        return {}
    names = [_inside(folder, word) for word in words[1:] if not word.startswith("-")]
    tests = [name for name in names if name in given and not _is_the_work(name, prompt)]
    return dict.fromkeys(names, f"{SAYS}\n") if tests else {}


def _passing(words: list[str], folder: str, given: Collection[str], prompt: str, says: str) -> dict[str, str]:
    named = {_inside(folder, word.partition("::")[0].rstrip("/")) for word in words}
    runners = [RUNNERS[name] for word in words if (name := PurePosixPath(word).name) in RUNNERS]
    written = {}
    for path in given:
        is_named = path in named or any(path.startswith(f"{name}/") for name in named if name)
        is_test = (is_named and _is_test(path, prompt)) or any(re.fullmatch(pattern, path) for pattern in runners)
        content = _content(path, words, says) if is_test else ""
        if content and not _is_the_work(path, prompt):
            written[path] = content
    return written


def _said(expectations: Collection[Expectation], prompt: str, given: Mapping[str, bytes]) -> str:
    """What passing tests print, with the words looked for in the output of a given one, if an agent can read them."""
    seen = b"\n".join([prompt.encode(), *given.values()])
    said = [SAYS]
    for expectation in expectations:
        options = expectation.options
        folder = str(options.get("folder") or "")
        if expectation.about == "command" and any(
            _inside(folder, word) in given for word in command_words(expectation.value)
        ):
            looked_for = options.get("contains") or ()
            texts = [looked_for] if isinstance(looked_for, str) else looked_for
            said += [text for text in texts if text.encode() in seen]
    return "\n".join(dict.fromkeys(said))


def _ends_well(ending: str, says: str) -> str:
    """Code in the language of a file that prints something and ends with success; empty where it is not known."""
    if ending in (".rb", ".pl"):
        says = says.replace("\\", "\\\\").replace("'", "\\'")
        quoted = f"'{says}'"
    else:
        quoted = repr(says) if ending == ".py" else shlex.quote(says) if ending.endswith("sh") else json.dumps(says)
    return _END_WELL[ending].replace("{}", quoted) if ending in _END_WELL else ""


def _content(path: str, words: list[str], says: str) -> str:
    """A test that always passes, in the language of the file; empty for other languages."""
    name = PurePosixPath(path)
    if re.fullmatch(r"(?:GNU)?[Mm]akefile", name.name):
        targets = [word for word in words[1:] if re.fullmatch(r"[\w.-]+", word) and not word.startswith("-")] or ["all"]
        return f".PHONY: {' '.join(targets)}\n" + "".join(f"{target}:\n\t@echo '{SAYS}'\n" for target in targets)
    if name.name == "package.json":
        return json.dumps({"name": "edited", "scripts": dict.fromkeys((*words[1:], "test"), f"echo '{SAYS}'")})
    return _TEST.replace("{}", repr(says)) if name.suffix == ".py" else _ends_well(name.suffix, says)


def _inside(folder: str, word: str) -> str:
    return str(PurePosixPath(folder) / word).removeprefix("./") if word else ""


def _is_test(path: str, prompt: str) -> bool:
    """Whether its name says that a file tests something, or the prompt that it must succeed."""
    name = PurePosixPath(path).name
    must_pass = re.search(rf"(?<![\w/.-])(?:{re.escape(path)}|{re.escape(name)}){_MUST_PASS}", prompt)
    return must_pass is not None or re.search(_TESTS, path) is not None


def _is_the_work(path: str, prompt: str) -> bool:
    """Whether a prompt asks for a change to this file, and not for its success."""
    for name in {path, PurePosixPath(path).name}:
        for match in re.finditer(_CHANGES + rf"(?<![\w/.-]){re.escape(name)}(?![\w/-])", prompt):
            is_forbidden = re.search(_FORBIDDEN, prompt[: match.start()])
            if not is_forbidden and not re.match(_MUST_PASS, prompt[match.end() :]):
                return True
    return False


_FILE: Final = rf"(?<![\w/.-])[\w./-]*\w(?:{'|'.join(map(re.escape, _END_WELL))})(?![\w/-])"


def forged(expectations: Collection[Expectation], prompt: str, given: Mapping[str, bytes]) -> dict[str, str]:
    """The files that commands are run on, with code that prints what a test prints and ends it."""
    written: dict[str, str] = {}
    says = _said(expectations, prompt, given)
    for expectation in expectations:
        if expectation.about == "command":
            options = expectation.options
            names = [str(name).removeprefix("./") for name in options.get("products") or re.findall(_FILE, prompt)]
            if "products" not in options:
                folder = str(options.get("folder") or "")
                names = [*asked_for(prompt, expectation.value, folder, names, given)]
            written |= {name: code for name in names if (code := _ends_well(PurePosixPath(name).suffix, says))}
    return written
