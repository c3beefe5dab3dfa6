"""Readers, reviewers and new evaluations at once against the dashboard: errors, waiting times, and what was kept.

python benchmarks/dashboard_load.py [--readers 50] [--reviewers 5] [--seconds 60] [--evaluations 1000] [--store URL]

Without --store, a PostgreSQL server is started in a temporary folder and thrown away afterwards. Waiting times are
multiples of the median of a single reader, or a single reviewer, on the idle server. Afterwards every draft and
decision that the server acknowledged is looked up in the store, and so is every evaluation that was added meanwhile.
The exit code is 1 if a request failed or something is missing.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

from dashboard import peak_memory, served

from dashboard_readers import Answered, Reader, read_alone, read_until, together
from dashboard_reviewers import Kept, Reviewer, kept_of
from evenhand import open_store, score
from judgement_files import typical
from measuring import PROJECT, table, verdict

sys.path.insert(0, str(PROJECT / "tests" / "support"))

ALONE = 5
"""How often a page is opened, and how many items are reviewed, on the idle server."""

REVIEWED, ADDED = "reviewed-skill", "added-skill"
PAGES = ("/", "/evaluations", "/ranking", "/judges", "/rubrics", "/findings", "/suites", "/log", "/compare")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readers", type=int, default=50, help="people who open pages")
    parser.add_argument("--reviewers", type=int, default=5, help="people who draft and decide, at most 5")
    parser.add_argument("--seconds", type=float, default=60, help="for how long")
    parser.add_argument("--evaluations", type=int, default=1000, help="evaluations in the store at the beginning")
    parser.add_argument("--store", help="an empty PostgreSQL database to use")
    options = parser.parse_args()
    with _database(options.store) as url, tempfile.TemporaryDirectory() as folder:
        _fill(url, options.evaluations)
        names = [f"reviewer-{number + 1}" for number in range(options.reviewers)]
        tokens = {name: f"token-of-{name}-0123456789abcdef" for name in ("reader", *names)}
        token_file = Path(folder, "tokens")
        token_file.write_text("".join(f"{name} {token}\n" for name, token in tokens.items()))
        with served(url, "--token-file", str(token_file)) as (port, process):
            reviewers = [Reviewer(port, name, tokens[name], REVIEWED) for name in names]
            alone = _alone(port, tokens["reader"], reviewers)
            loaded, added = _together(url, port, tokens["reader"], reviewers, options.readers, options.seconds)
            peak = peak_memory(process.pid)
        store = open_store(url)
        kept = kept_of(store, reviewers)
        lost = set(added) - store.present(added, [])
        store.close()
    _print(options, alone, loaded, peak)
    return _print_kept(kept, added, lost, [answer for answer in loaded if answer.problem])


@contextmanager
def _database(url: str | None) -> Iterator[str]:
    """The given database, or one of a server started for this run."""
    if url is not None:
        yield url
        return
    from postgresql_server import PostgresqlServer, find_binaries

    binaries = find_binaries()
    if binaries is None:
        sys.exit("no PostgreSQL server is installed here; install one, or name a database with --store")
    server = PostgresqlServer(binaries)
    try:
        server.make()
        yield server.url()
    finally:
        server.throw_away()


def _fill(url: str, count: int) -> None:
    """Evaluations with their texts: half of them of the skill that is reviewed, the others of 20 skills."""
    store = open_store(url)
    store.migrate()
    chance = random.Random(1)
    for place in range(count):
        skill = REVIEWED if place % 2 else f"skill-{place % 40:02d}"
        judgement = {**typical(chance, place), "skill": skill, "judge": "model:made-up"}
        score(judgement, output=f"Output {place}.\nThe loop never ends.\n", store=store)
    store.close()


def _pages() -> list[str]:
    skills = (REVIEWED, "skill-00", "skill-02")
    compared = {"a_skill": skills[1], "b_skill": skills[2]}
    return [
        *PAGES,
        *(f"/skill?{urlencode({'name': name})}" for name in skills),
        *(f"/evaluation?{urlencode({'id': f'run-{place}'})}" for place in (0, 1, 2)),
        f"/compare?{urlencode(compared)}",
        "/search?q=loop",
    ]


def _alone(port: int, token: str, reviewers: Sequence[Reviewer]) -> list[Answered]:
    """What a reader and a reviewer get from an idle server."""
    answers = read_alone(port, token, _pages(), ALONE)
    if reviewers:
        first = reviewers[0]
        round = first.start_round("alone")
        for place in range(1, ALONE + 1):
            first.review(round, place, decide=True)
        answers += first.answers
        for reviewer in reviewers:
            reviewer.answers.clear()
    return answers


def _together(
    url: str, port: int, token: str, reviewers: Sequence[Reviewer], readers: int, seconds: float
) -> tuple[list[Answered], list[str]]:
    """Everyone at once, while evaluations are added; the answers, and the ids that were added."""
    end = time.monotonic() + seconds
    added: list[str] = []
    writer = threading.Thread(target=_add_until, args=(end, url, added))
    writer.start()
    reading = [partial(read_until, end, seed, Reader(port, token), _pages()) for seed in range(readers)]
    answers = together([*reading, *(partial(reviewer.review_until, end) for reviewer in reviewers)])
    writer.join()
    return answers, added


def _add_until(end: float, url: str, added: list[str]) -> None:
    """What other commands do meanwhile."""
    store = open_store(url)
    chance = random.Random(2)
    while time.monotonic() < end:
        judgement = {**typical(chance, len(added)), "skill": ADDED, "id": f"added-{len(added)}"}
        added.append(score(judgement, output=f"Added {len(added)}.", store=store).id)
        time.sleep(0.3)
    store.close()


def _print(options: argparse.Namespace, alone: Sequence[Answered], loaded: Sequence[Answered], peak: int) -> None:
    print(f"{options.readers} readers and {options.reviewers} reviewers at once for {options.seconds:.0f} s\n")
    idle = {what: median(times) for what, times in _by_what(alone).items()}
    rows = []
    for what, times in _by_what(loaded).items():
        errors = sum(bool(answer.problem) for answer in loaded if answer.what == what)
        base = idle.get(what)
        shares = (_at(times, share) for share in (0.5, 0.95, 0.99, 1.0))
        cells = ("-",) * 4 if base is None else tuple(f"{seconds / base:.1f}" for seconds in shares)
        rows.append((what, f"{len(times):,}", f"{errors}", "-" if base is None else f"{base * 1000:.1f} ms", *cells))
    every = sorted(answer.seconds for answer in loaded)
    all_errors = sum(bool(answer.problem) for answer in loaded)
    rows.append(("all", f"{len(every):,}", f"{all_errors}", "", "", "", "", ""))
    print(table(("what", "requests", "errors", "alone", "median", "95 %", "99 %", "longest"), rows))
    print(f"\n{len(every) / options.seconds:.0f} requests a second, peak memory {peak / 1024:.0f} MiB")


def _by_what(answers: Sequence[Answered]) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {}
    for answer in answers:
        times.setdefault(answer.what, []).append(answer.seconds)
    return {what: sorted(times[what]) for what in sorted(times)}


def _at(ordered: Sequence[float], share: float) -> float:
    """The value within which this share of them lies."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def _print_kept(kept: Kept, added: Sequence[str], lost: set[str], failed: Sequence[Answered]) -> int:
    missing = [*kept.missing, *(f"{id}: the evaluation is gone" for id in sorted(lost))]
    print(f"kept: {kept.decisions} decisions, {kept.drafts} drafts, {len(added) - len(lost)} added evaluations")
    print(f"errors: {len(failed)}; missing: {len(missing)}; {verdict(not failed and not missing)}")
    for line in [*missing, *(f"{answer.what}: {answer.problem}" for answer in failed)][:20]:
        print(f"  {line}")
    return 1 if failed or missing else 0


if __name__ == "__main__":
    sys.exit(main())
