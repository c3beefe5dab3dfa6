"""A scorecard in which any field has any JSON value: every reader gives one located error, and never a traceback."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import make_rubric, seven
from mcp_client import InProcess, call

import evenhand
from evenhand.cli.main import run
from evenhand.documents.scorecards.restore import plain_numbers, restore
from evenhand.documents.scorecards.verification import verify
from evenhand.errors import DocumentError, EvenhandError
from evenhand.store import open_store
from evenhand.store.record import record_of
from scorecard_kinds import MISSING, changed, kinds, paths

KINDS = kinds()
FEW = [None, True, 0, -1, 1e400, "", "x", [], {}, [[{}]], {"name": 0}, MISSING]
"""One value of each JSON type, and the two that Python takes for others."""

Path_ = tuple[str | int, ...]


def _shape(path: Path_) -> Path_:
    """A path in which all dimensions are one, as are all places of a list."""
    return tuple(
        "*" if isinstance(key, int) or key in evenhand.DIMENSIONS or path[:place] == ("receipt", "fields") else key
        for place, key in enumerate(path)
    )


def _own_paths() -> dict[str, list[Path_]]:
    """The paths of each kind that no earlier kind has, each shape once."""
    seen: set[Path_] = set()
    own: dict[str, list[Path_]] = {}
    for name, document in KINDS.items():
        own[name] = []
        for path in paths(document):
            if _shape(path) not in seen:
                seen.add(_shape(path))
                own[name].append(path)
    return own


OWN_PATHS = _own_paths()


def _refusal(reader: Callable[[Any], Any], document: Any) -> EvenhandError | None:
    """The error with which a reader refuses a document; None when it takes it. Any other exception is a failure."""
    try:
        reader(document)
    except EvenhandError as error:
        return error
    return None


def _check_readers(document: dict[str, Any], original: dict[str, Any]) -> None:
    """Verify and restore a changed document: a refusal names a place, and no change goes unnoticed."""
    refused = _refusal(verify, document)
    if refused is None:
        assert not verify(document).ok or plain_numbers(document) == original
    else:
        assert "\n" not in str(refused)
        assert len(str(refused)) < 1000
    unread = _refusal(restore, document)
    if unread is not None:
        assert isinstance(unread, DocumentError)
        assert all(problem.path or "schema" in problem.message for problem in unread.problems)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_whole_before_it_is_changed(kind):
    """What the changes below start from verifies, and can be restored."""
    assert verify(KINDS[kind]).ok
    assert restore(KINDS[kind])[0].id == KINDS[kind]["id"]


def test_the_seven_changes_that_once_ended_in_a_traceback():
    """Each is refused in one line that names the field and what is valid there."""
    cases = [
        ("by-hand", ("judge", "name"), None, "judge.name is null; it must be text"),
        ("by-hand", ("judge",), {"name": {"x": []}}, "judge.name is an object; it must be text"),
        ("by-hand", ("schema",), [], '"schema" must be "evenhand/scorecard/v1"'),
        ("checks-only", ("lifted", 0, "finding"), [], "lifted.0.finding is a list; it must be text"),
        ("official", ("official", "calibration", "scale"), "x", "official.calibration must be a calibration"),
        ("history", ("history", "drift", "limit"), 10**400, "history.drift.limit is text; it must be a number"),
        ("by-hand", ("red_flags", 0, "deduction"), 10**400, "red_flags.0.deduction is text; it must be a number"),
        ("panel", ("panel", "members", 0, "scores"), "", "panel.members.0.scores is empty text; it must be an object"),
    ]
    for kind, path, value, message in cases:
        with pytest.raises(DocumentError, match=re.escape(message)):
            restore(changed(KINDS[kind], path, value))


def test_a_score_that_no_judge_of_the_panel_gave_is_a_difference():
    """With a dimension taken out of the only judge's scores, there are no grade probabilities, and no error."""
    document = changed(KINDS["panel"], ("panel", "members", 0, "scores", "consistency"), MISSING)
    assert restore(document)[0].agreement.grades == {}
    assert "dimensions.consistency.score" in [difference.field for difference in verify(document).differences]


@pytest.mark.slow
def test_a_document_nested_too_deeply_is_refused():
    """A value deeper than Python can follow is one error, too."""
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(DocumentError, match="nested too deeply"):
        verify({**KINDS["by-hand"], "warnings": deep})


def test_a_very_long_value_is_cut_in_the_message():
    """A computed field may say anything; 300 characters of it are shown."""
    (difference,) = verify({**KINDS["by-hand"], "label": "y" * 100_000}).differences
    assert difference.problem.startswith('says "' + "y" * 299 + "... (100002 characters), should say ")


def test_a_field_that_is_added_later_is_not_refused():
    """A key that this version does not know may hold anything; its checksum vouches for it."""
    document = KINDS["by-hand"]
    later = {**document, "rubric": {**document["rubric"], "added": [1]}, "added": {"x": []}}
    assert restore(later)[0] == restore(document)[0]
    assert [found.field for found in verify(later).differences] == ["added", "rubric", "rubric.added"]


COMMANDS: dict[str, list[str]] = {
    "verify": ["show", "--verify", "CARD"],
    "verify as JSON": ["show", "--verify", "CARD", "--format", "json"],
    "rank": ["rank", "CARD", "--store", "none"],
    "gate": ["gate", "CARD", "--min-score", "5", "--store", "none"],
    "gate for GitHub": ["gate", "CARD", "--min-score", "5", "--format", "github", "--store", "none"],
    "better": ["better", "CARD", "CARD", "--store", "none"],
    "rescore": ["score", "CARD", "--rubric", "code-review", "--store", "none"],
}
STORED: dict[str, list[str]] = {
    "show": ["show", "CARD"],
    "show as a page": ["show", "CARD", "--format", "html"],
    "rank": ["rank", "CARD"],
    "gate": ["gate", "CARD", "--min-score", "5"],
    "better": ["better", "CARD", "CARD"],
    "rescore": ["score", "CARD", "--rubric", "code-review"],
    "history": ["history", "review"],
    "store check": ["store", "check"],
    "store export": ["store", "export", "-"],
}


class Command:
    """The command in this process; much of what it takes to start one is saved."""

    def __init__(self, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capfd = capfd
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: str) -> tuple[int, str]:
        """Exit code and errors. A traceback would be an exception here."""
        self._monkeypatch.setattr(sys, "argv", ["evenhand", *arguments])
        code = run()
        return code, self._capfd.readouterr().err


@pytest.fixture
def command(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., tuple[int, str]]:
    monkeypatch.chdir(tmp_path)
    return Command(capfd, monkeypatch)


def _turns(step: int, first: int = 0) -> Iterator[tuple[str, dict[str, Any]]]:
    """Changed documents of all kinds: every shape of path, the values taken in turn, each step-th of them."""
    for kind, own in OWN_PATHS.items():
        for place, path in enumerate(own[first % step :: step], first):
            yield f"{kind} {path}", changed(KINDS[kind], path, FEW[place % len(FEW)])


def _json(document: Any) -> str:
    return json.dumps(document).replace("Infinity", "1e400")


def _check_line(code: int, err: str, name: str, place: str) -> None:
    """Whether a command ended as it may: an error is one line, or one for each file, that says where."""
    assert code in (0, 1, 2, 3, 4, 5), name
    errors = [line for line in err.splitlines() if line.startswith("error:")]
    assert len(errors) <= 2, (name, err)
    assert code not in (2, 4) or place in err, (name, err)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_that_reads_a_file_gives_a_line(name, tmp_path, command, long):
    """Whatever the change: no traceback, and the file in every error. A short run makes a fifth of the changes, others
    for each command; what reads the document for all of them is tried with every change below."""
    for change, document in _turns(1 if long else 5, list(COMMANDS).index(name)):
        (tmp_path / "card.json").write_text(_json(document))
        _check_line(  # type: ignore[call-arg]
            *command(*["card.json" if part == "CARD" else part for part in COMMANDS[name]]), change, "card.json"
        )


@pytest.mark.slow
def test_a_stored_evaluation_that_was_changed_gives_a_line(tmp_path, command):
    """With whatever a damaged file holds: the error names the evaluation."""
    for change, document in _turns(4):
        file = tmp_path / "store.db"
        file.unlink(missing_ok=True)
        store = open_store(str(file))
        store.create()
        card = evenhand.score({"skill": "review", "scores": seven(8)}, rubric=make_rubric(), id="stored-card")
        record = record_of(card, completed=0, submission=None, keep_text=True)
        store.add(record._replace(scorecard=_json(document)))
        store.close()
        for arguments in STORED.values():
            named = ["stored-card" if part == "CARD" else part for part in arguments]
            code, err = command(*named, "--store", "store.db")
            _check_line(code, err, f"{change} {named}", "stored-card")


@pytest.mark.slow
def test_a_changed_evaluation_is_not_imported(tmp_path, command):
    """The error of an import names the line of the export."""
    for change, document in _turns(2):
        line = {"schema": "evenhand/evaluation/v1", "completed": 0, "scorecard": document, "submission": None}
        (tmp_path / "export.jsonl").write_text(_json(line) + "\n")
        code, err = command("store", "import", "export.jsonl", "--store", "store.db")
        assert code == 2, (change, err)
        _check_line(code, err, change, "export.jsonl:1")


@pytest.mark.slow
def test_a_changed_scorecard_is_an_error_of_the_tool(tmp_path, monkeypatch):
    """Over the Model Context Protocol: an answer that says what is wrong, never one that says the server failed."""
    monkeypatch.chdir(tmp_path)
    server = InProcess(None, tmp_path)

    async def ask(client: Any) -> None:
        for change, document in _turns(4):
            (tmp_path / "card.json").write_text(_json(document))
            for tool, arguments in (("verify", {"file": "card.json"}), ("rank", {"entries": ["card.json"]})):
                answer = await call(client, tool, arguments)
                assert answer.text, change
                assert "unexpected" not in answer.text.lower(), (change, answer.text)

    server.use(ask)


@pytest.mark.slow
def test_the_python_functions_raise_only_their_own_errors():
    """Each function that takes a scorecard's document: an `EvenhandError`, a line for each problem, or an answer."""
    functions = (
        evenhand.verify,
        lambda document: evenhand.rank([document]),
        lambda document: evenhand.rescore(document, rubric="code-review"),
    )
    for change, document in _turns(1):
        for function in functions:
            said = str(_refusal(function, document) or "an answer").splitlines()
            assert all(said) and len(said) == len(set(said)), change
