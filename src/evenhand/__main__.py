"""The door of the command: answers `--version` at once, and leaves the rest to the command line proper."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command."""
    if sys.argv[1:] == ["--version"]:
        from evenhand._version import __version__

        print(f"evenhand {__version__}")
        return
    from evenhand.cli.main import run

    sys.exit(run())


if __name__ == "__main__":
    main()
