"""The door of the command: answers `--version` at once, and leaves the rest to the command line proper."""

from __future__ import annotations

import os
import sys

_WINDOWS = (
    "error: evenhand does not run on Windows: its locks, signals and limits of processes are those of Linux and macOS; "
    "use it inside WSL (wsl --install)"
)


def main() -> None:
    """Run the command."""
    if sys.platform == "win32":
        print(_WINDOWS, file=sys.stderr)
        sys.exit(2)
    if sys.argv[1:] == ["--version"] and _version_is_shown():
        return
    import gc

    gc.set_threshold(200_000, 20, 20)  # what is imported stays: looking for garbage in it only costs time
    from evenhand.cli.streams import run_with_streams

    code = run_with_streams(_command)
    if sys.argv[1:2] in (["judge"], ["score"]):
        gc.freeze()  # nor need it be looked through when the interpreter ends; libraries for tables would warn of leaks
    sys.exit(code)


def _version_is_shown() -> bool:
    """Print the version without loading anything; what goes wrong with the output is told by the long way."""
    from evenhand._version import __version__

    try:
        os.write(sys.stdout.fileno(), f"evenhand {__version__}\n".encode())
    except (OSError, AttributeError):
        return False
    return True


def _command() -> int:
    from evenhand.cli.main import run

    return run()


if __name__ == "__main__":
    main()
