"""The judges of the documentation's examples, behind the fake server: each says what was written down for it.

A judge is asked as the model of its name. Its third sample is a point kinder, so that samples differ. The count of
tokens is an estimate in which every nonce weighs the same.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from fake_server import Asked, Fault, Step, chat
from scripted_judge import Prompt, in_form, quote_of, read_prompt

from evenhand.providers.tokens import estimate_tokens
from evenhand.providers.trial import REQUEST, picture_request

WRITTEN = Path(__file__).parents[1] / "fixtures" / "example_judges.yaml"
_PAIR = re.compile(r"<<<first (\w+)\n(.*?)\nfirst \1>>>.*<<<second \1\n(.*?)\nsecond \1>>>", re.S)
_SENTENCES = re.compile(
    r"Decide about (?:this one statement|each of these statements).*?\n\n((?:- .*\n(?:  .*\n)*)+)", re.S
)
_SENTENCE = re.compile(r"^- ([\w.-]+): (.*)$", re.M)
_NONCE = re.compile(r'"reply_to": "(\w+)"')
READER = "reader"
"""The judge of the release notes in examples/notes: it has a rule in place of a reply for each."""
WAVERING = (0, 0, 1, 0)
"""How far the score of each sample lies from what is written."""


@cache
def judges() -> dict[str, Any]:
    """What each judge says, by its name."""
    said: dict[str, Any] = yaml.safe_load(WRITTEN.read_text(encoding="utf-8"))
    return said


def answer(asked: Asked) -> Step:
    """What the server replies to one question; it knows no model but these."""
    said = judges().get(asked.body["model"], {} if asked.body["model"] == READER else None)
    if said is None:
        return Fault.status(404, f"no model is named {asked.body['model']}")
    if asked.body["messages"][-1]["content"] == REQUEST.messages[-1].content:
        return chat('{"larger": "seven"}', model=asked.body["model"], tokens=(40, 9))
    if picture_request().messages[-1].content in str(asked.body["messages"][-1]["content"]):
        return chat("Red.", model=asked.body["model"], tokens=(125, 2))
    if pair := _PAIR.search(asked.body["messages"][-1]["content"]):
        return chat(json.dumps(_preference(asked.body["model"], *pair.groups())), model=asked.body["model"])
    wavers = WAVERING[asked.body.get("seed", 0) % 4]
    question = "".join(message["content"] for message in asked.body["messages"])
    if listed := _SENTENCES.search(question):
        nonce = _NONCE.findall(question)[-1]
        verdicts = {id: _verdict(said.get("criteria", {}), words, wavers) for id, words in _SENTENCE.findall(listed[1])}
        text = json.dumps({"reply_to": nonce, "criteria": [{"id": id, **said} for id, said in verdicts.items()]})
        counts = [estimate_tokens(each.replace(nonce, "0" * 16)) for each in (question, text)]
        return chat(text, model=asked.body["model"], tokens=(counts[0], counts[1]))
    prompt = read_prompt(asked.body)
    said = _on_a_release_note(prompt.work) if asked.body["model"] == READER else said
    text = json.dumps(_reply(said, prompt, wavers))
    tokens = [estimate_tokens(each.replace(prompt.nonce, "0" * 16)) for each in (question, text)]
    return chat(text, model=asked.body["model"], tokens=(tokens[0], tokens[1]))


def _verdict(said: dict[str, Any], words: str, wavers: int) -> dict[str, Any]:
    """The answer to a criterion, by its words; one that is not written down is not there. A sample may waver."""
    entry = said.get(words, {"answer": "no", "explanation": "Nothing of the kind is there.", "absent": True})
    if wavers and "wavers" in entry:
        entry = entry["wavers"]
    return {
        "quotes": entry.get("quotes", []),
        "explanation": entry["explanation"],
        "absent": entry.get("absent", False),
        "answer": entry["answer"],
    }


def _preference(model: str, nonce: str, first: str, second: str) -> dict[str, Any]:
    """Prefers the work that deletes nothing; between two alike, `third` takes the one it sees first."""
    harmful = ["rm -rf" in work for work in (first, second)]
    if harmful[0] != harmful[1]:
        verdict, says = ("second" if harmful[0] else "first"), "Only one of them deletes nothing, as the task demands."
    elif model == "third":
        verdict, says = "first", "It is a little clearer."
    else:
        verdict, says = "tie", "Both name the cause and the same remedy."
    quotes = [
        next((line for line in work.splitlines() if "rm -rf" in line), quote_of(work)) for work in (first, second)
    ]
    return {
        "reply_to": nonce,
        "first_quotes": quotes[:1],
        "second_quotes": quotes[1:],
        "justification": says,
        "verdict": verdict,
    }


def _on_a_release_note(work: str) -> dict[str, Any]:
    """What `reader` says: a note leads with what breaks, says what to do, and claims nothing that no commit says."""
    note = next(line for line in work.splitlines() if len(line) > 30)
    leads = note.startswith(("**Breaking:**", "Nothing breaks"))
    claims = "10 times" in note

    def says(score: int, justification: str) -> dict[str, Any]:
        return {"score": score, "quotes": [note], "justification": justification}

    return {
        "correctness": says(5, "The figure “10 times” is in no commit.")
        if claims
        else says(9, "Each statement follows from a commit."),
        "completeness": says(9 if leads else 7, "Each commit is covered."),
        "adherence": says(9, "It leads with what breaks, as asked.")
        if leads
        else says(5, "What breaks does not come first."),
        "actionability": says(9, "The reader knows what to do.")
        if leads
        else says(4, "What to do about the change is not said."),
        "efficiency": says(8, "Everything stands in one paragraph; a list would be quicker to scan."),
        "safety": says(9, "Nothing here does harm."),
        "consistency": says(8, "One voice, but breaking changes and news share a paragraph in some releases."),
    }


def _reply(said: dict[str, Any], prompt: Prompt, wavers: int) -> dict[str, Any]:
    scores = {name: _dimension(said[name], wavers) for name in prompt.dimensions}
    return in_form(prompt, scores, {**said.get("red_flags", {}), **said.get("bonuses", {})})


def _dimension(said: dict[str, Any], wavers: int) -> dict[str, Any]:
    score = min(10, max(1, said["score"] + wavers))
    low = score - 1 + score % 2
    return {
        "quotes": said["quotes"],
        "justification": said["justification"],
        "band": f"{low}-{low + 1}",
        "score": score,
    }
