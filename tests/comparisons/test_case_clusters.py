"""Cases that belong together: how they are named in `compare` and in suites, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import seven

import evenhand

REPOSITORIES = 4


def written(name: str, score: float, **fields: object) -> None:
    """Twelve judgements, three of each of four repositories."""
    lines = [
        {"id": f"case-{n}", "skill": "fix", "scores": seven(score)}
        | {key: str(value).format(n=n, r=n % REPOSITORIES) for key, value in fields.items()}
        for n in range(12)
    ]
    Path(name).write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.fixture
def compared(tmp_path, monkeypatch, evenhand_command):
    monkeypatch.chdir(tmp_path)
    written("a.jsonl", 6, task="Fix {n}")
    written("b.jsonl", 7, task="Fix {n}")
    Path("cases.csv").write_text("id,repository\n" + "".join(f"case-{n},r{n % REPOSITORIES}\n" for n in range(12)))
    return lambda cluster, *options: evenhand_command(
        "better", "a.jsonl", "b.jsonl", "--store", "none", "--cluster", cluster, *options
    )


@pytest.mark.parametrize(
    ("cluster", "says"),
    [
        ("repository", 'unknown cluster "repository"; valid: task, skill, folder'),
        ("cases.csv:repo", 'cases.csv: unknown column "repo"; valid: id, repository'),
        ("folder", "a.jsonl:1: it names no judged file, so it has no cluster"),
        ("none.csv:repository", "none.csv"),
        ("short.csv:repository", 'short.csv has no row with the id "case-1"'),
        ("twice.csv:repository", 'twice.csv:3: has the case "case-0" again, in another cluster'),
        ("empty.csv:repository", "empty.csv:2: has no repository"),
    ],
)
def test_a_choice_without_clusters_is_refused(compared, cluster: str, says: str):
    Path("short.csv").write_text("id,repository\ncase-0,r0\n")
    Path("twice.csv").write_text("id,repository\ncase-0,r0\ncase-0,r1\n")
    Path("empty.csv").write_text("id,repository\ncase-0,\n")
    shown = compared(cluster)
    assert (shown.code, shown.out) == (2, "")
    assert says in shown.err


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """Eight cases of two documents, answered wrongly by one variant and rightly by the other."""
    monkeypatch.chdir(tmp_path)
    for variant, words in (("before", "no"), ("after", "yes")):
        Path(variant).mkdir()
        for n in range(8):
            Path(variant, f"c{n}.md").write_text(words)

    def write(column: str) -> None:
        rows = "".join(f'c{n},Was it paid?,document-{n % 2},"[{{""answer"": ""yes""}}]"\n' for n in range(8))
        Path("cases.csv").write_text(f"id,prompt,{column},expect\n{rows}")
        variants = '{before: {recorded: "before/{case}.md"}, after: {recorded: "after/{case}.md"}}'
        listed = "cases.csv" if column == "cluster" else "[" + ", ".join(_case(n) for n in range(8)) + "]"
        Path("suite.yaml").write_text(f"suite: s\ncases: {listed}\nvariants: {variants}\n")

    return write


def _case(n: int) -> str:
    return f'{{id: c{n}, prompt: "Was it paid?", cluster: own-{n % 4}, expect: [{{answer: "yes"}}]}}'


@pytest.mark.slow
def test_a_suite_compares_cases_of_a_cluster_as_one(suite, evenhand_command):
    """Eight cases of two documents: the column `cluster` of a CSV file, kept with the results."""
    suite("cluster")
    shown = evenhand_command("run", "suite.yaml", "--format", "json", "--set", "gate.undecided=ok")
    (contrast,) = json.loads(shown.out)["contrasts"]
    assert (contrast["cases"], contrast["units"], contrast["unit"]) == (8, 2, "cluster")
    assert (contrast["better"], contrast["verdict"]) == (2, "undecided")
    shown = evenhand_command("run", "show", "latest", "--full", "--set", "gate.undecided=ok")
    assert "8 cases of 2 clusters" in " ".join(shown.out.split())
    checked = evenhand_command("run", "check", "suite.yaml", "--format", "json")
    assert json.loads(checked.out)["cases"][3]["cluster"] == "document-1"


def clusters(shown) -> tuple[int, int | None]:
    """How many cases a run compared, and how many clusters."""
    (contrast,) = json.loads(shown.out)["contrasts"]
    return contrast["cases"], contrast["units"] if contrast["unit"] == "cluster" else None


@pytest.mark.slow
def test_run_and_suite_show_take_clusters_from_a_table(suite, evenhand_command):
    """The option goes before the cases' own clusters: two documents in place of four; `run` keeps them."""
    suite("document")
    end = ("--format", "json", "--set", "gate.undecided=ok")
    assert clusters(evenhand_command("run", "suite.yaml", *end)) == (8, 4)
    assert clusters(evenhand_command("run", "show", "latest", "--cluster", "cases.csv:document", *end)) == (8, 2)
    assert clusters(evenhand_command("run", "show", "latest", "--cluster", "cases.csv:id", *end)) == (8, None)
    assert clusters(evenhand_command("run", "show", "latest", *end)) == (8, 4)
    rows = evenhand_command("run", "show", "latest", "--cluster", "cases.csv:document", "--format", "results").out
    assert json.loads(rows.splitlines()[1])["cluster"] == "document-0"
    assert clusters(evenhand_command("run", "suite.yaml", "--cluster", "cases.csv:document", *end)) == (8, 2)
    assert clusters(evenhand_command("run", "show", "latest", *end)) == (8, 2)
    by_python = evenhand.run("suite.yaml", cluster="cases.csv:document").decision.contrasts
    assert [(made.unit, made.units) for made in by_python] == [("cluster", 2)]
    read = evenhand.read_suite("suite.yaml", cluster="cases.csv:document")
    assert [case.cluster for case in read.cases] == ["document-0", "document-1"] * 4


@pytest.mark.parametrize(
    ("cluster", "says"),
    [
        (
            "document",
            'unknown cluster "document"; valid for the cases of a suite: a column of a table with a column id',
        ),
        ("task", 'unknown cluster "task"'),
        ("cases.csv:", 'unknown cluster "cases.csv:"'),
        ("cases.csv:repo", 'cases.csv: unknown column "repo"'),
        ("short.csv:document", 'short.csv has no row with the id "c1"; each case needs its cluster'),
    ],
)
def test_a_suite_refuses_a_choice_without_clusters(suite, evenhand_command, cluster: str, says: str):
    """Before the first run."""
    suite("document")
    Path("short.csv").write_text("id,document\nc0,d0\n")
    shown = evenhand_command("run", "suite.yaml", "--cluster", cluster)
    assert (shown.code, shown.out) == (2, "") and says in shown.err
    assert not Path(".evenhand").exists()
