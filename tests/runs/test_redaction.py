"""Secrets that a run was given are taken out of everything that is kept of it."""

from __future__ import annotations

from pathlib import Path

from evenhand.runs.redaction import redacted
from evenhand.work.agent_run import AgentRun, RunId

RUN = AgentRun(RunId("c", "v", 1), "k", "failed", "sent abc-1", output="abc-1 and abc-2", notes=("abc-2!", "fine"))
SECRETS = {"abc-1": "FIRST_KEY", "abc-2": "SECOND_KEY"}


def test_the_name_of_the_variable_takes_the_place_of_each_secret(tmp_path: Path):
    """In the output, the reason, the notes and every file, at any depth and in bytes that are not text."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "log").write_bytes(b"\xff abc-1 abc-2 abc-1 \x00")
    (tmp_path / "deep" / "more").write_text("abc-2")
    made = redacted(RUN, tmp_path, SECRETS)
    assert (made.output, made.reason) == ("[FIRST_KEY] and [SECOND_KEY]", "sent [FIRST_KEY]")
    assert made.notes == ("[SECOND_KEY]!", "fine")
    assert (tmp_path / "log").read_bytes() == b"\xff [FIRST_KEY] [SECOND_KEY] [FIRST_KEY] \x00"
    assert (tmp_path / "deep" / "more").read_text() == "[SECOND_KEY]"


def test_what_holds_no_secret_is_not_written_again(tmp_path: Path):
    (tmp_path / "log").write_text("nothing")
    (tmp_path / "log").chmod(0o444)
    before = (tmp_path / "log").stat().st_mtime_ns
    assert redacted(RUN._replace(output=None), tmp_path, SECRETS).output is None
    assert (tmp_path / "log").stat().st_mtime_ns == before
    assert redacted(RUN, tmp_path, {}) is RUN


def test_what_links_lead_to_is_left_alone(tmp_path: Path):
    """A run could link to any file of the user's."""
    kept, elsewhere = tmp_path / "kept", tmp_path / "elsewhere"
    kept.mkdir()
    elsewhere.write_text("abc-1")
    (kept / "link").symlink_to(elsewhere)
    (kept / "nowhere").symlink_to(tmp_path / "absent")
    redacted(RUN, kept, SECRETS)
    assert elsewhere.read_text() == "abc-1"
