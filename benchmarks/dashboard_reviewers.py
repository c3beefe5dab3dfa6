"""Reviewers at a dashboard: each drafts and decides items of the same rounds, noting what the server acknowledged."""

from __future__ import annotations

import http.client
import json
import random
import re
import time
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlencode, urlsplit

from dashboard_readers import CONNECTION_SECONDS, Answered
from evenhand import DIMENSIONS
from evenhand.store.protocol import Store

ITEMS = 20
"""Items of a round."""

SILENT_SECONDS = 30

Fields = dict[str, str]


class Acknowledged(NamedTuple):
    """What the server last said it had of somebody's work on an item."""

    version: int
    """Of the draft."""
    fields: Fields
    decided: bool


class Reviewer:
    """A person with a token who reviews one item after another."""

    def __init__(self, port: int, name: str, token: str, skill: str) -> None:
        self.name = name
        self.answers: list[Answered] = []
        self.work: dict[tuple[str, int], Acknowledged] = {}
        """By round and item."""
        self._skill = skill
        self._answered = 0.0
        self._chance = random.Random(name)
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=CONNECTION_SECONDS)
        self._headers = {"Origin": f"http://127.0.0.1:{port}"}
        signed_in = self._request("sign in", "POST", "/sign-in", {"token": token}, expect=303)
        self._headers["Cookie"] = signed_in.headers["Set-Cookie"].partition(";")[0]
        shown = self._request("open /reviews", "GET", "/reviews", expect=200)
        self._headers["X-Form-Token"] = _found(r'name="form_token" value="(\w+)"', shown.text)

    def review_until(self, end: float, *, first_round: int = 1) -> list[Answered]:
        """Review whole rounds until a moment; the item under work is then left as a draft."""
        number = first_round
        while time.monotonic() < end:
            round = self.start_round(str(number))
            for place in range(1, ITEMS + 1):
                if time.monotonic() >= end:
                    break
                self.review(round, place, decide=place % 5 > 0, pause=0.4)
            number += 1
        return self.answers

    def start_round(self, seed: str) -> str:
        """The round with this seed: whoever comes first starts it, the others join."""
        form = {"method": "sample", "size": str(ITEMS), "skill": self._skill, "seed": seed}
        started = self._request("start round", "POST", "/reviews", form, expect=303)
        return parse_qs(urlsplit(started.headers["Location"]).query)["id"][0]

    def review(self, round: str, place: int, *, decide: bool, pause: float = 0.0) -> None:
        """Draft an item in steps, now and then from a tab that is out of date, and decide it."""
        address = f"/review?{urlencode({'round': round, 'item': place})}"
        shown = self._request("open item", "GET", address, expect=200)
        version = int(_found(r'name="version" value="(\d+)"', shown.text))
        fields: Fields = {}
        for name in DIMENSIONS:
            fields |= {f"score.{name}": str(self._chance.randint(1, 10)), f"why.{name}": f"{self.name}, {place}"}
            if self._chance.random() < 0.3:
                version = self._save(address, version, fields)
                self._note(round, place, Acknowledged(version, dict(fields), decided=False))
                time.sleep(self._chance.uniform(0, pause))
        if version and self._chance.random() < 0.3:
            sent = {"score.safety": "1", "version": str(version - 1)}
            self._request("save late", "POST", address, sent, expect=409, accept="application/json")
        if not decide:
            return
        self._request("decide", "POST", address, {**fields, "version": str(version), "do": "decide"}, expect=303)
        self._note(round, place, Acknowledged(version, dict(fields), decided=True))
        self._request("open decided", "GET", address, expect=200)
        time.sleep(self._chance.uniform(0, pause))

    def _save(self, address: str, version: int, fields: Fields) -> int:
        sent = {**fields, "version": str(version)}
        saved = self._request("save draft", "POST", address, sent, expect=200, accept="application/json")
        return int(json.loads(saved.text)["version"])

    def _note(self, round: str, place: int, state: Acknowledged) -> None:
        self.work[round, place] = state

    def _request(
        self, what: str, method: str, path: str, form: Fields | None = None, *, expect: int, accept: str = "text/html"
    ) -> _Answer:
        headers = {**self._headers, "Accept": accept}
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        begun = time.monotonic()
        if begun > self._answered + SILENT_SECONDS:  # the server closes a connection that is silent for longer
            self._connection.close()
        try:
            self._connection.request(method, path, None if form is None else urlencode(form), headers)
            response = self._connection.getresponse()
            answer = _Answer(response.status, response.headers, response.read().decode())
            self._answered = time.monotonic()
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            self.answers.append(Answered(what, time.monotonic() - begun, type(error).__name__))
            raise
        problem = "" if answer.status == expect else f"{answer.status} for {expect}"
        self.answers.append(Answered(what, time.monotonic() - begun, problem))
        if problem:
            raise RuntimeError(f"{self.name}: {what} gave {problem}: {answer.text[:300]}")
        return answer


class _Answer(NamedTuple):
    status: int
    headers: Any
    text: str


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    if match is None:
        raise RuntimeError(f"the page has no {pattern}")
    return match[1]


class Kept(NamedTuple):
    """What the store holds of the reviewers' work."""

    decisions: int
    drafts: int
    missing: list[str]
    """What was acknowledged, but is absent or different; and what is there, but was never acknowledged."""


def kept_of(store: Store, reviewers: list[Reviewer]) -> Kept:
    """Compare everything that the server acknowledged with the store."""
    decisions = drafts = 0
    missing: list[str] = []
    for reviewer in reviewers:
        for (round, place), state in reviewer.work.items():
            name = f"{round} item {place} by {reviewer.name}"
            decision = next((row for row in store.decisions(round, place) if row.person == reviewer.name), None)
            if state.decided != (decision is not None):
                missing.append(f"{name}: {'the decision is gone' if state.decided else 'nobody decided this'}")
            elif decision is not None:
                decisions += 1
                record = store.get(decision.evaluation)
                wanted = tuple(100 * int(state.fields[f"score.{dimension}"]) for dimension in DIMENSIONS)
                if record is None or record.scores != wanted:
                    missing.append(f"{name}: the scores are not those that were sent")
            else:
                drafts += 1
                draft = store.review_draft(round, place, reviewer.name)
                if (draft.version, json.loads(draft.content)) != (state.version, state.fields):
                    missing.append(f"{name}: the draft is not the one that was saved last")
    rounds = {round for reviewer in reviewers for round, _ in reviewer.work}
    stored = sum(len(store.decisions(round, place)) for round in rounds for place in range(1, ITEMS + 1))
    logged = sum(entry.action == "reviewed" for _, entry in store.log_entries(limit=1_000_000))
    if not decisions == stored == logged:
        missing.append(f"{decisions} decisions were acknowledged, {stored} are kept, {logged} are in the log")
    return Kept(decisions, drafts, missing)
