"""Builds the loops in C, and the description for a package index. The rest of the package is in pyproject.toml.

With EVENHAND_PURE=1 the wheel has no loops in C, and is for every platform.
"""

import os
import re
import sys
from pathlib import Path

from setuptools import Extension, setup

ROOT = Path(__file__).parent.resolve()

# Results must be the same everywhere, so no product may be joined with a sum; nobody looks at errno after a root.
# And the same source must give the same bytes, so no path of the machine may get into them.
FLAGS = ["-std=c11", "-O3", "-ffp-contract=off", "-fno-math-errno", "-g0", f"-ffile-prefix-map={ROOT}=."]
LOOPS = Extension(
    "evenhand.engine.kernel._loops",
    ["src/evenhand/engine/kernel/_loops.c"],
    extra_compile_args=[] if sys.platform == "win32" else FLAGS,
    py_limited_api=True,
    optional=True,  # without a compiler the package works all the same, only slower on large tables
)
PURE = os.environ.get("EVENHAND_PURE") == "1"


def description() -> str:
    """The README for a package index, where links and pictures inside the repository lead nowhere.

    A picture becomes the plain text that lies beside it, or else its caption; a link becomes its words.
    """
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    readme = re.sub(r"!\[([^\]]*)\]\(([^)]*)\)", lambda image: _in_words(image[1], ROOT / image[2]), readme)
    return re.sub(r"\[([^\]]*)\]\((?!https?://)[^)]*\)", r"\1", readme)


def _in_words(caption: str, picture: Path) -> str:
    text = picture.with_suffix(".txt")
    return f"```text\n{text.read_text(encoding='utf-8')}```" if text.is_file() else f"*{caption}*"


setup(
    long_description=description(),
    long_description_content_type="text/markdown",
    ext_modules=[] if PURE else [LOOPS],
    options={} if PURE else {"bdist_wheel": {"py_limited_api": "cp311"}},
)
