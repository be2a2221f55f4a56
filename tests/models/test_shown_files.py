"""What becomes a file for people."""

from __future__ import annotations

from base64 import b64encode
from types import SimpleNamespace

import pytest

from cadenza.errors import InputError
from cadenza.models.sdk_items import Shapes
from cadenza.models.shown_files import as_attachment, generated, named
from cadenza.types import Attachment, Chunk, Finished, Media, MediaKind, TextDelta

PNG = b"\x89PNG\r\n\x1a\nx"
WRITTEN = b64encode(PNG).decode()


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        pytest.param(Attachment("a", b"b"), Attachment("a", b"b"), id="a file"),
        pytest.param(Media(MediaKind.IMAGE, "image/png", data=PNG), Attachment("image.png", PNG), id="loaded"),
        pytest.param(
            Media(MediaKind.VIDEO, "video/quicktime", f"data:video/quicktime;base64,{WRITTEN}"),
            Attachment("video.mov", PNG),
            id="in its address",
        ),
        pytest.param(Media(MediaKind.IMAGE, "image/png", "https://example.org/a.png"), None, id="a link"),
        pytest.param(Media(MediaKind.IMAGE, "image/png", "data:image/png;base64,é"), None, id="no base64"),
        pytest.param("text", None, id="text"),
    ],
)
def test_a_file_is_recognised(item: object, expected: Attachment | None) -> None:
    assert expected == as_attachment(item)


@pytest.mark.parametrize(
    ("mime", "expected"),
    [
        ("image/jpeg", "image.jpg"),
        ("image/svg+xml", "image.svg"),
        ("image/", "image.bin"),
        ("image/png;a=b", "image.png"),
    ],
)
def test_a_file_has_the_extension_of_its_type(mime: str, expected: str) -> None:
    assert expected == named("image", mime)


@pytest.mark.parametrize("data", ["é", "", b"", None, 5])
def test_what_is_no_image_is_left_out(data: object) -> None:
    assert generated(data) is None


def chunks(*items: object) -> list[Chunk]:
    shapes = Shapes()
    found = [chunk for item in items for chunk in shapes.feed(item)]
    return [*found, *(chunk for chunk in shapes.flush() if not isinstance(chunk, Finished))]


def test_files_stand_between_the_texts_of_a_stream() -> None:
    file = Attachment("a.txt", b"a")
    linked = Media(MediaKind.IMAGE, "image/png", "https://example.org/a.png")

    assert [TextDelta("One."), file, TextDelta("\nhttps://example.org/a.png\n"), TextDelta("Two.")] == chunks(
        "One.", file, linked, Media(MediaKind.IMAGE, "image/png"), "Two."
    )


@pytest.mark.parametrize("wrap", [dict, SimpleNamespace], ids=["dictionaries", "objects"])
def test_an_image_of_openai_is_shown_once_it_is_done(wrap: type[dict[str, object]]) -> None:
    call = {"type": "image_generation_call", "id": "ig_1", "status": "in_progress", "result": None}
    done = {**call, "result": WRITTEN, "output_format": "webp", "revised_prompt": "A fox."}
    response = {"output": [done], "usage": None, "status": "completed"}

    assert [Attachment("image.webp", PNG, "A fox.")] == chunks(
        wrap(type="response.output_item.added", output_index=0, item=wrap(**call)),
        wrap(type="response.output_item.done", output_index=0, item=wrap(**done)),
        wrap(type="response.completed", response=wrap(**response)),
    )
    assert [Attachment("image.webp", PNG, "A fox.")] == chunks(
        wrap(object="response", output=[wrap(**done)], usage=None, error=None, incomplete_details=None)
    )


@pytest.mark.parametrize(
    "inline",
    [
        pytest.param({"inline_data": SimpleNamespace(mime_type="image/jpeg", data=PNG)}, id="bytes"),
        pytest.param({"inlineData": {"mimeType": "image/jpeg", "data": WRITTEN}}, id="JSON"),
    ],
)
def test_an_image_of_gemini_is_shown_where_it_stands(inline: dict[str, object]) -> None:
    parts: list[dict[str, object]] = [{"text": "Look:"}, inline, {"text": "Nice?"}, {**inline, "thought": True}]

    found = chunks({"candidates": [{"content": {"parts": parts}}]})

    assert [TextDelta("Look:"), Attachment("image.jpg", PNG), TextDelta("Nice?")] == found


def test_an_unknown_object_is_refused() -> None:
    with pytest.raises(InputError, match="not object"):
        chunks(object())


@pytest.mark.parametrize(
    "file",
    [Attachment("fox.png", "a text"), Attachment(5, b"fox"), Attachment("fox.png", b"fox", None)],  # type: ignore[arg-type]
    ids=["a text as content", "a number as name", "no description"],
)
def test_a_file_that_is_none_is_refused_in_one_sentence(file: Attachment) -> None:
    with pytest.raises(InputError, match="an Attachment needs a name, bytes and a description"):
        as_attachment(file)
