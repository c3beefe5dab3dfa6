"""What an MCP client may name: files in the server's folders, up to a size, whatever the spelling."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, seven
from mcp_client import InProcess

import evenhand
from evenhand.errors import InputError
from evenhand.mcp import allowed_files, arguments
from evenhand.mcp.allowed_files import Confinement
from every_case import every_case

SECRET = "The launch code is 0000 and nobody outside may read this sentence."


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that may be read, beside a secret that may not."""
    folder = tmp_path / "inside"
    (folder / "below").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "below" / "work.md").write_text("A sentence that may be read by everyone who asks.")
    (tmp_path / "secret.md").write_text(SECRET)
    (tmp_path / "inside-not").mkdir()
    (tmp_path / "inside-not" / "secret.md").write_text(SECRET)
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    (folder / "linked").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder / "loop")
    monkeypatch.chdir(folder)
    return folder


OUTSIDE = [
    "../secret.md",
    "below/../../secret.md",
    "{tmp}/secret.md",
    "{tmp}/inside-not/secret.md",
    "link.md",
    "linked/secret.md",
    "../no-such-file.md",
    "/proc/self/environ",
]


@every_case("name", OUTSIDE)
@every_case("tool", ["judge_begin", "findings", "score", "verify", "rank", "better", "rubric", "rubrics"])
def test_no_tool_reads_a_file_outside(inside: Path, tmp_path: Path, tool: str, name: str):
    """Neither by going up, nor by an absolute path, nor through a link; nor does the answer tell whether it exists."""
    server = InProcess(evenhand.open_store(str(tmp_path / "store.db")), inside)
    path = name.format(tmp=tmp_path)
    tools: dict[str, tuple[str, dict[str, Any]]] = {
        "rank": ("rank", {"entries": [path]}),
        "better": ("better", {"entries": [path, path]}),
        "rubric": ("judge_begin", {"output": "x", "rubric": path}),
        "rubrics": ("rubrics", {"name": path}),
    }
    called, given = tools.get(tool, (tool, {"file": path}))
    answer = server(called, **given)
    assert answer.refused
    assert f"{path}: lies outside the folders this server may read ({inside}); start it with" in answer.text
    assert "launch code" not in answer.text


@pytest.mark.parametrize("by_file", [True, False])
def test_a_judgement_cannot_name_files_outside(inside: Path, tmp_path: Path, by_file: bool):
    """Its output and its rubric are confined like arguments, in a file and in a call."""
    server = InProcess(None, inside)
    for field, name in (("output", "../secret.md"), ("rubric", "../secret.md"), ("rubric", "link.md")):
        judgement = {"scores": seven({"score": 5, "evidence": ["nobody outside"]}), field: name}
        (inside / "judgement.json").write_text(json.dumps(judgement))
        given: dict[str, Any] = {"file": "judgement.json"} if by_file else {"judgement": judgement}
        answers = [server("score", **given)]
        if by_file:
            answers += [server("rank", entries=["judgement.json"])]
        for answer in answers:
            assert answer.refused, answer.document
            assert "outside" in answer.text
            assert "launch code" not in answer.text


@pytest.mark.slow
def test_the_weights_beside_a_rubric_cannot_be_a_link_that_leads_out(inside: Path, tmp_path: Path):
    """They are read with the rubric, so they are confined like it: in an argument, by name, and in a judgement."""
    builtin = ROOT / "src" / "evenhand" / "rubrics" / "builtin" / "default.md"
    text = builtin.read_text(encoding="utf-8").replace("name: default", "name: mine")
    (tmp_path / "secret.json").write_text('{"launch code": 0}', encoding="utf-8")
    for folder in (inside, inside / "evenhand" / "rubrics"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "mine.md").write_text(text, encoding="utf-8")
    server = InProcess(None, inside)
    judgement = {"scores": seven(5), "rubric": "mine.md"}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("judge_begin", {"output": "x", "rubric": "mine.md"}),
        ("judge_begin", {"output": "x", "rubric": "mine"}),
        ("rubrics", {"name": "mine.md"}),
        ("rubrics", {"name": "mine"}),
        ("score", {"judgement": judgement}),
    ]
    for tool, given in calls:
        assert not server(tool, **given).refused, (tool, given)
    for folder in (inside, inside / "evenhand" / "rubrics"):
        (folder / "mine.weights.json").symlink_to(tmp_path / "secret.json")
    for tool, given in calls:
        answer = server(tool, **given)
        assert answer.refused, (tool, given)
        assert "the folders" in answer.text and "launch code" not in answer.text


def test_a_transcripts_sub_agents_cannot_be_links_that_lead_out(inside: Path, tmp_path: Path):
    """The files beside a transcript are read with it, so they are confined like it."""
    shutil.copytree(ROOT / "tests" / "fixtures" / "transcripts" / "project", inside / "project")
    (session,) = (inside / "project").glob("*.jsonl")
    (agent,) = (inside / "project").rglob("agent-*.jsonl")
    server = InProcess(None, inside)
    begun = server("judge_begin", file=f"project/{session.name}")
    assert "sub-agent 1" in begun.document["instructions"]
    shutil.move(agent, tmp_path / "elsewhere.jsonl")
    agent.symlink_to(tmp_path / "elsewhere.jsonl")
    refused = server("judge_begin", file=f"project/{session.name}")
    assert refused.refused
    assert "lies outside the folders" in refused.text


@pytest.mark.slow
def test_files_inside_are_read_by_any_spelling(inside: Path):
    """Relative to a folder, absolute, up and down again, through a link that stays inside."""
    (inside / "again.md").symlink_to(inside / "below" / "work.md")
    server = InProcess(None, inside)
    for name in ("below/work.md", str(inside / "below" / "work.md"), "below/../below/work.md", "again.md"):
        assert not server("findings", file=name).refused


def test_several_folders_are_searched_in_order(inside: Path, tmp_path: Path):
    """A relative name is taken from the first folder that has it."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "more.md").write_text("More to read, in another folder that was given at the start.")
    allowed = Confinement([str(inside), str(other)])
    assert allowed.file("more.md") == str(other / "more.md")
    assert allowed.file("below/work.md") == str(Path("below", "work.md"))
    with pytest.raises(InputError, match="is not a folder"):
        Confinement([str(other / "more.md")])


def test_rejects_what_is_not_a_file(inside: Path):
    """A folder, a FIFO that would be waited for without end, a loop of links, a NUL, a name too long."""
    os.mkfifo(inside / "pipe")
    server = InProcess(None, inside)
    for name, message in (
        ("below", "below: is a directory; name a file"),
        ("pipe", "pipe: is a FIFO (a named pipe); name a file"),
        ("loop", "loop: "),
        ("a\0b", "holds the character NUL"),
        ("x" * 5000, "no such file"),
    ):
        answer = server("findings", file=name)
        assert answer.refused
        assert message in answer.text


@pytest.mark.slow
def test_a_file_named_like_standard_input_is_a_file(inside: Path):
    """The name - means standard input to the reader, where the protocol runs."""
    (inside / "-").write_text("A file with an unfortunate name, and nothing else.")
    assert not InProcess(None, inside)("findings", file="-").refused


@pytest.mark.parametrize("kind", ["output", "file"])
@pytest.mark.slow
def test_a_50_mb_answer_is_refused_with_its_size(inside: Path, kind: str):
    """52,428,800 bytes are 50.0 MiB; the limit is 16. The server goes on, and nothing is lost."""
    text = "A long line of words. " * (50 * 1024 * 1024 // 22 + 1)
    (inside / "large.md").write_text(text[: 50 * 1024 * 1024])
    server = InProcess(None, inside)
    handle = server("judge_begin", file="below/work.md").document["handle"]
    given = {"output": text[: 50 * 1024 * 1024]} if kind == "output" else {"file": "large.md"}
    answer = server("judge_begin", **given)
    assert answer.refused
    assert "50.0 MiB are more than 16 MiB, the most this server reads" in answer.text
    assert len(answer.text) < 300
    assert not server("judge_submit", handle=handle, judgement={"scores": seven(5)}).refused


def test_the_limit_is_exact_and_counts_bytes(inside: Path, monkeypatch: pytest.MonkeyPatch):
    """As many bytes as the limit are taken, one more is refused; é has two."""
    for module in (allowed_files, arguments):
        monkeypatch.setattr(module, "LIMIT", 40)
    schema = {"properties": {"output": {"type": "string"}}}
    assert arguments.checked("findings", {"output": "é" * 20}, schema) == {"output": "é" * 20}
    with pytest.raises(InputError, match="output is too long"):
        arguments.checked("findings", {"output": "é" * 20 + "e"}, schema)
    allowed = Confinement([str(inside)])
    (inside / "exact.md").write_text("x" * 40)
    assert allowed.file("exact.md") == "exact.md"
    (inside / "exact.md").write_text("x" * 41)
    with pytest.raises(InputError, match="the most this server reads"):
        allowed.file("exact.md")


def test_text_with_control_characters_reaches_no_terminal(inside: Path):
    """A host may print results as they are."""
    answer = InProcess(None, inside)("judge_begin", output="Clear \x1b[2J the screen \ud800 and go on with the work.")
    assert not answer.refused
    assert "\x1b" not in answer.text


def test_the_rubrics_of_the_package_can_be_used_from_any_folder(inside: Path):
    """Names are looked up as on the command line; only files are confined."""
    assert not InProcess(None, inside)("judge_begin", output="Some work to judge.", rubric="devops").refused
    path = str(ROOT / "src/evenhand/rubrics/builtin/devops.md")
    assert InProcess(None, inside)("judge_begin", output="Some work to judge.", rubric=path).refused
