"""Builds the kernel's loops in C. Everything else about the package stands in pyproject.toml."""

import sys

from setuptools import Extension, setup

# Results must be the same everywhere, so no product may be joined with a sum; nobody looks at errno after a root.
FLAGS = [] if sys.platform == "win32" else ["-std=c11", "-O3", "-ffp-contract=off", "-fno-math-errno"]

setup(
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
