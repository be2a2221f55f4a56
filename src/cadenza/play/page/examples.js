/** Five things that models say, to begin with in the lab: each is something that bots get wrong. */

const FENCE = "```";
const cache = (about) => `${FENCE}python
from collections import OrderedDict


class Cache:
    """${about}"""

    def __init__(self, size: int) -> None:
        self.size = size
        self.kept: OrderedDict[str, object] = OrderedDict()

    def put(self, key: str, value: object) -> None:
        self.kept[key] = value
        self.kept.move_to_end(key)
        if len(self.kept) > self.size:
            self.kept.popitem(last=False)
${FENCE}`;

/** Each with its title and its text, in both languages. */
export const EXAMPLES = [
  {
    title: { en: "Code and a table", ja: "コードと表" },
    text: {
      en: `Sure! Here is a small cache that forgets what is old:

${cache("Keeps the last few values.")}

And how it compares:

| kind | remembers | cost |
|---|---|---|
| none | nothing | 120 ms |
| this one | the last 100 | 3 ms |
| everything | all of it | your memory |

Shall I add a test?
`,
      ja: `もちろんです！古いものを忘れていく小さなキャッシュです。

${cache("最近の値だけを覚えておく。")}

比べるとこうなります。

| 種類 | 覚えるもの | 時間 |
|---|---|---|
| なし | 何も覚えない | 120 ms |
| これ | 最近の100件 | 3 ms |
| 全部 | すべて | メモリ次第 |

テストも書きましょうか？
`,
    },
  },
  {
    title: { en: "It thinks aloud", ja: "考えごとがもれる" },
    text: {
      en: `<think>
The person wants to know whether tomatoes are fruit. Botanically yes, in the kitchen no.
I should not sound like an encyclopaedia.
</think>
Both, really.
To a botanist a tomato is a berry: it grows from the flower and has seeds in it.
To a cook it is a vegetable, because nobody wants it in a fruit salad 🍅
`,
      ja: `<think>
トマトが果物かどうかを聞かれている。植物学では果実、料理では野菜。
百科事典のような言い方は避けよう。
</think>
どちらとも言えます。
植物学では、花から育って種があるので果実です。
でも料理では野菜ですね。フルーツサラダに入れたい人はいませんから🍅
`,
    },
  },
  {
    title: { en: "A long answer", ja: "長い答え" },
    text: {
      en: `**How to sleep better**, in ten steps:

${[
  "Go to bed at the same time every day, also at the weekend; the body likes a rhythm more than it likes an extra hour.",
  "Let the room be dark and cool. Eighteen degrees are enough, and a good blanket does the rest.",
  "Leave the telephone in another room (an alarm clock costs less than a bad night).",
  "No coffee after two in the afternoon: half of it is still there at eight in the evening.",
  "Eat early and lightly; a full stomach works the night shift.",
  "Walk for half an hour a day. ***Daylight in the morning*** counts twice, because it sets the clock inside.",
  "Write down what goes round in your head. What stands on paper need not be remembered.",
  "If you lie awake for twenty minutes, get up, read something dull, and come back when you are tired.",
  "Take naps before three, and for twenty minutes at the most. ||Yes, also on Sundays.||",
  "Be patient: a rhythm takes two weeks to come, and one night to be forgiven.",
]
  .map((step, index) => `${index + 1}. ${step}\n   > Try it for a week before you judge it; note in the morning how you slept, from 1 to 5.`)
  .join("\n\n")}

Sleep well!
`,
      ja: `**よく眠るための10のこつ**です。

${[
  "毎日同じ時間に布団に入りましょう。週末もです。体は1時間の寝坊よりリズムを好みます。",
  "部屋は暗く、涼しく。18度もあれば十分で、あとは良い布団がしてくれます。",
  "スマートフォンは別の部屋に置きましょう（目覚まし時計のほうが、眠れない夜より安いです）。",
  "午後2時を過ぎたらコーヒーは控えましょう。夜8時になっても半分は残っています。",
  "夕食は早めに、軽く。満腹の胃は夜勤をすることになります。",
  "1日30分は歩きましょう。***朝の光***は体内時計を合わせるので、効果は2倍です。",
  "頭の中で回っていることを書き出しましょう。紙に書けば、覚えておかなくて済みます。",
  "20分眠れなかったら一度起きて、退屈な本を読み、眠くなったら戻りましょう。",
  "昼寝は3時まで、長くても20分です。||日曜日もです。||",
  "あせらないこと。リズムができるまで2週間、崩れても一晩で取り戻せます。",
]
  .map((step, index) => `${index + 1}. ${step}\n   > 1週間は続けてみてください。朝起きたら、眠れたかどうかを1から5で書いておきましょう。`)
  .join("\n\n")}

おやすみなさい！
`,
    },
  },
  {
    title: { en: "It speaks for others", ja: "ほかの人のセリフまで話す" },
    text: {
      en: `Cadenza: The door creaks open, and a cold wind blows the candle out.
"Who is there?" I whisper.
...
I take one step into the dark.

Mia: I hold my breath and reach for the lamp.
Cadenza: Good thinking!
`,
      ja: `Cadenza: 扉がきしんで開き、冷たい風がろうそくを吹き消しました。
「そこにいるのは誰？」と私はささやきます。
...
暗闇へ一歩、踏み出しました。

Mia: 息をひそめてランプに手を伸ばす。
Cadenza: いい考えですね！
`,
    },
  },
  {
    title: { en: "Mentions, emoji, spoilers", ja: "メンション、絵文字、ネタバレ" },
    text: {
      en: `Good news, @everyone! @Mia has won the quiz :tada: :party_wizard:
The answer was ||a lighthouse||, and only [two people](https://example.org/quiz) knew.
See you on Friday :) (same time
as always).
${FENCE}
@everyone in code stays as it is
${FENCE}
<|im_end|>
`,
      ja: `@everyone さん、お知らせです！@Mia さんがクイズで優勝しました :tada: :party_wizard:
答えは||灯台||で、知っていたのは[2人だけ](https://example.org/quiz)でした。
また金曜日に :) (時間は
いつもどおりです)。
${FENCE}
コードの中の @everyone はそのままです
${FENCE}
<|im_end|>
`,
    },
  },
];
