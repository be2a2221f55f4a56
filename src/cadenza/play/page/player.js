/**
 * A clock that can be played, stopped, and set back and forth.
 */

import { clear, el, icon } from "cadenza/dom.js";
import { onLanguage, t } from "cadenza/words.js";
import "cadenza/words_view.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];
const STEP = 1; // seconds that an arrow key goes
const MOST_TICKS = 400;
const LONGEST_FRAME = 0.25; // a page that slept does not jump
const PATHS = {
  play: "M7 4.500v15l13-7.500z",
  pause: "M7 5v14M17 5v14",
  again: "M4 12a8 8 0 1 0 2.500-5.800M4 4v4.500h4.500",
  previous: "M18 5v14L8 12zM6 5v14",
  next: "M6 5v14l10-7zM18 5v14",
};

/** The clock of a film, with its controls in `root`. */
export class Player {
  #time = 0;
  #seconds = 0;
  #events = [];
  #frame = 0;
  #last = 0;
  #speed = 1;
  #isFollowing;
  #isLive;
  #onTime;
  #unlisten;
  #onKey = (event) => this.key(event);

  /**
   * @param {HTMLElement} root
   * @param {{onTime?: (time: number) => void, seconds?: number, isLive?: boolean}} [options]
   */
  constructor(root, { onTime = () => {}, seconds = 0, isLive = false } = {}) {
    this.#onTime = onTime;
    this.#isLive = isLive;
    this.#isFollowing = isLive;
    this.root = root;
    this.#build();
    this.#unlisten = onLanguage(() => this.#say());
    this.seconds = seconds;
    this.#say();
  }

  /** The current position, in seconds. */
  get time() {
    return this.#time;
  }

  set time(time) {
    this.seek(time);
  }

  /** How long it is, in seconds. A live one that is followed goes along. */
  get seconds() {
    return this.#seconds;
  }

  set seconds(seconds) {
    const given = Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
    if (given === this.#seconds) return;
    this.#seconds = given;
    this.slider.max = String(given);
    this.#drawTicks();
    if (this.#isFollowing) this.#set(given);
    else this.#paint();
  }

  /** When something happens: where `,` and `.` go, and where the ticks are. */
  get events() {
    return this.#events;
  }

  set events(times) {
    this.#events = [...new Set(times)].sort((one, other) => one - other);
    this.#drawTicks();
  }

  get isPlaying() {
    return this.#frame !== 0;
  }

  /** Whether it goes along with what happens now. */
  get isFollowing() {
    return this.#isFollowing;
  }

  /** Go to a time; it plays on from there if it played. */
  seek(time) {
    this.#isFollowing = false;
    this.#set(time);
  }

  /** Play, from the beginning if it is at its end. */
  play() {
    if (this.isPlaying) return;
    if (this.#time >= this.#seconds) this.seek(0);
    this.#isFollowing = false;
    this.#last = performance.now();
    this.#frame = requestAnimationFrame((now) => this.#tick(now));
    this.#paint();
  }

  pause() {
    if (!this.isPlaying) return;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#paint();
    this.#onTime(this.#time); // views that update seldom while playing get the last position
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  /** Go to the present, and follow it. */
  follow() {
    this.pause();
    this.#isFollowing = this.#isLive;
    this.#set(this.#seconds);
  }

  /** Go to the event before (`-1`) or after (`1`) this moment. */
  step(direction) {
    this.pause();
    const isBefore = (at) => at < this.#time - 0.0005;
    const isAfter = (at) => at > this.#time + 0.0005;
    const goal = direction < 0 ? this.#events.findLast(isBefore) ?? 0 : this.#events.find(isAfter) ?? this.#seconds;
    this.seek(goal);
  }

  /**
   * Do what a key means, if it means anything here.
   * @param {KeyboardEvent} event
   * @returns {boolean} whether it did
   */
  key(event) {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || !isMeantForUs(event)) return false;
    const run = {
      " ": () => this.toggle(),
      ArrowLeft: () => this.seek(this.#time - STEP),
      ArrowRight: () => this.seek(this.#time + STEP),
      ",": () => this.step(-1),
      ".": () => this.step(1),
    }[event.key];
    if (run === undefined) return false;
    event.preventDefault();
    run();
    return true;
  }

  /** Stop, and let go of everything. */
  close() {
    this.pause();
    this.#unlisten();
    this.root.removeEventListener("keydown", this.#onKey);
    clear(this.root);
  }

  #build() {
    this.button = el("button", { type: "button", class: "primary square player-play", on: { click: () => this.toggle() } });
    this.previous = el("button", { type: "button", class: "quiet square", on: { click: () => this.step(-1) } }, icon(PATHS.previous));
    this.next = el("button", { type: "button", class: "quiet square", on: { click: () => this.step(1) } }, icon(PATHS.next));
    this.slider = el("input", { type: "range", class: "player-slider", min: "0", max: "0", step: "0.001", value: "0" });
    this.slider.addEventListener("input", () => this.seek(Number(this.slider.value)));
    this.ticks = el("div", { class: "player-ticks", aria: { hidden: "true" } });
    this.clock = el("span", { class: "player-clock" });
    this.speed = el("select", { class: "player-speed" }, SPEEDS.map((speed) => el("option", { value: String(speed), text: `×${speed}` })));
    this.speed.value = "1";
    this.speed.addEventListener("change", () => { this.#speed = Number(this.speed.value); });
    this.live = el("button", { type: "button", class: "player-live", hidden: !this.#isLive, on: { click: () => this.follow() } });
    this.root.classList.add("player");
    this.root.setAttribute("role", "group");
    this.root.append(
      this.previous, this.button, this.next,
      el("div", { class: "player-track" }, this.ticks, this.slider),
      this.clock, this.speed, this.live,
    );
    this.root.addEventListener("keydown", this.#onKey);
  }

  #say() {
    this.root.setAttribute("aria-label", t("player.label"));
    for (const [node, key] of [[this.previous, "previous"], [this.next, "next"], [this.slider, "position"], [this.speed, "speed"]]) {
      node.setAttribute("aria-label", t(`player.${key}`));
      node.title = t(`player.${key}`);
    }
    this.live.textContent = `● ${t("player.live")}`;
    this.live.title = t("player.live_title");
    this.drawn = null;
    this.#paint();
  }

  #tick(now) {
    const passed = Math.min(LONGEST_FRAME, Math.max(0, (now - this.#last) / 1000));
    this.#last = now;
    this.#frame = requestAnimationFrame((then) => this.#tick(then));
    const goal = this.#time + passed * this.#speed;
    if (goal < this.#seconds) {
      this.#set(goal);
    } else {
      this.pause();
      if (this.#isLive) this.follow();
      else this.#set(this.#seconds);
    }
  }

  #set(time) {
    this.#time = Math.min(this.#seconds, Math.max(0, Number.isFinite(time) ? time : 0));
    this.#paint();
    this.#onTime(this.#time);
  }

  #paint() {
    this.slider.value = String(this.#time);
    const [time, whole] = [shortTime(this.#time), shortTime(this.#seconds)];
    const text = t("player.position_text", { time, whole });
    if (this.slider.getAttribute("aria-valuetext") !== text) {
      this.slider.setAttribute("aria-valuetext", text);
      this.clock.textContent = `${time} / ${whole}`;
    }
    this.live.setAttribute("aria-pressed", String(this.#isFollowing));
    const name = this.isPlaying ? "pause" : this.#time >= this.#seconds && this.#seconds > 0 ? "again" : "play";
    if (this.drawn === name) return;
    this.drawn = name;
    clear(this.button).append(icon(PATHS[name]));
    this.button.setAttribute("aria-label", t(`player.${name}`));
    this.button.title = t(`player.${name}`);
  }

  #drawTicks() {
    clear(this.ticks);
    if (this.#seconds <= 0) return;
    const places = new Set(this.#events.map((at) => Math.round((at / this.#seconds) * MOST_TICKS)));
    for (const place of places) {
      if (place < 0 || place > MOST_TICKS) continue;
      this.ticks.append(el("i", { style: { left: `${(place / MOST_TICKS) * 100}%` } }));
    }
  }
}

/** `m:ss.s`, as a clock of a film shows it. */
function shortTime(seconds) {
  const tenths = Math.round(seconds * 10);
  const minutes = Math.floor(tenths / 600);
  return `${minutes}:${String(Math.floor((tenths % 600) / 10)).padStart(2, "0")}.${tenths % 10}`;
}

/** Keys for fields, menus and buttons are not for the player. */
function isMeantForUs(event) {
  const { target, key } = event;
  if (!(target instanceof Element)) return true;
  if (target.closest("textarea, select, [contenteditable], dialog, [role=tablist], [role=listbox], [role=toolbar]")) return false;
  if (target instanceof HTMLInputElement && target.type !== "range") return false;
  if (key === " ") return target.closest("button, a, summary, [role=button]") === null;
  return target.closest("pre") === null || key === "," || key === ".";
}
