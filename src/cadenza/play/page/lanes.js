/**
 * The lanes of the timeline: which things lie in each, from when to when, what they are called and what they lead to.
 */
import { placeAfter } from "cadenza/raw_text.js";
import { named, sentence } from "cadenza/said.js";
import { callText, isRefused, isTrouble, quoted } from "cadenza/telling.js";
import { say, seconds } from "cadenza/words_inside.js";

const SHOWN = 60; // units of a text in a label
const COLOURS = 6;
const WAITS = { typing: "typing", rate_limit: "limit" };

/** The colour of a message, by its number in the reply. */
export function colourOf(number) {
  return `m${(number - 1) % COLOURS}`;
}

const messageSelected = (message) => (message ? { kind: "message", id: message.id } : null);
const ofPosts = (turn, posts) => messageSelected((posts ?? []).map((post) => turn.messageOf(post)).find(Boolean));
const ofSegments = (turn, segments) => ofPosts(turn, (segments ?? []).map((segment) => turn.postOf(segment)));
const until = (turn, span) => span.to ?? turn.latest;

/** The message that the text went to which came at *time*. */
function ofTime(turn, time) {
  const mark = turn.marks.at(turn.tokens.starts[Math.max(0, turn.tokens.heardAt(time) - 1)] ?? -1);
  return mark?.message ? { kind: "message", id: mark.message } : null;
}

/** Holds, in the buffer and after it, in order of their start. */
function holdings({ holds, keeps }) {
  return keeps.length ? [...holds, ...keeps].sort((one, other) => one.from - other.from) : holds;
}

/** A hold in the buffer has its reason with it, one behind it a sentence of its message's story. */
function holdLabel(turn, hold) {
  if (turn.keeps.includes(hold)) return say("thing.at", { text: sentence(hold.told), time: seconds(hold.from) });
  return say("thing.hold", { from: seconds(hold.from), seconds: seconds(until(turn, hold) - hold.from), why: sentence(hold.told) });
}

/** How long it waited and why is known with the story of its message. */
function waitLabel(turn, { told, why, from, to }) {
  if (told) return say("thing.at", { text: sentence(told), time: seconds(from) });
  return say("thing.wait", { why: say(`legend.${WAITS[why] ?? "wait"}`), from: seconds(from), seconds: seconds((to ?? turn.latest) - from) });
}

/** Sendings, and answers that were no yes, in the order of their beginning. */
function sendings(turn) {
  const refused = turn.calls.filter(isRefused).map((call) => ({ call, from: call.at, to: call.at }));
  return [...turn.sends, ...refused].sort((one, other) => one.from - other.from);
}

function sendingLabel(turn, thing) {
  if (thing.call) return say("thing.at", { text: callText(thing.call), time: seconds(thing.from) });
  if (thing.error) return say("thing.unsent", { time: seconds(thing.to) });
  return say("thing.send", { from: seconds(thing.from), seconds: seconds(until(turn, thing) - thing.from) });
}

/**
 * A lane: `things(turn)` in the order of their `from`, `span(turn, thing) → [from, to]`, `colour`, `shape` (`bar`, `tick`,
 * `dot`, `pill`), `label(turn, thing, index)` and `leads(turn, thing, index)`, a selection or null.
 */
export const LANES = [
  {
    name: "tokens",
    shape: "density",
    things: (turn) => turn.tokens.times,
    span: (turn, time) => [time, time],
    colour: (turn, time, index) => (turn.tokens.thoughts[index] ? "thought" : "text"),
    label: (turn, time, index) => say(turn.tokens.thoughts[index] ? "thing.thought" : "thing.token", {
      n: index + 1, time: seconds(time), text: quoted(turn.tokens.texts[index], SHOWN),
    }),
    leads: (turn, time, index) => ({ kind: "token", turn: turn.id, index }),
  },
  {
    name: "holds",
    shape: "bar",
    things: holdings,
    span: (turn, hold) => [hold.from, until(turn, hold)],
    colour: () => "held",
    text: (hold) => (hold.why === "mark" ? hold.mark : ""),
    label: holdLabel,
    leads: (turn, hold) => ofTime(turn, hold.from),
  },
  {
    name: "cuts",
    shape: "tick",
    things: (turn) => [...turn.posts.values()],
    span: (turn, post) => [post.at, post.at],
    colour: () => "ink",
    label: (turn, post) => say("thing.cut", { time: seconds(post.at), why: named("ends.short", post.ends?.reason) }),
    leads: (turn, post) => ofPosts(turn, [post.number]),
  },
  {
    name: "rules",
    shape: "dot",
    things: (turn) => turn.rules,
    span: (turn, rule) => [rule.at, rule.at],
    colour: (turn, rule) => (rule.effect === "failed" ? "bad" : "rule"),
    label: (turn, rule) => say("thing.at", { text: turn.names.inTags(sentence(rule.told)), time: seconds(rule.at) }),
    leads: (turn, rule) => ofSegments(turn, rule.segments),
  },
  {
    name: "waits",
    shape: "bar",
    things: (turn) => turn.waits.filter(({ from, to }) => to !== from),
    span: (turn, wait) => [wait.from, until(turn, wait)],
    colour: (turn, wait) => WAITS[wait.why] ?? "wait",
    label: waitLabel,
    leads: (turn, wait) => ofPosts(turn, wait.posts),
  },
  {
    name: "sends",
    shape: "bar",
    things: sendings,
    span: (turn, thing) => [thing.from, until(turn, thing)],
    colour: (turn, thing) => (thing.call || thing.error ? "bad" : "sending"),
    label: sendingLabel,
    leads: (turn, thing) => messageSelected(turn.message(thing.message)),
  },
  {
    name: "messages",
    shape: "pill",
    things: (turn) => turn.messages,
    span: (turn, message) => [message.at, message.at],
    colour: (turn, message) => colourOf(message.number),
    text: (message) => String(message.number),
    label: (turn, message) => say("thing.message", {
      n: message.number, time: seconds(message.at), text: quoted(turn.names.readable(message.text) || message.file || "", SHOWN),
    }),
    leads: (turn, message) => messageSelected(message),
  },
  {
    name: "events",
    shape: "dot",
    things: (turn) => turn.events,
    span: (turn, event) => [event.at, event.at],
    colour: (turn, event) => (isTrouble(event) ? "bad" : "ink2"),
    label: (turn, event) => say("thing.at", { text: turn.names.readable(sentence(event.told)), time: seconds(event.at) }),
    leads: () => null,
  },
];

const REACH = 12; // how many things before a place are looked at, since some are long

/**
 * The thing of a lane at *time*, or the nearest within *reach* seconds: its place, or -1.
 */
export function thingAt(lane, things, turn, time, reach) {
  const start = (place) => lane.span(turn, things[place], place)[0];
  let low = 0;
  let high = things.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (start(middle) <= time) low = middle + 1;
    else high = middle;
  }
  let best = -1;
  let least = reach;
  for (let place = Math.max(0, low - REACH); place < Math.min(things.length, low + 2); place += 1) {
    const [from, to] = lane.span(turn, things[place], place);
    const distance = time < from ? from - time : Math.max(0, time - to);
    if (distance <= least) [best, least] = [place, distance];
  }
  return best;
}

/** The place of the first thing in a lane that may be seen from *time* on. */
export function firstFrom(lane, things, turn, time) {
  if (lane.name === "tokens") return placeAfter(things, time);
  const place = placeAfter(things, time, (thing) => lane.span(turn, thing)[0]);
  return Math.max(0, place - REACH);
}
