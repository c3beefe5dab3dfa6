"""Agent commands as judges: refused unless their tools are off, one process per question, faults in plain words."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from conftest import Ran
from fake_agent import MODEL, fake_claude

from evenhand.errors import InputError
from evenhand.providers import provider_status
from evenhand.providers.builtin.codex import Codex
from evenhand.providers.commands.agent import Prompt
from evenhand.providers.commands.command import AgentCommand
from evenhand.providers.commands.process import Finished
from evenhand.providers.exchange import CallFailed, Message, Reply, Request
from evenhand.providers.known import Configured
from evenhand.providers.opened_provider import open_provider
from evenhand.providers.prices import cost, estimate_cost
from evenhand.providers.provider_status import choose
from evenhand.providers.specs import parse_spec

WORK = "The parser keeps every comment of the file and reports the line of each mistake."
QUESTION = f"<<<submission aaaabbbb\n{WORK}\nsubmission aaaabbbb>>>\n"


def opened(tmp_path: Path, mode: str = "good", *, spec: str = "claude-code", **table: Any) -> AgentCommand:
    """The provider for a fake `claude` that behaves as `mode` says."""
    fake_claude(tmp_path / "bin", mode)
    environment = {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path), "SECRET": "x"}
    provider = open_provider(parse_spec(spec), {"claude-code": Configured(**table)}, environment=environment)
    assert isinstance(provider, AgentCommand)
    return provider


def ask(provider: AgentCommand, *, schema: dict[str, Any] | None = None) -> Reply:
    request = Request((Message("system", "You are a judge."), Message("user", QUESTION)), schema=schema)
    return asyncio.run(provider.ask(request))


def seen(tmp_path: Path) -> dict[str, Any]:
    """What the command was given."""
    document: dict[str, Any] = json.loads((tmp_path / "bin" / "seen.json").read_text(encoding="utf-8"))
    return document


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("tools", "it offers its model tools although they were turned off: Read"),
        ("leaks", "it read a file outside its folder"),
        ("never asks", "it could not be tested with a model on this machine: it printed nothing"),
        ("no version", "prints no version"),
    ],
)
@pytest.mark.slow
def test_a_command_that_is_not_proven_harmless_is_refused(tmp_path: Path, mode: str, words: str):
    """Tools on offer, a canary file that comes out, a command that cannot be tested: none of them judges."""
    with pytest.raises(InputError, match=words):
        opened(tmp_path, mode)


def test_a_missing_command_is_named_with_the_way_to_install_it(tmp_path: Path):
    """Not a traceback."""
    with pytest.raises(InputError, match=r"claude-code is not installed: .* npm install -g @anthropic-ai/claude-code"):
        open_provider(parse_spec("claude-code"), environment={"PATH": str(tmp_path)})


@pytest.mark.slow
def test_the_identity_records_the_version_and_the_model_the_command_reports(tmp_path: Path):
    """Not the alias the user gave, which means another model next year."""
    provider = opened(tmp_path, spec="claude-code:sonnet")
    assert dict(provider.identity) == {
        "name": "claude-code:sonnet",
        "provider": "claude-code",
        "model": MODEL,
        "version": "9.9.9",
    }
    assert provider.window == 50_000


@pytest.mark.slow
def test_a_command_gets_an_empty_folder_a_minimal_environment_and_the_prompt_on_standard_input(tmp_path: Path):
    """Nothing of the project, no key of anybody else, and nothing of the work among its arguments."""
    ask(opened(tmp_path), schema={"type": "object"})
    given = seen(tmp_path)
    assert given["folder"] == []
    assert given["prompt"] == QUESTION
    assert WORK not in " ".join(given["arguments"])
    assert "SECRET" not in given["environment"]
    assert {"HOME", "PATH"} <= given["environment"].keys()
    assert given["arguments"][given["arguments"].index("--tools") + 1] == ""
    assert "--safe-mode" in given["arguments"]
    assert "--bare" not in given["arguments"]  # it ignores the login of a subscription
    assert given["arguments"][given["arguments"].index("--json-schema") + 1] == '{"type": "object"}'
    assert given["arguments"][given["arguments"].index("--model") + 1] == MODEL


@pytest.mark.slow
def test_a_rejected_reply_is_not_repeated_to_the_command(tmp_path: Path):
    """A repair request goes after the question; the old reply, which may quote the work, stays out."""
    messages = [
        Message("system", "S"),
        Message("user", QUESTION),
        Message("assistant", "bad"),
        Message("user", "again"),
    ]
    asyncio.run(opened(tmp_path).ask(Request(tuple(messages))))
    assert seen(tmp_path)["prompt"] == f"{QUESTION}\n\nagain"


@pytest.mark.slow
def test_costs_are_those_the_command_reports(tmp_path: Path):
    """100 tokens read, 30 from the cache and 7 into it are 137; the dollars are the command's own."""
    provider = opened(tmp_path)
    reply = ask(provider)
    assert (reply.input_tokens, reply.output_tokens) == (137, 20)
    assert (reply.cached_tokens, reply.written_tokens) == (30, 7)
    assert cost(provider, reply) == Decimal("0.0125")
    assert estimate_cost(provider, 1, 1) is None


@pytest.mark.parametrize(("limit", "passed_on"), [("0.40", "0.10"), ("25", "1")])
@pytest.mark.slow
def test_a_limit_on_costs_is_passed_on(tmp_path: Path, limit: str, passed_on: str):
    """At most a dollar per call, and a quarter of what the whole run may cost; that much is reserved."""
    provider = opened(tmp_path)
    provider.limit_cost(Decimal(limit))
    ask(provider)
    arguments = seen(tmp_path)["arguments"]
    assert arguments[arguments.index("--max-budget-usd") + 1] == passed_on
    assert estimate_cost(provider, 1, 1) == Decimal(passed_on)


@pytest.mark.parametrize(
    ("mode", "kind", "words"),
    [
        ("no login", "rejected", "claude-code is not logged in; log in with: claude auth login"),
        ("quota", "limited", "claude-code is out of quota: rate_limit: You've hit your session limit"),
        ("budget", "rejected", "the reply would cost more than it may"),
        ("crashes", "server", "claude-code gave no reply: Segmentation fault"),
        ("garbage", "server", r"claude-code gave no reply: \[31m\{not json"),
        ("late tools", "rejected", "claude-code has tools although they were turned off: Read"),
        ("other model", "rejected", f"used the model claude-other-1, not {MODEL}; its reply is not counted"),
    ],
)
@pytest.mark.slow
def test_faults_in_plain_words(tmp_path: Path, mode: str, kind: str, words: str):
    """What happened and what to do; never a number."""
    provider = opened(tmp_path, mode)
    with pytest.raises(CallFailed, match=words) as failure:
        ask(provider)
    assert failure.value.kind == kind


@pytest.mark.slow
def test_a_refusal_is_marked_as_one(tmp_path: Path):
    """So that the reader gives no score for it."""
    assert ask(opened(tmp_path, "refuses")).finish == "refused"


@pytest.mark.slow
def test_at_the_time_limit_the_whole_process_group_is_killed(tmp_path: Path):
    """The command and the child it started."""
    provider = opened(tmp_path, "hangs", total_timeout=1.0)
    with pytest.raises(CallFailed, match="no reply within 1 seconds; set total_timeout under") as failure:
        ask(provider)
    assert failure.value.kind == "timeout"
    assert_gone(tmp_path)


@pytest.mark.slow
def test_a_cancelled_call_kills_its_command(tmp_path: Path):
    """An interrupted run leaves nothing behind."""

    async def cancel() -> None:
        call = asyncio.create_task(provider.ask(Request((Message("user", QUESTION),))))
        while not (tmp_path / "bin" / "pids").exists():
            await asyncio.sleep(0.02)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    provider = opened(tmp_path, "hangs", total_timeout=30.0)
    asyncio.run(cancel())
    assert_gone(tmp_path)


def assert_gone(tmp_path: Path) -> None:
    """The processes of a command that hung have ended."""
    pids = [int(pid) for pid in (tmp_path / "bin" / "pids").read_text(encoding="utf-8").split()]
    for _ in range(100):
        if not any(map(_runs, pids)):
            return
        time.sleep(0.05)
    raise AssertionError(f"still running: {[pid for pid in pids if _runs(pid)]}")


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"  # an orphan that nobody has waited for yet


def test_codex_gets_a_catalogue_of_one_model_without_tools(tmp_path: Path):
    """Its own options cannot turn all tools off; the entry of its model can."""
    entry = {
        "slug": "big",
        "visibility": "list",
        "priority": 1,
        "shell_type": "unified_exec",
        "tool_mode": "code_mode_only",
    }
    entry |= {"apply_patch_tool_type": "freeform", "context_window": 1000, "effective_context_window_percent": 95}
    listed = json.dumps({"models": [{**entry, "slug": "small", "priority": 2}, entry]})
    codex = Codex("", lambda arguments: Finished(0, listed, ""), {})
    assert (codex.model, codex.window) == ("big", 950)
    codex.invocation(Prompt("You are a judge.", "q"), tmp_path, tmp_path)
    (made,) = json.loads((tmp_path / "models.json").read_text(encoding="utf-8"))["models"]
    assert made["base_instructions"] == "You are a judge."
    assert made["shell_type"] == "disabled"
    assert not {"tool_mode", "apply_patch_tool_type"} & made.keys()
    assert Codex("unlisted", lambda arguments: Finished(0, listed, ""), {}).model == "unlisted"
    with pytest.raises(InputError, match="does not list its models"):
        Codex("", lambda arguments: Finished(1, "error: unrecognized subcommand", ""), {})


@pytest.mark.slow
def test_a_judgement_by_a_command_from_end_to_end(tmp_path: Path, evenhand_command: Callable[..., Ran]):
    """Everything in one call, since each pays for the agent's start; the scorecard shows version, model and cost."""
    fake_claude(tmp_path / "bin")
    (tmp_path / "answer.md").write_text(
        f"{WORK}\n\nIt was run on forty files, and the table below lists each result.\n"
    )
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    options = ("judge", "answer.md", "--store", "none", "--judge", "claude-code", "--format", "json")
    ran = evenhand_command(*options, PATH=path)
    assert ran.code == 0, ran.err
    card = json.loads(ran.out)
    assert card["final"] is not None
    judge = card["panel"]["members"][0]["judge"]
    assert (judge["model"], judge["version"], judge["calls"]) == (MODEL, "9.9.9", "all in one")
    assert judge["temperature"] == "the command's own"
    assert (card["panel"]["calls"]["asked"], card["panel"]["calls"]["cost"]) == (1, 0.0125)


@pytest.mark.slow
def test_auto_says_which_judge_it_chose_and_what_it_costs(tmp_path: Path, evenhand_command: Callable[..., Ran]):
    """On standard error, before anything is asked."""
    fake_claude(tmp_path / "bin")
    (tmp_path / "answer.md").write_text(
        f"{WORK}\n\nIt was run on forty files, and the table below lists each result.\n"
    )
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    ran = evenhand_command("judge", "answer.md", "--store", "none", "--judge", "auto", "--dry-run", PATH=path)
    assert ran.code == 0, ran.err
    assert "auto: the judge is claude-code; one call per submission, covered by your plan" in ran.err
    assert "claude-code: 1 call," in ran.out
    assert not (tmp_path / "bin" / "seen.json").exists()  # no model was asked


def test_auto_takes_the_first_that_is_ready(monkeypatch: pytest.MonkeyPatch):
    """Configured judges that answer, then commands that are logged in, then Ollama."""
    from evenhand.providers.prices import FREE
    from evenhand.providers.provider_status import Standing

    ready: dict[str, Standing] = {}

    async def status(name: str, *_: object) -> Standing:
        return ready.get(name, Standing(name, answers=False, detail="does not answer"))

    monkeypatch.setattr(provider_status, "status_of", status)
    named = {"mine": Configured(base_url="http://a/v1", model="big"), "other": Configured(base_url="http://b/v1")}
    with pytest.raises(InputError) as failure:
        choose(named)
    assert [str(problem).partition(":")[0] for problem in failure.value.problems[1:]] == [
        "mine", "claude-code", "codex", "gemini-cli", "ollama",
    ]  # fmt: skip
    ready["ollama"] = Standing("ollama", answers=True, detail="", models=("llama", "qwen"), price=FREE)
    assert choose(named) == ("ollama:llama", "free")
    ready["codex"] = Standing("codex", answers=True, detail="")
    assert choose(named).spec == "codex"
    ready["mine"] = Standing("mine", answers=True, detail="")
    assert choose(named)[0] == "mine:big"
    assert "its price is not known" in choose(named).cost


@pytest.mark.slow
def test_the_list_of_judges_shows_commands_without_asking_a_model(tmp_path: Path, evenhand_command: Callable[..., Ran]):
    """Installed, logged in, version; by name, tested too."""
    fake_claude(tmp_path / "bin")
    environment = {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path)}
    rows = {
        row["name"]: row for row in json.loads(evenhand_command("judge", "list", "--format", "json", **environment).out)
    }
    assert rows["claude-code"]["answers"] is True
    assert rows["claude-code"]["detail"] == "version 9.9.9, logged in"
    assert rows["codex"]["answers"] is None
    assert "npm install -g @openai/codex" in rows["codex"]["detail"]
    (row,) = json.loads(evenhand_command("judge", "list", "claude-code", "--format", "json", **environment).out)
    assert row["detail"] == f"version 9.9.9, logged in; uses {MODEL}; tested: no tools, cannot read files"
    assert not (tmp_path / "bin" / "seen.json").exists()
