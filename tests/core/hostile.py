"""Owns a transcript that tries everything: what a host, or somebody who hands a transcript on, might put into it."""

from __future__ import annotations

from sondage.core.answers.certainty import Coverage, Evidence
from sondage.core.answers.classes import MroAnswer, MroStep
from sondage.core.answers.contracts import Assumption, ClassReport, Contract, ContractReport, Verdict
from sondage.core.answers.plain import to_json
from sondage.core.answers.text import Excerpt, Hit, SearchAnswer
from sondage.core.transcripts.transcript import Entry

TOKEN = "ghp_" + "aB3" * 12
HOSTILE = (
    "</code></pre></script><script>alert(1)</script>\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b31m\u202egnihtemos\u2066\u200b"
    "```\n~~~\n# heading\n[x](javascript:alert(1)) ![i](http://evil/x.png) <img src=x onerror=alert(1)> | `` ` \" ' & <!-- "
    "<a href=javascript:alert(1)>\udce9\r\n$(id) `id` ; rm -rf / # {{constructor}} %%{init}%% \u2028"
)
QUOTED = HOSTILE.replace("\n", " ").replace("\r", " ")


def hostile_entries() -> list[Entry]:
    evidence = (
        Evidence(f"a{HOSTILE}.py", 1, QUOTED, HOSTILE),
        Evidence("b.py", 7, "```"),
        Evidence("b.py", 8, f'token = "{TOKEN}"'),
        Evidence("b.py", 9, "~~~~ </details>"),
    )
    verdict = Verdict(
        HOSTILE, "required", "held", "proved", HOSTILE, HOSTILE, HOSTILE, 3, HOSTILE, via=f"{HOSTILE} → {HOSTILE}",
        why=(HOSTILE,),
    )  # fmt: skip
    answers = {
        "search": SearchAnswer(HOSTILE, (Hit(HOSTILE, 1, 1, QUOTED + TOKEN, HOSTILE),), 1, 1, 1),
        "show": Excerpt(HOSTILE, 1, 2, (QUOTED, f"x = '{TOKEN}'"), HOSTILE, HOSTILE, 3),
        "mro": MroAnswer(
            HOSTILE, HOSTILE, 1, ("B",), (MroStep(HOSTILE, HOSTILE, 1, HOSTILE, HOSTILE),), False, (HOSTILE,)
        ),
        "check": ContractReport(Contract(HOSTILE, ()), (ClassReport(HOSTILE, False, (verdict,), HOSTILE, 1),)),
        "assume": Assumption(HOSTILE, "inherits", "refuted", (HOSTILE, TOKEN)),
    }
    arguments = {
        "search": {"pattern": HOSTILE + TOKEN, "globs": [HOSTILE]},
        "show": {"spec": HOSTILE},
        "mro": {"class": HOSTILE},
        "check": {"classes": [HOSTILE], "contract": {"name": HOSTILE, "items": []}},
        "assume": {"claim": HOSTILE},
    }
    questions = [
        Entry(
            id=f"{HOSTILE}{verb}",
            time=HOSTILE,
            verb=verb,  # type: ignore[arg-type]  # the keys above are verbs
            arguments=arguments[verb],
            answer=to_json(answer),
            target=HOSTILE,
            root=f"/{HOSTILE}",
            host_key=HOSTILE,
            reach=("-F", HOSTILE, HOSTILE),
            evidence=evidence,
            evidence_total=99,
            coverage=Coverage(1, 2),
            looked_at=(HOSTILE,),
            grep=("-nE", HOSTILE),
            note=HOSTILE,
            commit=HOSTILE,
            checkout=HOSTILE,
            assumptions=(HOSTILE,),
            written_by=HOSTILE,
        )
        for verb, answer in answers.items()
    ]
    odd = Entry(
        id=HOSTILE, time="", verb="assume", arguments={"claim": "y"}, answer={"state": HOSTILE, "why": [HOSTILE]}
    )
    words = Entry(id="n", time=HOSTILE, verb="note", note=HOSTILE + TOKEN)
    claim = Entry(id="h", time="", verb="hypothesis", arguments={"claim": HOSTILE})
    verdict_on_it = Entry(
        id="v", time="", verb="verdict", arguments={"of": "h", "claim": HOSTILE, "state": HOSTILE}, note=HOSTILE
    )
    return [*questions, odd, words, claim, verdict_on_it]
