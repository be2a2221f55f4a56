"""The demonstrations of the guide: what to ask, and what it says, in English and Japanese."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ...types import ThoughtDelta

LANGUAGES = ("en", "ja")

Words = Mapping[str, str]
"""One text for each language."""


@dataclass(frozen=True, slots=True)
class Show:
    """One demonstration."""

    name: str
    asks: Words
    """What to ask: a suggestion below the channel."""
    triggers: tuple[str, ...]
    """Lower-case words; a question with one of them starts it."""
    said: Mapping[str, tuple[str | ThoughtDelta, ...]]
    """What the model says. ``{me}`` is the speaker, ``{you}`` the user."""


def _show(
    name: str,
    triggers: tuple[str, ...],
    asks: tuple[str, str],
    english: str | tuple[str | ThoughtDelta, ...],
    japanese: str | tuple[str | ThoughtDelta, ...],
) -> Show:
    said = (one if isinstance(one, tuple) else (one,) for one in (english, japanese))
    return Show(
        name,
        MappingProxyType(dict(zip(LANGUAGES, asks, strict=True))),
        triggers,
        MappingProxyType(dict(zip(LANGUAGES, said, strict=True))),
    )


_HELP = _show(
    "help",
    ("what can you", "help", "何ができ", "ヘルプ", "助けて"),
    ("What can you do?", "何ができるの？"),
    """I am built in, so nothing here needs a key or a network. Everything else is real: the pipeline, the bot, discord.py.
Below the channel are things to ask me for. Then look inside a message: choose it, and see why it begins and ends where it does.
Say "stop" while I talk, and I stop. Say more, and I answer that instead.""",
    """わたしは内蔵モデルなので、キーもネットワークもいりません。それ以外は全部ほんもの：パイプラインも、ボットも、discord.pyも。
チャンネルの下に、頼めることが並んでいます。メッセージを選ぶと、なぜそこで始まり、そこで終わるのかが見られます。
話の途中で「ストップ」と言えば止まります。続けて何か言えば、そちらに答えます。""",
)
_REASONING = _show(
    "reasoning",
    ("prime", "素数"),
    ("Think it through: is 91 a prime number?", "よく考えて：91は素数？"),
    (
        ThoughtDelta("Is 91 prime? It is odd, and 9 + 1 is 10, so not by 2, 3 or 5. By 7: 7 × 13 is 91. So no."),
        "<think>I noted my thoughts in the text as well, as some models do. Nobody should see this.</think>",
        "No, 91 is not a prime number.\nIt is **7 × 13**, which looks innocent until one tries.",
    ),
    (
        ThoughtDelta("91は素数？奇数だし、各桁の和は10だから2、3、5では割れない。7なら、7×13＝91。素数ではない。"),
        "<think>考えを本文にも書いてしまうモデルがある。これは誰にも見えないはず。</think>",
        "いいえ、91は素数ではありません。\n**7 × 13** です。割ってみるまでは素数に見えますね。",
    ),
)
_TABLE = _show(
    "table",
    ("planet", "惑星"),
    ("Put the planets into a table", "惑星を表にして"),
    """Here are the inner ones:

| planet | moons | a day there |
|---|--:|---|
| Mercury | 0 | 176 days of ours |
| Venus | 0 | 117 days of ours |
| Earth | 1 | 24 hours |
| Mars | 2 | 24 hours 40 minutes |

Discord knows no tables, so it came as a picture, or in columns.""",
    """内側の惑星です：

| 惑星 | 衛星 | 一日の長さ |
|---|--:|---|
| 水星 | 0 | 地球の176日 |
| 金星 | 0 | 地球の117日 |
| 地球 | 1 | 24時間 |
| 火星 | 2 | 24時間40分 |

Discordに表はないので、画像か、そろえた文字で届きます。""",
)
_SPOILER = _show(
    "spoiler",
    ("spoiler", "ネタバレ"),
    ("Tell me the end of the book, but as a spoiler", "本の結末をネタバレで隠して教えて"),
    "You asked for it.\n||The lighthouse keeper was the ship all along.\nAnd the sea was only borrowed.||\nClick it if you dare.",
    "では、そっと。\n||灯台守こそが、船だったのです。\nそして海は借り物でした。||\n見たい人だけ、クリックしてください。",
)
_LAYOUT = _show(
    "layout",
    ("heading", "見出し"),
    ("How do I make tea? Use headings and lists", "お茶のいれ方を、見出しと箇条書きで"),
    """# Tea, properly
## What you need
- water, fresh
- leaves
  - green ones want 70 °C
  - black ones want it boiling
- patience
## What to do
1. Warm the pot.
2. Wait (this is the difficult part).
3. Pour.
> A cup of tea is a small lake with a view.
-# No tea was harmed.""",
    """# お茶のいれ方
## 用意するもの
- 新しい水
- 茶葉
  - 緑茶は70度くらい
  - 紅茶は沸騰したお湯
- 気長さ
## 手順
1. 急須を温める。
2. 待つ（ここがいちばん難しい）。
3. 注ぐ。
> 一杯のお茶は、景色のいい小さな湖です。
-# お茶は無事です。""",
)
_EVERYONE = _show(
    "everyone",
    ("call everyone", "みんなを呼"),
    ("Call everyone together", "みんなを呼んで"),
    "@everyone, come here!\nDon't worry: I wrote it, and nobody's phone rang.",
    "@everyone 集まって！\nだいじょうぶ、こう書いても誰の通知も鳴りません。",
)
_CREW = _show(
    "crew",
    ("the crew", "クルーを呼"),
    ("Call Mia and the crew", "Miaとクルーを呼んで"),
    "@Mia and @crew, tea is ready!\nWhose phone rang? Look inside that message, and try it again with other settings.",
    "@Mia @crew お茶が入りました！\n誰に通知が届いたかは、そのメッセージの内側で見られます。設定を変えて、もう一度どうぞ。",
)
_SMILE = _show(
    "smile",
    ("smile", "sprite", "another face", "笑って"),
    ("Smile!", "笑って！"),
    "{me} (happy): Like this? That is another face of mine.",
    "{me} (happy): こうですか？これがもう一つの顔です。",
)
_MOODS = _show(
    "moods",
    ("your moods", "all your faces", "表情を"),
    ("Show me your moods", "いろいろな表情を見せて"),
    "This is how I look when nothing happens.\n"
    "{me} (happy): And this is me when the sky clears up!\n"
    "{me} (awed): Oh… a shooting star. Each mood comes with its own message.",
    "何もないときはこんな顔です。\n"
    "{me} (happy): 空が晴れたときはこう！\n"
    "{me} (awed): わあ…流れ星。表情はメッセージごとに変わります。",
)
_GUARD = _show(
    "guard",
    ("what do i say", "play both", "わたしの台詞", "私の台詞"),
    ("Play both of us: what do I say next?", "わたしの台詞も言って"),
    "Let me guess what you will say.\n{you}: I would never say that!\n{me}: Oh yes, you would.",
    "あなたが何と言うか、当ててみます。\n{you}: そんなこと言いません！\n{me}: いいえ、言いますよ。",
)
_EMOJI = _show(
    "emoji",
    ("emoji", "絵文字"),
    ("Say it with emoji", "絵文字で話して"),
    "Good evening 👋 the sky is clear tonight 🌟\nFamilies stay whole 👨‍👩‍👧‍👦, and flags too 🇳🇴.\nWhat I used lately, I do not use again so soon.",
    "こんばんは🌙今夜は晴れています🔭\n家族もばらばらにならず👩‍👩‍👦、旗もそのまま🇯🇵。\n最近使った絵文字は、しばらく使いません。",
)
_LINKS = _show(
    "links",
    ("links", "リンク"),
    ("Give me some links", "リンクをちょうだい"),
    "A link is never cut in two: https://example.org/a/rather/long/path?with=a_query&and=(brackets)#here\n"
    "Nor is one with a name: [the **bold** one](https://example.org/wiki/Tea_(drink)).",
    "リンクは途中で切れません： https://example.org/a/rather/long/path?with=a_query&and=(brackets)#here\n"
    "名前つきでも同じです：[**太字**のリンク](https://example.org/wiki/Tea_(drink))。",
)
_FOLLOW_UP = _show(
    "follow-up",
    ("interrupt", "割り込"),
    ("Talk about tea, I will interrupt you", "お茶の話をして、割り込むから"),
    """Then say something while I talk, anything.
Tea came to Europe by ship, and was at first sold as medicine.
What I have not said by then is dropped, and I answer the new thing.
In the eighteenth century a chest of it was worth more than the table it stood on.
People locked it up, and the key hung at somebody's belt.
Green tea was dearer than black, and both were dearer than sense.
You see how long I can go on about this.
Still here? Then you did not interrupt me, and I thank you for it.""",
    """では、わたしが話しているあいだに、何か言ってください。
お茶は船でヨーロッパに渡り、はじめは薬として売られました。
そのとき言い終えていないことは捨てて、新しい話に答えます。
十八世紀には、茶箱は、それを置いた机より高価でした。
人々は鍵をかけ、その鍵を腰に下げていたそうです。
緑茶は紅茶より高く、どちらも分別より高くつきました。
こんなふうに、いくらでも話せます。
まだいますか？割り込まずに聞いてくれて、ありがとう。""",
)
_DICE = _show("dice", ("dice", "サイコロ", "さいころ"), ("Roll the dice", "サイコロを振って"), "", "")
"""The answer depends on the roll."""
_STORY = _show(
    "story",
    ("story", "tale", "お話", "物語"),
    ("Tell me a long story", "長いお話をして"),
    """Once there was a lighthouse that was afraid of the dark.
Every evening it lit its lamp a little earlier, until it burned from breakfast on.
The ships did not mind, but the gulls complained, for they could not sleep.

So the oldest gull flew up and asked what the matter was.
"When I look out," said the lighthouse, "there is nothing there, and it goes on for ever."
"That is the sea," said the gull. "It is not nothing. It is only not for looking at."

"What is it for, then?"
"For listening. Put your lamp out for a moment, and try."
The lighthouse was frightened, but it was also polite, so it did.

And there it was: the long breath of the water, in and out, as if somebody slept beside it.
Far away a ship rang its bell, twice, as people do who come home late and do not want to wake the house.
The lighthouse lit its lamp again, but only just, and only for the ship.

Since then it waits every evening until the last light has gone, and then a little longer.
The gulls sleep well.
And sailors who pass say that the lamp of that house does not shine, exactly; it listens.
The end.""",
    """むかし、暗いのが怖い灯台がありました。
毎晩、少しずつ早く明かりをともし、とうとう朝ごはんのころから光るようになりました。
船は困りませんでしたが、カモメたちは眠れないと文句を言いました。

そこで、いちばん年寄りのカモメが飛んできて、わけを聞きました。
「外を見ると」と灯台は言いました。「何もないのに、それがどこまでも続いているんです」
「あれは海だよ」とカモメは言いました。「何もないのではない。見るものではないだけだ」

「では、何のためのものですか」
「聞くためのものさ。ちょっと明かりを消してごらん」
灯台は怖かったけれど、礼儀正しかったので、そうしました。

すると聞こえてきました。寄せては返す、水の長い息づかい。まるで隣で誰かが眠っているようです。
遠くで船が鐘を二度鳴らしました。遅く帰って、家の人を起こしたくない人がするように。
灯台はまた明かりをともしました。ほんの少し、その船のためだけに。

それからというもの、灯台は、最後の光が消えるまで待ち、それからもう少し待ちます。
カモメたちはよく眠ります。
通りかかる船乗りは言います。あの灯台は、光っているのではない。聞いているのだ、と。
おしまい。""",
)
_CODE_TEXT = '''
from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Star:
    """A point of light, and how bright it is: the smaller, the brighter."""

    name: str
    magnitude: float
    constellation: str

    @property
    def is_visible(self) -> bool:
        """Whether somebody without a telescope can see it."""
        return self.magnitude <= 6.0


def brightest(stars: Iterable[Star], count: int = 3) -> list[Star]:
    """The brightest of *stars*, the very brightest first."""
    return sorted(stars, key=lambda star: star.magnitude)[:count]


def by_constellation(stars: Iterable[Star]) -> dict[str, list[Star]]:
    """All *stars*, under the name of their constellation."""
    found: dict[str, list[Star]] = {}
    for star in stars:
        found.setdefault(star.constellation, []).append(star)
    return found


def described(stars: Iterable[Star]) -> Iterator[str]:
    """A line for each constellation, and below it a line for each of its stars."""
    for constellation, members in sorted(by_constellation(stars).items()):
        yield f"{constellation}:"
        for star in brightest(members, len(members)):
            mark = "*" if star.is_visible else "."
            yield f"  {mark} {star.name:<12} {star.magnitude:5.2f}"


SKY = (
    Star("Vega", 0.03, "Lyra"),
    Star("Sheliak", 3.52, "Lyra"),
    Star("Sulafat", 3.26, "Lyra"),
    Star("Altair", 0.76, "Aquila"),
    Star("Tarazed", 2.72, "Aquila"),
    Star("Alshain", 3.71, "Aquila"),
    Star("Deneb", 1.25, "Cygnus"),
    Star("Sadr", 2.23, "Cygnus"),
    Star("Albireo", 3.08, "Cygnus"),
    Star("Gienah", 2.48, "Cygnus"),
    Star("Fawaris", 2.87, "Cygnus"),
    Star("Rotanev", 3.63, "Delphinus"),
    Star("Sualocin", 3.77, "Delphinus"),
    Star("Aldulfin", 4.03, "Delphinus"),
)


def main() -> None:
    """Tell what is up tonight."""
    for line in described(SKY):
        print(line)
    names = ", ".join(star.name for star in brightest(SKY))
    print(f"Look first for {names}: the summer triangle.")


if __name__ == "__main__":
    main()
'''
_CODE = _show(
    "code",
    ("code", "コード"),
    ("Show me some long code", "長いコードを見せて"),
    f"Of course. It is too long for one message, so watch the fences:\n```python{_CODE_TEXT}```\nEvery part of it stands alone.",
    f"もちろん。一通には入りきらないので、コードの囲みに注目してください：\n```python{_CODE_TEXT}```\nどの部分も、それだけで正しく表示されます。",
)
_STARS = 260
"""More messages than a reply may have."""
_ENDLESS = _show(
    "endless",
    ("count the stars", "星をぜんぶ", "星を全部"),
    ("Count the stars, every single one", "星をぜんぶ数えて"),
    "\n".join(f"Star number {number}." for number in range(1, _STARS + 1)),
    "\n".join(f"{number}番目の星。" for number in range(1, _STARS + 1)),
)

SHOWS = (
    _HELP, _STORY, _CODE, _TABLE, _REASONING, _DICE, _SMILE, _MOODS, _LAYOUT, _SPOILER, _EMOJI, _GUARD, _EVERYONE, _CREW,
    _LINKS, _FOLLOW_UP, _ENDLESS,
)  # fmt: skip
"""All demonstrations, in the order of the suggestions."""
DICE = _DICE
