"""What is published installs and works: the archives, their metadata, the description on an index, the size."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
import yaml
from markdown_it import MarkdownIt

import evenhand

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LEFT_OUT = shutil.ignore_patterns(
    ".[!cem]*", ".coverage*", ".evenhand", ".mypy_cache", "__pycache__", "build", "dist", "*.egg-info"
)
"""What no clean copy of the repository has. Hidden but wanted: .claude-plugin, .mcp.json, and .expected of a test."""


def clean_environment() -> dict[str, str]:
    """The caller's, without an address, and without the paths that would show the source and not what is installed."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "EVENHAND_PROJECT_URL")}


def run(*command: str | Path, folder: Path, **variables: str) -> str:
    environment = {**clean_environment(), **variables}
    done = subprocess.run(
        list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The source archive of a clean copy, and the wheel built from that archive alone."""
    folder = tmp_path_factory.mktemp("build")
    shutil.copytree(ROOT, folder / "copy", ignore=LEFT_OUT)
    hook = "import sys; from hatchling.build import {0}; print({0}(sys.argv[1]))"
    source = folder / run(sys.executable, "-c", hook.format("build_sdist"), folder, folder=folder / "copy").split()[-1]
    with tarfile.open(source) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    wheel = folder / run(sys.executable, "-c", hook.format("build_wheel"), folder, folder=unpacked).split()[-1]
    return source, wheel


def metadata_of(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as opened:
        (name,) = (name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(opened.read(name))


@pytest.fixture(scope="module")
def metadata(archives: tuple[Path, Path]) -> Message:
    return metadata_of(archives[1])


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_else(archives: tuple[Path, Path]):
    """Every module and data file of the source tree, one build for all systems and versions of Python."""
    with zipfile.ZipFile(archives[1]) as wheel:
        held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    source = ROOT / "src"
    wanted = {
        path
        for path in source.rglob("*")
        if path.suffix in (".py", ".md", ".json", ".sql", ".typed", ".html", ".css", ".js", ".svg")
    }
    wanted = {path for path in wanted if not any(part.endswith(".egg-info") for part in path.parts)}
    pages = {
        f"evenhand/{path.relative_to(ROOT).as_posix()}"
        for folder in ("docs", "examples")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".md", ".yaml", ".jsonl") and ".evenhand" not in path.parts
    }
    assert held == {path.relative_to(source).as_posix() for path in wanted} | pages
    assert archives[1].name.endswith("-py3-none-any.whl")


@pytest.mark.slow
def test_the_source_archive_holds_what_the_tests_and_the_documentation_need(archives: tuple[Path, Path]):
    """Whoever packages evenhand for a system can run everything from it."""
    with tarfile.open(archives[0]) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    for name in ("test", "try", "CHANGELOG.md", "LICENSE", "scripts/environment.sh", "examples/answer.md"):
        assert name in held
    for folder in ("tests", "docs", "benchmarks", "conformance"):
        kept = [path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        assert {path.relative_to(ROOT).as_posix() for path in kept} <= held
    assert not [name for name in held if name.endswith((".pyc", ".db"))]


@pytest.mark.slow
def test_the_metadata_is_complete_and_invents_no_address(metadata: Message):
    """An index shows who wrote it, under which licence, and for which versions of Python."""
    assert metadata["Author"] == "The evenhand authors"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    versions = {f"Programming Language :: Python :: 3.{minor}" for minor in range(11, 15)}
    assert versions <= set(metadata.get_all("Classifier", []))
    assert metadata.get_all("Project-URL") is None and metadata["Home-page"] is None
    assert metadata["Version"] == evenhand.__version__


HOME = "https://forge.example/team/evenhand"
BUILD = ROOT / "scripts" / "build_release.py"


@pytest.mark.slow
def test_two_releases_of_one_commit_are_the_same_bytes_and_name_the_repository(tmp_path: Path):
    """In other folders and at other times; a wheel made from the source archive has the address, too."""
    if not (ROOT / ".git").exists():
        pytest.skip("a release is built from a repository")
    for name in ("first", "second"):
        run(sys.executable, BUILD, tmp_path / name, folder=tmp_path, EVENHAND_PROJECT_URL=HOME)
    first, second = (sorted((tmp_path / name).iterdir()) for name in ("first", "second"))
    assert [path.name for path in first] == [path.name for path in second] and len(first) == 3
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    (wheel,) = (path for path in first if path.suffix == ".whl")
    released, version = metadata_of(wheel), evenhand.__version__
    assert set(released.get_all("Project-URL", [])) == {
        f"Homepage, {HOME}",
        f"Documentation, {HOME}/blob/v{version}/docs/index.md",
        f"Source, {HOME}/tree/v{version}",
        f"Changelog, {HOME}/blob/v{version}/CHANGELOG.md",
        f"Issues, {HOME}/issues",
    }
    assert f"[start]({HOME}/blob/v{version}/docs/start.md)" in str(released.get_payload(decode=True), "utf-8")


@pytest.mark.parametrize("given", ["evenhand", "http://forge.example/team/evenhand", "https://forge.example/a b"])
def test_an_address_that_is_none_stops_the_build(tmp_path: Path, given: str):
    """With what is valid; nothing is guessed from it."""
    environment = {**clean_environment(), "EVENHAND_PROJECT_URL": given}
    done = subprocess.run(
        [sys.executable, BUILD, tmp_path / "dist"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and not (tmp_path / "dist").exists()
    assert f"EVENHAND_PROJECT_URL is {given!r}; give an address such as https://HOST/OWNER/NAME" in done.stderr


@pytest.mark.slow
def test_the_description_on_an_index_needs_nothing_from_the_repository(metadata: Message):
    """No picture and no relative link; the scorecard is there as text."""
    assert metadata["Description-Content-Type"] == "text/markdown"
    text = str(metadata.get_payload(decode=True), "utf-8") if metadata.get_payload() else metadata["Description"]
    inside = [child for token in MarkdownIt("commonmark").parse(text) for child in token.children or ()]
    links = [str(token.attrs.get("href")) for token in inside if token.type == "link_open"]
    assert not [token for token in inside if token.type == "image"]
    assert all(link.startswith("https://") for link in links)
    assert (ROOT / "docs" / "images" / "scorecard.txt").read_text(encoding="utf-8") in text
    assert "learn it in a quarter of an hour" in text


def test_every_extra_is_on_the_page_about_installing():
    """And the page names none that is not there."""
    page = (ROOT / "docs" / "reference" / "install.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `evenhand\[(\w+)\]`", page, flags=re.MULTILINE)) == set(
        PROJECT["optional-dependencies"]
    )


def test_a_plain_installation_brings_no_package_of_all_grammars():
    """It is larger than everything else together."""
    names = {re.split(r"[<>=\[]", requirement)[0] for requirement in PROJECT["dependencies"]}
    assert "tree-sitter-bash" in names
    assert "tree-sitter-language-pack" not in names


@pytest.mark.slow
def test_the_wheel_installs_into_a_fresh_environment_and_judges(archives: tuple[Path, Path], tmp_path: Path):
    """From outside the tree, within 85 MB, with every grammar in place but that of C#, which is an extra."""
    environment = tmp_path / "environment"
    script = ROOT / "benchmarks" / "installed_size.py"
    command = [sys.executable, script, "--wheel", archives[1], "--into", environment]
    done = subprocess.run(command, env=clean_environment(), capture_output=True, text=True, check=False)
    if done.returncode and "No matching distribution" in done.stderr and os.environ.get("CI") != "true":
        pytest.skip("no package index can be reached, so evenhand's dependencies cannot be installed")
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    assert done.stdout.rstrip().endswith("at most 85 MB: reached"), done.stdout

    installed = environment / "bin" / "evenhand"
    assert run(installed, "--version", folder=tmp_path).strip() == f"evenhand {evenhand.__version__}"
    toured = run(installed, "try", folder=tmp_path)
    assert "3.44 of 10" in toured and "new is better than old" in toured
    run(installed, "try", "--files", "examples", folder=tmp_path)
    assert "# Start" in run(installed, "docs", "start", "--format", "markdown", folder=tmp_path)
    shown = run(
        *(installed, "judge", "answer.md", "--task", "task.md", "--rubric", "devops", "--store", "none"),
        folder=tmp_path / "examples",
    )
    assert "no one has read this output" in " ".join(shown.split())
    grammars = "from evenhand.findings.facts.syntax import GRAMMARS, parser"
    missing = f"{grammars}; print(*[name for name in GRAMMARS if parser(name) is None])"
    assert run(environment / "bin" / "python", "-c", missing, folder=tmp_path).strip() == "csharp"


def workflow(name: str) -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))
    return read


def test_workflows_run_what_is_there_and_actions_that_cannot_change():
    """Every action is named by its commit; CI tests the versions of Python that the metadata promise."""
    for path in (ROOT / ".github" / "workflows").iterdir():
        for used in re.findall(r"uses: (\S+)", path.read_text(encoding="utf-8")):
            assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", used) or (ROOT / used).is_file(), used
    quick = workflow("ci.yml")["jobs"]["quick"]["strategy"]["matrix"]["python"]
    promised = [name.split(" :: ")[-1] for name in PROJECT["classifiers"] if re.search(r"3\.\d+$", name)]
    assert quick == promised


def test_a_release_is_tested_and_has_its_addresses():
    """Nothing is published that did not pass the tests."""
    release = workflow("release.yml")
    assert release["env"]["EVENHAND_PROJECT_URL"] == "${{ github.server_url }}/${{ github.repository }}"
    assert set(release["jobs"]["publish"]["needs"]) == {"tests", "build"}
