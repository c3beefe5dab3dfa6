"""Builds the loops in C, and the description for a package index. The rest of the package is in pyproject.toml.

With EVENHAND_PURE=1 the wheel has no loops in C, and is for every platform. EVENHAND_PROJECT_URL is the address of the
repository on a server like GitHub: the release sets it, and the metadata then say where things are. Without it they
name no address, unless this is a source archive that was built with one.
"""

import os
import re
import sys
from email.parser import HeaderParser
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_py import build_py

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
PACKAGED = (".md", ".yaml", ".jsonl")
PURE = os.environ.get("EVENHAND_PURE") == "1"
VERSION = re.search(r'__version__ = "(.*)"', (ROOT / "src/evenhand/_version.py").read_text(encoding="utf-8"))[1]


def address() -> str | None:
    """The address of the repository, if it is known."""
    given = os.environ.get("EVENHAND_PROJECT_URL")
    if given:
        if not re.fullmatch(r"https://[\w.-]+(:\d+)?(/[\w.~-]+)+", given):
            sys.exit(f"EVENHAND_PROJECT_URL is {given!r}; give an address such as https://HOST/OWNER/NAME, or unset it")
        return given
    packed = ROOT / "PKG-INFO"  # only a source archive has it
    known = HeaderParser().parsestr(packed.read_text(encoding="utf-8") if packed.is_file() else "")
    urls = [url.partition(",") for url in known.get_all("Project-URL", [])]
    return next((url.strip() for label, _, url in urls if label == "Homepage"), None)


def addresses(home: str) -> dict[str, str]:
    """What an index links to, as of this version."""
    return {
        "Homepage": home,
        "Documentation": _file(home, "docs/index.md"),
        "Source": f"{home}/tree/v{VERSION}",
        "Changelog": _file(home, "CHANGELOG.md"),
        "Issues": f"{home}/issues",
    }


def _file(home: str, path: str) -> str:
    return f"{home}/blob/v{VERSION}/{path}"


def description(home: str | None) -> str:
    """The README for a package index, where links and pictures inside the repository lead nowhere.

    A picture becomes the plain text that lies beside it, or else its caption; a link leads to the repository, or
    becomes its words if that has no address.
    """
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    readme = re.sub(r"!\[([^\]]*)\]\(([^)]*)\)", lambda image: _in_words(image[1], ROOT / image[2]), readme)
    inside = re.compile(r"\[([^\]]*)\]\((?!https?://)([^)]*)\)")
    return inside.sub(lambda link: f"[{link[1]}]({_file(home, link[2])})" if home else link[1], readme)


def _in_words(caption: str, picture: Path) -> str:
    text = picture.with_suffix(".txt")
    return f"```text\n{text.read_text(encoding='utf-8')}```" if text.is_file() else f"*{caption}*"


class WithPages(build_py):
    """Puts the documentation and the examples into the package, for `evenhand docs` and `evenhand try`."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        for name in ("docs", "examples"):
            for path in sorted((ROOT / name).rglob("*")):
                inside = path.relative_to(ROOT)
                if path.suffix in PACKAGED and not any(part.startswith(".") for part in inside.parts):
                    target = Path(self.build_lib, "evenhand", inside)
                    self.mkpath(str(target.parent))
                    self.copy_file(str(path), str(target))


HOME = address()
setup(
    cmdclass={"build_py": WithPages},
    project_urls=addresses(HOME) if HOME else {},
    long_description=description(HOME),
    long_description_content_type="text/markdown",
    ext_modules=[] if PURE else [LOOPS],
    options={} if PURE else {"bdist_wheel": {"py_limited_api": "cp311"}},
)
