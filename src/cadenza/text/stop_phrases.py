"""Recognise messages that only ask the reply to stop: ``stop``, ``ok, that's enough``, ``もうやめて``.

Only the whole of a short message counts, because ``wait, what time is it?`` asks for something else. Every word must be
part of a stop phrase, a courtesy or a name of the persona, and there must be a phrase. Any other message is answered,
which ends the current reply as well.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import groupby
from types import MappingProxyType
from typing import TypeAlias

from .units import UNSPACED

MOST_WORDS = 6
"""A message with more different words is not just a stop."""

_MOST_LETTERS = 24
"""The same for scripts without spaces, where letters are counted."""

_LONGEST = 400
"""Longer messages are not checked: room for mentions and punctuation around the words."""

_PHRASES = """
    wait; wait up; wait a bit; wait a minute; wait a moment; wait a sec; wait a second; hold on; hold up; hang on;
    hold it; hold on a sec; hold on a second; hold on a minute; hang on a sec; hang on a second; that'll do;
    that will do; hush; shush; sh; shh; quiet; silence; zip it; shut it; stahp; forget that; forget about it; scratch that;
    stop; stop it; stop that; stop this; stop there; stop right there; stop here; stop everything; stop talking;
    stop typing; stop writing; stop generating; stop replying; stop responding; make it stop; i said stop;
    you can stop; you may stop; enough; enough already; enough of this; enough of that; that's enough;
    that is enough; that's good; that's fine; i've heard enough; chill; chill out; halt; pause; quit; quit it;
    never mind; nevermind; nvm; forget it; cut it out; tone it down; knock it off; shut up; stfu; be quiet;
    cancel; cancel that; cancel it; abort; 🛑; ⏹;

    yamete; sutoppu; mou ii; mou ii yo; juubun; matte; chotto matte;
    やめて; やめてね; やめてくれ; やめろ; やめなさい; もうやめ; 止めて; 止めろ; 止まって; 止まれ; とめて; とまって;
    辞めて; ストップ; もういい; もういいって; 十分; 充分; いいよ; 待って; 待ってね; 待った; 待て; まって; まってね; まて;
    停止; 一時停止; 中止; 中断; キャンセル; 黙って; だまって; 黙れ; 静かに; 静かにして; もう結構; もう大丈夫;
    やめ; やめてって; ストップして; もういいから; うるさい;

    停; 停止; 停下; 停下来; 停下來; 停一下; 停一停; 暂停; 暫停; 够了; 夠了; 等等; 等一下; 等一等; 等会; 等會; 等一会;
    别说了; 別說了; 不要说了; 不要說了; 别讲了; 別講了; 住口; 闭嘴; 閉嘴; 安静; 安靜; 算了; 取消; 打住;
    等; 等下; 行了; 别说话; 別說話; 别说话了; 別說話了; 不用说了; 不用說了; 不用了; 别再说了; 別再說了; 不要再说了; 不要再說了;

    그만; 그만해; 그만해요; 그만하세요; 그만해줘; 그만해 줘; 그만해주세요; 그만둬; 멈춰; 멈춰요; 멈춰줘; 멈춰 줘;
    멈춰주세요; 멈추세요; 정지; 중지; 스톱; 스탑; 잠깐; 잠깐만; 잠깐만요; 잠시만; 잠시만요; 기다려; 기다려요; 기다려줘;
    기다려 줘; 기다려주세요; 됐어; 됐어요; 됐습니다; 충분해; 충분해요; 조용히 해; 조용히 해줘; 닥쳐; 취소;
    그만 해; 그만 해요; 그만 좀; 그만 좀 해; 그만 좀 해요; 그만하자; 그만 말해; 멈춰 주세요; 조용; 조용히; 조용히 해주세요;
    조용히 해 주세요;

    stopp; halt stopp; hör auf; hört auf; hören sie auf; hör auf damit; aufhören; warte; warte mal; warten sie;
    moment mal; genug; genug davon; es reicht; das reicht; reicht; jetzt reicht's; schluss; schluss damit; lass es;
    lass das; lass gut sein; vergiss es; abbrechen; sei still; sei ruhig; halt die klappe; halt den mund;
    hör bitte auf; hör jetzt auf; hör endlich auf; hör sofort auf; das genügt; jetzt ist schluss; warte kurz; lass mal;
    sei leise; ruhe;

    para; para ya; páralo; párate; pare; deténte; deténgase; alto ahí; basta; ya basta; basta ya; suficiente;
    es suficiente; ya es suficiente; ya está bien; espera; espere; espérate; espera un momento; espera un segundo;
    cállate; déjalo; olvídalo; cancela; alto; no más; ya no más; deja de hablar; deja de escribir; silencio;

    arrête; arrêtez; arrête-toi; arrête ça; arrêtez ça; ça suffit; suffit; assez; c'est assez; attends; attendez;
    attends un peu; attends une seconde; attends une minute; tais-toi; taisez-vous; laisse tomber; oublie; annule;
    arrête de parler; arrête d'écrire; ferme-la;

    parar; para com isso; pare com isso; chega; já chega; chega disso; espere um pouco; espera aí; espera um pouco;
    deixa pra lá; esquece; cala a boca; cala-te; é suficiente; para de falar; esquece isso; silêncio;

    fermati; fermatevi; fermo; ferma; smettila; smetti; smettetela; basta così; aspetta; aspetti; aspetta un attimo;
    aspetta un momento; è abbastanza; lascia perdere; lascia stare; zitto; zitta; stai zitto; stai zitta; annulla;
    aspetta un secondo; silenzio;

    стоп; стой; стойте; хватит; хватит уже; остановись; остановитесь; перестань; перестаньте; прекрати;
    прекратите; подожди; подождите; погоди; погодите; постой; постойте; довольно; достаточно; этого достаточно;
    замолчи; замолчите; помолчи; тихо; забудь; отмена; отмени;
    заткнись; тише; не надо; прекрати это; перестань писать; подожди секунду; подожди немного;

    durdur; yeter; yeter artık; bekle; bir dakika bekle; stop maar; hou op; houd op; wacht; wacht even; genoeg;
    zo is het genoeg; przestań; przestańcie; dość; wystarczy; czekaj; poczekaj; zatrzymaj się; зупинись; досить; зачекай;
    sluta; vänta; det räcker; dừng lại; dừng; đủ rồi; berhenti; cukup; tunggu; توقف; كفى; انتظر; यह काफी है;
    रुको; रुकिए; रुक जाओ; बस करो; बंद करो; หยุด; พอแล้ว; หยุดเถอะ; รอก่อน;
    dur; hou je mond; laat maar; cicho; zamknij się; tyst; vänta lite; thôi; dừng lại đi; diam; tunggu sebentar; اسكت; خلاص;
    चुप; चुप रहो; หยุดก่อน; หยุดพูด; พอ
"""

_REQUESTS = """
    can you stop; could you stop; will you stop; would you stop; can you please stop; could you please stop;
    would you please stop; can you stop it; could you stop it; will you stop it; can you stop that; could you stop that;
    can you wait; could you wait; can we stop; can we stop here; can you be quiet; could you be quiet;
    can you stop talking; could you stop talking; can you please stop talking; could you please stop talking;
    will you shut up; will you be quiet; can you shut up;
    kannst du aufhören; könntest du aufhören; kannst du bitte aufhören; könntest du bitte aufhören;
    puedes parar; podrías parar; tu peux arrêter; tu peux t'arrêter; peux-tu arrêter; pode parar; puoi smettere; puoi fermarti;
    можешь остановиться; やめてくれる; やめてくれない; やめてもらえる; やめてもらえますか; やめてくれませんか;
    待ってくれる; 待ってくれない; 可以停了吗; 能停一下吗; 可以停一下吗; 그만해줄래; 멈춰줄래
"""
"""Phrases that stop as a question; all others do not count in a question."""

_COURTESIES = """
    please; pls; plz; now; right now; for now; just; okay; ok; okey; k; alright; all right; right; well; bot; thanks;
    thank you; thx; ty; sorry; hey; oh; ah; oi; already; immediately; bro; dude; man; mate; guys; there;
    then; yo; nah; whoa; omg; lol; lmao; xd;

    ください; 下さい; くださいよ; よ; です; でした; もう; ちょっと; 少し; お願い; おねがい; お願いします; おねがいします;
    ありがとう; ありがとうございます; いい加減; いい加減に; いったん; 一旦; 一回; 今すぐ; すぐ; はい; うん; ねえ; っ; ごめん; ごめんなさい; すみません;
    kudasai; onegai; mou; 请; 請; 吧; 啊; 好; 好了; 快; 先; 谢谢; 謝謝; 现在; 現在; 请你; 請你; 麻烦; 给我; 你;
    제발; 이제; 좀; 아; 야; 네; 지금; 고마워; 고마워요; 감사합니다; 부탁해; 부탁해요;

    bitte; jetzt; mal; danke; sofort; endlich; doch; ja; por favor; porfa; ya; ahora; gracias; vale; s'il te plaît;
    s'il vous plaît; stp; svp; maintenant; merci; d'accord; agora; já; obrigado; obrigada; per favore; per piacere; ora;
    adesso; subito; grazie; dai; пожалуйста; пж; ну; всё; уже; сейчас; спасибо; ладно; просто; эй; так; lütfen; artık; alsjeblieft;
    nu; proszę; już; snälla; tolong; xin; làm ơn; من فضلك; बस; कृपया; ครับ; ค่ะ; นะ
"""

_TAGS = re.compile(r"<(?:@[!&]?|a?:\w{1,32}:)\d{1,20}>", re.ASCII)
"""Mentions and emoji of a server."""

_LENGTHENED = re.compile(r"(\w)\1{2,}")
"""A lengthened letter: no word has the same one three times in a row."""

_UNSPACED_LETTER = re.compile(f"[{UNSPACED}]")
_SIGNS = frozenset("🛑⏹")
_QUESTION = frozenset("?？؟")
_CALL = frozenset("!！")
_SILENT = str.maketrans("", "", "'’‘ʼ´`ー〜～")
"""Apostrophes, which many people omit, and marks that lengthen a vowel."""
_PICTURE_MARKS = "\ufe0e\ufe0f\u20e3"
"""Marks of emoji, never of letters."""

_Words: TypeAlias = tuple[str, ...]
_Phrases: TypeAlias = Mapping[str, tuple[tuple[_Words, bool], ...]]
"""Known phrases by their first word, and whether each one stops."""


def is_stop(text: str, names: Iterable[str] = ()) -> bool:
    """Whether the whole of *text*, a short message, asks the bot called *names* to stop."""
    if len(text) > _LONGEST:
        return False
    words = _words(text)
    called = frozenset(filter(None, map(_words, names)))
    asks = not _QUESTION.isdisjoint(text) and _CALL.isdisjoint(text)
    return _are_few(words, called) and _reads(words, _known_phrases(asks=asks), called)


def _are_few(words: _Words, called: frozenset[_Words]) -> bool:
    """Whether the number of words, without names, is small. Repeated words count once."""
    named = frozenset(word for name in called for word in name)
    letters = sum(map(_stands_alone, words))
    return letters <= _MOST_LETTERS and len({word for word in words if not _stands_alone(word)} - named) <= MOST_WORDS


def _reads(words: _Words, phrases: _Phrases, called: frozenset[_Words]) -> bool:
    """Whether all *words* are known, and a stop phrase is among them.

    A name that is also a phrase is a name. ``reached`` tells up to which word the message can be read, with and without
    a phrase on the way, so that each word is checked once, however many readings there are.
    """
    calls = _by_first(called)
    reached: list[set[bool]] = [{False}, *(set() for _ in words)]
    for start, word in enumerate(words):
        for known, stops in (*phrases.get(word, ()), *((name, False) for name in calls.get(word, ()))):
            if reached[start] and words[start : start + len(known)] == known and not (stops and known in called):
                reached[start + len(known)] |= {stops or before for before in reached[start]}
    return True in reached[-1]


def _by_first(phrases: Iterable[_Words]) -> dict[str, list[_Words]]:
    found: defaultdict[str, list[_Words]] = defaultdict(list)
    for phrase in phrases:
        found[phrase[0]].append(phrase)
    return found


@lru_cache(maxsize=2)
def _known_phrases(*, asks: bool) -> _Phrases:
    """All known phrases; if the message *asks*, only requests stop."""
    stopping = _REQUESTS if asks else f"{_PHRASES};{_REQUESTS}"
    entries: defaultdict[str, set[tuple[_Words, bool]]] = defaultdict(set)
    for listed, stops in ((stopping, True), (_COURTESIES, False)):
        for phrase in map(_words, listed.split(";")):
            entries[phrase[0]].add((phrase, stops))
    return MappingProxyType({word: tuple(sorted(known)) for word, known in entries.items()})


def _words(text: str) -> _Words:
    """The words of *text* for comparison: in one case and width, without accents and marks.

    In scripts without spaces, such as Japanese, each letter is a word.
    """
    bare = unicodedata.normalize("NFKC", _TAGS.sub(" ", text).translate(_SILENT)).casefold().translate(_SILENT)
    kept = "".join(map(_plain, bare))
    return tuple(word for run in _LENGTHENED.sub(r"\1", kept).split() for word in _split(run))


def _plain(character: str) -> str:
    """*character* without its accent; a blank for separators, nothing for invisible characters."""
    if character in _SIGNS:
        return f" {character} "
    category = unicodedata.category(character)
    if category == "Cf":
        return ""
    if category[0] not in "LNM" or character in _PICTURE_MARKS or "\u1100" <= character <= "\u11ff":
        return " "  # a Hangul letter outside a syllable is a sigh or a laugh
    if character < "\u0250" or "\u1e00" <= character <= "\u1eff":  # Latin: many people omit its accents
        return unicodedata.normalize("NFD", character)[0]
    return "е" if character == "ё" else character


def _split(run: str) -> Iterable[str]:
    """*run* as one word, or as single letters for scripts without spaces."""
    for alone, part in groupby(run, key=_stands_alone):
        if alone:
            yield from part
        else:
            yield "".join(part)


def _stands_alone(character: str) -> bool:
    """Whether it is a letter of a script without spaces; Korean has them."""
    return bool(_UNSPACED_LETTER.match(character)) and not "\uac00" <= character <= "\ud7ff"
