"""The floors of the house: who may import whom, and what a quick command may not load."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from evenhand.store.evaluation_store import EvaluationStore
from evenhand.store.protocol import Store
from every_case import every_case

PACKAGE = Path(__file__).parents[1] / "src" / "evenhand"
FLOORS = {
    room: floor
    for floor, rooms in enumerate(
        (
            "_version clock errors in_words schemas core files work options documents stats decisions",
            "rubrics transcripts screening providers store reports runs tables",
            "findings plugin_evals",
            "judges",
            "judging",
            "suites trust",
            "api",
            "agents bridges cli mcp projects public_names testing types web __init__ __main__",
        ),
        start=1,
    )
    for room in rooms.split()
}
"""The room's floor. A room imports rooms of lower floors only; floor 1 has an order of its own."""

STARTED = {"cli": ("agents", "mcp", "projects", "web")}
"""The other doors that the command line opens, when asked; no door imports another otherwise."""

GROUND: dict[str, set[str]] = {
    "core": {"errors"},
    "files": {"errors"},
    "work": {"core", "errors"},
    "options": {"core", "files", "errors"},
    "documents": {"core", "files", "work", "errors"},
    "stats": {"core", "files", "work", "errors", "in_words"},
    "decisions": {"core", "files", "work", "stats", "errors", "in_words"},
}
"""The rooms of floor 1 that know others of it; what is pure and small."""


@cache
def modules() -> dict[str, Path]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = ("evenhand", *path.relative_to(PACKAGE).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


@cache
def imports(path: Path) -> frozenset[str]:
    """Every module of the package that a file imports, inside functions and under TYPE_CHECKING too."""
    found = set()
    names = set(modules())
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("evenhand")}
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("evenhand"):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in names else node.module)
    return frozenset(found)


def allowed(here: str, there: str) -> bool:
    """Whether a room may import another."""
    if there == here or here in ("__init__", "__main__") or there in STARTED.get(here, ()):
        return True
    return there in GROUND.get(here, set()) if FLOORS[here] == 1 else FLOORS[there] < FLOORS[here]


@pytest.mark.slow
def test_a_room_imports_lower_floors_only():
    """One direction."""
    assert {room(module) for module in modules()} - FLOORS.keys() == set(), "give a new room its floor"
    wrong = [
        f"{module} (floor {FLOORS[room(module)]}) imports {imported} (floor {FLOORS[room(imported)]})"
        for module, path in modules().items()
        if module != "evenhand.trust"  # like `evenhand` itself, it lists public names and loads them on first use
        for imported in imports(path)
        if not allowed(room(module), room(imported))
    ]
    assert wrong == []


WITHIN = {
    "core": (
        "rules",
        "numbers",
        "published",
        "curve finding rubric",
        "judgement",
        "comparison",
        "scorecard",
        "bounds criteria",
        "scoring criteria_results",
        "receipt",
        "panel calibration ranking history audit",
        "advice",
    ),
    "judges": (
        "protocol",
        "written",
        "families",
        "decided_criteria",
        "probing",
        "models",
        "told_endings",
        "program",
        "panel",
    ),
    "findings": (
        "subject",
        "finding",
        "facts",
        "endings",
        "code conduct task text safety",
        "expectations registry precision",
        "judge",
    ),
    "reports": (
        "cases criteria_rows history judge_reasons markdown_pieces panel tree unread_table",
        "charts",
        "advice findings trust",
        "scorecard",
        "gate notebook ranking rubric skill_history verification",
        "comparison",
        "exchange markdown terminal",
        "report_file",
        "html",
    ),
    "store": (
        "sql_connection in_list submission_text",
        "record",
        "record_check",
        "used_rows",
        "tables",
        "evaluation_store",
        "protocol",
        "stored_cards",
        "figures",
        "databases",
        "batch_journal blind_view replies soundness",
        "transfer",
    ),
    "suites": (
        "paths suite_text overview new_suite",
        "located_entry judgement",
        "allowances placeholders skill_rules start_files execution",
        "case_entry variant_entry results",
        "case_folder importing comparison_suite",
        "case_sources own_skills suite_plan",
        "suite_file suite_run",
        "checked_suite audit",
    ),
    "judges.models": (
        "questions",
        "replies",
        "together passages",
        "attempts budget call_plan contact nonces",
        "asking",
        "weighing",
        "criteria_reading",
        "judge pair_judge",
    ),
}
"""Inside a room: folders and files, each of which may import those before it. Names in one string do not know each
other; a name may import itself."""


@pytest.mark.parametrize("room_name", WITHIN)
@pytest.mark.slow
def test_a_folder_imports_those_before_it_only(room_name):
    """What passes between rooms first, then what is made of it."""
    order = {name: place for place, names in enumerate(WITHIN[room_name]) for name in names.split()}
    start = f"evenhand.{room_name}."
    inside = {name: name.removeprefix(start).split(".")[0] for name in modules() if name.startswith(start)}
    assert set(inside.values()) == set(order), "give every folder and file its place in WITHIN"
    for module, here in inside.items():
        for imported in imports(modules()[module]):
            there = inside.get(imported)
            if there is not None and there != here:
                assert order[there] < order[here], f"{module} imports {imported}"


@pytest.mark.slow
def test_there_is_no_import_loop():
    """Modules can be put in an order in which each imports only earlier ones, in functions and for types too."""
    packages = {name for name, path in modules().items() if path.name == "__init__.py"}  # they load names on first use
    waiting = {name: imports(path) - {name} - packages for name, path in modules().items() if name not in packages}
    while waiting:
        free = {name for name, needs in waiting.items() if not needs & waiting.keys()}
        assert free, f"a loop among {sorted(waiting)}"
        waiting = {name: needs for name, needs in waiting.items() if name not in free}


SAME_NOUN = {
    "decision_tables",
    "advice", "agent", "anchors", "batch", "calibration", "changes", "claude_code", "codex", "comparison", "decision",
    "looks",
    "criteria",
    "estimates", "evaluation", "examples",
    "finding", "findings", "gate", "github", "history", "hook", "influence", "judge", "judge_card", "judged",
    "judge_uses",
    "judgement", "labels", "limits", "notes", "panel", "pictures", "preferences", "probes",
    "program", "protocol", "quotes",
    "ranking",
    "rater_agreement", "registry", "rescoring", "review", "reviews", "rubric", "run", "scorecard",
    "scorecards", "skill_creator", "spark", "standings", "submission", "suite", "suite_decision",
    "suite_results", "suite_run", "suites",
    "trust", "verification", "walker", "what_to_change", "words",
}  # fmt: skip
"""File names used in several rooms, always for the same noun."""


def test_a_file_name_means_one_thing():
    """A name used in two places names the same noun in both."""
    stems = [path.stem for path in modules().values() if path.name != "__init__.py"]
    repeated = {stem for stem in stems if stems.count(stem) > 1}
    assert repeated - SAME_NOUN == set()


LONG_FOLDERS = {"transcripts/formats"}
"""One file for each tool, and no others."""


def test_a_folder_can_be_taken_in_at_a_glance():
    """At most 20 modules in a folder, and three levels of folders."""
    folders = Counter(path.parent.relative_to(PACKAGE) for path in modules().values() if path.name != "__init__.py")
    assert {folder.as_posix() for folder, count in folders.items() if count > 20} <= LONG_FOLDERS
    assert max(len(folder.parts) for folder in folders) <= 3


def test_the_page_about_architecture_mentions_every_folder():
    """Whoever looks for something knows where to start."""
    page = (PACKAGE.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    folders = {path.parent.relative_to(PACKAGE).as_posix() for path in modules().values()} - {"."}
    assert sorted(folder for folder in folders if f"`{folder}/`" not in page) == []


@pytest.mark.slow
def test_tests_benchmarks_and_scripts_import_modules_that_exist():
    """A benchmark that no test runs would otherwise keep the name of a module that was moved."""
    project, known = PACKAGE.parents[1], set(modules()) | {"evenhand_pytest"}
    imported = re.compile(r"^\s*(?:from|import) (evenhand[\w.]*)", re.MULTILINE)
    wrong = [
        f"{path.relative_to(project)}: {name}"
        for folder in ("tests", "benchmarks", "scripts")
        for path in project.joinpath(folder).rglob("*.py")
        for name in imported.findall(path.read_text(encoding="utf-8"))
        if name not in known
    ]
    assert wrong == []


STANDARD = sys.stdlib_module_names


@every_case("module", sorted(name for name in modules() if room(name) in ("core", "errors")))
def test_core_imports_the_standard_library_only_and_touches_nothing(module):
    """No files, no clock, no randomness, no network, no other package."""
    tree = ast.parse(modules()[module].read_text(encoding="utf-8"))
    roots = {
        alias.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }
    roots |= {node.module.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    assert roots <= STANDARD | {"evenhand"}
    assert not roots & {"os", "io", "pathlib", "time", "datetime", "secrets", "uuid", "socket", "subprocess"}
    if "random" in roots:  # only a generator of its own, started from a seed
        text = modules()[module].read_text(encoding="utf-8")
        assert "from random import Random\n" in text
        assert "Random()" not in text
    calls = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not calls & {"open", "input", "print"}


def loaded_by(*arguments: str) -> set[str]:
    """The modules that are loaded when a command has run."""
    code = (
        "import sys, runpy, atexit\n"
        f"sys.argv = ['evenhand', *{arguments!r}]\n"
        "atexit.register(lambda: print('\\nLOADED', *sys.modules))\n"
        "runpy.run_module('evenhand', run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return set(done.stdout.rsplit("LOADED", 1)[1].split())


def test_version_loads_next_to_nothing():
    """Not even the command line library."""
    assert not loaded_by("--version") & {"click", "rich", "yaml", "markdown_it", "pydantic", "json", "jinja2"}


def test_scoring_as_json_loads_no_renderer_and_no_markdown_parser():
    """The quick path stays quick."""
    example = str(PACKAGE.parents[1] / "examples" / "review.yaml")
    loaded = loaded_by("score", example, "--format", "json", "--store", "none")
    assert "yaml" in loaded
    assert not loaded & {
        "rich",
        "markdown_it",
        "pydantic",
        "difflib",
        "jsonschema",
        "aiohttp",
        "asyncio",
        "jinja2",
    }


@pytest.mark.parametrize("arguments", [("--version",), ("score", "examples/review.yaml", "--store", "none")])
def test_what_is_for_other_agents_is_loaded_only_when_used(arguments, monkeypatch):
    """Neither the skills and the hook, nor the commands of other agents."""
    monkeypatch.chdir(PACKAGE.parents[1])
    loaded = loaded_by(*arguments)
    assert not {name for name in loaded if name.startswith(("evenhand.agents", "evenhand.providers"))}
    assert not loaded & {"http.server", "subprocess"}


def test_score_loads_the_evaluations_of_a_store_and_nothing_that_is_kept_beside_them(tmp_path, monkeypatch):
    """Anchors, reviews, labels, suites and what the dashboard asks for take longer to load than scoring takes."""
    monkeypatch.chdir(PACKAGE.parents[1])
    loaded = loaded_by("score", "examples/review.yaml", "--format", "json", "--store", str(tmp_path / "store.db"))
    beside = {kind.__module__ for kind in Store.__mro__} - {kind.__module__ for kind in EvaluationStore.__mro__}
    assert "evenhand.store.evaluation_store" in loaded
    assert len(beside) > 8
    assert not loaded & beside
