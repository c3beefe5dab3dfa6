"""Formats are found by listing a folder: a new file is a new format."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from evenhand.transcripts import registry
from evenhand.transcripts.sources import open_source

PACKAGE = import_module(registry.FOLDER)

NEW = '''"""Lines that a new tool prints."""

from evenhand.work.submission import Submission

FORMAT = "brand-new"
TITLE = "a new tool's log"
MARKS = "new_key other_key"
LATE_MARKS = "new_late_key"


def sniff(head):
    return any("new_key" in entry for entry in head.objects)


def read(source):
    yield Submission(output=source.text(1000), format=FORMAT)
'''


def test_every_file_of_the_folder_is_a_format():
    """Each says what it is, near its beginning; a line further down would not be found."""
    files = {path.stem for path in Path(PACKAGE.__file__).parent.glob("*.py")} - {"__init__"}
    formats = [*registry.BUILT_IN, registry.TEXT]
    assert len(formats) == len(files) == len({format.name for format in formats})
    for file in files:
        module = import_module(f"{registry.FOLDER}.{file}")
        (format,) = [format for format in formats if format.name == module.FORMAT]
        assert (format.title, " ".join(format.marks)) == (module.TITLE, getattr(module, "MARKS", ""))


def test_a_new_file_is_a_new_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """It is tried after the specific ones unless it says where, and before the fallback."""
    (tmp_path / "brand_new.py").write_text(NEW)
    monkeypatch.setattr(PACKAGE, "__path__", [*PACKAGE.__path__, str(tmp_path)])
    log = tmp_path / "log.jsonl"
    log.write_text('{"new_key": 1}\n')
    known = registry._listed()
    (added,) = [entry for entry in known if entry.format.name == "brand-new"]
    assert (added.format.title, added.format.marks) == ("a new tool's log", ("new_key", "other_key"))
    assert (added.late_marks, added.is_general, known[-1].format.name) == (("new_late_key",), False, "text")
    with open_source(str(log)) as source:
        assert [entry.format.name for entry in known if entry.format.sniff(source.head)] == ["brand-new", "text"]
        assert [item.output for item in added.format.read(source)] == ['{"new_key": 1}\n']


def test_text_formats_come_last():
    """Then nothing that a program wrote is taken for text."""
    names = [format.name for format in (*registry.BUILT_IN, registry.TEXT)]
    assert names[-5:] == ["openai", "submissions", "messages", "diff", "text"]
    assert {"openai", "submissions", "messages"} == registry.GENERAL


@pytest.mark.slow
def test_a_text_loads_no_format_of_agents(tmp_path: Path):
    """Importing all of them would take longer than reading a short file."""
    (tmp_path / "answer.md").write_text("The answer is 42.\n")
    code = (
        "import json, sys\n"
        "from evenhand.transcripts import sniff\n"
        f"sniff({str(tmp_path / 'answer.md')!r})\n"
        "print(json.dumps([name for name in sys.modules if name.startswith('evenhand.transcripts.formats.')]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["evenhand.transcripts.formats.diff"]
