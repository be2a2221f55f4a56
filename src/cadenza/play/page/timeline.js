/** A reply over time, in lanes that are read from top to bottom: from the model's tokens to what people saw. */
import { el } from "cadenza/dom.js";
import { LANES, thingAt } from "cadenza/lanes.js";
import { AXIS, HEIGHT, paint } from "cadenza/painting.js";
import { Row } from "cadenza/rows.js";
import { ROW } from "cadenza/shapes.js";
import { say } from "cadenza/words_inside.js";

const EDGE = 14; // pixels that are left free at both ends, so that what lies there is seen whole
const NEAR = 7; // pixels within which a thing is hit
const SHORTEST = 0.05; // seconds that the whole width can be, at the least
const LEGEND = ["text", "thought", "held", "typing", "limit", "wait", "sending", "fault"];

/** Draws a turn; reports where the user seeks, and what they pick. */
export class Timeline {
  #turn = null;
  #time = 0;
  #end = 1;
  #view = null; // [from, to] in seconds; null shows everything
  #drawn = "";
  #things = []; // of each lane
  #version = "";
  #width = 0;
  #drag = null;
  #ends = [];

  /**
   * @param {HTMLElement} root
   * @param {{onSeek: (time: number) => void, onPick: (selection: object) => void}} handlers
   */
  constructor(root, { onSeek, onPick }) {
    this.root = root;
    this.onSeek = onSeek;
    this.onPick = onPick;
    this.rows = LANES.map((lane, index) => new Row(this, lane, index));
    this.canvas = el("canvas", { class: "tl-canvas", aria: { hidden: "true" } });
    this.cursor = el("div", { class: "tl-cursor", aria: { hidden: "true" } });
    this.veil = el("div", { class: "tl-veil", aria: { hidden: "true" } });
    this.field = el("div", { class: "tl-field" }, this.canvas, this.veil, this.rows.map((row) => row.track), this.cursor);
    this.names = el("div", { class: "tl-names", aria: { hidden: "true" } }, this.rows.map((row) => row.name));
    this.hint = el("p", { class: "tl-hint dim" });
    this.buttons = el("div", { class: "tl-buttons" });
    this.summary = el("summary");
    this.legendBody = el("div");
    this.legend = el("details", { class: "tl-legend dim" }, this.summary, this.legendBody);
    root.append(this.buttons, el("div", { class: "tl-body" }, this.names, this.field), this.hint, this.legend);
    this.#listen();
    this.relabel();
  }

  /** All words again, after another language was chosen. */
  relabel() {
    this.root.setAttribute("aria-label", say("timeline.label"));
    for (const row of this.rows) row.relabel();
    const button = (key, sign, act) => el("button", {
      class: "quiet square", type: "button", text: sign, title: say(key), aria: { label: say(key) }, on: { click: act },
    });
    this.buttons.replaceChildren(
      button("timeline.zoom_out", "−", () => this.zoom(1.6)),
      button("timeline.zoom_in", "+", () => this.zoom(1 / 1.6)),
      button("timeline.fit", "⤢", () => this.fit()),
    );
    this.summary.textContent = say("legend.name");
    this.legendBody.replaceChildren(
      el("p", { text: say("legend.title") }),
      el("ul", null, LEGEND.map((name) => el("li", null, el("i", { class: `swatch s-${name}` }), say(`legend.${name}`)))),
    );
    this.#say("");
    this.#version = "";
    if (this.#turn) this.#count();
  }

  /**
   * Show *turn* with the cursor at *time*.
   * @param {object} turn
   * @param {number} time
   * @param {{message: string|null, token: number|null}} chosen what is selected
   */
  show(turn, time, chosen = {}) {
    if (turn !== this.#turn) this.#view = null;
    this.#turn = turn;
    this.chosen = chosen;
    const before = this.#time;
    this.#time = time;
    this.#end = Math.max(turn.begins + 0.5, turn.ends ?? Math.max(turn.latest, time));
    this.#count();
    if (before !== time) this.#follow(before);
    this.#place();
    this.draw();
  }

  fit() {
    this.#view = null;
    this.#moved();
  }

  /** Show *factor* times as much, around the cursor or the given place. */
  zoom(factor, around = null) {
    const [from, to] = this.view;
    const middle = around ?? (this.#time >= from && this.#time <= to ? this.#time : (from + to) / 2);
    const width = Math.max(SHORTEST, (to - from) * factor);
    if (width >= this.#end - this.#turn.begins) return this.fit();
    const start = middle - ((middle - from) / (to - from)) * width;
    this.#view = this.#within(start, start + width);
    return this.#moved();
  }

  get view() {
    return this.#view ?? [this.#turn?.begins ?? 0, this.#end];
  }

  /** Where a time is, in pixels of the field. */
  x(time) {
    const [from, to] = this.view;
    return EDGE + ((time - from) / (to - from)) * this.room;
  }

  timeAt(x) {
    const [from, to] = this.view;
    return from + ((x - EDGE) / this.room) * (to - from);
  }

  get room() {
    return Math.max(1, this.width - 2 * EDGE);
  }

  get width() {
    return this.#width || this.field.clientWidth; // asking the page each time would have it laid out each time
  }

  get turn() {
    return this.#turn;
  }

  things(index) {
    return this.#things[index] ?? [];
  }

  /** Say what something is, below the lanes. */
  #say(words) {
    this.hint.textContent = words || say("timeline.keys");
  }

  tell(words) {
    this.#say(words);
  }

  /** What is picked is selected; what leads nowhere is at least gone to. */
  pick(lane, place) {
    const thing = this.things(lane)[place];
    const leads = LANES[lane].leads(this.#turn, thing, place);
    if (leads) this.onPick(leads);
    else this.onSeek(LANES[lane].span(this.#turn, thing, place)[0]);
  }

  /** Bring a time into what is seen. */
  reveal(time) {
    const [from, to] = this.view;
    if (time >= from && time <= to) return;
    this.#view = this.#within(time - (to - from) / 2, time + (to - from) / 2);
    this.#moved();
  }

  #count() {
    const version = `${this.#turn.id}/${this.#turn.version}`;
    if (version === this.#version) return;
    this.#version = version;
    this.#things = LANES.map((lane) => lane.things(this.#turn));
    this.rows.forEach((row, index) => row.count(this.#things[index].length));
  }

  #within(from, to) {
    const width = to - from;
    const start = Math.min(Math.max(from, this.#turn.begins), Math.max(this.#turn.begins, this.#end - width));
    return [start, start + width];
  }

  /** While the film plays, what is seen goes with it. */
  #follow(before) {
    if (!this.#view) return;
    const [from, to] = this.#view;
    const wasSeen = before >= from && before <= to;
    if (wasSeen && (this.#time < from || this.#time > to)) {
      this.#view = this.#within(this.#time - (to - from) * 0.15, this.#time + (to - from) * 0.85);
    }
  }

  #moved() {
    if (!this.#turn) return;
    this.#place();
    this.draw();
  }

  #place() {
    const x = this.x(this.#time);
    const shown = Math.min(Math.max(x, 0), this.width);
    this.cursor.hidden = x < -1 || x > this.width + 1;
    this.cursor.style.transform = `translateX(${shown}px)`;
    this.veil.style.left = `${shown}px`;
    this.veil.hidden = this.#time >= this.#turn.latest; // nothing lies ahead
    for (const row of this.rows) row.place();
  }

  // --- drawing -----------------------------------------------------------------------------

  /** Draw again, if anything is different. */
  draw() {
    const ratio = window.devicePixelRatio || 1;
    const theme = getComputedStyle(this.root).getPropertyValue("--ground");
    const chosen = JSON.stringify(this.chosen ?? null);
    const drawn = [this.#version, this.view, this.width, ratio, theme, chosen, this.#turn?.latest].join();
    if (!this.#turn || !this.width || drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(HEIGHT * ratio);
    const brush = this.canvas.getContext("2d");
    brush.scale(ratio, ratio);
    paint(brush, this);
  }

  // --- what people do ----------------------------------------------------------------------

  #listen() {
    const { field } = this;
    field.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    field.addEventListener("pointerdown", (event) => this.#grab(event));
    field.addEventListener("pointermove", (event) => this.#hover(event));
    field.addEventListener("pointerup", (event) => this.#release(event));
    field.addEventListener("pointercancel", () => { this.#drag = null; });
    field.addEventListener("pointerleave", () => this.#leave());
    const again = () => this.#moved();
    const resized = () => {
      this.#width = field.clientWidth;
      again();
    };
    const [size, theme] = [new ResizeObserver(resized), new MutationObserver(again)];
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    size.observe(field);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    dark.addEventListener("change", again);
    this.#ends = [() => size.disconnect(), () => theme.disconnect(), () => dark.removeEventListener("change", again)];
  }

  /** Watch nothing any longer. */
  close() {
    for (const end of this.#ends) end();
  }

  #wheel(event) {
    if (!this.#turn) return;
    const x = event.clientX - field(this).left;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY * 0.002), this.timeAt(x));
    } else if (this.#view && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) {
      event.preventDefault();
      this.#pan(event.deltaX || event.deltaY);
    }
  }

  #pan(pixels) {
    const [from, to] = this.view;
    const by = (pixels / this.room) * (to - from);
    this.#view = this.#within(from + by, to + by);
    this.#moved();
  }

  #grab(event) {
    if (event.button === 0) this.#drag = { x: event.clientX, last: event.clientX, hasMoved: false };
  }

  #hover(event) {
    if (event.buttons === 0) this.#drag = null; // it was let go elsewhere
    const drag = this.#drag;
    if (drag && this.#view) {
      drag.hasMoved ||= Math.abs(event.clientX - drag.x) > 4;
      if (drag.hasMoved) this.#pan(drag.last - event.clientX);
      drag.last = event.clientX;
      return;
    }
    const found = this.#under(event);
    this.field.classList.toggle("on-thing", found !== null);
    if (found) this.#say(LANES[found.lane].label(this.#turn, found.thing, found.place));
  }

  #leave() {
    this.field.classList.remove("on-thing");
    if (!this.field.contains(document.activeElement)) this.#say("");
  }

  #release(event) {
    const drag = this.#drag;
    this.#drag = null;
    if (!drag || drag.hasMoved || !this.#turn) return;
    const found = this.#under(event);
    if (found) this.pick(found.lane, found.place);
    else this.onSeek(Math.max(0, this.timeAt(event.clientX - field(this).left)));
  }

  /** The thing under a pointer; null if there is none. */
  #under(event) {
    const box = field(this);
    const lane = Math.floor((event.clientY - box.top - AXIS) / ROW);
    if (!this.#turn || lane < 0 || lane >= LANES.length) return null;
    const [from, to] = this.view;
    const reach = (NEAR / this.room) * (to - from);
    const place = thingAt(LANES[lane], this.things(lane), this.#turn, this.timeAt(event.clientX - box.left), reach);
    return place < 0 ? null : { lane, place, thing: this.things(lane)[place] };
  }
}

function field(timeline) {
  return timeline.field.getBoundingClientRect();
}
