"""What the checks look at, parsed once."""

from __future__ import annotations

import pytest

from evenhand.findings.subject import Subject, _block_parser
from evenhand.work.submission import Submission


@pytest.mark.parametrize(
    "text",
    [
        "# One\ntext\n## Two\n- a\n- b\n# Three",
        "a\n\n```bash\n# not a heading\n```\n# Heading\nb",
        "```\nnever closed\n# still code\n",
        "```\nclosed\n```\n\n# Heading\n- item\n",
        "<pre>\n# inside\n\n# still inside\n</pre>\n# out\n",
        "<instructions>\n# inside\n\n# out\n<!-- a\n# b\n\n# c -->\n# d\n",
        "- item\n  ```\n# ends the item and its fence\n  code\n",
        "> quoted\n# heading\n> ```\n# heading\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n# heading\n",
        "[link]: /to 'a title\n# heading\n'\n",
        "para\n# h\r\nx\r# y\r\n# z\n    # code\n",
        "#no heading\n#\n####### no\n# \n",
        "1. one\n\n# h\n2. two\n    # nested code\n",
    ],
)
def test_a_task_parsed_by_sections_has_the_same_blocks(text: str) -> None:
    whole = _block_parser().parse(text)
    for repeated in (text, f"{text}\n{text}\n# again\n{text}"):
        whole = _block_parser().parse(repeated)
        parts = Subject(Submission(output="", task=repeated)).task_tokens
        assert [(t.type, t.tag, t.level, t.content, t.info) for t in parts] == [
            (t.type, t.tag, t.level, t.content, t.info) for t in whole
        ]
