"""The documentation is true: every command and example in it runs, every link leads somewhere."""

from __future__ import annotations

import doctest
import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest
import yaml
from conftest import Ran
from example_judges import answer as answer_of_example_judges
from fake_server import FakeServer
from markdown_it import MarkdownIt

import evenhand
import evenhand.api.scorecards
from evenhand.cli.main import COMMANDS as TASKS
from evenhand.cli.main import evenhand as root_command
from evenhand.rubrics.library import BUILTIN
from every_case import every_case

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]
MARKDOWN = MarkdownIt("commonmark").enable("table")


def named(page: Path) -> str:
    """A page as messages show it."""
    return page.relative_to(ROOT).as_posix()


# --- every example runs --------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """A fenced block: ```console, ```yaml title=mine.yaml, and so on."""

    page: str
    line: int
    language: str
    title: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    for token in MARKDOWN.parse(page.read_text(encoding="utf-8")):
        if token.type == "fence":
            language, _, title = token.info.strip().partition(" title=")
            yield Block(named(page), (token.map or [0])[0] + 1, language, title, token.content)


@pytest.fixture
def quick_evenhand(tmp_path: Path, warm_evenhand: list[str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The command `evenhand` in front of the PATH, started without the time its imports take."""
    command = tmp_path / "bin" / "evenhand"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.join(warm_evenhand)} "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv(
        "PATH", f"{command.parent}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    return command


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_example_on_a_page_does_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake_server: FakeServer, quick_evenhand: Path
):
    """Blocks run from top to bottom in a copy of the examples; one with a title is first saved under that name.

    In a block that says `console server`, a server is there at http://localhost:8000/v1.
    """
    fake_server.answer = answer_of_example_judges
    folder = tmp_path / "examples"
    shutil.copytree(ROOT / "examples", folder)
    (folder / ".git").mkdir()  # a project of its own, so that every page starts with an empty store
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {"__name__": "page"}
    for block in blocks(page):
        if block.title:
            (folder / block.title).write_text(block.text, encoding="utf-8")
        if block.language == "console":
            run_console(block, folder)
        elif block.language == "console server":
            run_console(block, folder, server=fake_server)
        elif block.language == "python":
            run_python(block, names)
        elif block.language in ("yaml", "json"):
            score_judgement(block)


MARK = "@@ end of step, code"
SERVER = "http://localhost:8000/v1"
"""Where a page says that its server is."""


def run_console(block: Block, folder: Path, server: FakeServer | None = None) -> None:
    """Run each command in one shell; compare what it prints with what the page shows below it."""
    steps = list(console_steps(block.text))
    address = SERVER if server is None else server.url
    assert steps, f"{block.place}: a console block without a command"
    script = "exec 2>&1\n" + "".join(
        f"{command.replace(SERVER, address)}\n__code=$?; printf '{MARK} %s\\n' $__code; (exit $__code)\n"
        for command, _ in steps
    )
    environment = {
        **os.environ,
        "COLUMNS": "80",
        "PYTHONUTF8": "1",
        "PYTHONUNBUFFERED": "1",
    }
    for unwanted in ("EVENHAND_STORE", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        environment.pop(unwanted, None)
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True, check=False)
    pieces = re.split(rf"{MARK} (\d+)\n", done.stdout.decode().replace(address, SERVER))
    printed, codes = pieces[0::2], pieces[1::2]
    assert len(codes) == len(steps), f"{block.place}: the shell stopped early\n{done.stdout.decode()}"
    for place, (command, shown) in enumerate(steps):
        where = f"{block.place}: $ {command}\n"
        asked = place + 1 < len(steps) and steps[place + 1][0] == "echo $?"
        assert codes[place] == "0" or asked or shown, f"{where}exits with {codes[place]}\n{printed[place]}"
        assert "Traceback" not in printed[place] and codes[place] != "127", f"{where}{printed[place]}"
        if shown:
            assert agrees(shown, printed[place]), f"{where}prints\n{printed[place]}\nand the page shows\n{shown}"


def console_steps(text: str) -> Iterator[tuple[str, str]]:
    """Each command of a console block with the output shown below it; `> ` continues a command."""
    command, shown = "", []
    for line in text.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, "\n".join(shown)
            command, shown = line[2:], []
        elif line.startswith("> ") and not shown:
            command += "\n" + line[2:]
        else:
            shown.append(line)
    if command:
        yield command, "\n".join(shown).strip("\n")


def agrees(shown: str, printed: str) -> bool:
    """Whether output is as shown: `...` on a line of its own stands for any lines, inside a line for any words."""
    patterns = [
        "(?:.*\n)*?" if line.strip() == "..." else re.escape(line.rstrip()).replace(r"\.\.\.", ".*") + "\n"
        for line in shown.strip("\n").split("\n")
    ]
    lines = [line.rstrip() for line in printed.strip("\n").split("\n")]
    return re.fullmatch("".join(patterns), "\n".join(lines) + "\n") is not None


def run_python(block: Block, names: dict[str, Any]) -> None:
    """A session is compared with what it shows; a plain program only has to run. Names last for the page."""
    if ">>> " not in block.text:
        exec(compile(block.text, block.place, "exec"), names)
        return
    told: list[str] = []
    session = doctest.DocTestParser().get_doctest(block.text, names, block.place, block.page, block.line)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    runner.run(session, out=told.append, clear_globs=False)
    names.update(session.globs)
    assert not told, "".join(told)


def score_judgement(block: Block) -> None:
    """A block that is a judgement can be scored, and fits the published schema."""
    document = yaml.safe_load(block.text)
    if isinstance(document, dict) and "scores" in document:
        schema = json.loads((ROOT / "src/evenhand/schemas/judgement.v1.schema.json").read_text(encoding="utf-8"))
        jsonschema.validate(document, schema)
        evenhand.score(document)


@pytest.mark.slow
def test_every_command_of_a_workflow_is_run_on_its_page():
    """A CI job that a page shows consists of commands that the page also runs; where output goes may differ."""
    shown = 0
    for page in PAGES:
        ran = {
            command.partition(" >")[0]
            for block in blocks(page)
            if block.language == "console"
            for command, _ in console_steps(block.text)
        }
        for block in blocks(page):
            workflow = yaml.safe_load(block.text) if block.language == "yaml" else None
            for command in workflow_commands(workflow):
                shown += 1
                assert command.partition(" >")[0] in ran, f"{block.place}: {command} is not run on the page"
    assert shown > 0


def workflow_commands(workflow: Any) -> Iterator[str]:
    """Every command of evenhand in a GitHub workflow."""
    if isinstance(workflow, dict) and "jobs" in workflow:
        for job in workflow["jobs"].values():
            yield from (step["run"] for step in job["steps"] if step.get("run", "").startswith("evenhand "))


@pytest.mark.slow
def test_the_section_about_postgresql_does_what_it_says(tmp_path: Path, postgresql_url: str, quick_evenhand: Path):
    """Its commands, in their order and with a real server's address, move a store and lose nothing."""
    page = (DOCS / "reference" / "store.md").read_text(encoding="utf-8").partition("## Move to PostgreSQL")[2]
    commands = re.findall(r"^(?:evenhand store|cmp) .*$", page, flags=re.MULTILINE)
    address = "postgresql://ana@db.example.org/evaluations"
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "examples" / ".git").mkdir()
    lines = ["$ evenhand score review.yaml --format jsonl > scorecard.jsonl"]
    lines += [f"$ {command.replace(address, postgresql_url)}" for command in commands]
    assert sum(address in command for command in commands) >= 4
    run_console(Block("store.md", 1, "console", "", "\n".join(lines)), tmp_path / "examples")


def test_the_runner_of_examples_notices_a_wrong_page(tmp_path: Path):
    """Output, exit code and wildcards are really compared."""

    def run(text: str) -> None:
        run_console(Block("made.md", 1, "console", "", text), tmp_path)

    run("$ echo one; echo two; echo three\none\n...\nthree\n")
    run("$ false\n$ echo $?\n1\n")
    for wrong in ("$ echo one\ntwo\n", "$ false\n", "$ echo one\n$ no-such-command\nanything\n", "no command\n"):
        with pytest.raises(AssertionError):
            run(wrong)
    with pytest.raises(AssertionError):
        run_python(Block("made.md", 1, "python", "", ">>> 1 + 1\n3\n"), {})


@pytest.mark.parametrize("module", [evenhand, evenhand.api.scorecards], ids=lambda module: module.__name__)
def test_the_examples_in_docstrings_run(module: Any):
    """What a docstring shows is what happens."""
    results = doctest.testmod(module, extraglobs={"DIMENSIONS": evenhand.DIMENSIONS})
    assert results.attempted > 0
    assert results.failed == 0


# --- every link leads somewhere ------------------------------------------------------------------


def links(page: Path) -> Iterator[tuple[int, str]]:
    """Every link and picture of a page with its line."""
    for token in MARKDOWN.parse(page.read_text(encoding="utf-8")):
        for child in token.children or ():
            target = child.attrs.get("href") or child.attrs.get("src")
            if target:
                yield (token.map or [0])[0] + 1, str(target)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    found: set[str] = set()
    tokens = MARKDOWN.parse(page.read_text(encoding="utf-8"))
    for before, token in pairwise(tokens):
        if before.type == "heading_open":
            words = "".join(child.content for child in token.children or ())
            slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
            repeats = sum(each == slug or re.fullmatch(rf"{re.escape(slug)}-\d+", each) is not None for each in found)
            found.add(f"{slug}-{repeats}" if repeats else slug)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_relative_link_resolves(page: Path):
    """A link names a file that exists, and an anchor that is a heading of it."""
    broken = []
    for line, target in links(page):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(f"{named(page)}:{line}: {target}")
    assert not broken


def test_the_map_leads_to_every_page():
    """No page of the documentation can be reached only by knowing its name."""
    mapped = {(DOCS / target.partition("#")[0]).resolve() for _, target in links(DOCS / "index.md")}
    missing = [named(page) for page in DOCS.rglob("*.md") if page != DOCS / "index.md" and page not in mapped]
    assert not missing


def test_the_map_groups_pages_and_commands_as_the_help_does():
    """The same tasks with the same commands, in the same order."""
    guides = (DOCS / "index.md").read_text(encoding="utf-8").partition("## How to")[2].partition("\n## ")[0]
    tasks = [section.partition("\n") for section in guides.split("\n### ")[1:]]
    mapped = {task: re.findall(r"\[(\w+)\]\(reference/cli\.md#evenhand-\1\)", text) for task, _, text in tasks}
    assert list(mapped.items()) == [(task, list(commands)) for task, commands in TASKS.items()]


def test_what_someone_has_to_learn_stays_within_its_limits():
    """Commands, options of each command, pages, words: `python scripts/count.py` prints them."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "count.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and "TOO MANY" not in done.stdout, done.stdout + done.stderr


# --- the reference is whole ----------------------------------------------------------------------


def commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, f"{path} {name}")


COMMANDS = dict(commands(root_command, "evenhand"))


@every_case("path", COMMANDS)
def test_every_command_and_option_is_in_the_reference(path: str):
    """Each command has a section, and each of its options stands in it."""
    text = (REFERENCE / "cli.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)
    section = next((each for each in sections if each.startswith(f"{path}\n")), None)
    assert section is not None, f"no section for {path}"
    shown = [
        each
        for each in COMMANDS[path].params
        if isinstance(each, click.Option) and not each.hidden and each.name != "help"
    ]
    options = [name for each in shown for name in each.opts]
    assert [name for name in options if f"`{name}`" not in section] == []
    assert "`--help`" in sections[0]


@every_case("name", [*evenhand.__all__, *(f"trust.{name}" for name in evenhand.trust.__all__)])
def test_every_public_name_is_in_the_reference(name: str):
    """Each name has a section that says something about it."""
    text = (REFERENCE / "python.md").read_text(encoding="utf-8")
    section = re.search(rf"^### {re.escape(name)}\n\n(.+?)(?=^###? |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    assert section is not None
    assert re.search(r"^[A-Z`]", section[1], flags=re.MULTILINE), "no sentence"


@pytest.mark.slow
def test_the_methodology_page_quotes_the_measured_false_alarm_rates():
    """What `python benchmarks/false_alarms.py` prints stands on the page, figure by figure."""
    command = [sys.executable, str(ROOT / "benchmarks" / "false_alarms.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout in (DOCS / "methodology.md").read_text(encoding="utf-8")


def test_the_methodology_page_has_every_rule():
    """R1 to R18 each have a heading of their own."""
    page = (DOCS / "methodology.md").read_text(encoding="utf-8")
    assert re.findall(r"^### (R\d+) ", page, flags=re.MULTILINE) == [f"R{number}" for number in range(1, 19)]


def test_every_rule_leads_to_what_holds_it():
    """Each of R1 to R18 names a function or a constant, and the file of `core` that has it; the code names the rule."""
    page = (DOCS / "methodology.md").read_text(encoding="utf-8")
    led = re.findall(r"^### (R\d+) [^\n]+\n\n\*In code:\* `(\w+)` in \[core/(\w+)\.py\]", page, flags=re.MULTILINE)
    assert [rule for rule, _, _ in led] == [f"R{number}" for number in range(1, 19)]
    for rule, name, file in led:
        module = import_module(f"evenhand.core.{file}")
        value = getattr(module, name)
        source = inspect.getsource(value if inspect.isroutine(value) or inspect.isclass(value) else module)
        assert re.search(rf"\b{rule}\b", source), rule


def test_every_built_in_rubric_is_listed():
    """The reference names each rubric that comes with the package."""
    page = (REFERENCE / "rubric-file.md").read_text(encoding="utf-8")
    assert [path.stem for path in BUILTIN.glob("*.md") if f"`{path.stem}`" not in page] == []


DESCRIBED_IN = {
    "judgement": "judgement-file.md",
    **dict.fromkeys(("scorecard", "ranking", "verification", "comparison", "decision", "gate"), "scorecard.md"),
    **dict.fromkeys(("plan", "batch", "calibration", "estimate"), "scorecard.md"),
    "transcript": "transcripts.md",
}


@pytest.mark.parametrize("name", DESCRIBED_IN)
def test_every_field_of_a_document_is_in_the_reference(name: str):
    """Each field the schema knows has its row or its mention."""
    schema = json.loads((ROOT / f"src/evenhand/schemas/{name}.v1.schema.json").read_text(encoding="utf-8"))
    page = (REFERENCE / DESCRIBED_IN[name]).read_text(encoding="utf-8")
    shapes = [schema, *schema.get("$defs", {}).values()]
    fields = {field for shape in shapes for field in shape.get("properties", {})}
    assert sorted(field for field in fields if f"`{field}`" not in page and f'"{field}"' not in page) == []


# --- what is generated is up to date -------------------------------------------------------------


@pytest.mark.slow
def test_the_recorded_judges_of_the_examples_answer_today_s_questions():
    """`python scripts/record_examples.py` would change nothing."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "record_examples.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
def test_a_stale_page_is_noticed_and_named(tmp_path: Path):
    """With one word of a page changed, the check exits with 1 and names the page. That all of them are up to date
    `./test` asks before the tests."""
    for folder in ("docs", "examples", "scripts"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    stale = tmp_path / "docs" / "reference" / "cli.md"
    fresh = stale.read_text(encoding="utf-8")
    assert "best first" in fresh
    stale.write_text(fresh.replace("best first", "worst first"), encoding="utf-8")
    command = [
        sys.executable,
        str(tmp_path / "scripts" / "make_docs.py"),
        "--check",
        "reference/cli.md",
        "reference/checks.md",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "out of date: docs/reference/cli.md\n")


@pytest.mark.parametrize("name", ["scorecard", "history", "skill", "hook"])
def test_the_pictures_load_nothing_from_elsewhere(name: str):
    """A picture is whole in itself."""
    svg = (DOCS / "images" / f"{name}.svg").read_text(encoding="utf-8")
    assert "url(http" not in svg and "@font-face" not in svg and "@import" not in svg


@pytest.mark.slow
def test_the_picture_of_a_scorecard_shows_what_the_command_prints(evenhand_command: Callable[..., Ran]):
    """The command in its title, run in the examples, gives the score, the quotes and the flags of the picture."""
    picture = (ROOT / "docs" / "images" / "scorecard.svg").read_text(encoding="utf-8")
    texts = [unescape(text).replace("\xa0", " ").strip() for text in re.findall(r"<text[^>]*>([^<]*)</text>", picture)]
    (title,) = [text for text in texts if text.startswith("evenhand judge ")]
    ran = evenhand_command(*title.split()[1:], "--store", "none", cwd=ROOT / "examples", COLUMNS="100")
    told = [text for text in texts if "rm -rf" in text or " of 10" in text or "composite" in text]
    assert len(told) >= 4 and [text for text in told if text not in ran.out] == []


@pytest.mark.parametrize("command", ["./try", "./test"])
def test_the_readme_names_the_two_commands(command: str):
    """Both stand in the README, exist and can be run."""
    assert re.search(rf"^{re.escape(command)}\b", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert os.access(ROOT / command, os.X_OK)


OTHERS_SAY = {"evenhand: command not found", "error: externally-managed-environment"}
"""Symptoms that the shell and pip print, not this package."""


def test_the_symptoms_of_troubleshooting_are_what_is_printed():
    """Someone searches the page for what stands on the terminal: every part of it is in the source."""
    source = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.py")))
    rows = re.findall(
        r"^\| (`.*?) \|", (REFERENCE / "errors-and-exit-codes.md").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    symptoms = {symptom for row in rows for symptom in re.findall(r"`([^`]+)`", row)} - OTHERS_SAY
    parts = {part.strip() for symptom in symptoms for part in symptom.split("...") if part.strip()}
    assert len(symptoms) > 10
    assert {part for part in parts if part not in source} == set()
