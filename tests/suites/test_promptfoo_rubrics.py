"""promptfoo's `llm-rubric`, imported: the same verdicts as those of the real promptfoo with the same scripted grader.

The grader is a server on a real socket. Asked by either tool, it says yes if the last word of the sentence is in the
output. Outputs come from a program that both tools run.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from fake_server import Asked, FakeServer, Step, chat
from real_tools import npm_tool
from scripted_judge import answer, quote_of

import evenhand

SAYS = """\
import sys
prompt = sys.argv[1].lower()
if "france" in prompt:
    print("The capital of France is Paris, on the river Seine.")
elif "spain" in prompt:
    print("The capital of Spain is Madrid, in the middle of the country.")
else:
    print("I do not know that country, and I am sorry about it.")
"""

HEAD = "prompts: ['Capital of {{country}}?']\nproviders: ['exec: python FOLDER/says.py']\n"
MENTIONS = "{type: llm-rubric, value: 'Mentions the city of Paris'}"

CONFIGURATIONS = {
    "for every test": f"{HEAD}defaultTest: {{assert: [{MENTIONS}]}}\n"
    "tests: [{vars: {country: France}}, {vars: {country: Spain}}, {vars: {country: Atlantis}}]\n",
    "a table": f"{HEAD}tests: file://tests.csv\n",
    "test by test": HEAD + "assertionTemplates:\n  honest: {type: llm-rubric, value: 'Says that it is sorry'}\ntests:\n"
    # A yes and a no.
    f"- vars: {{country: France}}\n  assert: [{MENTIONS}]\n"
    f"- vars: {{country: Spain}}\n  assert: [{MENTIONS}]\n"
    # A variable in the sentence.
    "- vars: {country: France, city: Paris}\n  assert: [{type: llm-rubric, value: 'Names {{city}}'}]\n"
    "- vars: {country: Spain, city: Lisbon}\n  assert: [{type: llm-rubric, value: 'Names {{city}}'}]\n"
    # Beside other assertions.
    "- vars: {country: Spain}\n  assert:\n  - {type: contains, value: Madrid}\n"
    "  - {type: llm-rubric, value: 'Names the middle'}\n  - {type: llm-rubric, value: 'Names the Seine'}\n"
    # Variables multiplied.
    "- vars: {country: [France, Spain]}\n  assert: [{type: llm-rubric, value: 'Names the capital'}, "
    "{type: llm-rubric, value: 'Names the river'}]\n"
    # A template.
    "- vars: {country: Atlantis}\n  assert: [{$ref: '#/assertionTemplates/honest'}]\n"
    "- vars: {country: France}\n  assert: [{$ref: '#/assertionTemplates/honest'}]\n"
    # A sentence in a file.
    "- vars: {country: France}\n  assert: [{type: llm-rubric, value: 'file://sentence.txt'}]\n"
    # A set, with weights.
    "- vars: {country: Spain}\n  assert:\n  - type: assert-set\n    assert:\n"
    "    - {type: llm-rubric, value: 'Names Madrid', weight: 2}\n    - {type: llm-rubric, value: 'Names Paris'}\n",
}
"""Few, since the real promptfoo takes seconds to start."""
FILES = {
    "says.py": SAYS,
    "tests.csv": "country,__expected1,__expected2\nFrance,llm-rubric: Names Paris,grade: Names Madrid\n"
    "Spain,llm-rubric: Names Paris,grade: Names Madrid\n",
    "sentence.txt": "Names the river Seine\n",
}


def holds(sentence: str, work: str) -> bool:
    """What the grader makes of a sentence: whether its last word is in the output."""
    return sentence.split()[-1].strip(".,").lower() in work.lower()


def grade(asked: Asked) -> Step:
    """One grader for both tools: promptfoo shows output and rubric in tags, evenhand the work between fences."""
    text = "\n".join(str(message["content"]) for message in asked.body["messages"])
    rubric = re.findall(r"<Rubric>\s*(.*?)\s*</Rubric>", text, re.S)
    if rubric:
        output = re.findall(r"<Output>\s*(.*?)\s*</Output>", text, re.S)[-1]
        passes = holds(rubric[-1], output)
        return chat(json.dumps({"reason": "By its last word.", "pass": passes, "score": int(passes)}))
    if "Decide about" not in text:
        return answer(asked, score=8)
    work = re.findall(r"<<<submission (\w+)\n(.*?)\nsubmission \1>>>", text, re.S)[-1][1]
    sentence = re.findall(r"^- expectation-\d+: (.*)$", text, re.M)[-1]
    nonce = re.findall(r'"reply_to": "(\w+)"', text)[-1]
    yes = holds(sentence, work)
    reply = {
        "reply_to": nonce,
        "quotes": [quote_of(work)] if yes else [],
        "explanation": "By its last word.",
        "absent": not yes,
        "answer": "yes" if yes else "no",
    }
    return chat(json.dumps(reply))


def by_promptfoo(folder: Path, server: FakeServer, configuration: str) -> list[tuple[str, str, bool]]:
    """Country, sentence and verdict, of each llm-rubric that the real promptfoo asks."""
    grader = {"id": "openai:chat:grader", "config": {"apiBaseUrl": server.url, "apiKey": "x"}}
    document: dict[str, Any] = yaml.safe_load(configuration)
    default = document.setdefault("defaultTest", {})
    default.setdefault("options", {})["provider"] = grader
    (folder / "promptfooconfig.json").write_text(json.dumps(document), encoding="utf-8")
    environment = {
        **os.environ,
        "HOME": str(folder),
        "OPENAI_API_KEY": "x",
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    command = [npm_tool("promptfoo"), "eval", "-c", "promptfooconfig.json", "--no-cache", "-o", "out.json"]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=280, check=False
    )
    assert (folder / "out.json").exists(), done.stdout + done.stderr
    results = json.loads((folder / "out.json").read_text(encoding="utf-8"))["results"]["results"]
    return sorted(
        (row["vars"]["country"], rendered(component["assertion"]["value"], row["vars"]), component["pass"])
        for row in results
        for component in row["gradingResult"]["componentResults"]
        if (component.get("assertion") or {}).get("type") == "llm-rubric"
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_sentences_get_the_verdicts_of_the_real_promptfoo(name, evenhand_command, fake_server, tmp_path):
    for file, text in FILES.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    configuration = CONFIGURATIONS[name].replace("FOLDER", str(tmp_path))
    fake_server.answer = grade
    theirs = by_promptfoo(tmp_path, fake_server, configuration)
    assert theirs, "promptfoo asked its grader"
    (tmp_path / "promptfooconfig.json").unlink()
    (tmp_path / "promptfooconfig.yaml").write_text(configuration, encoding="utf-8")
    imported = evenhand_command("run", "import", "promptfooconfig.yaml", "-o", "suite.yaml")
    assert imported.code == 0, imported.err
    with (tmp_path / "suite.yaml").open("a") as suite:
        suite.write("judges: [openai:grader]\n")
    options = ["--base-url", fake_server.url, "--store", "s.db", "--set", "judge.per_call=1"]
    done = evenhand_command("run", "suite.yaml", *options, OPENAI_API_KEY="x")
    assert done.code in (0, 5), done.err + done.out
    with closing(evenhand.open_store(str(tmp_path / "s.db"))) as store:
        cards = [json.loads(record.scorecard) for record in store.evaluations()]
    ours = sorted(
        (country_of(card["task"]), expected["expectation"], expected["result"] == "met")
        for card in cards
        for expected in card["expectations"]
        if expected.get("by")
    )
    assert ours == sorted((country, filled(sentence, tmp_path), verdict) for country, sentence, verdict in theirs)
    assert not any(expected["result"] == "undecided" for card in cards for expected in card["expectations"])


def rendered(sentence: str, variables: dict[str, Any]) -> str:
    """promptfoo asks its grader with the variables filled in, and reports the template."""
    return sentence.replace("{{city}}", str(variables.get("city", "")))


def country_of(task: str) -> str:
    return task.removeprefix("Capital of ").removesuffix("?")


def filled(sentence: str, folder: Path) -> str:
    """What promptfoo reports of a sentence in a file is the file's name."""
    return (folder / sentence[7:]).read_text().strip() if sentence.startswith("file://") else sentence.strip()
