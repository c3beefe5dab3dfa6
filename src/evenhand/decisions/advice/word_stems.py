"""The words of a sentence that tell what it is about, cut to their stems. Pure; any language.

A stem is a word's first six letters, so that "measured" and "measurement" are one. Words that judges use of anything
are left out. Scripts without spaces give pairs of neighbouring characters.
"""

from __future__ import annotations

import re
from functools import lru_cache

LETTERS = 6

_WORD = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_COMMON = frozenset(
    """
    about above according across after again against all almost alone along already also although always among and
    another any anyone anything are around asked asks away back because been before being below best better between
    both but came can cannot clear clearly come comes could detail details did does doing done down due each either
    else enough even ever every everything example few find first for found from full further gave get gets give
    given gives goes going good had has have having help here how however instead instruction instructions into its
    itself just keep kept know known last least left less let like line lines little long made make makes making
    many may mean means might missing more most much must need needed needs neither never new next none nor not
    nothing now off often once one only other others otherwise our out output over own part parts perhaps place
    places point points put quite rather read reader readers really reason response result right rule said same say
    saying says see seen sentence set several shall should show shown shows since skill slightly some something
    stand stands state stated states still such take taken task tell tells than that the their them then there these
    they thing this those though through thus together too toward true two under until upon use used user users uses
    using very was way well were what when where whether which while who whole whose why will with within without
    word words work would wrong yet you your
    """.split()
)


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """The stems of the words that tell something."""
    found = set()
    for word in _WORD.findall(text.casefold()):
        if _UNSPACED.fullmatch(word):
            found |= {word[place : place + 2] for place in range(max(1, len(word) - 1))}
        elif len(word) > 2 and word not in _COMMON:
            found.add(word.removesuffix("s")[:LETTERS])
    return frozenset(found)
