"""Secrets in text: what is found, and what is let alone. All of them are made up, and put together here."""

from __future__ import annotations

import random
import string
import time

import pytest

from sondage.core.transcripts.secrets import find, find_in_lines

LETTERS = string.ascii_letters + string.digits


def noise(length: int, letters: str = LETTERS) -> str:
    """Always with a digit and letters of both cases among it, where there are such letters."""
    chosen = random.Random(length)
    return "".join(chosen.choices(letters, k=length - 3)) + "".join(chosen.choices(letters[-6:], k=3))


TOKENS = {
    "AKIA" + noise(16, string.ascii_uppercase + "234567"): "AWS key",
    "ghp_" + noise(36): "GitHub token",
    "github_pat_" + noise(30): "GitHub token",
    "glpat-" + noise(20): "GitLab token",
    "hf_" + noise(34): "Hugging Face token",
    "sk-" + noise(48): "API key",
    "sk-proj-" + noise(40): "API key",
    "nvapi-" + noise(40): "API key",
    "AIza" + noise(35): "Google key",
    "xoxb-" + noise(24): "Slack token",
    "sk_live_" + noise(24): "Stripe key",
    "npm_" + noise(36): "package token",
    f"eyJ{noise(20)}.eyJ{noise(20)}.{noise(20)}": "web token",
}


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("line", ["{}", 'client = Client("{}")', "# use {} for now", "x={},y", "curl -H 'X: {}'"])
def test_token_is_found_whole_by_its_form(token: str, line: str) -> None:
    text = line.format(token)
    assert [(text[one.start : one.end], one.kind) for one in find(text)] == [(token, TOKENS[token])]


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ('password = "hunter2"', "hunter2"),
        ("DB_PASSWORD='correct horse'", "correct horse"),
        ('config = {"api_key": "abc-def"}', "abc-def"),
        ("self.apiKey: str = 'abc-def'", "abc-def"),
        ('os.environ["OPENAI_API_KEY"] = "abc"', "abc"),
        ('os.environ.get("ADMIN_PASSWORD", "letmein")', "letmein"),
        ('if passwd == "letmein":', "letmein"),
        ("client_secret=b'x1y2z3'", "x1y2z3"),
        ('token = "0123456789abcdef0123"', "0123456789abcdef0123"),
        ('hf_token = "something"', "something"),
        ("export API_KEY=a1b2c3d4e5f6", "a1b2c3d4e5f6"),
        ("serve --api-key a1b2c3d4e5f6 --port 1", "a1b2c3d4e5f6"),
        ('"postgres://ann:s3cret@db/x"', "s3cret"),
        ('{"Authorization": "Bearer abcdef0123456789"}', "abcdef0123456789"),
    ],
)
def test_secret_is_found_by_the_name_it_stands_behind(line: str, secret: str) -> None:
    assert [line[one.start : one.end] for one in find(line)] == [secret]


@pytest.mark.parametrize(
    "line",
    [
        "api_key=api_key",
        "token = tokens[0]",
        "password = getpass.getpass()",
        "self.secret = args.secret",
        'eos_token = "</s>"',
        'bos_token: str = "<|begin_of_text|>"',
        'token = "hello"',
        'api_key = "EMPTY"',
        'password = ""',
        'password = "{password}"',
        'api_key = "<your key>"',
        'api_key = "your-api-key-here"',
        'key = os.environ["OPENAI_API_KEY"]',
        'API_KEY_VARIABLE = api_key = "OPENAI_API_KEY"',
        "class SecretTokenizer2000(Base):",
        "def get_embed_and_head(self): return self.model.embed_tokens.weight, self.lm_head.weight",
        "sha256 = 'bbd7ffa972bff33560f15affc58d99f962cbefc851bf17a73adb91a3dbaca32b'",
        "bbd7ffa972bff33560f15affc58d99f962cbefc851bf17a73adb91a3dbaca32b",
        "from sglang.srt.models.deepseek_v2 import DeepseekV3ForCausalLM, DeepseekV2WeightLoaderMixin",
        "https://user@host/path and http://localhost:30000/v1",
        "risk-aware-scheduling-of-tasks, disk-based-prefix-cache-v2-of-models",
        "if line.startswith('-----BEGIN PRIVATE KEY-----'):",
        "uses basic authentication, and a bearer of good news",
    ],
)
def test_innocent_line_is_let_alone(line: str) -> None:
    assert find(line) == []


def pem(kind: str = "RSA PRIVATE KEY") -> list[str]:
    return [f"-----BEGIN {kind}-----", noise(64), noise(63) + "/", "c2hvcnQ=", f"-----END {kind}-----"]


@pytest.mark.parametrize("kind", ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY"])
@pytest.mark.parametrize("line", ["{}", "    {}", '    "{}\\n"', "KEY = '''{}"])
def test_every_line_of_a_private_key_is_found(kind: str, line: str) -> None:
    lines = [line.format(row) if number == 0 or "'''" not in line else row for number, row in enumerate(pem(kind))]
    found = find_in_lines(lines)
    assert [len(spans) for spans in found[1:4]] == [1, 1, 1]
    assert all(spans[0].kind in ("private key", "key material") for spans in found[1:4])
    assert find_in_lines([*lines, "x = 1"])[-1] == []


def test_private_key_on_one_line_is_found() -> None:
    text = 'key = "' + "\\n".join(pem()) + '"'
    (secret,) = find(text)
    assert secret.kind == "private key"
    assert noise(64) in text[secret.start : secret.end]


def test_line_from_the_middle_of_a_key_is_found_alone() -> None:
    assert [one.kind for one in find(noise(64))] == ["key material"]


def test_code_that_looks_for_a_key_hides_nothing_behind_it() -> None:
    lines = ['if text.startswith("-----BEGIN PRIVATE KEY-----"):', "    return load(text)", "x = 1"]
    assert find_in_lines(lines) == [[], [], []]


@pytest.mark.parametrize(
    "piece", ["password:", "a.", "api_key = ", "token ", "://", "-----BEGIN PRIVATE KEY-----", "eyJ", " "]
)
def test_long_lines_take_no_longer_than_their_length_asks(piece: str) -> None:
    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        started = time.perf_counter()
        find(text)
        return time.perf_counter() - started

    seconds(1000)
    assert seconds(160_000) < 60 * max(seconds(20_000), 0.002)
