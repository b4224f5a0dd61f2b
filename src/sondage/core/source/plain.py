"""Owns assignments to one plain name or attribute: their text alone shows what they bind, without a look at their nodes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sondage.core.late import late_pattern
from sondage.core.source.collect import Collector, Here
from sondage.core.source.facts import Assigned, AttributeAssigned, How
from sondage.core.source.written import Written

if TYPE_CHECKING:
    from tree_sitter import Node

_NAME = rb"[A-Za-z_]\w*+"
_IS_VALUE = rb"=(?!=)[ \t]*+(?P<value>[^=#\\\s][^=]*+)"
"""With a single sign of equality, what follows it is the value, to the end of the statement."""
_ANNOTATION = rb"(?P<annotation>" + _NAME + rb"[\w.,\[\]|]*+(?:[ \t]++[\w.,\[\]|]++)*+)"
PLAIN_ASSIGNMENT = re.compile(rb"(?P<base>" + _NAME + rb"\.)?+(?P<name>" + _NAME + rb")[ \t]*+" + _IS_VALUE)
"""A statement that binds one plain name, or one attribute of a plain name."""
ATTRIBUTE_TARGET = re.compile(rb"\.[\s\\\x80-\xff]*+(?:#|[\w\x80-\xff]++[\s\\\x80-\xff]*+[=:,)\]#])")
"""What a statement holds that binds an attribute, and some others do: behind the last name of a target stands a sign of
equality or a colon, or in a list of targets a comma or a bracket; comments and continued lines may come between."""
_FIELD = late_pattern(
    rb"(?P<name>" + _NAME + rb")(?<!\blambda):[ \t]*+" + _ANNOTATION + rb"[ \t]*+(?:" + _IS_VALUE + rb")?+"
)
"""A plain name with an annotation. What begins with `lambda:` is none."""


class PlainAssignments(Collector):
    """The readers of such statements. Where the parser stumbled only its nodes say where a statement ends: not for those."""

    def plain_statement(self, node: Node, here: Here) -> bool:
        """Whether a statement outside of functions is one; then it is recorded."""
        at, end = node.start_byte, node.end_byte
        plain = PLAIN_ASSIGNMENT.fullmatch(self.utf8, at, end)
        if plain is not None and plain["base"]:
            self.plain_attribute(node, plain, here)
            return True
        field = plain or _FIELD.fullmatch(self.utf8, at, end)
        if field is None or field["name"] == b"__all__":
            return False
        value = _written(field, "value")
        annotation = _written(field, "annotation") if plain is None else None
        guard, line, name = self.guard(here.branch), self.line(node), field["name"].decode()
        how: How = "assign" if plain is not None else "annotation"
        self.assignments.append(Assigned(here.scope, guard, at, line, name, how, value, annotation))
        return True

    def plain_attribute(self, node: Node, plain: re.Match[bytes], here: Here) -> None:
        base, name, value = plain.group("base", "name", "value")
        self.attributes.append(
            AttributeAssigned(
                here.scope,
                self.guard(here.branch),
                plain.start("name"),
                self.line(node),
                Written(plain.start(), base[:-1].decode()),
                name.decode(),
                "assign",
                Written(plain.start("value"), value.decode("utf-8", "replace")),
            )
        )


def _written(found: re.Match[bytes], group: str) -> Written | None:
    text = found[group]
    return None if text is None else Written(found.start(group), text.decode("utf-8", "replace"))
