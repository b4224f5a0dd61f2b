"""Owns the first contact with a server: its name, its addresses, and whether SSH is spoken there."""

from __future__ import annotations

import asyncio
import os
import socket

from sondage.hosts import deadline
from sondage.hosts.doctor.diagnosis import Step, connect_remedy
from sondage.hosts.hop import Hop
from sondage.hosts.names import shown

MOST_ADDRESSES = 4
GREETING = 5.0
"""Seconds in which a server says who it is (RFC 4253, 4.2)."""


async def knock(hop: Hop) -> Step:
    """Each address is tried, as opening the target would until one answers."""
    try:
        addresses = await _look_up(hop)
    except (OSError, TimeoutError) as error:
        why = str(getattr(error, "strerror", "") or "no answer in time")
        remedy = connect_remedy("the host name is not known")
        return Step("address", "failed", hop.label, tried=(hop.host,), refused=(why,), remedy=remedy)
    tried, offered, refused = [], [], []
    for address in addresses[:MOST_ADDRESSES]:
        place = f"[{address}]:{hop.port}" if ":" in address else f"{address}:{hop.port}"
        tried.append(place)
        greeting, why = await _greet(hop, address)
        if why:
            refused.append(f"{place}: {why}")
        else:
            offered.append(f"{place}: {greeting}")
    why = " ".join(refused).lower()
    return Step(
        "address",
        "ok" if offered else "failed",
        hop.label,
        tuple(addresses),
        tuple(tried),
        tuple(offered),
        tuple(refused),
        "" if offered else connect_remedy(why),
    )


async def _look_up(hop: Hop) -> list[str]:
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(deadline.RESOLVE):
        found = await loop.getaddrinfo(hop.host, hop.port, family=hop.family, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[4][0]) for address in found))


async def _greet(hop: Hop, address: str) -> tuple[str, str]:
    """What the server says of itself; or why there is none."""
    try:
        async with asyncio.timeout(hop.connect_timeout or deadline.TCP):
            reader, writer = await asyncio.open_connection(address, hop.port)
    except TimeoutError:
        return "", "no SSH server answers: silence"
    except OSError as error:
        return "", os.strerror(error.errno).lower() if error.errno else str(error)
    try:
        async with asyncio.timeout(GREETING):
            greeting = await reader.readline()
    except (TimeoutError, ValueError, OSError):
        greeting = b""
    finally:
        writer.close()
    if greeting.startswith(b"SSH-"):
        return shown(greeting, 80), ""
    return "", f"no SSH server answers, but something that says {shown(greeting, 80)!r}" if greeting else "it hung up"
