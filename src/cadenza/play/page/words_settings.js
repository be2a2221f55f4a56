/** Words for settings, rules and faults: short names and what they mean, for newcomers. */

import { language, register, t } from "cadenza/words.js";
import { MORE } from "cadenza/words_more_settings.js";

const NAMES = {
  en: {
    shape: "How a reply is split",
    casual: "Typed in a hurry",
    gather: "Short paragraphs together",
    typing: "Typing",
    limit: "Longest message",
    message_limit: "Most messages in a reply",
    when_full: "When a reply needs more messages",
    code_file: "Long code as a file",
    overflow: "Longest text without a line end",
    hold: "Waiting for a mark to close",
    typing_speed: "Typing, per character",
    typing_least: "Typing, at least",
    typing_most: "Typing, at most",
    typing_budget: "Typing in a whole reply",
    typing_tail: "Typing after the model's end",
    thinking_chance: "Longer pauses",
    label_guard: "Opens as another speaker",
    speaker_guard: "Speaks for another person",
    rules_off: "Active rules",
    use_emoji: "Emoji",
    unknown_emoji: "An unknown :emoji:",
    emoji_lookback: "The same emoji again",
    mention_people: "People a reply may ping",
    mention_roles: "Pinging roles",
    tables: "Tables",
    math: "Formulas",
    on_stop: "After a stop",
    stop_phrases: "“Stop” ends a reply",
    debounce: "Collect messages",
    interrupts: "Interrupting a reply",
  },
  ja: {
    shape: "返信の分け方",
    casual: "急いで打ったように",
    gather: "短い段落をまとめる",
    typing: "入力の間",
    limit: "1通の最大の長さ",
    message_limit: "1回の返信の最大通数",
    when_full: "通数が足りないとき",
    code_file: "長いコードをファイルに",
    overflow: "改行のない文章の最大の長さ",
    hold: "記号が閉じるのを待つ長さ",
    typing_speed: "1文字の入力時間",
    typing_least: "入力時間の下限",
    typing_most: "入力時間の上限",
    typing_budget: "返信全体の入力時間",
    typing_tail: "モデルが終えたあとの入力時間",
    thinking_chance: "長めの間",
    label_guard: "別人の名前で始まる返信",
    speaker_guard: "別人のセリフ",
    rules_off: "はたらくルール",
    use_emoji: "絵文字",
    unknown_emoji: "知らない :絵文字:",
    emoji_lookback: "同じ絵文字のくり返し",
    mention_people: "通知できる人数",
    mention_roles: "ロールへの通知",
    tables: "表",
    math: "数式",
    on_stop: "停止したあと",
    stop_phrases: "「ストップ」で止める",
    debounce: "メッセージをまとめる",
    interrupts: "返信への割り込み",
  },
};

const ABOUTS = {
  en: {
    shape: "Lists, quotes and code stay whole in each of them.",
    casual: "Lower case and fewer commas, as in a quick chat.",
    gather: "Characters up to which neighbouring paragraphs share a message, where a reply is split into paragraphs.",
    typing: "Each message comes after a pause, as if a person typed it.",
    limit: "In characters; Discord takes 2000 at most.",
    message_limit: "A reply ends after this many messages; 0 is no limit.",
    when_full: "What happens to the rest of a reply that has used up its messages.",
    code_file: "A code block that would take this many messages becomes a file; 0 is never.",
    overflow: "After this many characters without a line end, the text is sent in parts.",
    hold: "Text waits this many characters for a “**” or a “(” to close, so that it is not split.",
    typing_speed: "Seconds of typing for each character of a message.",
    typing_least: "The shortest time of typing before a message, in seconds.",
    typing_most: "The longest time of typing before a message, in seconds.",
    typing_budget: "The longest that typing delays one reply in all, in seconds.",
    typing_tail: "The longest that typing goes on once the model has finished, in seconds.",
    thinking_chance: "How often a pause is longer, as if thinking: 0 is never, 1 is always.",
    label_guard: "A reply that begins with another person's name is asked for again, or loses the name.",
    speaker_guard: "The reply ends where the model begins to write what another person says.",
    rules_off: "What is cleaned from the model's text. Code is never touched.",
    use_emoji: "Off removes every emoji.",
    unknown_emoji: "What happens to a :name: that is no emoji of this server.",
    emoji_lookback: "An emoji is not used again within this many replies; 0 always allows it.",
    mention_people: "How many different people one reply can ping by @name. With 0 the names are shown without a ping.",
    mention_roles: "On lets a reply ping a role, such as @crew. @everyone and @here never ping.",
    tables: "How a Markdown table is shown, as Discord itself shows none.",
    math: "How a LaTeX formula is shown, as Discord itself shows none. Within a sentence it is always text.",
    on_stop: "What is still sent when a person stops a reply.",
    stop_phrases: "A short “stop” from the person who is answered ends the reply.",
    debounce: "Messages that one person sends within this many seconds are answered together; 0 answers at once.",
    interrupts: "How often in a row a further message of the same person interrupts a reply; after that it waits.",
  },
  ja: {
    shape: "どの分け方でも、リストや引用、コードは分けずに送ります。",
    casual: "チャットで急いで打ったように、小文字で、コンマを減らして書きます。",
    gather: "段落ごとに送るとき、合わせてこの文字数までの短い段落を1通にまとめます。",
    typing: "人が入力しているように、間を置いて送ります。",
    limit: "文字数です。Discord の上限は2000文字です。",
    message_limit: "この通数で返信を終えます。0は無制限です。",
    when_full: "通数を使い切った返信の残りをどうするか。",
    code_file: "コードブロックがこの通数以上になるとき、ファイルにして送ります。0はファイルにしません。",
    overflow: "改行がないままこの文字数を超えたら、分けて送ります。",
    hold: "「**」や「(」が閉じるまで、この文字数だけ送るのを待ちます。書式が途中で切れません。",
    typing_speed: "1文字あたりの入力時間（秒）です。",
    typing_least: "メッセージ1通の前に入力する最短の時間（秒）です。",
    typing_most: "メッセージ1通の前に入力する最長の時間（秒）です。",
    typing_budget: "1回の返信で、入力のために待たせる時間の合計の上限（秒）です。",
    typing_tail: "モデルが書き終えたあと、入力のために待たせる時間の上限（秒）です。",
    thinking_chance: "考えているような長い間を置く割合です。0はなし、1は毎回です。",
    label_guard: "別の人の名前で始まる返信はやり直すか、名前を取り除きます。",
    speaker_guard: "モデルが別の人のセリフを書き始めたら、そこで返信を終えます。",
    rules_off: "モデルの文章から取り除くもの。コードには決して触れません。",
    use_emoji: "オフにすると、絵文字をすべて取り除きます。",
    unknown_emoji: "このサーバーにない :名前: をどうするか。",
    emoji_lookback: "この回数の返信のあいだ、同じ絵文字を使いません。0はいつでも使えます。",
    mention_people: "1回の返信で @名前 によって通知できる人数です。0は誰にも通知しませんが、名前は表示されます。",
    mention_roles: "オンにすると、@crew のようなロールにも通知できます。@everyone と @here では、決して誰にも通知されません。",
    tables: "Discord には表がないので、Markdown の表をどう見せるか。",
    math: "Discord には数式がないので、LaTeX の数式をどう見せるか。文中の数式はいつも文字です。",
    on_stop: "返信が止められたとき、どこまで言うか。",
    stop_phrases: "返信の相手が「ストップ」などと短く言うと、返信を終えます。",
    debounce: "同じ人がこの秒数のあいだに送ったメッセージに、まとめて答えます。0はすぐに答えます。",
    interrupts: "同じ人の新しいメッセージが、続けて何回まで返信に割り込めるか。それ以降は順番を待ちます。",
  },
};

const OPTIONS = {
  en: {
    "shape.reply": "one message at the end",
    "shape.blocks": "paragraphs and lists",
    "shape.lines": "a message a line",
    "shape.sentences": "a message a sentence",
    "when_full.file": "as a file",
    "when_full.notice": "say so",
    "when_full.stop": "just end",
    "unknown_emoji.keep": "leave it",
    "unknown_emoji.strip": "take it out",
    "tables.picture": "picture",
    "tables.text": "columns",
    "tables.source": "as written",
    "math.picture": "picture",
    "math.text": "text",
    "math.source": "as written",
    "on_stop.clause": "finish the clause",
    "on_stop.silence": "nothing more",
    "thinking.auto": "up to the model",
    "thinking.none": "not at all",
    "thinking.low": "a little",
    "thinking.medium": "some",
    "thinking.high": "a lot",
  },
  ja: {
    "shape.reply": "最後に1通だけ",
    "shape.blocks": "段落やリストごと",
    "shape.lines": "1行ごとに1通",
    "shape.sentences": "1文ごとに1通",
    "when_full.file": "ファイルにする",
    "when_full.notice": "知らせる",
    "when_full.stop": "そのまま終わる",
    "unknown_emoji.keep": "残す",
    "unknown_emoji.strip": "取り除く",
    "tables.picture": "画像",
    "tables.text": "文字で整列",
    "tables.source": "書かれたまま",
    "math.picture": "画像",
    "math.text": "文字",
    "math.source": "書かれたまま",
    "on_stop.clause": "区切りまで言う",
    "on_stop.silence": "何も言わない",
    "thinking.auto": "モデルに任せる",
    "thinking.none": "考えない",
    "thinking.low": "少し",
    "thinking.medium": "ふつう",
    "thinking.high": "じっくり",
  },
};

const RULES = {
  en: {
    system_blocks: ["System notes", "takes out [system: …]"],
    leaked_tags: ["Leaked tags", "takes out what a chat template left behind"],
    unicode_spaces: ["Odd spaces", "makes a blank braille pattern a space"],
    sanitise: ["Split words", "joins words that a middle dot splits"],
    render_modifier: ["Sprites", "shows “Name (mad):” with that sprite"],
    opening_label: ["Opening name", "notices a reply that opens as somebody else"],
    own_name: ["Own name", "takes “Ren:” off what Ren says"],
    prefill: ["Words put in its mouth", "shows them once or not at all"],
    speaker_guard: ["Speaker guard", "ends a reply that speaks for somebody else"],
    trailing_label: ["Trailing name", "drops a last line that is only a name"],
    orphan_punctuation: ["Lonely punctuation", "moves a lone “...” to the next text"],
    list_code: ["Code in lists", "takes the indent of the list off its code"],
    long_fences: ["Long fences", "shows code in four backticks or more whole"],
    html_tags: ["HTML tags", "turns <b> into bold and <br> into a line end"],
    html_entities: ["HTML entities", "turns &amp; into &"],
    thematic_breaks: ["Separating lines", "drops a line of --- and ends the message there"],
    deep_headings: ["Deep headings", "makes #### headings bold lines"],
    task_lists: ["Task lists", "shows [x] as ☑"],
    footnotes: ["Footnotes", "turns [^1] into ¹"],
    reference_links: ["Reference links", "turns [text][1] into a link or a number"],
    images: ["Images", "turns an image into its address, so that it is shown"],
    no_emoji: ["No emoji", "takes all emoji out, if they are off"],
    formulas: ["Formulas", "shows a formula so that it can be read"],
    tables: ["Tables", "shows a table so that it can be read"],
    repeated_emoji: ["Repeated emoji", "takes out emoji that were just used"],
    emoji: ["Emoji", "turns :name: into the server's emoji"],
    mentions: ["Mentions", "turns @name into a mention"],
  },
  ja: {
    system_blocks: ["システムの注記", "[system: …] を取り除きます"],
    leaked_tags: ["もれたタグ", "チャットテンプレートの残りを取り除きます"],
    unicode_spaces: ["特殊な空白", "点字の空白をふつうの空白にします"],
    sanitise: ["区切られた言葉", "中点で区切られた言葉を元に戻します"],
    render_modifier: ["表情", "「名前 (怒り):」をその表情で見せます"],
    opening_label: ["始まりの名前", "別人の名前で始まる返信に気づきます"],
    own_name: ["自分の名前", "Ren の発言から「Ren:」を取ります"],
    prefill: ["先に置いた言葉", "一度だけ見せるか、見せません"],
    speaker_guard: ["別人のセリフ", "別人のセリフが始まる所で返信を終えます"],
    trailing_label: ["最後の名前", "名前だけの最後の行を落とします"],
    orphan_punctuation: ["孤立した記号", "「...」だけの行を次の文につなげます"],
    list_code: ["リスト内のコード", "リストの字下げをコードから取ります"],
    long_fences: ["長いコードの囲み", "四つ以上のバッククォートのコードを崩さず見せます"],
    html_tags: ["HTML のタグ", "<b> を太字に、<br> を改行にします"],
    html_entities: ["HTML の文字参照", "&amp; を & にします"],
    thematic_breaks: ["区切り線", "--- だけの行を消し、そこでメッセージを終えます"],
    deep_headings: ["深い見出し", "#### の見出しを太字にします"],
    task_lists: ["チェックリスト", "[x] を ☑ にします"],
    footnotes: ["脚注", "[^1] を ¹ にします"],
    reference_links: ["参照リンク", "[文字][1] をリンクか番号にします"],
    images: ["画像", "画像を表示できるアドレスにします"],
    no_emoji: ["絵文字なし", "オフのとき絵文字をすべて取り除きます"],
    formulas: ["数式", "数式を読める形で見せます"],
    tables: ["表", "表を読める形で見せます"],
    repeated_emoji: ["絵文字のくり返し", "使ったばかりの絵文字を取り除きます"],
    emoji: ["絵文字", ":名前: をサーバーの絵文字にします"],
    mentions: ["メンション", "@名前 をメンションにします"],
  },
};

register({ en: keyed("en"), ja: keyed("ja") });

function keyed(code) {
  const entries = [
    ...Object.entries(NAMES[code]).map(([name, word]) => [`setting.${name}`, word]),
    ...Object.entries(ABOUTS[code]).map(([name, word]) => [`about.${name}`, word]),
    ...Object.entries(OPTIONS[code]).map(([name, word]) => [`option.${name}`, word]),
    ...Object.entries(RULES[code]).flatMap(([name, [title, about]]) => [
      [`rule.${name}`, title],
      [`rule-about.${name}`, about],
    ]),
  ];
  return Object.fromEntries(entries);
}

/** The name of a setting for people; its name in a file if there is no better one. */
export function settingTitle(setting) {
  if (Object.hasOwn(NAMES.en, setting.name)) return t(`setting.${setting.name}`);
  return inJapanese(setting)?.[0] ?? setting.name.replaceAll("_", " ");
}

/** What a setting is for, in a sentence. */
export function settingAbout(setting) {
  if (Object.hasOwn(ABOUTS.en, setting.name)) return t(`about.${setting.name}`);
  const about = setting.about ?? "";
  return inJapanese(setting)?.[1] ?? (about && `${about[0].toUpperCase()}${about.slice(1)}.`);
}

function inJapanese({ name }) {
  return language() === "ja" && Object.hasOwn(MORE, name) ? MORE[name] : null;
}

/** The word for one of the values of a setting; the value itself if there is none. */
export function optionWord(name, option) {
  return Object.hasOwn(OPTIONS.en, `${name}.${option}`) ? t(`option.${name}.${option}`) : String(option);
}

/** The name of a rule for people. */
export function ruleTitle(rule) {
  return Object.hasOwn(RULES.en, rule) ? t(`rule.${rule}`) : rule.replaceAll("_", " ");
}

/** What a rule does, in half a sentence; empty if that is not known. */
export function ruleAbout(rule) {
  return Object.hasOwn(RULES.en, rule) ? t(`rule-about.${rule}`) : "";
}
