"""A suite to start from: it can be checked and run at once, with outputs that are recorded already."""

from __future__ import annotations

from pathlib import Path

from evenhand.errors import InputError

SUITE = """\
# A suite: cases, and the variants that are run on them.
# Check it:  evenhand run check suite.yaml
# Try it:    evenhand run audit suite.yaml
# Run it:    evenhand run suite.yaml
# All keys:  docs/reference/suite-file.md, or: evenhand docs schema suite

suite: {name}
# skill: my-skill               # the name under which results are filed
# rubric: default               # or code-review, writing, ...; see: evenhand rubric list
# judges: [openai:gpt-5-mini]   # as after --judge; leave it out for checks and expectations alone
# repeats: 3                    # how often each variant is run on each case

cases: cases/                   # a folder; or a .jsonl or .csv file, an evals.json, or a list

# What is run on every case. The first one is what the others are compared with. These two are outputs that exist
# already, so that nothing has to be installed; put your own agent in their place:
#
#   variants: {{command: [claude, -p, "{{prompt}}"], skill: skills/mine, versions: [none, now]}}
#
variants:
  before:
    recorded: outputs/before/{{case}}.md
  after:
    recorded: outputs/after/{{case}}.md

# When a run of the suite is red:
gate:
  margin: 0.2                   # a smaller loss does not count
  max_failed: 0.05              # the largest share of runs that may fail
"""

FILES = {
    "cases/late-fee/prompt.md": "Summarise the invoice in invoice.txt in two sentences. State the total that is due.\n",
    "cases/late-fee/files/invoice.txt": "Invoice 17\nConsulting, 4 hours: 400.00 EUR\nLate fee: 12.00 EUR\n",
    "cases/late-fee/expect.yaml": '- answer: {contains: "412.00"}\n'
    "# - The late fee is mentioned.   # a sentence, for suites with a model under judges\n",
    "cases/no-fee.yaml": (
        "prompt: |\n"
        "  Summarise this invoice in one sentence and state the total that is due:\n"
        "  Invoice 18. Consulting, 2 hours at 100.00 EUR each\n"
        "expect:\n"
        '  - answer: {contains: "200.00"}\n'
        "tags: [easy]\n"
    ),
    "outputs/before/late-fee.md": "Invoice 17 is for four hours of consulting. The total due is 400.00 EUR.\n",
    "outputs/before/no-fee.md": "Invoice 18 is for two hours of consulting; 200.00 EUR is due.\n",
    "outputs/after/late-fee.md": (
        "Invoice 17 is for four hours of consulting, with a late fee of 12.00 EUR. The total due is 412.00 EUR.\n"
    ),
    "outputs/after/no-fee.md": "Invoice 18 is for two hours of consulting; 200.00 EUR is due.\n",
}


def new_suite(folder: Path, name: str) -> list[Path]:
    """Write a starting suite into a folder and return the files; what exists is never touched."""
    texts = {folder / "suite.yaml": SUITE.format(name=name)}
    texts |= {folder / path: text for path, text in FILES.items()}
    for path in texts:
        if path.exists():
            raise InputError(f"{path} already exists; choose another folder")
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
    except OSError as error:
        raise InputError(f"{error.filename or folder} cannot be written: {error.strerror}") from None
    return list(texts)
