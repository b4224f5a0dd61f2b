"""Owns answers as plain values: what is written as JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from sondage.core.answers.classes import MroAnswer
from sondage.core.answers.text import Excerpt, Hit, Hits


def to_json(value: Any) -> Any:
    """Plain dicts, lists and scalars with the promised field names. Strings are left as they are (see `core.safe`)."""
    if isinstance(value, Hit):
        return msgspec.structs.asdict(value)
    if isinstance(value, msgspec.Struct):
        return {name.rstrip("_"): to_json(item) for name, item in _told(value).items()}
    if isinstance(value, dict):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple | Hits):
        return [to_json(item) for item in value]
    return value


def _told(answer: msgspec.Struct) -> dict[str, Any]:
    """What is said of an answer: its fields, but for bytes that stand in `lines` already and members nobody asked for."""
    fields = msgspec.structs.asdict(answer)
    if isinstance(answer, Excerpt):
        del fields["data"]
    if isinstance(answer, MroAnswer):
        fields["mro"] = answer.mro
        if answer.members is None:
            del fields["members"]
    return fields
