"""How much of a file is read. Everything a stranger sends is bounded here and nowhere else."""

from __future__ import annotations

MIB = 1024 * 1024

HEAD = 64 * 1024
"""The bytes from which the format of most files is found."""

HEAD_GROWTH = 16
"""How many times more is looked at when they do not tell, again and again, up to the size of a document."""

LINE = 64 * MIB
"""The longest line of a file that is read line by line; a longer one is reported with its number and skipped."""

LINES = 10_000_000
"""The most lines that are read of one file, blank ones among them."""

BROKEN = 100_000
"""After so many broken lines a file is given up."""

FAULTS = 100
"""The same for documents that stand behind one another, which are dearer to find."""

DOCUMENT = 128 * MIB
"""The largest file that is one JSON document, and the largest member of an archive."""

TOTAL = 1024 * MIB
"""The most that is read of one file, or of all members of one archive, after compression is undone."""

DEPTH = 200
"""How deep lists and objects of one JSON value may stand in one another."""

EXPANSION = 250
"""How many times its size compressed data may grow; transcripts grow ten to fifty times."""

EXPANSION_FREE = 16 * MIB
"""Up to here the growth is not looked at: a few repeated lines compress very well."""

MEMBERS = 50_000
"""The most files in an archive."""

PROBLEMS = 200
"""The most problems that are listed for one submission; the others are counted."""

KINDS = 100
"""The most kinds of entries that are counted apart when they are unknown."""
