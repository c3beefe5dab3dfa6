"""The gate for a project: a GitHub workflow, a GitLab job, a test for pytest, or a script. Writes nothing.

Each runs as it is, without a key: checks alone, red for a major fault. Where EVENHAND_JUDGE names a judge, the
workflow, the job and the script ask it as well, and an F is red. Without transcripts they judge what is put into
evenhand/outputs, and fail as long as nothing is there: a gate that judged nothing must not look green.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final, Literal, NamedTuple

from evenhand._version import __version__
from evenhand.projects.survey import Survey

GateKind = Literal["github", "gitlab", "pytest", "script", "none"]

OUTPUTS: Final = "evenhand/outputs"
UNSCORED: Final = 3
"""The exit code of a judge that could not score; the gate then says what."""
UNDECIDED: Final = 5
"""The exit code of a gate that has nothing to decide on."""
MOST_FILES: Final = 20
"""Files that a gate names; a pattern counts as one."""

_PLAIN = re.compile(r"[\w./+=@ -]+")
"""Names that are safe in a workflow, where ${{ }} is an expression, and in a shell when quoted."""
_SEVERAL = frozenset(("openai", "submissions", "inspect", "otel", "langfuse", "langsmith"))
"""Formats of files that may hold several submissions, which a single test cannot judge."""


_NOTHING: Final = (
    f'[ -n "$(ls {OUTPUTS} 2>/dev/null)" ] || '
    f'{{ echo "nothing was judged: put outputs into {OUTPUTS}" >&2; exit {UNDECIDED}; }}'
)


class GateFile(NamedTuple):
    """A file of the gate."""

    path: str
    text: str
    purpose: str
    before: str | None = None
    """What the file holds now, if it is changed."""


def gate_files(survey: Survey, rubric: str, chosen: GateKind | None) -> Iterator[GateFile | str]:
    """The files of the gate, and as text what a person has to do."""
    kind = chosen or _suggested(survey)
    if kind == "github":
        yield GateFile(".github/workflows/evenhand.yml", _workflow(survey, rubric), "the gate, on GitHub")
    elif kind == "pytest":
        folder = next(iter(survey.tests), "tests")
        path = str(PurePosixPath(folder) / "test_agent_outputs.py")
        yield GateFile(path, _test(survey, rubric, folder), "the gate, as a test")
        yield f"run the gate: pytest {path}"
    elif kind in ("gitlab", "script"):
        yield GateFile("evenhand/gate.sh", _script(survey, rubric), "the gate, for any CI: sh evenhand/gate.sh")
        if kind == "gitlab":
            yield _gitlab_job(survey.folder)
        elif "Jenkinsfile" in survey.ci:
            yield "add to a stage in Jenkinsfile: sh 'pip install evenhand && sh evenhand/gate.sh'"
        else:
            yield "run the gate: sh evenhand/gate.sh (in CI, after: pip install evenhand)"


def judged_files(survey: Survey, *, single: bool = False) -> list[str]:
    """What the gate judges: a pattern where all such files of a folder are transcripts, else names."""
    chosen = [path for path, format in survey.transcripts.items() if not (single and format in _SEVERAL)]
    files: dict[str, None] = {}
    for path in map(PurePosixPath, chosen):
        pattern = path.parent / f"*{path.suffix}"
        together = {file for file in map(PurePosixPath, chosen) if file.match(str(pattern))}
        present = {file.name for file in (survey.folder / path.parent).glob(f"*{path.suffix}")}
        is_all = len(together) > 1 and present == {file.name for file in together}
        name = str(pattern) if is_all and path.parent.parts else str(path)
        if _PLAIN.fullmatch(name.replace("*", "")):
            files[name] = None
    return list(files)[:MOST_FILES]


def _suggested(survey: Survey) -> GateKind:
    if any(path.startswith(".github/") for path in survey.ci):
        return "github"
    if ".gitlab-ci.yml" in survey.ci:
        return "gitlab"
    if "Jenkinsfile" in survey.ci:
        return "script"
    if _is_on_github(survey.folder):
        return "github"
    return "pytest" if survey.tests else "script"


def _is_on_github(folder: Path) -> bool:
    try:
        return "github.com" in (folder / ".git" / "config").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def _judge_command(survey: Survey, rubric: str) -> str:
    """The command as a shell reads it: patterns are left to the shell, everything else is quoted."""
    names = [_shell_name(name) for name in judged_files(survey)] or [OUTPUTS]
    command = f"evenhand judge {' '.join(names)} --rubric {shlex.quote(rubric)} --store none --format jsonl"
    return f'{command} ${{EVENHAND_JUDGE:+--judge checks --judge "$EVENHAND_JUDGE"}}'


_GATE: Final = "--no-fault major ${EVENHAND_JUDGE:+--min-grade D} --store none"


def _shell_name(name: str) -> str:
    folder, star, suffix = name.partition("*")
    safe = f"./{folder}" if folder.startswith("-") else folder
    return (shlex.quote(safe) if safe else "") + star + (shlex.quote(suffix) if suffix else "")


def _workflow(survey: Survey, rubric: str) -> str:
    nothing = "" if judged_files(survey) else f"{_NOTHING}\n          "
    return f"""\
# Judges what agents produced. Red for a fault that is major or critical; no key is needed.
# With a variable EVENHAND_JUDGE, such as openai:MODEL, and its key as a secret, a model judges too, and an F is red.
name: evenhand
on: [push, pull_request]
permissions:
  contents: read
jobs:
  gate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
      - name: Install evenhand
        run: |
          python3 -m venv "$RUNNER_TEMP/evenhand"
          "$RUNNER_TEMP/evenhand/bin/pip" install --quiet evenhand=={__version__}
          echo "$RUNNER_TEMP/evenhand/bin" >> "$GITHUB_PATH"
      - name: Check the rubrics
        run: evenhand rubric check evenhand/rubrics/*.md
      - name: Judge and gate
        env:
          EVENHAND_JUDGE: ${{{{ vars.EVENHAND_JUDGE }}}}
          OPENAI_API_KEY: ${{{{ secrets.OPENAI_API_KEY }}}}
          ANTHROPIC_API_KEY: ${{{{ secrets.ANTHROPIC_API_KEY }}}}
        run: |
          {nothing}{_judge_command(survey, rubric)} > scorecards.jsonl || [ $? -eq {UNSCORED} ]
          evenhand gate scorecards.jsonl {_GATE} --github
"""


def _script(survey: Survey, rubric: str) -> str:
    nothing_yet = "" if judged_files(survey) else f"{_NOTHING}\n"
    return f"""\
#!/bin/sh
# Judges what agents produced. Exit code 1 for a fault that is major or critical; no key is needed.
# With EVENHAND_JUDGE, such as openai:MODEL, in the environment a model judges too, and an F is red.
set -eu
cd "$(dirname "$0")/.."
evenhand rubric check evenhand/rubrics/*.md > /dev/null
{nothing_yet}scorecards=$(mktemp)
trap 'rm -f "$scorecards"' EXIT
{_judge_command(survey, rubric)} > "$scorecards" || [ $? -eq {UNSCORED} ]  # the gate says what has no score
evenhand gate "$scorecards" {_GATE}
"""


def _test(survey: Survey, rubric: str, folder: str) -> str:
    up = len(PurePosixPath(folder).parts)
    patterns = judged_files(survey, single=True) or [f"{OUTPUTS}/*"]
    listed = "".join(f"    {pattern!r},\n".replace("'", '"') for pattern in patterns)
    return f'''\
"""What agents produced has no major fault. Checks alone: no key is needed."""

from pathlib import Path

import pytest
from evenhand_pytest import evenhand  # noqa: F401 (the fixture)

PROJECT = Path(__file__).parents[{up}]
PATTERNS = [
{listed}]
OUTPUTS = sorted(path for pattern in PATTERNS for path in PROJECT.glob(pattern))


def test_there_is_something_to_judge():
    assert OUTPUTS, f"nothing was judged: there is no file at {{', '.join(PATTERNS)}}"


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda path: path.name)
def test_an_output_has_no_major_fault(evenhand, output):
    evenhand.judge(output, rubric=str(PROJECT / "evenhand/rubrics/{rubric}.md"), no_fault="major")
'''


_JOB: Final = f"""\
evenhand:
  stage: .post
  image: python:3.12
  script:
    - pip install evenhand=={__version__}
    - sh evenhand/gate.sh
"""


def _gitlab_job(folder: Path) -> GateFile | str:
    """The job at the end of .gitlab-ci.yml, if the file stays sound with it; else what to do by hand."""
    path = folder / ".gitlab-ci.yml"
    by_hand = "add a job to .gitlab-ci.yml that runs: pip install evenhand && sh evenhand/gate.sh"
    try:
        before = path.read_bytes().decode() if path.is_file() and not path.is_symlink() else None
    except (OSError, UnicodeDecodeError):
        return by_hand
    if before is None:
        return by_hand
    text = before + ("" if before.endswith("\n") or not before else "\n") + "\n" + _JOB
    keys = _top_level_keys(before)
    if keys is None or "evenhand" in keys or _top_level_keys(text) != [*keys, "evenhand"]:
        return by_hand
    return GateFile(".gitlab-ci.yml", text, "runs the gate, on GitLab", before)


def _top_level_keys(text: str) -> list[str] | None:
    import yaml

    try:
        document = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return None
    return [key.value for key, _ in document.value] if isinstance(document, yaml.MappingNode) else None
