/** Labels of the inside of a reply, what happens right now, and numbers. What explains something comes with the film. */
import { language, register, t } from "cadenza/words.js";

const en = {
  "inside.label": "The inside of the reply",
  "inside.back": "Overview",
  "inside.none": "No reply yet. As soon as the persona answers, you see here what happens inside, token by token.",
  "inside.s": "{n} s",
  "inside.quoted": "“{text}”",
  // counts
  "inside.tokens.one": "1 token", "inside.tokens.other": "{n} tokens",
  "inside.messages.one": "1 message", "inside.messages.other": "{n} messages",
  "inside.characters.one": "1 character", "inside.characters.other": "{n} characters",
  "inside.things.one": "1 item", "inside.things.other": "{n} items",
  // lanes
  "lane.tokens": "Tokens", "lane.tokens.about": "what the model said, as it came",
  "lane.holds": "Held", "lane.holds.about": "text kept back, and why",
  "lane.cuts": "Cuts", "lane.cuts.about": "where the text was cut",
  "lane.rules": "Rules", "lane.rules.about": "what was changed",
  "lane.waits": "Pauses", "lane.waits.about": "typing, rate limits",
  "lane.sends": "Sending", "lane.sends.about": "on the way; Discord’s answers",
  "lane.messages": "Messages", "lane.messages.about": "what people saw",
  "lane.events": "Also", "lane.events.about": "attempts, tools, stops, notices",
  "lane.label": "{lane}: {about}. {things}.",
  "legend.name": "How to read it", "legend.text": "text", "legend.thought": "thought", "legend.held": "held", "legend.typing": "typing",
  "legend.limit": "rate limit", "legend.wait": "other wait", "legend.sending": "sending", "legend.fault": "refused or lost",
  "legend.title": "Read it from top to bottom: what the model says is held, cut, corrected, paced and sent.",
  "timeline.label": "Timeline of the reply",
  "timeline.zoom_in": "Zoom in", "timeline.zoom_out": "Zoom out", "timeline.fit": "Show all",
  "timeline.keys": "Arrow keys go from item to item, Enter selects.",
  // the strip
  "strip.title": "The model’s own text",
  "strip.label": "The model’s text, token by token. Arrow keys move, Enter selects.",
  "strip.about": "Plain: in the buffer. Underlined: decided. Coloured: sent, in the colour of its message.",
  "strip.earlier": "Earlier tokens", "strip.later": "Later tokens",
  "strip.empty": "The model has not said anything yet.",
  // holds
  "hold.so_far": "Holding: {why}.", "hold.as_it_came": "When it came, text was being held: {why}.", "hold.none": "Nothing was held: its text was sent as soon as it was complete.",
  // rules
  "rules.none": "No rule had anything to change.",
  "diff.removed": "removed:", "diff.added": "added:", "diff.into": "in {n} parts",
  // time
  "time.title": "Where the time went",
  "time.model": "model", "time.buffer": "buffer", "time.queue": "queue", "time.sending": "sending",
  "time.model.about": "until the last of its text was said", "time.buffer.about": "until it was certain where it ends",
  "time.queue.about": "typing and waiting for its turn", "time.sending.about": "until Discord had it",
  // the story
  "story.more.one": "and 1 more", "story.more.other": "and {n} more",
  "story.message": "Message {n}", "story.of": "of {n}", "story.sent": "arrived at {time}", "story.as": "as {name}",
  "story.pending": "Its full story appears once it has arrived.",
  "story.later": "It has not arrived yet at this moment of the film.",
  "story.starts_ends": "Why here", "story.holds": "Held", "story.rules": "Rules", "story.pace": "Pace", "story.delivery": "Delivery", "story.raw": "As the model wrote it",
  "story.mentions": "Mentions",
  "story.deleted": "It was deleted at {time}.",
  "story.first_token": "Show in the text", "story.seek": "Go to this moment",
  "story.not_ours": "No model wrote this message, so there is nothing inside it.",
  "story.answered": "It was answered by a reply of {name}.", "story.look": "Look at that reply",
  "story.unplanned": "It was not cut from the model’s text: a notice, or the answer to a command.",
  "story.no_raw": "Rules made it: it has none of the model’s own characters.",
  "story.raw_parts": "{tokens}, from {from} to {to}.",
  // a token
  "token.title": "Token {n}", "token.came": "It came at {time}, {after} after the one before.", "token.first": "It came at {time}, as the first.",
  "token.thought": "The model thought this; a thought is never shown as speech.",
  "token.sent": "{part} went into message {n}.", "token.planned": "{part} is decided and waits to be sent.", "token.cut": "{part} has left the buffer and is with the rules.",
  "token.waiting": "{part} is in the buffer: it is not certain yet where its message ends.",
  "token.whole": "It", "token.part": "{part}: {told}", "token.open": "Open message {n}", "token.previous": "Previous token", "token.next": "Next token",
  "token.ended": "{part} is in no message.", "token.space": "{part} is white space between two messages.",
  // now
  "now.title": "Right now", "now.before": "The reply has not begun.", "now.asked": "Waiting for the model’s first word, {seconds} so far.",
  "now.thinking": "The model thinks.", "now.speaking": "The model speaks.", "now.holding": "Holding {characters}: {why}.",
  "now.typing": "Typing for {seconds} more.", "now.typing_on": "Typing.", "now.rate_limit": "Waiting for the rate limit: {seconds} more.",
  "now.rate_limit_on": "Waiting for the rate limit, {seconds} so far.",
  "now.sending": "Sending a message, {seconds} so far.", "now.queued": "{messages} more in the queue.", "now.over": "The reply is over.",
  "count.tokens": "tokens", "count.messages": "messages", "count.merged": "merged", "count.limits": "429s", "count.first_token": "to the first token",
  "count.first_message": "to the first message", "count.label": "Numbers",
  "list.messages": "Messages", "list.events": "What else happened", "list.turns": "Replies in this channel", "list.turn": "{name}, {messages}, at {time}",
  "list.latest": "Always the latest", "list.more": "{n} earlier ones are not shown.",
  // what Discord answered
  "call.ok": "{route}: {status}", "call.limit": "{route}: 429, asked to wait {seconds}", "call.lost": "{route}: the answer was lost", "call.refused": "{route}: refused with {status}",
  "call.code": "code {code}",
  // things on the timeline
  "thing.token": "Token {n} at {time}: {text}", "thing.thought": "Thought at {time}: {text}", "thing.cut": "Cut at {time}: {why}",
  "thing.hold": "Held from {from} for {seconds}: {why}.", "thing.wait": "{why} from {from} for {seconds}", "thing.send": "Sending from {from} for {seconds}", "thing.unsent": "Not sent, at {time}",
  "thing.message": "Message {n} at {time}: {text}", "thing.at": "{text} At {time}.", "thing.merged": "made of {n}",
};

const ja = {
  "inside.label": "返信の内側",
  "inside.back": "概要",
  "inside.none": "まだ返信がありません。ペルソナが答えると、内側で起きることがトークンごとにここに表示されます。",
  "inside.s": "{n} 秒",
  "inside.quoted": "「{text}」",
  "inside.tokens.one": "1 トークン", "inside.tokens.other": "{n} トークン",
  "inside.messages.one": "1 件のメッセージ", "inside.messages.other": "{n} 件のメッセージ",
  "inside.characters.one": "1 文字", "inside.characters.other": "{n} 文字",
  "inside.things.one": "1 個", "inside.things.other": "{n} 個",
  "lane.tokens": "トークン", "lane.tokens.about": "モデルの出力そのまま",
  "lane.holds": "保留", "lane.holds.about": "留め置かれた文とその理由",
  "lane.cuts": "区切り", "lane.cuts.about": "文が切られた場所",
  "lane.rules": "ルール", "lane.rules.about": "書き換えられた箇所",
  "lane.waits": "間", "lane.waits.about": "入力中、レート制限",
  "lane.sends": "送信", "lane.sends.about": "送信中と Discord の応答",
  "lane.messages": "メッセージ", "lane.messages.about": "人に見えたもの",
  "lane.events": "その他", "lane.events.about": "試行、ツール、停止、お知らせ",
  "lane.label": "{lane}：{about}。{things}。",
  "legend.name": "見方", "legend.text": "本文", "legend.thought": "思考", "legend.held": "保留", "legend.typing": "入力中",
  "legend.limit": "レート制限", "legend.wait": "その他の待ち", "legend.sending": "送信中", "legend.fault": "拒否・紛失",
  "legend.title": "上から下へ：モデルの言葉は、留められ、区切られ、整えられ、間を置いて送られます。",
  "timeline.label": "返信のタイムライン",
  "timeline.zoom_in": "拡大", "timeline.zoom_out": "縮小", "timeline.fit": "全体を表示",
  "timeline.keys": "矢印キーで移動、Enter で選択。",
  "strip.title": "モデルの原文",
  "strip.label": "モデルの原文（トークンごと）。矢印キーで移動、Enter で選択。",
  "strip.about": "無地：バッファの中。下線：決定済み。色つき：送信済み（メッセージの色）。",
  "strip.earlier": "前のトークン", "strip.later": "後のトークン",
  "strip.empty": "まだ何も出力されていません。",
  "hold.so_far": "保留中：{why}。", "hold.as_it_came": "届いたときの保留の理由：{why}。", "hold.none": "保留なし：文が揃うとすぐに進めました。",
  "rules.none": "ルールによる変更はありません。",
  "diff.removed": "削除：", "diff.added": "追加：", "diff.into": "{n} つに分割",
  "time.title": "時間の内訳",
  "time.model": "モデル", "time.buffer": "バッファ", "time.queue": "待ち行列", "time.sending": "送信",
  "time.model.about": "最後の言葉が届くまで", "time.buffer.about": "どこで終わるかが決まるまで",
  "time.queue.about": "入力中と順番待ち", "time.sending.about": "Discord が受け取るまで",
  "story.more.one": "ほかに 1 件", "story.more.other": "ほかに {n} 件",
  "story.message": "メッセージ {n}", "story.of": "／ {n}", "story.sent": "{time}に到着", "story.as": "{name} として",
  "story.pending": "到着すると、すべての経緯が表示されます。",
  "story.later": "フィルムのこの時点では、まだ到着していません。",
  "story.starts_ends": "ここで区切られた理由", "story.holds": "保留", "story.rules": "ルール", "story.pace": "間", "story.delivery": "送信", "story.raw": "モデルが書いたまま",
  "story.mentions": "メンション",
  "story.deleted": "{time}に取り消されました。",
  "story.first_token": "原文で見る", "story.seek": "この時点へ移動",
  "story.not_ours": "このメッセージは生成されたものではないので、内側はありません。",
  "story.answered": "{name} の返信がこれに答えました。", "story.look": "その返信を見る",
  "story.unplanned": "モデルの文から切り出されたものではありません（お知らせやコマンドへの応答）。",
  "story.no_raw": "ルールが作ったもので、モデル自身の文字は残っていません。",
  "story.raw_parts": "{tokens}、{from}〜{to}。",
  "token.title": "トークン {n}", "token.came": "{time}に到着。前のトークンから {after}。", "token.first": "{time}に最初に到着。",
  "token.thought": "モデルの思考です。思考が発言として表示されることはありません。",
  "token.sent": "{part}はメッセージ {n} に入りました。", "token.planned": "{part}は決定済みで、送信を待っています。", "token.cut": "{part}はバッファを出て、ルールの処理中です。",
  "token.waiting": "{part}はバッファの中です。メッセージの終わりがまだ決まっていません。",
  "token.whole": "これ", "token.part": "{part}：{told}", "token.open": "メッセージ {n} を開く", "token.previous": "前のトークン", "token.next": "次のトークン",
  "token.space": "{part}はメッセージの間の空白です。",
  "token.ended": "{part}はどのメッセージにも入っていません。",
  "now.title": "いま", "now.before": "返信はまだ始まっていません。", "now.asked": "モデルの最初の言葉を待っています（{seconds}経過）。",
  "now.thinking": "モデルが考えています。", "now.speaking": "モデルが話しています。", "now.holding": "{characters}を保留中：{why}。",
  "now.typing": "入力中（あと {seconds}）。", "now.typing_on": "入力中。", "now.rate_limit": "レート制限を待っています（あと {seconds}）。",
  "now.rate_limit_on": "レート制限を待っています（{seconds}経過）。",
  "now.sending": "メッセージを送信中（{seconds}経過）。", "now.queued": "ほかに {messages}が順番を待っています。", "now.over": "返信は終わりました。",
  "count.tokens": "トークン", "count.messages": "メッセージ", "count.merged": "結合", "count.limits": "429", "count.first_token": "最初のトークンまで",
  "count.first_message": "最初のメッセージまで", "count.label": "数値",
  "list.messages": "メッセージ", "list.events": "そのほかの出来事", "list.turns": "このチャンネルの返信", "list.turn": "{name}、{messages}、{time}",
  "list.latest": "常に最新を表示", "list.more": "これより前の {n} 件は表示していません。",
  "call.ok": "{route}：{status}", "call.limit": "{route}：429、{seconds}待つよう求められました", "call.lost": "{route}：応答が失われました", "call.refused": "{route}：{status} で拒否されました",
  "call.code": "コード {code}",
  "thing.token": "トークン {n}、{time}：{text}", "thing.thought": "思考、{time}：{text}", "thing.cut": "{time}に区切り：{why}",
  "thing.hold": "{from}から {seconds}の保留：{why}。", "thing.wait": "{why}、{from}から {seconds}", "thing.send": "{from}から {seconds}の送信", "thing.unsent": "{time}に送信できず",
  "thing.message": "メッセージ {n}、{time}：{text}", "thing.at": "{text}（{time}）", "thing.merged": "{n} 件分",
};

/** Other parts have a `story.…` of their own, so all keys here bear the name of this one. */
const ours = (words) => Object.fromEntries(Object.entries(words).map(([key, value]) => [`inside/${key}`, value]));

register({ en: ours(en), ja: ours(ja) });

/**
 * What is said for a key of this part.
 * @param {string} key
 * @param {object} [values]
 */
export function say(key, values) {
  return t(`inside/${key}`, values);
}

/** *seconds* as people read them: finer where they are few. */
export function seconds(value) {
  const size = Math.max(0, Number.isFinite(value) ? value : 0);
  const digits = size < 0.0995 && size > 0 ? 3 : size < 99.5 ? 2 : 0;
  return say("inside.s", { n: size.toFixed(digits) });
}

/** A number as the language writes it. */
export function whole(value) {
  return new Intl.NumberFormat(language()).format(value);
}

/** *n* of something: `counted("inside.tokens", 3)`. */
export function counted(prefix, n) {
  return say(`${prefix}.${n === 1 ? "one" : "other"}`, { n: whole(n) });
}
