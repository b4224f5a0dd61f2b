"""Owns the question whether the user holds a Kerberos ticket, with which only the program `ssh` can log in."""

from __future__ import annotations

import asyncio
import shutil

from sondage.errors import LoginRefused
from sondage.hosts import deadline
from sondage.hosts.deadline import within

METHOD = "gssapi-with-mic"
"""RFC 4462, 3."""


async def has_ticket() -> bool:
    """What `klist -s` says, whose exit status is 0 when there is a ticket that has not expired (klist(1))."""
    program = shutil.which("klist")
    if program is None:
        return False
    process = await asyncio.create_subprocess_exec(
        program,
        "-s",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        return await within(deadline.AGENT, process.wait(), LoginRefused("klist does not answer")) == 0
    except LoginRefused:
        return False
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
