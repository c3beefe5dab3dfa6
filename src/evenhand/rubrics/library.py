"""Where rubrics are found: an explicit path, the project's `evenhand/rubrics/`, then the built-in ones.

A skill gets the rubric of exactly its own name, else the default and a warning that lists similar names.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.core.numbers import cents
from evenhand.core.rubric import RAW, Band, Bonus, Criteria, RedFlag, Rubric
from evenhand.core.rules import DIMENSIONS
from evenhand.errors import InputError, Problem, RubricError, nearest, unknown
from evenhand.files.json_values import load_json
from evenhand.files.text import read_text
from evenhand.work.names import slug

if TYPE_CHECKING:
    from evenhand.core.rubric import Tree
    from evenhand.rubrics.rubric_file import ParsedRubric

DEFAULT = "default"
BUILTIN = Path(__file__).parent / "builtin"
PROJECT = Path("evenhand") / "rubrics"


class Place(NamedTuple):
    """A rubric that can be loaded."""

    name: str
    """The name it is looked up by: its file name."""
    origin: str
    """built-in, project, or file when it was given by path."""
    path: Path


def load_rubric(name_or_path: str, *, base: Path | None = None) -> Rubric:
    """The rubric a user names, by path or by name. `base` is the folder a relative path starts from."""
    return load_place(locate(name_or_path, base=base))


def locate(name_or_path: str, *, base: Path | None = None) -> Place:
    """The place of the rubric a user names; RubricError when there is none."""
    if is_path(name_or_path):
        path = base / name_or_path if base else Path(name_or_path)
        return Place(path.stem, "file", path)
    place = find(name_or_path)
    if place is None:
        names = (place.name for place in places())
        message = unknown("rubric", name_or_path, names, most=3, otherwise="see: evenhand rubric list")
        raise RubricError(Problem(message, path=("rubric",)))  # a judgement may name it
    return place


def locate_for_skill(skill: str) -> tuple[Place, str | None]:
    """The rubric of exactly the skill's name, or the default and a warning that lists similar names."""
    place = find(skill)
    if place is not None:
        return place, None
    near = nearest(skill, (place.name for place in places() if place.name != DEFAULT), most=3)
    hint = f"; similar names: {', '.join(near)} (choose one with --rubric)" if near else ""
    return locate(DEFAULT), f'no rubric is named "{skill}", so the default rubric was used{hint}'


def other_name(place: Place, rubric: Rubric) -> str | None:
    """What to do when the file name and the name inside differ; None when they agree."""
    if rubric.name in (place.name, slug(place.name)):
        return None
    return f'its name is "{rubric.name}", but its file is named "{place.name}"; make them the same'


def is_path(name_or_path: str) -> bool:
    """Whether a user means a file rather than a name."""
    return name_or_path.endswith(".md") or "/" in name_or_path or "\\" in name_or_path


def load_place(place: Place) -> Rubric:
    """A listed rubric."""
    if place.origin == "built-in":
        return _load_builtin(place.path)
    return load_file(str(place.path))


def load_file(path: str) -> Rubric:
    """The rubric in a file, with the weights file beside it if there is one."""
    return parse_file(path).rubric


def parse_file(path: str) -> ParsedRubric:
    """The rubric in a file, with the line of each of its parts."""
    from evenhand.rubrics.rubric_file import parse_rubric  # built-in rubrics come without the Markdown parser

    try:
        text = read_text(path)
        beside = weights_path(Path(path))
        side_weights = load_json(read_text(str(beside)), str(beside)) if beside.is_file() else None
    except InputError as error:
        raise RubricError(error.problems) from None
    if not text.strip():
        raise RubricError(Problem("is empty; start a rubric with: evenhand rubric new NAME", path))
    return parse_rubric(text, path, name=slug(Path(path).stem), side_weights=side_weights)


def weights_path(rubric: Path) -> Path:
    """The weights files that may accompany a rubric."""
    return rubric.with_suffix(".weights.json")


def places() -> Iterator[Place]:
    """Every rubric that has a name, the project's first; a project's rubric hides a built-in of the same name."""
    seen = set()
    for origin, folder in (("project", project_folder()), ("built-in", BUILTIN)):
        for path in sorted(folder.glob("*.md")) if folder else ():
            if path.stem not in seen:
                seen.add(path.stem)
                yield Place(path.stem, origin, path)


def find(name: str) -> Place | None:
    """The rubric of exactly this name."""
    return next((place for place in places() if place.name == name), None)


def project_folder() -> Path | None:
    """The nearest `evenhand/rubrics/` here or above, not past the top of the repository."""
    current = Path.cwd()
    for folder in (current, *current.parents):
        if (folder / PROJECT).is_dir():
            return folder / PROJECT
        if (folder / ".git").exists():
            return None
    return None


def compiled_path(source: Path) -> Path:
    """The compiled form of a built-in rubric, so that scoring need not load a Markdown parser."""
    return source.parent / "compiled" / f"{source.stem}.json"


def _load_builtin(path: Path) -> Rubric:
    """The compiled form if it was made from exactly this text, else the text itself."""
    compiled = compiled_path(path)
    if compiled.is_file():
        document = json.loads(compiled.read_text(encoding="utf-8"), parse_float=Decimal, parse_int=Decimal)
        if document["source_sha256"] == hashlib.sha256(path.read_bytes()).hexdigest():
            return rubric_from(document["rubric"])
    return load_file(str(path))


def _tree(document: dict[str, Any] | None) -> Tree | None:
    if document is None:
        return None
    from evenhand.core.criteria import tree_from  # few rubrics have criteria

    return tree_from(document)


def rubric_from(document: dict[str, Any]) -> Rubric:
    """A rubric from its canonical document."""
    return Rubric(
        name=document["name"],
        title=document["title"],
        domain=document["domain"],
        version=document["version"],
        summary=document["summary"],
        weights={name: document["weights"][name] for name in DIMENSIONS},
        pass_mark=cents(document["pass_mark"]),
        pass_mark_reason=document["pass_mark_reason"],
        dimensions={
            name: Criteria(
                measures=document["dimensions"][name]["measures"],
                bands=tuple(
                    Band(low=int(band["low"]), high=int(band["high"]), criteria=band["criteria"])
                    for band in document["dimensions"][name]["bands"]
                ),
                tree=_tree(document["dimensions"][name].get("criteria")),
            )
            for name in DIMENSIONS
        },
        red_flags=tuple(
            RedFlag(
                id=flag["id"],
                description=flag["description"],
                deduction=cents(flag["deduction"]),
                detect=flag.get("detect", ""),
            )
            for flag in document["red_flags"]
        ),
        bonuses=tuple(
            Bonus(id=bonus["id"], description=bonus["description"], detect=bonus.get("detect", ""))
            for bonus in document["bonuses"]
        ),
        official=document.get("official", RAW),
    )
