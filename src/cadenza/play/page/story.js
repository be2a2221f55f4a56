/** The story of a message or of a token, in sentences. */
import { el } from "cadenza/dom.js";
import { differenceView } from "cadenza/difference.js";
import { colourOf } from "cadenza/lanes.js";
import { callText, holdReason, isRefused, quoted, visible } from "cadenza/telling.js";
import { partsOf } from "cadenza/turns.js";
import { language } from "cadenza/words.js";
import { counted, isNamed, named, say, seconds } from "cadenza/words_inside.js";

const PARTS = ["model", "buffer", "queue", "sending"];
const SAME = 0.0005; // seconds within which two times are the same
const MOST_RAW = 4000; // units of raw text that are shown at once
const MOST_TOLD = 60; // holds and rules of one message that are told; with a file it may have thousands

/**
 * The story of a message that a reply sent.
 * @param {object} turn
 * @param {object} message of the turn
 * @param {number} time where the film is
 * @param {{pick: (selection: object) => void, seek: (time: number) => void, reveal: (token: number) => void}} acts
 * @returns {HTMLElement}
 */
export function messageStory(turn, message, time, acts) {
  const { story } = message;
  return el("article", { class: "story" }, messageHead(turn, message), el("pre", { class: "said", text: turn.names.readable(message.text) || message.file || "" }),
    message.at > time ? el("p", { class: "note", text: say("story.later") }) : null,
    story ? whole(turn, message, acts) : sentences([message.posts.length ? say("story.pending") : say("story.unplanned")]),
    delivery(turn, message), actions(turn, message, acts));
}

function messageHead(turn, message) {
  const facts = [say("story.sent", { time: seconds(message.at) }), message.name ? say("story.as", { name: message.name }) : ""];
  return el("header", { class: "story-head" },
    el("h3", null, el("span", { class: `chip ${colourOf(message.number)}`, text: String(message.number), aria: { hidden: "true" } }),
      el("span", { text: say("story.message", { n: message.number }) }), " ", el("span", { class: "dim", text: say("story.of", { n: turn.messages.length }) })),
    el("p", { class: "dim small", text: facts.filter(Boolean).join(" · ") }));
}

function whole(turn, message, acts) {
  const { story } = message;
  return [
    timeBar(turn, message),
    section("story.starts_ends", sentences([startText(turn, message), endText(turn, message), mergedText(story)])),
    section("story.holds", holds(story.holds)),
    section("story.rules", rules(story.rules, turn.names)),
    mentions(turn.names.mentionsOf(message.id)),
    section("story.pace", sentences(pace(message))),
    section("story.raw", raw(turn, story, acts)),
  ];
}

function section(title, ...children) {
  return el("section", null, el("h4", { text: say(title) }), children);
}

function sentences(texts) {
  return texts.filter(Boolean).map((text) => el("p", { text }));
}

// --- why here --------------------------------------------------------------------------------

/** Whether two messages in a row are made of one piece of the model's text. */
function isParted(one, other) {
  const last = one?.story?.segments.at(-1);
  return last !== undefined && last === other?.story?.segments[0];
}

function startText(turn, message) {
  const { starts } = message.story;
  if (isParted(turn.messages[message.number - 2], message)) return say("starts.parted");
  return isNamed("starts", starts) ? named("starts", starts) : say("starts.unknown", { why: named("boundary", starts) });
}

function endText(turn, message) {
  const { ends } = message.story;
  if (isParted(message, turn.messages[message.number])) return say("ends.parted");
  return isNamed("ends", ends) ? named("ends", ends) : say("ends.unknown", { why: named("boundary", ends) });
}

function mergedText({ merged, posts }) {
  return merged ? say("story.merged", { n: merged.count ?? posts.length, why: named("merge", merged.why ?? "rate_limit") }) : "";
}

// --- held, and changed -----------------------------------------------------------------------

function holds(spans) {
  if (!spans.length) return el("p", { class: "dim", text: say("hold.none") });
  return listed("plain", spans, (hold) => el("li", null,
    el("i", { class: "swatch s-held" }),
    el("span", { text: say("hold.told", { seconds: seconds((hold.to ?? hold.from) - hold.from), why: holdReason(hold) }) }),
    " ", el("span", { class: "dim small", text: say("inside.from_to", { from: seconds(hold.from), to: seconds(hold.to ?? hold.from) }) })));
}

/** The first of *all*, and how many there are besides. */
function listed(look, all, told) {
  const more = all.length - MOST_TOLD;
  return el("ul", { class: look }, all.slice(0, MOST_TOLD).map(told), more > 0 ? el("li", { class: "dim", text: counted("story.more", more) }) : null);
}

function rules(changes, names) {
  if (!changes.length) return el("p", { class: "dim", text: say("rules.none") });
  return listed("plain rules", changes, (change) => el("li", null, ruleHead(change), ruleChange(change, names)));
}

function ruleHead(change) {
  const about = isNamed("rule", change.rule) ? named("rule", change.rule) : "";
  return el("p", null, el("code", { class: "rule-name", text: String(change.rule) }), ` ${named("effect", change.effect)} `,
    el("span", { class: "dim small", text: about }),
    change.identity ? el("span", { class: "dim small", text: ` · ${say("rules.as", { name: change.identity })}` }) : null);
}

/** What a rule made of a text; a tag is seen to be one, for that may be all that is different. */
function ruleChange(change, names) {
  const [before, after] = [change.before, change.after].map((texts) => texts.map((text) => names.inTags(text)));
  if (change.effect === "held" || change.effect === "failed" || before.join("") === after.join("")) {
    return el("pre", { class: "diff", text: before.join("") || after.join("") });
  }
  const parts = after.length > 1 ? el("p", { class: "dim small", text: say("diff.into", { n: after.length }) }) : null;
  return [differenceView(before.join(""), after.join("")), parts];
}

/** The pings of a message, and those it only names; empty if there are none. */
function mentions({ pings, shows }) {
  if (!pings.length && !shows.length) return null;
  const listed = (names) => new Intl.ListFormat(language(), { type: "conjunction" }).format(names);
  return section("story.mentions", sentences([
    pings.length ? say("mentions.pings", { names: listed(pings) }) : "",
    shows.length ? say("mentions.shows", { names: listed(shows) }) : "",
  ]));
}

// --- pauses and time -------------------------------------------------------------------------

function pace(message) {
  const { pause, waits, file } = message.story;
  return [pauseText(pause), ...waits.map((wait) => say("wait.told", {
    seconds: seconds((wait.to ?? wait.from) - wait.from), why: named("wait", wait.why),
  })), file ? say("story.file", { name: file }) : ""];
}

function pauseText(pause) {
  if (!pause || !(pause.planned > 0)) return say("pause.none");
  const parts = ["typing", "breath", "thinking"].filter((part) => pause[part] > 0).map((part) => say(`pause.${part}`, { seconds: seconds(pause[part]) }));
  if (pause.cut > 0) parts.push(say("pause.cut", { seconds: seconds(pause.cut) }));
  return say("pause.planned", { seconds: seconds(pause.planned), parts: parts.join(", ") });
}

/**
 * How long the model, the buffer, the queue and Discord took for a message.
 * @returns {{model: number, buffer: number, queue: number, sending: number}|null}
 */
function timesOf(turn, message) {
  const times = message.story?.times;
  if (!times) return null;
  const before = turn.messages.filter((other) => other.number < message.number).map((other) => other.story?.times?.heard ?? 0);
  const since = Math.max(turn.askedAt ?? turn.begins, ...before.slice(-1));
  const points = [since, times.heard, times.planned, times.sending, times.sent ?? message.at];
  for (let place = 1; place < points.length; place += 1) points[place] = Math.max(points[place - 1], points[place] ?? points[place - 1]);
  return Object.fromEntries(PARTS.map((part, place) => [part, points[place + 1] - points[place]]));
}

function timeBar(turn, message) {
  const times = timesOf(turn, message);
  if (!times) return null;
  const all = Math.max(0.001, PARTS.reduce((sum, part) => sum + times[part], 0));
  const spoken = Object.fromEntries(PARTS.map((part) => [part, seconds(times[part])]));
  return section("time.title",
    el("div", { class: "time-bar", role: "img", aria: { label: say("time.bar", spoken) } },
      PARTS.filter((part) => times[part] > 0).map((part) => el("span", { class: `t-${part}`, style: { flexGrow: String(times[part] / all) } }))),
    el("dl", { class: "time-parts" }, PARTS.map((part) => el("div", { title: say(`time.${part}.about`) },
      el("dt", null, el("i", { class: `swatch t-${part}` }), say(`time.${part}`)), el("dd", { text: spoken[part] })))));
}

// --- raw text and delivery -------------------------------------------------------------------

function raw(turn, story, acts) {
  const ranges = story.raw;
  if (!ranges.length) return el("p", { class: "dim", text: say(story.posts.length ? "story.no_raw" : "story.unplanned") });
  const [first, last] = [turn.tokens.at(ranges[0][0]), turn.tokens.at(ranges.at(-1)[1] - 1)];
  const words = ranges.map(([start, end]) => turn.tokens.slice(start, Math.min(end, start + MOST_RAW))).join(" ⋯ ");
  const { times } = turn.tokens;
  return [
    first < 0 || last < 0 ? null : el("p", { class: "dim small", text: say("story.raw_parts", {
      tokens: counted("inside.tokens", last - first + 1), from: seconds(times[first]), to: seconds(times[last]),
    }) }),
    el("pre", { class: "raw", text: words }),
    first < 0 ? null : el("button", { class: "small", type: "button", text: say("story.first_token"), on: { click: () => acts.reveal(first) } }),
  ];
}

/** What Discord was asked for this message, and said. */
function delivery(turn, message) {
  const { send } = message;
  const planned = message.story?.times?.planned ?? send.from;
  const isOurs = (call) => call.at <= message.at + SAME && call.at >= (isRefused(call) ? planned : send.from) - SAME;
  const calls = turn.calls.filter((call) => isOurs(call) && (isRefused(call) || !call.route.endsWith("/typing")));
  const told = message.deletedAt === null ? [] : [say("story.deleted", { time: seconds(message.deletedAt) })];
  if (!calls.length && !told.length) return null;
  return section("story.delivery", el("ul", { class: "plain" }, calls.map((call) => el("li", { class: isRefused(call) ? "bad" : "good" },
    el("span", { class: "dim small", text: `${seconds(call.at)} ` }), callText(call)))), sentences(told));
}

function actions(turn, message, acts) {
  return el("p", { class: "actions" },
    el("button", { class: "small", type: "button", text: say("story.seek"), on: { click: () => acts.seek(message.at) } }));
}

// --- a token ---------------------------------------------------------------------------------

/**
 * What became of a token by now.
 * @param {object} turn
 * @param {number} index
 * @param {number} time where the film is
 * @param {{pick: (selection: object) => void, seek: (time: number) => void}} acts
 * @returns {HTMLElement}
 */
export function tokenStory(turn, index, time, acts) {
  const { tokens } = turn;
  const at = tokens.times[index];
  const parts = partsOf(turn, index, time);
  const held = turn.holds.find((hold) => hold.from <= at && at < (hold.to ?? Infinity));
  const came = index ? say("token.came", { time: seconds(at), after: seconds(at - tokens.times[index - 1]) }) : say("token.first", { time: seconds(at) });
  const button = (to, key, sign) => el("button", {
    class: "quiet square", type: "button", text: sign, title: say(key), aria: { label: say(key) }, disabled: to < 0 || to >= tokens.count,
    on: { click: () => acts.pick({ kind: "token", turn: turn.id, index: to }) }, data: { step: to > index ? "next" : "previous" },
  });
  return el("article", { class: "story" },
    el("header", { class: "story-head row" }, el("h3", { text: say("token.title", { n: index + 1 }) }),
      button(index - 1, "token.previous", "‹"), button(index + 1, "token.next", "›")),
    el("pre", { class: "said", text: visible(tokens.texts[index]) }),
    sentences([came, held ? say("hold.as_it_came", { why: holdReason(held) }) : ""]),
    parts.map((part) => partStory(turn, part, { time, isOneOfMany: parts.length > 1 }, acts)),
    el("p", { class: "actions" }, el("button", { class: "small", type: "button", text: say("story.seek"), on: { click: () => acts.seek(at) } })));
}

function partStory(turn, part, { time, isOneOfMany }, acts) {
  const words = isOneOfMany ? quoted(turn.tokens.slice(part.start, part.end)) : say("token.whole");
  const message = part.message === undefined ? null : turn.message(part.message);
  if (!message) return el("p", { text: partText(turn, part, words, time) });
  return el("p", null, say("token.sent", { part: words, n: message.number }), " ", el("button", {
    class: `small ${colourOf(message.number)} link`, type: "button", text: say("token.open", { n: message.number }),
    on: { click: () => acts.pick({ kind: "message", id: message.id }) },
  }));
}

function partText(turn, part, words, time) {
  if (part.sort === "thought") return say("token.thought");
  if (part.sort === "fate") {
    return isNamed("fate", part.fate) ? say(`fate.${part.fate}`, { part: words }) : say("fate.unknown", { part: words, fate: part.fate });
  }
  const isOver = turn.ends !== null && time >= turn.ends;
  if (isOver && !turn.tokens.slice(part.start, part.end).trim()) return say("token.space", { part: words });
  return say(isOver ? "token.ended" : `token.${part.sort}`, { part: words });
}
