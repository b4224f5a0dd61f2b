"""Owns finding secrets in text: keys and tokens by the forms their makers gave them, passwords by the names they stand behind.

Found is what looks like one. A line of source is not proved to hold a secret, and a secret without a form of its own that
stands behind no telling name is not found: who hands a transcript on still has to read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sondage.core.late import late_pattern


class Secret(NamedTuple):
    """A span of a text (code points from 0, the end behind it), and what it looks like."""

    start: int
    end: int
    kind: str


_BEGIN = late_pattern(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
_END = late_pattern(r"-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
_FORMS = (
    (
        "private key",
        late_pattern(
            rf"""{_BEGIN.pattern}(?:\\[nr]|[\s"'+])*(?P<value>[A-Za-z0-9+/=\\]{{16,}}.*?)(?:{_END.pattern}|\Z)"""
        ),
    ),
    ("AWS key", late_pattern(r"\b(?P<value>(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b")),
    ("GitHub token", late_pattern(r"\b(?P<value>gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})")),
    ("GitLab token", late_pattern(r"\b(?P<value>gl(?:pat|dt|rt|ptt|cbt)-[\w-]{20,})")),
    ("Hugging Face token", late_pattern(r"\b(?P<value>hf_[A-Za-z0-9]{30,})\b")),
    ("API key", late_pattern(r"\b(?P<value>sk-(?=[\w-]*\d)[A-Za-z0-9][\w-]{18,})")),
    ("API key", late_pattern(r"\b(?P<value>nvapi-[\w-]{20,}|gsk_[A-Za-z0-9]{30,}|r8_[A-Za-z0-9]{30,})")),
    ("Google key", late_pattern(r"\b(?P<value>AIza[\w-]{35}|ya29\.[\w-]{20,})")),
    ("Slack token", late_pattern(r"\b(?P<value>xox[a-z]-[\w-]{10,}|hooks\.slack\.com/services/[\w/]{20,})")),
    ("Stripe key", late_pattern(r"\b(?P<value>[rs]k_(?:live|test)_[A-Za-z0-9]{16,})")),
    ("package token", late_pattern(r"\b(?P<value>npm_[A-Za-z0-9]{36}|pypi-[\w-]{40,})")),
    ("SendGrid key", late_pattern(r"\b(?P<value>SG\.[\w-]{16,}\.[\w-]{16,})")),
    ("web token", late_pattern(r"\b(?P<value>eyJ[\w-]{10,}\.eyJ[\w-]{6,}\.[\w-]{6,})")),
    ("password", late_pattern(r"""\b[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\s/:@"']{0,80}:(?P<value>[^\s/@"']+)@""")),
    ("credential", late_pattern(r"\b(?:[Bb]earer|Basic)\s+(?P<value>(?=[\w.~+/-]*\d)[\w.~+/-]{16,}=*)")),
)
"""Forms that mean little else."""

_NAME = (
    r"(?P<name>password|passwd|passphrase|pwd|secret|credentials?|(?:api|access|secret|private|auth)[_-]?key"
    r"|(?:auth|access|refresh|bearer|api|secret|session|private|github|gitlab|hf|hub|slack)[_-]?token|(?<!\w)token)"
    r"(?:[_-](?:id|value|base64|default))?"
)
_LITERAL = r"""[rbuf]{0,2}(?P<quote>["'])(?P<value>[^"'\n]+)(?P=quote)"""
_BARE = r"(?P<value>[A-Za-z0-9+/_-]{12,}=*)(?![\w.(\[])"
_ANNOTATION = r"(?::\s{0,4}[\w.\[\]|]{1,40}\s{0,4})?"
_NAMED = (
    late_pattern(rf"""(?i){_NAME}["']?\]?\s{{0,9}}{_ANNOTATION}(?:={{1,2}}|:|=>)\s{{0,9}}{_LITERAL}"""),
    late_pattern(rf"""(?i)(?:get|getenv|pop|setdefault)\(\s{{0,4}}["'][\w-]{{0,40}}{_NAME}["'],\s{{0,4}}{_LITERAL}"""),
)
_NAMED_BARE = (
    late_pattern(rf"(?i){_NAME}\s{{0,9}}[=:]\s{{0,9}}{_BARE}"),
    late_pattern(rf"(?i)--[\w-]{{0,40}}{_NAME}\s{{1,4}}{_BARE}"),
)
"""Without quotes only what no expression looks like: in `api_key=api_key` and `token = tokens[0]` nothing is secret."""
_PLACEHOLDER = late_pattern(
    r"""(?x) \{.*\} | \$\w+ | \$\{.*\} | \$\(.*\) | %\(?\w*\)?s | <.*> | \[.*\] | \*+ | x+ | \.{3} | -+
    | [A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+
    | (?i:none|null|true|false|empty|todo|string|str|(?:your|my|the)[ _-].* | (?:pass)?word | token | secret | api[_-]?key)"""
)
"""What stands in a secret's place in documentation and templates, and names of variables that hold one."""
_KEY_LINE = late_pattern(r"""\s*["']?(?P<value>[A-Za-z0-9+/]{60,}={0,2})(?:\\n)?["']?[,;)+\\]*\s*""")
_BODY = late_pattern(r"""\s*[rbuf]?["']?(?:[A-Za-z0-9+/=]+|[A-Za-z-]+:[ ].*)?(?:\\n)?["']?[)\s,;+\\]*""")
"""A line between the two ends of a key: RFC 7468, section 2, and the headers of RFC 1421."""


_SUSPECT = late_pattern(
    r"(?i)key|token|secret|pass|pwd|credential|bearer|basic|://|gh[pousr]_|github_pat|gl[a-z]{2,3}-|hf_|sk-|nvapi-|gsk_|r8_|aiza"
    r"|ya29|xox|hooks\.slack|[rs]k_|npm_|pypi-|sg\.|eyj|a[ksbc][ic]a|[a-z0-9+/]{60}"
)
"""What every secret holds a piece of; nearly all lines hold none, and are done with at once."""


def find(text: str) -> list[Secret]:
    """The secrets of a line, in order, none within another."""
    if not _SUSPECT.search(text):
        return []
    found = sorted(_candidates(text), key=lambda one: (one.start, -one.end))
    kept: list[Secret] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def find_in_lines(lines: Sequence[str]) -> list[list[Secret]]:
    """The secrets of neighbouring lines, line by line: a private key may run over several."""
    found = []
    is_inside = False
    for line in lines:
        end = _END.search(line)
        body = line[: end.start()] if end else line
        is_inside = is_inside and (end is not None or _BODY.fullmatch(line) is not None)
        if is_inside:
            found.append([Secret(0, len(body), "private key")] if body.strip() else [])
        else:
            found.append(find(line))
        last = max((match.end() for match in _BEGIN.finditer(line)), default=-1)
        is_inside = (is_inside and end is None) or (last >= 0 and _END.search(line, last) is None)
    return found


def _candidates(text: str) -> Iterator[Secret]:
    for kind, pattern in _FORMS:
        for match in pattern.finditer(text):
            if not _PLACEHOLDER.fullmatch(match["value"]):
                yield Secret(*match.span("value"), kind)
    for pattern in _NAMED:
        for match in pattern.finditer(text):
            if _is_secret(match["name"], match["value"]):
                yield Secret(*match.span("value"), _kind(match["name"]))
    for pattern in _NAMED_BARE:
        for match in pattern.finditer(text):
            if _is_secret(match["name"], match["value"]) and _is_mixed(match["value"]):
                yield Secret(*match.span("value"), _kind(match["name"]))
    line = _KEY_LINE.fullmatch(text)
    if line and _is_mixed(line["value"]) and not line["value"].islower():
        yield Secret(*line.span("value"), "key material")


def _is_secret(name: str, value: str) -> bool:
    """A bare `token` is more often a word or a piece of one than a secret."""
    if _PLACEHOLDER.fullmatch(value.strip()):
        return False
    return name.lower() != "token" or (len(value) >= 16 and _is_mixed(value) and not re.search(r"[\s<>|(){}]", value))


def _is_mixed(value: str) -> bool:
    return sum(map(str.isdigit, value)) > 2 and any(map(str.islower, value))


def _kind(name: str) -> str:
    lowered = name.lower()
    if "token" in lowered:
        return "token"
    return "key" if "key" in lowered else "password" if "pass" in lowered or "pwd" in lowered else "secret"
