"""What the five stories of the tour say, in English and in Japanese. Only texts: ``tour`` makes stories of them."""

from __future__ import annotations

from typing import Final

CODE: Final = """import json
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass
class Item:
    \"\"\"Something on a shelf.\"\"\"

    name: str
    count: int = 0
    price: float = 0.0
    tags: list[str] = field(default_factory=list)

    @property
    def worth(self) -> float:
        return self.count * self.price


class Inventory:
    \"\"\"All shelves together, kept in one file.\"\"\"

    def __init__(self, path: Path) -> None:
        self.path = path
        self.items: dict[str, Item] = {}
        if path.exists():
            for row in json.loads(path.read_text()):
                self.items[row["name"]] = Item(**row)

    def add(self, name: str, count: int, price: float, *tags: str) -> Item:
        item = self.items.setdefault(name, Item(name))
        item.count += count
        item.price = price
        item.tags = sorted({*item.tags, *tags})
        return item

    def take(self, name: str, count: int) -> Item:
        item = self.items.get(name)
        if item is None:
            raise LookupError(f"there is no {name!r} on any shelf")
        if item.count < count:
            raise ValueError(f"only {item.count} of {name!r} are left")
        item.count -= count
        return item

    def find(self, tag: str) -> list[Item]:
        return [item for item in self.items.values() if tag in item.tags]

    def worth(self) -> float:
        return sum(item.worth for item in self.items.values())

    def save(self) -> None:
        rows = [asdict(item) for item in self.items.values()]
        self.path.write_text(json.dumps(rows, indent=2))


def main() -> None:
    shop = Inventory(Path("shop.json"))
    shop.add("lantern", 12, 24.90, "light", "outdoor")
    shop.add("rope", 40, 9.50, "outdoor")
    shop.add("tea", 200, 3.20, "kitchen")
    shop.take("tea", 8)
    for item in shop.find("outdoor"):
        print(f"{item.name:<10} {item.count:>4} × {item.price:>7.2f} = {item.worth:>9.2f}")
    print(f"all together: {shop.worth():.2f}")
    shop.save()


if __name__ == "__main__":
    main()
"""

_CODE_EN = f"""Gladly! Here is a whole little program; it keeps what is on your shelves in one file.

```python
{CODE}```
Three things to know (you can change all of them):
- **`take`** refuses to give out more than there is
- **`find`** goes by tags, so a lantern can be *light* and *outdoor*
- nothing is written before you call `save()`

| call | what it does | can fail |
|---|---|---|
| `add` | puts something on a shelf | no |
| `take` | takes it away | yes |
| `find` | looks by tag | no |

Shall I add a command line to it?"""

_CODE_JA = f"""もちろんです！棚にあるものを一つのファイルに記録する、小さなプログラムを書きました。

```python
{CODE}```
ポイントは三つです（どれも変えられます）。
- **`take`** は、在庫より多くは渡しません
- **`find`** はタグで探します
- `save()` を呼ぶまで、ファイルには書き込みません

| 関数 | はたらき | 失敗する？ |
|---|---|---|
| `add` | 棚に置く | いいえ |
| `take` | 棚から取る | はい |
| `find` | タグで探す | いいえ |

コマンドラインでも使えるようにしましょうか？"""

_THOUGHTS_EN = """<think>Mia asks about Saturday. The party is a surprise for Jo, so whatever I say here must not mention the cake in \
the blue box, nor who is coming. Jo reads this channel. Keep it vague, and do not ping anybody.</think>Ren: Saturday? \
Yes, it is still on :)
Eight o'clock at the harbour, by the old crane. Bring a jacket, it gets windy.

<think>I nearly wrote the list of guests. Careful. Jo thinks it is about the telescope, so let me speak of that.</think>We \
are looking at Saturn, so @everyone with a telescope is welcome. Mine is 27" long (and heavy
enough that two people carry it).
If it rains, we meet inside; I will say so here at six.
Mia: Great, I will tell the others about the cake!
Ren: Please do not, it is a secret."""

_THOUGHTS_JA = """<think>ミアは土曜日のことを聞いている。ジョーへのサプライズだから、青い箱のケーキのことも、誰が来るかも\
書いてはいけない。ジョーもこのチャンネルを読んでいる。ぼかして答えよう。誰にも通知は送らない。</think>Ren: 土曜日？うん、予定どおりだよ :)
夜八時に、港の古いクレーンのそばで。風が強いから、上着を忘れずに。

<think>招待客の名前を書きそうになった。ジョーは望遠鏡の話だと思っているから、その話をしよう。</think>土星を見るから、\
望遠鏡のある人は @everyone 大歓迎。ぼくのは27"もあって（重いから
二人で運ぶんだ）。
雨なら中に集まろう。六時にここで知らせるね。
ミア: わかった、ケーキのことはみんなに伝えておくね！
Ren: だめだよ、秘密なんだから。"""

_RATE_EN = """Twenty-four small things for a rainy day? Gladly!
Bake bread.
Call somebody you miss.
Sort one drawer.
Read a poem aloud.
Repair the bicycle lamp.
Learn a card trick.
Water the plants.
Write a real letter.
Cook soup for two days.
Look at old photographs.
Stretch for ten minutes.
Build a tent of blankets.
Play the record you forgot.
Clean one window.
Draw your own hand.
Learn three words of Finnish.
Polish the good shoes.
Count the drops on the glass.
Plan a walk for tomorrow.
Mend a sock.
Try the strange tea.
Find Saturn's place in the sky.
Do nothing at all, on purpose.
Go out and get wet.
And if the sun comes out: forget all of this."""

_RATE_JA = """雨の日にできる、小さなことを二十四個ですね。いきますよ！
パンを焼く。
会いたい人に電話する。
引き出しを一つ片づける。
詩を声に出して読む。
自転車のライトを直す。
トランプの手品を覚える。
植物に水をやる。
手紙を書く。
二日分のスープを作る。
古い写真を見る。
十分間ストレッチする。
毛布でテントを作る。
忘れていたレコードをかける。
窓を一枚みがく。
自分の手を描く。
フィンランド語を三つ覚える。
いい靴をみがく。
ガラスの雨粒を数える。
明日の散歩を考える。
靴下をつくろう。
変わったお茶を飲んでみる。
土星の場所を調べる。
あえて何もしない。
外に出て、ぬれてみる。
もし晴れたら、ぜんぶ忘れてください。"""

_STOP_EN = """Once there was a lighthouse keeper who collected the sounds of storms. She had a shelf of jars, and in each \
of them a gale was asleep.
The oldest was from the winter of the great ice, when the sea itself had stopped and only the wind went on. "Never open \
that one," her mother had said (and her mother had never said never, except about soup and about lawyers).
One evening a boat came in without lights. Nobody was in it but a small dog, and around its neck there was a key of \
the kind that opens nothing any more.
She dried the dog, lit the stove and put the key beside the jars. In the night she heard them whisper to each other, \
one storm to the next, as neighbours do over a fence.
In the morning the key lay in front of the oldest jar. She had not put it there, and the dog looked as if it knew who had.
So she sat down, and the dog sat down, and they waited for whatever it was that wanted to be let out. Outside the sea \
became flat, flatter than anybody had seen it, and the gulls walked instead of flying.
At noon the jar began to hum. At one o'clock it sang, and all the other jars sang with it, each in the key of its own \
weather, until the windows shook and the lamp turned by itself."""

_STOP_JA = """むかし、嵐の音を集めている灯台守がいました。棚には瓶が並び、その一つ一つの中で、強い風が眠っていました。
いちばん古い瓶は、海まで凍った大寒波の冬のものです。「あれだけは開けてはだめよ」と母は言いました（母が「だめ」と言うのは、\
スープと弁護士のことだけだったのに）。
ある晩、明かりのない小舟が流れ着きました。乗っていたのは小さな犬だけで、首には、もう何も開けられない古い鍵がさがっていました。
灯台守は犬をふいてやり、ストーブに火を入れ、鍵を瓶のそばに置きました。夜中、瓶たちがひそひそと話す声が聞こえました。\
まるで垣根ごしに話すご近所さんのように。
朝になると、鍵はいちばん古い瓶の前にありました。置いた覚えはありません。犬だけが、何か知っているような顔をしていました。
そこで灯台守は腰をおろし、犬も腰をおろして、出たがっている何かを待つことにしました。外の海は、誰も見たことがないほど\
静かになり、かもめは飛ばずに歩いていました。
昼になると、瓶は低くうなりはじめました。一時には歌いだし、ほかの瓶もみな、それぞれの天気の調子で歌いました。\
窓がふるえ、灯りがひとりでに回りだすまで。"""

_SPRITES_EN = """Ren: Evening, Mia! :wave: You are up late.
Ren (thinking): The meteors? Let me see, the radiant rises at ten …
Ren (thinking): … and the moon is gone by half past eleven.
Ren (happy): So tonight is *perfect*! Take a blanket, the big flask, and twenty minutes of patience for your eyes.

| when | look | an hour |
|---|---|--:|
| 22:00 | north-east | 15 |
| 00:30 | halfway up | 40 |
| 03:00 | anywhere | 70 |

Ren (sleepy): I shall be there at three … if somebody wakes me.
Ren: ||It will be you, won't it?||"""

_SPRITES_JA = """Ren: こんばんは、ミア！:wave: 遅くまで起きてるね。
Ren (考え中): 流星群？ええと、放射点がのぼるのは十時ごろで……
Ren (考え中): ……月は十一時半には沈むから。
Ren (にっこり): つまり今夜は*最高*だよ！毛布と大きな水筒、それから目が慣れるまでの二十分を忘れずに。

| 時刻 | 方角 | 一時間に |
|---|---|--:|
| 22:00 | 北東 | 15 |
| 00:30 | 空の中ほど | 40 |
| 03:00 | どこでも | 70 |

Ren (ねむい): 三時には行くよ……誰かが起こしてくれたら。
Ren: ||起こしてくれるの、きみだよね？||"""

ANSWERS: Final = {
    "code": {"en": _CODE_EN, "ja": _CODE_JA},
    "thoughts": {"en": _THOUGHTS_EN, "ja": _THOUGHTS_JA},
    "limits": {"en": _RATE_EN, "ja": _RATE_JA},
    "stop": {"en": _STOP_EN, "ja": _STOP_JA},
    "sprites": {"en": _SPRITES_EN, "ja": _SPRITES_JA},
}
"""What the model says in each story."""

QUESTIONS: Final = {
    "code": {
        "en": "Can you write me a small inventory program? With an explanation, please.",
        "ja": "小さな在庫管理プログラムを書いてくれる？説明もお願い。",
    },
    "thoughts": {"en": "Ren, is Saturday still on?", "ja": "Ren、土曜日の予定はそのまま？"},
    "limits": {"en": "It is raining. Give me ideas, lots of them!", "ja": "雨だね。何かアイデアをたくさんちょうだい！"},
    "stop": {"en": "Tell me a story about a lighthouse.", "ja": "灯台のお話を聞かせて。"},
    "sprites": {"en": "Ren, can we see the meteors tonight?", "ja": "Ren、今夜は流れ星が見られる？"},
}
"""What is asked in each story."""
