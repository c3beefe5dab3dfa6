"""Parse the built-in rubrics once, so that a command that scores need not load a Markdown parser.

python scripts/compile_rubrics.py            write src/evenhand/rubrics/builtin/compiled/*.json
python scripts/compile_rubrics.py --check    exit 1 if any is out of date
"""

from __future__ import annotations

import hashlib
import json
import sys

from evenhand.core.receipt import canonical_rubric
from evenhand.rubrics.library import BUILTIN, compiled_path, load_file


def main() -> int:
    check = "--check" in sys.argv[1:]
    stale = []
    for source in sorted(BUILTIN.glob("*.md")):
        document = {
            "source_sha256": hashlib.sha256(source.read_bytes()).hexdigest(),
            "rubric": canonical_rubric(load_file(str(source))),
        }
        text = json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
        target = compiled_path(source)
        if target.is_file() and target.read_text(encoding="utf-8") == text:
            continue
        stale.append(target.name)
        if not check:
            target.parent.mkdir(exist_ok=True)
            target.write_text(text, encoding="utf-8")
    if stale:
        print(f"{'out of date' if check else 'written'}: {', '.join(stale)}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
