"""Limits on reading untrusted files, all in one place."""

from __future__ import annotations

MIB = 1024 * 1024

HEAD = 64 * 1024
"""The bytes from which most formats are detected."""

HEAD_GROWTH = 16
"""The factor by which the head grows while the format is unclear, up to the size of a document."""

LINE = 64 * MIB
"""The longest line of a file that is read line by line; a longer one is reported with its number and skipped."""

LINES = 10_000_000
"""The most lines that are read of one file, blank ones among them."""

BROKEN = 100_000
"""After this many broken lines, the rest of a file is skipped."""

FAULTS = 100
"""After this many broken documents in a row, the rest is skipped: they are more expensive to find than lines."""

DOCUMENT = 128 * MIB
"""The largest file that is one JSON document, and the largest member of an archive."""

LONG_DOCUMENT = 32 * MIB
"""A plain file above this size that is one JSON document is read item by item, where its format can be."""

TOTAL = 1024 * MIB
"""The most that is read of one file, or of all members of one archive, after decompression."""

DEPTH = 200
"""How deeply lists and objects may be nested."""

EXPANSION = 250
"""How many times its size compressed data may grow; transcripts grow ten to fifty times."""

EXPANSION_FREE = 16 * MIB
"""Below this size the growth is not checked: a few repeated lines compress very well."""

MEMBERS = 50_000
"""The most files in an archive."""

PROBLEMS = 200
"""The most problems that are listed for one submission; the others are counted."""

KINDS = 100
"""The most kinds of unknown entries that are counted separately."""

STRAY = 20
"""The first lines of a file of JSON lines that may be something else, such as what a program said when it started."""

IMAGE = 5 * MIB * 3 // 4
"""The largest picture: services take 5 MiB of base64."""

ALL_IMAGES = 64 * MIB
"""The most data of all pictures of one submission together."""

IMAGES = 200
"""The most pictures that are looked for in one text."""

NAME = 1_000
"""The longest file name that is looked for in a text."""
