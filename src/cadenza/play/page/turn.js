/**
 * The inside of one reply, built record by record: a pure model without any page.
 *
 * A film may come from another version, so whatever is missing or unknown in it is passed over, never a mistake.
 */

import { Ranges, Tokens } from "cadenza/raw_text.js";
import { valid, validRanges, validStory } from "cadenza/valid_records.js";

const MOMENT = 0.001; // seconds within which two times are the same

const list = (value) => (Array.isArray(value) ? value : []);
const number = (value, otherwise = 0) => (Number.isFinite(value) ? value : otherwise);
const text = (value) => (typeof value === "string" ? value : "");

/** One reply. */
export class Turn {
  channel = "";
  persona = "";
  replyTo = null;
  settings = {};
  /** When it was over; null while it goes on. */
  ends = null;
  /** How it ended, as a sentence. */
  outcome = null;
  askedAt = null;
  tokens = new Tokens();
  /** What held text, in the buffer: `{from, to, told}`. */
  holds = [];
  /** The same behind the buffer, by a rule or to fill a message, as the stories tell it. */
  keeps = [];
  rules = [];
  posts = new Map();
  waits = [];
  sends = [];
  messages = [];
  /** The fate of each text: `{start, end, at, message}` or `{start, end, at, fate}`. */
  marks = new Ranges();
  /** What is planned to be in a message: `{start, end, at, post}`. */
  plans = new Ranges();
  /** What has left the buffer: `{start, end, at}`. */
  cuts = new Ranges();
  events = [];
  calls = [];
  /** Counts additions, so that views know whether there is anything new. */
  version = 0;

  /** @param {Names} names the names of the whole film */
  constructor(id, at, names) {
    this.id = id;
    this.names = names;
    this.begins = at;
    this.latest = at;
  }

  _messageOfPost = new Map();
  _postOf = new Map();
  _byId = new Map();

  message(id) {
    return this._byId.get(id) ?? null;
  }

  /** The post that a segment went into; null if it is not planned. */
  postOf(segment) {
    return this._postOf.get(segment) ?? null;
  }

  /** The message that a post went out in; null if it has not. */
  messageOf(post) {
    return this._messageOfPost.get(post) ?? null;
  }

  add(record) {
    this.version += 1;
    this.latest = Math.max(this.latest, record.at);
    switch (record.kind) {
      case "tokens": return this._hear(record);
      case "story": return this._story(record);
      case "fate": return this._fate(record);
      case "call": return void this.calls.push({ route: "?", ...valid(record) });
      case "fact": return this._fact(record.at, text(record.fact), valid(record.about), record.told ?? null);
      default: return undefined;
    }
  }

  _hear(record) {
    const words = text(record.text);
    const times = list(record.times);
    const isThought = record.sort === "thought";
    let place = 0;
    list(record.lengths).forEach((length, index) => {
      const size = Math.max(0, number(length));
      this.tokens.add(words.slice(place, place + size), record.at + number(times[index]), isThought);
      place += size;
    });
    if (place < words.length) this.tokens.add(words.slice(place), record.at, isThought);
    this.latest = Math.max(this.latest, this.tokens.times.at(-1) ?? 0);
  }

  _fact(at, fact, about, told) {
    switch (fact) {
      case "reply_began": return this._begin(at, about);
      case "text_held": return this._hold(at, about, told);
      case "text_cut": return this._mark(this.cuts, runsOf(about.origin), { at });
      case "text_changed": return void this.rules.push({ ...about, at, told, segments: list(about.segments) });
      case "message_planned": return this._plan(at, about);
      case "message_waits": return this._wait(at, about);
      case "sending_began": return this._sending(at, about);
      case "message_sent": return this._sent(at, about);
      default: return this._event(at, fact, about, told);
    }
  }

  _begin(at, about) {
    this.begins = at;
    this.channel = text(about.channel);
    this.persona = text(about.persona);
    this.replyTo = about.reply_to ?? null;
    this.settings = about.settings ?? {};
  }

  _hold(at, about, told) {
    const last = this.holds[this.holds.length - 1];
    if (last && last.to === null) last.to = at;
    if (about.why) this.holds.push({ from: at, to: null, why: text(about.why), mark: text(about.mark), told });
  }

  /** Note what *ranges*, which facts count in characters, are. */
  _mark(into, ranges, about) {
    for (const [start, end] of ranges) into.add({ start: this.tokens.unitAt(start), end: this.tokens.unitAt(end), ...about });
  }

  _plan(at, about) {
    if (about.number === undefined) return;
    this.posts.set(about.number, { ...about, at });
    this._mark(this.plans, validRanges(about.covers), { at, post: about.number });
    for (const segment of list(about.segments)) this._postOf.set(segment, about.number);
  }

  _wait(at, about) {
    this._endWaits(at, list(about.posts));
    this.waits.push({ from: at, to: null, why: text(about.why), posts: list(about.posts), told: null });
  }

  /** A wait ends when its post does something else; one without a post ends with the next fact. */
  _endWaits(at, posts) {
    for (let place = this.waits.length - 1; place >= Math.max(0, this.waits.length - 8); place -= 1) {
      const wait = this.waits[place];
      const isSame = !posts.length || !wait.posts.length || wait.posts.some((post) => posts.includes(post));
      if (wait.to === null && isSame) wait.to = at;
    }
  }

  _sending(at, about) {
    this._endWaits(at, list(about.posts));
    this.sends.push({ from: at, to: null, posts: list(about.posts), message: null, error: null });
  }

  _sent(at, about) {
    const posts = list(about.posts);
    this._endWaits(at, posts);
    const send = this._send(at, posts, number(about.seconds));
    send.message = text(about.message);
    const message = {
      id: text(about.message), number: this.messages.length + 1, at, text: text(about.text), posts, story: null,
      name: about.identity ?? null, file: about.attachment ?? null, deletedAt: null, send,
    };
    this.messages.push(message);
    this._byId.set(message.id, message);
    for (const post of posts) this._messageOfPost.set(post, message);
  }

  /** The sending that has just ended, for *posts*. */
  _send(at, posts, seconds) {
    let send = this.sends[this.sends.length - 1];
    if (!send || send.to !== null) {
      send = { from: at - seconds, to: null, posts, message: null, error: null };
      this.sends.push(send);
    }
    send.to = at;
    return send;
  }

  _event(at, fact, about, told) {
    if (fact === "request_sent" && this.askedAt === null) this.askedAt = at;
    if (fact === "message_refused") {
      this._endWaits(at, list(about.posts));
      this._send(at, list(about.posts), 0).error = about.error ?? {};
    }
    if (fact === "message_deleted" && !about.error && this._byId.has(about.message)) this._byId.get(about.message).deletedAt = at;
    if (fact === "reply_ended") this._end(at, told);
    if (told) this.events.push({ at, fact, about, told });
  }

  _end(at, told) {
    this.ends = at;
    this.outcome = told;
    for (const open of [...this.holds.slice(-1), ...this.waits.slice(-8), ...this.sends.slice(-1)]) open.to ??= at;
  }

  _story(record) {
    const story = validStory(record.story);
    const message = this._byId.get(record.message) ?? this._unheard({ ...record, message: text(record.message) }, story);
    message.story = story;
    for (const [start, end] of story.raw) this.marks.add({ start, end, at: record.at, message: message.id });
    story.holds.forEach((hold, place) => this._keep(hold, list(story.told.holds)[place]));
    story.waits.forEach((wait, place) => this._waited(wait, list(story.told.waits)[place]));
  }

  /** What held a message behind the buffer; several messages may tell of one hold. */
  _keep({ from, to, why, mark }, told) {
    if (!["rule", "gathered"].includes(why) || !told) return;
    if (!this.keeps.slice(-8).some((other) => other.from === from && other.to === to)) this.keeps.push({ from, to, why, mark, told });
    this.keeps.sort((one, other) => one.from - other.from);
  }

  /** A wait is told with its message, once it is known how long it was. */
  _waited({ from, why }, told) {
    const wait = this.waits.findLast((one) => one.why === why && Math.abs(one.from - from) < MOMENT);
    if (wait) wait.told = told ?? null;
  }

  /** A message with a story, but without a fact that it was sent. */
  _unheard(record, story) {
    this._sent(record.at, { posts: story.posts, text: story.text, message: record.message, attachment: story.file, identity: story.name });
    return this._byId.get(record.message);
  }

  _fate(record) {
    for (const [start, end] of validRanges(record.raw)) this.marks.add({ start, end, at: record.at, fate: text(record.fate) });
  }
}

/** Where the characters of an origin, `[size, start, why]` each, stand in the model's text. */
function runsOf(origin) {
  return validRanges(list(origin).filter((run) => run?.[1] >= 0).map(([size, start]) => [start, start + size]));
}
