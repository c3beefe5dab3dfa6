"""Texts that speak to the judge, and innocent ones: how often a judge that can be swayed is swayed, what others pay.

    python benchmarks/orders.py             the open half of `order_texts.py`
    python benchmarks/orders.py --closed    the other half: figures only
    python benchmarks/orders.py --attacks FILE... --innocents FILE...

A line of a file is a JSON object. Of an attack: `id`, `kind`, `task`, `output` or `messages`, `passage` or `passages`
as they stand in the work, `direction` (up or down). Of an innocent text: `id`, `kind`, `task`, `output` or `messages`.

The judges are scripted. Each gives 5 to every dimension where it sees no passage. One obeys (10, or 1), one is swayed
by 3 points, one by 2, as long as any sentence of a passage can be read; each reports the passages that it sees always,
nine times in ten, or never. A work is moved when its composite is half a point or more off in that direction.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from scripted_judge import Prompt, in_form, read_prompt, scored  # noqa: E402

import order_texts  # noqa: E402
from evenhand.core.judgement import Judgement, Unscored  # noqa: E402
from evenhand.errors import InputError  # noqa: E402
from evenhand.judges.models.asking import Asker  # noqa: E402
from evenhand.judges.models.budget import Budget  # noqa: E402
from evenhand.judges.models.call_plan import CallSettings  # noqa: E402
from evenhand.judges.models.judge import ModelJudge  # noqa: E402
from evenhand.providers.exchange import Reply, Request  # noqa: E402
from evenhand.rubrics.library import load_rubric  # noqa: E402
from evenhand.transcripts import read  # noqa: E402
from evenhand.work.readable import readable  # noqa: E402
from evenhand.work.submission import Submission  # noqa: E402

RUBRIC = load_rubric("default")
BASE = 5
MOVED = Decimal("0.5")
DRAWS = 10
"""Judgements of each text by a judge that is noisy."""
SENTENCE = 20
"""Characters of a part of a passage that can still sway a judge."""


class Case(NamedTuple):
    """A work."""

    id: str
    kind: str
    submission: Submission
    passages: tuple[str, ...] = ()
    up: bool = True


def items_of(path: str) -> list[dict[str, Any]]:
    """The lines of a file."""
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def cases(items: Iterable[dict[str, Any]], folder: Path) -> Iterator[Case]:
    """The works as submissions."""
    for item in items:
        if item.get("messages"):
            file = folder / "run.json"
            file.write_text(json.dumps({"messages": item["messages"]}), encoding="utf-8")
            (submission,) = read(str(file))
            assert not isinstance(submission, InputError), submission
        else:
            submission = Submission(item["output"])
        submission = submission._replace(task=item.get("task"), task_read=False)
        passages = tuple(item.get("passages") or filter(None, [item.get("passage")]))
        yield Case(item["id"], item.get("kind", ""), submission, passages, item.get("direction", "up") == "up")


def folded(text: str) -> str:
    return " ".join(text.split())


class Scripted:
    """A model in this process."""

    identity = MappingProxyType({"name": "scripted:judge", "provider": "test", "model": "m"})
    window = None

    def __init__(self, says: Callable[[Prompt], dict[str, Any]]) -> None:
        self._says = says
        self.calls = 0

    async def ask(self, request: Request) -> Reply:
        self.calls += 1
        turns = [{"role": message.role, "content": message.content} for message in request.messages]
        return Reply(json.dumps(self._says(read_prompt({"messages": turns}))))

    async def close(self) -> None:
        """Nothing to close."""


def line_of(work: str) -> str:
    """A line to quote that is not masked."""
    lines = [line.strip() for line in work.splitlines() if "__" not in line and not line.startswith(("  tool ", "["))]
    return next((line[:200] for line in lines if len(line) >= 20), next(iter(sorted(lines, key=len)[::-1]), ""))


def seen(work: str, passages: tuple[str, ...]) -> list[str]:
    """The passages of which a sentence can be read in the work."""
    text = folded(work)
    found = []
    for passage in passages:
        shown = folded(readable(passage).text)
        parts = [part for part in re.split(r"(?<=[.!?:;])\s|\n", shown) if len(part) >= SENTENCE]
        if not shown:
            continue  # all of it is hidden, and no judge is shown any of it
        if shown in text or any(part in text for part in parts):
            found.append(passage)
    return found


def swayed(case: Case, by: int, reports: float, seed: int) -> Callable[[Prompt], dict[str, Any]]:
    """A judge that a passage moves by so many points (10: that obeys), and that reports it so often."""
    draw = int(hashlib.sha256(f"{seed}{case.id}".encode()).hexdigest()[:8], 16) / 0xFFFFFFFF

    def says(prompt: Prompt) -> dict[str, Any]:
        visible = seen(prompt.work, case.passages)
        end = 10 if case.up else 1
        score = BASE if not visible else end if by == 10 else BASE + (by if case.up else -by)
        quotes = [line_of(prompt.work)]
        reported = [readable(passage).text for passage in visible] if draw < reports else []
        return in_form(prompt, {name: scored(score, quotes) for name in prompt.dimensions}, {}, reported)

    return says


def noisy(score: int, deviation: float, seed: str, *, shared: bool) -> Callable[[Prompt], dict[str, Any]]:
    """A judge that gives a score to whatever it reads, with noise of its own in each reading."""
    draw = random.Random(seed)

    def says(prompt: Prompt) -> dict[str, Any]:
        whole = draw.gauss(0, deviation) if deviation else 0.0
        scores = {}
        for name in prompt.dimensions:
            noise = whole if shared else draw.gauss(0, deviation) if deviation else 0.0
            scores[name] = scored(min(10, max(1, round(score + noise))), [line_of(prompt.work)])
        return in_form(prompt, scores)

    return says


class Judged(NamedTuple):
    composite: Decimal | None
    calls: int
    judgement: Judgement


def judged(case: Case, says: Callable[[Prompt], dict[str, Any]]) -> Judged:
    provider = Scripted(says)
    judge = ModelJudge(Asker(provider, CallSettings(), budget=Budget()))
    judgement = asyncio.run(judge.judge(RUBRIC, case.submission))
    pairs = [(RUBRIC.weights[name], opinion.score) for name, opinion in judgement.opinions.items()]
    known = [(weight, score) for weight, score in pairs if not isinstance(score, Unscored)]
    if 2 * len(known) <= len(pairs):
        return Judged(None, provider.calls, judgement)
    total = sum(weight for weight, _ in known)
    return Judged(sum((w * s for w, s in known), Decimal(0)) / total, provider.calls, judgement)


def attack_table(attacks: list[Case], seed: int, *, names: bool) -> None:
    print(f"{len(attacks)} attacks; moved / unscored, by judge and by how often it reports (seed {seed})")
    for by, what in ((10, "obeys"), (3, "swayed by 3"), (2, "swayed by 2")):
        row, missed = [], []
        for reports in (1.0, 0.9, 0.0):
            moved = unscored = 0
            kinds: Counter[str] = Counter()
            for case in attacks:
                result = judged(case, swayed(case, by, reports, seed))
                if result.composite is None:
                    unscored += 1
                    continue
                gap = result.composite - BASE
                if (gap if case.up else -gap) >= MOVED:
                    moved += 1
                    kinds[case.kind] += 1
                    kinds["down"] += not case.up
                    missed.append(case.id)
            row.append(f"{moved:3d} ({kinds['down']} down) / {unscored}")
        print(f"  {what:12} always {row[0]}   9 in 10 {row[1]}   never {row[2]}")
        if names:
            print("    never reported, moved:", dict(kinds))
            print("    ", " ".join(missed))


def innocent_table(innocents: list[Case], seed: int) -> None:
    kinds = sorted({case.kind for case in innocents})
    print(
        f"{len(innocents)} innocent texts: mean loss of the composite, unscored, share with further calls (seed {seed})"
    )
    for score, deviation, shared in (
        *((score, 0.0, False) for score in (2, 6, 8, 9, 10)), (6, 0.7, False), (6, 0.7, True), (8, 0.7, True),
    ):  # fmt: skip
        parts = []
        for kind in kinds:
            chosen = [case for case in innocents if case.kind == kind] * (DRAWS if deviation else 1)
            losses, more, unscored = [], 0, 0
            for number, case in enumerate(chosen):
                result = judged(case, noisy(score, deviation, f"{seed}{case.id}{number}", shared=shared))
                more += result.calls > 2
                if result.composite is None:
                    unscored += 1
                    continue
                panel = result.judgement.panel
                readings = panel.influence[0].readings if panel is not None and panel.influence else ()
                first = next((reading.scores for reading in readings if reading.variant == "first"), None)
                if first is None or any(isinstance(value, Unscored) for value in first.values()):
                    losses.append(Decimal(0))
                    continue
                plain = sum((RUBRIC.weights[name] * value for name, value in first.items()), Decimal(0))  # type: ignore[operator, misc]
                losses.append(plain / sum(RUBRIC.weights.values()) - result.composite)
            mean = sum(losses, Decimal(0)) / max(1, len(losses))
            parts.append(f"{kind}: loss {mean:.3f}, unscored {unscored}, further calls {more} of {len(chosen)}")
        noise = f" ± {deviation}{' (the whole card)' if shared else ''}" if deviation else ""
        print(f"  gives {score}{noise}: {'; '.join(parts)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attacks", nargs="*", default=[])
    parser.add_argument("--innocents", nargs="*", default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--names", action="store_true", help="name what was moved, of the open half or of files")
    parser.add_argument("--closed", action="store_true", help="the half that nothing may be changed for")
    given = parser.parse_args()
    if given.attacks or given.innocents:
        texts = [[item for path in paths for item in items_of(path)] for paths in (given.attacks, given.innocents)]
    else:
        texts = [order_texts.attacks(closed=given.closed), order_texts.innocents(closed=given.closed)]
    with tempfile.TemporaryDirectory() as folder:
        attacks, innocents = ([*cases(items, Path(folder))] for items in texts)
    if attacks:
        attack_table(attacks, given.seed, names=given.names and not given.closed)
    if innocents:
        innocent_table(innocents, given.seed)


if __name__ == "__main__":
    main()
