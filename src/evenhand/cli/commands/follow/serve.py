"""evenhand serve: the dashboard."""

from __future__ import annotations

import click

from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import chosen_store, say, store_option
from evenhand.errors import InputError
from evenhand.web.access.people import Role


@click.command("serve")
@store_option
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to serve on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8420,
    show_default=True,
    help="The port to serve on; 0 for any that is free.",
)
@setting_option("serve.public_url")
@click.option("--token-file", metavar="FILE", help="Who may sign in: a line NAME TOKEN [ROLE] for each person.")
@setting_option("serve.proxy_user")
@setting_option("serve.trusted_proxy", "trusted_proxies")
@setting_option("serve.proxy_role", default="reader")
@click.option("--read-only", is_flag=True, help="Show evaluations; no one can write any.")
@click.option("--open", "open_browser", is_flag=True, help="Open the dashboard in the browser.")
def command(
    store: str | None,
    host: str,
    port: int,
    public_url: str | None,
    token_file: str | None,
    proxy_user: str | None,
    trusted_proxies: tuple[str, ...],
    proxy_role: Role,
    read_only: bool,
    open_browser: bool,
) -> None:
    """Serve a dashboard over the store: skills, evaluations, comparisons, judges, rubrics, findings, search.

    Only this machine can connect, unless there is a token that people must sign in with: in EVENHAND_WEB_TOKEN,
    or one for each person in a file.

    \b
    Examples:
      evenhand serve --open
      evenhand serve --store postgresql://host/evaluations --read-only
      evenhand serve --host 0.0.0.0 --token-file people.txt --set serve.public_url=https://evals.example.com
    """
    from evenhand.store import open_store
    from evenhand.store.databases.sqlite_store import SqliteStore
    from evenhand.store.protocol import Store
    from evenhand.web.access.people import people_now
    from evenhand.web.access.proxy import proxy_from
    from evenhand.web.server.dashboard import Options, serve

    proxy = proxy_from(proxy_user, trusted_proxies, proxy_role)
    people = people_now(token_file)
    kept, settings = chosen_store(store)
    if kept is None:
        raise InputError("this command needs a store; name one with --store")
    if isinstance(kept, SqliteStore) and not kept.exists:
        raise InputError(f"{kept.url}: there is no store yet; make it with: evenhand judge OUTPUT, or name another")

    def open_again() -> Store:
        opened = open_store(settings.store)
        assert opened is not None
        return opened

    serve(open_again, Options(host, port, public_url, people, read_only, open_browser, proxy), say)
