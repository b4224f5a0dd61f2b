"""Owns answers as plain values: what is written as JSON."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec

from sondage.core.answers.classes import MroAnswer
from sondage.core.answers.text import Hit


def to_json(value: Any) -> Any:
    """Plain dicts, lists and scalars with the promised field names. Strings are left as they are (see `core.safe`)."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        out = {
            f.name.rstrip("_"): to_json(getattr(value, f.name))
            for f in dataclasses.fields(value)
            if f.metadata.get("json", True)
        }
        if isinstance(value, MroAnswer):
            out["mro"] = list(value.mro)
            if value.members is None:
                del out["members"]
        return out
    if isinstance(value, Hit):
        return msgspec.structs.asdict(value)
    if isinstance(value, dict):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    return value
