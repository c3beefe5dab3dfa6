"""The style sheet and the script: read from the package once, each under an address that holds its hash."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final, NamedTuple

from aiohttp import web

from evenhand.reports.html.environment import stylesheet
from evenhand.web.route import Handler, Route

_FOLDER: Final = Path(__file__).parent / "static"
_KINDS: Final = {
    "dashboard.css": "text/css",
    "dashboard.js": "text/javascript",
    "review.css": "text/css",
    "review.js": "text/javascript",
}
"""Every file that is served; no name from a request is ever joined to a path."""

_MORE_STYLES: Final = ("menu.css", "following.css", "notes.css")
"""Further parts of the dashboard's style sheet, each about one thing."""


class StaticFile(NamedTuple):
    """A file as it is served."""

    name: str
    address: str
    kind: str
    body: bytes


def static_files() -> dict[str, StaticFile]:
    """Every file, by name."""
    bodies = {name: (_FOLDER / name).read_bytes() for name in _KINDS}
    parts = [stylesheet().encode(), bodies["dashboard.css"], *((_FOLDER / name).read_bytes() for name in _MORE_STYLES)]
    bodies["dashboard.css"] = b"\n".join(parts)  # first what the reports share
    return {name: _addressed(name, _KINDS[name], body) for name, body in bodies.items()}


def _addressed(name: str, kind: str, body: bytes) -> StaticFile:
    stem, _, ending = name.partition(".")
    return StaticFile(name, f"/static/{stem}-{hashlib.sha256(body).hexdigest()[:16]}.{ending}", kind, body)


def static_routes() -> list[Route]:
    """A route for each file."""
    return [Route(file.address, _handler(file), open=True, cached=True) for file in static_files().values()]


def _handler(file: StaticFile) -> Handler:
    async def handler(request: web.Request) -> web.StreamResponse:
        return web.Response(body=file.body, content_type=file.kind, charset="utf-8")

    return handler
