"""A Dig over a small tree in memory, its answers made by hand: what the app needs to be looked at without a host."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from sondage.core.answers.calls import CallerRow, CallersAnswer, CallSite, Definition, ReceiverType, Resolution
from sondage.core.answers.certainty import Candidates, Coverage, Evidence
from sondage.core.answers.classes import (
    MemberRow,
    MroAnswer,
    MroStep,
    OverrideRow,
    OverridesAnswer,
    SubclassesAnswer,
    SubclassRow,
)
from sondage.core.answers.contracts import (
    Assumption,
    CallShape,
    ClassDrift,
    ClassReport,
    Contract,
    ContractItem,
    ContractReport,
    DriftAnswer,
    DriftItem,
    Escape,
    LintAnswer,
    LintRow,
    Use,
    Verdict,
    is_met,
)
from sondage.core.answers.index import IndexSummary, Progress
from sondage.core.answers.plain import to_json
from sondage.core.answers.text import Excerpt, Hit, SearchAnswer, SymbolRow
from sondage.core.source.extract import extract_text
from sondage.core.source.facts import FileFacts
from sondage.core.source.text import SourceText
from sondage.core.transcripts.replay import Replayed
from sondage.core.transcripts.transcript import Entry
from sondage.dig import Link, SearchQuery
from sondage.errors import HostError, UsageError
from sondage.hosts.base import Address, HostIdentity, Target

WRAPPER = '''\
"""A wrapper that holds its language model."""

import torch
from torch import nn

from engine.models.inner import Inner


class Wrapper(nn.Module):
    """Text and pictures; the text is left to `language_model`."""

    def __init__(self, config, quant_config=None):
        super().__init__()
        self.config = config
        self.language_model = Inner(config.text_config, quant_config)

    def forward(self, input_ids: torch.Tensor, positions: torch.Tensor, forward_batch):
        return self.language_model(input_ids, positions, forward_batch)

    def load_weights(self, weights):
        language = [(name, tensor) for name, tensor in weights if "language" in name]
        self.language_model.load_weights(language)


EntryClass = [Wrapper]
'''

INNER = '''\
"""The language model, as a base class and its versions."""

from torch import nn

from engine.models.weights import WeightsMixin


class Core(nn.Module, WeightsMixin):
    """All that the versions share."""

    def __init__(self, config, quant_config=None):
        super().__init__()
        self.model = nn.ModuleList()
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size)  # shared when tied

    def forward(self, input_ids, positions, forward_batch):
        hidden_states = self.model(input_ids, positions, forward_batch)
        return self.logits_processor(input_ids, hidden_states, self.lm_head)

    def load_weights(self, weights, is_nextn=False):
        for name, tensor in weights:
            self.load_one(name, tensor)

    def get_embed_and_head(self):
        return self.model.embed_tokens.weight, self.lm_head.weight

    def set_embed_and_head(self, embed, head):
        del self.model.embed_tokens.weight
        self.model.embed_tokens.weight = embed
        self.lm_head.weight = head

    @classmethod
    def expert_location(cls, config):
        return {"layers": config.num_hidden_layers, "groups": config.n_group}

    def set_layers_to_capture(self, layer_ids=None):
        self.capture_aux_hidden_states = True
        self.model.layers_to_capture = [layer + 1 for layer in layer_ids or (2, 4, 8)]


class Inner(Core):
    pass


class Sparse(Core):
    def load_weights(self, weights, is_nextn=False):
        super().load_weights(weights, is_nextn)


EntryClass = [Core, Inner, Sparse]
'''

WEIGHTS = """\
class WeightsMixin:
    model: object

    def load_one(self, name, tensor):
        parameter = getattr(self.model, name)
        parameter.data.copy_(tensor)
"""

WORKER = '''\
"""Runs the draft beside the target."""


class Worker:
    def __init__(self, target_worker, draft_runner):
        self.target_worker = target_worker
        self.draft_runner = draft_runner
        embed, head = self.target_worker.model_runner.model.get_embed_and_head()
        if self.is_eagle3():
            self.draft_runner.model.set_embed(embed)
        else:
            self.draft_runner.model.set_embed_and_head(embed, head)

    def is_eagle3(self):
        return True
'''

FILES = {
    "engine/models/inner.py": INNER,
    "engine/models/weights.py": WEIGHTS,
    "engine/models/wrapper.py": WRAPPER,
    "engine/worker.py": WORKER,
}
NOT_READ = "torch is not in the index"


def line_of(path: str, text: str, files: dict[str, str] = FILES) -> int:
    """The first line of a file that holds a text."""
    return next(n for n, line in enumerate(files[path].split("\n"), 1) if text in line)


def member(path: str, owner: str, name: str, kind: str = "method") -> tuple[str, MemberRow]:
    return name, MemberRow(owner, kind, path, line_of(path, f"def {name}("))


IN, WE, WR, WO = FILES
CORE, MIXIN, INNER_, WRAPPER_, WORKER_ = (
    "engine.models.inner.Core",
    "engine.models.weights.WeightsMixin",
    "engine.models.inner.Inner",
    "engine.models.wrapper.Wrapper",
    "engine.worker.Worker",
)
SPARSE = "engine.models.inner.Sparse"
CLASSES = {
    CORE: (IN, ("torch.nn.Module", MIXIN)),
    INNER_: (IN, (CORE,)),
    SPARSE: (IN, (CORE,)),
    MIXIN: (WE, ()),
    WRAPPER_: (WR, ("torch.nn.Module",)),
    WORKER_: (WO, ()),
}
ORDERS = {
    CORE: (CORE, "torch.nn.Module", MIXIN),
    INNER_: (INNER_, CORE, "torch.nn.Module", MIXIN),
    SPARSE: (SPARSE, CORE, "torch.nn.Module", MIXIN),
    MIXIN: (MIXIN,),
    WRAPPER_: (WRAPPER_, "torch.nn.Module"),
    WORKER_: (WORKER_,),
}
OWN = {
    CORE: [
        member(IN, CORE, n)
        for n in (
            "__init__",
            "forward",
            "load_weights",
            "get_embed_and_head",
            "set_embed_and_head",
            "expert_location",
            "set_layers_to_capture",
        )
    ],
    INNER_: [],
    SPARSE: [("load_weights", MemberRow(SPARSE, "method", IN, line_of(IN, "class Sparse") + 1))],
    MIXIN: [member(WE, MIXIN, "load_one")],
    WRAPPER_: [member(WR, WRAPPER_, n) for n in ("__init__", "forward", "load_weights")],
    WORKER_: [member(WO, WORKER_, n) for n in ("__init__", "is_eagle3")],
}


EAGLE = ("self.is_eagle3()", "self.server_args.speculative_algorithm is not None")


def derived_contract(consumers: tuple[str, ...] = ("engine/worker.py:Worker",), receiver: str = "self.m") -> Contract:
    """A contract with an item of every kind: required, conditional, optional, with calls that fit and one that does not."""

    def use(text: str, call: CallShape | None, guards: tuple[str, ...] = (), optional: bool = False) -> Use:
        how: Any = "call" if call is not None else "read"
        return Use(how, WO, line_of(WO, text), 9, "Worker.__init__", optional, "proved", call, guards)

    none = CallShape()
    return Contract(
        "worker",
        (
            ContractItem("forward", uses=(use("self.target_worker =", none),)),
            ContractItem("get_embed_and_head", uses=(use("embed, head", none),)),
            ContractItem("load_weights", uses=(use("self.draft_runner =", CallShape(3)),)),
            ContractItem("set_layers_to_capture", uses=(use("set_embed(embed)", CallShape(1), EAGLE),)),
            ContractItem("get_hidden_dim", uses=(use("set_embed(embed)", none, EAGLE[:1]),), certainty="possible"),
            ContractItem(
                "expert_location", "optional", uses=(use("set_embed_and_head(", none, ("hasattr(m, …)",), True),)
            ),
        ),
        consumers,
        receiver,
        escapes=(Escape(WO, line_of(WO, "def is_eagle3"), "other(self.m)", "other was not found", "Worker"),),
        notes=("Worker holds the object and uses it as well: see engine.worker.Worker.m",),
    )


BOX = Target("/srv/engine", Address("box"))
EVE = HostIdentity("ssh", "box", "eve", "SHA256:abc", "tar over exec")


@dataclass
class FakeDig:
    """`seen` files have arrived; `arrive` adds one and tells the listeners, as the real one does after each swap."""

    files_given: dict[str, str] = field(default_factory=lambda: dict(FILES))
    target: Target = BOX
    identity: HostIdentity | None = EVE
    root: str = "/srv/engine"
    revision: int = 1
    indexed_at: float | None = 988.0
    online: bool = True
    round_trip: float | None = 0.041
    session: str | None = "engine"
    taken: tuple[str, ...] = ()
    """Names that other sessions have."""
    seen: int | None = None
    refresh_error: HostError | None = None
    changed_there: set[str] = field(default_factory=set)
    """Paths of files that are others on the host by now."""
    looked_at: list[str] = field(default_factory=list)
    answers: dict[str, Any] = field(default_factory=dict)
    asked: list[tuple[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.texts = {
            path: SourceText(text.encode("utf-8", "surrogateescape")) for path, text in self.files_given.items()
        }
        self.listeners: list[Callable[[], None]] = []
        self.log: list[Entry] = []
        self.watchers: list[Callable[[], None]] = []
        self.link = Link("online", 988.0)
        self.notes: list[str] = []
        self.closed = False

    # ---- the index

    @property
    def coverage(self) -> Coverage:
        return Coverage(len(self.files_given) if self.seen is None else self.seen, len(self.files_given))

    @property
    def lines(self) -> int:
        return sum(text.line_count for text in self.texts.values())

    def take_notes(self) -> list[str]:
        notes, self.notes = self.notes, []
        return notes

    def listen(self, listener: Callable[[], None]) -> None:
        self.listeners.append(listener)

    def watch(self, listener: Callable[[], None]) -> None:
        self.watchers.append(listener)

    def lose(self, link: Link, note: str) -> None:
        """The connection has come to this, and that is to be said of it."""
        self.link, self.online, self.notes = link, link.state == "online", [note]
        for watcher in self.watchers:
            watcher()

    async def stale(self, path: str) -> bool | None:
        self.looked_at.append(path)
        return path in self.changed_there

    def arrive(self, number: int = 1) -> None:
        assert self.seen is not None
        self.seen = min(len(self.files_given), self.seen + number)
        self.revision += 1
        for listener in self.listeners:
            listener()

    async def replay(self, entry: Entry) -> Replayed:
        return Replayed(entry, "same")

    async def refresh(self, report: Callable[[Progress], None] | None = None) -> IndexSummary:
        if self.refresh_error is not None:
            raise self.refresh_error
        if report is not None:
            report(Progress("done", len(self.files_given), len(self.files_given)))
        lines = sum(text.line_count for text in self.texts.values())
        return IndexSummary(self.root, len(self.texts), 0, lines, len(CLASSES), 20, 0, len(self.texts), (), (), {}, {})

    def files(self) -> Sequence[str]:
        return list(self.texts)[: self.seen]

    def want(self, path: str) -> bool:
        return path in self.texts and path not in self.files()

    def source(self, path: str) -> SourceText | None:
        return self.texts.get(path) if path in self.files() else None

    def facts(self, path: str) -> FileFacts | None:
        text = self.source(path)
        return extract_text(text) if text is not None else None

    def module_of(self, path: str) -> str:
        return path.removesuffix(".py").replace("/", ".") if path in self.texts else ""

    # ---- questions

    def _note(self, verb: Any, arguments: dict[str, Any], answer: Any, commit: bool, *evidence: Evidence) -> None:
        self.asked.append((verb, arguments))
        if commit:
            number = len(self.log)
            time = f"2026-03-02T14:02:{7 * number % 60:02}+01:00"
            self.log.append(
                Entry(
                    id=f"e{number}",
                    time=time,
                    verb=verb,
                    arguments=arguments,
                    answer=to_json(answer),
                    evidence=evidence,
                )
            )

    async def search(
        self, query: SearchQuery, *, commit: bool = True, first: Callable[[SearchAnswer], None] | None = None
    ) -> SearchAnswer:
        try:
            regex = re.compile(
                re.escape(query.pattern) if query.fixed else query.pattern, re.I if query.ignore_case else 0
            )
        except re.error as error:
            where = f"column {(error.pos or 0) + 1} of {query.pattern}"
            raise UsageError("invalid pattern, missing )", where, "RE2 syntax; -F searches plain text") from None
        paths = [
            p
            for p in self.files()
            if not query.globs or any(fnmatch("/" + p, "*" + g.lstrip("*")) for g in query.globs)
        ]
        hits = [
            Hit(path, number, found.start() + 1, line, _symbol(self.texts[path], number))
            for path in paths
            for number, line in enumerate(self.texts[path].lines, 1)
            if (found := regex.search(line))
        ]
        evidence = [Evidence(hit.path, hit.line, hit.text) for hit in hits[:1]]
        found = SearchAnswer(
            query.pattern, tuple(hits[: query.limit]), len(hits), len({h.path for h in hits}), len(paths)
        )
        self._note("search", {"pattern": query.pattern, "globs": list(query.globs)}, found, commit, *evidence)
        return found

    async def symbols(self, query: str, *, limit: int = 50, commit: bool = True) -> tuple[SymbolRow, ...]:
        rows = []
        for full, (path, _) in CLASSES.items():
            name = full.rpartition(".")[2]
            rows.append(SymbolRow(name, name, "class", path, line_of(path, f"class {name}"), 1.0))
            rows += [SymbolRow(n, f"{name}.{n}", "method", row.path, row.line, 1.0) for n, row in OWN[full]]
        return tuple(row for row in rows if query.lower() in row.qualname.lower())[:limit]

    async def show(self, spec: str, *, commit: bool = True) -> Excerpt | Candidates:
        path, _, lines = spec.rpartition(":")
        text = self.source(path)
        if text is None:
            owner, _, name = spec.rpartition(".")
            full = self._full(owner)
            found = dict(OWN.get(full, ())).get(name) if isinstance(full, str) else None
            if found is None:
                return Candidates(spec, "symbol", "absent")
            path, lines, text = found.path, f"{found.line}", self.texts[found.path]
        first, _, last = lines.replace(",", "-").partition("-")
        a, b = int(first), int(last or first)
        symbol = _symbol(text, a)
        found = Excerpt(path, a, b, tuple(text.lines[a - 1 : b]), symbol, text.digest, text.line_count)
        self._note("show", {"spec": spec}, found, commit, Evidence(path, a, text.line(a)))
        return found

    def _full(self, name: str) -> str | Candidates:
        names = tuple(full for full in CLASSES if full == name or full.endswith("." + name))
        if len(names) == 1:
            return names[0]
        return Candidates(name, "class", "ambiguous" if names else "absent", names or tuple(CLASSES)[:3])

    async def mro(self, class_name: str, *, members: bool = False, commit: bool = True) -> MroAnswer | Candidates:
        full = self._full(class_name)
        if isinstance(full, Candidates):
            return full
        path, bases = CLASSES[full]
        order = tuple(
            MroStep(name, CLASSES[name][0], line_of(CLASSES[name][0], f"class {name.rpartition('.')[2]}"))
            if name in CLASSES
            else MroStep(name, "", 0, NOT_READ)
            for name in ORDERS[full]
        )
        known: dict[str, MemberRow] = {}
        for name in ORDERS[full]:
            for key, row in OWN.get(name, ()):
                known.setdefault(key, row)
        whole = all(step.open is None for step in order)
        why = () if whole else ("torch.nn.Module is not in the index",)
        found = MroAnswer(full, path, order[0].line, bases, order, whole, why, None, known if members else None)
        self._note("mro", {"class": full}, found, commit, Evidence(path, order[0].line, ""))
        return found

    async def subclasses(self, class_name: str, *, commit: bool = True) -> SubclassesAnswer | Candidates:
        full = self._full(class_name)
        if isinstance(full, Candidates):
            return full
        below = [c for c, order in ORDERS.items() if full in order and c != full]
        rows = [
            SubclassRow(c, CLASSES[c][0], line_of(CLASSES[c][0], f"class {c.rpartition('.')[2]}"), 1) for c in below
        ]
        return SubclassesAnswer(full, tuple(rows))

    async def overrides(self, member: str, *, commit: bool = True) -> OverridesAnswer | Candidates:
        """All definitions of the name along the MRO and below, their signatures read from the lines."""
        owner, _, name = member.rpartition(".")
        full = self._full(owner)
        if isinstance(full, Candidates):
            return full
        chain = [one for one in ORDERS[full] if name in dict(OWN.get(one, ()))]
        if not chain:
            return Candidates(member, "member", "absent", ())
        found = dict(OWN[chain[0]])[name]
        signature = self._signature(found)
        below = [one for one in ORDERS if full in ORDERS[one] and one != full and name in dict(OWN[one])]
        rows = [
            OverrideRow(one, row.path, row.line, way, self._signature(row), self._signature(row) == signature)  # type: ignore[arg-type]
            for way, ones in (("up", chain[1:]), ("down", below))
            for one in ones
            if (row := dict(OWN[one])[name])
        ]
        answer = OverridesAnswer(f"{full}.{name}", chain[0], found.path, found.line, signature, tuple(rows))
        self._note("overrides", {"member": member}, answer, commit)
        return answer

    def _signature(self, row: MemberRow) -> str:
        found = re.search(r"\(.*\)", self.texts[row.path].line(row.line))
        return found[0] if found else ""

    async def look_again(self) -> None:
        self.asked.append(("look_again", {}))

    def drop(self, entry_id: str) -> None:
        self.log.append(
            Entry(id=f"e{len(self.log)}", time="2026-03-02T14:03:00+01:00", verb="drop", arguments={"of": entry_id})
        )

    async def jump(self, path: str, line: int, column: int, *, commit: bool = True) -> Resolution | Candidates:
        if self.source(path) is None:
            return Candidates(path, "file", "absent")
        text = self.texts[path].line(line)
        name = re.match(r"\w*", text[column - 1 :])[0]  # type: ignore[index]
        found = self._resolve(path, line, column, text, name)
        ends = [Evidence(a.path, a.line, self.texts[a.path].line(a.line)) for a in found.answers]
        self._note(
            "jump", {"path": path, "line": line, "column": column}, found, commit, Evidence(path, line, text), *ends
        )
        return found

    def _resolve(self, path: str, line: int, column: int, text: str, name: str) -> Resolution:
        if not name:
            return Resolution(None, (), (), "no call and no name stands here")
        call = CallSite(path, line, column, "", name)
        if name == "load_weights" and "self.language_model" in text:
            found = OWN[CORE][2][1]
            why = ("self.language_model is an Inner since engine/models/wrapper.py:15", "Inner inherits it from Core")
            answer = Definition(CORE, name, found.path, found.line, "proved", why, (INNER_,))
            return Resolution(call, (ReceiverType(INNER_, "constructor call"),), (answer,), None)
        several = [
            Definition(owner, name, row.path, row.line, "possible", ("the name alone",))
            for owner, rows in OWN.items()
            for key, row in rows
            if key == name
        ]
        return Resolution(call, (), tuple(several), None if several else f"nothing is known of {name}")

    async def callers(self, member: str, *, commit: bool = True) -> CallersAnswer | Candidates:
        name = member.rpartition(".")[2]
        rows = [
            CallerRow(path, number, line.index(name) + 1, line, _symbol(text, number), "possible", ("the name alone",))
            for path, text in self.texts.items()
            for number, line in enumerate(text.lines, 1)
            if f".{name}(" in line
        ]
        found = CallersAnswer(member, tuple(rows), 1)
        self._note("callers", {"member": member}, found, commit)
        return found

    async def check(
        self, class_names: Sequence[str], contract: Contract, *, commit: bool = True
    ) -> ContractReport | Candidates:
        full = self._full(class_names[0])
        if isinstance(full, Candidates):
            return full
        report = self._report(full, contract)
        verdicts = report.items
        found = ContractReport(contract, (report,))
        self._note(
            "check", {"classes": [full], "contract": to_json(contract)}, found, commit, *verdicts[0].evidence[:1]
        )
        return found

    def _report(self, full: str, contract: Contract) -> ClassReport:
        verdicts = tuple(self._judge_item(full, item) for item in contract.items)
        return ClassReport(full, is_met(verdicts), verdicts)

    def _judge_item(self, full: str, item: ContractItem) -> Verdict:
        """As the name is judged; a call with more arguments than `load_weights` takes does not fit, `forward` is doubtful."""
        found = replace(self._judge(full, item.member), required=item.required)
        if found.mark != "✓" or not item.uses:
            return found
        if any(call.positional > 2 for call in item.calls):
            return replace(found, call_fits=False, signature="(self, weights)", why=("takes 1 argument, 3 are given",))
        if item.member == "forward":
            line = line_of(WR, "return self.language_model(")
            shown = Evidence(WR, line, self.texts[WR].line(line))
            why = (f"{found.verdict}, but its body reads self.language_model (line {line}): nothing calls it",)
            return replace(found, doubtful=True, why=why, evidence=(*found.evidence, shown))
        return replace(found, call_fits=True)

    def _judge(self, full: str, name: str) -> Verdict:
        if not self.coverage.whole:
            return Verdict(name, "required", "unknown", "possible", why=("the index is still growing",))
        for owner in ORDERS[full]:
            row = dict(OWN.get(owner, ())).get(name)
            if row is not None:
                kind = "own" if owner == full else "inherited"
                evidence = (Evidence(row.path, row.line, self.texts[row.path].line(row.line)),)
                return Verdict(name, "required", kind, "proved", owner, "method", row.path, row.line, evidence=evidence)  # type: ignore[arg-type]
        held = dict(OWN[CORE]).get(name)
        if full == WRAPPER_ and held is not None:
            evidence = (
                Evidence(
                    WR,
                    line_of(WR, "self.language_model ="),
                    "self.language_model = Inner(config.text_config, quant_config)",
                ),
                Evidence(held.path, held.line, self.texts[held.path].line(held.line)),
            )
            why = ("Wrapper does not define it", "torch.nn.Module was not read")
            via = "self.language_model → Inner → Core"
            return Verdict(
                name,
                "required",
                "held",
                "possible",
                CORE,
                "method",
                held.path,
                held.line,
                via=via,
                why=why,
                evidence=evidence,
            )
        return Verdict(name, "required", "absent", "proved", why=("no class of the MRO defines it",))

    # ---- contracts

    async def derive(self, consumers: Sequence[str], receiver: str, *, name: str = "", commit: bool = True) -> Contract:
        self._note("derive", {"consumers": list(consumers), "receiver": receiver}, None, False)
        if self.source(consumers[0].partition(":")[0]) is None:
            raise UsageError("no such consumer", consumers[0])
        found = derived_contract(tuple(consumers), receiver)
        self._note("derive", {"consumers": list(consumers), "receiver": receiver}, found, commit)
        return found

    async def derive_base(self, base: str, *, name: str = "", commit: bool = True) -> Contract | Candidates:
        full = self._full(base)
        if isinstance(full, Candidates):
            return full
        items = tuple(ContractItem(name, signature="(self)") for name, _ in OWN[full])
        found = Contract(base, items, base=full)
        self._note("derive", {"base": base}, found, commit)
        return found

    async def derive_siblings(
        self, selector: str, *, least: float = 0.5, name: str = "", commit: bool = True
    ) -> Contract | Candidates:
        found = Contract(selector, (ContractItem("forward", share=0.75),), base=selector)
        self._note("derive", {"base": selector, "least": least}, found, commit)
        return found

    async def matrix(
        self,
        selector: str,
        contract: Contract,
        *,
        commit: bool = True,
        told: Callable[[tuple[int, int]], None] | None = None,
    ) -> ContractReport | Candidates:
        if selector != "all" and ":" not in selector:
            raise UsageError("not a selector", selector, "registered:NAME, subclasses:CLASS, glob:PATTERN or all")
        wanted = selector.partition(":")[2]
        names = [full for full in CLASSES if selector == "all" or wanted in ("EntryClass", "Core")]
        if wanted == "Nothing":
            return Candidates("Nothing", "class", "absent", ())
        results = []
        for full in names:
            path = CLASSES[full][0]
            report = self._report(full, contract)
            place = line_of(path, f"class {full.rpartition('.')[2]}")
            results.append(replace(report, path=path, line=place))
        found = ContractReport(contract, tuple(results))
        arguments = {"classes": [selector], "selector": selector, "contract": to_json(contract)}
        self._note("check", arguments, found, commit)
        return found

    async def lint(
        self, class_names: Sequence[str] = (), *, selector: str | None = None, commit: bool = True
    ) -> LintAnswer | Candidates:
        line = line_of(IN, "self.logits_processor")
        rows = (LintRow(IN, line, "self.logits_processor", ("Core has no logits_processor",), 16, "Core.forward"),)
        found = LintAnswer(1, rows if CORE in class_names or selector else ())
        self._note("lint", {"classes": [*class_names, *([selector] if selector else [])]}, found, commit)
        return found

    async def assume(self, claim: str, others: Any = None, *, commit: bool = True) -> Assumption:
        kind = "inherits" if "inherits" in claim else "unchanged" if "unchanged" in claim else "note"
        shown = (Evidence(WR, line_of(WR, "self.language_model ="), "        self.language_model = Inner(…)"),)
        why = ("Wrapper inherits Module", "its attribute self.language_model is one: Inner")
        found = (
            Assumption(claim, "inherits", "refuted", why, shown)
            if kind == "inherits"
            else Assumption(claim, kind, "holds" if others else "open", ("free text: nothing checks it",))  # type: ignore[arg-type]
        )
        self._note("assume", {"claim": claim}, found, commit)
        return found

    async def drift(
        self, others: Sequence[FakeDig], class_names: Sequence[str], contract: Contract, *, commit: bool = True
    ) -> DriftAnswer | Candidates:
        """In the others what was held is forwarded."""
        here = self._report(class_names[0], contract).items
        items = []
        for before in here:
            after = before
            if before.verdict == "held":
                guards = (f"hasattr(self.language_model, '{before.member}')",)
                after = replace(
                    before,
                    verdict="forwarded",
                    certainty="proved",
                    owner=WRAPPER_,
                    path=WR,
                    line=24,
                    signature="(self)",
                    guards=guards,
                    why=(),
                    via="self.language_model → Inner",
                )
            changed = after != before
            names = [str(dig.target) for dig in others]
            what = ("verdict: held → forwarded", "signature: none → (self)") if changed else ()
            items.append(
                DriftItem(
                    before.member, (before, *(after for _ in others)), changed, names[0] if changed else None, what
                )
            )
        targets = (str(self.target), *(str(dig.target) for dig in others))
        found = DriftAnswer(contract, targets, (ClassDrift(class_names[0], tuple(items)),))
        arguments = {"classes": list(class_names), "contract": to_json(contract), "targets": list(targets)}
        self._note("drift", arguments, found, commit)
        return found

    # ---- the transcript

    def rename(self, session: str) -> None:
        if session in self.taken:
            raise UsageError("there is a session of that name already", session)
        self.session = session

    def entries(self) -> Sequence[Entry]:
        return self.log

    def note(self, text: str) -> None:
        self.log.append(Entry(id=f"e{len(self.log)}", time="2026-03-02T14:03:00+01:00", verb="note", note=text))

    def save_transcript(self, destination: Path) -> Path:
        destination.write_text("\n".join(f"- {entry.verb} {entry.arguments}" for entry in self.log))
        return destination

    async def aclose(self) -> None:
        self.closed = True


def _symbol(text: SourceText, line: int) -> str:
    """The definition around a line, by indentation: good enough for these files."""
    found: dict[int, str] = {}
    for number, content in enumerate(text.lines[:line], 1):
        if match := re.match(r"( *)(?:async )?(?:def|class) (\w+)", content):
            depth = len(match[1])
            found = {d: n for d, n in found.items() if d < depth} | {depth: match[2]}
        elif content and not content.startswith(" ") and number < line:
            found = {}
    return ".".join(found[d] for d in sorted(found))
