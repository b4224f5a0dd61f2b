"""Owns where a derived contract goes: to stdout, or into a file that was not there before."""

from __future__ import annotations

import os
from pathlib import Path

from sondage.cli.demand import contract_notes
from sondage.cli.plain import counted
from sondage.cli.report import Report
from sondage.core.answers.contracts import Contract
from sondage.errors import UsageError


def refuse_overwriting(output: Path | None, force: bool) -> None:
    """Before anything is connected or read: a file may have been edited by hand since it was written."""
    if output is not None and not force and (output.exists() or output.is_symlink()):
        raise UsageError("not overwritten", str(output), "--force, or another name")


def derived_report(contract: Contract, output: Path | None, force: bool) -> Report:
    """The contract as TOML; written to `output` where there is one, and then only said to be."""
    from sondage.core.contracts.contract_file import write  # noqa: PLC0415  it brings the parser: no `--help` waits for it

    text, notes = write(contract), contract_notes(contract, "the end of the contract")
    holds = bool(contract.items)
    if output is None:
        return Report(contract, text.removesuffix("\n").split("\n"), holds=holds, data=text.encode(), notes=notes)
    _write(output, text.encode(), force)
    said = f"note: {counted(len(contract.items), 'member')} written to {output}"
    return Report(contract, (), holds=holds, notes=(said, *notes))


def _write(output: Path, data: bytes, force: bool) -> None:
    """The whole file or none of it. Raises `UsageError` where it cannot be written."""
    new = output.with_name(f".{output.name}.{os.getpid()}") if force else output
    try:
        with new.open("xb") as file:
            try:
                file.write(data)
            except OSError:
                new.unlink()
                raise
        new.replace(output)
    except OSError as error:
        raise UsageError("the contract cannot be written", str(output), error.strerror or str(error)) from error
