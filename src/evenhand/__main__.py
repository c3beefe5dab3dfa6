"""The door of the command: answers `--version` at once, and leaves the rest to the command line proper."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command."""
    if sys.argv[1:] == ["--version"]:
        from evenhand._version import __version__

        print(f"evenhand {__version__}")
        return
    import gc

    gc.set_threshold(50_000, 20, 20)  # what is imported stays: looking for garbage in it only costs time
    from evenhand.cli.main import run

    sys.exit(run())


if __name__ == "__main__":
    main()
