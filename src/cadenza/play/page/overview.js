/** A reply as a whole: what happens right now, its numbers, its messages, and what else happened. */
import { el } from "cadenza/dom.js";
import { colourOf } from "cadenza/lanes.js";
import { placeAfter } from "cadenza/raw_text.js";
import { sentence } from "cadenza/said.js";
import { callText, inOneLine, isRefused, isTrouble } from "cadenza/telling.js";
import { counted, say, seconds, whole } from "cadenza/words_inside.js";

const MOST = 80; // lines of a list
const SHOWN = 120; // units of a message in one
const LATELY = 0.6; // seconds for which a model that said something is still speaking

const isDuring = (time) => (span) => span.from <= time && time < (span.to ?? Infinity);

/** The last of *spans* that goes on at *time*; null if there is none. */
function current(spans, time) {
  const place = placeAfter(spans, time, (span) => span.from);
  return spans.slice(Math.max(0, place - 8), place).reverse().find(isDuring(time)) ?? null;
}

/**
 * What happens inside a reply at *time*, a sentence each.
 * @returns {{sort: string, text: string}[]}
 */
function happening(turn, time) {
  if (time < turn.begins) return [{ sort: "before", text: say("now.before") }];
  if (turn.ends !== null && time >= turn.ends) {
    return [{ sort: "over", text: sentence(turn.outcome) || say("now.over") }];
  }
  return [modelNow(turn, time), holdNow(turn, time), waitNow(turn, time), sendNow(turn, time), queueNow(turn, time)].filter(Boolean);
}

function modelNow({ tokens, begins, askedAt }, time) {
  const count = tokens.heardAt(time);
  if (!count) return { sort: "asked", text: say("now.asked", { seconds: seconds(time - (askedAt ?? begins)) }) };
  if (time - tokens.times[count - 1] > LATELY) return null;
  return tokens.thoughts[count - 1] ? { sort: "thought", text: say("now.thinking") } : { sort: "text", text: say("now.speaking") };
}

function holdNow(turn, time) {
  const hold = current(turn.holds, time);
  const kept = hold ? null : current(turn.keeps, time);
  if (kept) return { sort: "held", text: say("hold.so_far", { why: sentence({ key: `holding.${kept.why}`, values: { rule: kept.mark } }) }) };
  if (!hold) return null;
  const size = inBuffer(turn, time);
  const why = sentence(hold.told);
  return { sort: "held", text: size ? say("now.holding", { characters: counted("inside.characters", size), why }) : say("hold.so_far", { why }) };
}

/** How much of the text that has come by *time* has not left the buffer. */
function inBuffer({ tokens, cuts, marks }, time) {
  const count = tokens.heardAt(time);
  const heard = count ? tokens.end(count - 1) : 0;
  const left = (ranges) => {
    for (let place = ranges.all.length - 1; place >= 0; place -= 1) if (ranges.all[place].at <= time) return ranges.all[place].end;
    return 0;
  };
  return Math.max(0, heard - Math.max(left(cuts), left(marks)));
}

function waitNow(turn, time) {
  const wait = current(turn.waits, time);
  if (!wait) return null;
  const more = remaining(turn, wait, time);
  const so = seconds(time - wait.from);
  switch (wait.why) {
    case "typing": return { sort: "typing", text: more > 0 ? say("now.typing", { seconds: seconds(more) }) : say("now.typing_on") };
    case "rate_limit": return { sort: "limit", text: more > 0 ? say("now.rate_limit", { seconds: seconds(more) }) : say("now.rate_limit_on", { seconds: so }) };
    default: return { sort: "wait", text: say("legend.wait") };
  }
}

/** How much longer a wait lasts: as is known, or as was planned or asked for. */
function remaining(turn, wait, time) {
  if (wait.to !== null) return wait.to - time;
  if (wait.why === "typing") return (turn.posts.get(wait.posts[0])?.pause ?? 0) - (time - wait.from);
  const asked = turn.calls.findLast((call) => call.status === 429 && call.at <= time);
  return asked ? asked.at + (asked.retry_after ?? 0) - time : 0;
}

function sendNow(turn, time) {
  const send = current(turn.sends, time);
  return send ? { sort: "sending", text: say("now.sending", { seconds: seconds(time - send.from) }) } : null;
}

function queueNow(turn, time) {
  let waiting = 0;
  for (const post of turn.posts.values()) {
    const message = turn.messageOf(post.number);
    const isGone = message ? message.at <= time : turn.ends !== null;
    if (post.at <= time && !isGone) waiting += 1;
  }
  return waiting > 1 ? { sort: "queue", text: say("now.queued", { messages: counted("inside.messages", waiting - 1) }) } : null;
}

/** The numbers of a reply at *time*. */
function numbersOf(turn, time) {
  const sent = turn.messages.slice(0, placeAfter(turn.messages, time, (message) => message.at));
  const merged = sent.reduce((sum, message) => sum + (message.posts.length > 1 ? message.posts.length : 0), 0);
  const limits = turn.calls.filter((call) => call.status === 429 && call.at <= time).length;
  const asked = turn.askedAt ?? turn.begins;
  const tokens = turn.tokens.heardAt(time);
  return {
    tokens: whole(tokens), messages: whole(sent.length), merged: whole(merged), limits: whole(limits),
    first_token: tokens ? seconds(turn.tokens.times[0] - asked) : "–", first_message: sent.length ? seconds(sent[0].at - asked) : "–",
  };
}

/** Shows a reply as a whole; changes only what is not as before. */
export class Overview {
  #shown = {};

  /**
   * @param {HTMLElement} root
   * @param {{pick: (selection: object) => void, seek: (time: number) => void, choose: (turn: string|null) => void}} acts
   */
  constructor(root, acts) {
    this.acts = acts;
    this.now = el("ul", { class: "plain now" });
    this.numbers = el("dl", { class: "numbers" });
    this.messages = el("section");
    this.events = el("section");
    this.turns = el("section");
    this.title = el("h3");
    root.append(el("section", null, this.title, this.now), this.numbers, this.messages, this.events, this.turns);
  }

  relabel() {
    this.#shown = {};
    this.title.textContent = say("now.title");
    this.numbers.setAttribute("aria-label", say("count.label"));
  }

  /** The reply is *turn*, one of *turns*; *chosen* is the id of the user's choice, or null. */
  show(turn, time, turns, chosen) {
    const now = happening(turn, time);
    this.#set("now", now, () => this.now.replaceChildren(...now.map(({ sort, text }) => el("li", null, el("i", { class: `swatch s-${sort}` }), text))));
    const numbers = numbersOf(turn, time);
    this.#set("numbers", numbers, () => this.#showNumbers(numbers));
    const sent = placeAfter(turn.messages, time, (message) => message.at);
    this.#set("messages", [turn.id, sent, turn.names.version], () => this.#showMessages(turn, sent));
    const count = placeAfter(turn.events, time, (event) => event.at) + turn.calls.filter((call) => call.at <= time && isRefused(call)).length;
    this.#set("events", [turn.id, count, turn.names.version], () => this.#showEvents(happened(turn, time)));
    const begun = turns.filter((other) => other.begins <= time);
    const told = begun.slice(-MOST).map((other) => [other.id, placeAfter(other.messages, time, (message) => message.at)]);
    this.#set("turns", [told, turn.id, chosen], () => this.#showTurns(turn, begun, time, chosen));
  }

  #set(name, value, show) {
    const key = JSON.stringify(value);
    if (this.#shown[name] === key) return;
    this.#shown[name] = key;
    show();
  }

  #showNumbers(numbers) {
    this.numbers.replaceChildren(...Object.entries(numbers).map(([name, value]) => el("div", { data: { count: name } },
      el("dt", { text: say(`count.${name}`) }), el("dd", { text: value }))));
  }

  #showMessages(turn, count) {
    const shown = turn.messages.slice(Math.max(0, count - MOST), count);
    keepingFocus(this.messages, () => this.messages.replaceChildren(...(shown.length ? [
      el("h3", { text: say("list.messages") }), more(count - shown.length),
      el("ol", { class: "plain lines" }, shown.map((message) => this.#message(turn, message))),
    ] : [])));
  }

  #message({ names }, message) {
    return el("li", null, el("button", { class: "line", type: "button", data: { key: message.id }, on: { click: () => this.acts.pick({ kind: "message", id: message.id }) } },
      el("span", { class: `chip ${colourOf(message.number)}`, text: String(message.number) }),
      el("span", { class: "line-text", text: inOneLine(names.readable(message.text) || message.file || "", SHOWN) }),
      message.posts.length > 1 ? el("span", { class: "badge", text: say("thing.merged", { n: message.posts.length }) }) : null,
      el("span", { class: "dim small", text: seconds(message.at) })));
  }

  #showEvents(events) {
    const shown = events.slice(-MOST);
    keepingFocus(this.events, () => this.events.replaceChildren(...(shown.length ? [
      el("h3", { text: say("list.events") }), more(events.length - shown.length),
      el("ol", { class: "plain lines" }, shown.map((event) => el("li", null, el("button", {
        class: `line${event.isBad ? " bad" : ""}`, type: "button", data: { key: `${event.at}/${event.text}` }, on: { click: () => this.acts.seek(event.at) },
      }, el("span", { class: "line-text is-whole", text: event.text }), el("span", { class: "dim small", text: seconds(event.at) }))))),
    ] : [])));
  }

  #showTurns(turn, turns, time, chosen) {
    if (turns.length < 2) return void this.turns.replaceChildren();
    const shown = turns.slice(-MOST);
    return void keepingFocus(this.turns, () => this.turns.replaceChildren(
      el("h3", { text: say("list.turns") }), more(turns.length - shown.length),
      el("ul", { class: "plain lines" }, shown.map((other) => el("li", null, el("button", {
        class: "line", type: "button", data: { key: other.id }, aria: { pressed: String(other === turn) }, on: { click: () => this.acts.choose(other.id) },
      }, el("span", { class: "line-text", text: say("list.turn", {
        name: other.persona || "?", messages: counted("inside.messages", placeAfter(other.messages, time, (message) => message.at)), time: seconds(other.begins),
      }) }))))),
      chosen === null ? "" : el("button", { class: "small", type: "button", text: say("list.latest"), on: { click: () => this.acts.choose(null) } }),
    ));
  }
}

function more(count) {
  return count > 0 ? el("p", { class: "dim small", text: say("list.more", { n: whole(count) }) }) : "";
}

/** What happened by *time* besides the messages, answers of Discord that were no yes among it. */
function happened(turn, time) {
  const events = turn.events.filter((event) => event.at <= time).map((event) => ({ at: event.at, text: turn.names.readable(sentence(event.told)), isBad: isTrouble(event) }));
  const calls = turn.calls.filter((call) => call.at <= time && isRefused(call)).map((call) => ({ at: call.at, text: callText(call), isBad: true }));
  return [...events, ...calls].sort((one, other) => one.at - other.at);
}

/** Run *change*, and restore the focus in *root* if its element is still there. */
function keepingFocus(root, change) {
  const key = root.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  change();
  if (key !== undefined) [...root.querySelectorAll("[data-key]")].find((node) => node.dataset.key === key)?.focus({ preventScroll: true });
}
