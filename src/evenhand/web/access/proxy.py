"""Sign-in through a reverse proxy: a header with a person's name, believed only from the addresses of the proxy."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from evenhand.errors import InputError
from evenhand.web.access.people import Person, Role

LONGEST_NAME: Final = 100
"""Characters of a name."""

_HEADER: Final = r"[A-Za-z0-9-]{1,100}"


class Proxy(NamedTuple):
    """A proxy that says who sends a request."""

    header: str
    """The header that holds the name."""
    networks: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]
    """Where it sends requests from; from anywhere else the header says nothing."""
    role: Role = "reader"
    """The role of everyone whom the token file does not name."""

    def person(self, address: str, values: Sequence[str], people: Sequence[Person]) -> Person | None:
        """Who the proxy says it is; None when it is not the proxy, or it names no one, or several."""
        if len(values) != 1 or not self._trusts(address):
            return None
        name = values[0].strip()
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            return None
        role = next((person.role for person in people if person.name == name), self.role)
        # The mark of a session that began here is of this text: its cookie is worth nothing without the header.
        return Person(name, f"named by a proxy in {self.header.lower()}", role)

    def _trusts(self, address: str) -> bool:
        try:
            sender = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return False
        mapped = getattr(sender, "ipv4_mapped", None)
        return any((mapped or sender) in network for network in self.networks)


def proxy_from(header: str | None, addresses: Sequence[str], role: Role) -> Proxy | None:
    """The proxy of the command line's options; None without any. InputError for half of them."""
    if header is None and not addresses:
        return None
    if header is None:
        raise InputError(
            "serve.trusted_proxy needs serve.proxy_user HEADER, the header in which the proxy names people"
        )
    if not addresses:
        raise InputError("serve.proxy_user needs serve.trusted_proxy ADDRESS: anyone else could send the header too")
    if not re.fullmatch(_HEADER, header):
        raise InputError(f"serve.proxy_user {header}: give the name of a header, such as X-Forwarded-User")
    if header.lower() in ("authorization", "cookie", "host", "origin"):
        raise InputError(
            f"serve.proxy_user {header}: browsers send this one themselves; choose one that only the proxy sets"
        )
    networks = []
    for address in addresses:
        try:
            networks.append(ipaddress.ip_network(address, strict=False))
        except ValueError:
            raise InputError(
                f"serve.trusted_proxy {address}: give an address such as 127.0.0.1, or a network"
            ) from None
    return Proxy(header, tuple(networks), role)
