"""The whole ``cadenza.toml``: the result, and a sentence for every mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from cadenza.bot.config.config import Config, ModelConfig
from cadenza.bot.config.reading import ConfigError, load, read


@pytest.fixture
def write(tmp_path: Path) -> Path:
    """The path of the file."""
    return tmp_path / "cadenza.toml"


def mistakes(path: Path, text: str, environment: dict[str, str] | None = None) -> tuple[str, ...]:
    """The mistakes in a file with *text*."""
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        load(path, environment or {})
    return raised.value.mistakes


def test_an_empty_file_is_all_defaults(write: Path) -> None:
    write.write_text("")

    assert Config(folder=write.parent) == load(write, {})


def test_everything_can_be_said(write: Path) -> None:
    (write.parent / "tool.py").write_text("")
    write.write_text(
        """
language = "ja"
[discord]
status = "tea"
message_content = "off"
[models]
default = "fast"
fallbacks = ["local", "openai:gpt-5.1"]
[models.fast]
model = "openai:small"
url = "https://models.example/v1"
key_env = "FAST_KEY"
settings = { temperature = 0.5 }
[conversation]
channels = [123456789012345678]
[memory]
hours = 1
[limits]
user_per_day = 5
[store]
path = "data/bot.db"
[log]
format = "json"
[metrics]
port = 9000
[tools]
builtin = []
files = ["tool.py"]
[tools.mcp.clock]
command = "uvx"
args = ["mcp-server-time"]
env = { KEY = "${CLOCK_KEY}" }
[settings]
degree = 1
[settings.turn]
show_errors = "off"
[settings.http.headers]
authorization = "Bearer ${WAY}"
""",
        encoding="utf-8",
    )

    config = load(write, {"CLOCK_KEY": "tick", "WAY": "through"})

    fast = ModelConfig("openai:small", "https://models.example/v1", "FAST_KEY", {"temperature": 0.5})
    assert ("ja", "tea", "off") == (config.language, config.discord.status, config.discord.message_content)
    assert ("fast", ("local", "openai:gpt-5.1"), {"fast": fast}) == (
        config.models.default, config.models.fallbacks, dict(config.models.named),
    )  # fmt: skip
    assert (("123456789012345678",), 1.0, 5) == (
        config.conversation.channels, config.memory.hours, config.limits.user_per_day,
    )  # fmt: skip
    assert ("data/bot.db", "json", 9000) == (config.store.path, config.log.format, config.metrics.port)
    assert ((), ("tool.py",), "tick") == (
        config.tools.builtin,
        config.tools.files,
        config.tools.mcp["clock"]["env"]["KEY"],
    )  # type: ignore[index]
    assert (1, "off") == (config.settings.delivery.degree, config.settings.turn.show_errors)
    assert {"authorization": "Bearer through"} == dict(config.settings.http.headers or {})
    assert "tick" not in repr(config)
    assert "through" not in repr(config)


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("[discrod]", "[discrod] is not known; did you mean [discord]?"),
        ("[zzz]", "[zzz] is not known; there are [discord], [conversation], [memory], [limits], [store], [log], [metrics], [models], [personas], [tools], [settings]"),
        ("[discord]\nstatsu = 'a'", "[discord] has no key 'statsu'; did you mean 'status'?"),
        ("[discord]\nstatus = 1", "[discord] status must be a text in quotes, not 1"),
        ("[discord]\nmembers = 'yes'", "[discord] members must be one of 'auto', 'on', 'off', not 'yes'"),
        ("discord = 1", "[discord] must be a table, not 1"),
        ("lanugage = 'en'", "the top of the file has no key 'lanugage'; did you mean 'language'?; all other keys belong below a line such as [discord]"),
        ("language = 'English'", "the top of the file language must be the code of a language, such as 'en' or 'ja', not 'English'"),
        ("[models]\ndefault = 'opnai:x'", "[models] default names an unknown vendor 'opnai'; did you mean 'openai'?"),
        ("[models]\nfallbacks = ['fats']\n[models.fast]\nmodel = 'local'", "[models] fallbacks must be VENDOR:NAME such as 'openai:gpt-5.1', 'local' or a name of [models.NAME], not 'fats'; did you mean 'fast'?"),
        ("[models.fast]", '[models.fast] must name a model, as in model = "openai:gpt-5.1"'),
        ("[models.fast]\nmodel = 'x'", "[models.fast] model must be VENDOR:NAME such as 'openai:gpt-5.1', 'local' or a name of [models.NAME], not 'x'"),
        ("[models.fast]\nmodel = 'local'\nsettings = {temprature = 1}", "[models.fast] settings: unknown setting 'temprature'; did you mean 'temperature'?"),
        ("[models.'a b']\nmodel = 'local'", "[models.a b] must have a name of letters, digits, '_', '-' and '.'"),
        ("[limits]\nuser_active = 0", "[limits] user_active must be between 1 and 1000, not 0"),
        ("[settings]\ndegre = 1", "[settings]: unknown setting 'degre'; did you mean 'degree'?"),
        ("[settings.delivery]\ndegree = 9", "[settings]: the setting 'degree' must be between 0 and 3, not 9"),
        ("[settings]\ndelivery = 1", "[settings]: the section 'delivery' must hold settings, not 1"),
        ("[tools]\nfiles = ['no.py']", "[tools] files names 'no.py', which does not exist"),
        ("[tools.mcp.a]\nname = 'b'", "[tools.mcp.a] is invalid: the entry of an MCP server must have either 'command' or 'url'"),
        ("[tools.mcp.1]\ncommand = 'b'", "[tools.mcp.1] must have a name of up to 32 letters, digits, '_' and '-', a letter first"),
        ("[tools.mcp.a]\ncommand = 'b'\nenv = {A = '${NOPE}'}", "[tools.mcp.a] needs the variable NOPE, which is not set; set it in .env"),
    ],
    ids=range(22),
)  # fmt: skip
def test_a_mistake_is_one_sentence_with_its_place(write: Path, text: str, mistake: str) -> None:
    assert (f"cadenza.toml: {mistake}",) == mistakes(write, text)


def test_several_mistakes_are_told_at_once(write: Path) -> None:
    (write.parent / ".env").write_text("hunter2\n")

    found = mistakes(write, "[discrod]\n[limits]\nuser_active = 'a'\n[settings]\ndegree = 9\nlimit = 1\n")

    assert 5 == len(found)
    assert all("\n" not in mistake for mistake in found)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[discord", "is not valid TOML"),
        ("a = " + "[" * 100_000, "nested too deeply"),
        ("status = tea", "a text needs quotes"),
    ],
    ids=["a bracket", "deep", "no quotes"],
)
def test_what_is_no_toml_is_one_sentence(write: Path, text: str, word: str) -> None:
    (mistake,) = mistakes(write, text)

    assert word in mistake


def test_a_file_that_is_not_there_is_made_with_init(write: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is no cadenza.toml in .*; create one with: cadenza init"):
        load(write, {})


def test_a_file_that_cannot_be_read_is_one_sentence(write: Path) -> None:
    write.mkdir()
    with pytest.raises(ConfigError, match="cannot read"):
        load(write, {})
    (write.parent / "odd.toml").write_bytes(b"\xff")
    with pytest.raises(ConfigError, match="UTF-8"):
        load(write.parent / "odd.toml", {})


def test_a_secret_is_refused_alone_and_not_repeated(write: Path) -> None:
    secret = "sk-" + "abcdefghij0123456789"

    (mistake,) = mistakes(write, f"[discrod]\ntoken = '{secret}'\n")

    assert mistake.startswith("cadenza.toml: line 2 contains what looks like an API key; move it to .env")
    assert secret not in mistake


def test_what_was_read_is_known_to_be_watched_also_if_it_is_wrong(write: Path) -> None:
    write.write_text("[[personas]]\nname = 'Ren'\nprompt_file = 'ren.md'\n")
    with pytest.raises(ConfigError) as raised:
        read(write, {})
    (write.parent / "ren.md").write_text("A fox.")

    files = {write, write.parent / ".env", write.parent / "ren.md"}
    assert (files, files) == (raised.value.files, read(write, {}).files)


def test_variables_of_the_file_are_filled_in_and_warnings_are_told(
    write: Path, caplog: pytest.LogCaptureFixture
) -> None:
    env = write.parent / ".env"
    env.write_text("A=1\n")
    env.chmod(0o644)
    write.write_text("[tools.mcp.a]\nurl = 'https://a.example/${A}'\n")

    assert "https://a.example/1" == load(write, {}).tools.mcp["a"]["url"]
    assert ["other users of this machine can read .env; try: chmod 600 .env"] == caplog.messages


_VALUES = st.recursive(
    st.sampled_from(["1", "-1", "true", "'a'", "''", "1.5", "nan", "1979-05-27", "[]"]),
    lambda inner: st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
    max_leaves=4,
)
_NAMES = st.sampled_from(
    ["discord", "models", "personas", "tools", "settings", "mcp", "fast", "default", "name", "sprites", "channels", "http",
     "headers", "degree", "model", "status", "card", "limits", "a.b", "tools.mcp", "models.fast", "settings.http"]
)  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from(["[{}]", "[[{}]]", "{} = VALUE"]), _NAMES, _VALUES), max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
def test_whatever_stands_there_is_read_or_told_in_lines(write: Path, lines: list[tuple[str, str, str]]) -> None:
    write.write_text("\n".join(form.format(name).replace("VALUE", value) for form, name, value in lines))
    try:
        load(write, {})
    except ConfigError as error:
        assert error.mistakes  # noqa: PT017  # either way is right, and nothing else is
