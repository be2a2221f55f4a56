/**
 * The inside of one reply, built record by record: a pure model without any page.
 *
 * A film may come from another version, so whatever is missing or unknown in it is passed over, never a mistake.
 */

import { Ranges, Tokens } from "cadenza/raw_text.js";
import { valid, validRanges, validStory } from "cadenza/valid_records.js";

const SEARCHED = 4000; // units after the last segment in which the next one is searched
const MOMENT = 0.01; // seconds between a segment and its message, if nothing holds it

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
  outcome = null;
  askedAt = null;
  tokens = new Tokens();
  holds = [];
  /** Holds after the buffer, by a rule or to fill a message: as holds, with `segments`. */
  keeps = [];
  segments = [];
  rules = [];
  posts = new Map();
  waits = [];
  sends = [];
  messages = [];
  /** The fate of each text: `{start, end, at, message}` or `{start, end, at, fate}`. */
  marks = new Ranges();
  /** What was decided of text that may still wait: `{start, end, at, segment}`. */
  cuts = new Ranges();
  events = [];
  calls = [];
  /** Whether the film tells such steps itself; else they are made of the stories. */
  tells = { hold: false, wait: false };
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
  _pieces = new Map();
  _ready = new Map(); // segments that have just left the buffer and are in no post yet, with their times
  _kept = new Map(); // what keeps a segment back now
  _gathering = null; // what segments wait in until there are enough for a message
  _aligned = 0; // how much of the model's text is known to have left the buffer
  _unplaced = []; // segments without a known position yet, because tokens may arrive late

  message(id) {
    return this._byId.get(id) ?? null;
  }

  segment(wanted) {
    return this._pieces.get(wanted) ?? null;
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
    if (this._ready.size) this._gather(record.at);
    this.latest = Math.max(this.latest, record.at);
    switch (record.kind) {
      case "tokens": return this._hear(record);
      case "story": return this._story(record);
      case "fate": return this._fate(record);
      case "call": return void this.calls.push({ route: "?", ...valid(record) });
      case "step": return this._step(record.at, text(record.step), valid(record.about));
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
    this._alignAll();
  }

  _step(at, step, about) {
    switch (step) {
      case "reply": return this._begin(at, about);
      case "chunk": return this._chunk(at, about);
      case "hold": return this._hold(at, about);
      case "segment": return this._segment(at, about);
      case "rule": return this._rule(at, about);
      case "post": return this._post(at, about);
      case "wait": return this._wait(at, about);
      case "sending": return this._sending(at, about);
      case "sent": return this._sent(at, about);
      default: return this._event(at, step, about);
    }
  }

  _begin(at, about) {
    this.begins = at;
    this.channel = text(about.channel);
    this.persona = text(about.persona);
    this.replyTo = about.reply_to ?? null;
    this.settings = about.settings ?? {};
  }

  /** A film may tell tokens one by one; what is no text is a thing of its own. */
  _chunk(at, about) {
    if (about.kind === "text" || about.kind === "thought") {
      this.tokens.add(text(about.text), at, about.kind === "thought");
      this._alignAll();
    }
    if (about.kind === "call" || about.kind === "failed") this.events.push({ at, step: `chunk_${about.kind}`, about });
  }

  _hold(at, about) {
    this.tells.hold = true;
    const last = this.holds[this.holds.length - 1];
    if (last && last.to === null) last.to = at;
    if (about.why) this.holds.push({ from: at, to: null, why: text(about.why), mark: text(about.mark), size: number(about.size) });
  }

  _segment(at, about) {
    const words = text(about.text);
    const segment = { ...about, at, text: words, raw: null };
    this.segments.push(segment);
    this._pieces.set(about.number, segment);
    this._unplaced.push(segment);
    if (words.trim()) this._ready.set(about.number, at);
    this._alignAll();
  }

  /** Segments that are in no post after a moment are waiting for more. */
  _gather(at) {
    for (const [segment, since] of this._ready) {
      if (at - since <= MOMENT) return;
      this._ready.delete(segment);
      const last = this._gathering;
      if (last && last.to === null) this._keep(segment, last);
      else this._gathering = this._keep(segment, { from: since, to: null, why: "gathered", mark: "", segments: [] });
    }
  }

  _keep(segment, hold) {
    if (!hold.segments.length) this.keeps.push(hold);
    hold.segments.push(segment);
    this._kept.set(segment, hold);
    return hold;
  }

  /** Something was made of *segments*, or they are gone. */
  _letGo(at, segments) {
    for (const segment of segments) {
      this._ready.delete(segment);
      const hold = this._kept.get(segment);
      if (hold) hold.to ??= at;
      this._kept.delete(segment);
    }
  }

  _rule(at, about) {
    this.rules.push({ ...about, at, before: list(about.before), after: list(about.after) });
    const segments = list(about.segments);
    const isHolding = (segment) => this._kept.get(segment)?.mark === about.rule;
    if (about.effect === "held" && segments.length) {
      const hold = segments.map((segment) => this._kept.get(segment)).find((known) => known?.mark === about.rule && known.to === null)
        ?? { from: at, to: null, why: "rule", mark: text(about.rule), segments: [] };
      for (const segment of segments.filter((one) => !isHolding(one))) {
        this._ready.delete(segment);
        this._keep(segment, hold);
      }
    } else if (about.effect === "dropped") {
      this._letGo(at, segments);
    } else {
      const freed = segments.filter(isHolding);
      this._letGo(at, freed);
      for (const segment of freed) this._ready.set(segment, at);
    }
  }

  /** Find out where segments stand in the text; one that is not there was made something else by the buffer. */
  _alignAll() {
    while (this._unplaced.length) {
      const [segment] = this._unplaced;
      segment.raw = this._align(segment.text);
      const isHeard = (this.tokens.times.at(-1) ?? -1) >= segment.at || this.ends !== null;
      if (!segment.raw && !isHeard) return;
      this._unplaced.shift();
      if (segment.raw) this.cuts.add({ start: segment.raw[0], end: segment.raw[1], at: segment.at, segment: segment.number });
    }
  }

  /** Where *words* stand in the model's text; null where the buffer made something else of it. */
  _align(words) {
    if (!words) return null;
    const start = this._aligned;
    const found = this.tokens.slice(start, start + words.length + SEARCHED).indexOf(words);
    if (found < 0 || (found > 0 && !words.trim())) return null;
    this._aligned = start + found + words.length;
    return [start + found, this._aligned];
  }

  _post(at, about) {
    if (about.number === undefined) return;
    this.posts.set(about.number, { ...about, at });
    for (const segment of list(about.segments)) this._postOf.set(segment, about.number);
    this._letGo(at, list(about.segments));
  }

  _wait(at, about) {
    this.tells.wait = true;
    this._endWaits(at, list(about.posts));
    this.waits.push({ from: at, to: null, why: text(about.why), posts: list(about.posts) });
  }

  /** A wait ends when its post does something else; one without a post ends with the next step. */
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
      name: about.identity ?? null, file: about.attachment ?? null, waited: about.waited ?? {}, deletedAt: null, send,
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

  _event(at, step, about) {
    if (step === "request" && this.askedAt === null) this.askedAt = at;
    if (step === "unsent") {
      this._endWaits(at, list(about.posts));
      this._send(at, list(about.posts), 0).error = about.error ?? {};
    }
    if (step === "deleted" && !about.error && this._byId.has(about.message)) this._byId.get(about.message).deletedAt = at;
    if (step === "end") this._end(at, about);
    this.events.push({ at, step, about });
  }

  _end(at, about) {
    this.ends = at;
    this.outcome = about.outcome ?? {};
    for (const open of [...this.holds.slice(-1), ...this._kept.values(), ...this.waits.slice(-8), ...this.sends.slice(-1)]) open.to ??= at;
  }

  _story(record) {
    const story = validStory(record.story);
    const message = this._byId.get(record.message) ?? this._unheard({ ...record, message: text(record.message) }, story);
    message.story = story;
    for (const [start, end] of story.raw) {
      this.marks.add({ start, end, at: record.at, message: message.id });
      this._aligned = Math.max(this._aligned, end);
    }
    if (!this.tells.hold) this._fill(this.holds, message.story.holds, message);
    if (!this.tells.wait) this._fill(this.waits, message.story.waits, message);
  }

  /** A message with a story, but without a step that it was sent. */
  _unheard(record, story) {
    this._sent(record.at, { posts: story.posts, text: story.text, message: record.message, attachment: story.file, identity: story.name });
    return this._byId.get(record.message);
  }

  _fill(into, spans, message) {
    for (const span of spans) {
      const last = into[into.length - 1];
      if (last && last.from === span.from && last.why === span.why) continue; // one block may be in several messages
      into.push({ from: number(span.from), to: number(span.to), why: text(span.why), mark: text(span.mark), posts: message.posts });
    }
    into.sort((one, other) => one.from - other.from);
  }

  _fate(record) {
    for (const [start, end] of validRanges(record.raw)) {
      this.marks.add({ start, end, at: record.at, fate: text(record.fate) });
      this._aligned = Math.max(this._aligned, end);
    }
  }
}
