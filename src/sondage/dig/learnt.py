"""Owns what is worked out about a whole tree and kept for the next process: the names of its modules, and its words.

Each is kept with what it was worked out from, and taken back where that is the same still.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import msgpack

from sondage.core.classes.modules import LAYOUT_VERSION, Layout, imports_of, layout_by_imports
from sondage.core.search.vocabulary import Vocabulary
from sondage.core.search.words import KEPT_AS
from sondage.core.source.facts import FACTS_VERSION, FileFacts
from sondage.dig.index import Index
from sondage.dig.mentions import KnownWords, hides_names
from sondage.dig.refresh import Tree, shown_path
from sondage.dig.shelf import TooMuchError
from sondage.store import RootKey, Store

if TYPE_CHECKING:
    from sondage.core.classes.codebase import Steps

_WORDS = f"{KEPT_AS} {sys.byteorder}".encode()
"""How words are kept."""
_IMPORTS = str(FACTS_VERSION).encode()


def known_layout(store: Store, tree: Tree, source_roots: Sequence[str]) -> Layout | None:
    """That of the very same files. Blocks."""
    kept = store.learnt(tree.key, "layout", _about_layout(tree, source_roots)) if tree.kept else None
    return msgpack.decode(kept, type=Layout) if kept else None


def keep_layout(store: Store, tree: Tree, source_roots: Sequence[str], layout: Layout) -> None:
    """Not that of a tree which the store does not have. Blocks."""
    if tree.kept:
        with suppress(UnicodeEncodeError):  # a path of the host that is no text
            store.put_learnt(tree.key, "layout", _about_layout(tree, source_roots), msgpack.encode(layout))


def layout_of_changed(
    store: Store, tree: Tree, facts: Mapping[str, FileFacts], source_roots: Sequence[str]
) -> Layout | None:
    """From the imports of all files, where few of them are not kept: those are asked of their `facts`. Blocks."""
    from sondage.core.classes.settled import MOST_READ  # noqa: PLC0415  once for each state of a tree

    kept = store.learnt(tree.key, "imports", _IMPORTS) if tree.kept else None
    if not kept:
        return None
    known = msgpack.decode(kept, type=dict[str, list[str]])
    fresh = [path for path, file in tree.files.items() if file.digest not in known]
    if len(fresh) > MOST_READ:
        return None
    try:
        known.update((tree.files[path].digest, list(imports_of(facts[path]))) for path in fresh)
    except TooMuchError:
        return None
    imported = {path: known[file.digest] for path, file in tree.files.items()}
    name = shown_path(tree.key.root).rstrip("/").rpartition("/")[2]
    return layout_by_imports(tree.files, imported, tree.layout_files, source_roots, name)


def keep_names(store: Store, tree: Tree, source_roots: Sequence[str], index: Index) -> None:
    """The layout of a whole index of a tree, and what the next is worked out from when the tree has changed. Blocks."""
    keep_layout(store, tree, source_roots, index.hierarchy.world.layout)
    if tree.kept:
        imports = {tree.files[path].digest: list(imports_of(one)) for path, one in index.facts.items()}
        store.put_learnt(tree.key, "imports", _IMPORTS, msgpack.encode(imports))


def _about_layout(tree: Tree, source_roots: Sequence[str]) -> bytes:
    """Of all that a layout is made from."""
    how = repr((LAYOUT_VERSION, FACTS_VERSION, source_roots)).encode("utf-8", "surrogateescape")
    files = b"\0".join(b"%b\0%b" % (path, tree.sources[path].digest.encode()) for path in sorted(tree.sources))
    return hashlib.sha256(b"%b%b\0" % (how, files)).digest()


def known_words(store: Store, key: RootKey) -> KnownWords:
    """As far as words are known. Blocks: five milliseconds for 20 MB of source."""
    kept = store.learnt(key, "words", _WORDS)
    if kept is None:
        return KnownWords()
    hiding, vocabulary = msgpack.decode(kept, type=tuple[list[str], memoryview])
    words = Vocabulary.restored(vocabulary)
    return KnownWords(words, {**dict.fromkeys(words.numbers, False), **dict.fromkeys(hiding, True)})


def learn_words(store: Store, tree: Tree, vocabulary: Vocabulary) -> Steps[None]:
    """Has the words of all files known, and kept, unless nearly all are already: a file at a step."""
    if not vocabulary.numbers:
        vocabulary.take(known_words(store, tree.key).vocabulary)
    before = vocabulary.numbers
    yield from vocabulary.learn(tree.files)
    if vocabulary.numbers is not before:
        keep_words(store, tree, vocabulary)


def learn_words_at_once(store: Store, tree: Tree, vocabulary: Vocabulary) -> None:
    """The same without a pause. Blocks."""
    from sondage.core.classes.codebase import finished  # noqa: PLC0415  who asks about a known tree learns nothing

    finished(learn_words(store, tree, vocabulary))


def keep_words(store: Store, tree: Tree, vocabulary: Vocabulary) -> None:
    """Words that were learnt from a tree. Blocks."""
    if tree.kept and vocabulary.numbers:
        contents = {file.digest: file for file in tree.files.values() if file.digest in vocabulary.numbers}
        hiding = [digest for digest, file in contents.items() if hides_names(file.data)]
        store.put_learnt(tree.key, "words", _WORDS, msgpack.encode((hiding, vocabulary.kept())))
