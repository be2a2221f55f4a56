"""The tour: five stories of a minute each, about what bots usually get wrong.

The same stream is delivered twice, by a usual bot and by Cadenza, both in virtual time, and shown side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from ...settings import Settings
from ...types import Persona, Sprite, StopReason
from ..films.fault_names import RehearsalFault
from ..films.film import Film, FilmRecord, Json
from ..films.plan import Interlude, Rehearsal, beats_of
from ..films.rehearsal import rehearse
from ..films.usual_bot import rehearse_usual
from ..films.virtual_time import GivenUp
from .demos import Words
from .drawn_avatars import STARGAZER, Mood, drawn_avatar
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
    """A caption that is shown while a story plays."""

    when: str
    """The moment: ``start``, ``message 3`` of Cadenza's, ``usual 2`` of the other's, ``stop``, or ``end``."""
    words: Words
    after: float = 0.0
    """Seconds after that moment."""


@dataclass(frozen=True, slots=True)
class Story:
    """One minute of the tour."""

    id: str
    title: Words
    about: Words
    """What usually goes wrong."""
    captions: tuple[Caption, ...]
    rate: float
    """Tokens a second: slow enough to read along."""
    settings: Settings = field(default_factory=lambda: Settings.of(degree=2, typing_tail=4.0))
    """A message a line with typing, so that one can read along."""
    is_ren: bool = False
    """Whether a persona with its own name and avatar tells it."""
    faults: tuple[RehearsalFault, ...] = ()
    asides: tuple[tuple[float, Words, StopReason], ...] = ()
    """Messages during the reply: when, what, and why they stop it."""

    def rehearsal(self, language: str) -> Rehearsal:
        """The rehearsal that is filmed."""
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
        """Seconds that the model speaks; only the film knows when everything has arrived."""
        return round(sum(beat.after for beat in self.rehearsal("en").beats), 1)


@dataclass(frozen=True, slots=True)
class ShownStory:
    """A story with its films."""

    films: tuple[Film, Film]
    """Of the usual bot, and of Cadenza."""
    captions: tuple[Json, ...]
    """The captions, each ``at`` its time."""


def _ren(language: str) -> Persona:
    names = ("thinking", "happy", "sleepy") if language == "en" else ("考え中", "にっこり", "ねむい")
    moods = (Mood.AWED, Mood.HAPPY, Mood.SLEEPY)
    sprites = tuple(Sprite(name, drawn_avatar(STARGAZER, mood)) for name, mood in zip(names, moods, strict=True))
    return Persona("Ren", avatar=drawn_avatar(STARGAZER, Mood.CALM), sprites=sprites, is_alter=True)


STORIES: tuple[Story, ...] = (
    Story(
        "code",
        _words("Code that stays whole", "壊れないコード"),
        _words(
            "A long answer is cut at 2000 characters, in the middle of the code, and a table is a mess of bars.",
            "長い返事は2000文字で切られ、コードは途中で壊れ、表は縦棒だらけになります。",
        ),
        (
            Caption(
                "start",
                _words(
                    "Both bots get the same words from a model, token by token.",
                    "モデルの同じ言葉が、同じ速さで両方のボットに届きます。",
                ),
            ),
            Caption(
                "usual 1",
                _words(
                    "The usual bot shows every fragment at once and keeps editing its message.",
                    "よくあるボットは、断片をすぐに見せて、同じメッセージを何度も書きかえます。",
                ),
                4.0,
            ),
            Caption(
                "message 1",
                _words(
                    "Cadenza waits until a piece is complete, like a person who types.",
                    "Cadenzaは、人が打つときのように、まとまりができるまで待ちます。",
                ),
                8.0,
            ),
            Caption(
                "message 1",
                _words(
                    "Right: a code block is open, so its text is held. The lane “Held” shows it.",
                    "右：コードブロックが開いている間は、壊れるものを出しません。「保留」の行を見てください。",
                ),
                18.0,
            ),
            Caption(
                "usual 2",
                _words(
                    "Left: the message was full at 2000 characters, so the code was cut, and its second half is not code any more.",
                    "左：2000文字でコードが切れ、後半はもうコードとして表示されません。",
                ),
                0.5,
            ),
            Caption(
                "message 3",
                _words(
                    "Right: the block was closed, and opened again in the next message, with its language.",
                    "右：コードブロックはいったん閉じられ、次のメッセージで、言語の指定ごと開き直されました。",
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
            "Reasoning leaks into the channel, everyone is pinged, and the model speaks for other people.",
            "モデルの思考がチャンネルに漏れ、全員がメンションされ、他人の台詞までしゃべります。",
        ),
        (
            Caption(
                "start",
                _words(
                    "This model thinks aloud before its answer, and in the middle of it.",
                    "このモデルは、返事の前にも途中にも、考えごとを書きます。",
                ),
            ),
            Caption(
                "usual 1",
                _words(
                    "Left: Jo can now read about the surprise. It is in the text, so the usual bot shows it.",
                    "左：サプライズの話が、ジョーにも丸見えです。",
                ),
                5.0,
            ),
            Caption(
                "message 1",
                _words(
                    "Right: the thought is hidden, and the name at the start is removed.",
                    "右：考えごとは表に出ず、頭に付いた名前も消えます。",
                ),
            ),
            Caption(
                "message 3",
                _words(
                    "Right: “@everyone” is shown without a ping. Left: it pings everyone.",
                    "右：「@everyone」は読めるだけで、誰も呼び出しません。左：全員あてのメンションになりました。",
                ),
            ),
            Caption(
                "end",
                _words(
                    "The model went on as Mia; the speaker guard ended the reply before that.",
                    "モデルがミアのふりを始めたので、そこで返事は終わりました（話者ガード）。",
                ),
            ),
        ),
        rate=5.0,
        settings=Settings.of(degree=2, typing_tail=4.0, speaker_guard=True),
        is_ren=True,
    ),
    Story(
        "limits",
        _words("Nothing lost, nothing twice", "失わない、くり返さない"),
        _words(
            "Discord takes five messages in five seconds, and now and then a response is lost. Then the rest never arrives.",
            "Discordが受け取るのは5秒に5通まで。応答が途中で消えることもあり、続きはもう届きません。",
        ),
        (
            Caption(
                "start",
                _words(
                    "A chatty model, a strict rate limit, and a response of Discord that gets lost.",
                    "おしゃべりなモデル、厳しいサーバー、そして途中で消えるDiscordからの応答。",
                ),
            ),
            Caption(
                "message 4",
                _words(
                    "Discord answers “too many”. Right: it waits as long as Discord asks, and sends the queued lines together.",
                    "Discordが「多すぎる」と断りました。右：言われたとおりに待ち、待っている行をまとめて送ります。",
                ),
            ),
            Caption(
                "message 7",
                _words(
                    "Left: the response to an edit was lost, and the reply ended there.",
                    "左：編集への応答が失われ、それきり止まりました。",
                ),
                0.5,
            ),
            Caption(
                "message 9",
                _words(
                    "Right: a response was lost here, too. The message is sent again with the same nonce, and appears once.",
                    "右：こちらでも応答が失われました。同じ番号で送り直すので、二重にはなりません。",
                ),
            ),
            Caption(
                "end",
                _words(
                    "Right: every line arrived, once. Left: some never did.",
                    "右：どの行も、一度ずつ。左：届かなかった行を数えてみてください。",
                ),
            ),
        ),
        rate=7.0,
        settings=Settings.of(degree=1),
        faults=(RehearsalFault("rate_limit", at_message=4, seconds=4.0), RehearsalFault("lost", at_message=9)),
    ),
    Story(
        "stop",
        _words("Stop means stop", "止めたら、止まる"),
        _words(
            "“Stop” works only when the answer is over, or it cuts a word in two.",
            "「止めて」と言っても最後まで続くか、言葉の途中でぷつりと切れます。",
        ),
        (
            Caption(
                "start",
                _words(
                    "A long story. Mia will have heard enough soon.", "長いお話です。ミアは、そろそろ止めたくなります。"
                ),
            ),
            Caption(
                "stop",
                _words(
                    "Mia says stop. Right: from now on nothing more is sent.",
                    "ミアが止めました。右：ここから先は、もう何も送りません。",
                ),
            ),
            Caption(
                "stop",
                _words(
                    "Left: it goes on, because it reads no messages while the model speaks.",
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
        "sprites",
        _words("Somebody who types", "そこに誰かがいる"),
        _words(
            "One grey message that flickers, with stage directions in it, at the speed of a machine.",
            "ちらちら書きかわる一つのメッセージ。ト書きもそのまま、機械の速さで。",
        ),
        (
            Caption(
                "start",
                _words(
                    "Ren is a persona: a name, an avatar, and sprites for moods.",
                    "Renはペルソナです。名前と顔、そして気分ごとの表情があります。",
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
                    "“Ren (thinking):” was a stage direction: it became a sprite.",
                    "「Ren (考え中):」はト書き。表情になりました。",
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
    """The story with this *id_*."""
    return next((story for story in STORIES if story.id == id_), None)


def shown(story: Story, language: str = "en", *, given_up: GivenUp | None = None) -> ShownStory:
    """Film *story* with both bots; this blocks."""
    wanted = story.rehearsal(language)
    films = (rehearse_usual(wanted, given_up=given_up), rehearse(wanted, given_up=given_up))
    return ShownStory(films, tuple(_captions(story, films)))


def _captions(story: Story, films: Sequence[Film]) -> Iterator[Json]:
    """The captions of *story*, in order of time."""
    moments = {
        "start": 0.0,
        "end": max(film.seconds for film in films),
        **_moments("usual", films[0]),
        **_moments("message", films[1]),
        **({"stop": story.asides[0][0]} if story.asides else {}),
    }
    due = [(moments[one.when] + one.after, one) for one in story.captions if one.when in moments]
    for at, caption in sorted(due, key=lambda pair: pair[0]):
        yield {"at": round(at, 6), **caption.words}  # as exact as the film, whose last caption is due at its very end


def _moments(name: str, film: Film) -> dict[str, float]:
    """The times of the bot's messages, by their names in captions."""
    said = (record for record in film.records if _is_said_by_bot(record))
    return {f"{name} {number}": record.at for number, record in enumerate(said, start=1)}


def _is_said_by_bot(record: FilmRecord) -> bool:
    """Whether *record* is a message of the bot with content; a persona's reply header has none."""
    message = record.about.get("message", {}) if record.kind == "message" else {}
    return bool(message and message["author"]["is_bot"] and (message["content"] or message["files"]))
