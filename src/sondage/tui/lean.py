"""Owns how Textual is imported for the app: without its command palette, which brings a dozen kinds of widgets.

The app has a palette of its own. What Textual's app only names of the other stands there as an empty class.
"""

from __future__ import annotations

import sys
from types import ModuleType

PALETTE = "textual.command"
NAMED = ("CommandListItem", "CommandPalette", "DiscoveryHit", "Hit", "Hits", "Provider", "SimpleProvider")
"""What `textual.app` and `textual.theme` import of it; another name is an ImportError at the start."""


def import_textual() -> None:
    """Before anything else of Textual is imported; where it is already, it stays as it is."""
    if "textual.app" in sys.modules or PALETTE in sys.modules:
        return
    sys.modules[PALETTE] = _stand_in()
    try:
        import textual.app  # noqa: F401, PLC0415  the stand-in has to be there first
    finally:
        del sys.modules[PALETTE]


def _stand_in() -> ModuleType:
    module = ModuleType(PALETTE)
    vars(module).update({name: type(name, (), {}) for name in NAMED})
    return module
