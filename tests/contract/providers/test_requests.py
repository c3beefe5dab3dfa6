"""What a server is sent, byte for byte but for the texts of the conversation, and how it comes to know who asks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_server import Asked, FakeServer, Fault, Step, chat
from scripted_judge import read_prompt, reply_text

from contract.goldens import compare_json
from contract.providers.asking import KEY, OUTPUT, ask, at, golden, good, outline

HERE = Path(__file__).parent

SETTINGS = {
    "openai": "",
    "anthropic": '[judges.mine]\nbase_url = "{url}"\nkind = "anthropic"\nkey_env = "MINE"\n',
    "anthropic's header": (
        '[judges.mine]\nbase_url = "{url}"\nkind = "anthropic"\nkey_env = "MINE"\nkey_header = "Authorization"\n'
    ),
    "another header": '[judges.mine]\nbase_url = "{url}"\nkey_env = "MINE"\nkey_header = "api-key"\n',
    "no key": '[judges.mine]\nbase_url = "{url}"\n',
    "a gateway": (
        '[judges.mine]\nbase_url = "{url}?tenant=a"\nheaders = {{X-Team = "quality"}}\n'
        'headers_env = {{X-Token = "MINE"}}\nquery = {{api-version = "2024-10-21", b = "c d"}}\n'
    ),
    "more parameters": (
        '[judges.mine]\nbase_url = "{url}"\nmax_tokens = 700\n'
        '[judges.mine.extra]\nreasoning_effort = "low"\ntop_k = 1.5\n'
    ),
    "a small window": '[judges.mine]\nbase_url = "{url}"\nwindow = 6000\n',
    "ollama": '[judges.ollama]\nbase_url = "{url}"\nwindow = 32000\n',
}
"""By what they show: a server's settings."""


@pytest.mark.parametrize("name", SETTINGS)
def test_a_request(name: str, tmp_path: Path, fake_server: FakeServer):
    """Both calls of a judgement, with their headers, parameters and parts that may be cached."""
    fake_server.answer = good
    settings = SETTINGS[name].format(url=fake_server.url)
    options = at(fake_server) if name == "openai" else ("--judge", "ollama:one" if name == "ollama" else "mine:one")
    ran = ask(tmp_path, *options, settings=settings, environment={"MINE": KEY, "http_proxy": "http://127.0.0.1:9"})
    assert ran.code == 0, ran.err
    compare_json(golden(HERE, f"request-{name}"), [*map(outline, fake_server.asked)])
    assert KEY not in ran.out + ran.err
    assert all(asked.body["model"] == "one" for asked in fake_server.asked)
    assert all(OUTPUT in json.dumps(asked.body, ensure_ascii=False).replace("\\n", "\n") for asked in fake_server.asked)


def test_the_key_of_a_server_is_its_own(tmp_path: Path, fake_server: FakeServer):
    """A server that evenhand.toml names is not sent the key of a vendor."""
    fake_server.answer = good
    settings = f'[judges.mine]\nbase_url = "{fake_server.url}"\n'
    assert ask(tmp_path, "--judge", "mine:one", settings=settings).code == 0
    assert not [asked for asked in fake_server.asked if KEY in json.dumps(asked.headers)]


def test_a_secret_of_a_gateway_is_not_shown_or_kept(tmp_path: Path, fake_server: FakeServer):
    """Nor the key beside it: not where the server repeats them, in a reply or an error."""
    token = "the-token-of-the-gateway-4567"
    settings = (
        f'[judges.mine]\nbase_url = "{fake_server.url}"\nkey_env = "MINE"\nheaders_env = {{X-Token = "GATEWAY"}}\n'
    )
    run = {"settings": settings, "environment": {"MINE": KEY, "GATEWAY": token}}

    def repeats(asked: Asked) -> Step:
        return chat(reply_text(read_prompt(asked.body)).replace("It does", f"I saw {KEY} and {token}: it does"))

    fake_server.answer = repeats
    ran = ask(tmp_path, "--judge", "mine:one", **run)
    assert "I saw [key] and [key]" in ran.out and fake_server.asked[0].headers["x-token"] == token
    fake_server.answer = lambda asked: Fault.status(418, f"{token} may not, nor may {KEY}")
    ran = ask(tmp_path, "--judge", "mine:one", **run)
    assert "[key] may not, nor may [key]" in ran.err and token not in ran.err + ran.out


def test_what_a_gateway_chooses_a_model_by_makes_another_judge(tmp_path: Path, fake_server: FakeServer):
    """Its parameters are shown, its headers' values are not."""
    fake_server.answer = good
    line = f'[judges.mine]\nbase_url = "{fake_server.url}"\n'
    judges = []
    for more in ("", 'headers = {X-Route = "fast-lane"}\nquery = {v = "1"}\n', 'headers = {X-Route = "slow-lane"}\n'):
        ran = ask(tmp_path, "--judge", "mine:one", settings=line + more)
        judges.append(json.loads(ran.out)["judge"])
        assert "-lane" not in ran.out
    plain, fast, slow = judges
    assert "headers" not in plain and "query" not in plain
    assert fast["query"] == "v=1" and fast["headers"] != slow["headers"]


def test_a_built_in_service_takes_headers_but_no_secrets_of_a_project_s_file(tmp_path: Path):
    """A file must not choose which variables of the user's are sent where."""
    settings = '[judges.openai]\nheaders = {OpenAI-Organization = "us"}\n'
    assert ask(tmp_path, "--judge", "openai:m", "--dry-run", settings=settings).code == 0
    settings = '[judges.openai]\nheaders_env = {X-A = "HOME"}\n'
    ran = ask(tmp_path, "--judge", "openai:m", "--dry-run", settings=settings)
    assert ran.code == 2 and "evenhand.toml:2" in ran.err and "cannot be set for openai" in ran.err


@pytest.mark.parametrize(
    ("options", "settings", "words"),
    [
        (("--judge", "openai:m"), "", "openai:m needs a key: set the environment variable OPENAI_API_KEY"),
        (("--judge", "anthropic:m"), "", "anthropic:m needs a key: set the environment variable ANTHROPIC_API_KEY"),
        (("--judge", "mine:m"), '[judges.mine]\nbase_url = "https://a.example/v1"\nkey_env = "MINE"\n', "MINE"),
        (("--judge", "mine:m"), '[judges.mine]\nbase_url = "http://localhost:9/v1"\nheaders_env = {X-A = "GONE"}\n',
         "mine:m: the header X-A needs the environment variable GONE, which is not set"),
        (("--judge", "mine:m"), '[judges.mine]\nbase_url = "http://a.example/v1"\nkey_env = "SET"\n',
         "mine:m: the key would be sent unencrypted; use an address that begins with https://"),
        (("--judge", "mine:m"), '[judges.mine]\nbase_url = "http://localhost:9/v1"\nkey_env = "ODD"\n',
         "the environment variable ODD does not hold a valid key"),
        (("--judge", "mine"), '[judges.mine]\nbase_url = "http://localhost:9/v1"\n', '"mine" needs a model'),
        (("--judge", "opnai:m"), "", "did you mean openai?"),
        (("--judge", "gpt-4o"), "", "did you mean openai:gpt-4o?"),
        (("--judge", "claude-sonnet-4-5"), "", "did you mean anthropic:claude-sonnet-4-5?"),
        (("--judge", "qwen3"), "", "did you mean ollama:qwen3?"),
        (("--judge", "checks:m"), "", "checks takes nothing after it"),
        (("--judge", "replay"), "", '"replay" needs a file: replay:FILE'),
        (("--judge", "openai:m", "--base-url", "localhost"), "", "is not an address; give one such as"),
        (("--judge", "openai:m", "--base-url", "http://a:b@c.example"), "", "contains a user name or a password"),
        (("--judge", "openai:m", "--base-url", "http://c.example/v1/chat/completions"), "", "leave out /chat"),
        (("--judge", "openai:m", "--base-url", "http://c.example/v1#a"), "", "ends in a fragment"),
    ],
)  # fmt: skip
def test_a_judge_that_cannot_be_asked_is_said_before_anything_is_sent(
    options: tuple[str, ...], settings: str, words: str, tmp_path: Path
):
    """One line, exit code 2."""
    names = {"OPENAI_API_KEY": "", "ANTHROPIC_API_KEY": "", "SET": KEY, "ODD": "k\u00e9y of mine 123"}
    ran = ask(tmp_path, *options, settings=settings, environment=names)
    assert ran.code == 2 and words in ran.err
    assert KEY not in ran.err and "k\u00e9y" not in ran.err


WRONG = """[judges.mine]
base_url = "ftp://a"
kind = "other"
model = ""
key_env = "not a name"
key = "abc"
key_header = "a b"
headers = {Authorization = "x", "b c" = "d"}
headers_env = {X = 5}
query = 5
window = 0
max_tokens = true
concurrency = 1.5
requests_per_minute = "many"
tokens_per_minute = -1
price_input = -1
connect_timeout = 0
first_byte_timeout = 86401
total_timeout = "a"
images = 1
extra = {model = "m", stream = true}
colour = "red"
[judges.host]
base_url = "https://a.example/v1"
headers = {Host = "elsewhere"}
[judges.lines]
base_url = "https://a.example/v1"
headers = {X-A = "a\\nb"}
[judges.text]
base_url = "https://a.example/v1"
headers = "X-A: b"
[judges.number]
base_url = "https://a.example/v1"
query = {v = 1}
key_header = "Content-Type"
[judges.names]
base_url = "https://a.example/v1"
headers_env = {X-A = "not a name"}
extra = 5
prices = 5
[judges.openai]
base_url = "https://a.example/v1"
key_env = "A"
[judges.openai.prices.m]
input = 1
[judges.checks]
model = "m"
[judges."a b"]
base_url = "https://a.example/v1"
[judges.two]
[judges.three]
base_url = "https://a.example/v1"
model = "sk-abcdefghijklmnopqrstuvwxyz"
price_output = 4
"""


def test_every_mistake_in_the_settings_is_named_with_its_line(tmp_path: Path):
    """All at once, and none repeats what may be a key."""
    ran = ask(tmp_path, "--judge", "mine:m", settings=WRONG)
    assert ran.code == 2 and "sk-abc" not in ran.err
    compare_json(HERE / "golden" / "wrong-settings.json", ran.err.replace(str(tmp_path), "").splitlines())
