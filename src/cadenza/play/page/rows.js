/** A lane of the timeline for the keyboard and for screen readers. */
import { el } from "cadenza/dom.js";
import { counted, say } from "cadenza/words_inside.js";

let made = 0; // so that each option has an id of its own

/** One lane for the keyboard: arrow keys go from item to item. */
export class Row {
  #place = -1;
  #spare = 0;

  constructor(timeline, lane, index) {
    this.timeline = timeline;
    this.lane = lane;
    this.index = index;
    this.name = el("div", { class: "tl-name" });
    // Two take turns, for a screen reader is told of a new active descendant, not of a new name.
    this.options = [0, 1].map(() => el("div", {
      class: "tl-thing", id: `tl-thing-${(made += 1)}`, role: "option", hidden: true,
    }));
    this.track = el("div", {
      class: "tl-track", role: "listbox", tabIndex: 0, data: { lane: lane.name },
      on: { keydown: (event) => this.#key(event), focus: () => this.#focus(), blur: () => this.#blur() },
    }, this.options);
  }

  relabel() {
    this.name.textContent = say(`lane.${this.lane.name}`);
    this.name.title = say(`lane.${this.lane.name}.about`);
    this.count(this.size ?? 0);
  }

  count(size) {
    this.size = size;
    const words = { lane: say(`lane.${this.lane.name}`), about: say(`lane.${this.lane.name}.about`), things: counted("inside.things", size) };
    const label = say("lane.label", words);
    if (this.track.getAttribute("aria-label") !== label) this.track.setAttribute("aria-label", label);
    if (this.#place >= size) this.#blur();
  }

  #key(event) {
    const moves = { ArrowRight: this.#place + 1, ArrowLeft: this.#place - 1, Home: 0, End: this.size - 1 };
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key in moves) this.#go(moves[event.key]);
    else if ((event.key === "Enter" || event.key === " ") && this.#place >= 0) this.timeline.pick(this.index, this.#place);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") this.#leave(event.key === "ArrowDown" ? 1 : -1);
    else return;
    event.preventDefault();
  }

  #leave(by) {
    this.timeline.rows[this.index + by]?.track.focus();
  }

  #focus() {
    if (!this.size || !this.track.matches(":focus-visible")) return;
    this.#go(this.#place >= 0 ? this.#place : 0);
  }

  #go(place) {
    if (!this.size) return;
    this.#place = Math.min(Math.max(place, 0), this.size - 1);
    const { timeline, lane } = this;
    const thing = timeline.things(this.index)[this.#place];
    timeline.reveal(lane.span(timeline.turn, thing, this.#place)[0]);
    const label = lane.label(timeline.turn, thing, this.#place);
    this.options[this.#spare].hidden = true;
    this.#spare = 1 - this.#spare;
    const option = this.options[this.#spare];
    option.hidden = false;
    option.setAttribute("aria-label", label);
    option.setAttribute("aria-selected", "true");
    this.track.setAttribute("aria-activedescendant", option.id);
    this.place();
    timeline.tell(label);
  }

  #blur() {
    this.#place = -1;
    for (const option of this.options) option.hidden = true;
    this.track.removeAttribute("aria-activedescendant");
    this.timeline.tell("");
  }

  /** Put the frame around the thing that has the focus. */
  place() {
    const thing = this.timeline.things(this.index)[this.#place];
    if (thing === undefined) return;
    const [from, to] = this.lane.span(this.timeline.turn, thing, this.#place);
    const [left, right] = [this.timeline.x(from), this.timeline.x(to)];
    const { style } = this.options[this.#spare];
    style.left = `${left - (right - left < 14 ? 9 : 1)}px`;
    style.width = `${Math.max(18, right - left + 2)}px`;
  }
}
