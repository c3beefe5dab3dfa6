"""One comment on a pull request, found by its hidden first line and updated. Failures are values without the token."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

TIMEOUT = 10.0
MOST_PAGES = 30
PAGE = 100


class CommentFailed(Exception):
    """The comment was not written; says why."""


class _NoRedirects(HTTPRedirectHandler):
    """The token goes to the address that was given and nowhere else."""

    def redirect_request(self, *arguments: Any) -> None:
        return None


class Comments:
    """The comments on a repository's pull requests."""

    def __init__(self, api: str, repository: str, token: str, *, author: str) -> None:
        host = urlsplit(api).hostname or ""
        if not api.startswith("https://") and host not in ("localhost", "127.0.0.1", "::1"):
            raise CommentFailed(f"the token would be sent unencrypted to {api}")
        if not re.fullmatch(r"[\w-]+/(?!\.\.?$)[\w.-]+", repository):
            raise CommentFailed(f'"{repository}" is not the name of a repository, such as owner/name')
        self._start = f"{api.rstrip('/')}/repos/{repository}/issues"
        self._token = token
        self._author = author
        self._opener = build_opener(_NoRedirects)

    def put(self, number: int, marker: str, body: str) -> None:
        """Update the comment that begins with the marker, or write a new one.

        Only a comment by our own author is touched: anybody can write one that begins with the marker.
        """
        text = f"{marker}\n{body}"
        known = self._find(number, marker)
        if known is None:
            self._call("POST", f"/{number}/comments", {"body": text})
        else:
            self._call("PATCH", f"/comments/{known}", {"body": text})

    def _find(self, number: int, marker: str) -> int | None:
        for page in range(1, MOST_PAGES + 1):
            comments = self._call("GET", f"/{number}/comments?per_page={PAGE}&page={page}")
            if not isinstance(comments, list):
                raise CommentFailed("GitHub did not answer with a list of comments")
            for comment in comments:
                match comment:
                    case {"id": int() as id, "body": str() as body, "user": {"login": login}} if login == self._author:
                        if body.startswith(marker):
                            return id
            if len(comments) < PAGE:
                break
        return None

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        request = Request(
            self._start + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self._token}",
                "Accept": "application/vnd.github+json",
                "Content-Type": "application/json",
                "User-Agent": "evenhand",
            },
        )
        try:
            with self._opener.open(request, timeout=TIMEOUT) as reply:
                return json.loads(reply.read())
        except HTTPError as error:
            why = "the token may not write comments" if error.code in (401, 403, 404) else "GitHub refused it"
            raise CommentFailed(f"{why} (status {error.code})") from None
        except (URLError, OSError, ValueError) as error:
            raise CommentFailed(f"GitHub could not be reached: {type(error).__name__}") from None
