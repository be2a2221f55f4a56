/** The story of a message or of a token, in sentences. */
import { el } from "cadenza/dom.js";
import { differenceView } from "cadenza/difference.js";
import { colourOf } from "cadenza/lanes.js";
import { isNamed, sentence } from "cadenza/said.js";
import { callText, isRefused, quoted, visible } from "cadenza/telling.js";
import { partsOf } from "cadenza/turns.js";
import { counted, say, seconds } from "cadenza/words_inside.js";

const PARTS = ["model", "buffer", "queue", "sending"];
const SAME = 0.0005; // seconds within which two times are the same
const MOST_RAW = 4000; // units of raw text that are shown at once
const MOST_TOLD = 60; // holds and rules of one message that are told; with a file it may have thousands

const list = (value) => (Array.isArray(value) ? value : []);

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
  const { told } = story;
  return [
    timeBar(message),
    section("story.starts_ends", sentences([told.starts, told.ends, told.merged].map(sentence))),
    section("story.holds", holds(told.holds)),
    section("story.rules", rules(story.rules, told.rules, turn.names)),
    mentions(turn.names.mentionsOf(message.id)),
    pace(story),
    section("story.raw", raw(turn, story, acts)),
  ];
}

function section(title, ...children) {
  return el("section", null, el("h4", { text: say(title) }), children);
}

function sentences(texts) {
  return texts.filter(Boolean).map((text) => el("p", { text }));
}

// --- held, and changed -----------------------------------------------------------------------

function holds(told) {
  const all = list(told).map(sentence).filter(Boolean);
  if (!all.length) return el("p", { class: "dim", text: say("hold.none") });
  return listed("plain", all, (text) => el("li", null, el("i", { class: "swatch s-held" }), el("span", { text })));
}

/** The first of *all*, and how many there are besides. */
function listed(look, all, told) {
  const more = all.length - MOST_TOLD;
  return el("ul", { class: look }, all.slice(0, MOST_TOLD).map(told), more > 0 ? el("li", { class: "dim", text: counted("story.more", more) }) : null);
}

function rules(changes, told, names) {
  if (!changes.length) return el("p", { class: "dim", text: say("rules.none") });
  return listed("plain rules", changes, (change, place) => el("li", null,
    el("p", { text: sentence(list(told)[place]) || change.rule }), ruleChange(change, names)));
}

/** What a rule made of a text; a tag is seen to be one, for that may be all that is different. */
function ruleChange(change, names) {
  if (!change.before.length) return null; // the sentence has what was added
  const [before, after] = [change.before, change.after].map((texts) => texts.map((text) => names.inTags(text)));
  if (["held", "failed", "pictured"].includes(change.effect) || before.join("") === after.join("")) {
    return el("pre", { class: "diff", text: before.join("") || after.join("") });
  }
  const parts = change.effect === "split" ? el("p", { class: "dim small", text: say("diff.into", { n: after.length }) }) : null;
  return [differenceView(before.join(""), after.join("")), parts];
}

/** The pause before a message, what it waited for, what the chat refused, and its file; null if there is nothing of it. */
function pace({ told, file }) {
  const texts = [told.pause, ...list(told.waits), ...list(told.refusals)].map(sentence).filter(Boolean);
  if (file) texts.push(sentence({ key: "with_file", values: { file } }));
  return texts.length ? section("story.pace", sentences(texts)) : null;
}

/** The pings of a message, and those it only names; empty if there are none. */
function mentions({ pings, shows }) {
  if (!pings.length && !shows.length) return null;
  const told = (key, names) => (names.length ? sentence({ key, values: { names: names.map((name) => ({ key: name })) } }) : "");
  return section("story.mentions", sentences([told("mentions.pings", pings), told("mentions.shows", shows)]));
}

// --- time ------------------------------------------------------------------------------------

/**
 * How long the model, the buffer, the queue and Discord took for a message.
 * @returns {{model: number, buffer: number, queue: number, sending: number}|null}
 */
function timesOf({ at, story }) {
  const { times } = story;
  if (!times) return null;
  const points = [times.since ?? times.heard ?? 0, times.heard, times.planned, times.sending, times.sent ?? at];
  for (let place = 1; place < points.length; place += 1) points[place] = Math.max(points[place - 1], points[place] ?? points[place - 1]);
  return Object.fromEntries(PARTS.map((part, place) => [part, points[place + 1] - points[place]]));
}

function timeBar(message) {
  const times = timesOf(message);
  if (!times) return null;
  const all = Math.max(0.001, PARTS.reduce((sum, part) => sum + times[part], 0));
  const spoken = Object.fromEntries(PARTS.map((part) => [part, seconds(times[part])]));
  return section("time.title",
    el("div", { class: "time-bar", role: "img", aria: { label: sentence(message.story.told.times) } },
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

/** What Discord was asked for this message, and said; what arrived with the message before it belongs to that one. */
function delivery(turn, message) {
  const { send } = message;
  const planned = message.story?.times?.planned ?? send.from;
  const before = turn.messages[message.number - 2]?.at ?? -Infinity;
  const isOld = (call) => call.at <= before + SAME && before < message.at - SAME;
  const isOurs = (call) => call.at <= message.at + SAME && (isRefused(call) ? call.at >= planned - SAME : call.at >= send.from - SAME && !isOld(call));
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
    sentences([came, held ? say("hold.as_it_came", { why: sentence(held.told) }) : ""]),
    parts.map((part) => partStory(turn, part, { time, isOneOfMany: parts.length > 1 }, acts)),
    el("p", { class: "actions" }, el("button", { class: "small", type: "button", text: say("story.seek"), on: { click: () => acts.seek(at) } })));
}

function partStory(turn, part, { time, isOneOfMany }, acts) {
  const words = isOneOfMany ? quoted(turn.tokens.slice(part.start, part.end)) : say("token.whole");
  const message = part.message === undefined ? null : turn.message(part.message);
  if (!message) return el("p", { text: partText(turn, part, { words, time, isOneOfMany }) });
  return el("p", null, say("token.sent", { part: words, n: message.number }), " ", el("button", {
    class: `small ${colourOf(message.number)} link`, type: "button", text: say("token.open", { n: message.number }),
    on: { click: () => acts.pick({ kind: "message", id: message.id }) },
  }));
}

function partText(turn, part, { words, time, isOneOfMany }) {
  if (part.sort === "thought") return say("token.thought");
  if (part.sort === "fate") {
    const told = sentence(isNamed("fate", part.fate) ? { key: `fate.${part.fate}` } : { key: "fate.unknown", values: { fate: part.fate } });
    return isOneOfMany ? say("token.part", { part: words, told }) : told;
  }
  const isOver = turn.ends !== null && time >= turn.ends;
  if (isOver && !turn.tokens.slice(part.start, part.end).trim()) return say("token.space", { part: words });
  return say(isOver ? "token.ended" : `token.${part.sort}`, { part: words });
}
