"""Pictures of tables as people will see them, one file each, to look at: ``bench/results/pictures``."""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter

from cadenza.pictures import Picture, TablePictures
from cadenza.text import tables
from cadenza.text.tables import Alignment, Table

FOLDER = Path(__file__).parent / "results" / "pictures"

TABLES = {
    "plain": """
| Planet | Moons | Day |
|---|---|---|
| Mercury | 0 | 176 days |
| Earth | 1 | 24 hours |
| Mars | 2 | 24.6 hours |
| Neptune | 16 | 16.1 hours |
""",
    "wide": """
| Language | First release | Typing | Runs on | Known for | Package manager |
|---|---|---|---|---|---|
| Python | 1991 | dynamic, strong | interpreter, some JIT | readability, data science, glue between everything else | pip, uv |
| TypeScript | 2012 | static, structural | JavaScript engines | large web front ends | npm, pnpm |
| Rust | 2015 | static, affine | native code | memory safety without a garbage collector | cargo |
| Haskell | 1990 | static, inferred | native code | laziness, purity and monads explained by burritos | cabal, stack |
""",
    "languages": """
| 言語 | 挨拶 | メモ |
|---|---|---|
| 日本語 | こんにちは、世界！ | 「禁則処理」では、句読点（。、）は行の先頭に置かれません。長い文章でもきれいに折り返されることを確認します。 |
| 한국어 | 안녕하세요, 여러분 | 한국어는 띄어쓰기를 기준으로 줄이 바뀝니다. 단어 중간에서는 끊어지지 않습니다. |
| 中文 | 你好，世界！ | 中文可以在任意两个汉字之间换行，但是句号和逗号不能出现在行首，左引号“也不能出现在行尾”。 |
| Русский | Привет, мир! | Обычные слова переносятся по пробелам. |
| العربية | مرحبا بالعالم | هذا نص **عربي** يُقرأ من اليمين إلى اليسار، وهو طويل بما يكفي لسطرين. |
| עברית | שלום עולם | mixed: שלום world |
""",
    "emoji": """
| Mood | Reaction | When |
|---|:-:|---|
| happy | 😀🎉👍🏽 | it works ✅ |
| family | 👨‍👩‍👧‍👦 👩🏿‍🚀 | joined emoji stay one |
| flags | 🇯🇵 🇩🇪 🇧🇷 🏴󠁧󠁢󠁥󠁮󠁧󠁿 | two letters, one flag |
| keys | 1️⃣ #️⃣ ⌨️ | ❤️ and ❤, ☺️ and ☺ |
| custom | <:wave:123456789012345678> | `😀 in code` |
""",
    "long": r"""
| Field | What it holds | Example |
|---|---|---|
| `url` | The address that is called when something happens. It has to answer within five seconds, otherwise it is called again, up to three times, with a longer pause each time. | https://hooks.example.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX?retry=3&format=json |
| `signature` | A hash of the body. Compare it in constant time. | `sha256=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08` |
| `note` | First line<br>Second line<br>Third line | Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft |
""",
    "styles": r"""
| Look | `code` in a **header** | All in one |
|---|---|---|
| **bold** | *italic* and _italic_ | ***both*** and **bold *with italic* inside** |
| __underlined__ | ~~struck~~ | ~~**bold and struck**~~, __*underlined italic*__ |
| `code`, `a \| b` | ``a `tick` in it`` | some words, `code that is long enough to be broken somewhere`, more words |
| [a link](https://example.com) | <https://example.com> | see [**the bold** one](https://example.com/a_b_c) or https://example.com |
| \*not italic\* | 5 * 3 * 2 | <@123456789012345678> <t:1700000000:f> |
| *日本語の斜体* | **日本語の太字** | `日本語` と 日本語 |
""",
    "aligned": """
| Item | Left | Centre | Right | Price |
|---|:---|:---:|---:|---:|
| Tea | a | b | c | 3.50 € |
| Coffee with milk | left aligned | in the middle | right aligned | 12.00 € |
| | | | | |
| Sum | several words that take<br>two lines | two<br>lines | two<br>lines | **15.50 €** |
""",
    "columns": """
| # | A | B | C | D | E | F | G | H | I | J | K |
|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
| 1 | 12 | 7 | 130 | 4 | 55 | 6 | 78 | 8 | 91 | 10 | 11 |
| 2 | 3 | 14 | 15 | 92 | 6 | 53 | 5 | 89 | 7 | 93 | 238 |
| 3 | 2 | 71 | 82 | 8 | 18 | 28 | 45 | 90 | 45 | 2 | 35 |
""",
}
"""By the name of the file: what it shows."""


def table_of(source: str) -> Table:
    """The table that *source* writes, of which every row is whole."""
    header, dashes, *rows = [tables.cells(line) for line in source.strip().split("\n")]
    alignments = {(True, True): Alignment.CENTRE, (False, True): Alignment.RIGHT}
    return Table(
        tuple(header),
        tuple(map(tuple, rows)),
        tuple(alignments.get((dash.startswith(":"), dash.endswith(":")), Alignment.LEFT) for dash in dashes),
    )


def main() -> int:
    """Paint every table, twice: what the first one costs is mostly opening fonts."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    pictures = TablePictures()
    refused = 0
    for name, source in TABLES.items():
        table = table_of(source)
        times = []
        for _ in range(2):
            start = perf_counter()
            picture = pictures.picture(table)
            times.append(1000 * (perf_counter() - start))
        if isinstance(picture, Picture):
            (FOLDER / f"{name}.png").write_bytes(picture.data)
            size = f"{picture.width} x {picture.height}, {len(picture.data) / 1000:.1f} kB"
            print(f"{name:10} {size:24} {times[0]:6.0f} ms first, {times[1]:4.0f} ms again")
        else:
            refused += 1
            print(f"{name:10} refused: {picture.reason}")
    return min(refused, 1)


if __name__ == "__main__":
    sys.exit(main())
