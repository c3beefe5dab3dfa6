"""Several judges: medians, quorum, votes on claims, agreement shown, samples, and what verifies and rescores them.

The judges are models on a server in this process that say what each case tells them to. Of how they are asked nothing
is stated here: hashes and ports are left out of the golden files.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from fake_server import Asked, FakeServer, Step, chat
from scripted_judge import in_form, read_prompt, scored

from contract.core.test_pages import HERE
from contract.doors import run_here
from contract.goldens import compare
from contract.pages import as_shown, fits_its_schema, steady
from evenhand import DIMENSIONS

ASKING = ("judge ",)
"""The commands that ask models."""

_ASKED = re.compile(r"Decide about (?:this one statement|each of these statements).*?\n\n((?:- .*\n)+)", re.S)
_NONCE = re.compile(r'"reply_to": "(\w+)"')
PANELS = yaml.safe_load((HERE / "panels.yaml").read_text(encoding="utf-8"))
QUOTE = "The cache kept entries for an hour"
_HASH = re.compile(
    r"\b[0-9a-f]{64}\b|\b[0-9a-f]{24}\b|\b[0-9a-f]{16}\b|(?<=\")[0-9a-f]{8}(?=\")|(?<=sha256 )[0-9a-f]{12}\b"
)


def says(judge: Mapping[str, Any], asked: Asked) -> Step:
    """The reply of one judge, as its case describes it: scores by dimension, or by sample; claims with their quotes."""
    text = asked.body["messages"][1]["content"]
    listed = _ASKED.search(text if isinstance(text, str) else "")
    sample = asked.body.get("seed") or 0
    if listed is not None:
        return answers(judge, re.findall(r"^- ([\w-]+): (.*)$", listed[1], re.M), asked, sample)
    prompt = read_prompt(asked.body)
    if prompt.flags and judge.get("abstains"):
        return chat(None, refusal="I would rather not say.")
    given = dict(zip(DIMENSIONS, judge["scores"], strict=True))
    entries = {}
    for name in prompt.dimensions:
        score = given[name]
        score = score[sample % len(score)] if isinstance(score, list) else score
        if score is not None:
            quotes = [judge.get("quote", QUOTE)]
            entries[name] = scored(score, quotes, says=f"{asked.body['model']} says {score} of {name}.")
    raised = {**judge.get("red_flags", {}), **judge.get("bonuses", {})}
    claims = {id: {"quotes": [quote], "explanation": f"Of {id}."} for id, quote in raised.items()}
    reply = in_form(prompt._replace(dimensions=tuple(entries)), entries, claims)
    if prompt.flags:
        reply["unlisted"] = [{"description": text, "quotes": [QUOTE]} for text in judge.get("unlisted", ())]
    if prompt.dimensions:
        reply.setdefault("scores", [])
    return chat(json.dumps(reply))


def answers(judge: Mapping[str, Any], listed: list[tuple[str, str]], asked: Asked, sample: int) -> Step:
    """The reply to criteria and sentences: an answer by id or sentence, `yes` with a quote, anything else without."""
    entries = {}
    for id, sentence in listed:
        given = judge["answers"].get(id, judge["answers"].get(sentence, "yes"))
        answer = given[sample % len(given)] if isinstance(given, list) else given
        quotes = [judge.get("quote", QUOTE)] if answer in ("yes", "partly") else []
        said = f"{asked.body['model']} says {answer}."
        entries[id] = {"quotes": quotes, "explanation": said, "absent": not quotes, "answer": answer}
    nonce = _NONCE.findall(asked.body["messages"][-1]["content"])[-1]
    alone = entries[listed[0][0]] if len(listed) == 1 else {"criteria": entries}
    return chat(json.dumps({"reply_to": nonce, **alone}))


@pytest.mark.parametrize("name", PANELS)
def test_a_panel(name: str, tmp_path: Path, fake_server: FakeServer):
    """One output before one panel: its scorecard in every form, verified, and scored again under another rubric."""
    case = PANELS[name]
    for shared in (HERE / "shared").iterdir():
        shutil.copy(shared, tmp_path)
    fake_server.answer = lambda asked: says(case["judges"][asked.body["model"]], asked)
    run = partial(run_here, cwd=tmp_path, environment={"OPENAI_API_KEY": "a-key-for-tests-only"})
    judges = [part for judge in case["panel"] for part in ("--judge", f"openai:{judge}")]
    options = shlex.split(case.get("options", ""))
    for file, content in case.get("files", {}).items():
        (tmp_path / file).write_text(content if isinstance(content, str) else json.dumps(content))
    judged = case.get("output", "output.md")
    rubric = case.get("rubric", "small.md")
    first = ("judge", judged, *judges, "--base-url", fake_server.url, "--rubric", rubric, *options)
    shown = []
    ran = run(*first, "--store", "kept.db", "--format", "json", "--set", "report.audit=true")
    fits_its_schema(ran.out)
    (tmp_path / "card.json").write_text(ran.out)
    shown.append(as_shown("judge --format json", ran, hidden=False))
    for line in (
        f"{shlex.join(first)} --store kept.db",
        f"{shlex.join(first)} --store kept.db --format markdown --set report.audit=true",
        f"show --verify card.json --rubric {rubric} --judged {judged}",
        f"score card.json --rubric {case.get('then', 'strict.md')} --set score.judged_with={rubric} "
        "--store none --audit",
        f"score card.json --rubric {case.get('then', 'strict.md')} --store none --format json",
        *(f"{line} --base-url {fake_server.url}" if line.startswith(ASKING) else line for line in case.get("run", ())),
    ):
        words = shlex.split(line)
        kept = words.index(">") if ">" in words else None
        ran = run(*words if kept is None else words[:kept] + words[kept + 2 :])
        if kept is not None:
            (tmp_path / words[kept + 1]).write_text(ran.out)
        fits_its_schema(ran.out)
        shown.append(as_shown(line.partition(" --base-url")[0], ran, hidden=kept is not None))
    # The hashes first: the digits of the port may stand in one.
    text = _HASH.sub("<hash>", steady("\n".join(shown), tmp_path)).replace(f":{fake_server.port}", ":<port>")
    compare(HERE / "golden" / f"panel-{name}.txt", text)
