"""Builds the loops in C, and the description for a package index. The rest of the package is in pyproject.toml."""

import re
import sys
from pathlib import Path

from setuptools import Extension, setup

ROOT = Path(__file__).parent

# Results must be the same everywhere, so no product may be joined with a sum; nobody looks at errno after a root.
FLAGS = [] if sys.platform == "win32" else ["-std=c11", "-O3", "-ffp-contract=off", "-fno-math-errno"]


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
    ext_modules=[
        Extension(
            "evenhand.engine.kernel._loops",
            ["src/evenhand/engine/kernel/_loops.c"],
            extra_compile_args=FLAGS,
            py_limited_api=True,
            optional=True,  # without a compiler the package works all the same, only slower on large tables
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
