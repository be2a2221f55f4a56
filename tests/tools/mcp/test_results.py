from __future__ import annotations

from base64 import b64encode

import pytest

from cadenza.types import Media, MediaKind, Part

pytestmark = pytest.mark.usefixtures("mcp_sdk")

PICTURE = b64encode(b"a picture").decode()


def text(words: str) -> dict[str, object]:
    return {"type": "text", "text": words}


def resource(**fields: object) -> dict[str, object]:
    return {"type": "resource", "resource": {"uri": "file:///tea.txt", **fields}}


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        pytest.param([text("One."), text("Two.")], ("One.", "Two."), id="texts"),
        pytest.param([], ("The tool gave nothing back.",), id="nothing"),
        pytest.param([text("")], ("The tool gave nothing back.",), id="an empty text"),
        pytest.param(
            [text("Look:"), {"type": "image", "mimeType": "image/png", "data": PICTURE}],
            ("Look:", Media(MediaKind.IMAGE, "image/png", data=b"a picture")),
            id="picture",
        ),
        pytest.param(
            [{"type": "image", "mimeType": "image/png", "data": "not base64!"}],
            ("(A picture of type image/png, 0 bytes, that cannot be shown here.)",),
            id="broken picture",
        ),
        pytest.param(
            [{"type": "audio", "mimeType": "audio/wav", "data": PICTURE}],
            ("(A sound of type audio/wav, 9 bytes, that cannot be shown here.)",),
            id="sound",
        ),
        pytest.param([resource(text="Steep it.")], ("file:///tea.txt:\nSteep it.",), id="text of a resource"),
        pytest.param(
            [resource(blob=PICTURE, mimeType="image/webp"), resource(blob=PICTURE, mimeType="video/mp4")],
            (
                Media(MediaKind.IMAGE, "image/webp", data=b"a picture"),
                Media(MediaKind.VIDEO, "video/mp4", data=b"a picture"),
            ),
            id="picture and film as resources",
        ),
        pytest.param(
            [resource(blob=PICTURE)],
            ("(A file, 9 bytes at file:///tea.txt, that cannot be shown here.)",),
            id="file",
        ),
        pytest.param(
            [
                {"type": "resource_link", "uri": "https://x/", "name": "tea"},
                {"type": "resource_link", "uri": "https://y/", "name": "t", "title": "Tea", "description": "how to"},
            ],
            ("tea: https://x/", "Tea: https://y/ (how to)"),
            id="links",
        ),
    ],
)
def test_every_kind_of_content_is_told_or_shown(content: list[object], parts: tuple[Part, ...]) -> None:
    assert parts == told({"content": content})


@pytest.mark.parametrize(
    ("texts", "data", "parts"),
    [
        pytest.param([], {"tea": "ü"}, ('{"tea": "ü"}',), id="only data"),
        pytest.param(["There you are."], {"tea": 1}, ("There you are.", '{"tea": 1}'), id="words and data"),
        pytest.param(['{\n "tea": 1 }'], {"tea": 1}, ('{\n "tea": 1 }',), id="the same, written out"),
        pytest.param(["Hello."], {"result": "Hello."}, ("Hello.",), id="a bare text"),
        pytest.param(["3"], {"result": 3}, ("3",), id="a bare number"),
        pytest.param(["1", "two"], {"result": [1, "two"]}, ("1", "two"), id="a bare list"),
        pytest.param([], {"result": []}, ('{"result": []}',), id="an empty list"),
        pytest.param(["3"], {"result": 4}, ("3", '{"result": 4}'), id="something else"),
    ],
)
def test_what_is_said_in_words_and_as_data_is_told_once(
    texts: list[str], data: object, parts: tuple[Part, ...]
) -> None:
    assert parts == told({"content": [text(words) for words in texts], "structuredContent": data})


def test_an_error_is_an_error() -> None:
    from mcp_types import CallToolResult

    from cadenza.tools.mcp.results import tool_result

    result = tool_result(CallToolResult.model_validate({"content": [text("No tea.")], "isError": True}))

    assert (True, "No tea.") == (result.is_error, result.text)


def told(answer: dict[str, object]) -> tuple[Part, ...]:
    from mcp_types import CallToolResult

    from cadenza.tools.mcp.results import tool_result

    result = tool_result(CallToolResult.model_validate(answer))
    assert not result.is_error
    return result.parts
