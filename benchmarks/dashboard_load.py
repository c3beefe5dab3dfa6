"""Readers, reviewers and new evaluations at once against the dashboard: errors, waiting times, and what was kept.

python benchmarks/dashboard_load.py [--readers 50] [--reviewers 5] [--seconds 60] [--evaluations 1000]
                                    [--half-open 1100] [--store URL]

Without --store, a PostgreSQL server is started in a temporary folder and thrown away afterwards. Half-open connections
have sent a part of a request and are silent; one that the server closes is opened again. Waiting times are
multiples of the median of a single reader, or a single reviewer, on the idle server. Afterwards every draft and
decision that the server acknowledged is looked up in the store, and so is every evaluation that was added meanwhile.
The exit code is 1 if a request failed or something is missing.
"""

from __future__ import annotations

import argparse
import random
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

from dashboard import PATTERNS, peak_memory, served

from dashboard_readers import Answered, Reader, read_alone, read_until, together
from dashboard_reviewers import Kept, Reviewer, kept_of
from evenhand import Submission, clock, open_store, score
from evenhand.core.receipt import quoted
from evenhand.judges.written import judgement_from
from evenhand.judging.steps import Steps
from evenhand.store.record import Record, record_of
from evenhand.work.submission import submission_sha256
from judgement_files import typical
from measuring import PROJECT, table, verdict

sys.path.insert(0, str(PROJECT / "tests" / "support"))

ALONE = 5
"""How often a page is opened, and how many items are reviewed, on the idle server."""

TO_REVIEW = 2_000
"""Evaluations of the skill that is reviewed, at most."""

LARGE = "large-skill"
REVIEWED, ADDED = "reviewed-skill", "added-skill"
PAGES = ("/", "/evaluations", "/judges", "/rubrics", "/suites", "/log")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readers", type=int, default=50, help="people who open pages")
    parser.add_argument("--reviewers", type=int, default=5, help="people who draft and decide, at most 5")
    parser.add_argument("--seconds", type=float, default=60, help="for how long")
    parser.add_argument("--evaluations", type=int, default=1000, help="evaluations in the store at the beginning")
    parser.add_argument("--half-open", type=int, default=0, help="connections that have sent half of a request")
    parser.add_argument("--store", help="a PostgreSQL database to use; it is filled if it has no evaluations")
    options = parser.parse_args()
    with _database(options.store) as url, tempfile.TemporaryDirectory() as folder:
        _fill(url, options.evaluations)
        names = [f"reviewer-{number + 1}" for number in range(options.reviewers)]
        tokens = {name: f"token-of-{name}-0123456789abcdef" for name in ("reader", *names)}
        token_file = Path(folder, "tokens")
        token_file.touch(mode=0o600)
        token_file.write_text("".join(f"{name} {token}\n" for name, token in tokens.items()))
        with served(url, "--token-file", str(token_file)) as (port, process):
            reviewers = [Reviewer(port, name, tokens[name], REVIEWED) for name in names]
            alone = _alone(port, tokens["reader"], reviewers)
            with _half_open(port, options.half_open) as opened:
                loaded, added = _together(url, port, tokens["reader"], reviewers, options.readers, options.seconds)
            peak = peak_memory(process.pid)
        store = open_store(url)
        kept = kept_of(store, reviewers)
        lost = set(added) - store.present(added, [])
        store.close()
    _print(options, alone, loaded, peak)
    if options.half_open:
        print(
            f"{options.half_open:,} connections half open throughout; {sum(opened) - options.half_open:,} opened again"
        )
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
    """Evaluations with their texts: half of them of one skill, the first thousands of the one that is reviewed.

    Starting a round reads every evaluation that could be chosen. The others are of 20 skills.
    """
    store = open_store(url)
    store.create()
    if store.newest() is None:
        import psycopg

        chance, steps = random.Random(1), Steps()
        patterns = [_pattern(steps, chance, place) for place in range(min(count, PATTERNS))]
        for start in range(0, count, 5_000):
            with store.transaction():
                some = range(start, min(count, start + 5_000))
                store.add_all([_row(patterns, place, count) for place in some])
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")  # as a server does by itself, unless it is one of the tests
    store.close()


def _pattern(steps: Steps, chance: random.Random, place: int) -> Record:
    judgement = judgement_from({**typical(chance, place), "id": "run", "judge": "model:made-up"})
    evaluated = steps.evaluate_written(judgement, output=_output(place))
    return record_of(evaluated.card, completed=0, submission=evaluated.submission, keep_text=True)


def _output(place: int) -> str:
    return f"Output {place}.\nThe loop never ends.\n"


def _row(patterns: Sequence[Record], place: int, count: int) -> Record:
    """An evaluation like one of the patterns, of an output and a skill of its own; one every 30 seconds until now."""
    number = place % len(patterns)
    pattern = patterns[number]
    large = REVIEWED if place < 2 * TO_REVIEW else LARGE
    skill = large if place % 2 else f"skill-{place % 40:02d}"
    before, after = (submission_sha256(Submission(output=_output(one))) for one in (number, place))
    card = pattern.scorecard.replace(before, after).replace('"id":"run","case":"run"', f'"id":"run-{place}"', 1)
    assert pattern.submission is not None
    return pattern._replace(
        id=f"run-{place}",
        skill=skill,
        completed=clock.microseconds(clock.now()) - (count - place) * 30_000_000,
        fingerprint=None,
        scorecard=card.replace(f'"skill":{quoted(pattern.skill)}', f'"skill":{quoted(skill)}', 1),
        submission=pattern.submission.replace(_written(number), _written(place)),
    )


def _written(place: int) -> str:
    return f"Output {place}."


@contextmanager
def _half_open(port: int, count: int) -> Iterator[list[int]]:
    """So many connections that have sent half of a request; those that the server closes are opened again."""
    opened = [0]
    done = threading.Event()
    held: list[socket.socket] = []

    def hold() -> None:
        while not done.is_set():
            for one in list(held):
                one.setblocking(False)
                with suppress(BlockingIOError):
                    try:
                        gone = not one.recv(1)
                    except ConnectionError:
                        gone = True
                    if gone:
                        held.remove(one)
                        one.close()
            while len(held) < count and not done.is_set():
                one = socket.create_connection(("127.0.0.1", port), timeout=30)
                one.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1")
                held.append(one)
                opened[0] += 1
            done.wait(0.5)

    holder = threading.Thread(target=hold)
    holder.start()
    try:
        while opened[0] < count and holder.is_alive():
            time.sleep(0.1)
        yield opened
    finally:
        done.set()
        holder.join()
        for one in held:
            one.close()


def _pages() -> list[str]:
    skills = (REVIEWED, "skill-00", "skill-02")
    compared = {"id": "run-1", "against": "run-0"}
    return [
        *PAGES,
        *(f"/skill?{urlencode({'name': name})}" for name in skills),
        *(f"/evaluation?{urlencode({'id': f'run-{place}'})}" for place in (0, 1, 2)),
        f"/evaluation?{urlencode(compared)}",
        "/evaluations?q=loop",
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
