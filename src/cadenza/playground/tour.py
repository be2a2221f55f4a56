"""The tour: five stories, a minute each, and in each one something that bots usually get wrong.

The same stream is delivered twice, by a usual bot and by Cadenza, both in virtual time, and shown side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from ..films.film import Film, Json, Record
from ..films.rehearsal import Interlude, Rehearsal, beats_of, rehearse
from ..films.troubles import Trouble
from ..films.usual import rehearse_usual
from ..films.virtual import GivenUp
from ..settings import Settings
from ..types import Persona, Sprite, StopReason
from .faces import STARGAZER, Mood, face
from .shows import Words
from .tour_texts import ANSWERS, QUESTIONS

LABELS: tuple[Words, Words] = (
    MappingProxyType({"en": "A usual bot", "ja": "よくあるボット"}),
    MappingProxyType({"en": "Cadenza", "ja": "Cadenza"}),
)
_TOKEN, _DENSE_TOKEN = 4, 2
"""Characters of a token: in Japanese it is fewer."""


def _words(english: str, japanese: str) -> Words:
    return MappingProxyType({"en": english, "ja": japanese})


@dataclass(frozen=True, slots=True)
class Caption:
    """Something that is pointed out while a story plays."""

    when: str
    """The moment: ``start``, ``message 3`` of Cadenza's, ``usual 2`` of the other's, ``stop``, or ``end``."""
    words: Words
    after: float = 0.0
    """So many seconds later."""


@dataclass(frozen=True, slots=True)
class Story:
    """One minute of the tour."""

    id: str
    title: Words
    about: Words
    """What usually goes wrong."""
    captions: tuple[Caption, ...]
    rate: float
    """Tokens a second: slow enough that one can read along."""
    settings: Settings = field(default_factory=Settings)
    is_ren: bool = False
    """Whether it is told by a persona with a name and face of its own."""
    faults: tuple[Trouble, ...] = ()
    asides: tuple[tuple[float, Words, StopReason], ...] = ()
    """What is said meanwhile, when, and how that ends the reply."""

    def rehearsal(self, language: str) -> Rehearsal:
        """What is filmed."""
        answer = ANSWERS[self.id][language]
        token = _TOKEN if sum(map(str.isascii, answer)) > len(answer) / 2 else _DENSE_TOKEN
        return Rehearsal(
            beats_of(answer, self.rate, token=token),
            self.settings,
            _ren(language) if self.is_ren else Persona("Cadenza"),
            asked=QUESTIONS[self.id][language],
            title=self.title[language],
            people=("Mia", "Jo") if language == "en" else ("ミア", "ジョー"),
            emoji=("wave",),
            asides=tuple(Interlude(at, words[language], stops=stops) for at, words, stops in self.asides),
            faults=self.faults,
        )

    @property
    def seconds(self) -> float:
        """How long the model speaks; how long it takes until all has arrived, only a film knows."""
        return round(sum(beat.after for beat in self.rehearsal("en").beats), 1)


@dataclass(frozen=True, slots=True)
class Shown:
    """A story as it is shown."""

    films: tuple[Film, Film]
    """Of the usual bot, and of Cadenza."""
    captions: tuple[Json, ...]
    """What is pointed out, each ``at`` its time."""


def _ren(language: str) -> Persona:
    name, looks = (
        ("Ren", ("thinking", "happy", "sleepy")) if language == "en" else ("レン", ("考え中", "にっこり", "ねむい"))
    )
    moods = (Mood.AWED, Mood.HAPPY, Mood.SLEEPY)
    sprites = tuple(Sprite(look, face(STARGAZER, mood)) for look, mood in zip(looks, moods, strict=True))
    return Persona(name, avatar=face(STARGAZER, Mood.CALM), sprites=sprites, is_alter=True)


STORIES: tuple[Story, ...] = (
    Story(
        "code",
        _words("Code that stays whole", "壊れないコード"),
        _words(
            "A long answer is cut at 2000 characters, in the middle of the code, and a table is a heap of bars.",
            "長い返事は2000文字で切られ、コードは途中で壊れ、表は縦棒だらけになります。",
        ),
        (
            Caption(
                "start",
                _words("The same words go to both bots, token by token.", "同じ言葉が、同じ速さで両方に届きます。"),
            ),
            Caption(
                "usual 1",
                _words(
                    "The usual bot shows each scrap at once, and edits its message over and over.",
                    "よくあるボットは、断片をすぐに見せて、同じメッセージを何度も書きかえます。",
                ),
                1.0,
            ),
            Caption(
                "message 1",
                _words(
                    "Cadenza waits until a piece is whole, as somebody who types would.",
                    "Cadenza は、人が打つときのように、まとまりができるまで待ちます。",
                ),
            ),
            Caption(
                "usual 2",
                _words(
                    "Left: 2000 characters were full, so the code was cut, and its second half is no code any more.",
                    "左：2000文字でコードが切れ、後半はもうコードではありません。",
                ),
            ),
            Caption(
                "message 2",
                _words(
                    "Right: the block is closed, and opened again in the next message, with its language.",
                    "右：コードブロックはいったん閉じ、次のメッセージで言語ごと開き直します。",
                ),
            ),
            Caption(
                "end",
                _words(
                    "And the table is a picture that a phone can show. Choose a message to see why it ends where it does.",
                    "表は、スマホでも読める画像になります。メッセージを選ぶと、そこで切れた理由がわかります。",
                ),
            ),
        ),
        rate=14.0,
    ),
    Story(
        "thoughts",
        _words("Thoughts stay inside", "考えごとは心の中に"),
        _words(
            "Reasoning leaks into the channel, everybody is called, and the model speaks for other people.",
            "モデルの思考がチャンネルに漏れ、全員に通知が飛び、他人の台詞までしゃべります。",
        ),
        (
            Caption(
                "start",
                _words(
                    "This model thinks aloud, in the middle of its answer.",
                    "このモデルは、返事の途中で考えごとを書きます。",
                ),
            ),
            Caption(
                "usual 1",
                _words(
                    "Left: Jo can now read about the surprise. It is in the text, so the usual bot shows it.",
                    "左：サプライズの話が、ジョーにも丸見えです。",
                ),
                2.0,
            ),
            Caption(
                "message 1",
                _words(
                    "Right: the thought is kept aside, and the name in front is taken off.",
                    "右：考えごとは取り分けられ、名前の前置きも消えます。",
                ),
            ),
            Caption(
                "message 3",
                _words(
                    "“@everyone” is there to be read, but no phone rings: each message says whom it may call.",
                    "「@everyone」と書かれていても、通知は飛びません。",
                ),
            ),
            Caption(
                "end",
                _words(
                    "The model went on as Mia, and the reply ended before that: the speaker guard.",
                    "モデルがミアのふりを始めたので、そこで返事は終わりました（話者ガード）。",
                ),
            ),
        ),
        rate=5.0,
        settings=Settings.of(speaker_guard=True),
        is_ren=True,
    ),
    Story(
        "limits",
        _words("Nothing lost, nothing twice", "失わない、くり返さない"),
        _words(
            "Discord takes five messages in five seconds. What comes too early is dropped, or comes a minute late, or twice.",
            "Discordが受け取るのは、5秒に5通まで。早すぎた分は消えるか、ずっと遅れるか、二度届きます。",
        ),
        (
            Caption(
                "start",
                _words(
                    "A chatty model, a strict server, and an answer of Discord that gets lost on the way.",
                    "おしゃべりなモデル、厳しいサーバー、そして途中で消えるDiscordからの応答。",
                ),
            ),
            Caption(
                "message 3",
                _words(
                    "The answer to this message was lost. It is sent again under the same number, and stands there once.",
                    "このメッセージへの応答は失われました。同じ番号で送り直すので、二重にはなりません。",
                ),
            ),
            Caption(
                "message 5",
                _words(
                    "The limit is near, so lines that wait go out together. Nothing is late.",
                    "上限が近づくと、待っている行をまとめて送ります。遅れません。",
                ),
            ),
            Caption(
                "end",
                _words(
                    "Look at the left: count the lines that never came.",
                    "左を見てください。届かなかった行を数えてみましょう。",
                ),
            ),
        ),
        rate=8.0,
        settings=Settings.of(degree=1),
        faults=(Trouble("lost", at_message=3), Trouble("rate_limit", at_message=6, seconds=4.0)),
    ),
    Story(
        "stop",
        _words("Stop means stop", "止めたら、止まる"),
        _words(
            "A stop takes hold when the answer is over, or tears a word in two.",
            "「止めて」と言っても最後まで続くか、言葉の途中でちぎれます。",
        ),
        (
            Caption(
                "start",
                _words("A long story. Mia will have heard enough soon.", "長いお話です。ミアはもうすぐ満足します。"),
            ),
            Caption(
                "stop",
                _words(
                    "Mia says stop. Right: the clause that was begun is finished, and that is all.",
                    "ミアが止めました。右：言いかけた文だけを言い終えて、終わりです。",
                ),
            ),
            Caption(
                "stop",
                _words(
                    "Left: it goes on, because nobody listens while the model speaks.",
                    "左：まだ続きます。モデルが話している間、誰も聞いていないからです。",
                ),
                6.0,
            ),
            Caption(
                "end",
                _words(
                    "In the chat, try “stop”, /stop, or simply say something else: it answers that instead.",
                    "チャットでも「ストップ」や /stop を試してください。別のことを言えば、そちらに答えます。",
                ),
            ),
        ),
        rate=7.5,
        asides=((14.0, _words("stop", "ストップ"), StopReason.USER),),
    ),
    Story(
        "faces",
        _words("Somebody who types", "そこに誰かがいる"),
        _words(
            "One grey message that flickers, with stage directions in it, at the speed of a machine.",
            "ちらちら書きかわる一つのメッセージ。ト書きもそのまま、機械の速さで。",
        ),
        (
            Caption(
                "start",
                _words(
                    "Ren is a persona: a name, a face, and looks for moods.",
                    "レンはペルソナです。名前と顔、そして気分ごとの表情があります。",
                ),
            ),
            Caption(
                "message 1",
                _words(
                    "A message a line, with the time that typing takes. “:wave:” is the server's own emoji.",
                    "一行ごとに、打つ時間をかけて。「:wave:」はサーバーの絵文字になります。",
                ),
            ),
            Caption(
                "message 4",
                _words(
                    "“Ren (thinking):” was a stage direction: it became a face.",
                    "「レン (考え中):」はト書き。表情になりました。",
                ),
            ),
            Caption(
                "message 6",
                _words(
                    "And a happy one. The usual bot reads the stage directions out.",
                    "うれしい顔。よくあるボットは、ト書きまで読み上げます。",
                ),
            ),
            Caption(
                "end",
                _words(
                    "That was the tour. Now talk to it yourself.",
                    "ツアーはここまで。次は自分で話しかけてみてください。",
                ),
            ),
        ),
        rate=4.0,
        is_ren=True,
    ),
)
"""The tour, in its order."""


def story_of(id_: str) -> Story | None:
    """The story that is called *id_*."""
    return next((story for story in STORIES if story.id == id_), None)


def shown(story: Story, language: str = "en", *, given_up: GivenUp | None = None) -> Shown:
    """Film *story*, once with each bot; takes a moment of computing."""
    wanted = story.rehearsal(language)
    films = (rehearse_usual(wanted, given_up=given_up), rehearse(wanted, given_up=given_up))
    return Shown(films, tuple(_captions(story, films)))


def _captions(story: Story, films: Sequence[Film]) -> Iterator[Json]:
    """What is pointed out of *story*, in the order in which it is due."""
    moments = {
        "start": 0.0,
        "end": max(film.seconds for film in films),
        **_moments("usual", films[0]),
        **_moments("message", films[1]),
        **({"stop": story.asides[0][0]} if story.asides else {}),
    }
    due = [(moments[one.when] + one.after, one) for one in story.captions if one.when in moments]
    for at, caption in sorted(due, key=lambda pair: pair[0]):
        yield {"at": round(at, 3), **caption.words}


def _moments(name: str, film: Film) -> dict[str, float]:
    """When each message of the bot came, by what captions call it."""
    said = (record for record in film.records if _is_said_by_bot(record))
    return {f"{name} {number}": record.at for number, record in enumerate(said, start=1)}


def _is_said_by_bot(record: Record) -> bool:
    """Whether *record* is a message of the bot, and not only what it answers, shown before a persona speaks."""
    message = record.about.get("message", {}) if record.kind == "message" else {}
    return bool(message and message["author"]["is_bot"] and (message["content"] or message["files"]))
